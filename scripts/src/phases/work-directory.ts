import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Capacity, StepLine } from "../core/capacity.ts";
import { InputError, MeasureError } from "../core/errors.ts";
import type { Census, Comparison, Environment, History, Plan, SampleLine } from "../core/model.ts";
import { planId } from "../core/plan.ts";
import { censusSchema, sampleLineSchema } from "./sample-schema.ts";

export const DEFAULT_WORK_DIRECTORY = ".perf-gate";

const FILES = {
  plan: "plan.json",
  environment: "environment.json",
  census: "census.json",
  samples: "samples.ndjson",
  history: "history.json",
  comparison: "comparison.json",
  steps: "steps.ndjson",
  capacity: "capacity.json",
} as const;
/** Below the work directory: earlier runs that a new plan moved out of its way. */
const EARLIER = "earlier";
/** Below the work directory of a matrix: the runs that it consists of. */
export const POINTS = "points";
/** A run that has one of these has measured something. */
const MEASURED: readonly string[] = [FILES.samples, FILES.steps, POINTS];
/** What stays where it is when a new plan begins: caches and earlier runs. */
const KEPT = new Set<string>([EARLIER, ".gitignore"]);

export type Env = Readonly<Record<string, string | undefined>>;

/** SHA-256, hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The files of one run. Written whole and then renamed, except the samples, which only ever grow. */
export class WorkDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(...parts: string[]): string {
    return join(this.path, ...parts);
  }

  get samplesFile(): string {
    return this.file(FILES.samples);
  }

  /** Makes the directory ready for a new plan: an earlier run in it moves to earlier/<time of its plan>. */
  begin(): void {
    guardDisk(this.path, () => {
      mkdirSync(this.path, { recursive: true });
      // Inside a repository it must not make the tree look changed.
      writeFileSync(this.file(".gitignore"), "*\n");
    });
    const entries = readdirSync(this.path).filter((entry) => !KEPT.has(entry));
    const measured = entries.find((entry) => MEASURED.includes(entry));
    if (measured === undefined) return;
    const stamp = statSync(this.file(measured)).mtime.toISOString().replaceAll(":", "-").replace(/\..*/, "");
    let target = this.file(EARLIER, stamp);
    for (let i = 2; existsSync(target); i++) target = this.file(EARLIER, `${stamp}-${i}`);
    mkdirSync(target, { recursive: true });
    for (const entry of entries) renameSync(this.file(entry), join(target, entry));
  }

  /** Makes a directory below this one. */
  directory(name: string): string {
    const path = this.file(name);
    guardDisk(this.path, () => mkdirSync(path, { recursive: true }));
    return path;
  }

  /** Writes a file in one step: readers see the old or the new one, a full disk leaves the old. */
  write(name: string, text: string): void {
    const path = this.file(name);
    guardDisk(this.path, () => {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    });
  }

  writeJson(name: keyof typeof FILES, value: Plan | Environment | Census | History | Comparison | Capacity): void {
    this.write(FILES[name], `${JSON.stringify(value, null, 2)}\n`);
  }

  readPlan(): Plan {
    const plan = this.#json(FILES.plan, "perf-gate plan") as Plan;
    if (plan?.version !== 1) throw this.#damaged(FILES.plan, "version 1 was expected");
    if (planId(plan, sha256) !== plan.id) throw this.#damaged(FILES.plan, "its content does not match its id");
    return plan;
  }

  readEnvironment(plan: Plan): Environment | null {
    if (!existsSync(this.file(FILES.environment))) return null;
    const environment = this.#json(FILES.environment, "perf-gate measure") as Environment;
    this.#checkPlan(FILES.environment, environment?.planId, plan);
    return environment;
  }

  readCensus(plan: Plan): Census | null {
    if (!existsSync(this.file(FILES.census))) return null;
    const parsed = censusSchema.safeParse(this.#json(FILES.census, "perf-gate measure"));
    if (!parsed.success) throw this.#damaged(FILES.census, firstIssue(parsed.error));
    this.#checkPlan(FILES.census, parsed.data.planId, plan);
    return parsed.data;
  }

  /** null for a plan without records. */
  readHistory(plan: Plan): History | null {
    if (plan.stored === undefined && plan.beside === undefined) return null;
    const history = this.#json(FILES.history, "perf-gate plan") as History;
    if (history?.version !== 1) throw this.#damaged(FILES.history, "version 1 was expected");
    this.#checkPlan(FILES.history, history.planId, plan);
    return history;
  }

  readComparison(): Comparison {
    const comparison = this.#json(FILES.comparison, "perf-gate compare") as Comparison;
    if (comparison?.version !== 1) throw this.#damaged(FILES.comparison, "version 1 was expected");
    return comparison;
  }

  /** Every complete, sound line of samples.ndjson; the others as sentences. Throws where they belong to another plan. */
  readSamples(plan: Plan): { lines: SampleLine[]; damaged: string[] } {
    if (!existsSync(this.samplesFile)) return { lines: [], damaged: [] };
    const text = readFileSync(this.samplesFile, "utf8");
    const rows = text.split("\n");
    const lines: SampleLine[] = [];
    const damaged: string[] = [];
    const cut = rows.pop() ?? "";
    if (cut !== "") damaged.push(`line ${rows.length + 1}: cut short, without its end (${cut.length} characters)`);
    for (const [index, row] of rows.entries()) {
      if (row === "") continue;
      const problem = parseLine(row, lines);
      if (problem !== null) damaged.push(`line ${index + 1}: ${problem}`);
    }
    for (const line of lines) if (line.kind === "begin") this.#checkPlan(FILES.samples, line.planId, plan);
    return { lines, damaged };
  }

  /** Appends lines and waits until they are on the disk. A line cut short by an earlier crash is closed first. */
  appendSamples(lines: readonly SampleLine[]): void {
    this.#append(this.samplesFile, lines);
  }

  /** The same for the steps of a search for capacity. */
  appendSteps(lines: readonly StepLine[]): void {
    this.#append(this.file(FILES.steps), lines);
  }

  #append(path: string, lines: readonly unknown[]): void {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    guardDisk(this.path, () => {
      const file = openSync(path, "a+");
      try {
        appendFileSync(file, endsCleanly(path) ? text : `\n${text}`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    });
  }

  #json(name: string, command: string): unknown {
    const path = this.file(name);
    if (!existsSync(path)) throw new InputError(`${path} is missing: run \`${command}\` on this work directory first`);
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      throw this.#damaged(name, (error as Error).message);
    }
  }

  #checkPlan(name: string, id: unknown, plan: Plan): void {
    if (id === plan.id) return;
    throw new InputError(
      `${this.file(name)} belongs to another plan (${String(id).slice(0, 12)}, plan.json is ${plan.id.slice(0, 12)}): ` +
        "name an empty --work-directory, or run `perf-gate plan` again, which moves the earlier run aside",
    );
  }

  #damaged(name: string, what: string): InputError {
    return new InputError(`${this.file(name)} cannot be used: ${what}; it is left as it is`);
  }
}

/** Adds a sound line to `lines`, or says what is wrong with it. */
function parseLine(row: string, lines: SampleLine[]): string | null {
  let value: unknown;
  try {
    value = JSON.parse(row);
  } catch {
    return "not JSON";
  }
  const parsed = sampleLineSchema.safeParse(value);
  if (!parsed.success) return firstIssue(parsed.error);
  lines.push(parsed.data);
  return null;
}

function firstIssue(error: { issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  const [issue] = error.issues;
  return issue === undefined ? "not of the expected form" : `${issue.path.join(".") || "line"}: ${issue.message}`;
}

function endsCleanly(path: string): boolean {
  const text = readFileSync(path);
  return text.length === 0 || text[text.length - 1] === 10;
}

/** Turns the file system's refusals into sentences. */
function guardDisk(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") {
      throw new MeasureError(
        `no space left for ${path}: free some and run \`perf-gate measure\` again; every complete line of samples is kept`,
      );
    }
    if (code === "EACCES" || code === "EROFS" || code === "EPERM" || code === "ENOTDIR" || code === "EEXIST") {
      throw new InputError(`cannot write to the work directory ${path} (${code}): name another with --work-directory`);
    }
    throw new MeasureError(`cannot write below ${path}: ${message}`);
  }
}

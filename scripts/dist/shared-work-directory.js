import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  _enum,
  array,
  boolean,
  discriminatedUnion,
  int,
  literal,
  number,
  strictObject,
  string
} from "./shared-schemas.js";
import {
  InputError,
  MeasureError
} from "./shared-errors.js";
import {
  SLOWEST
} from "./shared-slowest.js";
import {
  planId
} from "./shared-plan.js";

// scripts/src/phases/work-directory.ts
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
  writeFileSync
} from "node:fs";
import { join } from "node:path";

// scripts/src/phases/sample-schema.ts
var amount = number().nonnegative();
var count = int().nonnegative();
var reading = number();
var stage = _enum(["main", "confirm"]);
var arm = _enum(["base", "head"]);
var text = string().max(2e3);
var slow = strictObject({ ms: amount, traceId: string().regex(/^(?!0{32})[0-9a-f]{32}$/) });
var slot = strictObject({
  kind: literal("slot"),
  stage,
  block: count,
  cell: text,
  arm,
  order: count,
  startedAt: amount,
  seconds: number().positive(),
  requests: count,
  qps: amount,
  latencyMs: strictObject({ avg: amount, p50: amount, p90: amount, p95: amount, p99: amount, max: amount }).nullable(),
  phasesMs: strictObject({ connect: amount, tls: amount, wait: amount, receive: amount }),
  errors: count,
  failedChecks: count,
  droppedIterations: count,
  bytesReceived: amount,
  portErrors: count,
  witness: strictObject({
    targetCpuSeconds: reading,
    servicesCpuSeconds: reading,
    generatorCpuSeconds: reading,
    generatorCores: number().positive(),
    generatorIdleSeconds: reading,
    foreignCpuSeconds: reading,
    stealSeconds: reading,
    intervalSeconds: number().positive(),
    targetPeakCores: reading,
    targetMemoryBytes: amount,
    targetMemoryGrowthBytes: reading.optional(),
    throttledPeriods: reading,
    timeWait: count,
    listenOverflows: reading,
    listenQueueMax: count,
    maxChildrenReached: count
  }).nullable(),
  events: array(_enum(["target-restarted", "oom-killed", "k6-died"])),
  slowest: array(slow).max(SLOWEST).exactOptional()
});
var sampleLineSchema = discriminatedUnion("kind", [
  strictObject({ kind: literal("begin"), version: literal(1), planId: text, startedAt: amount }),
  strictObject({
    kind: literal("pilot"),
    cells: array(
      strictObject({
        cell: text,
        requests: count,
        qps: amount,
        slotSeconds: number().positive(),
        turnSeconds: number().positive(),
        gapSeconds: number().positive(),
        statistic: _enum(["p90", "p95", "p99"]),
        rate: amount.nullable()
      })
    ),
    seconds: amount
  }),
  slot,
  strictObject({
    kind: literal("block"),
    stage,
    block: count,
    yardstickMs: number().positive(),
    times: strictObject({ restart: amount, k6Start: amount, warmUp: amount, load: amount, total: amount })
  }),
  strictObject({ kind: literal("confirm"), tests: array(text) }),
  strictObject({
    kind: literal("stop"),
    reason: _enum(["decided", "cap", "budget", "interrupted", "failed"]),
    detail: string().max(2e4).nullable(),
    wallSeconds: amount
  })
]);
var counted = strictObject({ perRequest: reading, min: reading, max: reading, exact: boolean() });
var censusArm = strictObject({
  statuses: array(count),
  failedShare: number().min(0).max(1),
  counts: strictObject({
    sqlStatements: counted.optional(),
    dbConnections: counted.optional(),
    redisCommands: counted.optional(),
    responseBytes: counted.optional()
  })
});
var censusSchema = strictObject({
  version: literal(1),
  planId: text,
  requestsPerRepeat: count,
  repeats: count,
  scenarios: array(strictObject({ scenario: text, arms: strictObject({ base: censusArm, head: censusArm }) }))
});

// scripts/src/phases/work-directory.ts
var DEFAULT_WORK_DIRECTORY = ".perf-gate";
var FILES = {
  plan: "plan.json",
  environment: "environment.json",
  census: "census.json",
  samples: "samples.ndjson",
  history: "history.json",
  comparison: "comparison.json",
  steps: "steps.ndjson",
  capacity: "capacity.json"
};
var EARLIER = "earlier";
var POINTS = "points";
var MEASURED = [FILES.samples, FILES.steps, POINTS];
var KEPT = /* @__PURE__ */ new Set([EARLIER, ".gitignore"]);
function sha256(text2) {
  return createHash("sha256").update(text2).digest("hex");
}
var WorkDirectory = class {
  path;
  constructor(path) {
    this.path = path;
  }
  file(...parts) {
    return join(this.path, ...parts);
  }
  get samplesFile() {
    return this.file(FILES.samples);
  }
  /** Makes the directory ready for a new plan: an earlier run in it moves to earlier/<time of its plan>. */
  begin() {
    guardDisk(this.path, () => {
      mkdirSync(this.path, { recursive: true });
      writeFileSync(this.file(".gitignore"), "*\n");
    });
    const entries = readdirSync(this.path).filter((entry) => !KEPT.has(entry));
    const measured = entries.find((entry) => MEASURED.includes(entry));
    if (measured === void 0) return;
    const stamp = statSync(this.file(measured)).mtime.toISOString().replaceAll(":", "-").replace(/\..*/, "");
    let target = this.file(EARLIER, stamp);
    for (let i = 2; existsSync(target); i++) target = this.file(EARLIER, `${stamp}-${i}`);
    mkdirSync(target, { recursive: true });
    for (const entry of entries) renameSync(this.file(entry), join(target, entry));
  }
  /** Makes a directory below this one. */
  directory(name) {
    const path = this.file(name);
    guardDisk(this.path, () => mkdirSync(path, { recursive: true }));
    return path;
  }
  /** Writes a file in one step: readers see the old or the new one, a full disk leaves the old. */
  write(name, text2) {
    const path = this.file(name);
    guardDisk(this.path, () => {
      writeFileSync(`${path}.new`, text2);
      renameSync(`${path}.new`, path);
    });
  }
  writeJson(name, value) {
    this.write(FILES[name], `${JSON.stringify(value, null, 2)}
`);
  }
  readPlan() {
    const plan = this.#json(FILES.plan, "perf-gate plan");
    if (plan?.version !== 1) throw this.#damaged(FILES.plan, "version 1 was expected");
    if (planId(plan, sha256) !== plan.id) throw this.#damaged(FILES.plan, "its content does not match its id");
    return plan;
  }
  readEnvironment(plan) {
    if (!existsSync(this.file(FILES.environment))) return null;
    const environment = this.#json(FILES.environment, "perf-gate measure");
    this.#checkPlan(FILES.environment, environment?.planId, plan);
    return environment;
  }
  readCensus(plan) {
    if (!existsSync(this.file(FILES.census))) return null;
    const parsed = censusSchema.safeParse(this.#json(FILES.census, "perf-gate measure"));
    if (!parsed.success) throw this.#damaged(FILES.census, firstIssue(parsed.error));
    this.#checkPlan(FILES.census, parsed.data.planId, plan);
    return parsed.data;
  }
  /** null for a plan without records. */
  readHistory(plan) {
    if (plan.stored === void 0 && plan.beside === void 0) return null;
    const history = this.#json(FILES.history, "perf-gate plan");
    if (history?.version !== 1) throw this.#damaged(FILES.history, "version 1 was expected");
    this.#checkPlan(FILES.history, history.planId, plan);
    return history;
  }
  readComparison() {
    const comparison = this.#json(FILES.comparison, "perf-gate compare");
    if (comparison?.version !== 1) throw this.#damaged(FILES.comparison, "version 1 was expected");
    return comparison;
  }
  /** Every complete, sound line of samples.ndjson; the others as sentences. Throws where they belong to another plan. */
  readSamples(plan) {
    if (!existsSync(this.samplesFile)) return { lines: [], damaged: [] };
    const text2 = readFileSync(this.samplesFile, "utf8");
    const rows = text2.split("\n");
    const lines = [];
    const damaged = [];
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
  appendSamples(lines) {
    this.#append(this.samplesFile, lines);
  }
  /** The same for the steps of a search for capacity. */
  appendSteps(lines) {
    this.#append(this.file(FILES.steps), lines);
  }
  #append(path, lines) {
    const text2 = lines.map((line) => `${JSON.stringify(line)}
`).join("");
    guardDisk(this.path, () => {
      const file = openSync(path, "a+");
      try {
        appendFileSync(file, endsCleanly(path) ? text2 : `
${text2}`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    });
  }
  #json(name, command) {
    const path = this.file(name);
    if (!existsSync(path)) throw new InputError(`${path} is missing: run \`${command}\` on this work directory first`);
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      throw this.#damaged(name, error.message);
    }
  }
  #checkPlan(name, id, plan) {
    if (id === plan.id) return;
    throw new InputError(
      `${this.file(name)} belongs to another plan (${String(id).slice(0, 12)}, plan.json is ${plan.id.slice(0, 12)}): name an empty --work-directory, or run \`perf-gate plan\` again, which moves the earlier run aside`
    );
  }
  #damaged(name, what) {
    return new InputError(`${this.file(name)} cannot be used: ${what}; it is left as it is`);
  }
};
function parseLine(row, lines) {
  let value;
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
function firstIssue(error) {
  const [issue] = error.issues;
  return issue === void 0 ? "not of the expected form" : `${issue.path.join(".") || "line"}: ${issue.message}`;
}
function endsCleanly(path) {
  const text2 = readFileSync(path);
  return text2.length === 0 || text2[text2.length - 1] === 10;
}
function guardDisk(path, action) {
  try {
    action();
  } catch (error) {
    const { code, message } = error;
    if (code === "ENOSPC" || code === "EDQUOT") {
      throw new MeasureError(
        `no space left for ${path}: free some and run \`perf-gate measure\` again; every complete line of samples is kept`
      );
    }
    if (code === "EACCES" || code === "EROFS" || code === "EPERM" || code === "ENOTDIR" || code === "EEXIST") {
      throw new InputError(`cannot write to the work directory ${path} (${code}): name another with --work-directory`);
    }
    throw new MeasureError(`cannot write below ${path}: ${message}`);
  }
}

export {
  sampleLineSchema,
  censusSchema,
  DEFAULT_WORK_DIRECTORY,
  POINTS,
  sha256,
  WorkDirectory
};

import { statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { InputError } from "../core/errors.ts";
import type { Config } from "../core/model.ts";
import { checkBesideCompose } from "./compose-schema.ts";
import { toConfig } from "./convert.ts";
import { complaint } from "./leaves.ts";
import { keyPath, problemsOf, toInputError } from "./problems.ts";
import { isFlowPath } from "./scenario-schema.ts";
import { fileSchema } from "./schema.ts";
import { isMapping, type Raw } from "./shapes.ts";
import { variantsIn } from "./variant-schema.ts";
import { type Problem, readYaml } from "./yaml.ts";

/** Where a configuration is looked for, in this order. */
export const DEFAULT_FILES = ["perf-gate.yml", ".github/perf-gate.yml", "perf-gate.yaml"] as const;

const MAX_BYTES = 1024 * 1024;

export interface Loaded {
  config: Config;
  /** Absolute path; null where there is no file and the zero configuration is used. */
  file: string | null;
  text: string | null;
}

export interface ParseOptions {
  /** Name of the file in messages. */
  file: string;
  /** Directory that flow files are relative to. */
  directory: string;
  /** Whether a flow file is there; asks the file system by default. */
  isFile?: (path: string) => boolean;
}

/**
 * The configuration at `path`, or the first of DEFAULT_FILES in `cwd`, or the zero configuration: `/` at 1 and 20 VUs,
 * with keep-alive and without.
 * @throws InputError with every problem of the file, a line for each: file:line:column: key: what was allowed, what
 * came, the fix.
 */
export async function loadConfig(path: string | null, cwd: string): Promise<Loaded> {
  const candidates = path === null ? DEFAULT_FILES : [path];
  for (const candidate of candidates) {
    const file = resolve(cwd, candidate);
    const text = await readText(file, candidate);
    if (text !== null) return { config: parseConfig(text, { file: candidate, directory: dirname(file) }), file, text };
  }
  if (path !== null) {
    throw new InputError(`${path}: no such file. Give --config the path of one, or write one with: perf-gate init`);
  }
  return { config: zeroConfig(), file: null, text: null };
}

/** The configuration of somebody who wrote none. */
export function zeroConfig(): Config {
  return parseConfig("", { file: "zero configuration", directory: "/" });
}

/** Parses the text of a configuration file; @throws InputError as loadConfig does. */
export function parseConfig(text: string, { file, directory, isFile = isRegularFile }: ParseOptions): Config {
  const yaml = readYaml(text);
  if (Array.isArray(yaml)) throw toInputError(file, yaml);

  const flowPath = (flow: string): string => resolve(directory, flow);
  const missing: Problem[] = flowsIn(yaml.data)
    .filter(({ flow }) => !isFile(flowPath(flow)))
    .map(({ index, flow }) => {
      const path = ["scenarios", index, "flow"];
      const fix = `Create it at ${flowPath(flow)}, or correct the path: it is relative to the directory of this file.`;
      return {
        position: yaml.locate(path),
        message: `${keyPath(path)}: ${complaint("a file that exists", flow, fix)}`,
      };
    });

  const beside: Problem[] = [];
  const data: Raw = isMapping(yaml.data) ? yaml.data : {};
  const { target } = data;
  if (isMapping(target)) {
    const checkAt = (above: string[], settings: Raw) =>
      checkBesideCompose(settings, (below, message, at) => {
        const path = [...above, ...below];
        beside.push({ position: yaml.locate(path, at === "key"), message: `${keyPath(path)}: ${message}` });
      });
    checkAt(["target"], target);
    for (const { path, settings } of variantsIn(data)) {
      const { php, nginx, start } = settings;
      const written = { ...(nginx === undefined ? {} : { nginx }), ...(start === undefined ? {} : { start }) };
      checkAt(path, { compose: target["compose"], php, ...written });
    }
  }

  const result = fileSchema.safeParse(yaml.data);
  const known = [...missing, ...beside];
  const problems = result.success ? known : [...known, ...problemsOf(result.error.issues, yaml)];
  if (problems.length > 0 || !result.success) throw toInputError(file, problems);
  return toConfig(result.data, flowPath);
}

/** Flow files as they are written, well-formed ones only: the schema complains about the others. */
function flowsIn(data: unknown): { index: number; flow: string }[] {
  const scenarios = (data as { scenarios?: unknown } | null)?.scenarios;
  if (!Array.isArray(scenarios)) return [];
  return scenarios.flatMap((scenario: { flow?: unknown } | null, index) => {
    const flow = scenario?.flow;
    return typeof flow === "string" && isFlowPath(flow) ? [{ index, flow }] : [];
  });
}

function isRegularFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The text of a file, or null where there is none; @throws InputError where it cannot be read as text. */
async function readText(file: string, shown: string): Promise<string | null> {
  let bytes: Uint8Array;
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) {
      throw new InputError(`${shown}: expected at most 1 MiB; got ${size} bytes. Is this the configuration?`);
    }
    bytes = await readFile(file);
  } catch (error) {
    if (error instanceof InputError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    const why = code === "EISDIR" ? "a directory" : `not readable (${code})`;
    throw new InputError(`${shown}: expected a file that can be read; it is ${why}. Give --config the path of a file.`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(`${shown}: expected text in UTF-8; got other bytes. Save it as UTF-8.`);
  }
}

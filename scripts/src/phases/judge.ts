import { realpathSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { type Loaded, loadConfig, parseConfig, zeroConfig } from "../config/load.ts";
import { configEdits } from "../core/edits.ts";
import type { Config, Plan, TargetConfig } from "../core/model.ts";

/** The configuration of a run, and the head's own where that says something else. */
export type Judge = Pick<Plan, "config" | "headConfig">;

/**
 * The configuration that a change is judged by: the one its base has, as a change must not set its own margins. What
 * the head's adds comes along, so that it can be tried before it is merged: scenarios, which are shown and not judged,
 * and services, variables and copied files, which its own code may need. Everything else that the head's says is kept
 * beside it, for the report.
 *
 * @param named path of the file as the user gave it; null = the first of the usual ones in each tree. One that is
 *   outside of the head's tree belongs to no side and judges as it is.
 * @param warn told what a reader must know about where the margins come from
 * @throws InputError where the base's or the head's file cannot be used
 */
export async function judgeOf(arms: Plan["arms"], named: string | null, warn: (line: string) => void): Promise<Judge> {
  const [baseTree, headTree] = [arms.base.directory, arms.head.directory];
  const inside = named === null || headTree === null ? null : pathInside(headTree, resolve(named));
  if (named !== null && inside === null) return { config: (await loadConfig(named, process.cwd())).config };
  const head = headTree === null ? null : await loadConfig(named, named === null ? headTree : process.cwd());
  if (baseTree === null) {
    warn("the base is an image and has no configuration: judged by the head's");
    return { config: (head ?? (await loadConfig(null, "."))).config };
  }
  const base = await loadBase(baseTree, inside);
  if (head === null) return { config: base.config };
  if (base.file === null) {
    if (head.file !== null) warn(`the base has no configuration: judged by the head's (${head.file})`);
    // Records, their margins and their anchor are never the change's own.
    return { config: { ...head.config, baseline: base.config.baseline } };
  }
  return judgedByBase({ ...base, file: base.file }, head, warn);
}

/** Path of `file` below `tree`, links followed; null where it is not below it. */
function pathInside(tree: string, file: string): string | null {
  // A file that is not there is for the reader of it to complain about.
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return null;
  const path = relative(realpathSync(tree), realpathSync(file));
  return path === ".." || path.startsWith("../") ? null : path;
}

async function loadBase(tree: string, path: string | null): Promise<Loaded> {
  const there = path === null || statSync(resolve(tree, path), { throwIfNoEntry: false }) !== undefined;
  return there ? await loadConfig(path, tree) : { config: zeroConfig(), file: null, text: null };
}

function judgedByBase(base: Loaded & { file: string }, head: Loaded, warn: (line: string) => void): Judge {
  if (head.text === base.text) return { config: base.config };
  if (head.text === null) {
    warn(`the head removes its configuration: judged by the base's (${base.file})`);
    return { config: base.config, headConfig: null };
  }
  // Flow files are compared by their place below the configuration, not by that of the tree.
  const headConfig = parseConfig(head.text, {
    file: head.file ?? "",
    directory: dirname(base.file),
    isFile: () => true,
  });
  const config = withAdditions(base.config, head.config);
  const edits = configEdits({ config, headConfig });
  if (edits.length === 0) return { config };
  const keys = edits.slice(0, 5).map(({ key }) => key);
  const more = edits.length > keys.length ? ` and ${edits.length - keys.length} more` : "";
  warn(`the head changes its configuration (${keys.join(", ")}${more}): judged by the base's (${base.file})`);
  return { config, headConfig };
}

/** The base's configuration, and what the head's adds without taking anything from it. */
function withAdditions(base: Config, head: Config): Config {
  const known = new Set(base.scenarios.map(({ name }) => name));
  const added = head.scenarios.filter(({ name }) => !known.has(name));
  return {
    ...base,
    target: withNeeds(base.target, head.target),
    scenarios: [...base.scenarios, ...added.map((scenario) => ({ ...scenario, addedByHead: true as const }))],
  };
}

function withNeeds(base: TargetConfig, head: TargetConfig): TargetConfig {
  return {
    ...base,
    services: [...new Set([...base.services, ...head.services])],
    env: { ...head.env, ...base.env },
    copy: [...new Set([...base.copy, ...head.copy])],
  };
}

import { appendFileSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { InputError } from "../core/errors.ts";
import type { Plan } from "../core/model.ts";
import { type GitHubEvent, refuseEvent, sidesOf } from "../github/event.ts";
import { readInputs } from "../github/inputs.ts";
import { planPhase } from "./plan.ts";
import { refOf } from "./store.ts";
import { STORED } from "./stored-base.ts";
import { type Env, WorkDirectory } from "./work-directory.ts";

/**
 * The plan phase of a job on GitHub: inputs and event settle what is compared; the checkout is the current directory.
 * Writes plan.json below the runner's temporary directory, and the outputs that later steps read:
 * `work-directory`, `driver`, `artifact`, `setup` (what setup.sh installs for this driver; empty = nothing).
 *
 * @throws InputError outside of GitHub Actions, and as inputs, event and configuration are wrong
 */
export async function githubPlanPhase(
  env: Env,
  home: string,
  warn: (line: string) => void,
): Promise<{ plan: Plan; work: WorkDirectory }> {
  const inputs = readInputs(env);
  const { config, driver, budget, artifact } = inputs;
  const work = new WorkDirectory(join(required(env, "RUNNER_TEMP"), "perf-gate", artifact));
  const options = {
    home,
    config: config ?? undefined,
    driver: driver === "auto" ? undefined : driver,
    budget: budget ?? undefined,
  };
  const plan =
    driver === "url" && inputs.base !== STORED
      ? await planPhase(options, work, warn)
      : await planTrees(env, inputs.base, options, work, warn);
  writeOutputs(required(env, "GITHUB_OUTPUT"), {
    "work-directory": work.path,
    driver: plan.driver,
    artifact,
    setup: inputs.install ? (plan.driver === "process" ? "run" : "action") : "",
  });
  return { plan, work };
}

async function planTrees(
  env: Env,
  base: string | null,
  options: Parameters<typeof planPhase>[0],
  work: WorkDirectory,
  warn: (line: string) => void,
): Promise<Plan> {
  const event = { name: required(env, "GITHUB_EVENT_NAME"), payload: readPayload(required(env, "GITHUB_EVENT_PATH")) };
  if (base === STORED) return await planStored(env, event, options, work, warn);
  const { base: baseRef, labels } = await sidesOf(event, resolve("."), base);
  const branch = base ?? (isChange(event) ? labels.base : refOf(env));
  return await planPhase({ ...options, baseRef, head: ".", labels, branch }, work, warn, env);
}

/** A commit that is not part of its target branch yet. */
const isChange = ({ name }: GitHubEvent): boolean => name === "pull_request" || name === "merge_group";

/**
 * A change is compared with the records of the branch that it goes to, by the configuration of that branch; any other
 * commit with those of its own branch.
 */
async function planStored(
  env: Env,
  event: GitHubEvent,
  options: Parameters<typeof planPhase>[0],
  work: WorkDirectory,
  warn: (line: string) => void,
): Promise<Plan> {
  const stored = { ...options, base: STORED, head: "." };
  if (isChange(event)) {
    const { base: baseRef, labels } = await sidesOf(event, resolve("."), null);
    return await planPhase({ ...stored, baseRef, labels, branch: labels.base }, work, warn, env);
  }
  refuseEvent(event.name);
  const label = (env["GITHUB_SHA"] ?? "").slice(0, 12) || ".";
  return await planPhase({ ...stored, branch: refOf(env), labels: { base: "", head: label } }, work, warn, env);
}

function readPayload(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new InputError(`GITHUB_EVENT_PATH: ${path} cannot be read as JSON: ${(error as Error).message}`);
  }
}

/** Outputs have one line each here: a line break in one would start another. */
function writeOutputs(file: string, outputs: Record<string, string>): void {
  for (const [name, value] of Object.entries(outputs)) {
    if (/[\r\n]/.test(value)) throw new InputError(`${name} must not contain a line break: ${JSON.stringify(value)}`);
    appendFileSync(file, `${name}=${value}\n`);
  }
}

function required(env: Env, name: string): string {
  const value = env[name] ?? "";
  if (value !== "") return value;
  throw new InputError(
    `${name} is not set: this command is for a job on GitHub, elsewhere use perf-gate plan --base-ref REF`,
  );
}

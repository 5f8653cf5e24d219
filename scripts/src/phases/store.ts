import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { InputError } from "../core/errors.ts";
import type { Census, Environment, Plan, SampleLine } from "../core/model.ts";
import { type HistoryRecord, recordOf } from "../core/record.ts";
import { openStore } from "../history/store.ts";
import { branchOf } from "./stored-base.ts";
import { type Env, sha256, type WorkDirectory } from "./work-directory.ts";

export interface StoreOptions {
  /** As `baseline.store`, which it replaces. */
  store?: string | undefined;
  /** Branch that the commit is recorded for; absent = the one that is checked out, or that the job is for. */
  branch?: string | undefined;
  /** Where the run can be looked at. */
  url?: string | undefined;
}

/** The files of a run. */
export interface FinishedRun {
  plan: Plan;
  environment: Environment | null;
  census: Census | null;
  lines: readonly SampleLine[];
}

/**
 * The store phase: adds the record of a finished run to the store. A second time adds nothing.
 *
 * @throws InputError where the run has no record (see recordRun), or the store cannot be written
 */
export async function storePhase(
  work: WorkDirectory,
  options: StoreOptions,
  env: Env,
): Promise<{ record: HistoryRecord; added: number; label: string }> {
  const plan = work.readPlan();
  const run = {
    plan,
    environment: work.readEnvironment(plan),
    census: work.readCensus(plan),
    lines: work.readSamples(plan).lines,
  };
  const record = await recordRun(run, options, env);
  const named = options.store?.startsWith("git:") === false ? resolve(options.store) : options.store;
  const store = openStore(named ?? plan.config.baseline.store, { directory: treeOf(plan), env });
  const { added } = await store.append([record]);
  return { record, added, label: store.label };
}

/**
 * The record of a run.
 *
 * @throws InputError where it was not measured against an anchor, has not finished, its head is no commit, or it is
 *   for a pull request
 */
export async function recordRun(
  { plan, environment, census, lines }: FinishedRun,
  { branch, url }: StoreOptions,
  env: Env,
): Promise<HistoryRecord> {
  const { base, head } = plan.arms;
  if (plan.stored === undefined) {
    throw new InputError(
      `the run compared ${head.label} with ${base.label}, and a record is relative to an anchor: ` +
        "measure with `perf-gate run --base stored`",
    );
  }
  if (/^(pull_request|merge_group)/.test(env["GITHUB_EVENT_NAME"] ?? "")) {
    throw new InputError(
      "the run is for a pull request or a merge queue, which is not part of a branch's history yet: nothing is recorded",
    );
  }
  const stop = lines.findLast((line) => line.kind === "stop");
  if (stop === undefined || stop.reason === "interrupted" || stop.reason === "failed") {
    const how = stop === undefined ? "has not ended" : stop.reason === "failed" ? "failed" : "was interrupted";
    throw new InputError(`the run ${how}: continue it with \`perf-gate measure\`, then record it`);
  }
  if (environment === null || census === null)
    throw new InputError("the run measured nothing: there is nothing to record");
  if (head.commit === null) {
    throw new InputError(
      `${head.label} is not a commit as it is (it has changes, or is in no git repository): commit them, measure again, then record`,
    );
  }
  const facts = {
    commit: head.commit,
    committedAt: await committedAt(treeOf(plan), head.commit),
    branch: branch ?? refOf(env) ?? (await branchOf(treeOf(plan), "add --branch main")),
    url: url ?? runUrl(env),
  };
  const record = recordOf({ plan, environment, census, lines }, facts, sha256);
  if (record.cells.length > 0) return record;
  throw new InputError("no cell has enough clean rounds to be recorded: see the report for what disturbed them");
}

/** The head's tree, where it is on this machine. */
function treeOf({ arms }: Plan): string {
  const { directory } = arms.head;
  return directory !== null && existsSync(directory) ? directory : ".";
}

/** When a commit was made, ISO 8601, UTC; null where git does not know it. */
export async function committedAt(directory: string, commit: string): Promise<string | null> {
  const args = ["-C", directory, "show", "--no-patch", "--format=%cI", "--end-of-options", commit];
  const found = await promisify(execFile)("git", args).catch(() => null);
  const time = Date.parse(found?.stdout.trim() ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** The branch that a job on GitHub is for. */
export function refOf(env: Env): string | undefined {
  return /^refs\/heads\/(.+)$/.exec(env["GITHUB_REF"] ?? "")?.[1];
}

function runUrl(env: Env): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null;
}

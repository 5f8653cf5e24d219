import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  branchOf
} from "./shared-stored-base.js";
import {
  sha256
} from "./shared-work-directory.js";
import {
  openStore
} from "./shared-git-store.js";
import {
  InputError
} from "./shared-errors.js";
import {
  recordOf
} from "./shared-record.js";

// scripts/src/phases/store.ts
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
async function storePhase(work, options, env) {
  const plan = work.readPlan();
  const run = {
    plan,
    environment: work.readEnvironment(plan),
    census: work.readCensus(plan),
    lines: work.readSamples(plan).lines
  };
  const record = await recordRun(run, options, env);
  const named = options.store?.startsWith("git:") === false ? resolve(options.store) : options.store;
  const store = openStore(named ?? plan.config.baseline.store, { directory: treeOf(plan), env });
  const { added } = await store.append([record]);
  return { record, added, label: store.label };
}
async function recordRun({ plan, environment, census, lines }, { branch, url }, env) {
  const { base, head } = plan.arms;
  if (plan.stored === void 0) {
    throw new InputError(
      `the run compared ${head.label} with ${base.label}, and a record is relative to an anchor: measure with \`perf-gate run --base stored\``
    );
  }
  if (/^(pull_request|merge_group)/.test(env["GITHUB_EVENT_NAME"] ?? "")) {
    throw new InputError(
      "the run is for a pull request or a merge queue, which is not part of a branch's history yet: nothing is recorded"
    );
  }
  const stop = lines.findLast((line) => line.kind === "stop");
  if (stop === void 0 || stop.reason === "interrupted" || stop.reason === "failed") {
    const how = stop === void 0 ? "has not ended" : stop.reason === "failed" ? "failed" : "was interrupted";
    throw new InputError(`the run ${how}: continue it with \`perf-gate measure\`, then record it`);
  }
  if (environment === null || census === null)
    throw new InputError("the run measured nothing: there is nothing to record");
  if (head.commit === null) {
    throw new InputError(
      `${head.label} is not a commit as it is (it has changes, or is in no git repository): commit them, measure again, then record`
    );
  }
  const facts = {
    commit: head.commit,
    committedAt: await committedAt(treeOf(plan), head.commit),
    branch: branch ?? refOf(env) ?? await branchOf(treeOf(plan), "add --branch main"),
    url: url ?? runUrl(env)
  };
  const record = recordOf({ plan, environment, census, lines }, facts, sha256);
  if (record.cells.length > 0) return record;
  throw new InputError("no cell has enough clean rounds to be recorded: see the report for what disturbed them");
}
function treeOf({ arms }) {
  const { directory } = arms.head;
  return directory !== null && existsSync(directory) ? directory : ".";
}
async function committedAt(directory, commit) {
  const args = ["-C", directory, "show", "--no-patch", "--format=%cI", "--end-of-options", commit];
  const found = await promisify(execFile)("git", args).catch(() => null);
  const time = Date.parse(found?.stdout.trim() ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
function refOf(env) {
  return /^refs\/heads\/(.+)$/.exec(env["GITHUB_REF"] ?? "")?.[1];
}
function runUrl(env) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null;
}

export {
  storePhase,
  recordRun,
  refOf
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  readInputs
} from "./shared-inputs.js";
import {
  planPhase
} from "./shared-plan~2.js";
import "./shared-uniformInt.js";
import {
  STORED,
  refOf
} from "./shared-stored-base.js";
import "./shared-k6.js";
import "./shared-programs.js";
import "./shared-arms~2.js";
import "./shared-engine.js";
import {
  WorkDirectory
} from "./shared-work-directory.js";
import "./shared-git-store.js";
import "./shared-schemas.js";
import {
  InputError
} from "./shared-errors.js";
import "./shared-beside.js";
import "./shared-stored.js";
import "./shared-steps.js";
import "./shared-slowest.js";
import "./shared-plan.js";
import "./shared-variants.js";
import "./shared-nginx.js";
import "./shared-replay.js";
import "./shared-arms.js";
import "./shared-model.js";
import "./shared-runtime.js";

// scripts/src/phases/github-plan.ts
import { appendFileSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

// scripts/src/github/event.ts
import { execFile } from "node:child_process";
import { promisify } from "node:util";
var NOTHING = /^0+$/;
async function sidesOf(event, directory, base) {
  refuseEvent(event.name);
  const git = gitIn(directory);
  const head = await git("rev-parse", "--verify", "HEAD^{commit}").catch((error) => {
    throw new InputError(
      `${directory} holds no git checkout (${(error.stderr || error.message).trim().split("\n", 1)[0]}). Put this step before perf-gate:
${checkoutLines(2)}
or name its directory with the input path`
    );
  });
  if (base !== null) return named(git, base, head);
  switch (event.name) {
    case "pull_request":
      return await pullRequest(git, event.payload, head);
    case "push":
      return await push(git, event.payload, head);
    case "merge_group":
      return await mergeGroup(git, event.payload, head);
    case "workflow_dispatch":
    case "schedule":
      return await beforeHead(git, head);
    default:
      throw new InputError(
        `event ${event.name}: it does not say what to compare with. Give the input base (a branch, tag or commit), or use pull_request, push, merge_group, workflow_dispatch or schedule`
      );
  }
}
function refuseEvent(name) {
  if (name !== "pull_request_target" && name !== "workflow_run") return;
  throw new InputError(
    `event ${name}: it runs with this repository's write token and secrets, and measuring runs the code of a pull request. Measure on pull_request, which needs neither, and report on workflow_run with perf-report.yml`
  );
}
function gitIn(directory) {
  return async (...args) => {
    const { stdout } = await promisify(execFile)("git", ["-C", directory, ...args], { maxBuffer: 16 * 1024 * 1024 });
    return stdout.trim();
  };
}
async function named(git, name, head) {
  for (const candidate of [name, `origin/${name}`]) {
    const base = await git("rev-parse", "--verify", "--quiet", "--end-of-options", `${candidate}^{commit}`).catch(
      () => null
    );
    if (base !== null) return { base, head, labels: { base: name, head: short(head) } };
  }
  throw new InputError(
    `input base: the checkout knows no branch, tag or commit ${JSON.stringify(name)}. Fetch all of them:
${checkoutLines(0)}`
  );
}
async function pullRequest(git, payload, head) {
  const number = at(payload, "pull_request", "number");
  const target = text(payload, "pull_request", "base", "ref");
  const tip = text(payload, "pull_request", "head", "sha");
  const labels = { base: target, head: typeof number === "number" ? `#${number}` : short(head) };
  const parents = await parentsOf(git, head);
  const first = parents[0];
  if (first !== void 0 && parents.length === 2 && parents[1] === tip) {
    return { base: await present(git, first, "the first parent of the merge commit", 2), head, labels };
  }
  const onto = await present(git, text(payload, "pull_request", "base", "sha"), `the tip of ${target}`, 0);
  const base = await git("merge-base", onto, head).catch(() => {
    throw lacking(`the commit at which this branch left ${target}`, 0);
  });
  return { base, head, labels };
}
async function push(git, payload, head) {
  const before = text(payload, "before");
  if (NOTHING.test(before)) return await beforeHead(git, head);
  if (at(payload, "deleted") === true) throw new InputError("event push: the branch was deleted; there is no head");
  const base = await present(git, before, "the commit before the push", 0).catch((error) => {
    if (at(payload, "forced") !== true) throw error;
    throw new InputError(
      `event push: it was forced, and the commit before it (${short(before)}) is gone from the branches. Give the input base`
    );
  });
  return { base, head, labels: { base: short(base), head: short(head) } };
}
async function mergeGroup(git, payload, head) {
  const base = await present(git, text(payload, "merge_group", "base_sha"), "the base of the merge group", 0);
  const target = text(payload, "merge_group", "base_ref").replace(/^refs\/heads\//, "");
  return { base, head, labels: { base: target, head: `merge group ${short(head)}` } };
}
async function beforeHead(git, head) {
  const [first] = await parentsOf(git, head);
  if (first === void 0) {
    throw new InputError(
      `commit ${short(head)} has no parent: there is nothing to compare it with. Give the input base`
    );
  }
  const base = await present(git, first, `the parent of ${short(head)}`, 2);
  return { base, head, labels: { base: short(base), head: short(head) } };
}
async function parentsOf(git, commit) {
  const header = (await git("cat-file", "commit", commit)).split("\n\n", 1)[0] ?? "";
  return [...header.matchAll(/^parent ([0-9a-f]{40,64})$/gm)].map((match) => match[1]);
}
async function present(git, commit, what, depth) {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new InputError(`the event names no commit as ${what}`);
  await git("cat-file", "-e", `${commit}^{commit}`).catch(() => {
    throw lacking(`${what} (${short(commit)})`, depth);
  });
  return commit;
}
function lacking(what, depth) {
  return new InputError(
    `the checkout does not have ${what}: by default only one commit is fetched. Write
${checkoutLines(depth)}`
  );
}
function checkoutLines(depth) {
  return [
    "      - uses: actions/checkout@v7",
    `        with: { fetch-depth: ${depth}, persist-credentials: false }`
  ].join("\n");
}
var short = (commit) => commit.slice(0, 12);
function at(value, ...path) {
  return path.reduce(
    (inner, key) => typeof inner === "object" && inner !== null ? inner[key] : void 0,
    value
  );
}
function text(payload, ...path) {
  const value = at(payload, ...path);
  if (typeof value === "string") return value;
  throw new InputError(`the event's payload has no ${path.join(".")}: GITHUB_EVENT_PATH is not what GitHub wrote`);
}

// scripts/src/phases/github-plan.ts
async function githubPlanPhase(env, home, warn) {
  const inputs = readInputs(env);
  const { config, driver, budget, artifact } = inputs;
  const work = new WorkDirectory(join(required(env, "RUNNER_TEMP"), "perf-gate", artifact));
  const options = {
    home,
    config: config ?? void 0,
    driver: driver === "auto" ? void 0 : driver,
    budget: budget ?? void 0
  };
  const plan = driver === "url" && inputs.base !== STORED ? await planPhase(options, work, warn) : await planTrees(env, inputs.base, options, work, warn);
  writeOutputs(required(env, "GITHUB_OUTPUT"), {
    "work-directory": work.path,
    driver: plan.driver,
    artifact,
    setup: inputs.install ? plan.driver === "process" ? "run" : "action" : ""
  });
  return { plan, work };
}
async function planTrees(env, base, options, work, warn) {
  const event = { name: required(env, "GITHUB_EVENT_NAME"), payload: readPayload(required(env, "GITHUB_EVENT_PATH")) };
  if (base === STORED) return await planStored(env, event, options, work, warn);
  const { base: baseRef, labels } = await sidesOf(event, resolve("."), base);
  const branch = base ?? (isChange(event) ? labels.base : refOf(env));
  return await planPhase({ ...options, baseRef, head: ".", labels, branch }, work, warn, env);
}
var isChange = ({ name }) => name === "pull_request" || name === "merge_group";
async function planStored(env, event, options, work, warn) {
  const stored = { ...options, base: STORED, head: "." };
  if (isChange(event)) {
    const { base: baseRef, labels } = await sidesOf(event, resolve("."), null);
    return await planPhase({ ...stored, baseRef, labels, branch: labels.base }, work, warn, env);
  }
  refuseEvent(event.name);
  const label = (env["GITHUB_SHA"] ?? "").slice(0, 12) || ".";
  return await planPhase({ ...stored, branch: refOf(env), labels: { base: "", head: label } }, work, warn, env);
}
function readPayload(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new InputError(`GITHUB_EVENT_PATH: ${path} cannot be read as JSON: ${error.message}`);
  }
}
function writeOutputs(file, outputs) {
  for (const [name, value] of Object.entries(outputs)) {
    if (/[\r\n]/.test(value)) throw new InputError(`${name} must not contain a line break: ${JSON.stringify(value)}`);
    appendFileSync(file, `${name}=${value}
`);
  }
}
function required(env, name) {
  const value = env[name] ?? "";
  if (value !== "") return value;
  throw new InputError(
    `${name} is not set: this command is for a job on GitHub, elsewhere use perf-gate plan --base-ref REF`
  );
}
export {
  githubPlanPhase
};

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { InputError } from "../core/errors.ts";

/** What GitHub tells a job: GITHUB_EVENT_NAME and the parsed file GITHUB_EVENT_PATH. */
export interface GitHubEvent {
  name: string;
  payload: unknown;
}

/** Both versions of a job's checkout. */
export interface Sides {
  /** Full commit id, present in the checkout. */
  base: string;
  /** Full commit id that is checked out. */
  head: string;
  /** What reports call them, at most a branch name and a number. */
  labels: { base: string; head: string };
}

/** Value of `before` where a push made the branch. */
const NOTHING = /^0+$/;

/**
 * What is compared: the checkout of `directory` with what the event says it came from. The head of a pull request is
 * the merge commit that GitHub checks out, its base that commit's first parent: what merging would change, no more.
 *
 * @param base a branch, tag or commit that replaces what the event says; null = none
 * @throws InputError where the event names no base, must not run a stranger's code, or the history is not there
 */
export async function sidesOf(event: GitHubEvent, directory: string, base: string | null): Promise<Sides> {
  refuseEvent(event.name);
  const git = gitIn(directory);
  const head = await git("rev-parse", "--verify", "HEAD^{commit}").catch((error: Error & { stderr?: string }) => {
    throw new InputError(
      `${directory} holds no git checkout (${(error.stderr || error.message).trim().split("\n", 1)[0]}). ` +
        `Put this step before perf-gate:\n${checkoutLines(2)}\nor name its directory with the input path`,
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
        `event ${event.name}: it does not say what to compare with. Give the input base (a branch, tag or commit), or ` +
          "use pull_request, push, merge_group, workflow_dispatch or schedule",
      );
  }
}

/**
 * @throws InputError for events that run with the rights of the target repository while somebody else's code is what
 *   would be measured
 */
export function refuseEvent(name: string): void {
  if (name !== "pull_request_target" && name !== "workflow_run") return;
  throw new InputError(
    `event ${name}: it runs with this repository's write token and secrets, and measuring runs the code of a pull ` +
      "request. Measure on pull_request, which needs neither, and report on workflow_run with perf-report.yml",
  );
}

type Git = (...args: string[]) => Promise<string>;

function gitIn(directory: string): Git {
  return async (...args) => {
    const { stdout } = await promisify(execFile)("git", ["-C", directory, ...args], { maxBuffer: 16 * 1024 * 1024 });
    return stdout.trim();
  };
}

async function named(git: Git, name: string, head: string): Promise<Sides> {
  for (const candidate of [name, `origin/${name}`]) {
    const base = await git("rev-parse", "--verify", "--quiet", "--end-of-options", `${candidate}^{commit}`).catch(
      () => null,
    );
    if (base !== null) return { base, head, labels: { base: name, head: short(head) } };
  }
  throw new InputError(
    `input base: the checkout knows no branch, tag or commit ${JSON.stringify(name)}. Fetch all of them:\n${checkoutLines(0)}`,
  );
}

async function pullRequest(git: Git, payload: unknown, head: string): Promise<Sides> {
  const number = at(payload, "pull_request", "number");
  const target = text(payload, "pull_request", "base", "ref");
  const tip = text(payload, "pull_request", "head", "sha");
  const labels = { base: target, head: typeof number === "number" ? `#${number}` : short(head) };
  const parents = await parentsOf(git, head);
  const first = parents[0];
  if (first !== undefined && parents.length === 2 && parents[1] === tip) {
    return { base: await present(git, first, "the first parent of the merge commit", 2), head, labels };
  }
  // The checkout names a ref of its own, usually the tip of the pull request's branch.
  const onto = await present(git, text(payload, "pull_request", "base", "sha"), `the tip of ${target}`, 0);
  const base = await git("merge-base", onto, head).catch(() => {
    throw lacking(`the commit at which this branch left ${target}`, 0);
  });
  return { base, head, labels };
}

async function push(git: Git, payload: unknown, head: string): Promise<Sides> {
  const before = text(payload, "before");
  if (NOTHING.test(before)) return await beforeHead(git, head);
  if (at(payload, "deleted") === true) throw new InputError("event push: the branch was deleted; there is no head");
  const base = await present(git, before, "the commit before the push", 0).catch((error: Error) => {
    if (at(payload, "forced") !== true) throw error;
    throw new InputError(
      `event push: it was forced, and the commit before it (${short(before)}) is gone from the branches. Give the input base`,
    );
  });
  return { base, head, labels: { base: short(base), head: short(head) } };
}

async function mergeGroup(git: Git, payload: unknown, head: string): Promise<Sides> {
  const base = await present(git, text(payload, "merge_group", "base_sha"), "the base of the merge group", 0);
  const target = text(payload, "merge_group", "base_ref").replace(/^refs\/heads\//, "");
  return { base, head, labels: { base: target, head: `merge group ${short(head)}` } };
}

async function beforeHead(git: Git, head: string): Promise<Sides> {
  const [first] = await parentsOf(git, head);
  if (first === undefined) {
    throw new InputError(
      `commit ${short(head)} has no parent: there is nothing to compare it with. Give the input base`,
    );
  }
  const base = await present(git, first, `the parent of ${short(head)}`, 2);
  return { base, head, labels: { base: short(base), head: short(head) } };
}

/** Parents as the commit itself names them: a shallow clone does not have them, but knows their ids. */
async function parentsOf(git: Git, commit: string): Promise<string[]> {
  const header = (await git("cat-file", "commit", commit)).split("\n\n", 1)[0] ?? "";
  return [...header.matchAll(/^parent ([0-9a-f]{40,64})$/gm)].map((match) => match[1] as string);
}

/** @throws InputError with the lines that fetch it, where the checkout does not have the commit. */
async function present(git: Git, commit: string, what: string, depth: 0 | 2): Promise<string> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new InputError(`the event names no commit as ${what}`);
  await git("cat-file", "-e", `${commit}^{commit}`).catch(() => {
    throw lacking(`${what} (${short(commit)})`, depth);
  });
  return commit;
}

function lacking(what: string, depth: 0 | 2): InputError {
  return new InputError(
    `the checkout does not have ${what}: by default only one commit is fetched. Write\n${checkoutLines(depth)}`,
  );
}

function checkoutLines(depth: 0 | 2): string {
  return [
    "      - uses: actions/checkout@v7",
    `        with: { fetch-depth: ${depth}, persist-credentials: false }`,
  ].join("\n");
}

const short = (commit: string): string => commit.slice(0, 12);

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

/** @throws InputError where the event's payload is not as GitHub sends it. */
function text(payload: unknown, ...path: readonly string[]): string {
  const value = at(payload, ...path);
  if (typeof value === "string") return value;
  throw new InputError(`the event's payload has no ${path.join(".")}: GITHUB_EVENT_PATH is not what GitHub wrote`);
}

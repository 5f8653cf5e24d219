import { isUtf8 } from "node:buffer";
import { getOctokit } from "@actions/github";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import { asked, askedEach, GitHubError, TRIES, unlessMissing } from "./errors.ts";
import { CONFIG_BYTES } from "./limits.ts";

export interface ApiOptions {
  token: string;
  /** https://api.github.com, or https://HOST/api/v3 on GitHub Enterprise Server. */
  baseUrl: string;
  /** owner/name */
  repository: string;
  /** Told what is waited for. */
  log: (line: string) => void;
  /** What a second of waiting between tries lasts, ms; 1000 but in tests. */
  secondMs?: number;
  /** Longest wait for one answer, ms. */
  timeoutMs?: number;
}

export interface Comment {
  id: number;
  /** Login; an app's ends in [bot]. null where the account is gone. */
  author: string | null;
  body: string;
}

export interface Issue {
  number: number;
  /** Login, as of a comment. */
  author: string | null;
  title: string;
  body: string;
  open: boolean;
  labels: string[];
}

export interface Pull {
  number: number;
  headSha: string;
  headRef: string;
  /** owner/name; null where the fork was deleted. */
  headRepository: string | null;
  baseRef: string;
  labels: string[];
}

export interface Run {
  id: number;
  event: string;
  /** Head of the pull request, where the event is pull_request. */
  headSha: string;
  headBranch: string | null;
  /** owner/name; null where the fork was deleted. */
  headRepository: string | null;
  /** ISO 8601; of the first attempt. */
  createdAt: string;
}

/** What happened to a pull request; `at` is ISO 8601. */
export type PullEvent =
  | { kind: "labeled"; label: string; actor: string; at: string }
  | { kind: "force-pushed"; at: string };

export interface Artifact {
  id: number;
  bytes: number;
  expired: boolean;
}

/**
 * The calls that perf-gate makes. Requests are repeated where that may help (no answer, status 500 and above, and
 * rate limits, for as long as GitHub asks for), lists are read to their end.
 *
 * Each rejects with a GitHubError; one that needs a permission which the token lacks is named with the lines to write.
 */
export interface Api {
  /** Login of whom the token belongs to. */
  viewer(): Promise<string>;
  /** Comments of a pull request, oldest first. */
  comments(pull: number): AsyncIterable<Comment>;
  /** Tried once: an answer that was lost may have left a comment behind. */
  createComment(pull: number, body: string): Promise<Comment>;
  /** null where the comment is gone. */
  updateComment(id: number, body: string): Promise<Comment | null>;
  /** Issues with a label, open and closed, oldest first; no pull requests. */
  issues(label: string): AsyncIterable<Issue>;
  /** Tried once, as createComment. A label that does not exist is made; a token that may not set one leaves it out. */
  createIssue(issue: { title: string; body: string; labels: string[] }): Promise<Issue>;
  /** null where the issue is gone. */
  updateIssue(number: number, changes: { title: string; body: string; open?: boolean }): Promise<Issue | null>;
  /** Tried once, as createComment. */
  commentOnIssue(number: number, body: string): Promise<Comment>;
  pull(number: number): Promise<Pull>;
  /** Open pull requests from this branch of this owner (there may be other repositories of the same name). */
  openPulls(headOwner: string, headBranch: string): Promise<Pull[]>;
  /** Labels set, and forced pushes to the pull request's branch, oldest first. */
  events(pull: number): Promise<PullEvent[]>;
  run(id: number): Promise<Run>;
  /** Runs that this commit started as the head of a pull request. */
  runsOf(commit: string): Promise<Run[]>;
  /** The newest artifact of this name; null where there is none. */
  artifact(run: number, name: string): Promise<Artifact | null>;
  /** A zip, read until it is complete or longer than `limit` bytes, which is an error. */
  download(artifact: number, limit: number): Promise<Uint8Array>;
  /** Commit at the tip of a branch. */
  tip(branch: string): Promise<string>;
  /** Text of a file at a commit; null where there is none. */
  fileAt(path: string, commit: string): Promise<string | null>;
}

/** Longest wait for a rate limit, s; a job costs money while it sleeps. */
const PATIENCE = 120;
const TIMEOUT_MS = 30_000;
const DOWNLOAD_TIMEOUT_MS = 300_000;
const PAGE = 100;

export function createApi(options: ApiOptions): Api {
  const [owner = "", repo = ""] = options.repository.split("/");
  const at = { owner, repo };
  const octokit = makeOctokit(options);
  const { rest } = octokit;

  return {
    viewer: () =>
      asked("ask who the token belongs to", null, async () => {
        const { viewer } = await octokit.graphql<{ viewer: { login: string } }>("query { viewer { login } }");
        return viewer.login;
      }),

    comments: (pull) =>
      askedEach(`list the comments of #${pull}`, "pull-requests: read", () =>
        each(
          octokit.paginate.iterator(rest.issues.listComments, { ...at, issue_number: pull, per_page: PAGE }),
          toComment,
        ),
      ),

    createComment: (pull, body) =>
      asked(`comment on #${pull}`, "pull-requests: write", async () => {
        const { data } = await rest.issues.createComment({ ...at, issue_number: pull, body, request: { retries: 0 } });
        return toComment(data);
      }),

    updateComment: (id, body) =>
      asked(`update comment ${id}`, "pull-requests: write", () =>
        unlessMissing(async () => toComment((await rest.issues.updateComment({ ...at, comment_id: id, body })).data)),
      ),

    issues: (label) =>
      askedEach("list issues", "issues: write", async function* () {
        const query = {
          ...at,
          labels: label,
          state: "all",
          sort: "created",
          direction: "asc",
          per_page: PAGE,
        } as const;
        for await (const { data } of octokit.paginate.iterator(rest.issues.listForRepo, query)) {
          // To GitHub every pull request is an issue as well.
          yield* data.filter((one) => one.pull_request === undefined).map(toIssue);
        }
      }),

    createIssue: (issue) =>
      asked("open an issue", "issues: write", async () =>
        toIssue((await rest.issues.create({ ...at, ...issue, request: { retries: 0 } })).data),
      ),

    updateIssue: (number, { title, body, open }) =>
      asked(`update issue #${number}`, "issues: write", () =>
        unlessMissing(async () => {
          const state = open === undefined ? {} : ({ state: open ? "open" : "closed" } as const);
          const { data } = await rest.issues.update({ ...at, issue_number: number, title, body, ...state });
          return toIssue(data);
        }),
      ),

    commentOnIssue: (number, body) =>
      asked(`comment on issue #${number}`, "issues: write", async () => {
        const { data } = await rest.issues.createComment({
          ...at,
          issue_number: number,
          body,
          request: { retries: 0 },
        });
        return toComment(data);
      }),

    pull: (number) =>
      asked(`read pull request #${number}`, "pull-requests: read", async () =>
        toPull((await rest.pulls.get({ ...at, pull_number: number })).data),
      ),

    openPulls: (headOwner, headBranch) =>
      asked("list pull requests", "pull-requests: read", async () => {
        const found = await octokit.paginate(rest.pulls.list, {
          ...at,
          state: "open",
          head: `${headOwner}:${headBranch}`,
          per_page: PAGE,
        });
        return found.map(toPull);
      }),

    events: (pull) =>
      asked(`read the events of #${pull}`, "pull-requests: read", async () => {
        const events = await octokit.paginate(rest.issues.listEvents, { ...at, issue_number: pull, per_page: PAGE });
        return events.flatMap(toPullEvent);
      }),

    run: (id) =>
      asked(`read run ${id}`, "actions: read", async () =>
        toRun((await rest.actions.getWorkflowRun({ ...at, run_id: id })).data),
      ),

    runsOf: (commit) =>
      asked(`list the runs of ${commit.slice(0, 12)}`, "actions: read", async () => {
        const query = { ...at, head_sha: commit, event: "pull_request", per_page: PAGE };
        return (await octokit.paginate(rest.actions.listWorkflowRunsForRepo, query)).map(toRun);
      }),

    artifact: (run, name) =>
      asked(`list the artifacts of run ${run}`, "actions: read", async () => {
        const found = await octokit.paginate(rest.actions.listWorkflowRunArtifacts, {
          ...at,
          run_id: run,
          name,
          per_page: PAGE,
        });
        const [newest] = found.filter((artifact) => artifact.name === name).sort((a, b) => b.id - a.id);
        return newest === undefined ? null : { id: newest.id, bytes: newest.size_in_bytes, expired: newest.expired };
      }),

    download: (artifact, limit) =>
      asked(`download artifact ${artifact}`, "actions: read", () =>
        again(async () => {
          // The answer leads to a storage host, to which fetch does not pass the token on.
          const { data } = await rest.actions.downloadArtifact({
            ...at,
            artifact_id: artifact,
            archive_format: "zip",
            request: { parseSuccessResponseBody: false, timeoutMs: DOWNLOAD_TIMEOUT_MS },
          });
          return await readBounded(data as ReadableStream<Uint8Array>, limit);
        }),
      ),

    tip: (branch) =>
      asked(
        `read branch ${branch}`,
        "contents: read",
        async () => (await rest.repos.getBranch({ ...at, branch })).data.commit.sha,
      ),

    fileAt: (path, commit) =>
      asked(`read ${path} at ${commit.slice(0, 12)}`, "contents: read", () =>
        unlessMissing(async () => {
          const { data } = await rest.repos.getContent({ ...at, path, ref: commit });
          if (Array.isArray(data) || data.type !== "file") throw new GitHubError(`${path} is not a file`, false);
          if (data.size > CONFIG_BYTES) throw new GitHubError(`${path} is larger than ${CONFIG_BYTES} bytes`, false);
          const bytes = Buffer.from(data.content, "base64");
          if (!isUtf8(bytes)) throw new GitHubError(`${path} is not text in UTF-8`, false);
          return bytes.toString("utf8");
        }),
      ),
  };
}

function makeOctokit({ token, baseUrl, log, secondMs = 1000, timeoutMs = TIMEOUT_MS }: ApiOptions) {
  const wait = (what: string) => (seconds: number, _request: object, _octokit: object, retries: number) => {
    const again = retries < TRIES - 1 && seconds <= PATIENCE;
    log(`GitHub's ${what} is reached: ${again ? `waiting ${seconds} s` : `giving up, it asks to wait ${seconds} s`}`);
    return again;
  };
  /** The innermost hook, so that every try has a time limit of its own. */
  const timeLimits = (octokit: Pick<ReturnType<typeof getOctokit>, "hook">) => {
    octokit.hook.before("request", ({ request }) => {
      request.signal = AbortSignal.timeout(request["timeoutMs"] ?? timeoutMs);
    });
    return {};
  };
  return getOctokit(
    token,
    {
      baseUrl,
      userAgent: "perf-gate",
      log: { debug: () => {}, info: () => {}, warn: log, error: () => {} },
      retry: {
        retries: TRIES - 1,
        retryAfterBaseValue: secondMs,
        doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451],
      },
      throttle: {
        // A group of its own: what other instances did does not slow this one down.
        id: `${process.pid}-${instances++}`,
        retryAfterBaseValue: secondMs,
        onRateLimit: wait("rate limit"),
        onSecondaryRateLimit: wait("secondary rate limit"),
      },
    },
    timeLimits,
    retry,
    throttling,
  );
}

let instances = 0;

// ---------------------------------------------------------------- answers

function toComment(data: { id: number; body?: string | undefined; user: { login: string } | null }): Comment {
  return { id: data.id, author: data.user?.login ?? null, body: data.body ?? "" };
}

interface IssueData {
  number: number;
  title: string;
  body?: string | null | undefined;
  state: string;
  user: { login: string } | null;
  labels: (string | { name?: string | undefined })[];
}

function toIssue({ number, title, body, state, user, labels }: IssueData): Issue {
  return {
    number,
    author: user?.login ?? null,
    title,
    body: body ?? "",
    open: state === "open",
    labels: labels.map((label) => (typeof label === "string" ? label : (label.name ?? ""))),
  };
}

interface PullData {
  number: number;
  head: { sha: string; ref: string; repo: { full_name: string } | null };
  base: { ref: string };
  labels: { name: string }[];
}

function toPull({ number, head, base, labels }: PullData): Pull {
  return {
    number,
    headSha: head.sha,
    headRef: head.ref,
    headRepository: head.repo?.full_name ?? null,
    baseRef: base.ref,
    labels: labels.map(({ name }) => name),
  };
}

interface RunData {
  id: number;
  event: string;
  head_sha: string;
  head_branch: string | null;
  head_repository: { full_name: string } | null;
  created_at: string;
}

function toRun(data: RunData): Run {
  return {
    id: data.id,
    event: data.event,
    headSha: data.head_sha,
    headBranch: data.head_branch,
    headRepository: data.head_repository?.full_name ?? null,
    createdAt: data.created_at,
  };
}

interface EventData {
  event: string;
  actor: { login: string } | null;
  created_at: string;
  label?: { name?: string | null };
}

function toPullEvent(data: object): PullEvent[] {
  const { event, actor, created_at: at, label } = data as EventData;
  if (event === "head_ref_force_pushed") return [{ kind: "force-pushed", at }];
  if (event !== "labeled" || typeof label?.name !== "string") return [];
  return [{ kind: "labeled", label: label.name, actor: actor?.login ?? "somebody whose account is gone", at }];
}

async function* each<Data, Item>(
  pages: AsyncIterable<{ data: Data[] }>,
  convert: (data: Data) => Item,
): AsyncGenerator<Item> {
  for await (const { data } of pages) yield* data.map(convert);
}

/** Repeats what broke off on its way. */
async function again<T>(action: () => Promise<T>): Promise<T> {
  for (let tries = TRIES; ; tries--) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof GitHubError && error.passing && tries > 1)) throw error;
    }
  }
}

async function readBounded(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength;
      if (size > limit) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new GitHubError(`it broke off after ${size} bytes (${(error as Error).message})`, true);
  }
  if (size > limit) throw new GitHubError(`it is larger than ${limit} bytes, the most that is read`, false);
  return Buffer.concat(chunks);
}

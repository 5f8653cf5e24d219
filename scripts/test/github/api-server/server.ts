import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Call, Contract } from "./contract.ts";

/** What the server knows; tests change it directly. */
export interface State {
  /** owner/name */
  repository: string;
  /** Who holds a token, and what it may do: "pull-requests: write" and the like. */
  tokens: Map<string, { login: string; permissions: string[] }>;
  pulls: PullState[];
  /** On pull requests and on issues, whose numbers are one sequence. */
  comments: CommentState[];
  issues: IssueState[];
  events: { pull: number; event: string; label?: string; actor: string; at: string }[];
  runs: RunState[];
  artifacts: { id: number; run: number; name: string; zip: Uint8Array; expired: boolean }[];
  /** Branch -> commit. */
  branches: Map<string, string>;
  /** "<commit>:<path>" -> text or bytes. */
  files: Map<string, string | Buffer>;
}

export interface PullState {
  number: number;
  state: "open" | "closed";
  headSha: string;
  headRef: string;
  /** owner/name; null = deleted. */
  headRepository: string | null;
  baseRef: string;
  labels: string[];
}

export interface CommentState {
  id: number;
  pull: number;
  login: string;
  body: string;
}

export interface IssueState {
  number: number;
  login: string;
  title: string;
  body: string;
  labels: string[];
  state: "open" | "closed";
  /** ISO 8601; lists are in its order. */
  createdAt: string;
}

export interface RunState {
  id: number;
  event: string;
  headSha: string;
  headBranch: string;
  headRepository: string | null;
  createdAt: string;
}

/** What happens to the next requests that match instead of what was asked. */
export interface Fault {
  method?: string;
  path: RegExp;
  /** How many requests it strikes. */
  times: number;
  status?: number;
  headers?: Record<string, string>;
  body?: object;
  /** Answers only after this time, ms. */
  delayMs?: number;
  /** The request is carried out, and only its answer is lost. */
  afterwards?: boolean;
  /** What else happens then. */
  effect?: (state: State) => void;
}

const contract = new Contract();

/** null is what GitHub says of a fork that was deleted; its description leaves that out. */
const DELETED_FORK = /(?:head\/repo|head_repository): must be object$/;

const FORBIDDEN = {
  message: "Resource not accessible by integration",
  documentation_url: "https://docs.github.com/rest",
  status: "403",
};
const MISSING = { message: "Not Found", documentation_url: "https://docs.github.com/rest", status: "404" };

interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/**
 * GitHub's API as far as perf-gate calls it, with a memory. Every request and every answer is held against GitHub's
 * OpenAPI description; what does not fit is in `violations`.
 */
export class ApiServer {
  readonly state: State;
  readonly faults: Fault[] = [];
  /** "GET /repos/..." of each request, in order. */
  readonly requests: string[] = [];
  readonly violations: string[] = [];
  /** Headers that the storage host got with requests for a zip. */
  readonly storageHeaders: IncomingMessage["headers"][] = [];
  /** How many of the next zips break off in the middle. */
  storageBreaks = 0;
  #api = createServer((request, response) => this.#serve(request, response));
  /** Another origin, as GitHub's storage is. */
  #storage = createServer((request, response) => this.#zip(request, response));

  constructor(state: Partial<State> = {}) {
    this.state = {
      repository: "octo/shop",
      tokens: new Map([["test-token", { login: "github-actions[bot]", permissions: ALL_PERMISSIONS }]]),
      pulls: [],
      comments: [],
      issues: [],
      events: [],
      runs: [],
      artifacts: [],
      branches: new Map(),
      files: new Map(),
      ...state,
    };
  }

  async start(): Promise<this> {
    for (const server of [this.#api, this.#storage]) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    }
    return this;
  }

  async stop(): Promise<void> {
    for (const server of [this.#api, this.#storage]) {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  }

  /** For GITHUB_API_URL. */
  get url(): string {
    return `http://127.0.0.1:${(this.#api.address() as AddressInfo).port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const text = await readAll(request);
      const url = new URL(request.url ?? "/", this.url);
      const method = request.method ?? "GET";
      this.requests.push(`${method} ${decodeURIComponent(url.pathname)}`);
      // GitHub Enterprise Server has both of its interfaces below /api.
      url.pathname = url.pathname.replace(/^\/api\/(?:v3\/(?=repos\/)|(?=graphql$))/, "/");
      const fault = this.#strike(method, url.pathname);
      fault?.effect?.(this.state);
      let answer: Answer;
      if (fault === null || fault.afterwards === true) answer = this.#answer(method, url, text, request.headers);
      else answer = { status: 200, body: {} };
      if (fault?.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
      if (fault?.status !== undefined) {
        answer = { status: fault.status, body: fault.body ?? { message: "Planted" }, headers: fault.headers ?? {} };
      }
      response.writeHead(answer.status, {
        "content-type": "application/json; charset=utf-8",
        "x-ratelimit-limit": "1000",
        "x-ratelimit-remaining": "999",
        ...answer.headers,
      });
      response.end(answer.body === null ? undefined : JSON.stringify(answer.body));
    } catch (error) {
      this.violations.push(`server: ${(error as Error).stack}`);
      response.writeHead(500).end();
    }
  }

  #strike(method: string, path: string): Fault | null {
    const fault = this.faults.find(
      (candidate) =>
        candidate.times > 0 &&
        candidate.path.test(path) &&
        (candidate.method === undefined || candidate.method === method),
    );
    if (fault === undefined) return null;
    fault.times--;
    return fault;
  }

  #answer(method: string, url: URL, text: string, headers: IncomingMessage["headers"]): Answer {
    const token = /^(?:token|bearer) (\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
    const holder = this.state.tokens.get(token);
    if (holder === undefined) {
      return { status: 401, body: { ...MISSING, message: "Bad credentials", status: "401" } };
    }
    const body: unknown = text === "" ? null : JSON.parse(text);
    // The one call that is no REST: GitHub's OpenAPI description does not hold it.
    if (url.pathname === "/graphql") {
      if ((body as { query: string }).query !== "query { viewer { login } }") throw new Error(`unknown query ${text}`);
      return { status: 200, body: { data: { viewer: { login: holder.login } } } };
    }
    const known = contract.call(method, url, body);
    if (known === null) {
      this.violations.push(`${method} ${url.pathname}: GitHub has no such call`);
      return { status: 404, body: MISSING };
    }
    const { call, problems } = known;
    if (problems.length > 0) {
      this.violations.push(...problems);
      return { status: 422, body: { ...MISSING, message: problems.join("; "), status: "422" } };
    }
    const operation = OPERATIONS[call.operation];
    if (operation === undefined) throw new Error(`${call.operation} is not served here`);
    if (`${call.path["owner"]}/${call.path["repo"]}` !== this.state.repository) return { status: 404, body: MISSING };
    const may = (needed: string) => holder.permissions.some((permission) => covers(permission, needed));
    const context = { state: this.state, call, holder: holder.login, may, server: this };
    const needs = typeof operation.needs === "string" ? operation.needs : operation.needs(context);
    if (!may(needs)) return { status: 403, body: FORBIDDEN };
    const answer = operation.answer(context);
    const wrong = contract
      .answerProblems(call.operation, answer.status, answer.body)
      .filter((problem) => !DELETED_FORK.test(problem));
    this.violations.push(...wrong.map((problem) => `answer: ${problem}`));
    return answer;
  }

  example<T>(operation: string, status = 200): T {
    return contract.example<T>(operation, status);
  }

  storageUrl(id: number): string {
    return `http://localhost:${(this.#storage.address() as AddressInfo).port}/${id}?sig=secret`;
  }

  #zip(request: IncomingMessage, response: ServerResponse): void {
    this.storageHeaders.push(request.headers);
    const id = Number(/^\/(\d+)/.exec(request.url ?? "")?.[1]);
    const zip = this.state.artifacts.find((artifact) => artifact.id === id)?.zip ?? new Uint8Array();
    response.writeHead(200, { "content-type": "application/zip", "content-length": zip.byteLength });
    if (this.storageBreaks-- > 0) response.write(zip.subarray(0, zip.byteLength / 2), () => response.destroy());
    else response.end(zip);
  }
}

const ALL_PERMISSIONS = ["contents: write", "pull-requests: write", "issues: write", "actions: read"];

function covers(given: string, needed: string): boolean {
  return given === needed || given === needed.replace(/read$/, "write");
}

interface Context {
  state: State;
  call: Call;
  holder: string;
  /** Whether the token has this permission. */
  may: (needed: string) => boolean;
  server: ApiServer;
}

type Json = Record<string, unknown>;

/** One page of a list, with the links to the others. */
function page(items: unknown[], { call, server }: Context): { items: unknown[]; headers: Record<string, string> } {
  const size = Number(call.query["per_page"] ?? 30);
  const number = Number(call.query["page"] ?? 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const path = server.requests.at(-1)?.split(" ")[1] ?? "";
  const link = (to: number, rel: string) => {
    const query = new URLSearchParams({ ...call.query, page: String(to) });
    return `<${server.url}${path}?${query}>; rel="${rel}"`;
  };
  const headers: Record<string, string> =
    number < last ? { link: `${link(number + 1, "next")}, ${link(last, "last")}` } : {};
  return { items: items.slice((number - 1) * size, number * size), headers };
}

const userOf = (example: unknown, login: string): Json => ({
  ...(example as Json),
  login,
  type: login.endsWith("[bot]") ? "Bot" : "User",
});

function commentJson(comment: CommentState, server: ApiServer): Json {
  const example = server.example<Json>("issues/create-comment", 201);
  return { ...example, id: comment.id, body: comment.body, user: userOf(example["user"], comment.login) };
}

function issueJson(issue: IssueState, example: Json): Json {
  const [label] = example["labels"] as Json[];
  // GitHub's own example is of an issue that is a pull request as well.
  const { pull_request: _, ...rest } = example;
  return {
    ...rest,
    number: issue.number,
    title: issue.title,
    body: issue.body,
    state: issue.state,
    created_at: issue.createdAt,
    user: userOf(example["user"], issue.login),
    labels: issue.labels.map((name) => ({ ...label, name })),
  };
}

/** A pull request as lists of issues have it. */
function pullIssueJson(pull: PullState, example: Json): Json {
  const as = { title: "", body: null, login: "anna", createdAt: "2026-01-01T00:00:00Z" };
  const issue = issueJson({ ...as, ...pull, body: "" }, example);
  return { ...issue, pull_request: example["pull_request"] };
}

function pullJson(pull: PullState, example: Json): Json {
  const side = (given: unknown, ref: string, sha: string, repository: string | null): Json => {
    const { repo, ...rest } = given as Json;
    const [owner = "", name = ""] = (repository ?? "").split("/");
    const renamed =
      repository === null
        ? null
        : { ...(repo as Json), name, full_name: repository, owner: userOf((repo as Json)["owner"], owner) };
    return { ...rest, ref, sha, label: `${owner}:${ref}`, repo: renamed };
  };
  const [label] = example["labels"] as Json[];
  return {
    ...example,
    // GitHub's own example lags behind its description here.
    requested_teams: [],
    number: pull.number,
    state: pull.state,
    labels: pull.labels.map((name) => ({ ...label, name })),
    head: side(example["head"], pull.headRef, pull.headSha, pull.headRepository),
    base: { ...(example["base"] as Json), ref: pull.baseRef },
  };
}

function runJson(run: RunState, example: Json): Json {
  const repository = example["head_repository"] as Json;
  const [owner = "", name = ""] = (run.headRepository ?? "").split("/");
  return {
    ...example,
    id: run.id,
    event: run.event,
    head_sha: run.headSha,
    head_branch: run.headBranch,
    created_at: run.createdAt,
    head_repository:
      run.headRepository === null
        ? null
        : { ...repository, name, full_name: run.headRepository, owner: userOf(repository["owner"], owner) },
  };
}

const missing: Answer = { status: 404, body: MISSING };

/** Comments are of pull requests and of issues, each with a permission of its own. */
const commentNeeds =
  (access: "read" | "write") =>
  ({ state, call }: Context): string =>
    `${state.issues.some(({ number }) => number === Number(call.path["issue_number"])) ? "issues" : "pull-requests"}: ${access}`;

const TOO_LONG: Answer = {
  status: 422,
  body: { ...MISSING, message: "Body is too long (maximum is 65536 characters)" },
};

const OPERATIONS: Record<
  string,
  { needs: string | ((context: Context) => string); answer: (context: Context) => Answer }
> = {
  "issues/list-for-repo": {
    needs: "issues: read",
    answer: (context) => {
      const { state, call, server } = context;
      const { labels, creator, state: wanted = "open", sort = "created", direction = "desc" } = call.query;
      if (sort !== "created") throw new Error(`sort=${sort} is not served here`);
      const [example = {}] = server.example<Json[]>("issues/list-for-repo");
      const all = [
        ...state.issues.map((issue) => ({ ...issue, json: () => issueJson(issue, example) })),
        ...state.pulls.map((pull) => ({
          ...pull,
          login: "anna",
          createdAt: "2026-01-01T00:00:00Z",
          json: () => pullIssueJson(pull, example),
        })),
      ].sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.number - b.number);
      const found = (direction === "asc" ? all : all.reverse()).filter(
        (one) =>
          (wanted === "all" || one.state === wanted) &&
          (creator === undefined || one.login === creator) &&
          (labels ?? "").split(",").every((label) => label === "" || one.labels.includes(label)),
      );
      const { items, headers } = page(found, context);
      return { status: 200, body: (items as typeof found).map(({ json }) => json()), headers };
    },
  },
  "issues/create": {
    needs: "issues: write",
    answer: ({ state, call, holder, may, server }) => {
      const { title, body = "", labels = [] } = call.body as { title: string; body?: string; labels?: string[] };
      if (body.length > 65_536) return TOO_LONG;
      const number = Math.max(0, ...[...state.issues, ...state.pulls].map((one) => one.number)) + 1;
      const at = new Date(Date.UTC(2026, 2, 1) + number * 60_000).toISOString().replace(".000", "");
      // Without the right to push, labels are left out, and nothing is said.
      const kept = may("contents: write") ? labels : [];
      const issue: IssueState = { number, login: holder, title, body, labels: kept, state: "open", createdAt: at };
      state.issues.push(issue);
      return { status: 201, body: issueJson(issue, server.example("issues/create", 201)) };
    },
  },
  "issues/update": {
    needs: "issues: write",
    answer: ({ state, call, server }) => {
      const issue = state.issues.find(({ number }) => number === Number(call.path["issue_number"]));
      if (issue === undefined) return missing;
      const { title, body, state: turned } = call.body as Partial<IssueState>;
      if ((body ?? "").length > 65_536) return TOO_LONG;
      if (title !== undefined) issue.title = title;
      if (body !== undefined) issue.body = body;
      if (turned !== undefined) issue.state = turned;
      return { status: 200, body: issueJson(issue, server.example("issues/update")) };
    },
  },
  "issues/list-comments": {
    needs: commentNeeds("read"),
    answer: (context) => {
      const { state, call, server } = context;
      const own = state.comments.filter((comment) => comment.pull === Number(call.path["issue_number"]));
      const { items, headers } = page(own, context);
      return { status: 200, body: (items as CommentState[]).map((comment) => commentJson(comment, server)), headers };
    },
  },
  "issues/create-comment": {
    needs: commentNeeds("write"),
    answer: ({ state, call, holder, server }) => {
      const pull = Number(call.path["issue_number"]);
      if (![...state.pulls, ...state.issues].some(({ number }) => number === pull)) return missing;
      const { body } = call.body as { body: string };
      if (body.length > 65_536) return TOO_LONG;
      const id = Math.max(1000, ...state.comments.map((comment) => comment.id)) + 1;
      const comment = { id, pull, login: holder, body };
      state.comments.push(comment);
      return { status: 201, body: commentJson(comment, server) };
    },
  },
  "issues/update-comment": {
    needs: "pull-requests: write",
    answer: ({ state, call, server }) => {
      const comment = state.comments.find(({ id }) => id === Number(call.path["comment_id"]));
      if (comment === undefined) return missing;
      comment.body = (call.body as { body: string }).body;
      return { status: 200, body: commentJson(comment, server) };
    },
  },
  "pulls/list": {
    needs: "pull-requests: read",
    answer: (context) => {
      const { state, call, server } = context;
      const [example] = server.example<Json[]>("pulls/list");
      const found = state.pulls.filter(
        (pull) =>
          pull.state === (call.query["state"] ?? "open") &&
          (call.query["head"] === undefined ||
            call.query["head"] === `${pull.headRepository?.split("/")[0]}:${pull.headRef}`),
      );
      const { items, headers } = page(found, context);
      return { status: 200, body: (items as PullState[]).map((pull) => pullJson(pull, example ?? {})), headers };
    },
  },
  "pulls/get": {
    needs: "pull-requests: read",
    answer: ({ state, call, server }) => {
      const pull = state.pulls.find(({ number }) => number === Number(call.path["pull_number"]));
      return pull === undefined ? missing : { status: 200, body: pullJson(pull, server.example("pulls/get")) };
    },
  },
  "issues/list-events": {
    needs: "pull-requests: read",
    answer: (context) => {
      const { state, call, server } = context;
      const [example = {}] = server.example<Json[]>("issues/list-events");
      const own = state.events.filter(({ pull }) => pull === Number(call.path["issue_number"]));
      const { items, headers } = page(own, context);
      const body = (items as State["events"]).map(({ event, label, actor, at }, index) => ({
        ...example,
        id: index + 1,
        event,
        created_at: at,
        actor: userOf(example["actor"], actor),
        label: label === undefined ? undefined : { name: label, color: "ededed" },
      }));
      return { status: 200, body: JSON.parse(JSON.stringify(body)), headers };
    },
  },
  "actions/get-workflow-run": {
    needs: "actions: read",
    answer: ({ state, call, server }) => {
      const run = state.runs.find(({ id }) => id === Number(call.path["run_id"]));
      if (run === undefined) return missing;
      return { status: 200, body: runJson(run, server.example("actions/get-workflow-run")) };
    },
  },
  "actions/list-workflow-runs-for-repo": {
    needs: "actions: read",
    answer: (context) => {
      const { state, call, server } = context;
      const { workflow_runs: examples } = server.example<{ workflow_runs: Json[] }>(call.operation);
      const own = state.runs.filter(
        ({ headSha, event }) => headSha === call.query["head_sha"] && event === call.query["event"],
      );
      const { items, headers } = page(own, context);
      const runs = (items as RunState[]).map((run) => runJson(run, examples[0] ?? {}));
      return { status: 200, body: { total_count: own.length, workflow_runs: runs }, headers };
    },
  },
  "actions/list-workflow-run-artifacts": {
    needs: "actions: read",
    answer: (context) => {
      const { state, call, server } = context;
      const example = server.example<{ artifacts: Json[] }>("actions/list-workflow-run-artifacts");
      const own = state.artifacts.filter(
        ({ run, name }) => run === Number(call.path["run_id"]) && [undefined, name].includes(call.query["name"]),
      );
      const { items, headers } = page(own, context);
      const artifacts = (items as State["artifacts"]).map(({ id, name, zip, expired }) => ({
        ...example.artifacts[0],
        id,
        name,
        size_in_bytes: zip.byteLength,
        expired,
      }));
      return { status: 200, body: { total_count: own.length, artifacts }, headers };
    },
  },
  "actions/download-artifact": {
    needs: "actions: read",
    answer: ({ state, call, server }) => {
      const artifact = state.artifacts.find(({ id }) => id === Number(call.path["artifact_id"]));
      if (artifact === undefined) return missing;
      return { status: 302, body: null, headers: { location: server.storageUrl(artifact.id) } };
    },
  },
  "repos/get-branch": {
    needs: "contents: read",
    answer: ({ state, call, server }) => {
      const branch = call.path["branch"] ?? "";
      const sha = state.branches.get(branch);
      if (sha === undefined) return missing;
      const example = server.example<Json>("repos/get-branch");
      return { status: 200, body: { ...example, name: branch, commit: { ...(example["commit"] as Json), sha } } };
    },
  },
  "repos/get-content": {
    needs: "contents: read",
    answer: ({ state, call, server }) => {
      const path = call.path["path"] ?? "";
      const file = state.files.get(`${call.query["ref"]}:${path}`);
      if (file === undefined) return missing;
      const bytes = Buffer.from(file);
      const example = server.example<Json>("repos/get-content");
      const content = bytes.toString("base64").replace(/.{60}/g, "$&\n");
      const size = bytes.byteLength;
      return { status: 200, body: { ...example, type: "file", encoding: "base64", path, size, content } };
    },
  },
};

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

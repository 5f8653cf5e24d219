import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { ApiServer, type PullState, type State } from "../github/api-server/server.ts";

/** Of this repository. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));
const here = join(root, "scripts/test/act");
const NAME = "perf-gate/perf-gate";
const REF = "v1";
/** Lines of the README or of a template, with the name that the tests give this repository. */
export const named = (lines: string): string => lines.replaceAll("OWNER/REPO", NAME);
/** Most that a test may take, on a busy machine too; ms. */
export const PATIENCE = 900_000;
/** Rounds so long that a budget of 30s holds none: the run only counts, which takes seconds and knows no noise. */
export const NO_ROUND = "measure: { slot: 1m }";
/** When GitHub told of the pull request's head. */
export const PUSHED = "2026-03-04T10:00:00Z";

/** The pinned act, or null where setup.sh could not install it. */
export function findAct(): string | null {
  const script = 'source "$0/lib.sh"; SCRIPTS=$0; source "$0/tools.sh"; find_tool act';
  try {
    return execFileSync("bash", ["-c", script, join(root, "scripts")], { encoding: "utf8" }).trim();
  } catch {
    return null;
  }
}

/**
 * This repository as it would be released: what git knows, with a bundle of the source as it is now. Its reusable
 * workflows know where they come from, which GitHub tells a job and act does not.
 */
export function snapshot(): { directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-act-source-"));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of files.split("\0")) {
    if (file === "" || file.startsWith("scripts/dist/") || !existsSync(join(root, file))) continue;
    cpSync(join(root, file), join(directory, file), { verbatimSymlinks: true });
  }
  execFileSync(process.execPath, [join(root, "scripts/build.mjs")], {
    cwd: root,
    env: { ...process.env, PERF_GATE_DIST: join(directory, "scripts/dist") },
  });
  for (const file of workflowsIn(directory)) {
    const told = readFileSync(file, "utf8")
      .replace(/(source-repository:\n(?: {8}.*\n)*? {8}default: )""/, `$1${NAME}`)
      .replace(/(source-ref:\n(?: {8}.*\n)*? {8}default: )""/, `$1${REF}`);
    writeFileSync(file, told);
  }
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** A repository that uses perf-gate: main with one commit, and the merge commit of a pull request checked out. */
export class Caller {
  readonly directory = mkdtempSync(join(tmpdir(), "perf-gate-act-caller-"));
  readonly repository = join(this.directory, "shop");
  readonly artifacts = join(this.directory, "artifacts");

  /**
   * @param base changes of the template, file -> text; @param head what the pull request writes
   * @param template directory that main starts from
   */
  constructor(base: Record<string, string>, head: Record<string, string>, template = join(here, "caller")) {
    mkdirSync(this.artifacts);
    cpSync(template, this.repository, { recursive: true });
    for (const file of workflowsIn(this.repository)) writeFileSync(file, named(readFileSync(file, "utf8")));
    this.#git("init", "--quiet", "--initial-branch", "main");
    // From here act knows the repository's name.
    this.#git("remote", "add", "origin", "https://github.com/octo/shop.git");
    this.#commit("the service", base);
    this.#git("checkout", "--quiet", "-b", "change");
    this.#commit("a change", head);
    this.#git("checkout", "--quiet", "--detach", "main");
    this.#git("merge", "--quiet", "--no-ff", "--message", "Merge the change", "change");
  }

  get base(): string {
    return this.#git("rev-parse", "main");
  }

  get head(): string {
    return this.#git("rev-parse", "change");
  }

  get merge(): string {
    return this.#git("rev-parse", "HEAD");
  }

  /** What the pull request changes, as the API tells it. */
  get pull(): PullState {
    return {
      number: 7,
      state: "open",
      headSha: this.head,
      headRef: "change",
      headRepository: "octo/shop",
      baseRef: "main",
      labels: [],
    };
  }

  /** Payload of the event pull_request; `more` overrides its keys. */
  pullRequest(more: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      action: "synchronize",
      number: 7,
      pull_request: {
        number: 7,
        updated_at: PUSHED,
        base: { ref: "main", sha: this.base, repo: { full_name: "octo/shop" } },
        head: { ref: "change", sha: this.head, repo: { full_name: "octo/shop" } },
      },
      repository: { full_name: "octo/shop", default_branch: "main" },
      ...more,
    };
  }

  /** Text of a file on main. */
  atBase(path: string): string {
    return this.#git("show", `main:${path}`);
  }

  artifact(name: string): Buffer {
    return readFileSync(join(this.artifacts, name));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #git(...args: string[]): string {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"];
    return execFileSync("git", ["-C", this.repository, ...identity, ...args], { encoding: "utf8" }).trim();
  }

  #commit(message: string, files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(this.repository, name, ".."), { recursive: true });
      writeFileSync(join(this.repository, name), text);
    }
    this.#git("add", "--all");
    this.#git("commit", "--quiet", "--allow-empty", "--message", message);
  }
}

export interface ActOptions {
  act: string;
  source: string;
  caller: Caller;
  event: string;
  payload: unknown;
  /** File below .github/workflows. */
  workflow: string;
  /** Address that stands for GitHub's API. */
  api?: string;
  /** Runs this job of the workflow, and those that it needs; all by default. */
  job?: string;
  /** In the environment of every step. */
  env?: Record<string, string>;
}

export interface ActResult {
  status: number | null;
  /** Everything that was printed. */
  log: string;
  /** Result by the name of the job: "perf/perf-gate/measure" -> success or failure; one that did not run is absent. */
  jobs: Record<string, string>;
  /** Outputs of the step `gate`, where they were set. */
  outputs: Record<string, string>;
  /** What the steps wrote to the summary of their job. */
  summary: string;
  /** Log commands such as ::error, as they were written. */
  commands: string[];
}

/** Everything that a file of tests shares; to be called once in it. After each test, no request was against GitHub's contract. */
export function actRig() {
  const act = findAct();
  let source: ReturnType<typeof snapshot> | undefined;
  const callers: Caller[] = [];
  const servers: ApiServer[] = [];
  beforeAll(() => {
    if (act !== null) source = snapshot();
  });
  afterEach(async () => {
    for (const caller of callers.splice(0)) caller.remove();
    for (const server of servers.splice(0)) {
      await server.stop();
      expect(server.violations).toEqual([]);
    }
  });
  afterAll(() => source?.remove());

  const sourceDirectory = (): string => source?.directory ?? "";
  return {
    act,
    /** Where the snapshot is. */
    source: sourceDirectory,
    /** See Caller. */
    caller(head: Record<string, string>, base: Record<string, string>, template?: string): Caller {
      const made = new Caller(base, head, template);
      callers.push(made);
      return made;
    },
    /** GitHub's API of the caller's repository, whose configuration is at `config`. */
    async apiOf(made: Caller, state: Partial<State> = {}, config = "perf-gate.yml"): Promise<ApiServer> {
      const server = await new ApiServer({
        pulls: [made.pull],
        branches: new Map([["main", made.base]]),
        files: new Map([[`${made.base}:${config}`, made.atBase(config)]]),
        ...state,
      }).start();
      servers.push(server);
      return server;
    },
    async run(
      made: Caller,
      event: string,
      workflow: string,
      more: Partial<Omit<ActOptions, "api">> & { api?: ApiServer } = {},
    ): Promise<ActResult> {
      const { api, payload = made.pullRequest(), ...rest } = more;
      const ofApi = api === undefined ? {} : { api: api.url };
      const options = { act: act ?? "", source: sourceDirectory(), caller: made, event, payload, workflow };
      return await runAct({ ...options, ...rest, ...ofApi });
    },
  };
}

/** Runs a workflow of the caller in act, on this machine itself. */
export async function runAct(options: ActOptions): Promise<ActResult> {
  const { act, source, caller, event, payload, workflow, api, job, env = {} } = options;
  const file = join(caller.directory, "event.json");
  writeFileSync(file, JSON.stringify(payload));
  const engine = process.env["DOCKER_HOST"];
  const everywhere = {
    ...(engine === undefined ? {} : { DOCKER_HOST: engine }),
    ...env,
    STAND_IN_SOURCE_NAME: `${NAME}@${REF}`,
    STAND_IN_SOURCE: source,
    STAND_IN_ARTIFACTS: caller.artifacts,
  };
  const args = [
    ...[event, "--json", "--rm", "-C", caller.repository, "-W", `.github/workflows/${workflow}`, "-e", file],
    ...["-P", "ubuntu-24.04=-self-hosted", "--secret", "GITHUB_TOKEN=test-token"],
    ...(job === undefined ? [] : ["--job", job]),
    ...Object.entries(everywhere).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...(api === undefined ? [] : ["--env", `GITHUB_API_URL=${api}`]),
    ...localRepositories(source).flatMap((mapping) => ["--local-repository", mapping]),
  ];
  const child = spawn(act, args, {
    cwd: caller.repository,
    env: { ...process.env, TMPDIR: caller.directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Apart: a piece of one may end within a line of the other.
  const [status, out, err] = await Promise.all([
    new Promise<number | null>((resolve) => child.once("close", resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { status, ...read(`${out}\n${err}`) };
}

/** This repository, and a stand-in for each action that its files use: "owner/name@ref=directory". */
function localRepositories(source: string): string[] {
  const used = [join(source, "action.yml"), ...workflowsIn(source)].flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(/uses: ([\w-]+)\/([\w-]+)(?:\/[\w/-]+)?@([0-9a-f]{40})/g),
  ]);
  const actions = used
    .filter(([, , name = ""]) => existsSync(join(here, "stand-ins", name)))
    .map(([, owner, name = "", ref]) => `${owner}/${name}@${ref}=${join(here, "stand-ins", name)}`);
  return [`${NAME}@${REF}=${source}`, ...new Set(actions)];
}

function workflowsIn(directory: string): string[] {
  const path = join(directory, ".github/workflows");
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
}

interface Entry {
  msg?: string;
  raw?: string;
  command?: string;
  name?: string;
  arg?: string;
  content?: string;
  stepID?: string[];
  job?: string;
  jobResult?: string;
}

/** act's lines of JSON; its own complaints are plain text. */
function read(printed: string): Omit<ActResult, "status"> {
  const result: Omit<ActResult, "status"> = { log: "", jobs: {}, outputs: {}, summary: "", commands: [] };
  for (const row of printed.split("\n")) {
    const entry = row.startsWith("{") ? (JSON.parse(row) as Entry) : { msg: row };
    result.log += `${(entry.msg ?? "").trimEnd()}\n`;
    if (entry.job !== undefined && entry.jobResult !== undefined) result.jobs[entry.job] = entry.jobResult;
    if (entry.command === "summary") result.summary += entry.content ?? "";
    if (entry.command === "set-output" && entry.stepID?.join() === "gate") {
      result.outputs[entry.name ?? ""] = entry.arg ?? "";
    } else if (entry.raw !== undefined && /^::(?:error|warning|notice)\b/.test(entry.raw)) {
      result.commands.push(entry.raw);
    }
  }
  return result;
}

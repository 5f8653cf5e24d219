import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../core/errors.ts";
import type { HistoryRecord } from "../core/record.ts";
import { NoOriginError, StoreError } from "./errors.ts";
import { GitError, type GitOptions, git, unbound, withoutCredentials, withSettings } from "./git.ts";
import {
  checkPublished,
  contentsOf,
  LARGEST_FILE,
  monthFile,
  type RecordFiles,
  soundRecords,
  withAdded,
  withoutIds,
} from "./record-files.ts";
import type { Store } from "./store.ts";

/** How long it is tried again because others were faster, or the server is away. */
const PATIENCE_SECONDS = { read: 15, write: 60 };
const LONGEST_PAUSE_MS = 4000;

/** Who commits. The address belongs to nobody (RFC 2606, .invalid), so no account is shown as the author. */
const COMMITTER = "perf-gate <noreply@perf-gate.invalid>";

/** Marks a data branch, and says to people what it is. */
const README_FILE = "records/README.md";
const README = `# Records of perf-gate

One line of JSON per recorded run, in one file per month; lines are only ever added. perf-gate reads and writes them:
\`perf-gate baseline list\`. This branch has no common history with the code, and must not be merged.
`;

interface Remote {
  branch: string;
  fetchUrl: string;
  pushUrl: string;
}

/** What the commit's file list says of one file. */
interface TreeEntry {
  path: string;
  object: string;
  bytes: number;
}

type Purpose = keyof typeof PATIENCE_SECONDS;

interface Change {
  /** Path in the branch -> content. */
  changed: ReadonlyMap<string, string>;
  message: string;
}

export interface GitStoreOptions {
  branch: string;
  /** null = the origin of the repository that holds `directory`. */
  remote: string | null;
  directory: string;
  env: Readonly<Record<string, string | undefined>>;
  /** See StoreOptions. */
  limitMs?: number | undefined;
}

/**
 * Records on a branch of their own, in the layout of a folder. Works in a temporary bare repository that fetches and
 * pushes by URL: checkout, index, branches and settings of the user's repository are not touched. A push is a
 * fast-forward or it is refused, so that of several at once one gets through and the others fetch again and add theirs
 * to that.
 */
export class GitStore implements Store {
  readonly label: string;
  readonly #options: GitStoreOptions;

  constructor(options: GitStoreOptions) {
    this.#options = options;
    const { branch, remote } = options;
    this.label = `git:${branch} of ${remote === null ? "origin" : withoutCredentials(remote)}`;
  }

  async inspect() {
    const { files, missing } = await this.#read();
    return { ...contentsOf(files), missing };
  }

  async read() {
    const { files, missing } = await this.#read();
    return { records: soundRecords(files), missing };
  }

  async append(records: readonly HistoryRecord[]) {
    let count = 0;
    await this.#change((files) => {
      const { changed, added } = withAdded(files, records, (record) => this.#name(monthFile(record)));
      count = added.length;
      const commits = [...new Set(added.map(({ commit }) => commit.slice(0, 7)))].slice(0, 5).join(", ");
      return { changed: this.#paths(changed), message: `${count === 1 ? "Record" : `${count} records`} of ${commits}` };
    });
    return { added: count };
  }

  async remove(ids: ReadonlySet<string>) {
    let count = 0;
    await this.#change((files) => {
      const { changed, removed } = withoutIds(files, ids);
      count = removed;
      return { changed: this.#paths(changed), message: `Remove ${removed} records` };
    });
    return { removed: count };
  }

  async publish(files: ReadonlyMap<string, string>, message: string) {
    checkPublished(files);
    await this.#change(() => ({ changed: files, message }));
  }

  /** As git calls a file of a branch: perf-gate-data:records/2026-11.ndjson. */
  #name(path: string): string {
    return `${this.#options.branch}:${path}`;
  }

  #paths(named: ReadonlyMap<string, string>): Map<string, string> {
    return new Map([...named].map(([name, content]) => [name.slice(this.#name("").length), content]));
  }

  async #read(): Promise<{ files: RecordFiles; missing: boolean }> {
    return await this.#work("read", async (repository) => {
      const there = await repository.fetch();
      return { files: there ? await this.#files(repository) : new Map(), missing: !there };
    });
  }

  /** Commits and pushes what `compute` makes of the branch as it is; tries again while others change it. */
  async #change(compute: (files: RecordFiles) => Change): Promise<void> {
    await this.#work("write", async (repository) => {
      const there = await repository.fetch();
      const { changed, message } = compute(there ? await this.#files(repository) : new Map());
      if (changed.size === 0) return;
      const files = there ? changed : new Map([[README_FILE, README], ...changed]);
      await repository.commit(there, files, message);
      await repository.push();
    });
  }

  /** @throws StoreError where the branch is one of code: records do not belong there */
  async #files(repository: Repository): Promise<RecordFiles> {
    const entries = await repository.list("records/");
    if (entries.length === 0) {
      throw new StoreError(
        `${this.label} is a branch with other files and no records/: a store has a branch of its own, which perf-gate makes (git:perf-gate-data)`,
      );
    }
    const files = entries.filter(({ path }) => path.endsWith(".ndjson"));
    const large = files.find(({ bytes }) => bytes > LARGEST_FILE);
    if (large !== undefined) throw new InputError(`${this.#name(large.path)} is larger than 64 MB: it is no store`);
    const contents = await repository.contents(files);
    return new Map(files.map(({ path }, index) => [this.#name(path), contents[index] ?? ""]));
  }

  async #work<T>(purpose: Purpose, action: (repository: Repository) => Promise<T>): Promise<T> {
    const directory = mkdtempSync(join(tmpdir(), "perf-gate-store-"));
    const deadline = performance.now() + PATIENCE_SECONDS[purpose] * 1000;
    try {
      const repository = await this.#open(directory);
      for (let attempt = 1; ; attempt++) {
        try {
          return await action(repository);
        } catch (error) {
          if (!(error instanceof GitError)) throw error;
          if (!isPassing(error.message)) throw this.#refusal(purpose, error.message);
          if (this.#options.limitMs !== undefined)
            throw new StoreError(`cannot ${purpose} ${this.label}: ${error.message}`);
          if (performance.now() > deadline) {
            throw new StoreError(`cannot ${purpose} ${this.label}: ${error.message} (tried ${attempt} times)`);
          }
        }
        await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, 100 * 2 ** attempt));
      }
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** An empty repository in `directory` that knows where the branch is, and has the credentials for it. */
  async #open(directory: string): Promise<Repository> {
    const env = unbound(this.#options.env);
    const remote = await this.#remote(env);
    const { settings, secrets } = await this.#credentials(env, remote.pushUrl);
    const ours: [string, string][] = [
      // The user's hooks are for the user's work.
      ["core.hooksPath", "/dev/null"],
      ["gc.auto", "0"],
      ["maintenance.auto", "false"],
    ];
    const { limitMs } = this.#options;
    const options = { env: { ...withSettings(env, [...ours, ...settings]), GIT_DIR: directory }, secrets, limitMs };
    await git(["init", "--bare", "--quiet", "--template="], options).catch((error: Error) => {
      throw new StoreError(`${this.label}: no repository can be made in ${directory}: ${error.message}`);
    });
    return new Repository(options, remote);
  }

  async #remote(env: NodeJS.ProcessEnv): Promise<Remote> {
    const { directory, remote, branch } = this.#options;
    if (remote !== null) {
      const url = absolute(remote, directory);
      return { branch, fetchUrl: url, pushUrl: url };
    }
    const inside = async (...args: string[]) =>
      (await git(["-C", directory, ...args], { env })).toString("utf8").trim();
    const top = await inside("rev-parse", "--show-toplevel").catch((error: Error) => {
      throw new NoOriginError(
        `store git:${branch} is a branch of the origin of a git repository, and ${directory} is in none (${error.message}): ` +
          `name a folder, a file, or git:${branch}@URL`,
      );
    });
    const url = (...flags: string[]) =>
      inside("remote", "get-url", ...flags, "origin").catch(() => {
        throw new NoOriginError(
          `store git:${branch}: the repository ${top} has no remote origin: add it, or name git:${branch}@URL`,
        );
      });
    return { branch, fetchUrl: absolute(await url(), top), pushUrl: absolute(await url("--push"), top) };
  }

  /** The job's token for its own server; elsewhere what the repository's settings say of credentials. */
  async #credentials(
    env: NodeJS.ProcessEnv,
    url: string,
  ): Promise<{ settings: [string, string][]; secrets: string[] }> {
    const token = env["GITHUB_TOKEN"] ?? "";
    const server = env["GITHUB_SERVER_URL"] || "https://github.com";
    if (token !== "" && url.startsWith(`${server}/`)) {
      const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
      const key = `http.${server}/.extraHeader`;
      // The empty value forgets a header that other settings may have: two of them are refused.
      return {
        settings: [
          [key, ""],
          [key, `AUTHORIZATION: basic ${basic}`],
        ],
        secrets: [token, basic],
      };
    }
    if (this.#options.remote !== null) return { settings: [], secrets: [] };
    const pattern = "^(http\\..*|credential\\..*|core\\.sshcommand)$";
    const listed = await git(
      ["-C", this.#options.directory, "config", "--local", "--includes", "--null", "--get-regexp", pattern],
      { env },
    ).catch(() => Buffer.alloc(0));
    const settings = listed
      .toString("utf8")
      .split("\0")
      .filter((row) => row.includes("\n"))
      .map((row): [string, string] => [row.slice(0, row.indexOf("\n")), row.slice(row.indexOf("\n") + 1)]);
    return { settings, secrets: [] };
  }

  #refusal(purpose: Purpose, words: string): StoreError {
    const { branch } = this.#options;
    const what = `cannot ${purpose} ${this.label}`;
    if (/protected branch|GH006|GH013|rule violations|pre-receive hook declined/i.test(words)) {
      return new StoreError(`${what}: a rule of the repository protects ${branch}: exempt it (git said: ${words})`);
    }
    if (/\b40[13]\b|permission|denied|authentication failed|could not read (username|password)/i.test(words)) {
      const need =
        purpose === "write"
          ? "the job needs `permissions: contents: write` and GITHUB_TOKEN, which a run for a fork's pull request does not get"
          : "the job needs `permissions: contents: read` and GITHUB_TOKEN";
      return new StoreError(`${what}: no permission: ${need} (git said: ${words})`);
    }
    return new StoreError(`${what}: ${words}`);
  }
}

/** What goes away by itself: somebody else was faster, or the connection broke. */
function isPassing(words: string): boolean {
  const race =
    /fetch first|non-fast-forward|stale info|cannot lock ref|failed to update ref|reference already exists|incorrect old value|unable to create '.*\.lock'|not our ref/i;
  const connection =
    /could not resolve host|timed out|connection (reset|refused|closed)|hung up unexpectedly|early eof|unexpected disconnect|returned error: (429|5\d\d)/i;
  return race.test(words) || connection.test(words);
}

/** A path is made absolute, a URL stays ("host:path" of ssh is one). */
function absolute(remote: string, directory: string): string {
  return /^[^/]*:/.test(remote) ? remote : resolve(directory, remote);
}

const TIP = "refs/perf-gate/tip";
const NEXT = "refs/perf-gate/next";

/** The temporary repository. All methods throw GitError. */
class Repository {
  readonly #options: GitOptions;
  readonly #remote: Remote;

  constructor(options: GitOptions, remote: Remote) {
    this.#options = options;
    this.#remote = remote;
  }

  /** Gets the last commit of the branch; false where there is no such branch. */
  async fetch(): Promise<boolean> {
    const refspec = `+refs/heads/${this.#remote.branch}:${TIP}`;
    try {
      await git(["fetch", "--quiet", "--no-tags", "--depth=1", "--", this.#remote.fetchUrl, refspec], this.#options);
      return true;
    } catch (error) {
      if (/couldn't find remote ref/i.test((error as Error).message)) return false;
      throw error;
    }
  }

  async list(folder: string): Promise<TreeEntry[]> {
    const listed = await git(["ls-tree", "-z", "--long", TIP, "--", folder], this.#options);
    return [...listed.toString("utf8").matchAll(/100\d{3} blob ([0-9a-f]+) +(\d+)\t([^\0]+)\0/g)].map(
      ([, object = "", bytes, path = ""]) => ({ path, object, bytes: Number(bytes) }),
    );
  }

  /** Content of each entry, in order. */
  async contents(entries: readonly TreeEntry[]): Promise<string[]> {
    const input = entries.map(({ object }) => `${object}\n`).join("");
    const all = await git(["cat-file", "--batch"], { ...this.#options, input });
    // Each is "<object> blob <bytes>\n<content>\n".
    let at = 0;
    return entries.map(({ bytes }) => {
      const start = all.indexOf(10, at) + 1;
      at = start + bytes + 1;
      return all.toString("utf8", start, start + bytes);
    });
  }

  /** Makes the commit that `push` sends, in one step (git fast-import), on top of the fetched one where there is one. */
  async commit(onTip: boolean, files: ReadonlyMap<string, string>, message: string): Promise<void> {
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const parts = [`commit ${NEXT}\ncommitter ${COMMITTER} now\n${data(message)}`];
    if (onTip) parts.push(`from ${TIP}^0\n`);
    for (const [path, content] of files) parts.push(`M 100644 inline ${path}\n${data(content)}`);
    const input = `${parts.join("")}\ndone\n`;
    await git(["fast-import", "--quiet", "--force", "--done", "--date-format=now"], { ...this.#options, input });
  }

  async push(): Promise<void> {
    await git(
      ["push", "--quiet", "--", this.#remote.pushUrl, `${NEXT}:refs/heads/${this.#remote.branch}`],
      this.#options,
    );
  }
}

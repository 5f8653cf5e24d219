import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  _enum,
  array,
  int,
  iso_exports,
  literal,
  number,
  record,
  strictObject,
  string,
  union
} from "./shared-schemas.js";
import {
  InputError
} from "./shared-errors.js";
import {
  NO_ANCHOR,
  recordId
} from "./shared-plan.js";

// scripts/src/history/errors.ts
var StoreError = class extends InputError {
  name = "StoreError";
};
var NoOriginError = class extends InputError {
  name = "NoOriginError";
};

// scripts/src/history/record-schema.ts
import { createHash } from "node:crypto";
var LONGEST_LINE = 64 * 1024;
var text = string().min(1).max(1e3);
var positive = number().positive();
var count = int().nonnegative();
var sha = (digits) => string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
var time = iso_exports.datetime();
var figure = strictObject({
  head: positive,
  anchor: positive,
  logRatio: number(),
  sd: number().nonnegative(),
  rounds: count.positive()
});
var version1 = strictObject({
  version: literal(1),
  id: sha(16),
  recordedAt: time,
  commit: sha(40),
  committedAt: time.nullable(),
  branch: text,
  url: string().max(2e3).regex(/^https?:\/\//).nullable(),
  anchor: strictObject({
    label: text,
    id: union([sha(40), string().regex(/^sha256:[0-9a-f]{64}$/), literal(NO_ANCHOR)])
  }),
  conditions: strictObject({
    must: strictObject({
      driver: _enum(["compose", "process", "url"]),
      cpuModel: text,
      logicalCpus: count,
      php: text.nullable(),
      k6: text
    }),
    also: record(text, string().max(1e3))
  }),
  cells: array(
    strictObject({
      id: text,
      connection: _enum(["keep-alive", "close"]),
      suite: sha(12),
      qps: figure.nullable(),
      latency: figure.extend({ statistic: _enum(["p90", "p95", "p99"]) }).nullable()
    })
  ),
  census: array(
    strictObject({
      scenario: text,
      counts: strictObject({
        sqlStatements: number().optional(),
        dbConnections: number().optional(),
        redisCommands: number().optional(),
        responseBytes: number().optional()
      })
    })
  )
});
var READERS = /* @__PURE__ */ new Map([
  [
    1,
    (line) => {
      const { error } = version1.safeParse(line);
      if (error === void 0) return { record: line };
      const [issue] = error.issues;
      return { problem: `${issue?.path.join(".") || "record"}: ${issue?.message ?? "not of the expected form"}` };
    }
  ]
]);
function parseRecord(line, readers = READERS) {
  if (Buffer.byteLength(line) > LONGEST_LINE) return { problem: `longer than ${LONGEST_LINE / 1024} kB` };
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: "damaged or cut short: it is not JSON" };
  }
  const version = value?.version;
  const newest = Math.max(...readers.keys());
  if (typeof version === "number" && version > newest) {
    return {
      problem: `written by a newer perf-gate (version ${version}; this one reads up to ${newest}): use that one or a later one`
    };
  }
  const read = readers.get(version);
  if (value === null || read === void 0) return { problem: "not a record: it has no version that is known" };
  const parsed = read(value);
  if ("record" in parsed && recordId(value, sha256) !== parsed.record.id) {
    return { problem: "damaged: its content does not match its id" };
  }
  return parsed;
}
function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

// scripts/src/history/record-files.ts
var LARGEST_FILE = 64 * 1024 * 1024;
function monthFile(record2) {
  return `records/${record2.recordedAt.slice(0, 7)}.ndjson`;
}
function contentsOf(files) {
  const byId = /* @__PURE__ */ new Map();
  const problems = [];
  for (const [path, content] of files) {
    for (const { number: number2, parsed } of linesOf(content)) {
      if ("problem" in parsed) problems.push(`${path}:${number2}: ${parsed.problem}`);
      else byId.set(parsed.record.id, parsed.record);
    }
  }
  const dated = [...byId.values()].map((record2) => ({ record: record2, at: Date.parse(record2.recordedAt) }));
  dated.sort((a, b) => a.at - b.at || (a.record.id < b.record.id ? -1 : 1));
  return { records: dated.map(({ record: record2 }) => record2), problems };
}
function soundRecords(files) {
  const { records, problems } = contentsOf(files);
  if (problems.length === 0) return records;
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more: perf-gate baseline verify)`;
  throw new InputError(`${problems[0]}${more}. Nothing was changed`);
}
function withAdded(files, records, fileOf) {
  const known = new Set(soundRecords(files).map(({ id }) => id));
  const added = [];
  const lines = /* @__PURE__ */ new Map();
  for (const record2 of records) {
    if (known.has(record2.id)) continue;
    known.add(record2.id);
    added.push(record2);
    const line = JSON.stringify(record2);
    const parsed = parseRecord(line);
    if ("problem" in parsed) throw new InputError(`record ${record2.id} cannot be stored: ${parsed.problem}`);
    const path = fileOf(record2);
    const others = lines.get(path);
    if (others === void 0) lines.set(path, [line]);
    else others.push(line);
  }
  const changed = /* @__PURE__ */ new Map();
  for (const [path, more] of lines) {
    const before = files.get(path) ?? "";
    const content = `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${more.join("\n")}
`;
    if (Buffer.byteLength(content) > LARGEST_FILE) {
      throw new StoreError(`${path} would be larger than 64 MB: perf-gate baseline prune removes old records`);
    }
    changed.set(path, content);
  }
  return { changed, added };
}
function withoutIds(files, ids) {
  const present = soundRecords(files).filter(({ id }) => ids.has(id));
  const changed = /* @__PURE__ */ new Map();
  for (const [path, content] of files) {
    const lines = linesOf(content);
    const kept = lines.filter(({ parsed }) => "record" in parsed && !ids.has(parsed.record.id));
    const text2 = kept.map(({ line }) => `${line}
`).join("");
    if (kept.length < lines.length) changed.set(path, text2);
  }
  return { changed, removed: present.length };
}
var PUBLISHED = /^(?!records\/|\.lock$)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/;
function checkPublished(files) {
  for (const path of files.keys()) {
    if (!PUBLISHED.test(path)) throw new Error(`${path} cannot be published: it is not a plain path beside records/`);
  }
}
function linesOf(content) {
  return content.split("\n").map((line, index) => ({ number: index + 1, line })).filter(({ line }) => line.trim() !== "").map((row) => ({ ...row, parsed: parseRecord(row.line) }));
}

// scripts/src/history/store.ts
import { execFileSync } from "node:child_process";
import { resolve as resolve2 } from "node:path";

// scripts/src/history/disk-store.ts
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
var PATIENCE_MS = 6e4;
var STALE_MS = 3e4;
var DiskStore = class {
  label;
  /** null: the store is a single file, `label`. */
  #folder;
  /** @param path absolute */
  constructor(path, kind) {
    this.label = path;
    this.#folder = kind === "folder" ? path : null;
  }
  async inspect() {
    const files = this.#files();
    return { ...contentsOf(files), missing: files.size === 0 };
  }
  async read() {
    const files = this.#files();
    return { records: soundRecords(files), missing: files.size === 0 };
  }
  async append(records) {
    let count2 = 0;
    await this.#change(() => {
      const { changed, added } = withAdded(this.#files(), records, (record2) => this.#fileOf(record2));
      count2 = added.length;
      return changed;
    });
    return { added: count2 };
  }
  async remove(ids) {
    let count2 = 0;
    await this.#change(() => {
      const { changed, removed } = withoutIds(this.#files(), ids);
      count2 = removed;
      return changed;
    });
    return { removed: count2 };
  }
  async publish(files) {
    const folder = this.#folder;
    if (folder === null) {
      throw new StoreError(
        `${this.label} is a single file, which has no place for a page: name a folder or git:BRANCH`
      );
    }
    checkPublished(files);
    await this.#change(() => new Map([...files].map(([path, content]) => [join(folder, path), content])));
  }
  #fileOf(record2) {
    return this.#folder === null ? this.label : join(this.#folder, monthFile(record2));
  }
  #files() {
    const records = this.#folder === null ? null : join(this.#folder, "records");
    try {
      const paths = records === null ? [this.label] : entriesOf(records).map((name) => join(records, name));
      return new Map(paths.filter(isThere).map((path) => [path, readBounded(path)]));
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new InputError(`the store ${this.label} cannot be read: ${error.message}`);
    }
  }
  /** Writes what `compute` returns, which sees the store as it is while nobody else changes it. */
  async #change(compute) {
    const lockFile = this.#folder === null ? `${this.label}.lock` : join(this.#folder, ".lock");
    try {
      mkdirSync(dirname(lockFile), { recursive: true });
      await withLock(lockFile, (stillOurs) => replaceFiles(compute(), stillOurs));
    } catch (error) {
      if (error instanceof InputError) throw error;
      const { code, message } = error;
      if (code === "ENOSPC" || code === "EDQUOT") {
        throw new StoreError(`no space left for the store ${this.label}: it is as it was`);
      }
      throw new StoreError(`cannot write to the store ${this.label}: ${message}; it is as it was`);
    }
  }
};
function isThere(path) {
  return statSync(path, { throwIfNoEntry: false }) !== void 0;
}
function entriesOf(folder) {
  if (!isThere(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith(".ndjson")).toSorted();
}
function readBounded(path) {
  if (statSync(path).size > LARGEST_FILE) throw new InputError(`${path} is larger than 64 MB: it is no store`);
  return readFileSync(path, "utf8");
}
function replaceFiles(changes, stillOurs) {
  const renames = [];
  try {
    for (const [path, content] of changes) {
      mkdirSync(dirname(path), { recursive: true });
      const target = isThere(path) ? realpathSync(path) : path;
      const beside = `${target}.${process.pid}.new`;
      renames.push([beside, target]);
      const file = openSync(beside, "w");
      try {
        writeFileSync(file, content);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    }
    if (!stillOurs()) return false;
    for (const [from, to] of renames.splice(0)) renameSync(from, to);
    return true;
  } finally {
    for (const [beside] of renames) rmSync(beside, { force: true });
  }
}
async function withLock(path, action) {
  const deadline = performance.now() + PATIENCE_MS;
  for (; ; ) {
    const lock = tryLock(path);
    if (lock !== null) {
      const inode = fstatSync(lock).ino;
      const stillOurs = () => statSync(path, { throwIfNoEntry: false })?.ino === inode;
      try {
        if (action(stillOurs)) return;
      } finally {
        if (stillOurs()) rmSync(path, { force: true });
        closeSync(lock);
      }
    }
    removeStale(path);
    if (performance.now() > deadline) {
      throw new StoreError(`${path} has been held for a minute by another process: remove it if there is none`);
    }
    await sleep(20 + Math.random() * 80);
  }
}
function tryLock(path) {
  try {
    return openSync(path, "wx");
  } catch (error) {
    if (error.code === "EEXIST") return null;
    throw error;
  }
}
function removeStale(path) {
  const lock = statSync(path, { throwIfNoEntry: false });
  if (lock !== void 0 && Date.now() - lock.mtimeMs > STALE_MS) rmSync(path, { force: true });
}

// scripts/src/history/git-store.ts
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as join2, resolve } from "node:path";
import { setTimeout as sleep2 } from "node:timers/promises";

// scripts/src/history/git.ts
import { execFile } from "node:child_process";
var GitError = class extends Error {
  name = "GitError";
};
var LIMIT_MS = 12e4;
var LARGEST_OUTPUT = 512 * 1024 * 1024;
async function git(args, { env, input = "", secrets = [], limitMs = LIMIT_MS }) {
  return await new Promise((resolve3, reject) => {
    const child = execFile(
      "git",
      [...args],
      {
        env: { ...env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
        encoding: "buffer",
        maxBuffer: LARGEST_OUTPUT,
        timeout: limitMs,
        killSignal: "SIGKILL"
      },
      (error, stdout, stderr) => {
        if (error === null) resolve3(stdout);
        else reject(new GitError(wordsOf(error, stderr.toString("utf8"), secrets, limitMs)));
      }
    );
    child.stdin?.on("error", () => {
    });
    child.stdin?.end(input);
  });
}
function unbound(env) {
  const bound = /^GIT_(DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|CONFIG|SHALLOW_FILE|GRAFT_FILE|QUARANTINE_PATH)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !bound.test(name)));
}
function withSettings(env, settings) {
  const first = Number(env["GIT_CONFIG_COUNT"] ?? 0);
  const added = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value]
  ]);
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(first + settings.length) };
}
function withoutCredentials(text2) {
  return text2.replace(/(:\/\/)[^/@\s]+@/g, "$1");
}
function wordsOf(error, stderr, secrets, limitMs) {
  if (error.code === "ENOENT") return "git is not installed";
  if (error.killed === true) return `git did not end within ${limitMs / 1e3} s: the connection timed out`;
  const lines = stderr.split(/[\r\n]+/).map((line) => line.replace(/^remote:\s*/, "").trim());
  const said = lines.filter((line) => line !== "" && !/^(hint:|To |error: failed to push some refs)/.test(line));
  let words = withoutCredentials(said.join("; "));
  for (const secret of secrets) words = words.replaceAll(secret, "***");
  return words.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, 600) || error.message.split("\n")[0] || "failed";
}

// scripts/src/history/git-store.ts
var PATIENCE_SECONDS = { read: 15, write: 60 };
var LONGEST_PAUSE_MS = 4e3;
var COMMITTER = "perf-gate <noreply@perf-gate.invalid>";
var README_FILE = "records/README.md";
var README = `# Records of perf-gate

One line of JSON per recorded run, in one file per month; lines are only ever added. perf-gate reads and writes them:
\`perf-gate baseline list\`. This branch has no common history with the code, and must not be merged.
`;
var GitStore = class {
  label;
  #options;
  constructor(options) {
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
  async append(records) {
    let count2 = 0;
    await this.#change((files) => {
      const { changed, added } = withAdded(files, records, (record2) => this.#name(monthFile(record2)));
      count2 = added.length;
      const commits = [...new Set(added.map(({ commit }) => commit.slice(0, 7)))].slice(0, 5).join(", ");
      return { changed: this.#paths(changed), message: `${count2 === 1 ? "Record" : `${count2} records`} of ${commits}` };
    });
    return { added: count2 };
  }
  async remove(ids) {
    let count2 = 0;
    await this.#change((files) => {
      const { changed, removed } = withoutIds(files, ids);
      count2 = removed;
      return { changed: this.#paths(changed), message: `Remove ${removed} records` };
    });
    return { removed: count2 };
  }
  async publish(files, message) {
    checkPublished(files);
    await this.#change(() => ({ changed: files, message }));
  }
  /** As git calls a file of a branch: perf-gate-data:records/2026-11.ndjson. */
  #name(path) {
    return `${this.#options.branch}:${path}`;
  }
  #paths(named) {
    return new Map([...named].map(([name, content]) => [name.slice(this.#name("").length), content]));
  }
  async #read() {
    return await this.#work("read", async (repository) => {
      const there = await repository.fetch();
      return { files: there ? await this.#files(repository) : /* @__PURE__ */ new Map(), missing: !there };
    });
  }
  /** Commits and pushes what `compute` makes of the branch as it is; tries again while others change it. */
  async #change(compute) {
    await this.#work("write", async (repository) => {
      const there = await repository.fetch();
      const { changed, message } = compute(there ? await this.#files(repository) : /* @__PURE__ */ new Map());
      if (changed.size === 0) return;
      const files = there ? changed : new Map([[README_FILE, README], ...changed]);
      await repository.commit(there, files, message);
      await repository.push();
    });
  }
  /** @throws StoreError where the branch is one of code: records do not belong there */
  async #files(repository) {
    const entries = await repository.list("records/");
    if (entries.length === 0) {
      throw new StoreError(
        `${this.label} is a branch with other files and no records/: a store has a branch of its own, which perf-gate makes (git:perf-gate-data)`
      );
    }
    const files = entries.filter(({ path }) => path.endsWith(".ndjson"));
    const large = files.find(({ bytes }) => bytes > LARGEST_FILE);
    if (large !== void 0) throw new InputError(`${this.#name(large.path)} is larger than 64 MB: it is no store`);
    const contents = await repository.contents(files);
    return new Map(files.map(({ path }, index) => [this.#name(path), contents[index] ?? ""]));
  }
  async #work(purpose, action) {
    const directory = mkdtempSync(join2(tmpdir(), "perf-gate-store-"));
    const deadline = performance.now() + PATIENCE_SECONDS[purpose] * 1e3;
    try {
      const repository = await this.#open(directory);
      for (let attempt = 1; ; attempt++) {
        try {
          return await action(repository);
        } catch (error) {
          if (!(error instanceof GitError)) throw error;
          if (!isPassing(error.message)) throw this.#refusal(purpose, error.message);
          if (this.#options.limitMs !== void 0)
            throw new StoreError(`cannot ${purpose} ${this.label}: ${error.message}`);
          if (performance.now() > deadline) {
            throw new StoreError(`cannot ${purpose} ${this.label}: ${error.message} (tried ${attempt} times)`);
          }
        }
        await sleep2(Math.random() * Math.min(LONGEST_PAUSE_MS, 100 * 2 ** attempt));
      }
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    }
  }
  /** An empty repository in `directory` that knows where the branch is, and has the credentials for it. */
  async #open(directory) {
    const env = unbound(this.#options.env);
    const remote = await this.#remote(env);
    const { settings, secrets } = await this.#credentials(env, remote.pushUrl);
    const ours = [
      // The user's hooks are for the user's work.
      ["core.hooksPath", "/dev/null"],
      ["gc.auto", "0"],
      ["maintenance.auto", "false"]
    ];
    const { limitMs } = this.#options;
    const options = { env: { ...withSettings(env, [...ours, ...settings]), GIT_DIR: directory }, secrets, limitMs };
    await git(["init", "--bare", "--quiet", "--template="], options).catch((error) => {
      throw new StoreError(`${this.label}: no repository can be made in ${directory}: ${error.message}`);
    });
    return new Repository(options, remote);
  }
  async #remote(env) {
    const { directory, remote, branch } = this.#options;
    if (remote !== null) {
      const url2 = absolute(remote, directory);
      return { branch, fetchUrl: url2, pushUrl: url2 };
    }
    const inside = async (...args) => (await git(["-C", directory, ...args], { env })).toString("utf8").trim();
    const top = await inside("rev-parse", "--show-toplevel").catch((error) => {
      throw new NoOriginError(
        `store git:${branch} is a branch of the origin of a git repository, and ${directory} is in none (${error.message}): name a folder, a file, or git:${branch}@URL`
      );
    });
    const url = (...flags) => inside("remote", "get-url", ...flags, "origin").catch(() => {
      throw new NoOriginError(
        `store git:${branch}: the repository ${top} has no remote origin: add it, or name git:${branch}@URL`
      );
    });
    return { branch, fetchUrl: absolute(await url(), top), pushUrl: absolute(await url("--push"), top) };
  }
  /** The job's token for its own server; elsewhere what the repository's settings say of credentials. */
  async #credentials(env, url) {
    const token = env["GITHUB_TOKEN"] ?? "";
    const server = env["GITHUB_SERVER_URL"] || "https://github.com";
    if (token !== "" && url.startsWith(`${server}/`)) {
      const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
      const key = `http.${server}/.extraHeader`;
      return {
        settings: [
          [key, ""],
          [key, `AUTHORIZATION: basic ${basic}`]
        ],
        secrets: [token, basic]
      };
    }
    if (this.#options.remote !== null) return { settings: [], secrets: [] };
    const pattern = "^(http\\..*|credential\\..*|core\\.sshcommand)$";
    const listed = await git(
      ["-C", this.#options.directory, "config", "--local", "--includes", "--null", "--get-regexp", pattern],
      { env }
    ).catch(() => Buffer.alloc(0));
    const settings = listed.toString("utf8").split("\0").filter((row) => row.includes("\n")).map((row) => [row.slice(0, row.indexOf("\n")), row.slice(row.indexOf("\n") + 1)]);
    return { settings, secrets: [] };
  }
  #refusal(purpose, words) {
    const { branch } = this.#options;
    const what = `cannot ${purpose} ${this.label}`;
    if (/protected branch|GH006|GH013|rule violations|pre-receive hook declined/i.test(words)) {
      return new StoreError(`${what}: a rule of the repository protects ${branch}: exempt it (git said: ${words})`);
    }
    if (/\b40[13]\b|permission|denied|authentication failed|could not read (username|password)/i.test(words)) {
      const need = purpose === "write" ? "the job needs `permissions: contents: write` and GITHUB_TOKEN, which a run for a fork's pull request does not get" : "the job needs `permissions: contents: read` and GITHUB_TOKEN";
      return new StoreError(`${what}: no permission: ${need} (git said: ${words})`);
    }
    return new StoreError(`${what}: ${words}`);
  }
};
function isPassing(words) {
  const race = /fetch first|non-fast-forward|stale info|cannot lock ref|failed to update ref|reference already exists|incorrect old value|unable to create '.*\.lock'|not our ref/i;
  const connection = /could not resolve host|timed out|connection (reset|refused|closed)|hung up unexpectedly|early eof|unexpected disconnect|returned error: (429|5\d\d)/i;
  return race.test(words) || connection.test(words);
}
function absolute(remote, directory) {
  return /^[^/]*:/.test(remote) ? remote : resolve(directory, remote);
}
var TIP = "refs/perf-gate/tip";
var NEXT = "refs/perf-gate/next";
var Repository = class {
  #options;
  #remote;
  constructor(options, remote) {
    this.#options = options;
    this.#remote = remote;
  }
  /** Gets the last commit of the branch; false where there is no such branch. */
  async fetch() {
    const refspec = `+refs/heads/${this.#remote.branch}:${TIP}`;
    try {
      await git(["fetch", "--quiet", "--no-tags", "--depth=1", "--", this.#remote.fetchUrl, refspec], this.#options);
      return true;
    } catch (error) {
      if (/couldn't find remote ref/i.test(error.message)) return false;
      throw error;
    }
  }
  async list(folder) {
    const listed = await git(["ls-tree", "-z", "--long", TIP, "--", folder], this.#options);
    return [...listed.toString("utf8").matchAll(/100\d{3} blob ([0-9a-f]+) +(\d+)\t([^\0]+)\0/g)].map(
      ([, object = "", bytes, path = ""]) => ({ path, object, bytes: Number(bytes) })
    );
  }
  /** Content of each entry, in order. */
  async contents(entries) {
    const input = entries.map(({ object }) => `${object}
`).join("");
    const all = await git(["cat-file", "--batch"], { ...this.#options, input });
    let at = 0;
    return entries.map(({ bytes }) => {
      const start = all.indexOf(10, at) + 1;
      at = start + bytes + 1;
      return all.toString("utf8", start, start + bytes);
    });
  }
  /** Makes the commit that `push` sends, in one step (git fast-import), on top of the fetched one where there is one. */
  async commit(onTip, files, message) {
    const data = (text2) => `data ${Buffer.byteLength(text2)}
${text2}
`;
    const parts = [`commit ${NEXT}
committer ${COMMITTER} now
${data(message)}`];
    if (onTip) parts.push(`from ${TIP}^0
`);
    for (const [path, content] of files) parts.push(`M 100644 inline ${path}
${data(content)}`);
    const input = `${parts.join("")}
done
`;
    await git(["fast-import", "--quiet", "--force", "--done", "--date-format=now"], { ...this.#options, input });
  }
  async push() {
    await git(
      ["push", "--quiet", "--", this.#remote.pushUrl, `${NEXT}:refs/heads/${this.#remote.branch}`],
      this.#options
    );
  }
};

// scripts/src/history/store.ts
function openStore(name, { directory, env, origin, limitMs }) {
  if (name.startsWith("git:")) {
    const [, branch = "", remote = null] = /^git:([^@]*)(?:@(.*))?$/s.exec(name) ?? [];
    checkBranch(branch);
    if (remote === "" || remote?.startsWith("-")) {
      throw new InputError(`store ${JSON.stringify(name)}: after the @ comes the URL or path of a repository`);
    }
    return new GitStore({ branch, remote: remote ?? origin ?? null, directory: resolve2(directory), env, limitMs });
  }
  if (name === "" || /^[a-z+]+:\/\//i.test(name)) {
    throw new InputError(
      `store ${JSON.stringify(name)}: allowed is git:BRANCH, git:BRANCH@URL, a file (.ndjson) or a folder`
    );
  }
  return new DiskStore(resolve2(directory, name), /\.(nd)?json$/i.test(name) ? "file" : "folder");
}
function checkBranch(branch) {
  if (!branch.startsWith("-")) {
    try {
      execFileSync("git", ["check-ref-format", `refs/heads/${branch}`], { stdio: "ignore" });
      return;
    } catch (error) {
      if (error.code === "ENOENT") {
        throw new InputError("a store git:BRANCH needs git, which is not installed: install it, or name a folder");
      }
    }
  }
  throw new InputError(`store git:${branch}: ${JSON.stringify(branch)} is no name of a branch (git check-ref-format)`);
}

export {
  sha256,
  StoreError,
  NoOriginError,
  LARGEST_FILE,
  openStore
};

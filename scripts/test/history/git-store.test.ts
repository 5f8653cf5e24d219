import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { openStore, StoreError } from "../../src/history/store.ts";
import { Appenders, git, ids, PLAIN_GIT, records, repositories, storeAt, temporary } from "./support.ts";

const BRANCH = "perf-gate-data";
const STORE = `git:${BRANCH}`;
const list = records(40);
const env = { ...process.env, ...PLAIN_GIT, GITHUB_TOKEN: "" };

let directory = "";
let bare = "";
let checkout = "";
beforeEach(() => {
  directory = temporary();
  ({ bare, checkout } = repositories(directory));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const store = (name = STORE, over: NodeJS.ProcessEnv = {}) => storeAt(name, checkout, { ...env, ...over });
const commits = () => git(bare, "log", "--format=%s", BRANCH).split("\n");

/** Content of every file of a checkout and its repository. */
function fingerprint(tree = checkout): string {
  const hash = createHash("sha256");
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    if (entry.isFile())
      hash.update(join(entry.parentPath, entry.name)).update(readFileSync(join(entry.parentPath, entry.name)));
  }
  return hash.digest("hex");
}

test("the branch is made with the first record, has no history of the code, and the checkout is not touched", async () => {
  const before = fingerprint();
  expect(await store().read()).toEqual({ records: [], missing: true });
  expect(await store().append(list.slice(1))).toEqual({ added: 39 });
  expect(await store().append(list)).toEqual({ added: 1 });
  expect(await store().append(list)).toEqual({ added: 0 });
  expect(await store().read()).toEqual({ records: list, missing: false });
  expect(fingerprint()).toBe(before);
  expect(commits()).toEqual([`Record of ${list[0]?.commit.slice(0, 7)}`, expect.stringMatching(/^39 records of /)]);
  expect(git(bare, "ls-tree", "-r", "--name-only", BRANCH).split("\n")).toEqual([
    "records/2026-01.ndjson",
    "records/2026-02.ndjson",
    "records/README.md",
  ]);
  expect(git(bare, "log", "-1", "--format=%an <%ae> %cn", BRANCH)).toBe(
    "perf-gate <noreply@perf-gate.invalid> perf-gate",
  );
  expect(git(bare, "for-each-ref", "--format=%(refname)").split("\n")).toEqual([
    `refs/heads/main`,
    `refs/heads/${BRANCH}`,
  ]);
  expect(store().label).toBe("git:perf-gate-data of origin");
  git(bare, "fsck", "--strict");
});

test("records can be removed, and a page put beside them", async () => {
  await store().append(list);
  expect(await store().remove(new Set(ids(list.slice(5))))).toEqual({ removed: 35 });
  await store().publish(
    new Map([
      ["index.html", "<p>"],
      ["charts/a.svg", "<svg/>\n"],
    ]),
    "Trend of main",
  );
  expect((await store().read()).records).toEqual(list.slice(0, 5));
  expect(git(bare, "show", `${BRANCH}:charts/a.svg`)).toBe("<svg/>");
  expect(commits()[0]).toBe("Trend of main");
});

test("another repository can be named by path, and a relative origin is found from below the top", async () => {
  await store(`git:${BRANCH}@../origin.git`).append(list);
  git(checkout, "remote", "set-url", "origin", "../origin.git");
  mkdirSync(join(checkout, "below"));
  expect((await storeAt(STORE, join(checkout, "below"), env).read()).records).toHaveLength(40);
});

test("another URL can stand for origin, and not for a repository that is named", async () => {
  const outside = join(directory, "outside");
  mkdirSync(outside);
  const named = join(directory, "named.git");
  git(directory, "init", "--quiet", "--bare", named);
  await openStore(STORE, { directory: outside, env, origin: bare }).append(list.slice(0, 1));
  await openStore(`${STORE}@${named}`, { directory: outside, env, origin: bare }).append(list);
  expect((await store().read()).records).toHaveLength(1);
  expect((await store(`${STORE}@${named}`).read()).records).toHaveLength(40);
});

test("pushes go where the remote's push URL says", async () => {
  const other = join(directory, "other.git");
  git(directory, "init", "--quiet", "--bare", other);
  git(checkout, "remote", "set-url", "--push", "origin", other);
  await store().append(list.slice(0, 1));
  expect(git(other, "log", "--format=%an", BRANCH)).toBe("perf-gate");
});

test("it works inside a hook of another repository, which stays as it is, and the user's hooks do not run", async () => {
  const hooks = join(directory, "hooks");
  mkdirSync(hooks);
  for (const hook of ["pre-push", "reference-transaction"]) {
    writeFileSync(join(hooks, hook), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  }
  const other = join(directory, "other");
  git(directory, "init", "--quiet", other);
  const before = fingerprint(other);
  const hook = {
    GIT_DIR: join(other, ".git"),
    GIT_OBJECT_DIRECTORY: join(other, ".git/objects"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.hooksPath",
    GIT_CONFIG_VALUE_0: hooks,
  };
  expect(await store(STORE, hook).append(list)).toEqual({ added: 40 });
  expect((await store().read()).records).toHaveLength(40);
  expect(fingerprint(other)).toBe(before);
});

test("20 processes that push at once all get their record in, each once", async () => {
  const appenders = new Appenders(directory);
  const started = await Promise.all(list.slice(0, 20).map((record) => appenders.start(STORE, checkout, [record])));
  const answers = await Promise.all(started.map(({ answer }) => answer));
  expect(answers).toEqual(Array(20).fill({ added: 1 }));
  expect((await store().read()).records).toEqual(list.slice(0, 20));
  const lines = git(bare, "show", `${BRANCH}:records/2026-01.ndjson`).split("\n");
  expect(new Set(lines).size).toBe(20);
  expect(lines).toHaveLength(20);
  expect(commits()).toHaveLength(20);
});

test("a push that is killed half-way leaves the branch readable", async () => {
  const appenders = new Appenders(directory);
  const start = performance.now();
  await (await appenders.start(STORE, checkout, list.slice(0, 1))).answer;
  const wholeMs = performance.now() - start;
  let before = 1;
  let killed = 0;
  for (const [index, record] of list.slice(1, 20).entries()) {
    const { process: child, answer } = await appenders.start(STORE, checkout, [record]);
    await sleep((wholeMs * (index + 2)) / 20);
    // With the git commands that it has started.
    if (child.exitCode === null) process.kill(-(child.pid as number), "SIGKILL");
    if ((await answer) === null) killed++;
    // Here the server's half dies with it.
    rmSync(join(bare, `refs/heads/${BRANCH}.lock`), { force: true });
    const { records: there } = await store().read();
    expect([before, before + 1]).toContain(there.length);
    before = there.length;
  }
  expect(killed).toBeGreaterThan(3);
  await store().append(list);
  expect((await store().read()).records).toEqual(list);
  git(bare, "fsck", "--strict");
});

test("a branch of code is no store, and stays as it is", async () => {
  const main = git(bare, "rev-parse", "main");
  await expect(store("git:main").append(list)).rejects.toThrow(/git:main of origin is a branch with other files/);
  await expect(store("git:main").read()).rejects.toThrow(StoreError);
  await expect(store("git:main").publish(new Map([["index.html", ""]]), "Page")).rejects.toThrow(StoreError);
  expect(git(bare, "rev-parse", "main")).toBe(main);
});

describe("a damaged branch", () => {
  /** Replaces a file of the branch as somebody else would. */
  function replace(change: (text: string) => string): string {
    git(checkout, "fetch", "--quiet", "origin", `${BRANCH}:${BRANCH}`);
    git(checkout, "switch", "--quiet", BRANCH);
    const file = join(checkout, "records/2026-01.ndjson");
    writeFileSync(file, change(readFileSync(file, "utf8")));
    git(checkout, "commit", "--quiet", "-am", "by hand");
    git(checkout, "push", "--quiet", "origin", BRANCH);
    return git(bare, "rev-parse", BRANCH);
  }

  test.each([
    [
      "a line cut short",
      (text: string) => text.slice(0, -9),
      /perf-gate-data:records\/2026-01\.ndjson:31: damaged or cut short/,
    ],
    [
      "a figure changed",
      (text: string) => text.replace('"rounds":8', '"rounds":7'),
      /:1: damaged: its content does not match/,
    ],
    ["a conflict's marks", (text: string) => `<<<<<<< HEAD\n${text}`, /:1: damaged or cut short/],
    [
      "a newer version",
      (text: string) => text.replace('"version":1', '"version":2'),
      /:1: written by a newer perf-gate \(version 2/,
    ],
  ])("with %s is not read, not written, and left as it is", async (_name, change, message) => {
    await store().append(list);
    const commit = replace(change);
    await expect(store().read()).rejects.toThrow(message);
    await expect(store().append(records(1, 5))).rejects.toThrow(message);
    expect(git(bare, "rev-parse", BRANCH)).toBe(commit);
    expect((await store().inspect()).problems).toEqual([expect.stringMatching(message)]);
  });
});

describe("a store that cannot be reached or written", () => {
  test("a rule of the repository is named", async () => {
    writeFileSync(
      join(bare, "hooks/pre-receive"),
      "#!/bin/sh\necho x >>pushes\necho 'error: GH006: Protected branch update failed for refs/heads/perf-gate-data.' >&2\necho 'See ftp://me:hunter2@host.test' >&2\nexit 1\n",
      { mode: 0o755 },
    );
    await expect(store().append(list)).rejects.toThrow(
      /cannot write git:perf-gate-data of origin: a rule of the repository protects perf-gate-data.*GH006/,
    );
    const error = await store()
      .append(list)
      .catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toContain("See ftp://host.test");
    // Both of them once: what a rule refuses is not tried again.
    expect(readFileSync(join(bare, "pushes"), "utf8")).toBe("x\nx\n");
  });

  test("outside of a repository, without an origin, and with one that is gone", async () => {
    const outside = join(directory, "outside");
    mkdirSync(outside);
    await expect(storeAt(STORE, outside, env).read()).rejects.toThrow(
      /is in none .*name a folder, a file, or git:perf-gate-data@URL/,
    );
    git(checkout, "remote", "set-url", "origin", join(directory, "gone.git"));
    await expect(store().read()).rejects.toThrow(/cannot read git:perf-gate-data of origin: .*gone\.git/);
    git(checkout, "remote", "remove", "origin");
    await expect(store().read()).rejects.toThrow(/has no remote origin/);
    await expect(store().read()).rejects.toThrow(InputError);
  });
});

describe("over HTTP", () => {
  const TOKEN = "ghs_secretOfTheJob";
  let server: Server;
  let url = "";
  /** Authorization of each request. */
  let seen: (string | undefined)[];
  /** Status for pushes; 200 = let through. */
  let pushStatus = 200;
  let refused = 0;

  beforeEach(async () => {
    seen = [];
    pushStatus = 200;
    refused = 0;
    git(bare, "config", "http.receivepack", "true");
    server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      const push = (request.url ?? "").includes("git-receive-pack");
      if (push && pushStatus !== 200) {
        refused++;
        response.writeHead(pushStatus).end();
        return;
      }
      backend(request, directory, (status, headers, body) => response.writeHead(status, headers).end(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    git(checkout, "remote", "set-url", "origin", `${url}/origin.git`);
  });
  afterEach(() => server.close());

  test("the job's token goes to its own server", async () => {
    const job = { GITHUB_TOKEN: TOKEN, GITHUB_SERVER_URL: url };
    expect(await store(STORE, job).append(list)).toEqual({ added: 40 });
    expect((await store(STORE, job).read()).records).toEqual(list);
    const basic = `basic ${Buffer.from(`x-access-token:${TOKEN}`).toString("base64")}`;
    expect(new Set(seen)).toEqual(new Set([basic]));
  });

  test("and it replaces a header that is configured, of which there must not be two", async () => {
    const job = { GITHUB_TOKEN: TOKEN, GITHUB_SERVER_URL: url };
    git(checkout, "config", `http.${url}/.extraheader`, "AUTHORIZATION: basic b2xk");
    const global = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `http.${url}/.extraheader`,
      GIT_CONFIG_VALUE_0: "AUTHORIZATION: basic b2xk",
    };
    await store(STORE, { ...job, ...global }).append(list);
    expect(seen.every((header) => header?.includes(Buffer.from(`x-access-token:${TOKEN}`).toString("base64")))).toBe(
      true,
    );
  });

  test("to no other server", async () => {
    await store(STORE, { GITHUB_TOKEN: TOKEN, GITHUB_SERVER_URL: "https://github.test" }).append(list);
    await store(STORE, { GITHUB_TOKEN: TOKEN, GITHUB_SERVER_URL: url.slice(0, -1) }).read();
    expect(new Set(seen)).toEqual(new Set([undefined]));
    seen = [];
    git(checkout, "config", `http.${url}/.extraheader`, "AUTHORIZATION: basic a2VwdA==");
    await store(STORE, { GITHUB_TOKEN: TOKEN, GITHUB_SERVER_URL: "https://github.test" }).read();
    expect(new Set(seen)).toEqual(new Set(["basic a2VwdA=="]));
  });

  test("without a token the credentials of the checkout are used", async () => {
    git(checkout, "config", `http.${url}/.extraheader`, "AUTHORIZATION: basic a2VwdA==");
    await store().append(list);
    expect(new Set(seen)).toEqual(new Set(["basic a2VwdA=="]));
  });

  test.each([401, 403])("a token that may not push (%i): the permission is named, the token is not", async (status) => {
    pushStatus = status;
    const refused = store(STORE, { GITHUB_TOKEN: TOKEN, GITHUB_SERVER_URL: url }).append(list);
    const error = await refused.catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toMatch(/no permission: the job needs `permissions: contents: write` and GITHUB_TOKEN/);
    expect(String(error)).not.toMatch(
      new RegExp(`${TOKEN}|${Buffer.from(`x-access-token:${TOKEN}`).toString("base64")}`),
    );
  });

  test("credentials in the URL are in no message", async () => {
    pushStatus = 403;
    git(checkout, "remote", "set-url", "origin", `${url.replace("//", "//user:hunter2@")}/origin.git`);
    const error = await store()
      .append(list)
      .catch((reason: Error) => reason);
    expect(String(error)).toMatch(/no permission/);
    expect(String(error)).not.toContain("hunter2");
    expect(store(`git:${BRANCH}@https://user:hunter2@host.test/x`).label).toBe(
      "git:perf-gate-data of https://host.test/x",
    );
  });

  test("a server that is away for a moment is asked again", async () => {
    pushStatus = 503;
    const pushed = store().append(list);
    await expect.poll(() => refused, { timeout: 60_000 }).toBeGreaterThan(0);
    pushStatus = 200;
    expect(await pushed).toEqual({ added: 40 });
  });
});

/** One request through git's own server program (CGI). */
function backend(
  request: IncomingMessage,
  root: string,
  answer: (status: number, headers: Record<string, string>, body: Buffer) => void,
): void {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const program = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-http-backend");
  const child = spawn(program, {
    env: {
      ...process.env,
      ...PLAIN_GIT,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      CONTENT_LENGTH: request.headers["content-length"] ?? "",
      HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => {});
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf("\r\n\r\n");
    const lines = all.toString("latin1", 0, end).split("\r\n");
    const headers = Object.fromEntries(lines.map((line) => line.split(": ", 2) as [string, string]));
    const { Status: status = "200", ...others } = headers;
    answer(Number.parseInt(status, 10), others, all.subarray(end + 4));
  });
}

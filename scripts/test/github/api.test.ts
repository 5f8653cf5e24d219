import { beforeEach, describe, expect, test } from "vitest";
import { type Api, createApi } from "../../src/github/api.ts";
import { GitHubError } from "../../src/github/errors.ts";
import type { ApiServer, Fault } from "./api-server/server.ts";
import { apiTo, BASE, BOT, collect, HEAD, OLDER, pull, serverForEach } from "./world.ts";

let server: ApiServer;

serverForEach((fresh) => {
  server = fresh;
});

/** A real server instead: PERF_GATE_TEST_API, _TOKEN, _REPOSITORY (owner/name) and _PULL, the number of an open one. */
const { PERF_GATE_TEST_API: realApi, PERF_GATE_TEST_TOKEN: realToken } = process.env;
const real = realApi !== undefined && realToken !== undefined;

describe("what any server of GitHub's API does", () => {
  const repository = real ? (process.env["PERF_GATE_TEST_REPOSITORY"] ?? "") : "octo/shop";
  const number = real ? Number(process.env["PERF_GATE_TEST_PULL"]) : 12;
  const missing = 987_654_321;
  let api: Api;

  beforeEach(() => {
    server.state.files.set(`${BASE}:perf-gate.yml`, "budget: 5m\n");
    api = real
      ? createApi({ token: realToken ?? "", repository, baseUrl: realApi ?? "", log: () => {} })
      : apiTo(server);
  });

  test("a comment is made, found by its author, and changed", async () => {
    const author = await api.viewer();
    const text = `<!-- perf-gate test ${process.pid} --> made by a test: <b>&amp;</b> 🔴 −5%`;
    const made = await api.createComment(number, text);
    expect(made).toMatchObject({ author, body: text });
    expect(await api.updateComment(made.id, `${text}, changed`)).toMatchObject({
      id: made.id,
      body: `${text}, changed`,
    });
    expect(await collect(api.comments(number))).toContainEqual({ id: made.id, author, body: `${text}, changed` });
  });

  test("a comment that is gone is null", async () => {
    expect(await api.updateComment(missing, "x")).toBeNull();
  });

  test("a pull request is found by number, and by its branch", async () => {
    const found = await api.pull(number);
    expect(found).toMatchObject({ number, headSha: expect.stringMatching(/^[0-9a-f]{40}$/) });
    const owner = found.headRepository?.split("/")[0] ?? "";
    expect(await api.openPulls(owner, found.headRef)).toContainEqual(found);
    expect(await api.openPulls(owner, `${found.headRef}-no-such-branch`)).toEqual([]);
  });

  test("its events can be read", async () => {
    expect(Array.isArray(await api.events(number))).toBe(true);
  });

  test("the tip of its base, and a file that is not there", async () => {
    const { baseRef } = await api.pull(number);
    const tip = await api.tip(baseRef);
    expect(tip).toMatch(/^[0-9a-f]{40}$/);
    expect(await api.fileAt(`no-such-directory/${missing}.yml`, tip)).toBeNull();
  });

  test.each([
    ["pull", (a: Api) => a.pull(missing)],
    ["run", (a: Api) => a.run(missing)],
    ["download", (a: Api) => a.download(missing, 1000)],
    ["tip", (a: Api) => a.tip("no-such-branch")],
  ])("%s: what is not there is an error that names the permission", async (_, call) => {
    await expect(call(api)).rejects.toThrow(
      /^cannot .*\(404, .*\n {4}permissions: # beside those that are there\n {6}contents: read/s,
    );
  });
});

test("250 comments are read to their end, in pages of 100", async () => {
  server.state.comments = Array.from({ length: 250 }, (_, at) => ({
    id: at + 1,
    pull: 12,
    login: "anna",
    body: `${at}`,
  }));
  server.state.comments.push({ id: 900, pull: 13, login: "anna", body: "of another" });
  const comments = await collect(apiTo(server).comments(12));
  expect(comments.map(({ body }) => Number(body))).toEqual(Array.from({ length: 250 }, (_, at) => at));
  expect(server.requests).toHaveLength(3);
});

test("GitHub Enterprise Server: its own addresses, to the last page", async () => {
  server.state.comments = Array.from({ length: 150 }, (_, id) => ({ id, pull: 12, login: "anna", body: "x" }));
  const api = apiTo({ url: `${server.url}/api/v3` });
  expect(await api.viewer()).toBe(BOT);
  expect(await collect(api.comments(12))).toHaveLength(150);
  expect(server.requests).toEqual([
    "POST /api/graphql",
    "GET /api/v3/repos/octo/shop/issues/12/comments",
    "GET /api/v3/repos/octo/shop/issues/12/comments",
  ]);
});

test("labels, and forced pushes, with who and when", async () => {
  const at = "2026-03-04T10:20:30Z";
  server.state.events = [
    { pull: 12, event: "labeled", label: "ok", actor: "anna", at },
    { pull: 12, event: "unlabeled", label: "ok", actor: "anna", at },
    { pull: 12, event: "head_ref_force_pushed", actor: "ben", at },
    { pull: 12, event: "closed", actor: "ben", at },
  ];
  expect(await apiTo(server).events(12)).toEqual([
    { kind: "labeled", label: "ok", actor: "anna", at },
    { kind: "force-pushed", at },
  ]);
});

test("pull requests of one branch name are those of the asked owner", async () => {
  server.state.pulls = [
    pull(),
    pull({ number: 13, headRepository: "stranger/shop" }),
    pull({ number: 14, headRepository: "stranger/shop", state: "closed" }),
  ];
  const found = await apiTo(server).openPulls("stranger", "faster-orders");
  expect(found.map(({ number }) => number)).toEqual([13]);
});

test("a deleted fork leaves a pull request without a repository", async () => {
  server.state.pulls = [pull({ headRepository: null })];
  expect((await apiTo(server).pull(12)).headRepository).toBeNull();
});

describe("files", () => {
  test("text of the commit, whatever its letters and folders", async () => {
    server.state.files.set(`${BASE}:.github/perf gate/ü.yml`, "budget: 5m # ü\n".repeat(20));
    expect(await apiTo(server).fileAt(".github/perf gate/ü.yml", BASE)).toBe("budget: 5m # ü\n".repeat(20));
    expect(await apiTo(server).fileAt(".github/perf gate/ü.yml", OLDER)).toBeNull();
  });

  test("what is no configuration", async () => {
    server.state.files.set(`${BASE}:huge.yml`, "#".repeat(1024 * 1024 + 1));
    server.state.files.set(`${BASE}:latin.yml`, Buffer.from([0x6b, 0xfc]));
    const read = async (path: string) => await apiTo(server).fileAt(path, BASE);
    await expect(read("huge.yml")).rejects.toThrow("cannot read huge.yml at bbbbbbbbbbbb: huge.yml is larger than");
    await expect(read("latin.yml")).rejects.toThrow("latin.yml is not text in UTF-8");
  });

  test("branches with a slash", async () => {
    server.state.branches.set("release/1.x", OLDER);
    expect(await apiTo(server).tip("release/1.x")).toBe(OLDER);
  });
});

describe("artifacts", () => {
  const zip = new Uint8Array(300_000).map((_, at) => at % 251);
  beforeEach(() => {
    server.state.artifacts = [
      { id: 1, run: 77, name: "perf-gate", zip: new Uint8Array(3), expired: true },
      { id: 3, run: 77, name: "perf-gate", zip, expired: false },
      { id: 2, run: 77, name: "perf-gate", zip: new Uint8Array(2), expired: false },
      { id: 4, run: 77, name: "other", zip, expired: false },
      { id: 5, run: 78, name: "perf-gate", zip, expired: false },
    ];
  });

  test("the newest of the name and the run", async () => {
    expect(await apiTo(server).artifact(77, "perf-gate")).toEqual({ id: 3, bytes: zip.byteLength, expired: false });
    expect(await apiTo(server).artifact(79, "perf-gate")).toBeNull();
  });

  test("comes whole, and the storage host never sees the token", async () => {
    expect(Buffer.from(await apiTo(server).download(3, zip.byteLength)).equals(zip)).toBe(true);
    expect(server.storageHeaders).toHaveLength(1);
    expect(server.storageHeaders[0]).not.toHaveProperty("authorization");
  });

  test("is fetched again where it broke off, but not for ever", async () => {
    server.storageBreaks = 2;
    expect(Buffer.from(await apiTo(server).download(3, zip.byteLength)).equals(zip)).toBe(true);
    server.storageBreaks = 9;
    const error = await apiTo(server)
      .download(3, zip.byteLength)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ passing: true, message: expect.stringContaining("it broke off after") });
    expect(server.storageHeaders).toHaveLength(3 + 4);
  });

  test("is read no further than the limit", async () => {
    await expect(apiTo(server).download(3, zip.byteLength - 1)).rejects.toThrow(
      "cannot download artifact 3: it is larger than 299999 bytes",
    );
  });
});

describe("what passes is waited for", () => {
  const path = /\/pulls\/12$/;
  const secondary = { message: "You have exceeded a secondary rate limit. Please wait a few minutes." };
  const plant = (fault: Omit<Fault, "path" | "times"> & { times?: number }) =>
    server.faults.push({ path, times: 1, ...fault });

  test.each([
    ["502", { status: 502, times: 3 }, 4],
    ["500 without a body", { status: 500, body: {} }, 2],
    ["403, secondary rate limit", { status: 403, body: secondary, headers: { "retry-after": "3" }, times: 2 }, 3],
    ["429, secondary rate limit", { status: 429, body: secondary, headers: { "retry-after": "1" } }, 2],
    [
      "429, primary rate limit",
      { status: 429, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" } },
      2,
    ],
    [
      "403, primary rate limit",
      { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" } },
      2,
    ],
    ["no answer in time", { delayMs: 1500, times: 2 }, 3],
  ])("%s", async (_, fault, requests) => {
    plant(fault);
    const api = apiTo(server, "delayMs" in fault ? { timeoutMs: 700 } : {});
    expect((await api.pull(12)).headSha).toBe(HEAD);
    expect(server.requests).toHaveLength(requests);
  });

  test("as long as GitHub asks for", async () => {
    plant({ status: 403, body: secondary, headers: { "retry-after": "60" } });
    const api = apiTo(server);
    const started = performance.now();
    await api.pull(12);
    // 60 s of 2 ms each.
    expect(performance.now() - started).toBeGreaterThan(110);
    expect(api.said).toEqual(["GitHub's secondary rate limit is reached: waiting 60 s"]);
  });

  test("but not for longer than two minutes", async () => {
    plant({ status: 403, body: secondary, headers: { "retry-after": "3600" } });
    const error = await apiTo(server)
      .pull(12)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(GitHubError);
    expect(error).toMatchObject({ passing: true, message: expect.stringContaining("limits the rate of requests") });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["503", { status: 503 }, /^cannot read pull request #12: GitHub answered 503 in 4 tries/],
    ["silence", { delayMs: 500 }, /^cannot read pull request #12: GitHub did not answer in 4 tries/],
  ])("and not for ever: %s", async (_, fault, message) => {
    plant({ ...fault, times: 9 });
    const error = await apiTo(server, { timeoutMs: 100 })
      .pull(12)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "GitHubError", passing: true, message: expect.stringMatching(message) });
    expect(server.requests).toHaveLength(4);
  });

  test("a new comment is sent once: the answer may be what was lost", async () => {
    server.faults.push({ method: "POST", path: /comments$/, times: 1, status: 502, afterwards: true });
    await expect(apiTo(server).createComment(12, "x")).rejects.toThrow(GitHubError);
    expect(server.state.comments).toHaveLength(1);
  });
});

describe("what does not pass is a sentence with what to do", () => {
  const reader = { login: BOT, permissions: ["contents: read"] };

  test("a wrong token", async () => {
    await expect(apiTo(server, { token: "wrong" }).pull(12)).rejects.toThrow(
      /^cannot read pull request #12: GitHub refuses the token \(401, Bad credentials\). Give the step a valid one:\n {8}env:\n {10}GITHUB_TOKEN: \$\{\{ github\.token \}\}$/,
    );
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["pull-requests: write", (api: Api) => api.createComment(12, "x")],
    ["pull-requests: read", (api: Api) => collect(api.comments(12))],
    ["pull-requests: read", (api: Api) => api.events(12)],
    ["actions: read", (api: Api) => api.run(1)],
    ["actions: read", (api: Api) => api.artifact(1, "x")],
  ])("the permission %s", async (permission, call) => {
    server.state.tokens.set("reader", reader);
    const error = await call(apiTo(server, { token: "reader" })).catch((caught: unknown) => caught as Error);
    expect(error).toMatchObject({ name: "GitHubError", passing: false });
    expect((error as Error).message).toContain(
      `the token may not do it (403, Resource not accessible by integration). It takes, in the job:\n    permissions: # beside those that are there\n      contents: read\n      ${permission}`,
    );
    expect((error as Error).message.includes("perf-report.yml")).toBe(permission.endsWith("write"));
  });

  test("a refusal of GitHub's other interface", async () => {
    const body = { data: null, errors: [{ message: "Resource not accessible", type: "FORBIDDEN", path: ["viewer"] }] };
    server.faults.push({ path: /graphql$/, times: 9, status: 200, body });
    const error = await apiTo(server)
      .viewer()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      name: "GitHubError",
      message: expect.stringContaining("cannot ask who the token belongs to: Request failed due to following response"),
    });
  });

  test("GitHub's own words are one short line", async () => {
    server.faults.push({ path: /./, times: 1, status: 422, body: { message: `no\n::error::${"x".repeat(500)}` } });
    const error = await apiTo(server)
      .pull(12)
      .catch((caught: unknown) => caught as Error);
    expect((error as Error).message).not.toContain("\n");
    expect((error as Error).message.length).toBeLessThan(300);
  });
});

test("no server at all", async () => {
  const gone = apiTo({ url: "http://127.0.0.1:9" });
  await expect(gone.pull(12)).rejects.toThrow(
    /^cannot read pull request #12: GitHub did not answer in 4 tries \(.*\)$/,
  );
});

test("the contract notices what GitHub would not take or say", async () => {
  const bad = async (path: string, body?: object) =>
    await fetch(`${server.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: "token test-token" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  expect((await bad("/repos/octo/shop/issues/12/comments?perpage=100")).status).toBe(422);
  expect((await bad("/repos/octo/shop/issues/twelve/comments")).status).toBe(422);
  expect((await bad("/repos/octo/shop/issues/12/comments", { text: "x" })).status).toBe(422);
  expect((await bad("/repos/octo/shop/nothing")).status).toBe(404);
  server.state.comments = [{ id: "one" as unknown as number, pull: 12, login: "anna", body: "x" }];
  await bad("/repos/octo/shop/issues/12/comments");
  expect(server.violations.splice(0)).toEqual([
    "issues/list-comments: no query parameter perpage",
    "path issue_number: must be integer",
    "body: must have required property 'body'",
    "GET /repos/octo/shop/nothing: GitHub has no such call",
    "answer: issues/list-comments 200/0/id: must be integer",
  ]);
});

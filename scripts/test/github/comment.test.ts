import { describe, expect, test } from "vitest";
import type { Verdict } from "../../src/core/model.ts";
import { marker, type PastRun, pastRuns, putComment, type StickyComment } from "../../src/github/comment.ts";
import type { ApiServer } from "./api-server/server.ts";
import { apiTo, BOT, HEAD, serverForEach } from "./world.ts";

let server: ApiServer;

serverForEach((fresh) => {
  server = fresh;
});

const run = (id: number, verdict: Verdict = "pass", over: Partial<PastRun> = {}): PastRun => ({
  commit: HEAD,
  verdict,
  accepted: false,
  run: id,
  ...over,
});

const put = (over: Partial<StickyComment> = {}) =>
  putComment(apiTo(server), {
    pull: 12,
    key: "perf-gate",
    policy: "always",
    now: run(1),
    render: (runs) => runs.map((past) => `${past.run} ${past.verdict}`).join(", "),
    ...over,
  });

const bodies = () => server.state.comments.map(({ body }) => body.split("\n").slice(1).join("\n"));

describe("one comment per configuration", () => {
  test("made once, then changed, with the runs before", async () => {
    expect(await put({ now: run(1, "pass") })).toBe("created");
    expect(await put({ now: run(2, "regression") })).toBe("updated");
    expect(await put({ now: run(3, "inconclusive") })).toBe("updated");
    expect(bodies()).toEqual(["1 pass, 2 regression, 3 inconclusive"]);
  });

  test("a run that is repeated is itself, the last five are kept", async () => {
    for (const id of [1, 2, 3, 4, 5, 6, 7, 5, 5]) await put({ now: run(id) });
    expect(bodies()).toEqual(["3 pass, 4 pass, 6 pass, 7 pass, 5 pass"]);
  });

  test("another configuration has another", async () => {
    await put({ key: "api.2" });
    await put({ key: "api" });
    await put({ key: "api.2" });
    const keys = server.state.comments.map(({ body }) => /comment=(\S+) /.exec(body)?.[1]);
    expect(keys).toEqual(["api.2", "api"]);
  });

  test("found past the first hundred", async () => {
    const noise = (at: number) => ({ id: at + 1, pull: 12, login: "anna", body: `comment ${at}` });
    server.state.comments = Array.from({ length: 160 }, (_, at) => noise(at));
    await put();
    server.state.comments.push(...Array.from({ length: 90 }, (_, at) => noise(at + 5000)));
    expect(await put({ now: run(2) })).toBe("updated");
    expect(server.state.comments).toHaveLength(251);
  });

  test("the marker in another author's comment is not ours, however well it is made", async () => {
    const forged = `${marker("perf-gate", [run(9)])}all is well`;
    server.state.comments = [
      { id: 1, pull: 12, login: "mallory", body: forged },
      { id: 2, pull: 12, login: "github-actions", body: forged },
    ];
    expect(await put()).toBe("created");
    expect(server.state.comments.slice(0, 2).map(({ body }) => body)).toEqual([forged, forged]);
  });

  test("the marker in the middle of our own comment is a quotation", async () => {
    server.state.comments = [{ id: 1, pull: 12, login: BOT, body: `> ${marker("perf-gate", [])}` }];
    expect(await put()).toBe("created");
  });

  test("of two, the older one is kept", async () => {
    const body = marker("perf-gate", []);
    server.state.comments = [1, 2].map((id) => ({ id, pull: 12, login: BOT, body }));
    await put();
    expect(server.state.comments[1]?.body).toBe(body);
  });

  test("deleted meanwhile: a new one", async () => {
    server.state.comments = [{ id: 1, pull: 12, login: BOT, body: marker("perf-gate", []) }];
    const effect = (state: ApiServer["state"]) => void state.comments.splice(0);
    server.faults.push({ method: "PATCH", path: /comments\/1$/, times: 1, status: 404, effect });
    expect(await put()).toBe("created");
  });

  test("an answer that was lost makes no second comment", async () => {
    server.faults.push({ method: "POST", path: /comments$/, times: 1, status: 502, afterwards: true });
    expect(await put()).toBe("updated");
    expect(server.state.comments).toHaveLength(1);
  });

  test("a server that never answers is an error, not a loop", async () => {
    server.faults.push({ method: "POST", path: /comments$/, times: 99, status: 502 });
    await expect(put()).rejects.toThrow("cannot comment on #12: GitHub answered 502");
    expect(server.requests.filter((request) => request.startsWith("POST /repos"))).toHaveLength(3);
  });
});

describe("when a comment is wanted", () => {
  const red: Verdict[] = ["regression", "error"];
  test.each([
    ["always", ["pass", "inconclusive", ...red]],
    ["on-change", ["inconclusive", ...red]],
    ["on-regression", red],
    ["never", []],
  ] as const)("%s", async (policy, wanted) => {
    for (const verdict of ["pass", "inconclusive", "regression", "error"] as const) {
      server.state.comments = [];
      const done = await put({ policy, now: run(1, verdict) });
      expect(done, verdict).toBe((wanted as readonly Verdict[]).includes(verdict) ? "created" : "unwanted");
    }
  });

  test.each(["always", "on-change", "on-regression"] as const)(
    "%s: one that is there does not stay red",
    async (policy) => {
      await put({ policy, now: run(1, "regression") });
      expect(await put({ policy, now: run(2, "pass") })).toBe("updated");
      expect(bodies()).toEqual(["1 regression, 2 pass"]);
    },
  );
});

describe("the marker", () => {
  const runs = [run(1, "regression", { accepted: true }), run(2, "error"), run(999_999_999_999)];

  test("gives back what was written", () => {
    expect(pastRuns(`${marker("perf-gate", runs)}text`, "perf-gate")).toEqual(runs);
    expect(pastRuns(`${marker("perf-gate", runs).trim()}\r\ntext`, "perf-gate")).toEqual(runs);
  });

  test("is of its configuration", () => expect(pastRuns(marker("perf-gate", runs), "perf")).toEqual([]));

  const line = (entries: string) => `<!-- perf-gate comment=k runs=${entries} -->\n`;
  const good = `${HEAD}:pass:1`;
  test.each([
    ["", 0],
    [`${good},x,${good}`, 2],
    [`${HEAD}:fine:1`, 0],
    [`${HEAD}:pass+accepted:0`, 0],
    [`${HEAD.slice(1)}:pass:1`, 0],
    [`${HEAD}:pass:1e9`, 0],
    [`${HEAD}:pass:${"9".repeat(16)}`, 0],
    [`${HEAD.toUpperCase()}:pass:1`, 0],
    ["[x](http://evil.example):pass:1", 0],
    [`--><script>,${good}`, 1],
    [Array.from({ length: 100_000 }, () => good).join(","), 5],
  ])("takes %.60s as %i runs", (entries, count) => expect(pastRuns(line(entries), "k")).toHaveLength(count));
});

test("the text gets what room the marker leaves", async () => {
  let room = 0;
  await put({
    render: (_, bytes) => {
      room = bytes;
      return "x".repeat(bytes);
    },
  });
  expect(Buffer.byteLength(server.state.comments[0]?.body ?? "")).toBe(65_536);
  expect(room).toBeGreaterThan(65_000);
});

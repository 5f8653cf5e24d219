import { describe, expect, test } from "vitest";
import type { Slowdown } from "../../src/core/slowdowns.ts";
import {
  hiddenLine,
  issuesOf,
  type Known,
  knownIssues,
  memoryOf,
  settle,
  type Topic,
  topicOf,
  type Wish,
} from "../../src/github/issue.ts";
import { commit } from "../nights.ts";
import type { ApiServer, IssueState, State } from "./api-server/server.ts";
import { apiTo, BOT, collect, serverForEach } from "./world.ts";

let server: ApiServer;

serverForEach((fresh) => {
  server = fresh;
});

const slowdown = (over: Partial<Slowdown> = {}): Slowdown => ({
  located: true,
  before: commit(4),
  after: commit(5),
  losses: [{ cell: "shop @20", metric: "qps", ratio: 0.8, low: 0.78, high: 0.82 }],
  over: false,
  ...over,
});
const TOPIC = topicOf(slowdown());
const wish = (over: Partial<Wish> = {}): Wish => ({ topic: TOPIC, title: "Slower", text: "text", over: null, ...over });
const issue = (number: number, over: Partial<IssueState> = {}): IssueState => ({
  number,
  login: BOT,
  title: "Slower",
  body: `${hiddenLine("nightly", TOPIC, false)}text`,
  labels: ["perf-gate"],
  state: "open",
  createdAt: `2026-03-01T00:00:00Z`,
  ...over,
});
const only = async (): Promise<Known | null> => (await knownIssues(apiTo(server), "nightly"))[0] ?? null;
const keep = async (over: Partial<Wish> = {}) => settle(apiTo(server), "nightly", wish(over), await only());

describe("one issue per slowdown", () => {
  test("opened once, with its label; then changed in place", async () => {
    expect(await keep()).toEqual({ number: 13, done: "opened" });
    expect(server.state.issues).toMatchObject([{ number: 13, login: BOT, labels: ["perf-gate"], state: "open" }]);
    expect(await keep()).toEqual({ number: 13, done: "unchanged" });
    expect(await keep({ text: "another interval" })).toEqual({ number: 13, done: "updated" });
    expect(await keep({ text: "another interval", title: "Slower since" })).toEqual({ number: 13, done: "updated" });
    expect(server.state.issues).toHaveLength(1);
    expect(server.state.issues[0]).toMatchObject({
      title: "Slower since",
      body: `${hiddenLine("nightly", TOPIC, false)}another interval`,
    });
    expect(server.state.comments).toEqual([]);
  });

  test("closed with a word once it is over, and opened again where it was not", async () => {
    await keep();
    expect(await keep({ over: "It is over." })).toEqual({ number: 13, done: "closed" });
    expect(server.state.issues[0]?.state).toBe("closed");
    expect(server.state.comments).toMatchObject([{ pull: 13, body: "It is over." }]);
    expect(await keep({ over: "It is over." })).toEqual({ number: 13, done: "unchanged" });
    expect(await keep()).toEqual({ number: 13, done: "reopened" });
    expect(server.state.issues[0]?.state).toBe("open");
    expect(server.state.comments).toHaveLength(2);
  });

  test("closed by somebody: stays closed, is kept up to date in silence", async () => {
    server.state.issues = [issue(13, { state: "closed" })];
    expect(await keep()).toEqual({ number: 13, done: "unchanged" });
    expect(await keep({ text: "wider" })).toEqual({ number: 13, done: "unchanged" });
    const topic = { ...TOPIC, after: commit(6) };
    expect(await keep({ text: "wider", topic })).toEqual({ number: 13, done: "updated" });
    expect(await keep({ text: "wider", topic, over: "It is over." })).toEqual({ number: 13, done: "updated" });
    expect(server.state.issues).toMatchObject([{ number: 13, state: "closed" }]);
    expect(server.state.comments).toEqual([]);
  });

  test("closed by somebody after it was opened again: stays closed", async () => {
    await keep();
    await keep({ over: "It is over." });
    await keep();
    for (const one of server.state.issues) one.state = "closed";
    expect(await keep()).toEqual({ number: 13, done: "unchanged" });
  });

  test("over from the start: none", async () => {
    expect(await keep({ over: "It is over." })).toBeNull();
    expect(server.state.issues).toEqual([]);
  });

  test("line breaks that GitHub made CR LF are no change", async () => {
    server.state.issues = [issue(13, { body: `${hiddenLine("nightly", TOPIC, false)}a\nb`.replaceAll("\n", "\r\n") })];
    expect(await keep({ text: "a\nb" })).toEqual({ number: 13, done: "unchanged" });
  });

  test("an answer that was lost opens no second one", async () => {
    server.faults.push({ method: "POST", path: /issues$/, times: 1, status: 502, afterwards: true });
    expect(await keep()).toEqual({ number: 13, done: "opened" });
    expect(server.state.issues).toHaveLength(1);
  });

  test("a server that never answers is an error, not a loop", async () => {
    server.faults.push({ method: "POST", path: /issues$/, times: 99, status: 502 });
    await expect(keep()).rejects.toThrow("cannot open an issue: GitHub answered 502");
    expect(server.requests.filter((request) => request.startsWith("POST /repos"))).toHaveLength(3);
  });
});

describe("which issues are ours", () => {
  const numbers = async () => (await knownIssues(apiTo(server), "nightly")).map(({ number }) => number);

  test("among 250 of others, open and closed, and pull requests with the label", async () => {
    const others = Array.from({ length: 250 }, (_, at) => issue(at + 100, { login: "anna", body: `issue ${at}` }));
    server.state.issues = [
      issue(13, { state: "closed" }),
      ...others,
      issue(600, { createdAt: "2026-03-02T00:00:00Z" }),
    ];
    server.state.pulls = server.state.pulls.map((pull) => ({ ...pull, labels: ["perf-gate"] }));
    expect(await numbers()).toEqual([13, 600]);
    expect((await collect(apiTo(server).issues("perf-gate"))).map(({ number }) => number)).not.toContain(12);
    expect(server.requests.filter((request) => request.startsWith("GET"))).toHaveLength(6);
  });

  test("not those of others, however well they are made, nor of another configuration, nor quotations", async () => {
    const body = hiddenLine("nightly", TOPIC, false);
    server.state.issues = [
      issue(13, { login: "mallory" }),
      issue(14, { body: hiddenLine("night", TOPIC, false) }),
      issue(15, { body: `> ${body}` }),
      issue(16, { labels: [] }),
      issue(17, { body }),
    ];
    expect(await numbers()).toEqual([17]);
  });
});

describe("a token", () => {
  const token = (...permissions: string[]): Partial<State> => ({
    tokens: new Map([["test-token", { login: BOT, permissions }]]),
  });

  test("that may only read is told the permission to give", async () => {
    Object.assign(server.state, token("contents: read", "issues: read"));
    await expect(keep()).rejects.toThrow(
      /^cannot open an issue: the token may not do it .*\n.*\n.*\n {6}issues: write$/s,
    );
    server.state.issues = [issue(13)];
    await expect(keep({ text: "new" })).rejects.toThrow(/^cannot update issue #13: .*issues: write$/s);
  });

  test("that cannot see issues, too", async () => {
    Object.assign(server.state, token("contents: read"));
    await expect(keep()).rejects.toThrow(/^cannot list issues: .*issues: write$/s);
  });

  test("that may not label is an error, as the issue would never be found again", async () => {
    Object.assign(server.state, token("issues: write"));
    await expect(keep()).rejects.toThrow("issue #13 is open, but without the label perf-gate");
  });

  test("issues are switched off: why", async () => {
    server.faults.push({
      path: /issues$/,
      times: 9,
      status: 410,
      body: { message: "Issues are disabled for this repo" },
    });
    await expect(keep()).rejects.toThrow("cannot list issues: Issues are disabled for this repo (410)");
  });
});

describe("the issue of a slowdown", () => {
  const known = (number: number, topic: Partial<Topic & { kind: "slower" }> = {}, over = false) => ({
    number,
    open: true,
    title: "",
    body: "",
    over,
    topic: { ...TOPIC, ...topic },
  });
  const place = (name: string) => {
    const at = Array.from({ length: 100 }, (_, n) => commit(n)).indexOf(name);
    return at < 0 ? undefined : at;
  };
  const found = (issues: ReturnType<typeof known>[], over: Partial<Slowdown> = {}) =>
    [...issuesOf([slowdown({ before: commit(49), after: commit(50), ...over })], issues, place).values()][0]?.number ??
    null;
  const at = (n: number) => ({ before: commit(n - 1), after: commit(n) });
  const seen = { located: false };
  const other = [{ cell: "cart @1", metric: "qps" as const, ratio: 0.8, low: 0.78, high: 0.82 }];

  test.each([
    ["the same place", at(50), {}, 1],
    ["a change point that moved by five", at(45), {}, 1],
    ["one six commits away is another", at(44), {}, null],
    ["the verdict of a night before it was located", { ...seen, ...at(53) }, {}, 1],
    ["twenty nights before", { ...seen, ...at(70) }, {}, 1],
    ["more than twenty nights before", { ...seen, ...at(71) }, {}, null],
    ["another night of what is not located yet", { ...seen, ...at(47) }, seen, 1],
    ["another cell at another commit", at(49), { losses: other }, null],
    ["another cell at the same commit", at(50), { losses: other }, 1],
    ["another metric of the cell", at(50), { losses: [{ ...other[0], cell: "shop @20", metric: "latency" }] }, 1],
    ["a commit that is not recorded any more", { before: commit(3), after: "f".repeat(40) }, {}, null],
  ])("%s", (_, topic, over, number) => {
    expect(found([known(1, topic)], over as Partial<Slowdown>)).toBe(number);
  });

  test("of several the nearest", () => {
    expect(found([known(1, at(47)), known(2, at(51)), known(3, at(53))])).toBe(2);
  });

  test("each has one: what is located is served first, then what is nearest", () => {
    const night = slowdown({ ...seen, ...at(52) });
    const steps = [slowdown(at(47)), slowdown(at(50))];
    const numbers = (...issues: ReturnType<typeof known>[]) => {
      const of = issuesOf([night, ...steps], issues, place);
      return [night, ...steps].map((one) => of.get(one)?.number ?? null);
    };
    expect(numbers(known(1, at(51)))).toEqual([null, null, 1]);
    expect(numbers(known(1, at(51)), known(2, { ...seen, ...at(52) }))).toEqual([null, 2, 1]);
    expect(numbers(known(1, at(46)), known(2, at(51)), known(3, { ...seen, ...at(52) }))).toEqual([3, 1, 2]);
  });

  test("one that is over is found by its change point, not by a new night", () => {
    expect(found([known(1, at(50), true)])).toBe(1);
    expect(found([known(1, at(45), true)], seen)).toBeNull();
    expect(found([known(1, { ...seen, ...at(45) }, true)], seen)).toBe(1);
  });
});

describe("the hidden line", () => {
  const topics: Topic[] = [
    TOPIC,
    { ...TOPIC, located: false, tests: ["0123abcdl", "0123abcdq"] },
    { kind: "silent", since: "2026-03-04" },
  ];
  test("gives back what was written", () => {
    for (const topic of topics) {
      for (const over of [false, true]) {
        expect(memoryOf(`${hiddenLine("k", topic, over)}text`, "k")).toEqual({ topic, over });
        expect(memoryOf(`${hiddenLine("k", topic, over).trim()}\r\ntext`, "k")).toEqual({ topic, over });
      }
    }
  });

  test("names of cells are not in it", () => {
    const cell = "--> <script> @20";
    const line = hiddenLine("k", topicOf(slowdown({ losses: [{ ...slowdown().losses[0], cell } as never] })), false);
    expect(line).toMatch(/^<!-- perf-gate issue=k slower located [0-9a-f]{40} [0-9a-f]{40} [0-9a-f]{8}q -->\n$/);
  });

  const good = `slower located ${commit(1)} ${commit(2)} 0123abcdq`;
  test.each([
    good.replace("located", "found"),
    good.replace(commit(1), "main"),
    good.replace("abcdq", "abcd"),
    `${good},`,
    `${good} over over`,
    "silent yesterday",
    "",
    "silent 2026-03-04 --><b>",
  ])("%.60s is none", (words) => expect(memoryOf(`<!-- perf-gate issue=k ${words} -->\n`, "k")).toBeNull());
});

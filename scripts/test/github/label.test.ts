import { describe, expect, test } from "vitest";
import { acceptance, type Judged } from "../../src/github/label.ts";
import type { ApiServer, RunState, State } from "./api-server/server.ts";
import { apiTo, BOT, HEAD, OLDER, PUSHED, pull, serverForEach } from "./world.ts";

const LABEL = "perf-regression-accepted";
const BEFORE = "2026-03-04T09:59:59Z";
const AFTER = "2026-03-04T10:20:00Z";
const LATER = "2026-03-04T11:00:00Z";

let server: ApiServer;

serverForEach((fresh) => {
  server = fresh;
});

type Event = State["events"][number];
const set = (at: string, over: Partial<Event> = {}): Event => ({
  pull: 12,
  event: "labeled",
  label: LABEL,
  actor: "anna",
  at,
  ...over,
});
const forced = (at: string): Event => ({ pull: 12, event: "head_ref_force_pushed", actor: "ben", at });

const run = (over: Partial<RunState> = {}): RunState => ({
  id: 70,
  event: "pull_request",
  headSha: HEAD,
  headBranch: "faster-orders",
  headRepository: "octo/shop",
  createdAt: PUSHED,
  ...over,
});

const ask = (over: Partial<Judged> = {}, label = LABEL) =>
  acceptance(apiTo(server), { pull: 12, commit: HEAD, since: PUSHED, ...over }, label);

describe("accepted", () => {
  test.each<[string, Event[], Partial<Judged>]>([
    ["set after the commit came", [set(AFTER)], {}],
    ["set again after it", [set(BEFORE), set(AFTER, { event: "unlabeled" }), set(AFTER)], {}],
    ["the label itself started the job", [set(AFTER)], { since: null }],
    ["a force push before the commit came", [forced(BEFORE), set(AFTER)], {}],
    ["other labels came later", [set(AFTER), set(LATER, { label: "wip" })], {}],
  ])("%s", async (_, events, over) => {
    server.state.pulls = [pull({ labels: ["bug", LABEL] })];
    server.state.events = events;
    expect(await ask(over)).toEqual({ accepted: { label: LABEL, by: "anna", at: AFTER, commit: HEAD }, why: null });
  });

  test("what started the job is younger than the label, but an earlier run of the commit is not", async () => {
    server.state.pulls = [pull({ labels: [LABEL, "wip"] })];
    server.state.events = [set(AFTER), set(LATER, { label: "wip" })];
    expect((await ask({ since: LATER })).why).toContain("it was set before aaaaaaa was there");
    server.state.runs = [run({ createdAt: LATER }), run({ createdAt: PUSHED })];
    expect((await ask({ since: LATER })).accepted).toMatchObject({ at: AFTER });
  });

  test("GitHub does not tell capitals from small letters", async () => {
    server.state.pulls = [pull({ labels: ["Perf-Regression-Accepted"] })];
    server.state.events = [set(AFTER, { label: "Perf-Regression-Accepted" })];
    expect((await ask()).accepted?.label).toBe("Perf-Regression-Accepted");
  });

  test("set behind the first hundred events", async () => {
    server.state.pulls = [pull({ labels: [LABEL] })];
    server.state.events = [...Array.from({ length: 240 }, () => set(BEFORE, { label: "x" })), set(AFTER)];
    expect((await ask()).accepted?.at).toBe(AFTER);
  });
});

describe("not accepted", () => {
  test.each<[string, Event[], RunState]>([
    ["the earlier run is of another fork's branch", [set(AFTER)], run({ headRepository: "stranger/shop" })],
    ["the earlier run is of another branch", [set(AFTER)], run({ headBranch: "other" })],
    ["the earlier run is of another commit", [set(AFTER)], run({ headSha: OLDER })],
    ["the branch was away since the earlier run", [set(AFTER), forced(AFTER)], run()],
  ])("%s", async (_, events, earlier) => {
    server.state.pulls = [pull({ labels: [LABEL] })];
    server.state.events = events;
    server.state.runs = [earlier];
    expect((await ask({ since: LATER })).accepted).toBeNull();
  });

  test("runs cannot be read: the job's own event decides", async () => {
    server.state.pulls = [pull({ labels: [LABEL] })];
    server.state.events = [set(AFTER)];
    server.state.runs = [run()];
    server.state.tokens.set("test-token", { login: BOT, permissions: ["contents: read", "pull-requests: read"] });
    expect((await ask({ since: LATER })).why).toContain("it was set before aaaaaaa was there");
    expect((await ask()).accepted).not.toBeNull();
  });

  test("the label is not there, though it was", async () => {
    server.state.events = [set(AFTER), set(AFTER, { event: "unlabeled" })];
    expect(await ask()).toEqual({ accepted: null, why: null });
  });

  test.each<[string, Event[], string]>([
    ["set before the commit came", [set(BEFORE)], "it was set before aaaaaaa was there"],
    ["set in the same second", [set(PUSHED)], "it was set before aaaaaaa was there"],
    ["the branch went away and came back", [forced(LATER), set(AFTER)], "the branch was force-pushed since"],
    ["nobody set it", [], "GitHub does not say when it was set"],
    ["set on another pull request", [set(AFTER, { pull: 13 })], "GitHub does not say when it was set"],
  ])("%s", async (_, events, why) => {
    server.state.pulls = [pull({ labels: [LABEL] })];
    server.state.events = events;
    const answer = await ask();
    expect(answer.accepted).toBeNull();
    expect(answer.why).toContain(why);
  });

  test("a newer commit is there: an old run is not saved by today's label", async () => {
    server.state.pulls = [pull({ labels: [LABEL], headSha: HEAD })];
    server.state.events = [set(LATER)];
    expect(await ask({ commit: OLDER })).toEqual({ accepted: null, why: "aaaaaaa is newer than 0000000" });
  });

  test("the label that started the job, after a force push", async () => {
    server.state.pulls = [pull({ labels: [LABEL] })];
    server.state.events = [set(AFTER), forced(LATER)];
    expect((await ask({ since: null })).why).toContain("force-pushed");
  });
});

test("no label, no further question", async () => {
  await ask();
  expect(server.requests).toEqual(["GET /repos/octo/shop/pulls/12"]);
});

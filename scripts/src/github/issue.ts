import { createHash } from "node:crypto";
import { type Loss, NEAR, RECENT, type Slowdown } from "../core/slowdowns.ts";
import type { Api, Issue } from "./api.ts";
import { GitHubError } from "./errors.ts";

/** Label of every issue, by which they are found again. */
export const ISSUE_LABEL = "perf-gate";

/** What an issue is about, as its hidden first line remembers it. */
export type Topic =
  | { kind: "slower"; located: boolean; before: string; after: string; tests: string[] }
  /** The date of the last record before nights without one: 2026-11-20. */
  | { kind: "silent"; since: string };

/** An issue of ours. One that is `over` we have closed, or would have: a closed one that is not, somebody else has. */
export interface Known<T extends Topic = Topic> {
  number: number;
  open: boolean;
  title: string;
  body: string;
  over: boolean;
  topic: T;
}

/** What an issue should say. */
export interface Wish {
  topic: Topic;
  title: string;
  /** Below the hidden line. */
  text: string;
  /** Why there is nothing left to do, as a comment; null = there is. */
  over: string | null;
}

export type Settled = "opened" | "updated" | "closed" | "reopened" | "unchanged";

/**
 * The issues of a configuration, oldest first: with the label, by the token's own account, and with our hidden line.
 * @param key tells configurations apart: letters, digits, `_`, `.` and `-`
 * @throws GitHubError
 */
export async function knownIssues(api: Api, key: string): Promise<Known[]> {
  const author = await api.viewer();
  const known: Known[] = [];
  for await (const issue of api.issues(ISSUE_LABEL)) {
    const memory = issue.author === author ? memoryOf(issue.body, key) : null;
    const { number, open, title, body } = issue;
    if (memory !== null) known.push({ number, open, title, body, ...memory });
  }
  return known;
}

/**
 * Opens the issue, or keeps the one that is there up to date: it is closed once it is over, and opened again where it
 * turns out not to be. One that somebody closed stays closed, and one that is over from the start is not opened.
 *
 * @returns the issue as it is now, null where there is none; and what was done
 * @throws GitHubError
 */
export async function settle(
  api: Api,
  key: string,
  wish: Wish,
  known: Known | null,
): Promise<{ number: number; done: Settled } | null> {
  const over = wish.over !== null;
  const body = hiddenLine(key, wish.topic, over) + wish.text;
  if (known === null) {
    return over ? null : { number: (await open(api, { title: wish.title, body })).number, done: "opened" };
  }
  const { number } = known;
  const turns = known.open ? over : known.over && !over;
  // Nobody reads what is closed: there only the hidden line is kept.
  const same = known.open
    ? known.title === wish.title && sameText(known.body, body)
    : firstLine(known.body) === firstLine(body);
  if (!turns && same) return { number, done: "unchanged" };
  await api.updateIssue(number, { title: wish.title, body, ...(turns ? { open: !over } : {}) });
  if (!turns) return { number, done: "updated" };
  await api.commentOnIssue(number, wish.over ?? "It is slower again, or was never back: see above.");
  return { number, done: over ? "closed" : "reopened" };
}

/** Opens an issue once, also where GitHub's answer is lost on its way. */
async function open(api: Api, issue: { title: string; body: string }): Promise<Issue> {
  for (let tries = 3; ; tries--) {
    try {
      const made = await api.createIssue({ ...issue, labels: [ISSUE_LABEL] });
      if (made.labels.includes(ISSUE_LABEL)) return made;
      throw new GitHubError(
        `issue #${made.number} is open, but without the label ${ISSUE_LABEL}, by which it would be found again: set it by ` +
          "hand, and give the token the right to push",
        false,
      );
    } catch (error) {
      if (!(error instanceof GitHubError && error.passing && tries > 1)) throw error;
    }
    for await (const made of api.issues(ISSUE_LABEL)) if (sameText(made.body, issue.body)) return made;
  }
}

/** GitHub may keep line breaks as CR LF. */
const sameText = (a: string, b: string): boolean => a.replaceAll("\r\n", "\n") === b.replaceAll("\r\n", "\n");

const firstLine = (body: string): string => body.split(/\r?\n/, 1)[0] ?? "";

/** What an issue says below its hidden line. */
export function textOf({ body }: Known): string {
  return body.slice(firstLine(body).length).replace(/^\r?\n/, "");
}

// ---------------------------------------------------------------- which slowdown an issue is about

export type KnownSlowdown = Known<Topic & { kind: "slower" }>;

/**
 * The issue of each slowdown that has one. A change point moves by a commit or two as nights are added, and the first
 * verdict that sees a slowdown may come some nights after it: so an issue fits that has a cell in common and is near.
 * Each has at most one; what is located is served first, then what is nearest.
 *
 * @param position where a commit stands on its branch; undefined = not recorded any more
 */
export function issuesOf(
  slowdowns: readonly Slowdown[],
  known: readonly KnownSlowdown[],
  position: (commit: string) => number | undefined,
): Map<Slowdown, KnownSlowdown> {
  const pairs = slowdowns
    .flatMap((slowdown) => known.map((issue) => ({ slowdown, issue, apart: distance(slowdown, issue, position) })))
    .filter(({ apart }) => !Number.isNaN(apart))
    .sort((a, b) => Number(b.slowdown.located) - Number(a.slowdown.located) || a.apart - b.apart);
  const found = new Map<Slowdown, KnownSlowdown>();
  const taken = new Set<KnownSlowdown>();
  for (const { slowdown, issue } of pairs) {
    if (found.has(slowdown) || taken.has(issue)) continue;
    found.set(slowdown, issue);
    taken.add(issue);
  }
  return found;
}

/** How many commits a slowdown and an issue are apart; NaN where they do not belong together. */
function distance(
  { located, after, losses }: Slowdown,
  { topic, over }: KnownSlowdown,
  position: (commit: string) => number | undefined,
): number {
  const apart = Math.abs((position(topic.after) ?? Number.NaN) - (position(after) ?? Number.NaN));
  const cells = new Set(losses.map(({ cell }) => fingerprint(cell)));
  const shared = topic.after === after || topic.tests.some((test) => cells.has(test.slice(0, -1)));
  // Of a located one that is over, a new verdict is not the return: that level is the records' own again.
  const past = over && topic.located && !located;
  return shared && !past && apart <= (topic.located && located ? NEAR : RECENT) ? apart : Number.NaN;
}

/** A slowdown as the hidden line has it. */
export function topicOf({ located, before, after, losses }: Slowdown): Topic & { kind: "slower" } {
  return { kind: "slower", located, before, after, tests: [...new Set(losses.map(testKey))].sort() };
}

/** Names a cell's metric in the hidden line, where a name of a scenario could end it. */
export function testKey({ cell, metric }: Pick<Loss, "cell" | "metric">): string {
  return fingerprint(cell) + (metric === "qps" ? "q" : "l");
}

const fingerprint = (cell: string): string => createHash("sha256").update(cell).digest("hex").slice(0, 8);

// ---------------------------------------------------------------- the hidden line

const opening = (key: string): string => `<!-- perf-gate issue=${key} `;
const OVER = " over";

/** An HTML comment that tells the issue apart, and a line break. */
export function hiddenLine(key: string, topic: Topic, over: boolean): string {
  const words =
    topic.kind === "silent"
      ? ["silent", topic.since]
      : ["slower", topic.located ? "located" : "seen", topic.before, topic.after, topic.tests.join(",")];
  return `${opening(key)}${words.join(" ")}${over ? OVER : ""} -->\n`;
}

const SLOWER = /^slower (located|seen) ([0-9a-f]{40}) ([0-9a-f]{40}) ([0-9a-f]{8}[ql](?:,[0-9a-f]{8}[ql])*)$/;
const SILENT = /^silent (\d{4}-\d\d-\d\d)$/;

/** What the hidden line says; null where it is not exactly as we write it. */
export function memoryOf(body: string, key: string): Pick<Known, "topic" | "over"> | null {
  const line = firstLine(body);
  if (!line.startsWith(opening(key)) || !line.endsWith(" -->")) return null;
  const said = line.slice(opening(key).length, -" -->".length);
  const over = said.endsWith(OVER);
  const topic = topicFrom(over ? said.slice(0, -OVER.length) : said);
  return topic === null ? null : { topic, over };
}

function topicFrom(words: string): Topic | null {
  const [, since] = SILENT.exec(words) ?? [];
  if (since !== undefined) return { kind: "silent", since };
  const [, how, before, after, tests] = SLOWER.exec(words) ?? [];
  if (before === undefined || after === undefined || tests === undefined) return null;
  return { kind: "slower", located: how === "located", before, after, tests: tests.split(",") };
}

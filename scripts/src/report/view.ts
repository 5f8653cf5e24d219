import type { CellResult, Comparison, Reason, TestResult } from "../core/model.ts";
import { margin } from "./format.ts";

/** Reasons of a run that its cells tell in their own sentences. */
const TOLD_BY_CELLS: ReadonlySet<string> = new Set([
  "error",
  "regression",
  "overall-regression",
  "census",
  "inconclusive",
  "overall",
  "nothing-judged",
]);
/** Reasons of a cell that the sentence about its interval already holds. */
const TOLD_BY_INTERVAL: ReadonlySet<string> = new Set(["cap", "undecided", "unconfirmed", "not-confirmed"]);

/** The run's reasons that nothing else in the report tells. */
export function ownReasons(comparison: Comparison): Reason[] {
  return comparison.reasons.filter((reason) => !TOLD_BY_CELLS.has(reason.code));
}

/** The reasons of an undecided cell that its sentence does not hold yet. */
export function furtherReasons(result: CellResult, test: TestResult | null): Reason[] {
  const told = test?.estimate == null ? new Set<string>() : TOLD_BY_INTERVAL;
  return [...result.reasons, ...(test?.reasons ?? [])].filter((reason) => !told.has(reason.code));
}

/** What a row is marked with; `note` covers `new` and `shown`. */
export type State = "error" | "regression" | "inconclusive" | "pass" | "note";

const RANK: Record<State, number> = { error: 0, regression: 1, inconclusive: 2, note: 3, pass: 4 };

export function stateOf(verdict: CellResult["verdict"]): State {
  return verdict === "new" || verdict === "shown" ? "note" : verdict;
}

/** +1 where a smaller ratio is worse (QPS), -1 where a larger one is (latency). */
export function direction(test: TestResult): 1 | -1 {
  return test.metric === "latency" || test.metric === "max-p99" ? -1 : 1;
}

export function isLimit(test: TestResult): boolean {
  return test.metric === "min-qps" || test.metric === "max-p99";
}

/** Stands for the interval of a test without one. */
export function whyNoInterval(test: TestResult): string {
  return test.reasons.some(({ code }) => code === "no-baseline") ? "no record" : "too few rounds";
}

export function testOf(cell: CellResult, metric: TestResult["metric"]): TestResult | null {
  return cell.tests.find((test) => test.metric === metric) ?? null;
}

/** Narrow margins weigh more, but a limit (margin 0) must not weigh infinitely much. */
const SMALLEST_MARGIN = 0.02;

/**
 * How far a ratio is on the good side of the test's line, in margins: 1 = no change at all, 0 = on the line,
 * negative = beyond it.
 */
function room(test: TestResult, ratio: number): number {
  const line = Math.log(test.line);
  return (direction(test) * (Math.log(ratio) - line)) / Math.max(Math.abs(line), SMALLEST_MARGIN);
}

/** `room` of the estimate; null without one. */
export function estimateRoom(test: TestResult): number | null {
  return test.estimate === null ? null : room(test, test.estimate.ratio);
}

/** `room` of the bad end of the interval: the smaller, the tighter. Null without an estimate. */
export function worstRoom(test: TestResult): number | null {
  const { estimate } = test;
  return estimate === null ? null : room(test, direction(test) === 1 ? estimate.low : estimate.high);
}

function byState(a: { verdict: CellResult["verdict"] }, b: { verdict: CellResult["verdict"] }): number {
  return RANK[stateOf(a.verdict)] - RANK[stateOf(b.verdict)];
}

function byRoom(a: number | null, b: number | null): number {
  return (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY);
}

/** The test that says most about its cell: the worst verdict, then the least room. */
export function decidingTest(tests: readonly TestResult[]): TestResult | null {
  const sorted = [...tests].sort((a, b) => byState(a, b) || byRoom(key(a), key(b)));
  return sorted[0] ?? null;
}

/** A red is as bad as its estimate, anything else as bad as it may still be. */
function key(test: TestResult): number | null {
  return test.verdict === "regression" ? estimateRoom(test) : worstRoom(test);
}

/** Worst first: by verdict, then by the room of the deciding test, then in plan order. */
export function worstFirst(cells: readonly CellResult[]): CellResult[] {
  const keyed = cells.map((cell) => {
    const test = decidingTest(cell.tests);
    return { cell, key: test && key(test) };
  });
  return keyed.sort((a, b) => byState(a.cell, b.cell) || byRoom(a.key, b.key)).map((entry) => entry.cell);
}

export function cellsOf(comparison: Comparison, ...states: State[]): CellResult[] {
  return comparison.cells.filter((cell) => states.includes(stateOf(cell.verdict)));
}

/** The cells that are judged at all. */
export function judged(comparison: Comparison): CellResult[] {
  return cellsOf(comparison, "error", "regression", "inconclusive", "pass");
}

/** "QPS", "p99", or both with their margins, where all cells share them: ["5% QPS", "20% p99"]; null where they differ. */
export function sharedMargins(comparison: Comparison): { qps: number | null; latency: LatencyMargin | null } | null {
  const tests = comparison.cells.flatMap((cell) => cell.tests);
  const qps = tests.filter((test) => test.metric === "qps");
  const latency = tests.filter((test) => test.metric === "latency");
  const kinds = (list: TestResult[]) => new Set(list.map((test) => `${test.statistic} ${test.line}`)).size;
  if (kinds(qps) > 1 || kinds(latency) > 1) return null;
  const [q] = qps;
  const [l] = latency;
  return {
    qps: q === undefined ? null : q.line - 1,
    latency: l === undefined ? null : { statistic: l.statistic, rise: l.line - 1 },
  };
}

export interface LatencyMargin {
  statistic: TestResult["statistic"];
  /** Allowed change, a ratio. */
  rise: number;
}

/** What was allowed, in a phrase: "QPS −5%, p99 +20%". */
export function allowedPhrase(comparison: Comparison): string {
  const shared = sharedMargins(comparison);
  if (shared !== null) {
    const parts: string[] = [];
    if (shared.qps !== null) parts.push(`QPS ${margin(shared.qps)}`);
    if (shared.latency !== null) parts.push(`${shared.latency.statistic} ${margin(shared.latency.rise)}`);
    return parts.join(", ");
  }
  const tests = comparison.cells.flatMap((cell) => cell.tests);
  const parts = (["qps", "latency"] as const).flatMap((metric) => {
    const own = tests.filter((test) => test.metric === metric);
    const lines = [...new Set(own.map((test) => test.line - 1))].sort((a, b) => Math.abs(a) - Math.abs(b));
    const [least] = lines;
    const most = lines.at(-1);
    if (least === undefined || most === undefined) return [];
    const name = metric === "qps" ? "QPS" : [...new Set(own.map((test) => test.statistic))].sort().join("/");
    return [`${name} ${least === most ? margin(least) : `${margin(least)} to ${margin(most)}, by cell`}`];
  });
  return parts.join("; ");
}

/** "cells", or "scenarios" where each scenario has one load level: then it is the simpler word for the same thing. */
export function unit(comparison: Comparison): string {
  const scenarios = new Set(comparison.cells.map((result) => result.cell.scenario));
  return scenarios.size === comparison.cells.length ? "scenario" : "cell";
}

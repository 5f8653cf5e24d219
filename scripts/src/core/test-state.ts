import { type Look, look, type Pool, poolOf, type Rule } from "./decide.ts";
import type { Cell, Estimate, LatencyStatistic, Limits, SlotSample, TestMetric } from "./model.ts";

/** One hypothesis of the run while its rounds come in. */
export interface TestState {
  /** "<cell id>/<metric>", or "overall". */
  id: string;
  cell: string | null;
  metric: TestMetric;
  statistic: "qps" | LatencyStatistic;
  line: number;
  limit: number | null;
  /** +1 where more is better, -1 where less is. */
  direction: 1 | -1;
  /** Decision input of each round used. */
  x: number[];
  /** Log ratio of each round used. */
  logRatios: number[];
  base: number[];
  head: number[];
  path: Estimate[];
  last: Look | null;
  verdict: "open" | "pass" | "regression" | "inconclusive";
}

/** The tests of one cell: comparisons with the base first, absolute limits after. */
export function testsOf(cell: Cell, statistic: LatencyStatistic, limits: Limits): TestState[] {
  const tests: TestState[] = [];
  if (cell.model !== "open") tests.push(testState(cell, "qps", "qps", 1 - limits.maxQpsDrop, null));
  if (limits.gateLatency) tests.push(testState(cell, "latency", statistic, 1 + limits.maxP99Rise, null));
  if (limits.minQps !== null) tests.push(testState(cell, "min-qps", "qps", 1, limits.minQps));
  if (limits.maxP99Ms !== null) tests.push(testState(cell, "max-p99", statistic, 1, limits.maxP99Ms));
  return tests;
}

/** The test over all cells: a uniform loss that each cell alone would pass. */
export function overallTest(maxDrop: number): TestState {
  return testState(null, "overall-qps", "qps", 1 - maxDrop, null);
}

function testState(
  cell: Cell | null,
  metric: TestMetric,
  statistic: "qps" | LatencyStatistic,
  line: number,
  limit: number | null,
): TestState {
  return {
    id: cell === null ? "overall" : `${cell.id}/${metric}`,
    cell: cell?.id ?? null,
    metric,
    statistic,
    line,
    limit,
    direction: statistic === "qps" ? 1 : -1,
    x: [],
    logRatios: [],
    base: [],
    head: [],
    path: [],
    last: null,
    verdict: "open",
  };
}

/** The same hypothesis without rounds, for confirmation. */
export function blank(test: TestState): TestState {
  return { ...test, x: [], logRatios: [], base: [], head: [], path: [], last: null, verdict: "open" };
}

/** Adds one clean round. A decided test keeps the rounds it has. */
export function addRound(test: TestState, base: SlotSample, head: SlotSample): void {
  if (test.verdict !== "open") return;
  const [b, h] = [measuredValue(base, test.statistic), measuredValue(head, test.statistic)];
  test.base.push(b);
  test.head.push(h);
  addLogRatio(test, Math.log(h / (test.limit ?? b)));
}

/** Adds the log ratio of one round. */
export function addLogRatio(test: TestState, logRatio: number): void {
  test.logRatios.push(logRatio);
  test.x.push(test.direction * (logRatio - Math.log(test.line)));
}

/** QPS, or a percentile in ms; NaN where no request completed. */
export function measuredValue(sample: SlotSample, statistic: "qps" | LatencyStatistic): number {
  return statistic === "qps" ? sample.qps : (sample.latencyMs?.[statistic] ?? Number.NaN);
}

/** Looks at every open test; tests of one metric and statistic share their spread. Verdicts latch. */
export function lookAtAll(tests: readonly TestState[], rule: Rule): void {
  const pools = new Map<string, Pool>();
  const keyOf = (test: TestState) => `${test.metric} ${test.statistic}`;
  for (const test of tests) {
    if (pools.has(keyOf(test))) continue;
    pools.set(keyOf(test), poolOf(tests.filter((mate) => keyOf(mate) === keyOf(test)).map((mate) => mate.x)));
  }
  for (const test of tests) {
    if (test.verdict !== "open") continue;
    const result = look(test.x, pools.get(keyOf(test)) ?? { spread: null }, rule);
    if ("p" in result && result.n !== test.last?.n) test.path.push(estimateOf(test, result));
    test.last = result;
    test.verdict = result.verdict;
  }
}

/** The look's mean and interval as ratios head/base (head/limit for an absolute limit). */
export function estimateOf(test: TestState, result: Extract<Look, { p: number }>): Estimate {
  const toRatio = (x: number) => Math.exp(test.direction * x + Math.log(test.line));
  const ends = [toRatio(result.low), toRatio(result.high)];
  return { n: result.n, ratio: toRatio(result.mean), low: Math.min(...ends), high: Math.max(...ends) };
}

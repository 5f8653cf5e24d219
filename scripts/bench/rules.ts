import { tQuantile } from "../src/core/stats/distributions.ts";
import { median } from "../src/core/stats/robust.ts";

/** Rules of other tools, each from its own documentation, on the figures of one metric. */

/** +1 where more is better, -1 where less is. */
export type Direction = 1 | -1;

/**
 * github-action-benchmark: an alert where this run is worse than the previous one by more than the threshold, as a
 * ratio: current / previous where smaller is better, previous / current where bigger is. `alert-threshold` is 200% by
 * default. https://github.com/benchmark-action/github-action-benchmark#action-inputs; the ratio: `getRatio` in
 * https://github.com/benchmark-action/github-action-benchmark/blob/master/src/write.ts
 *
 * @param threshold a ratio, 2 for 200%
 */
export function benchmarkActionAlerts(
  previous: number,
  current: number,
  direction: Direction,
  threshold: number,
): boolean {
  return (direction === 1 ? previous / current : current / previous) > threshold;
}

/**
 * benchstat: a change is reported where a two-sided Mann-Whitney U test has p <= 0.05, however small it is; at least 10
 * runs of each version are asked for. As a gate: red where the median of the change is worse.
 * https://pkg.go.dev/golang.org/x/perf/cmd/benchstat, https://pkg.go.dev/golang.org/x/perf/benchmath#AssumeNothing
 */
export function benchstatReports(before: readonly number[], after: readonly number[], direction: Direction): boolean {
  const worse = direction * (median(after) - median(before)) < 0;
  return worse && mannWhitneyP(before, after) <= 0.05;
}

/**
 * Two-sided p of the Mann-Whitney U test: twice the smaller tail of the permutation distribution of the rank sum, ties
 * sharing their mean rank. Exact, as benchstat's is up to 50 runs, and 25 with ties
 * (https://pkg.go.dev/github.com/aclements/go-moremath/stats#MannWhitneyUTest).
 */
export function mannWhitneyP(a: readonly number[], b: readonly number[]): number {
  const sorted = [...a, ...b].sort((x, y) => x - y);
  // Doubled, so that a mean rank is a whole number: first and last place of the value, counted from 1.
  const ranks = sorted.map((value) => sorted.indexOf(value) + sorted.lastIndexOf(value) + 2);
  const own = a.reduce((sum, value) => sum + (ranks[sorted.indexOf(value)] ?? 0), 0);
  const ways = waysToSum(ranks, a.length);
  const all = a.reduce((count, _, i) => (count * (ranks.length - i)) / (i + 1), 1);
  const least = ways.subarray(0, own + 1).reduce((sum, count) => sum + count, 0);
  const most = all - least + (ways[own] ?? 0);
  return Math.min(1, (2 * Math.min(least, most)) / all);
}

const known = new Map<string, Float64Array>();

/**
 * In how many ways `size` of the ranks give each sum: rank by rank, by how many were taken of them. Remembered: without
 * ties the ranks are always the same.
 */
function waysToSum(ranks: readonly number[], size: number): Float64Array {
  const key = `${size} of ${ranks}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const most = ranks.reduce((sum, rank) => sum + rank, 0);
  const ways = Array.from({ length: size + 1 }, () => new Float64Array(most + 1));
  ways[0]?.fill(1, 0, 1);
  for (const rank of ranks) {
    for (let taken = size; taken > 0; taken--) {
      const [into, from] = [ways[taken], ways[taken - 1]] as [Float64Array, Float64Array];
      for (let sum = most; sum >= rank; sum--) into[sum] = (into[sum] ?? 0) + (from[sum - rank] ?? 0);
    }
  }
  const last = ways[size] ?? new Float64Array(0);
  known.set(key, last);
  return last;
}

/**
 * Bencher's t-test threshold: an alert where a metric lies outside the prediction interval of the metrics before it,
 * mean -+ T^-1(boundary, n - 1) sd sqrt(1 + 1/n), on the side that is worse.
 * https://bencher.dev/docs/explanation/thresholds/#t-test (25 metrics of mean 100 and sd 10: 78.54 at 0.977)
 *
 * @param boundary cumulative share below (or above) which nothing is expected; 0.99 in its examples
 */
export function bencherAlerts(
  history: readonly number[],
  current: number,
  direction: Direction,
  boundary: number,
): boolean {
  return direction * (current - bencherLimit(history, direction, boundary)) < 0;
}

/** The limit that a metric must keep. */
export function bencherLimit(history: readonly number[], direction: Direction, boundary: number): number {
  const n = history.length;
  const mean = history.reduce((sum, value) => sum + value, 0) / n;
  const sd = Math.sqrt(history.reduce((sum, value) => sum + (value - mean) ** 2, 0) / n);
  return mean - direction * tQuantile(boundary, n - 1) * sd * Math.sqrt(1 + 1 / n);
}

import { describe, expect, test } from "vitest";
import {
  bencherAlerts,
  bencherLimit,
  benchmarkActionAlerts,
  benchstatReports,
  mannWhitneyP,
} from "../../bench/rules.ts";

describe("github-action-benchmark", () => {
  test.each([
    // 100 / 49 = 2.04, 100 / 50 = 2: only what exceeds the threshold is an alert.
    { previous: 100, current: 49, direction: 1, threshold: 2, alert: true },
    { previous: 100, current: 50, direction: 1, threshold: 2, alert: false },
    { previous: 10, current: 11.1, direction: -1, threshold: 1.1, alert: true },
    { previous: 10, current: 10.9, direction: -1, threshold: 1.1, alert: false },
    { previous: 100, current: 300, direction: 1, threshold: 1.05, alert: false },
  ] as const)("$previous -> $current at $threshold: $alert", ({ previous, current, direction, threshold, alert }) => {
    expect(benchmarkActionAlerts(previous, current, direction, threshold)).toBe(alert);
  });
});

describe("benchstat", () => {
  const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

  test.each([
    // One of C(6, 3) = 20 ways to place the smaller three, on either side.
    { a: [1, 2, 3], b: [4, 5, 6], p: 2 / 20 },
    // Rank sums of two of four: 3, 4, 5, 5, 6, 7; two of six are at most 1 + 3.
    { a: [1, 3], b: [2, 4], p: 4 / 6 },
    // Three share the mean rank 2: all pairs among them have the smallest sum, every sum is at least that.
    { a: [1, 1], b: [1, 2], p: 1 },
    { a: upTo(10), b: upTo(10).map((i) => 10 + i), p: 2 / 184_756 },
  ])("p of $a and $b", ({ a, b, p }) => {
    expect(mannWhitneyP(a, b)).toBeCloseTo(p, 12);
    expect(mannWhitneyP(b, a)).toBeCloseTo(p, 12);
  });

  test("10 of each differ up to U = 23, as in the tables of critical values", () => {
    const p = (own: number[]) =>
      mannWhitneyP(
        own,
        upTo(20).filter((rank) => !own.includes(rank)),
      );
    // Rank sums of 78 and 79, less the smallest possible, 55.
    expect(p([1, 2, 3, 4, 5, 6, 7, 11, 19, 20])).toBeLessThanOrEqual(0.05);
    expect(p([1, 2, 3, 4, 5, 6, 7, 12, 19, 20])).toBeGreaterThan(0.05);
  });

  test("any size of change counts, and only for the worse", () => {
    const before = upTo(10).map((i) => 1000 + i / 100);
    const after = before.map((value) => value * 0.999);
    expect(benchstatReports(before, after, 1)).toBe(true);
    expect(benchstatReports(before, after, -1)).toBe(false);
    expect(benchstatReports(after, before, -1)).toBe(true);
    expect(benchstatReports(before, before, 1)).toBe(false);
  });
});

describe("Bencher", () => {
  // 25 metrics of mean 100 and sd 10: twelve on either side, so far away that 24 d^2 / 25 = 100.
  const away = 10 * Math.sqrt(25 / 24);
  const history = [100, ...Array.from({ length: 24 }, (_, i) => 100 + (i % 2 === 0 ? away : -away))];

  test("the limits of its documentation's example", () => {
    expect(bencherLimit(history, 1, 0.977)).toBeCloseTo(78.54, 1);
    expect(bencherLimit(history, -1, 0.977)).toBeCloseTo(121.46, 1);
  });

  test("an alert beyond the limit, on the worse side alone", () => {
    expect(bencherAlerts(history, 78, 1, 0.977)).toBe(true);
    expect(bencherAlerts(history, 79, 1, 0.977)).toBe(false);
    expect(bencherAlerts(history, 78, -1, 0.977)).toBe(false);
    expect(bencherAlerts(history, 122, -1, 0.977)).toBe(true);
  });
});

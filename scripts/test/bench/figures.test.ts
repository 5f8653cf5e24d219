import { expect, test } from "vitest";
import { growthExponent, medianInterval } from "../../bench/figures.ts";

// 2 P(Bin(n, 1/2) < k): n = 5, k = 1: 2/32 = 6.25%, too much. n = 6, k = 1: 2/64 = 3.1%. n = 9, k = 2: 20/512 = 3.9%,
// k = 3: 92/512 = 18%. n = 12, k = 3: 158/4096 = 3.9%.
test.each([
  [5, null],
  [6, { low: 1, high: 6 }],
  [9, { low: 2, high: 8 }],
  [12, { low: 3, high: 10 }],
])("the interval of the median of %i values", (n, interval) => {
  const values = Array.from({ length: n }, (_, i) => n - i);
  expect(medianInterval(values)).toEqual(interval);
});

test.each([
  [[3, 30, 300], 1],
  [[5, 500, 50_000], 2],
  [[7, 7, 7], 0],
  // Through ln 1, ln 1, ln 100 at ln 10, ln 100, ln 1000: the outer two alone set the slope, 2/2.
  [[1, 1, 100], 1],
])("%j over 10, 100, 1000 grows with the exponent %f", (values, exponent) => {
  expect(growthExponent([10, 100, 1000], values)).toBeCloseTo(exponent, 12);
});

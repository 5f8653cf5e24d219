/** Median of a non-empty list; NaN for an empty one. Does not change the list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Median absolute deviation scaled to the sd of a normal distribution (1.4826 = 1 / Phi^-1(3/4)),
 * with a first-order correction for few values, (1 + 0.8/n).
 */
export function scaledMad(values: readonly number[]): number {
  const centre = median(values);
  return 1.4826 * median(values.map((value) => Math.abs(value - centre))) * (1 + 0.8 / values.length);
}

/** Reach of winsorising in robust standard deviations. */
const CLIP = 3.5;
/** Smallest spread believed, as sd of a log ratio: 0.2%. */
export const FLOOR = 0.002;

/** The values, those further from the median than CLIP robust standard deviations pulled in to that. */
export function winsorised(values: readonly number[], spread: number): number[] {
  const centre = median(values);
  const reach = CLIP * spread;
  return values.map((value) => Math.min(Math.max(value, centre - reach), centre + reach));
}

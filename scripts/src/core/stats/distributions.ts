import normalQuantileOf from "@stdlib/stats-base-dists-normal-quantile";
import tCdfOf from "@stdlib/stats-base-dists-t-cdf";
import tQuantileOf from "@stdlib/stats-base-dists-t-quantile";

/** P(T <= t) for Student's t with `df` degrees of freedom. */
export function tCdf(t: number, df: number): number {
  return tCdfOf(t, df);
}

const quantiles = new Map<string, number>();

/** The t with P(T <= t) = p. Remembered: tests of a run share their levels and their degrees of freedom. */
export function tQuantile(p: number, df: number): number {
  const key = `${p} ${df}`;
  const known = quantiles.get(key);
  if (known !== undefined) return known;
  const quantile = tQuantileOf(p, df);
  quantiles.set(key, quantile);
  return quantile;
}

/** The z with P(Z <= z) = p for the standard normal distribution. */
export function normalQuantile(p: number): number {
  return normalQuantileOf(p, 0, 1);
}

import normalQuantileOf from "@stdlib/stats-base-dists-normal-quantile";
import tCdfOf from "@stdlib/stats-base-dists-t-cdf";
import tQuantileOf from "@stdlib/stats-base-dists-t-quantile";

/** P(T <= t) for Student's t with `df` degrees of freedom. */
export function tCdf(t: number, df: number): number {
  return tCdfOf(t, df);
}

/** The t with P(T <= t) = p. */
export function tQuantile(p: number, df: number): number {
  return tQuantileOf(p, df);
}

/** The z with P(Z <= z) = p for the standard normal distribution. */
export function normalQuantile(p: number): number {
  return normalQuantileOf(p, 0, 1);
}

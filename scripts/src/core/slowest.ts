import type { SlowRequest } from "./model.ts";

/** Slowest requests that are kept of a slot, and of each arm of a cell; our choice. */
export const SLOWEST = 5;

/** At most SLOWEST of the requests, slowest first; of two alike the one that came first. */
export function slowestOf<T extends SlowRequest>(requests: readonly T[]): T[] {
  return [...requests].sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
}

import type { CensusArm, Count, CountName } from "./model.ts";

/** Conjugate of the golden ratio: its multiples, without their whole parts, lie evenly between 0 and 1 (Weyl). */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The order in which the requests of a mix are sent, again and again, as places among them: each as often as its weight
 * says, spread over the whole. Smooth weighted round-robin, as nginx chooses servers: every turn adds to each its
 * weight; the one that has most is sent, and pays the sum of all
 * (https://github.com/nginx/nginx/commit/52327e0627f49dbda1e8db695e63a4b0af4448b1).
 *
 * @param weights positive whole numbers
 * @param block begins elsewhere in every block: a slot may be shorter than the order
 */
export function mixOrder(weights: readonly number[], block: number): number[] {
  const length = sum(weights) / weights.reduce(commonDivisor);
  const total = sum(weights);
  const due = weights.map(() => 0);
  const order = Array.from({ length }, () => {
    for (const [place, weight] of weights.entries()) due[place] = (due[place] ?? 0) + weight;
    const next = due.indexOf(Math.max(...due));
    due[next] = (due[next] ?? 0) - total;
    return next;
  });
  const start = Math.floor(((block * GOLDEN) % 1) * length);
  return [...order.slice(start), ...order.slice(0, start)];
}

/**
 * What the mean request of a mix costs, from what each of its requests does: their counts by weight. Exact where all of
 * them are; a count that one of them lacks is left out.
 */
export function mixCensus(entries: readonly { weight: number; arm: CensusArm }[]): CensusArm {
  const total = sum(entries.map(({ weight }) => weight));
  const mean = (values: readonly number[]) =>
    sixDecimals(sum(values.map((value, place) => value * (entries[place]?.weight ?? 0))) / total);
  const counts: Partial<Record<CountName, Count>> = {};
  for (const name of Object.keys(entries[0]?.arm.counts ?? {}) as CountName[]) {
    const all = entries.flatMap(({ arm }) => arm.counts[name] ?? []);
    if (all.length < entries.length) continue;
    counts[name] = {
      perRequest: mean(all.map(({ perRequest }) => perRequest)),
      min: mean(all.map(({ min }) => min)),
      max: mean(all.map(({ max }) => max)),
      exact: all.every(({ exact }) => exact),
    };
  }
  return {
    statuses: [...new Set(entries.flatMap(({ arm }) => arm.statuses))].sort((a, b) => a - b),
    failedShare: mean(entries.map(({ arm }) => arm.failedShare)),
    counts,
  };
}

/** Enough to tell two counts apart, and short to read. */
function sixDecimals(value: number): number {
  return Number(value.toFixed(6));
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

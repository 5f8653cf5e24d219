import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { Arm, PilotCell } from "./model.ts";

/** A stretch of load without a break, s from the start of the k6 process's scenarios. */
export interface Stretch {
  startSeconds: number;
  seconds: number;
}

/** When one slot of a block runs. */
export interface ScheduledSlot {
  cell: string;
  arm: Arm;
  /** 0 = its round begins with it. */
  order: number;
  /** In order of time; together as long as the slot. */
  stretches: Stretch[];
  /** Time after its round in which the last requests may finish and everything is read. */
  gapSeconds: number;
  /** Requests/s of an open cell whose rate is "auto", else null. */
  rate: number | null;
}

/** Shortest pause between two rounds, s. */
const ROUND_GAP = 0.25;

/**
 * The slots of one block: cells in random order, which arm begins a round at random, rounds never torn apart (random
 * interleaving: Abedi and Brecht, doi 10.1145/3030207.3030229). The two slots of a round take turns, A B B A A B: a
 * machine that grows slower or faster does so to both. Two turns of one arm in a row are one stretch. The same seed
 * and block give the same order.
 *
 * @param cells what the pilot settled for each cell of this block
 * @param firstStart s from the scenarios' start to the first slot (the warm-up)
 */
export function scheduleBlock(
  seed: number,
  block: number,
  cells: readonly PilotCell[],
  firstStart: number,
): ScheduledSlot[] {
  // Large odd multiplier: neighbouring blocks must not get neighbouring seeds.
  const random = xoroshiro128plus((seed ^ Math.imul(block + 1, 0x9e3779b1)) | 0);
  const shuffled = [...cells];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = uniformInt(random, 0, i);
    [shuffled[i], shuffled[j]] = [shuffled[j] as PilotCell, shuffled[i] as PilotCell];
  }
  const slots: ScheduledSlot[] = [];
  let roundStart = firstStart;
  for (const pilot of shuffled) {
    const { cell, slotSeconds, gapSeconds, rate } = pilot;
    const arms: Arm[] = uniformInt(random, 0, 1) === 0 ? ["base", "head"] : ["head", "base"];
    const common = { cell, gapSeconds: roundGap(pilot), rate };
    const round = arms.map((arm, order): ScheduledSlot => ({ ...common, arm, order, stretches: [] }));
    const turns = turnsOf(pilot);
    let startSeconds = roundStart;
    for (const { order, count } of alternating(turns)) {
      const seconds = (slotSeconds * count) / turns;
      round[order]?.stretches.push({ startSeconds, seconds });
      startSeconds += seconds + gapSeconds;
    }
    slots.push(...round);
    roundStart += roundSeconds(pilot);
  }
  return slots;
}

/** Length of a round and its gaps, s. */
export function roundSeconds(pilot: PilotCell): number {
  return 2 * pilot.slotSeconds + turnsOf(pilot) * pilot.gapSeconds + roundGap(pilot);
}

/**
 * The last requests of a round must not be cut off: where a gap is no longer than a turn they have twice its time. Longer
 * turns have gaps that are long enough, and k6 scenarios of their own, which must end before the next one's turn.
 */
function roundGap({ turnSeconds, gapSeconds }: PilotCell): number {
  return Math.max(ROUND_GAP, turnSeconds > gapSeconds ? gapSeconds : 2 * gapSeconds);
}

/** Turns of each slot: at least one, as near to the wanted length as whole ones come. */
function turnsOf({ slotSeconds, turnSeconds }: PilotCell): number {
  return Math.max(1, Math.floor(slotSeconds / turnSeconds + 1e-9));
}

/** Whose turn it is, and how many in a row: 0 1, 0 1 1 0, 0 1 1 0 0 1. One more stretch than turns. */
function alternating(turns: number): { order: number; count: number }[] {
  const first = { order: 0, count: 1 };
  const between = Array.from({ length: turns - 1 }, (_, pair) => ({ order: (pair + 1) % 2, count: 2 }));
  return [first, ...between, { order: turns % 2, count: 1 }];
}

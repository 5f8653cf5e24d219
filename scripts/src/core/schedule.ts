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
  /** Time after a stretch in which its last requests may finish. */
  gapSeconds: number;
  /** Requests/s of an open cell whose rate is "auto", else null. */
  rate: number | null;
}

/**
 * The slots of one block: cells in random order, which arm begins a round at random, rounds never torn apart (random
 * interleaving: Abedi and Brecht, doi 10.1145/3030207.3030229). A slot in parts alternates with the other arm's,
 * A B B A A B: a machine that grows slower or faster over seconds does so to both. Two parts of one arm in a row are
 * one stretch. The same seed and block give the same order.
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
  let startSeconds = firstStart;
  for (const { cell, slotSeconds, parts, gapSeconds, rate } of shuffled) {
    const arms: Arm[] = uniformInt(random, 0, 1) === 0 ? ["base", "head"] : ["head", "base"];
    const round = arms.map((arm, order): ScheduledSlot => ({ cell, arm, order, stretches: [], gapSeconds, rate }));
    for (const { order, count } of alternating(parts)) {
      const seconds = (slotSeconds * count) / parts;
      round[order]?.stretches.push({ startSeconds, seconds });
      startSeconds += seconds + gapSeconds;
    }
    slots.push(...round);
  }
  return slots;
}

/** Length of a round and its gaps, s. */
export function roundSeconds({ slotSeconds, parts, gapSeconds }: PilotCell): number {
  return 2 * slotSeconds + alternating(parts).length * gapSeconds;
}

/** Whose turn it is, and for how many parts in a row: 0 1, 0 1 1 0, 0 1 1 0 0 1. */
function alternating(parts: number): { order: number; count: number }[] {
  const first = { order: 0, count: 1 };
  const between = Array.from({ length: parts - 1 }, (_, pair) => ({ order: (pair + 1) % 2, count: 2 }));
  return [first, ...between, { order: parts % 2, count: 1 }];
}

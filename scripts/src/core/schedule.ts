import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { Arm, PilotCell } from "./model.ts";

/** When one slot of a block runs, s from the start of the k6 process's scenarios. */
export interface ScheduledSlot {
  cell: string;
  arm: Arm;
  /** 0 = first slot of its round. */
  order: number;
  startSeconds: number;
  slotSeconds: number;
  /** Time after the slot in which its last requests may finish. */
  gapSeconds: number;
  /** Requests/s of an open cell whose rate is "auto", else null. */
  rate: number | null;
}

/**
 * The slots of one block: cells in random order, the arms of each round in random order, rounds never torn apart
 * (random interleaving: Abedi and Brecht, doi 10.1145/3030207.3030229). The same seed and block give the same order.
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
  for (const { cell, slotSeconds, gapSeconds, rate } of shuffled) {
    const arms: Arm[] = uniformInt(random, 0, 1) === 0 ? ["base", "head"] : ["head", "base"];
    for (const [order, arm] of arms.entries()) {
      slots.push({ cell, arm, order, startSeconds, slotSeconds, gapSeconds, rate });
      startSeconds += slotSeconds + gapSeconds;
    }
  }
  return slots;
}

import type { CellResult, Comparison, Plan, TestResult } from "../core/model.ts";
import { FIRST_LOOK, RECORD_ROUNDS } from "../core/replay.ts";
import { decimal, duration, percent } from "./format.ts";
import { decidingTest, direction } from "./view.ts";

/**
 * Rounds in all after which the interval should no longer reach across the line, if the estimate stays where it is:
 * the half-width shrinks with the root of the rounds. Infinite on the line itself, null without an estimate.
 */
export function roundsToDecide(test: TestResult): number | null {
  const { estimate } = test;
  if (estimate === null) return null;
  const line = Math.log(test.line);
  const middle = Math.log(estimate.ratio);
  const distance = Math.abs(middle - line);
  const towards = middle > line ? middle - Math.log(estimate.low) : Math.log(estimate.high) - middle;
  if (!(distance > 0) || !Number.isFinite(towards)) return Number.POSITIVE_INFINITY;
  return Math.max(FIRST_LOOK, estimate.n, Math.ceil(estimate.n * (towards / distance) ** 2));
}

/** Share of the run's slots that were struck, 0..1. */
export function struckShare(struck: CellResult["struck"], slots: number): number {
  const sum = Object.values(struck).reduce((total, count) => total + count, 0);
  return slots === 0 ? 0 : sum / slots;
}

/** Struck slots from which on the machine is worth a word. */
export const NOISY = 0.15;

/** What would settle an undecided cell, as a sentence; "" where its reasons already say all. */
export function whatWouldSettle(result: CellResult, comparison: Comparison, plan: Plan): string {
  const test = decidingTest(result.tests);
  if (test === null) return "";
  if (test.confirmation === "no-time") return "A larger budget would leave time to confirm it.";
  if (test.confirmation === "not-confirmed") {
    return "Another run, best on a quieter machine, would tell.";
  }
  if (comparison.stored !== undefined) return whatWouldSettleRecords(result, test);
  const cap = plan.config.measure.maxRounds;
  const noisy = struckShare(result.struck, result.slots) >= NOISY;
  if (test.estimate === null) {
    const had = `It has ${result.rounds} of the ${FIRST_LOOK} rounds that a verdict needs`;
    return noisy
      ? `${had}: a quieter machine would settle it.`
      : `${had}: ${moreTime(FIRST_LOOK - result.rounds, comparison, plan)}.`;
  }
  const needed = roundsToDecide(test) ?? Number.POSITIVE_INFINITY;
  if (needed <= cap) {
    return `About ${Math.max(1, needed - test.estimate.n)} more rounds should settle it: ${moreTime(needed - test.estimate.n, comparison, plan)}.`;
  }
  const far = needed > 10 * cap ? `more than ${decimal(10 * cap)}` : `about ${decimal(needed)}`;
  const beyond = `At this noise a verdict would take ${far} rounds, and ${cap} are the most that are made`;
  const wider = direction(test) === 1 ? "a wider max-qps-drop" : "a wider max-p99-rise";
  return `${beyond}: ${noisy ? "a quieter machine" : "a quieter machine, longer slots"} or ${wider} than ${percent(test.line - 1)} would settle it.`;
}

/** Time for some more rounds at this run's own pace, with the budget to write down. */
export function moreTime(rounds: number, comparison: Comparison, plan: Plan): string {
  const perBlock = comparison.blocks === 0 ? 0 : comparison.times.total / comparison.blocks;
  if (!(perBlock > 0)) return "a larger budget would settle it";
  const seconds = Math.max(1, rounds) * perBlock;
  const budget = Math.ceil((plan.config.measure.budgetSeconds + seconds) / 60);
  const hint = comparison.stop?.reason === "budget" ? ` (\`budget: ${budget}m\`)` : "";
  return `some ${duration(Math.ceil(seconds / 10) * 10)} more${hint}`;
}

/** With records for a base: more rounds would bring it no closer to them. */
function whatWouldSettleRecords(result: CellResult, { estimate, reasons }: TestResult): string {
  if (reasons.some(({ code }) => code === "no-baseline")) return "";
  if (estimate === null) return `It has ${result.rounds} of ${RECORD_ROUNDS} rounds: a larger budget would settle it.`;
  const paired = "a run against the version itself (--base-ref) allows less";
  return estimate.n < 20 ? `More records than ${estimate.n} narrow this, and ${paired}.` : `A${paired.slice(1)}.`;
}

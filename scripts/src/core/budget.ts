import type { PilotCell, Plan } from "./model.ts";
import { cellIsRed, FIRST_LOOK, type Flagged, liveTests, RECORD_ROUNDS, type Run } from "./replay.ts";
import { roundSeconds } from "./schedule.ts";
import type { TestState } from "./test-state.ts";

/** Share of the budget kept for confirming a red. */
const CONFIRM_SHARE = 0.2;
/** Rounds a confirmation is given room for: the first look, and one struck round. */
const CONFIRM_ROUNDS = 7;

/** Length of one block with these cells, s: every slot and gap of both arms, and `overhead` once. */
export function blockSeconds(cells: readonly PilotCell[], overhead: number): number {
  return cells.reduce((sum, cell) => sum + roundSeconds(cell), overhead);
}

/** When the main stage must end, s from the start: the rest is kept for a confirmation, where there can be one. */
export function mainDeadline({ stored, config }: Plan): number {
  return config.measure.budgetSeconds * (stored === undefined ? 1 - CONFIRM_SHARE : 1);
}

/** Rounds of every cell before a run can end. */
export function fewestRounds({ stored }: Plan): number {
  return stored === undefined ? FIRST_LOOK : RECORD_ROUNDS;
}

/**
 * The red tests there is time to confirm, most certain first; at least their first look must fit.
 *
 * @param flagged red tests with the cells each needs, most certain first
 * @param remaining s
 */
export function chooseConfirmation(
  flagged: readonly Flagged[],
  pilots: ReadonlyMap<string, PilotCell>,
  overhead: number,
  remaining: number,
): string[] {
  const chosen: string[] = [];
  const cells = new Set<string>();
  for (const { test, cells: needed } of flagged) {
    const together = [...new Set([...cells, ...needed])].flatMap((cell) => pilots.get(cell) ?? []);
    const rounds = chosen.length === 0 ? FIRST_LOOK : CONFIRM_ROUNDS;
    if (blockSeconds(together, overhead) * rounds > remaining) continue;
    chosen.push(test);
    for (const cell of needed) cells.add(cell);
  }
  return chosen;
}

/** What the plan's run is expected to take, s: the shortest to a verdict, and the budget. */
export function expectedSeconds(
  plan: Plan,
  cells: readonly PilotCell[],
  overhead: { start: number; block: number },
): { block: number; decided: number; budget: number; blocksInBudget: number } {
  const block = blockSeconds(cells, overhead.block);
  const { budgetSeconds } = plan.config.measure;
  return {
    block,
    decided: overhead.start + fewestRounds(plan) * block,
    budget: budgetSeconds,
    blocksInBudget: Math.max(0, Math.floor((mainDeadline(plan) - overhead.start) / block)),
  };
}

/**
 * How many more blocks the stage will take, guessed: to the first look, then as long as the evidence so far needs to
 * reach about two standard errors more.
 */
export function expectedBlocks(run: Run): number {
  if (run.plan.stored !== undefined) {
    const judged = run.cells.filter(({ status }) => status === "judged");
    return Math.max(0, ...judged.map(({ rounds }) => RECORD_ROUNDS - rounds.length));
  }
  return Math.max(0, ...undecided(run).map((test) => expectedRounds(test, run.rule.cap)));
}

/** Tests that still wait for rounds. */
export function undecided(run: Run): TestState[] {
  const tests = run.confirmation?.tests ?? liveTests(run);
  return tests.filter((test) => test.verdict === "open" && !cellIsRed(test, tests));
}

function expectedRounds(test: TestState, cap: number): number {
  const n = test.x.length;
  if (n < FIRST_LOOK || test.last === null || !("p" in test.last)) return Math.max(1, FIRST_LOOK - n);
  // A standard error shrinks with the square root of n; about 3 of them decide.
  const needed = n * (3 / Math.max(0.5, Math.abs(test.last.mean / test.last.se))) ** 2;
  return Math.max(1, Math.min(cap, Math.ceil(needed)) - n);
}

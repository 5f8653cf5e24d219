import { blockSeconds, chooseConfirmation, mainDeadline } from "../core/budget.ts";
import type { PilotCell, RunStage, StopReason } from "../core/model.ts";
import { flaggedTests, next, type Run } from "../core/replay.ts";

/** Why measuring ends. */
export type Stop = { reason: StopReason; detail: string | null };

/** What comes next. */
export type Step =
  | { kind: "measure"; stage: RunStage; cells: PilotCell[] }
  | { kind: "confirm"; tests: string[]; flagged: number }
  | ({ kind: "stop" } & Stop);

/**
 * What to do with the time that is left.
 *
 * @param overhead s of a block besides its slots
 * @param elapsed s since the run began
 */
export function nextStep(run: Run, pilots: ReadonlyMap<string, PilotCell>, overhead: number, elapsed: number): Step {
  const needed = next(run);
  if (needed.kind === "done") return { kind: "stop", reason: needed.capped ? "cap" : "decided", detail: null };
  const { budgetSeconds } = run.plan.config.measure;
  const stage: RunStage = run.confirmation === null ? "main" : "confirm";
  const cells = needed.kind === "measure" ? needed.cells.flatMap((cell) => pilots.get(cell) ?? []) : [];
  const deadline = stage === "main" ? mainDeadline(run.plan) : budgetSeconds;
  const fits = elapsed + blockSeconds(cells, overhead) <= deadline;
  if (needed.kind === "measure" && fits) return { kind: "measure", stage, cells };
  if (stage === "confirm") return { kind: "stop", reason: "budget", detail: null };
  const flagged = flaggedTests(run);
  const tests = chooseConfirmation(flagged, pilots, overhead, budgetSeconds - elapsed);
  if (tests.length > 0) return { kind: "confirm", tests, flagged: flagged.length };
  return { kind: "stop", reason: "budget", detail: flagged.length > 0 ? "no time left to confirm a red" : null };
}

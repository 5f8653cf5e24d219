import type { Comparison, StopReason } from "../core/model.ts";
import { comparePhase } from "./compare.ts";
import { measurePhase } from "./measure.ts";
import { describePlan, type PlanOptions, planPhase } from "./plan.ts";
import type { Progress } from "./progress.ts";
import { reportPhase } from "./report.ts";
import type { WorkDirectory } from "./work-directory.ts";

export interface RunResult {
  comparison: Comparison;
  /** The report for the terminal. */
  text: string;
  stop: StopReason;
}

/** Every phase in turn. A run that was interrupted is still compared and reported. */
export async function runPhases(
  options: Omit<PlanOptions, "home">,
  work: WorkDirectory,
  home: string,
  progress: Progress,
  terminal: { colour: boolean; width: number },
  signal: AbortSignal,
): Promise<RunResult> {
  const plan = await planPhase({ ...options, home }, work, progress.warn);
  progress.step(`${describePlan(plan, work)}\n`);
  const stop = await measurePhase(work, home, progress, signal);
  const comparison = comparePhase(work);
  const { text, chartsNote } = reportPhase(work, home, terminal);
  if (chartsNote !== null) progress.warn(chartsNote);
  return { comparison, text, stop };
}

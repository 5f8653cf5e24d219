import { PLAIN } from "./escape.ts";
import { headlineText } from "./headline.ts";
import type { ReportInput } from "./input.ts";
import { cellSentence } from "./sentences.ts";
import { cellsOf, worstFirst } from "./view.ts";
import { loadLabel } from "./words.ts";

/** A sentence about one cell, or about the run, as plain text. */
export interface Remark {
  level: "error" | "warning";
  /** null = the run as a whole. */
  scenario: string | null;
  title: string;
  message: string;
}

/** One remark for each cell that failed or is undecided, worst first; one for the run where no cell tells its verdict. */
export function remarks(input: ReportInput): Remark[] {
  const { comparison } = input;
  const cells = worstFirst(cellsOf(comparison, "error", "regression", "inconclusive")).map((result): Remark => {
    const { verdict } = result;
    const word = { regression: "slower", error: "broken", inconclusive: "undecided" }[verdict as string] ?? verdict;
    return {
      level: verdict === "inconclusive" ? "warning" : "error",
      scenario: result.cell.scenario,
      title: `perf-gate: ${PLAIN.text(result.cell.scenario)} at ${loadLabel(result)} is ${word}`,
      message: cellSentence(result, input, PLAIN),
    };
  });
  if (comparison.verdict === "pass") return cells;
  const level = comparison.verdict === "inconclusive" ? "warning" : "error";
  if (level === "error" && cells.some((remark) => remark.level === "error")) return cells;
  return [{ level, scenario: null, title: "perf-gate", message: headlineText(comparison) }, ...cells];
}

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { renderCsv } from "../report/csv.ts";
import { CHARTS, type Chart, renderHtml } from "../report/html.ts";
import type { ReportInput } from "../report/input.ts";
import { renderMarkdown } from "../report/markdown.ts";
import { renderTerminal } from "../report/terminal.ts";
import { drawWith } from "./charts.ts";
import type { WorkDirectory } from "./work-directory.ts";

/**
 * The report phase: report.md, results.csv, charts/*.svg and report.html from comparison.json.
 *
 * @returns the text for the terminal, and why charts are missing, or null
 */
export function reportPhase(
  work: WorkDirectory,
  home: string,
  terminal: { colour: boolean; width: number },
): { text: string; chartsNote: string | null } {
  const input = readReportInput(work);
  const { charts, note } = drawCharts(work, home);
  work.write("report.md", renderMarkdown(input));
  work.write("results.csv", renderCsv(input));
  work.write("report.html", renderHtml(input, charts));
  return { text: renderTerminal(input, terminal), chartsNote: note };
}

/** What a report is made of, as the phases before left it; @throws InputError where it is not there or damaged. */
export function readReportInput(work: WorkDirectory): ReportInput {
  const plan = work.readPlan();
  return {
    comparison: work.readComparison(),
    plan,
    environment: work.readEnvironment(plan),
    census: work.readCensus(plan),
  };
}

function drawCharts(work: WorkDirectory, home: string): { charts: Chart[]; note: string | null } {
  rmSync(work.file("charts"), { recursive: true, force: true }); // a chart may have nothing to draw this time
  const directory = work.directory("charts");
  const note = drawWith(home, "charts.sh", [work.file("comparison.json"), directory]);
  if (note !== null) return { charts: [], note };
  const charts = CHARTS.flatMap(({ name, title }) => {
    const file = join(directory, `${name}.svg`);
    return existsSync(file) ? [{ name, title, svg: readFileSync(file, "utf8") }] : [];
  });
  return { charts, note: null };
}

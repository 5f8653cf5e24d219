import { markdownTable } from "markdown-table";
import type { CellResult, Comparison, TestResult } from "../core/model.ts";
import { detailParts, fold, type Part } from "./details.ts";
import { editsTable, settingsTable } from "./edits.ts";
import { escapeMarkdown, MARKDOWN, sentence } from "./escape.ts";
import { ABSENT, duration, margin, ms, percent, plural, qps, signed, signedPercent } from "./format.ts";
import { headlineText } from "./headline.ts";
import type { ReportInput } from "./input.ts";
import { decidingLines, overallDecides, overallSentence, roundsPhrase } from "./sentences.ts";
import { besideSentence, sinceLabel, sinceText } from "./stored.ts";
import { allowedPhrase, cellsOf, isLimit, stateOf, testOf, unit, whyNoInterval, worstFirst } from "./view.ts";
import { loadLabel, MARK } from "./words.ts";

/** Rows that a table above the fold may have; more go below it. */
const ROWS_SHOWN = 12;

/**
 * The report as GitHub-flavoured Markdown, the same bytes for the same input: verdict in the first line, the number
 * that decides with its interval, the reason where it is not green, the rest folded. Foreign text is escaped.
 */
export function renderMarkdown(input: ReportInput): string {
  return joinParts(reportParts(input));
}

export function joinParts(parts: readonly { text: string }[]): string {
  return `${parts.map(({ text }) => text).join("\n\n")}\n`;
}

/** The parts of the report in their order, none of them empty; the headline is the first. */
export function reportParts(input: ReportInput): Part[] {
  const { comparison, environment } = input;
  const green = comparison.verdict === "pass";
  const rows = worstFirst(comparison.cells);
  const warnings = (environment?.warnings ?? []).map((text) => `> ${sentence(escapeMarkdown(text))}`);
  const margins = footer(comparison);
  const parts: Part[] = [
    { name: "headline", text: `## ${MARK[stateOf(comparison.verdict)]} ${headlineText(comparison, MARKDOWN)}` },
    { name: "sentences", text: paragraphs(decidingLines(input, MARKDOWN)) },
    { name: "settings", text: settingsTable(input) },
  ];
  if (!green) {
    const [table = "", more = ""] = openTable(comparison, rows);
    parts.push({ name: "table", text: table }, { name: "more rows", text: more });
    parts.push({ name: "limits", text: limitsTable(comparison) });
  }
  parts.push({ name: "warnings", text: warnings.join("\n>\n") });
  parts.push({ name: "edited configuration", text: editsTable(comparison) });
  if (!green) parts.push({ name: "margins", text: margins });
  if (green) {
    const body = [cellTable(comparison, rows), limitsTable(comparison), margins];
    parts.push({ name: "table", text: fold(`All ${plural(rows.length, unit(comparison))}`, body) });
  }
  return [...parts, ...detailParts(input)].filter(({ text }) => text !== "");
}

/** One line is a paragraph; several are a list, which a phone shows better than a wall. */
function paragraphs(lines: readonly string[]): string {
  const [first, ...rest] = lines;
  if (first === undefined) return "";
  return rest.length === 0 ? first : [first, rest.map((line) => `- ${line}`).join("\n")].join("\n\n");
}

/** The table above the fold; where it would be long, what passed goes below. */
function openTable(comparison: Comparison, rows: readonly CellResult[]): string[] {
  if (rows.length <= ROWS_SHOWN) return [cellTable(comparison, rows)];
  const notable = rows.filter((result) => result.verdict !== "pass");
  const shown = notable.slice(0, ROWS_SHOWN);
  const rest = rows.filter((result) => !shown.includes(result));
  const passed = cellsOf(comparison, "pass").length;
  const title = passed === rest.length ? `${rest.length} more, all within what is allowed` : `${rest.length} more`;
  return [shown.length > 0 ? cellTable(comparison, shown) : "", fold(title, [cellTable(comparison, rest)])];
}

const strongIf = (condition: boolean, text: string) => (condition ? `**${text}**` : text);

/** Change and interval of a test, as two table cells. */
function changeCells(test: TestResult | null): [string, string] {
  if (test === null) return [ABSENT, ABSENT];
  const { estimate } = test;
  if (estimate === null) return [ABSENT, whyNoInterval(test)];
  const range = `${signed(estimate.low - 1)} … ${signed(estimate.high - 1)}`;
  return [strongIf(test.verdict === "regression", signedPercent(estimate.ratio - 1)), range];
}

/** "8.20 → 9.60"; medians of the rounds used, else of all clean slots. */
function pair(values: readonly [number | null | undefined, number | null | undefined], format: typeof qps): string {
  const [base, head] = values;
  return base == null && head == null ? ABSENT : `${format(base)} → ${format(head)}`;
}

/** One row per cell: its verdict, QPS and the gated latency, each with change and interval. */
function cellTable(comparison: Comparison, rows: readonly CellResult[]): string {
  const statistics = new Set(comparison.cells.map((result) => result.statistic));
  const [only] = statistics;
  const latency = statistics.size === 1 ? only : "latency";
  const fresh = rows.some((result) => result.verdict === "new" || result.verdict === "shown");
  // What decides stands first: a phone shows the left half of the table.
  const { stored } = comparison;
  const from = stored === undefined ? "base" : "expected";
  const header = ["", "scenario", "load", "QPS change", "between, %", `${from} → head`];
  header.push(`${latency} change`, "between, %", `${from} → head, ms`);
  const label = sinceLabel(comparison);
  if (label !== null) header.push(`QPS since ${escapeMarkdown(label)}`, `${latency} since ${escapeMarkdown(label)}`);
  const body = rows.map((result) => {
    const throughput = testOf(result, "qps");
    const tail = testOf(result, "latency");
    const { head, ...others } = result.figures;
    // The arm that was measured as the base is what the records are relative to, and no base itself.
    const base = stored === undefined ? others.base : null;
    const { statistic, since } = result;
    const prefix = statistics.size === 1 ? "" : `${statistic} `;
    const name = escapeMarkdown(result.cell.scenario);
    return [
      MARK[stateOf(result.verdict)],
      fresh && stateOf(result.verdict) === "note"
        ? `${name} (${result.verdict === "new" ? "new" : "shown only"})`
        : name,
      loadLabel(result),
      ...changeCells(throughput),
      pair([throughput?.base ?? base?.qps, throughput?.head ?? head?.qps], qps),
      ...changeCells(tail),
      prefix + pair([tail?.base ?? base?.latencyMs[statistic], tail?.head ?? head?.latencyMs[statistic]], ms),
      ...(label !== null ? [sinceText(since?.qps) || ABSENT, sinceText(since?.latency) || ABSENT] : []),
    ];
  });
  return markdownTable([header, ...body], { align: ["l", "l", "r", "r", "c", "r", "r", "c", "r", "r", "r"] });
}

/** Absolute limits: their own table, as the ratio is to the limit and not to the base. */
function limitsTable(comparison: Comparison): string {
  const rows = worstFirst(comparison.cells).flatMap((result) =>
    result.tests.filter(isLimit).map((test) => {
      const throughput = test.metric === "min-qps";
      const format = throughput ? qps : ms;
      const what = throughput
        ? `QPS at least ${format(test.limit)}`
        : `${test.statistic} at most ${format(test.limit)} ms`;
      const [change, range] = changeCells(test);
      return [
        MARK[stateOf(test.verdict)],
        escapeMarkdown(result.cell.scenario),
        loadLabel(result),
        what,
        format(test.head),
        change,
        range,
      ];
    }),
  );
  if (rows.length === 0) return "";
  const header = ["", "scenario", "load", "absolute limit", "head", "from the limit", "between, %"];
  return markdownTable([header, ...rows], { align: ["l", "l", "r", "l", "r", "r", "c"] });
}

/** What was allowed, what red means here, and what it took. */
function footer(comparison: Comparison): string {
  const parts: string[] = [];
  const allowed = allowedPhrase(comparison);
  if (allowed !== "") parts.push(`Allowed: ${allowed}.`);
  if (comparison.overall !== null) {
    parts.push(`All together: ${margin(comparison.overall.line - 1)} QPS.`);
  }
  if (comparison.tests > 0) {
    const sure = percent(1 - comparison.alpha);
    const again = comparison.stored === undefined ? ", and seen again on fresh replicas" : "";
    parts.push(`Red means surer than ${sure} over all ${plural(comparison.tests, "test")} together${again}.`);
  }
  parts.push(`Measured in ${duration(comparison.times.wall)}, ${roundsPhrase(comparison)}.`);
  const overall = overallDecides(comparison) ? "" : overallSentence(comparison, MARKDOWN);
  return [overall, parts.join(" "), besideSentence(comparison, MARKDOWN)].filter((text) => text !== "").join("\n\n");
}

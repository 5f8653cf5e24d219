import picocolors from "picocolors";
import type { CellResult, Comparison, Verdict } from "../core/model.ts";
import { editsSentence, settingsSentence } from "./edits.ts";
import { type Ink, oneLine, sentence } from "./escape.ts";
import { ABSENT, ms, qps, signed } from "./format.ts";
import { headline } from "./headline.ts";
import type { ReportInput } from "./input.ts";
import { decidingLines, overallDecides, overallSentence } from "./sentences.ts";
import { besideSentence, sinceLabel, sinceText } from "./stored.ts";
import { allowedPhrase, type State, stateOf, testOf, whyNoInterval, worstFirst } from "./view.ts";
import { loadLabel } from "./words.ts";

export interface TerminalOptions {
  colour: boolean;
  /** Columns; below 60 lines may be cut by the terminal. */
  width: number;
}

type Paint = ReturnType<typeof picocolors.createColors>;

const SIGN: Record<State, string> = { error: "!", regression: "✗", inconclusive: "?", pass: "✓", note: "·" };
/** Passing rows beyond these are only counted. */
const ROWS_SHOWN = 16;

/**
 * The end of a run on a terminal: verdict, what decides, one row per cell, where the rest is. No line begins with
 * foreign text and none is wider than `width` (names are cut, sentences wrapped).
 */
export function renderTerminal(input: ReportInput, { colour, width }: TerminalOptions): string {
  const { comparison, environment } = input;
  const paint = picocolors.createColors(colour);
  const ink: Ink = { text: oneLine, strong: (safe) => paint.bold(safe) };
  const { verdict, word, rest } = headline(comparison);
  const lines = [...wrap(`${verdictPaint(paint, verdict)(paint.bold(word))}: ${rest}`, width, ""), ""];
  for (const line of decidingLines(input, ink)) lines.push(...wrap(line, width, "  "));
  if (lines.at(-1) !== "") lines.push("");
  const rows = worstFirst(comparison.cells);
  const passing = rows.filter((result) => result.verdict === "pass");
  const notable = rows.length - passing.length;
  const shown = [...rows.slice(0, notable), ...passing.slice(0, Math.max(0, ROWS_SHOWN - notable))];
  const measured = comparison.stored === undefined;
  if (shown.length > 0) lines.push(...table(shown, width, paint, measured));
  const hidden = rows.length - shown.length;
  if (hidden > 0) lines.push(`  ${hidden} more within what is allowed`);
  if (shown.length > 0) lines.push("");
  lines.push(...sinceLines(comparison, shown, width, ink));
  const overall = overallDecides(comparison) ? "" : overallSentence(comparison, ink);
  if (overall !== "") lines.push(...wrap(overall, width, "  "));
  const allowed = allowedPhrase(comparison);
  const from = comparison.stored === undefined ? "" : " The first figure is what the records lead to expect here.";
  if (allowed !== "") lines.push(...wrap(`Allowed: ${allowed}. "Between" is what the data allow.${from}`, width, "  "));
  const warnings = (environment?.warnings ?? []).map((warning) => sentence(oneLine(warning)));
  for (const note of [settingsSentence(input, ink), editsSentence(comparison, ink), ...warnings]) {
    if (note !== "") lines.push(...wrap(`${paint.yellow("note:")} ${note}`, width, "  "));
  }
  lines.push(...wrap("Full report: report.html, report.md, results.csv in the work directory.", width, "  "));
  return `${lines.join("\n")}\n`;
}

/** Head against the anchor or the oldest records, a line for each cell that has it. */
function sinceLines(comparison: Comparison, rows: readonly CellResult[], width: number, ink: Ink): string[] {
  const label = sinceLabel(comparison);
  if (label === null) return [];
  const lines = rows.flatMap((result) => {
    const { since, statistic } = result;
    if (since == null) return [];
    const latency = since.latency === null ? "" : `, ${statistic} ${sinceText(since.latency)}`;
    const name = `${oneLine(result.cell.scenario)} at ${loadLabel(result)}`;
    return wrap(`${name}: QPS ${sinceText(since.qps)}${latency}`, width, "    ");
  });
  if (lines.length === 0) return [];
  const what = besideSentence(comparison, ink) || `Since ${ink.text(label)}, measured here, not judged:`;
  return [...wrap(what, width, "  "), ...lines, ""];
}

function verdictPaint(paint: Paint, verdict: Verdict): (text: string) => string {
  return statePaint(paint, stateOf(verdict));
}

function statePaint(paint: Paint, state: State): (text: string) => string {
  switch (state) {
    case "error":
    case "regression":
      return paint.red;
    case "inconclusive":
      return paint.yellow;
    case "pass":
      return paint.green;
    case "note":
      return paint.dim;
  }
}

// ---------------------------------------------------------------- table

interface Column {
  title: string;
  right: boolean;
  cells: string[];
}

/** A table in one line per cell where that fits, else QPS and latency below one another. */
function table(rows: readonly CellResult[], width: number, paint: Paint, measured: boolean): string[] {
  const statistics = new Set(rows.map((result) => result.statistic));
  const mixed = statistics.size > 1;
  const names = rows.map((result) => oneLine(result.cell.scenario));
  const loads: Column = { title: "load", right: true, cells: rows.map(loadLabel) };
  const of = (metric: "qps" | "latency") => rows.map((result) => figures(result, metric, mixed, measured));
  const [throughput, latency] = [of("qps"), of("latency")];
  const signs = rows.map((result) => {
    const state = stateOf(result.verdict);
    return statePaint(paint, state)(SIGN[state]);
  });
  const room = (columns: readonly Column[]) => width - 2 - total(columns) - 2 * columns.length;
  const wide = [
    loads,
    ...columns("QPS", throughput),
    ...columns(mixed ? "latency ms" : `${[...statistics][0]} ms`, latency),
  ];
  const longest = Math.max(...names.map(textWidth));
  const space = room(wide);
  if (space >= Math.min(24, longest)) {
    const first: Column = { title: "scenario", right: false, cells: names.map((name) => cut(name, space)) };
    return lay([first, ...wide], signs, paint, rows);
  }
  const metric: Column = {
    title: "",
    right: false,
    cells: rows.flatMap((result) => ["QPS", `${result.statistic} ms`]),
  };
  const both = rows.flatMap((_, row) => [throughput[row] ?? [], latency[row] ?? []]);
  const stacked = [
    { ...loads, cells: loads.cells.flatMap((load) => [load, ""]) },
    metric,
    ...columns(measured ? "base → head" : "expected → head", both),
  ];
  const left = Math.max(8, room(stacked));
  const first: Column = { title: "scenario", right: false, cells: names.flatMap((name) => [cut(name, left), ""]) };
  const twice = signs.flatMap((sign) => [sign, " "]);
  return lay(
    [first, ...stacked],
    twice,
    paint,
    rows.flatMap((result) => [result, result]),
  );
}

/** "4,151 → 3,413", "−17.8%", "−19.4 … −15.9". */
function figures(result: CellResult, metric: "qps" | "latency", mixed: boolean, measured: boolean): string[] {
  const test = testOf(result, metric);
  const { base, head } = result.figures;
  const format = metric === "qps" ? qps : ms;
  const value = (arm: typeof base) => (metric === "qps" ? arm?.qps : arm?.latencyMs[result.statistic]);
  const from = test?.base ?? (measured ? value(base) : null);
  const to = test?.head ?? value(head);
  const prefix = metric === "latency" && mixed ? `${result.statistic} ` : "";
  const pair = from == null && to == null ? ABSENT : `${prefix}${format(from)} → ${format(to)}`;
  if (test === null) return [pair, ABSENT, result.tests.length === 0 ? "not judged" : "not gated"];
  if (test.estimate === null) return [pair, ABSENT, whyNoInterval(test)];
  const { ratio, low, high } = test.estimate;
  return [pair, `${signed(ratio - 1)}%`, `${signed(low - 1)} … ${signed(high - 1)}`];
}

function columns(title: string, rows: readonly string[][]): Column[] {
  return [title, "change", "between, %"].map((name, at) => ({
    title: name,
    right: true,
    cells: rows.map((row) => row[at] ?? ""),
  }));
}

const widthOf = (column: Column) => Math.max(textWidth(column.title), ...column.cells.map(textWidth));
const total = (list: readonly Column[]) => list.reduce((sum, column) => sum + widthOf(column), 0);

function lay(list: readonly Column[], signs: readonly string[], paint: Paint, rows: readonly CellResult[]): string[] {
  const widths = list.map(widthOf);
  const row = (cells: readonly string[]) =>
    cells
      .map((cell, at) => pad(cell, widths[at] ?? 0, list[at]?.right ?? false))
      .join("  ")
      .trimEnd();
  const header = `  ${paint.dim(row(list.map((column) => column.title)))}`;
  const body = signs.map((sign, at) => {
    const line = row(list.map((column) => column.cells[at] ?? ""));
    return `${sign} ${rows[at]?.verdict === "regression" ? paint.bold(line) : line}`.trimEnd();
  });
  return [header, ...body];
}

// ---------------------------------------------------------------- text

/** Characters that take two columns: East Asian wide and emoji blocks. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours, which take no column
const COLOUR = /\u001b\[\d+m/g;

/** Nothing but letters and signs of one column: what nearly every cell holds. */
const NARROW = /^[\u0020-\u007e\u00a0-\u02ff\u2010-\u2027\u2190-\u22ff]*$/;

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const letter of text.replace(COLOUR, "")) width += WIDE.test(letter) ? 2 : /\p{M}/u.test(letter) ? 0 : 1;
  return width;
}

function pad(text: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return right ? space + text : text + space;
}

/** Cut to a width, with an ellipsis where something is gone. */
function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  for (const letter of text) {
    if (textWidth(kept + letter) + 1 > width) break;
    kept += letter;
  }
  return `${kept}…`;
}

/** Words over as many lines as they need; a word wider than a line is broken. */
function wrap(text: string, width: number, indent: string): string[] {
  const room = Math.max(20, width - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && textWidth(line) + 1 + textWidth(word) > room) {
      lines.push(indent + line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    while (textWidth(line) > room) {
      const letters = [...line];
      lines.push(indent + letters.slice(0, room).join(""));
      line = letters.slice(room).join("");
    }
  }
  if (line !== "") lines.push(indent + line);
  return lines;
}

import { assertNever, type Comparison, type TestResult, type Verdict } from "../core/model.ts";
import { type Ink, PLAIN, sentence } from "./escape.ts";
import { list, percent, plural } from "./format.ts";
import { recordsPhrase } from "./stored.ts";
import { cellsOf, isLimit, judged, ownReasons, sharedMargins, unit } from "./view.ts";
import { confirmationPhrase } from "./words.ts";

/** The verdict in one sentence, without a final stop and without names that need escaping beyond `ink`. */
export interface Headline {
  verdict: Verdict;
  /** One or two words: "Slower", "Not slower", "Undecided". */
  word: string;
  /** The rest, to stand behind "<word>: ". */
  rest: string;
}

/**
 * The one-sentence verdict that the terminal, report.md, report.html and annotations share.
 * @param ink how foreign text (reasons may quote names) is made safe for the place it goes to
 */
export function headline(comparison: Comparison, ink: Ink = PLAIN): Headline {
  const { verdict } = comparison;
  const { word, rest } = againstRecords(comparison, byVerdict(comparison, ink), ink);
  if (!comparison.sameSource) return { verdict, word, rest };
  const yet = verdict === "regression" ? "yet " : "";
  return { verdict, word: `A/A run, ${yet}${word.charAt(0).toLowerCase()}${word.slice(1)}`, rest };
}

/** The headline as one string. */
export function headlineText(comparison: Comparison, ink: Ink = PLAIN): string {
  const { word, rest } = headline(comparison, ink);
  return `${word}: ${rest}`;
}

function byVerdict(comparison: Comparison, ink: Ink): { word: string; rest: string } {
  switch (comparison.verdict) {
    case "pass":
      return { word: "Not slower", rest: passed(comparison) };
    case "regression":
      return regressed(comparison, ink);
    case "inconclusive":
      return { word: "Undecided", rest: undecided(comparison, ink) };
    case "error":
      return { word: "Broken", rest: broken(comparison, ink) };
    default:
      return assertNever(comparison.verdict);
  }
}

/** A verdict by records says so. */
function againstRecords(
  { verdict, stored }: Comparison,
  { word, rest }: { word: string; rest: string },
  ink: Ink,
): { word: string; rest: string } {
  if (stored === undefined || stored.records.length === 0 || verdict === "error") return { word, rest };
  return { word, rest: `${rest}, against ${recordsPhrase(stored, ink)}` };
}

/** "5% QPS and 20% p99", or null where cells differ or nothing is gated. */
function margins(comparison: Comparison): string | null {
  const shared = sharedMargins(comparison);
  if (shared === null) return null;
  const parts: string[] = [];
  if (shared.qps !== null) parts.push(`${percent(shared.qps)} QPS`);
  if (shared.latency !== null) parts.push(`${percent(shared.latency.rise)} ${shared.latency.statistic}`);
  return parts.length === 0 ? null : list(parts);
}

function passed(comparison: Comparison): string {
  const count = judged(comparison).length;
  const word = unit(comparison);
  const all = count === 1 ? `the ${word} is` : count === 2 ? `both ${word}s` : `all ${plural(count, word)}`;
  return `${all} within the allowed ${margins(comparison) ?? "margins"}${notJudged(comparison)}`;
}

/** ", 1 new": what is shown and not judged. */
function notJudged(comparison: Comparison): string {
  const fresh = comparison.cells.filter((cell) => cell.verdict === "new").length;
  const shown = comparison.cells.filter((cell) => cell.verdict === "shown").length;
  return (fresh > 0 ? `, ${fresh} new` : "") + (shown > 0 ? `, ${shown} shown only` : "");
}

function regressed(comparison: Comparison, ink: Ink): { word: string; rest: string } {
  const slower = lostParts(comparison);
  const limits = cellsOf(comparison, "regression", "error").filter((cell) =>
    cell.tests.some((test) => isLimit(test) && test.verdict === "regression"),
  ).length;
  const parts = [...slower];
  if (limits > 0) {
    const subject = slower.length > 0 ? String(limits) : outOf(limits, comparison);
    parts.push(`${subject} beyond ${limits === 1 ? "its" : "their"} absolute limit`);
  }
  const exceeded = new Set(comparison.census.filter((entry) => entry.exceeded).map((entry) => entry.scenario)).size;
  if (exceeded > 0) parts.push(`${plural(exceeded, "scenario")} with more work per request than allowed`);
  if (parts.length === 0) parts.push(reasonsOf(comparison, ink) || "a regression was found");
  const word = slower.length > 0 ? "Slower" : limits > 0 ? "Over the limit" : "More work per request";
  return { word, rest: parts.join("; ") };
}

/** "2 of 8 cells". */
function outOf(count: number, comparison: Comparison): string {
  return `${count} of ${plural(judged(comparison).length, unit(comparison))}`;
}

/** What was lost against the base: in QPS, in latency, in all cells together. */
function lostParts(comparison: Comparison): string[] {
  const shared = sharedMargins(comparison);
  const red = (metric: TestResult["metric"]) =>
    comparison.cells.filter((cell) =>
      cell.tests.some((test) => test.metric === metric && test.verdict === "regression"),
    ).length;
  const than = (allowed: number | null | undefined) =>
    allowed == null ? "allowed" : `the allowed ${percent(allowed)}`;
  const parts: string[] = [];
  const [qps, latency] = [red("qps"), red("latency")];
  if (qps > 0) parts.push(`${outOf(qps, comparison)} lost more than ${than(shared?.qps)} QPS`);
  if (latency > 0) {
    const subject = qps > 0 ? String(latency) : outOf(latency, comparison);
    const name = shared?.latency?.statistic ?? "tail latency";
    parts.push(`${subject} rose more than ${than(shared?.latency?.rise)} in ${name}`);
  }
  const { overall } = comparison;
  if (overall?.verdict === "regression") {
    const alone = parts.length === 0 ? ", though none did alone" : "";
    parts.push(`all ${unit(comparison)}s together lost more than ${than(overall.line - 1)} QPS${alone}`);
  }
  return parts;
}

function undecided(comparison: Comparison, ink: Ink): string {
  const total = judged(comparison).length;
  const open = cellsOf(comparison, "inconclusive").length;
  const word = unit(comparison);
  const stop = comparison.stop?.reason;
  const [own] = ownReasons(comparison).map((reason) => ink.text(reason.text).replace(/[.]$/, ""));
  if (comparison.blocks === 0) return own ?? "nothing was measured";
  if (comparison.stored?.records.length === 0 && comparison.blocks > 0) return "there is no record to compare with";
  if (total === 0) return own ?? `no ${word} could be judged`;
  const why =
    stop === "interrupted"
      ? `the run was interrupted after ${plural(comparison.blocks, "round")}; `
      : stop === "failed"
        ? "the measurement stopped early; "
        : "";
  if (open === 0) return why + (own ?? unconfirmedOverall(comparison) ?? "the evidence is not enough for a verdict");
  const rest = total - open;
  const others = rest === 0 ? "" : `, the other ${rest === 1 ? "one is" : `${rest} are`} within what is allowed`;
  return `${why}${open} of ${plural(total, word)} ${open === 1 ? "needs" : "need"} more evidence${others}`;
}

function unconfirmedOverall(comparison: Comparison): string | null {
  const phrase = confirmationPhrase(comparison.overall?.confirmation ?? null);
  return phrase === "" ? null : `all ${unit(comparison)}s together looked slower than allowed: ${phrase}`;
}

function broken(comparison: Comparison, ink: Ink): string {
  const cells = cellsOf(comparison, "error").length;
  if (cells === 0) return reasonsOf(comparison, ink) || "the head fails where the base does not";
  return `the head fails in ${cells} of ${plural(judged(comparison).length, unit(comparison))}, where the base does not`;
}

/** The run's own reasons as a clause, first letter as it came, no final stop. */
function reasonsOf(comparison: Comparison, ink: Ink): string {
  const [first] = comparison.reasons;
  return first === undefined ? "" : ink.text(first.text).replace(/[.]$/, "");
}

/** Log commands and annotations want a whole sentence. */
export function headlineSentence(comparison: Comparison): string {
  return sentence(headlineText(comparison));
}

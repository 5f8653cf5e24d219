import { assertNever, type CellResult, type Comparison, type TestResult } from "../core/model.ts";
import { FIRST_LOOK } from "../core/replay.ts";
import { explainCensus, isClear } from "./census.ts";
import { type Ink, sentence } from "./escape.ts";
import { decimal, duration, list, margin, ms, percent, percentMeasured, plural, qps, signedPercent } from "./format.ts";
import type { ReportInput } from "./input.ts";
import { moreTime, NOISY, struckShare, whatWouldSettle } from "./settle.ts";
import { noBaseline, storedSentence, withoutBaseline } from "./stored.ts";
import {
  cellsOf,
  decidingTest,
  furtherReasons,
  isLimit,
  judged,
  ownReasons,
  unit,
  worstFirst,
  worstRoom,
} from "./view.ts";
import { cellName, confirmationPhrase, STRIKE_LABEL } from "./words.ts";

const share = (ratio: number) => ratio - 1;

/** "between 15.9% and 19.4% fewer", "between 2.2% fewer and 1.0% more". */
function between(test: TestResult, less: string, more: string): string {
  if (test.estimate === null) return "";
  const low = share(test.estimate.low);
  const high = share(test.estimate.high);
  const side = (value: number) => (value < 0 ? less : more);
  if (side(low) !== side(high)) return `between ${percentMeasured(low)} ${less} and ${percentMeasured(high)} ${more}`;
  const [near, far] = Math.abs(low) < Math.abs(high) ? [low, high] : [high, low];
  return `between ${percentMeasured(near)} and ${percentMeasured(far)} ${side(low)}`;
}

/** What a test found, as the rest of a sentence about its cell: "answers 17.8% fewer requests per second (between …)". */
function finding(test: TestResult, ink: Ink): string {
  const { estimate, metric, statistic, limit } = test;
  if (estimate === null) return "has too few rounds for an estimate";
  const change = share(estimate.ratio);
  const by = percentMeasured(change);
  switch (metric) {
    case "qps":
    case "overall-qps": {
      const what = ink.strong(`${by} ${change < 0 ? "fewer" : "more"} requests per second`);
      return `${metric === "qps" ? "answers" : "answer"} ${what} (${between(test, "fewer", "more")})`;
    }
    case "latency": {
      const what = ink.strong(`${by} ${change < 0 ? "lower" : "higher"} ${statistic}`);
      return `has a ${what} (${between(test, "lower", "higher")})`;
    }
    case "min-qps": {
      const what = ink.strong(`${qps(test.head)} requests per second where ${qps(limit)} is the least allowed`);
      return `answers ${what} (${between(test, "below", "above")} the limit)`;
    }
    case "max-p99": {
      const what = ink.strong(`a ${statistic} of ${ms(test.head)} ms where ${ms(limit)} ms is the most allowed`);
      return `has ${what} (${between(test, "below", "above")} the limit)`;
    }
    default:
      return assertNever(metric);
  }
}

function confirmed(tests: readonly TestResult[]): string {
  const phrases = [...new Set(tests.map((test) => confirmationPhrase(test.confirmation)))].filter(
    (text) => text !== "",
  );
  return phrases.length === 0 ? "" : `, ${list(phrases)}`;
}

/** All that the report says about one red or broken cell: each red test, then what the census has to say. */
function badCell(result: CellResult, comparison: Comparison, ink: Ink): string {
  const red = result.tests.filter((test) => test.verdict === "regression");
  const found = red.length > 0 ? list(red.map((test) => finding(test, ink))) + confirmed(red) : "does not work";
  const reasons = red.length > 0 ? [] : result.reasons.map((reason) => sentence(ink.text(reason.text)));
  const own = comparison.census.filter((difference) => difference.scenario === result.cell.scenario);
  return [`${cellName(result, ink)} ${found}.`, ...reasons, explainCensus(own, ink)]
    .filter((text) => text !== "")
    .join(" ");
}

/** What the report says about one cell that did not pass; "" about any other. */
export function cellSentence(result: CellResult, input: ReportInput, ink: Ink): string {
  const { verdict } = result;
  if (verdict === "regression" || verdict === "error") return badCell(result, input.comparison, ink);
  return verdict === "inconclusive" ? undecidedCell(result, input, ink) : "";
}

/** What all cells together say: "All 8 cells together answer 2.9% fewer …". */
export function overallSentence(comparison: Comparison, ink: Ink): string {
  const { overall } = comparison;
  if (overall === null) return "";
  const subject = `All ${unit(comparison)}s together`;
  if (overall.estimate === null) return `${subject} had too few complete rounds for an estimate.`;
  const closing = overallClosing(overall, `the allowed ${percent(share(overall.line))}`);
  return `${subject} ${finding(overall, ink)}: ${closing}${confirmed([overall])}.`;
}

/** True where the overall test makes the run red or undecided, so that it stands with what decides. */
export function overallDecides({ overall }: Comparison): boolean {
  return overall !== null && (overall.verdict === "regression" || overall.confirmation !== null);
}

function overallClosing({ verdict, confirmation }: TestResult, allowed: string): string {
  if (verdict === "pass") return `within ${allowed}`;
  if (verdict === "regression" || confirmation !== null) return `more than ${allowed}`;
  return `undecided against ${allowed}, which holds nothing back`;
}

/** How many cells get a sentence of their own before the table has to do. */
const SENTENCES = 5;

/** The lines under the headline: the number that decides with its interval, and the reason where it is not green. */
export function decidingLines(input: ReportInput, ink: Ink): string[] {
  const { comparison } = input;
  switch (comparison.verdict) {
    case "pass":
      return [passLine(input, ink)];
    case "regression":
      return redLines(input, ink);
    case "error":
      return some(worstFirst(cellsOf(comparison, "error")), comparison, ink);
    case "inconclusive":
      return undecidedLines(input, ink);
    default:
      return assertNever(comparison.verdict);
  }
}

function passLine({ comparison, census }: ReportInput, ink: Ink): string {
  const [tightest] = comparison.cells
    .flatMap((result) => result.tests.map((test) => ({ result, test, room: worstRoom(test) })))
    .filter((entry) => entry.room !== null && !isLimit(entry.test))
    .sort((a, b) => (a.room ?? 0) - (b.room ?? 0));
  const parts = [storedSentence(comparison, ink)].filter((text) => text !== "");
  if (tightest?.test.estimate) {
    const { test, result } = tightest;
    const { ratio, low, high } = tightest.test.estimate;
    const name = test.metric === "qps" ? "QPS" : test.statistic;
    const range = `between ${signedPercent(share(low))} and ${signedPercent(share(high))}`;
    parts.push(
      `Tightest: ${cellName(result, ink)}, ${name} ${ink.strong(signedPercent(share(ratio)))} (${range}; allowed ${margin(share(test.line))}).`,
    );
  }
  if (comparison.sameSource) parts.push("Both arms are the same source: any difference is noise.");
  parts.push(...censusLines(comparison, null, ink));
  if (census !== null && comparison.census.length === 0) parts.push("Same work per request.");
  parts.push(`${roundsPhrase(comparison)}, ${duration(comparison.times.wall)}.`);
  return parts.join(" ");
}

/** "6 rounds", "6 to 9 rounds". */
export function roundsPhrase(comparison: Comparison): string {
  const rounds = judged(comparison).map((result) => result.rounds);
  if (rounds.length === 0) return "0 rounds";
  const [least, most] = [Math.min(...rounds), Math.max(...rounds)];
  return least === most ? plural(most, "round") : `${least} to ${plural(most, "round")}`;
}

/** Clear census differences, scenarios with the same one together; `except` has been told already. */
function censusLines(comparison: Comparison, except: string | null, ink: Ink): string[] {
  const scenarios = new Map<string, typeof comparison.census>();
  for (const difference of comparison.census) {
    if (isClear(difference))
      scenarios.set(difference.scenario, [...(scenarios.get(difference.scenario) ?? []), difference]);
  }
  const told = except === null ? "" : explainCensus(scenarios.get(except) ?? [], ink);
  const groups = new Map<string, string[]>();
  for (const [scenario, differences] of scenarios) {
    if (scenario === except) continue;
    const text = explainCensus(differences, ink);
    groups.set(text, [...(groups.get(text) ?? []), `“${ink.text(scenario)}”`]);
  }
  return [...groups].slice(0, SENTENCES).map(([text, names]) => {
    const shown = names.length > SENTENCES ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
    if (text === told) return `The same holds for ${list(shown)}.`;
    return `${list(shown)}: ${text.replace(/^It/, names.length === 1 ? "it" : "each")}`;
  });
}

function redLines(input: ReportInput, ink: Ink): string[] {
  const { comparison } = input;
  const [worst] = worstFirst(cellsOf(comparison, "regression", "error"));
  const census = censusLines(comparison, worst?.cell.scenario ?? null, ink);
  const lines: string[] = [];
  if (worst !== undefined) {
    const same = census[0]?.startsWith("The same") ? census.splice(0, 1) : [];
    lines.push([badCell(worst, comparison, ink), ...same].join(" "));
  }
  if (overallDecides(comparison)) lines.push(overallSentence(comparison, ink));
  lines.push(...census);
  if (comparison.sameSource) {
    lines.push("Both arms are the same source: this difference is not in the code. Look at the conditions below.");
  }
  lines.push(...[storedSentence(comparison, ink)].filter((text) => text !== ""));
  const open = worstFirst(cellsOf(comparison, "inconclusive")).slice(0, 2);
  return [...lines, ...open.map((result) => undecidedCell(result, input, ink)), ...noiseLines(comparison)];
}

function some(cells: readonly CellResult[], comparison: Comparison, ink: Ink): string[] {
  const lines = cells.slice(0, SENTENCES).map((result) => badCell(result, comparison, ink));
  const more = cells.length - SENTENCES;
  return more > 0 ? [...lines, `${more} more: see the table.`] : lines;
}

function undecidedLines(input: ReportInput, ink: Ink): string[] {
  const { comparison, plan } = input;
  // The headline has told the first reason where nothing was measured.
  const told = comparison.blocks === 0 ? 1 : 0;
  const lines = ownReasons(comparison)
    .slice(told)
    .map((reason) => sentence(ink.text(reason.text)));
  if (overallDecides(comparison)) lines.push(overallSentence(comparison, ink));
  const all = worstFirst(cellsOf(comparison, "inconclusive"));
  lines.push(...withoutBaseline(all, ink), ...[storedSentence(comparison, ink)].filter((text) => text !== ""));
  const open = all.filter((result) => noBaseline(result).length === 0);
  const early = open.filter(
    (result) => result.reasons.length === 0 && result.tests.every((test) => test.estimate === null),
  );
  if (early.length > 1 && comparison.blocks > 0) {
    const most = Math.max(...early.map((result) => result.rounds));
    const time = moreTime(FIRST_LOOK - most, comparison, plan);
    lines.push(
      `${plural(early.length, unit(comparison))} ${early.length === open.length ? "" : "also "}had at most ${plural(most, "round")}, and no verdict is possible before ${FIRST_LOOK}: that takes ${time}.`,
    );
  }
  const single = early.length > 1 || comparison.blocks === 0 ? open.filter((result) => !early.includes(result)) : open;
  lines.push(...single.slice(0, SENTENCES).map((result) => undecidedCell(result, input, ink)));
  if (single.length > SENTENCES) lines.push(`${single.length - SENTENCES} more are undecided: see the table.`);
  lines.push(...noiseLines(comparison), ...censusLines(comparison, null, ink));
  return [...new Set(lines)];
}

/** One undecided cell: what the data allow, why it is undecided, what would settle it. */
function undecidedCell(result: CellResult, { comparison, plan }: ReportInput, ink: Ink): string {
  const test = decidingTest(result.tests);
  const reasons = furtherReasons(result, test).map((reason) => sentence(ink.text(reason.text)));
  const parts = [whatFits(result, test, ink), ...new Set(reasons), whatWouldSettle(result, comparison, plan)];
  return parts.filter((text) => text !== "").join(" ");
}

function whatFits(result: CellResult, test: TestResult | null, ink: Ink): string {
  const name = cellName(result, ink);
  if (!test?.estimate) return `${name} is undecided.`;
  const { low, high } = test.estimate;
  const what = test.statistic === "qps" ? "QPS" : test.statistic;
  const range = ink.strong(`${signedPercent(share(low))} to ${signedPercent(share(high))}`);
  const line = test.limit === null ? `allowed ${margin(share(test.line))}` : "from its absolute limit";
  if (test.confirmation === null || test.confirmation === "confirmed") {
    return `${name} is undecided: the data fit any ${what} change from ${range} (${line}).`;
  }
  return `${name} looked worse than allowed (${what} ${range}; ${line}), but ${unconfirmed(test.confirmation)}.`;
}

function unconfirmed(confirmation: "not-confirmed" | "no-time"): string {
  return confirmation === "no-time" ? confirmationPhrase(confirmation) : "fresh replicas did not show it again";
}

/** What disturbed the run, where it disturbed it much. */
export function noiseLines(comparison: Comparison): string[] {
  const lines: string[] = [];
  const [first] = Object.entries(comparison.struck).sort((a, b) => b[1] - a[1]) as [
    keyof typeof STRIKE_LABEL,
    number,
  ][];
  if (first !== undefined && struckShare(comparison.struck, comparison.slots) >= NOISY) {
    const [reason, count] = first;
    lines.push(
      `In ${decimal(count)} of ${plural(comparison.slots, "slot")} ${STRIKE_LABEL[reason]}: these count for nothing and were measured again where time allowed.`,
    );
  }
  const rounds = comparison.slots / 2;
  if (comparison.disturbed >= NOISY * rounds && comparison.disturbed > 0) {
    lines.push(
      `In ${plural(comparison.disturbed, "round")} something else used our cores: both versions alike, as they take turns, but the figures scatter more and the speeds shown are lower than on a quiet machine.`,
    );
  }
  return lines;
}

import type { CellResult, Comparison, Estimate, StoredSummary } from "../core/model.ts";
import type { Ink } from "./escape.ts";
import { list, plural, signed, signedPercent } from "./format.ts";
import { cellName } from "./words.ts";

/** "12 records of main"; foreign text in it is made safe by `ink`. */
export function recordsPhrase({ records, branch }: StoredSummary, ink: Ink): string {
  return `${plural(records.length, "record")} of ${ink.text(branch)}`;
}

/** Where the base of a run comes from, as a sentence; "" where it was measured. */
export function storedSentence({ stored }: Comparison, ink: Ink): string {
  if (stored === undefined) return "";
  if (stored.records.length === 0) {
    const there = stored.missing ? "is not there yet" : "has none that compares";
    return `The base would be records of ${ink.text(stored.branch)}: ${ink.text(stored.store)} ${there}.`;
  }
  return `Compared with ${recordsPhrase(stored, ink)} relative to ${ink.text(stored.anchor.label)}, ${newestPhrase(stored, ink)}.`;
}

/** What the records shown beside a measured base say, as a sentence; "" where there are none. */
export function besideSentence({ beside }: Comparison, ink: Ink): string {
  if (beside === undefined) return "";
  return `Since ${ink.text(beside.since)}: with ${recordsPhrase(beside, ink)}, ${newestPhrase(beside, ink)}; shown, not judged.`;
}

/** What `CellResult.since` is against, as it was recorded; null where no cell has it. */
export function sinceLabel({ stored, beside, cells }: Comparison): string | null {
  return cells.some(({ since }) => since != null) ? (beside?.since ?? stored?.anchor.label ?? null) : null;
}

/** "newest c0ffee1 of 2026-11-20" */
function newestPhrase({ records: [newest] }: StoredSummary, ink: Ink): string {
  if (newest === undefined) return "";
  return `newest ${ink.text(newest.commit.slice(0, 7))} of ${ink.text(newest.recordedAt.slice(0, 10))}`;
}

/** "−6.2% (−7.1 … −5.2)" */
export function sinceText(estimate: Estimate | null | undefined): string {
  if (estimate == null) return "";
  return `${signedPercent(estimate.ratio - 1)} (${signed(estimate.low - 1)} … ${signed(estimate.high - 1)})`;
}

/** Cells that no record compares with, and why, as sentences: one for each reason. */
export function withoutBaseline(cells: readonly CellResult[], ink: Ink): string[] {
  const groups = new Map<string, string[]>();
  for (const result of cells) {
    const [reason] = noBaseline(result);
    if (reason === undefined) continue;
    groups.set(reason, [...(groups.get(reason) ?? []), cellName(result, ink)]);
  }
  return [...groups].map(([reason, names]) => {
    const who = names.length > 3 ? plural(names.length, "cell") : list(names);
    const have = names.length === 1 ? "has" : "have";
    return `${who} ${have} nothing to be compared with: ${ink.text(reason)}.`;
  });
}

/** Why a cell has no base, where that is all that keeps it from a verdict. */
export function noBaseline(result: CellResult): string[] {
  if (result.verdict !== "inconclusive" || result.reasons.length > 0) return [];
  const open = result.tests.filter((test) => test.verdict === "inconclusive");
  const reasons = open.map((test) => test.reasons.find(({ code }) => code === "no-baseline")?.text);
  return reasons.every((text) => text !== undefined) ? [...new Set(reasons)].filter((text) => text !== undefined) : [];
}

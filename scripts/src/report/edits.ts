import { markdownTable } from "markdown-table";
import { ARMS, type Comparison, type ConfigEdit } from "../core/model.ts";
import { differingSettings } from "../core/variants.ts";
import { fold } from "./details.ts";
import { escapeMarkdown, type Ink } from "./escape.ts";
import { ABSENT, plural } from "./format.ts";
import type { ReportInput } from "./input.ts";

/** Rows of the table; the rest is counted. */
const ROWS_SHOWN = 20;

/** What the head's configuration would change, as a folded table; "" where it changes nothing. */
export function editsTable({ edits = [] }: Comparison): string {
  if (edits.length === 0) return "";
  const title = `The change edits the configuration: judged by the base's (${plural(edits.length, "difference")})`;
  return fold(title, table(edits, ["base: this counts", "head"]));
}

/** The settings by which two variants differ, as a table; "" where both arms are started and asked alike. */
export function settingsTable({ comparison: { arms }, plan }: ReportInput): string {
  const settings = differingSettings(plan);
  if (settings.length === 0) return "";
  const header = ARMS.map((arm) => `${arm}: ${escapeMarkdown(arms[arm].label)}`);
  return ["What differs between the two:", ...table(settings, header)].filter((text) => text !== "").join("\n\n");
}

/** A row for each of the first, and how many more there are. */
function table(edits: readonly ConfigEdit[], header: readonly string[]): string[] {
  const rows = edits
    .slice(0, ROWS_SHOWN)
    .map(({ key, base, head }) => [key, base ?? ABSENT, head ?? ABSENT].map(escapeMarkdown));
  const more = edits.length > ROWS_SHOWN ? `${edits.length - ROWS_SHOWN} more.` : "";
  return [markdownTable([["setting", ...header], ...rows]), more];
}

/** The same in a sentence: its first two edits; "" where there are none. */
export function editsSentence({ edits = [] }: Comparison, ink: Ink): string {
  return edits.length === 0
    ? ""
    : `The head changes ${firstOf(edits, ink)} in its configuration: judged by the base's.`;
}

/** What two variants are and differ in, in a sentence; "" where both arms are started and asked alike. */
export function settingsSentence({ comparison: { arms }, plan }: ReportInput, ink: Ink): string {
  const settings = differingSettings(plan);
  if (settings.length === 0) return "";
  return `The base is ${ink.text(arms.base.label)}, the head ${ink.text(arms.head.label)}: ${firstOf(settings, ink)}.`;
}

function firstOf(edits: readonly ConfigEdit[], ink: Ink): string {
  const shown = edits
    .slice(0, 2)
    .map(({ key, base, head }) => `${ink.text(key)} (${ink.text(base ?? ABSENT)} → ${ink.text(head ?? ABSENT)})`);
  return `${shown.join(", ")}${edits.length > 2 ? ` and ${edits.length - 2} more` : ""}`;
}

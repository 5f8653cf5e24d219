import { markdownTable } from "markdown-table";
import type { Comparison } from "../core/model.ts";
import { fold } from "./details.ts";
import { escapeMarkdown, type Ink } from "./escape.ts";
import { ABSENT, plural } from "./format.ts";

/** Rows of the table; the rest is counted. */
const ROWS_SHOWN = 20;

/** What the head's configuration would change, as a folded table; "" where it changes nothing. */
export function editsTable({ edits = [] }: Comparison): string {
  if (edits.length === 0) return "";
  const rows = edits
    .slice(0, ROWS_SHOWN)
    .map(({ key, base, head }) => [key, base ?? ABSENT, head ?? ABSENT].map(escapeMarkdown));
  const more = edits.length > ROWS_SHOWN ? `${edits.length - ROWS_SHOWN} more.` : "";
  const table = markdownTable([["setting", "base: this counts", "head"], ...rows]);
  const title = `The change edits the configuration: judged by the base's (${plural(edits.length, "difference")})`;
  return fold(title, [table, more]);
}

/** The same in a sentence: its first two edits; "" where there are none. */
export function editsSentence({ edits = [] }: Comparison, ink: Ink): string {
  if (edits.length === 0) return "";
  const shown = edits
    .slice(0, 2)
    .map(({ key, base, head }) => `${ink.text(key)} (${ink.text(base ?? ABSENT)} → ${ink.text(head ?? ABSENT)})`);
  const more = edits.length > 2 ? ` and ${edits.length - 2} more` : "";
  return `The head changes ${shown.join(", ")}${more} in its configuration: judged by the base's.`;
}

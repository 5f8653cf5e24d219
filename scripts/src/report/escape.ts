/** Characters that break a line, hide, reorder or colour text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being removed
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]+/g;
/** Terminal colours and titles, removed as a whole so that no "[31m" is left behind. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
/** Longest name, and longest sentence that quotes some, in letters. */
const LONGEST = 120;
const LONGEST_NOTE = 1000;

/** One line without control, direction or invisible characters. */
export function visible(text: string): string {
  return text.replace(ANSI, " ").replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
}

/**
 * Text of foreign origin (names, labels, versions, log lines) as one harmless line: no control, direction or
 * invisible characters, at most 120 characters, and nothing that a CI log takes for a command ("::error::", "##[error]").
 */
export function oneLine(text: string): string {
  return quietLine(text, LONGEST);
}

/** The same for sentences of our own that quote others, up to 1,000 characters. */
export function oneNote(text: string): string {
  return quietLine(text, LONGEST_NOTE);
}

function quietLine(text: string, longest: number): string {
  const line = visible(text);
  const quiet = line.replaceAll("::", ": :").replaceAll("##[", "# #[");
  const letters = [...quiet.slice(0, 2 * longest + 2)];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : quiet;
}

const entity = (character: string) => `&#${character.codePointAt(0)};`;
/** Breaks "@name" and "#12" for GitHub without a visible trace. */
const GAP = "\u200b";

/**
 * Text of foreign origin for Markdown or for HTML inside it, the same letters on the page: one line, no markup,
 * no tags, no table borders, no links, no mentions. Entities and not backslashes, as they hold in all those places
 * and never form structure (CommonMark, "Entity and numeric character references").
 */
export function escapeMarkdown(text: string): string {
  return withoutMarkup(oneLine(text));
}

/** The same for sentences of our own that quote others, up to 1,000 characters. */
export function escapeNote(text: string): string {
  return withoutMarkup(oneNote(text));
}

function withoutMarkup(line: string): string {
  return (
    line
      .replace(/[&<>"|`\\*~[\]{}$]/g, entity)
      // Inside a word an underscore is only itself.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, entity)
      .replace(/:(?=\/\/)|(?<=\bwww)\./gi, entity)
      .replace(/^(?:[-+=#]|\d+[.)](?=\s|$))/, (start) => start.slice(0, -1) + entity(start.slice(-1)))
      .replace(/@(?=\w)|(?<!&)#(?=\d)|\bGH-(?=\d)/g, (start) => start + GAP)
  );
}

/** How sentences are dressed: what is foreign goes through `text`, what matters through `strong`. */
export interface Ink {
  text(raw: string): string;
  strong(safe: string): string;
}

export const MARKDOWN: Ink = { text: escapeMarkdown, strong: (safe) => `**${safe}**` };
export const PLAIN: Ink = { text: oneLine, strong: (safe) => safe };

/** A sentence from a fragment: capital letter, full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  // A file or setting keeps its own spelling.
  const start = /^[a-z]+[\s,:]/.test(trimmed) ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?…:]$/.test(start) ? start : `${start}.`;
}

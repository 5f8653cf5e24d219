import type { Verdict } from "../core/model.ts";
import type { Part, PartName } from "./details.ts";
import { escapeMarkdown, escapeNote, MARKDOWN, sentence } from "./escape.ts";
import { bytes, list } from "./format.ts";
import { headlineText } from "./headline.ts";
import type { ReportInput } from "./input.ts";
import { joinParts, reportParts } from "./markdown.ts";
import { stateOf } from "./view.ts";
import { MARK } from "./words.ts";

/** Somebody accepts a regression, by a label. */
export interface Accepted {
  label: string;
  by: string;
  /** ISO 8601. */
  at: string;
  commit: string;
}

/** What a comment says besides the report; text in it is foreign unless said otherwise. */
export interface CommentContext {
  accepted: Accepted | null;
  /** Sentences about the label, the configuration, or who measured. */
  notes: readonly string[];
  /** Runs of this pull request, oldest first, this one last. `url` is ours. */
  runs: readonly { commit: string; verdict: Verdict; accepted: boolean; url: string }[];
  /** What the head was compared with: a branch. */
  base: string;
  /** Names this configuration beside others. */
  name: string;
}

/** What a comment leaves to the job summary. */
const NOT_IN_COMMENT: ReadonlySet<PartName> = new Set([
  "all numbers",
  "slowest requests",
  "rounds and time",
  "how to read this",
]);

/** In this order parts go where the text is too long: first what helps least to understand the verdict. */
const DROPPED: readonly PartName[] = [
  "how to read this",
  "all numbers",
  "slowest requests",
  "rounds and time",
  "conditions",
  "more rows",
  "work per request",
  "limits",
  "table",
  "warnings",
  "margins",
  "edited configuration",
  "settings",
  "sentences",
];

const ACCEPTED_MARK = "🟡";

/**
 * The comment of a pull request: the report in short, folded where it is green. Shrinks to `limit` bytes by dropping
 * whole parts in the order of DROPPED; what went is named.
 */
export function renderComment(input: ReportInput, context: CommentContext, limit: number): string {
  const parts = withContext(input, context).filter(({ name }) => !NOT_IN_COMMENT.has(name));
  const tail = [pastLine(context.runs), sourceLine(context)].filter((text) => text !== "");
  return shrink(parts, tail, limit);
}

/** The job summary: the whole report. Shrinks to `limit` bytes as the comment does. */
export function renderSummary(
  input: ReportInput,
  context: Pick<CommentContext, "accepted" | "notes">,
  limit: number,
): string {
  return shrink(withContext(input, context), [], limit);
}

/** The report with the acceptance in its headline, and the notes after the sentences that decide. */
function withContext(input: ReportInput, { accepted, notes }: Pick<CommentContext, "accepted" | "notes">): Part[] {
  const parts = reportParts(input).map((part) =>
    part.name === "headline" && accepted !== null
      ? { ...part, text: `## ${ACCEPTED_MARK} Accepted. ${headlineText(input.comparison, MARKDOWN)}` }
      : part,
  );
  const said = notes.map((note) => sentence(escapeNote(note)));
  if (accepted !== null) said.unshift(acceptedSentence(accepted));
  if (said.length === 0) return parts;
  const at = parts.findIndex(({ name }) => name === "sentences") + 1 || 1;
  return parts.toSpliced(at, 0, { name: "notes", text: said.map((text) => `> ${text}`).join("\n>\n") });
}

function acceptedSentence({ label, by, at, commit }: Accepted): string {
  const time = escapeMarkdown(at.replace("T", " ").replace(/:\d\dZ$/, " UTC"));
  return `**Accepted by ${escapeMarkdown(by)}**, who set the label “${escapeMarkdown(label)}” at ${time} on ${short(commit)}. It counts for this commit alone: the next one is judged anew.`;
}

/** "Last runs: 🟢 1a2b3c4 · 🔴 5d6e7f8"; "" for the first run. */
function pastLine(runs: CommentContext["runs"]): string {
  if (runs.length < 2) return "";
  const marks = runs.map(({ commit, verdict, accepted, url }, index) => {
    const text = `${accepted ? ACCEPTED_MARK : MARK[stateOf(verdict)]} [${short(commit)}](${url})`;
    return index === runs.length - 1 ? `**${text}**` : text;
  });
  return `Last runs: ${marks.join(" · ")}`;
}

function sourceLine({ base, name, runs }: CommentContext): string {
  const now = runs.at(-1);
  if (now === undefined) return "";
  return `<sub>${escapeMarkdown(name)}: ${short(now.commit)} against ${escapeMarkdown(base)} · [all numbers and report.html](${now.url})</sub>`;
}

/** Drops whole parts until the text fits, and says which; the headline, the notes and `tail` stay. */
function shrink(parts: readonly Part[], tail: readonly string[], limit: number): string {
  let kept = parts;
  const gone: PartName[] = [];
  const whole = () => {
    const note =
      gone.length === 0 ? [] : [`Left out, as GitHub shows ${bytes(limit)} at most: ${list(gone)}. The report has it.`];
    return joinParts([...kept, ...[...note, ...tail].map((text) => ({ text }))]);
  };
  for (const name of DROPPED) {
    if (size(whole()) <= limit) break;
    const rest = kept.filter((part) => part.name !== name);
    if (rest.length < kept.length) gone.push(name);
    kept = rest;
  }
  return whole();
}

const size = (text: string): number => new TextEncoder().encode(text).length;
/** Commits are checked to be hex before they come here; escaped all the same. */
const short = (commit: string): string => escapeMarkdown(commit.slice(0, 7));

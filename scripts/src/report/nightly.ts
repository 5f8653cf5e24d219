import { markdownTable } from "markdown-table";
import type { ChangePoint } from "../core/change-points.ts";
import { type HistoryRecord, NO_ANCHOR, REFERENCE, sinceAnchor } from "../core/record.ts";
import { type Loss, positions, RECENT, type Slowdown } from "../core/slowdowns.ts";
import { escapeMarkdown, escapeNote, oneLine, sentence } from "./escape.ts";
import { decimal, list, plural, signed, signedPercent } from "./format.ts";

/** Where things are that a text of the nightly links to; addresses are ours, the rest is escaped here. */
export interface Places {
  /** https://github.com/owner/name */
  repository: string;
  /** Page of this workflow run, which has the artifact. */
  run: string;
  /** Branch that holds the records and the trend page. */
  dataBranch: string;
  /** Path of the configuration; null = the usual one. */
  config: string | null;
}

/** Cells whose nights are listed beside each other, and nights before and after the slowdown. */
const COLUMNS = 4;
const AROUND = 3;

/** "Slower since 1a2b3c4: shop @20 QPS −18.2%", as plain text of one line. */
export function slowdownTitle({ located, after, losses }: Slowdown, records: readonly HistoryRecord[]): string {
  const [worst] = losses;
  const cells = new Set(losses.map(({ cell }) => cell)).size;
  // A title is no Markdown but for code spans, and knows no mentions.
  const what =
    worst === undefined ? "" : `${oneLine(label(worst, records)).replaceAll("`", "'")} ${change(worst.ratio)}`;
  const more = cells > 1 ? `${plural(cells, "cell")}, most ${what}` : what;
  return `Slower ${located ? "since" : "at"} ${short(after)}: ${more}`;
}

/** What became slower, after which commits, the nights around it, and how to see it again; Markdown. */
export function slowdownText(slowdown: Slowdown, records: readonly HistoryRecord[], places: Places): string {
  const anchor = records.at(-1)?.anchor.label ?? "";
  return [
    ledger(slowdown, records),
    where(slowdown, places),
    `Each night against the anchor ${escapeMarkdown(anchor)}, measured in the same job; ± is 95% of that job alone:`,
    nights(slowdown, records, places),
    `The chart is \`index.html\` on the branch [${escapeMarkdown(places.dataBranch)}](${places.repository}/tree/${encodeURI(places.dataBranch)}), and in the artifact of [this night](${places.run}).`,
    reproduce(slowdown, places),
    "<sub>Kept up to date every night and closed once it is over, by perf-gate. Closed by somebody else, it stays closed.</sub>",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function ledger({ losses }: Slowdown, records: readonly HistoryRecord[]): string {
  const rows = losses.map((loss) => [
    escapeMarkdown(label(loss, records)),
    `**${change(loss.ratio)}**`,
    `${signed(loss.low - 1)} … ${signed(loss.high - 1)}`,
  ]);
  return markdownTable([["", "change", "between, %"], ...rows], { align: ["l", "r", "r"], alignDelimiters: false });
}

function where({ located, before, after }: Slowdown, { repository }: Places): string {
  if (before === after) {
    return `${link(repository, after)} was faster when it was measured before, so no commit made it slower: look at what is not in the repository, such as the image of the runner, packages and services.`;
  }
  const range = `[what was committed](${repository}/compare/${before}...${after})`;
  return located
    ? `It began after ${link(repository, before)}, with ${link(repository, after)} at the latest: ${range}.`
    : `${link(repository, after)} is slower than the records before it, of which ${link(repository, before)} is the newest: ${range}, or a little earlier. A few more nights tell where it began, and this text then says so.`;
}

/** The tests that are listed by night: the worst of each of the worst cells. */
function listed(losses: readonly Loss[]): Loss[] {
  return losses.filter(({ cell }, at) => losses.findIndex((loss) => loss.cell === cell) === at).slice(0, COLUMNS);
}

function nights({ before, after, losses }: Slowdown, records: readonly HistoryRecord[], places: Places): string {
  const order = positions(records);
  const [last, first] = [order.get(before) ?? -1, order.get(after) ?? 0];
  const at = ({ commit }: HistoryRecord) => order.get(commit) ?? 0;
  const later = records.filter((record) => at(record) >= first);
  const shown = [
    ...records.filter((record) => at(record) <= last && at(record) < first).slice(-AROUND),
    ...later.slice(0, AROUND),
    ...later.slice(AROUND).slice(-1),
  ];
  const tests = listed(losses);
  const [origin] = shown;
  const rows = shown.map((record) => [
    record.recordedAt.slice(0, 10),
    link(places.repository, record.commit),
    ...tests.map((test) => figure(record, test, origin)),
  ]);
  const head = ["night", "commit", ...tests.map((test) => escapeMarkdown(label(test, records)))];
  return markdownTable([head, ...rows], { align: ["l", "l", ...tests.map(() => "r")], alignDelimiters: false });
}

/**
 * "−6.2% ± 1.1": the head against the anchor, where that is another application against the head of `origin`, and half the
 * width of the interval from the rounds of the job.
 */
function figure({ cells, anchor }: HistoryRecord, { cell, metric }: Loss, origin: HistoryRecord | undefined): string {
  const figureOf = (all: HistoryRecord["cells"]) => all.find(({ id }) => id === cell)?.[metric];
  const found = figureOf(cells);
  if (found == null || anchor.id === NO_ANCHOR) return "";
  const zero = anchor.label === REFERENCE ? (figureOf(origin?.cells ?? [])?.logRatio ?? 0) : 0;
  const { ratio, low, high } = sinceAnchor({ ...found, logRatio: found.logRatio - zero });
  return `${signedPercent(ratio - 1)} ± ${decimal(50 * (high - low), 1)}`;
}

function reproduce({ before, after }: Slowdown, { config }: Places): string {
  if (before === after) return "";
  // Between single quotes a shell takes everything for text but the quote itself.
  const file = config === null ? "" : ` --config '${oneLine(config).replaceAll("'", String.raw`'\''`)}'`;
  return [
    "To see it on your own machine, with both commits side by side:",
    `\`\`\`\`sh\ngit fetch origin && git checkout --detach ${after}\nperf-gate run --base-ref ${before}${file}\n\`\`\`\``,
  ].join("\n\n");
}

/** "No record for 5 nights". */
export function silenceTitle(nights: readonly string[]): string {
  return `The nightly benchmark left no record for ${plural(nights.length, "night")}`;
}

export function silenceText(since: string, nights: readonly string[], { run }: Pick<Places, "run">): string {
  return [
    `The last record before is of ${since}; ${nights.length === 1 ? "the night" : "the nights"} of ${list(shortened(nights))} left none.`,
    "A night that could not measure says why in the log of its run, under *Actions*. Where there is no run at all, nothing could tell before this one: look whether the workflow is still enabled (GitHub disables schedules of public repositories without activity for 60 days) and whether a runner took the job.",
    `<sub>Seen by [this night](${run}). Closed by perf-gate with the next two nights in a row that leave a record.</sub>`,
  ].join("\n\n");
}

function shortened(nights: readonly string[]): readonly string[] {
  return nights.length <= 7 ? nights : [...nights.slice(0, 3), `${nights.length - 4} more`, ...nights.slice(-1)];
}

/** Why the issue of missing nights is closed. */
export const RECORDS_AGAIN = "Two nights in a row have left a record again.";

/** Why an issue is closed; `commit` is the newest recorded one. */
export function overSentence(slowdown: Pick<Slowdown, "located">, commit: string, places: Places): string {
  return slowdown.located
    ? `It is over: later change points took back half of it or more. The newest record is ${link(places.repository, commit)}.`
    : `${link(places.repository, commit)} is back nearer to the level before. Should it be slower again, this is opened again.`;
}

/** What a night did, for the summary of its job. */
export interface Night {
  /** null = none, and a note says why. */
  recorded: HistoryRecord | null;
  /** Of the branch, oldest first, this night's included. */
  records: readonly HistoryRecord[];
  /** Of the trend page: its headline, what it says of missing nights ("" = nothing), and its steps. */
  trend: { headline: string; silence: string; changePoints: readonly ChangePoint[] };
  issues: readonly { number: number; done: string; title: string }[];
  /** Sentences about what could not be done; null = none. */
  notes: readonly (string | null)[];
}

/** The job summary of a night; Markdown. */
export function renderNight({ recorded, records, trend, issues, notes }: Night, places: Places): string {
  const head =
    recorded === null
      ? "⚪ No record"
      : `Recorded ${link(places.repository, recorded.commit)} against ${escapeMarkdown(recorded.anchor.label)}`;
  const listed = issues.map(
    ({ number, done, title }) => `- [#${number}](${places.repository}/issues/${number}) ${done}: ${escapeNote(title)}`,
  );
  return [
    `## ${head}`,
    sentence(escapeNote(trend.headline)),
    escapeNote(trend.silence),
    listed.join("\n"),
    faster(trend.changePoints, records, places).join("\n"),
    ...notes.map((note) => (note === null ? "" : `> ${sentence(escapeNote(note))}`)),
    `The page is \`index.html\` on the branch [${escapeMarkdown(places.dataBranch)}](${places.repository}/tree/${encodeURI(places.dataBranch)}), and in the artifact of this run.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Recent steps for the better, a line for each commit: they open no issue. */
function faster(points: readonly ChangePoint[], records: readonly HistoryRecord[], { repository }: Places): string[] {
  const order = positions(records);
  const commits = new Map(records.map(({ id, commit }) => [id, commit]));
  const gains = new Map<string, string[]>();
  for (const point of points) {
    const commit = commits.get(point.after);
    if (point.worse || commit === undefined || (order.get(commit) ?? 0) < order.size - RECENT) continue;
    const between = `between ${change(point.low)} and ${change(point.high)}`;
    const gain = `${escapeMarkdown(label(point, records))} ${change(point.ratio)} (${between})`;
    gains.set(commit, [...(gains.get(commit) ?? []), gain]);
  }
  return [...gains].map(([commit, all]) => {
    const more = all.length > COLUMNS ? [`${all.length - COLUMNS} more`] : [];
    return `- Faster since ${link(repository, commit)}: ${list([...all.slice(0, COLUMNS), ...more])}`;
  });
}

/** "shop @20 QPS", "shop @20 p99": not yet escaped. */
function label({ cell, metric }: Pick<Loss, "cell" | "metric">, records: readonly HistoryRecord[]): string {
  if (metric === "qps") return `${cell} QPS`;
  const newest = records.findLast(({ cells }) => cells.some(({ id, latency }) => id === cell && latency !== null));
  return `${cell} ${newest?.cells.find(({ id }) => id === cell)?.latency?.statistic ?? "latency"}`;
}

const change = (ratio: number): string => signedPercent(ratio - 1);
const short = (commit: string): string => escapeMarkdown(commit.slice(0, 7));
const link = (repository: string, commit: string): string =>
  `[${short(commit)}](${repository}/commit/${encodeURIComponent(commit)})`;

import { markdownTable } from "markdown-table";
import type { ChangePoint, SteppedSeries, Trend } from "../core/change-points.ts";
import type { Nights } from "../core/nights.ts";
import { type HistoryRecord, NO_ANCHOR, REFERENCE } from "../core/record.ts";
import type { SeriesMetric, SeriesPoint } from "../core/series.ts";
import { tQuantile } from "../core/stats/distributions.ts";
import { fold } from "./details.ts";
import { escapeMarkdown, escapeNote, oneLine } from "./escape.ts";
import { ABSENT, list, ms, plural, qps, signed, signedPercent } from "./format.ts";
import { figure, renderPage } from "./page.ts";
import { MARK } from "./words.ts";

export interface TrendInput {
  branch: string;
  /** The other branches that have records. */
  others: string[];
  /** Where the records are kept, as the user calls it. */
  store: string;
  trend: Trend;
  nights: Nights;
  /** "https://github.com/owner/name", to which commits are linked; null = nowhere. */
  repository: string | null;
}

/** A cell on the page; its chart is charts/<slug>.svg. */
export interface TrendCell {
  cell: string;
  slug: string;
  series: SteppedSeries[];
}

/** Rows of a table; charts show everything. */
const ROWS_SHOWN = 60;
/** Nights without a record that are named. */
const NIGHTS_NAMED = 7;

/** The cells of a trend, those of the newest record first. */
export function cellsOf({ commits, series }: Trend): TrendCell[] {
  const cells = new Map<string, SteppedSeries[]>();
  for (const { records } of [...commits].reverse()) {
    for (const record of records) for (const { id } of record.cells) if (!cells.has(id)) cells.set(id, []);
  }
  for (const one of series) cells.get(one.cell)?.push(one);
  return [...cells].map(([cell, own], i) => ({ cell, slug: `cell-${i + 1}`, series: own }));
}

/**
 * index.html of the trend: where each cell stands against the anchor, its steps, and how it came there. Foreign text is
 * escaped.
 *
 * @param charts slugs of the cells that have a chart in charts/<slug>.svg beside the page
 */
export function renderTrend(input: TrendInput, charts: ReadonlySet<string>): string {
  const headline = trendHeadline(input);
  const { kind, mark } = stateOf(input.trend);
  return renderPage({
    title: escapeMarkdown(`perf-gate: ${oneLine(headline)}`),
    kind,
    markdown: [`## ${mark} ${escapeMarkdown(headline)}`, ...partsOf(input, charts)]
      .filter((part) => part !== "")
      .join("\n\n"),
    images: "'self' file:",
  });
}

function partsOf(input: TrendInput, charts: ReadonlySet<string>): string[] {
  if (input.trend.commits.length === 0) {
    return [nothingYet(input)];
  }
  const cells = cellsOf(input.trend);
  const byId = new Map(input.trend.commits.flatMap(({ records }) => records.map((record) => [record.id, record])));
  const find = (id: string) => byId.get(id);
  return [
    overview(input),
    standings(input, cells, find),
    changes(input, find),
    charts.size === 0 ? '<p class="quiet">No charts: they are drawn where jq and gnuplot are installed.</p>' : "",
    ...cells.map((cell) => cellPart(input, cell, charts.has(cell.slug))),
    EXPLANATION,
  ];
}

function nothingYet({ others, store }: TrendInput): string {
  const how = "`perf-gate run --base stored` measures a commit, `perf-gate store` adds its record.";
  if (others.length === 0) return `There is no record in ${escapeMarkdown(store)} yet: ${how}`;
  return `The records in ${escapeMarkdown(store)} are of other branches: ${escapeNote(list(others.slice(0, 10)))}.`;
}

type Find = (id: string) => HistoryRecord | undefined;

/** Red while the last step of some cell was one for the worse. */
function stateOf({ commits, changePoints }: Trend): { kind: string; mark: string } {
  if (commits.length === 0) return { kind: "note", mark: MARK.note };
  const last = new Map(changePoints.map(({ cell, metric, worse }) => [JSON.stringify([cell, metric]), worse]));
  return [...last.values()].includes(true)
    ? { kind: "regression", mark: MARK.regression }
    : { kind: "pass", mark: MARK.pass };
}

/** The trend in one sentence, without a final stop; the branch is foreign text, not yet escaped. */
export function trendHeadline({ branch, trend }: TrendInput): string {
  if (trend.commits.length === 0) return `Trend of ${branch}: no records yet`;
  const events = (worse: boolean) =>
    new Set(trend.changePoints.filter((point) => point.worse === worse).map(({ after }) => after)).size;
  const [worse, better] = [events(true), events(false)];
  const steps = [
    ...(worse > 0 ? [`${plural(worse, "step")} for the worse`] : []),
    ...(better > 0 ? [`${worse > 0 ? better : plural(better, "step")} for the better`] : []),
  ];
  return `Trend of ${branch}: ${steps.length === 0 ? "no step" : list(steps)} in ${plural(recordsOf(trend).length, "record")}`;
}

function recordsOf({ commits }: Trend): HistoryRecord[] {
  return commits.flatMap(({ records }) => records);
}

function overview({ trend, store, nights, repository }: TrendInput): string {
  const records = recordsOf(trend).sort((a, b) => Date.parse(a.recordedAt) - Date.parse(b.recordedAt));
  const [first, newest] = [records[0], records.at(-1)];
  if (first === undefined || newest === undefined) return "";
  const count = `${plural(records.length, "record")} of ${plural(trend.commits.length, "commit")}`;
  const where = `${count} from ${date(first)} to ${date(newest)} in ${escapeMarkdown(store)}; the newest is of ${commitLink(newest, repository)}.`;
  const silence = nightsSentence(nights);
  return `${where} ${anchorSentence(newest)}${silence === "" ? "" : `\n\n> ${silence}`}`;
}

function anchorSentence({ anchor }: HistoryRecord): string {
  if (anchor.label === REFERENCE) {
    return "Changes are against the first level of each line; every run measures the reference application beside the commit, turn by turn: a faster machine is not a faster service.";
  }
  return anchor.id === NO_ANCHOR
    ? "The newest record has no anchor: a faster machine looks like a faster service."
    : `Changes are against **${escapeMarkdown(anchor.label)}**, which every run measures beside the commit, turn by turn: a faster machine is not a faster service.`;
}

/** "7 of the last 30 nights are missing (…); the last record is 3 days old."; "" where none is and it is not old. */
export function nightsSentence({ missing, recent, daysSinceLast }: Nights): string {
  const old =
    daysSinceLast !== null && daysSinceLast > 1 ? `the last record is ${plural(daysSinceLast, "day")} old` : "";
  if (recent.missing === 0) return old === "" ? "" : `${old.charAt(0).toUpperCase()}${old.slice(1)}.`;
  const named = missing.slice(-Math.min(NIGHTS_NAMED, recent.missing));
  const which = `${recent.missing > named.length ? "latest " : ""}${list(named)}`;
  const of = recent.expected === 1 ? "the last night" : `the last ${recent.expected} nights`;
  const verb = recent.missing === 1 ? "is" : "are";
  return `${recent.missing} of ${of} ${verb} missing (${which})${old === "" ? "" : `; ${old}`}.`;
}

/** Where each cell stands now: the level since its last step. */
function standings({ trend }: TrendInput, cells: readonly TrendCell[], find: Find): string {
  const rows = cells.map(({ cell, series }) => {
    const last = trend.changePoints.findLast((point) => point.cell === cell);
    return [
      escapeMarkdown(cell),
      ...standing(furthest(series, "qps")),
      ...standing(furthest(series, "latency")),
      last === undefined
        ? ABSENT
        : `${date(find(last.after))}, ${stepName(last, series)} ${signedPercent(last.ratio - 1)}`,
    ];
  });
  const header = ["level now", "QPS", "between, %", "newest", "tail latency", "between, %", "newest", "last step"];
  return table([header, ...rows], ["l", "r", "c", "r", "r", "c", "r", "l"]);
}

function table(rows: string[][], align: ("l" | "r" | "c")[]): string {
  return markdownTable(rows, { align, alignDelimiters: false });
}

/** The line of a metric that goes on furthest. */
function furthest(series: readonly SteppedSeries[], metric: SeriesMetric): SteppedSeries | null {
  const end = (one: SteppedSeries) => one.points.at(-1)?.place ?? -1;
  const own = series.filter((one) => one.metric === metric);
  return own.reduce<SteppedSeries | null>((best, one) => (best === null || end(one) >= end(best) ? one : best), null);
}

/**
 * Change of the level against the anchor, its interval (between records, or within the rounds of a single one), and the
 * change of the newest record, which may have left the level.
 */
function standing(series: SteppedSeries | null): [string, string, string] {
  const level = series?.levels.at(-1);
  const newest = series?.points.at(-1);
  if (series === null || level === undefined || newest === undefined) return [ABSENT, ABSENT, ABSENT];
  if (series.absolute) return [ABSENT, ABSENT, absolute(series.metric, newest.head)];
  const { mean, half } = level;
  const { zero } = series;
  return [
    signedPercent(Math.expm1(mean - zero)),
    half === null ? betweenEnds(ends(newest), zero) : betweenEnds([mean - half, mean + half], zero),
    signedPercent(Math.expm1(newest.z - zero)),
  ];
}

function absolute(metric: SeriesMetric, value: number): string {
  return metric === "qps" ? `${qps(value)}/s` : `${ms(value)} ms`;
}

/** Ends of an interval of a log ratio, as changes from `zero` in percent. */
function betweenEnds([low, high]: readonly [number, number], zero: number): string {
  return Number.isNaN(low) ? ABSENT : `${signed(Math.expm1(low - zero))} … ${signed(Math.expm1(high - zero))}`;
}

/** 95% interval of z from the rounds within its runs; NaN where it is not known. */
export function ends({ z, se, df }: SeriesPoint): [low: number, high: number] {
  const half = df < 1 ? Number.NaN : tQuantile(0.975, df) * se;
  return [z - half, z + half];
}

/** "QPS", "p99": by the statistic that the cell was last gated by. */
function stepName({ metric }: ChangePoint, series: readonly SteppedSeries[]): string {
  return statisticName(furthest(series, metric));
}

function statisticName(series: SteppedSeries | null): string {
  const statistic = series?.likeness.statistic ?? "p99";
  return statistic === "qps" ? "QPS" : statistic;
}

/** Every step, newest first. */
function changes({ trend, repository }: TrendInput, find: Find): string {
  const steps = [...trend.changePoints].reverse();
  if (steps.length === 0) return "No step found: what the records differ by is within their scatter.";
  const rows = steps.slice(0, ROWS_SHOWN).map((point) => [
    point.worse ? MARK.regression : MARK.pass,
    escapeMarkdown(point.cell),
    stepName(
      point,
      trend.series.filter(({ cell }) => cell === point.cell),
    ),
    signedPercent(point.ratio - 1),
    `${signed(point.low - 1)} … ${signed(point.high - 1)}`,
    date(find(point.after)),
    rangeLink(find(point.before), find(point.after), repository),
  ]);
  const header = ["", "step", "", "change", "between, %", "first seen", "after … with"];
  const steplist = table([header, ...rows], ["l", "l", "l", "r", "c", "l", "l"]);
  return steps.length <= ROWS_SHOWN ? steplist : `${steplist}\n\n${newestOf(steps.length, "step")}`;
}

function newestOf(count: number, what: string): string {
  return `The newest ${ROWS_SHOWN} of ${plural(count, what)}.`;
}

/** One cell: its chart, why its lines break, and its figures by commit. */
function cellPart({ trend, repository }: TrendInput, { cell, slug, series }: TrendCell, chart: boolean): string {
  const name = escapeMarkdown(cell);
  return [
    chart ? figure(slug, name, `charts/${slug}.svg`) : "",
    ...lineBreaks(trend, series),
    fold(`Figures of ${name}`, [figures(trend, series, repository)]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Where the lines of a cell break, and why. */
function lineBreaks({ commits }: Trend, series: readonly SteppedSeries[]): string[] {
  const sentences = (["qps", "latency"] as const).flatMap((metric) => {
    const own = series.filter((one) => one.metric === metric);
    return own.slice(1).map((one, i) => {
      const from = commits[one.points[0]?.place ?? -1]?.records[0];
      return `Another line from ${date(from)} on: ${escapeNote(list(differences(own[i] ?? one, one)))}.`;
    });
  });
  return [...new Set(sentences)];
}

const CONDITION = { driver: "driver", cpuModel: "CPU", logicalCpus: "CPUs", php: "PHP", k6: "k6" } as const;

/** What keeps two lines of a cell apart, in phrases of foreign text. */
function differences({ likeness: a }: SteppedSeries, { likeness: b }: SteppedSeries): string[] {
  return [
    ...(a.anchor.id === b.anchor.id ? [] : [`anchor ${b.anchor.label} instead of ${a.anchor.label}`]),
    ...(Object.keys(CONDITION) as (keyof typeof CONDITION)[])
      .filter((key) => a.must[key] !== b.must[key])
      .map((key) => `${CONDITION[key]} ${b.must[key] ?? "unknown"} instead of ${a.must[key] ?? "unknown"}`),
    ...(a.suite === b.suite ? [] : ["the cell asks for something else"]),
    ...(a.statistic === b.statistic ? [] : [`${b.statistic} instead of ${a.statistic}`]),
  ];
}

/** The newest figures of a cell, one row per commit: against the anchor, and as they are. */
function figures({ commits }: Trend, series: readonly SteppedSeries[], repository: string | null): string {
  const rows = new Map<number, Partial<Record<SeriesMetric, { one: SteppedSeries; point: SeriesPoint }>>>();
  for (const one of series) {
    for (const point of one.points.slice(-ROWS_SHOWN)) {
      rows.set(point.place, { ...rows.get(point.place), [one.metric]: { one, point } });
    }
  }
  const shown = [...rows].sort(([a], [b]) => b - a).slice(0, ROWS_SHOWN);
  const body = shown.flatMap(([place, { qps: throughput, latency }]) => {
    const newest = commits[place]?.records.at(-1);
    return newest === undefined
      ? []
      : [[runLink(newest), commitLink(newest, repository), ...pointCells(throughput, qps), ...pointCells(latency, ms)]];
  });
  const label = statisticName(furthest(series, "latency"));
  const header = [
    "night",
    "commit",
    "QPS",
    "between, %",
    "anchor → commit",
    label,
    "between, %",
    "anchor → commit, ms",
  ];
  const all = new Set(series.flatMap(({ points }) => points.map(({ place }) => place))).size;
  const text = table([header, ...body], ["l", "l", "r", "c", "r", "r", "c", "r"]);
  return all <= ROWS_SHOWN ? text : `${text}\n\n${newestOf(all, "commit")}`;
}

function pointCells(entry: { one: SteppedSeries; point: SeriesPoint } | undefined, format: typeof qps): string[] {
  if (entry === undefined) return [ABSENT, ABSENT, ABSENT];
  const { one, point } = entry;
  if (one.absolute) return [ABSENT, ABSENT, format(point.head)];
  return [
    signedPercent(Math.expm1(point.z - one.zero)),
    betweenEnds(ends(point), one.zero),
    `${format(point.anchor)} → ${format(point.head)}`,
  ];
}

const EXPLANATION = fold("How to read this", [
  [
    "- The intervals of single commits come from the rounds within their runs; from night to night figures scatter more, and the intervals of levels and steps hold that as well. All of them are 95%.",
    "- A step is looked for with E-divisive in windows of 50 commits and kept where Student's t between its neighbours is beyond what one in twenty such windows of unchanged code would show in any cell; at least 3 commits on either side, at least 1%. One or two nights that stand alone are no step.",
    "- Lines of different anchors, machines or scenarios are never joined. Several records of one commit count as one.",
  ].join("\n"),
]);

/** UTC date of a record. */
function date(record: HistoryRecord | undefined): string {
  return record === undefined ? ABSENT : escapeMarkdown(record.recordedAt.slice(0, 10));
}

/** The date, linked to the run where the record says where that is. */
function runLink(record: HistoryRecord): string {
  const { url } = record;
  return url !== null && /^https:\/\/[\w.:-]+\/[\w./-]*$/.test(url) ? `[${date(record)}](${url})` : date(record);
}

function commitLink({ commit }: HistoryRecord, repository: string | null): string {
  const name = escapeMarkdown(commit.slice(0, 7));
  return repository === null ? name : `[${name}](${repository}/commit/${encodeURIComponent(commit)})`;
}

function rangeLink(
  before: HistoryRecord | undefined,
  after: HistoryRecord | undefined,
  repository: string | null,
): string {
  if (before === undefined || after === undefined) return ABSENT;
  const [from, to] = [before.commit, after.commit].map((commit) => escapeMarkdown(commit.slice(0, 7)));
  if (repository === null) return `${from} … ${to}`;
  const range = [before.commit, after.commit].map(encodeURIComponent).join("...");
  return `[${from} … ${to}](${repository}/compare/${range})`;
}

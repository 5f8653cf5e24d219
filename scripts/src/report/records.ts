import { stringify } from "csv-stringify/sync";
import { type Conditions, type HistoryRecord, NO_ANCHOR, type RecordFigure, sinceAnchor } from "../core/record.ts";
import { type CellDifference, diffRecords, type FigureDifference, type RatioInterval } from "../core/record-diff.ts";
import { harmless } from "./csv.ts";
import { oneLine } from "./escape.ts";
import { ABSENT, list, ms, plural, qps, signed } from "./format.ts";
import { textTable } from "./text-table.ts";

/** "2026-11-20 03:12", UTC. */
const time = (iso: string) => new Date(iso).toISOString().slice(0, 16).replace("T", " ");
const short = (commit: string) => commit.slice(0, 7);
const value = (metric: "qps" | "latency", figure: number) => (metric === "qps" ? qps(figure) : ms(figure));

/** "process, EPYC 7763, 4 CPUs, PHP 8.4, k6 1.8" */
function conditionsLine({ anchor, conditions: { must, also } }: HistoryRecord): string {
  if (anchor.id === NO_ANCHOR) return versions(also);
  const php = must.php === null ? [] : [`PHP ${must.php}`];
  const cpus = plural(must.logicalCpus, "CPU");
  return [must.driver, must.cpuModel, cpus, ...php, `k6 ${must.k6}`].map(oneLine).join(", ");
}

/** "kernel 6.11.0, nginx 1.26.3" */
function versions(also: Conditions["also"]): string {
  return Object.entries(also)
    .map(([name, version]) => oneLine(`${name} ${version}`))
    .join(", ");
}

/** What `baseline list` shows: newest first, the conditions as a number that is explained below. */
export function renderRecordList(records: readonly HistoryRecord[]): string {
  const conditions = [...new Set(records.map((record) => conditionsLine(record)))];
  const number = (line: string) => String(conditions.indexOf(line) + 1);
  const rows = records.map((record) => [
    time(record.recordedAt),
    short(record.commit),
    record.id,
    oneLine(record.branch),
    oneLine(record.anchor.label),
    String(record.cells.length),
    number(conditionsLine(record)),
  ]);
  const table = textTable(["recorded (UTC)", "commit", "id", "branch", "anchor", ">cells", ">on"], rows);
  return [table, "", ...conditions.map((line) => `${number(line)}: ${line}`)].join("\n");
}

/** What `baseline show` shows. */
export function renderRecord(record: HistoryRecord): string {
  const { anchor, conditions, census } = record;
  const absolute = anchor.id === NO_ANCHOR;
  const lines = [
    `record ${record.id} of ${record.commit}`,
    `on ${oneLine(record.branch)}, ${time(record.recordedAt)} UTC${record.url === null ? "" : `, ${oneLine(record.url)}`}`,
    absolute
      ? "another program measured it, without an anchor: no verdict rests on it"
      : `anchor ${oneLine(anchor.label)} (${anchor.id}), measured beside it`,
    ...(absolute ? [] : [conditionsLine(record)]),
    versions(conditions.also),
    "",
    textTable(["cell", "", ">anchor", ">commit", ">change", ">between, %", ">rounds"], record.cells.flatMap(cellRows)),
  ];
  if (!absolute) lines.push("", "Between: 95%, from the rounds of this run alone; from job to job it differs by more.");
  const counts = census.flatMap(({ scenario, counts: found }) =>
    Object.entries(found).map(([name, count]) => [oneLine(scenario), name, String(count)]),
  );
  if (counts.length > 0) lines.push("", textTable(["scenario", "per request", ">count"], counts));
  return lines.join("\n");

  function cellRows({ id, qps: throughput, latency }: HistoryRecord["cells"][number]): string[][] {
    const row = (name: string, title: string, metric: "qps" | "latency", figure: RecordFigure) => {
      const since = sinceAnchor(figure);
      const known = figure.rounds > 1;
      return [
        name,
        title,
        absolute ? ABSENT : value(metric, figure.anchor),
        value(metric, figure.head),
        absolute ? ABSENT : `${signed(since.ratio - 1)}%`,
        absolute ? ABSENT : between(known ? since : { ...since, low: null, high: null }),
        String(figure.rounds),
      ];
    };
    const rows = throughput === null ? [] : [row(oneLine(id), "QPS", "qps", throughput)];
    if (latency !== null) {
      rows.push(row(throughput === null ? oneLine(id) : "", `${latency.statistic} ms`, "latency", latency));
    }
    return rows;
  }
}

function between({ low, high }: RatioInterval): string {
  return low === null || high === null ? ABSENT : `${signed(low - 1)} … ${signed(high - 1)}`;
}

/** What `baseline diff` shows: the change from the first record to the second, relative to their anchor. */
export function renderRecordDiff(from: HistoryRecord, to: HistoryRecord): string {
  const { absolute, conditions, cells } = diffRecords(from, to);
  const name = (record: HistoryRecord) =>
    `${short(record.commit)} (${oneLine(record.branch)}, ${time(record.recordedAt)} UTC, ${oneLine(record.anchor.label)})`;
  const lines = [`${name(from)} → ${name(to)}`, ""];
  const compared = cells.filter(({ reason }) => reason === null);
  if (compared.length > 0) {
    lines.push(
      textTable(["cell", "", ">first", ">second", ">change", ">between, %"], compared.flatMap(differenceRows)),
    );
    lines.push(
      "",
      absolute
        ? "Change: of the absolute figures, as they have no anchor; it holds what the machines differ by."
        : "Change: of what each is relative to the anchor that was measured beside it; first and second are absolute.",
      "Between: 95%, from the rounds of both runs; the spread from job to job is not in it.",
    );
  }
  const not = cells.filter(({ reason }) => reason !== null);
  if (not.length > 0)
    lines.push("", "Not compared:", ...not.map(({ cell, reason }) => `  ${oneLine(cell)}: ${reason}`));
  const conditionRows = conditions.map((difference) => [
    oneLine(difference.name),
    oneLine(difference.from ?? ABSENT),
    oneLine(difference.to ?? ABSENT),
    difference.must ? "must be the same for a verdict" : "",
  ]);
  if (conditionRows.length > 0) lines.push("", textTable(["differs", "first", "second", ""], conditionRows));
  return lines.join("\n");
}

function differenceRows({ cell, figures }: CellDifference): string[][] {
  return figures.map(({ metric, statistic, from, to, change }: FigureDifference, index) => [
    index === 0 ? oneLine(cell) : "",
    metric === "qps" ? "QPS" : `${statistic} ms`,
    value(metric, from),
    value(metric, to),
    `${signed(change.ratio - 1)}%`,
    between(change),
  ]);
}

/** "a, b and 3 more": the commits of records, for messages. */
export function commitsPhrase(records: readonly HistoryRecord[], most = 5): string {
  const names = records.slice(0, most).map(({ commit, recordedAt }) => `${short(commit)} (${recordedAt.slice(0, 10)})`);
  const more = records.length - names.length;
  return list(more > 0 ? [...names, `${more} more`] : names);
}

type Field = string | number | null;

/**
 * Records as CSV, one line per cell, oldest first; ms, requests/s as the column names say, log ratios are
 * ln(commit/anchor). What is not known is empty.
 */
export function renderRecordsCsv(records: readonly HistoryRecord[]): string {
  const rows = records.flatMap((record) => record.cells.map((cell) => csvFields(record, cell)));
  const header = rows[0]?.map(([name]) => name) ?? ["recorded_at", "commit", "cell"];
  return stringify([header, ...rows.map((row) => row.map(([, field]) => (field === null ? "" : String(field))))]);
}

function csvFields(record: HistoryRecord, cell: HistoryRecord["cells"][number]): [name: string, value: Field][] {
  const { anchor, conditions } = record;
  const { must } = conditions;
  const figure = (prefix: string, unit: string, found: RecordFigure | null): [string, Field][] => [
    [`${prefix}${unit}`, found?.head ?? null],
    [`${prefix}_anchor${unit}`, anchor.id === NO_ANCHOR ? null : (found?.anchor ?? null)],
    [`${prefix}_log_ratio`, anchor.id === NO_ANCHOR ? null : (found?.logRatio ?? null)],
    [`${prefix}_sd`, found !== null && found.rounds > 1 ? found.sd : null],
    [`${prefix}_rounds`, found?.rounds ?? null],
  ];
  return [
    ["id", record.id],
    ["recorded_at", record.recordedAt],
    ["commit", record.commit],
    ["committed_at", record.committedAt],
    ["branch", harmless(record.branch)],
    ["anchor", harmless(anchor.label)],
    ["anchor_id", anchor.id],
    ["driver", must.driver],
    ["cpu_model", harmless(must.cpuModel)],
    ["logical_cpus", must.logicalCpus],
    ["php", must.php === null ? null : harmless(must.php)],
    ["k6", harmless(must.k6)],
    ["cell", harmless(cell.id)],
    ["suite", cell.suite],
    ["connection", cell.connection],
    ...figure("qps", "", cell.qps),
    ["latency_statistic", cell.latency?.statistic ?? null],
    ...figure("latency", "_ms", cell.latency),
  ];
}

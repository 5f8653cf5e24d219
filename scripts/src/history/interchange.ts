import * as z from "zod";
import { InputError } from "../core/errors.ts";
import type { LatencyStatistic } from "../core/model.ts";
import { type HistoryRecord, NO_ANCHOR, type RecordCell, type RecordFigure, recordId } from "../core/record.ts";
import { tQuantile } from "../core/stats/distributions.ts";
import { sha256 } from "./record-schema.ts";

/**
 * Records of other programs, and records for other programs. What they measured has no anchor and no conditions: it is
 * kept as absolute figures (NO_ANCHOR), for the trend, and never as a base of a verdict.
 */
export interface Imported {
  records: HistoryRecord[];
  /** Figures that are neither a throughput nor a p90, p95 or p99, and runs without a commit; as sentences. */
  leftOut: string[];
}

export interface ImportFacts {
  /** For messages. */
  file: string;
  branch: string;
  /** Of a file that does not say it, i.e. of k6: commit (40 hex digits; null = not given), time, name of the cell. */
  commit: string | null;
  at: Date;
  cell: string;
}

/** A figure of somebody else, of one benchmark and commit. */
interface Found {
  cell: string;
  statistic: "qps" | LatencyStatistic;
  /** requests/s or ms */
  value: number;
}

const DATA_JS = /^\s*window\.BENCHMARK_DATA\s*=\s*/;

const benchmarkData = z.object({
  entries: z.record(
    z.string(),
    z.array(
      z.object({
        commit: z.object({ id: z.string(), timestamp: z.string().optional() }),
        date: z.number(),
        benches: z.array(z.object({ name: z.string(), value: z.number(), unit: z.string() })),
      }),
    ),
  ),
});
type Entry = z.infer<typeof benchmarkData>["entries"][string][number];

/** Of --summary-export, and of handleSummary where the figures are one level deeper. */
const k6Metric = z.looseObject({ values: z.record(z.string(), z.unknown()).optional() });
const k6Summary = z.object({
  metrics: z.object({ http_reqs: k6Metric.optional(), http_req_duration: k6Metric.optional() }),
});

/**
 * Reads the data file of github-action-benchmark (data.js, or its JSON) or a summary of k6 (--summary-export).
 *
 * @throws InputError where the text is neither
 */
export function importRecords(text: string, facts: ImportFacts): Imported {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(DATA_JS, "").replace(/;\s*$/, ""));
  } catch (error) {
    throw new InputError(`${facts.file}: no JSON and no data.js: ${(error as Error).message}`);
  }
  const data = benchmarkData.safeParse(value);
  if (data.success) return fromBenchmarkData(data.data.entries, facts);
  const summary = k6Summary.safeParse(value);
  if (summary.success) return fromK6(summary.data, facts);
  throw new InputError(
    `${facts.file}: allowed is a data file of github-action-benchmark ({"entries": ...}), what k6 writes with ` +
      `--summary-export ({"metrics": ...}), or records of perf-gate (.ndjson)`,
  );
}

// ---------------------------------------------------------------- github-action-benchmark

/**
 * Throughput and latency of one benchmark come in two suites there, as a suite knows one direction: the n-th run of a
 * commit in each becomes one record.
 */
function fromBenchmarkData(entries: Readonly<Record<string, Entry[]>>, facts: ImportFacts): Imported {
  const runs = new Map<string, { entry: Entry; found: Found[] }>();
  const leftOut = new Map<string, number>();
  const leave = (what: string) => leftOut.set(what, (leftOut.get(what) ?? 0) + 1);
  const ambiguous = namesOfSeveralSuites(entries);
  for (const [suite, list] of Object.entries(entries)) {
    const seen = new Map<string, number>();
    for (const entry of list) {
      const { commit, benches } = entry;
      if (!/^[0-9a-f]{40}$/.test(commit.id)) {
        leave(`${suite}: a run without a commit of 40 hex digits`);
        continue;
      }
      const nth = (seen.get(commit.id) ?? 0) + 1;
      seen.set(commit.id, nth);
      const key = `${commit.id} ${nth}`;
      const run = runs.get(key) ?? { entry, found: [] };
      runs.set(key, run);
      for (const { name, value, unit } of benches) {
        const found = figureOf(name, value, unit, suite);
        if (found === null) leave(`${suite}: ${name} (${unit}): neither a throughput nor a p90, p95 or p99`);
        else run.found.push(ambiguous.has(found.cell) ? { ...found, cell: `${suite}: ${found.cell}` } : found);
      }
    }
  }
  const records = [...runs.values()].flatMap(({ entry, found }) => {
    const committed = Date.parse(entry.commit.timestamp ?? "");
    const committedAt = Number.isNaN(committed) ? null : new Date(committed).toISOString();
    const run = { commit: entry.commit.id, committedAt, at: new Date(entry.date), branch: facts.branch };
    return recordOf(found, run, "github-action-benchmark");
  });
  const sentences = [...leftOut].map(([what, times]) => (times === 1 ? what : `${what}, ${times} times`));
  return { records, leftOut: sentences };
}

/** Names of cells that more than one suite has for the same statistic. */
function namesOfSeveralSuites(entries: Readonly<Record<string, Entry[]>>): Set<string> {
  const suites = new Map<string, string>();
  const several = new Set<string>();
  for (const [suite, list] of Object.entries(entries)) {
    for (const { name, value, unit } of list.flatMap(({ benches }) => benches)) {
      const found = figureOf(name, value, unit, suite);
      if (found === null) continue;
      const key = `${found.statistic} ${found.cell}`;
      if ((suites.get(key) ?? suite) !== suite) several.add(found.cell);
      suites.set(key, suite);
    }
  }
  return several;
}

const PER_SECOND =
  /^(?:(?:req(?:uest)?s?|ops?|operations|iter(?:ation)?s?|queries|hits|transactions)\s*(?:\/|per )\s*s(?:ec(?:ond)?)?|rps|qps|tps|hz)$/i;
const MS_PER: Readonly<Record<string, number>> = {
  ns: 1e-6,
  nsec: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  usec: 1e-3,
  ms: 1,
  msec: 1,
  s: 1000,
  sec: 1000,
};
const PERCENTILE = /\bp\(?(90|95|99)\)?(?![\d.])|\b(90|95|99)(?:th)?[ -]?percentile\b/i;
/** Words at the end of a name that say what is measured and not of what. */
const METRIC_WORDS = /[\s:/,_-]*\b(?:qps|rps|throughput|latency|response time|duration)$/i;

function figureOf(name: string, value: number, unit: string, suite: string): Found | null {
  if (!(value > 0)) return null;
  const cell = (rest: string) => {
    const stem = rest
      .trim()
      .replace(METRIC_WORDS, "")
      .replace(/[\s:/,_-]+$/, "");
    return stem === "" ? suite : stem;
  };
  if (PER_SECOND.test(unit.trim())) return { cell: cell(name), statistic: "qps", value };
  const [, short, long] = PERCENTILE.exec(name) ?? [];
  const percentile = short ?? long;
  const factor = MS_PER[unit.trim().replace(/\s*\/\s*(?:op|iter|req(?:uest)?)$/i, "")];
  if (percentile === undefined || factor === undefined) return null;
  const statistic = `p${percentile}` as LatencyStatistic;
  return { cell: cell(name.replace(PERCENTILE, "")), statistic, value: value * factor };
}

// ---------------------------------------------------------------- k6

function fromK6({ metrics }: z.infer<typeof k6Summary>, facts: ImportFacts): Imported {
  const { commit, at, branch, cell } = facts;
  if (commit === null) {
    throw new InputError(`${facts.file}: a summary of k6 does not say what was measured: add --commit`);
  }
  const reading = (metric: z.infer<typeof k6Metric> | undefined, name: string) => {
    const value = (metric?.values ?? metric)?.[name];
    return typeof value === "number" && value > 0 ? value : null;
  };
  const found: Found[] = [];
  const qps = reading(metrics.http_reqs, "rate");
  if (qps !== null) found.push({ cell, statistic: "qps", value: qps });
  for (const statistic of ["p99", "p95", "p90"] as const) {
    const value = reading(metrics.http_req_duration, `p(${statistic.slice(1)})`);
    if (value !== null) found.push({ cell, statistic, value });
  }
  const records = recordOf(found, { commit, committedAt: null, at, branch }, "k6");
  if (records.length === 0) {
    throw new InputError(
      `${facts.file}: it has neither a rate of http_reqs nor a p(90), p(95) or p(99) of their duration`,
    );
  }
  return { records, leftOut: [] };
}

// ---------------------------------------------------------------- both

interface RunFacts {
  commit: string;
  committedAt: string | null;
  at: Date;
  branch: string;
}

/** One record of the figures; none where there are none, or no time. */
function recordOf(found: readonly Found[], { commit, committedAt, at, branch }: RunFacts, by: string): HistoryRecord[] {
  if (found.length === 0 || Number.isNaN(at.getTime())) return [];
  const names = [...new Set(found.map(({ cell }) => cell))];
  const record: Omit<HistoryRecord, "id"> = {
    version: 1,
    recordedAt: at.toISOString(),
    commit,
    committedAt,
    branch,
    url: null,
    anchor: { label: NO_ANCHOR, id: NO_ANCHOR },
    conditions: {
      must: { driver: "url", cpuModel: "unknown", logicalCpus: 0, php: null, k6: "unknown" },
      also: { "imported from": by },
    },
    cells: names.map((name) => cellOf(name, found)),
    census: [],
  };
  return [{ id: recordId(record, sha256), ...record }];
}

/** Of several latencies the highest percentile, which is what perf-gate compares too. */
function cellOf(name: string, found: readonly Found[]): RecordCell {
  const valueAs = (statistic: Found["statistic"]) =>
    found.findLast((figure) => figure.cell === name && figure.statistic === statistic)?.value;
  const qps = valueAs("qps");
  const statistic = (["p99", "p95", "p90"] as const).find((each) => valueAs(each) !== undefined);
  return {
    id: name,
    connection: "keep-alive",
    suite: sha256(`imported ${name}`).slice(0, 12),
    qps: qps === undefined ? null : figure(qps),
    latency: statistic === undefined ? null : { ...figure(valueAs(statistic) as number), statistic },
  };
}

function figure(value: number): RecordFigure {
  return { head: value, anchor: 1, logRatio: Math.log(value), sd: 0, rounds: 1 };
}

/** What github-action-benchmark takes as customBiggerIsBetter and customSmallerIsBetter. */
export interface CustomBenchmark {
  name: string;
  unit: string;
  value: number;
  range?: string;
  extra: string;
}

/** The throughputs ("bigger") or latencies ("smaller") of a record; what comes back by `importRecords` has the same cells. */
export function customBenchmarks(record: HistoryRecord, better: "bigger" | "smaller"): CustomBenchmark[] {
  return record.cells.flatMap(({ id, qps, latency }) => {
    if (better === "bigger") return qps === null ? [] : [customBenchmark(`${id} QPS`, "requests/s", qps, record)];
    return latency === null ? [] : [customBenchmark(`${id} ${latency.statistic}`, "ms", latency, record)];
  });
}

function customBenchmark(name: string, unit: string, figure: RecordFigure, { anchor, commit }: HistoryRecord) {
  const { head, logRatio, sd, rounds } = figure;
  const since = anchor.id === NO_ANCHOR ? "" : `\n${(Math.expm1(logRatio) * 100).toFixed(1)}% since ${anchor.label}`;
  const benchmark: CustomBenchmark = { name, unit, value: head, extra: `commit ${commit}${since}\n${rounds} rounds` };
  if (rounds < 2) return benchmark;
  // 95%, of the mean over the rounds.
  const half = (tQuantile(0.975, rounds - 1) * sd * head) / Math.sqrt(rounds);
  return { ...benchmark, range: `± ${half.toPrecision(3)}` };
}

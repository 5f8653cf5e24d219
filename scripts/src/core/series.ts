import type { LatencyStatistic } from "./model.ts";
import { type Anchor, type Conditions, type HistoryRecord, NO_ANCHOR, type RecordFigure } from "./record.ts";
import { FLOOR } from "./stats/robust.ts";

export type SeriesMetric = "qps" | "latency";

/** A commit as far as it was recorded; `place` counts from 0 in the order in which commits were first recorded. */
export interface RecordedCommit {
  place: number;
  commit: string;
  /** Never empty, in the order of recording. */
  records: HistoryRecord[];
}

/** What has to be alike before two figures may stand in one line. */
export interface Likeness {
  anchor: Anchor;
  must: Conditions["must"];
  suite: string;
  statistic: "qps" | LatencyStatistic;
}

/** One commit in a series: the mean over its records. */
export interface SeriesPoint {
  place: number;
  /** When the commit was first recorded, ms since the epoch. */
  at: number;
  /** Mean log ratio head/anchor; without an anchor that is the log of the figure itself. */
  z: number;
  /** Standard error of z from the rounds within its runs, and its degrees of freedom; df 0 = not known. */
  se: number;
  df: number;
  /** Figures of the newest record, requests/s or ms. */
  head: number;
  anchor: number;
}

/** One cell and metric along time, as far as its records may be compared. */
export interface Series {
  cell: string;
  metric: SeriesMetric;
  likeness: Likeness;
  /** Without an anchor: figures as they are, and nothing is concluded from them. */
  absolute: boolean;
  /** Never empty, by place. */
  points: SeriesPoint[];
}

/**
 * The records of one branch as series: a line of points for each cell and metric, and another line for each set of
 * conditions they were measured under (anchor, `conditions.must`, suite, statistic), in order of appearance.
 */
export function seriesOf(records: readonly HistoryRecord[]): { commits: RecordedCommit[]; series: Series[] } {
  const commits = commitsOf(records);
  const series = new Map<string, Series>();
  for (const { place, records: own } of commits) {
    const byKey = new Map<string, Entry[]>();
    for (const record of own) {
      for (const entry of entriesOf(record)) {
        const entries = byKey.get(entry.key);
        if (entries === undefined) byKey.set(entry.key, [entry]);
        else entries.push(entry);
      }
    }
    for (const [key, entries] of byKey) {
      const [{ cell, metric, likeness }] = entries as [Entry];
      const known = series.get(key);
      const one = known ?? { cell, metric, likeness, absolute: likeness.anchor.id === NO_ANCHOR, points: [] };
      if (known === undefined) series.set(key, one);
      one.points.push(pointOf(place, entries));
    }
  }
  return { commits, series: [...series.values()] };
}

/** Commits in the order of their first record; several records of one commit are one entry. */
function commitsOf(records: readonly HistoryRecord[]): RecordedCommit[] {
  const dated = records.map((record) => ({ record, at: Date.parse(record.recordedAt) }));
  dated.sort((a, b) => a.at - b.at || (a.record.id < b.record.id ? -1 : 1));
  const commits = new Map<string, RecordedCommit>();
  for (const { record } of dated) {
    const known = commits.get(record.commit);
    if (known !== undefined) known.records.push(record);
    else commits.set(record.commit, { place: commits.size, commit: record.commit, records: [record] });
  }
  return [...commits.values()];
}

interface Entry {
  key: string;
  at: number;
  cell: string;
  metric: SeriesMetric;
  likeness: Likeness;
  figure: RecordFigure;
}

function entriesOf(record: HistoryRecord): Entry[] {
  const { anchor, conditions } = record;
  const { driver, cpuModel, logicalCpus, php, k6 } = conditions.must;
  const shared = JSON.stringify([anchor.id, driver, cpuModel, logicalCpus, php, k6]);
  const at = Date.parse(record.recordedAt);
  const figures = record.cells.flatMap(({ id, suite, qps, latency }) => [
    { id, suite, metric: "qps" as const, figure: qps, statistic: "qps" as const },
    { id, suite, metric: "latency" as const, figure: latency, statistic: latency?.statistic ?? "p99" },
  ]);
  return figures.flatMap(({ id, suite, metric, figure, statistic }) => {
    if (figure === null) return [];
    const key = JSON.stringify([id, metric, suite, statistic, shared]);
    return [{ key, at, cell: id, metric, likeness: { anchor, must: conditions.must, suite, statistic }, figure }];
  });
}

function pointOf(place: number, entries: readonly Entry[]): SeriesPoint {
  const n = entries.length;
  const known = entries.every(({ figure }) => figure.rounds >= 2);
  let z = 0;
  let variance = 0;
  let df = 0;
  for (const { figure } of entries) {
    z += figure.logRatio;
    if (!known) continue;
    variance += Math.max(figure.sd, FLOOR) ** 2 / figure.rounds;
    df += figure.rounds - 1;
  }
  const newest = entries.at(-1)?.figure;
  return {
    place,
    at: entries[0]?.at ?? Number.NaN,
    z: z / n,
    se: Math.sqrt(variance) / n,
    df,
    head: newest?.head ?? Number.NaN,
    anchor: newest?.anchor ?? Number.NaN,
  };
}

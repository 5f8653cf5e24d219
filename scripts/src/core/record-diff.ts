import type { LatencyStatistic } from "./model.ts";
import { type HistoryRecord, NO_ANCHOR, type RecordCell, type RecordFigure } from "./record.ts";
import { tQuantile } from "./stats/distributions.ts";
import { FLOOR } from "./stats/robust.ts";

/** Level of the interval: 95%, two-sided. */
const UPPER = 0.975;

export interface RatioInterval {
  ratio: number;
  /** null where the rounds' spread is not known: fewer than two. */
  low: number | null;
  high: number | null;
}

/**
 * How much `to` is of `from`, both relative to the anchor (Welch's interval). It holds the spread between the rounds of
 * each run, and not the one between jobs, which a single record cannot know.
 */
export function changeBetween(from: RecordFigure, to: RecordFigure): RatioInterval {
  const difference = to.logRatio - from.logRatio;
  if (from.rounds < 2 || to.rounds < 2) return interval(difference, null);
  const [a, b] = [from, to].map(({ sd, rounds }) => Math.max(sd, FLOOR) ** 2 / rounds) as [number, number];
  const variance = a + b;
  // Welch-Satterthwaite
  const df = variance ** 2 / (a ** 2 / (from.rounds - 1) + b ** 2 / (to.rounds - 1));
  return interval(difference, { variance, df });
}

function interval(logRatio: number, spread: { variance: number; df: number } | null): RatioInterval {
  if (spread === null) return { ratio: Math.exp(logRatio), low: null, high: null };
  const half = tQuantile(UPPER, spread.df) * Math.sqrt(spread.variance);
  return { ratio: Math.exp(logRatio), low: Math.exp(logRatio - half), high: Math.exp(logRatio + half) };
}

/** One condition that is not the same in both; null = not known there. */
export interface ConditionDifference {
  name: string;
  from: string | null;
  to: string | null;
  /** True where it has to match before a verdict may compare the two. */
  must: boolean;
}

export interface FigureDifference {
  metric: "qps" | "latency";
  statistic: "qps" | LatencyStatistic;
  /** Absolute, in requests/s or ms. */
  from: number;
  to: number;
  change: RatioInterval;
}

export interface CellDifference {
  cell: string;
  /** Why it is not compared, in words; null where it is. */
  reason: string | null;
  figures: FigureDifference[];
}

export interface RecordDifference {
  /** True where the change is one of absolute figures: NO_ANCHOR. */
  absolute: boolean;
  conditions: ConditionDifference[];
  /** Every cell of either record. */
  cells: CellDifference[];
}

/** What changed from one record to another, cell by cell, and under which other conditions. */
export function diffRecords(from: HistoryRecord, to: HistoryRecord): RecordDifference {
  const ids = [...new Set([...from.cells, ...to.cells].map(({ id }) => id))];
  return {
    absolute: from.anchor.id === NO_ANCHOR && to.anchor.id === NO_ANCHOR,
    conditions: [
      ...differing(from.conditions.must, to.conditions.must, true),
      ...differing(from.conditions.also, to.conditions.also, false),
    ],
    cells: ids.map((id) => cellDifference(id, from, to)),
  };
}

function differing(
  from: Readonly<Record<string, string | number | null>>,
  to: Readonly<Record<string, string | number | null>>,
  must: boolean,
): ConditionDifference[] {
  const text = (value: string | number | null | undefined) => (value == null ? null : String(value));
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .map((name) => ({ name, from: text(from[name]), to: text(to[name]), must }))
    .filter((condition) => condition.from !== condition.to);
}

function cellDifference(id: string, from: HistoryRecord, to: HistoryRecord): CellDifference {
  const [before, after] = [from, to].map(({ cells }) => cells.find((cell) => cell.id === id));
  const not = (reason: string): CellDifference => ({ cell: id, reason, figures: [] });
  if (before === undefined) return not("only in the second");
  if (after === undefined) return not("only in the first");
  if (from.anchor.id !== to.anchor.id) return not(`other anchor: ${from.anchor.label}, ${to.anchor.label}`);
  if (before.suite !== after.suite) return not("asks for something else");
  return { cell: id, reason: null, figures: [...qpsDifference(before, after), ...latencyDifference(before, after)] };
}

function qpsDifference({ qps: from }: RecordCell, { qps: to }: RecordCell): FigureDifference[] {
  if (from === null || to === null) return [];
  return [{ metric: "qps", statistic: "qps", from: from.head, to: to.head, change: changeBetween(from, to) }];
}

function latencyDifference({ latency: from }: RecordCell, { latency: to }: RecordCell): FigureDifference[] {
  if (from === null || to === null || from.statistic !== to.statistic) return [];
  const { statistic } = to;
  return [{ metric: "latency", statistic, from: from.head, to: to.head, change: changeBetween(from, to) }];
}

import type { HistoryRecord, RecordCell, RecordFigure } from "../src/core/record.ts";

/** The commit of a night: 40 hex digits that begin with its number. */
export const commit = (at: number): string => at.toString(16).padStart(2, "0").padEnd(40, "c0ffee");

interface Night {
  /** Days after 2026-03-01; by default the number of the commit. */
  day?: number;
  /** Throughput of every cell against the anchor, and of some; latencies are its inverse. */
  level?: number;
  levels?: Record<string, number>;
  anchor?: string;
  cpuModel?: string;
  suite?: string;
  cells?: readonly string[];
}

/** The record of a night, made up: two cells, as fast as the anchor. */
export function night(
  at: number,
  {
    day = at,
    level = 1,
    levels = {},
    anchor = "v1",
    cpuModel = "a CPU",
    suite = "5".repeat(12),
    cells = CELLS,
  }: Night = {},
): HistoryRecord {
  const recordedAt = new Date(Date.UTC(2026, 2, 1 + day, 3)).toISOString();
  const figure = (of: number, anchored: number): RecordFigure => ({
    head: anchored * of,
    anchor: anchored,
    logRatio: Math.log(of),
    sd: 0.02,
    rounds: 8,
  });
  return {
    version: 1,
    id: `${commit(at).slice(0, 8)}${String(day).padStart(8, "0")}`,
    recordedAt,
    commit: commit(at),
    committedAt: null,
    branch: "main",
    url: null,
    anchor: { label: anchor, id: anchor.padEnd(40, "0") },
    conditions: { must: { driver: "process", cpuModel, logicalCpus: 4, php: "8.4", k6: "1.8" }, also: {} },
    cells: cells.map((id): RecordCell => {
      const of = levels[id] ?? level;
      return {
        id,
        connection: "keep-alive",
        suite,
        qps: figure(of, 1000),
        latency: { ...figure(1 / of, 10), statistic: "p99" },
      };
    }),
    census: [],
  };
}

const CELLS = ["shop @20", "cart @1"];

/** So many nights, each a commit, as fast as the anchor. */
export const nights = (count: number, over: Night = {}): HistoryRecord[] =>
  Array.from({ length: count }, (_, at) => night(at, over));

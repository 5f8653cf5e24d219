import type { ConnectionPolicy, CountName, DriverName, LatencyStatistic } from "./model.ts";

/**
 * What a store holds: one line of JSON per run, a HistoryRecord. A run that is recorded compares a commit (its head)
 * with a frozen version (its base, the anchor), round by round like any other; what is kept of a cell is the ratio of
 * the two beside the absolute figures, so that a faster machine is not a faster service.
 */
export interface HistoryRecord {
  version: 1;
  /** SHA-256 over the rest as JSON, the first 16 hex digits: one that is stored twice is one. */
  id: string;
  /** Start of the run; ISO 8601, UTC. */
  recordedAt: string;
  /** Commit that was measured, 40 hex digits, and when it was committed (ISO 8601, UTC; null = not known). */
  commit: string;
  committedAt: string | null;
  branch: string;
  /** Where the run can be looked at; null = nowhere. */
  url: string | null;
  anchor: Anchor;
  conditions: Conditions;
  /** Cells without a clean round are left out. */
  cells: RecordCell[];
  /** Counts per request of the commit, by scenario; only exact ones. */
  census: { scenario: string; counts: Partial<Record<CountName, number>> }[];
}

export interface Anchor {
  /** What the user calls it: a tag, an image's name. */
  label: string;
  /** What it is: a commit (40 hex digits) or an image's digest (sha256:...). Only records with the same id compare. */
  id: string;
}

/** Under which conditions a run was made. `must` has to match before two records may be compared, `also` is reported. */
export interface Conditions {
  must: {
    driver: DriverName;
    cpuModel: string;
    logicalCpus: number;
    /** "8.4"; null where PHP cannot be asked. */
    php: string | null;
    /** "1.8" */
    k6: string;
  };
  /** Kernel, system, and versions of tools by name; what is not known is left out. */
  also: Record<string, string>;
}

export interface RecordCell {
  /** "<scenario> @<level>" */
  id: string;
  connection: ConnectionPolicy;
  /** SHA-256 over what is asked and how (work, checks, connection, load, level), the first 12 hex digits. */
  suite: string;
  qps: RecordFigure;
  /** null for slots without a latency. */
  latency: (RecordFigure & { statistic: LatencyStatistic }) | null;
}

/** Medians over the rounds in requests/s or ms, and the rounds' log ratios head/anchor: mean, sd, how many. */
export interface RecordFigure {
  head: number;
  anchor: number;
  logRatio: number;
  sd: number;
  rounds: number;
}

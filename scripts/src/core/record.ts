import type { ConnectionPolicy, CountName, DriverName, LatencyStatistic } from "./model.ts";

/**
 * What a store holds: one line of JSON per run, a HistoryRecord. A run that is recorded compares a commit (its head)
 * with a frozen version (its base, the anchor), round by round like any other; what is kept of a cell is the ratio of
 * the two beside the absolute figures, so that a faster machine is not a faster service.
 */
export interface HistoryRecord {
  version: 1;
  /** See `recordId`: one that is stored twice is one. */
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

/**
 * Anchor of figures that another program has measured, without one: they are shown, and no verdict rests on them. What
 * they are relative to is 1 request/s or 1 ms (`RecordFigure.anchor` = 1), so that a log ratio is the log of the figure;
 * one round, sd 0: their spread is not known.
 */
export const NO_ANCHOR = "none";

export interface Anchor {
  /** What the user calls it: a tag, an image's name. */
  label: string;
  /** What it is: a commit (40 hex digits), an image's digest (sha256:...), or NO_ANCHOR. Only records with the same id compare. */
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
  /** null where NO_ANCHOR and only the latency was known. */
  qps: RecordFigure | null;
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

/** Id of a record, from its content: SHA-256 over its JSON without the id, the first 16 hex digits. */
export function recordId(record: Omit<HistoryRecord, "id"> & { id?: string }, sha256: (text: string) => string): string {
  return sha256(JSON.stringify({ ...record, id: undefined })).slice(0, 16);
}

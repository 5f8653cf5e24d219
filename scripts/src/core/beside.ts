import { type ChangePoint, changePoints } from "./change-points.ts";
import type { BesideSummary, Environment, Estimate, History, Since } from "./model.ts";
import { type Anchor, conditionsOf, figureOf, type HistoryRecord, NO_ANCHOR, REFERENCE } from "./record.ts";
import type { CellState, Run } from "./replay.ts";
import { tQuantile } from "./stats/distributions.ts";
import { FLOOR } from "./stats/robust.ts";
import {
  type CellRecords,
  comparable,
  type Measured,
  meanOf,
  nameFields,
  recordsOf,
  sinceLastStep,
  spreadOf,
  worthKeeping,
} from "./stored.ts";

/** Anchor of the newest record of a branch; null where it has no record with one. */
export function anchorOf(records: readonly HistoryRecord[], branch: string): Anchor | null {
  return records.findLast((record) => record.branch === branch && record.anchor.id !== NO_ANCHOR)?.anchor ?? null;
}

/**
 * Where the head of a run with a measured base stands against what the records of the base's branch are relative to: the
 * run says how far the head is from its base, the records where that is. Nothing is judged by it. A ratio to another
 * application says nothing of the service: with such an anchor it is the head against the oldest records.
 *
 * @returns figures by cell id, of the cells that have some; null where none has
 */
export function besideRecords(
  { plan, cells }: Run,
  environment: Environment | null,
  history: History | null,
): { since: Map<string, Since>; summary: BesideSummary } | null {
  const { beside, config } = plan;
  if (beside === undefined || environment === null || history === null) return null;
  const { store, branch, suites } = beside;
  const anchor = anchorOf(history.records, branch);
  if (anchor === null) return null;
  const wanted = { branch, anchor, must: conditionsOf(plan, environment).must };
  const { records } = comparable(worthKeeping(history.records, wanted), wanted);
  const steps = changePoints(records);
  const since = new Map<string, Since>();
  const used = new Set<HistoryRecord>();
  const days = new Set<string>();
  const estimateOf = (state: CellState, metric: "qps" | "latency"): Estimate | null => {
    const { id } = state.cell;
    const own = steps.filter((step) => step.cell === id && step.metric === metric);
    const statistic = metric === "qps" ? metric : (state.pilot?.statistic ?? "p99");
    const figure = figureOf(state, statistic);
    const find: Find = (among, which) => recordsOf(among, id, suites[id] ?? "", statistic, which);
    const newest = find(sinceLastStep(records, own, { cell: id, metric }), "newest");
    if (figure === null || newest.why !== null) return null;
    const oldest = anchor.label === REFERENCE ? oldestOf(records, own, find) : null;
    for (const record of [...newest.records, ...(oldest?.records ?? [])]) used.add(record);
    for (const { recordedAt } of oldest?.records.slice(0, 1) ?? []) days.add(recordedAt.slice(0, 10));
    return chained(figure, newest.figures, oldest?.figures ?? null, config.baseline.noise);
  };
  for (const state of cells) {
    const qps = estimateOf(state, "qps");
    if (qps !== null) since.set(state.cell.id, { qps, latency: estimateOf(state, "latency") });
  }
  if (since.size === 0) return null;
  const [day = anchor.label] = days;
  const newestFirst = records.filter((record) => used.has(record)).reverse();
  const from = days.size > 1 ? "the first records" : day;
  return {
    since,
    summary: { anchor, store, branch, missing: false, records: newestFirst.map(nameFields), since: from },
  };
}

/** The records among these that hold the same figure of the same cell. */
type Find = (among: readonly HistoryRecord[], which: "newest" | "oldest") => CellRecords;

/** The oldest records of a figure, up to its first step. */
function oldestOf(records: readonly HistoryRecord[], steps: readonly ChangePoint[], find: Find): CellRecords {
  const ends = steps.map(({ after }) => records.findIndex(({ id }) => id === after));
  const levels = ends.map((end) => find(records.slice(0, end), "oldest"));
  return levels.find(({ why }) => why === null) ?? find(records, "oldest");
}

/**
 * Log ratio head/base of this run, plus the mean of the newest records, less that of the oldest where these are given. Its
 * variance is the sum of theirs, that of records as in judgeStored; degrees of freedom by Welch and Satterthwaite.
 *
 * @param newest at least one; n of the estimate
 */
export function chained(
  run: Measured,
  newest: readonly Measured[],
  oldest: readonly Measured[] | null,
  noise: number,
): Estimate {
  const n = newest.length;
  const { mean, between, df } = spreadOf(newest, noise);
  const zero = oldest === null ? 0 : meanOf(oldest, ({ logRatio }) => logRatio);
  const jobs = between * (1 / n + (oldest === null ? 0 : 1 / oldest.length));
  const own = Math.max(run.sd, FLOOR) ** 2 / run.rounds;
  const total = jobs + own;
  const half = tQuantile(0.975, total ** 2 / (jobs ** 2 / df + own ** 2 / (run.rounds - 1))) * Math.sqrt(total);
  const z = run.logRatio + mean - zero;
  return { n, ratio: Math.exp(z), low: Math.exp(z - half), high: Math.exp(z + half) };
}

import type { ChangePoint } from "./change-points.ts";
import type { Comparison } from "./model.ts";
import type { HistoryRecord } from "./record.ts";
import { comparable } from "./stored.ts";

/** Loss of speed of a branch that somebody should look at: in one cell, or in several at the same commit. */
export interface Slowdown {
  /** Whether a change point says where it began; else it is the verdict of one run alone. */
  located: boolean;
  /** The last commit before and the first one after; the same one twice: in between nothing was committed. */
  before: string;
  after: string;
  /** Worst first. */
  losses: Loss[];
  /** Whether later change points took back half of it or more, in every cell. */
  over: boolean;
}

/** Ratio after/before with its interval; below 1 is a loss of QPS, above 1 a rise of the latency. */
export interface Loss {
  cell: string;
  metric: ChangePoint["metric"];
  ratio: number;
  low: number;
  high: number;
}

/** How many commits back a slowdown is still news: as many as a verdict looks at. */
export const RECENT = 20;
/** A change point may move by so many commits as nights are added. */
export const NEAR = 5;

/** Where each commit stands on its branch, in the order in which commits were first recorded. */
export function positions(records: readonly HistoryRecord[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const { commit } of records) if (!all.has(commit)) all.set(commit, all.size);
  return all;
}

/** The change points for the worse, oldest first; those at the same commit or the one after it are one slowdown. */
export function locatedSlowdowns(points: readonly ChangePoint[], records: readonly HistoryRecord[]): Slowdown[] {
  const commits = new Map(records.map(({ id, commit }) => [id, commit]));
  const order = positions(records);
  const steps = points
    .flatMap((point) => {
      const [before, after] = [commits.get(point.before), commits.get(point.after)];
      return before === undefined || after === undefined ? [] : [{ point, before, after, at: order.get(after) ?? 0 }];
    })
    .sort((a, b) => a.at - b.at);
  const groups: (typeof steps)[] = [];
  for (const step of steps.filter(({ point }) => point.worse)) {
    const open = groups.at(-1);
    if (open?.[0] !== undefined && step.at - open[0].at <= 1) open.push(step);
    else groups.push([step]);
  }
  return groups.flatMap((group) => {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) return [];
    const over = group.every(({ point, at }) => {
      const later = steps.filter((step) => step.at > at && sameTest(step.point, point));
      return later.reduce((sum, step) => sum + loss(step.point), 0) <= -loss(point) / 2;
    });
    const losses = group.map(({ point: { cell, metric, ratio, low, high } }) => ({ cell, metric, ratio, low, high }));
    return { located: true, before: first.before, after: last.after, losses: losses.sort(worstFirst), over };
  });
}

/**
 * What the verdict of a run against records calls slower, and is not known already: where a change point that has been
 * located lies within the records of a test, these still hold the level before it.
 *
 * @param now the record of the run
 * @param records of its branch, oldest first
 * @returns null where nothing is
 */
export function slowdownOf(
  { cells, stored }: Comparison,
  now: HistoryRecord,
  records: readonly HistoryRecord[],
  located: readonly Slowdown[],
): Slowdown | null {
  const order = positions(records);
  const earlier = before(records, now);
  const known = located
    .filter(({ over }) => !over)
    .map(({ after, losses }) => {
      const first = order.get(after) ?? 0;
      const since = earlier.filter(({ commit }) => (order.get(commit) ?? 0) >= first).length;
      return { cells: new Set(losses.map(({ cell }) => cell)), since };
    });
  const losses = cells.flatMap(({ cell, tests }) =>
    tests.flatMap(({ metric, verdict, estimate }) => {
      if (verdict !== "regression" || estimate === null || (metric !== "qps" && metric !== "latency")) return [];
      const { n, ratio, low, high } = estimate;
      if (known.some((step) => step.cells.has(cell.id) && step.since < n)) return [];
      return [{ cell: cell.id, metric, ratio, low, high }];
    }),
  );
  const last = stored?.records[0]?.commit;
  if (losses.length === 0 || last === undefined) return null;
  return { located: false, before: last, after: now.commit, losses: losses.sort(worstFirst), over: false };
}

/**
 * Whether a run is back, in every one of the given tests, on the better side of the middle between the level up to
 * `range.before` and that from `range.after` on. False where there is nothing to tell it by.
 *
 * @param now the record of the run
 * @param records of its branch, oldest first
 */
export function isBack(
  now: HistoryRecord,
  records: readonly HistoryRecord[],
  range: Pick<Slowdown, "before" | "after">,
  tests: readonly Pick<Loss, "cell" | "metric">[],
): boolean {
  const order = positions(records);
  const [last, first] = [order.get(range.before), order.get(range.after)];
  if (last === undefined || first === undefined || tests.length === 0) return false;
  const earlier = before(records, now);
  const at = ({ commit }: HistoryRecord) => order.get(commit) ?? 0;
  return tests.every((test) => {
    const level = (some: readonly HistoryRecord[]) => mean(some.flatMap((record) => lossOf(record, test, now)));
    const fast = level(earlier.filter((record) => at(record) <= last).slice(-RECENT));
    const slow = level(earlier.filter((record) => at(record) >= first));
    return level([now]) < (fast + slow) / 2;
  });
}

/** The records before a run that it may be compared with. */
function before(records: readonly HistoryRecord[], now: HistoryRecord): readonly HistoryRecord[] {
  const { branch, anchor, conditions, recordedAt } = now;
  const earlier = records.filter((record) => record.recordedAt < recordedAt);
  return comparable(earlier, { branch, anchor, must: conditions.must }).records;
}

/** Log of the loss against the anchor, larger is worse; none where the cell asks for something else than in `now`. */
function lossOf(
  { cells }: HistoryRecord,
  { cell, metric }: Pick<Loss, "cell" | "metric">,
  now: HistoryRecord,
): number[] {
  const find = (some: HistoryRecord["cells"]) => some.find(({ id }) => id === cell);
  const found = find(cells);
  const figure = found?.[metric];
  if (found === undefined || figure == null || found.suite !== find(now.cells)?.suite) return [];
  return [metric === "qps" ? -figure.logRatio : figure.logRatio];
}

const sameTest = (a: ChangePoint, b: ChangePoint): boolean => a.cell === b.cell && a.metric === b.metric;
/** Log of the loss, whichever way the metric goes. */
const loss = ({ metric, ratio }: Pick<Loss, "metric" | "ratio">): number =>
  Math.log(ratio) * (metric === "qps" ? -1 : 1);
const worstFirst = (a: Loss, b: Loss): number => loss(b) - loss(a);
/** NaN for an empty list, with which no comparison holds. */
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

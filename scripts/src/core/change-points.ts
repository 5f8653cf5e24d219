import { type HistoryRecord, REFERENCE } from "./record.ts";
import { type RecordedCommit, type Series, type SeriesMetric, seriesOf } from "./series.ts";
import { tQuantile } from "./stats/distributions.ts";
import { type Step, Stretches, stepsOf, WINDOW } from "./stats/steps.ts";

/** A step in the history of a cell: from some commit on it is slower, or faster, than before. */
export interface ChangePoint {
  cell: string;
  metric: SeriesMetric;
  /** HistoryRecord.id of the last record before the step and of the first one after it. */
  before: string;
  after: string;
  /** Level after over level before, both as head/anchor, and its 95% interval. */
  ratio: number;
  low: number;
  high: number;
  /** Two-sided p of "no step here", not corrected for how many places were looked at. */
  p: number;
  /** Fewer requests/s, or a higher latency. */
  worse: boolean;
}

/** A stretch of a series between two of its steps. */
export interface Level {
  /** Indexes into the points: [from, to). */
  from: number;
  to: number;
  /** Mean of z, with stray points pulled in, and the ends of its 95% interval; null with fewer than two points. */
  mean: number;
  half: number | null;
}

export interface SteppedSeries extends Series {
  /** Never empty; the last one is where things stand. */
  levels: Level[];
  /**
   * Log ratio that changes are told from: that of the anchor, 0; against another application, whose ratio says nothing of
   * the service, that of the first level.
   */
  zero: number;
}

export interface Trend {
  commits: RecordedCommit[];
  series: SteppedSeries[];
  /** In order of commits. */
  changePoints: ChangePoint[];
}

/**
 * Chance that unchanged code shows any step in any cell and metric within 50 commits: Bonferroni over cells, metrics
 * and the stretches of a window, any of which might stand out. Every night looks again, at almost the same: a year of
 * nights shows one in 10-15% of unchanged suites of 8 cells (scripts/bench/bench.sh drift).
 */
const ALPHA = 0.05;
/** A step that is smaller is left out, as log ratio: a new kernel on the runner does as much. */
export const SMALLEST = Math.log(1.01);
/** Steps of different cells at most this many commits apart are one unless the records of some speak against it. */
const NEAR = 5;
/** So many times less likely, by its own records alone, a step may be at the place of all. */
const DOUBT = 10_000;

/** p below which a step counts where `tests` cells and metrics are watched. */
export function levelOf(tests: number): number {
  return ALPHA / (tests * (WINDOW ** 2 / 2));
}

/** Steps in the records of one branch, in order of commits. */
export function changePoints(records: readonly HistoryRecord[]): ChangePoint[] {
  return trendOf(records).changePoints;
}

/**
 * The records of one branch as series, each with its levels, and the steps between these. Series of different
 * conditions are never joined. A change of the code usually moves more than one cell, and noise moves where each of
 * these steps seems to be: steps near each other are moved to where they all together say, if each may be there.
 */
export function trendOf(records: readonly HistoryRecord[]): Trend {
  const { commits, series } = seriesOf(records);
  const tests = new Set(series.map(({ cell, metric }) => JSON.stringify([cell, metric])));
  const level = levelOf(tests.size);
  const tracks = series.map((one) => trackOf(one, level));
  const groups = gather(
    tracks.flatMap((track) => track.steps.map((step) => ({ track, step }))),
    level,
  );
  const found = groups.flatMap((group) => describe(group, commits));
  return {
    commits,
    series: tracks.map(({ series: one, stretches, steps }) => {
      const levels = levelsOf(stretches, steps);
      const zero = one.likeness.anchor.label === REFERENCE ? (levels[0]?.mean ?? 0) : 0;
      return { ...one, levels, zero };
    }),
    changePoints: found,
  };
}

interface Track {
  series: Series;
  stretches: Stretches;
  steps: Step[];
}

function trackOf(series: Series, level: number): Track {
  const stretches = new Stretches(series.points.map(({ z }) => z));
  return { series, stretches, steps: series.absolute ? [] : stepsOf(stretches, level, SMALLEST) };
}

/** A step of the track as it would be at `index`, against what lies between it and its neighbours. */
function between({ steps, stretches }: Track, step: Step, index = step.index): Step {
  const at = steps.indexOf(step);
  return stretches.step(steps[at - 1]?.index ?? 0, index, steps[at + 1]?.index ?? stretches.length);
}

interface Found {
  track: Track;
  step: Step;
}

/** Place of the first commit after a step, and of the last one before it that this series knows. */
const placeAfter = ({ track, step }: Found) => track.series.points[step.index]?.place ?? 0;
const placeBefore = ({ track, step }: Found) => track.series.points[step.index - 1]?.place ?? 0;

/** Groups of steps that are one event, in order of place: a group is moved to where all its records together say. */
function gather(found: readonly Found[], level: number): Found[][] {
  const open = new Set([...found].sort((a, b) => a.step.p - b.step.p || placeAfter(a) - placeAfter(b)));
  const groups: Found[][] = [];
  for (let [surest] = open; surest !== undefined; [surest] = open) {
    const near = nearest([...open], placeAfter(surest));
    const place = likeliest(near, level);
    const fitting = near.filter((one) => doubt(one, place, level) <= DOUBT);
    const group = fitting.length > 0 ? fitting : [surest];
    for (const one of group) {
      if (fitting.length > 0) one.step.index = indexAt(one, place);
      open.delete(one);
    }
    groups.push(group);
  }
  return groups.sort(([a], [b]) => (a === undefined || b === undefined ? 0 : placeAfter(a) - placeAfter(b)));
}

/** The steps that may be at `place` or NEAR it, one of each series. */
function nearest(found: readonly Found[], place: number): Found[] {
  const near = found.filter((one) => placeBefore(one) < place + NEAR && placeAfter(one) >= place - NEAR);
  return near.filter((one, i) => near.findIndex(({ track }) => track === one.track) === i);
}

/** Of the places of these steps the one that all together doubt least. */
function likeliest(near: readonly Found[], level: number): number {
  const doubtOf = (place: number) =>
    near.reduce((sum, one) => sum + Math.log(Math.min(DOUBT * DOUBT, doubt(one, place, level))), 0);
  const places = [...new Set(near.map(placeAfter))].map((place) => ({ place, doubt: doubtOf(place) }));
  return places.reduce((best, one) => (one.doubt < best.doubt ? one : best)).place;
}

/** How many times less likely a step is where `place` begins in its series; infinite where it would be none. */
function doubt({ track, step }: Found, place: number, level: number): number {
  const there = between(track, step, indexAt({ track }, place));
  return there.p > level ? Number.POSITIVE_INFINITY : Math.max(there.p, 1e-300) / Math.max(step.p, 1e-300);
}

/** Index of the first point of the series at `place` or after it. */
function indexAt({ track }: Pick<Found, "track">, place: number): number {
  const { points } = track.series;
  const index = points.findIndex((point) => point.place >= place);
  return index === -1 ? points.length : index;
}

/** One entry per cell and metric: of several under different conditions the surest. */
function describe(group: readonly Found[], commits: readonly RecordedCommit[]): ChangePoint[] {
  const before = commits[Math.max(...group.map(placeBefore))]?.records.at(-1);
  const after = commits[Math.min(...group.map(placeAfter))]?.records[0];
  if (before === undefined || after === undefined) return [];
  const byTest = new Map<string, ChangePoint>();
  for (const { track, step } of group) {
    const { cell, metric } = track.series;
    const { change, se, df, p } = between(track, step);
    const key = JSON.stringify([cell, metric]);
    if (p >= (byTest.get(key)?.p ?? Number.POSITIVE_INFINITY)) continue;
    const half = tQuantile(0.975, df) * se;
    byTest.set(key, {
      cell,
      metric,
      before: before.id,
      after: after.id,
      ratio: Math.exp(change),
      low: Math.exp(change - half),
      high: Math.exp(change + half),
      p,
      worse: metric === "qps" ? change < 0 : change > 0,
    });
  }
  return [...byTest.values()];
}

function levelsOf(stretches: Stretches, steps: readonly Step[]): Level[] {
  const ends = [...steps.map(({ index }) => index), stretches.length];
  return ends.map((to, i) => {
    const from = ends[i - 1] ?? 0;
    const { n, mean, squares } = stretches.of(from, to);
    const half = n < 2 ? null : tQuantile(0.975, n - 1) * Math.sqrt(squares / (n - 1) / n);
    return { from, to, mean, half };
  });
}

import type { SteppedSeries } from "../core/change-points.ts";
import { ends, type TrendCell } from "./trend.ts";

/** What scripts/charts/trend.jq and trend.gp draw of a cell: one panel below the other. No foreign text is in it. */
export interface TrendChart {
  panels: Panel[];
}

type Row = (number | null)[];

interface Panel {
  title: string;
  /** Range of the values; wider intervals are cut. */
  low: number;
  high: number;
  /** One list per line: [time in s since the epoch, value, low, high]; null = not known. */
  points: Row[][];
  /** [time from, time to, value] */
  levels: Row[];
  /** Times of steps, between two commits: [time] */
  steps: Row[];
}

/** Room above and below the values, as a share of their range, and the least range in percent. */
const AIR = 0.08;
const LEAST_RANGE = 4;

/** The chart of a cell: QPS and tail latency in percent of change (SteppedSeries.zero); without an anchor as they are. */
export function trendChart({ series }: TrendCell): TrendChart {
  const panels = [false, true].flatMap((absolute) =>
    (["qps", "latency"] as const).map((metric) => {
      const own = series.filter((one) => one.absolute === absolute && one.metric === metric);
      return { own, title: titleOf(own, metric) };
    }),
  );
  return { panels: panels.filter(({ own }) => own.length > 0).map(({ own, title }) => panelOf(own, title)) };
}

function titleOf(own: readonly SteppedSeries[], metric: SteppedSeries["metric"]): string {
  if (own.some(({ absolute }) => absolute)) return metric === "qps" ? "QPS" : "tail latency, ms";
  const zero = own.some((one) => one.zero !== 0) ? "the first level" : "the anchor";
  return `${metric === "qps" ? "QPS" : "tail latency"} against ${zero}, %`;
}

function panelOf(own: readonly SteppedSeries[], title: string): Panel {
  const show = (z: number, { absolute, zero }: SteppedSeries) => (absolute ? Math.exp(z) : Math.expm1(z - zero) * 100);
  const points = own.map((one) =>
    one.points.map((point) => {
      const [low, high] = ends(point).map((end) => (Number.isNaN(end) ? null : show(end, one)));
      return [point.at / 1000, show(point.z, one), low ?? null, high ?? null];
    }),
  );
  const values = points.flatMap((line) => line.map(([, value]) => value as number));
  const absolute = own.some((one) => one.absolute);
  // What changes are told from, 0%, is always in sight.
  const [least, most] = values.reduce(
    ([a, b], value) => [Math.min(a, value), Math.max(b, value)],
    [absolute ? Number.POSITIVE_INFINITY : 0, absolute ? 0 : 0],
  );
  const range = Math.max(most - least, absolute ? most * 0.1 : LEAST_RANGE);
  const time = (one: SteppedSeries, i: number) => (one.points[i]?.at ?? 0) / 1000;
  return {
    title,
    low: least - AIR * range,
    high: least + range + AIR * range,
    points,
    levels: own.flatMap((one) =>
      one.absolute ? [] : one.levels.map(({ from, to, mean }) => [time(one, from), time(one, to - 1), show(mean, one)]),
    ),
    steps: own.flatMap((one) => one.levels.slice(1).map(({ from }) => [(time(one, from - 1) + time(one, from)) / 2])),
  };
}

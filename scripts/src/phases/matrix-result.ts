import { compareRun, figuresOf, slotsOf } from "../core/compare.ts";
import {
  cpuLogRatios,
  effectOf,
  growthOf,
  type LogMean,
  logMean,
  type MatrixCell,
  type MatrixEffect,
  type MatrixPoint,
  type MatrixResult,
  mainEffect,
  medianPhases,
  type Point,
  stagesOf,
} from "../core/matrix.ts";
import {
  ARMS,
  type Arm,
  type Cell,
  type CellResult,
  type Census,
  type LatencyStatistic,
  type Plan,
} from "../core/model.ts";
import { type CellState, replay } from "../core/replay.ts";
import { measuredValue } from "../core/test-state.ts";
import type { MatrixRun, PlannedMatrix } from "./matrix.ts";
import { POINTS } from "./work-directory.ts";

type Finish = Pick<MatrixResult, "startedAt" | "interrupted" | "wallSeconds">;

/**
 * What the runs have come to. Reads their files, so that it says what anybody can compute from them again, and writes
 * the comparison of each.
 */
export function matrixResult(
  { points, plans, rounds, design, timings, tree }: PlannedMatrix,
  runs: readonly MatrixRun[],
  finish: Finish,
): MatrixResult {
  const read = runs.map(readRun);
  const first = plans[0] as Plan;
  const environment = runs.map(({ plan, work }) => work.readEnvironment(plan)).find((found) => found !== null);
  if (environment === undefined || environment === null) throw new Error("matrix: no run has an environment");
  const statistics = new Map(
    first.cells.map(({ id }) => [id, lowest(read.map(({ states }) => states.get(id)?.pilot?.statistic ?? "p99"))]),
  );
  const [reference, ...others] = points as [Point, ...Point[]];
  const means = new Map(others.map((point, index) => [point.name, meansOf(read[index] as ReadRun, statistics)]));
  const effect = (mean: LogMean | null | undefined) => (mean ? effectOf(mean) : null);
  // The reference is the base of every run; alone, it is both arms of one.
  const isAlone = others.length === 0;
  const ofReference = read.flatMap((run) =>
    (isAlone ? ARMS : (["base"] as const)).map((arm): MeasuredArm => ({ run, arm })),
  );
  const resultPoints = points.map(({ name, levels }, index): MatrixPoint => {
    const own = read[index - 1];
    const number = isAlone ? 1 : index;
    return {
      name,
      levels,
      directory: number === 0 ? null : `${POINTS}/${number}`,
      cells: first.cells.map((cell) => ({
        ...matrixCell(cell, own === undefined ? ofReference : [{ run: own, arm: "head" }], { rounds, timings }),
        statistic: statistics.get(cell.id) ?? "p99",
        qps: effect(means.get(name)?.get(`${cell.id} qps`)),
        latency: effect(means.get(name)?.get(`${cell.id} latency`)),
      })),
    };
  });
  const factors = Object.keys(reference.levels);
  const isCrossed = others.some(
    ({ levels }) => factors.filter((name) => levels[name] !== reference.levels[name]).length > 1,
  );
  const effects: MatrixEffect[] = !isCrossed
    ? []
    : factors.flatMap((factor) => {
        const names = [...new Set(points.map(({ levels }) => levels[factor] as string))];
        return names.slice(1).flatMap((level) =>
          first.cells.map(({ id }): MatrixEffect => {
            const of = (metric: string) =>
              effect(mainEffect(points, factor, level, ({ name }) => means.get(name)?.get(`${id} ${metric}`) ?? null));
            const from = reference.levels[factor] as string;
            return { factor, level, reference: from, cell: id, qps: of("qps"), latency: of("latency") };
          }),
        );
      });
  return {
    version: 1,
    startedAt: finish.startedAt,
    arms: { label: tree.label, commit: tree.commit },
    driver: first.driver,
    design,
    rounds,
    machine: environment.machine,
    tools: environment.tools,
    layout: first.layout,
    points: resultPoints,
    effects,
    stages:
      design === "stages"
        ? stagesOf(resultPoints, ({ name }, cell, metric) => means.get(name)?.get(`${cell} ${metric}`) ?? null)
        : [],
    interrupted: finish.interrupted,
    wallSeconds: finish.wallSeconds,
  };
}

/** A run of a matrix as its files tell it. */
interface ReadRun {
  /** By cell. */
  states: ReadonlyMap<string, CellState>;
  /** By cell. */
  results: ReadonlyMap<string, CellResult>;
  census: Census | null;
  /** Why it was given up, or null. */
  failed: string | null;
}

function readRun({ plan, work }: MatrixRun): ReadRun {
  const { lines, damaged } = work.readSamples(plan);
  const census = work.readCensus(plan);
  const run = replay(plan, census, lines);
  const comparison = compareRun(run, { plan, census, environment: work.readEnvironment(plan), lines, damaged });
  work.writeJson("comparison", comparison);
  return {
    states: new Map(run.cells.map((state) => [state.cell.id, state])),
    results: new Map(comparison.cells.map((result) => [result.cell.id, result])),
    census,
    failed: comparison.stop?.reason === "failed" ? comparison.stop.detail : null,
  };
}

interface MeasuredArm {
  run: ReadRun;
  arm: Arm;
}

/** One cell over the arms that measured it. */
function matrixCell(
  cell: Cell,
  arms: readonly MeasuredArm[],
  { rounds, timings }: Pick<PlannedMatrix, "rounds" | "timings">,
): Omit<MatrixCell, "statistic" | "qps" | "latency"> {
  const slots = arms.flatMap(({ run, arm }) => slotsOf(run.states.get(cell.id) as CellState, arm));
  const runs = [...new Set(arms.map(({ run }) => run))];
  const results = runs.map(({ results }) => results.get(cell.id) as CellResult);
  const struck = results.flatMap((result) => Object.entries(result.struck)).sort(([, a], [, b]) => b - a);
  const [most] = struck;
  const isShort = results.some((result) => result.rounds < rounds);
  const [
    why = isShort && most !== undefined ? `${most[0]} struck ${most[1]} ${most[1] === 1 ? "slot" : "slots"}` : null,
  ] = runs.flatMap(({ failed }, index) => failed ?? results[index]?.reasons[0]?.text ?? []);
  const counts = arms.flatMap(({ run: { census }, arm }) => {
    const counted = census?.scenarios.find(({ scenario }) => scenario === cell.scenario);
    return counted?.arms[arm].counts ?? [];
  })[0];
  return {
    cell,
    rounds: results.reduce((sum, result) => sum + result.rounds, 0),
    struck: struck.reduce((sum, [, count]) => sum + count, 0),
    // What one run lacks of the reference, another has.
    why: runs.length > 1 && slots.length > 0 ? null : why,
    figures: figuresOf(slots),
    growthBytes: growthOf(slots),
    counts: Object.fromEntries(Object.entries(counts ?? {}).map(([name, count]) => [name, count.perRequest])),
    ...(timings ? { phasesMs: medianPhases(slots.map(({ phasesMs }) => phasesMs)) } : {}),
  };
}

/** "<cell> <metric>" -> mean log ratio of its clean rounds. */
function meansOf({ states }: ReadRun, statistics: ReadonlyMap<string, LatencyStatistic>): Map<string, LogMean | null> {
  return new Map(
    [...states].flatMap(([id, { rounds }]) => {
      const mean = (statistic: "qps" | LatencyStatistic) =>
        logMean(
          rounds.map(({ base, head }) => Math.log(measuredValue(head, statistic) / measuredValue(base, statistic))),
        );
      return [
        [`${id} cpu`, logMean(cpuLogRatios(rounds))],
        [`${id} qps`, mean("qps")],
        [`${id} latency`, mean(statistics.get(id) ?? "p99")],
      ] as const;
    }),
  );
}

/** The percentile that every point has enough requests for. */
function lowest(statistics: readonly LatencyStatistic[]): LatencyStatistic {
  return (["p90", "p95"] as const).find((candidate) => statistics.includes(candidate)) ?? "p99";
}

import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { expectedSeconds } from "../core/budget.ts";
import { compare } from "../core/compare.ts";
import { InputError, MeasureError } from "../core/errors.ts";
import {
  configOf,
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
  pointsOf,
} from "../core/matrix.ts";
import type { ArmFigures, ArmSource, Config, LatencyStatistic, PilotCell, Plan } from "../core/model.ts";
import { nginxMisfit } from "../core/nginx.ts";
import { beforePilot, buildPlan } from "../core/plan.ts";
import { begin, type CellState, type Run, replay, take } from "../core/replay.ts";
import { median } from "../core/stats/robust.ts";
import { measuredValue } from "../core/test-state.ts";
import { differingSettings, ownOf } from "../core/variants.ts";
import { type Rig, runBlock } from "../measure/block.ts";
import { renderMatrixCsv, renderMatrixMarkdown } from "../report/matrix.ts";
import { fromPath } from "./arms.ts";
import { drawWith } from "./charts.ts";
import { checkVariant, chooseDriver, wantedDriver } from "./driver.ts";
import { layoutFor } from "./machine.ts";
import { beginRun, type Context, onMachine, startRig } from "./measure.ts";
import { minutes, OVERHEAD } from "./plan.ts";
import type { Progress } from "./progress.ts";
import { SampleLog } from "./sample-log.ts";
import { POINTS, sha256, WorkDirectory } from "./work-directory.ts";

export interface MatrixOptions {
  driver?: string | undefined;
  /** In place of the file's. */
  rounds?: string | undefined;
}

/** A matrix as it is to be measured: every point but the reference beside it, or the reference beside itself. */
export interface PlannedMatrix {
  points: Point[];
  /** One for each point but the first, in their order; of a single point an A/A run. */
  plans: Plan[];
  rounds: number;
  /** As in MatrixConfig. */
  timings: boolean;
  config: Config;
  tree: ArmSource;
}

/** Blocks of a point, as a multiple of the rounds that are wanted, after which it keeps what it has. */
const MOST_BLOCKS = 2;
/** Charts of a matrix, by kind, with their titles. */
const CHARTS = new Map([
  ["matrix-qps", "QPS over load"],
  ["matrix-change", "Change of QPS against the reference"],
]);
/** Blocks in a row without an answer after which a point is given up. */
const BARREN_BLOCKS = 3;

/**
 * Reads a configuration with a matrix and plans it. Starts nothing.
 *
 * @throws InputError where the file has no matrix, its tree is not there, or the driver cannot start a level
 */
export async function planMatrix(file: string, options: MatrixOptions): Promise<PlannedMatrix> {
  const { config: whole, file: path } = await loadConfig(file, process.cwd());
  const { matrix, ...config } = whole;
  if (matrix === undefined) {
    throw new InputError(
      `${file}: matrix: a file for \`perf-gate matrix\` has one; write matrix: {} for the scenarios as they are, or ` +
        "its factors below it",
    );
  }
  const rounds = options.rounds === undefined ? matrix.rounds : parseRounds(options.rounds);
  const place = resolve(matrix.tree === null ? "." : dirname(path ?? ""), matrix.tree ?? "");
  const tree = { ...(await fromPath("matrix.tree", place)), label: relative(process.cwd(), place) || "." };
  const points = pointsOf(matrix);
  const wanted = wantedDriver(options.driver, config.target);
  const targets = points.map(({ name, variant }) => {
    const { target } = ownOf(config, variant);
    const misfit = nginxMisfit(target);
    if (misfit !== null) throw new InputError(`matrix.factors: ${name}: nginx.${misfit.key}: ${misfit.message}`);
    return target;
  });
  const driver = await chooseDriver(wanted, config.target, targets);
  for (const [factor, levels] of Object.entries(matrix.factors)) {
    for (const [level, variant] of Object.entries(levels)) {
      checkVariant(driver, `matrix.factors.${factor}.${level}`, variant);
    }
  }
  const layout = layoutFor(config.measure.isolation);
  const [reference, ...others] = points as [Point, ...Point[]];
  const plans = (others.length === 0 ? [reference] : others).map((point) => {
    const own = { base: ownOf(config, reference.variant), head: ownOf(config, point.variant) };
    return buildPlan(
      {
        seed: randomInt(2 ** 31),
        arms: { base: { ...tree, label: reference.name }, head: { ...tree, label: point.name } },
        sameSource: differingSettings({ config, own }).length === 0,
        driver,
        config: configOf({ ...config, target: { ...config.target, driver: wanted } }, rounds),
        layout,
        ...(others.length === 0 ? {} : { own }),
      },
      sha256,
    );
  });
  return { points, plans, rounds, timings: matrix.timings ?? false, config, tree };
}

function parseRounds(text: string): number {
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds >= 3 && rounds <= 60) return rounds;
  throw new InputError(`--rounds: allowed is a whole number from 3 to 60, got ${JSON.stringify(text)}`);
}

/** What `matrix` is about to do: points, cells, minutes. */
export function describeMatrix({ points, plans, rounds }: PlannedMatrix): string {
  const [first] = plans as [Plan, ...Plan[]];
  const { block } = expectedSeconds(first, beforePilot(first), OVERHEAD);
  const seconds = plans.length * (OVERHEAD.start + rounds * block);
  const width = Math.max(...points.map(({ name }) => name.length));
  const rows = points.map(({ name }, index) => {
    const plan = plans[index - 1];
    if (plan === undefined)
      return `  ${name.padEnd(width)}  ${points.length === 1 ? "beside itself" : "the reference"}`;
    const settings = differingSettings(plan).map(
      ({ key, base, head }) => `${key}: ${base ?? "not set"} → ${head ?? "not set"}`,
    );
    return `  ${name.padEnd(width)}  ${settings.join(", ") || "sets nothing else than the reference"}`;
  });
  return [
    `tree       ${first.arms.base.directory}${first.arms.base.commit === null ? "" : ` (${first.arms.base.commit.slice(0, 12)})`}`,
    `driver     ${first.driver}`,
    `isolation  ${first.layout.note}`,
    "",
    `${points.length} ${points.length === 1 ? "point" : "points"}:`,
    ...rows,
    "",
    `${first.cells.length} ${first.cells.length === 1 ? "cell" : "cells"} at each: ${first.cells.map(({ id }) => id).join(", ")}`,
    "",
    `expected   ${minutes(seconds)}: ${rounds} rounds of each, ${minutes(block)} a round`,
  ].join("\n");
}

/** One run of a matrix while it is measured. */
interface Measured {
  plan: Plan;
  work: WorkDirectory;
  log: SampleLog;
  rig: Rig;
  pilots: ReadonlyMap<string, PilotCell>;
  run: Run;
  /** Blocks in a row that brought no answer. */
  barren: number;
  /** Why it was given up, or null. */
  failed: string | null;
}

/**
 * Measures a matrix: all its runs stand on the machine at once, and a block of each is measured in turn, in random
 * order, so that no point has the better hour. Writes matrix.json, matrix.md, matrix.csv and charts/, and every
 * run's own files below points/. Interrupted, it reports what was measured.
 */
export async function matrixPhase(
  planned: PlannedMatrix,
  work: WorkDirectory,
  home: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<{ result: MatrixResult; chartsNote: string | null }> {
  const started = performance.now();
  const startedAt = new Date().toISOString();
  work.begin();
  const runs = planned.plans.map((plan, index) => {
    const own = new WorkDirectory(work.file(POINTS, String(index + 1)));
    own.begin();
    own.writeJson("plan", plan);
    return { plan, work: own };
  });
  const once = warningOnce(progress);
  const { driver } = planned.plans[0] as Plan;
  await onMachine(driver, work, { home, progress: once, signal }, (context) => measureAll(runs, planned, context));
  const result = resultOf(planned, runs, {
    startedAt,
    interrupted: signal.aborted,
    wallSeconds: (performance.now() - started) / 1000,
  });
  work.write("matrix.json", `${JSON.stringify(result, null, 2)}\n`);
  work.write("matrix.csv", renderMatrixCsv(result));
  const chartsNote = drawWith(home, "charts.sh", [
    work.file("matrix.json"),
    work.directory("charts"),
    ...CHARTS.keys(),
  ]);
  const charts = [...CHARTS].flatMap(([name, title]) => {
    const path = `charts/${name}.svg`;
    return existsSync(work.file(path)) ? [{ path, title }] : [];
  });
  work.write("matrix.md", renderMatrixMarkdown(result, charts));
  return { result, chartsNote };
}

/** Arms of every run say the same of the machine. */
function warningOnce(progress: Progress): Progress {
  const told = new Set<string>();
  return {
    ...progress,
    warn: (line) => {
      if (!told.has(line)) progress.warn(line);
      told.add(line);
    },
  };
}

async function measureAll(
  runs: readonly Pick<Measured, "plan" | "work">[],
  { rounds }: PlannedMatrix,
  context: Context,
): Promise<void> {
  const { progress, signal } = context;
  const started = performance.now();
  const measured: Measured[] = [];
  try {
    for (const [index, { plan, work }] of runs.entries()) {
      progress.step(`starting ${index + 1} of ${runs.length}: ${plan.arms.head.label}`);
      const rig = await startRig(plan, work, context);
      const log = new SampleLog(work, plan, []);
      const one: Measured = {
        plan,
        work,
        log,
        rig,
        pilots: new Map(),
        run: begin(plan, null, []),
        barren: 0,
        failed: null,
      };
      measured.push(one);
      Object.assign(one, await beginRun(rig, work, log, progress));
    }
    const loadStarted = performance.now();
    for (let round = 0; ; round++) {
      const open = measured.filter((one) => cellsToMeasure(one, rounds).length > 0);
      if (open.length === 0) break;
      for (const one of shuffled(open)) await measureBlock(one, cellsToMeasure(one, rounds), progress, signal);
      const elapsed = (performance.now() - loadStarted) / 1000;
      tell(progress, measured, { round, rounds, elapsed });
    }
    for (const { log, failed } of measured) {
      const wallSeconds = (performance.now() - started) / 1000;
      log.add([{ kind: "stop", reason: failed === null ? "cap" : "failed", detail: failed, wallSeconds }]);
    }
    if (measured.every(({ failed }) => failed !== null)) {
      throw new MeasureError(`nothing could be measured at any point: ${measured[0]?.failed}`);
    }
  } catch (error) {
    if (!signal.aborted || measured.every(({ run }) => run.blocks === 0)) throw error;
    // What was measured is reported.
    const wallSeconds = (performance.now() - started) / 1000;
    for (const { log } of measured) log.add([{ kind: "stop", reason: "interrupted", detail: null, wallSeconds }]);
  } finally {
    progress.done();
    for (const { rig } of measured) await rig.target.close();
  }
}

/** The cells of a run that still need rounds; none where it was given up. */
function cellsToMeasure({ run, pilots, failed }: Measured, rounds: number): PilotCell[] {
  if (failed !== null || run.blocks >= MOST_BLOCKS * rounds) return [];
  const left = run.cells.filter((state) => state.status === "judged" && state.rounds.length < rounds);
  return left.flatMap(({ cell }) => pilots.get(cell.id) ?? []);
}

/** One block of one run. One that dies leaves the others alone. */
async function measureBlock(
  one: Measured,
  cells: readonly PilotCell[],
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { rig, run, log, plan } = one;
  try {
    const { samples, yardstickMs, times } = await runBlock(rig, cells, "main", run.blocks);
    const block = { kind: "block" as const, stage: "main" as const, block: run.blocks, yardstickMs, times };
    const lines = signal.aborted ? samples : [...samples, block];
    log.add(lines);
    for (const line of lines) take(run, line);
    one.barren = samples.some(({ requests }) => requests > 0) ? 0 : one.barren + 1;
    if (one.barren >= BARREN_BLOCKS) one.failed = `${one.barren} blocks in a row brought no request`;
  } catch (error) {
    if (signal.aborted || !(error instanceof MeasureError)) throw error;
    one.failed = error.message;
  }
  signal.throwIfAborted();
  if (one.failed !== null) progress.warn(`${plan.arms.head.label} was given up: ${one.failed}`);
}

/** Blocks that a run needs if nothing is struck. */
function blocksLeft(one: Measured, rounds: number): number {
  const cells = new Set(cellsToMeasure(one, rounds).map(({ cell }) => cell));
  const measured = one.run.cells.filter(({ cell }) => cells.has(cell.id)).map((state) => state.rounds.length);
  return Math.max(0, ...measured.map((count) => rounds - count));
}

function shuffled<T>(items: readonly T[]): T[] {
  const left = [...items];
  return items.map(() => left.splice(randomInt(left.length), 1)[0] as T);
}

function tell(
  progress: Progress,
  measured: readonly Measured[],
  { round, rounds, elapsed }: { round: number; rounds: number; elapsed: number },
): void {
  const open = measured.filter((one) => cellsToMeasure(one, rounds).length > 0);
  const struck = new Map<string, number>();
  for (const { run } of measured) {
    for (const state of run.cells) {
      for (const [cause, count] of state.struck) struck.set(cause, (struck.get(cause) ?? 0) + count);
    }
  }
  const left = open.reduce((sum, one) => sum + blocksLeft(one, rounds), 0);
  const done = measured.reduce((sum, { run }) => sum + run.blocks, 0);
  progress.block({
    stage: "main",
    block: round,
    open: open.length,
    tests: measured.length,
    green: null,
    red: 0,
    struck: [...struck.values()].reduce((sum, count) => sum + count, 0),
    cause: [...struck].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null,
    elapsedSeconds: elapsed,
    leftSeconds: (left * elapsed) / Math.max(1, done),
  });
}

// ---------------------------------------------------------------- the result

type Finish = Pick<MatrixResult, "startedAt" | "interrupted" | "wallSeconds">;

/** What the runs have come to. Reads their files, so that it says what anybody can compute from them again. */
function resultOf(
  { points, plans, rounds, timings, tree }: PlannedMatrix,
  runs: readonly Pick<Measured, "plan" | "work">[],
  finish: Finish,
): MatrixResult {
  const read = runs.map(({ plan, work }, index) => readRun(plan, work, `${POINTS}/${index + 1}`, { rounds, timings }));
  const first = plans[0] as Plan;
  const environment = runs.map(({ plan, work }) => work.readEnvironment(plan)).find((found) => found !== null);
  if (environment === undefined || environment === null) throw new Error("matrix: no run has an environment");
  const statistics = new Map(
    first.cells.map(({ id }) => [id, lowest(read.map(({ states }) => states.get(id)?.pilot?.statistic ?? "p99"))]),
  );
  const [reference, ...others] = points as [Point, ...Point[]];
  const means = new Map(others.map((point, index) => [point.name, meansOf(read[index] as ReadRun, statistics)]));
  const effect = (mean: LogMean | null | undefined) => (mean ? effectOf(mean) : null);
  const measuredPoints: MatrixPoint[] = others.map((point, index) => ({
    name: point.name,
    levels: point.levels,
    directory: (read[index] as ReadRun).directory,
    cells: (read[index] as ReadRun).head.map((cell) => ({
      ...cell,
      statistic: statistics.get(cell.cell.id) ?? "p99",
      qps: effect(means.get(point.name)?.get(`${cell.cell.id} qps`)),
      latency: effect(means.get(point.name)?.get(`${cell.cell.id} latency`)),
    })),
  }));
  const besideOthers: MatrixPoint = {
    name: reference.name,
    levels: reference.levels,
    directory: others.length === 0 ? (read[0] as ReadRun).directory : null,
    cells: first.cells.map(({ id }) => {
      // Of a single point both arms are it.
      const arms = read.flatMap(({ base, head }) => (others.length === 0 ? [base, head] : [base]));
      const found = arms.flatMap((cells) => cells.find(({ cell }) => cell.id === id) ?? []);
      return { ...pooled(found), statistic: statistics.get(id) ?? "p99" };
    }),
  };
  const factors = Object.keys(reference.levels);
  const isFull = others.some(
    ({ levels }) => factors.filter((name) => levels[name] !== reference.levels[name]).length > 1,
  );
  const effects: MatrixEffect[] = !isFull
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
    design: isFull ? "full" : "one-at-a-time",
    rounds,
    machine: environment.machine,
    tools: environment.tools,
    layout: first.layout,
    points: [besideOthers, ...measuredPoints],
    effects,
    interrupted: finish.interrupted,
    wallSeconds: finish.wallSeconds,
  };
}

/** A run of a matrix as its files tell it. */
interface ReadRun {
  directory: string;
  states: ReadonlyMap<string, CellState>;
  base: Omit<MatrixCell, "qps" | "latency" | "statistic">[];
  head: Omit<MatrixCell, "qps" | "latency" | "statistic">[];
}

function readRun(
  plan: Plan,
  work: WorkDirectory,
  directory: string,
  { rounds, timings }: Pick<PlannedMatrix, "rounds" | "timings">,
): ReadRun {
  const { lines, damaged } = work.readSamples(plan);
  const census = work.readCensus(plan);
  const input = { plan, census, environment: work.readEnvironment(plan), lines, damaged };
  const comparison = compare(input);
  work.writeJson("comparison", comparison);
  const states = new Map(replay(plan, census, lines).cells.map((state) => [state.cell.id, state]));
  const failed = comparison.stop?.reason === "failed" ? comparison.stop.detail : null;
  const cells = (arm: "base" | "head") =>
    comparison.cells.map((result) => {
      const struck = Object.entries(result.struck).sort(([, a], [, b]) => b - a);
      const fewer =
        result.rounds < rounds && struck[0] !== undefined ? `${struck[0][0]} struck ${struck[0][1]} slots` : null;
      const counts =
        census?.scenarios.find(({ scenario }) => scenario === result.cell.scenario)?.arms[arm].counts ?? {};
      const slots = states.get(result.cell.id)?.rounds.map((round) => round[arm]) ?? [];
      return {
        cell: result.cell,
        rounds: result.rounds,
        struck: struck.reduce((sum, [, count]) => sum + count, 0),
        why: failed ?? result.reasons[0]?.text ?? fewer,
        figures: result.figures[arm],
        growthBytes: growthOf(slots),
        counts: Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count.perRequest])),
        ...(timings ? { phasesMs: medianPhases(slots.map(({ phasesMs }) => phasesMs)) } : {}),
      };
    });
  return {
    directory,
    states,
    base: cells("base"),
    head: cells("head"),
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
        [`${id} qps`, mean("qps")],
        [`${id} latency`, mean(statistics.get(id) ?? "p99")],
      ] as const;
    }),
  );
}

/** A cell of the reference, which every run has measured. */
function pooled(cells: readonly Omit<MatrixCell, "qps" | "latency" | "statistic">[]): Omit<MatrixCell, "statistic"> {
  const first = cells[0] as (typeof cells)[number];
  const figures = cells.flatMap((cell) => cell.figures ?? []);
  const growths = cells.flatMap(({ growthBytes }) => growthBytes ?? []);
  return {
    cell: first.cell,
    rounds: cells.reduce((sum, { rounds }) => sum + rounds, 0),
    struck: cells.reduce((sum, { struck }) => sum + struck, 0),
    why: figures.length > 0 ? null : (cells.find(({ why }) => why !== null)?.why ?? null),
    figures: figures.length > 0 ? medianFigures(figures) : null,
    growthBytes: growths.length > 0 ? median(growths) : null,
    counts: first.counts,
    ...(first.phasesMs === undefined
      ? {}
      : { phasesMs: medianPhases(cells.flatMap(({ phasesMs }) => phasesMs ?? [])) }),
    qps: null,
    latency: null,
  };
}

function medianFigures(all: readonly ArmFigures[]): ArmFigures {
  const mid = (pick: (figures: ArmFigures) => number) => median(all.map(pick));
  const known = (pick: (figures: ArmFigures) => number | null) => {
    const values = all.flatMap((figures) => pick(figures) ?? []);
    return values.length > 0 ? median(values) : null;
  };
  const total = (pick: (figures: ArmFigures) => number) => all.reduce((sum, figures) => sum + pick(figures), 0);
  return {
    slots: total(({ slots }) => slots),
    requests: total(({ requests }) => requests),
    qps: mid(({ qps }) => qps),
    latencyMs: {
      avg: mid(({ latencyMs }) => latencyMs.avg),
      p50: mid(({ latencyMs }) => latencyMs.p50),
      p90: mid(({ latencyMs }) => latencyMs.p90),
      p95: mid(({ latencyMs }) => latencyMs.p95),
      p99: mid(({ latencyMs }) => latencyMs.p99),
      max: mid(({ latencyMs }) => latencyMs.max),
    },
    cpuMsPerRequest: known(({ cpuMsPerRequest }) => cpuMsPerRequest),
    cpuPeakCores: known(({ cpuPeakCores }) => cpuPeakCores),
    memoryBytes: known(({ memoryBytes }) => memoryBytes),
    throttledPeriods: total(({ throttledPeriods }) => throttledPeriods),
    timeWait: mid(({ timeWait }) => timeWait),
    errors: total(({ errors }) => errors),
    failedChecks: total(({ failedChecks }) => failedChecks),
    maxMs: Math.max(...all.map(({ maxMs }) => maxMs)),
  };
}

/** The percentile that every point has enough requests for. */
function lowest(statistics: readonly LatencyStatistic[]): LatencyStatistic {
  return (["p90", "p95"] as const).find((candidate) => statistics.includes(candidate)) ?? "p99";
}

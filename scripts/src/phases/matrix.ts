import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { expectedSeconds } from "../core/budget.ts";
import { InputError, MeasureError } from "../core/errors.ts";
import { configOf, type MatrixResult, type Point, pointsOf } from "../core/matrix.ts";
import type { ArmSource, MatrixConfig, PilotCell, Plan } from "../core/model.ts";
import { nginxMisfit } from "../core/nginx.ts";
import { beforePilot, buildPlan } from "../core/plan.ts";
import { differingSettings, ownOf } from "../core/variants.ts";
import type { Rig } from "../measure/block.ts";
import { renderMatrixCsv, renderMatrixMarkdown } from "../report/matrix.ts";
import { fromPath } from "./arms.ts";
import { drawWith } from "./charts.ts";
import { checkVariant, chooseDriver, wantedDriver } from "./driver.ts";
import { layoutFor } from "./machine.ts";
import { matrixResult } from "./matrix-result.ts";
import { beginRun, type Context, type Measuring, measureBlock, onMachine, startRig, struckOf } from "./measure.ts";
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
  design: MatrixConfig["design"];
  /** As in MatrixConfig. */
  timings: boolean;
  tree: ArmSource;
}

/** Blocks of a point, as a multiple of the rounds that are wanted, after which it keeps what it has. */
const MOST_BLOCKS = 2;
/** Charts of a matrix, by kind, with their titles. */
const CHARTS = new Map([
  ["matrix-qps", "QPS over load"],
  ["matrix-change", "Change of QPS against the reference"],
  ["matrix-stages", "What each stage adds to the one before"],
]);

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
  return { points, plans, rounds, design: matrix.design, timings: matrix.timings ?? false, tree };
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

/** One run of a matrix: a point beside the reference. */
export interface MatrixRun {
  plan: Plan;
  work: WorkDirectory;
}

/** While it is measured. */
interface Measured extends Measuring {
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
  const { driver } = planned.plans[0] as Plan;
  await onMachine(driver, work, { home, progress, signal }, (context) => measureAll(runs, planned, context));
  const result = matrixResult(planned, runs, {
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

async function measureAll(runs: readonly MatrixRun[], { rounds }: PlannedMatrix, context: Context): Promise<void> {
  const { progress, signal } = context;
  const started = performance.now();
  const rigs: Rig[] = [];
  const measured: Measured[] = [];
  try {
    for (const [index, { plan, work }] of runs.entries()) {
      progress.step(`starting ${index + 1} of ${runs.length}: ${plan.arms.head.label}`);
      const rig = await startRig(plan, work, context);
      rigs.push(rig);
      measured.push({ ...(await beginRun(rig, work, new SampleLog(work, plan, []), progress)), failed: null });
    }
    const loadStarted = performance.now();
    for (let round = 0; ; round++) {
      const open = measured.filter((one) => cellsToMeasure(one, rounds).length > 0);
      if (open.length === 0) break;
      for (const one of shuffled(open)) await measureOrGiveUp(one, cellsToMeasure(one, rounds), progress);
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
    for (const { target } of rigs) await target.close();
  }
}

/** The cells of a run that still need rounds; none where it was given up. */
function cellsToMeasure({ run, pilots, failed }: Measured, rounds: number): PilotCell[] {
  if (failed !== null || run.blocks >= MOST_BLOCKS * rounds) return [];
  const left = run.cells.filter((state) => state.status === "judged" && state.rounds.length < rounds);
  return left.flatMap(({ cell }) => pilots.get(cell.id) ?? []);
}

/** One block of one run. One that dies leaves the others alone. */
async function measureOrGiveUp(one: Measured, cells: readonly PilotCell[], progress: Progress): Promise<void> {
  const { plan, signal } = one.rig;
  try {
    await measureBlock(one, cells, "main", progress);
  } catch (error) {
    if (signal.aborted || !(error instanceof MeasureError)) throw error;
    one.failed = error.message;
    progress.warn(`${plan.arms.head.label} was given up: ${one.failed}`);
  }
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
  const left = open.reduce((sum, one) => sum + blocksLeft(one, rounds), 0);
  const done = measured.reduce((sum, { run }) => sum + run.blocks, 0);
  progress.block({
    stage: "main",
    block: round,
    open: open.length,
    tests: measured.length,
    green: null,
    red: 0,
    ...struckOf(measured.flatMap(({ run }) => run.cells)),
    elapsedSeconds: elapsed,
    leftSeconds: (left * elapsed) / Math.max(1, done),
  });
}

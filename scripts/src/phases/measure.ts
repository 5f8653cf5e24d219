import { blockSeconds, expectedBlocks, undecided } from "../core/budget.ts";
import { environmentWarnings } from "../core/environment.ts";
import { MeasureError } from "../core/errors.ts";
import { K6_VERSION } from "../core/k6.ts";
import type {
  BlockTimes,
  Census,
  DriverName,
  Environment,
  PilotCell,
  Plan,
  RunStage,
  SampleLine,
  StopReason,
} from "../core/model.ts";
import { afterPilot } from "../core/plan.ts";
import { begin, type CellState, liveTests, next, type Run, take } from "../core/replay.ts";
import { type Rig, runBlock, runPilot } from "../measure/block.ts";
import { takeCensus } from "../measure/census.ts";
import { findK6 } from "../measure/k6.ts";
import { startTarget } from "../target/start.ts";
import type { Target } from "../target/target.ts";
import { checkOut, treesOf } from "./arms.ts";
import { LOCK_WAIT, lockMachine } from "./lock.ts";
import { machineFacts } from "./machine.ts";
import { nextStep, type Stop } from "./measure-step.ts";
import { OVERHEAD } from "./plan.ts";
import { type Progress, warningOnce } from "./progress.ts";
import { SampleLog } from "./sample-log.ts";
import type { WorkDirectory } from "./work-directory.ts";

/** Blocks in a row that brought no sample before measuring is given up. */
const BARREN_BLOCKS = 3;
const OUTPUT_FAILED =
  "k6 could not send to `measure.outputs`: does what K6_PROMETHEUS_RW_SERVER_URL names take remote writes? " +
  "Measuring goes on";

/**
 * The measure phase: starts both arms, takes the census, then measures block by block until every test is decided, the
 * cap or the budget is reached. Writes environment.json, census.json, and appends to samples.ndjson after every block.
 * Continues a run that was interrupted. Whatever happens, everything it started is gone when it returns.
 *
 * @returns why measuring stopped
 */
export async function measurePhase(
  work: WorkDirectory,
  home: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<StopReason> {
  const plan = work.readPlan();
  const earlier = work.readSamples(plan);
  for (const line of earlier.damaged) progress.warn(`${work.samplesFile}: ${line}; it is not used`);
  const finished = earlier.lines.findLast((line) => line.kind === "stop");
  if (finished !== undefined && (finished.reason === "decided" || finished.reason === "cap")) {
    progress.step(`already measured (${finished.reason}): ${work.samplesFile}; run \`perf-gate plan\` for a new run`);
    return finished.reason;
  }
  return await onMachine(plan.driver, work, { home, progress, signal }, (context) =>
    measureLocked(plan, work, context, earlier.lines),
  );
}

/** Finds k6, then has the machine to itself while `action` measures. The same warning is told once. */
export async function onMachine<T>(
  driver: DriverName,
  work: WorkDirectory,
  { home, progress, signal }: Omit<Context, "k6">,
  action: (context: Context) => Promise<T>,
): Promise<T> {
  const k6 = findK6();
  // With containers, k6 may turn out to be one too.
  await k6.catch((error: Error) => {
    if (driver !== "compose") throw error;
  });
  const unlock = await lockMachine(work.path, signal, LOCK_WAIT, progress.step);
  try {
    return await action({ home, k6, progress: warningOnce(progress), signal });
  } finally {
    unlock();
  }
}

export interface Context {
  home: string;
  /** Path of k6 on this host; rejects where there is none. */
  k6: Promise<string>;
  progress: Progress;
  signal: AbortSignal;
}

async function measureLocked(
  plan: Plan,
  work: WorkDirectory,
  context: Context,
  earlier: readonly SampleLine[],
): Promise<StopReason> {
  const { progress, signal } = context;
  const started = performance.now();
  const removeTrees = await checkOut(treesOf(plan), plan.config.target.copy, progress.warn);
  let rig: Rig | null = null;
  const log = new SampleLog(work, plan, earlier);
  try {
    rig = await startRig(plan, work, context);
    const { reason, detail } = await measureAll(rig, work, log, progress, started);
    log.add([{ kind: "stop", reason, detail, wallSeconds: since(started) }]);
    return reason;
  } catch (error) {
    const stopped = signal.aborted ? "interrupted" : "failed";
    const detail = signal.aborted ? null : (error as Error).message.slice(0, 5000);
    if (log.begun) tryQuietly(() => log.add([{ kind: "stop", reason: stopped, detail, wallSeconds: since(started) }]));
    if (signal.aborted) return "interrupted";
    throw error;
  } finally {
    progress.done();
    await rig?.target.close();
    await removeTrees();
  }
}

/** Starts both arms and describes what they run in: environment.json. */
export async function startRig(plan: Plan, work: WorkDirectory, { home, k6, progress, signal }: Context): Promise<Rig> {
  const target = await startTarget({ plan, home, workDirectory: work.path, progress: progress.step, signal });
  try {
    const environment = await describeEnvironment(plan, target);
    for (const warning of environment.warnings) progress.warn(warning);
    work.writeJson("environment", environment);
    const stateDirectory = work.directory("state");
    return { plan, target, k6: target.generator ?? (await k6), home, stateDirectory, signal };
  } catch (error) {
    await target.close();
    throw error;
  }
}

async function measureAll(
  rig: Rig,
  work: WorkDirectory,
  log: SampleLog,
  progress: Progress,
  started: number,
): Promise<Stop> {
  const measuring = await beginRun(rig, work, log, progress);
  const { run, pilots } = measuring;
  let overhead = OVERHEAD.block;
  for (;;) {
    const step = nextStep(run, pilots, overhead, since(started));
    if (step.kind === "stop") return step;
    if (step.kind === "confirm") {
      progress.step(`looks slower: confirming ${step.tests.length} of ${step.flagged} on fresh replicas`);
      takeIn(measuring, [{ kind: "confirm", tests: step.tests }]);
      continue;
    }
    const times = await measureBlock(measuring, step.cells, step.stage, progress);
    overhead = times.total - blockSeconds(step.cells, 0);
    report(progress, run, step.stage, pilots, overhead, since(started));
  }
}

/** A run while it is measured. */
export interface Measuring {
  work: WorkDirectory;
  rig: Rig;
  log: SampleLog;
  run: Run;
  /** By cell. */
  pilots: ReadonlyMap<string, PilotCell>;
  /** Blocks in a row that brought no request. */
  barren: number;
}

/** Takes the census and the pilot, each unless an earlier part of the run has: census.json, and a line of samples. */
export async function beginRun(rig: Rig, work: WorkDirectory, log: SampleLog, progress: Progress): Promise<Measuring> {
  const census = await censusOf(rig, work, progress);
  const pilots = await pilotOf(rig, census, log, progress);
  const run = begin(rig.plan, census, [...pilots.values()]);
  for (const line of log.lines) take(run, line);
  return { work, rig, log, run, pilots, barren: 0 };
}

/**
 * Measures one block of a run, writes it down and takes it in. One that an interruption cut short keeps what it did
 * measure.
 *
 * @throws MeasureError where blocks in a row brought no request; the signal's reason where it was interrupted
 */
export async function measureBlock(
  measuring: Measuring,
  cells: readonly PilotCell[],
  stage: RunStage,
  progress: Progress,
): Promise<BlockTimes> {
  const { work, rig, run } = measuring;
  const { samples, yardstickMs, times, outputFailed } = await runBlock(rig, cells, stage, run.blocks);
  if (outputFailed) progress.warn(OUTPUT_FAILED);
  const block = { kind: "block" as const, stage, block: run.blocks, yardstickMs, times };
  // A block that was cut short has no line of its own.
  takeIn(measuring, rig.signal.aborted ? samples : [...samples, block]);
  rig.signal.throwIfAborted();
  measuring.barren = samples.some(({ requests }) => requests > 0) ? 0 : measuring.barren + 1;
  if (measuring.barren >= BARREN_BLOCKS) {
    throw new MeasureError(
      `${measuring.barren} blocks in a row brought no request: k6 or both arms keep dying; ` +
        `logs are in ${work.file("logs")}`,
    );
  }
  return times;
}

function takeIn({ log, run }: Measuring, lines: readonly SampleLine[]): void {
  log.add(lines);
  for (const line of lines) take(run, line);
}

/** The census of an earlier part of this run, or a new one. Throws where no scenario works in either arm. */
async function censusOf(rig: Rig, work: WorkDirectory, progress: Progress): Promise<Census> {
  const census = work.readCensus(rig.plan) ?? (await takeCensus(rig, progress.step));
  work.writeJson("census", census);
  const [first] = census.scenarios;
  if (census.scenarios.every(({ arms }) => arms.base.failedShare === 1 && arms.head.failedShare === 1)) {
    throw new MeasureError(
      `no scenario passes its checks, in neither arm (${first?.scenario}: the base answers ${first?.arms.base.statuses.join(", ") || "nothing"}): ` +
        "look at its path, `target.host` and `checks`",
    );
  }
  return census;
}

/** What the pilot settled, from an earlier part of this run or measured now. */
async function pilotOf(
  rig: Rig,
  census: Census,
  log: SampleLog,
  progress: Progress,
): Promise<ReadonlyMap<string, PilotCell>> {
  const earlier = pilotsOf(log.lines);
  if (earlier.size > 0) return earlier;
  if (begin(rig.plan, census, []).cells.every((state) => state.status !== "judged")) return earlier;
  progress.step(`pilot: how fast ${rig.plan.own === undefined ? "is the base" : "are both"}?`);
  const before = performance.now();
  const found = await runPilot(rig);
  rig.signal.throwIfAborted();
  const cells = found.map(({ cell, qps, p99Ms }) => afterPilot(rig.plan, cell, qps, p99Ms));
  log.add([{ kind: "pilot", cells, seconds: since(before) }]);
  return pilotsOf(log.lines);
}

function pilotsOf(lines: readonly SampleLine[]): Map<string, PilotCell> {
  return new Map(
    lines.flatMap((line) => (line.kind === "pilot" ? line.cells.map((cell) => [cell.cell, cell] as const) : [])),
  );
}

function report(
  progress: Progress,
  run: Run,
  stage: RunStage,
  pilots: ReadonlyMap<string, PilotCell>,
  overhead: number,
  elapsedSeconds: number,
): void {
  const tests = run.confirmation?.tests ?? liveTests(run);
  const step = next(run);
  const cells = step.kind === "measure" ? step.cells.flatMap((cell) => pilots.get(cell) ?? []) : [];
  const { stored, config } = run.plan;
  const { budgetSeconds } = config.measure;
  const judged = run.cells.filter(({ status }) => status === "judged").length;
  const left = step.kind === "measure" ? expectedBlocks(run) * blockSeconds(cells, overhead) : 0;
  progress.block({
    stage,
    block: run.blocks - 1,
    open: stored === undefined ? undecided(run).length : cells.length,
    tests: stored === undefined ? tests.length : judged,
    green: stored === undefined ? tests.filter((test) => test.verdict === "pass").length : null,
    red: tests.filter((test) => test.verdict === "regression").length,
    ...struckOf(run.cells),
    elapsedSeconds,
    leftSeconds: Math.max(0, Math.min(left, budgetSeconds - elapsedSeconds)),
  });
}

/** Struck slots of these cells, and their most frequent cause. */
export function struckOf(cells: readonly CellState[]): { struck: number; cause: string | null } {
  const causes = new Map<string, number>();
  for (const state of cells) for (const [cause, n] of state.struck) causes.set(cause, (causes.get(cause) ?? 0) + n);
  return {
    struck: [...causes.values()].reduce((sum, n) => sum + n, 0),
    cause: [...causes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null,
  };
}

/** What a run was measured on and with; asks PHP of both arms. */
async function describeEnvironment(plan: Plan, target: Target): Promise<Environment> {
  const php = { base: await target.php("base"), head: await target.php("head") };
  return {
    version: 1,
    planId: plan.id,
    startedAt: new Date().toISOString(),
    machine: machineFacts(),
    tools: { node: process.versions.node, k6: K6_VERSION, ...(await target.versions()) },
    php,
    warnings: [...environmentWarnings(plan, php), ...target.warnings],
  };
}

function tryQuietly(action: () => void): void {
  try {
    action();
  } catch {
    // the first error is the one to tell
  }
}

function since(start: number): number {
  return (performance.now() - start) / 1000;
}

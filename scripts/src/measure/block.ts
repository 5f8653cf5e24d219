import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { askedOf, connectionOf, perArm, targetOf } from "../core/arms.ts";
import { MeasureError } from "../core/errors.ts";
import { mixOrder } from "../core/mix.ts";
import {
  ARMS,
  type Arm,
  type BlockTimes,
  type Cell,
  type PilotCell,
  type Plan,
  type RunStage,
  type Scenario,
  type SlotEvent,
  type SlotSample,
  type Witness,
} from "../core/model.ts";
import { OPEN_PILOT_VUS, plateauOf } from "../core/plan.ts";
import { type ScheduledSlot, type Stretch, scheduleBlock } from "../core/schedule.ts";
import { SLOWEST } from "../core/slowest.ts";
import type { Generator, Target } from "../target/target.ts";
import type { BlockSpec, SlotResult, SlotSpec } from "./block-spec.ts";
import { startK6 } from "./k6.ts";
import { Sampler, type Seen, type Turn } from "./sampler.ts";

/** What every block of a run needs. */
export interface Rig {
  plan: Plan;
  target: Target;
  /** Path of k6, or what runs it elsewhere. */
  k6: string | Generator;
  /** Repository root: k6/ and scripts/dist/ are below it. */
  home: string;
  /** For the files that k6 reads and writes. */
  stateDirectory: string;
  signal: AbortSignal;
}

export interface BlockResult {
  samples: SlotSample[];
  yardstickMs: number;
  times: BlockTimes;
  /** Whether an output of k6 could not send. */
  outputFailed: boolean;
}

/** Time after a stretch, as a share of its gap, at which its last requests are cut off. */
const GRACEFUL_SHARE = 0.6;
/** Pause between the warm-up and the first slot, s. */
const WARM_UP_GAP = 0.3;
/** The pilot only learns rates: short slots after a short warm-up, s. */
const PILOT_SLOT = 1;
const PILOT_WARM_UP = 1;
/** Least time from the beginning of k6's scenarios to a step: yardstick and first readings must be over, s. */
const STEP_LEAD = 0.7;

/**
 * One block: fresh replicas of both arms, warm-up, one round of every cell given, in one k6 process.
 * Slots that an interruption cut short are left out.
 */
export async function runBlock(
  rig: Rig,
  cells: readonly PilotCell[],
  stage: RunStage,
  block: number,
): Promise<BlockResult> {
  const started = performance.now();
  await rig.target.restart();
  const restart = since(started);
  const { warmUpSeconds } = rig.plan.config.measure;
  const schedule = scheduleBlock(rig.plan.seed, block, cells, warmUpSeconds + WARM_UP_GAP);
  const { slots, k6Start, yardstickMs, outputFailed } = await drive(rig, schedule, warmUpSeconds, block);
  const load = slots.reduce((sum, { slot }) => sum + lengthOf(slot), 0);
  return {
    samples: slots.map((measured) => toSample(rig.plan, measured, stage, block)),
    yardstickMs,
    times: { restart, k6Start, warmUp: warmUpSeconds, load, total: since(started) },
    outputFailed,
  };
}

/**
 * One short slot for every cell, closed whatever its model, to learn its rate: of the base, and where an arm has a
 * configuration of its own of both. Then the slower one counts: slots have to be long enough for both.
 */
export async function runPilot(rig: Rig): Promise<{ cell: Cell; qps: number; p99Ms: number | null }[]> {
  const arms: readonly Arm[] = rig.plan.own === undefined ? ["base"] : ARMS;
  let startSeconds = PILOT_WARM_UP + WARM_UP_GAP;
  const schedule = rig.plan.cells.flatMap((cell) =>
    arms.map((arm, order): PilotSlot => {
      const stretches = [{ startSeconds, seconds: PILOT_SLOT }];
      startSeconds += PILOT_SLOT + WARM_UP_GAP;
      return { cell: cell.id, arm, order, stretches, gapSeconds: WARM_UP_GAP, rate: null, pilot: true };
    }),
  );
  const { slots } = await drive(rig, schedule, PILOT_WARM_UP, null);
  return rig.plan.cells.map((cell) => {
    const results = slots.filter(({ slot }) => slot.cell === cell.id).map(({ result }) => result ?? EMPTY);
    const p99s = results.flatMap(({ latencyMs }) => latencyMs?.p99 ?? []);
    return {
      cell,
      qps: results.length === 0 ? 0 : Math.min(...results.map(({ requests }) => requests)) / PILOT_SLOT,
      p99Ms: p99s.length === 0 ? null : Math.max(...p99s),
    };
  });
}

/** A rate at which one arm is loaded. */
export interface Step {
  /** Of an open cell. */
  cell: string;
  arm: Arm;
  /** Requests/s, or runs of a flow. */
  rate: number;
  seconds: number;
  /** Time after it in which its last requests may finish. */
  gapSeconds: number;
  /** 0 = none. */
  warmUpSeconds: number;
}

/** One step in a k6 process of its own, on the replicas there are; null where an interruption cut it short. */
export async function runStep(rig: Rig, step: Step, block: number): Promise<SlotSample | null> {
  const { cell, arm, rate, seconds, gapSeconds, warmUpSeconds } = step;
  const startSeconds = Math.max(STEP_LEAD, warmUpSeconds) + WARM_UP_GAP;
  const slot: ScheduledSlot = { cell, arm, order: 0, stretches: [{ startSeconds, seconds }], gapSeconds, rate };
  const { slots } = await drive(rig, [slot], warmUpSeconds, block);
  const [measured] = slots;
  return measured === undefined ? null : toSample(rig.plan, measured, "main", block);
}

/** A slot of the pilot is a closed one on its whole length. */
type PilotSlot = ScheduledSlot & { pilot: true };
type AnySlot = ScheduledSlot | PilotSlot;

/** What was seen of a slot while it ran. */
interface WatchedSlot {
  slot: AnySlot;
  startedAt: number;
  witness: Witness | null;
  portErrors: number;
  events: Set<SlotEvent>;
}

type MeasuredSlot = WatchedSlot & { result: SlotResult | null };

const EMPTY: SlotResult = {
  requests: 0,
  vuSeconds: 0,
  latencyMs: null,
  phasesMs: { connect: 0, tls: 0, wait: 0, receive: 0 },
  errors: 0,
  failedChecks: 0,
  droppedIterations: 0,
  bytesReceived: 0,
  portErrors: 0,
};

/** Runs one k6 process over the schedule, watching every slot as it passes; `block` is null for the pilot. */
async function drive(
  rig: Rig,
  schedule: readonly AnySlot[],
  warmUpSeconds: number,
  block: number | null,
): Promise<{ slots: MeasuredSlot[]; k6Start: number; yardstickMs: number; outputFailed: boolean }> {
  const { plan, target, signal } = rig;
  const launched = performance.now();
  const spec = buildSpec(rig, schedule, warmUpSeconds, block);
  const k6 = startK6(rig, spec, pinned(plan, plan.layout.generator));
  const onAbort = () => k6.interrupt();
  signal.addEventListener("abort", onAbort);
  try {
    // The target's cores are idle while k6 starts on its own.
    const yardstick = runYardstick(rig);
    const [begunAt, yardstickMs] = await Promise.all([k6.begun, yardstick]);
    const sampler = new Sampler(target, await k6.process(), plan.layout);
    await sampler.begin();
    const k6Start = since(launched);
    // The monotonic clock, set to the moment at which k6 began.
    const zero = performance.now() / 1000 - (Date.now() - begunAt) / 1000;
    const dead = { k6: false };
    void k6.results.then(() => {
      dead.k6 = true;
    });

    const watched: WatchedSlot[] = [];
    for (const round of roundsOf(schedule)) {
      const turns = turnsOf(plan, round, zero);
      await sleepUntil(turns[0]?.at ?? 0);
      if (signal.aborted) break;
      const startedAt = Date.now();
      const { gapSeconds } = round[0] as AnySlot;
      const settle = Math.min(gapSeconds * 0.75, gapSeconds * GRACEFUL_SHARE + 0.02);
      const gone = dead.k6;
      const seen = gone ? UNSEEN : await sampler.watch(turns, sleepUntil, settle, signal);
      if (seen === null) break;
      for (const slot of round) {
        const { witness, portErrors, oomKilled } = seen[slot.arm];
        const events = new Set<SlotEvent>();
        if (gone) events.add("k6-died");
        if (oomKilled) events.add("oom-killed");
        if (!target.alive(slot.arm)) events.add("target-restarted");
        watched.push({ slot, startedAt, witness, portErrors, events });
      }
    }
    const results = await k6.results;
    const slots = watched.map((slot): MeasuredSlot => {
      if (results === null) return { ...slot, result: null, events: new Set(["k6-died"]) };
      return { ...slot, result: results[schedule.indexOf(slot.slot)] ?? null };
    });
    return { slots, k6Start, yardstickMs, outputFailed: k6.outputFailed() };
  } finally {
    signal.removeEventListener("abort", onAbort);
    await k6.close();
  }
}

const UNSEEN: Record<Arm, Seen> = {
  base: { witness: null, portErrors: 0, oomKilled: false },
  head: { witness: null, portErrors: 0, oomKilled: false },
};

/** The slots of each round together: two, or one of the pilot. */
function roundsOf(schedule: readonly AnySlot[]): AnySlot[][] {
  const rounds: AnySlot[][] = [];
  for (const slot of schedule) {
    if (rounds.at(-1)?.[0]?.cell === slot.cell) rounds.at(-1)?.push(slot);
    else rounds.push([slot]);
  }
  return rounds;
}

/** The judged part of everything that a round does, in order of time; `zero` is its clock's start, s. */
function turnsOf(plan: Plan, round: readonly AnySlot[], zero: number): Turn[] {
  return round
    .flatMap((slot) =>
      slot.stretches.map((stretch) => {
        const { from, seconds } = judgedPart(plan, slot, stretch);
        return { arm: slot.arm, at: zero + stretch.startSeconds + from, seconds };
      }),
    )
    .sort((a, b) => a.at - b.at);
}

const lengthOf = ({ stretches }: AnySlot): number => stretches.reduce((sum, { seconds }) => sum + seconds, 0);

function toSample(plan: Plan, measured: MeasuredSlot, stage: RunStage, block: number): SlotSample {
  const { slot, result } = measured;
  const found = result ?? EMPTY;
  const { vuSeconds, ...counted } = found;
  const judged = slot.stretches.reduce((sum, stretch) => sum + judgedPart(plan, slot, stretch).seconds, 0);
  // Closed: each VU is busy a little longer than its turns, until its last request is answered.
  const seconds = vuSeconds > 0 ? vuSeconds / vusOf(plan, slot) : judged;
  return {
    kind: "slot",
    stage,
    block,
    cell: slot.cell,
    arm: slot.arm,
    order: slot.order,
    startedAt: measured.startedAt,
    seconds,
    ...counted,
    qps: counted.requests / seconds,
    portErrors: counted.portErrors + measured.portErrors,
    witness: measured.witness,
    events: [...measured.events],
  };
}

function buildSpec(rig: Rig, schedule: readonly AnySlot[], warmUpSeconds: number, block: number | null): BlockSpec {
  const { plan } = rig;
  const { trace, outputs } = plan.config.measure;
  // The pilot is no round of anything.
  const sent = outputs === undefined || block === null ? null : { outputs, round: String(block) };
  const subjects = subjectsOf(
    rig,
    schedule.map(({ cell }) => scenarioOf(plan, cell)),
    block ?? 0,
  );
  return {
    ...subjects,
    warmUp: {
      seconds: warmUpSeconds,
      gracefulSeconds: WARM_UP_GAP * GRACEFUL_SHARE,
      vus: perArm((arm) => targetOf(plan, arm).php.workers),
      scenarios: Object.keys(subjects.scenarios),
    },
    slots: roundsOf(schedule).flatMap((slots, round) =>
      slots.map((slot) => ({
        ...slotSpec(plan, slot, round),
        ...(sent === null ? {} : { tags: { arm: slot.arm, cell: slot.cell, round: sent.round } }),
      })),
    ),
    ...(trace === undefined ? {} : { trace: { slowest: SLOWEST } }),
    ...(sent === null ? {} : { outputs: sent.outputs }),
  };
}

/**
 * Who is asked, and what.
 *
 * @param scenarios each may be given more than once
 */
export function subjectsOf(
  { plan, target }: Rig,
  scenarios: readonly Scenario[],
  block: number,
): Pick<BlockSpec, "arms" | "scenarios" | "selfSigned"> {
  const subject = (scenario: Scenario): BlockSpec["scenarios"][string] => ({
    connection: perArm((arm) => connectionOf(plan, scenario, arm)),
    asked: perArm((arm) => askedOf(plan, scenario, arm)),
    ...(scenario.work.kind === "mix"
      ? {
          order: mixOrder(
            scenario.work.entries.map(({ weight }) => weight),
            block,
          ),
        }
      : {}),
  });
  return {
    arms: perArm((arm) => ({ url: target.url(arm), host: target.host(arm) })),
    ...(ARMS.some((arm) => targetOf(plan, arm).nginx.tls) ? { selfSigned: true } : {}),
    scenarios: Object.fromEntries([...new Set(scenarios)].map((scenario) => [scenario.name, subject(scenario)])),
  };
}

function slotSpec(plan: Plan, slot: AnySlot, round: number): SlotSpec {
  const { name, load } = scenarioOf(plan, slot.cell);
  const common = {
    arm: slot.arm,
    scenario: name,
    round,
    stretches: slot.stretches,
    gracefulSeconds: slot.gapSeconds * GRACEFUL_SHARE,
    vus: vusOf(plan, slot),
    rate: null,
    stages: null,
    counted: null,
    iterations: null,
  };
  if (load.model === "open" && !("pilot" in slot)) return { ...common, rate: slot.rate ?? levelOf(plan, slot) };
  if (load.model === "ramp" && !("pilot" in slot)) {
    return { ...common, stages: load.stages, counted: plateauOf(load.stages) };
  }
  return common;
}

/** VUs of a closed slot, most VUs of an open one. */
function vusOf(plan: Plan, slot: AnySlot): number {
  const { load } = scenarioOf(plan, slot.cell);
  if (load.model !== "open") return levelOf(plan, slot);
  return "pilot" in slot ? Math.min(OPEN_PILOT_VUS, load.maxVus) : load.maxVus;
}

function levelOf(plan: Plan, slot: AnySlot): number {
  return plan.cells.find((cell) => cell.id === slot.cell)?.level ?? OPEN_PILOT_VUS;
}

/** The part of a stretch that is judged, s from its start: all of it, or the plateau of a ramp. */
function judgedPart(plan: Plan, slot: AnySlot, { seconds }: Stretch): { from: number; seconds: number } {
  const { load } = scenarioOf(plan, slot.cell);
  if (load.model !== "ramp" || "pilot" in slot) return { from: 0, seconds };
  const { fromSeconds, toSeconds } = plateauOf(load.stages);
  return { from: fromSeconds, seconds: toSeconds - fromSeconds };
}

function scenarioOf(plan: Plan, cellId: string): Scenario {
  const name = plan.cells.find((cell) => cell.id === cellId)?.scenario;
  const scenario = plan.config.scenarios.find((candidate) => candidate.name === name);
  if (scenario === undefined) throw new Error(`plan: no scenario for cell ${cellId}`);
  return scenario;
}

function pinned(plan: Plan, cpus: number[]): number[] | null {
  return plan.config.measure.isolation === "off" ? null : cpus;
}

async function runYardstick(rig: Rig): Promise<number> {
  const script = join(rig.home, "scripts", "dist", "yardstick.js");
  const cpus = pinned(rig.plan, rig.plan.layout.target);
  const command = [...(cpus === null ? [] : ["taskset", "-c", cpus.join(",")]), process.execPath, script];
  const [program = "", ...args] = command;
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: 30_000 });
    return (JSON.parse(stdout) as { cpuMs: number }).cpuMs;
  } catch (error) {
    throw new MeasureError(`the yardstick did not run (${command.join(" ")}): ${(error as Error).message}`);
  }
}

async function sleepUntil(at: number): Promise<void> {
  const left = at * 1000 - performance.now();
  if (left > 0) await sleep(left);
}

function since(start: number): number {
  return (performance.now() - start) / 1000;
}

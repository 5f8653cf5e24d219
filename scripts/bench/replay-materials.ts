import { blockSeconds } from "../src/core/budget.ts";
import type { Arm, LatencyStatistic, PilotCell, Plan, SlotSample, Witness } from "../src/core/model.ts";
import { FIRST_LOOK } from "../src/core/replay.ts";
import { median } from "../src/core/stats/robust.ts";
import { measuredValue } from "../src/core/test-state.ts";
import { strikeReason } from "../src/core/validity.ts";
import type { RecordedBlock, Recording } from "./recording.ts";

/** What simulated runs are made of: the recorded blocks of one head, and what they are judged by. */
export interface Material {
  plan: Plan;
  cells: readonly PilotCell[];
  blocks: readonly RecordedBlock[];
  /** Recorded blocks that a draw keeps together. */
  span: number;
  firstLook: number;
  /** Whether there is a test over all cells. */
  overall: boolean;
}

/** A head's next block comes after those of all heads, about a minute later: minutes stay together. Our choice. */
const SPAN = 4;

/** Ways to replay the blocks of a head. */
export const VARIANTS = {
  recorded: (material: Material) => material,
  "first look 4": (material: Material) => ({ ...material, firstLook: 4 }),
  "first look 5": (material: Material) => ({ ...material, firstLook: 5 }),
  "no foreign-load check": unchecked,
  "slow blocks struck": yardstick,
  "median on the line": (material: Material) => onTheLine(material, median),
  "mean on the line": (material: Material) => onTheLine(material, mean),
  "CPU time": cpuTime,
  "CPU time, no foreign-load check": (material: Material) => cpuTime(unchecked(material)),
  "6 rounds": qpsAlone,
  "6 rounds of twice the length": (material: Material) => qpsAlone(merged(material)),
  "12 rounds": (material: Material) => {
    const { plan, ...rest } = qpsAlone(material);
    const measure = { ...plan.config.measure, maxRounds: 2 * plan.config.measure.maxRounds };
    return { ...rest, plan: { ...plan, config: { ...plan.config, measure } }, firstLook: 12 };
  },
} satisfies Record<string, (material: Material) => Material>;
export type Variant = keyof typeof VARIANTS;

/** The blocks of one head of a recording, as the program would judge them. */
export function materialOf({ header, blocks }: Recording, head: string): Material {
  const { plan, cells } = header;
  return { plan, cells, blocks: blocks.get(head) ?? [], span: SPAN, firstLook: FIRST_LOOK, overall: true };
}

/** What one cell's gated latency is. */
export function statisticOf({ cells }: Material, cell: string): LatencyStatistic {
  return cells.find((pilot) => pilot.cell === cell)?.statistic ?? "p99";
}

/** The two slots of a cell in a block. */
export function roundOf(block: RecordedBlock, cell: string): Record<Arm, SlotSample> {
  const slotOf = (arm: Arm) => block.slots.find((slot) => slot.cell === cell && slot.arm === arm) as SlotSample;
  return { base: slotOf("base"), head: slotOf("head") };
}

/** The rounds of a cell that the program would count. */
export function cleanRounds({ plan, blocks }: Material, cell: string): Record<Arm, SlotSample>[] {
  const sound = (slot: SlotSample, other: SlotSample) =>
    strikeReason(slot, other, plan.config.measure, plan.layout) === null;
  return blocks.map((block) => roundOf(block, cell)).filter(({ base, head }) => sound(base, head) && sound(head, base));
}

/** ln(head/base) of each round. */
export function logRatios(rounds: readonly Record<Arm, SlotSample>[], value: (slot: SlotSample) => number): number[] {
  return rounds.map(({ base, head }) => Math.log(value(head) / value(base)));
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Nothing is struck for what others take of our cores. */
function unchecked(material: Material): Material {
  const { plan } = material;
  const measure = { ...plan.config.measure, maxForeignCores: null };
  return { ...material, plan: { ...plan, config: { ...plan.config, measure } } };
}

/** Share by which a block's yardstick may be slower than that of the recording's median block; our choice. */
const SLOW = 0.1;

/** Blocks in which the service's core was slow, as the yardstick tells before the load, count for nothing. */
function yardstick(material: Material): Material {
  const limit = (1 + SLOW) * median(material.blocks.map(({ yardstickMs }) => yardstickMs));
  const blocks = material.blocks.map((block) =>
    // As if k6 had died: no fault of either arm.
    block.yardstickMs <= limit
      ? block
      : { ...block, slots: block.slots.map((slot) => ({ ...slot, events: ["k6-died" as const] })) },
  );
  return { ...material, blocks };
}

/** QPS is the only metric, each cell is alone. */
function qpsAlone(material: Material): Material {
  const { plan } = material;
  const scenarios = plan.config.scenarios.map((scenario) => ({
    ...scenario,
    limits: { ...scenario.limits, gateLatency: false },
  }));
  return { ...material, overall: false, plan: { ...plan, config: { ...plan.config, scenarios } } };
}

/** CPU time per request stands for QPS: what a core would serve that did nothing else. */
function cpuTime(material: Material): Material {
  const served = (slot: SlotSample) => slot.requests / (slot.witness?.targetCpuSeconds ?? Number.NaN);
  const blocks = material.blocks.map((block) => ({
    ...block,
    slots: block.slots.map((slot) => ({ ...slot, qps: served(slot) })),
  }));
  return { ...qpsAlone(material), blocks };
}

/**
 * Every cell and metric exactly on its line: the recorded effect is taken out of the head's figures, the margin put in.
 * The test over all cells gets the margin of the cells, so that it sits on its line as well.
 *
 * @param centre what the effect is, of the log ratios of a cell's clean rounds
 */
function onTheLine(material: Material, centre: (values: readonly number[]) => number): Material {
  const { plan } = material;
  const factors = new Map(
    plan.cells.map((cell) => {
      const limits = plan.config.scenarios.find(({ name }) => name === cell.scenario)?.limits;
      const statistic = statisticOf(material, cell.id);
      const rounds = cleanRounds(material, cell.id);
      const factor = (of: "qps" | LatencyStatistic, line: number) =>
        line / Math.exp(centre(logRatios(rounds, (slot) => measuredValue(slot, of))));
      const qps = factor("qps", 1 - (limits?.maxQpsDrop ?? 0));
      return [cell.id, { qps, statistic, latency: factor(statistic, 1 + (limits?.maxP99Rise ?? 0)) }] as const;
    }),
  );
  const shifted = (slot: SlotSample): SlotSample => {
    const factor = factors.get(slot.cell);
    if (slot.arm === "base" || factor === undefined || slot.latencyMs === null) return slot;
    const latencyMs = { ...slot.latencyMs, [factor.statistic]: slot.latencyMs[factor.statistic] * factor.latency };
    return { ...slot, qps: slot.qps * factor.qps, latencyMs };
  };
  const drops = plan.config.scenarios.map(({ limits }) => limits.maxQpsDrop);
  const gate = { ...plan.config.gate, maxOverallQpsDrop: median(drops) };
  return {
    ...material,
    plan: { ...plan, config: { ...plan.config, gate } },
    blocks: material.blocks.map((block) => ({ ...block, slots: block.slots.map(shifted) })),
  };
}

/** Two neighbouring blocks as one, with slots of twice the length and one restart; their latencies are the first's. */
function merged(material: Material): Material {
  const cells = material.cells.map((cell) => ({ ...cell, slotSeconds: 2 * cell.slotSeconds }));
  const loaded = blockSeconds(material.cells, 0);
  const blocks: RecordedBlock[] = [];
  for (let i = 0; i + 1 < material.blocks.length; i += 2) {
    const [first, second] = [material.blocks[i], material.blocks[i + 1]];
    if (first === undefined || second === undefined) break;
    const slots = first.slots.map((slot) => together(slot, roundOf(second, slot.cell)[slot.arm]));
    const loadSeconds = first.loadSeconds + second.loadSeconds;
    blocks.push({ ...first, block: i / 2, seconds: first.seconds + loaded, loadSeconds, slots });
  }
  return { ...material, cells, blocks, span: material.span / 2 };
}

function together(a: SlotSample, b: SlotSample): SlotSample {
  const [requests, seconds] = [a.requests + b.requests, a.seconds + b.seconds];
  return {
    ...a,
    requests,
    seconds,
    qps: requests / seconds,
    errors: a.errors + b.errors,
    failedChecks: a.failedChecks + b.failedChecks,
    droppedIterations: a.droppedIterations + b.droppedIterations,
    portErrors: a.portErrors + b.portErrors,
    witness: a.witness && b.witness && added(a.witness, b.witness),
    events: [...a.events, ...b.events],
  };
}

const ADDED = [
  "targetCpuSeconds",
  "servicesCpuSeconds",
  "generatorCpuSeconds",
  "generatorIdleSeconds",
  "foreignCpuSeconds",
  "stealSeconds",
  "intervalSeconds",
  "throttledPeriods",
  "listenOverflows",
] as const satisfies readonly (keyof Witness)[];

function added(a: Witness, b: Witness): Witness {
  const sum = { ...a };
  for (const key of ADDED) sum[key] = a[key] + b[key];
  return sum;
}

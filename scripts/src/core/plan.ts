import { askedOf } from "./arms.ts";
import {
  ARMS,
  assertNever,
  type Cell,
  type Config,
  type LatencyStatistic,
  type Load,
  type PilotCell,
  type Plan,
  type Scenario,
  type Stage,
} from "./model.ts";

/**
 * Turn and gap of a request: as long as its p99, so that hardly one is answered after the other arm's turn began, and no
 * shorter than this, s. A core's speed changes within hundredths of a second: on an unchanged tree the log ratio of a
 * round had half the sd with turns of p99 that it had with ten times as long ones (bench.sh turns).
 */
const SHORTEST = { turn: 0.02, gap: 0.02, p99s: 1 };
/** The same where k6 needs a scenario of its own for each turn (open model), or cannot end an iteration (a flow). */
const SHORTEST_SCENARIO = { turn: 1, gap: 0.25, p99s: 2 };
const MAX_GAP = 5;
/** A slot is as long as the first of these, s, that gates as high a percentile as the last does, of a slow cell the last. */
const SLOTS = [1, 2, 3] as const;
/** Requests a slot needs so that its percentile rests on about ten of them. */
const REQUESTS_FOR: [LatencyStatistic, number][] = [
  ["p99", 1000],
  ["p95", 200],
];
/** Load of an open cell whose rate is "auto", as a share of what the pilot reached. */
const OPEN_SHARE = 0.7;
/** VUs that the pilot drives an open cell with to learn its capacity. */
export const OPEN_PILOT_VUS = 20;

/** The parts of a plan that are decided outside. */
export type PlanInput = Omit<Plan, "version" | "id" | "cells">;

/**
 * The plan of a run: what is measured, how, and judged by what.
 *
 * @param hash SHA-256 of a text, hex
 */
export function buildPlan(input: PlanInput, hash: (text: string) => string): Plan {
  const rest = { version: 1 as const, ...input, cells: cellsOf(input.config) };
  return { ...rest, id: planId(rest, hash) };
}

/** What `Plan.id` must be; differs where the file was edited. */
export function planId(plan: Omit<Plan, "id">, hash: (text: string) => string): string {
  const { version, seed, arms, sameSource, driver, config, cells, layout } = plan;
  const { headConfig, own, stored, beside, insteadOfRecords } = plan;
  const parts: unknown[] = [version, seed, arms, sameSource, driver, config, cells, layout];
  if (headConfig !== undefined) parts.push(headConfig);
  if (own !== undefined) parts.push({ own });
  if (stored !== undefined) parts.push({ stored });
  if (beside !== undefined) parts.push({ beside });
  if (insteadOfRecords !== undefined) parts.push({ insteadOfRecords });
  return hash(JSON.stringify(parts));
}

/** Every scenario at every of its load levels, in their order. */
export function cellsOf(config: Config): Cell[] {
  return config.scenarios.flatMap(({ name, load }): Cell[] => {
    const cell = (level: number | null, unit: string): Cell => ({
      id: `${name} @${level ?? "auto"}${unit}`,
      scenario: name,
      model: load.model,
      level,
    });
    switch (load.model) {
      case "closed":
        return load.vus.map((vus) => cell(vus, ""));
      case "open":
        return load.rates.map((rate) => cell(rate === "auto" ? null : rate, "/s"));
      case "ramp":
        return [cell(plateauOf(load.stages).vus, "")];
      default:
        return assertNever(load);
    }
  });
}

/** The plateau of a ramp: its longest stage that keeps the VUs of the stage before. s from the ramp's start. */
export function plateauOf(stages: readonly Stage[]): { fromSeconds: number; toSeconds: number; vus: number } {
  let best = { fromSeconds: 0, toSeconds: 0, vus: 0 };
  let at = 0;
  let vus = 0;
  for (const stage of stages) {
    const end = at + stage.durationSeconds;
    const longer = stage.durationSeconds > best.toSeconds - best.fromSeconds;
    if (stage.target === vus && vus > 0 && longer) best = { fromSeconds: at, toSeconds: end, vus };
    at = end;
    vus = stage.target;
  }
  return best;
}

/** Length of a whole ramp, s. */
function rampSeconds(load: Extract<Load, { model: "ramp" }>): number {
  return load.stages.reduce((sum, stage) => sum + stage.durationSeconds, 0);
}

/** What the cells are taken to be before the pilot, for the estimate of a plan. */
export function beforePilot(plan: Plan): PilotCell[] {
  const { slotSeconds } = plan.config.measure;
  const judged = plan.cells.filter((cell) => !scenarioOf(plan, cell).addedByHead);
  return judged.map((cell) => {
    return {
      cell: cell.id,
      requests: 0,
      qps: 0,
      ...slotOf(plan, cell, slotSeconds === "auto" ? SLOTS[0] : slotSeconds, 0),
      statistic: "p99",
      rate: null,
    };
  });
}

/** What the pilot settles for one cell: slot and gap length, the percentile that is gated, the open rate. */
export function afterPilot(plan: Plan, cell: Cell, qps: number, p99Ms: number | null): PilotCell {
  const load = loadOf(plan, cell);
  const { slotSeconds: wanted } = plan.config.measure;
  const rate = load.model === "open" ? (cell.level ?? round(OPEN_SHARE * qps)) : null;
  const served = rate ?? qps;
  const judgedSeconds = load.model === "ramp" ? plateauSeconds(load) : wanted === "auto" ? autoSlot(served) : wanted;
  const requests = Math.round(served * judgedSeconds);
  return {
    cell: cell.id,
    requests,
    qps,
    ...slotOf(plan, cell, judgedSeconds, p99Ms ?? 0),
    statistic: statisticFor(requests),
    rate,
  };
}

/** Length, turns and gaps of a slot; a ramp stays whole. */
function slotOf(
  plan: Plan,
  cell: Cell,
  seconds: number,
  p99Ms: number,
): Pick<PilotCell, "slotSeconds" | "turnSeconds" | "gapSeconds"> {
  const scenario = scenarioOf(plan, cell);
  const { load } = scenario;
  const onlyRequests = ARMS.every((arm) => askedOf(plan, scenario, arm).work.kind !== "flow");
  const shortest = load.model === "closed" && onlyRequests ? SHORTEST : SHORTEST_SCENARIO;
  const gapSeconds = round(Math.min(MAX_GAP, Math.max(shortest.gap, (shortest.p99s * p99Ms) / 1000)));
  if (load.model === "ramp") return { slotSeconds: rampSeconds(load), turnSeconds: rampSeconds(load), gapSeconds };
  const turnSeconds = Math.min(seconds, round((shortest.turn / shortest.gap) * gapSeconds));
  return { slotSeconds: seconds, turnSeconds, gapSeconds };
}

function autoSlot(qps: number): number {
  const needed = REQUESTS_FOR.find(([, requests]) => qps * SLOTS[2] >= requests)?.[1] ?? Number.POSITIVE_INFINITY;
  return SLOTS.find((seconds) => qps * seconds >= needed) ?? SLOTS[2];
}

function statisticFor(requests: number): LatencyStatistic {
  return REQUESTS_FOR.find(([, needed]) => requests >= needed)?.[0] ?? "p90";
}

function plateauSeconds(load: Extract<Load, { model: "ramp" }>): number {
  const { fromSeconds, toSeconds } = plateauOf(load.stages);
  return toSeconds - fromSeconds;
}

function loadOf(plan: Plan, cell: Cell): Load {
  return scenarioOf(plan, cell).load;
}

function scenarioOf(plan: Plan, cell: Cell): Scenario {
  const scenario = plan.config.scenarios.find(({ name }) => name === cell.scenario);
  if (scenario === undefined) throw new Error(`plan: cell ${cell.id} names no scenario of the plan`);
  return scenario;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

import { targetOf } from "./arms.ts";
import type { LatencyMs, Plan, SlotSample, StrikeReason } from "./model.ts";
import { tQuantile } from "./stats/distributions.ts";
import { isEnvironment, strikeReason } from "./validity.ts";

/**
 * The search for the highest arrival rate that a service holds. An approach doubles the rate until it is not held, then
 * halves the bracket (in logs) until that is narrow. Each approach begins on fresh replicas; several of them tell how
 * far the answer can be trusted.
 */

/** Rate of the very first step, and the least that is tried, requests/s: fewer in a step say nothing. */
const START = 2;
const LOWEST = 1;
/** No k6 of one machine comes near it, requests/s. */
const HIGHEST = 100_000;
const GROWTH = 2;
/** How far below a start that was not held the next step is. */
const RETREAT = 4;
/** An approach ends where what was not held is at most this much above what was. */
const PRECISION = 1.03;
/** The first step of a later approach, as a share of what the one before found: two doublings pass it, off its grid. */
const LATER_START = 1 / 3;
/** Times that a step is measured again where others spoilt it. */
const REPEATS = 3;

/**
 * How far p95 may rise above the lowest of the approach: ms, or a share of it where that is more. A rate above capacity
 * by a share e lets p95 rise by 0.95 e of the step's length, so a step is so long that 3.5% are seen.
 */
export const LEEWAY = { ms: 100, share: 0.5 };
const SECONDS_PER_LEEWAY_MS = 3 / LEEWAY.ms;
const LONGEST_STEP = 15;
/** Bounds of the pause after a step, s, which is twice the allowed p95; the first step has the longest. */
const GAP = { least: 1, most: 5 };
/** Share of the requests that were due which may still be without an answer at the end of that pause. */
const MAX_UNANSWERED = 0.05;

/** Why a rate was not held: a cause that strikes a slot, or a limit of the search. */
export type Cause = StrikeReason | "latency" | "cpu" | "unanswered";

export interface CapacityLimits {
  /** Highest p95 of a step that holds its rate, ms; null = only its rise is limited. */
  maxP95Ms: number | null;
  /** Highest share of the service's CPUs that such a step uses; null = not limited. */
  maxCpu: number | null;
}

/** Where one approach is. Rates in requests/s, or runs of the flow. */
export interface Approach {
  readonly start: number;
  /** The highest rate that was held. */
  held: number | null;
  /** The lowest that was not, and why. */
  failed: { rate: number; cause: Cause } | null;
  /** Lowest p95 of the steps that held, ms: what it is without a queue. */
  calmP95Ms: number | null;
  /** How often the step at hand has been measured again. */
  repeats: number;
}

/** @param before what the approach before it found; null = there is none, or it found nothing */
export function begin(before: number | null): Approach {
  const start = before === null ? START : Math.max(LOWEST, before * LATER_START);
  return { start: round(start), held: null, failed: null, calmP95Ms: null, repeats: 0 };
}

/** The rate of the next step, requests/s; null where the approach has ended. */
export function next({ start, held, failed }: Approach): number | null {
  if (failed === null) {
    if (held === null) return start;
    return held >= HIGHEST ? null : round(held * GROWTH);
  }
  if (held === null) return failed.rate <= LOWEST ? null : Math.max(LOWEST, round(failed.rate / RETREAT));
  if (failed.rate / held <= PRECISION) return null;
  const middle = round(Math.sqrt(held * failed.rate));
  return middle > held && middle < failed.rate ? middle : null;
}

/** What a step was like, to the search. */
export type StepOutcome = { rate: number; p95Ms: number | null; cause: Cause | null };

/**
 * Takes a step into account; `cause` null = it held. What others spoilt is measured again, and so is the failure that
 * ends the growth: by chance it would cost the approach most. After that it counts as not held, for that reason.
 */
export function take(approach: Approach, { rate, p95Ms, cause }: StepOutcome): void {
  if (cause === null) {
    approach.held = rate;
    approach.repeats = 0;
    if (p95Ms !== null) approach.calmP95Ms = Math.min(approach.calmP95Ms ?? p95Ms, p95Ms);
    return;
  }
  const again = isByOthers(cause) ? REPEATS : approach.failed === null ? 1 : 0;
  if (approach.repeats < again) {
    approach.repeats++;
    return;
  }
  approach.failed = { rate, cause };
  approach.repeats = 0;
}

/** k6 takes rates in tenths. */
const round = (rate: number): number => Math.round(rate * 10) / 10;

// ---------------------------------------------------------------- a step

/** How long the next step is, and the pause after it, s. */
export function stepTimes(
  { calmP95Ms }: Pick<Approach, "calmP95Ms">,
  limits: CapacityLimits,
): { seconds: number; gapSeconds: number } {
  const seconds = Math.min(LONGEST_STEP, leewayMs(calmP95Ms ?? 0) * SECONDS_PER_LEEWAY_MS);
  const gap = (2 * allowedP95Ms(calmP95Ms, limits)) / 1000;
  return { seconds, gapSeconds: Math.min(GAP.most, Math.max(GAP.least, gap)) };
}

const leewayMs = (calmMs: number): number => Math.max(LEEWAY.ms, calmMs * LEEWAY.share);

/** Highest p95 of a step that holds its rate, ms; infinite as long as nothing is known of the service. */
export function allowedP95Ms(calmMs: number | null, { maxP95Ms }: CapacityLimits): number {
  const risen = calmMs === null ? Number.POSITIVE_INFINITY : calmMs + leewayMs(calmMs);
  return Math.min(risen, maxP95Ms ?? Number.POSITIVE_INFINITY);
}

/**
 * Why a step did not hold its rate; null where it did. A step that held although others took from our CPUs held all
 * the more. Where it did not, they or k6 are the cause before the service is.
 *
 * @param due requests that a step of this rate and length makes; null = a flow, which may make any number
 */
export function causeOf(
  plan: Plan,
  sample: SlotSample,
  due: number | null,
  calmP95Ms: number | null,
  limits: CapacityLimits,
): Cause | null {
  const { measure } = plan.config;
  const apart = { ...measure, maxForeignCores: null };
  const own =
    strikeReason(sample, null, apart, { ...plan.layout, isolated: false }) ??
    exceeded(sample.latencyMs, cpuShare(plan, sample), calmP95Ms, limits) ??
    (due !== null && isUnanswered(sample.requests, due) ? "unanswered" : null);
  if (own === null) return null;
  const machine = strikeReason(sample, null, measure, plan.layout);
  return machine !== null && !isOfService(machine) ? machine : own;
}

function exceeded(
  latency: LatencyMs | null,
  cpu: number | null,
  calmP95Ms: number | null,
  limits: CapacityLimits,
): Cause | null {
  if (latency !== null && latency.p95 > allowedP95Ms(calmP95Ms, limits)) return "latency";
  return limits.maxCpu !== null && cpu !== null && cpu > limits.maxCpu ? "cpu" : null;
}

/** One more or less may fall into a step. */
function isUnanswered(requests: number, due: number): boolean {
  const expected = Math.floor(due) - 1;
  return requests < expected * (1 - MAX_UNANSWERED);
}

/** Whether the service itself is the cause: not a neighbour, and not k6. */
export function isOfService(cause: Cause): boolean {
  return !isByOthers(cause) && cause !== "generator-saturated" && cause !== "ports-exhausted";
}

function isByOthers(cause: Cause): boolean {
  return cause !== "latency" && cause !== "cpu" && cause !== "unanswered" && isEnvironment(cause);
}

/**
 * Share of the CPUs of the service that it used, databases included where these share them; at most 1. null where
 * nothing could be seen.
 */
export function cpuShare(plan: Plan, { arm, witness }: Pick<SlotSample, "arm" | "witness">): number | null {
  if (witness === null || witness.intervalSeconds === 0) return null;
  const { target, services } = plan.layout;
  const { resources } = targetOf(plan, arm);
  const together = resources === null && services.every((cpu) => target.includes(cpu));
  const used = witness.targetCpuSeconds + (together ? witness.servicesCpuSeconds : 0);
  // What the last requests cost after the step's end is in it.
  return Math.min(1, used / (witness.intervalSeconds * (resources?.cpus ?? target.length)));
}

// ---------------------------------------------------------------- steps.ndjson and capacity.json

/** A line of steps.ndjson. */
export type StepLine =
  | { kind: "begin"; version: 1; planId: string; startedAt: number; limits: CapacityLimits; approaches: number }
  | MeasuredStep
  | ({ kind: "stop"; wallSeconds: number } & CapacityStop);

export interface MeasuredStep {
  kind: "step";
  scenario: string;
  /** Counted from 0. */
  approach: number;
  /** Requests/s asked for. */
  rate: number;
  /** Whether it began on fresh replicas, after a warm-up. */
  fresh: boolean;
  cause: Cause | null;
  sample: SlotSample;
}

/** Why measuring ended. */
export interface CapacityStop {
  reason: "done" | "interrupted" | "failed";
  detail: string | null;
}

/** What an approach found, requests/s. */
export interface ApproachResult {
  held: number | null;
  failed: number | null;
  /** Why `failed` was not held. */
  cause: Cause | null;
  /** False where it was cut short. */
  complete: boolean;
}

export function resultOf(approach: Approach): ApproachResult {
  const { held, failed } = approach;
  return { held, failed: failed?.rate ?? null, cause: failed?.cause ?? null, complete: next(approach) === null };
}

/** What a scenario's approaches say together, requests/s. */
export type Answer =
  /**
   * The geometric mean of what they held. The interval has a confidence of 95% and is null with one approach: from the
   * lower limit for what is held to the upper one for what is not.
   */
  | { kind: "capacity"; rate: number; interval: { low: number; high: number } | null; n: number }
  /** The service never was the limit: a cause outside of it was, or the end came first (null). */
  | { kind: "at-least"; rate: number; cause: Cause | null }
  /** Not even the least rate was held. */
  | { kind: "none"; cause: Cause };

/** null where nothing was found out. Approaches that others ended, or that were cut short, count for nothing. */
export function answerOf(approaches: readonly ApproachResult[]): Answer | null {
  const sound = approaches.filter(({ complete, cause }) => complete && (cause === null || !isByOthers(cause)));
  const holding = sound.flatMap(({ held, failed, cause }) => (held === null ? [] : [{ held, failed, cause }]));
  const unlimited = holding.find(({ cause }) => cause === null || !isOfService(cause));
  if (unlimited !== undefined) {
    return { kind: "at-least", rate: Math.min(...holding.map(({ held }) => held)), cause: unlimited.cause };
  }
  if (holding.length > 0) {
    const held = holding.map(({ held: rate }) => Math.log(rate));
    const failed = holding.map((result) => Math.log(result.failed ?? result.held));
    const n = holding.length;
    const interval = n < 2 ? null : { low: Math.exp(meanLimit(held, -1)), high: Math.exp(meanLimit(failed, +1)) };
    return { kind: "capacity", rate: Math.exp(mean(held)), interval, n };
  }
  const [nothing] = sound;
  if (nothing?.cause != null) return { kind: "none", cause: nothing.cause };
  // What was held before others or the end came was held.
  const cut = approaches.flatMap(({ held, cause, complete }) =>
    held === null ? [] : [{ rate: held, cause: complete ? cause : null }],
  );
  const [best] = cut.sort((a, b) => b.rate - a.rate);
  return best === undefined ? null : { kind: "at-least", ...best };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The lower (-1) or upper (+1) 97.5% confidence limit of the mean of two values or more, by Student's t. */
function meanLimit(values: readonly number[], side: -1 | 1): number {
  const n = values.length;
  const centre = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (n - 1);
  return centre + side * tQuantile(0.975, n - 1) * Math.sqrt(variance / n);
}

/** What a step showed, as reports have it. */
export interface CapacityStep {
  /** Requests/s asked for and answered. */
  rate: number;
  qps: number;
  seconds: number;
  p95Ms: number | null;
  cpu: number | null;
  cause: Cause | null;
}

export interface ScenarioCapacity {
  scenario: string;
  /** Whether rates are of runs of a flow, not of requests. */
  isFlow: boolean;
  answer: Answer | null;
  approaches: (ApproachResult & { steps: CapacityStep[] })[];
}

/** capacity.json */
export interface Capacity {
  version: 1;
  planId: string;
  head: { label: string; commit: string | null };
  /** Where k6 and the service ran, in a sentence. */
  layout: string;
  limits: CapacityLimits;
  /** Of `measure`: share of failed requests above which a rate is not held. */
  maxErrorRate: number;
  scenarios: ScenarioCapacity[];
  stop: CapacityStop;
  wallSeconds: number;
}

/** capacity.json from the plan and what was measured: the same lines give the same result. */
export function capacityOf(
  plan: Plan,
  limits: CapacityLimits,
  steps: readonly MeasuredStep[],
  { reason, detail }: CapacityStop,
  wallSeconds: number,
): Capacity {
  const { label, commit } = plan.arms.head;
  const scenarios = plan.config.scenarios.map(({ name, work }): ScenarioCapacity => {
    const own = steps.filter(({ scenario }) => scenario === name);
    const numbers = [...new Set(own.map(({ approach }) => approach))];
    let before: number | null = null;
    const approaches = numbers.map((number) => {
      const of = own.filter(({ approach }) => approach === number);
      const approach = begin(before);
      for (const step of of) take(approach, outcomeOf(step));
      before = approach.held ?? before;
      return { ...resultOf(approach), steps: of.map((step) => shown(plan, step)) };
    });
    return { scenario: name, isFlow: work.kind === "flow", answer: answerOf(approaches), approaches };
  });
  return {
    version: 1,
    planId: plan.id,
    head: { label, commit },
    layout: plan.layout.note,
    limits,
    maxErrorRate: plan.config.measure.maxErrorRate,
    scenarios,
    stop: { reason, detail },
    wallSeconds,
  };
}

export function outcomeOf({ rate, cause, sample }: MeasuredStep): StepOutcome {
  return { rate, cause, p95Ms: sample.latencyMs?.p95 ?? null };
}

function shown(plan: Plan, { rate, cause, sample }: MeasuredStep): CapacityStep {
  const { qps, seconds, latencyMs } = sample;
  return { rate, qps, seconds, p95Ms: latencyMs?.p95 ?? null, cpu: cpuShare(plan, sample), cause };
}

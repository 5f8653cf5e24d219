import type { Layout, MeasureConfig, SlotSample, StrikeReason, Witness } from "./model.ts";

/** Share of its cores from which on the generator, not the service, may be what limits a slot. */
const GENERATOR_SATURATED = 0.9;
/** Share of iterations an open-model slot may fail to start on time. */
const MAX_DROPPED = 0.001;

/** Causes that come from the machine: they say nothing about the cell and are never a reason to give it up. */
const ENVIRONMENT: ReadonlySet<StrikeReason> = new Set(["foreign-load", "steal", "k6-died"]);

/** Causes by which an arm shows that it does not work. */
const FUNCTIONAL: ReadonlySet<StrikeReason> = new Set(["errors", "target-restarted", "oom-killed", "no-requests"]);

/** True for causes outside the two arms. */
export function isEnvironment(reason: StrikeReason): boolean {
  return ENVIRONMENT.has(reason);
}

/** True for causes that are the arm's own failure. */
export function isFunctional(reason: StrikeReason): boolean {
  return FUNCTIONAL.has(reason);
}

/** Requests that failed or missed a check, as a share of all that completed; 0 without requests. */
export function failureShare(sample: SlotSample): number {
  return sample.requests > 0 ? Math.max(sample.errors, sample.failedChecks) / sample.requests : 0;
}

/**
 * Why a slot is worthless, or null where it counts. Only causes are looked at, never the result: a slot is not
 * struck for being slow. The first cause found is the one named, machine before service.
 *
 * @param other the other arm's slot of the same round: what others take from both arms alike leaves their ratio as it is
 */
export function strikeReason(
  sample: SlotSample,
  other: SlotSample | null,
  limits: MeasureConfig,
  layout: Layout,
): StrikeReason | null {
  const [event] = sample.events;
  if (event !== undefined) return event;
  const { witness } = sample;
  const { maxForeignCores } = limits;
  if (witness !== null && maxForeignCores !== null) {
    const more = takenCores(witness) - takenCores(other?.witness ?? null);
    if (more > maxForeignCores) return taker(witness);
  }
  if (sample.portErrors > 0) return "ports-exhausted";
  if (witness !== null) {
    // Before the generator: requests that are refused at once keep it busy.
    if (witness.listenOverflows > 0) return "listen-overflow";
    // Gaps between turns leave the generator idle; requests that outlast their turn leave it none.
    const busySeconds = Math.min(sample.seconds, witness.intervalSeconds);
    if (layout.isolated && witness.generatorCpuSeconds >= GENERATOR_SATURATED * busySeconds * witness.generatorCores) {
      return "generator-saturated";
    }
    const idleSeconds =
      witness.generatorIdleSeconds - (witness.intervalSeconds - busySeconds) * layout.generator.length;
    const mayIdleSeconds = (1 - GENERATOR_SATURATED) * busySeconds * layout.generator.length;
    if (layout.isolated && isDisturbed(sample, limits) && idleSeconds < mayIdleSeconds) return taker(witness);
  }
  if (sample.requests === 0 || sample.latencyMs === null) return "no-requests";
  if (failureShare(sample) > limits.maxErrorRate) return "errors";
  if (sample.droppedIterations / (sample.requests + sample.droppedIterations) > MAX_DROPPED) {
    return "dropped-iterations";
  }
  return null;
}

/** Whether others took so much of our cores that a slot's own figures, not compared with anything, are not the arm's. */
export function isDisturbed(sample: SlotSample, { maxForeignCores }: MeasureConfig): boolean {
  return maxForeignCores !== null && takenCores(sample.witness) > maxForeignCores;
}

/** What other processes and the hypervisor took of our cores, in cores. */
function takenCores(witness: Witness | null): number {
  return witness === null ? 0 : (witness.foreignCpuSeconds + witness.stealSeconds) / witness.intervalSeconds;
}

function taker(witness: Witness): "foreign-load" | "steal" {
  return witness.stealSeconds > witness.foreignCpuSeconds ? "steal" : "foreign-load";
}

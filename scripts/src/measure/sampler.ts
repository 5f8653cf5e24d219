import type { Arm, Layout, Witness } from "../core/model.ts";
import type { FrontState, Target, Usage } from "../target/target.ts";
import { cpuQuota } from "../target/usage/limit.ts";
import type { UsageGroup } from "../target/usage.ts";
import { booksInterruptTime, type CpuTimes, cpuTimes, listenOverflows, timeWaitSockets } from "./kernel.ts";
import { neighbours, spentBetween } from "./neighbours.ts";

/**
 * Busy time that belongs to nobody, in cores: entering and leaving idle, interrupts that hit it. Seen on a quiet
 * 2-core machine: 0.02-0.05 at 20 VUs, 0.05-0.11 at 1 VU, where every request wakes six processes.
 */
const KERNEL_CORES = 0.15;

/** Everything the kernel had counted at one moment. */
interface Snapshot {
  /** Monotonic, s. */
  at: number;
  arms: Record<Arm, Usage | null>;
  services: Usage | null;
  generatorCpuSeconds: number;
  ownCpuSeconds: number;
  cpu: CpuTimes;
  overflows: number;
}

/** Reads the kernel's counters around a stretch of load; nothing runs between the readings. */
export class Sampler {
  readonly #target: Target;
  readonly #generator: UsageGroup;
  readonly #generatorCores: number;
  readonly #cpus: number[];
  readonly #booksInterrupts = booksInterruptTime();
  readonly #fronts: Record<Arm, FrontState | null> = { base: null, head: null };

  /** @param generator usage and process of k6 */
  constructor(target: Target, generator: { usage: UsageGroup; pid: number }, layout: Layout) {
    this.#target = target;
    this.#generator = generator.usage;
    this.#generatorCores = Math.min(layout.generator.length, cpuQuota(generator.pid) ?? Number.POSITIVE_INFINITY);
    this.#cpus = [...new Set([...layout.generator, ...layout.target, ...layout.services])];
  }

  /** What the fronts had counted before the first slot. */
  async begin(): Promise<void> {
    for (const arm of ["base", "head"] as const) this.#fronts[arm] = await this.#front(arm);
  }

  /**
   * Watches one stretch of load on `arm` that begins now.
   *
   * @param sleepUntil resolves at a moment of the monotonic clock, s
   * @param settleSeconds how long after it its last requests may finish
   */
  async watch(
    arm: Arm,
    seconds: number,
    sleepUntil: (at: number) => Promise<void>,
    settleSeconds: number,
  ): Promise<{ witness: Witness | null; portErrors: number; oomKilled: boolean }> {
    const ours = [process.pid, ...this.#target.roots()];
    const around = neighbours(ours);
    const start = this.#snapshot();
    let peak = 0;
    for (let last = start, second = 1; second <= Math.floor(seconds); second++) {
      await sleepUntil(start.at + second);
      const now = this.#snapshot();
      peak = Math.max(peak, cpuBetween(last.arms[arm], now.arms[arm]) / (now.at - last.at));
      last = now;
    }
    await sleepUntil(start.at + seconds + settleSeconds);
    const end = this.#snapshot();
    const seen = spentBetween(around, neighbours(ours), this.#cpus);
    const before = this.#fronts[arm];
    const front = await this.#front(arm);
    this.#fronts[arm] = front;

    const portErrors = (front?.portErrors ?? 0) - (before?.portErrors ?? 0);
    const usage = end.arms[arm];
    if (usage === null) return { witness: null, portErrors, oomKilled: false };
    const turnedAway = (front?.listenOverflows ?? 0) - (before?.listenOverflows ?? 0);
    return {
      portErrors,
      oomKilled: usage.oomKills > (start.arms[arm]?.oomKills ?? 0),
      witness: {
        targetCpuSeconds: cpuBetween(start.arms[arm], usage),
        servicesCpuSeconds: cpuBetween(start.services, end.services),
        generatorCpuSeconds: end.generatorCpuSeconds - start.generatorCpuSeconds,
        generatorCores: this.#generatorCores,
        foreignCpuSeconds: this.#foreign(start, end, seen),
        stealSeconds: end.cpu.steal - start.cpu.steal,
        intervalSeconds: end.at - start.at,
        targetPeakCores: peak,
        targetMemoryBytes: usage.memoryBytes,
        throttledPeriods: usage.throttledPeriods - (start.arms[arm]?.throttledPeriods ?? 0),
        timeWait: timeWaitSockets(this.#target.namespaces()),
        listenOverflows: end.overflows - start.overflows + turnedAway,
        listenQueueMax: front?.listenQueueMax ?? 0,
        maxChildrenReached: front?.maxChildrenReached ?? 0,
      },
    };
  }

  /**
   * CPU time of others on our cores, s: what their processes spent; or, where they cannot be seen from here (another
   * container, another virtual machine's share), busy time that none of ours spent, less what the kernel needs to go
   * to sleep and wake up, which no process is charged for.
   */
  #foreign(start: Snapshot, end: Snapshot, seen: number): number {
    const seconds = end.at - start.at;
    const interrupts = this.#booksInterrupts ? end.cpu.irq - start.cpu.irq : 0;
    const idle = end.cpu.idle - start.cpu.idle + end.cpu.steal - start.cpu.steal + interrupts;
    const ours =
      cpuBetween(start.arms.base, end.arms.base) +
      cpuBetween(start.arms.head, end.arms.head) +
      cpuBetween(start.services, end.services) +
      (end.generatorCpuSeconds - start.generatorCpuSeconds) +
      (end.ownCpuSeconds - start.ownCpuSeconds);
    return Math.max(seen, seconds * this.#cpus.length - idle - ours - KERNEL_CORES * seconds);
  }

  #snapshot(): Snapshot {
    const { user, system } = process.cpuUsage();
    return {
      at: performance.now() / 1000,
      arms: { base: this.#target.usage("base"), head: this.#target.usage("head") },
      services: this.#target.servicesUsage(),
      generatorCpuSeconds: this.#generator.read().cpuSeconds,
      ownCpuSeconds: (user + system) / 1e6,
      cpu: cpuTimes(this.#cpus),
      overflows: listenOverflows(this.#target.namespaces()),
    };
  }

  /** A front that cannot answer (its replica just died) is no reason to lose the slot's other figures. */
  async #front(arm: Arm): Promise<FrontState | null> {
    return this.#target.front(arm).catch(() => null);
  }
}

/** What was seen of a slot, from its stretches; null where one of them could not be read. */
export function together(stretches: readonly (Witness | null)[]): Witness | null {
  return stretches.reduce((one, other) =>
    one === null || other === null
      ? null
      : {
          targetCpuSeconds: one.targetCpuSeconds + other.targetCpuSeconds,
          servicesCpuSeconds: one.servicesCpuSeconds + other.servicesCpuSeconds,
          generatorCpuSeconds: one.generatorCpuSeconds + other.generatorCpuSeconds,
          generatorCores: other.generatorCores,
          foreignCpuSeconds: one.foreignCpuSeconds + other.foreignCpuSeconds,
          stealSeconds: one.stealSeconds + other.stealSeconds,
          intervalSeconds: one.intervalSeconds + other.intervalSeconds,
          targetPeakCores: Math.max(one.targetPeakCores, other.targetPeakCores),
          targetMemoryBytes: other.targetMemoryBytes,
          throttledPeriods: one.throttledPeriods + other.throttledPeriods,
          timeWait: other.timeWait,
          listenOverflows: one.listenOverflows + other.listenOverflows,
          listenQueueMax: other.listenQueueMax,
          maxChildrenReached: other.maxChildrenReached,
        },
  );
}

function cpuBetween(start: Usage | null, end: Usage | null): number {
  return start === null || end === null ? 0 : end.cpuSeconds - start.cpuSeconds;
}

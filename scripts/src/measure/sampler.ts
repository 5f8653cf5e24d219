import { ARMS, type Arm, type Layout, type Witness } from "../core/model.ts";
import type { FrontState, Target, Usage } from "../target/target.ts";
import { cpuQuota } from "../target/usage/limit.ts";
import type { Generating } from "./k6.ts";
import { booksInterruptTime, type CpuTimes, cpuTimes, listenOverflows, timeWaitSockets } from "./kernel.ts";
import { type Neighbours, neighbours, spentBetween } from "./neighbours.ts";

/**
 * Busy time that belongs to nobody, in cores: entering and leaving idle, interrupts that hit it. Seen on a quiet
 * 2-core machine: 0.02-0.05 at 20 VUs, 0.05-0.11 at 1 VU, where every request wakes six processes.
 */
const KERNEL_CORES = 0.15;

/**
 * Turns from which on others are looked for over each, s. Shorter ones alternate so fast that both arms have the same
 * neighbours, and a look at all processes costs some milliseconds.
 */
const LONG_TURN = 1;

/** Everything the kernel had counted at one moment. */
interface Snapshot {
  /** Monotonic, s. */
  at: number;
  arms: Record<Arm, Usage | null>;
  services: Usage | null;
  generatorCpuSeconds: number;
  ownCpuSeconds: number;
  cpu: CpuTimes;
  generatorIdleSeconds: number;
  overflows: number;
}

/** A time of load on one arm. */
export interface Turn {
  arm: Arm;
  /** Monotonic, s. */
  at: number;
  seconds: number;
}

/** What was seen of an arm's slot. */
export interface Seen {
  /** null = nothing could be read. */
  witness: Witness | null;
  portErrors: number;
  oomKilled: boolean;
}

/** Reads the kernel's counters around every turn of a round; nothing runs between the readings. */
export class Sampler {
  readonly #target: Target;
  readonly #generator: Generating | null;
  /** Whether what k6 and the arms cost can be read from here. */
  readonly #isSeen: boolean;
  readonly #generatorCores: number;
  readonly #cpus: number[];
  readonly #generatorCpus: number[];
  readonly #booksInterrupts = booksInterruptTime();
  readonly #fronts: Record<Arm, FrontState | null> = { base: null, head: null };

  /** @param generator k6; null = it cannot be seen from here */
  constructor(target: Target, generator: Generating | null, layout: Layout) {
    this.#target = target;
    this.#generator = generator;
    this.#isSeen = generator !== null && ARMS.every((arm) => target.usage(arm) !== null);
    const quota = generator === null ? null : cpuQuota(generator.pid);
    this.#generatorCores = Math.min(layout.generator.length, quota ?? Number.POSITIVE_INFINITY);
    this.#generatorCpus = layout.generator;
    this.#cpus = [...new Set([...layout.generator, ...layout.target, ...layout.services])];
  }

  /** What the fronts had counted before the first slot. */
  async begin(): Promise<void> {
    for (const arm of ["base", "head"] as const) this.#fronts[arm] = await this.#front(arm);
  }

  /**
   * Watches one round, whose first turn begins now. What a turn cost is read when the next one begins, its last
   * requests included. Others are looked for over each long turn, and over a round of short ones as a whole, where what
   * they spent is laid on the arms by their share of it.
   *
   * @param turns in order of time
   * @param sleepUntil resolves at a moment of the monotonic clock, s
   * @param settleSeconds how long after the last turn its last requests may finish
   * @returns what was seen of each arm; null where the signal ended it
   */
  async watch(
    turns: readonly Turn[],
    sleepUntil: (at: number) => Promise<void>,
    settleSeconds: number,
    signal: AbortSignal,
  ): Promise<Record<Arm, Seen> | null> {
    if (!this.#isSeen) return await this.#passUnseen(turns, sleepUntil, settleSeconds, signal);
    const spent: Record<Arm, Spent> = { base: { ...NOTHING }, head: { ...NOTHING } };
    const first = this.#snapshot();
    let last = first;
    let looked = { at: first, others: this.#neighbours() };
    const sinceLook: Record<Arm, number> = { base: 0, head: 0 };
    const read = (arm: Arm, { underLoad }: { underLoad: boolean }) => {
      const now = this.#snapshot();
      addCosts(spent[arm], arm, last, now);
      if (underLoad) {
        addConditions(spent[arm], arm, last, now);
        sinceLook[arm] += now.at - last.at;
      }
      last = now;
    };
    const look = () => {
      const foreign = this.#foreign(looked.at, last, spentBetween(looked.others, this.#neighbours(), this.#cpus));
      const total = sinceLook.base + sinceLook.head;
      for (const arm of ARMS) {
        if (total > 0) spent[arm].foreignCpuSeconds += (foreign * sinceLook[arm]) / total;
        sinceLook[arm] = 0;
      }
    };
    for (const [index, { arm, at, seconds }] of turns.entries()) {
      const next = turns[index + 1]?.at;
      // A long turn is read every second, for its peak.
      for (let until = at + 1; until < at + seconds - 0.5; until++) {
        await sleepUntil(until);
        read(arm, { underLoad: true });
      }
      if (next === undefined || seconds >= LONG_TURN) {
        await sleepUntil(at + seconds);
        read(arm, { underLoad: true });
        look();
        await sleepUntil(next ?? at + seconds + settleSeconds);
        read(arm, { underLoad: false });
        if (next !== undefined) looked = { at: last, others: this.#neighbours() };
      } else {
        await sleepUntil(next);
        read(arm, { underLoad: true });
      }
      if (signal.aborted) return null;
    }
    return {
      base: await this.#seen("base", spent.base, first, last),
      head: await this.#seen("head", spent.head, first, last),
    };
  }

  /** The same for what runs where this kernel counts nothing: only the fronts can be asked. */
  async #passUnseen(
    turns: readonly Turn[],
    sleepUntil: (at: number) => Promise<void>,
    settleSeconds: number,
    signal: AbortSignal,
  ): Promise<Record<Arm, Seen> | null> {
    for (const [index, { at, seconds }] of turns.entries()) {
      await sleepUntil(turns[index + 1]?.at ?? at + seconds + settleSeconds);
      if (signal.aborted) return null;
    }
    const seen = async (arm: Arm): Promise<Seen> => {
      const { portErrors } = await this.#frontSince(arm);
      return { witness: null, portErrors, oomKilled: false };
    };
    return { base: await seen("base"), head: await seen("head") };
  }

  async #seen(arm: Arm, spent: Spent, first: Snapshot, last: Snapshot): Promise<Seen> {
    const { front, portErrors, turnedAway } = await this.#frontSince(arm);
    const usage = last.arms[arm];
    if (usage === null || spent.intervalSeconds === 0) return { witness: null, portErrors, oomKilled: false };
    const { listenOverflows, ...sums } = spent;
    return {
      portErrors,
      oomKilled: usage.oomKills > (first.arms[arm]?.oomKills ?? 0),
      witness: {
        ...sums,
        generatorCores: this.#generatorCores,
        targetMemoryBytes: usage.memoryBytes,
        targetMemoryGrowthBytes: usage.memoryBytes - (first.arms[arm]?.memoryBytes ?? usage.memoryBytes),
        timeWait: timeWaitSockets(this.#target.namespaces()),
        listenOverflows: listenOverflows + turnedAway,
        listenQueueMax: front?.listenQueueMax ?? 0,
        maxChildrenReached: front?.maxChildrenReached ?? 0,
      },
    };
  }

  #neighbours(): Neighbours {
    const generator = this.#generator === null ? [] : [this.#generator.pid];
    return neighbours([process.pid, ...generator, ...this.#target.roots()]);
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
    const at = performance.now() / 1000;
    const generatorCpuSeconds = this.#generator?.usage().cpuSeconds ?? 0;
    return {
      at,
      arms: { base: this.#target.usage("base"), head: this.#target.usage("head") },
      services: this.#target.servicesUsage(),
      generatorCpuSeconds,
      ownCpuSeconds: (user + system) / 1e6,
      cpu: cpuTimes(this.#cpus),
      generatorIdleSeconds: this.#generatorIdle(at, generatorCpuSeconds),
      overflows: listenOverflows(this.#target.namespaces()),
    };
  }

  /** Time that the generator's CPUs had to spare, cumulative, s: idle, or with others that would have given way to it. */
  #generatorIdle(at: number, generatorCpuSeconds: number): number {
    const { idle, irq, steal } = cpuTimes(this.#generatorCpus);
    if (this.#generator?.isFirst !== true) return idle;
    return at * this.#generatorCpus.length - generatorCpuSeconds - irq - steal;
  }

  /** An arm's front, and what it has counted since it was asked last. */
  async #frontSince(arm: Arm): Promise<{ front: FrontState | null; portErrors: number; turnedAway: number }> {
    const before = this.#fronts[arm];
    const front = await this.#front(arm);
    this.#fronts[arm] = front;
    return {
      front,
      portErrors: (front?.portErrors ?? 0) - (before?.portErrors ?? 0),
      turnedAway: (front?.listenOverflows ?? 0) - (before?.listenOverflows ?? 0),
    };
  }

  /** A front that cannot answer (its replica just died) is no reason to lose the slot's other figures. */
  async #front(arm: Arm): Promise<FrontState | null> {
    return this.#target.front(arm).catch(() => null);
  }
}

/** What adds up over the turns of a slot. */
type Spent = Pick<
  Witness,
  | "targetCpuSeconds"
  | "servicesCpuSeconds"
  | "generatorCpuSeconds"
  | "generatorIdleSeconds"
  | "foreignCpuSeconds"
  | "stealSeconds"
  | "intervalSeconds"
  | "targetPeakCores"
  | "throttledPeriods"
  | "listenOverflows"
>;
const NOTHING: Spent = {
  targetCpuSeconds: 0,
  servicesCpuSeconds: 0,
  generatorCpuSeconds: 0,
  generatorIdleSeconds: 0,
  foreignCpuSeconds: 0,
  stealSeconds: 0,
  intervalSeconds: 0,
  targetPeakCores: 0,
  throttledPeriods: 0,
  listenOverflows: 0,
};

/** What an arm's requests cost, the last ones of its turn included. */
function addCosts(spent: Spent, arm: Arm, from: Snapshot, to: Snapshot): void {
  spent.targetCpuSeconds += cpuBetween(from.arms[arm], to.arms[arm]);
  spent.servicesCpuSeconds += cpuBetween(from.services, to.services);
  spent.generatorCpuSeconds += to.generatorCpuSeconds - from.generatorCpuSeconds;
  spent.throttledPeriods += (to.arms[arm]?.throttledPeriods ?? 0) - (from.arms[arm]?.throttledPeriods ?? 0);
  spent.listenOverflows += to.overflows - from.overflows;
}

/** Under what conditions they were made. */
function addConditions(spent: Spent, arm: Arm, from: Snapshot, to: Snapshot): void {
  const seconds = to.at - from.at;
  spent.intervalSeconds += seconds;
  spent.targetPeakCores = Math.max(spent.targetPeakCores, cpuBetween(from.arms[arm], to.arms[arm]) / seconds);
  spent.generatorIdleSeconds += to.generatorIdleSeconds - from.generatorIdleSeconds;
  spent.stealSeconds += to.cpu.steal - from.cpu.steal;
}

function cpuBetween(start: Usage | null, end: Usage | null): number {
  return start === null || end === null ? 0 : end.cpuSeconds - start.cpuSeconds;
}

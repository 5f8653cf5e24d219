import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Usage } from "../target.ts";
import type { UsageGroup } from "../usage.ts";
import {
  type ProcessStat,
  parseOomKills,
  parseProcessStat,
  parseRssAnon,
  parseSchedstat,
  TICKS_PER_SECOND,
} from "./parse.ts";

interface Root {
  startTicks: number;
  /** CPU of the whole tree when it was last seen. */
  cpuSeconds: number;
}

interface Seen {
  pid: number;
  stat: ProcessStat;
}

/**
 * Accounting without a cgroup: processes handed to add() and all their descendants. Single-threaded processes are read
 * to the nanosecond, others and dead ones to the tick (10 ms). A descendant whose parent died is lost from sight.
 * Throttling is not visible; OOM kills are those of the whole machine.
 */
export class ProcessTree implements UsageGroup {
  readonly kind = "tree";
  readonly #roots = new Map<number, Root>();
  readonly #oomKillsBefore = machineOomKills();
  #goneCpuSeconds = 0;
  #lastCpuSeconds = 0;
  #removed: Usage | null = null;

  wrap(command: readonly string[]): string[] {
    return [...command];
  }

  add(pid: number): void {
    const stat = readStat(pid);
    if (stat !== null) this.#roots.set(pid, { startTicks: stat.startTicks, cpuSeconds: 0 });
  }

  pids(): number[] {
    return [...this.#roots.keys()].flatMap((pid) => this.#walk(pid).map((seen) => seen.pid));
  }

  read(): Usage {
    if (this.#removed !== null) return this.#removed;
    let cpuSeconds = 0;
    let memoryBytes = 0;
    for (const [pid, root] of this.#roots) {
      const tree = this.#walk(pid);
      if (tree.length === 0) {
        this.#goneCpuSeconds += root.cpuSeconds;
        this.#roots.delete(pid);
        continue;
      }
      let treeSeconds = 0;
      for (const seen of tree) {
        treeSeconds += cpuSecondsOf(seen) + seen.stat.waitedTicks / TICKS_PER_SECOND;
        memoryBytes += parseRssAnon(readProc(`${seen.pid}/status`));
      }
      root.cpuSeconds = Math.max(root.cpuSeconds, treeSeconds);
      cpuSeconds += root.cpuSeconds;
    }
    this.#lastCpuSeconds = Math.max(this.#lastCpuSeconds, cpuSeconds + this.#goneCpuSeconds);
    return {
      cpuSeconds: this.#lastCpuSeconds,
      memoryBytes,
      throttledPeriods: 0,
      oomKills: machineOomKills() - this.#oomKillsBefore,
    };
  }

  kill(): void {
    for (const pid of this.pids()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Gone already.
      }
    }
  }

  async remove(): Promise<void> {
    if (this.#removed !== null) return;
    const last = this.read();
    this.kill();
    this.#removed = { ...last, memoryBytes: 0 };
    this.#roots.clear();
  }

  /** A root and its descendants; empty where the root is gone or its pid belongs to another process by now. */
  #walk(rootPid: number): Seen[] {
    const rootStat = readStat(rootPid);
    if (rootStat === null || rootStat.startTicks !== this.#roots.get(rootPid)?.startTicks) return [];
    const tree: Seen[] = [{ pid: rootPid, stat: rootStat }];
    // Grows while it is walked: children go to its end.
    for (const parent of tree) {
      for (const pid of childrenOf(parent)) {
        const stat = readStat(pid);
        if (stat !== null) tree.push({ pid, stat });
      }
    }
    return tree;
  }
}

function cpuSecondsOf({ pid, stat }: Seen): number {
  // schedstat is that of the main thread alone, stat that of all threads, living or not.
  if (stat.threads > 1) return stat.ownTicks / TICKS_PER_SECOND;
  const schedstat = readProc(`${pid}/schedstat`);
  return schedstat === "" ? stat.ownTicks / TICKS_PER_SECOND : parseSchedstat(schedstat);
}

const kernelListsChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

function childrenOf({ pid, stat }: Seen): number[] {
  if (!kernelListsChildren) return childrenByScan(pid);
  const threads = stat.threads > 1 ? listProc(`${pid}/task`) : [`${pid}`];
  return threads.flatMap((thread) => readProc(`${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number));
}

function childrenByScan(parent: number): number[] {
  return listProc("")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => readStat(pid)?.ppid === parent);
}

function machineOomKills(): number {
  return parseOomKills(readProc("vmstat"));
}

function readStat(pid: number): ProcessStat | null {
  const text = readProc(`${pid}/stat`);
  return text === "" ? null : parseProcessStat(text);
}

/** Empty where it cannot be read: processes end at any moment. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return "";
  }
}

function listProc(path: string): string[] {
  try {
    return readdirSync(`/proc/${path}`);
  } catch {
    return [];
  }
}

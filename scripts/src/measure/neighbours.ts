import { readdirSync, readFileSync } from "node:fs";
import { type ProcessStat, parseProcessStat, TICKS_PER_SECOND } from "../target/usage/parse.ts";

/** Processes of others at one moment, by pid and start time. */
export type Neighbours = ReadonlyMap<string, ProcessStat>;

/** Every process that is neither ours (one of `roots` or a descendant) nor the kernel's. */
export function neighbours(roots: readonly number[]): Neighbours {
  const all = new Map<number, ProcessStat>();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    try {
      all.set(pid, parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1")));
    } catch {
      // it ended meanwhile
    }
  }
  const found = new Map<string, ProcessStat>();
  for (const [pid, stat] of all) {
    if (stat.isKernel || descends(pid, roots, all)) continue;
    found.set(`${pid} ${stat.startTicks}`, stat);
  }
  return found;
}

function descends(pid: number, roots: readonly number[], all: ReadonlyMap<number, ProcessStat>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = all.get(at)?.ppid) {
    if (roots.includes(at)) return true;
  }
  return false;
}

/**
 * CPU time that neighbours spent on `cpus` between two moments, s. A process that ended is in what its parent has waited for;
 * what it had spent before the first moment is taken off again.
 */
export function spentBetween(start: Neighbours, end: Neighbours, cpus: readonly number[]): number {
  const spent = ({ ownTicks, waitedTicks }: ProcessStat) => ownTicks + waitedTicks;
  let ticks = 0;
  for (const [key, stat] of end) {
    if (!cpus.includes(stat.cpu)) continue;
    const before = start.get(key);
    ticks += spent(stat) - (before === undefined ? 0 : spent(before));
  }
  for (const [key, stat] of start) if (!end.has(key)) ticks -= spent(stat);
  return Math.max(0, ticks) / TICKS_PER_SECOND;
}

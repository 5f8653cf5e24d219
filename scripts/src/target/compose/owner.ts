import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { parseProcessStat } from "../usage/parse.ts";

/** On everything a run makes, beside `perf-gate=<id>`: the process it belongs to. */
export const OWNER_LABEL = "perf-gate.owner";

/**
 * With the pid, the identity of a process: when it started, in ticks since boot. null = it does not run,
 * or cannot be seen from here.
 */
export function startTicks(pid: number): number | null {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1")).startTicks;
  } catch {
    return null;
  }
}

/** Where a pid means the same process: host name and the number of the pid namespace. */
function place(): string {
  return `${hostname()}:${/\d+/.exec(readlinkSync("/proc/self/ns/pid"))}`;
}

/** A process as a label's value: host:namespace:pid:start. */
export const ownerOf = (pid: number): string => `${place()}:${pid}:${startTicks(pid)}`;
export const thisOwner = (): string => ownerOf(process.pid);

/** Whether a label's value names a process that has ended; of other hosts and namespaces nothing is known. */
export function isDead(owner: string): boolean {
  const [, where, pid, start] = /^(.+):(\d+):(\d+)$/.exec(owner) ?? [];
  return where === place() && startTicks(Number(pid)) !== Number(start);
}

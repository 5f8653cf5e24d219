import { readFileSync } from "node:fs";
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

/** This process as a label's value: host:pid:start. */
export const thisOwner = (): string => `${hostname()}:${process.pid}:${startTicks(process.pid)}`;

/** Whether a label's value names a process of this host that has ended; of other hosts nothing is known. */
export function isDead(owner: string): boolean {
  const [, host, pid, start] = /^(.+):(\d+):(\d+)$/.exec(owner) ?? [];
  return host === hostname() && startTicks(Number(pid)) !== Number(start);
}

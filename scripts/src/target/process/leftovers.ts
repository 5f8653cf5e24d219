import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { removeStaleCgroups } from "../usage/cgroup.ts";
import { parseProcessStat } from "../usage/parse.ts";

/** In the state directory: a link to where its sockets are. */
export const SOCKETS_LINK = "sockets";
/** Name of a directory of sockets, which mkdtemp completes. */
export const SOCKETS_PREFIX = "perf-gate-";
const SOCKETS = new RegExp(`^${SOCKETS_PREFIX}[A-Za-z0-9]{6}$`);

const TRIES = 100;
const BETWEEN_TRIES_MS = 20;

/**
 * Ends the processes of a run in this work directory that was killed together with its guard, and removes their
 * sockets, cgroups and data. @returns number of processes
 */
export async function removeProcesses(workDirectory: string): Promise<number> {
  const ended = new Set<number>();
  for (let tries = 0; tries < TRIES; tries++) {
    const found = processesOf(workDirectory);
    if (found.length === 0) break;
    for (const pid of found) if (kill(pid)) ended.add(pid);
    await sleep(BETWEEN_TRIES_MS);
  }
  removeStaleCgroups();
  const state = join(workDirectory, "state");
  const sockets = linkTarget(join(state, SOCKETS_LINK));
  // Code under test may have written the link.
  if (dirname(sockets) === tmpdir() && SOCKETS.test(basename(sockets)))
    rmSync(sockets, { recursive: true, force: true });
  rmSync(state, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  return ended.size;
}

/** Processes that live in the state directory, or whose output goes to a log of the run; not we, nor who started us. */
function processesOf(workDirectory: string): number[] {
  const [state, logs] = ["state", "logs"].map((name) => `${join(workDirectory, name)}/`) as [string, string];
  const ours = ancestors();
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && !ours.has(Number(entry)))
    .filter((pid) => {
      const outputs = [1, 2].map((fd) => linkTarget(`/proc/${pid}/fd/${fd}`));
      return `${linkTarget(`/proc/${pid}/cwd`)}/`.startsWith(state) || outputs.some((path) => path.startsWith(logs));
    })
    .map(Number);
}

function ancestors(): Set<number> {
  const found = new Set<number>();
  for (let pid = process.pid; pid > 0 && !found.has(pid); ) {
    found.add(pid);
    try {
      pid = parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1")).ppid;
    } catch {
      break;
    }
  }
  return found;
}

/** The process, and the group that it leads where it does; false where it has gone meanwhile. */
function kill(pid: number): boolean {
  for (const whom of [-pid, pid]) {
    try {
      process.kill(whom, "SIGKILL");
    } catch {
      if (whom === pid) return false;
    }
  }
  return true;
}

/** Empty where there is no such link, or it may not be read. */
function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

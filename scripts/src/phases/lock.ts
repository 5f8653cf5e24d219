import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MeasureError } from "../core/errors.ts";

/** One file per machine: two measurements at once would disturb each other. */
const LOCK_FILE = join(tmpdir(), "perf-gate.lock");

/** How long a second run waits for the first to leave the machine, s. */
export const LOCK_WAIT = 30 * 60;

interface Holder {
  pid: number;
  workDirectory: string;
}

/**
 * Takes the machine for this process and its work directory, waiting while another run has it.
 *
 * @param waiting told once who has it
 * @returns what gives it back; safe to call twice
 */
export async function lockMachine(
  workDirectory: string,
  signal: AbortSignal,
  waitSeconds: number,
  waiting: (line: string) => void,
): Promise<() => void> {
  const deadline = performance.now() + waitSeconds * 1000;
  let told = false;
  for (;;) {
    if (tryLock(workDirectory)) return unlock;
    const holder = readHolder()?.pid;
    if (holder === undefined) continue; // it was released or abandoned meanwhile
    if (!told) waiting(`another run (process ${holder}) is measuring on this machine: waiting for it to end`);
    told = true;
    if (performance.now() > deadline) {
      throw new MeasureError(
        `another run (process ${holder}) has been measuring on this machine for ${Math.round(waitSeconds / 60)} minutes; ` +
          `two at once would disturb each other. Wait for it or end it (${LOCK_FILE})`,
      );
    }
    await sleep(500, undefined, { signal });
  }
}

/** The process that works in this directory; null where none does. */
export function workerIn(workDirectory: string): number | null {
  const holder = readHolder();
  return holder?.workDirectory === workDirectory ? holder.pid : null;
}

function tryLock(workDirectory: string): boolean {
  try {
    const file = openSync(LOCK_FILE, "wx", 0o644);
    writeSync(file, `${process.pid} ${workDirectory}\n`);
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new MeasureError(`cannot take the lock ${LOCK_FILE}: ${(error as Error).message}`);
  }
}

/** Who holds the lock; a lock whose process is gone is removed, and null returned. */
function readHolder(): Holder | null {
  let text: string;
  try {
    text = readFileSync(LOCK_FILE, "utf8");
  } catch {
    return null;
  }
  const [, pid = "", workDirectory = ""] = /^(\d+) (.*)\n$/s.exec(text) ?? [];
  const holder = { pid: Number(pid), workDirectory };
  try {
    if (holder.pid > 0) {
      process.kill(holder.pid, 0);
      return holder;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPERM") return holder; // it lives, under another user
  }
  rmSync(LOCK_FILE, { force: true });
  return null;
}

function unlock(): void {
  try {
    if (Number.parseInt(readFileSync(LOCK_FILE, "utf8"), 10) === process.pid) rmSync(LOCK_FILE, { force: true });
  } catch {
    // gone already
  }
}

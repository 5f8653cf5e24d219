import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { forgetGroup, guardGroup } from "./guard.ts";
import type { UsageGroup } from "./usage.ts";

export interface LaunchOptions {
  /** Accounts the process and all it starts. */
  group: UsageGroup;
  /** Logical CPUs it may run on; null = as we. */
  cpus: readonly number[] | null;
  /** File that stdout and stderr are appended to. */
  log: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** A process in the foreground that leads a process group of its own and dies with us. */
export class Child {
  readonly pid: number;
  /** Settles when it has ended: its exit status, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  readonly #process: ChildProcess;
  /** True once nobody is left in its group: the number may belong to somebody else from then on. */
  #gone = false;

  constructor(spawned: ChildProcess) {
    if (spawned.pid === undefined) throw new Error(`cannot start ${spawned.spawnfile}`);
    const pid = spawned.pid;
    this.pid = pid;
    this.#process = spawned;
    guardGroup(pid);
    this.exited = new Promise((resolve) => {
      spawned.once("exit", (code, signal) => {
        this.#lookWhetherGone();
        resolve(signal ?? code ?? 0);
      });
    });
  }

  get alive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /**
   * Sends `signal` to the process and waits up to `graceMs` for it and what it started; then SIGKILL to the whole
   * group. Resolves when the process has ended.
   */
  async stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
    if (this.#gone) return;
    if (this.alive) {
      this.#process.kill(signal);
      const timer = new AbortController();
      await Promise.race([this.exited, sleep(graceMs, null, { signal: timer.signal }).catch(() => null)]);
      timer.abort();
    }
    if (this.#lookWhetherGone()) return;
    signalGroup(this.pid, "SIGKILL");
    await this.exited;
    // Orphans stay in the group as zombies until init looks after them: nothing to wait for.
    for (let tries = 0; tries < 10 && !this.#lookWhetherGone(); tries++) await sleep(5);
    this.#leave();
  }

  #lookWhetherGone(): boolean {
    if (!this.#gone && !signalGroup(this.pid, 0)) this.#leave();
    return this.#gone;
  }

  #leave(): void {
    this.#gone = true;
    forgetGroup(this.pid);
  }
}

/** Starts `command` (a program and its arguments) pinned, accounted and logged. */
export function launch(command: readonly string[], options: LaunchOptions): Child {
  const pinned = options.cpus === null ? command : ["taskset", "-c", options.cpus.join(","), ...command];
  const [program = "", ...args] = options.group.wrap(pinned);
  const log = openSync(options.log, "a");
  try {
    const child = new Child(
      spawn(program, args, {
        cwd: options.cwd,
        env: options.env ?? process.env,
        detached: true,
        stdio: ["ignore", log, log],
      }),
    );
    if (options.group.kind === "tree") options.group.add(child.pid);
    return child;
  } finally {
    closeSync(log);
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

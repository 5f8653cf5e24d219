import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import getPort, { portNumbers } from "get-port";
import { ARMS, type Arm } from "../../core/model.ts";
import type { Child } from "../child.ts";
import { launch } from "../child.ts";
import { forgetDirectory, guardDirectory } from "../guard.ts";
import { UsageGroup } from "../usage.ts";
import { SOCKETS_LINK, SOCKETS_PREFIX } from "./leftovers.ts";

/** Below where Linux hands out source ports: a port of ours is never somebody's outgoing connection. */
const PORTS = { from: 20_000, to: 32_700 };

/** For masters to take their workers with them. Data is thrown away, so nothing else is worth waiting for. */
const STOP_GRACE_MS = 200;

/** Where the processes of a target live: directories, ports, accounting, and the processes themselves. */
export class Premises {
  /** Configuration and data; gone after close(). */
  readonly state: string;
  readonly logs: string;
  /** Unix sockets: a path of at most 107 bytes, so not below a work directory that may be deep. Gone after close(). */
  readonly sockets: string;
  readonly groups: Record<Arm | "services", UsageGroup>;
  readonly signal: AbortSignal;
  readonly #children: Child[] = [];
  readonly #atClose: (() => void)[] = [];
  readonly #ownLogs = new Set<string>();
  #closed = false;

  constructor(workDirectory: string, signal: AbortSignal) {
    this.signal = signal;
    this.state = join(workDirectory, "state");
    this.logs = join(workDirectory, "logs");
    rmSync(this.state, { recursive: true, force: true });
    mkdirSync(this.state, { recursive: true, mode: 0o700 });
    mkdirSync(this.logs, { recursive: true });
    this.sockets = mkdtempSync(join(tmpdir(), SOCKETS_PREFIX));
    symlinkSync(this.sockets, join(this.state, SOCKETS_LINK));
    for (const directory of [this.state, this.sockets]) guardDirectory(directory);
    const run = ++runs;
    const group = (name: string): UsageGroup => UsageGroup.create(`${run}-${name}`);
    this.groups = { base: group("base"), head: group("head"), services: group("services") };
  }

  /** A directory below `state`, made. */
  directory(name: string): string {
    const path = join(this.state, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  socket(name: string): string {
    return join(this.sockets, `${name}.sock`);
  }

  /** Path of a log, empty at first: what an earlier run wrote there would explain the wrong failure. */
  log(name: string): string {
    const path = join(this.logs, `${name}.log`);
    if (!this.#ownLogs.has(path)) rmSync(path, { force: true });
    this.#ownLogs.add(path);
    return path;
  }

  /** A free port on 127.0.0.1; runs side by side start looking at different places. */
  port(): Promise<number> {
    const from = PORTS.from + ((process.pid * 61) % (PORTS.to - PORTS.from - 1_000));
    return getPort({ host: "127.0.0.1", port: portNumbers(from, PORTS.to) });
  }

  /** Starts a process that belongs here: close() ends it. `log` is the name of a log. */
  launch(
    command: readonly string[],
    options: {
      group: Arm | "services";
      cpus: readonly number[] | null;
      log: string;
      cwd?: string;
      env?: NodeJS.ProcessEnv;
    },
  ): Child {
    this.signal.throwIfAborted();
    if (this.#closed) throw new Error("the target is closed");
    const child = launch(command, { ...options, group: this.groups[options.group], log: this.log(options.log) });
    this.#children.push(child);
    return child;
  }

  /** Something else to end at close(), or at once where that has been. */
  atClose(action: () => void): void {
    if (this.#closed) action();
    else this.#atClose.push(action);
  }

  /** Ends every process and removes everything but the logs. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const action of this.#atClose) action();
    await Promise.all(this.#children.map((child) => child.stop("SIGTERM", STOP_GRACE_MS)));
    await Promise.all(["services" as const, ...ARMS].map((name) => this.groups[name].remove()));
    for (const directory of [this.state, this.sockets]) {
      // Somebody may have been killed while writing there.
      rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
      forgetDirectory(directory);
    }
  }
}

/** Targets of this process so far: their groups need different names. */
let runs = 0;

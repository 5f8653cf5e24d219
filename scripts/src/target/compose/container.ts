import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { FrontCounts } from "../front.ts";
import { quoted } from "../log.ts";
import type { Usage } from "../target.ts";
import { type Cgroup, cgroupOf, readCgroup } from "../usage/cgroup.ts";
import { parseProcessStat, TICKS_PER_SECOND } from "../usage/parse.ts";
import { docker } from "./engine.ts";
import { startTicks } from "./owner.ts";

/** What `docker inspect` says of a container, as far as it matters here. */
export interface Inspection {
  Id: string;
  Config: { Labels: Record<string, string> };
  State: {
    Pid: number;
    Status: string;
    ExitCode: number;
    OOMKilled: boolean;
    StartedAt: string;
    Health?: { Status: string };
  };
  HostConfig: { NetworkMode: string };
  NetworkSettings: { Networks: Record<string, { IPAddress: string }> | null };
}

export async function inspect(ids: readonly string[], signal: AbortSignal): Promise<Inspection[]> {
  return ids.length === 0 ? [] : (JSON.parse(await docker(["inspect", ...ids], { signal })) as Inspection[]);
}

/** Lines of a log that an error message shows. */
const KEPT_LINES = 25;
const NOTHING: Usage = { cpuSeconds: 0, memoryBytes: 0, throttledPeriods: 0, oomKills: 0 };

/** A container of the target, the same over all its restarts. */
export class Container {
  readonly service: string;
  readonly id: string;
  /** What its log told since it was started last. */
  readonly counts = new FrontCounts();
  #seen: Inspection;
  #startTicks: number | null = null;
  #cgroup: Cgroup | null = null;
  /** Of its earlier starts together, and of this one. */
  #before = NOTHING;
  #usage = NOTHING;
  #follower: ChildProcess | null = null;
  #ended = false;
  #lastLines: string[] = [];

  constructor(seen: Inspection) {
    this.service = seen.Config.Labels["com.docker.compose.service"] ?? seen.Id.slice(0, 12);
    this.id = seen.Id;
    this.#seen = seen;
    this.started(seen);
  }

  /** Takes note of a start: its process, its accounting and its log are new. */
  started(seen: Inspection): void {
    this.#seen = seen;
    this.#before = add(this.#before, this.#usage);
    this.#usage = NOTHING;
    const local = isIn(this.pid, this.id);
    this.#startTicks = local ? startTicks(this.pid) : null;
    this.#cgroup = local ? cgroupOf(this.pid) : null;
    this.#ended = false;
    this.counts.reset();
    this.#follow();
  }

  /** First process of the container, as the engine numbers it; 0 where it does not run. */
  get pid(): number {
    return this.#seen.State.Pid;
  }

  /** Whether that is a process of this machine: in an engine elsewhere, or in a virtual machine, it is a stranger's. */
  get local(): boolean {
    return this.#startTicks !== null;
  }

  /** Address in its first network; null where it has none of its own. */
  address(): string | null {
    const [first] = Object.values(this.#seen.NetworkSettings.Networks ?? {});
    return first?.IPAddress ? first.IPAddress : null;
  }

  /** Id of the container whose network it uses; null where it has its own. */
  get networkOf(): string | null {
    return /^container:(.+)$/.exec(this.#seen.HostConfig.NetworkMode)?.[1] ?? null;
  }

  /** Whether the process that started() saw still runs, and no worker of it was killed. */
  get alive(): boolean {
    if (this.pid === 0 || this.counts.workersDied > 0) return false;
    return this.local ? startTicks(this.pid) === this.#startTicks : !this.#ended;
  }

  /** Usage over all its starts; null where it runs and its cgroup cannot be read from here. */
  usage(): Usage | null {
    if (this.pid === 0) return { ...this.#before, memoryBytes: 0 };
    if (this.#cgroup === null) return null;
    this.#usage = readCgroup(this.#cgroup, this.#usage);
    return add(this.#before, this.#usage);
  }

  /** Takes note of what `docker inspect` says of its end; its cgroup went with it. Call it once, before a restart. */
  killedForMemory(): void {
    this.#before = { ...this.#before, oomKills: this.#before.oomKills + 1 };
  }

  /** The end of its log, for an error message. */
  evidence(): string {
    if (this.#lastLines.length === 0) return "";
    return `\nlog of ${this.service}:\n${quoted(this.#lastLines.join("\n"), KEPT_LINES)}`;
  }

  close(): void {
    this.#follower?.kill("SIGKILL");
    this.#follower = null;
  }

  /** Reads what it writes to stderr: web server and PHP report there what goes wrong. */
  #follow(): void {
    this.close();
    const since = ["--since", this.#seen.State.StartedAt];
    const follower = spawn("docker", ["logs", "--follow", ...since, this.id], { stdio: ["ignore", "ignore", "pipe"] });
    follower.on("error", () => {});
    // It follows until the container ends.
    follower.once("close", () => {
      if (this.#follower === follower) this.#ended = true;
    });
    let rest = "";
    follower.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (this.#follower !== follower) return;
      const end = (rest + text).lastIndexOf("\n") + 1;
      const lines = (rest + text).slice(0, end);
      rest = (rest + text).slice(end);
      this.counts.add(lines);
      this.#lastLines = [...this.#lastLines, ...lines.split("\n").slice(-KEPT_LINES - 1, -1)].slice(-KEPT_LINES);
    });
    this.#follower = follower;
  }
}

/** Whether a process of this machine is in a container. */
export function isIn(pid: number, container: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "utf8").includes(container);
  } catch {
    return false;
  }
}

/** Memory is that of now, everything else adds up. */
function add(one: Usage, other: Usage): Usage {
  return {
    cpuSeconds: one.cpuSeconds + other.cpuSeconds,
    memoryBytes: other.memoryBytes,
    throttledPeriods: one.throttledPeriods + other.throttledPeriods,
    oomKills: one.oomKills + other.oomKills,
  };
}

/** Usage of several containers together; null where one of them cannot be read. */
export function usageOf(containers: readonly Container[]): Usage | null {
  let sum: Usage | null = NOTHING;
  for (const container of containers) {
    const usage = container.usage();
    if (usage === null || sum === null) sum = null;
    else sum = { ...add(sum, usage), memoryBytes: sum.memoryBytes + usage.memoryBytes };
  }
  return sum;
}

/**
 * CPU time of the engine's own processes, cumulative, s: it answers every look-up of a service's name, which a
 * connection per request makes with every request.
 */
export function engineCpuSeconds(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    try {
      ticks += parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1")).ownTicks;
    } catch {
      // It was replaced meanwhile.
    }
  }
  return ticks / TICKS_PER_SECOND;
}

/** The engine's own processes, where it runs on this machine. */
export function enginePids(): number[] {
  return readdirSync("/proc").flatMap((entry) => {
    try {
      const name = readFileSync(`/proc/${Number(entry)}/comm`, "utf8").trim();
      return ["dockerd", "containerd"].includes(name) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}

export function parentOf(pid: number): number[] {
  try {
    const { ppid } = parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
    return ppid > 1 ? [ppid] : [];
  } catch {
    return [];
  }
}

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { forgetCgroup, guardCgroup } from "../guard.ts";
import type { Usage } from "../target.ts";
import type { UsageGroup } from "../usage.ts";
import {
  type CgroupMount,
  hasQuota,
  parseCgroupMounts,
  parseCgroupPath,
  parseCpuacct,
  parseCpuStatV2,
  parseMemoryStatV1,
  parseMemoryStatV2,
  parseOomKills,
  parseThrottled,
} from "./parse.ts";

/** Where a group's directories and accounting files are. */
export interface Cgroup {
  version: 1 | 2;
  /** One per hierarchy, each with a cgroup.procs. */
  directories: string[];
  /** cpuacct.usage (v1) or cpu.stat (v2). */
  cpu: string;
  memory: string;
  oom: string;
  /** cpu.stat of ancestors with a quota (v1: and of the group): a container's quota sits above what runs in it. */
  throttle: string[];
}

/**
 * Makes the cgroup `perf-gate-<our pid>-<name>`; null where none can be made and joined. In v1 the `cpu` hierarchy is
 * left alone unless it is mounted together with cpuacct: a group there has a CPU share of its own, and accounting
 * should not change what is accounted.
 */
export function createCgroup(name: string): Cgroup | null {
  const mounts = parseCgroupMounts(readFileSync("/proc/self/mountinfo", "utf8"));
  const leaf = `perf-gate-${process.pid}-${name}`;
  const cpuacct = mounts.find((mount) => mount.controllers.includes("cpuacct"));
  const memory = mounts.find((mount) => mount.controllers.includes("memory"));
  const unified = mounts.find((mount) => mount.version === 2);
  if (cpuacct !== undefined && memory !== undefined) return createV1(leaf, cpuacct, memory, mounts);
  return unified === undefined ? null : createV2(leaf, unified);
}

function createV1(leaf: string, cpuacct: CgroupMount, memory: CgroupMount, mounts: CgroupMount[]): Cgroup | null {
  const cpuParent = directoryOf(cpuacct);
  const memoryParent = directoryOf(memory);
  const directories = [...new Set([join(cpuParent, leaf), join(memoryParent, leaf)])];
  if (!makeUsable(directories)) return null;
  const cpu = mounts.find((mount) => mount.controllers.includes("cpu"));
  const group: Cgroup = {
    version: 1,
    directories,
    cpu: join(cpuParent, leaf, "cpuacct.usage"),
    memory: join(memoryParent, leaf, "memory.stat"),
    oom: join(memoryParent, leaf, "memory.oom_control"),
    throttle: cpu === undefined ? [] : throttleFiles(directoryOf(cpu), cpu.mountPoint, "cpu.cfs_quota_us"),
  };
  return group;
}

function createV2(leaf: string, mount: CgroupMount): Cgroup | null {
  const own = directoryOf(mount);
  // A group below ours needs the memory controller, which cannot be handed down by a group that holds processes
  // itself, as ours does unless it was delegated; a sibling has it where our own group has it.
  for (const parent of own === mount.mountPoint ? [own] : [own, dirname(own)]) {
    const directory = join(parent, leaf);
    if (!makeUsable([directory])) continue;
    if (!existsSync(join(directory, "memory.stat"))) tryWrite(join(parent, "cgroup.subtree_control"), "+memory");
    if (!existsSync(join(directory, "memory.stat"))) {
      tryRemove(directory);
      continue;
    }
    return {
      version: 2,
      directories: [directory],
      cpu: join(directory, "cpu.stat"),
      memory: join(directory, "memory.stat"),
      oom: join(directory, "memory.events"),
      throttle: throttleFiles(parent, mount.mountPoint, "cpu.max"),
    };
  }
  return null;
}

/**
 * The cgroup that a running process is in, such as a container's; null where it cannot be seen from here.
 * `proc` is another directory for recorded files.
 */
export function cgroupOf(pid: number, proc = "/proc"): Cgroup | null {
  try {
    const mounts = parseCgroupMounts(readFileSync(`${proc}/self/mountinfo`, "utf8"));
    const text = readFileSync(`${proc}/${pid}/cgroup`, "utf8");
    const at = (controller: string): { mount: CgroupMount; directory: string } | null => {
      const mount =
        mounts.find(({ controllers }) => controllers.includes(controller)) ??
        mounts.find(({ version }) => version === 2);
      const directory = mount && pathIn(mount, text);
      return mount === undefined || directory === undefined || !existsSync(directory) ? null : { mount, directory };
    };
    const [cpuacct, cpu, memory] = [at("cpuacct"), at("cpu"), at("memory")];
    if (cpuacct === null || cpu === null || memory === null) return null;
    const { version } = cpuacct.mount;
    return {
      version,
      directories: [cpuacct.directory],
      cpu: join(cpuacct.directory, version === 1 ? "cpuacct.usage" : "cpu.stat"),
      memory: join(memory.directory, "memory.stat"),
      oom: join(memory.directory, version === 1 ? "memory.oom_control" : "memory.events"),
      throttle:
        version === 1
          ? throttleFiles(cpu.directory, cpu.mount.mountPoint, "cpu.cfs_quota_us")
          : // The group's own periods are in the file that its CPU time is read from.
            throttleFiles(dirname(cpu.directory), cpu.mount.mountPoint, "cpu.max"),
    };
  } catch {
    return null;
  }
}

/** Directory of our own cgroup; the mount point where the path lies outside of what is mounted. */
function directoryOf(mount: CgroupMount): string {
  const directory = pathIn(mount, readFileSync("/proc/self/cgroup", "utf8"));
  return existsSync(directory) ? directory : mount.mountPoint.replace(/\/$/, "");
}

/** Where the cgroup of a /proc/<pid>/cgroup should be. */
function pathIn(mount: CgroupMount, text: string): string {
  const path = parseCgroupPath(text, mount) ?? "/";
  const inside = mount.root !== "/" && path.startsWith(mount.root) ? path.slice(mount.root.length) : path;
  return join(mount.mountPoint, inside.replace(/^(\/\.\.)+/, ""));
}

/** Makes the directories and lets a process join them; on failure none is left. */
function makeUsable(directories: string[]): boolean {
  try {
    for (const directory of directories) {
      removeStale(dirname(directory));
      mkdirSync(directory);
    }
  } catch {
    for (const directory of directories) tryRemove(directory);
    return false;
  }
  const [program = "", ...args] = joinCommand(directories, ["true"]);
  const joined = spawnSync(program, args, { stdio: "ignore" }).status === 0;
  if (!joined) for (const directory of directories) tryRemove(directory);
  return joined;
}

/** Kills the members of cgroups whose makers no longer exist, and removes these, wherever we would make one. */
export function removeStaleCgroups(): void {
  const mounts = parseCgroupMounts(readFileSync("/proc/self/mountinfo", "utf8")).filter(
    ({ version, controllers }) => version === 2 || controllers.includes("cpuacct") || controllers.includes("memory"),
  );
  for (const mount of mounts) {
    const own = directoryOf(mount);
    for (const parent of new Set([own, own === mount.mountPoint ? own : dirname(own)])) {
      try {
        removeStale(parent);
      } catch {
        // Not to be seen from here, so none of ours is there.
      }
    }
  }
}

/** Kills and removes what runs left that no longer exist. */
function removeStale(parent: string): void {
  for (const entry of readdirSync(parent)) {
    const pid = /^perf-gate-(\d+)-/.exec(entry)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    killMembers(join(parent, entry));
    tryRemove(join(parent, entry));
  }
}

function throttleFiles(directory: string, mountPoint: string, quotaFile: string): string[] {
  const files: string[] = [];
  for (let at = directory; at.length >= mountPoint.length; at = dirname(at)) {
    const quota = join(at, quotaFile);
    if (existsSync(quota) && hasQuota(readFileSync(quota, "utf8"))) files.push(join(at, "cpu.stat"));
    if (at === "/") break;
  }
  return files;
}

function joinCommand(directories: string[], command: readonly string[]): string[] {
  const script = directories.map((_, index) => `echo $$ >"$${index + 1}"`).join(" && ");
  const paths = directories.map((directory) => join(directory, "cgroup.procs"));
  return ["sh", "-c", `${script} && shift ${directories.length} && exec "$@"`, "sh", ...paths, ...command];
}

function members(directory: string): number[] {
  return readFileSync(join(directory, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
}

function killMembers(directory: string): void {
  try {
    for (const pid of members(directory)) process.kill(pid, "SIGKILL");
  } catch {
    // Gone already, group or process; whoever is left is met on the next try.
  }
}

function tryRemove(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch {
    return !existsSync(directory);
  }
}

function tryWrite(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch {
    // Whether it took effect is looked up by the caller.
  }
}

/** A cgroup's accounting as a UsageGroup. */
export class CgroupGroup implements UsageGroup {
  readonly kind: "v1" | "v2";
  readonly #cgroup: Cgroup;
  #removed = false;
  #last: Usage = { cpuSeconds: 0, memoryBytes: 0, throttledPeriods: 0, oomKills: 0 };

  constructor(cgroup: Cgroup) {
    this.kind = cgroup.version === 1 ? "v1" : "v2";
    this.#cgroup = cgroup;
    for (const directory of cgroup.directories) guardCgroup(directory);
  }

  wrap(command: readonly string[]): string[] {
    return joinCommand(this.#cgroup.directories, command);
  }

  add(pid: number): void {
    for (const directory of this.#cgroup.directories) tryWrite(join(directory, "cgroup.procs"), `${pid}`);
  }

  pids(): number[] {
    if (this.#removed) return [];
    return members(this.#cgroup.directories[0] ?? "");
  }

  read(): Usage {
    if (!this.#removed) this.#last = readCgroup(this.#cgroup, this.#last);
    return this.#last;
  }

  kill(): void {
    if (this.#removed) return;
    for (const directory of this.#cgroup.directories) killMembers(directory);
  }

  async remove(): Promise<void> {
    if (this.#removed) return;
    this.read();
    this.#removed = true;
    for (const directory of this.#cgroup.directories) {
      // A killed process leaves its group when it has been taken down, a moment later.
      for (let tries = 0; tries < 200 && !tryRemove(directory); tries++) {
        killMembers(directory);
        await sleep(5);
      }
      forgetCgroup(directory);
    }
  }
}

/** Reads the accounting files; what cannot be read keeps its previous value. Exported for recorded files. */
export function readCgroup(cgroup: Cgroup, previous: Usage): Usage {
  try {
    const cpu = readFileSync(cgroup.cpu, "utf8");
    const memory = readFileSync(cgroup.memory, "utf8");
    const v2 = cgroup.version === 2 ? parseCpuStatV2(cpu) : null;
    let throttledPeriods = v2?.throttledPeriods ?? 0;
    for (const file of cgroup.throttle) throttledPeriods += parseThrottled(readFileSync(file, "utf8"));
    return {
      cpuSeconds: v2?.cpuSeconds ?? parseCpuacct(cpu),
      memoryBytes: v2 === null ? parseMemoryStatV1(memory) : parseMemoryStatV2(memory),
      throttledPeriods,
      oomKills: parseOomKills(readFileSync(cgroup.oom, "utf8")),
    };
  } catch {
    return previous;
  }
}

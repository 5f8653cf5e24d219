/** Parsers of the kernel's accounting files. All are pure; a value that is absent counts as 0. */

/** USER_HZ: what the kernel shows times in, 100 on every Linux that Node runs on. */
export const TICKS_PER_SECOND = 100;

/** cpuacct.usage (ns) as seconds. */
export function parseCpuacct(text: string): number {
  return Number(text) / 1e9;
}

/** `name value` lines, as in cpu.stat, memory.stat, memory.events and memory.oom_control. */
export function parseFlatKeyed(text: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [key, value] = line.split(" ");
    if (key !== undefined && value !== undefined) values.set(key, Number(value));
  }
  return values;
}

function figure(text: string, key: string): number {
  return parseFlatKeyed(text).get(key) ?? 0;
}

/** cpu.stat of cgroup v2: CPU time in seconds, and the CFS periods in which the group was throttled. */
export function parseCpuStatV2(text: string): { cpuSeconds: number; throttledPeriods: number } {
  const values = parseFlatKeyed(text);
  return { cpuSeconds: (values.get("usage_usec") ?? 0) / 1e6, throttledPeriods: values.get("nr_throttled") ?? 0 };
}

/** nr_throttled of a cpu.stat, v1 or v2. */
export function parseThrottled(text: string): number {
  return figure(text, "nr_throttled");
}

/** Anonymous memory in bytes, children included, of a v1 memory.stat. */
export function parseMemoryStatV1(text: string): number {
  return figure(text, "total_rss");
}

/** Anonymous memory in bytes, children included, of a v2 memory.stat. */
export function parseMemoryStatV2(text: string): number {
  return figure(text, "anon");
}

/** oom_kill of a v1 memory.oom_control or a v2 memory.events. */
export function parseOomKills(text: string): number {
  return figure(text, "oom_kill");
}

/** True where a v2 cpu.max or a v1 cpu.cfs_quota_us sets a quota. */
export function hasQuota(text: string): boolean {
  const quota = text.trim().split(" ")[0] ?? "";
  return quota !== "max" && Number(quota) > 0;
}

export interface CgroupMount {
  /** Path inside the hierarchy that is mounted. */
  root: string;
  mountPoint: string;
  version: 1 | 2;
  /** Controllers of a v1 hierarchy; empty for v2. */
  controllers: string[];
}

/** cgroup mounts of a /proc/<pid>/mountinfo. */
export function parseCgroupMounts(mountinfo: string): CgroupMount[] {
  const mounts: CgroupMount[] = [];
  for (const line of mountinfo.split("\n")) {
    const [before, after] = line.split(" - ");
    if (before === undefined || after === undefined) continue;
    const [, , , root, mountPoint] = before.split(" ");
    const [type, , superOptions] = after.split(" ");
    if (root === undefined || mountPoint === undefined) continue;
    if (type === "cgroup2") mounts.push({ root, mountPoint, version: 2, controllers: [] });
    if (type === "cgroup")
      mounts.push({ root, mountPoint, version: 1, controllers: (superOptions ?? "").split(",").slice(1) });
  }
  return mounts;
}

/** Path of a process in a hierarchy, from its /proc/<pid>/cgroup; null where it is in none. */
export function parseCgroupPath(text: string, mount: CgroupMount): string | null {
  for (const line of text.split("\n")) {
    const [id, controllers, ...path] = line.split(":");
    if (id === undefined || controllers === undefined) continue;
    const matches = mount.version === 2 ? id === "0" : mount.controllers.includes(controllers.split(",")[0] ?? "");
    if (matches && (mount.version === 2 || controllers !== "")) return path.join(":");
  }
  return null;
}

export interface ProcessStat {
  ppid: number;
  /** Clock ticks of its own threads, and of children it has waited for. */
  ownTicks: number;
  waitedTicks: number;
  threads: number;
  /** Start time in ticks since boot: with the pid, the identity of a process. */
  startTicks: number;
  /** A thread of the kernel, not a process. */
  isKernel: boolean;
  /** Logical CPU it ran on last. */
  cpu: number;
}

/** Flag of kernel threads in field 9 (include/linux/sched.h). */
const PF_KTHREAD = 0x00200000;

/** /proc/<pid>/stat; the name in parentheses may hold anything, so fields count from the last one. */
export function parseProcessStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // proc(5) numbers fields from 1 and the state, first after the name, is field 3.
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    ppid: field(4),
    ownTicks: field(14) + field(15),
    waitedTicks: field(16) + field(17),
    threads: field(20),
    startTicks: field(22),
    isKernel: (field(9) & PF_KTHREAD) !== 0,
    cpu: field(39),
  };
}

/** First figure of /proc/<pid>/schedstat (ns on a CPU) as seconds; of the main thread alone. */
export function parseSchedstat(text: string): number {
  return Number(text.split(" ")[0]) / 1e9;
}

/** RssAnon of /proc/<pid>/status in bytes. */
export function parseRssAnon(status: string): number {
  return Number(/^RssAnon:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CgroupMount, parseCgroupMounts, parseCgroupPath } from "./parse.ts";

/** Cores that a quota file allows: cpu.max (v2: "20000 100000" or "max 100000"); null = no quota. */
export function parseCpuMax(text: string): number | null {
  const [quota, period] = text.trim().split(/\s+/);
  return quota === undefined || quota === "max" ? null : Number(quota) / Number(period ?? 100_000);
}

/**
 * Cores' worth of CPU time that the tightest CFS quota on a process or its ancestors allows; null where none applies
 * or it cannot be read. A process at its quota is saturated, however idle its cores are.
 */
export function cpuQuota(pid: number): number | null {
  try {
    const mounts = parseCgroupMounts(readFileSync("/proc/self/mountinfo", "utf8"));
    const mount =
      mounts.find(({ controllers }) => controllers.includes("cpu")) ?? mounts.find(({ version }) => version === 2);
    const path = mount && parseCgroupPath(readFileSync(`/proc/${pid}/cgroup`, "utf8"), mount);
    if (mount === undefined || path === undefined || path === null) return null;
    const limits = quotasAbove(join(mount.mountPoint, path), mount);
    return limits.length > 0 ? Math.min(...limits) : null;
  } catch {
    return null;
  }
}

function quotasAbove(directory: string, { mountPoint, version }: CgroupMount): number[] {
  const limits: number[] = [];
  for (let at = directory; at.startsWith(mountPoint); at = dirname(at)) {
    const limit = version === 2 ? readV2(at) : readV1(at);
    if (limit !== null) limits.push(limit);
    if (at === mountPoint) break;
  }
  return limits;
}

function readV2(directory: string): number | null {
  const file = join(directory, "cpu.max");
  return existsSync(file) ? parseCpuMax(readFileSync(file, "utf8")) : null;
}

function readV1(directory: string): number | null {
  const file = join(directory, "cpu.cfs_quota_us");
  if (!existsSync(file)) return null;
  const quota = Number(readFileSync(file, "utf8"));
  return quota > 0 ? quota / Number(readFileSync(join(directory, "cpu.cfs_period_us"), "utf8")) : null;
}

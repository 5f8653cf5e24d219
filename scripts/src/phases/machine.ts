import { existsSync, readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { InputError } from "../core/errors.ts";
import { chooseLayout, describeLayout, type LogicalCpu, parseCpuList } from "../core/layout.ts";
import type { Config, Environment, Layout } from "../core/model.ts";

/** Logical CPUs this process may use, with the physical core of each. */
export function usableCpus(): LogicalCpu[] {
  const status = readOr("/proc/self/status", "");
  const allowed = parseCpuList(/^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? "") ?? cpus().map((_, id) => id);
  return allowed.map((id) => ({ id, core: siblings(id) }));
}

/** Threads of one core share this text; a machine that does not tell gets a core per thread. */
function siblings(id: number): string {
  return readOr(`/sys/devices/system/cpu/cpu${id}/topology/thread_siblings_list`, String(id)).trim();
}

/** The layout the configuration asks for; throws InputError where it names CPUs that we may not use. */
export function layoutFor(isolation: Config["measure"]["isolation"]): Layout {
  const usable = usableCpus();
  if (isolation === "auto") return chooseLayout(usable);
  const all = usable.map(({ id }) => id);
  if (isolation === "off") {
    const note = "isolation is off: load generator, service and databases may use every CPU; expect wide intervals";
    return { generator: all, target: all, services: all, isolated: false, note };
  }
  const list = (key: "generator" | "target" | "services") => {
    const named = parseCpuList(isolation[key]);
    const missing = named?.filter((cpu) => !all.includes(cpu)) ?? [];
    if (named !== null && missing.length === 0) return named;
    throw new InputError(
      `measure.isolation.${key}: ${JSON.stringify(isolation[key])} names CPUs that cannot be used here; usable: ${all.join(",")}`,
    );
  };
  return describeLayout({ generator: list("generator"), target: list("target"), services: list("services") });
}

/** What stays the same as long as the machine does. */
export function machineFacts(): Environment["machine"] {
  const usable = usableCpus();
  return {
    cpuModel: cpus()[0]?.model.trim() ?? "unknown",
    logicalCpus: usable.length,
    physicalCores: new Set(usable.map(({ core }) => core)).size,
    memoryBytes: totalmem(),
    kernel: release(),
    os: /^PRETTY_NAME="?([^"\n]+)/m.exec(readOr("/etc/os-release", ""))?.[1] ?? "unknown",
    cgroup: existsSync("/sys/fs/cgroup/cgroup.controllers")
      ? "v2"
      : existsSync("/sys/fs/cgroup/cpuacct")
        ? "v1"
        : "none",
  };
}

function readOr(path: string, fallback: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return fallback;
  }
}

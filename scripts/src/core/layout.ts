import type { Layout } from "./model.ts";

/** A logical CPU and the physical core it belongs to, e.g. { id: 3, core: "0:1" } (package:core). */
export interface LogicalCpu {
  id: number;
  core: string;
}

/** CPUs of a kernel list such as "0,2-3", ascending; null where it is not one. */
export function parseCpuList(text: string): number[] | null {
  const cpus = new Set<number>();
  for (const part of text.trim().split(",")) {
    const match = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part.trim());
    if (!match) return null;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first) return null;
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}

/** The kernel's way to write a list of CPUs: "0,2-3". */
export function formatCpuList(cpus: readonly number[]): string {
  const parts: string[] = [];
  for (let start = 0; start < cpus.length; ) {
    let end = start;
    while (end + 1 < cpus.length && cpus[end + 1] === (cpus[end] ?? 0) + 1) end++;
    parts.push(start === end ? `${cpus[start]}` : `${cpus[start]}-${cpus[end]}`);
    start = end + 1;
  }
  return parts.join(",");
}

/**
 * Divides whole physical cores among load generator, service and databases, so that no two of them share one where
 * there are enough: a third (rounded up) for the generator, one in four for the databases from four cores on.
 */
export function chooseLayout(cpus: readonly LogicalCpu[]): Layout {
  const cores = new Map<string, number[]>();
  for (const { id, core } of cpus)
    cores.set(
      core,
      [...(cores.get(core) ?? []), id].sort((a, b) => a - b),
    );
  const physical = [...cores.values()].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
  const all = physical.flat().sort((a, b) => a - b);

  if (physical.length < 2) {
    // Threads of one core still compete less than tasks of one thread.
    if (all.length < 2) {
      return {
        generator: all,
        target: all,
        services: all,
        isolated: false,
        note: "one CPU for everything: the load generator takes time from the service, expect wide intervals",
      };
    }
    const target = all.slice(0, -1);
    return {
      generator: all.slice(-1),
      target,
      services: target,
      isolated: false,
      note: `one physical core: load generator on thread ${formatCpuList(all.slice(-1))}, service and databases on ${formatCpuList(target)}`,
    };
  }

  const generatorCores = physical.length === 2 ? 1 : Math.ceil(physical.length / 3);
  const serviceCores = physical.length >= 4 ? Math.max(1, Math.floor(physical.length / 4)) : 0;
  const flat = (from: number, to: number) =>
    physical
      .slice(from, to)
      .flat()
      .sort((a, b) => a - b);
  const targetCores = physical.length - generatorCores - serviceCores;
  const target = flat(0, targetCores);
  const services = serviceCores > 0 ? flat(targetCores, targetCores + serviceCores) : target;
  const generator = flat(targetCores + serviceCores, physical.length);
  return describeLayout({ generator, target, services });
}

/** Names a layout and says whether the generator keeps to itself. */
export function describeLayout(cpus: { generator: number[]; target: number[]; services: number[] }): Layout {
  const shared = cpus.generator.some((cpu) => cpus.target.includes(cpu) || cpus.services.includes(cpu));
  const same = formatCpuList(cpus.services) === formatCpuList(cpus.target);
  const service = same
    ? `service and databases on CPU ${formatCpuList(cpus.target)}`
    : `service on CPU ${formatCpuList(cpus.target)}, databases on CPU ${formatCpuList(cpus.services)}`;
  const note = `load generator on CPU ${formatCpuList(cpus.generator)}, ${service}${shared ? "; they share cores: expect wide intervals" : ""}`;
  return { ...cpus, isolated: !shared, note };
}

import { InputError } from "../../core/errors.ts";
import type { Resources } from "../../core/model.ts";
import { type ComposeService, without } from "./types.ts";

/** What limits of the file would contradict `target.resources`. */
const OWN_LIMITS = ["cpus", "cpu_quota", "cpu_period", "cpuset", "mem_limit", "memswap_limit", "mem_reservation"];

/** The service on these CPUs; null = as the file says. */
export function pinned(service: ComposeService, cpus: readonly number[] | null): ComposeService {
  return cpus === null ? service : { ...service, cpuset: cpus.join(",") };
}

/**
 * The service with the CPU and memory of a pod, in place of limits of the file. `cpus` is what it may use at all; null
 * = not pinned. Without swap: memory beyond the limit is a kill in a pod, and must be one here.
 * Throws InputError where there are not as many CPUs.
 */
export function limited(service: ComposeService, resources: Resources, cpus: readonly number[] | null): ComposeService {
  const { by, memoryBytes } = resources;
  if (cpus === null && by === "cpuset")
    throw new InputError(
      "target.resources: by: cpuset needs measure.isolation auto or CPU lists; got off. Write by: quota, or isolation: auto.",
    );
  if (cpus !== null && resources.cpus > cpus.length)
    throw new InputError(
      `target.resources: asks for ${resources.cpus} CPUs; the layout has ${cpus.length} for PHP (${cpus.join(",")}), the others are for k6 and the services. Ask for at most ${cpus.length}, or take a larger machine.`,
    );
  const { deploy } = service;
  const kept = without(service, ...OWN_LIMITS);
  return {
    ...kept,
    ...(deploy?.resources === undefined
      ? {}
      : { deploy: { ...deploy, resources: without(deploy.resources, "limits", "reservations") } }),
    ...(by === "quota" ? { cpus: resources.cpus } : {}),
    ...(cpus === null ? {} : { cpuset: (by === "quota" ? cpus : cpus.slice(0, resources.cpus)).join(",") }),
    mem_limit: `${memoryBytes}`,
    memswap_limit: `${memoryBytes}`,
  };
}

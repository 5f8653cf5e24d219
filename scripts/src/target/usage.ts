import type { Usage } from "./target.ts";
import { CgroupGroup, createCgroup } from "./usage/cgroup.ts";
import { ProcessTree } from "./usage/tree.ts";

/** A set of processes whose CPU time and memory are accounted together. */
export interface UsageGroup {
  /** How it is accounted: cgroup v1, cgroup v2, or by walking /proc. */
  readonly kind: "v1" | "v2" | "tree";
  /** The command that joins the group and then becomes `command`; whatever it starts inherits the group. */
  wrap(command: readonly string[]): string[];
  /** Adds a running process; its later children belong to the group, earlier ones only by way of /proc. */
  add(pid: number): void;
  /** Processes alive now. */
  pids(): number[];
  /** Usage since the group was made, cumulative. Cheap enough for several calls a second; never throws. */
  read(): Usage;
  /** Sends SIGKILL to every process of the group. */
  kill(): void;
  /** Kills what is left and removes the group; afterwards read() returns the last figures. Safe to call twice. */
  remove(): Promise<void>;
}

export const UsageGroup = {
  /**
   * Makes a group: a cgroup below (v2 also: beside) our own where the kernel and our rights allow, else a process
   * tree. `name` is unique among the living groups of this process, [a-z0-9-]. Removes cgroups that dead runs left.
   */
  create(name: string, kind: "auto" | "tree" = "auto"): UsageGroup {
    const cgroup = kind === "auto" ? createCgroup(name) : null;
    return cgroup === null ? new ProcessTree() : new CgroupGroup(cgroup);
  },
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  forgetCgroup,
  guardCgroup,
  hasQuota,
  parseCgroupMounts,
  parseCgroupPath,
  parseCpuStatV2,
  parseCpuacct,
  parseMemoryStatV1,
  parseMemoryStatV2,
  parseOomKills,
  parseThrottled
} from "./shared-guard.js";

// scripts/src/target/usage/cgroup.ts
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
function createCgroup(name) {
  const mounts = parseCgroupMounts(readFileSync("/proc/self/mountinfo", "utf8"));
  const leaf = `perf-gate-${process.pid}-${name}`;
  const cpuacct = mounts.find((mount) => mount.controllers.includes("cpuacct"));
  const memory = mounts.find((mount) => mount.controllers.includes("memory"));
  const unified = mounts.find((mount) => mount.version === 2);
  if (cpuacct !== void 0 && memory !== void 0) return createV1(leaf, cpuacct, memory, mounts);
  return unified === void 0 ? null : createV2(leaf, unified);
}
function createV1(leaf, cpuacct, memory, mounts) {
  const cpuParent = directoryOf(cpuacct);
  const memoryParent = directoryOf(memory);
  const directories = [.../* @__PURE__ */ new Set([join(cpuParent, leaf), join(memoryParent, leaf)])];
  if (!makeUsable(directories)) return null;
  const cpu = mounts.find((mount) => mount.controllers.includes("cpu"));
  const group = {
    version: 1,
    directories,
    cpu: join(cpuParent, leaf, "cpuacct.usage"),
    memory: join(memoryParent, leaf, "memory.stat"),
    oom: join(memoryParent, leaf, "memory.oom_control"),
    throttle: cpu === void 0 ? [] : throttleFiles(directoryOf(cpu), cpu.mountPoint, "cpu.cfs_quota_us")
  };
  return group;
}
function createV2(leaf, mount) {
  const own = directoryOf(mount);
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
      throttle: throttleFiles(parent, mount.mountPoint, "cpu.max")
    };
  }
  return null;
}
function cgroupOf(pid, proc = "/proc") {
  try {
    const mounts = parseCgroupMounts(readFileSync(`${proc}/self/mountinfo`, "utf8"));
    const text = readFileSync(`${proc}/${pid}/cgroup`, "utf8");
    const at = (controller) => {
      const mount = mounts.find(({ controllers }) => controllers.includes(controller)) ?? mounts.find(({ version: version2 }) => version2 === 2);
      const directory = mount && pathIn(mount, text);
      return mount === void 0 || directory === void 0 || !existsSync(directory) ? null : { mount, directory };
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
      throttle: version === 1 ? throttleFiles(cpu.directory, cpu.mount.mountPoint, "cpu.cfs_quota_us") : (
        // The group's own periods are in the file that its CPU time is read from.
        throttleFiles(dirname(cpu.directory), cpu.mount.mountPoint, "cpu.max")
      )
    };
  } catch {
    return null;
  }
}
function directoryOf(mount) {
  const directory = pathIn(mount, readFileSync("/proc/self/cgroup", "utf8"));
  return existsSync(directory) ? directory : mount.mountPoint.replace(/\/$/, "");
}
function pathIn(mount, text) {
  const path = parseCgroupPath(text, mount) ?? "/";
  const inside = mount.root !== "/" && path.startsWith(mount.root) ? path.slice(mount.root.length) : path;
  return join(mount.mountPoint, inside.replace(/^(\/\.\.)+/, ""));
}
function makeUsable(directories) {
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
function removeStaleCgroups() {
  const mounts = parseCgroupMounts(readFileSync("/proc/self/mountinfo", "utf8")).filter(
    ({ version, controllers }) => version === 2 || controllers.includes("cpuacct") || controllers.includes("memory")
  );
  for (const mount of mounts) {
    const own = directoryOf(mount);
    for (const parent of /* @__PURE__ */ new Set([own, own === mount.mountPoint ? own : dirname(own)])) {
      try {
        removeStale(parent);
      } catch {
      }
    }
  }
}
function removeStale(parent) {
  for (const entry of readdirSync(parent)) {
    const pid = /^perf-gate-(\d+)-/.exec(entry)?.[1];
    if (pid === void 0 || existsSync(`/proc/${pid}`)) continue;
    killMembers(join(parent, entry));
    tryRemove(join(parent, entry));
  }
}
function throttleFiles(directory, mountPoint, quotaFile) {
  const files = [];
  for (let at = directory; at.length >= mountPoint.length; at = dirname(at)) {
    const quota = join(at, quotaFile);
    if (existsSync(quota) && hasQuota(readFileSync(quota, "utf8"))) files.push(join(at, "cpu.stat"));
    if (at === "/") break;
  }
  return files;
}
function joinCommand(directories, command) {
  const script = directories.map((_, index) => `echo $$ >"$${index + 1}"`).join(" && ");
  const paths = directories.map((directory) => join(directory, "cgroup.procs"));
  return ["sh", "-c", `${script} && shift ${directories.length} && exec "$@"`, "sh", ...paths, ...command];
}
function members(directory) {
  return readFileSync(join(directory, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
}
function killMembers(directory) {
  try {
    for (const pid of members(directory)) process.kill(pid, "SIGKILL");
  } catch {
  }
}
function tryRemove(directory) {
  try {
    rmdirSync(directory);
    return true;
  } catch {
    return !existsSync(directory);
  }
}
function tryWrite(file, text) {
  try {
    writeFileSync(file, text);
  } catch {
  }
}
var CgroupGroup = class {
  kind;
  #cgroup;
  #removed = false;
  #last = { cpuSeconds: 0, memoryBytes: 0, throttledPeriods: 0, oomKills: 0 };
  constructor(cgroup) {
    this.kind = cgroup.version === 1 ? "v1" : "v2";
    this.#cgroup = cgroup;
    for (const directory of cgroup.directories) guardCgroup(directory);
  }
  wrap(command) {
    return joinCommand(this.#cgroup.directories, command);
  }
  add(pid) {
    for (const directory of this.#cgroup.directories) tryWrite(join(directory, "cgroup.procs"), `${pid}`);
  }
  pids() {
    if (this.#removed) return [];
    return members(this.#cgroup.directories[0] ?? "");
  }
  read() {
    if (!this.#removed) this.#last = readCgroup(this.#cgroup, this.#last);
    return this.#last;
  }
  kill() {
    if (this.#removed) return;
    for (const directory of this.#cgroup.directories) killMembers(directory);
  }
  async remove() {
    if (this.#removed) return;
    this.read();
    this.#removed = true;
    for (const directory of this.#cgroup.directories) {
      for (let tries = 0; tries < 200 && !tryRemove(directory); tries++) {
        killMembers(directory);
        await sleep(5);
      }
      forgetCgroup(directory);
    }
  }
};
function readCgroup(cgroup, previous) {
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
      oomKills: parseOomKills(readFileSync(cgroup.oom, "utf8"))
    };
  } catch {
    return previous;
  }
}

export {
  createCgroup,
  cgroupOf,
  removeStaleCgroups,
  CgroupGroup,
  readCgroup
};

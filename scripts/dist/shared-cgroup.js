import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  MeasureError
} from "./shared-errors.js";

// scripts/src/measure/k6.ts
import { spawn as spawn3 } from "node:child_process";
import { readFileSync as readFileSync4, rmSync, writeFileSync as writeFileSync2 } from "node:fs";
import { isIP } from "node:net";
import { homedir } from "node:os";
import { join as join3 } from "node:path";
import { createInterface } from "node:readline";

// scripts/src/target/child.ts
import { spawn as spawn2 } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

// scripts/src/target/guard.ts
import { spawn } from "node:child_process";
var SCRIPT = `
trap '' HUP INT TERM
declare -A group=() cgroup=() directory=() label=()
while read -r verb kind what; do
  case $verb:$kind in
    guard:group) group[$what]=1 ;;
    guard:cgroup) cgroup[$what]=1 ;;
    guard:directory) directory[$what]=1 ;;
    guard:label) label[$what]=1 ;;
    forget:group) unset "group[$what]" ;;
    forget:cgroup) unset "cgroup[$what]" ;;
    forget:directory) unset "directory[$what]" ;;
    forget:label) unset "label[$what]" ;;
  esac
done
for leader in "\${!group[@]}"; do kill -KILL -- "-$leader"; done
for try in {1..200}; do
  left=
  for path in "\${!cgroup[@]}"; do
    [[ -d $path ]] || continue
    while read -r pid; do kill -KILL "$pid"; done <"$path/cgroup.procs"
    rmdir -- "$path" || left=1
  done
  [[ $left ]] || break
  sleep 0.01
done
for path in "\${!directory[@]}"; do rm -rf -- "$path"; done
# What the engine was still making when its client was killed appears a moment later.
list() {
  case $1 in
    container) docker ps --all --quiet --no-trunc --filter "label=$2" ;;
    *) docker "$1" ls --quiet --filter "label=$2" ;;
  esac
}
for what in "\${!label[@]}"; do
  empty=0
  for try in {1..60}; do
    ((++empty))
    for kind in container network volume image; do
      mapfile -t found < <(list "$kind" "$what" | sort -u)
      ((\${#found[@]})) || continue
      empty=0
      case $kind in
        container) docker rm --force --volumes "\${found[@]}" ;;
        image) docker image rm --force "\${found[@]}" ;;
        *) docker "$kind" rm "\${found[@]}" ;;
      esac
    done
    ((empty < 2)) || break
    sleep 0.5
  done
done
`;
var shell = null;
var guarded = /* @__PURE__ */ new Set();
function guard(kind, what) {
  if (shell === null) {
    shell = spawn("bash", ["-c", SCRIPT], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    shell.unref();
    shell.stdin.unref();
    shell.stdin?.on("error", () => {
    });
  }
  guarded.add(`${kind} ${what}`);
  shell.stdin?.write(`guard ${kind} ${what}
`);
}
function forget(kind, what) {
  if (!guarded.delete(`${kind} ${what}`)) return;
  shell?.stdin?.write(`forget ${kind} ${what}
`);
  if (guarded.size > 0) return;
  shell?.stdin?.end();
  shell = null;
}
var guardGroup = (pid) => guard("group", pid);
var forgetGroup = (pid) => forget("group", pid);
var guardCgroup = (path) => guard("cgroup", path);
var forgetCgroup = (path) => forget("cgroup", path);
var guardDirectory = (path) => guard("directory", path);
var forgetDirectory = (path) => forget("directory", path);
var guardLabel = (label) => guard("label", label);
var forgetLabel = (label) => forget("label", label);

// scripts/src/target/child.ts
var Child = class {
  pid;
  /** Settles when it has ended: its exit status, or the signal that ended it. */
  exited;
  #process;
  /** True once nobody is left in its group: the number may belong to somebody else from then on. */
  #gone = false;
  constructor(spawned) {
    if (spawned.pid === void 0) throw new Error(`cannot start ${spawned.spawnfile}`);
    const pid = spawned.pid;
    this.pid = pid;
    this.#process = spawned;
    guardGroup(pid);
    this.exited = new Promise((resolve) => {
      spawned.once("exit", (code, signal) => {
        this.#lookWhetherGone();
        resolve(signal ?? code ?? 0);
      });
    });
  }
  get alive() {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }
  /**
   * Sends `signal` to the process and waits up to `graceMs` for it and what it started; then SIGKILL to the whole
   * group. Resolves when the process has ended.
   */
  async stop(signal, graceMs) {
    if (this.#gone) return;
    if (this.alive) {
      this.#process.kill(signal);
      const timer = new AbortController();
      await Promise.race([this.exited, sleep(graceMs, null, { signal: timer.signal }).catch(() => null)]);
      timer.abort();
    }
    if (this.#lookWhetherGone()) return;
    signalGroup(this.pid, "SIGKILL");
    await this.exited;
    for (let tries = 0; tries < 10 && !this.#lookWhetherGone(); tries++) await sleep(5);
    this.#leave();
  }
  #lookWhetherGone() {
    if (!this.#gone && !signalGroup(this.pid, 0)) this.#leave();
    return this.#gone;
  }
  #leave() {
    this.#gone = true;
    forgetGroup(this.pid);
  }
};
function launch(command, options) {
  const pinned = options.cpus === null ? command : ["taskset", "-c", options.cpus.join(","), ...command];
  const [program = "", ...args] = options.group.wrap(pinned);
  const log = openSync(options.log, "a");
  try {
    const child = new Child(
      spawn2(program, args, {
        cwd: options.cwd,
        env: options.env ?? process.env,
        detached: true,
        stdio: ["ignore", log, log]
      })
    );
    if (options.group.kind === "tree") options.group.add(child.pid);
    return child;
  } finally {
    closeSync(log);
  }
}
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

// scripts/src/target/log.ts
import { closeSync as closeSync2, fstatSync, openSync as openSync2, readFileSync, readSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
var CHUNK = 1 << 16;
var LogReader = class {
  #path;
  #offset = 0;
  /** Start of a line that was not complete when it was read. */
  #rest = "";
  constructor(path) {
    this.#path = path;
  }
  /** Complete lines that are new; none where there is no such file. */
  newLines() {
    const lines = (this.#rest + this.#newText()).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines;
  }
  /** Passes over what is there. */
  skip() {
    this.newLines();
    this.#rest = "";
  }
  #newText() {
    let file;
    try {
      file = openSync2(this.#path, "r");
    } catch {
      return "";
    }
    try {
      if (fstatSync(file).size < this.#offset) this.#offset = 0;
      const buffer = Buffer.allocUnsafe(CHUNK);
      const parts = [];
      for (; ; ) {
        const length = readSync(file, buffer, 0, CHUNK, this.#offset);
        if (length === 0) return parts.join("");
        this.#offset += length;
        parts.push(buffer.toString("latin1", 0, length));
      }
    } finally {
      closeSync2(file);
    }
  }
};
function tail(title, path, lines = 15) {
  let text;
  try {
    text = readFileSync(path, "utf8").trimEnd();
  } catch {
    return "";
  }
  return text === "" ? "" : `
${title} (${path}):
${quoted(text, lines)}`;
}
var CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;
function quoted(text, lines) {
  const last = text.trimEnd().split(/\r?\n/).slice(-lines);
  return last.map((line) => `| ${printable(line).slice(0, 500)}`).join("\n");
}
var printable = (line) => stripVTControlCharacters(line).replace(CONTROL, (character) => character === "	" ? character : "").replaceAll("##[", "# #[");

// scripts/src/target/programs.ts
import { accessSync, constants, readdirSync } from "node:fs";
import { join } from "node:path";
var SERVER_DIRECTORIES = ["/usr/sbin", "/usr/local/sbin"];
function directories() {
  const path = (process.env.PATH ?? "").split(":").filter((directory) => directory !== "");
  return [.../* @__PURE__ */ new Set([...path, ...SERVER_DIRECTORIES])];
}
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
function findProgram(...names) {
  for (const name of names) {
    if (name.includes("/")) {
      if (isExecutable(name)) return name;
      continue;
    }
    const found = directories().map((directory) => join(directory, name)).find(isExecutable);
    if (found !== void 0) return found;
  }
  return null;
}
function requireProgram(debianPackage, ...names) {
  const found = findProgram(...names);
  if (found !== null) return found;
  throw new MeasureError(
    `${names.join(" or ")} is not installed: apt-get install ${debianPackage}; ./scripts/perf-gate doctor lists everything that is missing`
  );
}
function findPhpFpm() {
  const versioned = [];
  for (const directory of directories()) {
    for (const name of list(directory)) {
      const match = /^php-fpm(\d+)\.(\d+)$/.exec(name);
      if (match === null || !isExecutable(join(directory, name))) continue;
      versioned.push({ path: join(directory, name), version: Number(match[1]) * 1e3 + Number(match[2]) });
    }
  }
  const newest = versioned.sort((a, b) => b.version - a.version)[0];
  return newest?.path ?? findProgram("php-fpm");
}
function list(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

// scripts/src/target/usage/cgroup.ts
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync as readdirSync2, readFileSync as readFileSync2, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join as join2 } from "node:path";
import { setTimeout as sleep2 } from "node:timers/promises";

// scripts/src/target/usage/parse.ts
var TICKS_PER_SECOND = 100;
function parseCpuacct(text) {
  return Number(text) / 1e9;
}
function parseFlatKeyed(text) {
  const values = /* @__PURE__ */ new Map();
  for (const line of text.split("\n")) {
    const [key, value] = line.split(" ");
    if (key !== void 0 && value !== void 0) values.set(key, Number(value));
  }
  return values;
}
function figure(text, key) {
  return parseFlatKeyed(text).get(key) ?? 0;
}
function parseCpuStatV2(text) {
  const values = parseFlatKeyed(text);
  return { cpuSeconds: (values.get("usage_usec") ?? 0) / 1e6, throttledPeriods: values.get("nr_throttled") ?? 0 };
}
function parseThrottled(text) {
  return figure(text, "nr_throttled");
}
function parseMemoryStatV1(text) {
  return figure(text, "total_rss");
}
function parseMemoryStatV2(text) {
  return figure(text, "anon");
}
function parseOomKills(text) {
  return figure(text, "oom_kill");
}
function hasQuota(text) {
  const quota = text.trim().split(" ")[0] ?? "";
  return quota !== "max" && Number(quota) > 0;
}
function parseCgroupMounts(mountinfo) {
  const mounts = [];
  for (const line of mountinfo.split("\n")) {
    const [before, after] = line.split(" - ");
    if (before === void 0 || after === void 0) continue;
    const [, , , root, mountPoint] = before.split(" ");
    const [type, , superOptions] = after.split(" ");
    if (root === void 0 || mountPoint === void 0) continue;
    if (type === "cgroup2") mounts.push({ root, mountPoint, version: 2, controllers: [] });
    if (type === "cgroup")
      mounts.push({ root, mountPoint, version: 1, controllers: (superOptions ?? "").split(",").slice(1) });
  }
  return mounts;
}
function parseCgroupPath(text, mount) {
  for (const line of text.split("\n")) {
    const [id, controllers, ...path] = line.split(":");
    if (id === void 0 || controllers === void 0) continue;
    const matches = mount.version === 2 ? id === "0" : mount.controllers.includes(controllers.split(",")[0] ?? "");
    if (matches && (mount.version === 2 || controllers !== "")) return path.join(":");
  }
  return null;
}
var PF_KTHREAD = 2097152;
function parseProcessStat(text) {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number) => Number(fields[number - 3]);
  return {
    ppid: field(4),
    ownTicks: field(14) + field(15),
    waitedTicks: field(16) + field(17),
    threads: field(20),
    startTicks: field(22),
    isKernel: (field(9) & PF_KTHREAD) !== 0,
    cpu: field(39)
  };
}
function parseSchedstat(text) {
  return Number(text.split(" ")[0]) / 1e9;
}
function parseRssAnon(status) {
  return Number(/^RssAnon:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

// scripts/src/target/usage/cgroup.ts
function createCgroup(name) {
  const mounts = parseCgroupMounts(readFileSync2("/proc/self/mountinfo", "utf8"));
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
  const directories2 = [.../* @__PURE__ */ new Set([join2(cpuParent, leaf), join2(memoryParent, leaf)])];
  if (!makeUsable(directories2)) return null;
  const cpu = mounts.find((mount) => mount.controllers.includes("cpu"));
  const group = {
    version: 1,
    directories: directories2,
    cpu: join2(cpuParent, leaf, "cpuacct.usage"),
    memory: join2(memoryParent, leaf, "memory.stat"),
    oom: join2(memoryParent, leaf, "memory.oom_control"),
    throttle: cpu === void 0 ? [] : throttleFiles(directoryOf(cpu), cpu.mountPoint, "cpu.cfs_quota_us")
  };
  return group;
}
function createV2(leaf, mount) {
  const own = directoryOf(mount);
  for (const parent of own === mount.mountPoint ? [own] : [own, dirname(own)]) {
    const directory = join2(parent, leaf);
    if (!makeUsable([directory])) continue;
    if (!existsSync(join2(directory, "memory.stat"))) tryWrite(join2(parent, "cgroup.subtree_control"), "+memory");
    if (!existsSync(join2(directory, "memory.stat"))) {
      tryRemove(directory);
      continue;
    }
    return {
      version: 2,
      directories: [directory],
      cpu: join2(directory, "cpu.stat"),
      memory: join2(directory, "memory.stat"),
      oom: join2(directory, "memory.events"),
      throttle: throttleFiles(parent, mount.mountPoint, "cpu.max")
    };
  }
  return null;
}
function cgroupOf(pid, proc = "/proc") {
  try {
    const mounts = parseCgroupMounts(readFileSync2(`${proc}/self/mountinfo`, "utf8"));
    const text = readFileSync2(`${proc}/${pid}/cgroup`, "utf8");
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
      cpu: join2(cpuacct.directory, version === 1 ? "cpuacct.usage" : "cpu.stat"),
      memory: join2(memory.directory, "memory.stat"),
      oom: join2(memory.directory, version === 1 ? "memory.oom_control" : "memory.events"),
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
  const directory = pathIn(mount, readFileSync2("/proc/self/cgroup", "utf8"));
  return existsSync(directory) ? directory : mount.mountPoint.replace(/\/$/, "");
}
function pathIn(mount, text) {
  const path = parseCgroupPath(text, mount) ?? "/";
  const inside = mount.root !== "/" && path.startsWith(mount.root) ? path.slice(mount.root.length) : path;
  return join2(mount.mountPoint, inside.replace(/^(\/\.\.)+/, ""));
}
function makeUsable(directories2) {
  try {
    for (const directory of directories2) {
      removeStale(dirname(directory));
      mkdirSync(directory);
    }
  } catch {
    for (const directory of directories2) tryRemove(directory);
    return false;
  }
  const [program = "", ...args] = joinCommand(directories2, ["true"]);
  const joined = spawnSync(program, args, { stdio: "ignore" }).status === 0;
  if (!joined) for (const directory of directories2) tryRemove(directory);
  return joined;
}
function removeStale(parent) {
  for (const entry of readdirSync2(parent)) {
    const pid = /^perf-gate-(\d+)-/.exec(entry)?.[1];
    if (pid === void 0 || existsSync(`/proc/${pid}`)) continue;
    killMembers(join2(parent, entry));
    tryRemove(join2(parent, entry));
  }
}
function throttleFiles(directory, mountPoint, quotaFile) {
  const files = [];
  for (let at = directory; at.length >= mountPoint.length; at = dirname(at)) {
    const quota = join2(at, quotaFile);
    if (existsSync(quota) && hasQuota(readFileSync2(quota, "utf8"))) files.push(join2(at, "cpu.stat"));
    if (at === "/") break;
  }
  return files;
}
function joinCommand(directories2, command) {
  const script = directories2.map((_, index) => `echo $$ >"$${index + 1}"`).join(" && ");
  const paths = directories2.map((directory) => join2(directory, "cgroup.procs"));
  return ["sh", "-c", `${script} && shift ${directories2.length} && exec "$@"`, "sh", ...paths, ...command];
}
function members(directory) {
  return readFileSync2(join2(directory, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
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
    for (const directory of this.#cgroup.directories) tryWrite(join2(directory, "cgroup.procs"), `${pid}`);
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
        await sleep2(5);
      }
      forgetCgroup(directory);
    }
  }
};
function readCgroup(cgroup, previous) {
  try {
    const cpu = readFileSync2(cgroup.cpu, "utf8");
    const memory = readFileSync2(cgroup.memory, "utf8");
    const v2 = cgroup.version === 2 ? parseCpuStatV2(cpu) : null;
    let throttledPeriods = v2?.throttledPeriods ?? 0;
    for (const file of cgroup.throttle) throttledPeriods += parseThrottled(readFileSync2(file, "utf8"));
    return {
      cpuSeconds: v2?.cpuSeconds ?? parseCpuacct(cpu),
      memoryBytes: v2 === null ? parseMemoryStatV1(memory) : parseMemoryStatV2(memory),
      throttledPeriods,
      oomKills: parseOomKills(readFileSync2(cgroup.oom, "utf8"))
    };
  } catch {
    return previous;
  }
}

// scripts/src/target/usage/tree.ts
import { existsSync as existsSync2, readdirSync as readdirSync3, readFileSync as readFileSync3 } from "node:fs";
var ProcessTree = class {
  kind = "tree";
  #roots = /* @__PURE__ */ new Map();
  #oomKillsBefore = machineOomKills();
  #goneCpuSeconds = 0;
  #lastCpuSeconds = 0;
  #removed = null;
  wrap(command) {
    return [...command];
  }
  add(pid) {
    const stat = readStat(pid);
    if (stat !== null) this.#roots.set(pid, { startTicks: stat.startTicks, cpuSeconds: 0 });
  }
  pids() {
    return [...this.#roots.keys()].flatMap((pid) => this.#walk(pid).map((seen) => seen.pid));
  }
  read() {
    if (this.#removed !== null) return this.#removed;
    let cpuSeconds = 0;
    let memoryBytes = 0;
    for (const [pid, root] of this.#roots) {
      const tree = this.#walk(pid);
      if (tree.length === 0) {
        this.#goneCpuSeconds += root.cpuSeconds;
        this.#roots.delete(pid);
        continue;
      }
      let treeSeconds = 0;
      for (const seen of tree) {
        treeSeconds += cpuSecondsOf(seen) + seen.stat.waitedTicks / TICKS_PER_SECOND;
        memoryBytes += parseRssAnon(readProc(`${seen.pid}/status`));
      }
      root.cpuSeconds = Math.max(root.cpuSeconds, treeSeconds);
      cpuSeconds += root.cpuSeconds;
    }
    this.#lastCpuSeconds = Math.max(this.#lastCpuSeconds, cpuSeconds + this.#goneCpuSeconds);
    return {
      cpuSeconds: this.#lastCpuSeconds,
      memoryBytes,
      throttledPeriods: 0,
      oomKills: machineOomKills() - this.#oomKillsBefore
    };
  }
  kill() {
    for (const pid of this.pids()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
      }
    }
  }
  async remove() {
    if (this.#removed !== null) return;
    const last = this.read();
    this.kill();
    this.#removed = { ...last, memoryBytes: 0 };
    this.#roots.clear();
  }
  /** A root and its descendants; empty where the root is gone or its pid belongs to another process by now. */
  #walk(rootPid) {
    const rootStat = readStat(rootPid);
    if (rootStat === null || rootStat.startTicks !== this.#roots.get(rootPid)?.startTicks) return [];
    const tree = [{ pid: rootPid, stat: rootStat }];
    for (const parent of tree) {
      for (const pid of childrenOf(parent)) {
        const stat = readStat(pid);
        if (stat !== null) tree.push({ pid, stat });
      }
    }
    return tree;
  }
};
function cpuSecondsOf({ pid, stat }) {
  if (stat.threads > 1) return stat.ownTicks / TICKS_PER_SECOND;
  const schedstat = readProc(`${pid}/schedstat`);
  return schedstat === "" ? stat.ownTicks / TICKS_PER_SECOND : parseSchedstat(schedstat);
}
var kernelListsChildren = existsSync2(`/proc/${process.pid}/task/${process.pid}/children`);
function childrenOf({ pid, stat }) {
  if (!kernelListsChildren) return childrenByScan(pid);
  const threads = stat.threads > 1 ? listProc(`${pid}/task`) : [`${pid}`];
  return threads.flatMap((thread) => readProc(`${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number));
}
function childrenByScan(parent) {
  return listProc("").filter((entry) => /^\d+$/.test(entry)).map(Number).filter((pid) => readStat(pid)?.ppid === parent);
}
function machineOomKills() {
  return parseOomKills(readProc("vmstat"));
}
function readStat(pid) {
  const text = readProc(`${pid}/stat`);
  return text === "" ? null : parseProcessStat(text);
}
function readProc(path) {
  try {
    return readFileSync3(`/proc/${path}`, "utf8");
  } catch {
    return "";
  }
}
function listProc(path) {
  try {
    return readdirSync3(`/proc/${path}`);
  } catch {
    return [];
  }
}

// scripts/src/target/usage.ts
var UsageGroup = {
  /**
   * Makes a group: a cgroup below (v2 also: beside) our own where the kernel and our rights allow, else a process
   * tree. `name` is unique among the living groups of this process, [a-z0-9-]. Removes cgroups that dead runs left.
   */
  create(name, kind = "auto") {
    const cgroup = kind === "auto" ? createCgroup(name) : null;
    return cgroup === null ? new ProcessTree() : new CgroupGroup(cgroup);
  }
};

// scripts/src/measure/k6.ts
var K6_VERSION = "1.8.1";
var BEGIN = "perf-gate:begin";
var KEPT_LINES = 20;
async function findK6() {
  const cache = process.env["PERF_GATE_CACHE"] ?? join3(process.env["XDG_CACHE_HOME"] || join3(homedir(), ".cache"), "perf-gate");
  const candidates = [process.env["PERF_GATE_K6"] ?? "", join3(cache, `k6-${K6_VERSION}`, "k6"), "k6"];
  const found = [];
  for (const candidate of candidates) {
    const path = candidate === "" ? null : findProgram(candidate);
    if (path === null) continue;
    const version = await versionOf(path);
    if (version === K6_VERSION) return path;
    found.push(`${path} is k6 ${version ?? "of an unknown version"}`);
  }
  const what = found.length > 0 ? found.join("; ") : "none was found";
  throw new MeasureError(`k6 ${K6_VERSION} is needed, ${what}: ./scripts/setup.sh installs it beside any other`);
}
async function versionOf(path) {
  const { execFile } = await import("node:child_process");
  return new Promise((resolve) => {
    execFile(path, ["version"], { timeout: 1e4 }, (_error, stdout) => {
      resolve(/v(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? null);
    });
  });
}
function startK6(k6, spec, options) {
  const blockFile = join3(options.stateDirectory, "block.json");
  const resultFile = join3(options.stateDirectory, "block-result.json");
  rmSync(resultFile, { force: true });
  writeFileSync2(blockFile, JSON.stringify(spec));
  const usage = UsageGroup.create("k6");
  const command = [
    ...options.cpus === null ? [] : ["taskset", "-c", options.cpus.join(",")],
    ...[k6, "run", "--quiet", "--no-color", "--no-usage-report", "--log-format", "raw", "--address", ""],
    ...["-e", `BLOCK=${blockFile}`, "-e", `RESULT=${resultFile}`, join3(options.home, "k6", "block.ts")]
  ];
  const [program = "", ...args] = usage.wrap(command);
  const spawned = spawn3(program, args, {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    // Fewer, longer garbage collections: each one is a pause in the load.
    env: { ...process.env, ...withoutProxy(Object.values(spec.urls)), GOGC: "400" }
  });
  const child = new Child(spawned);
  if (usage.kind === "tree") usage.add(child.pid);
  const messages = [];
  let begin = () => {
  };
  const began = new Promise((resolve) => {
    begin = resolve;
  });
  const lines = createInterface({ input: spawned.stderr });
  lines.on("line", (line) => {
    if (line.includes(BEGIN)) begin(Date.now());
    else if (messages.push(line) > KEPT_LINES) messages.shift();
  });
  const drained = new Promise((resolve) => lines.once("close", resolve));
  const ended = Promise.all([child.exited, drained]).then(([status]) => status);
  return {
    pid: child.pid,
    usage,
    begun: Promise.race([
      began,
      ended.then((status) => {
        throw new MeasureError(
          `k6 ended before it began (${status}):
${quoted(messages.join("\n"), KEPT_LINES) || "it said nothing"}`
        );
      })
    ]),
    results: ended.then(() => readResults(resultFile, spec.slots.length)),
    interrupt: () => void spawned.kill("SIGINT"),
    close: async () => {
      await child.stop("SIGTERM", 2e3);
      await usage.remove();
    }
  };
}
function withoutProxy(urls) {
  const addresses = urls.map((url) => new URL(url).hostname).filter((host) => isIP(host) !== 0);
  const spared = [process.env.NO_PROXY ?? process.env.no_proxy ?? "", ...new Set(addresses)].filter(Boolean).join(",");
  return { NO_PROXY: spared, no_proxy: spared };
}
function readResults(file, slots) {
  try {
    const results = JSON.parse(readFileSync4(file, "utf8"));
    return results.length === slots ? results : null;
  } catch {
    return null;
  }
}

export {
  guardGroup,
  forgetGroup,
  guardDirectory,
  forgetDirectory,
  guardLabel,
  forgetLabel,
  launch,
  LogReader,
  tail,
  quoted,
  findProgram,
  requireProgram,
  findPhpFpm,
  TICKS_PER_SECOND,
  parseCgroupMounts,
  parseCgroupPath,
  parseProcessStat,
  cgroupOf,
  readCgroup,
  UsageGroup,
  K6_VERSION,
  findK6,
  startK6
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  findProgram
} from "./shared-programs~2.js";
import {
  CgroupGroup,
  createCgroup
} from "./shared-cgroup.js";
import {
  TICKS_PER_SECOND,
  forgetGroup,
  guardGroup,
  parseOomKills,
  parseProcessStat,
  parseRssAnon,
  parseSchedstat,
  quoted
} from "./shared-guard.js";
import {
  K6_VERSION
} from "./shared-k6.js";
import {
  MeasureError
} from "./shared-errors.js";
import {
  slowestOf
} from "./shared-slowest.js";

// scripts/src/measure/k6.ts
import { spawn as spawn2 } from "node:child_process";
import { once } from "node:events";
import { existsSync as existsSync2, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { constants, getPriority, homedir, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

// scripts/src/target/child.ts
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
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
      spawn(program, args, {
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

// scripts/src/target/usage/tree.ts
import { existsSync, readdirSync, readFileSync } from "node:fs";
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
var kernelListsChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);
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
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return "";
  }
}
function listProc(path) {
  try {
    return readdirSync(`/proc/${path}`);
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
var BEGIN = "perf-gate:begin";
var SLOWEST_SAID = "perf-gate:slowest ";
var SLOWEST = / (\d{1,6}) (\d{1,9}(?:\.\d+)?) ([0-9a-f]{32})(?= |$)/g;
var OUTPUT_FAILED = /^Failed to send the time series data/;
var OUTPUT_SETTING = /^K6_PROMETHEUS_RW_\w+$/;
var KEPT_LINES = 20;
async function findK6() {
  const cache = process.env["PERF_GATE_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "perf-gate");
  const candidates = [process.env["PERF_GATE_K6"] ?? "", join(cache, `k6-${K6_VERSION}`, "k6"), "k6"];
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
function startK6(rig, spec, cpus) {
  const blockFile = join(rig.stateDirectory, "block.json");
  writeFileSync(blockFile, JSON.stringify(spec));
  const scripts = join(rig.home, "k6");
  const { outputs = [] } = spec;
  const args = [
    ...["run", "--quiet", "--no-color", "--no-usage-report", "--log-format", "raw", "--address", ""],
    ...outputs.flatMap((output) => ["--out", output]),
    ...["-e", `BLOCK=${blockFile}`, "-e", "RESULT=stdout", join(scripts, "block.ts")]
  ];
  const env = { ...withoutProxy(Object.values(spec.arms).map(({ url }) => url)), GOGC: "400" };
  const trees = Object.values(rig.plan.arms).flatMap(({ directory }) => directory ?? []);
  const reads = [scripts, blockFile, ...flowsOf(spec).map((file) => treeOf(file, trees))];
  const variables = [...Object.keys(env), ...outputSettings(outputs)];
  const place = typeof rig.k6 === "string" ? onThisHost(rig.k6, cpus) : inContainer(rig.k6, { cpus, reads, variables });
  const [program = "", ...rest] = [...place.command, ...args];
  const { started: spawned, isFirst } = first(
    () => spawn2(program, rest, { detached: true, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } })
  );
  const child = new Child(spawned);
  place.started(child, isFirst);
  let result = "";
  spawned.stdout.setEncoding("utf8").on("data", (text) => {
    result += text;
  });
  const messages = [];
  let begin = () => {
  };
  const began = new Promise((resolve) => {
    begin = resolve;
  });
  const slowest = [];
  let outputFailed = false;
  const lines = createInterface({ input: spawned.stderr });
  lines.on("line", (line) => {
    if (line.includes(BEGIN)) begin(Date.now());
    else if (spec.trace !== void 0 && line.startsWith(SLOWEST_SAID)) slowest.push(line);
    else {
      outputFailed ||= OUTPUT_FAILED.test(line);
      if (messages.push(line) > KEPT_LINES) messages.shift();
    }
  });
  const said = () => messages.length === 0 ? "it said nothing" : quoted(messages.join("\n"), KEPT_LINES);
  const drained = Promise.all([once(lines, "close"), once(spawned.stdout, "close")]);
  const ended = Promise.all([child.exited, drained]).then(([status]) => status);
  let interrupted = false;
  void began.then(() => interrupted && spawned.kill("SIGINT"));
  return {
    begun: Promise.race([
      began,
      ended.then((status) => {
        throw new MeasureError(`k6 ended before it began (${status}):
${said()}`);
      })
    ]),
    results: ended.then(() => {
      const results = readResults(result, spec.slots.length);
      if (results === null || spec.trace === void 0) return results;
      const bySlot = slowestSaid(slowest, results.length);
      return results.map((each, slot) => ({ ...each, slowest: bySlot[slot] ?? [] }));
    }),
    outputFailed: () => outputFailed,
    process: place.process,
    interrupt: () => {
      interrupted = true;
      spawned.kill("SIGINT");
    },
    close: async () => {
      await child.stop("SIGTERM", 2e3);
      await place.remove();
    }
  };
}
function first(start) {
  const usual = getPriority();
  let isFirst = true;
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
  } catch {
    isFirst = false;
  }
  try {
    return { started: start(), isFirst };
  } finally {
    if (isFirst) setPriority(usual);
  }
}
function onThisHost(k6, cpus) {
  const group = UsageGroup.create("k6");
  let pid = 0;
  let isFirst = false;
  return {
    command: group.wrap([...cpus === null ? [] : ["taskset", "-c", cpus.join(",")], k6]),
    started: (child, wasFirst) => {
      pid = child.pid;
      isFirst = wasFirst;
      if (group.kind === "tree") group.add(pid);
    },
    process: async () => ({ pid, isFirst, usage: () => group.read() }),
    remove: () => group.remove()
  };
}
function inContainer(generator, options) {
  const container = generator.container(options);
  return {
    ...container,
    started: () => {
    },
    process: async () => {
      const seen = await container.process();
      return seen && { ...seen, isFirst: false };
    }
  };
}
var flowsOf = ({ scenarios }) => Object.values(scenarios).flatMap(({ asked }) => Object.values(asked)).flatMap(({ work }) => work.kind === "flow" ? [work.file] : []);
function treeOf(flow, trees) {
  const above = [];
  for (let at = dirname(flow); !above.includes(at); at = dirname(at)) above.push(at);
  return above.find((at) => trees.includes(at) || existsSync2(join(at, ".git"))) ?? dirname(flow);
}
function withoutProxy(urls) {
  const addresses = urls.map((url) => new URL(url).hostname).filter((host) => isIP(host) !== 0);
  const spared = [process.env.NO_PROXY ?? process.env.no_proxy ?? "", ...new Set(addresses)].filter(Boolean).join(",");
  return { NO_PROXY: spared, no_proxy: spared };
}
function outputSettings(outputs) {
  return outputs.length === 0 ? [] : Object.keys(process.env).filter((name) => OUTPUT_SETTING.test(name));
}
function slowestSaid(lines, slots) {
  const bySlot = Array.from({ length: slots }, () => []);
  for (const [, slot, ms, traceId = ""] of lines.flatMap((line) => [...line.matchAll(SLOWEST)])) {
    bySlot[Number(slot)]?.push({ ms: Number(ms), traceId });
  }
  return bySlot.map(slowestOf);
}
function readResults(text, slots) {
  try {
    const results = JSON.parse(text);
    return results.length === slots ? results : null;
  } catch {
    return null;
  }
}

export {
  launch,
  UsageGroup,
  findK6,
  startK6
};

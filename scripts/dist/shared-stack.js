import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  K6_VERSION,
  LogReader,
  TICKS_PER_SECOND,
  UsageGroup,
  cgroupOf,
  findK6,
  findPhpFpm,
  findProgram,
  forgetDirectory,
  forgetGroup,
  forgetLabel,
  guardDirectory,
  guardGroup,
  guardLabel,
  launch,
  parseCgroupMounts,
  parseCgroupPath,
  parseProcessStat,
  quoted,
  readCgroup,
  requireProgram,
  startK6,
  tail
} from "./shared-cgroup.js";
import {
  OPEN_PILOT_VUS,
  OVERHEAD,
  afterPilot,
  blockSeconds,
  checkOut,
  chooseConfirmation,
  expectedBlocks,
  machineFacts,
  mainDeadline,
  plateauOf,
  scheduleBlock,
  undecided
} from "./shared-arms.js";
import {
  OLDEST_ENGINE
} from "./shared-programs.js";
import {
  InputError,
  MeasureError
} from "./shared-errors.js";
import {
  flaggedTests,
  liveTests,
  next,
  replay
} from "./shared-replay.js";
import {
  ARMS,
  assertNever
} from "./shared-model.js";

// scripts/src/measure/block.ts
import { execFile } from "node:child_process";
import { join as join2 } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

// scripts/src/target/usage/limit.ts
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
function parseCpuMax(text) {
  const [quota, period] = text.trim().split(/\s+/);
  return quota === void 0 || quota === "max" ? null : Number(quota) / Number(period ?? 1e5);
}
function cpuQuota(pid) {
  try {
    const mounts = parseCgroupMounts(readFileSync("/proc/self/mountinfo", "utf8"));
    const mount = mounts.find(({ controllers }) => controllers.includes("cpu")) ?? mounts.find(({ version }) => version === 2);
    const path = mount && parseCgroupPath(readFileSync(`/proc/${pid}/cgroup`, "utf8"), mount);
    if (mount === void 0 || path === void 0 || path === null) return null;
    const limits = quotasAbove(join(mount.mountPoint, path), mount);
    return limits.length > 0 ? Math.min(...limits) : null;
  } catch {
    return null;
  }
}
function quotasAbove(directory, { mountPoint, version }) {
  const limits = [];
  for (let at = directory; at.startsWith(mountPoint); at = dirname(at)) {
    const limit = version === 2 ? readV2(at) : readV1(at);
    if (limit !== null) limits.push(limit);
    if (at === mountPoint) break;
  }
  return limits;
}
function readV2(directory) {
  const file = join(directory, "cpu.max");
  return existsSync(file) ? parseCpuMax(readFileSync(file, "utf8")) : null;
}
function readV1(directory) {
  const file = join(directory, "cpu.cfs_quota_us");
  if (!existsSync(file)) return null;
  const quota = Number(readFileSync(file, "utf8"));
  return quota > 0 ? quota / Number(readFileSync(join(directory, "cpu.cfs_period_us"), "utf8")) : null;
}

// scripts/src/measure/kernel.ts
import { existsSync as existsSync2, readFileSync as readFileSync2 } from "node:fs";
import { release } from "node:os";
import { gunzipSync } from "node:zlib";
function parseProcStat(text, cpus) {
  const wanted = new Set(cpus.map((cpu) => `cpu${cpu}`));
  const times = { idle: 0, irq: 0, steal: 0 };
  for (const line of text.split("\n")) {
    const [name = "", , , , idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line.split(" ").map((field, index) => index === 0 ? field : Number(field));
    if (!wanted.has(name)) continue;
    times.idle += (idle + iowait) / TICKS_PER_SECOND;
    times.irq += (irq + softirq) / TICKS_PER_SECOND;
    times.steal += steal / TICKS_PER_SECOND;
  }
  return times;
}
function parseNetstat(text, table, counter) {
  const [names, values] = text.split("\n").filter((line) => line.startsWith(`${table}:`));
  const index = names?.split(" ").indexOf(counter) ?? -1;
  return index < 0 ? 0 : Number(values?.split(" ")[index] ?? 0);
}
function parseTimeWait(text) {
  return Number(/^TCP:.*\btw (\d+)/m.exec(text)?.[1] ?? 0);
}
function cpuTimes(cpus) {
  return parseProcStat(readFileSync2("/proc/stat", "latin1"), cpus);
}
function listenOverflows(namespaces) {
  return sumOver(namespaces, "netstat", (text) => parseNetstat(text, "TcpExt", "ListenOverflows"));
}
function timeWaitSockets(namespaces) {
  return sumOver(namespaces, "sockstat", parseTimeWait);
}
function sumOver(namespaces, file, parse) {
  let sum = 0;
  for (const process2 of ["self", ...namespaces]) {
    try {
      sum += parse(readFileSync2(`/proc/${process2}/net/${file}`, "latin1"));
    } catch {
    }
  }
  return sum;
}
function booksInterruptTime() {
  const packed = "/proc/config.gz";
  const plain = `/boot/config-${release()}`;
  try {
    const text = existsSync2(packed) ? gunzipSync(readFileSync2(packed)).toString("latin1") : readFileSync2(plain, "latin1");
    return /^CONFIG_(IRQ_TIME_ACCOUNTING|VIRT_CPU_ACCOUNTING_NATIVE)=y$/m.test(text);
  } catch {
    return false;
  }
}

// scripts/src/measure/neighbours.ts
import { readdirSync, readFileSync as readFileSync3 } from "node:fs";
function neighbours(roots) {
  const all = /* @__PURE__ */ new Map();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    try {
      all.set(pid, parseProcessStat(readFileSync3(`/proc/${pid}/stat`, "latin1")));
    } catch {
    }
  }
  const found = /* @__PURE__ */ new Map();
  for (const [pid, stat] of all) {
    if (stat.isKernel || descends(pid, roots, all)) continue;
    found.set(`${pid} ${stat.startTicks}`, stat);
  }
  return found;
}
function descends(pid, roots, all) {
  for (let at = pid; at !== void 0 && at > 0; at = all.get(at)?.ppid) {
    if (roots.includes(at)) return true;
  }
  return false;
}
function spentBetween(start, end, cpus) {
  const spent = ({ ownTicks, waitedTicks }) => ownTicks + waitedTicks;
  let ticks = 0;
  for (const [key, stat] of end) {
    if (!cpus.includes(stat.cpu)) continue;
    const before = start.get(key);
    ticks += spent(stat) - (before === void 0 ? 0 : spent(before));
  }
  for (const [key, stat] of start) if (!end.has(key)) ticks -= spent(stat);
  return Math.max(0, ticks) / TICKS_PER_SECOND;
}

// scripts/src/measure/sampler.ts
var KERNEL_CORES = 0.15;
var LOOK_SECONDS = 1;
var Sampler = class {
  #target;
  #generator;
  #generatorCores;
  #cpus;
  #generatorCpus;
  #booksInterrupts = booksInterruptTime();
  #fronts = { base: null, head: null };
  /** @param generator usage and process of k6 */
  constructor(target, generator, layout) {
    this.#target = target;
    this.#generator = generator.usage;
    this.#generatorCores = Math.min(layout.generator.length, cpuQuota(generator.pid) ?? Number.POSITIVE_INFINITY);
    this.#generatorCpus = layout.generator;
    this.#cpus = [.../* @__PURE__ */ new Set([...layout.generator, ...layout.target, ...layout.services])];
  }
  /** What the fronts had counted before the first slot. */
  async begin() {
    for (const arm of ["base", "head"]) this.#fronts[arm] = await this.#front(arm);
  }
  /**
   * Watches one round, whose first turn begins now. What a turn cost is read when the next one begins, its last
   * requests included. Others are looked for once a second, or over each turn where turns are longer, and what they
   * spent in that time is laid on the arms by their share of it.
   *
   * @param turns in order of time
   * @param sleepUntil resolves at a moment of the monotonic clock, s
   * @param settleSeconds how long after the last turn its last requests may finish
   * @returns what was seen of each arm; null where the signal ended it
   */
  async watch(turns, sleepUntil2, settleSeconds, signal) {
    const spent = { base: { ...NOTHING }, head: { ...NOTHING } };
    const first = this.#snapshot();
    let last = first;
    let looked = { at: first, others: this.#neighbours() };
    const sinceLook = { base: 0, head: 0 };
    const read = (arm, { underLoad }) => {
      const now = this.#snapshot();
      addCosts(spent[arm], arm, last, now);
      if (underLoad) {
        addConditions(spent[arm], arm, last, now);
        sinceLook[arm] += now.at - last.at;
      }
      last = now;
    };
    const look = () => {
      const others = this.#neighbours();
      const foreign = this.#foreign(looked.at, last, spentBetween(looked.others, others, this.#cpus));
      const total = sinceLook.base + sinceLook.head;
      for (const arm of ARMS) {
        if (total > 0) spent[arm].foreignCpuSeconds += foreign * sinceLook[arm] / total;
        sinceLook[arm] = 0;
      }
      looked = { at: last, others };
    };
    for (const [index, { arm, at, seconds: seconds2 }] of turns.entries()) {
      const next2 = turns[index + 1]?.at;
      for (let until = at + 1; until < at + seconds2 - 0.5; until++) {
        await sleepUntil2(until);
        read(arm, { underLoad: true });
      }
      if (next2 === void 0 || seconds2 >= LOOK_SECONDS) {
        await sleepUntil2(at + seconds2);
        read(arm, { underLoad: true });
        look();
        await sleepUntil2(next2 ?? at + seconds2 + settleSeconds);
        read(arm, { underLoad: false });
        looked = { at: last, others: this.#neighbours() };
      } else {
        await sleepUntil2(next2);
        read(arm, { underLoad: true });
        if (last.at - looked.at.at >= LOOK_SECONDS) look();
      }
      if (signal.aborted) return null;
    }
    return {
      base: await this.#seen("base", spent.base, first, last),
      head: await this.#seen("head", spent.head, first, last)
    };
  }
  async #seen(arm, spent, first, last) {
    const before = this.#fronts[arm];
    const front = await this.#front(arm);
    this.#fronts[arm] = front;
    const portErrors = (front?.portErrors ?? 0) - (before?.portErrors ?? 0);
    const usage = last.arms[arm];
    if (usage === null || spent.intervalSeconds === 0) return { witness: null, portErrors, oomKilled: false };
    const { listenOverflows: listenOverflows2, ...sums } = spent;
    const turnedAway = (front?.listenOverflows ?? 0) - (before?.listenOverflows ?? 0);
    return {
      portErrors,
      oomKilled: usage.oomKills > (first.arms[arm]?.oomKills ?? 0),
      witness: {
        ...sums,
        generatorCores: this.#generatorCores,
        targetMemoryBytes: usage.memoryBytes,
        timeWait: timeWaitSockets(this.#target.namespaces()),
        listenOverflows: listenOverflows2 + turnedAway,
        listenQueueMax: front?.listenQueueMax ?? 0,
        maxChildrenReached: front?.maxChildrenReached ?? 0
      }
    };
  }
  #neighbours() {
    return neighbours([process.pid, ...this.#target.roots()]);
  }
  /**
   * CPU time of others on our cores, s: what their processes spent; or, where they cannot be seen from here (another
   * container, another virtual machine's share), busy time that none of ours spent, less what the kernel needs to go
   * to sleep and wake up, which no process is charged for.
   */
  #foreign(start, end, seen) {
    const seconds2 = end.at - start.at;
    const interrupts = this.#booksInterrupts ? end.cpu.irq - start.cpu.irq : 0;
    const idle = end.cpu.idle - start.cpu.idle + end.cpu.steal - start.cpu.steal + interrupts;
    const ours = cpuBetween(start.arms.base, end.arms.base) + cpuBetween(start.arms.head, end.arms.head) + cpuBetween(start.services, end.services) + (end.generatorCpuSeconds - start.generatorCpuSeconds) + (end.ownCpuSeconds - start.ownCpuSeconds);
    return Math.max(seen, seconds2 * this.#cpus.length - idle - ours - KERNEL_CORES * seconds2);
  }
  #snapshot() {
    const { user, system } = process.cpuUsage();
    return {
      at: performance.now() / 1e3,
      arms: { base: this.#target.usage("base"), head: this.#target.usage("head") },
      services: this.#target.servicesUsage(),
      generatorCpuSeconds: this.#generator.read().cpuSeconds,
      ownCpuSeconds: (user + system) / 1e6,
      cpu: cpuTimes(this.#cpus),
      generatorIdleSeconds: cpuTimes(this.#generatorCpus).idle,
      overflows: listenOverflows(this.#target.namespaces())
    };
  }
  /** A front that cannot answer (its replica just died) is no reason to lose the slot's other figures. */
  async #front(arm) {
    return this.#target.front(arm).catch(() => null);
  }
};
var NOTHING = {
  targetCpuSeconds: 0,
  servicesCpuSeconds: 0,
  generatorCpuSeconds: 0,
  generatorIdleSeconds: 0,
  foreignCpuSeconds: 0,
  stealSeconds: 0,
  intervalSeconds: 0,
  targetPeakCores: 0,
  throttledPeriods: 0,
  listenOverflows: 0
};
function addCosts(spent, arm, from, to) {
  spent.targetCpuSeconds += cpuBetween(from.arms[arm], to.arms[arm]);
  spent.servicesCpuSeconds += cpuBetween(from.services, to.services);
  spent.generatorCpuSeconds += to.generatorCpuSeconds - from.generatorCpuSeconds;
  spent.throttledPeriods += (to.arms[arm]?.throttledPeriods ?? 0) - (from.arms[arm]?.throttledPeriods ?? 0);
  spent.listenOverflows += to.overflows - from.overflows;
}
function addConditions(spent, arm, from, to) {
  const seconds2 = to.at - from.at;
  spent.intervalSeconds += seconds2;
  spent.targetPeakCores = Math.max(spent.targetPeakCores, cpuBetween(from.arms[arm], to.arms[arm]) / seconds2);
  spent.generatorIdleSeconds += to.generatorIdleSeconds - from.generatorIdleSeconds;
  spent.stealSeconds += to.cpu.steal - from.cpu.steal;
}
function cpuBetween(start, end) {
  return start === null || end === null ? 0 : end.cpuSeconds - start.cpuSeconds;
}

// scripts/src/measure/block.ts
var GRACEFUL_SHARE = 0.6;
var WARM_UP_GAP = 0.3;
var PILOT_SLOT = 1;
var PILOT_WARM_UP = 1;
async function runBlock(rig, cells, stage, block) {
  const started = performance.now();
  await rig.target.restart();
  const restart = since(started);
  const { warmUpSeconds } = rig.plan.config.measure;
  const schedule = scheduleBlock(rig.plan.seed, block, cells, warmUpSeconds + WARM_UP_GAP);
  const { slots, k6Start, yardstickMs } = await drive(rig, schedule, warmUpSeconds);
  const load = slots.reduce((sum, { slot }) => sum + lengthOf(slot), 0);
  return {
    samples: slots.map((measured) => toSample(rig.plan, measured, stage, block)),
    yardstickMs,
    times: { restart, k6Start, warmUp: warmUpSeconds, load, total: since(started) }
  };
}
async function runPilot(rig) {
  let startSeconds = PILOT_WARM_UP + WARM_UP_GAP;
  const schedule = rig.plan.cells.map((cell) => {
    const stretches = [{ startSeconds, seconds: PILOT_SLOT }];
    startSeconds += PILOT_SLOT + WARM_UP_GAP;
    return { cell: cell.id, arm: "base", order: 0, stretches, gapSeconds: WARM_UP_GAP, rate: null, pilot: true };
  });
  const { slots } = await drive(rig, schedule, PILOT_WARM_UP);
  return rig.plan.cells.map((cell) => {
    const result = slots.find(({ slot }) => slot.cell === cell.id)?.result;
    return { cell, qps: (result?.requests ?? 0) / PILOT_SLOT, p99Ms: result?.latencyMs?.p99 ?? null };
  });
}
var EMPTY = {
  requests: 0,
  vuSeconds: 0,
  latencyMs: null,
  phasesMs: { connect: 0, tls: 0, wait: 0, receive: 0 },
  errors: 0,
  failedChecks: 0,
  droppedIterations: 0,
  bytesReceived: 0,
  portErrors: 0
};
async function drive(rig, schedule, warmUpSeconds) {
  const { plan, target, signal } = rig;
  const launched = performance.now();
  const k6 = startK6(rig.k6, buildSpec(rig, schedule, warmUpSeconds), {
    home: rig.home,
    stateDirectory: rig.stateDirectory,
    cpus: pinned(plan, plan.layout.generator)
  });
  const onAbort = () => k6.interrupt();
  signal.addEventListener("abort", onAbort);
  try {
    const yardstick = runYardstick(rig);
    const [begunAt, yardstickMs] = await Promise.all([k6.begun, yardstick]);
    const sampler = new Sampler(target, k6, plan.layout);
    await sampler.begin();
    const k6Start = since(launched);
    const zero = performance.now() / 1e3 - (Date.now() - begunAt) / 1e3;
    const dead = { k6: false };
    void k6.results.then(() => {
      dead.k6 = true;
    });
    const watched = [];
    for (const round of roundsOf(schedule)) {
      const turns = turnsOf(plan, round, zero);
      await sleepUntil(turns[0]?.at ?? 0);
      if (signal.aborted) break;
      const startedAt = Date.now();
      const { gapSeconds } = round[0];
      const settle = Math.min(gapSeconds * 0.75, gapSeconds * GRACEFUL_SHARE + 0.02);
      const gone = dead.k6;
      const seen = gone ? UNSEEN : await sampler.watch(turns, sleepUntil, settle, signal);
      if (seen === null) break;
      for (const slot of round) {
        const { witness, portErrors, oomKilled } = seen[slot.arm];
        const events = /* @__PURE__ */ new Set();
        if (gone) events.add("k6-died");
        if (oomKilled) events.add("oom-killed");
        if (!target.alive(slot.arm)) events.add("target-restarted");
        watched.push({ slot, startedAt, witness, portErrors, events });
      }
    }
    const results = await k6.results;
    const slots = watched.map((slot) => {
      if (results === null) return { ...slot, result: null, events: /* @__PURE__ */ new Set(["k6-died"]) };
      return { ...slot, result: results[schedule.indexOf(slot.slot)] ?? null };
    });
    return { slots, k6Start, yardstickMs };
  } finally {
    signal.removeEventListener("abort", onAbort);
    await k6.close();
  }
}
var UNSEEN = {
  base: { witness: null, portErrors: 0, oomKilled: false },
  head: { witness: null, portErrors: 0, oomKilled: false }
};
function roundsOf(schedule) {
  const rounds = [];
  for (const slot of schedule) {
    if (rounds.at(-1)?.[0]?.cell === slot.cell) rounds.at(-1)?.push(slot);
    else rounds.push([slot]);
  }
  return rounds;
}
function turnsOf(plan, round, zero) {
  return round.flatMap(
    (slot) => slot.stretches.map((stretch) => {
      const { from, seconds: seconds2 } = judgedPart(plan, slot, stretch);
      return { arm: slot.arm, at: zero + stretch.startSeconds + from, seconds: seconds2 };
    })
  ).sort((a, b) => a.at - b.at);
}
var lengthOf = ({ stretches }) => stretches.reduce((sum, { seconds: seconds2 }) => sum + seconds2, 0);
function toSample(plan, measured, stage, block) {
  const { slot, result } = measured;
  const found = result ?? EMPTY;
  const { vuSeconds, ...counted } = found;
  const judged = slot.stretches.reduce((sum, stretch) => sum + judgedPart(plan, slot, stretch).seconds, 0);
  const seconds2 = vuSeconds > 0 ? vuSeconds / vusOf(plan, slot) : judged;
  return {
    kind: "slot",
    stage,
    block,
    cell: slot.cell,
    arm: slot.arm,
    order: slot.order,
    startedAt: measured.startedAt,
    seconds: seconds2,
    ...counted,
    qps: counted.requests / seconds2,
    portErrors: counted.portErrors + measured.portErrors,
    witness: measured.witness,
    events: [...measured.events]
  };
}
function buildSpec(rig, schedule, warmUpSeconds) {
  const { plan, target } = rig;
  const scenarios = {};
  for (const { cell } of schedule) {
    const { name, work, connection, checks } = scenarioOf(plan, cell);
    scenarios[name] = { work, connection, checks };
  }
  return {
    urls: { base: target.url("base"), head: target.url("head") },
    host: target.host,
    scenarios,
    warmUp: {
      seconds: warmUpSeconds,
      gracefulSeconds: WARM_UP_GAP * GRACEFUL_SHARE,
      vus: plan.config.target.php.workers,
      scenarios: Object.keys(scenarios)
    },
    slots: roundsOf(schedule).flatMap((slots, round) => slots.map((slot) => slotSpec(plan, slot, round)))
  };
}
function slotSpec(plan, slot, round) {
  const { name, load } = scenarioOf(plan, slot.cell);
  const common = {
    arm: slot.arm,
    scenario: name,
    round,
    stretches: slot.stretches,
    gracefulSeconds: slot.gapSeconds * GRACEFUL_SHARE,
    vus: vusOf(plan, slot),
    rate: null,
    stages: null,
    counted: null,
    iterations: null
  };
  if (load.model === "open" && !("pilot" in slot)) return { ...common, rate: slot.rate ?? levelOf(plan, slot) };
  if (load.model === "ramp" && !("pilot" in slot)) {
    return { ...common, stages: load.stages, counted: plateauOf(load.stages) };
  }
  return common;
}
function vusOf(plan, slot) {
  const { load } = scenarioOf(plan, slot.cell);
  if (load.model !== "open") return levelOf(plan, slot);
  return "pilot" in slot ? Math.min(OPEN_PILOT_VUS, load.maxVus) : load.maxVus;
}
function levelOf(plan, slot) {
  return plan.cells.find((cell) => cell.id === slot.cell)?.level ?? OPEN_PILOT_VUS;
}
function judgedPart(plan, slot, { seconds: seconds2 }) {
  const { load } = scenarioOf(plan, slot.cell);
  if (load.model !== "ramp" || "pilot" in slot) return { from: 0, seconds: seconds2 };
  const { fromSeconds, toSeconds } = plateauOf(load.stages);
  return { from: fromSeconds, seconds: toSeconds - fromSeconds };
}
function scenarioOf(plan, cellId) {
  const name = plan.cells.find((cell) => cell.id === cellId)?.scenario;
  const scenario = plan.config.scenarios.find((candidate) => candidate.name === name);
  if (scenario === void 0) throw new Error(`plan: no scenario for cell ${cellId}`);
  return scenario;
}
function pinned(plan, cpus) {
  return plan.config.measure.isolation === "off" ? null : cpus;
}
async function runYardstick(rig) {
  const script = join2(rig.home, "scripts", "dist", "yardstick.js");
  const cpus = pinned(rig.plan, rig.plan.layout.target);
  const command = [...cpus === null ? [] : ["taskset", "-c", cpus.join(",")], process.execPath, script];
  const [program = "", ...args] = command;
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: 3e4 });
    return JSON.parse(stdout).cpuMs;
  } catch (error) {
    throw new MeasureError(`the yardstick did not run (${command.join(" ")}): ${error.message}`);
  }
}
async function sleepUntil(at) {
  const left = at * 1e3 - performance.now();
  if (left > 0) await sleep(left);
}
function since(start) {
  return (performance.now() - start) / 1e3;
}

// scripts/src/measure/census.ts
import { Agent, request } from "node:http";

// scripts/src/measure/iterations.ts
async function runIterations(rig, scenario, arm, iterations) {
  const { name, work, connection, checks } = scenario;
  const k6 = startK6(
    rig.k6,
    {
      urls: { base: rig.target.url("base"), head: rig.target.url("head") },
      host: rig.target.host,
      scenarios: { [name]: { work, connection, checks } },
      warmUp: { seconds: 0, gracefulSeconds: 0, vus: 1, scenarios: [] },
      slots: [
        {
          arm,
          scenario: name,
          round: 0,
          stretches: [{ startSeconds: 0, seconds: 60 }],
          gracefulSeconds: 0,
          vus: 1,
          rate: null,
          stages: null,
          counted: null,
          iterations
        }
      ]
    },
    { home: rig.home, stateDirectory: rig.stateDirectory, cpus: null }
  );
  const onAbort = () => k6.interrupt();
  rig.signal.addEventListener("abort", onAbort);
  try {
    await k6.begun;
    const [result] = await k6.results ?? [];
    if (result === void 0) throw new MeasureError(`k6 died while it counted what ${name} costs`);
    return result;
  } finally {
    rig.signal.removeEventListener("abort", onAbort);
    await k6.close();
  }
}

// scripts/src/measure/census.ts
var REQUESTS_PER_REPEAT = 10;
var REPEATS = 3;
var TIMEOUT_MS = 3e4;
var MAX_BODY_BYTES = 32 * 1024 * 1024;
async function takeCensus(rig, progress) {
  const scenarios = [];
  for (const [index, scenario] of rig.plan.config.scenarios.entries()) {
    progress(`census ${index + 1} of ${rig.plan.config.scenarios.length}: ${scenario.name}`);
    const arms = {};
    for (const arm of ARMS) {
      rig.signal.throwIfAborted();
      arms[arm] = scenario.work.kind === "flow" ? await countFlow(rig, scenario, arm) : await countRequest(rig, scenario, arm);
    }
    scenarios.push({ scenario: scenario.name, arms });
  }
  return { version: 1, planId: rig.plan.id, requestsPerRepeat: REQUESTS_PER_REPEAT, repeats: REPEATS, scenarios };
}
async function countRequest(rig, scenario, arm) {
  const { workers } = rig.plan.config.target.php;
  const agent = new Agent({ keepAlive: scenario.connection === "keep-alive" });
  const send = () => sendOne(rig, scenario, arm, agent);
  try {
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: workers }, send));
    const answers = [];
    const repeats = {};
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const before = await rig.target.counters();
      const batch = [];
      for (let i = 0; i < REQUESTS_PER_REPEAT; i++) batch.push(await send());
      const after = await rig.target.counters();
      addDelta(repeats, before, after, REQUESTS_PER_REPEAT);
      answers.push(...batch);
    }
    const bytes = answers.map((answer) => answer.bytes);
    return {
      statuses: [...new Set(answers.map((answer) => answer.status))].sort((a, b) => a - b),
      failedShare: answers.filter((answer) => !answer.passed).length / answers.length,
      counts: { ...toCounts(repeats), responseBytes: { ...spread(bytes), exact: new Set(bytes).size === 1 } }
    };
  } finally {
    agent.destroy();
  }
}
async function countFlow(rig, scenario, arm) {
  const grown = async (iterations) => {
    const before = await rig.target.counters();
    const result = await runIterations(rig, scenario, arm, iterations);
    return { before, after: await rig.target.counters(), result };
  };
  await grown(rig.plan.config.target.php.workers * 3);
  const one = await grown(1);
  const repeats = {};
  let failed = 0;
  let requests = 0;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const eleven = await grown(REQUESTS_PER_REPEAT + 1);
    const offset = minus(one.after, one.before);
    addDelta(repeats, { ...offset }, minus(eleven.after, eleven.before), REQUESTS_PER_REPEAT);
    failed += Math.max(eleven.result.errors, eleven.result.failedChecks);
    requests += eleven.result.requests;
  }
  return {
    statuses: [],
    failedShare: requests === 0 ? 1 : Math.min(1, failed / requests),
    counts: toCounts(repeats)
  };
}
function sendOne(rig, scenario, arm, agent) {
  const { work, checks } = scenario;
  if (work.kind === "flow") throw new Error("a flow is no single request");
  return new Promise((resolve3) => {
    const failed = { status: 0, bytes: 0, passed: false };
    const headers = { ...work.headers, host: rig.target.host };
    if (work.body !== null) headers["content-length"] = String(Buffer.byteLength(work.body));
    const outgoing = request(
      new URL(work.path, `${rig.target.url(arm)}/`),
      { method: work.method, agent, timeout: TIMEOUT_MS, headers },
      (response) => {
        const chunks = [];
        let bytes = 0;
        response.on("data", (chunk) => {
          bytes += chunk.length;
          if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
        });
        response.on("error", () => resolve3(failed));
        response.on("end", () => {
          const status = response.statusCode ?? 0;
          const found = checks.bodyContains === null || Buffer.concat(chunks).toString().includes(checks.bodyContains);
          resolve3({ status, bytes, passed: checks.status.includes(status) && found });
        });
      }
    );
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", () => resolve3(failed));
    outgoing.end(work.body ?? void 0);
  });
}
var COUNTERS = ["sqlStatements", "dbConnections", "redisCommands"];
function addDelta(repeats, before, after, requests) {
  for (const name of COUNTERS) {
    const [from, to] = [before[name], after[name]];
    if (from === void 0 || to === void 0) continue;
    repeats[name] = [...repeats[name] ?? [], (to - from) / requests];
  }
}
function minus(after, before) {
  const difference = {};
  for (const name of COUNTERS) {
    const [from, to] = [before[name], after[name]];
    if (from !== void 0 && to !== void 0) difference[name] = to - from;
  }
  return difference;
}
function toCounts(repeats) {
  const counts = {};
  for (const [name, values] of Object.entries(repeats)) {
    const exact = values.every((value) => value === values[0] && Number.isInteger(value));
    counts[name] = { ...spread(values), exact };
  }
  return counts;
}
function spread(values) {
  return { perRequest: mean(values), min: Math.min(...values), max: Math.max(...values) };
}
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

// scripts/src/target/http.ts
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
var TIMEOUT_MS2 = 1e4;
function get(url, options = {}) {
  const request2 = url.startsWith("https:") ? requestHttps : requestHttp;
  const headers = options.host === void 0 ? {} : { host: options.host };
  const socket = options.socketPath === void 0 ? {} : { socketPath: options.socketPath };
  return new Promise((resolve3, reject) => {
    const outgoing = request2(url, { ...socket, headers, agent: false, timeout: TIMEOUT_MS2 }, (incoming) => {
      const chunks = [];
      incoming.on("data", (chunk) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        resolve3({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
      });
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS2 / 1e3} s`)));
    outgoing.on("error", reject);
    outgoing.end();
  });
}

// scripts/src/target/wait.ts
import { setTimeout as sleep2 } from "node:timers/promises";
async function waitFor(check, options) {
  const end = performance.now() + options.timeoutMs;
  for (; ; ) {
    options.signal.throwIfAborted();
    const result = await check();
    if (result !== null) return result;
    if (performance.now() >= end) return null;
    await sleep2(options.everyMs);
  }
}

// scripts/src/target/health.ts
var EVERY_MS = 20;
var TIMEOUT_MS3 = 3e4;
var NOT_UP_YET = [502, 503, 504];
var PATIENCE_MS = 1e3;
var oneLine = (text) => quoted(text.trim().slice(0, 500).replaceAll(/\s+/g, " "), 1).slice("| ".length);
async function waitUntilHealthy(check) {
  let last = "no answer";
  let wrongSince = null;
  const healthy = await waitFor(
    async () => {
      check.stillAlive();
      try {
        const answer = await get(check.url, { host: check.host });
        if (answer.status >= 200 && answer.status < 300) return true;
        last = `status ${answer.status}: ${oneLine(answer.body) || "empty body"}`;
        if (NOT_UP_YET.includes(answer.status)) wrongSince = null;
        else wrongSince ??= performance.now();
      } catch (error) {
        last = error instanceof Error ? error.message : String(error);
        wrongSince = null;
      }
      return wrongSince !== null && performance.now() - wrongSince > PATIENCE_MS ? false : null;
    },
    { everyMs: EVERY_MS, timeoutMs: TIMEOUT_MS3, signal: check.signal }
  );
  if (healthy === true) return;
  throw new MeasureError(
    `${check.arm} is not healthy: GET ${check.url} (Host: ${check.host}) must answer 2xx; ${last}${check.evidence()}`
  );
}

// scripts/src/target/process/probe.ts
var PROBE_SCRIPT = `<?php
$status = function_exists('opcache_get_status') ? @opcache_get_status(false) : false;
$pool = function_exists('fpm_get_status') ? fpm_get_status() : [];
header('Content-Type: application/json');
echo json_encode([
    'version' => PHP_VERSION,
    'sapi' => PHP_SAPI,
    'opcache' => is_array($status) && !empty($status['opcache_enabled']),
    'jit' => is_array($status) && isset($status['jit']) ? $status['jit'] : null,
    'xdebug' => extension_loaded('xdebug'),
    'processManager' => isset($pool['process-manager']) ? $pool['process-manager'] : null,
    'processes' => isset($pool['total-processes']) ? $pool['total-processes'] : null,
    'extensions' => array_merge(get_loaded_extensions(), get_loaded_extensions(true)),
]);
`;
var TRACING = 5;
function phpState(answer, settings) {
  const processManager2 = answer.processManager ?? settings.processManager;
  return {
    version: answer.version,
    sapi: answer.sapi,
    opcache: answer.opcache,
    jit: answer.opcache && answer.jit?.on === true ? answer.jit.kind === TRACING ? "tracing" : "function" : "off",
    jitBufferBytes: answer.jit?.on === true ? answer.jit.buffer_size : 0,
    xdebug: answer.xdebug,
    processManager: processManager2,
    workers: processManager2 === "static" ? answer.processes ?? settings.workers : settings.workers,
    extensions: [...new Set(answer.extensions)].sort((a, b) => a.localeCompare(b, "en", { sensitivity: "base" }))
  };
}

// scripts/src/target/counters.ts
var NAMES = ["sqlStatements", "dbConnections", "redisCommands"];
var Counters = class _Counters {
  #readers;
  /** What one reading adds to the counters it reads. */
  #cost = {};
  #readings = 0;
  /** Reads twice to learn what reading costs: nobody else may ask meanwhile. */
  static async of(readers) {
    const counters = new _Counters(readers);
    const first = await counters.#sum();
    const second = await counters.#sum();
    for (const name of NAMES) counters.#cost[name] = (second[name] ?? 0) - (first[name] ?? 0);
    return counters;
  }
  constructor(readers) {
    this.#readers = readers;
  }
  async read() {
    const now = await this.#sum();
    const own = this.#readings++;
    for (const name of NAMES) {
      const value = now[name];
      if (value !== void 0) now[name] = value - own * (this.#cost[name] ?? 0);
    }
    return now;
  }
  async #sum() {
    const sum = {};
    for (const counters of await Promise.all(this.#readers.map((read) => read()))) {
      for (const name of NAMES) {
        const value = counters[name];
        if (value !== void 0) sum[name] = (sum[name] ?? 0) + value;
      }
    }
    return sum;
  }
};

// scripts/src/target/mysql-client.ts
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
var STATUS = "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Com\\_%' OR Variable_name = 'Connections'";
var OUTPUT = ["--batch", "--skip-column-names", "--unbuffered", "--force", "--no-auto-rehash"];
var NOT_STATEMENTS = /^Com_(stmt_|execute_|prepare_|admin_commands)/;
var MysqlClient = class _MysqlClient {
  /** The server's own version string. */
  version = "";
  #process;
  #log;
  #lines = [];
  #waiting = null;
  #queue = Promise.resolve();
  #questions = 0;
  #dead = null;
  /**
   * Starts the `mariadb` or `mysql` command line client and asks it for the version.
   *
   * @param command the client, with what it needs to get in as administrator
   * @param log file for what it complains about
   */
  static async connect(command, log) {
    const complaints = openSync(log, "a");
    const [program = "", ...args] = [...command, ...OUTPUT];
    const spawned = spawn(program, args, { stdio: ["pipe", "pipe", complaints] });
    closeSync(complaints);
    const connected = new _MysqlClient(spawned, log);
    connected.version = (await connected.query("SELECT VERSION()"))[0] ?? "";
    return connected;
  }
  constructor(spawned, log) {
    this.#process = spawned;
    this.#log = log;
    spawned.stdin?.on("error", () => {
    });
    if (spawned.stdout === null) throw new Error("no output to read");
    createInterface({ input: spawned.stdout }).on("line", (line) => this.#take(line));
    spawned.once("error", () => this.#fail());
    spawned.once("exit", () => this.#fail());
  }
  close() {
    this.#process.kill("SIGKILL");
  }
  /** Rows, columns separated by tabs. Rejects with MeasureError once the server is gone. */
  query(sql) {
    const ask = () => new Promise((resolve3, reject) => {
      if (this.#dead !== null) return reject(this.#dead);
      const end = `end-of-answer-${++this.#questions}`;
      this.#waiting = { end, resolve: resolve3, reject };
      this.#process.stdin?.write(`${sql};
SELECT '${end}';
`);
    });
    const answer = this.#queue.then(ask, ask);
    this.#queue = answer;
    return answer;
  }
  /** Counters as they stand, this very reading included. */
  async counters() {
    const counters = { sqlStatements: 0, dbConnections: 0 };
    for (const row of await this.query(STATUS)) {
      const [name = "", value = ""] = row.split("	");
      if (name === "Connections") counters.dbConnections = Number(value);
      else if (!NOT_STATEMENTS.test(name)) counters.sqlStatements += Number(value);
    }
    return counters;
  }
  #take(line) {
    if (this.#waiting === null) return;
    if (line !== this.#waiting.end) {
      this.#lines.push(line);
      return;
    }
    const { resolve: resolve3 } = this.#waiting;
    const lines2 = this.#lines;
    this.#waiting = null;
    this.#lines = [];
    resolve3(lines2);
  }
  #fail() {
    this.#dead = new MeasureError(`the connection to MySQL was lost${tail("client", this.#log)}`);
    this.#waiting?.reject(this.#dead);
    this.#waiting = null;
  }
};

// scripts/src/target/redis-client.ts
import { connect } from "node:net";
var CONNECT_TIMEOUT_MS = 5e3;
var RedisClient = class _RedisClient {
  version = "";
  #socket;
  #received = "";
  #waiting = null;
  #queue = Promise.resolve();
  #dead = null;
  /** Rejects with what was wrong: no connection, no answer within 5 s, or what the server says (NOAUTH). */
  static async connect(host, port, timeoutMs = CONNECT_TIMEOUT_MS) {
    const socket = connect({ host, port });
    const client = new _RedisClient(socket);
    const late = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs / 1e3} s`)), timeoutMs);
    try {
      client.version = await client.#info("server", "redis_version");
      return client;
    } catch (error) {
      client.close();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }
  constructor(socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    let why = "";
    socket.on("error", (error) => {
      why = `: ${error.message}`;
    });
    socket.on("data", (data) => this.#take(data.toString("latin1")));
    socket.on("close", () => {
      this.#dead = new MeasureError(`the connection to Redis was lost${why}`);
      this.#waiting?.reject(this.#dead);
      this.#waiting = null;
    });
  }
  close() {
    this.#socket.destroy();
  }
  /** Commands processed as they stand; each reading adds the same to it. */
  async counters() {
    return { redisCommands: Number(await this.#info("stats", "total_commands_processed")) };
  }
  async #info(section, field) {
    const ask = () => new Promise((resolve3, reject) => {
      if (this.#dead !== null) return reject(this.#dead);
      this.#waiting = { resolve: resolve3, reject };
      this.#socket.write(`INFO ${section}\r
`);
    });
    const answer = this.#queue.then(ask, ask);
    this.#queue = answer;
    const text = await answer;
    return new RegExp(`^${field}:(.*)$`, "m").exec(text)?.[1]?.trim() ?? "";
  }
  /** The answer is a bulk string: $<length>CRLF<text>CRLF; or one line, which is an error. */
  #take(text) {
    this.#received += text;
    const head = /^(.*)\r\n/.exec(this.#received);
    if (head === null) return;
    const [line, said2 = ""] = head;
    const length = /^\$(\d+)$/.exec(said2)?.[1];
    if (length === void 0) {
      this.#waiting?.reject(new MeasureError(`Redis answers ${said2.replace(/^-/, "").slice(0, 200)}`));
      this.#received = "";
    } else {
      const end = line.length + Number(length);
      if (this.#received.length < end + 2) return;
      this.#waiting?.resolve(this.#received.slice(line.length, end));
      this.#received = this.#received.slice(end + 2);
    }
    this.#waiting = null;
  }
};

// scripts/src/target/compose/census.ts
var REDIS_PORT = 6379;
var AS_MYSQL_ROOT = 'MYSQL_PWD=$(printenv MARIADB_ROOT_PASSWORD || printenv MYSQL_ROOT_PASSWORD) exec "$(command -v mysql || command -v mariadb)" --no-defaults --user=root "$@"';
var CensusClients = class {
  /** Server -> version. */
  versions = {};
  #clients = [];
  #counters = null;
  /** Throws MeasureError naming the key and what the server said. `log` takes what the clients complain about. */
  async connect(mysql, redis, log) {
    const readers = [];
    const use = (name, client) => {
      this.#clients.push(client);
      this.versions[name] = client.version;
      readers.push(() => client.counters());
    };
    for (const { id, service } of mysql) {
      const command = ["docker", "exec", "--interactive", id, "sh", "-c", AS_MYSQL_ROOT, "sh"];
      const client = await MysqlClient.connect(command, log).catch((error) => {
        const how = "as root, with MYSQL_ROOT_PASSWORD or MARIADB_ROOT_PASSWORD of its container";
        throw new MeasureError(
          `target.census.mysql: cannot ask ${service} ${how}: ${error.message}
Set one of them in the compose file, or remove target.census.mysql`
        );
      });
      use("mysql", client);
    }
    for (const container of redis) {
      const client = await RedisClient.connect(container.address() ?? "", REDIS_PORT).catch((error) => {
        throw new MeasureError(
          `target.census.redis: cannot ask ${container.service} on port ${REDIS_PORT}: ${error.message}. It is asked for INFO without a password: remove that in the compose file, or target.census.redis`
        );
      });
      use("redis", client);
    }
    this.#counters = await Counters.of(readers);
  }
  async read() {
    return await this.#counters?.read() ?? {};
  }
  close() {
    for (const client of this.#clients) client.close();
  }
};

// scripts/src/target/compose/container.ts
import { spawn as spawn3 } from "node:child_process";
import { readdirSync as readdirSync2, readFileSync as readFileSync5 } from "node:fs";

// scripts/src/target/front.ts
var OVERFLOW = "(11: Resource temporarily unavailable) while connecting to upstream";
var NO_PORT = "Cannot assign requested address";
var DIED = /child \d+ exited on signal/g;
var FrontCounts = class {
  listenOverflows = 0;
  portErrors = 0;
  workersDied = 0;
  /** @param text whole lines */
  add(text) {
    this.listenOverflows += occurrences(text, OVERFLOW);
    this.portErrors += occurrences(text, NO_PORT);
    this.workersDied += text.match(DIED)?.length ?? 0;
  }
  /** Forgets everything so far: a new replica starts. */
  reset() {
    this.listenOverflows = 0;
    this.portErrors = 0;
    this.workersDied = 0;
  }
};
var FrontLogs = class {
  counts = new FrontCounts();
  #logs;
  constructor(...logs) {
    this.#logs = logs.map((log) => new LogReader(log));
  }
  reset() {
    for (const log of this.#logs) log.skip();
    this.counts.reset();
  }
  update() {
    for (const log of this.#logs) this.counts.add(log.newLines().join("\n"));
    return this.counts;
  }
};
function occurrences(text, part) {
  return text.split(part).length - 1;
}

// scripts/src/target/compose/engine.ts
import { spawn as spawn2 } from "node:child_process";
import { closeSync as closeSync2, openSync as openSync2, writeSync } from "node:fs";

// scripts/src/target/environment.ts
var WITHHELD = /^(ACTIONS_|INPUT_|GITHUB_TOKEN$|GH_TOKEN$)/;
function childEnvironment(more) {
  const inherited = Object.entries(process.env).filter(([name]) => !WITHHELD.test(name));
  return { ...Object.fromEntries(inherited), ...more };
}

// scripts/src/target/compose/engine.ts
var DockerError = class extends MeasureError {
  /** "exit status 1", the signal that ended it, or why it could not be started. */
  how;
  /** What it printed on stderr, trimmed. */
  stderr;
  constructor(args, how, stderr) {
    super(`docker ${args.join(" ")}: ${how}${stderr === "" ? "" : `
${quoted(stderr, 15)}`}`);
    this.how = how;
    this.stderr = stderr;
  }
};
async function docker(args, options) {
  options.signal.throwIfAborted();
  const log = options.log === void 0 ? null : new Log(options.log);
  const child = spawn2("docker", args, {
    detached: true,
    env: childEnvironment(options.env ?? {}),
    stdio: ["ignore", "pipe", "pipe"]
  });
  if (child.pid !== void 0) guardGroup(child.pid);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      texts[name] += text;
      log?.write(text);
    });
  }
  const end = () => child.kill("SIGTERM");
  options.signal.addEventListener("abort", end);
  try {
    const how = await new Promise((resolve3) => {
      child.once("error", (error) => resolve3(error.message));
      child.once(
        "close",
        (code, signal) => resolve3(code === 0 ? null : signal === null ? `exit status ${code}` : signal)
      );
    });
    options.signal.throwIfAborted();
    if (how !== null) throw new DockerError(args, how, texts.stderr.trim());
    log?.check();
    return texts.stdout;
  } finally {
    options.signal.removeEventListener("abort", end);
    if (child.pid !== void 0) forgetGroup(child.pid);
    log?.close();
  }
}
var Log = class {
  #path;
  #file;
  #failure = null;
  constructor(path) {
    this.#path = path;
    try {
      this.#file = openSync2(path, "a");
    } catch (error) {
      throw this.#complaint(error);
    }
  }
  write(text) {
    try {
      writeSync(this.#file, text);
    } catch (error) {
      this.#failure ??= error;
    }
  }
  /** Throws MeasureError where something could not be written. */
  check() {
    if (this.#failure !== null) throw this.#complaint(this.#failure);
  }
  close() {
    closeSync2(this.#file);
  }
  #complaint(error) {
    return new MeasureError(
      `cannot write ${this.#path}: ${error.message}. Make room there, or name another --work-directory`
    );
  }
};
function lastLines(text, lines2) {
  return quoted(text.trim(), lines2).slice("| ".length).replaceAll("\n| ", "; ");
}

// scripts/src/target/compose/owner.ts
import { readFileSync as readFileSync4, readlinkSync } from "node:fs";
import { hostname } from "node:os";
var OWNER_LABEL = "perf-gate.owner";
function startTicks(pid) {
  try {
    return parseProcessStat(readFileSync4(`/proc/${pid}/stat`, "latin1")).startTicks;
  } catch {
    return null;
  }
}
function place() {
  return `${hostname()}:${/\d+/.exec(readlinkSync("/proc/self/ns/pid"))}`;
}
var ownerOf = (pid) => `${place()}:${pid}:${startTicks(pid)}`;
var thisOwner = () => ownerOf(process.pid);
function isDead(owner) {
  const [, where, pid, start] = /^(.+):(\d+):(\d+)$/.exec(owner) ?? [];
  return where === place() && startTicks(Number(pid)) !== Number(start);
}

// scripts/src/target/compose/container.ts
async function inspect(ids, signal) {
  return ids.length === 0 ? [] : JSON.parse(await docker(["inspect", ...ids], { signal }));
}
var KEPT_LINES = 25;
var NOTHING2 = { cpuSeconds: 0, memoryBytes: 0, throttledPeriods: 0, oomKills: 0 };
var Container = class {
  service;
  id;
  /** What its log told since it was started last. */
  counts = new FrontCounts();
  #seen;
  #startTicks = null;
  #cgroup = null;
  /** Of its earlier starts together, and of this one. */
  #before = NOTHING2;
  #usage = NOTHING2;
  #follower = null;
  #lastLines = [];
  constructor(seen) {
    this.service = seen.Config.Labels["com.docker.compose.service"] ?? seen.Id.slice(0, 12);
    this.id = seen.Id;
    this.#seen = seen;
    this.started(seen);
  }
  /** Takes note of a start: its process, its accounting and its log are new. */
  started(seen) {
    this.#seen = seen;
    this.#before = add(this.#before, this.#usage);
    this.#usage = NOTHING2;
    this.#startTicks = startTicks(this.pid);
    this.#cgroup = this.pid > 0 ? cgroupOf(this.pid) : null;
    this.counts.reset();
    this.#follow();
  }
  /** First process of the container, as seen from here; 0 where it does not run. */
  get pid() {
    return this.#seen.State.Pid;
  }
  /** Address in its first network; null where it has none of its own. */
  address() {
    const [first] = Object.values(this.#seen.NetworkSettings.Networks ?? {});
    return first?.IPAddress ? first.IPAddress : null;
  }
  /** Id of the container whose network it uses; null where it has its own. */
  get networkOf() {
    return /^container:(.+)$/.exec(this.#seen.HostConfig.NetworkMode)?.[1] ?? null;
  }
  /** Whether the process that started() saw still runs, and no worker of it was killed. */
  get alive() {
    return this.pid > 0 && startTicks(this.pid) === this.#startTicks && this.counts.workersDied === 0;
  }
  /** Usage over all its starts; null where it runs and its cgroup cannot be read from here. */
  usage() {
    if (this.pid === 0) return { ...this.#before, memoryBytes: 0 };
    if (this.#cgroup === null) return null;
    this.#usage = readCgroup(this.#cgroup, this.#usage);
    return add(this.#before, this.#usage);
  }
  /** Takes note of what `docker inspect` says of its end; its cgroup went with it. Call it once, before a restart. */
  killedForMemory() {
    this.#before = { ...this.#before, oomKills: this.#before.oomKills + 1 };
  }
  /** The end of its log, for an error message. */
  evidence() {
    if (this.#lastLines.length === 0) return "";
    return `
log of ${this.service}:
${quoted(this.#lastLines.join("\n"), KEPT_LINES)}`;
  }
  close() {
    this.#follower?.kill("SIGKILL");
    this.#follower = null;
  }
  /** Reads what it writes to stderr: web server and PHP report there what goes wrong. */
  #follow() {
    this.close();
    const since3 = ["--since", this.#seen.State.StartedAt];
    const follower = spawn3("docker", ["logs", "--follow", ...since3, this.id], { stdio: ["ignore", "ignore", "pipe"] });
    follower.on("error", () => {
    });
    let rest = "";
    follower.stderr.setEncoding("utf8").on("data", (text) => {
      if (this.#follower !== follower) return;
      const end = (rest + text).lastIndexOf("\n") + 1;
      const lines2 = (rest + text).slice(0, end);
      rest = (rest + text).slice(end);
      this.counts.add(lines2);
      this.#lastLines = [...this.#lastLines, ...lines2.split("\n").slice(-KEPT_LINES - 1, -1)].slice(-KEPT_LINES);
    });
    this.#follower = follower;
  }
};
async function checkLocal(container, signal) {
  if (container.pid === 0 || isIn(container.pid, container.id)) return;
  const [now] = await inspect([container.id], signal);
  if (now === void 0 || now.State.Pid === 0 || isIn(now.State.Pid, container.id)) return;
  const host = process.env.DOCKER_HOST;
  throw new MeasureError(
    `the Docker engine${host ? ` (DOCKER_HOST=${host})` : ""} runs on another machine or in a virtual one: its containers' CPU time and sockets cannot be seen from here. Use an engine of this machine, or --driver process`
  );
}
function isIn(pid, container) {
  try {
    return readFileSync5(`/proc/${pid}/cgroup`, "utf8").includes(container);
  } catch {
    return false;
  }
}
function add(one, other) {
  return {
    cpuSeconds: one.cpuSeconds + other.cpuSeconds,
    memoryBytes: other.memoryBytes,
    throttledPeriods: one.throttledPeriods + other.throttledPeriods,
    oomKills: one.oomKills + other.oomKills
  };
}
function usageOf(containers) {
  let sum = NOTHING2;
  for (const container of containers) {
    const usage = container.usage();
    if (usage === null || sum === null) sum = null;
    else sum = { ...add(sum, usage), memoryBytes: sum.memoryBytes + usage.memoryBytes };
  }
  return sum;
}
function enginePids() {
  return readdirSync2("/proc").flatMap((entry) => {
    try {
      const name = readFileSync5(`/proc/${Number(entry)}/comm`, "utf8").trim();
      return ["dockerd", "containerd"].includes(name) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}
function parentOf(pid) {
  try {
    const { ppid } = parseProcessStat(readFileSync5(`/proc/${pid}/stat`, "latin1"));
    return ppid > 1 ? [ppid] : [];
  } catch {
    return [];
  }
}

// scripts/src/target/compose/engine-check.ts
var INSTEAD = "or run with --driver process, which needs no Docker";
async function checkEngine(config, signal) {
  const ask = async (args, complaint, options) => (await docker(args, { ...options, signal }).catch((error) => {
    signal.throwIfAborted();
    throw new MeasureError(`${complaint(error)}; ${INSTEAD}`);
  })).trim();
  const absent = (plugin) => () => `docker ${plugin} is not installed (package docker-${plugin}-plugin or docker-${plugin})`;
  const [text, compose, buildx] = await Promise.all([
    ask(["info", "--format", "{{json .}}"], (error) => `no Docker engine answers: ${whyNoEngine(error)}`),
    ask(["compose", "version", "--short"], absent("compose")),
    ask(["buildx", "version"], absent("buildx"))
  ]);
  const info = JSON.parse(text);
  const versions = { engine: info.ServerVersion, compose, buildx: /\bv?(\d+\.\d+\S*)/.exec(buildx)?.[1] ?? "" };
  for (const [name, minimum] of Object.entries(OLDEST_ENGINE)) {
    const version = versions[name];
    if (isAtLeast(version, minimum)) continue;
    const called = name === "engine" ? "Docker engine" : `docker ${name}`;
    throw new MeasureError(`${called} ${version} is too old, ${minimum} or newer is needed; ${INSTEAD}`);
  }
  const lack = lackOf(info, config);
  if (lack !== null) throw new MeasureError(`${lack}; ${INSTEAD}`);
  return { docker: versions.engine, compose };
}
function isAtLeast(version, minimum) {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number.parseFloat);
  const [wantedMajor = 0, wantedMinor = 0] = minimum.split(".").map(Number);
  return Number.isNaN(major) || major > wantedMajor || major === wantedMajor && !(minor < wantedMinor);
}
function lackOf(info, { target, measure }) {
  if (info.OSType !== "linux") return `the engine runs ${info.OSType} containers; Linux containers are needed`;
  if (info.OperatingSystem === "Docker Desktop") {
    return "Docker Desktop runs its containers in a virtual machine, where their CPU time and sockets cannot be seen: use a Docker engine of this machine (DOCKER_HOST or `docker context use default`)";
  }
  const rootless = info.SecurityOptions?.some((option) => option.startsWith("name=rootless")) === true;
  const fix = rootless ? "let systemd delegate its controllers (https://docs.docker.com/engine/security/rootless/tips/#limiting-resources)" : "`docker info` names what the kernel lacks: mount the missing cgroup controller";
  if (!info.CPUSet && measure.isolation !== "off") {
    return `this ${rootless ? "rootless " : ""}engine cannot keep containers on CPUs of their own (cpuset): ${fix}, or set measure.isolation: off`;
  }
  const { resources } = target;
  if (resources === null) return null;
  if (!info.MemoryLimit) return `target.resources: this engine cannot limit memory: ${fix}, or remove target.resources`;
  if (resources.by === "quota" && !info.CpuCfsQuota) {
    return `target.resources: this engine cannot limit CPU time: ${fix}, or write by: cpuset`;
  }
  return null;
}
function whyNoEngine(error) {
  const text = error instanceof DockerError ? error.stderr || error.how : error.message;
  if (text.includes("ENOENT")) return "the docker command is not installed (https://docs.docker.com/engine/install)";
  if (text.includes("permission denied")) {
    return "this user may not talk to it: add the user to the group docker, use rootless Docker, or run with sudo";
  }
  if (/cannot connect|is the docker daemon running/i.test(text)) {
    return `is the Docker daemon running? Start it, or set DOCKER_HOST (${lastLines(text, 1)})`;
  }
  return lastLines(text, 3);
}

// scripts/src/target/compose/stack.ts
import { randomBytes } from "node:crypto";
import { existsSync as existsSync8, mkdirSync as mkdirSync2, rmSync as rmSync3, writeFileSync as writeFileSync5 } from "node:fs";
import { dirname as dirname2, join as join9 } from "node:path";

// scripts/src/target/compose/bake.ts
function bakeFile(projects, labels, cache) {
  const builds = ["base", "head", "shared"].flatMap((project2) => buildsOf(project2, projects));
  if (builds.length === 0) return null;
  return {
    file: { target: Object.fromEntries(builds.map((it) => [it.target, bakeTarget(it, { labels, cache, projects })])) },
    targets: builds.map((it) => it.target),
    allow: [...new Set(builds.flatMap(({ build }) => privileges(build)))]
  };
}
var targetName = (project2, service) => `${project2}-${service.replaceAll(".", "_")}`;
function buildsOf(project2, projects) {
  return Object.entries(projects[project2]?.services ?? {}).flatMap(
    ([service, { build, image, platform }]) => build === void 0 || image === void 0 ? [] : [{ project: project2, service, build, tag: image, platform, target: targetName(project2, service) }]
  );
}
function bakeTarget(item, { labels, cache, projects }) {
  const { tag, project: project2, target, service } = item;
  const build = undoubled(item.build);
  const other = project2 === "base" ? "head" : "base";
  const readable = project2 === "shared" ? [target] : [target, targetName(other, service)];
  const from = readable.flatMap((name) => cache.from.map((entry) => entry.replaceAll("{target}", name)));
  return template(
    said({
      context: build.context,
      dockerfile: dockerfile(build),
      "dockerfile-inline": build.dockerfile_inline,
      args: present(build.args ?? {}),
      target: build.target,
      contexts: contexts(build.additional_contexts ?? {}, project2, projects),
      labels: { ...build.labels, ...labels },
      tags: [tag],
      "cache-from": [.../* @__PURE__ */ new Set([...build.cache_from ?? [], ...from])],
      "cache-to": cache.to.map((entry) => entry.replaceAll("{target}", target)),
      network: build.network,
      "no-cache": build.no_cache,
      "no-cache-filter": build.no_cache_filter,
      pull: build.pull,
      platforms: platforms(item),
      secret: secrets(build, undoubled(projects[project2]?.secrets ?? {})),
      ssh: build.ssh,
      "shm-size": build.shm_size,
      ulimits: ulimits(build.ulimits ?? {}),
      "extra-hosts": extraHosts(build.extra_hosts ?? []),
      entitlements: build.privileged ? [...build.entitlements ?? [], "security.insecure"] : build.entitlements,
      output: ["type=docker"],
      // Provenance changes the digest of an image that did not change.
      attest: ["type=provenance,disabled=true"]
    })
  );
}
function privileges(build) {
  const insecure = build.privileged ? ["security.insecure"] : [];
  const host = build.network === "host" ? ["network.host"] : [];
  const agent = build.ssh?.some((key) => !key.includes("=")) ? ["ssh"] : [];
  return [...build.entitlements ?? [], ...insecure, ...host, ...agent];
}
function dockerfile({ context, dockerfile: path }) {
  return path === void 0 || path.startsWith("/") || !context?.startsWith("/") ? path : `${context}/${path}`;
}
function contexts(named, project2, projects) {
  const resolved = (context) => {
    if (!context.startsWith("service:")) return context;
    const service = context.slice("service:".length);
    const owner = [project2, "shared"].find((it) => projects[it]?.services[service] !== void 0) ?? project2;
    const { build, image } = projects[owner]?.services[service] ?? {};
    return build === void 0 ? `docker-image://${image}` : `target:${targetName(owner, service)}`;
  };
  return Object.fromEntries(Object.entries(named).map(([name, context]) => [name, resolved(context)]));
}
function platforms({ platform, build }) {
  if (platform !== void 0) return [platform];
  return build.platforms?.length === 1 ? build.platforms : [];
}
function secrets(build, known) {
  return (build.secrets ?? []).map(({ source, target }) => {
    const { file, environment } = known[source] ?? {};
    const from = environment === void 0 ? `type=file,src=${file}` : `type=env,env=${environment}`;
    return `id=${target ?? source},${from}`;
  });
}
function ulimits(limits) {
  return Object.entries(limits).map(
    ([name, limit]) => typeof limit === "number" ? `${name}=${limit}` : `${name}=${limit.soft}:${limit.hard}`
  );
}
function extraHosts(hosts) {
  const found = {};
  for (const host of hosts) {
    const [name = "", address = ""] = host.split(/=(.*)/s);
    found[name] = found[name] === void 0 ? address : `${found[name]},${address}`;
  }
  return found;
}
function present(args) {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}
function said(object) {
  const empty = (value) => value === void 0 || typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !empty(value)));
}
function strings(value, change) {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((it) => strings(it, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, strings(it, change)]));
}
var undoubled = (value) => strings(value, (text) => text.replaceAll("$$", () => "$"));
var template = (value) => strings(value, (text) => text.replaceAll("${", () => "$${").replaceAll("%{", () => "%%{"));

// scripts/src/target/compose/checks.ts
function requireServices(model, key, names) {
  const missing = names.find((name) => !Object.hasOwn(model.services, name));
  if (missing === void 0) return;
  const there = Object.keys(model.services).toSorted();
  throw new InputError(
    `${key}: no service "${missing}" in the compose file. Name one of ${there.join(", ")}; a service with profiles: is there only when COMPOSE_PROFILES names one of them.`
  );
}
function sharedServices(model, named) {
  const found = /* @__PURE__ */ new Set();
  const queue = [...named];
  for (let name = queue.pop(); name !== void 0; name = queue.pop()) {
    const service = model.services[name];
    if (found.has(name) || service === void 0) continue;
    found.add(name);
    queue.push(...Object.keys(service.depends_on ?? {}));
  }
  return found;
}
function checkShared(model, shared, target) {
  for (const name of shared) {
    const needed = target.find((it) => sharedServices(model, [name]).has(it));
    if (needed === name)
      throw new InputError(
        `target.shared: ${name} is under load itself (target.service, target.restart), so each arm has its own. Take it out of target.shared.`
      );
    if (needed !== void 0)
      throw new InputError(
        `target.shared: ${name} depends on ${needed}, which each arm has for itself. Take ${name} out of target.shared, or remove its depends_on.`
      );
  }
  for (const [name, service] of Object.entries(model.services)) checkNetwork(name, service);
}
function checkNetwork(name, { network_mode: mode }) {
  if (mode === "host")
    throw new InputError(
      `compose file: services.${name}.network_mode: the arms run side by side and would want the same ports of this host; got host. Remove it: load goes to the container's own address, and services find each other by name.`
    );
  if (mode?.startsWith("container:"))
    throw new InputError(
      `compose file: services.${name}.network_mode: expected a network that each arm can have for itself; got ${mode}. Write service:NAME, with that container as a service of the file.`
    );
}
function checkOwn(model, own, shared) {
  for (const [name, service] of Object.entries(own)) {
    const tie = tiesOf(service).find(([, to]) => shared.has(to));
    if (tie !== void 0)
      throw new InputError(
        `target.shared: ${name} lives in the container of ${tie[1]} (${tie[0]}), which both arms share. Name ${name} under target.shared too, or take ${tie[1]} out.`
      );
    for (const volume of namedVolumes(service)) checkVolume(model, { name, volume, shared });
  }
}
function checkVolume(model, use) {
  const { name, volume, shared } = use;
  if (model.volumes?.[volume]?.external === true)
    throw new InputError(
      `compose file: volumes.${volume} is external and ${name} uses it: the arms run side by side and would write into the same files. Name ${name} under target.shared, or remove external: true, so that each arm gets a volume of its own.`
    );
  const sharer = [...shared].find((it) => namedVolumes(model.services[it]).includes(volume));
  if (sharer !== void 0)
    throw new InputError(
      `target.shared: ${sharer} exchanges files with ${name} through the volume ${volume}, but runs once for both arms. Take ${sharer} out of target.shared.`
    );
}
function namedVolumes(service) {
  return (service?.volumes ?? []).flatMap((it) => it.type === "volume" && it.source !== void 0 ? [it.source] : []);
}
function restartOrder(services, restart) {
  const order = [];
  const add2 = (name) => {
    if (order.includes(name)) return;
    order.push(name);
    for (const [other, service] of Object.entries(services)) {
      if (modesOf(service).some(([, to]) => to === name)) add2(other);
    }
  };
  for (const name of restart) add2(name);
  return order;
}
function modesOf(service) {
  return ["network_mode", "ipc", "pid"].flatMap((key) => {
    const [kind, name] = service[key]?.split(":") ?? [];
    return kind === "service" && name !== void 0 ? [[`${key}: service:${name}`, name]] : [];
  });
}
function tiesOf(service) {
  const files = (service.volumes_from ?? []).map((it) => [
    `volumes_from: ${it}`,
    it.split(":")[0] ?? ""
  ]);
  return [...modesOf(service), ...files];
}

// scripts/src/target/compose/types.ts
function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
function pick(record, wanted) {
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => wanted(value, key)));
}
function withoutDependencies(service, gone) {
  if (service.depends_on === void 0) return service;
  return { ...service, depends_on: pick(service.depends_on, (_, name) => !gone.has(name)) };
}
function without(object, ...keys) {
  const copy = { ...object };
  for (const key of keys) delete copy[key];
  return copy;
}

// scripts/src/target/compose/links.ts
var TOXIPROXY_IMAGE = "ghcr.io/shopify/toxiproxy:2.12.0";
var TOXIPROXY_PORT = 8474;
var CONFIG_FILE = "/toxiproxy.json";
var direct = (name) => `${name}-direct`;
function toxics(links) {
  return Object.entries(links).map(([service, link]) => ({
    service,
    path: `/proxies/${encodeURIComponent(service)}/toxics`,
    body: {
      name: "latency",
      type: "latency",
      stream: "downstream",
      toxicity: 1,
      attributes: {
        latency: wholeMs(link.latencyMs, `target.links.${service}.latency`),
        jitter: wholeMs(link.jitterMs, `target.links.${service}.jitter`)
      }
    }
  }));
}
function wholeMs(ms, key) {
  if (Number.isInteger(ms)) return ms;
  const near = [.../* @__PURE__ */ new Set([Math.floor(ms), Math.ceil(ms)])].map((n) => `${n}ms`).join(" or ");
  throw new InputError(`${key}: Toxiproxy counts in whole milliseconds; got ${ms}ms. Write ${near}.`);
}
function withLinks(model, links) {
  if (Object.keys(links).length === 0) return model;
  toxics(links);
  const services = {};
  const configs = { ...model.configs };
  for (const [name, service] of Object.entries(model.services)) {
    const link = links[name];
    const followed2 = follow(service, links);
    if (link === void 0) {
      services[name] = followed2;
      continue;
    }
    if (model.services[direct(name)] !== void 0)
      throw new InputError(
        `target.links.${name}: the name ${direct(name)} is needed for the service behind the delay, and the compose file has such a service. Rename it.`
      );
    const config = `${name}-toxiproxy`;
    services[name] = proxy(name, followed2, config);
    services[direct(name)] = {
      ...without(followed2, "hostname"),
      networks: mapValues(followed2.networks ?? {}, (to) => to === null ? null : without(to, "aliases"))
    };
    configs[config] = { content: initialProxies(name, link.port ?? portOf(name, service)) };
  }
  return { ...model, services, configs };
}
function proxy(name, service, config) {
  if (Object.keys(service.networks ?? {}).length === 0)
    throw new InputError(
      `target.links.${name}: the compose file gives ${name} no network of its own (network_mode), so nothing can stand in front of it. Remove network_mode or the link.`
    );
  return {
    image: TOXIPROXY_IMAGE,
    command: ["-host=0.0.0.0", `-config=${CONFIG_FILE}`],
    configs: [{ source: config, target: CONFIG_FILE }],
    depends_on: { [direct(name)]: { condition: "service_started", required: true } },
    ...service.hostname === void 0 ? {} : { hostname: service.hostname },
    networks: service.networks ?? {}
  };
}
function initialProxies(name, port) {
  return JSON.stringify([{ name, listen: `0.0.0.0:${port}`, upstream: `${direct(name)}:${port}`, enabled: true }]);
}
var KNOWN_PORTS = [
  [/mysql|mariadb|percona/i, 3306],
  [/redis|valkey/i, 6379]
];
function portOf(name, service) {
  const known = KNOWN_PORTS.find(([words]) => words.test(service.image ?? "") || words.test(name));
  if (known !== void 0) return known[1];
  const published = (service.ports ?? []).map((port) => port.target);
  const exposed = (service.expose ?? []).map((port) => Number.parseInt(port, 10));
  const ports = [.../* @__PURE__ */ new Set([...published, ...exposed])];
  if (ports.length === 1) return ports[0];
  if (ports.length === 0 && /nginx|http/i.test(`${service.image ?? ""} ${name}`)) return 80;
  const which = ports.length === 0 ? "and the compose file names none" : `the compose file names ${ports.join(", ")}`;
  throw new InputError(
    `target.links.${name}.port: expected the port that ${name} listens on; got nothing, ${which}. Write for example port: ${ports[0] ?? 3306}.`
  );
}
function follow(service, links) {
  const linked = (name) => Object.hasOwn(links, name);
  const copy = { ...service };
  if (service.depends_on !== void 0)
    copy.depends_on = Object.fromEntries(
      Object.entries(service.depends_on).flatMap(
        ([name, dependency]) => linked(name) ? [
          [direct(name), dependency],
          [name, { condition: "service_started", required: true }]
        ] : [[name, dependency]]
      )
    );
  for (const key of ["network_mode", "ipc", "pid"]) {
    const value = service[key];
    if (value !== void 0) copy[key] = followed(value, linked);
  }
  if (service.volumes_from !== void 0)
    copy.volumes_from = service.volumes_from.map((source) => {
      const [name = "", ...mode] = source.split(":");
      return linked(name) ? [direct(name), ...mode].join(":") : source;
    });
  if (service.build !== void 0) copy.build = followBuild(service.build, linked);
  return copy;
}
function followBuild(build, linked) {
  const contexts2 = build.additional_contexts;
  if (contexts2 === void 0) return build;
  return { ...build, additional_contexts: mapValues(contexts2, (context) => followed(context, linked)) };
}
function followed(value, linked) {
  const name = value.startsWith("service:") ? value.slice("service:".length) : "";
  return linked(name) ? `service:${direct(name)}` : value;
}

// scripts/src/target/compose/delay.ts
var TIMEOUT_MS4 = 1e4;
var ANSWER_TIMEOUT_MS = 2e3;
async function setDelay({ service, path, body }, address, signal) {
  const url = `http://${address}:${TOXIPROXY_PORT}${path}`;
  let why = "";
  const post = async () => {
    const either = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    return await fetch(url, { method: "POST", body: JSON.stringify(body), signal: either }).catch((error) => {
      why = error.cause instanceof Error ? error.cause.message : error.message;
      return null;
    });
  };
  const answer = await waitFor(post, { everyMs: 50, timeoutMs: TIMEOUT_MS4, signal });
  if (answer === null) throw new MeasureError(`target.links.${service}: Toxiproxy does not answer: ${why}`);
  if (!answer.ok) throw new MeasureError(`target.links.${service}: Toxiproxy refuses: ${await answer.text()}`);
}

// scripts/src/target/compose/healthcheck.ts
var SECONDS = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };
function seconds(duration) {
  const parts = duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g);
  return [...parts].reduce((sum, [, number, unit]) => sum + Number(number) * SECONDS[unit], 0);
}
var DEFAULT = { interval: "30s", retries: 3 };
var LEAST_PATIENCE_SECONDS = 60;
function quietHealthcheck(check) {
  if (check.disable === true || check.test?.[0] === "NONE") return check;
  const { interval = DEFAULT.interval, retries = DEFAULT.retries, start_period = "0s", start_interval } = check;
  const afterwards = start_interval === void 0 ? seconds(interval) * retries : 0;
  const patience = Math.ceil(seconds(start_period) + afterwards);
  return {
    ...check,
    interval: "1h",
    start_interval: "1s",
    start_period: `${Math.max(LEAST_PATIENCE_SECONDS, patience)}s`
  };
}
function quietImageHealthcheck(service) {
  return service.healthcheck === void 0 ? { ...service, healthcheck: quietHealthcheck({}) } : service;
}

// scripts/src/target/compose/images.ts
async function buildImages({ allow, targets }, { file, dockerfiles, log, signal }) {
  const args = ["buildx", "bake", "--file", file, ...allow.map((what) => `--allow=${what}`), "--progress", "plain"];
  const env = { BUILDX_BAKE_ENTITLEMENTS_FS: "0" };
  await docker([...args, ...targets], { signal, env, log }).catch((error) => {
    signal.throwIfAborted();
    if (!(error instanceof DockerError)) throw error;
    const names = [...new Set(dockerfiles)].join(", ");
    throw new MeasureError(`the images cannot be built (${names})${tail("the build's output", log, 25)}`);
  });
}
async function withHealthcheck(images, signal) {
  const distinct = [...new Set(images)];
  const format = "{{if .Config.Healthcheck}}own{{else}}none{{end}}";
  const own = (await docker(["image", "inspect", "--format", format, ...distinct], { signal })).trim().split("\n");
  return new Set(distinct.filter((_, index) => own[index] === "own"));
}

// scripts/src/target/compose/leftovers.ts
import { setTimeout as sleep3 } from "node:timers/promises";
var KINDS = [
  { name: "containers", list: ["ps", "--all", "--no-trunc"], remove: ["rm", "--force", "--volumes"] },
  { name: "networks", list: ["network", "ls", "--no-trunc"], remove: ["network", "rm"] },
  { name: "volumes", list: ["volume", "ls"], remove: ["volume", "rm"] },
  { name: "images", list: ["image", "ls", "--no-trunc"], remove: ["image", "rm", "--force"] }
];
var TRIES = 10;
var BETWEEN_TRIES_MS = 300;
var lines = (text) => [...new Set(text.split("\n").filter(Boolean))];
async function removeLabelled(label, signal, kinds = KINDS) {
  let containers = 0;
  for (let tries = 1; ; tries++) {
    const left = [];
    const refusals = [];
    for (const { name, list, remove } of kinds) {
      const found = lines(await docker([...list, "--quiet", "--filter", `label=${label}`], { signal }));
      if (found.length === 0) continue;
      left.push(`${found.length} ${name}`);
      if (name === "containers" && tries === 1) containers = found.length;
      await docker([...remove, ...found], { signal }).catch((error) => {
        signal.throwIfAborted();
        refusals.push(error instanceof DockerError ? lastLines(error.stderr, 3) : error.message);
      });
    }
    if (left.length === 0) return containers;
    if (tries === TRIES) {
      throw new MeasureError(`${left.join(", ")} with the label ${label} cannot be removed: ${refusals.join("; ")}`);
    }
    if (refusals.length > 0) await sleep3(BETWEEN_TRIES_MS);
  }
}
var removeContainers = (label, signal) => removeLabelled(label, signal, KINDS.slice(0, 1));
async function removeLeftovers(signal) {
  const label = `{{.Label "${OWNER_LABEL}"}}`;
  const filter = ["--filter", `label=${OWNER_LABEL}`];
  const owners = /* @__PURE__ */ new Set();
  for (const list of [
    ["ps", "--all"],
    ["network", "ls"],
    ["volume", "ls"]
  ]) {
    for (const owner of lines(await docker([...list, ...filter, "--format", label], { signal }))) owners.add(owner);
  }
  const images = lines(await docker(["image", "ls", "--quiet", ...filter], { signal }));
  if (images.length > 0) {
    const ofImage = `{{index .Config.Labels "${OWNER_LABEL}"}}`;
    const text = await docker(["image", "inspect", "--format", ofImage, ...images], { signal }).catch(() => "");
    for (const owner of lines(text)) owners.add(owner);
  }
  let containers = 0;
  for (const owner of owners) {
    if (isDead(owner)) containers += await removeLabelled(`${OWNER_LABEL}=${owner}`, signal);
  }
  return containers;
}

// scripts/src/target/compose/mounts.ts
import { existsSync as existsSync3, statSync } from "node:fs";
import { isAbsolute, join as join3, relative } from "node:path";
var OF_THE_MACHINE = /^\/(etc|usr|lib|dev|proc|sys)(\/|$)/;
function checkMounts(projects, trees) {
  const mounts = { base: mountsOf(projects.base), head: mountsOf(projects.head) };
  for (const arm of ARMS) {
    const other = arm === "base" ? "head" : "base";
    for (const { service, source } of mounts[arm]) {
      const path = below(trees[arm], source);
      if (path === null || existsSync3(source) || !existsSync3(join3(trees[other], path))) continue;
      throw new InputError(
        `compose file: services.${service}.volumes: ${source} is not there, and the tree of ${other} has it. Where it is not under version control, name it in target.copy: copy: [${path}]`
      );
    }
  }
  for (const { service, source, readOnly } of mounts.base) {
    if (readOnly || ARMS.some((arm) => below(trees[arm], source) !== null) || isHarmless(source)) continue;
    const also = mounts.head.find((mount) => mount.source === source && !mount.readOnly);
    if (also === void 0) continue;
    throw new InputError(
      `compose file: services.${service}.volumes: both versions would write into ${source}. Mount it read-only (${source}:...:ro), use a named volume, of which each version gets its own, or name ${service} in target.shared`
    );
  }
}
function mountsOf(project2) {
  return Object.entries(project2.services).flatMap(
    ([service, { volumes }]) => (volumes ?? []).flatMap(
      ({ type, source, read_only: readOnly = false }) => type === "bind" && source !== void 0 ? [{ service, source, readOnly }] : []
    )
  );
}
function below(directory, path) {
  const inside = relative(directory, path);
  return inside.startsWith("..") || isAbsolute(inside) ? null : inside || ".";
}
function isHarmless(source) {
  return OF_THE_MACHINE.test(source) || statSync(source, { throwIfNoEntry: false })?.isSocket() === true;
}

// scripts/src/target/compose/notices.ts
import { existsSync as existsSync4, readFileSync as readFileSync6 } from "node:fs";
import { join as join4 } from "node:path";
function noticesOf(models, shared, { trees, workDirectory }) {
  return [
    ...[...shared].filter((name) => differs(models, name, trees)).map(
      (name) => `target.shared: ${name} is not the same in the compose files of base and head; both get the base's`
    ),
    ...[...new Set([models.base, models.head].flatMap(externalNetworks))].map(
      (name) => `compose file: networks.${name} is external; each version gets a network of its own in its place, without what is outside of this file`
    ),
    ...[...new Set([models.base, models.head].flatMap((model) => contextsAround(model, workDirectory)))].map(
      (context) => `the build context ${context} contains the work directory ${workDirectory}: name it in ${context}/.dockerignore, or every build sends it along`
    )
  ];
}
function differs(models, name, trees) {
  const text = (arm) => JSON.stringify(models[arm].services[name] ?? null).replaceAll(trees[arm], "TREE");
  return text("base") !== text("head");
}
function externalNetworks({ networks = {} }) {
  return Object.keys(networks).filter((key) => networks[key]?.external === true);
}
function contextsAround({ services }, workDirectory) {
  return Object.values(services).flatMap(({ build }) => {
    const context = build?.context;
    const path = context?.startsWith("/") ? below(context, workDirectory) : null;
    if (context === void 0 || path === null) return [];
    const dockerfile2 = build?.dockerfile ?? "Dockerfile";
    const own = `${dockerfile2.startsWith("/") ? dockerfile2 : join4(context, dockerfile2)}.dockerignore`;
    const file = existsSync4(own) ? own : join4(context, ".dockerignore");
    return existsSync4(file) && ignores(readFileSync6(file, "utf8"), path) ? [] : [context];
  });
}
function ignores(text, path) {
  const above = path.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/"));
  return text.split("\n").some((line) => {
    const pattern = line.trim().replace(/^\.?\//, "").replace(/\/(\*\*)?$/, "");
    if (pattern === "" || /^[#!]/.test(pattern)) return false;
    const expression = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("**/", "\0").replaceAll("**", "").replaceAll("*", "[^/]*").replaceAll("?", "[^/]").replaceAll("\0", "(.*/)?").replaceAll("", ".*");
    return above.some((part) => new RegExp(`^${expression}$`).test(part));
  });
}

// scripts/src/target/compose/limits.ts
var OWN_LIMITS = ["cpus", "cpu_quota", "cpu_period", "cpuset", "mem_limit", "memswap_limit", "mem_reservation"];
function pinned2(service, cpus) {
  return cpus === null ? service : { ...service, cpuset: cpus.join(",") };
}
function limited(service, resources, cpus) {
  const { by, memoryBytes } = resources;
  if (cpus === null && by === "cpuset")
    throw new InputError(
      "target.resources: by: cpuset needs measure.isolation auto or CPU lists; got off. Write by: quota, or isolation: auto."
    );
  if (cpus !== null && resources.cpus > cpus.length)
    throw new InputError(
      `target.resources: asks for ${resources.cpus} CPUs; the layout has ${cpus.length} for PHP (${cpus.join(",")}), the others are for k6 and the services. Ask for at most ${cpus.length}, or take a larger machine.`
    );
  const { deploy } = service;
  const kept = without(service, ...OWN_LIMITS);
  return {
    ...kept,
    ...deploy?.resources === void 0 ? {} : { deploy: { ...deploy, resources: without(deploy.resources, "limits", "reservations") } },
    ...by === "quota" ? { cpus: resources.cpus } : {},
    ...cpus === null ? {} : { cpuset: (by === "quota" ? cpus : cpus.slice(0, resources.cpus)).join(",") },
    mem_limit: `${memoryBytes}`,
    memswap_limit: `${memoryBytes}`
  };
}

// scripts/src/target/compose/project.ts
function armProject(model, options) {
  const { arm, id, service, image } = options;
  const [php = service] = options.targetServices;
  const { linked, shared } = prepared(model, options);
  const own = pick(linked.services, (_, name) => !shared.has(name));
  checkOwn(linked, own, shared);
  const { image: built } = own[php] ?? {};
  const replaced = mapValues(
    own,
    (it, name) => image !== null && (name === php || built !== void 0 && it.image === built) ? { ...without(it, "build"), image } : it
  );
  return project(linked, options, arm, {
    services: mapValues(replaced, (it) => withoutDependencies(it, shared)),
    networks: Object.fromEntries(networkKeys(linked).map((key) => [key, network(id, arm, key)]))
  });
}
function sharedProject(model, options) {
  if (options.shared.length === 0) return null;
  const { linked, shared } = prepared(model, options);
  const onBoth = (it, name) => it.networks === void 0 ? it : { ...it, networks: bothArms(it.networks, name) };
  return project(linked, options, "shared", {
    services: mapValues(
      pick(linked.services, (_, name) => shared.has(name)),
      onBoth
    ),
    networks: Object.fromEntries(
      networkKeys(linked).flatMap((key) => ARMS.map((arm) => [`${arm}_${key}`, network(options.id, arm, key)]))
    )
  });
}
var UNIQUE_OPTION = "com.docker.network.bridge.name";
function networksOf(model, id, arm) {
  return Object.fromEntries(
    Object.entries(model.networks ?? {}).map(([key, entry]) => {
      const own = Object.entries(entry?.["driver_opts"] ?? {});
      const options = own.flatMap(([name, value]) => name === UNIQUE_OPTION ? [] : ["--opt", `${name}=${value}`]);
      return [networkName(id, arm, key), [...entry?.["internal"] === true ? ["--internal"] : [], ...options]];
    })
  );
}
function composeText(project2) {
  return JSON.stringify({ ...project2, services: mapValues(project2.services, (it) => without(it, "build")) }, null, 2);
}
var projectName = (id, name) => `perf-gate-${id}-${name}`;
var networkKeys = (model) => Object.keys(model.networks ?? {});
var networkName = (id, arm, key) => `${projectName(id, arm)}_${key}`;
var network = (id, arm, key) => ({ external: true, name: networkName(id, arm, key) });
function prepared(model, options) {
  const { service, targetServices, shared, links } = options;
  requireServices(model, "target.service", [service]);
  requireServices(model, "target.restart", targetServices);
  requireServices(model, "target.shared", shared);
  requireServices(model, "target.links", Object.keys(links));
  const target = [.../* @__PURE__ */ new Set([service, ...targetServices])];
  const delayed = target.find((name) => Object.hasOwn(links, name));
  if (delayed !== void 0)
    throw new InputError(
      `target.links.${delayed}: ${delayed} is under load itself (target.service, target.restart); a link delays what it asks. Name a service it asks, such as mysql.`
    );
  const linked = withLinks(withAliases(model), links);
  checkShared(linked, shared, target);
  return { linked, shared: sharedServices(linked, shared) };
}
function withAliases(model) {
  const links = Object.values(model.services).flatMap((it) => it.links ?? []);
  const aliasesOf = (name, it) => [
    ...it.container_name === void 0 ? [] : [it.container_name],
    ...links.flatMap((link) => link.startsWith(`${name}:`) ? [link.slice(name.length + 1)] : [])
  ];
  const services = mapValues(model.services, (it, name) => {
    const aliases = aliasesOf(name, it);
    const known = without(it, "container_name", "links");
    if (it.networks === void 0 || aliases.length === 0) return known;
    return { ...known, networks: mapValues(it.networks, (to) => attached(to, aliases)) };
  });
  return { ...model, services };
}
function attached(to, aliases) {
  return { ...to, aliases: [.../* @__PURE__ */ new Set([...to?.aliases ?? [], ...aliases])] };
}
function bothArms(networks, name) {
  return Object.fromEntries(
    Object.entries(networks).flatMap(([key, to]) => ARMS.map((arm) => [`${arm}_${key}`, attached(to, [name])]))
  );
}
function project(model, options, name, parts) {
  const { id, labels } = options;
  const services = mapValues(tagged(parts.services, id, name), (it, key) => ({
    ...confined(it, isTarget(key, options), options),
    labels: { ...it.labels, ...labels, "perf-gate.arm": name }
  }));
  const used = new Set(Object.values(services).flatMap(namedVolumes));
  const volumes = mapValues(
    pick(model.volumes ?? {}, (_, key) => used.has(key)),
    (it, key) => it?.external ? it : { ...it, name: `${projectName(id, name)}_${key}`, labels }
  );
  return { ...model, name: projectName(id, name), services, networks: parts.networks, volumes };
}
var isTarget = (key, { service, targetServices }) => key === service || targetServices.includes(key);
function tagged(services, id, project2) {
  const tag = (key) => `perf-gate/${id}:${project2}-${key}`;
  const builder = (key, it) => it.build === void 0 ? Object.keys(services).find(
    (other) => services[other]?.build !== void 0 && services[other].image === it.image
  ) : key;
  return mapValues(services, (it, key) => {
    const by = builder(key, it);
    const kept = without(it, "pull_policy");
    return by === void 0 ? kept : { ...kept, image: tag(by), pull_policy: "never" };
  });
}
var LOGGING = { driver: "local", options: { "max-size": "10m" } };
function confined(service, isTarget2, options) {
  const { scale, deploy, depends_on, healthcheck, networks } = service;
  const quiet = { ...without(service, "ports", "restart", "profiles", "develop"), logging: LOGGING };
  if (scale !== void 0) quiet.scale = Math.min(scale, 1);
  if (deploy !== void 0) quiet.deploy = once(deploy);
  if (depends_on !== void 0) quiet.depends_on = mapValues(depends_on, (it) => without(it, "restart"));
  if (healthcheck !== void 0) quiet.healthcheck = quietHealthcheck(healthcheck);
  if (networks !== void 0) quiet.networks = mapValues(networks, withoutAddress);
  const { cpus, resources } = options;
  if (!isTarget2) return pinned2(quiet, cpus?.services ?? null);
  const own = cpus?.target ?? null;
  return resources === null ? pinned2(quiet, own) : limited(quiet, resources, own);
}
function once(deploy) {
  const kept = { ...without(deploy, "restart_policy") };
  if (deploy.replicas !== void 0) kept.replicas = Math.min(deploy.replicas, 1);
  return kept;
}
function withoutAddress(to) {
  return to === null ? null : without(to, "ipv4_address", "ipv6_address", "link_local_ips");
}

// scripts/src/target/compose/recipe.ts
import { mkdirSync, writeFileSync as writeFileSync4 } from "node:fs";
import { join as join8 } from "node:path";

// scripts/src/target/process/nginx.ts
import { writeFileSync } from "node:fs";
import { join as join5 } from "node:path";
var findNginx = () => requireProgram("nginx-light", "nginx");
var START_TIMEOUT_MS = 1e4;
var CONNECTIONS = 1e4;
function nginxConf(options) {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `  ${name}_temp_path ${quote(join5(options.directory, name))};`).join("\n");
  return `${options.root ? "user root;\n" : ""}daemon off;
worker_processes ${options.workers};
pid ${quote(options.pidFile)};
error_log stderr warn;
events {
  worker_connections ${CONNECTIONS};
}
http {
${temporary}
  types {
    text/html html;
    text/css css;
    application/javascript js;
    application/json json;
    image/svg+xml svg;
    image/png png;
    image/jpeg jpg jpeg;
    font/woff2 woff2;
  }
  default_type application/octet-stream;
  access_log off;
  sendfile on;
  tcp_nodelay on;
  keepalive_timeout 3600s;
  # A connection is closed by who measures, never after a number of requests.
  keepalive_requests 1000000000;
  client_max_body_size 0;
  server_tokens off;
${options.servers}
}
`;
}
function quote(value, variables = "") {
  if (/["\\$\n]/.test(value))
    throw new MeasureError(
      `nginx cannot use the path ${JSON.stringify(value)}: it holds one of " \\ $ or a line break`
    );
  return `"${value}${variables}"`;
}
async function startNginx(premises, options) {
  const log = premises.log(options.name);
  const directory = premises.directory(options.name);
  const file = join5(directory, "nginx.conf");
  writeFileSync(
    file,
    nginxConf({
      directory,
      pidFile: join5(directory, "nginx.pid"),
      workers: options.workers,
      servers: options.servers,
      root: process.getuid?.() === 0
    })
  );
  const child = premises.launch([findNginx(), "-p", directory, "-c", file], {
    group: options.group,
    cpus: options.cpus,
    log: options.name
  });
  const up = await waitFor(
    async () => {
      if (!child.alive) return false;
      return await options.isUp().then(
        () => true,
        () => null
      );
    },
    { everyMs: 10, timeoutMs: START_TIMEOUT_MS, signal: premises.signal }
  );
  if (up !== true) throw new MeasureError(`nginx (${options.name}) did not start${tail("its log", log)}`);
  return child;
}

// scripts/src/target/process/php-fpm.ts
import { existsSync as existsSync5, rmSync, writeFileSync as writeFileSync2 } from "node:fs";
import { join as join6 } from "node:path";
var STATUS_PATH = "/perf-gate-status";
var START_TIMEOUT_MS2 = 1e4;
var STOP_GRACE_MS = 300;
var JIT_BUFFER = "64M";
function choosePhpFpm({ binary, version }) {
  const name = binary ?? (version === null ? null : `php-fpm${version}`);
  const found = name === null ? findPhpFpm() : findProgram(name);
  if (found !== null) return found;
  throw new MeasureError(
    binary === null ? `${name ?? "php-fpm"} is not installed: apt-get install php${version ?? ""}-fpm; ./scripts/perf-gate doctor lists everything that is missing` : `target.php.binary: ${binary} is not an executable file, nor one in PATH; leave it out to use the newest php-fpm`
  );
}
var PhpFpm = class {
  socket;
  log;
  errorLog;
  #premises;
  #arm;
  #command;
  #cpus;
  #directory;
  #env;
  #master = null;
  constructor(premises, options) {
    this.#premises = premises;
    this.#arm = options.arm;
    this.#cpus = options.cpus;
    this.#directory = options.directory;
    this.socket = premises.socket(`php-${options.arm}`);
    this.log = premises.log(`php-fpm-${options.arm}`);
    this.errorLog = premises.log(`php-${options.arm}`);
    const root = process.getuid?.() === 0;
    const directory = premises.directory(`php-${options.arm}`);
    const config = join6(directory, "php-fpm.conf");
    writeFileSync2(config, fpmConf(options.settings, { socket: this.socket, log: this.log, root }));
    const ini = premises.directory(`php-${options.arm}/ini`);
    writeFileSync2(join6(ini, "perf-gate.ini"), iniFile(options.settings, this.errorLog));
    this.#env = { ...options.env, PHP_INI_SCAN_DIR: `${options.env.PHP_INI_SCAN_DIR ?? ""}:${ini}` };
    this.#command = [
      options.binary,
      "--nodaemonize",
      "--fpm-config",
      config,
      ...root ? ["--allow-to-run-as-root"] : []
    ];
  }
  get alive() {
    return this.#master?.alive ?? false;
  }
  get pid() {
    return this.#master?.pid ?? null;
  }
  /** Ends the running master and its workers at once, then starts a new one; resolves when its socket is there. */
  async restart() {
    await this.#master?.stop("SIGQUIT", STOP_GRACE_MS);
    rmSync(this.socket, { force: true });
    const master = this.#premises.launch(this.#command, {
      group: this.#arm,
      cpus: this.#cpus,
      log: `php-fpm-${this.#arm}`,
      cwd: this.#directory,
      env: this.#env
    });
    this.#master = master;
    const up = await waitFor(() => !master.alive ? false : existsSync5(this.socket) ? true : null, {
      everyMs: 5,
      timeoutMs: START_TIMEOUT_MS2,
      signal: this.#premises.signal
    });
    if (up !== true) throw new MeasureError(`php-fpm of ${this.#arm} did not start${tail("its log", this.log)}`);
  }
};
function fpmConf(settings, at) {
  const user = at.root ? "user = root\ngroup = root\n" : "";
  return `[global]
error_log = "${at.log}"
daemonize = no
[www]
${user}listen = "${at.socket}"
listen.backlog = ${settings.backlog}
listen.mode = 0600
${processManager(settings)}
pm.status_path = ${STATUS_PATH}
clear_env = no
catch_workers_output = yes
decorate_workers_output = no
`;
}
function processManager({ processManager: pm, workers }) {
  const lines2 = [`pm = ${pm}`, `pm.max_children = ${workers}`];
  if (pm === "dynamic") {
    const start = Math.max(1, Math.floor(workers / 4));
    const most = Math.max(start, Math.floor(workers / 2));
    lines2.push(`pm.start_servers = ${start}`, `pm.min_spare_servers = ${start}`, `pm.max_spare_servers = ${most}`);
  }
  if (pm === "ondemand") lines2.push("pm.process_idle_timeout = 10s");
  return lines2.join("\n");
}
function iniFile(settings, errorLog) {
  const jit = settings.jit !== "off";
  const values = {
    log_errors: "1",
    error_log: errorLog,
    "opcache.enable": settings.opcache ? "1" : "0",
    "opcache.jit": jit ? settings.jit : "disable",
    "opcache.jit_buffer_size": jit ? JIT_BUFFER : "0",
    ...settings.ini
  };
  return Object.entries(values).map(([name, value]) => `${name} = "${value.replace(/["\\]/g, "\\$&")}"
`).join("");
}

// scripts/src/target/process/site.ts
import { rmSync as rmSync2, writeFileSync as writeFileSync3 } from "node:fs";
import { join as join7 } from "node:path";
var nginxWorkers = (cpus) => Math.ceil(cpus.length / 2);
var Site = class {
  url;
  log;
  #premises;
  #arm;
  #cpus;
  #servers;
  #adminSocket;
  #nginx = null;
  constructor(premises, options) {
    this.#premises = premises;
    this.#arm = options.arm;
    this.#cpus = options.cpus;
    this.url = `http://127.0.0.1:${options.port}`;
    this.log = premises.log(`nginx-${options.arm}`);
    this.#adminSocket = premises.socket(`admin-${options.arm}`);
    const probe = join7(premises.directory(`php-${options.arm}`), "probe.php");
    writeFileSync3(probe, PROBE_SCRIPT);
    this.#servers = siteServers({
      ...options,
      listen: `127.0.0.1:${options.port}`,
      adminListen: quote(`unix:${this.#adminSocket}`),
      probe
    });
  }
  get alive() {
    return this.#nginx?.alive ?? false;
  }
  /** Starts nginx where it does not run. */
  async ensureUp() {
    if (this.alive) return;
    await this.#nginx?.stop("SIGKILL", 0);
    rmSync2(this.#adminSocket, { force: true });
    this.#nginx = await startNginx(this.#premises, {
      name: `nginx-${this.#arm}`,
      group: this.#arm,
      cpus: this.#cpus,
      workers: nginxWorkers(this.#cpus),
      servers: this.#servers,
      isUp: () => get("http://perf-gate/up", { socketPath: this.#adminSocket })
    });
  }
  /** Asks FPM for its status or for the probe; null where it does not answer with JSON. */
  async ask(what) {
    try {
      const answer = await get(`http://perf-gate/${what}?json`, { socketPath: this.#adminSocket });
      return JSON.parse(answer.body);
    } catch {
      return null;
    }
  }
};
function siteServers(options) {
  const index = `/${options.index.replace(/^\/+/, "")}`;
  const pass = `fastcgi_pass ${quote(`unix:${options.phpSocket}`)};`;
  return `  fastcgi_buffer_size 32k;
  fastcgi_buffers 32 16k;
  fastcgi_read_timeout 120s;
  server {
    listen ${options.listen} backlog=4096;
    server_name _;
    root ${quote(options.root)};
    location / {
      try_files $uri ${quote(index, "$is_args$args")};
    }
    location ~ ^(?<script>.+?\\.php)(?<path_info>/.*)?$ {
      try_files $script ${quote(index, "$is_args$args")};
${params("$script", "$document_root$script")}
      fastcgi_param PATH_INFO $path_info;
      ${pass}
    }
  }
  server {
    listen ${options.adminListen};
    location = /up {
      return 204;
    }
    location = /status {
${params(STATUS_PATH, STATUS_PATH)}
      ${pass}
    }
    location = /probe {
${params("/probe.php", quote(options.probe))}
      ${pass}
    }
  }`;
}
function params(scriptName, scriptFilename) {
  const values = [
    ["SCRIPT_NAME", scriptName],
    ["SCRIPT_FILENAME", scriptFilename],
    ["QUERY_STRING", "$query_string"],
    ["REQUEST_METHOD", "$request_method"],
    ["CONTENT_TYPE", "$content_type"],
    ["CONTENT_LENGTH", "$content_length"],
    ["REQUEST_URI", "$request_uri"],
    ["DOCUMENT_URI", "$document_uri"],
    ["DOCUMENT_ROOT", "$document_root"],
    ["SERVER_PROTOCOL", "$server_protocol"],
    ["REQUEST_SCHEME", "$scheme"],
    ["GATEWAY_INTERFACE", "CGI/1.1"],
    ["SERVER_SOFTWARE", "nginx/$nginx_version"],
    ["REMOTE_ADDR", "$remote_addr"],
    ["REMOTE_PORT", "$remote_port"],
    ["SERVER_ADDR", "$server_addr"],
    ["SERVER_PORT", "$server_port"],
    ["SERVER_NAME", "$host"],
    ["REDIRECT_STATUS", "200"]
  ];
  return values.map(([name, value]) => `      fastcgi_param ${name} ${value};`).join("\n");
}

// scripts/src/target/compose/recipe.ts
var INSIDE = {
  tree: "/app",
  config: "/etc/perf-gate",
  socket: "/run/perf-gate/php.sock",
  port: 8080,
  adminPort: 8081
};
var BACKING = ["mysql", "redis", "http"];
function recipeOf({ plan, home }, state) {
  const { compose, services, healthPath, host, php } = plan.config.target;
  const tree = treesOf(plan);
  const own = (project2) => ({
    PERF_GATE_ARM: project2,
    PERF_GATE_ARM_NUMBER: project2 === "head" ? "1" : "0",
    PERF_GATE_TREE: tree(project2),
    PERF_GATE_HOME: home
  });
  if (compose !== null) {
    const { file, ...rest } = compose;
    return {
      ...rest,
      tree,
      file: (project2) => join8(tree(project2), file),
      variables: own,
      adminPort: null,
      left: []
    };
  }
  const config = join8(state, "config");
  writeConfig(config, plan);
  return {
    tree,
    file: () => join8(home, "docker", "compose.yaml"),
    variables: (project2) => ({
      ...own(project2),
      PERF_GATE_CONFIG: config,
      PERF_GATE_HEALTH: healthPath,
      PERF_GATE_HOST: host,
      ...php.version === null ? {} : { PERF_GATE_PHP: php.version }
    }),
    service: "web",
    port: INSIDE.port,
    adminPort: INSIDE.adminPort,
    restart: ["app"],
    shared: services,
    left: BACKING.filter((name) => !services.includes(name)),
    census: {
      mysql: services.includes("mysql") ? "mysql" : null,
      redis: services.includes("redis") ? "redis" : null
    }
  };
}
function treesOf({ arms }) {
  const tree = (arm) => arms[arm].directory ?? arms[arm === "base" ? "head" : "base"].directory ?? process.cwd();
  return (project2) => tree(project2 === "head" ? "head" : "base");
}
function writeConfig(directory, plan) {
  const { php, root, index } = plan.config.target;
  mkdirSync(join8(directory, "ini"), { recursive: true });
  const write = (name, text) => writeFileSync4(join8(directory, name), text);
  write("php-fpm.conf", fpmConf(php, { socket: INSIDE.socket, log: "/proc/self/fd/2", root: true }));
  write("ini/perf-gate.ini", iniFile(php, "/proc/self/fd/2"));
  write("probe.php", PROBE_SCRIPT);
  const servers = siteServers({
    listen: `${INSIDE.port}`,
    adminListen: `${INSIDE.adminPort}`,
    root: join8(INSIDE.tree, root),
    index,
    phpSocket: INSIDE.socket,
    probe: `${INSIDE.config}/probe.php`
  });
  const temporary = { directory: "/tmp", pidFile: "/tmp/nginx.pid" };
  write("nginx.conf", nginxConf({ ...temporary, workers: nginxWorkers(plan.layout.target), servers, root: true }));
}

// scripts/src/target/compose/resolve.ts
import { existsSync as existsSync6 } from "node:fs";
async function resolve(recipe, project2, env, signal) {
  const path = recipe.file(project2);
  if (!existsSync6(path)) {
    throw new InputError(`target.compose: there is no ${path}; name a compose file that both arms have in their tree`);
  }
  const args = ["compose", "--file", path, "config", "--format", "json"];
  const text = await docker(args, { signal, env: recipe.variables(project2) }).catch((error) => {
    signal.throwIfAborted();
    const why = error instanceof DockerError ? error.stderr : error.message;
    const hint = /env file|no such file/i.test(why) ? "\nA file that is not under version control is named by target.copy, such as copy: [.env]" : "";
    throw new InputError(`target.compose: ${path} of ${project2} cannot be used:
${quoted(why, 15)}${hint}`);
  });
  const model = JSON.parse(text);
  for (const [kind, name] of Object.entries(recipe.census)) {
    if (name !== null) requireServices(model, `target.census.${kind}`, [name]);
  }
  const left = new Set(recipe.left);
  const services = mapValues(
    pick(model.services, (_, name) => !left.has(name)),
    (service, name) => {
      const needed = withoutDependencies(service, left);
      return recipe.restart.includes(name) ? withEnvironment(needed, env) : needed;
    }
  );
  return { ...model, services };
}
function withEnvironment(service, env) {
  const own = service["environment"] ?? {};
  const filled = mapValues(
    env,
    (value) => (
      // For compose, which expands a `$`; what it printed is escaped already.
      value.replaceAll("$", "$$$$").replaceAll(/\$\$\{(\w+)\}/g, (whole, name) => own[name] ?? whole)
    )
  );
  return { ...service, environment: { ...own, ...filled } };
}
var COMPLETED = "service_completed_successfully";
function oneShotsOf(models) {
  const dependencies = models.flatMap(({ services }) => Object.values(services)).flatMap(({ depends_on = {} }) => Object.entries(depends_on));
  return new Set(dependencies.flatMap(([name, { condition }]) => condition === COMPLETED ? [name] : []));
}
function inOrder(services, names) {
  const ordered = /* @__PURE__ */ new Set();
  const add2 = (name, above) => {
    if (above.includes(name)) return;
    for (const needed of Object.keys(services[name]?.depends_on ?? {})) add2(needed, [...above, name]);
    if (names.includes(name)) ordered.add(name);
  };
  for (const name of names) add2(name, []);
  return [...ordered];
}

// scripts/src/target/compose/tree.ts
import { execFile as execFile2 } from "node:child_process";
import { existsSync as existsSync7 } from "node:fs";
import { promisify as promisify2 } from "node:util";
async function clearTree({ directory, repository }, image, label, signal) {
  if (directory === null || repository === null || !existsSync7(directory)) return;
  const foreign = ["!", "-user", `${process.getuid?.() ?? 0}`, "-print", "-quit"];
  const found = await promisify2(execFile2)("find", [directory, ...foreign]).catch(() => null);
  if (found?.stdout === "") return;
  const options = ["--rm", "--label", label, "--network", "none", "--user", "0", "--entrypoint", "sh"];
  const mount = ["--mount", `type=bind,source=${directory},target=/tree`];
  const remove = [image, "-c", "rm -rf /tree/* /tree/.[!.]* /tree/..?*"];
  await docker(["run", ...options, ...mount, ...remove], { signal }).catch(() => "");
}

// scripts/src/target/compose/stack.ts
var LABEL = "perf-gate";
var PROJECTS = [...ARMS, "shared"];
var UP_TIMEOUT = 180;
var CLOSE_TIMEOUT_MS = 6e4;
var KEPT_LOG_LINES = "2000";
var Stack = class {
  recipe;
  containers = { base: [], head: [], shared: [] };
  #options;
  #id = randomBytes(4).toString("hex");
  #labels = { [LABEL]: this.#id, [OWNER_LABEL]: thisOwner() };
  #label = `${LABEL}=${this.#id}`;
  #state;
  #logs;
  #projects = {};
  #oneShots = /* @__PURE__ */ new Set();
  /** Services whose address changed at a restart. */
  #moved = /* @__PURE__ */ new Set();
  constructor(options) {
    this.#options = options;
    this.#state = join9(options.workDirectory, "state");
    this.#logs = join9(options.workDirectory, "logs");
    rmSync3(this.#state, { recursive: true, force: true });
    mkdirSync2(this.#state, { recursive: true, mode: 448 });
    mkdirSync2(this.#logs, { recursive: true });
    for (const log of ["build", "compose", "mysql-client", "prepare-base", "prepare-head"])
      rmSync3(this.log(log), { force: true });
    guardDirectory(this.#state);
    guardLabel(this.#label);
    this.recipe = recipeOf(options, this.#state);
  }
  /** Path of a log below the work directory. */
  log(name) {
    return join9(this.#logs, `${name}.log`);
  }
  /** Starts and prepares everything. Throws InputError or MeasureError; what is up by then is left to close(). */
  async start() {
    const { plan, progress, signal } = this.#options;
    const left = await removeLeftovers(signal);
    if (left > 0) progress(`removed ${left} ${left === 1 ? "container" : "containers"} that a killed run had left`);
    const { shared: named } = this.recipe;
    const { env } = plan.config.target;
    const resolving = PROJECTS.map((project2) => resolve(this.recipe, project2, env, signal));
    await Promise.allSettled(resolving);
    const [base, head, common] = await Promise.all(resolving);
    const models = { base, head };
    this.#oneShots = oneShotsOf([base, head, common]);
    this.#projects = { base: this.#ofArm(base, "base"), head: this.#ofArm(head, "head") };
    const shared = sharedProject(common, this.#projectOptions());
    if (shared !== null) this.#projects.shared = shared;
    const trees = { base: this.recipe.tree("base"), head: this.recipe.tree("head") };
    checkMounts({ base: this.#project("base"), head: this.#project("head") }, trees);
    const places = { trees, workDirectory: this.#options.workDirectory };
    for (const notice of noticesOf(models, sharedServices(common, named), places)) progress(notice);
    await this.#build();
    for (const project2 of PROJECTS) await this.#pull(project2);
    for (const arm of ARMS) await this.#makeNetworks([models[arm], common], arm);
    if (shared !== null) {
      progress(`starting ${Object.keys(shared.services).join(", ")} for both arms`);
      await this.#startBacking("shared", Object.keys(shared.services));
      await this.lookAt("shared");
      await this.#delay("shared");
    }
    for (const arm of ARMS) await this.#startArm(arm);
  }
  /** Restarts the PHP runtime of both arms at the same time, the services of each in the order of target.restart. */
  async restart() {
    const renewed = ARMS.flatMap((arm) => this.#runtime(arm));
    await this.#noteDeaths(renewed);
    const before = new Map(renewed.map((container) => [container, container.address()]));
    await Promise.all(ARMS.map((arm) => this.#restartArm(arm)));
    for (const project2 of PROJECTS) await this.lookAt(project2, renewed);
    for (const container of renewed) {
      if (container.address() !== before.get(container)) this.#moved.add(container.service);
    }
  }
  /** Why a service may not reach a restarted one; empty where none has moved. */
  movedHint() {
    const { restart } = this.recipe;
    const hints = [...this.#moved].map((name) => {
      const askers = Object.entries(this.#project("head").services).flatMap(
        ([asker, { depends_on = {} }]) => Object.hasOwn(depends_on, name) && !restart.includes(asker) ? [asker] : []
      );
      const all = [...restart, ...askers.length > 0 ? askers : [this.recipe.service]];
      return `
${name} has another address since it was restarted. What asks it may know only the old one: write it after ${name}, restart: [${[...new Set(all)].join(", ")}]`;
    });
    return hints.join("");
  }
  /** The containers that are restarted, in that order. */
  #runtime(arm) {
    const order = restartOrder(this.#project(arm).services, this.recipe.restart);
    return order.flatMap((name) => this.containers[arm].filter(({ service }) => service === name));
  }
  async #restartArm(arm) {
    const { signal } = this.#options;
    for (const { id } of this.#runtime(arm)) await docker(["restart", "-t", "1", id], { signal });
  }
  /** Says why containers have ended by themselves, before a restart makes the engine forget it. */
  async #noteDeaths(containers) {
    const { progress, signal } = this.#options;
    const dead = containers.filter(({ alive }) => !alive);
    const ids = dead.map(({ id }) => id);
    for (const { Id, State } of await inspect(ids, signal)) {
      const container = dead.find(({ id }) => id === Id);
      if (container === void 0 || State.Status === "running") continue;
      if (State.OOMKilled) container.killedForMemory();
      progress(`${container.service} had ended: ${endOf(State)}`);
    }
  }
  container(project2, service) {
    return this.containers[project2].find((container) => container.service === service);
  }
  get all() {
    return Object.values(this.containers).flat();
  }
  /** Removes everything; the ends of the containers' logs stay. */
  async close() {
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    for (const container of this.all) container.close();
    const saved = PROJECTS.flatMap(
      (project2) => this.containers[project2].map(({ id, service }) => this.#saveLog(`${project2}-${service}`, id, signal))
    );
    await Promise.all(saved);
    try {
      await removeContainers(this.#label, signal);
      for (const arm of ARMS) {
        const image = this.#projects[arm]?.services[this.recipe.restart[0] ?? this.recipe.service]?.image;
        if (image !== void 0) await clearTree(this.#options.plan.arms[arm], image, this.#label, signal);
      }
      await removeLabelled(this.#label, signal);
      forgetLabel(this.#label);
    } catch (error) {
      this.#options.progress(`containers could not be removed, the next run does it: ${error.message}`);
    }
    rmSync3(this.#state, { recursive: true, force: true });
    forgetDirectory(this.#state);
  }
  async #startArm(arm) {
    const { services } = this.#project(arm);
    const php = this.recipe.restart[0] ?? this.recipe.service;
    this.#options.progress(`starting ${arm}: ${Object.keys(services).join(", ")}`);
    await this.#startBacking(
      arm,
      Object.keys(services).filter((name) => !this.#needsTarget(services, name))
    );
    await this.#up(arm, [php], "alone");
    await this.lookAt(arm);
    await this.#delay(arm);
    await this.#prepare(arm, php);
    await this.#up(arm, Object.keys(this.#project(arm).services), "all");
    await this.#settle(arm);
  }
  /** Starts services and waits until they are healthy; one-shot services run to their end, once. */
  async #startBacking(project2, names) {
    const { services } = this.#project(project2);
    const steady = names.filter((name) => !this.#oneShots.has(name));
    if (steady.length > 0) await this.#up(project2, steady, "wait");
    const oneShots = names.filter((name) => this.#oneShots.has(name));
    if (oneShots.length === 0) return;
    const done = new Set(inOrder(services, oneShots));
    for (const name of done) await this.#complete(project2, name);
    const left = mapValues(
      pick(services, (_, name) => !done.has(name)),
      (service) => withoutDependencies(service, done)
    );
    this.#projects[project2] = { ...this.#project(project2), services: left };
    rmSync3(this.#file(project2), { force: true });
  }
  async #complete(project2, name) {
    const { signal } = this.#options;
    const list = ["ps", "--all", "--quiet", "--no-trunc", ...this.#filter(project2, name)];
    let id = (await docker(list, { signal })).trim();
    if (id === "") {
      await this.#up(project2, [name], "alone");
      id = (await docker(list, { signal })).trim();
    }
    const status = (await docker(["wait", id], { signal })).trim();
    if (status === "0") return;
    const log = await this.#saveLog(`${project2}-${name}`, id, signal);
    throw new MeasureError(`${name} of ${project2} has ended: exit status ${status}${tail("its log", log)}`);
  }
  /** Waits until no container of a project is starting any more: a health check beside a slot would be load. */
  async #settle(project2) {
    const { signal } = this.#options;
    const status = ({ State }) => State.Health?.Status;
    let seen = [];
    await waitFor(
      async () => {
        seen = await this.lookAt(project2);
        return seen.some((it) => status(it) === "starting") ? null : true;
      },
      { everyMs: 200, timeoutMs: UP_TIMEOUT * 1e3, signal }
    );
    if (seen.some((it) => ["starting", "unhealthy"].includes(status(it) ?? ""))) {
      throw new MeasureError(`${project2} does not become healthy${await this.#troubled(project2)}`);
    }
  }
  async #makeNetworks(models, arm) {
    const labels = Object.entries(this.#labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
    const networks = Object.assign({}, ...models.map((model) => networksOf(model, this.#id, arm)));
    for (const [name, options] of Object.entries(networks)) {
      await docker(["network", "create", ...labels, ...options, name], { signal: this.#options.signal });
    }
  }
  #projectOptions() {
    const { layout, config } = this.#options.plan;
    const { resources, links } = config.target;
    const { service, shared, restart } = this.recipe;
    const cpus = config.measure.isolation === "off" ? null : { target: layout.target, services: layout.services };
    return { id: this.#id, labels: this.#labels, service, shared, targetServices: restart, resources, links, cpus };
  }
  #ofArm(model, arm) {
    return armProject(model, { ...this.#projectOptions(), arm, image: this.#options.plan.arms[arm].image });
  }
  /** The images of all projects in one build. */
  async #build() {
    const { progress, signal } = this.#options;
    const projects = {
      base: this.#project("base"),
      head: this.#project("head"),
      shared: this.#projects.shared ?? null
    };
    const bake = bakeFile(projects, this.#labels, { from: [], to: [] });
    if (bake === null) return;
    progress(`building ${bake.targets.join(", ")}`);
    const file = join9(this.#state, "bake.json");
    writeFileSync5(file, JSON.stringify(bake.file, null, 2));
    const services = Object.values(projects).flatMap((project2) => Object.values(project2?.services ?? {}));
    const dockerfiles = services.flatMap(
      ({ build }) => build === void 0 ? [] : [build.dockerfile ?? "Dockerfile"]
    );
    await buildImages(bake, { file, dockerfiles, log: this.log("build"), signal });
  }
  /** Images that are not here yet; where one brings a health check of its own, that is made quiet too. */
  async #pull(project2) {
    const { signal } = this.#options;
    const found = this.#projects[project2];
    if (found === void 0) return;
    await docker([...this.#compose(project2), "pull", "--policy", "missing", "--quiet"], {
      signal,
      log: this.log("compose")
    }).catch((error) => {
      signal.throwIfAborted();
      const why = error instanceof DockerError ? lastLines(error.stderr, 1) : error.message;
      throw new MeasureError(
        `${project2}: an image cannot be pulled: ${why}. Where no registry answers, docker/offline/build.sh of perf-gate builds stand-ins for php, nginx, mysql and redis`
      );
    });
    const images = Object.values(found.services).flatMap(({ image }) => image ?? []);
    const checked = await withHealthcheck(images, signal);
    const services = mapValues(
      found.services,
      (service) => checked.has(service.image ?? "") ? quietImageHealthcheck(service) : service
    );
    this.#projects[project2] = { ...found, services };
    writeFileSync5(this.#file(project2), composeText(this.#project(project2)), { mode: 384 });
  }
  /** `wait`: until they are healthy. `alone`: without what they depend on. */
  async #up(project2, services, how) {
    const { signal } = this.#options;
    const flags = { wait: ["--wait", "--wait-timeout", `${UP_TIMEOUT}`], alone: ["--no-deps"], all: [] }[how];
    const args = [...this.#compose(project2), "up", "--detach", "--no-build", ...flags, ...services];
    await docker(args, { signal, log: this.log("compose") }).catch(async (error) => {
      signal.throwIfAborted();
      const why = error instanceof DockerError ? lastLines(error.stderr, 1) : error.message;
      throw new MeasureError(`${project2}: cannot start ${services.join(", ")}: ${why}${await this.#troubled(project2)}`);
    });
  }
  /** Logs of the containers of a project that do not run, or not well. */
  async #troubled(project2) {
    const { signal } = this.#options;
    const format = "{{.ID}}	{{.Service}}	{{.State}}	{{.Health}}	{{.ExitCode}}";
    const list = await docker([...this.#compose(project2), "ps", "--all", "--format", format], { signal });
    let text = "";
    for (const line of list.trim().split("\n")) {
      const [id = "", service = "", state, health, exitCode] = line.split("	");
      const isWell = state === "running" && health !== "unhealthy" && health !== "starting";
      if (id === "" || isWell || exitCode === "0" && this.#oneShots.has(service)) continue;
      const log = await this.#saveLog(`${project2}-${service}`, id, signal);
      const how = state === "running" ? health : `${state}, exit status ${exitCode}`;
      text += `
${service} is ${how}${tail("its log", log)}`;
    }
    return text;
  }
  async #saveLog(name, id, signal) {
    const log = this.log(name);
    rmSync3(log, { force: true });
    await docker(["logs", "--tail", KEPT_LOG_LINES, id], { signal, log }).catch(() => "");
    return log;
  }
  async #delay(project2) {
    const { plan, signal } = this.#options;
    for (const toxic of toxics(plan.config.target.links)) {
      const address = this.container(project2, toxic.service)?.address();
      if (address !== void 0 && address !== null) await setDelay(toxic, address, signal);
    }
  }
  async #prepare(arm, service) {
    const { plan, progress, signal } = this.#options;
    const log = this.log(`prepare-${arm}`);
    for (const command of plan.config.target.prepare) {
      progress(`preparing ${arm}: ${command.trim().split("\n")[0]}`);
      const args = [...this.#compose(arm), "exec", "--no-TTY", service, "sh", "-c", command];
      await docker(args, { signal, log }).catch(async (error) => {
        signal.throwIfAborted();
        const how = error instanceof DockerError ? error.how : error.message;
        const evidence = tail("its log", log) + await this.#troubled(arm);
        throw new MeasureError(`prepare of ${arm} failed in ${service}: ${command}: ${how}${evidence}`);
      });
    }
  }
  /**
   * Finds the containers of a project and takes note of those that were restarted. Throws MeasureError with the log of
   * one that does not run.
   */
  async lookAt(project2, renewed = []) {
    if (this.#projects[project2] === void 0) return [];
    const { signal } = this.#options;
    const ids = await docker(["ps", "--all", "--quiet", "--no-trunc", ...this.#filter(project2)], { signal });
    const seen = await inspect(ids.split("\n").filter(Boolean), signal);
    const known = new Map(this.containers[project2].map((container) => [container.id, container]));
    this.containers[project2] = seen.map((inspection) => {
      const container = known.get(inspection.Id) ?? new Container(inspection);
      if (renewed.includes(container)) container.started(inspection);
      return container;
    });
    for (const container of this.containers[project2]) if (!known.has(container.id)) await checkLocal(container, signal);
    for (const [index, { Id, State }] of seen.entries()) {
      const name = this.containers[project2][index]?.service ?? Id;
      const isOver = State.Status === "exited" && State.ExitCode === 0 && this.#oneShots.has(name);
      if (State.Status === "running" || isOver) continue;
      const log = await this.#saveLog(`${project2}-${name}`, Id, signal);
      throw new MeasureError(`${name} of ${project2} is ${State.Status}: ${endOf(State)}${tail("its log", log)}`);
    }
    return seen;
  }
  #filter(project2, service) {
    const labels = [`com.docker.compose.project=${projectName(this.#id, project2)}`];
    if (service !== void 0) labels.push(`com.docker.compose.service=${service}`);
    return labels.flatMap((label) => ["--filter", `label=${label}`]);
  }
  #project(project2) {
    const model = this.#projects[project2];
    if (model === void 0) throw new Error(`no project ${project2}`);
    return model;
  }
  #file(project2) {
    return join9(this.#state, `${project2}.json`);
  }
  /** `docker compose` on a project's file, which is written where there is none. */
  #compose(project2) {
    const file = this.#file(project2);
    if (!existsSync8(file)) writeFileSync5(file, composeText(this.#project(project2)), { mode: 384 });
    const directory = dirname2(this.recipe.file(project2));
    const name = projectName(this.#id, project2);
    return ["compose", "--project-directory", directory, "--file", file, "--project-name", name];
  }
  /** Whether a service is part of the target or starts after it. */
  #needsTarget(services, name) {
    if (name === this.recipe.service || this.recipe.restart.includes(name)) return true;
    return Object.keys(services[name]?.depends_on ?? {}).some((other) => this.#needsTarget(services, other));
  }
};
function endOf({ OOMKilled, ExitCode }) {
  if (OOMKilled) return "killed for want of memory (target.resources, or mem_limit in the compose file)";
  const hint = ". Where that is its job, what needs it waits for it: condition: service_completed_successfully";
  return `exit status ${ExitCode}${ExitCode === 0 ? hint : ""}`;
}

// scripts/src/target/compose/index.ts
var startCompose = async (options) => {
  const versions = await checkEngine(options.plan.config, options.signal);
  const target = new ComposeTarget(options, versions);
  try {
    await target.start();
    return target;
  } catch (error) {
    await target.close();
    throw error;
  }
};
var ComposeTarget = class {
  host;
  #options;
  #versions;
  #stack;
  #census = new CensusClients();
  #engine = enginePids();
  #closing = null;
  constructor(options, versions) {
    this.#options = options;
    this.#versions = versions;
    this.#stack = new Stack(options);
    this.host = options.plan.config.target.host;
  }
  async start() {
    await this.#stack.start();
    const named = (service) => this.#stack.all.filter((container) => container.service === service);
    const { mysql, redis } = this.#stack.recipe.census;
    await this.#census.connect(named(mysql), named(redis), this.#stack.log("mysql-client"));
    for (const arm of ARMS) await this.#healthy(arm);
  }
  url(arm) {
    return `http://${this.#address(arm)}:${this.#stack.recipe.port}`;
  }
  async restart() {
    await this.#stack.restart();
    for (const arm of ARMS) await this.#healthy(arm);
  }
  async php(arm) {
    const answer = await this.#ask(arm, "probe");
    return answer === null ? null : phpState(answer, this.#options.plan.config.target.php);
  }
  async versions() {
    const php = (await this.php("base"))?.version;
    return { ...php === void 0 ? {} : { php }, ...this.#census.versions, ...this.#versions };
  }
  usage(arm) {
    return usageOf(this.#target(arm));
  }
  servicesUsage() {
    const targets = ARMS.flatMap((arm) => this.#target(arm));
    const others = this.#stack.all.filter((container) => !targets.includes(container));
    return others.length === 0 ? null : usageOf(others);
  }
  async front(arm) {
    const status = await this.#ask(arm, "status") ?? {};
    const counts = this.#target(arm).map((container) => container.counts);
    return {
      listenOverflows: counts.reduce((sum, { listenOverflows: listenOverflows2 }) => sum + listenOverflows2, 0),
      portErrors: counts.reduce((sum, { portErrors }) => sum + portErrors, 0),
      listenQueueMax: Math.max(0, status["max listen queue"] ?? 0),
      maxChildrenReached: status["max children reached"] ?? 0
    };
  }
  counters() {
    return this.#census.read();
  }
  /** The containers' own processes, what was started in them from outside, and the engine that carries their output. */
  roots() {
    return [...this.#engine, ...this.#stack.all.flatMap(({ pid }) => [pid, ...parentOf(pid)])];
  }
  namespaces() {
    const targets = ARMS.flatMap((arm) => this.#target(arm));
    return targets.flatMap((container) => container.networkOf === null ? [container.pid] : []);
  }
  alive(arm) {
    return this.#target(arm).every((container) => container.alive);
  }
  close() {
    this.#census.close();
    this.#closing ??= this.#stack.close();
    return this.#closing;
  }
  /** What answers HTTP and what is restarted with every block. */
  #target(arm) {
    const { service, restart } = this.#stack.recipe;
    return this.#stack.containers[arm].filter((it) => it.service === service || restart.includes(it.service));
  }
  #healthy(arm) {
    const { plan, signal } = this.#options;
    const target = this.#target(arm);
    return waitUntilHealthy({
      arm,
      url: this.url(arm) + plan.config.target.healthPath,
      host: this.host,
      signal,
      stillAlive: () => {
        const dead = target.find((container) => !container.alive);
        if (dead !== void 0) throw new MeasureError(`${dead.service} of ${arm} died${dead.evidence()}`);
      },
      evidence: () => this.#stack.movedHint() + target.map((container) => container.evidence()).join("")
    }).catch(async (error) => {
      signal.throwIfAborted();
      await this.#stack.lookAt(arm);
      throw error;
    });
  }
  #address(arm) {
    const { service } = this.#stack.recipe;
    const container = this.#stack.container(arm, service);
    const owner = this.#stack.all.find(({ id }) => id === container?.networkOf) ?? container;
    const address = owner?.address();
    if (address) return address;
    throw new MeasureError(
      `target.service: ${service} of ${arm} has no address in any network; give it one in the compose file`
    );
  }
  /** FPM's own status or our probe, by way of a port that only the bundled target has. */
  async #ask(arm, what) {
    const { adminPort } = this.#stack.recipe;
    if (adminPort === null) return null;
    try {
      return JSON.parse((await get(`http://${this.#address(arm)}:${adminPort}/${what}?json`)).body);
    } catch {
      return null;
    }
  }
};

// scripts/src/target/process/index.ts
import { execFile as execFile3 } from "node:child_process";
import { promisify as promisify3 } from "node:util";

// scripts/src/target/process/command-replica.ts
var STOP_GRACE_MS2 = 2e3;
var CommandReplica = class {
  arm;
  url;
  #premises;
  #config;
  #command;
  #options;
  #server = null;
  constructor(premises, config, command, options) {
    this.arm = options.arm;
    this.url = `http://127.0.0.1:${options.port}`;
    this.#premises = premises;
    this.#config = config;
    this.#command = command;
    this.#options = options;
  }
  get alive() {
    return this.#server?.alive ?? false;
  }
  async restart() {
    await this.#server?.stop("SIGTERM", STOP_GRACE_MS2);
    const name = `server-${this.arm}`;
    const evidence = () => tail("its log", this.#premises.log(name));
    const server = this.#premises.launch(["bash", "-c", this.#command], {
      group: this.arm,
      cpus: this.#options.cpus,
      log: name,
      cwd: this.#options.directory,
      env: { ...this.#options.env, PORT: `${this.#options.port}` }
    });
    this.#server = server;
    await waitUntilHealthy({
      arm: this.arm,
      url: this.url + this.#config.healthPath,
      host: this.#config.host,
      signal: this.#premises.signal,
      stillAlive: () => {
        if (!server.alive) throw new MeasureError(`${this.arm}: target.start ended: ${this.#command}${evidence()}`);
      },
      evidence
    });
  }
  async php() {
    return null;
  }
  async front() {
    return null;
  }
};

// scripts/src/target/process/php-replica.ts
import { existsSync as existsSync9, statSync as statSync2 } from "node:fs";
import { join as join10, resolve as resolve2 } from "node:path";
var PhpReplica = class {
  arm;
  #premises;
  #config;
  #fpm;
  #site;
  #logs;
  /** Throws MeasureError where the document root or the front controller is missing. */
  constructor(premises, config, options) {
    this.arm = options.arm;
    this.#premises = premises;
    this.#config = config;
    const root = resolve2(options.directory, config.root);
    checkDocumentRoot(options.arm, root, config);
    this.#fpm = new PhpFpm(premises, {
      ...options,
      binary: choosePhpFpm(config.php),
      settings: config.php
    });
    this.#site = new Site(premises, { ...options, root, index: config.index, phpSocket: this.#fpm.socket });
    this.#logs = new FrontLogs(this.#site.log, this.#fpm.log, this.#fpm.errorLog);
  }
  get url() {
    return this.#site.url;
  }
  get alive() {
    return this.#fpm.alive && this.#site.alive && this.#logs.update().workersDied === 0;
  }
  async restart() {
    await Promise.all([this.#fpm.restart(), this.#site.ensureUp()]);
    this.#logs.reset();
    await waitUntilHealthy({
      arm: this.arm,
      url: this.url + this.#config.healthPath,
      host: this.#config.host,
      signal: this.#premises.signal,
      stillAlive: () => {
        if (!this.#fpm.alive) throw new MeasureError(`php-fpm of ${this.arm} died${this.#evidence()}`);
        if (!this.#site.alive) throw new MeasureError(`nginx of ${this.arm} died${this.#evidence()}`);
      },
      evidence: () => this.#evidence()
    });
  }
  async php() {
    const answer = await this.#site.ask("probe");
    return answer === null ? null : phpState(answer, this.#config.php);
  }
  async front() {
    const status = await this.#site.ask("status") ?? {};
    const { listenOverflows: listenOverflows2, portErrors } = this.#logs.update();
    return {
      listenOverflows: listenOverflows2,
      portErrors,
      listenQueueMax: Math.max(0, status["max listen queue"] ?? 0),
      maxChildrenReached: status["max children reached"] ?? 0
    };
  }
  #evidence() {
    return tail("PHP errors", this.#fpm.errorLog) + tail("php-fpm", this.#fpm.log) + tail("nginx", this.#site.log);
  }
};
function checkDocumentRoot(arm, root, config) {
  const hint = "it is looked for after the prepare commands ran";
  if (!existsSync9(root) || !statSync2(root).isDirectory())
    throw new MeasureError(`target.root: ${root} of ${arm} is not a directory (${hint})`);
  if (!existsSync9(join10(root, config.index)))
    throw new MeasureError(`target.index: ${join10(root, config.index)} of ${arm} does not exist (${hint})`);
}

// scripts/src/target/process/premises.ts
import { mkdirSync as mkdirSync3, mkdtempSync, rmSync as rmSync4 } from "node:fs";
import { tmpdir } from "node:os";
import { join as join11 } from "node:path";

// node_modules/get-port/index.js
import net from "node:net";
import os from "node:os";
var Locked = class extends Error {
  constructor(port) {
    super(`${port} is locked`);
  }
};
var lockedPorts = {
  old: /* @__PURE__ */ new Set(),
  young: /* @__PURE__ */ new Set()
};
var releaseOldLockedPortsIntervalMs = 1e3 * 15;
var reservedPorts = /* @__PURE__ */ new Set();
var minPort = 1024;
var maxPort = 65535;
var timeout;
var getLocalHosts = () => {
  const interfaces = os.networkInterfaces();
  const results = /* @__PURE__ */ new Set([void 0, "0.0.0.0"]);
  for (const _interface of Object.values(interfaces)) {
    for (const config of _interface) {
      results.add(config.address);
    }
  }
  return results;
};
var checkAvailablePort = (options) => new Promise((resolve3, reject) => {
  const server = net.createServer();
  server.unref();
  server.on("error", reject);
  server.listen(options, () => {
    const { port } = server.address();
    server.close(() => {
      resolve3(port);
    });
  });
});
var getAvailablePort = async (options, hosts) => {
  if (options.host || options.port === 0) {
    return checkAvailablePort(options);
  }
  for (const host of hosts) {
    try {
      await checkAvailablePort({ port: options.port, host });
    } catch (error) {
      if (!["EADDRNOTAVAIL", "EINVAL"].includes(error.code)) {
        throw error;
      }
    }
  }
  return options.port;
};
var isLockedPort = (port) => lockedPorts.old.has(port) || lockedPorts.young.has(port) || reservedPorts.has(port);
var portCheckSequence = function* (ports) {
  if (ports) {
    yield* ports;
  }
  yield 0;
};
async function getPorts(options) {
  let ports;
  let exclude = /* @__PURE__ */ new Set();
  if (options) {
    if (options.port) {
      ports = typeof options.port === "number" ? [options.port] : options.port;
    }
    if (options.exclude) {
      const excludeIterable = options.exclude;
      if (typeof excludeIterable[Symbol.iterator] !== "function") {
        throw new TypeError("The `exclude` option must be an iterable.");
      }
      for (const element of excludeIterable) {
        if (typeof element !== "number") {
          throw new TypeError("Each item in the `exclude` option must be a number corresponding to the port you want excluded.");
        }
        if (!Number.isSafeInteger(element)) {
          throw new TypeError(`Number ${element} in the exclude option is not a safe integer and can't be used`);
        }
      }
      exclude = new Set(excludeIterable);
    }
  }
  const { reserve, ...netOptions } = options ?? {};
  if (timeout === void 0) {
    timeout = setTimeout(() => {
      timeout = void 0;
      lockedPorts.old = lockedPorts.young;
      lockedPorts.young = /* @__PURE__ */ new Set();
    }, releaseOldLockedPortsIntervalMs);
    if (timeout.unref) {
      timeout.unref();
    }
  }
  const hosts = getLocalHosts();
  for (const port of portCheckSequence(ports)) {
    try {
      if (exclude.has(port)) {
        continue;
      }
      let availablePort = await getAvailablePort({ ...netOptions, port }, hosts);
      while (isLockedPort(availablePort)) {
        if (port !== 0) {
          throw new Locked(port);
        }
        availablePort = await getAvailablePort({ ...netOptions, port }, hosts);
      }
      if (reserve) {
        reservedPorts.add(availablePort);
      } else {
        lockedPorts.young.add(availablePort);
      }
      return availablePort;
    } catch (error) {
      if (!["EADDRINUSE", "EACCES"].includes(error.code) && !(error instanceof Locked)) {
        throw error;
      }
    }
  }
  throw new Error("No available ports found");
}
function portNumbers(from, to) {
  if (!Number.isInteger(from) || !Number.isInteger(to)) {
    throw new TypeError("`from` and `to` must be integer numbers");
  }
  if (from < minPort || from > maxPort) {
    throw new RangeError(`'from' must be between ${minPort} and ${maxPort}`);
  }
  if (to < minPort || to > maxPort) {
    throw new RangeError(`'to' must be between ${minPort} and ${maxPort}`);
  }
  if (from > to) {
    throw new RangeError("`to` must be greater than or equal to `from`");
  }
  const generator = function* (from2, to2) {
    for (let port = from2; port <= to2; port++) {
      yield port;
    }
  };
  return generator(from, to);
}

// scripts/src/target/process/premises.ts
var PORTS = { from: 2e4, to: 32700 };
var STOP_GRACE_MS3 = 200;
var Premises = class {
  /** Configuration and data; gone after close(). */
  state;
  logs;
  /** Unix sockets: a path of at most 107 bytes, so not below a work directory that may be deep. Gone after close(). */
  sockets;
  groups;
  signal;
  #children = [];
  #atClose = [];
  #ownLogs = /* @__PURE__ */ new Set();
  #closed = false;
  constructor(workDirectory, signal) {
    this.signal = signal;
    this.state = join11(workDirectory, "state");
    this.logs = join11(workDirectory, "logs");
    rmSync4(this.state, { recursive: true, force: true });
    mkdirSync3(this.state, { recursive: true, mode: 448 });
    mkdirSync3(this.logs, { recursive: true });
    this.sockets = mkdtempSync(join11(tmpdir(), "perf-gate-"));
    for (const directory of [this.state, this.sockets]) guardDirectory(directory);
    const run = ++runs;
    const group = (name) => UsageGroup.create(`${run}-${name}`);
    this.groups = { base: group("base"), head: group("head"), services: group("services") };
  }
  /** A directory below `state`, made. */
  directory(name) {
    const path = join11(this.state, name);
    mkdirSync3(path, { recursive: true, mode: 448 });
    return path;
  }
  socket(name) {
    return join11(this.sockets, `${name}.sock`);
  }
  /** Path of a log, empty at first: what an earlier run wrote there would explain the wrong failure. */
  log(name) {
    const path = join11(this.logs, `${name}.log`);
    if (!this.#ownLogs.has(path)) rmSync4(path, { force: true });
    this.#ownLogs.add(path);
    return path;
  }
  /** A free port on 127.0.0.1; runs side by side start looking at different places. */
  port() {
    const from = PORTS.from + process.pid * 61 % (PORTS.to - PORTS.from - 1e3);
    return getPorts({ host: "127.0.0.1", port: portNumbers(from, PORTS.to) });
  }
  /** Starts a process that belongs here: close() ends it. `log` is the name of a log. */
  launch(command, options) {
    this.signal.throwIfAborted();
    if (this.#closed) throw new Error("the target is closed");
    const child = launch(command, { ...options, group: this.groups[options.group], log: this.log(options.log) });
    this.#children.push(child);
    return child;
  }
  /** Something else to end at close(), or at once where that has been. */
  atClose(action) {
    if (this.#closed) action();
    else this.#atClose.push(action);
  }
  /** Ends every process and removes everything but the logs. */
  async close() {
    this.#closed = true;
    for (const action of this.#atClose) action();
    await Promise.all(this.#children.map((child) => child.stop("SIGTERM", STOP_GRACE_MS3)));
    await Promise.all(["services", ...ARMS].map((name) => this.groups[name].remove()));
    for (const directory of [this.state, this.sockets]) {
      rmSync4(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
      forgetDirectory(directory);
    }
  }
};
var runs = 0;

// scripts/src/target/process/prepare.ts
import { writeFileSync as writeFileSync6 } from "node:fs";
async function prepareArm(premises, options) {
  const name = `prepare-${options.arm}`;
  writeFileSync6(premises.log(name), "");
  for (const command of options.commands) {
    options.progress(`preparing ${options.arm}: ${command.trim().split("\n")[0]}`);
    const child = premises.launch(["bash", "-c", command], {
      group: options.arm,
      cpus: null,
      log: name,
      cwd: options.directory,
      env: options.env
    });
    const result = await child.exited;
    premises.signal.throwIfAborted();
    if (result === 0) continue;
    const how = typeof result === "number" ? `exit status ${result}` : `ended by ${result}`;
    throw new MeasureError(
      `prepare of ${options.arm} failed: ${command}: ${how}${tail("its log", premises.log(name))}`
    );
  }
}

// scripts/src/target/target.ts
var SERVICE_LABEL = { mysql: "MySQL", redis: "Redis", http: "HTTP stand-in" };

// scripts/src/target/process/http-stand-in.ts
async function startHttpStandIn(premises, cpus) {
  const port = await premises.port();
  const url = `http://127.0.0.1:${port}`;
  await startNginx(premises, {
    name: "http",
    group: "services",
    cpus,
    workers: 1,
    servers: `  server {
    listen 127.0.0.1:${port} backlog=4096;
    default_type application/json;
    location / {
      return 200 '{"ok":true}';
    }
  }`,
    isUp: () => get(url)
  });
  return url;
}

// scripts/src/target/process/mysql.ts
import { spawn as spawn4 } from "node:child_process";
import { randomBytes as randomBytes2 } from "node:crypto";
import { existsSync as existsSync10, mkdirSync as mkdirSync4, writeFileSync as writeFileSync7 } from "node:fs";
import { basename, join as join12 } from "node:path";
var databaseOf = (arm) => `perf_${arm}`;
var USER = "perf";
var START_TIMEOUT_MS3 = 6e4;
var SETTINGS = [
  "--bind-address=127.0.0.1",
  "--skip-name-resolve",
  "--max-connections=1000",
  "--back-log=1024",
  "--skip-log-bin",
  "--innodb-flush-log-at-trx-commit=0",
  "--innodb-buffer-pool-size=128M",
  "--innodb-doublewrite=0",
  "--performance-schema=0",
  "--loose-innodb-log-file-size=32M",
  "--loose-query-cache-type=0",
  "--loose-feedback=0",
  "--loose-mysqlx=0"
];
async function startMysql(premises, cpus) {
  const server = requireProgram("mariadb-server", "mariadbd", "mysqld");
  const client = requireProgram("mariadb-client", "mariadb", "mysql");
  const data = dataDirectory(premises);
  const common = ["--no-defaults", `--datadir=${data}`, ...process.getuid?.() === 0 ? ["--user=root"] : []];
  await initialise(premises, server, data, common);
  const port = await premises.port();
  const socket = premises.socket("mysql");
  const password = randomBytes2(16).toString("hex");
  const init = join12(premises.state, "mysql-init.sql");
  writeFileSync7(init, initialSql(password), { mode: 384 });
  const child = premises.launch(
    [
      server,
      ...common,
      ...SETTINGS,
      `--port=${port}`,
      `--socket=${socket}`,
      `--pid-file=${join12(premises.state, "mysql.pid")}`,
      `--init-file=${init}`,
      `--tmpdir=${premises.directory("mysql-tmp")}`
    ],
    { group: "services", cpus, log: "mysql" }
  );
  const up = await waitFor(() => existsSync10(socket) ? true : child.alive ? null : false, {
    everyMs: 10,
    timeoutMs: START_TIMEOUT_MS3,
    signal: premises.signal
  });
  if (up !== true) throw new MeasureError(`${basename(server)} did not start${tail("its log", premises.log("mysql"))}`);
  const asRoot = [client, "--no-defaults", "--user=root", `--socket=${socket}`];
  const connected = await MysqlClient.connect(asRoot, premises.log("mysql-client"));
  premises.atClose(() => connected.close());
  return { port, user: USER, password, client: connected };
}
function dataDirectory(premises) {
  if (/^[\w./-]+$/.test(premises.state)) return premises.directory("mysql");
  const data = join12(premises.sockets, "mysql");
  mkdirSync4(data, { mode: 448 });
  return data;
}
async function initialise(premises, server, data, common) {
  const command = await isMariaDb(server) ? [
    requireProgram("mariadb-server", "mariadb-install-db", "mysql_install_db"),
    ...common,
    "--auth-root-authentication-method=normal",
    "--skip-test-db",
    "--skip-name-resolve",
    "--innodb-log-file-size=32M",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-doublewrite=0"
  ] : [server, ...common, "--initialize-insecure"];
  const child = premises.launch(command, { group: "services", cpus: null, log: "mysql-init" });
  const result = await child.exited;
  premises.signal.throwIfAborted();
  if (result !== 0)
    throw new MeasureError(
      `cannot set up the data directory ${data} (${result})${tail("log", premises.log("mysql-init"))}`
    );
}
function isMariaDb(server) {
  if (basename(server).startsWith("mariadb")) return Promise.resolve(true);
  return new Promise((resolve3, reject) => {
    const child = spawn4(server, ["--version"], { stdio: ["ignore", "pipe", "ignore"] });
    let version = "";
    child.stdout.on("data", (text) => {
      version += text;
    });
    child.once("error", reject);
    child.once("close", () => resolve3(/mariadb/i.test(version)));
  });
}
function initialSql(password) {
  const databases = [databaseOf("base"), databaseOf("head")];
  return [
    "DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1';",
    `CREATE USER '${USER}'@'%' IDENTIFIED BY '${password}';`,
    ...databases.flatMap((database) => [
      `CREATE DATABASE ${database} CHARACTER SET utf8mb4;`,
      `GRANT ALL PRIVILEGES ON ${database}.* TO '${USER}'@'%';`
    ]),
    ""
  ].join("\n");
}

// scripts/src/target/process/redis.ts
var redisDatabaseOf = (arm) => arm === "base" ? 0 : 1;
var START_TIMEOUT_MS4 = 2e4;
async function startRedis(premises, cpus) {
  const server = requireProgram("redis-server", "redis-server", "valkey-server");
  const port = await premises.port();
  const settings = {
    "--bind": "127.0.0.1",
    "--port": `${port}`,
    "--dir": premises.directory("redis"),
    "--save": "",
    "--appendonly": "no",
    "--daemonize": "no",
    "--tcp-backlog": "4096",
    "--databases": "16"
  };
  const child = premises.launch([server, ...Object.entries(settings).flat()], {
    group: "services",
    cpus,
    log: "redis"
  });
  const client = await waitFor(
    async () => {
      if (!child.alive) return false;
      return await RedisClient.connect("127.0.0.1", port).catch(() => null);
    },
    { everyMs: 10, timeoutMs: START_TIMEOUT_MS4, signal: premises.signal }
  );
  if (client === null || client === false)
    throw new MeasureError(`Redis did not start${tail("its log", premises.log("redis"))}`);
  premises.atClose(() => client.close());
  return { port, client };
}

// scripts/src/target/process/services.ts
var Services = class _Services {
  #mysql;
  #redis;
  #httpUrl;
  #counters;
  /** Starts the named services side by side. Throws MeasureError, with whatever came up left to the premises. */
  static async start(premises, names, cpus, progress) {
    const begin = (name, start) => {
      if (!names.includes(name)) return null;
      progress(`starting ${SERVICE_LABEL[name]}`);
      return start();
    };
    const [mysql, redis, httpUrl] = await allOrFirstError([
      begin("mysql", () => startMysql(premises, cpus)),
      begin("redis", () => startRedis(premises, cpus)),
      begin("http", () => startHttpStandIn(premises, cpus))
    ]);
    const readers = [mysql?.client, redis?.client].flatMap((client) => client ?? []);
    const counters = await Counters.of(readers.map((client) => () => client.counters()));
    return new _Services(mysql, redis, httpUrl, counters);
  }
  constructor(mysql, redis, httpUrl, counters) {
    this.#counters = counters;
    this.#mysql = mysql;
    this.#redis = redis;
    this.#httpUrl = httpUrl;
  }
  /** What an arm's processes find their services by. */
  environment(arm) {
    const variables = {};
    if (this.#mysql !== null) {
      variables.MYSQL_HOST = "127.0.0.1";
      variables.MYSQL_PORT = `${this.#mysql.port}`;
      variables.MYSQL_USER = this.#mysql.user;
      variables.MYSQL_PASSWORD = this.#mysql.password;
      variables.MYSQL_DATABASE = databaseOf(arm);
    }
    if (this.#redis !== null) {
      variables.REDIS_HOST = "127.0.0.1";
      variables.REDIS_PORT = `${this.#redis.port}`;
      variables.REDIS_DB = `${redisDatabaseOf(arm)}`;
    }
    if (this.#httpUrl !== null) variables.HTTP_URL = this.#httpUrl;
    return variables;
  }
  counters() {
    return this.#counters.read();
  }
  versions() {
    return {
      ...this.#mysql === null ? {} : { mysql: this.#mysql.client.version },
      ...this.#redis === null ? {} : { redis: this.#redis.client.version }
    };
  }
};
async function allOrFirstError(promises) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

// scripts/src/target/process/index.ts
async function startProcesses(options) {
  options.signal.throwIfAborted();
  requireInstalled(options);
  const premises = new Premises(options.workDirectory, options.signal);
  let services = null;
  let closing = null;
  const close = () => {
    options.signal.removeEventListener("abort", close);
    closing ??= premises.close();
    return closing;
  };
  options.signal.addEventListener("abort", close);
  try {
    const { config, layout } = options.plan;
    services = await Services.start(premises, config.target.services, layout.services, options.progress);
    const replicas = { base: await prepared2("base"), head: await prepared2("head") };
    options.progress("starting both arms");
    const target = new ProcessTarget(options, premises, services, replicas, close);
    await target.restart();
    return target;
  } catch (error) {
    await close();
    throw error;
  }
  async function prepared2(arm) {
    const { config, layout, arms } = options.plan;
    const { directory } = arms[arm];
    if (directory === null) throw new MeasureError(`${arm} has no directory to run from`);
    const variables = services?.environment(arm) ?? {};
    const env = childEnvironment({ ...variables, ...fillIn(config.target.env, variables) });
    await prepareArm(premises, { arm, directory, commands: config.target.prepare, env, progress: options.progress });
    const replica = { arm, directory, env, cpus: layout.target, port: await premises.port() };
    const { start } = config.target;
    return start === null ? new PhpReplica(premises, config.target, replica) : new CommandReplica(premises, config.target, start, replica);
  }
}
function requireInstalled({ plan }) {
  requireProgram("util-linux", "taskset");
  const { start, php, services } = plan.config.target;
  if (start === null) choosePhpFpm(php);
  if (start === null || services.includes("http")) findNginx();
}
var ProcessTarget = class {
  host;
  close;
  #options;
  #premises;
  #services;
  #replicas;
  constructor(options, premises, services, replicas, close) {
    this.host = options.plan.config.target.host;
    this.close = close;
    this.#options = options;
    this.#premises = premises;
    this.#services = services;
    this.#replicas = replicas;
  }
  url(arm) {
    return this.#replicas[arm].url;
  }
  async restart() {
    await allOrFirstError(ARMS.map((arm) => this.#replicas[arm].restart()));
  }
  php(arm) {
    return this.#replicas[arm].php();
  }
  async versions() {
    const php = (await this.php("base"))?.version;
    const { start } = this.#options.plan.config.target;
    return {
      ...php === void 0 ? {} : { php },
      ...start === null ? { nginx: await nginxVersion() } : {},
      ...this.#services.versions()
    };
  }
  usage(arm) {
    return this.#premises.groups[arm].read();
  }
  servicesUsage() {
    return this.#options.plan.config.target.services.length === 0 ? null : this.#premises.groups.services.read();
  }
  front(arm) {
    return this.#replicas[arm].front();
  }
  counters() {
    return this.#services.counters();
  }
  roots() {
    return [];
  }
  namespaces() {
    return [];
  }
  alive(arm) {
    return this.#replicas[arm].alive;
  }
};
async function nginxVersion() {
  const { stderr } = await promisify3(execFile3)(findNginx(), ["-v"]);
  return /nginx\/(\S+)/.exec(stderr)?.[1] ?? stderr.trim();
}
function fillIn(env, variables) {
  const filled = (value) => value.replaceAll(/\$\{(\w+)\}/g, (whole, name) => variables[name] ?? whole);
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
}

// scripts/src/target/url.ts
var startUrl = async ({ plan, progress, signal }) => {
  const { host, healthPath, url: urls } = plan.config.target;
  if (urls === null) throw new MeasureError("driver url needs target.url.base and target.url.head");
  const url = (arm) => urls[arm].replace(/\/+$/, "");
  const target = {
    url,
    host,
    async restart() {
      for (const arm of ARMS) {
        const evidence = () => "";
        await waitUntilHealthy({ arm, url: url(arm) + healthPath, host, stillAlive: () => {
        }, evidence, signal });
      }
    },
    php: async () => null,
    versions: async () => ({}),
    usage: () => null,
    servicesUsage: () => null,
    front: async () => null,
    counters: async () => ({}),
    roots: () => [],
    namespaces: () => [],
    alive: () => true,
    close: async () => {
    }
  };
  progress("checking that both URLs answer");
  await target.restart();
  return target;
};

// scripts/src/target/start.ts
var startTarget = (options) => {
  switch (options.plan.driver) {
    case "compose":
      return startCompose(options);
    case "process":
      return startProcesses(options);
    case "url":
      return startUrl(options);
    default:
      return assertNever(options.plan.driver);
  }
};

// scripts/src/phases/lock.ts
import { closeSync as closeSync3, openSync as openSync3, readFileSync as readFileSync7, rmSync as rmSync5, writeSync as writeSync2 } from "node:fs";
import { tmpdir as tmpdir2 } from "node:os";
import { join as join13 } from "node:path";
import { setTimeout as sleep4 } from "node:timers/promises";
var LOCK_FILE = join13(tmpdir2(), "perf-gate.lock");
async function lockMachine(signal, waitSeconds, waiting) {
  const deadline = performance.now() + waitSeconds * 1e3;
  let told = false;
  for (; ; ) {
    if (tryLock()) return unlock;
    const holder = holderOf();
    if (holder === null) continue;
    if (!told) waiting(`another run (process ${holder}) is measuring on this machine: waiting for it to end`);
    told = true;
    if (performance.now() > deadline) {
      throw new MeasureError(
        `another run (process ${holder}) has been measuring on this machine for ${Math.round(waitSeconds / 60)} minutes; two at once would disturb each other. Wait for it or end it (${LOCK_FILE})`
      );
    }
    await sleep4(500, void 0, { signal });
  }
}
function tryLock() {
  try {
    const file = openSync3(LOCK_FILE, "wx", 420);
    writeSync2(file, `${process.pid}
`);
    closeSync3(file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw new MeasureError(`cannot take the lock ${LOCK_FILE}: ${error.message}`);
  }
}
function holderOf() {
  let text;
  try {
    text = readFileSync7(LOCK_FILE, "utf8");
  } catch {
    return null;
  }
  const pid = Number(text);
  try {
    if (Number.isInteger(pid) && pid > 0) {
      process.kill(pid, 0);
      return pid;
    }
  } catch (error) {
    if (error.code === "EPERM") return pid;
  }
  rmSync5(LOCK_FILE, { force: true });
  return null;
}
function unlock() {
  try {
    if (Number(readFileSync7(LOCK_FILE, "utf8")) === process.pid) rmSync5(LOCK_FILE, { force: true });
  } catch {
  }
}

// scripts/src/phases/measure.ts
var LOCK_WAIT = 30 * 60;
var BARREN_BLOCKS = 3;
async function measurePhase(work, home, progress, signal) {
  const plan = work.readPlan();
  const earlier = work.readSamples(plan);
  for (const line of earlier.damaged) progress.warn(`${work.samplesFile}: ${line}; it is not used`);
  const finished = earlier.lines.findLast((line) => line.kind === "stop");
  if (finished !== void 0 && (finished.reason === "decided" || finished.reason === "cap")) {
    progress.step(`already measured (${finished.reason}): ${work.samplesFile}; run \`perf-gate plan\` for a new run`);
    return finished.reason;
  }
  const k6 = await findK6();
  const unlock2 = await lockMachine(signal, LOCK_WAIT, progress.step);
  try {
    return await measureLocked(plan, work, { home, k6, progress, signal }, earlier.lines);
  } finally {
    unlock2();
  }
}
async function measureLocked(plan, work, { home, k6, progress, signal }, earlier) {
  const started = performance.now();
  const removeTrees = await checkOut(plan.arms, plan.config.target.copy, progress.warn);
  let target = null;
  const log = new SampleLog(work, plan, earlier);
  try {
    target = await startTarget({ plan, home, workDirectory: work.path, progress: progress.step, signal });
    const rig = { plan, target, k6, home, stateDirectory: work.directory("state"), signal };
    const environment = await describeEnvironment(plan, target);
    for (const warning of environment.warnings) progress.warn(warning);
    work.writeJson("environment", environment);
    const { reason, detail } = await measureAll(rig, work, log, progress, started);
    log.add([{ kind: "stop", reason, detail, wallSeconds: since2(started) }]);
    return reason;
  } catch (error) {
    const stopped = signal.aborted ? "interrupted" : "failed";
    const detail = signal.aborted ? null : error.message.slice(0, 5e3);
    if (log.begun) tryQuietly(() => log.add([{ kind: "stop", reason: stopped, detail, wallSeconds: since2(started) }]));
    if (signal.aborted) return "interrupted";
    throw error;
  } finally {
    progress.done();
    await target?.close();
    await removeTrees();
  }
}
var SampleLog = class {
  #work;
  #plan;
  lines;
  constructor(work, plan, earlier) {
    this.#work = work;
    this.#plan = plan;
    this.lines = [...earlier];
  }
  get begun() {
    return this.lines.length > 0;
  }
  add(lines2) {
    const begin = this.begun ? [] : [{ kind: "begin", version: 1, planId: this.#plan.id, startedAt: Date.now() }];
    this.#work.appendSamples([...begin, ...lines2]);
    this.lines.push(...begin, ...lines2);
  }
};
async function measureAll(rig, work, log, progress, started) {
  const { plan, signal } = rig;
  const census = await censusOf(rig, work, progress);
  const pilots = await pilotOf(rig, census, log, progress);
  let overhead = OVERHEAD.block;
  let barren = 0;
  for (; ; ) {
    const run = replay(plan, census, log.lines);
    const step = nextStep(run, pilots, overhead, since2(started));
    if (step.kind === "stop") return step;
    if (step.kind === "confirm") {
      progress.step(`looks slower: confirming ${step.tests.length} of ${step.flagged} on fresh replicas`);
      log.add([{ kind: "confirm", tests: step.tests }]);
      continue;
    }
    const { samples, yardstickMs, times } = await runBlock(rig, step.cells, step.stage, run.blocks);
    const block = { kind: "block", stage: step.stage, block: run.blocks, yardstickMs, times };
    log.add(signal.aborted ? samples : [...samples, block]);
    signal.throwIfAborted();
    overhead = times.total - blockSeconds(step.cells, 0);
    barren = samples.some((sample) => sample.requests > 0) ? 0 : barren + 1;
    if (barren >= BARREN_BLOCKS) {
      throw new MeasureError(
        `${barren} blocks in a row brought no request: k6 or both arms keep dying; logs are in ${work.file("logs")}`
      );
    }
    report(progress, replay(plan, census, log.lines), step.stage, pilots, overhead, since2(started));
  }
}
function nextStep(run, pilots, overhead, elapsed) {
  const needed = next(run);
  if (needed.kind === "done") return { kind: "stop", reason: needed.capped ? "cap" : "decided", detail: null };
  const { budgetSeconds } = run.plan.config.measure;
  const stage = run.confirmation === null ? "main" : "confirm";
  const cells = needed.kind === "measure" ? needed.cells.flatMap((cell) => pilots.get(cell) ?? []) : [];
  const deadline = stage === "main" ? mainDeadline(budgetSeconds) : budgetSeconds;
  const fits = elapsed + blockSeconds(cells, overhead) <= deadline;
  if (needed.kind === "measure" && fits) return { kind: "measure", stage, cells };
  if (stage === "confirm") return { kind: "stop", reason: "budget", detail: null };
  const flagged = flaggedTests(run);
  const tests = chooseConfirmation(flagged, pilots, overhead, budgetSeconds - elapsed);
  if (tests.length > 0) return { kind: "confirm", tests, flagged: flagged.length };
  return { kind: "stop", reason: "budget", detail: flagged.length > 0 ? "no time left to confirm a red" : null };
}
async function censusOf(rig, work, progress) {
  const census = work.readCensus(rig.plan) ?? await takeCensus(rig, progress.step);
  work.writeJson("census", census);
  const [first] = census.scenarios;
  if (census.scenarios.every(({ arms }) => arms.base.failedShare === 1 && arms.head.failedShare === 1)) {
    throw new MeasureError(
      `no scenario passes its checks, in neither arm (${first?.scenario}: the base answers ${first?.arms.base.statuses.join(", ") || "nothing"}): look at its path, \`target.host\` and \`checks\``
    );
  }
  return census;
}
async function pilotOf(rig, census, log, progress) {
  const earlier = pilotsOf(log.lines);
  if (earlier.size > 0) return earlier;
  if (replay(rig.plan, census, log.lines).cells.every((state) => state.status !== "judged")) return earlier;
  progress.step("pilot: how fast is the base?");
  const before = performance.now();
  const found = await runPilot(rig);
  rig.signal.throwIfAborted();
  const cells = found.map(({ cell, qps, p99Ms }) => afterPilot(rig.plan, cell, qps, p99Ms));
  log.add([{ kind: "pilot", cells, seconds: since2(before) }]);
  return pilotsOf(log.lines);
}
function pilotsOf(lines2) {
  return new Map(
    lines2.flatMap((line) => line.kind === "pilot" ? line.cells.map((cell) => [cell.cell, cell]) : [])
  );
}
function report(progress, run, stage, pilots, overhead, elapsedSeconds) {
  const tests = run.confirmation?.tests ?? liveTests(run);
  const step = next(run);
  const cells = step.kind === "measure" ? step.cells.flatMap((cell) => pilots.get(cell) ?? []) : [];
  const struck = /* @__PURE__ */ new Map();
  for (const state of run.cells) for (const [cause, n] of state.struck) struck.set(cause, (struck.get(cause) ?? 0) + n);
  const { budgetSeconds } = run.plan.config.measure;
  const left = step.kind === "measure" ? expectedBlocks(run) * blockSeconds(cells, overhead) : 0;
  progress.block({
    stage,
    block: run.blocks - 1,
    open: undecided(run).length,
    tests: tests.length,
    green: tests.filter((test) => test.verdict === "pass").length,
    red: tests.filter((test) => test.verdict === "regression").length,
    struck: [...struck.values()].reduce((sum, n) => sum + n, 0),
    cause: [...struck].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null,
    elapsedSeconds,
    leftSeconds: Math.max(0, Math.min(left, budgetSeconds - elapsedSeconds))
  });
}
async function describeEnvironment(plan, target) {
  const php = { base: await target.php("base"), head: await target.php("head") };
  const warnings = [];
  const wanted = plan.config.target.php;
  for (const [arm, state] of Object.entries(php)) {
    if (state === null) continue;
    if (state.xdebug) warnings.push(`${arm}: Xdebug is loaded: every figure is several times too slow`);
    if (!state.opcache) warnings.push(`${arm}: OPcache is off: PHP compiles every file at every request`);
    if (wanted.jit !== "off" && state.jit === "off") {
      warnings.push(`${arm}: JIT ${wanted.jit} was asked for but is off (an extension such as Xdebug, or no buffer)`);
    }
  }
  if (!plan.layout.isolated) warnings.push(plan.layout.note);
  return {
    version: 1,
    planId: plan.id,
    startedAt: (/* @__PURE__ */ new Date()).toISOString(),
    machine: machineFacts(),
    tools: { node: process.versions.node, k6: K6_VERSION, ...await target.versions() },
    php,
    warnings
  };
}
function tryQuietly(action) {
  try {
    action();
  } catch {
  }
}
function since2(start) {
  return (performance.now() - start) / 1e3;
}

export {
  measurePhase
};

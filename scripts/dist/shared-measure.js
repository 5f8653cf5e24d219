import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  K6_VERSION,
  UsageGroup,
  findK6,
  findPhpFpm,
  findProgram,
  forgetDirectory,
  guardDirectory,
  launch,
  parseCgroupMounts,
  parseCgroupPath,
  parseProcessStat,
  requireProgram,
  startK6
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
} from "./shared-work-directory.js";
import {
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
var TICKS_PER_SECOND = 100;
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
function listenOverflows() {
  return parseNetstat(readFileSync2("/proc/net/netstat", "latin1"), "TcpExt", "ListenOverflows");
}
function timeWaitSockets() {
  return parseTimeWait(readFileSync2("/proc/net/sockstat", "latin1"));
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
var TICKS_PER_SECOND2 = 100;
function neighbours(root) {
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
    if (stat.isKernel || descends(pid, root, all)) continue;
    found.set(`${pid} ${stat.startTicks}`, stat);
  }
  return found;
}
function descends(pid, root, all) {
  for (let at = pid; at !== void 0 && at > 0; at = all.get(at)?.ppid) {
    if (at === root) return true;
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
  return Math.max(0, ticks) / TICKS_PER_SECOND2;
}

// scripts/src/measure/sampler.ts
var KERNEL_CORES = 0.15;
var Sampler = class {
  #target;
  #generator;
  #generatorCores;
  #cpus;
  #booksInterrupts = booksInterruptTime();
  #fronts = { base: null, head: null };
  /** @param generator usage and process of k6 */
  constructor(target, generator, layout) {
    this.#target = target;
    this.#generator = generator.usage;
    this.#generatorCores = Math.min(layout.generator.length, cpuQuota(generator.pid) ?? Number.POSITIVE_INFINITY);
    this.#cpus = [.../* @__PURE__ */ new Set([...layout.generator, ...layout.target, ...layout.services])];
  }
  /** What the fronts had counted before the first slot. */
  async begin() {
    for (const arm of ["base", "head"]) this.#fronts[arm] = await this.#front(arm);
  }
  /**
   * Watches one stretch of load on `arm` that begins now.
   *
   * @param sleepUntil resolves at a moment of the monotonic clock, s
   * @param settleSeconds how long after it its last requests may finish
   */
  async watch(arm, seconds, sleepUntil2, settleSeconds) {
    const around = neighbours(process.pid);
    const start = this.#snapshot();
    let peak = 0;
    for (let last = start, second = 1; second <= Math.floor(seconds); second++) {
      await sleepUntil2(start.at + second);
      const now = this.#snapshot();
      peak = Math.max(peak, cpuBetween(last.arms[arm], now.arms[arm]) / (now.at - last.at));
      last = now;
    }
    await sleepUntil2(start.at + seconds + settleSeconds);
    const end = this.#snapshot();
    const seen = spentBetween(around, neighbours(process.pid), this.#cpus);
    const before = this.#fronts[arm];
    const front = await this.#front(arm);
    this.#fronts[arm] = front;
    const portErrors = (front?.portErrors ?? 0) - (before?.portErrors ?? 0);
    const usage = end.arms[arm];
    if (usage === null) return { witness: null, portErrors, oomKilled: false };
    const turnedAway = (front?.listenOverflows ?? 0) - (before?.listenOverflows ?? 0);
    return {
      portErrors,
      oomKilled: usage.oomKills > (start.arms[arm]?.oomKills ?? 0),
      witness: {
        targetCpuSeconds: cpuBetween(start.arms[arm], usage),
        servicesCpuSeconds: cpuBetween(start.services, end.services),
        generatorCpuSeconds: end.generatorCpuSeconds - start.generatorCpuSeconds,
        generatorCores: this.#generatorCores,
        foreignCpuSeconds: this.#foreign(start, end, seen),
        stealSeconds: end.cpu.steal - start.cpu.steal,
        intervalSeconds: end.at - start.at,
        targetPeakCores: peak,
        targetMemoryBytes: usage.memoryBytes,
        throttledPeriods: usage.throttledPeriods - (start.arms[arm]?.throttledPeriods ?? 0),
        timeWait: timeWaitSockets(),
        listenOverflows: end.overflows - start.overflows + turnedAway,
        listenQueueMax: front?.listenQueueMax ?? 0,
        maxChildrenReached: front?.maxChildrenReached ?? 0
      }
    };
  }
  /**
   * CPU time of others on our cores, s: what their processes spent; or, where they cannot be seen from here (another
   * container, another virtual machine's share), busy time that none of ours spent, less what the kernel needs to go
   * to sleep and wake up, which no process is charged for.
   */
  #foreign(start, end, seen) {
    const seconds = end.at - start.at;
    const interrupts = this.#booksInterrupts ? end.cpu.irq - start.cpu.irq : 0;
    const idle = end.cpu.idle - start.cpu.idle + end.cpu.steal - start.cpu.steal + interrupts;
    const ours = cpuBetween(start.arms.base, end.arms.base) + cpuBetween(start.arms.head, end.arms.head) + cpuBetween(start.services, end.services) + (end.generatorCpuSeconds - start.generatorCpuSeconds) + (end.ownCpuSeconds - start.ownCpuSeconds);
    return Math.max(seen, seconds * this.#cpus.length - idle - ours - KERNEL_CORES * seconds);
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
      overflows: listenOverflows()
    };
  }
  /** A front that cannot answer (its replica just died) is no reason to lose the slot's other figures. */
  async #front(arm) {
    return this.#target.front(arm).catch(() => null);
  }
};
function together(stretches) {
  return stretches.reduce(
    (one, other) => one === null || other === null ? null : {
      targetCpuSeconds: one.targetCpuSeconds + other.targetCpuSeconds,
      servicesCpuSeconds: one.servicesCpuSeconds + other.servicesCpuSeconds,
      generatorCpuSeconds: one.generatorCpuSeconds + other.generatorCpuSeconds,
      generatorCores: other.generatorCores,
      foreignCpuSeconds: one.foreignCpuSeconds + other.foreignCpuSeconds,
      stealSeconds: one.stealSeconds + other.stealSeconds,
      intervalSeconds: one.intervalSeconds + other.intervalSeconds,
      targetPeakCores: Math.max(one.targetPeakCores, other.targetPeakCores),
      targetMemoryBytes: other.targetMemoryBytes,
      throttledPeriods: one.throttledPeriods + other.throttledPeriods,
      timeWait: other.timeWait,
      listenOverflows: one.listenOverflows + other.listenOverflows,
      listenQueueMax: other.listenQueueMax,
      maxChildrenReached: other.maxChildrenReached
    }
  );
}
function cpuBetween(start, end) {
  return start === null || end === null ? 0 : end.cpuSeconds - start.cpuSeconds;
}

// scripts/src/measure/block.ts
var GRACEFUL_SHARE = 0.6;
var LEAD_IN = 0.1;
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
    const watched = schedule.map(
      (slot) => ({ slot, startedAt: 0, witnesses: [], portErrors: 0, events: /* @__PURE__ */ new Set() })
    );
    for (const { at, stretch } of inOrderOfTime(watched)) {
      const { slot, witnesses, events } = at;
      const { from, seconds } = judgedPart(plan, slot, stretch);
      await sleepUntil(zero + stretch.startSeconds + from);
      if (signal.aborted) break;
      if (witnesses.length === 0) at.startedAt = Date.now();
      if (dead.k6) events.add("k6-died");
      const settle = Math.min(slot.gapSeconds * 0.75, slot.gapSeconds * GRACEFUL_SHARE + 0.02);
      const seen = dead.k6 ? { witness: null, portErrors: 0, oomKilled: false } : await sampler.watch(slot.arm, seconds, sleepUntil, settle);
      if (signal.aborted) break;
      if (seen.oomKilled) events.add("oom-killed");
      if (!target.alive(slot.arm)) events.add("target-restarted");
      at.portErrors += seen.portErrors;
      witnesses.push(seen.witness);
    }
    const results = await k6.results;
    const slots = watched.flatMap((slot, index) => {
      if (slot.witnesses.length < slot.slot.stretches.length) return [];
      if (results === null) return [{ ...slot, result: null, events: /* @__PURE__ */ new Set(["k6-died"]) }];
      return [{ ...slot, result: results[index] ?? null }];
    });
    return { slots, k6Start, yardstickMs };
  } finally {
    signal.removeEventListener("abort", onAbort);
    await k6.close();
  }
}
function inOrderOfTime(slots) {
  return slots.flatMap((at) => at.slot.stretches.map((stretch) => ({ at, stretch }))).sort((a, b) => a.stretch.startSeconds - b.stretch.startSeconds);
}
var lengthOf = ({ stretches }) => stretches.reduce((sum, { seconds }) => sum + seconds, 0);
function toSample(plan, measured, stage, block) {
  const { slot, result } = measured;
  const seconds = slot.stretches.reduce((sum, stretch) => sum + judgedPart(plan, slot, stretch).seconds, 0);
  const found = result ?? EMPTY;
  return {
    kind: "slot",
    stage,
    block,
    cell: slot.cell,
    arm: slot.arm,
    order: slot.order,
    startedAt: measured.startedAt,
    seconds,
    ...found,
    qps: found.requests / seconds,
    portErrors: found.portErrors + measured.portErrors,
    witness: together(measured.witnesses),
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
    slots: schedule.map((slot) => slotSpec(plan, slot))
  };
}
function slotSpec(plan, slot) {
  const { name, load } = scenarioOf(plan, slot.cell);
  const level = plan.cells.find((cell) => cell.id === slot.cell)?.level ?? OPEN_PILOT_VUS;
  const common = {
    arm: slot.arm,
    scenario: name,
    stretches: slot.stretches,
    gracefulSeconds: slot.gapSeconds * GRACEFUL_SHARE,
    rate: null,
    stages: null,
    iterations: null
  };
  if (load.model === "open" && !("pilot" in slot)) {
    return { ...common, vus: load.maxVus, rate: slot.rate ?? level, counted: null };
  }
  if (load.model === "ramp" && !("pilot" in slot)) {
    return { ...common, vus: level, stages: load.stages, counted: plateauOf(load.stages) };
  }
  const vus = load.model === "open" ? Math.min(OPEN_PILOT_VUS, load.maxVus) : level;
  return {
    ...common,
    vus,
    stretches: slot.stretches.map(({ startSeconds, seconds }) => ({
      startSeconds: startSeconds - LEAD_IN,
      seconds: seconds + LEAD_IN
    })),
    counted: { fromSeconds: LEAD_IN, toSeconds: null }
  };
}
function judgedPart(plan, slot, { seconds }) {
  const { load } = scenarioOf(plan, slot.cell);
  if (load.model !== "ramp" || "pilot" in slot) return { from: 0, seconds };
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
  return new Promise((resolve2) => {
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
        response.on("error", () => resolve2(failed));
        response.on("end", () => {
          const status = response.statusCode ?? 0;
          const found = checks.bodyContains === null || Buffer.concat(chunks).toString().includes(checks.bodyContains);
          resolve2({ status, bytes, passed: checks.status.includes(status) && found });
        });
      }
    );
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", () => resolve2(failed));
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

// scripts/src/target/process/index.ts
import { execFile as execFile2 } from "node:child_process";
import { promisify as promisify2 } from "node:util";

// scripts/src/target/http.ts
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
var TIMEOUT_MS2 = 1e4;
function get(url, options = {}) {
  const request2 = url.startsWith("https:") ? requestHttps : requestHttp;
  const headers = options.host === void 0 ? {} : { host: options.host };
  const socket = options.socketPath === void 0 ? {} : { socketPath: options.socketPath };
  return new Promise((resolve2, reject) => {
    const outgoing = request2(url, { ...socket, headers, agent: false, timeout: TIMEOUT_MS2 }, (incoming) => {
      const chunks = [];
      incoming.on("data", (chunk) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        resolve2({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
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
async function waitUntilHealthy(check) {
  let last = "no answer";
  let wrongSince = null;
  const healthy = await waitFor(
    async () => {
      check.stillAlive();
      try {
        const answer = await get(check.url, { host: check.host });
        if (answer.status >= 200 && answer.status < 300) return true;
        last = `status ${answer.status}: ${answer.body.slice(0, 500).trim() || "empty body"}`;
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

// scripts/src/target/log.ts
import { closeSync, fstatSync, openSync, readFileSync as readFileSync4, readSync } from "node:fs";
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
      file = openSync(this.#path, "r");
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
      closeSync(file);
    }
  }
};
function tail(title, path, lines = 15) {
  let text;
  try {
    text = readFileSync4(path, "utf8").trimEnd();
  } catch {
    return "";
  }
  if (text === "") return "";
  const last = text.split("\n").slice(-lines);
  return `
${title} (${path}):
${last.map((line) => `  ${line.slice(0, 500)}`).join("\n")}`;
}

// scripts/src/target/process/command-replica.ts
var STOP_GRACE_MS = 2e3;
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
    await this.#server?.stop("SIGTERM", STOP_GRACE_MS);
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

// scripts/src/target/process/environment.ts
var WITHHELD = /^(ACTIONS_|INPUT_|GITHUB_TOKEN$|GH_TOKEN$)/;
function childEnvironment(more) {
  const inherited = Object.entries(process.env).filter(([name]) => !WITHHELD.test(name));
  return { ...Object.fromEntries(inherited), ...more };
}

// scripts/src/target/process/nginx.ts
import { writeFileSync } from "node:fs";
import { join as join3 } from "node:path";
var findNginx = () => requireProgram("nginx-light", "nginx");
var START_TIMEOUT_MS = 1e4;
var CONNECTIONS = 1e4;
function nginxConf(options) {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `  ${name}_temp_path ${quote(join3(options.directory, name))};`).join("\n");
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
  const file = join3(directory, "nginx.conf");
  writeFileSync(
    file,
    nginxConf({
      directory,
      pidFile: join3(directory, "nginx.pid"),
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
import { existsSync as existsSync3, rmSync, writeFileSync as writeFileSync2 } from "node:fs";
import { join as join4 } from "node:path";
var STATUS_PATH = "/perf-gate-status";
var START_TIMEOUT_MS2 = 1e4;
var STOP_GRACE_MS2 = 300;
var JIT_BUFFER = "64M";
function choosePhpFpm(binary) {
  const found = binary === null ? findPhpFpm() : findProgram(binary);
  if (found !== null) return found;
  throw new MeasureError(
    binary === null ? "php-fpm is not installed: apt-get install php-fpm; ./scripts/perf-gate doctor lists everything that is missing" : `target.php.binary: ${binary} is not an executable file, nor one in PATH; leave it out to use the newest php-fpm`
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
    const config = join4(directory, "php-fpm.conf");
    writeFileSync2(config, fpmConf(options.settings, { socket: this.socket, log: this.log, root }));
    const ini = premises.directory(`php-${options.arm}/ini`);
    writeFileSync2(join4(ini, "perf-gate.ini"), iniFile(options.settings, this.errorLog));
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
    await this.#master?.stop("SIGQUIT", STOP_GRACE_MS2);
    rmSync(this.socket, { force: true });
    const master = this.#premises.launch(this.#command, {
      group: this.#arm,
      cpus: this.#cpus,
      log: `php-fpm-${this.#arm}`,
      cwd: this.#directory,
      env: this.#env
    });
    this.#master = master;
    const up = await waitFor(() => !master.alive ? false : existsSync3(this.socket) ? true : null, {
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
  const lines = [`pm = ${pm}`, `pm.max_children = ${workers}`];
  if (pm === "dynamic") {
    const start = Math.max(1, Math.floor(workers / 4));
    const most = Math.max(start, Math.floor(workers / 2));
    lines.push(`pm.start_servers = ${start}`, `pm.min_spare_servers = ${start}`, `pm.max_spare_servers = ${most}`);
  }
  if (pm === "ondemand") lines.push("pm.process_idle_timeout = 10s");
  return lines.join("\n");
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

// scripts/src/target/process/php-replica.ts
import { existsSync as existsSync4, statSync } from "node:fs";
import { join as join6, resolve } from "node:path";

// scripts/src/target/process/front.ts
var OVERFLOW = "(11: Resource temporarily unavailable) while connecting to upstream";
var NO_PORT = "Cannot assign requested address";
var DIED = /child \d+ exited on signal/;
var FrontLogs = class {
  listenOverflows = 0;
  portErrors = 0;
  workersDied = 0;
  #nginx;
  #others;
  constructor(nginxLog, ...otherLogs) {
    this.#nginx = new LogReader(nginxLog);
    this.#others = otherLogs.map((log) => new LogReader(log));
  }
  /** Forgets everything so far: a new replica starts. */
  reset() {
    for (const log of [this.#nginx, ...this.#others]) log.skip();
    this.listenOverflows = 0;
    this.portErrors = 0;
    this.workersDied = 0;
  }
  update() {
    for (const line of this.#nginx.newLines()) {
      if (line.includes(OVERFLOW)) this.listenOverflows++;
      if (line.includes(NO_PORT)) this.portErrors++;
    }
    for (const line of this.#others.flatMap((log) => log.newLines())) {
      if (line.includes(NO_PORT)) this.portErrors++;
      if (DIED.test(line)) this.workersDied++;
    }
  }
};

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

// scripts/src/target/process/site.ts
import { rmSync as rmSync2, writeFileSync as writeFileSync3 } from "node:fs";
import { join as join5 } from "node:path";
var CPUS_PER_WORKER = 2;
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
    const probe = join5(premises.directory(`php-${options.arm}`), "probe.php");
    writeFileSync3(probe, PROBE_SCRIPT);
    this.#servers = siteServers({ ...options, adminSocket: this.#adminSocket, probe });
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
      workers: Math.ceil(this.#cpus.length / CPUS_PER_WORKER),
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
    listen 127.0.0.1:${options.port} backlog=4096;
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
    listen ${quote(`unix:${options.adminSocket}`)};
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

// scripts/src/target/process/php-replica.ts
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
    const root = resolve(options.directory, config.root);
    checkDocumentRoot(options.arm, root, config);
    this.#fpm = new PhpFpm(premises, {
      ...options,
      binary: choosePhpFpm(config.php.binary),
      settings: config.php
    });
    this.#site = new Site(premises, { ...options, root, index: config.index, phpSocket: this.#fpm.socket });
    this.#logs = new FrontLogs(this.#site.log, this.#fpm.log, this.#fpm.errorLog);
  }
  get url() {
    return this.#site.url;
  }
  get alive() {
    this.#logs.update();
    return this.#fpm.alive && this.#site.alive && this.#logs.workersDied === 0;
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
    this.#logs.update();
    return {
      listenOverflows: this.#logs.listenOverflows,
      portErrors: this.#logs.portErrors,
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
  if (!existsSync4(root) || !statSync(root).isDirectory())
    throw new MeasureError(`target.root: ${root} of ${arm} is not a directory (${hint})`);
  if (!existsSync4(join6(root, config.index)))
    throw new MeasureError(`target.index: ${join6(root, config.index)} of ${arm} does not exist (${hint})`);
}

// scripts/src/target/process/premises.ts
import { mkdirSync, mkdtempSync, rmSync as rmSync3 } from "node:fs";
import { tmpdir } from "node:os";
import { join as join7 } from "node:path";

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
var checkAvailablePort = (options) => new Promise((resolve2, reject) => {
  const server = net.createServer();
  server.unref();
  server.on("error", reject);
  server.listen(options, () => {
    const { port } = server.address();
    server.close(() => {
      resolve2(port);
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
    this.state = join7(workDirectory, "state");
    this.logs = join7(workDirectory, "logs");
    rmSync3(this.state, { recursive: true, force: true });
    mkdirSync(this.state, { recursive: true, mode: 448 });
    mkdirSync(this.logs, { recursive: true });
    this.sockets = mkdtempSync(join7(tmpdir(), "perf-gate-"));
    for (const directory of [this.state, this.sockets]) guardDirectory(directory);
    const run = ++runs;
    const group = (name) => UsageGroup.create(`${run}-${name}`);
    this.groups = { base: group("base"), head: group("head"), services: group("services") };
  }
  /** A directory below `state`, made. */
  directory(name) {
    const path = join7(this.state, name);
    mkdirSync(path, { recursive: true, mode: 448 });
    return path;
  }
  socket(name) {
    return join7(this.sockets, `${name}.sock`);
  }
  /** Path of a log, empty at first: what an earlier run wrote there would explain the wrong failure. */
  log(name) {
    const path = join7(this.logs, `${name}.log`);
    if (!this.#ownLogs.has(path)) rmSync3(path, { force: true });
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
      rmSync3(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
      forgetDirectory(directory);
    }
  }
};
var runs = 0;

// scripts/src/target/process/prepare.ts
import { writeFileSync as writeFileSync4 } from "node:fs";
async function prepareArm(premises, options) {
  const name = `prepare-${options.arm}`;
  writeFileSync4(premises.log(name), "");
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
import { spawn as spawn2 } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync as existsSync5, mkdirSync as mkdirSync2, writeFileSync as writeFileSync5 } from "node:fs";
import { basename, join as join8 } from "node:path";

// scripts/src/target/process/mysql-client.ts
import { spawn } from "node:child_process";
import { closeSync as closeSync2, openSync as openSync2 } from "node:fs";
import { createInterface } from "node:readline";
var STATUS = "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Com\\_%' OR Variable_name = 'Connections'";
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
  /** The `mariadb` or `mysql` command line client on a private socket. */
  static async connect(premises, client, socket) {
    const log = openSync2(premises.log("mysql-client"), "a");
    const options = ["--no-defaults", "--user=root", `--socket=${socket}`];
    const output = ["--batch", "--skip-column-names", "--unbuffered", "--force", "--no-auto-rehash"];
    const spawned = spawn(client, [...options, ...output], { stdio: ["pipe", "pipe", log] });
    closeSync2(log);
    const connected = new _MysqlClient(spawned, premises.log("mysql-client"));
    premises.atClose(() => spawned.kill("SIGKILL"));
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
  /** Rows, columns separated by tabs. Rejects with MeasureError once the server is gone. */
  query(sql) {
    const ask = () => new Promise((resolve2, reject) => {
      if (this.#dead !== null) return reject(this.#dead);
      const end = `end-of-answer-${++this.#questions}`;
      this.#waiting = { end, resolve: resolve2, reject };
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
    const counters = { statements: 0, connections: 0 };
    for (const row of await this.query(STATUS)) {
      const [name = "", value = ""] = row.split("	");
      if (name === "Connections") counters.connections = Number(value);
      else if (!NOT_STATEMENTS.test(name)) counters.statements += Number(value);
    }
    return counters;
  }
  #take(line) {
    if (this.#waiting === null) return;
    if (line !== this.#waiting.end) {
      this.#lines.push(line);
      return;
    }
    const { resolve: resolve2 } = this.#waiting;
    const lines = this.#lines;
    this.#waiting = null;
    this.#lines = [];
    resolve2(lines);
  }
  #fail() {
    this.#dead = new MeasureError(`the connection to MySQL was lost${tail("client", this.#log)}`);
    this.#waiting?.reject(this.#dead);
    this.#waiting = null;
  }
};

// scripts/src/target/process/mysql.ts
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
  const password = randomBytes(16).toString("hex");
  const init = join8(premises.state, "mysql-init.sql");
  writeFileSync5(init, initialSql(password), { mode: 384 });
  const child = premises.launch(
    [
      server,
      ...common,
      ...SETTINGS,
      `--port=${port}`,
      `--socket=${socket}`,
      `--pid-file=${join8(premises.state, "mysql.pid")}`,
      `--init-file=${init}`,
      `--tmpdir=${premises.directory("mysql-tmp")}`
    ],
    { group: "services", cpus, log: "mysql" }
  );
  const up = await waitFor(() => existsSync5(socket) ? true : child.alive ? null : false, {
    everyMs: 10,
    timeoutMs: START_TIMEOUT_MS3,
    signal: premises.signal
  });
  if (up !== true) throw new MeasureError(`${basename(server)} did not start${tail("its log", premises.log("mysql"))}`);
  return { port, user: USER, password, client: await MysqlClient.connect(premises, client, socket) };
}
function dataDirectory(premises) {
  if (/^[\w./-]+$/.test(premises.state)) return premises.directory("mysql");
  const data = join8(premises.sockets, "mysql");
  mkdirSync2(data, { mode: 448 });
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
  return new Promise((resolve2, reject) => {
    const child = spawn2(server, ["--version"], { stdio: ["ignore", "pipe", "ignore"] });
    let version = "";
    child.stdout.on("data", (text) => {
      version += text;
    });
    child.once("error", reject);
    child.once("close", () => resolve2(/mariadb/i.test(version)));
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
import { connect } from "node:net";
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
      return await RedisClient.connect(premises, port).catch(() => null);
    },
    { everyMs: 10, timeoutMs: START_TIMEOUT_MS4, signal: premises.signal }
  );
  if (client === null || client === false)
    throw new MeasureError(`Redis did not start${tail("its log", premises.log("redis"))}`);
  return { port, client };
}
var RedisClient = class _RedisClient {
  version = "";
  #socket;
  #received = "";
  #waiting = null;
  #queue = Promise.resolve();
  #dead = null;
  static async connect(premises, port) {
    const socket = connect({ host: "127.0.0.1", port });
    await new Promise((resolve2, reject) => {
      socket.once("connect", () => resolve2());
      socket.once("error", reject);
    });
    const client = new _RedisClient(socket);
    premises.atClose(() => socket.destroy());
    client.version = await client.#info("server", "redis_version");
    return client;
  }
  constructor(socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("error", () => {
    });
    socket.on("data", (data) => this.#take(data.toString("latin1")));
    socket.on("close", () => {
      this.#dead = new MeasureError("the connection to Redis was lost");
      this.#waiting?.reject(this.#dead);
      this.#waiting = null;
    });
  }
  /** Commands processed as they stand; each reading adds the same to it. */
  async commands() {
    return Number(await this.#info("stats", "total_commands_processed"));
  }
  async #info(section, field) {
    const ask = () => new Promise((resolve2, reject) => {
      if (this.#dead !== null) return reject(this.#dead);
      this.#waiting = { resolve: resolve2, reject };
      this.#socket.write(`INFO ${section}\r
`);
    });
    const answer = this.#queue.then(ask, ask);
    this.#queue = answer;
    const text = await answer;
    return new RegExp(`^${field}:(.*)$`, "m").exec(text)?.[1]?.trim() ?? "";
  }
  /** The answer is a bulk string: $<length>CRLF<text>CRLF. */
  #take(text) {
    this.#received += text;
    const head = /^\$(\d+)\r\n/.exec(this.#received);
    if (head === null) return;
    const end = head[0].length + Number(head[1]);
    if (this.#received.length < end + 2) return;
    const body = this.#received.slice(head[0].length, end);
    this.#received = this.#received.slice(end + 2);
    this.#waiting?.resolve(body);
    this.#waiting = null;
  }
};

// scripts/src/target/process/services.ts
var Services = class _Services {
  #mysql;
  #redis;
  #httpUrl;
  /** What one reading adds to the counters it reads. */
  #cost = { statements: 0, connections: 0, commands: 0 };
  #readings = 0;
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
    const services = new _Services(mysql, redis, httpUrl);
    await services.#calibrate();
    return services;
  }
  constructor(mysql, redis, httpUrl) {
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
  /** Cumulative counters, without what reading them adds: they stand still while nobody else asks. */
  async counters() {
    const now = await this.#read();
    const own = this.#readings++;
    const counters = {};
    if (this.#mysql !== null) {
      counters.sqlStatements = now.statements - own * this.#cost.statements;
      counters.dbConnections = now.connections - own * this.#cost.connections;
    }
    if (this.#redis !== null) counters.redisCommands = now.commands - own * this.#cost.commands;
    return counters;
  }
  versions() {
    return {
      ...this.#mysql === null ? {} : { mysql: this.#mysql.client.version },
      ...this.#redis === null ? {} : { redis: this.#redis.client.version }
    };
  }
  async #read() {
    const [mysql, commands] = await Promise.all([this.#mysql?.client.counters(), this.#redis?.client.commands()]);
    return { statements: mysql?.statements ?? 0, connections: mysql?.connections ?? 0, commands: commands ?? 0 };
  }
  async #calibrate() {
    const first = await this.#read();
    const second = await this.#read();
    this.#cost = {
      statements: second.statements - first.statements,
      connections: second.connections - first.connections,
      commands: second.commands - first.commands
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
    const replicas = { base: await prepared("base"), head: await prepared("head") };
    options.progress("starting both arms");
    const target = new ProcessTarget(options, premises, services, replicas, close);
    await target.restart();
    return target;
  } catch (error) {
    await close();
    throw error;
  }
  async function prepared(arm) {
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
  if (start === null) choosePhpFpm(php.binary);
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
  alive(arm) {
    return this.#replicas[arm].alive;
  }
};
async function nginxVersion() {
  const { stderr } = await promisify2(execFile2)(findNginx(), ["-v"]);
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
    case "process":
      return startProcesses(options);
    case "url":
      return startUrl(options);
    default:
      return assertNever(options.plan.driver);
  }
};

// scripts/src/phases/lock.ts
import { closeSync as closeSync3, openSync as openSync3, readFileSync as readFileSync5, rmSync as rmSync4, writeSync } from "node:fs";
import { tmpdir as tmpdir2 } from "node:os";
import { join as join9 } from "node:path";
import { setTimeout as sleep3 } from "node:timers/promises";
var LOCK_FILE = join9(tmpdir2(), "perf-gate.lock");
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
    await sleep3(500, void 0, { signal });
  }
}
function tryLock() {
  try {
    const file = openSync3(LOCK_FILE, "wx", 420);
    writeSync(file, `${process.pid}
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
    text = readFileSync5(LOCK_FILE, "utf8");
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
  rmSync4(LOCK_FILE, { force: true });
  return null;
}
function unlock() {
  try {
    if (Number(readFileSync5(LOCK_FILE, "utf8")) === process.pid) rmSync4(LOCK_FILE, { force: true });
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
  const removeTrees = await checkOut(plan.arms);
  let target = null;
  const log = new SampleLog(work, plan, earlier);
  try {
    target = await startTarget({ plan, workDirectory: work.path, progress: progress.step, signal });
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
  add(lines) {
    const begin = this.begun ? [] : [{ kind: "begin", version: 1, planId: this.#plan.id, startedAt: Date.now() }];
    this.#work.appendSamples([...begin, ...lines]);
    this.lines.push(...begin, ...lines);
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
function pilotsOf(lines) {
  return new Map(
    lines.flatMap((line) => line.kind === "pilot" ? line.cells.map((cell) => [cell.cell, cell]) : [])
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

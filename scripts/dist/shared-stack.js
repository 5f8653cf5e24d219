import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  UsageGroup,
  findK6,
  launch,
  startK6
} from "./shared-k6~2.js";
import {
  environmentWarnings
} from "./shared-environment.js";
import {
  warningOnce
} from "./shared-index~2.js";
import {
  PROBE_SCRIPT,
  PhpFpm,
  Site,
  TOXIPROXY_PORT,
  arrange,
  checkEngine,
  choosePhpFpm,
  composeText,
  findNginx,
  findOpenssl,
  get,
  inOrder,
  mapValues,
  networksOf,
  oneShotsOf,
  phpState,
  pick,
  projectName,
  quietImageHealthcheck,
  recipesOf,
  restartOrder,
  schemeOf,
  startNginx,
  toxics,
  waitFor,
  withoutDependencies
} from "./shared-ignore.js";
import {
  requireProgram
} from "./shared-programs~2.js";
import {
  SOCKETS_LINK,
  SOCKETS_PREFIX
} from "./shared-leftovers.js";
import {
  cgroupOf,
  readCgroup
} from "./shared-cgroup.js";
import {
  DockerError,
  LOCK_WAIT,
  OWNER_LABEL,
  childEnvironment,
  describeRemoved,
  docker,
  lastLines,
  lockMachine,
  provideImages,
  removeAhead,
  removeContainers,
  removeLabelled,
  removeLeftovers,
  startTicks,
  thisOwner,
  withHealthcheck
} from "./shared-bake.js";
import {
  LogReader,
  TICKS_PER_SECOND,
  forgetDirectory,
  forgetLabel,
  guardDirectory,
  guardLabel,
  parseCgroupMounts,
  parseCgroupPath,
  parseProcessStat,
  quoted,
  tail
} from "./shared-guard.js";
import {
  OVERHEAD,
  blockSeconds,
  chooseConfirmation,
  expectedBlocks,
  mainDeadline,
  undecided
} from "./shared-plan~2.js";
import {
  scheduleBlock
} from "./shared-uniformInt.js";
import {
  machineFacts
} from "./shared-stored-base.js";
import {
  K6_IMAGE,
  K6_VERSION
} from "./shared-k6.js";
import {
  checkOut,
  treesOf
} from "./shared-arms~2.js";
import {
  InputError,
  MeasureError
} from "./shared-errors.js";
import {
  SLOWEST
} from "./shared-slowest.js";
import {
  OPEN_PILOT_VUS,
  afterPilot,
  plateauOf
} from "./shared-plan.js";
import {
  begin,
  flaggedTests,
  liveTests,
  next,
  take
} from "./shared-replay.js";
import {
  askedOf,
  connectionOf,
  perArm,
  servicesOf,
  targetOf
} from "./shared-arms.js";
import {
  ARMS,
  assertNever
} from "./shared-model.js";

// scripts/src/measure/block.ts
import { execFile } from "node:child_process";
import { join as join2 } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

// scripts/src/core/mix.ts
var GOLDEN = (Math.sqrt(5) - 1) / 2;
function mixOrder(weights, block) {
  const length = sum(weights) / weights.reduce(commonDivisor);
  const total = sum(weights);
  const due = weights.map(() => 0);
  const order = Array.from({ length }, () => {
    for (const [place, weight] of weights.entries()) due[place] = (due[place] ?? 0) + weight;
    const next2 = due.indexOf(Math.max(...due));
    due[next2] = (due[next2] ?? 0) - total;
    return next2;
  });
  const start = Math.floor(block * GOLDEN % 1 * length);
  return [...order.slice(start), ...order.slice(0, start)];
}
function mixCensus(entries) {
  const total = sum(entries.map(({ weight }) => weight));
  const mean2 = (values) => sixDecimals(sum(values.map((value, place) => value * (entries[place]?.weight ?? 0))) / total);
  const counts = {};
  for (const name of Object.keys(entries[0]?.arm.counts ?? {})) {
    const all = entries.flatMap(({ arm }) => arm.counts[name] ?? []);
    if (all.length < entries.length) continue;
    counts[name] = {
      perRequest: mean2(all.map(({ perRequest }) => perRequest)),
      min: mean2(all.map(({ min }) => min)),
      max: mean2(all.map(({ max }) => max)),
      exact: all.every(({ exact }) => exact)
    };
  }
  return {
    statuses: [...new Set(entries.flatMap(({ arm }) => arm.statuses))].sort((a, b) => a - b),
    failedShare: mean2(entries.map(({ arm }) => arm.failedShare)),
    counts
  };
}
function sixDecimals(value) {
  return Number(value.toFixed(6));
}
function commonDivisor(a, b) {
  return b === 0 ? a : commonDivisor(b, a % b);
}
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

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
  let sum2 = 0;
  for (const process2 of ["self", ...namespaces]) {
    try {
      sum2 += parse(readFileSync2(`/proc/${process2}/net/${file}`, "latin1"));
    } catch {
    }
  }
  return sum2;
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
var LONG_TURN = 1;
var Sampler = class {
  #target;
  #generator;
  /** Whether what k6 and the arms cost can be read from here. */
  #isSeen;
  #generatorCores;
  #cpus;
  #generatorCpus;
  #booksInterrupts = booksInterruptTime();
  #fronts = { base: null, head: null };
  /** @param generator k6; null = it cannot be seen from here */
  constructor(target, generator, layout) {
    this.#target = target;
    this.#generator = generator;
    this.#isSeen = generator !== null && ARMS.every((arm) => target.usage(arm) !== null);
    const quota = generator === null ? null : cpuQuota(generator.pid);
    this.#generatorCores = Math.min(layout.generator.length, quota ?? Number.POSITIVE_INFINITY);
    this.#generatorCpus = layout.generator;
    this.#cpus = [.../* @__PURE__ */ new Set([...layout.generator, ...layout.target, ...layout.services])];
  }
  /** What the fronts had counted before the first slot. */
  async begin() {
    for (const arm of ["base", "head"]) this.#fronts[arm] = await this.#front(arm);
  }
  /**
   * Watches one round, whose first turn begins now. What a turn cost is read when the next one begins, its last
   * requests included. Others are looked for over each long turn, and over a round of short ones as a whole, where what
   * they spent is laid on the arms by their share of it.
   *
   * @param turns in order of time
   * @param sleepUntil resolves at a moment of the monotonic clock, s
   * @param settleSeconds how long after the last turn its last requests may finish
   * @returns what was seen of each arm; null where the signal ended it
   */
  async watch(turns, sleepUntil2, settleSeconds, signal) {
    if (!this.#isSeen) return await this.#passUnseen(turns, sleepUntil2, settleSeconds, signal);
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
      const foreign = this.#foreign(looked.at, last, spentBetween(looked.others, this.#neighbours(), this.#cpus));
      const total = sinceLook.base + sinceLook.head;
      for (const arm of ARMS) {
        if (total > 0) spent[arm].foreignCpuSeconds += foreign * sinceLook[arm] / total;
        sinceLook[arm] = 0;
      }
    };
    for (const [index, { arm, at, seconds }] of turns.entries()) {
      const next2 = turns[index + 1]?.at;
      for (let until = at + 1; until < at + seconds - 0.5; until++) {
        await sleepUntil2(until);
        read(arm, { underLoad: true });
      }
      if (next2 === void 0 || seconds >= LONG_TURN) {
        await sleepUntil2(at + seconds);
        read(arm, { underLoad: true });
        look();
        await sleepUntil2(next2 ?? at + seconds + settleSeconds);
        read(arm, { underLoad: false });
        if (next2 !== void 0) looked = { at: last, others: this.#neighbours() };
      } else {
        await sleepUntil2(next2);
        read(arm, { underLoad: true });
      }
      if (signal.aborted) return null;
    }
    return {
      base: await this.#seen("base", spent.base, first, last),
      head: await this.#seen("head", spent.head, first, last)
    };
  }
  /** The same for what runs where this kernel counts nothing: only the fronts can be asked. */
  async #passUnseen(turns, sleepUntil2, settleSeconds, signal) {
    for (const [index, { at, seconds }] of turns.entries()) {
      await sleepUntil2(turns[index + 1]?.at ?? at + seconds + settleSeconds);
      if (signal.aborted) return null;
    }
    const seen = async (arm) => {
      const { portErrors } = await this.#frontSince(arm);
      return { witness: null, portErrors, oomKilled: false };
    };
    return { base: await seen("base"), head: await seen("head") };
  }
  async #seen(arm, spent, first, last) {
    const { front, portErrors, turnedAway } = await this.#frontSince(arm);
    const usage = last.arms[arm];
    if (usage === null || spent.intervalSeconds === 0) return { witness: null, portErrors, oomKilled: false };
    const { listenOverflows: listenOverflows2, ...sums } = spent;
    return {
      portErrors,
      oomKilled: usage.oomKills > (first.arms[arm]?.oomKills ?? 0),
      witness: {
        ...sums,
        generatorCores: this.#generatorCores,
        targetMemoryBytes: usage.memoryBytes,
        targetMemoryGrowthBytes: usage.memoryBytes - (first.arms[arm]?.memoryBytes ?? usage.memoryBytes),
        timeWait: timeWaitSockets(this.#target.namespaces()),
        listenOverflows: listenOverflows2 + turnedAway,
        listenQueueMax: front?.listenQueueMax ?? 0,
        maxChildrenReached: front?.maxChildrenReached ?? 0
      }
    };
  }
  #neighbours() {
    const generator = this.#generator === null ? [] : [this.#generator.pid];
    return neighbours([process.pid, ...generator, ...this.#target.roots()]);
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
    const at = performance.now() / 1e3;
    const generatorCpuSeconds = this.#generator?.usage().cpuSeconds ?? 0;
    return {
      at,
      arms: { base: this.#target.usage("base"), head: this.#target.usage("head") },
      services: this.#target.servicesUsage(),
      generatorCpuSeconds,
      ownCpuSeconds: (user + system) / 1e6,
      cpu: cpuTimes(this.#cpus),
      generatorIdleSeconds: this.#generatorIdle(at, generatorCpuSeconds),
      overflows: listenOverflows(this.#target.namespaces())
    };
  }
  /** Time that the generator's CPUs had to spare, cumulative, s: idle, or with others that would have given way to it. */
  #generatorIdle(at, generatorCpuSeconds) {
    const { idle, irq, steal } = cpuTimes(this.#generatorCpus);
    if (this.#generator?.isFirst !== true) return idle;
    return at * this.#generatorCpus.length - generatorCpuSeconds - irq - steal;
  }
  /** An arm's front, and what it has counted since it was asked last. */
  async #frontSince(arm) {
    const before = this.#fronts[arm];
    const front = await this.#front(arm);
    this.#fronts[arm] = front;
    return {
      front,
      portErrors: (front?.portErrors ?? 0) - (before?.portErrors ?? 0),
      turnedAway: (front?.listenOverflows ?? 0) - (before?.listenOverflows ?? 0)
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
  const seconds = to.at - from.at;
  spent.intervalSeconds += seconds;
  spent.targetPeakCores = Math.max(spent.targetPeakCores, cpuBetween(from.arms[arm], to.arms[arm]) / seconds);
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
var STEP_LEAD = 0.7;
async function runBlock(rig, cells, stage, block) {
  const started = performance.now();
  await rig.target.restart();
  const restart = since(started);
  const { warmUpSeconds } = rig.plan.config.measure;
  const schedule = scheduleBlock(rig.plan.seed, block, cells, warmUpSeconds + WARM_UP_GAP);
  const { slots, k6Start, yardstickMs, outputFailed } = await drive(rig, schedule, warmUpSeconds, block);
  const load = slots.reduce((sum2, { slot }) => sum2 + lengthOf(slot), 0);
  return {
    samples: slots.map((measured) => toSample(rig.plan, measured, stage, block)),
    yardstickMs,
    times: { restart, k6Start, warmUp: warmUpSeconds, load, total: since(started) },
    outputFailed
  };
}
async function runPilot(rig) {
  const arms = rig.plan.own === void 0 ? ["base"] : ARMS;
  let startSeconds = PILOT_WARM_UP + WARM_UP_GAP;
  const schedule = rig.plan.cells.flatMap(
    (cell) => arms.map((arm, order) => {
      const stretches = [{ startSeconds, seconds: PILOT_SLOT }];
      startSeconds += PILOT_SLOT + WARM_UP_GAP;
      return { cell: cell.id, arm, order, stretches, gapSeconds: WARM_UP_GAP, rate: null, pilot: true };
    })
  );
  const { slots } = await drive(rig, schedule, PILOT_WARM_UP, null);
  return rig.plan.cells.map((cell) => {
    const results = slots.filter(({ slot }) => slot.cell === cell.id).map(({ result }) => result ?? EMPTY);
    const p99s = results.flatMap(({ latencyMs }) => latencyMs?.p99 ?? []);
    return {
      cell,
      qps: results.length === 0 ? 0 : Math.min(...results.map(({ requests }) => requests)) / PILOT_SLOT,
      p99Ms: p99s.length === 0 ? null : Math.max(...p99s)
    };
  });
}
async function runStep(rig, step, block) {
  const { cell, arm, rate, seconds, gapSeconds, warmUpSeconds } = step;
  const startSeconds = Math.max(STEP_LEAD, warmUpSeconds) + WARM_UP_GAP;
  const slot = { cell, arm, order: 0, stretches: [{ startSeconds, seconds }], gapSeconds, rate };
  const { slots } = await drive(rig, [slot], warmUpSeconds, block);
  const [measured] = slots;
  return measured === void 0 ? null : toSample(rig.plan, measured, "main", block);
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
async function drive(rig, schedule, warmUpSeconds, block) {
  const { plan, target, signal } = rig;
  const launched = performance.now();
  const spec = buildSpec(rig, schedule, warmUpSeconds, block);
  const k6 = startK6(rig, spec, pinned(plan, plan.layout.generator));
  const onAbort = () => k6.interrupt();
  signal.addEventListener("abort", onAbort);
  try {
    const yardstick = runYardstick(rig);
    const [begunAt, yardstickMs] = await Promise.all([k6.begun, yardstick]);
    const sampler = new Sampler(target, await k6.process(), plan.layout);
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
    return { slots, k6Start, yardstickMs, outputFailed: k6.outputFailed() };
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
      const { from, seconds } = judgedPart(plan, slot, stretch);
      return { arm: slot.arm, at: zero + stretch.startSeconds + from, seconds };
    })
  ).sort((a, b) => a.at - b.at);
}
var lengthOf = ({ stretches }) => stretches.reduce((sum2, { seconds }) => sum2 + seconds, 0);
function toSample(plan, measured, stage, block) {
  const { slot, result } = measured;
  const found = result ?? EMPTY;
  const { vuSeconds, ...counted } = found;
  const judged = slot.stretches.reduce((sum2, stretch) => sum2 + judgedPart(plan, slot, stretch).seconds, 0);
  const seconds = vuSeconds > 0 ? vuSeconds / vusOf(plan, slot) : judged;
  return {
    kind: "slot",
    stage,
    block,
    cell: slot.cell,
    arm: slot.arm,
    order: slot.order,
    startedAt: measured.startedAt,
    seconds,
    ...counted,
    qps: counted.requests / seconds,
    portErrors: counted.portErrors + measured.portErrors,
    witness: measured.witness,
    events: [...measured.events]
  };
}
function buildSpec(rig, schedule, warmUpSeconds, block) {
  const { plan } = rig;
  const { trace, outputs } = plan.config.measure;
  const sent = outputs === void 0 || block === null ? null : { outputs, round: String(block) };
  const subjects = subjectsOf(
    rig,
    schedule.map(({ cell }) => scenarioOf(plan, cell)),
    block ?? 0
  );
  return {
    ...subjects,
    warmUp: {
      seconds: warmUpSeconds,
      gracefulSeconds: WARM_UP_GAP * GRACEFUL_SHARE,
      vus: perArm((arm) => targetOf(plan, arm).php.workers),
      scenarios: Object.keys(subjects.scenarios)
    },
    slots: roundsOf(schedule).flatMap(
      (slots, round) => slots.map((slot) => ({
        ...slotSpec(plan, slot, round),
        ...sent === null ? {} : { tags: { arm: slot.arm, cell: slot.cell, round: sent.round } }
      }))
    ),
    ...trace === void 0 ? {} : { trace: { slowest: SLOWEST } },
    ...sent === null ? {} : { outputs: sent.outputs }
  };
}
function subjectsOf({ plan, target }, scenarios, block) {
  const subject = (scenario) => ({
    connection: perArm((arm) => connectionOf(plan, scenario, arm)),
    asked: perArm((arm) => askedOf(plan, scenario, arm)),
    ...scenario.work.kind === "mix" ? {
      order: mixOrder(
        scenario.work.entries.map(({ weight }) => weight),
        block
      )
    } : {}
  });
  return {
    arms: perArm((arm) => ({ url: target.url(arm), host: target.host(arm) })),
    ...ARMS.some((arm) => targetOf(plan, arm).nginx.tls) ? { selfSigned: true } : {},
    scenarios: Object.fromEntries([...new Set(scenarios)].map((scenario) => [scenario.name, subject(scenario)]))
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
import { Agent, request as requestHttp } from "node:http";
import { request as requestHttps, Agent as TlsAgent } from "node:https";

// scripts/src/measure/iterations.ts
async function runIterations(rig, scenario, arm, iterations) {
  const { name } = scenario;
  const k6 = startK6(
    rig,
    {
      ...subjectsOf(rig, [scenario], 0),
      warmUp: { seconds: 0, gracefulSeconds: 0, vus: { base: 1, head: 1 }, scenarios: [] },
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
    null
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
      arms[arm] = await countScenario(rig, scenario, arm);
    }
    scenarios.push({ scenario: scenario.name, arms });
  }
  return { version: 1, planId: rig.plan.id, requestsPerRepeat: REQUESTS_PER_REPEAT, repeats: REPEATS, scenarios };
}
async function countScenario(rig, scenario, arm) {
  const { work, checks } = askedOf(rig.plan, scenario, arm);
  const connection = connectionOf(rig.plan, scenario, arm);
  switch (work.kind) {
    case "request":
      return countRequest(rig, { asked: work, checks, connection }, arm);
    case "mix": {
      const entries = [];
      for (const { weight, request: asked, checks: own } of work.entries) {
        rig.signal.throwIfAborted();
        entries.push({ weight, arm: await countRequest(rig, { asked, checks: own, connection }, arm) });
      }
      return mixCensus(entries);
    }
    case "flow":
      return countFlow(rig, scenario, arm);
    default:
      return assertNever(work);
  }
}
async function countRequest(rig, single, arm) {
  const { php, nginx } = targetOf(rig.plan, arm);
  const at = { url: await rig.target.hostUrl(arm), host: rig.target.host(arm) };
  const keepAlive = single.connection === "keep-alive";
  const agent = at.url.startsWith("https:") ? new TlsAgent({ keepAlive, rejectUnauthorized: !nginx.tls }) : new Agent({ keepAlive });
  const send = () => sendOne(single, at, agent);
  try {
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: php.workers }, send));
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
  await grown(targetOf(rig.plan, arm).php.workers * 3);
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
function sendOne({ asked, checks }, at, agent) {
  return new Promise((resolve2) => {
    const failed = { status: 0, bytes: 0, passed: false };
    const headers = { ...asked.headers, host: at.host };
    if (asked.body !== null) headers["content-length"] = String(Buffer.byteLength(asked.body));
    const request = at.url.startsWith("https:") ? requestHttps : requestHttp;
    const outgoing = request(
      new URL(asked.path, `${at.url}/`),
      { method: asked.method, agent, timeout: TIMEOUT_MS, headers },
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
    outgoing.end(asked.body ?? void 0);
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
  return values.reduce((sum2, value) => sum2 + value, 0) / values.length;
}

// scripts/src/target/compose/index.ts
import { Agent as Agent2 } from "node:http";

// scripts/src/target/health.ts
var EVERY_MS = 20;
var TIMEOUT_MS2 = 3e4;
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
        const answer = await get(check.url, { host: check.host, selfSigned: check.selfSigned });
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
    { everyMs: EVERY_MS, timeoutMs: TIMEOUT_MS2, signal: check.signal }
  );
  if (healthy === true) return;
  throw new MeasureError(
    `${check.arm} is not healthy: GET ${check.url} (Host: ${check.host}) must answer 2xx; ${last}${check.evidence()}`
  );
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
    const sum2 = {};
    for (const counters of await Promise.all(this.#readers.map((read) => read()))) {
      for (const name of NAMES) {
        const value = counters[name];
        if (value !== void 0) sum2[name] = (sum2[name] ?? 0) + value;
      }
    }
    return sum2;
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
  /** The answer is a bulk string: $<length>CRLF<text>CRLF; or one line, which is an error. */
  #take(text) {
    this.#received += text;
    const head = /^(.*)\r\n/.exec(this.#received);
    if (head === null) return;
    const [line, said = ""] = head;
    const length = /^\$(\d+)$/.exec(said)?.[1];
    if (length === void 0) {
      this.#waiting?.reject(new MeasureError(`Redis answers ${said.replace(/^-/, "").slice(0, 200)}`));
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
  /**
   * Throws MeasureError naming the key and what the server said. `log` takes what the clients complain about.
   *
   * @param reach where a port of a container is for this process
   */
  async connect(mysql, redis, reach, log) {
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
      const { host, port } = await reach(container, REDIS_PORT);
      const client = await RedisClient.connect(host, port).catch((error) => {
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
import { spawn as spawn2 } from "node:child_process";
import { readdirSync as readdirSync2, readFileSync as readFileSync4 } from "node:fs";

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
  #ended = false;
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
    const local = isIn(this.pid, this.id);
    this.#startTicks = local ? startTicks(this.pid) : null;
    this.#cgroup = local ? cgroupOf(this.pid) : null;
    this.#ended = false;
    this.counts.reset();
    this.#follow();
  }
  /** First process of the container, as the engine numbers it; 0 where it does not run. */
  get pid() {
    return this.#seen.State.Pid;
  }
  /** Whether that is a process of this machine: in an engine elsewhere, or in a virtual machine, it is a stranger's. */
  get local() {
    return this.#startTicks !== null;
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
    if (this.pid === 0 || this.counts.workersDied > 0) return false;
    return this.local ? startTicks(this.pid) === this.#startTicks : !this.#ended;
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
    const follower = spawn2("docker", ["logs", "--follow", ...since3, this.id], { stdio: ["ignore", "ignore", "pipe"] });
    follower.on("error", () => {
    });
    follower.once("close", () => {
      if (this.#follower === follower) this.#ended = true;
    });
    let rest = "";
    follower.stderr.setEncoding("utf8").on("data", (text) => {
      if (this.#follower !== follower) return;
      const end = (rest + text).lastIndexOf("\n") + 1;
      const lines = (rest + text).slice(0, end);
      rest = (rest + text).slice(end);
      this.counts.add(lines);
      this.#lastLines = [...this.#lastLines, ...lines.split("\n").slice(-KEPT_LINES - 1, -1)].slice(-KEPT_LINES);
    });
    this.#follower = follower;
  }
};
function isIn(pid, container) {
  try {
    return readFileSync4(`/proc/${pid}/cgroup`, "utf8").includes(container);
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
  let sum2 = NOTHING2;
  for (const container of containers) {
    const usage = container.usage();
    if (usage === null || sum2 === null) sum2 = null;
    else sum2 = { ...add(sum2, usage), memoryBytes: sum2.memoryBytes + usage.memoryBytes };
  }
  return sum2;
}
function engineCpuSeconds(pids) {
  let ticks = 0;
  for (const pid of pids) {
    try {
      ticks += parseProcessStat(readFileSync4(`/proc/${pid}/stat`, "latin1")).ownTicks;
    } catch {
    }
  }
  return ticks / TICKS_PER_SECOND;
}
function enginePids() {
  return readdirSync2("/proc").flatMap((entry) => {
    try {
      const name = readFileSync4(`/proc/${Number(entry)}/comm`, "utf8").trim();
      return ["dockerd", "containerd"].includes(name) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}
function parentOf(pid) {
  try {
    const { ppid } = parseProcessStat(readFileSync4(`/proc/${pid}/stat`, "latin1"));
    return ppid > 1 ? [ppid] : [];
  } catch {
    return [];
  }
}

// scripts/src/target/compose/stack.ts
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync as rmSync2 } from "node:fs";
import { dirname as dirname2, join as join4 } from "node:path";

// scripts/src/target/compose/delay.ts
var TIMEOUT_MS3 = 1e4;
var ANSWER_TIMEOUT_MS = 2e3;
async function setDelay({ service, path, body }, { host, port }, signal) {
  const url = `http://${host}:${port}${path}`;
  let why = "";
  const post = async () => {
    const either = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    return await fetch(url, { method: "POST", body: JSON.stringify(body), signal: either }).catch((error) => {
      why = error.cause instanceof Error ? error.cause.message : error.message;
      return null;
    });
  };
  const answer = await waitFor(post, { everyMs: 50, timeoutMs: TIMEOUT_MS3, signal });
  if (answer === null) throw new MeasureError(`target.links.${service}: Toxiproxy does not answer: ${why}`);
  if (!answer.ok) throw new MeasureError(`target.links.${service}: Toxiproxy refuses: ${await answer.text()}`);
}

// scripts/src/target/compose/deployment.ts
import { rmSync, writeFileSync } from "node:fs";
import { join as join3 } from "node:path";
var UP_TIMEOUT = 180;
var KEPT_LOG_LINES = "2000";
var Deployment = class {
  containers = [];
  #options;
  #file;
  #model;
  constructor(options) {
    this.#options = options;
    this.#file = join3(options.state, `${options.project}.json`);
    this.#model = options.model;
  }
  /** As it stands; what has run to its end is no longer in it. */
  get model() {
    return this.#model;
  }
  container(service) {
    return this.containers.find((container) => container.service === service);
  }
  /** Images that are not here yet; where one brings a health check of its own, that is made quiet too. */
  async pull() {
    const { project, log, signal } = this.#options;
    this.#write(this.#model);
    await docker([...this.compose(), "pull", "--policy", "missing", "--quiet"], {
      signal,
      log: log("compose")
    }).catch((error) => {
      signal.throwIfAborted();
      const why = error instanceof DockerError ? lastLines(error.stderr, 1) : error.message;
      throw new MeasureError(
        `${project}: an image cannot be pulled: ${why}. Where no registry answers, docker/offline/build.sh of perf-gate builds stand-ins for php, nginx, mysql and redis`
      );
    });
    const images = Object.values(this.#model.services).flatMap(({ image }) => image ?? []);
    const checked = await withHealthcheck(images, signal);
    const services = mapValues(
      this.#model.services,
      (service) => checked.has(service.image ?? "") ? quietImageHealthcheck(service) : service
    );
    this.#write({ ...this.#model, services });
  }
  /** `wait`: until they are healthy. `alone`: without what they depend on. */
  async up(services, how) {
    const { project, log, signal } = this.#options;
    const flags = { wait: ["--wait", "--wait-timeout", `${UP_TIMEOUT}`], alone: ["--no-deps"], all: [] }[how];
    const args = [...this.compose(), "up", "--detach", "--no-build", ...flags, ...services];
    await docker(args, { signal, log: log("compose") }).catch(async (error) => {
      signal.throwIfAborted();
      const why = error instanceof DockerError ? lastLines(error.stderr, 1) : error.message;
      throw new MeasureError(`${project}: cannot start ${services.join(", ")}: ${why}${await this.troubled()}`);
    });
  }
  /** Starts services and waits until they are healthy; one-shot services run to their end, once. */
  async startBacking(names) {
    const { oneShots } = this.#options;
    const { services } = this.#model;
    const steady = names.filter((name) => !oneShots.has(name));
    if (steady.length > 0) await this.up(steady, "wait");
    const done = new Set(
      inOrder(
        services,
        names.filter((name) => oneShots.has(name))
      )
    );
    if (done.size === 0) return;
    for (const name of done) await this.#complete(name);
    const left = mapValues(
      pick(services, (_, name) => !done.has(name)),
      (service) => withoutDependencies(service, done)
    );
    this.#write({ ...this.#model, services: left });
  }
  async #complete(name) {
    const { project, signal } = this.#options;
    const list = ["ps", "--all", "--quiet", "--no-trunc", ...this.#filter(name)];
    let id = (await docker(list, { signal })).trim();
    if (id === "") {
      await this.up([name], "alone");
      id = (await docker(list, { signal })).trim();
    }
    const status = (await docker(["wait", id], { signal })).trim();
    if (status === "0") return;
    const log = await this.#saveLog(name, id, signal);
    throw new MeasureError(`${name} of ${project} has ended: exit status ${status}${tail("its log", log)}`);
  }
  /** Waits until none of its containers is starting any more: a health check beside a slot would be load. */
  async settle() {
    const { project, signal } = this.#options;
    const status = ({ State }) => State.Health?.Status;
    let seen = [];
    await waitFor(
      async () => {
        seen = await this.lookAt();
        return seen.some((it) => status(it) === "starting") ? null : true;
      },
      { everyMs: 200, timeoutMs: UP_TIMEOUT * 1e3, signal }
    );
    if (seen.some((it) => ["starting", "unhealthy"].includes(status(it) ?? ""))) {
      throw new MeasureError(`${project} does not become healthy${await this.troubled()}`);
    }
  }
  /**
   * Finds its containers and takes note of those that were restarted. Throws MeasureError with the log of one that does
   * not run.
   */
  async lookAt(renewed = []) {
    const { project, oneShots, signal } = this.#options;
    const ids = await docker(["ps", "--all", "--quiet", "--no-trunc", ...this.#filter()], { signal });
    const seen = await inspect(ids.split("\n").filter(Boolean), signal);
    const known = new Map(this.containers.map((container) => [container.id, container]));
    this.containers = seen.map((inspection) => {
      const container = known.get(inspection.Id) ?? new Container(inspection);
      if (renewed.includes(container)) container.started(inspection);
      return container;
    });
    for (const [index, { Id, State }] of seen.entries()) {
      const name = this.containers[index]?.service ?? Id;
      const isOver = State.Status === "exited" && State.ExitCode === 0 && oneShots.has(name);
      if (State.Status === "running" || isOver) continue;
      const log = await this.#saveLog(name, Id, signal);
      throw new MeasureError(`${name} of ${project} is ${State.Status}: ${endOf(State)}${tail("its log", log)}`);
    }
    return seen;
  }
  /** Logs of its containers that do not run, or not well. */
  async troubled() {
    const { oneShots, signal } = this.#options;
    const format = "{{.ID}}	{{.Service}}	{{.State}}	{{.Health}}	{{.ExitCode}}";
    const list = await docker([...this.compose(), "ps", "--all", "--format", format], { signal });
    let text = "";
    for (const line of list.trim().split("\n")) {
      const [id = "", service = "", state, health, exitCode] = line.split("	");
      const isWell = state === "running" && health !== "unhealthy" && health !== "starting";
      if (id === "" || isWell || exitCode === "0" && oneShots.has(service)) continue;
      const log = await this.#saveLog(service, id, signal);
      const how = state === "running" ? health : `${state}, exit status ${exitCode}`;
      text += `
${service} is ${how}${tail("its log", log)}`;
    }
    return text;
  }
  /** Lets go of its containers; the ends of their logs stay. */
  async close(signal) {
    for (const container of this.containers) container.close();
    await Promise.all(this.containers.map(({ service, id }) => this.#saveLog(service, id, signal)));
  }
  /** `docker compose` on its file, to be followed by a command. */
  compose() {
    const { project, id, directory } = this.#options;
    const name = projectName(id, project);
    return ["compose", "--project-directory", directory, "--file", this.#file, "--project-name", name];
  }
  #write(model) {
    this.#model = model;
    writeFileSync(this.#file, composeText(model), { mode: 384 });
  }
  async #saveLog(service, id, signal) {
    const log = this.#options.log(`${this.#options.project}-${service}`);
    rmSync(log, { force: true });
    await docker(["logs", "--tail", KEPT_LOG_LINES, id], { signal, log }).catch(() => "");
    return log;
  }
  #filter(service) {
    const labels = [`com.docker.compose.project=${projectName(this.#options.id, this.#options.project)}`];
    if (service !== void 0) labels.push(`com.docker.compose.service=${service}`);
    return labels.flatMap((label) => ["--filter", `label=${label}`]);
  }
};
function endOf({ OOMKilled, ExitCode }) {
  if (OOMKilled) return "killed for want of memory (target.resources, or mem_limit in the compose file)";
  const hint = ". Where that is its job, what needs it waits for it: condition: service_completed_successfully";
  return `exit status ${ExitCode}${ExitCode === 0 ? hint : ""}`;
}

// scripts/src/target/compose/gateway.ts
import { spawn as spawn3 } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
var Gateway = class _Gateway {
  #options;
  #doors = /* @__PURE__ */ new Map();
  #clients = /* @__PURE__ */ new Set();
  /** First process of its container and of the k6 that runs; 0 where unknown. */
  #pids = { own: 0, k6: 0 };
  #containers = 0;
  constructor(options) {
    this.#options = options;
  }
  /** Throws MeasureError where its image cannot be had or holds another k6. */
  static async start(options) {
    const gateway = new _Gateway(options);
    const { name, networks, signal } = options;
    await fetchImage(signal);
    const [first = "", ...more] = networks;
    const run = ["run", "--detach", "--name", name, ...gateway.#confined(options.cpus), "--network", first];
    await docker([...run, "--entrypoint", "sleep", K6_IMAGE, "1000000"], { signal });
    for (const network of more) await docker(["network", "connect", network, name], { signal });
    const said = await docker(["exec", name, "k6", "version"], { signal });
    const version = /v(\d+\.\d+\.\d+)/.exec(said)?.[1];
    if (version !== K6_VERSION) {
      throw new MeasureError(
        `the image ${K6_IMAGE} holds k6 ${version ?? "of an unknown version"}: docker image rm ${K6_IMAGE} makes room for the real one`
      );
    }
    gateway.#pids.own = await pidOf(name, signal);
    return gateway;
  }
  /** Processes of its containers as seen from here: its own first, then k6's. */
  get pids() {
    return Object.values(this.#pids).filter((pid) => pid > 0);
  }
  /** A door of this host that leads to a port of a container. Each connection through it takes about 0.1 s to begin. */
  async to(host, port) {
    const key = `${host}:${port}`;
    const door = this.#doors.get(key) ?? this.#open(host, port);
    this.#doors.set(key, door);
    return { host: "127.0.0.1", port: (await door).address().port };
  }
  async #open(host, port) {
    const server = createServer((socket) => this.#lead(socket, host, port));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }
  #lead(socket, host, port) {
    const args = ["exec", "--interactive", this.#options.name, "nc", host, `${port}`];
    const client = spawn3("docker", args, {
      detached: true,
      env: childEnvironment({}),
      stdio: ["pipe", "pipe", "ignore"]
    });
    this.#clients.add(client);
    client.once("close", () => this.#clients.delete(client));
    client.on("error", () => socket.destroy());
    client.stdin.on("error", () => {
    });
    socket.on("error", () => {
    });
    socket.once("close", () => client.stdin.end());
    socket.pipe(client.stdin);
    client.stdout.pipe(socket);
  }
  container({ cpus, reads, variables }) {
    const name = `${this.#options.name}-k6-${++this.#containers}`;
    const command = [
      ...["docker", "run", "--rm", "--name", name, ...this.#confined(cpus)],
      ...["--network", `container:${this.#options.name}`, "--log-driver", "none"],
      ...[...new Set(reads)].flatMap((path) => ["--mount", readOnly(path)]),
      ...variables.flatMap((name2) => ["--env", name2]),
      K6_IMAGE
    ];
    const { signal } = this.#options;
    const process2 = async () => {
      const pid = await pidOf(name, signal);
      this.#pids.k6 = pid;
      const cgroup = pid === 0 ? null : cgroupOf(pid);
      if (cgroup === null) return null;
      let usage = { cpuSeconds: 0, memoryBytes: 0, throttledPeriods: 0, oomKills: 0 };
      return {
        pid,
        usage: () => {
          usage = readCgroup(cgroup, usage);
          return usage;
        }
      };
    };
    const remove = async () => {
      this.#pids.k6 = 0;
      await docker(["rm", "--force", name], { signal: AbortSignal.timeout(REMOVE_TIMEOUT_MS) }).catch(() => "");
    };
    return { command, process: process2, remove };
  }
  /** Lets go of what leads to it; its container goes with the others of the run. */
  async close() {
    for (const door of this.#doors.values()) (await door).close();
    for (const client of this.#clients) client.kill("SIGKILL");
  }
  /** Options of a container that only reads and sends. */
  #confined(cpus) {
    const { labels, user } = this.#options;
    return [
      ...Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
      ...["--user", user, "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"],
      ...cpus === null ? [] : ["--cpuset-cpus", cpus.join(",")]
    ];
  }
};
var REMOVE_TIMEOUT_MS = 2e4;
async function fetchImage(signal) {
  const there = await docker(["image", "inspect", "--format", "{{.Id}}", K6_IMAGE], { signal }).catch(() => "");
  signal.throwIfAborted();
  if (there !== "") return;
  await docker(["pull", "--quiet", K6_IMAGE], { signal }).catch((error) => {
    signal.throwIfAborted();
    const why = error instanceof DockerError ? lastLines(error.stderr, 1) : error.message;
    throw new MeasureError(
      `${K6_IMAGE}, in which k6 runs, cannot be pulled: ${why}. Where no registry answers, docker/offline/build.sh ${K6_IMAGE} of perf-gate makes a stand-in`
    );
  });
}
async function pidOf(name, signal) {
  const format = "{{.Id}} {{.State.Pid}}";
  const text = await docker(["inspect", "--format", format, name], { signal }).catch(() => "");
  const [id = "", pid = "0"] = text.trim().split(" ");
  return isIn(Number(pid), id) ? Number(pid) : 0;
}
function readOnly(path) {
  const quoted2 = path.replaceAll('"', '""');
  return `type=bind,"source=${quoted2}","target=${quoted2}",readonly`;
}

// scripts/src/target/compose/reach.ts
import { connect as connect2 } from "node:net";
var TIMEOUT_MS4 = 3e3;
async function whyUnreached({ host, port }, { rootless, local }, signal) {
  if (!local) return "the engine runs in a virtual machine, or on another one";
  if (rootless) return "the networks of a rootless engine are its own";
  const why = await tryTo(host, port, signal);
  return why === null ? null : `this host does not reach ${host}:${port} (${why})`;
}
function tryTo(host, port, signal) {
  return new Promise((resolve2) => {
    const socket = connect2({ host, port, signal, timeout: TIMEOUT_MS4 });
    const end = (why) => {
      socket.destroy();
      resolve2(why);
    };
    socket.once("connect", () => end(null));
    socket.once("timeout", () => end("no answer"));
    socket.once("error", (error) => end(error.code === "ECONNREFUSED" ? null : error.message));
  });
}

// scripts/src/target/compose/tree.ts
import { execFile as execFile2 } from "node:child_process";
import { existsSync as existsSync3 } from "node:fs";
import { promisify as promisify2 } from "node:util";
async function clearTree({ directory, repository }, image, label, signal) {
  if (directory === null || repository === null || !existsSync3(directory)) return;
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
var CLOSE_TIMEOUT_MS = 6e4;
var Stack = class {
  recipes;
  #options;
  #rootless;
  #id = randomBytes(4).toString("hex");
  #labels = { [LABEL]: this.#id, [OWNER_LABEL]: thisOwner() };
  #label = `${LABEL}=${this.#id}`;
  #state;
  #logs;
  #networks = [];
  #deployments = {};
  /** Decided when a container is asked for the first time. */
  #gateway = null;
  /** Services whose address changed at a restart. */
  #moved = perArm(() => /* @__PURE__ */ new Set());
  constructor(options, rootless) {
    this.#options = options;
    this.#rootless = rootless;
    this.#state = join4(options.workDirectory, "state");
    this.#logs = join4(options.workDirectory, "logs");
    rmSync2(this.#state, { recursive: true, force: true });
    mkdirSync(this.#state, { recursive: true, mode: 448 });
    mkdirSync(this.#logs, { recursive: true });
    for (const log of ["compose", "mysql-client", "prepare-base", "prepare-head"])
      rmSync2(this.log(log), { force: true });
    guardDirectory(this.#state);
    guardLabel(this.#label);
    this.recipes = recipesOf(options, this.#state);
  }
  /** Path of a log below the work directory. */
  log(name) {
    return join4(this.#logs, `${name}.log`);
  }
  /** Starts and prepares everything. Throws InputError or MeasureError; what is up by then is left to close(). */
  async start() {
    const { progress, signal } = this.#options;
    const left = await removeLeftovers(signal);
    if (Object.keys(left).length > 0) progress(`removed ${describeRemoved(left)} that a killed run had left`);
    const run = { id: this.#id, labels: this.#labels };
    const { models, projects } = await arrange(this.#options, this.recipes, run);
    const { shared } = projects;
    const oneShots = oneShotsOf(Object.values(models));
    for (const project of PROJECTS) {
      const model = projects[project];
      if (model === null) continue;
      const directory = dirname2(this.recipes[project].file);
      const log = (name) => this.log(name);
      const options = { project, id: this.#id, model, state: this.#state, directory, oneShots, log, signal };
      this.#deployments[project] = new Deployment(options);
    }
    const places = { file: join4(this.#state, "bake.json"), log: this.log("build") };
    await provideImages(this.#options, projects, this.#labels, places);
    for (const deployment of Object.values(this.#deployments)) await deployment.pull();
    for (const arm of ARMS) {
      const isSharing = this.recipes[arm].shared.length > 0;
      await this.#makeNetworks(isSharing ? [models[arm], models.shared] : [models[arm]], arm);
    }
    if (shared !== null) {
      progress(`starting shared: ${Object.keys(shared.services).join(", ")}`);
      const deployment = this.#deployment("shared");
      await deployment.startBacking(Object.keys(shared.services));
      await deployment.lookAt();
      await this.#delay("shared");
    }
    for (const arm of ARMS) await this.#startArm(arm);
  }
  /** Restarts the PHP runtime of both arms at the same time, the services of each in the order of target.restart. */
  async restart() {
    const ofArm = perArm((arm) => this.#runtime(arm));
    const renewed = Object.values(ofArm).flat();
    await this.#noteDeaths(renewed);
    const before = new Map(renewed.map((container) => [container, container.address()]));
    await Promise.all(ARMS.map((arm) => this.#restartArm(arm)));
    for (const deployment of Object.values(this.#deployments)) await deployment.lookAt(renewed);
    for (const arm of ARMS) {
      for (const container of ofArm[arm]) {
        if (container.address() !== before.get(container)) this.#moved[arm].add(container.service);
      }
    }
  }
  /** Why a service may not reach a restarted one; empty where none has moved. */
  movedHint(arm) {
    const { restart, service } = this.recipes[arm];
    const hints = [...this.#moved[arm]].map((name) => {
      const askers = Object.entries(this.#deployment(arm).model.services).flatMap(
        ([asker, { depends_on = {} }]) => Object.hasOwn(depends_on, name) && !restart.includes(asker) ? [asker] : []
      );
      const all = [...restart, ...askers.length > 0 ? askers : [service]];
      return `
${name} has another address since it was restarted. What asks it may know only the old one: write it after ${name}, restart: [${[...new Set(all)].join(", ")}]`;
    });
    return hints.join("");
  }
  /** The containers that are restarted, in that order. */
  #runtime(arm) {
    const { model, containers } = this.#deployment(arm);
    const order = restartOrder(model.services, this.recipes[arm].restart);
    return order.flatMap((name) => containers.filter(({ service }) => service === name));
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
  containers(arm) {
    return this.#deployments[arm]?.containers ?? [];
  }
  /** The servers of a kind that the census asks. */
  counted(kind) {
    return PROJECTS.flatMap((project) => {
      const name = this.recipes[project].census[kind];
      return this.#deployments[project]?.containers.filter(({ service }) => service === name) ?? [];
    });
  }
  get all() {
    return Object.values(this.#deployments).flatMap(({ containers }) => containers);
  }
  /** Throws MeasureError with the log of a container of the arm that does not run. */
  async lookAt(arm) {
    await this.#deployment(arm).lookAt();
  }
  /** What this process asks the containers through, and k6 runs beside; null where this host reaches them itself. */
  async gateway() {
    return await this.#gateway;
  }
  /** Address of a container in its first network. Throws MeasureError where it has none. */
  address(container) {
    const owner = this.all.find(({ id }) => id === container.networkOf) ?? container;
    const address = owner.address();
    if (address !== null) return address;
    throw new MeasureError(`${container.service} has no address in any network; give it one in the compose file`);
  }
  /** Where a port of a container is for this process. The first call finds out how it is reached. */
  async reach(container, port) {
    const address = this.address(container);
    this.#gateway ??= this.#findGateway(container, { host: address, port });
    const gateway = await this.#gateway;
    return gateway === null ? { host: address, port } : await gateway.to(address, port);
  }
  /** Starts the gateway where one is wanted or needed: tried, with a port of a container. */
  async #findGateway({ local }, place) {
    const { plan, progress, signal } = this.#options;
    const { generator, isolation } = plan.config.measure;
    const rootless = this.#rootless;
    const why = generator === "container" ? "measure.generator" : await whyUnreached(place, { rootless, local }, signal);
    if (why === null) return null;
    progress(`k6 runs in a container, in the network of both versions: ${why}`);
    const own = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
    return await Gateway.start({
      name: `perf-gate-${this.#id}-gateway`,
      labels: this.#labels,
      networks: this.#networks,
      cpus: isolation === "off" ? null : plan.layout.generator,
      // Root of a rootless engine is this user.
      user: rootless ? "0:0" : own,
      signal
    });
  }
  /** Removes everything; the ends of the containers' logs stay. */
  async close() {
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    const gateway = await this.#gateway?.catch(() => null);
    await gateway?.close();
    await Promise.all(Object.values(this.#deployments).map((deployment) => deployment.close(signal)));
    try {
      await removeContainers(this.#label, signal);
      for (const arm of ARMS) {
        const image = this.#deployments[arm]?.model.services[this.#php(arm)]?.image;
        if (image !== void 0) await clearTree(this.#options.plan.arms[arm], image, this.#label, signal);
      }
      await removeLabelled(this.#label, signal);
      await removeAhead(this.#options.workDirectory, signal);
      forgetLabel(this.#label);
    } catch (error) {
      this.#options.progress(`containers could not be removed, the next run does it: ${error.message}`);
    }
    rmSync2(this.#state, { recursive: true, force: true });
    forgetDirectory(this.#state);
  }
  async #startArm(arm) {
    const deployment = this.#deployment(arm);
    const { services } = deployment.model;
    const php = this.#php(arm);
    this.#options.progress(`starting ${arm}: ${Object.keys(services).join(", ")}`);
    await deployment.startBacking(Object.keys(services).filter((name) => !this.#needsTarget(arm, services, name)));
    await deployment.up([php], "alone");
    await deployment.lookAt();
    await this.#delay(arm);
    await this.#prepare(arm, php);
    await deployment.up(Object.keys(deployment.model.services), "all");
    await deployment.settle();
  }
  async #makeNetworks(models, arm) {
    const labels = Object.entries(this.#labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
    const networks = Object.assign({}, ...models.map((model) => networksOf(model, this.#id, arm)));
    for (const [name, options] of Object.entries(networks)) {
      await docker(["network", "create", ...labels, ...options, name], { signal: this.#options.signal });
      this.#networks.push(name);
    }
  }
  async #delay(project) {
    for (const toxic of toxics(this.recipes[project].target.links)) {
      const container = this.#deployment(project).container(toxic.service);
      if (container === void 0) continue;
      await setDelay(toxic, await this.reach(container, TOXIPROXY_PORT), this.#options.signal);
    }
  }
  async #prepare(arm, service) {
    const { progress, signal } = this.#options;
    const log = this.log(`prepare-${arm}`);
    for (const command of this.recipes[arm].target.prepare) {
      progress(`preparing ${arm}: ${command.trim().split("\n")[0]}`);
      const args = [...this.#deployment(arm).compose(), "exec", "--no-TTY", service, "sh", "-c", command];
      await docker(args, { signal, log }).catch(async (error) => {
        signal.throwIfAborted();
        const how = error instanceof DockerError ? error.how : error.message;
        const evidence = tail("its log", log) + await this.#deployment(arm).troubled();
        throw new MeasureError(`prepare of ${arm} failed in ${service}: ${command}: ${how}${evidence}`);
      });
    }
  }
  #deployment(project) {
    const deployment = this.#deployments[project];
    if (deployment === void 0) throw new Error(`no project ${project}`);
    return deployment;
  }
  /** The service that PHP runs in. */
  #php(arm) {
    const { restart, service } = this.recipes[arm];
    return restart[0] ?? service;
  }
  /** Whether a service is part of the target or starts after it. */
  #needsTarget(arm, services, name) {
    const { restart, service } = this.recipes[arm];
    if (name === service || restart.includes(name)) return true;
    return Object.keys(services[name]?.depends_on ?? {}).some((other) => this.#needsTarget(arm, services, other));
  }
};

// scripts/src/target/compose/index.ts
var UNWATCHED = "the engine runs in a virtual machine, or on another one, where CPU time and sockets cannot be seen from here: other load on its CPUs, a saturated k6 and full listen queues could not be watched";
var startCompose = async (options) => {
  const engine = await checkEngine(options.plan, options.signal);
  const target = new ComposeTarget(options, engine);
  try {
    await target.start();
    return target;
  } catch (error) {
    await target.close();
    throw error;
  }
};
var ComposeTarget = class {
  warnings = [];
  generator = null;
  #options;
  #versions;
  #stack;
  /** One connection each for what is asked between slots. */
  #admin = new Agent2({ keepAlive: true, maxSockets: 1 });
  #census = new CensusClients();
  #engine = enginePids();
  #closing = null;
  constructor(options, { versions, rootless }) {
    this.#options = options;
    this.#versions = versions;
    this.#stack = new Stack(options, rootless);
  }
  async start() {
    await this.#stack.start();
    const [mysql, redis] = [this.#stack.counted("mysql"), this.#stack.counted("redis")];
    const reach = (container, port) => this.#stack.reach(container, port);
    await this.#census.connect(mysql, redis, reach, this.#stack.log("mysql-client"));
    for (const arm of ARMS) await this.#healthy(arm);
    this.generator = await this.#stack.gateway();
    if (!this.#stack.all.every(({ local, pid }) => local || pid === 0)) this.warnings.push(UNWATCHED);
  }
  url(arm) {
    const { port, target } = this.#stack.recipes[arm];
    return `${schemeOf(target.nginx)}://${this.#stack.address(this.#front(arm))}:${port}`;
  }
  host(arm) {
    return this.#stack.recipes[arm].target.host;
  }
  hostUrl(arm) {
    const { port, target } = this.#stack.recipes[arm];
    return this.#hostUrl(arm, schemeOf(target.nginx), port);
  }
  async restart() {
    await this.#stack.restart();
    for (const arm of ARMS) await this.#healthy(arm);
  }
  async php(arm) {
    const answer = await this.#ask(arm, "probe");
    return answer === null ? null : phpState(answer, this.#stack.recipes[arm].target.php);
  }
  async versions() {
    const php = (await this.php("head"))?.version;
    return {
      ...php === void 0 ? {} : { php },
      ...this.#census.versions,
      ...this.#versions,
      ...this.generator === null ? {} : { "k6 image": K6_IMAGE }
    };
  }
  usage(arm) {
    return usageOf(this.#target(arm));
  }
  servicesUsage() {
    const targets = ARMS.flatMap((arm) => this.#target(arm));
    const others = this.#stack.all.filter((container) => !targets.includes(container));
    const usage = others.length === 0 ? null : usageOf(others);
    return usage && { ...usage, cpuSeconds: usage.cpuSeconds + engineCpuSeconds(this.#engine) };
  }
  async front(arm) {
    const status = await this.#ask(arm, "status") ?? {};
    const counts = this.#target(arm).map((container) => container.counts);
    return {
      listenOverflows: counts.reduce((sum2, { listenOverflows: listenOverflows2 }) => sum2 + listenOverflows2, 0),
      portErrors: counts.reduce((sum2, { portErrors }) => sum2 + portErrors, 0),
      listenQueueMax: Math.max(0, status["max listen queue"] ?? 0),
      maxChildrenReached: status["max children reached"] ?? 0
    };
  }
  counters() {
    return this.#census.read();
  }
  /** The containers' own processes, what was started in them from outside, and the engine that carries their output. */
  roots() {
    const containers = this.#stack.all.flatMap(({ local, pid }) => local ? [pid] : []);
    const pids = [...containers, ...this.generator?.pids ?? []];
    return [...this.#engine, ...pids.flatMap((pid) => [pid, ...parentOf(pid)])];
  }
  namespaces() {
    const targets = ARMS.flatMap((arm) => this.#target(arm));
    const own = targets.filter(({ local, networkOf }) => local && networkOf === null);
    return [...own.map(({ pid }) => pid), ...this.generator?.pids.slice(0, 1) ?? []];
  }
  alive(arm) {
    return this.#target(arm).every((container) => container.alive);
  }
  close() {
    this.#census.close();
    this.#admin.destroy();
    this.#closing ??= this.#stack.close();
    return this.#closing;
  }
  /** What answers HTTP and what is restarted with every block. */
  #target(arm) {
    const { service, restart } = this.#stack.recipes[arm];
    return this.#stack.containers(arm).filter((it) => it.service === service || restart.includes(it.service));
  }
  async #healthy(arm) {
    const { signal } = this.#options;
    const { healthPath, host, nginx } = this.#stack.recipes[arm].target;
    const target = this.#target(arm);
    const url = await this.hostUrl(arm);
    await waitUntilHealthy({
      arm,
      url: url + healthPath,
      host,
      selfSigned: nginx.tls,
      signal,
      stillAlive: () => {
        const dead = target.find((container) => !container.alive);
        if (dead !== void 0) throw new MeasureError(`${dead.service} of ${arm} died${dead.evidence()}`);
      },
      evidence: () => this.#stack.movedHint(arm) + target.map((container) => container.evidence()).join("")
    }).catch(async (error) => {
      signal.throwIfAborted();
      await this.#stack.lookAt(arm);
      throw error;
    });
  }
  /** What answers HTTP. */
  #front(arm) {
    const { service } = this.#stack.recipes[arm];
    const container = this.#stack.containers(arm).find((it) => it.service === service);
    if (container === void 0) throw new MeasureError(`target.service: ${service} of ${arm} has no container`);
    return container;
  }
  async #hostUrl(arm, scheme, port) {
    const place = await this.#stack.reach(this.#front(arm), port);
    return `${scheme}://${place.host}:${place.port}`;
  }
  /** FPM's own status or our probe, by way of a port that only the bundled target has. */
  async #ask(arm, what) {
    const { adminPort } = this.#stack.recipes[arm];
    if (adminPort === null) return null;
    try {
      const url = await this.#hostUrl(arm, "http", adminPort);
      return JSON.parse((await get(`${url}/${what}?json`, { agent: this.#admin })).body);
    } catch {
      return null;
    }
  }
};

// scripts/src/target/process/index.ts
import { execFile as execFile3 } from "node:child_process";
import { promisify as promisify3 } from "node:util";

// scripts/src/target/process/command-replica.ts
var STOP_GRACE_MS = 2e3;
var CommandReplica = class {
  arm;
  url;
  #premises;
  #config;
  #options;
  #front;
  #server = null;
  constructor(premises, config, options) {
    this.arm = options.arm;
    this.#premises = premises;
    this.#config = config;
    this.#options = options;
    this.#front = config.nginx.proxy ? frontOf(premises, config, options) : null;
    this.url = this.#front?.site.url ?? `http://127.0.0.1:${options.serverPort}`;
  }
  get alive() {
    return (this.#server?.alive ?? false) && (this.#front?.site.alive ?? true);
  }
  async restart() {
    const { command, cpus, directory, env, serverPort } = this.#options;
    await this.#server?.stop("SIGTERM", STOP_GRACE_MS);
    const server = this.#premises.launch(["bash", "-c", command], {
      group: this.arm,
      cpus,
      log: `server-${this.arm}`,
      cwd: directory,
      env: { ...env, PORT: `${serverPort}` }
    });
    this.#server = server;
    await this.#front?.site.ensureUp();
    this.#front?.logs.reset();
    await waitUntilHealthy({
      arm: this.arm,
      url: this.url + this.#config.healthPath,
      host: this.#config.host,
      selfSigned: this.#config.nginx.tls,
      signal: this.#premises.signal,
      stillAlive: () => {
        if (!server.alive) throw new MeasureError(`${this.arm}: target.start ended: ${command}${this.#evidence()}`);
        if (!this.alive) throw new MeasureError(`nginx of ${this.arm} died${this.#evidence()}`);
      },
      evidence: () => this.#evidence()
    });
  }
  async php() {
    return null;
  }
  async front() {
    if (this.#front === null) return null;
    const { listenOverflows: listenOverflows2, portErrors } = this.#front.logs.update();
    return { listenOverflows: listenOverflows2, portErrors, listenQueueMax: 0, maxChildrenReached: 0 };
  }
  #evidence() {
    const log = tail("its log", this.#premises.log(`server-${this.arm}`));
    return this.#front === null ? log : log + tail("nginx", this.#front.site.log);
  }
};
function frontOf(premises, { nginx }, options) {
  const site = new Site(premises, { ...options, nginx, upstream: { kind: "server", port: options.serverPort } });
  return { site, logs: new FrontLogs(site.log) };
}

// scripts/src/target/process/php-replica.ts
import { existsSync as existsSync4, statSync, writeFileSync as writeFileSync2 } from "node:fs";
import { join as join5, resolve } from "node:path";
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
      binary: choosePhpFpm(config.php),
      settings: config.php
    });
    const probe = join5(premises.directory(`php-${options.arm}`), "probe.php");
    writeFileSync2(probe, PROBE_SCRIPT);
    this.#site = new Site(premises, {
      ...options,
      nginx: config.nginx,
      upstream: { kind: "php-fpm", socket: this.#fpm.socket, root, index: config.index, probe }
    });
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
      selfSigned: this.#config.nginx.tls,
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
  if (!existsSync4(root) || !statSync(root).isDirectory())
    throw new MeasureError(`target.root: ${root} of ${arm} is not a directory (${hint})`);
  if (!existsSync4(join5(root, config.index)))
    throw new MeasureError(`target.index: ${join5(root, config.index)} of ${arm} does not exist (${hint})`);
}

// scripts/src/target/process/premises.ts
import { mkdirSync as mkdirSync2, mkdtempSync, rmSync as rmSync3, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as join6 } from "node:path";

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
var STOP_GRACE_MS2 = 200;
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
    this.state = join6(workDirectory, "state");
    this.logs = join6(workDirectory, "logs");
    rmSync3(this.state, { recursive: true, force: true });
    mkdirSync2(this.state, { recursive: true, mode: 448 });
    mkdirSync2(this.logs, { recursive: true });
    this.sockets = mkdtempSync(join6(tmpdir(), SOCKETS_PREFIX));
    symlinkSync(this.sockets, join6(this.state, SOCKETS_LINK));
    for (const directory of [this.state, this.sockets]) guardDirectory(directory);
    const run = ++runs;
    const group = (name) => UsageGroup.create(`${run}-${name}`);
    this.groups = { base: group("base"), head: group("head"), services: group("services") };
  }
  /** A directory below `state`, made. */
  directory(name) {
    const path = join6(this.state, name);
    mkdirSync2(path, { recursive: true, mode: 448 });
    return path;
  }
  socket(name) {
    return join6(this.sockets, `${name}.sock`);
  }
  /** Path of a log, empty at first: what an earlier run wrote there would explain the wrong failure. */
  log(name) {
    const path = join6(this.logs, `${name}.log`);
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
    await Promise.all(this.#children.map((child) => child.stop("SIGTERM", STOP_GRACE_MS2)));
    await Promise.all(["services", ...ARMS].map((name) => this.groups[name].remove()));
    for (const directory of [this.state, this.sockets]) {
      rmSync3(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
      forgetDirectory(directory);
    }
  }
};
var runs = 0;

// scripts/src/target/process/prepare.ts
import { writeFileSync as writeFileSync3 } from "node:fs";
async function prepareArm(premises, options) {
  const name = `prepare-${options.arm}`;
  writeFileSync3(premises.log(name), "");
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
import { existsSync as existsSync5, mkdirSync as mkdirSync3, writeFileSync as writeFileSync4 } from "node:fs";
import { basename, join as join7 } from "node:path";
var databaseOf = (arm) => `perf_${arm}`;
var USER = "perf";
var START_TIMEOUT_MS = 6e4;
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
  const init = join7(premises.state, "mysql-init.sql");
  writeFileSync4(init, initialSql(password), { mode: 384 });
  const child = premises.launch(
    [
      server,
      ...common,
      ...SETTINGS,
      `--port=${port}`,
      `--socket=${socket}`,
      `--pid-file=${join7(premises.state, "mysql.pid")}`,
      `--init-file=${init}`,
      `--tmpdir=${premises.directory("mysql-tmp")}`
    ],
    { group: "services", cpus, log: "mysql" }
  );
  const up = await waitFor(() => existsSync5(socket) ? true : child.alive ? null : false, {
    everyMs: 10,
    timeoutMs: START_TIMEOUT_MS,
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
  const data = join7(premises.sockets, "mysql");
  mkdirSync3(data, { mode: 448 });
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
    const child = spawn4(server, ["--version"], { stdio: ["ignore", "pipe", "ignore"] });
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
var redisDatabaseOf = (arm) => arm === "base" ? 0 : 1;
var START_TIMEOUT_MS2 = 2e4;
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
    { everyMs: 10, timeoutMs: START_TIMEOUT_MS2, signal: premises.signal }
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
    const begin2 = (name, start) => {
      if (!names.includes(name)) return null;
      progress(`starting ${SERVICE_LABEL[name]}`);
      return start();
    };
    const [mysql, redis, httpUrl] = await allOrFirstError([
      begin2("mysql", () => startMysql(premises, cpus)),
      begin2("redis", () => startRedis(premises, cpus)),
      begin2("http", () => startHttpStandIn(premises, cpus))
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
  /** What an arm's processes find these services by. */
  environment(arm, names) {
    const variables = {};
    if (this.#mysql !== null && names.includes("mysql")) {
      variables.MYSQL_HOST = "127.0.0.1";
      variables.MYSQL_PORT = `${this.#mysql.port}`;
      variables.MYSQL_USER = this.#mysql.user;
      variables.MYSQL_PASSWORD = this.#mysql.password;
      variables.MYSQL_DATABASE = databaseOf(arm);
    }
    if (this.#redis !== null && names.includes("redis")) {
      variables.REDIS_HOST = "127.0.0.1";
      variables.REDIS_PORT = `${this.#redis.port}`;
      variables.REDIS_DB = `${redisDatabaseOf(arm)}`;
    }
    if (this.#httpUrl !== null && names.includes("http")) variables.HTTP_URL = this.#httpUrl;
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
    const { plan } = options;
    services = await Services.start(premises, servicesOf(plan), plan.layout.services, options.progress);
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
    const { plan } = options;
    const target = targetOf(plan, arm);
    const { directory } = plan.arms[arm];
    if (directory === null) throw new MeasureError(`${arm} has no directory to run from`);
    const variables = services?.environment(arm, target.services) ?? {};
    const env = childEnvironment({ ...variables, ...fillIn(target.env, variables) });
    await prepareArm(premises, { arm, directory, commands: target.prepare, env, progress: options.progress });
    const replica = { arm, directory, env, cpus: plan.layout.target, port: await premises.port() };
    const { start: command, nginx } = target;
    if (command === null) return new PhpReplica(premises, target, replica);
    const serverPort = nginx.proxy ? await premises.port() : replica.port;
    return new CommandReplica(premises, target, { ...replica, command, serverPort });
  }
}
var hasNginx = ({ start, nginx }) => start === null || nginx.proxy;
function requireInstalled({ plan }) {
  requireProgram("util-linux", "taskset");
  for (const arm of ARMS) {
    const target = targetOf(plan, arm);
    if (target.start === null) choosePhpFpm(target.php);
    if (hasNginx(target) || target.services.includes("http")) findNginx();
    if (target.nginx.tls) findOpenssl();
  }
}
var ProcessTarget = class {
  generator = null;
  warnings = [];
  close;
  #options;
  #premises;
  #services;
  #replicas;
  constructor(options, premises, services, replicas, close) {
    this.close = close;
    this.#options = options;
    this.#premises = premises;
    this.#services = services;
    this.#replicas = replicas;
  }
  url(arm) {
    return this.#replicas[arm].url;
  }
  async hostUrl(arm) {
    return this.url(arm);
  }
  host(arm) {
    return targetOf(this.#options.plan, arm).host;
  }
  async restart() {
    await allOrFirstError(ARMS.map((arm) => this.#replicas[arm].restart()));
  }
  php(arm) {
    return this.#replicas[arm].php();
  }
  async versions() {
    const php = (await this.php("head") ?? await this.php("base"))?.version;
    const withNginx = ARMS.some((arm) => hasNginx(targetOf(this.#options.plan, arm)));
    return {
      ...php === void 0 ? {} : { php },
      ...withNginx ? { nginx: await nginxVersion() } : {},
      ...this.#services.versions()
    };
  }
  usage(arm) {
    return this.#premises.groups[arm].read();
  }
  servicesUsage() {
    return servicesOf(this.#options.plan).length === 0 ? null : this.#premises.groups.services.read();
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
  if (plan.own !== void 0) {
    throw new InputError(
      "driver url: nothing is started, so one version cannot be started in another way. Use compose or process"
    );
  }
  const { host, healthPath, url: urls } = plan.config.target;
  if (urls === null) throw new MeasureError("driver url needs target.url.base and target.url.head");
  const url = (arm) => urls[arm].replace(/\/+$/, "");
  const target = {
    url,
    hostUrl: async (arm) => url(arm),
    generator: null,
    warnings: [],
    host: () => host,
    async restart() {
      for (const arm of ARMS) {
        await waitUntilHealthy({
          arm,
          url: url(arm) + healthPath,
          host,
          selfSigned: false,
          signal,
          stillAlive: () => {
          },
          evidence: () => ""
        });
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
var startTarget = async (options) => {
  const { driver, config } = options.plan;
  if (config.measure.generator === "container" && driver !== "compose") {
    throw new InputError(
      `measure.generator: container is for driver compose, here the driver is ${driver}. Write generator: auto.`
    );
  }
  switch (driver) {
    case "compose":
      return startCompose(options);
    case "process":
      return startProcesses(options);
    case "url":
      return startUrl(options);
    default:
      return assertNever(driver);
  }
};

// scripts/src/phases/measure-step.ts
function nextStep(run, pilots, overhead, elapsed) {
  const needed = next(run);
  if (needed.kind === "done") return { kind: "stop", reason: needed.capped ? "cap" : "decided", detail: null };
  const { budgetSeconds } = run.plan.config.measure;
  const stage = run.confirmation === null ? "main" : "confirm";
  const cells = needed.kind === "measure" ? needed.cells.flatMap((cell) => pilots.get(cell) ?? []) : [];
  const deadline = stage === "main" ? mainDeadline(run.plan) : budgetSeconds;
  const fits = elapsed + blockSeconds(cells, overhead) <= deadline;
  if (needed.kind === "measure" && fits) return { kind: "measure", stage, cells };
  if (stage === "confirm") return { kind: "stop", reason: "budget", detail: null };
  const flagged = flaggedTests(run);
  const tests = chooseConfirmation(flagged, pilots, overhead, budgetSeconds - elapsed);
  if (tests.length > 0) return { kind: "confirm", tests, flagged: flagged.length };
  return { kind: "stop", reason: "budget", detail: flagged.length > 0 ? "no time left to confirm a red" : null };
}

// scripts/src/phases/sample-log.ts
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
    const begin2 = this.begun ? [] : [{ kind: "begin", version: 1, planId: this.#plan.id, startedAt: Date.now() }];
    this.#work.appendSamples([...begin2, ...lines]);
    this.lines.push(...begin2, ...lines);
  }
};

// scripts/src/phases/measure.ts
var BARREN_BLOCKS = 3;
var OUTPUT_FAILED = "k6 could not send to `measure.outputs`: does what K6_PROMETHEUS_RW_SERVER_URL names take remote writes? Measuring goes on";
async function measurePhase(work, home, progress, signal) {
  const plan = work.readPlan();
  const earlier = work.readSamples(plan);
  for (const line of earlier.damaged) progress.warn(`${work.samplesFile}: ${line}; it is not used`);
  const finished = earlier.lines.findLast((line) => line.kind === "stop");
  if (finished !== void 0 && (finished.reason === "decided" || finished.reason === "cap")) {
    progress.step(`already measured (${finished.reason}): ${work.samplesFile}; run \`perf-gate plan\` for a new run`);
    return finished.reason;
  }
  return await onMachine(
    plan.driver,
    work,
    { home, progress, signal },
    (context) => measureLocked(plan, work, context, earlier.lines)
  );
}
async function onMachine(driver, work, { home, progress, signal }, action) {
  const k6 = findK6();
  await k6.catch((error) => {
    if (driver !== "compose") throw error;
  });
  const unlock = await lockMachine(work.path, signal, LOCK_WAIT, progress.step);
  try {
    return await action({ home, k6, progress: warningOnce(progress), signal });
  } finally {
    unlock();
  }
}
async function measureLocked(plan, work, context, earlier) {
  const { progress, signal } = context;
  const started = performance.now();
  const removeTrees = await checkOut(treesOf(plan), plan.config.target.copy, progress.warn);
  let rig = null;
  const log = new SampleLog(work, plan, earlier);
  try {
    rig = await startRig(plan, work, context);
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
    await rig?.target.close();
    await removeTrees();
  }
}
async function startRig(plan, work, { home, k6, progress, signal }) {
  const target = await startTarget({ plan, home, workDirectory: work.path, progress: progress.step, signal });
  try {
    const environment = await describeEnvironment(plan, target);
    for (const warning of environment.warnings) progress.warn(warning);
    work.writeJson("environment", environment);
    const stateDirectory = work.directory("state");
    return { plan, target, k6: target.generator ?? await k6, home, stateDirectory, signal };
  } catch (error) {
    await target.close();
    throw error;
  }
}
async function measureAll(rig, work, log, progress, started) {
  const measuring = await beginRun(rig, work, log, progress);
  const { run, pilots } = measuring;
  let overhead = OVERHEAD.block;
  for (; ; ) {
    const step = nextStep(run, pilots, overhead, since2(started));
    if (step.kind === "stop") return step;
    if (step.kind === "confirm") {
      progress.step(`looks slower: confirming ${step.tests.length} of ${step.flagged} on fresh replicas`);
      takeIn(measuring, [{ kind: "confirm", tests: step.tests }]);
      continue;
    }
    const times = await measureBlock(measuring, step.cells, step.stage, progress);
    overhead = times.total - blockSeconds(step.cells, 0);
    report(progress, run, step.stage, pilots, overhead, since2(started));
  }
}
async function beginRun(rig, work, log, progress) {
  const census = await censusOf(rig, work, progress);
  const pilots = await pilotOf(rig, census, log, progress);
  const run = begin(rig.plan, census, [...pilots.values()]);
  for (const line of log.lines) take(run, line);
  return { work, rig, log, run, pilots, barren: 0 };
}
async function measureBlock(measuring, cells, stage, progress) {
  const { work, rig, run } = measuring;
  const { samples, yardstickMs, times, outputFailed } = await runBlock(rig, cells, stage, run.blocks);
  if (outputFailed) progress.warn(OUTPUT_FAILED);
  const block = { kind: "block", stage, block: run.blocks, yardstickMs, times };
  takeIn(measuring, rig.signal.aborted ? samples : [...samples, block]);
  rig.signal.throwIfAborted();
  measuring.barren = samples.some(({ requests }) => requests > 0) ? 0 : measuring.barren + 1;
  if (measuring.barren >= BARREN_BLOCKS) {
    throw new MeasureError(
      `${measuring.barren} blocks in a row brought no request: k6 or both arms keep dying; logs are in ${work.file("logs")}`
    );
  }
  return times;
}
function takeIn({ log, run }, lines) {
  log.add(lines);
  for (const line of lines) take(run, line);
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
  if (begin(rig.plan, census, []).cells.every((state) => state.status !== "judged")) return earlier;
  progress.step(`pilot: how fast ${rig.plan.own === void 0 ? "is the base" : "are both"}?`);
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
  const { stored, config } = run.plan;
  const { budgetSeconds } = config.measure;
  const judged = run.cells.filter(({ status }) => status === "judged").length;
  const left = step.kind === "measure" ? expectedBlocks(run) * blockSeconds(cells, overhead) : 0;
  progress.block({
    stage,
    block: run.blocks - 1,
    open: stored === void 0 ? undecided(run).length : cells.length,
    tests: stored === void 0 ? tests.length : judged,
    green: stored === void 0 ? tests.filter((test) => test.verdict === "pass").length : null,
    red: tests.filter((test) => test.verdict === "regression").length,
    ...struckOf(run.cells),
    elapsedSeconds,
    leftSeconds: Math.max(0, Math.min(left, budgetSeconds - elapsedSeconds))
  });
}
function struckOf(cells) {
  const causes = /* @__PURE__ */ new Map();
  for (const state of cells) for (const [cause, n] of state.struck) causes.set(cause, (causes.get(cause) ?? 0) + n);
  return {
    struck: [...causes.values()].reduce((sum2, n) => sum2 + n, 0),
    cause: [...causes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
  };
}
async function describeEnvironment(plan, target) {
  const php = { base: await target.php("base"), head: await target.php("head") };
  return {
    version: 1,
    planId: plan.id,
    startedAt: (/* @__PURE__ */ new Date()).toISOString(),
    machine: machineFacts(),
    tools: { node: process.versions.node, k6: K6_VERSION, ...await target.versions() },
    php,
    warnings: [...environmentWarnings(plan, php), ...target.warnings]
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
  runStep,
  SampleLog,
  measurePhase,
  onMachine,
  startRig,
  beginRun,
  measureBlock,
  struckOf
};

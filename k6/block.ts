/**
 * One block: one k6 process that warms both arms up and then runs every slot of the block as a k6 scenario of its own,
 * one after the other. Reads the block from the JSON file in BLOCK, writes one object per slot to the file in RESULT.
 */

import { check, sleep } from "k6";
import exec from "k6/execution";
import http from "k6/http";
import { Counter } from "k6/metrics";
import type { Scenario as K6Scenario, Options } from "k6/options";
import type { Checks, HttpRequest, SlowRequest } from "../scripts/src/core/model.ts";
import type { Stretch } from "../scripts/src/core/schedule.ts";
import type { BlockSpec, SlotResult, SlotSpec } from "../scripts/src/measure/block-spec.ts";

declare const __ENV: Record<string, string>;
declare function open(path: string): string;
declare function require(path: string): unknown;

type Headers = Record<string, string>;
interface FlowTarget {
  url: string;
  host: string;
  headers: Headers;
}
interface Flow {
  default: (target: FlowTarget, data: unknown) => void;
  setup?: (target: FlowTarget) => unknown;
}

const block = JSON.parse(open(__ENV["BLOCK"] ?? "")) as BlockSpec;
const flows = new Map<string, Flow>();
for (const { work } of Object.values(block.scenarios).flatMap(({ asked }) => Object.values(asked))) {
  if (work.kind === "flow" && !flows.has(work.file)) flows.set(work.file, require(work.file) as Flow);
}

/** Metric -> the aggregate a threshold may name; a sub-metric exists only where a threshold names its tag. */
const METRICS: Record<string, string> = {
  http_reqs: "count>=0",
  http_req_duration: "max>=0",
  http_req_failed: "rate>=0",
  http_req_connecting: "max>=0",
  http_req_tls_handshaking: "max>=0",
  http_req_waiting: "max>=0",
  http_req_receiving: "max>=0",
  checks: "rate>=0",
  data_received: "count>=0",
};
/** No VU began it, so it has no tag but the name of its k6 scenario. */
const dropped = (slot: number, part: number) => `dropped_iterations{scenario:${scenarioName(slot, part)}}`;
const scenarioName = (slot: number, part: number) => `slot_${slot}_${part}`;
/**
 * k6 needs about 75 ms to bring the VUs of a scenario to life: they begin so much earlier, s, in the gap before, and
 * wait for their first turn.
 */
const LEAD_IN = 0.1;
/** Time that VUs spent in the turns of a slot, ms. */
const VU_TIME = "vu_time";
const vuTime = new Counter(VU_TIME);

/** What the VUs of a closed round do, in order of time; ms since the round's k6 scenario began. */
interface Turn {
  slot: number;
  from: number;
  to: number;
}
const rounds: Turn[][] = [];
for (const [index, slot] of block.slots.entries()) {
  if (!isClosed(slot)) continue;
  const turns = rounds[slot.round] ?? [];
  rounds[slot.round] = turns;
  for (const { startSeconds, seconds } of slot.stretches) {
    const from = (startSeconds - roundStart(slot.round)) * 1000;
    turns.push({ slot: index, from, to: from + seconds * 1000 });
  }
}
for (const turns of rounds) turns?.sort((a, b) => a.from - b.from);

function isClosed({ rate, stages, iterations }: SlotSpec): boolean {
  return rate === null && stages === null && iterations === null;
}

function stretchesOf(round: number): Stretch[] {
  return block.slots.filter((slot) => slot.round === round).flatMap(({ stretches }) => stretches);
}

/** When the k6 scenario of a closed round begins, s. */
function roundStart(round: number): number {
  return Math.min(...stretchesOf(round).map(({ startSeconds }) => startSeconds)) - LEAD_IN;
}
/** k6's error code of a dial that failed with an errno it has no name for: here EADDRNOTAVAIL. */
const DIAL_UNKNOWN_ERRNO = "1213";

function selector(index: number): string {
  const phase = block.slots[index]?.counted ? ",phase:counted" : "";
  return `slot:${index}${phase}`;
}

function executor(slot: SlotSpec, index: number, part: number, { startSeconds, seconds }: Stretch): K6Scenario {
  const common = {
    exec: "slot",
    env: { SLOT: String(index), STRETCH: `${index} ${part}` },
    startTime: `${Math.round(startSeconds * 1000)}ms`,
    gracefulStop: `${Math.round(slot.gracefulSeconds * 1000)}ms`,
    // Iterations that were dropped have these alone.
    ...(slot.tags === undefined ? {} : { tags: slot.tags }),
  };
  const duration = `${Math.round(seconds * 1000)}ms`;
  if (slot.iterations !== null) {
    return { ...common, executor: "per-vu-iterations", vus: 1, iterations: slot.iterations, maxDuration: duration };
  }
  if (slot.stages) {
    const stages = slot.stages.map((stage) => ({
      duration: `${Math.round(stage.durationSeconds * 1000)}ms`,
      target: stage.target,
    }));
    return { ...common, executor: "ramping-vus", startVUs: 0, stages, gracefulRampDown: "0s" };
  }
  if (slot.rate !== null) {
    // Per 10 s, so that a rate with a fraction stays what it is.
    return {
      ...common,
      executor: "constant-arrival-rate",
      rate: Math.max(1, Math.round(slot.rate * 10)),
      timeUnit: "10s",
      duration,
      preAllocatedVUs: slot.vus,
      maxVUs: slot.vus,
    };
  }
  throw new Error("a closed slot takes turns with the other of its round");
}

/** Both slots of a closed round in one k6 scenario: its VUs go from one to the other. */
function closedRound(round: number, { vus, gracefulSeconds }: SlotSpec): K6Scenario {
  const start = roundStart(round);
  const end = Math.max(...stretchesOf(round).map(({ startSeconds, seconds }) => startSeconds + seconds));
  return {
    exec: "turns",
    env: { ROUND: String(round) },
    executor: "constant-vus",
    vus,
    startTime: `${Math.round(start * 1000)}ms`,
    // The last requests are part of it: a VU that has ended its last turn writes down how long it took.
    duration: `${Math.max(1000, Math.round((end + gracefulSeconds - start) * 1000))}ms`,
    gracefulStop: "0s",
  };
}

/**
 * After all else, one iteration of every VU there is. k6 has as many as run at once at most, and slots follow each
 * other with a gap: asked for all of them, it hands out each once.
 */
function lastWords(): K6Scenario {
  const ends = block.slots.flatMap(({ stretches, gracefulSeconds }) =>
    stretches.map(({ startSeconds, seconds }) => startSeconds + seconds + gracefulSeconds),
  );
  const { vus } = block.warmUp;
  return {
    exec: "sayWhichWereSlowest",
    executor: "per-vu-iterations",
    vus: Math.max(vus.base + vus.head, ...block.slots.map(mostVus)),
    iterations: 1,
    startTime: `${Math.round((Math.max(...ends) + 2 * LEAD_IN) * 1000)}ms`,
    maxDuration: "5s",
    gracefulStop: "0s",
  };
}

function mostVus({ vus, stages, iterations }: SlotSpec): number {
  if (iterations !== null) return 1;
  return stages === null ? vus : Math.max(...stages.map(({ target }) => target));
}

function buildOptions(): Options {
  const scenarios: Record<string, K6Scenario> = {};
  for (const arm of ["base", "head"] as const) {
    if (block.warmUp.seconds === 0) continue;
    scenarios[`warm_${arm}`] = {
      executor: "constant-vus",
      exec: "warmUp",
      env: { ARM: arm },
      vus: block.warmUp.vus[arm],
      duration: `${Math.round(block.warmUp.seconds * 1000)}ms`,
      gracefulStop: `${Math.round(block.warmUp.gracefulSeconds * 1000)}ms`,
    };
  }
  const thresholds: Record<string, string[]> = {};
  for (const [index, slot] of block.slots.entries()) {
    if (isClosed(slot)) {
      scenarios[`round_${slot.round}`] = closedRound(slot.round, slot);
      thresholds[`${VU_TIME}{${selector(index)}}`] = ["count>=0"];
    } else {
      for (const [part, stretch] of slot.stretches.entries()) {
        scenarios[scenarioName(index, part)] = executor(slot, index, part, stretch);
        thresholds[dropped(index, part)] = ["count>=0"];
      }
    }
    for (const [metric, expression] of Object.entries(METRICS)) {
      thresholds[`${metric}{${selector(index)}}`] = [expression];
    }
    thresholds[`http_reqs{${selector(index)},error_code:${DIAL_UNKNOWN_ERRNO}}`] = ["count>=0"];
  }
  if (block.trace) scenarios["last_words"] = lastWords();
  return {
    scenarios,
    thresholds,
    discardResponseBodies: true,
    systemTags: ["scenario", "error_code"],
    summaryTrendStats: ["avg", "med", "p(90)", "p(95)", "p(99)", "max"],
    insecureSkipTLSVerify: block.selfSigned === true,
    setupTimeout: "30s",
  };
}

export const options = buildOptions();

function flowTarget(arm: "base" | "head", scenario: string): FlowTarget {
  const { url, host } = block.arms[arm];
  const headers: Headers = { Host: host };
  if (block.scenarios[scenario]?.connection[arm] === "close") headers["Connection"] = "close";
  return { url, host, headers };
}

/** Logs in where a flow asks for it, once per arm, then tells the parent that the scenarios begin now. */
export function setup(): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const [name, { asked }] of Object.entries(block.scenarios)) {
    for (const arm of ["base", "head"] as const) {
      const { work } = asked[arm];
      if (work.kind !== "flow") continue;
      data[`${arm} ${name}`] = flows.get(work.file)?.setup?.(flowTarget(arm, name)) ?? null;
    }
  }
  console.log("perf-gate:begin");
  return data;
}

type Data = Record<string, unknown>;
type Iteration = (data: Data) => void;

/**
 * What one iteration does, prepared once per VU: this code runs at every request.
 *
 * @param slot whose it is; null of the warm-up
 */
function iteration(arm: "base" | "head", name: string, slot: number | null): Iteration {
  const scenario = block.scenarios[name];
  if (scenario === undefined) throw new Error(`block: no scenario ${name}`);
  const { work, checks } = scenario.asked[arm];
  const target = flowTarget(arm, name);
  if (work.kind === "request") return sending(work, checks, target, slot);
  if (work.kind === "flow") {
    const flow = flows.get(work.file);
    if (typeof flow?.default !== "function") throw new Error(`${work.file}: no default export that is a function`);
    const run: Iteration = (data) => flow.default(target, data[`${arm} ${name}`]);
    if (!block.trace) return run;
    // A flow sends its requests itself: what is seen of them from here is how long all of them took, and one trace.
    return traced(target.headers, slot, (data) => {
      const began = Date.now();
      run(data);
      return Date.now() - began;
    });
  }
  const requests = work.entries.map(({ request, checks: own }) => sending(request, own, target, slot));
  // The warm-up asks for all of them alike: one that is rare has to be warm as well.
  if (slot === null) return inOrder(requests, [...requests.keys()]);
  const { order = [] } = scenario;
  const spec = block.slots[slot];
  return spec === undefined || isClosed(spec) ? inOrder(requests, order) : byIteration(requests, order);
}

/** One request, prepared. */
function sending(request: HttpRequest, checks: Checks, target: FlowTarget, slot: number | null): Iteration {
  const url = target.url + request.path;
  const text = checks.bodyContains;
  const params = {
    headers: { ...request.headers, ...target.headers },
    redirects: 0,
    responseType: text === null ? ("none" as const) : ("text" as const),
    responseCallback: http.expectedStatuses(...checks.status),
  };
  const send = () => http.request(request.method, url, request.body, params);
  if (text === null) return block.trace ? traced(params.headers, slot, () => send().timings.duration) : send;
  const contains = { "body contains the expected text": (body: unknown) => String(body).includes(text) };
  const sendAndCheck = () => {
    const response = send();
    check(response.body, contains);
    return response;
  };
  return block.trace ? traced(params.headers, slot, () => sendAndCheck().timings.duration) : sendAndCheck;
}

/** Conjugate of the golden ratio: its multiples, without their whole parts, lie evenly between 0 and 1 (Weyl). */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The requests of a mix, each VU in the same order by itself, from a place of its own on: what the VUs send at once is a
 * mix as well. A VU has one place for each arm, and begins at the same one for both.
 */
function inOrder(requests: readonly Iteration[], order: readonly number[]): Iteration {
  let next = -1;
  return (data) => {
    if (next < 0) next = Math.floor(((exec.vu.idInTest * GOLDEN) % 1) * order.length);
    requests[order[next] ?? 0]?.(data);
    next = (next + 1) % order.length;
  };
}

/**
 * The same for a slot that has k6 scenarios of its own: any VU may run an iteration, and which VUs they are is not the
 * same for both arms, so that the number of the iteration says what is sent.
 */
function byIteration(requests: readonly Iteration[], order: readonly number[]): Iteration {
  return (data) => {
    const place = now.earlier + exec.scenario.iterationInTest;
    requests[order[place % order.length] ?? 0]?.(data);
  };
}

/** Of this VU, by slot, slowest first. */
const slowest: SlowRequest[][] = [];

/**
 * An iteration that begins a trace of its own: version 00, sampled, random ids (https://www.w3.org/TR/trace-context/).
 *
 * @param headers those that its requests are sent with
 * @param send returns how long it took, ms
 */
function traced(headers: Headers, slot: number | null, send: (data: Data) => number): Iteration {
  return (data) => {
    const ids = random12() + random12() + random12() + random12();
    const traceId = ids.slice(0, 32);
    headers["traceparent"] = `00-${traceId}-${ids.slice(32)}-01`;
    const ms = send(data);
    if (slot !== null) keepSlowest(slot, ms, traceId);
  };
}

const SPAN = 2 ** 48;

/** 12 random hex digits: as many as a number has for certain, since every call costs k6 about 1 µs. */
function random12(): string {
  return (SPAN + Math.floor(Math.random() * SPAN)).toString(16).slice(1);
}

function keepSlowest(slot: number, ms: number, traceId: string): void {
  if (block.slots[slot]?.counted && now.phase !== COUNTED) return;
  const kept = slowest[slot] ?? [];
  slowest[slot] = kept;
  const most = block.trace?.slowest ?? 0;
  const least = kept[most - 1];
  if (least !== undefined) {
    if (ms <= least.ms) return;
    kept.pop();
  }
  const at = kept.findIndex((other) => other.ms < ms);
  kept.splice(at < 0 ? kept.length : at, 0, { ms, traceId });
}

/**
 * What this VU's slowest requests were. VUs share no memory, the summary holds no single request, and an output of all
 * samples costs more than the requests: so each keeps its own, and says them once, when nothing is measured any more.
 */
export function sayWhichWereSlowest(): void {
  const said = slowest.flatMap((kept, slot) => kept.map(({ ms, traceId }) => `${slot} ${ms} ${traceId}`));
  if (said.length > 0) console.log(`perf-gate:slowest ${said.join(" ")}`);
}

const slots = block.slots.map((slot, index) => iteration(slot.arm, slot.scenario, index));
const warmUps = {
  base: block.warmUp.scenarios.map((name) => iteration("base", name, null)),
  head: block.warmUp.scenarios.map((name) => iteration("head", name, null)),
};

export function warmUp(data: Data): void {
  for (const run of warmUps[__ENV["ARM"] as "base" | "head"]) run(data);
}

/** Where this VU is in its closed round. */
const at = { round: "", start: 0, next: 0, turn: null as Turn | null, since: 0 };

/** One iteration of a closed round: the next request of the turn, or the end of the turn and the wait for the next. */
export function turns(data: Data): void {
  const round = __ENV["ROUND"] ?? "";
  if (round !== at.round) Object.assign(at, { round, start: exec.scenario.startTime, next: 0, turn: null });
  const now = Date.now() - at.start;
  if (at.turn === null || now >= at.turn.to) {
    if (!nextTurn(rounds[Number(round)] ?? [], now)) return;
  }
  slots[(at.turn as Turn).slot]?.(data);
}

/** Ends the VU's turn and waits for its next one; false where there is none. */
function nextTurn(all: readonly Turn[], now: number): boolean {
  if (at.turn !== null) vuTime.add(now - at.since);
  // One that is over already was spent on a request of the turn before.
  while ((all[at.next]?.to ?? Number.POSITIVE_INFINITY) <= now) at.next++;
  const turn = all[at.next++] ?? null;
  at.turn = turn;
  if (turn === null) {
    sleep(0.05);
    return false;
  }
  if (turn.from > now) sleep((turn.from - now) / 1000);
  at.since = Date.now() - at.start;
  tagSlot(turn.slot);
  return true;
}

/** What the samples of this VU are tagged with from now on. */
function tagSlot(index: number): void {
  const { tags } = exec.vu.metrics;
  tags["slot"] = String(index);
  const own = block.slots[index]?.tags;
  if (own !== undefined) Object.assign(tags, own);
}

const COUNTED = "counted";
/**
 * Which stretch this VU is in, since when (ms since the epoch), how many iterations those before it had, and what its
 * requests are tagged with.
 */
const now = { stretch: "", since: 0, earlier: 0, phase: "" };

/** Tags the requests of this VU as counted or not: only a change costs anything. */
function tagPhase({ fromSeconds, toSeconds }: { fromSeconds: number; toSeconds: number }): void {
  const elapsed = (Date.now() - now.since) / 1000;
  const phase = elapsed >= fromSeconds && elapsed < toSeconds ? COUNTED : "not-counted";
  if (phase === now.phase) return;
  now.phase = phase;
  exec.vu.metrics.tags["phase"] = phase;
}

/** One iteration of a slot that has k6 scenarios of its own. */
export function slot(data: Data): void {
  const index = Number(__ENV["SLOT"]);
  const stretch = __ENV["STRETCH"] ?? "";
  if (stretch !== now.stretch) {
    const earlier = iterationsBefore(index, Number(stretch.split(" ")[1]));
    Object.assign(now, { stretch, since: exec.scenario.startTime, earlier, phase: "" });
    // It may have been in a closed round before.
    tagSlot(index);
  }
  const counted = block.slots[index]?.counted;
  if (counted) tagPhase(counted);
  slots[index]?.(data);
}

/** Iterations of an open slot that are due before one of its stretches. */
function iterationsBefore(index: number, part: number): number {
  const { rate = null, stretches = [] } = block.slots[index] ?? {};
  const seconds = stretches.slice(0, part).reduce((sum, stretch) => sum + stretch.seconds, 0);
  return Math.round((rate ?? 0) * seconds);
}

interface Summary {
  metrics: Record<string, { values: Record<string, number> }>;
}

export function handleSummary(summary: Summary): Record<string, string> {
  const result: SlotResult[] = block.slots.map((slot, index) => {
    const value = (metric: string, aggregate: string) =>
      summary.metrics[`${metric}{${selector(index)}}`]?.values[aggregate] ?? 0;
    const requests = value("http_reqs", "count");
    const duration = (aggregate: string) => value("http_req_duration", aggregate);
    return {
      requests,
      vuSeconds: value(VU_TIME, "count") / 1000,
      latencyMs:
        requests === 0
          ? null
          : {
              avg: duration("avg"),
              p50: duration("med"),
              p90: duration("p(90)"),
              p95: duration("p(95)"),
              p99: duration("p(99)"),
              max: duration("max"),
            },
      phasesMs: {
        connect: value("http_req_connecting", "avg"),
        tls: value("http_req_tls_handshaking", "avg"),
        wait: value("http_req_waiting", "avg"),
        receive: value("http_req_receiving", "avg"),
      },
      // http_req_failed is a rate of failures: its "passes" are the failed requests.
      errors: value("http_req_failed", "passes"),
      failedChecks: value("checks", "fails"),
      droppedIterations: slot.stretches.reduce(
        (sum, _, part) => sum + (summary.metrics[dropped(index, part)]?.values["count"] ?? 0),
        0,
      ),
      bytesReceived: value("data_received", "count"),
      portErrors:
        summary.metrics[`http_reqs{${selector(index)},error_code:${DIAL_UNKNOWN_ERRNO}}`]?.values["count"] ?? 0,
    };
  });
  return { [__ENV["RESULT"] ?? "result.json"]: JSON.stringify(result) };
}

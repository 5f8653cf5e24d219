/**
 * One block: one k6 process that warms both arms up and then runs every slot of the block as a k6 scenario of its own,
 * one after the other. Reads the block from the JSON file in BLOCK, writes one object per slot to the file in RESULT.
 */

import { check } from "k6";
import exec from "k6/execution";
import http from "k6/http";
import type { Scenario as K6Scenario, Options } from "k6/options";
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
for (const { work } of Object.values(block.scenarios)) {
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
  dropped_iterations: "count>=0",
};
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
    // What all stretches of a slot have in common: their requests make one metric.
    tags: { slot: String(index) },
    startTime: `${Math.round(startSeconds * 1000)}ms`,
    gracefulStop: `${Math.round(slot.gracefulSeconds * 1000)}ms`,
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
  return { ...common, executor: "constant-vus", vus: slot.vus, duration };
}

function buildOptions(): Options {
  const scenarios: Record<string, K6Scenario> = {};
  for (const arm of ["base", "head"] as const) {
    if (block.warmUp.seconds === 0) continue;
    scenarios[`warm_${arm}`] = {
      executor: "constant-vus",
      exec: "warmUp",
      env: { ARM: arm },
      vus: block.warmUp.vus,
      duration: `${Math.round(block.warmUp.seconds * 1000)}ms`,
      gracefulStop: `${Math.round(block.warmUp.gracefulSeconds * 1000)}ms`,
    };
  }
  const thresholds: Record<string, string[]> = {};
  for (const [index, slot] of block.slots.entries()) {
    for (const [part, stretch] of slot.stretches.entries()) {
      scenarios[`slot_${index}_${part}`] = executor(slot, index, part, stretch);
    }
    for (const [metric, expression] of Object.entries(METRICS)) {
      thresholds[`${metric}{${selector(index)}}`] = [expression];
    }
    thresholds[`http_reqs{${selector(index)},error_code:${DIAL_UNKNOWN_ERRNO}}`] = ["count>=0"];
  }
  return {
    scenarios,
    thresholds,
    discardResponseBodies: true,
    systemTags: ["scenario", "error_code"],
    summaryTrendStats: ["avg", "med", "p(90)", "p(95)", "p(99)", "max"],
    insecureSkipTLSVerify: true,
    setupTimeout: "30s",
  };
}

export const options = buildOptions();

function flowTarget(arm: "base" | "head", scenario: string): FlowTarget {
  const headers: Headers = { Host: block.host };
  if (block.scenarios[scenario]?.connection === "close") headers["Connection"] = "close";
  return { url: block.urls[arm], host: block.host, headers };
}

/** Logs in where a flow asks for it, once per arm, then tells the parent that the scenarios begin now. */
export function setup(): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const [name, { work }] of Object.entries(block.scenarios)) {
    if (work.kind !== "flow") continue;
    for (const arm of ["base", "head"] as const) {
      data[`${arm} ${name}`] = flows.get(work.file)?.setup?.(flowTarget(arm, name)) ?? null;
    }
  }
  console.log("perf-gate:begin");
  return data;
}

type Iteration = (data: Record<string, unknown>) => void;

/** What one iteration does, prepared once per VU: this code runs at every request. */
function iteration(arm: "base" | "head", name: string): Iteration {
  const scenario = block.scenarios[name];
  if (scenario === undefined) throw new Error(`block: no scenario ${name}`);
  const { work, checks } = scenario;
  const target = flowTarget(arm, name);
  if (work.kind === "flow") {
    const flow = flows.get(work.file);
    if (typeof flow?.default !== "function") throw new Error(`${work.file}: no default export that is a function`);
    return (data) => flow.default(target, data[`${arm} ${name}`]);
  }
  const url = target.url + work.path;
  const text = checks.bodyContains;
  const params = {
    headers: { ...work.headers, ...target.headers },
    redirects: 0,
    responseType: text === null ? ("none" as const) : ("text" as const),
    responseCallback: http.expectedStatuses(...checks.status),
  };
  if (text === null) return () => void http.request(work.method, url, work.body, params);
  const contains = { "body contains the expected text": (body: unknown) => String(body).includes(text) };
  return () => void check(http.request(work.method, url, work.body, params).body, contains);
}

const slots = block.slots.map((slot) => iteration(slot.arm, slot.scenario));
const warmUps = {
  base: block.warmUp.scenarios.map((name) => iteration("base", name)),
  head: block.warmUp.scenarios.map((name) => iteration("head", name)),
};

export function warmUp(data: Record<string, unknown>): void {
  for (const run of warmUps[__ENV["ARM"] as "base" | "head"]) run(data);
}

/** Which stretch this VU is in, since when (ms since the epoch), and what its requests are tagged with. */
const now = { stretch: "", since: 0, phase: "" };

/** Tags the requests of this VU as counted or not: only a change costs anything. */
function tagPhase({ fromSeconds, toSeconds }: { fromSeconds: number; toSeconds: number | null }): void {
  const stretch = __ENV["STRETCH"] ?? "";
  if (stretch !== now.stretch) Object.assign(now, { stretch, since: exec.scenario.startTime, phase: "" });
  const elapsed = (Date.now() - now.since) / 1000;
  const phase = elapsed >= fromSeconds && (toSeconds === null || elapsed < toSeconds) ? "counted" : "not-counted";
  if (phase === now.phase) return;
  now.phase = phase;
  exec.vu.metrics.tags["phase"] = phase;
}

export function slot(data: Record<string, unknown>): void {
  const index = Number(__ENV["SLOT"]);
  const counted = block.slots[index]?.counted;
  if (counted) tagPhase(counted);
  slots[index]?.(data);
}

interface Summary {
  metrics: Record<string, { values: Record<string, number> }>;
}

export function handleSummary(summary: Summary): Record<string, string> {
  const result: SlotResult[] = block.slots.map((_, index) => {
    const value = (metric: string, aggregate: string) =>
      summary.metrics[`${metric}{${selector(index)}}`]?.values[aggregate] ?? 0;
    const requests = value("http_reqs", "count");
    const duration = (aggregate: string) => value("http_req_duration", aggregate);
    return {
      requests,
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
      droppedIterations: value("dropped_iterations", "count"),
      bytesReceived: value("data_received", "count"),
      portErrors:
        summary.metrics[`http_reqs{${selector(index)},error_code:${DIAL_UNKNOWN_ERRNO}}`]?.values["count"] ?? 0,
    };
  });
  return { [__ENV["RESULT"] ?? "result.json"]: JSON.stringify(result) };
}

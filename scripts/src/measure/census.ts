import { Agent, request as requestHttp } from "node:http";
import { request as requestHttps, Agent as TlsAgent } from "node:https";
import { askedOf, connectionOf, targetOf } from "../core/arms.ts";
import { mixCensus } from "../core/mix.ts";
import {
  ARMS,
  type Arm,
  assertNever,
  type Census,
  type CensusArm,
  type Checks,
  type ConnectionPolicy,
  type Count,
  type CountName,
  type HttpRequest,
  type Scenario,
} from "../core/model.ts";
import type { ServiceCounters } from "../target/target.ts";
import type { Rig } from "./block.ts";
import { runIterations } from "./iterations.ts";

const REQUESTS_PER_REPEAT = 10;
const REPEATS = 3;
const TIMEOUT_MS = 30_000;
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** What came back from one request: status 0 where nothing did. */
interface Answer {
  status: number;
  bytes: number;
  passed: boolean;
}

/**
 * Counts what a request costs at the services: a small, fixed number of requests, one at a time and repeated.
 * A flow is counted per iteration; of a mix every request by itself, and their counts are weighted.
 */
export async function takeCensus(rig: Rig, progress: (line: string) => void): Promise<Census> {
  const scenarios: Census["scenarios"] = [];
  for (const [index, scenario] of rig.plan.config.scenarios.entries()) {
    progress(`census ${index + 1} of ${rig.plan.config.scenarios.length}: ${scenario.name}`);
    const arms: Partial<Record<Arm, CensusArm>> = {};
    for (const arm of ARMS) {
      rig.signal.throwIfAborted();
      arms[arm] = await countScenario(rig, scenario, arm);
    }
    scenarios.push({ scenario: scenario.name, arms: arms as Record<Arm, CensusArm> });
  }
  return { version: 1, planId: rig.plan.id, requestsPerRepeat: REQUESTS_PER_REPEAT, repeats: REPEATS, scenarios };
}

async function countScenario(rig: Rig, scenario: Scenario, arm: Arm): Promise<CensusArm> {
  const { work, checks } = askedOf(rig.plan, scenario, arm);
  const connection = connectionOf(rig.plan, scenario, arm);
  switch (work.kind) {
    case "request":
      return countRequest(rig, { asked: work, checks, connection }, arm);
    case "mix": {
      const entries: { weight: number; arm: CensusArm }[] = [];
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

/** A request as one arm is asked. */
interface SingleRequest {
  asked: HttpRequest;
  checks: Checks;
  connection: ConnectionPolicy;
}

async function countRequest(rig: Rig, single: SingleRequest, arm: Arm): Promise<CensusArm> {
  const { php, nginx } = targetOf(rig.plan, arm);
  const at = { url: await rig.target.hostUrl(arm), host: rig.target.host(arm) };
  const keepAlive = single.connection === "keep-alive";
  // Of driver `url`, certificates are verified.
  const agent = at.url.startsWith("https:")
    ? new TlsAgent({ keepAlive, rejectUnauthorized: !nginx.tls })
    : new Agent({ keepAlive });
  const send = () => sendOne(single, at, agent);
  try {
    // Every worker opens what it keeps open: persistent connections must not count as new ones.
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: php.workers }, send));
    const answers: Answer[] = [];
    const repeats: Partial<Record<CountName, number[]>> = {};
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const before = await rig.target.counters();
      const batch: Answer[] = [];
      for (let i = 0; i < REQUESTS_PER_REPEAT; i++) batch.push(await send());
      const after = await rig.target.counters();
      addDelta(repeats, before, after, REQUESTS_PER_REPEAT);
      answers.push(...batch);
    }
    const bytes = answers.map((answer) => answer.bytes);
    return {
      statuses: [...new Set(answers.map((answer) => answer.status))].sort((a, b) => a - b),
      failedShare: answers.filter((answer) => !answer.passed).length / answers.length,
      counts: { ...toCounts(repeats), responseBytes: { ...spread(bytes), exact: new Set(bytes).size === 1 } },
    };
  } finally {
    agent.destroy();
  }
}

/** A flow is code for k6: the counters' growth over 11 iterations less that over one is that of ten. */
async function countFlow(rig: Rig, scenario: Scenario, arm: Arm): Promise<CensusArm> {
  const grown = async (iterations: number) => {
    const before = await rig.target.counters();
    const result = await runIterations(rig, scenario, arm, iterations);
    return { before, after: await rig.target.counters(), result };
  };
  await grown(targetOf(rig.plan, arm).php.workers * 3);
  const one = await grown(1);
  const repeats: Partial<Record<CountName, number[]>> = {};
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
    counts: toCounts(repeats),
  };
}

function sendOne({ asked, checks }: SingleRequest, at: { url: string; host: string }, agent: Agent): Promise<Answer> {
  return new Promise((resolve) => {
    const failed = { status: 0, bytes: 0, passed: false };
    const headers: Record<string, string> = { ...asked.headers, host: at.host };
    if (asked.body !== null) headers["content-length"] = String(Buffer.byteLength(asked.body));
    const request = at.url.startsWith("https:") ? requestHttps : requestHttp;
    const outgoing = request(
      new URL(asked.path, `${at.url}/`),
      { method: asked.method, agent, timeout: TIMEOUT_MS, headers },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
        });
        response.on("error", () => resolve(failed));
        response.on("end", () => {
          const status = response.statusCode ?? 0;
          const found = checks.bodyContains === null || Buffer.concat(chunks).toString().includes(checks.bodyContains);
          resolve({ status, bytes, passed: checks.status.includes(status) && found });
        });
      },
    );
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", () => resolve(failed));
    outgoing.end(asked.body ?? undefined);
  });
}

const COUNTERS = ["sqlStatements", "dbConnections", "redisCommands"] as const;

function addDelta(
  repeats: Partial<Record<CountName, number[]>>,
  before: ServiceCounters,
  after: ServiceCounters,
  requests: number,
): void {
  for (const name of COUNTERS) {
    const [from, to] = [before[name], after[name]];
    if (from === undefined || to === undefined) continue;
    repeats[name] = [...(repeats[name] ?? []), (to - from) / requests];
  }
}

function minus(after: ServiceCounters, before: ServiceCounters): ServiceCounters {
  const difference: ServiceCounters = {};
  for (const name of COUNTERS) {
    const [from, to] = [before[name], after[name]];
    if (from !== undefined && to !== undefined) difference[name] = to - from;
  }
  return difference;
}

/** Exact where every repeat gave the same whole number per request. */
function toCounts(repeats: Partial<Record<CountName, number[]>>): Partial<Record<CountName, Count>> {
  const counts: Partial<Record<CountName, Count>> = {};
  for (const [name, values] of Object.entries(repeats) as [CountName, number[]][]) {
    const exact = values.every((value) => value === values[0] && Number.isInteger(value));
    counts[name] = { ...spread(values), exact };
  }
  return counts;
}

function spread(values: readonly number[]): { perRequest: number; min: number; max: number } {
  return { perRequest: mean(values), min: Math.min(...values), max: Math.max(...values) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

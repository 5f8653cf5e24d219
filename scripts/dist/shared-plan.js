import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  FIRST_LOOK,
  FLOOR,
  measuredValue,
  median,
  replay,
  scaledMad,
  tQuantile,
  winsorised
} from "./shared-replay.js";
import {
  askedOf
} from "./shared-arms.js";
import {
  ARMS,
  assertNever
} from "./shared-model.js";

// scripts/src/core/plan.ts
var SHORTEST = { turn: 0.02, gap: 0.02, p99s: 1 };
var SHORTEST_SCENARIO = { turn: 1, gap: 0.25, p99s: 2 };
var MAX_GAP = 5;
var SLOTS = [1, 2, 3];
var REQUESTS_FOR = [
  ["p99", 1e3],
  ["p95", 200]
];
var OPEN_SHARE = 0.7;
var OPEN_PILOT_VUS = 20;
function buildPlan(input, hash) {
  const rest = { version: 1, ...input, cells: cellsOf(input.config) };
  return { ...rest, id: planId(rest, hash) };
}
function planId(plan, hash) {
  const { version, seed, arms, sameSource, driver, config, cells, layout } = plan;
  const { headConfig, own, stored, beside, insteadOfRecords } = plan;
  const parts = [version, seed, arms, sameSource, driver, config, cells, layout];
  if (headConfig !== void 0) parts.push(headConfig);
  if (own !== void 0) parts.push({ own });
  if (stored !== void 0) parts.push({ stored });
  if (beside !== void 0) parts.push({ beside });
  if (insteadOfRecords !== void 0) parts.push({ insteadOfRecords });
  return hash(JSON.stringify(parts));
}
function cellsOf(config) {
  return config.scenarios.flatMap(({ name, load }) => {
    const cell = (level, unit) => ({
      id: `${name} @${level ?? "auto"}${unit}`,
      scenario: name,
      model: load.model,
      level
    });
    switch (load.model) {
      case "closed":
        return load.vus.map((vus) => cell(vus, ""));
      case "open":
        return load.rates.map((rate) => cell(rate === "auto" ? null : rate, "/s"));
      case "ramp":
        return [cell(plateauOf(load.stages).vus, "")];
      default:
        return assertNever(load);
    }
  });
}
function plateauOf(stages) {
  let best = { fromSeconds: 0, toSeconds: 0, vus: 0 };
  let at = 0;
  let vus = 0;
  for (const stage of stages) {
    const end = at + stage.durationSeconds;
    const longer = stage.durationSeconds > best.toSeconds - best.fromSeconds;
    if (stage.target === vus && vus > 0 && longer) best = { fromSeconds: at, toSeconds: end, vus };
    at = end;
    vus = stage.target;
  }
  return best;
}
function rampSeconds(load) {
  return load.stages.reduce((sum, stage) => sum + stage.durationSeconds, 0);
}
function beforePilot(plan) {
  const { slotSeconds } = plan.config.measure;
  const judged = plan.cells.filter((cell) => !scenarioOf(plan, cell).addedByHead);
  return judged.map((cell) => {
    return {
      cell: cell.id,
      requests: 0,
      qps: 0,
      ...slotOf(plan, cell, slotSeconds === "auto" ? SLOTS[0] : slotSeconds, 0),
      statistic: "p99",
      rate: null
    };
  });
}
function afterPilot(plan, cell, qps, p99Ms) {
  const load = loadOf(plan, cell);
  const { slotSeconds: wanted } = plan.config.measure;
  const rate = load.model === "open" ? cell.level ?? round(OPEN_SHARE * qps) : null;
  const served = rate ?? qps;
  const judgedSeconds = load.model === "ramp" ? plateauSeconds(load) : wanted === "auto" ? autoSlot(served) : wanted;
  const requests = Math.round(served * judgedSeconds);
  return {
    cell: cell.id,
    requests,
    qps,
    ...slotOf(plan, cell, judgedSeconds, p99Ms ?? 0),
    statistic: statisticFor(requests),
    rate
  };
}
function slotOf(plan, cell, seconds, p99Ms) {
  const scenario = scenarioOf(plan, cell);
  const { load } = scenario;
  const onlyRequests = ARMS.every((arm) => askedOf(plan, scenario, arm).work.kind !== "flow");
  const shortest = load.model === "closed" && onlyRequests ? SHORTEST : SHORTEST_SCENARIO;
  const gapSeconds = round(Math.min(MAX_GAP, Math.max(shortest.gap, shortest.p99s * p99Ms / 1e3)));
  if (load.model === "ramp") return { slotSeconds: rampSeconds(load), turnSeconds: rampSeconds(load), gapSeconds };
  const turnSeconds = Math.min(seconds, round(shortest.turn / shortest.gap * gapSeconds));
  return { slotSeconds: seconds, turnSeconds, gapSeconds };
}
function autoSlot(qps) {
  const needed = REQUESTS_FOR.find(([, requests]) => qps * SLOTS[2] >= requests)?.[1] ?? Number.POSITIVE_INFINITY;
  return SLOTS.find((seconds) => qps * seconds >= needed) ?? SLOTS[2];
}
function statisticFor(requests) {
  return REQUESTS_FOR.find(([, needed]) => requests >= needed)?.[0] ?? "p90";
}
function plateauSeconds(load) {
  const { fromSeconds, toSeconds } = plateauOf(load.stages);
  return toSeconds - fromSeconds;
}
function loadOf(plan, cell) {
  return scenarioOf(plan, cell).load;
}
function scenarioOf(plan, cell) {
  const scenario = plan.config.scenarios.find(({ name }) => name === cell.scenario);
  if (scenario === void 0) throw new Error(`plan: cell ${cell.id} names no scenario of the plan`);
  return scenario;
}
function round(value) {
  return Math.round(value * 100) / 100;
}

// scripts/src/core/record.ts
var NO_ANCHOR = "none";
var REFERENCE = "reference application";
function recordId(record, sha256) {
  return sha256(JSON.stringify({ ...record, id: void 0 })).slice(0, 16);
}
function recordOf({
  plan,
  environment,
  census,
  lines
}, { commit, committedAt, branch, url }, sha256) {
  if (plan.stored === void 0) throw new Error("a run without an anchor has no record");
  const rest = {
    recordedAt: environment.startedAt,
    commit,
    committedAt,
    branch,
    url,
    anchor: plan.stored.anchor,
    conditions: conditionsOf(plan, environment),
    cells: replay(plan, census, lines).cells.flatMap((state) => recordCell(plan, state) ?? []),
    census: census.scenarios.map(({ scenario, arms }) => ({ scenario, counts: exactCounts(arms.head.counts) }))
  };
  return { version: 1, id: recordId({ version: 1, ...rest }, sha256), ...rest };
}
function exactCounts(counts) {
  const exact = Object.entries(counts).filter(([, count]) => count.exact);
  return Object.fromEntries(exact.map(([name, count]) => [name, count.perRequest]));
}
function conditionsOf(plan, { machine, tools, php }) {
  const { k6 = "unknown", ...others } = tools;
  return {
    must: {
      driver: plan.driver,
      cpuModel: machine.cpuModel,
      logicalCpus: machine.logicalCpus,
      php: php.head === null ? null : minor(php.head.version),
      k6: minor(k6)
    },
    also: { kernel: machine.kernel, os: machine.os, k6, ...others, ...php.head && { php: php.head.version } }
  };
}
function minor(version) {
  return /^v?(\d+\.\d+)/.exec(version)?.[1] ?? version;
}
function suiteOf(cell, scenario, flow, sha256, trace = false) {
  const { work, checks, connection, load } = scenario;
  const how = load.model === "ramp" ? load : { model: load.model, level: cell.level };
  const asked = work.kind === "flow" ? { kind: work.kind, text: flow } : work;
  return sha256(JSON.stringify([asked, checks, connection, how, ...trace ? ["trace"] : []])).slice(0, 12);
}
function suitesOf(config, flowText, sha256) {
  const scenarios = new Map(config.scenarios.map((scenario) => [scenario.name, scenario]));
  const suites = cellsOf(config).flatMap((cell) => {
    const scenario = scenarios.get(cell.scenario);
    if (scenario === void 0) return [];
    const { work } = scenario;
    const flow = work.kind === "flow" ? flowText(work.file) : null;
    if (work.kind === "flow" && flow === null) return [];
    return [[cell.id, suiteOf(cell, scenario, flow, sha256, config.measure.trace)]];
  });
  return Object.fromEntries(suites);
}
function recordCell(plan, state) {
  const { cell, scenario } = state;
  const qps = rounded(figureOf(state, "qps"));
  const suite = plan.stored?.suites[cell.id];
  if (qps === null || suite === void 0) return null;
  const statistic = state.pilot?.statistic ?? "p99";
  const latency = rounded(figureOf(state, statistic));
  return { id: cell.id, connection: scenario.connection, suite, qps, latency: latency && { ...latency, statistic } };
}
function rounded(figure) {
  if (figure === null) return null;
  const six = (value) => Number(value.toPrecision(6));
  const { head, anchor, logRatio, sd, rounds } = figure;
  return { head: six(head), anchor: six(anchor), logRatio: six(logRatio), sd: six(sd), rounds };
}
function figureOf({ status, rounds }, statistic) {
  if (status !== "judged" || rounds.length < FIRST_LOOK) return null;
  const value = (slot) => measuredValue(slot, statistic);
  const logs = rounds.map(({ base, head }) => Math.log(value(head) / value(base)));
  const values = winsorised(logs, Math.max(scaledMad(logs), FLOOR));
  const mean = values.reduce((sum, log) => sum + log, 0) / values.length;
  const squares = values.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  return {
    head: median(rounds.map(({ head }) => value(head))),
    anchor: median(rounds.map(({ base }) => value(base))),
    logRatio: mean,
    sd: Math.sqrt(squares / (values.length - 1)),
    rounds: values.length
  };
}
function sinceAnchor({ logRatio, sd, rounds }) {
  const half = rounds < 2 ? 0 : tQuantile(0.975, rounds - 1) * Math.max(sd, FLOOR) / Math.sqrt(rounds);
  return { n: rounds, ratio: Math.exp(logRatio), low: Math.exp(logRatio - half), high: Math.exp(logRatio + half) };
}

export {
  OPEN_PILOT_VUS,
  buildPlan,
  planId,
  cellsOf,
  plateauOf,
  beforePilot,
  afterPilot,
  NO_ANCHOR,
  REFERENCE,
  recordId,
  recordOf,
  conditionsOf,
  minor,
  suitesOf,
  figureOf,
  sinceAnchor
};

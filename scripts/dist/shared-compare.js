import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  besideRecords
} from "./shared-beside.js";
import {
  compareStored
} from "./shared-stored.js";
import {
  slowestOf
} from "./shared-slowest.js";
import {
  allTests,
  cellIsRed,
  configEdits,
  estimateOf,
  isDisturbed,
  median,
  replay
} from "./shared-replay.js";
import {
  isOther
} from "./shared-arms.js";
import {
  assertNever
} from "./shared-model.js";

// scripts/src/core/compare.ts
function compare(input) {
  return compareRun(replay(input.plan, input.census, input.lines), input);
}
function compareRun(run, { plan, census, environment, lines, history = null, damaged }) {
  const stored = plan.stored === void 0 ? null : compareStored(run, environment, history);
  const beside = besideRecords(run, environment, history);
  const stop = lines.findLast((line) => line.kind === "stop") ?? null;
  const since = (stored ?? beside)?.since;
  const cells = run.cells.map((state) => ({
    ...cellResult(run, state, stored),
    ...since === void 0 ? {} : { since: since.get(state.cell.id) ?? null }
  }));
  const overall = run.overall === null ? null : testResult(run, run.overall);
  const differences = censusDifferences(plan, census, stored);
  const { verdict, reasons } = runVerdict(cells, overall, differences);
  const edits = configEdits(plan);
  return {
    version: 1,
    planId: plan.id,
    verdict,
    reasons,
    sameSource: plan.sameSource,
    arms: { base: labelOf(plan, "base"), head: labelOf(plan, "head") },
    ...edits.length > 0 ? { edits } : {},
    ...stored === null ? {} : { stored: stored.summary },
    ...beside === null ? {} : { beside: beside.summary },
    cells,
    overall,
    census: differences,
    tests: run.rule.tests,
    alpha: run.rule.alpha,
    beta: run.rule.beta,
    blocks: run.blocks,
    slots: run.cells.reduce((sum, state) => sum + state.slots, 0),
    struck: addCounts(run.cells.map((state) => state.struck)),
    disturbed: run.cells.reduce((sum, state) => sum + disturbedRounds(state, plan.config.measure), 0),
    stop: stop && { reason: stop.reason, detail: stop.detail },
    times: times(lines, stop?.wallSeconds ?? null),
    yardstick: yardstick(lines),
    damaged: [...damaged]
  };
}
function labelOf(plan, arm) {
  const { label, commit } = plan.arms[arm];
  return { label, commit };
}
function testResult(run, test) {
  const { verdict, confirmation, reasons } = outcome(run, test);
  const seen = test.last !== null && "p" in test.last ? test.last : null;
  return {
    id: test.id,
    metric: test.metric,
    statistic: test.statistic,
    line: test.line,
    limit: test.limit,
    verdict,
    base: medianOrNull(test.base),
    head: medianOrNull(test.head),
    estimate: seen && estimateOf(test, seen),
    p: seen?.p ?? null,
    logRatios: test.logRatios,
    path: test.path,
    confirmation,
    reasons
  };
}
function outcome(run, test) {
  switch (test.verdict) {
    case "pass":
      return { verdict: "pass", confirmation: null, reasons: [] };
    case "regression": {
      if (run.plan.stored !== void 0) return { verdict: "regression", confirmation: null, reasons: [] };
      const confirming = run.confirmation?.tests.find((candidate) => candidate.id === test.id) ?? null;
      if (confirming?.verdict === "regression")
        return { verdict: "regression", confirmation: "confirmed", reasons: [] };
      if (confirming?.verdict === "open" && cellIsRed(test, run.confirmation?.tests ?? [])) return cellDecided();
      const confirmation = confirming === null ? "no-time" : "not-confirmed";
      return { verdict: "inconclusive", confirmation, reasons: [unconfirmedReason(confirmation, confirming)] };
    }
    case "inconclusive":
      return { verdict: "inconclusive", confirmation: null, reasons: [undecidedReason(test.x.length, run.rule.cap)] };
    case "open":
      if (cellIsRed(test, allTests(run))) return cellDecided();
      return { verdict: "inconclusive", confirmation: null, reasons: [openReason(run, test.x.length)] };
    default:
      return assertNever(test.verdict);
  }
}
function cellDecided() {
  const text = "left open: another figure of its cell had already turned red";
  return { verdict: "inconclusive", confirmation: null, reasons: [{ code: "cell-decided", text }] };
}
function undecidedReason(n, cap) {
  return n < cap ? { code: "on-the-line", text: `it sits on the line after ${n} rounds; more of them would not settle it` } : { code: "cap", text: `undecided after ${n} rounds, the most that are measured` };
}
function openReason({ rule: { firstLook }, confirmation }, n) {
  if (n === 0) return { code: "no-samples", text: "no clean round was measured" };
  const early = `${n} clean ${n === 1 ? "round" : "rounds"}; nothing is decided before ${firstLook}`;
  const end = confirmation === null ? "measuring stopped" : "something else looked red and was to be confirmed";
  return { code: "undecided", text: n < firstLook ? early : `undecided after ${n} rounds, when ${end}` };
}
function unconfirmedReason(confirmation, confirming) {
  if (confirmation === "no-time") {
    return { code: "unconfirmed", text: "it looked red, but there was no time to confirm it on fresh replicas" };
  }
  const n = confirming?.x.length ?? 0;
  return { code: "not-confirmed", text: `it looked red, but ${n} rounds on fresh replicas did not confirm it` };
}
function medianOrNull(values) {
  return values.length > 0 ? median(values) : null;
}
function cellResult(run, state, stored) {
  const statistic = state.pilot?.statistic ?? "p99";
  const limits = state.tests.map((test) => testResult(run, test));
  const tests = [...stored?.tests.get(state.cell.id) ?? [], ...limits];
  return {
    cell: state.cell,
    connection: state.scenario.connection,
    verdict: cellVerdict(state, tests),
    statistic,
    statisticNote: statisticNote(state, statistic),
    rate: state.cell.model === "open" ? state.cell.level ?? state.pilot?.rate ?? null : null,
    tests,
    figures: { base: figuresOf(slotsOf(state, "base")), head: figuresOf(slotsOf(state, "head")) },
    rounds: state.rounds.length,
    struck: addCounts([state.struck]),
    slots: state.slots,
    reasons: state.reasons,
    ...slowestRequests(state)
  };
}
function slowestRequests({ rounds, confirm }) {
  const all = [...rounds, ...confirm.rounds];
  if (!all.some(({ base, head }) => base.slowest !== void 0 || head.slowest !== void 0)) return {};
  const of = (arm) => slowestOf(
    all.map((round) => round[arm]).flatMap(({ block, slowest = [] }) => slowest.map((slow) => ({ ...slow, block })))
  );
  return { slowest: { base: of("base"), head: of("head") } };
}
function disturbedRounds({ rounds, confirm }, limits) {
  const all = [...rounds, ...confirm.rounds];
  return all.filter(({ base, head }) => isDisturbed(base, limits) || isDisturbed(head, limits)).length;
}
function cellVerdict(state, tests) {
  if (state.status !== "judged") return state.status;
  if (tests.length === 0) return "shown";
  if (tests.some((test) => test.verdict === "regression")) return "regression";
  return tests.every((test) => test.verdict === "pass") ? "pass" : "inconclusive";
}
function statisticNote(state, statistic) {
  if (statistic === "p99" || state.pilot === null) return null;
  const needed = statistic === "p95" ? "1,000 for p99" : "200 for p95";
  return `${statistic} instead of p99: a slot holds about ${state.pilot.requests} requests, ${needed} are needed`;
}
function slotsOf({ rounds }, arm) {
  return rounds.map((round) => round[arm]);
}
function figuresOf(slots) {
  if (slots.length === 0) return null;
  const witnesses = slots.flatMap((slot) => slot.witness ?? []);
  const mid = (pick) => median(slots.map(pick));
  const latency = (key) => mid((slot) => slot.latencyMs?.[key] ?? Number.NaN);
  const total = (pick) => slots.reduce((sum, slot) => sum + pick(slot), 0);
  const cpuMs = slots.flatMap(
    (slot) => slot.witness === null ? [] : [1e3 * slot.witness.targetCpuSeconds / slot.requests]
  );
  return {
    slots: slots.length,
    requests: total((slot) => slot.requests),
    qps: mid((slot) => slot.qps),
    latencyMs: {
      avg: latency("avg"),
      p50: latency("p50"),
      p90: latency("p90"),
      p95: latency("p95"),
      p99: latency("p99"),
      max: latency("max")
    },
    cpuMsPerRequest: medianOrNull(cpuMs),
    cpuPeakCores: medianOrNull(witnesses.map((witness) => witness.targetPeakCores)),
    memoryBytes: medianOrNull(witnesses.map((witness) => witness.targetMemoryBytes)),
    throttledPeriods: witnesses.reduce((sum, witness) => sum + witness.throttledPeriods, 0),
    timeWait: medianOrNull(witnesses.map((witness) => witness.timeWait)) ?? 0,
    errors: total((slot) => slot.errors),
    failedChecks: total((slot) => slot.failedChecks),
    maxMs: Math.max(...slots.map((slot) => slot.latencyMs?.max ?? 0))
  };
}
function runVerdict(cells, overall, differences) {
  const named = (verdict) => cells.filter((cell) => cell.verdict === verdict);
  const reasons = [];
  const say = (code, text) => reasons.push({ code, text });
  const confirmed = ({ tests }) => tests.some(({ confirmation }) => confirmation === "confirmed") ? ", confirmed" : "";
  for (const cell of named("error")) say("error", `${cell.cell.id}: ${firstReason(cell)}`);
  for (const cell of named("regression")) say("regression", `${cell.cell.id} is slower than allowed${confirmed(cell)}`);
  if (overall?.verdict === "regression") say("overall-regression", "all scenarios together are slower than allowed");
  for (const difference of differences.filter((entry) => entry.exceeded)) {
    say(
      "census",
      `${difference.scenario}: ${COUNT_LABEL[difference.count]} per request ${difference.base.perRequest} -> ${difference.head.perRequest}`
    );
  }
  if (named("error").length > 0) return { verdict: "error", reasons };
  if (reasons.length > 0) return { verdict: "regression", reasons };
  for (const cell of named("inconclusive")) say("inconclusive", `${cell.cell.id}: ${firstReason(cell)}`);
  if (named("pass").length === 0) say("nothing-judged", "no scenario could be judged");
  if (overall !== null && overall.confirmation !== null) say("overall", firstOf(overall.reasons));
  return { verdict: reasons.length > 0 ? "inconclusive" : "pass", reasons };
}
var COUNT_LABEL = {
  sqlStatements: "SQL statements",
  dbConnections: "new database connections",
  redisCommands: "Redis commands",
  responseBytes: "response bytes"
};
function firstReason(cell) {
  return firstOf([
    ...cell.reasons,
    ...cell.tests.filter((test) => test.verdict === "inconclusive").flatMap((test) => test.reasons)
  ]);
}
function firstOf(reasons) {
  return reasons[0]?.text ?? "undecided";
}
var ROUNDING = 1e-6;
function censusDifferences(plan, census, stored) {
  const differences = [];
  for (const { scenario, arms } of census?.scenarios ?? []) {
    const expected = expectedCounts(plan, stored, { scenario, arms });
    for (const count of Object.keys(COUNT_LABEL)) {
      const [base, head] = [expected[count], arms.head.counts[count]];
      if (base === void 0 || head === void 0 || stored !== null && !head.exact) continue;
      const allowed = plan.config.gate.maxAdded[count] ?? null;
      const differs = base.exact && head.exact ? base.perRequest !== head.perRequest : apart(base, head);
      if (!differs) continue;
      const grown = base.exact && head.exact ? head.perRequest - base.perRequest : 0;
      const exceeded = allowed !== null && grown > allowed + ROUNDING;
      differences.push({ scenario, count, base, head, allowed, exceeded });
    }
  }
  return differences;
}
function expectedCounts(plan, stored, { scenario, arms }) {
  if (stored !== null) return stored.counts(scenario);
  return isOther(plan) ? {} : arms.base.counts;
}
function apart(a, b) {
  const gap = Math.max(a.min - b.max, b.min - a.max);
  return gap > 0 && gap > a.max - a.min + b.max - b.min;
}
function times(lines, wall) {
  const sum = { restart: 0, k6Start: 0, warmUp: 0, load: 0, total: 0 };
  let pilot = 0;
  for (const line of lines) {
    if (line.kind === "pilot") pilot += line.seconds;
    if (line.kind !== "block") continue;
    for (const key of Object.keys(sum)) sum[key] += line.times[key];
  }
  return { ...sum, pilot, wall: wall ?? pilot + sum.total };
}
function yardstick(lines) {
  const values = lines.flatMap((line) => line.kind === "block" ? [line.yardstickMs] : []);
  if (values.length === 0) return null;
  return { medianMs: median(values), spread: Math.max(...values) / Math.min(...values) - 1 };
}
function addCounts(counts) {
  const sum = {};
  for (const map of counts) for (const [reason, n] of map) sum[reason] = (sum[reason] ?? 0) + n;
  return sum;
}

export {
  compare,
  compareRun,
  slotsOf,
  figuresOf
};

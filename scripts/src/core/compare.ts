import { isOther } from "./arms.ts";
import { besideRecords } from "./beside.ts";
import { configEdits } from "./edits.ts";
import type {
  Arm,
  ArmFigures,
  BlockTimes,
  CellResult,
  Census,
  CensusArm,
  CensusDifference,
  Comparison,
  Count,
  CountName,
  Environment,
  History,
  LatencyMs,
  LatencyStatistic,
  MeasureConfig,
  Plan,
  Reason,
  SampleLine,
  SlotSample,
  StrikeReason,
  TestResult,
  Verdict,
} from "./model.ts";
import { assertNever } from "./model.ts";
import { allTests, type CellState, cellIsRed, type Run, replay } from "./replay.ts";
import { slowestOf } from "./slowest.ts";
import { median } from "./stats/robust.ts";
import { compareStored, type StoredResult } from "./stored.ts";
import { estimateOf, type TestState } from "./test-state.ts";
import { isDisturbed } from "./validity.ts";

/** What a comparison is made from: the files of a work directory, parsed. */
export interface CompareInput {
  plan: Plan;
  census: Census | null;
  environment: Environment | null;
  lines: readonly SampleLine[];
  /** Of a run with a stored base, or with records beside it. */
  history?: History | null;
  /** Lines of samples.ndjson that could not be used, as sentences. */
  damaged: readonly string[];
}

/**
 * The comparison of a run: estimate, interval and verdict per cell and metric, and why.
 * Pure: the same input gives the same comparison.
 */
export function compare(input: CompareInput): Comparison {
  return compareRun(replay(input.plan, input.census, input.lines), input);
}

/** The comparison of a run that was replayed from that input. */
export function compareRun(
  run: Run,
  { plan, census, environment, lines, history = null, damaged }: CompareInput,
): Comparison {
  const stored = plan.stored === undefined ? null : compareStored(run, environment, history);
  const beside = besideRecords(run, environment, history);
  const stop = lines.findLast((line) => line.kind === "stop") ?? null;
  const since = (stored ?? beside)?.since;
  const cells = run.cells.map((state) => ({
    ...cellResult(run, state, stored),
    ...(since === undefined ? {} : { since: since.get(state.cell.id) ?? null }),
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
    ...(edits.length > 0 ? { edits } : {}),
    ...(stored === null ? {} : { stored: stored.summary }),
    ...(beside === null ? {} : { beside: beside.summary }),
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
    damaged: [...damaged],
  };
}

function labelOf(plan: Plan, arm: Arm): { label: string; commit: string | null } {
  const { label, commit } = plan.arms[arm];
  return { label, commit };
}

// ---------------------------------------------------------------- one test

function testResult(run: Run, test: TestState): TestResult {
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
    reasons,
  };
}

/** The verdict as reported: a red counts only when confirmed, an open test is undecided. */
function outcome(run: Run, test: TestState): Pick<TestResult, "verdict" | "confirmation" | "reasons"> {
  switch (test.verdict) {
    case "pass":
      return { verdict: "pass", confirmation: null, reasons: [] };
    case "regression": {
      // A single look at all its rounds, each on replicas of its own.
      if (run.plan.stored !== undefined) return { verdict: "regression", confirmation: null, reasons: [] };
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

function cellDecided(): Pick<TestResult, "verdict" | "confirmation" | "reasons"> {
  const text = "left open: another figure of its cell had already turned red";
  return { verdict: "inconclusive", confirmation: null, reasons: [{ code: "cell-decided", text }] };
}

function undecidedReason(n: number, cap: number): Reason {
  return n < cap
    ? { code: "on-the-line", text: `it sits on the line after ${n} rounds; more of them would not settle it` }
    : { code: "cap", text: `undecided after ${n} rounds, the most that are measured` };
}

function openReason({ rule: { firstLook }, confirmation }: Run, n: number): Reason {
  if (n === 0) return { code: "no-samples", text: "no clean round was measured" };
  const early = `${n} clean ${n === 1 ? "round" : "rounds"}; nothing is decided before ${firstLook}`;
  const end = confirmation === null ? "measuring stopped" : "something else looked red and was to be confirmed";
  return { code: "undecided", text: n < firstLook ? early : `undecided after ${n} rounds, when ${end}` };
}

function unconfirmedReason(confirmation: "no-time" | "not-confirmed", confirming: TestState | null): Reason {
  if (confirmation === "no-time") {
    return { code: "unconfirmed", text: "it looked red, but there was no time to confirm it on fresh replicas" };
  }
  const n = confirming?.x.length ?? 0;
  return { code: "not-confirmed", text: `it looked red, but ${n} rounds on fresh replicas did not confirm it` };
}

function medianOrNull(values: readonly number[]): number | null {
  return values.length > 0 ? median(values) : null;
}

// ---------------------------------------------------------------- one cell

function cellResult(run: Run, state: CellState, stored: StoredResult | null): CellResult {
  const statistic = state.pilot?.statistic ?? "p99";
  const limits = state.tests.map((test) => testResult(run, test));
  const tests = [...(stored?.tests.get(state.cell.id) ?? []), ...limits];
  return {
    cell: state.cell,
    connection: state.scenario.connection,
    verdict: cellVerdict(state, tests),
    statistic,
    statisticNote: statisticNote(state, statistic),
    rate: state.cell.model === "open" ? (state.cell.level ?? state.pilot?.rate ?? null) : null,
    tests,
    figures: { base: figuresOf(slotsOf(state, "base")), head: figuresOf(slotsOf(state, "head")) },
    rounds: state.rounds.length,
    struck: addCounts([state.struck]),
    slots: state.slots,
    reasons: state.reasons,
    ...slowestRequests(state),
  };
}

/** Nothing where no request was traced. */
function slowestRequests({ rounds, confirm }: CellState): Pick<CellResult, "slowest"> {
  const all = [...rounds, ...confirm.rounds];
  if (!all.some(({ base, head }) => base.slowest !== undefined || head.slowest !== undefined)) return {};
  const of = (arm: Arm) =>
    slowestOf(
      all.map((round) => round[arm]).flatMap(({ block, slowest = [] }) => slowest.map((slow) => ({ ...slow, block }))),
    );
  return { slowest: { base: of("base"), head: of("head") } };
}

function disturbedRounds({ rounds, confirm }: CellState, limits: MeasureConfig): number {
  const all = [...rounds, ...confirm.rounds];
  return all.filter(({ base, head }) => isDisturbed(base, limits) || isDisturbed(head, limits)).length;
}

function cellVerdict(state: CellState, tests: readonly TestResult[]): CellResult["verdict"] {
  if (state.status !== "judged") return state.status;
  if (tests.length === 0) return "shown";
  if (tests.some((test) => test.verdict === "regression")) return "regression";
  return tests.every((test) => test.verdict === "pass") ? "pass" : "inconclusive";
}

function statisticNote(state: CellState, statistic: LatencyStatistic): string | null {
  if (statistic === "p99" || state.pilot === null) return null;
  const needed = statistic === "p95" ? "1,000 for p99" : "200 for p95";
  return `${statistic} instead of p99: a slot holds about ${state.pilot.requests} requests, ${needed} are needed`;
}

/** An arm's slots of the clean rounds. */
export function slotsOf({ rounds }: CellState, arm: Arm): SlotSample[] {
  return rounds.map((round) => round[arm]);
}

/** Medians and sums over slots of one cell; null where there is none. */
export function figuresOf(slots: readonly SlotSample[]): ArmFigures | null {
  if (slots.length === 0) return null;
  const witnesses = slots.flatMap((slot) => slot.witness ?? []);
  const mid = (pick: (slot: SlotSample) => number) => median(slots.map(pick));
  const latency = (key: keyof LatencyMs) => mid((slot) => slot.latencyMs?.[key] ?? Number.NaN);
  const total = (pick: (slot: SlotSample) => number) => slots.reduce((sum, slot) => sum + pick(slot), 0);
  const cpuMs = slots.flatMap((slot) =>
    slot.witness === null ? [] : [(1000 * slot.witness.targetCpuSeconds) / slot.requests],
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
      max: latency("max"),
    },
    cpuMsPerRequest: medianOrNull(cpuMs),
    cpuPeakCores: medianOrNull(witnesses.map((witness) => witness.targetPeakCores)),
    memoryBytes: medianOrNull(witnesses.map((witness) => witness.targetMemoryBytes)),
    throttledPeriods: witnesses.reduce((sum, witness) => sum + witness.throttledPeriods, 0),
    timeWait: medianOrNull(witnesses.map((witness) => witness.timeWait)) ?? 0,
    errors: total((slot) => slot.errors),
    failedChecks: total((slot) => slot.failedChecks),
    maxMs: Math.max(...slots.map((slot) => slot.latencyMs?.max ?? 0)),
  };
}

// ---------------------------------------------------------------- the run

function runVerdict(
  cells: readonly CellResult[],
  overall: TestResult | null,
  differences: readonly CensusDifference[],
): { verdict: Verdict; reasons: Reason[] } {
  const named = (verdict: CellResult["verdict"]) => cells.filter((cell) => cell.verdict === verdict);
  const reasons: Reason[] = [];
  const say = (code: string, text: string) => reasons.push({ code, text });

  const confirmed = ({ tests }: CellResult) =>
    tests.some(({ confirmation }) => confirmation === "confirmed") ? ", confirmed" : "";
  for (const cell of named("error")) say("error", `${cell.cell.id}: ${firstReason(cell)}`);
  for (const cell of named("regression")) say("regression", `${cell.cell.id} is slower than allowed${confirmed(cell)}`);
  if (overall?.verdict === "regression") say("overall-regression", "all scenarios together are slower than allowed");
  for (const difference of differences.filter((entry) => entry.exceeded)) {
    say(
      "census",
      `${difference.scenario}: ${COUNT_LABEL[difference.count]} per request ${difference.base.perRequest} -> ${difference.head.perRequest}`,
    );
  }
  if (named("error").length > 0) return { verdict: "error", reasons };
  if (reasons.length > 0) return { verdict: "regression", reasons };

  for (const cell of named("inconclusive")) say("inconclusive", `${cell.cell.id}: ${firstReason(cell)}`);
  if (named("pass").length === 0) say("nothing-judged", "no scenario could be judged");
  if (overall !== null && overall.confirmation !== null) say("overall", firstOf(overall.reasons));
  return { verdict: reasons.length > 0 ? "inconclusive" : "pass", reasons };
}

const COUNT_LABEL: Record<CountName, string> = {
  sqlStatements: "SQL statements",
  dbConnections: "new database connections",
  redisCommands: "Redis commands",
  responseBytes: "response bytes",
};

function firstReason(cell: CellResult): string {
  return firstOf([
    ...cell.reasons,
    ...cell.tests.filter((test) => test.verdict === "inconclusive").flatMap((test) => test.reasons),
  ]);
}

function firstOf(reasons: readonly Reason[]): string {
  return reasons[0]?.text ?? "undecided";
}

// ---------------------------------------------------------------- census

/** Means of a mix are fractions: 0.1 + 0.2 is a little more than 0.3. */
const ROUNDING = 1e-6;

function censusDifferences(plan: Plan, census: Census | null, stored: StoredResult | null): CensusDifference[] {
  const differences: CensusDifference[] = [];
  for (const { scenario, arms } of census?.scenarios ?? []) {
    const expected = expectedCounts(plan, stored, { scenario, arms });
    for (const count of Object.keys(COUNT_LABEL) as CountName[]) {
      const [base, head] = [expected[count], arms.head.counts[count]];
      if (base === undefined || head === undefined || (stored !== null && !head.exact)) continue;
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

/** With a stored base, what the newest record of the scenario counted. Another application's counts are no base. */
function expectedCounts(
  plan: Plan,
  stored: StoredResult | null,
  { scenario, arms }: Census["scenarios"][number],
): CensusArm["counts"] {
  if (stored !== null) return stored.counts(scenario);
  return isOther(plan) ? {} : arms.base.counts;
}

/**
 * Whether counts that vary by themselves differ: by a gap wider than both ranges together. Three repeats of the same
 * normal distribution each do so once in 300 times.
 */
function apart(a: Count, b: Count): boolean {
  const gap = Math.max(a.min - b.max, b.min - a.max);
  return gap > 0 && gap > a.max - a.min + b.max - b.min;
}

// ---------------------------------------------------------------- where the time went

function times(lines: readonly SampleLine[], wall: number | null): Comparison["times"] {
  const sum: BlockTimes = { restart: 0, k6Start: 0, warmUp: 0, load: 0, total: 0 };
  let pilot = 0;
  for (const line of lines) {
    if (line.kind === "pilot") pilot += line.seconds;
    if (line.kind !== "block") continue;
    for (const key of Object.keys(sum) as (keyof BlockTimes)[]) sum[key] += line.times[key];
  }
  return { ...sum, pilot, wall: wall ?? pilot + sum.total };
}

function yardstick(lines: readonly SampleLine[]): Comparison["yardstick"] {
  const values = lines.flatMap((line) => (line.kind === "block" ? [line.yardstickMs] : []));
  if (values.length === 0) return null;
  return { medianMs: median(values), spread: Math.max(...values) / Math.min(...values) - 1 };
}

function addCounts(counts: readonly ReadonlyMap<StrikeReason, number>[]): Partial<Record<StrikeReason, number>> {
  const sum: Partial<Record<StrikeReason, number>> = {};
  for (const map of counts) for (const [reason, n] of map) sum[reason] = (sum[reason] ?? 0) + n;
  return sum;
}

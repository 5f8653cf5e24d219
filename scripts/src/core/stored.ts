import { type ChangePoint, changePoints } from "./change-points.ts";
import type {
  CensusArm,
  Count,
  Environment,
  Estimate,
  History,
  LatencyStatistic,
  Plan,
  Reason,
  Since,
  SlotSample,
  StoredSummary,
  TestResult,
} from "./model.ts";
import {
  type Conditions,
  conditionsOf,
  figureOf,
  type HistoryRecord,
  REFERENCE,
  type RecordCell,
  type RecordFigure,
  sinceAnchor,
} from "./record.ts";
import { type CellState, FIRST_LOOK, type Run } from "./replay.ts";
import { tCdf, tQuantile } from "./stats/distributions.ts";
import { measuredValue, type TestState, testsOf } from "./test-state.ts";

/** Records a test is compared with at most. */
const MOST = 20;
/** Prior degrees of freedom of the spread between jobs. */
const PRIOR_DF = 4;

// ---------------------------------------------------------------- which records compare

/** What a run must share with a record; what is not known yet of the conditions is left out. */
export interface Wanted extends Pick<NonNullable<Plan["stored"]>, "anchor" | "branch"> {
  must: Partial<Conditions["must"]>;
}

/** The records that a run may be compared with, in the order they came, or why there are none. */
export function comparable(
  records: readonly HistoryRecord[],
  { branch, anchor, must }: Wanted,
): { records: HistoryRecord[]; why: string | null } {
  const none = (why: string) => ({ records: [], why });
  if (records.length === 0) return none("the store has no record yet");
  const ofBranch = records.filter((record) => record.branch === branch);
  if (ofBranch.length === 0) {
    const names = [...new Set(records.map((record) => record.branch))].slice(0, 3).map((name) => JSON.stringify(name));
    return none(`the store has records of the branch ${names.join(", ")}, none of ${JSON.stringify(branch)}`);
  }
  const ofAnchor = ofBranch.filter((record) => record.anchor.id === anchor.id);
  if (ofAnchor.length === 0) {
    const other = (ofBranch.at(-1) as HistoryRecord).anchor;
    return none(
      `the newest record of ${branch} was measured against ${other.label} (${shortId(other.id)}), this run against ${anchor.label} (${shortId(anchor.id)})`,
    );
  }
  const alike = ofAnchor.filter((record) => differing(record.conditions.must, must).length === 0);
  if (alike.length > 0) return { records: alike, why: null };
  const newest = ofAnchor.at(-1) as HistoryRecord;
  return none(
    `the newest record, ${nameOf(newest)}, has other conditions: ${differing(newest.conditions.must, must).join(", ")}`,
  );
}

/** Records a run takes along: enough to find the last step among them. */
const KEPT = 100;
/** Records it takes along only to say what is different. */
const KEPT_OTHERS = 5;

/** What a run needs of a store: the newest records of its branch and anchor, else those that come nearest. */
export function worthKeeping(records: readonly HistoryRecord[], { branch, anchor, must }: Wanted): HistoryRecord[] {
  const ofBranch = records.filter((record) => record.branch === branch);
  const own = ofBranch.filter((record) => record.anchor.id === anchor.id);
  const alike = own.filter((record) => differing(record.conditions.must, must).length === 0);
  if (alike.length > 0) return alike.slice(-KEPT);
  if (own.length > 0) return own.slice(-KEPT_OTHERS);
  return (ofBranch.length > 0 ? ofBranch : records).slice(-KEPT_OTHERS);
}

const CONDITION_LABEL: Record<keyof Conditions["must"], string> = {
  driver: "driver",
  cpuModel: "CPU",
  logicalCpus: "CPUs",
  php: "PHP",
  k6: "k6",
};

/** "PHP 8.3 (here 8.4)" for each condition that is known and not the same. */
function differing(record: Conditions["must"], run: Partial<Conditions["must"]>): string[] {
  const keys = Object.keys(CONDITION_LABEL) as (keyof Conditions["must"])[];
  return keys
    .filter((key) => run[key] !== undefined && run[key] !== record[key])
    .map((key) => `${CONDITION_LABEL[key]} ${record[key] ?? "unknown"} (here ${run[key] ?? "unknown"})`);
}

/** A record in a sentence: "c0ffee1 of 2026-11-20". */
function nameOf({ commit, recordedAt }: HistoryRecord): string {
  return `${commit.slice(0, 7)} of ${recordedAt.slice(0, 10)}`;
}

const shortId = (id: string): string => id.replace(/^sha256:/, "").slice(0, 7);

export interface CellRecords {
  /** Oldest first. */
  records: HistoryRecord[];
  /** The figure in each. */
  figures: RecordFigure[];
  why: string | null;
}

/** The newest records, or the oldest, that hold the same figure of the same cell, or why there are none. */
export function recordsOf(
  records: readonly HistoryRecord[],
  cell: string,
  suite: string,
  statistic: "qps" | LatencyStatistic,
  which: "newest" | "oldest" = "newest",
): CellRecords {
  const found: { record: HistoryRecord; own: RecordCell }[] = [];
  for (const record of records) {
    const own = record.cells.find(({ id }) => id === cell);
    if (own !== undefined) found.push({ record, own });
  }
  const last = found.at(-1);
  const none = (why: string): CellRecords => ({ records: [], figures: [], why });
  if (last === undefined) return none("no record has this cell");
  const asked = found.filter(({ own }) => own.suite === suite);
  if (asked.length === 0) {
    return none(
      `the newest record of it, ${nameOf(last.record)}, asked for something else (suite ${last.own.suite}, now ${suite})`,
    );
  }
  const figures = asked.flatMap(({ record, own }) => {
    const figure = statistic === "qps" ? own.qps : own.latency?.statistic === statistic ? own.latency : null;
    return figure === null ? [] : [{ record, figure }];
  });
  if (figures.length === 0) {
    return none(`its records hold ${asked.at(-1)?.own.latency?.statistic ?? "no latency"}, this run ${statistic}`);
  }
  const taken = which === "newest" ? figures.slice(-MOST) : figures.slice(0, MOST);
  return { records: taken.map(({ record }) => record), figures: taken.map(({ figure }) => figure), why: null };
}

/** The records after the last step of what a test compares: what was before is not what is to be expected. */
export function sinceLastStep(
  records: readonly HistoryRecord[],
  steps: readonly ChangePoint[],
  { cell, metric }: Pick<TestState, "cell" | "metric">,
): readonly HistoryRecord[] {
  const last = steps.findLast((step) => step.cell === cell && step.metric === metric);
  return last === undefined ? records : records.slice(records.findIndex(({ id }) => id === last.after));
}

// ---------------------------------------------------------------- the rule

/** What the error rates are shared by, and the spread that is expected before there are records (sd of a log ratio). */
export interface StoredRule {
  tests: number;
  alpha: number;
  beta: number;
  noise: number;
}

export interface StoredLook {
  verdict: "pass" | "regression" | "inconclusive";
  /** Ratio of head to what the records lead to expect; n = records. */
  estimate: Estimate;
  p: number;
}

/** What the rule takes of a figure: log ratio head/anchor, and the sd of that over rounds. */
export type Measured = Pick<RecordFigure, "logRatio" | "sd" | "rounds">;

/**
 * One run against the records: a prediction interval for the next job, its variance
 * moderated towards the expected noise (Smyth 2004, limma's squeezeVar). How well a job knows its own ratio is part of
 * the spread between jobs; a run that knows it worse than the records did gets the difference added. The interval lies
 * wholly on one side of the line exactly where the verdict is red or green.
 *
 * @param records at least one
 */
export function judgeStored(
  fresh: Measured,
  records: readonly Measured[],
  { line, direction }: Pick<TestState, "line" | "direction">,
  { tests, alpha, beta, noise }: StoredRule,
): StoredLook {
  const n = records.length;
  const { mean, between, df } = spreadOf(records, noise);
  const excess = Math.max(0, errorOf(fresh) - meanOf(records, errorOf));
  const se = Math.sqrt(between * (1 + 1 / n) + excess);
  // As for rounds (decide.ts): signed, less the margin, so that 0 is the line and negative is worse.
  const x = direction * (fresh.logRatio - mean - Math.log(line));
  const low = x - tQuantile(1 - beta, df) * se;
  const high = x + tQuantile(1 - alpha / tests, df) * se;
  const toRatio = (value: number) => Math.exp(direction * value + Math.log(line));
  const ends = [toRatio(low), toRatio(high)];
  return {
    verdict: high < 0 ? "regression" : low > 0 ? "pass" : "inconclusive",
    estimate: { n, ratio: toRatio(x), low: Math.min(...ends), high: Math.max(...ends) },
    p: tCdf(x / se, df),
  };
}

/** Mean of records, and their variance, moderated towards the expected noise. */
export function spreadOf(records: readonly Measured[], noise: number): { mean: number; between: number; df: number } {
  const n = records.length;
  const mean = meanOf(records, ({ logRatio }) => logRatio);
  const squares = n * meanOf(records, ({ logRatio }) => (logRatio - mean) ** 2);
  const df = PRIOR_DF + n - 1;
  return { mean, between: (PRIOR_DF * noise ** 2 + squares) / df, df };
}

/** Variance of the mean over the rounds of one job. */
const errorOf = ({ sd, rounds }: Measured): number => sd ** 2 / rounds;

export function meanOf<T>(values: readonly T[], pick: (value: T) => number): number {
  return values.reduce((sum, value) => sum + pick(value), 0) / values.length;
}

// ---------------------------------------------------------------- a run

/** What the records say about a run. */
export interface StoredResult {
  /** Cell id -> its comparisons with the records, in the order of testsOf; only of cells that are judged. */
  tests: Map<string, TestResult[]>;
  since: Map<string, Since>;
  /** What the newest comparable record counted per request of a scenario, exactly. */
  counts(scenario: string): CensusArm["counts"];
  summary: StoredSummary;
}

/** Compares a run that was measured against its anchor with the records of its history. */
export function compareStored(
  { plan, cells, rule }: Run,
  environment: Environment | null,
  history: History | null,
): StoredResult {
  const { stored, config } = plan;
  if (stored === undefined) throw new Error("a run without an anchor has no records");
  const must = environment === null ? {} : conditionsOf(plan, environment).must;
  // A run that has been recorded already is none of its own records.
  const others = (history?.records ?? []).filter(({ recordedAt }) => recordedAt !== environment?.startedAt);
  const wanted = { ...stored, must };
  const { records, why } = comparable(worthKeeping(others, wanted), wanted);
  const steps = changePoints(records);
  const { maxQpsDrop, maxP99Rise, noise } = config.baseline;
  const tests = new Map<string, TestResult[]>();
  const since = new Map<string, Since>();
  const used = new Set<HistoryRecord>();
  for (const state of cells) {
    const { cell, scenario, pilot } = state;
    const statistic = pilot?.statistic ?? "p99";
    const [qps, latency] = [figureOf(state, "qps"), figureOf(state, statistic)];
    // Against another application, a ratio says nothing of the service.
    if (qps !== null && stored.anchor.label !== REFERENCE) {
      since.set(cell.id, { qps: sinceAnchor(qps), latency: latency && sinceAnchor(latency) });
    }
    const limits = { ...scenario.limits, maxQpsDrop, maxP99Rise, minQps: null, maxP99Ms: null };
    const results = testsOf(cell, statistic, limits).map((test) => {
      const level = sinceLastStep(records, steps, test);
      const found = recordsOf(level, cell.id, stored.suites[cell.id] ?? "", test.statistic);
      for (const record of found.records) used.add(record);
      return storedTest(state, test, { ...found, why: why ?? found.why }, { ...rule, noise });
    });
    if (state.status === "judged") tests.set(cell.id, results);
  }
  const newestFirst = records.filter((record) => used.has(record)).reverse();
  const { anchor, store, branch } = stored;
  return {
    tests,
    since,
    counts: (scenario) => {
      const own = new Set(cells.flatMap(({ cell }) => (cell.scenario === scenario ? [cell.id] : [])));
      const asked = newestFirst.filter((record) =>
        record.cells.some(({ id, suite }) => own.has(id) && stored.suites[id] === suite),
      );
      return countsOf(asked, scenario);
    },
    summary: { anchor, store, branch, missing: history?.missing ?? true, records: newestFirst.map(nameFields) },
  };
}

/** What a report says of a record. */
export function nameFields({ id, commit, recordedAt, url }: HistoryRecord): StoredSummary["records"][number] {
  return { id, commit, recordedAt, url };
}

function countsOf(newestFirst: readonly HistoryRecord[], scenario: string): CensusArm["counts"] {
  const counts = newestFirst.flatMap(({ census }) => census.filter((entry) => entry.scenario === scenario))[0]?.counts;
  const exact = (perRequest: number): Count => ({ perRequest, min: perRequest, max: perRequest, exact: true });
  return Object.fromEntries(Object.entries(counts ?? {}).map(([name, perRequest]) => [name, exact(perRequest)]));
}

function storedTest(state: CellState, test: TestState, { figures, why }: CellRecords, rule: StoredRule): TestResult {
  const { id, metric, statistic, line } = test;
  const figure = figureOf(state, statistic);
  const mean = meanOf(figures, ({ logRatio }) => logRatio);
  const blank = { id, metric, statistic, line, limit: null, confirmation: null, estimate: null, p: null };
  const unknown = { ...blank, verdict: "inconclusive" as const, base: null, logRatios: [], path: [] };
  if (figure === null) return { ...unknown, head: null, reasons: [tooFew(state.rounds.length)] };
  if (why !== null) return { ...unknown, head: figure.head, reasons: [{ code: "no-baseline", text: why }] };
  const look = judgeStored(figure, figures, test, rule);
  const value = (slot: SlotSample) => measuredValue(slot, statistic);
  return {
    ...blank,
    ...look,
    base: figure.anchor * Math.exp(mean),
    head: figure.head,
    logRatios: state.rounds.map(({ base, head }) => Math.log(value(head) / value(base)) - mean),
    path: [{ ...look.estimate, n: state.rounds.length }],
    reasons: look.verdict === "inconclusive" ? [undecided(figures.length)] : [],
  };
}

function tooFew(rounds: number): Reason {
  if (rounds === 0) return { code: "no-samples", text: "no clean round was measured" };
  const text = `${rounds} clean ${rounds === 1 ? "round" : "rounds"}; nothing is compared with fewer than ${FIRST_LOOK}`;
  return { code: "undecided", text };
}

function undecided(records: number): Reason {
  const text = `undecided against ${records} ${records === 1 ? "record" : "records"}: jobs of the same code differ by as much`;
  return { code: "undecided", text };
}

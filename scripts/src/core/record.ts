import type {
  Cell,
  Census,
  Config,
  ConnectionPolicy,
  CountName,
  DriverName,
  Environment,
  Estimate,
  LatencyStatistic,
  Plan,
  SampleLine,
  Scenario,
  SlotSample,
} from "./model.ts";
import { cellsOf } from "./plan.ts";
import { type CellState, FIRST_LOOK, replay } from "./replay.ts";
import { tQuantile } from "./stats/distributions.ts";
import { FLOOR, median, scaledMad, winsorised } from "./stats/robust.ts";
import { measuredValue } from "./test-state.ts";

/**
 * What a store holds: one line of JSON per run, a HistoryRecord. A run that is recorded compares a commit (its head)
 * with a frozen version (its base, the anchor), round by round like any other; what is kept of a cell is the ratio of
 * the two beside the absolute figures, so that a faster machine is not a faster service.
 */
export interface HistoryRecord {
  version: 1;
  /** See `recordId`: one that is stored twice is one. */
  id: string;
  /** Start of the run; ISO 8601, UTC. */
  recordedAt: string;
  /** Commit that was measured, 40 hex digits, and when it was committed (ISO 8601, UTC; null = not known). */
  commit: string;
  committedAt: string | null;
  branch: string;
  /** Where the run can be looked at; null = nowhere. */
  url: string | null;
  anchor: Anchor;
  conditions: Conditions;
  /** Cells with fewer clean rounds than a verdict needs are left out. */
  cells: RecordCell[];
  /** Counts per request of the commit, by scenario; only exact ones. */
  census: { scenario: string; counts: Partial<Record<CountName, number>> }[];
}

/**
 * Anchor of figures that another program has measured, without one: they are shown, and no verdict rests on them. What
 * they are relative to is 1 request/s or 1 ms (`RecordFigure.anchor` = 1), so that a log ratio is the log of the figure;
 * one round, sd 0: their spread is not known.
 */
export const NO_ANCHOR = "none";

/** Label of the anchor where the configuration names none. */
export const REFERENCE = "reference application";

export interface Anchor {
  /** What the user calls it: a tag, an image's name. */
  label: string;
  /**
   * What it is: a commit (40 hex digits), the digest of an image or of the reference application (sha256:...), or
   * NO_ANCHOR. Only records with the same id compare.
   */
  id: string;
}

/** Under which conditions a run was made. `must` has to match before two records may be compared, `also` is reported. */
export interface Conditions {
  must: {
    driver: DriverName;
    cpuModel: string;
    logicalCpus: number;
    /** "8.4"; null where PHP cannot be asked. */
    php: string | null;
    /** "1.8" */
    k6: string;
  };
  /** Kernel, system, and versions of tools by name; what is not known is left out. */
  also: Record<string, string>;
}

export interface RecordCell {
  /** "<scenario> @<level>" */
  id: string;
  connection: ConnectionPolicy;
  /** SHA-256 over what is asked and how (work, checks, connection, load, level), the first 12 hex digits. */
  suite: string;
  /** null where NO_ANCHOR and only the latency was known. */
  qps: RecordFigure | null;
  /** null for slots without a latency. */
  latency: (RecordFigure & { statistic: LatencyStatistic }) | null;
}

/** Medians over the rounds in requests/s or ms, and the rounds' log ratios head/anchor: winsorised mean, sd, how many. */
export interface RecordFigure {
  head: number;
  anchor: number;
  logRatio: number;
  sd: number;
  rounds: number;
}

/** Id of a record, from its content: SHA-256 over its JSON without the id, the first 16 hex digits. */
export function recordId(
  record: Omit<HistoryRecord, "id"> & { id?: string },
  sha256: (text: string) => string,
): string {
  return sha256(JSON.stringify({ ...record, id: undefined })).slice(0, 16);
}

/** What a record needs to know beside the files of its run. */
export interface RecordFacts {
  commit: string;
  committedAt: string | null;
  branch: string;
  url: string | null;
}

/**
 * The record of a run that was measured against an anchor.
 *
 * @param sha256 SHA-256 of a text, hex
 * @throws Error where the plan has no anchor: see it first
 */
export function recordOf(
  {
    plan,
    environment,
    census,
    lines,
  }: { plan: Plan; environment: Environment; census: Census; lines: readonly SampleLine[] },
  { commit, committedAt, branch, url }: RecordFacts,
  sha256: (text: string) => string,
): HistoryRecord {
  if (plan.stored === undefined) throw new Error("a run without an anchor has no record");
  const rest: Omit<HistoryRecord, "version" | "id"> = {
    recordedAt: environment.startedAt,
    commit,
    committedAt,
    branch,
    url,
    anchor: plan.stored.anchor,
    conditions: conditionsOf(plan, environment),
    cells: replay(plan, census, lines).cells.flatMap((state) => recordCell(plan, state) ?? []),
    census: census.scenarios.map(({ scenario, arms }) => ({ scenario, counts: exactCounts(arms.head.counts) })),
  };
  return { version: 1, id: recordId({ version: 1, ...rest }, sha256), ...rest };
}

function exactCounts(
  counts: Census["scenarios"][number]["arms"]["head"]["counts"],
): Partial<Record<CountName, number>> {
  const exact = Object.entries(counts).filter(([, count]) => count.exact);
  return Object.fromEntries(exact.map(([name, count]) => [name, count.perRequest]));
}

/** The conditions of a run. */
export function conditionsOf(plan: Pick<Plan, "driver">, { machine, tools, php }: Environment): Conditions {
  const { k6 = "unknown", ...others } = tools;
  return {
    must: {
      driver: plan.driver,
      cpuModel: machine.cpuModel,
      logicalCpus: machine.logicalCpus,
      php: php.head === null ? null : minor(php.head.version),
      k6: minor(k6),
    },
    also: { kernel: machine.kernel, os: machine.os, k6, ...others, ...(php.head && { php: php.head.version }) },
  };
}

/** "8.4.11" -> "8.4" */
export function minor(version: string): string {
  return /^v?(\d+\.\d+)/.exec(version)?.[1] ?? version;
}

/**
 * What is asked of a cell and how, as a hash: other margins or other cells beside it leave it as it is.
 *
 * @param flow text of the scenario's flow; null for a request
 * @param trace whether requests carry a trace context: a service may work more for those
 */
export function suiteOf(
  cell: Cell,
  scenario: Scenario,
  flow: string | null,
  sha256: (text: string) => string,
  trace = false,
): string {
  const { work, checks, connection, load } = scenario;
  const how = load.model === "ramp" ? load : { model: load.model, level: cell.level };
  const asked = work.kind === "flow" ? { kind: work.kind, text: flow } : work;
  return sha256(JSON.stringify([asked, checks, connection, how, ...(trace ? ["trace"] : [])])).slice(0, 12);
}

/**
 * Suite of every cell of a configuration.
 *
 * @param flowText text of a flow's file; null where it is not known, and then nor is the suite of its cells
 */
export function suitesOf(
  config: Config,
  flowText: (file: string) => string | null,
  sha256: (text: string) => string,
): Record<string, string> {
  const scenarios = new Map(config.scenarios.map((scenario) => [scenario.name, scenario]));
  const suites = cellsOf(config).flatMap((cell) => {
    const scenario = scenarios.get(cell.scenario);
    if (scenario === undefined) return [];
    const { work } = scenario;
    const flow = work.kind === "flow" ? flowText(work.file) : null;
    if (work.kind === "flow" && flow === null) return [];
    return [[cell.id, suiteOf(cell, scenario, flow, sha256, config.measure.trace)] as const];
  });
  return Object.fromEntries(suites);
}

function recordCell(plan: Plan, state: CellState): RecordCell | null {
  const { cell, scenario } = state;
  const qps = rounded(figureOf(state, "qps"));
  const suite = plan.stored?.suites[cell.id];
  if (qps === null || suite === undefined) return null;
  const statistic = state.pilot?.statistic ?? "p99";
  const latency = rounded(figureOf(state, statistic));
  return { id: cell.id, connection: scenario.connection, suite, qps, latency: latency && { ...latency, statistic } };
}

/** Six digits, of which three mean something: 8 cells fit into 4 kB. */
function rounded(figure: RecordFigure | null): RecordFigure | null {
  if (figure === null) return null;
  const six = (value: number) => Number(value.toPrecision(6));
  const { head, anchor, logRatio, sd, rounds } = figure;
  return { head: six(head), anchor: six(anchor), logRatio: six(logRatio), sd: six(sd), rounds };
}

/** What a record keeps of one figure of a cell; null with fewer clean rounds than a verdict needs. */
export function figureOf({ status, rounds }: CellState, statistic: "qps" | LatencyStatistic): RecordFigure | null {
  if (status !== "judged" || rounds.length < FIRST_LOOK) return null;
  const value = (slot: SlotSample) => measuredValue(slot, statistic);
  const logs = rounds.map(({ base, head }) => Math.log(value(head) / value(base)));
  const values = winsorised(logs, Math.max(scaledMad(logs), FLOOR));
  const mean = values.reduce((sum, log) => sum + log, 0) / values.length;
  const squares = values.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  return {
    head: median(rounds.map(({ head }) => value(head))),
    anchor: median(rounds.map(({ base }) => value(base))),
    logRatio: mean,
    sd: Math.sqrt(squares / (values.length - 1)),
    rounds: values.length,
  };
}

/** A record's figure as the ratio head/anchor with its 95% interval (Student's t over its rounds); jobs differ by more. */
export function sinceAnchor({ logRatio, sd, rounds }: RecordFigure): Estimate {
  const half = rounds < 2 ? 0 : (tQuantile(0.975, rounds - 1) * Math.max(sd, FLOOR)) / Math.sqrt(rounds);
  return { n: rounds, ratio: Math.exp(logRatio), low: Math.exp(logRatio - half), high: Math.exp(logRatio + half) };
}

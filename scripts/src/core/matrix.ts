import { InputError } from "./errors.ts";
import type {
  ArmFigures,
  ArmSource,
  Cell,
  Config,
  CountName,
  DriverName,
  Environment,
  LatencyStatistic,
  Layout,
  MatrixConfig,
  PhasesMs,
  SlotSample,
  Variant,
} from "./model.ts";
import { nginxByKey } from "./nginx.ts";
import { tQuantile } from "./stats/distributions.ts";
import { FLOOR, median, scaledMad, winsorised } from "./stats/robust.ts";

/** Points of a grid, the reference included: each is a pair of arms that stand side by side on the machine. */
const MOST_POINTS = 48;

/** One combination of levels. */
export interface Point {
  /** "connection=short, jit=off"; "as configured" where there are no factors. */
  name: string;
  /** Factor -> level. */
  levels: Record<string, string>;
  /** What its levels set together. */
  variant: Variant;
}

/** Change against the reference as a ratio, with its 95% interval. */
export interface Effect {
  ratio: number;
  low: number;
  high: number;
}

/** Mean of log ratios; `variance` is that of the mean. */
export interface LogMean {
  mean: number;
  variance: number;
  df: number;
}

/**
 * The points of a grid, the reference first: every combination of levels, or each level with the first of the others,
 * in their order.
 *
 * @throws InputError where two factors set the same thing, or where there are too many points
 */
export function pointsOf(matrix: MatrixConfig): Point[] {
  checkApart(matrix);
  const factors = Object.entries(matrix.factors).map(([factor, levels]) => ({ factor, names: Object.keys(levels) }));
  const count =
    matrix.design === "full"
      ? factors.reduce((product, { names }) => product * names.length, 1)
      : factors.reduce((sum, { names }) => sum + names.length - 1, 1);
  if (count > MOST_POINTS) {
    throw new InputError(
      `matrix.factors: allowed are up to ${MOST_POINTS} points; these levels make ${count}. ` +
        "Take some away, or write design: one-at-a-time",
    );
  }
  const reference = Object.fromEntries(factors.map(({ factor, names }) => [factor, names[0] as string]));
  const combinations =
    matrix.design === "full"
      ? factors.reduce<Record<string, string>[]>(
          (sofar, { factor, names }) => sofar.flatMap((levels) => names.map((name) => ({ ...levels, [factor]: name }))),
          [{}],
        )
      : [
          reference,
          ...factors.flatMap(({ factor, names }) => names.slice(1).map((name) => ({ ...reference, [factor]: name }))),
        ];
  return combinations.map((levels) => ({ name: nameOf(levels), levels, variant: together(matrix, levels) }));
}

function nameOf(levels: Record<string, string>): string {
  const parts = Object.entries(levels).map(([factor, level]) => `${factor}=${level}`);
  return parts.length === 0 ? "as configured" : parts.join(", ");
}

/** What the levels set together; checkApart has seen to it that no two set the same. */
function together({ factors }: MatrixConfig, levels: Record<string, string>): Variant {
  const sum: Variant = { env: {}, php: {}, links: {} };
  const ini: Record<string, string> = {};
  const queries: string[] = [];
  for (const [factor, level] of Object.entries(levels)) {
    const named = factors[factor] as Record<string, Variant>;
    const { env, php, nginx, links, query, ...rest } = named[level] as Variant;
    Object.assign(sum, rest);
    Object.assign(sum.env, env);
    Object.assign(sum.php, php);
    Object.assign(ini, php.ini);
    if (nginx !== undefined) sum.nginx = { ...sum.nginx, ...nginx };
    Object.assign(sum.links, links);
    if (query !== undefined) queries.push(query);
  }
  if (Object.keys(ini).length > 0) sum.php.ini = ini;
  if (queries.length > 0) sum.query = queries.join("&");
  return sum;
}

/** @throws InputError where two factors set the same: the effect of one would depend on the order of the file. */
function checkApart({ factors }: MatrixConfig): void {
  const setBy = new Map<string, string>();
  for (const [factor, levels] of Object.entries(factors)) {
    if (Object.keys(levels).length === 0) {
      throw new InputError(`matrix.factors.${factor}: expected one or more levels; it has none. Remove it`);
    }
    for (const key of new Set(Object.values(levels).flatMap(keysOf))) {
      const other = setBy.get(key);
      if (other !== undefined) {
        throw new InputError(
          `matrix.factors: ${key} is set by one factor alone; ${other} and ${factor} both set it. ` +
            "Make them one factor with a level for each combination",
        );
      }
      setBy.set(key, factor);
    }
  }
}

/** What a variant sets, as the file names it. */
function keysOf({ env, php, nginx = {}, links, query, ...rest }: Variant): string[] {
  const { ini, ...fpm } = php;
  const below = (path: string, names: object = {}) => Object.keys(names).map((name) => `${path}.${name}`);
  const parameters = (query ?? "").split("&").flatMap((part) => (part === "" ? [] : `query ${part.split("=")[0]}`));
  return [
    ...below("env", env),
    ...below("php", fpm),
    ...below("php.ini", ini),
    ...below("nginx", nginxByKey(nginx)),
    ...below("links", links),
    ...parameters,
    ...Object.keys(rest),
  ];
}

/** The plan's configuration for every point of a matrix: so many rounds, and no more. */
export function configOf(config: Config, rounds: number): Config {
  return { ...config, measure: { ...config.measure, maxRounds: rounds } };
}

/**
 * Mean of the log ratios of rounds, winsorised as in the decision rule; null where a spread cannot be told.
 *
 * @param logRatios one for each clean round
 */
export function logMean(logRatios: readonly number[]): LogMean | null {
  const n = logRatios.length;
  if (n < 2) return null;
  const values = winsorised(logRatios, Math.max(FLOOR, scaledMad(logRatios)));
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: Math.max(squares / (n - 1), (FLOOR / 2) ** 2) / n, df: n - 1 };
}

/** The ratio and its 95% interval by Student's t. */
export function effectOf({ mean, variance, df }: LogMean): Effect {
  const reach = tQuantile(0.975, df) * Math.sqrt(variance);
  return { ratio: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
}

/**
 * What one level of a factor does against its first: the mean, over the combinations of the other factors, of the
 * difference between the points that have the one and the other. Degrees of freedom by Welch and Satterthwaite.
 *
 * @param points of the grid, the reference first
 * @param at mean log ratio of a point against the reference; null where it is not known
 * @returns null where no pair of points is known
 */
export function mainEffect(
  points: readonly Point[],
  factor: string,
  level: string,
  at: (point: Point) => LogMean | null,
): LogMean | null {
  const first = points[0]?.levels[factor];
  const pairs = points.flatMap((point) => {
    if (point.levels[factor] !== level) return [];
    const wanted = nameOf({ ...point.levels, [factor]: first ?? "" });
    const without = points.find(({ name }) => name === wanted);
    const [to, from] = [at(point), without === undefined ? null : without === points[0] ? NOTHING : at(without)];
    return to === null || from === null ? [] : [{ from, to }];
  });
  if (pairs.length === 0) return null;
  const { variance, df } = spreadOf(pairs.flatMap(({ from, to }) => [from, to]));
  return {
    mean: pairs.reduce((sum, { from, to }) => sum + to.mean - from.mean, 0) / pairs.length,
    variance: variance / pairs.length ** 2,
    df,
  };
}

/** Variance of a sum of independent means, and its degrees of freedom by Welch and Satterthwaite. */
function spreadOf(parts: readonly LogMean[]): Pick<LogMean, "variance" | "df"> {
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  return { variance, df: variance ** 2 / parts.reduce((sum, part) => sum + part.variance ** 2 / part.df, 0) };
}

/** The reference against itself. */
const NOTHING: LogMean = { mean: 0, variance: 0, df: 1 };

/** What was measured of one cell at one point. Medians over clean rounds; ms, requests/s, cores, bytes. */
export interface MatrixCell {
  cell: Cell;
  /** What `latency` compares. */
  statistic: LatencyStatistic;
  /** Clean rounds. */
  rounds: number;
  struck: number;
  /** Why there is nothing to show, or less than was asked for; null where all is well. */
  why: string | null;
  figures: ArmFigures | null;
  /** Growth of the arm's memory per 1,000 requests, over the clean slots; null where it cannot be read. */
  growthBytes: number | null;
  /** Counts per request. */
  counts: Partial<Record<CountName, number>>;
  /** Medians over the clean slots; null where there is none, absent where the matrix does not ask for them. */
  phasesMs?: PhasesMs | null;
  /** Against the reference; null at the reference itself, and where no spread can be told. */
  qps: Effect | null;
  latency: Effect | null;
}

export interface MatrixPoint {
  name: string;
  levels: Record<string, string>;
  /** Work directory of its run, below that of the matrix; null for the reference, which is the base of every run. */
  directory: string | null;
  cells: MatrixCell[];
}

/** What one level of a factor does against its first, over all points that differ in nothing else. */
export interface MatrixEffect {
  factor: string;
  level: string;
  reference: string;
  cell: string;
  qps: Effect | null;
  latency: Effect | null;
}

/** What one stage adds to the one before, in one cell. */
export interface MatrixStage {
  /** Level of the factor. */
  stage: string;
  cell: string;
  /** CPU time of the arm per request, ms: that of the reference times the change against it; null where it is not known. */
  cpuMs: number | null;
  /** CPU time per request that is added, ms, with its 95% interval; null of the first, and where it is not known. */
  addedCpuMs: { value: number; low: number; high: number } | null;
  /** Change against the stage before; null as above. */
  qps: Effect | null;
  latency: Effect | null;
}

export type StageMetric = "cpu" | "qps" | "latency";

/** matrix.json */
export interface MatrixResult {
  version: 1;
  /** ISO 8601, UTC. */
  startedAt: string;
  arms: Pick<ArmSource, "label" | "commit">;
  driver: DriverName;
  design: MatrixConfig["design"];
  rounds: number;
  machine: Environment["machine"];
  /** Tool -> version. */
  tools: Environment["tools"];
  layout: Layout;
  /** The reference first. */
  points: MatrixPoint[];
  /** Of a full design with more than one factor; else the points say the same. */
  effects: MatrixEffect[];
  /** Of a design of stages: all of a cell in their order. */
  stages: MatrixStage[];
  interrupted: boolean;
  wallSeconds: number;
}

/**
 * What each stage adds to the one before: the difference of the two's changes against the reference. Each was measured
 * beside a reference of its own, so that they are independent.
 *
 * @param points in the order of the stages, the reference first
 * @param at mean log ratio of a point against the reference; null where it is not known
 */
export function stagesOf(
  points: readonly MatrixPoint[],
  at: (point: MatrixPoint, cell: string, metric: StageMetric) => LogMean | null,
): MatrixStage[] {
  const [reference] = points;
  const against = (point: MatrixPoint | undefined, cell: string, metric: StageMetric) =>
    point === undefined ? null : point === reference ? NOTHING : at(point, cell, metric);
  return (reference?.cells ?? []).flatMap(({ cell: { id }, figures }) =>
    points.map((point, index): MatrixStage => {
      const added = (metric: StageMetric) => {
        const [from, to] = [against(points[index - 1], id, metric), against(point, id, metric)];
        return from && to && effectOf({ mean: to.mean - from.mean, ...spreadOf([from, to]) });
      };
      const cpuOf = (one: MatrixPoint | undefined) => {
        const change = against(one, id, "cpu");
        return change && figures?.cpuMsPerRequest ? figures.cpuMsPerRequest * Math.exp(change.mean) : null;
      };
      const [before, cpu] = [cpuOf(points[index - 1]), added("cpu")];
      return {
        stage: Object.values(point.levels).join(", "),
        cell: id,
        cpuMs: cpuOf(point),
        addedCpuMs: before === null || cpu === null ? null : scaled(cpu, before),
        qps: added("qps"),
        latency: added("latency"),
      };
    }),
  );
}

/** A change of something, in its unit. */
function scaled({ ratio, low, high }: Effect, of: number): { value: number; low: number; high: number } {
  return { value: of * (ratio - 1), low: of * (low - 1), high: of * (high - 1) };
}

/** Log ratios head/base of the CPU time per request, of the rounds in which both arms' was read. */
export function cpuLogRatios(rounds: readonly { base: SlotSample; head: SlotSample }[]): number[] {
  const cpu = ({ witness, requests }: SlotSample) => (witness === null ? 0 : witness.targetCpuSeconds / requests);
  return rounds.flatMap(({ base, head }) => {
    const ratio = cpu(head) / cpu(base);
    return ratio > 0 && Number.isFinite(ratio) ? [Math.log(ratio)] : [];
  });
}

/** Growth of an arm's memory per 1,000 requests over its slots, bytes; null where it was not read in all of them. */
export function growthOf(slots: readonly SlotSample[]): number | null {
  const growth = slots.map(({ witness }) => witness?.targetMemoryGrowthBytes);
  const requests = slots.reduce((sum, slot) => sum + slot.requests, 0);
  if (requests === 0 || growth.includes(undefined)) return null;
  return (1000 * growth.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)) / requests;
}

/** Each phase of a request by itself: its median. null where there is nothing. */
export function medianPhases(all: readonly PhasesMs[]): PhasesMs | null {
  if (all.length === 0) return null;
  const mid = (phase: keyof PhasesMs) => median(all.map((phases) => phases[phase]));
  return { connect: mid("connect"), tls: mid("tls"), wait: mid("wait"), receive: mid("receive") };
}

/** Where QPS stops rising with the load. */
export interface Knee {
  level: number;
  qps: number;
  /** CPU of the arm at its peak there, cores; null where it cannot be read. */
  cpuPeakCores: number | null;
}

/** Share of the highest QPS that counts as having reached it; our choice. */
const NEARLY_ALL = 0.95;

/**
 * The lowest load that reaches 95% of the highest QPS; null where less than three levels were measured, and where it is
 * the highest of them: QPS may rise further.
 */
export function kneeOf(cells: readonly MatrixCell[]): Knee | null {
  const measured = cells.flatMap(({ cell: { model, level }, figures }) =>
    model !== "closed" || level === null || figures === null ? [] : [{ level, figures }],
  );
  if (measured.length < 3) return null;
  const most = Math.max(...measured.map(({ figures }) => figures.qps));
  const levels = measured.toSorted((a, b) => a.level - b.level);
  const knee = levels.find(({ figures }) => figures.qps >= NEARLY_ALL * most);
  if (knee === undefined || knee === levels.at(-1)) return null;
  return { level: knee.level, qps: knee.figures.qps, cpuPeakCores: knee.figures.cpuPeakCores };
}

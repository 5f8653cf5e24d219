import type { Anchor, HistoryRecord } from "./record.ts";

/**
 * The words of the program as types. Every file of a work directory is one of these:
 * plan.json = Plan, environment.json = Environment, census.json = Census, samples.ndjson = SampleLine per line,
 * history.json = History, comparison.json = Comparison.
 */

/** One side of a comparison. */
export type Arm = "base" | "head";
export const ARMS: readonly Arm[] = ["base", "head"];

export type Verdict = "pass" | "regression" | "inconclusive" | "error";

/** What a latency gate compares; p99 unless a slot has too few requests for it. */
export type LatencyStatistic = "p90" | "p95" | "p99";

// ---------------------------------------------------------------- configuration, after parsing

export type DriverName = "compose" | "process" | "url";
export type ConnectionPolicy = "keep-alive" | "close";
export type OnInconclusive = "pass" | "warn" | "fail";
/** `http` is a stand-in for a third party: it answers every path at once with 200 and a few bytes of JSON. */
export type ServiceName = "mysql" | "redis" | "http";

export interface PhpSettings {
  /** "8.4"; null = the newest there is. */
  version: string | null;
  /** php-fpm binary; null = the one of that version found on this machine. */
  binary: string | null;
  processManager: "static" | "dynamic" | "ondemand";
  workers: number;
  opcache: boolean;
  jit: "off" | "function" | "tracing";
  /** listen.backlog of php-fpm. */
  backlog: number;
  /** Extra ini settings, name -> value. */
  ini: Record<string, string>;
}

/** nginx in front of PHP, in the bundled target. */
export interface NginxSettings {
  /** HTTPS, with a self-signed certificate that is made for the run. */
  tls: boolean;
  /** HTTP/2 in place of HTTP/1.1. */
  http2: boolean;
  /** A line for each request, to a file that goes with the run. */
  accessLog: boolean;
  /** In front of the server of `start`. */
  proxy: boolean;
  /** Connections to that server are kept. */
  upstreamKeepAlive: boolean;
}

/** The user's own compose file; null in TargetConfig = the bundled one (docker/compose.yaml). */
export interface ComposeConfig {
  /** Compose file, relative to each arm's tree. */
  file: string;
  /** Service that answers HTTP, and its port inside the container. */
  service: string;
  port: number;
  /** Services restarted before every block; `service` alone where nothing is said. */
  restart: string[];
  /** Services started once, used by both arms. */
  shared: string[];
  /** Services whose counters the census reads; null = none. */
  census: { mysql: string | null; redis: string | null };
}

/** What one arm's PHP may use, as a pod has it. */
export interface Resources {
  /** Cores; a whole number where `by` is cpuset. */
  cpus: number;
  memoryBytes: number;
  by: "quota" | "cpuset";
}

/** A delay on the way to a service, by Toxiproxy. */
export interface Link {
  /** Port of the service; null = the usual one of its kind. */
  port: number | null;
  latencyMs: number;
  /** The delay varies by this much in both directions; at most `latencyMs`. */
  jitterMs: number;
}

/** Where the layers of builds are kept from one machine to the next: a place of buildx. */
export type BuildCache =
  /** Absolute path. */
  | { kind: "folder"; path: string }
  /** Repository of a registry, without a tag. */
  | { kind: "registry"; repository: string }
  /** GitHub's cache of the job. */
  | { kind: "gha" };

export interface TargetConfig {
  driver: DriverName | "auto";
  /** Directory below the arm's tree that is served, "." for the tree itself. */
  root: string;
  /** Front controller below `root`: every request that is no file goes to it. */
  index: string;
  /** Host header of every request. */
  host: string;
  /** Path that answers 2xx once the arm is ready; goes through PHP. */
  healthPath: string;
  /** Shell commands, run in each arm's tree before it starts, services already up. */
  prepare: string[];
  /**
   * Start command of a server that is not php-fpm; it must listen on 127.0.0.1:$PORT and stay in the foreground.
   * null = php-fpm behind nginx.
   */
  start: string | null;
  services: ServiceName[];
  env: Record<string, string>;
  php: PhpSettings;
  /** All off where nginx is not ours. */
  nginx: NginxSettings;
  compose: ComposeConfig | null;
  /** Untracked paths that an arm needs, relative to the tree: copied from the head's into trees that are checked out. */
  copy: string[];
  /** Limits of each arm's PHP; null = its share of the layout's CPUs. Driver `compose` only. */
  resources: Resources | null;
  /** Delays by service name; driver `compose` only. */
  links: Record<string, Link>;
  /** null = what the builder keeps by itself. Driver `compose` only. */
  buildCache: BuildCache | null;
  /** Where the arms already run; driver `url` only. */
  url: Record<Arm, string> | null;
}

/** A single request. */
export interface HttpRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

/** One of the requests of a mix. */
export interface MixEntry {
  /** How often it is sent, beside the weights of the others; whole. */
  weight: number;
  request: HttpRequest;
  checks: Checks;
}

/** A single request, several of them by weight, or a k6 module that makes several. */
export type Work =
  | ({ kind: "request" } & HttpRequest)
  /** Two or more; the checks are those of each. */
  | { kind: "mix"; entries: MixEntry[] }
  /** `file` is absolute: it belongs to the configuration, not to an arm. */
  | { kind: "flow"; file: string };

export interface Checks {
  /** Accepted status codes. */
  status: number[];
  bodyContains: string | null;
}

export interface Stage {
  durationSeconds: number;
  /** VUs at the end of the stage. */
  target: number;
}

export type Load =
  | { model: "closed"; vus: number[] }
  /** Requests per second; "auto" = 70% of what the pilot reached. */
  | { model: "open"; rates: (number | "auto")[]; maxVus: number }
  /** Judged on its plateau: its longest stage that keeps the VUs of the stage before. */
  | { model: "ramp"; stages: Stage[] };

/** Margins and limits of one cell; ratios (0.05 = 5%), ms, requests/s. */
export interface Limits {
  maxQpsDrop: number;
  maxP99Rise: number;
  /** Absolute limits, judged apart from the comparison; null = none. */
  minQps: number | null;
  maxP99Ms: number | null;
  /** Whether latency is gated: closed and ramp by default, open when asked. */
  gateLatency: boolean;
}

export interface Scenario {
  name: string;
  work: Work;
  connection: ConnectionPolicy;
  checks: Checks;
  load: Load;
  limits: Limits;
  /** Only the head's configuration has it: shown, not judged. */
  addedByHead?: true;
}

/** What is requested, and which answers are right. */
export type Asked = Pick<Scenario, "work" | "checks">;

export type CountName = "sqlStatements" | "dbConnections" | "redisCommands" | "responseBytes";

export interface GateConfig {
  /** Margin of the overall test, a ratio. */
  maxOverallQpsDrop: number;
  onInconclusive: OnInconclusive;
  /** Allowed growth per request of an exact count; absent = shown, not gated. */
  maxAdded: Partial<Record<CountName, number>>;
}

export interface MeasureConfig {
  budgetSeconds: number;
  /** "auto" = from the pilot, 1 s where that holds enough requests. */
  slotSeconds: number | "auto";
  warmUpSeconds: number;
  /** N of the decision rule. */
  maxRounds: number;
  /** Share of failed requests above which a slot is worthless. */
  maxErrorRate: number;
  /** CPU time of others, in cores, above which a slot is worthless; null = not checked. */
  maxForeignCores: number | null;
  /** CPU lists such as "0,2-3"; "auto" = from the machine's physical cores. */
  isolation: "auto" | "off" | { generator: string; target: string; services: string };
  /**
   * Where k6 runs: "container" = in one, in the network of both arms; "auto" = on this host where that reaches the arms.
   * Driver `compose` only.
   */
  generator: "auto" | "container";
  /** Every request under load carries a W3C trace context, and slots keep their slowest; absent = none does. */
  trace?: true;
  /** Where k6 sends every sample of a slot in addition; absent = nowhere. */
  outputs?: K6Output[];
}

/** Outputs of k6 that a configuration may name. */
export const K6_OUTPUTS = ["experimental-prometheus-rw"] as const;
export type K6Output = (typeof K6_OUTPUTS)[number];

/** Records of earlier runs as a base; ratios as in Limits. */
export interface BaselineConfig {
  /** "git:BRANCH", or the path of a file or folder. */
  store: string;
  /** Branch whose records are compared with; null = that of the run. */
  branch: string | null;
  /**
   * Frozen version that every recorded run measures along: a tag or commit, or an image by its digest; null = the bundled
   * reference application.
   */
  anchor: string | null;
  maxQpsDrop: number;
  maxP99Rise: number;
  /** Spread between runs of unchanged code that is expected before there are records, as sd of a log ratio. */
  noise: number;
}

/** What a named variant of the service sets, merged over `target` and over every scenario; see core/variants.ts. */
export interface Variant {
  env: Record<string, string>;
  php: Partial<PhpSettings>;
  /** Absent = as in the target. */
  nginx?: Partial<NginxSettings>;
  /** As in TargetConfig: null = php-fpm in place of target.start. */
  start?: string | null;
  resources?: Resources;
  links: Record<string, Link>;
  connection?: ConnectionPolicy;
  /** Parameters that every request has in addition: "a=1&b=2". */
  query?: string;
}

/** Variants in a grid; see core/matrix.ts. */
export interface MatrixConfig {
  /** The application, relative to the configuration's file; null = the current directory. */
  tree: string | null;
  /**
   * `one-at-a-time` = each level with the first of the other factors; `stages` = the levels of the only factor, each of
   * which adds to the one before.
   */
  design: "full" | "one-at-a-time" | "stages";
  /** Clean rounds of every cell at every point. */
  rounds: number;
  /** Factor -> level -> what it sets; the first level is the reference. */
  factors: Record<string, Record<string, Variant>>;
  /** Where the time of a request goes is shown too; absent = it is not. */
  timings?: true;
}

export interface Config {
  target: TargetConfig;
  scenarios: Scenario[];
  /** By name; absent = there are none. */
  variants?: Record<string, Variant>;
  /** Absent = there is none. */
  matrix?: MatrixConfig;
  gate: GateConfig;
  measure: MeasureConfig;
  baseline: BaselineConfig;
}

// ---------------------------------------------------------------- plan.json

export interface ArmSource {
  /** What the user called it: a path, a ref, a URL. */
  label: string;
  /** Absolute path of the tree; null for driver `url` and for an image. */
  directory: string | null;
  /** Commit of the tree where git knows it. */
  commit: string | null;
  /** Repository to take `commit` from into `directory` while measuring; null = the directory is the user's own. */
  repository: string | null;
  /** Image reference with its digest (name@sha256:...); null = the arm is no image. Driver `compose` only. */
  image: string | null;
}

/** What one arm has of its own, in place of what the configuration says. */
export interface OwnConfig {
  target: TargetConfig;
  /** Of another application: what it is asked in every cell; connection policy and load are those of the cell. */
  asked?: Asked;
  /** As in Variant. */
  connection?: ConnectionPolicy;
  query?: string;
}

/** Logical CPUs, ascending. */
export interface Layout {
  generator: number[];
  target: number[];
  services: number[];
  /** True where the generator has a core of its own. */
  isolated: boolean;
  /** The layout in a sentence. */
  note: string;
}

/** A scenario at one load level: what is judged. */
export interface Cell {
  /** "<scenario> @<level>", unique in a plan. */
  id: string;
  scenario: string;
  model: Load["model"];
  /** VUs (closed, plateau of a ramp) or requests/s (open; null = 70% of the pilot's). */
  level: number | null;
}

/** A run that is compared with records and can become one: its base arm is the anchor. */
export interface StoredBase {
  anchor: Anchor;
  /** The store, as it calls itself. */
  store: string;
  /** Branch whose records count. */
  branch: string;
  /** Cell id -> suite of a record's cell: what is asked and how. */
  suites: Record<string, string>;
  /** Tree whose configuration judges, where that is neither arm's; its flows are in it. */
  judge?: ArmSource;
}

/** Records of the base's branch, shown beside a base that is measured. Nothing is judged by them. */
export interface Beside extends Pick<StoredBase, "store" | "branch" | "suites"> {
  /** Why they could not be read; absent = they are in history.json. */
  unread?: string;
}

export interface Plan {
  version: 1;
  /** SHA-256 over the rest, hex. */
  id: string;
  /** Seed of every random order in the run. */
  seed: number;
  arms: Record<Arm, ArmSource>;
  /** True where both arms are the same tree: an A/A run. */
  sameSource: boolean;
  driver: DriverName;
  /** What is measured and judged by: the base's, and what the head's adds to it. */
  config: Config;
  /** The head's own where it says something else; null = the head has removed it; absent = they say the same. */
  headConfig?: Config | null;
  /** Arms that are not started and asked as `config` says; absent = both are. See core/arms.ts. */
  own?: Partial<Record<Arm, OwnConfig>>;
  cells: Cell[];
  layout: Layout;
  /** Absent where the base is measured. */
  stored?: StoredBase;
  /** Absent where there are none to show, and with a stored base. */
  beside?: Beside;
  /** Why the base is measured though records were asked for. */
  insteadOfRecords?: string;
}

// ---------------------------------------------------------------- environment.json

export interface PhpState {
  version: string;
  sapi: string;
  opcache: boolean;
  /** Effective JIT: "off", "function", "tracing", or what the ini says ("disable"). */
  jit: string;
  jitBufferBytes: number;
  xdebug: boolean;
  processManager: string;
  workers: number;
  extensions: string[];
}

export interface Environment {
  version: 1;
  planId: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  machine: {
    cpuModel: string;
    logicalCpus: number;
    physicalCores: number;
    memoryBytes: number;
    kernel: string;
    os: string;
    cgroup: "v1" | "v2" | "none";
  };
  /** Tool -> version: node, k6, php, nginx, mysql, redis. */
  tools: Record<string, string>;
  php: Record<Arm, PhpState | null>;
  /** Sentences a reader must see: Xdebug on, OPcache off, JIT silently disabled, one shared core. */
  warnings: string[];
}

// ---------------------------------------------------------------- census.json

export interface Count {
  /** Mean per request over all repeats. */
  perRequest: number;
  min: number;
  max: number;
  /** True where every repeat gave the same number. */
  exact: boolean;
}

export interface CensusArm {
  /** Distinct status codes seen, ascending; 0 = no answer. */
  statuses: number[];
  /** Share of requests that missed the scenario's checks. */
  failedShare: number;
  counts: Partial<Record<CountName, Count>>;
}

export interface Census {
  version: 1;
  planId: string;
  requestsPerRepeat: number;
  repeats: number;
  /** One per scenario, in plan order. */
  scenarios: { scenario: string; arms: Record<Arm, CensusArm> }[];
}

// ---------------------------------------------------------------- samples.ndjson

export interface LatencyMs {
  avg: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  max: number;
}

/** Where the time of a request goes, mean per request, ms; latencies begin after `tls`. */
export interface PhasesMs {
  /** To connect, 0 on a kept connection. */
  connect: number;
  /** TLS handshake, 0 on a kept connection. */
  tls: number;
  /** From the end of the request to the first byte of the answer. */
  wait: number;
  receive: number;
}

/** What the kernel counted while a slot ran; CPU in seconds of one core. */
export interface Witness {
  /** PHP runtime and web server of this arm. */
  targetCpuSeconds: number;
  servicesCpuSeconds: number;
  generatorCpuSeconds: number;
  /** Cores the generator may use: its CPUs, or its quota where that is less. */
  generatorCores: number;
  /** Time that the generator's CPUs had to spare: idle, or with others that would have given way to it. */
  generatorIdleSeconds: number;
  /** CPU time on our cores that neither ours nor the kernel on their behalf spent. */
  foreignCpuSeconds: number;
  stealSeconds: number;
  /** Time under load, and the gaps between short turns, s: what foreign, steal and idle time are shares of. */
  intervalSeconds: number;
  /** Highest CPU use of the arm over one of its turns, or 1 s of a longer one, cores. */
  targetPeakCores: number;
  /** Anonymous memory of the arm at the slot's end. */
  targetMemoryBytes: number;
  /** By how much it grew since the round began; absent in what earlier versions measured. */
  targetMemoryGrowthBytes?: number | undefined;
  throttledPeriods: number;
  /** TIME_WAIT sockets at the slot's end, whole network namespace. */
  timeWait: number;
  /** Connections the kernel or the FPM backlog turned away. */
  listenOverflows: number;
  /** Deepest php-fpm listen queue since the replica started. */
  listenQueueMax: number;
  maxChildrenReached: number;
}

/** A request that took long, or an iteration of a flow, whose requests are one trace. */
export interface SlowRequest {
  ms: number;
  /** Of the W3C trace context that it carried: 32 lower-case hex digits. */
  traceId: string;
}

export type SlotEvent = "target-restarted" | "oom-killed" | "k6-died";
export type RunStage = "main" | "confirm";

export interface SlotSample {
  kind: "slot";
  stage: RunStage;
  /** Counted from 0 over both stages. */
  block: number;
  cell: string;
  arm: Arm;
  /** 0 = first slot of its round. */
  order: number;
  /** ms since the epoch. */
  startedAt: number;
  /** Nominal length, s. */
  seconds: number;
  requests: number;
  /** requests / seconds. */
  qps: number;
  /** null where no request completed. */
  latencyMs: LatencyMs | null;
  phasesMs: PhasesMs;
  errors: number;
  failedChecks: number;
  droppedIterations: number;
  bytesReceived: number;
  /** Requests that failed for want of a source port, at k6 or behind the service. */
  portErrors: number;
  /** null where the kernel's counters could not be read (driver `url`). */
  witness: Witness | null;
  events: SlotEvent[];
  /** Slowest first, at most SLOWEST (core/slowest.ts); absent where nothing is traced. */
  slowest?: SlowRequest[];
}

export interface PilotCell {
  cell: string;
  requests: number;
  qps: number;
  slotSeconds: number;
  /** How long one arm is under load before it is the other's turn; a slot consists of such turns. */
  turnSeconds: number;
  /** Pause after a turn in which its last requests may finish. */
  gapSeconds: number;
  statistic: LatencyStatistic;
  /** Requests/s of an open cell whose rate is "auto", else null. */
  rate: number | null;
}

/** Where the wall time of a block went, s. */
export interface BlockTimes {
  restart: number;
  /** k6 from start to the first scenario. */
  k6Start: number;
  warmUp: number;
  /** Slots under load. */
  load: number;
  total: number;
}

export type StopReason = "decided" | "cap" | "budget" | "interrupted" | "failed";

export type SampleLine =
  | { kind: "begin"; version: 1; planId: string; startedAt: number }
  | { kind: "pilot"; cells: PilotCell[]; seconds: number }
  | SlotSample
  /** Written after the block's slots: only a block with this line is complete. */
  | {
      kind: "block";
      stage: RunStage;
      block: number;
      /** CPU time of the yardstick on the target's cores, ms. */
      yardstickMs: number;
      times: BlockTimes;
    }
  /** Which tests go into confirmation, e.g. "health @20/qps", "overall". */
  | { kind: "confirm"; tests: string[] }
  | { kind: "stop"; reason: StopReason; detail: string | null; wallSeconds: number };

// ---------------------------------------------------------------- history.json

/** history.json, of a run with a stored base or with records beside it: what the store held when it was planned. */
export interface History {
  version: 1;
  planId: string;
  /** True where there was no store yet. */
  missing: boolean;
  /** Oldest first; of one branch and anchor, or where the plan's has none of them, the newest of any. */
  records: HistoryRecord[];
}

// ---------------------------------------------------------------- comparison.json

/** Why a slot counts for nothing; from causes, never from results. */
export type StrikeReason =
  | "foreign-load"
  | "steal"
  | "generator-saturated"
  | "errors"
  | "dropped-iterations"
  | "listen-overflow"
  | "ports-exhausted"
  | "target-restarted"
  | "oom-killed"
  | "k6-died"
  | "no-requests";

/** What a test compares. `min-qps` and `max-p99` are absolute limits on the head. */
export type TestMetric = "qps" | "latency" | "min-qps" | "max-p99" | "overall-qps";

/** Estimate after n rounds, as ratios head/base (or head/limit for absolute limits). */
export interface Estimate {
  n: number;
  ratio: number;
  /** Interval of the ratio. */
  low: number;
  high: number;
}

/** Why a verdict is not a plain pass; `code` is stable, `text` is a sentence. */
export interface Reason {
  code: string;
  text: string;
}

export type Confirmation = "confirmed" | "not-confirmed" | "no-time";

export interface TestResult {
  /** "<cell id>/<metric>", or "overall". */
  id: string;
  metric: TestMetric;
  /** What is compared: "qps", or the gated percentile. */
  statistic: "qps" | LatencyStatistic;
  /** The line as a ratio head/base: 0.95 for a QPS drop of 5%, 1.2 for a rise of 20%; for a limit 1. */
  line: number;
  /** The configured limit in requests/s or ms; null for comparisons. */
  limit: number | null;
  verdict: "pass" | "regression" | "inconclusive";
  /** Median over the rounds that were used; requests/s or ms; null without rounds. */
  base: number | null;
  head: number | null;
  /** null before the first look (round 6 of the rule). */
  estimate: Estimate | null;
  /** One-sided p of "worse than the line"; null as above. */
  p: number | null;
  /** Log ratio head/base of each round used, in order. */
  logRatios: number[];
  /** The estimate as it stood at each look, for the chart. */
  path: Estimate[];
  confirmation: Confirmation | null;
  reasons: Reason[];
}

/** Medians over the clean slots of one arm. */
export interface ArmFigures {
  slots: number;
  requests: number;
  qps: number;
  latencyMs: LatencyMs;
  cpuMsPerRequest: number | null;
  cpuPeakCores: number | null;
  memoryBytes: number | null;
  throttledPeriods: number;
  timeWait: number;
  errors: number;
  failedChecks: number;
  /** Largest latency of any clean slot, ms: winsorising hides stalls. */
  maxMs: number;
}

export interface CellResult {
  cell: Cell;
  connection: ConnectionPolicy;
  /** `new`: the base does not have it; shown, not judged. `shown`: nothing of it is gated. */
  verdict: Verdict | "new" | "shown";
  statistic: LatencyStatistic;
  /** Why a lower percentile than p99 is gated, or null. */
  statisticNote: string | null;
  /** Requests/s the cell was driven at, open model only. */
  rate: number | null;
  tests: TestResult[];
  figures: Record<Arm, ArmFigures | null>;
  /** Clean rounds. */
  rounds: number;
  /** Slots struck, by reason; a slot counts under its first reason only. */
  struck: Partial<Record<StrikeReason, number>>;
  /** Slots measured, struck ones included. */
  slots: number;
  reasons: Reason[];
  /**
   * Head against the anchor, or what `Comparison.beside` names, as ratios with 95% intervals; never judged. Absent where no
   * record was looked at, null without enough rounds or records.
   */
  since?: Since | null;
  /** Over all clean rounds, confirmation included, slowest first; absent where nothing was traced. */
  slowest?: Record<Arm, SlowOfBlock[]>;
}

/** `block` as in samples.ndjson. */
export type SlowOfBlock = SlowRequest & { block: number };

export interface Since {
  qps: Estimate;
  latency: Estimate | null;
}

export interface CensusDifference {
  scenario: string;
  count: CountName;
  base: Count;
  head: Count;
  /** Growth allowed; null = not gated. */
  allowed: number | null;
  /** True where an exact count grew by more than allowed. */
  exceeded: boolean;
}

/** A setting that two configurations, or two variants, have differently. */
export interface ConfigEdit {
  /** As it stands in the file: "gate.max-qps-drop", 'scenarios["checkout"].gate.max-p99'. */
  key: string;
  /** As they are written: "5%", "300ms"; null = not there. */
  base: string | null;
  head: string | null;
}

/** The records that stand for the base. */
export interface StoredSummary {
  anchor: Anchor;
  store: string;
  branch: string;
  /** True where there was no store yet. */
  missing: boolean;
  /** Records that any cell compares with, newest first. */
  records: { id: string; commit: string; recordedAt: string; url: string | null }[];
}

/** The records that a measured base is shown beside: they say where its branch stands. */
export interface BesideSummary extends StoredSummary {
  /** What the head is shown against: the anchor's label, a date (YYYY-MM-DD), or "the first records". */
  since: string;
}

export interface Comparison {
  version: 1;
  planId: string;
  verdict: Verdict;
  reasons: Reason[];
  sameSource: boolean;
  arms: Record<Arm, { label: string; commit: string | null }>;
  /** Absent where the head leaves the configuration as it is. */
  edits?: ConfigEdit[];
  /** Absent where the base was measured. `arms.base` is the anchor, and a test's `base` what the records lead to expect. */
  stored?: StoredSummary;
  /** Absent where no record is shown. */
  beside?: BesideSummary;
  cells: CellResult[];
  /** null with too few cells for a median over cells. */
  overall: TestResult | null;
  census: CensusDifference[];
  /** Tests the error rate is shared by (K of the rule). */
  tests: number;
  alpha: number;
  beta: number;
  /** Complete blocks, both stages. */
  blocks: number;
  /** Slots measured and struck, whole run. */
  slots: number;
  struck: Partial<Record<StrikeReason, number>>;
  /** Rounds that count although others used our cores: from both arms alike. */
  disturbed: number;
  stop: { reason: StopReason; detail: string | null } | null;
  /** Where the time went, s. */
  times: BlockTimes & { pilot: number; wall: number };
  /** Median and spread (max/min - 1) of the yardstick; null without blocks. */
  yardstick: { medianMs: number; spread: number } | null;
  /** Lines of samples.ndjson that could not be used, as sentences. */
  damaged: string[];
}

/** Fails to compile where a union grew and a switch did not. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

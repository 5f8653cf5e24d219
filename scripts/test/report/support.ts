import { zeroConfig } from "../../src/config/load.ts";
import type {
  Arm,
  ArmFigures,
  CellResult,
  CensusArm,
  CensusDifference,
  Comparison,
  Confirmation,
  Count,
  CountName,
  Environment,
  Estimate,
  LatencyStatistic,
  Load,
  PhpState,
  Plan,
  Reason,
  StrikeReason,
  TestMetric,
  TestResult,
  Verdict,
} from "../../src/core/model.ts";
import type { ReportInput } from "../../src/report/input.ts";

/** One cell of a made-up run; changes are true ratios minus one, noise the sd of a round's log ratio. */
export interface CellSpec {
  scenario: string;
  level?: number | null;
  model?: Load["model"];
  connection?: "keep-alive" | "close";
  qps?: number;
  p99?: number;
  qpsChange?: number;
  p99Change?: number;
  noise?: number;
  p99Noise?: number;
  rounds?: number;
  statistic?: LatencyStatistic;
  statisticNote?: string;
  maxQpsDrop?: number;
  gateLatency?: boolean;
  minQps?: number;
  maxP99Ms?: number;
  verdict?: CellResult["verdict"];
  reasons?: Reason[];
  confirmation?: Confirmation;
  struck?: Partial<Record<StrikeReason, number>>;
  unmeasured?: boolean;
  errors?: number;
}

export interface RunSpec {
  cells: CellSpec[];
  counts?: Record<string, Partial<Record<CountName, [base: number | Count, head: number | Count]>>>;
  statuses?: Record<string, [base: number[], head: number[]]>;
  exceeded?: string[];
  verdict?: Verdict;
  reasons?: Reason[];
  sameSource?: boolean;
  overall?: { change: number; noise?: number; rounds?: number; confirmation?: Confirmation } | null;
  disturbed?: number;
  stop?: Comparison["stop"];
  warnings?: string[];
  damaged?: string[];
  labels?: Record<Arm, string>;
  php?: Partial<PhpState>;
}

/** Normal deviates from a fixed seed (linear congruential, Box-Muller): the fixtures never change. */
function deviates(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 1) / 4294967297;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** As wide as the rule's interval is about 17 tests: 3.4 standard errors. */
function estimateAt(logs: readonly number[], noise: number): Estimate {
  const middle = mean(logs);
  const half = (3.4 * noise) / Math.sqrt(logs.length);
  return {
    n: logs.length,
    ratio: Math.exp(middle),
    low: Math.exp(middle - half),
    high: Math.exp(middle + half),
  };
}

interface TestSpec {
  id: string;
  metric: TestMetric;
  statistic: TestResult["statistic"];
  line: number;
  limit?: number;
  base: number | null;
  change: number;
  noise: number;
  rounds: number;
  confirmation: Confirmation | null;
}

function judge(spec: TestSpec, estimate: Estimate | null): Pick<TestResult, "verdict" | "p"> {
  if (estimate === null) return { verdict: "inconclusive", p: null };
  const lowerIsWorse = spec.metric !== "latency" && spec.metric !== "max-p99";
  const [bad, good] = lowerIsWorse ? [estimate.low, estimate.high] : [1 / estimate.high, 1 / estimate.low];
  const line = lowerIsWorse ? spec.line : 1 / spec.line;
  if (bad > line) return { verdict: "pass", p: 0.99995 };
  if (good >= line) return { verdict: "inconclusive", p: 0.31 };
  const unconfirmed = spec.confirmation === "not-confirmed" || spec.confirmation === "no-time";
  return { verdict: unconfirmed ? "inconclusive" : "regression", p: 0.00002 };
}

function makeTest(spec: TestSpec, normal: () => number): TestResult {
  const raw = Array.from({ length: spec.rounds }, () => normal());
  // Centred, so that the estimate is the change that the fixture asks for.
  const centre = raw.length === 0 ? 0 : mean(raw);
  const logs = raw.map((value) => Math.log1p(spec.change) + spec.noise * (value - centre));
  const path = logs.length < 6 ? [] : logs.slice(5).map((_, at) => estimateAt(logs.slice(0, at + 6), spec.noise));
  const estimate = path.at(-1) ?? null;
  const { verdict, p } = judge(spec, estimate);
  const limit = spec.limit ?? null;
  const scale = limit ?? spec.base;
  return {
    id: spec.id,
    metric: spec.metric,
    statistic: spec.statistic,
    line: spec.line,
    limit,
    verdict,
    base: spec.rounds === 0 ? null : spec.base,
    head: spec.rounds === 0 || scale === null ? null : scale * (1 + spec.change),
    estimate,
    p,
    logRatios: logs,
    path,
    confirmation: verdict === "pass" ? null : spec.confirmation,
    reasons: verdict === "inconclusive" ? [reasonOf(spec, estimate)] : [],
  };
}

/** As compare words it. */
function reasonOf({ rounds, confirmation }: TestSpec, estimate: Estimate | null): Reason {
  if (rounds === 0) return { code: "no-samples", text: "no clean round was measured" };
  if (estimate === null) {
    return { code: "undecided", text: `${rounds} clean rounds; nothing is decided before 6` };
  }
  if (confirmation === "no-time") {
    return { code: "unconfirmed", text: "it looked red, but there was no time to confirm it on fresh replicas" };
  }
  if (confirmation === "not-confirmed") {
    return { code: "not-confirmed", text: "it looked red, but 6 rounds on fresh replicas did not confirm it" };
  }
  if (rounds < 20) {
    const text = `it sits on the line after ${rounds} rounds; more of them would not settle it`;
    return { code: "on-the-line", text };
  }
  return { code: "cap", text: `undecided after ${rounds} rounds, the most that are measured` };
}

function figuresOf(qps: number, p99: number, spec: CellSpec, slower: number): ArmFigures {
  const rounds = spec.rounds ?? 8;
  return {
    slots: rounds,
    requests: Math.round(qps * 2 * rounds),
    qps,
    latencyMs: { avg: p99 * 0.45, p50: p99 * 0.4, p90: p99 * 0.7, p95: p99 * 0.82, p99, max: p99 * 3.1 },
    cpuMsPerRequest: (900 / qps) * slower,
    cpuPeakCores: 0.97,
    memoryBytes: 61_400_000,
    throttledPeriods: 0,
    timeWait: spec.connection === "close" ? 4_120 : 12,
    errors: spec.errors ?? 0,
    failedChecks: 0,
    maxMs: p99 * 5.3,
  };
}

/** The tests of a judged cell. */
function makeTests(spec: CellSpec, id: string, base: ArmFigures, head: ArmFigures, normal: () => number): TestResult[] {
  const statistic = spec.statistic ?? "p99";
  const shared = { rounds: spec.rounds ?? 8, confirmation: spec.confirmation ?? null };
  const throughput = { statistic: "qps" as const, base: base.qps, noise: spec.noise ?? 0.012, ...shared };
  const latency = { statistic, base: base.latencyMs[statistic], noise: spec.p99Noise ?? 0.05, ...shared };
  const line = 1 - (spec.maxQpsDrop ?? 0.05);
  const specs: TestSpec[] = [{ id: `${id}/qps`, metric: "qps", line, change: spec.qpsChange ?? 0, ...throughput }];
  if (spec.gateLatency ?? spec.model !== "open") {
    specs.push({ id: `${id}/latency`, metric: "latency", line: 1.2, change: spec.p99Change ?? 0, ...latency });
  }
  if (spec.minQps !== undefined) {
    const change = head.qps / spec.minQps - 1;
    specs.push({ id: `${id}/min-qps`, metric: "min-qps", line: 1, limit: spec.minQps, change, ...throughput });
  }
  if (spec.maxP99Ms !== undefined) {
    const change = head.latencyMs[statistic] / spec.maxP99Ms - 1;
    specs.push({ id: `${id}/max-p99`, metric: "max-p99", line: 1, limit: spec.maxP99Ms, change, ...latency });
  }
  return specs.map((entry) => makeTest(entry, normal));
}

function makeCell(spec: CellSpec, normal: () => number): CellResult {
  const { scenario, model = "closed", qps = 4_000, p99 = 8, qpsChange = 0, p99Change = 0, rounds = 8 } = spec;
  const level = spec.level === undefined ? 20 : spec.level;
  const statistic = spec.statistic ?? "p99";
  const id = `${scenario} @${level ?? "auto"}`;
  const cell = { id, scenario, model, level };
  const skip = spec.verdict === "new" || spec.verdict === "shown" || spec.verdict === "error";
  const base = figuresOf(qps, p99, spec, 1);
  const head = figuresOf(qps * (1 + qpsChange), p99 * (1 + p99Change), spec, 1 - qpsChange);
  const tests = skip ? [] : makeTests(spec, id, base, head, normal);
  const struck = spec.struck ?? {};
  const lost = Object.values(struck).reduce((sum, count) => sum + count, 0);
  const worst = (["regression", "inconclusive"] as const).find((verdict) =>
    tests.some((test) => test.verdict === verdict),
  );
  return {
    cell,
    connection: spec.connection ?? "keep-alive",
    verdict: spec.verdict ?? worst ?? "pass",
    statistic,
    statisticNote: spec.statisticNote ?? null,
    rate: model === "open" ? (level ?? 840) : null,
    tests,
    figures: spec.unmeasured ? { base: null, head: null } : { base: spec.verdict === "new" ? null : base, head },
    rounds,
    struck,
    slots: 2 * rounds + lost,
    reasons: spec.reasons ?? [],
  };
}

/** As compare words them. */
function runReasons(cells: readonly CellResult[]): Reason[] {
  return cells
    .filter((result) => result.verdict !== "pass" && result.verdict !== "new" && result.verdict !== "shown")
    .map((result) => ({ code: result.verdict, text: `${result.cell.id}: see the cell` }));
}

const count = (value: number | Count): Count =>
  typeof value === "number" ? { perRequest: value, min: value, max: value, exact: true } : value;

/** A whole input of a report: what is not asked for is as in an ordinary run. */
export function makeInput(spec: RunSpec): ReportInput {
  const normal = deviates(20_240);
  const cells = spec.cells.map((cell) => makeCell(cell, normal));
  const scenarios = [...new Set(cells.map((result) => result.cell.scenario))];
  const planId = "4f0c".repeat(16);
  const wanted = spec.overall === undefined ? { change: -0.001 } : spec.overall;
  const overall =
    wanted === null
      ? null
      : makeTest(
          {
            id: "overall",
            metric: "overall-qps",
            statistic: "qps",
            line: 0.98,
            base: null,
            change: wanted.change,
            noise: wanted.noise ?? 0.006,
            rounds: wanted.rounds ?? 8,
            confirmation: wanted.confirmation ?? null,
          },
          normal,
        );
  const census: CensusDifference[] = [];
  const censusArms = scenarios.map((scenario) => {
    const counts = spec.counts?.[scenario] ?? {
      sqlStatements: [1, 1],
      dbConnections: [0, 0],
      redisCommands: [0, 0],
      responseBytes: [74, 74],
    };
    const statuses = spec.statuses?.[scenario] ?? [[200], [200]];
    const arm = (index: 0 | 1): CensusArm => ({
      statuses: statuses[index],
      failedShare: statuses[index].includes(200) ? 0 : 1,
      counts: Object.fromEntries(Object.entries(counts).map(([name, pair]) => [name, count(pair[index])])),
    });
    for (const [name, [before, after]] of Object.entries(counts) as [CountName, [number | Count, number | Count]][]) {
      const [base, head] = [count(before), count(after)];
      if (base.perRequest === head.perRequest) continue;
      const exceeded = spec.exceeded?.includes(scenario) ?? false;
      census.push({ scenario, count: name, base, head, allowed: exceeded ? 0 : null, exceeded });
    }
    return { scenario, arms: { base: arm(0), head: arm(1) } };
  });
  const struck: Partial<Record<StrikeReason, number>> = {};
  for (const result of cells) {
    for (const [reason, amount] of Object.entries(result.struck) as [StrikeReason, number][]) {
      struck[reason] = (struck[reason] ?? 0) + amount;
    }
  }
  const slots = cells.reduce((sum, result) => sum + result.slots, 0);
  const blocks = Math.max(0, ...cells.map((result) => result.rounds));
  const worst = (["error", "regression", "inconclusive"] as const).find(
    (verdict) =>
      cells.some((result) => result.verdict === verdict) || (verdict === "regression" && overall?.verdict === verdict),
  );
  const labels = spec.labels ?? { base: "main", head: "faster-orders" };
  const commits = {
    base: "8f3a1c0d9be24b3f7c55a1d2e3f40516273849aa",
    head: "02b7d6e5f4c3b2a1908f7e6d5c4b3a2918070605",
  };
  const armOf = (arm: Arm) => ({ label: labels[arm], commit: commits[arm] });
  const comparison: Comparison = {
    version: 1,
    planId,
    verdict: spec.verdict ?? worst ?? "pass",
    reasons: spec.reasons ?? runReasons(cells),
    sameSource: spec.sameSource ?? false,
    arms: { base: armOf("base"), head: armOf("head") },
    cells,
    overall,
    census,
    tests: cells.reduce((sum, result) => sum + result.tests.length, overall === null ? 0 : 1),
    alpha: 0.05,
    beta: 0.05,
    blocks,
    slots,
    struck,
    disturbed: spec.disturbed ?? 0,
    stop: spec.stop === undefined ? { reason: "decided", detail: null } : spec.stop,
    times: {
      restart: 1.1 * blocks,
      k6Start: 0.6 * blocks,
      warmUp: 4 * blocks,
      load: 2 * slots,
      total: 2.3 * slots + 6 * blocks,
      pilot: 14,
      wall: 2.3 * slots + 6 * blocks + 14 + 9,
    },
    yardstick: blocks === 0 ? null : { medianMs: 41.7, spread: 0.034 },
    damaged: spec.damaged ?? [],
  };
  const php: PhpState = {
    version: "8.4.11",
    sapi: "fpm-fcgi",
    opcache: true,
    jit: "off",
    jitBufferBytes: 67_108_864,
    xdebug: false,
    processManager: "static",
    workers: 8,
    extensions: ["curl", "mysqli", "redis"],
    ...spec.php,
  };
  const environment: Environment = {
    version: 1,
    planId,
    startedAt: "2026-03-04T10:20:30.000Z",
    machine: {
      cpuModel: "AMD EPYC 7763 64-Core Processor",
      logicalCpus: 4,
      physicalCores: 2,
      memoryBytes: 16_770_000_000,
      kernel: "6.8.0-1021-azure",
      os: "Ubuntu 24.04.2 LTS",
      cgroup: "v2",
    },
    tools: { node: "20.20.2", k6: "1.8.1", php: "8.4.11", nginx: "1.24.0", mysql: "8.4.6", redis: "7.0.15" },
    php: { base: php, head: php },
    warnings: spec.warnings ?? [],
  };
  const plan: Plan = {
    version: 1,
    id: planId,
    seed: 1_234_567,
    arms: {
      base: { ...armOf("base"), directory: null, repository: null, image: null },
      head: { ...armOf("head"), directory: null, repository: null, image: null },
    },
    sameSource: comparison.sameSource,
    driver: "process",
    config: {
      target: {
        driver: "auto",
        root: "public",
        index: "index.php",
        host: "localhost",
        healthPath: "/health",
        prepare: [],
        start: null,
        services: ["mysql", "redis"],
        env: {},
        php: {
          version: null,
          binary: null,
          processManager: "static",
          workers: 8,
          opcache: true,
          jit: "off",
          backlog: 511,
          ini: {},
        },
        nginx: { tls: false, http2: false, accessLog: false, proxy: false, upstreamKeepAlive: false },
        compose: null,
        copy: [],
        resources: null,
        links: {},
        buildCache: null,
        url: null,
      },
      scenarios: scenarios.map((name) => ({
        name,
        work: { kind: "request", method: "GET", path: "/", headers: {}, body: null },
        connection: "keep-alive",
        checks: { status: [200], bodyContains: null },
        load: { model: "closed", vus: [20] },
        limits: { maxQpsDrop: 0.05, maxP99Rise: 0.2, minQps: null, maxP99Ms: null, gateLatency: true },
      })),
      gate: { maxOverallQpsDrop: 0.02, onInconclusive: "warn", maxAdded: {} },
      measure: {
        budgetSeconds: 600,
        slotSeconds: "auto",
        warmUpSeconds: 2,
        maxRounds: 20,
        maxErrorRate: 0.001,
        maxForeignCores: 0.05,
        isolation: "auto",
        generator: "auto",
      },
      baseline: zeroConfig().baseline,
    },
    cells: cells.map((result) => result.cell),
    layout: {
      generator: [1, 3],
      target: [0],
      services: [2],
      isolated: true,
      note: "k6 on core 1 (CPUs 1, 3), PHP on CPU 0, MySQL and Redis on CPU 2",
    },
  };
  return {
    comparison,
    plan,
    environment,
    census: { version: 1, planId, requestsPerRepeat: 10, repeats: 3, scenarios: censusArms },
  };
}

/** The reference suite: eight cells, nothing changed. */
export const QUIET: readonly CellSpec[] = [
  { scenario: "health", level: 1, qps: 3_912, p99: 0.41, qpsChange: 0.002, p99Change: -0.011 },
  { scenario: "health", level: 20, qps: 8_859, p99: 6.6, qpsChange: -0.001, p99Change: 0.009 },
  {
    scenario: "health, no keep-alive",
    level: 20,
    connection: "close",
    qps: 7_057,
    p99: 6.7,
    qpsChange: 0,
    p99Change: -0.001,
  },
  { scenario: "one query, persistent", level: 1, qps: 2_104, p99: 0.92, qpsChange: 0.004, p99Change: 0.013 },
  { scenario: "one query, persistent", level: 20, qps: 4_151, p99: 8.2, qpsChange: 0.003, p99Change: 0.004 },
  { scenario: "five queries, persistent", level: 20, qps: 2_284, p99: 12, qpsChange: -0.009, p99Change: 0.021 },
  { scenario: "mixed", level: 1, qps: 402, p99: 3.4, qpsChange: 0.001, p99Change: 0.017 },
  { scenario: "mixed", level: 20, qps: 1_204, p99: 21, qpsChange: -0.004, p99Change: 0.012, rounds: 9 },
];

/** QUIET with some cells changed, found by scenario and level. */
function quietBut(changes: Record<string, Partial<CellSpec>>): CellSpec[] {
  return QUIET.map((cell) => ({ ...cell, ...changes[`${cell.scenario} @${cell.level}`] }));
}

export const HOSTILE = [
  "<script>alert(1)</script><img src=x onerror=alert(2)>",
  "a | b \\| c `code` **bold** [link](javascript:alert(1)) ![x](http://evil.example/x.png)",
  "::set-output name=x::y",
  "line one\n::error::line two\r\n## heading\u001b[31mred\u001b[0m\u202egnp.exe",
  '=HYPERLINK("http://evil.example","click")',
  "@everyone see #12 and www.evil.example </details><!-- marker -->",
  "'; system('touch /tmp/owned'); \" `id` $(id) %s {/Bold x} ^2",
  "日本語のとても長いシナリオ名前でとても長いので切り詰められるべきものです",
];

/** Whole inputs by name: golden files and tests share them. */
export const INPUTS: Record<string, () => ReportInput> = {
  green: () => makeInput({ cells: [...QUIET] }),
  red: () =>
    makeInput({
      cells: quietBut({
        "one query, persistent @20": { qpsChange: -0.178, p99Change: 0.169, confirmation: "confirmed", rounds: 6 },
        "five queries, persistent @20": { qpsChange: -0.12, p99Change: 0.076, confirmation: "confirmed", rounds: 7 },
        "mixed @20": { qpsChange: -0.027, noise: 0.04, p99Change: 0.043, rounds: 16, struck: { "foreign-load": 3 } },
      }),
      counts: {
        "one query, persistent": {
          sqlStatements: [1, 1],
          dbConnections: [0, 1],
          redisCommands: [0, 0],
          responseBytes: [74, 74],
        },
        "five queries, persistent": {
          sqlStatements: [5, 5],
          dbConnections: [0, 1],
          redisCommands: [0, 0],
          responseBytes: [310, 310],
        },
      },
      overall: { change: -0.011 },
    }),
  "red-p99-n-plus-1": () =>
    makeInput({
      cells: quietBut({
        "mixed @1": { p99Change: 0.64, qpsChange: -0.02, confirmation: "confirmed" },
        "mixed @20": { p99Change: 0.48, qpsChange: -0.19, confirmation: "confirmed" },
      }),
      counts: {
        mixed: { sqlStatements: [3, 21], dbConnections: [1, 1], redisCommands: [2, 2], responseBytes: [812, 812] },
      },
      exceeded: ["mixed"],
    }),
  "overall-red": () =>
    makeInput({
      cells: quietBut({}).map((cell) => ({ ...cell, qpsChange: -0.029, rounds: 12, noise: 0.01 })),
      overall: { change: -0.029, confirmation: "confirmed", rounds: 12, noise: 0.006 },
    }),
  inconclusive: () =>
    makeInput({
      cells: quietBut({
        "mixed @20": { qpsChange: -0.027, noise: 0.05, rounds: 11, struck: { "foreign-load": 17, steal: 2 } },
        "five queries, persistent @20": {
          qpsChange: -0.046,
          noise: 0.02,
          rounds: 20,
          struck: { "foreign-load": 9 },
        },
        "health @20": { struck: { "foreign-load": 5 } },
        "one query, persistent @1": { qpsChange: -0.09, confirmation: "not-confirmed" },
      }),
      disturbed: 31,
      stop: { reason: "budget", detail: null },
    }),
  "overall-not-confirmed": () =>
    makeInput({
      cells: [...QUIET],
      overall: { change: -0.034, confirmation: "not-confirmed" },
      verdict: "inconclusive",
      reasons: [{ code: "overall", text: "it looked red, but 8 rounds on fresh replicas did not confirm it" }],
    }),
  error: () =>
    makeInput({
      cells: quietBut({
        "mixed @1": {
          verdict: "error",
          rounds: 0,
          unmeasured: true,
          reasons: [
            {
              code: "head-fails",
              text: "the head does not pass the scenario's checks (it answered 500), the base does",
            },
          ],
        },
        "mixed @20": {
          verdict: "error",
          rounds: 0,
          unmeasured: true,
          reasons: [
            {
              code: "head-fails",
              text: "the head does not pass the scenario's checks (it answered 500), the base does",
            },
          ],
        },
      }),
      statuses: { mixed: [[200], [500]] },
    }),
  "a-a": () => makeInput({ cells: [...QUIET], sameSource: true, labels: { base: ".", head: "." } }),
  "a-a-red": () =>
    makeInput({
      cells: quietBut({ "health @20": { qpsChange: -0.16, confirmation: "confirmed" } }),
      sameSource: true,
      labels: { base: ".", head: "." },
    }),
  various: () =>
    makeInput({
      cells: [
        {
          scenario: "orders",
          level: 20,
          statistic: "p95",
          statisticNote: "a slot holds 620 requests: enough for p95, too few for p99",
        },
        { scenario: "orders, steady", model: "open", level: null, qps: 840, p99: 14 },
        { scenario: "import", model: "ramp", level: 50, qps: 312, p99: 120, maxQpsDrop: 0.1 },
        {
          scenario: "invoices",
          verdict: "new",
          reasons: [{ code: "new", text: "the base does not have it: shown, not judged" }],
        },
        { scenario: "search", level: 20, qps: 96.4, p99: 412, errors: 3 },
      ],
      counts: {
        search: {
          sqlStatements: [
            { perRequest: 2.4, min: 2, max: 3, exact: false },
            { perRequest: 2.5, min: 2, max: 3, exact: false },
          ],
          responseBytes: [12_345, 12_410],
        },
      },
      statuses: { invoices: [[404], [200]] },
      warnings: ["Xdebug is on in the head: it slows every request", "OPcache is off in the base"],
      php: { xdebug: true },
      damaged: ["line 812: cut off in the middle", "line 90: qps is not a number"],
    }),
  limits: () =>
    makeInput({
      cells: [
        {
          scenario: "checkout",
          level: 20,
          qps: 240,
          p99: 318,
          minQps: 250,
          maxP99Ms: 300,
          noise: 0.005,
          p99Noise: 0.01,
        },
        { scenario: "cart", level: 20, qps: 900, p99: 80, minQps: 250, maxP99Ms: 300 },
      ],
      overall: null,
    }),
  interrupted: () =>
    makeInput({
      cells: quietBut({}).map((cell) => ({ ...cell, rounds: 3 })),
      overall: { change: 0, rounds: 3 },
      stop: { reason: "interrupted", detail: "SIGINT" },
      damaged: ["line 51: the last line is cut off"],
    }),
  nothing: () =>
    makeInput({
      cells: quietBut({}).map((cell) => ({ ...cell, rounds: 0, unmeasured: true })),
      overall: { change: 0, rounds: 0 },
      verdict: "inconclusive",
      reasons: [{ code: "no-samples", text: "samples.ndjson holds no complete block: nothing was measured" }],
      stop: null,
    }),
  one: () => makeInput({ cells: [{ scenario: "/", level: 20 }], overall: null }),
  hostile: () =>
    makeInput({
      cells: HOSTILE.map((scenario, at) =>
        at < 3
          ? { scenario, qpsChange: -0.15, confirmation: "confirmed" as const }
          : at < 6
            ? { scenario, qpsChange: -0.045, noise: 0.03 }
            : { scenario },
      ),
      labels: { base: "<b>main</b> | `x`", head: "feature/$(id)\n::error::x" },
      warnings: ["<img src=x onerror=alert(1)> is on\n::warning::x"],
      reasons: [{ code: "x", text: "</details><script>alert(3)</script>" }],
      damaged: ["line 3: <iframe src=javascript:alert(1)>"],
      stop: { reason: "budget", detail: "| <b>x</b>" },
    }),
  hundred: () => manyCells(100, 20),
};

/** For speed: `cells` cells of `rounds` rounds, a few red. */
export function manyCells(cells: number, rounds: number): ReportInput {
  return makeInput({
    cells: Array.from({ length: cells }, (_, at) => ({
      scenario: `endpoint ${String(at >> 1).padStart(3, "0")}`,
      level: at % 2 === 0 ? 1 : 20,
      qps: 300 + 37 * at,
      p99: 4 + (at % 17),
      rounds,
      ...(at % 33 === 7
        ? { qpsChange: -0.11, confirmation: "confirmed" as const }
        : { qpsChange: 0.001 * ((at % 9) - 4) }),
    })),
  });
}

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  _enum,
  array,
  boolean,
  discriminatedUnion,
  int,
  literal,
  number,
  strictObject,
  string
} from "./shared-schemas.js";
import {
  InputError,
  MeasureError
} from "./shared-errors.js";
import {
  askedOf
} from "./shared-arms.js";
import {
  ARMS,
  assertNever
} from "./shared-model.js";

// scripts/src/core/plan.ts
var SHORTEST = { turn: 0.1, gap: 0.02 };
var SHORTEST_SCENARIO = { turn: 1, gap: 0.25 };
var MAX_GAP = 5;
var DEFAULT_SLOT = 2;
var LONGER_SLOT = 3;
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
  for (const stage2 of stages) {
    const end = at + stage2.durationSeconds;
    const longer = stage2.durationSeconds > best.toSeconds - best.fromSeconds;
    if (stage2.target === vus && vus > 0 && longer) best = { fromSeconds: at, toSeconds: end, vus };
    at = end;
    vus = stage2.target;
  }
  return best;
}
function rampSeconds(load) {
  return load.stages.reduce((sum, stage2) => sum + stage2.durationSeconds, 0);
}
function beforePilot(plan) {
  const { slotSeconds } = plan.config.measure;
  const judged = plan.cells.filter((cell) => !scenarioOf(plan, cell).addedByHead);
  return judged.map((cell) => {
    return {
      cell: cell.id,
      requests: 0,
      qps: 0,
      ...slotOf(plan, cell, slotSeconds === "auto" ? DEFAULT_SLOT : slotSeconds, 0),
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
  const onlyRequests = ARMS.every((arm2) => askedOf(plan, scenario, arm2).work.kind === "request");
  const shortest = load.model === "closed" && onlyRequests ? SHORTEST : SHORTEST_SCENARIO;
  const gapSeconds = round(Math.min(MAX_GAP, Math.max(shortest.gap, 2 * p99Ms / 1e3)));
  if (load.model === "ramp") return { slotSeconds: rampSeconds(load), turnSeconds: rampSeconds(load), gapSeconds };
  const turnSeconds = Math.min(seconds, round(shortest.turn / shortest.gap * gapSeconds));
  return { slotSeconds: seconds, turnSeconds, gapSeconds };
}
function autoSlot(qps) {
  const better = REQUESTS_FOR.find(([, needed]) => qps * LONGER_SLOT >= needed);
  return better === void 0 || qps * DEFAULT_SLOT < better[1] ? LONGER_SLOT : DEFAULT_SLOT;
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

// scripts/src/phases/work-directory.ts
import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync
} from "node:fs";
import { join } from "node:path";

// scripts/src/phases/sample-schema.ts
var amount = number().nonnegative();
var count = int().nonnegative();
var reading = number();
var stage = _enum(["main", "confirm"]);
var arm = _enum(["base", "head"]);
var text = string().max(2e3);
var slot = strictObject({
  kind: literal("slot"),
  stage,
  block: count,
  cell: text,
  arm,
  order: count,
  startedAt: amount,
  seconds: number().positive(),
  requests: count,
  qps: amount,
  latencyMs: strictObject({ avg: amount, p50: amount, p90: amount, p95: amount, p99: amount, max: amount }).nullable(),
  phasesMs: strictObject({ connect: amount, tls: amount, wait: amount, receive: amount }),
  errors: count,
  failedChecks: count,
  droppedIterations: count,
  bytesReceived: amount,
  portErrors: count,
  witness: strictObject({
    targetCpuSeconds: reading,
    servicesCpuSeconds: reading,
    generatorCpuSeconds: reading,
    generatorCores: number().positive(),
    generatorIdleSeconds: reading,
    foreignCpuSeconds: reading,
    stealSeconds: reading,
    intervalSeconds: number().positive(),
    targetPeakCores: reading,
    targetMemoryBytes: amount,
    throttledPeriods: reading,
    timeWait: count,
    listenOverflows: reading,
    listenQueueMax: count,
    maxChildrenReached: count
  }).nullable(),
  events: array(_enum(["target-restarted", "oom-killed", "k6-died"]))
});
var sampleLineSchema = discriminatedUnion("kind", [
  strictObject({ kind: literal("begin"), version: literal(1), planId: text, startedAt: amount }),
  strictObject({
    kind: literal("pilot"),
    cells: array(
      strictObject({
        cell: text,
        requests: count,
        qps: amount,
        slotSeconds: number().positive(),
        turnSeconds: number().positive(),
        gapSeconds: number().positive(),
        statistic: _enum(["p90", "p95", "p99"]),
        rate: amount.nullable()
      })
    ),
    seconds: amount
  }),
  slot,
  strictObject({
    kind: literal("block"),
    stage,
    block: count,
    yardstickMs: number().positive(),
    times: strictObject({ restart: amount, k6Start: amount, warmUp: amount, load: amount, total: amount })
  }),
  strictObject({ kind: literal("confirm"), tests: array(text) }),
  strictObject({
    kind: literal("stop"),
    reason: _enum(["decided", "cap", "budget", "interrupted", "failed"]),
    detail: string().max(2e4).nullable(),
    wallSeconds: amount
  })
]);
var counted = strictObject({ perRequest: reading, min: reading, max: reading, exact: boolean() });
var censusArm = strictObject({
  statuses: array(count),
  failedShare: number().min(0).max(1),
  counts: strictObject({
    sqlStatements: counted.optional(),
    dbConnections: counted.optional(),
    redisCommands: counted.optional(),
    responseBytes: counted.optional()
  })
});
var censusSchema = strictObject({
  version: literal(1),
  planId: text,
  requestsPerRepeat: count,
  repeats: count,
  scenarios: array(strictObject({ scenario: text, arms: strictObject({ base: censusArm, head: censusArm }) }))
});

// scripts/src/phases/work-directory.ts
var DEFAULT_WORK_DIRECTORY = ".perf-gate";
var FILES = {
  plan: "plan.json",
  environment: "environment.json",
  census: "census.json",
  samples: "samples.ndjson",
  history: "history.json",
  comparison: "comparison.json"
};
var EARLIER = "earlier";
var KEPT = /* @__PURE__ */ new Set([EARLIER, ".gitignore"]);
function sha256(text2) {
  return createHash("sha256").update(text2).digest("hex");
}
var WorkDirectory = class {
  path;
  constructor(path) {
    this.path = path;
  }
  file(...parts) {
    return join(this.path, ...parts);
  }
  get samplesFile() {
    return this.file(FILES.samples);
  }
  /** Makes the directory ready for a new plan: an earlier run in it moves to earlier/<time of its plan>. */
  begin() {
    guardDisk(this.path, () => {
      mkdirSync(this.path, { recursive: true });
      writeFileSync(this.file(".gitignore"), "*\n");
    });
    const entries = readdirSync(this.path).filter((entry) => !KEPT.has(entry));
    if (!entries.includes(FILES.samples)) return;
    const stamp = statSync(this.samplesFile).mtime.toISOString().replaceAll(":", "-").replace(/\..*/, "");
    let target = this.file(EARLIER, stamp);
    for (let i = 2; existsSync(target); i++) target = this.file(EARLIER, `${stamp}-${i}`);
    mkdirSync(target, { recursive: true });
    for (const entry of entries) renameSync(this.file(entry), join(target, entry));
  }
  /** Makes a directory below this one. */
  directory(name) {
    const path = this.file(name);
    guardDisk(this.path, () => mkdirSync(path, { recursive: true }));
    return path;
  }
  /** Writes a file in one step: readers see the old or the new one, a full disk leaves the old. */
  write(name, text2) {
    const path = this.file(name);
    guardDisk(this.path, () => {
      writeFileSync(`${path}.new`, text2);
      renameSync(`${path}.new`, path);
    });
  }
  writeJson(name, value) {
    this.write(FILES[name], `${JSON.stringify(value, null, 2)}
`);
  }
  readPlan() {
    const plan = this.#json(FILES.plan, "perf-gate plan");
    if (plan?.version !== 1) throw this.#damaged(FILES.plan, "version 1 was expected");
    if (planId(plan, sha256) !== plan.id) throw this.#damaged(FILES.plan, "its content does not match its id");
    return plan;
  }
  readEnvironment(plan) {
    if (!existsSync(this.file(FILES.environment))) return null;
    const environment = this.#json(FILES.environment, "perf-gate measure");
    this.#checkPlan(FILES.environment, environment?.planId, plan);
    return environment;
  }
  readCensus(plan) {
    if (!existsSync(this.file(FILES.census))) return null;
    const parsed = censusSchema.safeParse(this.#json(FILES.census, "perf-gate measure"));
    if (!parsed.success) throw this.#damaged(FILES.census, firstIssue(parsed.error));
    this.#checkPlan(FILES.census, parsed.data.planId, plan);
    return parsed.data;
  }
  /** null for a plan without records. */
  readHistory(plan) {
    if (plan.stored === void 0 && plan.beside === void 0) return null;
    const history = this.#json(FILES.history, "perf-gate plan");
    if (history?.version !== 1) throw this.#damaged(FILES.history, "version 1 was expected");
    this.#checkPlan(FILES.history, history.planId, plan);
    return history;
  }
  readComparison() {
    const comparison = this.#json(FILES.comparison, "perf-gate compare");
    if (comparison?.version !== 1) throw this.#damaged(FILES.comparison, "version 1 was expected");
    return comparison;
  }
  /** Every complete, sound line of samples.ndjson; the others as sentences. Throws where they belong to another plan. */
  readSamples(plan) {
    if (!existsSync(this.samplesFile)) return { lines: [], damaged: [] };
    const text2 = readFileSync(this.samplesFile, "utf8");
    const rows = text2.split("\n");
    const lines = [];
    const damaged = [];
    const cut = rows.pop() ?? "";
    if (cut !== "") damaged.push(`line ${rows.length + 1}: cut short, without its end (${cut.length} characters)`);
    for (const [index, row] of rows.entries()) {
      if (row === "") continue;
      const problem = parseLine(row, lines);
      if (problem !== null) damaged.push(`line ${index + 1}: ${problem}`);
    }
    for (const line of lines) if (line.kind === "begin") this.#checkPlan(FILES.samples, line.planId, plan);
    return { lines, damaged };
  }
  /** Appends lines and waits until they are on the disk. A line cut short by an earlier crash is closed first. */
  appendSamples(lines) {
    const text2 = lines.map((line) => `${JSON.stringify(line)}
`).join("");
    guardDisk(this.path, () => {
      const file = openSync(this.samplesFile, "a+");
      try {
        appendFileSync(file, endsCleanly(this.samplesFile) ? text2 : `
${text2}`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    });
  }
  #json(name, command) {
    const path = this.file(name);
    if (!existsSync(path)) throw new InputError(`${path} is missing: run \`${command}\` on this work directory first`);
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      throw this.#damaged(name, error.message);
    }
  }
  #checkPlan(name, id, plan) {
    if (id === plan.id) return;
    throw new InputError(
      `${this.file(name)} belongs to another plan (${String(id).slice(0, 12)}, plan.json is ${plan.id.slice(0, 12)}): name an empty --work-directory, or run \`perf-gate plan\` again, which moves the earlier run aside`
    );
  }
  #damaged(name, what) {
    return new InputError(`${this.file(name)} cannot be used: ${what}; it is left as it is`);
  }
};
function parseLine(row, lines) {
  let value;
  try {
    value = JSON.parse(row);
  } catch {
    return "not JSON";
  }
  const parsed = sampleLineSchema.safeParse(value);
  if (!parsed.success) return firstIssue(parsed.error);
  lines.push(parsed.data);
  return null;
}
function firstIssue(error) {
  const [issue] = error.issues;
  return issue === void 0 ? "not of the expected form" : `${issue.path.join(".") || "line"}: ${issue.message}`;
}
function endsCleanly(path) {
  const text2 = readFileSync(path);
  return text2.length === 0 || text2[text2.length - 1] === 10;
}
function guardDisk(path, action) {
  try {
    action();
  } catch (error) {
    const { code, message } = error;
    if (code === "ENOSPC" || code === "EDQUOT") {
      throw new MeasureError(
        `no space left for ${path}: free some and run \`perf-gate measure\` again; every complete line of samples is kept`
      );
    }
    if (code === "EACCES" || code === "EROFS" || code === "EPERM" || code === "ENOTDIR" || code === "EEXIST") {
      throw new InputError(`cannot write to the work directory ${path} (${code}): name another with --work-directory`);
    }
    throw new MeasureError(`cannot write below ${path}: ${message}`);
  }
}

export {
  OPEN_PILOT_VUS,
  buildPlan,
  planId,
  cellsOf,
  plateauOf,
  beforePilot,
  afterPilot,
  sampleLineSchema,
  censusSchema,
  DEFAULT_WORK_DIRECTORY,
  sha256,
  WorkDirectory
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  configOf,
  effectOf,
  growthOf,
  logMean,
  mainEffect,
  pointsOf,
  renderMatrixCsv,
  renderMatrixMarkdown
} from "./shared-matrix.js";
import "./shared-text-table.js";
import {
  compare
} from "./shared-compare.js";
import {
  SampleLog,
  beginRun,
  onMachine,
  runBlock,
  startRig
} from "./shared-stack.js";
import "./shared-k6~2.js";
import "./shared-environment.js";
import "./shared-ignore.js";
import "./shared-programs~2.js";
import "./shared-leftovers.js";
import "./shared-cgroup.js";
import "./shared-bake.js";
import "./shared-guard.js";
import {
  OVERHEAD,
  expectedSeconds,
  minutes
} from "./shared-plan~2.js";
import "./shared-uniformInt.js";
import {
  checkVariant,
  chooseDriver,
  layoutFor,
  wantedDriver
} from "./shared-stored-base.js";
import "./shared-k6.js";
import "./shared-programs.js";
import {
  fromPath
} from "./shared-arms~2.js";
import "./shared-engine.js";
import {
  POINTS,
  WorkDirectory,
  sha256
} from "./shared-work-directory.js";
import "./shared-git-store.js";
import {
  loadConfig
} from "./shared-schemas.js";
import {
  InputError,
  MeasureError
} from "./shared-errors.js";
import "./shared-beside.js";
import "./shared-stored.js";
import "./shared-steps.js";
import "./shared-slowest.js";
import {
  beforePilot,
  buildPlan
} from "./shared-plan.js";
import {
  drawWith
} from "./shared-charts.js";
import "./shared-index.js";
import "./shared-details.js";
import "./shared-picocolors.js";
import "./shared-headline.js";
import {
  differingSettings,
  ownOf
} from "./shared-variants.js";
import {
  begin,
  measuredValue,
  median,
  replay,
  take
} from "./shared-replay.js";
import "./shared-arms.js";
import "./shared-model.js";
import "./shared-runtime.js";

// scripts/src/phases/matrix.ts
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
var MOST_BLOCKS = 2;
var CHARTS = /* @__PURE__ */ new Map([
  ["matrix-qps", "QPS over load"],
  ["matrix-change", "Change of QPS against the reference"]
]);
var BARREN_BLOCKS = 3;
async function planMatrix(file, options) {
  const { config: whole, file: path } = await loadConfig(file, process.cwd());
  const { matrix, ...config } = whole;
  if (matrix === void 0) {
    throw new InputError(
      `${file}: matrix: a file for \`perf-gate matrix\` has one; write matrix: {} for the scenarios as they are, or its factors below it`
    );
  }
  const rounds = options.rounds === void 0 ? matrix.rounds : parseRounds(options.rounds);
  const place = resolve(matrix.tree === null ? "." : dirname(path ?? ""), matrix.tree ?? "");
  const tree = { ...await fromPath("matrix.tree", place), label: relative(process.cwd(), place) || "." };
  const points = pointsOf(matrix);
  const wanted = wantedDriver(options.driver, config.target);
  const targets = points.map(({ variant }) => ownOf(config, variant).target);
  const driver = await chooseDriver(wanted, config.target, targets);
  for (const [factor, levels] of Object.entries(matrix.factors)) {
    for (const [level, variant] of Object.entries(levels)) {
      checkVariant(driver, `matrix.factors.${factor}.${level}`, variant);
    }
  }
  const layout = layoutFor(config.measure.isolation);
  const [reference, ...others] = points;
  const plans = (others.length === 0 ? [reference] : others).map((point) => {
    const own = { base: ownOf(config, reference.variant), head: ownOf(config, point.variant) };
    return buildPlan(
      {
        seed: randomInt(2 ** 31),
        arms: { base: { ...tree, label: reference.name }, head: { ...tree, label: point.name } },
        sameSource: differingSettings({ config, own }).length === 0,
        driver,
        config: configOf({ ...config, target: { ...config.target, driver: wanted } }, rounds),
        layout,
        ...others.length === 0 ? {} : { own }
      },
      sha256
    );
  });
  return { points, plans, rounds, config, tree };
}
function parseRounds(text) {
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds >= 3 && rounds <= 60) return rounds;
  throw new InputError(`--rounds: allowed is a whole number from 3 to 60, got ${JSON.stringify(text)}`);
}
function describeMatrix({ points, plans, rounds }) {
  const [first] = plans;
  const { block } = expectedSeconds(first, beforePilot(first), OVERHEAD);
  const seconds = plans.length * (OVERHEAD.start + rounds * block);
  const width = Math.max(...points.map(({ name }) => name.length));
  const rows = points.map(({ name }, index) => {
    const plan = plans[index - 1];
    if (plan === void 0)
      return `  ${name.padEnd(width)}  ${points.length === 1 ? "beside itself" : "the reference"}`;
    const settings = differingSettings(plan).map(
      ({ key, base, head }) => `${key}: ${base ?? "not set"} → ${head ?? "not set"}`
    );
    return `  ${name.padEnd(width)}  ${settings.join(", ") || "sets nothing else than the reference"}`;
  });
  return [
    `tree       ${first.arms.base.directory}${first.arms.base.commit === null ? "" : ` (${first.arms.base.commit.slice(0, 12)})`}`,
    `driver     ${first.driver}`,
    `isolation  ${first.layout.note}`,
    "",
    `${points.length} ${points.length === 1 ? "point" : "points"}:`,
    ...rows,
    "",
    `${first.cells.length} ${first.cells.length === 1 ? "cell" : "cells"} at each: ${first.cells.map(({ id }) => id).join(", ")}`,
    "",
    `expected   ${minutes(seconds)}: ${rounds} rounds of each, ${minutes(block)} a round`
  ].join("\n");
}
async function matrixPhase(planned, work, home, progress, signal) {
  const started = performance.now();
  const startedAt = (/* @__PURE__ */ new Date()).toISOString();
  work.begin();
  const runs = planned.plans.map((plan, index) => {
    const own = new WorkDirectory(work.file(POINTS, String(index + 1)));
    own.begin();
    own.writeJson("plan", plan);
    return { plan, work: own };
  });
  const once = warningOnce(progress);
  const { driver } = planned.plans[0];
  await onMachine(driver, work, { home, progress: once, signal }, (context) => measureAll(runs, planned, context));
  const result = resultOf(planned, runs, {
    startedAt,
    interrupted: signal.aborted,
    wallSeconds: (performance.now() - started) / 1e3
  });
  work.write("matrix.json", `${JSON.stringify(result, null, 2)}
`);
  work.write("matrix.csv", renderMatrixCsv(result));
  const chartsNote = drawWith(home, "charts.sh", [
    work.file("matrix.json"),
    work.directory("charts"),
    ...CHARTS.keys()
  ]);
  const charts = [...CHARTS].flatMap(([name, title]) => {
    const path = `charts/${name}.svg`;
    return existsSync(work.file(path)) ? [{ path, title }] : [];
  });
  work.write("matrix.md", renderMatrixMarkdown(result, charts));
  return { result, chartsNote };
}
function warningOnce(progress) {
  const told = /* @__PURE__ */ new Set();
  return {
    ...progress,
    warn: (line) => {
      if (!told.has(line)) progress.warn(line);
      told.add(line);
    }
  };
}
async function measureAll(runs, { rounds }, context) {
  const { progress, signal } = context;
  const started = performance.now();
  const measured = [];
  try {
    for (const [index, { plan, work }] of runs.entries()) {
      progress.step(`starting ${index + 1} of ${runs.length}: ${plan.arms.head.label}`);
      const rig = await startRig(plan, work, context);
      const log = new SampleLog(work, plan, []);
      const one = {
        plan,
        work,
        log,
        rig,
        pilots: /* @__PURE__ */ new Map(),
        run: begin(plan, null, []),
        barren: 0,
        failed: null
      };
      measured.push(one);
      Object.assign(one, await beginRun(rig, work, log, progress));
    }
    const loadStarted = performance.now();
    for (let round = 0; ; round++) {
      const open = measured.filter((one) => cellsToMeasure(one, rounds).length > 0);
      if (open.length === 0) break;
      for (const one of shuffled(open)) await measureBlock(one, cellsToMeasure(one, rounds), progress, signal);
      const elapsed = (performance.now() - loadStarted) / 1e3;
      tell(progress, measured, { round, rounds, elapsed });
    }
    for (const { log, failed } of measured) {
      const wallSeconds = (performance.now() - started) / 1e3;
      log.add([{ kind: "stop", reason: failed === null ? "cap" : "failed", detail: failed, wallSeconds }]);
    }
    if (measured.every(({ failed }) => failed !== null)) {
      throw new MeasureError(`nothing could be measured at any point: ${measured[0]?.failed}`);
    }
  } catch (error) {
    if (!signal.aborted || measured.every(({ run }) => run.blocks === 0)) throw error;
    const wallSeconds = (performance.now() - started) / 1e3;
    for (const { log } of measured) log.add([{ kind: "stop", reason: "interrupted", detail: null, wallSeconds }]);
  } finally {
    progress.done();
    for (const { rig } of measured) await rig.target.close();
  }
}
function cellsToMeasure({ run, pilots, failed }, rounds) {
  if (failed !== null || run.blocks >= MOST_BLOCKS * rounds) return [];
  const left = run.cells.filter((state) => state.status === "judged" && state.rounds.length < rounds);
  return left.flatMap(({ cell }) => pilots.get(cell.id) ?? []);
}
async function measureBlock(one, cells, progress, signal) {
  const { rig, run, log, plan } = one;
  try {
    const { samples, yardstickMs, times } = await runBlock(rig, cells, "main", run.blocks);
    const block = { kind: "block", stage: "main", block: run.blocks, yardstickMs, times };
    const lines = signal.aborted ? samples : [...samples, block];
    log.add(lines);
    for (const line of lines) take(run, line);
    one.barren = samples.some(({ requests }) => requests > 0) ? 0 : one.barren + 1;
    if (one.barren >= BARREN_BLOCKS) one.failed = `${one.barren} blocks in a row brought no request`;
  } catch (error) {
    if (signal.aborted || !(error instanceof MeasureError)) throw error;
    one.failed = error.message;
  }
  signal.throwIfAborted();
  if (one.failed !== null) progress.warn(`${plan.arms.head.label} was given up: ${one.failed}`);
}
function blocksLeft(one, rounds) {
  const cells = new Set(cellsToMeasure(one, rounds).map(({ cell }) => cell));
  const measured = one.run.cells.filter(({ cell }) => cells.has(cell.id)).map((state) => state.rounds.length);
  return Math.max(0, ...measured.map((count) => rounds - count));
}
function shuffled(items) {
  const left = [...items];
  return items.map(() => left.splice(randomInt(left.length), 1)[0]);
}
function tell(progress, measured, { round, rounds, elapsed }) {
  const open = measured.filter((one) => cellsToMeasure(one, rounds).length > 0);
  const struck = /* @__PURE__ */ new Map();
  for (const { run } of measured) {
    for (const state of run.cells) {
      for (const [cause, count] of state.struck) struck.set(cause, (struck.get(cause) ?? 0) + count);
    }
  }
  const left = open.reduce((sum, one) => sum + blocksLeft(one, rounds), 0);
  const done = measured.reduce((sum, { run }) => sum + run.blocks, 0);
  progress.block({
    stage: "main",
    block: round,
    open: open.length,
    tests: measured.length,
    green: null,
    red: 0,
    struck: [...struck.values()].reduce((sum, count) => sum + count, 0),
    cause: [...struck].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null,
    elapsedSeconds: elapsed,
    leftSeconds: left * elapsed / Math.max(1, done)
  });
}
function resultOf({ points, plans, rounds, tree }, runs, finish) {
  const read = runs.map(({ plan, work }, index) => readRun(plan, work, `${POINTS}/${index + 1}`, rounds));
  const first = plans[0];
  const environment = runs.map(({ plan, work }) => work.readEnvironment(plan)).find((found) => found !== null);
  if (environment === void 0 || environment === null) throw new Error("matrix: no run has an environment");
  const statistics = new Map(
    first.cells.map(({ id }) => [id, lowest(read.map(({ states }) => states.get(id)?.pilot?.statistic ?? "p99"))])
  );
  const [reference, ...others] = points;
  const means = new Map(others.map((point, index) => [point.name, meansOf(read[index], statistics)]));
  const effect = (mean) => mean ? effectOf(mean) : null;
  const measuredPoints = others.map((point, index) => ({
    name: point.name,
    levels: point.levels,
    directory: read[index].directory,
    cells: read[index].head.map((cell) => ({
      ...cell,
      statistic: statistics.get(cell.cell.id) ?? "p99",
      qps: effect(means.get(point.name)?.get(`${cell.cell.id} qps`)),
      latency: effect(means.get(point.name)?.get(`${cell.cell.id} latency`))
    }))
  }));
  const besideOthers = {
    name: reference.name,
    levels: reference.levels,
    directory: others.length === 0 ? read[0].directory : null,
    cells: first.cells.map(({ id }) => {
      const arms = read.flatMap(({ base, head }) => others.length === 0 ? [base, head] : [base]);
      const found = arms.flatMap((cells) => cells.find(({ cell }) => cell.id === id) ?? []);
      return { ...pooled(found), statistic: statistics.get(id) ?? "p99" };
    })
  };
  const factors = Object.keys(reference.levels);
  const isFull = others.some(
    ({ levels }) => factors.filter((name) => levels[name] !== reference.levels[name]).length > 1
  );
  const effects = !isFull ? [] : factors.flatMap((factor) => {
    const names = [...new Set(points.map(({ levels }) => levels[factor]))];
    return names.slice(1).flatMap(
      (level) => first.cells.map(({ id }) => {
        const of = (metric) => effect(mainEffect(points, factor, level, ({ name }) => means.get(name)?.get(`${id} ${metric}`) ?? null));
        const from = reference.levels[factor];
        return { factor, level, reference: from, cell: id, qps: of("qps"), latency: of("latency") };
      })
    );
  });
  return {
    version: 1,
    startedAt: finish.startedAt,
    arms: { label: tree.label, commit: tree.commit },
    driver: first.driver,
    design: isFull ? "full" : "one-at-a-time",
    rounds,
    machine: environment.machine,
    tools: environment.tools,
    layout: first.layout,
    points: [besideOthers, ...measuredPoints],
    effects,
    interrupted: finish.interrupted,
    wallSeconds: finish.wallSeconds
  };
}
function readRun(plan, work, directory, rounds) {
  const { lines, damaged } = work.readSamples(plan);
  const census = work.readCensus(plan);
  const input = { plan, census, environment: work.readEnvironment(plan), lines, damaged };
  const comparison = compare(input);
  work.writeJson("comparison", comparison);
  const states = new Map(replay(plan, census, lines).cells.map((state) => [state.cell.id, state]));
  const failed = comparison.stop?.reason === "failed" ? comparison.stop.detail : null;
  const cells = (arm) => comparison.cells.map((result) => {
    const struck = Object.entries(result.struck).sort(([, a], [, b]) => b - a);
    const fewer = result.rounds < rounds && struck[0] !== void 0 ? `${struck[0][0]} struck ${struck[0][1]} slots` : null;
    const counts = census?.scenarios.find(({ scenario }) => scenario === result.cell.scenario)?.arms[arm].counts ?? {};
    return {
      cell: result.cell,
      rounds: result.rounds,
      struck: struck.reduce((sum, [, count]) => sum + count, 0),
      why: failed ?? result.reasons[0]?.text ?? fewer,
      figures: result.figures[arm],
      growthBytes: growthOf(states.get(result.cell.id)?.rounds.map((round) => round[arm]) ?? []),
      counts: Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count.perRequest]))
    };
  });
  return {
    directory,
    states,
    base: cells("base"),
    head: cells("head")
  };
}
function meansOf({ states }, statistics) {
  return new Map(
    [...states].flatMap(([id, { rounds }]) => {
      const mean = (statistic) => logMean(
        rounds.map(({ base, head }) => Math.log(measuredValue(head, statistic) / measuredValue(base, statistic)))
      );
      return [
        [`${id} qps`, mean("qps")],
        [`${id} latency`, mean(statistics.get(id) ?? "p99")]
      ];
    })
  );
}
function pooled(cells) {
  const first = cells[0];
  const figures = cells.flatMap((cell) => cell.figures ?? []);
  const growths = cells.flatMap(({ growthBytes }) => growthBytes ?? []);
  return {
    cell: first.cell,
    rounds: cells.reduce((sum, { rounds }) => sum + rounds, 0),
    struck: cells.reduce((sum, { struck }) => sum + struck, 0),
    why: figures.length > 0 ? null : cells.find(({ why }) => why !== null)?.why ?? null,
    figures: figures.length > 0 ? medianFigures(figures) : null,
    growthBytes: growths.length > 0 ? median(growths) : null,
    counts: first.counts,
    qps: null,
    latency: null
  };
}
function medianFigures(all) {
  const mid = (pick) => median(all.map(pick));
  const known = (pick) => {
    const values = all.flatMap((figures) => pick(figures) ?? []);
    return values.length > 0 ? median(values) : null;
  };
  const total = (pick) => all.reduce((sum, figures) => sum + pick(figures), 0);
  return {
    slots: total(({ slots }) => slots),
    requests: total(({ requests }) => requests),
    qps: mid(({ qps }) => qps),
    latencyMs: {
      avg: mid(({ latencyMs }) => latencyMs.avg),
      p50: mid(({ latencyMs }) => latencyMs.p50),
      p90: mid(({ latencyMs }) => latencyMs.p90),
      p95: mid(({ latencyMs }) => latencyMs.p95),
      p99: mid(({ latencyMs }) => latencyMs.p99),
      max: mid(({ latencyMs }) => latencyMs.max)
    },
    cpuMsPerRequest: known(({ cpuMsPerRequest }) => cpuMsPerRequest),
    cpuPeakCores: known(({ cpuPeakCores }) => cpuPeakCores),
    memoryBytes: known(({ memoryBytes }) => memoryBytes),
    throttledPeriods: total(({ throttledPeriods }) => throttledPeriods),
    timeWait: mid(({ timeWait }) => timeWait),
    errors: total(({ errors }) => errors),
    failedChecks: total(({ failedChecks }) => failedChecks),
    maxMs: Math.max(...all.map(({ maxMs }) => maxMs))
  };
}
function lowest(statistics) {
  return ["p90", "p95"].find((candidate) => statistics.includes(candidate)) ?? "p99";
}
export {
  describeMatrix,
  matrixPhase,
  planMatrix
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  configOf,
  cpuLogRatios,
  effectOf,
  growthOf,
  logMean,
  mainEffect,
  medianPhases,
  pointsOf,
  renderMatrixCsv,
  renderMatrixMarkdown,
  stagesOf
} from "./shared-matrix.js";
import "./shared-text-table.js";
import {
  compareRun,
  figuresOf,
  slotsOf
} from "./shared-compare.js";
import {
  SampleLog,
  beginRun,
  measureBlock,
  onMachine,
  startRig,
  struckOf
} from "./shared-stack.js";
import "./shared-k6~2.js";
import "./shared-environment.js";
import "./shared-index~2.js";
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
  nginxMisfit
} from "./shared-nginx.js";
import {
  measuredValue,
  replay
} from "./shared-replay.js";
import "./shared-arms.js";
import {
  ARMS
} from "./shared-model.js";
import "./shared-runtime.js";

// scripts/src/phases/matrix.ts
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

// scripts/src/phases/matrix-result.ts
function matrixResult({ points, plans, rounds, design, timings, tree }, runs, finish) {
  const read = runs.map(readRun);
  const first = plans[0];
  const environment = runs.map(({ plan, work }) => work.readEnvironment(plan)).find((found) => found !== null);
  if (environment === void 0 || environment === null) throw new Error("matrix: no run has an environment");
  const statistics = new Map(
    first.cells.map(({ id }) => [id, lowest(read.map(({ states }) => states.get(id)?.pilot?.statistic ?? "p99"))])
  );
  const [reference, ...others] = points;
  const means = new Map(others.map((point, index) => [point.name, meansOf(read[index], statistics)]));
  const effect = (mean) => mean ? effectOf(mean) : null;
  const isAlone = others.length === 0;
  const ofReference = read.flatMap(
    (run) => (isAlone ? ARMS : ["base"]).map((arm) => ({ run, arm }))
  );
  const resultPoints = points.map(({ name, levels }, index) => {
    const own = read[index - 1];
    const number = isAlone ? 1 : index;
    return {
      name,
      levels,
      directory: number === 0 ? null : `${POINTS}/${number}`,
      cells: first.cells.map((cell) => ({
        ...matrixCell(cell, own === void 0 ? ofReference : [{ run: own, arm: "head" }], { rounds, timings }),
        statistic: statistics.get(cell.id) ?? "p99",
        qps: effect(means.get(name)?.get(`${cell.id} qps`)),
        latency: effect(means.get(name)?.get(`${cell.id} latency`))
      }))
    };
  });
  const factors = Object.keys(reference.levels);
  const isCrossed = others.some(
    ({ levels }) => factors.filter((name) => levels[name] !== reference.levels[name]).length > 1
  );
  const effects = !isCrossed ? [] : factors.flatMap((factor) => {
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
    design,
    rounds,
    machine: environment.machine,
    tools: environment.tools,
    layout: first.layout,
    points: resultPoints,
    effects,
    stages: design === "stages" ? stagesOf(resultPoints, ({ name }, cell, metric) => means.get(name)?.get(`${cell} ${metric}`) ?? null) : [],
    interrupted: finish.interrupted,
    wallSeconds: finish.wallSeconds
  };
}
function readRun({ plan, work }) {
  const { lines, damaged } = work.readSamples(plan);
  const census = work.readCensus(plan);
  const run = replay(plan, census, lines);
  const comparison = compareRun(run, { plan, census, environment: work.readEnvironment(plan), lines, damaged });
  work.writeJson("comparison", comparison);
  return {
    states: new Map(run.cells.map((state) => [state.cell.id, state])),
    results: new Map(comparison.cells.map((result) => [result.cell.id, result])),
    census,
    failed: comparison.stop?.reason === "failed" ? comparison.stop.detail : null
  };
}
function matrixCell(cell, arms, { rounds, timings }) {
  const slots = arms.flatMap(({ run, arm }) => slotsOf(run.states.get(cell.id), arm));
  const runs = [...new Set(arms.map(({ run }) => run))];
  const results = runs.map(({ results: results2 }) => results2.get(cell.id));
  const struck = results.flatMap((result) => Object.entries(result.struck)).sort(([, a], [, b]) => b - a);
  const [most] = struck;
  const isShort = results.some((result) => result.rounds < rounds);
  const [
    why = isShort && most !== void 0 ? `${most[0]} struck ${most[1]} ${most[1] === 1 ? "slot" : "slots"}` : null
  ] = runs.flatMap(({ failed }, index) => failed ?? results[index]?.reasons[0]?.text ?? []);
  const counts = arms.flatMap(({ run: { census }, arm }) => {
    const counted = census?.scenarios.find(({ scenario }) => scenario === cell.scenario);
    return counted?.arms[arm].counts ?? [];
  })[0];
  return {
    cell,
    rounds: results.reduce((sum, result) => sum + result.rounds, 0),
    struck: struck.reduce((sum, [, count]) => sum + count, 0),
    // What one run lacks of the reference, another has.
    why: runs.length > 1 && slots.length > 0 ? null : why,
    figures: figuresOf(slots),
    growthBytes: growthOf(slots),
    counts: Object.fromEntries(Object.entries(counts ?? {}).map(([name, count]) => [name, count.perRequest])),
    ...timings ? { phasesMs: medianPhases(slots.map(({ phasesMs }) => phasesMs)) } : {}
  };
}
function meansOf({ states }, statistics) {
  return new Map(
    [...states].flatMap(([id, { rounds }]) => {
      const mean = (statistic) => logMean(
        rounds.map(({ base, head }) => Math.log(measuredValue(head, statistic) / measuredValue(base, statistic)))
      );
      return [
        [`${id} cpu`, logMean(cpuLogRatios(rounds))],
        [`${id} qps`, mean("qps")],
        [`${id} latency`, mean(statistics.get(id) ?? "p99")]
      ];
    })
  );
}
function lowest(statistics) {
  return ["p90", "p95"].find((candidate) => statistics.includes(candidate)) ?? "p99";
}

// scripts/src/phases/matrix.ts
var MOST_BLOCKS = 2;
var CHARTS = /* @__PURE__ */ new Map([
  ["matrix-qps", "QPS over load"],
  ["matrix-change", "Change of QPS against the reference"],
  ["matrix-stages", "What each stage adds to the one before"]
]);
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
  const targets = points.map(({ name, variant }) => {
    const { target } = ownOf(config, variant);
    const misfit = nginxMisfit(target);
    if (misfit !== null) throw new InputError(`matrix.factors: ${name}: nginx.${misfit.key}: ${misfit.message}`);
    return target;
  });
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
  return { points, plans, rounds, design: matrix.design, timings: matrix.timings ?? false, tree };
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
  const { driver } = planned.plans[0];
  await onMachine(driver, work, { home, progress, signal }, (context) => measureAll(runs, planned, context));
  const result = matrixResult(planned, runs, {
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
async function measureAll(runs, { rounds }, context) {
  const { progress, signal } = context;
  const started = performance.now();
  const rigs = [];
  const measured = [];
  try {
    for (const [index, { plan, work }] of runs.entries()) {
      progress.step(`starting ${index + 1} of ${runs.length}: ${plan.arms.head.label}`);
      const rig = await startRig(plan, work, context);
      rigs.push(rig);
      measured.push({ ...await beginRun(rig, work, new SampleLog(work, plan, []), progress), failed: null });
    }
    const loadStarted = performance.now();
    for (let round = 0; ; round++) {
      const open = measured.filter((one) => cellsToMeasure(one, rounds).length > 0);
      if (open.length === 0) break;
      for (const one of shuffled(open)) await measureOrGiveUp(one, cellsToMeasure(one, rounds), progress);
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
    for (const { target } of rigs) await target.close();
  }
}
function cellsToMeasure({ run, pilots, failed }, rounds) {
  if (failed !== null || run.blocks >= MOST_BLOCKS * rounds) return [];
  const left = run.cells.filter((state) => state.status === "judged" && state.rounds.length < rounds);
  return left.flatMap(({ cell }) => pilots.get(cell.id) ?? []);
}
async function measureOrGiveUp(one, cells, progress) {
  const { plan, signal } = one.rig;
  try {
    await measureBlock(one, cells, "main", progress);
  } catch (error) {
    if (signal.aborted || !(error instanceof MeasureError)) throw error;
    one.failed = error.message;
    progress.warn(`${plan.arms.head.label} was given up: ${one.failed}`);
  }
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
  const left = open.reduce((sum, one) => sum + blocksLeft(one, rounds), 0);
  const done = measured.reduce((sum, { run }) => sum + run.blocks, 0);
  progress.block({
    stage: "main",
    block: round,
    open: open.length,
    tests: measured.length,
    green: null,
    red: 0,
    ...struckOf(measured.flatMap(({ run }) => run.cells)),
    elapsedSeconds: elapsed,
    leftSeconds: left * elapsed / Math.max(1, done)
  });
}
export {
  describeMatrix,
  matrixPhase,
  planMatrix
};

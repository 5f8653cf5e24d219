import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  changePoints
} from "./shared-steps.js";
import {
  REFERENCE,
  conditionsOf,
  figureOf,
  sinceAnchor
} from "./shared-plan.js";
import {
  FIRST_LOOK,
  measuredValue,
  tCdf,
  tQuantile,
  testsOf
} from "./shared-replay.js";

// scripts/src/core/stored.ts
var MOST = 20;
var PRIOR_DF = 4;
function comparable(records, { branch, anchor, must }) {
  const none = (why) => ({ records: [], why });
  if (records.length === 0) return none("the store has no record yet");
  const ofBranch = records.filter((record) => record.branch === branch);
  if (ofBranch.length === 0) {
    const names = [...new Set(records.map((record) => record.branch))].slice(0, 3).map((name) => JSON.stringify(name));
    return none(`the store has records of the branch ${names.join(", ")}, none of ${JSON.stringify(branch)}`);
  }
  const ofAnchor = ofBranch.filter((record) => record.anchor.id === anchor.id);
  if (ofAnchor.length === 0) {
    const other = ofBranch.at(-1).anchor;
    return none(
      `the newest record of ${branch} was measured against ${other.label} (${shortId(other.id)}), this run against ${anchor.label} (${shortId(anchor.id)})`
    );
  }
  const alike = ofAnchor.filter((record) => differing(record.conditions.must, must).length === 0);
  if (alike.length > 0) return { records: alike, why: null };
  const newest = ofAnchor.at(-1);
  return none(
    `the newest record, ${nameOf(newest)}, has other conditions: ${differing(newest.conditions.must, must).join(", ")}`
  );
}
var KEPT = 100;
var KEPT_OTHERS = 5;
function worthKeeping(records, { branch, anchor, must }) {
  const ofBranch = records.filter((record) => record.branch === branch);
  const own = ofBranch.filter((record) => record.anchor.id === anchor.id);
  const alike = own.filter((record) => differing(record.conditions.must, must).length === 0);
  if (alike.length > 0) return alike.slice(-KEPT);
  if (own.length > 0) return own.slice(-KEPT_OTHERS);
  return (ofBranch.length > 0 ? ofBranch : records).slice(-KEPT_OTHERS);
}
var CONDITION_LABEL = {
  driver: "driver",
  cpuModel: "CPU",
  logicalCpus: "CPUs",
  php: "PHP",
  k6: "k6"
};
function differing(record, run) {
  const keys = Object.keys(CONDITION_LABEL);
  return keys.filter((key) => run[key] !== void 0 && run[key] !== record[key]).map((key) => `${CONDITION_LABEL[key]} ${record[key] ?? "unknown"} (here ${run[key] ?? "unknown"})`);
}
function nameOf({ commit, recordedAt }) {
  return `${commit.slice(0, 7)} of ${recordedAt.slice(0, 10)}`;
}
var shortId = (id) => id.replace(/^sha256:/, "").slice(0, 7);
function recordsOf(records, cell, suite, statistic, which = "newest") {
  const found = [];
  for (const record of records) {
    const own = record.cells.find(({ id }) => id === cell);
    if (own !== void 0) found.push({ record, own });
  }
  const last = found.at(-1);
  const none = (why) => ({ records: [], figures: [], why });
  if (last === void 0) return none("no record has this cell");
  const asked = found.filter(({ own }) => own.suite === suite);
  if (asked.length === 0) {
    return none(
      `the newest record of it, ${nameOf(last.record)}, asked for something else (suite ${last.own.suite}, now ${suite})`
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
function sinceLastStep(records, steps, { cell, metric }) {
  const last = steps.findLast((step) => step.cell === cell && step.metric === metric);
  return last === void 0 ? records : records.slice(records.findIndex(({ id }) => id === last.after));
}
function judgeStored(fresh, records, { line, direction }, { tests, alpha, beta, noise }) {
  const n = records.length;
  const { mean, between, df } = spreadOf(records, noise);
  const excess = Math.max(0, errorOf(fresh) - meanOf(records, errorOf));
  const se = Math.sqrt(between * (1 + 1 / n) + excess);
  const x = direction * (fresh.logRatio - mean - Math.log(line));
  const low = x - tQuantile(1 - beta, df) * se;
  const high = x + tQuantile(1 - alpha / tests, df) * se;
  const toRatio = (value) => Math.exp(direction * value + Math.log(line));
  const ends = [toRatio(low), toRatio(high)];
  return {
    verdict: high < 0 ? "regression" : low > 0 ? "pass" : "inconclusive",
    estimate: { n, ratio: toRatio(x), low: Math.min(...ends), high: Math.max(...ends) },
    p: tCdf(x / se, df)
  };
}
function spreadOf(records, noise) {
  const n = records.length;
  const mean = meanOf(records, ({ logRatio }) => logRatio);
  const squares = n * meanOf(records, ({ logRatio }) => (logRatio - mean) ** 2);
  const df = PRIOR_DF + n - 1;
  return { mean, between: (PRIOR_DF * noise ** 2 + squares) / df, df };
}
var errorOf = ({ sd, rounds }) => sd ** 2 / rounds;
function meanOf(values, pick) {
  return values.reduce((sum, value) => sum + pick(value), 0) / values.length;
}
function compareStored({ plan, cells, rule }, environment, history) {
  const { stored, config } = plan;
  if (stored === void 0) throw new Error("a run without an anchor has no records");
  const must = environment === null ? {} : conditionsOf(plan, environment).must;
  const others = (history?.records ?? []).filter(({ recordedAt }) => recordedAt !== environment?.startedAt);
  const wanted = { ...stored, must };
  const { records, why } = comparable(worthKeeping(others, wanted), wanted);
  const steps = changePoints(records);
  const { maxQpsDrop, maxP99Rise, noise } = config.baseline;
  const tests = /* @__PURE__ */ new Map();
  const since = /* @__PURE__ */ new Map();
  const used = /* @__PURE__ */ new Set();
  for (const state of cells) {
    const { cell, scenario, pilot } = state;
    const statistic = pilot?.statistic ?? "p99";
    const [qps, latency] = [figureOf(state, "qps"), figureOf(state, statistic)];
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
      const own = new Set(cells.flatMap(({ cell }) => cell.scenario === scenario ? [cell.id] : []));
      const asked = newestFirst.filter(
        (record) => record.cells.some(({ id, suite }) => own.has(id) && stored.suites[id] === suite)
      );
      return countsOf(asked, scenario);
    },
    summary: { anchor, store, branch, missing: history?.missing ?? true, records: newestFirst.map(nameFields) }
  };
}
function nameFields({ id, commit, recordedAt, url }) {
  return { id, commit, recordedAt, url };
}
function countsOf(newestFirst, scenario) {
  const counts = newestFirst.flatMap(({ census }) => census.filter((entry) => entry.scenario === scenario))[0]?.counts;
  const exact = (perRequest) => ({ perRequest, min: perRequest, max: perRequest, exact: true });
  return Object.fromEntries(Object.entries(counts ?? {}).map(([name, perRequest]) => [name, exact(perRequest)]));
}
function storedTest(state, test, { figures, why }, rule) {
  const { id, metric, statistic, line } = test;
  const figure = figureOf(state, statistic);
  const mean = meanOf(figures, ({ logRatio }) => logRatio);
  const blank = { id, metric, statistic, line, limit: null, confirmation: null, estimate: null, p: null };
  const unknown = { ...blank, verdict: "inconclusive", base: null, logRatios: [], path: [] };
  if (figure === null) return { ...unknown, head: null, reasons: [tooFew(state.rounds.length)] };
  if (why !== null) return { ...unknown, head: figure.head, reasons: [{ code: "no-baseline", text: why }] };
  const look = judgeStored(figure, figures, test, rule);
  const value = (slot) => measuredValue(slot, statistic);
  return {
    ...blank,
    ...look,
    base: figure.anchor * Math.exp(mean),
    head: figure.head,
    logRatios: state.rounds.map(({ base, head }) => Math.log(value(head) / value(base)) - mean),
    path: [{ ...look.estimate, n: state.rounds.length }],
    reasons: look.verdict === "inconclusive" ? [undecided(figures.length)] : []
  };
}
function tooFew(rounds) {
  if (rounds === 0) return { code: "no-samples", text: "no clean round was measured" };
  const text = `${rounds} clean ${rounds === 1 ? "round" : "rounds"}; nothing is compared with fewer than ${FIRST_LOOK}`;
  return { code: "undecided", text };
}
function undecided(records) {
  const text = `undecided against ${records} ${records === 1 ? "record" : "records"}: jobs of the same code differ by as much`;
  return { code: "undecided", text };
}

export {
  comparable,
  worthKeeping,
  recordsOf,
  sinceLastStep,
  spreadOf,
  meanOf,
  compareStored,
  nameFields
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  comparable,
  meanOf,
  nameFields,
  recordsOf,
  sinceLastStep,
  spreadOf,
  worthKeeping
} from "./shared-stored.js";
import {
  changePoints
} from "./shared-steps.js";
import {
  NO_ANCHOR,
  REFERENCE,
  conditionsOf,
  figureOf
} from "./shared-plan.js";
import {
  FLOOR,
  tQuantile
} from "./shared-replay.js";

// scripts/src/core/beside.ts
function anchorOf(records, branch) {
  return records.findLast((record) => record.branch === branch && record.anchor.id !== NO_ANCHOR)?.anchor ?? null;
}
function besideRecords({ plan, cells }, environment, history) {
  const { beside, config } = plan;
  if (beside === void 0 || environment === null || history === null) return null;
  const { store, branch, suites } = beside;
  const anchor = anchorOf(history.records, branch);
  if (anchor === null) return null;
  const wanted = { branch, anchor, must: conditionsOf(plan, environment).must };
  const { records } = comparable(worthKeeping(history.records, wanted), wanted);
  const steps = changePoints(records);
  const since = /* @__PURE__ */ new Map();
  const used = /* @__PURE__ */ new Set();
  const days = /* @__PURE__ */ new Set();
  const estimateOf = (state, metric) => {
    const { id } = state.cell;
    const own = steps.filter((step) => step.cell === id && step.metric === metric);
    const statistic = metric === "qps" ? metric : state.pilot?.statistic ?? "p99";
    const figure = figureOf(state, statistic);
    const find = (among, which) => recordsOf(among, id, suites[id] ?? "", statistic, which);
    const newest = find(sinceLastStep(records, own, { cell: id, metric }), "newest");
    if (figure === null || newest.why !== null) return null;
    const oldest = anchor.label === REFERENCE ? oldestOf(records, own, find) : null;
    for (const record of [...newest.records, ...oldest?.records ?? []]) used.add(record);
    for (const { recordedAt } of oldest?.records.slice(0, 1) ?? []) days.add(recordedAt.slice(0, 10));
    return chained(figure, newest.figures, oldest?.figures ?? null, config.baseline.noise);
  };
  for (const state of cells) {
    const qps = estimateOf(state, "qps");
    if (qps !== null) since.set(state.cell.id, { qps, latency: estimateOf(state, "latency") });
  }
  if (since.size === 0) return null;
  const [day = anchor.label] = days;
  const newestFirst = records.filter((record) => used.has(record)).reverse();
  const from = days.size > 1 ? "the first records" : day;
  return {
    since,
    summary: { anchor, store, branch, missing: false, records: newestFirst.map(nameFields), since: from }
  };
}
function oldestOf(records, steps, find) {
  const ends = steps.map(({ after }) => records.findIndex(({ id }) => id === after));
  const levels = ends.map((end) => find(records.slice(0, end), "oldest"));
  return levels.find(({ why }) => why === null) ?? find(records, "oldest");
}
function chained(run, newest, oldest, noise) {
  const n = newest.length;
  const { mean, between, df } = spreadOf(newest, noise);
  const zero = oldest === null ? 0 : meanOf(oldest, ({ logRatio }) => logRatio);
  const jobs = between * (1 / n + (oldest === null ? 0 : 1 / oldest.length));
  const own = Math.max(run.sd, FLOOR) ** 2 / run.rounds;
  const total = jobs + own;
  const half = tQuantile(0.975, total ** 2 / (jobs ** 2 / df + own ** 2 / (run.rounds - 1))) * Math.sqrt(total);
  const z = run.logRatio + mean - zero;
  return { n, ratio: Math.exp(z), low: Math.exp(z - half), high: Math.exp(z + half) };
}

export {
  anchorOf,
  besideRecords
};

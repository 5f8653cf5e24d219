import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  FIRST_LOOK,
  FLOOR,
  measuredValue,
  median,
  replay,
  scaledMad,
  tQuantile,
  winsorised
} from "./shared-replay.js";

// scripts/src/core/record.ts
var NO_ANCHOR = "none";
var REFERENCE = "reference application";
function recordId(record, sha256) {
  return sha256(JSON.stringify({ ...record, id: void 0 })).slice(0, 16);
}
function recordOf({
  plan,
  environment,
  census,
  lines
}, { commit, committedAt, branch, url }, sha256) {
  if (plan.stored === void 0) throw new Error("a run without an anchor has no record");
  const rest = {
    recordedAt: environment.startedAt,
    commit,
    committedAt,
    branch,
    url,
    anchor: plan.stored.anchor,
    conditions: conditionsOf(plan, environment),
    cells: replay(plan, census, lines).cells.flatMap((state) => recordCell(plan, state) ?? []),
    census: census.scenarios.map(({ scenario, arms }) => ({ scenario, counts: exactCounts(arms.head.counts) }))
  };
  return { version: 1, id: recordId({ version: 1, ...rest }, sha256), ...rest };
}
function exactCounts(counts) {
  const exact = Object.entries(counts).filter(([, count]) => count.exact);
  return Object.fromEntries(exact.map(([name, count]) => [name, count.perRequest]));
}
function conditionsOf(plan, { machine, tools, php }) {
  const { k6 = "unknown", ...others } = tools;
  return {
    must: {
      driver: plan.driver,
      cpuModel: machine.cpuModel,
      logicalCpus: machine.logicalCpus,
      php: php.head === null ? null : minor(php.head.version),
      k6: minor(k6)
    },
    also: { kernel: machine.kernel, os: machine.os, k6, ...others, ...php.head && { php: php.head.version } }
  };
}
function minor(version) {
  return /^v?(\d+\.\d+)/.exec(version)?.[1] ?? version;
}
function suiteOf(cell, scenario, flow, sha256) {
  const { work, checks, connection, load } = scenario;
  const how = load.model === "ramp" ? load : { model: load.model, level: cell.level };
  const asked = work.kind === "flow" ? { kind: work.kind, text: flow } : work;
  return sha256(JSON.stringify([asked, checks, connection, how])).slice(0, 12);
}
function recordCell(plan, state) {
  const { cell, scenario } = state;
  const qps = rounded(figureOf(state, "qps"));
  const suite = plan.stored?.suites[cell.id];
  if (qps === null || suite === void 0) return null;
  const statistic = state.pilot?.statistic ?? "p99";
  const latency = rounded(figureOf(state, statistic));
  return { id: cell.id, connection: scenario.connection, suite, qps, latency: latency && { ...latency, statistic } };
}
function rounded(figure) {
  if (figure === null) return null;
  const six = (value) => Number(value.toPrecision(6));
  const { head, anchor, logRatio, sd, rounds } = figure;
  return { head: six(head), anchor: six(anchor), logRatio: six(logRatio), sd: six(sd), rounds };
}
function figureOf({ status, rounds }, statistic) {
  if (status !== "judged" || rounds.length < FIRST_LOOK) return null;
  const value = (slot) => measuredValue(slot, statistic);
  const logs = rounds.map(({ base, head }) => Math.log(value(head) / value(base)));
  const values = winsorised(logs, Math.max(scaledMad(logs), FLOOR));
  const mean = values.reduce((sum, log) => sum + log, 0) / values.length;
  const squares = values.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  return {
    head: median(rounds.map(({ head }) => value(head))),
    anchor: median(rounds.map(({ base }) => value(base))),
    logRatio: mean,
    sd: Math.sqrt(squares / (values.length - 1)),
    rounds: values.length
  };
}
function sinceAnchor({ logRatio, sd, rounds }) {
  const half = rounds < 2 ? 0 : tQuantile(0.975, rounds - 1) * Math.max(sd, FLOOR) / Math.sqrt(rounds);
  return { n: rounds, ratio: Math.exp(logRatio), low: Math.exp(logRatio - half), high: Math.exp(logRatio + half) };
}

export {
  NO_ANCHOR,
  REFERENCE,
  recordId,
  recordOf,
  conditionsOf,
  minor,
  suiteOf,
  figureOf,
  sinceAnchor
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  textTable
} from "./shared-text-table.js";
import {
  LARGEST_FILE,
  openStore,
  sha256
} from "./shared-git-store.js";
import {
  array,
  loadConfig,
  looseObject,
  number,
  object,
  record,
  string,
  unknown
} from "./shared-schemas.js";
import {
  InputError
} from "./shared-errors.js";
import {
  NO_ANCHOR,
  recordId,
  sinceAnchor
} from "./shared-plan.js";
import {
  harmless,
  stringify
} from "./shared-index.js";
import {
  ABSENT,
  list,
  ms,
  oneLine,
  plural,
  qps,
  signed
} from "./shared-headline.js";
import {
  FLOOR,
  tQuantile
} from "./shared-replay.js";

// scripts/src/phases/baseline.ts
import { readFileSync, statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";

// scripts/src/core/record-diff.ts
var UPPER = 0.975;
function changeBetween(from, to) {
  const difference = to.logRatio - from.logRatio;
  if (from.rounds < 2 || to.rounds < 2) return interval(difference, null);
  const [a, b] = [from, to].map(({ sd, rounds }) => Math.max(sd, FLOOR) ** 2 / rounds);
  const variance = a + b;
  const df = variance ** 2 / (a ** 2 / (from.rounds - 1) + b ** 2 / (to.rounds - 1));
  return interval(difference, { variance, df });
}
function interval(logRatio, spread) {
  if (spread === null) return { ratio: Math.exp(logRatio), low: null, high: null };
  const half = tQuantile(UPPER, spread.df) * Math.sqrt(spread.variance);
  return { ratio: Math.exp(logRatio), low: Math.exp(logRatio - half), high: Math.exp(logRatio + half) };
}
function diffRecords(from, to) {
  const ids = [...new Set([...from.cells, ...to.cells].map(({ id }) => id))];
  return {
    absolute: from.anchor.id === NO_ANCHOR && to.anchor.id === NO_ANCHOR,
    conditions: [
      ...differing(from.conditions.must, to.conditions.must, true),
      ...differing(from.conditions.also, to.conditions.also, false)
    ],
    cells: ids.map((id) => cellDifference(id, from, to))
  };
}
function differing(from, to, must) {
  const text = (value2) => value2 == null ? null : String(value2);
  return [.../* @__PURE__ */ new Set([...Object.keys(from), ...Object.keys(to)])].map((name) => ({ name, from: text(from[name]), to: text(to[name]), must })).filter((condition) => condition.from !== condition.to);
}
function cellDifference(id, from, to) {
  const [before, after] = [from, to].map(({ cells }) => cells.find((cell) => cell.id === id));
  const not = (reason) => ({ cell: id, reason, figures: [] });
  if (before === void 0) return not("only in the second");
  if (after === void 0) return not("only in the first");
  if (from.anchor.id !== to.anchor.id) return not(`other anchor: ${from.anchor.label}, ${to.anchor.label}`);
  if (before.suite !== after.suite) return not("asks for something else");
  return { cell: id, reason: null, figures: [...qpsDifference(before, after), ...latencyDifference(before, after)] };
}
function qpsDifference({ qps: from }, { qps: to }) {
  if (from === null || to === null) return [];
  return [{ metric: "qps", statistic: "qps", from: from.head, to: to.head, change: changeBetween(from, to) }];
}
function latencyDifference({ latency: from }, { latency: to }) {
  if (from === null || to === null || from.statistic !== to.statistic) return [];
  const { statistic } = to;
  return [{ metric: "latency", statistic, from: from.head, to: to.head, change: changeBetween(from, to) }];
}

// scripts/src/history/interchange.ts
var DATA_JS = /^\s*window\.BENCHMARK_DATA\s*=\s*/;
var benchmarkData = object({
  entries: record(
    string(),
    array(
      object({
        commit: object({ id: string(), timestamp: string().optional() }),
        date: number(),
        benches: array(object({ name: string(), value: number(), unit: string() }))
      })
    )
  )
});
var k6Metric = looseObject({ values: record(string(), unknown()).optional() });
var k6Summary = object({
  metrics: object({ http_reqs: k6Metric.optional(), http_req_duration: k6Metric.optional() })
});
function importRecords(text, facts) {
  let value2;
  try {
    value2 = JSON.parse(text.replace(DATA_JS, "").replace(/;\s*$/, ""));
  } catch (error) {
    throw new InputError(`${facts.file}: no JSON and no data.js: ${error.message}`);
  }
  const data = benchmarkData.safeParse(value2);
  if (data.success) return fromBenchmarkData(data.data.entries, facts);
  const summary = k6Summary.safeParse(value2);
  if (summary.success) return fromK6(summary.data, facts);
  throw new InputError(
    `${facts.file}: allowed is a data file of github-action-benchmark ({"entries": ...}), what k6 writes with --summary-export ({"metrics": ...}), or records of perf-gate (.ndjson)`
  );
}
function fromBenchmarkData(entries, facts) {
  const runs = /* @__PURE__ */ new Map();
  const leftOut = /* @__PURE__ */ new Map();
  const leave = (what) => leftOut.set(what, (leftOut.get(what) ?? 0) + 1);
  const ambiguous = namesOfSeveralSuites(entries);
  for (const [suite, list2] of Object.entries(entries)) {
    const seen = /* @__PURE__ */ new Map();
    for (const entry of list2) {
      const { commit, benches } = entry;
      if (!/^[0-9a-f]{40}$/.test(commit.id)) {
        leave(`${suite}: a run without a commit of 40 hex digits`);
        continue;
      }
      const nth = (seen.get(commit.id) ?? 0) + 1;
      seen.set(commit.id, nth);
      const key = `${commit.id} ${nth}`;
      const run = runs.get(key) ?? { entry, found: [] };
      runs.set(key, run);
      for (const { name, value: value2, unit } of benches) {
        const found = figureOf(name, value2, unit, suite);
        if (found === null) leave(`${suite}: ${name} (${unit}): neither a throughput nor a p90, p95 or p99`);
        else run.found.push(ambiguous.has(found.cell) ? { ...found, cell: `${suite}: ${found.cell}` } : found);
      }
    }
  }
  const records = [...runs.values()].flatMap(({ entry, found }) => {
    const committed = Date.parse(entry.commit.timestamp ?? "");
    const committedAt = Number.isNaN(committed) ? null : new Date(committed).toISOString();
    const run = { commit: entry.commit.id, committedAt, at: new Date(entry.date), branch: facts.branch };
    return recordOf(found, run, "github-action-benchmark");
  });
  const sentences = [...leftOut].map(([what, times]) => times === 1 ? what : `${what}, ${times} times`);
  return { records, leftOut: sentences };
}
function namesOfSeveralSuites(entries) {
  const suites = /* @__PURE__ */ new Map();
  const several = /* @__PURE__ */ new Set();
  for (const [suite, list2] of Object.entries(entries)) {
    for (const { name, value: value2, unit } of list2.flatMap(({ benches }) => benches)) {
      const found = figureOf(name, value2, unit, suite);
      if (found === null) continue;
      const key = `${found.statistic} ${found.cell}`;
      if ((suites.get(key) ?? suite) !== suite) several.add(found.cell);
      suites.set(key, suite);
    }
  }
  return several;
}
var PER_SECOND = /^(?:(?:req(?:uest)?s?|ops?|operations|iter(?:ation)?s?|queries|hits|transactions)\s*(?:\/|per )\s*s(?:ec(?:ond)?)?|rps|qps|tps|hz)$/i;
var MS_PER = {
  ns: 1e-6,
  nsec: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  usec: 1e-3,
  ms: 1,
  msec: 1,
  s: 1e3,
  sec: 1e3
};
var PERCENTILE = /\bp\(?(90|95|99)\)?(?![\d.])|\b(90|95|99)(?:th)?[ -]?percentile\b/i;
var METRIC_WORDS = /[\s:/,_-]*\b(?:qps|rps|throughput|latency|response time|duration)$/i;
function figureOf(name, value2, unit, suite) {
  if (!(value2 > 0)) return null;
  const cell = (rest) => {
    const stem = rest.trim().replace(METRIC_WORDS, "").replace(/[\s:/,_-]+$/, "");
    return stem === "" ? suite : stem;
  };
  if (PER_SECOND.test(unit.trim())) return { cell: cell(name), statistic: "qps", value: value2 };
  const [, short2, long] = PERCENTILE.exec(name) ?? [];
  const percentile = short2 ?? long;
  const factor = MS_PER[unit.trim().replace(/\s*\/\s*(?:op|iter|req(?:uest)?)$/i, "")];
  if (percentile === void 0 || factor === void 0) return null;
  const statistic = `p${percentile}`;
  return { cell: cell(name.replace(PERCENTILE, "")), statistic, value: value2 * factor };
}
function fromK6({ metrics }, facts) {
  const { commit, at, branch, cell } = facts;
  if (commit === null) {
    throw new InputError(`${facts.file}: a summary of k6 does not say what was measured: add --commit`);
  }
  const reading = (metric, name) => {
    const value2 = (metric?.values ?? metric)?.[name];
    return typeof value2 === "number" && value2 > 0 ? value2 : null;
  };
  const found = [];
  const qps2 = reading(metrics.http_reqs, "rate");
  if (qps2 !== null) found.push({ cell, statistic: "qps", value: qps2 });
  for (const statistic of ["p99", "p95", "p90"]) {
    const value2 = reading(metrics.http_req_duration, `p(${statistic.slice(1)})`);
    if (value2 !== null) found.push({ cell, statistic, value: value2 });
  }
  const records = recordOf(found, { commit, committedAt: null, at, branch }, "k6");
  if (records.length === 0) {
    throw new InputError(
      `${facts.file}: it has neither a rate of http_reqs nor a p(90), p(95) or p(99) of their duration`
    );
  }
  return { records, leftOut: [] };
}
function recordOf(found, { commit, committedAt, at, branch }, by) {
  if (found.length === 0 || Number.isNaN(at.getTime())) return [];
  const names = [...new Set(found.map(({ cell }) => cell))];
  const record2 = {
    version: 1,
    recordedAt: at.toISOString(),
    commit,
    committedAt,
    branch,
    url: null,
    anchor: { label: NO_ANCHOR, id: NO_ANCHOR },
    conditions: {
      must: { driver: "url", cpuModel: "unknown", logicalCpus: 0, php: null, k6: "unknown" },
      also: { "imported from": by }
    },
    cells: names.map((name) => cellOf(name, found)),
    census: []
  };
  return [{ id: recordId(record2, sha256), ...record2 }];
}
function cellOf(name, found) {
  const valueAs = (statistic2) => found.findLast((figure2) => figure2.cell === name && figure2.statistic === statistic2)?.value;
  const qps2 = valueAs("qps");
  const statistic = ["p99", "p95", "p90"].find((each) => valueAs(each) !== void 0);
  return {
    id: name,
    connection: "keep-alive",
    suite: sha256(`imported ${name}`).slice(0, 12),
    qps: qps2 === void 0 ? null : figure(qps2),
    latency: statistic === void 0 ? null : { ...figure(valueAs(statistic)), statistic }
  };
}
function figure(value2) {
  return { head: value2, anchor: 1, logRatio: Math.log(value2), sd: 0, rounds: 1 };
}
function customBenchmarks(record2, better) {
  return record2.cells.flatMap(({ id, qps: qps2, latency }) => {
    if (better === "bigger") return qps2 === null ? [] : [customBenchmark(`${id} QPS`, "requests/s", qps2, record2)];
    return latency === null ? [] : [customBenchmark(`${id} ${latency.statistic}`, "ms", latency, record2)];
  });
}
function customBenchmark(name, unit, figure2, { anchor, commit }) {
  const { head, logRatio, sd, rounds } = figure2;
  const since = anchor.id === NO_ANCHOR ? "" : `
${(Math.expm1(logRatio) * 100).toFixed(1)}% since ${anchor.label}`;
  const benchmark = { name, unit, value: head, extra: `commit ${commit}${since}
${rounds} rounds` };
  if (rounds < 2) return benchmark;
  const half = tQuantile(0.975, rounds - 1) * sd * head / Math.sqrt(rounds);
  return { ...benchmark, range: `± ${half.toPrecision(3)}` };
}

// scripts/src/report/records.ts
var time = (iso) => new Date(iso).toISOString().slice(0, 16).replace("T", " ");
var short = (commit) => commit.slice(0, 7);
var value = (metric, figure2) => metric === "qps" ? qps(figure2) : ms(figure2);
function conditionsLine({ anchor, conditions: { must, also } }) {
  if (anchor.id === NO_ANCHOR) return versions(also);
  const php = must.php === null ? [] : [`PHP ${must.php}`];
  const cpus = plural(must.logicalCpus, "CPU");
  return [must.driver, must.cpuModel, cpus, ...php, `k6 ${must.k6}`].map(oneLine).join(", ");
}
function versions(also) {
  return Object.entries(also).map(([name, version]) => oneLine(`${name} ${version}`)).join(", ");
}
function renderRecordList(records) {
  const conditions = [...new Set(records.map((record2) => conditionsLine(record2)))];
  const number2 = (line) => String(conditions.indexOf(line) + 1);
  const rows = records.map((record2) => [
    time(record2.recordedAt),
    short(record2.commit),
    record2.id,
    oneLine(record2.branch),
    oneLine(record2.anchor.label),
    String(record2.cells.length),
    number2(conditionsLine(record2))
  ]);
  const table = textTable(["recorded (UTC)", "commit", "id", "branch", "anchor", ">cells", ">on"], rows);
  return [table, "", ...conditions.map((line) => `${number2(line)}: ${line}`)].join("\n");
}
function renderRecord(record2) {
  const { anchor, conditions, census } = record2;
  const absolute = anchor.id === NO_ANCHOR;
  const lines = [
    `record ${record2.id} of ${record2.commit}`,
    `on ${oneLine(record2.branch)}, ${time(record2.recordedAt)} UTC${record2.url === null ? "" : `, ${oneLine(record2.url)}`}`,
    absolute ? "another program measured it, without an anchor: no verdict rests on it" : `anchor ${oneLine(anchor.label)} (${anchor.id}), measured beside it`,
    ...absolute ? [] : [conditionsLine(record2)],
    versions(conditions.also),
    "",
    textTable(["cell", "", ">anchor", ">commit", ">change", ">between, %", ">rounds"], record2.cells.flatMap(cellRows))
  ];
  if (!absolute) lines.push("", "Between: 95%, from the rounds of this run alone; from job to job it differs by more.");
  const counts = census.flatMap(
    ({ scenario, counts: found }) => Object.entries(found).map(([name, count]) => [oneLine(scenario), name, String(count)])
  );
  if (counts.length > 0) lines.push("", textTable(["scenario", "per request", ">count"], counts));
  return lines.join("\n");
  function cellRows({ id, qps: throughput, latency }) {
    const row = (name, title, metric, figure2) => {
      const since = sinceAnchor(figure2);
      const known = figure2.rounds > 1;
      return [
        name,
        title,
        absolute ? ABSENT : value(metric, figure2.anchor),
        value(metric, figure2.head),
        absolute ? ABSENT : `${signed(since.ratio - 1)}%`,
        absolute ? ABSENT : between(known ? since : { ...since, low: null, high: null }),
        String(figure2.rounds)
      ];
    };
    const rows = throughput === null ? [] : [row(oneLine(id), "QPS", "qps", throughput)];
    if (latency !== null) {
      rows.push(row(throughput === null ? oneLine(id) : "", `${latency.statistic} ms`, "latency", latency));
    }
    return rows;
  }
}
function between({ low, high }) {
  return low === null || high === null ? ABSENT : `${signed(low - 1)} … ${signed(high - 1)}`;
}
function renderRecordDiff(from, to) {
  const { absolute, conditions, cells } = diffRecords(from, to);
  const name = (record2) => `${short(record2.commit)} (${oneLine(record2.branch)}, ${time(record2.recordedAt)} UTC, ${oneLine(record2.anchor.label)})`;
  const lines = [`${name(from)} → ${name(to)}`, ""];
  const compared = cells.filter(({ reason }) => reason === null);
  if (compared.length > 0) {
    lines.push(
      textTable(["cell", "", ">first", ">second", ">change", ">between, %"], compared.flatMap(differenceRows))
    );
    lines.push(
      "",
      absolute ? "Change: of the absolute figures, as they have no anchor; it holds what the machines differ by." : "Change: of what each is relative to the anchor that was measured beside it; first and second are absolute.",
      "Between: 95%, from the rounds of both runs; the spread from job to job is not in it."
    );
  }
  const not = cells.filter(({ reason }) => reason !== null);
  if (not.length > 0)
    lines.push("", "Not compared:", ...not.map(({ cell, reason }) => `  ${oneLine(cell)}: ${reason}`));
  const conditionRows = conditions.map((difference) => [
    oneLine(difference.name),
    oneLine(difference.from ?? ABSENT),
    oneLine(difference.to ?? ABSENT),
    difference.must ? "must be the same for a verdict" : ""
  ]);
  if (conditionRows.length > 0) lines.push("", textTable(["differs", "first", "second", ""], conditionRows));
  return lines.join("\n");
}
function differenceRows({ cell, figures }) {
  return figures.map(({ metric, statistic, from, to, change }, index) => [
    index === 0 ? oneLine(cell) : "",
    metric === "qps" ? "QPS" : `${statistic} ms`,
    value(metric, from),
    value(metric, to),
    `${signed(change.ratio - 1)}%`,
    between(change)
  ]);
}
function commitsPhrase(records, most = 5) {
  const names = records.slice(0, most).map(({ commit, recordedAt }) => `${short(commit)} (${recordedAt.slice(0, 10)})`);
  const more = records.length - names.length;
  return list(more > 0 ? [...names, `${more} more`] : names);
}
function renderRecordsCsv(records) {
  const rows = records.flatMap((record2) => record2.cells.map((cell) => csvFields(record2, cell)));
  const header = rows[0]?.map(([name]) => name) ?? ["recorded_at", "commit", "cell"];
  return stringify([header, ...rows.map((row) => row.map(([, field]) => field === null ? "" : String(field)))]);
}
function csvFields(record2, cell) {
  const { anchor, conditions } = record2;
  const { must } = conditions;
  const figure2 = (prefix, unit, found) => [
    [`${prefix}${unit}`, found?.head ?? null],
    [`${prefix}_anchor${unit}`, anchor.id === NO_ANCHOR ? null : found?.anchor ?? null],
    [`${prefix}_log_ratio`, anchor.id === NO_ANCHOR ? null : found?.logRatio ?? null],
    [`${prefix}_sd`, found !== null && found.rounds > 1 ? found.sd : null],
    [`${prefix}_rounds`, found?.rounds ?? null]
  ];
  return [
    ["id", record2.id],
    ["recorded_at", record2.recordedAt],
    ["commit", record2.commit],
    ["committed_at", record2.committedAt],
    ["branch", harmless(record2.branch)],
    ["anchor", harmless(anchor.label)],
    ["anchor_id", anchor.id],
    ["driver", must.driver],
    ["cpu_model", harmless(must.cpuModel)],
    ["logical_cpus", must.logicalCpus],
    ["php", must.php === null ? null : harmless(must.php)],
    ["k6", harmless(must.k6)],
    ["cell", harmless(cell.id)],
    ["suite", cell.suite],
    ["connection", cell.connection],
    ...figure2("qps", "", cell.qps),
    ["latency_statistic", cell.latency?.statistic ?? null],
    ...figure2("latency", "_ms", cell.latency)
  ];
}

// scripts/src/phases/baseline.ts
async function listBaseline(options, limit) {
  const store = await storeOf(options);
  const records = (await ofBranch(store, options)).reverse();
  const shown = records.slice(0, limit);
  if (records.length === 0) return { text: nothingIn(store, options), json: [] };
  const older = records.length - shown.length;
  const count = `${plural(records.length, "record")} in ${store.label}${older > 0 ? `, ${plural(older, "older one")} not shown (--limit)` : ""}`;
  return { text: `${renderRecordList(shown)}
${count}`, json: shown };
}
async function showBaseline(options, name) {
  const store = await storeOf(options);
  const { record: record2, others } = select(await ofBranch(store, options), name, store, options);
  return { text: [renderRecord(record2), ...notes([{ record: record2, others }])].join("\n\n"), json: record2 };
}
async function diffBaseline(options, [first, second]) {
  const store = await storeOf(options);
  const records = await ofBranch(store, options);
  const picked = [first, second].map((name) => select(records, name, store, options));
  const [from, to] = picked.map(({ record: record2 }) => record2);
  return {
    text: [renderRecordDiff(from, to), ...notes(picked)].join("\n\n"),
    json: { from: from.id, to: to.id, ...diffRecords(from, to) }
  };
}
async function importBaseline(options, file, { commit, at }) {
  const store = await storeOf(options);
  const { records, leftOut } = await recordsOf(file, options.branch, { commit, at });
  const { added } = await store.append(records);
  const known = records.length - added;
  const text = [
    `${plural(added, "record")} added to ${store.label}${known > 0 ? `, ${known} were there already` : ""}`,
    ...leftOut.map((what) => `left out: ${what}`)
  ];
  return { text: text.join("\n"), json: { added, leftOut } };
}
async function exportBaseline(options, format, name) {
  const store = await storeOf(options);
  const all = await ofBranch(store, options);
  if (format === "csv" || format === "ndjson") {
    const records = name === void 0 ? all : [select(all, name, store, options).record];
    if (format === "csv") return renderRecordsCsv(records);
    return records.map((record3) => `${JSON.stringify(record3)}
`).join("");
  }
  const { record: record2 } = select(all, name, store, options);
  const better = format === "customBiggerIsBetter" ? "bigger" : "smaller";
  return `${JSON.stringify(customBenchmarks(record2, better), null, 2)}
`;
}
async function pruneBaseline(options, { keep, before, dryRun }) {
  if (keep === void 0 === (before === void 0)) {
    throw new InputError("baseline prune: give either --keep N (the newest of each branch) or --before DATE");
  }
  const store = await storeOf(options);
  const records = await ofBranch(store, options);
  const old = keep === void 0 ? olderThan(records, before) : beyond(records, keep);
  const json = { removed: old.map(({ id }) => id), dryRun: dryRun ?? false };
  if (old.length === 0) return { text: `nothing to remove from ${store.label}`, json };
  if (json.dryRun) return { text: `${renderRecordList(old)}
${plural(old.length, "record")} would be removed`, json };
  const { removed } = await store.remove(new Set(json.removed));
  return { text: `${renderRecordList(old)}
${plural(removed, "record")} removed from ${store.label}`, json };
}
async function verifyBaseline(options) {
  const store = await storeOf(options);
  const { records, problems, missing } = await store.inspect();
  const branches = new Set(records.map(({ branch }) => branch)).size;
  const count = missing ? nothingIn(store, {}) : `${plural(records.length, "sound record")} of ${plural(branches, "branch", "branches")} in ${store.label}`;
  const found = problems.length === 0 ? [] : [plural(problems.length, "problem"), ...problems];
  return { text: [count, ...found].join("\n"), json: { records: records.length, problems } };
}
async function storeOf({ store }) {
  const directory = process.cwd();
  const name = store ?? (await loadConfig(null, directory)).config.baseline.store;
  return openStore(name, { directory, env: process.env });
}
async function ofBranch(store, { branch }) {
  const { records } = await store.read();
  return branch === void 0 ? records : records.filter((record2) => record2.branch === branch);
}
function nothingIn(store, { branch }) {
  return `no records${branch === void 0 ? "" : ` of ${branch}`} in ${store.label}: a run with --base stored makes one, perf-gate store adds it`;
}
function select(records, name, store, options) {
  const newest = records.at(-1);
  if (newest === void 0) throw new InputError(nothingIn(store, options));
  const digits = (name ?? newest.id).toLowerCase();
  if (!/^[0-9a-f]{4,40}$/.test(digits)) {
    throw new InputError(
      `allowed is a commit or the id of a record, or their first 4 or more digits (0-9, a-f); got ${JSON.stringify(name)}`
    );
  }
  const matches = records.filter(({ id, commit }) => id.startsWith(digits) || commit.startsWith(digits));
  const record2 = matches.at(-1);
  if (record2 === void 0) {
    const there = commitsPhrase([...records].reverse());
    throw new InputError(`${store.label} has no record of ${digits}; it has ${there}`);
  }
  const commits = matches.filter((match, at) => matches.findIndex(({ commit }) => commit === match.commit) === at);
  if (commits.length > 1) throw new InputError(`${digits} begins several commits: ${commitsPhrase(commits)}`);
  return { record: record2, others: matches.slice(0, -1) };
}
function notes(picked) {
  return picked.flatMap(
    ({ record: record2, others }) => others.length === 0 ? [] : [
      `The newest of ${others.length + 1} records of ${record2.commit.slice(0, 7)}; earlier: ${others.map(({ id }) => id).join(", ")}`
    ]
  );
}
function olderThan(records, before) {
  const limit = Date.parse(before);
  if (Number.isNaN(limit)) {
    throw new InputError(`--before: allowed is a date such as 2026-01-31, got ${JSON.stringify(before)}`);
  }
  return records.filter(({ recordedAt }) => Date.parse(recordedAt) < limit);
}
function beyond(records, keep) {
  const kept = /* @__PURE__ */ new Map();
  return [...records].reverse().filter(({ branch }) => {
    const count = (kept.get(branch) ?? 0) + 1;
    kept.set(branch, count);
    return count > keep;
  }).reverse();
}
async function recordsOf(file, branch, { commit, at }) {
  if (file.endsWith(".ndjson")) {
    const { records, missing } = await openStore(file, { directory: process.cwd(), env: {} }).read();
    if (missing) throw new InputError(`${file}: no such file`);
    return {
      records: branch === void 0 ? records : records.filter((record2) => record2.branch === branch),
      leftOut: []
    };
  }
  if (branch === void 0) {
    throw new InputError(
      `${file} does not say of which branch its figures are: add --branch, for example --branch main`
    );
  }
  if (commit !== void 0 && !/^[0-9a-f]{40}$/.test(commit)) {
    throw new InputError(`--commit: allowed are the 40 hex digits of a commit, got ${JSON.stringify(commit)}`);
  }
  const { text, changedAt } = readForeign(file);
  const time2 = at === void 0 ? changedAt : new Date(at);
  if (Number.isNaN(time2.getTime())) {
    throw new InputError(`--at: allowed is a time such as 2026-01-31T03:00:00Z, got ${JSON.stringify(at)}`);
  }
  const cell = basename(file, extname(file));
  return importRecords(text, { file, branch, commit: commit ?? null, at: time2, cell });
}
function readForeign(file) {
  const path = resolve(file);
  try {
    const { size, mtime } = statSync(path);
    if (size > LARGEST_FILE) throw new InputError(`${file} is larger than 64 MB`);
    return { text: readFileSync(path, "utf8"), changedAt: mtime };
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${file} cannot be read: ${error.message}`);
  }
}

export {
  listBaseline,
  showBaseline,
  diffBaseline,
  importBaseline,
  exportBaseline,
  pruneBaseline,
  verifyBaseline,
  storeOf
};

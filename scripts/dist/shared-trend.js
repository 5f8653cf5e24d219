import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  storeOf
} from "./shared-baseline.js";
import {
  DEFAULT_WORK_DIRECTORY
} from "./shared-work-directory.js";
import {
  InputError
} from "./shared-errors.js";
import {
  trendOf
} from "./shared-steps.js";
import {
  NO_ANCHOR,
  REFERENCE
} from "./shared-plan.js";
import {
  figure,
  renderPage
} from "./shared-marked.esm.js";
import {
  drawWith
} from "./shared-charts.js";
import {
  fold,
  markdownTable
} from "./shared-details.js";
import {
  ABSENT,
  MARK,
  escapeMarkdown,
  escapeNote,
  list,
  ms,
  oneLine,
  plural,
  qps,
  signed,
  signedPercent
} from "./shared-headline.js";
import {
  median,
  tQuantile
} from "./shared-replay.js";

// scripts/src/phases/trend.ts
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

// scripts/src/core/nights.ts
var DAY = 864e5;
var LONGEST = 366;
function nightsOf(recordedAt, today) {
  const now = dayOf(today);
  const days = [...new Set(recordedAt.map(dayOf))].sort((a, b) => a - b);
  const last = days.at(-1);
  if (last === void 0) return { missing: [], recent: { expected: 0, missing: 0 }, daysSinceLast: null };
  const gaps = days.slice(1).map((day, i) => day - (days[i] ?? day));
  const interval = Math.max(1, Math.round(median(gaps)) || 1);
  const missing = [];
  for (const [i, day] of days.entries()) {
    const next = days[i + 1] ?? now;
    const oldest = Math.max(day, now - LONGEST - 1 - (now - LONGEST - 1 - day) % interval);
    for (let expected = oldest + interval; expected < next; expected += interval) missing.push(expected);
  }
  const recently = (day) => day >= now - 30 && day < now;
  const late = missing.filter(recently).length;
  return {
    missing: missing.map((day) => new Date(day * DAY).toISOString().slice(0, 10)),
    recent: { expected: days.filter(recently).length + late, missing: late },
    daysSinceLast: Math.max(0, now - last)
  };
}
function dayOf(iso) {
  return Math.floor(Date.parse(iso) / DAY);
}

// scripts/src/report/trend.ts
var ROWS_SHOWN = 60;
var NIGHTS_NAMED = 7;
function cellsOf({ commits, series }) {
  const cells = /* @__PURE__ */ new Map();
  for (const { records } of [...commits].reverse()) {
    for (const record of records) for (const { id } of record.cells) if (!cells.has(id)) cells.set(id, []);
  }
  for (const one of series) cells.get(one.cell)?.push(one);
  return [...cells].map(([cell, own], i) => ({ cell, slug: `cell-${i + 1}`, series: own }));
}
function renderTrend(input, charts) {
  const headline = trendHeadline(input);
  const { kind, mark } = stateOf(input.trend);
  return renderPage({
    title: escapeMarkdown(`perf-gate: ${oneLine(headline)}`),
    kind,
    markdown: [`## ${mark} ${escapeMarkdown(headline)}`, ...partsOf(input, charts)].filter((part) => part !== "").join("\n\n"),
    images: "'self' file:"
  });
}
function partsOf(input, charts) {
  if (input.trend.commits.length === 0) {
    return [nothingYet(input)];
  }
  const cells = cellsOf(input.trend);
  const byId = new Map(input.trend.commits.flatMap(({ records }) => records.map((record) => [record.id, record])));
  const find = (id) => byId.get(id);
  return [
    overview(input),
    standings(input, cells, find),
    changes(input, find),
    charts.size === 0 ? '<p class="quiet">No charts: they are drawn where jq and gnuplot are installed.</p>' : "",
    ...cells.map((cell) => cellPart(input, cell, charts.has(cell.slug))),
    EXPLANATION
  ];
}
function nothingYet({ others, store }) {
  const how = "`perf-gate run --base stored` measures a commit, `perf-gate store` adds its record.";
  if (others.length === 0) return `There is no record in ${escapeMarkdown(store)} yet: ${how}`;
  return `The records in ${escapeMarkdown(store)} are of other branches: ${escapeNote(list(others.slice(0, 10)))}.`;
}
function stateOf({ commits, changePoints }) {
  if (commits.length === 0) return { kind: "note", mark: MARK.note };
  const last = new Map(changePoints.map(({ cell, metric, worse }) => [JSON.stringify([cell, metric]), worse]));
  return [...last.values()].includes(true) ? { kind: "regression", mark: MARK.regression } : { kind: "pass", mark: MARK.pass };
}
function trendHeadline({ branch, trend }) {
  if (trend.commits.length === 0) return `Trend of ${branch}: no records yet`;
  const events = (worse2) => new Set(trend.changePoints.filter((point) => point.worse === worse2).map(({ after }) => after)).size;
  const [worse, better] = [events(true), events(false)];
  const steps = [
    ...worse > 0 ? [`${plural(worse, "step")} for the worse`] : [],
    ...better > 0 ? [`${worse > 0 ? better : plural(better, "step")} for the better`] : []
  ];
  return `Trend of ${branch}: ${steps.length === 0 ? "no step" : list(steps)} in ${plural(recordsOf(trend).length, "record")}`;
}
function recordsOf({ commits }) {
  return commits.flatMap(({ records }) => records);
}
function overview({ trend, store, nights, repository }) {
  const records = recordsOf(trend).sort((a, b) => Date.parse(a.recordedAt) - Date.parse(b.recordedAt));
  const [first, newest] = [records[0], records.at(-1)];
  if (first === void 0 || newest === void 0) return "";
  const count = `${plural(records.length, "record")} of ${plural(trend.commits.length, "commit")}`;
  const where = `${count} from ${date(first)} to ${date(newest)} in ${escapeMarkdown(store)}; the newest is of ${commitLink(newest, repository)}.`;
  const silence = nightsSentence(nights);
  return `${where} ${anchorSentence(newest)}${silence === "" ? "" : `

> ${silence}`}`;
}
function anchorSentence({ anchor }) {
  if (anchor.label === REFERENCE) {
    return "Changes are against the first level of each line; every run measures the reference application beside the commit, turn by turn: a faster machine is not a faster service.";
  }
  return anchor.id === NO_ANCHOR ? "The newest record has no anchor: a faster machine looks like a faster service." : `Changes are against **${escapeMarkdown(anchor.label)}**, which every run measures beside the commit, turn by turn: a faster machine is not a faster service.`;
}
function nightsSentence({ missing, recent, daysSinceLast }) {
  const old = daysSinceLast !== null && daysSinceLast > 1 ? `the last record is ${plural(daysSinceLast, "day")} old` : "";
  if (recent.missing === 0) return old === "" ? "" : `${old.charAt(0).toUpperCase()}${old.slice(1)}.`;
  const named = missing.slice(-Math.min(NIGHTS_NAMED, recent.missing));
  const which = `${recent.missing > named.length ? "latest " : ""}${list(named)}`;
  const of = recent.expected === 1 ? "the last night" : `the last ${recent.expected} nights`;
  const verb = recent.missing === 1 ? "is" : "are";
  return `${recent.missing} of ${of} ${verb} missing (${which})${old === "" ? "" : `; ${old}`}.`;
}
function standings({ trend }, cells, find) {
  const rows = cells.map(({ cell, series }) => {
    const last = trend.changePoints.findLast((point) => point.cell === cell);
    return [
      escapeMarkdown(cell),
      ...standing(furthest(series, "qps")),
      ...standing(furthest(series, "latency")),
      last === void 0 ? ABSENT : `${date(find(last.after))}, ${stepName(last, series)} ${signedPercent(last.ratio - 1)}`
    ];
  });
  const header = ["level now", "QPS", "between, %", "newest", "tail latency", "between, %", "newest", "last step"];
  return table([header, ...rows], ["l", "r", "c", "r", "r", "c", "r", "l"]);
}
function table(rows, align) {
  return markdownTable(rows, { align, alignDelimiters: false });
}
function furthest(series, metric) {
  const end = (one) => one.points.at(-1)?.place ?? -1;
  const own = series.filter((one) => one.metric === metric);
  return own.reduce((best, one) => best === null || end(one) >= end(best) ? one : best, null);
}
function standing(series) {
  const level = series?.levels.at(-1);
  const newest = series?.points.at(-1);
  if (series === null || level === void 0 || newest === void 0) return [ABSENT, ABSENT, ABSENT];
  if (series.absolute) return [ABSENT, ABSENT, absolute(series.metric, newest.head)];
  const { mean, half } = level;
  const { zero } = series;
  return [
    signedPercent(Math.expm1(mean - zero)),
    half === null ? betweenEnds(ends(newest), zero) : betweenEnds([mean - half, mean + half], zero),
    signedPercent(Math.expm1(newest.z - zero))
  ];
}
function absolute(metric, value) {
  return metric === "qps" ? `${qps(value)}/s` : `${ms(value)} ms`;
}
function betweenEnds([low, high], zero) {
  return Number.isNaN(low) ? ABSENT : `${signed(Math.expm1(low - zero))} … ${signed(Math.expm1(high - zero))}`;
}
function ends({ z, se, df }) {
  const half = df < 1 ? Number.NaN : tQuantile(0.975, df) * se;
  return [z - half, z + half];
}
function stepName({ metric }, series) {
  return statisticName(furthest(series, metric));
}
function statisticName(series) {
  const statistic = series?.likeness.statistic ?? "p99";
  return statistic === "qps" ? "QPS" : statistic;
}
function changes({ trend, repository }, find) {
  const steps = [...trend.changePoints].reverse();
  if (steps.length === 0) return "No step found: what the records differ by is within their scatter.";
  const rows = steps.slice(0, ROWS_SHOWN).map((point) => [
    point.worse ? MARK.regression : MARK.pass,
    escapeMarkdown(point.cell),
    stepName(
      point,
      trend.series.filter(({ cell }) => cell === point.cell)
    ),
    signedPercent(point.ratio - 1),
    `${signed(point.low - 1)} … ${signed(point.high - 1)}`,
    date(find(point.after)),
    rangeLink(find(point.before), find(point.after), repository)
  ]);
  const header = ["", "step", "", "change", "between, %", "first seen", "after … with"];
  const steplist = table([header, ...rows], ["l", "l", "l", "r", "c", "l", "l"]);
  return steps.length <= ROWS_SHOWN ? steplist : `${steplist}

${newestOf(steps.length, "step")}`;
}
function newestOf(count, what) {
  return `The newest ${ROWS_SHOWN} of ${plural(count, what)}.`;
}
function cellPart({ trend, repository }, { cell, slug, series }, chart) {
  const name = escapeMarkdown(cell);
  return [
    chart ? figure(slug, name, `charts/${slug}.svg`) : "",
    ...lineBreaks(trend, series),
    fold(`Figures of ${name}`, [figures(trend, series, repository)])
  ].filter((part) => part !== "").join("\n\n");
}
function lineBreaks({ commits }, series) {
  const sentences = ["qps", "latency"].flatMap((metric) => {
    const own = series.filter((one) => one.metric === metric);
    return own.slice(1).map((one, i) => {
      const from = commits[one.points[0]?.place ?? -1]?.records[0];
      return `Another line from ${date(from)} on: ${escapeNote(list(differences(own[i] ?? one, one)))}.`;
    });
  });
  return [...new Set(sentences)];
}
var CONDITION = { driver: "driver", cpuModel: "CPU", logicalCpus: "CPUs", php: "PHP", k6: "k6" };
function differences({ likeness: a }, { likeness: b }) {
  return [
    ...a.anchor.id === b.anchor.id ? [] : [`anchor ${b.anchor.label} instead of ${a.anchor.label}`],
    ...Object.keys(CONDITION).filter((key) => a.must[key] !== b.must[key]).map((key) => `${CONDITION[key]} ${b.must[key] ?? "unknown"} instead of ${a.must[key] ?? "unknown"}`),
    ...a.suite === b.suite ? [] : ["the cell asks for something else"],
    ...a.statistic === b.statistic ? [] : [`${b.statistic} instead of ${a.statistic}`]
  ];
}
function figures({ commits }, series, repository) {
  const rows = /* @__PURE__ */ new Map();
  for (const one of series) {
    for (const point of one.points.slice(-ROWS_SHOWN)) {
      rows.set(point.place, { ...rows.get(point.place), [one.metric]: { one, point } });
    }
  }
  const shown = [...rows].sort(([a], [b]) => b - a).slice(0, ROWS_SHOWN);
  const body = shown.flatMap(([place, { qps: throughput, latency }]) => {
    const newest = commits[place]?.records.at(-1);
    return newest === void 0 ? [] : [[runLink(newest), commitLink(newest, repository), ...pointCells(throughput, qps), ...pointCells(latency, ms)]];
  });
  const label = statisticName(furthest(series, "latency"));
  const header = [
    "night",
    "commit",
    "QPS",
    "between, %",
    "anchor → commit",
    label,
    "between, %",
    "anchor → commit, ms"
  ];
  const all = new Set(series.flatMap(({ points }) => points.map(({ place }) => place))).size;
  const text = table([header, ...body], ["l", "l", "r", "c", "r", "r", "c", "r"]);
  return all <= ROWS_SHOWN ? text : `${text}

${newestOf(all, "commit")}`;
}
function pointCells(entry, format) {
  if (entry === void 0) return [ABSENT, ABSENT, ABSENT];
  const { one, point } = entry;
  if (one.absolute) return [ABSENT, ABSENT, format(point.head)];
  return [
    signedPercent(Math.expm1(point.z - one.zero)),
    betweenEnds(ends(point), one.zero),
    `${format(point.anchor)} → ${format(point.head)}`
  ];
}
var EXPLANATION = fold("How to read this", [
  [
    "- The intervals of single commits come from the rounds within their runs; from night to night figures scatter more, and the intervals of levels and steps hold that as well. All of them are 95%.",
    "- A step is looked for with E-divisive in windows of 50 commits and kept where Student's t between its neighbours is beyond what one in twenty such windows of unchanged code would show in any cell; at least 3 commits on either side, at least 1%. One or two nights that stand alone are no step.",
    "- Lines of different anchors, machines or scenarios are never joined. Several records of one commit count as one."
  ].join("\n")
]);
function date(record) {
  return record === void 0 ? ABSENT : escapeMarkdown(record.recordedAt.slice(0, 10));
}
function runLink(record) {
  const { url } = record;
  return url !== null && /^https:\/\/[\w.:-]+\/[\w./-]*$/.test(url) ? `[${date(record)}](${url})` : date(record);
}
function commitLink({ commit }, repository) {
  const name = escapeMarkdown(commit.slice(0, 7));
  return repository === null ? name : `[${name}](${repository}/commit/${encodeURIComponent(commit)})`;
}
function rangeLink(before, after, repository) {
  if (before === void 0 || after === void 0) return ABSENT;
  const [from, to] = [before.commit, after.commit].map((commit) => escapeMarkdown(commit.slice(0, 7)));
  if (repository === null) return `${from} … ${to}`;
  const range = [before.commit, after.commit].map(encodeURIComponent).join("...");
  return `[${from} … ${to}](${repository}/compare/${range})`;
}

// scripts/src/report/trend-chart.ts
var AIR = 0.08;
var LEAST_RANGE = 4;
function trendChart({ series }) {
  const panels = [false, true].flatMap(
    (absolute2) => ["qps", "latency"].map((metric) => {
      const own = series.filter((one) => one.absolute === absolute2 && one.metric === metric);
      return { own, title: titleOf(own, metric) };
    })
  );
  return { panels: panels.filter(({ own }) => own.length > 0).map(({ own, title }) => panelOf(own, title)) };
}
function titleOf(own, metric) {
  if (own.some(({ absolute: absolute2 }) => absolute2)) return metric === "qps" ? "QPS" : "tail latency, ms";
  const zero = own.some((one) => one.zero !== 0) ? "the first level" : "the anchor";
  return `${metric === "qps" ? "QPS" : "tail latency"} against ${zero}, %`;
}
function panelOf(own, title) {
  const show = (z, { absolute: absolute3, zero }) => absolute3 ? Math.exp(z) : Math.expm1(z - zero) * 100;
  const points = own.map(
    (one) => one.points.map((point) => {
      const [low, high] = ends(point).map((end) => Number.isNaN(end) ? null : show(end, one));
      return [point.at / 1e3, show(point.z, one), low ?? null, high ?? null];
    })
  );
  const values = points.flatMap((line) => line.map(([, value]) => value));
  const absolute2 = own.some((one) => one.absolute);
  const [least, most] = values.reduce(
    ([a, b], value) => [Math.min(a, value), Math.max(b, value)],
    [absolute2 ? Number.POSITIVE_INFINITY : 0, absolute2 ? 0 : 0]
  );
  const range = Math.max(most - least, absolute2 ? most * 0.1 : LEAST_RANGE);
  const time = (one, i) => (one.points[i]?.at ?? 0) / 1e3;
  return {
    title,
    low: least - AIR * range,
    high: least + range + AIR * range,
    points,
    levels: own.flatMap(
      (one) => one.absolute ? [] : one.levels.map(({ from, to, mean }) => [time(one, from), time(one, to - 1), show(mean, one)])
    ),
    steps: own.flatMap((one) => one.levels.slice(1).map(({ from }) => [(time(one, from - 1) + time(one, from)) / 2]))
  };
}

// scripts/src/phases/trend.ts
async function trendPhase({ store, branch: wanted, output }, home, env, now) {
  const { records } = await store.read();
  const branches = branchesOf(records);
  const branch = wanted ?? branches[0] ?? "main";
  const own = records.filter((record) => record.branch === branch);
  const trend = trendOf(own);
  const nights = nightsOf(
    own.map(({ recordedAt }) => recordedAt),
    now
  );
  const others = branches.filter((name) => name !== branch);
  const input = { branch, others, store: store.label, trend, nights, repository: repositoryOf(env) };
  const file = trendFile(input, own.length, now);
  const directory = resolve(output);
  return guarded(directory, () => {
    mkdirSync(directory, { recursive: true });
    const { slugs, note } = drawCharts(trend, directory, home);
    writeFileSync(join(directory, "index.html"), renderTrend(input, slugs));
    writeFileSync(join(directory, "trend.json"), `${JSON.stringify(file, null, 2)}
`);
    return { file, records: own, chartsNote: note };
  });
}
async function trendCommand({ store: name, branch, output }, home, env, now) {
  const store = await storeOf(name === void 0 ? {} : { store: name });
  const directory = output ?? join(DEFAULT_WORK_DIRECTORY, "trend");
  if (output === void 0) {
    mkdirSync(DEFAULT_WORK_DIRECTORY, { recursive: true });
    writeFileSync(join(DEFAULT_WORK_DIRECTORY, ".gitignore"), "*\n");
  }
  const { file, chartsNote } = await trendPhase({ store, branch: branch ?? null, output: directory }, home, env, now);
  const lines = [`${oneLine(file.headline)}.`, file.silence, resolve(directory, "index.html")];
  return { file, text: lines.filter((line) => line !== "").join("\n"), chartsNote };
}
function trendFile(input, records, now) {
  return {
    version: 1,
    branch: input.branch,
    store: input.store,
    today: now,
    records,
    changePoints: input.trend.changePoints,
    missingNights: input.nights.missing,
    daysSinceLast: input.nights.daysSinceLast,
    headline: trendHeadline(input),
    silence: nightsSentence(input.nights)
  };
}
function branchesOf(records) {
  const counts = /* @__PURE__ */ new Map();
  for (const { branch } of records) counts.set(branch, (counts.get(branch) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([branch]) => branch);
}
function repositoryOf(env) {
  const url = `${env["GITHUB_SERVER_URL"] ?? ""}/${env["GITHUB_REPOSITORY"] ?? ""}`;
  return /^https?:\/\/[\w.-]+(?::\d+)?\/[\w.-]+\/[\w.-]+$/.test(url) ? url : null;
}
function drawCharts(trend, directory, home) {
  const charts = join(directory, "charts");
  for (const name of existsSync(charts) ? readdirSync(charts) : []) {
    if (/^cell-\d+\.svg$/.test(name)) rmSync(join(charts, name));
  }
  if (existsSync(charts) && readdirSync(charts).length === 0) rmdirSync(charts);
  const cells = cellsOf(trend);
  const none = /* @__PURE__ */ new Set();
  if (cells.length === 0) return { slugs: none, note: null };
  const scratch = mkdtempSync(join(tmpdir(), "perf-gate-trend-"));
  try {
    for (const cell of cells) writeFileSync(join(scratch, `${cell.slug}.json`), JSON.stringify(trendChart(cell)));
    const note = drawWith(home, "trend.sh", [scratch, charts]);
    if (note !== null) return { slugs: none, note };
    return {
      slugs: new Set(cells.map(({ slug }) => slug).filter((slug) => existsSync(join(charts, `${slug}.svg`)))),
      note: null
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
function guarded(directory, write) {
  try {
    return write();
  } catch (error) {
    const { code, message } = error;
    if (code === void 0) throw error;
    throw new InputError(`--output: cannot write to ${directory} (${message}): name a folder that can be written`);
  }
}

export {
  trendPhase,
  trendCommand
};

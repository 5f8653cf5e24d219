import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  configAt,
  intake,
  readArtifact,
  readZip,
  repositoryUrl,
  trustedConfig
} from "./shared-index~3.js";
import {
  GitHubError,
  SUMMARY_BYTES,
  annotate,
  apiOf,
  writeSummary
} from "./shared-endpoints.js";
import {
  readInputs
} from "./shared-inputs.js";
import {
  trendPhase
} from "./shared-trend.js";
import "./shared-baseline.js";
import "./shared-text-table.js";
import "./shared-compare~2.js";
import "./shared-compare.js";
import "./shared-environment.js";
import "./shared-uniformInt.js";
import {
  recordRun,
  refOf
} from "./shared-stored-base.js";
import "./shared-k6.js";
import "./shared-programs.js";
import "./shared-arms~2.js";
import "./shared-engine.js";
import "./shared-work-directory.js";
import {
  openStore
} from "./shared-git-store.js";
import "./shared-schemas.js";
import {
  InputError
} from "./shared-errors.js";
import "./shared-beside.js";
import {
  comparable
} from "./shared-stored.js";
import "./shared-steps.js";
import "./shared-slowest.js";
import {
  NO_ANCHOR,
  REFERENCE,
  sinceAnchor
} from "./shared-plan.js";
import "./shared-markdown.js";
import "./shared-marked.esm.js";
import "./shared-charts.js";
import "./shared-index.js";
import {
  markdownTable
} from "./shared-details.js";
import "./shared-picocolors.js";
import {
  decimal,
  escapeMarkdown,
  escapeNote,
  list,
  oneLine,
  plural,
  sentence,
  signed,
  signedPercent
} from "./shared-headline.js";
import "./shared-variants.js";
import "./shared-nginx.js";
import "./shared-replay.js";
import "./shared-arms.js";
import "./shared-model.js";
import "./shared-runtime.js";

// scripts/src/phases/github-nightly.ts
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

// scripts/src/core/slowdowns.ts
var RECENT = 20;
var NEAR = 5;
function positions(records) {
  const all = /* @__PURE__ */ new Map();
  for (const { commit } of records) if (!all.has(commit)) all.set(commit, all.size);
  return all;
}
function locatedSlowdowns(points, records) {
  const commits = new Map(records.map(({ id, commit }) => [id, commit]));
  const order = positions(records);
  const steps = points.flatMap((point) => {
    const [before2, after] = [commits.get(point.before), commits.get(point.after)];
    return before2 === void 0 || after === void 0 ? [] : [{ point, before: before2, after, at: order.get(after) ?? 0 }];
  }).sort((a, b) => a.at - b.at);
  const groups = [];
  for (const step of steps.filter(({ point }) => point.worse)) {
    const open2 = groups.at(-1);
    if (open2?.[0] !== void 0 && step.at - open2[0].at <= 1) open2.push(step);
    else groups.push([step]);
  }
  return groups.flatMap((group) => {
    const [first, last] = [group[0], group.at(-1)];
    if (first === void 0 || last === void 0) return [];
    const over = group.every(({ point, at }) => {
      const later = steps.filter((step) => step.at > at && sameTest(step.point, point));
      return later.reduce((sum, step) => sum + loss(step.point), 0) <= -loss(point) / 2;
    });
    const losses = group.map(({ point: { cell, metric, ratio, low, high } }) => ({ cell, metric, ratio, low, high }));
    return { located: true, before: first.before, after: last.after, losses: losses.sort(worstFirst), over };
  });
}
function slowdownOf({ cells, stored }, now, records, located) {
  const order = positions(records);
  const earlier = before(records, now);
  const known = located.filter(({ over }) => !over).map(({ after, losses: losses2 }) => {
    const first = order.get(after) ?? 0;
    const since = earlier.filter(({ commit }) => (order.get(commit) ?? 0) >= first).length;
    return { cells: new Set(losses2.map(({ cell }) => cell)), since };
  });
  const losses = cells.flatMap(
    ({ cell, tests }) => tests.flatMap(({ metric, verdict, estimate }) => {
      if (verdict !== "regression" || estimate === null || metric !== "qps" && metric !== "latency") return [];
      const { n, ratio, low, high } = estimate;
      if (known.some((step) => step.cells.has(cell.id) && step.since < n)) return [];
      return [{ cell: cell.id, metric, ratio, low, high }];
    })
  );
  const last = stored?.records[0]?.commit;
  if (losses.length === 0 || last === void 0) return null;
  return { located: false, before: last, after: now.commit, losses: losses.sort(worstFirst), over: false };
}
function isBack(now, records, range, tests) {
  const order = positions(records);
  const [last, first] = [order.get(range.before), order.get(range.after)];
  if (last === void 0 || first === void 0 || tests.length === 0) return false;
  const earlier = before(records, now);
  const at = ({ commit }) => order.get(commit) ?? 0;
  return tests.every((test) => {
    const level = (some) => mean(some.flatMap((record2) => lossOf(record2, test, now)));
    const fast = level(earlier.filter((record2) => at(record2) <= last).slice(-RECENT));
    const slow = level(earlier.filter((record2) => at(record2) >= first));
    return level([now]) < (fast + slow) / 2;
  });
}
function before(records, now) {
  const { branch, anchor, conditions, recordedAt } = now;
  const earlier = records.filter((record2) => record2.recordedAt < recordedAt);
  return comparable(earlier, { branch, anchor, must: conditions.must }).records;
}
function lossOf({ cells }, { cell, metric }, now) {
  const find = (some) => some.find(({ id }) => id === cell);
  const found = find(cells);
  const figure2 = found?.[metric];
  if (found === void 0 || figure2 == null || found.suite !== find(now.cells)?.suite) return [];
  return [metric === "qps" ? -figure2.logRatio : figure2.logRatio];
}
var sameTest = (a, b) => a.cell === b.cell && a.metric === b.metric;
var loss = ({ metric, ratio }) => Math.log(ratio) * (metric === "qps" ? -1 : 1);
var worstFirst = (a, b) => loss(b) - loss(a);
var mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

// scripts/src/github/issue.ts
import { createHash } from "node:crypto";
var ISSUE_LABEL = "perf-gate";
async function knownIssues(api, key) {
  const author = await api.viewer();
  const known = [];
  for await (const issue of api.issues(ISSUE_LABEL)) {
    const memory = issue.author === author ? memoryOf(issue.body, key) : null;
    const { number, open: open2, title, body } = issue;
    if (memory !== null) known.push({ number, open: open2, title, body, ...memory });
  }
  return known;
}
async function settle(api, key, wish, known) {
  const over = wish.over !== null;
  const body = hiddenLine(key, wish.topic, over) + wish.text;
  if (known === null) {
    return over ? null : { number: (await open(api, { title: wish.title, body })).number, done: "opened" };
  }
  const { number } = known;
  const turns = known.open ? over : known.over && !over;
  const same = known.open ? known.title === wish.title && sameText(known.body, body) : firstLine(known.body) === firstLine(body);
  if (!turns && same) return { number, done: "unchanged" };
  await api.updateIssue(number, { title: wish.title, body, ...turns ? { open: !over } : {} });
  if (!turns) return { number, done: "updated" };
  await api.commentOnIssue(number, wish.over ?? "It is slower again, or was never back: see above.");
  return { number, done: over ? "closed" : "reopened" };
}
async function open(api, issue) {
  for (let tries = 3; ; tries--) {
    try {
      const made = await api.createIssue({ ...issue, labels: [ISSUE_LABEL] });
      if (made.labels.includes(ISSUE_LABEL)) return made;
      throw new GitHubError(
        `issue #${made.number} is open, but without the label ${ISSUE_LABEL}, by which it would be found again: set it by hand, and give the token the right to push`,
        false
      );
    } catch (error) {
      if (!(error instanceof GitHubError && error.passing && tries > 1)) throw error;
    }
    for await (const made of api.issues(ISSUE_LABEL)) if (sameText(made.body, issue.body)) return made;
  }
}
var sameText = (a, b) => a.replaceAll("\r\n", "\n") === b.replaceAll("\r\n", "\n");
var firstLine = (body) => body.split(/\r?\n/, 1)[0] ?? "";
function textOf({ body }) {
  return body.slice(firstLine(body).length).replace(/^\r?\n/, "");
}
function issuesOf(slowdowns, known, position) {
  const pairs = slowdowns.flatMap((slowdown) => known.map((issue) => ({ slowdown, issue, apart: distance(slowdown, issue, position) }))).filter(({ apart }) => !Number.isNaN(apart)).sort((a, b) => Number(b.slowdown.located) - Number(a.slowdown.located) || a.apart - b.apart);
  const found = /* @__PURE__ */ new Map();
  const taken = /* @__PURE__ */ new Set();
  for (const { slowdown, issue } of pairs) {
    if (found.has(slowdown) || taken.has(issue)) continue;
    found.set(slowdown, issue);
    taken.add(issue);
  }
  return found;
}
function distance({ located, after, losses }, { topic, over }, position) {
  const apart = Math.abs((position(topic.after) ?? Number.NaN) - (position(after) ?? Number.NaN));
  const cells = new Set(losses.map(({ cell }) => fingerprint(cell)));
  const shared = topic.after === after || topic.tests.some((test) => cells.has(test.slice(0, -1)));
  const past = over && topic.located && !located;
  return shared && !past && apart <= (topic.located && located ? NEAR : RECENT) ? apart : Number.NaN;
}
function topicOf({ located, before: before2, after, losses }) {
  return { kind: "slower", located, before: before2, after, tests: [...new Set(losses.map(testKey))].sort() };
}
function testKey({ cell, metric }) {
  return fingerprint(cell) + (metric === "qps" ? "q" : "l");
}
var fingerprint = (cell) => createHash("sha256").update(cell).digest("hex").slice(0, 8);
var opening = (key) => `<!-- perf-gate issue=${key} `;
var OVER = " over";
function hiddenLine(key, topic, over) {
  const words = topic.kind === "silent" ? ["silent", topic.since] : ["slower", topic.located ? "located" : "seen", topic.before, topic.after, topic.tests.join(",")];
  return `${opening(key)}${words.join(" ")}${over ? OVER : ""} -->
`;
}
var SLOWER = /^slower (located|seen) ([0-9a-f]{40}) ([0-9a-f]{40}) ([0-9a-f]{8}[ql](?:,[0-9a-f]{8}[ql])*)$/;
var SILENT = /^silent (\d{4}-\d\d-\d\d)$/;
function memoryOf(body, key) {
  const line = firstLine(body);
  if (!line.startsWith(opening(key)) || !line.endsWith(" -->")) return null;
  const said = line.slice(opening(key).length, -" -->".length);
  const over = said.endsWith(OVER);
  const topic = topicFrom(over ? said.slice(0, -OVER.length) : said);
  return topic === null ? null : { topic, over };
}
function topicFrom(words) {
  const [, since] = SILENT.exec(words) ?? [];
  if (since !== void 0) return { kind: "silent", since };
  const [, how, before2, after, tests] = SLOWER.exec(words) ?? [];
  if (before2 === void 0 || after === void 0 || tests === void 0) return null;
  return { kind: "slower", located: how === "located", before: before2, after, tests: tests.split(",") };
}

// scripts/src/report/nightly.ts
var COLUMNS = 4;
var AROUND = 3;
function slowdownTitle({ located, after, losses }, records) {
  const [worst] = losses;
  const cells = new Set(losses.map(({ cell }) => cell)).size;
  const what = worst === void 0 ? "" : `${oneLine(label(worst, records)).replaceAll("`", "'")} ${change(worst.ratio)}`;
  const more = cells > 1 ? `${plural(cells, "cell")}, most ${what}` : what;
  return `Slower ${located ? "since" : "at"} ${short(after)}: ${more}`;
}
function slowdownText(slowdown, records, places) {
  const anchor = records.at(-1)?.anchor.label ?? "";
  return [
    ledger(slowdown, records),
    where(slowdown, places),
    `Each night against the anchor ${escapeMarkdown(anchor)}, measured in the same job; ± is 95% of that job alone:`,
    nights(slowdown, records, places),
    `The chart is \`index.html\` on the branch [${escapeMarkdown(places.dataBranch)}](${places.repository}/tree/${encodeURI(places.dataBranch)}), and in the artifact of [this night](${places.run}).`,
    reproduce(slowdown, places),
    "<sub>Kept up to date every night and closed once it is over, by perf-gate. Closed by somebody else, it stays closed.</sub>"
  ].filter((part) => part !== "").join("\n\n");
}
function ledger({ losses }, records) {
  const rows = losses.map((loss2) => [
    escapeMarkdown(label(loss2, records)),
    `**${change(loss2.ratio)}**`,
    `${signed(loss2.low - 1)} … ${signed(loss2.high - 1)}`
  ]);
  return markdownTable([["", "change", "between, %"], ...rows], { align: ["l", "r", "r"], alignDelimiters: false });
}
function where({ located, before: before2, after }, { repository }) {
  if (before2 === after) {
    return `${link(repository, after)} was faster when it was measured before, so no commit made it slower: look at what is not in the repository, such as the image of the runner, packages and services.`;
  }
  const range = `[what was committed](${repository}/compare/${before2}...${after})`;
  return located ? `It began after ${link(repository, before2)}, with ${link(repository, after)} at the latest: ${range}.` : `${link(repository, after)} is slower than the records before it, of which ${link(repository, before2)} is the newest: ${range}, or a little earlier. A few more nights tell where it began, and this text then says so.`;
}
function listed(losses) {
  return losses.filter(({ cell }, at) => losses.findIndex((loss2) => loss2.cell === cell) === at).slice(0, COLUMNS);
}
function nights({ before: before2, after, losses }, records, places) {
  const order = positions(records);
  const [last, first] = [order.get(before2) ?? -1, order.get(after) ?? 0];
  const at = ({ commit }) => order.get(commit) ?? 0;
  const later = records.filter((record2) => at(record2) >= first);
  const shown = [
    ...records.filter((record2) => at(record2) <= last && at(record2) < first).slice(-AROUND),
    ...later.slice(0, AROUND),
    ...later.slice(AROUND).slice(-1)
  ];
  const tests = listed(losses);
  const [origin] = shown;
  const rows = shown.map((record2) => [
    record2.recordedAt.slice(0, 10),
    link(places.repository, record2.commit),
    ...tests.map((test) => figure(record2, test, origin))
  ]);
  const head = ["night", "commit", ...tests.map((test) => escapeMarkdown(label(test, records)))];
  return markdownTable([head, ...rows], { align: ["l", "l", ...tests.map(() => "r")], alignDelimiters: false });
}
function figure({ cells, anchor }, { cell, metric }, origin) {
  const figureOf = (all) => all.find(({ id }) => id === cell)?.[metric];
  const found = figureOf(cells);
  if (found == null || anchor.id === NO_ANCHOR) return "";
  const zero = anchor.label === REFERENCE ? figureOf(origin?.cells ?? [])?.logRatio ?? 0 : 0;
  const { ratio, low, high } = sinceAnchor({ ...found, logRatio: found.logRatio - zero });
  return `${signedPercent(ratio - 1)} ± ${decimal(50 * (high - low), 1)}`;
}
function reproduce({ before: before2, after }, { config }) {
  if (before2 === after) return "";
  const file = config === null ? "" : ` --config '${oneLine(config).replaceAll("'", String.raw`'\''`)}'`;
  return [
    "To see it on your own machine, with both commits side by side:",
    `\`\`\`\`sh
git fetch origin && git checkout --detach ${after}
perf-gate run --base-ref ${before2}${file}
\`\`\`\``
  ].join("\n\n");
}
function silenceTitle(nights2) {
  return `The nightly benchmark left no record for ${plural(nights2.length, "night")}`;
}
function silenceText(since, nights2, { run }) {
  return [
    `The last record before is of ${since}; ${nights2.length === 1 ? "the night" : "the nights"} of ${list(shortened(nights2))} left none.`,
    "A night that could not measure says why in the log of its run, under *Actions*. Where there is no run at all, nothing could tell before this one: look whether the workflow is still enabled (GitHub disables schedules of public repositories without activity for 60 days) and whether a runner took the job.",
    `<sub>Seen by [this night](${run}). Closed by perf-gate with the next two nights in a row that leave a record.</sub>`
  ].join("\n\n");
}
function shortened(nights2) {
  return nights2.length <= 7 ? nights2 : [...nights2.slice(0, 3), `${nights2.length - 4} more`, ...nights2.slice(-1)];
}
var RECORDS_AGAIN = "Two nights in a row have left a record again.";
function overSentence(slowdown, commit, places) {
  return slowdown.located ? `It is over: later change points took back half of it or more. The newest record is ${link(places.repository, commit)}.` : `${link(places.repository, commit)} is back nearer to the level before. Should it be slower again, this is opened again.`;
}
function renderNight({ recorded, records, trend, issues, notes }, places) {
  const head = recorded === null ? "⚪ No record" : `Recorded ${link(places.repository, recorded.commit)} against ${escapeMarkdown(recorded.anchor.label)}`;
  const listed2 = issues.map(
    ({ number, done, title }) => `- [#${number}](${places.repository}/issues/${number}) ${done}: ${escapeNote(title)}`
  );
  return [
    `## ${head}`,
    sentence(escapeNote(trend.headline)),
    escapeNote(trend.silence),
    listed2.join("\n"),
    faster(trend.changePoints, records, places).join("\n"),
    ...notes.map((note) => note === null ? "" : `> ${sentence(escapeNote(note))}`),
    `The page is \`index.html\` on the branch [${escapeMarkdown(places.dataBranch)}](${places.repository}/tree/${encodeURI(places.dataBranch)}), and in the artifact of this run.`
  ].filter((part) => part !== "").join("\n\n");
}
function faster(points, records, { repository }) {
  const order = positions(records);
  const commits = new Map(records.map(({ id, commit }) => [id, commit]));
  const gains = /* @__PURE__ */ new Map();
  for (const point of points) {
    const commit = commits.get(point.after);
    if (point.worse || commit === void 0 || (order.get(commit) ?? 0) < order.size - RECENT) continue;
    const between = `between ${change(point.low)} and ${change(point.high)}`;
    const gain = `${escapeMarkdown(label(point, records))} ${change(point.ratio)} (${between})`;
    gains.set(commit, [...gains.get(commit) ?? [], gain]);
  }
  return [...gains].map(([commit, all]) => {
    const more = all.length > COLUMNS ? [`${all.length - COLUMNS} more`] : [];
    return `- Faster since ${link(repository, commit)}: ${list([...all.slice(0, COLUMNS), ...more])}`;
  });
}
function label({ cell, metric }, records) {
  if (metric === "qps") return `${cell} QPS`;
  const newest = records.findLast(({ cells }) => cells.some(({ id, latency }) => id === cell && latency !== null));
  return `${cell} ${newest?.cells.find(({ id }) => id === cell)?.latency?.statistic ?? "latency"}`;
}
var change = (ratio) => signedPercent(ratio - 1);
var short = (commit) => escapeMarkdown(commit.slice(0, 7));
var link = (repository, commit) => `[${short(commit)}](${repository}/commit/${encodeURIComponent(commit)})`;

// scripts/src/phases/github-nightly.ts
var SILENT_NIGHTS = 3;
async function githubNightly({ artifactDirectory, output }, home, env, now) {
  const { config: path, artifact } = readInputs(env);
  const api = apiOf(env);
  const commit = env["GITHUB_SHA"] ?? "";
  const ref = refOf(env);
  if (api === null || ref === void 0 || !/^[0-9a-f]{40}$/.test(commit)) {
    throw new InputError("github nightly is for a job of a branch on GitHub, with GITHUB_TOKEN: see perf-nightly.yml");
  }
  const judge = await configAt(api, path, commit);
  const { store: name, branch: configured } = trustedConfig(judge).baseline;
  if (!name.startsWith("git:")) {
    throw new InputError(
      `baseline.store: ${JSON.stringify(name)} would end with the job; a nightly keeps its records on a branch, such as git:perf-gate-data`
    );
  }
  const repository = repositoryUrl(env);
  const store = openStore(name, { directory: ".", env, origin: repository });
  const places = {
    repository,
    run: `${repository}/actions/runs/${env["GITHUB_RUN_ID"]}`,
    dataBranch: name.slice("git:".length),
    config: path
  };
  const taken = existsSync(artifactDirectory) && readdirSync(artifactDirectory).length > 0 ? await record(
    readZip(artifactDirectory, artifact),
    store,
    { ...judge, commit, name, branch: configured ?? ref },
    env
  ) : "nothing was measured, or it could not be uploaded";
  const [measured, why] = typeof taken === "string" ? [null, taken] : [taken, null];
  const { file: trend, records, chartsNote } = await trendPhase({ store, branch: ref, output }, home, env, now);
  await store.publish(pageIn(output), `Trend of ${ref} up to ${now.slice(0, 10)}`);
  const { issues, warning } = await keepIssues(api, artifact, { records, trend, measured, places, now });
  if (warning !== null) annotate([{ level: "warning", title: "perf-gate: issues", message: warning, place: null }]);
  const night = {
    recorded: measured?.record ?? null,
    records,
    trend,
    issues,
    notes: [why, chartsNote, warning]
  };
  const summary = `${renderNight(night, places)}
`;
  if (Buffer.byteLength(summary) <= SUMMARY_BYTES) writeSummary(summary, env);
  return [
    measured === null ? `no record: ${why}` : `recorded ${measured.record.id} in ${store.label}`,
    ...issues.map(({ number, done, title }) => `${done} #${number}: ${title}`),
    ...chartsNote === null ? [] : [chartsNote]
  ].join("\n");
}
async function record(zip, store, { commit, name, branch, ...judge }, env) {
  const run = intake(await readArtifact(zip), {
    ...judge,
    arms: { base: { label: "", commit: null }, head: { label: commit.slice(0, 12), commit } },
    history: { ...await store.read(), store: name, branch },
    isOwn: true
  });
  const made = await recordRun(run, {}, env).catch((error) => {
    if (error instanceof InputError && run.plan.stored !== void 0) return error.message;
    throw error;
  });
  if (typeof made === "string") return made;
  await store.append([made]);
  return { record: made, comparison: run.comparison };
}
function pageIn(output) {
  const paths = readdirSync(output, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = paths.map((path) => [relative(output, path), readFileSync(path, "utf8")]);
  return new Map([...files, [".nojekyll", ""]]);
}
async function keepIssues(api, key, tonight) {
  const issues = [];
  try {
    const known = await knownIssues(api, key);
    for (const { wish, issue } of [...aboutSlowdowns(known, tonight), ...aboutSilence(known, tonight)]) {
      const settled = await settle(api, key, wish, issue);
      if (settled === null || settled.done === "unchanged" && issue?.open === false) continue;
      issues.push({ ...settled, title: wish.title });
    }
    return { issues, warning: null };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { issues, warning: error.message };
  }
}
function aboutSlowdowns(all, tonight) {
  const { records, trend, measured } = tonight;
  const order = positions(records);
  const known = all.filter((issue) => issue.topic.kind === "slower");
  const located = locatedSlowdowns(trend.changePoints, records);
  const seen = measured === null ? null : slowdownOf(measured.comparison, measured.record, records, located);
  const issues = issuesOf([...located, ...seen === null ? [] : [seen]], known, (commit) => order.get(commit));
  const changes = located.flatMap((slowdown) => {
    const issue = issues.get(slowdown) ?? null;
    const isNews = (order.get(slowdown.after) ?? 0) >= order.size - RECENT;
    return issue === null && !isNews ? [] : [{ wish: wishOf(slowdown, tonight), issue }];
  });
  if (seen !== null) changes.push(...aboutSeen(seen, issues.get(seen) ?? null, tonight));
  const settled = new Set(issues.values());
  for (const issue of known) if (!settled.has(issue)) changes.push(...aboutOver(issue, tonight));
  return changes;
}
function aboutSeen(seen, issue, tonight) {
  if (issue === null || issue.over && !issue.topic.located) return [{ wish: wishOf(seen, tonight), issue }];
  if (issue.topic.located) return [];
  const { before: before2, after } = issue.topic;
  return [{ wish: wishOf({ ...seen, before: before2, after }, tonight), issue }];
}
function aboutOver(issue, { records, measured, places }) {
  const { topic } = issue;
  if (measured === null || topic.located || issue.over) return [];
  const tests = measured.record.cells.flatMap(({ id: cell }) => [{ cell, metric: "qps" }, { cell, metric: "latency" }]).filter((test) => topic.tests.includes(testKey(test)));
  if (tests.length < topic.tests.length || !isBack(measured.record, records, topic, tests)) return [];
  const over = overSentence(topic, measured.record.commit, places);
  return [{ wish: { topic, title: issue.title, text: textOf(issue), over }, issue }];
}
function wishOf(slowdown, { records, places }) {
  return {
    topic: topicOf(slowdown),
    title: slowdownTitle(slowdown, records),
    text: slowdownText(slowdown, records, places),
    over: slowdown.over ? overSentence(slowdown, records.at(-1)?.commit ?? slowdown.after, places) : null
  };
}
function aboutSilence(all, { records, trend, places, now }) {
  const days = records.map(({ recordedAt }) => recordedAt.slice(0, 10));
  const since = days.findLast((day) => day < now.slice(0, 10)) ?? "";
  const nights2 = since === "" ? [] : trend.missingNights.filter((night) => night > since);
  const isSilent = nights2.length > SILENT_NIGHTS;
  const issues = all.filter(({ topic }) => topic.kind === "silent");
  const own = issues.find(({ topic }) => isSilent && topic.kind === "silent" && topic.since === since) ?? null;
  const ended = issues.filter((issue) => issue !== own && !issue.over);
  const changes = ended.map((issue) => ({
    wish: { topic: issue.topic, title: issue.title, text: textOf(issue), over: RECORDS_AGAIN },
    issue
  }));
  if (!isSilent) return changes;
  const text = silenceText(since, nights2, places);
  const wish = { topic: { kind: "silent", since }, title: silenceTitle(nights2), text, over: null };
  return [...changes, { wish, issue: own }];
}
export {
  githubNightly
};

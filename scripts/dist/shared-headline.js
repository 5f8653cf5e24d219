import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  assertNever
} from "./shared-model.js";

// scripts/src/report/escape.ts
var UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]+/g;
var ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
var LONGEST = 120;
var LONGEST_NOTE = 1e3;
function visible(text) {
  return text.replace(ANSI, " ").replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
}
function oneLine(text) {
  return quietLine(text, LONGEST);
}
function oneNote(text) {
  return quietLine(text, LONGEST_NOTE);
}
function quietLine(text, longest) {
  const line = visible(text);
  const quiet = line.replaceAll("::", ": :").replaceAll("##[", "# #[");
  const letters = [...quiet.slice(0, 2 * longest + 2)];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : quiet;
}
var entity = (character) => `&#${character.codePointAt(0)};`;
var GAP = "​";
function escapeMarkdown(text) {
  return withoutMarkup(oneLine(text));
}
function escapeNote(text) {
  return withoutMarkup(oneNote(text));
}
function withoutMarkup(line) {
  return line.replace(/[&<>"|`\\*~[\]{}$]/g, entity).replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, entity).replace(/:(?=\/\/)|(?<=\bwww)\./gi, entity).replace(/^(?:[-+=#]|\d+[.)](?=\s|$))/, (start) => start.slice(0, -1) + entity(start.slice(-1))).replace(/@(?=\w)|(?<!&)#(?=\d)|\bGH-(?=\d)/g, (start) => start + GAP);
}
var MARKDOWN = { text: escapeMarkdown, strong: (safe) => `**${safe}**` };
var PLAIN = { text: oneLine, strong: (safe) => safe };
function sentence(text) {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  const start = /^[a-z]+[\s,:]/.test(trimmed) ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?…:]$/.test(start) ? start : `${start}.`;
}

// scripts/src/report/format.ts
var ABSENT = "–";
var MINUS = "−";
function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}
function decimal(value, digits = 0) {
  if (!isNumber(value)) return ABSENT;
  const [whole = "0", fraction] = Math.abs(value).toFixed(digits).split(".");
  const text = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (fraction === void 0 ? "" : `.${fraction}`);
  return value < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}
function significant(value) {
  if (!isNumber(value)) return ABSENT;
  if (value === 0) return "0";
  const rounded = Number(Math.abs(value).toPrecision(3));
  const digits = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(rounded))));
  return decimal(value, digits);
}
function qps(value) {
  return isNumber(value) && value >= 99.95 ? decimal(value) : significant(value);
}
function ms(value) {
  return significant(value);
}
function percent(share) {
  if (!isNumber(share)) return ABSENT;
  const value = Math.abs(share) * 100;
  return `${decimal(value, Math.abs(value - Math.round(value)) < 0.05 ? 0 : 1)}%`;
}
function percentMeasured(share) {
  return isNumber(share) ? `${decimal(Math.abs(share) * 100, 1)}%` : ABSENT;
}
function signed(share) {
  if (!isNumber(share)) return ABSENT;
  const value = share * 100;
  const text = decimal(value, Math.abs(value) >= 999.5 ? 0 : 1);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}
function signedPercent(share) {
  return isNumber(share) ? `${signed(share)}%` : ABSENT;
}
function margin(change) {
  return `${change < 0 ? MINUS : "+"}${percent(change)}`;
}
function bytes(value) {
  if (!isNumber(value)) return ABSENT;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let amount = Math.abs(value);
  let unit2 = 0;
  while (amount >= 1023.5 && unit2 < units.length - 1) {
    amount /= 1024;
    unit2++;
  }
  const text = unit2 === 0 ? decimal(amount) : significant(amount);
  return `${value < 0 ? MINUS : ""}${text} ${units[unit2]}`;
}
function duration(seconds) {
  if (!isNumber(seconds)) return ABSENT;
  if (seconds < 9.95) return `${decimal(seconds, 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (value) => String(value).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  const minutes = Math.round(whole / 60);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}
function plural(count, one, many = `${one}s`) {
  return `${decimal(count)} ${count === 1 ? one : many}`;
}
function list(items) {
  return items.length < 2 ? items[0] ?? "" : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

// scripts/src/report/words.ts
var MARK = { error: "❌", regression: "🔴", inconclusive: "⚪", pass: "🟢", note: "▫️" };
function loadLabel(result) {
  const { model, level } = result.cell;
  switch (model) {
    case "closed":
      return level === null ? "VUs unknown" : `${level} VU${level === 1 ? "" : "s"}`;
    case "open": {
      const rate = level ?? result.rate;
      return rate === null ? "rate not set" : `${qps(rate)} req/s`;
    }
    case "ramp":
      return level === null ? "ramp" : `ramp to ${level}`;
    default:
      return assertNever(model);
  }
}
function cellName(result, ink) {
  return `“${ink.text(result.cell.scenario)}” at ${loadLabel(result)}`;
}
var STRIKE_LABEL = {
  "foreign-load": "something else used our cores",
  steal: "the hypervisor gave our CPU time to others",
  "generator-saturated": "k6 itself was at its limit",
  errors: "too many failed requests",
  "dropped-iterations": "k6 could not start requests on time",
  "listen-overflow": "the service turned connections away (backlog full)",
  "ports-exhausted": "no source ports left",
  "target-restarted": "the service restarted",
  "oom-killed": "the service was killed for want of memory",
  "k6-died": "k6 ended early",
  "no-requests": "no request completed"
};
function confirmationPhrase(confirmation) {
  switch (confirmation) {
    case null:
      return "";
    case "confirmed":
      return "confirmed on fresh replicas";
    case "not-confirmed":
      return "not confirmed on fresh replicas";
    case "no-time":
      return "no time was left to confirm it";
    default:
      return assertNever(confirmation);
  }
}

// scripts/src/report/stored.ts
function recordsPhrase({ records, branch }, ink) {
  return `${plural(records.length, "record")} of ${ink.text(branch)}`;
}
function storedSentence({ stored }, ink) {
  if (stored === void 0) return "";
  if (stored.records.length === 0) {
    const there = stored.missing ? "is not there yet" : "has none that compares";
    return `The base would be records of ${ink.text(stored.branch)}: ${ink.text(stored.store)} ${there}.`;
  }
  return `Compared with ${recordsPhrase(stored, ink)} relative to ${ink.text(stored.anchor.label)}, ${newestPhrase(stored, ink)}.`;
}
function besideSentence({ beside }, ink) {
  if (beside === void 0) return "";
  return `Since ${ink.text(beside.since)}: with ${recordsPhrase(beside, ink)}, ${newestPhrase(beside, ink)}; shown, not judged.`;
}
function sinceLabel({ stored, beside, cells }) {
  return cells.some(({ since }) => since != null) ? beside?.since ?? stored?.anchor.label ?? null : null;
}
function newestPhrase({ records: [newest] }, ink) {
  if (newest === void 0) return "";
  return `newest ${ink.text(newest.commit.slice(0, 7))} of ${ink.text(newest.recordedAt.slice(0, 10))}`;
}
function sinceText(estimate) {
  if (estimate == null) return "";
  return `${signedPercent(estimate.ratio - 1)} (${signed(estimate.low - 1)} … ${signed(estimate.high - 1)})`;
}
function withoutBaseline(cells, ink) {
  const groups = /* @__PURE__ */ new Map();
  for (const result of cells) {
    const [reason] = noBaseline(result);
    if (reason === void 0) continue;
    groups.set(reason, [...groups.get(reason) ?? [], cellName(result, ink)]);
  }
  return [...groups].map(([reason, names]) => {
    const who = names.length > 3 ? plural(names.length, "cell") : list(names);
    const have = names.length === 1 ? "has" : "have";
    return `${who} ${have} nothing to be compared with: ${ink.text(reason)}.`;
  });
}
function noBaseline(result) {
  if (result.verdict !== "inconclusive" || result.reasons.length > 0) return [];
  const open = result.tests.filter((test) => test.verdict === "inconclusive");
  const reasons = open.map((test) => test.reasons.find(({ code }) => code === "no-baseline")?.text);
  return reasons.every((text) => text !== void 0) ? [...new Set(reasons)].filter((text) => text !== void 0) : [];
}

// scripts/src/report/view.ts
var TOLD_BY_CELLS = /* @__PURE__ */ new Set([
  "error",
  "regression",
  "overall-regression",
  "census",
  "inconclusive",
  "overall",
  "nothing-judged"
]);
var TOLD_BY_INTERVAL = /* @__PURE__ */ new Set(["cap", "undecided", "unconfirmed", "not-confirmed"]);
function ownReasons(comparison) {
  return comparison.reasons.filter((reason) => !TOLD_BY_CELLS.has(reason.code));
}
function furtherReasons(result, test) {
  const told = test?.estimate == null ? /* @__PURE__ */ new Set() : TOLD_BY_INTERVAL;
  return [...result.reasons, ...test?.reasons ?? []].filter((reason) => !told.has(reason.code));
}
var RANK = { error: 0, regression: 1, inconclusive: 2, note: 3, pass: 4 };
function stateOf(verdict) {
  return verdict === "new" || verdict === "shown" ? "note" : verdict;
}
function direction(test) {
  return test.metric === "latency" || test.metric === "max-p99" ? -1 : 1;
}
function isLimit(test) {
  return test.metric === "min-qps" || test.metric === "max-p99";
}
function whyNoInterval(test) {
  return test.reasons.some(({ code }) => code === "no-baseline") ? "no record" : "too few rounds";
}
function testOf(cell, metric) {
  return cell.tests.find((test) => test.metric === metric) ?? null;
}
var SMALLEST_MARGIN = 0.02;
function room(test, ratio) {
  const line = Math.log(test.line);
  return direction(test) * (Math.log(ratio) - line) / Math.max(Math.abs(line), SMALLEST_MARGIN);
}
function estimateRoom(test) {
  return test.estimate === null ? null : room(test, test.estimate.ratio);
}
function worstRoom(test) {
  const { estimate } = test;
  return estimate === null ? null : room(test, direction(test) === 1 ? estimate.low : estimate.high);
}
function byState(a, b) {
  return RANK[stateOf(a.verdict)] - RANK[stateOf(b.verdict)];
}
function byRoom(a, b) {
  return (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY);
}
function decidingTest(tests) {
  const sorted = [...tests].sort((a, b) => byState(a, b) || byRoom(key(a), key(b)));
  return sorted[0] ?? null;
}
function key(test) {
  return test.verdict === "regression" ? estimateRoom(test) : worstRoom(test);
}
function worstFirst(cells) {
  const keyed = cells.map((cell) => {
    const test = decidingTest(cell.tests);
    return { cell, key: test && key(test) };
  });
  return keyed.sort((a, b) => byState(a.cell, b.cell) || byRoom(a.key, b.key)).map((entry) => entry.cell);
}
function cellsOf(comparison, ...states) {
  return comparison.cells.filter((cell) => states.includes(stateOf(cell.verdict)));
}
function judged(comparison) {
  return cellsOf(comparison, "error", "regression", "inconclusive", "pass");
}
function sharedMargins(comparison) {
  const tests = comparison.cells.flatMap((cell) => cell.tests);
  const qps2 = tests.filter((test) => test.metric === "qps");
  const latency = tests.filter((test) => test.metric === "latency");
  const kinds = (list2) => new Set(list2.map((test) => `${test.statistic} ${test.line}`)).size;
  if (kinds(qps2) > 1 || kinds(latency) > 1) return null;
  const [q] = qps2;
  const [l] = latency;
  return {
    qps: q === void 0 ? null : q.line - 1,
    latency: l === void 0 ? null : { statistic: l.statistic, rise: l.line - 1 }
  };
}
function allowedPhrase(comparison) {
  const shared = sharedMargins(comparison);
  if (shared !== null) {
    const parts2 = [];
    if (shared.qps !== null) parts2.push(`QPS ${margin(shared.qps)}`);
    if (shared.latency !== null) parts2.push(`${shared.latency.statistic} ${margin(shared.latency.rise)}`);
    return parts2.join(", ");
  }
  const tests = comparison.cells.flatMap((cell) => cell.tests);
  const parts = ["qps", "latency"].flatMap((metric) => {
    const own = tests.filter((test) => test.metric === metric);
    const lines = [...new Set(own.map((test) => test.line - 1))].sort((a, b) => Math.abs(a) - Math.abs(b));
    const [least] = lines;
    const most = lines.at(-1);
    if (least === void 0 || most === void 0) return [];
    const name = metric === "qps" ? "QPS" : [...new Set(own.map((test) => test.statistic))].sort().join("/");
    return [`${name} ${least === most ? margin(least) : `${margin(least)} to ${margin(most)}, by cell`}`];
  });
  return parts.join("; ");
}
function unit(comparison) {
  const scenarios = new Set(comparison.cells.map((result) => result.cell.scenario));
  return scenarios.size === comparison.cells.length ? "scenario" : "cell";
}

// scripts/src/report/headline.ts
function headline(comparison, ink = PLAIN) {
  const { verdict } = comparison;
  const { word, rest } = againstRecords(comparison, byVerdict(comparison, ink), ink);
  if (!comparison.sameSource) return { verdict, word, rest };
  const yet = verdict === "regression" ? "yet " : "";
  return { verdict, word: `A/A run, ${yet}${word.charAt(0).toLowerCase()}${word.slice(1)}`, rest };
}
function headlineText(comparison, ink = PLAIN) {
  const { word, rest } = headline(comparison, ink);
  return `${word}: ${rest}`;
}
function byVerdict(comparison, ink) {
  switch (comparison.verdict) {
    case "pass":
      return { word: "Not slower", rest: passed(comparison) };
    case "regression":
      return regressed(comparison, ink);
    case "inconclusive":
      return { word: "Undecided", rest: undecided(comparison, ink) };
    case "error":
      return { word: "Broken", rest: broken(comparison, ink) };
    default:
      return assertNever(comparison.verdict);
  }
}
function againstRecords({ verdict, stored }, { word, rest }, ink) {
  if (stored === void 0 || stored.records.length === 0 || verdict === "error") return { word, rest };
  return { word, rest: `${rest}, against ${recordsPhrase(stored, ink)}` };
}
function margins(comparison) {
  const shared = sharedMargins(comparison);
  if (shared === null) return null;
  const parts = [];
  if (shared.qps !== null) parts.push(`${percent(shared.qps)} QPS`);
  if (shared.latency !== null) parts.push(`${percent(shared.latency.rise)} ${shared.latency.statistic}`);
  return parts.length === 0 ? null : list(parts);
}
function passed(comparison) {
  const count = judged(comparison).length;
  const word = unit(comparison);
  const all = count === 1 ? `the ${word} is` : count === 2 ? `both ${word}s` : `all ${plural(count, word)}`;
  return `${all} within the allowed ${margins(comparison) ?? "margins"}${notJudged(comparison)}`;
}
function notJudged(comparison) {
  const fresh = comparison.cells.filter((cell) => cell.verdict === "new").length;
  const shown = comparison.cells.filter((cell) => cell.verdict === "shown").length;
  return (fresh > 0 ? `, ${fresh} new` : "") + (shown > 0 ? `, ${shown} shown only` : "");
}
function regressed(comparison, ink) {
  const slower = lostParts(comparison);
  const limits = cellsOf(comparison, "regression", "error").filter(
    (cell) => cell.tests.some((test) => isLimit(test) && test.verdict === "regression")
  ).length;
  const parts = [...slower];
  if (limits > 0) {
    const subject = slower.length > 0 ? String(limits) : outOf(limits, comparison);
    parts.push(`${subject} beyond ${limits === 1 ? "its" : "their"} absolute limit`);
  }
  const exceeded = new Set(comparison.census.filter((entry) => entry.exceeded).map((entry) => entry.scenario)).size;
  if (exceeded > 0) parts.push(`${plural(exceeded, "scenario")} with more work per request than allowed`);
  if (parts.length === 0) parts.push(reasonsOf(comparison, ink) || "a regression was found");
  const word = slower.length > 0 ? "Slower" : limits > 0 ? "Over the limit" : "More work per request";
  return { word, rest: parts.join("; ") };
}
function outOf(count, comparison) {
  return `${count} of ${plural(judged(comparison).length, unit(comparison))}`;
}
function lostParts(comparison) {
  const shared = sharedMargins(comparison);
  const red = (metric) => comparison.cells.filter(
    (cell) => cell.tests.some((test) => test.metric === metric && test.verdict === "regression")
  ).length;
  const than = (allowed) => allowed == null ? "allowed" : `the allowed ${percent(allowed)}`;
  const parts = [];
  const [qps2, latency] = [red("qps"), red("latency")];
  if (qps2 > 0) parts.push(`${outOf(qps2, comparison)} lost more than ${than(shared?.qps)} QPS`);
  if (latency > 0) {
    const subject = qps2 > 0 ? String(latency) : outOf(latency, comparison);
    const name = shared?.latency?.statistic ?? "tail latency";
    parts.push(`${subject} rose more than ${than(shared?.latency?.rise)} in ${name}`);
  }
  const { overall } = comparison;
  if (overall?.verdict === "regression") {
    const alone = parts.length === 0 ? ", though none did alone" : "";
    parts.push(`all ${unit(comparison)}s together lost more than ${than(overall.line - 1)} QPS${alone}`);
  }
  return parts;
}
function undecided(comparison, ink) {
  const total = judged(comparison).length;
  const open = cellsOf(comparison, "inconclusive").length;
  const word = unit(comparison);
  const stop = comparison.stop?.reason;
  const [own] = ownReasons(comparison).map((reason) => ink.text(reason.text).replace(/[.]$/, ""));
  if (comparison.blocks === 0) return own ?? "nothing was measured";
  if (comparison.stored?.records.length === 0 && comparison.blocks > 0) return "there is no record to compare with";
  if (total === 0) return own ?? `no ${word} could be judged`;
  const why = stop === "interrupted" ? `the run was interrupted after ${plural(comparison.blocks, "round")}; ` : stop === "failed" ? "the measurement stopped early; " : "";
  if (open === 0) return why + (own ?? unconfirmedOverall(comparison) ?? "the evidence is not enough for a verdict");
  const rest = total - open;
  const others = rest === 0 ? "" : `, the other ${rest === 1 ? "one is" : `${rest} are`} within what is allowed`;
  return `${why}${open} of ${plural(total, word)} ${open === 1 ? "needs" : "need"} more evidence${others}`;
}
function unconfirmedOverall(comparison) {
  const phrase = confirmationPhrase(comparison.overall?.confirmation ?? null);
  return phrase === "" ? null : `all ${unit(comparison)}s together looked slower than allowed: ${phrase}`;
}
function broken(comparison, ink) {
  const cells = cellsOf(comparison, "error").length;
  if (cells === 0) return reasonsOf(comparison, ink) || "the head fails where the base does not";
  return `the head fails in ${cells} of ${plural(judged(comparison).length, unit(comparison))}, where the base does not`;
}
function reasonsOf(comparison, ink) {
  const [first] = comparison.reasons;
  return first === void 0 ? "" : ink.text(first.text).replace(/[.]$/, "");
}
function headlineSentence(comparison) {
  return sentence(headlineText(comparison));
}

export {
  ABSENT,
  decimal,
  significant,
  qps,
  ms,
  percent,
  percentMeasured,
  signed,
  signedPercent,
  margin,
  bytes,
  duration,
  plural,
  list,
  visible,
  oneLine,
  oneNote,
  escapeMarkdown,
  escapeNote,
  MARKDOWN,
  PLAIN,
  sentence,
  ownReasons,
  furtherReasons,
  stateOf,
  direction,
  isLimit,
  whyNoInterval,
  testOf,
  worstRoom,
  decidingTest,
  worstFirst,
  cellsOf,
  judged,
  allowedPhrase,
  unit,
  MARK,
  loadLabel,
  cellName,
  STRIKE_LABEL,
  confirmationPhrase,
  storedSentence,
  besideSentence,
  sinceLabel,
  sinceText,
  withoutBaseline,
  noBaseline,
  headline,
  headlineText,
  headlineSentence
};

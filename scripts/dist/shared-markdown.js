import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  figure,
  renderPage
} from "./shared-marked.esm.js";
import {
  drawWith
} from "./shared-charts.js";
import {
  renderCsv
} from "./shared-index.js";
import {
  decidingLines,
  detailParts,
  editsTable,
  fold,
  markdownTable,
  overallDecides,
  overallSentence,
  renderTerminal,
  roundsPhrase,
  settingsTable
} from "./shared-details.js";
import {
  ABSENT,
  MARK,
  MARKDOWN,
  allowedPhrase,
  besideSentence,
  cellsOf,
  duration,
  escapeMarkdown,
  headlineText,
  isLimit,
  loadLabel,
  margin,
  ms,
  oneLine,
  percent,
  plural,
  qps,
  sentence,
  signed,
  signedPercent,
  sinceLabel,
  sinceText,
  stateOf,
  testOf,
  unit,
  whyNoInterval,
  worstFirst
} from "./shared-headline.js";

// scripts/src/phases/report.ts
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

// scripts/src/report/markdown.ts
var ROWS_SHOWN = 12;
function renderMarkdown(input) {
  return joinParts(reportParts(input));
}
function joinParts(parts) {
  return `${parts.map(({ text }) => text).join("\n\n")}
`;
}
function reportParts(input) {
  const { comparison, environment } = input;
  const green = comparison.verdict === "pass";
  const rows = worstFirst(comparison.cells);
  const warnings = (environment?.warnings ?? []).map((text) => `> ${sentence(escapeMarkdown(text))}`);
  const margins = footer(comparison);
  const parts = [
    { name: "headline", text: `## ${MARK[stateOf(comparison.verdict)]} ${headlineText(comparison, MARKDOWN)}` },
    { name: "sentences", text: paragraphs(decidingLines(input, MARKDOWN)) },
    { name: "settings", text: settingsTable(input) }
  ];
  if (!green) {
    const [table = "", more = ""] = openTable(comparison, rows);
    parts.push({ name: "table", text: table }, { name: "more rows", text: more });
    parts.push({ name: "limits", text: limitsTable(comparison) });
  }
  parts.push({ name: "warnings", text: warnings.join("\n>\n") });
  parts.push({ name: "edited configuration", text: editsTable(comparison) });
  if (!green) parts.push({ name: "margins", text: margins });
  if (green) {
    const body = [cellTable(comparison, rows), limitsTable(comparison), margins];
    parts.push({ name: "table", text: fold(`All ${plural(rows.length, unit(comparison))}`, body) });
  }
  return [...parts, ...detailParts(input)].filter(({ text }) => text !== "");
}
function paragraphs(lines) {
  const [first, ...rest] = lines;
  if (first === void 0) return "";
  return rest.length === 0 ? first : [first, rest.map((line) => `- ${line}`).join("\n")].join("\n\n");
}
function openTable(comparison, rows) {
  if (rows.length <= ROWS_SHOWN) return [cellTable(comparison, rows)];
  const notable = rows.filter((result) => result.verdict !== "pass");
  const shown = notable.slice(0, ROWS_SHOWN);
  const rest = rows.filter((result) => !shown.includes(result));
  const passed = cellsOf(comparison, "pass").length;
  const title = passed === rest.length ? `${rest.length} more, all within what is allowed` : `${rest.length} more`;
  return [shown.length > 0 ? cellTable(comparison, shown) : "", fold(title, [cellTable(comparison, rest)])];
}
var strongIf = (condition, text) => condition ? `**${text}**` : text;
function changeCells(test) {
  if (test === null) return [ABSENT, ABSENT];
  const { estimate } = test;
  if (estimate === null) return [ABSENT, whyNoInterval(test)];
  const range = `${signed(estimate.low - 1)} … ${signed(estimate.high - 1)}`;
  return [strongIf(test.verdict === "regression", signedPercent(estimate.ratio - 1)), range];
}
function pair(values, format) {
  const [base, head] = values;
  return base == null && head == null ? ABSENT : `${format(base)} → ${format(head)}`;
}
function cellTable(comparison, rows) {
  const statistics = new Set(comparison.cells.map((result) => result.statistic));
  const [only] = statistics;
  const latency = statistics.size === 1 ? only : "latency";
  const fresh = rows.some((result) => result.verdict === "new" || result.verdict === "shown");
  const { stored } = comparison;
  const from = stored === void 0 ? "base" : "expected";
  const header = ["", "scenario", "load", "QPS change", "between, %", `${from} → head`];
  header.push(`${latency} change`, "between, %", `${from} → head, ms`);
  const label = sinceLabel(comparison);
  if (label !== null) header.push(`QPS since ${escapeMarkdown(label)}`, `${latency} since ${escapeMarkdown(label)}`);
  const body = rows.map((result) => {
    const throughput = testOf(result, "qps");
    const tail = testOf(result, "latency");
    const { head, ...others } = result.figures;
    const base = stored === void 0 ? others.base : null;
    const { statistic, since } = result;
    const prefix = statistics.size === 1 ? "" : `${statistic} `;
    const name = escapeMarkdown(result.cell.scenario);
    return [
      MARK[stateOf(result.verdict)],
      fresh && stateOf(result.verdict) === "note" ? `${name} (${result.verdict === "new" ? "new" : "shown only"})` : name,
      loadLabel(result),
      ...changeCells(throughput),
      pair([throughput?.base ?? base?.qps, throughput?.head ?? head?.qps], qps),
      ...changeCells(tail),
      prefix + pair([tail?.base ?? base?.latencyMs[statistic], tail?.head ?? head?.latencyMs[statistic]], ms),
      ...label !== null ? [sinceText(since?.qps) || ABSENT, sinceText(since?.latency) || ABSENT] : []
    ];
  });
  return markdownTable([header, ...body], { align: ["l", "l", "r", "r", "c", "r", "r", "c", "r", "r", "r"] });
}
function limitsTable(comparison) {
  const rows = worstFirst(comparison.cells).flatMap(
    (result) => result.tests.filter(isLimit).map((test) => {
      const throughput = test.metric === "min-qps";
      const format = throughput ? qps : ms;
      const what = throughput ? `QPS at least ${format(test.limit)}` : `${test.statistic} at most ${format(test.limit)} ms`;
      const [change, range] = changeCells(test);
      return [
        MARK[stateOf(test.verdict)],
        escapeMarkdown(result.cell.scenario),
        loadLabel(result),
        what,
        format(test.head),
        change,
        range
      ];
    })
  );
  if (rows.length === 0) return "";
  const header = ["", "scenario", "load", "absolute limit", "head", "from the limit", "between, %"];
  return markdownTable([header, ...rows], { align: ["l", "l", "r", "l", "r", "r", "c"] });
}
function footer(comparison) {
  const parts = [];
  const allowed = allowedPhrase(comparison);
  if (allowed !== "") parts.push(`Allowed: ${allowed}.`);
  if (comparison.overall !== null) {
    parts.push(`All together: ${margin(comparison.overall.line - 1)} QPS.`);
  }
  if (comparison.tests > 0) {
    const sure = percent(1 - comparison.alpha);
    const again = comparison.stored === void 0 ? ", and seen again on fresh replicas" : "";
    parts.push(`Red means surer than ${sure} over all ${plural(comparison.tests, "test")} together${again}.`);
  }
  parts.push(`Measured in ${duration(comparison.times.wall)}, ${roundsPhrase(comparison)}.`);
  const overall = overallDecides(comparison) ? "" : overallSentence(comparison, MARKDOWN);
  return [overall, parts.join(" "), besideSentence(comparison, MARKDOWN)].filter((text) => text !== "").join("\n\n");
}

// scripts/src/report/html.ts
var CHARTS = [
  { name: "qps", title: "QPS over load level" },
  { name: "rounds", title: "Change in every round, and the interval closing in" },
  { name: "latency", title: "Latency: mean and percentiles, ms" }
];
function renderHtml(input, charts) {
  const title = escapeMarkdown(`perf-gate: ${oneLine(headlineText(input.comparison))}`);
  const page = { title, kind: input.comparison.verdict, markdown: renderMarkdown(input), images: "data:" };
  return renderPage(page, (html) => insertCharts(html, charts));
}
function insertCharts(html, charts) {
  const figures = charts.map(dataFigure).join("\n");
  const section = charts.length === 0 ? '<p class="quiet">No charts: they are drawn where jq and gnuplot are installed.</p>' : `<section class="charts" aria-label="charts">
${figures}
</section>`;
  const at = html.indexOf("<details>");
  return at === -1 ? `${html}${section}
` : `${html.slice(0, at)}${section}
${html.slice(at)}`;
}
function dataFigure({ name, title, svg }) {
  return figure(
    `chart-${escapeMarkdown(name)}`,
    escapeMarkdown(title),
    `data:image/svg+xml,${encodeURIComponent(svg)}`
  );
}

// scripts/src/phases/report.ts
function reportPhase(work, home, terminal) {
  const input = readReportInput(work);
  const { charts, note } = drawCharts(work, home);
  work.write("report.md", renderMarkdown(input));
  work.write("results.csv", renderCsv(input));
  work.write("report.html", renderHtml(input, charts));
  return { text: renderTerminal(input, terminal), chartsNote: note };
}
function readReportInput(work) {
  const plan = work.readPlan();
  return {
    comparison: work.readComparison(),
    plan,
    environment: work.readEnvironment(plan),
    census: work.readCensus(plan)
  };
}
function drawCharts(work, home) {
  rmSync(work.file("charts"), { recursive: true, force: true });
  const directory = work.directory("charts");
  const note = drawWith(home, "charts.sh", [work.file("comparison.json"), directory]);
  if (note !== null) return { charts: [], note };
  const charts = CHARTS.flatMap(({ name, title }) => {
    const file = join(directory, `${name}.svg`);
    return existsSync(file) ? [{ name, title, svg: readFileSync(file, "utf8") }] : [];
  });
  return { charts, note: null };
}

export {
  joinParts,
  reportParts,
  reportPhase,
  readReportInput
};

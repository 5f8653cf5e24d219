import { escapeMarkdown, oneLine } from "./escape.ts";
import { headlineText } from "./headline.ts";
import type { ReportInput } from "./input.ts";
import { renderMarkdown } from "./markdown.ts";
import { figure, renderPage } from "./page.ts";

export interface Chart {
  /** File name without extension: qps, latency, rounds. */
  name: string;
  title: string;
  svg: string;
}

/** The charts that scripts/charts/charts.sh draws, as <name>.svg, in the order in which they are shown. */
export const CHARTS: readonly { name: string; title: string }[] = [
  { name: "qps", title: "QPS over load level" },
  { name: "rounds", title: "Change in every round, and the interval closing in" },
  { name: "latency", title: "Latency: mean and percentiles, ms" },
];

/**
 * report.html: the Markdown report and the charts in one file that asks the network for nothing and runs nothing.
 * Charts are images in data URLs and not elements of the page: an SVG image can neither run code nor style the page.
 */
export function renderHtml(input: ReportInput, charts: readonly Chart[]): string {
  const title = escapeMarkdown(`perf-gate: ${oneLine(headlineText(input.comparison))}`);
  const page = { title, kind: input.comparison.verdict, markdown: renderMarkdown(input), images: "data:" } as const;
  return renderPage(page, (html) => insertCharts(html, charts));
}

/** Charts stand before the first folded section: they are the second thing people look at. */
function insertCharts(html: string, charts: readonly Chart[]): string {
  const figures = charts.map(dataFigure).join("\n");
  const section =
    charts.length === 0
      ? '<p class="quiet">No charts: they are drawn where jq and gnuplot are installed.</p>'
      : `<section class="charts" aria-label="charts">\n${figures}\n</section>`;
  const at = html.indexOf("<details>");
  return at === -1 ? `${html}${section}\n` : `${html.slice(0, at)}${section}\n${html.slice(at)}`;
}

function dataFigure({ name, title, svg }: Chart): string {
  return figure(
    `chart-${escapeMarkdown(name)}`,
    escapeMarkdown(title),
    `data:image/svg+xml,${encodeURIComponent(svg)}`,
  );
}

import { Marked } from "marked";
import { escapeMarkdown, oneLine } from "./escape.ts";
import { headlineText } from "./headline.ts";
import type { ReportInput } from "./input.ts";
import { renderMarkdown } from "./markdown.ts";
import { CSS } from "./style.ts";
import { MARK } from "./words.ts";

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

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/**
 * report.html: the Markdown report and the charts in one file that asks the network for nothing and runs nothing.
 * Charts are images in data URLs and not elements of the page: an SVG image can neither run code nor style the page.
 */
export function renderHtml(input: ReportInput, charts: readonly Chart[]): string {
  const title = escapeMarkdown(`perf-gate: ${oneLine(headlineText(input.comparison))}`);
  const body = new Marked({ gfm: true, async: false }).parse(renderMarkdown(input), { async: false });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${CSS}</style>
</head>
<body class="${input.comparison.verdict}">
<main>
${insertCharts(dress(body), charts)}</main>
</body>
</html>
`;
}

const MARK_LABEL: Record<string, string> = {
  [MARK.error]: "error",
  [MARK.regression]: "regression",
  [MARK.inconclusive]: "inconclusive",
  [MARK.pass]: "pass",
  [MARK.note]: "note",
};

/**
 * Tables get a box of their own to scroll in; marks become drawn signs, as not every system has the emoji and as
 * shapes are told apart without colour. Only tags that our own Markdown produced can match: foreign "<" is an entity.
 */
function dress(html: string): string {
  const marks = Object.keys(MARK_LABEL).join("|");
  return html
    .replaceAll("<table>", '<div class="scroll" tabindex="0" role="region" aria-label="table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replace(new RegExp(`(<(?:td|h2)(?: [^>]*)?>)(${marks})`, "gu"), (_, tag: string, mark: string) => {
      const label = MARK_LABEL[mark] ?? "";
      return `${tag.startsWith("<td") ? tag.replace("<td", '<td class="sign"') : tag}<span class="mark ${label}" role="img" aria-label="${label}"></span>`;
    });
}

/** Charts stand before the first folded section: they are the second thing people look at. */
function insertCharts(html: string, charts: readonly Chart[]): string {
  const figures = charts.map(figure).join("\n");
  const section =
    charts.length === 0
      ? '<p class="quiet">No charts: they are drawn where jq and gnuplot are installed.</p>'
      : `<section class="charts" aria-label="charts">\n${figures}\n</section>`;
  const at = html.indexOf("<details>");
  return at === -1 ? `${html}${section}\n` : `${html.slice(0, at)}${section}\n${html.slice(at)}`;
}

function figure({ name, title, svg }: Chart): string {
  const text = escapeMarkdown(title);
  const source = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  return `<figure id="chart-${escapeMarkdown(name)}"><figcaption>${text}</figcaption><div class="scroll" tabindex="0" role="region" aria-label="${text}"><img alt="${text}" src="${source}"></div></figure>`;
}

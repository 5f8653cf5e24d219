import { describe, expect, test } from "vitest";
import { trendOf } from "../../src/core/change-points.ts";
import { nightsOf } from "../../src/core/nights.ts";
import type { HistoryRecord } from "../../src/core/record.ts";
import { cellsOf, nightsSentence, renderTrend, type TrendInput, trendHeadline } from "../../src/report/trend.ts";
import { trendChart } from "../../src/report/trend-chart.ts";
import { history } from "../history-fixtures.ts";

const REPOSITORY = "https://github.com/owner/name";
const NONE = new Set<string>();

function inputOf(records: readonly HistoryRecord[], over: Partial<TrendInput> = {}): TrendInput {
  const dates = records.map(({ recordedAt }) => recordedAt);
  return {
    branch: "main",
    others: [],
    store: "git:perf-gate-data of origin",
    trend: trendOf(records),
    nights: nightsOf(dates, dates.at(-1) ?? "2026-11-20T00:00:00Z"),
    repository: REPOSITORY,
    ...over,
  };
}

/** The page as text: no tags, entities resolved as far as ours go. */
const textOf = (html: string) =>
  html
    .slice(html.indexOf("<main>"))
    .replace(/<[^>]*>|\u200b/g, (found) => (found === "\u200b" ? "" : " "))
    .replace(/\s+/g, " ");

const stepped = () => history({ nights: 90, cells: ["home @20", "search @5"], level: (n) => (n < 60 ? 0 : -0.1) });

describe("the page", () => {
  test("says in its first line what happened, and marks it", () => {
    const input = inputOf(stepped());
    expect(trendHeadline(input)).toBe("Trend of main: 1 step for the worse in 90 records");
    const html = renderTrend(input, NONE);
    expect(html).toContain('<body class="regression">');
    expect(html).toContain("<title>perf-gate: Trend of main: 1 step for the worse in 90 records</title>");
    const calm = inputOf(history({ nights: 30 }));
    expect(renderTrend(calm, NONE)).toContain('<body class="pass">');
    expect(textOf(renderTrend(calm, NONE))).toContain("No step found");
    const better = inputOf(history({ nights: 60, level: (n) => (n < 30 ? 0 : 0.1) }));
    expect(trendHeadline(better)).toBe("Trend of main: 1 step for the better in 60 records");
    expect(renderTrend(better, NONE)).toContain('<body class="pass">');
  });

  test("turns green again when what was lost is back", () => {
    const records = history({ nights: 90, level: (n) => (n >= 30 && n < 60 ? -0.1 : 0) });
    const input = inputOf(records);
    expect(trendHeadline(input)).toBe("Trend of main: 1 step for the worse and 1 for the better in 90 records");
    expect(renderTrend(input, NONE)).toContain('<body class="pass">');
  });

  test("links commits and what was committed in between, where it knows the repository", () => {
    const records = stepped();
    const [before, after] = [records[59], records[60]];
    const html = renderTrend(inputOf(records), NONE);
    expect(html).toContain(`href="${REPOSITORY}/commit/${records[89]?.commit}"`);
    expect(html).toContain(`href="${REPOSITORY}/compare/${before?.commit}...${after?.commit}"`);
    expect(html).toContain(`href="${records[89]?.url}"`);
    const without = renderTrend(inputOf(records, { repository: null }), NONE);
    expect(without).not.toContain("/commit/");
    expect(without).toContain(`${before?.commit.slice(0, 7)} … ${after?.commit.slice(0, 7)}`);
  });

  test("shows levels against the anchor with intervals, and absolute figures of each commit", () => {
    const text = textOf(renderTrend(inputOf(history({ nights: 40, noise: 0, level: () => Math.log(0.9) })), NONE));
    expect(text).toContain("Changes are against v1.4.0");
    // Records that are all alike leave no room between them.
    expect(text).toContain("home @20 −10.0% −10.0 … −10.0 −10.0% +11.1% +11.1 … +11.1 +11.1% –");
    // Its rounds: t(0.975, 7) * 0.02 / sqrt(8) = 0.01672, so 0.9 * e^±0.01672 - 1.
    expect(text).toContain("−10.0% −11.5 … −8.5 400 → 360 +11.1% +9.3 … +13.0 25.0 → 27.8");
  });

  test("takes the rounds' interval where there is one record only", () => {
    const text = textOf(renderTrend(inputOf(history({ nights: 1, noise: 0 })), NONE));
    expect(text).toContain("home @20 0.0% −1.7 … +1.7 0.0% 0.0% −1.7 … +1.7 0.0% –");
  });

  test("shows the newest record beside the level that it has left", () => {
    const level = (night: number) => (night < 19 ? 0 : Math.log(0.5));
    const text = textOf(renderTrend(inputOf(history({ nights: 20, noise: 0.01, level })), NONE));
    expect(text).toMatch(/home @20 [−+]?\d\.\d% \S+ … \S+ −\d\d\.\d% [−+]?\d\.\d% \S+ … \S+ \+\d+\.\d% –/);
  });

  test("shows the newest 60 commits of a long history and says so", () => {
    const html = renderTrend(inputOf(history({ nights: 200 })), NONE);
    expect(html.match(/\/actions\/runs\//g)).toHaveLength(60);
    expect(html).toContain("The newest 60 of 200 commits.");
    expect(renderTrend(inputOf(history({ nights: 60 })), NONE)).not.toContain("The newest 60");
    const broken = history({
      nights: 200,
      change: (record, night) => (night < 150 ? record : { ...record, anchor: { label: "v2", id: "2".repeat(40) } }),
    });
    expect(renderTrend(inputOf(broken), NONE).match(/\/actions\/runs\//g)).toHaveLength(60);
  });

  test("says where lines break, and why", () => {
    const records = history({
      nights: 60,
      change: (record, night) =>
        night < 40
          ? record
          : {
              ...record,
              anchor: { label: "v1.5.0", id: "5".repeat(40) },
              conditions: { ...record.conditions, must: { ...record.conditions.must, php: "8.5" } },
            },
    });
    expect(textOf(renderTrend(inputOf(records), NONE))).toContain(
      "Another line from 2026-02-10 on: anchor v1.5.0 instead of v1.4.0 and PHP 8.5 instead of 8.4.",
    );
  });

  test("shows figures without an anchor as they are", () => {
    const records = history({
      nights: 3,
      noise: 0,
      change: (record) => ({
        ...record,
        anchor: { label: "github-action-benchmark", id: "none" },
        cells: record.cells.map((cell) => ({
          ...cell,
          qps: { head: 812, anchor: 1, logRatio: Math.log(812), sd: 0, rounds: 1 },
          latency: null,
        })),
      }),
    });
    const text = textOf(renderTrend(inputOf(records), NONE));
    expect(text).toContain("has no anchor");
    expect(text).toContain("home @20 – – 812/s");
    expect(trendChart(cellsOf(trendOf(records))[0] ?? { cell: "", slug: "", series: [] }).panels).toMatchObject([
      { title: "QPS", levels: [] },
    ]);
  });

  test("of a store or branch without records says so", () => {
    const text = textOf(renderTrend(inputOf([]), NONE));
    expect(text).toContain("Trend of main: no records yet");
    expect(text).toContain("There is no record in git:perf-gate-data of origin yet");
    const other = inputOf([], { branch: "man", others: ["main", "<i>"] });
    expect(renderTrend(other, NONE)).toContain("are of other branches: main and &lt;i&gt;.");
  });

  test("shows charts that are there, and says where none is", () => {
    const input = inputOf(stepped());
    const html = renderTrend(input, new Set(["cell-2"]));
    expect(html).toContain('src="charts/cell-2.svg"');
    expect(html).not.toContain("cell-1.svg");
    expect(html).not.toContain("No charts");
    expect(renderTrend(input, NONE)).toContain("No charts: they are drawn where jq and gnuplot are installed.");
  });

  test("carries no markup, script or link of foreign origin", () => {
    const evil = `<img src=x onerror=alert(1)> [a](javascript:alert(1)) \`**@team** | https://evil.example \u202e</td>`;
    const records = history({
      nights: 60,
      cells: [evil, "plain @1"],
      level: (n) => (n < 30 ? 0 : -0.2),
      change: (record, night) => ({
        ...record,
        url: "javascript:alert(1)",
        anchor: { label: evil, id: (night < 40 ? "1" : "2").repeat(40) },
        conditions: { ...record.conditions, must: { ...record.conditions.must, cpuModel: `${evil}${night < 40}` } },
      }),
    });
    const html = renderTrend(inputOf(records, { branch: evil, others: [evil], store: evil }), new Set(["cell-1"]));
    expect(html).not.toMatch(/<img(?! alt="[^"<>]*" src="charts\/cell-\d+\.svg">)/);
    expect(html).not.toMatch(/<script|href="(?!https:\/\/github\.com\/)|@team/i);
    expect(html.replace(/="[^"]*"/g, "")).not.toMatch(/<[^>]+\son\w+/i);
    expect(html).not.toContain("\u202e");
    // Tables have as many cells as their heads.
    for (const [table = ""] of html.matchAll(/<table>[\s\S]*?<\/table>/g)) {
      const columns = table.match(/<th[ >]/g)?.length;
      for (const row of table.split("</tr>").slice(1, -1)) expect(row.match(/<td[ >]/g)).toHaveLength(columns ?? 0);
    }
  });
});

test("missing nights in a sentence", () => {
  const nights = { missing: ["2026-11-01"], recent: { expected: 30, missing: 1 }, daysSinceLast: 0 };
  expect(nightsSentence(nights)).toBe("1 of the last 30 nights is missing (2026-11-01).");
  expect(nightsSentence({ ...nights, daysSinceLast: 3 })).toBe(
    "1 of the last 30 nights is missing (2026-11-01); the last record is 3 days old.",
  );
  const many = Array.from({ length: 12 }, (_, i) => `2026-11-${String(i + 1).padStart(2, "0")}`);
  expect(nightsSentence({ ...nights, missing: many, recent: { expected: 30, missing: 12 } })).toContain(
    "12 of the last 30 nights are missing (latest 2026-11-06, 2026-11-07",
  );
  expect(nightsSentence({ missing: many, recent: { expected: 30, missing: 0 }, daysSinceLast: 1 })).toBe("");
  expect(nightsSentence({ missing: [], recent: { expected: 4, missing: 0 }, daysSinceLast: 5 })).toBe(
    "The last record is 5 days old.",
  );
});

test("the chart of a cell: values in percent of the anchor, the anchor in sight, steps between commits", () => {
  const records = history({ nights: 60, noise: 0, level: (n) => (n < 30 ? 0.1 : 0.3) });
  const [cell] = cellsOf(trendOf(records));
  const chart = trendChart(cell ?? { cell: "", slug: "", series: [] });
  const [qps, latency] = chart.panels;
  expect(chart.panels.map(({ title }) => title)).toEqual([
    "QPS against the anchor, %",
    "tail latency against the anchor, %",
  ]);
  expect(qps?.points[0]).toHaveLength(60);
  const [time, value, low, high] = qps?.points[0]?.[0] ?? [];
  expect(time).toBe(Date.parse("2026-01-01T02:00:00Z") / 1000);
  expect(value).toBeCloseTo(10.517, 3);
  expect(low).toBeCloseTo((Math.exp(0.1 - 0.016721) - 1) * 100, 3);
  expect(high).toBeCloseTo((Math.exp(0.1 + 0.016721) - 1) * 100, 3);
  expect(qps?.levels.map(([, , mean]) => mean)).toEqual([expect.closeTo(10.517, 3), expect.closeTo(34.986, 3)]);
  expect(qps?.steps).toEqual([[Date.parse("2026-01-30T14:00:00Z") / 1000]]);
  expect([qps?.low, latency?.high].map((end) => Math.sign(end ?? 0))).toEqual([-1, 1]);
});

/** Time of the trend page over the number of records of 8 cells: steps, page and lists, without reading and charts. */
import { trendOf } from "../src/core/change-points.ts";
import { nightsOf } from "../src/core/nights.ts";
import { median } from "../src/core/stats/robust.ts";
import { cellsOf, renderTrend } from "../src/report/trend.ts";
import { trendChart } from "../src/report/trend-chart.ts";
import { history } from "../test/history-fixtures.ts";

const REPEATS = 7;
const CELLS = Array.from({ length: 8 }, (_, i) => `scenario ${i} @20`);

for (const nights of [500, 1000, 2000, 4000]) {
  const records = history({ nights, cells: CELLS, level: (night) => (night % 400 < 200 ? 0 : -0.05) });
  const times = Array.from({ length: REPEATS }, () => {
    const start = performance.now();
    const trend = trendOf(records);
    const found = performance.now();
    const dates = records.map(({ recordedAt }) => recordedAt);
    const input = {
      branch: "main",
      store: "git:perf-gate-data",
      trend,
      nights: nightsOf(dates, dates.at(-1) ?? ""),
      repository: null,
    };
    renderTrend(input, new Set());
    const page = performance.now();
    for (const cell of cellsOf(trend)) trendChart(cell);
    return { steps: found - start, page: page - found, charts: performance.now() - page };
  });
  const ms = (key: "steps" | "page" | "charts") => Math.round(median(times.map((time) => time[key])));
  process.stdout.write(
    `${nights} records x 8 cells: steps ${ms("steps")} ms, page ${ms("page")} ms, data of the charts ${ms("charts")} ms\n`,
  );
}

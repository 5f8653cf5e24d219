/** Time of compare and report, without charts, over the number of cells: 20 rounds each. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPlan } from "../src/core/plan.ts";
import { median } from "../src/core/stats/robust.ts";
import { comparePhase } from "../src/phases/compare.ts";
import { sha256, WorkDirectory } from "../src/phases/work-directory.ts";
import { renderCsv } from "../src/report/csv.ts";
import { renderHtml } from "../src/report/html.ts";
import { renderMarkdown } from "../src/report/markdown.ts";
import { renderTerminal } from "../src/report/terminal.ts";
import { blocks, censusOf, planOf } from "../test/core/support.ts";

const REPEATS = 7;

/** `cells` cells: scenarios at ten load levels each. */
function suite(cells: number): string {
  const levels = Array.from({ length: 10 }, (_, i) => i + 1).join(", ");
  const scenarios = Array.from(
    { length: cells / 10 },
    (_, i) => `  - { name: s${i}, path: /${i}, levels: [${levels}] }`,
  );
  return `scenarios:\n${scenarios.join("\n")}\n`;
}

for (const cells of [100, 1000]) {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-bench-"));
  try {
    const plan = buildPlan(planOf(suite(cells)), sha256);
    const work = new WorkDirectory(directory);
    work.begin();
    work.writeJson("plan", plan);
    const census = censusOf(plan);
    work.writeJson("census", census);
    work.appendSamples([{ kind: "begin", version: 1, planId: plan.id, startedAt: 1 }]);
    work.appendSamples(blocks(plan, { blocks: 20, noise: 0.05, ratio: () => 0.97 }));
    const times = Array.from({ length: REPEATS }, () => {
      const start = performance.now();
      const input = { comparison: comparePhase(work), plan, census, environment: null };
      const compared = performance.now();
      renderMarkdown(input);
      renderCsv(input);
      renderHtml(input, []);
      renderTerminal(input, { colour: false, width: 100 });
      return { compare: compared - start, report: performance.now() - compared };
    });
    const ms = (key: "compare" | "report") => Math.round(median(times.map((time) => time[key])));
    process.stdout.write(`${cells} cells x 20 rounds: compare ${ms("compare")} ms, report ${ms("report")} ms\n`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * What looking at the results costs, over how much there is of it: time and peak memory of compare, of each report, of
 * the store and of the trend page, without charts. Every figure is the median of REPEATS processes that do nothing
 * else, as a command is one: cold, so a part of it is constant. Reading what is shown is part of the memory and not of
 * the time. Prints a Markdown table.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { markdownTable } from "markdown-table";
import { trendOf } from "../src/core/change-points.ts";
import type { SlotSample } from "../src/core/model.ts";
import { nightsOf } from "../src/core/nights.ts";
import { buildPlan } from "../src/core/plan.ts";
import type { HistoryRecord } from "../src/core/record.ts";
import { normalQuantile } from "../src/core/stats/distributions.ts";
import { median } from "../src/core/stats/robust.ts";
import { openStore, type Store } from "../src/history/store.ts";
import { comparePhase } from "../src/phases/compare.ts";
import { readReportInput } from "../src/phases/report.ts";
import { sha256, WorkDirectory } from "../src/phases/work-directory.ts";
import { renderCsv } from "../src/report/csv.ts";
import { renderHtml } from "../src/report/html.ts";
import type { ReportInput } from "../src/report/input.ts";
import { renderMarkdown } from "../src/report/markdown.ts";
import { renderTerminal } from "../src/report/terminal.ts";
import { renderTrend } from "../src/report/trend.ts";
import { blocks, censusOf, planOf } from "../test/core/support.ts";
import { history } from "../test/history-fixtures.ts";
import { growthExponent } from "./figures.ts";

const REPEATS = 5;
const CELLS = [10, 100, 1000];
/** The fewest that are judged, the default, and the most that a configuration may ask for. */
const ROUNDS = [6, 20, 60];
const RECORDS = [20, 200, 2000];
const DEFAULT_ROUNDS = 20;
const USUAL_CELLS = 100;
/** sd of the log ratio of a round. */
const SPREAD = 0.05;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const RECORDED_CELLS = Array.from({ length: 8 }, (_, i) => `scenario ${i} @20`);
const FOLDER = "folder";
const BRANCH = "branch.git";

/** What one process does: reads what it needs from a directory, and returns what is timed. */
type Step = (directory: string) => Promise<() => unknown>;

const STEPS: Record<"run" | "history", Record<string, Step>> = {
  run: {
    compare: async (directory) => () => comparePhase(new WorkDirectory(directory)),
    "report.md": report((input) => renderMarkdown(input)),
    "results.csv": report((input) => renderCsv(input)),
    "report.html": report((input) => renderHtml(input, [])),
    terminal: report((input) => renderTerminal(input, { colour: false, width: 100 })),
  },
  history: {
    "store, a folder: append": async (directory) => append(open(directory, FOLDER)),
    "store, a folder: read": async (directory) => () => open(directory, FOLDER).read(),
    "store, a git branch: append": async (directory) => append(open(directory, BRANCH)),
    "store, a git branch: read": async (directory) => () => open(directory, BRANCH).read(),
    "trend page": async (directory) => {
      const { records } = await open(directory, FOLDER).read();
      return () => trendPage(records);
    },
  },
};

function report(render: (input: ReportInput) => string): Step {
  return async (directory) => {
    const input = readReportInput(new WorkDirectory(directory));
    return () => render(input);
  };
}

function open(directory: string, name: typeof FOLDER | typeof BRANCH): Store {
  const path = join(directory, name);
  return openStore(name === BRANCH ? `git:records@${path}` : path, { directory, env: {} });
}

/** Adds one record. */
function append(store: Store): () => unknown {
  const [record] = history({ nights: 1, cells: RECORDED_CELLS, seed: process.pid + 1000 });
  return () => store.append([record as HistoryRecord]);
}

function trendPage(records: HistoryRecord[]): string {
  const dates = records.map(({ recordedAt }) => recordedAt);
  const nights = nightsOf(dates, dates.at(-1) ?? "");
  const input = { branch: "main", others: [], store: "git:perf-gate-data", nights, repository: null };
  return renderTrend({ ...input, trend: trendOf(records) }, new Set());
}

/** A run whose cells all stay open to its last round, the most that compare can have to do. */
function makeRun(directory: string, cells: number, rounds: number): void {
  const levels = Array.from({ length: 10 }, (_, i) => i + 1).join(", ");
  const scenarios = Array.from(
    { length: cells / 10 },
    (_, i) => `  - { name: s${i}, path: /${i}, levels: [${levels}] }`,
  );
  const yaml = `scenarios:\n${scenarios.join("\n")}\nmeasure: { rounds: ${rounds} }\n`;
  const plan = buildPlan(planOf(yaml), sha256);
  const work = new WorkDirectory(directory);
  work.begin();
  work.writeJson("plan", plan);
  work.writeJson("census", censusOf(plan));
  work.appendSamples([{ kind: "begin", version: 1, planId: plan.id, startedAt: 1 }]);
  work.appendSamples(blocks(plan, { blocks: rounds, ratio: () => 1, change: (sample) => unsettled(sample, rounds) }));
}

/**
 * Rounds spread as evenly as a normal distribution's can be (quantiles at multiples of the golden ratio), whose mean
 * lies by two of its standard errors after all rounds on the good side of the line: too little for a pass, too much to
 * be given up.
 */
function unsettled({ arm, block, latencyMs }: SlotSample, rounds: number): Partial<SlotSample> {
  if (arm === "base" || latencyMs === null) return {};
  const above = SPREAD * (2 / Math.sqrt(rounds) + normalQuantile((0.5 + GOLDEN * block) % 1));
  const requests = Math.round(4000 * 0.95 * Math.exp(above));
  return { requests, qps: requests / 2, latencyMs: { ...latencyMs, p99: 12 * 1.2 * Math.exp(-above) } };
}

async function makeHistory(directory: string, nights: number): Promise<void> {
  execFileSync("git", ["init", "--quiet", "--bare", join(directory, BRANCH)]);
  const level = (night: number) => (night % 400 < 200 ? 0 : -0.05);
  const records = history({ nights, cells: RECORDED_CELLS, level });
  for (const name of [FOLDER, BRANCH] as const) await open(directory, name).append(records);
}

interface Cost {
  ms: number;
  peakBytes: number;
  /** Of the peak, what the program itself is. */
  programBytes: number;
}

/** One step in this process. */
async function once(step: Step, directory: string): Promise<Cost> {
  const programBytes = process.memoryUsage.rss();
  const run = await step(directory);
  const start = performance.now();
  await run();
  return { ms: performance.now() - start, peakBytes: peakBytes(), programBytes };
}

/** Not getrusage's: after exec that begins with what the parent had. */
function peakBytes(): number {
  const kB = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  if (kB === undefined) throw new Error("/proc/self/status has no VmHWM");
  return Number(kB) * 1024;
}

/** Medians of one step over processes of their own. */
function cost(kind: keyof typeof STEPS, name: string, directory: string): Cost {
  const costs = Array.from({ length: REPEATS }, () => {
    const output = execFileSync(process.execPath, [process.argv[1] ?? "", kind, name, directory], { encoding: "utf8" });
    return JSON.parse(output) as Cost;
  });
  const of = (key: keyof Cost) => median(costs.map((one) => one[key]));
  return { ms: of("ms"), peakBytes: of("peakBytes"), programBytes: of("programBytes") };
}

/** A row for each step. */
async function rows(
  kind: keyof typeof STEPS,
  grows: string,
  sizes: readonly number[],
  make: (directory: string, size: number) => Promise<void> | void,
): Promise<string[][]> {
  const names = Object.keys(STEPS[kind]);
  const costs = new Map(names.map((name) => [name, [] as Cost[]]));
  for (const size of sizes) {
    process.stderr.write(`${size} ${grows}\n`);
    const directory = mkdtempSync(join(tmpdir(), "perf-gate-bench-"));
    try {
      await make(directory, size);
      for (const name of names) costs.get(name)?.push(cost(kind, name, directory));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  return names.map((name) => {
    const own = costs.get(name) ?? [];
    return [
      name,
      `${sizes.join(", ")} ${grows}`,
      own.map(({ ms }) => (ms < 10 ? ms.toFixed(1) : Math.round(ms))).join(", "),
      growth(
        sizes,
        own.map(({ ms }) => ms),
      ),
      own.map(({ peakBytes }) => Math.round(peakBytes / 1e6)).join(", "),
      growth(
        sizes,
        own.map(({ peakBytes, programBytes }) => peakBytes - programBytes),
      ),
    ];
  });
}

/** Exponent over all sizes, and over the last two: what is constant hides the growth between the first ones. */
function growth(sizes: readonly number[], values: readonly number[]): string {
  const all = growthExponent(sizes, values);
  return `${all.toFixed(2)}, ${growthExponent(sizes.slice(-2), values.slice(-2)).toFixed(2)}`;
}

const [kind, name, directory] = process.argv.slice(2);
if (kind === "run" || kind === "history") {
  const step = STEPS[kind][name ?? ""];
  if (step === undefined || directory === undefined) throw new Error(`no step ${kind} ${name}`);
  process.stdout.write(JSON.stringify(await once(step, directory)));
} else {
  const table = markdownTable([
    ["step", "grows", "time, ms", "exponent: all, last", "peak memory, MB", "exponent: all, last"],
    ...(await rows("run", `cells, ${DEFAULT_ROUNDS} rounds`, CELLS, (path, cells) =>
      makeRun(path, cells, DEFAULT_ROUNDS),
    )),
    ...(await rows("run", `rounds, ${USUAL_CELLS} cells`, ROUNDS, (path, rounds) =>
      makeRun(path, USUAL_CELLS, rounds),
    )),
    ...(await rows("history", `records, ${RECORDED_CELLS.length} cells`, RECORDS, makeHistory)),
  ]);
  process.stdout.write(`${table}\n\n`);
  process.stdout.write(
    `Medians of ${REPEATS} processes. Exponent e: the figure grows as the size to the power of e (least squares through the\n` +
      "logarithms; of the memory what lies above the program's own), over all sizes and over the last two.\n",
  );
}

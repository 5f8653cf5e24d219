import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ChangePoint, type Trend, trendOf } from "../core/change-points.ts";
import { InputError } from "../core/errors.ts";
import { nightsOf } from "../core/nights.ts";
import type { HistoryRecord } from "../core/record.ts";
import type { Store } from "../history/store.ts";
import { oneLine } from "../report/escape.ts";
import { cellsOf, nightsSentence, renderTrend, type TrendInput, trendHeadline } from "../report/trend.ts";
import { trendChart } from "../report/trend-chart.ts";
import { storeOf } from "./baseline.ts";
import { drawWith } from "./charts.ts";
import { DEFAULT_WORK_DIRECTORY, type Env } from "./work-directory.ts";

/** trend.json */
export interface TrendFile {
  version: 1;
  branch: string;
  store: string;
  /** ISO 8601, UTC; nights are counted up to this. */
  today: string;
  records: number;
  changePoints: ChangePoint[];
  /** UTC dates without a record where one was to be expected, at most a year back. */
  missingNights: string[];
  daysSinceLast: number | null;
  /** The headline, and what is to be said of missing nights ("" = nothing). */
  headline: string;
  silence: string;
}

export interface TrendOptions {
  store: Store;
  /** null = the one with the most records. */
  branch: string | null;
  /** Where the page is written. */
  output: string;
}

/**
 * The trend phase: OUTPUT/index.html, OUTPUT/trend.json and OUTPUT/charts/*.svg from the records of one branch. A
 * branch without records has a page that says so.
 *
 * @param now ISO 8601, UTC
 * @returns trend.json, the records of the branch, and why charts are missing, or null
 * @throws InputError where the store is damaged, or OUTPUT cannot be written
 */
export async function trendPhase(
  { store, branch: wanted, output }: TrendOptions,
  home: string,
  env: Env,
  now: string,
): Promise<{ file: TrendFile; records: HistoryRecord[]; chartsNote: string | null }> {
  const { records } = await store.read();
  const branches = branchesOf(records);
  const branch = wanted ?? branches[0] ?? "main";
  const own = records.filter((record) => record.branch === branch);
  const trend = trendOf(own);
  const nights = nightsOf(
    own.map(({ recordedAt }) => recordedAt),
    now,
  );
  const others = branches.filter((name) => name !== branch);
  const input = { branch, others, store: store.label, trend, nights, repository: repositoryOf(env) };
  const file = trendFile(input, own.length, now);
  const directory = resolve(output);
  return guarded(directory, () => {
    mkdirSync(directory, { recursive: true });
    const { slugs, note } = drawCharts(trend, directory, home);
    writeFileSync(join(directory, "index.html"), renderTrend(input, slugs));
    writeFileSync(join(directory, "trend.json"), `${JSON.stringify(file, null, 2)}\n`);
    return { file, records: own, chartsNote: note };
  });
}

/** `perf-gate trend`: the page of the configuration's store, by default below the work directory. */
export async function trendCommand(
  { store: name, branch, output }: { store?: string; branch?: string; output?: string },
  home: string,
  env: Env,
  now: string,
): Promise<{ file: TrendFile; text: string; chartsNote: string | null }> {
  const store = await storeOf(name === undefined ? {} : { store: name });
  const directory = output ?? join(DEFAULT_WORK_DIRECTORY, "trend");
  if (output === undefined) {
    mkdirSync(DEFAULT_WORK_DIRECTORY, { recursive: true });
    // Inside a repository it must not make the tree look changed.
    writeFileSync(join(DEFAULT_WORK_DIRECTORY, ".gitignore"), "*\n");
  }
  const { file, chartsNote } = await trendPhase({ store, branch: branch ?? null, output: directory }, home, env, now);
  const lines = [`${oneLine(file.headline)}.`, file.silence, resolve(directory, "index.html")];
  return { file, text: lines.filter((line) => line !== "").join("\n"), chartsNote };
}

function trendFile(input: TrendInput, records: number, now: string): TrendFile {
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
    silence: nightsSentence(input.nights),
  };
}

/** The branches of the records, the one with the most first. */
function branchesOf(records: readonly HistoryRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const { branch } of records) counts.set(branch, (counts.get(branch) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([branch]) => branch);
}

/** Where commits can be looked at: the repository of the job, on GitHub. */
function repositoryOf(env: Env): string | null {
  const url = `${env["GITHUB_SERVER_URL"] ?? ""}/${env["GITHUB_REPOSITORY"] ?? ""}`;
  return /^https?:\/\/[\w.-]+(?::\d+)?\/[\w.-]+\/[\w.-]+$/.test(url) ? url : null;
}

/** Draws a chart per cell; those of an earlier run are gone. */
function drawCharts(trend: Trend, directory: string, home: string): { slugs: Set<string>; note: string | null } {
  const charts = join(directory, "charts");
  for (const name of existsSync(charts) ? readdirSync(charts) : []) {
    if (/^cell-\d+\.svg$/.test(name)) rmSync(join(charts, name));
  }
  if (existsSync(charts) && readdirSync(charts).length === 0) rmdirSync(charts);
  const cells = cellsOf(trend);
  const none = new Set<string>();
  if (cells.length === 0) return { slugs: none, note: null };
  const scratch = mkdtempSync(join(tmpdir(), "perf-gate-trend-"));
  try {
    for (const cell of cells) writeFileSync(join(scratch, `${cell.slug}.json`), JSON.stringify(trendChart(cell)));
    const note = drawWith(home, "trend.sh", [scratch, charts]);
    if (note !== null) return { slugs: none, note };
    return {
      slugs: new Set(cells.map(({ slug }) => slug).filter((slug) => existsSync(join(charts, `${slug}.svg`)))),
      note: null,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function guarded<Result>(directory: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new InputError(`--output: cannot write to ${directory} (${message}): name a folder that can be written`);
  }
}

import { stringify } from "csv-stringify/sync";
import { connectionOf } from "../core/arms.ts";
import {
  ARMS,
  type Arm,
  type CellResult,
  type CensusArm,
  type ConnectionPolicy,
  type TestMetric,
  type TestResult,
} from "../core/model.ts";
import { COUNTS } from "./census.ts";
import { visible } from "./escape.ts";
import type { ReportInput } from "./input.ts";
import { testOf } from "./view.ts";

type Field = string | number | null;
/** Column name and value, in the order of the file. */
type Fields = [name: string, value: Field][];

const JUDGED: readonly TestMetric[] = ["qps", "latency", "min-qps", "max-p99"];

/**
 * results.csv: one line per cell and arm, RFC 4180. Ratios are head/base (head/limit for absolute limits) and stand
 * on both lines of a cell; ms, requests/s, bytes, cores as the column names say. What was not measured is empty.
 * Text that a spreadsheet would take for a formula gets a leading apostrophe.
 */
export function renderCsv({ comparison, plan, census }: ReportInput): string {
  const counts = new Map(census?.scenarios.map((entry) => [entry.scenario, entry.arms]));
  const rows = comparison.cells.flatMap((result) =>
    ARMS.map((arm) => [
      ...cellFields(result, arm, connectionOf(plan, result, arm)),
      ...figureFields(result, arm),
      ...countFields(counts.get(result.cell.scenario)?.[arm]),
      ...JUDGED.flatMap((metric) => testFields(metric, testOf(result, metric))),
      ...sinceFields(result),
    ]),
  );
  const header = rows[0]?.map(([name]) => name) ?? ["scenario", "arm", "verdict"];
  return stringify([header, ...rows.map((row) => row.map(([, value]) => (value === null ? "" : String(value))))]);
}

function cellFields(result: CellResult, arm: Arm, connection: ConnectionPolicy): Fields {
  const { cell, verdict, statistic, rounds } = result;
  return [
    ["scenario", harmless(cell.scenario)],
    ["load_model", cell.model],
    ["level", cell.level],
    ["rate", result.rate],
    ["connection", connection],
    ["arm", arm],
    ["verdict", verdict],
    ["latency_statistic", statistic],
    ["rounds", rounds],
    ["slots_measured", result.slots],
    ["slots_struck", Object.values(result.struck).reduce((sum, count) => sum + count, 0)],
  ];
}

/** What a spreadsheet takes for a formula, in its full-width forms too (OWASP, "CSV Injection"). */
export function harmless(text: string): string {
  const line = visible(text);
  return /^[=+\-@＝＋－＠]/.test(line) ? `'${line}` : line;
}

function figureFields(result: CellResult, arm: Arm): Fields {
  const figures = result.figures[arm];
  const latency = figures?.latencyMs;
  return [
    ["slots_clean", figures?.slots ?? null],
    ["requests", figures?.requests ?? null],
    ["qps", figures?.qps ?? null],
    ["avg_ms", latency?.avg ?? null],
    ["p50_ms", latency?.p50 ?? null],
    ["p90_ms", latency?.p90 ?? null],
    ["p95_ms", latency?.p95 ?? null],
    ["p99_ms", latency?.p99 ?? null],
    ["max_ms", figures?.maxMs ?? null],
    ["cpu_ms_per_request", figures?.cpuMsPerRequest ?? null],
    ["cpu_peak_cores", figures?.cpuPeakCores ?? null],
    ["memory_bytes", figures?.memoryBytes ?? null],
    ["throttled_periods", figures?.throttledPeriods ?? null],
    ["time_wait", figures?.timeWait ?? null],
    ["errors", figures?.errors ?? null],
    ["failed_checks", figures?.failedChecks ?? null],
  ];
}

function countFields(census: CensusArm | undefined): Fields {
  return COUNTS.map((count) => [`${snake(count)}_per_request`, census?.counts[count]?.perRequest ?? null]);
}

function testFields(metric: TestMetric, test: TestResult | null): Fields {
  const prefix = metric.replace("-", "_");
  return [
    [`${prefix}_ratio`, test?.estimate?.ratio ?? null],
    [`${prefix}_ratio_low`, test?.estimate?.low ?? null],
    [`${prefix}_ratio_high`, test?.estimate?.high ?? null],
    [`${prefix}_line`, test?.line ?? null],
    [`${prefix}_limit`, test?.limit ?? null],
    [`${prefix}_p`, test?.p ?? null],
    [`${prefix}_verdict`, test?.verdict ?? null],
    [`${prefix}_confirmation`, test?.confirmation ?? null],
  ];
}

/** Head against the anchor; no columns where the base was measured. */
function sinceFields({ since }: CellResult): Fields {
  if (since === undefined) return [];
  return (["qps", "latency"] as const).flatMap((metric): Fields => {
    const estimate = since?.[metric] ?? null;
    return [
      [`since_${metric}_ratio`, estimate?.ratio ?? null],
      [`since_${metric}_low`, estimate?.low ?? null],
      [`since_${metric}_high`, estimate?.high ?? null],
    ];
  });
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

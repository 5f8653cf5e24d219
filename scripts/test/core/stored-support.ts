import { compare } from "../../src/core/compare.ts";
import type {
  Census,
  Comparison,
  Environment,
  History,
  Plan,
  SampleLine,
  SlotSample,
  StoredBase,
} from "../../src/core/model.ts";
import { buildPlan, cellsOf } from "../../src/core/plan.ts";
import { type HistoryRecord, recordId, recordOf, suiteOf } from "../../src/core/record.ts";
import { RECORD_ROUNDS } from "../../src/core/replay.ts";
import { sha256 } from "../../src/phases/work-directory.ts";
import { blocks, censusOf, environmentOf, planOf } from "./support.ts";

export const ANCHOR = { label: "v1.4.0", id: "a".repeat(40) };
export const COMMIT = "c".repeat(40);

/** A plan that is compared with records of main. */
export function storedPlan(yaml: string): Plan & { stored: StoredBase } {
  const plan = planOf(yaml);
  const suites = cellsOf(plan.config).map((cell) => {
    const scenario = plan.config.scenarios.find(({ name }) => name === cell.scenario);
    if (scenario === undefined) throw new Error(cell.id);
    return [cell.id, suiteOf(cell, scenario, null, sha256)] as const;
  });
  const { version: _, id: __, cells: ___, ...rest } = plan;
  const stored = {
    anchor: ANCHOR,
    store: "git:perf-gate-data of origin",
    branch: "main",
    suites: Object.fromEntries(suites),
  };
  return { ...buildPlan({ ...rest, stored }, sha256), stored };
}

/** The same with a measured base, and the records beside it. */
export function besideOf({ stored, ...plan }: Plan & { stored: StoredBase }): Plan {
  const { version: _, id: __, cells: ___, ...rest } = plan;
  const { store, branch, suites } = stored;
  return buildPlan({ ...rest, beside: { store, branch, suites } }, sha256);
}

export interface Made {
  ratio?: (cell: string) => number;
  seed?: number;
  rounds?: number;
  day?: number;
  change?: (sample: SlotSample) => Partial<SlotSample>;
}

export function linesOf(plan: Plan, { ratio = () => 1, seed = 1, rounds = RECORD_ROUNDS, change }: Made): SampleLine[] {
  return blocks(plan, { blocks: rounds, ratio, seed, ...(change && { change }) });
}

export const onDay = (plan: Plan, day: number): Environment => ({
  ...environmentOf(plan),
  startedAt: `2026-11-${String(day).padStart(2, "0")}T02:00:00.000Z`,
});

export function recordFor(plan: Plan, made: Made = {}, over: Partial<HistoryRecord> = {}): HistoryRecord {
  const run = {
    plan,
    environment: onDay(plan, made.day ?? 1),
    census: censusOf(plan),
    lines: linesOf(plan, made),
  };
  const facts = { commit: COMMIT, committedAt: null, branch: "main", url: null };
  const record = { ...recordOf(run, facts, sha256), ...over };
  return { ...record, id: recordId(record, sha256) };
}

/** So many records, one a day, each of its own seed. */
export const records = (plan: Plan, count: number, made: Made = {}): HistoryRecord[] =>
  Array.from({ length: count }, (_, i) => recordFor(plan, { ...made, seed: 100 + i, day: i + 1 }));

export function judged(
  plan: Plan,
  history: HistoryRecord[] | null,
  made: Made = {},
  { census = censusOf(plan), environment = onDay(plan, 30) }: { census?: Census; environment?: Environment } = {},
): Comparison {
  const kept: History | null = history && {
    version: 1,
    planId: plan.id,
    missing: history.length === 0,
    records: history,
  };
  return compare({ plan, census, environment, lines: linesOf(plan, { seed: 5, ...made }), history: kept, damaged: [] });
}

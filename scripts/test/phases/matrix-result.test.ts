import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { MatrixResult } from "../../src/core/matrix.ts";
import type { Plan, SampleLine } from "../../src/core/model.ts";
import type { MatrixRun, PlannedMatrix } from "../../src/phases/matrix.ts";
import { matrixResult } from "../../src/phases/matrix-result.ts";
import { SampleLog } from "../../src/phases/sample-log.ts";
import { WorkDirectory } from "../../src/phases/work-directory.ts";
import { blocks, censusOf, environmentOf, planOf } from "../core/support.ts";

const ROUNDS = 8;
const CELL = "page @20";
const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

/** A matrix with these points, whose runs hold these lines. */
function resultOf(names: string[], lines: (plan: Plan, index: number) => SampleLine[]): MatrixResult {
  const plan = planOf("scenarios: [{ name: page, path: /, levels: [20] }]\n");
  const plans = names.slice(names.length > 1 ? 1 : 0).map(() => plan);
  const runs = plans.map((own, index): MatrixRun => {
    const directory = mkdtempSync(join(tmpdir(), "perf-gate-result-"));
    directories.push(directory);
    const work = new WorkDirectory(directory);
    work.begin();
    work.writeJson("plan", own);
    work.writeJson("environment", environmentOf(own));
    work.writeJson("census", censusOf(own));
    new SampleLog(work, own, []).add(lines(own, index));
    return { plan: own, work };
  });
  const points = names.map((name) => ({
    name,
    levels: { factor: name },
    variant: { env: {}, php: {}, links: {} },
  }));
  const planned: PlannedMatrix = { points, plans, rounds: ROUNDS, design: "full", timings: true, tree: plan.arms.base };
  return matrixResult(planned, runs, { startedAt: "2026-01-02T03:04:05.678Z", interrupted: false, wallSeconds: 60 });
}

test("a point has the head of its run; the reference has the bases of all", () => {
  const ratios = [2, 0.5];
  const { points, effects } = resultOf(["a", "b", "c"], (plan, index) =>
    blocks(plan, {
      blocks: ROUNDS,
      seed: index + 1,
      ratio: () => ratios[index] as number,
      change: ({ arm, qps }) => (arm === "base" ? { qps: qps * (index + 1) } : {}),
    }),
  );
  const cells = points.map((point) => point.cells[0]);
  expect(points.map(({ directory }) => directory)).toEqual([null, "points/1", "points/2"]);
  expect(cells.map((cell) => cell?.rounds)).toEqual([2 * ROUNDS, ROUNDS, ROUNDS]);
  expect(cells.map((cell) => cell?.figures?.slots)).toEqual([2 * ROUNDS, ROUNDS, ROUNDS]);
  // Half of the bases answer 2,000/s and half 4,000: the median of all slots lies between.
  expect(cells[0]?.figures?.qps).toBe(3000);
  expect(cells[0]?.qps).toBeNull();
  expect(cells[1]?.qps?.ratio).toBeCloseTo(2, 1);
  expect(cells[2]?.qps?.ratio).toBeCloseTo(0.25, 2);
  expect(cells[1]?.latency?.ratio).toBeCloseTo(0.5, 1);
  expect(cells.map((cell) => cell?.why)).toEqual([null, null, null]);
  expect(cells[1]?.phasesMs).toEqual({ connect: 0, tls: 0, wait: 4, receive: 0.1 });
  expect(cells[1]?.counts).toMatchObject({ sqlStatements: 1, dbConnections: 0 });
  // With one factor the points say it all.
  expect(effects).toEqual([]);
});

test("of a single point both arms are it", () => {
  const { points } = resultOf(["as configured"], (plan) => blocks(plan, { blocks: ROUNDS, ratio: () => 1 }));
  expect(points).toHaveLength(1);
  expect(points[0]).toMatchObject({ directory: "points/1" });
  expect(points[0]?.cells[0]).toMatchObject({ rounds: ROUNDS, figures: { slots: 2 * ROUNDS }, qps: null });
});

test("what was struck or given up says why", () => {
  const { points } = resultOf(["a", "b", "c"], (plan, index) => [
    ...blocks(plan, {
      blocks: ROUNDS,
      ratio: () => 1,
      change: ({ arm, block }) => (index === 0 && arm === "head" && block < 3 ? { events: ["k6-died"] } : {}),
    }),
    ...(index === 0 ? [] : [{ kind: "stop" as const, reason: "failed" as const, detail: "it died", wallSeconds: 1 }]),
  ]);
  const [reference, struck, failed] = points.map((point) => point.cells[0]);
  expect(reference).toMatchObject({ cell: { id: CELL }, rounds: 2 * ROUNDS - 3, why: null });
  expect(struck).toMatchObject({ rounds: ROUNDS - 3, struck: 3, why: "k6-died struck 3 slots" });
  expect(failed).toMatchObject({ rounds: ROUNDS, why: "it died" });
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Comparison } from "../../src/core/model.ts";
import { afterPilot } from "../../src/core/plan.ts";
import { runBlock, runPilot } from "../../src/measure/block.ts";
import { takeCensus } from "../../src/measure/census.ts";
import { BARE, home, startRig, TARGET } from "./rig.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function rigOf(scenarios: string, target = BARE) {
  const rig = await startRig(target + scenarios);
  cleanups.push(() => rig.close());
  return rig;
}

test("both example flows log in, pass their checks, and are counted per iteration", async () => {
  const flows = `scenarios:
    - { name: account, flow: ${join(home, "k6/flows/login.js")}, levels: [4] }
    - { name: browse, flow: ${join(home, "k6/flows/browse.js")}, levels: [4] }`;
  const rig = await rigOf(flows, TARGET);
  const census = await takeCensus(rig, () => {});
  // An account page is one query; what the login in setup costs is not part of an iteration.
  for (const arm of ["base", "head"] as const) {
    const account = census.scenarios[0]?.arms[arm];
    expect(account?.failedShare).toBe(0);
    expect(account?.counts.sqlStatements).toEqual({ perRequest: 1, min: 1, max: 1, exact: true });
    expect(census.scenarios[1]?.arms[arm].failedShare).toBe(0);
  }
  const cells = rig.plan.cells.map((cell) => ({
    ...afterPilot(rig.plan, cell, 1000, 10),
    slotSeconds: 1,
    turnSeconds: 1,
  }));
  const { samples } = await runBlock(rig, cells, "main", 0);
  expect(samples).toHaveLength(4);
  for (const sample of samples) {
    expect(sample).toMatchObject({ errors: 0, failedChecks: 0 });
    expect(sample.requests).toBeGreaterThan(4);
  }
});

test("an open slot keeps its arrival rate; a ramp is judged on its plateau; the pilot drives both closed", async () => {
  const rig = await rigOf(`scenarios:
    - { name: open, path: /health, model: open, rate: 100 }
    - { name: ramp, path: /health, model: ramp, stages: [{ duration: 1s, target: 4 }, { duration: 2s, target: 4 }] }`);
  const pilot = await runPilot(rig);
  expect(pilot.map(({ cell }) => cell.id)).toEqual(["open @100/s", "ramp @4"]);
  // Far beyond the open cell's 100/s.
  for (const { qps } of pilot) expect(qps).toBeGreaterThan(150);

  const cells = pilot.map(({ cell, qps, p99Ms }) => afterPilot(rig.plan, cell, qps, p99Ms));
  expect(cells.map(({ slotSeconds }) => slotSeconds)).toEqual([2, 3]);
  const { samples } = await runBlock(rig, cells, "main", 0);
  for (const sample of samples) {
    expect(sample.seconds).toBe(2);
    // A closed loop is far beyond 100/s: the ramp's first second, were it counted, would show as three seconds' worth.
    if (!sample.cell.startsWith("open")) {
      expect(sample.qps).toBeGreaterThan(150);
      continue;
    }
    // 2 s at 100/s; what a busy machine does not begin before their end never begins.
    const begun = sample.requests + sample.droppedIterations;
    expect(begun).toBeLessThanOrEqual(204);
    expect(begun).toBeGreaterThan(150);
  }
});

test("what already runs is compared by its addresses", async () => {
  const { target } = await rigOf("scenarios: [{ name: health, path: /health }]");
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-url-"));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const config = `target: { driver: url, health: /health, url: { base: "${target.url("base")}", head: "${target.url("head")}" } }
scenarios: [{ name: health, path: /health, levels: [4] }]
measure: { slot: 1s, warm-up: 1s, rounds: 6, max-foreign-cpu: off }
`;
  writeFileSync(join(directory, "perf-gate.yml"), config);
  const run = spawnSync(join(home, "scripts/perf-gate"), ["run"], {
    cwd: directory,
    encoding: "utf8",
  });
  expect(run.stderr).toContain("driver     url");
  expect(run.status).toBe(0);
  const comparison = JSON.parse(readFileSync(join(directory, ".perf-gate/comparison.json"), "utf8")) as Comparison;
  expect(comparison.blocks).toBeGreaterThan(0);
  expect(["inconclusive", "pass"]).toContain(comparison.verdict); // 6 rounds may be too few
  expect(comparison.cells[0]?.figures.base?.cpuMsPerRequest).toBe(null);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { compare } from "../../src/core/compare.ts";
import { afterPilot, buildPlan } from "../../src/core/plan.ts";
import { failureShare } from "../../src/core/validity.ts";
import { runBlock, runPilot } from "../../src/measure/block.ts";
import { takeCensus } from "../../src/measure/census.ts";
import { findK6 } from "../../src/measure/k6.ts";
import { layoutFor } from "../../src/phases/machine.ts";
import { referenceAnchor } from "../../src/phases/reference.ts";
import { sha256, WorkDirectory } from "../../src/phases/work-directory.ts";
import { startTarget } from "../../src/target/start.ts";
import { home } from "./rig.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** No MySQL, no Redis, answers its own host alone. */
const SERVICE = `<?php
if ($_SERVER['HTTP_HOST'] !== 'shop.test' || getenv('MYSQL_HOST') !== false) http_response_code(500);
usleep(strtok($_SERVER['REQUEST_URI'], '?') === '/slow' ? 50000 : 0);
echo 'served';
`;
const FLOW = `import http from "k6/http";
export default (target) => { http.get(target.url + "/in-a-flow", { headers: target.headers }); };
`;
const CONFIG = `target: { driver: process, host: shop.test, health: /, php: { workers: 2 } }
scenarios:
  - { name: quick, path: /, connection: close, levels: [4], checks: { body-contains: served } }
  - { name: slow, path: /slow, levels: [2] }
  - { name: open, path: /, model: open, rate: auto }
  - { name: flow, flow: flow.js, levels: [2] }
measure: { slot: 2s, warm-up: 1s }
`;

test("a small service beside the reference application: each answers what it is asked", async () => {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-reference-"));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const head = join(directory, "head");
  mkdirSync(head);
  for (const [name, text] of Object.entries({ "index.php": SERVICE, "flow.js": FLOW, "perf-gate.yml": CONFIG })) {
    writeFileSync(join(head, name), text);
  }
  const work = new WorkDirectory(join(directory, "work"));
  const reference = await referenceAnchor(home);
  const { config } = await loadConfig(null, head);
  const plan = buildPlan(
    {
      seed: 1,
      arms: { base: reference.source, head: { ...reference.source, label: "service", directory: head } },
      sameSource: false,
      driver: "process",
      config,
      own: { base: reference.own(config.target) },
      layout: layoutFor("auto"),
    },
    sha256,
  );
  const { signal } = new AbortController();
  const target = await startTarget({ plan, home, workDirectory: work.path, progress: () => {}, signal });
  cleanups.push(() => target.close());
  const rig = { plan, target, k6: await findK6(), home, stateDirectory: work.directory("k6"), signal };

  const census = await takeCensus(rig, () => {});
  for (const { scenario, arms } of census.scenarios) {
    expect([arms.base.failedShare, arms.head.failedShare], scenario).toEqual([0, 0]);
    expect(arms.base.counts.sqlStatements?.perRequest, scenario).toBe(5);
    expect(arms.head.counts.sqlStatements?.perRequest, scenario).toBe(0);
  }

  const pilot = await runPilot(rig);
  const slow = pilot.find(({ cell }) => cell.scenario === "slow");
  // Two VUs and 50 ms: the reference application answers far more than 40/s.
  expect(slow?.qps).toBeGreaterThan(10);
  expect(slow?.qps).toBeLessThanOrEqual(41);
  expect(slow?.p99Ms).toBeGreaterThan(49);
  const cells = pilot.map(({ cell, qps, p99Ms }) => afterPilot(plan, cell, qps, p99Ms));

  const lines = [];
  for (const block of [0, 1]) {
    const { samples } = await runBlock(rig, cells, "main", block);
    expect(samples).toHaveLength(8);
    for (const sample of samples) {
      expect(failureShare(sample), `${sample.cell} ${sample.arm}`).toBe(0);
      expect(sample.requests).toBeGreaterThan(20);
      expect(sample.events).toEqual([]);
    }
    // Its own process answers, and each spends CPU time of its own.
    for (const arm of ["base", "head"] as const) expect(target.usage(arm)?.cpuSeconds).toBeGreaterThan(0);
    lines.push(...samples);
  }
  const slowSlots = lines.filter(({ cell }) => cell.startsWith("slow"));
  const most = (arm: string) => Math.max(...slowSlots.filter((slot) => slot.arm === arm).map(({ qps }) => qps));
  expect(most("base")).toBeGreaterThan(2 * most("head"));

  // What a busy machine took from a slot is no part of this.
  const undisturbed = lines.map((line) => ({ ...line, witness: null, portErrors: 0, droppedIterations: 0 }));
  const comparison = compare({ plan, census, environment: null, lines: undisturbed, damaged: [] });
  expect(comparison.census).toEqual([]);
  for (const { cell, rounds, figures } of comparison.cells) {
    expect(rounds, cell.id).toBe(2);
    expect(figures.base?.qps, cell.id).toBeGreaterThan(0);
  }
}, 240_000);

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { SlotSample } from "../../src/core/model.ts";
import { afterPilot } from "../../src/core/plan.ts";
import { SLOWEST } from "../../src/core/slowest.ts";
import { runBlock } from "../../src/measure/block.ts";
import { takeCensus } from "../../src/measure/census.ts";
import { BARE, home, startRig, TARGET } from "./rig.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** What the reference application logs: trace id -> ms, of all that it did so far. */
type Log = () => Map<string, number>;

/** One block of the scenarios, on a service that logs the traces it sees. */
async function measured(
  scenarios: string,
  trace: boolean,
  target = TARGET,
): Promise<{ samples: SlotSample[]; log: Log }> {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-trace-"));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "trace.log");
  const rig = await startRig(`${target}  env: { APP_TRACE_LOG: "${file}" }
scenarios:
${scenarios}
measure: { slot: 1s, warm-up: 1s, trace: ${trace} }
`);
  cleanups.push(() => rig.close());
  await takeCensus(rig, () => {});
  // What is counted costs the same, traced or not.
  expect(existsSync(file)).toBe(false);
  const cells = rig.plan.cells.map((cell) => {
    const settled = afterPilot(rig.plan, cell, 1000, 10);
    return cell.model === "closed" ? { ...settled, turnSeconds: 0.25 } : settled;
  });
  const { samples } = await runBlock(rig, cells, "main", 0);
  const log = () => {
    const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
    return new Map(lines.map((line) => [line.slice(0, 32), Number(line.split(" ")[1])]));
  };
  return { samples, log };
}

test("of each model the slowest requests of every VU are told, and the service has seen their traces", async () => {
  const { samples, log } = await measured(
    `  - { name: closed, path: /query, levels: [1, 8] }
  - { name: checked, path: /query, levels: [4], checks: { body-contains: Item } }
  - { name: open, path: /health, model: open, rate: 100 }
  - { name: ramp, path: /health, model: ramp, stages: [{ duration: 1s, target: 4 }, { duration: 1s, target: 4 }] }`,
    true,
  );
  expect(samples).toHaveLength(10);
  const seen = log();
  const ids = new Set<string>();
  for (const { cell, arm, requests, latencyMs, errors, slowest = [] } of samples) {
    const where = `${cell} ${arm}`;
    expect(errors, where).toBe(0);
    expect(requests, where).toBeGreaterThan(SLOWEST);
    expect(slowest, where).toHaveLength(SLOWEST);
    // Of all VUs, none is missing: k6's own maximum is the first of them.
    expect(slowest[0]?.ms, where).toBe(latencyMs?.max);
    expect(slowest, where).toEqual([...slowest].sort((a, b) => b.ms - a.ms));
    for (const { ms, traceId } of slowest) {
      expect(seen.get(traceId), `${where} ${traceId}`).toBeLessThan(ms);
      ids.add(traceId);
    }
  }
  expect(ids.size).toBe(samples.length * SLOWEST);
  // Every request is traced, not only those: warm-ups too.
  expect(seen.size).toBeGreaterThan(samples.reduce((sum, { requests }) => sum + requests, 0));
});

test("of a flow an iteration is one trace", async () => {
  const flow = join(home, "k6/flows/browse.js");
  const { samples, log } = await measured(`  - { name: browse, flow: ${flow}, levels: [2] }`, true);
  const seen = log();
  expect(samples).toHaveLength(2);
  for (const { latencyMs, slowest = [] } of samples) {
    expect(slowest).toHaveLength(SLOWEST);
    // Three requests, the slowest of which is one of some iteration.
    expect(slowest[0]?.ms).toBeGreaterThanOrEqual(Math.floor(latencyMs?.max ?? 0));
    for (const { traceId } of slowest) expect(seen.has(traceId)).toBe(true);
  }
});

test("nothing is traced where that is not asked for", async () => {
  const { samples, log } = await measured("  - { name: closed, path: /health, levels: [2] }", false, BARE);
  for (const sample of samples) {
    expect(sample.requests).toBeGreaterThan(SLOWEST);
    expect(sample).not.toHaveProperty("slowest");
  }
  expect(log().size).toBe(0);
});

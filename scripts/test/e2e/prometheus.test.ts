import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import getPort from "get-port";
import { afterEach, describe, expect, test, vi } from "vitest";
import { afterPilot } from "../../src/core/plan.ts";
import { type BlockResult, runBlock } from "../../src/measure/block.ts";
import { findProgram } from "../../src/target/programs.ts";
import { waitFor } from "../../src/target/wait.ts";
import { BARE, startRig } from "./rig.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Block 3 of two cells, sent to what takes remote writes at `url`. */
async function sentBlock(url: string): Promise<BlockResult> {
  vi.stubEnv("K6_PROMETHEUS_RW_SERVER_URL", `${url}/api/v1/write`);
  vi.stubEnv("K6_PROMETHEUS_RW_TREND_STATS", "count,max");
  const rig = await startRig(`${BARE}scenarios:
  - { name: closed, path: /health, levels: [4] }
  - { name: open, path: /health, model: open, rate: 50 }
measure: { slot: 1s, warm-up: 1s, outputs: experimental-prometheus-rw }
`);
  cleanups.push(() => rig.close());
  const cells = rig.plan.cells.map((cell) => {
    const settled = afterPilot(rig.plan, cell, 1000, 10);
    return cell.model === "closed" ? { ...settled, turnSeconds: 0.25 } : settled;
  });
  return runBlock(rig, cells, "main", 3);
}

const program = findProgram("prometheus");

describe.skipIf(program === null)(`Prometheus${program === null ? " (not installed: prometheus)" : ""}`, () => {
  /** Its address, once it is ready. */
  async function startPrometheus(): Promise<string> {
    const directory = mkdtempSync(join(tmpdir(), "perf-gate-prometheus-"));
    const config = join(directory, "prometheus.yml");
    writeFileSync(config, "scrape_configs: []\n");
    const address = `127.0.0.1:${await getPort()}`;
    const storage = ["--storage.tsdb.path", join(directory, "data"), "--web.listen-address", address];
    const server = spawn(program ?? "", ["--config.file", config, "--web.enable-remote-write-receiver", ...storage], {
      stdio: "ignore",
    });
    cleanups.push(async () => {
      if (server.exitCode === null) {
        server.kill("SIGKILL");
        await once(server, "exit");
      }
      rmSync(directory, { recursive: true, force: true });
    });
    const ready = () =>
      fetch(`http://${address}/-/ready`).then(
        ({ ok }) => ok || null,
        () => null,
      );
    const { signal } = new AbortController();
    expect(await waitFor(ready, { everyMs: 100, timeoutMs: 60_000, signal })).toBe(true);
    return `http://${address}`;
  }

  interface Series {
    metric: Record<string, string>;
    value: [at: number, value: string];
  }

  async function ask(url: string, query: string): Promise<Series[]> {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data } = (await response.json()) as { data: { result: Series[] } };
    return data.result;
  }

  test("holds every request of a block under its arm, cell and round", async () => {
    const url = await startPrometheus();
    const { samples, outputFailed } = await sentBlock(url);
    expect(outputFailed).toBe(false);
    const key = (of: Record<string, string>) => `${of["cell"]} ${of["arm"]} in round ${of["round"]}`;
    const requests = await ask(url, 'sum by (arm, cell, round) (k6_http_reqs_total{cell!=""})');
    const found = Object.fromEntries(requests.map(({ metric, value }) => [key(metric), Number(value[1])]));
    const measured = samples.map(({ cell, arm, requests }) => [key({ cell, arm, round: "3" }), requests] as const);
    expect(measured).toHaveLength(4);
    expect(found).toEqual(Object.fromEntries(measured));

    const slowest = await ask(url, 'max by (arm, cell, round) (k6_http_req_duration_max{cell!=""})');
    expect(slowest).toHaveLength(4);
    for (const { metric, value } of slowest) {
      const sample = samples.find(({ cell, arm }) => key({ cell, arm, round: "3" }) === key(metric));
      // In seconds.
      expect(Number(value[1]) * 1000).toBeCloseTo(sample?.latencyMs?.max ?? 0, 3);
    }
  });
});

test("what nobody takes is told, and the block is measured all the same", async () => {
  const { samples, outputFailed } = await sentBlock(`http://127.0.0.1:${await getPort()}`);
  expect(outputFailed).toBe(true);
  expect(samples).toHaveLength(4);
  for (const { requests, events } of samples) {
    expect(requests).toBeGreaterThan(20);
    expect(events).toEqual([]);
  }
});

test("without `measure.outputs` k6 sends nothing, whatever the environment says", async () => {
  vi.stubEnv("K6_PROMETHEUS_RW_SERVER_URL", `http://127.0.0.1:${await getPort()}/api/v1/write`);
  const rig = await startRig(`${BARE}scenarios: [{ name: closed, path: /health, levels: [2] }]\n`);
  cleanups.push(() => rig.close());
  const cells = rig.plan.cells.map((cell) => afterPilot(rig.plan, cell, 1000, 10));
  expect((await runBlock(rig, cells, "main", 0)).outputFailed).toBe(false);
  const spec = JSON.parse(readFileSync(join(rig.stateDirectory, "block.json"), "utf8"));
  expect(spec).not.toHaveProperty("outputs");
  expect(spec).not.toHaveProperty("trace");
  for (const slot of spec.slots) expect(slot).not.toHaveProperty("tags");
});

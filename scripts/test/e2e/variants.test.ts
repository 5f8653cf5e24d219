import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { SlotSample } from "../../src/core/model.ts";
import { afterPilot } from "../../src/core/plan.ts";
import { failureShare } from "../../src/core/validity.ts";
import { runBlock, runPilot } from "../../src/measure/block.ts";
import { takeCensus } from "../../src/measure/census.ts";
import { findK6 } from "../../src/measure/k6.ts";
import { planPhase } from "../../src/phases/plan.ts";
import { WorkDirectory } from "../../src/phases/work-directory.ts";
import { startTarget } from "../../src/target/start.ts";
import { home } from "./rig.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Says how it was started, and answers as many bytes as it is asked for. */
const SERVICE = `<?php
if ($_SERVER['REQUEST_URI'] === '/how') exit(getenv('COLOUR') . ' ' . ini_get('precision'));
echo str_repeat('a', (int) $_GET['size']);
`;
const CONFIG = `target: { driver: process, health: /how, env: { COLOUR: grey }, php: { workers: 2 } }
scenarios: [{ name: page, path: "/?size=10", levels: [2] }]
measure: { slot: 1s, warm-up: 1s }
variants:
  small: { connection: close, php: { opcache: false } }
  large: { query: size=5000, env: { COLOUR: red }, php: { workers: 3, ini: { precision: 7 } } }
`;

test("two variants of one tree: each is started and asked in its own way", async () => {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-variants-"));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "index.php"), SERVICE);
  writeFileSync(join(directory, "perf-gate.yml"), CONFIG);
  const work = new WorkDirectory(join(directory, ".perf-gate"));
  const cwd = process.cwd();
  process.chdir(directory);
  const plan = await planPhase({ home, base: "variant=small", head: "variant=large" }, work, () => {}, {});
  process.chdir(cwd);
  const { signal } = new AbortController();
  const target = await startTarget({ plan, home, workDirectory: work.path, progress: () => {}, signal });
  cleanups.push(() => target.close());
  const rig = { plan, target, k6: await findK6(), home, stateDirectory: work.directory("k6"), signal };

  const how = async (arm: "base" | "head") => (await fetch(`${target.url(arm)}/how`)).text();
  expect([await how("base"), await how("head")]).toEqual(["grey 14", "red 7"]);
  expect(await target.php("base")).toMatchObject({ workers: 2, opcache: false });
  expect(await target.php("head")).toMatchObject({ workers: 3, opcache: true });

  const [counted] = (await takeCensus(rig, () => {})).scenarios;
  expect(counted?.arms.base).toMatchObject({ failedShare: 0, counts: { responseBytes: { perRequest: 10 } } });
  expect(counted?.arms.head).toMatchObject({ failedShare: 0, counts: { responseBytes: { perRequest: 5000 } } });

  const cells = (await runPilot(rig)).map(({ cell, qps, p99Ms }) => afterPilot(plan, cell, qps, p99Ms));
  const { samples } = await runBlock(rig, cells, "main", 0);
  const [base, head] = (["base", "head"] as const).map((name) => samples.find(({ arm }) => arm === name)) as [
    SlotSample,
    SlotSample,
  ];
  for (const sample of [base, head]) {
    expect(failureShare(sample), sample.arm).toBe(0);
    expect(sample.requests, sample.arm).toBeGreaterThan(20);
  }
  // A connection per request takes its time in each; one that is kept, in the first of its VU alone.
  expect(base.phasesMs.connect).toBeGreaterThan(10 * head.phasesMs.connect);
  const bytes = (sample: SlotSample) => sample.bytesReceived / sample.requests;
  expect(bytes(head)).toBeGreaterThan(5000);
  expect(bytes(base)).toBeLessThan(1000);
}, 120_000);

/** What SERVICE answers, from a server that stays: told apart by where its figures come from. */
const SERVER = `require("node:http").createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  response.end(pathname === "/how" ? "resident " + process.env.COLOUR : "a".repeat(searchParams.get("size")));
}).listen(process.env.PORT, "127.0.0.1");
`;

test("php-fpm beside a server that stays, of the same tree: each is restarted, counted and put under load", async () => {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-variants-"));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "index.php"), SERVICE);
  writeFileSync(join(directory, "server.cjs"), SERVER);
  writeFileSync(
    join(directory, "perf-gate.yml"),
    `${CONFIG}  resident: { start: exec node server.cjs, php: { workers: 3 } }\n`,
  );
  const work = new WorkDirectory(join(directory, ".perf-gate"));
  const cwd = process.cwd();
  process.chdir(directory);
  const plan = await planPhase({ home, head: "variant=resident" }, work, () => {}, {});
  process.chdir(cwd);
  const { signal } = new AbortController();
  const target = await startTarget({ plan, home, workDirectory: work.path, progress: () => {}, signal });
  cleanups.push(() => target.close());
  const rig = { plan, target, k6: await findK6(), home, stateDirectory: work.directory("k6"), signal };

  const how = async (arm: "base" | "head") => (await fetch(`${target.url(arm)}/how`)).text();
  const both = async () => [await how("base"), await how("head")];
  expect(await both()).toEqual(["grey 14", "resident grey"]);
  await target.restart();
  expect(await both()).toEqual(["grey 14", "resident grey"]);
  expect(await target.php("base")).toMatchObject({ workers: 2 });
  expect(await target.php("head")).toBeNull();
  expect(await target.versions()).toMatchObject({
    php: (await target.php("base"))?.version,
    nginx: expect.stringMatching(/^\d/),
  });

  const [counted] = (await takeCensus(rig, () => {})).scenarios;
  for (const arm of ["base", "head"] as const) {
    expect(counted?.arms[arm]).toMatchObject({ failedShare: 0, counts: { responseBytes: { perRequest: 10 } } });
  }
  const cells = (await runPilot(rig)).map(({ cell, qps, p99Ms }) => afterPilot(plan, cell, qps, p99Ms));
  const { samples } = await runBlock(rig, cells, "main", 0);
  expect(samples.map(({ arm }) => arm).toSorted()).toEqual(["base", "head"]);
  for (const sample of samples) {
    expect(failureShare(sample), sample.arm).toBe(0);
    expect(sample.requests, sample.arm).toBeGreaterThan(20);
    expect(sample.witness?.targetCpuSeconds, sample.arm).toBeGreaterThan(0);
  }
}, 120_000);

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { MatrixResult } from "../../src/core/matrix.ts";
import { home } from "./rig.ts";

const launcher = join(home, "scripts/perf-gate");
const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** Waits as long, and works as much, as it is told to. */
const SERVICE = `<?php
usleep((int) getenv('PAUSE'));
$work = (int) getenv('WORK');
for ($i = 0; $i < $work; $i++) $root = sqrt($i);
echo str_repeat('a', 10);
`;
const MATRIX = `target: { driver: process, health: /, php: { workers: 2 } }
scenarios: [{ name: page, path: /, levels: [1, 2] }]
measure: { slot: 1s, warm-up: 1s, max-foreign-cpu: off }
matrix:
  tree: app
  rounds: 3
  factors:
    pause: { none: {}, some: { env: { PAUSE: 5000 } } }
    connection: { kept: {}, new: { connection: close } }
`;

function setting(matrix: string): { directory: string; file: string; work: string } {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-matrix-"));
  directories.push(directory);
  const tree = join(directory, "app");
  spawnSync("mkdir", [tree]);
  writeFileSync(join(tree, "index.php"), SERVICE);
  const file = join(directory, "matrix.yml");
  writeFileSync(file, matrix);
  return { directory, file, work: join(directory, "work") };
}

const resultIn = (work: string) => JSON.parse(readFileSync(join(work, "matrix.json"), "utf8")) as MatrixResult;

test("a grid of two factors: every point beside the reference, what each factor does, tables, charts", () => {
  const { file, work } = setting(MATRIX);
  const dry = spawnSync(launcher, ["matrix", file, "--dry-run", "-w", work], { encoding: "utf8" });
  expect(dry.stderr).toBe("");
  expect(dry.stdout).toContain("4 points:");
  expect(dry.stdout).toMatch(/pause=some, connection=new +connection: keep-alive → close, env.PAUSE: not set → 5000/);
  expect(dry.stdout).toMatch(/expected {3}\d+:\d\d min: 3 rounds of each/);
  expect(existsSync(work)).toBe(false);

  const { status, stdout, stderr } = spawnSync(launcher, ["matrix", file, "-w", work], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  const { points, effects, interrupted } = resultIn(work);
  expect(interrupted).toBe(false);
  expect(points.map(({ name }) => name)).toEqual([
    "pause=none, connection=kept",
    "pause=none, connection=new",
    "pause=some, connection=kept",
    "pause=some, connection=new",
  ]);
  for (const { cells } of points) {
    expect(cells).toHaveLength(2);
    for (const { rounds, figures } of cells) {
      expect(rounds).toBeGreaterThanOrEqual(3);
      expect(figures?.requests).toBeGreaterThan(10);
    }
  }
  const [reference, , paused] = points;
  expect(reference?.cells[0]?.qps).toBeNull();
  // A request that sleeps for 5 ms answers 200 times a second at most.
  expect(paused?.cells[0]?.figures?.qps).toBeLessThan(200);
  expect(paused?.cells[0]?.qps?.high).toBeLessThan(0.6);
  const pause = effects.find(({ factor, cell }) => factor === "pause" && cell === "page @1");
  expect(pause).toMatchObject({ level: "some", reference: "none" });
  expect(pause?.qps?.high).toBeLessThan(0.6);
  expect(pause?.qps?.low).toBeLessThan(pause?.qps?.high as number);

  expect(stdout).toContain("What each factor does");
  expect(stdout).toContain("pause: none → some");
  const markdown = readFileSync(join(work, "matrix.md"), "utf8");
  expect(markdown).toContain("| pause=some, connection=new");
  expect(markdown).toContain("](charts/matrix-qps.svg)");
  expect(readdirSync(join(work, "charts")).toSorted()).toEqual(["matrix-change.svg", "matrix-qps.svg"]);
  const csv = readFileSync(join(work, "matrix.csv"), "utf8").trimEnd().split("\n");
  expect(csv).toHaveLength(1 + 4 * 2);
  expect(csv[0]).toMatch(/^point,factor_pause,factor_connection,scenario,load_model,level,rounds/);
  // Every point is a run of its own that can be looked at again.
  expect(readdirSync(join(work, "points")).toSorted()).toEqual(["1", "2", "3"]);
});

test("stages: what each adds to the one before, in CPU time and QPS", () => {
  const stages = `  design: stages
  factors:
    stage: { none: {}, one: { env: { WORK: 50000 } }, both: { env: { WORK: 100000 } } }
`;
  const { file, work } = setting(
    MATRIX.replace(/ {2}factors:[\s\S]*/, stages).replace("levels: [1, 2]", "levels: [2]"),
  );
  const { status, stdout, stderr } = spawnSync(launcher, ["matrix", file, "-w", work], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  const { design, effects, stages: found } = resultIn(work);
  expect([design, effects]).toEqual(["stages", []]);
  expect(found.map(({ stage, cell }) => `${cell} ${stage}`)).toEqual(["page @2 none", "page @2 one", "page @2 both"]);
  const [none, one, both] = found;
  expect(none).toMatchObject({ addedCpuMs: null, qps: null });
  for (const stage of [one, both]) {
    expect(stage?.addedCpuMs?.low).toBeGreaterThan(0);
    expect(stage?.qps?.high).toBeLessThan(1);
  }
  // The second does the work of the first once more.
  const [first, second] = [one?.addedCpuMs?.value ?? 0, both?.addedCpuMs?.value ?? 0];
  expect(second / first).toBeGreaterThan(0.6);
  expect(second / first).toBeLessThan(1.6);
  expect((none?.cpuMs ?? 0) + first + second).toBeCloseTo(both?.cpuMs ?? 0, 6);
  expect(stdout).toContain("What each stage adds");
  expect(readFileSync(join(work, "matrix.md"), "utf8")).toContain("](charts/matrix-stages.svg)");
});

test("an interrupted matrix reports what was measured, and the next one leaves it alone", async () => {
  const endless = MATRIX.replace("levels: [1, 2]", "levels: [2]").replace("rounds: 3", "rounds: 30");
  const { file, work } = setting(endless.replace(/ {4}connection:.*\n/, ""));
  const child = spawn(launcher, ["matrix", file, "-w", work], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  let asked = false;
  child.stderr.on("data", (chunk) => {
    said += chunk;
    // A second signal would end it at once.
    if (!asked && /^block 1 /m.test(said)) asked = child.kill("SIGINT");
  });
  const status = await new Promise((resolve) => child.once("exit", resolve));
  expect(status, said).toBe(130);
  const result = resultIn(work);
  expect(result.interrupted).toBe(true);
  expect(result.points[1]?.cells[0]?.rounds).toBeGreaterThanOrEqual(1);
  expect(result.effects).toEqual([]);
  const before = readFileSync(join(work, "points/1/samples.ndjson"), "utf8");

  writeFileSync(file, MATRIX.replace("tree: app", "tree: app/index.php"));
  const wrong = spawnSync(launcher, ["matrix", file, "-w", work], { encoding: "utf8" });
  expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining("matrix.tree: ")]);
  expect(readFileSync(join(work, "points/1/samples.ndjson"), "utf8")).toBe(before);
});

test.each([
  ["scenarios: [{ path: / }]\n", [], "matrix: a file for `perf-gate matrix` has one"],
  [MATRIX, ["--rounds", "many"], "--rounds: allowed is a whole number from 3 to 60, got"],
  [MATRIX.replace("tree: app", "tree: nowhere"), [], "matrix.tree: there is no directory"],
  [
    MATRIX.replace("env: { PAUSE: 5000 }", "resources: 1C2G"),
    [],
    "driver process: matrix.factors.pause.some.resources needs containers",
  ],
])("what cannot be measured is refused before anything starts (%#)", (matrix, options, message) => {
  const { file, work } = setting(matrix);
  const { status, stdout, stderr } = spawnSync(launcher, ["matrix", file, "-w", work, ...options], {
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
  expect(existsSync(work)).toBe(false);
});

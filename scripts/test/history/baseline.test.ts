import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type HistoryRecord, NO_ANCHOR, recordId } from "../../src/core/record.ts";
import { changeBetween, diffRecords } from "../../src/core/record-diff.ts";
import { sha256 } from "../../src/history/record-schema.ts";
import { history } from "../history-fixtures.ts";
import { outsiderScript } from "../target/outsider-script.ts";
import { EIGHT_CELLS, git, records, repositories, storeAt, temporary } from "./support.ts";

let bundle = "";
let program = "";
beforeAll(async () => {
  bundle = temporary();
  program = await outsiderScript(bundle, join(import.meta.dirname, "../../src/cli.ts"));
});
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

let directory = "";
beforeEach(() => {
  directory = temporary();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** `perf-gate baseline ...` in the directory, where the store is h.ndjson unless another is named. */
function baseline(...args: string[]) {
  const store = args.includes("--store") ? [] : ["--store", "h.ndjson"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "baseline", ...args, ...store], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, GITHUB_ACTIONS: "" },
  });
  return { status, stdout, stderr };
}

const changed = (record: HistoryRecord, over: Partial<HistoryRecord>): HistoryRecord => {
  const other = { ...record, ...over };
  return { ...other, id: recordId(other, sha256) };
};
const list = records(30);
const [first, second] = list as [HistoryRecord, HistoryRecord];
const fill = (store = "h.ndjson", what: readonly HistoryRecord[] = list) => storeAt(store, directory).append(what);

test("list shows the newest first, and where they were measured", async () => {
  const elsewhere = { ...first.conditions, must: { ...first.conditions.must, cpuModel: "Xeon\u001b[31m" } };
  await fill("h.ndjson", [...list, changed(first, { conditions: elsewhere, branch: "next" })]);
  const { status, stdout } = baseline("list", "--limit", "30");
  expect(status).toBe(0);
  const lines = stdout.split("\n");
  expect(lines[0]).toBe("recorded (UTC)    commit   id                branch  anchor  cells  on");
  expect(lines[1]).toMatch(/^2026-01-30 02:00 {2}[0-9a-f]{7} {2}[0-9a-f]{16} {2}main {4}v1\.4\.0 {6}1 {3}1$/);
  expect(stdout).toContain("1: compose, EPYC 7763, 4 CPUs, PHP 8.4, k6 1.8\n2: compose, Xeon, 4 CPUs");
  expect(stdout).toMatch(/31 records in .*h\.ndjson, 1 older one not shown \(--limit\)\n$/);
  expect(JSON.parse(baseline("list", "--branch", "next", "--json").stdout)).toHaveLength(1);
});

test("an empty store says so", () => {
  expect(baseline("list")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^no records in .*perf-gate store adds it/),
  });
  expect(baseline("list", "--json").stdout).toBe("[]\n");
  expect(baseline("show")).toMatchObject({ status: 2, stderr: expect.stringContaining("no records in") });
});

test("the store of the configuration is the default, and that of origin without one", async () => {
  const { checkout } = repositories(directory);
  await storeAt("git:perf-gate-data", checkout).append(list);
  await storeAt("kept", checkout).append([first]);
  const run = () =>
    spawnSync(process.execPath, [program, "baseline", "list"], { cwd: checkout, encoding: "utf8" }).stdout;
  expect(run()).toContain("30 records in git:perf-gate-data of origin");
  writeFileSync(join(checkout, "perf-gate.yml"), "baseline: { store: kept }\n");
  expect(run()).toMatch(/1 record in .*checkout\/kept/);
  expect(git(checkout, "for-each-ref", "--format=%(refname)")).not.toContain("perf-gate-data");
});

test("show takes a commit or an id, shortened", async () => {
  const again = changed(second, { recordedAt: "2026-02-20T02:00:00Z" });
  await fill("h.ndjson", [...list, again]);
  const { stdout } = baseline("show", second.commit.slice(0, 8));
  expect(stdout).toContain(`record ${again.id} of ${second.commit}`);
  expect(stdout).toContain(`The newest of 2 records of ${second.commit.slice(0, 7)}; earlier: ${second.id}`);
  expect(stdout).toMatch(/home @20 {2}QPS +400 +\d+ +[+−]?\d+\.\d% +\S+ … \S+ +8/);
  expect(JSON.parse(baseline("show", first.id, "--json").stdout)).toEqual(first);
});

test("a record that is not there, or several that could be meant", async () => {
  const twin = changed(first, { commit: `${first.commit.slice(0, 12)}${"0".repeat(28)}` });
  await fill("h.ndjson", [...list, twin]);
  expect(baseline("show", "00000000")).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/has no record of 00000000; it has [0-9a-f]{7} \(2026-01-30\), .* and 26 more/),
  });
  expect(baseline("show", first.commit.slice(0, 10)).stderr).toMatch(/begins several commits: .* and /);
  for (const name of ["abc", "main", "HEAD~1"]) {
    expect(baseline("show", name)).toMatchObject({ status: 2, stderr: expect.stringContaining("4 or more digits") });
  }
});

describe("diff", () => {
  const cell = (logRatio: number, sd: number, rounds = 8) => ({ head: 400, anchor: 400, logRatio, sd, rounds });

  test("Welch's interval of two means", () => {
    // se = sqrt(0.02^2/8 + 0.04^2/8) = 0.0158114; df = 0.00025^2 / (0.00005^2/7 + 0.0002^2/7) = 10.294; t(0.975) = 2.2196
    const { ratio, low, high } = changeBetween(cell(0, 0.02), cell(-0.1, 0.04));
    expect(Math.log(ratio)).toBeCloseTo(-0.1, 10);
    expect(Math.log(low ?? 0)).toBeCloseTo(-0.1 - 0.035095, 4);
    expect(Math.log(high ?? 0)).toBeCloseTo(-0.1 + 0.035095, 4);
    expect(changeBetween(cell(0, 0), cell(-0.1, 0.04, 1))).toMatchObject({ low: null, high: null });
    // No two runs agree to better than the floor of the spread, 0.2%: t(0.975, 14) = 2.1448, times 0.002 * sqrt(2/8).
    expect(Math.log(changeBetween(cell(0, 0), cell(0, 0)).high ?? 0)).toBeCloseTo(0.0021448, 6);
  });

  test("says the change since the anchor, and which conditions differ", async () => {
    const must = { ...second.conditions.must, logicalCpus: 8 };
    const other = changed(second, { conditions: { must, also: { ...second.conditions.also, kernel: "6.12.0" } } });
    await fill("h.ndjson", [first, other]);
    const { stdout } = baseline("diff", first.id, other.id);
    expect(stdout).toMatch(/home @20 {2}QPS +\d+ +\d+ +[+−]?\d+\.\d% +\S+ … \S+\n +p99 ms/);
    expect(stdout).toMatch(/logicalCpus {2}4 +8 +must be the same for a verdict\nkernel +6\.11\.0 +6\.12\.0\n/);
    expect(stdout).toContain("the spread from job to job is not in it");
    const { from, to, conditions } = JSON.parse(baseline("diff", first.id, other.id, "--json").stdout);
    expect([from, to, conditions[0].name]).toEqual([first.id, other.id, "logicalCpus"]);
  });

  test("does not compare what has another anchor, asks for something else, or is only in one", () => {
    const reasons = (a: HistoryRecord, b: HistoryRecord) => diffRecords(a, b).cells.map(({ reason }) => reason);
    const [found] = first.cells;
    if (found === undefined) throw new Error("no cell");
    expect(reasons(first, changed(first, { anchor: { label: "v2", id: "2".repeat(40) } }))).toEqual([
      "other anchor: v1.4.0, v2",
    ]);
    expect(reasons(first, changed(first, { cells: [{ ...found, suite: "0".repeat(12) }] }))).toEqual([
      "asks for something else",
    ]);
    expect(reasons(first, changed(first, { cells: [] }))).toEqual(["only in the first"]);
    expect(reasons(changed(first, { cells: [] }), first)).toEqual(["only in the second"]);
  });
});

test("prune removes the oldest of each branch, or those before a date, and says which", async () => {
  await fill("h.ndjson", [...list, ...list.slice(0, 3).map((record) => changed(record, { branch: "next" }))]);
  expect(baseline("prune", "--keep", "5", "--dry-run").stdout).toMatch(/25 records would be removed\n$/);
  expect((await storeAt("h.ndjson", directory).read()).records).toHaveLength(33);
  expect(baseline("prune", "--keep", "5").stdout).toMatch(/2026-01-01 02:00 .*\n25 records removed from .*\n$/s);
  const { removed } = JSON.parse(baseline("prune", "--before", "2026-01-28", "--branch", "main", "--json").stdout);
  expect(removed).toHaveLength(2);
  expect((await storeAt("h.ndjson", directory).read()).records).toHaveLength(6);
  expect(baseline("prune", "--keep", "5").stdout).toMatch(/^nothing to remove/);
  expect(baseline("prune")).toMatchObject({ status: 2, stderr: expect.stringContaining("either --keep N") });
  expect(baseline("prune", "--keep", "0")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--keep: allowed"),
  });
  expect(baseline("prune", "--before", "soon")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--before: allowed"),
  });
});

test("verify names every problem, with exit status 2", async () => {
  await fill();
  expect(baseline("verify")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^30 sound records of 1 branch in/),
  });
  const file = join(directory, "h.ndjson");
  const text = readFileSync(file, "utf8").replace('"version":1', '"version":3');
  writeFileSync(file, `${text.slice(0, -30)}\n{"half\n`);
  const { status, stdout } = baseline("verify");
  expect(status).toBe(2);
  expect(stdout).toMatch(
    /28 sound records .*\n3 problems\n.*:1: written by a newer.*\n.*:30: damaged.*\n.*:31: damaged/,
  );
  expect(baseline("list")).toMatchObject({ status: 2, stderr: expect.stringContaining("h.ndjson:1: ") });
});

describe("import and export", () => {
  test("records go from one store to another", async () => {
    await fill("folder");
    writeFileSync(
      join(directory, "moved.ndjson"),
      baseline("export", "--format", "ndjson", "--store", "folder").stdout,
    );
    expect(baseline("import", "moved.ndjson").stdout).toMatch(/^30 records added to .*h\.ndjson\n$/);
    expect(baseline("import", "moved.ndjson").stdout).toMatch(/^0 records added to .*, 30 were there already\n$/);
    expect((await storeAt("h.ndjson", directory).read()).records).toEqual(list);
    expect(baseline("import", "gone.ndjson")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("no such file"),
    });
  });

  test("figures of k6 are shown as what they are", () => {
    const summary = { metrics: { http_reqs: { rate: 500 }, http_req_duration: { "p(95)": 12 } } };
    writeFileSync(join(directory, "home.json"), JSON.stringify(summary));
    expect(baseline("import", "home.json", "--commit", "a".repeat(40)).stderr).toMatch(/add --branch/);
    const options = ["--branch", "main", "--at", "2026-03-01T00:00:00Z"];
    expect(baseline("import", "home.json", ...options, "--commit", "v1").stderr).toMatch(/--commit: allowed/);
    expect(baseline("import", "home.json", ...options, "--commit", "a".repeat(40)).stdout).toMatch(/^1 record added/);
    const { stdout } = baseline("show");
    expect(stdout).toContain("another program measured it, without an anchor: no verdict rests on it");
    expect(stdout).toMatch(/home +QPS +– +500 +– +– +1\n +p95 ms +– +12\.0/);
    expect(baseline("list").stdout).toMatch(new RegExp(`${NO_ANCHOR} .*\\n\\n1: imported from k6\\n`));
  });

  test("CSV has one line per cell, which no spreadsheet takes for a formula", async () => {
    const [wide] = history({ nights: 1, cells: EIGHT_CELLS, change: (record) => ({ ...record, branch: "=cmd()" }) });
    await fill("h.ndjson", [wide as HistoryRecord]);
    const lines = baseline("export").stdout.trim().split("\n");
    expect(lines).toHaveLength(9);
    expect(lines[0]).toBe(
      "id,recorded_at,commit,committed_at,branch,anchor,anchor_id,driver,cpu_model,logical_cpus,php,k6,cell,suite,connection," +
        "qps,qps_anchor,qps_log_ratio,qps_sd,qps_rounds," +
        "latency_statistic,latency_ms,latency_anchor_ms,latency_log_ratio,latency_sd,latency_rounds",
    );
    expect(lines[1]).toContain(",'=cmd(),v1.4.0,");
  });

  test("github-action-benchmark gets one record in its own form", async () => {
    await fill();
    const [figure] = JSON.parse(baseline("export", first.id, "--format", "customSmallerIsBetter").stdout);
    expect(figure).toMatchObject({ name: "home @20 p99", unit: "ms", value: first.cells[0]?.latency?.head });
  });
});

test("2,000 records of 8 cells are listed and compared in little more than the program takes to start", async () => {
  const many = history({ nights: 2000, cells: EIGHT_CELLS });
  await fill("h.ndjson", many);
  const timed = (...args: string[]) => {
    const start = performance.now();
    expect(baseline(...args).status).toBe(0);
    return (performance.now() - start) / 1000;
  };
  // In turns, as neighbours come and go.
  const times = [0, 1, 2].map(() => ({
    none: timed("list", "--store", "none.ndjson"),
    list: timed("list"),
    diff: timed("diff", many[0]?.id ?? "", many[1999]?.id ?? ""),
  }));
  const least = (of: "none" | "list" | "diff") => Math.min(...times.map((turn) => turn[of]));
  const [none, list, diff] = [least("none"), least("list"), least("diff")];
  console.log(`of 2,000 records: list ${list.toFixed(2)} s, diff ${diff.toFixed(2)} s; of none ${none.toFixed(2)} s`);
  expect(list / none).toBeLessThan(6);
});

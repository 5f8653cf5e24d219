import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import type { HistoryRecord } from "../../src/core/record.ts";
import { openStore } from "../../src/history/store.ts";
import { trendPhase } from "../../src/phases/trend.ts";
import { history } from "../history-fixtures.ts";
import { expectWellFormed } from "../report/well-formed.ts";

const HOME = fileURLToPath(new URL("../../..", import.meta.url));
const NOW = "2026-03-10T04:00:00Z";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "trend-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const ndjson = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

function phase(records: readonly HistoryRecord[], options: { branch?: string; output?: string; home?: string } = {}) {
  writeFileSync(join(directory, "store.ndjson"), ndjson(records));
  const store = openStore("store.ndjson", { directory, env: {} });
  const { branch = null, output = join(directory, "out"), home = HOME } = options;
  return trendPhase({ store, branch, output }, home, {}, NOW);
}

const read = (...path: string[]) => readFileSync(join(directory, ...path), "utf8");
const other = (record: HistoryRecord) => ({ ...record, branch: "release/2" });

describe("perf-gate trend", () => {
  test("writes the page, what it found as JSON, and a chart per cell", async () => {
    const records = history({ nights: 60, cells: ["b @1", "a @2"], level: (night) => (night < 40 ? 0 : -0.1) });
    const { file, chartsNote } = await phase(records);
    expect(chartsNote).toBeNull();
    expect(JSON.parse(read("out", "trend.json"))).toEqual(file);
    expect(file).toMatchObject({
      version: 1,
      branch: "main",
      today: NOW,
      records: 60,
      missingNights: expect.arrayContaining(["2026-03-02", "2026-03-09"]),
      daysSinceLast: 9,
      headline: "Trend of main: 1 step for the worse in 60 records",
      silence: expect.stringContaining("the last record is 9 days old."),
    });
    expect(file.changePoints).toHaveLength(4);
    expect(file.changePoints[0]).toMatchObject({ before: records[39]?.id, after: records[40]?.id, worse: true });
    expect(readdirSync(join(directory, "out", "charts")).sort()).toEqual(["cell-1.svg", "cell-2.svg"]);
    const html = read("out", "index.html");
    expect(html).toContain('alt="b @\u200b1" src="charts/cell-1.svg"');
    // What the data branch keeps stays small: no chart is in the page itself.
    expect(html).not.toContain("data:image");
  });

  test("takes the branch with the most records, or the one it is told", async () => {
    const records = [...history({ nights: 20, seed: 1 }), ...history({ nights: 10, seed: 2, change: other })];
    expect((await phase(records)).file).toMatchObject({ branch: "main", records: 20 });
    expect((await phase(records, { branch: "release/2" })).file).toMatchObject({ branch: "release/2", records: 10 });
    const none = await phase(records, { branch: "mian" });
    expect(none.file).toMatchObject({ branch: "mian", records: 0, changePoints: [], missingNights: [] });
    expect(read("out", "index.html")).toContain("of other branches: main and release/2.");
  });

  test("of an empty store is a page that says so, without charts of an earlier one", async () => {
    await phase(history({ nights: 5 }));
    const { file, chartsNote } = await phase([]);
    expect(chartsNote).toBeNull();
    expect(file).toMatchObject({ branch: "main", records: 0, daysSinceLast: null, silence: "" });
    expect(read("out", "index.html")).toContain("no records yet");
    expect(existsSync(join(directory, "out", "charts"))).toBe(false);

    mkdirSync(join(directory, "out", "charts"));
    writeFileSync(join(directory, "out", "charts", "of-another.yaml"), "kept\n");
    await phase([]);
    expect(read("out", "charts/of-another.yaml")).toBe("kept\n");
  });

  test("without gnuplot is a page without charts, and says why", async () => {
    const charts = join(directory, "home", "scripts", "charts");
    mkdirSync(charts, { recursive: true });
    writeFileSync(join(charts, "trend.sh"), "#!/bin/sh\necho 'charts: gnuplot is not installed' >&2\nexit 3\n", {
      mode: 0o755,
    });
    const { chartsNote } = await phase(history({ nights: 5 }), { home: join(directory, "home") });
    expect(chartsNote).toBe("charts: gnuplot is not installed");
    expect(read("out", "index.html")).toContain("No charts: they are drawn where jq and gnuplot are installed.");
  });

  test("stops at a damaged store, and where it cannot write", async () => {
    writeFileSync(join(directory, "bad.ndjson"), "{\n");
    const store = openStore("bad.ndjson", { directory, env: {} });
    const output = join(directory, "out");
    await expect(trendPhase({ store, branch: null, output }, HOME, {}, NOW)).rejects.toThrow(/bad\.ndjson:1/);
    expect(existsSync(output)).toBe(false);
    writeFileSync(join(directory, "file"), "");
    const refused = phase(history({ nights: 2 }), { output: join(directory, "file", "out") });
    await expect(refused).rejects.toThrow(InputError);
    await expect(refused).rejects.toThrow(/--output: cannot write to .*name a folder/);
  });
});

describe("trend.sh", () => {
  const script = join(HOME, "scripts", "charts", "trend.sh");
  const run = (env: NodeJS.ProcessEnv = process.env) =>
    spawnSync(script, [join(directory, "in"), join(directory, "out")], { encoding: "utf8", env });

  test("draws every panel and point, in well-formed SVG that fetches nothing", async () => {
    await phase(history({ nights: 2000, cells: ["x @1"], level: (night) => (night < 700 ? 0 : 0.2) }));
    const svg = read("out", "charts", "cell-1.svg");
    expect(svg).toContain("prefers-color-scheme:dark");
    expect(svg).toContain("QPS against the anchor, %");
    expect(svg).toContain("tail latency against the anchor, %");
    expect(svg).not.toMatch(/<script|<image|<foreignObject|\son\w+=|href=['"](?!#)/i);
    expect(svg.match(/<use xlink:href='#gpPt6'/g)?.length).toBeGreaterThanOrEqual(4000);
    expectWellFormed(svg);
  });

  test("refuses what is no chart, naming the file", () => {
    mkdirSync(join(directory, "in"));
    writeFileSync(join(directory, "in", "cell-1.json"), '{"panels": [{"title": 1, "points": "x"}]}');
    const { status, stderr } = run();
    expect(status).toBe(2);
    expect(stderr).toContain("cell-1.json holds nothing that can be drawn");
  });

  test("without gnuplot exits 3", () => {
    mkdirSync(join(directory, "in"));
    const bin = join(directory, "bin");
    mkdirSync(bin);
    for (const tool of ["bash", "jq", "env", "realpath", "dirname"]) {
      const found = spawnSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).stdout.trim();
      symlinkSync(found, join(bin, tool));
    }
    const { status, stderr } = run({ PATH: bin });
    expect(status).toBe(3);
    expect(stderr).toBe("charts: gnuplot is not installed: the charts are left out\n");
  });
});

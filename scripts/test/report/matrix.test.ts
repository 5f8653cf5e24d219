import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Effect,
  effectOf,
  type LogMean,
  type MatrixCell,
  type MatrixPoint,
  type MatrixResult,
  stagesOf,
} from "../../src/core/matrix.ts";
import type { ArmFigures } from "../../src/core/model.ts";
import { renderMatrixMarkdown, renderMatrixText } from "../../src/report/matrix.ts";
import { expectGolden } from "./golden.ts";
import { expectWellFormed } from "./well-formed.ts";

const CHARTS = join(import.meta.dirname, "../../charts");
/** Of the bootstrap in miniature: CPU time per request of each stage, ms; null = not measured. */
const STAGES: [stage: string, cpuMs: number | null][] = [
  ["entry", 0.105],
  ["request", 0.107],
  ["autoload", 0.19],
  ["project & <b>", 0.25],
  ["framework", 0.241],
  ["routes", null],
  ["complete", 0.36],
];

/** What is known of a stage in a cell; a request takes as long as its CPU time. */
function meanOf(stage: string, metric: string): LogMean | null {
  const cpuMs = STAGES.find(([name]) => name === stage)?.[1] ?? null;
  if (cpuMs === null) return null;
  const mean = Math.log(cpuMs / 0.105);
  return { mean: metric === "qps" ? -mean : mean, variance: metric === "cpu" ? 0.0001 : 0.0004, df: 7 };
}

function cellOf(stage: string, level: number, cpuMs: number | null): MatrixCell {
  const change = (metric: string): Effect | null => {
    const mean = stage === "entry" ? null : meanOf(stage, metric);
    return mean && effectOf(mean);
  };
  const latencyMs = { avg: 2, p50: 1.9, p90: 3, p95: 3.5, p99: 5, max: 20 };
  const figures = { qps: 900 / (cpuMs ?? 1), latencyMs, cpuMsPerRequest: cpuMs, cpuPeakCores: 0.9, maxMs: 20 };
  return {
    cell: { id: `boot @${level}`, scenario: "boot", model: "closed", level },
    statistic: "p99",
    rounds: cpuMs === null ? 0 : 8,
    struck: 0,
    why: cpuMs === null ? "the service did not start" : null,
    figures: cpuMs === null ? null : ({ ...figures, memoryBytes: null } as ArmFigures),
    growthBytes: null,
    counts: {},
    qps: change("qps"),
    latency: change("latency"),
  };
}

const points = STAGES.map(
  ([stage, cpuMs], index): MatrixPoint => ({
    name: `stage=${stage}`,
    levels: { stage },
    directory: index === 0 ? null : `points/${index}`,
    cells: [1, 20].map((level) => cellOf(stage, level, cpuMs)),
  }),
);
const RESULT: MatrixResult = {
  version: 1,
  startedAt: "2026-01-02T03:04:05.678Z",
  arms: { label: "../app", commit: "0123456789abcdef" },
  driver: "process",
  design: "stages",
  rounds: 8,
  machine: {
    cpuModel: "AMD EPYC 7763",
    logicalCpus: 2,
    physicalCores: 2,
    memoryBytes: 8e9,
    kernel: "6.11.0",
    os: "Debian 12",
    cgroup: "v2",
  },
  tools: { php: "8.4.11", k6: "1.8.1" },
  layout: { generator: [1], target: [0], services: [0], isolated: true, note: "k6 on CPU 1, the service on CPU 0" },
  points,
  effects: [],
  stages: stagesOf(points, ({ levels }, _cell, metric) => meanOf(levels["stage"] ?? "", metric)),
  interrupted: false,
  wallSeconds: 754,
};

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "matrix-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("stages: what each adds to the one before, for reading and for a terminal", () => {
  expectGolden(
    "report/matrix-stages.md",
    renderMatrixMarkdown(RESULT, [{ path: "charts/matrix-stages.svg", title: "What each stage adds" }]),
  );
  expectGolden("report/matrix-stages.txt", `${renderMatrixText(RESULT)}\n`);
});

test("the waterfall: every bar begins where the one before ends", () => {
  const file = join(directory, "matrix.json");
  writeFileSync(file, JSON.stringify(RESULT));
  const data = spawnSync("jq", ["-r", "-L", CHARTS, "-f", join(CHARTS, "matrix-stages.jq"), file], {
    encoding: "utf8",
  });
  expect(data.stderr).toBe("");
  expectGolden("charts/stages.matrix-stages.tsv", data.stdout);

  const drawn = spawnSync(join(CHARTS, "charts.sh"), [file, join(directory, "charts"), "matrix-stages"], {
    encoding: "utf8",
  });
  expect([drawn.status, drawn.stderr]).toEqual([0, ""]);
  const svg = readFileSync(join(directory, "charts/matrix-stages.svg"), "utf8");
  expectWellFormed(svg);
  for (const [stage] of STAGES.slice(0, 3)) expect(svg).toContain(stage);
  expect(svg).toContain("prefers-color-scheme:dark");
});

test("without stages there is no waterfall", () => {
  const file = join(directory, "plain.json");
  writeFileSync(file, JSON.stringify({ ...RESULT, stages: [] }));
  const out = join(directory, "none");
  expect(spawnSync(join(CHARTS, "charts.sh"), [file, out, "matrix-stages"]).status).toBe(0);
  expect(readdirSync(out)).toEqual([]);
  expect(renderMatrixMarkdown({ ...RESULT, stages: [] }, [])).not.toContain("What each stage adds");
});

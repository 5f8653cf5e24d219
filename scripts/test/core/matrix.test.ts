import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import {
  cpuLogRatios,
  effectOf,
  kneeOf,
  type LogMean,
  logMean,
  type MatrixCell,
  type MatrixPoint,
  mainEffect,
  medianPhases,
  pointsOf,
  stagesOf,
} from "../../src/core/matrix.ts";
import type { ArmFigures, MatrixConfig, SlotSample, Witness } from "../../src/core/model.ts";
import { slot } from "./support.ts";

function matrixOf(yaml: string): MatrixConfig {
  const { matrix } = parseConfig(`target: { services: [mysql] }\n${yaml}`, { file: "m.yml", directory: "/" });
  if (matrix === undefined) throw new Error("no matrix");
  return matrix;
}

const TWO = `matrix:
  factors:
    way: { short: { query: "c=1" }, kept: { query: "c=2", env: { A: 1 } } }
    jit: { off: {}, on: { php: { jit: tracing, ini: { precision: 7 } } }, fn: { php: { jit: function } } }
`;

test("a full grid has every combination, the reference first; a variant is what its levels set together", () => {
  const points = pointsOf(matrixOf(TWO));
  expect(points.map(({ name }) => name)).toEqual([
    "way=short, jit=off",
    "way=short, jit=on",
    "way=short, jit=fn",
    "way=kept, jit=off",
    "way=kept, jit=on",
    "way=kept, jit=fn",
  ]);
  expect(points[4]?.variant).toEqual({
    env: { A: "1" },
    php: { jit: "tracing", ini: { precision: "7" } },
    links: {},
    query: "c=2",
  });
  expect(points[0]?.variant).toEqual({ env: {}, php: {}, links: {}, query: "c=1" });
});

test("one at a time: each level with the first of the others", () => {
  const points = pointsOf(matrixOf(TWO.replace("matrix:", "matrix:\n  design: one-at-a-time")));
  expect(points.map(({ name }) => name)).toEqual([
    "way=short, jit=off",
    "way=kept, jit=off",
    "way=short, jit=on",
    "way=short, jit=fn",
  ]);
});

test("stages are points in their order", () => {
  const points = pointsOf(
    matrixOf("matrix: { design: stages, factors: { stage: { one: {}, two: { query: s=2 }, three: { query: s=3 } } } }"),
  );
  expect(points.map(({ name }) => name)).toEqual(["stage=one", "stage=two", "stage=three"]);
  expect(points[2]?.variant.query).toBe("s=3");
});

test("without factors there is one point, as configured", () => {
  expect(pointsOf(matrixOf("matrix: {}"))).toEqual([
    { name: "as configured", levels: {}, variant: { env: {}, php: {}, links: {} } },
  ]);
});

test("parameters and settings of several factors come together", () => {
  const [, , , last] = pointsOf(
    matrixOf(`matrix:
  factors:
    a: { one: { query: x=1, php: { ini: { precision: 1 } } }, two: { query: x=2, php: { ini: { precision: 2 } } } }
    b: { one: { query: y=1 }, two: { query: y=2&z=3, php: { ini: { memory_limit: 64M } } } }
`),
  );
  expect(last?.variant).toMatchObject({ query: "x=2&y=2&z=3", php: { ini: { precision: "2", memory_limit: "64M" } } });
});

test("settings of nginx come together, whichever factor they are of", () => {
  const points = pointsOf(
    matrixOf(`matrix:
  factors:
    protocol: { plain: {}, h2: { nginx: { tls: true, http2: true } } }
    log: { "off": { nginx: { access-log: false } }, "on": { nginx: { access-log: true } } }
`),
  );
  expect(points[0]?.variant).toEqual({ env: {}, php: {}, links: {}, nginx: { accessLog: false } });
  expect(points[3]?.variant.nginx).toEqual({ tls: true, http2: true, accessLog: true });
});

test.each([
  ["a: { x: { env: { A: 1 } } }, b: { y: { env: { A: 2 } } }", "env.A is set by one factor alone; a and b both set it"],
  [
    "a: { x: { nginx: { access-log: true } } }, b: { y: { nginx: { access-log: false } } }",
    "nginx.access-log is set by one factor alone; a and b both set it",
  ],
  ["a: { x: { query: p=1 } }, b: { y: { query: p=2 } }", "query p is set by one factor alone"],
  ["a: { x: { php: { workers: 2 } } }, b: { y: { php: { workers: 3 } } }", "php.workers is set by one factor alone"],
  ["a: { x: { connection: close } }, b: { y: { connection: keep-alive } }", "connection is set by one factor alone"],
  ["a: {}", "matrix.factors.a: expected one or more levels"],
])("factors {%s} are refused", (factors, message) => {
  expect(() => pointsOf(matrixOf(`matrix: { factors: { ${factors} } }`))).toThrow(message);
});

test("too many points are refused with what to do", () => {
  const levels = Array.from({ length: 7 }, (_, i) => `l${i}: {}`).join(", ");
  const factors = `{ a: { ${levels} }, b: { ${levels} } }`;
  expect(() => pointsOf(matrixOf(`matrix: { factors: ${factors} }`))).toThrow(
    "allowed are up to 48 points; these levels make 49. Take some away, or write design: one-at-a-time",
  );
  expect(pointsOf(matrixOf(`matrix: { design: one-at-a-time, factors: ${factors} }`))).toHaveLength(13);
});

test("an effect is the mean of the log ratios with Student's interval", () => {
  const mean = logMean([0.1, 0.12, 0.14, 0.12]) as LogMean;
  expect(mean.mean).toBeCloseTo(0.12, 10);
  // sd 0.01633, se 0.008165, t(0.975, 3) = 3.18245
  const { ratio, low, high } = effectOf(mean);
  expect(ratio).toBeCloseTo(Math.exp(0.12), 10);
  expect(low).toBeCloseTo(Math.exp(0.12 - 3.18245 * 0.008165), 5);
  expect(high).toBeCloseTo(Math.exp(0.12 + 3.18245 * 0.008165), 5);
  expect(logMean([0.1])).toBeNull();
});

test("a main effect is the mean over the points that differ in nothing else", () => {
  const points = pointsOf(matrixOf(TWO));
  const means = new Map<string, LogMean>([
    ["way=short, jit=on", { mean: 0.1, variance: 0.0004, df: 5 }],
    ["way=short, jit=fn", { mean: 0.2, variance: 0.0004, df: 5 }],
    ["way=kept, jit=off", { mean: 0.5, variance: 0.0004, df: 5 }],
    ["way=kept, jit=on", { mean: 0.7, variance: 0.0004, df: 5 }],
    ["way=kept, jit=fn", { mean: 0.9, variance: 0.0004, df: 5 }],
  ]);
  const at = ({ name }: { name: string }) => means.get(name) ?? null;
  // (0.5 - 0, 0.7 - 0.1, 0.9 - 0.2) / 3; five figures of equal variance, over nine.
  const way = mainEffect(points, "way", "kept", at) as LogMean;
  expect(way.mean).toBeCloseTo(0.6, 10);
  expect(way.variance).toBeCloseTo((5 * 0.0004) / 9, 12);
  expect(way.df).toBeCloseTo(25, 10);
  const jit = mainEffect(points, "jit", "fn", at) as LogMean;
  expect(jit.mean).toBeCloseTo((0.2 + 0.4) / 2, 10);
  means.delete("way=kept, jit=off");
  means.delete("way=kept, jit=on");
  means.delete("way=kept, jit=fn");
  expect(mainEffect(points, "way", "kept", at)).toBeNull();
});

test("phases of a request are medians, each by itself", () => {
  const phases = (connect: number, wait: number) => ({ connect, tls: 0, wait, receive: 0.1 });
  expect(medianPhases([phases(0.3, 1), phases(0.1, 3), phases(0.2, 2)])).toEqual(phases(0.2, 2));
  expect(medianPhases([])).toBeNull();
});

const cellOf = (level: number, figures: Partial<ArmFigures> | null): MatrixCell => ({
  cell: { id: `s @${level}`, scenario: "s", model: "closed", level },
  statistic: "p99",
  rounds: 3,
  struck: 0,
  why: null,
  figures: figures as ArmFigures | null,
  growthBytes: null,
  counts: {},
  qps: null,
  latency: null,
});

test("a stage adds the difference between its change against the reference and that of the stage before", () => {
  const stages = ["entry", "request", "routes", "complete"];
  const points = stages.map((stage): MatrixPoint => {
    const cpuMsPerRequest = stage === "entry" ? 2 : 99; // the others' own is not asked for
    return { name: `stage=${stage}`, levels: { stage }, directory: null, cells: [cellOf(20, { cpuMsPerRequest })] };
  });
  const means: Record<string, Record<string, LogMean>> = {
    request: {
      cpu: { mean: Math.log(1.5), variance: 0.0004, df: 5 },
      qps: { mean: Math.log(0.8), variance: 0.0001, df: 7 },
    },
    routes: {
      cpu: { mean: Math.log(1.8), variance: 0.0012, df: 5 },
      qps: { mean: Math.log(0.6), variance: 0.0003, df: 7 },
    },
  };
  const [entry, request, routes, complete] = stagesOf(
    points,
    ({ levels }, cell, metric) => (cell === "s @20" && means[levels["stage"] ?? ""]?.[metric]) || null,
  );
  expect(entry).toEqual({ stage: "entry", cell: "s @20", cpuMs: 2, addedCpuMs: null, qps: null, latency: null });

  // Against the reference itself: its own interval. t(0.975, 5) = 2.57058, t(0.975, 7) = 2.36462.
  expect(request?.cpuMs).toBeCloseTo(3, 10);
  expect(request?.addedCpuMs?.value).toBeCloseTo(1, 10);
  expect(request?.addedCpuMs?.low).toBeCloseTo(2 * (1.5 * Math.exp(-2.57058 * 0.02) - 1), 5);
  expect(request?.addedCpuMs?.high).toBeCloseTo(2 * (1.5 * Math.exp(2.57058 * 0.02) - 1), 5);
  expect(request?.qps?.ratio).toBeCloseTo(0.8, 10);
  expect(request?.qps?.low).toBeCloseTo(0.8 * Math.exp(-2.36462 * 0.01), 5);

  // Variances add up: 0.0016 with 0.0016^2 / (0.0004^2 / 5 + 0.0012^2 / 5) = 8 degrees of freedom, t = 2.30600; and
  // 0.0004 with 0.0004^2 / (0.0001^2 / 7 + 0.0003^2 / 7) = 11.2, t(0.975, 11.2) = 2.19618.
  expect(routes?.cpuMs).toBeCloseTo(3.6, 10);
  expect(routes?.addedCpuMs?.value).toBeCloseTo(0.6, 10);
  expect(routes?.addedCpuMs?.low).toBeCloseTo(3 * (1.2 * Math.exp(-2.306 * 0.04) - 1), 4);
  expect(routes?.addedCpuMs?.high).toBeCloseTo(3 * (1.2 * Math.exp(2.306 * 0.04) - 1), 4);
  expect(routes?.qps?.ratio).toBeCloseTo(0.75, 10);
  expect(routes?.qps?.high).toBeCloseTo(0.75 * Math.exp(2.19618 * 0.02), 4);
  expect(routes?.latency).toBeNull();

  expect(complete).toEqual({
    stage: "complete",
    cell: "s @20",
    cpuMs: null,
    addedCpuMs: null,
    qps: null,
    latency: null,
  });
});

test("CPU time per request is compared in the rounds in which it was read of both arms", () => {
  const using = (arm: "base" | "head", targetCpuSeconds: number | null): SlotSample => {
    const { witness, ...sample } = slot("s @20", arm, 0, { requests: 1000 });
    return { ...sample, witness: targetCpuSeconds === null ? null : { ...(witness as Witness), targetCpuSeconds } };
  };
  const round = (base: number | null, head: number | null) => ({
    base: using("base", base),
    head: using("head", head),
  });
  expect(cpuLogRatios([round(1, 2), round(null, 2), round(1, null), round(0, 2), round(2, 1)])).toEqual([
    Math.log(2),
    Math.log(0.5),
  ]);
});

test("the knee is the lowest load that reaches nearly all of the highest QPS", () => {
  const cell = (level: number, qps: number | null): MatrixCell =>
    cellOf(level, qps === null ? null : { qps, cpuPeakCores: level / 10 });
  const ladder = [cell(20, 1000), cell(1, 300), cell(5, 960), cell(50, 990), cell(100, null)];
  expect(kneeOf(ladder)).toEqual({ level: 5, qps: 960, cpuPeakCores: 0.5 });
  expect(kneeOf(ladder.slice(0, 2))).toBeNull();
  // The highest load brought the most: nothing has stopped rising.
  expect(kneeOf([cell(1, 300), cell(5, 600), cell(20, 1000)])).toBeNull();
});

import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import {
  effectOf,
  kneeOf,
  type LogMean,
  logMean,
  type MatrixCell,
  mainEffect,
  medianPhases,
  pointsOf,
} from "../../src/core/matrix.ts";
import type { ArmFigures, MatrixConfig } from "../../src/core/model.ts";

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

test("the knee is the lowest load that reaches nearly all of the highest QPS", () => {
  const cell = (level: number, qps: number | null): MatrixCell => ({
    cell: { id: `s @${level}`, scenario: "s", model: "closed", level },
    statistic: "p99",
    rounds: 3,
    struck: 0,
    why: null,
    figures: qps === null ? null : ({ qps, cpuPeakCores: level / 10 } as ArmFigures),
    growthBytes: null,
    counts: {},
    qps: null,
    latency: null,
  });
  const ladder = [cell(20, 1000), cell(1, 300), cell(5, 960), cell(50, 990), cell(100, null)];
  expect(kneeOf(ladder)).toEqual({ level: 5, qps: 960, cpuPeakCores: 0.5 });
  expect(kneeOf(ladder.slice(0, 2))).toBeNull();
});

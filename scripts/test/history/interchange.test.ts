import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { type HistoryRecord, NO_ANCHOR } from "../../src/core/record.ts";
import { customBenchmarks, importRecords } from "../../src/history/interchange.ts";
import { parseRecord } from "../../src/history/record-schema.ts";
import { records } from "./support.ts";

const A = "a".repeat(40);
const B = "b".repeat(40);
const facts = {
  file: "homepage.json",
  branch: "main",
  commit: null,
  at: new Date("2026-05-01T10:00:00Z"),
  cell: "homepage",
};

const run = (id: string, date: number, benches: { name: string; value: number; unit: string; range?: string }[]) => ({
  commit: {
    author: { email: "a@b.test", name: "A", username: "a" },
    committer: { email: "a@b.test", name: "A", username: "a" },
    distinct: true,
    id,
    message: "Faster orders",
    timestamp: "2026-03-01T11:00:00+02:00",
    tree_id: "c".repeat(40),
    url: `https://github.com/o/r/commit/${id}`,
  },
  date,
  tool: "customBiggerIsBetter",
  benches,
});
const dataJs = (entries: object) =>
  `window.BENCHMARK_DATA = ${JSON.stringify({ lastUpdate: 1, repoUrl: "https://github.com/o/r", entries }, null, 2)}`;
const at = (text: string) => Date.parse(text);
const figures = (record: HistoryRecord | undefined) =>
  record?.cells.map(({ id, qps, latency }) => [
    id,
    qps?.head ?? null,
    latency?.statistic ?? null,
    latency?.head ?? null,
  ]);

describe("github-action-benchmark", () => {
  test("throughput and latency come together though they are in two suites, one record for a run of a commit", () => {
    const text = dataJs({
      Throughput: [
        run(A, at("2026-03-01T10:00:00Z"), [{ name: "checkout", value: 400, unit: "req/s", range: "± 3" }]),
        run(B, at("2026-03-02T10:00:00Z"), [{ name: "checkout", value: 410, unit: "req/s" }]),
        run(B, at("2026-03-02T12:00:00Z"), [{ name: "checkout", value: 420, unit: "req/s" }]),
      ],
      Latency: [run(A, at("2026-03-01T10:01:00Z"), [{ name: "checkout p95", value: 0.025, unit: "s" }])],
    });
    const { records: list, leftOut } = importRecords(text, facts);
    expect(leftOut).toEqual([]);
    expect(list.map(({ commit, recordedAt }) => [commit, recordedAt])).toEqual([
      [A, "2026-03-01T10:00:00.000Z"],
      [B, "2026-03-02T10:00:00.000Z"],
      [B, "2026-03-02T12:00:00.000Z"],
    ]);
    expect(figures(list[0])).toEqual([["checkout", 400, "p95", 25]]);
    expect(figures(list[2])).toEqual([["checkout", 420, null, null]]);
    expect(list[0]).toMatchObject({ branch: "main", committedAt: "2026-03-01T09:00:00.000Z" });
  });

  test("what it gives can be stored, and says that it has no anchor", () => {
    const text = dataJs({ S: [run(A, at("2026-03-01T10:00:00Z"), [{ name: "x p(99)", value: 3, unit: "ms" }])] });
    const [record] = importRecords(text, facts).records as [HistoryRecord];
    expect(parseRecord(JSON.stringify(record))).toEqual({ record });
    expect(record.anchor.id).toBe(NO_ANCHOR);
    expect(record.cells[0]).toMatchObject({
      qps: null,
      latency: { head: 3, anchor: 1, logRatio: Math.log(3), rounds: 1 },
    });
    expect(importRecords(text, facts).records[0]?.id).toBe(record.id);
  });

  test.each([
    ["checkout @8 QPS", "requests/s", 5, ["checkout @8", 5, null, null]],
    ["GET /a - throughput", "ops/sec", 5, ["GET /a", 5, null, null]],
    ["x", "1000 ops", 5, null],
    ["p99", "ms", 5, ["suite", null, "p99", 5]],
    ["http_req_duration p(90)", "µs", 5000, ["http_req_duration", null, "p90", 5]],
    ["cart 95th percentile latency", "ns/op", 5e6, ["cart", null, "p95", 5]],
    ["cart p999", "ms", 5, null],
    ["cart p99.9", "ms", 5, null],
    ["mean latency", "ms", 5, null],
    ["cart p99", "bytes", 5, null],
    ["cart", "req/s", 0, null],
    ["cart", "req/s", -1, null],
  ])("%s in %s", (name, unit, value, cell) => {
    const entries = { suite: [run(A, at("2026-03-01T10:00:00Z"), [{ name, unit, value }])] };
    const { records: list, leftOut } = importRecords(dataJs(entries), facts);
    expect(list.flatMap((record) => figures(record) ?? [])).toEqual(cell === null ? [] : [cell]);
    expect(leftOut).toHaveLength(cell === null ? 1 : 0);
  });

  test("the same name in two suites is two cells", () => {
    const one = [run(A, at("2026-03-01T10:00:00Z"), [{ name: "home", value: 5, unit: "rps" }])];
    const { records: list } = importRecords(JSON.stringify({ entries: { web: one, api: one } }), facts);
    expect(figures(list[0])).toEqual([
      ["web: home", 5, null, null],
      ["api: home", 5, null, null],
    ]);
  });

  test("a run without a commit is left out and said", () => {
    const entries = { S: [run("v1.0", 0, [{ name: "x", value: 1, unit: "rps" }])] };
    expect(importRecords(dataJs(entries), facts)).toEqual({
      records: [],
      leftOut: ["S: a run without a commit of 40 hex digits"],
    });
  });
});

describe("k6", () => {
  const metrics = {
    http_reqs: { count: 180, rate: 4.5 },
    http_req_duration: {
      avg: 1,
      min: 1,
      med: 1,
      max: 2,
      "p(90)": 1.5,
      "p(95)": 1.75,
      thresholds: { "p(95)<9": false },
    },
    "http_req_duration{expected_response:true}": { avg: 1 },
  };

  test.each([
    ["--summary-export", { metrics, root_group: {} }],
    [
      "handleSummary",
      {
        metrics: {
          http_reqs: { type: "counter", values: metrics.http_reqs },
          http_req_duration: { type: "trend", values: { "p(90)": 1.5, "p(95)": 1.75 } },
        },
      },
    ],
  ])("%s", (_name, summary) => {
    const { records: list } = importRecords(JSON.stringify(summary), { ...facts, commit: A });
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject({ commit: A, recordedAt: "2026-05-01T10:00:00.000Z", anchor: { id: NO_ANCHOR } });
    expect(figures(list[0])).toEqual([["homepage", 4.5, "p95", 1.75]]);
  });

  test("does not say which commit, so somebody has to", () => {
    expect(() => importRecords(JSON.stringify({ metrics }), facts)).toThrow(/add --commit/);
  });

  test("without requests it is nothing", () => {
    const summary = { metrics: { http_reqs: { count: 0, rate: 0 }, http_req_duration: {} } };
    expect(() => importRecords(JSON.stringify(summary), { ...facts, commit: A })).toThrow(InputError);
  });
});

test.each(["", "null", "[]", "{}", "window.BENCHMARK_DATA = {", "window.BENCHMARK_DATA = alert(1)", '{"entries": []}'])(
  "%j is neither",
  (text) => {
    expect(() => importRecords(text, facts)).toThrow(InputError);
  },
);

test("what is exported for github-action-benchmark comes back as the same cells", () => {
  const [record] = records(1) as [HistoryRecord];
  const bigger = customBenchmarks(record, "bigger");
  const smaller = customBenchmarks(record, "smaller");
  // t(0.975, 7) = 2.3646; 2.3646 * 0.02 / sqrt(8) = 1.672% of the value.
  const qps = record.cells[0]?.qps?.head ?? 0;
  expect(bigger).toEqual([
    {
      name: "home @20 QPS",
      unit: "requests/s",
      value: qps,
      range: `± ${(0.01672 * qps).toPrecision(3)}`,
      extra: expect.stringMatching(/^commit [0-9a-f]{40}\n-?\d+\.\d% since v1\.4\.0\n8 rounds$/),
    },
  ]);
  const entries = { q: [run(A, 1, bigger)], l: [run(A, 1, smaller)] };
  const [back] = importRecords(dataJs(entries), facts).records;
  expect(figures(back)).toEqual(figures(record));
});

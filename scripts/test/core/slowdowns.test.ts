import { describe, expect, test } from "vitest";
import type { ChangePoint } from "../../src/core/change-points.ts";
import type { CellResult, Comparison } from "../../src/core/model.ts";
import type { HistoryRecord } from "../../src/core/record.ts";
import { isBack, locatedSlowdowns, positions, slowdownOf } from "../../src/core/slowdowns.ts";
import { commit, night, nights } from "../nights.ts";

const records = nights(12);
const id = (at: number) => records[at]?.id ?? "";

/** A change point between the nights `at - 1` and `at`. */
const point = (at: number, over: Partial<ChangePoint> = {}): ChangePoint => ({
  cell: "shop @20",
  metric: "qps",
  before: id(at - 1),
  after: id(at),
  ratio: 0.8,
  low: 0.78,
  high: 0.82,
  p: 1e-9,
  worse: (over.ratio ?? 0.8) < 1 === ((over.metric ?? "qps") === "qps"),
  ...over,
});
const ranges = (points: ChangePoint[]) =>
  locatedSlowdowns(points, records).map(({ before, after, over }) => [
    records.findIndex((record) => record.commit === before),
    records.findIndex((record) => record.commit === after),
    over,
  ]);

describe("change points as slowdowns", () => {
  test("several cells at one commit are one, the worst first", () => {
    const latency = point(5, { metric: "latency", ratio: 1.5, low: 1.4, high: 1.6 });
    const [only, ...more] = locatedSlowdowns([point(5), latency, point(5, { cell: "cart @1", ratio: 0.9 })], records);
    expect(more).toEqual([]);
    expect(only).toMatchObject({ located: true, before: commit(4), after: commit(5), over: false });
    expect(only?.losses.map(({ cell, metric }) => `${cell} ${metric}`)).toEqual([
      "shop @20 latency",
      "shop @20 qps",
      "cart @1 qps",
    ]);
  });

  test("at neighbouring commits they are one with the wider range, further apart they are two", () => {
    expect(ranges([point(5), point(6, { cell: "cart @1" })])).toEqual([[4, 6, false]]);
    expect(ranges([point(5), point(7, { cell: "cart @1" })])).toEqual([
      [4, 5, false],
      [6, 7, false],
    ]);
    // No chain: the third is two away from the first.
    expect(ranges([point(5), point(6, { cell: "cart @1" }), point(7, { cell: "pay @1" })])).toEqual([
      [4, 6, false],
      [6, 7, false],
    ]);
  });

  test("one for the better is none, and ends one of the same test that it takes back by half", () => {
    expect(ranges([point(5, { ratio: 1.3 })])).toEqual([]);
    expect(ranges([point(5), point(8, { ratio: 1.25 })])).toEqual([[4, 5, true]]);
    expect(ranges([point(5), point(8, { ratio: 1.12 })])).toEqual([[4, 5, true]]);
    expect(ranges([point(5), point(8, { ratio: 1.11 })])).toEqual([[4, 5, false]]);
    expect(ranges([point(5), point(8, { ratio: 1.25, cell: "cart @1" })])).toEqual([[4, 5, false]]);
    expect(ranges([point(5), point(8, { ratio: 0.6, metric: "latency" })])).toEqual([[4, 5, false]]);
    expect(ranges([point(5, { metric: "latency", ratio: 2 }), point(8, { metric: "latency", ratio: 0.6 })])).toEqual([
      [4, 5, true],
    ]);
  });

  test("one of several cells that is back does not end it", () => {
    expect(ranges([point(5), point(5, { cell: "cart @1" }), point(8, { ratio: 1.25 })])).toEqual([[4, 5, false]]);
  });

  test("what lies before does not take it back", () => {
    expect(ranges([point(3, { ratio: 1.25 }), point(5)])).toEqual([[4, 5, false]]);
  });

  test("records that are gone: left out", () => expect(ranges([point(5, { before: "gone" })])).toEqual([]));
});

describe("the verdict of a night", () => {
  /** Each against 12 records. */
  const cell = (name: string, ...tests: [metric: string, verdict: string, ratio: number][]) =>
    ({
      cell: { id: name },
      tests: tests.map(([metric, verdict, ratio]) => ({
        metric,
        verdict,
        estimate: Number.isNaN(ratio) ? null : { n: 12, ratio, low: ratio - 0.1, high: ratio + 0.1 },
      })),
    }) as unknown as CellResult;
  const of = (...cells: CellResult[]) =>
    ({ cells, stored: { records: [{ commit: commit(11) }, { commit: commit(10) }] } }) as unknown as Comparison;
  const now = night(12);
  const all = [...records, now];
  const red = of(cell("shop @20", ["qps", "regression", 0.8]));

  test("what is red is slower since the newest record", () => {
    const found = slowdownOf(
      of(
        cell("a", ["qps", "regression", 0.8], ["latency", "inconclusive", 1.3]),
        cell("b", ["latency", "regression", 2]),
        cell("c", ["min-qps", "regression", 0.5]),
      ),
      now,
      all,
      [],
    );
    expect(found).toMatchObject({ located: false, before: commit(11), after: commit(12), over: false });
    expect(found?.losses.map(({ cell: name }) => name)).toEqual(["b", "a"]);
  });

  test("nothing red, no estimate, or no record to compare with: nothing", () => {
    expect(slowdownOf(of(cell("a", ["qps", "pass", 0.99])), now, all, [])).toBeNull();
    expect(slowdownOf(of(cell("a", ["qps", "regression", Number.NaN])), now, all, [])).toBeNull();
    expect(slowdownOf({ ...red, stored: undefined } as unknown as Comparison, now, all, [])).toBeNull();
  });

  test("a step within its records that is located already is no news; one before them all is no excuse", () => {
    const step = (at: number) => locatedSlowdowns([point(at)], records);
    expect(slowdownOf(red, now, all, step(8))).toBeNull();
    const since = {
      ...red,
      cells: [
        {
          ...red.cells[0],
          tests: [{ ...red.cells[0]?.tests[0], estimate: { n: 4, ratio: 0.8, low: 0.7, high: 0.9 } }],
        },
      ],
    };
    expect(slowdownOf(since as unknown as Comparison, now, all, step(8))).not.toBeNull();
    expect(slowdownOf(red, now, all, locatedSlowdowns([point(8), point(10, { ratio: 1.3 })], records))).not.toBeNull();
    expect(slowdownOf(red, now, all, locatedSlowdowns([point(8, { cell: "cart @1" })], records))).not.toBeNull();
  });
});

describe("whether it is back", () => {
  const range = { before: commit(9), after: commit(10) };
  const tests = [{ cell: "shop @20", metric: "qps" as const }];
  const back = (all: readonly HistoryRecord[], within = range, of: Parameters<typeof isBack>[3] = tests) =>
    isBack(all.at(-1) ?? night(99), all, within, of);
  /** Ten nights at 1, then these. */
  const then = (...levels: number[]) => [...nights(10), ...levels.map((level, at) => night(10 + at, { level }))];

  test("in the middle between before and after it turns", () => {
    expect(back(then(0.8, 0.91))).toBe(true);
    expect(back(then(0.8, 0.88))).toBe(false);
    expect(back(then(0.8, 0.81, 0.99))).toBe(true);
  });

  test("every test has to be", () => {
    const two = [...tests, { cell: "cart @1", metric: "qps" as const }];
    const mixed = [...nights(10), night(10, { level: 0.8 }), night(11, { levels: { "cart @1": 0.8 } })];
    expect(back(mixed, range, two)).toBe(false);
    expect(back(mixed)).toBe(true);
  });

  test("a latency is back when it falls", () => {
    const latency = [{ cell: "shop @20", metric: "latency" as const }];
    expect(back(then(0.8, 1), range, latency)).toBe(true);
    expect(back(then(0.8, 0.8), range, latency)).toBe(false);
  });

  test("the same commit measured again counts as a night", () => {
    const again = [...nights(10), night(9, { level: 0.8, day: 10 }), night(9, { day: 11 })];
    expect(back(again, { before: commit(9), after: commit(9) })).toBe(true);
  });

  test.each([
    ["on its own night", then(0.8)],
    ["without records before", [night(10, { level: 0.8 }), night(11)]],
    ["on another machine", [...then(0.8), night(11, { cpuModel: "other" })]],
    ["against another anchor", [...then(0.8), night(11, { anchor: "v2" })]],
    ["asked for something else", [...then(0.8), night(11, { suite: "0".repeat(12) })]],
    ["with nothing recorded", []],
  ])("%s: not known, so no", (_, all) => expect(back(all)).toBe(false));

  test("without a test: no", () => expect(back(then(0.8, 1), range, [])).toBe(false));
});

test("commits stand where they were first recorded", () => {
  const order = positions([night(3), night(5), night(3, { day: 6 }), night(4)]);
  expect([...order]).toEqual([
    [commit(3), 0],
    [commit(5), 1],
    [commit(4), 2],
  ]);
});

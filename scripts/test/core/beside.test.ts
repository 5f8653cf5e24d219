import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { describe, expect, test } from "vitest";
import { chained } from "../../src/core/beside.ts";
import { compare } from "../../src/core/compare.ts";
import type { Comparison } from "../../src/core/model.ts";
import { type HistoryRecord, NO_ANCHOR, REFERENCE } from "../../src/core/record.ts";
import { ANCHOR, besideOf, linesOf, type Made, onDay, recordFor, records, storedPlan } from "./stored-support.ts";
import { censusOf, scenariosYaml } from "./support.ts";

const NOISE = 0.03;
const at = (logRatio: number, sd = 0, rounds = 8) => ({ logRatio, sd, rounds });

describe("this run's ratio on top of where the records stand", () => {
  // H = 3, z = -1%, 0, +1%: s2 = (4 x 0.0009 + 0.0002) / 6 = 0.00063333, df 6; over 3 records 0.00021111. The run's own:
  // 4%^2 / 8 = 0.0002, df 7. Sum 0.00041111, df = 0.00041111^2 / (0.00021111^2/6 + 0.0002^2/7) = 12.860,
  // T^-1(0.975, 12.860) = 2.16275, half = 4.3852%.
  test("by hand: three records", () => {
    const { n, ratio, low, high } = chained(at(-0.02, 0.04), [at(0.19), at(0.2), at(0.21)], null, NOISE);
    expect(n).toBe(3);
    expect(Math.log(ratio)).toBeCloseTo(0.18, 10);
    expect(Math.log(high) - 0.18).toBeCloseTo(0.04385, 5);
    expect(0.18 - Math.log(low)).toBeCloseTo(0.04385, 5);
  });

  // The records' part is s2 (1/3 + 1/2) = 0.00052778: sum 0.00072778, df = 10.159, T^-1 = 2.22343.
  test("by hand: against two older ones", () => {
    const { ratio, high } = chained(at(-0.02, 0.04), [at(0.19), at(0.2), at(0.21)], [at(0.3), at(0.5)], NOISE);
    expect(Math.log(ratio)).toBeCloseTo(-0.02 + 0.2 - 0.4, 10);
    expect(Math.log(high / ratio)).toBeCloseTo(0.05998, 5);
  });

  test.each([1, 5, 20])("the interval holds the truth in 95 of 100 jobs, with %d records", (count) => {
    const random = xoroshiro128plus(11);
    const normal = () =>
      Math.sqrt(-2 * Math.log(1 - uniformFloat64(random))) * Math.cos(2 * Math.PI * uniformFloat64(random));
    const runs = 4000;
    let held = 0;
    for (let run = 0; run < runs; run++) {
      const history = Array.from({ length: count }, () => at(0.2 + NOISE * normal()));
      const rounds = Array.from({ length: 8 }, () => -0.02 + 0.04 * normal());
      const mean = rounds.reduce((sum, x) => sum + x, 0) / 8;
      const sd = Math.sqrt(rounds.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 7);
      const { low, high } = chained(at(mean, sd), history, null, NOISE);
      if (Math.log(low) < 0.18 && Math.log(high) > 0.18) held++;
    }
    expect(held / runs).toBeGreaterThan(0.94);
    // With few records the prior, which is right here, counts for less than it knows.
    expect(held / runs).toBeLessThan(0.995);
  });
});

describe("a run with a measured base, beside records of its branch", () => {
  const measured = storedPlan(scenariosYaml(2));
  const plan = besideOf(measured);

  function result(history: HistoryRecord[], made: Made = {}, of = plan): Comparison {
    const kept = { version: 1 as const, planId: of.id, missing: false, records: history };
    return compare({
      plan: of,
      census: censusOf(of),
      environment: onDay(of, 30),
      lines: linesOf(of, { seed: 5, ...made }),
      history: kept,
      damaged: [],
    });
  }
  /** Ten records from this day on, each of a commit of its own. */
  const days = (from: number, ratio: (cell: string) => number, over: Partial<HistoryRecord> = {}) =>
    Array.from({ length: 10 }, (_, i) => {
      const day = from + i;
      return recordFor(
        measured,
        { ratio, seed: 200 + day, day },
        { commit: day.toString(16).padStart(40, "0"), ...over },
      );
    });
  const reference = { anchor: { label: REFERENCE, id: `sha256:${"a".repeat(64)}` } };

  test("says how far the head is from the anchor", () => {
    const { beside, cells } = result(records(measured, 8, { ratio: () => 0.9 }), { ratio: () => 0.95 });
    expect(beside).toMatchObject({ since: "v1.4.0", anchor: ANCHOR, branch: "main", missing: false });
    expect(beside?.records).toHaveLength(8);
    for (const { since } of cells) {
      expect(since?.qps.n).toBe(8);
      expect(since?.qps.ratio).toBeCloseTo(0.9 * 0.95, 1);
      expect(since?.latency?.ratio).toBeCloseTo(1 / (0.9 * 0.95), 1);
      expect(since?.qps.low).toBeLessThan(0.9 * 0.95);
      expect(since?.qps.high).toBeGreaterThan(0.9 * 0.95);
    }
  });

  test.each([1, 0.93, 0.5])("is judged as without them, at %d of the base", (ratio) => {
    const { beside, cells, ...shown } = result(records(measured, 8, { ratio: () => 0.7 }), { ratio: () => ratio });
    const { cells: same, ...without } = result([], { ratio: () => ratio });
    expect(beside).toBeDefined();
    expect(shown).toEqual(without);
    expect(cells.map(({ since: _, ...cell }) => cell)).toEqual(same);
  });

  test("stands on what came after the last step of each cell", () => {
    const lost = (cell: string) => (cell === "s0 @20" ? 0.8 : 1);
    const { cells } = result([...days(1, () => 1), ...days(11, lost)]);
    expect(cells.map(({ since }) => [since?.qps.n, since?.qps.ratio.toFixed(1)])).toEqual([
      [10, "0.8"],
      [20, "1.0"],
    ]);
  });

  test("beside another application it is against the oldest records, as a ratio to that says nothing", () => {
    const before = days(1, () => 3, reference);
    const lost = (cell: string) => (cell === "s0 @20" ? 2.4 : 3);
    const { beside, cells } = result([...before, ...days(11, lost, reference)]);
    expect(beside?.since).toBe("2026-11-01");
    expect(beside?.records).toHaveLength(20);
    expect(cells.map(({ since }) => since?.qps.ratio.toFixed(1))).toEqual(["0.8", "1.0"]);
    // Without a step both are the same records, and the records still differ among themselves.
    const [same] = result(before).cells;
    const [qps] = same?.tests ?? [];
    expect(same?.since?.qps.ratio).toBeCloseTo(qps?.estimate?.ratio ?? Number.NaN, 2);
    expect(same?.since?.qps.low).toBeLessThan(qps?.estimate?.low ?? 0);
  });

  test("says the day of the oldest records where all cells have the same", () => {
    const [first, ...rest] = days(1, () => 3, reference);
    const younger = { ...first, cells: first?.cells.slice(0, 1) } as HistoryRecord;
    const { beside, cells } = result([younger, ...rest]);
    expect(beside?.since).toBe("the first records");
    expect(cells.map(({ since }) => since?.qps.n)).toEqual([10, 9]);
  });

  test("shows nothing of a cell that no record has, or that asked for something else", () => {
    const history = records(measured, 5).map((record) => ({ ...record, cells: record.cells.slice(0, 1) }));
    const { cells } = result(history);
    expect(cells.map(({ since }) => since === null)).toEqual([false, true]);
    const suites = { ...measured.stored.suites, "s0 @20": "0".repeat(12) };
    const other = result(records(measured, 5), {}, besideOf({ ...measured, stored: { ...measured.stored, suites } }));
    expect(other.cells.map(({ since }) => since === null)).toEqual([true, false]);
  });

  test("shows nothing at all where no record compares", () => {
    const must = { ...records(measured, 1)[0]?.conditions.must, php: "8.3" } as HistoryRecord["conditions"]["must"];
    for (const history of [
      [],
      records(measured, 3).map((record) => ({ ...record, branch: "dev" })),
      records(measured, 3).map((record) => ({ ...record, conditions: { ...record.conditions, must } })),
      records(measured, 3).map((record) => ({ ...record, cells: [] })),
      records(measured, 3).map((record) => ({ ...record, anchor: { label: NO_ANCHOR, id: NO_ANCHOR } })),
    ]) {
      const { beside, cells } = result(history);
      expect(beside).toBeUndefined();
      expect(cells.every((cell) => !("since" in cell))).toBe(true);
    }
  });

  test("takes the anchor of the newest record, and figures of other programs for none", () => {
    const older = records(measured, 3).map((record) => ({
      ...record,
      anchor: { label: "v1.3.0", id: "b".repeat(40) },
    }));
    const imported = records(measured, 3).map((record) => ({ ...record, anchor: { label: NO_ANCHOR, id: NO_ANCHOR } }));
    const { beside } = result([...older, ...records(measured, 2), ...imported]);
    expect(beside).toMatchObject({ since: "v1.4.0" });
    expect(beside?.records).toHaveLength(2);
  });

  test("has nothing to add to a cell with too few rounds", () => {
    expect(result(records(measured, 5), { rounds: 5 }).beside).toBeUndefined();
  });
});

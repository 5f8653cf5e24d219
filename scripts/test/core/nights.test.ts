import { describe, expect, test } from "vitest";
import { nightsOf } from "../../src/core/nights.ts";

const at = (day: string) => `${day}T03:00:00Z`;
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => at(`2026-11-${String(first + i).padStart(2, "0")}`));

describe("missing nights", () => {
  test("are none without records", () => {
    expect(nightsOf([], at("2026-11-20"))).toEqual({
      missing: [],
      recent: { expected: 0, missing: 0 },
      daysSinceLast: null,
    });
  });

  test("are the days between records, and since the last one; today is not over", () => {
    const recorded = [...range(1, 10), ...range(13, 17)];
    expect(nightsOf(recorded, "2026-11-20T00:30:00Z")).toEqual({
      missing: ["2026-11-11", "2026-11-12", "2026-11-18", "2026-11-19"],
      recent: { expected: 19, missing: 4 },
      daysSinceLast: 3,
    });
    expect(nightsOf(recorded.toReversed(), at("2026-11-17"))).toMatchObject({ daysSinceLast: 0 });
  });

  test("are counted by UTC dates, several records a day as one", () => {
    const recorded = ["2026-11-01T23:59:59Z", "2026-11-02T00:00:01Z", "2026-11-02T12:00:00Z", "2026-11-03T05:00:00Z"];
    expect(nightsOf(recorded, at("2026-11-04")).missing).toEqual([]);
  });

  test("of a weekly run are weeks", () => {
    const recorded = ["2026-10-04", "2026-10-11", "2026-10-18", "2026-11-01"].map(at);
    expect(nightsOf(recorded, at("2026-11-12"))).toEqual({
      missing: ["2026-10-25", "2026-11-08"],
      recent: { expected: 4, missing: 2 },
      daysSinceLast: 11,
    });
  });

  test("of one record are all since, at most a year", () => {
    expect(nightsOf([at("2026-11-18")], at("2026-11-20")).missing).toEqual(["2026-11-19"]);
    const long = nightsOf([at("0001-01-01")], at("2026-11-20"));
    expect(long.missing).toHaveLength(366);
    expect(long.missing.at(-1)).toBe("2026-11-19");
    expect(long.recent).toEqual({ expected: 30, missing: 30 });
  });

  test("are none after a record of tomorrow", () => {
    expect(nightsOf([at("2026-11-25")], at("2026-11-20"))).toMatchObject({ missing: [], daysSinceLast: 0 });
  });
});

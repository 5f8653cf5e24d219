import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { changePoints, levelOf, SMALLEST, trendOf } from "../../src/core/change-points.ts";
import type { HistoryRecord } from "../../src/core/record.ts";
import { distanceSums, mostDivergent, Stretches, stepsOf } from "../../src/core/stats/steps.ts";
import { history, normals } from "../history-fixtures.ts";

const FIXTURES = fileURLToPath(new URL("./fixtures/", import.meta.url));

function indexes(values: readonly number[], tests = 1): number[] {
  return stepsOf(new Stretches(values), levelOf(tests), SMALLEST).map(({ index }) => index);
}

/** `levels` of [length, mean], with noise. */
function series(levels: readonly (readonly [number, number])[], noise: number, seed = 1): number[] {
  const normal = normals(seed);
  return levels.flatMap(([length, mean]) => Array.from({ length }, () => mean + noise * normal()));
}

describe("beside apache-otava", () => {
  /** Steps of at least five times the noise, in series shorter and longer than a window. */
  const EXAMPLES: Record<string, number[]> = Object.fromEntries(
    [
      [
        [30, 0],
        [30, 0.1],
      ],
      [
        [30, 0],
        [30, -0.1],
      ],
      [
        [12, 0],
        [8, 0.2],
      ],
      [
        [40, 0],
        [40, 0.1],
        [40, 0],
      ],
      [
        [60, 0],
        [55, 0.1],
        [70, -0.05],
        [15, 0.06],
      ],
      [
        [25, 0.3],
        [25, 0.2],
        [25, 0.1],
        [25, 0],
      ],
      [
        [150, 0],
        [150, -0.12],
      ],
      [
        [49, 0],
        [51, 0.1],
      ],
      [
        [200, 0],
        [10, 0.1],
        [200, 0],
      ],
    ].map((levels, i) => [`series ${i + 1}`, series(levels as [number, number][], 0.02, i + 1)]),
  );
  const file = join(FIXTURES, "otava.json");

  test.skipIf(process.env["OTAVA"] === undefined)("its answers are written anew", () => {
    const script = join(FIXTURES, "otava_steps.py");
    const done = spawnSync(process.env["OTAVA"] ?? "", [script], { input: JSON.stringify(EXAMPLES), encoding: "utf8" });
    expect(done.stderr).toBe("");
    writeFileSync(file, `${JSON.stringify(JSON.parse(done.stdout), null, 2)}\n`);
  });

  const theirs: Record<string, number[]> = JSON.parse(readFileSync(file, "utf8"));
  test.each(Object.keys(EXAMPLES))("%s: the same steps, at most one place off", (name) => {
    const ours = indexes(EXAMPLES[name] ?? []);
    const answer = theirs[name] ?? [];
    expect(answer.length).toBeGreaterThan(0);
    for (const index of ours)
      expect(Math.min(...answer.map((other) => Math.abs(other - index)))).toBeLessThanOrEqual(1);
    // What only it finds is a false alarm: its level of p is that of a single split.
    expect(ours.length).toBeLessThanOrEqual(answer.length);
  });
});

test("the energy distance is that of Matteson and James, over every split and end", () => {
  const values = series(
    [
      [7, 0],
      [6, 0.05],
      [7, 0],
    ],
    0.02,
  );
  const mean = (pairs: readonly number[]) => pairs.reduce((sum, value) => sum + value, 0) / pairs.length;
  const within = (part: readonly number[]) =>
    mean(part.flatMap((x, i) => part.slice(i + 1).map((y) => Math.abs(x - y))));
  let best = { index: 0, until: 0, divergence: 0 };
  for (let index = 5; index <= 15; index++) {
    for (let until = index + 3; until <= 18; until++) {
      const [left, right] = [values.slice(2, index), values.slice(index, until)];
      const [m, n] = [left.length, right.length];
      const across = mean(left.flatMap((x) => right.map((y) => Math.abs(x - y))));
      const divergence = ((m * n) / (m + n)) * (2 * across - within(left) - within(right));
      if (divergence > best.divergence) best = { index, until, divergence };
    }
  }
  const found = mostDivergent(distanceSums(values), values.length + 1, 2, 18);
  expect(found).toEqual({ ...best, divergence: expect.closeTo(best.divergence, 12) });
});

describe("steps of a series", () => {
  test("are where they were put", () => {
    expect(
      indexes(
        series(
          [
            [30, 0],
            [30, 0.1],
          ],
          0.02,
        ),
      ),
    ).toEqual([30]);
    expect(
      indexes(
        series(
          [
            [200, 0],
            [30, -0.1],
            [200, 0],
          ],
          0.02,
        ),
      ),
    ).toEqual([200, 230]);
  });

  test("are none in noise, in nothing, in values that are all the same", () => {
    for (let seed = 1; seed <= 20; seed++) expect(indexes(series([[100, 0]], 0.02, seed), 16)).toEqual([]);
    for (let n = 0; n < 8; n++) expect(indexes(series([[n, 0]], 0.02))).toEqual([]);
    expect(indexes(Array.from({ length: 60 }, () => 0.25))).toEqual([]);
  });

  test("are seen three nights after a step of five times the noise, not before", () => {
    const values = series(
      [
        [30, 0],
        [3, -0.1],
      ],
      0.01,
    );
    expect(indexes(values.slice(0, -1))).toEqual([]);
    expect(indexes(values)).toEqual([30]);
  });

  test("are none where a night or two stand alone, at the end as well", () => {
    const values = series([[60, 0]], 0.02);
    for (const bad of [[30], [30, 31], [30, 33], [58, 59], [59], [0, 1]]) {
      expect(indexes(values.map((value, i) => (bad.includes(i) ? value - 0.4 : value))), bad.join()).toEqual([]);
    }
    const three = values.map((value, i) => (i >= 30 && i < 33 ? value - 0.4 : value));
    expect(indexes(three)).toEqual([30, 33]);
  });

  test("are not hidden by single bad nights", () => {
    const values = series(
      [
        [30, 0],
        [30, -0.1],
      ],
      0.02,
    ).map((value, i) => (i % 9 === 4 ? value - 0.4 : value));
    expect(indexes(values)).toEqual([30]);
  });

  test("below 1% are left out, however sure", () => {
    expect(
      indexes(
        series(
          [
            [100, 0],
            [100, 0.008],
          ],
          0.001,
        ),
      ),
    ).toEqual([]);
    expect(
      indexes(
        series(
          [
            [100, 0],
            [100, 0.012],
          ],
          0.001,
        ),
      ),
    ).toEqual([100]);
  });

  test("need more evidence where more is watched", () => {
    // Two levels 0.03 apart, all values 0.02 from theirs: t = 0.03 / (0.0203 * sqrt(2/30)) = 5.7, p = 4e-7.
    const values = Array.from({ length: 60 }, (_, i) => (i < 30 ? 0 : 0.03) + (i % 2 === 0 ? 0.02 : -0.02));
    expect([indexes(values, 1), indexes(values, 1000)]).toEqual([[30], []]);
  });
});

describe("change points of records", () => {
  const step = (at: number, change: number) => (night: number) => (night < at ? 0 : Math.log(1 + change));

  test("name the records around them, the size with its interval, and what is worse", () => {
    const records = history({ nights: 60, level: step(40, -0.1) });
    const points = changePoints(records);
    expect(points.map(({ cell, metric, worse }) => [cell, metric, worse])).toEqual(
      expect.arrayContaining([
        ["home @20", "qps", true],
        ["home @20", "latency", true],
      ]),
    );
    for (const { before, after, ratio, low, high, metric } of points) {
      expect([before, after]).toEqual([records[39]?.id, records[40]?.id]);
      const truth = metric === "qps" ? 0.9 : 1 / 0.9;
      expect(low).toBeLessThan(truth);
      expect(high).toBeGreaterThan(truth);
      expect(Math.abs(ratio / truth - 1)).toBeLessThan(0.02);
    }
    const back = changePoints(history({ nights: 60, level: step(40, 0.1) }));
    expect(back.map(({ worse }) => worse)).toEqual([false, false]);
  });

  test("take the 95% interval of two means: by hand from Student's t", () => {
    // Means 0 and -0.2 of ten values each that are 0.01 from them: variance 10 * 0.01^2 * 2 / 18, se = 0.0047140,
    // t(0.975, 18) = 2.1009, so half = 0.0099037.
    const records = history({ nights: 20, noise: 0, level: (n) => (n < 10 ? 0 : -0.2) + (n % 2 === 0 ? 0.01 : -0.01) });
    const [point] = changePoints(records).filter(({ metric }) => metric === "qps");
    expect(Math.log(point?.ratio ?? 0)).toBeCloseTo(-0.2, 10);
    expect(Math.log(point?.low ?? 0)).toBeCloseTo(-0.2099037, 5);
    expect(Math.log(point?.high ?? 0)).toBeCloseTo(-0.1900963, 5);
  });

  test("are not moved, made or hidden by commits that are measured again", () => {
    const records = history({ nights: 60, level: step(40, -0.1) });
    const clean = changePoints(records);
    const old = records[10] as HistoryRecord;
    const again = Array.from({ length: 20 }, (_, i) => ({
      ...old,
      id: `again${i}`.padEnd(16, "0"),
      recordedAt: new Date(Date.parse(records[59]?.recordedAt ?? "") + i * 1000).toISOString(),
    }));
    const more = changePoints([...records, ...again]);
    expect(more.map(({ before, after }) => [before, after])).toEqual(clean.map(({ before, after }) => [before, after]));
    // The first record of the commit after and the last of the one before.
    const twice = records.flatMap((record) => [
      record,
      { ...record, id: `x${record.id.slice(1)}`, recordedAt: record.recordedAt.replace("T02", "T03") },
    ]);
    expect(changePoints(twice)[0]).toMatchObject({ before: `x${records[39]?.id.slice(1)}`, after: records[40]?.id });
    expect(changePoints([...records].reverse())).toEqual(clean);
  });

  test("of cells that step together are one event; at different commits they are two", () => {
    const cells = ["a", "b", "c", "d"];
    const together = changePoints(history({ nights: 80, cells, noise: 0.025, level: step(50, -0.07) }));
    expect(together).toHaveLength(8);
    expect(new Set(together.map(({ before, after }) => `${before} ${after}`)).size).toBe(1);
    const apart = changePoints(
      history({ nights: 80, cells, level: (n, cell) => step(cell === "a" ? 50 : 52, -0.2)(n) }),
    );
    expect(new Set(apart.map(({ after }) => after)).size).toBe(2);
  });

  test("are where eight cells together say, though each alone is not sure", () => {
    const cells = Array.from({ length: 8 }, (_, i) => `scenario ${i} @20`);
    const records = history({ nights: 600, cells, seed: 2, level: (night) => (night % 200 < 100 ? 0 : -0.05) });
    const places = new Map(records.map(({ id }, night) => [id, night]));
    const nights = changePoints(records).map(({ after }) => places.get(after));
    expect(nights).toEqual([100, 200, 300, 400, 500].flatMap((night) => Array(16).fill(night)));
  });

  test("are none between different anchors, machines and scenarios", () => {
    const drop = (record: HistoryRecord, night: number) =>
      night < 40 ? record : { ...record, cells: record.cells.map((cell) => ({ ...cell, suite: "0123456789ab" })) };
    const anchor = (record: HistoryRecord, night: number) =>
      night < 40 ? record : { ...record, anchor: { label: "v1.5.0", id: "1".repeat(40) } };
    const cpu = (record: HistoryRecord, night: number) =>
      night < 40
        ? record
        : { ...record, conditions: { ...record.conditions, must: { ...record.conditions.must, cpuModel: "other" } } };
    for (const change of [drop, anchor, cpu]) {
      const records = history({ nights: 80, level: step(40, -0.2), change });
      expect(changePoints(records)).toEqual([]);
      expect(trendOf(records).series).toHaveLength(4);
    }
  });

  test("are found on each of two machines that take turns, and told once", () => {
    const records = history({
      nights: 100,
      noise: 0.01,
      level: (night) => (night < 60 ? 0 : -0.1) + (night % 2 === 0 ? 0 : 0.3),
      change: (record, night) =>
        night % 2 === 0
          ? record
          : { ...record, conditions: { ...record.conditions, must: { ...record.conditions.must, cpuModel: "other" } } },
    });
    const points = changePoints(records);
    expect(points.map(({ metric }) => metric).sort()).toEqual(["latency", "qps"]);
    expect(points[0]).toMatchObject({ before: records[59]?.id, after: records[60]?.id });
  });

  test("are not looked for where there is no anchor", () => {
    const records = history({
      nights: 60,
      level: step(40, -0.3),
      change: (record) => ({ ...record, anchor: { label: "imported", id: "none" } }),
    });
    expect(changePoints(records)).toEqual([]);
    expect(trendOf(records).series.every(({ absolute }) => absolute)).toBe(true);
  });

  test("cost as much per record in a long history as in a short one", () => {
    const cells = ["a", "b", "c", "d"];
    const level = (night: number) => (night % 100 < 50 ? 0 : -0.06);
    const long = history({ nights: 2000, cells, level });
    const short = long.slice(0, 500);
    // CPU time: it hardly grows where others are busy.
    const time = (records: readonly HistoryRecord[]) => {
      const start = process.cpuUsage();
      trendOf(records);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    // In turns, as neighbours come and go.
    const times = Array.from({ length: 9 }, () => [time(short), time(long)] as const);
    const least = (of: 0 | 1) => Math.min(...times.map((pair) => pair[of]));
    expect(least(1) / least(0)).toBeLessThan(8);
  });
});

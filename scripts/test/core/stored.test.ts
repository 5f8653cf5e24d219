import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { describe, expect, test } from "vitest";
import type { SlotSample, StoredBase } from "../../src/core/model.ts";
import { cellsOf } from "../../src/core/plan.ts";
import { conditionsOf, type HistoryRecord, REFERENCE, recordOf, suiteOf, suitesOf } from "../../src/core/record.ts";
import { next, RECORD_ROUNDS, replay } from "../../src/core/replay.ts";
import { comparable, judgeStored, worthKeeping } from "../../src/core/stored.ts";
import { sha256 } from "../../src/phases/work-directory.ts";
import { ANCHOR, COMMIT, judged, linesOf, onDay, recordFor, records, storedPlan } from "./stored-support.ts";
import { censusOf, environmentOf, planOf, scenariosYaml } from "./support.ts";

// ---------------------------------------------------------------- the rule

/** Standard normal deviates (Box-Muller) from a seed. */
function deviates(seed: number): () => number {
  const random = xoroshiro128plus(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniformFloat64(random))) * Math.cos(2 * Math.PI * uniformFloat64(random));
}

/** A job that knows its own ratio well. */
const sharp = (logRatio: number) => ({ logRatio, sd: 0, rounds: RECORD_ROUNDS });

/** Shares of red and green verdicts over simulated jobs, %: `records` of them unchanged, then one with this change. */
function simulate(sd: number, records: number, change: number): { red: number; green: number } {
  const normal = deviates(7);
  const runs = 4000;
  const count = { pass: 0, regression: 0, inconclusive: 0 };
  for (let run = 0; run < runs; run++) {
    const history = Array.from({ length: records }, () => sharp(sd * normal()));
    const rule = { tests: 17, alpha: 0.05, beta: 0.05, noise: 0.03 };
    const fresh = Math.log1p(change) + sd * normal();
    count[judgeStored(sharp(fresh), history, { line: 0.9, direction: 1 }, rule).verdict]++;
  }
  return { red: (100 * count.regression) / runs, green: (100 * count.pass) / runs };
}

/** Percentage points that 4,000 runs and a table in whole percents may be apart: three standard errors and a half. */
const TOLERANCE = (share: number) => 300 * Math.sqrt(Math.max(share * (100 - share), 100) / 1e4 / 4000) + 0.5;

describe("one run against the records: error rates", () => {
  // sd between jobs, records, unchanged: green, -20%: red, -30%: red; percent.
  test.each([
    [0.02, 1, 70, 0, 81],
    [0.02, 5, 99, 72, 100],
    [0.02, 20, 100, 99, 100],
    [0.03, 5, 91, 48, 100],
    [0.03, 20, 95, 78, 100],
    [0.05, 20, 68, 31, 97],
  ])("sd %d, %d records", (sd, records, green, red20, red30) => {
    const unchanged = simulate(sd, records, 0);
    expect(unchanged.red).toBeLessThan(0.5);
    expect(Math.abs(unchanged.green - green)).toBeLessThan(TOLERANCE(green));
    expect(Math.abs(simulate(sd, records, -0.2).red - red20)).toBeLessThan(TOLERANCE(red20));
    expect(Math.abs(simulate(sd, records, -0.3).red - red30)).toBeLessThan(TOLERANCE(red30));
  });

  test("exactly on the line is red in no more than alpha of the runs, all tests together", () => {
    expect(17 * simulate(0.03, 20, -0.1).red).toBeLessThan(5 + 17 * 0.2);
  });
});

describe("one comparison with records", () => {
  const rule = { tests: 1, alpha: 0.05, beta: 0.05, noise: 0.03 };
  const qps = { line: 0.9, direction: 1 as const };
  const p99 = { line: 1.3, direction: -1 as const };

  // By hand, H = 1: s = noise = 3%, se = 3% x sqrt 2 = 4.243%, df = 4, T^-1(0.95, 4) = 2.1318: half = 9.045%.
  test("by hand: one record, half-width 9.045% on both sides", () => {
    const { estimate, verdict } = judgeStored(sharp(0.01), [sharp(0.01)], qps, rule);
    expect(Math.log(estimate.high)).toBeCloseTo(0.09045, 4);
    expect(Math.log(estimate.low)).toBeCloseTo(-0.09045, 4);
    expect(estimate).toMatchObject({ n: 1, ratio: 1 });
    expect(verdict).toBe("pass"); // ln 0.9 = -0.1054
  });

  // H = 3, z = -1%, 0, +1%: s2 = (4 x 0.0009 + 0.0002) / 6 = 0.00063333, se = sqrt(s2 x 4/3) = 2.906%, df = 6.
  test("by hand: three records", () => {
    const { estimate } = judgeStored(sharp(-0.2), [-0.01, 0, 0.01].map(sharp), qps, rule);
    expect(Math.log(estimate.high) + 0.2).toBeCloseTo(1.94318 * 0.02906, 4);
  });

  // As with one record, and 16% / sqrt 8 = 5.657% more of its own: se = sqrt(0.0018 + 0.0032) = 7.071%.
  test("by hand: a run that knows its ratio worse than the records did", () => {
    const { estimate } = judgeStored({ logRatio: 0, sd: 0.16, rounds: 8 }, [sharp(0)], qps, rule);
    expect(Math.log(estimate.high)).toBeCloseTo(2.1318 * 0.07071, 4);
    const { estimate: better } = judgeStored(sharp(0), [{ logRatio: 0, sd: 0.16, rounds: 8 }], qps, rule);
    expect(Math.log(better.high)).toBeCloseTo(0.09045, 4);
  });

  test("the interval is on one side of the line exactly where the verdict is red or green", () => {
    const normal = deviates(3);
    for (let i = 0; i < 500; i++) {
      const logRatios = Array.from({ length: 1 + (i % 20) }, () => sharp(0.04 * normal()));
      for (const test of [qps, p99]) {
        const { verdict, estimate } = judgeStored(sharp(-0.3 + 0.6 * ((i % 50) / 50)), logRatios, test, rule);
        const [bad, good] =
          test.direction === 1 ? [estimate.low, estimate.high] : [1 / estimate.high, 1 / estimate.low];
        const line = test.direction === 1 ? test.line : 1 / test.line;
        expect(verdict).toBe(good < line ? "regression" : bad > line ? "pass" : "inconclusive");
      }
    }
  });

  test("a higher latency is worse", () => {
    expect(judgeStored(sharp(0.8), [0, 0, 0].map(sharp), p99, rule).verdict).toBe("regression");
    expect(judgeStored(sharp(-0.8), [0, 0, 0].map(sharp), p99, rule).verdict).toBe("pass");
  });
});

// ---------------------------------------------------------------- runs and records

describe("a run that is compared with records", () => {
  const plan = storedPlan(scenariosYaml(2));

  test("has a fixed number of clean rounds in every cell, and is never confirmed", () => {
    for (const ratio of [1, 0.5]) {
      const before = linesOf(plan, { ratio: () => ratio, rounds: RECORD_ROUNDS - 1 });
      expect(next(replay(plan, censusOf(plan), before))).toEqual({ kind: "measure", cells: ["s0 @20", "s1 @20"] });
      const all = linesOf(plan, { ratio: () => ratio });
      expect(next(replay(plan, censusOf(plan), all))).toEqual({ kind: "done", capped: true });
    }
  });

  test("measures a cell again that lost a round, and no other", () => {
    const change = ({ block, cell }: SlotSample) =>
      block === 2 && cell === "s1 @20" ? { events: ["oom-killed" as const] } : {};
    const lines = linesOf(plan, { change });
    expect(next(replay(plan, censusOf(plan), lines))).toEqual({ kind: "measure", cells: ["s1 @20"] });
  });

  test("passes where nothing changed, and says by what it was judged", () => {
    const result = judged(plan, records(plan, 5));
    expect(result.verdict).toBe("pass");
    expect(result.cells.map(({ tests }) => tests.map(({ id, line, estimate }) => [id, line, estimate?.n]))).toEqual([
      [
        ["s0 @20/qps", 0.9, 5],
        ["s0 @20/latency", 1.3, 5],
      ],
      [
        ["s1 @20/qps", 0.9, 5],
        ["s1 @20/latency", 1.3, 5],
      ],
    ]);
    expect(result.tests).toBe(4);
    expect(result.overall).toBeNull();
    expect(result.stored).toMatchObject({ anchor: ANCHOR, branch: "main", missing: false });
    expect(result.stored?.records.map(({ recordedAt }) => recordedAt.slice(8, 10))).toEqual([
      "05",
      "04",
      "03",
      "02",
      "01",
    ]);
  });

  test("compares with what the records lead to expect here, not with the anchor", () => {
    // The commits have been 20% faster than the anchor for long; this one is as fast as the anchor.
    const ratio = (cell: string) => (cell === "s0 @20" ? 1.2 : 1);
    const result = judged(plan, records(plan, 12, { ratio }), { ratio: () => 1 });
    const [slow, same] = result.cells;
    expect(slow?.verdict).toBe("regression");
    expect(slow?.tests[0]?.base).toBeCloseTo(2000 * 1.2, -2);
    expect(slow?.tests[0]?.estimate?.ratio).toBeCloseTo(1 / 1.2, 1);
    expect(slow?.since?.qps.ratio).toBeCloseTo(1, 1);
    expect(same?.verdict).toBe("pass");
    expect(result.verdict).toBe("regression");
    expect(result.reasons[0]?.text).toBe("s0 @20 is slower than allowed");
  });

  test("says how it stands against the anchor, with an interval", () => {
    const { since } = judged(plan, records(plan, 3), { ratio: () => 0.95 }).cells[0] ?? {};
    expect(since?.qps.n).toBe(RECORD_ROUNDS);
    expect(since?.qps.low).toBeLessThan(0.95);
    expect(since?.qps.high).toBeGreaterThan(0.95);
    expect(since?.latency?.ratio).toBeCloseTo(1 / 0.95, 1);
  });

  test("does not say how it stands against another application", () => {
    const anchor = { label: REFERENCE, id: `sha256:${"a".repeat(64)}` };
    const other = { ...plan, stored: { ...(plan.stored as StoredBase), anchor } };
    const { cells } = judged(
      other,
      records(plan, 3).map((record) => ({ ...record, anchor })),
    );
    expect(cells.map(({ verdict, since }) => [verdict, since])).toEqual([
      ["pass", null],
      ["pass", null],
    ]);
  });

  test("takes the newest 20", () => {
    const old = records(plan, 10, { ratio: () => 2 });
    const fresh = records(plan, 20).map((record) => ({
      ...record,
      recordedAt: record.recordedAt.replace("-11-", "-12-"),
    }));
    const result = judged(plan, [...old, ...fresh]);
    expect(result.verdict).toBe("pass");
    expect(result.stored?.records).toHaveLength(20);
  });

  test("is compared with what came after the last step of its cell alone", () => {
    // The first cell lost a fifth after ten days, as was accepted; the second stays.
    const ratio = (share: number) => (cell: string) => (cell === "s0 @20" ? share : 1);
    const days = (from: number, share: number) =>
      Array.from({ length: 10 }, (_, i) => {
        const day = from + i;
        const commit = day.toString(16).padStart(40, "0");
        return recordFor(plan, { ratio: ratio(share), seed: 200 + day, day }, { commit });
      });
    const history = [...days(1, 1), ...days(11, 0.8)];
    const result = judged(plan, history, { ratio: ratio(0.8) });
    expect(result.cells.map(({ tests }) => tests[0]?.estimate?.n)).toEqual([10, 20]);
    expect(result.verdict).toBe("pass");
    expect(judged(plan, history, { ratio: ratio(0.6) }).verdict).toBe("regression");
  });

  test("is not compared with itself", () => {
    const own = { ...recordFor(plan), recordedAt: onDay(plan, 30).startedAt };
    expect(judged(plan, [own]).verdict).toBe("inconclusive");
  });

  test("is inconclusive where it has too few rounds", () => {
    const result = judged(plan, records(plan, 5), { rounds: 5 });
    expect(result.verdict).toBe("inconclusive");
    expect(result.cells[0]?.tests[0]?.reasons[0]?.text).toBe("5 clean rounds; nothing is compared with fewer than 6");
  });

  test("is broken where the head does not work and the anchor does", () => {
    const census = censusOf(plan);
    const head = { statuses: [500], failedShare: 1, counts: {} };
    const [first, ...rest] = census.scenarios;
    const broken = { ...census, scenarios: first ? [{ ...first, arms: { ...first.arms, head } }, ...rest] : [] };
    const result = judged(plan, records(plan, 5), {}, { census: broken });
    expect(result.verdict).toBe("error");
    expect(result.cells[0]?.tests).toEqual([]);
  });

  test("knows its records also where every cell was given up", () => {
    const result = judged(plan, records(plan, 5), { change: () => ({ events: ["oom-killed"] }) });
    expect(result.verdict).toBe("inconclusive");
    expect(result.stored?.records).toHaveLength(5);
  });

  test("keeps absolute limits, without a confirmation", () => {
    const limited = storedPlan(scenariosYaml(1, "gate: { min-qps: 4000 }\n"));
    const result = judged(limited, records(limited, 5));
    expect(result.cells[0]?.tests.map(({ id, verdict, confirmation }) => [id, verdict, confirmation])).toEqual([
      ["s0 @20/qps", "pass", null],
      ["s0 @20/latency", "pass", null],
      ["s0 @20/min-qps", "regression", null],
    ]);
    expect(result.verdict).toBe("regression");
  });

  test("counts are compared with the newest record's", () => {
    const gated = storedPlan(scenariosYaml(2, "gate: { max-added: { sql-statements: 0 } }\n"));
    const census = censusOf(gated);
    const counts = { sqlStatements: { perRequest: 3, min: 3, max: 3, exact: true } };
    // As many as the anchor, and more than the commits since.
    const arm = { statuses: [200], failedShare: 0, counts };
    const [first, ...rest] = census.scenarios;
    const changed = { ...census, scenarios: first ? [{ ...first, arms: { base: arm, head: arm } }, ...rest] : [] };
    const result = judged(gated, records(gated, 2), {}, { census: changed });
    expect(result.census).toMatchObject([{ scenario: "s0", count: "sqlStatements", exceeded: true }]);
    expect(result.census[0]?.base.perRequest).toBe(1);
    expect(result.verdict).toBe("regression");
    // A record that asked for something else under the same name counted something else.
    const renamed = records(gated, 2).map((record) => ({
      ...record,
      cells: record.cells.map((cell) => (cell.id === "s0 @20" ? { ...cell, suite: "0".repeat(12) } : cell)),
    }));
    expect(judged(gated, renamed, {}, { census: changed }).census).toEqual([]);
  });
});

describe("without a record that compares, no cell is judged", () => {
  const plan = storedPlan(scenariosYaml(1));
  const wanted = { branch: "main", anchor: ANCHOR, must: conditionsOf(plan, environmentOf(plan)).must };
  const must = (over: object) => (record: HistoryRecord) => ({
    ...record,
    conditions: { ...record.conditions, must: { ...record.conditions.must, ...over } },
  });
  const why = (history: HistoryRecord[]) => {
    const result = judged(plan, history);
    expect(result.verdict).toBe("inconclusive");
    expect(result.cells[0]?.tests[0]).toMatchObject({ verdict: "inconclusive", estimate: null, base: null });
    const [reason] = result.cells[0]?.tests[0]?.reasons ?? [];
    expect(reason?.code).toBe("no-baseline");
    return reason?.text;
  };

  test.each<[string, (record: HistoryRecord) => HistoryRecord, string]>([
    [
      "another branch",
      (record) => ({ ...record, branch: "dev" }),
      'the store has records of the branch "dev", none of "main"',
    ],
    [
      "another anchor",
      (record) => ({ ...record, anchor: { label: "v1.3.0", id: "b".repeat(40) } }),
      "the newest record of main was measured against v1.3.0 (bbbbbbb), this run against v1.4.0 (aaaaaaa)",
    ],
    [
      "another PHP and CPU",
      must({ php: "8.3", cpuModel: "Old CPU" }),
      "the newest record, ccccccc of 2026-11-01, has other conditions: CPU Old CPU (here AMD EPYC 7763 64-Core Processor), PHP 8.3 (here 8.4)",
    ],
    [
      "another driver",
      must({ driver: "compose" }),
      "the newest record, ccccccc of 2026-11-01, has other conditions: driver compose (here process)",
    ],
    ["other cells", (record) => ({ ...record, cells: [] }), "no record has this cell"],
    [
      "another suite",
      (record) => ({ ...record, cells: record.cells.map((cell) => ({ ...cell, suite: "0".repeat(12) })) }),
      `the newest record of it, ccccccc of 2026-11-01, asked for something else (suite 000000000000, now ${plan.stored.suites["s0 @20"]})`,
    ],
  ])("%s", (_, change, text) => {
    expect(why([change(recordFor(plan))])).toBe(text);
  });

  test("an empty store", () => {
    expect(why([])).toBe("the store has no record yet");
    expect(judged(plan, null).verdict).toBe("inconclusive");
  });

  test("another percentile: only its own figure has none", () => {
    const record = recordFor(plan);
    const cells = record.cells.map((cell) => ({
      ...cell,
      latency: cell.latency && { ...cell.latency, statistic: "p95" as const },
    }));
    const [result] = judged(plan, [{ ...record, cells }]).cells;
    expect(result?.tests.map(({ reasons }) => reasons[0]?.text)).toEqual([
      undefined,
      "its records hold p95, this run p99",
    ]);
  });

  test("what is not known before measuring does not count yet", () => {
    const { php: _, ...known } = wanted.must;
    const record = must({ php: "8.3" })(recordFor(plan));
    expect(comparable([record], { ...wanted, must: known }).records).toHaveLength(1);
    expect(comparable([record], wanted).records).toHaveLength(0);
  });

  test("a run takes along its own records, else the nearest few", () => {
    const own = records(plan, 3);
    const others = own.map((record) => ({ ...record, branch: "dev" }));
    expect(worthKeeping([...others, ...own], wanted)).toEqual(own);
    expect(worthKeeping([...others, ...others], wanted)).toHaveLength(5);
  });
});

describe("a record", () => {
  const plan = storedPlan(scenariosYaml(2));

  test("holds each cell relative to the anchor", () => {
    const [record] = records(plan, 1, { ratio: (cell) => (cell === "s0 @20" ? 0.9 : 1) });
    expect(record?.cells.map(({ id }) => id)).toEqual(["s0 @20", "s1 @20"]);
    const [cell] = record?.cells ?? [];
    expect(cell?.qps).toMatchObject({ rounds: RECORD_ROUNDS, anchor: 2000 });
    expect(cell?.qps?.logRatio).toBeCloseTo(Math.log(0.9), 1);
    expect(cell?.latency?.logRatio).toBeCloseTo(-Math.log(0.9), 1);
    expect(cell?.latency?.statistic).toBe("p99");
    expect(record?.census[0]).toEqual({
      scenario: "s0",
      counts: { sqlStatements: 1, dbConnections: 0, redisCommands: 0, responseBytes: 74 },
    });
    expect(record?.conditions.must).toEqual({
      driver: "process",
      cpuModel: "AMD EPYC 7763 64-Core Processor",
      logicalCpus: 4,
      php: "8.4",
      k6: "1.8",
    });
  });

  test("one stray round hardly moves it", () => {
    const stray = ({ block, arm }: SlotSample) => (block === 3 && arm === "head" ? { qps: 1000 } : {});
    const [plain, pulled] = [recordFor(plan), recordFor(plan, { change: stray })];
    const [a, b] = [plain, pulled].map(({ cells }) => cells[0]?.qps?.logRatio ?? Number.NaN);
    expect(Math.abs((a ?? 0) - (b ?? 0))).toBeLessThan(0.02);
  });

  test("leaves out what is not exact, and cells with too few rounds", () => {
    const few = recordFor(plan, {
      change: ({ block, cell }) => (cell === "s1 @20" && block > 2 ? { events: ["k6-died"] } : {}),
    });
    expect(few.cells.map(({ id }) => id)).toEqual(["s0 @20"]);
    const census = censusOf(plan);
    const counts = { sqlStatements: { perRequest: 1.5, min: 1, max: 2, exact: false } };
    const scenarios = census.scenarios.map(({ scenario, arms }) => ({
      scenario,
      arms: { ...arms, head: { ...arms.head, counts } },
    }));
    const run = { plan, environment: onDay(plan, 1), census: { ...census, scenarios }, lines: linesOf(plan, {}) };
    const facts = { commit: COMMIT, committedAt: null, branch: "main", url: null };
    expect(recordOf(run, facts, sha256).census.map((entry) => entry.counts)).toEqual([{}, {}]);
  });

  test("the same run is the same record", () => {
    expect(recordFor(plan).id).toBe(recordFor(plan).id);
    expect(recordFor(plan, { seed: 2 }).id).not.toBe(recordFor(plan).id);
  });

  test("the suite is what is asked, not what is allowed or asked beside it", () => {
    const suite = (yaml: string, cell: string) => storedPlan(yaml).stored.suites[cell];
    const one = suite("scenarios: [{ name: a, path: /a, levels: [20] }]", "a @20");
    expect(
      suite("scenarios: [{ name: a, path: /a, levels: [1, 20] }, { path: /b }]\ngate: { max-qps-drop: 9% }", "a @20"),
    ).toBe(one);
    expect(suite("scenarios: [{ name: a, path: /b, levels: [20] }]", "a @20")).not.toBe(one);
    expect(suite("scenarios: [{ name: a, path: /a, levels: [20], connection: close }]", "a @20")).not.toBe(one);
    const suites = (yaml: string) => suitesOf(planOf(yaml).config, () => null, sha256)["a @20"];
    expect(suites("scenarios: [{ name: a, path: /a, levels: [20] }]")).toBe(one);
    expect(suites("scenarios: [{ name: a, path: /a, levels: [20] }]\nmeasure: { trace: true }")).not.toBe(one);
    const flow = (text: string) => {
      const { config } = planOf("scenarios: [{ name: a, flow: a.js, levels: [20] }]");
      const [scenario, [cell]] = [config.scenarios[0], cellsOf(config)];
      return scenario && cell && suiteOf(cell, scenario, text, sha256);
    };
    expect(flow("one")).not.toBe(flow("two"));
  });
});

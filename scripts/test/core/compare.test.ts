import { describe, expect, test } from "vitest";
import { compare } from "../../src/core/compare.ts";
import type { Census, Plan, SampleLine, SlotSample } from "../../src/core/model.ts";
import { flaggedTests, next, replay } from "../../src/core/replay.ts";
import { blocks, censusOf, planOf, scenariosYaml, slot } from "./support.ts";

function run(plan: Plan, lines: readonly SampleLine[], census: Census | null = censusOf(plan)) {
  return compare({ plan, census, environment: null, lines, damaged: [] });
}

describe("an unchanged tree", () => {
  const plan = planOf(scenariosYaml(8));
  const lines = blocks(plan, { blocks: 6, ratio: () => 1 });

  test("passes after six rounds, all cells and the overall test", () => {
    const result = run(plan, lines);
    expect(result.verdict).toBe("pass");
    expect(result.cells.map((cell) => cell.verdict)).toEqual(Array(8).fill("pass"));
    expect(result.overall?.verdict).toBe("pass");
    expect(next(replay(plan, censusOf(plan), lines))).toEqual({ kind: "done", capped: false });
  });

  test("is not judged before round six", () => {
    const five = blocks(plan, { blocks: 5, ratio: () => 1 });
    expect(run(plan, five).verdict).toBe("inconclusive");
    expect(next(replay(plan, censusOf(plan), five)).kind).toBe("measure");
  });

  test("counts every test: 8 cells x QPS and p99, and the overall test", () => {
    expect(run(plan, lines).tests).toBe(17);
  });

  test("the same input gives the same bytes", () => {
    expect(JSON.stringify(run(plan, lines))).toBe(JSON.stringify(run(plan, structuredClone(lines))));
  });
});

describe("a slower head", () => {
  const plan = planOf(scenariosYaml(8));
  const ratio = (cell: string) => (cell === "s3 @20" ? 0.85 : 1);
  const main = blocks(plan, { blocks: 6, ratio });
  const flagged = flaggedTests(replay(plan, censusOf(plan), main)).map(({ test: id }) => id);

  test("is flagged, and asks for confirmation of what it concerns alone", () => {
    expect(flagged).toContain("s3 @20/qps");
    expect(flagged.every((id) => id.startsWith("s3 @20/"))).toBe(true);
    expect(next(replay(plan, censusOf(plan), main))).toEqual({ kind: "confirm" });
  });

  test("is inconclusive while unconfirmed", () => {
    const result = run(plan, main);
    expect(result.verdict).toBe("inconclusive");
    expect(result.cells[3]?.tests[0]).toMatchObject({ verdict: "inconclusive", confirmation: "no-time" });
  });

  test("is a regression once confirmed", () => {
    const lines: SampleLine[] = [
      ...main,
      { kind: "confirm", tests: flagged },
      ...blocks(plan, { blocks: 6, stage: "confirm", firstBlock: 6, seed: 2, ratio, cells: ["s3 @20"] }),
    ];
    const result = run(plan, lines);
    expect(result.verdict).toBe("regression");
    expect(result.cells[3]).toMatchObject({ verdict: "regression" });
    expect(result.cells[3]?.tests[0]).toMatchObject({ verdict: "regression", confirmation: "confirmed" });
    expect(result.cells[2]).toMatchObject({ verdict: "pass" });
    expect(next(replay(plan, censusOf(plan), lines))).toEqual({ kind: "done", capped: false });
  });

  test("is inconclusive where fresh replicas do not confirm it", () => {
    const lines: SampleLine[] = [
      ...main,
      { kind: "confirm", tests: flagged },
      ...blocks(plan, { blocks: 8, stage: "confirm", firstBlock: 6, seed: 2, ratio: () => 1, cells: ["s3 @20"] }),
    ];
    const result = run(plan, lines);
    expect(result.verdict).toBe("inconclusive");
    expect(result.cells[3]?.tests[0]).toMatchObject({ verdict: "inconclusive", confirmation: "not-confirmed" });
  });

  test("a uniform -4% is red over all cells though each alone is allowed to lose it", () => {
    const quiet = { blocks: 6, noise: 0.005, ratio: () => 0.96 };
    expect(run(plan, blocks(plan, quiet)).overall).toMatchObject({ confirmation: "no-time" });
    const lines: SampleLine[] = [
      ...blocks(plan, quiet),
      { kind: "confirm", tests: ["overall"] },
      ...blocks(plan, { ...quiet, stage: "confirm", firstBlock: 6, seed: 3 }),
    ];
    const result = run(plan, lines);
    expect(result.overall).toMatchObject({ verdict: "regression", confirmation: "confirmed" });
    expect(result.verdict).toBe("regression");
  });
});

test("a red QPS decides its cell: an open p99 costs no more rounds, before and after confirmation", () => {
  const plan = planOf(scenariosYaml(1));
  // p99 swings by 60% from round to round, QPS is 15% down.
  const options = {
    blocks: 6,
    ratio: () => 0.85,
    change: ({ block, arm, latencyMs }: SlotSample) =>
      arm === "head" && latencyMs ? { latencyMs: { ...latencyMs, p99: block % 2 ? 9 : 24 } } : {},
  };
  const main = blocks(plan, options);
  const before = replay(plan, censusOf(plan), main);
  expect(before.cells[0]?.tests.map(({ verdict }) => verdict)).toEqual(["regression", "open"]);
  expect(next(before)).toEqual({ kind: "confirm" });
  const result = run(plan, [
    ...main,
    { kind: "confirm", tests: ["s0 @20/qps"] },
    ...blocks(plan, { ...options, stage: "confirm", firstBlock: 6, seed: 2 }),
  ]);
  expect(result.cells[0]?.verdict).toBe("regression");
  expect(result.cells[0]?.tests[1]).toMatchObject({ verdict: "inconclusive", reasons: [{ code: "cell-decided" }] });
});

test("a red is confirmed at once, whatever is still open elsewhere", () => {
  const plan = planOf(scenariosYaml(2));
  // s1 swings by 30% from round to round: it is nowhere near a verdict.
  const options = {
    blocks: 6,
    ratio: (cell: string) => (cell === "s0 @20" ? 0.85 : 1),
    change: ({ cell, block, arm, qps }: SlotSample) =>
      cell === "s1 @20" && arm === "head" ? { qps: qps * (block % 2 ? 1.3 : 0.7) } : {},
  };
  const main = blocks(plan, options);
  expect(next(replay(plan, censusOf(plan), blocks(plan, { ...options, blocks: 5 })))).toMatchObject({
    kind: "measure",
  });
  // Every cell is looked at once: one that lost a round is measured alone before.
  const struck = blocks(plan, {
    ...options,
    change: (sample) =>
      sample.cell === "s1 @20" && sample.block === 2 ? { events: ["k6-died"] } : options.change(sample),
  });
  expect(next(replay(plan, censusOf(plan), struck))).toEqual({ kind: "measure", cells: ["s1 @20"] });
  const before = replay(plan, censusOf(plan), main);
  expect(next(before)).toEqual({ kind: "confirm" });
  const tests = flaggedTests(before).map(({ test: id }) => id);
  expect(tests).toContain("s0 @20/qps");
  expect(tests).not.toContain("s1 @20/qps");
  const result = run(plan, [
    ...main,
    { kind: "confirm", tests },
    ...blocks(plan, { ...options, stage: "confirm", firstBlock: 6, seed: 2, cells: ["s0 @20"] }),
  ]);
  expect(result.verdict).toBe("regression");
  expect(result.cells[1]?.verdict).toBe("inconclusive");
  expect(result.cells[1]?.tests[0]?.reasons[0]?.text).toBe(
    "undecided after 6 rounds, when something else looked red and was to be confirmed",
  );
});

describe("rounds that count for nothing", () => {
  const plan = planOf(scenariosYaml(3));

  test("a struck round is measured again and never averaged in", () => {
    const lines = blocks(plan, {
      blocks: 7,
      ratio: () => 1,
      change: ({ block, cell, arm, witness, requests }) =>
        block === 2 && cell === "s0 @20" && arm === "head" && witness
          ? { requests: requests / 2, qps: requests / 4, witness: { ...witness, foreignCpuSeconds: 1 } }
          : {},
    });
    const six = lines.filter((line) => !("block" in line) || line.block < 6);
    expect(next(replay(plan, censusOf(plan), six))).toMatchObject({ kind: "measure", cells: ["s0 @20"] });
    const result = run(plan, lines);
    expect(result.cells[0]).toMatchObject({ verdict: "pass", rounds: 6, struck: { "foreign-load": 1 } });
    expect(result.struck).toEqual({ "foreign-load": 1 });
  });

  test("a head that fails 1% of its requests is an error after four rounds, not a slow head", () => {
    const lines = blocks(plan, {
      blocks: 4,
      ratio: () => 1,
      change: ({ arm, cell }) => (arm === "head" && cell === "s1 @20" ? { errors: 40 } : {}),
    });
    const result = run(plan, lines);
    expect(result.verdict).toBe("error");
    expect(result.cells[1]).toMatchObject({ verdict: "error", reasons: [{ code: "head-fails" }] });
  });

  test("a cell that always loses its rounds to a cause of both arms is given up, inconclusive", () => {
    const lines = blocks(plan, {
      blocks: 6,
      ratio: () => 1,
      change: ({ cell }) => (cell === "s1 @20" ? { droppedIterations: 500 } : {}),
    });
    const result = run(plan, lines);
    expect(result.cells[1]).toMatchObject({ verdict: "inconclusive", reasons: [{ code: "dropped-iterations" }] });
    expect(result.verdict).toBe("inconclusive");
  });

  test("others on our cores hit both arms alike: the round counts and is said to be disturbed", () => {
    const lines = blocks(plan, {
      blocks: 6,
      ratio: () => 1,
      change: ({ block, witness }) => (block < 2 && witness ? { witness: { ...witness, foreignCpuSeconds: 1 } } : {}),
    });
    expect(run(plan, lines)).toMatchObject({ verdict: "pass", struck: {}, disturbed: 2 * plan.cells.length });
  });

  test("a round in which others took our cores is never held against an absolute limit", () => {
    const limited = planOf(`${scenariosYaml(1)}gate: { min-qps: 1500 }\n`);
    const lines = blocks(limited, {
      blocks: 8,
      ratio: () => 1,
      change: ({ block, witness, requests }) =>
        block < 2 && witness
          ? { requests: requests / 2, qps: requests / 4, witness: { ...witness, foreignCpuSeconds: 1 } }
          : {},
    });
    const tests = run(limited, lines).cells[0]?.tests ?? [];
    expect(tests.find(({ metric }) => metric === "min-qps")).toMatchObject({ verdict: "pass", estimate: { n: 6 } });
    expect(tests.find(({ metric }) => metric === "qps")?.logRatios.length).toBeGreaterThan(5);
  });

  test("foreign load alone never gives a cell up", () => {
    const lines = blocks(plan, {
      blocks: 30,
      ratio: () => 1,
      change: ({ arm, witness }) =>
        arm === "head" && witness ? { witness: { ...witness, foreignCpuSeconds: 2 } } : {},
    });
    expect(next(replay(plan, censusOf(plan), lines))).toMatchObject({ kind: "measure" });
  });
});

describe("nothing passes vacuously", () => {
  const plan = planOf(scenariosYaml(3));

  test("no samples at all", () => {
    expect(run(plan, [])).toMatchObject({ verdict: "inconclusive" });
    expect(run(plan, []).cells[0]?.tests[0]?.reasons[0]?.code).toBe("no-samples");
  });

  test("a scenario that is missing from the samples", () => {
    const lines = blocks(plan, { blocks: 6, ratio: () => 1, cells: ["s0 @20", "s1 @20"] });
    const result = run(plan, lines);
    expect(result.verdict).toBe("inconclusive");
    expect(result.cells.map((cell) => cell.verdict)).toEqual(["pass", "pass", "inconclusive"]);
  });

  test("slots without a single request", () => {
    const lines = blocks(plan, { blocks: 8, ratio: () => 1, change: () => ({ requests: 0, qps: 0, latencyMs: null }) });
    expect(run(plan, lines).verdict).toBe("inconclusive");
  });

  test("only new scenarios", () => {
    const census = censusOf(plan);
    for (const { arms } of census.scenarios) Object.assign(arms.base, { statuses: [404], failedShare: 1 });
    const result = run(plan, [], census);
    expect(result.cells.every((cell) => cell.verdict === "new")).toBe(true);
    expect(result).toMatchObject({ verdict: "inconclusive", reasons: [{ code: "nothing-judged" }] });
  });
});

describe("the census", () => {
  const plan = planOf(scenariosYaml(3, "gate: { max-added: { sql-statements: 0 } }"));
  const lines = blocks(plan, { blocks: 6, ratio: () => 1 });
  const exact = (perRequest: number) => ({ perRequest, min: perRequest, max: perRequest, exact: true });

  test("an added statement is red where that is asked for, whatever the times say", () => {
    const census = censusOf(plan);
    Object.assign(census.scenarios[1]?.arms.head.counts ?? {}, { sqlStatements: exact(2) });
    const result = run(plan, lines, census);
    expect(result.census).toMatchObject([{ scenario: "s1", count: "sqlStatements", allowed: 0, exceeded: true }]);
    expect(result.verdict).toBe("regression");
  });

  test("a mix may grow by all of a fraction that is allowed, and by no more", () => {
    const allowing = planOf(scenariosYaml(2, "gate: { max-added: { sql-statements: 0.3 } }"));
    const census = censusOf(allowing);
    for (const { arms } of census.scenarios) arms.base.counts.sqlStatements = exact(0.1);
    // In binary fractions 0.4 - 0.1 is more than 0.3.
    for (const [index, { arms }] of census.scenarios.entries())
      arms.head.counts.sqlStatements = exact([0.4, 0.41][index] ?? 0);
    expect(run(allowing, [], census).census.map(({ exceeded }) => exceeded)).toEqual([false, true]);
  });

  test("a count that varies is shown only where the ranges are far apart, and never gated", () => {
    const census = censusOf(plan);
    const varying = (min: number, max: number) => ({ perRequest: (min + max) / 2, min, max, exact: false });
    Object.assign(census.scenarios[0]?.arms.base.counts ?? {}, { sqlStatements: varying(2, 5) });
    Object.assign(census.scenarios[0]?.arms.head.counts ?? {}, { sqlStatements: varying(4, 8) });
    Object.assign(census.scenarios[1]?.arms.head.counts ?? {}, { sqlStatements: varying(6, 8) });
    Object.assign(census.scenarios[2]?.arms.base.counts ?? {}, { sqlStatements: varying(2, 4) });
    Object.assign(census.scenarios[2]?.arms.head.counts ?? {}, { sqlStatements: varying(5, 6) });
    expect(run(plan, lines, census).census).toMatchObject([{ scenario: "s1", exceeded: false }]);
  });

  test("a head that answers 500 where the base answers 200 is an error", () => {
    const census = censusOf(plan);
    Object.assign(census.scenarios[2]?.arms.head ?? {}, { statuses: [500], failedShare: 1 });
    const result = run(plan, lines, census);
    expect(result.verdict).toBe("error");
    expect(result.cells[2]?.reasons[0]?.text).toContain("500");
  });

  test("a new endpoint is shown, not judged", () => {
    const census = censusOf(plan);
    Object.assign(census.scenarios[2]?.arms.base ?? {}, { statuses: [404], failedShare: 1 });
    const result = run(plan, lines, census);
    expect(result.verdict).toBe("pass");
    expect(result.cells[2]?.verdict).toBe("new");
  });
});

describe("absolute limits", () => {
  test("are tests of their own: 2,000 requests/s miss a floor of 2,500", () => {
    const plan = planOf(scenariosYaml(3, "gate: { min-qps: 2500, max-p99: 300ms }"));
    const main = blocks(plan, { blocks: 6, ratio: () => 1 });
    const flagged = flaggedTests(replay(plan, censusOf(plan), main)).map(({ test: id }) => id);
    expect(flagged.sort()).toEqual(["s0 @20/min-qps", "s1 @20/min-qps", "s2 @20/min-qps"]);
    const result = run(plan, [
      ...main,
      { kind: "confirm", tests: flagged },
      ...blocks(plan, { blocks: 6, stage: "confirm", firstBlock: 6, ratio: () => 1 }),
    ]);
    expect(result.cells[0]?.tests.find(({ metric }) => metric === "min-qps")).toMatchObject({
      verdict: "regression",
      limit: 2500,
      line: 1,
    });
    expect(result.cells[0]?.tests.find(({ metric }) => metric === "max-p99")).toMatchObject({ verdict: "pass" });
    expect(result.tests).toBe(13);
  });
});

test("an incomplete block still counts its complete rounds", () => {
  const plan = planOf(scenariosYaml(3));
  const lines: SampleLine[] = [
    ...blocks(plan, { blocks: 5, ratio: () => 1 }),
    slot("s0 @20", "base", 5),
    slot("s0 @20", "head", 5),
    slot("s1 @20", "base", 5),
  ];
  expect(run(plan, lines).cells.map((cell) => cell.rounds)).toEqual([6, 5, 5]);
});

describe("the slowest requests of a cell", () => {
  const plan = planOf(scenariosYaml(1));
  const id = (n: number) => n.toString(16).padStart(32, "0");
  const slowOnce = { slowest: [{ ms: 900, traceId: id(1) }] };
  /** Block b: base took 10b + 1 to 10b + 5 ms, head ten times that. */
  const traced = ({ block, arm }: SlotSample) => ({
    slowest: [5, 4, 3, 2, 1].map((n) => {
      const ms = (10 * block + n) * (arm === "head" ? 10 : 1);
      return { ms, traceId: id(ms) };
    }),
  });

  test("are those of all rounds and both stages, five of each arm, with their block", () => {
    const lines: SampleLine[] = [
      ...blocks(plan, { blocks: 6, ratio: () => 0.8, change: traced }),
      { kind: "confirm", tests: ["s0 @20/qps"] },
      ...blocks(plan, { blocks: 1, firstBlock: 6, stage: "confirm", ratio: () => 0.8, change: () => slowOnce }),
    ];
    const [cell] = run(plan, lines).cells;
    expect(cell?.slowest?.base).toEqual([
      { ms: 900, traceId: id(1), block: 6 },
      ...[55, 54, 53, 52].map((ms) => ({ ms, traceId: id(ms), block: 5 })),
    ]);
    expect(cell?.slowest?.head.map(({ ms, block }) => [ms, block])).toEqual([
      [900, 6],
      ...[550, 540, 530, 520].map((ms) => [ms, 5]),
    ]);
  });

  test("of a struck round do not count, however slow", () => {
    const change = (sample: SlotSample) => ({ ...traced(sample), errors: sample.block === 6 ? 4000 : 0 });
    const [cell] = run(plan, blocks(plan, { blocks: 7, ratio: () => 1, change })).cells;
    expect(cell?.slowest?.base.map(({ block }) => block)).toEqual([5, 5, 5, 5, 5]);
  });

  test("are not there where nothing is traced", () => {
    expect(run(plan, blocks(plan, { blocks: 6, ratio: () => 1 })).cells[0]).not.toHaveProperty("slowest");
  });
});

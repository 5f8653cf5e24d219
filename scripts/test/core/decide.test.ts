import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { look, poolOf, type Rule } from "../../src/core/decide.ts";

interface Vector {
  tests: number;
  cap: number;
  alpha: number;
  beta: number;
  metric_of: Record<string, string>;
  cells: Record<string, number[]>;
  expected: Record<string, Record<string, number | string>>;
}

const vectors = JSON.parse(
  readFileSync(new URL("../../../fixtures/decision/vectors.json", import.meta.url), "utf8"),
) as Vector[];

describe("the decision rule reproduces its reference vectors", () => {
  test("there are vectors, and every verdict occurs in them", () => {
    const verdicts = new Set(vectors.flatMap((v) => Object.values(v.expected).map((e) => e["verdict"])));
    expect([...verdicts].sort()).toEqual(["inconclusive", "open", "pass", "regression"]);
  });

  test.each(vectors.map((vector, index) => ({ vector, index })))("vector $index", ({ vector }) => {
    const rule: Rule = { ...vector, firstLook: 6 };
    for (const [id, x] of Object.entries(vector.cells)) {
      const mates = Object.entries(vector.cells)
        .filter(([other]) => vector.metric_of[other] === vector.metric_of[id])
        .map(([, rounds]) => rounds);
      const result = look(x, poolOf(mates), rule) as unknown as Record<string, number | string>;
      for (const [key, expected] of Object.entries(vector.expected[id] ?? {})) {
        if (typeof expected === "string") expect(result[key], `${id} ${key}`).toBe(expected);
        else expect(Math.abs((result[key] as number) - expected), `${id} ${key}`).toBeLessThan(1e-6);
      }
    }
  });
});

describe("one look", () => {
  const rule: Rule = { tests: 1, cap: 20, alpha: 0.05, beta: 0.05, firstLook: 6 };

  test("the interval lies on one side of the line exactly where the verdict says so", () => {
    for (let shift = -0.1; shift <= 0.1; shift += 0.005) {
      const x = [0.01, -0.012, 0.004, -0.003, 0.007, -0.006, 0.001].map((value) => value + shift);
      const result = look(x, { spread: null }, rule);
      if (!("p" in result)) throw new Error("a look at 7 rounds has a p");
      expect(result.verdict === "regression").toBe(result.high < 0);
      expect(result.verdict === "pass").toBe(result.low > 0);
    }
  });

  test("one wild round does not turn a clean test red", () => {
    const x = [0.05, 0.051, 0.049, 0.052, 0.048, 0.05, -1.5];
    expect(look(x, { spread: null }, rule)).toMatchObject({ verdict: "pass" });
  });

  test("identical rounds do not divide by zero", () => {
    expect(look([0.05, 0.05, 0.05, 0.05, 0.05, 0.05], { spread: null }, rule)).toMatchObject({ verdict: "pass" });
  });

  test("the input list is left as it was", () => {
    const x = [3, 1, 2, 6, 5, 4];
    look(x, { spread: null }, rule);
    expect(x).toEqual([3, 1, 2, 6, 5, 4]);
  });
});

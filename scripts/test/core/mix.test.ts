import { describe, expect, test } from "vitest";
import { mixCensus, mixOrder } from "../../src/core/mix.ts";
import type { CensusArm, Count } from "../../src/core/model.ts";

describe("the order of a mix", () => {
  // The example of the change that brought it to nginx.
  test("is the one of smooth weighted round-robin", () => {
    expect(mixOrder([5, 1, 1], 0)).toEqual([0, 0, 1, 0, 2, 0, 0]);
  });

  test.each([[[1, 6, 3]], [[1000, 1]], [[7, 11, 13, 400]], [[1, 1]]])(
    "%j: every part of it is as near to the weights as whole requests come",
    (weights) => {
      const total = weights.reduce((sum, weight) => sum + weight);
      const order = mixOrder(weights, 0);
      expect(order).toHaveLength(total);
      const sent = weights.map(() => 0);
      for (const [index, next] of order.entries()) {
        sent[next] = (sent[next] ?? 0) + 1;
        for (const [place, weight] of weights.entries()) {
          expect(Math.abs((sent[place] ?? 0) - ((index + 1) * weight) / total)).toBeLessThan(1);
        }
      }
      expect(sent).toEqual(weights);
    },
  );

  test("is no longer than it has to be", () => {
    expect(mixOrder([1000, 500], 0)).toEqual(mixOrder([2, 1], 0));
    expect(mixOrder([2, 1], 0)).toEqual([0, 1, 0]);
  });

  test("begins elsewhere in every block, everywhere in the long run", () => {
    const starts = Array.from({ length: 20 }, (_, block) => mixOrder([1, 9], block).indexOf(0));
    const [first] = starts;
    expect(new Set(starts).size).toBe(10);
    expect(starts[1]).not.toBe(first);
    for (const start of new Set(starts)) {
      const count = starts.filter((one) => one === start).length;
      expect(count).toBeGreaterThanOrEqual(1);
      expect(count).toBeLessThanOrEqual(3);
    }
    expect(mixOrder([1, 9], 7)).toEqual(mixOrder([1, 9], 7));
  });
});

describe("the census of a mix", () => {
  const exact = (perRequest: number): Count => ({ perRequest, min: perRequest, max: perRequest, exact: true });
  const arm = (sqlStatements: Count, over: Partial<CensusArm> = {}): CensusArm => ({
    statuses: [200],
    failedShare: 0,
    counts: { sqlStatements },
    ...over,
  });

  test("is the mean by weight, exact where every part is", () => {
    const entries = [
      { weight: 1, arm: arm(exact(0)) },
      { weight: 6, arm: arm(exact(1)) },
      { weight: 3, arm: arm(exact(5)) },
    ];
    expect(mixCensus(entries)).toEqual(arm(exact(2.1)));
    const third = { weight: 2, arm: arm(exact(0)) };
    expect(mixCensus([third, { weight: 1, arm: arm(exact(1)) }])).toEqual(arm(exact(0.333333)));
  });

  test("one that varies makes it vary, by its weight", () => {
    const varying = { perRequest: 2, min: 1, max: 4, exact: false };
    expect(
      mixCensus([
        { weight: 3, arm: arm(exact(1)) },
        { weight: 1, arm: arm(varying) },
      ]).counts.sqlStatements,
    ).toEqual({ perRequest: 1.25, min: 1, max: 1.75, exact: false });
  });

  test("a count that one lacks is none of the mix; answers and failures are those of all", () => {
    const broken: CensusArm = { statuses: [404, 500], failedShare: 1, counts: {} };
    expect(
      mixCensus([
        { weight: 3, arm: arm(exact(1)) },
        { weight: 1, arm: broken },
      ]),
    ).toEqual({ statuses: [200, 404, 500], failedShare: 0.25, counts: {} });
  });
});

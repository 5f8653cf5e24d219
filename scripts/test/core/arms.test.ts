import { describe, expect, test } from "vitest";
import { askedOf, isOther, servicesOf, targetOf } from "../../src/core/arms.ts";
import { compare } from "../../src/core/compare.ts";
import type { Asked, Plan, Scenario } from "../../src/core/model.ts";
import { afterPilot, planId } from "../../src/core/plan.ts";
import { censusOf, planOf } from "./support.ts";

const text = (parts: string): string => parts;
const plain = planOf("target: { services: [redis], host: shop.test }\nscenarios: [{ name: a, path: /a, levels: [1] }]");
const [scenario] = plain.config.scenarios as [Scenario];

const request: Asked = {
  work: { kind: "request", method: "GET", path: "/other", headers: {}, body: null },
  checks: { status: [204], bodyContains: null },
};

/** The plan with a base that is started, and where given asked, in a way of its own. */
function withBase(asked?: Asked): Plan {
  const target = { ...plain.config.target, services: ["mysql" as const, "redis" as const], host: "other.test" };
  return { ...plain, own: { base: asked === undefined ? { target } : { target, asked } } };
}

describe("an arm of its own", () => {
  test("is started and asked by its own words, the other one by the configuration's", () => {
    const plan = withBase(request);
    expect(targetOf(plan, "base").host).toBe("other.test");
    expect(targetOf(plan, "head")).toBe(plan.config.target);
    expect(askedOf(plan, scenario, "base")).toBe(request);
    expect(askedOf(plan, scenario, "head")).toEqual({ work: scenario.work, checks: scenario.checks });
    expect(servicesOf(plan)).toEqual(["mysql", "redis"]);
  });

  test("that is only started in another way is the same application", () => {
    const plan = withBase();
    expect(isOther(plan)).toBe(false);
    expect(isOther(withBase(request))).toBe(true);
    expect(askedOf(plan, scenario, "base")).toEqual({ work: scenario.work, checks: scenario.checks });
  });

  test("is part of the plan's id; a plan without has the id that it always had", () => {
    const { version, seed, arms, sameSource, driver, config, cells, layout } = plain;
    const parts = [version, seed, arms, sameSource, driver, config, cells, layout];
    expect(planId(plain, text)).toBe(JSON.stringify(parts));
    expect(planId({ ...plain, headConfig: null }, text)).toBe(JSON.stringify([...parts, null]));
    const ids = [plain, withBase(), withBase(request), { ...withBase(), headConfig: null }].map((p) => planId(p, text));
    expect(new Set(ids).size).toBe(4);
  });

  test("asked by a flow makes turns as long as a flow needs them", () => {
    const turnOf = (plan: Plan) => afterPilot(plan, plan.cells[0] as Plan["cells"][0], 1000, 10).turnSeconds;
    expect(turnOf(withBase({ ...request, work: { kind: "flow", file: "/flow.js" } }))).toBe(1);
    const { checks, work } = request;
    if (work.kind !== "request") throw new Error(work.kind);
    const entry = { weight: 1, request: work, checks };
    const mix: Asked = { checks, work: { kind: "mix", entries: [entry, entry] } };
    expect(turnOf(withBase(mix))).toBe(turnOf(plain));
    expect(turnOf(withBase(request))).toBe(turnOf(plain));
    expect(turnOf(plain)).toBeLessThan(1);
  });

  test("that is another application has counts of its own, which are not compared", () => {
    const differences = (plan: Plan) => {
      const census = censusOf(plan);
      const [counted] = census.scenarios;
      if (counted?.arms.head.counts.sqlStatements) counted.arms.head.counts.sqlStatements.perRequest = 9;
      return compare({ plan, census, environment: null, lines: [], damaged: [] }).census.map(({ count }) => count);
    };
    expect(differences(withBase())).toEqual(["sqlStatements"]);
    expect(differences(withBase(request))).toEqual([]);
  });
});

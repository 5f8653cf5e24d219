import { compare } from "../core/compare.ts";
import type { Comparison, OnInconclusive } from "../core/model.ts";
import { assertNever } from "../core/model.ts";
import type { WorkDirectory } from "./work-directory.ts";

/** The compare phase: comparison.json from plan, census, environment and samples; the same bytes in, the same out. */
export function comparePhase(work: WorkDirectory): Comparison {
  const plan = work.readPlan();
  const { lines, damaged } = work.readSamples(plan);
  const comparison = compare({
    plan,
    census: work.readCensus(plan),
    environment: work.readEnvironment(plan),
    lines,
    history: work.readHistory(plan),
    damaged,
  });
  work.writeJson("comparison", comparison);
  return comparison;
}

/** Exit status of a verdict: 0 pass, 1 regression or broken head, 3 inconclusive where that is to fail. */
export function exitStatus({ verdict }: Comparison, onInconclusive: OnInconclusive): 0 | 1 | 3 {
  switch (verdict) {
    case "pass":
      return 0;
    case "regression":
    case "error":
      return 1;
    case "inconclusive":
      return onInconclusive === "fail" ? 3 : 0;
    default:
      return assertNever(verdict);
  }
}

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  compare
} from "./shared-compare.js";
import {
  assertNever
} from "./shared-model.js";

// scripts/src/phases/compare.ts
function comparePhase(work) {
  const plan = work.readPlan();
  const { lines, damaged } = work.readSamples(plan);
  const comparison = compare({
    plan,
    census: work.readCensus(plan),
    environment: work.readEnvironment(plan),
    lines,
    history: work.readHistory(plan),
    damaged
  });
  work.writeJson("comparison", comparison);
  return comparison;
}
function exitStatus({ verdict }, onInconclusive) {
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

export {
  comparePhase,
  exitStatus
};

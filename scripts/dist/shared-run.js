import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  comparePhase
} from "./shared-compare~2.js";
import {
  measurePhase
} from "./shared-stack.js";
import {
  describePlan,
  planPhase
} from "./shared-plan~2.js";
import {
  reportPhase
} from "./shared-markdown.js";

// scripts/src/phases/run.ts
async function runPhases(options, work, home, progress, terminal, signal) {
  const plan = await planPhase({ ...options, home }, work, progress.warn);
  progress.step(`${describePlan(plan, work)}
`);
  const stop = await measurePhase(work, home, progress, signal);
  const comparison = comparePhase(work);
  const { text, chartsNote } = reportPhase(work, home, terminal);
  if (chartsNote !== null) progress.warn(chartsNote);
  return { comparison, text, stop };
}

export {
  runPhases
};

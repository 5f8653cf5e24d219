import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  removeProcesses
} from "./shared-leftovers.js";
import "./shared-cgroup.js";
import {
  describeRemoved,
  removeAhead,
  removeLeftovers,
  workerIn
} from "./shared-bake.js";
import "./shared-guard.js";
import {
  findEngine,
  isUsable
} from "./shared-programs.js";
import {
  removeTrees,
  treesOf
} from "./shared-arms~2.js";
import "./shared-engine.js";
import {
  InputError
} from "./shared-errors.js";
import "./shared-model.js";
import "./shared-runtime.js";

// scripts/src/phases/clean.ts
async function cleanPhase(work, progress, signal) {
  const worker = workerIn(work.path);
  if (worker !== null) {
    throw new InputError(`process ${worker} is at work in ${work.path}: end it first (kill ${worker}), then clean`);
  }
  const plan = readPlan(work);
  const removed = {};
  const add = (found) => {
    for (const [name, count] of Object.entries(found)) if (count > 0) removed[name] = (removed[name] ?? 0) + count;
  };
  add({ process: await removeProcesses(work.path) });
  if (isUsable(await findEngine())) {
    add(await removeLeftovers(signal));
    add(await removeAhead(work.path, signal));
  } else if (plan?.driver === "compose") {
    progress.warn("no Docker engine answers: containers and images, if there are any, stay");
  }
  if (plan !== null) {
    const ours = Object.entries(treesOf(plan)).filter(([name, tree]) => tree.directory === work.file("trees", name));
    add({
      worktree: await removeTrees(
        ours.map(([, tree]) => tree),
        progress.warn
      )
    });
  }
  return removed;
}
function describeCleaned(removed) {
  const what = describeRemoved(removed);
  return what === "" ? "nothing was left" : `removed ${what}`;
}
function readPlan(work) {
  try {
    return work.readPlan();
  } catch {
    return null;
  }
}
export {
  cleanPhase,
  describeCleaned
};

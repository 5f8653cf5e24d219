import { findEngine, isUsable } from "../config/engine.ts";
import { InputError } from "../core/errors.ts";
import type { Plan } from "../core/model.ts";
import { describeRemoved, type Removed, removeAhead, removeLeftovers } from "../target/compose/leftovers.ts";
import { removeProcesses } from "../target/process/leftovers.ts";
import { removeTrees, treesOf } from "./arms.ts";
import { workerIn } from "./lock.ts";
import type { Progress } from "./progress.ts";
import type { WorkDirectory } from "./work-directory.ts";

/**
 * The clean phase: removes what killed runs left (containers, networks, volumes and images of any run of this host;
 * processes, sockets and worktrees of this work directory) and the images that were built ahead for it. Results and
 * logs stay. Can be repeated.
 *
 * @returns what was removed, by kind
 * @throws InputError while a run is at work there
 */
export async function cleanPhase(work: WorkDirectory, progress: Progress, signal: AbortSignal): Promise<Removed> {
  const worker = workerIn(work.path);
  if (worker !== null) {
    throw new InputError(`process ${worker} is at work in ${work.path}: end it first (kill ${worker}), then clean`);
  }
  const plan = readPlan(work);
  const removed: Removed = {};
  const add = (found: Removed) => {
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
    // Code under test may have written the plan anew.
    const ours = Object.entries(treesOf(plan)).filter(([name, tree]) => tree.directory === work.file("trees", name));
    add({
      worktree: await removeTrees(
        ours.map(([, tree]) => tree),
        progress.warn,
      ),
    });
  }
  return removed;
}

/** What clean says at its end. */
export function describeCleaned(removed: Removed): string {
  const what = describeRemoved(removed);
  return what === "" ? "nothing was left" : `removed ${what}`;
}

function readPlan(work: WorkDirectory): Plan | null {
  try {
    return work.readPlan();
  } catch {
    return null;
  }
}

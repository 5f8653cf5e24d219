import { type Ahead, buildAhead } from "../target/compose/ahead.ts";
import { checkOut } from "./arms.ts";
import { LOCK_WAIT, lockMachine } from "./lock.ts";
import type { Progress } from "./progress.ts";
import type { WorkDirectory } from "./work-directory.ts";

/**
 * The build phase: builds the images of both arms, so that measure finds them. Every other driver builds nothing.
 * With `bakeFile` it only writes what is to be built, for `docker buildx bake`; the trees that this reads stay until
 * measure or clean. What measure does not find, or not of these files, it builds itself.
 */
export async function buildPhase(
  work: WorkDirectory,
  home: string,
  progress: Progress,
  signal: AbortSignal,
  bakeFile: string | null = null,
): Promise<Ahead> {
  const plan = work.readPlan();
  if (plan.driver !== "compose") return { targets: [], reads: [] };
  const unlock = await lockMachine(work.path, signal, LOCK_WAIT, progress.step);
  try {
    const removeTrees = await checkOut(plan.arms, plan.config.target.copy, progress.warn);
    const options = { plan, home, workDirectory: work.path, progress: progress.step, signal };
    let isKept = false;
    try {
      const ahead = await buildAhead(options, bakeFile);
      isKept = bakeFile !== null && ahead.targets.length > 0;
      return ahead;
    } finally {
      if (!isKept) await removeTrees();
    }
  } finally {
    unlock();
  }
}

import type { BuildCache } from "../core/model.ts";
import { buildAhead } from "../target/compose/ahead.ts";
import { checkOut, treesOf } from "./arms.ts";
import { LOCK_WAIT, lockMachine } from "./lock.ts";
import type { Progress } from "./progress.ts";
import type { WorkDirectory } from "./work-directory.ts";

/**
 * The build phase: builds the images of both arms, so that measure finds them. Every other driver builds nothing.
 * With `bakeFile` it only writes what is to be built, for `docker buildx bake`; the trees that this reads stay until
 * measure or clean. What measure does not find, or not of these files, it builds itself.
 *
 * @param cache where layers are kept if the configuration names no place
 * @returns names of the bake targets
 */
export async function buildPhase(
  work: WorkDirectory,
  home: string,
  progress: Progress,
  signal: AbortSignal,
  bakeFile: string | null = null,
  cache: BuildCache | null = null,
): Promise<string[]> {
  const { config, ...rest } = work.readPlan();
  const target = { ...config.target, buildCache: config.target.buildCache ?? cache };
  const plan = { ...rest, config: { ...config, target } };
  if (plan.driver !== "compose") return [];
  const unlock = await lockMachine(work.path, signal, LOCK_WAIT, progress.step);
  try {
    const removeTrees = await checkOut(treesOf(plan), plan.config.target.copy, progress.warn);
    const options = { plan, home, workDirectory: work.path, progress: progress.step, signal };
    let isKept = false;
    try {
      const targets = await buildAhead(options, bakeFile);
      isKept = bakeFile !== null && targets.length > 0;
      return targets;
    } finally {
      if (!isKept) await removeTrees();
    }
  } finally {
    unlock();
  }
}

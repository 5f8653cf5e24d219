import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { forgetDirectory, guardDirectory } from "../guard.ts";
import type { StartOptions } from "../target.ts";
import { arrange } from "./arrange.ts";
import { type Bake, bakeFile } from "./bake.ts";
import { cacheEntries } from "./build-cache.ts";
import { checkEngine } from "./engine-check.ts";
import { aheadTag, buildImages, WORK_LABEL, writeBakeFile } from "./images.ts";
import { removeAhead } from "./leftovers.ts";
import { recipeOf } from "./recipe.ts";
import { sourceOf } from "./source.ts";
import { mapValues } from "./types.ts";

/** What was built ahead of a run, or is to be. */
export interface Ahead {
  /** Names of the bake file's targets; none where the compose files build nothing. */
  targets: string[];
  /** Directories that the build reads. */
  reads: string[];
}

/**
 * Builds the images of a plan under names by which its run finds them, or only writes what is to be built to `bakeFile`,
 * for `docker buildx bake`. What was built for this work directory before is removed. Throws InputError or MeasureError.
 */
export async function buildAhead(options: StartOptions, file: string | null): Promise<Ahead> {
  const { plan, workDirectory, progress, signal } = options;
  await checkEngine(plan, signal);
  await removeAhead(workDirectory, signal);
  const state = join(workDirectory, "state");
  rmSync(state, { recursive: true, force: true });
  mkdirSync(state, { recursive: true, mode: 0o700 });
  guardDirectory(state);
  try {
    const labels = { [WORK_LABEL]: workDirectory };
    const { projects } = await arrange(options, recipeOf(options, state), { id: "ahead", labels });
    const made = bakeFile(projects, labels, cacheEntries(plan.config.target.buildCache));
    if (made === null) return { targets: [], reads: [] };
    const bake = named(made, sourceOf(plan.id, made, workDirectory));
    if (file !== null) {
      write(file, { group: { default: { targets: bake.targets } }, ...bake.file });
    } else {
      progress(`building ${bake.targets.join(", ")}`);
      const logs = join(workDirectory, "logs");
      mkdirSync(logs, { recursive: true });
      await buildImages(bake, projects, { file: join(state, "bake.json"), log: join(logs, "build.log") }, signal);
    }
    return { targets: bake.targets, reads: bake.reads };
  } catch (error) {
    // Some images may be there.
    await removeAhead(workDirectory, AbortSignal.timeout(REMOVAL_MS)).catch(() => {});
    throw error;
  } finally {
    rmSync(state, { recursive: true, force: true });
    forgetDirectory(state);
  }
}

const REMOVAL_MS = 60_000;

/** The same builds under the names that the run looks for. */
function named(bake: Bake, source: string): Bake {
  return {
    ...bake,
    file: { target: mapValues(bake.file.target, (it, name) => ({ ...it, tags: [aheadTag(source, name)] })) },
  };
}

function write(file: string, content: object): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeBakeFile(file, content);
  } catch (error) {
    throw new InputError(`--bake-file: ${file} cannot be written: ${(error as Error).message}`);
  }
}

import { existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
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
import { below } from "./mounts.ts";
import { recipesOf } from "./recipe.ts";
import { sourceOf } from "./source.ts";
import { mapValues } from "./types.ts";

/**
 * Builds the images of a plan under names by which its run finds them, or only writes what is to be built to `file`, for
 * `docker buildx bake`. What was built for this work directory before is removed. Throws InputError or MeasureError.
 *
 * @returns names of the targets; none where the compose files build nothing
 */
export async function buildAhead(options: StartOptions, file: string | null): Promise<string[]> {
  const { plan, workDirectory, progress, signal } = options;
  await checkEngine(plan, signal);
  await removeAhead(workDirectory, signal);
  const state = join(workDirectory, "state");
  rmSync(state, { recursive: true, force: true });
  mkdirSync(state, { recursive: true, mode: 0o700 });
  guardDirectory(state);
  try {
    const labels = { [WORK_LABEL]: workDirectory };
    const recipes = recipesOf(options, state);
    const { projects } = await arrange(options, recipes, { id: "ahead", labels });
    const made = bakeFile(projects, labels, cacheEntries(plan.config.target.buildCache));
    const fetched = made === null || file === null ? [] : fetchedTargets(made);
    if (fetched.length > 0) progress(`${fetched.join(", ")}: built from a repository elsewhere, left to measure`);
    if (made === null || fetched.length > 0) {
      if (file !== null) write(file, NOTHING);
      return [];
    }
    const places = [recipes.base.tree, recipes.head.tree, join(options.home, "docker")];
    if (file !== null) checkReads(made.reads, places);
    const bake = named(made, sourceOf(plan.id, made, workDirectory));
    if (file !== null) {
      write(file, { group: { default: { targets: bake.targets } }, ...bake.file });
    } else {
      progress(`building ${bake.targets.join(", ")}`);
      const logs = join(workDirectory, "logs");
      mkdirSync(logs, { recursive: true });
      await buildImages(bake, projects, { file: join(state, "bake.json"), log: join(logs, "build.log") }, signal);
    }
    return bake.targets;
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

/** A bake file has to have a target. */
const NOTHING = { target: { default: { "dockerfile-inline": "FROM scratch", output: ["type=cacheonly"] } } };

/** Targets whose files come from a repository: bake would hand these builds the token of whoever bakes. */
function fetchedTargets({ file }: Bake): string[] {
  const isFetched = (context: unknown) =>
    typeof context === "string" && !/^(?:\/|target:|docker-image:|oci-layout:)/.test(context);
  return Object.entries(file.target).flatMap(([name, { context, contexts }]) =>
    [context, ...Object.values(contexts ?? {})].some(isFetched) ? [name] : [],
  );
}

/** Who bakes the file may hold credentials, in files as well: what a pull request names is read from its own tree. */
function checkReads(reads: readonly string[], allowed: readonly string[]): void {
  const places = allowed.map(real);
  for (const path of reads) {
    if (places.some((place) => below(place, real(path)) !== null)) continue;
    throw new InputError(
      `--bake-file: expected builds that read below ${allowed.join(", ")}; got ${path}. Copy it into the tree, or leave the build to measure.`,
    );
  }
}

/** Where links lead; a path that is not there is what it says. */
const real = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

function write(file: string, content: object): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeBakeFile(file, content);
  } catch (error) {
    throw new InputError(`--bake-file: ${file} cannot be written: ${(error as Error).message}`);
  }
}

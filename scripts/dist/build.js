import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  arrange,
  checkEngine,
  mapValues,
  recipesOf
} from "./shared-ignore.js";
import "./shared-programs~2.js";
import {
  LOCK_WAIT,
  WORK_LABEL,
  aheadTag,
  bakeFile,
  below,
  buildImages,
  cacheEntries,
  lockMachine,
  removeAhead,
  sourceOf,
  writeBakeFile
} from "./shared-bake.js";
import {
  forgetDirectory,
  guardDirectory
} from "./shared-guard.js";
import {
  checkOut,
  treesOf
} from "./shared-arms~2.js";
import "./shared-engine.js";
import {
  InputError
} from "./shared-errors.js";
import "./shared-arms.js";
import "./shared-model.js";
import "./shared-runtime.js";

// scripts/src/target/compose/ahead.ts
import { existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
async function buildAhead(options, file) {
  const { plan, workDirectory, progress, signal } = options;
  await checkEngine(plan, signal);
  await removeAhead(workDirectory, signal);
  const state = join(workDirectory, "state");
  rmSync(state, { recursive: true, force: true });
  mkdirSync(state, { recursive: true, mode: 448 });
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
    await removeAhead(workDirectory, AbortSignal.timeout(REMOVAL_MS)).catch(() => {
    });
    throw error;
  } finally {
    rmSync(state, { recursive: true, force: true });
    forgetDirectory(state);
  }
}
var REMOVAL_MS = 6e4;
function named(bake, source) {
  return {
    ...bake,
    file: { target: mapValues(bake.file.target, (it, name) => ({ ...it, tags: [aheadTag(source, name)] })) }
  };
}
var NOTHING = { target: { default: { "dockerfile-inline": "FROM scratch", output: ["type=cacheonly"] } } };
function fetchedTargets({ file }) {
  const isFetched = (context) => typeof context === "string" && !/^(?:\/|target:|docker-image:|oci-layout:)/.test(context);
  return Object.entries(file.target).flatMap(
    ([name, { context, contexts }]) => [context, ...Object.values(contexts ?? {})].some(isFetched) ? [name] : []
  );
}
function checkReads(reads, allowed) {
  const places = allowed.map(real);
  for (const path of reads) {
    if (places.some((place) => below(place, real(path)) !== null)) continue;
    throw new InputError(
      `--bake-file: expected builds that read below ${allowed.join(", ")}; got ${path}. Copy it into the tree, or leave the build to measure.`
    );
  }
}
var real = (path) => existsSync(path) ? realpathSync(path) : path;
function write(file, content) {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeBakeFile(file, content);
  } catch (error) {
    throw new InputError(`--bake-file: ${file} cannot be written: ${error.message}`);
  }
}

// scripts/src/phases/build.ts
async function buildPhase(work, home, progress, signal, bakeFile2 = null, cache = null) {
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
      const targets = await buildAhead(options, bakeFile2);
      isKept = bakeFile2 !== null && targets.length > 0;
      return targets;
    } finally {
      if (!isKept) await removeTrees();
    }
  } finally {
    unlock();
  }
}
export {
  buildPhase
};

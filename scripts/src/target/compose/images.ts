import { rmSync, writeFileSync } from "node:fs";
import { MeasureError } from "../../core/errors.ts";
import { tail } from "../log.ts";
import type { StartOptions } from "../target.ts";
import { type Bake, bakeFile, type Projects } from "./bake.ts";
import { cacheEntries } from "./build-cache.ts";
import { DockerError, docker } from "./engine.ts";
import { sourceOf } from "./source.ts";
import type { Labels } from "./types.ts";

/** On images that are built ahead of a run, in place of the run's own label: the work directory they are for. */
export const WORK_LABEL = "perf-gate.work";

export interface BuildPlaces {
  /** Path of the bake file to be written. */
  file: string;
  /** File that the build's output goes to. */
  log: string;
}

/**
 * Sees to it that every image the projects name for what they build is here: takes what was built ahead of this plan
 * from the same files, or builds all of it. Throws MeasureError with the Dockerfiles' names and the end of the output.
 */
export async function provideImages(
  { plan, workDirectory, progress, signal }: StartOptions,
  projects: Projects,
  labels: Labels,
  places: BuildPlaces,
): Promise<void> {
  const bake = bakeFile(projects, labels, cacheEntries(plan.config.target.buildCache));
  if (bake === null) return;
  if (await adoptAhead(bake, { planId: plan.id, workDirectory, progress, signal })) return;
  progress(`building ${bake.targets.join(", ")}`);
  await buildImages(bake, projects, places, signal);
}

/** Where an image that is built ahead has its name from: what it is made of. */
export const aheadTag = (source: string, target: string): string => `perf-gate/${source}:${target}`;

/** Gives images that were built ahead the tags of this run; false where these are not all there. */
async function adoptAhead(
  bake: Bake,
  {
    planId,
    workDirectory,
    progress,
    signal,
  }: Pick<StartOptions, "workDirectory" | "progress" | "signal"> & { planId: string },
): Promise<boolean> {
  const ours = ["image", "ls", "--quiet", "--filter", `label=${WORK_LABEL}=${workDirectory}`];
  if ((await docker(ours, { signal })).trim() === "") return false;
  const source = sourceOf(planId, bake, workDirectory);
  const tags = bake.targets.map((target) => aheadTag(source, target));
  const isThere = await docker(["image", "inspect", "--format", "{{.Id}}", ...tags], { signal }).then(
    () => true,
    () => false,
  );
  signal.throwIfAborted();
  if (!isThere) {
    progress("what was built ahead is not of this plan, or its files have changed since: building again");
    return false;
  }
  for (const [index, target] of bake.targets.entries()) {
    const [tag = ""] = bake.file.target[target]?.tags ?? [];
    await docker(["image", "tag", tags[index] ?? "", tag], { signal });
  }
  return true;
}

/** Builds what a bake file says. */
export async function buildImages(
  { file, allow, targets }: Bake,
  projects: Projects,
  places: BuildPlaces,
  signal: AbortSignal,
): Promise<void> {
  writeBakeFile(places.file, file);
  rmSync(places.log, { force: true });
  const args = [
    "buildx",
    "bake",
    "--file",
    places.file,
    ...allow.map((what) => `--allow=${what}`),
    "--progress",
    "plain",
  ];
  // The files of both trees lie outside of bake's own directory; --allow=fs=/ is not known before buildx 0.19.
  const env = { BUILDX_BAKE_ENTITLEMENTS_FS: "0" };
  await docker([...args, ...targets], { signal, env, log: places.log }).catch((error: Error) => {
    signal.throwIfAborted();
    if (!(error instanceof DockerError)) throw error;
    if (/cache export is not supported/i.test(error.stderr)) throw new MeasureError(NO_CACHE);
    const dockerfiles = [projects.base, projects.head, projects.shared].flatMap((project) =>
      Object.values(project?.services ?? {}).flatMap(({ build }) =>
        build === undefined ? [] : [build.dockerfile ?? "Dockerfile"],
      ),
    );
    const names = [...new Set(dockerfiles)].join(", ");
    throw new MeasureError(`the images cannot be built (${names})${tail("the build's output", places.log, 25)}`);
  });
}

const NO_CACHE =
  "target.build-cache: this builder cannot export a cache. Make one that can, docker buildx create --use, or turn on " +
  "the engine's containerd image store; or remove target.build-cache";

/** Build arguments may be nobody else's business. */
export function writeBakeFile(path: string, file: object): void {
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
}

/** Those of the images, which are all here, that bring a health check of their own. */
export async function withHealthcheck(images: readonly string[], signal: AbortSignal): Promise<Set<string>> {
  const distinct = [...new Set(images)];
  const format = "{{if .Config.Healthcheck}}own{{else}}none{{end}}";
  const own = (await docker(["image", "inspect", "--format", format, ...distinct], { signal })).trim().split("\n");
  return new Set(distinct.filter((_, index) => own[index] === "own"));
}

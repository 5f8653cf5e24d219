import { perArm } from "../../core/arms.ts";
import { ARMS, type Arm, type Plan } from "../../core/model.ts";
import type { StartOptions } from "../target.ts";
import type { Projects } from "./bake.ts";
import { checkBuildCache } from "./build-cache.ts";
import { sharedServices } from "./checks.ts";
import { checkMounts } from "./mounts.ts";
import { noticesOf } from "./notices.ts";
import { armProject, type SharedOptions, sharedProject } from "./project.ts";
import type { Recipe } from "./recipe.ts";
import { resolve } from "./resolve.ts";
import type { ComposeModel, Labels, ProjectName } from "./types.ts";

/** What is settled before anything of a run is made. */
export interface Arrangement {
  /** The compose file as it is for each project. */
  models: Record<ProjectName, ComposeModel>;
  projects: Required<Projects>;
}

/**
 * The projects of a run, of this id and with these labels, made from the compose files of both arms. Tells what a user
 * may not expect of these. Throws InputError where they cannot be used.
 */
export async function arrange(
  { plan, workDirectory, progress, signal }: StartOptions,
  recipes: Record<ProjectName, Recipe>,
  run: { id: string; labels: Labels },
): Promise<Arrangement> {
  const resolving = (["base", "head", "shared"] as const).map((project) => resolve(recipes[project], project, signal));
  await Promise.allSettled(resolving);
  const [base, head, shared] = (await Promise.all(resolving)) as [ComposeModel, ComposeModel, ComposeModel];
  const models = { base, head, shared };
  const options = (project: ProjectName) => projectOptions(plan, recipes[project], run);
  const ofArm = (arm: Arm) => armProject(models[arm], { ...options(arm), arm, image: plan.arms[arm].image });
  const sharing = ARMS.filter((arm) => recipes[arm].shared.length > 0);
  const projects = { ...perArm(ofArm), shared: sharedProject(shared, options("shared"), sharing) };
  const trees = perArm((arm) => recipes[arm].tree);
  checkMounts(projects, trees);
  checkBuildCache(plan.config.target.buildCache, Object.values(trees));
  // Nobody may have changed the bundled file.
  const mayDiffer = sharing.length === ARMS.length && recipes.shared.target.compose !== null;
  const compared = sharedServices(shared, mayDiffer ? recipes.shared.shared : []);
  const notices = noticesOf(models, compared, { trees, workDirectory });
  for (const notice of notices) progress(notice);
  return { models, projects };
}

function projectOptions({ layout, config }: Plan, recipe: Recipe, run: { id: string; labels: Labels }): SharedOptions {
  const { service, shared, restart, target } = recipe;
  const { resources, links } = target;
  const cpus = config.measure.isolation === "off" ? null : { target: layout.target, services: layout.services };
  return { ...run, service, shared, targetServices: restart, resources, links, cpus };
}

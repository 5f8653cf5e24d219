import type { Arm, Plan } from "../../core/model.ts";
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
  recipe: Recipe,
  run: { id: string; labels: Labels },
): Promise<Arrangement> {
  const { env } = plan.config.target;
  const resolving = (["base", "head", "shared"] as const).map((project) => resolve(recipe, project, env, signal));
  await Promise.allSettled(resolving);
  const [base, head, shared] = (await Promise.all(resolving)) as [ComposeModel, ComposeModel, ComposeModel];
  const models = { base, head, shared };
  const options = projectOptions(plan, recipe, run);
  const ofArm = (arm: Arm) => armProject(models[arm], { ...options, arm, image: plan.arms[arm].image });
  const projects = { base: ofArm("base"), head: ofArm("head"), shared: sharedProject(shared, options) };
  const trees = { base: recipe.tree("base"), head: recipe.tree("head") };
  checkMounts(projects, trees);
  checkBuildCache(plan.config.target.buildCache, Object.values(trees));
  const notices = noticesOf(models, sharedServices(shared, recipe.shared), { trees, workDirectory });
  for (const notice of notices) progress(notice);
  return { models, projects };
}

function projectOptions({ layout, config }: Plan, recipe: Recipe, run: { id: string; labels: Labels }): SharedOptions {
  const { resources, links } = config.target;
  const { service, shared, restart } = recipe;
  const cpus = config.measure.isolation === "off" ? null : { target: layout.target, services: layout.services };
  return { ...run, service, shared, targetServices: restart, resources, links, cpus };
}

import { existsSync } from "node:fs";
import { InputError } from "../../core/errors.ts";
import { quoted } from "../log.ts";
import { requireServices } from "./checks.ts";
import { DockerError, docker } from "./engine.ts";
import type { Recipe } from "./recipe.ts";
import {
  type ComposeModel,
  type ComposeService,
  mapValues,
  type ProjectName,
  pick,
  withoutDependencies,
} from "./types.ts";

/**
 * The compose file as it is for one project: paths relative to the file itself, variables filled in, `target.env` in
 * PHP's services. Throws InputError where compose cannot read it.
 */
export async function resolve(recipe: Recipe, project: ProjectName, signal: AbortSignal): Promise<ComposeModel> {
  const path = recipe.file;
  if (!existsSync(path)) {
    throw new InputError(`target.compose: there is no ${path}; name a compose file that both arms have in their tree`);
  }
  const args = ["compose", "--file", path, "config", "--format", "json"];
  const text = await docker(args, { signal, env: recipe.variables }).catch((error: Error) => {
    signal.throwIfAborted();
    const why = error instanceof DockerError ? error.stderr : error.message;
    const hint = /env file|no such file/i.test(why)
      ? "\nA file that is not under version control is named by target.copy, such as copy: [.env]"
      : "";
    throw new InputError(`target.compose: ${path} of ${project} cannot be used:\n${quoted(why, 15)}${hint}`);
  });
  const model = JSON.parse(text) as ComposeModel;
  for (const [kind, name] of Object.entries(recipe.census)) {
    if (name !== null) requireServices(model, `target.census.${kind}`, [name]);
  }
  const left = new Set(recipe.left);
  const services = mapValues(
    pick(model.services, (_, name) => !left.has(name)),
    (service, name) => {
      const needed = withoutDependencies(service, left);
      return recipe.restart.includes(name) ? withEnvironment(needed, recipe.target.env) : needed;
    },
  );
  return { ...model, services };
}

/** With configured variables; in them, `${MYSQL_HOST}` is what the service's own environment says of it. */
function withEnvironment(service: ComposeService, env: Record<string, string>): ComposeService {
  const own = (service["environment"] ?? {}) as Record<string, string | null>;
  const filled = mapValues(env, (value) =>
    // For compose, which expands a `$`; what it printed is escaped already.
    value.replaceAll("$", "$$$$").replaceAll(/\$\$\{(\w+)\}/g, (whole, name: string) => own[name] ?? whole),
  );
  return { ...service, environment: { ...own, ...filled } };
}

const COMPLETED = "service_completed_successfully";

/** Services that somebody waits for to end well: they run once and are not missed afterwards. */
export function oneShotsOf(models: readonly ComposeModel[]): Set<string> {
  const dependencies = models
    .flatMap(({ services }) => Object.values(services))
    .flatMap(({ depends_on = {} }) => Object.entries(depends_on));
  return new Set(dependencies.flatMap(([name, { condition }]) => (condition === COMPLETED ? [name] : [])));
}

/** `names`, each after those of them that it depends on. */
export function inOrder(services: ComposeModel["services"], names: readonly string[]): string[] {
  const ordered = new Set<string>();
  const add = (name: string, above: readonly string[]): void => {
    if (above.includes(name)) return;
    for (const needed of Object.keys(services[name]?.depends_on ?? {})) add(needed, [...above, name]);
    if (names.includes(name)) ordered.add(name);
  };
  for (const name of names) add(name, []);
  return [...ordered];
}

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import dockerignore from "@balena/dockerignore";
import type { Arm } from "../../core/model.ts";
import { below } from "./mounts.ts";
import type { ComposeModel } from "./types.ts";

/** Sentences about what a user may not expect of these files. */
export function noticesOf(
  models: Record<Arm, ComposeModel>,
  shared: ReadonlySet<string>,
  { trees, workDirectory }: { trees: Record<Arm, string>; workDirectory: string },
): string[] {
  return [
    ...[...shared]
      .filter((name) => differs(models, name, trees))
      .map(
        (name) => `target.shared: ${name} is not the same in the compose files of base and head; both get the base's`,
      ),
    ...[...new Set([models.base, models.head].flatMap(externalNetworks))].map(
      (name) =>
        `compose file: networks.${name} is external; each version gets a network of its own in its place, without what is outside of this file`,
    ),
    ...[...new Set([models.base, models.head].flatMap((model) => contextsAround(model, workDirectory)))].map(
      (context) =>
        `the build context ${context} contains the work directory ${workDirectory}: name it in ${context}/.dockerignore, or every build sends it along`,
    ),
  ];
}

function differs(models: Record<Arm, ComposeModel>, name: string, trees: Record<Arm, string>): boolean {
  const text = (arm: Arm) => JSON.stringify(models[arm].services[name] ?? null).replaceAll(trees[arm], "TREE");
  return text("base") !== text("head");
}

function externalNetworks({ networks = {} }: ComposeModel): string[] {
  return Object.keys(networks).filter((key) => networks[key]?.external === true);
}

/** Build contexts that hold the work directory, and whose .dockerignore does not name it. */
function contextsAround({ services }: ComposeModel, workDirectory: string): string[] {
  return Object.values(services).flatMap(({ build }) => {
    const context = build?.context;
    const path = context?.startsWith("/") ? below(context, workDirectory) : null;
    if (context === undefined || path === null) return [];
    const dockerfile = build?.dockerfile ?? "Dockerfile";
    const own = `${dockerfile.startsWith("/") ? dockerfile : join(context, dockerfile)}.dockerignore`;
    const file = existsSync(own) ? own : join(context, ".dockerignore");
    const ignored = dockerignore().add(existsSync(file) ? readFileSync(file, "utf8") : "");
    return ignored.ignores(join(path, "plan.json")) ? [] : [context];
  });
}

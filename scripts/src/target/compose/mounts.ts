import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { InputError } from "../../core/errors.ts";
import { ARMS, type Arm } from "../../core/model.ts";
import type { ComposeModel } from "./types.ts";

/** Of the machine itself: nobody writes there by way of a mount. */
const OF_THE_MACHINE = /^\/(etc|usr|lib|dev|proc|sys)(\/|$)/;

interface Mount {
  service: string;
  source: string;
  readOnly: boolean;
}

/**
 * Throws InputError where a directory that one arm mounts is in the other arm's tree alone (the engine would make an
 * empty one), or where both arms would write into the same files.
 */
export function checkMounts(projects: Record<Arm, ComposeModel>, trees: Record<Arm, string>): void {
  const mounts = { base: mountsOf(projects.base), head: mountsOf(projects.head) };
  for (const arm of ARMS) {
    const other = arm === "base" ? "head" : "base";
    for (const { service, source } of mounts[arm]) {
      const path = below(trees[arm], source);
      if (path === null || existsSync(source) || !existsSync(join(trees[other], path))) continue;
      throw new InputError(
        `compose file: services.${service}.volumes: ${source} is not there, and the tree of ${other} has it. ` +
          `Where it is not under version control, name it in target.copy: copy: [${path}]`,
      );
    }
  }
  for (const { service, source, readOnly } of mounts.base) {
    if (readOnly || ARMS.some((arm) => below(trees[arm], source) !== null) || isHarmless(source)) continue;
    const also = mounts.head.find((mount) => mount.source === source && !mount.readOnly);
    if (also === undefined) continue;
    throw new InputError(
      `compose file: services.${service}.volumes: both versions would write into ${source}. Mount it read-only ` +
        `(${source}:...:ro), use a named volume, of which each version gets its own, or name ${service} in target.shared`,
    );
  }
}

function mountsOf(project: ComposeModel): Mount[] {
  return Object.entries(project.services).flatMap(([service, { volumes }]) =>
    (volumes ?? []).flatMap(({ type, source, read_only: readOnly = false }) =>
      type === "bind" && source !== undefined ? [{ service, source, readOnly }] : [],
    ),
  );
}

/** Path below a directory, "." for itself; null where it is elsewhere. */
export function below(directory: string, path: string): string | null {
  const inside = relative(directory, path);
  return inside.startsWith("..") || isAbsolute(inside) ? null : inside || ".";
}

function isHarmless(source: string): boolean {
  return OF_THE_MACHINE.test(source) || statSync(source, { throwIfNoEntry: false })?.isSocket() === true;
}

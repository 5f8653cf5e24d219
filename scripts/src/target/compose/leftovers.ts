import { setTimeout as sleep } from "node:timers/promises";
import { MeasureError } from "../../core/errors.ts";
import { DockerError, docker, lastLines } from "./engine.ts";
import { isDead, OWNER_LABEL } from "./owner.ts";

/** In the order in which they let go of each other. */
const KINDS: readonly { name: string; list: string[]; remove: string[] }[] = [
  { name: "containers", list: ["ps", "--all", "--no-trunc"], remove: ["rm", "--force", "--volumes"] },
  { name: "networks", list: ["network", "ls", "--no-trunc"], remove: ["network", "rm"] },
  { name: "volumes", list: ["volume", "ls"], remove: ["volume", "rm"] },
  { name: "images", list: ["image", "ls", "--no-trunc"], remove: ["image", "rm", "--force"] },
];
const TRIES = 10;
const BETWEEN_TRIES_MS = 300;

const lines = (text: string): string[] => [...new Set(text.split("\n").filter(Boolean))];

/**
 * Removes containers, networks, volumes and images (or some of these) that carry the label, and looks again until
 * there are none: one that somebody else removes just now, or that the engine was still making, is no reason to leave
 * the rest. Throws MeasureError with what is left.
 *
 * @returns number of containers
 */
export async function removeLabelled(label: string, signal: AbortSignal, kinds = KINDS): Promise<number> {
  let containers = 0;
  for (let tries = 1; ; tries++) {
    const left: string[] = [];
    const refusals: string[] = [];
    for (const { name, list, remove } of kinds) {
      const found = lines(await docker([...list, "--quiet", "--filter", `label=${label}`], { signal }));
      if (found.length === 0) continue;
      left.push(`${found.length} ${name}`);
      if (name === "containers" && tries === 1) containers = found.length;
      await docker([...remove, ...found], { signal }).catch((error: Error) => {
        signal.throwIfAborted();
        refusals.push(error instanceof DockerError ? lastLines(error.stderr, 3) : error.message);
      });
    }
    if (left.length === 0) return containers;
    if (tries === TRIES) {
      throw new MeasureError(`${left.join(", ")} with the label ${label} cannot be removed: ${refusals.join("; ")}`);
    }
    if (refusals.length > 0) await sleep(BETWEEN_TRIES_MS);
  }
}

/** The first step alone: nobody writes anywhere any more. */
export const removeContainers = (label: string, signal: AbortSignal): Promise<number> =>
  removeLabelled(label, signal, KINDS.slice(0, 1));

/** Removes what runs of this host left that were killed. @returns number of containers */
export async function removeLeftovers(signal: AbortSignal): Promise<number> {
  const label = `{{.Label "${OWNER_LABEL}"}}`;
  const filter = ["--filter", `label=${OWNER_LABEL}`];
  const owners = new Set<string>();
  for (const list of [
    ["ps", "--all"],
    ["network", "ls"],
    ["volume", "ls"],
  ]) {
    for (const owner of lines(await docker([...list, ...filter, "--format", label], { signal }))) owners.add(owner);
  }
  const images = lines(await docker(["image", "ls", "--quiet", ...filter], { signal }));
  if (images.length > 0) {
    const ofImage = `{{index .Config.Labels "${OWNER_LABEL}"}}`;
    // One may go meanwhile.
    const text = await docker(["image", "inspect", "--format", ofImage, ...images], { signal }).catch(() => "");
    for (const owner of lines(text)) owners.add(owner);
  }
  let containers = 0;
  for (const owner of owners) {
    if (isDead(owner)) containers += await removeLabelled(`${OWNER_LABEL}=${owner}`, signal);
  }
  return containers;
}

import { setTimeout as sleep } from "node:timers/promises";
import { MeasureError } from "../../core/errors.ts";
import { DockerError, docker, lastLines } from "./engine.ts";
import { WORK_LABEL } from "./images.ts";
import { isDead, OWNER_LABEL } from "./owner.ts";

/** In the order in which they let go of each other. */
const KINDS: readonly { name: string; list: string[]; remove: string[] }[] = [
  { name: "container", list: ["ps", "--all", "--no-trunc"], remove: ["rm", "--force", "--volumes"] },
  { name: "network", list: ["network", "ls", "--no-trunc"], remove: ["network", "rm"] },
  { name: "volume", list: ["volume", "ls"], remove: ["volume", "rm"] },
  { name: "image", list: ["image", "ls", "--no-trunc"], remove: ["image", "rm", "--force"] },
];
const TRIES = 10;
const BETWEEN_TRIES_MS = 300;

/** What was removed, and how many of it: { container: 2, network: 1 }. */
export type Removed = Record<string, number>;

/** "2 containers, 1 network"; empty where nothing was. */
export const describeRemoved = (removed: Removed): string =>
  Object.entries(removed)
    .map(([name, count]) => `${count} ${name}${count === 1 ? "" : name.endsWith("s") ? "es" : "s"}`)
    .join(", ");

const lines = (text: string): string[] => [...new Set(text.split("\n").filter(Boolean))];

/**
 * Removes containers, networks, volumes and images (or some of these) that carry the label, and looks again until
 * there are none: one that somebody else removes just now, or that the engine was still making, is no reason to leave
 * the rest. Throws MeasureError with what is left.
 */
export async function removeLabelled(label: string, signal: AbortSignal, kinds = KINDS): Promise<Removed> {
  const removed: Removed = {};
  for (let tries = 1; ; tries++) {
    const left: Removed = {};
    const refusals: string[] = [];
    for (const { name, list, remove } of kinds) {
      const found = lines(await docker([...list, "--quiet", "--filter", `label=${label}`], { signal }));
      if (found.length === 0) continue;
      left[name] = found.length;
      removed[name] ??= found.length;
      await docker([...remove, ...found], { signal }).catch((error: Error) => {
        signal.throwIfAborted();
        refusals.push(error instanceof DockerError ? lastLines(error.stderr, 3) : error.message);
      });
    }
    if (Object.keys(left).length === 0) return removed;
    if (tries === TRIES) {
      const what = describeRemoved(left);
      throw new MeasureError(`${what} with the label ${label} cannot be removed: ${refusals.join("; ")}`);
    }
    if (refusals.length > 0) await sleep(BETWEEN_TRIES_MS);
  }
}

/** The first step alone: nobody writes anywhere any more. */
export const removeContainers = (label: string, signal: AbortSignal): Promise<Removed> =>
  removeLabelled(label, signal, KINDS.slice(0, 1));

/** Removes the images that were built ahead for a work directory, with every name they have. */
export const removeAhead = (workDirectory: string, signal: AbortSignal): Promise<Removed> =>
  removeLabelled(`${WORK_LABEL}=${workDirectory}`, signal, KINDS.slice(-1));

/** Removes what runs of this host left that were killed. */
export async function removeLeftovers(signal: AbortSignal): Promise<Removed> {
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
  const removed: Removed = {};
  for (const owner of owners) {
    if (!isDead(owner)) continue;
    const found = await removeLabelled(`${OWNER_LABEL}=${owner}`, signal);
    for (const [name, count] of Object.entries(found)) removed[name] = (removed[name] ?? 0) + count;
  }
  return removed;
}

import { InputError } from "../../core/errors.ts";
import { assertNever, type BuildCache } from "../../core/model.ts";
import type { CacheEntries } from "./bake.ts";
import { below } from "./mounts.ts";

/** Layers of every stage; a cache that cannot be written makes no build fail. */
const EXPORTED = "mode=max,ignore-error=true";

/** A place for each target of its own. docker/docker-bake.hcl takes the same entries. */
export function cacheEntries(cache: BuildCache | null): CacheEntries {
  if (cache === null) return { from: [], to: [] };
  switch (cache.kind) {
    case "folder":
      return {
        from: [`type=local,src=${cache.path}/{target}`],
        to: [`type=local,dest=${cache.path}/{target},${EXPORTED}`],
      };
    case "registry": {
      const place = `type=registry,ref=${cache.repository}:{target}`;
      return { from: [place], to: [`${place},${EXPORTED}`] };
    }
    case "gha": {
      const place = "type=gha,scope=perf-gate-{target}";
      return { from: [place], to: [`${place},${EXPORTED}`] };
    }
    default:
      return assertNever(cache);
  }
}

/** Throws InputError where a build would read the folder that it writes. */
export function checkBuildCache(cache: BuildCache | null, trees: readonly string[]): void {
  if (cache?.kind !== "folder") return;
  const tree = trees.find((it) => below(it, cache.path) !== null);
  if (tree === undefined) return;
  throw new InputError(
    `target.build-cache: expected a folder outside of the trees; got ${cache.path}, which is in ${tree} and would be part of every image. Write for example ../build-cache.`,
  );
}

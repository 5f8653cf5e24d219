import { MeasureError } from "../../core/errors.ts";
import { tail } from "../log.ts";
import type { Bake } from "./bake.ts";
import { DockerError, docker } from "./engine.ts";

/**
 * Builds what a bake file says, written at `file`. Throws MeasureError with the Dockerfiles' names and the end of the
 * output.
 */
export async function buildImages(
  { allow, targets }: Bake,
  { file, dockerfiles, log, signal }: { file: string; dockerfiles: string[]; log: string; signal: AbortSignal },
): Promise<void> {
  const args = ["buildx", "bake", "--file", file, ...allow.map((what) => `--allow=${what}`), "--progress", "plain"];
  // The files of both trees lie outside of bake's own directory; --allow=fs=/ is not known before buildx 0.19.
  const env = { BUILDX_BAKE_ENTITLEMENTS_FS: "0" };
  await docker([...args, ...targets], { signal, env, log }).catch((error: Error) => {
    signal.throwIfAborted();
    if (!(error instanceof DockerError)) throw error;
    const names = [...new Set(dockerfiles)].join(", ");
    throw new MeasureError(`the images cannot be built (${names})${tail("the build's output", log, 25)}`);
  });
}

/** Those of the images, which are all here, that bring a health check of their own. */
export async function withHealthcheck(images: readonly string[], signal: AbortSignal): Promise<Set<string>> {
  const distinct = [...new Set(images)];
  const format = "{{if .Config.Healthcheck}}own{{else}}none{{end}}";
  const own = (await docker(["image", "inspect", "--format", format, ...distinct], { signal })).trim().split("\n");
  return new Set(distinct.filter((_, index) => own[index] === "own"));
}

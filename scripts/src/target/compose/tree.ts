import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import type { ArmSource } from "../../core/model.ts";
import { docker } from "./engine.ts";

/**
 * Empties a tree that was checked out for the run where containers wrote into it as another user: we may not remove
 * such files, root in a container of `image` may. Never rejects; who removes the tree says what is left.
 */
export async function clearTree(
  { directory, repository }: ArmSource,
  image: string,
  label: string,
  signal: AbortSignal,
): Promise<void> {
  if (directory === null || repository === null || !existsSync(directory)) return;
  const foreign = ["!", "-user", `${process.getuid?.() ?? 0}`, "-print", "-quit"];
  const found = await promisify(execFile)("find", [directory, ...foreign]).catch(() => null);
  if (found?.stdout === "") return;
  const options = ["--rm", "--label", label, "--network", "none", "--user", "0", "--entrypoint", "sh"];
  const mount = ["--mount", `type=bind,source=${directory},target=/tree`];
  const remove = [image, "-c", "rm -rf /tree/* /tree/.[!.]* /tree/..?*"];
  await docker(["run", ...options, ...mount, ...remove], { signal }).catch(() => "");
}

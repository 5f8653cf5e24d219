import { accessSync, constants, readdirSync } from "node:fs";
import { join } from "node:path";
import { MeasureError } from "../core/errors.ts";

/** Where servers live that an ordinary user's PATH leaves out. */
const SERVER_DIRECTORIES = ["/usr/sbin", "/usr/local/sbin"];

function directories(): string[] {
  const path = (process.env.PATH ?? "").split(":").filter((directory) => directory !== "");
  return [...new Set([...path, ...SERVER_DIRECTORIES])];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of the first of `names` that is installed, else null. A name with a slash is a path itself. */
export function findProgram(...names: string[]): string | null {
  for (const name of names) {
    if (name.includes("/")) {
      if (isExecutable(name)) return name;
      continue;
    }
    const found = directories()
      .map((directory) => join(directory, name))
      .find(isExecutable);
    if (found !== undefined) return found;
  }
  return null;
}

/** Path of the first of `names` that is installed; throws MeasureError naming the Debian package. */
export function requireProgram(debianPackage: string, ...names: string[]): string {
  const found = findProgram(...names);
  if (found !== null) return found;
  throw new MeasureError(
    `${names.join(" or ")} is not installed: apt-get install ${debianPackage}; ` +
      "./scripts/perf-gate doctor lists everything that is missing",
  );
}

/** The newest php-fpm<version>, else a plain php-fpm, else null. */
export function findPhpFpm(): string | null {
  const versioned: { path: string; version: number }[] = [];
  for (const directory of directories()) {
    for (const name of list(directory)) {
      const match = /^php-fpm(\d+)\.(\d+)$/.exec(name);
      if (match === null || !isExecutable(join(directory, name))) continue;
      versioned.push({ path: join(directory, name), version: Number(match[1]) * 1000 + Number(match[2]) });
    }
  }
  const newest = versioned.sort((a, b) => b.version - a.version)[0];
  return newest?.path ?? findProgram("php-fpm");
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  MeasureError
} from "./shared-errors.js";

// scripts/src/target/programs.ts
import { accessSync, constants, readdirSync } from "node:fs";
import { join } from "node:path";
var SERVER_DIRECTORIES = ["/usr/sbin", "/usr/local/sbin"];
function directories() {
  const path = (process.env.PATH ?? "").split(":").filter((directory) => directory !== "");
  return [.../* @__PURE__ */ new Set([...path, ...SERVER_DIRECTORIES])];
}
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
function findProgram(...names) {
  for (const name of names) {
    if (name.includes("/")) {
      if (isExecutable(name)) return name;
      continue;
    }
    const found = directories().map((directory) => join(directory, name)).find(isExecutable);
    if (found !== void 0) return found;
  }
  return null;
}
function requireProgram(debianPackage, ...names) {
  const found = findProgram(...names);
  if (found !== null) return found;
  throw new MeasureError(
    `${names.join(" or ")} is not installed: apt-get install ${debianPackage}; ./scripts/perf-gate doctor lists everything that is missing`
  );
}
function findPhpFpm() {
  const versioned = [];
  for (const directory of directories()) {
    for (const name of list(directory)) {
      const match = /^php-fpm(\d+)\.(\d+)$/.exec(name);
      if (match === null || !isExecutable(join(directory, name))) continue;
      versioned.push({ path: join(directory, name), version: Number(match[1]) * 1e3 + Number(match[2]) });
    }
  }
  const newest = versioned.sort((a, b) => b.version - a.version)[0];
  return newest?.path ?? findProgram("php-fpm");
}
function list(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

export {
  findProgram,
  requireProgram,
  findPhpFpm
};

import { createHash, type Hash } from "node:crypto";
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Bake } from "./bake.ts";

const CHUNK_BYTES = 1024 * 1024;

/**
 * Digest of what the images of a plan are made of, 16 hex digits: how they are built, and all files that the builds
 * may read, by their names, modes and contents. `ignored`: a directory that is left out, the work directory.
 */
export function sourceOf(planId: string, { file, reads }: Bake, ignored: string): string {
  const definitions = Object.entries(file.target).map(
    ([name, { tags, labels, "cache-from": from, "cache-to": to, ...how }]) => [name, how],
  );
  const hash = createHash("sha256").update(JSON.stringify([planId, definitions]));
  for (const path of reads) addFiles(hash, existsSync(path) ? realpathSync(path) : path, ignored);
  return hash.digest("hex").slice(0, 16);
}

/** The directory's own path does not matter, the names in it do. What git keeps there is not the tree's. */
function addFiles(hash: Hash, root: string, ignored: string): void {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const add = (name: string): void => {
    const path = join(root, name);
    if (path === ignored) return;
    const found = lstatSync(path, { throwIfNoEntry: false });
    hash.update(`\0${name}\0${found?.mode ?? "absent"}\0`);
    try {
      if (found?.isSymbolicLink()) hash.update(readlinkSync(path));
      if (found?.isFile()) {
        hash.update(`${found.size}\0`);
        addContent(hash, path, buffer);
      }
      if (found?.isDirectory()) {
        for (const entry of readdirSync(path).toSorted()) if (entry !== ".git") add(join(name, entry));
      }
    } catch (error) {
      // What we may not read no build reads.
      hash.update(`${(error as NodeJS.ErrnoException).code}`);
    }
  };
  add(".");
}

function addContent(hash: Hash, path: string, buffer: Buffer): void {
  const file = openSync(path, "r");
  try {
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer)) {
      hash.update(buffer.subarray(0, size));
    }
  } finally {
    closeSync(file);
  }
}

import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../core/errors.ts";
import type { HistoryRecord } from "../core/record.ts";
import { StoreError } from "./errors.ts";
import {
  checkPublished,
  contentsOf,
  LARGEST_FILE,
  monthFile,
  type RecordFiles,
  soundRecords,
  withAdded,
  withoutIds,
} from "./record-files.ts";
import type { Store } from "./store.ts";

/** How long one process waits for another to leave the store. */
const PATIENCE_MS = 60_000;
/** A lock that is older belongs to a process that was killed: who holds one keeps it for milliseconds. */
const STALE_MS = 30_000;

/** Absolute paths and what is to be written there. */
type Changes = ReadonlyMap<string, string | Uint8Array>;

/** Records in files of this machine; files are replaced in one step, by one process at a time. */
export class DiskStore implements Store {
  readonly label: string;
  /** null: the store is a single file, `label`. */
  readonly #folder: string | null;

  /** @param path absolute */
  constructor(path: string, kind: "file" | "folder") {
    this.label = path;
    this.#folder = kind === "folder" ? path : null;
  }

  async inspect() {
    const files = this.#files();
    return { ...contentsOf(files), missing: files.size === 0 };
  }

  async read() {
    const files = this.#files();
    return { records: soundRecords(files), missing: files.size === 0 };
  }

  async append(records: readonly HistoryRecord[]) {
    let count = 0;
    await this.#change(() => {
      const { changed, added } = withAdded(this.#files(), records, (record) => this.#fileOf(record));
      count = added.length;
      return changed;
    });
    return { added: count };
  }

  async remove(ids: ReadonlySet<string>) {
    let count = 0;
    await this.#change(() => {
      const { changed, removed } = withoutIds(this.#files(), ids);
      count = removed;
      return changed;
    });
    return { removed: count };
  }

  async publish(files: ReadonlyMap<string, string>) {
    const folder = this.#folder;
    if (folder === null) {
      throw new StoreError(
        `${this.label} is a single file, which has no place for a page: name a folder or git:BRANCH`,
      );
    }
    checkPublished(files);
    await this.#change(() => new Map([...files].map(([path, content]) => [join(folder, path), content])));
  }

  #fileOf(record: HistoryRecord): string {
    return this.#folder === null ? this.label : join(this.#folder, monthFile(record));
  }

  #files(): RecordFiles {
    const records = this.#folder === null ? null : join(this.#folder, "records");
    try {
      const paths = records === null ? [this.label] : entriesOf(records).map((name) => join(records, name));
      return new Map(paths.filter(isThere).map((path) => [path, readBounded(path)]));
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new InputError(`the store ${this.label} cannot be read: ${(error as Error).message}`);
    }
  }

  /** Writes what `compute` returns, which sees the store as it is while nobody else changes it. */
  async #change(compute: () => Changes): Promise<void> {
    const lockFile = this.#folder === null ? `${this.label}.lock` : join(this.#folder, ".lock");
    try {
      mkdirSync(dirname(lockFile), { recursive: true });
      await withLock(lockFile, (stillOurs) => replaceFiles(compute(), stillOurs));
    } catch (error) {
      if (error instanceof InputError) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === "ENOSPC" || code === "EDQUOT") {
        throw new StoreError(`no space left for the store ${this.label}: it is as it was`);
      }
      throw new StoreError(`cannot write to the store ${this.label}: ${message}; it is as it was`);
    }
  }
}

/** Throws where it cannot be told: a store that may not be looked at is not an empty one. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function entriesOf(folder: string): string[] {
  if (!isThere(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ndjson"))
    .toSorted();
}

function readBounded(path: string): string {
  if (statSync(path).size > LARGEST_FILE) throw new InputError(`${path} is larger than 64 MB: it is no store`);
  return readFileSync(path, "utf8");
}

/**
 * Each file is written beside the old one and then renamed: readers see one of the two, a full disk leaves the old.
 * Returns false, with nothing changed, where the lock was lost meanwhile.
 */
function replaceFiles(changes: Changes, stillOurs: () => boolean): boolean {
  const renames: [from: string, to: string][] = [];
  try {
    for (const [path, content] of changes) {
      mkdirSync(dirname(path), { recursive: true });
      const target = isThere(path) ? realpathSync(path) : path;
      const beside = `${target}.${process.pid}.new`;
      renames.push([beside, target]);
      const file = openSync(beside, "w");
      try {
        writeFileSync(file, content);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    }
    if (!stillOurs()) return false;
    for (const [from, to] of renames.splice(0)) renameSync(from, to);
    return true;
  } finally {
    for (const [beside] of renames) rmSync(beside, { force: true });
  }
}

/** Runs `action` while no other process has the lock file, again where it returns false. */
async function withLock(path: string, action: (stillOurs: () => boolean) => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const lock = tryLock(path);
    if (lock !== null) {
      const inode = fstatSync(lock).ino;
      const stillOurs = () => statSync(path, { throwIfNoEntry: false })?.ino === inode;
      try {
        if (action(stillOurs)) return;
      } finally {
        if (stillOurs()) rmSync(path, { force: true });
        closeSync(lock);
      }
    }
    removeStale(path);
    if (performance.now() > deadline) {
      throw new StoreError(`${path} has been held for a minute by another process: remove it if there is none`);
    }
    await sleep(20 + Math.random() * 80);
  }
}

/** Its open file; null where another process has the lock. */
function tryLock(path: string): number | null {
  try {
    return openSync(path, "wx");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
    throw error;
  }
}

/** Two processes may do this at once, and one then takes the lock of a third: that one sees it and begins again. */
function removeStale(path: string): void {
  const lock = statSync(path, { throwIfNoEntry: false });
  if (lock !== undefined && Date.now() - lock.mtimeMs > STALE_MS) rmSync(path, { force: true });
}

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { InputError } from "../core/errors.ts";
import type { HistoryRecord } from "../core/record.ts";
import { DiskStore } from "./disk-store.ts";
import { GitStore } from "./git-store.ts";

export { NoOriginError, StoreError } from "./errors.ts";

/** Where the records of a repository are kept. Records are added and removed, and never changed. */
export interface Store {
  /** "git:perf-gate-data of origin", a path. */
  readonly label: string;
  /**
   * Every record, oldest first; a store that is not there yet is empty and `missing`.
   * @throws InputError where a line is damaged or of a newer version, naming file and line
   * @throws StoreError where the store cannot be reached
   */
  read(): Promise<{ records: HistoryRecord[]; missing: boolean }>;
  /** The same without an error for damaged lines: each is a sentence that begins with file and line. */
  inspect(): Promise<{ records: HistoryRecord[]; problems: string[]; missing: boolean }>;
  /**
   * Adds what is not there yet (by id), beside others that do the same.
   * @throws StoreError where it may not be written, saying what permission is missing
   * @throws InputError as `read`
   */
  append(records: readonly HistoryRecord[]): Promise<{ added: number }>;
  /** Removes the records of these ids; one that is added meanwhile stays. Throws as `append`. */
  remove(ids: ReadonlySet<string>): Promise<{ removed: number }>;
  /** Puts other files beside the records (the trend page), path -> content. Not into a single file. */
  publish(files: ReadonlyMap<string, string>, message: string): Promise<void>;
}

export interface StoreOptions {
  /** What paths are relative to; for git:BRANCH a directory of the repository. */
  directory: string;
  /** GITHUB_TOKEN is shown to the server GITHUB_SERVER_URL, and to no other. */
  env: Readonly<Record<string, string | undefined>>;
  /** URL that git:BRANCH is a branch of, in place of the repository's origin. */
  origin?: string | undefined;
  /** Most time of a command over a network, ms, which then is not tried again; by default it is, for longer. */
  limitMs?: number | undefined;
}

/**
 * The store of a name: git:BRANCH (of the repository's origin), git:BRANCH@URL, a file (.ndjson, .json), or a folder.
 * Nothing is read yet.
 *
 * @throws InputError where the name is none
 */
export function openStore(name: string, { directory, env, origin, limitMs }: StoreOptions): Store {
  if (name.startsWith("git:")) {
    const [, branch = "", remote = null] = /^git:([^@]*)(?:@(.*))?$/s.exec(name) ?? [];
    checkBranch(branch);
    if (remote === "" || remote?.startsWith("-")) {
      throw new InputError(`store ${JSON.stringify(name)}: after the @ comes the URL or path of a repository`);
    }
    return new GitStore({ branch, remote: remote ?? origin ?? null, directory: resolve(directory), env, limitMs });
  }
  if (name === "" || /^[a-z+]+:\/\//i.test(name)) {
    throw new InputError(
      `store ${JSON.stringify(name)}: allowed is git:BRANCH, git:BRANCH@URL, a file (.ndjson) or a folder`,
    );
  }
  return new DiskStore(resolve(directory, name), /\.(nd)?json$/i.test(name) ? "file" : "folder");
}

function checkBranch(branch: string): void {
  if (!branch.startsWith("-")) {
    try {
      execFileSync("git", ["check-ref-format", `refs/heads/${branch}`], { stdio: "ignore" });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        throw new InputError("a store git:BRANCH needs git, which is not installed: install it, or name a folder");
      }
    }
  }
  throw new InputError(`store git:${branch}: ${JSON.stringify(branch)} is no name of a branch (git check-ref-format)`);
}

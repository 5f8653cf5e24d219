import { execFile } from "node:child_process";
import { constants, existsSync, statSync } from "node:fs";
import { cp, mkdir, realpath, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { InputError, MeasureError } from "../core/errors.ts";
import type { ArmSource, Plan } from "../core/model.ts";
import { ARMS } from "../core/model.ts";
import type { Anchor } from "../core/record.ts";

/** Where the two arms come from, as the user said it. */
export interface ArmOptions {
  base?: string | undefined;
  baseRef?: string | undefined;
  head?: string | undefined;
  /** What reports call the arms of `baseRef` and `head`, in place of these. */
  labels?: { base: string; head: string } | undefined;
}

/** The sources of both arms. A ref becomes a worktree below `treesDirectory`, made by `checkOut`. */
export async function resolveArms(options: ArmOptions, treesDirectory: string): Promise<Plan["arms"]> {
  const { base, baseRef, head, labels } = options;
  if (base !== undefined && baseRef !== undefined) {
    throw new InputError("--base and --base-ref both name the base: give one of them");
  }
  if (base === undefined && baseRef === undefined) {
    throw new InputError(
      "no base to compare with: give --base DIR, or --base-ref REF (a branch, tag or commit) inside a git repository",
    );
  }
  const headSource = await fromPath("--head", head ?? ".");
  if (base === undefined) {
    const inside = headSource.directory ?? resolve(".");
    const baseSource = await fromRef(baseRef as string, inside, join(treesDirectory, "base"));
    if (labels === undefined) return { base: baseSource, head: headSource };
    return { base: { ...baseSource, label: labels.base }, head: { ...headSource, label: labels.head } };
  }
  const baseSource = await fromPath("--base", base);
  if (baseSource.image !== null && headSource.image !== null) {
    throw new InputError(
      "--base and --head are both images: one of them has to be a tree, whose compose file starts both",
    );
  }
  return { base: baseSource, head: headSource };
}

/**
 * The sources of a run with a stored base: its head, and the tree whose configuration judges, null = the head's own.
 * @throws InputError as resolveArms does
 */
export async function resolveHead(
  { baseRef, head, labels }: ArmOptions,
  treesDirectory: string,
): Promise<{ head: ArmSource & { directory: string }; judge: ArmSource | null }> {
  const source = await fromPath("--head", head ?? ".");
  const { directory } = source;
  if (directory === null) throw new InputError("--base stored: --head has to be a tree, as a record is of a commit");
  const judge = baseRef === undefined ? null : await fromRef(baseRef, directory, join(treesDirectory, "judge"));
  return { head: { ...source, label: labels?.head ?? source.label, directory }, judge };
}

/** The version that records are relative to, as `baseline.anchor` names it; @throws InputError where it is not there. */
export async function resolveAnchor(
  anchor: string,
  inside: string,
  treesDirectory: string,
): Promise<{ source: ArmSource; anchor: Anchor }> {
  if (IMAGE.test(anchor)) {
    const source = await fromPath("baseline.anchor", anchor);
    return { source, anchor: { label: source.label, id: anchor.slice(anchor.indexOf("@") + 1).toLowerCase() } };
  }
  const source = await fromRef(anchor, inside, join(treesDirectory, "base"), "baseline.anchor");
  return { source, anchor: { label: anchor, id: source.commit as string } };
}

/** Reference of an image that cannot change: host:port/name:tag@sha256:digest, host and tag optional. */
const IMAGE =
  /^((?:[a-z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::\w[\w.-]*)?@sha256:[0-9a-f]{12})[0-9a-f]{52}$/i;

/** A directory, or an image where there is no such directory. Throws InputError where it is neither. */
export async function fromPath(flag: string, path: string): Promise<ArmSource> {
  const directory = resolve(path);
  if (!existsSync(directory)) {
    const label = IMAGE.exec(path)?.[1];
    if (label !== undefined) return { label, directory: null, commit: null, repository: null, image: path };
    const image = /[:@]/.test(path) ? "; an image is named by its digest: NAME@sha256: and 64 hex digits" : "";
    throw new InputError(`${flag}: there is no directory ${directory}${image}`);
  }
  if (!statSync(directory).isDirectory()) throw new InputError(`${flag}: ${directory} is a file; give a directory`);
  return { label: path, directory, commit: await commitOf(directory), repository: null, image: null };
}

async function fromRef(ref: string, inside: string, directory: string, flag = "--base-ref"): Promise<ArmSource> {
  if (ref.startsWith("-") || ref === "") {
    throw new InputError(`${flag}: ${JSON.stringify(ref)} is no branch, tag or commit`);
  }
  const repository = await git(inside, "rev-parse", "--show-toplevel").catch(() => {
    throw new InputError(
      `${flag} needs a git repository, ${inside} is in none${flag === "--base-ref" ? ": give --base DIR instead" : ""}`,
    );
  });
  if ((await realpath(repository)) !== (await realpath(inside))) {
    throw new InputError(
      `${flag} names a whole tree, and --head ${inside} is below the repository's top: give --head ${repository}, and say in target.root what is served`,
    );
  }
  const commit = await git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`).catch(
    () => {
      throw new InputError(
        `${flag}: ${repository} knows no commit ${JSON.stringify(ref)}; in a shallow clone, fetch it first (git fetch origin ${ref})`,
      );
    },
  );
  return { label: ref, directory, commit, repository, image: null };
}

/** Commit of a clean tree that is the top of its repository or inside it, else null; an ignored one is not of it. */
async function commitOf(directory: string): Promise<string | null> {
  try {
    const ignored = await git(directory, "check-ignore", "--quiet", ".").then(
      () => true,
      () => false,
    );
    const dirty = await git(directory, "status", "--porcelain", "--", ".");
    return dirty === "" && !ignored ? await git(directory, "rev-parse", "HEAD") : null;
  } catch {
    return null;
  }
}

/** Whether both arms hold the same files: an A/A run. Without git only the same directory counts as the same. */
export async function sameTree({ base, head }: Plan["arms"]): Promise<boolean> {
  if (base.image !== null) return base.image === head.image;
  if (base.directory === null || head.directory === null) return false;
  if (base.directory === head.directory) return true;
  if (base.repository !== null && base.commit === head.commit) return true;
  return promisify(execFile)("git", ["diff", "--no-index", "--quiet", "--", base.directory, head.directory]).then(
    () => true,
    () => false,
  );
}

/** Every tree that a plan needs. */
export type Trees = Plan["arms"] & { judge?: ArmSource };

export function treesOf({ arms, stored }: Plan): Trees {
  return stored?.judge === undefined ? arms : { ...arms, judge: stored.judge };
}

/**
 * Makes the worktrees that a plan needs, those of its arms with the untracked paths of `copy` in them. Returns what
 * removes them again; safe to call twice, and it never rejects: what cannot be removed is told to `warn`, for the run it
 * belonged to is over. Leftovers of a killed run are replaced.
 * @throws MeasureError where a tree cannot be made, naming its directory.
 */
export async function checkOut(
  trees: Trees,
  copy: readonly string[] = [],
  warn: (text: string) => void = (text) => process.emitWarning(text),
): Promise<() => Promise<void>> {
  const made: ArmSource[] = [];
  const remove = async () => {
    await removeTrees(made.splice(0), warn);
  };
  try {
    for (const tree of Object.values(trees)) {
      const { repository, directory, commit, label } = tree;
      if (repository === null || directory === null || commit === null) continue;
      await rm(directory, { recursive: true, force: true }).catch((error: Error) => {
        throw new MeasureError(
          `${directory}, where ${label} is to be checked out, cannot be emptied: ${error.message}. ${byHand(directory)}`,
        );
      });
      made.push(tree);
      await mkdir(dirname(directory), { recursive: true }).catch((error: Error) => {
        throw new MeasureError(
          `cannot make ${dirname(directory)}, where ${label} is to be checked out: ${error.message}`,
        );
      });
      await git(repository, "worktree", "prune");
      await git(repository, "worktree", "add", "--detach", "--quiet", directory, commit).catch((error: Error) => {
        throw new MeasureError(`cannot check out ${label} (${commit.slice(0, 12)}) to ${directory}: ${error.message}`);
      });
      if (tree !== trees.judge) await copyUntracked(trees, copy, directory);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return remove;
}

/** Removes what checkOut() made of these; never rejects. @returns how many there were */
export async function removeTrees(trees: readonly ArmSource[], warn: (text: string) => void): Promise<number> {
  let removed = 0;
  for (const { repository, directory } of trees) {
    if (repository === null || directory === null) continue;
    if (existsSync(directory)) removed++;
    await rm(directory, { recursive: true, force: true }).catch((error: Error) => {
      warn(`${directory} cannot be removed: ${error.message}. ${byHand(directory)}`);
    });
    await git(repository, "worktree", "prune").catch(() => "");
  }
  return removed;
}

/** Containers write as root into what they have mounted. */
const byHand = (directory: string): string => `Files of another user may be in it: sudo rm -rf ${quoted(directory)}`;
const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** The user's own tree, which has the untracked files; null where there is none. */
function ownTree({ base, head }: Plan["arms"]): string | null {
  return [head, base].find(({ directory, repository }) => directory !== null && repository === null)?.directory ?? null;
}

/** @throws InputError where a path of target.copy is missing though a tree that is checked out needs it. */
export function checkCopied(arms: Plan["arms"], copy: readonly string[]): void {
  const from = ownTree(arms);
  if (from === null || ARMS.every((arm) => arms[arm].repository === null)) return;
  const missing = copy.filter((path) => !existsSync(join(from, path)));
  if (missing.length === 0) return;
  throw new InputError(
    `target.copy: ${missing.join(", ")} not found in ${from}, from where the tree of the other version gets it: ` +
      "make it there first (composer install, cp .env.example .env), or remove it from target.copy",
  );
}

/** What git has of a path stays as it is: each version has its own. */
async function copyUntracked(arms: Plan["arms"], copy: readonly string[], to: string): Promise<void> {
  checkCopied(arms, copy);
  const from = ownTree(arms);
  if (from === null) return;
  const how = { recursive: true, force: false, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE };
  for (const path of copy) {
    await cp(join(from, path), join(to, path), how).catch((error: Error) => {
      throw new InputError(`target.copy: ${path} cannot be copied from ${from} to ${to}: ${error.message}`);
    });
  }
}

async function git(directory: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("git", ["-C", directory, ...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

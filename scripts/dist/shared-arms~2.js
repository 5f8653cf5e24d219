import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  InputError,
  MeasureError
} from "./shared-errors.js";
import {
  ARMS
} from "./shared-model.js";

// scripts/src/phases/arms.ts
import { execFile } from "node:child_process";
import { constants, existsSync, statSync } from "node:fs";
import { cp, mkdir, realpath, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
async function resolveArms(options, treesDirectory) {
  const { base, baseRef, head, labels } = options;
  if (base !== void 0 && baseRef !== void 0) {
    throw new InputError("--base and --base-ref both name the base: give one of them");
  }
  if (base === void 0 && baseRef === void 0) {
    throw new InputError(
      "no base to compare with: give --base DIR, or --base-ref REF (a branch, tag or commit) inside a git repository"
    );
  }
  const headSource = await fromPath("--head", head ?? ".");
  if (base === void 0) {
    const inside = headSource.directory ?? resolve(".");
    const baseSource2 = await fromRef(baseRef, inside, join(treesDirectory, "base"));
    if (labels === void 0) return { base: baseSource2, head: headSource };
    return { base: { ...baseSource2, label: labels.base }, head: { ...headSource, label: labels.head } };
  }
  const baseSource = await fromPath("--base", base);
  if (baseSource.image !== null && headSource.image !== null) {
    throw new InputError(
      "--base and --head are both images: one of them has to be a tree, whose compose file starts both"
    );
  }
  return { base: baseSource, head: headSource };
}
async function resolveHead({ baseRef, head, labels }, treesDirectory) {
  const source = await fromPath("--head", head ?? ".");
  const { directory } = source;
  if (directory === null) throw new InputError("--base stored: --head has to be a tree, as a record is of a commit");
  const judge = baseRef === void 0 ? null : await fromRef(baseRef, directory, join(treesDirectory, "judge"));
  return { head: { ...source, label: labels?.head ?? source.label, directory }, judge };
}
async function resolveAnchor(anchor, inside, treesDirectory) {
  if (IMAGE.test(anchor)) {
    const source2 = await fromPath("baseline.anchor", anchor);
    return { source: source2, anchor: { label: source2.label, id: anchor.slice(anchor.indexOf("@") + 1).toLowerCase() } };
  }
  const source = await fromRef(anchor, inside, join(treesDirectory, "base"), "baseline.anchor");
  return { source, anchor: { label: anchor, id: source.commit } };
}
var IMAGE = /^((?:[a-z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::\w[\w.-]*)?@sha256:[0-9a-f]{12})[0-9a-f]{52}$/i;
async function fromPath(flag, path) {
  const directory = resolve(path);
  if (!existsSync(directory)) {
    const label = IMAGE.exec(path)?.[1];
    if (label !== void 0) return { label, directory: null, commit: null, repository: null, image: path };
    const image = /[:@]/.test(path) ? "; an image is named by its digest: NAME@sha256: and 64 hex digits" : "";
    throw new InputError(`${flag}: there is no directory ${directory}${image}`);
  }
  if (!statSync(directory).isDirectory()) throw new InputError(`${flag}: ${directory} is a file; give a directory`);
  return { label: path, directory, commit: await commitOf(directory), repository: null, image: null };
}
async function fromRef(ref, inside, directory, flag = "--base-ref") {
  if (ref.startsWith("-") || ref === "") {
    throw new InputError(`${flag}: ${JSON.stringify(ref)} is no branch, tag or commit`);
  }
  const repository = await git(inside, "rev-parse", "--show-toplevel").catch(() => {
    throw new InputError(
      `${flag} needs a git repository, ${inside} is in none${flag === "--base-ref" ? ": give --base DIR instead" : ""}`
    );
  });
  if (await realpath(repository) !== await realpath(inside)) {
    throw new InputError(
      `${flag} names a whole tree, and --head ${inside} is below the repository's top: give --head ${repository}, and say in target.root what is served`
    );
  }
  const commit = await git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`).catch(
    () => {
      throw new InputError(
        `${flag}: ${repository} knows no commit ${JSON.stringify(ref)}; in a shallow clone, fetch it first (git fetch origin ${ref})`
      );
    }
  );
  return { label: ref, directory, commit, repository, image: null };
}
async function commitOf(directory) {
  try {
    const ignored = await git(directory, "check-ignore", "--quiet", ".").then(
      () => true,
      () => false
    );
    const dirty = await git(directory, "status", "--porcelain", "--", ".");
    return dirty === "" && !ignored ? await git(directory, "rev-parse", "HEAD") : null;
  } catch {
    return null;
  }
}
async function sameTree({ base, head }) {
  if (base.image !== null) return base.image === head.image;
  if (base.directory === null || head.directory === null) return false;
  if (base.directory === head.directory) return true;
  if (base.repository !== null && base.commit === head.commit) return true;
  return promisify(execFile)("git", ["diff", "--no-index", "--quiet", "--", base.directory, head.directory]).then(
    () => true,
    () => false
  );
}
function treesOf({ arms, stored }) {
  return stored?.judge === void 0 ? arms : { ...arms, judge: stored.judge };
}
async function checkOut(trees, copy = [], warn = (text) => process.emitWarning(text)) {
  const made = [];
  const remove = async () => {
    await removeTrees(made.splice(0), warn);
  };
  try {
    for (const tree of Object.values(trees)) {
      const { repository, directory, commit, label } = tree;
      if (repository === null || directory === null || commit === null) continue;
      await rm(directory, { recursive: true, force: true }).catch((error) => {
        throw new MeasureError(
          `${directory}, where ${label} is to be checked out, cannot be emptied: ${error.message}. ${byHand(directory)}`
        );
      });
      made.push(tree);
      await mkdir(dirname(directory), { recursive: true }).catch((error) => {
        throw new MeasureError(
          `cannot make ${dirname(directory)}, where ${label} is to be checked out: ${error.message}`
        );
      });
      await git(repository, "worktree", "prune");
      await git(repository, "worktree", "add", "--detach", "--quiet", directory, commit).catch((error) => {
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
async function removeTrees(trees, warn) {
  let removed = 0;
  for (const { repository, directory } of trees) {
    if (repository === null || directory === null) continue;
    if (existsSync(directory)) removed++;
    await rm(directory, { recursive: true, force: true }).catch((error) => {
      warn(`${directory} cannot be removed: ${error.message}. ${byHand(directory)}`);
    });
    await git(repository, "worktree", "prune").catch(() => "");
  }
  return removed;
}
var byHand = (directory) => `Files of another user may be in it: sudo rm -rf ${quoted(directory)}`;
var quoted = (path) => /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
function ownTree({ base, head }) {
  return [head, base].find(({ directory, repository }) => directory !== null && repository === null)?.directory ?? null;
}
function checkCopied(arms, copy) {
  const from = ownTree(arms);
  if (from === null || ARMS.every((arm) => arms[arm].repository === null)) return;
  const missing = copy.filter((path) => !existsSync(join(from, path)));
  if (missing.length === 0) return;
  throw new InputError(
    `target.copy: ${missing.join(", ")} not found in ${from}, from where the tree of the other version gets it: make it there first (composer install, cp .env.example .env), or remove it from target.copy`
  );
}
async function copyUntracked(arms, copy, to) {
  checkCopied(arms, copy);
  const from = ownTree(arms);
  if (from === null) return;
  const how = { recursive: true, force: false, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE };
  for (const path of copy) {
    await cp(join(from, path), join(to, path), how).catch((error) => {
      throw new InputError(`target.copy: ${path} cannot be copied from ${from} to ${to}: ${error.message}`);
    });
  }
}
async function git(directory, ...args) {
  const { stdout } = await promisify(execFile)("git", ["-C", directory, ...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

export {
  resolveArms,
  resolveHead,
  resolveAnchor,
  fromPath,
  sameTree,
  treesOf,
  checkOut,
  removeTrees,
  checkCopied
};

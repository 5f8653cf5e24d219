import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkCopied, checkOut, resolveArms, sameTree } from "../../src/phases/arms.ts";
import { describePlan, planPhase } from "../../src/phases/plan.ts";
import { WorkDirectory } from "../../src/phases/work-directory.ts";
import { home } from "../e2e/rig.ts";

const HEX = "0123456789abcdef".repeat(4);
const IMAGE = `ghcr.test:5000/shop/app:1.2@sha256:${HEX}`;

let directory = "";
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "perf-gate-arms-")));
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

const git = (...args: string[]) =>
  execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);

function commitAll(): void {
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "-A");
  git("commit", "--quiet", "-m", "one");
}

describe("an image", () => {
  test("is an arm without a tree, called by the start of its digest", async () => {
    const { base, head } = await resolveArms({ base: IMAGE, head: directory }, "/trees");
    const label = "ghcr.test:5000/shop/app:1.2@sha256:0123456789ab";
    expect(base).toEqual({ label, directory: null, commit: null, repository: null, image: IMAGE });
    expect(head).toMatchObject({ directory, image: null });
    expect(await sameTree({ base, head })).toBe(false);
    expect(await sameTree({ base, head: base })).toBe(true);
    await (await checkOut({ base, head }, [".env"]))();
  });

  test.each([`app@sha256:${HEX}`, `a/b_c/d-e@sha256:${HEX}`, `localhost/app:v1@sha256:${HEX}`])("%s", async (image) => {
    expect((await resolveArms({ base: directory, head: image }, "/trees")).head.image).toBe(image);
  });

  test("with the name of a directory is that directory", async () => {
    mkdirSync(join(directory, `app@sha256:${HEX}`));
    const path = join(directory, `app@sha256:${HEX}`);
    expect((await resolveArms({ base: path, head: directory }, "/trees")).base).toMatchObject({ directory: path });
  });

  test.each([
    ["app:1.2", /there is no directory .*app:1\.2; an image is named by its digest: NAME@sha256: and 64 hex digits/],
    ["app@sha256:abc", /an image is named by its digest/],
    [`-x@sha256:${HEX}`, /an image is named by its digest/],
    ["nowhere", /there is no directory [^;]*$/],
  ])("%s is none", async (base, message) => {
    await expect(resolveArms({ base, head: directory }, "/trees")).rejects.toThrow(message);
  });

  test("cannot be both arms: the compose file is in a tree", async () => {
    await expect(resolveArms({ base: IMAGE, head: IMAGE }, "/trees")).rejects.toThrow(/both images: one of them has/);
  });

  test("is planned with the head's compose file, and not without one", async () => {
    const work = new WorkDirectory(join(directory, ".perf-gate"));
    const warnings: string[] = [];
    const plan = () => planPhase({ home, base: IMAGE, head: directory }, work, (line) => warnings.push(line));
    write("perf-gate.yml", "target: {driver: process}");
    await expect(plan()).rejects.toThrow(/^--base: an image is started by a compose file of your own/);
    write("perf-gate.yml", "target: {compose: c.yml, service: app, port: 80}");
    const { driver, arms, sameSource } = await plan();
    expect([driver, arms.base.image, sameSource]).toEqual(["compose", IMAGE, false]);
    expect(work.readPlan().arms.base.image).toBe(IMAGE);
    expect(warnings.at(-1)).toBe("the base is an image and has no configuration: judged by the head's");
    expect(describePlan(work.readPlan(), work)).toContain("driver     compose (target.compose is there)");
  });
});

describe("a worktree that cannot be removed", () => {
  /** A mount point cannot, not even by root; a file of another user is as stubborn for everybody else. */
  const busy = (path: string): (() => void) => {
    execFileSync("mount", ["-t", "tmpfs", "none", path]);
    return () => void execFileSync("umount", [path]);
  };

  test.skipIf(process.getuid?.() !== 0)(
    "is a warning after the run, and an error with the way out before it",
    async () => {
      write("a.php", "<?php");
      commitAll();
      const tree = join(directory, ".perf-gate/trees/base");
      const arms = await resolveArms({ baseRef: "main", head: directory }, dirname(tree));
      const warnings: string[] = [];
      const remove = await checkOut(arms, [], (text) => warnings.push(text));
      mkdirSync(join(tree, "cache"));
      const free = busy(join(tree, "cache"));
      try {
        await remove();
        expect(warnings).toEqual([expect.stringContaining(`${tree} cannot be removed: EBUSY`)]);
        expect(warnings[0]).toContain(`sudo rm -rf ${tree}`);
        await expect(checkOut(arms)).rejects.toThrow(
          /main is to be checked out, cannot be emptied: EBUSY.*sudo rm -rf/,
        );
      } finally {
        free();
      }
      await (await checkOut(arms))();
      expect(existsSync(tree)).toBe(false);
    },
  );
});

describe("target.copy", () => {
  test("brings untracked files of the head's tree into the base's, and leaves what git has", async () => {
    write(".gitignore", ".env\nvendor\n.perf-gate\n");
    write("storage/.gitkeep", "of the base");
    write("storage/keys/.gitignore", "*\n");
    commitAll();
    write(".env", "A=1");
    write("vendor/autoload.php", "<?php");
    write("storage/.gitkeep", "of the head");
    write("storage/keys/key", "secret");
    const arms = await resolveArms({ baseRef: "main", head: directory }, join(directory, ".perf-gate/trees"));
    const remove = await checkOut(arms, [".env", "vendor/", "storage"]);
    const base = arms.base.directory as string;
    const text = (path: string) => readFileSync(join(base, path), "utf8");
    expect([text(".env"), text("vendor/autoload.php"), text("storage/keys/key")]).toEqual(["A=1", "<?php", "secret"]);
    expect(text("storage/.gitkeep")).toBe("of the base");
    await remove();
    expect(existsSync(base)).toBe(false);
    expect(readFileSync(join(directory, ".env"), "utf8")).toBe("A=1");
  });

  test("names all that is missing already while planning, and leaves no worktree", async () => {
    write("perf-gate.yml", "target: {driver: process, copy: [.env, perf-gate.yml, vendor]}");
    commitAll();
    const work = new WorkDirectory(join(directory, ".perf-gate"));
    await expect(planPhase({ home, baseRef: "main", head: directory }, work, () => {})).rejects.toThrow(
      `target.copy: .env, vendor not found in ${directory}, from where the tree of the other version gets it: make it there`,
    );
    expect(String(git("worktree", "list")).trim().split("\n")).toHaveLength(1);
  });

  test("says nothing where both trees are the user's own", async () => {
    const arms = await resolveArms({ base: directory, head: directory }, "/trees");
    expect(() => checkCopied(arms, ["missing"])).not.toThrow();
  });
});

import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { GhServer } from "./gh-server.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const hasGh = (process.env["PATH"] ?? "").split(":").some((directory) => existsSync(join(directory, "gh")));

let directory = "";
let server: GhServer;

const git = (...args: string[]): string =>
  execFileSync(
    "git",
    ["-C", join(directory, "checkout"), "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args],
    { encoding: "utf8", stdio: "pipe" },
  ).trim();

function commit(files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, "checkout", name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
  git("add", "--all");
  git("commit", "--quiet", "--message", "a change");
  git("push", "--quiet", "origin", "HEAD");
  return git("rev-parse", "HEAD");
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-release-"));
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch", "main", join(directory, "origin.git")]);
  execFileSync("git", ["clone", "--quiet", join(directory, "origin.git"), join(directory, "checkout")], {
    stdio: "ignore",
  });
  git("checkout", "--quiet", "-B", "main");
  // A script finds the library beside itself, and works on the checkout that is the current directory.
  for (const name of [".github/release.sh", ".github/commit-bundle.sh", "scripts/lib.sh"]) {
    cpSync(join(ROOT, name), join(directory, "checkout", name));
  }
  server = await new GhServer(join(directory, "origin.git")).start();
});
afterEach(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** A step of a workflow: a script of .github with the environment that GitHub gives it. */
async function step(script: string, argument: string, env: Record<string, string>): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(join(directory, "checkout/.github", script), [argument], {
    cwd: join(directory, "checkout"),
    env: { ...process.env, ...server.env(directory), GITHUB_REPOSITORY: "octo/perf-gate", ...env },
  });
  return stdout + stderr;
}

describe.skipIf(!hasGh)("with gh itself", () => {
  async function release(version: string): Promise<string> {
    const made = commit({
      "package.json": JSON.stringify({ version }),
      "CHANGELOG.md": `# Changelog\n\n## ${version}\n\n- What is new in ${version}.\n`,
    });
    git("tag", `v${version}`);
    git("push", "--quiet", "origin", `v${version}`);
    const env = { GITHUB_REF_NAME: `v${version}`, GITHUB_SHA: made };
    for (const argument of ["check", "archive", "publish"]) await step("release.sh", argument, env);
    return made;
  }

  test("a tag becomes a release that nobody changes any more, and v1 moves to it", async () => {
    const first = await release("1.2.3");
    expect(server.git("rev-parse", "v1")).toBe(first);
    const second = await release("1.3.0");
    expect(server.violations).toEqual([]);
    expect(server.git("rev-parse", "v1")).toBe(second);
    expect(server.git("rev-parse", "v1.2.3")).toBe(first);
    expect(server.releases.map(({ tag, notes, isDraft }) => ({ tag, notes, isDraft }))).toEqual([
      { tag: "v1.2.3", notes: "- What is new in 1.2.3.", isDraft: false },
      { tag: "v1.3.0", notes: "- What is new in 1.3.0.", isDraft: false },
    ]);
    const archive = join(directory, "archive.tar.gz");
    writeFileSync(archive, server.releases[0]?.assets.get("perf-gate-1.2.3.tar.gz") ?? "");
    expect(execFileSync("tar", ["--list", "--file", archive], { encoding: "utf8" })).toContain(
      "perf-gate-1.2.3/package.json\n",
    );
  });

  test("a tag that is not at the server is no release", async () => {
    const made = commit({ "package.json": "{}", "CHANGELOG.md": "## 1.2.3\n\n- New.\n" });
    const env = { GITHUB_REF_NAME: "v1.2.3", GITHUB_SHA: made };
    await step("release.sh", "archive", env);
    await expect(step("release.sh", "publish", env)).rejects.toThrow(/tag v1\.2\.3 doesn't exist/);
    expect(server.releases).toEqual([]);
  });

  test("the bundle of a Dependabot branch: one commit with what is new and without what is gone, then ci", async () => {
    git("checkout", "--quiet", "-b", "dependabot/npm_and_yarn/npm-1");
    const before = commit({ "scripts/dist/cli.js": "old", "scripts/dist/gone.js": "gone", "package.json": "{}" });
    const env = { GITHUB_REF_NAME: "dependabot/npm_and_yarn/npm-1", GITHUB_SHA: before };
    const fresh = (files: Record<string, string>) => {
      mkdirSync(join(directory, "checkout/dist.new"));
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(directory, "checkout/dist.new", name), text);
      }
    };
    fresh({ "cli.js": "old", "gone.js": "gone" });
    expect(await step("commit-bundle.sh", "dist.new", env)).toContain("the bundle is as it was");
    expect(server.started).toEqual([]);

    fresh({ "cli.js": "new\u0000\u00ff", "more.js": "more" });
    await step("commit-bundle.sh", "dist.new", env);
    expect(server.violations).toEqual([]);
    expect(server.started).toEqual(["ci.yml dependabot/npm_and_yarn/npm-1"]);
    git("fetch", "--quiet", "origin");
    const branch = "origin/dependabot/npm_and_yarn/npm-1";
    expect(git("rev-parse", `${branch}^`)).toBe(before);
    expect(git("diff", "--name-status", before, branch)).toBe(
      "M\tscripts/dist/cli.js\nD\tscripts/dist/gone.js\nA\tscripts/dist/more.js",
    );
    git("checkout", "--quiet", "--force", branch);
    expect(readFileSync(join(directory, "checkout/scripts/dist/cli.js"), "utf8")).toBe("new\u0000\u00ff");
  });
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sidesOf } from "../../src/github/event.ts";

/**
 * main:    one - two - merge of the pull request
 * branch:   \--- change ---/
 */
let root = "";
let full = "";
const commits: Record<"one" | "two" | "change" | "merge", string> = { one: "", two: "", change: "", merge: "" };

const git = (directory: string, ...args: string[]): string =>
  execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

function commit(name: string): string {
  writeFileSync(join(full, name), name);
  git(full, "add", "-A");
  git(full, "commit", "--quiet", "-m", name);
  return git(full, "rev-parse", "HEAD");
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "perf-gate-event-"));
  full = join(root, "full");
  git(root, "init", "--quiet", "--initial-branch", "main", full);
  commits.one = commit("one");
  git(full, "branch", "change");
  commits.two = commit("two");
  git(full, "checkout", "--quiet", "change");
  commits.change = commit("change");
  git(full, "checkout", "--quiet", "--detach", "main");
  git(full, "merge", "--quiet", "--no-ff", "-m", "merge", "change");
  commits.merge = git(full, "rev-parse", "HEAD");
  git(full, "branch", "merged");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A clone of one branch with so many commits, as actions/checkout makes it; 0 = all of them. */
function clone(branch: string, depth: number): string {
  const directory = mkdtempSync(join(root, "clone-"));
  const limit = depth === 0 ? [] : ["--depth", String(depth)];
  git(root, "clone", "--quiet", ...limit, "--branch", branch, `file://${full}`, directory);
  return directory;
}

const pullRequest = () => ({
  name: "pull_request",
  payload: {
    pull_request: { number: 12, base: { ref: "main", sha: commits.two }, head: { ref: "change", sha: commits.change } },
  },
});
const NONE = "0".repeat(40);
const push = (before: string) => ({ name: "push", payload: { before, after: commits.two } });

describe("what is compared", () => {
  test("a pull request: the merge commit with its first parent, two commits fetched", async () => {
    expect(await sidesOf(pullRequest(), clone("merged", 2), null)).toEqual({
      base: commits.two,
      head: commits.merge,
      labels: { base: "main", head: "#12" },
    });
  });

  test("a pull request whose own branch is checked out: with the commit where it left", async () => {
    const sides = await sidesOf(pullRequest(), clone("change", 0), null);
    expect(sides).toMatchObject({ base: commits.one, head: commits.change });
  });

  test("a push: with what was there before; a new branch: with the parent", async () => {
    expect(await sidesOf(push(commits.one), clone("main", 0), null)).toMatchObject({
      base: commits.one,
      head: commits.two,
    });
    expect(await sidesOf(push(NONE), clone("main", 2), null)).toMatchObject({ base: commits.one });
  });

  test("a merge group: its base", async () => {
    const payload = { merge_group: { base_sha: commits.one, base_ref: "refs/heads/main", head_sha: commits.two } };
    expect(await sidesOf({ name: "merge_group", payload }, clone("main", 0), null)).toMatchObject({
      base: commits.one,
      labels: { base: "main" },
    });
  });

  test.each(["workflow_dispatch", "schedule"])("%s: the parent", async (name) => {
    expect(await sidesOf({ name, payload: {} }, clone("main", 2), null)).toMatchObject({ base: commits.one });
  });

  test.each(["pull_request", "release"])("the input base replaces what %s says", async (name) => {
    const sides = await sidesOf({ name, payload: pullRequest().payload }, clone("merged", 0), "change");
    expect(sides).toMatchObject({ base: commits.change, head: commits.merge, labels: { base: "change" } });
  });
});

describe("what is missing is said, with the lines that bring it", () => {
  test("a pull request with one commit fetched", async () => {
    await expect(sidesOf(pullRequest(), clone("merged", 1), null)).rejects.toThrow(
      /does not have the first parent of the merge commit \([0-9a-f]{12}\).*\n.*actions\/checkout.*\n.*fetch-depth: 2/,
    );
  });

  test("a pull request's own branch without the target", async () => {
    await expect(sidesOf(pullRequest(), clone("change", 1), null)).rejects.toThrow(
      /the tip of main .*\n.*\n.*fetch-depth: 0/,
    );
  });

  test("a push of more commits than are fetched", async () => {
    await expect(sidesOf(push(commits.one), clone("main", 1), null)).rejects.toThrow(
      /the commit before the push .*\n.*\n.*fetch-depth: 0/,
    );
  });

  test("an unknown base", async () => {
    await expect(sidesOf(push(NONE), clone("main", 1), "nowhere")).rejects.toThrow(
      /input base: .*"nowhere".*\n.*\n.*fetch-depth: 0/,
    );
  });

  test("the first commit of a repository", async () => {
    const directory = clone("main", 0);
    git(directory, "checkout", "--quiet", commits.one);
    await expect(sidesOf({ name: "schedule", payload: {} }, directory, null)).rejects.toThrow(/has no parent.*base/);
  });

  test("no checkout at all", async () => {
    await expect(sidesOf(pullRequest(), root, null)).rejects.toThrow(
      /no git checkout \(fatal: not a git.*\n.*\n.*fetch-depth: 2/,
    );
  });
});

test("git itself is missing", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = root;
  try {
    await expect(sidesOf(pullRequest(), full, null)).rejects.toThrow(/spawn git ENOENT/);
  } finally {
    process.env["PATH"] = path;
  }
});

describe("what is refused", () => {
  test.each(["pull_request_target", "workflow_run"])("%s, which holds secrets", async (name) => {
    await expect(sidesOf({ name, payload: pullRequest().payload }, full, commits.one)).rejects.toThrow(
      /write token and secrets.*Measure on pull_request/,
    );
  });

  test("an event that names no base", async () => {
    await expect(sidesOf({ name: "release", payload: {} }, full, null)).rejects.toThrow(/Give the input base/);
  });

  test.each([
    ["pull_request", {}],
    ["pull_request", null],
    ["push", { before: "--upload-pack=x" }],
    ["merge_group", { merge_group: { base_sha: "HEAD; rm -rf /", base_ref: "refs/heads/main" } }],
    ["merge_group", { merge_group: { base_sha: 7 } }],
  ])("%s with the payload %j", async (name, payload) => {
    await expect(sidesOf({ name, payload }, full, null)).rejects.toThrow(
      /the event's payload|the event names no commit/,
    );
  });

  test("an option in place of a base", async () => {
    await expect(sidesOf(push(NONE), full, "--all")).rejects.toThrow(/input base/);
  });
});

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

describe("what is read of a payload, here and in perf-report.yml, is always in what GitHub describes", () => {
  const { components } = createRequire(import.meta.url)("@octokit/openapi/generated/api.github.com.json") as {
    components: { schemas: Record<string, Schema> };
  };
  const parts = (schema: Schema): Schema[] => {
    const referred = components.schemas[schema.$ref?.replace("#/components/schemas/", "") ?? ""];
    return [schema, ...[referred ?? [], schema.allOf ?? []].flat().flatMap(parts)];
  };

  test.each([
    ["webhook-push", ["before", "deleted", "forced"]],
    ["webhook-merge-group-checks-requested", ["merge_group.base_sha", "merge_group.base_ref"]],
    ...["opened", "synchronize", "reopened", "labeled"].map((action): [string, string[]] => [
      `webhook-pull-request-${action}`,
      ["number", "updated_at", "base.ref", "base.sha", "head.ref", "head.sha"].map((key) => `pull_request.${key}`),
    ]),
    [
      "webhook-workflow-run-completed",
      ["id", "event", "head_branch", "head_repository"].map((key) => `workflow_run.${key}`),
    ],
  ])("%s", (name, paths) => {
    for (const path of paths) {
      let place: Schema = { $ref: `#/components/schemas/${name}` };
      for (const key of path.split(".")) {
        const all = parts(place);
        expect(
          all.some(({ required }) => required?.includes(key)),
          `${path}: ${key}`,
        ).toBe(true);
        place = { allOf: all.flatMap(({ properties }) => properties?.[key] ?? []) };
      }
    }
  });
});

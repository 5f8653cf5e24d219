import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { githubPlanPhase } from "../../src/phases/github-plan.ts";
import { home } from "../e2e/rig.ts";

/**
 * main:    one - two - three, the merge of a pull request
 * change:   \--- change ---/
 */
const commits: Record<string, string> = {};
let root = "";

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "perf-gate-plan-"));
  const commit = (name: string) => {
    writeFileSync(join(root, "full", name), name);
    git("-C", "full", "add", "--all");
    git("-C", "full", "commit", "--quiet", "--message", name);
    commits[name] = git("-C", "full", "rev-parse", "HEAD");
  };
  git("init", "--quiet", "--initial-branch", "main", "full");
  commit("one");
  git("-C", "full", "checkout", "--quiet", "-b", "change");
  commit("change");
  git("-C", "full", "checkout", "--quiet", "main");
  commit("two");
  git("-C", "full", "merge", "--quiet", "--no-ff", "--message", "three", "change");
  commits["three"] = git("-C", "full", "rev-parse", "HEAD");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** `github plan` in a checkout of so many commits (0 = all) of main, as a job with this event calls it. */
async function plan(event: string, payload: object, depth: number, inputs: Record<string, string> = {}) {
  const job = mkdtempSync(join(root, "job-"));
  const limit = depth === 0 ? [] : ["--depth", String(depth)];
  git("clone", "--quiet", ...limit, `file://${join(root, "full")}`, join(job, "checkout"));
  writeFileSync(join(job, "event.json"), JSON.stringify(payload));
  const before = process.cwd();
  process.chdir(join(job, "checkout"));
  try {
    const env = {
      GITHUB_EVENT_NAME: event,
      GITHUB_EVENT_PATH: join(job, "event.json"),
      GITHUB_OUTPUT: join(job, "output"),
      INPUT_DRIVER: "process",
      RUNNER_TEMP: job,
      ...inputs,
    };
    const { plan } = await githubPlanPhase(env, home, () => {});
    const { base, head } = plan.arms;
    const output = readFileSync(join(job, "output"), "utf8").replaceAll(job, "");
    return { base: base.commit, head: head.commit, labels: [base.label, head.label], output };
  } finally {
    process.chdir(before);
  }
}

const pullRequest = () => ({
  number: 12,
  pull_request: {
    number: 12,
    updated_at: "2026-03-04T10:00:00Z",
    base: { ref: "main", sha: commits["one"] },
    head: { ref: "change", sha: commits["change"] },
  },
});
const mergeGroup = () => ({
  action: "checks_requested",
  merge_group: {
    head_sha: commits["three"],
    head_ref: `refs/heads/gh-readonly-queue/main/pr-12-${commits["two"]}`,
    base_sha: commits["two"],
    base_ref: "refs/heads/main",
  },
});
const push = (more: object = {}) => ({ before: commits["one"], after: commits["three"], forced: false, ...more });

describe("what a job measures, by its event", () => {
  test.each([
    // Main went on since the pull request was opened: the merge commit knows, the payload does not.
    ["pull_request", pullRequest, 2, "two", ["main", "#12"]],
    ["merge_group", mergeGroup, 0, "two", ["main", "merge group"]],
    ["push", push, 0, "one", []],
    ["schedule", () => ({ schedule: "0 3 * * *" }), 2, "two", []],
    ["workflow_dispatch", () => ({ inputs: {}, ref: "refs/heads/main" }), 2, "two", []],
  ])("%s", async (event, payload, depth, base, labels) => {
    const planned = await plan(event, payload(), depth);
    expect(planned).toMatchObject({ base: commits[base], head: commits["three"] });
    for (const [at, label] of labels.entries()) expect(planned.labels[at]).toContain(label);
    expect(planned.output).toBe("work-directory=/perf-gate/perf-gate\ndriver=process\nartifact=perf-gate\nsetup=run\n");
  });

  test("the input base replaces all of that, and so do artifact and install", async () => {
    const inputs = { INPUT_BASE: "one-tag", INPUT_ARTIFACT: "checkout-page", INPUT_INSTALL: "false" };
    git("-C", "full", "tag", "--force", "one-tag", commits["one"] ?? "");
    const planned = await plan("schedule", {}, 0, inputs);
    expect(planned).toMatchObject({ base: commits["one"], labels: ["one-tag", expect.any(String)] });
    expect(planned.output).toMatch(
      /^work-directory=\/perf-gate\/checkout-page\n.*\nartifact=checkout-page\nsetup=\n$/s,
    );
  });

  test.each([
    [
      "pull_request",
      () => ({}),
      {},
      /payload has no pull_request\.base\.ref: GITHUB_EVENT_PATH is not what GitHub wrote/,
    ],
    ["merge_group", () => ({ merge_group: {} }), {}, /payload has no merge_group\.base_sha/],
    ["push", () => ({ after: commits["three"] }), {}, /payload has no before/],
    ["push", () => push({ before: "f".repeat(40), forced: true }), {}, /forced.*is gone.*input base/s],
    ["push", () => push({ before: "f".repeat(40) }), {}, /does not have the commit before the push.*fetch-depth: 0/s],
    ["release", () => ({}), {}, /event release: it does not say what to compare with\. Give the input base/],
    ["schedule", () => ({}), { INPUT_BASE: "variant=short" }, /knows no branch, tag or commit "variant=short"/],
    ["schedule", () => ({}), { RUNNER_TEMP: "" }, /RUNNER_TEMP is not set: this command is for a job on GitHub/],
    ["schedule", () => ({}), { GITHUB_EVENT_PATH: "/nowhere" }, /GITHUB_EVENT_PATH: \/nowhere cannot be read as JSON/],
    [
      "schedule",
      () => ({}),
      { INPUT_DRIVER: "docker", INPUT_BASE: "-x" },
      /input base: allowed.*\n.*input driver: allowed/,
    ],
  ])("%s that cannot be measured is explained: %o", async (event, payload, inputs, why) => {
    const planned = plan(event, payload(), 0, inputs);
    await expect(planned).rejects.toThrow(why);
    await expect(planned).rejects.toBeInstanceOf(InputError);
  });
});

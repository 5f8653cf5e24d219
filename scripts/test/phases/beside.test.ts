import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { K6_VERSION } from "../../src/core/k6.ts";
import type { Comparison, Plan } from "../../src/core/model.ts";
import { comparePhase, exitStatus } from "../../src/phases/compare.ts";
import { githubPlanPhase } from "../../src/phases/github-plan.ts";
import { machineFacts } from "../../src/phases/machine.ts";
import { describePlan, type PlanOptions, planPhase } from "../../src/phases/plan.ts";
import { readReportInput } from "../../src/phases/report.ts";
import { storePhase } from "../../src/phases/store.ts";
import { type Env, WorkDirectory } from "../../src/phases/work-directory.ts";
import { renderMarkdown } from "../../src/report/markdown.ts";
import { blocks, censusOf, environmentOf } from "../core/support.ts";
import { home } from "../e2e/rig.ts";
import { PLAIN_GIT } from "../history/support.ts";

const CONFIG = `target: { driver: process }
scenarios: [{ name: shop, path: /shop, levels: [20] }]
baseline: { anchor: v1 }
`;

let root = "";
let directory = "";
let warnings: string[] = [];

/** A repository with an origin: v1 is tagged, then a commit with a configuration. */
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "perf-gate-beside-")));
  directory = join(root, "app");
  warnings = [];
  mkdirSync(directory);
  git("init", "--quiet", "--bare", join(root, "octo/shop"));
  git("init", "--quiet", "--initial-branch", "main");
  git("remote", "add", "origin", join(root, "octo/shop"));
  commit({ "index.php": "one", ".gitignore": ".perf-gate\n" }, "2026-11-01T00:00:00Z");
  git("tag", "v1");
  commit({ "index.php": "two", "perf-gate.yml": CONFIG }, "2026-11-02T00:00:00Z");
});
afterEach(() => rmSync(root, { recursive: true }));

const ENV = { ...process.env, ...PLAIN_GIT };
const git = (...args: string[]): string => gitAt("2026-11-03T00:00:00Z", ...args);
const gitAt = (date: string, ...args: string[]): string =>
  execFileSync("git", ["-C", directory, ...args], {
    encoding: "utf8",
    env: { ...ENV, GIT_COMMITTER_DATE: date },
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

function commit(files: Record<string, string>, date: string): string {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
  git("add", "--all");
  gitAt(date, "commit", "--quiet", "--message", "x");
  return git("rev-parse", "HEAD");
}

const work = () => new WorkDirectory(join(directory, ".perf-gate"));
const plan = (options: Partial<PlanOptions>, env: Env = ENV): Promise<Plan> =>
  planPhase({ home, head: directory, ...options }, work(), (line) => warnings.push(line), env);
const paired = (): Promise<Plan> => plan({ baseRef: "main" });

/** Writes what a finished run of the plan leaves behind, on this machine, and compares. */
function finish(of: Plan, { ratio = 1, day = 1 } = {}): Comparison {
  const startedAt = `2026-11-0${day}T02:00:00.000Z`;
  const tools = { k6: K6_VERSION };
  work().writeJson("environment", { ...environmentOf(of), startedAt, machine: machineFacts(), tools });
  work().writeJson("census", censusOf(of));
  work().appendSamples([
    { kind: "begin", version: 1, planId: of.id, startedAt: 1 },
    ...blocks(of, { blocks: 12, ratio: () => ratio, seed: day }),
    { kind: "stop", reason: "decided", detail: null, wallSeconds: 60 },
  ]);
  return comparePhase(work());
}

/** Plans, "measures" and records a run of the current commit against v1. */
async function recorded(day: number, ratio = 0.9): Promise<void> {
  finish(await plan({ base: "stored" }), { day, ratio });
  expect((await storePhase(work(), {}, ENV)).added).toBe(1);
}

const report = () => renderMarkdown(readReportInput(work()));

describe("a run against the branch main", () => {
  test("is shown beside the records of main, and judged without them", async () => {
    await recorded(1);
    await recorded(2);
    git("checkout", "--quiet", "-b", "change");
    commit({ "index.php": "three" }, "2026-11-03T00:00:00Z");
    const made = await paired();
    expect(made.beside).toMatchObject({ branch: "main", store: "git:perf-gate-data of origin" });
    expect(made.stored).toBeUndefined();
    expect(describePlan(made, work())).toMatch(/\nbeside +2 records of main in git:.*: shown, not judged\n/);
    const { verdict, beside, cells } = finish(made, { day: 3, ratio: 0.97 });
    expect(verdict).toBe("pass");
    expect(beside).toMatchObject({ since: "v1", records: [{ commit: git("rev-parse", "main") }, {}] });
    expect(cells[0]?.since?.qps.ratio).toBeCloseTo(0.9 * 0.97, 2);
    expect(report()).toMatch(
      /QPS since v1 .*Since v1: with 2 records of main, newest .* of 2026-11-02; shown, not judged\./s,
    );
    const before = readFileSync(work().file("comparison.json"), "utf8");
    comparePhase(work());
    expect(readFileSync(work().file("comparison.json"), "utf8")).toBe(before);
    expect(warnings).toEqual([]);
  });

  test("has nothing beside it while there is no branch of records, or no origin", async () => {
    expect((await paired()).beside).toBeUndefined();
    git("remote", "remove", "origin");
    const made = await paired();
    expect(made.beside).toBeUndefined();
    expect(finish(made)).toMatchObject({ verdict: "pass" });
    expect(report()).not.toContain("records");
  });

  test.each<[string, () => Promise<void>, RegExp]>([
    ["is gone", async () => void git("remote", "set-url", "origin", join(root, "gone")), /^cannot read git:.*gone/],
    ["is damaged", damage, /^perf-gate-data:records\/2026-11.ndjson:3: damaged or cut short/],
    [
      "would be a branch of code",
      async () => void git("push", "--quiet", "origin", "main:perf-gate-data", "--force"),
      /is a branch with other files/,
    ],
  ])("is judged as ever where the store %s, and says so", async (_, change, why) => {
    await recorded(1);
    await recorded(2);
    await change();
    const made = await paired();
    expect(made.beside?.unread).toMatch(why);
    const comparison = finish(made);
    expect(comparison).toMatchObject({ verdict: "pass" });
    expect(comparison.beside).toBeUndefined();
    expect(exitStatus(comparison, "fail")).toBe(0);
    expect(report()).toMatch(/\| records +\| not shown: /);
  });

  /** A line that is cut short, after two that are sound. */
  async function damage(): Promise<void> {
    const records = git("--git-dir", join(root, "octo/shop"), "show", "perf-gate-data:records/2026-11.ndjson");
    git("checkout", "--quiet", "--orphan", "data");
    git("rm", "--quiet", "-r", "--cached", ".");
    mkdirSync(join(directory, "records"));
    writeFileSync(join(directory, "records/2026-11.ndjson"), `${records}\n{"version":1,\n`);
    git("add", "--force", "records");
    gitAt("2026-11-03T00:00:00Z", "commit", "--quiet", "--message", "x");
    git("push", "--quiet", "--force", "origin", "data:perf-gate-data");
    rmSync(join(directory, "records"), { recursive: true });
    git("checkout", "--quiet", "--force", "main");
  }

  test("does not wait for a server that does not answer", async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      git("remote", "set-url", "origin", `http://127.0.0.1:${port}/octo/shop.git`);
      const { beside } = await paired();
      expect(beside?.unread).toBe(
        "cannot read git:perf-gate-data of origin: git did not end within 5 s: the connection timed out",
      );
    } finally {
      server.close();
    }
  });

  test("leaves out records of commits that are newer than the base", async () => {
    await recorded(1);
    commit({ "index.php": "later" }, "2026-11-09T00:00:00Z");
    await recorded(2, 0.5);
    git("branch", "ahead");
    git("reset", "--quiet", "--hard", "HEAD~1");
    finish(await paired(), { day: 3 });
    expect(work().readComparison().beside?.records).toHaveLength(1);
  });

  test("and records were asked for: is told of them once", async () => {
    const made = await plan({ base: "stored", baseRef: "main" });
    expect(made.insteadOfRecords).toBeDefined();
    expect(made.beside).toBeUndefined();
  });
});

describe("whose records stand beside it", () => {
  const branchOf = async (options: Partial<PlanOptions>) => (await plan(options)).beside?.branch;
  const withBranch = (branch: string) =>
    commit({ "perf-gate.yml": CONFIG.replace("v1", `v1, branch: ${branch}`) }, "2026-11-02T00:00:00Z");

  test("those of the branch that the base is, or is checked out in it", async () => {
    await recorded(1);
    git("branch", "dev");
    git("update-ref", "refs/remotes/origin/main", "main");
    expect(await branchOf({ baseRef: "main" })).toBe("main");
    expect(await branchOf({ baseRef: "origin/main" })).toBe("main");
    for (const baseRef of ["dev", "v1", "main~1", git("rev-parse", "main")])
      expect(await branchOf({ baseRef })).toBeUndefined();
    const base = join(root, "base");
    git("clone", "--quiet", directory, base);
    expect(await branchOf({ base })).toBe("main");
    git("-C", base, "checkout", "--quiet", "--detach");
    expect(await branchOf({ base })).toBeUndefined();
  });

  test("with a branch in the configuration only those, and none beside another branch", async () => {
    withBranch("main");
    await recorded(1);
    git("branch", "dev");
    const base = join(root, "base");
    git("clone", "--quiet", directory, base);
    git("-C", base, "checkout", "--quiet", "--detach");
    expect(await branchOf({ base })).toBe("main");
    expect(await branchOf({ baseRef: "main" })).toBe("main");
    for (const baseRef of ["dev", "v1"]) expect(await branchOf({ baseRef })).toBeUndefined();
  });

  test.each([
    ["pull_request", "", "main"],
    ["push", "", "main"],
    ["push", "main", "main"],
    ["push", "v1", undefined],
  ])("in a job of %s with the base %j those of %s", async (name, base, branch) => {
    await recorded(1);
    const parent = git("rev-parse", "HEAD");
    git("checkout", "--quiet", "-b", "change");
    const tip = commit({ "index.php": "three" }, "2026-11-03T00:00:00Z");
    git("checkout", "--quiet", "--detach", parent);
    git("merge", "--quiet", "--no-ff", "--message", "merge", "change");
    const payload = {
      before: parent,
      pull_request: { number: 7, base: { ref: "main", sha: parent }, head: { sha: tip } },
    };
    writeFileSync(join(root, "event.json"), JSON.stringify(payload));
    // Wherever the checkout came from, in a job of a pull request the records are the repository's own.
    if (name === "pull_request") git("remote", "set-url", "origin", join(root, "fork"));
    const before = process.cwd();
    process.chdir(directory);
    try {
      const job = {
        RUNNER_TEMP: root,
        GITHUB_OUTPUT: join(root, "output"),
        GITHUB_EVENT_PATH: join(root, "event.json"),
        GITHUB_EVENT_NAME: name,
        GITHUB_REF: "refs/heads/main",
        GITHUB_SERVER_URL: `file://${root}`,
        GITHUB_REPOSITORY: "octo/shop",
        INPUT_BASE: base,
      };
      const made = await githubPlanPhase({ ...ENV, ...job }, home, (line) => warnings.push(line));
      expect(made.plan.beside?.branch).toBe(branch);
      expect(made.plan.beside?.unread).toBeUndefined();
    } finally {
      process.chdir(before);
    }
  });
});

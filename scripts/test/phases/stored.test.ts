import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { K6_VERSION } from "../../src/core/k6.ts";
import type { Plan, SampleLine } from "../../src/core/model.ts";
import type { HistoryRecord } from "../../src/core/record.ts";
import { openStore } from "../../src/history/store.ts";
import { comparePhase } from "../../src/phases/compare.ts";
import { githubPlanPhase } from "../../src/phases/github-plan.ts";
import { machineFacts } from "../../src/phases/machine.ts";
import { describePlan, type PlanOptions, planPhase } from "../../src/phases/plan.ts";
import { storePhase } from "../../src/phases/store.ts";
import { type Env, WorkDirectory } from "../../src/phases/work-directory.ts";
import { blocks, censusOf, environmentOf } from "../core/support.ts";
import { home } from "../e2e/rig.ts";

const CONFIG = `target: { driver: process }
scenarios: [{ name: shop, path: /shop, levels: [20] }]
`;
const BASELINE = "baseline: { store: ../store.ndjson, anchor: v1 }\n";

let root = "";
let directory = "";
let warnings: string[] = [];

/** A repository: v1 is tagged, then a commit with a configuration. */
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "perf-gate-stored-")));
  directory = join(root, "app");
  warnings = [];
  mkdirSync(directory);
  git("init", "--quiet", "--initial-branch", "main");
  commit({ "index.php": "one", ".gitignore": ".perf-gate\n" });
  git("tag", "v1");
  commit({ "index.php": "two", "perf-gate.yml": CONFIG + BASELINE });
});
afterEach(() => rmSync(root, { recursive: true }));

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

function commit(files: Record<string, string>): string {
  write(files);
  git("add", "--all");
  git("commit", "--quiet", "--message", "x");
  return git("rev-parse", "HEAD");
}

const work = () => new WorkDirectory(join(directory, ".perf-gate"));
const plan = (options: Partial<PlanOptions> = {}, env: Env = {}): Promise<Plan> =>
  planPhase({ home, base: "stored", head: directory, ...options }, work(), (line) => warnings.push(line), env);
const refusal = (promise: Promise<unknown>): Promise<string> => promise.then(String, (error: Error) => error.message);

/** Writes what a finished run of the plan leaves behind, on this machine. */
function finish(of: Plan, { ratio = 1, day = 1, stop = "cap" as "cap" | "interrupted" | "failed" } = {}): void {
  const directoryOf = work();
  const tools = { k6: K6_VERSION };
  const startedAt = `2026-11-0${day}T02:00:00.000Z`;
  directoryOf.writeJson("environment", { ...environmentOf(of), startedAt, machine: machineFacts(), tools });
  directoryOf.writeJson("census", censusOf(of));
  const lines: SampleLine[] = [
    { kind: "begin", version: 1, planId: of.id, startedAt: 1 },
    ...blocks(of, { blocks: 8, ratio: () => ratio, seed: day }),
    { kind: "stop", reason: stop, detail: null, wallSeconds: 60 },
  ];
  directoryOf.appendSamples(lines);
}

/** Plans, "measures" and records a run of the current commit. */
async function recorded(day: number, ratio = 1): Promise<void> {
  finish(await plan(), { day, ratio });
  expect((await storePhase(work(), {}, {})).added).toBe(1);
}

const stored = (): HistoryRecord[] =>
  readFileSync(join(root, "store.ndjson"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("--base stored", () => {
  test("measures the anchor of the configuration, and starts with a store that is not there", async () => {
    const made = await plan();
    expect(made.arms.base).toMatchObject({
      label: "v1",
      commit: git("rev-parse", "v1"),
      directory: work().file("trees/base"),
    });
    expect(made.stored).toMatchObject({
      anchor: { label: "v1", id: git("rev-parse", "v1") },
      branch: "main",
      store: join(root, "store.ndjson"),
    });
    expect(work().readHistory(made)).toMatchObject({ missing: true, records: [] });
    expect(describePlan(made, work())).toMatch(
      /^base +no record of main in .*store.ndjson, which is not there yet\nanchor +v1 \(/,
    );
    finish(made);
    expect(comparePhase(work())).toMatchObject({ verdict: "inconclusive", stored: { missing: true } });
  });

  test("compares with what was recorded, in order", async () => {
    await recorded(1);
    await recorded(2);
    const made = await plan();
    expect(work().readHistory(made)?.records).toHaveLength(2);
    expect(describePlan(made, work())).toContain("2 records of main");
    finish(made, { day: 3 });
    expect(comparePhase(work()).verdict).toBe("pass");
    // The same numbers, all of them read anew, give the same bytes.
    const before = readFileSync(work().file("comparison.json"), "utf8");
    comparePhase(work());
    expect(readFileSync(work().file("comparison.json"), "utf8")).toBe(before);
    finish(await plan(), { day: 4, ratio: 0.6 });
    expect(comparePhase(work()).verdict).toBe("regression");
  });

  test("an anchor that the clone does not have is told with its key", async () => {
    commit({ "perf-gate.yml": `${CONFIG}baseline: { store: ../store.ndjson, anchor: v9 }\n` });
    expect(await refusal(plan())).toMatch(
      /^baseline.anchor: .* knows no commit "v9"; in a shallow clone, fetch it first/,
    );
  });

  test("is refused where nothing can be started or recorded", async () => {
    expect(await refusal(plan({ driver: "url" }))).toMatch(/^--base stored: with driver url/);
    expect(await refusal(plan({ head: `app@sha256:${"a".repeat(64)}` }))).toMatch(
      /^--base stored: --head has to be a tree/,
    );
    git("checkout", "--quiet", "--detach");
    expect(await refusal(plan())).toMatch(/has no branch checked out.*baseline: \{ branch: main \}/);
  });

  test("a damaged store stops it, and stays as it is", async () => {
    writeFileSync(join(root, "store.ndjson"), "{}\n");
    expect(await refusal(plan())).toContain("store.ndjson");
    expect(readFileSync(join(root, "store.ndjson"), "utf8")).toBe("{}\n");
  });
});

describe("with a version that can be measured instead", () => {
  test("it is, where no record compares, and why is said", async () => {
    const made = await plan({ baseRef: "main" });
    expect(made.stored).toBeUndefined();
    expect(made.insteadOfRecords).toMatch(/the store has no record yet$/);
    expect(made.arms.base.label).toBe("main");
    expect(warnings).toEqual([
      `${join(root, "store.ndjson")}: the store has no record yet: measured against main instead`,
    ]);
  });

  test("it is, where the records are relative to another anchor", async () => {
    await recorded(1);
    commit({ "perf-gate.yml": `${CONFIG}baseline: { store: ../store.ndjson }\n` });
    expect((await plan({ baseRef: "main" })).stored).toBeUndefined();
    expect(warnings[0]).toMatch(
      /against v1 \(.*this run against reference application .*: measured against main instead$/,
    );
  });

  test("other cells than the records have are none", async () => {
    await recorded(1);
    commit({ "perf-gate.yml": CONFIG.replace("path: /shop", "path: /other") + BASELINE });
    expect((await plan({ baseRef: "main" })).stored).toBeUndefined();
    expect(warnings[0]).toContain("asked for something else in every cell");
  });

  test("it is, where the store is out of reach; a damaged one stops", async () => {
    commit({ "perf-gate.yml": `${CONFIG}baseline: { anchor: v1 }\n` });
    git("remote", "add", "origin", join(root, "gone"));
    expect((await plan({ baseRef: "main" }, process.env)).stored).toBeUndefined();
    expect(warnings[0]).toMatch(/^cannot read git:perf-gate-data of origin.*: measured against main instead$/s);
    expect(await refusal(plan({}, process.env))).toMatch(/^cannot read git:perf-gate-data/);
    commit({ "perf-gate.yml": CONFIG + BASELINE });
    writeFileSync(join(root, "store.ndjson"), "{}\n");
    expect(await refusal(plan({ baseRef: "main" }))).toContain("store.ndjson");
  });

  test("the records decide where they compare, by the configuration of that version", async () => {
    await recorded(1);
    git("checkout", "--quiet", "-b", "change");
    commit({ "perf-gate.yml": `${CONFIG}baseline: { store: ../store.ndjson, anchor: v1, max-qps-drop: 90% }\n` });
    const made = await plan({ baseRef: "main", branch: "main" });
    expect(made.stored).toMatchObject({ branch: "main", judge: { commit: git("rev-parse", "main") } });
    expect(made.config.baseline.maxQpsDrop).toBe(0.1);
    finish(made, { day: 2 });
    expect(comparePhase(work()).edits).toEqual([{ key: "baseline.max-qps-drop", base: "10%", head: "90%" }]);
  });
});

describe.each(["pull_request", "merge_group"])("in a job of %s", (name) => {
  const env = { GITHUB_EVENT_NAME: name };
  const inTree = (store: string) => `${CONFIG}baseline: { store: ${store}, anchor: v1 }\n`;

  test("a store in its own tree is refused", async () => {
    commit({ "perf-gate.yml": inTree("perf/store.ndjson") });
    expect(await refusal(plan({}, env))).toContain("part of the pull request itself");
    commit({ "perf-gate.yml": inTree(join(directory, "perf/store.ndjson")) });
    expect(await refusal(plan({ baseRef: "main" }, env))).toContain("part of the pull request itself");
    expect(await refusal(plan({}, {}))).not.toContain("part of the pull request itself");
  });

  test("a store of the repository is the base's", async () => {
    await recorded(1);
    const text = readFileSync(join(root, "store.ndjson"), "utf8");
    commit({ "perf-gate.yml": inTree("perf/store.ndjson"), "perf/store.ndjson": text });
    git("checkout", "--quiet", "-b", "change");
    commit({ "perf/store.ndjson": "of the change, and not even readable\n" });
    const made = await plan({ baseRef: "main", branch: "main" }, env);
    expect(work().readHistory(made)?.records).toEqual(stored());
  });

  test("a branch of records is the repository's own, wherever the checkout came from", async () => {
    await recorded(1);
    for (const name of ["octo/shop", "fork/shop"]) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      git("init", "--quiet", "--bare", join(root, name));
    }
    const storeOf = (name: string) =>
      openStore(`git:perf-gate-data@file://${join(root, name)}`, { directory, env: process.env });
    await storeOf("fork/shop").append(stored());
    commit({ "perf-gate.yml": inTree("git:perf-gate-data") });
    git("remote", "add", "origin", join(root, "fork/shop"));
    const job = { ...process.env, ...env, GITHUB_SERVER_URL: `file://${root}`, GITHUB_REPOSITORY: "octo/shop" };
    await plan({}, job);
    expect(work().readHistory(work().readPlan())).toMatchObject({ missing: true, records: [] });
    await storeOf("octo/shop").append(stored());
    await plan({}, job);
    expect(work().readHistory(work().readPlan())?.records).toHaveLength(1);
  });

  test("a repository of its own choice is refused", async () => {
    commit({ "perf-gate.yml": inTree(`git:perf-gate-data@${root}/evil.git`) });
    expect(await refusal(plan({}, env))).toContain("the pull request itself says where its records come from");
  });

  test("nothing is recorded", async () => {
    finish(await plan());
    expect(await refusal(storePhase(work(), {}, env))).toContain("pull request");
  });
});

describe("in a job on GitHub, with the input base: stored", () => {
  /** `github plan` in the repository, as a job of this event calls it. */
  async function planned(name: string, payload: object, env: Env = {}): Promise<Plan> {
    writeFileSync(join(root, "event.json"), JSON.stringify(payload));
    const before = process.cwd();
    process.chdir(directory);
    try {
      const job = {
        RUNNER_TEMP: root,
        GITHUB_OUTPUT: join(root, "output"),
        GITHUB_EVENT_PATH: join(root, "event.json"),
      };
      const all = { ...job, GITHUB_EVENT_NAME: name, INPUT_BASE: "stored", ...env };
      return (await githubPlanPhase(all, home, (line) => warnings.push(line))).plan;
    } finally {
      process.chdir(before);
    }
  }

  test("a commit is compared with the records of its own branch", async () => {
    const made = await planned(
      "schedule",
      {},
      { GITHUB_REF: "refs/heads/release/2", GITHUB_SHA: git("rev-parse", "HEAD") },
    );
    expect(made.stored).toMatchObject({ branch: "release/2", anchor: { label: "v1" } });
    expect(made.arms.head).toMatchObject({
      label: git("rev-parse", "HEAD").slice(0, 12),
      commit: git("rev-parse", "HEAD"),
    });
  });

  test("a pull request with those of its target branch, by the configuration of that; else with the branch itself", async () => {
    const store = `baseline: { store: ${join(root, "store.ndjson")}, anchor: v1 }\n`;
    commit({ "perf-gate.yml": CONFIG + store });
    const parent = git("rev-parse", "HEAD");
    git("checkout", "--quiet", "-b", "change");
    const tip = commit({
      "perf-gate.yml": `${CONFIG}baseline: { store: ${join(root, "own.ndjson")}, anchor: main }\n`,
    });
    git("checkout", "--quiet", "--detach", parent);
    git("merge", "--quiet", "--no-ff", "--message", "merge", "change");
    const payload = { number: 7, pull_request: { number: 7, base: { ref: "main", sha: parent }, head: { sha: tip } } };
    const paired = await planned("pull_request", payload);
    expect(paired).toMatchObject({ arms: { base: { label: "main", commit: parent } } });
    expect(paired.stored).toBeUndefined();
    expect(warnings).toContain(
      `${join(root, "store.ndjson")}: the store has no record yet: measured against main instead`,
    );

    git("checkout", "--quiet", "main");
    await recorded(1);
    git("checkout", "--quiet", "--detach", "change");
    const made = await planned("pull_request", payload);
    expect(made.stored).toMatchObject({
      branch: "main",
      anchor: { id: git("rev-parse", "v1") },
      judge: { commit: parent },
    });
    expect(made.arms.head.label).toBe("#7");
  });

  test.each(["pull_request_target", "workflow_run"])("%s is refused", async (name) => {
    expect(await refusal(planned(name, {}))).toContain(`event ${name}`);
  });

  test("with driver url it is refused, and not taken for something else", async () => {
    expect(await refusal(planned("push", {}, { INPUT_DRIVER: "url", GITHUB_REF: "refs/heads/main" }))).toMatch(
      /^--base stored/,
    );
  });
});

describe("perf-gate store", () => {
  test("records a run once", async () => {
    const made = await plan();
    finish(made);
    const first = await storePhase(work(), { url: "https://ci.example/7" }, {});
    expect(first.added).toBe(1);
    expect((await storePhase(work(), { url: "https://ci.example/7" }, {})).added).toBe(0);
    expect(stored()).toEqual([first.record]);
    expect(first.record).toMatchObject({
      commit: git("rev-parse", "HEAD"),
      branch: "main",
      url: "https://ci.example/7",
      anchor: { label: "v1", id: git("rev-parse", "v1") },
      recordedAt: "2026-11-01T02:00:00.000Z",
    });
    expect(Date.parse(first.record.committedAt ?? "")).not.toBeNaN();
  });

  test("takes the branch and the page from the job, and another store from the option", async () => {
    finish(await plan());
    const env = {
      GITHUB_REF: "refs/heads/release/2",
      GITHUB_SERVER_URL: "https://x.test",
      GITHUB_REPOSITORY: "a/b",
      GITHUB_RUN_ID: "7",
    };
    const { record } = await storePhase(work(), { store: join(root, "other") }, env);
    expect(record).toMatchObject({ branch: "release/2", url: "https://x.test/a/b/actions/runs/7" });
    expect((await storePhase(work(), { store: join(root, "third"), branch: "main" }, env)).record.branch).toBe("main");
  });

  test.each(["interrupted", "failed"] as const)("refuses a run that was %s", async (stop) => {
    finish(await plan(), { stop });
    expect(await refusal(storePhase(work(), {}, {}))).toMatch(/^the run (was interrupted|failed): continue it/);
  });

  test("refuses a run against something else than an anchor", async () => {
    finish(await plan({ base: undefined, baseRef: "v1" }));
    expect(await refusal(storePhase(work(), {}, {}))).toMatch(
      /^the run compared .* with v1, and a record is relative to an anchor/,
    );
  });

  test("refuses a tree that is no commit", async () => {
    write({ "index.php": "changed" });
    finish(await plan());
    expect(await refusal(storePhase(work(), {}, {}))).toContain("commit them, measure again, then record");
  });
});

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type HistoryRecord, type RecordFigure, recordId } from "../../src/core/record.ts";
import { openStore } from "../../src/history/store.ts";
import { sha256 } from "../../src/phases/work-directory.ts";
import { normals } from "../history-fixtures.ts";
import { commit } from "../nights.ts";
import { type ActResult, actRig, type Caller, named, PATIENCE, root } from "./rig.ts";

const { act, caller, apiOf, run } = actRig();
/** Keep the pages: SCREENSHOTS=DIR. */
const KEEP = process.env["SCREENSHOTS"];
const DAY = 86_400_000;

const CONFIG = `${readFileSync(join(root, ".github/perf-gate/planted.yml"), "utf8")}
baseline: { anchor: v1.0.0 }
measure: { slot: 1s, warm-up: 1s, max-foreign-cpu: off }
`;
const WORKFLOW = named(`name: perf nightly
on:
  schedule: [{ cron: "23 3 * * *" }]
  workflow_dispatch:
permissions: { contents: write, issues: write }
jobs:
  perf:
    uses: OWNER/REPO/.github/workflows/perf-nightly.yml@v1
`);

const git = (directory: string, ...args: string[]): string =>
  execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();

/** The reference application on main, released once, with an origin on this machine in place of GitHub's. */
function service(config = CONFIG): {
  made: Caller;
  env: Record<string, string>;
  records(): Promise<HistoryRecord[]>;
  page(path: string): string;
} {
  const made = caller(
    {},
    { "perf-gate.yml": config, ".github/workflows/nightly.yml": WORKFLOW },
    join(root, "fixtures/app"),
  );
  git(made.repository, "checkout", "--quiet", "main");
  git(made.repository, "tag", "v1.0.0");
  const origin = join(made.directory, "octo/shop.git");
  mkdirSync(join(made.directory, "octo"));
  execFileSync("git", ["init", "--quiet", "--bare", origin]);
  const env = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${made.directory}/.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://github.com/",
  };
  return {
    made,
    env,
    records: async () => (await store(origin).read()).records,
    page: (path) => git(origin, "show", `perf-gate-data:${path}`),
  };
}

const store = (origin: string) => openStore(`git:perf-gate-data@${origin}`, { directory: root, env: process.env });

/** act fills up names to the same length. */
const jobsOf = ({ jobs }: ActResult) => Object.entries(jobs).map(([name, result]) => `${name.trim()}: ${result}`);
const RED = "perf/perf-nightly/measure: failure";
const GREEN = ["perf/perf-nightly/measure: success", "perf/perf-nightly/record: success"];

/** Twelve nights before a night, made from its record: 2% from night to night. */
function before(first: HistoryRecord): HistoryRecord[] {
  const normal = normals(5);
  const moved = <Figure extends RecordFigure | null>(figure: Figure): Figure => {
    const by = 0.02 * normal();
    return figure && { ...figure, head: figure.head * Math.exp(by), logRatio: figure.logRatio + by };
  };
  return Array.from({ length: 12 }, (_, at) => {
    const recordedAt = new Date(Date.parse(first.recordedAt) - (12 - at) * DAY).toISOString();
    const cells = first.cells.map((cell) => ({ ...cell, qps: moved(cell.qps), latency: moved(cell.latency) }));
    const record = { ...first, recordedAt, commit: commit(at), cells };
    return { ...record, id: recordId(record, sha256) };
  });
}

describe.skipIf(act === null)("the nightly, by the reusable workflow", { timeout: PATIENCE }, () => {
  test("a first night, and one that asks the database again and again: an issue, and the page", async () => {
    const { made, env, records, page } = service();
    const payload = { schedule: "23 3 * * *", repository: { full_name: "octo/shop", default_branch: "main" } };
    const api = await apiOf(made, { pulls: [] });
    const night = async () => {
      const head = git(made.repository, "rev-parse", "HEAD");
      api.state.files.set(`${head}:perf-gate.yml`, CONFIG);
      return { head, ...(await run(made, "schedule", "nightly.yml", { api, payload, env })) };
    };

    const first = await night();
    expect(jobsOf(first), first.log).toEqual(GREEN);
    expect(first.outputs["verdict"]).toBe("inconclusive");
    expect(first.summary).toMatch(
      /^## Recorded \[[0-9a-f]{7}\]\(https:\/\/github\.com\/octo\/shop\/commit\/[0-9a-f]{40}\) against v1\.0\.0$/m,
    );
    const [own, ...more] = await records();
    expect(more).toEqual([]);
    expect(own).toMatchObject({ commit: first.head, branch: "main", anchor: { label: "v1.0.0" } });
    expect(api.state.issues).toEqual([]);

    if (own === undefined) throw new Error("nothing was recorded");
    await store(join(made.directory, "octo/shop.git")).append(before(own));
    writeFileSync(join(made.repository, "plant.php"), "<?php\n\nreturn 'n-plus-one';\n");
    git(made.repository, "commit", "--quiet", "--all", "--message", "a change");
    const second = await night();
    expect(jobsOf(second), second.log).toEqual(GREEN);
    expect(second.status).toBe(0);
    expect(second.outputs["verdict"]).toBe("regression");
    expect(second.summary).toMatch(/opened: Slower at/);
    expect(await records()).toHaveLength(14);
    expect(api.state.issues).toMatchObject([{ login: "github-actions[bot]", labels: ["perf-gate"], state: "open" }]);
    const { title, body } = api.state.issues[0] ?? {};
    expect(title).toMatch(/^Slower at [0-9a-f]{7}: five queries, persistent @20 (QPS −|p\d\d \+)\d/);
    expect(body).toContain(`https://github.com/octo/shop/compare/${first.head}...${second.head}`);
    expect(page("index.html")).toContain("charts/cell-1.svg");
    expect(page("charts/cell-1.svg")).toContain("<svg");
    if (KEEP !== undefined) {
      mkdirSync(join(KEEP, "charts"), { recursive: true });
      for (const file of ["index.html", "charts/cell-1.svg"]) writeFileSync(join(KEEP, file), page(file));
      writeFileSync(join(KEEP, "issue.md"), `# ${title}\n\n${body}\n`);
      writeFileSync(join(KEEP, "summary.md"), second.summary);
    }
  });

  test("a night that cannot measure is red, and its other half runs all the same", async () => {
    const config = CONFIG.replace("v1.0.0", "v9.9.9");
    const { made, env } = service(config);
    const head = git(made.repository, "rev-parse", "HEAD");
    const api = await apiOf(made, { pulls: [], files: new Map([[`${head}:perf-gate.yml`, config]]) });
    const payload = { ref: "refs/heads/main", repository: { full_name: "octo/shop", default_branch: "main" } };
    const night = await run(made, "workflow_dispatch", "nightly.yml", { api, payload, env });
    expect(jobsOf(night), night.log).toEqual([RED, GREEN[1]]);
    expect(night.commands.join("\n")).toMatch(/^::error .*v9\.9\.9/m);
    expect(night.summary).toMatch(/^## ⚪ No record$.*^> Nothing was measured, or it could not be uploaded\.$/ms);
  });

  test("another branch is not measured", async () => {
    const { made, env } = service();
    git(made.repository, "checkout", "--quiet", "change");
    const payload = { ref: "refs/heads/change", repository: { full_name: "octo/shop", default_branch: "main" } };
    const night = await run(made, "workflow_dispatch", "nightly.yml", { payload, env });
    expect(night.status, night.log).toBe(0);
    expect(jobsOf(night), night.log).toEqual([]);
  });
});

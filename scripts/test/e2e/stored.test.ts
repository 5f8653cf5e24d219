import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Comparison } from "../../src/core/model.ts";
import { home, TARGET } from "./rig.ts";

/** Two cells, short slots, struck ones are another test's matter; what is slower is red by its counts on any machine. */
const CONFIG = `${TARGET}scenarios:
  - { name: five, path: "/queries?n=5&connection=persistent", levels: [20] }
  - { name: one, path: "/queries?n=1&connection=persistent", levels: [20] }
measure: { slot: 1s, warm-up: 1s, max-foreign-cpu: off }
budget: 5m
gate: { max-added: { sql-statements: 0 } }
baseline: { store: ../history.ndjson, anchor: v1 }
`;

let directory = "";
const app = () => join(directory, "app");
const git = (...args: string[]) =>
  execFileSync("git", ["-C", app(), "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args]);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-stored-e2e-"));
  cpSync(join(home, "fixtures/app"), app(), { recursive: true });
  writeFileSync(join(app(), "perf-gate.yml"), CONFIG);
  git("init", "--quiet", "--initial-branch", "main");
  commit("one");
  git("tag", "v1");
  writeFileSync(join(app(), "NOTES"), "nothing that is served\n");
  commit("two");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function commit(message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}

function plant(name: string): void {
  writeFileSync(join(app(), "plant.php"), `<?php\n\nreturn '${name}';\n`);
  commit(name);
}

function perfGate(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(join(home, "scripts/perf-gate"), args, {
    cwd: app(),
    encoding: "utf8",
    timeout: 400_000,
  });
  return { status, text: stdout + stderr };
}

/** One run against the records, in a work directory of its own. */
function run(name: string): { status: number | null; text: string; comparison: Comparison; work: string } {
  const work = join(directory, name);
  const { status, text } = perfGate("run", "--base", "stored", "-w", work);
  const comparison = JSON.parse(readFileSync(join(work, "comparison.json"), "utf8")) as Comparison;
  return { status, text, comparison, work };
}

test("two records, an unchanged head, and one that queries in a loop", () => {
  for (const name of ["first", "second"]) {
    const { status, text, work } = run(name);
    expect(status, text).toBe(0);
    expect(perfGate("store", "-w", work).text).toMatch(
      /^recorded in .*history.ndjson: [0-9a-f]{16}: [0-9a-f]{12} of main against v1$/m,
    );
    expect(perfGate("store", "-w", work).text).toContain("already recorded");
  }
  expect(readFileSync(join(directory, "history.ndjson"), "utf8").trimEnd().split("\n")).toHaveLength(2);

  const unchanged = run("unchanged");
  expect(unchanged.comparison.verdict).not.toBe("regression");
  expect(unchanged.comparison.stored?.records).toHaveLength(2);
  expect(unchanged.comparison.cells.map(({ rounds }) => rounds)).toEqual([8, 8]);
  expect(unchanged.comparison.stop?.reason).toBe("cap");
  expect(unchanged.text).toContain("Since v1, measured here");

  plant("n-plus-one");
  const slower = run("slower");
  expect(slower.comparison.verdict, slower.text).toBe("regression");
  expect(slower.status).toBe(1);
  expect(slower.comparison.census.find(({ count }) => count === "sqlStatements")?.head.exact).toBe(true);
  expect(slower.text).toContain("against 2 records of main");
}, 1_500_000);

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Comparison } from "../../src/core/model.ts";
import { home, TARGET } from "./rig.ts";

/**
 * Short slots, struck ones are another test's matter, and margins beyond what a busy machine may show: what is slower
 * is red by its counts on any machine.
 */
const CONFIG = `${TARGET}scenarios: [{ name: five, path: "/queries?n=5&connection=persistent", levels: [20] }]
measure: { slot: 1s, warm-up: 1s, max-foreign-cpu: off }
budget: 12m
gate: { max-added: { sql-statements: 0 } }
baseline: { store: ../history.ndjson, anchor: v1, max-qps-drop: 95%, max-p99-rise: 900% }
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
    timeout: 900_000,
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

test("a first record, an unchanged head beside it, and one that queries in a loop", () => {
  const recorded = (name: string) => {
    const made = run(name);
    expect(made.status, made.text).toBe(0);
    expect(made.comparison.cells.map(({ rounds }) => rounds)).toEqual([8]);
    expect(made.comparison.stop?.reason).toBe("cap");
    expect(perfGate("store", "-w", made.work).text).toMatch(
      /^recorded in .*history.ndjson: [0-9a-f]{16}: [0-9a-f]{12} of main against v1$/m,
    );
    expect(perfGate("store", "-w", made.work).text).toContain("already recorded");
    return made;
  };
  recorded("first");
  const unchanged = recorded("unchanged");
  expect(unchanged.comparison.verdict).not.toBe("regression");
  expect(unchanged.comparison.stored?.records).toHaveLength(1);
  expect(unchanged.text).toContain("Since v1, measured here");
  expect(readFileSync(join(directory, "history.ndjson"), "utf8").trimEnd().split("\n")).toHaveLength(2);

  plant("n-plus-one");
  const slower = run("slower");
  expect(slower.comparison.verdict, slower.text).toBe("regression");
  expect(slower.status).toBe(1);
  expect(slower.comparison.census.find(({ count }) => count === "sqlStatements")?.head.exact).toBe(true);
  expect(slower.text).toContain("against 2 records of main");
}, 3_000_000);

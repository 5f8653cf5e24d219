import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { K6_VERSION } from "../../src/core/k6.ts";
import { treeOf } from "../../src/measure/k6.ts";

const directory = mkdtempSync(join(tmpdir(), "perf-gate-k6-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

mkdirSync(join(directory, "repository/.git"), { recursive: true });

test.each([
  ["repository/perf/flows/a.js", "repository"],
  ["tree/perf/flows/a.js", "tree"],
  // What is nearest holds it.
  ["repository/tree/perf/a.js", "repository/tree"],
  ["elsewhere/perf/a.js", "elsewhere/perf"],
])("%s may import from %s", (flow, tree) => {
  const trees = ["tree", "repository/tree"].map((path) => join(directory, path));
  expect(treeOf(join(directory, flow), trees)).toBe(join(directory, tree));
});

test("the script that installs k6 knows the same version", () => {
  const setup = readFileSync(join(import.meta.dirname, "../../setup.sh"), "utf8");
  expect(setup).toContain(`readonly K6_VERSION=${K6_VERSION}\n`);
});

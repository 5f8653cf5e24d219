import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { K6_VERSION } from "../../src/core/k6.ts";
import { slowestSaid, treeOf } from "../../src/measure/k6.ts";

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

describe("what VUs say of their slowest requests", () => {
  const id = (letter: string) => letter.repeat(32);

  test("is put together by slot, the five slowest of all of them", () => {
    const lines = [
      `perf-gate:slowest 0 12.5 ${id("a")} 0 3 ${id("b")} 1 0.25 ${id("c")}`,
      `perf-gate:slowest 0 80 ${id("d")} 0 7.125 ${id("e")} 0 6 ${id("f")} 0 5 ${id("1")}`,
    ];
    const [first, second, third] = slowestSaid(lines, 3);
    expect(first?.map(({ ms }) => ms)).toEqual([80, 12.5, 7.125, 6, 5]);
    expect(first?.[0]).toEqual({ ms: 80, traceId: id("d") });
    expect(second).toEqual([{ ms: 0.25, traceId: id("c") }]);
    expect(third).toEqual([]);
  });

  test.each([
    ["of no slot", `perf-gate:slowest 2 12 ${id("a")}`],
    ["upper case", `perf-gate:slowest 0 12 ${id("A")}`],
    ["too long an id", `perf-gate:slowest 0 12 ${id("a")}a`],
    ["an infinite time", `perf-gate:slowest 0 ${"9".repeat(400)} ${id("a")}`],
    ["text", "perf-gate:slowest 0 12 ::error::x"],
  ])("%s is left out", (_, line) => expect(slowestSaid([line], 2)).toEqual([[], []]));
});

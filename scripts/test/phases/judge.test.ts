import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compare } from "../../src/core/compare.ts";
import type { Plan } from "../../src/core/model.ts";
import { describePlan, planPhase } from "../../src/phases/plan.ts";
import { WorkDirectory } from "../../src/phases/work-directory.ts";
import { blocks, censusOf } from "../core/support.ts";
import { home } from "../e2e/rig.ts";

const BASE = `target: { driver: process }
scenarios: [{ name: shop, path: /shop, levels: [20] }, { name: cart, path: /cart, levels: [20] }]
`;

let directory = "";
let warnings: string[] = [];
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "perf-gate-judge-")));
  warnings = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

/** The plan of base/ against head/, or of a repository's ref against its tree. */
function plan(options: { config?: string; baseRef?: string; driver?: string; budget?: string } = {}): Promise<Plan> {
  const arms =
    options.baseRef === undefined
      ? { base: join(directory, "base"), head: join(directory, "head") }
      : { head: directory };
  const work = new WorkDirectory(join(directory, ".perf-gate"));
  return planPhase({ home, ...arms, ...options }, work, (line) => warnings.push(line));
}

/** Base and head with a configuration each; null = none. */
function configured(base: string | null, head: string | null, file = "perf-gate.yml"): void {
  for (const [arm, text] of Object.entries({ base, head })) {
    write(`${arm}/index.php`, arm);
    if (text !== null) write(`${arm}/${file}`, text);
  }
}

const marginOf = ({ config }: Plan) => config.scenarios[0]?.limits.maxQpsDrop;
const WIDE = `${BASE}gate: { max-qps-drop: 90% }\n`;

describe("a change is judged by the configuration of its base", () => {
  test("wherever it is found", async () => {
    configured(BASE, WIDE);
    const found = await plan();
    expect(marginOf(found)).toBe(0.05);
    expect(found.headConfig?.scenarios[0]?.limits.maxQpsDrop).toBe(0.9);
    expect(warnings).toEqual([
      `the head changes its configuration (gate.max-qps-drop): judged by the base's (${directory}/base/perf-gate.yml)`,
    ]);
  });

  test("also where the head's is named: by the file at the same place", async () => {
    configured(BASE, WIDE, "ci/speed.yml");
    expect(marginOf(await plan({ config: join(directory, "head/ci/speed.yml") }))).toBe(0.05);
    expect(warnings).toHaveLength(1);
  });

  test("also where the name is a link into the head's tree", async () => {
    configured(BASE, WIDE);
    symlinkSync(join(directory, "head/perf-gate.yml"), join(directory, "mine.yml"));
    expect(marginOf(await plan({ config: join(directory, "mine.yml") }))).toBe(0.05);
  });

  test("also where the base is a commit", async () => {
    write("perf-gate.yml", BASE);
    write(".gitignore", ".perf-gate\n");
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    git("init", "--quiet", "--initial-branch", "main");
    git("add", "-A");
    git("commit", "--quiet", "-m", "one");
    write("perf-gate.yml", WIDE);
    expect(marginOf(await plan({ baseRef: "main" }))).toBe(0.05);
    expect(marginOf(await plan({ baseRef: "main", config: join(directory, "perf-gate.yml") }))).toBe(0.05);
  });

  test("also where both already run somewhere", async () => {
    const running = "target: { url: { base: http://a.test, head: http://b.test } }\n";
    configured(running, `${running}gate: { max-qps-drop: 90% }\n`);
    const found = await plan({ driver: "url" });
    expect([found.driver, found.arms.head.label, marginOf(found)]).toEqual(["url", "http://b.test", 0.05]);
  });

  test("a file outside of the head's tree belongs to no side, and judges as it is", async () => {
    configured(BASE, BASE);
    write("mine.yml", WIDE);
    const found = await plan({ config: join(directory, "mine.yml") });
    expect([marginOf(found), found.headConfig, warnings]).toEqual([0.9, undefined, []]);
  });

  test("where that has none, the head's judges, and that is said", async () => {
    configured(null, WIDE);
    expect(marginOf(await plan())).toBe(0.9);
    expect(warnings).toEqual([`the base has no configuration: judged by the head's (${directory}/head/perf-gate.yml)`]);
    expect(marginOf(await plan({ config: join(directory, "head/perf-gate.yml") }))).toBe(0.9);
  });

  test("but never names records, their margins or their anchor", async () => {
    configured(null, `${WIDE}baseline: { store: mine.ndjson, anchor: mine, max-qps-drop: 90% }\n`);
    expect((await plan()).config.baseline).toMatchObject({
      store: "git:perf-gate-data",
      anchor: null,
      maxQpsDrop: 0.1,
    });
  });

  test("also where the head has taken it away", async () => {
    configured(WIDE, null);
    const found = await plan();
    expect([marginOf(found), found.headConfig]).toEqual([0.9, null]);
    expect(warnings).toEqual([expect.stringContaining("the head removes its configuration")]);
  });

  test("a head whose configuration cannot be read is refused before it is merged", async () => {
    configured(BASE, "gate: { max-qps-drop: 5 }\n");
    await expect(plan()).rejects.toThrow(/perf-gate\.yml:1:23: gate\.max-qps-drop: expected/);
  });

  test("another comment is no other configuration", async () => {
    configured(BASE, `# why\n${BASE}`);
    expect([(await plan()).headConfig, warnings]).toEqual([undefined, []]);
  });

  test("what the command line says is no edit", async () => {
    configured(BASE.replace("process", "auto"), WIDE.replace("process", "compose"));
    const found = await plan({ driver: "process", budget: "3m" });
    const { edits } = compare({ plan: found, census: null, environment: null, lines: [], damaged: [] });
    expect(edits).toEqual([{ key: "gate.max-qps-drop", base: "5%", head: "90%" }]);
  });

  test("a flow of the same place is the same flow", async () => {
    const flow = "target: { driver: process }\nscenarios: [{ flow: ./buy.js }]\n";
    for (const arm of ["base", "head"]) write(`${arm}/buy.js`, "export default () => {};");
    configured(flow, `${flow}# x`);
    expect((await plan()).headConfig).toBeUndefined();
    write("head/sell.js", "export default () => {};");
    configured(flow, flow.replace("./buy", "./sell").replace("{ flow", "{ name: buy, flow"));
    expect((await plan()).headConfig).toBeDefined();
    expect(warnings.at(-1)).toContain('(scenarios["buy"], request)');
  });
});

describe("what only the head's configuration has", () => {
  const MORE = BASE.replace("levels: [20] }]", "levels: [20] }, { name: fresh, path: /fresh, levels: [5] }]");

  test("scenarios: measured by the census alone, shown, not judged, not part of the whole", async () => {
    configured(BASE, MORE);
    const found = await plan();
    expect(found.cells.map(({ id }) => id)).toEqual(["shop @20", "cart @20", "fresh @5"]);
    expect(describePlan(found, new WorkDirectory(directory))).toContain(
      "fresh @5  closed, keep-alive, new: shown, not judged",
    );
    const lines = blocks(found, { blocks: 6, ratio: () => 1, cells: ["shop @20", "cart @20"] });
    const comparison = compare({ plan: found, census: censusOf(found), environment: null, lines, damaged: [] });
    expect(comparison.cells.map(({ verdict }) => verdict)).toEqual(["pass", "pass", "new"]);
    expect([comparison.verdict, comparison.tests, comparison.overall]).toEqual(["pass", 4, null]);
    expect(comparison.cells[2]?.reasons[0]?.text).toBe("the base's configuration does not have it: shown, not judged");
    expect(comparison.edits).toEqual([{ key: "scenarios, added", base: null, head: "1" }]);
  });

  test("one that the head itself does not answer says so", async () => {
    configured(BASE, MORE);
    const found = await plan();
    const census = censusOf(found);
    const broken = { statuses: [500], failedShare: 1, counts: {} };
    const scenarios = census.scenarios.map((one) =>
      one.scenario === "fresh" ? { ...one, arms: { ...one.arms, head: broken } } : one,
    );
    const comparison = compare({
      plan: found,
      census: { ...census, scenarios },
      environment: null,
      lines: [],
      damaged: [],
    });
    expect(comparison.cells[2]?.reasons[0]?.text).toContain("the head does not pass its checks (it answered 500)");
  });

  test("services, variables and copied files: its code may need them; values of the base stay", async () => {
    write("head/.env", "");
    configured(
      "target: { driver: process, services: [mysql], env: { A: base } }\n",
      "target: { driver: process, services: [mysql, redis], env: { A: head, B: head }, copy: [.env] }\n",
    );
    const { target } = (await plan()).config;
    expect([target.services, target.env, target.copy]).toEqual([
      ["mysql", "redis"],
      { A: "base", B: "head" },
      [".env"],
    ]);
    expect(warnings[0]).toContain("(target.env)");
  });

  test("no scenario of the base can be replaced or left out", async () => {
    configured(BASE, "target: { driver: process }\nscenarios: [{ name: shop, path: /fast, levels: [1] }]\n");
    const found = await plan();
    expect(found.cells.map(({ id }) => id)).toEqual(["shop @20", "cart @20"]);
    expect(found.config.scenarios[0]?.work).toMatchObject({ path: "/shop" });
    const keys = compare({ plan: found, census: null, environment: null, lines: [], damaged: [] }).edits?.map(
      ({ key }) => key,
    );
    expect(keys).toEqual(['scenarios["cart"]', 'scenarios["shop"], request', 'scenarios["shop"], load']);
  });
});

test("what the head says is part of what a plan is known by", async () => {
  configured(BASE, WIDE);
  const found = await plan();
  const { planId } = await import("../../src/core/plan.ts");
  const { headConfig: _, ...rest } = found;
  expect(planId(found, String)).not.toBe(planId(rest, String));
});

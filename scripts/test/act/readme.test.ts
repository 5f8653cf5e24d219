import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { actRig, NO_ROUND, named, PATIENCE, root } from "./rig.ts";

const { act, caller, apiOf, run } = actRig();

const LABEL = "perf-regression-accepted";
const CONFIG = "perf-gate.yml";

/** One query more than before is red, by the counts. */
const COUNTED = `${NO_ROUND}\nbudget: 30s\ngate: { max-added: { sql-statements: 0 } }`;

/** The lines of the README that call a reusable workflow, as they are pasted. */
function pasted(workflow: string): string {
  const blocks = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^```yaml\n(.*?)^```$/gms)];
  const found = blocks.map(([, lines = ""]) => lines).filter((lines) => lines.includes(`/workflows/${workflow}@`));
  expect(found, workflow).toHaveLength(1);
  return named(found[0] ?? "");
}

describe.skipIf(act === null)("a new repository with the README's lines", { timeout: PATIENCE }, () => {
  test("a pull request that asks the database again and again is red; once accepted, and run again, green", async () => {
    const planted = readFileSync(join(root, ".github/perf-gate/planted.yml"), "utf8");
    const made = caller(
      { "plant.php": "<?php\n\nreturn 'n-plus-one';\n" },
      {
        [CONFIG]: planted.replace(/^budget: .*$/m, COUNTED),
        ".github/workflows/perf.yml": pasted("perf-gate.yml"),
        ".github/workflows/perf-report.yml": pasted("perf-report.yml"),
      },
      join(root, "fixtures/app"),
    );
    const api = await apiOf(made, {}, CONFIG);
    const first = await run(made, "pull_request", "perf.yml", { api });
    expect(first.status).not.toBe(0);
    expect(first.outputs["verdict"]).toBe("regression");
    expect(first.jobs).toEqual({ "perf/perf-gate/measure": "failure", "perf/perf-gate/comment": "success" });
    expect(first.commands.join("\n")).toMatch(/^::error /m);
    expect(first.summary).toContain("More work per request");
    expect(api.state.comments).toHaveLength(1);
    expect(api.state.comments[0]?.body).toContain("More work per request");

    api.state.pulls = [{ ...made.pull, labels: [LABEL] }];
    api.state.events = [{ pull: 7, event: "labeled", label: LABEL, actor: "maintainer", at: "2026-03-04T11:00:00Z" }];
    const again = await run(made, "pull_request", "perf.yml", { api });
    expect(again.jobs).toEqual({ "perf/perf-gate/measure": "success", "perf/perf-gate/comment": "success" });
    expect(again.status).toBe(0);
    expect(again.summary).toContain("maintainer");
    expect(api.state.comments).toHaveLength(1);
    expect(api.state.comments[0]?.body).toMatch(/Accepted.*maintainer/s);
  });
});

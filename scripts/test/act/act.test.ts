import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Caller, findAct, runAct, snapshot } from "./rig.ts";

const act = findAct();
let source: ReturnType<typeof snapshot> | undefined;
const callers: Caller[] = [];
beforeAll(() => {
  if (act !== null) source = snapshot();
});
afterEach(() => {
  for (const caller of callers.splice(0)) caller.remove();
});
afterAll(() => source?.remove());

const routes = (routes: Record<string, number>): string =>
  `<?php\n\nreturn [\n${Object.entries(routes)
    .map(([path, us]) => `    '${path}' => ${us},\n`)
    .join("")}];\n`;
const config = (lines: string): string => `target: { driver: process, root: public, php: { workers: 4 } }\n${lines}\n`;
const HOME =
  "scenarios: [{ name: home, path: /, levels: [4] }]\nmeasure: { slot: 1s, warm-up: 1s, max-foreign-cpu: off }";
const WIDE = `${HOME}\ngate: { max-qps-drop: 20%, max-p99-rise: 100% }\nbudget: 2m`;

function caller(head: Record<string, string>, base: Record<string, string> = {}): Caller {
  const made = new Caller(base, head);
  callers.push(made);
  return made;
}

function run(made: Caller, event: string, workflow: string, payload: unknown = made.pullRequest(), api?: string) {
  return runAct({
    act: act ?? "",
    source: source?.directory ?? "",
    caller: made,
    event,
    payload,
    workflow,
    ...(api === undefined ? {} : { api }),
  });
}

describe.skipIf(act === null)("a pull request, by the reusable workflow", { timeout: 300_000 }, () => {
  test("that changes nothing is green", async () => {
    const made = caller({ "README.md": "hello\n" }, { "perf-gate.yml": config(WIDE) });
    const { status, log, commands } = await run(made, "pull_request", "perf.yml");
    expect(log).toContain("the workflow says verdict=[pass] result=[success]");
    expect(status).toBe(0);
    expect(commands.filter((command) => command.startsWith("::error"))).toEqual([]);
    expect(log).toContain("head       #7");
    expect(made.artifact("summary.md").toString()).toContain("home");
    expect(made.artifact("perf-gate.zip").length).toBeGreaterThan(1000);
  });

  test("that is slower is red: report and artifact first, then the status, an annotation at the scenario's line", async () => {
    const made = caller({ "routes.php": routes({ "/": 9000 }) }, { "perf-gate.yml": config(WIDE) });
    const { status, log, commands } = await run(made, "pull_request", "perf.yml");
    expect(log).toContain("the workflow says verdict=[regression] result=[failure]");
    expect(status).not.toBe(0);
    expect(commands.join("\n")).toMatch(/::error [^\n]*file=perf-gate\.yml,line=2[,:]/);
    expect(made.artifact("summary.md").toString()).toContain("Slower");
    expect(made.artifact("perf-gate.zip").length).toBeGreaterThan(1000);
  });

  test("that edits its margins is judged by those of its base, and the report says so", async () => {
    const made = caller(
      {
        "routes.php": routes({ "/": 9000 }),
        "perf-gate.yml": config(WIDE.replace("20%", "90%").replace("100%", "900%")),
      },
      { "perf-gate.yml": config(WIDE) },
    );
    const { log } = await run(made, "pull_request", "perf.yml");
    expect(log).toContain("the workflow says verdict=[regression]");
    expect(log).toMatch(/the head changes its configuration|edited/i);
  });

  test("with a new endpoint: shown, not judged", async () => {
    const made = caller(
      {
        "routes.php": routes({ "/": 4000, "/new": 4000 }),
        "perf-gate.yml": config(
          WIDE.replace("levels: [4] }", "levels: [4] }, { name: added, path: /new, levels: [4] }"),
        ),
      },
      { "perf-gate.yml": config(WIDE) },
    );
    const { log } = await run(made, "pull_request", "perf.yml");
    expect(log).toContain("the workflow says verdict=[pass] result=[success]");
    expect(made.artifact("summary.md").toString()).toMatch(/added/);
  });
});

describe.skipIf(act === null)("by the action, in a job of the caller", { timeout: 300_000 }, () => {
  test("too little time: inconclusive, green, and a warning", async () => {
    const made = caller({ "README.md": "hello\n" }, { "perf-gate.yml": config(HOME) });
    const { status, log, commands } = await run(made, "pull_request", "own-job.yml");
    expect(log).toContain(
      "the action says verdict=[inconclusive] outcome=[success] report=[report.md] comparison=[comparison.json] work-directory=[perf-gate]",
    );
    expect(status).toBe(0);
    expect(commands.join("\n")).toContain("::warning");
  });

  test("a broken configuration: every mistake with its line, nothing started", async () => {
    const broken = `${config(HOME)}gate: { max-qps-drop: fast }\nbudgets: 3m\n`;
    const made = caller({ "README.md": "hello\n" }, { "perf-gate.yml": broken });
    const { status, log, commands } = await run(made, "pull_request", "own-job.yml");
    expect(status).not.toBe(0);
    expect(log).toContain("the action says verdict=[] outcome=[failure]");
    expect(log).toMatch(/perf-gate\.yml:4:\d+: gate\.max-qps-drop/);
    expect(log).toMatch(/perf-gate\.yml:5:\d+: unknown key.*budgets/);
    expect(commands.join("\n")).toContain("perf-gate.yml: 2 problems");
    expect(log).not.toContain("Run Main Set up");
  });

  test("a push is compared with what was there before", async () => {
    const made = caller({ "README.md": "hello\n" }, { "perf-gate.yml": config(WIDE) });
    const payload = {
      before: made.base,
      after: made.merge,
      ref: "refs/heads/main",
      repository: { full_name: "acme/shop" },
    };
    const { log } = await run(made, "push", "own-job.yml", payload);
    expect(log).toContain(`base       ${made.base.slice(0, 12)}`);
    expect(log).toMatch(/the action says verdict=\[(pass|inconclusive)\]/);
  });
});

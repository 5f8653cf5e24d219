import { describe, expect, test } from "vitest";
import { actRig, NO_ROUND, PATIENCE, PUSHED } from "./rig.ts";

const { act, caller, apiOf, run } = actRig();

const routes = (times: Record<string, number>): string =>
  `<?php\n\nreturn [\n${Object.entries(times)
    .map(([path, us]) => `    '${path}' => ${us},\n`)
    .join("")}];\n`;
const config = (lines: string): string => `target: { driver: process, root: public, php: { workers: 4 } }\n${lines}\n`;
const HOME = "scenarios: [{ name: home, path: /, levels: [4] }]";
/** The shortest rounds, all of which count on a busy machine too; the budget is for one that is slow. */
const QUICK = config(`${HOME}\nmeasure: { slot: 1s, warm-up: 1s, max-foreign-cpu: off }\nbudget: 6m`);

const errors = (commands: readonly string[]): string[] => commands.filter((command) => command.startsWith("::error"));

describe.skipIf(act === null)("a pull request, by the reusable workflow", { timeout: PATIENCE }, () => {
  test("as fast as before, with a new endpoint: not red, the endpoint is shown, one comment", async () => {
    // As few rounds as there can be.
    const short = QUICK.replace("max-foreign-cpu", "rounds: 6, max-foreign-cpu");
    const wide = `${short}gate: { max-qps-drop: 20%, max-p99-rise: 100% }\n`;
    const added = wide.replace("levels: [4] }", "levels: [4] }, { name: added, path: /new, levels: [4] }");
    const made = caller({ "routes.php": routes({ "/": 4000, "/new": 4000 }) }, { "perf-gate.yml": added });
    const api = await apiOf(made);
    const { log, commands, summary } = await run(made, "pull_request", "perf.yml", { api });
    expect(log).toContain("head       #7");
    // Noise may leave it undecided, and makes nothing red.
    expect(log).toMatch(/the workflow says verdict=\[(pass|inconclusive)\] result=\[success\]/);
    expect(errors(commands)).toEqual([]);
    expect(summary).toMatch(/added.*new/is);
    expect(api.state.comments).toHaveLength(1);
    expect(api.state.comments[0]).toMatchObject({ pull: 7, login: "github-actions[bot]" });
    expect(api.state.comments[0]?.body).toContain("home");
  });

  test("from a fork, slower, with wider margins of its own: red by the base's, at the line, a warning instead of a comment; perf-report.yml comments", async () => {
    const wider = `${QUICK}gate: { max-qps-drop: 90%, max-p99-rise: 900% }\n`;
    const made = caller({ "routes.php": routes({ "/": 9000 }), "perf-gate.yml": wider }, { "perf-gate.yml": QUICK });
    const foreign = { ...made.pull, headRepository: "stranger/shop" };
    const api = await apiOf(made, {
      pulls: [foreign],
      tokens: new Map([["test-token", { login: "github-actions[bot]", permissions: ["contents: read"] }]]),
    });
    const first = await run(made, "pull_request", "perf.yml", { api });
    expect(first.outputs["verdict"]).toBe("regression");
    expect(first.jobs).toMatchObject({ "perf/perf-gate/measure": "failure", "perf/perf-gate/comment": "success" });
    expect(errors(first.commands).join("\n")).toMatch(/file=perf-gate\.yml,line=2[,:]/);
    expect(first.summary).toContain("Slower");
    expect(first.summary).toContain("max-qps-drop");
    expect(first.commands.join("\n")).toMatch(/^::warning .*no comment/m);
    expect(api.state.comments).toEqual([]);

    const id = 31;
    const started = { id, event: "pull_request", headSha: made.head, headBranch: "change" };
    const trusted = await apiOf(made, {
      pulls: [foreign],
      runs: [{ ...started, headRepository: "stranger/shop", createdAt: PUSHED }],
      artifacts: [{ id: 1, run: id, name: "perf-gate", zip: made.artifact("perf-gate.zip"), expired: false }],
    });
    const payload = {
      action: "completed",
      workflow_run: {
        id,
        event: "pull_request",
        head_branch: "change",
        head_repository: { full_name: "stranger/shop" },
        pull_requests: [],
      },
      repository: { full_name: "octo/shop", default_branch: "main" },
    };
    const second = await run(made, "workflow_run", "perf-report.yml", { payload, api: trusted });
    expect(second.status).toBe(0);
    expect(trusted.state.comments).toHaveLength(1);
    expect(trusted.state.comments[0]?.body).toMatch(/Slower/);
    expect(trusted.state.comments[0]?.body).toContain("Measured by the code of this pull request");
  });

  test("more work than allowed: red by the counts; green once the label is set", async () => {
    const counted = config(`${HOME}\n${NO_ROUND}\nbudget: 30s\ngate: { max-added: { response-bytes: 0 } }`);
    const longer = "<?php\n\necho 'more than ok';\n";
    const made = caller({ "public/index.php": longer }, { "perf-gate.yml": counted });
    const label = "perf-regression-accepted";
    const api = await apiOf(made, {
      pulls: [{ ...made.pull, labels: [label] }],
      events: [{ pull: 7, event: "labeled", label, actor: "maintainer", at: "2026-03-04T11:00:00Z" }],
    });
    const payload = made.pullRequest({ action: "labeled", label: { name: label } });
    const { log, commands, summary } = await run(made, "pull_request", "perf.yml", { payload, api });
    expect(log).toContain("the workflow says verdict=[regression] result=[success]");
    expect(log).toContain("Accepted by maintainer");
    expect(errors(commands)).toEqual([]);
    expect(summary).toContain("More work per request");
    expect(summary).toContain("maintainer");
    expect(api.state.comments[0]?.body).toContain("maintainer");
  });
});

describe.skipIf(act === null)("the action, in a job of the caller", { timeout: PATIENCE }, () => {
  test("a push, with too little time: compared with what was there before; undecided, green, and a warning", async () => {
    const made = caller({ "README.md": "hello\n" }, { "perf-gate.yml": config(`${HOME}\n${NO_ROUND}`) });
    const payload = { before: made.base, after: made.merge, ref: "refs/heads/main" };
    const { status, log, commands } = await run(made, "push", "own-job.yml", { payload });
    expect(log).toContain(`base       ${made.base.slice(0, 12)}`);
    expect(log).toContain("at most the budget of 30 s");
    expect(log).toContain(
      "the action says verdict=[inconclusive] outcome=[success] report=[report.md] comparison=[comparison.json] work-directory=[perf-gate]",
    );
    expect(status).toBe(0);
    expect(commands.join("\n")).toContain("::warning");
  });

  test("a broken configuration: every mistake with its line, nothing started", async () => {
    const broken = `${QUICK}gate: { max-qps-drop: fast }\nbudgets: 3m\n`;
    const made = caller({ "README.md": "hello\n" }, { "perf-gate.yml": broken });
    const { status, log, commands } = await run(made, "pull_request", "own-job.yml");
    expect(status).not.toBe(0);
    expect(log).toContain("the action says verdict=[] outcome=[failure]");
    expect(log).toMatch(/perf-gate\.yml:5:\d+: gate\.max-qps-drop/);
    expect(log).toMatch(/perf-gate\.yml:6:\d+: unknown key.*budgets/);
    expect(errors(commands).join("\n")).toContain("perf-gate.yml: 2 problems");
    expect(log).not.toContain("Run Main Set up");
  });

  test("a service that cannot be prepared: red and why, nothing is left running", async () => {
    const failing = QUICK.replace("root: public", "root: public, prepare: ['echo no database >&2; exit 3']");
    const made = caller({ "README.md": "hello\n" }, { "perf-gate.yml": failing });
    const { status, log, commands } = await run(made, "pull_request", "own-job.yml");
    expect(status).not.toBe(0);
    expect(log).toContain("outcome=[failure]");
    expect(errors(commands).join("\n")).toMatch(/prepare.*no database/s);
    expect(log).toContain("Success - Main Clean up");
    expect(log).not.toContain("Run Main Verdict");
  });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { comparePhase } from "../../src/phases/compare.ts";
import { githubGate, githubReport } from "../../src/phases/github.ts";
import { githubComment } from "../../src/phases/github-comment.ts";
import { WorkDirectory } from "../../src/phases/work-directory.ts";
import { blocks } from "../core/support.ts";
import type { ApiServer, State } from "./api-server/server.ts";
import { BASE_CONFIG, inOrder, type RunFiles, soundRun, textOf } from "./trust/support.ts";
import { zipOf } from "./trust/zip.ts";
import { BASE, BOT, HEAD, OLDER, PUSHED, pull, startServer } from "./world.ts";

const HOME = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const LABEL = "perf-regression-accepted";
const AFTER = "2026-03-04T10:20:00Z";

let directory: string;
let server: ApiServer;
let env: Record<string, string>;
let log: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-github-"));
  server = await startServer();
  writeFileSync(join(directory, "summary.md"), "");
  writeFileSync(join(directory, "output"), "");
  env = {
    GITHUB_API_URL: server.url,
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: "octo/shop",
    GITHUB_RUN_ID: "77",
    GITHUB_TOKEN: "test-token",
    GITHUB_STEP_SUMMARY: join(directory, "summary.md"),
    GITHUB_OUTPUT: join(directory, "output"),
  };
  event({ action: "synchronize" });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  log = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    log += text;
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
  expect(server.violations).toEqual([]);
});

function event(over: object, name = "pull_request"): void {
  env["GITHUB_EVENT_NAME"] = name;
  env["GITHUB_EVENT_PATH"] = join(directory, "event.json");
  const payload = { pull_request: { number: 12, updated_at: PUSHED, head: { sha: HEAD } }, ...over };
  writeFileSync(env["GITHUB_EVENT_PATH"], JSON.stringify(payload));
}

/** A run, confirmed on fresh replicas where it is red. */
function runOf(ratio: number, over: Parameters<typeof soundRun>[0] = {}): RunFiles {
  const run = soundRun({ ratio, ...over });
  if (ratio > 0.9) return run;
  const pilots = run.lines.flatMap((line) => (line.kind === "pilot" ? line.cells : []));
  const again = blocks(run.plan, { blocks: 8, firstBlock: 8, stage: "confirm", seed: 2, ratio: () => ratio });
  const tests = run.plan.cells.map(({ id }) => `${id}/qps`);
  const stop = run.lines.length - 1;
  const lines = [{ kind: "confirm" as const, tests: [...tests, "overall"] }, ...inOrder(run.plan, pilots, again)];
  return { ...run, lines: run.lines.toSpliced(stop, 0, ...lines) };
}

/** A work directory after `compare`; the head's tree has the configuration. */
function measured(ratio: number): WorkDirectory {
  const tree = join(directory, "tree");
  mkdirSync(tree, { recursive: true });
  writeFileSync(join(tree, "perf-gate.yml"), BASE_CONFIG);
  const arms = (label: string) => ({ label, directory: tree, commit: null, repository: null, image: null });
  const run = runOf(ratio, { over: () => ({ arms: { base: arms("main"), head: arms("#12") } }) });
  const work = new WorkDirectory(join(directory, "work"));
  work.begin();
  work.writeJson("plan", run.plan);
  work.writeJson("census", run.census);
  work.writeJson("environment", run.environment);
  work.appendSamples(run.lines);
  comparePhase(work);
  return work;
}

function label(at = AFTER): void {
  server.state.pulls = [pull({ labels: [LABEL] })];
  server.state.events = [{ pull: 12, event: "labeled", label: LABEL, actor: "anna", at }];
}

const outputs = () => readFileSync(env["GITHUB_OUTPUT"] ?? "", "utf8");
const summary = () => readFileSync(env["GITHUB_STEP_SUMMARY"] ?? "", "utf8");

describe("github report", () => {
  test("red: errors at the lines of the scenarios, the report as summary, the outputs", async () => {
    const work = measured(0.8);
    expect(await githubReport(work, HOME, env)).toContain("Slower");
    const commands = log.split("\n").filter((line) => line.startsWith("::"));
    expect(commands).toEqual([
      expect.stringMatching(
        /^::error title=perf-gate%3A shop at 20 VUs is slower,file=perf-gate.yml,line=2::“shop” at/,
      ),
      expect.stringMatching(
        /^::error title=perf-gate%3A cart at 20 VUs is slower,file=perf-gate.yml,line=3::“cart” at/,
      ),
      expect.stringMatching(/^::error title=perf-gate%3A shop at 1 VU is slower,file=perf-gate.yml,line=2::.* fewer/),
    ]);
    expect(summary()).toBe(readFileSync(work.file("report.md"), "utf8"));
    const lines = outputs().split("\n");
    for (const [name, value] of [
      ["verdict", "regression"],
      ["work-directory", work.path],
      ["report", work.file("report.md")],
      ["comparison", work.file("comparison.json")],
    ] as const) {
      const at = lines.findIndex((line) => line.startsWith(`${name}<<`));
      expect(lines[at + 1]).toBe(value);
    }
  });

  test("green: no annotation", async () => {
    await githubReport(measured(1), HOME, env);
    expect(log).not.toContain("::error");
    expect(summary()).toMatch(/^## 🟢 Not slower/);
    expect(server.requests).toEqual([]);
  });

  test("inconclusive: warnings", async () => {
    await githubReport(measured(0.95), HOME, env);
    expect(log).toMatch(/^::warning title=perf-gate::Undecided/m);
    expect(log).not.toContain("::error");
  });

  test("accepted: notices, and who accepted it in the summary", async () => {
    label();
    await githubReport(measured(0.8), HOME, env);
    expect(log).not.toContain("::error");
    expect(log).toContain("::notice title=perf-gate%3A shop");
    expect(summary()).toContain("## 🟡 Accepted. Slower");
    expect(summary()).toContain("**Accepted by anna**");
  });

  test("no token, no question", async () => {
    await githubReport(measured(0.8), HOME, { ...env, GITHUB_TOKEN: "" });
    expect(server.requests).toEqual([]);
  });

  test("nothing compared yet", async () => {
    const work = new WorkDirectory(join(directory, "empty"));
    work.begin();
    await expect(githubReport(work, HOME, env)).rejects.toThrow(InputError);
  });
});

describe("github gate", () => {
  test.each([
    ["green", 1, 0],
    ["red", 0.8, 1],
    ["undecided", 0.95, 0],
  ])("%s", async (_, ratio, status) => {
    expect((await githubGate(measured(ratio), env)).status).toBe(status);
  });

  test("red, accepted for this commit", async () => {
    label();
    const { status, text } = await githubGate(measured(0.8), env);
    expect(status).toBe(0);
    expect(text).toContain('Accepted by anna, who set the label "perf-regression-accepted"');
  });

  test.each([
    [
      "on-change of label: the job that the label started",
      { action: "labeled", label: { name: LABEL } },
      "2026-03-04T09:00:00Z",
      0,
    ],
    ["another label started the job", { action: "labeled", label: { name: "wip" } }, "2026-03-04T09:00:00Z", 1],
  ])("%s", async (_, over, at, status) => {
    label(at);
    event(over);
    expect((await githubGate(measured(0.8), env)).status).toBe(status);
  });

  test("red, the label is older than the commit: why it does not count", async () => {
    label("2026-03-04T09:00:00Z");
    const { status, text } = await githubGate(measured(0.8), env);
    expect(status).toBe(1);
    expect(text).toContain("does not count: it was set before aaaaaaa was there");
  });

  test("red, and GitHub does not answer: red", async () => {
    label();
    server.state.tokens.set("test-token", { login: BOT, permissions: ["contents: read"] });
    const { status, text } = await githubGate(measured(0.8), env);
    expect(status).toBe(1);
    expect(text).toContain("Whether the regression was accepted is not known: cannot read pull request #12");
    expect(text).toContain("pull-requests: read");
  });

  test("red, on a push: no label can help, and none is suggested", async () => {
    event({}, "push");
    const { status, text } = await githubGate(measured(0.8), env);
    expect(status).toBe(1);
    expect(text).not.toContain("label");
    expect(server.requests).toEqual([]);
  });

  test("accept-label: none", async () => {
    label();
    expect((await githubGate(measured(0.8), { ...env, INPUT_ACCEPT_LABEL: "none" })).status).toBe(1);
  });
});

describe("github comment", () => {
  /** The run that measured, its artifact, and the base's configuration, as GitHub has them. */
  function uploaded(ratio: number, repository = "octo/shop", commit = HEAD): void {
    const files = textOf(runOf(ratio));
    const zip = zipOf([
      { name: "plan.json", content: files.plan },
      { name: "census.json", content: files.census ?? "" },
      { name: "environment.json", content: files.environment ?? "" },
      { name: "samples.ndjson", content: files.samples ?? "" },
    ]);
    const { state } = server;
    state.pulls = [pull({ headRepository: repository, headSha: HEAD })];
    state.runs = [
      {
        id: 77,
        event: "pull_request",
        headSha: commit,
        headBranch: "faster-orders",
        headRepository: repository,
        createdAt: PUSHED,
      },
    ];
    state.artifacts = [{ id: 5, run: 77, name: "perf-gate", zip, expired: false }];
    state.files.set(`${BASE}:.github/perf-gate.yml`, BASE_CONFIG);
  }
  const run = { kind: "run", id: 77 } as const;
  const body = () => server.state.comments[0]?.body ?? "";

  test("of a fork, with the permissions of perf-report.yml and no other event's payload", async () => {
    uploaded(0.8, "stranger/shop");
    event({ workflow_run: {} }, "workflow_run");
    const permissions = ["actions: read", "contents: read", "pull-requests: write"];
    server.state.tokens.set("test-token", { login: BOT, permissions });
    expect(await githubComment(run, env)).toBe("created the comment on #12: regression");
    expect(body()).toMatch(/^<!-- perf-gate comment=perf-gate runs=a{40}:regression:77 -->\n## 🔴 Slower/);
    expect(body()).toContain(
      "who runs it can forge the numbers, but not this text, the verdict they lead to, or what is allowed.",
    );
    expect(body()).toContain("perf-gate: aaaaaaa against main");
    expect(body()).toContain("(https://github.example/octo/shop/actions/runs/77)");
    expect(log).toBe("");
  });

  test("of the same job, from the zip that download-artifact left, without actions: read", async () => {
    uploaded(1);
    server.state.tokens.set("test-token", { login: BOT, permissions: ["contents: read", "pull-requests: write"] });
    const path = join(directory, "measured");
    mkdirSync(path);
    writeFileSync(join(path, "perf-gate.zip"), server.state.artifacts[0]?.zip ?? "");
    expect(await githubComment({ kind: "directory", path }, env)).toBe("created the comment on #12: pass");
    expect(body()).not.toContain("forge");
  });

  test("again: the same comment, with the run before", async () => {
    uploaded(0.8);
    await githubComment(run, env);
    uploaded(1);
    server.state.runs = server.state.runs.map((one) => ({ ...one, id: 78 }));
    server.state.artifacts = server.state.artifacts.map((one) => ({ ...one, run: 78 }));
    expect(await githubComment({ kind: "run", id: 78 }, env)).toBe("updated the comment on #12: pass");
    expect(server.state.comments).toHaveLength(1);
    expect(body()).toContain("Last runs: 🔴 [aaaaaaa]");
  });

  test("accepted", async () => {
    uploaded(0.8);
    server.state.pulls = [pull({ labels: [LABEL] })];
    server.state.events = [{ pull: 12, event: "labeled", label: LABEL, actor: "anna", at: AFTER }];
    await githubComment(run, env);
    expect(body()).toContain(`runs=${HEAD}:regression+accepted:77`);
    expect(body()).toContain("## 🟡 Accepted. Slower");
  });

  test("several configurations, several comments", async () => {
    uploaded(1);
    const [artifact] = server.state.artifacts;
    if (artifact !== undefined) server.state.artifacts.push({ ...artifact, id: 6, name: "api" });
    await githubComment(run, env);
    await githubComment(run, { ...env, INPUT_ARTIFACT: "api" });
    expect(server.state.comments).toHaveLength(2);
  });

  test.each<[string, (state: State) => Partial<State>, string]>([
    ["a newer commit", () => ({ pulls: [pull({ headSha: OLDER })] }), "aaaaaaa is no longer the newest commit"],
    ["closed", () => ({ pulls: [pull({ state: "closed" })] }), "no open pull request has aaaaaaa as its head"],
    [
      "two pull requests of one branch",
      () => ({ pulls: [pull(), pull({ number: 13, baseRef: "v2" })] }),
      "aaaaaaa is the head of several pull requests: #12, #13",
    ],
    [
      "the same branch name and commit in another repository",
      () => ({ pulls: [pull({ headRepository: "octo/other" })] }),
      "no open pull request has aaaaaaa as its head",
    ],
    ["a run for a push", (s) => ({ runs: s.runs.map((one) => ({ ...one, event: "push" })) }), "run 77 is for push"],
    [
      "the fork is gone",
      (s) => ({ runs: s.runs.map((one) => ({ ...one, headRepository: null })) }),
      "the branch of run 77 is gone",
    ],
    ["no artifact", () => ({ artifacts: [] }), "run 77 has no artifact perf-gate"],
    [
      "an expired artifact",
      (s) => ({ artifacts: s.artifacts.map((one) => ({ ...one, expired: true })) }),
      "has expired",
    ],
  ])("nothing to say, no failure: %s", async (_, change, why) => {
    uploaded(0.8);
    Object.assign(server.state, change(server.state));
    expect(await githubComment(run, env)).toMatch(/^no comment: /);
    expect(await githubComment(run, env)).toContain(why);
    expect(server.state.comments).toEqual([]);
    expect(log).toBe("");
  });

  test.each<[string, (state: State) => Partial<State>, string]>([
    [
      "no right to comment",
      () => ({
        tokens: new Map([
          ["test-token", { login: BOT, permissions: ["actions: read", "contents: read", "pull-requests: read"] }],
        ]),
      }),
      "pull-requests: write",
    ],
    ["a wrong token", () => ({ tokens: new Map() }), "GitHub refuses the token"],
    [
      "a damaged artifact",
      (s) => ({ artifacts: s.artifacts.map((one) => ({ ...one, zip: new Uint8Array(100) })) }),
      "artifact",
    ],
    ["another configuration at the base", () => ({ files: new Map() }), "its cells are not those of the configuration"],
  ])("a warning, no failure: %s", async (_, change, why) => {
    uploaded(0.8);
    Object.assign(server.state, change(server.state));
    expect(await githubComment(run, env)).toBe("no comment: see the warning");
    expect(log).toMatch(/^::warning title=perf-gate%3A no comment::/);
    expect(decodeURIComponent(log)).toContain(why);
    expect(server.state.comments).toEqual([]);
  });

  test("comment: never asks nothing", async () => {
    expect(await githubComment(run, { ...env, INPUT_COMMENT: "never" })).toContain("comment: never");
    expect(server.requests).toEqual([]);
  });

  test("comment: on-regression", async () => {
    uploaded(1);
    const env2 = { ...env, INPUT_COMMENT: "on-regression" };
    expect(await githubComment(run, env2)).toBe("no comment is wanted for pass (comment: on-regression)");
  });

  test("without a token: what to write", async () => {
    await expect(githubComment(run, { ...env, GITHUB_TOKEN: "" })).rejects.toThrow(
      /GITHUB_TOKEN: \$\{\{ github\.token/,
    );
  });

  test("a directory with more than the zip", async () => {
    uploaded(1);
    expect(await githubComment({ kind: "directory", path: directory }, env)).toBe("no comment: see the warning");
    expect(decodeURIComponent(log)).toContain("should hold one zip and nothing else");
  });
});

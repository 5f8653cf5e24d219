import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Config, StoredBase } from "../../../src/core/model.ts";
import { cellsOf } from "../../../src/core/plan.ts";
import { type HistoryRecord, recordId, recordOf, suiteOf } from "../../../src/core/record.ts";
import { openStore } from "../../../src/history/store.ts";
import { githubComment } from "../../../src/phases/github-comment.ts";
import { type Intake, type Trusted, usesRecords } from "../../../src/phases/intake.ts";
import { sha256 } from "../../../src/phases/work-directory.ts";
import type { ApiServer } from "../api-server/server.ts";
import { BASE, HEAD, PUSHED, pull, startServer } from "../world.ts";
import {
  BASE_CONFIG,
  everyText,
  forged,
  HOSTILE,
  outcome,
  type RunFiles,
  soundRun,
  TRUSTED,
  textOf,
} from "./support.ts";
import { zipOf } from "./zip.ts";

const CONFIG = `${BASE_CONFIG}baseline: { anchor: v1.4.0 }\n`;
const ANCHOR = "d".repeat(40);

/** What a run against the anchor says of itself. */
function storedBase(config: Config): StoredBase {
  const suites = cellsOf(config).flatMap((cell) => {
    const scenario = config.scenarios.find(({ name }) => name === cell.scenario);
    return scenario ? [[cell.id, suiteOf(cell, scenario, null, sha256)] as const] : [];
  });
  return {
    anchor: { label: HOSTILE, id: ANCHOR },
    store: HOSTILE,
    branch: HOSTILE,
    suites: Object.fromEntries(suites),
  };
}

function storedRun(ratio = 1): RunFiles {
  const run = soundRun({ config: CONFIG, ratio, over: (config) => ({ stored: storedBase(config) }) });
  const lines = run.lines.map((line) => (line.kind === "stop" ? { ...line, reason: "cap" as const } : line));
  return { ...run, lines };
}

/** The records of unchanged commits, as a trusted job has made them. */
function records(count: number, branch = "main"): HistoryRecord[] {
  return Array.from({ length: count }, (_, i) => {
    const run = storedRun();
    const environment = { ...run.environment, startedAt: `2025-12-0${i + 1}T02:00:00.000Z` };
    const facts = { commit: "c".repeat(40), committedAt: null, branch, url: null };
    const record = { ...recordOf({ ...run, environment }, facts, sha256), anchor: { label: "v1.4.0", id: ANCHOR } };
    return { ...record, id: recordId(record, sha256) };
  });
}

const TRUSTED_STORED: Trusted = {
  ...TRUSTED,
  config: CONFIG,
  history: { missing: false, records: records(5), store: "git:perf-gate-data", branch: "main" },
};

function judged(result: Intake | string): Intake {
  if (typeof result === "string") throw new Error(`refused: ${result}`);
  return result;
}

describe("a run that was compared with records", () => {
  test("is judged by the records of the trusted job, under names of its own", () => {
    const { comparison, plan } = judged(outcome(textOf(storedRun()), TRUSTED_STORED));
    expect(comparison.verdict).toBe("pass");
    expect(comparison.stored).toMatchObject({
      anchor: { label: "v1.4.0", id: ANCHOR },
      branch: "main",
      store: "git:perf-gate-data",
    });
    expect(comparison.arms.base).toEqual({ label: "v1.4.0", commit: ANCHOR });
    expect(plan.arms.head.commit).toBe("a".repeat(40));
    const slower = judged(outcome(textOf(storedRun(0.6)), TRUSTED_STORED));
    expect(slower.comparison.verdict).toBe("regression");
  });

  test("is refused where nobody read the records, or they are relative to another anchor than the base names", () => {
    const { history: _, ...without } = TRUSTED_STORED;
    expect(usesRecords(textOf(storedRun()))).toBe("judged");
    expect(usesRecords(textOf(soundRun()))).toBeNull();
    expect(outcome(textOf(storedRun()), without)).toBe(
      "plan.json of the run cannot be used: it was compared with stored records, which are not read here",
    );
    const other = forged(storedRun(), () => ({ own: {} }));
    for (const [run, trusted] of [
      [storedRun(), { ...TRUSTED_STORED, config: BASE_CONFIG }],
      [other, TRUSTED_STORED],
    ] as const)
      expect(outcome(textOf(run), trusted)).toBe(
        "plan.json of the run cannot be used: it was measured against another anchor than that of the configuration at the base",
      );
  });

  test("whose head was started as a variant is refused", () => {
    const config = CONFIG.replace("v1.4.0", "reference");
    const own = (head: object) =>
      forged(storedRun(), ({ config: { target } }) => ({ own: { base: { target }, ...head } }));
    const trusted = { ...TRUSTED_STORED, config };
    expect(judged(outcome(textOf(own({})), trusted)).plan.stored?.anchor.label).toBe("reference application");
    expect(outcome(textOf(own({ head: {} })), trusted)).toMatch(/not started alike/);
  });

  test("has no margins, no noise and no history of its own", () => {
    const own = forged(storedRun(0.6), ({ config }) => ({
      config: { ...config, baseline: { ...config.baseline, maxQpsDrop: 0.99, maxP99Rise: 10, noise: 0.5 } },
    }));
    const files = {
      ...textOf(own),
      history: JSON.stringify({ version: 1, planId: own.plan.id, missing: false, records: [] }),
    };
    expect(judged(outcome(files, TRUSTED_STORED)).comparison.verdict).toBe("regression");
  });

  test("cannot choose the suite of a request: only an anchor of another id parts it from the records", () => {
    const suites = (plan: RunFiles["plan"]) => Object.fromEntries(plan.cells.map(({ id }) => [id, "0".repeat(12)]));
    const own = forged(storedRun(0.6), (plan) => ({ stored: { ...plan.stored, suites: suites(plan) } }));
    expect(judged(outcome(textOf(own), TRUSTED_STORED)).comparison.verdict).toBe("regression");
    const other = forged(storedRun(0.6), (plan) => ({
      stored: { ...plan.stored, anchor: { label: "x", id: "e".repeat(40) } },
    }));
    expect(judged(outcome(textOf(other), TRUSTED_STORED)).comparison.verdict).toBe("inconclusive");
  });

  test.each([
    ["an anchor that is no hash", { anchor: { label: "x", id: HOSTILE } }],
    ["a suite that is no hash", { suites: { "shop @1": HOSTILE } }],
    ["no suites", { suites: undefined }],
    ["a number", 7],
  ])("%s is refused", (_, over) => {
    const own = forged(storedRun(), (plan) => ({
      stored: typeof over === "number" ? over : { ...plan.stored, ...over },
    }));
    expect(outcome(textOf(own), TRUSTED_STORED)).toMatch(/^plan.json of the run cannot be used: stored/);
  });

  test("nothing that it said is shown", () => {
    expect(everyText(judged(outcome(textOf(storedRun(0.6)), TRUSTED_STORED)))).not.toContain(HOSTILE);
  });
});

/** A run with a measured base that says it had records beside it; all that it says of them is a stranger's. */
function besideRun(ratio = 1, config = CONFIG): RunFiles {
  const beside = (own: Config) => ({ ...storedBase(own), unread: HOSTILE });
  return soundRun({ config, ratio, over: (own) => ({ beside: beside(own) }) });
}

describe("a run that was shown beside records", () => {
  test("is shown beside those of the trusted job, and judged without them", () => {
    expect(usesRecords(textOf(besideRun()))).toBe("beside");
    const { comparison, plan } = judged(outcome(textOf(besideRun()), TRUSTED_STORED));
    expect(comparison.beside).toMatchObject({ since: "v1.4.0", branch: "main", store: "git:perf-gate-data" });
    expect(comparison.beside?.records).toHaveLength(5);
    expect(comparison.cells.map(({ since }) => since?.qps.n)).toEqual([5, 5, 5]);
    expect(plan.beside?.unread).toBeUndefined();
    const alone = judged(outcome(textOf(besideRun()), TRUSTED)).comparison;
    expect(alone.beside).toBeUndefined();
    expect([comparison.verdict, comparison.reasons, comparison.tests]).toEqual([
      alone.verdict,
      alone.reasons,
      alone.tests,
    ]);
  });

  test("brings neither records nor suites, whatever it calls them", () => {
    const history = JSON.stringify({ version: 1, planId: "x", missing: false, records: records(9) });
    const suites = Object.fromEntries(besideRun().plan.cells.map(({ id }) => [id, "0".repeat(12)]));
    const own = forged(besideRun(), (plan) => ({ beside: { ...plan.beside, suites } }));
    for (const run of [own, forged(besideRun(), () => ({ beside: HOSTILE })), soundRun({ config: CONFIG })]) {
      const files = { ...textOf(run), history };
      expect(judged(outcome(files, TRUSTED_STORED)).comparison.beside?.records).toHaveLength(5);
      expect(judged(outcome(files, { ...TRUSTED, config: CONFIG })).comparison.beside).toBeUndefined();
    }
  });

  test("has nothing beside a flow, whose text the trusted job does not have", () => {
    const config = CONFIG.replace("path: /cart", "flow: cart.js");
    const { cells } = judged(outcome(textOf(besideRun(1, config)), { ...TRUSTED_STORED, config })).comparison;
    expect(cells.map(({ since }) => since === null)).toEqual([false, false, true]);
  });
});

describe("the comment of such a run", () => {
  let directory: string;
  let server: ApiServer;
  let env: Record<string, string>;
  let log: string;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "perf-gate-stored-comment-"));
    server = await startServer();
    // The repository octo/shop of a server whose pages are files: git fetches from there.
    mkdirSync(join(directory, "octo"), { recursive: true });
    execFileSync("git", ["init", "--quiet", "--bare", join(directory, "octo/shop")]);
    writeFileSync(join(directory, "event.json"), JSON.stringify({ workflow_run: {} }));
    env = {
      PATH: process.env["PATH"] ?? "",
      GITHUB_API_URL: server.url,
      GITHUB_SERVER_URL: `file://${directory}`,
      GITHUB_REPOSITORY: "octo/shop",
      GITHUB_RUN_ID: "99",
      GITHUB_TOKEN: "test-token",
      GITHUB_EVENT_NAME: "workflow_run",
      GITHUB_EVENT_PATH: join(directory, "event.json"),
    };
    log = "";
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      log += text;
      return true;
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
    expect(server.violations).toEqual([]);
  });

  function uploaded(ratio: number, config = CONFIG, files = textOf(storedRun(ratio))): void {
    const zip = zipOf([
      { name: "plan.json", content: files.plan },
      { name: "census.json", content: files.census ?? "" },
      { name: "environment.json", content: files.environment ?? "" },
      { name: "samples.ndjson", content: files.samples ?? "" },
      { name: "history.json", content: `{"records":"${HOSTILE}"}` },
    ]);
    const { state } = server;
    state.pulls = [pull({ headRepository: "stranger/shop" })];
    const headRepository = "stranger/shop";
    state.runs = [
      { id: 77, event: "pull_request", headSha: HEAD, headBranch: "faster-orders", headRepository, createdAt: PUSHED },
    ];
    state.artifacts = [{ id: 5, run: 77, name: "perf-gate", zip, expired: false }];
    state.files.set(`${BASE}:.github/perf-gate.yml`, config);
  }
  const run = { kind: "run", id: 77 } as const;
  const body = () => server.state.comments[0]?.body ?? "";
  const store = () => openStore(`git:perf-gate-data@file://${join(directory, "octo/shop")}`, { directory, env });

  test("is decided by the records of the repository itself", async () => {
    await store().append(records(5));
    uploaded(0.6);
    expect(await githubComment(run, env)).toBe("created the comment on #12: regression");
    expect(body()).toContain("against 5 records of main");
    expect(body()).not.toContain(HOSTILE);
  });

  test("is undecided while the repository has none", async () => {
    uploaded(0.6);
    expect(await githubComment(run, env)).toBe("created the comment on #12: inconclusive");
    expect(body()).toContain("the store has no record yet");
  });

  test("shows them beside a base that was measured", async () => {
    await store().append(records(5));
    uploaded(1, CONFIG, textOf(besideRun()));
    expect(await githubComment(run, env)).toBe("created the comment on #12: pass");
    expect(body()).toContain("Since v1.4.0: with 5 records of main, newest ccccccc of 2025-12-05; shown, not judged.");
    expect(body()).not.toContain(HOSTILE);
  });

  test.each([
    ["the repository has none", CONFIG],
    [
      "they are in a file of the measuring job",
      `${BASE_CONFIG}baseline: { anchor: v1.4.0, store: perf/history.ndjson }\n`,
    ],
    ["they are of another branch than the base", `${BASE_CONFIG}baseline: { anchor: v1.4.0, branch: release }\n`],
    ["the store is none", `${BASE_CONFIG}baseline: { anchor: v1.4.0, store: "git:a@nowhere" }\n`],
  ])("shows none where %s", async (_, config) => {
    if (config.includes("release")) await store().append(records(5, "release"));
    uploaded(1, config, textOf(besideRun()));
    expect(await githubComment(run, env)).toBe("created the comment on #12: pass");
    expect(body()).not.toContain("since");
    expect(log).not.toContain("warning");
  });

  test("is not written where the records are in a file that only the measuring job has", async () => {
    uploaded(1, `${BASE_CONFIG}baseline: { anchor: v1.4.0, store: perf/history.ndjson }\n`);
    expect(await githubComment(run, env)).toBe("no comment: see the warning");
    expect(log).toContain("compared with records of perf/history.ndjson, which this job does not have");
  });
});

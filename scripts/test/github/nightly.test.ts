import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type RecordFigure, recordId } from "../../src/core/record.ts";
import { openStore } from "../../src/history/store.ts";
import { githubNightly } from "../../src/phases/github-nightly.ts";
import { sha256 } from "../../src/phases/work-directory.ts";
import { normals } from "../history-fixtures.ts";
import { commit } from "../nights.ts";
import type { ApiServer } from "./api-server/server.ts";
import { type RunFiles, soundRun, textOf } from "./trust/support.ts";
import { zipOf } from "./trust/zip.ts";
import { BOT, startServer } from "./world.ts";

const HOME = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const SERVER = "https://github.example";
const CONFIG = `scenarios:
  - { name: shop, path: /shop, levels: [1, 20] }
  - { name: cart, path: /cart, levels: [20] }
baseline: { anchor: v1.4.0 }
`;

const STORED = {
  anchor: { label: "v1.4.0", id: "e".repeat(40) },
  store: "git:perf-gate-data of origin",
  branch: "main",
  suites: {},
};

let directory: string;
let server: ApiServer;
let env: Record<string, string>;
let log: string;
const normal = normals(7);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-nightly-"));
  mkdirSync(join(directory, "octo"));
  execFileSync("git", ["init", "--quiet", "--bare", join(directory, "octo/shop")]);
  server = await startServer({ pulls: [] });
  writeFileSync(join(directory, "summary.md"), "");
  env = {
    PATH: process.env["PATH"] ?? "",
    GITHUB_API_URL: server.url,
    GITHUB_SERVER_URL: SERVER,
    // The repository on this machine stands for that of the server.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${directory}/.insteadOf`,
    GIT_CONFIG_VALUE_0: `${SERVER}/`,
    GITHUB_REPOSITORY: "octo/shop",
    GITHUB_RUN_ID: "77",
    GITHUB_TOKEN: "test-token",
    GITHUB_EVENT_NAME: "schedule",
    GITHUB_REF: "refs/heads/main",
    GITHUB_STEP_SUMMARY: join(directory, "summary.md"),
    INPUT_ARTIFACT: "perf-gate-nightly",
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

const time = (day: number, hour = 3) => new Date(Date.UTC(2026, 2, 1 + day, hour)).toISOString();
const store = () => openStore(`git:perf-gate-data@${SERVER}/octo/shop`, { directory, env });
const records = async () => (await store().read()).records;
const onBranch = (path: string) =>
  execFileSync("git", ["-C", join(directory, "octo/shop"), "show", `perf-gate-data:${path}`], { encoding: "utf8" });
const summary = () => readFileSync(env["GITHUB_STEP_SUMMARY"] ?? "", "utf8");
const issues = () => server.state.issues.map(({ number, state, title }) => `#${number} ${state} ${title}`);

/** What a night has measured: QPS of every cell against the anchor. */
function measured(day: number, level: number, config = CONFIG): RunFiles {
  const run = soundRun({ config, ratio: level, over: () => ({ stored: STORED }) });
  const machine = { ...run.environment.machine, cpuModel: "12th Gen Whatever" };
  return { ...run, environment: { ...run.environment, machine, startedAt: time(day) } };
}

interface NightOptions {
  level?: number;
  config?: string;
  /** Number of the commit; by default that of the day. */
  of?: number;
  home?: string;
  change?: (files: ReturnType<typeof textOf>) => Record<string, string>;
}

/** A night: measured, taken in, recorded. Nights differ by 1%. */
async function night(
  day: number,
  { level = 1, config = CONFIG, of = day, home = "/nowhere", change }: NightOptions = {},
) {
  env["GITHUB_SHA"] = commit(of);
  server.state.files.set(`${commit(of)}:perf-gate.yml`, config);
  const artifactDirectory = join(directory, `measured-${day}`);
  mkdirSync(artifactDirectory);
  const { plan, census, environment, samples } = (change ?? ((files) => files))(
    textOf(measured(day, level * Math.exp(0.01 * normal()), config)),
  );
  const files = {
    "plan.json": plan,
    "census.json": census,
    "environment.json": environment,
    "samples.ndjson": samples,
  };
  const entries = Object.entries(files).map(([name, content]) => ({ name, content: content ?? "" }));
  writeFileSync(join(artifactDirectory, "perf-gate-nightly.zip"), zipOf(entries));
  return await githubNightly({ artifactDirectory, output: join(directory, "trend") }, home, env, time(day, 4));
}

/** A night that measured nothing. */
async function darkNight(day: number) {
  env["GITHUB_SHA"] = commit(day);
  server.state.files.set(`${commit(day)}:perf-gate.yml`, CONFIG);
  const options = { artifactDirectory: join(directory, "none"), output: join(directory, "trend") };
  return await githubNightly(options, "/nowhere", env, time(day, 4));
}

async function nights(from: number, to: number, over: NightOptions = {}) {
  for (let day = from; day < to; day++) await night(day, over);
}

/** Records of nights [from, to) that are made from the first one's, which alone is measured. */
async function seed(from: number, to: number, { level = 1, config = CONFIG }: NightOptions = {}) {
  if (from === 0) await night(0, { config });
  const [first] = await records();
  if (first === undefined) throw new Error("nothing was recorded");
  const shifted = <Figure extends RecordFigure | null>(figure: Figure, by: number): Figure =>
    figure && { ...figure, head: figure.head * Math.exp(by), logRatio: figure.logRatio + by };
  const made = Array.from({ length: to - from }, (_, at) => {
    const [day, by] = [from + at, Math.log(level) + 0.01 * normal()];
    const cells = first.cells.map((cell) => ({
      ...cell,
      qps: shifted(cell.qps, by),
      latency: shifted(cell.latency, -by),
    }));
    const record = { ...first, recordedAt: time(day), commit: commit(day), cells };
    return { ...record, id: recordId(record, sha256) };
  });
  await store().append(from === 0 ? made.slice(1) : made);
}

describe("a night", () => {
  test("the first: its record and the page on a branch of their own, no issue", async () => {
    expect(await night(0, { home: HOME })).toMatch(/^recorded [0-9a-f]{16} in git:perf-gate-data of https:/);
    const [only, ...more] = await records();
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      commit: commit(0),
      branch: "main",
      recordedAt: time(0),
      url: `${SERVER}/octo/shop/actions/runs/77`,
      anchor: { label: "v1.4.0", id: "e".repeat(40) },
      conditions: { must: { cpuModel: "12th Gen Whatever" } },
    });
    expect(only?.cells.map(({ id }) => id)).toEqual(["shop @1", "shop @20", "cart @20"]);
    expect(onBranch("index.html")).toContain("charts/cell-1.svg");
    expect(onBranch("charts/cell-1.svg")).toContain("<svg");
    expect(JSON.parse(onBranch("trend.json"))).toMatchObject({ version: 1, branch: "main", records: 1 });
    expect(onBranch(".nojekyll")).toBe("");
    expect(summary()).toMatch(/^## Recorded \[00c0ffe\]\(.*\) against v1\.4\.0$/m);
    expect(issues()).toEqual([]);
    expect(log).toBe("");
  });
});

test("slower from one night on: an issue at once, which then says where it began, and is closed when it is over", async () => {
  await seed(0, 12);
  expect(issues()).toEqual([]);
  expect(await night(12, { level: 0.75 })).toMatch(/^opened #1: Slower at 0cc0ffe: 3 cells, most .* QPS −2\d/m);
  expect(issues()).toHaveLength(1);
  expect(server.state.issues[0]).toMatchObject({ login: BOT, labels: ["perf-gate"], state: "open" });
  expect(server.state.issues[0]?.body).toContain(`compare/${commit(11)}...${commit(12)}`);
  expect(server.state.issues[0]?.body).toContain(`perf-gate run --base-ref ${commit(11)}`);
  expect(summary()).toMatch(/- \[#1\]\(.*\/issues\/1\) opened: Slower at 0cc0ffe/);

  await seed(13, 18, { level: 0.75 });
  await night(18, { level: 0.75 });
  expect(issues()).toEqual([expect.stringMatching(/^#1 open Slower since 0cc0ffe: 3 cells, most/)]);
  expect(JSON.parse(onBranch("trend.json")).changePoints.length).toBeGreaterThan(0);

  await seed(19, 25);
  await night(25);
  expect(issues()).toEqual([expect.stringMatching(/^#1 closed Slower since 0cc0ffe/)]);
  expect(server.state.comments).toMatchObject([{ pull: 1, body: expect.stringMatching(/^It is over/) }]);
  expect(summary()).toMatch(
    /^- Faster since \[13c0ffe\]\(.*\): shop @.?1 QPS \+3\d\.\d% \(between .*\), .* and 2 more$/m,
  );
});

test("slower in one night alone: opened, and closed by the next one", async () => {
  await seed(0, 8);
  await night(8, { level: 0.7 });
  expect(issues()).toEqual([expect.stringMatching(/^#1 open Slower at 08c0ffe/)]);
  expect(await night(9)).toMatch(/^closed #1/m);
  expect(server.state.comments).toMatchObject([{ pull: 1, body: expect.stringContaining(`commit/${commit(9)}`) }]);
  expect(await night(10)).not.toContain("#1");
});

test("closed by somebody: stays closed, also once it is located", async () => {
  await seed(0, 12);
  await night(12, { level: 0.75 });
  for (const issue of server.state.issues) issue.state = "closed";
  await seed(13, 18, { level: 0.75 });
  await night(18, { level: 0.75 });
  expect(issues()).toEqual([expect.stringMatching(/^#1 closed/)]);
  expect(server.state.comments).toEqual([]);
  expect(server.state.issues[0]?.body).toMatch(/^<!-- perf-gate issue=perf-gate-nightly slower located /);
});

test("slower for more than twenty nights before anybody looked: on the page, and no issue", async () => {
  await seed(0, 8);
  await seed(8, 30, { level: 0.75 });
  await night(30, { level: 0.75 });
  expect(JSON.parse(onBranch("trend.json")).changePoints).not.toEqual([]);
  expect(issues()).toEqual([]);
});

test("the same commit slower than before: no range to blame", async () => {
  await seed(0, 8);
  await night(8, { level: 0.7, of: 7 });
  expect(server.state.issues[0]?.body).toContain("so no commit made it slower");
});

test("a token that may not write issues: a warning with the permission, the record is kept", async () => {
  await seed(0, 8);
  server.state.tokens.set("test-token", { login: BOT, permissions: ["contents: write", "issues: read"] });
  await night(8, { level: 0.7 });
  expect(log).toMatch(/^::warning title=perf-gate%3A issues::cannot open an issue: .*issues: write$/m);
  expect(summary()).toContain("> Cannot open an issue: the token may not do it");
  expect(await records()).toHaveLength(9);
  expect(issues()).toEqual([]);
});

describe("nights without a record", () => {
  test("are told from the fourth on by those that run and fail, and closed by two that do not", async () => {
    await seed(0, 3);
    for (const day of [3, 4, 5, 6])
      expect(await darkNight(day)).toMatch(
        /^no record: nothing was measured, or it could not be uploaded\ncharts [^\n]*$/,
      );
    expect(await darkNight(7)).toMatch(/^opened #1: The nightly benchmark left no record for 4 nights$/m);
    expect(await darkNight(8)).toMatch(/^updated #1: .* 5 nights$/m);
    expect(summary()).toMatch(/^## ⚪ No record$.*^> Nothing was measured, or it could not be uploaded\.$/ms);
    expect(await records()).toHaveLength(3);
    await night(9);
    expect(issues()).toEqual([expect.stringMatching(/^#1 open .* 6 nights$/)]);
    expect(await night(10)).toMatch(/^closed #1/m);
    expect(await night(11)).not.toContain("#1");
  });

  test("are told by the next one where nothing ran at all", async () => {
    await seed(0, 4);
    expect(await night(9)).toMatch(/^opened #1: The nightly benchmark left no record for 5 nights$/m);
    expect(server.state.issues[0]?.body).toContain("2026-03-05, 2026-03-06, 2026-03-07, 2026-03-08 and 2026-03-09");
    await nights(10, 12);
    expect(issues()).toEqual([expect.stringMatching(/^#1 closed/)]);
  });

  test("three are not worth one, nor is the first night", async () => {
    expect(await darkNight(0)).toBe("no record: nothing was measured, or it could not be uploaded");
    await nights(1, 3);
    await night(6);
    expect(issues()).toEqual([]);
  });
});

test("a night with too few clean rounds: no record, and why; the page is made", async () => {
  await night(0);
  const run = soundRun({ config: CONFIG, blocks: 2, over: () => ({ stored: STORED }) });
  expect(await night(1, { change: () => textOf(run) })).toMatch(/^no record: no cell has enough clean rounds/);
  expect(await records()).toHaveLength(1);
  expect(JSON.parse(onBranch("trend.json"))).toMatchObject({ records: 1, today: time(1, 4) });
});

test("names that would be markup are text, in issue, page and summary", async () => {
  const config = CONFIG.replace("name: cart", `name: '<img src=x onerror=alert(1)> @admin --> "|'`);
  await seed(0, 8, { config });
  await night(8, { level: 0.7, config });
  const { title = "", body = "" } = server.state.issues[0] ?? {};
  for (const text of [body, summary(), onBranch("index.html")]) expect(text).not.toMatch(/<img src=x|@admin/);
  for (const text of [body, onBranch("index.html")]) expect(text).toContain("onerror=alert(1)");
  expect(title).not.toContain("\n");
  expect(body.match(/-->/g)).toHaveLength(1);
});

describe("what is refused, and then nothing is written", () => {
  const refs = () => execFileSync("git", ["-C", join(directory, "octo/shop"), "for-each-ref"], { encoding: "utf8" });

  test.each([
    [
      "a store that ends with the job",
      { config: CONFIG.replace("anchor", "store: perf.ndjson, anchor") },
      /baseline\.store/,
    ],
    ["no anchor", { config: CONFIG.replace("{ anchor: v1.4.0 }", "{}") }, /another anchor/],
    [
      "a paired run",
      { change: (files: ReturnType<typeof textOf>) => ({ ...files, ...textOf(soundRun({ config: CONFIG })) }) },
      /anchor/,
    ],
    [
      "samples that are no numbers",
      { change: (files: ReturnType<typeof textOf>) => ({ ...files, samples: `${files["samples"]}{"kind":"x"}\n` }) },
      /samples/,
    ],
    [
      "other cells",
      { change: () => textOf(measured(0, 1, CONFIG.replace("name: cart", "name: basket"))) },
      /cells are not those/,
    ],
  ] as [string, NightOptions, RegExp][])("%s", async (_, options, message) => {
    await expect(night(0, options)).rejects.toThrow(message);
    expect(refs()).toBe("");
    expect(issues()).toEqual([]);
  });

  test.each(["GITHUB_TOKEN", "GITHUB_SHA", "GITHUB_REF"])("without %s", async (name) => {
    const without = { ...env, GITHUB_SHA: commit(0), [name]: "" };
    const options = { artifactDirectory: join(directory, "none"), output: join(directory, "trend") };
    await expect(githubNightly(options, HOME, without, time(0))).rejects.toThrow(
      "github nightly is for a job of a branch",
    );
  });
});

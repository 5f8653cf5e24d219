import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Comparison, SampleLine } from "../../src/core/model.ts";
import { BARE, home, TARGET, twoTrees } from "./rig.ts";

const launcher = join(home, "scripts/perf-gate");
/** Short slots, and no struck ones on a busy machine: these tests are about the program, not about the figures. */
const QUICK = "measure: { slot: 1s, warm-up: 1s, max-foreign-cpu: off }\n";
/** Sits on its margin, so that no verdict ends it early. */
const ENDLESS = "gate: { max-qps-drop: 0.01% }\nbudget: 12m\n";
const QUERY = 'scenarios: [{ name: five, path: "/queries?n=5&connection=persistent", levels: [20] }]\n';

/** How long something may take that takes seconds on a machine of one's own, ms. */
const PATIENCE = 200_000;

const directories: string[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGINT");
      await new Promise((resolve) => child.once("exit", resolve));
    }
  }
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** Two trees, a configuration and a work directory, and the options that name them. */
function setting(yaml: string, plant = "") {
  const { directory, base, head } = twoTrees(plant);
  directories.push(directory);
  const config = join(directory, "perf-gate.yml");
  writeFileSync(config, yaml);
  const work = join(directory, "work");
  return { directory, base, head, work, options: ["--base", base, "--head", head, "-c", config, "-w", work] };
}

function perfGate(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(launcher, args, { encoding: "utf8", timeout: 800_000 });
  return { status, stdout, stderr };
}

/** Starts perf-gate and collects what it says. */
function start(...args: string[]) {
  const child = spawn(launcher, args, { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  const said = { text: "" };
  child.stdout.on("data", (chunk) => {
    said.text += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said.text += chunk;
  });
  // Not "exit": what it said last may come later.
  let isOver = false;
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", (status) => {
      isOver = true;
      resolve(status);
    });
  });
  const says = async (pattern: RegExp) => {
    await expect.poll(() => isOver || pattern.test(said.text), { timeout: PATIENCE }).toBe(true);
    expect(said.text).toMatch(pattern);
  };
  return { child, said, exited, says };
}

const blocksIn = (lines: readonly SampleLine[]) => lines.filter(({ kind }) => kind === "block").length;

function samples(work: string): SampleLine[] {
  const text = readFileSync(join(work, "samples.ndjson"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** What the open files of a process are; none of one that is not there. */
function filesOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

/** Command lines of everything that still runs on behalf of a directory. */
function leftovers(directory: string): string[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return line.includes(directory) ? [line] : [];
      } catch {
        return [];
      }
    });
}

test("a planted N+1 is red, confirmed, counted, and told in words", () => {
  const { work, directory, options } = setting(`${TARGET}${QUERY}${QUICK}budget: 12m\n`, "n-plus-one");
  const { status, stdout } = perfGate("run", ...options);
  const comparison = JSON.parse(readFileSync(join(work, "comparison.json"), "utf8")) as Comparison;
  expect(comparison.verdict).toBe("regression");
  // Whichever of QPS and p99 was clear first.
  expect(comparison.cells[0]?.tests).toContainEqual(
    expect.objectContaining({ verdict: "regression", confirmation: "confirmed" }),
  );
  expect(comparison.census.find(({ count }) => count === "sqlStatements")?.head.exact).toBe(true);
  expect(comparison.stop?.reason).toBe("decided");
  expect(status).toBe(1);
  expect(stdout).toContain("Slower");
  for (const file of ["plan.json", "environment.json", "census.json", "report.md", "report.html", "results.csv"]) {
    expect(existsSync(join(work, file)), file).toBe(true);
  }
  expect(existsSync(join(work, "charts/rounds.svg"))).toBe(true);
  expect(leftovers(directory)).toEqual([]);

  // Every phase can be run again alone, and says the same.
  const before = readFileSync(join(work, "comparison.json"), "utf8");
  expect(perfGate("compare", "-w", work).status).toBe(1);
  expect(readFileSync(join(work, "comparison.json"), "utf8")).toBe(before);
  expect(perfGate("report", "-w", work).stdout).toContain("Slower");
  expect(perfGate("measure", "-w", work).stderr).toContain("already measured");
}, 900_000);

describe("a run that ends early", () => {
  test("by Ctrl-C keeps and reports what it has, leaves nothing behind, and is continued by measure", async () => {
    const { work, directory, options } = setting(`${TARGET}${QUERY}${QUICK}${ENDLESS}`);
    const run = start("run", ...options);
    await run.says(/block 1 /);

    // Meanwhile a second run says whom it waits for.
    const other = setting(`${TARGET}${QUERY}${QUICK}`);
    const second = start("run", ...other.options);
    await second.says(new RegExp(`another run \\(process ${run.child.pid}\\) is measuring on this machine`));
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(143);
    expect(leftovers(other.directory)).toEqual([]);

    run.child.kill("SIGINT");
    expect(await run.exited).toBe(130);
    expect(leftovers(directory)).toEqual([]);
    const lines = samples(work);
    expect(blocksIn(lines)).toBeGreaterThanOrEqual(1);
    expect(lines.at(-1)).toMatchObject({ kind: "stop", reason: "interrupted" });
    expect(existsSync(join(work, "report.md"))).toBe(true);

    const continued = start("measure", "-w", work);
    await continued.says(new RegExp(`block ${blocksIn(lines) + 1} `));
    continued.child.kill("SIGINT");
    await continued.exited;
    expect(samples(work).slice(0, lines.length)).toEqual(lines);
  }, 900_000);

  test("not by a killed k6, which costs its block; by a dying database: exit status 4, and every sample kept", async () => {
    const { work, directory, options } = setting(`${TARGET}${QUERY}${QUICK}${ENDLESS}`);
    const run = start("run", ...options);
    await run.says(/block 1 /);
    // Connections of a k6: it has begun.
    const k6 = `k6 run .*${work}`;
    const connections = () => {
      const pid = spawnSync("pgrep", ["-f", k6], { encoding: "utf8" }).stdout.trim();
      return filesOf(pid).filter((file) => file.startsWith("socket:")).length;
    };
    await expect.poll(connections, { timeout: PATIENCE }).toBeGreaterThan(4);
    execFileSync("pkill", ["-KILL", "-f", k6]);
    await run.says(/block 3 /);
    const kept = samples(work);
    const died = kept.filter((line) => line.kind === "slot" && line.events.includes("k6-died"));
    expect(died.length).toBeGreaterThan(0);

    execFileSync("pkill", ["-KILL", "-f", `(mariadbd|mysqld).*${directory}`]);
    expect(await run.exited).toBe(4);
    expect(run.said.text).toMatch(/MySQL|health|ready/);
    expect(samples(work).slice(0, kept.length)).toEqual(kept);
    expect(samples(work).at(-1)).toMatchObject({ kind: "stop", reason: "failed" });
    expect(leftovers(directory)).toEqual([]);
  }, 600_000);
});

describe("a base that is a ref", () => {
  test("becomes a worktree while planning, and is gone afterwards", () => {
    const { base, directory } = setting("");
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", base, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    git("init", "--quiet", "--initial-branch", "main");
    git("add", "-A");
    git("commit", "--quiet", "-m", "one");
    writeFileSync(join(base, "plant.php"), "<?php\n\nreturn 'slow-2';\n");
    const work = join(base, ".perf-gate");
    const { status, stdout } = perfGate("plan", "--base-ref", "main", "--head", base, "-w", work);
    expect(status).toBe(0);
    expect(stdout).toContain("base       main (");
    expect(stdout).toContain("8 cells");
    expect(existsSync(join(work, "trees/base"))).toBe(false);
    expect(String(git("worktree", "list")).trim().split("\n")).toHaveLength(1);
    expect(String(git("status", "--porcelain")).trim()).toBe("M plant.php");
    const unknown = perfGate("plan", "--base-ref", "nowhere", "--head", base, "-w", work);
    expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining('knows no commit "nowhere"') });
    expect(directory).toBeTruthy();
  });

  test("is not the head's tree because both lie in one repository, even below an ignored directory", () => {
    const { base, head, directory, work } = setting("", "slow-2");
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    git("init", "--quiet");
    writeFileSync(join(directory, ".gitignore"), "*\n");
    git("add", "--force", ".gitignore");
    git("commit", "--quiet", "-m", "one");
    const { stdout } = perfGate("plan", "--base", base, "--head", head, "-w", work);
    expect(stdout).not.toContain("A/A");
    git("add", "--force", "base", "head");
    git("commit", "--quiet", "-m", "both tracked");
    expect(perfGate("plan", "--base", base, "--head", head, "-w", work).stdout).not.toContain("A/A");
    writeFileSync(join(head, "plant.php"), readFileSync(join(base, "plant.php")));
    expect(perfGate("plan", "--base", base, "--head", head, "-w", work).stdout).toContain("A/A");
    const below = perfGate("plan", "--base-ref", "HEAD", "--head", head, "-w", work);
    expect(below).toMatchObject({ status: 2, stderr: expect.stringContaining("below the repository's top") });
  });

  test("that changes its margins is judged by the base's", () => {
    const { base, head, work } = setting("");
    writeFileSync(join(head, "perf-gate.yml"), "gate: { max-qps-drop: 90% }\n");
    const { stdout, stderr } = perfGate("plan", "--base", base, "--head", head, "-w", work);
    expect(stderr).toContain("the head changes its configuration");
    expect(stdout).toContain("allowed    QPS -5%");
  });
});

describe("unusable input", () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "perf-gate-input-"));
  test.each<[string, string[], number, RegExp]>([
    ["no base", ["plan"], 2, /--base DIR, or --base-ref REF/],
    ["a base that is not there", ["plan", "--base", "/nowhere"], 2, /--base: there is no directory \/nowhere/],
    ["both bases", ["plan", "--base", "/", "--base-ref", "main"], 2, /--base and --base-ref both/],
    ["a budget without a unit", ["plan", "--base", "/", "--budget", "10"], 2, /--budget: .* 10m .* "10"/],
    ["an unknown driver", ["plan", "--base", "/", "--driver", "k8s"], 2, /auto, compose, process, url/],
    ["an unknown option", ["plan", "--bass", "/"], 2, /unknown option '--bass'/],
    ["an unknown command", ["mesure"], 2, /measure/],
    ["no configuration where one is named", ["plan", "--base", "/", "-c", "none.yml"], 2, /none\.yml/],
    ["nothing planned", ["measure"], 2, /plan\.json is missing: run `perf-gate plan`/],
    ["nothing compared", ["report"], 2, /plan\.json is missing/],
  ])("%s", (_name, args, expected, message) => {
    const { status, stderr } = spawnSync(launcher, args, { encoding: "utf8", cwd: elsewhere });
    expect(stderr).toMatch(message);
    expect(status).toBe(expected);
    expect(stderr).not.toContain("this is a bug");
  });

  test("a k6 of another version is named, with what to do", () => {
    const { work, options, directory } = setting(TARGET + QUERY);
    const k6 = join(directory, "k6");
    writeFileSync(k6, "#!/bin/sh\necho k6 v0.99.0\n", { mode: 0o755 });
    mkdirSync(join(directory, "bin"));
    perfGate("plan", ...options);
    const node = execFileSync("bash", ["-c", "command -v node"], { encoding: "utf8" }).trim();
    const { status, stderr } = spawnSync(launcher, ["measure", "-w", work], {
      encoding: "utf8",
      env: { PATH: `${join(node, "..")}:/usr/bin:/bin`, HOME: directory, PERF_GATE_K6: k6 },
    });
    expect(stderr).toMatch(/k6 1\.8\.1 is needed, .*k6 0\.99\.0.*setup\.sh/);
    expect(status).toBe(4);
  });

  test.each([
    ["does not parse", "export default function ( {", /block\.ts|flow\.js|SyntaxError|Unexpected/],
    ["throws", "export default function () { throw new Error('flow is broken'); }", /no scenario passes its checks/],
  ])("a k6 flow that %s", (_name, source, message) => {
    const { directory, options } = setting(`${BARE}scenarios: [{ name: f, flow: flow.js, levels: [2] }]\n${QUICK}`);
    writeFileSync(join(directory, "flow.js"), source);
    const { status, stderr } = perfGate("run", ...options);
    expect(stderr).toMatch(message);
    expect(status).toBe(4);
    expect(leftovers(directory)).toEqual([]);
  });
});

import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { buildPlan } from "../../src/core/plan.ts";
import { checkOut, resolveArms } from "../../src/phases/arms.ts";
import { cleanPhase } from "../../src/phases/clean.ts";
import { quietProgress } from "../../src/phases/progress.ts";
import { sha256, WorkDirectory } from "../../src/phases/work-directory.ts";
import { planOf, scenariosYaml } from "../core/support.ts";
import { AS_NOBODY, canBeNobody, makeSite, NOBODY, processesIn } from "../target/app.ts";
import { outsiderScript } from "../target/outsider-script.ts";

let directory = "";
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "perf-gate-clean-")));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const clean = (path: string) =>
  cleanPhase(new WorkDirectory(path), quietProgress(process.stderr), new AbortController().signal);

/** Children of a process. */
function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return (
          readFileSync(`/proc/${entry}/stat`, "latin1")
            .replace(/^.*\) /s, "")
            .split(" ")[1] === `${pid}`
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

const cgroupsOf = (pid: number | undefined): string[] =>
  ["/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/memory", "/sys/fs/cgroup"]
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent, { recursive: true, encoding: "utf8" }))
    .filter((name) => name.includes(`perf-gate-${pid}-`));

test.each([
  ["with cgroups", []],
  // An ordinary user has not the rights that they need.
  ...(canBeNobody() ? [["without", AS_NOBODY] as [string, string[]]] : []),
])("a run that was killed together with its guard, %s: processes, sockets, data; logs stay", async (_, through) => {
  const site = makeSite({ target: { services: ["mysql", "redis", "http"] } });
  onTestFinished(site.remove);
  if (through.length > 0) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, site.directory, directory]);
  const script = await outsiderScript(directory);
  // Theirs alone, wherever others may not write.
  vi.stubEnv("TMPDIR", site.directory);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { plan, home, workDirectory } = site.options;
  const [program = "", ...args] = [...through, process.execPath, script];
  const child = spawn(program, [...args, JSON.stringify({ plan, home, workDirectory })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", reject);
  });
  const guard = childrenOf(child.pid ?? 0).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("guard:group"),
  );
  expect(guard).toHaveLength(1);
  process.kill(guard[0] as number, "SIGKILL");
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("close", resolve));
  const sockets = readlinkSync(join(workDirectory, "state/sockets"));
  expect(existsSync(sockets)).toBe(true);
  expect(processesIn(site.directory).length).toBeGreaterThan(8);

  const removed = await clean(workDirectory);
  expect(processesIn(site.directory)).toEqual([]);
  expect(cgroupsOf(child.pid)).toEqual([]);
  expect(existsSync(sockets)).toBe(false);
  expect(existsSync(join(workDirectory, "state"))).toBe(false);
  expect(existsSync(join(workDirectory, "logs"))).toBe(true);
  expect(removed.process).toBeGreaterThan(4);
  expect((await clean(workDirectory)).process).toBeUndefined();
});

test("the worktree of a killed run, and nothing of the repository's own", async () => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" });
  writeFileSync(join(directory, "a.php"), "<?php");
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "-A");
  git("commit", "--quiet", "-m", "one");
  const work = new WorkDirectory(join(directory, ".perf-gate"));
  work.begin();
  const arms = await resolveArms({ baseRef: "main", head: directory }, join(work.path, "trees"));
  const { id, cells, version, ...rest } = buildPlan(planOf(scenariosYaml(1)), sha256);
  work.writeJson("plan", buildPlan({ ...rest, arms }, sha256));
  await checkOut(arms);
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(2);
  expect(await clean(work.path)).toMatchObject({ worktree: 1 });
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
  expect(existsSync(join(directory, "a.php"))).toBe(true);
  expect((await clean(work.path)).worktree).toBeUndefined();
});

test("while a run is at work there, nothing is removed", async () => {
  vi.stubEnv("TMPDIR", directory);
  vi.resetModules();
  const { lockMachine } = await import("../../src/phases/lock.ts");
  const { cleanPhase: cleanNow } = await import("../../src/phases/clean.ts");
  const { signal } = new AbortController();
  const [busy, idle] = [join(directory, "busy"), join(directory, "idle")];
  const unlock = await lockMachine(busy, signal, 1, () => {});
  const cleanHere = (path: string) => cleanNow(new WorkDirectory(path), quietProgress(process.stderr), signal);
  await expect(cleanHere(busy)).rejects.toThrow(`process ${process.pid} is at work in ${busy}`);
  await cleanHere(idle);
  unlock();
  await cleanHere(busy);
  vi.unstubAllEnvs();
});

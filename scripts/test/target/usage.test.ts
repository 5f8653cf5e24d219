import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { launch } from "../../src/target/child.ts";
import { UsageGroup } from "../../src/target/usage.ts";

/** Spends `seconds` of CPU in a child that ends, holding `megabytes` meanwhile, then becomes `sleep`. */
const burner = (seconds: number, megabytes: number): string[] => [
  "bash",
  "-c",
  `node -e 'const held = Buffer.alloc(${megabytes} << 20, 1); const us = () => process.cpuUsage().user + process.cpuUsage().system; while (us() < ${seconds}e6); held[0] = 1'; exec sleep 30`,
];

const kinds = ["auto", "tree"] as const;

const directory = mkdtempSync(join(tmpdir(), "perf-gate-test-"));
const log = join(directory, "log");
afterAll(() => rmSync(directory, { recursive: true }));

test.each(kinds)("%s: CPU of a process that is gone still counts, and never falls", async (kind) => {
  const group = UsageGroup.create(`test-${kind}`, kind);
  onTestFinished(() => group.remove());
  const child = launch(burner(0.4, 64), {
    group,
    cpus: null,
    log,
  });
  onTestFinished(() => child.stop("SIGKILL", 0));
  const readings: number[] = [];
  let peak = 0;
  while (readFileSync(`/proc/${child.pid}/comm`, "utf8") !== "sleep\n") {
    await sleep(50);
    const usage = group.read();
    readings.push(usage.cpuSeconds);
    peak = Math.max(peak, usage.memoryBytes);
  }
  expect(readings).toEqual(readings.toSorted((a, b) => a - b));
  // The CPU that was spent, and what bash takes to start. A dead child's time is booked in ticks of 10 ms, user and
  // system apart, each rounded down.
  expect(group.read().cpuSeconds).toBeGreaterThan(0.4 - 2 * 0.01);
  // Counted twice it would be 0.8.
  expect(group.read().cpuSeconds).toBeLessThan(0.75);
  expect(peak).toBeGreaterThan(64 << 20);
  expect(group.read().memoryBytes).toBeLessThan(32 << 20);
  expect(group.pids()).toContain(child.pid);
  expect(group.read()).toMatchObject({ throttledPeriods: 0, oomKills: 0 });
});

test.each(kinds)("%s: a reading costs far less than a millisecond", async (kind) => {
  const group = UsageGroup.create(`cost-${kind}`, kind);
  onTestFinished(() => group.remove());
  const child = launch(["bash", "-c", "for i in 1 2 3 4; do sleep 30 & done; wait"], { group, cpus: null, log });
  onTestFinished(() => child.stop("SIGKILL", 0));
  await sleep(50);
  const costs = Array.from({ length: 100 }, () => {
    const start = performance.now();
    group.read();
    return performance.now() - start;
  });
  // The fastest: others use this machine too.
  expect(Math.min(...costs)).toBeLessThan(0.7);
});

test.each(kinds)("%s: remove() ends what is in the group, and the group", async (kind) => {
  const group = UsageGroup.create(`remove-${kind}`, kind);
  const [program = "", ...args] = group.wrap(["sleep", "30"]);
  const child = spawn(program, args, { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
  if (kind === "tree") group.add(child.pid ?? 0);
  await expect.poll(() => group.pids(), { timeout: 30_000 }).toEqual([child.pid]);
  await group.remove();
  expect(await ended).toBe("SIGKILL");
  expect(group.pids()).toEqual([]);
  await group.remove();
});

test("add() takes in a process that runs already", async () => {
  const group = UsageGroup.create("add");
  onTestFinished(() => group.remove());
  const child = spawn("sleep", ["30"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  group.add(child.pid ?? 0);
  expect(group.pids()).toEqual([child.pid]);
});

const cpuacct = "/sys/fs/cgroup/cpuacct";
test.skipIf(!existsSync(cpuacct))(
  "a group that a dead run left is removed, with its processes; a living run's is not",
  async () => {
    // The shell has ended when spawnSync returns, so no process has its pid.
    const dead = spawnSync("true").pid;
    const own = join(cpuacct, `perf-gate-${process.pid}-kept`);
    const stale = join(cpuacct, `perf-gate-${dead}-1-base`);
    for (const directory of [stale, own]) mkdirSync(directory);
    onTestFinished(() => rmdirSync(own));
    const left = spawn("sleep", ["30"], { stdio: "ignore" });
    const ended = new Promise((resolve) => left.once("exit", (_, signal) => resolve(signal)));
    writeFileSync(join(stale, "cgroup.procs"), `${left.pid}`);
    const group = UsageGroup.create("cleaner");
    onTestFinished(() => group.remove());
    expect(await ended).toBe("SIGKILL");
    // Taken down with the next group where the process had not quite gone.
    const isLeft = async () => {
      await UsageGroup.create("cleaner-2").remove();
      return existsSync(stale);
    };
    await expect.poll(isLeft, { timeout: 30_000 }).toBe(false);
    expect(existsSync(own)).toBe(true);
  },
);

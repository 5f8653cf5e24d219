import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { AS_NOBODY, canBeNobody, makeSite, NOBODY, processesIn, type Site } from "./app.ts";
import { outsiderScript } from "./outsider-script.ts";

const directory = mkdtempSync(join(tmpdir(), "perf-gate-test-"));
let script = "";

beforeAll(async () => {
  chmodSync(directory, 0o755);
  script = await outsiderScript(directory);
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Starts the script, optionally by way of another program, and waits for the line that says it is up. */
async function outsider(site: Site, ...through: string[]): Promise<{ child: ChildProcess; line: string }> {
  const { plan, home, workDirectory } = site.options;
  const argument = JSON.stringify({ plan, home, workDirectory });
  const [program = "", ...args] = [...through, process.execPath, script, argument];
  // What it makes is its own, wherever others may not write.
  const env = { ...process.env, TMPDIR: site.directory };
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    // Its guard is at work for a moment.
    for (let tries = 0; tries < 1000 && processesIn(site.directory).length > 0; tries++) await sleep(20);
    site.remove();
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const line = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (code) => reject(new Error(`it ended (${code}) without a word`)));
  });
  return { child, line };
}

const cgroupsOf = (pid: number | undefined): string[] =>
  ["/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/memory", "/sys/fs/cgroup"]
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent, { recursive: true, encoding: "utf8" }))
    .filter((name) => name.includes(`perf-gate-${pid}-`));

test("SIGKILL leaves no process, no cgroup, no data", async () => {
  const site = makeSite({ target: { services: ["mysql", "redis", "http"] } });
  const { child } = await outsider(site);
  const before = processesIn(site.directory);
  expect(before.length).toBeGreaterThan(8);
  child.kill("SIGKILL");
  const left = () => ({
    processes: processesIn(site.directory),
    cgroups: cgroupsOf(child.pid),
    state: existsSync(join(site.workDirectory, "state")),
  });
  await expect.poll(left, { timeout: 60_000 }).toEqual({ processes: [], cgroups: [], state: false });
  expect(existsSync(join(site.workDirectory, "logs"))).toBe(true);
});

test.skipIf(!canBeNobody())("an ordinary user needs no rights of root", async () => {
  const site = makeSite({ target: { services: ["mysql"] } });
  execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, site.directory]);
  const { child, line } = await outsider(site, ...AS_NOBODY);
  expect(JSON.parse(line)).toMatchObject({ answer: { status: 200, body: "three" }, jit: "off", uid: NOBODY });
  expect(JSON.parse(line).usage.cpuSeconds).toBeGreaterThan(0);
  expect(JSON.parse(line).usage.memoryBytes).toBeGreaterThan(1 << 20);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(processesIn(site.directory)).toEqual([]);
});

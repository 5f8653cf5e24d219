import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Arm, SlotSample } from "../../src/core/model.ts";
import { isDisturbed } from "../../src/core/validity.ts";
import type { Rig } from "../../src/measure/block.ts";
import { findK6 } from "../../src/measure/k6.ts";
import { layoutFor } from "../../src/phases/machine.ts";
import { BARE, type BlockOptions, home, oneBlock, startRig, TARGET, twoTrees } from "./rig.ts";

const WARM_UP = "\nmeasure: { warm-up: 1s }\n";
const HEALTH = `${BARE}scenarios: [{ name: health, path: /health, levels: [20] }]${WARM_UP}`;
const QUERY = `${TARGET}scenarios: [{ name: query, path: /query?connection=persistent, levels: [20] }]${WARM_UP}`;

// Only root may raise a priority; what an ordinary user is told, root can be told as well.
const ordinary = vi.hoisted(() => ({ user: false }));
vi.mock("node:os", async (original) => {
  const os = await original<typeof import("node:os")>();
  const setPriority = (priority: number) => {
    if (ordinary.user) throw new Error("EACCES: permission denied");
    os.setPriority(priority);
  };
  return { ...os, setPriority };
});

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  ordinary.user = false;
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function rigOf(yaml: string, options: { plant?: string; k6?: string } = {}) {
  const rig = await startRig(yaml, options);
  cleanups.push(() => rig.close());
  return rig;
}

type Slots = Awaited<ReturnType<typeof oneBlock>>;
const reasons = (slots: Slots) => Object.fromEntries(slots.map(({ sample, reason }) => [sample.arm, reason]));

/** Others share this machine, and errors come by chance: either may spoil a block, a defect spoils all of these. */
const TRIES = 5;

/** The first block whose slots are struck as expected; rejects where none of several is. */
async function blockWith(expected: Record<Arm, unknown>, rig: Rig, options: BlockOptions): Promise<Slots> {
  for (let tries = TRIES; ; tries--) {
    const slots = await oneBlock(rig, options);
    try {
      expect(reasons(slots)).toEqual(expected);
      return slots;
    } catch (error) {
      if (tries === 1) throw error;
    }
  }
}

/** What others took, however it is called: a virtual machine may lose more to its host than to a neighbour. */
const TAKEN = expect.stringMatching(/^(foreign-load|steal)$/);

test("a block holds what k6 and the kernel counted", async () => {
  const rig = await rigOf(QUERY);
  for (const { sample } of await oneBlock(rig, { checkForeign: false })) {
    expect(sample.requests).toBeGreaterThan(20);
    expect(sample.qps).toBe(sample.requests / sample.seconds);
    const { p50, p99, max } = sample.latencyMs ?? { p50: 0, p99: 0, max: 0 };
    expect(p50).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
    expect(max).toBeGreaterThanOrEqual(p99);
    expect(sample).toMatchObject({ errors: 0, failedChecks: 0, portErrors: 0, events: [] });
    const { witness } = sample;
    expect(witness?.targetCpuSeconds).toBeGreaterThan(0);
    expect(witness?.servicesCpuSeconds).toBeGreaterThan(0);
    expect(witness?.generatorCpuSeconds).toBeGreaterThan(0);
    expect(witness?.targetMemoryBytes).toBeGreaterThan(1e6);
    // Nobody can use more than there is, but for the time between the readings of clock and counters.
    const spent = (witness?.targetCpuSeconds ?? 0) + (witness?.servicesCpuSeconds ?? 0);
    expect(spent).toBeLessThan((witness?.intervalSeconds ?? 0) * rig.plan.layout.target.length * 1.3);
  }
});

/** Burns one CPU until the test ends. */
function burn(cpu: number | undefined): ChildProcess {
  const neighbour = spawn("taskset", ["-c", String(cpu), "bash", "-c", "while :; do :; done"]);
  cleanups.push(() => neighbour.kill("SIGKILL"));
  return neighbour;
}

const foreignCores = ({ witness }: SlotSample) => (witness?.foreignCpuSeconds ?? 0) / (witness?.intervalSeconds ?? 1);

test("a neighbour on the service's core is seen, and takes from both arms alike", async () => {
  const rig = await rigOf(HEALTH);
  burn(rig.plan.layout.target[0]);
  const slots = await blockWith({ base: null, head: null }, rig, { checkForeign: true, turnSeconds: 0.1 });
  for (const { sample } of slots) expect(foreignCores(sample)).toBeGreaterThan(0.1);
});

/** Whether k6 has a core, not only a thread of one, to itself. */
const { isolated } = layoutFor("auto");

describe.skipIf(!isolated)("a neighbour on the generator's cores", () => {
  const besideNeighbour = async (expected: Record<Arm, unknown>) => {
    const rig = await rigOf(HEALTH);
    for (const cpu of rig.plan.layout.generator) burn(cpu);
    await blockWith(expected, rig, { checkForeign: true, turnSeconds: 0.1 });
  };

  test.skipIf(process.getuid?.() !== 0)("gives way to it where we may ask for that", async () => {
    await besideNeighbour({ base: null, head: null });
  });

  test("is foreign load where it leaves too little", async () => {
    ordinary.user = true;
    await besideNeighbour({ base: TAKEN, head: TAKEN });
  });
});

test("a neighbour that one arm had and the other did not is foreign load", async () => {
  const rig = await rigOf(QUERY);
  const cpu = rig.plan.layout.target[0];
  const spent = (arm: Arm) => rig.target.usage(arm)?.cpuSeconds ?? 0;
  let neighbour: ChildProcess | null = null;
  let before = spent("base");
  // It burns while the base is loaded and at no other time.
  const timer = setInterval(() => {
    const now = spent("base");
    const isLoaded = now - before > 0.01;
    before = now;
    if (isLoaded) neighbour ??= burn(cpu);
    else if (neighbour?.kill("SIGKILL")) neighbour = null;
  }, 50);
  cleanups.push(() => clearInterval(timer));
  await blockWith({ base: TAKEN, head: null }, rig, { checkForeign: true });
});

test("a generator that is busy itself is saturated", async ({ skip }) => {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-flow-"));
  const flow = join(directory, "busy.js");
  writeFileSync(
    flow,
    `import http from "k6/http";
     export default function (target) {
       for (let i = 0, x = 0; i < 5000; i++) x += Math.sqrt(i);
       http.get(target.url + "/health", { headers: target.headers });
     }`,
  );
  const rig = await rigOf(`${BARE}scenarios: [{ name: busy, flow: ${flow}, levels: [20] }]${WARM_UP}`);
  const expected = isolated ? "generator-saturated" : null;
  for (let tries = 0; tries < TRIES; tries++) {
    const slots = await oneBlock(rig, { checkForeign: false });
    // Who has to share a core cannot use all of it.
    if (slots.some(({ sample }) => isDisturbed(sample, rig.plan.config.measure))) continue;
    expect(reasons(slots)).toEqual({ base: expected, head: expected });
    return;
  }
  skip("others use the machine all the time");
});

const quotaDirectory = "/sys/fs/cgroup/cpu";
test.skipIf(!existsSync(join(quotaDirectory, "cpu.cfs_quota_us")) || process.getuid?.() !== 0 || !isolated)(
  "a generator on a sliver of a core, by a quota, is saturated",
  async () => {
    const group = join(quotaDirectory, `perf-gate-sliver-${process.pid}`);
    mkdirSync(group);
    cleanups.push(async () => {
      for (let i = 0; i < 100 && existsSync(group); i++) {
        try {
          rmdirSync(group);
        } catch {
          await sleep(20); // k6 is still leaving it
        }
      }
    });
    writeFileSync(join(group, "cpu.cfs_quota_us"), "20000");
    const wrapper = join(mkdtempSync(join(tmpdir(), "perf-gate-k6-")), "k6");
    writeFileSync(wrapper, `#!/bin/sh\necho $$ >${group}/cgroup.procs\nexec ${await findK6()} "$@"\n`);
    chmodSync(wrapper, 0o755);
    const rig = await rigOf(HEALTH, { k6: wrapper });
    expect(reasons(await oneBlock(rig, { checkForeign: false }))).toEqual({
      base: "generator-saturated",
      head: "generator-saturated",
    });
  },
);

test("an FPM backlog of 1 turns connections away, and is not called slow or broken", async () => {
  const target = TARGET.replace("target:", "target:\n  php: { workers: 1, backlog: 1 }");
  const rig = await rigOf(
    `${target}scenarios: [{ name: mixed, path: "/mixed?seed=1&connection=persistent", levels: [50] }]${WARM_UP}`,
  );
  expect(reasons(await oneBlock(rig, { checkForeign: false }))).toEqual({
    base: "listen-overflow",
    head: "listen-overflow",
  });
});

test("a php-fpm that is killed under load strikes its own arm's slot", async () => {
  const rig = await rigOf(HEALTH);
  const block = oneBlock(rig, { checkForeign: false });
  const processes = (pattern: string) => {
    const { stdout } = spawnSync("pgrep", ["-f", pattern], { encoding: "utf8" });
    return stdout.split("\n").filter(Boolean).map(Number);
  };
  // k6 is started once both arms have been restarted for the block; then they are warmed up.
  await expect.poll(() => processes(`k6 run .*${rig.stateDirectory}`), { timeout: 60_000 }).not.toEqual([]);
  const spent = () => rig.target.usage("head")?.cpuSeconds ?? 0;
  const before = spent();
  await expect.poll(() => spent() - before, { timeout: 60_000 }).toBeGreaterThan(0.02);
  const masters = processes(`php-fpm: master.*${dirname(rig.stateDirectory)}.*head`);
  expect(masters).toHaveLength(1);
  for (const master of masters) process.kill(master, "SIGKILL");
  expect(reasons(await block)).toMatchObject({ base: null, head: "target-restarted" });
  // The next block starts from fresh replicas.
  expect(reasons(await oneBlock(rig, { checkForeign: false }))).toEqual({ base: null, head: null });
});

test("1% of errors strikes the arm that has them", async () => {
  const rig = await rigOf(HEALTH, { plant: "errors" });
  await blockWith({ base: null, head: "errors" }, rig, { checkForeign: false });
});

test("an arrival rate above capacity drops iterations", async () => {
  const rig = await rigOf(
    `${TARGET}scenarios: [{ name: flood, path: "/queries?n=50&connection=persistent", model: open, rate: 3000, max-vus: 50 }]${WARM_UP}`,
  );
  expect(reasons(await oneBlock(rig, { checkForeign: false }))).toEqual({
    base: "dropped-iterations",
    head: "dropped-iterations",
  });
});

const canUnshare = process.getuid?.() === 0 && spawnSync("unshare", ["-n", "ip", "link"]).status === 0;
test.skipIf(!canUnshare)(
  "a port range of 200 is exhausted by short connections, and named",
  () => {
    const { directory, base, head } = twoTrees("");
    cleanups.push(() => rmSync(directory, { recursive: true }));
    const config = join(directory, "perf-gate.yml");
    const scenario = 'scenarios: [{ name: short, path: "/query?connection=short", levels: [20] }]';
    writeFileSync(config, `${TARGET}${scenario}\nmeasure: { slot: 1s, warm-up: 1s, max-foreign-cpu: off }\n`);
    const work = join(directory, "work");
    const script = `
      ip link set lo up
      echo "60000 60199" >/proc/sys/net/ipv4/ip_local_port_range
      exec "$0" run --base "$1" --head "$2" --config "$3" --work-directory "$4" --budget 5m`;
    execFileSync("unshare", ["-n", "bash", "-c", script, join(home, "scripts/perf-gate"), base, head, config, work], {
      stdio: "ignore",
    });
    const comparison = JSON.parse(readFileSync(join(work, "comparison.json"), "utf8"));
    expect(comparison.verdict).toBe("inconclusive");
    expect(Object.keys(comparison.struck)).toEqual(["ports-exhausted"]);
    expect(comparison.cells[0].reasons[0].code).toBe("ports-exhausted");
  },
  600_000,
);

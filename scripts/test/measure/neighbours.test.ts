import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { expect, test } from "vitest";
import { type Neighbours, neighbours, spentBetween } from "../../src/measure/neighbours.ts";

const all = cpus().map((_, id) => id);
/** CPU time that a process has spent, s. */
function spentBy(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
const stat = (ownTicks: number, waitedTicks = 0) => ({
  ppid: 1,
  ownTicks,
  waitedTicks,
  threads: 1,
  startTicks: 1,
  isKernel: false,
  cpu: 0,
});
const at = (...entries: [string, ReturnType<typeof stat>][]): Neighbours => new Map(entries);

test("what a process of ours burns is not a neighbour's, what another's burns is", async () => {
  const child = spawn("bash", ["-c", "while :; do :; done"]);
  try {
    // Seen from this process the child is ours; seen from the child itself, this process and its parents are others.
    const ours = neighbours([process.pid]);
    const others = neighbours([2 ** 22 + 1]);
    const before = spentBy(child.pid);
    await expect.poll(() => spentBy(child.pid) - before, { timeout: 60_000 }).toBeGreaterThan(0.6);
    const mine = spentBetween(ours, neighbours([process.pid]), all);
    const everybody = spentBetween(others, neighbours([2 ** 22 + 1]), all);
    expect(everybody - mine).toBeGreaterThan(0.3);
  } finally {
    child.kill("SIGKILL");
  }
});

test("a process that came and went is in what its parent waited for", () => {
  // Its limit ends it after a second of CPU time.
  const before = neighbours([2 ** 22 + 1]);
  spawnSync("bash", ["-c", "ulimit -t 1; while :; do :; done"]);
  expect(spentBetween(before, neighbours([2 ** 22 + 1]), all)).toBeGreaterThan(0.3);
});

test("what a process had spent before it ended is not counted again", () => {
  // 500 ticks before, 20 more until it ended; its parent's waited ticks grow by all 520.
  expect(spentBetween(at(["1 1", stat(0)], ["2 1", stat(500)]), at(["1 1", stat(0, 520)]), all)).toBeCloseTo(0.2);
  expect(spentBetween(at(), at(["3 1", stat(7)]), all)).toBeCloseTo(0.07);
  expect(spentBetween(at(["1 1", stat(5)]), at(["1 1", stat(5)]), all)).toBe(0);
});

import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { expect, test } from "vitest";
import { cpuTimes, parseNetstat, parseProcStat, parseTimeWait } from "../../src/measure/kernel.ts";
import { cpuQuota, parseCpuMax } from "../../src/target/usage/limit.ts";

// Fields after the name: user nice system idle iowait irq softirq steal guest guest_nice, in 1/100 s.
const STAT = `cpu  100 0 50 1000 20 3 7 11 0 0
cpu0 60 0 30 400 10 1 3 5 0 0
cpu1 40 0 20 600 10 2 4 6 0 0
cpu10 1 1 1 1 1 1 1 1 0 0
intr 1 2 3
`;

test("the times of the named CPUs are summed, in seconds", () => {
  // idle + iowait: 400 + 10 + 600 + 10; irq + softirq: 1 + 3 + 2 + 4; steal: 5 + 6.
  expect(parseProcStat(STAT, [0, 1])).toEqual({ idle: 10.2, irq: expect.closeTo(0.1), steal: expect.closeTo(0.11) });
  expect(parseProcStat(STAT, [1])).toEqual({ idle: 6.1, irq: 0.06, steal: 0.06 });
});

test("this machine's idle time grows no faster than its CPUs allow", async () => {
  const all = cpus().map((_, id) => id);
  // Whatever comes between two readings: the clock is read before the first and after the last.
  const start = performance.now();
  const before = cpuTimes(all);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const after = cpuTimes(all);
  const seconds = (performance.now() - start) / 1000;
  const idle = after.idle - before.idle;
  // Ticks are rounded, and what the kernel calls waiting for a disk may be taken back.
  expect(idle).toBeGreaterThan(-0.05 * all.length);
  expect(idle).toBeLessThanOrEqual((seconds + 0.05) * all.length);
});

test("counters of a table are found by name", () => {
  const text = "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 42 43\nIpExt: A\nIpExt: 9\n";
  expect(parseNetstat(text, "TcpExt", "ListenOverflows")).toBe(42);
  expect(parseNetstat(text, "TcpExt", "Unknown")).toBe(0);
  expect(parseNetstat(readFileSync("/proc/net/netstat", "latin1"), "IpExt", "InOctets")).toBeGreaterThan(0);
});

test("TIME_WAIT sockets are read from sockstat", () => {
  expect(parseTimeWait("sockets: used 20\nTCP: inuse 3 orphan 0 tw 1544 alloc 3 mem 51\n")).toBe(1544);
});

test("a quota is read as cores", () => {
  expect(parseCpuMax("max 100000\n")).toBe(null);
  expect(parseCpuMax("20000 100000\n")).toBe(0.2);
  expect(cpuQuota(2 ** 22 + 1)).toBe(null); // no such process
});

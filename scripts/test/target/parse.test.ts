import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { cgroupOf, readCgroup } from "../../src/target/usage/cgroup.ts";
import {
  hasQuota,
  parseCgroupMounts,
  parseCgroupPath,
  parseCpuacct,
  parseMemoryStatV1,
  parseOomKills,
  parseProcessStat,
  parseRssAnon,
  parseSchedstat,
} from "../../src/target/usage/parse.ts";

const nothing = { cpuSeconds: 0, memoryBytes: 0, throttledPeriods: 0, oomKills: 0 };

describe("cgroup v2, from files as Linux 6 writes them", () => {
  const file = (name: string): string => join(import.meta.dirname, "fixtures/cgroup-v2", name);
  const cgroup = {
    version: 2 as const,
    directories: [],
    cpu: file("cpu.stat"),
    memory: file("memory.stat"),
    oom: file("memory.events"),
    throttle: [],
  };

  test("usage of a group", () => {
    const usage = { cpuSeconds: 0.287544, memoryBytes: 12_349_440, throttledPeriods: 7, oomKills: 2 };
    expect(readCgroup(cgroup, nothing)).toEqual(usage);
  });

  test("throttling of an ancestor with a quota counts as well", () => {
    expect(readCgroup({ ...cgroup, throttle: [file("cpu.stat")] }, nothing).throttledPeriods).toBe(14);
  });

  test("a file that vanished leaves the figures as they were", () => {
    const before = { cpuSeconds: 3, memoryBytes: 2, throttledPeriods: 1, oomKills: 0 };
    expect(readCgroup({ ...cgroup, memory: file("gone") }, before)).toEqual(before);
  });
});

describe("the cgroup of a container", () => {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-cgroup-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  const recorded = (name: string): string =>
    readFileSync(join(import.meta.dirname, "fixtures/cgroup-v2", name), "utf8");
  write("proc/self/mountinfo", `30 24 0:26 / ${directory}/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate`);
  write("proc/1/cgroup", "0::/system.slice/docker-4f.scope\n");
  write("proc/2/cgroup", "0::/system.slice/docker-5a.scope\n");
  for (const name of ["cpu.max", "cpu.stat", "memory.stat", "memory.events"]) {
    write(`cgroup/system.slice/docker-4f.scope/${name}`, recorded(name));
  }

  test("v2: its own quota is counted once, and one above it as well", () => {
    const throttled = () => {
      const cgroup = cgroupOf(1, join(directory, "proc"));
      return cgroup === null ? null : readCgroup(cgroup, nothing).throttledPeriods;
    };
    expect(throttled()).toBe(7);
    write("cgroup/system.slice/cpu.max", "20000 100000\n");
    write("cgroup/system.slice/cpu.stat", "nr_throttled 3\n");
    expect(throttled()).toBe(10);
  });

  test("is none where it is not mounted here, or the process is gone", () => {
    expect([cgroupOf(2, join(directory, "proc")), cgroupOf(3, join(directory, "proc"))]).toEqual([null, null]);
  });
});

test.each([
  ["max 100000\n", false],
  ["20000 100000\n", true],
  ["-1\n", false],
  ["150000\n", true],
  ["", false],
])("hasQuota(%j) is %s", (text, expected) => {
  expect(hasQuota(text)).toBe(expected);
});

test("cgroup v1 files", () => {
  expect(parseCpuacct("235473599\n")).toBe(0.235473599);
  expect(parseMemoryStatV1("cache 8192\nrss 4096\ntotal_cache 16384\ntotal_rss 12288\n")).toBe(12_288);
  expect(parseOomKills("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n")).toBe(3);
});

describe("mounts and paths", () => {
  const mountinfo = [
    "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw",
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct",
    "35 31 0:32 /docker/4f /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory",
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw",
  ].join("\n");
  const [cpu, memory, unified] = parseCgroupMounts(mountinfo);

  test("hierarchies with their controllers", () => {
    expect(cpu).toMatchObject({ version: 1, controllers: ["cpu", "cpuacct"], root: "/" });
    expect(memory).toMatchObject({ version: 1, controllers: ["memory"], root: "/docker/4f" });
    expect(unified).toMatchObject({ version: 2, mountPoint: "/sys/fs/cgroup/unified" });
  });

  test("our path in each of them", () => {
    const text = "5:cpu,cpuacct:/a\n4:memory:/docker/4f/b:c\n1:name=systemd:/s\n0::/user.slice\n";
    if (cpu === undefined || memory === undefined || unified === undefined) throw new Error("mounts are missing");
    expect(parseCgroupPath(text, cpu)).toBe("/a");
    expect(parseCgroupPath(text, memory)).toBe("/docker/4f/b:c");
    expect(parseCgroupPath(text, unified)).toBe("/user.slice");
    expect(parseCgroupPath("5:cpu:/a\n", unified)).toBeNull();
  });
});

test("/proc/<pid> files, with a process name that looks like more fields", () => {
  const stat =
    "4127 (php) S 1 (x) S 41 4127 4127 0 -1 4194560 900 120 0 0 12 5 30 7 20 0 3 0 886543 210000000 5000 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0";
  expect(parseProcessStat(stat)).toEqual({
    ppid: 41,
    ownTicks: 17,
    waitedTicks: 37,
    threads: 3,
    startTicks: 886_543,
    isKernel: false,
    cpu: 1,
  });
  expect(parseProcessStat("79 (kdamond.0) I 2 0 0 0 -1 2129984 0 0 0 0 0 5 0 0 20 0 1 0 30").isKernel).toBe(true);
  expect(parseSchedstat("1234567890 45738 12\n")).toBe(1.23456789);
  expect(parseRssAnon("Name:\tphp\nVmRSS:\t    5000 kB\nRssAnon:\t    1024 kB\n")).toBe(1_048_576);
  expect(parseRssAnon("Name:\tkthreadd\n")).toBe(0);
});

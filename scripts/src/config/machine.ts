import { accessSync, constants, readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Finding, finding, judged } from "./finding.ts";

const MIB = 1024 * 1024;
/** A private database takes about 200 MiB, logs and samples the rest. */
const DISK_BYTES = 500 * MIB;
/** 2,000 VUs at one socket each, on both sides of nginx. */
const OPEN_FILES = 4096;
/** At 60 s of TIME_WAIT each, so many ports allow 170 new connections a second. */
const PORTS = 10_000;

/** CPUs, cgroup, disk, and the kernel's limits. */
export async function checkMachine(workDirectory: string): Promise<Finding[]> {
  const all = [checkCpus(), checkCgroup(), await checkDisk(workDirectory), checkOpenFiles(), checkPorts()];
  return all.filter((one) => one !== null);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function checkCpus(): Finding {
  const cpus = availableParallelism();
  return judged(`${cpus}`, cpus >= 2, {
    name: "CPUs",
    needed: "optional",
    wanted: "2 or more, so that k6 and the application do not share one",
    fix: "use a machine with more CPUs; with one, intervals are wide",
  });
}

/** Our own cgroup directory where one below it could be made; v1: the cpuacct hierarchy. */
function checkCgroup(): Finding {
  const own = readText("/proc/self/cgroup").split("\n");
  const path = (controller: RegExp): string => own.map((line) => controller.exec(line)?.[1]).find((p) => p) ?? "/";
  const directories = [
    join("/sys/fs/cgroup/cpuacct", path(/^\d+:[\w,]*\bcpuacct\b[\w,]*:(.*)$/)),
    join("/sys/fs/cgroup/cpu,cpuacct", path(/^\d+:[\w,]*\bcpuacct\b[\w,]*:(.*)$/)),
    join("/sys/fs/cgroup", path(/^0::(.*)$/)),
  ];
  // /sys/fs/cgroup itself is a plain tmpfs in v1: only a directory with processes of its own is a cgroup.
  const writable = directories.find(
    (directory) => isWritable(join(directory, "cgroup.procs")) && isWritable(directory),
  );
  return finding({
    name: "cgroup",
    needed: "optional",
    found: writable ?? null,
    wanted: "one that can be written, for exact CPU and memory figures",
    fix: "run as root, or under systemd-run --user --scope -p Delegate=yes; else process trees are read",
  });
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function checkDisk(workDirectory: string): Promise<Finding> {
  let directory = resolve(workDirectory);
  let free: number | null = null;
  // The work directory is made later: ask the nearest one above it.
  while (free === null) {
    free = await statfs(directory).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => null,
    );
    if (free === null && dirname(directory) === directory) break;
    if (free === null) directory = dirname(directory);
  }
  const there = free === null ? null : `${Math.floor(free / MIB).toLocaleString("en-US")} MiB in ${directory}`;
  return judged(there, (free ?? 0) >= DISK_BYTES, {
    name: "free disk",
    needed: "required",
    wanted: `${DISK_BYTES / MIB} MiB for private databases and logs`,
    fix: "free some space, or name another place with --work-directory",
  });
}

function checkOpenFiles(): Finding | null {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readText("/proc/self/limits"))?.[1];
  if (soft === undefined) return null;
  return judged(soft, soft === "unlimited" || Number(soft) >= OPEN_FILES, {
    name: "open files",
    needed: "optional",
    wanted: `${OPEN_FILES} or more, for many VUs`,
    fix: "ulimit -n 65535",
  });
}

function checkPorts(): Finding | null {
  const [low, high] = readText("/proc/sys/net/ipv4/ip_local_port_range").trim().split(/\s+/).map(Number);
  if (low === undefined || high === undefined || Number.isNaN(low)) return null;
  const sudo = process.getuid?.() === 0 ? "" : "sudo ";
  return judged(`${low}-${high}`, high - low + 1 >= PORTS, {
    name: "source ports",
    needed: "optional",
    wanted: `${PORTS} or more, for connections that are not kept`,
    fix: `${sudo}sysctl -w net.ipv4.ip_local_port_range="32768 60999"`,
  });
}

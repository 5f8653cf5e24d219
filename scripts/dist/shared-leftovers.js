import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  removeStaleCgroups
} from "./shared-cgroup.js";
import {
  parseProcessStat
} from "./shared-guard.js";

// scripts/src/target/process/leftovers.ts
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
var SOCKETS_LINK = "sockets";
var SOCKETS_PREFIX = "perf-gate-";
var SOCKETS = new RegExp(`^${SOCKETS_PREFIX}[A-Za-z0-9]{6}$`);
var TRIES = 100;
var BETWEEN_TRIES_MS = 20;
async function removeProcesses(workDirectory) {
  const ended = /* @__PURE__ */ new Set();
  for (let tries = 0; tries < TRIES; tries++) {
    const found = processesOf(workDirectory);
    if (found.length === 0) break;
    for (const pid of found) if (kill(pid)) ended.add(pid);
    await sleep(BETWEEN_TRIES_MS);
  }
  removeStaleCgroups();
  const state = join(workDirectory, "state");
  const sockets = linkTarget(join(state, SOCKETS_LINK));
  if (dirname(sockets) === tmpdir() && SOCKETS.test(basename(sockets)))
    rmSync(sockets, { recursive: true, force: true });
  rmSync(state, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  return ended.size;
}
function processesOf(workDirectory) {
  const [state, logs] = ["state", "logs"].map((name) => `${join(workDirectory, name)}/`);
  const ours = ancestors();
  return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && !ours.has(Number(entry))).filter((pid) => {
    const outputs = [1, 2].map((fd) => linkTarget(`/proc/${pid}/fd/${fd}`));
    return `${linkTarget(`/proc/${pid}/cwd`)}/`.startsWith(state) || outputs.some((path) => path.startsWith(logs));
  }).map(Number);
}
function ancestors() {
  const found = /* @__PURE__ */ new Set();
  for (let pid = process.pid; pid > 0 && !found.has(pid); ) {
    found.add(pid);
    try {
      pid = parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1")).ppid;
    } catch {
      break;
    }
  }
  return found;
}
function kill(pid) {
  for (const whom of [-pid, pid]) {
    try {
      process.kill(whom, "SIGKILL");
    } catch {
      if (whom === pid) return false;
    }
  }
  return true;
}
function linkTarget(path) {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

export {
  SOCKETS_LINK,
  SOCKETS_PREFIX,
  removeProcesses
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  findK6
} from "./shared-k6~2.js";
import "./shared-programs~2.js";
import "./shared-cgroup.js";
import "./shared-guard.js";
import {
  K6_VERSION
} from "./shared-k6.js";
import {
  Programs,
  TOOLS,
  checkEngine,
  findEngine,
  finding,
  isUsable,
  judged,
  programDirectories
} from "./shared-programs.js";
import "./shared-engine.js";
import "./shared-errors.js";
import "./shared-slowest.js";
import {
  require_picocolors
} from "./shared-picocolors.js";
import {
  __toESM
} from "./shared-runtime.js";

// scripts/src/config/doctor.ts
var import_picocolors = __toESM(require_picocolors(), 1);
import { tmpdir } from "node:os";
import { basename } from "node:path";

// scripts/src/config/machine.ts
import { accessSync, constants, readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
var MIB = 1024 * 1024;
var DISK_BYTES = 500 * MIB;
var OPEN_FILES = 4096;
var PORTS = 1e4;
async function checkMachine(workDirectory) {
  const all = [checkCpus(), checkCgroup(), await checkDisk(workDirectory), checkOpenFiles(), checkPorts()];
  return all.filter((one) => one !== null);
}
function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
function checkCpus() {
  const cpus = availableParallelism();
  return judged(`${cpus}`, cpus >= 2, {
    name: "CPUs",
    needed: "optional",
    wanted: "2 or more, so that k6 and the application do not share one",
    fix: "use a machine with more CPUs; with one, intervals are wide"
  });
}
function checkCgroup() {
  const own = readText("/proc/self/cgroup").split("\n");
  const path = (controller) => own.map((line) => controller.exec(line)?.[1]).find((p) => p) ?? "/";
  const directories = [
    join("/sys/fs/cgroup/cpuacct", path(/^\d+:[\w,]*\bcpuacct\b[\w,]*:(.*)$/)),
    join("/sys/fs/cgroup/cpu,cpuacct", path(/^\d+:[\w,]*\bcpuacct\b[\w,]*:(.*)$/)),
    join("/sys/fs/cgroup", path(/^0::(.*)$/))
  ];
  const writable = directories.find(
    (directory) => isWritable(join(directory, "cgroup.procs")) && isWritable(directory)
  );
  return finding({
    name: "cgroup",
    needed: "optional",
    found: writable ?? null,
    wanted: "one that can be written, for exact CPU and memory figures",
    fix: "run as root, or under systemd-run --user --scope -p Delegate=yes; else process trees are read"
  });
}
function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
async function checkDisk(workDirectory) {
  let directory = resolve(workDirectory);
  let free = null;
  while (free === null) {
    free = await statfs(directory).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => null
    );
    if (free === null && dirname(directory) === directory) break;
    if (free === null) directory = dirname(directory);
  }
  const there = free === null ? null : `${Math.floor(free / MIB).toLocaleString("en-US")} MiB in ${directory}`;
  return judged(there, (free ?? 0) >= DISK_BYTES, {
    name: "free disk",
    needed: "required",
    wanted: `${DISK_BYTES / MIB} MiB for private databases and logs`,
    fix: "free some space, or name another place with --work-directory"
  });
}
function checkOpenFiles() {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readText("/proc/self/limits"))?.[1];
  if (soft === void 0) return null;
  return judged(soft, soft === "unlimited" || Number(soft) >= OPEN_FILES, {
    name: "open files",
    needed: "optional",
    wanted: `${OPEN_FILES} or more, for many VUs`,
    fix: "ulimit -n 65535"
  });
}
function checkPorts() {
  const [low, high] = readText("/proc/sys/net/ipv4/ip_local_port_range").trim().split(/\s+/).map(Number);
  if (low === void 0 || high === void 0 || Number.isNaN(low)) return null;
  const sudo = process.getuid?.() === 0 ? "" : "sudo ";
  return judged(`${low}-${high}`, high - low + 1 >= PORTS, {
    name: "source ports",
    needed: "optional",
    wanted: `${PORTS} or more, for connections that are not kept`,
    fix: `${sudo}sysctl -w net.ipv4.ip_local_port_range="32768 60999"`
  });
}

// scripts/src/config/doctor.ts
async function diagnose(options = {}) {
  const { services = [], driver = "auto", k6 = null, k6Version = "1.8.1", phpBinary = null } = options;
  const programs = new Programs(options.directories ?? programDirectories());
  const engine = driver === "compose" || driver === "auto" ? await findEngine(programs) : null;
  const containers = engine !== null && (driver === "compose" || isUsable(engine));
  const processes = driver !== "url" && !containers;
  const pin = { ...TOOLS.taskset, needed: driver === "url" ? "optional" : "required" };
  const certificates = driver === "url" ? [] : [optional(TOOLS.openssl)];
  return [
    checkNode(),
    await checkK6(programs, k6, k6Version),
    ...engine === null ? [] : checkEngine(engine, containers ? "required" : "optional"),
    ...processes ? await checkPhp(programs, services, phpBinary) : [],
    ...await checkAll(programs, processes ? serverTools(services) : []),
    ...await checkAll(programs, [pin, optional(TOOLS.git), ...certificates]),
    ...await checkAll(programs, [optional(TOOLS.jq), optional(TOOLS.gnuplot)]),
    ...await checkMachine(options.workDirectory ?? tmpdir())
  ];
}
var required = (tool) => ({ ...tool, needed: "required" });
var optional = (tool) => ({ ...tool, needed: "optional" });
function checkAll(programs, tools) {
  return Promise.all(tools.map((tool) => programs.check(tool)));
}
function serverTools(services) {
  const tools = [TOOLS.nginx];
  if (services.includes("mysql")) tools.push(TOOLS.mariadbd, TOOLS.installDb, TOOLS.mariadb);
  if (services.includes("redis")) tools.push(TOOLS.redisServer, TOOLS.redisCli);
  return tools.map(required);
}
function checkNode() {
  const { node } = process.versions;
  return judged(`${node} (${process.execPath})`, Number(node.split(".")[0]) >= 20, {
    name: "node",
    needed: "required",
    wanted: "20 or newer",
    fix: "install Node.js 20 or newer from https://nodejs.org or with a version manager"
  });
}
async function checkK6(programs, k6, wanted) {
  const path = programs.find(k6 ?? "k6");
  const version = path === null ? void 0 : /v(\d+\.\d+\.\d+\S*)/.exec(await programs.output(path, ["version"]))?.[1];
  const there = path === null ? null : `${version ?? "no version"} (${path})`;
  return judged(there, version === wanted, {
    name: "k6",
    needed: "required",
    wanted: `exactly ${wanted}: another one measures differently`,
    fix: "./scripts/setup.sh"
  });
}
var FPM_MINIMUM = 7.4;
async function checkPhp(programs, services, binary) {
  const fpm = binary === null ? programs.newestFpm() : programs.find(binary);
  const version = fpm && await programs.version(fpm, ["-v"]);
  const debianVersion = /php-fpm(\d+\.\d+)$/.exec(basename(fpm ?? binary ?? ""))?.[1] ?? "";
  const findings = [
    judged(version, version !== null && Number.parseFloat(version) >= FPM_MINIMUM, {
      name: "php-fpm",
      needed: "required",
      wanted: `${binary ?? "any"}, version ${FPM_MINIMUM} or newer`,
      fix: programs.install(`php${debianVersion}-fpm`)
    }),
    await programs.check(optional(TOOLS.php))
  ];
  if (fpm === null) return findings;
  const loaded = new Set((await programs.output(fpm, ["-m"])).toLowerCase().split(/\r?\n/));
  const extension = (name, module, debian, wanted) => finding({
    name: `PHP extension ${name}`,
    needed: "optional",
    found: loaded.has(module) ? `loaded by ${fpm}` : null,
    wanted,
    fix: programs.install(`php${debianVersion}-${debian}`)
  });
  findings.push(extension("opcache", "zend opcache", "opcache", "as in production"));
  if (services.includes("mysql"))
    findings.push(extension("pdo_mysql", "pdo_mysql", "mysql", "for applications that use it"));
  if (services.includes("redis")) findings.push(extension("redis", "redis", "redis", "for applications that use it"));
  return findings;
}
function renderDoctor(findings, { colour }) {
  const { green, red, yellow, dim, bold } = import_picocolors.default.createColors(colour);
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, needed, found, instead, wanted, fix }) => {
    const label = name.padEnd(width);
    if (found !== null) return [`${green("ok")}       ${label}  ${dim(found)}`];
    const mark = needed === "required" ? red("missing ") : yellow("optional");
    const wants = `${instead === null ? "not found" : `${instead} found`}; wanted: ${wanted}`;
    return [`${mark} ${label}  ${wants}`, `${" ".repeat(11 + width)}${fix}`];
  });
  return `${[...lines, "", bold(summary(findings))].join("\n")}
`;
}
function summary(findings) {
  const lacking = findings.filter(({ found }) => found === null);
  const required2 = lacking.filter(({ needed }) => needed === "required").length;
  const optional2 = lacking.length - required2;
  const all = "One command installs what can be installed: ./scripts/setup.sh";
  if (required2 > 0) {
    const more = optional2 > 0 ? ` and ${optional2} optional` : "";
    return `${required2} required${more} missing. ${all}`;
  }
  if (optional2 > 0) return `Ready to measure; ${optional2} optional missing. ${all}`;
  return "Ready to measure: everything is there.";
}

// scripts/src/phases/doctor.ts
async function doctor(driver, colour) {
  const k6 = await findK6().catch(() => null);
  const findings = await diagnose({ k6, k6Version: K6_VERSION, driver, services: ["mysql", "redis", "http"] });
  const healthy = findings.every((finding2) => finding2.needed === "optional" || finding2.found !== null);
  return { findings, text: renderDoctor(findings, { colour }), healthy };
}
export {
  doctor
};

import { tmpdir } from "node:os";
import { basename } from "node:path";
import pc from "picocolors";
import type { DriverName, ServiceName } from "../core/model.ts";
import { checkEngine, findEngine, isUsable } from "./engine.ts";
import { type Finding, finding, judged } from "./finding.ts";
import { checkMachine } from "./machine.ts";
import { Programs, programDirectories, TOOLS, type Tool, type ToolCheck } from "./programs.ts";

export type { Finding };

export interface DoctorOptions {
  /** Path of k6; null = the one in PATH. */
  k6?: string | null;
  /** The version that perf-gate is tested with. */
  k6Version?: string;
  services?: readonly ServiceName[];
  driver?: DriverName | "auto";
  /** php-fpm as the configuration names it; null = the newest. */
  phpBinary?: string | null;
  /** Where the run writes. */
  workDirectory?: string;
  /** Where programs are looked for; default: PATH and the directories of servers. */
  directories?: readonly string[];
}

/** Checks this machine for a driver; `auto` is compose where Docker answers, else process. Changes nothing. */
export async function diagnose(options: DoctorOptions = {}): Promise<Finding[]> {
  const { services = [], driver = "auto", k6 = null, k6Version = "1.8.1", phpBinary = null } = options;
  const programs = new Programs(options.directories ?? programDirectories());
  const engine = driver === "compose" || driver === "auto" ? await findEngine(programs) : null;
  const containers = engine !== null && (driver === "compose" || isUsable(engine));
  const processes = driver !== "url" && !containers;
  const pin: ToolCheck = { ...TOOLS.taskset, needed: driver === "url" ? "optional" : "required" };
  const certificates = driver === "url" ? [] : [optional(TOOLS.openssl)];
  return [
    checkNode(),
    await checkK6(programs, k6, k6Version),
    ...(engine === null ? [] : checkEngine(engine, containers ? "required" : "optional")),
    ...(processes ? await checkPhp(programs, services, phpBinary) : []),
    ...(await checkAll(programs, processes ? serverTools(services) : [])),
    ...(await checkAll(programs, [pin, optional(TOOLS.git), ...certificates])),
    ...(await checkAll(programs, [optional(TOOLS.jq), optional(TOOLS.gnuplot)])),
    ...(await checkMachine(options.workDirectory ?? tmpdir())),
  ];
}

const required = (tool: Tool): ToolCheck => ({ ...tool, needed: "required" });
const optional = (tool: Tool): ToolCheck => ({ ...tool, needed: "optional" });

function checkAll(programs: Programs, tools: readonly ToolCheck[]): Promise<Finding[]> {
  return Promise.all(tools.map((tool) => programs.check(tool)));
}

function serverTools(services: readonly ServiceName[]): ToolCheck[] {
  const tools: Tool[] = [TOOLS.nginx];
  if (services.includes("mysql")) tools.push(TOOLS.mariadbd, TOOLS.installDb, TOOLS.mariadb);
  if (services.includes("redis")) tools.push(TOOLS.redisServer, TOOLS.redisCli);
  return tools.map(required);
}

function checkNode(): Finding {
  const { node } = process.versions;
  return judged(`${node} (${process.execPath})`, Number(node.split(".")[0]) >= 20, {
    name: "node",
    needed: "required",
    wanted: "20 or newer",
    fix: "install Node.js 20 or newer from https://nodejs.org or with a version manager",
  });
}

async function checkK6(programs: Programs, k6: string | null, wanted: string): Promise<Finding> {
  const path = programs.find(k6 ?? "k6");
  const version = path === null ? undefined : /v(\d+\.\d+\.\d+\S*)/.exec(await programs.output(path, ["version"]))?.[1];
  const there = path === null ? null : `${version ?? "no version"} (${path})`;
  return judged(there, version === wanted, {
    name: "k6",
    needed: "required",
    wanted: `exactly ${wanted}: another one measures differently`,
    fix: "./scripts/setup.sh",
  });
}

const FPM_MINIMUM = 7.4;

/** php-fpm, the command line's php, and the extensions that php-fpm loads. */
async function checkPhp(
  programs: Programs,
  services: readonly ServiceName[],
  binary: string | null,
): Promise<Finding[]> {
  const fpm = binary === null ? programs.newestFpm() : programs.find(binary);
  const version = fpm && (await programs.version(fpm, ["-v"]));
  const debianVersion = /php-fpm(\d+\.\d+)$/.exec(basename(fpm ?? binary ?? ""))?.[1] ?? "";
  const findings = [
    judged(version, version !== null && Number.parseFloat(version) >= FPM_MINIMUM, {
      name: "php-fpm",
      needed: "required",
      wanted: `${binary ?? "any"}, version ${FPM_MINIMUM} or newer`,
      fix: programs.install(`php${debianVersion}-fpm`),
    }),
    await programs.check(optional(TOOLS.php)),
  ];
  if (fpm === null) return findings;
  const loaded = new Set((await programs.output(fpm, ["-m"])).toLowerCase().split(/\r?\n/));
  const extension = (name: string, module: string, debian: string, wanted: string): Finding =>
    finding({
      name: `PHP extension ${name}`,
      needed: "optional",
      found: loaded.has(module) ? `loaded by ${fpm}` : null,
      wanted,
      fix: programs.install(`php${debianVersion}-${debian}`),
    });
  findings.push(extension("opcache", "zend opcache", "opcache", "as in production"));
  if (services.includes("mysql"))
    findings.push(extension("pdo_mysql", "pdo_mysql", "mysql", "for applications that use it"));
  if (services.includes("redis")) findings.push(extension("redis", "redis", "redis", "for applications that use it"));
  return findings;
}

/** The findings as aligned lines, each problem with its fix below it, and what to do at the end. */
export function renderDoctor(findings: readonly Finding[], { colour }: { colour: boolean }): string {
  const { green, red, yellow, dim, bold } = pc.createColors(colour);
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, needed, found, instead, wanted, fix }) => {
    const label = name.padEnd(width);
    if (found !== null) return [`${green("ok")}       ${label}  ${dim(found)}`];
    const mark = needed === "required" ? red("missing ") : yellow("optional");
    const wants = `${instead === null ? "not found" : `${instead} found`}; wanted: ${wanted}`;
    return [`${mark} ${label}  ${wants}`, `${" ".repeat(11 + width)}${fix}`];
  });
  return `${[...lines, "", bold(summary(findings))].join("\n")}\n`;
}

function summary(findings: readonly Finding[]): string {
  const lacking = findings.filter(({ found }) => found === null);
  const required = lacking.filter(({ needed }) => needed === "required").length;
  const optional = lacking.length - required;
  const all = "One command installs what can be installed: ./scripts/setup.sh";
  if (required > 0) {
    const more = optional > 0 ? ` and ${optional} optional` : "";
    return `${required} required${more} missing. ${all}`;
  }
  if (optional > 0) return `Ready to measure; ${optional} optional missing. ${all}`;
  return "Ready to measure: everything is there.";
}

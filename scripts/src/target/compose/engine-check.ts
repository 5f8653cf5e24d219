import { isAtLeast, OLDEST_ENGINE } from "../../core/engine.ts";
import { MeasureError } from "../../core/errors.ts";
import type { Plan } from "../../core/model.ts";
import { DockerError, type DockerOptions, docker, lastLines } from "./engine.ts";

const INSTEAD = "or run with --driver process, which needs no Docker";

/** What `docker info` says of the engine, as far as it matters here. */
export interface EngineInfo {
  ServerVersion: string;
  OSType: string;
  OperatingSystem: string;
  NCPU: number;
  CPUSet: boolean;
  CpuCfsQuota: boolean;
  MemoryLimit: boolean;
  /** "name=rootless", "name=seccomp,profile=builtin". */
  SecurityOptions: string[] | null;
}

/** What a run needs to know of the engine. */
export interface EngineFacts {
  /** Tool -> version. */
  versions: Record<string, string>;
  rootless: boolean;
}

/**
 * Facts of what answers. Throws MeasureError where the engine, compose or buildx is absent or too old, or the engine
 * cannot do what the configuration needs.
 */
export async function checkEngine(plan: Plan, signal: AbortSignal): Promise<EngineFacts> {
  const ask = async (args: string[], complaint: (error: Error) => string, options?: Partial<DockerOptions>) =>
    (
      await docker(args, { ...options, signal }).catch((error: Error) => {
        signal.throwIfAborted();
        throw new MeasureError(`${complaint(error)}; ${INSTEAD}`);
      })
    ).trim();
  const absent = (plugin: string) => () =>
    `docker ${plugin} is not installed (package docker-${plugin}-plugin or docker-${plugin})`;
  const [text, compose, buildx] = await Promise.all([
    ask(["info", "--format", "{{json .}}"], (error) => `no Docker engine answers: ${whyNoEngine(error)}`),
    ask(["compose", "version", "--short"], absent("compose")),
    ask(["buildx", "version"], absent("buildx")),
  ]);
  const info = JSON.parse(text) as EngineInfo;
  const versions = { engine: info.ServerVersion, compose, buildx: /\bv?(\d+\.\d+\S*)/.exec(buildx)?.[1] ?? "" };
  for (const [name, minimum] of Object.entries(OLDEST_ENGINE)) {
    const version = versions[name as keyof typeof OLDEST_ENGINE];
    if (isAtLeast(version, minimum)) continue;
    const called = name === "engine" ? "Docker engine" : `docker ${name}`;
    throw new MeasureError(`${called} ${version} is too old, ${minimum} or newer is needed; ${INSTEAD}`);
  }
  const lack = lackOf(info, plan);
  if (lack !== null) throw new MeasureError(`${lack}; ${INSTEAD}`);
  return { versions: { docker: versions.engine, compose }, rootless: isRootless(info) };
}

/** What the configuration needs and this engine cannot do, as a sentence; null = nothing. */
export function lackOf(info: EngineInfo, { config, layout }: Pick<Plan, "config" | "layout">): string | null {
  const { target, measure } = config;
  if (info.OSType !== "linux") return `the engine runs ${info.OSType} containers; Linux containers are needed`;
  const rootless = isRootless(info);
  const fix = rootless
    ? "let systemd delegate its controllers (https://docs.docker.com/engine/security/rootless/tips/#limiting-resources)"
    : "`docker info` names what the kernel lacks: mount the missing cgroup controller";
  if (!info.CPUSet && measure.isolation !== "off") {
    return `this ${rootless ? "rootless " : ""}engine cannot keep containers on CPUs of their own (cpuset): ${fix}, or set measure.isolation: off`;
  }
  // Its virtual machine has CPUs of its own, numbered from 0.
  const highest = Math.max(...layout.generator, ...layout.target, ...layout.services);
  if (info.OperatingSystem === "Docker Desktop" && measure.isolation !== "off" && highest >= info.NCPU) {
    return `measure.isolation: Docker Desktop has ${info.NCPU} of this machine's CPUs, and CPU ${highest} is not among them: give it all (Settings, Resources), or write CPU lists from 0 to ${info.NCPU - 1}`;
  }
  const { resources } = target;
  if (resources === null) return null;
  if (!info.MemoryLimit) return `target.resources: this engine cannot limit memory: ${fix}, or remove target.resources`;
  if (resources.by === "quota" && !info.CpuCfsQuota) {
    return `target.resources: this engine cannot limit CPU time: ${fix}, or write by: cpuset`;
  }
  return null;
}

const isRootless = ({ SecurityOptions }: EngineInfo): boolean =>
  SecurityOptions?.some((option) => option.startsWith("name=rootless")) === true;

function whyNoEngine(error: Error): string {
  const text = error instanceof DockerError ? error.stderr || error.how : error.message;
  if (text.includes("ENOENT")) return "the docker command is not installed (https://docs.docker.com/engine/install)";
  if (text.includes("permission denied")) {
    return "this user may not talk to it: add the user to the group docker, use rootless Docker, or run with sudo";
  }
  if (/cannot connect|is the docker daemon running/i.test(text)) {
    return `is the Docker daemon running? Start it, or set DOCKER_HOST (${lastLines(text, 1)})`;
  }
  return lastLines(text, 3);
}

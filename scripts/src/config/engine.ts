import { isAtLeast, OLDEST_ENGINE } from "../core/engine.ts";
import { type Finding, judged } from "./finding.ts";
import { Programs, programDirectories } from "./programs.ts";

const PATIENCE_MS = 3000;

/** Docker on this machine; versions are null where something is missing or does not answer. */
export interface Engine {
  /** Path of the docker command. */
  docker: string | null;
  engine: string | null;
  compose: string | null;
  buildx: string | null;
}

/** Asks docker for its engine and plugins, 3 s at most. */
export async function findEngine(programs = new Programs(programDirectories())): Promise<Engine> {
  const docker = programs.find("docker");
  if (docker === null) return { docker, engine: null, compose: null, buildx: null };
  const ask = async (...args: string[]) => {
    const [answer = ""] = (await programs.output(docker, args, PATIENCE_MS)).split("\n");
    return { answer, version: /\bv?(\d+\.\d+[\w.+~-]*)/.exec(answer)?.[1] ?? null };
  };
  // A plugin that was built from source may have a name in place of a version.
  const plugin = async (...args: string[]): Promise<string | null> => {
    const { answer, version } = await ask(...args);
    return version ?? (answer.trim() === "" ? null : "of an unknown version");
  };
  const [{ version: engine }, compose, buildx] = await Promise.all([
    ask("info", "--format", "{{.ServerVersion}}"),
    plugin("compose", "version", "--short"),
    plugin("buildx", "version"),
  ]);
  return { docker, engine, compose, buildx };
}

/** Whether the compose driver can work with it. */
export function isUsable({ engine, compose, buildx }: Engine): boolean {
  return (
    isAtLeast(engine, OLDEST_ENGINE.engine) &&
    isAtLeast(compose, OLDEST_ENGINE.compose) &&
    isAtLeast(buildx, OLDEST_ENGINE.buildx)
  );
}

/** What is there of Docker and how to get the rest; the plugins are asked for where docker itself is there. */
export function checkEngine({ docker, engine, compose, buildx }: Engine, needed: Finding["needed"]): Finding[] {
  const there = (version: string | null) => (version === null ? null : `${version} (${docker})`);
  const ours = "or as root on Debian and Ubuntu: ./scripts/engine.sh start";
  const start = `\`docker info\` says why: start it, let this user use it, or name another in DOCKER_HOST; ${ours}`;
  const install = `install it: https://docs.docker.com/engine/install; ${ours}`;
  const found = [
    judged(there(engine), isAtLeast(engine, OLDEST_ENGINE.engine), {
      name: "Docker engine",
      needed,
      wanted: `version ${Number(OLDEST_ENGINE.engine)} or newer that answers, for driver compose`,
      fix: docker !== null && engine === null ? start : install,
    }),
  ];
  if (docker === null) return found;
  return [
    ...found,
    judged(there(compose), isAtLeast(compose, OLDEST_ENGINE.compose), {
      name: "docker compose",
      needed,
      wanted: `version ${OLDEST_ENGINE.compose} or newer, for driver compose`,
      fix: "install the plugin: https://docs.docker.com/compose/install/linux",
    }),
    judged(there(buildx), isAtLeast(buildx, OLDEST_ENGINE.buildx), {
      name: "docker buildx",
      needed,
      wanted: `version ${OLDEST_ENGINE.buildx} or newer, for driver compose`,
      fix: "install the plugin: https://docs.docker.com/build/install-buildx",
    }),
  ];
}

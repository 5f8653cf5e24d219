import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  OLDEST_ENGINE,
  isAtLeast
} from "./shared-engine.js";

// scripts/src/config/finding.ts
function finding(values) {
  return { instead: null, ...values };
}
function judged(there, enough, rest) {
  return finding({ ...rest, found: enough ? there : null, instead: enough ? null : there });
}

// scripts/src/config/programs.ts
import { execFile } from "node:child_process";
import { accessSync, constants, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
var tool = (name, debian, wanted, more = {}) => ({
  name,
  programs: [name],
  version: ["--version"],
  wanted,
  debian,
  ...more
});
var TOOLS = {
  php: tool("php", "php-cli", "for prepare commands that call it"),
  nginx: tool("nginx", "nginx", "in front of php-fpm", { version: ["-v"] }),
  mariadbd: tool("mariadbd", "mariadb-server", "for service mysql", { programs: ["mariadbd", "mysqld"] }),
  // It has no --version: with it, it installs a database.
  installDb: tool("mariadb-install-db", "mariadb-server", "for service mysql", {
    programs: ["mariadb-install-db", "mysql_install_db"],
    version: null
  }),
  mariadb: tool("mariadb", "mariadb-client", "for service mysql", { programs: ["mariadb", "mysql"] }),
  redisServer: tool("redis-server", "redis-server", "for service redis"),
  redisCli: tool("redis-cli", "redis-tools", "for service redis"),
  jq: tool("jq", "jq", "for charts"),
  gnuplot: tool("gnuplot", "gnuplot-nox", "for charts"),
  taskset: tool("taskset", "util-linux", "to keep k6 and the application on CPUs of their own"),
  git: tool("git", "git", "for --base-ref"),
  openssl: tool("openssl", "openssl", "for target.nginx.tls", { version: ["version"] })
};
function programDirectories() {
  const path = (process.env["PATH"] ?? "").split(":").filter((directory) => directory !== "");
  return [.../* @__PURE__ */ new Set([...path, "/usr/sbin", "/usr/local/sbin"])];
}
var run = promisify(execFile);
var Programs = class {
  #directories;
  constructor(directories) {
    this.#directories = directories;
  }
  /** Path of the first name that can be run; a name with a slash is a path itself. */
  find(...names) {
    for (const name of names) {
      const paths = name.includes("/") ? [resolve(name)] : this.#directories.map((directory) => join(directory, name));
      const path = paths.find(isExecutable);
      if (path !== void 0) return path;
    }
    return null;
  }
  /** The php-fpm with the highest version in its name, else a plain one. */
  newestFpm() {
    const versioned = this.#directories.flatMap(
      (directory) => listing(directory).flatMap((name) => {
        const match = /^php-fpm(\d+)\.(\d+)$/.exec(name);
        const path = join(directory, name);
        return match && isExecutable(path) ? [{ path, rank: Number(match[1]) * 1e3 + Number(match[2]) }] : [];
      })
    );
    return versioned.sort((a, b) => b.rank - a.rank)[0]?.path ?? this.find("php-fpm");
  }
  /** Standard output and error of a short command; "" where it fails, or takes longer than `timeout`, ms. */
  async output(program, args, timeout = 1e4) {
    try {
      const { stdout, stderr } = await run(program, args, { timeout });
      return `${stdout}${stderr}`;
    } catch {
      return "";
    }
  }
  /** "8.2.30 (/usr/sbin/php-fpm8.2)"; only the path where it does not tell its version. */
  async version(program, args) {
    const output = await this.output(program, args);
    const number = (/Distrib (\d[\w.]*)/.exec(output) ?? /(\d+\.\d+[\w.]*)/.exec(output))?.[1];
    return number === void 0 ? program : `${number} (${program})`;
  }
  async check({ name, programs, version, needed, wanted, debian }) {
    const path = this.find(...programs);
    const found = path === null || version === null ? path : await this.version(path, version);
    return finding({ name, needed, found, wanted, fix: this.install(debian) });
  }
  /** How to get a Debian package: a command line, or a sentence where this is no Debian. */
  install(debian) {
    if (this.find("apt-get") === null)
      return `install it with this system's package manager (Debian calls it ${debian})`;
    return `${process.getuid?.() === 0 ? "" : "sudo "}apt-get install ${debian}`;
  }
};
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
function listing(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

// scripts/src/config/engine.ts
var PATIENCE_MS = 3e3;
async function findEngine(programs = new Programs(programDirectories())) {
  const docker = programs.find("docker");
  if (docker === null) return { docker, engine: null, compose: null, buildx: null };
  const ask = async (...args) => {
    const [answer = ""] = (await programs.output(docker, args, PATIENCE_MS)).split("\n");
    return { answer, version: /\bv?(\d+\.\d+[\w.+~-]*)/.exec(answer)?.[1] ?? null };
  };
  const plugin = async (...args) => {
    const { answer, version } = await ask(...args);
    return version ?? (answer.trim() === "" ? null : "of an unknown version");
  };
  const [{ version: engine }, compose, buildx] = await Promise.all([
    ask("info", "--format", "{{.ServerVersion}}"),
    plugin("compose", "version", "--short"),
    plugin("buildx", "version")
  ]);
  return { docker, engine, compose, buildx };
}
function isUsable({ engine, compose, buildx }) {
  return isAtLeast(engine, OLDEST_ENGINE.engine) && isAtLeast(compose, OLDEST_ENGINE.compose) && isAtLeast(buildx, OLDEST_ENGINE.buildx);
}
function checkEngine({ docker, engine, compose, buildx }, needed) {
  const there = (version) => version === null ? null : `${version} (${docker})`;
  const ours = "or as root on Debian and Ubuntu: ./scripts/engine.sh start";
  const start = `\`docker info\` says why: start it, let this user use it, or name another in DOCKER_HOST; ${ours}`;
  const install = `install it: https://docs.docker.com/engine/install; ${ours}`;
  const found = [
    judged(there(engine), isAtLeast(engine, OLDEST_ENGINE.engine), {
      name: "Docker engine",
      needed,
      wanted: `version ${Number(OLDEST_ENGINE.engine)} or newer that answers, for driver compose`,
      fix: docker !== null && engine === null ? start : install
    })
  ];
  if (docker === null) return found;
  return [
    ...found,
    judged(there(compose), isAtLeast(compose, OLDEST_ENGINE.compose), {
      name: "docker compose",
      needed,
      wanted: `version ${OLDEST_ENGINE.compose} or newer, for driver compose`,
      fix: "install the plugin: https://docs.docker.com/compose/install/linux"
    }),
    judged(there(buildx), isAtLeast(buildx, OLDEST_ENGINE.buildx), {
      name: "docker buildx",
      needed,
      wanted: `version ${OLDEST_ENGINE.buildx} or newer, for driver compose`,
      fix: "install the plugin: https://docs.docker.com/build/install-buildx"
    })
  ];
}

export {
  finding,
  judged,
  TOOLS,
  programDirectories,
  Programs,
  findEngine,
  isUsable,
  checkEngine
};

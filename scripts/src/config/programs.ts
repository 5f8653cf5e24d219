import { execFile } from "node:child_process";
import { accessSync, constants, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Finding, finding } from "./finding.ts";

export interface Tool {
  name: string;
  /** Names in PATH, the first that exists counts. */
  programs: string[];
  /** Arguments that make it print its version; null where it has none. */
  version: string[] | null;
  wanted: string;
  /** Debian and Ubuntu package. */
  debian: string;
}

export interface ToolCheck extends Tool {
  needed: Finding["needed"];
}

const tool = (name: string, debian: string, wanted: string, more: Partial<Tool> = {}): Tool => ({
  name,
  programs: [name],
  version: ["--version"],
  wanted,
  debian,
  ...more,
});

/** What perf-gate calls. */
export const TOOLS = {
  php: tool("php", "php-cli", "for prepare commands that call it"),
  nginx: tool("nginx", "nginx", "in front of php-fpm", { version: ["-v"] }),
  mariadbd: tool("mariadbd", "mariadb-server", "for service mysql", { programs: ["mariadbd", "mysqld"] }),
  // It has no --version: with it, it installs a database.
  installDb: tool("mariadb-install-db", "mariadb-server", "for service mysql", {
    programs: ["mariadb-install-db", "mysql_install_db"],
    version: null,
  }),
  mariadb: tool("mariadb", "mariadb-client", "for service mysql", { programs: ["mariadb", "mysql"] }),
  redisServer: tool("redis-server", "redis-server", "for service redis"),
  redisCli: tool("redis-cli", "redis-tools", "for service redis"),
  jq: tool("jq", "jq", "for charts"),
  gnuplot: tool("gnuplot", "gnuplot-nox", "for charts"),
  taskset: tool("taskset", "util-linux", "to keep k6 and the application on CPUs of their own"),
  git: tool("git", "git", "for --base-ref"),
  openssl: tool("openssl", "openssl", "for target.nginx.tls", { version: ["version"] }),
} as const;

/** PATH, and where servers live that an ordinary user's PATH leaves out. */
export function programDirectories(): string[] {
  const path = (process.env["PATH"] ?? "").split(":").filter((directory) => directory !== "");
  return [...new Set([...path, "/usr/sbin", "/usr/local/sbin"])];
}

const run = promisify(execFile);

/** Programs of this machine, and how to get more. */
export class Programs {
  readonly #directories: readonly string[];

  constructor(directories: readonly string[]) {
    this.#directories = directories;
  }

  /** Path of the first name that can be run; a name with a slash is a path itself. */
  find(...names: string[]): string | null {
    for (const name of names) {
      const paths = name.includes("/") ? [resolve(name)] : this.#directories.map((directory) => join(directory, name));
      const path = paths.find(isExecutable);
      if (path !== undefined) return path;
    }
    return null;
  }

  /** The php-fpm with the highest version in its name, else a plain one. */
  newestFpm(): string | null {
    const versioned = this.#directories.flatMap((directory) =>
      listing(directory).flatMap((name) => {
        const match = /^php-fpm(\d+)\.(\d+)$/.exec(name);
        const path = join(directory, name);
        return match && isExecutable(path) ? [{ path, rank: Number(match[1]) * 1000 + Number(match[2]) }] : [];
      }),
    );
    return versioned.sort((a, b) => b.rank - a.rank)[0]?.path ?? this.find("php-fpm");
  }

  /** Standard output and error of a short command; "" where it fails, or takes longer than `timeout`, ms. */
  async output(program: string, args: string[], timeout = 10_000): Promise<string> {
    try {
      const { stdout, stderr } = await run(program, args, { timeout });
      return `${stdout}${stderr}`;
    } catch {
      return "";
    }
  }

  /** "8.2.30 (/usr/sbin/php-fpm8.2)"; only the path where it does not tell its version. */
  async version(program: string, args: string[]): Promise<string> {
    const output = await this.output(program, args);
    // "mariadb  Ver 15.1 Distrib 10.11.6-MariaDB": the first is the client's own.
    const number = (/Distrib (\d[\w.]*)/.exec(output) ?? /(\d+\.\d+[\w.]*)/.exec(output))?.[1];
    return number === undefined ? program : `${number} (${program})`;
  }

  async check({ name, programs, version, needed, wanted, debian }: ToolCheck): Promise<Finding> {
    const path = this.find(...programs);
    const found = path === null || version === null ? path : await this.version(path, version);
    return finding({ name, needed, found, wanted, fix: this.install(debian) });
  }

  /** How to get a Debian package: a command line, or a sentence where this is no Debian. */
  install(debian: string): string {
    if (this.find("apt-get") === null)
      return `install it with this system's package manager (Debian calls it ${debian})`;
    return `${process.getuid?.() === 0 ? "" : "sudo "}apt-get install ${debian}`;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function listing(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

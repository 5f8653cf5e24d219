import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MeasureError } from "../../core/errors.ts";
import type { Arm, PhpSettings } from "../../core/model.ts";
import type { Child } from "../child.ts";
import { tail } from "../log.ts";
import { findPhpFpm, findProgram } from "../programs.ts";
import { waitFor } from "../wait.ts";
import type { Premises } from "./premises.ts";

/** SCRIPT_NAME under which FPM answers with its own status; no file name, so no request from outside gets there. */
export const STATUS_PATH = "/perf-gate-status";

const START_TIMEOUT_MS = 10_000;
const STOP_GRACE_MS = 300;
/** What PHP 8.4 takes by default; older versions take 0, which silently disables the JIT. */
const JIT_BUFFER = "64M";

/** Path of the configured php-fpm, or the newest that is installed; throws MeasureError. */
export function choosePhpFpm({ binary, version }: Pick<PhpSettings, "binary" | "version">): string {
  const name = binary ?? (version === null ? null : `php-fpm${version}`);
  const found = name === null ? findPhpFpm() : findProgram(name);
  if (found !== null) return found;
  throw new MeasureError(
    binary === null
      ? `${name ?? "php-fpm"} is not installed: apt-get install php${version ?? ""}-fpm; ./scripts/perf-gate doctor lists everything that is missing`
      : `target.php.binary: ${binary} is not an executable file, nor one in PATH; leave it out to use the newest php-fpm`,
  );
}

/** php-fpm of one arm, started afresh any number of times on the same unix socket. */
export class PhpFpm {
  readonly socket: string;
  readonly log: string;
  readonly errorLog: string;
  readonly #premises: Premises;
  readonly #arm: Arm;
  readonly #command: string[];
  readonly #cpus: readonly number[];
  readonly #directory: string;
  readonly #env: NodeJS.ProcessEnv;
  #master: Child | null = null;

  constructor(
    premises: Premises,
    options: {
      arm: Arm;
      binary: string;
      settings: PhpSettings;
      cpus: readonly number[];
      /** The arm's tree. */
      directory: string;
      env: NodeJS.ProcessEnv;
    },
  ) {
    this.#premises = premises;
    this.#arm = options.arm;
    this.#cpus = options.cpus;
    this.#directory = options.directory;
    this.socket = premises.socket(`php-${options.arm}`);
    this.log = premises.log(`php-fpm-${options.arm}`);
    this.errorLog = premises.log(`php-${options.arm}`);
    const root = process.getuid?.() === 0;
    const directory = premises.directory(`php-${options.arm}`);
    const config = join(directory, "php-fpm.conf");
    writeFileSync(config, fpmConf(options.settings, { socket: this.socket, log: this.log, root }));
    const ini = premises.directory(`php-${options.arm}/ini`);
    writeFileSync(join(ini, "perf-gate.ini"), iniFile(options.settings, this.errorLog));
    // An empty directory in the list stands for the compiled-in one.
    this.#env = { ...options.env, PHP_INI_SCAN_DIR: `${options.env.PHP_INI_SCAN_DIR ?? ""}:${ini}` };
    this.#command = [
      options.binary,
      "--nodaemonize",
      "--fpm-config",
      config,
      ...(root ? ["--allow-to-run-as-root"] : []),
    ];
  }

  get alive(): boolean {
    return this.#master?.alive ?? false;
  }

  get pid(): number | null {
    return this.#master?.pid ?? null;
  }

  /** Ends the running master and its workers at once, then starts a new one; resolves when its socket is there. */
  async restart(): Promise<void> {
    await this.#master?.stop("SIGQUIT", STOP_GRACE_MS);
    rmSync(this.socket, { force: true });
    const master = this.#premises.launch(this.#command, {
      group: this.#arm,
      cpus: this.#cpus,
      log: `php-fpm-${this.#arm}`,
      cwd: this.#directory,
      env: this.#env,
    });
    this.#master = master;
    const up = await waitFor(() => (!master.alive ? false : existsSync(this.socket) ? true : null), {
      everyMs: 5,
      timeoutMs: START_TIMEOUT_MS,
      signal: this.#premises.signal,
    });
    if (up !== true) throw new MeasureError(`php-fpm of ${this.#arm} did not start${tail("its log", this.log)}`);
  }
}

/** php-fpm.conf of one pool. */
export function fpmConf(settings: PhpSettings, at: { socket: string; log: string; root: boolean }): string {
  const user = at.root ? "user = root\ngroup = root\n" : "";
  return `[global]
error_log = "${at.log}"
daemonize = no
[www]
${user}listen = "${at.socket}"
listen.backlog = ${settings.backlog}
listen.mode = 0600
${processManager(settings)}
pm.status_path = ${STATUS_PATH}
clear_env = no
catch_workers_output = yes
decorate_workers_output = no
`;
}

function processManager({ processManager: pm, workers }: PhpSettings): string {
  const lines = [`pm = ${pm}`, `pm.max_children = ${workers}`];
  if (pm === "dynamic") {
    const start = Math.max(1, Math.floor(workers / 4));
    const most = Math.max(start, Math.floor(workers / 2));
    lines.push(`pm.start_servers = ${start}`, `pm.min_spare_servers = ${start}`, `pm.max_spare_servers = ${most}`);
  }
  if (pm === "ondemand") lines.push("pm.process_idle_timeout = 10s");
  return lines.join("\n");
}

/** An ini file read after the machine's own; the user's settings come last and so win. */
export function iniFile(settings: PhpSettings, errorLog: string): string {
  const jit = settings.jit !== "off";
  const values: Record<string, string> = {
    log_errors: "1",
    error_log: errorLog,
    "opcache.enable": settings.opcache ? "1" : "0",
    "opcache.jit": jit ? settings.jit : "disable",
    "opcache.jit_buffer_size": jit ? JIT_BUFFER : "0",
    ...settings.ini,
  };
  return Object.entries(values)
    .map(([name, value]) => `${name} = "${value.replace(/["\\]/g, "\\$&")}"\n`)
    .join("");
}

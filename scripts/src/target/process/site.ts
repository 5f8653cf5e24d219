import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Arm } from "../../core/model.ts";
import type { Child } from "../child.ts";
import { get } from "../http.ts";
import { quote, startNginx } from "./nginx.ts";
import { STATUS_PATH } from "./php-fpm.ts";
import type { Premises } from "./premises.ts";
import { PROBE_SCRIPT } from "./probe.ts";

/** Workers of an nginx beside PHP: two CPUs of PHP keep at most one busy, however little the application does. */
export const nginxWorkers = (cpus: readonly number[]): number => Math.ceil(cpus.length / 2);

/**
 * nginx in front of one arm's php-fpm. It stays up when PHP is restarted, so that the port stays the same. A second
 * listener on a private unix socket hands our own questions to FPM; the public one cannot reach them.
 */
export class Site {
  readonly url: string;
  readonly log: string;
  readonly #premises: Premises;
  readonly #arm: Arm;
  readonly #cpus: readonly number[];
  readonly #servers: string;
  readonly #adminSocket: string;
  #nginx: Child | null = null;

  constructor(
    premises: Premises,
    options: { arm: Arm; port: number; root: string; index: string; phpSocket: string; cpus: readonly number[] },
  ) {
    this.#premises = premises;
    this.#arm = options.arm;
    this.#cpus = options.cpus;
    this.url = `http://127.0.0.1:${options.port}`;
    this.log = premises.log(`nginx-${options.arm}`);
    this.#adminSocket = premises.socket(`admin-${options.arm}`);
    const probe = join(premises.directory(`php-${options.arm}`), "probe.php");
    writeFileSync(probe, PROBE_SCRIPT);
    this.#servers = siteServers({
      ...options,
      listen: `127.0.0.1:${options.port}`,
      adminListen: quote(`unix:${this.#adminSocket}`),
      probe,
    });
  }

  get alive(): boolean {
    return this.#nginx?.alive ?? false;
  }

  /** Starts nginx where it does not run. */
  async ensureUp(): Promise<void> {
    if (this.alive) return;
    // The workers of a master that was killed hold the port.
    await this.#nginx?.stop("SIGKILL", 0);
    rmSync(this.#adminSocket, { force: true });
    this.#nginx = await startNginx(this.#premises, {
      name: `nginx-${this.#arm}`,
      group: this.#arm,
      cpus: this.#cpus,
      workers: nginxWorkers(this.#cpus),
      servers: this.#servers,
      isUp: () => get("http://perf-gate/up", { socketPath: this.#adminSocket }),
    });
  }

  /** Asks FPM for its status or for the probe; null where it does not answer with JSON. */
  async ask(what: "status" | "probe"): Promise<unknown> {
    try {
      const answer = await get(`http://perf-gate/${what}?json`, { socketPath: this.#adminSocket });
      return JSON.parse(answer.body);
    } catch {
      return null;
    }
  }
}

/** The server blocks of an arm: the service itself and the private listener. */
export function siteServers(options: {
  /** What nginx listens on for the service, and for our own questions. */
  listen: string;
  adminListen: string;
  root: string;
  index: string;
  phpSocket: string;
  probe: string;
}): string {
  const index = `/${options.index.replace(/^\/+/, "")}`;
  const pass = `fastcgi_pass ${quote(`unix:${options.phpSocket}`)};`;
  return `  fastcgi_buffer_size 32k;
  fastcgi_buffers 32 16k;
  fastcgi_read_timeout 120s;
  server {
    listen ${options.listen} backlog=4096;
    server_name _;
    root ${quote(options.root)};
    location / {
      try_files $uri ${quote(index, "$is_args$args")};
    }
    location ~ ^(?<script>.+?\\.php)(?<path_info>/.*)?$ {
      try_files $script ${quote(index, "$is_args$args")};
${params("$script", "$document_root$script")}
      fastcgi_param PATH_INFO $path_info;
      ${pass}
    }
  }
  server {
    listen ${options.adminListen};
    location = /up {
      return 204;
    }
    location = /status {
${params(STATUS_PATH, STATUS_PATH)}
      ${pass}
    }
    location = /probe {
${params("/probe.php", quote(options.probe))}
      ${pass}
    }
  }`;
}

/** All of them, because a location with one of its own inherits none. */
function params(scriptName: string, scriptFilename: string): string {
  const values: [string, string][] = [
    ["SCRIPT_NAME", scriptName],
    ["SCRIPT_FILENAME", scriptFilename],
    ["QUERY_STRING", "$query_string"],
    ["REQUEST_METHOD", "$request_method"],
    ["CONTENT_TYPE", "$content_type"],
    ["CONTENT_LENGTH", "$content_length"],
    ["REQUEST_URI", "$request_uri"],
    ["DOCUMENT_URI", "$document_uri"],
    ["DOCUMENT_ROOT", "$document_root"],
    ["SERVER_PROTOCOL", "$server_protocol"],
    ["REQUEST_SCHEME", "$scheme"],
    ["GATEWAY_INTERFACE", "CGI/1.1"],
    ["SERVER_SOFTWARE", "nginx/$nginx_version"],
    ["REMOTE_ADDR", "$remote_addr"],
    ["REMOTE_PORT", "$remote_port"],
    ["SERVER_ADDR", "$server_addr"],
    ["SERVER_PORT", "$server_port"],
    ["SERVER_NAME", "$host"],
    ["REDIRECT_STATUS", "200"],
  ];
  return values.map(([name, value]) => `      fastcgi_param ${name} ${value};`).join("\n");
}

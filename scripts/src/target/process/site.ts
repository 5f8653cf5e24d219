import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Arm, NginxSettings } from "../../core/model.ts";
import { CERTIFICATE_FILE, KEY_FILE, makeCertificate } from "../certificate.ts";
import type { Child } from "../child.ts";
import { get, schemeOf } from "../http.ts";
import { quote, startNginx } from "./nginx.ts";
import { STATUS_PATH } from "./php-fpm.ts";
import type { Premises } from "./premises.ts";

/** Workers of an nginx beside PHP: two CPUs of PHP keep at most one busy, however little the application does. */
export const nginxWorkers = (cpus: readonly number[]): number => Math.ceil(cpus.length / 2);

/** Connections that each worker of nginx may keep to a server: more than there are VUs. */
const KEPT_CONNECTIONS = 2048;

/** What nginx hands requests on to. */
export type Upstream =
  | {
      kind: "php-fpm";
      socket: string;
      /** Document root, and the front controller below it. */
      root: string;
      index: string;
      /** Script that says what PHP runs with. */
      probe: string;
    }
  /** HTTP/1.1 on 127.0.0.1. */
  | { kind: "server"; port: number };

/**
 * nginx in front of one arm's PHP. It stays up when PHP is restarted, so that the port stays the same. A second
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
    options: { arm: Arm; port: number; cpus: readonly number[]; nginx: NginxSettings; upstream: Upstream },
  ) {
    this.#premises = premises;
    this.#arm = options.arm;
    this.#cpus = options.cpus;
    this.url = `${schemeOf(options.nginx)}://127.0.0.1:${options.port}`;
    this.log = premises.log(`nginx-${options.arm}`);
    this.#adminSocket = premises.socket(`admin-${options.arm}`);
    const directory = premises.directory(`nginx-${options.arm}`);
    if (options.nginx.tls) makeCertificate(directory);
    this.#servers = siteServers({
      listen: `127.0.0.1:${options.port}`,
      adminListen: quote(`unix:${this.#adminSocket}`),
      nginx: options.nginx,
      certificates: directory,
      accessLog: join(directory, "access.log"),
      upstream: options.upstream,
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

interface SiteOptions {
  /** What nginx listens on for the service, and for our own questions. */
  listen: string;
  adminListen: string;
  nginx: NginxSettings;
  /** Directory of certificate and key, as nginx sees it; looked at with TLS alone. */
  certificates: string;
  /** File of the access log, as nginx sees it. */
  accessLog: string;
  upstream: Upstream;
}

/** The server blocks of an arm: the service itself and the private listener. */
export function siteServers(options: SiteOptions): string {
  const { upstream, nginx, adminListen } = options;
  const { around, locations, questions } = upstream.kind === "php-fpm" ? fastcgi(upstream) : proxy(upstream, nginx);
  return `${around}
  server {
${frontOf(options)}
    server_name _;
${locations}
  }
  server {
    listen ${adminListen};
    location = /up {
      return 204;
    }${questions}
  }`;
}

/** How the service is spoken to, and what is written down of it. */
function frontOf({ listen, nginx, certificates, accessLog }: SiteOptions): string {
  // nginx 1.25.1 and later prefer a directive of its own, http2, which earlier ones do not know.
  const lines = [`listen ${listen}${nginx.tls ? " ssl" : ""}${nginx.http2 ? " http2" : ""} backlog=4096;`];
  if (nginx.tls) {
    lines.push(
      `ssl_certificate ${quote(join(certificates, CERTIFICATE_FILE))};`,
      `ssl_certificate_key ${quote(join(certificates, KEY_FILE))};`,
      // Its default differs between versions.
      "ssl_protocols TLSv1.2 TLSv1.3;",
    );
  }
  if (nginx.accessLog) lines.push(`access_log ${quote(accessLog)};`);
  return lines.map((line) => `    ${line}`).join("\n");
}

/** What differs between the kinds of upstream: around the servers, and in each of the two. */
interface Parts {
  around: string;
  locations: string;
  questions: string;
}

function fastcgi({ socket, root, index: file, probe }: Extract<Upstream, { kind: "php-fpm" }>): Parts {
  const index = `/${file.replace(/^\/+/, "")}`;
  const pass = `fastcgi_pass ${quote(`unix:${socket}`)};`;
  return {
    around: `  fastcgi_buffer_size 32k;
  fastcgi_buffers 32 16k;
  fastcgi_read_timeout 120s;`,
    locations: `    root ${quote(root)};
    location / {
      try_files $uri ${quote(index, "$is_args$args")};
    }
    location ~ ^(?<script>.+?\\.php)(?<path_info>/.*)?$ {
      try_files $script ${quote(index, "$is_args$args")};
${params("$script", "$document_root$script")}
      fastcgi_param PATH_INFO $path_info;
      ${pass}
    }`,
    questions: `
    location = /status {
${params(STATUS_PATH, STATUS_PATH)}
      ${pass}
    }
    location = /probe {
${params("/probe.php", quote(probe))}
      ${pass}
    }`,
  };
}

function proxy({ port }: Extract<Upstream, { kind: "server" }>, { upstreamKeepAlive }: NginxSettings): Parts {
  const keep = `
    keepalive ${KEPT_CONNECTIONS};
    keepalive_requests 1000000000;
    keepalive_timeout 3600s;`;
  return {
    around: `  upstream php {
    server 127.0.0.1:${port};${upstreamKeepAlive ? keep : ""}
  }
  proxy_buffer_size 32k;
  proxy_buffers 32 16k;
  proxy_read_timeout 120s;`,
    // nginx 1.29.7 and later keep connections unless they are told not to.
    locations: `    location / {
      proxy_pass http://php;
      proxy_http_version 1.1;
      proxy_set_header Connection ${upstreamKeepAlive ? '""' : "close"};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }`,
    questions: "",
  };
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
    ["HTTPS", "$https if_not_empty"],
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

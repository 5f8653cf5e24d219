import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MeasureError } from "../../core/errors.ts";
import type { Child } from "../child.ts";
import { tail } from "../log.ts";
import { requireProgram } from "../programs.ts";
import { waitFor } from "../wait.ts";
import type { Premises } from "./premises.ts";

export const findNginx = (): string => requireProgram("nginx-light", "nginx");

const START_TIMEOUT_MS = 10_000;
/** Each proxied request takes two; 20,000 open files are the least that is usual as a hard limit. */
const CONNECTIONS = 10_000;

/** A whole nginx.conf: what every nginx of ours has, around its servers. */
export function nginxConf(options: {
  /** Directory for temporary files. */
  directory: string;
  pidFile: string;
  workers: number;
  servers: string;
  root: boolean;
}): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${quote(join(options.directory, name))};`)
    .join("\n");
  return `${options.root ? "user root;\n" : ""}daemon off;
worker_processes ${options.workers};
pid ${quote(options.pidFile)};
error_log stderr warn;
events {
  worker_connections ${CONNECTIONS};
}
http {
${temporary}
  types {
    text/html html;
    text/css css;
    application/javascript js;
    application/json json;
    image/svg+xml svg;
    image/png png;
    image/jpeg jpg jpeg;
    font/woff2 woff2;
  }
  default_type application/octet-stream;
  access_log off;
  sendfile on;
  tcp_nodelay on;
  keepalive_timeout 3600s;
  # A connection is closed by who measures, never after a number of requests.
  keepalive_requests 1000000000;
  client_max_body_size 0;
  server_tokens off;
${options.servers}
}
`;
}

/** A value, and nginx variables after it, as a quoted nginx string. Throws where it has a character that nginx would expand. */
export function quote(value: string, variables = ""): string {
  if (/["\\$\n]/.test(value))
    throw new MeasureError(
      `nginx cannot use the path ${JSON.stringify(value)}: it holds one of " \\ $ or a line break`,
    );
  return `"${value}${variables}"`;
}

/** Starts nginx on a configuration and waits until `isUp`; throws MeasureError with the end of its log. */
export async function startNginx(
  premises: Premises,
  options: {
    name: string;
    group: "base" | "head" | "services";
    cpus: readonly number[];
    workers: number;
    servers: string;
    isUp: () => Promise<unknown>;
  },
): Promise<Child> {
  const log = premises.log(options.name);
  const directory = premises.directory(options.name);
  const file = join(directory, "nginx.conf");
  writeFileSync(
    file,
    nginxConf({
      directory,
      pidFile: join(directory, "nginx.pid"),
      workers: options.workers,
      servers: options.servers,
      root: process.getuid?.() === 0,
    }),
  );
  const child = premises.launch([findNginx(), "-p", directory, "-c", file], {
    group: options.group,
    cpus: options.cpus,
    log: options.name,
  });
  const up = await waitFor(
    async () => {
      if (!child.alive) return false;
      return await options.isUp().then(
        () => true,
        () => null,
      );
    },
    { everyMs: 10, timeoutMs: START_TIMEOUT_MS, signal: premises.signal },
  );
  if (up !== true) throw new MeasureError(`nginx (${options.name}) did not start${tail("its log", log)}`);
  return child;
}

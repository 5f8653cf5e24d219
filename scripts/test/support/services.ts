import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import getPort from "get-port";

const run = promisify(execFile);
const START_TIMEOUT_MS = 120_000;
const asRoot = process.getuid?.() === 0;
/** Debian keeps servers in sbin, which an ordinary user's PATH leaves out. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;

/**
 * `Questions` would also count the COM_QUIT of every connection that is closed. Com_admin_commands is the ping of a
 * persistent connection, Com_stmt_* repeat what the statement inside counts.
 */
const STATUS = `SHOW GLOBAL STATUS WHERE Variable_name = 'Connections' OR Variable_name LIKE 'Com\\_%'
  AND Variable_name <> 'Com_admin_commands' AND Variable_name NOT LIKE 'Com\\_stmt\\_%'`;

/** What the services counted since they were started. */
export interface Counters {
  sqlStatements: number;
  dbConnections: number;
  redisCommands: number;
  redisConnections: number;
  httpRequests: number;
  httpConnections: number;
}

export interface Stack {
  /** Where nginx listens, without trailing slash. A request's X-Tree header names the tree that serves it. */
  url: string;
  /** The environment that the application is promised. */
  env: Record<string, string>;
  /** Directory for trees: <trees>/<name>/public is served for `X-Tree: <name>`. */
  trees: string;
  counters(): Promise<Counters>;
  /** The stand-in closes the connections that wait for a request. */
  dropIdleHttp(): void;
  stopRedis(): Promise<void>;
  close(): Promise<void>;
}

/**
 * MariaDB, Redis, an HTTP stand-in and php-fpm behind nginx, with private data on free ports of 127.0.0.1. One php-fpm
 * worker, so that what a persistent connection saves shows from the second request on. Rejects with the log of the
 * program that did not come up, everything torn down.
 */
export async function startStack(options: { workers?: number } = {}): Promise<Stack> {
  for (let tries = 3; ; tries--) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Another program was faster at a port that was free.
      if (tries === 1 || !/in use/i.test(String(error))) throw error;
    }
  }
}

async function startOnce(options: { workers?: number }): Promise<Stack> {
  const directory = await mkdtemp(join(tmpdir(), "perf-gate-app-"));
  const children: ChildProcess[] = [];
  const http = await startHttp();

  async function close(): Promise<void> {
    await Promise.all(children.map(stop));
    http.server.closeAllConnections();
    http.server.close();
    await rm(directory, { recursive: true, force: true });
  }

  /** Starts a program and waits until `ready` stops throwing. */
  async function start(name: string, command: string, args: string[], env: object, ready: () => Promise<unknown>) {
    const log: string[] = [];
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, PATH, ...env } });
    children.push(child);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => log.push(String(chunk)));
    }
    let failure = "";
    child.on("error", (error) => {
      failure = error.message;
    });
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      try {
        await ready();
        return child;
      } catch (error) {
        if (failure !== "" || child.exitCode !== null || Date.now() > deadline) {
          const file = await readFile(join(directory, `${name}.log`), "utf8").catch(() => "");
          throw new Error(`${name} did not come up: ${failure || error}\n${(log.join("") + file).slice(-2000)}`);
        }
        await sleep(20);
      }
    }
  }

  try {
    const [mysqlPort, redisPort, nginxPort] = [await getPort(), await getPort(), await getPort()];
    const socket = join(directory, "mysql.sock");
    const fpmSocket = join(directory, "fpm.sock");
    const trees = join(directory, "trees");
    await mkdir(trees);
    await mkdir(join(directory, "data"));
    const env: Record<string, string> = {
      MYSQL_HOST: "127.0.0.1",
      MYSQL_PORT: String(mysqlPort),
      MYSQL_USER: "app",
      MYSQL_PASSWORD: "app",
      MYSQL_DATABASE: "app",
      REDIS_HOST: "127.0.0.1",
      REDIS_PORT: String(redisPort),
      REDIS_DB: "3",
      HTTP_URL: `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`,
    };
    const sql = async (statement: string) =>
      (await run("mariadb", ["--no-defaults", `--socket=${socket}`, "-u", "root", "-BN", "-e", statement])).stdout;
    const redis = async (...command: string[]) =>
      (await run("redis-cli", ["-h", "127.0.0.1", "-p", String(redisPort), ...command])).stdout;

    const [redisServer] = await Promise.all([
      start(
        "redis-server",
        "redis-server",
        ["--bind", "127.0.0.1", "--port", String(redisPort), "--save", "", "--dir", directory],
        {},
        () => redis("PING"),
      ),
      // No grant tables: nothing to install, every password is right.
      start(
        "mariadbd",
        "mariadbd",
        [
          "--no-defaults",
          `--datadir=${join(directory, "data")}`,
          `--socket=${socket}`,
          "--bind-address=127.0.0.1",
          `--port=${mysqlPort}`,
          "--skip-grant-tables",
          "--innodb-flush-log-at-trx-commit=0",
          ...(asRoot ? ["--user=root"] : []),
        ],
        {},
        () => sql("CREATE DATABASE IF NOT EXISTS app"),
      ),
      writeFile(join(directory, "fpm.conf"), fpmConfig(directory, fpmSocket, options.workers ?? 1, env)),
      writeFile(join(directory, "nginx.conf"), nginxConfig(directory, nginxPort, fpmSocket, trees)),
    ]);
    const url = `http://127.0.0.1:${nginxPort}`;
    await start("php-fpm", findFpm(), ["-F", "-y", join(directory, "fpm.conf"), ...(asRoot ? ["-R"] : [])], {}, () =>
      readFile(fpmSocket).catch((error) => (error.code === "ENXIO" ? null : Promise.reject(error))),
    );
    await start("nginx", "nginx", ["-p", directory, "-c", join(directory, "nginx.conf")], {}, () => fetch(url));

    /** Reading the counters counts too: what one reading adds is measured once and taken off. */
    let readings = 0;
    let reading = { sqlStatements: 0, dbConnections: 0, redisCommands: 0, redisConnections: 0 };
    async function raw() {
      const status = await sql(STATUS);
      const stats = await redis("INFO", "stats");
      return {
        sqlStatements: [...status.matchAll(/^Com_.*\t(\d+)/gm)].reduce((sum, match) => sum + Number(match[1]), 0),
        dbConnections: field(status, /^Connections\t(\d+)/m),
        redisCommands: field(stats, /^total_commands_processed:(\d+)/m),
        redisConnections: field(stats, /^total_connections_received:(\d+)/m),
      };
    }
    const [first, second] = [await raw(), await raw()];
    reading = subtract(second, first);

    return {
      url,
      env,
      trees,
      async counters() {
        const now = await raw();
        readings++;
        return {
          sqlStatements: now.sqlStatements - readings * reading.sqlStatements,
          dbConnections: now.dbConnections - readings * reading.dbConnections,
          redisCommands: now.redisCommands - readings * reading.redisCommands,
          redisConnections: now.redisConnections - readings * reading.redisConnections,
          httpRequests: http.requests(),
          httpConnections: http.connections(),
        };
      },
      dropIdleHttp: () => http.server.closeIdleConnections(),
      stopRedis: () => stop(redisServer),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** after - before, field by field. */
export function subtract<T extends object>(after: T, before: T): T {
  const entries = Object.entries(after).map(([name, value]) => [name, Number(value) - Number(before[name as keyof T])]);
  return Object.fromEntries(entries) as T;
}

function field(text: string, pattern: RegExp): number {
  const match = pattern.exec(text);
  if (match?.[1] === undefined) {
    throw new Error(`no ${pattern} in: ${text}`);
  }
  return Number(match[1]);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
    return;
  }
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), 3000);
  await gone;
  clearTimeout(patience);
}

async function startHttp(): Promise<{ server: Server; requests(): number; connections(): number }> {
  let requests = 0;
  let connections = 0;
  const server = createServer((_request, response) => {
    requests++;
    const body = '{"ok":true}\n';
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length }).end(body);
  });
  server.on("connection", () => {
    connections++;
  });
  // A connection that is kept waits as long as a busy machine takes from one request to the next.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, requests: () => requests, connections: () => connections };
}

/** $PHP_FPM, else the newest php-fpm of this machine. */
function findFpm(): string {
  if (process.env.PHP_FPM) {
    return process.env.PHP_FPM;
  }
  const found = ["/usr/local/sbin", "/usr/sbin", "/sbin"].flatMap((directory) => {
    try {
      return readdirSync(directory)
        .filter((name) => /^php-fpm[\d.]*$/.test(name))
        .map((name) => join(directory, name));
    } catch {
      return [];
    }
  });
  const newest = found.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
  if (newest === undefined) {
    throw new Error("no php-fpm on this machine: apt-get install php-fpm php-mysql php-redis php-curl");
  }
  return newest;
}

function fpmConfig(directory: string, socket: string, workers: number, env: Record<string, string>): string {
  return `[global]
error_log = ${directory}/php-fpm.log
daemonize = no
[www]
${asRoot ? "user = root\ngroup = root" : ""}
listen = ${socket}
pm = static
pm.max_children = ${workers}
catch_workers_output = yes
; A notice or a deprecation breaks the answer, and so the test.
php_admin_flag[display_errors] = on
php_admin_value[error_reporting] = -1
${Object.entries(env)
  .map(([name, value]) => `env[${name}] = ${value}`)
  .join("\n")}
`;
}

function nginxConfig(directory: string, port: number, fpmSocket: string, trees: string): string {
  return `daemon off;
${asRoot ? "user root;" : ""}
worker_processes 1;
pid ${directory}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  fastcgi_temp_path ${directory}/fastcgi;
  proxy_temp_path ${directory}/proxy;
  scgi_temp_path ${directory}/scgi;
  uwsgi_temp_path ${directory}/uwsgi;
  keepalive_requests 1000000;
  upstream fpm { server unix:${fpmSocket}; }
  map $http_x_tree $tree { default clean; "~^[a-z0-9-]+$" $http_x_tree; }
  server {
    listen 127.0.0.1:${port};
    location / {
      fastcgi_pass fpm;
      fastcgi_param SCRIPT_FILENAME ${trees}/$tree/public/index.php;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param REQUEST_URI $request_uri;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param SERVER_PROTOCOL $server_protocol;
    }
  }
}
`;
}

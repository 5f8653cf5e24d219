import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { MeasureError } from "../../core/errors.ts";
import type { Arm } from "../../core/model.ts";
import { tail } from "../log.ts";
import { MysqlClient } from "../mysql-client.ts";
import { requireProgram } from "../programs.ts";
import { waitFor } from "../wait.ts";
import type { Premises } from "./premises.ts";

export interface Mysql {
  port: number;
  user: string;
  password: string;
  client: MysqlClient;
}

export const databaseOf = (arm: Arm): string => `perf_${arm}`;

const USER = "perf";
const START_TIMEOUT_MS = 60_000;

/** Durability, history and caches that would only add noise are off. `loose-`: MariaDB and MySQL differ. */
const SETTINGS = [
  "--bind-address=127.0.0.1",
  "--skip-name-resolve",
  "--max-connections=1000",
  "--back-log=1024",
  "--skip-log-bin",
  "--innodb-flush-log-at-trx-commit=0",
  "--innodb-buffer-pool-size=128M",
  "--innodb-doublewrite=0",
  "--performance-schema=0",
  "--loose-innodb-log-file-size=32M",
  "--loose-query-cache-type=0",
  "--loose-feedback=0",
  "--loose-mysqlx=0",
];

/**
 * Starts one MariaDB or MySQL with a database per arm and one user that owns both. Resolves when it answers.
 * Throws MeasureError with the end of its log.
 */
export async function startMysql(premises: Premises, cpus: readonly number[]): Promise<Mysql> {
  const server = requireProgram("mariadb-server", "mariadbd", "mysqld");
  const client = requireProgram("mariadb-client", "mariadb", "mysql");
  const data = dataDirectory(premises);
  const common = ["--no-defaults", `--datadir=${data}`, ...(process.getuid?.() === 0 ? ["--user=root"] : [])];
  await initialise(premises, server, data, common);

  const port = await premises.port();
  const socket = premises.socket("mysql");
  const password = randomBytes(16).toString("hex");
  const init = join(premises.state, "mysql-init.sql");
  writeFileSync(init, initialSql(password), { mode: 0o600 });
  const child = premises.launch(
    [
      server,
      ...common,
      ...SETTINGS,
      `--port=${port}`,
      `--socket=${socket}`,
      `--pid-file=${join(premises.state, "mysql.pid")}`,
      `--init-file=${init}`,
      `--tmpdir=${premises.directory("mysql-tmp")}`,
    ],
    { group: "services", cpus, log: "mysql" },
  );
  // The socket appears after the init file was executed.
  const up = await waitFor(() => (existsSync(socket) ? true : child.alive ? null : false), {
    everyMs: 10,
    timeoutMs: START_TIMEOUT_MS,
    signal: premises.signal,
  });
  if (up !== true) throw new MeasureError(`${basename(server)} did not start${tail("its log", premises.log("mysql"))}`);
  const asRoot = [client, "--no-defaults", "--user=root", `--socket=${socket}`];
  const connected = await MysqlClient.connect(asRoot, premises.log("mysql-client"));
  premises.atClose(() => connected.close());
  return { port, user: USER, password, client: connected };
}

/** Below `state`; beside the sockets where that path has a space or the like, which mariadb-install-db trips over. */
function dataDirectory(premises: Premises): string {
  if (/^[\w./-]+$/.test(premises.state)) return premises.directory("mysql");
  const data = join(premises.sockets, "mysql");
  mkdirSync(data, { mode: 0o700 });
  return data;
}

/** Fills an empty data directory with the system tables. */
async function initialise(premises: Premises, server: string, data: string, common: string[]): Promise<void> {
  const command = (await isMariaDb(server))
    ? [
        requireProgram("mariadb-server", "mariadb-install-db", "mysql_install_db"),
        ...common,
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--skip-name-resolve",
        "--innodb-log-file-size=32M",
        "--innodb-flush-log-at-trx-commit=0",
        "--innodb-doublewrite=0",
      ]
    : [server, ...common, "--initialize-insecure"];
  const child = premises.launch(command, { group: "services", cpus: null, log: "mysql-init" });
  const result = await child.exited;
  premises.signal.throwIfAborted();
  if (result !== 0)
    throw new MeasureError(
      `cannot set up the data directory ${data} (${result})${tail("log", premises.log("mysql-init"))}`,
    );
}

function isMariaDb(server: string): Promise<boolean> {
  if (basename(server).startsWith("mariadb")) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const child = spawn(server, ["--version"], { stdio: ["ignore", "pipe", "ignore"] });
    let version = "";
    child.stdout.on("data", (text: Buffer) => {
      version += text;
    });
    child.once("error", reject);
    child.once("close", () => resolve(/mariadb/i.test(version)));
  });
}

/** The administrator may come through the private socket alone: it has no password. One statement per line. */
function initialSql(password: string): string {
  const databases = [databaseOf("base"), databaseOf("head")];
  return [
    "DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1';",
    `CREATE USER '${USER}'@'%' IDENTIFIED BY '${password}';`,
    ...databases.flatMap((database) => [
      `CREATE DATABASE ${database} CHARACTER SET utf8mb4;`,
      `GRANT ALL PRIVILEGES ON ${database}.* TO '${USER}'@'%';`,
    ]),
    "",
  ].join("\n");
}

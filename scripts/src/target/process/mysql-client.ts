import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { MeasureError } from "../../core/errors.ts";
import { tail } from "../log.ts";
import type { Premises } from "./premises.ts";

export interface MysqlCounters {
  /** SQL statements the server executed; those of prepared statements and procedures count when they run. */
  statements: number;
  connections: number;
}

/**
 * Counters of statements. Not `Questions`: that counts the goodbye of every connection too, and so would show a lost
 * persistent connection as one more statement. A prepared statement is counted under its own kind when it runs.
 */
const STATUS = "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Com\\_%' OR Variable_name = 'Connections'";
const NOT_STATEMENTS = /^Com_(stmt_|execute_|prepare_|admin_commands)/;

/** Asks the server as administrator, over one connection kept open: every reading costs the server the same. */
export class MysqlClient {
  /** The server's own version string. */
  version = "";
  readonly #process: ChildProcess;
  readonly #log: string;
  #lines: string[] = [];
  #waiting: { end: string; resolve: (lines: string[]) => void; reject: (error: Error) => void } | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #questions = 0;
  #dead: Error | null = null;

  /** The `mariadb` or `mysql` command line client on a private socket. */
  static async connect(premises: Premises, client: string, socket: string): Promise<MysqlClient> {
    const log = openSync(premises.log("mysql-client"), "a");
    const options = ["--no-defaults", "--user=root", `--socket=${socket}`];
    const output = ["--batch", "--skip-column-names", "--unbuffered", "--force", "--no-auto-rehash"];
    const spawned = spawn(client, [...options, ...output], { stdio: ["pipe", "pipe", log] });
    closeSync(log);
    const connected = new MysqlClient(spawned, premises.log("mysql-client"));
    premises.atClose(() => spawned.kill("SIGKILL"));
    connected.version = (await connected.query("SELECT VERSION()"))[0] ?? "";
    return connected;
  }

  private constructor(spawned: ChildProcess, log: string) {
    this.#process = spawned;
    this.#log = log;
    spawned.stdin?.on("error", () => {});
    if (spawned.stdout === null) throw new Error("no output to read");
    createInterface({ input: spawned.stdout }).on("line", (line) => this.#take(line));
    spawned.once("error", () => this.#fail());
    spawned.once("exit", () => this.#fail());
  }

  /** Rows, columns separated by tabs. Rejects with MeasureError once the server is gone. */
  query(sql: string): Promise<string[]> {
    const ask = (): Promise<string[]> =>
      new Promise((resolve, reject) => {
        if (this.#dead !== null) return reject(this.#dead);
        const end = `end-of-answer-${++this.#questions}`;
        this.#waiting = { end, resolve, reject };
        this.#process.stdin?.write(`${sql};\nSELECT '${end}';\n`);
      });
    const answer = this.#queue.then(ask, ask);
    this.#queue = answer;
    return answer;
  }

  /** Counters as they stand, this very reading included. */
  async counters(): Promise<MysqlCounters> {
    const counters: MysqlCounters = { statements: 0, connections: 0 };
    for (const row of await this.query(STATUS)) {
      const [name = "", value = ""] = row.split("\t");
      if (name === "Connections") counters.connections = Number(value);
      else if (!NOT_STATEMENTS.test(name)) counters.statements += Number(value);
    }
    return counters;
  }

  #take(line: string): void {
    if (this.#waiting === null) return;
    if (line !== this.#waiting.end) {
      this.#lines.push(line);
      return;
    }
    const { resolve } = this.#waiting;
    const lines = this.#lines;
    this.#waiting = null;
    this.#lines = [];
    resolve(lines);
  }

  #fail(): void {
    this.#dead = new MeasureError(`the connection to MySQL was lost${tail("client", this.#log)}`);
    this.#waiting?.reject(this.#dead);
    this.#waiting = null;
  }
}

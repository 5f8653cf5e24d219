import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { MeasureError } from "../core/errors.ts";
import { tail } from "./log.ts";
import type { ServiceCounters } from "./target.ts";

/** `sqlStatements` are those the server executed: of prepared statements and procedures when they run. */
export type MysqlCounters = Required<Pick<ServiceCounters, "sqlStatements" | "dbConnections">>;

/**
 * Counters of statements. Not `Questions`: that counts the goodbye of every connection too, and so would show a lost
 * persistent connection as one more statement. A prepared statement is counted under its own kind when it runs.
 */
const STATUS = "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Com\\_%' OR Variable_name = 'Connections'";
/** What one line holds, and that it is printed at once. */
const OUTPUT = ["--batch", "--skip-column-names", "--unbuffered", "--force", "--no-auto-rehash"];
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

  /**
   * Starts the `mariadb` or `mysql` command line client and asks it for the version.
   *
   * @param command the client, with what it needs to get in as administrator
   * @param log file for what it complains about
   */
  static async connect(command: readonly string[], log: string): Promise<MysqlClient> {
    const complaints = openSync(log, "a");
    const [program = "", ...args] = [...command, ...OUTPUT];
    const spawned = spawn(program, args, { stdio: ["pipe", "pipe", complaints] });
    closeSync(complaints);
    const connected = new MysqlClient(spawned, log);
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

  close(): void {
    this.#process.kill("SIGKILL");
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
    const counters: MysqlCounters = { sqlStatements: 0, dbConnections: 0 };
    for (const row of await this.query(STATUS)) {
      const [name = "", value = ""] = row.split("\t");
      if (name === "Connections") counters.dbConnections = Number(value);
      else if (!NOT_STATEMENTS.test(name)) counters.sqlStatements += Number(value);
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

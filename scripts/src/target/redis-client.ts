import { connect, type Socket } from "node:net";
import { MeasureError } from "../core/errors.ts";

/** For the connection and the first answer. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Asks Redis for INFO over one connection kept open. */
export class RedisClient {
  version = "";
  readonly #socket: Socket;
  #received = "";
  #waiting: { resolve: (text: string) => void; reject: (error: Error) => void } | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #dead: Error | null = null;

  /** Rejects with what was wrong: no connection, no answer within 5 s, or what the server says (NOAUTH). */
  static async connect(host: string, port: number, timeoutMs = CONNECT_TIMEOUT_MS): Promise<RedisClient> {
    const socket = connect({ host, port });
    const client = new RedisClient(socket);
    const late = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    try {
      client.version = await client.#info("server", "redis_version");
      return client;
    } catch (error) {
      client.close();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    let why = "";
    socket.on("error", (error) => {
      why = `: ${error.message}`;
    });
    socket.on("data", (data: Buffer) => this.#take(data.toString("latin1")));
    socket.on("close", () => {
      this.#dead = new MeasureError(`the connection to Redis was lost${why}`);
      this.#waiting?.reject(this.#dead);
      this.#waiting = null;
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Commands processed as they stand; each reading adds the same to it. */
  async counters(): Promise<{ redisCommands: number }> {
    return { redisCommands: Number(await this.#info("stats", "total_commands_processed")) };
  }

  async #info(section: string, field: string): Promise<string> {
    const ask = (): Promise<string> =>
      new Promise((resolve, reject) => {
        if (this.#dead !== null) return reject(this.#dead);
        this.#waiting = { resolve, reject };
        this.#socket.write(`INFO ${section}\r\n`);
      });
    const answer = this.#queue.then(ask, ask);
    this.#queue = answer;
    const text = await answer;
    return new RegExp(`^${field}:(.*)$`, "m").exec(text)?.[1]?.trim() ?? "";
  }

  /** The answer is a bulk string: $<length>CRLF<text>CRLF; or one line, which is an error. */
  #take(text: string): void {
    this.#received += text;
    const head = /^(.*)\r\n/.exec(this.#received);
    if (head === null) return;
    const [line, said = ""] = head;
    const length = /^\$(\d+)$/.exec(said)?.[1];
    if (length === undefined) {
      this.#waiting?.reject(new MeasureError(`Redis answers ${said.replace(/^-/, "").slice(0, 200)}`));
      this.#received = "";
    } else {
      const end = line.length + Number(length);
      if (this.#received.length < end + 2) return;
      this.#waiting?.resolve(this.#received.slice(line.length, end));
      this.#received = this.#received.slice(end + 2);
    }
    this.#waiting = null;
  }
}

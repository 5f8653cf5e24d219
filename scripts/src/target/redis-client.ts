import { connect, type Socket } from "node:net";
import { MeasureError } from "../core/errors.ts";

/** Asks Redis for INFO over one connection kept open. */
export class RedisClient {
  version = "";
  readonly #socket: Socket;
  #received = "";
  #waiting: { resolve: (text: string) => void; reject: (error: Error) => void } | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #dead: Error | null = null;

  static async connect(host: string, port: number): Promise<RedisClient> {
    const socket = connect({ host, port });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", () => resolve());
      socket.once("error", reject);
    });
    const client = new RedisClient(socket);
    client.version = await client.#info("server", "redis_version");
    return client;
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => this.#take(data.toString("latin1")));
    socket.on("close", () => {
      this.#dead = new MeasureError("the connection to Redis was lost");
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

  /** The answer is a bulk string: $<length>CRLF<text>CRLF. */
  #take(text: string): void {
    this.#received += text;
    const head = /^\$(\d+)\r\n/.exec(this.#received);
    if (head === null) return;
    const end = head[0].length + Number(head[1]);
    if (this.#received.length < end + 2) return;
    const body = this.#received.slice(head[0].length, end);
    this.#received = this.#received.slice(end + 2);
    this.#waiting?.resolve(body);
    this.#waiting = null;
  }
}

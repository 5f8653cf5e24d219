import { connect, type Socket } from "node:net";
import { MeasureError } from "../../core/errors.ts";
import type { Arm } from "../../core/model.ts";
import { tail } from "../log.ts";
import { requireProgram } from "../programs.ts";
import { waitFor } from "../wait.ts";
import type { Premises } from "./premises.ts";

export interface Redis {
  port: number;
  client: RedisClient;
}

/** Redis database number of an arm. */
export const redisDatabaseOf = (arm: Arm): number => (arm === "base" ? 0 : 1);

const START_TIMEOUT_MS = 20_000;

/** Starts one Redis that keeps nothing. Resolves when it answers; throws MeasureError with the end of its log. */
export async function startRedis(premises: Premises, cpus: readonly number[]): Promise<Redis> {
  const server = requireProgram("redis-server", "redis-server", "valkey-server");
  const port = await premises.port();
  const settings: Record<string, string> = {
    "--bind": "127.0.0.1",
    "--port": `${port}`,
    "--dir": premises.directory("redis"),
    "--save": "",
    "--appendonly": "no",
    "--daemonize": "no",
    "--tcp-backlog": "4096",
    "--databases": "16",
  };
  const child = premises.launch([server, ...Object.entries(settings).flat()], {
    group: "services",
    cpus,
    log: "redis",
  });
  const client = await waitFor(
    async () => {
      if (!child.alive) return false;
      return await RedisClient.connect(premises, port).catch(() => null);
    },
    { everyMs: 10, timeoutMs: START_TIMEOUT_MS, signal: premises.signal },
  );
  if (client === null || client === false)
    throw new MeasureError(`Redis did not start${tail("its log", premises.log("redis"))}`);
  return { port, client };
}

/** Asks Redis for INFO over one connection kept open. */
export class RedisClient {
  version = "";
  readonly #socket: Socket;
  #received = "";
  #waiting: { resolve: (text: string) => void; reject: (error: Error) => void } | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #dead: Error | null = null;

  static async connect(premises: Premises, port: number): Promise<RedisClient> {
    const socket = connect({ host: "127.0.0.1", port });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", () => resolve());
      socket.once("error", reject);
    });
    const client = new RedisClient(socket);
    premises.atClose(() => socket.destroy());
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

  /** Commands processed as they stand; each reading adds the same to it. */
  async commands(): Promise<number> {
    return Number(await this.#info("stats", "total_commands_processed"));
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

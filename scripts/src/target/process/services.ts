import type { Arm, ServiceName } from "../../core/model.ts";
import { Counters } from "../counters.ts";
import { SERVICE_LABEL, type ServiceCounters } from "../target.ts";
import { startHttpStandIn } from "./http-stand-in.ts";
import { databaseOf, type Mysql, startMysql } from "./mysql.ts";
import type { Premises } from "./premises.ts";
import { type Redis, redisDatabaseOf, startRedis } from "./redis.ts";

/** The backing services, one of each for both arms; absent = neither needs it. */
export class Services {
  readonly #mysql: Mysql | null;
  readonly #redis: Redis | null;
  readonly #httpUrl: string | null;
  readonly #counters: Counters;

  /** Starts the named services side by side. Throws MeasureError, with whatever came up left to the premises. */
  static async start(
    premises: Premises,
    names: readonly ServiceName[],
    cpus: readonly number[],
    progress: (line: string) => void,
  ): Promise<Services> {
    const begin = <T>(name: ServiceName, start: () => Promise<T>): Promise<T> | null => {
      if (!names.includes(name)) return null;
      progress(`starting ${SERVICE_LABEL[name]}`);
      return start();
    };
    const [mysql, redis, httpUrl] = await allOrFirstError([
      begin("mysql", () => startMysql(premises, cpus)),
      begin("redis", () => startRedis(premises, cpus)),
      begin("http", () => startHttpStandIn(premises, cpus)),
    ]);
    const readers = [mysql?.client, redis?.client].flatMap((client) => client ?? []);
    const counters = await Counters.of(readers.map((client) => () => client.counters()));
    return new Services(mysql, redis, httpUrl, counters);
  }

  private constructor(mysql: Mysql | null, redis: Redis | null, httpUrl: string | null, counters: Counters) {
    this.#counters = counters;
    this.#mysql = mysql;
    this.#redis = redis;
    this.#httpUrl = httpUrl;
  }

  /** What an arm's processes find these services by. */
  environment(arm: Arm, names: readonly ServiceName[]): Record<string, string> {
    const variables: Record<string, string> = {};
    if (this.#mysql !== null && names.includes("mysql")) {
      variables.MYSQL_HOST = "127.0.0.1";
      variables.MYSQL_PORT = `${this.#mysql.port}`;
      variables.MYSQL_USER = this.#mysql.user;
      variables.MYSQL_PASSWORD = this.#mysql.password;
      variables.MYSQL_DATABASE = databaseOf(arm);
    }
    if (this.#redis !== null && names.includes("redis")) {
      variables.REDIS_HOST = "127.0.0.1";
      variables.REDIS_PORT = `${this.#redis.port}`;
      variables.REDIS_DB = `${redisDatabaseOf(arm)}`;
    }
    if (this.#httpUrl !== null && names.includes("http")) variables.HTTP_URL = this.#httpUrl;
    return variables;
  }

  counters(): Promise<ServiceCounters> {
    return this.#counters.read();
  }

  versions(): Record<string, string> {
    return {
      ...(this.#mysql === null ? {} : { mysql: this.#mysql.client.version }),
      ...(this.#redis === null ? {} : { redis: this.#redis.client.version }),
    };
  }
}

/** Waits for all, so that nothing is still starting when it rejects with the first error. */
export async function allOrFirstError<T extends readonly unknown[]>(
  promises: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises) as Promise<{ [K in keyof T]: Awaited<T[K]> }>;
}

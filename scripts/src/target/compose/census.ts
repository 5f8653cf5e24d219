import { MeasureError } from "../../core/errors.ts";
import { type CounterReader, Counters } from "../counters.ts";
import { MysqlClient } from "../mysql-client.ts";
import { RedisClient } from "../redis-client.ts";
import type { ServiceCounters } from "../target.ts";
import type { Container } from "./container.ts";
import type { Place } from "./gateway.ts";

const REDIS_PORT = 6379;
/** In a container of the official images of MySQL and MariaDB: their client, as administrator. */
const AS_MYSQL_ROOT =
  "MYSQL_PWD=$(printenv MARIADB_ROOT_PASSWORD || printenv MYSQL_ROOT_PASSWORD) " +
  'exec "$(command -v mysql || command -v mariadb)" --no-defaults --user=root "$@"';

/** Connections to the servers that the census asks, kept open. */
export class CensusClients {
  /** Server -> version. */
  readonly versions: Record<string, string> = {};
  readonly #clients: { close(): void }[] = [];
  #counters: Counters | null = null;

  /**
   * Throws MeasureError naming the key and what the server said. `log` takes what the clients complain about.
   *
   * @param reach where a port of a container is for this process
   */
  async connect(
    mysql: readonly Container[],
    redis: readonly Container[],
    reach: (container: Container, port: number) => Promise<Place>,
    log: string,
  ): Promise<void> {
    const readers: CounterReader[] = [];
    const use = (name: string, client: { version: string; counters: CounterReader; close(): void }) => {
      this.#clients.push(client);
      this.versions[name] = client.version;
      readers.push(() => client.counters());
    };
    for (const { id, service } of mysql) {
      const command = ["docker", "exec", "--interactive", id, "sh", "-c", AS_MYSQL_ROOT, "sh"];
      const client = await MysqlClient.connect(command, log).catch((error: Error) => {
        const how = "as root, with MYSQL_ROOT_PASSWORD or MARIADB_ROOT_PASSWORD of its container";
        throw new MeasureError(
          `target.census.mysql: cannot ask ${service} ${how}: ${error.message}\n` +
            "Set one of them in the compose file, or remove target.census.mysql",
        );
      });
      use("mysql", client);
    }
    for (const container of redis) {
      const { host, port } = await reach(container, REDIS_PORT);
      const client = await RedisClient.connect(host, port).catch((error: Error) => {
        throw new MeasureError(
          `target.census.redis: cannot ask ${container.service} on port ${REDIS_PORT}: ${error.message}. ` +
            "It is asked for INFO without a password: remove that in the compose file, or target.census.redis",
        );
      });
      use("redis", client);
    }
    this.#counters = await Counters.of(readers);
  }

  async read(): Promise<ServiceCounters> {
    return (await this.#counters?.read()) ?? {};
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

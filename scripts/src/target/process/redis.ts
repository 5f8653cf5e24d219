import { MeasureError } from "../../core/errors.ts";
import type { Arm } from "../../core/model.ts";
import { tail } from "../log.ts";
import { requireProgram } from "../programs.ts";
import { RedisClient } from "../redis-client.ts";
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
      return await RedisClient.connect("127.0.0.1", port).catch(() => null);
    },
    { everyMs: 10, timeoutMs: START_TIMEOUT_MS, signal: premises.signal },
  );
  if (client === null || client === false)
    throw new MeasureError(`Redis did not start${tail("its log", premises.log("redis"))}`);
  premises.atClose(() => client.close());
  return { port, client };
}

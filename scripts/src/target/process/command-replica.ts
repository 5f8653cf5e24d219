import { MeasureError } from "../../core/errors.ts";
import type { Arm, TargetConfig } from "../../core/model.ts";
import type { Child } from "../child.ts";
import { waitUntilHealthy } from "../health.ts";
import { tail } from "../log.ts";
import type { Premises } from "./premises.ts";
import type { Replica, ReplicaOptions } from "./replica.ts";

/** A server of the user's own may want to say goodbye. */
const STOP_GRACE_MS = 2_000;

/** The `start:` command of the configuration, listening on $PORT. */
export class CommandReplica implements Replica {
  readonly arm: Arm;
  readonly url: string;
  readonly #premises: Premises;
  readonly #config: TargetConfig;
  readonly #command: string;
  readonly #options: ReplicaOptions;
  #server: Child | null = null;

  constructor(premises: Premises, config: TargetConfig, command: string, options: ReplicaOptions) {
    this.arm = options.arm;
    this.url = `http://127.0.0.1:${options.port}`;
    this.#premises = premises;
    this.#config = config;
    this.#command = command;
    this.#options = options;
  }

  get alive(): boolean {
    return this.#server?.alive ?? false;
  }

  async restart(): Promise<void> {
    await this.#server?.stop("SIGTERM", STOP_GRACE_MS);
    const name = `server-${this.arm}`;
    const evidence = (): string => tail("its log", this.#premises.log(name));
    const server = this.#premises.launch(["bash", "-c", this.#command], {
      group: this.arm,
      cpus: this.#options.cpus,
      log: name,
      cwd: this.#options.directory,
      env: { ...this.#options.env, PORT: `${this.#options.port}` },
    });
    this.#server = server;
    await waitUntilHealthy({
      arm: this.arm,
      url: this.url + this.#config.healthPath,
      host: this.#config.host,
      signal: this.#premises.signal,
      stillAlive: () => {
        if (!server.alive) throw new MeasureError(`${this.arm}: target.start ended: ${this.#command}${evidence()}`);
      },
      evidence,
    });
  }

  async php(): Promise<null> {
    return null;
  }

  async front(): Promise<null> {
    return null;
  }
}

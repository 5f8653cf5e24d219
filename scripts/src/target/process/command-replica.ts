import { MeasureError } from "../../core/errors.ts";
import type { Arm, TargetConfig } from "../../core/model.ts";
import type { Child } from "../child.ts";
import { FrontLogs } from "../front.ts";
import { waitUntilHealthy } from "../health.ts";
import { tail } from "../log.ts";
import type { FrontState } from "../target.ts";
import type { Premises } from "./premises.ts";
import type { Replica, ReplicaOptions } from "./replica.ts";
import { Site } from "./site.ts";

/** A server of the user's own may want to say goodbye. */
const STOP_GRACE_MS = 2_000;

interface Options extends ReplicaOptions {
  command: string;
  /** What the command listens on; that of the replica where nothing is in front of it. */
  serverPort: number;
}

/** The `start:` command of the configuration, listening on $PORT; behind nginx where that is asked for. */
export class CommandReplica implements Replica {
  readonly arm: Arm;
  readonly url: string;
  readonly #premises: Premises;
  readonly #config: TargetConfig;
  readonly #options: Options;
  readonly #front: { site: Site; logs: FrontLogs } | null;
  #server: Child | null = null;

  constructor(premises: Premises, config: TargetConfig, options: Options) {
    this.arm = options.arm;
    this.#premises = premises;
    this.#config = config;
    this.#options = options;
    this.#front = config.nginx.proxy ? frontOf(premises, config, options) : null;
    this.url = this.#front?.site.url ?? `http://127.0.0.1:${options.serverPort}`;
  }

  get alive(): boolean {
    return (this.#server?.alive ?? false) && (this.#front?.site.alive ?? true);
  }

  async restart(): Promise<void> {
    const { command, cpus, directory, env, serverPort } = this.#options;
    await this.#server?.stop("SIGTERM", STOP_GRACE_MS);
    const server = this.#premises.launch(["bash", "-c", command], {
      group: this.arm,
      cpus,
      log: `server-${this.arm}`,
      cwd: directory,
      env: { ...env, PORT: `${serverPort}` },
    });
    this.#server = server;
    await this.#front?.site.ensureUp();
    this.#front?.logs.reset();
    await waitUntilHealthy({
      arm: this.arm,
      url: this.url + this.#config.healthPath,
      host: this.#config.host,
      selfSigned: this.#config.nginx.tls,
      signal: this.#premises.signal,
      stillAlive: () => {
        if (!server.alive) throw new MeasureError(`${this.arm}: target.start ended: ${command}${this.#evidence()}`);
        if (!this.alive) throw new MeasureError(`nginx of ${this.arm} died${this.#evidence()}`);
      },
      evidence: () => this.#evidence(),
    });
  }

  async php(): Promise<null> {
    return null;
  }

  async front(): Promise<FrontState | null> {
    if (this.#front === null) return null;
    const { listenOverflows, portErrors } = this.#front.logs.update();
    return { listenOverflows, portErrors, listenQueueMax: 0, maxChildrenReached: 0 };
  }

  #evidence(): string {
    const log = tail("its log", this.#premises.log(`server-${this.arm}`));
    return this.#front === null ? log : log + tail("nginx", this.#front.site.log);
  }
}

function frontOf(premises: Premises, { nginx }: TargetConfig, options: Options): { site: Site; logs: FrontLogs } {
  const site = new Site(premises, { ...options, nginx, upstream: { kind: "server", port: options.serverPort } });
  return { site, logs: new FrontLogs(site.log) };
}

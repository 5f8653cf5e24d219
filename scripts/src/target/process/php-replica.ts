import { existsSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { MeasureError } from "../../core/errors.ts";
import type { Arm, PhpState, TargetConfig } from "../../core/model.ts";
import { FrontLogs } from "../front.ts";
import { waitUntilHealthy } from "../health.ts";
import { tail } from "../log.ts";
import type { FrontState } from "../target.ts";
import { choosePhpFpm, PhpFpm } from "./php-fpm.ts";
import type { Premises } from "./premises.ts";
import { PROBE_SCRIPT, type ProbeAnswer, phpState } from "./probe.ts";
import type { Replica, ReplicaOptions } from "./replica.ts";
import { Site } from "./site.ts";

/** php-fpm behind nginx. */
export class PhpReplica implements Replica {
  readonly arm: Arm;
  readonly #premises: Premises;
  readonly #config: TargetConfig;
  readonly #fpm: PhpFpm;
  readonly #site: Site;
  readonly #logs: FrontLogs;

  /** Throws MeasureError where the document root or the front controller is missing. */
  constructor(premises: Premises, config: TargetConfig, options: ReplicaOptions) {
    this.arm = options.arm;
    this.#premises = premises;
    this.#config = config;
    const root = resolve(options.directory, config.root);
    checkDocumentRoot(options.arm, root, config);
    this.#fpm = new PhpFpm(premises, {
      ...options,
      binary: choosePhpFpm(config.php),
      settings: config.php,
    });
    const probe = join(premises.directory(`php-${options.arm}`), "probe.php");
    writeFileSync(probe, PROBE_SCRIPT);
    this.#site = new Site(premises, {
      ...options,
      nginx: config.nginx,
      upstream: { kind: "php-fpm", socket: this.#fpm.socket, root, index: config.index, probe },
    });
    this.#logs = new FrontLogs(this.#site.log, this.#fpm.log, this.#fpm.errorLog);
  }

  get url(): string {
    return this.#site.url;
  }

  get alive(): boolean {
    return this.#fpm.alive && this.#site.alive && this.#logs.update().workersDied === 0;
  }

  async restart(): Promise<void> {
    await Promise.all([this.#fpm.restart(), this.#site.ensureUp()]);
    this.#logs.reset();
    await waitUntilHealthy({
      arm: this.arm,
      url: this.url + this.#config.healthPath,
      host: this.#config.host,
      selfSigned: this.#config.nginx.tls,
      signal: this.#premises.signal,
      stillAlive: () => {
        if (!this.#fpm.alive) throw new MeasureError(`php-fpm of ${this.arm} died${this.#evidence()}`);
        if (!this.#site.alive) throw new MeasureError(`nginx of ${this.arm} died${this.#evidence()}`);
      },
      evidence: () => this.#evidence(),
    });
  }

  async php(): Promise<PhpState | null> {
    const answer = await this.#site.ask("probe");
    return answer === null ? null : phpState(answer as ProbeAnswer, this.#config.php);
  }

  async front(): Promise<FrontState> {
    // A runtime that died or hangs still has its logs.
    const status = ((await this.#site.ask("status")) ?? {}) as Record<string, number>;
    const { listenOverflows, portErrors } = this.#logs.update();
    return {
      listenOverflows,
      portErrors,
      listenQueueMax: Math.max(0, status["max listen queue"] ?? 0),
      maxChildrenReached: status["max children reached"] ?? 0,
    };
  }

  #evidence(): string {
    return tail("PHP errors", this.#fpm.errorLog) + tail("php-fpm", this.#fpm.log) + tail("nginx", this.#site.log);
  }
}

function checkDocumentRoot(arm: Arm, root: string, config: TargetConfig): void {
  const hint = "it is looked for after the prepare commands ran";
  if (!existsSync(root) || !statSync(root).isDirectory())
    throw new MeasureError(`target.root: ${root} of ${arm} is not a directory (${hint})`);
  if (!existsSync(join(root, config.index)))
    throw new MeasureError(`target.index: ${join(root, config.index)} of ${arm} does not exist (${hint})`);
}

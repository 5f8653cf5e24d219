import { MeasureError } from "../../core/errors.ts";
import { ARMS, type Arm, type PhpState } from "../../core/model.ts";
import { waitUntilHealthy } from "../health.ts";
import { get } from "../http.ts";
import { type ProbeAnswer, phpState } from "../process/probe.ts";
import type { FrontState, ServiceCounters, StartOptions, StartTarget, Target, Usage } from "../target.ts";
import { CensusClients } from "./census.ts";
import { type Container, enginePids, parentOf, usageOf } from "./container.ts";
import { checkEngine } from "./engine-check.ts";
import { Stack } from "./stack.ts";

/** Driver `compose`: both arms as compose projects of their own, what they share as a third. */
export const startCompose: StartTarget = async (options) => {
  const versions = await checkEngine(options.plan.config, options.signal);
  const target = new ComposeTarget(options, versions);
  try {
    await target.start();
    return target;
  } catch (error) {
    await target.close();
    throw error;
  }
};

class ComposeTarget implements Target {
  readonly host: string;
  readonly #options: StartOptions;
  readonly #versions: Record<string, string>;
  readonly #stack: Stack;
  readonly #census = new CensusClients();
  readonly #engine = enginePids();
  #closing: Promise<void> | null = null;

  constructor(options: StartOptions, versions: Record<string, string>) {
    this.#options = options;
    this.#versions = versions;
    this.#stack = new Stack(options);
    this.host = options.plan.config.target.host;
  }

  async start(): Promise<void> {
    await this.#stack.start();
    const named = (service: string | null) => this.#stack.all.filter((container) => container.service === service);
    const { mysql, redis } = this.#stack.recipe.census;
    await this.#census.connect(named(mysql), named(redis), this.#stack.log("mysql-client"));
    for (const arm of ARMS) await this.#healthy(arm);
  }

  url(arm: Arm): string {
    return `http://${this.#address(arm)}:${this.#stack.recipe.port}`;
  }

  async restart(): Promise<void> {
    await this.#stack.restart();
    for (const arm of ARMS) await this.#healthy(arm);
  }

  async php(arm: Arm): Promise<PhpState | null> {
    const answer = await this.#ask(arm, "probe");
    return answer === null ? null : phpState(answer as ProbeAnswer, this.#options.plan.config.target.php);
  }

  async versions(): Promise<Record<string, string>> {
    const php = (await this.php("base"))?.version;
    return { ...(php === undefined ? {} : { php }), ...this.#census.versions, ...this.#versions };
  }

  usage(arm: Arm): Usage | null {
    return usageOf(this.#target(arm));
  }

  servicesUsage(): Usage | null {
    const targets = ARMS.flatMap((arm) => this.#target(arm));
    const others = this.#stack.all.filter((container) => !targets.includes(container));
    return others.length === 0 ? null : usageOf(others);
  }

  async front(arm: Arm): Promise<FrontState> {
    const status = ((await this.#ask(arm, "status")) ?? {}) as Record<string, number>;
    const counts = this.#target(arm).map((container) => container.counts);
    return {
      listenOverflows: counts.reduce((sum, { listenOverflows }) => sum + listenOverflows, 0),
      portErrors: counts.reduce((sum, { portErrors }) => sum + portErrors, 0),
      listenQueueMax: Math.max(0, status["max listen queue"] ?? 0),
      maxChildrenReached: status["max children reached"] ?? 0,
    };
  }

  counters(): Promise<ServiceCounters> {
    return this.#census.read();
  }

  /** The containers' own processes, what was started in them from outside, and the engine that carries their output. */
  roots(): number[] {
    return [...this.#engine, ...this.#stack.all.flatMap(({ pid }) => [pid, ...parentOf(pid)])];
  }

  namespaces(): number[] {
    const targets = ARMS.flatMap((arm) => this.#target(arm));
    return targets.flatMap((container) => (container.networkOf === null ? [container.pid] : []));
  }

  alive(arm: Arm): boolean {
    return this.#target(arm).every((container) => container.alive);
  }

  close(): Promise<void> {
    this.#census.close();
    this.#closing ??= this.#stack.close();
    return this.#closing;
  }

  /** What answers HTTP and what is restarted with every block. */
  #target(arm: Arm): Container[] {
    const { service, restart } = this.#stack.recipe;
    return this.#stack.containers[arm].filter((it) => it.service === service || restart.includes(it.service));
  }

  #healthy(arm: Arm): Promise<void> {
    const { plan, signal } = this.#options;
    const target = this.#target(arm);
    return waitUntilHealthy({
      arm,
      url: this.url(arm) + plan.config.target.healthPath,
      host: this.host,
      signal,
      stillAlive: () => {
        const dead = target.find((container) => !container.alive);
        if (dead !== undefined) throw new MeasureError(`${dead.service} of ${arm} died${dead.evidence()}`);
      },
      evidence: () => this.#stack.movedHint() + target.map((container) => container.evidence()).join(""),
    }).catch(async (error: Error) => {
      signal.throwIfAborted();
      // One that has died is the better explanation.
      await this.#stack.lookAt(arm);
      throw error;
    });
  }

  #address(arm: Arm): string {
    const { service } = this.#stack.recipe;
    const container = this.#stack.container(arm, service);
    const owner = this.#stack.all.find(({ id }) => id === container?.networkOf) ?? container;
    const address = owner?.address();
    if (address) return address;
    throw new MeasureError(
      `target.service: ${service} of ${arm} has no address in any network; give it one in the compose file`,
    );
  }

  /** FPM's own status or our probe, by way of a port that only the bundled target has. */
  async #ask(arm: Arm, what: "status" | "probe"): Promise<unknown> {
    const { adminPort } = this.#stack.recipe;
    if (adminPort === null) return null;
    try {
      return JSON.parse((await get(`http://${this.#address(arm)}:${adminPort}/${what}?json`)).body);
    } catch {
      return null;
    }
  }
}

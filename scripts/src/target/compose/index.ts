import { Agent } from "node:http";
import { MeasureError } from "../../core/errors.ts";
import { K6_IMAGE } from "../../core/k6.ts";
import { ARMS, type Arm, type PhpState } from "../../core/model.ts";
import { waitUntilHealthy } from "../health.ts";
import { get, schemeOf } from "../http.ts";
import { type ProbeAnswer, phpState } from "../process/probe.ts";
import type { FrontState, ServiceCounters, StartOptions, StartTarget, Target, Usage } from "../target.ts";
import { CensusClients } from "./census.ts";
import { type Container, engineCpuSeconds, enginePids, parentOf, usageOf } from "./container.ts";
import { checkEngine, type EngineFacts } from "./engine-check.ts";
import type { Gateway } from "./gateway.ts";
import { Stack } from "./stack.ts";

const UNWATCHED =
  "the engine runs in a virtual machine, or on another one, where CPU time and sockets cannot be seen from here: other load on its CPUs, a saturated k6 and full listen queues could not be watched";

/** Driver `compose`: both arms as compose projects of their own, what they share as a third. */
export const startCompose: StartTarget = async (options) => {
  const engine = await checkEngine(options.plan, options.signal);
  const target = new ComposeTarget(options, engine);
  try {
    await target.start();
    return target;
  } catch (error) {
    await target.close();
    throw error;
  }
};

class ComposeTarget implements Target {
  readonly warnings: string[] = [];
  generator: Gateway | null = null;
  readonly #options: StartOptions;
  readonly #versions: Record<string, string>;
  readonly #stack: Stack;
  /** One connection each for what is asked between slots. */
  readonly #admin = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #census = new CensusClients();
  readonly #engine = enginePids();
  #closing: Promise<void> | null = null;

  constructor(options: StartOptions, { versions, rootless }: EngineFacts) {
    this.#options = options;
    this.#versions = versions;
    this.#stack = new Stack(options, rootless);
  }

  async start(): Promise<void> {
    await this.#stack.start();
    const [mysql, redis] = [this.#stack.counted("mysql"), this.#stack.counted("redis")];
    const reach = (container: Container, port: number) => this.#stack.reach(container, port);
    await this.#census.connect(mysql, redis, reach, this.#stack.log("mysql-client"));
    for (const arm of ARMS) await this.#healthy(arm);
    this.generator = await this.#stack.gateway();
    if (!this.#stack.all.every(({ local, pid }) => local || pid === 0)) this.warnings.push(UNWATCHED);
  }

  url(arm: Arm): string {
    const { port, target } = this.#stack.recipes[arm];
    return `${schemeOf(target.nginx)}://${this.#stack.address(this.#front(arm))}:${port}`;
  }

  host(arm: Arm): string {
    return this.#stack.recipes[arm].target.host;
  }

  hostUrl(arm: Arm): Promise<string> {
    const { port, target } = this.#stack.recipes[arm];
    return this.#hostUrl(arm, schemeOf(target.nginx), port);
  }

  async restart(): Promise<void> {
    await this.#stack.restart();
    for (const arm of ARMS) await this.#healthy(arm);
  }

  async php(arm: Arm): Promise<PhpState | null> {
    const answer = await this.#ask(arm, "probe");
    return answer === null ? null : phpState(answer as ProbeAnswer, this.#stack.recipes[arm].target.php);
  }

  async versions(): Promise<Record<string, string>> {
    const php = (await this.php("head"))?.version;
    return {
      ...(php === undefined ? {} : { php }),
      ...this.#census.versions,
      ...this.#versions,
      ...(this.generator === null ? {} : { "k6 image": K6_IMAGE }),
    };
  }

  usage(arm: Arm): Usage | null {
    return usageOf(this.#target(arm));
  }

  servicesUsage(): Usage | null {
    const targets = ARMS.flatMap((arm) => this.#target(arm));
    const others = this.#stack.all.filter((container) => !targets.includes(container));
    const usage = others.length === 0 ? null : usageOf(others);
    return usage && { ...usage, cpuSeconds: usage.cpuSeconds + engineCpuSeconds(this.#engine) };
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
    const containers = this.#stack.all.flatMap(({ local, pid }) => (local ? [pid] : []));
    const pids = [...containers, ...(this.generator?.pids ?? [])];
    return [...this.#engine, ...pids.flatMap((pid) => [pid, ...parentOf(pid)])];
  }

  namespaces(): number[] {
    const targets = ARMS.flatMap((arm) => this.#target(arm));
    const own = targets.filter(({ local, networkOf }) => local && networkOf === null);
    return [...own.map(({ pid }) => pid), ...(this.generator?.pids.slice(0, 1) ?? [])];
  }

  alive(arm: Arm): boolean {
    return this.#target(arm).every((container) => container.alive);
  }

  close(): Promise<void> {
    this.#census.close();
    this.#admin.destroy();
    this.#closing ??= this.#stack.close();
    return this.#closing;
  }

  /** What answers HTTP and what is restarted with every block. */
  #target(arm: Arm): Container[] {
    const { service, restart } = this.#stack.recipes[arm];
    return this.#stack.containers(arm).filter((it) => it.service === service || restart.includes(it.service));
  }

  async #healthy(arm: Arm): Promise<void> {
    const { signal } = this.#options;
    const { healthPath, host, nginx } = this.#stack.recipes[arm].target;
    const target = this.#target(arm);
    const url = await this.hostUrl(arm);
    await waitUntilHealthy({
      arm,
      url: url + healthPath,
      host,
      selfSigned: nginx.tls,
      signal,
      stillAlive: () => {
        const dead = target.find((container) => !container.alive);
        if (dead !== undefined) throw new MeasureError(`${dead.service} of ${arm} died${dead.evidence()}`);
      },
      evidence: () => this.#stack.movedHint(arm) + target.map((container) => container.evidence()).join(""),
    }).catch(async (error: Error) => {
      signal.throwIfAborted();
      // One that has died is the better explanation.
      await this.#stack.lookAt(arm);
      throw error;
    });
  }

  /** What answers HTTP. */
  #front(arm: Arm): Container {
    const { service } = this.#stack.recipes[arm];
    const container = this.#stack.containers(arm).find((it) => it.service === service);
    if (container === undefined) throw new MeasureError(`target.service: ${service} of ${arm} has no container`);
    return container;
  }

  async #hostUrl(arm: Arm, scheme: "http" | "https", port: number): Promise<string> {
    const place = await this.#stack.reach(this.#front(arm), port);
    return `${scheme}://${place.host}:${place.port}`;
  }

  /** FPM's own status or our probe, by way of a port that only the bundled target has. */
  async #ask(arm: Arm, what: "status" | "probe"): Promise<unknown> {
    const { adminPort } = this.#stack.recipes[arm];
    if (adminPort === null) return null;
    try {
      const url = await this.#hostUrl(arm, "http", adminPort);
      return JSON.parse((await get(`${url}/${what}?json`, { agent: this.#admin })).body);
    } catch {
      return null;
    }
  }
}

import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { perArm } from "../../core/arms.ts";
import { MeasureError } from "../../core/errors.ts";
import { ARMS, type Arm } from "../../core/model.ts";
import { forgetDirectory, forgetLabel, guardDirectory, guardLabel } from "../guard.ts";
import { tail } from "../log.ts";
import type { StartOptions } from "../target.ts";
import { arrange } from "./arrange.ts";
import { restartOrder } from "./checks.ts";
import { type Container, inspect } from "./container.ts";
import { setDelay } from "./delay.ts";
import { Deployment, endOf } from "./deployment.ts";
import { DockerError, docker } from "./engine.ts";
import { Gateway, type Place } from "./gateway.ts";
import { provideImages } from "./images.ts";
import { describeRemoved, removeAhead, removeContainers, removeLabelled, removeLeftovers } from "./leftovers.ts";
import { TOXIPROXY_PORT, toxics } from "./links.ts";
import { OWNER_LABEL, thisOwner } from "./owner.ts";
import { networksOf } from "./project.ts";
import { whyUnreached } from "./reach.ts";
import { type Recipe, recipesOf } from "./recipe.ts";
import { oneShotsOf } from "./resolve.ts";
import { clearTree } from "./tree.ts";
import type { ComposeModel, Labels, ProjectName } from "./types.ts";

const LABEL = "perf-gate";
const PROJECTS = [...ARMS, "shared"] as const;
/** Everything is removed within this time, or left to the next run. */
const CLOSE_TIMEOUT_MS = 60_000;

/** The containers of a run: a compose project for each arm, and one for what they share. */
export class Stack {
  readonly recipes: Readonly<Record<ProjectName, Recipe>>;
  readonly #options: StartOptions;
  readonly #rootless: boolean;
  readonly #id = randomBytes(4).toString("hex");
  readonly #labels: Labels = { [LABEL]: this.#id, [OWNER_LABEL]: thisOwner() };
  readonly #label = `${LABEL}=${this.#id}`;
  readonly #state: string;
  readonly #logs: string;
  readonly #networks: string[] = [];
  #deployments: Partial<Record<ProjectName, Deployment>> = {};
  /** Decided when a container is asked for the first time. */
  #gateway: Promise<Gateway | null> | null = null;
  /** Services whose address changed at a restart. */
  readonly #moved = perArm(() => new Set<string>());

  constructor(options: StartOptions, rootless: boolean) {
    this.#options = options;
    this.#rootless = rootless;
    this.#state = join(options.workDirectory, "state");
    this.#logs = join(options.workDirectory, "logs");
    rmSync(this.#state, { recursive: true, force: true });
    mkdirSync(this.#state, { recursive: true, mode: 0o700 });
    mkdirSync(this.#logs, { recursive: true });
    for (const log of ["compose", "mysql-client", "prepare-base", "prepare-head"])
      rmSync(this.log(log), { force: true });
    guardDirectory(this.#state);
    guardLabel(this.#label);
    this.recipes = recipesOf(options, this.#state);
  }

  /** Path of a log below the work directory. */
  log(name: string): string {
    return join(this.#logs, `${name}.log`);
  }

  /** Starts and prepares everything. Throws InputError or MeasureError; what is up by then is left to close(). */
  async start(): Promise<void> {
    const { progress, signal } = this.#options;
    const left = await removeLeftovers(signal);
    if (Object.keys(left).length > 0) progress(`removed ${describeRemoved(left)} that a killed run had left`);
    const run = { id: this.#id, labels: this.#labels };
    const { models, projects } = await arrange(this.#options, this.recipes, run);
    const { shared } = projects;
    const oneShots = oneShotsOf(Object.values(models));
    for (const project of PROJECTS) {
      const model = projects[project];
      if (model === null) continue;
      const directory = dirname(this.recipes[project].file);
      const log = (name: string) => this.log(name);
      const options = { project, id: this.#id, model, state: this.#state, directory, oneShots, log, signal };
      this.#deployments[project] = new Deployment(options);
    }
    const places = { file: join(this.#state, "bake.json"), log: this.log("build") };
    await provideImages(this.#options, projects, this.#labels, places);
    for (const deployment of Object.values(this.#deployments)) await deployment.pull();
    for (const arm of ARMS) {
      const isSharing = this.recipes[arm].shared.length > 0;
      await this.#makeNetworks(isSharing ? [models[arm], models.shared] : [models[arm]], arm);
    }
    if (shared !== null) {
      progress(`starting shared: ${Object.keys(shared.services).join(", ")}`);
      const deployment = this.#deployment("shared");
      await deployment.startBacking(Object.keys(shared.services));
      await deployment.lookAt();
      await this.#delay("shared");
    }
    for (const arm of ARMS) await this.#startArm(arm);
  }

  /** Restarts the PHP runtime of both arms at the same time, the services of each in the order of target.restart. */
  async restart(): Promise<void> {
    const ofArm = perArm((arm) => this.#runtime(arm));
    const renewed = Object.values(ofArm).flat();
    await this.#noteDeaths(renewed);
    const before = new Map(renewed.map((container) => [container, container.address()]));
    await Promise.all(ARMS.map((arm) => this.#restartArm(arm)));
    for (const deployment of Object.values(this.#deployments)) await deployment.lookAt(renewed);
    for (const arm of ARMS) {
      for (const container of ofArm[arm]) {
        if (container.address() !== before.get(container)) this.#moved[arm].add(container.service);
      }
    }
  }

  /** Why a service may not reach a restarted one; empty where none has moved. */
  movedHint(arm: Arm): string {
    const { restart, service } = this.recipes[arm];
    const hints = [...this.#moved[arm]].map((name) => {
      const askers = Object.entries(this.#deployment(arm).model.services).flatMap(([asker, { depends_on = {} }]) =>
        Object.hasOwn(depends_on, name) && !restart.includes(asker) ? [asker] : [],
      );
      const all = [...restart, ...(askers.length > 0 ? askers : [service])];
      return `\n${name} has another address since it was restarted. What asks it may know only the old one: write it after ${name}, restart: [${[...new Set(all)].join(", ")}]`;
    });
    return hints.join("");
  }

  /** The containers that are restarted, in that order. */
  #runtime(arm: Arm): Container[] {
    const { model, containers } = this.#deployment(arm);
    const order = restartOrder(model.services, this.recipes[arm].restart);
    return order.flatMap((name) => containers.filter(({ service }) => service === name));
  }

  async #restartArm(arm: Arm): Promise<void> {
    const { signal } = this.#options;
    for (const { id } of this.#runtime(arm)) await docker(["restart", "-t", "1", id], { signal });
  }

  /** Says why containers have ended by themselves, before a restart makes the engine forget it. */
  async #noteDeaths(containers: readonly Container[]): Promise<void> {
    const { progress, signal } = this.#options;
    const dead = containers.filter(({ alive }) => !alive);
    const ids = dead.map(({ id }) => id);
    for (const { Id, State } of await inspect(ids, signal)) {
      const container = dead.find(({ id }) => id === Id);
      if (container === undefined || State.Status === "running") continue;
      if (State.OOMKilled) container.killedForMemory();
      progress(`${container.service} had ended: ${endOf(State)}`);
    }
  }

  containers(arm: Arm): Container[] {
    return this.#deployments[arm]?.containers ?? [];
  }

  /** The servers of a kind that the census asks. */
  counted(kind: "mysql" | "redis"): Container[] {
    return PROJECTS.flatMap((project) => {
      const name = this.recipes[project].census[kind];
      return this.#deployments[project]?.containers.filter(({ service }) => service === name) ?? [];
    });
  }

  get all(): Container[] {
    return Object.values(this.#deployments).flatMap(({ containers }) => containers);
  }

  /** Throws MeasureError with the log of a container of the arm that does not run. */
  async lookAt(arm: Arm): Promise<void> {
    await this.#deployment(arm).lookAt();
  }

  /** What this process asks the containers through, and k6 runs beside; null where this host reaches them itself. */
  async gateway(): Promise<Gateway | null> {
    return await this.#gateway;
  }

  /** Address of a container in its first network. Throws MeasureError where it has none. */
  address(container: Container): string {
    const owner = this.all.find(({ id }) => id === container.networkOf) ?? container;
    const address = owner.address();
    if (address !== null) return address;
    throw new MeasureError(`${container.service} has no address in any network; give it one in the compose file`);
  }

  /** Where a port of a container is for this process. The first call finds out how it is reached. */
  async reach(container: Container, port: number): Promise<Place> {
    const address = this.address(container);
    this.#gateway ??= this.#findGateway(container, { host: address, port });
    const gateway = await this.#gateway;
    return gateway === null ? { host: address, port } : await gateway.to(address, port);
  }

  /** Starts the gateway where one is wanted or needed: tried, with a port of a container. */
  async #findGateway({ local }: Container, place: Place): Promise<Gateway | null> {
    const { plan, progress, signal } = this.#options;
    const { generator, isolation } = plan.config.measure;
    const rootless = this.#rootless;
    const why =
      generator === "container" ? "measure.generator" : await whyUnreached(place, { rootless, local }, signal);
    if (why === null) return null;
    progress(`k6 runs in a container, in the network of both versions: ${why}`);
    const own = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
    return await Gateway.start({
      name: `perf-gate-${this.#id}-gateway`,
      labels: this.#labels,
      networks: this.#networks,
      cpus: isolation === "off" ? null : plan.layout.generator,
      // Root of a rootless engine is this user.
      user: rootless ? "0:0" : own,
      signal,
    });
  }

  /** Removes everything; the ends of the containers' logs stay. */
  async close(): Promise<void> {
    // Whatever has been aborted, this has to be done.
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    const gateway = await this.#gateway?.catch(() => null);
    await gateway?.close();
    await Promise.all(Object.values(this.#deployments).map((deployment) => deployment.close(signal)));
    try {
      await removeContainers(this.#label, signal);
      for (const arm of ARMS) {
        const image = this.#deployments[arm]?.model.services[this.#php(arm)]?.image;
        if (image !== undefined) await clearTree(this.#options.plan.arms[arm], image, this.#label, signal);
      }
      await removeLabelled(this.#label, signal);
      await removeAhead(this.#options.workDirectory, signal);
      forgetLabel(this.#label);
    } catch (error) {
      this.#options.progress(`containers could not be removed, the next run does it: ${(error as Error).message}`);
    }
    rmSync(this.#state, { recursive: true, force: true });
    forgetDirectory(this.#state);
  }

  async #startArm(arm: Arm): Promise<void> {
    const deployment = this.#deployment(arm);
    const { services } = deployment.model;
    const php = this.#php(arm);
    this.#options.progress(`starting ${arm}: ${Object.keys(services).join(", ")}`);
    await deployment.startBacking(Object.keys(services).filter((name) => !this.#needsTarget(arm, services, name)));
    await deployment.up([php], "alone");
    await deployment.lookAt();
    await this.#delay(arm);
    await this.#prepare(arm, php);
    await deployment.up(Object.keys(deployment.model.services), "all");
    await deployment.settle();
  }

  async #makeNetworks(models: readonly ComposeModel[], arm: Arm): Promise<void> {
    const labels = Object.entries(this.#labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
    const networks = Object.assign({}, ...models.map((model) => networksOf(model, this.#id, arm))) as Record<
      string,
      string[]
    >;
    for (const [name, options] of Object.entries(networks)) {
      await docker(["network", "create", ...labels, ...options, name], { signal: this.#options.signal });
      this.#networks.push(name);
    }
  }

  async #delay(project: ProjectName): Promise<void> {
    for (const toxic of toxics(this.recipes[project].target.links)) {
      const container = this.#deployment(project).container(toxic.service);
      if (container === undefined) continue;
      await setDelay(toxic, await this.reach(container, TOXIPROXY_PORT), this.#options.signal);
    }
  }

  async #prepare(arm: Arm, service: string): Promise<void> {
    const { progress, signal } = this.#options;
    const log = this.log(`prepare-${arm}`);
    for (const command of this.recipes[arm].target.prepare) {
      progress(`preparing ${arm}: ${command.trim().split("\n")[0]}`);
      const args = [...this.#deployment(arm).compose(), "exec", "--no-TTY", service, "sh", "-c", command];
      await docker(args, { signal, log }).catch(async (error: Error) => {
        signal.throwIfAborted();
        const how = error instanceof DockerError ? error.how : error.message;
        const evidence = tail("its log", log) + (await this.#deployment(arm).troubled());
        throw new MeasureError(`prepare of ${arm} failed in ${service}: ${command}: ${how}${evidence}`);
      });
    }
  }

  #deployment(project: ProjectName): Deployment {
    const deployment = this.#deployments[project];
    if (deployment === undefined) throw new Error(`no project ${project}`);
    return deployment;
  }

  /** The service that PHP runs in. */
  #php(arm: Arm): string {
    const { restart, service } = this.recipes[arm];
    return restart[0] ?? service;
  }

  /** Whether a service is part of the target or starts after it. */
  #needsTarget(arm: Arm, services: ComposeModel["services"], name: string): boolean {
    const { restart, service } = this.recipes[arm];
    if (name === service || restart.includes(name)) return true;
    return Object.keys(services[name]?.depends_on ?? {}).some((other) => this.#needsTarget(arm, services, other));
  }
}

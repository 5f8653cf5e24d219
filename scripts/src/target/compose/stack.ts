import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MeasureError } from "../../core/errors.ts";
import { ARMS, type Arm, type TargetConfig } from "../../core/model.ts";
import { forgetDirectory, forgetLabel, guardDirectory, guardLabel } from "../guard.ts";
import { tail } from "../log.ts";
import type { StartOptions } from "../target.ts";
import { waitFor } from "../wait.ts";
import { bakeFile } from "./bake.ts";
import { restartOrder, sharedServices } from "./checks.ts";
import { Container, checkLocal, type Inspection, inspect } from "./container.ts";
import { setDelay } from "./delay.ts";
import { DockerError, docker, lastLines } from "./engine.ts";
import { quietImageHealthcheck } from "./healthcheck.ts";
import { buildImages, withHealthcheck } from "./images.ts";
import { removeContainers, removeLabelled, removeLeftovers } from "./leftovers.ts";
import { toxics } from "./links.ts";
import { checkMounts } from "./mounts.ts";
import { noticesOf } from "./notices.ts";
import { OWNER_LABEL, thisOwner } from "./owner.ts";
import { armProject, composeText, networksOf, projectName, type SharedOptions, sharedProject } from "./project.ts";
import { type Recipe, recipeOf } from "./recipe.ts";
import { inOrder, oneShotsOf, resolve } from "./resolve.ts";
import { clearTree } from "./tree.ts";
import { type ComposeModel, type Labels, mapValues, type ProjectName, pick, withoutDependencies } from "./types.ts";

const LABEL = "perf-gate";
const PROJECTS = [...ARMS, "shared"] as const;
/** How long backing services may take to become healthy, s. */
const UP_TIMEOUT = 180;
/** Everything is removed within this time, or left to the next run. */
const CLOSE_TIMEOUT_MS = 60_000;
/** Lines of each container's log that are kept in the work directory. */
const KEPT_LOG_LINES = "2000";

/** The containers of a run: a compose project for each arm, and one for what they share. */
export class Stack {
  readonly recipe: Recipe;
  readonly containers: Record<ProjectName, Container[]> = { base: [], head: [], shared: [] };
  readonly #options: StartOptions;
  readonly #id = randomBytes(4).toString("hex");
  readonly #labels: Labels = { [LABEL]: this.#id, [OWNER_LABEL]: thisOwner() };
  readonly #label = `${LABEL}=${this.#id}`;
  readonly #state: string;
  readonly #logs: string;
  #projects: Partial<Record<ProjectName, ComposeModel>> = {};
  #oneShots: ReadonlySet<string> = new Set();
  /** Services whose address changed at a restart. */
  readonly #moved = new Set<string>();

  constructor(options: StartOptions) {
    this.#options = options;
    this.#state = join(options.workDirectory, "state");
    this.#logs = join(options.workDirectory, "logs");
    rmSync(this.#state, { recursive: true, force: true });
    mkdirSync(this.#state, { recursive: true, mode: 0o700 });
    mkdirSync(this.#logs, { recursive: true });
    for (const log of ["build", "compose", "mysql-client", "prepare-base", "prepare-head"])
      rmSync(this.log(log), { force: true });
    guardDirectory(this.#state);
    guardLabel(this.#label);
    this.recipe = recipeOf(options, this.#state);
  }

  /** Path of a log below the work directory. */
  log(name: string): string {
    return join(this.#logs, `${name}.log`);
  }

  /** Starts and prepares everything. Throws InputError or MeasureError; what is up by then is left to close(). */
  async start(): Promise<void> {
    const { plan, progress, signal } = this.#options;
    const left = await removeLeftovers(signal);
    if (left > 0) progress(`removed ${left} ${left === 1 ? "container" : "containers"} that a killed run had left`);
    const { shared: named } = this.recipe;
    const { env } = plan.config.target;
    const resolving = PROJECTS.map((project) => resolve(this.recipe, project, env, signal));
    await Promise.allSettled(resolving);
    const [base, head, common] = (await Promise.all(resolving)) as [ComposeModel, ComposeModel, ComposeModel];
    const models = { base, head };
    this.#oneShots = oneShotsOf([base, head, common]);
    this.#projects = { base: this.#ofArm(base, "base"), head: this.#ofArm(head, "head") };
    const shared = sharedProject(common, this.#projectOptions());
    if (shared !== null) this.#projects.shared = shared;
    const trees = { base: this.recipe.tree("base"), head: this.recipe.tree("head") };
    checkMounts({ base: this.#project("base"), head: this.#project("head") }, trees);
    const places = { trees, workDirectory: this.#options.workDirectory };
    for (const notice of noticesOf(models, sharedServices(common, named), places)) progress(notice);
    await this.#build();
    for (const project of PROJECTS) await this.#pull(project);
    for (const arm of ARMS) await this.#makeNetworks([models[arm], common], arm);
    if (shared !== null) {
      progress(`starting ${Object.keys(shared.services).join(", ")} for both arms`);
      await this.#startBacking("shared", Object.keys(shared.services));
      await this.lookAt("shared");
      await this.#delay("shared");
    }
    for (const arm of ARMS) await this.#startArm(arm);
  }

  /** Restarts the PHP runtime of both arms at the same time, the services of each in the order of target.restart. */
  async restart(): Promise<void> {
    const renewed = ARMS.flatMap((arm) => this.#runtime(arm));
    await this.#noteDeaths(renewed);
    const before = new Map(renewed.map((container) => [container, container.address()]));
    await Promise.all(ARMS.map((arm) => this.#restartArm(arm)));
    for (const project of PROJECTS) await this.lookAt(project, renewed);
    for (const container of renewed) {
      if (container.address() !== before.get(container)) this.#moved.add(container.service);
    }
  }

  /** Why a service may not reach a restarted one; empty where none has moved. */
  movedHint(): string {
    const { restart } = this.recipe;
    const hints = [...this.#moved].map((name) => {
      const askers = Object.entries(this.#project("head").services).flatMap(([asker, { depends_on = {} }]) =>
        Object.hasOwn(depends_on, name) && !restart.includes(asker) ? [asker] : [],
      );
      const all = [...restart, ...(askers.length > 0 ? askers : [this.recipe.service])];
      return `\n${name} has another address since it was restarted. What asks it may know only the old one: write it after ${name}, restart: [${[...new Set(all)].join(", ")}]`;
    });
    return hints.join("");
  }

  /** The containers that are restarted, in that order. */
  #runtime(arm: Arm): Container[] {
    const order = restartOrder(this.#project(arm).services, this.recipe.restart);
    return order.flatMap((name) => this.containers[arm].filter(({ service }) => service === name));
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

  container(project: ProjectName, service: string): Container | undefined {
    return this.containers[project].find((container) => container.service === service);
  }

  get all(): Container[] {
    return Object.values(this.containers).flat();
  }

  /** Removes everything; the ends of the containers' logs stay. */
  async close(): Promise<void> {
    // Whatever has been aborted, this has to be done.
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    for (const container of this.all) container.close();
    const saved = PROJECTS.flatMap((project) =>
      this.containers[project].map(({ id, service }) => this.#saveLog(`${project}-${service}`, id, signal)),
    );
    await Promise.all(saved);
    try {
      await removeContainers(this.#label, signal);
      for (const arm of ARMS) {
        const image = this.#projects[arm]?.services[this.recipe.restart[0] ?? this.recipe.service]?.image;
        if (image !== undefined) await clearTree(this.#options.plan.arms[arm], image, this.#label, signal);
      }
      await removeLabelled(this.#label, signal);
      forgetLabel(this.#label);
    } catch (error) {
      this.#options.progress(`containers could not be removed, the next run does it: ${(error as Error).message}`);
    }
    rmSync(this.#state, { recursive: true, force: true });
    forgetDirectory(this.#state);
  }

  async #startArm(arm: Arm): Promise<void> {
    const { services } = this.#project(arm);
    const php = this.recipe.restart[0] ?? this.recipe.service;
    this.#options.progress(`starting ${arm}: ${Object.keys(services).join(", ")}`);
    await this.#startBacking(
      arm,
      Object.keys(services).filter((name) => !this.#needsTarget(services, name)),
    );
    await this.#up(arm, [php], "alone");
    await this.lookAt(arm);
    await this.#delay(arm);
    await this.#prepare(arm, php);
    await this.#up(arm, Object.keys(this.#project(arm).services), "all");
    await this.#settle(arm);
  }

  /** Starts services and waits until they are healthy; one-shot services run to their end, once. */
  async #startBacking(project: ProjectName, names: readonly string[]): Promise<void> {
    const { services } = this.#project(project);
    const steady = names.filter((name) => !this.#oneShots.has(name));
    if (steady.length > 0) await this.#up(project, steady, "wait");
    const oneShots = names.filter((name) => this.#oneShots.has(name));
    if (oneShots.length === 0) return;
    const done = new Set(inOrder(services, oneShots));
    for (const name of done) await this.#complete(project, name);
    // Compose would start what has ended again.
    const left = mapValues(
      pick(services, (_, name) => !done.has(name)),
      (service) => withoutDependencies(service, done),
    );
    this.#projects[project] = { ...this.#project(project), services: left };
    rmSync(this.#file(project), { force: true });
  }

  async #complete(project: ProjectName, name: string): Promise<void> {
    const { signal } = this.#options;
    const list = ["ps", "--all", "--quiet", "--no-trunc", ...this.#filter(project, name)];
    let id = (await docker(list, { signal })).trim();
    if (id === "") {
      await this.#up(project, [name], "alone");
      id = (await docker(list, { signal })).trim();
    }
    const status = (await docker(["wait", id], { signal })).trim();
    if (status === "0") return;
    const log = await this.#saveLog(`${project}-${name}`, id, signal);
    throw new MeasureError(`${name} of ${project} has ended: exit status ${status}${tail("its log", log)}`);
  }

  /** Waits until no container of a project is starting any more: a health check beside a slot would be load. */
  async #settle(project: ProjectName): Promise<void> {
    const { signal } = this.#options;
    const status = ({ State }: Inspection) => State.Health?.Status;
    let seen: Inspection[] = [];
    await waitFor(
      async () => {
        seen = await this.lookAt(project);
        return seen.some((it) => status(it) === "starting") ? null : true;
      },
      { everyMs: 200, timeoutMs: UP_TIMEOUT * 1000, signal },
    );
    if (seen.some((it) => ["starting", "unhealthy"].includes(status(it) ?? ""))) {
      throw new MeasureError(`${project} does not become healthy${await this.#troubled(project)}`);
    }
  }

  async #makeNetworks(models: readonly ComposeModel[], arm: Arm): Promise<void> {
    const labels = Object.entries(this.#labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
    const networks = Object.assign({}, ...models.map((model) => networksOf(model, this.#id, arm))) as Record<
      string,
      string[]
    >;
    for (const [name, options] of Object.entries(networks)) {
      await docker(["network", "create", ...labels, ...options, name], { signal: this.#options.signal });
    }
  }

  #projectOptions(): SharedOptions {
    const { layout, config } = this.#options.plan;
    const { resources, links }: TargetConfig = config.target;
    const { service, shared, restart } = this.recipe;
    const cpus = config.measure.isolation === "off" ? null : { target: layout.target, services: layout.services };
    return { id: this.#id, labels: this.#labels, service, shared, targetServices: restart, resources, links, cpus };
  }

  #ofArm(model: ComposeModel, arm: Arm): ComposeModel {
    return armProject(model, { ...this.#projectOptions(), arm, image: this.#options.plan.arms[arm].image });
  }

  /** The images of all projects in one build. */
  async #build(): Promise<void> {
    const { progress, signal } = this.#options;
    const projects = {
      base: this.#project("base"),
      head: this.#project("head"),
      shared: this.#projects.shared ?? null,
    };
    const bake = bakeFile(projects, this.#labels, { from: [], to: [] });
    if (bake === null) return;
    progress(`building ${bake.targets.join(", ")}`);
    const file = join(this.#state, "bake.json");
    writeFileSync(file, JSON.stringify(bake.file, null, 2));
    const services = Object.values(projects).flatMap((project) => Object.values(project?.services ?? {}));
    const dockerfiles = services.flatMap(({ build }) =>
      build === undefined ? [] : [build.dockerfile ?? "Dockerfile"],
    );
    await buildImages(bake, { file, dockerfiles, log: this.log("build"), signal });
  }

  /** Images that are not here yet; where one brings a health check of its own, that is made quiet too. */
  async #pull(project: ProjectName): Promise<void> {
    const { signal } = this.#options;
    const found = this.#projects[project];
    if (found === undefined) return;
    await docker([...this.#compose(project), "pull", "--policy", "missing", "--quiet"], {
      signal,
      log: this.log("compose"),
    }).catch((error: Error) => {
      signal.throwIfAborted();
      const why = error instanceof DockerError ? lastLines(error.stderr, 1) : error.message;
      throw new MeasureError(
        `${project}: an image cannot be pulled: ${why}. Where no registry answers, docker/offline/build.sh of perf-gate builds stand-ins for php, nginx, mysql and redis`,
      );
    });
    const images = Object.values(found.services).flatMap(({ image }) => image ?? []);
    const checked = await withHealthcheck(images, signal);
    const services = mapValues(found.services, (service) =>
      checked.has(service.image ?? "") ? quietImageHealthcheck(service) : service,
    );
    this.#projects[project] = { ...found, services };
    writeFileSync(this.#file(project), composeText(this.#project(project)), { mode: 0o600 });
  }

  /** `wait`: until they are healthy. `alone`: without what they depend on. */
  async #up(project: ProjectName, services: readonly string[], how: "wait" | "alone" | "all"): Promise<void> {
    const { signal } = this.#options;
    const flags = { wait: ["--wait", "--wait-timeout", `${UP_TIMEOUT}`], alone: ["--no-deps"], all: [] }[how];
    const args = [...this.#compose(project), "up", "--detach", "--no-build", ...flags, ...services];
    await docker(args, { signal, log: this.log("compose") }).catch(async (error: Error) => {
      signal.throwIfAborted();
      const why = error instanceof DockerError ? lastLines(error.stderr, 1) : error.message;
      throw new MeasureError(`${project}: cannot start ${services.join(", ")}: ${why}${await this.#troubled(project)}`);
    });
  }

  /** Logs of the containers of a project that do not run, or not well. */
  async #troubled(project: ProjectName): Promise<string> {
    const { signal } = this.#options;
    const format = "{{.ID}}\t{{.Service}}\t{{.State}}\t{{.Health}}\t{{.ExitCode}}";
    const list = await docker([...this.#compose(project), "ps", "--all", "--format", format], { signal });
    let text = "";
    for (const line of list.trim().split("\n")) {
      const [id = "", service = "", state, health, exitCode] = line.split("\t");
      const isWell = state === "running" && health !== "unhealthy" && health !== "starting";
      if (id === "" || isWell || (exitCode === "0" && this.#oneShots.has(service))) continue;
      const log = await this.#saveLog(`${project}-${service}`, id, signal);
      const how = state === "running" ? health : `${state}, exit status ${exitCode}`;
      text += `\n${service} is ${how}${tail("its log", log)}`;
    }
    return text;
  }

  async #saveLog(name: string, id: string, signal: AbortSignal): Promise<string> {
    const log = this.log(name);
    rmSync(log, { force: true });
    await docker(["logs", "--tail", KEPT_LOG_LINES, id], { signal, log }).catch(() => "");
    return log;
  }

  async #delay(project: ProjectName): Promise<void> {
    const { plan, signal } = this.#options;
    for (const toxic of toxics(plan.config.target.links)) {
      const address = this.container(project, toxic.service)?.address();
      if (address !== undefined && address !== null) await setDelay(toxic, address, signal);
    }
  }

  async #prepare(arm: Arm, service: string): Promise<void> {
    const { plan, progress, signal } = this.#options;
    const log = this.log(`prepare-${arm}`);
    for (const command of plan.config.target.prepare) {
      progress(`preparing ${arm}: ${command.trim().split("\n")[0]}`);
      const args = [...this.#compose(arm), "exec", "--no-TTY", service, "sh", "-c", command];
      await docker(args, { signal, log }).catch(async (error: Error) => {
        signal.throwIfAborted();
        const how = error instanceof DockerError ? error.how : error.message;
        const evidence = tail("its log", log) + (await this.#troubled(arm));
        throw new MeasureError(`prepare of ${arm} failed in ${service}: ${command}: ${how}${evidence}`);
      });
    }
  }

  /**
   * Finds the containers of a project and takes note of those that were restarted. Throws MeasureError with the log of
   * one that does not run.
   */
  async lookAt(project: ProjectName, renewed: readonly Container[] = []): Promise<Inspection[]> {
    if (this.#projects[project] === undefined) return [];
    const { signal } = this.#options;
    const ids = await docker(["ps", "--all", "--quiet", "--no-trunc", ...this.#filter(project)], { signal });
    const seen = await inspect(ids.split("\n").filter(Boolean), signal);
    const known = new Map(this.containers[project].map((container) => [container.id, container]));
    this.containers[project] = seen.map((inspection) => {
      const container = known.get(inspection.Id) ?? new Container(inspection);
      if (renewed.includes(container)) container.started(inspection);
      return container;
    });
    for (const container of this.containers[project]) if (!known.has(container.id)) await checkLocal(container, signal);
    for (const [index, { Id, State }] of seen.entries()) {
      const name = this.containers[project][index]?.service ?? Id;
      const isOver = State.Status === "exited" && State.ExitCode === 0 && this.#oneShots.has(name);
      if (State.Status === "running" || isOver) continue;
      const log = await this.#saveLog(`${project}-${name}`, Id, signal);
      throw new MeasureError(`${name} of ${project} is ${State.Status}: ${endOf(State)}${tail("its log", log)}`);
    }
    return seen;
  }

  #filter(project: ProjectName, service?: string): string[] {
    const labels = [`com.docker.compose.project=${projectName(this.#id, project)}`];
    if (service !== undefined) labels.push(`com.docker.compose.service=${service}`);
    return labels.flatMap((label) => ["--filter", `label=${label}`]);
  }

  #project(project: ProjectName): ComposeModel {
    const model = this.#projects[project];
    if (model === undefined) throw new Error(`no project ${project}`);
    return model;
  }

  #file(project: ProjectName): string {
    return join(this.#state, `${project}.json`);
  }

  /** `docker compose` on a project's file, which is written where there is none. */
  #compose(project: ProjectName): string[] {
    const file = this.#file(project);
    if (!existsSync(file)) writeFileSync(file, composeText(this.#project(project)), { mode: 0o600 });
    const directory = dirname(this.recipe.file(project));
    const name = projectName(this.#id, project);
    return ["compose", "--project-directory", directory, "--file", file, "--project-name", name];
  }

  /** Whether a service is part of the target or starts after it. */
  #needsTarget(services: ComposeModel["services"], name: string): boolean {
    if (name === this.recipe.service || this.recipe.restart.includes(name)) return true;
    return Object.keys(services[name]?.depends_on ?? {}).some((other) => this.#needsTarget(services, other));
  }
}

function endOf({ OOMKilled, ExitCode }: Inspection["State"]): string {
  if (OOMKilled) return "killed for want of memory (target.resources, or mem_limit in the compose file)";
  const hint = ". Where that is its job, what needs it waits for it: condition: service_completed_successfully";
  return `exit status ${ExitCode}${ExitCode === 0 ? hint : ""}`;
}

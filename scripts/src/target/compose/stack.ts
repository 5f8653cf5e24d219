import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InputError, MeasureError } from "../../core/errors.ts";
import { ARMS, type Arm, type TargetConfig } from "../../core/model.ts";
import { forgetDirectory, forgetLabel, guardDirectory, guardLabel } from "../guard.ts";
import { tail } from "../log.ts";
import type { StartOptions } from "../target.ts";
import { waitFor } from "../wait.ts";
import { bakeFile } from "./bake.ts";
import { requireServices } from "./checks.ts";
import { Container, inspect } from "./container.ts";
import { DockerError, docker } from "./engine.ts";
import { quietImageHealthcheck } from "./healthcheck.ts";
import { removeLabelled, removeLeftovers } from "./leftovers.ts";
import { TOXIPROXY_PORT, toxics } from "./links.ts";
import { OWNER_LABEL, thisOwner } from "./owner.ts";
import { armProject, composeText, networksOf, projectName, type SharedOptions, sharedProject } from "./project.ts";
import { type Recipe, recipeOf } from "./recipe.ts";
import { type ComposeModel, type ComposeService, type Labels, mapValues, type ProjectName, pick } from "./types.ts";

const LABEL = "perf-gate";
const PROJECTS = [...ARMS, "shared"] as const;
/** How long backing services may take to become healthy, s. */
const UP_TIMEOUT = 180;
/** Everything is removed within this time, or left to the next run. */
const CLOSE_TIMEOUT_MS = 60_000;
const TOXIPROXY_TIMEOUT_MS = 10_000;
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
    const { progress, signal } = this.#options;
    const left = await removeLeftovers(signal);
    if (left > 0) progress(`removed ${left} ${left === 1 ? "container" : "containers"} that a killed run had left`);
    const models = { base: await this.#resolve("base"), head: await this.#resolve("head") };
    const sharedModel = await this.#resolve("shared");
    this.#projects = { base: this.#ofArm(models.base, "base"), head: this.#ofArm(models.head, "head") };
    const shared = sharedProject(sharedModel, this.#projectOptions());
    if (shared !== null) this.#projects.shared = shared;
    await this.#build();
    for (const project of PROJECTS) await this.#pull(project);
    for (const arm of ARMS) {
      const networks = new Set([models[arm], sharedModel].flatMap((model) => networksOf(model, this.#id, arm)));
      for (const name of networks) {
        const labels = Object.entries(this.#labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
        await docker(["network", "create", ...labels, name], { signal });
      }
    }
    if (shared !== null) {
      progress(`starting ${Object.keys(shared.services).join(", ")} for both arms`);
      await this.#up("shared", Object.keys(shared.services), "wait");
      await this.lookAt("shared");
      await this.#delay("shared");
    }
    for (const arm of ARMS) await this.#startArm(arm);
  }

  /** Restarts the PHP runtime of both arms, all of it at once. */
  async restart(): Promise<void> {
    const { signal } = this.#options;
    const renewed = ARMS.flatMap((arm) =>
      this.containers[arm].filter(({ service }) => this.recipe.restart.includes(service)),
    );
    await Promise.all(renewed.map(({ id }) => docker(["restart", "--time", "1", id], { signal })));
    for (const project of PROJECTS) await this.lookAt(project, renewed);
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
    const backing = Object.keys(services).filter((name) => !this.#needsTarget(services, name));
    this.#options.progress(`starting ${arm}: ${Object.keys(services).join(", ")}`);
    if (backing.length > 0) await this.#up(arm, backing, "wait");
    await this.#up(arm, [php], "alone");
    await this.lookAt(arm);
    await this.#delay(arm);
    await this.#prepare(arm, php);
    await this.#up(arm, Object.keys(services), "all");
    await this.lookAt(arm);
  }

  /** The user's file as it is for one project: paths in its tree, variables filled in. */
  async #resolve(project: ProjectName): Promise<ComposeModel> {
    const { signal, plan } = this.#options;
    const { file, tree, variables, left, restart, census } = this.recipe;
    const path = file(project);
    if (!existsSync(path)) {
      throw new InputError(
        `target.compose: there is no ${path}; name a compose file that both arms have in their tree`,
      );
    }
    const args = ["compose", "--project-directory", tree(project), "--file", path, "config", "--format", "json"];
    const text = await docker(args, { signal, env: variables(project) }).catch((error: Error) => {
      signal.throwIfAborted();
      const why = error instanceof DockerError ? error.stderr : error.message;
      const hint = /env file|no such file/i.test(why)
        ? ". A file that is not under version control is named by target.copy, such as copy: [.env]"
        : "";
      throw new InputError(`target.compose: ${path} of ${project} cannot be used: ${why}${hint}`);
    });
    const model = JSON.parse(text) as ComposeModel;
    for (const [kind, name] of Object.entries(census)) {
      if (name !== null) requireServices(model, `target.census.${kind}`, [name]);
    }
    const services = mapValues(
      pick(model.services, (_, name) => !left.includes(name)),
      (service, name) => {
        const needed = withoutDependencies(service, left);
        return restart.includes(name) ? withEnvironment(needed, plan.config.target.env) : needed;
      },
    );
    return { ...model, services };
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
    const projects = { base: this.#project("base"), head: this.#project("head") };
    const shared = this.#projects.shared ?? null;
    const bake = bakeFile({ ...projects, shared }, this.#labels, { from: [], to: [] });
    if (bake === null) return;
    progress(`building ${bake.targets.join(", ")}`);
    const file = join(this.#state, "bake.json");
    writeFileSync(file, JSON.stringify(bake.file, null, 2));
    const allow = bake.allow.map((what) => `--allow=${what}`);
    const args = ["buildx", "bake", "--file", file, ...allow, "--progress", "plain", ...bake.targets];
    // The files of both trees lie outside of bake's own directory; --allow=fs=/ is not known before buildx 0.19.
    const env = { BUILDX_BAKE_ENTITLEMENTS_FS: "0" };
    await docker(args, { signal, env, log: this.log("build") }).catch(() => {
      signal.throwIfAborted();
      const services = Object.values(this.#projects).flatMap((project) => Object.values(project.services));
      const files = services.flatMap(({ build }) => (build === undefined ? [] : [build.dockerfile ?? "Dockerfile"]));
      throw new MeasureError(
        `the images cannot be built (${[...new Set(files)].join(", ")})${tail("the build's output", this.log("build"), 25)}`,
      );
    });
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
      const why = error instanceof DockerError ? lastLine(error.stderr) : error.message;
      throw new MeasureError(
        `${project}: an image cannot be pulled: ${why}. Where no registry answers, docker/offline/build.sh of perf-gate builds stand-ins for php, nginx, mysql and redis`,
      );
    });
    const images = [...new Set(Object.values(found.services).flatMap(({ image }) => image ?? []))];
    const format = "{{if .Config.Healthcheck}}own{{else}}none{{end}}";
    const own = (await docker(["image", "inspect", "--format", format, ...images], { signal })).trim().split("\n");
    const services = mapValues(found.services, (service) =>
      own[images.indexOf(service.image ?? "")] === "own" ? quietImageHealthcheck(service) : service,
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
      const why = error instanceof DockerError ? lastLine(error.stderr) : error.message;
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
      const [id = "", service, state, health, exitCode] = line.split("\t");
      if (id === "" || (state === "running" && health !== "unhealthy" && health !== "starting")) continue;
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

  /** Toxiproxy forgets its delays with every start; it is never restarted within a run. */
  async #delay(project: ProjectName): Promise<void> {
    const { plan, signal } = this.#options;
    const { links } = plan.config.target;
    for (const { service, path, body } of toxics(links)) {
      const address = this.container(project, service)?.address();
      if (address === undefined || address === null) continue;
      const url = `http://${address}:${TOXIPROXY_PORT}${path}`;
      let why = "";
      const post = async (): Promise<Response | null> => {
        const sent = {
          method: "POST",
          body: JSON.stringify(body),
          signal: AbortSignal.any([signal, AbortSignal.timeout(2000)]),
        };
        return await fetch(url, sent).catch((error: Error) => {
          why = error.cause instanceof Error ? error.cause.message : error.message;
          return null;
        });
      };
      // Its container runs before it listens.
      const answer = await waitFor(post, { everyMs: 50, timeoutMs: TOXIPROXY_TIMEOUT_MS, signal });
      if (answer === null) throw new MeasureError(`target.links.${service}: Toxiproxy does not answer: ${why}`);
      if (!answer.ok) throw new MeasureError(`target.links.${service}: Toxiproxy refuses: ${await answer.text()}`);
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

  /** Finds the containers of a project and takes note of those that were restarted; all of them must run. */
  async lookAt(project: ProjectName, renewed: readonly Container[] = []): Promise<void> {
    if (this.#projects[project] === undefined) return;
    const { signal } = this.#options;
    const filter = `label=com.docker.compose.project=${projectName(this.#id, project)}`;
    const ids = (await docker(["ps", "--all", "--quiet", "--no-trunc", "--filter", filter], { signal })).split("\n");
    const seen = await inspect(ids.filter(Boolean), signal);
    const known = new Map(this.containers[project].map((container) => [container.id, container]));
    this.containers[project] = seen.map((inspection) => {
      const container = known.get(inspection.Id) ?? new Container(inspection);
      if (renewed.includes(container)) container.started(inspection);
      return container;
    });
    for (const [index, { State }] of seen.entries()) {
      // A container that only prepares something has ended well.
      if (State.Status === "running" || (State.Status === "exited" && State.ExitCode === 0)) continue;
      const container = this.containers[project][index];
      const why = State.OOMKilled ? "killed for want of memory" : `exit status ${State.ExitCode}`;
      throw new MeasureError(
        `${container?.service} of ${project} is ${State.Status}: ${why}${container?.evidence() ?? ""}`,
      );
    }
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
    const directory = this.recipe.tree(project);
    const name = projectName(this.#id, project);
    return ["compose", "--project-directory", directory, "--file", file, "--project-name", name];
  }

  /** Whether a service is part of the target or starts after it. */
  #needsTarget(services: ComposeModel["services"], name: string): boolean {
    if (name === this.recipe.service || this.recipe.restart.includes(name)) return true;
    return Object.keys(services[name]?.depends_on ?? {}).some((other) => this.#needsTarget(services, other));
  }
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

function withoutDependencies(service: ComposeService, gone: readonly string[]): ComposeService {
  if (service.depends_on === undefined) return service;
  return { ...service, depends_on: pick(service.depends_on, (_, name) => !gone.includes(name)) };
}

/** With configured variables; in them, `${MYSQL_HOST}` is what the service's own environment says of it. */
function withEnvironment(service: ComposeService, env: Record<string, string>): ComposeService {
  const own = (service["environment"] ?? {}) as Record<string, string | null>;
  const filled = mapValues(env, (value) =>
    // For compose, which expands a `$`; what it printed is escaped already.
    value.replaceAll("$", "$$$$").replaceAll(/\$\$\{(\w+)\}/g, (whole, name: string) => own[name] ?? whole),
  );
  return { ...service, environment: { ...own, ...filled } };
}

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InputError, MeasureError } from "../../core/errors.ts";
import { ARMS, type Arm, type PhpState } from "../../core/model.ts";
import { type CounterReader, Counters } from "../counters.ts";
import { forgetDirectory, forgetLabel, guardDirectory, guardLabel } from "../guard.ts";
import { waitUntilHealthy } from "../health.ts";
import { get } from "../http.ts";
import { tail } from "../log.ts";
import { MysqlClient } from "../mysql-client.ts";
import { type ProbeAnswer, phpState } from "../process/probe.ts";
import { RedisClient } from "../redis-client.ts";
import type { FrontState, ServiceCounters, StartOptions, StartTarget, Target } from "../target.ts";
import { parseProcessStat } from "../usage/parse.ts";
import { bakeFile } from "./bake.ts";
import { Container, inspect, usageOf } from "./container.ts";
import { checkEngine, DockerError, docker } from "./engine.ts";
import { TOXIPROXY_PORT, toxics } from "./links.ts";
import { armProject, composeText, networksOf, projectName, sharedProject } from "./project.ts";
import { type Recipe, recipeOf } from "./recipe.ts";
import { type ComposeModel, type ComposeService, mapValues, type ProjectName, pick } from "./types.ts";

const LABEL = "perf-gate";
/** How long backing services may take to become healthy, s. */
const UP_TIMEOUT = 180;
/** Everything is removed within this time, or left to the next run. */
const CLOSE_TIMEOUT_MS = 60_000;
/** Lines of each container's log that are kept in the work directory. */
const KEPT_LOG_LINES = "2000";

/** Driver `compose`: both arms as compose projects of their own, what they share as a third. */
export const startCompose: StartTarget = async (options) => {
  const versions = await checkEngine(options.signal);
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
  readonly #id = randomBytes(4).toString("hex");
  readonly #state: string;
  readonly #logs: string;
  readonly #recipe: Recipe;
  #models: Partial<Record<ProjectName, ComposeModel>> = {};
  #containers: Record<ProjectName, Container[]> = { base: [], head: [], shared: [] };
  #clients: { close(): void }[] = [];
  #counters: Counters | null = null;
  readonly #engine = enginePids();
  #closing: Promise<void> | null = null;

  constructor(options: StartOptions, versions: Record<string, string>) {
    this.#options = options;
    this.#versions = versions;
    this.host = options.plan.config.target.host;
    this.#state = join(options.workDirectory, "state");
    this.#logs = join(options.workDirectory, "logs");
    rmSync(this.#state, { recursive: true, force: true });
    mkdirSync(this.#state, { recursive: true, mode: 0o700 });
    mkdirSync(this.#logs, { recursive: true });
    for (const log of ["build", "compose", "prepare-base", "prepare-head"]) rmSync(this.#log(log), { force: true });
    guardDirectory(this.#state);
    guardLabel(`${LABEL}=${this.#id}`);
    this.#recipe = recipeOf(options, this.#state);
  }

  // ------------------------------------------------------------- start

  async start(): Promise<void> {
    const { progress, signal } = this.#options;
    const left = await removeLabelled(LABEL, signal);
    if (left > 0) progress(`removed ${left} containers that a killed run had left`);
    const resolved = { base: await this.#resolve("base"), head: await this.#resolve("head") };
    this.#models = { base: this.#armProject(resolved.base, "base"), head: this.#armProject(resolved.head, "head") };
    const shared = sharedProject(await this.#resolve("shared"), this.#projectOptions());
    if (shared !== null) this.#models.shared = shared;
    await this.#build(this.#models as Record<ProjectName, ComposeModel>);
    for (const arm of ARMS) {
      for (const network of networksOf(resolved[arm], this.#id, arm)) {
        await docker(["network", "create", "--label", `${LABEL}=${this.#id}`, network], { signal });
      }
    }
    if (shared !== null) {
      progress(`starting ${Object.keys(shared.services).join(", ")} for both arms`);
      await this.#up("shared", Object.keys(shared.services), "wait");
    }
    for (const arm of ARMS) await this.#startArm(arm);
    await this.#connectCensus();
    for (const arm of ARMS) await this.#healthy(arm);
  }

  async #startArm(arm: Arm): Promise<void> {
    const { progress } = this.#options;
    const { services } = this.#model(arm);
    const php = this.#recipe.restart[0] ?? this.#recipe.service;
    const backing = Object.keys(services).filter((name) => !this.#needsTarget(services, name));
    progress(`starting ${arm}: ${Object.keys(services).join(", ")}`);
    if (backing.length > 0) await this.#up(arm, backing, "wait");
    await this.#delay(arm);
    await this.#up(arm, [php], "no-deps");
    await this.#prepare(arm, php);
    await this.#up(arm, Object.keys(services), "detach");
    await this.#lookAt(arm);
  }

  /** The user's file as it is for one project: paths in its tree, variables filled in. */
  async #resolve(project: ProjectName): Promise<ComposeModel> {
    const { signal, plan } = this.#options;
    const { file, tree, variables, left } = this.#recipe;
    const path = file(project);
    if (!existsSync(path)) {
      throw new InputError(
        `target.compose: ${path} does not exist; name a compose file that is in the tree of both arms`,
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
    const services = mapValues(
      pick(model.services, (_, name) => !left.includes(name)),
      (service, name) => ({
        ...service,
        ...(service.depends_on === undefined
          ? {}
          : { depends_on: pick(service.depends_on, (_, other) => !left.includes(other)) }),
        ...(this.#recipe.restart.includes(name)
          ? { environment: { ...(service["environment"] as object), ...escaped(plan.config.target.env, service) } }
          : {}),
      }),
    );
    return { ...model, services };
  }

  #projectOptions() {
    const { plan } = this.#options;
    const { target, measure } = plan.config;
    const { service, shared, restart } = this.#recipe;
    const { layout } = plan;
    return {
      id: this.#id,
      service,
      shared,
      targetServices: restart,
      resources: target.resources,
      links: target.links,
      cpus: measure.isolation === "off" ? null : { target: layout.target, services: layout.services },
    };
  }

  #armProject(model: ComposeModel, arm: Arm): ComposeModel {
    return armProject(model, { ...this.#projectOptions(), arm, image: this.#options.plan.arms[arm].image });
  }

  /** Both arms' images in one build. */
  async #build(models: Record<ProjectName, ComposeModel>): Promise<void> {
    const { progress, signal } = this.#options;
    const bake = bakeFile(models, this.#id, { from: [], to: [] });
    if (bake === null) return;
    progress(`building ${bake.targets.join(", ")}`);
    const file = join(this.#state, "bake.json");
    writeFileSync(file, JSON.stringify(bake.file, null, 2));
    const args = ["buildx", "bake", "--file", file, "--allow", "fs.read=/", "--progress", "plain", ...bake.targets];
    await docker(args, { signal, log: this.#log("build") }).catch(() => {
      signal.throwIfAborted();
      const files = Object.values(models).flatMap(({ services }) =>
        Object.values(services).flatMap(({ build }) => (build === undefined ? [] : (build.dockerfile ?? "Dockerfile"))),
      );
      throw new MeasureError(
        `the images cannot be built (${[...new Set(files)].join(", ")})${tail("the build's output", this.#log("build"), 25)}`,
      );
    });
  }

  async #up(project: ProjectName, services: readonly string[], how: "wait" | "no-deps" | "detach"): Promise<void> {
    const { signal } = this.#options;
    const flags = { wait: ["--wait", "--wait-timeout", `${UP_TIMEOUT}`], "no-deps": ["--no-deps"], detach: [] }[how];
    const args = [...this.#compose(project), "up", "--detach", "--no-build", ...flags, ...services];
    await docker(args, { signal, log: this.#log("compose") }).catch(async (error: Error) => {
      signal.throwIfAborted();
      const why = error instanceof DockerError ? error.stderr.split("\n").slice(-3).join("\n  ") : error.message;
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
      const log = this.#log(`${project}-${service}`);
      rmSync(log, { force: true });
      await docker(["logs", "--tail", KEPT_LOG_LINES, id], { signal, log }).catch(() => "");
      const how = state === "running" ? health : `${state}, exit status ${exitCode}`;
      text += `\n${service} is ${how}${tail("its log", log)}`;
    }
    return text;
  }

  /** Toxiproxy forgets its delays with every start. */
  async #delay(project: ProjectName): Promise<void> {
    const { links } = this.#options.plan.config.target;
    const here = toxics(links).filter(({ service }) => this.#models[project]?.services[service] !== undefined);
    if (here.length === 0) return;
    await this.#lookAt(project);
    for (const { service, path, body } of here) {
      const address = this.#container(project, service)?.address();
      const answer = await fetch(`http://${address}:${TOXIPROXY_PORT}${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        signal: this.#options.signal,
      });
      if (!answer.ok) throw new MeasureError(`target.links.${service}: Toxiproxy refuses: ${await answer.text()}`);
    }
  }

  async #prepare(arm: Arm, service: string): Promise<void> {
    const { plan, progress, signal } = this.#options;
    const log = this.#log(`prepare-${arm}`);
    for (const command of plan.config.target.prepare) {
      progress(`preparing ${arm}: ${command.trim().split("\n")[0]}`);
      await docker([...this.#compose(arm), "exec", "--no-TTY", service, "sh", "-c", command], { signal, log }).catch(
        async (error: Error) => {
          signal.throwIfAborted();
          const how = error instanceof DockerError ? error.how : error.message;
          throw new MeasureError(
            `prepare of ${arm} failed in ${service}: ${command}: ${how}${tail("its log", log)}${await this.#troubled(arm)}`,
          );
        },
      );
    }
  }

  async #connectCensus(): Promise<void> {
    const { mysql, redis } = this.#recipe.census;
    const readers: CounterReader[] = [];
    for (const container of this.#named(mysql)) {
      const client = await MysqlClient.connect(
        ["docker", "exec", "--interactive", container.id, "sh", "-c", AS_MYSQL_ROOT, "sh"],
        this.#log("mysql-client"),
      ).catch((error: Error) => {
        throw new MeasureError(
          `target.census.mysql: cannot ask ${container.service} as root (MYSQL_ROOT_PASSWORD of its container): ${error.message}`,
        );
      });
      this.#clients.push(client);
      this.#versions["mysql"] = client.version;
      readers.push(() => client.counters());
    }
    for (const container of this.#named(redis)) {
      const client = await RedisClient.connect(container.address() ?? "", REDIS_PORT).catch((error: Error) => {
        throw new MeasureError(`target.census.redis: cannot ask ${container.service}: ${error.message}`);
      });
      this.#clients.push(client);
      this.#versions["redis"] = client.version;
      readers.push(() => client.counters());
    }
    this.#counters = await Counters.of(readers);
  }

  // ------------------------------------------------------------- Target

  url(arm: Arm): string {
    return `http://${this.#address(arm)}:${this.#recipe.port}`;
  }

  async restart(): Promise<void> {
    const { signal } = this.#options;
    const renewed = ARMS.flatMap((arm) =>
      this.#containers[arm].filter(({ service }) => this.#recipe.restart.includes(service)),
    );
    await Promise.all(renewed.map(({ id }) => docker(["restart", "--time", "1", id], { signal })));
    for (const project of [...ARMS, "shared" as const]) await this.#lookAt(project, renewed);
    for (const arm of ARMS) await this.#healthy(arm);
  }

  async php(arm: Arm): Promise<PhpState | null> {
    const answer = await this.#ask(arm, "probe");
    return answer === null ? null : phpState(answer as ProbeAnswer, this.#options.plan.config.target.php);
  }

  async versions(): Promise<Record<string, string>> {
    const php = (await this.php("base"))?.version;
    return { ...(php === undefined ? {} : { php }), ...this.#versions };
  }

  usage(arm: Arm) {
    return usageOf(this.#targetContainers(arm));
  }

  servicesUsage() {
    const others = ARMS.flatMap((arm) =>
      this.#containers[arm].filter((it) => !this.#targetContainers(arm).includes(it)),
    );
    return usageOf([...others, ...this.#containers.shared]);
  }

  async front(arm: Arm): Promise<FrontState> {
    const status = ((await this.#ask(arm, "status")) ?? {}) as Record<string, number>;
    const counts = this.#targetContainers(arm).map((container) => container.counts);
    return {
      listenOverflows: counts.reduce((sum, { listenOverflows }) => sum + listenOverflows, 0),
      portErrors: counts.reduce((sum, { portErrors }) => sum + portErrors, 0),
      listenQueueMax: Math.max(0, status["max listen queue"] ?? 0),
      maxChildrenReached: status["max children reached"] ?? 0,
    };
  }

  counters(): Promise<ServiceCounters> {
    return this.#counters?.read() ?? Promise.resolve({});
  }

  /** What the engine does for our containers (their output, their network) is on their behalf. */
  roots(): number[] {
    return [...this.#engine, ...this.#all().flatMap(({ pid }) => [pid, ...parentOf(pid)])];
  }

  namespaces(): number[] {
    return ARMS.flatMap((arm) => this.#targetContainers(arm).flatMap((it) => (it.networkOf === null ? [it.pid] : [])));
  }

  alive(arm: Arm): boolean {
    return this.#targetContainers(arm).every((container) => container.alive);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Whatever has been aborted, this has to be done.
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    for (const client of this.#clients) client.close();
    for (const container of this.#all()) container.close();
    await Promise.all(
      ([...ARMS, "shared"] as const).flatMap((project) =>
        this.#containers[project].map(({ id, service }) => {
          const log = this.#log(`${project}-${service}`);
          rmSync(log, { force: true });
          return docker(["logs", "--tail", KEPT_LOG_LINES, id], { signal, log }).catch(() => "");
        }),
      ),
    );
    try {
      await removeLabelled(`${LABEL}=${this.#id}`, signal);
      forgetLabel(`${LABEL}=${this.#id}`);
    } catch (error) {
      this.#options.progress(`some containers could not be removed, the next run does it: ${(error as Error).message}`);
    }
    rmSync(this.#state, { recursive: true, force: true });
    forgetDirectory(this.#state);
  }

  // ------------------------------------------------------------- helpers

  #log(name: string): string {
    return join(this.#logs, `${name}.log`);
  }

  #model(project: ProjectName): ComposeModel {
    const model = this.#models[project];
    if (model === undefined) throw new Error(`no project ${project}`);
    return model;
  }

  /** `docker compose` on a project's file, which is written on the first call. */
  #compose(project: ProjectName): string[] {
    const file = join(this.#state, `${project}.json`);
    if (!existsSync(file)) writeFileSync(file, composeText(this.#model(project)), { mode: 0o600 });
    const directory = this.#recipe.tree(project);
    return [
      "compose",
      "--project-directory",
      directory,
      "--file",
      file,
      "--project-name",
      projectName(this.#id, project),
    ];
  }

  /** Finds the containers of a project, or takes note of those that were restarted; all must run. */
  async #lookAt(project: ProjectName, renewed: readonly Container[] = []): Promise<void> {
    if (this.#models[project] === undefined) return;
    const { signal } = this.#options;
    const filter = `label=com.docker.compose.project=${projectName(this.#id, project)}`;
    const ids = (await docker(["ps", "--all", "--quiet", "--no-trunc", "--filter", filter], { signal })).split("\n");
    const seen = await inspect(ids.filter(Boolean), signal);
    const known = new Map(this.#containers[project].map((container) => [container.id, container]));
    this.#containers[project] = seen.map((inspection) => {
      const container = known.get(inspection.Id);
      if (container === undefined) return new Container(inspection);
      if (renewed.includes(container)) container.started(inspection);
      return container;
    });
    for (const { State, Config } of seen) {
      const service = Config.Labels["com.docker.compose.service"] ?? "";
      if (State.Status === "running" || (State.Status === "exited" && State.ExitCode === 0)) continue;
      const why = State.OOMKilled ? "it was killed for want of memory" : `exit status ${State.ExitCode}`;
      const container = this.#container(project, service);
      throw new MeasureError(`${service} of ${project} is ${State.Status}: ${why}${container?.evidence() ?? ""}`);
    }
  }

  #healthy(arm: Arm): Promise<void> {
    const { plan, signal } = this.#options;
    const target = this.#targetContainers(arm);
    return waitUntilHealthy({
      arm,
      url: this.url(arm) + plan.config.target.healthPath,
      host: this.host,
      signal,
      stillAlive: () => {
        const dead = target.find((container) => !container.alive);
        if (dead !== undefined) throw new MeasureError(`${dead.service} of ${arm} died${dead.evidence()}`);
      },
      evidence: () => target.map((container) => container.evidence()).join(""),
    });
  }

  #all(): Container[] {
    return Object.values(this.#containers).flat();
  }

  #container(project: ProjectName, service: string): Container | undefined {
    return this.#containers[project].find((container) => container.service === service);
  }

  /** The containers of a service, wherever it runs: one where it is shared, else one per arm. */
  #named(service: string | null): Container[] {
    return this.#all().filter((container) => container.service === service);
  }

  #targetContainers(arm: Arm): Container[] {
    const names = [this.#recipe.service, ...this.#recipe.restart];
    return this.#containers[arm].filter(({ service }) => names.includes(service));
  }

  /** Whether a service is part of the target or starts after it. */
  #needsTarget(services: ComposeModel["services"], name: string): boolean {
    if (name === this.#recipe.service || this.#recipe.restart.includes(name)) return true;
    return Object.keys(services[name]?.depends_on ?? {}).some((other) => this.#needsTarget(services, other));
  }

  #address(arm: Arm): string {
    const container = this.#container(arm, this.#recipe.service);
    const owner = container?.networkOf ?? null;
    const address =
      owner === null
        ? container?.address()
        : this.#all()
            .find(({ id }) => id === owner)
            ?.address();
    if (address) return address;
    throw new MeasureError(`${this.#recipe.service} of ${arm} has no address in any network`);
  }

  async #ask(arm: Arm, what: "status" | "probe"): Promise<unknown> {
    const { adminPort } = this.#recipe;
    if (adminPort === null) return null;
    try {
      return JSON.parse((await get(`http://${this.#address(arm)}:${adminPort}/${what}?json`)).body);
    } catch {
      return null;
    }
  }
}

const REDIS_PORT = 6379;
/** In a container of the official images of MySQL and MariaDB: their client, as administrator. */
const AS_MYSQL_ROOT =
  "MYSQL_PWD=$(printenv MARIADB_ROOT_PASSWORD || printenv MYSQL_ROOT_PASSWORD) " +
  'exec "$(command -v mysql || command -v mariadb)" --no-defaults --user=root "$@"';

/** Configured variables for compose, which would expand a `$`; `${MYSQL_HOST}` is what the service's own environment says. */
function escaped(env: Record<string, string>, service: ComposeService): Record<string, string> {
  const known = (service["environment"] ?? {}) as Record<string, string | null>;
  return mapValues(env, (value) =>
    value.replaceAll("$", "$$$$").replaceAll(/\$\$\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole),
  );
}

/**
 * Removes containers, networks, volumes and images that carry the label.
 *
 * @returns number of containers
 */
async function removeLabelled(label: string, signal: AbortSignal): Promise<number> {
  const list = async (...args: string[]): Promise<string[]> => {
    const found = await docker([...args, "--quiet", "--filter", `label=${label}`], { signal });
    return [...new Set(found.split("\n").filter(Boolean))];
  };
  const containers = await list("ps", "--all");
  if (containers.length > 0) await docker(["rm", "--force", "--volumes", ...containers], { signal });
  for (const kind of ["network", "volume"]) {
    const found = await list(kind, "ls");
    if (found.length > 0) await docker([kind, "rm", ...found], { signal });
  }
  const images = await list("image", "ls");
  if (images.length > 0) await docker(["image", "rm", "--force", ...images], { signal });
  return containers.length;
}

/** The engine's own processes, where it runs on this machine. */
function enginePids(): number[] {
  return readdirSync("/proc").flatMap((entry) => {
    try {
      const name = readFileSync(`/proc/${Number(entry)}/comm`, "utf8").trim();
      return ["dockerd", "containerd"].includes(name) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}

function parentOf(pid: number): number[] {
  try {
    return [parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1")).ppid];
  } catch {
    return [];
  }
}

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MeasureError } from "../../core/errors.ts";
import { tail } from "../log.ts";
import { waitFor } from "../wait.ts";
import { Container, type Inspection, inspect } from "./container.ts";
import { DockerError, docker, lastLines } from "./engine.ts";
import { quietImageHealthcheck } from "./healthcheck.ts";
import { withHealthcheck } from "./images.ts";
import { composeText, projectName } from "./project.ts";
import { inOrder } from "./resolve.ts";
import { type ComposeModel, mapValues, type ProjectName, pick, withoutDependencies } from "./types.ts";

/** How long backing services may take to become healthy, s. */
const UP_TIMEOUT = 180;
/** Lines of each container's log that are kept in the work directory. */
const KEPT_LOG_LINES = "2000";

export interface DeploymentOptions {
  project: ProjectName;
  /** Of the run. */
  id: string;
  model: ComposeModel;
  /** Where its file is written. */
  state: string;
  /** What relative paths in it start from. */
  directory: string;
  /** Services that run to their end and are waited for. */
  oneShots: ReadonlySet<string>;
  /** Path of a log below the work directory. */
  log: (name: string) => string;
  signal: AbortSignal;
}

/** One compose project on the engine: its file, its containers and their logs. */
export class Deployment {
  containers: Container[] = [];
  readonly #options: DeploymentOptions;
  readonly #file: string;
  #model: ComposeModel;

  constructor(options: DeploymentOptions) {
    this.#options = options;
    this.#file = join(options.state, `${options.project}.json`);
    this.#model = options.model;
  }

  /** As it stands; what has run to its end is no longer in it. */
  get model(): ComposeModel {
    return this.#model;
  }

  container(service: string): Container | undefined {
    return this.containers.find((container) => container.service === service);
  }

  /** Images that are not here yet; where one brings a health check of its own, that is made quiet too. */
  async pull(): Promise<void> {
    const { project, log, signal } = this.#options;
    this.#write(this.#model);
    await docker([...this.compose(), "pull", "--policy", "missing", "--quiet"], {
      signal,
      log: log("compose"),
    }).catch((error: Error) => {
      signal.throwIfAborted();
      const why = error instanceof DockerError ? lastLines(error.stderr, 1) : error.message;
      throw new MeasureError(
        `${project}: an image cannot be pulled: ${why}. Where no registry answers, docker/offline/build.sh of perf-gate builds stand-ins for php, nginx, mysql and redis`,
      );
    });
    const images = Object.values(this.#model.services).flatMap(({ image }) => image ?? []);
    const checked = await withHealthcheck(images, signal);
    const services = mapValues(this.#model.services, (service) =>
      checked.has(service.image ?? "") ? quietImageHealthcheck(service) : service,
    );
    this.#write({ ...this.#model, services });
  }

  /** `wait`: until they are healthy. `alone`: without what they depend on. */
  async up(services: readonly string[], how: "wait" | "alone" | "all"): Promise<void> {
    const { project, log, signal } = this.#options;
    const flags = { wait: ["--wait", "--wait-timeout", `${UP_TIMEOUT}`], alone: ["--no-deps"], all: [] }[how];
    const args = [...this.compose(), "up", "--detach", "--no-build", ...flags, ...services];
    await docker(args, { signal, log: log("compose") }).catch(async (error: Error) => {
      signal.throwIfAborted();
      const why = error instanceof DockerError ? lastLines(error.stderr, 1) : error.message;
      throw new MeasureError(`${project}: cannot start ${services.join(", ")}: ${why}${await this.troubled()}`);
    });
  }

  /** Starts services and waits until they are healthy; one-shot services run to their end, once. */
  async startBacking(names: readonly string[]): Promise<void> {
    const { oneShots } = this.#options;
    const { services } = this.#model;
    const steady = names.filter((name) => !oneShots.has(name));
    if (steady.length > 0) await this.up(steady, "wait");
    const done = new Set(
      inOrder(
        services,
        names.filter((name) => oneShots.has(name)),
      ),
    );
    if (done.size === 0) return;
    for (const name of done) await this.#complete(name);
    // Compose would start what has ended again.
    const left = mapValues(
      pick(services, (_, name) => !done.has(name)),
      (service) => withoutDependencies(service, done),
    );
    this.#write({ ...this.#model, services: left });
  }

  async #complete(name: string): Promise<void> {
    const { project, signal } = this.#options;
    const list = ["ps", "--all", "--quiet", "--no-trunc", ...this.#filter(name)];
    let id = (await docker(list, { signal })).trim();
    if (id === "") {
      await this.up([name], "alone");
      id = (await docker(list, { signal })).trim();
    }
    const status = (await docker(["wait", id], { signal })).trim();
    if (status === "0") return;
    const log = await this.#saveLog(name, id, signal);
    throw new MeasureError(`${name} of ${project} has ended: exit status ${status}${tail("its log", log)}`);
  }

  /** Waits until none of its containers is starting any more: a health check beside a slot would be load. */
  async settle(): Promise<void> {
    const { project, signal } = this.#options;
    const status = ({ State }: Inspection) => State.Health?.Status;
    let seen: Inspection[] = [];
    await waitFor(
      async () => {
        seen = await this.lookAt();
        return seen.some((it) => status(it) === "starting") ? null : true;
      },
      { everyMs: 200, timeoutMs: UP_TIMEOUT * 1000, signal },
    );
    if (seen.some((it) => ["starting", "unhealthy"].includes(status(it) ?? ""))) {
      throw new MeasureError(`${project} does not become healthy${await this.troubled()}`);
    }
  }

  /**
   * Finds its containers and takes note of those that were restarted. Throws MeasureError with the log of one that does
   * not run.
   */
  async lookAt(renewed: readonly Container[] = []): Promise<Inspection[]> {
    const { project, oneShots, signal } = this.#options;
    const ids = await docker(["ps", "--all", "--quiet", "--no-trunc", ...this.#filter()], { signal });
    const seen = await inspect(ids.split("\n").filter(Boolean), signal);
    const known = new Map(this.containers.map((container) => [container.id, container]));
    this.containers = seen.map((inspection) => {
      const container = known.get(inspection.Id) ?? new Container(inspection);
      if (renewed.includes(container)) container.started(inspection);
      return container;
    });
    for (const [index, { Id, State }] of seen.entries()) {
      const name = this.containers[index]?.service ?? Id;
      const isOver = State.Status === "exited" && State.ExitCode === 0 && oneShots.has(name);
      if (State.Status === "running" || isOver) continue;
      const log = await this.#saveLog(name, Id, signal);
      throw new MeasureError(`${name} of ${project} is ${State.Status}: ${endOf(State)}${tail("its log", log)}`);
    }
    return seen;
  }

  /** Logs of its containers that do not run, or not well. */
  async troubled(): Promise<string> {
    const { oneShots, signal } = this.#options;
    const format = "{{.ID}}\t{{.Service}}\t{{.State}}\t{{.Health}}\t{{.ExitCode}}";
    const list = await docker([...this.compose(), "ps", "--all", "--format", format], { signal });
    let text = "";
    for (const line of list.trim().split("\n")) {
      const [id = "", service = "", state, health, exitCode] = line.split("\t");
      const isWell = state === "running" && health !== "unhealthy" && health !== "starting";
      if (id === "" || isWell || (exitCode === "0" && oneShots.has(service))) continue;
      const log = await this.#saveLog(service, id, signal);
      const how = state === "running" ? health : `${state}, exit status ${exitCode}`;
      text += `\n${service} is ${how}${tail("its log", log)}`;
    }
    return text;
  }

  /** Lets go of its containers; the ends of their logs stay. */
  async close(signal: AbortSignal): Promise<void> {
    for (const container of this.containers) container.close();
    await Promise.all(this.containers.map(({ service, id }) => this.#saveLog(service, id, signal)));
  }

  /** `docker compose` on its file, to be followed by a command. */
  compose(): string[] {
    const { project, id, directory } = this.#options;
    const name = projectName(id, project);
    return ["compose", "--project-directory", directory, "--file", this.#file, "--project-name", name];
  }

  #write(model: ComposeModel): void {
    this.#model = model;
    writeFileSync(this.#file, composeText(model), { mode: 0o600 });
  }

  async #saveLog(service: string, id: string, signal: AbortSignal): Promise<string> {
    const log = this.#options.log(`${this.#options.project}-${service}`);
    rmSync(log, { force: true });
    await docker(["logs", "--tail", KEPT_LOG_LINES, id], { signal, log }).catch(() => "");
    return log;
  }

  #filter(service?: string): string[] {
    const labels = [`com.docker.compose.project=${projectName(this.#options.id, this.#options.project)}`];
    if (service !== undefined) labels.push(`com.docker.compose.service=${service}`);
    return labels.flatMap((label) => ["--filter", `label=${label}`]);
  }
}

/** How a container has ended, in words. */
export function endOf({ OOMKilled, ExitCode }: Inspection["State"]): string {
  if (OOMKilled) return "killed for want of memory (target.resources, or mem_limit in the compose file)";
  const hint = ". Where that is its job, what needs it waits for it: condition: service_completed_successfully";
  return `exit status ${ExitCode}${ExitCode === 0 ? hint : ""}`;
}

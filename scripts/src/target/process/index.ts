import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { servicesOf, targetOf } from "../../core/arms.ts";
import { MeasureError } from "../../core/errors.ts";
import { ARMS, type Arm, type TargetConfig } from "../../core/model.ts";
import { findOpenssl } from "../certificate.ts";
import { childEnvironment } from "../environment.ts";
import { requireProgram } from "../programs.ts";
import type { StartOptions, Target } from "../target.ts";
import { CommandReplica } from "./command-replica.ts";
import { findNginx } from "./nginx.ts";
import { choosePhpFpm } from "./php-fpm.ts";
import { PhpReplica } from "./php-replica.ts";
import { Premises } from "./premises.ts";
import { prepareArm } from "./prepare.ts";
import type { Replica } from "./replica.ts";
import { allOrFirstError, Services } from "./services.ts";

/** Driver `process`: services, php-fpm and nginx as plain processes of this machine. */
export async function startProcesses(options: StartOptions): Promise<Target> {
  options.signal.throwIfAborted();
  requireInstalled(options);
  const premises = new Premises(options.workDirectory, options.signal);
  let services: Services | null = null;
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    options.signal.removeEventListener("abort", close);
    closing ??= premises.close();
    return closing;
  };
  options.signal.addEventListener("abort", close);
  try {
    const { plan } = options;
    services = await Services.start(premises, servicesOf(plan), plan.layout.services, options.progress);
    const replicas = { base: await prepared("base"), head: await prepared("head") };
    options.progress("starting both arms");
    const target = new ProcessTarget(options, premises, services, replicas, close);
    await target.restart();
    return target;
  } catch (error) {
    await close();
    throw error;
  }

  /** Prepares an arm's tree; its replica is ready to be started. */
  async function prepared(arm: Arm): Promise<Replica> {
    const { plan } = options;
    const target = targetOf(plan, arm);
    const { directory } = plan.arms[arm];
    if (directory === null) throw new MeasureError(`${arm} has no directory to run from`);
    const variables = services?.environment(arm, target.services) ?? {};
    const env = childEnvironment({ ...variables, ...fillIn(target.env, variables) });
    await prepareArm(premises, { arm, directory, commands: target.prepare, env, progress: options.progress });
    const replica = { arm, directory, env, cpus: plan.layout.target, port: await premises.port() };
    const { start: command, nginx } = target;
    if (command === null) return new PhpReplica(premises, target, replica);
    const serverPort = nginx.proxy ? await premises.port() : replica.port;
    return new CommandReplica(premises, target, { ...replica, command, serverPort });
  }
}

/** Whether nginx is in front of an arm. */
const hasNginx = ({ start, nginx }: TargetConfig): boolean => start === null || nginx.proxy;

/** Fails before anything was started where a program is missing. */
function requireInstalled({ plan }: StartOptions): void {
  requireProgram("util-linux", "taskset");
  for (const arm of ARMS) {
    const target = targetOf(plan, arm);
    if (target.start === null) choosePhpFpm(target.php);
    if (hasNginx(target) || target.services.includes("http")) findNginx();
    if (target.nginx.tls) findOpenssl();
  }
}

class ProcessTarget implements Target {
  readonly generator = null;
  readonly warnings = [];
  readonly close: () => Promise<void>;
  readonly #options: StartOptions;
  readonly #premises: Premises;
  readonly #services: Services;
  readonly #replicas: Record<Arm, Replica>;

  constructor(
    options: StartOptions,
    premises: Premises,
    services: Services,
    replicas: Record<Arm, Replica>,
    close: () => Promise<void>,
  ) {
    this.close = close;
    this.#options = options;
    this.#premises = premises;
    this.#services = services;
    this.#replicas = replicas;
  }

  url(arm: Arm): string {
    return this.#replicas[arm].url;
  }

  async hostUrl(arm: Arm): Promise<string> {
    return this.url(arm);
  }

  host(arm: Arm): string {
    return targetOf(this.#options.plan, arm).host;
  }

  async restart(): Promise<void> {
    await allOrFirstError(ARMS.map((arm) => this.#replicas[arm].restart()));
  }

  php(arm: Arm) {
    return this.#replicas[arm].php();
  }

  async versions(): Promise<Record<string, string>> {
    const php = ((await this.php("head")) ?? (await this.php("base")))?.version;
    const withNginx = ARMS.some((arm) => hasNginx(targetOf(this.#options.plan, arm)));
    return {
      ...(php === undefined ? {} : { php }),
      ...(withNginx ? { nginx: await nginxVersion() } : {}),
      ...this.#services.versions(),
    };
  }

  usage(arm: Arm) {
    return this.#premises.groups[arm].read();
  }

  servicesUsage() {
    return servicesOf(this.#options.plan).length === 0 ? null : this.#premises.groups.services.read();
  }

  front(arm: Arm) {
    return this.#replicas[arm].front();
  }

  counters() {
    return this.#services.counters();
  }

  roots(): number[] {
    return [];
  }

  namespaces(): number[] {
    return [];
  }

  alive(arm: Arm): boolean {
    return this.#replicas[arm].alive;
  }
}

async function nginxVersion(): Promise<string> {
  const { stderr } = await promisify(execFile)(findNginx(), ["-v"]);
  return /nginx\/(\S+)/.exec(stderr)?.[1] ?? stderr.trim();
}

/** Replaces ${NAME} in the configured environment by what the services gave this arm: DB_HOST: ${MYSQL_HOST}. */
function fillIn(env: Record<string, string>, variables: Record<string, string>): Record<string, string> {
  const filled = (value: string) => value.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole);
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
}

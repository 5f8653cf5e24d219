import { InputError } from "../../core/errors.ts";
import { ARMS, type Arm, type Link, type Resources } from "../../core/model.ts";
import { checkOwn, checkRestart, checkShared, namedVolumes, requireServices, sharedServices } from "./checks.ts";
import { quietHealthcheck } from "./healthcheck.ts";
import { limited, pinned } from "./limits.ts";
import { withLinks } from "./links.ts";
import {
  type Attachment,
  type ComposeModel,
  type ComposeService,
  type Deploy,
  type Entry,
  type Labels,
  mapValues,
  type ProjectName,
  pick,
  type Services,
  without,
  withoutDependencies,
} from "./types.ts";

export interface ProjectOptions {
  /** Of the run; the project is perf-gate-<id>-<arm>. Lower case, digits, "-". */
  id: string;
  /** On every container and volume. */
  labels: Labels;
  arm: Arm;
  /** Answers HTTP. */
  service: string;
  /** Services that run once for both arms, with all they depend on. */
  shared: readonly string[];
  /** CPUs of PHP's own services and of the others, ascending; null = not pinned. */
  cpus: { target: readonly number[]; services: readonly number[] } | null;
  /** Services that get cpus.target and `resources`: `service` and what is restarted with it. */
  targetServices: readonly string[];
  /** Of each of the target services; null = what the file says. */
  resources: Resources | null;
  links: Readonly<Record<string, Link>>;
  /** Takes the place of image and build of PHP's service, the first of targetServices; null = what the file says. */
  image: string | null;
}

export type SharedOptions = Omit<ProjectOptions, "arm" | "image">;

/**
 * The arm's own project, made from the user's file as resolved in the arm's tree: nothing in it can collide with the
 * other arm. Services that are built carry the tag that bakeFile() gives them and keep `build` for it; composeText()
 * leaves that out. Throws InputError where two arms cannot run side by side.
 */
export function armProject(model: ComposeModel, options: ProjectOptions): ComposeModel {
  const { arm, id, service, image } = options;
  const [php = service] = options.targetServices;
  const { linked, shared } = prepared(model, options);
  const own = pick(linked.services, (_, name) => !shared.has(name));
  checkOwn(linked, own, shared);
  const { image: built } = own[php] ?? {};
  const replaced = mapValues(own, (it, name) =>
    image !== null && (name === php || (built !== undefined && it.image === built))
      ? { ...without(it, "build"), image }
      : it,
  );
  return project(linked, options, arm, {
    services: mapValues(replaced, (it) => withoutDependencies(it, shared)),
    networks: Object.fromEntries(networkKeys(linked).map((key) => [key, network(id, arm, key)])),
  });
}

/**
 * What runs once for both arms, on the networks of both, under its own names; null where nothing is shared. `arms`:
 * those that need it.
 * `model` is the user's file as resolved for the shared project. Throws InputError as armProject() does.
 */
export function sharedProject(
  model: ComposeModel,
  options: SharedOptions,
  arms: readonly Arm[] = ARMS,
): ComposeModel | null {
  if (options.shared.length === 0) return null;
  const { linked, shared } = prepared(model, options);
  const onBoth = (it: ComposeService, name: string): ComposeService =>
    it.networks === undefined ? it : { ...it, networks: ofArms(arms, it.networks, name) };
  return project(linked, options, "shared", {
    services: mapValues(
      pick(linked.services, (_, name) => shared.has(name)),
      onBoth,
    ),
    networks: Object.fromEntries(
      networkKeys(linked).flatMap((key) => arms.map((arm) => [`${arm}_${key}`, network(options.id, arm, key)])),
    ),
  });
}

/** Names two arms cannot both have. */
const UNIQUE_OPTION = "com.docker.network.bridge.name";

/**
 * The networks that must exist before the arm's project, or the shared one, is started: name -> options of
 * `docker network create`.
 */
export function networksOf(model: ComposeModel, id: string, arm: Arm): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(model.networks ?? {}).map(([key, entry]) => {
      const own = Object.entries((entry?.["driver_opts"] ?? {}) as Record<string, string>);
      const options = own.flatMap(([name, value]) => (name === UNIQUE_OPTION ? [] : ["--opt", `${name}=${value}`]));
      return [networkName(id, arm, key), [...(entry?.["internal"] === true ? ["--internal"] : []), ...options]];
    }),
  );
}

/** The text of a project for `docker compose -f`. */
export function composeText(project: ComposeModel): string {
  return JSON.stringify({ ...project, services: mapValues(project.services, (it) => without(it, "build")) }, null, 2);
}

export const projectName = (id: string, name: ProjectName): string => `perf-gate-${id}-${name}`;

const networkKeys = (model: ComposeModel): string[] => Object.keys(model.networks ?? {});
const networkName = (id: string, arm: Arm, key: string): string => `${projectName(id, arm)}_${key}`;
const network = (id: string, arm: Arm, key: string): Entry => ({ external: true, name: networkName(id, arm, key) });

/** The checked model with names as aliases and delays in place, and which of its services are shared. */
function prepared(model: ComposeModel, options: SharedOptions): { linked: ComposeModel; shared: Set<string> } {
  const { service, targetServices, shared, links } = options;
  requireServices(model, "target.service", [service]);
  requireServices(model, "target.restart", targetServices);
  checkRestart(model.services, targetServices);
  requireServices(model, "target.shared", shared);
  requireServices(model, "target.links", Object.keys(links));
  const target = [...new Set([service, ...targetServices])];
  const delayed = target.find((name) => Object.hasOwn(links, name));
  if (delayed !== undefined)
    throw new InputError(
      `target.links.${delayed}: ${delayed} is under load itself (target.service, target.restart); a link delays what it asks. Name a service it asks, such as mysql.`,
    );
  const linked = withLinks(withAliases(model), links);
  checkShared(linked, shared, target);
  return { linked, shared: sharedServices(linked, shared) };
}

/** Other services may know a service by its container's name, or by `links: [service:alias]`. */
function withAliases(model: ComposeModel): ComposeModel {
  const links = Object.values(model.services).flatMap((it) => it.links ?? []);
  const aliasesOf = (name: string, it: ComposeService): string[] => [
    ...(it.container_name === undefined ? [] : [it.container_name]),
    ...links.flatMap((link) => (link.startsWith(`${name}:`) ? [link.slice(name.length + 1)] : [])),
  ];
  const services = mapValues(model.services, (it, name) => {
    const aliases = aliasesOf(name, it);
    const known = without(it, "container_name", "links");
    if (it.networks === undefined || aliases.length === 0) return known;
    return { ...known, networks: mapValues(it.networks, (to) => attached(to, aliases)) };
  });
  return { ...model, services };
}

function attached(to: Attachment | null, aliases: readonly string[]): Attachment {
  return { ...to, aliases: [...new Set([...(to?.aliases ?? []), ...aliases])] };
}

function ofArms(
  arms: readonly Arm[],
  networks: Record<string, Attachment | null>,
  name: string,
): Record<string, Attachment> {
  return Object.fromEntries(
    Object.entries(networks).flatMap(([key, to]) => arms.map((arm) => [`${arm}_${key}`, attached(to, [name])])),
  );
}

interface Parts {
  services: Services;
  networks: Record<string, Entry>;
}

function project(model: ComposeModel, options: SharedOptions, name: ProjectName, parts: Parts): ComposeModel {
  const { id, labels } = options;
  const services = mapValues(tagged(parts.services, id, name), (it, key) => ({
    ...confined(it, isTarget(key, options), options),
    labels: { ...it.labels, ...labels, "perf-gate.arm": name },
  }));
  const used = new Set(Object.values(services).flatMap(namedVolumes));
  const volumes = mapValues(
    pick(model.volumes ?? {}, (_, key) => used.has(key)),
    (it, key) => (it?.external ? it : { ...it, name: `${projectName(id, name)}_${key}`, labels }),
  );
  return { ...model, name: projectName(id, name), services, networks: parts.networks, volumes };
}

const isTarget = (key: string, { service, targetServices }: SharedOptions): boolean =>
  key === service || targetServices.includes(key);

/** What is built gets a tag of this run's own, also where another service only names that image. */
function tagged(services: Services, id: string, project: ProjectName): Services {
  const tag = (key: string): string => `perf-gate/${id}:${project}-${key}`;
  const builder = (key: string, it: ComposeService): string | undefined =>
    it.build === undefined
      ? Object.keys(services).find(
          (other) => services[other]?.build !== undefined && services[other].image === it.image,
        )
      : key;
  return mapValues(services, (it, key) => {
    const by = builder(key, it);
    const kept = without(it, "pull_policy");
    return by === undefined ? kept : { ...kept, image: tag(by), pull_policy: "never" };
  });
}

/** Cheap for the engine, which shares our CPUs, and never full. */
const LOGGING = { driver: "local", options: { "max-size": "10m" } };

/** One service without what could collide, come back by itself or make noise, on its CPUs. */
function confined(service: ComposeService, isTarget: boolean, options: SharedOptions): ComposeService {
  const { scale, deploy, depends_on, healthcheck, networks } = service;
  const quiet: ComposeService = { ...without(service, "ports", "restart", "profiles", "develop"), logging: LOGGING };
  if (scale !== undefined) quiet.scale = Math.min(scale, 1);
  if (deploy !== undefined) quiet.deploy = once(deploy);
  if (depends_on !== undefined) quiet.depends_on = mapValues(depends_on, (it) => without(it, "restart"));
  if (healthcheck !== undefined) quiet.healthcheck = quietHealthcheck(healthcheck);
  if (networks !== undefined) quiet.networks = mapValues(networks, withoutAddress);
  const { cpus, resources } = options;
  if (!isTarget) return pinned(quiet, cpus?.services ?? null);
  const own = cpus?.target ?? null;
  return resources === null ? pinned(quiet, own) : limited(quiet, resources, own);
}

function once(deploy: Deploy): Deploy {
  const kept: Deploy = { ...without(deploy, "restart_policy") };
  if (deploy.replicas !== undefined) kept.replicas = Math.min(deploy.replicas, 1);
  return kept;
}

/** Fixed addresses belong to the file's own subnets, which are not those of the arms' networks. */
function withoutAddress(to: Attachment | null): Attachment | null {
  return to === null ? null : without(to, "ipv4_address", "ipv6_address", "link_local_ips");
}

import { InputError } from "../../core/errors.ts";
import type { ComposeModel, ComposeService, Services } from "./types.ts";

/** Throws InputError for the first of `names` that is no service of the file; `key` is where the name was written. */
export function requireServices(model: ComposeModel, key: string, names: readonly string[]): void {
  const missing = names.find((name) => !Object.hasOwn(model.services, name));
  if (missing === undefined) return;
  const there = Object.keys(model.services).toSorted();
  throw new InputError(
    `${key}: no service "${missing}" in the compose file. Name one of ${there.join(", ")}; a service with profiles: is there only when COMPOSE_PROFILES names one of them.`,
  );
}

/** The services named and all that they depend on. */
export function sharedServices(model: ComposeModel, named: readonly string[]): Set<string> {
  const found = new Set<string>();
  const queue = [...named];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const service = model.services[name];
    if (found.has(name) || service === undefined) continue;
    found.add(name);
    queue.push(...Object.keys(service.depends_on ?? {}));
  }
  return found;
}

/** Throws InputError where a shared service needs a target service, or a service its own kind of network. */
export function checkShared(model: ComposeModel, shared: readonly string[], target: readonly string[]): void {
  for (const name of shared) {
    const needed = target.find((it) => sharedServices(model, [name]).has(it));
    if (needed === name)
      throw new InputError(
        `target.shared: ${name} is under load itself (target.service, target.restart), so each arm has its own. Take it out of target.shared.`,
      );
    if (needed !== undefined)
      throw new InputError(
        `target.shared: ${name} depends on ${needed}, which each arm has for itself. Take ${name} out of target.shared, or remove its depends_on.`,
      );
  }
  for (const [name, service] of Object.entries(model.services)) checkNetwork(name, service);
}

function checkNetwork(name: string, { network_mode: mode }: ComposeService): void {
  if (mode === "host")
    throw new InputError(
      `compose file: services.${name}.network_mode: the arms run side by side and would want the same ports of this host; got host. Remove it: load goes to the container's own address, and services find each other by name.`,
    );
  if (mode?.startsWith("container:"))
    throw new InputError(
      `compose file: services.${name}.network_mode: expected a network that each arm can have for itself; got ${mode}. Write service:NAME, with that container as a service of the file.`,
    );
}

/** Throws InputError where a service of an arm would reach into the other arm or into a shared service's container. */
export function checkOwn(model: ComposeModel, own: Services, shared: ReadonlySet<string>): void {
  for (const [name, service] of Object.entries(own)) {
    const tie = tiesOf(service).find(([, to]) => shared.has(to));
    if (tie !== undefined)
      throw new InputError(
        `target.shared: ${name} lives in the container of ${tie[1]} (${tie[0]}), which both arms share. Name ${name} under target.shared too, or take ${tie[1]} out.`,
      );
    for (const volume of namedVolumes(service)) checkVolume(model, { name, volume, shared });
  }
}

function checkVolume(model: ComposeModel, use: { name: string; volume: string; shared: ReadonlySet<string> }): void {
  const { name, volume, shared } = use;
  if (model.volumes?.[volume]?.external === true)
    throw new InputError(
      `compose file: volumes.${volume} is external and ${name} uses it: the arms run side by side and would write into the same files. Name ${name} under target.shared, or remove external: true, so that each arm gets a volume of its own.`,
    );
  const sharer = [...shared].find((it) => namedVolumes(model.services[it]).includes(volume));
  if (sharer !== undefined)
    throw new InputError(
      `target.shared: ${sharer} exchanges files with ${name} through the volume ${volume}, but runs once for both arms. Take ${sharer} out of target.shared.`,
    );
}

/** Names of the volumes a service mounts. */
export function namedVolumes(service: ComposeService | undefined): string[] {
  return (service?.volumes ?? []).flatMap((it) => (it.type === "volume" && it.source !== undefined ? [it.source] : []));
}

/**
 * The services to restart, in order: each of `restart`, and after it what lives in its namespaces, which would be left
 * in a network that is gone.
 */
export function restartOrder(services: Services, restart: readonly string[]): string[] {
  const order: string[] = [];
  const add = (name: string): void => {
    if (order.includes(name)) return;
    order.push(name);
    for (const [other, service] of Object.entries(services)) {
      if (modesOf(service).some(([, to]) => to === name)) add(other);
    }
  };
  for (const name of restart) add(name);
  return order;
}

/**
 * @throws InputError where one of `restart` is up before the first of them is, which runs PHP: it would have to start
 * with PHP and before it
 */
export function checkRestart(services: Services, restart: readonly string[]): void {
  const [php, ...others] = restart;
  if (php === undefined) return;
  const before = new Set<string>();
  const add = (name: string): void => {
    for (const other of Object.keys(services[name]?.depends_on ?? {})) {
      if (before.has(other)) continue;
      before.add(other);
      add(other);
    }
  };
  add(php);
  const early = others.find((name) => before.has(name));
  if (early !== undefined)
    throw new InputError(
      `target.restart: ${php} is the first, so PHP runs in it, and waits for ${early} (depends_on), which therefore starts once and is not restarted. Take ${early} out, or name the service that runs PHP first.`,
    );
}

/** Namespaces a service shares with another one: [how, whose]. */
function modesOf(service: ComposeService): [string, string][] {
  return (["network_mode", "ipc", "pid"] as const).flatMap((key): [string, string][] => {
    const [kind, name] = service[key]?.split(":") ?? [];
    return kind === "service" && name !== undefined ? [[`${key}: service:${name}`, name]] : [];
  });
}

/** What makes a service live in another one's container: [how, whose]. */
function tiesOf(service: ComposeService): [string, string][] {
  const files = (service.volumes_from ?? []).map((it): [string, string] => [
    `volumes_from: ${it}`,
    it.split(":")[0] ?? "",
  ]);
  return [...modesOf(service), ...files];
}

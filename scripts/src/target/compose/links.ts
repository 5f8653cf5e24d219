import { InputError } from "../../core/errors.ts";
import type { Link } from "../../core/model.ts";
import { type Build, type ComposeModel, type ComposeService, type Entry, mapValues, without } from "./types.ts";

export const TOXIPROXY_IMAGE = "ghcr.io/shopify/toxiproxy:2.12.0";
/** Of Toxiproxy's HTTP API, in each container that runs it. */
export const TOXIPROXY_PORT = 8474;
const CONFIG_FILE = "/toxiproxy.json";

type Links = Readonly<Record<string, Link>>;

/** The name of a linked service itself; its own name belongs to the proxy in front of it. */
const direct = (name: string): string => `${name}-direct`;

/** A delay to be posted to Toxiproxy's API of the service `service` (see TOXIPROXY_PORT), once it runs. */
export interface Toxic {
  service: string;
  path: string;
  body: { name: string; type: "latency"; stream: "downstream"; toxicity: 1; attributes: Record<string, number> };
}

/**
 * One per link. Toxiproxy's file of initial proxies knows no toxics, and a restart of its container forgets them.
 * The answers are delayed: one delay per round trip. Throws InputError for parts of a millisecond.
 */
export function toxics(links: Links): Toxic[] {
  return Object.entries(links).map(([service, link]) => ({
    service,
    path: `/proxies/${encodeURIComponent(service)}/toxics`,
    body: {
      name: "latency",
      type: "latency",
      stream: "downstream",
      toxicity: 1,
      attributes: {
        latency: wholeMs(link.latencyMs, `target.links.${service}.latency`),
        jitter: wholeMs(link.jitterMs, `target.links.${service}.jitter`),
      },
    },
  }));
}

function wholeMs(ms: number, key: string): number {
  if (Number.isInteger(ms)) return ms;
  const near = [...new Set([Math.floor(ms), Math.ceil(ms)])].map((n) => `${n}ms`).join(" or ");
  throw new InputError(`${key}: Toxiproxy counts in whole milliseconds; got ${ms}ms. Write ${near}.`);
}

/**
 * The model with Toxiproxy in front of every linked service X: X is the proxy, which has X's networks and aliases;
 * X-direct is the service, and what depends on it or shares its network, processes or files follows it there.
 */
export function withLinks(model: ComposeModel, links: Links): ComposeModel {
  if (Object.keys(links).length === 0) return model;
  toxics(links);
  const services: Record<string, ComposeService> = {};
  const configs: Record<string, Entry> = { ...model.configs };
  for (const [name, service] of Object.entries(model.services)) {
    const link = links[name];
    const followed = follow(service, links);
    if (link === undefined) {
      services[name] = followed;
      continue;
    }
    if (model.services[direct(name)] !== undefined)
      throw new InputError(
        `target.links.${name}: the name ${direct(name)} is needed for the service behind the delay, and the compose file has such a service. Rename it.`,
      );
    const config = `${name}-toxiproxy`;
    services[name] = proxy(name, followed, config);
    services[direct(name)] = {
      ...without(followed, "hostname"),
      networks: mapValues(followed.networks ?? {}, (to) => (to === null ? null : without(to, "aliases"))),
    };
    configs[config] = { content: initialProxies(name, link.port ?? portOf(name, service)) };
  }
  return { ...model, services, configs };
}

function proxy(name: string, service: ComposeService, config: string): ComposeService {
  if (Object.keys(service.networks ?? {}).length === 0)
    throw new InputError(
      `target.links.${name}: the compose file gives ${name} no network of its own (network_mode), so nothing can stand in front of it. Remove network_mode or the link.`,
    );
  return {
    image: TOXIPROXY_IMAGE,
    command: ["-host=0.0.0.0", `-config=${CONFIG_FILE}`],
    configs: [{ source: config, target: CONFIG_FILE }],
    depends_on: { [direct(name)]: { condition: "service_started", required: true } },
    ...(service.hostname === undefined ? {} : { hostname: service.hostname }),
    networks: service.networks ?? {},
  };
}

function initialProxies(name: string, port: number): string {
  return JSON.stringify([{ name, listen: `0.0.0.0:${port}`, upstream: `${direct(name)}:${port}`, enabled: true }]);
}

/** Ports by the words of an image or, where that tells nothing, of a service's name. */
const KNOWN_PORTS: readonly [RegExp, number][] = [
  [/mysql|mariadb|percona/i, 3306],
  [/redis|valkey/i, 6379],
];

function portOf(name: string, service: ComposeService): number {
  const known = KNOWN_PORTS.find(([words]) => words.test(service.image ?? "") || words.test(name));
  if (known !== undefined) return known[1];
  const published = (service.ports ?? []).map((port) => port.target);
  const exposed = (service.expose ?? []).map((port) => Number.parseInt(port, 10));
  const ports = [...new Set([...published, ...exposed])];
  if (ports.length === 1) return ports[0] as number;
  if (ports.length === 0 && /nginx|http/i.test(`${service.image ?? ""} ${name}`)) return 80;
  const which = ports.length === 0 ? "and the compose file names none" : `the compose file names ${ports.join(", ")}`;
  throw new InputError(
    `target.links.${name}.port: expected the port that ${name} listens on; got nothing, ${which}. Write for example port: ${ports[0] ?? 3306}.`,
  );
}

/** A service with what it needs of linked services pointed at them, not at the proxies. */
function follow(service: ComposeService, links: Links): ComposeService {
  const linked = (name: string): boolean => Object.hasOwn(links, name);
  const copy = { ...service };
  if (service.depends_on !== undefined)
    copy.depends_on = Object.fromEntries(
      Object.entries(service.depends_on).flatMap(([name, dependency]) =>
        linked(name)
          ? [
              [direct(name), dependency],
              [name, { condition: "service_started", required: true }],
            ]
          : [[name, dependency]],
      ),
    );
  for (const key of ["network_mode", "ipc", "pid"] as const) {
    const value = service[key];
    if (value !== undefined) copy[key] = followed(value, linked);
  }
  if (service.volumes_from !== undefined)
    copy.volumes_from = service.volumes_from.map((source) => {
      const [name = "", ...mode] = source.split(":");
      return linked(name) ? [direct(name), ...mode].join(":") : source;
    });
  if (service.build !== undefined) copy.build = followBuild(service.build, linked);
  return copy;
}

function followBuild(build: Build, linked: (name: string) => boolean): Build {
  const contexts = build.additional_contexts;
  if (contexts === undefined) return build;
  return { ...build, additional_contexts: mapValues(contexts, (context) => followed(context, linked)) };
}

/** "service:x" of a linked x is "service:x-direct". */
function followed(value: string, linked: (name: string) => boolean): string {
  const name = value.startsWith("service:") ? value.slice("service:".length) : "";
  return linked(name) ? `service:${direct(name)}` : value;
}

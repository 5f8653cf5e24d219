/**
 * The resolved model that `docker compose config --format json` prints: paths absolute, env_file merged, long syntax
 * everywhere, `$` doubled. Only what is looked at has a type here, the rest is carried along.
 */

import type { Arm } from "../../core/model.ts";

/** Both arms have a project of their own; what they share is a third. */
export type ProjectName = Arm | "shared";

/** On containers, networks, volumes and images. */
export type Labels = Readonly<Record<string, string>>;

export interface ComposeModel {
  name?: string;
  services: Record<string, ComposeService>;
  networks?: Record<string, Entry | null>;
  volumes?: Record<string, Entry | null>;
  configs?: Record<string, Entry>;
  secrets?: Record<string, Entry>;
}

/** A network, volume, config or secret of the file. */
export interface Entry {
  name?: string;
  external?: boolean;
  /** Secrets: where the value comes from. */
  file?: string;
  environment?: string;
  [key: string]: unknown;
}

export interface ComposeService {
  image?: string;
  build?: Build;
  container_name?: string;
  hostname?: string;
  depends_on?: Record<string, Dependency>;
  deploy?: Deploy;
  expose?: string[];
  healthcheck?: Healthcheck;
  labels?: Record<string, string>;
  /** "service" or "service:alias". */
  links?: string[];
  network_mode?: string;
  ipc?: string;
  pid?: string;
  networks?: Record<string, Attachment | null>;
  platform?: string;
  ports?: { target: number }[];
  scale?: number;
  volumes?: { type: string; source?: string; read_only?: boolean }[];
  volumes_from?: string[];
  [key: string]: unknown;
}

export interface Dependency {
  condition: string;
  required?: boolean;
  restart?: boolean;
}

export interface Deploy {
  replicas?: number;
  resources?: { limits?: unknown; reservations?: unknown };
  [key: string]: unknown;
}

export interface Attachment {
  aliases?: string[];
  [key: string]: unknown;
}

/** Durations as compose prints them, such as "1m30s". */
export interface Healthcheck {
  test?: string[];
  disable?: boolean;
  interval?: string;
  retries?: number;
  start_period?: string;
  start_interval?: string;
  [key: string]: unknown;
}

export interface Build {
  context?: string;
  dockerfile?: string;
  dockerfile_inline?: string;
  args?: Record<string, string | null>;
  target?: string;
  additional_contexts?: Record<string, string>;
  labels?: Record<string, string>;
  cache_from?: string[];
  network?: string;
  no_cache?: boolean;
  no_cache_filter?: string[];
  pull?: boolean;
  platforms?: string[];
  secrets?: { source: string; target?: string }[];
  ssh?: string[];
  shm_size?: string;
  ulimits?: Record<string, number | { soft: number; hard: number }>;
  /** "name=address". */
  extra_hosts?: string[];
  privileged?: boolean;
  entitlements?: string[];
  [key: string]: unknown;
}

export type Services = Record<string, ComposeService>;

/** A copy of `record` with every value changed; the key decides too. */
export function mapValues<T, U>(record: Record<string, T>, change: (value: T, key: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** A copy of `record` with some of its entries. */
export function pick<T>(record: Record<string, T>, wanted: (value: T, key: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => wanted(value, key)));
}

/** A service that waits for none of these. */
export function withoutDependencies(service: ComposeService, gone: { has(name: string): boolean }): ComposeService {
  if (service.depends_on === undefined) return service;
  return { ...service, depends_on: pick(service.depends_on, (_, name) => !gone.has(name)) };
}

/** A copy of an object without these of its optional keys. */
export function without<T extends object>(object: T, ...keys: readonly (keyof T)[]): T {
  const copy = { ...object };
  for (const key of keys) delete copy[key];
  return copy;
}

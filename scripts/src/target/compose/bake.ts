import { InputError } from "../../core/errors.ts";
import { isWithheld } from "../environment.ts";
import type { Build, ComposeModel, Entry, Labels, ProjectName } from "./types.ts";

/** What armProject() and sharedProject() made. */
export interface Projects {
  base: ComposeModel;
  head: ComposeModel;
  shared?: ComposeModel | null;
}

/** Cache entries as bake takes them, such as "type=local,dest=DIR/{target}"; {target} = the target's name. */
export interface CacheEntries {
  from: readonly string[];
  to: readonly string[];
}

/** A target in the words of a bake file; every one of ours has one tag. */
export interface BakeTarget {
  tags: string[];
  labels: Labels;
  [key: string]: unknown;
}

export interface Bake {
  /** To be written as JSON: a bake file. */
  file: { target: Record<string, BakeTarget> };
  targets: string[];
  /** What the builds may do, one --allow each. */
  allow: string[];
  /** Local directories and files that are built from, absolute paths. */
  reads: string[];
}

/**
 * One bake file that builds what both arms and the shared project need, tagged as the projects name it, with these
 * labels; null where nothing is built. `tags` and `cache_to` of the user's file are left out: they would overwrite
 * images and caches that are not this run's. Both arms may read the cache of either. Throws InputError where a build
 * asks for a credential of the CI job.
 */
export function bakeFile(projects: Projects, labels: Labels, cache: CacheEntries): Bake | null {
  const builds = (["base", "head", "shared"] as const).flatMap((project) => buildsOf(project, projects));
  if (builds.length === 0) return null;
  return {
    file: { target: Object.fromEntries(builds.map((it) => [it.target, bakeTarget(it, { labels, cache, projects })])) },
    targets: builds.map((it) => it.target),
    allow: [...new Set(builds.flatMap(({ build }) => privileges(build)))],
    reads: [...new Set(builds.flatMap((item) => localFiles(item, projects)))],
  };
}

interface Item {
  project: ProjectName;
  service: string;
  build: Build;
  tag: string;
  platform: string | undefined;
  target: string;
}

/** Target names take no dots, service names do. */
const targetName = (project: ProjectName, service: string): string => `${project}-${service.replaceAll(".", "_")}`;

function buildsOf(project: ProjectName, projects: Projects): Item[] {
  return Object.entries(projects[project]?.services ?? {}).flatMap(([service, { build, image, platform }]) =>
    build === undefined || image === undefined
      ? []
      : [{ project, service, build, tag: image, platform, target: targetName(project, service) }],
  );
}

interface Surroundings {
  labels: Labels;
  cache: CacheEntries;
  projects: Projects;
}

function bakeTarget(item: Item, { labels, cache, projects }: Surroundings): BakeTarget {
  const { tag, project, target, service } = item;
  const build = undoubled(item.build);
  const other = project === "base" ? "head" : "base";
  const readable = project === "shared" ? [target] : [target, targetName(other, service)];
  const from = readable.flatMap((name) => cache.from.map((entry) => entry.replaceAll("{target}", name)));
  return template({
    ...said({
      context: build.context,
      dockerfile: dockerfile(build),
      "dockerfile-inline": build.dockerfile_inline,
      args: present(build.args ?? {}),
      target: build.target,
      contexts: contexts(build.additional_contexts ?? {}, project, projects),
      "cache-from": [...new Set([...(build.cache_from ?? []), ...from])],
      "cache-to": cache.to.map((entry) => entry.replaceAll("{target}", target)),
      network: build.network,
      "no-cache": build.no_cache,
      "no-cache-filter": build.no_cache_filter,
      pull: build.pull,
      platforms: platforms(item),
      secret: secrets(build, undoubled(projects[project]?.secrets ?? {})),
      ssh: build.ssh,
      "shm-size": build.shm_size,
      ulimits: ulimits(build.ulimits ?? {}),
      "extra-hosts": extraHosts(build.extra_hosts ?? []),
      entitlements: build.privileged ? [...(build.entitlements ?? []), "security.insecure"] : build.entitlements,
      output: ["type=docker"],
      // Provenance changes the digest of an image that did not change.
      attest: ["type=provenance,disabled=true"],
    }),
    labels: { ...build.labels, ...labels },
    tags: [tag],
  });
}

function localFiles(item: Item, projects: Projects): string[] {
  const build = undoubled(item.build);
  const known = undoubled(projects[item.project]?.secrets ?? {});
  const secret = (build.secrets ?? []).map(({ source }) => known[source]?.file);
  const named = [build.context, dockerfile(build), ...Object.values(build.additional_contexts ?? {}), ...secret];
  return named.filter((path) => path?.startsWith("/")) as string[];
}

function privileges(build: Build): string[] {
  const insecure = build.privileged ? ["security.insecure"] : [];
  const host = build.network === "host" ? ["network.host"] : [];
  const agent = build.ssh?.some((key) => !key.includes("=")) ? ["ssh"] : [];
  return [...(build.entitlements ?? []), ...insecure, ...host, ...agent];
}

/** Bake takes a Dockerfile's path relative to its own directory where the context is absolute. */
function dockerfile({ context, dockerfile: path }: Build): string | undefined {
  return path === undefined || path.startsWith("/") || !context?.startsWith("/") ? path : `${context}/${path}`;
}

function contexts(named: Record<string, string>, project: ProjectName, projects: Projects): Record<string, string> {
  const resolved = (context: string): string => {
    if (!context.startsWith("service:")) return context;
    const service = context.slice("service:".length);
    const owner = ([project, "shared"] as const).find((it) => projects[it]?.services[service] !== undefined) ?? project;
    const { build, image } = projects[owner]?.services[service] ?? {};
    return build === undefined ? `docker-image://${image}` : `target:${targetName(owner, service)}`;
  };
  return Object.fromEntries(Object.entries(named).map(([name, context]) => [name, resolved(context)]));
}

/** An image that is to run here has one platform. */
function platforms({ platform, build }: Item): string[] {
  if (platform !== undefined) return [platform];
  return build.platforms?.length === 1 ? build.platforms : [];
}

function secrets(build: Build, known: Record<string, Entry>): string[] {
  return (build.secrets ?? []).map(({ source, target }) => {
    const { file, environment } = known[source] ?? {};
    if (environment !== undefined && isWithheld(environment)) {
      throw new InputError(
        `compose file: secrets.${source}.environment: expected a variable of your own; got ${environment}, a credential of the CI job, which no build gets. Pass what the build needs under another name.`,
      );
    }
    const from = environment === undefined ? `type=file,src=${file}` : `type=env,env=${environment}`;
    return `id=${target ?? source},${from}`;
  });
}

function ulimits(limits: NonNullable<Build["ulimits"]>): string[] {
  return Object.entries(limits).map(([name, limit]) =>
    typeof limit === "number" ? `${name}=${limit}` : `${name}=${limit.soft}:${limit.hard}`,
  );
}

/** Names with several addresses have them separated by commas. */
function extraHosts(hosts: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const host of hosts) {
    const [name = "", address = ""] = host.split(/=(.*)/s);
    found[name] = found[name] === undefined ? address : `${found[name]},${address}`;
  }
  return found;
}

type Json = Record<string, unknown>;

/** Args without a value are left to the Dockerfile. */
function present(args: Record<string, string | null>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

/** Without what was not said. */
function said(object: Json): Json {
  const empty = (value: unknown): boolean =>
    value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !empty(value)));
}

/** Every string below a JSON value changed, keys left alone. */
function strings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((it) => strings(it, change)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, strings(it, change)])) as T;
}

/** Compose prints every "$" twice. */
const undoubled = <T>(value: T): T => strings(value, (text) => text.replaceAll("$$", () => "$"));

/** "${" and "%{" are expressions in a bake file. */
const template = <T>(value: T): T =>
  strings(value, (text) => text.replaceAll("${", () => "$${").replaceAll("%{", () => "%%{"));

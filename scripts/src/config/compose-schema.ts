import { homedir } from "node:os";
import { resolve } from "node:path";
import type { BuildCache, Resources } from "../core/model.ts";
import { complaint, duration, leaf, number, show, text, UNPRINTABLE } from "./leaves.ts";
import {
  ALWAYS,
  belowTree,
  isMapping,
  list,
  mappingOf,
  type Raw,
  type Report,
  reportTwice,
  section,
  twice,
} from "./shapes.ts";
import { parseMemory } from "./units.ts";

const SERVICE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

const service = (example: string) =>
  text({
    allowed: "the name of a service of the compose file",
    accept: (value) => value.length <= 100 && SERVICE_NAME.test(value),
    fix: `Write for example ${example}.`,
    json: { writtenExamples: [example] },
  });

const services = (example: string) =>
  list(service(example), "services", `[${example}]`).superRefine((items, context) => {
    if (Array.isArray(items)) reportTwice(items, (index) => context.addIssue(twice(items[index], [index])));
  }, ALWAYS);

const MIB = 1024 * 1024;
const CPUS = { min: 0.1, max: 1024 };
/** php-fpm with a few workers does not start with less. */
const MEMORY = { min: 32 * MIB, max: 16 * MIB * MIB };

function readResources(raw: unknown): Resources | undefined {
  const short = typeof raw === "string" ? /^(\d+(?:\.\d+)?)C(\d.*)$/.exec(raw) : null;
  const {
    cpus,
    memory,
    by = "quota",
    ...rest
  }: Raw = short ? { cpus: Number(short[1]), memory: short[2] } : isMapping(raw) ? raw : {};
  const memoryBytes = typeof memory === "string" ? parseMemory(memory) : null;
  if (Object.keys(rest).length > 0 || (by !== "quota" && by !== "cpuset")) return undefined;
  if (typeof cpus !== "number" || !(cpus >= CPUS.min && cpus <= CPUS.max)) return undefined;
  if (by === "cpuset" && !Number.isInteger(cpus)) return undefined;
  if (memoryBytes === null || memoryBytes < MEMORY.min || memoryBytes > MEMORY.max) return undefined;
  return { cpus, memoryBytes, by };
}

/** host:port/name/name; upper case and a tag are no part of it. */
const REPOSITORY = /^[a-z0-9.-]+(:\d{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)+$/;
/** What has no meaning in an entry such as type=local,src=PATH. */
const FOLDER = /^(~|\.{1,2})?\/[^,"{}]*$/;

/** A relative folder starts where perf-gate is run, as --work-directory does. */
function readBuildCache(raw: unknown): BuildCache | undefined {
  if (typeof raw !== "string" || raw.length > 500 || UNPRINTABLE.test(raw)) return undefined;
  if (raw === "gha") return { kind: "gha" };
  if (FOLDER.test(raw)) return { kind: "folder", path: resolve(raw.replace(/^~(?=\/)/, () => homedir())) };
  return REPOSITORY.test(raw) ? { kind: "registry", repository: raw } : undefined;
}

const latency = duration({ min: 0.1, max: 500, example: "1ms" });
const jitter = duration({ min: 0, max: 500, example: "1ms" });
const port = (example: string) => number({ min: 1, max: 65_535, example });

const link = section({
  latency: latency.describe("Delay of every answer of the service, a network's round trip."),
  jitter: jitter.prefault("0ms").describe("How much the delay varies in both directions; at most the latency."),
  port: port("3306").optional().describe("Port of the service. Default: the usual one of MySQL, Redis or HTTP."),
}).superRefine((settings, context) => {
  if (settings.jitter > settings.latency) {
    const message = complaint("at most the latency", `${settings.jitter}ms`, `Write ${settings.latency}ms or less.`);
    context.addIssue({ code: "custom", path: ["jitter"], message });
  }
});

/** Keys of `target` about containers. */
export const composeKeys = {
  compose: belowTree("a compose file", "compose.perf.yml")
    .optional()
    .describe(
      "Compose file of your own that starts the application, relative to its tree. It is left as it is: ports, names, " +
        "networks and volumes are kept apart for the two versions. Default: the bundled one, php-fpm behind nginx.",
    ),
  service: service("app").optional().describe("The service of target.compose that answers HTTP; required beside it."),
  port: port("8080")
    .optional()
    .describe("Port of target.service inside its container; required beside target.compose."),
  restart: services("app")
    .optional()
    .describe(
      "Services of target.compose that are restarted before every block, in this order: the one that runs PHP first. " +
        "target.prepare is run in it. Default: target.service alone.",
    ),
  shared: services("mysql")
    .optional()
    .describe("Services of target.compose that are started once and used by both versions. Default: each has its own."),
  census: section({
    mysql: service("db").optional().describe("Service that is MySQL or MariaDB."),
    redis: service("cache").optional().describe("Service that is Redis or Valkey."),
  })
    .optional()
    .describe("Services of target.compose whose counters tell statements, connections and commands per request."),
  resources: leaf<Resources>({
    allowed:
      "cpus and memory such as 1C2G, or {cpus: 1, memory: 2G, by: cpuset} with by quota or cpuset, whole cpus for cpuset",
    read: readResources,
    fix: (raw) => {
      const guess =
        typeof raw === "string"
          ? raw
              .replaceAll(/[\s,/]/g, "")
              .toUpperCase()
              .replace(/I?B?$/, "")
          : "";
      return `Write ${readResources(guess) ? guess : "for example 1C2G"}.`;
    },
    json: {
      anyOf: [
        { type: "string", pattern: "^[0-9]+(\\.[0-9]+)?C[0-9]+(\\.[0-9]+)?[MG]$", examples: ["1C2G"] },
        {
          type: "object",
          properties: {
            cpus: { type: "number", minimum: CPUS.min, maximum: CPUS.max, description: "CPU cores." },
            memory: { type: "string", examples: ["2G", "512M"], description: "Memory, in MiB (M) or GiB (G)." },
            by: {
              enum: ["quota", "cpuset"],
              default: "quota",
              description: "How CPU time is limited: `quota` throttles as a pod is, `cpuset` gives whole CPUs.",
            },
          },
          required: ["cpus", "memory"],
          additionalProperties: false,
        },
      ],
    },
  })
    .optional()
    .describe(
      "What PHP of each version may use, as a pod has it: 1C2G is a quota of one core and 2 GiB. Driver `compose` only.",
    ),
  links: mappingOf(link, {
    allowed: "the name of a service",
    pattern: SERVICE_NAME,
    example: "mysql: {latency: 1ms}",
  })
    .prefault({})
    .describe(
      "Delay on the way to a service, by name: an extra query costs next to nothing on one machine and a round trip " +
        "in production. Driver `compose` only.",
    ),
  "build-cache": leaf<BuildCache>({
    allowed: "gha, a folder such as ../build-cache or ~/build-cache, or a registry's repository without a tag",
    read: readBuildCache,
    fix: (raw) => {
      const bare = typeof raw === "string" ? raw.toLowerCase().replace(/:[^:/]*$/, "") : "";
      return `Write ${readBuildCache(bare) ? bare : "for example ghcr.io/owner/build-cache"}.`;
    },
    json: {
      type: "string",
      pattern: "^(gha$|(~|\\.{1,2})?/|[a-z0-9.-]+(:[0-9]+)?/)",
      writtenExamples: ["gha", "../build-cache", "ghcr.io/owner/build-cache"],
    },
  })
    .optional()
    .describe(
      "Where the layers of image builds are kept from one machine to the next: `gha` is GitHub's cache, a folder lies " +
        "outside of the trees, a repository is of a registry that you may write to. The builder must be able to export " +
        "a cache. Driver `compose` only.",
    ),
};

/** What is wrong in how the keys about the compose file go together; `settings` is target as zod hands it on. */
export function checkCompose(settings: Raw, report: Report): void {
  if (settings["compose"] === undefined) {
    for (const key of ["service", "port", "restart", "shared", "census"]) {
      if (settings[key] === undefined) continue;
      const fix = `Add for example compose: compose.perf.yml, or remove ${key}.`;
      report([key], `belongs to a compose file of your own; there is no target.compose. ${fix}`, "key");
    }
    return;
  }
  for (const [key, what, example] of [
    ["service", "the service of the compose file that answers HTTP", "service: app"],
    ["port", "the port of that service inside its container", "port: 8080"],
  ] as const) {
    if (settings[key] !== undefined) continue;
    report(
      ["compose"],
      complaint(`target.${key} beside it, ${what}`, undefined, `Add for example ${example} below target.`),
    );
  }
  const { shared, restart } = settings;
  if (!Array.isArray(shared)) return;
  for (const [index, name] of shared.entries()) {
    const own = name === settings["service"] ? "target.service" : "target.restart";
    if (name !== settings["service"] && !(Array.isArray(restart) && restart.includes(name))) continue;
    const message = complaint(
      `services that are not ${own} too: each version has its own of that`,
      name,
      "Remove it here.",
    );
    report(["shared", index], message);
  }
}

const ELSEWHERE: Record<string, (file: string) => string> = {
  root: () => "Say it in the configuration of the web server there",
  index: () => "Say it in the configuration of the web server there",
  nginx: () => "Say it in the configuration of the web server there",
  start: (file) => `Write it as the command of the service in ${file}`,
  services: () => "Its services are started with it",
};

/**
 * Keys that are written beside target.compose and would say nothing there: they are about the bundled target. Their
 * defaults are filled in later, so that only the text as it was read can tell.
 */
export function checkBesideCompose(target: Raw, report: Report): void {
  const { compose, php } = target;
  if (compose === undefined) return;
  const file = typeof compose === "string" ? show(compose) : "target.compose";
  const belongs = (path: string[], fix: string) =>
    report(path, `belongs to the bundled target; ${file} brings its own. ${fix}, and remove ${path.at(-1)}.`, "key");
  for (const [key, fix] of Object.entries(ELSEWHERE)) if (Object.hasOwn(target, key)) belongs([key], fix(file));
  if (isMapping(php)) {
    for (const key of Object.keys(php)) {
      if (key !== "workers") belongs(["php", key], "Say it in the image or the configuration of PHP there");
    }
  }
  if (Object.hasOwn(target, "url")) {
    report(["url"], "expected either compose or url; got both. Remove one of them.", "key");
  }
}

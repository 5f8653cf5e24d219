import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  findPhpFpm,
  findProgram,
  requireProgram
} from "./shared-programs~2.js";
import {
  DockerError,
  below,
  checkBuildCache,
  checkMounts,
  docker,
  lastLines
} from "./shared-bake.js";
import {
  quoted,
  tail
} from "./shared-guard.js";
import {
  OLDEST_ENGINE,
  isAtLeast
} from "./shared-engine.js";
import {
  InputError,
  MeasureError
} from "./shared-errors.js";
import {
  perArm,
  servicesOf,
  targetOf
} from "./shared-arms.js";
import {
  ARMS
} from "./shared-model.js";
import {
  __commonJS,
  __require,
  __toESM
} from "./shared-runtime.js";

// node_modules/@balena/dockerignore/ignore.js
var require_ignore = __commonJS({
  "node_modules/@balena/dockerignore/ignore.js"(exports, module) {
    "use strict";
    var path = __require("path");
    var factory = (options) => new IgnoreBase(options);
    factory.default = factory;
    module.exports = factory;
    function make_array(subject) {
      return Array.isArray(subject) ? subject : [subject];
    }
    var REGEX_TRAILING_SLASH = /(?<=.)\/$/;
    var REGEX_TRAILING_BACKSLASH = /(?<=.)\\$/;
    var REGEX_TRAILING_PATH_SEP = path.sep === "\\" ? REGEX_TRAILING_BACKSLASH : REGEX_TRAILING_SLASH;
    var KEY_IGNORE = typeof Symbol !== "undefined" ? /* @__PURE__ */ Symbol.for("dockerignore") : "dockerignore";
    function cleanPath(file) {
      return path.normalize(file).replace(REGEX_TRAILING_PATH_SEP, "");
    }
    function toSlash(file) {
      if (path.sep === "/") {
        return file;
      }
      return file.replace(/\\/g, "/");
    }
    function fromSlash(file) {
      if (path.sep === "/") {
        return file;
      }
      return file.replace(/\//g, path.sep);
    }
    var IgnoreBase = class {
      constructor({
        // https://github.com/kaelzhang/node-ignore/blob/5.1.4/index.js#L372
        ignorecase = true
      } = {}) {
        this._rules = [];
        this._ignorecase = ignorecase;
        this[KEY_IGNORE] = true;
        this._initCache();
      }
      _initCache() {
        this._cache = {};
      }
      // @param {Array.<string>|string|Ignore} pattern
      add(pattern) {
        this._added = false;
        if (typeof pattern === "string") {
          pattern = pattern.split(/\r?\n/g);
        }
        make_array(pattern).forEach(this._addPattern, this);
        if (this._added) {
          this._initCache();
        }
        return this;
      }
      // legacy
      addPattern(pattern) {
        return this.add(pattern);
      }
      _addPattern(pattern) {
        if (pattern && pattern[KEY_IGNORE]) {
          this._rules = this._rules.concat(pattern._rules);
          this._added = true;
          return;
        }
        if (this._checkPattern(pattern)) {
          const rule = this._createRule(pattern.trim());
          if (rule !== null) {
            this._added = true;
            this._rules.push(rule);
          }
        }
      }
      _checkPattern(pattern) {
        return pattern && typeof pattern === "string" && pattern.indexOf("#") !== 0 && pattern.trim() !== "";
      }
      filter(paths) {
        return make_array(paths).filter((path2) => this._filter(path2));
      }
      createFilter() {
        return (path2) => this._filter(path2);
      }
      ignores(path2) {
        return !this._filter(path2);
      }
      // https://github.com/moby/moby/blob/v19.03.8/builder/dockerignore/dockerignore.go#L41-L53
      // https://github.com/moby/moby/blob/v19.03.8/pkg/fileutils/fileutils.go#L29-L55
      _createRule(pattern) {
        const origin = pattern;
        let negative = false;
        if (pattern[0] === "!") {
          negative = true;
          pattern = pattern.substring(1).trim();
        }
        if (pattern.length > 0) {
          pattern = cleanPath(pattern);
          pattern = toSlash(pattern);
          if (pattern.length > 1 && pattern[0] === "/") {
            pattern = pattern.slice(1);
          }
        }
        if (negative) {
          pattern = "!" + pattern;
        }
        pattern = pattern.trim();
        if (pattern === "") {
          return null;
        }
        pattern = cleanPath(pattern);
        if (pattern[0] === "!") {
          if (pattern.length === 1) {
            return null;
          }
          negative = true;
          pattern = pattern.substring(1);
        } else {
          negative = false;
        }
        return {
          origin,
          pattern,
          // https://github.com/moby/moby/blob/v19.03.8/pkg/fileutils/fileutils.go#L54
          dirs: pattern.split(path.sep),
          negative
        };
      }
      // @returns `Boolean` true if the `path` is NOT ignored
      _filter(path2) {
        if (!path2) {
          return false;
        }
        if (path2 in this._cache) {
          return this._cache[path2];
        }
        return this._cache[path2] = this._test(path2);
      }
      // @returns {Boolean} true if a file is NOT ignored
      // https://github.com/moby/moby/blob/v19.03.8/pkg/fileutils/fileutils.go#L62
      _test(file) {
        file = fromSlash(file);
        const parentPath = cleanPath(path.dirname(file));
        const parentPathDirs = parentPath.split(path.sep);
        let matched = false;
        this._rules.forEach((rule) => {
          let match = this._match(file, rule);
          if (!match && parentPath !== ".") {
            if (rule.dirs.includes("**")) {
              for (let i = rule.dirs.filter((x) => x !== "**").length; i <= parentPathDirs.length; i++) {
                match = match || this._match(parentPathDirs.slice(0, i).join(path.sep), rule);
              }
            } else if (rule.dirs.length <= parentPathDirs.length) {
              match = this._match(parentPathDirs.slice(0, rule.dirs.length).join(path.sep), rule);
            }
          }
          if (match) {
            matched = !rule.negative;
          }
        });
        return !matched;
      }
      // @returns {Boolean} true if a file is matched by a rule
      _match(file, rule) {
        return this._compile(rule).regexp.test(file);
      }
      // https://github.com/moby/moby/blob/v19.03.8/pkg/fileutils/fileutils.go#L139
      _compile(rule) {
        if (rule.regexp) {
          return rule;
        }
        let regStr = "^";
        let escapedSlash = path.sep === "\\" ? "\\\\" : path.sep;
        for (let i = 0; i < rule.pattern.length; i++) {
          const ch = rule.pattern[i];
          if (ch === "*") {
            if (rule.pattern[i + 1] === "*") {
              i++;
              if (rule.pattern[i + 1] === path.sep) {
                i++;
              }
              if (rule.pattern[i + 1] === void 0) {
                regStr += ".*";
              } else {
                regStr += `(.*${escapedSlash})?`;
              }
            } else {
              regStr += `[^${escapedSlash}]*`;
            }
          } else if (ch === "?") {
            regStr += `[^${escapedSlash}]`;
          } else if (ch === "." || ch === "$") {
            regStr += `\\${ch}`;
          } else if (ch === "\\") {
            if (path.sep === "\\") {
              regStr += escapedSlash;
              continue;
            }
            if (rule.pattern[i + 1] !== void 0) {
              regStr += "\\" + rule.pattern[i + 1];
              i++;
            } else {
              regStr += "\\";
            }
          } else {
            regStr += ch;
          }
        }
        regStr += "$";
        rule.regexp = new RegExp(regStr, this._ignorecase ? "i" : "");
        return rule;
      }
    };
  }
});

// scripts/src/target/compose/engine-check.ts
var INSTEAD = "or run with --driver process, which needs no Docker";
async function checkEngine(plan, signal) {
  const ask = async (args, complaint, options) => (await docker(args, { ...options, signal }).catch((error) => {
    signal.throwIfAborted();
    throw new MeasureError(`${complaint(error)}; ${INSTEAD}`);
  })).trim();
  const absent = (plugin) => () => `docker ${plugin} is not installed (package docker-${plugin}-plugin or docker-${plugin})`;
  const [text, compose, buildx] = await Promise.all([
    ask(["info", "--format", "{{json .}}"], (error) => `no Docker engine answers: ${whyNoEngine(error)}`),
    ask(["compose", "version", "--short"], absent("compose")),
    ask(["buildx", "version"], absent("buildx"))
  ]);
  const info = JSON.parse(text);
  const versions = { engine: info.ServerVersion, compose, buildx: /\bv?(\d+\.\d+\S*)/.exec(buildx)?.[1] ?? "" };
  for (const [name, minimum] of Object.entries(OLDEST_ENGINE)) {
    const version = versions[name];
    if (isAtLeast(version, minimum)) continue;
    const called = name === "engine" ? "Docker engine" : `docker ${name}`;
    throw new MeasureError(`${called} ${version} is too old, ${minimum} or newer is needed; ${INSTEAD}`);
  }
  const lack = lackOf(info, plan);
  if (lack !== null) throw new MeasureError(`${lack}; ${INSTEAD}`);
  return { versions: { docker: versions.engine, compose }, rootless: isRootless(info) };
}
function lackOf(info, { config, layout }) {
  const { target, measure } = config;
  if (info.OSType !== "linux") return `the engine runs ${info.OSType} containers; Linux containers are needed`;
  const rootless = isRootless(info);
  const fix = rootless ? "let systemd delegate its controllers (https://docs.docker.com/engine/security/rootless/tips/#limiting-resources)" : "`docker info` names what the kernel lacks: mount the missing cgroup controller";
  if (!info.CPUSet && measure.isolation !== "off") {
    return `this ${rootless ? "rootless " : ""}engine cannot keep containers on CPUs of their own (cpuset): ${fix}, or set measure.isolation: off`;
  }
  const highest = Math.max(...layout.generator, ...layout.target, ...layout.services);
  if (info.OperatingSystem === "Docker Desktop" && measure.isolation !== "off" && highest >= info.NCPU) {
    return `measure.isolation: Docker Desktop has ${info.NCPU} of this machine's CPUs, and CPU ${highest} is not among them: give it all (Settings, Resources), or write CPU lists from 0 to ${info.NCPU - 1}`;
  }
  const { resources } = target;
  if (resources === null) return null;
  if (!info.MemoryLimit) return `target.resources: this engine cannot limit memory: ${fix}, or remove target.resources`;
  if (resources.by === "quota" && !info.CpuCfsQuota) {
    return `target.resources: this engine cannot limit CPU time: ${fix}, or write by: cpuset`;
  }
  return null;
}
var isRootless = ({ SecurityOptions }) => SecurityOptions?.some((option) => option.startsWith("name=rootless")) === true;
function whyNoEngine(error) {
  const text = error instanceof DockerError ? error.stderr || error.how : error.message;
  if (text.includes("ENOENT")) return "the docker command is not installed (https://docs.docker.com/engine/install)";
  if (text.includes("permission denied")) {
    return "this user may not talk to it: add the user to the group docker, use rootless Docker, or run with sudo";
  }
  if (/cannot connect|is the docker daemon running/i.test(text)) {
    return `is the Docker daemon running? Start it, or set DOCKER_HOST (${lastLines(text, 1)})`;
  }
  return lastLines(text, 3);
}

// scripts/src/target/compose/types.ts
function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
function pick(record, wanted) {
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => wanted(value, key)));
}
function withoutDependencies(service, gone) {
  if (service.depends_on === void 0) return service;
  return { ...service, depends_on: pick(service.depends_on, (_, name) => !gone.has(name)) };
}
function without(object, ...keys) {
  const copy = { ...object };
  for (const key of keys) delete copy[key];
  return copy;
}

// scripts/src/target/compose/checks.ts
function requireServices(model, key, names) {
  const missing = names.find((name) => !Object.hasOwn(model.services, name));
  if (missing === void 0) return;
  const there = Object.keys(model.services).toSorted();
  throw new InputError(
    `${key}: no service "${missing}" in the compose file. Name one of ${there.join(", ")}; a service with profiles: is there only when COMPOSE_PROFILES names one of them.`
  );
}
function sharedServices(model, named) {
  const found = /* @__PURE__ */ new Set();
  const queue = [...named];
  for (let name = queue.pop(); name !== void 0; name = queue.pop()) {
    const service = model.services[name];
    if (found.has(name) || service === void 0) continue;
    found.add(name);
    queue.push(...Object.keys(service.depends_on ?? {}));
  }
  return found;
}
function checkShared(model, shared, target) {
  for (const name of shared) {
    const needed = target.find((it) => sharedServices(model, [name]).has(it));
    if (needed === name)
      throw new InputError(
        `target.shared: ${name} is under load itself (target.service, target.restart), so each arm has its own. Take it out of target.shared.`
      );
    if (needed !== void 0)
      throw new InputError(
        `target.shared: ${name} depends on ${needed}, which each arm has for itself. Take ${name} out of target.shared, or remove its depends_on.`
      );
  }
  for (const [name, service] of Object.entries(model.services)) checkNetwork(name, service);
}
function checkNetwork(name, { network_mode: mode }) {
  if (mode === "host")
    throw new InputError(
      `compose file: services.${name}.network_mode: the arms run side by side and would want the same ports of this host; got host. Remove it: load goes to the container's own address, and services find each other by name.`
    );
  if (mode?.startsWith("container:"))
    throw new InputError(
      `compose file: services.${name}.network_mode: expected a network that each arm can have for itself; got ${mode}. Write service:NAME, with that container as a service of the file.`
    );
}
function checkOwn(model, own, shared) {
  for (const [name, service] of Object.entries(own)) {
    const tie = tiesOf(service).find(([, to]) => shared.has(to));
    if (tie !== void 0)
      throw new InputError(
        `target.shared: ${name} lives in the container of ${tie[1]} (${tie[0]}), which both arms share. Name ${name} under target.shared too, or take ${tie[1]} out.`
      );
    for (const volume of namedVolumes(service)) checkVolume(model, { name, volume, shared });
  }
}
function checkVolume(model, use) {
  const { name, volume, shared } = use;
  if (model.volumes?.[volume]?.external === true)
    throw new InputError(
      `compose file: volumes.${volume} is external and ${name} uses it: the arms run side by side and would write into the same files. Name ${name} under target.shared, or remove external: true, so that each arm gets a volume of its own.`
    );
  const sharer = [...shared].find((it) => namedVolumes(model.services[it]).includes(volume));
  if (sharer !== void 0)
    throw new InputError(
      `target.shared: ${sharer} exchanges files with ${name} through the volume ${volume}, but runs once for both arms. Take ${sharer} out of target.shared.`
    );
}
function namedVolumes(service) {
  return (service?.volumes ?? []).flatMap((it) => it.type === "volume" && it.source !== void 0 ? [it.source] : []);
}
function restartOrder(services, restart) {
  const order = [];
  const add = (name) => {
    if (order.includes(name)) return;
    order.push(name);
    for (const [other, service] of Object.entries(services)) {
      if (modesOf(service).some(([, to]) => to === name)) add(other);
    }
  };
  for (const name of restart) add(name);
  return order;
}
function checkRestart(services, restart) {
  const [php, ...others] = restart;
  if (php === void 0) return;
  const before = /* @__PURE__ */ new Set();
  const add = (name) => {
    for (const other of Object.keys(services[name]?.depends_on ?? {})) {
      if (before.has(other)) continue;
      before.add(other);
      add(other);
    }
  };
  add(php);
  const early = others.find((name) => before.has(name));
  if (early !== void 0)
    throw new InputError(
      `target.restart: ${php} is the first, so PHP runs in it, and waits for ${early} (depends_on), which therefore starts once and is not restarted. Take ${early} out, or name the service that runs PHP first.`
    );
}
function modesOf(service) {
  return ["network_mode", "ipc", "pid"].flatMap((key) => {
    const [kind, name] = service[key]?.split(":") ?? [];
    return kind === "service" && name !== void 0 ? [[`${key}: service:${name}`, name]] : [];
  });
}
function tiesOf(service) {
  const files = (service.volumes_from ?? []).map((it) => [
    `volumes_from: ${it}`,
    it.split(":")[0] ?? ""
  ]);
  return [...modesOf(service), ...files];
}

// scripts/src/target/compose/notices.ts
var import_dockerignore = __toESM(require_ignore(), 1);
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
function noticesOf(models, shared, { trees, workDirectory }) {
  return [
    ...[...shared].filter((name) => differs(models, name, trees)).map(
      (name) => `target.shared: ${name} is not the same in the compose files of base and head; both get the base's`
    ),
    ...[...new Set([models.base, models.head].flatMap(externalNetworks))].map(
      (name) => `compose file: networks.${name} is external; each version gets a network of its own in its place, without what is outside of this file`
    ),
    ...[...new Set([models.base, models.head].flatMap((model) => contextsAround(model, workDirectory)))].map(
      (context) => `the build context ${context} contains the work directory ${workDirectory}: name it in ${context}/.dockerignore, or every build sends it along`
    )
  ];
}
function differs(models, name, trees) {
  const text = (arm) => JSON.stringify(models[arm].services[name] ?? null).replaceAll(trees[arm], "TREE");
  return text("base") !== text("head");
}
function externalNetworks({ networks = {} }) {
  return Object.keys(networks).filter((key) => networks[key]?.external === true);
}
function contextsAround({ services }, workDirectory) {
  return Object.values(services).flatMap(({ build }) => {
    const context = build?.context;
    const path = context?.startsWith("/") ? below(context, workDirectory) : null;
    if (context === void 0 || path === null) return [];
    const dockerfile = build?.dockerfile ?? "Dockerfile";
    const own = `${dockerfile.startsWith("/") ? dockerfile : join(context, dockerfile)}.dockerignore`;
    const file = existsSync(own) ? own : join(context, ".dockerignore");
    const ignored = (0, import_dockerignore.default)().add(existsSync(file) ? readFileSync(file, "utf8") : "");
    return ignored.ignores(join(path, "plan.json")) ? [] : [context];
  });
}

// scripts/src/target/compose/healthcheck.ts
var SECONDS = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };
function seconds(duration) {
  const parts = duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g);
  return [...parts].reduce((sum, [, number, unit]) => sum + Number(number) * SECONDS[unit], 0);
}
var DEFAULT = { interval: "30s", retries: 3 };
var LEAST_PATIENCE_SECONDS = 60;
function quietHealthcheck(check) {
  if (check.disable === true || check.test?.[0] === "NONE") return check;
  const { interval = DEFAULT.interval, retries = DEFAULT.retries, start_period = "0s", start_interval } = check;
  const afterwards = start_interval === void 0 ? seconds(interval) * retries : 0;
  const patience = Math.ceil(seconds(start_period) + afterwards);
  return {
    ...check,
    interval: "1h",
    start_interval: "1s",
    start_period: `${Math.max(LEAST_PATIENCE_SECONDS, patience)}s`
  };
}
function quietImageHealthcheck(service) {
  return service.healthcheck === void 0 ? { ...service, healthcheck: quietHealthcheck({}) } : service;
}

// scripts/src/target/compose/limits.ts
var OWN_LIMITS = ["cpus", "cpu_quota", "cpu_period", "cpuset", "mem_limit", "memswap_limit", "mem_reservation"];
function pinned(service, cpus) {
  return cpus === null ? service : { ...service, cpuset: cpus.join(",") };
}
function limited(service, resources, cpus) {
  const { by, memoryBytes } = resources;
  if (cpus === null && by === "cpuset")
    throw new InputError(
      "target.resources: by: cpuset needs measure.isolation auto or CPU lists; got off. Write by: quota, or isolation: auto."
    );
  if (cpus !== null && resources.cpus > cpus.length)
    throw new InputError(
      `target.resources: asks for ${resources.cpus} CPUs; the layout has ${cpus.length} for PHP (${cpus.join(",")}), the others are for k6 and the services. Ask for at most ${cpus.length}, or take a larger machine.`
    );
  const { deploy } = service;
  const kept = without(service, ...OWN_LIMITS);
  return {
    ...kept,
    ...deploy?.resources === void 0 ? {} : { deploy: { ...deploy, resources: without(deploy.resources, "limits", "reservations") } },
    ...by === "quota" ? { cpus: resources.cpus } : {},
    ...cpus === null ? {} : { cpuset: (by === "quota" ? cpus : cpus.slice(0, resources.cpus)).join(",") },
    mem_limit: `${memoryBytes}`,
    memswap_limit: `${memoryBytes}`
  };
}

// scripts/src/target/compose/links.ts
var TOXIPROXY_IMAGE = "ghcr.io/shopify/toxiproxy:2.12.0";
var TOXIPROXY_PORT = 8474;
var CONFIG_FILE = "/toxiproxy.json";
var direct = (name) => `${name}-direct`;
function toxics(links) {
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
        jitter: wholeMs(link.jitterMs, `target.links.${service}.jitter`)
      }
    }
  }));
}
function wholeMs(ms, key) {
  if (Number.isInteger(ms)) return ms;
  const near = [.../* @__PURE__ */ new Set([Math.floor(ms), Math.ceil(ms)])].map((n) => `${n}ms`).join(" or ");
  throw new InputError(`${key}: Toxiproxy counts in whole milliseconds; got ${ms}ms. Write ${near}.`);
}
function withLinks(model, links) {
  if (Object.keys(links).length === 0) return model;
  toxics(links);
  const services = {};
  const configs = { ...model.configs };
  for (const [name, service] of Object.entries(model.services)) {
    const link = links[name];
    const followed2 = follow(service, links);
    if (link === void 0) {
      services[name] = followed2;
      continue;
    }
    if (model.services[direct(name)] !== void 0)
      throw new InputError(
        `target.links.${name}: the name ${direct(name)} is needed for the service behind the delay, and the compose file has such a service. Rename it.`
      );
    const config = `${name}-toxiproxy`;
    services[name] = proxy(name, followed2, config);
    services[direct(name)] = {
      ...without(followed2, "hostname"),
      networks: mapValues(followed2.networks ?? {}, (to) => to === null ? null : without(to, "aliases"))
    };
    configs[config] = { content: initialProxies(name, link.port ?? portOf(name, service)) };
  }
  return { ...model, services, configs };
}
function proxy(name, service, config) {
  if (Object.keys(service.networks ?? {}).length === 0)
    throw new InputError(
      `target.links.${name}: the compose file gives ${name} no network of its own (network_mode), so nothing can stand in front of it. Remove network_mode or the link.`
    );
  return {
    image: TOXIPROXY_IMAGE,
    command: ["-host=0.0.0.0", `-config=${CONFIG_FILE}`],
    configs: [{ source: config, target: CONFIG_FILE }],
    depends_on: { [direct(name)]: { condition: "service_started", required: true } },
    ...service.hostname === void 0 ? {} : { hostname: service.hostname },
    networks: service.networks ?? {}
  };
}
function initialProxies(name, port) {
  return JSON.stringify([{ name, listen: `0.0.0.0:${port}`, upstream: `${direct(name)}:${port}`, enabled: true }]);
}
var KNOWN_PORTS = [
  [/mysql|mariadb|percona/i, 3306],
  [/redis|valkey/i, 6379]
];
function portOf(name, service) {
  const known = KNOWN_PORTS.find(([words]) => words.test(service.image ?? "") || words.test(name));
  if (known !== void 0) return known[1];
  const published = (service.ports ?? []).map((port) => port.target);
  const exposed = (service.expose ?? []).map((port) => Number.parseInt(port, 10));
  const ports = [.../* @__PURE__ */ new Set([...published, ...exposed])];
  if (ports.length === 1) return ports[0];
  if (ports.length === 0 && /nginx|http/i.test(`${service.image ?? ""} ${name}`)) return 80;
  const which = ports.length === 0 ? "and the compose file names none" : `the compose file names ${ports.join(", ")}`;
  throw new InputError(
    `target.links.${name}.port: expected the port that ${name} listens on; got nothing, ${which}. Write for example port: ${ports[0] ?? 3306}.`
  );
}
function follow(service, links) {
  const linked = (name) => Object.hasOwn(links, name);
  const copy = { ...service };
  if (service.depends_on !== void 0)
    copy.depends_on = Object.fromEntries(
      Object.entries(service.depends_on).flatMap(
        ([name, dependency]) => linked(name) ? [
          [direct(name), dependency],
          [name, { condition: "service_started", required: true }]
        ] : [[name, dependency]]
      )
    );
  for (const key of ["network_mode", "ipc", "pid"]) {
    const value = service[key];
    if (value !== void 0) copy[key] = followed(value, linked);
  }
  if (service.volumes_from !== void 0)
    copy.volumes_from = service.volumes_from.map((source) => {
      const [name = "", ...mode] = source.split(":");
      return linked(name) ? [direct(name), ...mode].join(":") : source;
    });
  if (service.build !== void 0) copy.build = followBuild(service.build, linked);
  return copy;
}
function followBuild(build, linked) {
  const contexts = build.additional_contexts;
  if (contexts === void 0) return build;
  return { ...build, additional_contexts: mapValues(contexts, (context) => followed(context, linked)) };
}
function followed(value, linked) {
  const name = value.startsWith("service:") ? value.slice("service:".length) : "";
  return linked(name) ? `service:${direct(name)}` : value;
}

// scripts/src/target/compose/project.ts
function armProject(model, options) {
  const { arm, id, service, image } = options;
  const [php = service] = options.targetServices;
  const { linked, shared } = prepared(model, options);
  const own = pick(linked.services, (_, name) => !shared.has(name));
  checkOwn(linked, own, shared);
  const { image: built } = own[php] ?? {};
  const replaced = mapValues(
    own,
    (it, name) => image !== null && (name === php || built !== void 0 && it.image === built) ? { ...without(it, "build"), image } : it
  );
  return project(linked, options, arm, {
    services: mapValues(replaced, (it) => withoutDependencies(it, shared)),
    networks: Object.fromEntries(networkKeys(linked).map((key) => [key, network(id, arm, key)]))
  });
}
function sharedProject(model, options, arms = ARMS) {
  if (options.shared.length === 0) return null;
  const { linked, shared } = prepared(model, options);
  const onBoth = (it, name) => it.networks === void 0 ? it : { ...it, networks: ofArms(arms, it.networks, name) };
  return project(linked, options, "shared", {
    services: mapValues(
      pick(linked.services, (_, name) => shared.has(name)),
      onBoth
    ),
    networks: Object.fromEntries(
      networkKeys(linked).flatMap((key) => arms.map((arm) => [`${arm}_${key}`, network(options.id, arm, key)]))
    )
  });
}
var UNIQUE_OPTION = "com.docker.network.bridge.name";
function networksOf(model, id, arm) {
  return Object.fromEntries(
    Object.entries(model.networks ?? {}).map(([key, entry]) => {
      const own = Object.entries(entry?.["driver_opts"] ?? {});
      const options = own.flatMap(([name, value]) => name === UNIQUE_OPTION ? [] : ["--opt", `${name}=${value}`]);
      return [networkName(id, arm, key), [...entry?.["internal"] === true ? ["--internal"] : [], ...options]];
    })
  );
}
function composeText(project2) {
  return JSON.stringify({ ...project2, services: mapValues(project2.services, (it) => without(it, "build")) }, null, 2);
}
var projectName = (id, name) => `perf-gate-${id}-${name}`;
var networkKeys = (model) => Object.keys(model.networks ?? {});
var networkName = (id, arm, key) => `${projectName(id, arm)}_${key}`;
var network = (id, arm, key) => ({ external: true, name: networkName(id, arm, key) });
function prepared(model, options) {
  const { service, targetServices, shared, links } = options;
  requireServices(model, "target.service", [service]);
  requireServices(model, "target.restart", targetServices);
  checkRestart(model.services, targetServices);
  requireServices(model, "target.shared", shared);
  requireServices(model, "target.links", Object.keys(links));
  const target = [.../* @__PURE__ */ new Set([service, ...targetServices])];
  const delayed = target.find((name) => Object.hasOwn(links, name));
  if (delayed !== void 0)
    throw new InputError(
      `target.links.${delayed}: ${delayed} is under load itself (target.service, target.restart); a link delays what it asks. Name a service it asks, such as mysql.`
    );
  const linked = withLinks(withAliases(model), links);
  checkShared(linked, shared, target);
  return { linked, shared: sharedServices(linked, shared) };
}
function withAliases(model) {
  const links = Object.values(model.services).flatMap((it) => it.links ?? []);
  const aliasesOf = (name, it) => [
    ...it.container_name === void 0 ? [] : [it.container_name],
    ...links.flatMap((link) => link.startsWith(`${name}:`) ? [link.slice(name.length + 1)] : [])
  ];
  const services = mapValues(model.services, (it, name) => {
    const aliases = aliasesOf(name, it);
    const known = without(it, "container_name", "links");
    if (it.networks === void 0 || aliases.length === 0) return known;
    return { ...known, networks: mapValues(it.networks, (to) => attached(to, aliases)) };
  });
  return { ...model, services };
}
function attached(to, aliases) {
  return { ...to, aliases: [.../* @__PURE__ */ new Set([...to?.aliases ?? [], ...aliases])] };
}
function ofArms(arms, networks, name) {
  return Object.fromEntries(
    Object.entries(networks).flatMap(([key, to]) => arms.map((arm) => [`${arm}_${key}`, attached(to, [name])]))
  );
}
function project(model, options, name, parts) {
  const { id, labels } = options;
  const services = mapValues(tagged(parts.services, id, name), (it, key) => ({
    ...confined(it, isTarget(key, options), options),
    labels: { ...it.labels, ...labels, "perf-gate.arm": name }
  }));
  const used = new Set(Object.values(services).flatMap(namedVolumes));
  const volumes = mapValues(
    pick(model.volumes ?? {}, (_, key) => used.has(key)),
    (it, key) => it?.external ? it : { ...it, name: `${projectName(id, name)}_${key}`, labels }
  );
  return { ...model, name: projectName(id, name), services, networks: parts.networks, volumes };
}
var isTarget = (key, { service, targetServices }) => key === service || targetServices.includes(key);
function tagged(services, id, project2) {
  const tag = (key) => `perf-gate/${id}:${project2}-${key}`;
  const builder = (key, it) => it.build === void 0 ? Object.keys(services).find(
    (other) => services[other]?.build !== void 0 && services[other].image === it.image
  ) : key;
  return mapValues(services, (it, key) => {
    const by = builder(key, it);
    const kept = without(it, "pull_policy");
    return by === void 0 ? kept : { ...kept, image: tag(by), pull_policy: "never" };
  });
}
var LOGGING = { driver: "local", options: { "max-size": "10m" } };
function confined(service, isTarget2, options) {
  const { scale, deploy, depends_on, healthcheck, networks } = service;
  const quiet = { ...without(service, "ports", "restart", "profiles", "develop"), logging: LOGGING };
  if (scale !== void 0) quiet.scale = Math.min(scale, 1);
  if (deploy !== void 0) quiet.deploy = once(deploy);
  if (depends_on !== void 0) quiet.depends_on = mapValues(depends_on, (it) => without(it, "restart"));
  if (healthcheck !== void 0) quiet.healthcheck = quietHealthcheck(healthcheck);
  if (networks !== void 0) quiet.networks = mapValues(networks, withoutAddress);
  const { cpus, resources } = options;
  if (!isTarget2) return pinned(quiet, cpus?.services ?? null);
  const own = cpus?.target ?? null;
  return resources === null ? pinned(quiet, own) : limited(quiet, resources, own);
}
function once(deploy) {
  const kept = { ...without(deploy, "restart_policy") };
  if (deploy.replicas !== void 0) kept.replicas = Math.min(deploy.replicas, 1);
  return kept;
}
function withoutAddress(to) {
  return to === null ? null : without(to, "ipv4_address", "ipv6_address", "link_local_ips");
}

// scripts/src/target/compose/resolve.ts
import { existsSync as existsSync2 } from "node:fs";
async function resolve(recipe, project2, signal) {
  const path = recipe.file;
  if (!existsSync2(path)) {
    throw new InputError(`target.compose: there is no ${path}; name a compose file that both arms have in their tree`);
  }
  const args = ["compose", "--file", path, "config", "--format", "json"];
  const text = await docker(args, { signal, env: recipe.variables }).catch((error) => {
    signal.throwIfAborted();
    const why = error instanceof DockerError ? error.stderr : error.message;
    const hint = /env file|no such file/i.test(why) ? "\nA file that is not under version control is named by target.copy, such as copy: [.env]" : "";
    throw new InputError(`target.compose: ${path} of ${project2} cannot be used:
${quoted(why, 15)}${hint}`);
  });
  const model = JSON.parse(text);
  for (const [kind, name] of Object.entries(recipe.census)) {
    if (name !== null) requireServices(model, `target.census.${kind}`, [name]);
  }
  const left = new Set(recipe.left);
  const services = mapValues(
    pick(model.services, (_, name) => !left.has(name)),
    (service, name) => {
      const needed = withoutDependencies(service, left);
      return recipe.restart.includes(name) ? withEnvironment(needed, recipe.target.env) : needed;
    }
  );
  return { ...model, services };
}
function withEnvironment(service, env) {
  const own = service["environment"] ?? {};
  const filled = mapValues(
    env,
    (value) => (
      // For compose, which expands a `$`; what it printed is escaped already.
      value.replaceAll("$", "$$$$").replaceAll(/\$\$\{(\w+)\}/g, (whole, name) => own[name] ?? whole)
    )
  );
  return { ...service, environment: { ...own, ...filled } };
}
var COMPLETED = "service_completed_successfully";
function oneShotsOf(models) {
  const dependencies = models.flatMap(({ services }) => Object.values(services)).flatMap(({ depends_on = {} }) => Object.entries(depends_on));
  return new Set(dependencies.flatMap(([name, { condition }]) => condition === COMPLETED ? [name] : []));
}
function inOrder(services, names) {
  const ordered = /* @__PURE__ */ new Set();
  const add = (name, above) => {
    if (above.includes(name)) return;
    for (const needed of Object.keys(services[name]?.depends_on ?? {})) add(needed, [...above, name]);
    if (names.includes(name)) ordered.add(name);
  };
  for (const name of names) add(name, []);
  return [...ordered];
}

// scripts/src/target/compose/arrange.ts
async function arrange({ plan, workDirectory, progress, signal }, recipes, run) {
  const resolving = ["base", "head", "shared"].map((project2) => resolve(recipes[project2], project2, signal));
  await Promise.allSettled(resolving);
  const [base, head, shared] = await Promise.all(resolving);
  const models = { base, head, shared };
  const options = (project2) => projectOptions(plan, recipes[project2], run);
  const ofArm = (arm) => armProject(models[arm], { ...options(arm), arm, image: plan.arms[arm].image });
  const sharing = ARMS.filter((arm) => recipes[arm].shared.length > 0);
  const projects = { ...perArm(ofArm), shared: sharedProject(shared, options("shared"), sharing) };
  const trees = perArm((arm) => recipes[arm].tree);
  checkMounts(projects, trees);
  checkBuildCache(plan.config.target.buildCache, Object.values(trees));
  const mayDiffer = sharing.length === ARMS.length && recipes.shared.target.compose !== null;
  const compared = sharedServices(shared, mayDiffer ? recipes.shared.shared : []);
  const notices = noticesOf(models, compared, { trees, workDirectory });
  for (const notice of notices) progress(notice);
  return { models, projects };
}
function projectOptions({ layout, config }, recipe, run) {
  const { service, shared, restart, target } = recipe;
  const { resources, links } = target;
  const cpus = config.measure.isolation === "off" ? null : { target: layout.target, services: layout.services };
  return { ...run, service, shared, targetServices: restart, resources, links, cpus };
}

// scripts/src/target/compose/recipe.ts
import { mkdirSync, writeFileSync as writeFileSync3 } from "node:fs";
import { join as join6 } from "node:path";
import { isDeepStrictEqual } from "node:util";

// scripts/src/target/certificate.ts
import { execFileSync } from "node:child_process";
import { join as join2 } from "node:path";
var CERTIFICATE_FILE = "certificate.pem";
var KEY_FILE = "key.pem";
var TIMEOUT_MS = 3e4;
var findOpenssl = () => requireProgram("openssl", "openssl");
function makeCertificate(directory) {
  const files = ["-keyout", join2(directory, KEY_FILE), "-out", join2(directory, CERTIFICATE_FILE)];
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "7", "-subj", "/CN=perf-gate", ...files];
  try {
    execFileSync(findOpenssl(), args, { stdio: ["ignore", "ignore", "pipe"], timeout: TIMEOUT_MS });
  } catch (error) {
    if (error instanceof MeasureError) throw error;
    const { stderr, message } = error;
    throw new MeasureError(`openssl could not make a certificate:
${quoted(String(stderr ?? message), 15)}`);
  }
}

// scripts/src/target/http.ts
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
var schemeOf = ({ tls }) => tls ? "https" : "http";
var TIMEOUT_MS2 = 1e4;
function get(url, options = {}) {
  const { agent = false, selfSigned = false } = options;
  const request = url.startsWith("https:") ? requestHttps : requestHttp;
  const headers = options.host === void 0 ? {} : { host: options.host };
  const socket = options.socketPath === void 0 ? {} : { socketPath: options.socketPath };
  return new Promise((resolve2, reject) => {
    const tls = { rejectUnauthorized: !selfSigned };
    const outgoing = request(url, { ...socket, ...tls, headers, agent, timeout: TIMEOUT_MS2 }, (incoming) => {
      const chunks = [];
      incoming.on("data", (chunk) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        resolve2({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
      });
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS2 / 1e3} s`)));
    outgoing.on("error", reject);
    outgoing.end();
  });
}

// scripts/src/target/process/nginx.ts
import { writeFileSync } from "node:fs";
import { join as join3 } from "node:path";

// scripts/src/target/wait.ts
import { setTimeout as sleep } from "node:timers/promises";
async function waitFor(check, options) {
  const end = performance.now() + options.timeoutMs;
  for (; ; ) {
    options.signal.throwIfAborted();
    const result = await check();
    if (result !== null) return result;
    if (performance.now() >= end) return null;
    await sleep(options.everyMs);
  }
}

// scripts/src/target/process/nginx.ts
var findNginx = () => requireProgram("nginx-light", "nginx");
var START_TIMEOUT_MS = 1e4;
var CONNECTIONS = 1e4;
function nginxConf(options) {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `  ${name}_temp_path ${quote(join3(options.directory, name))};`).join("\n");
  return `${options.root ? "user root;\n" : ""}daemon off;
worker_processes ${options.workers};
pid ${quote(options.pidFile)};
error_log stderr warn;
events {
  worker_connections ${CONNECTIONS};
}
http {
${temporary}
  types {
    text/html html;
    text/css css;
    application/javascript js;
    application/json json;
    image/svg+xml svg;
    image/png png;
    image/jpeg jpg jpeg;
    font/woff2 woff2;
  }
  default_type application/octet-stream;
  access_log off;
  sendfile on;
  tcp_nodelay on;
  keepalive_timeout 3600s;
  # A connection is closed by who measures, never after a number of requests.
  keepalive_requests 1000000000;
  client_max_body_size 0;
  server_tokens off;
${options.servers}
}
`;
}
function quote(value, variables = "") {
  if (/["\\$\n]/.test(value))
    throw new MeasureError(
      `nginx cannot use the path ${JSON.stringify(value)}: it holds one of " \\ $ or a line break`
    );
  return `"${value}${variables}"`;
}
async function startNginx(premises, options) {
  const log = premises.log(options.name);
  const directory = premises.directory(options.name);
  const file = join3(directory, "nginx.conf");
  writeFileSync(
    file,
    nginxConf({
      directory,
      pidFile: join3(directory, "nginx.pid"),
      workers: options.workers,
      servers: options.servers,
      root: process.getuid?.() === 0
    })
  );
  const child = premises.launch([findNginx(), "-p", directory, "-c", file], {
    group: options.group,
    cpus: options.cpus,
    log: options.name
  });
  const up = await waitFor(
    async () => {
      if (!child.alive) return false;
      return await options.isUp().then(
        () => true,
        () => null
      );
    },
    { everyMs: 10, timeoutMs: START_TIMEOUT_MS, signal: premises.signal }
  );
  if (up !== true) throw new MeasureError(`nginx (${options.name}) did not start${tail("its log", log)}`);
  return child;
}

// scripts/src/target/process/php-fpm.ts
import { existsSync as existsSync3, rmSync, writeFileSync as writeFileSync2 } from "node:fs";
import { join as join4 } from "node:path";
var STATUS_PATH = "/perf-gate-status";
var START_TIMEOUT_MS2 = 1e4;
var STOP_GRACE_MS = 300;
var JIT_BUFFER = "64M";
function choosePhpFpm({ binary, version }) {
  const name = binary ?? (version === null ? null : `php-fpm${version}`);
  const found = name === null ? findPhpFpm() : findProgram(name);
  if (found !== null) return found;
  throw new MeasureError(
    binary === null ? `${name ?? "php-fpm"} is not installed: apt-get install php${version ?? ""}-fpm; ./scripts/perf-gate doctor lists everything that is missing` : `target.php.binary: ${binary} is not an executable file, nor one in PATH; leave it out to use the newest php-fpm`
  );
}
var PhpFpm = class {
  socket;
  log;
  errorLog;
  #premises;
  #arm;
  #command;
  #cpus;
  #directory;
  #env;
  #master = null;
  constructor(premises, options) {
    this.#premises = premises;
    this.#arm = options.arm;
    this.#cpus = options.cpus;
    this.#directory = options.directory;
    this.socket = premises.socket(`php-${options.arm}`);
    this.log = premises.log(`php-fpm-${options.arm}`);
    this.errorLog = premises.log(`php-${options.arm}`);
    const root = process.getuid?.() === 0;
    const directory = premises.directory(`php-${options.arm}`);
    const config = join4(directory, "php-fpm.conf");
    writeFileSync2(config, fpmConf(options.settings, { socket: this.socket, log: this.log, root }));
    const ini = premises.directory(`php-${options.arm}/ini`);
    writeFileSync2(join4(ini, "perf-gate.ini"), iniFile(options.settings, this.errorLog));
    this.#env = { ...options.env, PHP_INI_SCAN_DIR: `${options.env.PHP_INI_SCAN_DIR ?? ""}:${ini}` };
    this.#command = [
      options.binary,
      "--nodaemonize",
      "--fpm-config",
      config,
      ...root ? ["--allow-to-run-as-root"] : []
    ];
  }
  get alive() {
    return this.#master?.alive ?? false;
  }
  get pid() {
    return this.#master?.pid ?? null;
  }
  /** Ends the running master and its workers at once, then starts a new one; resolves when its socket is there. */
  async restart() {
    await this.#master?.stop("SIGQUIT", STOP_GRACE_MS);
    rmSync(this.socket, { force: true });
    const master = this.#premises.launch(this.#command, {
      group: this.#arm,
      cpus: this.#cpus,
      log: `php-fpm-${this.#arm}`,
      cwd: this.#directory,
      env: this.#env
    });
    this.#master = master;
    const up = await waitFor(() => !master.alive ? false : existsSync3(this.socket) ? true : null, {
      everyMs: 5,
      timeoutMs: START_TIMEOUT_MS2,
      signal: this.#premises.signal
    });
    if (up !== true) throw new MeasureError(`php-fpm of ${this.#arm} did not start${tail("its log", this.log)}`);
  }
};
function fpmConf(settings, at) {
  const user = at.root ? "user = root\ngroup = root\n" : "";
  return `[global]
error_log = "${at.log}"
daemonize = no
[www]
${user}listen = "${at.socket}"
listen.backlog = ${settings.backlog}
listen.mode = 0600
${processManager(settings)}
pm.status_path = ${STATUS_PATH}
clear_env = no
catch_workers_output = yes
decorate_workers_output = no
`;
}
function processManager({ processManager: pm, workers }) {
  const lines = [`pm = ${pm}`, `pm.max_children = ${workers}`];
  if (pm === "dynamic") {
    const start = Math.max(1, Math.floor(workers / 4));
    const most = Math.max(start, Math.floor(workers / 2));
    lines.push(`pm.start_servers = ${start}`, `pm.min_spare_servers = ${start}`, `pm.max_spare_servers = ${most}`);
  }
  if (pm === "ondemand") lines.push("pm.process_idle_timeout = 10s");
  return lines.join("\n");
}
function iniFile(settings, errorLog) {
  const jit = settings.jit !== "off";
  const values = {
    log_errors: "1",
    error_log: errorLog,
    "opcache.enable": settings.opcache ? "1" : "0",
    "opcache.jit": jit ? settings.jit : "disable",
    "opcache.jit_buffer_size": jit ? JIT_BUFFER : "0",
    ...settings.ini
  };
  return Object.entries(values).map(([name, value]) => `${name} = "${value.replace(/["\\]/g, "\\$&")}"
`).join("");
}

// scripts/src/target/process/probe.ts
var PROBE_SCRIPT = `<?php
$status = function_exists('opcache_get_status') ? @opcache_get_status(false) : false;
$pool = function_exists('fpm_get_status') ? fpm_get_status() : [];
header('Content-Type: application/json');
echo json_encode([
    'version' => PHP_VERSION,
    'sapi' => PHP_SAPI,
    'opcache' => is_array($status) && !empty($status['opcache_enabled']),
    'jit' => is_array($status) && isset($status['jit']) ? $status['jit'] : null,
    'xdebug' => extension_loaded('xdebug'),
    'processManager' => isset($pool['process-manager']) ? $pool['process-manager'] : null,
    'processes' => isset($pool['total-processes']) ? $pool['total-processes'] : null,
    'extensions' => array_merge(get_loaded_extensions(), get_loaded_extensions(true)),
]);
`;
var TRACING = 5;
function phpState(answer, settings) {
  const processManager2 = answer.processManager ?? settings.processManager;
  return {
    version: answer.version,
    sapi: answer.sapi,
    opcache: answer.opcache,
    jit: answer.opcache && answer.jit?.on === true ? answer.jit.kind === TRACING ? "tracing" : "function" : "off",
    jitBufferBytes: answer.jit?.on === true ? answer.jit.buffer_size : 0,
    xdebug: answer.xdebug,
    processManager: processManager2,
    workers: processManager2 === "static" ? answer.processes ?? settings.workers : settings.workers,
    extensions: [...new Set(answer.extensions)].sort((a, b) => a.localeCompare(b, "en", { sensitivity: "base" }))
  };
}

// scripts/src/target/process/site.ts
import { rmSync as rmSync2 } from "node:fs";
import { join as join5 } from "node:path";
var nginxWorkers = (cpus) => Math.ceil(cpus.length / 2);
var KEPT_CONNECTIONS = 2048;
var Site = class {
  url;
  log;
  #premises;
  #arm;
  #cpus;
  #servers;
  #adminSocket;
  #nginx = null;
  constructor(premises, options) {
    this.#premises = premises;
    this.#arm = options.arm;
    this.#cpus = options.cpus;
    this.url = `${schemeOf(options.nginx)}://127.0.0.1:${options.port}`;
    this.log = premises.log(`nginx-${options.arm}`);
    this.#adminSocket = premises.socket(`admin-${options.arm}`);
    const directory = premises.directory(`nginx-${options.arm}`);
    if (options.nginx.tls) makeCertificate(directory);
    this.#servers = siteServers({
      listen: `127.0.0.1:${options.port}`,
      adminListen: quote(`unix:${this.#adminSocket}`),
      nginx: options.nginx,
      certificates: directory,
      accessLog: join5(directory, "access.log"),
      upstream: options.upstream
    });
  }
  get alive() {
    return this.#nginx?.alive ?? false;
  }
  /** Starts nginx where it does not run. */
  async ensureUp() {
    if (this.alive) return;
    await this.#nginx?.stop("SIGKILL", 0);
    rmSync2(this.#adminSocket, { force: true });
    this.#nginx = await startNginx(this.#premises, {
      name: `nginx-${this.#arm}`,
      group: this.#arm,
      cpus: this.#cpus,
      workers: nginxWorkers(this.#cpus),
      servers: this.#servers,
      isUp: () => get("http://perf-gate/up", { socketPath: this.#adminSocket })
    });
  }
  /** Asks FPM for its status or for the probe; null where it does not answer with JSON. */
  async ask(what) {
    try {
      const answer = await get(`http://perf-gate/${what}?json`, { socketPath: this.#adminSocket });
      return JSON.parse(answer.body);
    } catch {
      return null;
    }
  }
};
function siteServers(options) {
  const { upstream, nginx, adminListen } = options;
  const { around, locations, questions } = upstream.kind === "php-fpm" ? fastcgi(upstream) : proxy2(upstream, nginx);
  return `${around}
  server {
${frontOf(options)}
    server_name _;
${locations}
  }
  server {
    listen ${adminListen};
    location = /up {
      return 204;
    }${questions}
  }`;
}
function frontOf({ listen, nginx, certificates, accessLog }) {
  const lines = [`listen ${listen}${nginx.tls ? " ssl" : ""}${nginx.http2 ? " http2" : ""} backlog=4096;`];
  if (nginx.tls) {
    lines.push(
      `ssl_certificate ${quote(join5(certificates, CERTIFICATE_FILE))};`,
      `ssl_certificate_key ${quote(join5(certificates, KEY_FILE))};`,
      // Its default differs between versions.
      "ssl_protocols TLSv1.2 TLSv1.3;"
    );
  }
  if (nginx.accessLog) lines.push(`access_log ${quote(accessLog)};`);
  return lines.map((line) => `    ${line}`).join("\n");
}
function fastcgi({ socket, root, index: file, probe }) {
  const index = `/${file.replace(/^\/+/, "")}`;
  const pass = `fastcgi_pass ${quote(`unix:${socket}`)};`;
  return {
    around: `  fastcgi_buffer_size 32k;
  fastcgi_buffers 32 16k;
  fastcgi_read_timeout 120s;`,
    locations: `    root ${quote(root)};
    location / {
      try_files $uri ${quote(index, "$is_args$args")};
    }
    location ~ ^(?<script>.+?\\.php)(?<path_info>/.*)?$ {
      try_files $script ${quote(index, "$is_args$args")};
${params("$script", "$document_root$script")}
      fastcgi_param PATH_INFO $path_info;
      ${pass}
    }`,
    questions: `
    location = /status {
${params(STATUS_PATH, STATUS_PATH)}
      ${pass}
    }
    location = /probe {
${params("/probe.php", quote(probe))}
      ${pass}
    }`
  };
}
function proxy2({ port }, { upstreamKeepAlive }) {
  const keep = `
    keepalive ${KEPT_CONNECTIONS};
    keepalive_requests 1000000000;
    keepalive_timeout 3600s;`;
  return {
    around: `  upstream php {
    server 127.0.0.1:${port};${upstreamKeepAlive ? keep : ""}
  }
  proxy_buffer_size 32k;
  proxy_buffers 32 16k;
  proxy_read_timeout 120s;`,
    // nginx 1.29.7 and later keep connections unless they are told not to.
    locations: `    location / {
      proxy_pass http://php;
      proxy_http_version 1.1;
      proxy_set_header Connection ${upstreamKeepAlive ? '""' : "close"};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }`,
    questions: ""
  };
}
function params(scriptName, scriptFilename) {
  const values = [
    ["SCRIPT_NAME", scriptName],
    ["SCRIPT_FILENAME", scriptFilename],
    ["QUERY_STRING", "$query_string"],
    ["REQUEST_METHOD", "$request_method"],
    ["CONTENT_TYPE", "$content_type"],
    ["CONTENT_LENGTH", "$content_length"],
    ["REQUEST_URI", "$request_uri"],
    ["DOCUMENT_URI", "$document_uri"],
    ["DOCUMENT_ROOT", "$document_root"],
    ["SERVER_PROTOCOL", "$server_protocol"],
    ["REQUEST_SCHEME", "$scheme"],
    ["HTTPS", "$https if_not_empty"],
    ["GATEWAY_INTERFACE", "CGI/1.1"],
    ["SERVER_SOFTWARE", "nginx/$nginx_version"],
    ["REMOTE_ADDR", "$remote_addr"],
    ["REMOTE_PORT", "$remote_port"],
    ["SERVER_ADDR", "$server_addr"],
    ["SERVER_PORT", "$server_port"],
    ["SERVER_NAME", "$host"],
    ["REDIRECT_STATUS", "200"]
  ];
  return values.map(([name, value]) => `      fastcgi_param ${name} ${value};`).join("\n");
}

// scripts/src/target/compose/recipe.ts
var INSIDE = {
  tree: "/app",
  config: "/etc/perf-gate",
  socket: "/run/perf-gate/php.sock",
  temporary: "/tmp",
  port: 8080,
  adminPort: 8081
};
var BACKING = ["mysql", "redis", "http"];
function recipesOf(options, state) {
  const { plan } = options;
  const [base, head] = [targetOf(plan, "base"), targetOf(plan, "head")];
  const recipe = (project2, arm, target) => recipeOf(options, state, { project: project2, arm, target });
  const own = { base: recipe("base", "base", base), head: recipe("head", "head", head) };
  if (isDeepStrictEqual([base.compose, base.links], [head.compose, head.links])) {
    return { ...own, shared: recipe("shared", "base", { ...base, services: servicesOf(plan) }) };
  }
  return { ...own, base: { ...own.base, shared: [] }, shared: recipe("shared", "head", head) };
}
function recipeOf({ plan, home }, state, { project: project2, arm, target }) {
  const { compose, services, healthPath, host, php, nginx } = target;
  const tree = treeOf(plan, arm);
  const variables = {
    PERF_GATE_ARM: project2,
    PERF_GATE_ARM_NUMBER: project2 === "head" ? "1" : "0",
    PERF_GATE_TREE: tree,
    PERF_GATE_HOME: home
  };
  if (compose !== null) {
    const { file, ...rest } = compose;
    return { ...rest, target, tree, file: join6(tree, file), variables, adminPort: null, left: [] };
  }
  const config = join6(state, `config-${arm}`);
  writeConfig(config, target, plan.layout.target);
  return {
    target,
    tree,
    file: join6(home, "docker", "compose.yaml"),
    variables: {
      ...variables,
      PERF_GATE_CONFIG: config,
      PERF_GATE_SCHEME: schemeOf(nginx),
      PERF_GATE_HEALTH: healthPath,
      PERF_GATE_HOST: host,
      ...php.version === null ? {} : { PERF_GATE_PHP: php.version }
    },
    service: "web",
    port: INSIDE.port,
    adminPort: INSIDE.adminPort,
    restart: ["app"],
    shared: services,
    left: BACKING.filter((name) => !services.includes(name)),
    census: {
      mysql: services.includes("mysql") ? "mysql" : null,
      redis: services.includes("redis") ? "redis" : null
    }
  };
}
function treeOf({ arms }, arm) {
  return arms[arm].directory ?? arms[arm === "base" ? "head" : "base"].directory ?? process.cwd();
}
function writeConfig(directory, { php, nginx, root, index }, cpus) {
  mkdirSync(join6(directory, "ini"), { recursive: true });
  const write = (name, text) => writeFileSync3(join6(directory, name), text);
  write("php-fpm.conf", fpmConf(php, { socket: INSIDE.socket, log: "/proc/self/fd/2", root: true }));
  write("ini/perf-gate.ini", iniFile(php, "/proc/self/fd/2"));
  write("probe.php", PROBE_SCRIPT);
  if (nginx.tls) makeCertificate(directory);
  const servers = siteServers({
    listen: `${INSIDE.port}`,
    adminListen: `${INSIDE.adminPort}`,
    nginx,
    certificates: INSIDE.config,
    accessLog: `${INSIDE.temporary}/access.log`,
    upstream: {
      kind: "php-fpm",
      socket: INSIDE.socket,
      root: join6(INSIDE.tree, root),
      index,
      probe: `${INSIDE.config}/probe.php`
    }
  });
  const temporary = { directory: INSIDE.temporary, pidFile: `${INSIDE.temporary}/nginx.pid` };
  write("nginx.conf", nginxConf({ ...temporary, workers: nginxWorkers(cpus), servers, root: true }));
}

export {
  schemeOf,
  get,
  waitFor,
  PROBE_SCRIPT,
  phpState,
  checkEngine,
  restartOrder,
  quietImageHealthcheck,
  mapValues,
  pick,
  withoutDependencies,
  TOXIPROXY_PORT,
  toxics,
  networksOf,
  composeText,
  projectName,
  oneShotsOf,
  inOrder,
  arrange,
  findOpenssl,
  findNginx,
  startNginx,
  choosePhpFpm,
  PhpFpm,
  Site,
  recipesOf
};

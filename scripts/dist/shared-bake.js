import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  forgetGroup,
  guardGroup,
  parseProcessStat,
  quoted,
  tail
} from "./shared-guard.js";
import {
  InputError,
  MeasureError
} from "./shared-errors.js";
import {
  ARMS,
  assertNever
} from "./shared-model.js";

// scripts/src/target/compose/leftovers.ts
import { setTimeout as sleep } from "node:timers/promises";

// scripts/src/target/compose/engine.ts
import { spawn } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";

// scripts/src/target/environment.ts
var WITHHELD = /^(ACTIONS_|INPUT_|K6_PROMETHEUS_RW_|GITHUB_TOKEN$|GH_TOKEN$)/;
var isWithheld = (name) => WITHHELD.test(name);
function childEnvironment(more) {
  const inherited = Object.entries(process.env).filter(([name]) => !isWithheld(name));
  return { ...Object.fromEntries(inherited), ...more };
}

// scripts/src/target/compose/engine.ts
var DockerError = class extends MeasureError {
  /** "exit status 1", the signal that ended it, or why it could not be started. */
  how;
  /** What it printed on stderr, trimmed. */
  stderr;
  constructor(args, how, stderr) {
    super(`docker ${args.join(" ")}: ${how}${stderr === "" ? "" : `
${quoted(stderr, 15)}`}`);
    this.how = how;
    this.stderr = stderr;
  }
};
async function docker(args, options) {
  options.signal.throwIfAborted();
  const log = options.log === void 0 ? null : new Log(options.log);
  const child = spawn("docker", args, {
    detached: true,
    env: childEnvironment(options.env ?? {}),
    stdio: ["ignore", "pipe", "pipe"]
  });
  if (child.pid !== void 0) guardGroup(child.pid);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      texts[name] += text;
      log?.write(text);
    });
  }
  const end = () => child.kill("SIGTERM");
  options.signal.addEventListener("abort", end);
  try {
    const how = await new Promise((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once(
        "close",
        (code, signal) => resolve(code === 0 ? null : signal === null ? `exit status ${code}` : signal)
      );
    });
    options.signal.throwIfAborted();
    if (how !== null) throw new DockerError(args, how, texts.stderr.trim());
    log?.check();
    return texts.stdout;
  } finally {
    options.signal.removeEventListener("abort", end);
    if (child.pid !== void 0) forgetGroup(child.pid);
    log?.close();
  }
}
var Log = class {
  #path;
  #file;
  #failure = null;
  constructor(path) {
    this.#path = path;
    try {
      this.#file = openSync(path, "a");
    } catch (error) {
      throw this.#complaint(error);
    }
  }
  write(text) {
    try {
      writeSync(this.#file, text);
    } catch (error) {
      this.#failure ??= error;
    }
  }
  /** Throws MeasureError where something could not be written. */
  check() {
    if (this.#failure !== null) throw this.#complaint(this.#failure);
  }
  close() {
    closeSync(this.#file);
  }
  #complaint(error) {
    return new MeasureError(
      `cannot write ${this.#path}: ${error.message}. Make room there, or name another --work-directory`
    );
  }
};
function lastLines(text, lines2) {
  return quoted(text.trim(), lines2).slice("| ".length).replaceAll("\n| ", "; ");
}

// scripts/src/target/compose/images.ts
import { rmSync, writeFileSync } from "node:fs";

// scripts/src/target/compose/bake.ts
function bakeFile(projects, labels, cache) {
  const builds = ["base", "head", "shared"].flatMap((project) => buildsOf(project, projects));
  if (builds.length === 0) return null;
  return {
    file: { target: Object.fromEntries(builds.map((it) => [it.target, bakeTarget(it, { labels, cache, projects })])) },
    targets: builds.map((it) => it.target),
    allow: [...new Set(builds.flatMap(({ build }) => privileges(build)))],
    reads: [...new Set(builds.flatMap((item) => localFiles(item, projects)))]
  };
}
var targetName = (project, service) => `${project}-${service.replaceAll(".", "_")}`;
function buildsOf(project, projects) {
  return Object.entries(projects[project]?.services ?? {}).flatMap(
    ([service, { build, image, platform }]) => build === void 0 || image === void 0 ? [] : [{ project, service, build, tag: image, platform, target: targetName(project, service) }]
  );
}
function bakeTarget(item, { labels, cache, projects }) {
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
      "cache-from": [.../* @__PURE__ */ new Set([...build.cache_from ?? [], ...from])],
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
      entitlements: build.privileged ? [...build.entitlements ?? [], "security.insecure"] : build.entitlements,
      output: ["type=docker"],
      // Provenance changes the digest of an image that did not change.
      attest: ["type=provenance,disabled=true"]
    }),
    labels: { ...build.labels, ...labels },
    tags: [tag]
  });
}
function localFiles(item, projects) {
  const build = undoubled(item.build);
  const known = undoubled(projects[item.project]?.secrets ?? {});
  const secret = (build.secrets ?? []).map(({ source }) => known[source]?.file);
  const named = [build.context, dockerfile(build), ...Object.values(build.additional_contexts ?? {}), ...secret];
  return named.filter((path) => path?.startsWith("/"));
}
function privileges(build) {
  const insecure = build.privileged ? ["security.insecure"] : [];
  const host = build.network === "host" ? ["network.host"] : [];
  const agent = build.ssh?.some((key) => !key.includes("=")) ? ["ssh"] : [];
  return [...build.entitlements ?? [], ...insecure, ...host, ...agent];
}
function dockerfile({ context, dockerfile: path }) {
  return path === void 0 || path.startsWith("/") || !context?.startsWith("/") ? path : `${context}/${path}`;
}
function contexts(named, project, projects) {
  const resolved = (context) => {
    if (!context.startsWith("service:")) return context;
    const service = context.slice("service:".length);
    const owner = [project, "shared"].find((it) => projects[it]?.services[service] !== void 0) ?? project;
    const { build, image } = projects[owner]?.services[service] ?? {};
    return build === void 0 ? `docker-image://${image}` : `target:${targetName(owner, service)}`;
  };
  return Object.fromEntries(Object.entries(named).map(([name, context]) => [name, resolved(context)]));
}
function platforms({ platform, build }) {
  if (platform !== void 0) return [platform];
  return build.platforms?.length === 1 ? build.platforms : [];
}
function secrets(build, known) {
  return (build.secrets ?? []).map(({ source, target }) => {
    const { file, environment } = known[source] ?? {};
    if (environment !== void 0 && isWithheld(environment)) {
      throw new InputError(
        `compose file: secrets.${source}.environment: expected a variable of your own; got ${environment}, a credential of the CI job, which no build gets. Pass what the build needs under another name.`
      );
    }
    const from = environment === void 0 ? `type=file,src=${file}` : `type=env,env=${environment}`;
    return `id=${target ?? source},${from}`;
  });
}
function ulimits(limits) {
  return Object.entries(limits).map(
    ([name, limit]) => typeof limit === "number" ? `${name}=${limit}` : `${name}=${limit.soft}:${limit.hard}`
  );
}
function extraHosts(hosts) {
  const found = {};
  for (const host of hosts) {
    const [name = "", address = ""] = host.split(/=(.*)/s);
    found[name] = found[name] === void 0 ? address : `${found[name]},${address}`;
  }
  return found;
}
function present(args) {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}
function said(object) {
  const empty = (value) => value === void 0 || typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !empty(value)));
}
function strings(value, change) {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((it) => strings(it, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, strings(it, change)]));
}
var undoubled = (value) => strings(value, (text) => text.replaceAll("$$", () => "$"));
var template = (value) => strings(value, (text) => text.replaceAll("${", () => "$${").replaceAll("%{", () => "%%{"));

// scripts/src/target/compose/mounts.ts
import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
var OF_THE_MACHINE = /^\/(etc|usr|lib|dev|proc|sys)(\/|$)/;
function checkMounts(projects, trees) {
  const mounts = { base: mountsOf(projects.base), head: mountsOf(projects.head) };
  for (const arm of ARMS) {
    const other = arm === "base" ? "head" : "base";
    for (const { service, source } of mounts[arm]) {
      const path = below(trees[arm], source);
      if (path === null || existsSync(source) || !existsSync(join(trees[other], path))) continue;
      throw new InputError(
        `compose file: services.${service}.volumes: ${source} is not there, and the tree of ${other} has it. Where it is not under version control, name it in target.copy: copy: [${path}]`
      );
    }
  }
  for (const { service, source, readOnly } of mounts.base) {
    if (readOnly || ARMS.some((arm) => below(trees[arm], source) !== null) || isHarmless(source)) continue;
    const also = mounts.head.find((mount) => mount.source === source && !mount.readOnly);
    if (also === void 0) continue;
    throw new InputError(
      `compose file: services.${service}.volumes: both versions would write into ${source}. Mount it read-only (${source}:...:ro), use a named volume, of which each version gets its own, or name ${service} in target.shared`
    );
  }
}
function mountsOf(project) {
  return Object.entries(project.services).flatMap(
    ([service, { volumes }]) => (volumes ?? []).flatMap(
      ({ type, source, read_only: readOnly = false }) => type === "bind" && source !== void 0 ? [{ service, source, readOnly }] : []
    )
  );
}
function below(directory, path) {
  const inside = relative(directory, path);
  return inside.startsWith("..") || isAbsolute(inside) ? null : inside || ".";
}
function isHarmless(source) {
  return OF_THE_MACHINE.test(source) || statSync(source, { throwIfNoEntry: false })?.isSocket() === true;
}

// scripts/src/target/compose/build-cache.ts
var EXPORTED = "mode=max,ignore-error=true";
function cacheEntries(cache) {
  if (cache === null) return { from: [], to: [] };
  switch (cache.kind) {
    case "folder":
      return {
        from: [`type=local,src=${cache.path}/{target}`],
        to: [`type=local,dest=${cache.path}/{target},${EXPORTED}`]
      };
    case "registry": {
      const place2 = `type=registry,ref=${cache.repository}:{target}`;
      return { from: [place2], to: [`${place2},${EXPORTED}`] };
    }
    case "gha": {
      const place2 = "type=gha,scope=perf-gate-{target}";
      return { from: [place2], to: [`${place2},${EXPORTED}`] };
    }
    default:
      return assertNever(cache);
  }
}
function checkBuildCache(cache, trees) {
  if (cache?.kind !== "folder") return;
  const tree = trees.find((it) => below(it, cache.path) !== null);
  if (tree === void 0) return;
  throw new InputError(
    `target.build-cache: expected a folder outside of the trees; got ${cache.path}, which is in ${tree} and would be part of every image. Write for example ../build-cache.`
  );
}

// scripts/src/target/compose/source.ts
import { createHash } from "node:crypto";
import { closeSync as closeSync2, existsSync as existsSync2, lstatSync, openSync as openSync2, readdirSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { join as join2 } from "node:path";
var CHUNK_BYTES = 1024 * 1024;
function sourceOf(planId, { file, reads }, ignored) {
  const definitions = Object.entries(file.target).map(
    ([name, { tags, labels, "cache-from": from, "cache-to": to, ...how }]) => [name, how]
  );
  const hash = createHash("sha256").update(JSON.stringify([planId, definitions]));
  for (const path of reads) addFiles(hash, existsSync2(path) ? realpathSync(path) : path, ignored);
  return hash.digest("hex").slice(0, 16);
}
function addFiles(hash, root, ignored) {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const add = (name) => {
    const path = join2(root, name);
    if (path === ignored) return;
    const found = lstatSync(path, { throwIfNoEntry: false });
    hash.update(`\0${name}\0${found?.mode ?? "absent"}\0`);
    try {
      if (found?.isSymbolicLink()) hash.update(readlinkSync(path));
      if (found?.isFile()) {
        hash.update(`${found.size}\0`);
        addContent(hash, path, buffer);
      }
      if (found?.isDirectory()) {
        for (const entry of readdirSync(path).toSorted()) if (entry !== ".git") add(join2(name, entry));
      }
    } catch (error) {
      hash.update(`${error.code}`);
    }
  };
  add(".");
}
function addContent(hash, path, buffer) {
  const file = openSync2(path, "r");
  try {
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer)) {
      hash.update(buffer.subarray(0, size));
    }
  } finally {
    closeSync2(file);
  }
}

// scripts/src/target/compose/images.ts
var WORK_LABEL = "perf-gate.work";
async function provideImages({ plan, workDirectory, progress, signal }, projects, labels, places) {
  const bake = bakeFile(projects, labels, cacheEntries(plan.config.target.buildCache));
  if (bake === null) return;
  if (await adoptAhead(bake, { planId: plan.id, workDirectory, progress, signal })) return;
  progress(`building ${bake.targets.join(", ")}`);
  await buildImages(bake, projects, places, signal);
}
var aheadTag = (source, target) => `perf-gate/${source}:${target}`;
async function adoptAhead(bake, {
  planId,
  workDirectory,
  progress,
  signal
}) {
  const ours = ["image", "ls", "--quiet", "--filter", `label=${WORK_LABEL}=${workDirectory}`];
  if ((await docker(ours, { signal })).trim() === "") return false;
  const source = sourceOf(planId, bake, workDirectory);
  const tags = bake.targets.map((target) => aheadTag(source, target));
  const isThere = await docker(["image", "inspect", "--format", "{{.Id}}", ...tags], { signal }).then(
    () => true,
    () => false
  );
  signal.throwIfAborted();
  if (!isThere) {
    progress("what was built ahead is not of this plan, or its files have changed since: building again");
    return false;
  }
  for (const [index, target] of bake.targets.entries()) {
    const [tag = ""] = bake.file.target[target]?.tags ?? [];
    await docker(["image", "tag", tags[index] ?? "", tag], { signal });
  }
  return true;
}
async function buildImages({ file, allow, targets }, projects, places, signal) {
  writeBakeFile(places.file, file);
  rmSync(places.log, { force: true });
  const args = [
    "buildx",
    "bake",
    "--file",
    places.file,
    ...allow.map((what) => `--allow=${what}`),
    "--progress",
    "plain"
  ];
  const env = { BUILDX_BAKE_ENTITLEMENTS_FS: "0" };
  await docker([...args, ...targets], { signal, env, log: places.log }).catch((error) => {
    signal.throwIfAborted();
    if (!(error instanceof DockerError)) throw error;
    if (/cache export is not supported/i.test(error.stderr)) throw new MeasureError(NO_CACHE);
    const dockerfiles = [projects.base, projects.head, projects.shared].flatMap(
      (project) => Object.values(project?.services ?? {}).flatMap(
        ({ build }) => build === void 0 ? [] : [build.dockerfile ?? "Dockerfile"]
      )
    );
    const names = [...new Set(dockerfiles)].join(", ");
    throw new MeasureError(`the images cannot be built (${names})${tail("the build's output", places.log, 25)}`);
  });
}
var NO_CACHE = "target.build-cache: this builder cannot export a cache. Make one that can, docker buildx create --use, or turn on the engine's containerd image store; or remove target.build-cache";
function writeBakeFile(path, file) {
  writeFileSync(path, `${JSON.stringify(file, null, 2)}
`, { mode: 384 });
}
async function withHealthcheck(images, signal) {
  const distinct = [...new Set(images)];
  const format = "{{if .Config.Healthcheck}}own{{else}}none{{end}}";
  const own = (await docker(["image", "inspect", "--format", format, ...distinct], { signal })).trim().split("\n");
  return new Set(distinct.filter((_, index) => own[index] === "own"));
}

// scripts/src/target/compose/owner.ts
import { readFileSync, readlinkSync as readlinkSync2 } from "node:fs";
import { hostname } from "node:os";
var OWNER_LABEL = "perf-gate.owner";
function startTicks(pid) {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1")).startTicks;
  } catch {
    return null;
  }
}
function place() {
  return `${hostname()}:${/\d+/.exec(readlinkSync2("/proc/self/ns/pid"))}`;
}
var ownerOf = (pid) => `${place()}:${pid}:${startTicks(pid)}`;
var thisOwner = () => ownerOf(process.pid);
function isDead(owner) {
  const [, where, pid, start] = /^(.+):(\d+):(\d+)$/.exec(owner) ?? [];
  return where === place() && startTicks(Number(pid)) !== Number(start);
}

// scripts/src/target/compose/leftovers.ts
var KINDS = [
  { name: "container", list: ["ps", "--all", "--no-trunc"], remove: ["rm", "--force", "--volumes"] },
  { name: "network", list: ["network", "ls", "--no-trunc"], remove: ["network", "rm"] },
  { name: "volume", list: ["volume", "ls"], remove: ["volume", "rm"] },
  { name: "image", list: ["image", "ls", "--no-trunc"], remove: ["image", "rm", "--force"] }
];
var TRIES = 10;
var BETWEEN_TRIES_MS = 300;
var describeRemoved = (removed) => Object.entries(removed).map(([name, count]) => `${count} ${name}${count === 1 ? "" : name.endsWith("s") ? "es" : "s"}`).join(", ");
var lines = (text) => [...new Set(text.split("\n").filter(Boolean))];
async function removeLabelled(label, signal, kinds = KINDS) {
  const removed = {};
  for (let tries = 1; ; tries++) {
    const left = {};
    const refusals = [];
    for (const { name, list, remove } of kinds) {
      const found = lines(await docker([...list, "--quiet", "--filter", `label=${label}`], { signal }));
      if (found.length === 0) continue;
      left[name] = found.length;
      removed[name] ??= found.length;
      await docker([...remove, ...found], { signal }).catch((error) => {
        signal.throwIfAborted();
        refusals.push(error instanceof DockerError ? lastLines(error.stderr, 3) : error.message);
      });
    }
    if (Object.keys(left).length === 0) return removed;
    if (tries === TRIES) {
      const what = describeRemoved(left);
      throw new MeasureError(`${what} with the label ${label} cannot be removed: ${refusals.join("; ")}`);
    }
    if (refusals.length > 0) await sleep(BETWEEN_TRIES_MS);
  }
}
var removeContainers = (label, signal) => removeLabelled(label, signal, KINDS.slice(0, 1));
var removeAhead = (workDirectory, signal) => removeLabelled(`${WORK_LABEL}=${workDirectory}`, signal, KINDS.slice(-1));
async function removeLeftovers(signal) {
  const label = `{{.Label "${OWNER_LABEL}"}}`;
  const filter = ["--filter", `label=${OWNER_LABEL}`];
  const owners = /* @__PURE__ */ new Set();
  for (const list of [
    ["ps", "--all"],
    ["network", "ls"],
    ["volume", "ls"]
  ]) {
    for (const owner of lines(await docker([...list, ...filter, "--format", label], { signal }))) owners.add(owner);
  }
  const images = lines(await docker(["image", "ls", "--quiet", ...filter], { signal }));
  if (images.length > 0) {
    const ofImage = `{{index .Config.Labels "${OWNER_LABEL}"}}`;
    const text = await docker(["image", "inspect", "--format", ofImage, ...images], { signal }).catch(() => "");
    for (const owner of lines(text)) owners.add(owner);
  }
  const removed = {};
  for (const owner of owners) {
    if (!isDead(owner)) continue;
    const found = await removeLabelled(`${OWNER_LABEL}=${owner}`, signal);
    for (const [name, count] of Object.entries(found)) removed[name] = (removed[name] ?? 0) + count;
  }
  return removed;
}

// scripts/src/phases/lock.ts
import { closeSync as closeSync3, openSync as openSync3, readFileSync as readFileSync2, rmSync as rmSync2, writeSync as writeSync2 } from "node:fs";
import { tmpdir } from "node:os";
import { join as join3 } from "node:path";
import { setTimeout as sleep2 } from "node:timers/promises";
var LOCK_FILE = join3(tmpdir(), "perf-gate.lock");
var LOCK_WAIT = 30 * 60;
async function lockMachine(workDirectory, signal, waitSeconds, waiting) {
  const deadline = performance.now() + waitSeconds * 1e3;
  let told = false;
  for (; ; ) {
    if (tryLock(workDirectory)) return unlock;
    const holder = readHolder()?.pid;
    if (holder === void 0) continue;
    if (!told) waiting(`another run (process ${holder}) is measuring on this machine: waiting for it to end`);
    told = true;
    if (performance.now() > deadline) {
      throw new MeasureError(
        `another run (process ${holder}) has been measuring on this machine for ${Math.round(waitSeconds / 60)} minutes; two at once would disturb each other. Wait for it or end it (${LOCK_FILE})`
      );
    }
    await sleep2(500, void 0, { signal });
  }
}
function workerIn(workDirectory) {
  const holder = readHolder();
  return holder?.workDirectory === workDirectory ? holder.pid : null;
}
function tryLock(workDirectory) {
  try {
    const file = openSync3(LOCK_FILE, "wx", 420);
    writeSync2(file, `${process.pid} ${workDirectory}
`);
    closeSync3(file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw new MeasureError(`cannot take the lock ${LOCK_FILE}: ${error.message}`);
  }
}
function readHolder() {
  let text;
  try {
    text = readFileSync2(LOCK_FILE, "utf8");
  } catch {
    return null;
  }
  const [, pid = "", workDirectory = ""] = /^(\d+) (.*)\n$/s.exec(text) ?? [];
  const holder = { pid: Number(pid), workDirectory };
  try {
    if (holder.pid > 0) {
      process.kill(holder.pid, 0);
      return holder;
    }
  } catch (error) {
    if (error.code === "EPERM") return holder;
  }
  rmSync2(LOCK_FILE, { force: true });
  return null;
}
function unlock() {
  try {
    if (Number.parseInt(readFileSync2(LOCK_FILE, "utf8"), 10) === process.pid) rmSync2(LOCK_FILE, { force: true });
  } catch {
  }
}

export {
  childEnvironment,
  DockerError,
  docker,
  lastLines,
  OWNER_LABEL,
  startTicks,
  thisOwner,
  checkMounts,
  below,
  cacheEntries,
  checkBuildCache,
  bakeFile,
  sourceOf,
  WORK_LABEL,
  provideImages,
  aheadTag,
  buildImages,
  writeBakeFile,
  withHealthcheck,
  describeRemoved,
  removeLabelled,
  removeContainers,
  removeAhead,
  removeLeftovers,
  LOCK_WAIT,
  lockMachine,
  workerIn
};

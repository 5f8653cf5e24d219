import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  K6_VERSION
} from "./shared-k6.js";
import {
  findEngine,
  isUsable
} from "./shared-programs.js";
import {
  checkCopied,
  checkOut,
  resolveAnchor,
  resolveHead
} from "./shared-arms~2.js";
import {
  sha256
} from "./shared-work-directory.js";
import {
  StoreError,
  openStore
} from "./shared-git-store.js";
import {
  chooseLayout,
  describeLayout,
  loadConfig,
  parseConfig,
  parseCpuList,
  zeroConfig
} from "./shared-schemas.js";
import {
  InputError
} from "./shared-errors.js";
import {
  comparable,
  worthKeeping
} from "./shared-stored.js";
import {
  REFERENCE,
  minor,
  recordOf,
  suitesOf
} from "./shared-plan.js";
import {
  configEdits
} from "./shared-replay.js";
import {
  targetOf
} from "./shared-arms.js";
import {
  ARMS,
  assertNever
} from "./shared-model.js";

// scripts/src/phases/store.ts
import { execFile as execFile2 } from "node:child_process";
import { existsSync as existsSync2 } from "node:fs";
import { resolve as resolve3 } from "node:path";
import { promisify as promisify2 } from "node:util";

// scripts/src/phases/stored-base.ts
import { execFile } from "node:child_process";
import { readFileSync as readFileSync3 } from "node:fs";
import { relative as relative2, resolve as resolve2 } from "node:path";
import { promisify } from "node:util";

// scripts/src/phases/driver.ts
var NAMES = ["auto", "compose", "process", "url"];
function wantedDriver(option, target) {
  const wanted = NAMES.find((name) => name === (option ?? target.driver));
  if (wanted !== void 0) return wanted;
  throw new InputError(`--driver: allowed are ${NAMES.join(", ")}; got ${JSON.stringify(option)}`);
}
async function chooseDriver(wanted, target, own = []) {
  const settled = settledDriver(wanted, target, own);
  const driver = settled ?? (isUsable(await findEngine()) ? "compose" : "process");
  checkDriver(driver, target);
  return driver;
}
function settledDriver(wanted, target, own) {
  if (wanted !== "auto") return wanted;
  if (target.url !== null) return "url";
  if (target.compose !== null) return "compose";
  return [target, ...own].some((one) => programOfThisMachine(one) !== null) ? "process" : null;
}
function programOfThisMachine({ start, php }) {
  if (start !== null) return "target.start";
  return php.binary === null ? null : "target.php.binary";
}
function checkDriver(driver, target) {
  const { compose, resources, links, url } = target;
  switch (driver) {
    case "compose": {
      const program = programOfThisMachine(target);
      if (compose !== null || program === null) return;
      throw needsThisMachine(program);
    }
    case "url":
      if (url === null) {
        throw new InputError("driver url: target.url.base and target.url.head must say where the two arms already run");
      }
      break;
    case "process":
      break;
    default:
      assertNever(driver);
  }
  const containers = Object.entries({
    "target.compose": compose !== null,
    "target.resources": resources !== null,
    "target.links": Object.keys(links).length > 0
  }).find(([, there]) => there)?.[0];
  if (containers !== void 0) throw needsContainers(driver, containers);
}
function checkVariant(driver, key, { php, start, resources, links }) {
  switch (driver) {
    case "compose":
      if (start !== void 0 && start !== null) throw needsThisMachine(`${key}.start`);
      if (php.binary !== void 0) throw needsThisMachine(`${key}.php.binary`);
      return;
    case "process":
      if (resources !== void 0) throw needsContainers(driver, `${key}.resources`);
      if (Object.keys(links).length > 0) throw needsContainers(driver, `${key}.links`);
      return;
    case "url":
      throw new InputError(
        `driver url: nothing is started here, so ${key} cannot be. Use driver compose or process, without target.url`
      );
    default:
      assertNever(driver);
  }
}
function needsContainers(driver, key) {
  return new InputError(
    `driver ${driver}: ${key} needs containers. Use driver compose (\`perf-gate doctor --driver compose\` says what is missing for it), or remove ${key}`
  );
}
function needsThisMachine(key) {
  return new InputError(
    `driver compose: ${key} is for a program of this machine. Remove it, or write a compose file of your own and name it in target.compose`
  );
}
function checkImages(arms, driver, { compose }) {
  const arm = ARMS.find((name) => arms[name].image !== null);
  if (arm === void 0 || driver === "compose" && compose !== null) return;
  throw new InputError(
    `--${arm}: an image is started by a compose file of your own, with driver compose (here: ${driver}). Name the file in target.compose, with target.service and target.port; or give a directory`
  );
}
function whyDriver(plan) {
  const { driver } = plan;
  const { target } = plan.config;
  if (target.driver !== "auto") return null;
  if (target.url !== null) return "target.url is there";
  if (target.compose !== null) return "target.compose is there";
  if (driver === "compose") return "a Docker engine answers";
  const program = programOfThisMachine(target);
  if (program !== null) return `${program} is there`;
  for (const arm of ARMS) {
    const ofArm = programOfThisMachine(targetOf(plan, arm));
    if (ofArm !== null) return `${ofArm} of ${plan.arms[arm].label} is there`;
  }
  return "no Docker engine 25 or newer with Compose 2.24 and Buildx answers";
}

// scripts/src/phases/judge.ts
import { realpathSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
async function judgeOf(arms, named, warn) {
  const [baseTree, headTree] = [arms.base.directory, arms.head.directory];
  const inside = named === null || headTree === null ? null : pathInside(headTree, resolve(named));
  if (named !== null && inside === null) return { config: (await loadConfig(named, process.cwd())).config };
  const head = headTree === null ? null : await loadConfig(named, named === null ? headTree : process.cwd());
  if (baseTree === null) {
    warn("the base is an image and has no configuration: judged by the head's");
    return { config: (head ?? await loadConfig(null, ".")).config };
  }
  const base = await loadBase(baseTree, inside);
  if (head === null) return { config: base.config };
  if (base.file === null) {
    if (head.file !== null) warn(`the base has no configuration: judged by the head's (${head.file})`);
    return { config: { ...head.config, baseline: base.config.baseline } };
  }
  return judgedByBase({ ...base, file: base.file }, head, warn);
}
function pathInside(tree, file) {
  if (statSync(file, { throwIfNoEntry: false }) === void 0) return null;
  const path = relative(realpathSync(tree), realpathSync(file));
  return path === ".." || path.startsWith("../") ? null : path;
}
async function loadBase(tree, path) {
  const there = path === null || statSync(resolve(tree, path), { throwIfNoEntry: false }) !== void 0;
  return there ? await loadConfig(path, tree) : { config: zeroConfig(), file: null, text: null };
}
function judgedByBase(base, head, warn) {
  if (head.text === base.text) return { config: base.config };
  if (head.text === null) {
    warn(`the head removes its configuration: judged by the base's (${base.file})`);
    return { config: base.config, headConfig: null };
  }
  const headConfig = parseConfig(head.text, {
    file: head.file ?? "",
    directory: dirname(base.file),
    isFile: () => true
  });
  const config = withAdditions(base.config, head.config);
  const edits = configEdits({ config, headConfig });
  if (edits.length === 0) return { config };
  const keys = edits.slice(0, 5).map(({ key }) => key);
  const more = edits.length > keys.length ? ` and ${edits.length - keys.length} more` : "";
  warn(`the head changes its configuration (${keys.join(", ")}${more}): judged by the base's (${base.file})`);
  return { config, headConfig };
}
function withAdditions(base, head) {
  const known = new Set(base.scenarios.map(({ name }) => name));
  const added = head.scenarios.filter(({ name }) => !known.has(name));
  return {
    ...base,
    target: withNeeds(base.target, head.target),
    scenarios: [...base.scenarios, ...added.map((scenario) => ({ ...scenario, addedByHead: true }))]
  };
}
function withNeeds(base, head) {
  return {
    ...base,
    services: [.../* @__PURE__ */ new Set([...base.services, ...head.services])],
    env: { ...head.env, ...base.env },
    copy: [.../* @__PURE__ */ new Set([...base.copy, ...head.copy])]
  };
}

// scripts/src/phases/machine.ts
import { existsSync, readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
function usableCpus() {
  const status = readOr("/proc/self/status", "");
  const allowed = parseCpuList(/^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? "") ?? cpus().map((_, id) => id);
  return allowed.map((id) => ({ id, core: siblings(id) }));
}
function siblings(id) {
  return readOr(`/sys/devices/system/cpu/cpu${id}/topology/thread_siblings_list`, String(id)).trim();
}
function layoutFor(isolation) {
  const usable = usableCpus();
  if (isolation === "auto") return chooseLayout(usable);
  const all = usable.map(({ id }) => id);
  if (isolation === "off") {
    const note = "isolation is off: load generator, service and databases may use every CPU; expect wide intervals";
    return { generator: all, target: all, services: all, isolated: false, note };
  }
  const list = (key) => {
    const named = parseCpuList(isolation[key]);
    const missing = named?.filter((cpu) => !all.includes(cpu)) ?? [];
    if (named !== null && missing.length === 0) return named;
    throw new InputError(
      `measure.isolation.${key}: ${JSON.stringify(isolation[key])} names CPUs that cannot be used here; usable: ${all.join(",")}`
    );
  };
  return describeLayout({ generator: list("generator"), target: list("target"), services: list("services") });
}
function machineFacts() {
  const usable = usableCpus();
  return {
    cpuModel: cpus()[0]?.model.trim() ?? "unknown",
    logicalCpus: usable.length,
    physicalCores: new Set(usable.map(({ core }) => core)).size,
    memoryBytes: totalmem(),
    kernel: release(),
    os: /^PRETTY_NAME="?([^"\n]+)/m.exec(readOr("/etc/os-release", ""))?.[1] ?? "unknown",
    cgroup: existsSync("/sys/fs/cgroup/cgroup.controllers") ? "v2" : existsSync("/sys/fs/cgroup/cpuacct") ? "v1" : "none"
  };
}
function readOr(path, fallback) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return fallback;
  }
}

// scripts/src/phases/reference.ts
import { createHash } from "node:crypto";
import { readdirSync, readFileSync as readFileSync2, statSync as statSync2 } from "node:fs";
import { join } from "node:path";
var ASKED = {
  work: { kind: "request", method: "GET", path: "/queries?n=5&connection=persistent", headers: {}, body: null },
  checks: { status: [200], bodyContains: null }
};
var BACKLOG = 4096;
async function referenceAnchor(home) {
  const directory = join(home, "fixtures", "app");
  const { config } = await loadConfig(null, directory);
  const { target } = config;
  return {
    source: { label: REFERENCE, directory, commit: null, repository: null, image: null },
    anchor: { label: REFERENCE, id: `sha256:${digestOf(directory)}` },
    own: ({ php: { version, binary } }) => ({
      target: { ...target, php: { ...target.php, version, binary, backlog: BACKLOG } },
      asked: ASKED
    })
  };
}
function digestOf(directory) {
  const hash = createHash("sha256").update(JSON.stringify(ASKED));
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) => !path.startsWith("."));
  for (const path of paths.toSorted()) {
    const file = join(directory, path);
    if (statSync2(file).isFile()) hash.update(`\0${path}\0`).update(readFileSync2(file));
  }
  return hash.digest("hex");
}

// scripts/src/phases/stored-base.ts
var STORED = "stored";
async function storedBase(options, treesDirectory, warn, env) {
  const said = [];
  const { head, judge: judgeTree } = await resolveHead(options, treesDirectory);
  const removeJudge = await checkOut({ base: judgeTree ?? head, head });
  try {
    const judge = await judgeOf({ base: judgeTree ?? head, head }, options.config ?? null, (line) => said.push(line));
    const { config } = judge;
    const { baseline } = config;
    const wantsDriver = wantedDriver(options.driver, config.target);
    if (wantsDriver === "url" || wantsDriver === "auto" && config.target.url !== null) {
      throw new InputError("--base stored: with driver url nothing starts the anchor; use compose or process");
    }
    const driver = await chooseDriver(wantsDriver, config.target);
    const {
      source: base,
      anchor,
      own
    } = baseline.anchor === null ? await referenceAnchor(options.home) : { ...await resolveAnchor(baseline.anchor, head.directory, treesDirectory), own: null };
    const arms = { base, head };
    checkImages(arms, driver, config.target);
    checkCopied(arms, config.target.copy);
    const store = storeOf(baseline.store, head.directory, judgeTree?.directory ?? null, env);
    const read = await store.read().catch((error) => {
      if (judgeTree === null || !(error instanceof StoreError)) throw error;
      return error.message;
    });
    if (typeof read === "string") return { kind: "none", why: read };
    const { records, missing } = read;
    const branch = baseline.branch ?? options.branch ?? await branchOf(head.directory);
    const { cpuModel, logicalCpus } = machineFacts();
    const wanted = { branch, anchor, must: { driver, cpuModel, logicalCpus, k6: minor(K6_VERSION) } };
    const stored = {
      anchor,
      store: store.label,
      branch,
      suites: suitesHere(config),
      ...judgeTree === null ? {} : { judge: judgeTree }
    };
    const kept = worthKeeping(records, wanted);
    const why = nothingFor(stored, comparable(kept, wanted));
    if (why !== null && judgeTree !== null) return { kind: "none", why: `${store.label}: ${why}` };
    for (const line of said) warn(line);
    const found = { judge, arms, sameSource: false, driver, stored, history: { missing, records: kept } };
    return { kind: "stored", ...found, ...own === null ? {} : { own: { base: own(config.target) } } };
  } finally {
    await removeJudge();
  }
}
function nothingFor({ suites }, { records, why }) {
  if (why !== null) return why;
  const isKnown = records.some(({ cells }) => cells.some(({ id, suite }) => suites[id] === suite));
  return isKnown ? null : "its records asked for something else in every cell";
}
function suitesHere(config) {
  return suitesOf(config, (file) => readFileSync3(file, "utf8"), sha256);
}
function storeOf(name, head, judge, env, limitMs) {
  if (!/^(pull_request|merge_group)/.test(env["GITHUB_EVENT_NAME"] ?? ""))
    return openStore(name, { directory: head, env, limitMs });
  const directory = judge ?? head;
  if (name.startsWith("git:")) {
    const { GITHUB_SERVER_URL: server = "https://github.com", GITHUB_REPOSITORY: repository } = env;
    if (judge === null && name.includes("@")) {
      throw new InputError(
        `baseline.store: the pull request itself says where its records come from (${name}): keep them on a branch of the repository (store: git:perf-gate-data), or give the version to compare with (--base-ref)`
      );
    }
    return openStore(name, { directory, env, origin: repository ? `${server}/${repository}` : void 0, limitMs });
  }
  const path = resolve2(directory, name);
  if (isInside(head, path) && (judge === null || !isInside(judge, path))) {
    throw new InputError(
      `baseline.store: ${path} is part of the pull request itself, which could bring records of its own. Keep them on a branch (store: git:perf-gate-data), or give the version to compare with (--base-ref)`
    );
  }
  return openStore(name, { directory, env });
}
function isInside(tree, path) {
  const below = relative2(tree, path);
  return below !== ".." && !below.startsWith("../");
}
async function branchOf(directory, fix = "write baseline: { branch: main }") {
  const args = ["-C", directory, "symbolic-ref", "--quiet", "--short", "HEAD"];
  const found = await promisify(execFile)("git", args).catch(() => null);
  if (found !== null) return found.stdout.trim();
  throw new InputError(`${directory} has no branch checked out, so that it is not known whose records count: ${fix}`);
}

// scripts/src/phases/store.ts
async function storePhase(work, options, env) {
  const plan = work.readPlan();
  const run = {
    plan,
    environment: work.readEnvironment(plan),
    census: work.readCensus(plan),
    lines: work.readSamples(plan).lines
  };
  const record = await recordRun(run, options, env);
  const named = options.store?.startsWith("git:") === false ? resolve3(options.store) : options.store;
  const store = openStore(named ?? plan.config.baseline.store, { directory: treeOf(plan), env });
  const { added } = await store.append([record]);
  return { record, added, label: store.label };
}
async function recordRun({ plan, environment, census, lines }, { branch, url }, env) {
  const { base, head } = plan.arms;
  if (plan.stored === void 0) {
    throw new InputError(
      `the run compared ${head.label} with ${base.label}, and a record is relative to an anchor: measure with \`perf-gate run --base stored\``
    );
  }
  if (/^(pull_request|merge_group)/.test(env["GITHUB_EVENT_NAME"] ?? "")) {
    throw new InputError(
      "the run is for a pull request or a merge queue, which is not part of a branch's history yet: nothing is recorded"
    );
  }
  const stop = lines.findLast((line) => line.kind === "stop");
  if (stop === void 0 || stop.reason === "interrupted" || stop.reason === "failed") {
    const how = stop === void 0 ? "has not ended" : stop.reason === "failed" ? "failed" : "was interrupted";
    throw new InputError(`the run ${how}: continue it with \`perf-gate measure\`, then record it`);
  }
  if (environment === null || census === null)
    throw new InputError("the run measured nothing: there is nothing to record");
  if (head.commit === null) {
    throw new InputError(
      `${head.label} is not a commit as it is (it has changes, or is in no git repository): commit them, measure again, then record`
    );
  }
  const facts = {
    commit: head.commit,
    committedAt: await committedAt(treeOf(plan), head.commit),
    branch: branch ?? refOf(env) ?? await branchOf(treeOf(plan), "add --branch main"),
    url: url ?? runUrl(env)
  };
  const record = recordOf({ plan, environment, census, lines }, facts, sha256);
  if (record.cells.length > 0) return record;
  throw new InputError("no cell has enough clean rounds to be recorded: see the report for what disturbed them");
}
function treeOf({ arms }) {
  const { directory } = arms.head;
  return directory !== null && existsSync2(directory) ? directory : ".";
}
async function committedAt(directory, commit) {
  const args = ["-C", directory, "show", "--no-patch", "--format=%cI", "--end-of-options", commit];
  const found = await promisify2(execFile2)("git", args).catch(() => null);
  const time = Date.parse(found?.stdout.trim() ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
function refOf(env) {
  return /^refs\/heads\/(.+)$/.exec(env["GITHUB_REF"] ?? "")?.[1];
}
function runUrl(env) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null;
}

export {
  layoutFor,
  machineFacts,
  wantedDriver,
  chooseDriver,
  checkVariant,
  checkImages,
  whyDriver,
  judgeOf,
  STORED,
  storedBase,
  nothingFor,
  suitesHere,
  storeOf,
  branchOf,
  storePhase,
  recordRun,
  committedAt,
  refOf
};

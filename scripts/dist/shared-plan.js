import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  findEngine,
  isUsable
} from "./shared-programs.js";
import {
  beforePilot,
  buildPlan,
  roundSeconds,
  sha256
} from "./shared-work-directory.js";
import {
  chooseLayout,
  describeLayout,
  formatPercent,
  loadConfig,
  parseConfig,
  parseCpuList,
  parseDurationMs,
  zeroConfig
} from "./shared-schemas.js";
import {
  FIRST_LOOK,
  cellIsRed,
  configEdits,
  liveTests
} from "./shared-replay.js";
import {
  checkCopied,
  checkOut,
  resolveArms,
  sameTree
} from "./shared-arms.js";
import {
  InputError
} from "./shared-errors.js";
import {
  ARMS,
  assertNever
} from "./shared-model.js";

// scripts/src/phases/plan.ts
import { randomInt } from "node:crypto";
import { join, resolve as resolve2 } from "node:path";

// scripts/src/core/budget.ts
var CONFIRM_SHARE = 0.2;
var CONFIRM_ROUNDS = 7;
function blockSeconds(cells, overhead) {
  return cells.reduce((sum, cell) => sum + roundSeconds(cell), overhead);
}
function mainDeadline(budgetSeconds) {
  return budgetSeconds * (1 - CONFIRM_SHARE);
}
function chooseConfirmation(flagged, pilots, overhead, remaining) {
  const chosen = [];
  const cells = /* @__PURE__ */ new Set();
  for (const { test, cells: needed } of flagged) {
    const together = [.../* @__PURE__ */ new Set([...cells, ...needed])].flatMap((cell) => pilots.get(cell) ?? []);
    const rounds = chosen.length === 0 ? FIRST_LOOK : CONFIRM_ROUNDS;
    if (blockSeconds(together, overhead) * rounds > remaining) continue;
    chosen.push(test);
    for (const cell of needed) cells.add(cell);
  }
  return chosen;
}
function expectedSeconds(plan, cells, overhead) {
  const block = blockSeconds(cells, overhead.block);
  const { budgetSeconds } = plan.config.measure;
  return {
    block,
    decided: overhead.start + FIRST_LOOK * block,
    budget: budgetSeconds,
    blocksInBudget: Math.max(0, Math.floor((mainDeadline(budgetSeconds) - overhead.start) / block))
  };
}
function expectedBlocks(run) {
  return Math.max(0, ...undecided(run).map((test) => expectedRounds(test, run.rule.cap)));
}
function undecided(run) {
  const tests = run.confirmation?.tests ?? liveTests(run);
  return tests.filter((test) => test.verdict === "open" && !cellIsRed(test, tests));
}
function expectedRounds(test, cap) {
  const n = test.x.length;
  if (n < FIRST_LOOK || test.last === null || !("p" in test.last)) return Math.max(1, FIRST_LOOK - n);
  const needed = n * (3 / Math.max(0.5, Math.abs(test.last.mean / test.last.se))) ** 2;
  return Math.max(1, Math.min(cap, Math.ceil(needed)) - n);
}

// scripts/src/phases/driver.ts
var NAMES = ["auto", "compose", "process", "url"];
function wantedDriver(option, target) {
  const wanted = NAMES.find((name) => name === (option ?? target.driver));
  if (wanted !== void 0) return wanted;
  throw new InputError(`--driver: allowed are ${NAMES.join(", ")}; got ${JSON.stringify(option)}`);
}
async function chooseDriver(wanted, target) {
  const settled = settledDriver(wanted, target);
  const driver = settled ?? (isUsable(await findEngine()) ? "compose" : "process");
  checkDriver(driver, target);
  return driver;
}
function settledDriver(wanted, target) {
  if (wanted !== "auto") return wanted;
  if (target.url !== null) return "url";
  if (target.compose !== null) return "compose";
  return programOfThisMachine(target) === null ? null : "process";
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
      throw new InputError(
        `driver compose: ${program} is for a program of this machine. Remove it, or write a compose file of your own and name it in target.compose`
      );
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
  if (containers === void 0) return;
  throw new InputError(
    `driver ${driver}: ${containers} needs containers. Use driver compose (\`perf-gate doctor --driver compose\` says what is missing for it), or remove ${containers}`
  );
}
function checkImages(arms, driver, { compose }) {
  const arm = ARMS.find((name) => arms[name].image !== null);
  if (arm === void 0 || driver === "compose" && compose !== null) return;
  throw new InputError(
    `--${arm}: an image is started by a compose file of your own, with driver compose (here: ${driver}). Name the file in target.compose, with target.service and target.port; or give a directory`
  );
}
function whyDriver({ driver, config: { target } }) {
  if (target.driver !== "auto") return null;
  if (target.url !== null) return "target.url is there";
  if (target.compose !== null) return "target.compose is there";
  if (driver === "compose") return "a Docker engine answers";
  const program = programOfThisMachine(target);
  if (program !== null) return `${program} is there`;
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
    return { config: head.config };
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

// scripts/src/phases/plan.ts
var OVERHEAD = { start: 25, block: 4 };
async function planPhase(options, work, warn) {
  if (options.base === void 0 && options.baseRef === void 0) {
    const { config } = await loadConfig(options.config ?? null, process.cwd());
    const running = runningArms(options, config);
    if (running !== null) return await finish(options, work, { config }, running);
  }
  const arms = await resolveArms(options, resolve2(work.path, "trees"));
  const removeTrees = await checkOut(arms);
  try {
    const judge = await judgeOf(arms, options.config ?? null, warn);
    const running = runningArms(options, judge.config);
    if (running !== null) return await finish(options, work, judge, running);
    checkCopied(arms, judge.config.target.copy);
    return await finish(options, work, judge, arms, await sameTree(arms));
  } finally {
    await removeTrees();
  }
}
function runningArms(options, { target }) {
  const wanted = wantedDriver(options.driver, target);
  if (wanted !== "url" && (wanted !== "auto" || target.url === null)) return null;
  const source = (label = "") => ({ label, directory: null, commit: null, repository: null, image: null });
  return { base: source(target.url?.base), head: source(target.url?.head) };
}
async function finish(options, work, { config, ...rest }, arms, sameSource = arms.base.label === arms.head.label) {
  const wanted = wantedDriver(options.driver, config.target);
  const driver = await chooseDriver(wanted, config.target);
  checkImages(arms, driver, config.target);
  const budgetSeconds = options.budget === void 0 ? config.measure.budgetSeconds : parseBudget(options.budget);
  const plan = buildPlan(
    {
      seed: randomInt(2 ** 31),
      arms,
      sameSource,
      driver,
      config: {
        ...config,
        target: { ...config.target, driver: wanted },
        measure: { ...config.measure, budgetSeconds }
      },
      layout: layoutFor(config.measure.isolation),
      ...rest
    },
    sha256
  );
  work.begin();
  work.writeJson("plan", plan);
  return plan;
}
function parseBudget(text) {
  const ms = parseDurationMs(text);
  if (ms !== null && ms >= 3e4 && ms <= 864e5) return ms / 1e3;
  throw new InputError(
    `--budget: allowed is a duration from 30s to 24h such as 10m or 1m30s, got ${JSON.stringify(text)}`
  );
}
function describePlan(plan, work) {
  const { measure, gate } = plan.config;
  const cells = beforePilot(plan);
  const expected = expectedSeconds(plan, cells, OVERHEAD);
  const arm = ({ label, commit }) => commit === null ? label : `${label} (${commit.slice(0, 12)})`;
  const why = whyDriver(plan);
  const width = Math.max(...plan.cells.map((cell) => cell.id.length));
  const lines = [
    `base       ${arm(plan.arms.base)}`,
    `head       ${arm(plan.arms.head)}${plan.sameSource ? "   the same tree: an A/A run" : ""}`,
    `driver     ${plan.driver}${why === null ? "" : ` (${why})`}`,
    `isolation  ${plan.layout.note}`,
    `allowed    QPS -${formatPercent(gateMargin(plan, "maxQpsDrop"))}, p99 +${formatPercent(gateMargin(plan, "maxP99Rise"))}, all together QPS -${formatPercent(gate.maxOverallQpsDrop)}`,
    "",
    `${plan.cells.length} ${plan.cells.length === 1 ? "cell" : "cells"}:`,
    ...plan.cells.map((cell) => {
      const { connection, limits, addedByHead } = plan.config.scenarios.find(({ name }) => name === cell.scenario) ?? {};
      if (addedByHead) return `  ${cell.id.padEnd(width)}  ${cell.model}, ${connection}, new: shown, not judged`;
      const gated = [cell.model === "open" ? "" : "QPS", limits?.gateLatency ? "p99" : ""].filter(
        (part) => part !== ""
      );
      return `  ${cell.id.padEnd(width)}  ${cell.model}, ${connection}, gated: ${gated.join(" and ") || "nothing, only shown"}`;
    }),
    "",
    `expected   ${minutes(expected.decided)} for an unchanged tree (blocks of ${minutes(expected.block)}, at least 6), at most the budget of ${minutes(measure.budgetSeconds)}`
  ];
  if (expected.blocksInBudget < 6) {
    const needed = (OVERHEAD.start + 6 * expected.block) / 0.8;
    lines.push(
      `warning    the budget holds ${expected.blocksInBudget} blocks, nothing is decided before 6: give it ${minutes(needed)} or fewer cells`
    );
  }
  lines.push(`written    ${join(work.path, "plan.json")}`);
  return lines.join("\n");
}
function gateMargin(plan, key) {
  const judged = plan.config.scenarios.filter((scenario) => !scenario.addedByHead);
  return Math.max(...judged.map((scenario) => scenario.limits[key]));
}
function minutes(seconds) {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}

export {
  blockSeconds,
  mainDeadline,
  chooseConfirmation,
  expectedBlocks,
  undecided,
  machineFacts,
  OVERHEAD,
  planPhase,
  describePlan,
  minutes
};

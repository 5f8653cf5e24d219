import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  recordsBeside,
  roundSeconds
} from "./shared-uniformInt.js";
import {
  STORED,
  checkImages,
  checkVariant,
  chooseDriver,
  judgeOf,
  layoutFor,
  storedBase,
  wantedDriver,
  whyDriver
} from "./shared-stored-base.js";
import {
  checkCopied,
  checkOut,
  fromPath,
  resolveArms,
  sameTree
} from "./shared-arms~2.js";
import {
  sha256
} from "./shared-work-directory.js";
import {
  formatPercent,
  loadConfig,
  nearest,
  parseDurationMs,
  show
} from "./shared-schemas.js";
import {
  InputError
} from "./shared-errors.js";
import {
  beforePilot,
  buildPlan
} from "./shared-plan.js";
import {
  differingSettings,
  ownOf
} from "./shared-variants.js";
import {
  FIRST_LOOK,
  RECORD_ROUNDS,
  cellIsRed,
  liveTests
} from "./shared-replay.js";
import {
  connectionOf,
  perArm
} from "./shared-arms.js";
import {
  ARMS
} from "./shared-model.js";

// scripts/src/phases/plan.ts
import { randomInt } from "node:crypto";
import { join, resolve } from "node:path";

// scripts/src/core/budget.ts
var CONFIRM_SHARE = 0.2;
var CONFIRM_ROUNDS = 7;
function blockSeconds(cells, overhead) {
  return cells.reduce((sum, cell) => sum + roundSeconds(cell), overhead);
}
function mainDeadline({ stored, config }) {
  return config.measure.budgetSeconds * (stored === void 0 ? 1 - CONFIRM_SHARE : 1);
}
function fewestRounds({ stored }) {
  return stored === void 0 ? FIRST_LOOK : RECORD_ROUNDS;
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
    decided: overhead.start + fewestRounds(plan) * block,
    budget: budgetSeconds,
    blocksInBudget: Math.max(0, Math.floor((mainDeadline(plan) - overhead.start) / block))
  };
}
function expectedBlocks(run) {
  if (run.plan.stored !== void 0) {
    const judged = run.cells.filter(({ status }) => status === "judged");
    return Math.max(0, ...judged.map(({ rounds }) => RECORD_ROUNDS - rounds.length));
  }
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

// scripts/src/phases/variants.ts
var PREFIX = "variant=";
function namedVariants({ base, head }) {
  const name = (option = "") => option.startsWith(PREFIX) ? option.slice(PREFIX.length) : null;
  const names = { base: name(base), head: name(head) };
  return names.base === null && names.head === null ? null : names;
}
async function variantArms(options, names, warn) {
  const { base, baseRef, head } = options;
  const instead = "give --base variant=NAME, or --base DIR for the tree as it is";
  if (base === STORED) throw new InputError(`--base stored: records are of commits, not of variants: ${instead}`);
  if (baseRef !== void 0) throw new InputError(`--base-ref: a variant is compared within one tree: ${instead}`);
  const flag = names.base === null ? "--base" : "--head";
  const other = names.base === null ? base : names.head === null ? head : void 0;
  const tree = await fromPath(flag, other ?? ".");
  if (tree.directory === null) throw new InputError(`${flag}: a variant is one of a tree, not of an image`);
  const judge = await judgeOf({ base: tree, head: tree }, options.config ?? null, warn);
  const { config } = judge;
  const wanted = perArm((arm) => {
    const name = names[arm];
    return name === null ? null : { name, variant: variantOf(config, name, `--${arm}`) };
  });
  const own = {};
  for (const arm of ARMS) if (wanted[arm] !== null) own[arm] = ownOf(config, wanted[arm].variant);
  const targets = Object.values(own).map(({ target }) => target);
  const driver = await chooseDriver(wantedDriver(options.driver, config.target), config.target, targets);
  const arms = perArm((arm) => {
    const asked = wanted[arm];
    if (asked === null) return { ...tree, label: other ?? "no variant" };
    checkVariant(driver, `variants.${asked.name}`, asked.variant);
    return { ...tree, label: PREFIX + asked.name };
  });
  const sameSource = differingSettings({ config, own }).length === 0;
  if (driver === "process" && config.target.prepare.length > 0 && !sameSource) {
    warn(
      "target.prepare runs for both variants in the same tree: what it writes there, such as a cache of the configuration, is the head's for both"
    );
  }
  return { judge, arms, sameSource, driver, own };
}
function variantOf({ variants = {} }, name, flag) {
  const found = Object.hasOwn(variants, name) ? variants[name] : void 0;
  if (found !== void 0) return found;
  const known = Object.keys(variants);
  if (known.length === 0) {
    throw new InputError(
      `${flag}: the configuration has no variants. Write for example variants: { jit: { php: { jit: tracing } } }`
    );
  }
  const near = nearest(name, known);
  throw new InputError(
    `${flag}: allowed after variant= is one of ${known.join(", ")}; got ${show(name)}${near === null ? "" : `. Did you mean ${near}?`}`
  );
}

// scripts/src/phases/plan.ts
var OVERHEAD = { start: 25, block: 4 };
async function planPhase(options, work, warn, env = process.env) {
  const names = namedVariants(options);
  if (names !== null) return await finish(options, work, env, await variantArms(options, names, warn));
  if (options.base === STORED) {
    const base = await storedBase(options, resolve(work.path, "trees"), warn, env);
    if (base.kind === "stored") return await finish(options, work, env, base);
    warn(`${base.why}: measured against ${options.labels?.base ?? options.baseRef} instead`);
    return await planMeasured({ ...options, base: void 0 }, work, warn, env, base.why);
  }
  return await planMeasured(options, work, warn, env);
}
async function planMeasured(options, work, warn, env, why) {
  if (options.base === void 0 && options.baseRef === void 0) {
    const { config } = await loadConfig(options.config ?? null, process.cwd());
    const running = runningArms(options, config);
    if (running !== null) return await finish(options, work, env, { judge: { config }, arms: running });
  }
  const arms = await resolveArms(options, resolve(work.path, "trees"));
  const removeTrees = await checkOut(arms);
  try {
    const judge = await judgeOf(arms, options.config ?? null, warn);
    const running = runningArms(options, judge.config);
    if (running !== null) return await finish(options, work, env, { judge, arms: running });
    checkCopied(arms, judge.config.target.copy);
    const sameSource = await sameTree(arms);
    return await finish(options, work, env, { judge, arms, sameSource, ...why !== void 0 && { why } });
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
async function finish(options, work, env, { judge, arms, sameSource, driver: chosen, own, stored, history: read, why }) {
  const { config, ...rest } = judge;
  const wanted = wantedDriver(options.driver, config.target);
  const driver = chosen ?? await chooseDriver(wanted, config.target);
  checkImages(arms, driver, config.target);
  const budgetSeconds = options.budget === void 0 ? config.measure.budgetSeconds : parseBudget(options.budget);
  const told = stored !== void 0 || why !== void 0 || own !== void 0;
  const beside = told ? null : await recordsBeside(options, arms, config, driver, env);
  const history = read ?? beside?.history;
  const plan = buildPlan(
    {
      seed: randomInt(2 ** 31),
      arms,
      sameSource: sameSource ?? arms.base.label === arms.head.label,
      driver,
      config: {
        ...config,
        target: { ...config.target, driver: wanted },
        measure: { ...config.measure, budgetSeconds }
      },
      layout: layoutFor(config.measure.isolation),
      ...rest,
      ...own === void 0 ? {} : { own },
      ...stored === void 0 ? {} : { stored },
      ...beside === null ? {} : { beside: beside.beside },
      ...why === void 0 ? {} : { insteadOfRecords: why }
    },
    sha256
  );
  work.begin();
  if (history !== void 0) work.writeJson("history", { version: 1, planId: plan.id, ...history });
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
  const { measure } = plan.config;
  const rounds = fewestRounds(plan);
  const cells = beforePilot(plan);
  const expected = expectedSeconds(plan, cells, OVERHEAD);
  const arm = ({ label, commit }) => commit === null ? label : `${label} (${commit.slice(0, 12)})`;
  const why = whyDriver(plan);
  const width = Math.max(...plan.cells.map((cell) => cell.id.length));
  const lines = [
    ...plan.stored === void 0 ? [] : [`base       ${describeRecords(plan.stored, work.readHistory(plan))}`],
    `${plan.stored === void 0 ? "base  " : "anchor"}     ${arm(plan.arms.base)}`,
    `head       ${arm(plan.arms.head)}${plan.sameSource ? "   the same tree: an A/A run" : ""}`,
    ...plan.beside === void 0 ? [] : [`beside     ${describeBeside(plan.beside, work.readHistory(plan))}`],
    ...differingSettings(plan).map(
      ({ key, base, head }) => `differs    ${key}: ${base ?? "not set"} → ${head ?? "not set"}`
    ),
    `driver     ${plan.driver}${why === null ? "" : ` (${why})`}`,
    `isolation  ${plan.layout.note}`,
    `allowed    ${describeMargins(plan)}`,
    "",
    `${plan.cells.length} ${plan.cells.length === 1 ? "cell" : "cells"}:`,
    ...plan.cells.map((cell) => {
      const scenario = plan.config.scenarios.find(({ name }) => name === cell.scenario);
      const { limits, addedByHead } = scenario;
      const connection = [...new Set(ARMS.map((arm2) => connectionOf(plan, scenario, arm2)))].join(" and ");
      if (addedByHead) return `  ${cell.id.padEnd(width)}  ${cell.model}, ${connection}, new: shown, not judged`;
      const gated = [cell.model === "open" ? "" : "QPS", limits.gateLatency ? "p99" : ""].filter((part) => part !== "");
      return `  ${cell.id.padEnd(width)}  ${cell.model}, ${connection}, gated: ${gated.join(" and ") || "nothing, only shown"}`;
    }),
    "",
    `expected   ${minutes(expected.decided)} for an unchanged tree (blocks of ${minutes(expected.block)}, at least ${rounds}), at most the budget of ${minutes(measure.budgetSeconds)}`
  ];
  if (expected.blocksInBudget < rounds) {
    const share = mainDeadline(plan) / measure.budgetSeconds;
    const needed = (OVERHEAD.start + rounds * expected.block) / share;
    lines.push(
      `warning    the budget holds ${expected.blocksInBudget} blocks, nothing is decided before ${rounds}: give it ${minutes(needed)} or fewer cells`
    );
  }
  lines.push(`written    ${join(work.path, "plan.json")}`);
  return lines.join("\n");
}
function describeRecords({ store, branch }, history) {
  const records = history?.records.filter((record) => record.branch === branch) ?? [];
  const newest = records.at(-1);
  if (newest === void 0)
    return `no record of ${branch} in ${store}${history?.missing ? ", which is not there yet" : ""}`;
  const last = `newest ${newest.commit.slice(0, 7)} of ${newest.recordedAt.slice(0, 10)}`;
  return `${records.length} ${records.length === 1 ? "record" : "records"} of ${branch} in ${store}, ${last}`;
}
function describeBeside(beside, history) {
  return beside.unread === void 0 ? `${describeRecords(beside, history)}: shown, not judged` : `no records: ${beside.unread}`;
}
function describeMargins(plan) {
  const { gate, baseline } = plan.config;
  if (plan.stored !== void 0) {
    return `QPS -${formatPercent(baseline.maxQpsDrop)}, p99 +${formatPercent(baseline.maxP99Rise)} against the records`;
  }
  const [qps, p99] = [gateMargin(plan, "maxQpsDrop"), gateMargin(plan, "maxP99Rise")];
  return `QPS -${formatPercent(qps)}, p99 +${formatPercent(p99)}, all together QPS -${formatPercent(gate.maxOverallQpsDrop)}`;
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
  expectedSeconds,
  expectedBlocks,
  undecided,
  OVERHEAD,
  planPhase,
  describePlan,
  minutes
};

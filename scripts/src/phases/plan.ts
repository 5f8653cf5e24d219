import { randomInt } from "node:crypto";
import { join, resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { formatPercent, parseDurationMs } from "../config/units.ts";
import { connectionOf } from "../core/arms.ts";
import { expectedSeconds, fewestRounds, mainDeadline } from "../core/budget.ts";
import { InputError } from "../core/errors.ts";
import {
  ARMS,
  type ArmSource,
  type Beside,
  type Config,
  type DriverName,
  type History,
  type Plan,
  type Scenario,
  type StoredBase,
} from "../core/model.ts";
import { beforePilot, buildPlan } from "../core/plan.ts";
import { differingSettings } from "../core/variants.ts";
import { type ArmOptions, checkCopied, checkOut, resolveArms, sameTree } from "./arms.ts";
import { recordsBeside } from "./beside.ts";
import { checkImages, chooseDriver, wantedDriver, whyDriver } from "./driver.ts";
import { type Judge, judgeOf } from "./judge.ts";
import { layoutFor } from "./machine.ts";
import { STORED, storedBase } from "./stored-base.ts";
import { namedVariants, variantArms } from "./variants.ts";
import { type Env, sha256, type WorkDirectory } from "./work-directory.ts";

export interface PlanOptions extends ArmOptions {
  /** Repository root of perf-gate: its reference application is below it. */
  home: string;
  config?: string | undefined;
  driver?: string | undefined;
  budget?: string | undefined;
  /** Branch whose records count where the configuration names none; absent = the one that is named or checked out. */
  branch?: string | undefined;
}

/** s before the first block: services, census, pilot; and per block besides its slots: restart, k6's start, warm-up. */
export const OVERHEAD = { start: 25, block: 4 };

/** The plan phase: reads the configuration, resolves both arms, writes plan.json. Starts nothing. */
export async function planPhase(
  options: PlanOptions,
  work: WorkDirectory,
  warn: (line: string) => void,
  env: Env = process.env,
): Promise<Plan> {
  const names = namedVariants(options);
  if (names !== null) return await finish(options, work, env, await variantArms(options, names, warn));
  if (options.base === STORED) {
    const base = await storedBase(options, resolve(work.path, "trees"), warn, env);
    if (base.kind === "stored") return await finish(options, work, env, base);
    warn(`${base.why}: measured against ${options.labels?.base ?? options.baseRef} instead`);
    return await planMeasured({ ...options, base: undefined }, work, warn, env, base.why);
  }
  return await planMeasured(options, work, warn, env);
}

/** The plan of a run whose base is measured; `why`, where it was to be records. */
async function planMeasured(
  options: PlanOptions,
  work: WorkDirectory,
  warn: (line: string) => void,
  env: Env,
  why?: string,
): Promise<Plan> {
  if (options.base === undefined && options.baseRef === undefined) {
    // Arms that already run are named by the configuration itself.
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
    return await finish(options, work, env, { judge, arms, sameSource, ...(why !== undefined && { why }) });
  } finally {
    await removeTrees();
  }
}

/** The arms where the configuration says that they run somewhere; null where they are trees to be started. */
function runningArms(options: PlanOptions, { target }: Config): Plan["arms"] | null {
  const wanted = wantedDriver(options.driver, target);
  if (wanted !== "url" && (wanted !== "auto" || target.url === null)) return null;
  const source = (label = ""): ArmSource => ({ label, directory: null, commit: null, repository: null, image: null });
  return { base: source(target.url?.base), head: source(target.url?.head) };
}

/** What is to be measured, and by what it is judged. */
interface Found {
  judge: Judge;
  arms: Plan["arms"];
  /** By their labels where nothing is said. */
  sameSource?: boolean;
  /** Where it was needed, and so chosen, before. */
  driver?: DriverName;
  own?: NonNullable<Plan["own"]>;
  stored?: StoredBase;
  history?: Pick<History, "missing" | "records">;
  /** Why the base is measured though records were asked for. */
  why?: string;
}

async function finish(
  options: PlanOptions,
  work: WorkDirectory,
  env: Env,
  { judge, arms, sameSource, driver: chosen, own, stored, history: read, why }: Found,
): Promise<Plan> {
  const { config, ...rest } = judge;
  const wanted = wantedDriver(options.driver, config.target);
  const driver = chosen ?? (await chooseDriver(wanted, config.target));
  checkImages(arms, driver, config.target);
  const budgetSeconds = options.budget === undefined ? config.measure.budgetSeconds : parseBudget(options.budget);
  // A run for which records were asked for has been told of them; they are of the tree as it is, not of variants.
  const told = stored !== undefined || why !== undefined || own !== undefined;
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
        measure: { ...config.measure, budgetSeconds },
      },
      layout: layoutFor(config.measure.isolation),
      ...rest,
      ...(own === undefined ? {} : { own }),
      ...(stored === undefined ? {} : { stored }),
      ...(beside === null ? {} : { beside: beside.beside }),
      ...(why === undefined ? {} : { insteadOfRecords: why }),
    },
    sha256,
  );
  work.begin();
  if (history !== undefined) work.writeJson("history", { version: 1, planId: plan.id, ...history });
  work.writeJson("plan", plan);
  return plan;
}

function parseBudget(text: string): number {
  const ms = parseDurationMs(text);
  if (ms !== null && ms >= 30_000 && ms <= 86_400_000) return ms / 1000;
  throw new InputError(
    `--budget: allowed is a duration from 30s to 24h such as 10m or 1m30s, got ${JSON.stringify(text)}`,
  );
}

/** What `plan` prints: cells, expected duration, isolation. */
export function describePlan(plan: Plan, work: WorkDirectory): string {
  const { measure } = plan.config;
  const rounds = fewestRounds(plan);
  const cells = beforePilot(plan);
  const expected = expectedSeconds(plan, cells, OVERHEAD);
  const arm = ({ label, commit }: ArmSource) => (commit === null ? label : `${label} (${commit.slice(0, 12)})`);
  const why = whyDriver(plan);
  const width = Math.max(...plan.cells.map((cell) => cell.id.length));
  const lines = [
    ...(plan.stored === undefined ? [] : [`base       ${describeRecords(plan.stored, work.readHistory(plan))}`]),
    `${plan.stored === undefined ? "base  " : "anchor"}     ${arm(plan.arms.base)}`,
    `head       ${arm(plan.arms.head)}${plan.sameSource ? "   the same tree: an A/A run" : ""}`,
    ...(plan.beside === undefined ? [] : [`beside     ${describeBeside(plan.beside, work.readHistory(plan))}`]),
    ...differingSettings(plan).map(
      ({ key, base, head }) => `differs    ${key}: ${base ?? "not set"} → ${head ?? "not set"}`,
    ),
    `driver     ${plan.driver}${why === null ? "" : ` (${why})`}`,
    `isolation  ${plan.layout.note}`,
    `allowed    ${describeMargins(plan)}`,
    "",
    `${plan.cells.length} ${plan.cells.length === 1 ? "cell" : "cells"}:`,
    ...plan.cells.map((cell) => {
      const scenario = plan.config.scenarios.find(({ name }) => name === cell.scenario) as Scenario;
      const { limits, addedByHead } = scenario;
      const connection = [...new Set(ARMS.map((arm) => connectionOf(plan, scenario, arm)))].join(" and ");
      if (addedByHead) return `  ${cell.id.padEnd(width)}  ${cell.model}, ${connection}, new: shown, not judged`;
      const gated = [cell.model === "open" ? "" : "QPS", limits.gateLatency ? "p99" : ""].filter((part) => part !== "");
      return `  ${cell.id.padEnd(width)}  ${cell.model}, ${connection}, gated: ${gated.join(" and ") || "nothing, only shown"}`;
    }),
    "",
    `expected   ${minutes(expected.decided)} for an unchanged tree (blocks of ${minutes(expected.block)}, at least ${rounds}), at most the budget of ${minutes(measure.budgetSeconds)}`,
  ];
  if (expected.blocksInBudget < rounds) {
    const share = mainDeadline(plan) / measure.budgetSeconds;
    const needed = (OVERHEAD.start + rounds * expected.block) / share;
    lines.push(
      `warning    the budget holds ${expected.blocksInBudget} blocks, nothing is decided before ${rounds}: give it ${minutes(needed)} or fewer cells`,
    );
  }
  lines.push(`written    ${join(work.path, "plan.json")}`);
  return lines.join("\n");
}

/** "12 records of main in git:perf-gate-data, newest c0ffee1 of 2026-11-20" */
function describeRecords({ store, branch }: Pick<Beside, "store" | "branch">, history: History | null): string {
  const records = history?.records.filter((record) => record.branch === branch) ?? [];
  const newest = records.at(-1);
  if (newest === undefined)
    return `no record of ${branch} in ${store}${history?.missing ? ", which is not there yet" : ""}`;
  const last = `newest ${newest.commit.slice(0, 7)} of ${newest.recordedAt.slice(0, 10)}`;
  return `${records.length} ${records.length === 1 ? "record" : "records"} of ${branch} in ${store}, ${last}`;
}

function describeBeside(beside: Beside, history: History | null): string {
  return beside.unread === undefined
    ? `${describeRecords(beside, history)}: shown, not judged`
    : `no records: ${beside.unread}`;
}

function describeMargins(plan: Plan): string {
  const { gate, baseline } = plan.config;
  if (plan.stored !== undefined) {
    return `QPS -${formatPercent(baseline.maxQpsDrop)}, p99 +${formatPercent(baseline.maxP99Rise)} against the records`;
  }
  const [qps, p99] = [gateMargin(plan, "maxQpsDrop"), gateMargin(plan, "maxP99Rise")];
  return `QPS -${formatPercent(qps)}, p99 +${formatPercent(p99)}, all together QPS -${formatPercent(gate.maxOverallQpsDrop)}`;
}

function gateMargin(plan: Plan, key: "maxQpsDrop" | "maxP99Rise"): number {
  const judged = plan.config.scenarios.filter((scenario) => !scenario.addedByHead);
  return Math.max(...judged.map((scenario) => scenario.limits[key]));
}

/** "4:05 min", "38 s". */
export function minutes(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}

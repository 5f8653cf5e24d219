import { randomInt } from "node:crypto";
import { join, resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { formatPercent, parseDurationMs } from "../config/units.ts";
import { expectedSeconds } from "../core/budget.ts";
import { InputError } from "../core/errors.ts";
import type { ArmSource, Config, Plan } from "../core/model.ts";
import { beforePilot, buildPlan } from "../core/plan.ts";
import { type ArmOptions, checkCopied, checkOut, resolveArms, sameTree } from "./arms.ts";
import { checkImages, chooseDriver, wantedDriver, whyDriver } from "./driver.ts";
import { type Judge, judgeOf } from "./judge.ts";
import { layoutFor } from "./machine.ts";
import { sha256, type WorkDirectory } from "./work-directory.ts";

export interface PlanOptions extends ArmOptions {
  config?: string | undefined;
  driver?: string | undefined;
  budget?: string | undefined;
}

/** s before the first block: services, census, pilot; and per block besides its slots: restart, k6's start, warm-up. */
export const OVERHEAD = { start: 25, block: 4 };

/** The plan phase: reads the configuration, resolves both arms, writes plan.json. Starts nothing. */
export async function planPhase(
  options: PlanOptions,
  work: WorkDirectory,
  warn: (line: string) => void,
): Promise<Plan> {
  if (options.base === undefined && options.baseRef === undefined) {
    // Arms that already run are named by the configuration itself.
    const { config } = await loadConfig(options.config ?? null, process.cwd());
    const running = runningArms(options, config);
    if (running !== null) return await finish(options, work, { config }, running);
  }
  const arms = await resolveArms(options, resolve(work.path, "trees"));
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

/** The arms where the configuration says that they run somewhere; null where they are trees to be started. */
function runningArms(options: PlanOptions, { target }: Config): Plan["arms"] | null {
  const wanted = wantedDriver(options.driver, target);
  if (wanted !== "url" && (wanted !== "auto" || target.url === null)) return null;
  const source = (label = ""): ArmSource => ({ label, directory: null, commit: null, repository: null, image: null });
  return { base: source(target.url?.base), head: source(target.url?.head) };
}

async function finish(
  options: PlanOptions,
  work: WorkDirectory,
  { config, ...rest }: Judge,
  arms: Plan["arms"],
  sameSource = arms.base.label === arms.head.label,
): Promise<Plan> {
  const wanted = wantedDriver(options.driver, config.target);
  const driver = await chooseDriver(wanted, config.target);
  checkImages(arms, driver, config.target);
  const budgetSeconds = options.budget === undefined ? config.measure.budgetSeconds : parseBudget(options.budget);
  const plan = buildPlan(
    {
      seed: randomInt(2 ** 31),
      arms,
      sameSource,
      driver,
      config: {
        ...config,
        target: { ...config.target, driver: wanted },
        measure: { ...config.measure, budgetSeconds },
      },
      layout: layoutFor(config.measure.isolation),
      ...rest,
    },
    sha256,
  );
  work.begin();
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
  const { measure, gate } = plan.config;
  const cells = beforePilot(plan);
  const expected = expectedSeconds(plan, cells, OVERHEAD);
  const arm = ({ label, commit }: ArmSource) => (commit === null ? label : `${label} (${commit.slice(0, 12)})`);
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
      const { connection, limits, addedByHead } =
        plan.config.scenarios.find(({ name }) => name === cell.scenario) ?? {};
      if (addedByHead) return `  ${cell.id.padEnd(width)}  ${cell.model}, ${connection}, new: shown, not judged`;
      const gated = [cell.model === "open" ? "" : "QPS", limits?.gateLatency ? "p99" : ""].filter(
        (part) => part !== "",
      );
      return `  ${cell.id.padEnd(width)}  ${cell.model}, ${connection}, gated: ${gated.join(" and ") || "nothing, only shown"}`;
    }),
    "",
    `expected   ${minutes(expected.decided)} for an unchanged tree (blocks of ${minutes(expected.block)}, at least 6), at most the budget of ${minutes(measure.budgetSeconds)}`,
  ];
  if (expected.blocksInBudget < 6) {
    const needed = (OVERHEAD.start + 6 * expected.block) / 0.8;
    lines.push(
      `warning    the budget holds ${expected.blocksInBudget} blocks, nothing is decided before 6: give it ${minutes(needed)} or fewer cells`,
    );
  }
  lines.push(`written    ${join(work.path, "plan.json")}`);
  return lines.join("\n");
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

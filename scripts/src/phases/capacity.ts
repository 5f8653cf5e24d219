import { show } from "../config/leaves.ts";
import { nearest } from "../config/suggest.ts";
import { parseDurationMs, parsePercent } from "../config/units.ts";
import {
  begin,
  type Capacity,
  type CapacityLimits,
  type CapacityStop,
  capacityOf,
  causeOf,
  type MeasuredStep,
  next,
  outcomeOf,
  type StepLine,
  stepTimes,
  take,
} from "../core/capacity.ts";
import { InputError } from "../core/errors.ts";
import type { Config, Plan, Scenario } from "../core/model.ts";
import { buildPlan } from "../core/plan.ts";
import { type Rig, runStep } from "../measure/block.ts";
import {
  type CapacityReport,
  heldWhile,
  renderCapacity,
  renderCapacityMarkdown,
  stepSentence,
} from "../report/capacity.ts";
import { oneLine } from "../report/escape.ts";
import { checkOut, fromPath, treesOf } from "./arms.ts";
import { chooseDriver, wantedDriver, whyDriver } from "./driver.ts";
import { judgeOf } from "./judge.ts";
import { layoutFor } from "./machine.ts";
import { type Context, onMachine, startRig } from "./measure.ts";
import { minutes } from "./plan.ts";
import type { Progress } from "./progress.ts";
import { sha256, type WorkDirectory } from "./work-directory.ts";

export interface CapacityOptions {
  /** Tree of the service; the current directory where it is absent. */
  head?: string | undefined;
  config?: string | undefined;
  driver?: string | undefined;
  /** Names of scenarios; all where it is absent. */
  scenario?: string[] | undefined;
  maxP95?: string | undefined;
  maxCpu?: string | undefined;
  approaches?: string | undefined;
}

/** What is to be found out, and how. */
export interface CapacityPlan {
  plan: Plan;
  limits: CapacityLimits;
  approaches: number;
}

/** Most VUs of a scenario that is not open, as its `max-vus` is by default. */
const MAX_VUS = 200;
/** For the estimate: steps of a first approach, up to 1,000/s, and of a later one; s of a step with all around it. */
const EXPECTED = { first: 16, later: 10, step: 7, start: 25 };

/**
 * The plan of a search: both arms are the same tree, of which one is loaded, and every scenario is open. Starts and
 * writes nothing.
 *
 * @throws InputError for an option, a tree or a configuration that cannot be used
 */
export async function planCapacity(options: CapacityOptions, warn: (line: string) => void): Promise<CapacityPlan> {
  const limits = {
    maxP95Ms: options.maxP95 === undefined ? null : parseP95(options.maxP95),
    maxCpu: options.maxCpu === undefined ? null : parseShare(options.maxCpu),
  };
  const approaches = parseApproaches(options.approaches ?? "5");
  const tree = await fromPath("--head", options.head ?? ".");
  if (tree.directory === null) {
    throw new InputError("--head: capacity is that of a tree. Give a directory whose compose file starts the image");
  }
  const { config } = await judgeOf({ base: tree, head: tree }, options.config ?? null, warn);
  const driver = await chooseDriver(wantedDriver(options.driver, config.target), config.target);
  const source = driver === "url" ? { ...tree, label: config.target.url?.head ?? tree.label, commit: null } : tree;
  const plan = buildPlan(
    {
      // Nothing is drawn.
      seed: 0,
      arms: { base: source, head: source },
      sameSource: true,
      driver,
      config: { ...config, scenarios: chosen(config, options.scenario).map(opened) },
      layout: layoutFor(config.measure.isolation),
    },
    sha256,
  );
  return { plan, limits, approaches };
}

/** The named scenarios in the configuration's order. */
function chosen({ scenarios }: Config, names: readonly string[] | undefined): Scenario[] {
  if (names === undefined) return scenarios;
  const known = scenarios.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    throw new InputError(
      `--scenario: allowed is one of ${known.map(show).join(", ")}; got ${show(name)}` +
        `${near === null ? "" : `. Did you mean ${show(near)}?`}`,
    );
  }
  return scenarios.filter(({ name }) => names.includes(name));
}

function opened(scenario: Scenario): Scenario {
  const maxVus = scenario.load.model === "open" ? scenario.load.maxVus : MAX_VUS;
  return { ...scenario, load: { model: "open", rates: ["auto"], maxVus } };
}

function parseP95(text: string): number {
  const ms = parseDurationMs(text);
  if (ms !== null && ms >= 1 && ms <= 60_000) return ms;
  throw new InputError(`--max-p95: allowed is a duration from 1ms to 1m such as 300ms, got ${JSON.stringify(text)}`);
}

function parseShare(text: string): number {
  const share = parsePercent(text);
  if (share !== null && share > 0 && share <= 1) return share;
  throw new InputError(`--max-cpu: allowed is a percentage above 0% up to 100%, got ${JSON.stringify(text)}`);
}

function parseApproaches(text: string): number {
  if (/^([1-9]|1\d|20)$/.test(text)) return Number(text);
  throw new InputError(`--approaches: allowed is a whole number from 1 to 20, got ${JSON.stringify(text)}`);
}

/** What `capacity --dry-run` prints. */
export function describeCapacity({ plan, limits, approaches }: CapacityPlan): string {
  const { scenarios, measure } = plan.config;
  const { label, commit } = plan.arms.head;
  const why = whyDriver(plan);
  const steps = EXPECTED.first + (approaches - 1) * EXPECTED.later;
  const expected = EXPECTED.start + scenarios.length * steps * EXPECTED.step;
  const perScenario = `${approaches} ${approaches === 1 ? "approach" : "approaches"} of each`;
  return [
    `head       ${label}${commit === null ? "" : ` (${commit.slice(0, 12)})`}`,
    `driver     ${plan.driver}${why === null ? "" : ` (${why})`}`,
    `isolation  ${plan.layout.note}`,
    `held while ${heldWhile(limits, measure.maxErrorRate)}`,
    "",
    `${scenarios.length} ${scenarios.length === 1 ? "scenario" : "scenarios"}, ${perScenario}:`,
    ...scenarios.map(({ name, connection }) => `  ${oneLine(name)}  ${connection}`),
    "",
    `expected   ${minutes(expected)} where each holds about 1,000/s; spoilt steps are measured again`,
  ].join("\n");
}

/**
 * Finds the highest arrival rate that the service holds in each scenario, whose approaches take turns. Each
 * step is appended to steps.ndjson as it ends; capacity.json and capacity.md tell what is known at the end, however it
 * came. Everything it started is gone when it returns.
 *
 * @returns what was found, and the text for the terminal
 * @throws MeasureError where the service cannot be started or dies; what was found is written before
 */
export async function capacityPhase(
  search: CapacityPlan,
  work: WorkDirectory,
  home: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<{ capacity: Capacity; text: string }> {
  return await onMachine(search.plan.driver, work, { home, progress, signal }, (context) => {
    work.begin();
    work.writeJson("plan", search.plan);
    return capacityLocked(search, work, context);
  });
}

async function capacityLocked(
  search: CapacityPlan,
  work: WorkDirectory,
  context: Context,
): Promise<{ capacity: Capacity; text: string }> {
  const { plan, limits } = search;
  const { progress, signal } = context;
  const started = performance.now();
  let rig: Rig | null = null;
  const steps: MeasuredStep[] = [];
  const add = (line: StepLine) => {
    work.appendSteps([line]);
    if (line.kind === "step") steps.push(line);
  };
  const finish = (stop: CapacityStop) => {
    const wallSeconds = (performance.now() - started) / 1000;
    add({ kind: "stop", wallSeconds, ...stop });
    const capacity = capacityOf(plan, limits, steps, stop, wallSeconds);
    const report: CapacityReport = { capacity, environment: rig && work.readEnvironment(plan) };
    work.writeJson("capacity", capacity);
    work.write("capacity.md", renderCapacityMarkdown(report));
    return { capacity, text: renderCapacity(report) };
  };
  const removeTrees = await checkOut(treesOf(plan), plan.config.target.copy, progress.warn);
  try {
    rig = await startRig(plan, work, context);
    add({ kind: "begin", version: 1, planId: plan.id, startedAt: Date.now(), limits, approaches: search.approaches });
    await approachAll(rig, search, add, progress);
    return finish({ reason: signal.aborted ? "interrupted" : "done", detail: null });
  } catch (error) {
    if (signal.aborted) return finish({ reason: "interrupted", detail: null });
    const detail = (error as Error).message.slice(0, 5000);
    // The first error is the one to tell.
    if (steps.length > 0) tryQuietly(() => finish({ reason: "failed", detail }));
    throw error;
  } finally {
    progress.done();
    await rig?.target.close();
    await removeTrees();
  }
}

async function approachAll(
  rig: Rig,
  { limits, approaches }: CapacityPlan,
  add: (line: MeasuredStep) => void,
  progress: Progress,
): Promise<void> {
  const found = new Map<string, number>();
  for (let number = 0; number < approaches; number++) {
    for (const scenario of rig.plan.config.scenarios) {
      const held = await approachOne(rig, scenario, number, found.get(scenario.name) ?? null, limits, add, progress);
      if (rig.signal.aborted) return;
      if (held !== null) found.set(scenario.name, held);
    }
  }
}

/** One approach to what a scenario holds; @returns that, requests/s, null where nothing held. */
async function approachOne(
  rig: Rig,
  scenario: Scenario,
  number: number,
  before: number | null,
  limits: CapacityLimits,
  add: (line: MeasuredStep) => void,
  progress: Progress,
): Promise<number | null> {
  const { plan, target, signal } = rig;
  const { name, work } = scenario;
  const cell = plan.cells.find((candidate) => candidate.scenario === name)?.id;
  if (cell === undefined) throw new Error(`plan: no cell of ${name}`);
  const approach = begin(before);
  // What a step that was too much leaves behind, such as a full backlog, would be the next one's to answer.
  let fresh = true;
  for (let rate = next(approach); rate !== null && !signal.aborted; rate = next(approach)) {
    if (fresh) await target.restart();
    const times = stepTimes(approach, limits);
    const warmUpSeconds = fresh ? plan.config.measure.warmUpSeconds : 0;
    const sample = await runStep(rig, { cell, arm: "head", rate, ...times, warmUpSeconds }, number);
    if (sample === null || signal.aborted) break;
    const due = work.kind === "flow" ? null : rate * times.seconds;
    const cause = causeOf(plan, sample, due, approach.calmP95Ms, limits);
    const step: MeasuredStep = { kind: "step", scenario: name, approach: number, rate, fresh, cause, sample };
    add(step);
    take(approach, outcomeOf(step));
    progress.step(stepSentence(step));
    fresh = cause !== null;
  }
  return approach.held;
}

function tryQuietly(action: () => void): void {
  try {
    action();
  } catch {
    // what led here is told
  }
}

import * as z from "zod";
import { parseConfig, zeroConfig } from "../config/load.ts";
import { compare } from "../core/compare.ts";
import { configEdits } from "../core/edits.ts";
import { environmentWarnings } from "../core/environment.ts";
import { describeLayout } from "../core/layout.ts";
import type {
  Arm,
  Beside,
  Census,
  Comparison,
  Config,
  Environment,
  History,
  Layout,
  Plan,
  SampleLine,
  StoredBase,
} from "../core/model.ts";
import { buildPlan, cellsOf, planId } from "../core/plan.ts";
import { REFERENCE, suitesOf } from "../core/record.ts";
import type { ArtifactFiles } from "../github/artifact.ts";
import { readLines } from "./intake-samples.ts";
import {
  type ArtifactPlan,
  environmentSchema,
  MOST,
  parseJson,
  parseWith,
  planSchema,
  refuse,
  withNumbers,
} from "./intake-schema.ts";
import { censusSchema } from "./sample-schema.ts";
import { sha256 } from "./work-directory.ts";

/** What the job that holds the write token knows by itself. */
export interface Trusted {
  /** Text of the configuration at the base commit; null = there is none: the zero configuration. */
  config: string | null;
  /** Its path in the repository, for messages. */
  file: string;
  /** The two sides as GitHub's API names them. */
  arms: Record<Arm, { label: string; commit: string | null }>;
  /** The records of `baseline.store` of the configuration, and whose count; absent = they were not asked for, or read. */
  history?: Pick<History, "missing" | "records"> & Pick<StoredBase, "store" | "branch">;
  /** The code that ran is a branch's own, and not a stranger's: the name of the CPU is taken as it is. */
  isOwn?: true;
}

/**
 * What records are to a run: `judged` by them, it can be judged only by who reads them; `beside` it, they are shown by who
 * can read them; null = nothing.
 */
export function usesRecords({ plan }: ArtifactFiles): "judged" | "beside" | null {
  const { stored, beside } = parseWith(planSchema, "plan.json", parseJson("plan.json", plan));
  return stored !== undefined ? "judged" : beside !== undefined ? "beside" : null;
}

/** A stranger's run, judged by the trusted configuration; all that a report is made of. */
export interface Intake {
  plan: Plan;
  comparison: Comparison;
  census: Census | null;
  environment: Environment | null;
  lines: SampleLine[];
}

/**
 * Judges a run whose files a stranger may have written. Taken from them are numbers, true and false, and words out of
 * short lists; names, margins, limits and commits come from `trusted`, and so does every text but versions. The cells
 * have to be those that the trusted configuration plans. Numbers can still be forged by who ran the code; what is
 * reported of them is said by us.
 *
 * @throws InputError where a file is missing, damaged or of another run, or the trusted configuration cannot be used;
 *   the message holds nothing that the files said
 */
export function intake(files: ArtifactFiles, trusted: Trusted): Intake {
  const raw = parseJson("plan.json", files.plan);
  const brought = parseWith(planSchema, "plan.json", raw);
  if (planId(raw as Plan, sha256) !== brought.id) throw refuse("plan.json", "its content does not match its id");
  // The anchor of a run with records may be another application; variants are not what a change is judged by.
  if (brought.own !== undefined && (brought.stored === undefined || brought.own.head !== undefined)) {
    throw refuse("plan.json", "its two sides were not started alike: the job that measured it has a verdict");
  }
  const config = trustedConfig(trusted);
  const plan = trustedPlan(brought, config, trusted);
  const added = checkCells(brought, plan, trusted.config === null);
  const lines = readLines(files.samples ?? "", { plan, planId: brought.id, added: added.cells });
  const census = files.census === null ? null : readCensus(files.census, brought.id, plan, added.scenarios);
  const environment = files.environment === null ? null : readEnvironment(files.environment, brought.id, plan, trusted);
  checkComplete(lines, census, environment);
  const history = trusted.history === undefined ? null : { version: 1 as const, planId: plan.id, ...trusted.history };
  const comparison = compare({ plan, census, environment, lines, history, damaged: [] });
  return { plan, comparison, census, environment, lines };
}

/** The configuration that a stranger's run is judged by. */
export function trustedConfig({ config, file }: Pick<Trusted, "config" | "file">): Config {
  return config === null ? zeroConfig() : parseConfig(config, { file, directory: "/", isFile: () => true });
}

function trustedPlan(brought: ArtifactPlan, config: Config, trusted: Trusted): Plan {
  const stored = trustedStored(brought, config, trusted);
  const beside = stored === undefined ? trustedBeside(config, trusted) : undefined;
  const { head } = trusted.arms;
  const base = stored === undefined ? trusted.arms.base : anchorArm(stored);
  const source = (arm: { label: string; commit: string | null }) => ({
    ...arm,
    directory: null,
    repository: null,
    image: null,
  });
  const { budgetSeconds } = brought.config.measure;
  const measure = { ...config.measure, budgetSeconds };
  const plan = {
    seed: brought.seed,
    arms: { base: source(base), head: source(head) },
    sameSource: stored === undefined && base.commit !== null && base.commit === head.commit,
    driver: brought.driver,
    config: { ...config, measure },
    layout: layoutOf(brought.layout),
    ...(stored === undefined ? {} : { stored }),
    ...(beside === undefined ? {} : { beside }),
  };
  const headConfig = headConfigOf(brought, plan.config);
  const edited = headConfig !== undefined && configEdits({ config: plan.config, headConfig }).length > 0;
  return buildPlan(edited ? { ...plan, headConfig } : plan, sha256);
}

/**
 * What a run with records is compared by: names, margins and records of our own. Which commit or image the anchor's
 * name stood for, and the hash of a flow, are the run's: like its numbers they can be forged, and are hex digits.
 */
function trustedStored(brought: ArtifactPlan, config: Config, { history }: Trusted): StoredBase | undefined {
  if (brought.stored === undefined) return undefined;
  const label = config.baseline.anchor ?? REFERENCE;
  if ((brought.own !== undefined) !== (label === REFERENCE)) {
    throw refuse("plan.json", "it was measured against another anchor than that of the configuration at the base");
  }
  if (history === undefined) throw refuse("plan.json", "it was compared with stored records, which are not read here");
  const { anchor, suites: theirs } = brought.stored;
  const own = suitesOfRequests(config);
  const suites = Object.fromEntries(cellsOf(config).map(({ id }) => [id, own[id] ?? theirs[id] ?? ""]));
  return { anchor: { label, id: anchor.id }, store: history.store, branch: history.branch, suites };
}

/** Everything of it is ours: of a cell with a flow, whose text is not here, nothing is shown. */
function trustedBeside(config: Config, { history }: Trusted): Beside | undefined {
  return history && { store: history.store, branch: history.branch, suites: suitesOfRequests(config) };
}

/** Of every cell with a request: the text of a flow is not here. */
const suitesOfRequests = (config: Config): Record<string, string> => suitesOf(config, () => null, sha256);

function anchorArm({ anchor }: StoredBase): { label: string; commit: string | null } {
  return { label: anchor.label, commit: anchor.id.startsWith("sha256:") ? null : anchor.id };
}

/**
 * What the run's own configuration says, as far as it is numbers: the head's where that differs from what was measured
 * by. Scenarios that the trusted one does not have are counted and get no name.
 */
function headConfigOf(brought: ArtifactPlan, config: Config): Config | null | undefined {
  if (brought.headConfig === null) return null;
  const own = brought.headConfig ?? brought.config;
  const known = new Set(config.scenarios.map(({ name }) => name));
  const more = new Set(own.scenarios.map(({ name }) => name).filter((name) => !known.has(name))).size;
  const rebuilt = withNumbers(config, own);
  const [first] = config.scenarios;
  const unnamed = first === undefined ? [] : Array.from({ length: more }, () => ({ ...first, name: "" }));
  return { ...rebuilt, scenarios: [...rebuilt.scenarios, ...unnamed] };
}

/** CPUs as numbers; the sentence about them is ours. */
function layoutOf({ generator, target, services, isolated }: ArtifactPlan["layout"]): Layout {
  const layout = describeLayout({ generator, target, services });
  if (isolated || !layout.isolated) return layout;
  return { ...layout, isolated: false, note: `${layout.note}; they share a physical core: expect wide intervals` };
}

/** The cells and scenarios that only the head's configuration has; every other must be the trusted plan's. */
function checkCells(
  brought: ArtifactPlan,
  plan: Plan,
  unconfigured: boolean,
): { cells: Set<string>; scenarios: Set<string> } {
  const scenarios = new Set(brought.config.scenarios.flatMap((one) => (one.addedByHead ? [one.name] : [])));
  const own = brought.cells.filter(({ scenario }) => !scenarios.has(scenario));
  const same = own.length === plan.cells.length && own.every(({ id }, i) => id === plan.cells[i]?.id);
  if (!same) {
    const came = new Set(own.map(({ id }) => id));
    const missing = plan.cells.filter(({ id }) => !came.has(id)).length;
    const unknown = own.filter(({ id }) => !plan.cells.some((cell) => cell.id === id)).length;
    const counts = `${missing} missing, ${unknown} unknown, or in another order`;
    const fix = unconfigured
      ? "The base has no configuration yet, and the head's own cannot judge it here: the job that measured it has a verdict"
      : "Run the measuring job again: it takes the base's configuration as it is now";
    throw refuse("plan.json", `its cells are not those of the configuration at the base (${counts}). ${fix}`);
  }
  const cells = brought.cells.filter(({ scenario }) => scenarios.has(scenario)).map(({ id }) => id);
  return { cells: new Set(cells), scenarios };
}

function readCensus(text: string, id: string, plan: Plan, added: ReadonlySet<string>): Census {
  const file = "census.json";
  const census = parseWith(censusSchema, file, parseJson(file, text));
  if (census.planId !== id) throw refuse(file, "it belongs to another plan than plan.json");
  if (census.scenarios.length > MOST.scenarios) throw refuse(file, `it has more than ${MOST.scenarios} scenarios`);
  const found = new Map(census.scenarios.map((entry) => [entry.scenario, entry]));
  const names = plan.config.scenarios.map(({ name }) => name);
  const known = [...found.keys()].every((name) => names.includes(name) || added.has(name));
  const scenarios = names.flatMap((name) => found.get(name) ?? []);
  if (!known || found.size !== census.scenarios.length || scenarios.length !== names.length) {
    throw refuse(file, "its scenarios are not those of the plan");
  }
  const statuses = scenarios.flatMap(({ arms }) => [arms.base.statuses, arms.head.statuses]);
  if (statuses.some((codes) => codes.length > 100 || codes.some((code) => code > 999))) {
    throw refuse(file, "a status in it is none of HTTP");
  }
  return { ...census, planId: plan.id, scenarios };
}

function readEnvironment(text: string, id: string, plan: Plan, trusted: Trusted): Environment {
  const file = "environment.json";
  const raw = parseJson(file, text);
  const environment = parseWith(environmentSchema, file, raw);
  if (environment.planId !== id) throw refuse(file, "it belongs to another plan than plan.json");
  const machine = { ...environment.machine, ...namedCpu(raw, trusted) };
  // How the reference application is started is no part of the configuration.
  const php = plan.stored?.anchor.label === REFERENCE ? { ...environment.php, base: null } : environment.php;
  return { ...environment, machine, planId: plan.id, warnings: environmentWarnings(plan, php) };
}

const machineNames = z.object({ machine: z.object({ cpuModel: z.string().regex(/^[\x20-\x7e]{1,120}$/) }) });

/** Records are told apart by the CPU: a name of unusual words is kept where a record has it, or it is no stranger's. */
function namedCpu(raw: unknown, { history, isOwn }: Trusted): { cpuModel?: string } {
  const parsed = machineNames.safeParse(raw);
  if (!parsed.success) return {};
  const { cpuModel } = parsed.data.machine;
  const recorded = history?.records.some(({ conditions }) => conditions.must.cpuModel === cpuModel) ?? false;
  return isOwn || recorded ? { cpuModel } : {};
}

/** A run writes both before its first sample; without the census a gate on counts would pass unseen. */
function checkComplete(lines: readonly SampleLine[], census: Census | null, environment: Environment | null): void {
  if (!lines.some(({ kind }) => kind === "pilot" || kind === "slot")) return;
  if (census === null) throw refuse("census.json", "it is missing, though the run has samples");
  if (environment === null) throw refuse("environment.json", "it is missing, though the run has samples");
}

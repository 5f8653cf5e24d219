import type { Config, ConfigEdit, Limits, Plan, Scenario } from "./model.ts";

/** Longest value that is quoted; letters. */
const LONGEST = 80;

/** Settings of `gate` that a scenario may set for itself, as the file calls them. */
const LIMITS: [key: string, say: (limits: Limits) => string | null][] = [
  ["max-qps-drop", ({ maxQpsDrop }) => percent(maxQpsDrop)],
  ["max-p99-rise", ({ maxP99Rise }) => percent(maxP99Rise)],
  ["min-qps", ({ minQps }) => say(minQps)],
  ["max-p99", ({ maxP99Ms }) => (maxP99Ms === null ? null : `${maxP99Ms}ms`)],
  ["latency", ({ gateLatency }) => say(gateLatency)],
];

/** Everything that is there once and can be said in a few letters. */
const SINGLE: [key: string, say: (config: Config) => string | null][] = [
  ["gate.max-overall-qps-drop", ({ gate }) => percent(gate.maxOverallQpsDrop)],
  ["gate.on-inconclusive", ({ gate }) => gate.onInconclusive],
  ["gate.max-added.sql-statements", ({ gate }) => say(gate.maxAdded.sqlStatements)],
  ["gate.max-added.db-connections", ({ gate }) => say(gate.maxAdded.dbConnections)],
  ["gate.max-added.redis-commands", ({ gate }) => say(gate.maxAdded.redisCommands)],
  ["gate.max-added.response-bytes", ({ gate }) => say(gate.maxAdded.responseBytes)],
  ["measure.rounds", ({ measure }) => say(measure.maxRounds)],
  ["measure.slot", ({ measure }) => (measure.slotSeconds === "auto" ? "auto" : `${measure.slotSeconds}s`)],
  ["measure.warm-up", ({ measure }) => `${measure.warmUpSeconds}s`],
  ["measure.max-error-rate", ({ measure }) => percent(measure.maxErrorRate)],
  ["measure.max-foreign-cpu", ({ measure: { maxForeignCores: cores } }) => (cores === null ? "off" : percent(cores))],
  ["measure.isolation", ({ measure }) => say(measure.isolation)],
  ["measure.trace", ({ measure }) => say(measure.trace ?? false)],
  ["measure.outputs", ({ measure }) => measure.outputs?.join(", ") ?? null],
  ["baseline.store", ({ baseline }) => baseline.store],
  ["baseline.branch", ({ baseline }) => baseline.branch],
  ["baseline.anchor", ({ baseline }) => baseline.anchor],
  ["baseline.max-qps-drop", ({ baseline }) => percent(baseline.maxQpsDrop)],
  ["baseline.max-p99-rise", ({ baseline }) => percent(baseline.maxP99Rise)],
  ["baseline.noise", ({ baseline }) => percent(baseline.noise)],
];

/**
 * What the head's configuration would change: margins first, then what is measured and how. Budget and driver are no
 * part of it, as each run may have its own.
 */
export function configEdits({ config, headConfig }: Pick<Plan, "config" | "headConfig">): ConfigEdit[] {
  if (headConfig === undefined) return [];
  if (headConfig === null) return [{ key: "the whole file", base: "there", head: null }];
  const base = { ...config, scenarios: config.scenarios.filter((scenario) => !scenario.addedByHead) };
  const others = new Map(headConfig.scenarios.map((scenario) => [scenario.name, scenario]));
  const pairs = base.scenarios.flatMap((scenario): [Scenario, Scenario][] => {
    const other = others.get(scenario.name);
    return other === undefined ? [] : [[scenario, other]];
  });
  return [
    ...LIMITS.flatMap(([key, sayLimit]) => limitEdits(pairs, key, sayLimit)),
    ...SINGLE.flatMap(([key, sayOne]) => edit(key, sayOne(base), sayOne(headConfig))),
    ...scenarioEdits(base.scenarios, headConfig.scenarios, pairs),
    ...targetEdits(base, headConfig),
  ];
}

/** One edit of `gate` where every scenario has the same one, else an edit per scenario. */
function limitEdits(
  pairs: readonly [Scenario, Scenario][],
  key: string,
  sayLimit: (limits: Limits) => string | null,
): ConfigEdit[] {
  const edits = pairs.flatMap(([base, head]) =>
    edit(`${nameOf(base)}.gate.${key}`, sayLimit(base.limits), sayLimit(head.limits)),
  );
  const [first] = edits;
  const alike = edits.length === pairs.length && edits.every((e) => e.base === first?.base && e.head === first.head);
  return first !== undefined && alike ? [{ ...first, key: `gate.${key}` }] : edits;
}

function scenarioEdits(
  base: readonly Scenario[],
  head: readonly Scenario[],
  pairs: readonly [Scenario, Scenario][],
): ConfigEdit[] {
  const known = new Set(base.map(({ name }) => name));
  const kept = new Set(pairs.map(([{ name }]) => name));
  const added = head.filter(({ name }) => !known.has(name)).length;
  return [
    ...(added > 0 ? [{ key: "scenarios, added", base: null, head: String(added) }] : []),
    ...base.filter(({ name }) => !kept.has(name)).map((one) => ({ key: nameOf(one), base: "there", head: null })),
    ...pairs.flatMap(([one, other]) =>
      (["work", "connection", "checks", "load"] as const).flatMap((part) =>
        edit(`${nameOf(one)}, ${part === "work" ? "request" : part}`, say(one[part]), say(other[part])),
      ),
    ),
  ];
}

function targetEdits(base: Config, head: Config): ConfigEdit[] {
  const keys = Object.keys(base.target) as (keyof Config["target"])[];
  const shared = keys.filter((key) => key !== "driver");
  return shared.flatMap((key) => edit(`target.${key}`, say(base.target[key]), say(head.target[key])));
}

/** The edit of a setting, its values cut where they are long; none where both are the same. */
export function edit(key: string, base: string | null, head: string | null): ConfigEdit[] {
  return base === head ? [] : [{ key, base: cut(base), head: cut(head) }];
}

const nameOf = ({ name }: Scenario): string => `scenarios[${JSON.stringify(name)}]`;
const percent = (ratio: number): string => `${Number((ratio * 100).toPrecision(6))}%`;

function say(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function cut(text: string | null): string | null {
  if (text === null || text.length <= LONGEST) return text;
  return `${[...text.slice(0, LONGEST)].slice(0, -1).join("")}…`;
}

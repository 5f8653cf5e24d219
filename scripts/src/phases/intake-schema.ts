import * as z from "zod";
import { InputError } from "../core/errors.ts";
import type { Config, Environment, GateConfig, Limits, MeasureConfig } from "../core/model.ts";

/** More than any run has; all that is above is refused before it is looked at. */
export const MOST = {
  cells: 2000,
  scenarios: 400,
  lines: 100_000,
  blocks: 5000,
  lineLetters: 512 * 1024,
  values: 50_000,
} as const;
/** Largest number of any kind: 10^15 bytes, requests or ms are no measurement. */
const LARGEST = 1e15;
/** The deepest file of a run has half as many levels. */
const DEEPEST = 20;

/** An error about a file of a stranger's run; `what` must not quote it. */
export function refuse(file: string, what: string): InputError {
  return new InputError(`${file} of the run cannot be used: ${what}`);
}

/** JSON of a stranger, without its text in the error. */
export function parseJson(file: string, text: string): unknown {
  const { deepest, commas } = shapeOf(text);
  if (deepest > DEEPEST) throw refuse(file, `it is nested deeper than ${DEEPEST} levels`);
  if (commas > MOST.values) throw refuse(file, `it has more than ${MOST.values} values`);
  try {
    return JSON.parse(text);
  } catch {
    throw refuse(file, "it is not JSON");
  }
}

/** Checks a value against its schema, and that every number in it is one that can be measured. */
export function parseWith<T>(schema: z.ZodType<T>, file: string, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    // A path of the schema's own words and positions; the messages could quote what came.
    const path = (issue?.path ?? []).filter((step) => typeof step === "number" || /^\w{1,40}$/.test(String(step)));
    throw refuse(file, `${path.join(".") || "all of it"} is not as expected (${issue?.code ?? "unknown"})`);
  }
  if (!hasSoundNumbers(parsed.data)) throw refuse(file, "a number in it is too large to be one that was measured");
  return parsed.data;
}

/** How deep a JSON text nests and how many values it lists, before anything is made of it. */
function shapeOf(text: string): { deepest: number; commas: number } {
  let [depth, deepest, commas, inString] = [0, 0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (inString) {
      if (letter === "\\") i++;
      else if (letter === '"') inString = false;
    } else if (letter === '"') inString = true;
    else if (letter === ",") commas++;
    else if (letter === "[" || letter === "{") deepest = Math.max(deepest, ++depth);
    else if (letter === "]" || letter === "}") depth--;
  }
  return { deepest, commas };
}

function hasSoundNumbers(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= LARGEST;
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(hasSoundNumbers);
}

const name = z.string().max(500);
const ratio = z.number().min(0).max(10);
const limit = z.number().positive().nullable();

const limits: z.ZodType<Limits> = z.object({
  maxQpsDrop: ratio,
  maxP99Rise: ratio,
  minQps: limit,
  maxP99Ms: limit,
  gateLatency: z.boolean(),
});

const added = z.number().min(0).optional();
const gate = z.object({
  maxOverallQpsDrop: ratio,
  onInconclusive: z.enum(["pass", "warn", "fail"]),
  maxAdded: z.object({ sqlStatements: added, dbConnections: added, redisCommands: added, responseBytes: added }),
}) as unknown as z.ZodType<GateConfig>;

const measure: z.ZodType<Pick<MeasureConfig, "budgetSeconds" | "maxRounds" | "maxErrorRate" | "maxForeignCores">> =
  z.object({
    budgetSeconds: z.number().min(30).max(86_400),
    maxRounds: z.int().min(1).max(1000),
    maxErrorRate: ratio,
    maxForeignCores: ratio.nullable(),
  });

/** The numbers of a configuration, and the names that they belong to. */
const numbers = z.object({
  scenarios: z.array(z.object({ name, limits, addedByHead: z.literal(true).optional() })).max(MOST.scenarios),
  gate,
  measure,
});
export type ConfigNumbers = z.output<typeof numbers>;

const cpus = z.array(z.int().min(0).max(9999)).max(1024);

/** What is taken from plan.json; everything else in it is left where it is. */
export const planSchema = z.object({
  version: z.literal(1),
  id: z.string().regex(/^[0-9a-f]{64}$/),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31),
  driver: z.enum(["compose", "process", "url"]),
  config: numbers,
  headConfig: numbers.nullable().optional(),
  /** Only whether each is there, and likewise the next. */
  own: z.object({ base: z.unknown().optional(), head: z.unknown().optional() }).optional(),
  beside: z.unknown().optional(),
  cells: z.array(z.object({ id: name, scenario: name })).max(MOST.cells),
  layout: z.object({ generator: cpus, target: cpus, services: cpus, isolated: z.boolean() }),
  stored: z
    .object({
      anchor: z.object({ id: z.string().regex(/^([0-9a-f]{40}|sha256:[0-9a-f]{64})$/) }),
      suites: z.record(name, z.string().regex(/^[0-9a-f]{12}$/)),
    })
    .optional(),
});
export type ArtifactPlan = z.output<typeof planSchema>;

/** A version as programs have them; anything else is not repeated. */
const version = z
  .string()
  .catch("")
  .transform((text) => (/^v?\d[\w.+~-]{0,50}$/.test(text) ? text : "unknown"));

const CPU_WORDS =
  "Intel(R) Xeon(R) Core(TM) Platinum Gold Silver Bronze CPU @ AMD EPYC Ryzen Threadripper PRO Processor ARM Arm " +
  "Neoverse Ampere(R) Altra(R) Apple Azure Cobalt QEMU Virtual KVM";
const SYSTEM_WORDS =
  "Ubuntu LTS Debian GNU/Linux Linux Alpine Fedora Red Hat Enterprise CentOS Stream Rocky AlmaLinux Amazon Arch openSUSE Leap";

/** A name made of known words and of numbers ("AMD EPYC 7763 64-Core"), so that it cannot be a message. */
const namedBy = (words: string) => {
  const known = new Set(words.split(" "));
  const fits = (word: string) => known.has(word) || /^(?=.*\d)[\w.-]{1,12}$|^\([a-z]{1,12}\)$/.test(word);
  return z
    .string()
    .catch("")
    .transform((text) => (text.length <= 80 && text.split(" ").every(fits) ? text : "unknown"));
};

const php = z
  .object({
    version,
    opcache: z.boolean(),
    jit: z.enum(["off", "function", "tracing"]).catch("off"),
    jitBufferBytes: z.number().nonnegative(),
    xdebug: z.boolean(),
    processManager: z.enum(["static", "dynamic", "ondemand", "unknown"]).catch("unknown"),
    workers: z.int().min(0).max(100_000),
  })
  // The names of extensions are free text, and nothing is decided by them.
  .transform((state) => ({ ...state, sapi: "unknown", extensions: [] as string[] }))
  .nullable();

const TOOLS = ["node", "k6", "php", "nginx", "mysql", "redis", "docker", "compose"] as const;

/** What is taken from environment.json: numbers, versions, and names that can be nothing else. */
export const environmentSchema = z.object({
  version: z.literal(1),
  planId: z.string().max(100),
  startedAt: z.iso.datetime(),
  machine: z.object({
    cpuModel: namedBy(CPU_WORDS),
    logicalCpus: z.int().min(0).max(10_000),
    physicalCores: z.int().min(0).max(10_000),
    memoryBytes: z.number().nonnegative(),
    kernel: version,
    os: namedBy(SYSTEM_WORDS),
    cgroup: z.enum(["v1", "v2", "none"]),
  }),
  tools: z
    .record(z.string(), z.unknown())
    .transform((tools) =>
      Object.fromEntries(
        TOOLS.flatMap((tool) => (Object.hasOwn(tools, tool) ? [[tool, version.parse(tools[tool])]] : [])),
      ),
    ),
  php: z.object({ base: php, head: php }),
}) satisfies z.ZodType<Omit<Environment, "warnings">>;

/** The parts of a configuration that `ConfigNumbers` may replace. */
export function withNumbers(config: Config, brought: ConfigNumbers): Config {
  const limitsOf = new Map(brought.scenarios.map((scenario) => [scenario.name, scenario.limits]));
  const kept = config.scenarios.flatMap((scenario) => {
    const own = limitsOf.get(scenario.name);
    return own === undefined ? [] : [{ ...scenario, limits: own }];
  });
  return {
    ...config,
    scenarios: kept,
    gate: brought.gate,
    measure: { ...config.measure, ...brought.measure },
  };
}

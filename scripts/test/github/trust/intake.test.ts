import { describe, expect, test } from "vitest";
import { compare } from "../../../src/core/compare.ts";
import type { Census, Config, Environment, Plan, SampleLine, SlotSample } from "../../../src/core/model.ts";
import { ownOf } from "../../../src/core/variants.ts";
import type { ArtifactFiles } from "../../../src/github/artifact.ts";
import { type Intake, intake } from "../../../src/phases/intake.ts";
import { blocks } from "../../core/support.ts";
import { night } from "../../nights.ts";
import {
  BASE_CONFIG,
  everyText,
  forged,
  HOSTILE,
  headConfig,
  inOrder,
  outcome,
  type RunFiles,
  soundRun,
  TRUSTED,
  textOf,
} from "./support.ts";

const MARKUP = `<script>${HOSTILE}</script> [${HOSTILE}](http://x.test) **x** | \`x\` @${HOSTILE} #1`;
const COMMANDS = `\n::add-mask::${HOSTILE}\n::set-output name=a::${HOSTILE}\n::warning::${HOSTILE}\n##[error]${HOSTILE}`;
const INVISIBLE = `\u202e${HOSTILE}\u2066\u001b[31m${HOSTILE}\u0007\u200b`;
const NASTY = [MARKUP, COMMANDS, INVISIBLE];
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SLOW = { ms: 30, traceId: TRACE };

/** A run whose lines are changed, one by one. */
function withLines(change: (line: SampleLine, index: number) => unknown, run = soundRun()): ArtifactFiles {
  return textOf({ ...run, lines: run.lines.map(change) as SampleLine[] });
}

/** A run with its first slot changed. */
function withSlot(change: (slot: SlotSample) => object): ArtifactFiles {
  const run = soundRun();
  const first = run.lines.findIndex(({ kind }) => kind === "slot");
  return withLines((line, i) => (i === first ? { ...line, ...change(line as SlotSample) } : line), run);
}

/** A run with its lines rearranged. */
function withOrder(rearrange: (lines: SampleLine[]) => unknown[]): ArtifactFiles {
  const run = soundRun();
  return textOf({ ...run, lines: rearrange(run.lines) as SampleLine[] });
}

function withPlan(change: (plan: Plan) => object): ArtifactFiles {
  return textOf(forged(soundRun(), change));
}

/** What `--base variant=lax --head variant=quick` of the head's own configuration writes. */
function asVariants(plan: Plan): object {
  const lax = { env: { [HOSTILE]: HOSTILE }, php: {}, links: {}, query: HOSTILE };
  const quick = { ...lax, php: { jit: "tracing" as const }, connection: "keep-alive" as const };
  const config = { ...plan.config, variants: { lax, quick } };
  return { config, own: { base: ownOf(config, lax), head: ownOf(config, quick) } };
}

function withConfig(change: (config: Config) => object): ArtifactFiles {
  return withPlan((plan) => ({ config: { ...plan.config, ...change(plan.config) } }));
}

function withCensus(change: (census: Census) => object): ArtifactFiles {
  const run = soundRun();
  return textOf({ ...run, census: { ...run.census, ...change(run.census) } as Census });
}

function withEnvironment(change: (environment: Environment) => object): ArtifactFiles {
  const run = soundRun();
  return textOf({ ...run, environment: { ...run.environment, ...change(run.environment) } as Environment });
}

/** A run in whose samples a piece of text is another. */
function withText(file: keyof ArtifactFiles, from: string | RegExp, to: string): ArtifactFiles {
  const files = textOf(soundRun());
  const text = files[file] ?? "";
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  return { ...files, [file]: changed };
}

/** A run whose first slot has this as its rate. */
const withRate = (json: string) => withText("samples", '"qps":2000,"latencyMs"', `"qps":${json},"latencyMs"`);

const kindAt = (lines: readonly SampleLine[], kind: SampleLine["kind"]) =>
  lines.findIndex((line) => line.kind === kind);

function judged(result: Intake | string): Intake {
  if (typeof result === "string") throw new Error(`refused: ${result}`);
  return result;
}

describe("a sound run", () => {
  test("is judged as in the job that measured it, under names and commits of our own", () => {
    const run = soundRun();
    const own = compare({ ...run, damaged: [] });
    const { plan, comparison } = judged(outcome(textOf(run)));
    expect(comparison).toEqual({ ...own, planId: plan.id, arms: TRUSTED.arms });
    expect(comparison.verdict).toBe("pass");
    expect(plan.seed).toBe(run.plan.seed);
  });

  test("that is slower is red, where it was confirmed", () => {
    const run = soundRun({ ratio: 0.8 });
    const pilot = run.lines.find((line) => line.kind === "pilot");
    const tests = ["shop @1/qps", "shop @20/qps", "cart @20/qps"];
    const again = blocks(run.plan, { blocks: 8, firstBlock: 8, stage: "confirm", seed: 2, ratio: () => 0.8 });
    const lines = [
      ...run.lines.slice(0, -1),
      { kind: "confirm" as const, tests },
      ...inOrder(run.plan, pilot?.cells ?? [], again),
    ];
    expect(judged(outcome(textOf({ ...run, lines }))).comparison.verdict).toBe("regression");
  });

  test("that ended before its first sample is inconclusive, and says so", () => {
    const files = textOf(soundRun());
    const { comparison } = judged(outcome({ ...files, samples: null, census: null, environment: null }));
    expect(comparison).toMatchObject({ verdict: "inconclusive", blocks: 0 });
  });

  test("whose last line was cut short is judged by the others", () => {
    const files = textOf(soundRun());
    const samples = files.samples?.slice(0, -9) ?? "";
    expect(judged(outcome({ ...files, samples })).comparison).toMatchObject({ verdict: "pass", stop: null });
  });

  test("of a tree that is the base's is an A/A run by its commits, not by its own word", () => {
    const files = withPlan(() => ({ sameSource: true }));
    expect(judged(outcome(files)).comparison.sameSource).toBe(false);
    const arms = { base: TRUSTED.arms.base, head: { ...TRUSTED.arms.head, commit: TRUSTED.arms.base.commit } };
    expect(judged(outcome(files, { ...TRUSTED, arms })).comparison.sameSource).toBe(true);
  });

  test("without a configuration on either side is judged by the zero configuration", () => {
    const files = textOf(soundRun({ config: "" }));
    expect(judged(outcome(files, { ...TRUSTED, config: null })).comparison.verdict).toBe("pass");
  });
});

describe("the configuration at the base commit", () => {
  test("decides, and every margin that the run was made with is shown beside it", () => {
    const files = withConfig(({ scenarios, gate, measure }) => ({
      scenarios: scenarios.map((one) => ({ ...one, limits: { ...one.limits, maxQpsDrop: 0.9 } })),
      gate: { ...gate, maxOverallQpsDrop: 0.5, onInconclusive: "pass" },
      measure: { ...measure, maxErrorRate: 0.4 },
    }));
    const { comparison, plan } = judged(outcome(files));
    expect(comparison.edits).toEqual([
      { key: "gate.max-qps-drop", base: "5%", head: "90%" },
      { key: "gate.max-overall-qps-drop", base: "2%", head: "50%" },
      { key: "gate.on-inconclusive", base: "warn", head: "pass" },
      { key: "measure.max-error-rate", base: "0.5%", head: "40%" },
    ]);
    expect(plan.config.gate.onInconclusive).toBe("warn");
    expect(comparison.cells[0]?.tests.find(({ metric }) => metric === "qps")?.line).toBe(0.95);
  });

  test("a run that hides its own margins gains nothing: 10% slower is not green", () => {
    const run = soundRun({ ratio: 0.9, config: BASE_CONFIG.replace("5%", "90%") });
    expect(compare({ ...run, damaged: [] }).cells.every(({ verdict }) => verdict === "pass")).toBe(true);
    const { comparison } = judged(outcome(textOf(run)));
    expect(comparison.cells.map(({ verdict }) => verdict)).not.toContain("pass");
    expect(comparison.edits).toEqual([{ key: "gate.max-qps-drop", base: "5%", head: "90%" }]);
  });

  test("scenarios that only the head has are counted, and have no name", () => {
    const more = `${BASE_CONFIG}`.replace("gate:", `  - { name: ${HOSTILE}, path: /${HOSTILE}, levels: [5] }\ngate:`);
    const run = soundRun({
      config: more,
      over: (config) => {
        const own = config.scenarios.map((one) =>
          one.name === HOSTILE ? { ...one, addedByHead: true as const } : one,
        );
        return { config: { ...config, scenarios: own }, headConfig: headConfig(more.replace("5%", "7%")) };
      },
    });
    const { comparison, census } = judged(outcome(textOf(run)));
    expect(comparison.cells.map(({ cell }) => cell.id)).toEqual(["shop @1", "shop @20", "cart @20"]);
    expect(comparison.edits).toEqual([
      { key: "gate.max-qps-drop", base: "5%", head: "7%" },
      { key: "scenarios, added", base: null, head: "1" },
    ]);
    expect(census?.scenarios.map(({ scenario }) => scenario)).toEqual(["shop", "cart"]);
  });

  test("a scenario that the head takes out is judged all the same", () => {
    const without = headConfig(BASE_CONFIG.replace(/.*cart.*\n/, ""));
    const { comparison } = judged(outcome(textOf(soundRun({ over: () => ({ headConfig: without }) }))));
    expect(comparison.cells).toHaveLength(3);
    expect(comparison.edits).toEqual([{ key: 'scenarios["cart"]', base: "there", head: null }]);
  });

  test.each([
    [
      "plans other cells",
      BASE_CONFIG.replace("[1, 20]", "[1, 40]"),
      /cells .* \(1 missing, 1 unknown, .*Run the measuring job again/,
    ],
    ["plans fewer cells", BASE_CONFIG.replace(/.*cart.*\n/, ""), /\(0 missing, 1 unknown/],
    ["is not there", null, /\(4 missing, 3 unknown.*has no configuration yet/],
    ["cannot be read", "gate: { max-qps-drop: 5 }", /^\.github\/perf-gate\.yml:1:23: gate\.max-qps-drop: expected/],
  ])("that %s refuses the run", (_, config, message) => {
    expect(outcome(textOf(soundRun()), { ...TRUSTED, config })).toMatch(message);
  });
});

/** What a stranger may have done to the files, and what comes out. */
const POISON: [what: string, files: () => ArtifactFiles, comes: RegExp | ((result: Intake) => void)][] = [
  // text
  ...NASTY.flatMap((text): [string, () => ArtifactFiles, RegExp | ((result: Intake) => void)][] => [
    [
      `labels and commits ${JSON.stringify(text.slice(0, 12))}`,
      () => withPlan(({ arms }) => ({ arms: { base: { ...arms.base, label: text, commit: text }, head: arms.head } })),
      ({ comparison }) => expect(comparison.arms).toEqual(TRUSTED.arms),
    ],
    [
      "the name of a scenario",
      () =>
        withPlan(({ config, cells }) => ({
          config: { ...config, scenarios: config.scenarios.map((one) => ({ ...one, name: text })) },
          cells: cells.map((cell) => ({ ...cell, scenario: text, id: `${text} @1` })),
        })),
      /its cells are not those of the configuration at the base/,
    ],
    [
      "the cell of a sample",
      () => withSlot(() => ({ cell: text })),
      /line 3 .*of a cell that the configuration at the base does not have/,
    ],
    [
      "the reason of a stop",
      () => withLines((line) => (line.kind === "stop" ? { ...line, reason: "failed", detail: text } : line)),
      ({ comparison }) => expect(comparison.stop).toEqual({ reason: "failed", detail: null }),
    ],
    [
      "what is confirmed",
      () => withOrder((lines) => lines.toSpliced(-1, 0, { kind: "confirm", tests: [text] })),
      /confirms something that the configuration at the base does not judge/,
    ],
    [
      "versions, names of machine and system, warnings",
      () =>
        withEnvironment(({ machine, php }) => ({
          machine: { ...machine, cpuModel: text, kernel: text, os: text },
          tools: { php: text, k6: text, [text]: "1.0", mysql: `8.0 ${text}` },
          php: {
            base: { ...php.base, version: text, jit: text, processManager: text, extensions: [text] },
            head: null,
          },
          warnings: [text],
        })),
      ({ environment }) => {
        expect(environment?.machine).toMatchObject({ cpuModel: "unknown", kernel: "unknown", os: "unknown" });
        expect(environment?.tools).toEqual({ php: "unknown", k6: "unknown", mysql: "unknown" });
        expect(environment?.warnings).toEqual([]);
      },
    ],
    [
      "the note of the layout",
      () => withPlan(({ layout }) => ({ layout: { ...layout, note: text } })),
      ({ plan }) => expect(plan.layout.note).toBe("load generator on CPU 1, service and databases on CPU 0"),
    ],
    ["the driver", () => withPlan(() => ({ driver: text })), /^plan\.json .* driver is not as expected/],
    ["a key of a sample", () => withSlot(() => ({ [text]: 1 })), /line 3 .*all of it is not as expected/],
    ["a key of the census", () => withCensus(() => ({ [text]: 1 })), /census.*all of it is not as expected/],
    [
      "the census' scenario",
      () =>
        withCensus(({ scenarios }) => ({
          scenarios: scenarios.map((one) => ({ ...one, scenario: text })),
        })),
      /scenarios are not those of the plan/,
    ],
  ]),
  [
    "words that make a sentence of the machine's name",
    () => withEnvironment(({ machine }) => ({ machine: { ...machine, os: `approved by ${HOSTILE}` } })),
    ({ environment }) => expect(environment?.machine.os).toBe("unknown"),
  ],

  // numbers
  ["NaN", () => withRate("NaN"), /line 3 .* is not JSON/],
  ["Infinity", () => withRate("Infinity"), /line 3 .* is not JSON/],
  ["1e999", () => withRate("1e999"), /line 3 .*: qps is not as expected/],
  ["-1e999", () => withText("samples", '"foreignCpuSeconds":0.01', '"foreignCpuSeconds":-1e999'), /foreignCpuSeconds/],
  ["1e300", () => withText("samples", '"bytesReceived":1000', '"bytesReceived":1e300'), /too large to be one/],
  ["a negative rate", () => withRate("-2000"), /qps is not as expected/],
  ["a number as text", () => withRate('"2000"'), /qps is not as expected/],
  ["no number", () => withText("samples", '"requests":4000', '"requests":null'), /requests is not as expected/],
  ["a rate that its requests do not make", () => withSlot(() => ({ qps: 4000 })), /not its requests by its seconds/],
  ["a rate of nothing with requests", () => withSlot(() => ({ qps: 0 })), /not its requests by its seconds/],
  [
    "a p99 of zero",
    () => withSlot(() => ({ latencyMs: { avg: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0 } })),
    /no request takes so long, or so little time/,
  ],
  [
    "a p99 below p50",
    () => withSlot(() => ({ latencyMs: { avg: 5, p50: 4, p90: 8, p95: 9, p99: 1, max: 30 } })),
    /percentiles contradict/,
  ],
  ...(
    [
      ["text", HOSTILE],
      ["upper case", "AB".repeat(16)],
      ["a line more", `${"ab".repeat(16)}\n`],
      ["no id", "0".repeat(32)],
    ] as const
  ).map(([what, traceId]): [string, () => ArtifactFiles, RegExp] => [
    `a trace id that is ${what}`,
    () => withSlot(() => ({ slowest: [{ ms: 30, traceId }] })),
    /line 3 .*: slowest\.0\.traceId is not as expected/,
  ]),
  [
    "a key beside a trace id",
    () => withSlot(() => ({ slowest: [{ ms: 30, traceId: TRACE, [HOSTILE]: HOSTILE }] })),
    /slowest\.0 is not as expected/,
  ],
  ["six slowest requests", () => withSlot(() => ({ slowest: Array(6).fill(SLOW) })), /slowest is not as expected/],
  [
    "slowest requests out of order",
    () => withSlot(() => ({ slowest: [SLOW, { ...SLOW, ms: 31 }] })),
    /slowest requests are not in order/,
  ],
  ["a request of a year", () => withSlot(() => ({ slowest: [{ ...SLOW, ms: 3e10 }] })), /or none takes so long/],
  [
    "five slowest requests",
    () => withSlot(() => ({ slowest: Array(5).fill(SLOW) })),
    ({ comparison }) => expect(comparison.cells.some(({ slowest }) => slowest !== undefined)).toBe(true),
  ],
  [
    "figures at both ends of what is let in",
    () =>
      withLines((line) => {
        if (line.kind !== "slot") return line;
        const latency = line.arm === "head" ? 1e9 : 1e-6;
        const latencyMs = { avg: latency, p50: latency, p90: latency, p95: latency, p99: latency, max: latency };
        return line.arm === "head" ? { ...line, requests: 1, qps: 0.5, latencyMs } : { ...line, latencyMs };
      }),
    ({ comparison }) => expect(comparison.verdict).not.toBe("pass"),
  ],
  [
    "a budget of a thousand years",
    () =>
      withConfig(({ measure }) => ({
        measure: { ...measure, budgetSeconds: 3e10 },
      })),
    /budgetSeconds is not as expected/,
  ],
  ["a share of failed requests above 1", () => withText("census", '"failedShare":0', '"failedShare":2'), /failedShare/],
  ["statuses of no protocol", () => withText("census", "[200]", "[99999]"), /a status in it is none of HTTP/],
  ["a thousand statuses", () => withText("census", "[200]", JSON.stringify(Array(1000).fill(200))), /a status in it/],

  // structure
  ["no JSON", () => ({ ...textOf(soundRun()), plan: "{" }), /^plan\.json .*not JSON/],
  ["an empty plan", () => ({ ...textOf(soundRun()), plan: "" }), /^plan\.json .*not JSON/],
  ["null as the plan", () => ({ ...textOf(soundRun()), plan: "null" }), /^plan\.json .*all of it/],
  ["another version", () => withPlan(() => ({ version: 2 })), /version is not as expected/],
  ["a base that is another application", () => withPlan(() => ({ own: {} })), /not started alike/],
  [
    "two variants as its sides",
    () => withPlan(asVariants),
    /not started alike: the job that measured it has a verdict/,
  ],
  ["a plan edited by hand", () => withText("plan", '"seed":20', '"seed":21'), /content does not match its id/],
  [
    "an own property __proto__",
    () => withText("plan", /^\{/, '{"__proto__":{"id":"x"},'),
    ({ comparison }) => {
      expect(comparison.verdict).toBe("pass");
    },
  ],
  ["__proto__ in a sample", () => withRate('2000,"__proto__":{"qps":1}'), /line 3 .*all of it is not as expected/],
  [
    "__proto__ and constructor among the tools",
    () => withText("environment", '"tools":{', '"tools":{"__proto__":{"a":"1"},"constructor":"2",'),
    ({ environment }) => {
      expect(Object.keys(environment?.tools ?? {})).toEqual(["node", "k6", "php", "mysql", "redis"]);
    },
  ],
  ["lists within lists", () => ({ ...textOf(soundRun()), plan: "[".repeat(1e6) }), /nested deeper than 20/],
  [
    "a deep sample",
    () => withText("samples", '"events":[]', `"events":${"[".repeat(5000)}${"]".repeat(5000)}`),
    /nested deeper/,
  ],
  [
    "brackets inside of a text, which nest nothing",
    () => withText("plan", '"label":"a"', `"label":"\\"${"[{".repeat(50)}"`),
    /its content does not match/,
  ],
  ["a line of a megabyte", () => withText("samples", '"events":[]', `"events":["${"a".repeat(1e6)}"]`), /longer than/],
  [
    "a million cells",
    () => withPlan(() => ({ cells: Array(1_000_000).fill({ id: "a", scenario: "a" }) })),
    /more than 50000 values/,
  ],
  [
    "three thousand cells",
    () => withPlan(() => ({ cells: Array(3000).fill({ id: "a", scenario: "a" }) })),
    /cells is not as expected/,
  ],
  [
    "five hundred scenarios",
    () => withConfig(({ scenarios }) => ({ scenarios: Array(500).fill(scenarios[0]) })),
    /config\.scenarios is not/,
  ],
  [
    "two thousand CPUs",
    () => withPlan(({ layout }) => ({ layout: { ...layout, target: Array(2000).fill(1) } })),
    /layout\.target/,
  ],
  [
    "no scenario",
    () => withConfig(() => ({ scenarios: [] })),
    ({ comparison }) => {
      expect(comparison.edits).toHaveLength(2);
    },
  ],

  // a run that is none
  [
    "samples of another run",
    () => ({ ...textOf(soundRun()), samples: textOf(soundRun({ config: "" })).samples }),
    /belongs to another plan/,
  ],
  ["a census of another run", () => withCensus(() => ({ planId: "x" })), /census.*another plan/],
  ["an environment of another run", () => withEnvironment(() => ({ planId: "x" })), /environment.*another plan/],
  ["no census", () => ({ ...textOf(soundRun()), census: null }), /census\.json .*missing/],
  ["no environment", () => ({ ...textOf(soundRun()), environment: null }), /environment\.json .*missing/],
  ["another seed", () => textOf(forged(soundRun(), () => ({ seed: 21 }))), /not in the order that the seed/],
  [
    "arms swapped",
    () => withLines((line) => (line.kind === "slot" ? { ...line, arm: line.arm === "base" ? "head" : "base" } : line)),
    /not in the order that the seed/,
  ],
  [
    "a slot left out",
    () => withOrder((lines) => lines.toSpliced(kindAt(lines, "slot"), 1)),
    /not in the order that the seed/,
  ],
  ["a slot twice", () => withOrder((lines) => lines.toSpliced(2, 0, lines[2] as SampleLine)), /has that slot already/],
  [
    "a block without slots",
    () => withOrder((lines) => lines.filter(({ kind }) => kind !== "slot")),
    /not in the order that the seed/,
  ],
  [
    "a block left out",
    () => withOrder((lines) => lines.toSpliced(kindAt(lines, "block"), 1)),
    /of block 1, where block 0 is due/,
  ],
  ["a block from far away", () => withSlot(() => ({ block: 1e9 })), /of block 1000000000, where block 0/],
  ["confirming that never began", () => withSlot(() => ({ stage: "confirm" })), /of the wrong stage/],
  ["two beginnings", () => withOrder((lines) => [lines[0], ...lines]), /begins once/],
  ["no beginning", () => withOrder((lines) => lines.slice(1)), /begins once/],
  ["two pilots", () => withOrder((lines) => lines.toSpliced(1, 0, lines[1] as SampleLine)), /one pilot/],
  ["no pilot", () => withOrder((lines) => lines.toSpliced(1, 1)), /after the pilot/],
  ["more after its end", () => withOrder((lines) => [...lines, lines.at(-1)]), /after the end of the run/],
  [
    "a pilot of a cell too many",
    () =>
      withLines((line) =>
        line.kind === "pilot" ? { ...line, cells: [...line.cells, { ...line.cells[0], cell: HOSTILE }] } : line,
      ),
    /its cells are not those/,
  ],
  [
    "a pilot of a cell twice",
    () => withLines((line) => (line.kind === "pilot" ? { ...line, cells: [...line.cells, line.cells[0]] } : line)),
    /its cells are not those/,
  ],
  [
    "a census of a scenario twice",
    () => withCensus(({ scenarios }) => ({ scenarios: [...scenarios, scenarios[0]] })),
    /not those of the plan/,
  ],
  [
    "a census of a scenario too many",
    () => withCensus(({ scenarios }) => ({ scenarios: [...scenarios, { ...scenarios[0], scenario: HOSTILE }] })),
    /not those of the plan/,
  ],
  [
    "threads of one core, which only the machine can know",
    () => withPlan(({ layout }) => ({ layout: { ...layout, isolated: false, note: HOSTILE } })),
    ({ plan, environment }) => {
      expect(plan.layout.isolated).toBe(false);
      expect(environment?.warnings).toEqual([expect.stringContaining("they share a physical core")]);
    },
  ],
  [
    "a census without a scenario",
    () => withCensus(({ scenarios }) => ({ scenarios: scenarios.slice(1) })),
    /not those of the plan/,
  ],
  [
    "a pilot that asks for an easier percentile, and longer slots",
    () =>
      withLines((line) =>
        line.kind === "pilot"
          ? {
              ...line,
              cells: line.cells.map((cell) => ({ ...cell, statistic: "p90", requests: 1, slotSeconds: 1000 })),
            }
          : line,
      ),
    ({ comparison }) => expect(comparison.cells.every(({ statistic }) => statistic === "p99")).toBe(true),
  ],
  [
    "a scenario of the base called the head's own",
    () => withConfig(({ scenarios }) => ({ scenarios: scenarios.map((one) => ({ ...one, addedByHead: true })) })),
    /\(3 missing, 0 unknown/,
  ],
];

describe("a poisoned run", () => {
  test.each(POISON)("%s", (_, files, comes) => {
    const result = outcome(files());
    if (comes instanceof RegExp) expect(result).toMatch(comes);
    else comes(judged(result));
  });
});

describe("every value of every file in turn", () => {
  const VALUES = [COMMANDS, MARKUP, "", null, -1, 0, 0.5, 1e16, true, [], {}, [HOSTILE], { [HOSTILE]: 1 }];
  const run = soundRun({ config: "scenarios: [{ name: shop, path: /, levels: [20] }]", blocks: 6 });
  const trusted = { ...TRUSTED, config: "scenarios: [{ name: shop, path: /, levels: [20] }]" };

  /** Every place of a JSON value, the containers too. */
  function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
    if (typeof value !== "object" || value === null) return [path];
    const below = Object.entries(value).flatMap(([key, inner]) =>
      places(inner, [...path, Array.isArray(value) ? Number(key) : key]),
    );
    return path.length === 0 ? below : [path, ...below];
  }

  function replaced(value: unknown, [step, ...rest]: (string | number)[], by: unknown): unknown {
    if (step === undefined) return by;
    const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
    (copy as Record<string | number, unknown>)[step] = replaced(
      (value as Record<string | number, unknown>)[step],
      rest,
      by,
    );
    return copy;
  }

  const firsts = ["begin", "pilot", "slot", "block", "stop"].map((kind) =>
    kindAt(run.lines, kind as SampleLine["kind"]),
  );
  const cases: [file: string, value: unknown, put: (value: unknown) => RunFiles][] = [
    ["plan.json", run.plan, (plan) => forged(run, () => plan as Plan)],
    ["census.json", run.census, (census) => ({ ...run, census: census as Census })],
    ["environment.json", run.environment, (environment) => ({ ...run, environment: environment as Environment })],
    ...firsts.map((index): (typeof cases)[number] => [
      `a ${run.lines[index]?.kind} line`,
      run.lines[index],
      (line) => ({ ...run, lines: run.lines.with(index, line as SampleLine) }),
    ]),
  ];

  test.each(cases)("%s", (_, value, put) => {
    const all = places(value);
    expect(all.length).toBeGreaterThan(2);
    let refused = 0;
    for (const path of all) {
      for (const by of VALUES) {
        const result = outcome(textOf(put(replaced(value, path, by))), trusted);
        if (typeof result === "string") refused++;
      }
    }
    expect(refused).toBeGreaterThan(all.length);
  });
});

test("the name of a CPU in words of its own is kept where a record of ours has it, or the code was our own", () => {
  const cpu = (cpuModel: string, more: object) => {
    const files = withEnvironment(({ machine }) => ({ machine: { ...machine, cpuModel } }));
    return intake(files, { ...TRUSTED, ...more }).environment?.machine.cpuModel;
  };
  const records = [night(0, { cpuModel: "12th Gen Whatever" })];
  const history = { missing: false, records, store: "git:perf-gate-data", branch: "main" };
  expect(cpu("12th Gen Whatever", {})).toBe("unknown");
  expect(cpu("12th Gen Whatever", { history })).toBe("12th Gen Whatever");
  expect(cpu("13th Gen Whatever", { history })).toBe("unknown");
  expect(cpu("13th Gen Whatever", { isOwn: true })).toBe("13th Gen Whatever");
  for (const text of [...NASTY.slice(1), "x".repeat(121)]) expect(cpu(text, { isOwn: true })).toBe("unknown");
});

test("the checks of these tests see what they look for", () => {
  const run = soundRun();
  const result = intake(textOf(run), { ...TRUSTED, arms: { ...TRUSTED.arms, head: { label: HOSTILE, commit: null } } });
  expect(everyText(result)).toContain(HOSTILE);
  expect(() =>
    outcome(textOf(run), { ...TRUSTED, arms: { ...TRUSTED.arms, head: { label: HOSTILE, commit: null } } }),
  ).toThrow();
});

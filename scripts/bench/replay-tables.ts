import { markdownTable } from "markdown-table";
import type { SlotSample } from "../src/core/model.ts";
import { median } from "../src/core/stats/robust.ts";
import { measuredValue } from "../src/core/test-state.ts";
import type { RecordedBlock, Recording } from "./recording.ts";
import {
  cleanRounds,
  logRatios,
  type Material,
  materialOf,
  mean,
  roundOf,
  statisticOf,
  VARIANTS,
  type Variant,
} from "./replay-materials.ts";
import { AIM, OTHERS, quantile, type Tally } from "./replay-runs.ts";

/** The tally of one head after some changes, by the rule of that name; ours is "". */
export type Results = (head: string, variants: readonly Variant[], rule?: string) => Tally;
type Part = (recording: Recording, results: Results) => string;

const percent = (share: number) => (Number.isFinite(share) ? `${(100 * share).toFixed(1)}%` : "-");
const change = (log: number) => `${log > 0 ? "+" : ""}${percent(Math.expm1(log))}`;
const minutes = ({ minutes: { median: middle, p95 } }: Tally) => `${middle.toFixed(1)}, ${p95.toFixed(1)}`;
const headName = (head: string) => head || "unchanged";
const plantsOf = ({ header }: Recording) => header.heads.filter((head) => head !== "");

const qpsOf = (slot: SlotSample) => slot.qps;
const cpuOf = (slot: SlotSample) => (slot.witness?.targetCpuSeconds ?? Number.NaN) / slot.requests;

/** Aligned left, then right. */
function table(header: string[], rows: string[][]): string {
  const align = header.map((_, column) => (column === 0 ? "l" : "r"));
  return markdownTable([header, ...rows], { align });
}

/** Conditions, and what the plants did: median of the log ratios of all clean rounds. */
export const setting: Part = (recording) => {
  const { header } = recording;
  const { condition, driver, startedAt, machine, blocks, note, heads } = header;
  const materials = heads.map((head) => materialOf(recording, head));
  const same = materialOf(recording, "");
  const rows = header.plan.cells.map(({ id }) => {
    const logs = (material: Material) =>
      (["qps", statisticOf(same, id)] as const).map((statistic) =>
        logRatios(cleanRounds(material, id), (slot) => measuredValue(slot, statistic)),
      );
    const changes = materials.map((material) => logs(material).map((log) => change(median(log))));
    return [id, ...changes.map((both) => both.join(", ")), ...logs(same).map((log) => percent(sd(log)))];
  });
  const clean = materials.map((material) => {
    const count = header.plan.cells.reduce((sum, { id }) => sum + cleanRounds(material, id).length, 0);
    return percent(count / (blocks * header.plan.cells.length));
  });
  const others = [...recording.blocks.values()]
    .flat()
    .flatMap(({ slots }) => slots.flatMap(({ witness }) => witness ?? []))
    .map((witness) => (witness.foreignCpuSeconds + witness.stealSeconds) / witness.intervalSeconds)
    .sort((a, b) => a - b);
  const taken = (share: number) => quantile(others, share).toFixed(2);
  rows.push(["rounds that count", ...clean, "", ""]);
  return [
    `${condition}, driver ${driver}, ${blocks} blocks from ${startedAt}; ${machine.cpuModel}, ${machine.logicalCpus} CPUs, kernel ${machine.kernel}; ${note}.`,
    "",
    `Others took ${taken(0.5)} of our cores in the median slot, ${taken(0.05)} to ${taken(0.95)} in 90% of them.`,
    "",
    "What the heads differ by, QPS and gated percentile of the latency: median over the rounds that count; beside it the spread of the unchanged head's log ratios.",
    "",
    table(["cell", ...heads.map(headName), "sd QPS", "sd latency"], rows),
  ].join("\n");
};

/** Ours and the other tools'. */
export const rules: Part = (recording, results) => {
  const plants = plantsOf(recording);
  const row = (name: string, rounds: string, variants: Variant[], rule: string) => {
    const same = results("", variants, rule);
    const found = plants.map((plant) => share(results(plant, variants, rule), "found"));
    return [name, rounds, share(same, "red"), share(same, "green"), neither(same), minutes(same), ...found];
  };
  return [
    "## Rules",
    "",
    "Unchanged head: runs with any red, runs all green, runs that are neither; minutes of measuring, median and 95th percentile. Then the share of runs in which each plant was found, in a metric that it makes worse. Other tools: one run of the benchmark is so many recorded rounds of every cell; what comes from another job was drawn from another place of the same recording, so from the same machine and hour.",
    "",
    table(
      ["rule", "rounds", "any red", "all green", "neither", "minutes", ...plants],
      [
        row("perf-gate", "6-20", [], ""),
        row("perf-gate, no foreign-load check", "6-20", ["no foreign-load check"], ""),
        ...OTHERS.map(({ name, rounds }) => row(name, `${rounds}`, [], `${name} ${rounds}`)),
      ],
    ),
  ].join("\n");
};

/** The rules as a block of the data of replay.gp: unchanged yet red, and -5% and -10% found, in percent. */
export function chartData(name: string, results: Results): string {
  const rules: [label: string, rule: string][] = [["perf-gate", ""]];
  for (const { name: rule, rounds } of OTHERS) {
    rules.push([rounds === 1 ? rule : `${rule}, ${rounds} rounds a run`, `${rule} ${rounds}`]);
  }
  const lines = rules.map(([label, rule], i) => {
    const [same, slow5, slow10] = ["", "slow-5", "slow-10"].map((head) => results(head, [], rule)) as [
      Tally,
      Tally,
      Tally,
    ];
    const shares = [same.red / same.runs, slow5.found / slow5.runs, slow10.found / slow10.runs];
    return [i + 1, label, ...shares.map((part) => (100 * part).toFixed(2))].join("\t");
  });
  return [`0\t${name}`, ...lines].join("\n");
}

/** Ours, head by head. */
export const byHead: Part = ({ header }, results) => {
  const rows = header.heads.map((head) => {
    const own = results(head, []);
    const found = head === "" ? ["-", "-"] : [share(own, "found"), share(own, "soon")];
    return [headName(head), share(own, "red"), ...found, share(own, "green"), neither(own), minutes(own)];
  });
  const titles = ["head", "any red", "found", `within ${AIM / 60} minutes`, "all green", "neither", "minutes"];
  return ["## perf-gate by head", "", table(titles, rows)].join("\n");
};

/** The promise: with every cell on its line, red in at most 5% of runs. */
export const calibration: Part = (_, results) => {
  const gates: Gate[] = [
    ["median of the rounds on the line", ["median on the line"]],
    ["mean of the rounds on the line", ["mean on the line"]],
  ];
  return [
    "## Every cell and metric exactly on its line",
    "",
    "Runs of the unchanged head with its effect replaced by the margin. Promised: at most 5% with any red.",
    "",
    gateTable("", gates, [], results),
  ].join("\n");
};

/** Where the time of a block goes. */
export const times: Part = ({ blocks }) => {
  const all = [...blocks.values()].flat();
  const named: [string, (block: RecordedBlock) => number][] = [
    ["load", (block) => block.loadSeconds],
    ["restart", (block) => block.restartSeconds],
    ["warm-up", (block) => block.warmUpSeconds],
    ["start of k6, with the yardstick", (block) => block.k6StartSeconds],
  ];
  const rest = (block: RecordedBlock) => named.reduce((left, [, of]) => left - of(block), block.seconds);
  const parts = [
    ...named,
    ["gaps, end of k6, the rest", rest],
    ["whole block", ({ seconds }) => seconds],
  ] as typeof named;
  const total = mean(all.map((block) => block.seconds));
  const rows = parts.map(([name, of]) => {
    const seconds = mean(all.map(of));
    return [name, seconds.toFixed(2), percent(seconds / total)];
  });
  return ["## Where the time of a block goes", "", table(["", "s", "share"], rows)].join("\n");
};

/** What an earlier first look saves and costs. */
export const firstLooks: Part = (recording, results) => {
  const plants = plantsOf(recording);
  const looks: Gate[] = [
    ["4", ["first look 4"]],
    ["5", ["first look 5"]],
    ["6", []],
  ];
  const onTheLine = looks.map(([rounds, variants]): Gate => [rounds, ["median on the line", ...variants]]);
  return [
    "## First look",
    "",
    gateTable("first look, rounds", looks, plants, results),
    "",
    "With the median of every cell and metric on its line:",
    "",
    gateTable("first look, rounds", onTheLine, [], results),
  ].join("\n");
};

/** Slots of twice the length against twice the rounds, QPS alone. */
export const lengths: Part = (recording, results) => {
  const plants = plantsOf(recording);
  const material = materialOf(recording, "");
  const spread = (of: Material) => median(of.plan.cells.map(({ id }) => sd(logRatios(cleanRounds(of, id), qpsOf))));
  const ways: Variant[] = ["6 rounds", "6 rounds of twice the length", "12 rounds"];
  const spreads = ways.map((way) => `${way} ${percent(spread(VARIANTS[way](material)))}`).join(", ");
  return [
    "## Length of slots",
    "",
    `QPS alone, no test over all cells; two neighbouring rounds taken as one of twice the length, with one restart. The sd of a round, median over the cells: ${spreads}. Were rounds independent, that of one of twice the length would be ${percent(spread(material) / Math.SQRT2)}.`,
    "",
    gateTable(
      "first look at",
      ways.map((way) => [way, [way]]),
      plants,
      results,
    ),
  ].join("\n");
};

/** CPU time per request beside QPS: as a control variate, and as a gate of its own. */
export const cpuTime: Part = (recording, results) => {
  const plants = plantsOf(recording);
  const material = materialOf(recording, "");
  const unchecked = VARIANTS["no foreign-load check"](material);
  const rows = material.plan.cells.flatMap(({ id }) =>
    (
      [
        ["that count", material],
        ["all", unchecked],
      ] as const
    ).map(([which, of]) => {
      const rounds = cleanRounds(of, id);
      const [qps, cpu] = [logRatios(rounds, qpsOf), logRatios(rounds, cpuOf)];
      const r = correlation(qps, cpu);
      return [id, which, `${rounds.length}`, percent(sd(qps)), percent(sd(cpu)), r.toFixed(2), percent(r * r)];
    }),
  );
  const gates: Gate[] = [
    ["QPS", ["6 rounds"]],
    ["CPU time", ["CPU time"]],
    ["CPU time, no foreign-load check", ["CPU time, no foreign-load check"]],
  ];
  return [
    "## CPU time per request",
    "",
    "Unchanged head, log ratios of a round: a regression on the CPU time would save this share of the variance of QPS, if what the change does to the CPU time were known.",
    "",
    table(["cell", "rounds", "n", "sd QPS", "sd CPU", "correlation", "variance saved"], rows),
    "",
    "As a gate of its own, with the margin of QPS, beside QPS alone; neither with a test over all cells:",
    "",
    gateTable("metric", gates, plants, results),
  ].join("\n");
};

/** What the yardstick says of the load that follows it, and what striking by it would buy. */
export const yardstick: Part = (recording, results) => {
  const plants = plantsOf(recording);
  const material = materialOf(recording, "");
  const speed = material.blocks.map(({ yardstickMs }) => -Math.log(yardstickMs));
  const rows = material.plan.cells.map(({ id }) => {
    const rounds = material.blocks.map((block) => roundOf(block, id));
    const base = rounds.map(({ base: slot }) => Math.log(slot.qps));
    const apart = rounds.map(({ base: slot, head }) => Math.abs(Math.log(head.qps / slot.qps)));
    return [id, percent(sd(base)), correlation(speed, base).toFixed(2), correlation(speed, apart).toFixed(2)];
  });
  const gates: Gate[] = [
    ["as it is", []],
    ["blocks with a yardstick 10% slower struck", ["slow blocks struck"]],
  ];
  return [
    "## The yardstick",
    "",
    `A fixed piece of work on the service's core before each block; its speed has an sd of ${percent(sd(speed))} over the blocks. Unchanged head, correlations over all blocks:`,
    "",
    table(["cell", "sd of ln QPS", "speed and QPS", "speed and distance of the arms"], rows),
    "",
    gateTable("rule", gates, plants, results),
  ].join("\n");
};

/** A rule of ours with changes. */
type Gate = [name: string, variants: Variant[]];

/** What each makes of the unchanged head and of the plants. */
function gateTable(title: string, gates: readonly Gate[], plants: readonly string[], results: Results): string {
  const rows = gates.map(([name, variants]) => {
    const same = results("", variants);
    const found = plants.map((plant) => {
      const tally = results(plant, variants);
      return `${share(tally, "found")}, ${tally.minutes.median.toFixed(1)}`;
    });
    return [name, share(same, "red"), share(same, "flagged"), share(same, "green"), minutes(same), ...found];
  });
  const columns = plants.map((plant) => `${plant}: found, minutes`);
  return table([title, "any red", "any red before confirming", "all green", "minutes", ...columns], rows);
}

function neither({ runs, red, green }: Tally): string {
  return percent((runs - red - green) / runs);
}

function share(found: Tally, of: "red" | "flagged" | "found" | "soon" | "green"): string {
  return percent(found[of] / found.runs);
}

/** Standard deviation, n - 1. */
function sd(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/** Pearson's. */
function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  const covariance = a.reduce((sum, value, i) => sum + (value - meanA) * ((b[i] ?? Number.NaN) - meanB), 0);
  return covariance / (a.length - 1) / (sd(a) * sd(b));
}

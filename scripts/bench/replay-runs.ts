import { uniformInt } from "pure-rand/distribution/uniformInt";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";
import { blockSeconds } from "../src/core/budget.ts";
import { ARMS, type Arm, type SampleLine } from "../src/core/model.ts";
import { begin, flaggedTests, type Run, take } from "../src/core/replay.ts";
import { roundSeconds } from "../src/core/schedule.ts";
import { measuredValue } from "../src/core/test-state.ts";
import { nextStep } from "../src/phases/measure-step.ts";
import { OVERHEAD } from "../src/phases/plan.ts";
import { randomFrom } from "../test/history-fixtures.ts";
import { type Material, mean, roundOf, statisticOf } from "./replay-materials.ts";
import { bencherAlerts, benchmarkActionAlerts, benchstatReports, type Direction } from "./rules.ts";

/** What one simulated run came to. */
export interface Outcome {
  /** Tests that are red, as "<cell id>/<metric>" or "overall". */
  red: string[];
  /** Red before they were to be confirmed; the same where nothing is confirmed. */
  flagged: string[];
  green: boolean;
  /** Wall time of its blocks, s. */
  seconds: number;
}

/** What many simulated runs came to. */
export interface Tally {
  runs: number;
  /** Runs with any red. */
  red: number;
  /** Runs with any red before confirmation. */
  flagged: number;
  /** Runs with a red where the head is slower. */
  found: number;
  /** Of these, within AIM. */
  soon: number;
  green: number;
  /** Minutes of measuring. */
  minutes: { median: number; p95: number };
}

/** Within how long a plant should be found, s. */
export const AIM = 360;

/** Simulates `runs` runs, one after the other from one seed. */
export function tally(material: Material, head: string, runs: number, seed: number, rule: RunRule): Tally {
  const random = randomFrom(seed);
  const outcomes = Array.from({ length: runs }, () => rule(() => draws(random, material)));
  const count = (holds: (outcome: Outcome) => boolean) => outcomes.filter(holds).length;
  const minutes = outcomes.map(({ seconds }) => seconds / 60).sort((a, b) => a - b);
  const isFound = ({ red }: Outcome) => red.some((test) => concerns(material, head, test));
  return {
    runs,
    red: count(({ red }) => red.length > 0),
    flagged: count(({ flagged }) => flagged.length > 0),
    found: count(isFound),
    soon: count((outcome) => isFound(outcome) && outcome.seconds <= AIM),
    green: count(({ green }) => green),
    minutes: { median: quantile(minutes, 0.5), p95: quantile(minutes, 0.95) },
  };
}

/** One simulated run; `series` begins a series of recorded blocks anywhere. */
export type RunRule = (series: () => () => number) => Outcome;

/**
 * Indexes of recorded blocks: a random one and those after it, the first after the last; after `span` of them again. A
 * moving-block bootstrap that wraps around: what lasts longer than a block stays together (Künsch 1989, Ann. Stat. 17;
 * Politis and Romano 1992).
 */
export function draws(random: RandomGenerator, { blocks, span }: Material): () => number {
  let left = 0;
  let at = 0;
  return () => {
    if (left === 0) {
      at = uniformInt(random, 0, blocks.length - 1);
      left = span;
    }
    left--;
    return at++ % blocks.length;
  };
}

/** Value below which a share of the sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Whether a plant makes this test worse: a stall the latencies, a query the cells that query, all others everything. */
export function concerns({ plan }: Material, head: string, test: string): boolean {
  if (head === "stall") return test.endsWith("/latency");
  if (head !== "extra-query" || test === "overall") return true;
  const cell = plan.cells.find(({ id }) => test.startsWith(`${id}/`));
  const work = plan.config.scenarios.find(({ name }) => name === cell?.scenario)?.work;
  return work?.kind === "request" && work.path.includes("quer");
}

// ---------------------------------------------------------------- perf-gate

const BLOCK_END: SampleLine = {
  kind: "block",
  stage: "main",
  block: 0,
  yardstickMs: 1,
  times: { restart: 0, k6Start: 0, warmUp: 0, load: 0, total: 0 },
};

/** The program's own loop over drawn blocks: its looks, strikes, confirmation and budget. */
export function gate(material: Material): RunRule {
  return (series) => {
    const { run, seconds } = gateRun(material, series());
    return { ...verdictOf(run), seconds };
  };
}

/** @param draw index of the next recorded block */
export function gateRun(material: Material, draw: () => number): { run: Run; seconds: number; lines: SampleLine[] } {
  const { plan, cells, blocks, firstLook, overall } = material;
  const pilots = new Map(cells.map((cell) => [cell.cell, cell]));
  const run = begin(plan, null, cells);
  run.rule.firstLook = firstLook;
  if (!overall) run.overall = null;
  const lines: SampleLine[] = [];
  const add = (line: SampleLine) => {
    lines.push(line);
    take(run, line);
  };
  const loaded = blockSeconds(cells, 0);
  let overhead: number = OVERHEAD.block;
  let seconds = 0;
  for (;;) {
    const step = nextStep(run, pilots, overhead, OVERHEAD.start + seconds);
    if (step.kind === "stop") return { run, seconds, lines };
    if (step.kind === "confirm") {
      add({ kind: "confirm", tests: step.tests });
      continue;
    }
    const block = blocks[draw()];
    if (block === undefined) throw new Error("a recording without blocks");
    for (const slot of block.slots) if (step.cells.some(({ cell }) => cell === slot.cell)) add(slot);
    add(BLOCK_END);
    overhead = block.seconds - loaded;
    seconds += overhead + step.cells.reduce((sum, cell) => sum + roundSeconds(cell), 0);
  }
}

/** As compare.ts has it: red where confirmed, green where every cell passed and nothing looks red. */
export function verdictOf(run: Run): Omit<Outcome, "seconds"> {
  const flagged = flaggedTests(run).map(({ test }) => test);
  const confirmed = run.confirmation?.tests.filter(({ verdict }) => verdict === "regression").map(({ id }) => id) ?? [];
  const passed = run.cells.every(
    ({ status, tests }) => status === "judged" && tests.every(({ verdict }) => verdict === "pass"),
  );
  return { red: flagged.filter((test) => confirmed.includes(test)), flagged, green: passed && flagged.length === 0 };
}

// ---------------------------------------------------------------- other tools

/** One metric of one cell in every recorded block. */
interface Figures {
  test: string;
  direction: Direction;
  base: number[];
  head: number[];
}

function figuresOf(material: Material): Figures[] {
  const { plan, blocks } = material;
  return plan.cells.flatMap(({ id }) => {
    const rounds = blocks.map((block) => roundOf(block, id));
    const of = (statistic: Parameters<typeof measuredValue>[1]) =>
      Object.fromEntries(
        ARMS.map((arm) => [arm, rounds.map((round) => measuredValue(round[arm], statistic))]),
      ) as Record<Arm, number[]>;
    return [
      { test: `${id}/qps`, direction: 1 as const, ...of("qps") },
      { test: `${id}/latency`, direction: -1 as const, ...of(statisticOf(material, id)) },
    ];
  });
}

const RUNS = 10;
const HISTORY = 64;
const BOUNDARY = 0.99;

/** What one other tool makes of the figures; `rounds` recorded rounds are one run of its benchmark. */
export interface OtherRule {
  name: string;
  rounds: number;
  rule: (material: Material) => RunRule;
}

/** Their rules, as they are used and in ways that are kinder to them: longer runs, both versions in one job. */
export const OTHERS: readonly OtherRule[] = [
  ...[2, 1.1, 1.05].flatMap((threshold) => [1, 6].map((rounds) => action(threshold, rounds, false))),
  action(1.05, 6, true),
  benchstat(false),
  benchstat(true),
  bencher(1),
  bencher(6),
];

function action(threshold: number, rounds: number, sameJob: boolean): OtherRule {
  const name = `github-action-benchmark, ${Math.round(100 * threshold)}%${sameJob ? ", both in one job" : ""}`;
  const rule = judging((figures, series, seconds) => {
    const current = taken(series(), rounds);
    const previous = sameJob ? current : taken(series(), rounds);
    return {
      red: figures.filter(({ base, head, direction }) =>
        benchmarkActionAlerts(meanAt(base, previous), meanAt(head, current), direction, threshold),
      ),
      seconds: sameJob ? seconds(current) : seconds(current) / 2,
    };
  });
  return { name, rounds, rule };
}

function benchstat(interleaved: boolean): OtherRule {
  const name = `benchstat, ${RUNS} runs of each, ${interleaved ? "interleaved" : "one after the other"}`;
  const rule = judging((figures, series, seconds) => {
    const all = taken(series(), interleaved ? RUNS : 2 * RUNS);
    const [before, after] = interleaved ? [all, all] : [all.slice(0, RUNS), all.slice(RUNS)];
    return {
      red: figures.filter(({ base, head, direction }) =>
        benchstatReports(at(base, before), at(head, after), direction),
      ),
      seconds: interleaved ? seconds(all) : seconds(all) / 2,
    };
  });
  return { name, rounds: 1, rule };
}

function bencher(rounds: number): OtherRule {
  const rule = judging((figures, series, seconds) => {
    const history = Array.from({ length: HISTORY }, () => taken(series(), rounds));
    const current = taken(series(), rounds);
    return {
      red: figures.filter(({ base, head, direction }) => {
        const before = history.map((run) => meanAt(base, run));
        return bencherAlerts(before, meanAt(head, current), direction, BOUNDARY);
      }),
      seconds: seconds(current) / 2,
    };
  });
  return { name: `Bencher, t-test at ${BOUNDARY}, ${HISTORY} runs before`, rounds, rule };
}

type Judge = (
  figures: readonly Figures[],
  series: () => () => number,
  seconds: (indexes: readonly number[]) => number,
) => { red: Figures[]; seconds: number };

/** Nothing is struck, nothing confirmed; what is not red is green. */
function judging(judge: Judge): (material: Material) => RunRule {
  return (material) => {
    const figures = figuresOf(material);
    const wall = material.blocks.map((block) => block.seconds);
    const sum = (indexes: readonly number[]) => at(wall, indexes).reduce((total, value) => total + value, 0);
    return (series) => {
      const { red, seconds } = judge(figures, series, sum);
      const tests = red.map(({ test }) => test);
      return { red: tests, flagged: tests, green: tests.length === 0, seconds };
    };
  };
}

function taken(draw: () => number, count: number): number[] {
  return Array.from({ length: count }, draw);
}

function at(values: readonly number[], indexes: readonly number[]): number[] {
  return indexes.map((index) => values[index] ?? Number.NaN);
}

function meanAt(values: readonly number[], indexes: readonly number[]): number {
  return mean(at(values, indexes));
}

/**
 * What a store of unchanged runs is worth: `stored.ts STORE`, a file of records of one commit. Per length of the
 * history, over 200 draws without replacement of that many records and one run to be judged by them: runs with any
 * false red and cells that are green; by ratios to the anchor, and by the absolute figures beside it. The spread
 * between the records, likewise.
 */
import { readFileSync } from "node:fs";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import type { HistoryRecord } from "../src/core/record.ts";
import { judgeStored, type StoredLook } from "../src/core/stored.ts";
import { randomFrom } from "../test/history-fixtures.ts";

const DRAWS = 200;
const LENGTHS = [1, 5, 15];
/** The defaults: ALPHA and BETA of the rule, baseline.* of the configuration. */
const RULE = { alpha: 0.05, beta: 0.05, noise: 0.03 };
const MARGINS = { qps: { line: 0.9, direction: 1 }, latency: { line: 1.3, direction: -1 } } as const;
const METRICS = ["qps", "latency"] as const;
const WAYS = ["relative to the anchor", "absolute"] as const;
type Way = (typeof WAYS)[number];
type Measured = Parameters<typeof judgeStored>[0];

const text = readFileSync(process.argv[2] ?? "", "utf8").trimEnd();
const records = text.split("\n").map((line) => JSON.parse(line) as HistoryRecord);
const cells = (records[0]?.cells ?? []).map(({ id }) => id);

/** A cell's figure in one record, as a log; how well a job knows an absolute one is not recorded. */
function figureOf(record: HistoryRecord, cell: string, metric: (typeof METRICS)[number], way: Way): Measured {
  const figure = record.cells.find(({ id }) => id === cell)?.[metric];
  if (figure === undefined || figure === null) throw new Error(`record ${record.id} lacks ${metric} of ${cell}`);
  return way === "absolute" ? { logRatio: Math.log(figure.head), sd: 0, rounds: figure.rounds } : figure;
}

function judge(run: HistoryRecord, history: readonly HistoryRecord[], way: Way): StoredLook["verdict"][][] {
  const tests = cells.length * METRICS.length;
  return cells.map((cell) =>
    METRICS.map((metric) => {
      const figures = history.map((record) => figureOf(record, cell, metric, way));
      return judgeStored(figureOf(run, cell, metric, way), figures, MARGINS[metric], { ...RULE, tests }).verdict;
    }),
  );
}

function drawn(count: number, seed: number): HistoryRecord[] {
  const random = randomFrom(seed);
  const left = [...records];
  return Array.from(
    { length: count },
    () => left.splice(uniformInt(random, 0, left.length - 1), 1)[0] as HistoryRecord,
  );
}

function sd(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

const percent = (value: number) => `${(100 * value).toFixed(1)}%`;

console.log(`${records.length} records of ${cells.length} cells\n`);
console.log("| cell | metric | sd between records: relative | absolute |\n| --- | --- | --- | --- |");
for (const cell of cells) {
  for (const metric of METRICS) {
    const spread = WAYS.map((way) =>
      percent(sd(records.map((record) => figureOf(record, cell, metric, way).logRatio))),
    );
    console.log(`| ${cell} | ${metric} | ${spread.join(" | ")} |`);
  }
}
console.log("\n| history | way | runs with a false red | cells green |\n| --- | --- | --- | --- |");
for (const length of LENGTHS.filter((count) => count < records.length)) {
  for (const way of WAYS) {
    let red = 0;
    let green = 0;
    for (let draw = 0; draw < DRAWS; draw++) {
      const [run, ...history] = drawn(length + 1, 1000 * length + draw);
      const verdicts = judge(run as HistoryRecord, history, way);
      if (verdicts.flat().includes("regression")) red++;
      green += verdicts.filter((cell) => cell.every((verdict) => verdict === "pass")).length;
    }
    console.log(`| ${length} | ${way} | ${percent(red / DRAWS)} | ${percent(green / DRAWS / cells.length)} |`);
  }
}

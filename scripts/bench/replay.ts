/**
 * Decision rules over recorded blocks: `replay.ts DATA RECORDING...` prints, for every recording, what runs drawn from
 * its blocks come to by perf-gate's rule and by those of other tools; whether the promise about false reds holds with
 * every cell on its line; where the minutes go and what fewer of them cost; what CPU time per request is worth. DATA is
 * written for replay.gp.
 */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { InputError } from "../src/core/errors.ts";
import type { Recording } from "./recording.ts";
import { readRecording } from "./recording.ts";
import { materialOf, VARIANTS, type Variant } from "./replay-materials.ts";
import { gate, OTHERS, type Tally, tally } from "./replay-runs.ts";
import {
  byHead,
  calibration,
  chartData,
  cpuTime,
  firstLooks,
  lengths,
  type Results,
  rules,
  setting,
  times,
  yardstick,
} from "./replay-tables.ts";

/** Simulated runs of the rules as they are and with every cell on its line, and of each change to ours. */
const RUNS = 2000;
const FEWER = 250;
/** Blocks from which on a draw can differ from another. */
const FEWEST = 8;
/** The same draws for every rule and head. */
const SEED = 6;

const ON_THE_LINE: readonly Variant[] = ["median on the line", "mean on the line"];
const FIRST_LOOKS: readonly Variant[] = ["first look 4", "first look 5"];
const CPU_TIME: readonly Variant[] = ["CPU time", "CPU time, no foreign-load check"];

interface Job {
  path: string;
  head: string;
  /** Applied one after the other. */
  variants: Variant[];
  runs: number;
  /** Whether the other tools' rules are meant. */
  others: boolean;
}

/** By rule; ours is "". */
type Tallies = Map<string, Tally>;

/** @param kept whether changes to the rule are not tried on it, so that none can be tuned to it */
function jobsOf(path: string, { header }: Recording, kept: boolean): Job[] {
  const job = (head: string, variants: Variant[], runs: number): Job => ({ path, head, variants, runs, others: false });
  const sweep = (variants: readonly Variant[]) =>
    header.heads.flatMap((head) => variants.map((variant) => job(head, [variant], FEWER)));
  const jobs = [
    ...header.heads.flatMap((head) => [job(head, [], RUNS), { ...job(head, [], RUNS), others: true }]),
    ...ON_THE_LINE.map((variant) => job("", [variant], RUNS)),
    ...sweep(["no foreign-load check"]),
  ];
  if (kept) return jobs;
  return [
    ...jobs,
    ...FIRST_LOOKS.map((look) => job("", ["median on the line", look], RUNS)),
    ...sweep([
      ...FIRST_LOOKS,
      ...CPU_TIME,
      "slow blocks struck",
      "6 rounds",
      "6 rounds of twice the length",
      "12 rounds",
    ]),
  ];
}

const recordings = new Map<string, Recording>();

function work({ path, head, variants, runs, others }: Job): Tallies {
  const recording = recordings.get(path) ?? readRecording(path);
  recordings.set(path, recording);
  const material = variants.reduce((before, variant) => VARIANTS[variant](before), materialOf(recording, head));
  if (!others) return new Map([["", tally(material, head, runs, SEED, gate(material))]]);
  return new Map(
    OTHERS.map(({ name, rounds, rule }) => [`${name} ${rounds}`, tally(material, head, runs, SEED, rule(material))]),
  );
}

/** The jobs' results in their order, from as many workers as there are cores. */
async function workAll(jobs: readonly Job[]): Promise<Tallies[]> {
  const results: Tallies[] = [];
  let begun = 0;
  const workers = Array.from({ length: Math.min(availableParallelism(), jobs.length) }, async () => {
    const worker = new Worker(process.argv[1] ?? "");
    try {
      while (begun < jobs.length) {
        const index = begun++;
        worker.postMessage(jobs[index]);
        [results[index]] = (await once(worker, "message")) as [Tallies];
      }
    } finally {
      await worker.terminate();
    }
  });
  await Promise.all(workers);
  return results;
}

async function main(chart: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) throw new InputError("replay: no recording; bench.sh record makes one");
  const charts: string[] = [];
  const seen = new Set<string>();
  for (const path of paths) {
    const recording = readRecording(path);
    const { blocks, condition, driver } = recording.header;
    if (blocks < FEWEST) throw new InputError(`${path}: at least ${FEWEST} blocks are drawn from, it has ${blocks}`);
    // The second of a condition is kept for checking.
    const kept = seen.has(`${condition} ${driver}`);
    seen.add(`${condition} ${driver}`);
    const jobs = jobsOf(path, recording, kept);
    const before = performance.now();
    const tallies = await workAll(jobs);
    const seconds = (performance.now() - before) / 1000;
    const results: Results = (head, variants, rule = "") => {
      const index = jobs.findIndex(
        (job) => job.head === head && `${job.variants}` === `${variants}` && job.others === (rule !== ""),
      );
      const found = tallies[index]?.get(rule);
      if (found === undefined) throw new Error(`not simulated: ${head} ${variants} ${rule}`);
      return found;
    };
    const runs = jobs.reduce((sum, job) => sum + job.runs * (job.others ? OTHERS.length : 1), 0);
    charts.push(chartData(basename(path, ".ndjson.gz"), results));
    const parts = [setting, rules, byHead, calibration, times];
    if (!kept) parts.push(firstLooks, lengths, cpuTime, yardstick);
    console.log(`# ${basename(path, ".ndjson.gz")}\n`);
    for (const part of parts) console.log(`${part(recording, results)}\n`);
    console.log(`${runs.toLocaleString("en")} simulated runs in ${seconds.toFixed(0)} s.\n`);
  }
  // Two blank lines between blocks: gnuplot's.
  writeFileSync(chart, `${charts.join("\n\n\n")}\n`);
}

if (isMainThread) {
  try {
    const [chart = "", ...paths] = process.argv.slice(2);
    await main(chart, paths);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
} else {
  parentPort?.on("message", (job: Job) => parentPort?.postMessage(work(job)));
}

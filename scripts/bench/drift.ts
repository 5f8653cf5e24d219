/**
 * How well steps are found: 200 series of 120 nights for each size of step, two steps each, at 2% noise; false steps in
 * unchanged histories that are looked at every night; and what apache-otava finds in the same series where $OTAVA is a
 * Python that has it (scripts/test/core/fixtures/otava_steps.py).
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { levelOf, SMALLEST } from "../src/core/change-points.ts";
import { Stretches, stepsOf } from "../src/core/stats/steps.ts";
import { normals, randomFrom } from "../test/history-fixtures.ts";

const SERIES = 200;
const NIGHTS = 120;
const NOISE = 0.02;
/** Tests that share the error rate: eight cells, two metrics. */
const TESTS = 16;
/** A step counts as found where it is seen at most this many nights off. */
const TOLERANCE = 3;
const DAYS_UNCHANGED = 365;

type Noise = "normal" | "heavy tails" | "5% bad nights";

interface Example {
  values: number[];
  steps: number[];
}

/** Two steps, up and down, at random places at least 20 nights from each other and from the ends. */
function example(size: number, noise: Noise, seed: number): Example {
  const random = randomFrom(seed * 7919 + 13);
  const deviate = deviates(noise, seed);
  const first = uniformInt(random, 20, 50);
  const steps = size === 0 ? [] : [first, uniformInt(random, first + 20, NIGHTS - 20)];
  const [from = NIGHTS, to = NIGHTS] = steps;
  const up = uniformInt(random, 0, 1) === 0 ? 1 : -1;
  const values = Array.from({ length: NIGHTS }, (_, i) => (i >= from && i < to ? up * size : 0) + NOISE * deviate());
  return { values, steps };
}

function deviates(noise: Noise, seed: number): () => number {
  const normal = normals(seed);
  const random = randomFrom(seed * 104_729 + 7);
  switch (noise) {
    case "normal":
      return normal;
    case "heavy tails":
      // Student's t with 3 degrees of freedom, scaled to sd 1.
      return () => normal() / Math.sqrt(normal() ** 2 + normal() ** 2 + normal() ** 2);
    case "5% bad nights":
      // 30% slower, as one unlucky machine is.
      return () => normal() - (uniformInt(random, 0, 19) === 0 ? 15 : 0);
  }
}

function ours(values: readonly number[]): number[] {
  return stepsOf(new Stretches(values), levelOf(TESTS), SMALLEST).map(({ index }) => index);
}

/** What apache-otava finds in each series; null without it. */
function otavas(examples: readonly Example[]): number[][] | null {
  const python = process.env["OTAVA"];
  if (python === undefined) return null;
  const script = fileURLToPath(new URL("../core/fixtures/otava_steps.py", import.meta.url));
  const input = JSON.stringify(Object.fromEntries(examples.map(({ values }, i) => [String(i), values])));
  const done = spawnSync(python, [script], { input, encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(done.stderr);
  return Object.values(JSON.parse(done.stdout) as Record<string, number[]>);
}

/** "recall 98%, precision 99%, exact 61%" over all series. */
function score(examples: readonly Example[], found: readonly (readonly number[])[]): string {
  let [real, hit, exact, claimed] = [0, 0, 0, 0];
  for (const [i, { steps }] of examples.entries()) {
    const seen = found[i] ?? [];
    real += steps.length;
    claimed += seen.length;
    for (const step of steps) {
      const off = Math.min(...seen.map((index) => Math.abs(index - step)));
      if (off <= TOLERANCE) hit++;
      if (off === 0) exact++;
    }
  }
  const percent = (share: number) => (Number.isNaN(share) ? "-" : `${Math.round(share * 1000) / 10}%`);
  if (real === 0) return `${claimed} false in ${examples.length} series`;
  return `${percent(hit / real)} | ${percent(hit / claimed)} | ${percent(exact / real)}`;
}

function table(): void {
  const beside = process.env["OTAVA"] === undefined ? "" : " apache-otava: recall | precision | exact |";
  process.stdout.write(`| noise | step | recall | precision | exact |${beside}\n`);
  process.stdout.write(`| --- | --- | --- | --- | --- |${beside === "" ? "" : " --- | --- | --- |"}\n`);
  for (const noise of ["normal", "heavy tails", "5% bad nights"] as const) {
    for (const size of [0.03, 0.05, 0.1, 0]) {
      const examples = Array.from({ length: SERIES }, (_, i) => example(size, noise, i + 1));
      const theirs = otavas(examples);
      const wide = (text: string) => (size === 0 ? `${text} | | ` : text);
      const other = theirs === null ? "" : ` ${wide(score(examples, theirs))} |`;
      const own = wide(
        score(
          examples,
          examples.map(({ values }) => ours(values)),
        ),
      );
      process.stdout.write(`| ${noise} | ${size * 100}% | ${own} |${other}\n`);
    }
  }
}

/** Nights after a step of `size` until it is seen: 30 nights before it, then one more at a time. */
function delay(size: number): void {
  const nights = Array.from({ length: SERIES }, (_, i) => {
    const normal = normals(i + 1);
    const values = Array.from({ length: 30 }, () => NOISE * normal());
    for (let after = 1; after <= 30; after++) {
      values.push(size + NOISE * normal());
      if (ours(values).some((index) => Math.abs(index - 30) <= TOLERANCE)) return after;
    }
    return Number.POSITIVE_INFINITY;
  }).sort((a, b) => a - b);
  const at = (share: number) => {
    const night = nights[Math.floor(share * SERIES)] ?? Number.POSITIVE_INFINITY;
    return night === Number.POSITIVE_INFINITY ? "more than 30" : night;
  };
  process.stdout.write(`${size * 100}%: seen after ${at(0.5)} nights in the median, ${at(0.9)} in 90% of the series\n`);
}

/** Unchanged series, looked at every night for a year: in how many is there ever a false step. */
function unchanged(noise: Noise): void {
  let nights = 0;
  const series = Array.from({ length: SERIES }, (_, i) => {
    const deviate = deviates(noise, i + 1);
    const values: number[] = [];
    let ever = false;
    for (let night = 1; night <= DAYS_UNCHANGED; night++) {
      values.push(NOISE * deviate());
      const seen = night > 5 && ours(values).length > 0;
      if (seen) nights++;
      ever ||= seen;
    }
    return ever;
  });
  const share = series.filter(Boolean).length / SERIES;
  const suite = 1 - (1 - share) ** TESTS;
  process.stdout.write(
    `${noise}: a false step ever seen in ${series.filter(Boolean).length} of ${SERIES} series within ${DAYS_UNCHANGED} nights (${nights} nights in all); ` +
      `for a suite of ${TESTS} that is ${Math.round(suite * 100)}% a year\n`,
  );
}

table();
process.stdout.write(`\nAfter 30 nights, at ${NOISE * 100}% noise:\n`);
for (const size of [0.03, 0.05, 0.1]) delay(size);
process.stdout.write("\nNothing changed, looked at every night:\n");
for (const noise of ["normal", "heavy tails", "5% bad nights"] as const) unchanged(noise);

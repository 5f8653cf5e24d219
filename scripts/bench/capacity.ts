/**
 * Whether `capacity` finds what is known: PHP workers that sleep hold workers / sleep requests per second, less what a
 * request costs besides. Prints a Markdown table, a row per service: what is known, what was found, the error, and the
 * interval.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { markdownTable } from "markdown-table";
import { InputError } from "../src/core/errors.ts";
import { capacityPhase, planCapacity } from "../src/phases/capacity.ts";
import { quietProgress } from "../src/phases/progress.ts";
import { WorkDirectory } from "../src/phases/work-directory.ts";
import { home } from "../test/e2e/rig.ts";

const [APPROACHES = "3", ...NAMED] = process.argv.slice(2);
const SERVICES = (NAMED.length === 0 ? ["2x200", "2x50", "4x20", "16x40"] : NAMED).map((name) => {
  const [, workers, sleepMs] = /^(\d{1,3})x(\d{1,4})$/.exec(name) ?? [];
  if (workers === undefined) throw new InputError(`allowed is WORKERSxMS such as 2x50, got ${JSON.stringify(name)}`);
  return { workers: Number(workers), sleepMs: Number(sleepMs) };
});

const SLEEPER = `<?php
usleep((int) ($_GET['ms'] ?? 0) * 1000);
echo 'slept';
`;
// Who sleeps needs no CPU: what others take of it says little of this capacity.
const config = (workers: number, sleepMs: number): string => `target: { driver: process, php: { workers: ${workers} } }
scenarios: [{ name: sleeping, path: "/?ms=${sleepMs}" }]
measure: { max-foreign-cpu: off }
`;

/** One search of a service of known capacity; the cells of its row. */
async function row(workers: number, sleepMs: number): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-capacity-"));
  try {
    writeFileSync(join(directory, "index.php"), SLEEPER);
    writeFileSync(join(directory, "perf-gate.yml"), config(workers, sleepMs));
    const progress = quietProgress(process.stderr);
    const search = await planCapacity({ head: directory, approaches: APPROACHES }, progress.warn);
    const work = new WorkDirectory(join(directory, ".perf-gate"));
    const { capacity } = await capacityPhase(search, work, home, progress, new AbortController().signal);
    const answer = capacity.scenarios[0]?.answer ?? null;
    const known = (1000 * workers) / sleepMs;
    const service = [`${workers} workers, ${sleepMs} ms`, `${known}/s`];
    if (answer?.kind !== "capacity") return [...service, JSON.stringify(answer)];
    const { rate, interval } = answer;
    return [
      ...service,
      `${rate.toFixed(1)}/s`,
      `${(100 * (rate / known - 1)).toFixed(1)}%`,
      interval === null ? "" : `${interval.low.toFixed(1)} to ${interval.high.toFixed(1)}`,
      `${Math.round(capacity.wallSeconds)} s`,
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const rows: string[][] = [];
for (const { workers, sleepMs } of SERVICES) rows.push(await row(workers, sleepMs));
process.stdout.write(`${markdownTable([["service", "known", "found", "error", "interval", "took"], ...rows])}\n`);

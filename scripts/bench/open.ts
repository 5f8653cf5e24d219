/**
 * What makes latency at a fixed arrival rate repeatable: an unchanged head beside its base at 30, 50 and 70% of what a
 * closed load reaches, in slots of 1, 3 and 6 s, interleaved, and the closed load itself for comparison. Prints the sd
 * of the log ratios of rounds by percentile, and how long a cell would be under load until 20% can be told from
 * nothing. Every slot is in samples.ndjson of the given directory.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { markdownTable } from "markdown-table";
import type { PilotCell, SlotSample } from "../src/core/model.ts";
import { afterPilot } from "../src/core/plan.ts";
import { median, scaledMad } from "../src/core/stats/robust.ts";
import { strikeReason } from "../src/core/validity.ts";
import { type Rig, runBlock, runPilot } from "../src/measure/block.ts";
import { startRig, TARGET } from "../test/e2e/rig.ts";

const PATH = "/queries?n=5&connection=persistent";
const VUS = 20;
const SHARES = [0.3, 0.5, 0.7];
const SLOTS = [1, 3, 6];
const PERCENTILES = ["p50", "p90", "p95", "p99"] as const;
/** Standard errors that decide, about, and the margin of a gated latency. */
const DECIDE = 3;
const MARGIN = Math.log(1.2);

const [directory = ".", wanted = ""] = process.argv.slice(2);
const blocks = Number(wanted);
if (!(Number.isInteger(blocks) && blocks > 2)) throw new Error(`BLOCKS: a whole number from 3 on, got ${wanted}`);
const say = (text: string) => process.stderr.write(`${text}\n`);

const yaml = (slot: number, rates: readonly number[]) => `${TARGET}  php: { workers: 8 }
scenarios:
  - { name: closed, path: "${PATH}", levels: [${VUS}] }
${rates.length === 0 ? "" : `  - { name: open, path: "${PATH}", model: open, rate: [${rates.join(", ")}] }\n`}measure: { slot: ${slot}s }
`;

/** Requests/s that a closed load reaches. */
async function capacity(): Promise<number> {
  const rig = await startRig(yaml(1, []));
  try {
    return median((await runPilot(rig)).map(({ qps }) => qps));
  } finally {
    await rig.close();
  }
}

const reached = await capacity();
const rates = SHARES.map((share) => Math.round(share * reached));
const rigs: { slot: number; rig: Rig & { close(): Promise<void> }; cells: PilotCell[] }[] = [];
const samples = new Map<number, SlotSample[]>(SLOTS.map((slot) => [slot, []]));
try {
  for (const slot of SLOTS) {
    const rig = await startRig(yaml(slot, rates));
    rigs.push({ slot, rig, cells: [] });
    const pilots = await runPilot(rig);
    const cells = pilots.map(({ cell, qps, p99Ms }) => afterPilot(rig.plan, cell, qps, p99Ms));
    rigs[rigs.length - 1] = { slot, rig, cells };
  }
  for (let block = 0; block < blocks; block++) {
    for (const { slot, rig, cells } of block % 2 === 0 ? rigs : rigs.toReversed()) {
      const { samples: found } = await runBlock(rig, cells, "main", block);
      samples.get(slot)?.push(...found);
      appendFileSync(
        join(directory, "samples.ndjson"),
        found.map((one) => `${JSON.stringify({ slot, ...one })}\n`).join(""),
      );
    }
    say(`block ${block + 1} of ${blocks}`);
  }
} finally {
  for (const { rig } of rigs) await rig.close();
}

const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
const [{ rig }] = rigs as [(typeof rigs)[number]];
const rows = rig.plan.cells.flatMap(({ id }) =>
  SLOTS.map((slot) => {
    const own = (samples.get(slot) ?? []).filter(({ cell }) => cell === id);
    const rounds = Array.from({ length: blocks }, (_, block) => {
      const [base, head] = (["base", "head"] as const).map((arm) =>
        own.find((one) => one.block === block && one.arm === arm),
      );
      return base === undefined || head === undefined ? [] : [{ base, head }];
    }).flat();
    const { measure } = rig.plan.config;
    const clean = rounds.filter(({ base, head }) =>
      [strikeReason(base, head, measure, rig.plan.layout), strikeReason(head, base, measure, rig.plan.layout)].every(
        (reason) => reason === null,
      ),
    );
    const sd = (percentile: (typeof PERCENTILES)[number]) =>
      scaledMad(
        clean.map(({ base, head }) =>
          Math.log((head.latencyMs?.[percentile] ?? 0) / (base.latencyMs?.[percentile] ?? 0)),
        ),
      );
    const needed = Math.max(6, Math.ceil(((DECIDE * sd("p99")) / MARGIN) ** 2));
    return [
      id,
      `${slot} s`,
      String(clean.length),
      String(median(clean.map(({ base }) => base.requests))),
      ...PERCENTILES.map((percentile) => percent(sd(percentile))),
      String(needed),
      ((needed * 2 * slot) / 60).toFixed(1),
    ];
  }),
);
const titles = [
  "cell",
  "slot",
  "rounds",
  "requests",
  ...PERCENTILES.map((name) => `sd ${name}`),
  "rounds for 20%",
  "minutes",
];
console.log(`${rig.plan.layout.note}; ${VUS} VUs reach ${Math.round(reached)} requests/s; ${blocks} blocks\n`);
console.log(markdownTable([titles, ...rows], { align: titles.map((_, column) => (column < 2 ? "l" : "r")) }));

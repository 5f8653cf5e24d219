/**
 * What the length of turns and gaps is worth: an unchanged head and one that is 10% slower, each beside a base of its
 * own, in rounds of the same load cut in different ways, interleaved. Prints per way and cell the sd of the log ratios
 * of rounds of the unchanged head, what the slower one differs by, and how much of a round is load.
 */
import { markdownTable } from "markdown-table";
import type { PilotCell, SlotSample } from "../src/core/model.ts";
import { afterPilot } from "../src/core/plan.ts";
import { roundSeconds } from "../src/core/schedule.ts";
import { median } from "../src/core/stats/robust.ts";
import { strikeReason } from "../src/core/validity.ts";
import { runBlock, runPilot } from "../src/measure/block.ts";
import { startRig, TARGET } from "../test/e2e/rig.ts";

const SUITE = `${TARGET}  php: { workers: 8 }
scenarios:
  - { name: health, path: /health, levels: [20] }
  - { name: one query, path: "/query?connection=persistent", levels: [20] }
  - { name: five queries, path: "/queries?n=5&connection=persistent", levels: [20] }
measure: { slot: 1s }
`;
const HEADS = ["", "slow-10"];
/** Turn and gap, s, from the p99 of a pilot, s. */
const WAYS: Record<string, (p99: number) => { turn: number; gap: number }> = {
  "turn 10 p99, gap 2 p99": (p99) => cut(0.1, 10 * p99, 2 * p99),
  "turn 2 p99, gap p99": (p99) => cut(0.04, 2 * p99, p99),
  "turn p99, gap p99": (p99) => cut(0.02, p99, p99),
};
const SHORTEST_GAP = 0.02;

function cut(shortest: number, turn: number, gap: number): { turn: number; gap: number } {
  return { turn: Math.max(shortest, turn), gap: Math.max(SHORTEST_GAP, gap) };
}

const rounds = Number(process.argv[2]);
if (!(Number.isInteger(rounds) && rounds > 2))
  throw new Error(`ROUNDS: a whole number from 3 on, got ${process.argv[2]}`);

const rigs: { head: string; rig: Awaited<ReturnType<typeof startRig>> }[] = [];
const slots = new Map<string, SlotSample[]>();
const ways = new Map<string, PilotCell[]>();
try {
  for (const head of HEADS) {
    const rig = await startRig(SUITE, { plant: head });
    rigs.push({ head, rig: { ...rig, plan: { ...rig.plan, seed: rigs.length + 1 } } });
  }
  const [{ rig: first }] = rigs as [(typeof rigs)[number]];
  for (const { cell, qps, p99Ms } of await runPilot(first)) {
    for (const [way, of] of Object.entries(WAYS)) {
      const { turn, gap } = of((p99Ms ?? 0) / 1000);
      const settled = { ...afterPilot(first.plan, cell, qps, p99Ms), turnSeconds: turn, gapSeconds: gap };
      ways.set(way, [...(ways.get(way) ?? []), settled]);
    }
  }
  let block = 0;
  for (let round = 0; round < rounds; round++) {
    for (const { head, rig } of rigs) {
      // Latin square: each way is first, second and last equally often.
      const names = [...ways.keys()];
      const turned = names.map((_, i) => names[(i + round) % names.length] as string);
      for (const way of turned) {
        const { samples } = await runBlock(rig, ways.get(way) ?? [], "main", block++);
        slots.set(`${way} ${head}`, [...(slots.get(`${way} ${head}`) ?? []), ...samples]);
      }
    }
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
} finally {
  for (const { rig } of rigs) await rig.close();
}

const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
const [{ rig }] = rigs as [(typeof rigs)[number]];

function logRatios(way: string, head: string, cell: string): number[] {
  const own = (slots.get(`${way} ${head}`) ?? []).filter((slot) => slot.cell === cell);
  const { measure } = rig.plan.config;
  return [...new Set(own.map(({ block }) => block))].flatMap((block) => {
    const [base, changed] = (["base", "head"] as const).map((arm) =>
      own.find((slot) => slot.block === block && slot.arm === arm),
    );
    if (base === undefined || changed === undefined) return [];
    const struck =
      strikeReason(base, changed, measure, rig.plan.layout) ?? strikeReason(changed, base, measure, rig.plan.layout);
    return struck === null ? [Math.log(changed.qps / base.qps)] : [];
  });
}

function sd(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

const rows = rig.plan.cells.flatMap(({ id }) =>
  [...ways].map(([way, cells]) => {
    const cell = cells.find((one) => one.cell === id) as PilotCell;
    const [same, slower] = HEADS.map((head) => logRatios(way, head, id)) as [number[], number[]];
    const spread = sd(same);
    // Load that brings the variance of a mean to that of one second with an sd of 1%, gaps included.
    const seconds = roundSeconds(cell) * (spread / 0.01) ** 2;
    return [
      id,
      way,
      `${Math.round(1000 * cell.turnSeconds)}, ${Math.round(1000 * cell.gapSeconds)} ms`,
      percent((2 * cell.slotSeconds) / roundSeconds(cell)),
      String(same.length),
      percent(spread),
      `${percent(Math.expm1(median(slower)))} ± ${percent(sd(slower) / Math.sqrt(slower.length))}`,
      `${seconds.toFixed(0)} s`,
    ];
  }),
);
const titles = ["cell", "way", "turn, gap", "load", "rounds", "sd unchanged", "slow-10 (± se)", "for an se of 1%"];
console.log(`${rig.plan.layout.note}; slots of 1 s\n`);
console.log(markdownTable([titles, ...rows], { align: titles.map((_, column) => (column < 3 ? "l" : "r")) }));

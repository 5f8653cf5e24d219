/**
 * What measuring with k6 costs: QPS and p99 of a slot as perf-gate measures it against wrk's and ab's, on the same
 * replicas, over the same connections, on the same CPUs, one after the other in an order that changes from round to
 * round. Every scenario of the reference application's suite, at LEVELS connections. Prints a Markdown table.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { markdownTable } from "markdown-table";
import { parse, stringify } from "yaml";
import { InputError } from "../src/core/errors.ts";
import { formatCpuList } from "../src/core/layout.ts";
import { ARMS, type Arm, type Cell, type PilotCell, type SlotSample } from "../src/core/model.ts";
import { afterPilot, beforePilot } from "../src/core/plan.ts";
import { roundSeconds } from "../src/core/schedule.ts";
import { median } from "../src/core/stats/robust.ts";
import { type Rig, runBlock, runPilot } from "../src/measure/block.ts";
import type { Target } from "../src/target/target.ts";
import { home, startRig } from "../test/e2e/rig.ts";
import { medianInterval } from "./figures.ts";
import { type Asked, ab, type Seen, wrk } from "./references.ts";

const ROUNDS = Number(process.argv[2] ?? 6);
const LEVELS = [1, 5, 20, 50, 100];
const SECONDS = 2;
const WARM_UP = { seconds: 1, connections: 20 };
/** Share of its CPUs from which on a generator may be the limit, as in core/validity.ts. */
const SATURATED = 0.9;
/** A loss of QPS that is pointed out. */
const NOTABLE = 0.03;
/** What a k6 process takes beside its slots and warm-up, and fresh replicas of a scenario; s, for the estimate. */
const AROUND = { k6: 1.5, replicas: 1.5 };

const TOOLS = ["k6", "wrk", "ab"] as const;
type Tool = (typeof TOOLS)[number];
interface Figures extends Seen {
  /** Of the CPU time that the generator could have used. */
  share: number;
  /** Cores that others took of ours meanwhile; only k6 is watched for it. */
  takenCores?: number;
}
type Round = Record<Tool, Figures>;

/** nginx keeps a connection of HTTP/1.0, which is ab's, only where the answer has a length. PHP alone sends none. */
const WITH_LENGTH = `<?php
ob_start(static function (string $body): string {
    header('Content-Length: ' . strlen($body));

    return $body;
});
`;

/** The suite of the reference application at every level. */
function suite(prepend: string): string {
  const config = parse(readFileSync(join(home, "fixtures/app/perf-gate.yml"), "utf8")) as {
    target: { php: object };
    scenarios: object[];
  };
  return stringify({
    ...config,
    target: { ...config.target, php: { ...config.target.php, ini: { auto_prepend_file: prepend } } },
    scenarios: config.scenarios.map((scenario) => ({ ...scenario, levels: LEVELS })),
    measure: { slot: `${SECONDS}s` },
  });
}

/** The same target, whose replicas stay: two starts of the same PHP differ. */
function lasting(target: Target): Target {
  return new Proxy(target, {
    get: (own, key: keyof Target) => {
      if (key === "restart") return async () => {};
      const value: unknown = own[key];
      return typeof value === "function" ? value.bind(own) : value;
    },
  });
}

/** What k6 saw of one arm in a block of one cell. */
async function k6(rig: Rig, pilot: PilotCell, arm: Arm, round: number): Promise<Figures> {
  const { samples } = await runBlock(rig, [pilot], "main", round);
  const sample = samples.find((candidate) => candidate.arm === arm);
  if (sample === undefined) throw new Error(`${pilot.cell}: k6 measured nothing`);
  return { ...seenBy(sample), share: shareOf(sample), takenCores: takenOf(sample) };
}

function seenBy({ qps, latencyMs, errors, failedChecks, portErrors, events }: SlotSample): Seen {
  const failed = errors + failedChecks + portErrors + events.length;
  return { qps, p99Ms: latencyMs?.p99 ?? Number.NaN, errors: failed };
}

function shareOf({ seconds, witness }: SlotSample): number {
  return witness === null ? Number.NaN : witness.generatorCpuSeconds / (seconds * witness.generatorCores);
}

function takenOf({ witness }: SlotSample): number {
  return witness === null ? Number.NaN : (witness.foreignCpuSeconds + witness.stealSeconds) / witness.intervalSeconds;
}

const rotated = <T>(items: readonly T[], by: number): T[] => items.map((_, i) => items[(i + by) % items.length] as T);
const isSound = (round: Round): boolean => TOOLS.every((tool) => round[tool].errors === 0 && round[tool].qps > 0);

/** Median of k6's figure over that of another tool, with its interval. */
function ratio(rounds: readonly Round[], metric: "qps" | "p99Ms", tool: Tool): string {
  const ratios = rounds.map((round) => round.k6[metric] / round[tool][metric]);
  const interval = medianInterval(ratios);
  if (interval === null) return median(ratios).toFixed(3);
  const text = `${median(ratios).toFixed(3)} (${interval.low.toFixed(2)} - ${interval.high.toFixed(2)})`;
  return metric === "qps" && interval.high < 1 - NOTABLE ? `**${text}**` : text;
}

function share(rounds: readonly Round[], tool: Tool): string {
  const value = median(rounds.map((round) => round[tool].share));
  return `${Math.round(100 * value)}%${value >= SATURATED ? " (saturated)" : ""}`;
}

function row({ scenario, level }: Cell, rounds: readonly Round[]): string[] {
  const sound = rounds.filter(isSound);
  const start = [scenario, `${level}`];
  if (sound.length === 0) return [...start, ...Array.from({ length: 9 }, () => "-"), `0 of ${rounds.length}`];
  const k6s = sound.map((round) => round.k6);
  return [
    ...start,
    `${Math.round(median(k6s.map(({ qps }) => qps)))}`,
    ratio(sound, "qps", "wrk"),
    ratio(sound, "qps", "ab"),
    median(k6s.map(({ p99Ms }) => p99Ms)).toFixed(2),
    ratio(sound, "p99Ms", "wrk"),
    ratio(sound, "p99Ms", "ab"),
    ...TOOLS.map((tool) => share(sound, tool)),
    `${sound.length} of ${rounds.length}`,
  ];
}

const HEADER = [
  ...["scenario", "connections", "QPS by k6", "k6 : wrk", "k6 : ab", "p99 by k6, ms", "k6 : wrk", "k6 : ab"],
  ...["k6's share of its CPUs", "wrk's", "ab's", "rounds"],
];

const LEGEND = `Medians over the rounds; in brackets their 95% interval by ranks, from six rounds on. Bold: all of it lies below
${100 * (1 - NOTABLE)}% of the other's QPS. A saturated generator used ${100 * SATURATED}% or more of the CPUs that it could, so its figures say nothing of
the service. Rounds in which anybody saw an error are left out. All three are closed: a connection waits for its answer.
ab speaks HTTP/1.0 on one thread; answers have a Content-Length here, or its connections would not last; its p99 holds
the time to connect where there is no keep-alive. wrk adds requests to its latencies that it takes to have been held up.
`;

if (!Number.isInteger(ROUNDS) || ROUNDS < 1) {
  throw new InputError(`distortion: rounds are a whole number from 1 on, got ${process.argv[2]}`);
}
const directory = mkdtempSync(join(tmpdir(), "perf-gate-bench-"));
const prepend = join(directory, "length.php");
writeFileSync(prepend, WITH_LENGTH);
const rig = await startRig(suite(prepend));
try {
  const { plan, target } = rig;
  const { layout, config } = plan;
  const steady: Rig = { ...rig, target: lasting(target) };
  const perCell = (pilot: PilotCell) => config.measure.warmUpSeconds + roundSeconds(pilot) + AROUND.k6 + 2 * SECONDS;
  const ofRounds = (pilots: readonly PilotCell[]) =>
    ROUNDS *
    (pilots.reduce((sum, pilot) => sum + perCell(pilot), 0) +
      config.scenarios.length * (AROUND.replicas + WARM_UP.seconds));
  const minutes = (seconds: number) => `${Math.ceil(seconds / 60)} min`;
  process.stderr.write(
    `${plan.cells.length} cells, ${ROUNDS} times each: about ${minutes(1.3 * plan.cells.length + ofRounds(beforePilot(plan)))}\n`,
  );
  const pilots = new Map(
    (await runPilot(rig)).map(({ cell, qps, p99Ms }) => [cell.id, afterPilot(plan, cell, qps, p99Ms)]),
  );
  process.stderr.write(`pilot done, rounds: about ${minutes(ofRounds([...pilots.values()]))}\n`);

  const rounds = new Map(plan.cells.map(({ id }) => [id, [] as Round[]]));
  for (let round = 0; round < ROUNDS; round++) {
    const arm = ARMS[round % 2] as Arm;
    for (const { name, work, connection } of rotated(config.scenarios, round)) {
      if (work.kind !== "request") throw new Error(`${name}: wrk and ab send one request, this is a flow`);
      const asked = (connections: number, seconds: number): Asked => ({
        url: target.url(arm) + work.path,
        host: target.host(arm),
        close: connection === "close",
        connections,
        seconds,
        cpus: formatCpuList(layout.generator),
        cores: layout.generator.length,
        scratch: join(directory, "ab.csv"),
      });
      await target.restart();
      await wrk(asked(WARM_UP.connections, WARM_UP.seconds));
      const own = plan.cells.filter(({ scenario }) => scenario === name);
      for (const [i, { id, level }] of rotated(own, round).entries()) {
        const slots: Record<Tool, () => Promise<Figures>> = {
          k6: () => k6(steady, pilots.get(id) as PilotCell, arm, round),
          wrk: () => wrk(asked(level ?? 1, SECONDS)),
          ab: () => ab(asked(level ?? 1, SECONDS)),
        };
        const seen: Partial<Round> = {};
        for (const tool of rotated(TOOLS, round + i)) seen[tool] = await slots[tool]();
        rounds.get(id)?.push(seen as Round);
      }
    }
    process.stderr.write(`round ${round + 1} of ${ROUNDS}\n`);
  }
  const taken = median([...rounds.values()].flat().map((round) => round.k6.takenCores ?? Number.NaN));
  process.stdout.write(
    `${layout.note}; rounds: ${ROUNDS}, slots of ${SECONDS} s; others took ${taken.toFixed(2)} of a core in k6's median slot\n\n`,
  );
  const rows = plan.cells.map((cell) => row(cell, rounds.get(cell.id) ?? []));
  process.stdout.write(`${markdownTable([HEADER, ...rows])}\n\n${LEGEND}`);
} finally {
  await rig.close();
  rmSync(directory, { recursive: true, force: true });
}

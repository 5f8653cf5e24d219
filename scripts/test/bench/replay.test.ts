import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { type RecordedBlock, type RecordingHeader, readRecording } from "../../bench/recording.ts";
import { cleanRounds, logRatios, type Material, materialOf, mean, VARIANTS } from "../../bench/replay-materials.ts";
import { concerns, draws, gate, gateRun, OTHERS, tally, verdictOf } from "../../bench/replay-runs.ts";
import { compare } from "../../src/core/compare.ts";
import { InputError } from "../../src/core/errors.ts";
import type { Plan, SampleLine, SlotSample } from "../../src/core/model.ts";
import { afterPilot } from "../../src/core/plan.ts";
import { replay } from "../../src/core/replay.ts";
import { roundSeconds } from "../../src/core/schedule.ts";
import { blocks as blockLines, planOf } from "../core/support.ts";
import { randomFrom } from "../history-fixtures.ts";

const SUITE = `scenarios:
  - { name: health, path: /health, levels: [20] }
  - { name: query, path: "/query?connection=persistent", levels: [20] }
  - { name: queries, path: "/queries?n=5", levels: [20] }
`;
const plan = planOf(SUITE);
const CELLS = plan.cells.map(({ id }) => id);
const cells = plan.cells.map((cell) => afterPilot(plan, cell, 2000, 12));
const directory = mkdtempSync(join(tmpdir(), "perf-gate-replay-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Recorded blocks of one head, whose QPS is so many times the base's. */
function recorded(head: string, ratio: number, count: number, noise = 0.01): RecordedBlock[] {
  const lines = blockLines(plan, { blocks: count, ratio: () => ratio, noise, seed: 1 + head.length });
  const slots = lines.filter((line): line is SlotSample => line.kind === "slot");
  return Array.from({ length: count }, (_, block) => ({
    kind: "block",
    block,
    head,
    startedAt: 1_700_000_000_000 + block * 20_000,
    seconds: 20,
    restartSeconds: 1,
    warmUpSeconds: 1.5,
    k6StartSeconds: 0.5,
    loadSeconds: 12,
    yardstickMs: 90,
    slots: slots.filter((slot) => slot.block === block),
  }));
}

function headerOf(count: number, heads: string[], own: Plan = plan): RecordingHeader {
  return {
    kind: "recording",
    version: 1,
    condition: "quiet",
    driver: "process",
    startedAt: "2026-01-02T03:04:05.678Z",
    blocks: count,
    heads,
    machine: { cpuModel: "one", logicalCpus: 2, kernel: "6.1" },
    note: "a layout",
    cells,
    plan: own,
  };
}

function material(ratio: number, noise = 0.01): Material {
  const blocks = new Map([["", recorded("", ratio, 40, noise)]]);
  return materialOf({ header: headerOf(40, [""]), blocks }, "");
}

function written(name: string, lines: readonly unknown[]): string {
  const path = join(directory, `${name}.ndjson.gz`);
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  writeFileSync(path, gzipSync(text));
  return path;
}

describe("a recording", () => {
  const own = recorded("", 1, 3);
  const slow = recorded("slow-5", 0.95, 3);
  const lines = [headerOf(3, ["", "slow-5"]), slow[0], own[0], own[1], slow[1], slow[2], own[2]];

  test("is read by head, in the order of blocks", () => {
    const { header, blocks } = readRecording(written("sound", lines));
    expect(header.blocks).toBe(3);
    expect(blocks.get("")).toEqual(own);
    expect(blocks.get("slow-5")).toEqual(slow);
  });

  const half = { ...own[1], slots: own[1]?.slots.slice(1) };
  test.each([
    { name: "cut short", lines: lines.slice(0, -1), says: /line 6: 3 blocks of "" expected, got 2; was/ },
    { name: "no JSON", lines: [...lines.slice(0, 3), '{"kind":'], says: /line 4: .*JSON/ },
    {
      name: "a slot is missing",
      lines: [...lines.slice(0, 3), half],
      says: /line 4: health @20 needs a slot of each arm/,
    },
    { name: "a block is missing", lines: [lines[0], own[1]], says: /line 2: block 0 expected, got 1/ },
    {
      name: "another head",
      lines: [lines[0], { ...own[0], head: "x" }],
      says: /line 2: no head of the recording: "x"/,
    },
    { name: "a wrong type", lines: [lines[0], { ...own[0], seconds: "1" }], says: /line 2: seconds: / },
    { name: "another kind", lines: [own[0]], says: /line 1: / },
  ])("that is damaged is refused, with its line: $name", ({ name, lines: damaged, says }) => {
    const path = written(name, damaged);
    expect(() => readRecording(path)).toThrow(InputError);
    expect(() => readRecording(path)).toThrow(says);
    expect(() => readRecording(path)).toThrow(path);
  });

  test("that is none is refused", () => {
    const path = join(directory, "plain.ndjson.gz");
    writeFileSync(path, "{}");
    expect(() => readRecording(path)).toThrow(/plain\.ndjson\.gz: a gzip file of a recording expected/);
  });
});

describe("drawn blocks", () => {
  test("stay together by four, and follow each other around the end", () => {
    const draw = draws(randomFrom(1), material(1));
    const drawn = Array.from({ length: 4000 }, draw);
    for (let i = 0; i < drawn.length; i++) {
      if (i % 4 > 0) expect(drawn[i]).toBe(((drawn[i - 1] ?? 0) + 1) % 40);
    }
    expect(new Set(drawn.filter((_, i) => i % 4 === 0)).size).toBe(40);
  });

  test("hold all cells of one recorded block", () => {
    const of = material(1);
    const { lines } = gateRun(of, draws(randomFrom(2), of));
    let slots: SlotSample[] = [];
    let complete = 0;
    for (const line of lines) {
      if (line.kind === "slot") slots.push(line);
      if (line.kind !== "block") continue;
      expect(new Set(slots.map(({ block }) => block)).size).toBe(1);
      if (slots.length === 2 * CELLS.length) complete++;
      slots = [];
    }
    expect(complete).toBeGreaterThanOrEqual(6);
  });
});

describe("a simulated run", () => {
  const cases = [1, 0.98, 0.955, 0.93, 0.85].flatMap((ratio) => [0.005, 0.03].map((noise) => ({ ratio, noise })));

  test.each(cases)(
    "of $ratio with noise of $noise is what replay and compare make of its lines",
    ({ ratio, noise }) => {
      const of = material(ratio, noise);
      for (let seed = 1; seed <= 5; seed++) {
        const { run, lines } = gateRun(of, draws(randomFrom(seed), of));
        const all: SampleLine[] = [{ kind: "pilot", cells, seconds: 1 }, ...lines];
        expect(run).toEqual(replay(plan, null, all));
        const { red, green } = verdictOf(run);
        const { verdict } = compare({ plan, census: null, environment: null, lines: all, damaged: [] });
        expect(verdict).toBe(red.length > 0 ? "regression" : green ? "pass" : "inconclusive");
      }
    },
  );

  test("that looks red and does not confirm it is neither red nor green", () => {
    const [slow, same] = [material(0.85), material(1)];
    const of = { ...same, blocks: [...slow.blocks.slice(0, 6), ...same.blocks.slice(6)] };
    let block = 0;
    const { run, lines } = gateRun(of, () => block++);
    const { red, flagged, green } = verdictOf(run);
    expect({ red, green }).toEqual({ red: [], green: false });
    expect(flagged).toContain("health @20/qps");
    const input = { plan, census: null, environment: null, damaged: [] };
    expect(compare({ ...input, lines: [{ kind: "pilot", cells, seconds: 1 }, ...lines] }).verdict).toBe("inconclusive");
  });

  test("takes the time of its blocks, less that of the cells it leaves out", () => {
    const of = material(1, 0.001);
    const { seconds, run } = gateRun(of, draws(randomFrom(1), of));
    expect(run.blocks).toBe(6);
    expect(seconds).toBeCloseTo(6 * 20, 6);
    // One cell is red: only it is confirmed.
    const slower = (slot: SlotSample) =>
      slot.cell === CELLS[0] && slot.arm === "head" ? { ...slot, qps: 0.85 * slot.qps } : slot;
    const one = { ...of, blocks: of.blocks.map((block) => ({ ...block, slots: block.slots.map(slower) })) };
    const confirmed = gateRun(one, draws(randomFrom(1), one));
    expect(confirmed.run.blocks).toBe(12);
    const others = cells.slice(1).reduce((sum, cell) => sum + roundSeconds(cell), 0);
    expect(confirmed.seconds).toBeCloseTo(6 * 20 + 6 * (20 - others), 6);
  });

  test("finds what is slower and nothing else, sooner with an earlier first look", () => {
    const same = material(1);
    const found = tally(same, "", 100, 1, gate(same));
    expect(found).toMatchObject({ runs: 100, red: 0, green: 100 });
    const slow = material(0.85);
    expect(tally(slow, "slow-10", 100, 1, gate(slow))).toMatchObject({ red: 100, found: 100, soon: 100, green: 0 });
    const early = tally(same, "", 100, 1, gate(VARIANTS["first look 4"](same)));
    expect(early.minutes.median).toBeCloseTo((4 / 6) * found.minutes.median, 6);
  });
});

describe("other tools' rules", () => {
  const named = (name: string, rounds: number) => {
    const rule = OTHERS.find((other) => other.name.startsWith(name) && other.rounds === rounds);
    if (rule === undefined) throw new Error(`no rule ${name}`);
    return rule.rule;
  };

  test.each([
    // 0.85: previous / current = 1.18.
    { name: "github-action-benchmark, 200%", rounds: 1, ratio: 0.85, red: 0 },
    { name: "github-action-benchmark, 110%", rounds: 6, ratio: 0.85, red: 50 },
    { name: "github-action-benchmark, 110%", rounds: 6, ratio: 0.98, red: 0 },
    { name: "github-action-benchmark, 105%, both", rounds: 6, ratio: 0.93, red: 50 },
    { name: "benchstat, 10 runs of each, interleaved", rounds: 1, ratio: 0.95, red: 50 },
    { name: "benchstat, 10 runs of each, one after", rounds: 1, ratio: 1.05, red: 0 },
    { name: "Bencher", rounds: 6, ratio: 0.85, red: 50 },
    { name: "Bencher", rounds: 1, ratio: 1.1, red: 0 },
  ])("$name in runs of $rounds: $red of 50 red at $ratio", ({ name, rounds, ratio, red }) => {
    const of = material(ratio);
    expect(tally(of, "", 50, 1, named(name, rounds)(of))).toMatchObject({ red, flagged: red, green: 50 - red });
  });
});

describe("changed material", () => {
  test.each(["mean on the line", "median on the line"] as const)("%s: QPS and latency of every cell", (variant) => {
    const of = VARIANTS[variant](material(0.9, 0.02));
    for (const cell of CELLS) {
      const rounds = cleanRounds(of, cell);
      const centre = (values: number[]) =>
        variant === "mean on the line" ? mean(values) : ([...values].sort((a, b) => a - b)[20] ?? 0);
      // The median of 40 lies half-way to the 20th.
      const digits = variant === "mean on the line" ? 9 : 2;
      expect(centre(logRatios(rounds, ({ qps }) => qps))).toBeCloseTo(Math.log(0.95), digits);
      expect(centre(logRatios(rounds, ({ latencyMs }) => latencyMs?.p99 ?? 0))).toBeCloseTo(Math.log(1.2), digits);
    }
    expect(of.plan.config.gate.maxOverallQpsDrop).toBe(0.05);
  });

  test("two rounds as one: their requests and seconds together, one restart less", () => {
    const before = material(1);
    const of = VARIANTS["6 rounds of twice the length"](before);
    expect(of.blocks).toHaveLength(20);
    expect(of.span).toBe(2);
    const [first, second] = before.blocks.map((block) => block.slots[0]);
    const slot = of.blocks[0]?.slots[0];
    const requests = (first?.requests ?? 0) + (second?.requests ?? 0);
    expect(slot).toMatchObject({ requests, seconds: 4, qps: requests / 4 });
    expect(slot?.witness?.targetCpuSeconds).toBeCloseTo(3.6, 9);
    // 20 s, and the rounds of three cells once more: without the restart, warm-up and start of k6.
    expect(of.blocks[0]?.seconds).toBeGreaterThan(20 + 3 * 2 * (before.cells[0]?.slotSeconds ?? Number.NaN));
    expect(of.blocks[0]?.seconds).toBeLessThan(2 * 20);
  });

  test("CPU time stands for QPS: a core's requests per second of it", () => {
    const of = VARIANTS["CPU time"](material(1));
    const slot = of.blocks[0]?.slots[0];
    expect(slot?.qps).toBeCloseTo((slot?.requests ?? 0) / 1.8, 9);
  });

  test("a plant concerns what it makes worse", () => {
    const of = material(1);
    expect(concerns(of, "stall", "health @20/latency")).toBe(true);
    expect(concerns(of, "stall", "health @20/qps")).toBe(false);
    expect(concerns(of, "extra-query", "health @20/qps")).toBe(false);
    expect(concerns(of, "extra-query", "queries @20/qps")).toBe(true);
    expect(concerns(of, "slow-5", "overall")).toBe(true);
  });
});

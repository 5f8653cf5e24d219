import { describe, expect, test } from "vitest";
import { blockSeconds, chooseConfirmation, expectedSeconds, mainDeadline } from "../../src/core/budget.ts";
import { chooseLayout, formatCpuList, parseCpuList } from "../../src/core/layout.ts";
import type { PilotCell } from "../../src/core/model.ts";
import { afterPilot, beforePilot, planId, plateauOf } from "../../src/core/plan.ts";
import { roundSeconds, scheduleBlock } from "../../src/core/schedule.ts";
import { planOf, scenariosYaml } from "./support.ts";

/** `cores` physical cores with `threads` threads each, numbered as Linux does: first threads of all cores first. */
function cpus(cores: number, threads = 1) {
  return Array.from({ length: cores * threads }, (_, id) => ({ id, core: String(id % cores) }));
}

describe("the isolation layout", () => {
  test.each([
    ["1 core", cpus(1), { generator: "0", target: "0", services: "0", isolated: false }],
    ["1 core of 2 threads", cpus(1, 2), { generator: "1", target: "0", services: "0", isolated: false }],
    ["2 cores", cpus(2), { generator: "1", target: "0", services: "0", isolated: true }],
    ["2 cores of 2 threads", cpus(2, 2), { generator: "1,3", target: "0,2", services: "0,2", isolated: true }],
    ["4 cores", cpus(4), { generator: "2-3", target: "0", services: "1", isolated: true }],
    ["8 cores", cpus(8), { generator: "5-7", target: "0-2", services: "3-4", isolated: true }],
    ["16 cores", cpus(16), { generator: "10-15", target: "0-5", services: "6-9", isolated: true }],
  ])("%s", (_name, machine, expected) => {
    const layout = chooseLayout(machine);
    expect({
      generator: formatCpuList(layout.generator),
      target: formatCpuList(layout.target),
      services: formatCpuList(layout.services),
      isolated: layout.isolated,
    }).toEqual(expected);
  });

  test.each([2, 3, 4, 6, 8, 12, 16, 32, 64])(
    "no physical core of %i serves two roles, and none is left idle",
    (cores) => {
      const { generator, target, services } = chooseLayout(cpus(cores, 2));
      const roles = [generator, target, ...(services === target ? [] : [services])];
      const owner = roles.flatMap((list, role) => list.map((cpu) => `${cpu % cores} ${role}`));
      expect(new Set(owner).size).toBe(cores);
      expect(roles.flat().length).toBe(cores * 2);
    },
  );

  test.each([
    ["0,2-3", [0, 2, 3]],
    ["3,1", [1, 3]],
    ["", null],
    ["3-1", null],
    ["a", null],
  ])("CPU list %j", (text, expected) => {
    expect(parseCpuList(text)).toEqual(expected);
  });
});

describe("the plan", () => {
  test("a cell per scenario and level, with unique names", () => {
    const plan = planOf(
      `scenarios:
        - { name: a, path: /, levels: [1, 20] }
        - { name: b, path: /, model: open, rate: [auto, 100] }
        - { name: c, path: /, model: ramp, stages: [{ duration: 5s, target: 8 }, { duration: 10s, target: 8 }] }`,
    );
    expect(plan.cells.map(({ id, level }) => [id, level])).toEqual([
      ["a @1", 1],
      ["a @20", 20],
      ["b @auto/s", null],
      ["b @100/s", 100],
      ["c @8", 8],
    ]);
  });

  test("its id changes with its content", () => {
    const plan = planOf(scenariosYaml(1));
    const hash = (text: string) => text;
    expect(planId({ ...plan, seed: 2 }, hash)).not.toBe(planId(plan, hash));
  });

  test("the plateau of a ramp is the longest stage that keeps its VUs", () => {
    const stages = [
      { durationSeconds: 5, target: 10 },
      { durationSeconds: 4, target: 10 },
      { durationSeconds: 5, target: 20 },
      { durationSeconds: 8, target: 20 },
      { durationSeconds: 5, target: 0 },
    ];
    expect(plateauOf(stages)).toEqual({ fromSeconds: 14, toSeconds: 22, vus: 20 });
  });
});

describe("what the pilot settles", () => {
  const plan = planOf(scenariosYaml(1));
  const [cell] = plan.cells;
  if (cell === undefined) throw new Error("the plan has a cell");

  // 1 s holds 1,000 requests from 1,000/s on, 2 s from 500/s, 3 s from 334/s; 200 from 200/s, 100/s and 67/s.
  test.each([
    [5000, 1, "p99"],
    [999, 2, "p99"],
    [500, 2, "p99"],
    [400, 3, "p99"],
    [250, 1, "p95"],
    [150, 2, "p95"],
    [70, 3, "p95"],
    [20, 3, "p90"],
  ])("%i requests/s: slots of %i s, %s is gated", (qps, slotSeconds, statistic) => {
    expect(afterPilot(plan, cell, qps, 10)).toMatchObject({ slotSeconds, statistic });
  });

  test.each([
    ["a fast service", 5000, 4, { slotSeconds: 1, turnSeconds: 0.02, gapSeconds: 0.02 }],
    [
      "a slower one: longer gaps for its last requests, and longer turns",
      500,
      30,
      { turnSeconds: 0.03, gapSeconds: 0.03 },
    ],
    ["a slow one: two turns", 10, 1500, { slotSeconds: 3, turnSeconds: 1.5, gapSeconds: 1.5 }],
  ])("%s", (_, qps, p99Ms, expected) => {
    expect(afterPilot(plan, cell, qps, p99Ms)).toMatchObject(expected);
  });

  test("what k6 cannot end by itself takes turns of a second", () => {
    for (const yaml of [
      "scenarios: [{ name: a, path: /, model: open, rate: 10 }]",
      "scenarios: [{ name: a, flow: ./flow.js }]",
    ]) {
      const other = planOf(yaml);
      const pilot = afterPilot(other, other.cells[0] ?? cell, 5000, 4);
      expect(pilot).toMatchObject({ turnSeconds: 1, gapSeconds: 0.25 });
    }
  });

  test("an automatic arrival rate is 70% of what the pilot reached", () => {
    const open = planOf("scenarios: [{ name: a, path: /, model: open, rate: auto }]");
    expect(afterPilot(open, open.cells[0] ?? cell, 1000, 10)).toMatchObject({ rate: 700, requests: 1400 });
  });
});

describe("the schedule of a block", () => {
  const plan = planOf(scenariosYaml(8));
  const cells = beforePilot(plan);

  test("holds one round of every cell, its two slots adjacent, nothing overlapping", () => {
    const slots = scheduleBlock(1, 0, cells, 1.8);
    expect(slots).toHaveLength(16);
    for (let i = 0; i < slots.length; i += 2) {
      expect(slots[i]?.cell).toBe(slots[i + 1]?.cell);
      expect(new Set([slots[i]?.arm, slots[i + 1]?.arm]).size).toBe(2);
    }
    const stretches = slots.flatMap((slot) => slot.stretches.map((stretch) => ({ ...stretch, slot })));
    stretches.sort((a, b) => a.startSeconds - b.startSeconds);
    expect(stretches[0]?.startSeconds).toBeCloseTo(1.8);
    for (const [i, { startSeconds, seconds, slot }] of stretches.entries()) {
      const next = stretches[i + 1];
      if (next === undefined) continue;
      const gap = slot.cell === next.slot.cell ? 0.02 : 0.25;
      expect(next.startSeconds - startSeconds - seconds).toBeCloseTo(gap);
    }
    for (const slot of slots) expect(slot.stretches.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(1);
  });

  test.each([
    [1, "01"],
    [2, "0110"],
    [3, "011001"],
    [4, "01100110"],
  ])("a slot of %i turns takes them with the other arm's: %s, both as long as they are whole", (count, turns) => {
    const one: PilotCell = { ...(cells[0] as PilotCell), slotSeconds: count, turnSeconds: 1, gapSeconds: 0.5 };
    const [first, second] = scheduleBlock(1, 0, [one], 0);
    const end = roundSeconds(one);
    const under = (slot: typeof first, at: number) =>
      slot?.stretches.some(({ startSeconds, seconds }) => at >= startSeconds && at < startSeconds + seconds);
    const seen: string[] = [];
    for (let at = 0.05; at < end; at += 0.1) {
      const slots = [first, second].filter((slot) => under(slot, at));
      expect(slots.length).toBeLessThanOrEqual(1);
      if (slots[0] !== undefined) seen.push(`${slots[0].order}`);
    }
    // Ten samples per part of 1 s.
    expect(seen.join("")).toBe([...turns].map((turn) => turn.repeat(10)).join(""));
  });

  test("a ramp stays whole", () => {
    const ramp = planOf(
      "scenarios: [{ name: a, path: /, model: ramp, stages: [{ duration: 1s, target: 4 }, { duration: 3s, target: 4 }] }]",
    );
    const [pilot] = beforePilot(ramp);
    expect(pilot).toMatchObject({ slotSeconds: 4, turnSeconds: 4 });
  });

  test("the same seed and block give the same order, other blocks another", () => {
    const order = (seed: number, block: number) => scheduleBlock(seed, block, cells, 0).map((s) => s.cell + s.arm);
    expect(order(1, 3)).toEqual(order(1, 3));
    expect(order(1, 3)).not.toEqual(order(1, 4));
    expect(order(1, 3)).not.toEqual(order(2, 3));
  });

  test("neither arm nor cell is favoured: over 400 blocks each comes first about as often", () => {
    const firsts = Array.from({ length: 400 }, (_, block) => scheduleBlock(7, block, cells, 0)[0]);
    const baseFirst = firsts.filter((slot) => slot?.arm === "base").length;
    // 400 fair coins: 200 +- 10, here +- 5 sd.
    expect(Math.abs(baseFirst - 200)).toBeLessThan(50);
    const perCell = cells.map(({ cell }) => firsts.filter((slot) => slot?.cell === cell).length);
    expect(Math.min(...perCell)).toBeGreaterThan(20);
  });
});

describe("the budget", () => {
  const plan = planOf(`${scenariosYaml(8)}\nbudget: 10m`);
  const cells = beforePilot(plan);
  const pilots = new Map(cells.map((cell) => [cell.cell, cell]));
  const flag = (...ids: string[]) => ids.map((id) => ({ test: `${id}/qps`, cells: [id] }));

  test("a block of eight cells takes its slots, its gaps and its overhead", () => {
    expect(blockSeconds(cells, 4)).toBeCloseTo(8 * (2 * 1 + 50 * 0.02 + 0.25) + 4);
    expect(expectedSeconds(plan, cells, { start: 25, block: 4 })).toMatchObject({ budget: 600, blocksInBudget: 15 });
  });

  test("a fifth is kept for confirming a red", () => {
    expect(mainDeadline(plan)).toBe(480);
  });

  test("confirms as many red tests as fit, most certain first", () => {
    expect(chooseConfirmation(flag("s0 @20", "s1 @20"), pilots, 4, 600)).toEqual(["s0 @20/qps", "s1 @20/qps"]);
    // One cell: 6 x (3.25 + 4) = 43.5 s; two: 7 x (6.5 + 4) = 73.5 s.
    expect(chooseConfirmation(flag("s0 @20", "s1 @20"), pilots, 4, 60)).toEqual(["s0 @20/qps"]);
    expect(chooseConfirmation(flag("s0 @20", "s1 @20"), pilots, 4, 43)).toEqual([]);
  });

  test("QPS and p99 of one cell are confirmed by the same rounds", () => {
    const both = [...flag("s0 @20"), { test: "s0 @20/latency", cells: ["s0 @20"] }];
    expect(chooseConfirmation(both, pilots, 4, 62)).toHaveLength(2);
  });
});

import { expect } from "vitest";
import { parseConfig } from "../../../src/config/load.ts";
import { InputError } from "../../../src/core/errors.ts";
import type { Config, Environment, PilotCell, Plan, SampleLine, SlotSample } from "../../../src/core/model.ts";
import { afterPilot, buildPlan, planId } from "../../../src/core/plan.ts";
import { scheduleBlock } from "../../../src/core/schedule.ts";
import type { ArtifactFiles } from "../../../src/github/artifact.ts";
import { type Intake, intake, type Trusted } from "../../../src/phases/intake.ts";
import { sha256 } from "../../../src/phases/work-directory.ts";
import { renderCsv } from "../../../src/report/csv.ts";
import { headlineSentence } from "../../../src/report/headline.ts";
import { renderMarkdown } from "../../../src/report/markdown.ts";
import { renderTerminal } from "../../../src/report/terminal.ts";
import { blocks, censusOf, environmentOf, planOf } from "../../core/support.ts";

/** In every text that a stranger wrote; nothing that comes out may hold it. */
export const HOSTILE = "h0stile";

export const BASE_CONFIG = `scenarios:
  - { name: shop, path: /shop, levels: [1, 20] }
  - { name: cart, path: /cart, levels: [20] }
gate: { max-qps-drop: 5% }
`;

export const TRUSTED: Trusted = {
  config: BASE_CONFIG,
  file: ".github/perf-gate.yml",
  arms: { base: { label: "main", commit: "b".repeat(40) }, head: { label: "#7", commit: "a".repeat(40) } },
};

/** The files of a run before they become text. */
export interface RunFiles {
  plan: Plan;
  census: ReturnType<typeof censusOf>;
  environment: Environment;
  lines: SampleLine[];
}

interface RunOptions {
  config?: string;
  /** head/base of QPS. */
  ratio?: number;
  blocks?: number;
  /** Further parts of the plan. */
  over?: (config: Config) => Partial<Plan>;
}

/** What a sound run leaves behind, its slots where the seed puts them. */
export function soundRun({ config = BASE_CONFIG, ratio = 1, blocks: count = 8, over }: RunOptions = {}): RunFiles {
  const first = planOf(config);
  const plan = buildPlan({ ...first, seed: 20, ...over?.(first.config) }, sha256);
  const judged = plan.cells.filter(
    ({ scenario }) => !plan.config.scenarios.find(({ name }) => name === scenario)?.addedByHead,
  );
  const pilots = plan.cells.map((cell) => afterPilot(plan, cell, 2000, 10));
  const lines = blocks(plan, { blocks: count, ratio: () => ratio, cells: judged.map(({ id }) => id) });
  return {
    plan,
    census: censusOf(plan),
    environment: environmentOf(plan),
    lines: [
      { kind: "begin", version: 1, planId: plan.id, startedAt: 1_700_000_000_000 },
      { kind: "pilot", cells: pilots, seconds: 6 },
      ...inOrder(plan, pilots, lines),
      { kind: "stop", reason: "decided", detail: null, wallSeconds: 90 },
    ],
  };
}

/** The slots of every block in the order of its schedule. */
export function inOrder(plan: Plan, pilots: readonly PilotCell[], lines: readonly SampleLine[]): SampleLine[] {
  const sorted: SampleLine[] = [];
  let slots: SlotSample[] = [];
  for (const line of lines) {
    if (line.kind === "slot") slots.push(line);
    if (line.kind !== "block") continue;
    const cells = pilots.filter(({ cell }) => slots.some((slot) => slot.cell === cell));
    for (const { cell, arm, order } of scheduleBlock(plan.seed, line.block, cells, 0)) {
      const slot = slots.find((one) => one.cell === cell && one.arm === arm);
      if (slot !== undefined) sorted.push({ ...slot, order });
    }
    sorted.push(line);
    slots = [];
  }
  return sorted;
}

/** The run as the text of its files. */
export function textOf({ plan, census, environment, lines }: RunFiles): ArtifactFiles & Record<string, string> {
  return {
    plan: JSON.stringify(plan),
    census: JSON.stringify(census),
    environment: JSON.stringify(environment),
    samples: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  };
}

/** A plan that was changed, with the id that fits it, and the files that name it. */
export function forged(run: RunFiles, change: (plan: Plan) => object): RunFiles {
  const changed = { ...run.plan, ...change(run.plan) } as Plan;
  const plan = { ...changed, id: planId(changed, sha256) };
  const [begin, ...rest] = run.lines;
  return {
    plan,
    census: { ...run.census, planId: plan.id },
    environment: { ...run.environment, planId: plan.id },
    lines: [{ ...begin, planId: plan.id } as SampleLine, ...rest],
  };
}

/** Head configuration of a change, as plan.json has it. */
export function headConfig(yaml: string): Config {
  return parseConfig(yaml, { file: "perf-gate.yml", directory: "/", isFile: () => true });
}

/** Everything that a reader could be shown of a run. */
export function everyText(result: Intake): string {
  return [
    headlineSentence(result.comparison),
    renderMarkdown(result),
    renderTerminal(result, { colour: false, width: 100 }),
    renderCsv(result),
    JSON.stringify(result),
  ].join("\n");
}

/** What comes out: an error in our own words, or a run of which nothing foreign can be read. */
export function outcome(files: ArtifactFiles, trusted: Trusted = TRUSTED): Intake | string {
  try {
    const result = intake(files, trusted);
    expectHarmless(everyText(result));
    return result;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expectHarmlessError(error.message);
    return error.message;
  }
}

function expectHarmless(text: string): void {
  expect(text.toLowerCase()).not.toContain(HOSTILE);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(text).not.toMatch(/^::|\n::|##\[|<script|<img(?! alt=)|\u001b|[\u202a-\u202e\u2066-\u2069]/);
  expect(text).not.toMatch(/NaN|Infinity|undefined/);
}

/** An error goes to a log, in which no line of it may be a command, nor look like a second one. */
export function expectHarmlessError(message: string): void {
  expect(message.toLowerCase()).not.toContain(HOSTILE);
  expect(message).toMatch(/^[\x20-\x7e]{10,600}$/);
  expect(message).not.toMatch(/::|##\[/);
}

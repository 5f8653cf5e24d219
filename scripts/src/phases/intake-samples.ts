import type { PilotCell, Plan, SampleLine, SlotSample } from "../core/model.ts";
import { afterPilot } from "../core/plan.ts";
import { scheduleBlock } from "../core/schedule.ts";
import { MOST, parseJson, parseWith, refuse } from "./intake-schema.ts";
import { sampleLineSchema } from "./sample-schema.ts";

const FILE = "samples.ndjson";
/** Sentences of the program itself that a stop may carry; an error's message is text of the run. */
const OWN_DETAILS: readonly (string | null)[] = ["no time left to confirm a red"];
/** Ratios of times between these stay far from where numbers overflow. */
const SHORTEST_MS = 1e-6;
const LONGEST_MS = 1e9;
const METRICS = ["qps", "latency", "min-qps", "max-p99"] as const;

/** What a run is held against. */
export interface Expected {
  /** The plan of the trusted configuration. */
  plan: Plan;
  /** Id that the run's own files name. */
  planId: string;
  /** Cells that the run has and the trusted plan has not, as only the head's configuration has them. */
  added: ReadonlySet<string>;
}

/**
 * The lines of samples.ndjson as numbers of the trusted plan: in the order in which a run writes them, every slot where
 * the seed puts it, what the pilot settles worked out anew, no text but that of the trusted plan. A last line that was
 * cut short is left out.
 *
 * @throws InputError at the first line that no sound run would write
 */
export function readLines(text: string, expected: Expected): SampleLine[] {
  const rows = rowsOf(text);
  const reader = new LineReader(expected);
  for (const [index, row] of rows.entries()) {
    const file = `line ${index + 1} of ${FILE}`;
    if (row.length > MOST.lineLetters) throw refuse(file, `it is longer than ${MOST.lineLetters} letters`);
    reader.add(file, parseWith(sampleLineSchema, file, parseJson(file, row)));
  }
  return reader.lines;
}

/** Whole lines; counted before they are cut apart. */
function rowsOf(text: string): string[] {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (++count > MOST.lines) throw refuse(FILE, `it has more than ${MOST.lines} lines`);
  }
  return text.split("\n").slice(0, -1);
}

class LineReader {
  readonly lines: SampleLine[] = [];
  readonly #expected: Expected;
  readonly #cells: ReadonlySet<string>;
  readonly #tests: ReadonlySet<string>;
  #pilots: PilotCell[] | null = null;
  #confirming = false;
  #stopped = false;
  /** Complete blocks so far, and the slots after them. */
  #blocks = 0;
  #slots: SlotSample[] = [];

  constructor(expected: Expected) {
    this.#expected = expected;
    this.#cells = new Set(expected.plan.cells.map(({ id }) => id));
    this.#tests = new Set(["overall", ...[...this.#cells].flatMap((id) => METRICS.map((metric) => `${id}/${metric}`))]);
  }

  add(file: string, line: SampleLine): void {
    if (this.#stopped) throw refuse(file, "it comes after the end of the run");
    if ((line.kind === "begin") !== (this.lines.length === 0))
      throw refuse(file, "a run begins once, in its first line");
    this.lines.push(this.#sound(file, line));
  }

  #sound(file: string, line: SampleLine): SampleLine {
    const { plan, planId } = this.#expected;
    switch (line.kind) {
      case "begin":
        if (line.planId !== planId) throw refuse(file, "it belongs to another plan than plan.json");
        return { ...line, planId: plan.id };
      case "pilot":
        if (this.#pilots !== null) throw refuse(file, "a run has one pilot");
        this.#pilots = this.#pilot(file, line.cells);
        return { ...line, cells: this.#pilots };
      case "slot":
        this.#checkSlot(file, line);
        this.#slots.push(line);
        return line;
      case "block":
        this.#checkBlock(file, line);
        return line;
      case "confirm":
        if (this.#confirming || this.#slots.length > 0)
          throw refuse(file, "confirming begins once, between two blocks");
        if (!line.tests.every((test) => this.#tests.has(test))) {
          throw refuse(file, "it confirms something that the configuration at the base does not judge");
        }
        this.#confirming = true;
        return line;
      case "stop":
        this.#stopped = true;
        return { ...line, detail: OWN_DETAILS.includes(line.detail) ? line.detail : null };
    }
  }

  /** What the pilot settles is worked out from its request rates, by the trusted configuration. */
  #pilot(file: string, cells: readonly PilotCell[]): PilotCell[] {
    const { plan, added } = this.#expected;
    const found = new Map(cells.map((cell) => [cell.cell, cell]));
    const known = cells.every(({ cell }) => this.#cells.has(cell) || added.has(cell));
    if (found.size !== cells.length || !known) throw refuse(file, "its cells are not those of the plan");
    return plan.cells.map((cell) => {
      const pilot = found.get(cell.id);
      if (pilot === undefined) throw refuse(file, "its cells are not those of the plan");
      return afterPilot(plan, cell, pilot.qps, null);
    });
  }

  #checkSlot(file: string, slot: SlotSample): void {
    if (this.#pilots === null) throw refuse(file, "a slot comes after the pilot");
    if (!this.#cells.has(slot.cell))
      throw refuse(file, "it is of a cell that the configuration at the base does not have");
    this.#checkPlace(file, slot);
    if (this.#slots.some(({ cell, arm }) => cell === slot.cell && arm === slot.arm)) {
      throw refuse(file, "its block has that slot already");
    }
    if (!(Math.abs(slot.qps * slot.seconds - slot.requests) <= 1e-6 * slot.requests)) {
      throw refuse(file, "its rate is not its requests by its seconds");
    }
    const slowest = slot.slowest ?? [];
    if (!slowest.every(({ ms }, i) => ms <= (slowest[i - 1]?.ms ?? LONGEST_MS))) {
      throw refuse(file, "its slowest requests are not in order, or none takes so long");
    }
    if (slot.latencyMs === null) return;
    const { p50, p90, p95, p99, max, avg } = slot.latencyMs;
    const rising = [0, p50, p90, p95, p99, max].every((value, i, all) => i === 0 || value >= (all[i - 1] ?? 0));
    if (!rising || avg > max * 1.000001) throw refuse(file, "its percentiles contradict each other");
    if (p50 < SHORTEST_MS || max > LONGEST_MS) throw refuse(file, "no request takes so long, or so little time");
  }

  #checkPlace(file: string, { block, stage }: { block: number; stage: "main" | "confirm" }): void {
    if (block !== this.#blocks) throw refuse(file, `it is of block ${block}, where block ${this.#blocks} is due`);
    if (block >= MOST.blocks) throw refuse(file, `a run has at most ${MOST.blocks} blocks`);
    if ((stage === "confirm") !== this.#confirming) throw refuse(file, "it is of the wrong stage");
  }

  /** A complete block holds its slots in the order that its seed gives. */
  #checkBlock(file: string, line: Extract<SampleLine, { kind: "block" }>): void {
    this.#checkPlace(file, line);
    const { seed } = this.#expected.plan;
    const cells = new Set(this.#slots.map(({ cell }) => cell));
    const measured = (this.#pilots ?? []).filter(({ cell }) => cells.has(cell));
    const place = ({ cell, arm, order }: Pick<SlotSample, "cell" | "arm" | "order">) => `${cell} ${arm} ${order}`;
    const due = scheduleBlock(seed, line.block, measured, 0).map(place);
    const came = this.#slots.map(place);
    if (came.length === 0 || came.join("\n") !== due.join("\n")) {
      throw refuse(file, "the slots of its block are not in the order that the seed of the plan gives");
    }
    this.#blocks++;
    this.#slots = [];
  }
}

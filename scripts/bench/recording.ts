import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import * as z from "zod";
import { InputError } from "../src/core/errors.ts";
import type { PilotCell, Plan, SlotSample } from "../src/core/model.ts";
import { sampleLineSchema } from "../src/phases/sample-schema.ts";

/**
 * Recorded blocks of one condition, NAME.ndjson.gz: a header, then per block one line for every head, in the order in
 * which they were measured. Each head has a base of its own in each block.
 */
export interface RecordingHeader {
  kind: "recording";
  version: 1;
  /** "quiet" or "neighbour". */
  condition: string;
  driver: string;
  /** ISO 8601. */
  startedAt: string;
  blocks: number;
  /** Heads recorded beside the base: names of plants, "" = unchanged. */
  heads: string[];
  machine: { cpuModel: string; logicalCpus: number; kernel: string };
  /** The layout in a sentence. */
  note: string;
  cells: PilotCell[];
  /** Of the unchanged pair, to replay by; its absolute paths are "". */
  plan: Plan;
}

/** One head beside its base: a round of every cell. */
export interface RecordedBlock {
  kind: "block";
  /** Counted from 0. */
  block: number;
  head: string;
  /** ms since the epoch. */
  startedAt: number;
  /** Wall time, s, and its parts. */
  seconds: number;
  restartSeconds: number;
  warmUpSeconds: number;
  k6StartSeconds: number;
  loadSeconds: number;
  yardstickMs: number;
  /** Both arms of every cell. */
  slots: SlotSample[];
}

export interface Recording {
  header: RecordingHeader;
  /** Head -> its blocks, in the order of their numbers. */
  blocks: Map<string, RecordedBlock[]>;
}

const seconds = z.number().nonnegative();

const headerSchema = z.strictObject({
  kind: z.literal("recording"),
  version: z.literal(1),
  condition: z.string(),
  driver: z.string(),
  startedAt: z.iso.datetime(),
  blocks: z.int().positive(),
  heads: z.array(z.string()).refine((heads) => heads.includes(""), 'the unchanged head, "", is missing'),
  machine: z.strictObject({ cpuModel: z.string(), logicalCpus: z.int(), kernel: z.string() }),
  note: z.string(),
  cells: z.array(z.custom<PilotCell>((value) => value !== null && typeof value === "object" && "cell" in value)).min(1),
  // Made by the program itself and committed: what it needs of it fails loudly where it is missing.
  plan: z.custom<Plan>((value) => value !== null && typeof value === "object" && "cells" in value && "config" in value),
}) as z.ZodType<RecordingHeader>;

const blockSchema = z.strictObject({
  kind: z.literal("block"),
  block: z.int().nonnegative(),
  head: z.string(),
  startedAt: seconds,
  seconds,
  restartSeconds: seconds,
  warmUpSeconds: seconds,
  k6StartSeconds: seconds,
  loadSeconds: seconds,
  yardstickMs: z.number().positive(),
  slots: z.array(sampleLineSchema.refine(({ kind }) => kind === "slot", "is no slot")),
}) as unknown as z.ZodType<RecordedBlock>;

/** Reads a recording. Throws InputError, with the line, where it is damaged or a block lacks a head or a slot. */
export function readRecording(path: string): Recording {
  const lines = textOf(path).trimEnd().split("\n");
  const header = parsed(path, 1, lines[0] ?? "", headerSchema);
  const cells = header.plan.cells.map(({ id }) => id);
  const blocks = new Map(header.heads.map((head): [string, RecordedBlock[]] => [head, []]));
  lines.slice(1).forEach((text, index) => {
    const line = index + 2;
    const block = parsed(path, line, text, blockSchema);
    const own = blocks.get(block.head);
    if (own === undefined) throw damaged(path, line, `no head of the recording: ${JSON.stringify(block.head)}`);
    if (block.block !== own.length) throw damaged(path, line, `block ${own.length} expected, got ${block.block}`);
    for (const cell of cells) {
      const arms = block.slots.filter((slot) => slot.cell === cell).map(({ arm }) => arm);
      if (arms.sort().join() !== "base,head") throw damaged(path, line, `${cell} needs a slot of each arm`);
    }
    own.push(block);
  });
  for (const [head, own] of blocks) {
    if (own.length !== header.blocks) {
      const wanted = `${header.blocks} blocks of ${JSON.stringify(head)} expected, got ${own.length}`;
      throw damaged(path, lines.length, `${wanted}; was the recording cut short?`);
    }
  }
  return { header, blocks };
}

function textOf(path: string): string {
  try {
    return gunzipSync(readFileSync(path)).toString("utf8");
  } catch (error) {
    throw new InputError(`${path}: a gzip file of a recording expected (${(error as Error).message})`);
  }
}

function parsed<T>(path: string, line: number, text: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(path, line, (error as Error).message);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw damaged(path, line, `${issue?.path.join(".")}: ${issue?.message}`);
}

function damaged(path: string, line: number, what: string): InputError {
  return new InputError(`${path}, line ${line}: ${what}; record it again`);
}

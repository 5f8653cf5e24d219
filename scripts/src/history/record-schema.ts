import { createHash } from "node:crypto";
import * as z from "zod";
import { type HistoryRecord, NO_ANCHOR, recordId } from "../core/record.ts";

/** Bytes of a line. A record of 8 cells takes 4 kB, so this is room for more than 100. */
const LONGEST_LINE = 64 * 1024;

const text = z.string().min(1).max(1000);
const positive = z.number().positive();
const count = z.int().nonnegative();
const sha = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
const time = z.iso.datetime();

const figure = z.strictObject({
  head: positive,
  anchor: positive,
  logRatio: z.number(),
  sd: z.number().nonnegative(),
  rounds: count.positive(),
});

const version1 = z.strictObject({
  version: z.literal(1),
  id: sha(16),
  recordedAt: time,
  commit: sha(40),
  committedAt: time.nullable(),
  branch: text,
  url: z
    .string()
    .max(2000)
    .regex(/^https?:\/\//)
    .nullable(),
  anchor: z.strictObject({
    label: text,
    id: z.union([sha(40), z.string().regex(/^sha256:[0-9a-f]{64}$/), z.literal(NO_ANCHOR)]),
  }),
  conditions: z.strictObject({
    must: z.strictObject({
      driver: z.enum(["compose", "process", "url"]),
      cpuModel: text,
      logicalCpus: count,
      php: text.nullable(),
      k6: text,
    }),
    also: z.record(text, z.string().max(1000)),
  }),
  cells: z.array(
    z.strictObject({
      id: text,
      connection: z.enum(["keep-alive", "close"]),
      suite: sha(12),
      qps: figure.nullable(),
      latency: figure.extend({ statistic: z.enum(["p90", "p95", "p99"]) }).nullable(),
    }),
  ),
  census: z.array(
    z.strictObject({
      scenario: text,
      counts: z.strictObject({
        sqlStatements: z.number().optional(),
        dbConnections: z.number().optional(),
        redisCommands: z.number().optional(),
        responseBytes: z.number().optional(),
      }),
    }),
  ),
});

export type Parsed = { record: HistoryRecord } | { problem: string };

/**
 * What reads a line of each version (parsed from JSON) as a record of today. When there is a version 2 it gets an entry
 * of its own, and the one of 1 goes on to turn what it has read into a 2. Lines in stores are never rewritten.
 */
export const READERS: ReadonlyMap<number, (line: unknown) => Parsed> = new Map([
  [
    1,
    (line) => {
      const { error } = version1.safeParse(line);
      // The line itself and not the schema's copy: its keys keep their order, which the id depends on.
      if (error === undefined) return { record: line as HistoryRecord };
      const [issue] = error.issues;
      return { problem: `${issue?.path.join(".") || "record"}: ${issue?.message ?? "not of the expected form"}` };
    },
  ],
]);

/** One line of a store as a record, or what is wrong with it. */
export function parseRecord(line: string, readers = READERS): Parsed {
  if (Buffer.byteLength(line) > LONGEST_LINE) return { problem: `longer than ${LONGEST_LINE / 1024} kB` };
  let value: { version?: unknown } | null;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: "damaged or cut short: it is not JSON" };
  }
  const version = value?.version;
  const newest = Math.max(...readers.keys());
  if (typeof version === "number" && version > newest) {
    return {
      problem: `written by a newer perf-gate (version ${version}; this one reads up to ${newest}): use that one or a later one`,
    };
  }
  const read = readers.get(version as number);
  if (value === null || read === undefined) return { problem: "not a record: it has no version that is known" };
  const parsed = read(value);
  if ("record" in parsed && recordId(value as HistoryRecord, sha256) !== parsed.record.id) {
    return { problem: "damaged: its content does not match its id" };
  }
  return parsed;
}

/** SHA-256, hex. */
export function sha256(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

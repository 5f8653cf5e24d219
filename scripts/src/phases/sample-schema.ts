import * as z from "zod";
import type { Census, SampleLine } from "../core/model.ts";
import { SLOWEST } from "../core/slowest.ts";

const amount = z.number().nonnegative();
const count = z.int().nonnegative();
/** A reading that rounding can push below zero. */
const reading = z.number();
const stage = z.enum(["main", "confirm"]);
const arm = z.enum(["base", "head"]);
const text = z.string().max(2000);
/** All zeros are no trace (W3C Trace Context, "trace-id"). */
const slow = z.strictObject({ ms: amount, traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/) });

const slot = z.strictObject({
  kind: z.literal("slot"),
  stage,
  block: count,
  cell: text,
  arm,
  order: count,
  startedAt: amount,
  seconds: z.number().positive(),
  requests: count,
  qps: amount,
  latencyMs: z
    .strictObject({ avg: amount, p50: amount, p90: amount, p95: amount, p99: amount, max: amount })
    .nullable(),
  phasesMs: z.strictObject({ connect: amount, tls: amount, wait: amount, receive: amount }),
  errors: count,
  failedChecks: count,
  droppedIterations: count,
  bytesReceived: amount,
  portErrors: count,
  witness: z
    .strictObject({
      targetCpuSeconds: reading,
      servicesCpuSeconds: reading,
      generatorCpuSeconds: reading,
      generatorCores: z.number().positive(),
      generatorIdleSeconds: reading,
      foreignCpuSeconds: reading,
      stealSeconds: reading,
      intervalSeconds: z.number().positive(),
      targetPeakCores: reading,
      targetMemoryBytes: amount,
      targetMemoryGrowthBytes: reading.optional(),
      throttledPeriods: reading,
      timeWait: count,
      listenOverflows: reading,
      listenQueueMax: count,
      maxChildrenReached: count,
    })
    .nullable(),
  events: z.array(z.enum(["target-restarted", "oom-killed", "k6-died"])),
  slowest: z.array(slow).max(SLOWEST).exactOptional(),
});

/** One line of samples.ndjson. JSON has no NaN or Infinity: they arrive as null and are refused here. */
export const sampleLineSchema: z.ZodType<SampleLine> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("begin"), version: z.literal(1), planId: text, startedAt: amount }),
  z.strictObject({
    kind: z.literal("pilot"),
    cells: z.array(
      z.strictObject({
        cell: text,
        requests: count,
        qps: amount,
        slotSeconds: z.number().positive(),
        turnSeconds: z.number().positive(),
        gapSeconds: z.number().positive(),
        statistic: z.enum(["p90", "p95", "p99"]),
        rate: amount.nullable(),
      }),
    ),
    seconds: amount,
  }),
  slot,
  z.strictObject({
    kind: z.literal("block"),
    stage,
    block: count,
    yardstickMs: z.number().positive(),
    times: z.strictObject({ restart: amount, k6Start: amount, warmUp: amount, load: amount, total: amount }),
  }),
  z.strictObject({ kind: z.literal("confirm"), tests: z.array(text) }),
  z.strictObject({
    kind: z.literal("stop"),
    reason: z.enum(["decided", "cap", "budget", "interrupted", "failed"]),
    detail: z.string().max(20_000).nullable(),
    wallSeconds: amount,
  }),
]);

const counted = z.strictObject({ perRequest: reading, min: reading, max: reading, exact: z.boolean() });
const censusArm = z.strictObject({
  statuses: z.array(count),
  failedShare: z.number().min(0).max(1),
  counts: z.strictObject({
    sqlStatements: counted.optional(),
    dbConnections: counted.optional(),
    redisCommands: counted.optional(),
    responseBytes: counted.optional(),
  }),
});

/** census.json. */
export const censusSchema = z.strictObject({
  version: z.literal(1),
  planId: text,
  requestsPerRepeat: count,
  repeats: count,
  scenarios: z.array(z.strictObject({ scenario: text, arms: z.strictObject({ base: censusArm, head: censusArm }) })),
}) as unknown as z.ZodType<Census>;

import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { describe, expect, test } from "vitest";
import {
  type Approach,
  type ApproachResult,
  answerOf,
  begin,
  type CapacityLimits,
  type Cause,
  capacityOf,
  causeOf,
  type MeasuredStep,
  next,
  resultOf,
  stepTimes,
  take,
} from "../../src/core/capacity.ts";
import type { SlotSample, Witness } from "../../src/core/model.ts";
import { normalQuantile } from "../../src/core/stats/distributions.ts";
import { planOf, slot } from "./support.ts";

const UNLIMITED: CapacityLimits = { maxP95Ms: null, maxCpu: null };
const plan = planOf("scenarios: [{ name: page, path: /, model: open, rate: [auto] }]\n");

/** A service that holds every rate up to its capacity. */
const upTo =
  (capacity: number) =>
  (rate: number): Cause | null =>
    rate <= capacity ? null : "latency";

/** One approach to a service; the rates that were tried. */
function approachTo(service: (rate: number) => Cause | null, before: number | null = null) {
  const approach = begin(before);
  const rates: number[] = [];
  for (let rate = next(approach); rate !== null; rate = next(approach)) {
    rates.push(rate);
    if (rates.length > 100) throw new Error(`it does not end: ${JSON.stringify(approach)}`);
    take(approach, { rate, p95Ms: 10, cause: service(rate) });
  }
  return { rates, result: resultOf(approach) };
}

describe("an approach", () => {
  test("doubles until a rate is twice not held, then halves the bracket in logs until it is 3% wide", () => {
    const { rates, result } = approachTo(upTo(100));
    expect(rates).toEqual([2, 4, 8, 16, 32, 64, 128, 128, 90.5, 107.6, 98.7, 103.1, 100.9]);
    expect(result).toEqual({ held: 98.7, failed: 100.9, cause: "latency", complete: true });
  });

  test("a later one begins at a third of what was found", () => {
    expect(approachTo(upTo(100), 98.7).rates.slice(0, 4)).toEqual([32.9, 65.8, 131.6, 131.6]);
  });

  test("goes down from a start that is too much, and ends where nothing holds", () => {
    expect(approachTo(upTo(10), 300)).toMatchObject({
      rates: [100, 100, 25, 6.3, 12.5, 8.9, 10.5, 9.7, 10.1, 9.9],
      result: { held: 9.9, failed: 10.1 },
    });
    expect(approachTo(upTo(0.5))).toEqual({
      rates: [2, 2, 1],
      result: { held: null, failed: 1, cause: "latency", complete: true },
    });
  });

  test("always ends around the capacity, within 3% or the next tenth", () => {
    const random = xoroshiro128plus(7);
    for (let i = 0; i < 500; i++) {
      const capacity = Math.exp(uniformFloat64(random) * Math.log(60_000));
      const start = uniformFloat64(random) < 0.5 ? null : capacity * (0.1 + 5 * uniformFloat64(random));
      const { rates, result } = approachTo(upTo(capacity), start);
      const { held, failed } = result as { held: number; failed: number };
      expect(held, `${capacity}`).toBeLessThanOrEqual(capacity);
      expect(failed, `${capacity}`).toBeGreaterThan(capacity);
      expect(failed <= held * 1.03 || failed - held < 0.15, `${capacity}: ${held} to ${failed}`).toBe(true);
      expect(rates.length, `${capacity}`).toBeLessThan(35);
    }
  });

  test("what others spoilt is measured again, three times; then it is the limit", () => {
    let spoilt = 0;
    const disturbed = (rate: number): Cause | null => {
      if (rate <= 40) return null;
      return rate === 64 && spoilt++ < 3 ? "steal" : "latency";
    };
    const { rates, result } = approachTo(disturbed);
    expect(rates.slice(4, 10)).toEqual([32, 64, 64, 64, 64, 45.3]);
    expect(result).toMatchObject({ cause: "latency", complete: true });

    const always = approachTo((rate) => (rate <= 40 ? null : "foreign-load"));
    expect(always.rates.filter((rate) => rate === 64)).toHaveLength(4);
    expect(always.result).toMatchObject({ cause: "foreign-load", complete: true });
  });

  test("a failure by chance does not end the growth", () => {
    let failures = 0;
    const { rates, result } = approachTo((rate) => (rate === 8 && failures++ === 0 ? "errors" : upTo(100)(rate)));
    expect(rates.slice(0, 6)).toEqual([2, 4, 8, 8, 16, 32]);
    expect(result.held).toBe(98.7);
  });

  test("is not complete before its end", () => {
    const approach = begin(null);
    take(approach, { rate: 2, p95Ms: 10, cause: null });
    expect(resultOf(approach)).toEqual({ held: 2, failed: null, cause: null, complete: false });
  });
});

describe("a step", () => {
  const sound = slot("page @auto/s", "head", 0);
  const witness = (over: Partial<Witness>) => ({ witness: { ...(sound.witness as Witness), ...over } });
  const p95 = (value: number) => ({
    latencyMs: { ...(sound.latencyMs as NonNullable<SlotSample["latencyMs"]>), p95: value },
  });
  const NEIGHBOUR = { foreignCpuSeconds: 1 };
  const BUSY_K6 = { generatorCpuSeconds: 1.9 };

  test.each<[string, Partial<SlotSample>, Partial<CapacityLimits>, Cause | null]>([
    ["a sound one holds", {}, {}, null],
    ["p95 100 ms above the lowest", p95(150), {}, null],
    ["p95 further above it", p95(150.1), {}, "latency"],
    ["p95 at its limit", p95(80), { maxP95Ms: 80 }, null],
    ["p95 above its limit", p95(80.1), { maxP95Ms: 80 }, "latency"],
    ["a limit does not allow a longer queue", p95(150.1), { maxP95Ms: 1000 }, "latency"],
    // Service and databases on one core: (1.8 + 0.2) / 2.2 s.
    ["91% of the CPU, 92% allowed", {}, { maxCpu: 0.92 }, null],
    ["91% of the CPU, 90% allowed", {}, { maxCpu: 0.9 }, "cpu"],
    ["CPU that cannot be seen", { witness: null }, { maxCpu: 0.1 }, null],
    ["4.9% without an answer", { requests: 3804 }, {}, null],
    ["5.1% without an answer", { requests: 3795 }, {}, "unanswered"],
    ["none with an answer", { requests: 0, latencyMs: null }, {}, "no-requests"],
    ["failing requests", { errors: 21 }, {}, "errors"],
    ["late requests", { droppedIterations: 40 }, {}, "dropped-iterations"],
    ["a full backlog", witness({ listenOverflows: 1 }), {}, "listen-overflow"],
    ["no memory", { events: ["oom-killed"] }, {}, "oom-killed"],
    ["one that holds beside a neighbour", witness(NEIGHBOUR), {}, null],
    ["one that a neighbour slowed", { ...witness(NEIGHBOUR), ...p95(500) }, {}, "foreign-load"],
    ["one that the host slowed", { ...witness({ stealSeconds: 1 }), droppedIterations: 90 }, {}, "steal"],
    ["one that holds with a busy k6", witness(BUSY_K6), {}, null],
    ["one for which k6 was too busy", { ...witness(BUSY_K6), droppedIterations: 90 }, {}, "generator-saturated"],
    ["one whose k6 died", { events: ["k6-died"], requests: 0, latencyMs: null }, {}, "k6-died"],
  ])("%s", (_name, over, limits, expected) => {
    const sample = slot("page @auto/s", "head", 0, over);
    expect(causeOf(plan, sample, 4001, 50, { ...UNLIMITED, ...limits })).toBe(expected);
  });

  test("of a flow may make any number of requests", () => {
    expect(causeOf(plan, slot("page @auto/s", "head", 0, { requests: 10 }), null, 50, UNLIMITED)).toBe(null);
  });

  test("the slower a service is without a queue, the longer a step and its pause are", () => {
    const of = (calmP95Ms: number | null, maxP95Ms: number | null = null) =>
      stepTimes({ calmP95Ms }, { ...UNLIMITED, maxP95Ms });
    expect(of(null)).toEqual({ seconds: 3, gapSeconds: 5 });
    expect(of(10)).toEqual({ seconds: 3, gapSeconds: 1 });
    expect(of(400)).toEqual({ seconds: 6, gapSeconds: 1.2 });
    expect(of(400, 700).gapSeconds).toBe(1.2);
    expect(of(2000)).toEqual({ seconds: 15, gapSeconds: 5 });
  });
});

describe("the answer", () => {
  const result = (held: number | null, failed: number | null, cause: Cause | null = "latency"): ApproachResult => ({
    held,
    failed,
    cause,
    complete: true,
  });

  test("is the geometric mean of what held, between the limits for what held and for what did not", () => {
    // Logs of 100 and 121: mean log 110, sd of two values |d| / sqrt 2 with d = log 1.21, t(0.975; 1) = 12.706,
    // so the half-width is 12.706 * log 1.21 / 2 = 1.21102, a factor of 3.35690.
    const answer = answerOf([result(100, 102), result(121, 123.42)]);
    expect(answer).toMatchObject({ kind: "capacity", n: 2 });
    if (answer?.kind !== "capacity") throw new Error("no capacity");
    expect(answer.rate).toBeCloseTo(110, 6);
    expect(answer.interval?.low).toBeCloseTo(110 / 3.3569, 2);
    expect(answer.interval?.high).toBeCloseTo(112.2 * 3.3569, 1);
  });

  test("approaches that agree leave what lies between held and not held", () => {
    expect(answerOf([result(100, 102), result(100, 102)])).toMatchObject({
      kind: "capacity",
      interval: { low: expect.closeTo(100, 6), high: expect.closeTo(102, 6) },
    });
  });

  /** Through logs and back. */
  const near = (rate: number): number => expect.closeTo(rate, 6);

  test.each<[string, ApproachResult[], ReturnType<typeof answerOf>]>([
    ["nothing was measured", [], null],
    ["one approach has no interval", [result(50, 51)], { kind: "capacity", rate: near(50), interval: null, n: 1 }],
    [
      "what others ended counts for nothing",
      [result(10, 10.2, "steal"), result(50, 51)],
      { kind: "capacity", rate: near(50), interval: null, n: 1 },
    ],
    [
      "k6 was the limit once",
      [result(9000, 9200), result(8000, 8200, "generator-saturated")],
      { kind: "at-least", rate: 8000, cause: "generator-saturated" },
    ],
    [
      "others ended all of them",
      [result(10, 10.2, "steal"), result(20, 20.4, "foreign-load")],
      { kind: "at-least", rate: 20, cause: "foreign-load" },
    ],
    [
      "it was interrupted",
      [{ held: 64, failed: 128, cause: "errors", complete: false }],
      { kind: "at-least", rate: 64, cause: null },
    ],
    ["interrupted before anything held", [{ held: null, failed: null, cause: null, complete: false }], null],
    ["nothing holds", [result(null, 1, "errors")], { kind: "none", cause: "errors" }],
  ])("%s", (_name, approaches, expected) => {
    expect(answerOf(approaches)).toEqual(expected);
  });

  test("its interval holds the capacity in 95% of searches, or more, where replicas differ by 5%", () => {
    const random = xoroshiro128plus(11);
    const searches = 400;
    let holds = 0;
    for (let i = 0; i < searches; i++) {
      const capacity = 5 * 4000 ** uniformFloat64(random);
      let before: number | null = null;
      const approaches = Array.from({ length: 5 }, () => {
        const ofReplica = capacity * Math.exp(0.05 * normalQuantile(uniformFloat64(random) || 0.5));
        const { result: found } = approachTo(upTo(ofReplica), before);
        before = found.held ?? before;
        return found;
      });
      const answer = answerOf(approaches);
      if (answer?.kind !== "capacity" || answer.interval === null) throw new Error("no interval");
      if (answer.interval.low <= capacity && capacity <= answer.interval.high) holds++;
      expect(Math.abs(Math.log(answer.rate / capacity))).toBeLessThan(0.15);
    }
    expect(holds / searches).toBeGreaterThan(0.94);
  });
});

// ---------------------------------------------------------------- simulated queues

interface Service {
  workers: number;
  serviceMs: number;
  /** sd of the log of the time that a request takes. */
  spread: number;
}

const VUS = 200;

/** A step against a queue: requests come at even intervals, the worker that is free first takes the next. */
function simulate(
  { workers, serviceMs, spread }: Service,
  rate: number,
  { seconds, gapSeconds }: { seconds: number; gapSeconds: number },
  normal: () => number,
): SlotSample {
  const free = new Array<number>(workers).fill(0);
  const latencies: number[] = [];
  let inSystem: number[] = [];
  let dropped = 0;
  for (let at = 0; at < seconds * 1000; at += 1000 / rate) {
    inSystem = inSystem.filter((end) => end > at);
    if (inSystem.length >= VUS) {
      dropped++;
      continue;
    }
    const worker = free.indexOf(Math.min(...free));
    const end = Math.max(at, free[worker] as number) + serviceMs * Math.exp(spread * normal());
    free[worker] = end;
    inSystem.push(end);
    if (end <= (seconds + 0.6 * gapSeconds) * 1000) latencies.push(end - at);
  }
  latencies.sort((a, b) => a - b);
  const quantile = (share: number) => latencies[Math.ceil(share * latencies.length) - 1] ?? 0;
  return slot("page @auto/s", "head", 0, {
    seconds,
    requests: latencies.length,
    qps: latencies.length / seconds,
    latencyMs: {
      avg: 0,
      p50: quantile(0.5),
      p90: quantile(0.9),
      p95: quantile(0.95),
      p99: quantile(0.99),
      max: quantile(1),
    },
    droppedIterations: dropped,
    witness: null,
  });
}

/** A whole search of a simulated service. */
function searchOf(service: Service, approaches: number): MeasuredStep[] {
  const random = xoroshiro128plus(3);
  const normal = () => normalQuantile(Math.min(1 - 1e-9, Math.max(1e-9, uniformFloat64(random))));
  const steps: MeasuredStep[] = [];
  let before: number | null = null;
  for (let number = 0; number < approaches; number++) {
    const approach: Approach = begin(before);
    for (let rate = next(approach); rate !== null; rate = next(approach)) {
      const times = stepTimes(approach, UNLIMITED);
      const sample = simulate(service, rate, times, normal);
      const cause = causeOf(plan, sample, rate * times.seconds, approach.calmP95Ms, UNLIMITED);
      steps.push({ kind: "step", scenario: "page", approach: number, rate, fresh: true, cause, sample });
      take(approach, { rate, p95Ms: sample.latencyMs?.p95 ?? null, cause });
    }
    before = approach.held ?? before;
  }
  return steps;
}

test.each<[string, Service]>([
  ["2 workers of 50 ms", { workers: 2, serviceMs: 50, spread: 0 }],
  ["1 worker of 400 ms", { workers: 1, serviceMs: 400, spread: 0 }],
  ["4 workers of 1 s", { workers: 4, serviceMs: 1000, spread: 0 }],
  ["8 workers of 10 ms", { workers: 8, serviceMs: 10, spread: 0 }],
  ["8 workers of 4 ms and more", { workers: 8, serviceMs: 4, spread: 0.5 }],
])("the capacity of a queue is found within 5%%: %s", (_name, service) => {
  const { workers, serviceMs, spread } = service;
  // The mean of a lognormal time is exp(sd^2 / 2) times its median.
  const capacity = (1000 * workers) / (serviceMs * Math.exp(spread ** 2 / 2));
  const steps = searchOf(service, 3);
  const stop = { reason: "done", detail: null } as const;
  const [found] = capacityOf(plan, UNLIMITED, steps, stop, 1).scenarios;
  if (found?.answer?.kind !== "capacity") throw new Error(JSON.stringify(found?.answer));
  expect(Math.abs(found.answer.rate / capacity - 1)).toBeLessThan(0.05);
  expect(found.approaches.map(({ complete }) => complete)).toEqual([true, true, true]);
  expect(found.approaches.flatMap((approach) => approach.steps)).toHaveLength(steps.length);
});

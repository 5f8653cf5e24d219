import { expect, test } from "vitest";
import type { SlotSample, Witness } from "../../src/core/model.ts";
import { isDisturbed, strikeReason } from "../../src/core/validity.ts";
import { planOf, scenariosYaml, slot } from "./support.ts";

const plan = planOf(scenariosYaml(1));
const { measure } = plan.config;
const base = slot("s0 @20", "base", 0);
const reasonOf = (over: Partial<SlotSample>, limits = measure, layout = plan.layout, other: SlotSample | null = base) =>
  strikeReason(slot("s0 @20", "head", 0, over), other, limits, layout);
const witness = (over: Partial<Witness>): Partial<SlotSample> => ({
  witness: { ...(slot("s0 @20", "head", 0).witness as Witness), ...over },
});

test.each<[string, Partial<SlotSample>, ReturnType<typeof strikeReason>]>([
  ["a sound slot", {}, null],
  ["a slow slot is not struck for being slow", { requests: 10, qps: 5 }, null],
  ["no counters to be read (url driver)", { witness: null }, null],
  ["others took 5% of a core more from it: allowed", witness({ foreignCpuSeconds: 0.12 }), null],
  ["others took 6% of a core more from it", witness({ foreignCpuSeconds: 0.142 }), "foreign-load"],
  ["the host took 6% of a core more from it", witness({ stealSeconds: 0.142 }), "steal"],
  ["k6 used 89% of its core", witness({ generatorCpuSeconds: 1.78 }), null],
  ["k6 used 90% of its core", witness({ generatorCpuSeconds: 1.8 }), "generator-saturated"],
  ["k6 used all of its quota", witness({ generatorCpuSeconds: 0.4, generatorCores: 0.2 }), "generator-saturated"],
  ["0.5% of requests failed: allowed", { errors: 20 }, null],
  ["0.525% of requests failed", { errors: 21 }, "errors"],
  ["checks failed", { failedChecks: 400 }, "errors"],
  ["a request found no source port", { portErrors: 1 }, "ports-exhausted"],
  ["a connection was turned away", witness({ listenOverflows: 1 }), "listen-overflow"],
  [
    "refused requests keep the generator busy: the refusal is the cause",
    witness({ listenOverflows: 1, generatorCpuSeconds: 2 }),
    "listen-overflow",
  ],
  ["0.1% of iterations were dropped: allowed", { droppedIterations: 4 }, null],
  ["0.2% of iterations were dropped", { droppedIterations: 8 }, "dropped-iterations"],
  ["no request at all", { requests: 0, qps: 0, latencyMs: null }, "no-requests"],
  ["the replica died", { events: ["target-restarted"], requests: 0 }, "target-restarted"],
  ["memory ran out", { events: ["oom-killed", "target-restarted"] }, "oom-killed"],
  ["k6 died", { events: ["k6-died"], requests: 0, latencyMs: null, witness: null }, "k6-died"],
  ["the machine is named before the service", { ...witness({ foreignCpuSeconds: 1 }), errors: 4000 }, "foreign-load"],
])("%s", (_name, over, expected) => {
  expect(reasonOf(over)).toBe(expected);
});

test("what others take from both arms alike leaves the round as it is, but no figure to hold against a limit", () => {
  const busy = { ...(base.witness as Witness), foreignCpuSeconds: 1.5, stealSeconds: 0.5 };
  const disturbed = { ...base, witness: busy };
  expect(reasonOf({ witness: busy }, measure, plan.layout, disturbed)).toBe(null);
  expect(isDisturbed(disturbed, measure)).toBe(true);
  expect(isDisturbed(base, measure)).toBe(false);
  expect(isDisturbed(disturbed, { ...measure, maxForeignCores: null })).toBe(false);
});

test("others that leave the generator no room hide what the service can do, however alike", () => {
  const busy = { ...(base.witness as Witness), foreignCpuSeconds: 1.5, generatorIdleSeconds: 0.1 };
  const other = { ...base, witness: busy };
  expect(reasonOf({ witness: busy }, measure, plan.layout, other)).toBe("foreign-load");
  expect(reasonOf({ witness: { ...busy, stealSeconds: 2 } }, measure, plan.layout, null)).toBe("steal");
  // Gaps of 0.2 s and a tenth of the 2 s under load: room enough.
  const room = { ...busy, generatorIdleSeconds: 0.41 };
  expect(reasonOf({ witness: room }, measure, plan.layout, { ...base, witness: room })).toBe(null);
  expect(reasonOf({ witness: busy }, measure, { ...plan.layout, isolated: false }, other)).toBe(null);
});

test("the foreign-load check can be switched off", () => {
  const off = { ...measure, maxForeignCores: null };
  expect(reasonOf(witness({ foreignCpuSeconds: 2, stealSeconds: 2, generatorIdleSeconds: 0 }), off)).toBe(null);
});

test("a generator that shares its core is never called saturated: its share says nothing there", () => {
  expect(reasonOf(witness({ generatorCpuSeconds: 1.99 }), measure, { ...plan.layout, isolated: false })).toBe(null);
});

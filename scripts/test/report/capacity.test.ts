import { expect, test } from "vitest";
import type { Capacity, CapacityStep, ScenarioCapacity } from "../../src/core/capacity.ts";
import { renderCapacity, renderCapacityMarkdown } from "../../src/report/capacity.ts";
import { expectGolden } from "./golden.ts";

const step = (over: Partial<CapacityStep> = {}): CapacityStep => ({
  rate: 64,
  qps: 63.9,
  seconds: 3,
  p95Ms: 12.34,
  cpu: 0.567,
  cause: null,
  ...over,
});
const approach = (over: Partial<ScenarioCapacity["approaches"][number]> = {}) => ({
  held: 64,
  failed: 65.9,
  cause: "latency" as const,
  complete: true,
  steps: [step(), step({ rate: 65.9, qps: 61, p95Ms: 250, cpu: 1, cause: "latency" })],
  ...over,
});
const scenario = (name: string, over: Partial<ScenarioCapacity> = {}): ScenarioCapacity => ({
  scenario: name,
  isFlow: false,
  answer: { kind: "capacity", rate: 1234.5, interval: { low: 1190, high: 1302 }, n: 2 },
  approaches: [approach(), approach()],
  ...over,
});

function report(scenarios: ScenarioCapacity[], over: Partial<Capacity> = {}) {
  const capacity: Capacity = {
    version: 1,
    planId: "plan",
    head: { label: "../shop", commit: "0123456789abcdef" },
    layout: "load generator on CPU 1, service and databases on CPU 0",
    limits: { maxP95Ms: null, maxCpu: null },
    maxErrorRate: 0.005,
    scenarios,
    stop: { reason: "done", detail: null },
    wallSeconds: 245,
    ...over,
  };
  return { capacity, environment: null };
}

const ALL = report(
  [
    scenario("health"),
    scenario("checkout", {
      isFlow: true,
      answer: { kind: "capacity", rate: 12.34, interval: null, n: 1 },
      approaches: [approach({ cause: "errors" }), approach({ cause: "steal" })],
    }),
    scenario("static page", {
      answer: { kind: "at-least", rate: 8192, cause: "generator-saturated" },
      approaches: [approach({ cause: "generator-saturated" })],
    }),
    scenario("beside a neighbour", {
      answer: { kind: "at-least", rate: 64, cause: "foreign-load" },
      approaches: [approach({ cause: "foreign-load" })],
    }),
    scenario("broken", {
      answer: { kind: "none", cause: "errors" },
      approaches: [
        approach({
          held: null,
          failed: 1,
          cause: "errors",
          steps: [step({ p95Ms: null, cpu: null, cause: "errors" })],
        }),
      ],
    }),
    scenario("not begun", { answer: null, approaches: [] }),
  ],
  { limits: { maxP95Ms: 300, maxCpu: 0.7 }, stop: { reason: "interrupted", detail: null } },
);

test("on a terminal", () => expectGolden("report/capacity.txt", renderCapacity(ALL)));
test("capacity.md", () => expectGolden("report/capacity.md", renderCapacityMarkdown(ALL)));

test("an answer is told with its interval and with what ended it", () => {
  const text = renderCapacity(report([scenario("health")]));
  expect(text).toMatch(/^health +1,235 +1,190 … 1,302 +p95 was too high +2$/m);
  expect(text).toContain(
    "A rate is held while p95 is at most 100 ms, or 50%, above its lowest, at most 0.5% of requests",
  );
});

test("where k6 was the limit, the figure is no capacity", () => {
  expect(renderCapacity(ALL)).toContain("“static page” holds at least 8,192/s; k6 was the limit.");
});

test("foreign text is harmless", () => {
  const name = "<img src=x> | @all\n::error::a\u001b[31m";
  const all = report([scenario(name)], { stop: { reason: "failed", detail: "<b>::set-output" } });
  const markdown = renderCapacityMarkdown(all);
  expect(markdown).not.toMatch(/<img|<b>|::error|@all/);
  expect(renderCapacity(all)).not.toMatch(/::error|::set-output|\[31m/);
});

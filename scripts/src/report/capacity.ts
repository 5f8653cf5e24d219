import { markdownTable } from "markdown-table";
import {
  type Answer,
  type ApproachResult,
  type Capacity,
  type CapacityLimits,
  type CapacityStep,
  type Cause,
  LEEWAY,
  type MeasuredStep,
  type ScenarioCapacity,
} from "../core/capacity.ts";
import { assertNever, type Environment } from "../core/model.ts";
import { fold } from "./details.ts";
import { escapeMarkdown, escapeNote, type Ink, MARKDOWN, oneLine, PLAIN, sentence } from "./escape.ts";
import { ABSENT, duration, list, ms, percent, plural, qps } from "./format.ts";
import { textTable } from "./text-table.ts";
import { STRIKE_LABEL } from "./words.ts";

export interface CapacityReport {
  capacity: Capacity;
  /** null where the service was not up yet. */
  environment: Environment | null;
}

const CAUSE_LABEL: Record<Cause, string> = {
  ...STRIKE_LABEL,
  "dropped-iterations": "requests had to wait for a free VU",
  latency: "p95 was too high",
  cpu: "the service used more CPU than allowed",
  unanswered: "requests stayed without an answer",
};

/** The end of `capacity` on a terminal: a line per scenario, and what held means. Foreign text is one harmless line. */
export function renderCapacity({ capacity, environment }: CapacityReport): string {
  const titles = ["scenario", ">holds, 1/s", ">between", "then", ">approaches"];
  const table = textTable(
    titles,
    capacity.scenarios.map((scenario) => row(scenario, PLAIN)),
  );
  const warnings = environment?.warnings ?? [];
  return [
    table,
    "",
    `A rate is held while ${heldWhile(capacity.limits, capacity.maxErrorRate)}.`,
    ...capacity.scenarios.flatMap((scenario) => remark(scenario, PLAIN)),
    ...stopSentences(capacity, PLAIN),
    ...warnings.map((warning) => `note: ${sentence(oneLine(warning))}`),
    "Every step: capacity.md, capacity.json and steps.ndjson in the work directory.",
    "",
  ].join("\n");
}

/** capacity.md. */
export function renderCapacityMarkdown({ capacity, environment }: CapacityReport): string {
  const { head, layout, limits, maxErrorRate, scenarios, wallSeconds } = capacity;
  const commit = head.commit === null ? "" : ` (${escapeMarkdown(head.commit.slice(0, 12))})`;
  const answers = markdownTable(
    [
      ["scenario", "holds, 1/s", "between", "then", "approaches"],
      ...scenarios.map((scenario) => row(scenario, MARKDOWN)),
    ],
    { align: ["l", "r", "r", "l", "r"] },
  );
  const remarks = [
    ...scenarios.flatMap((scenario) => remark(scenario, MARKDOWN)),
    ...stopSentences(capacity, MARKDOWN),
  ];
  const parts = [
    "## How much it can take",
    answers,
    `A rate is held while ${heldWhile(limits, maxErrorRate)}.`,
    remarks.map((text) => `- ${text}`).join("\n"),
    ...(environment?.warnings ?? []).map((warning) => `> ${sentence(escapeNote(warning))}`),
    `${escapeMarkdown(head.label)}${commit}: ${escapeNote(layout)}; ${duration(wallSeconds)} in all.`,
    ...scenarios.map((scenario) =>
      fold(
        `Every step: ${escapeMarkdown(scenario.scenario)}`,
        scenario.approaches.length === 0 ? [] : [steps(scenario)],
      ),
    ),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** When a rate is held, as the end of a sentence. */
export function heldWhile({ maxP95Ms, maxCpu }: CapacityLimits, maxErrorRate: number): string {
  return list([
    ...(maxP95Ms === null ? [] : [`p95 is at most ${ms(maxP95Ms)} ms`]),
    `p95 is at most ${ms(LEEWAY.ms)} ms, or ${percent(LEEWAY.share)}, above its lowest`,
    ...(maxCpu === null ? [] : [`the service uses at most ${percent(maxCpu)} of its CPUs`]),
    `at most ${percent(maxErrorRate)} of requests fail`,
    "every request starts on time",
  ]);
}

/** What a step was like, for who waits. */
export function stepSentence({ scenario, approach, rate, cause, sample }: MeasuredStep): string {
  const p95 = sample.latencyMs === null ? "no answer" : `p95 ${ms(sample.latencyMs.p95)} ms`;
  const outcome = cause === null ? "held" : `not held: ${CAUSE_LABEL[cause]}`;
  return `${oneLine(scenario)}, approach ${approach + 1}: ${qps(rate)}/s ${outcome} (${p95})`;
}

function row({ scenario, isFlow, answer, approaches }: ScenarioCapacity, ink: Ink): string[] {
  const name = `${ink.text(scenario)}${isFlow ? " (runs of the flow)" : ""}`;
  const complete = approaches.filter((approach) => approach.complete).length;
  return [name, ...figures(answer, ink), ended(approaches), String(complete)];
}

/** Rate and interval. */
function figures(answer: Answer | null, ink: Ink): [string, string] {
  if (answer === null) return [ABSENT, ABSENT];
  switch (answer.kind) {
    case "capacity": {
      const { rate, interval } = answer;
      return [ink.strong(qps(rate)), interval === null ? ABSENT : `${qps(interval.low)} … ${qps(interval.high)}`];
    }
    case "at-least":
      return [`≥ ${qps(answer.rate)}`, ABSENT];
    case "none":
      return ["0", ABSENT];
    default:
      return assertNever(answer);
  }
}

/** What ended the approaches, the most frequent first. */
function ended(approaches: readonly ApproachResult[]): string {
  const counts = new Map<Cause, number>();
  for (const { complete, cause } of approaches) {
    if (complete && cause !== null) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  if (sorted.length === 0) return ABSENT;
  return sorted.map(([cause, n]) => `${CAUSE_LABEL[cause]}${sorted.length === 1 ? "" : ` (${n})`}`).join(", ");
}

/** What the figures of a scenario do not say. */
function remark({ scenario, answer, approaches }: ScenarioCapacity, ink: Ink): string[] {
  const name = `“${ink.text(scenario)}”`;
  if (answer === null) return [`${name}: nothing was found out.`];
  switch (answer.kind) {
    case "capacity": {
      const left = approaches.length - answer.n;
      if (left > 0) return [`${name}: ${plural(left, "approach", "approaches")} of ${approaches.length} told nothing.`];
      return answer.n === 1 ? [`${name}: one approach has no interval; give --approaches 2 or more.`] : [];
    }
    case "at-least":
      return [`${name} holds at least ${qps(answer.rate)}/s; ${limitOutside(answer.cause)}.`];
    case "none":
      return [`${name} does not even hold 1/s: ${CAUSE_LABEL[answer.cause]}.`];
    default:
      return assertNever(answer);
  }
}

function limitOutside(cause: Cause | null): string {
  if (cause === null) return "the search ended before the service did";
  return cause === "generator-saturated"
    ? "k6 was the limit"
    : `then the search could not go on: ${CAUSE_LABEL[cause]}`;
}

function stopSentences({ stop }: Capacity, ink: Ink): string[] {
  switch (stop.reason) {
    case "done":
      return [];
    case "interrupted":
      return ["It was interrupted: approaches that had not ended count for nothing."];
    case "failed":
      return [sentence(`It failed${stop.detail === null ? "" : `: ${ink.text(stop.detail)}`}`)];
    default:
      return assertNever(stop.reason);
  }
}

function steps({ approaches }: ScenarioCapacity): string {
  const cells = (step: CapacityStep, number: number): string[] => [
    String(number + 1),
    qps(step.rate),
    qps(step.qps),
    ms(step.p95Ms),
    step.cpu === null ? ABSENT : percent(step.cpu),
    step.cause === null ? "held" : CAUSE_LABEL[step.cause],
  ];
  const rows = approaches.flatMap((approach, number) => approach.steps.map((step) => cells(step, number)));
  return markdownTable([["approach", "asked, 1/s", "answered, 1/s", "p95 ms", "CPU", ""], ...rows], {
    align: ["r", "r", "r", "r", "r", "l"],
  });
}

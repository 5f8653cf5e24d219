import { describe, expect, test } from "vitest";
import { compare } from "../../src/core/compare.ts";
import type { Beside } from "../../src/core/model.ts";
import { type Anchor, type HistoryRecord, REFERENCE } from "../../src/core/record.ts";
import { renderComment } from "../../src/report/comment.ts";
import { renderCsv } from "../../src/report/csv.ts";
import { headlineText } from "../../src/report/headline.ts";
import { renderHtml } from "../../src/report/html.ts";
import type { ReportInput } from "../../src/report/input.ts";
import { renderMarkdown } from "../../src/report/markdown.ts";
import { remarks } from "../../src/report/remarks.ts";
import { renderTerminal } from "../../src/report/terminal.ts";
import { besideOf, judged, linesOf, type Made, onDay, recordFor, records, storedPlan } from "../core/stored-support.ts";
import { censusOf, scenariosYaml } from "../core/support.ts";
import { expectGolden } from "./golden.ts";
import { HOSTILE } from "./support.ts";

const plan = storedPlan(scenariosYaml(3));

/** A run against this history. */
function report(history: HistoryRecord[], made: Made = {}): ReportInput {
  return {
    plan,
    comparison: judged(plan, history, made),
    environment: onDay(plan, 30),
    census: censusOf(plan),
  };
}

const REFERENCE_ANCHOR = { label: REFERENCE, id: `sha256:${"a".repeat(64)}` };

/** Records of 20 days, a tenth slower since the eleventh. */
function daily(anchor: Anchor): HistoryRecord[] {
  return Array.from({ length: 20 }, (_, i) => {
    const made = { ratio: () => (i < 10 ? 3 : 2.7), seed: 100 + i, day: i + 1 };
    return recordFor(plan, made, { anchor, commit: i.toString(16).padStart(40, "0") });
  });
}

const INPUTS: Record<string, () => ReportInput> = {
  "stored-green": () => report(records(plan, 12)),
  "stored-red": () => report(records(plan, 12), { ratio: (cell) => (cell === "s1 @20" ? 0.7 : 0.99) }),
  "stored-undecided": () => report(records(plan, 1), { ratio: () => 0.93 }),
  "stored-empty": () => report([]),
  "stored-other-conditions": () =>
    report(
      records(plan, 2).map((record) => ({
        ...record,
        conditions: { ...record.conditions, must: { ...record.conditions.must, php: "8.3" } },
      })),
    ),
};

/** A run with a measured base, beside these records. */
function beside(history: HistoryRecord[], made: Made = {}, unread?: string, of = plan): ReportInput {
  const measured = besideOf(of);
  const told = unread === undefined ? {} : { unread };
  const whole = { ...measured, beside: { ...(measured.beside as Beside), ...told } };
  const parts = { plan: whole, environment: onDay(plan, 30), census: censusOf(plan) };
  const kept = { version: 1 as const, planId: plan.id, missing: false, records: history };
  const comparison = compare({ ...parts, lines: linesOf(plan, { seed: 5, ...made }), history: kept, damaged: [] });
  return { ...parts, comparison };
}

const BESIDE: Record<string, () => ReportInput> = {
  "beside-green": () => beside(records(plan, 12, { ratio: () => 0.9 })),
  "beside-undecided": () => beside(daily(REFERENCE_ANCHOR), { ratio: (cell) => (cell === "s1 @20" ? 0.95 : 1) }),
  "beside-unread": () => beside([], {}, "cannot read git:perf-gate-data of origin: could not resolve host"),
};

describe.each(Object.entries({ ...INPUTS, ...BESIDE }))("report of %s", (name, make) => {
  test("report.md", () => expectGolden(`report/${name}.md`, renderMarkdown(make())));
  test("terminal", () => {
    expectGolden(`report/${name}.100.txt`, renderTerminal(make(), { colour: false, width: 100 }));
  });
});

const input = (name: string): ReportInput => {
  const make = INPUTS[name];
  if (make === undefined) throw new Error(name);
  return make();
};

test.each([
  ["stored-green", "Not slower: all 3 scenarios within the allowed 10% QPS and 30% p99, against 12 records of main"],
  [
    "stored-red",
    "Slower: 1 of 3 scenarios lost more than the allowed 10% QPS; 1 rose more than the allowed 30% in p99, against 12 records of main",
  ],
  ["stored-undecided", "Undecided: 3 of 3 scenarios need more evidence, against 1 record of main"],
  ["stored-empty", "Undecided: there is no record to compare with"],
])("headline of %s", (name, text) => expect(headlineText(input(name).comparison)).toBe(text));

test("no text promises a confirmation or a base that was measured", () => {
  for (const make of Object.values(INPUTS)) {
    const text = `${renderMarkdown(make())}\n${renderTerminal(make(), { colour: false, width: 100 })}`;
    expect(text).not.toMatch(/confirmed|fresh replicas|base → head, ms|NaN|undefined|Infinity/);
  }
});

test("what was expected is not told where nothing is: the anchor's figures are no base", () => {
  expect(renderMarkdown(input("stored-empty"))).toMatch(/\| +– → [12],\d{3} \|/);
});

test("a run that was to be compared with records, and was not, says why among its conditions", () => {
  const { stored: _, ...paired } = plan;
  const made = {
    ...input("stored-green"),
    plan: { ...paired, insteadOfRecords: "<b>the store</b> has no record yet" },
  };
  expect(renderMarkdown(made)).toContain(
    "| measured in place of records: &#60;b&#62;the store&#60;/b&#62; has no record yet",
  );
});

test("records beside a measured base are shown, and the verdict does not speak of them", () => {
  const made = BESIDE["beside-green"]?.() as ReportInput;
  const text = renderMarkdown(made);
  expect(text).toMatch(/\| +QPS since v1\.4\.0 \|/);
  expect(text).toMatch(/Since v1\.4\.0: with 12 records of main, newest ccccccc of 2026-11-12; shown, not judged\./);
  expect(text).toContain("base → head, ms");
  expect(headlineText(made.comparison)).toBe("Not slower: all 3 scenarios within the allowed 5% QPS and 20% p99");
  const [header = "", first = ""] = renderCsv(made).split("\n");
  expect(Number(first.split(",")[header.split(",").indexOf("since_qps_ratio")])).toBeCloseTo(0.9, 1);
});

test("records that could not be read are a line among the conditions", () => {
  const text = renderMarkdown(BESIDE["beside-unread"]?.() as ReportInput);
  expect(text).toMatch(/\| records +\| not shown: cannot read git:perf-gate-data of origin: could not resolve host/);
  expect(text).not.toContain("since");
});

test("results.csv holds the ratio to the anchor", () => {
  const [header = "", first = ""] = renderCsv(input("stored-red")).split("\n");
  const at = header.split(",").indexOf("since_qps_ratio");
  expect(Number(first.split(",")[at])).toBeCloseTo(0.99, 1);
});

test("a remark about a cell says by what it was judged", () => {
  const [remark] = remarks(input("stored-red"));
  expect(remark).toMatchObject({ level: "error", scenario: "s1" });
});

test("text of a store is escaped wherever it is shown", () => {
  for (const text of HOSTILE) {
    const hostile = {
      ...plan,
      stored: { ...plan.stored, branch: text, store: text, anchor: { label: text, id: "a".repeat(40) } },
    };
    const history = records(plan, 3).map((record) => ({ ...record, branch: text, commit: text, recordedAt: text }));
    const labelled = history.map((record) => ({ ...record, anchor: hostile.stored.anchor }));
    const runs = [history, [], history.map((record) => ({ ...record, branch: "other" }))].map((kept) => ({
      plan: hostile,
      comparison: judged(hostile, kept),
      environment: onDay(plan, 30),
      census: censusOf(plan),
    }));
    for (const made of [...runs, beside(labelled, {}, undefined, hostile), beside([], {}, text, hostile)]) {
      const context = { accepted: null, notes: [], runs: [], base: "main", name: "perf-gate" };
      for (const page of [renderMarkdown(made), renderComment(made, context, 60_000)]) {
        expect(page).not.toMatch(/<script>alert|<img src=x|<iframe|\]\(javascript|<!-- marker|\n::|@everyone/);
      }
      expect(renderHtml(made, [])).not.toMatch(/<script>|<img src=x|<iframe|href="javascript|<!-- marker/);
      const lines = renderTerminal(made, { colour: false, width: 100 }).split("\n");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      for (const line of lines) expect(line).not.toMatch(/^::|\u001b|\u202e/);
    }
  }
});

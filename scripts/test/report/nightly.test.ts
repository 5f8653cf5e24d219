import { marked } from "marked";
import { describe, expect, test } from "vitest";
import type { Loss, Slowdown } from "../../src/core/slowdowns.ts";
import {
  overSentence,
  type Places,
  silenceText,
  silenceTitle,
  slowdownText,
  slowdownTitle,
} from "../../src/report/nightly.ts";
import { commit, night, nights } from "../nights.ts";
import { expectGolden } from "./golden.ts";

const PLACES: Places = {
  repository: "https://github.example/octo/shop",
  run: "https://github.example/octo/shop/actions/runs/77",
  dataBranch: "perf-gate-data",
  config: null,
};
const loss = (cell: string, metric: Loss["metric"], ratio: number): Loss => ({
  cell,
  metric,
  ratio,
  low: ratio * 0.98,
  high: ratio * 1.02,
});
const slowdown = (over: Partial<Slowdown> = {}): Slowdown => ({
  located: true,
  before: commit(9),
  after: commit(10),
  losses: [loss("shop @20", "latency", 1.25), loss("shop @20", "qps", 0.8), loss("cart @1", "qps", 0.9)],
  over: false,
  ...over,
});
const stepped = [
  ...nights(10),
  ...[10, 11, 12, 13, 14, 15].map((at) => night(at, { level: 0.8, levels: { "cart @1": 0.9 } })),
];

describe("the issue of a slowdown", () => {
  test.each([
    ["located", slowdown(), PLACES],
    ["seen", slowdown({ located: false, losses: [loss("shop @20", "qps", 0.8)] }), PLACES],
    ["same-commit", slowdown({ before: commit(10) }), PLACES],
    ["configured", slowdown(), { ...PLACES, config: "perf/it's.yml", dataBranch: "perf/data" }],
  ])("%s", (name, given, places) => {
    expectGolden(
      `nightly/${name}.md`,
      `${slowdownTitle(given, stepped)}\n\n---\n\n${slowdownText(given, stepped, places)}\n`,
    );
  });

  test("its nights are three before, three after and the newest", () => {
    const rows = slowdownText(slowdown(), stepped, PLACES).match(/^\| 2026-.*$/gm);
    expect(rows?.map((row) => row.slice(2, 12))).toEqual(
      [8, 9, 10, 11, 12, 13, 16].map((day) => `2026-03-${String(day).padStart(2, "0")}`),
    );
  });

  test("a cell that a night does not have leaves its place empty", () => {
    const all = [...nights(10, { cells: ["cart @1"] }), ...stepped.slice(10)];
    expect(slowdownText(slowdown(), all, PLACES)).toMatch(/^\| 2026-03-10 \| [^|]*\| \| 0/m);
  });

  test("names that would be markup, links, mentions or commands are text", () => {
    const name = "<img src=x onerror=alert(1)> @admin #1 | `code` [x](http://evil.example) \u202e\n::error::x -->";
    const hostile = slowdown({ losses: [loss(`${name} @20`, "qps", 0.8)] });
    const records = [...nights(10), ...[10, 11, 12].map((at) => night(at, { cells: [`${name} @20`], anchor: name }))];
    const places = { ...PLACES, dataBranch: "a](http://evil.example)[b", config: "x'; rm -rf ~ #`.yml" };
    const text = slowdownText(hostile, records, places);
    const title = slowdownTitle(hostile, records);
    expectGolden("nightly/hostile.md", `${title}\n\n---\n\n${text}\n`);
    const html = marked.parse(text, { async: false });
    expect(html).not.toMatch(/<(?!\/?(?:p|table|thead|tbody|tr|th|td|strong|a|sub|em|code|pre)\b)/);
    for (const [, href] of html.matchAll(/href="([^"]*)"/g))
      expect(href).toMatch(/^https:\/\/github\.example\/octo\/shop\//);
    expect(title).not.toMatch(/[\n`\u202e]|::/);
    expect(text).not.toMatch(/@admin|::error/);
  });

  test("a hundred cells fit into an issue", () => {
    const many = slowdown({
      losses: Array.from({ length: 200 }, (_, at) => loss(`${"x".repeat(80)} ${at} @20`, "qps", 0.8)),
    });
    expect(slowdownText(many, stepped, PLACES).length).toBeLessThan(60_000);
  });
});

test("why it is over", () => {
  expect(overSentence(slowdown(), commit(15), PLACES)).toContain("later change points took back");
  expect(overSentence(slowdown({ located: false }), commit(15), PLACES)).toContain(`commit/${commit(15)}`);
});

describe("nights without a record", () => {
  const days = (count: number) =>
    Array.from({ length: count }, (_, at) => `2026-03-${String(at + 5).padStart(2, "0")}`);
  test("four", () => {
    expectGolden(
      "nightly/silence.md",
      `${silenceTitle(days(4))}\n\n---\n\n${silenceText("2026-03-04", days(4), PLACES)}\n`,
    );
  });
  test("many are named in part", () => {
    expect(silenceText("2026-03-04", days(20), PLACES)).toContain(
      "2026-03-05, 2026-03-06, 2026-03-07, 16 more and 2026-03-24 left none",
    );
  });
});

import { describe, expect, test } from "vitest";
import { type CommentContext, renderComment, renderSummary } from "../../src/report/comment.ts";
import { renderMarkdown } from "../../src/report/markdown.ts";
import { remarks } from "../../src/report/remarks.ts";
import { expectGolden } from "./golden.ts";
import { HOSTILE, INPUTS, manyCells } from "./support.ts";

const HEAD = "02b7d6e5f4c3b2a1908f7e6d5c4b3a2918070605";
const KIB_64 = 65_536;
const MIB = 1024 * 1024;

const input = (name: string) => {
  const make = INPUTS[name];
  if (make === undefined) throw new Error(`no input ${name}`);
  return make();
};

const runsOf = (name: string, count = 1): CommentContext["runs"] =>
  Array.from({ length: count }, (_, at) => ({
    commit: at === count - 1 ? HEAD : `${at}`.repeat(40),
    verdict:
      at === count - 1
        ? input(name).comparison.verdict
        : ((["pass", "regression", "error"] as const)[at % 3] ?? "pass"),
    accepted: at === 1 && count > 2,
    url: `https://github.example/octo/shop/actions/runs/${100 + at}`,
  }));

const context = (name: string, over: Partial<CommentContext> = {}): CommentContext => ({
  accepted: null,
  notes: [],
  runs: runsOf(name),
  base: "main",
  name: "perf-gate",
  ...over,
});

const ACCEPTED = {
  label: "perf-regression-accepted",
  by: "anna",
  at: "2026-03-04T10:20:30Z",
  commit: HEAD,
};

const size = (text: string) => Buffer.byteLength(text);
const count = (text: string, part: string) => text.split(part).length - 1;
const above = (text: string) => text.split("<details>")[0] ?? "";

describe.each(Object.keys(INPUTS))("comment of %s", (name) => {
  test("golden", () => expectGolden(`comment/${name}.md`, renderComment(input(name), context(name), KIB_64)));
});

test("golden: accepted, from a fork, the fifth run", () => {
  const over = { accepted: ACCEPTED, notes: ["Measured by the code of this pull request"], runs: runsOf("red", 5) };
  expectGolden("comment/red.accepted.md", renderComment(input("red"), context("red", over), KIB_64));
});

describe("comment", () => {
  test("is three short lines and a source where it is green, and open where it is red", () => {
    const green = renderComment(input("green"), context("green"), KIB_64);
    expect(above(green).trim().split("\n")).toHaveLength(3);
    expect(above(green)).not.toContain("|");
    expect(above(renderComment(input("red"), context("red"), KIB_64))).toContain("| 🔴 | one query, persistent");
  });

  test("leaves the long tables to the summary, which is the whole report", () => {
    const text = renderComment(input("red"), context("red"), KIB_64);
    expect(text).not.toContain("All numbers:");
    expect(renderSummary(input("red"), { accepted: null, notes: [] }, MIB)).toBe(renderMarkdown(input("red")));
  });

  test("says who accepted it, and keeps the verdict", () => {
    const text = renderSummary(input("red"), { accepted: ACCEPTED, notes: [] }, MIB);
    expect(text.split("\n")[0]).toBe("## 🟡 Accepted. Slower: 2 of 8 cells lost more than the allowed 5% QPS");
    expect(text).toContain(
      "> **Accepted by anna**, who set the label “perf-regression-accepted” at 2026-03-04 10:20 UTC",
    );
  });

  test("has no word of others that is more than a word", () => {
    const over = {
      accepted: { ...ACCEPTED, label: HOSTILE[0] ?? "", by: "<img src=x>", commit: "--><script>" },
      notes: [...HOSTILE],
      base: "`main` @everyone </sub>",
      name: "a | b <!-- x -->",
    };
    const text = renderComment(input("hostile"), context("hostile", over), KIB_64);
    const tags = new Set([...text.matchAll(/<\/?([a-z][a-z0-9]*|!--)/gi)].map((match) => match[1]));
    expect([...tags].sort()).toEqual(["details", "sub", "summary"]);
    expect(text).not.toMatch(/@\w|javascript:(?!alert\(1\))|\]\((?!https:\/\/github\.example\/)(?!javascript)/);
  });
});

describe("a text that is too long", () => {
  const PARTS = [
    "How to read this",
    "All numbers",
    "How it was measured",
    "Conditions",
    "more, all within",
    "Per request",
  ];

  test("loses whole parts, first what helps least, and says which", () => {
    const many = manyCells(120, 8);
    const whole = renderSummary(many, { accepted: null, notes: [] }, MIB);
    let lost: string[] = [];
    for (let limit = size(whole) - 1; limit > 3000; limit -= 500) {
      const text = renderSummary(many, { accepted: null, notes: [] }, limit);
      expect(size(text)).toBeLessThanOrEqual(limit);
      expect(count(text, "<details>")).toBe(count(text, "</details>"));
      const gone = PARTS.filter((part) => !text.includes(part));
      expect(PARTS.slice(0, gone.length)).toEqual(gone);
      expect(gone.length).toBeGreaterThanOrEqual(lost.length);
      expect(text).toMatch(/Left out, as GitHub shows .* at most: how to read this/);
      lost = gone;
    }
    expect(lost).toEqual(PARTS);
  });

  test.each([
    ["a comment of 1,000 cells", () => renderComment(manyCells(1000, 8), context("red"), KIB_64), KIB_64],
    ["a summary of 3,000 cells", () => renderSummary(manyCells(3000, 6), { accepted: null, notes: [] }, MIB), MIB],
  ])("%s fits", (_, render, limit) => {
    const text = render();
    expect(size(text)).toBeLessThanOrEqual(limit);
    expect(text).toContain("Slower:");
    expect(text).toContain("Left out");
    expect(count(text, "<details>")).toBe(count(text, "</details>"));
  });

  test("keeps its headline whatever the limit", () => {
    const notes = ["Measured by the code of this pull request"];
    const text = renderComment(input("hostile"), context("hostile", { notes }), 10);
    expect(text).toContain("> Measured by the code of this pull request.");
    expect(text.split("\n")[0]).toMatch(/^## 🔴 Slower/);
    expect(text).toContain("all numbers and report.html");
    expect(text).not.toContain("<details>");
  });
});

describe("remarks", () => {
  test("one for each red or undecided cell, worst first", () => {
    expect(remarks(input("red")).map(({ level, scenario }) => [level, scenario])).toEqual([
      ["error", "one query, persistent"],
      ["error", "five queries, persistent"],
      ["warning", "mixed"],
    ]);
  });

  test("of the run where no cell tells its verdict", () => {
    expect(remarks(input("overall-red"))).toMatchObject([{ level: "error", scenario: null }]);
    expect(remarks(input("nothing"))[0]).toMatchObject({ level: "warning", scenario: null });
    expect(remarks(input("green"))).toEqual([]);
  });

  test("are plain sentences", () => {
    for (const name of Object.keys(INPUTS)) {
      for (const { title, message } of remarks(input(name))) {
        expect(message, name).not.toBe("");
        expect(`${title} ${message}`, name).not.toMatch(name === "hostile" ? /[\n\r]|::/ : /\*\*|&#|[\n\r]|::/);
      }
    }
  });
});

import { describe, expect, test } from "vitest";
import type { CellResult, Comparison } from "../../src/core/model.ts";
import { renderCsv } from "../../src/report/csv.ts";
import { headlineText } from "../../src/report/headline.ts";
import { renderHtml } from "../../src/report/html.ts";
import { renderMarkdown } from "../../src/report/markdown.ts";
import { roundsToDecide } from "../../src/report/settle.ts";
import { renderTerminal, textWidth } from "../../src/report/terminal.ts";
import { worstFirst } from "../../src/report/view.ts";
import { INPUTS, makeInput, manyCells, QUIET } from "./support.ts";

const input = (name: string) => {
  const make = INPUTS[name];
  if (make === undefined) throw new Error(`no input ${name}`);
  return make();
};

describe("headline", () => {
  test.each([
    ["green", "Not slower: all 8 cells within the allowed 5% QPS and 20% p99"],
    ["one", "Not slower: the scenario is within the allowed 5% QPS and 20% p99"],
    ["red", "Slower: 2 of 8 cells lost more than the allowed 5% QPS"],
    ["overall-red", "Slower: all cells together lost more than the allowed 2% QPS, though none did alone"],
    ["limits", "Over the limit: 1 of 2 scenarios beyond its absolute limit"],
    ["error", "Broken: the head fails in 2 of 8 cells, where the base does not"],
    ["a-a", "A/A run, not slower: all 8 cells within the allowed 5% QPS and 20% p99"],
    ["interrupted", "Undecided: the run was interrupted after 3 rounds; 8 of 8 cells need more evidence"],
  ])("%s", (name, text) => expect(headlineText(input(name).comparison)).toBe(text));

  test("no cell at all is not a pass", () => {
    const { comparison } = makeInput({
      cells: [],
      verdict: "inconclusive",
      reasons: [{ code: "no-base", text: "there is no baseline." }],
      overall: null,
    });
    expect(headlineText(comparison)).toBe("Undecided: there is no baseline");
  });

  test("a gated count alone is a headline of its own", () => {
    const given = makeInput({
      cells: [...QUIET],
      counts: { mixed: { sqlStatements: [3, 8] } },
      exceeded: ["mixed"],
      verdict: "regression",
    });
    expect(headlineText(given.comparison)).toBe(
      "More work per request: 1 scenario with more work per request than allowed",
    );
  });
});

test("a green report is three lines, the rest folded", () => {
  const [above = ""] = renderMarkdown(input("green")).split("<details>");
  expect(above.trim().split("\n")).toHaveLength(3);
});

test("the worst comes first", () => {
  const order = worstFirst(input("red").comparison.cells).map((result) => `${result.cell.id} ${result.verdict}`);
  expect(order.slice(0, 3)).toEqual([
    "one query, persistent @20 regression",
    "five queries, persistent @20 regression",
    "mixed @20 inconclusive",
  ]);
});

test("every folded section is closed", () => {
  for (const [name, make] of Object.entries(INPUTS)) {
    const text = renderMarkdown(make());
    const count = (tag: string) => text.split(tag).length - 1;
    expect(count("<details>"), name).toBe(count("</details>"));
    expect(count("<details>"), name).toBeGreaterThan(3);
  }
});

test("no report says NaN, undefined or null", () => {
  for (const [name, make] of Object.entries(INPUTS)) {
    const text = renderMarkdown(make()) + renderTerminal(make(), { colour: false, width: 100 }) + renderCsv(make());
    expect(text, name).not.toMatch(/NaN|undefined|null|Infinity|\[object/);
  }
});

test("a run without environment and census still reports", () => {
  const bare = { ...input("red"), environment: null, census: null };
  expect(renderMarkdown(bare)).toContain("The census was not taken.");
  expect(renderTerminal(bare, { colour: false, width: 80 })).toContain("Slower: 2 of 8 cells");
  expect(renderCsv(bare).split("\n")).toHaveLength(18);
});

test("rounds to decide shrink the interval with the root of the rounds", () => {
  const [cell] = makeInput({ cells: [{ scenario: "x", qpsChange: -0.027, noise: 0.04, rounds: 16 }] }).comparison.cells;
  const [given] = cell?.tests ?? [];
  if (given?.estimate == null) throw new Error("no estimate");
  // Half-width 3.4 * 0.04 / 4 = 0.034; distance to the line ln(0.973 / 0.95) = 0.02392; 16 * (0.034 / 0.02392)^2 = 32.3.
  expect(roundsToDecide(given)).toBe(33);
  expect(roundsToDecide({ ...given, line: given.estimate.ratio })).toBe(Number.POSITIVE_INFINITY);
  expect(roundsToDecide({ ...given, estimate: null })).toBeNull();
});

describe("terminal", () => {
  test.each([80, 100, 140])("no line is wider than %i columns", (width) => {
    for (const [name, make] of Object.entries(INPUTS)) {
      for (const line of renderTerminal(make(), { colour: true, width }).split("\n")) {
        expect(textWidth(line), `${name}: ${line}`).toBeLessThanOrEqual(width);
      }
    }
  });

  test("colour only when asked", () => {
    expect(renderTerminal(input("red"), { colour: false, width: 100 })).not.toContain("\u001b");
    expect(renderTerminal(input("red"), { colour: true, width: 100 })).toContain("\u001b[31m");
  });

  test("nothing that a CI log takes for a command", () => {
    const text = renderTerminal(input("hostile"), { colour: false, width: 100 });
    expect(text).not.toMatch(/^\s*::/m);
    expect(text).not.toContain("##[");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});

describe("html", () => {
  const chart = {
    name: "qps",
    title: 'QPS "over" <load>',
    svg: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  };
  const html = renderHtml(input("hostile"), [chart]);

  test("has no element that we did not write", () => {
    const allowed =
      "html head meta title style body main h2 p ul li strong code blockquote div section figure figcaption img table thead tbody tr th td details summary span";
    const tags = new Set([...html.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map((match) => match[1]));
    expect([...tags].filter((tag) => !allowed.split(" ").includes(tag ?? ""))).toEqual([]);
    expect(html.match(/<img /g)).toHaveLength(1);
    expect(html).not.toMatch(/<[^>]*\son[a-z]+=/i);
    expect(html).not.toMatch(/<a /);
    expect(html).toContain("&lt;script&gt;alert(1)");
  });

  test("forbids everything from elsewhere", () => {
    expect(html).toContain("default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    expect(html).not.toMatch(/<[^<>]*\s(?:src|href)=(?!"data:)/);
    expect(html).not.toMatch(/@import|url\(/);
  });

  test("carries charts as images, or says that there are none", () => {
    expect(html).toContain(`src="data:image/svg+xml,${encodeURIComponent(chart.svg)}"`);
    expect(renderHtml(input("green"), [])).toContain("No charts");
  });

  test("every table can be scrolled on its own", () => {
    const count = (text: string) => html.split(text).length - 1;
    expect(count("<table>")).toBeGreaterThan(3);
    expect(count('aria-label="table"><table>')).toBe(count("<table>"));
  });
});

describe("csv", () => {
  test("is one line per cell and arm, all of one width", () => {
    const lines = renderCsv(input("green")).trimEnd().split("\n");
    expect(lines).toHaveLength(17);
    const quoted = /"[^"]*"/g;
    const widths = new Set(lines.map((line) => line.replace(quoted, "").split(",").length));
    expect(widths.size).toBe(1);
  });

  test("is safe to open in a spreadsheet", () => {
    const names = ["=1+1", "+1", "-1", "@x", "\t=1", "＝1", "plain"];
    const rows = renderCsv(makeInput({ cells: names.map((scenario) => ({ scenario })) })).split("\n");
    const first = names.map((_, at) => rows[1 + 2 * at]?.split(",")[0]);
    expect(first).toEqual(["'=1+1", "'+1", "'-1", "'@x", "'=1", "'＝1", "plain"]);
  });
});

describe("slowest requests", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const slow = { base: [{ ms: 30, traceId, block: 4 }], head: [{ ms: 1_234.5, traceId, block: 11 }] };
  const withSlowest = (slowest: CellResult["slowest"]) => {
    const given = input("green");
    const cells = given.comparison.cells.map((cell, at) => (at === 1 && slowest ? { ...cell, slowest } : cell));
    return renderMarkdown({ ...given, comparison: { ...given.comparison, cells } });
  };

  test("are a table of their own where requests were traced", () => {
    const [, text = ""] = withSlowest(slow).split("Slowest requests, with their trace ids</summary>");
    const rows = text
      .split("</details>")[0]
      ?.split("\n")
      .filter((line) => line.startsWith("| health"));
    const cells = rows?.map((row) =>
      row
        .split("|")
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
    expect(cells).toEqual([
      ["health", "20 VUs", "base", "30.0", traceId, "4"],
      ["health", "20 VUs", "head", "1,235", traceId, "11"],
    ]);
  });

  test("are not there where none was", () => {
    expect(withSlowest(undefined)).not.toContain("trace id");
  });

  test("hold no markup, whatever a comparison says", () => {
    const text = withSlowest({ base: [{ ms: 1, traceId: "<script>|`x`", block: 0 }], head: [] });
    expect(text).not.toContain("<script>");
  });
});

describe("speed", () => {
  /** CPU time, ms, the least of some tries: a busy machine does not make the code slower. */
  const time = (action: () => void) => {
    const tries = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      action();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    });
    return Math.min(...tries);
  };
  const report = (given: ReturnType<typeof manyCells>) => () => {
    renderMarkdown(given);
    renderTerminal(given, { colour: true, width: 100 });
    renderCsv(given);
  };

  test("100 cells cost several times what reading their figures does, 1,000 cells about ten times that", () => {
    const [hundred, thousand] = [manyCells(100, 20), manyCells(1000, 20)];
    const json = JSON.stringify(hundred);
    const reading = time(() => JSON.parse(json));
    time(report(hundred));
    const once = time(report(hundred));
    // Seen: 7.
    expect(once / reading).toBeLessThan(30);
    expect(time(report(thousand)) / once).toBeLessThan(30);
  });
});

test("the same input gives the same bytes and is left as it was", () => {
  const given = input("red");
  const before = JSON.stringify(given);
  const first = renderMarkdown(given);
  expect(renderMarkdown(JSON.parse(before))).toBe(first);
  expect(JSON.stringify(given)).toBe(before);
});

test("comparisons of a later rule do not pass silently", () => {
  const given = input("green");
  const comparison = { ...given.comparison, verdict: "fine" } as unknown as Comparison;
  expect(() => renderMarkdown({ ...given, comparison })).toThrow("unexpected value");
});

import { expect, test } from "vitest";
import type { ConfigEdit, OwnConfig } from "../../src/core/model.ts";
import { ownOf } from "../../src/core/variants.ts";
import { renderCsv } from "../../src/report/csv.ts";
import { editsTable } from "../../src/report/edits.ts";
import type { ReportInput } from "../../src/report/input.ts";
import { renderMarkdown } from "../../src/report/markdown.ts";
import { renderTerminal } from "../../src/report/terminal.ts";
import { HOSTILE, makeInput, QUIET } from "./support.ts";

function edited(edits: ConfigEdit[]): ReportInput {
  const input = makeInput({ cells: [...QUIET] });
  return { ...input, comparison: { ...input.comparison, edits } };
}

const EDITS: ConfigEdit[] = [
  { key: "gate.max-qps-drop", base: "5%", head: "90%" },
  { key: "gate.min-qps", base: null, head: "10" },
  { key: 'scenarios["cart"]', base: "there", head: null },
];

test("a report shows what the change's own configuration says, and that it does not count", () => {
  const text = renderMarkdown(edited(EDITS)).replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");
  expect(text).toContain(`
<details><summary>The change edits the configuration: judged by the base's (3 differences)</summary>

| setting | base: this counts | head |
| --- | --- | --- |
| gate.max-qps-drop | 5% | 90% |
| gate.min-qps | – | 10 |
| scenarios&#91;&#34;cart&#34;&#93; | there | – |

</details>
`);
  expect(renderTerminal(edited(EDITS), { colour: false, width: 200 })).toContain(
    "note: The head changes gate.max-qps-drop (5% → 90%), gate.min-qps (– → 10) and 1 more in its configuration: judged by the base's.",
  );
});

test("nothing is said where nothing is changed", () => {
  expect(editsTable(edited([]).comparison)).toBe("");
  expect(renderMarkdown(edited([]))).toBe(renderMarkdown(makeInput({ cells: [...QUIET] })));
});

test("a long list is cut, and counted", () => {
  const many = Array.from({ length: 300 }, (_, i) => ({ key: `target.env.${i}`, base: "a", head: "b" }));
  const table = editsTable(edited(many).comparison);
  expect(table).toContain("(300 differences)");
  expect(table).toContain("\n280 more.\n");
  expect(table.length).toBeLessThan(2000);
});

test("values of the head are foreign text", () => {
  const hostile = HOSTILE.map((text) => ({ key: text, base: text, head: text }));
  const table = editsTable(edited(hostile).comparison);
  expect(table.split("\n")).toHaveLength(hostile.length + 6);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours, which must not be there
  expect(table).not.toMatch(/<(?!\/?(details|summary)>)|::|\u001b|\*\*|\]\(/);
  const text = renderTerminal(edited(hostile), { colour: false, width: 100 });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  expect(text).not.toMatch(/\u001b|\u202e|::/);
});

/** A run of two variants. */
function variants(base: OwnConfig, head: OwnConfig, labels = ["variant=short", "variant=long"]): ReportInput {
  const input = makeInput({ cells: [...QUIET], labels: { base: labels[0] ?? "", head: labels[1] ?? "" } });
  return { ...input, plan: { ...input.plan, own: { base, head } } };
}

test("a report of two variants says what they are called and how they differ", () => {
  const { config } = makeInput({ cells: [...QUIET] }).plan;
  const short = ownOf(config, { env: { A: "1" }, php: {}, links: {}, connection: "close" });
  const long = ownOf(config, { env: {}, php: { jit: "tracing" }, links: {}, connection: "keep-alive" });
  const input = variants(short, long);
  const text = renderMarkdown(input).replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");
  expect(text).toContain(`
What differs between the two:

| setting | base: variant=short | head: variant=long |
| --- | --- | --- |
| connection | close | keep-alive |
| env.A | 1 | – |
| php.jit | off | tracing |
`);
  expect(renderTerminal(input, { colour: false, width: 200 })).toContain(
    "note: The base is variant=short, the head variant=long: connection (close → keep-alive), env.A (1 → –) and 1 more.",
  );
  // Each arm by its own connections, whatever those of the scenario.
  expect(text.match(/\| (keep-alive|close) \| (base|head) \|/g)?.slice(0, 2)).toEqual([
    "| close | base |",
    "| keep-alive | head |",
  ]);
  const [header = "", base = "", head = ""] = renderCsv(input).split("\n");
  const column = header.split(",").indexOf("connection");
  expect([base.split(",")[column], head.split(",")[column]]).toEqual(["close", "keep-alive"]);
});

test("nothing differs between two that are alike", () => {
  const { target } = makeInput({ cells: [...QUIET] }).plan.config;
  expect(renderMarkdown(variants({ target }, { target }))).not.toContain("What differs");
});

test("names and values of variants are foreign text", () => {
  const { config } = makeInput({ cells: [...QUIET] }).plan;
  for (const text of HOSTILE) {
    const own = ownOf(config, { env: { [text]: text }, php: {}, links: {}, query: text });
    const input = variants(own, { target: config.target }, [text, text]);
    const lines = renderMarkdown(input).split("\n");
    const from = lines.indexOf("What differs between the two:");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours, which must not be there
    expect(lines.slice(from, from + 7).join("\n")).not.toMatch(/<|::|\u001b|\*\*|\]\(/);
    expect(lines[from + 6]).toBe("");
  }
});

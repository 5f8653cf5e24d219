import { expect, test } from "vitest";
import type { ConfigEdit } from "../../src/core/model.ts";
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

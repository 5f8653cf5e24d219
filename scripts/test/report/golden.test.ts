import { describe, test } from "vitest";
import { renderCsv } from "../../src/report/csv.ts";
import { renderMarkdown } from "../../src/report/markdown.ts";
import { renderTerminal } from "../../src/report/terminal.ts";
import { expectGolden } from "./golden.ts";
import { INPUTS } from "./support.ts";

describe.each(Object.entries(INPUTS))("report of %s", (name, make) => {
  test("report.md", () => expectGolden(`report/${name}.md`, renderMarkdown(make())));
  test("terminal, 100 columns", () => {
    expectGolden(`report/${name}.100.txt`, renderTerminal(make(), { colour: false, width: 100 }));
  });
  test("terminal, 80 columns", () => {
    expectGolden(`report/${name}.80.txt`, renderTerminal(make(), { colour: false, width: 80 }));
  });
  test("results.csv", () => expectGolden(`report/${name}.csv`, renderCsv(make())));
});

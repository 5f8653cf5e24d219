import { Marked } from "marked";
import { describe, expect, test } from "vitest";
import { escapeMarkdown, escapeNote, oneLine, sentence } from "../../src/report/escape.ts";
import { HOSTILE } from "./support.ts";

const marked = new Marked({ gfm: true });
/** What a browser would show: entities read back, marks for GitHub's own syntax taken out. */
const shown = (html: string) =>
  html
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ({ lt: "<", gt: ">", quot: '"', amp: "&" })[name] ?? "")
    .replaceAll("\u200b", "");

const NASTY = [
  ...HOSTILE,
  "1. list",
  "12) list",
  "- item",
  "+ item",
  "> quote",
  "# heading",
  "===",
  "    code",
  "~~~",
  "**a** _b_ ~~c~~ snake_case_name",
  "<!-- x -->",
  "&lt;b&gt;",
  "$a$ and $$b$$",
  "[^1] [x]: http://evil.example",
  "https://evil.example/path and mail@evil.example",
  "\\| \\\\| \\`",
  "back`tick``s",
];

describe.each(NASTY)("%j", (name) => {
  const plain = oneLine(name);

  test("is plain text in a paragraph", () => {
    const html = marked.parse(escapeMarkdown(name), { async: false });
    expect(html.match(/<[^>]*>/g)).toEqual(["<p>", "</p>"]);
    expect(shown(html).trim()).toBe(`<p>${plain}</p>`);
  });

  test("stays in its table cell", () => {
    const html = marked.parse(`| a | b |\n| - | - |\n| ${escapeMarkdown(name)} | end |\n`, { async: false });
    expect(html.match(/<td>/g)).toHaveLength(2);
    expect(shown(html)).toContain(`<td>${plain}</td>`);
    expect(html).toContain("<td>end</td>");
  });

  test("does not leave a summary", () => {
    const html = marked.parse(`<details><summary>${escapeMarkdown(name)}</summary>\n\nx\n\n</details>`, {
      async: false,
    });
    expect(html.match(/<[^>]*>/g)).toEqual(["<details>", "<summary>", "</summary>", "<p>", "</p>", "</details>"]);
  });
});

test.each([
  ["a\r\nb\tc", "a b c"],
  ["\u001b[31mred\u001b[0m \u001b]0;title\u0007x", "red x"],
  ["exe\u202egnp", "exe gnp"],
  ["::error file=x::y", ": :error file=x: :y"],
  [":::: x", ": :: : x"],
  ["##[error]x", "# #[error]x"],
  ["x".repeat(121), `${"x".repeat(119)}…`],
  ["🙂".repeat(120), "🙂".repeat(120)],
])("oneLine(%j)", (raw, line) => expect(oneLine(raw)).toBe(line));

test("a note is longer than a name, and no less safe", () => {
  expect(escapeNote("x".repeat(1000))).toBe("x".repeat(1000));
  expect(escapeNote("x".repeat(1001))).toBe(`${"x".repeat(999)}…`);
  for (const name of NASTY) expect(escapeNote(name)).toBe(escapeMarkdown(name));
});

test("GitHub sees no mention and no issue", () => {
  expect(escapeMarkdown("@everyone #12 GH-3")).not.toMatch(/@\w|#\d|GH-\d/);
});

test.each([
  ["no time was left", "No time was left."],
  ["samples.ndjson is empty", "samples.ndjson is empty."],
  ["Done.", "Done."],
  ["", ""],
])("sentence(%j)", (raw, text) => expect(sentence(raw)).toBe(text));

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { quoted, tail } from "../../src/target/log.ts";

test.each([
  ["one\ntwo\n\n", "| one\n| two"],
  ["::error::forged\r\n  ::add-mask::x", "| ::error::forged\n|   ::add-mask::x"],
  ["x ##[error]forged", "| x # #[error]forged"],
  ["\u001b[31mred\u001b[0m\u0007\tand\u2028::error::", "| red\tand::error::"],
])("%j is quoted", (text, expected) => {
  expect(quoted(text, 10)).toBe(expected);
});

test("the end of a file, under a title", () => {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-log-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "a.log");
  writeFileSync(file, "one\ntwo\n::stop-commands::x\n");
  expect(tail("its log", file, 2)).toBe(`\nits log (${file}):\n| two\n| ::stop-commands::x`);
  expect(tail("its log", join(directory, "none"))).toBe("");
});

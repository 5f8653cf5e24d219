import { expect, test } from "vitest";
import { isAtLeast } from "../../src/core/engine.ts";

test.each<[string | null, string, boolean]>([
  ["25.0.0", "25.0", true],
  ["24.0.9", "25.0", false],
  ["28.5.2+dfsg4", "25.0", true],
  ["v2.24.0", "2.24", true],
  ["2.23.3", "2.24", false],
  ["2.100.0", "2.24", true],
  ["3", "2.24", true],
  ["2", "2.24", false],
  ["0.12.1-desktop.1", "0.12", true],
  // There is none.
  [null, "0.12", false],
  // Built from source.
  ["(devel)", "0.12", true],
  ["", "0.12", true],
])("%s, wanted %s: %s", (version, minimum, expected) => {
  expect(isAtLeast(version, minimum)).toBe(expected);
});

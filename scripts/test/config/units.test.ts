import { expect, test } from "vitest";
import { nearest } from "../../src/config/suggest.ts";
import { formatDuration, formatPercent, parseBytes, parseDurationMs, parsePercent } from "../../src/config/units.ts";

test.each([
  ["5%", 0.05],
  ["0.5%", 0.005],
  ["100%", 1],
  ["0%", 0],
  ["5", null],
  ["5 %", null],
  ["5 percent", null],
  ["-5%", null],
  ["+5%", null],
  ["1e2%", null],
  ["%", null],
  [".5%", null],
  ["5%%", null],
  ["٥%", null],
  ["", null],
])("percent %j is %j", (text, ratio) => {
  expect(parsePercent(text)).toBe(ratio);
});

test.each([
  ["10m", 600_000],
  ["90s", 90_000],
  ["1m30s", 90_000],
  ["1.5s", 1500],
  ["300ms", 300],
  ["1h", 3_600_000],
  ["1h1m1s1ms", 3_661_001],
  ["0.3s", 300],
  ["0.5ms", 0.5],
  ["0s", 0],
  ["30s1m", null],
  ["10", null],
  ["10 m", null],
  ["-1s", null],
  ["m", null],
  ["1d", null],
  ["", null],
])("duration %j is %j ms", (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});

test.each([
  ["1000", 1000],
  ["10kB", 10_000],
  ["1.5kB", 1500],
  ["64KiB", 65_536],
  ["2MiB", 2_097_152],
  ["1 kB", null],
  ["1.5", null],
  ["-1", null],
  ["1GB", null],
])("%j is %j bytes", (text, bytes) => {
  expect(parseBytes(text)).toBe(bytes);
});

test.each([
  [300, "300ms"],
  [1500, "1.5s"],
  [60_000, "1m"],
  [90_000, "1m30s"],
  [21_600_000, "6h"],
])("%j ms is written %j and read back", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
  expect(parseDurationMs(text)).toBe(ms);
});

test("percentages are written without the noise of binary fractions", () => {
  expect([0.05, 0.07, 0.005, 10].map(formatPercent)).toEqual(["5%", "7%", "0.5%", "1000%"]);
});

test.each([
  ["max-qsp-drop", "max-qps-drop"],
  ["maxQpsDrop", "max-qps-drop"],
  ["max_p99_rise", "max-p99-rise"],
  ["nothing-like-it", null],
  ["x", null],
])("%j is near %j", (written, word) => {
  expect(nearest(written, ["max-qps-drop", "max-p99-rise", "min-qps"])).toBe(word);
});

import { expect, test } from "vitest";
import * as format from "../../src/report/format.ts";

test.each([
  [0, "0"],
  [0.2391, "0.239"],
  [0.99951, "1.00"],
  [8.2, "8.20"],
  [9.996, "10.0"],
  [12.94, "12.9"],
  [129.4, "129"],
  [999.6, "1,000"],
  [1204, "1,204"],
  [1_234_567.4, "1,234,567"],
  [0.00001234, "0.000012"],
  [-3.456, "−3.46"],
  [null, "–"],
  [Number.NaN, "–"],
  [Number.POSITIVE_INFINITY, "–"],
])("ms(%s) is %s", (value, text) => expect(format.ms(value)).toBe(text));

test.each([
  [96.44, "96.4"],
  [99.96, "100"],
  [312.4, "312"],
  [8859.6, "8,860"],
  [undefined, "–"],
])("qps(%s) is %s", (value, text) => expect(format.qps(value)).toBe(text));

test.each([
  [-0.178, "−17.8%"],
  [0.169, "+16.9%"],
  [-0.0004, "0.0%"],
  [0.0004, "0.0%"],
  [-0.0006, "−0.1%"],
  [0, "0.0%"],
  [2.6, "+260.0%"],
  [12.5, "+1,250%"],
  [null, "–"],
])("signedPercent(%s) is %s", (value, text) => expect(format.signedPercent(value)).toBe(text));

test.each([
  [0.05, "5%"],
  [1 - 0.95, "5%"],
  [0.125, "12.5%"],
  [1.2 - 1, "20%"],
  [null, "–"],
])("percent(%s) is %s", (value, text) => expect(format.percent(value)).toBe(text));

test.each([
  [0.95 - 1, "−5%"],
  [1.2 - 1, "+20%"],
])("margin(%s) is %s", (value, text) => expect(format.margin(value)).toBe(text));

test.each([
  [74, "74 B"],
  [1023, "1,023 B"],
  [1024, "1.00 KiB"],
  [1536, "1.50 KiB"],
  [61_400_000, "58.6 MiB"],
  [1_048_575, "1.00 MiB"],
  [16_770_000_000, "15.6 GiB"],
  [-2048, "−2.00 KiB"],
  [null, "–"],
])("bytes(%s) is %s", (value, text) => expect(format.bytes(value)).toBe(text));

test.each([
  [0, "0.0 s"],
  [0.44, "0.4 s"],
  [9.96, "10 s"],
  [59.4, "59 s"],
  [59.6, "1 min 00 s"],
  [372, "6 min 12 s"],
  [3599.7, "1 h 00 min"],
  [7_325, "2 h 02 min"],
  [Number.NaN, "–"],
])("duration(%s) is %s", (value, text) => expect(format.duration(value)).toBe(text));

test("words", () => {
  expect(format.plural(1, "cell")).toBe("1 cell");
  expect(format.plural(1200, "cell")).toBe("1,200 cells");
  expect(format.list([])).toBe("");
  expect(format.list(["a"])).toBe("a");
  expect(format.list(["a", "b", "c"])).toBe("a, b and c");
});

import { expect, test } from "vitest";
import { type HistoryRecord, recordId } from "../../src/core/record.ts";
import { contentsOf, soundRecords, withAdded, withoutIds } from "../../src/history/record-files.ts";
import { parseRecord, READERS, sha256 } from "../../src/history/record-schema.ts";
import { history } from "../history-fixtures.ts";
import { EIGHT_CELLS, ids, records } from "./support.ts";

const [record] = records(1) as [HistoryRecord];
const line = JSON.stringify(record);
/** The same with another content, under the id of that. */
const renewed = (change: Partial<Record<keyof HistoryRecord, unknown>>): string => {
  const changed = { ...record, ...change } as HistoryRecord;
  return JSON.stringify({ ...changed, id: recordId(changed, sha256) });
};
const problemOf = (text: string) => {
  const parsed = parseRecord(text);
  return "problem" in parsed ? parsed.problem : null;
};

test("what was written is read back", () => {
  expect(parseRecord(line)).toEqual({ record });
});

test.each([
  ["cut short", line.slice(0, -20), /damaged or cut short/],
  ["no JSON", "version: 1", /damaged or cut short/],
  ["a digit of a figure", line.replace(/"rounds":8/, '"rounds":9'), /its content does not match its id/],
  ["an id of its own", line.replace(record.id, "0123456789abcdef"), /its content does not match its id/],
  ["version 2", renewed({ version: 2 }), /newer perf-gate \(version 2; this one reads up to 1\)/],
  ["version 0", renewed({ version: 0 }), /no version that is known/],
  ["null", "null", /no version that is known/],
  ["a list", "[]", /no version that is known/],
  [
    "NaN, which JSON writes as null",
    renewed({ cells: [{ ...record.cells[0], qps: { head: null } }] }),
    /cells\.0\.qps/,
  ],
  ["an unknown key", renewed({ ...({ extra: 1 } as object) }), /extra/],
  ["a URL that is a script", renewed({ url: "javascript:alert(1)" }), /url/],
  ["an abbreviated commit", renewed({ commit: "c0ffee1" }), /commit/],
  ["a day without time", renewed({ recordedAt: "2026-01-01" }), /recordedAt/],
  ["64 kB", renewed({ census: Array(2000).fill({ scenario: "home @20", counts: {} }) }), /longer than 64 kB/],
])("%s is no record", (_name, text, problem) => {
  expect(problemOf(text)).toMatch(problem);
});

test("a record without figures for the latency, of a flow without a URL, is one", () => {
  expect(
    problemOf(renewed({ url: null, committedAt: null, cells: [{ ...record.cells[0], latency: null }] })),
  ).toBeNull();
});

test("a reader for an older version is one entry more, and the line keeps the id of what it says", () => {
  const { branch, ...rest } = record;
  const older = { ...rest, version: 0, ref: branch };
  const old = JSON.stringify({ ...older, id: recordId(older as unknown as HistoryRecord, sha256) });
  const readers = new Map([
    ...READERS,
    [
      0,
      (value: unknown) => {
        const { ref, ...others } = value as typeof older;
        return { record: { ...others, version: 1 as const, branch: ref } as HistoryRecord };
      },
    ] as const,
  ]);
  expect(parseRecord(old, readers)).toEqual({ record: { ...record, id: JSON.parse(old).id } });
  expect(parseRecord(old.replace("main", "else"), readers)).toEqual({ problem: expect.stringContaining("its id") });
});

test("records come once, oldest first, whatever the files and blank lines between them", () => {
  const list = records(3);
  const [a, b, c] = list.map((each) => JSON.stringify(each));
  const files = new Map([
    ["two", `${c}\n\n${a}\n`],
    ["one", `${b}\r\n${a}`],
  ]);
  expect(contentsOf(files)).toEqual({ records: list, problems: [] });
});

test("every damaged line is named with its file, and reading stops at the first", () => {
  const files = new Map([["f", `${line}\nhalf\n${line.slice(0, 99)}`]]);
  expect(contentsOf(files).problems).toEqual([
    expect.stringMatching(/^f:2: damaged/),
    expect.stringMatching(/^f:3: damaged/),
  ]);
  expect(() => soundRecords(files)).toThrow(/^f:2: .*and 1 more: perf-gate baseline verify.*Nothing was changed/);
  expect(() => withAdded(files, records(2, 7), () => "f")).toThrow(/^f:2: /);
  expect(() => withoutIds(files, new Set([record.id]))).toThrow(/^f:2: /);
});

test("a line without its end is completed, and other lines stay byte for byte when records go", () => {
  const [a, b] = records(2) as [HistoryRecord, HistoryRecord];
  const spaced = JSON.stringify(a).replace('"version":1', '"version": 1');
  const { changed, added } = withAdded(new Map([["f", spaced]]), [a, b], () => "f");
  expect(ids(added)).toEqual([b.id]);
  expect(changed.get("f")).toBe(`${spaced}\n${JSON.stringify(b)}\n`);
  expect(withoutIds(changed, new Set([b.id, "ffff"]))).toEqual({
    changed: new Map([["f", `${spaced}\n`]]),
    removed: 1,
  });
});

test("a record that could not be read again is not written", () => {
  const broken = { ...record, branch: "" };
  expect(() => withAdded(new Map(), [broken], () => "f")).toThrow(/cannot be stored: branch/);
});

test("a record of 8 cells takes at most 4 kB", () => {
  const full = <T extends object>(each: T): T => ({
    ...each,
    head: 1234.56,
    anchor: 1234.56,
    logRatio: -0.0123456,
    sd: 0.0123456,
  });
  const counts = { sqlStatements: 12, dbConnections: 1, redisCommands: 3, responseBytes: 4812 };
  const [wide] = history({
    nights: 1,
    cells: EIGHT_CELLS.map((cell) => `a scenario named ${cell}`),
    change: (each) => ({
      ...each,
      conditions: {
        must: { ...each.conditions.must, cpuModel: "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz" },
        also: {
          kernel: "6.11.0-1018-azure",
          os: "Ubuntu 24.04.3 LTS (ubuntu24, 20251102.1)",
          k6: "1.8.1",
          node: "20.20.2",
          php: "8.4.11",
          nginx: "1.26.3",
          mysql: "11.8.3-MariaDB",
          redis: "8.0.2",
        },
      },
      cells: each.cells.map((cell) => ({
        ...cell,
        qps: cell.qps && full(cell.qps),
        latency: cell.latency && full(cell.latency),
      })),
      census: ["home", "list", "cart", "pay"].map((scenario) => ({ scenario: `a scenario named ${scenario}`, counts })),
    }),
  });
  console.log(`a record of 8 cells: ${JSON.stringify(wide).length} bytes`);
  expect(JSON.stringify(wide).length).toBeLessThanOrEqual(4096);
});

test("the cost of reading grows as the records do", () => {
  const text = history({ nights: 2000, cells: EIGHT_CELLS }).map((each) => JSON.stringify(each));
  /** CPU time, ms: it hardly grows where others are busy. */
  const time = (count: number) => {
    const files = new Map([["f", `${text.slice(0, count).join("\n")}\n`]]);
    const start = process.cpuUsage();
    expect(soundRecords(files)).toHaveLength(count);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  // In turns, as neighbours come and go.
  const times = Array.from({ length: 7 }, () => [time(500), time(2000)] as const);
  const [few, many] = [Math.min(...times.map(([few]) => few)), Math.min(...times.map(([, many]) => many))];
  console.log(`reading 500 and 2,000 records of 8 cells: ${few.toFixed(0)} and ${many.toFixed(0)} ms`);
  // Four times as many; by squares it would be 16.
  expect(many / few).toBeLessThan(9);
});

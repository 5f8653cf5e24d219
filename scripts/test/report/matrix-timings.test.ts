import { expect, test } from "vitest";
import type { MatrixCell, MatrixResult } from "../../src/core/matrix.ts";
import type { PhasesMs } from "../../src/core/model.ts";
import { renderMatrixCsv, renderMatrixMarkdown, renderMatrixText } from "../../src/report/matrix.ts";

const KEPT: PhasesMs = { connect: 0.0012, tls: 0, wait: 1.5, receive: 0.04 };
const NEW: PhasesMs = { connect: 0.21, tls: 1.234, wait: 1.6, receive: 0.05 };

const cell = (phasesMs?: PhasesMs | null): MatrixCell => ({
  cell: { id: "page @20", scenario: "page", model: "closed", level: 20 },
  statistic: "p99",
  rounds: 8,
  struck: 0,
  why: null,
  figures: null,
  growthBytes: null,
  counts: {},
  ...(phasesMs === undefined ? {} : { phasesMs }),
  qps: null,
  latency: null,
});

function result(...cells: MatrixCell[]): MatrixResult {
  const names = ["client=kept", "client=new", "client=none"];
  return {
    version: 1,
    startedAt: "2026-01-02T03:04:05.678Z",
    arms: { label: "app", commit: null },
    driver: "process",
    design: "one-at-a-time",
    rounds: 8,
    machine: {
      cpuModel: "AMD EPYC",
      logicalCpus: 2,
      physicalCores: 2,
      memoryBytes: 8e9,
      kernel: "6.11",
      os: "Debian 12",
      cgroup: "v2",
    },
    tools: { k6: "1.8.1" },
    layout: { generator: [1], target: [0], services: [0], isolated: true, note: "k6 on CPU 1" },
    points: cells.map((one, index) => {
      const name = names[index] ?? "";
      return { name, levels: { client: name.split("=")[1] ?? "" }, directory: null, cells: [one] };
    }),
    effects: [],
    stages: [],
    interrupted: false,
    wallSeconds: 60,
  };
}

const HEADING = "Where the time of a request goes";

test("a matrix that asks for timings has a table of them, and columns", () => {
  const asked = result(cell(KEPT), cell(NEW), cell(null));
  const lines = renderMatrixText(asked).split("\n");
  const rows = lines.slice(lines.indexOf(HEADING) + 1).slice(0, 4);
  expect(rows.map((row) => row.trim().split(/\s{2,}/))).toEqual([
    ["point", "cell", "connect ms", "TLS handshake", "wait", "receive"],
    ["client=kept", "page @20", "0.00120", "0", "1.50", "0.0400"],
    ["client=new", "page @20", "0.210", "1.23", "1.60", "0.0500"],
    ["client=none", "page @20", "–", "–", "–", "–"],
  ]);
  expect(renderMatrixMarkdown(asked, [])).toContain(`## ${HEADING}\n`);
  const [header = "", ...records] = renderMatrixCsv(asked).trimEnd().split("\n");
  const columns = header.split(",");
  const first = columns.indexOf("connect_ms");
  expect(columns.slice(first, first + 4)).toEqual(["connect_ms", "tls_ms", "wait_ms", "receive_ms"]);
  const phases = records.map((record) =>
    record
      .split(",")
      .slice(first, first + 4)
      .join(),
  );
  expect(phases).toEqual(["0.0012,0,1.5,0.04", "0.21,1.234,1.6,0.05", ",,,"]);
});

test("others have neither", () => {
  const plain = result(cell(), cell());
  expect(renderMatrixMarkdown(plain, [])).not.toContain(HEADING);
  expect(renderMatrixText(plain)).not.toContain(HEADING);
  expect(renderMatrixCsv(plain)).not.toContain("connect_ms");
});

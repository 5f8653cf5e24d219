import { stringify } from "csv-stringify/sync";
import { markdownTable } from "markdown-table";
import {
  type Effect,
  kneeOf,
  type MatrixCell,
  type MatrixPoint,
  type MatrixResult,
  type MatrixStage,
} from "../core/matrix.ts";
import type { Cell, CountName, PhasesMs } from "../core/model.ts";
import { COUNTS } from "./census.ts";
import { harmless } from "./csv.ts";
import { escapeMarkdown, escapeNote, oneLine, oneNote } from "./escape.ts";
import { ABSENT, bytes, decimal, duration, ms, percent, plural, qps, signed, significant } from "./format.ts";
import { textTable } from "./text-table.ts";

/** A table of either kind of text; a title that begins with ">" stands over numbers. */
interface Table {
  heading: string;
  titles: string[];
  rows: string[][];
  /** Sentences below it. */
  notes: string[];
}

const COUNT_TITLES: Record<CountName, string> = {
  sqlStatements: ">SQL statements",
  dbConnections: ">new MySQL connections",
  redisCommands: ">Redis commands",
  responseBytes: ">bytes of the answer",
};

/** In the order in which they follow each other. */
const PHASES: readonly (keyof PhasesMs)[] = ["connect", "tls", "wait", "receive"];
const PHASE_TITLES: Record<keyof PhasesMs, string> = {
  connect: ">connect ms",
  tls: ">TLS handshake",
  wait: ">wait",
  receive: ">receive",
};

/**
 * matrix.md: what was measured, a table for each scenario, and what each factor does.
 *
 * @param charts those that were drawn, by their paths beside the file
 */
export function renderMatrixMarkdown(result: MatrixResult, charts: readonly { path: string; title: string }[]): string {
  const table = ({ heading, titles, rows, notes }: Table): string => {
    const align = titles.map((title) => (title.startsWith(">") ? "right" : "left"));
    const header = titles.map((title) => title.replace(/^>/, ""));
    const body = rows.map((row) => row.map(escapeMarkdown));
    return [
      `## ${escapeMarkdown(heading)}`,
      markdownTable([header, ...body], { align }),
      ...notes.map(escapeNote),
    ].join("\n\n");
  };
  const [title, ...facts] = conditions(result);
  const images = charts.map(({ path, title: text }) => `![${text}](${path})`);
  const parts = [`# ${escapeMarkdown(title ?? "")}`, ...facts.map(escapeNote), ...images, ...tables(result).map(table)];
  return `${parts.join("\n\n")}\n`;
}

/** The same for a terminal. */
export function renderMatrixText(result: MatrixResult): string {
  const table = ({ heading, titles, rows, notes }: Table): string =>
    [
      oneLine(heading),
      textTable(
        titles,
        rows.map((row) => row.map(oneLine)),
      ),
      ...notes.map(oneNote),
    ].join("\n");
  return [conditions(result).map(oneNote).join("\n"), ...tables(result).map(table)].join("\n\n");
}

/** matrix.csv: a line for each point and cell, RFC 4180; ratios are against the reference. Not measured is empty. */
export function renderMatrixCsv({ points }: MatrixResult): string {
  const factors = Object.keys(points[0]?.levels ?? {});
  const rows = points.flatMap((point) => point.cells.map((cell) => fieldsOf(factors, point, cell)));
  const header = rows[0]?.map(([name]) => name) ?? [];
  return stringify([header, ...rows.map((row) => row.map(([, value]) => (value === null ? "" : String(value))))]);
}

type Fields = [name: string, value: string | number | null][];

function fieldsOf(factors: readonly string[], { name, levels }: MatrixPoint, cell: MatrixCell): Fields {
  const { figures, statistic, phasesMs } = cell;
  const effect = (metric: "qps" | "latency"): Fields => [
    [`${metric}_ratio`, cell[metric]?.ratio ?? null],
    [`${metric}_ratio_low`, cell[metric]?.low ?? null],
    [`${metric}_ratio_high`, cell[metric]?.high ?? null],
  ];
  return [
    ["point", harmless(name)],
    ...factors.map((factor): [string, string] => [`factor_${factor}`, harmless(levels[factor] ?? "")]),
    ["scenario", harmless(cell.cell.scenario)],
    ["load_model", cell.cell.model],
    ["level", cell.cell.level],
    ["rounds", cell.rounds],
    ["slots_struck", cell.struck],
    ["qps", figures?.qps ?? null],
    ["avg_ms", figures?.latencyMs.avg ?? null],
    ["p50_ms", figures?.latencyMs.p50 ?? null],
    ["p90_ms", figures?.latencyMs.p90 ?? null],
    ["p95_ms", figures?.latencyMs.p95 ?? null],
    ["p99_ms", figures?.latencyMs.p99 ?? null],
    ["max_ms", figures?.maxMs ?? null],
    ...(phasesMs === undefined
      ? []
      : PHASES.map((phase): [string, number | null] => [`${phase}_ms`, phasesMs?.[phase] ?? null])),
    ["cpu_ms_per_request", figures?.cpuMsPerRequest ?? null],
    ["cpu_peak_cores", figures?.cpuPeakCores ?? null],
    ["memory_bytes", figures?.memoryBytes ?? null],
    ["memory_growth_bytes_per_1000_requests", cell.growthBytes],
    ["time_wait", figures?.timeWait ?? null],
    ...effect("qps"),
    ["latency_statistic", statistic],
    ...effect("latency"),
    ...COUNTS.map((count): [string, number | null] => [`${count}_per_request`, cell.counts[count] ?? null]),
    ["note", cell.why === null ? "" : harmless(cell.why)],
  ];
}

function conditions(result: MatrixResult): string[] {
  const { arms, points, rounds, machine, tools, layout, driver, interrupted, wallSeconds } = result;
  const cells = points[0]?.cells.length ?? 0;
  const versions = Object.entries(tools).map(([name, version]) => `${name} ${version}`);
  return [
    `${plural(points.length, "point")} of ${arms.label}${arms.commit === null ? "" : ` (${arms.commit.slice(0, 12)})`}`,
    `${plural(cells, "cell")} at each, ${plural(rounds, "round")} of each cell, ${duration(wallSeconds)}${
      interrupted ? "; interrupted before its end" : ""
    }. ${machine.cpuModel}, ${plural(machine.logicalCpus, "CPU")}; ${layout.note}; driver ${driver}; ${versions.join(", ")}.`,
    points.length === 1
      ? "Medians over the rounds; the point was measured beside itself."
      : `Changes are against ${points[0]?.name}, measured turn by turn beside each point, with 95% intervals by Student's t over the rounds. Medians of the rest.`,
  ];
}

function tables(result: MatrixResult): Table[] {
  const scenarios = [...new Set(result.points[0]?.cells.map(({ cell }) => cell.scenario))];
  return [
    ...scenarios.map((scenario) => scenarioTable(result, scenario)),
    ...effectTables(result),
    ...stageTables(result),
    ...timingsTable(result),
    ...countTables(result),
    ...remainsTable(result),
  ];
}

function scenarioTable({ points, layout, rounds }: MatrixResult, scenario: string): Table {
  const compared = points.length > 1;
  const all = points.flatMap((point) =>
    point.cells.filter(({ cell }) => cell.scenario === scenario).map((cell) => ({ point, cell })),
  );
  const statistics = [...new Set(all.map(({ cell }) => cell.statistic))];
  const rows = all.map(({ point, cell }) => {
    const { figures } = cell;
    return [
      ...(compared ? [point.name] : []),
      loadOf(cell.cell),
      qps(figures?.qps),
      ...(compared ? [change(cell.qps)] : []),
      ms(figures?.latencyMs.avg),
      ms(figures?.latencyMs.p50),
      ms(figures?.latencyMs.p90),
      ms(figures?.latencyMs.p95),
      ms(figures?.latencyMs.p99),
      ...(compared ? [change(cell.latency)] : []),
      ms(figures?.maxMs),
      significant(figures?.cpuMsPerRequest),
      figures?.cpuPeakCores == null ? ABSENT : percent(figures.cpuPeakCores / layout.target.length),
    ];
  });
  const notes = all.flatMap(({ point, cell }) => {
    const where = `${compared ? `${point.name}, ` : ""}${loadOf(cell.cell)}`;
    if (cell.figures === null) return [`${where}: not measured${cell.why === null ? "" : `: ${cell.why}`}.`];
    return cell.rounds < rounds
      ? [`${where}: ${plural(cell.rounds, "round")}${cell.why === null ? "" : `, ${cell.why}`}.`]
      : [];
  });
  const knees = points.flatMap((point) => {
    const knee = kneeOf(point.cells.filter(({ cell }) => cell.scenario === scenario));
    if (knee === null) return [];
    const cpu =
      knee.cpuPeakCores === null ? "" : `, with ${percent(knee.cpuPeakCores / layout.target.length)} of its CPU used`;
    return [
      `${compared ? `${point.name}: ` : ""}QPS stops rising at ${plural(knee.level, "VU")} (${qps(knee.qps)} requests/s${cpu}).`,
    ];
  });
  return {
    heading: scenario,
    titles: [
      ...(compared ? ["point"] : []),
      ">load",
      ">QPS",
      ...(compared ? [">change, %"] : []),
      ">avg ms",
      ">p50",
      ">p90",
      ">p95",
      ">p99",
      ...(compared ? [`>${statistics.length === 1 ? statistics[0] : "latency"} change, %`] : []),
      ">max",
      ">CPU ms",
      ">CPU peak",
    ],
    rows,
    notes: [...knees, ...notes],
  };
}

/** "+35.1 (+33.0 … +37.2)" */
function change(effect: Effect | null): string {
  if (effect === null) return ABSENT;
  return `${signed(effect.ratio - 1)} (${signed(effect.low - 1)} … ${signed(effect.high - 1)})`;
}

function loadOf({ model, level }: Cell): string {
  if (model === "open") return `${level ?? "auto"}/s`;
  return plural(level ?? 0, "VU");
}

function effectTables({ effects }: MatrixResult): Table[] {
  if (effects.length === 0) return [];
  return [
    {
      heading: "What each factor does",
      titles: ["factor", "cell", ">QPS change, %", ">latency change, %"],
      rows: effects.map(({ factor, level, reference, cell, qps: rate, latency }) => [
        `${factor}: ${reference} → ${level}`,
        cell,
        change(rate),
        change(latency),
      ]),
      notes: ["Means over all points that differ in this factor alone."],
    },
  ];
}

function stageTables({ stages, points }: MatrixResult): Table[] {
  if (stages.length === 0) return [];
  const reference = points[0]?.name;
  return [
    {
      heading: "What each stage adds",
      titles: [
        "cell",
        "stage",
        ">CPU ms per request",
        ">added, CPU ms per request",
        ">QPS change, %",
        ">latency change, %",
      ],
      rows: stages.map(({ cell, stage, cpuMs, addedCpuMs, qps: rate, latency }) => [
        cell,
        stage,
        significant(cpuMs),
        addedMs(addedCpuMs),
        change(rate),
        change(latency),
      ]),
      notes: [
        `Against the stage before: differences of the changes against ${reference}, with 95% intervals by Welch's t. CPU ms is the median of ${reference}, and of the others that times their change.`,
      ],
    },
  ];
}

/** Where the time of a request goes, where the matrix asks for it. */
function timingsTable({ points }: MatrixResult): Table[] {
  const compared = points.length > 1;
  const rows = points.flatMap((point) =>
    point.cells.flatMap(({ cell, phasesMs }) =>
      phasesMs === undefined
        ? []
        : [[...(compared ? [point.name] : []), cell.id, ...PHASES.map((phase) => ms(phasesMs?.[phase]))]],
    ),
  );
  if (rows.length === 0) return [];
  return [
    {
      heading: "Where the time of a request goes",
      titles: [...(compared ? ["point"] : []), "cell", ...PHASES.map((phase) => PHASE_TITLES[phase])],
      rows,
      notes: [
        "Means per request, 0 on a connection that is kept. Latencies above begin with the request, after the handshake; QPS has all of it.",
      ],
    },
  ];
}

/** "+0.120 (+0.110 … +0.130)": to the microsecond. */
function addedMs(added: MatrixStage["addedCpuMs"]): string {
  if (added === null) return ABSENT;
  const withSign = (value: number) => `${value > 0 ? "+" : ""}${decimal(value, 3)}`;
  return `${withSign(added.value)} (${withSign(added.low)} … ${withSign(added.high)})`;
}

/** Counts of a request, where they are not the same everywhere. */
function countTables({ points }: MatrixResult): Table[] {
  const rows = points.flatMap((point) => {
    const seen = new Set<string>();
    return point.cells.flatMap(({ cell, counts }) => {
      if (seen.has(cell.scenario)) return [];
      seen.add(cell.scenario);
      return [{ point: point.name, scenario: cell.scenario, counts }];
    });
  });
  const shown = COUNTS.filter((count) => rows.some(({ counts }) => counts[count] !== undefined));
  if (shown.length === 0) return [];
  return [
    {
      heading: "What a request costs",
      titles: [...(points.length > 1 ? ["point"] : []), "scenario", ...shown.map((count) => COUNT_TITLES[count])],
      rows: rows.map(({ point, scenario, counts }) => [
        ...(points.length > 1 ? [point] : []),
        scenario,
        ...shown.map((count) => {
          const value = counts[count];
          if (value === undefined) return ABSENT;
          return Number.isInteger(value) ? decimal(value) : significant(value);
        }),
      ]),
      notes: [],
    },
  ];
}

/** What load leaves behind: memory that grows with the requests, and sockets that wait. */
function remainsTable({ points }: MatrixResult): Table[] {
  const compared = points.length > 1;
  const rows = points.flatMap((point) =>
    point.cells.flatMap(({ cell, figures, growthBytes }) =>
      figures === null || figures.memoryBytes === null
        ? []
        : [
            [
              ...(compared ? [point.name] : []),
              cell.id,
              bytes(figures.memoryBytes),
              bytes(growthBytes),
              decimal(figures.timeWait),
            ],
          ],
    ),
  );
  if (rows.length === 0) return [];
  return [
    {
      heading: "What load leaves behind",
      titles: [
        ...(compared ? ["point"] : []),
        "cell",
        ">memory",
        ">growth per 1,000 requests",
        ">sockets in TIME_WAIT",
      ],
      rows,
      notes: [
        "Memory of the web server and PHP at the end of a slot, in workers that were restarted before each round.",
      ],
    },
  ];
}

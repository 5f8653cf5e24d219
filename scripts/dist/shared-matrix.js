import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  textTable
} from "./shared-text-table.js";
import {
  InputError
} from "./shared-errors.js";
import {
  harmless,
  stringify
} from "./shared-index.js";
import {
  COUNTS,
  markdownTable
} from "./shared-details.js";
import {
  ABSENT,
  bytes,
  decimal,
  duration,
  escapeMarkdown,
  escapeNote,
  ms,
  oneLine,
  oneNote,
  percent,
  plural,
  qps,
  signed,
  significant
} from "./shared-headline.js";
import {
  nginxByKey
} from "./shared-nginx.js";
import {
  FLOOR,
  median,
  scaledMad,
  tQuantile,
  winsorised
} from "./shared-replay.js";

// scripts/src/core/matrix.ts
var MOST_POINTS = 48;
function pointsOf(matrix) {
  checkApart(matrix);
  const factors = Object.entries(matrix.factors).map(([factor, levels]) => ({ factor, names: Object.keys(levels) }));
  const count = matrix.design === "full" ? factors.reduce((product, { names }) => product * names.length, 1) : factors.reduce((sum, { names }) => sum + names.length - 1, 1);
  if (count > MOST_POINTS) {
    throw new InputError(
      `matrix.factors: allowed are up to ${MOST_POINTS} points; these levels make ${count}. Take some away, or write design: one-at-a-time`
    );
  }
  const reference = Object.fromEntries(factors.map(({ factor, names }) => [factor, names[0]]));
  const combinations = matrix.design === "full" ? factors.reduce(
    (sofar, { factor, names }) => sofar.flatMap((levels) => names.map((name) => ({ ...levels, [factor]: name }))),
    [{}]
  ) : [
    reference,
    ...factors.flatMap(({ factor, names }) => names.slice(1).map((name) => ({ ...reference, [factor]: name })))
  ];
  return combinations.map((levels) => ({ name: nameOf(levels), levels, variant: together(matrix, levels) }));
}
function nameOf(levels) {
  const parts = Object.entries(levels).map(([factor, level]) => `${factor}=${level}`);
  return parts.length === 0 ? "as configured" : parts.join(", ");
}
function together({ factors }, levels) {
  const sum = { env: {}, php: {}, links: {} };
  const ini = {};
  const queries = [];
  for (const [factor, level] of Object.entries(levels)) {
    const named = factors[factor];
    const { env, php, nginx, links, query, ...rest } = named[level];
    Object.assign(sum, rest);
    Object.assign(sum.env, env);
    Object.assign(sum.php, php);
    Object.assign(ini, php.ini);
    if (nginx !== void 0) sum.nginx = { ...sum.nginx, ...nginx };
    Object.assign(sum.links, links);
    if (query !== void 0) queries.push(query);
  }
  if (Object.keys(ini).length > 0) sum.php.ini = ini;
  if (queries.length > 0) sum.query = queries.join("&");
  return sum;
}
function checkApart({ factors }) {
  const setBy = /* @__PURE__ */ new Map();
  for (const [factor, levels] of Object.entries(factors)) {
    if (Object.keys(levels).length === 0) {
      throw new InputError(`matrix.factors.${factor}: expected one or more levels; it has none. Remove it`);
    }
    for (const key of new Set(Object.values(levels).flatMap(keysOf))) {
      const other = setBy.get(key);
      if (other !== void 0) {
        throw new InputError(
          `matrix.factors: ${key} is set by one factor alone; ${other} and ${factor} both set it. Make them one factor with a level for each combination`
        );
      }
      setBy.set(key, factor);
    }
  }
}
function keysOf({ env, php, nginx = {}, links, query, ...rest }) {
  const { ini, ...fpm } = php;
  const below = (path, names = {}) => Object.keys(names).map((name) => `${path}.${name}`);
  const parameters = (query ?? "").split("&").flatMap((part) => part === "" ? [] : `query ${part.split("=")[0]}`);
  return [
    ...below("env", env),
    ...below("php", fpm),
    ...below("php.ini", ini),
    ...below("nginx", nginxByKey(nginx)),
    ...below("links", links),
    ...parameters,
    ...Object.keys(rest)
  ];
}
function configOf(config, rounds) {
  return { ...config, measure: { ...config.measure, maxRounds: rounds } };
}
function logMean(logRatios) {
  const n = logRatios.length;
  if (n < 2) return null;
  const values = winsorised(logRatios, Math.max(FLOOR, scaledMad(logRatios)));
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: Math.max(squares / (n - 1), (FLOOR / 2) ** 2) / n, df: n - 1 };
}
function effectOf({ mean, variance, df }) {
  const reach = tQuantile(0.975, df) * Math.sqrt(variance);
  return { ratio: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
}
function mainEffect(points, factor, level, at) {
  const first = points[0]?.levels[factor];
  const pairs = points.flatMap((point) => {
    if (point.levels[factor] !== level) return [];
    const wanted = nameOf({ ...point.levels, [factor]: first ?? "" });
    const without = points.find(({ name }) => name === wanted);
    const [to, from] = [at(point), without === void 0 ? null : without === points[0] ? NOTHING : at(without)];
    return to === null || from === null ? [] : [{ from, to }];
  });
  if (pairs.length === 0) return null;
  const { variance, df } = spreadOf(pairs.flatMap(({ from, to }) => [from, to]));
  return {
    mean: pairs.reduce((sum, { from, to }) => sum + to.mean - from.mean, 0) / pairs.length,
    variance: variance / pairs.length ** 2,
    df
  };
}
function spreadOf(parts) {
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  return { variance, df: variance ** 2 / parts.reduce((sum, part) => sum + part.variance ** 2 / part.df, 0) };
}
var NOTHING = { mean: 0, variance: 0, df: 1 };
function stagesOf(points, at) {
  const [reference] = points;
  const against = (point, cell, metric) => point === void 0 ? null : point === reference ? NOTHING : at(point, cell, metric);
  return (reference?.cells ?? []).flatMap(
    ({ cell: { id }, figures }) => points.map((point, index) => {
      const added = (metric) => {
        const [from, to] = [against(points[index - 1], id, metric), against(point, id, metric)];
        return from && to && effectOf({ mean: to.mean - from.mean, ...spreadOf([from, to]) });
      };
      const cpuOf = (one) => {
        const change2 = against(one, id, "cpu");
        return change2 && figures?.cpuMsPerRequest ? figures.cpuMsPerRequest * Math.exp(change2.mean) : null;
      };
      const [before, cpu] = [cpuOf(points[index - 1]), added("cpu")];
      return {
        stage: Object.values(point.levels).join(", "),
        cell: id,
        cpuMs: cpuOf(point),
        addedCpuMs: before === null || cpu === null ? null : scaled(cpu, before),
        qps: added("qps"),
        latency: added("latency")
      };
    })
  );
}
function scaled({ ratio, low, high }, of) {
  return { value: of * (ratio - 1), low: of * (low - 1), high: of * (high - 1) };
}
function cpuLogRatios(rounds) {
  const cpu = ({ witness, requests }) => witness === null ? 0 : witness.targetCpuSeconds / requests;
  return rounds.flatMap(({ base, head }) => {
    const ratio = cpu(head) / cpu(base);
    return ratio > 0 && Number.isFinite(ratio) ? [Math.log(ratio)] : [];
  });
}
function growthOf(slots) {
  const growth = slots.map(({ witness }) => witness?.targetMemoryGrowthBytes);
  const requests = slots.reduce((sum, slot) => sum + slot.requests, 0);
  if (requests === 0 || growth.includes(void 0)) return null;
  return 1e3 * growth.reduce((sum, bytes2) => sum + (bytes2 ?? 0), 0) / requests;
}
function medianPhases(all) {
  if (all.length === 0) return null;
  const mid = (phase) => median(all.map((phases) => phases[phase]));
  return { connect: mid("connect"), tls: mid("tls"), wait: mid("wait"), receive: mid("receive") };
}
var NEARLY_ALL = 0.95;
function kneeOf(cells) {
  const measured = cells.flatMap(
    ({ cell: { model, level }, figures }) => model !== "closed" || level === null || figures === null ? [] : [{ level, figures }]
  );
  if (measured.length < 3) return null;
  const most = Math.max(...measured.map(({ figures }) => figures.qps));
  const levels = measured.toSorted((a, b) => a.level - b.level);
  const knee = levels.find(({ figures }) => figures.qps >= NEARLY_ALL * most);
  if (knee === void 0 || knee === levels.at(-1)) return null;
  return { level: knee.level, qps: knee.figures.qps, cpuPeakCores: knee.figures.cpuPeakCores };
}

// scripts/src/report/matrix.ts
var COUNT_TITLES = {
  sqlStatements: ">SQL statements",
  dbConnections: ">new MySQL connections",
  redisCommands: ">Redis commands",
  responseBytes: ">bytes of the answer"
};
var PHASES = ["connect", "tls", "wait", "receive"];
var PHASE_TITLES = {
  connect: ">connect ms",
  tls: ">TLS handshake",
  wait: ">wait",
  receive: ">receive"
};
function renderMatrixMarkdown(result, charts) {
  const table = ({ heading, titles, rows, notes }) => {
    const align = titles.map((title2) => title2.startsWith(">") ? "right" : "left");
    const header = titles.map((title2) => title2.replace(/^>/, ""));
    const body = rows.map((row) => row.map(escapeMarkdown));
    return [
      `## ${escapeMarkdown(heading)}`,
      markdownTable([header, ...body], { align }),
      ...notes.map(escapeNote)
    ].join("\n\n");
  };
  const [title, ...facts] = conditions(result);
  const images = charts.map(({ path, title: text }) => `![${text}](${path})`);
  const parts = [`# ${escapeMarkdown(title ?? "")}`, ...facts.map(escapeNote), ...images, ...tables(result).map(table)];
  return `${parts.join("\n\n")}
`;
}
function renderMatrixText(result) {
  const table = ({ heading, titles, rows, notes }) => [
    oneLine(heading),
    textTable(
      titles,
      rows.map((row) => row.map(oneLine))
    ),
    ...notes.map(oneNote)
  ].join("\n");
  return [conditions(result).map(oneNote).join("\n"), ...tables(result).map(table)].join("\n\n");
}
function renderMatrixCsv({ points }) {
  const factors = Object.keys(points[0]?.levels ?? {});
  const rows = points.flatMap((point) => point.cells.map((cell) => fieldsOf(factors, point, cell)));
  const header = rows[0]?.map(([name]) => name) ?? [];
  return stringify([header, ...rows.map((row) => row.map(([, value]) => value === null ? "" : String(value)))]);
}
function fieldsOf(factors, { name, levels }, cell) {
  const { figures, statistic, phasesMs } = cell;
  const effect = (metric) => [
    [`${metric}_ratio`, cell[metric]?.ratio ?? null],
    [`${metric}_ratio_low`, cell[metric]?.low ?? null],
    [`${metric}_ratio_high`, cell[metric]?.high ?? null]
  ];
  return [
    ["point", harmless(name)],
    ...factors.map((factor) => [`factor_${factor}`, harmless(levels[factor] ?? "")]),
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
    ...phasesMs === void 0 ? [] : PHASES.map((phase) => [`${phase}_ms`, phasesMs?.[phase] ?? null]),
    ["cpu_ms_per_request", figures?.cpuMsPerRequest ?? null],
    ["cpu_peak_cores", figures?.cpuPeakCores ?? null],
    ["memory_bytes", figures?.memoryBytes ?? null],
    ["memory_growth_bytes_per_1000_requests", cell.growthBytes],
    ["time_wait", figures?.timeWait ?? null],
    ...effect("qps"),
    ["latency_statistic", statistic],
    ...effect("latency"),
    ...COUNTS.map((count) => [`${count}_per_request`, cell.counts[count] ?? null]),
    ["note", cell.why === null ? "" : harmless(cell.why)]
  ];
}
function conditions(result) {
  const { arms, points, rounds, machine, tools, layout, driver, interrupted, wallSeconds } = result;
  const cells = points[0]?.cells.length ?? 0;
  const versions = Object.entries(tools).map(([name, version]) => `${name} ${version}`);
  return [
    `${plural(points.length, "point")} of ${arms.label}${arms.commit === null ? "" : ` (${arms.commit.slice(0, 12)})`}`,
    `${plural(cells, "cell")} at each, ${plural(rounds, "round")} of each cell, ${duration(wallSeconds)}${interrupted ? "; interrupted before its end" : ""}. ${machine.cpuModel}, ${plural(machine.logicalCpus, "CPU")}; ${layout.note}; driver ${driver}; ${versions.join(", ")}.`,
    points.length === 1 ? "Medians over the rounds; the point was measured beside itself." : `Changes are against ${points[0]?.name}, measured turn by turn beside each point, with 95% intervals by Student's t over the rounds. Medians of the rest.`
  ];
}
function tables(result) {
  const scenarios = [...new Set(result.points[0]?.cells.map(({ cell }) => cell.scenario))];
  return [
    ...scenarios.map((scenario) => scenarioTable(result, scenario)),
    ...effectTables(result),
    ...stageTables(result),
    ...timingsTable(result),
    ...countTables(result),
    ...remainsTable(result)
  ];
}
function scenarioTable({ points, layout, rounds }, scenario) {
  const compared = points.length > 1;
  const all = points.flatMap(
    (point) => point.cells.filter(({ cell }) => cell.scenario === scenario).map((cell) => ({ point, cell }))
  );
  const statistics = [...new Set(all.map(({ cell }) => cell.statistic))];
  const rows = all.map(({ point, cell }) => {
    const { figures } = cell;
    return [
      ...compared ? [point.name] : [],
      loadOf(cell.cell),
      qps(figures?.qps),
      ...compared ? [change(cell.qps)] : [],
      ms(figures?.latencyMs.avg),
      ms(figures?.latencyMs.p50),
      ms(figures?.latencyMs.p90),
      ms(figures?.latencyMs.p95),
      ms(figures?.latencyMs.p99),
      ...compared ? [change(cell.latency)] : [],
      ms(figures?.maxMs),
      significant(figures?.cpuMsPerRequest),
      figures?.cpuPeakCores == null ? ABSENT : percent(figures.cpuPeakCores / layout.target.length)
    ];
  });
  const notes = all.flatMap(({ point, cell }) => {
    const where = `${compared ? `${point.name}, ` : ""}${loadOf(cell.cell)}`;
    if (cell.figures === null) return [`${where}: not measured${cell.why === null ? "" : `: ${cell.why}`}.`];
    return cell.rounds < rounds ? [`${where}: ${plural(cell.rounds, "round")}${cell.why === null ? "" : `, ${cell.why}`}.`] : [];
  });
  const knees = points.flatMap((point) => {
    const knee = kneeOf(point.cells.filter(({ cell }) => cell.scenario === scenario));
    if (knee === null) return [];
    const cpu = knee.cpuPeakCores === null ? "" : `, with ${percent(knee.cpuPeakCores / layout.target.length)} of its CPU used`;
    return [
      `${compared ? `${point.name}: ` : ""}QPS stops rising at ${plural(knee.level, "VU")} (${qps(knee.qps)} requests/s${cpu}).`
    ];
  });
  return {
    heading: scenario,
    titles: [
      ...compared ? ["point"] : [],
      ">load",
      ">QPS",
      ...compared ? [">change, %"] : [],
      ">avg ms",
      ">p50",
      ">p90",
      ">p95",
      ">p99",
      ...compared ? [`>${statistics.length === 1 ? statistics[0] : "latency"} change, %`] : [],
      ">max",
      ">CPU ms",
      ">CPU peak"
    ],
    rows,
    notes: [...knees, ...notes]
  };
}
function change(effect) {
  if (effect === null) return ABSENT;
  return `${signed(effect.ratio - 1)} (${signed(effect.low - 1)} … ${signed(effect.high - 1)})`;
}
function loadOf({ model, level }) {
  if (model === "open") return `${level ?? "auto"}/s`;
  return plural(level ?? 0, "VU");
}
function effectTables({ effects }) {
  if (effects.length === 0) return [];
  return [
    {
      heading: "What each factor does",
      titles: ["factor", "cell", ">QPS change, %", ">latency change, %"],
      rows: effects.map(({ factor, level, reference, cell, qps: rate, latency }) => [
        `${factor}: ${reference} → ${level}`,
        cell,
        change(rate),
        change(latency)
      ]),
      notes: ["Means over all points that differ in this factor alone."]
    }
  ];
}
function stageTables({ stages, points }) {
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
        ">latency change, %"
      ],
      rows: stages.map(({ cell, stage, cpuMs, addedCpuMs, qps: rate, latency }) => [
        cell,
        stage,
        significant(cpuMs),
        addedMs(addedCpuMs),
        change(rate),
        change(latency)
      ]),
      notes: [
        `Against the stage before: differences of the changes against ${reference}, with 95% intervals by Welch's t. CPU ms is the median of ${reference}, and of the others that times their change.`
      ]
    }
  ];
}
function timingsTable({ points }) {
  const compared = points.length > 1;
  const rows = points.flatMap(
    (point) => point.cells.flatMap(
      ({ cell, phasesMs }) => phasesMs === void 0 ? [] : [[...compared ? [point.name] : [], cell.id, ...PHASES.map((phase) => ms(phasesMs?.[phase]))]]
    )
  );
  if (rows.length === 0) return [];
  return [
    {
      heading: "Where the time of a request goes",
      titles: [...compared ? ["point"] : [], "cell", ...PHASES.map((phase) => PHASE_TITLES[phase])],
      rows,
      notes: [
        "Means per request, 0 on a connection that is kept. Latencies above begin with the request, after the handshake; QPS has all of it."
      ]
    }
  ];
}
function addedMs(added) {
  if (added === null) return ABSENT;
  const withSign = (value) => `${value > 0 ? "+" : ""}${decimal(value, 3)}`;
  return `${withSign(added.value)} (${withSign(added.low)} … ${withSign(added.high)})`;
}
function countTables({ points }) {
  const rows = points.flatMap((point) => {
    const seen = /* @__PURE__ */ new Set();
    return point.cells.flatMap(({ cell, counts }) => {
      if (seen.has(cell.scenario)) return [];
      seen.add(cell.scenario);
      return [{ point: point.name, scenario: cell.scenario, counts }];
    });
  });
  const shown = COUNTS.filter((count) => rows.some(({ counts }) => counts[count] !== void 0));
  if (shown.length === 0) return [];
  return [
    {
      heading: "What a request costs",
      titles: [...points.length > 1 ? ["point"] : [], "scenario", ...shown.map((count) => COUNT_TITLES[count])],
      rows: rows.map(({ point, scenario, counts }) => [
        ...points.length > 1 ? [point] : [],
        scenario,
        ...shown.map((count) => {
          const value = counts[count];
          if (value === void 0) return ABSENT;
          return Number.isInteger(value) ? decimal(value) : significant(value);
        })
      ]),
      notes: []
    }
  ];
}
function remainsTable({ points }) {
  const compared = points.length > 1;
  const rows = points.flatMap(
    (point) => point.cells.flatMap(
      ({ cell, figures, growthBytes }) => figures === null || figures.memoryBytes === null ? [] : [
        [
          ...compared ? [point.name] : [],
          cell.id,
          bytes(figures.memoryBytes),
          bytes(growthBytes),
          decimal(figures.timeWait)
        ]
      ]
    )
  );
  if (rows.length === 0) return [];
  return [
    {
      heading: "What load leaves behind",
      titles: [
        ...compared ? ["point"] : [],
        "cell",
        ">memory",
        ">growth per 1,000 requests",
        ">sockets in TIME_WAIT"
      ],
      rows,
      notes: [
        "Memory of the web server and PHP at the end of a slot, in workers that were restarted before each round."
      ]
    }
  ];
}

export {
  pointsOf,
  configOf,
  logMean,
  effectOf,
  mainEffect,
  stagesOf,
  cpuLogRatios,
  growthOf,
  medianPhases,
  renderMatrixMarkdown,
  renderMatrixText,
  renderMatrixCsv
};

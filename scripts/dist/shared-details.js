import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  require_picocolors
} from "./shared-picocolors.js";
import {
  ABSENT,
  MARKDOWN,
  STRIKE_LABEL,
  allowedPhrase,
  besideSentence,
  bytes,
  cellName,
  cellsOf,
  confirmationPhrase,
  decidingTest,
  decimal,
  direction,
  duration,
  escapeMarkdown,
  escapeNote,
  furtherReasons,
  headline,
  isLimit,
  judged,
  list,
  loadLabel,
  margin,
  ms,
  noBaseline,
  oneLine,
  ownReasons,
  percent,
  percentMeasured,
  plural,
  qps,
  sentence,
  signed,
  signedPercent,
  significant,
  sinceLabel,
  sinceText,
  stateOf,
  storedSentence,
  testOf,
  unit,
  whyNoInterval,
  withoutBaseline,
  worstFirst,
  worstRoom
} from "./shared-headline.js";
import {
  differingSettings
} from "./shared-variants.js";
import {
  FIRST_LOOK,
  RECORD_ROUNDS
} from "./shared-replay.js";
import {
  connectionOf
} from "./shared-arms.js";
import {
  ARMS,
  assertNever
} from "./shared-model.js";
import {
  __toESM
} from "./shared-runtime.js";

// scripts/src/report/census.ts
function countText(count) {
  if (count === void 0) return "";
  if (count.exact) return number(count.perRequest);
  return `${number(count.perRequest)} (${number(count.min)}–${number(count.max)})`;
}
function number(value) {
  return Number.isInteger(value) ? decimal(value) : significant(value);
}
function isClear({ base, head }) {
  return base.exact && head.exact || head.min > base.max || head.max < base.min;
}
function explainCensus(differences, ink) {
  const clear = differences.filter(isClear);
  if (clear.length === 0) return "";
  const clauses = clear.map((difference) => clause(difference, ink));
  const causes = clear.map(cause).filter((text) => text !== "");
  return `It now ${list(clauses)}${causes.length === 0 ? "" : `: ${list(causes)}`}.`;
}
function clause({ count, base, head }, ink) {
  const was = `(was ${number(base.perRequest)})`;
  const amount = number(head.perRequest);
  const some2 = (one) => `${ink.strong(`${amount} ${one}${head.perRequest === 1 ? "" : "s"} per request`)} ${was}`;
  switch (count) {
    case "sqlStatements":
      return `runs ${some2("SQL statement")}`;
    case "dbConnections": {
      const rate = `${decimal(head.perRequest, 2)} new MySQL connection${head.perRequest > 1 ? "s" : ""} per request`;
      return `opens ${ink.strong(rate)} (was ${decimal(base.perRequest, 2)})`;
    }
    case "redisCommands":
      return `sends ${some2("Redis command")}`;
    case "responseBytes":
      return `answers with ${ink.strong(`${decimal(head.perRequest)} bytes`)} (was ${decimal(base.perRequest)})`;
    default:
      return assertNever(count);
  }
}
function cause({ count, base, head }) {
  const added = head.perRequest - base.perRequest;
  if (count === "dbConnections" && base.perRequest < 0.5 && head.perRequest >= 0.5) {
    return "a persistent connection was probably lost";
  }
  if (count === "sqlStatements" && added >= 3 && head.perRequest >= 2 * base.perRequest) {
    return "probably a query inside a loop (N+1)";
  }
  return "";
}
var COUNTS = ["sqlStatements", "dbConnections", "redisCommands", "responseBytes"];

// node_modules/markdown-table/index.js
function defaultStringLength(value) {
  return value.length;
}
function markdownTable(table3, options) {
  const settings = options || {};
  const align = (settings.align || []).concat();
  const stringLength = settings.stringLength || defaultStringLength;
  const alignments = [];
  const cellMatrix = [];
  const sizeMatrix = [];
  const longestCellByColumn = [];
  let mostCellsPerRow = 0;
  let rowIndex = -1;
  while (++rowIndex < table3.length) {
    const row2 = [];
    const sizes2 = [];
    let columnIndex2 = -1;
    if (table3[rowIndex].length > mostCellsPerRow) {
      mostCellsPerRow = table3[rowIndex].length;
    }
    while (++columnIndex2 < table3[rowIndex].length) {
      const cell = serialize(table3[rowIndex][columnIndex2]);
      if (settings.alignDelimiters !== false) {
        const size = stringLength(cell);
        sizes2[columnIndex2] = size;
        if (longestCellByColumn[columnIndex2] === void 0 || size > longestCellByColumn[columnIndex2]) {
          longestCellByColumn[columnIndex2] = size;
        }
      }
      row2.push(cell);
    }
    cellMatrix[rowIndex] = row2;
    sizeMatrix[rowIndex] = sizes2;
  }
  let columnIndex = -1;
  if (typeof align === "object" && "length" in align) {
    while (++columnIndex < mostCellsPerRow) {
      alignments[columnIndex] = toAlignment(align[columnIndex]);
    }
  } else {
    const code = toAlignment(align);
    while (++columnIndex < mostCellsPerRow) {
      alignments[columnIndex] = code;
    }
  }
  columnIndex = -1;
  const row = [];
  const sizes = [];
  while (++columnIndex < mostCellsPerRow) {
    const code = alignments[columnIndex];
    let before = "";
    let after = "";
    if (code === 99) {
      before = ":";
      after = ":";
    } else if (code === 108) {
      before = ":";
    } else if (code === 114) {
      after = ":";
    }
    let size = settings.alignDelimiters === false ? 1 : Math.max(
      1,
      longestCellByColumn[columnIndex] - before.length - after.length
    );
    const cell = before + "-".repeat(size) + after;
    if (settings.alignDelimiters !== false) {
      size = before.length + size + after.length;
      if (size > longestCellByColumn[columnIndex]) {
        longestCellByColumn[columnIndex] = size;
      }
      sizes[columnIndex] = size;
    }
    row[columnIndex] = cell;
  }
  cellMatrix.splice(1, 0, row);
  sizeMatrix.splice(1, 0, sizes);
  rowIndex = -1;
  const lines = [];
  while (++rowIndex < cellMatrix.length) {
    const row2 = cellMatrix[rowIndex];
    const sizes2 = sizeMatrix[rowIndex];
    columnIndex = -1;
    const line = [];
    while (++columnIndex < mostCellsPerRow) {
      const cell = row2[columnIndex] || "";
      let before = "";
      let after = "";
      if (settings.alignDelimiters !== false) {
        const size = longestCellByColumn[columnIndex] - (sizes2[columnIndex] || 0);
        const code = alignments[columnIndex];
        if (code === 114) {
          before = " ".repeat(size);
        } else if (code === 99) {
          if (size % 2) {
            before = " ".repeat(size / 2 + 0.5);
            after = " ".repeat(size / 2 - 0.5);
          } else {
            before = " ".repeat(size / 2);
            after = before;
          }
        } else {
          after = " ".repeat(size);
        }
      }
      if (settings.delimiterStart !== false && !columnIndex) {
        line.push("|");
      }
      if (settings.padding !== false && // Don’t add the opening space if we’re not aligning and the cell is
      // empty: there will be a closing space.
      !(settings.alignDelimiters === false && cell === "") && (settings.delimiterStart !== false || columnIndex)) {
        line.push(" ");
      }
      if (settings.alignDelimiters !== false) {
        line.push(before);
      }
      line.push(cell);
      if (settings.alignDelimiters !== false) {
        line.push(after);
      }
      if (settings.padding !== false) {
        line.push(" ");
      }
      if (settings.delimiterEnd !== false || columnIndex !== mostCellsPerRow - 1) {
        line.push("|");
      }
    }
    lines.push(
      settings.delimiterEnd === false ? line.join("").replace(/ +$/, "") : line.join("")
    );
  }
  return lines.join("\n");
}
function serialize(value) {
  return value === null || value === void 0 ? "" : String(value);
}
function toAlignment(value) {
  const code = typeof value === "string" ? value.codePointAt(0) : 0;
  return code === 67 || code === 99 ? 99 : code === 76 || code === 108 ? 108 : code === 82 || code === 114 ? 114 : 0;
}

// scripts/src/report/terminal.ts
var import_picocolors = __toESM(require_picocolors(), 1);

// scripts/src/report/details.ts
function fold(summary, body) {
  const inner = body.filter((block) => block !== "").join("\n\n");
  return inner === "" ? "" : `<details><summary>${summary}</summary>

${inner}

</details>`;
}
function detailParts(input) {
  return [
    { name: "work per request", text: fold("Per request: queries, connections, bytes", perRequest(input)) },
    {
      name: "all numbers",
      text: fold("All numbers: averages, percentiles, CPU, memory, errors", [allNumbers(input)])
    },
    { name: "slowest requests", text: fold("Slowest requests, with their trace ids", [slowestRequests(input)]) },
    { name: "conditions", text: fold(conditionsTitle(input), conditions(input)) },
    { name: "rounds and time", text: fold("How it was measured: rounds, struck slots, time", measurement(input)) },
    {
      name: "how to read this",
      text: fold("How to read this", [HOW_TO_READ, aboutRecords(input.comparison)])
    }
  ];
}
var HOW_TO_READ = [
  "- A **cell** is a scenario at one load level. Base and head are measured in turn, a few seconds each, on the same cores; one turn of both is a **round**.",
  "- **change** is head against base; **between** is the interval that the data allow. A cell is red when all of its interval is beyond the allowed line, green when all of it is within, undecided when the line runs through it.",
  "- **p99**: 99 of 100 requests were faster. At high load it mostly restates QPS.",
  "- A slot that something from outside disturbed is struck, by its cause and never by its result, and its round is measured again.",
  "- Counts per request have no noise: where a count is the same in every repeat, a difference is a fact."
].join("\n");
var HOW_TO_READ_STORED = [
  "- The base is what **records** of earlier runs lead to expect. Each record, and this run, measured a commit in turn with the same frozen version, the anchor, so that most of the machine cancels; **expected** is the mean of the records times what the anchor reached here.",
  "- Jobs of the same code still differ. That spread, from the records and from what is expected of any (`baseline.noise`), is in the interval, and more rounds would not make it smaller: more records do.",
  "- **since** is the head against the anchor in this run alone, with a 95% interval over its rounds; it is shown, not judged. In the tables below, base is the anchor."
].join("\n");
var HOW_TO_READ_BESIDE = "- **since** puts two ratios together: head against base, from this run, and what the base's branch stands at in its records since their last step, each a commit measured in turn with the same frozen version. The interval, of 95%, holds the rounds here and the spread between jobs; it is shown, not judged.";
function aboutRecords({ stored, beside }) {
  if (stored !== void 0) return HOW_TO_READ_STORED;
  return beside === void 0 ? "" : HOW_TO_READ_BESIDE;
}
function perRequest({ comparison, census, plan }) {
  if (census === null) return ["The census was not taken."];
  const counts = COUNTS.filter(
    (count) => census.scenarios.some((entry) => ARMS.some((arm) => entry.arms[arm].counts[count]))
  );
  const changed = new Set(comparison.census.map((difference) => `${difference.count} ${difference.scenario}`));
  const exceeded = new Set(
    comparison.census.filter((entry) => entry.exceeded).map((entry) => `${entry.count} ${entry.scenario}`)
  );
  const title = {
    sqlStatements: "SQL statements",
    dbConnections: "new MySQL connections",
    redisCommands: "Redis commands",
    responseBytes: "bytes"
  };
  const header = ["scenario", "status", ...counts.map((count) => title[count]), "CPU ms"];
  const last = new Map(comparison.cells.map((result) => [result.cell.scenario, result]));
  const rows = census.scenarios.map(({ scenario, arms }) => {
    const status = (arm) => arms[arm].statuses.map((code) => code === 0 ? "no answer" : String(code)).join(", ") || ABSENT;
    const statuses = status("base") === status("head") ? status("base") : `**${status("base")} → ${status("head")}**`;
    const cells = counts.map((count) => {
      const [base, head] = [countText(arms.base.counts[count]), countText(arms.head.counts[count])];
      if (base === "" && head === "") return ABSENT;
      const text = `${base || ABSENT} → ${head || ABSENT}`;
      const key = `${count} ${scenario}`;
      return exceeded.has(key) ? `**${text}** (more than allowed)` : changed.has(key) ? `**${text}**` : text;
    });
    return [escapeMarkdown(scenario), statuses, ...cells, cpuOf(last.get(scenario))];
  });
  const note = `Base → head, from ${plural(census.repeats, "repeat")} of ${plural(census.requestsPerRepeat, "request")} sent one at a time before the load. A single number came out the same every time; others are means with their range. CPU ms is measured under load, at the highest level.`;
  const ofMixes = plan.config.scenarios.some(({ work }) => work.kind === "mix") ? " Of a mix every request was counted by itself; its row is their mean by weight." : "";
  const align = ["l", "l", ...counts.map(() => "r"), "r"];
  return [markdownTable([header, ...rows], { align }), `${note}${ofMixes}`];
}
function cpuOf(result) {
  const value = (arm) => result?.figures[arm]?.cpuMsPerRequest;
  return value("base") == null && value("head") == null ? ABSENT : `${ms(value("base"))} → ${ms(value("head"))}`;
}
function allNumbers({ comparison, plan, environment }) {
  const { target } = plan.layout;
  const resources = target.length === 0 ? ABSENT : `${plural(target.length, "core")}`;
  const runtime = {
    base: runtimeOf(environment?.php.base),
    head: runtimeOf(environment?.php.head)
  };
  const header = [
    "scenario",
    "load",
    "connection",
    "arm",
    "QPS",
    "avg",
    "p50",
    "p90",
    "p95",
    "p99",
    "max",
    "CPU peak",
    "CPU ms/request",
    "memory",
    "requests",
    "errors",
    "resources",
    "runtime"
  ];
  const rows = comparison.cells.flatMap(
    (result) => ARMS.map((arm) => {
      const figures2 = result.figures[arm];
      const latency = figures2?.latencyMs;
      const failures = figures2 === null ? ABSENT : failureText(figures2.errors, figures2.failedChecks);
      return [
        escapeMarkdown(result.cell.scenario),
        loadLabel(result),
        connectionOf(plan, result, arm),
        arm,
        qps(figures2?.qps),
        ...[latency?.avg, latency?.p50, latency?.p90, latency?.p95, latency?.p99, figures2?.maxMs].map(ms),
        significant(figures2?.cpuPeakCores),
        ms(figures2?.cpuMsPerRequest),
        bytes(figures2?.memoryBytes),
        decimal(figures2?.requests),
        failures,
        resources,
        runtime[arm]
      ];
    })
  );
  const align = header.map((title) => /^(scenario|connection|arm|resources|runtime)$/.test(title) ? "l" : "r");
  const note = "Medians over the clean slots; max is the largest of all of them, requests and errors are sums. Latencies in ms, CPU peak in cores over 1 s.";
  return rows.length === 0 ? "" : `${markdownTable([header, ...rows], { align, alignDelimiters: false })}

${note}`;
}
function failureText(errors, failedChecks) {
  return failedChecks > 0 ? `${decimal(errors)} + ${decimal(failedChecks)} failed checks` : decimal(errors);
}
function runtimeOf(php) {
  if (php == null) return ABSENT;
  const jit = php.jit === "disable" || php.jit === "off" ? "off" : escapeMarkdown(php.jit);
  const xdebug = php.xdebug ? ", Xdebug on" : "";
  return `PHP ${escapeMarkdown(php.version)} ${escapeMarkdown(php.processManager)} ${php.workers}, OPcache ${php.opcache ? "on" : "off"}, JIT ${jit}${xdebug}`;
}
function slowestRequests({ comparison }) {
  const rows = comparison.cells.flatMap(
    (result) => ARMS.flatMap(
      (arm) => (result.slowest?.[arm] ?? []).map((slow) => [
        escapeMarkdown(result.cell.scenario),
        loadLabel(result),
        arm,
        ms(slow.ms),
        escapeMarkdown(slow.traceId),
        decimal(slow.block)
      ])
    )
  );
  if (rows.length === 0) return "";
  const header = ["scenario", "load", "arm", "ms", "trace id", "block"];
  const note = "Over all clean rounds; blocks as in samples.ndjson, from 0. Of a flow it is a whole iteration: its requests are one trace.";
  return `${markdownTable([header, ...rows], { align: ["l", "r", "l", "r", "l", "r"] })}

${note}`;
}
function conditionsTitle({ environment, plan }) {
  if (environment === null) return "Conditions";
  const { machine, tools, php } = environment;
  const parts = [`${machine.logicalCpus} × ${escapeMarkdown(machine.cpuModel)}`];
  const runtime = runtimeOf(php.head ?? php.base);
  if (runtime !== ABSENT) parts.push(runtime);
  if (tools["mysql"] !== void 0) parts.push(`MySQL ${escapeMarkdown(tools["mysql"])}`);
  if (tools["k6"] !== void 0) parts.push(`k6 ${escapeMarkdown(tools["k6"])}`);
  return `Conditions: ${parts.join(", ")}${plan.layout.isolated ? "" : ", k6 shares cores with the service"}`;
}
function conditions({ comparison, plan, environment }) {
  const arms = ARMS.map((arm) => {
    const { label, commit } = comparison.arms[arm];
    const php = environment?.php[arm];
    const extensions = php == null || php.extensions.length === 0 ? ABSENT : php.extensions.map(escapeMarkdown).join(", ");
    return [
      arm,
      escapeMarkdown(label),
      commit === null ? ABSENT : escapeMarkdown(commit.slice(0, 12)),
      runtimeOf(php),
      php == null ? ABSENT : bytes(php.jitBufferBytes),
      extensions
    ];
  });
  const header = ["arm", "source", "commit", "runtime", "JIT buffer", "extensions"];
  const blocks = [markdownTable([header, ...arms])];
  if (comparison.sameSource) blocks.push("Both arms are the same source: an A/A run.");
  const facts = [];
  if (environment !== null) {
    const { machine, tools } = environment;
    facts.push(
      [
        "machine",
        `${machine.logicalCpus} logical CPUs on ${plural(machine.physicalCores, "core")}, ${escapeMarkdown(machine.cpuModel)}, ${bytes(machine.memoryBytes)}`
      ],
      ["system", `${escapeMarkdown(machine.os)}, kernel ${escapeMarkdown(machine.kernel)}, cgroup ${machine.cgroup}`],
      [
        "tools",
        Object.entries(tools).map(([tool, version]) => `${escapeMarkdown(tool)} ${escapeMarkdown(version)}`).join(", ")
      ],
      ["started", escapeMarkdown(environment.startedAt)]
    );
  }
  facts.push(
    ["layout", escapeMarkdown(plan.layout.note)],
    ["driver", plan.driver],
    ...storedFacts(comparison, plan),
    ["plan", escapeMarkdown(plan.id.slice(0, 12))],
    ["seed", String(plan.seed)]
  );
  blocks.push(markdownTable([["", ""], ...facts]));
  return blocks;
}
function storedFacts({ stored, beside }, plan) {
  const { insteadOfRecords: why } = plan;
  if (why !== void 0) return [["base", `measured in place of records: ${escapeMarkdown(why)}`]];
  if (plan.beside?.unread !== void 0) return [["records", `not shown: ${escapeNote(plan.beside.unread)}`]];
  const shown = stored ?? beside;
  if (shown === void 0) return [];
  const { anchor, store, branch, records } = shown;
  const commits = records.slice(0, 5).map(({ commit, recordedAt }) => `${commit.slice(0, 7)} of ${recordedAt.slice(0, 10)}`);
  const more = records.length > commits.length ? ` and ${records.length - commits.length} more` : "";
  return [
    ["anchor", escapeMarkdown(`${anchor.label} (${anchor.id.replace(/^sha256:/, "").slice(0, 12)})`)],
    [
      "records",
      escapeMarkdown(
        `${records.length} of ${branch} in ${store}${records.length > 0 ? `: ${commits.join(", ")}${more}` : ""}`
      )
    ]
  ];
}
function measurement(input) {
  const { comparison } = input;
  return [
    stopSentence(input),
    reasons(ownReasons(comparison)),
    roundsTable(input),
    cellReasons(input),
    strikes(input),
    times(input),
    yardstick(input),
    notes(input),
    damaged(comparison.damaged)
  ];
}
function stopSentence({ comparison }) {
  const { stop } = comparison;
  if (stop === null) return "The record of the run has no end: it was cut off, or it is still going on.";
  const why = {
    decided: "Measuring stopped because everything was decided",
    cap: `Measuring stopped at the ${comparison.stored === void 0 ? "largest number of rounds" : "rounds that a record has"}`,
    budget: "Measuring stopped because the budget was spent",
    interrupted: "Measuring was interrupted",
    failed: "Measuring failed"
  };
  const detail = stop.detail === null ? "" : ` (${escapeMarkdown(stop.detail)})`;
  return `${why[stop.reason]}${detail}, after ${plural(comparison.blocks, "block")} and ${plural(comparison.slots, "slot")}.`;
}
function reasons(list2) {
  return list2.map((reason) => `- ${sentence(escapeMarkdown(reason.text))}`).join("\n");
}
function roundsTable({ comparison }) {
  const header = ["scenario", "load", "clean rounds", "slots", "struck", "p", "confirmation"];
  const rows = comparison.cells.map((result) => {
    const confirmations = new Set(result.tests.map((test) => confirmationPhrase(test.confirmation)));
    const p = result.tests.filter((test) => test.p !== null);
    return [
      escapeMarkdown(result.cell.scenario),
      loadLabel(result),
      decimal(result.rounds),
      decimal(result.slots),
      decimal(Object.values(result.struck).reduce((sum, count) => sum + count, 0)),
      p.map((test) => `${labelOf(test.metric, test.statistic)} ${pText(test.p)}`).join(", ") || ABSENT,
      [...confirmations].filter((text) => text !== "").join(", ") || ABSENT
    ];
  });
  if (rows.length === 0) return "";
  const note = "p is the chance of data this bad if the change sat on the allowed line: small is red, near 1 is green.";
  return `${markdownTable([header, ...rows], { align: ["l", "r", "r", "r", "r", "l", "l"] })}

${note}`;
}
function cellReasons({ comparison }) {
  const lines = comparison.cells.flatMap((result) => {
    const texts = [...result.reasons, ...result.tests.flatMap((test) => test.reasons)];
    const own = new Set(texts.map((reason) => sentence(escapeMarkdown(reason.text))));
    return own.size === 0 ? [] : [`- ${cellName(result, MARKDOWN)}: ${[...own].join(" ")}`];
  });
  return lines.join("\n");
}
function labelOf(metric, statistic) {
  if (metric === "min-qps") return "QPS limit";
  if (metric === "max-p99") return `${statistic} limit`;
  return statistic === "qps" ? "QPS" : statistic;
}
function pText(p) {
  if (p === null) return ABSENT;
  if (p < 1e-4) return "&lt; 0.0001";
  return p > 0.9999 ? "&gt; 0.9999" : p.toFixed(4);
}
function strikes({ comparison }) {
  const { disturbed } = comparison;
  if (disturbed === 0) return struckSlots(comparison);
  return `${struckSlots(comparison)}

${plural(disturbed, "round")} had others on our cores, both versions alike, and counted.`;
}
function struckSlots(comparison) {
  const entries = Object.entries(comparison.struck);
  const total2 = entries.reduce((sum, [, count]) => sum + count, 0);
  if (total2 === 0) return `No slot was struck.`;
  const share2 = percent(total2 / Math.max(1, comparison.slots));
  const rows = entries.sort((a, b) => b[1] - a[1]).map(([reason, count]) => [reason, STRIKE_LABEL[reason], decimal(count)]);
  return `${decimal(total2)} of ${plural(comparison.slots, "slot")} (${share2}) were struck:

${markdownTable([["reason", "meaning", "slots"], ...rows], { align: ["l", "l", "r"] })}`;
}
function times({ comparison }) {
  const { load, restart, warmUp, k6Start, pilot, total: total2, wall } = comparison.times;
  if (!(wall > 0)) return "";
  const rest = Math.max(0, total2 - load - restart - warmUp - k6Start);
  const outside = Math.max(0, wall - pilot - total2);
  const parts = [
    ["under load", load],
    ["warm-up", warmUp],
    ["restarts", restart],
    ["starting k6", k6Start],
    ["pilot", pilot],
    ["between slots and the rest of the blocks", rest],
    ["set-up, census, tear-down", outside]
  ];
  const rows = parts.filter(([, seconds]) => seconds > 0).map(([name, seconds]) => [name, duration(seconds), percent(Math.round(seconds / wall * 100) / 100)]);
  return `Where ${duration(wall)} went:

${markdownTable([["", "time", "share"], ...rows], { align: ["l", "r", "r"] })}`;
}
function yardstick({ comparison }) {
  if (comparison.yardstick === null) return "";
  const { medianMs, spread } = comparison.yardstick;
  return `Yardstick (a fixed piece of CPU work, timed in every block): median ${ms(medianMs)} ms, slowest ${percent(spread)} above fastest.`;
}
function notes({ comparison }) {
  const lowered = comparison.cells.filter((result) => result.statisticNote !== null);
  const lines = lowered.map(
    (result) => `- ${cellName(result, MARKDOWN)} is judged by ${result.statistic}: ${escapeMarkdown(result.statisticNote ?? "")}`
  );
  const waits = comparison.cells.flatMap((result) => ARMS.map((arm) => result.figures[arm]?.throttledPeriods ?? 0));
  const throttled = waits.reduce((sum, count) => sum + count, 0);
  if (throttled > 0)
    lines.push(
      `- A CPU quota stopped the service in ${plural(throttled, "period")}: its latencies show the quota, not only the code.`
    );
  const failing = comparison.cells.filter((result) => ARMS.some((arm) => (result.figures[arm]?.errors ?? 0) > 0));
  if (failing.length > 0)
    lines.push(`- Requests failed in ${list(failing.slice(0, 5).map((result) => cellName(result, MARKDOWN)))}.`);
  return lines.join("\n");
}
function damaged(lines) {
  if (lines.length === 0) return "";
  const shown = lines.slice(0, 20).map((line) => `- ${sentence(escapeMarkdown(line))}`);
  if (lines.length > shown.length) shown.push(`- ${lines.length - shown.length} more.`);
  return `${plural(lines.length, "line")} of samples.ndjson could not be used:

${shown.join("\n")}`;
}

// scripts/src/report/edits.ts
var ROWS_SHOWN = 20;
function editsTable({ edits = [] }) {
  if (edits.length === 0) return "";
  const title = `The change edits the configuration: judged by the base's (${plural(edits.length, "difference")})`;
  return fold(title, table(edits, ["base: this counts", "head"]));
}
function settingsTable({ comparison: { arms }, plan }) {
  const settings = differingSettings(plan);
  if (settings.length === 0) return "";
  const header = ARMS.map((arm) => `${arm}: ${escapeMarkdown(arms[arm].label)}`);
  return ["What differs between the two:", ...table(settings, header)].filter((text) => text !== "").join("\n\n");
}
function table(edits, header) {
  const rows = edits.slice(0, ROWS_SHOWN).map(({ key, base, head }) => [key, base ?? ABSENT, head ?? ABSENT].map(escapeMarkdown));
  const more = edits.length > ROWS_SHOWN ? `${edits.length - ROWS_SHOWN} more.` : "";
  return [markdownTable([["setting", ...header], ...rows]), more];
}
function editsSentence({ edits = [] }, ink) {
  return edits.length === 0 ? "" : `The head changes ${firstOf(edits, ink)} in its configuration: judged by the base's.`;
}
function settingsSentence({ comparison: { arms }, plan }, ink) {
  const settings = differingSettings(plan);
  if (settings.length === 0) return "";
  return `The base is ${ink.text(arms.base.label)}, the head ${ink.text(arms.head.label)}: ${firstOf(settings, ink)}.`;
}
function firstOf(edits, ink) {
  const shown = edits.slice(0, 2).map(({ key, base, head }) => `${ink.text(key)} (${ink.text(base ?? ABSENT)} → ${ink.text(head ?? ABSENT)})`);
  return `${shown.join(", ")}${edits.length > 2 ? ` and ${edits.length - 2} more` : ""}`;
}

// scripts/src/report/settle.ts
function roundsToDecide(test) {
  const { estimate } = test;
  if (estimate === null) return null;
  const line = Math.log(test.line);
  const middle = Math.log(estimate.ratio);
  const distance = Math.abs(middle - line);
  const towards = middle > line ? middle - Math.log(estimate.low) : Math.log(estimate.high) - middle;
  if (!(distance > 0) || !Number.isFinite(towards)) return Number.POSITIVE_INFINITY;
  return Math.max(FIRST_LOOK, estimate.n, Math.ceil(estimate.n * (towards / distance) ** 2));
}
function struckShare(struck, slots) {
  const sum = Object.values(struck).reduce((total2, count) => total2 + count, 0);
  return slots === 0 ? 0 : sum / slots;
}
var NOISY = 0.15;
function whatWouldSettle(result, comparison, plan) {
  const test = decidingTest(result.tests);
  if (test === null) return "";
  if (test.confirmation === "no-time") return "A larger budget would leave time to confirm it.";
  if (test.confirmation === "not-confirmed") {
    return "Another run, best on a quieter machine, would tell.";
  }
  if (comparison.stored !== void 0) return whatWouldSettleRecords(result, test);
  const cap = plan.config.measure.maxRounds;
  const noisy = struckShare(result.struck, result.slots) >= NOISY;
  if (test.estimate === null) {
    const had = `It has ${result.rounds} of the ${FIRST_LOOK} rounds that a verdict needs`;
    return noisy ? `${had}: a quieter machine would settle it.` : `${had}: ${moreTime(FIRST_LOOK - result.rounds, comparison, plan)}.`;
  }
  const needed = roundsToDecide(test) ?? Number.POSITIVE_INFINITY;
  if (needed <= cap) {
    return `About ${Math.max(1, needed - test.estimate.n)} more rounds should settle it: ${moreTime(needed - test.estimate.n, comparison, plan)}.`;
  }
  const far = needed > 10 * cap ? `more than ${decimal(10 * cap)}` : `about ${decimal(needed)}`;
  const beyond = `At this noise a verdict would take ${far} rounds, and ${cap} are the most that are made`;
  const wider = direction(test) === 1 ? "a wider max-qps-drop" : "a wider max-p99-rise";
  return `${beyond}: ${noisy ? "a quieter machine" : "a quieter machine, longer slots"} or ${wider} than ${percent(test.line - 1)} would settle it.`;
}
function moreTime(rounds, comparison, plan) {
  const perBlock = comparison.blocks === 0 ? 0 : comparison.times.total / comparison.blocks;
  if (!(perBlock > 0)) return "a larger budget would settle it";
  const seconds = Math.max(1, rounds) * perBlock;
  const budget = Math.ceil((plan.config.measure.budgetSeconds + seconds) / 60);
  const hint = comparison.stop?.reason === "budget" ? ` (\`budget: ${budget}m\`)` : "";
  return `some ${duration(Math.ceil(seconds / 10) * 10)} more${hint}`;
}
function whatWouldSettleRecords(result, { estimate, reasons: reasons2 }) {
  if (reasons2.some(({ code }) => code === "no-baseline")) return "";
  if (estimate === null) return `It has ${result.rounds} of ${RECORD_ROUNDS} rounds: a larger budget would settle it.`;
  const paired = "a run against the version itself (--base-ref) allows less";
  return estimate.n < 20 ? `More records than ${estimate.n} narrow this, and ${paired}.` : `A${paired.slice(1)}.`;
}

// scripts/src/report/sentences.ts
var share = (ratio) => ratio - 1;
function between(test, less, more) {
  if (test.estimate === null) return "";
  const low = share(test.estimate.low);
  const high = share(test.estimate.high);
  const side = (value) => value < 0 ? less : more;
  if (side(low) !== side(high)) return `between ${percentMeasured(low)} ${less} and ${percentMeasured(high)} ${more}`;
  const [near, far] = Math.abs(low) < Math.abs(high) ? [low, high] : [high, low];
  return `between ${percentMeasured(near)} and ${percentMeasured(far)} ${side(low)}`;
}
function finding(test, ink) {
  const { estimate, metric, statistic, limit } = test;
  if (estimate === null) return "has too few rounds for an estimate";
  const change = share(estimate.ratio);
  const by = percentMeasured(change);
  switch (metric) {
    case "qps":
    case "overall-qps": {
      const what = ink.strong(`${by} ${change < 0 ? "fewer" : "more"} requests per second`);
      return `${metric === "qps" ? "answers" : "answer"} ${what} (${between(test, "fewer", "more")})`;
    }
    case "latency": {
      const what = ink.strong(`${by} ${change < 0 ? "lower" : "higher"} ${statistic}`);
      return `has a ${what} (${between(test, "lower", "higher")})`;
    }
    case "min-qps": {
      const what = ink.strong(`${qps(test.head)} requests per second where ${qps(limit)} is the least allowed`);
      return `answers ${what} (${between(test, "below", "above")} the limit)`;
    }
    case "max-p99": {
      const what = ink.strong(`a ${statistic} of ${ms(test.head)} ms where ${ms(limit)} ms is the most allowed`);
      return `has ${what} (${between(test, "below", "above")} the limit)`;
    }
    default:
      return assertNever(metric);
  }
}
function confirmed(tests) {
  const phrases = [...new Set(tests.map((test) => confirmationPhrase(test.confirmation)))].filter(
    (text) => text !== ""
  );
  return phrases.length === 0 ? "" : `, ${list(phrases)}`;
}
function badCell(result, comparison, ink) {
  const red = result.tests.filter((test) => test.verdict === "regression");
  const found = red.length > 0 ? list(red.map((test) => finding(test, ink))) + confirmed(red) : "does not work";
  const reasons2 = red.length > 0 ? [] : result.reasons.map((reason) => sentence(ink.text(reason.text)));
  const own = comparison.census.filter((difference) => difference.scenario === result.cell.scenario);
  return [`${cellName(result, ink)} ${found}.`, ...reasons2, explainCensus(own, ink)].filter((text) => text !== "").join(" ");
}
function cellSentence(result, input, ink) {
  const { verdict } = result;
  if (verdict === "regression" || verdict === "error") return badCell(result, input.comparison, ink);
  return verdict === "inconclusive" ? undecidedCell(result, input, ink) : "";
}
function overallSentence(comparison, ink) {
  const { overall } = comparison;
  if (overall === null) return "";
  const subject = `All ${unit(comparison)}s together`;
  if (overall.estimate === null) return `${subject} had too few complete rounds for an estimate.`;
  const closing = overallClosing(overall, `the allowed ${percent(share(overall.line))}`);
  return `${subject} ${finding(overall, ink)}: ${closing}${confirmed([overall])}.`;
}
function overallDecides({ overall }) {
  return overall !== null && (overall.verdict === "regression" || overall.confirmation !== null);
}
function overallClosing({ verdict, confirmation }, allowed) {
  if (verdict === "pass") return `within ${allowed}`;
  if (verdict === "regression" || confirmation !== null) return `more than ${allowed}`;
  return `undecided against ${allowed}, which holds nothing back`;
}
var SENTENCES = 5;
function decidingLines(input, ink) {
  const { comparison } = input;
  switch (comparison.verdict) {
    case "pass":
      return [passLine(input, ink)];
    case "regression":
      return redLines(input, ink);
    case "error":
      return some(worstFirst(cellsOf(comparison, "error")), comparison, ink);
    case "inconclusive":
      return undecidedLines(input, ink);
    default:
      return assertNever(comparison.verdict);
  }
}
function passLine({ comparison, census }, ink) {
  const [tightest] = comparison.cells.flatMap((result) => result.tests.map((test) => ({ result, test, room: worstRoom(test) }))).filter((entry) => entry.room !== null && !isLimit(entry.test)).sort((a, b) => (a.room ?? 0) - (b.room ?? 0));
  const parts = [storedSentence(comparison, ink)].filter((text) => text !== "");
  if (tightest?.test.estimate) {
    const { test, result } = tightest;
    const { ratio, low, high } = tightest.test.estimate;
    const name = test.metric === "qps" ? "QPS" : test.statistic;
    const range = `between ${signedPercent(share(low))} and ${signedPercent(share(high))}`;
    parts.push(
      `Tightest: ${cellName(result, ink)}, ${name} ${ink.strong(signedPercent(share(ratio)))} (${range}; allowed ${margin(share(test.line))}).`
    );
  }
  if (comparison.sameSource) parts.push("Both arms are the same source: any difference is noise.");
  parts.push(...censusLines(comparison, null, ink));
  if (census !== null && comparison.census.length === 0) parts.push("Same work per request.");
  parts.push(`${roundsPhrase(comparison)}, ${duration(comparison.times.wall)}.`);
  return parts.join(" ");
}
function roundsPhrase(comparison) {
  const rounds = judged(comparison).map((result) => result.rounds);
  if (rounds.length === 0) return "0 rounds";
  const [least, most] = [Math.min(...rounds), Math.max(...rounds)];
  return least === most ? plural(most, "round") : `${least} to ${plural(most, "round")}`;
}
function censusLines(comparison, except, ink) {
  const scenarios = /* @__PURE__ */ new Map();
  for (const difference of comparison.census) {
    if (isClear(difference))
      scenarios.set(difference.scenario, [...scenarios.get(difference.scenario) ?? [], difference]);
  }
  const told = except === null ? "" : explainCensus(scenarios.get(except) ?? [], ink);
  const groups = /* @__PURE__ */ new Map();
  for (const [scenario, differences] of scenarios) {
    if (scenario === except) continue;
    const text = explainCensus(differences, ink);
    groups.set(text, [...groups.get(text) ?? [], `“${ink.text(scenario)}”`]);
  }
  return [...groups].slice(0, SENTENCES).map(([text, names]) => {
    const shown = names.length > SENTENCES ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
    if (text === told) return `The same holds for ${list(shown)}.`;
    return `${list(shown)}: ${text.replace(/^It/, names.length === 1 ? "it" : "each")}`;
  });
}
function redLines(input, ink) {
  const { comparison } = input;
  const [worst] = worstFirst(cellsOf(comparison, "regression", "error"));
  const census = censusLines(comparison, worst?.cell.scenario ?? null, ink);
  const lines = [];
  if (worst !== void 0) {
    const same = census[0]?.startsWith("The same") ? census.splice(0, 1) : [];
    lines.push([badCell(worst, comparison, ink), ...same].join(" "));
  }
  if (overallDecides(comparison)) lines.push(overallSentence(comparison, ink));
  lines.push(...census);
  if (comparison.sameSource) {
    lines.push("Both arms are the same source: this difference is not in the code. Look at the conditions below.");
  }
  lines.push(...[storedSentence(comparison, ink)].filter((text) => text !== ""));
  const open = worstFirst(cellsOf(comparison, "inconclusive")).slice(0, 2);
  return [...lines, ...open.map((result) => undecidedCell(result, input, ink)), ...noiseLines(comparison)];
}
function some(cells, comparison, ink) {
  const lines = cells.slice(0, SENTENCES).map((result) => badCell(result, comparison, ink));
  const more = cells.length - SENTENCES;
  return more > 0 ? [...lines, `${more} more: see the table.`] : lines;
}
function undecidedLines(input, ink) {
  const { comparison, plan } = input;
  const told = comparison.blocks === 0 ? 1 : 0;
  const lines = ownReasons(comparison).slice(told).map((reason) => sentence(ink.text(reason.text)));
  if (overallDecides(comparison)) lines.push(overallSentence(comparison, ink));
  const all = worstFirst(cellsOf(comparison, "inconclusive"));
  lines.push(...withoutBaseline(all, ink), ...[storedSentence(comparison, ink)].filter((text) => text !== ""));
  const open = all.filter((result) => noBaseline(result).length === 0);
  const early = open.filter(
    (result) => result.reasons.length === 0 && result.tests.every((test) => test.estimate === null)
  );
  if (early.length > 1 && comparison.blocks > 0) {
    const most = Math.max(...early.map((result) => result.rounds));
    const time = moreTime(FIRST_LOOK - most, comparison, plan);
    lines.push(
      `${plural(early.length, unit(comparison))} ${early.length === open.length ? "" : "also "}had at most ${plural(most, "round")}, and no verdict is possible before ${FIRST_LOOK}: that takes ${time}.`
    );
  }
  const single = early.length > 1 || comparison.blocks === 0 ? open.filter((result) => !early.includes(result)) : open;
  lines.push(...single.slice(0, SENTENCES).map((result) => undecidedCell(result, input, ink)));
  if (single.length > SENTENCES) lines.push(`${single.length - SENTENCES} more are undecided: see the table.`);
  lines.push(...noiseLines(comparison), ...censusLines(comparison, null, ink));
  return [...new Set(lines)];
}
function undecidedCell(result, { comparison, plan }, ink) {
  const test = decidingTest(result.tests);
  const reasons2 = furtherReasons(result, test).map((reason) => sentence(ink.text(reason.text)));
  const parts = [whatFits(result, test, ink), ...new Set(reasons2), whatWouldSettle(result, comparison, plan)];
  return parts.filter((text) => text !== "").join(" ");
}
function whatFits(result, test, ink) {
  const name = cellName(result, ink);
  if (!test?.estimate) return `${name} is undecided.`;
  const { low, high } = test.estimate;
  const what = test.statistic === "qps" ? "QPS" : test.statistic;
  const range = ink.strong(`${signedPercent(share(low))} to ${signedPercent(share(high))}`);
  const line = test.limit === null ? `allowed ${margin(share(test.line))}` : "from its absolute limit";
  if (test.confirmation === null || test.confirmation === "confirmed") {
    return `${name} is undecided: the data fit any ${what} change from ${range} (${line}).`;
  }
  return `${name} looked worse than allowed (${what} ${range}; ${line}), but ${unconfirmed(test.confirmation)}.`;
}
function unconfirmed(confirmation) {
  return confirmation === "no-time" ? confirmationPhrase(confirmation) : "fresh replicas did not show it again";
}
function noiseLines(comparison) {
  const lines = [];
  const [first] = Object.entries(comparison.struck).sort((a, b) => b[1] - a[1]);
  if (first !== void 0 && struckShare(comparison.struck, comparison.slots) >= NOISY) {
    const [reason, count] = first;
    lines.push(
      `In ${decimal(count)} of ${plural(comparison.slots, "slot")} ${STRIKE_LABEL[reason]}: these count for nothing and were measured again where time allowed.`
    );
  }
  const rounds = comparison.slots / 2;
  if (comparison.disturbed >= NOISY * rounds && comparison.disturbed > 0) {
    lines.push(
      `In ${plural(comparison.disturbed, "round")} something else used our cores: both versions alike, as they take turns, but the figures scatter more and the speeds shown are lower than on a quiet machine.`
    );
  }
  return lines;
}

// scripts/src/report/terminal.ts
var SIGN = { error: "!", regression: "✗", inconclusive: "?", pass: "✓", note: "·" };
var ROWS_SHOWN2 = 16;
function renderTerminal(input, { colour, width }) {
  const { comparison, environment } = input;
  const paint = import_picocolors.default.createColors(colour);
  const ink = { text: oneLine, strong: (safe) => paint.bold(safe) };
  const { verdict, word, rest } = headline(comparison);
  const lines = [...wrap(`${verdictPaint(paint, verdict)(paint.bold(word))}: ${rest}`, width, ""), ""];
  for (const line of decidingLines(input, ink)) lines.push(...wrap(line, width, "  "));
  if (lines.at(-1) !== "") lines.push("");
  const rows = worstFirst(comparison.cells);
  const passing = rows.filter((result) => result.verdict === "pass");
  const notable = rows.length - passing.length;
  const shown = [...rows.slice(0, notable), ...passing.slice(0, Math.max(0, ROWS_SHOWN2 - notable))];
  const measured = comparison.stored === void 0;
  if (shown.length > 0) lines.push(...table2(shown, width, paint, measured));
  const hidden = rows.length - shown.length;
  if (hidden > 0) lines.push(`  ${hidden} more within what is allowed`);
  if (shown.length > 0) lines.push("");
  lines.push(...sinceLines(comparison, shown, width, ink));
  const overall = overallDecides(comparison) ? "" : overallSentence(comparison, ink);
  if (overall !== "") lines.push(...wrap(overall, width, "  "));
  const allowed = allowedPhrase(comparison);
  const from = comparison.stored === void 0 ? "" : " The first figure is what the records lead to expect here.";
  if (allowed !== "") lines.push(...wrap(`Allowed: ${allowed}. "Between" is what the data allow.${from}`, width, "  "));
  const warnings = (environment?.warnings ?? []).map((warning) => sentence(oneLine(warning)));
  for (const note of [settingsSentence(input, ink), editsSentence(comparison, ink), ...warnings]) {
    if (note !== "") lines.push(...wrap(`${paint.yellow("note:")} ${note}`, width, "  "));
  }
  lines.push(...wrap("Full report: report.html, report.md, results.csv in the work directory.", width, "  "));
  return `${lines.join("\n")}
`;
}
function sinceLines(comparison, rows, width, ink) {
  const label = sinceLabel(comparison);
  if (label === null) return [];
  const lines = rows.flatMap((result) => {
    const { since, statistic } = result;
    if (since == null) return [];
    const latency = since.latency === null ? "" : `, ${statistic} ${sinceText(since.latency)}`;
    const name = `${oneLine(result.cell.scenario)} at ${loadLabel(result)}`;
    return wrap(`${name}: QPS ${sinceText(since.qps)}${latency}`, width, "    ");
  });
  if (lines.length === 0) return [];
  const what = besideSentence(comparison, ink) || `Since ${ink.text(label)}, measured here, not judged:`;
  return [...wrap(what, width, "  "), ...lines, ""];
}
function verdictPaint(paint, verdict) {
  return statePaint(paint, stateOf(verdict));
}
function statePaint(paint, state) {
  switch (state) {
    case "error":
    case "regression":
      return paint.red;
    case "inconclusive":
      return paint.yellow;
    case "pass":
      return paint.green;
    case "note":
      return paint.dim;
  }
}
function table2(rows, width, paint, measured) {
  const statistics = new Set(rows.map((result) => result.statistic));
  const mixed = statistics.size > 1;
  const names = rows.map((result) => oneLine(result.cell.scenario));
  const loads = { title: "load", right: true, cells: rows.map(loadLabel) };
  const of = (metric2) => rows.map((result) => figures(result, metric2, mixed, measured));
  const [throughput, latency] = [of("qps"), of("latency")];
  const signs = rows.map((result) => {
    const state = stateOf(result.verdict);
    return statePaint(paint, state)(SIGN[state]);
  });
  const room = (columns2) => width - 2 - total(columns2) - 2 * columns2.length;
  const wide = [
    loads,
    ...columns("QPS", throughput),
    ...columns(mixed ? "latency ms" : `${[...statistics][0]} ms`, latency)
  ];
  const longest = Math.max(...names.map(textWidth));
  const space = room(wide);
  if (space >= Math.min(24, longest)) {
    const first2 = { title: "scenario", right: false, cells: names.map((name) => cut(name, space)) };
    return lay([first2, ...wide], signs, paint, rows);
  }
  const metric = {
    title: "",
    right: false,
    cells: rows.flatMap((result) => ["QPS", `${result.statistic} ms`])
  };
  const both = rows.flatMap((_, row) => [throughput[row] ?? [], latency[row] ?? []]);
  const stacked = [
    { ...loads, cells: loads.cells.flatMap((load) => [load, ""]) },
    metric,
    ...columns(measured ? "base → head" : "expected → head", both)
  ];
  const left = Math.max(8, room(stacked));
  const first = { title: "scenario", right: false, cells: names.flatMap((name) => [cut(name, left), ""]) };
  const twice = signs.flatMap((sign) => [sign, " "]);
  return lay(
    [first, ...stacked],
    twice,
    paint,
    rows.flatMap((result) => [result, result])
  );
}
function figures(result, metric, mixed, measured) {
  const test = testOf(result, metric);
  const { base, head } = result.figures;
  const format = metric === "qps" ? qps : ms;
  const value = (arm) => metric === "qps" ? arm?.qps : arm?.latencyMs[result.statistic];
  const from = test?.base ?? (measured ? value(base) : null);
  const to = test?.head ?? value(head);
  const prefix = metric === "latency" && mixed ? `${result.statistic} ` : "";
  const pair = from == null && to == null ? ABSENT : `${prefix}${format(from)} → ${format(to)}`;
  if (test === null) return [pair, ABSENT, result.tests.length === 0 ? "not judged" : "not gated"];
  if (test.estimate === null) return [pair, ABSENT, whyNoInterval(test)];
  const { ratio, low, high } = test.estimate;
  return [pair, `${signed(ratio - 1)}%`, `${signed(low - 1)} … ${signed(high - 1)}`];
}
function columns(title, rows) {
  return [title, "change", "between, %"].map((name, at) => ({
    title: name,
    right: true,
    cells: rows.map((row) => row[at] ?? "")
  }));
}
var widthOf = (column) => Math.max(textWidth(column.title), ...column.cells.map(textWidth));
var total = (list2) => list2.reduce((sum, column) => sum + widthOf(column), 0);
function lay(list2, signs, paint, rows) {
  const widths = list2.map(widthOf);
  const row = (cells) => cells.map((cell, at) => pad(cell, widths[at] ?? 0, list2[at]?.right ?? false)).join("  ").trimEnd();
  const header = `  ${paint.dim(row(list2.map((column) => column.title)))}`;
  const body = signs.map((sign, at) => {
    const line = row(list2.map((column) => column.cells[at] ?? ""));
    return `${sign} ${rows[at]?.verdict === "regression" ? paint.bold(line) : line}`.trimEnd();
  });
  return [header, ...body];
}
var WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
var COLOUR = /\u001b\[\d+m/g;
var NARROW = /^[\u0020-\u007e\u00a0-\u02ff\u2010-\u2027\u2190-\u22ff]*$/;
function textWidth(text) {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const letter of text.replace(COLOUR, "")) width += WIDE.test(letter) ? 2 : new RegExp("\\p{M}", "u").test(letter) ? 0 : 1;
  return width;
}
function pad(text, width, right) {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return right ? space + text : text + space;
}
function cut(text, width) {
  if (textWidth(text) <= width) return text;
  let kept = "";
  for (const letter of text) {
    if (textWidth(kept + letter) + 1 > width) break;
    kept += letter;
  }
  return `${kept}…`;
}
function wrap(text, width, indent) {
  const room = Math.max(20, width - indent.length);
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && textWidth(line) + 1 + textWidth(word) > room) {
      lines.push(indent + line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    while (textWidth(line) > room) {
      const letters = [...line];
      lines.push(indent + letters.slice(0, room).join(""));
      line = letters.slice(room).join("");
    }
  }
  if (line !== "") lines.push(indent + line);
  return lines;
}

export {
  COUNTS,
  markdownTable,
  fold,
  detailParts,
  editsTable,
  settingsTable,
  cellSentence,
  overallSentence,
  overallDecides,
  decidingLines,
  roundsPhrase,
  renderTerminal,
  textWidth
};

import { markdownTable } from "markdown-table";
import { connectionOf } from "../core/arms.ts";
import {
  ARMS,
  type Arm,
  type CellResult,
  type Comparison,
  type PhpState,
  type Plan,
  type Reason,
  type StrikeReason,
} from "../core/model.ts";
import { COUNTS, countText } from "./census.ts";
import { escapeMarkdown, escapeNote, MARKDOWN, sentence } from "./escape.ts";
import { ABSENT, bytes, decimal, duration, list, ms, percent, plural, qps, significant } from "./format.ts";
import type { ReportInput } from "./input.ts";
import { ownReasons } from "./view.ts";
import { cellName, confirmationPhrase, loadLabel, STRIKE_LABEL } from "./words.ts";

/** A folded section. `summary` is HTML text already made safe; the blank lines let Markdown go on inside. */
export function fold(summary: string, body: readonly string[]): string {
  const inner = body.filter((block) => block !== "").join("\n\n");
  return inner === "" ? "" : `<details><summary>${summary}</summary>\n\n${inner}\n\n</details>`;
}

/** A part of the report that stands or goes as a whole: no tag or table of it reaches into another. */
export interface Part {
  name: PartName;
  /** Markdown; foreign text in it is escaped. */
  text: string;
}

export type PartName =
  | "headline"
  | "sentences"
  | "notes"
  | "table"
  | "more rows"
  | "limits"
  | "warnings"
  | "edited configuration"
  | "settings"
  | "margins"
  | "work per request"
  | "all numbers"
  | "slowest requests"
  | "conditions"
  | "rounds and time"
  | "how to read this";

/** Everything below the fold, in the order in which people ask for it. */
export function detailParts(input: ReportInput): Part[] {
  return [
    { name: "work per request", text: fold("Per request: queries, connections, bytes", perRequest(input)) },
    {
      name: "all numbers",
      text: fold("All numbers: averages, percentiles, CPU, memory, errors", [allNumbers(input)]),
    },
    { name: "slowest requests", text: fold("Slowest requests, with their trace ids", [slowestRequests(input)]) },
    { name: "conditions", text: fold(conditionsTitle(input), conditions(input)) },
    { name: "rounds and time", text: fold("How it was measured: rounds, struck slots, time", measurement(input)) },
    {
      name: "how to read this",
      text: fold("How to read this", [HOW_TO_READ, aboutRecords(input.comparison)]),
    },
  ];
}

const HOW_TO_READ = [
  "- A **cell** is a scenario at one load level. Base and head are measured in turn, a few seconds each, on the same cores; one turn of both is a **round**.",
  "- **change** is head against base; **between** is the interval that the data allow. A cell is red when all of its interval is beyond the allowed line, green when all of it is within, undecided when the line runs through it.",
  "- **p99**: 99 of 100 requests were faster. At high load it mostly restates QPS.",
  "- A slot that something from outside disturbed is struck, by its cause and never by its result, and its round is measured again.",
  "- Counts per request have no noise: where a count is the same in every repeat, a difference is a fact.",
].join("\n");

const HOW_TO_READ_STORED = [
  "- The base is what **records** of earlier runs lead to expect. Each record, and this run, measured a commit in turn with the same frozen version, the anchor, so that most of the machine cancels; **expected** is the mean of the records times what the anchor reached here.",
  "- Jobs of the same code still differ. That spread, from the records and from what is expected of any (`baseline.noise`), is in the interval, and more rounds would not make it smaller: more records do.",
  "- **since** is the head against the anchor in this run alone, with a 95% interval over its rounds; it is shown, not judged. In the tables below, base is the anchor.",
].join("\n");

const HOW_TO_READ_BESIDE =
  "- **since** puts two ratios together: head against base, from this run, and what the base's branch stands at in its records since their last step, each a commit measured in turn with the same frozen version. The interval, of 95%, holds the rounds here and the spread between jobs; it is shown, not judged.";

function aboutRecords({ stored, beside }: Comparison): string {
  if (stored !== undefined) return HOW_TO_READ_STORED;
  return beside === undefined ? "" : HOW_TO_READ_BESIDE;
}

// ---------------------------------------------------------------- per request

function perRequest({ comparison, census, plan }: ReportInput): string[] {
  if (census === null) return ["The census was not taken."];
  const counts = COUNTS.filter((count) =>
    census.scenarios.some((entry) => ARMS.some((arm) => entry.arms[arm].counts[count])),
  );
  const changed = new Set(comparison.census.map((difference) => `${difference.count} ${difference.scenario}`));
  const exceeded = new Set(
    comparison.census.filter((entry) => entry.exceeded).map((entry) => `${entry.count} ${entry.scenario}`),
  );
  const title = {
    sqlStatements: "SQL statements",
    dbConnections: "new MySQL connections",
    redisCommands: "Redis commands",
    responseBytes: "bytes",
  };
  const header = ["scenario", "status", ...counts.map((count) => title[count]), "CPU ms"];
  // The last cell of a scenario is its highest level.
  const last = new Map(comparison.cells.map((result) => [result.cell.scenario, result]));
  const rows = census.scenarios.map(({ scenario, arms }) => {
    const status = (arm: Arm) =>
      arms[arm].statuses.map((code) => (code === 0 ? "no answer" : String(code))).join(", ") || ABSENT;
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
  const ofMixes = plan.config.scenarios.some(({ work }) => work.kind === "mix")
    ? " Of a mix every request was counted by itself; its row is their mean by weight."
    : "";
  const align = ["l", "l", ...counts.map(() => "r" as const), "r"];
  return [markdownTable([header, ...rows], { align }), `${note}${ofMixes}`];
}

function cpuOf(result: CellResult | undefined): string {
  const value = (arm: Arm) => result?.figures[arm]?.cpuMsPerRequest;
  return value("base") == null && value("head") == null ? ABSENT : `${ms(value("base"))} → ${ms(value("head"))}`;
}

// ---------------------------------------------------------------- all numbers

function allNumbers({ comparison, plan, environment }: ReportInput): string {
  const { target } = plan.layout;
  const resources = target.length === 0 ? ABSENT : `${plural(target.length, "core")}`;
  const runtime: Record<Arm, string> = {
    base: runtimeOf(environment?.php.base),
    head: runtimeOf(environment?.php.head),
  };
  const header = [
    "scenario", "load", "connection", "arm", "QPS", "avg", "p50", "p90", "p95", "p99", "max",
    "CPU peak", "CPU ms/request", "memory", "requests", "errors", "resources", "runtime",
  ]; // biome-ignore format: one table header
  const rows = comparison.cells.flatMap((result) =>
    ARMS.map((arm) => {
      const figures = result.figures[arm];
      const latency = figures?.latencyMs;
      const failures = figures === null ? ABSENT : failureText(figures.errors, figures.failedChecks);
      return [
        escapeMarkdown(result.cell.scenario),
        loadLabel(result),
        connectionOf(plan, result, arm),
        arm,
        qps(figures?.qps),
        ...[latency?.avg, latency?.p50, latency?.p90, latency?.p95, latency?.p99, figures?.maxMs].map(ms),
        significant(figures?.cpuPeakCores),
        ms(figures?.cpuMsPerRequest),
        bytes(figures?.memoryBytes),
        decimal(figures?.requests),
        failures,
        resources,
        runtime[arm],
      ];
    }),
  );
  const align = header.map((title) => (/^(scenario|connection|arm|resources|runtime)$/.test(title) ? "l" : "r"));
  const note =
    "Medians over the clean slots; max is the largest of all of them, requests and errors are sums. Latencies in ms, CPU peak in cores over 1 s.";
  return rows.length === 0 ? "" : `${markdownTable([header, ...rows], { align, alignDelimiters: false })}\n\n${note}`;
}

function failureText(errors: number, failedChecks: number): string {
  return failedChecks > 0 ? `${decimal(errors)} + ${decimal(failedChecks)} failed checks` : decimal(errors);
}

/** "PHP 8.4.11 FPM static 8, OPcache on, JIT off", escaped. */
function runtimeOf(php: PhpState | null | undefined): string {
  if (php == null) return ABSENT;
  const jit = php.jit === "disable" || php.jit === "off" ? "off" : escapeMarkdown(php.jit);
  const xdebug = php.xdebug ? ", Xdebug on" : "";
  return `PHP ${escapeMarkdown(php.version)} ${escapeMarkdown(php.processManager)} ${php.workers}, OPcache ${php.opcache ? "on" : "off"}, JIT ${jit}${xdebug}`;
}

// ---------------------------------------------------------------- slowest requests

/** "" where nothing was traced. */
function slowestRequests({ comparison }: ReportInput): string {
  const rows = comparison.cells.flatMap((result) =>
    ARMS.flatMap((arm) =>
      (result.slowest?.[arm] ?? []).map((slow) => [
        escapeMarkdown(result.cell.scenario),
        loadLabel(result),
        arm,
        ms(slow.ms),
        escapeMarkdown(slow.traceId),
        decimal(slow.block),
      ]),
    ),
  );
  if (rows.length === 0) return "";
  const header = ["scenario", "load", "arm", "ms", "trace id", "block"];
  const note =
    "Over all clean rounds; blocks as in samples.ndjson, from 0. Of a flow it is a whole iteration: its requests are one trace.";
  return `${markdownTable([header, ...rows], { align: ["l", "r", "l", "r", "l", "r"] })}\n\n${note}`;
}

// ---------------------------------------------------------------- conditions

function conditionsTitle({ environment, plan }: ReportInput): string {
  if (environment === null) return "Conditions";
  const { machine, tools, php } = environment;
  const parts = [`${machine.logicalCpus} × ${escapeMarkdown(machine.cpuModel)}`];
  const runtime = runtimeOf(php.head ?? php.base);
  if (runtime !== ABSENT) parts.push(runtime);
  if (tools["mysql"] !== undefined) parts.push(`MySQL ${escapeMarkdown(tools["mysql"])}`);
  if (tools["k6"] !== undefined) parts.push(`k6 ${escapeMarkdown(tools["k6"])}`);
  return `Conditions: ${parts.join(", ")}${plan.layout.isolated ? "" : ", k6 shares cores with the service"}`;
}

function conditions({ comparison, plan, environment }: ReportInput): string[] {
  const arms = ARMS.map((arm) => {
    const { label, commit } = comparison.arms[arm];
    const php = environment?.php[arm];
    const extensions =
      php == null || php.extensions.length === 0 ? ABSENT : php.extensions.map(escapeMarkdown).join(", ");
    return [
      arm,
      escapeMarkdown(label),
      commit === null ? ABSENT : escapeMarkdown(commit.slice(0, 12)),
      runtimeOf(php),
      php == null ? ABSENT : bytes(php.jitBufferBytes),
      extensions,
    ];
  });
  const header = ["arm", "source", "commit", "runtime", "JIT buffer", "extensions"];
  const blocks = [markdownTable([header, ...arms])];
  if (comparison.sameSource) blocks.push("Both arms are the same source: an A/A run.");
  const facts: [string, string][] = [];
  if (environment !== null) {
    const { machine, tools } = environment;
    facts.push(
      [
        "machine",
        `${machine.logicalCpus} logical CPUs on ${plural(machine.physicalCores, "core")}, ${escapeMarkdown(machine.cpuModel)}, ${bytes(machine.memoryBytes)}`,
      ],
      ["system", `${escapeMarkdown(machine.os)}, kernel ${escapeMarkdown(machine.kernel)}, cgroup ${machine.cgroup}`],
      [
        "tools",
        Object.entries(tools)
          .map(([tool, version]) => `${escapeMarkdown(tool)} ${escapeMarkdown(version)}`)
          .join(", "),
      ],
      ["started", escapeMarkdown(environment.startedAt)],
    );
  }
  facts.push(
    ["layout", escapeMarkdown(plan.layout.note)],
    ["driver", plan.driver],
    ...storedFacts(comparison, plan),
    ["plan", escapeMarkdown(plan.id.slice(0, 12))],
    ["seed", String(plan.seed)],
  );
  blocks.push(markdownTable([["", ""], ...facts]));
  return blocks;
}

/** The records that stand for the base or beside it, or why they do not. */
function storedFacts({ stored, beside }: Comparison, plan: Plan): [string, string][] {
  const { insteadOfRecords: why } = plan;
  if (why !== undefined) return [["base", `measured in place of records: ${escapeMarkdown(why)}`]];
  if (plan.beside?.unread !== undefined) return [["records", `not shown: ${escapeNote(plan.beside.unread)}`]];
  const shown = stored ?? beside;
  if (shown === undefined) return [];
  const { anchor, store, branch, records } = shown;
  const commits = records
    .slice(0, 5)
    .map(({ commit, recordedAt }) => `${commit.slice(0, 7)} of ${recordedAt.slice(0, 10)}`);
  const more = records.length > commits.length ? ` and ${records.length - commits.length} more` : "";
  return [
    ["anchor", escapeMarkdown(`${anchor.label} (${anchor.id.replace(/^sha256:/, "").slice(0, 12)})`)],
    [
      "records",
      escapeMarkdown(
        `${records.length} of ${branch} in ${store}${records.length > 0 ? `: ${commits.join(", ")}${more}` : ""}`,
      ),
    ],
  ];
}

// ---------------------------------------------------------------- how it was measured

function measurement(input: ReportInput): string[] {
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
    damaged(comparison.damaged),
  ];
}

function stopSentence({ comparison }: ReportInput): string {
  const { stop } = comparison;
  if (stop === null) return "The record of the run has no end: it was cut off, or it is still going on.";
  const why: Record<typeof stop.reason, string> = {
    decided: "Measuring stopped because everything was decided",
    cap: `Measuring stopped at the ${comparison.stored === undefined ? "largest number of rounds" : "rounds that a record has"}`,
    budget: "Measuring stopped because the budget was spent",
    interrupted: "Measuring was interrupted",
    failed: "Measuring failed",
  };
  const detail = stop.detail === null ? "" : ` (${escapeMarkdown(stop.detail)})`;
  return `${why[stop.reason]}${detail}, after ${plural(comparison.blocks, "block")} and ${plural(comparison.slots, "slot")}.`;
}

function reasons(list: readonly Reason[]): string {
  return list.map((reason) => `- ${sentence(escapeMarkdown(reason.text))}`).join("\n");
}

function roundsTable({ comparison }: ReportInput): string {
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
      [...confirmations].filter((text) => text !== "").join(", ") || ABSENT,
    ];
  });
  if (rows.length === 0) return "";
  const note = "p is the chance of data this bad if the change sat on the allowed line: small is red, near 1 is green.";
  return `${markdownTable([header, ...rows], { align: ["l", "r", "r", "r", "r", "l", "l"] })}\n\n${note}`;
}

/** What each cell's verdict has to add, as a list. */
function cellReasons({ comparison }: ReportInput): string {
  const lines = comparison.cells.flatMap((result) => {
    const texts = [...result.reasons, ...result.tests.flatMap((test) => test.reasons)];
    const own = new Set(texts.map((reason) => sentence(escapeMarkdown(reason.text))));
    return own.size === 0 ? [] : [`- ${cellName(result, MARKDOWN)}: ${[...own].join(" ")}`];
  });
  return lines.join("\n");
}

function labelOf(metric: string, statistic: string): string {
  if (metric === "min-qps") return "QPS limit";
  if (metric === "max-p99") return `${statistic} limit`;
  return statistic === "qps" ? "QPS" : statistic;
}

function pText(p: number | null): string {
  if (p === null) return ABSENT;
  if (p < 0.0001) return "&lt; 0.0001";
  return p > 0.9999 ? "&gt; 0.9999" : p.toFixed(4);
}

function strikes({ comparison }: ReportInput): string {
  const { disturbed } = comparison;
  if (disturbed === 0) return struckSlots(comparison);
  return `${struckSlots(comparison)}\n\n${plural(disturbed, "round")} had others on our cores, both versions alike, and counted.`;
}

function struckSlots(comparison: Comparison): string {
  const entries = Object.entries(comparison.struck) as [StrikeReason, number][];
  const total = entries.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return `No slot was struck.`;
  const share = percent(total / Math.max(1, comparison.slots));
  const rows = entries
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => [reason, STRIKE_LABEL[reason], decimal(count)]);
  return `${decimal(total)} of ${plural(comparison.slots, "slot")} (${share}) were struck:\n\n${markdownTable([["reason", "meaning", "slots"], ...rows], { align: ["l", "l", "r"] })}`;
}

function times({ comparison }: ReportInput): string {
  const { load, restart, warmUp, k6Start, pilot, total, wall } = comparison.times;
  if (!(wall > 0)) return "";
  const rest = Math.max(0, total - load - restart - warmUp - k6Start);
  const outside = Math.max(0, wall - pilot - total);
  const parts: [string, number][] = [
    ["under load", load],
    ["warm-up", warmUp],
    ["restarts", restart],
    ["starting k6", k6Start],
    ["pilot", pilot],
    ["between slots and the rest of the blocks", rest],
    ["set-up, census, tear-down", outside],
  ];
  const rows = parts
    .filter(([, seconds]) => seconds > 0)
    .map(([name, seconds]) => [name, duration(seconds), percent(Math.round((seconds / wall) * 100) / 100)]);
  return `Where ${duration(wall)} went:\n\n${markdownTable([["", "time", "share"], ...rows], { align: ["l", "r", "r"] })}`;
}

function yardstick({ comparison }: ReportInput): string {
  if (comparison.yardstick === null) return "";
  const { medianMs, spread } = comparison.yardstick;
  return `Yardstick (a fixed piece of CPU work, timed in every block): median ${ms(medianMs)} ms, slowest ${percent(spread)} above fastest.`;
}

function notes({ comparison }: ReportInput): string {
  const lowered = comparison.cells.filter((result) => result.statisticNote !== null);
  const lines = lowered.map(
    (result) =>
      `- ${cellName(result, MARKDOWN)} is judged by ${result.statistic}: ${escapeMarkdown(result.statisticNote ?? "")}`,
  );
  const waits = comparison.cells.flatMap((result) => ARMS.map((arm) => result.figures[arm]?.throttledPeriods ?? 0));
  const throttled = waits.reduce((sum, count) => sum + count, 0);
  if (throttled > 0)
    lines.push(
      `- A CPU quota stopped the service in ${plural(throttled, "period")}: its latencies show the quota, not only the code.`,
    );
  const failing = comparison.cells.filter((result) => ARMS.some((arm) => (result.figures[arm]?.errors ?? 0) > 0));
  if (failing.length > 0)
    lines.push(`- Requests failed in ${list(failing.slice(0, 5).map((result) => cellName(result, MARKDOWN)))}.`);
  return lines.join("\n");
}

function damaged(lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const shown = lines.slice(0, 20).map((line) => `- ${sentence(escapeMarkdown(line))}`);
  if (lines.length > shown.length) shown.push(`- ${lines.length - shown.length} more.`);
  return `${plural(lines.length, "line")} of samples.ndjson could not be used:\n\n${shown.join("\n")}`;
}

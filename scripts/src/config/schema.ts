import type * as z from "zod";
import { parseCpuList } from "../core/layout.ts";
import { K6_OUTPUTS } from "../core/model.ts";
import { bytes, duration, flag, leaf, number, oneOf, percent, text, wordOr } from "./leaves.ts";
import { matrix } from "./matrix-schema.ts";
import { margins, scenarios } from "./scenario-schema.ts";
import { ALWAYS, isMapping, oneOrMany, printable, section } from "./shapes.ts";
import { target } from "./target-schema.ts";
import { checkVariants, variants } from "./variant-schema.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

interface CpuLists {
  generator: string;
  target: string;
  services: string;
}

function readIsolation(raw: unknown): "auto" | "off" | CpuLists | undefined {
  if (raw === "auto" || raw === "off") return raw;
  if (!isMapping(raw) || Object.keys(raw).length !== 3) return undefined;
  const [generator, target, services] = [raw["generator"], raw["target"], raw["services"]].map((value) =>
    typeof value === "number" ? String(value) : value,
  );
  if (typeof generator !== "string" || typeof target !== "string" || typeof services !== "string") return undefined;
  const [ours, theirs] = [parseCpuList(generator), parseCpuList(target)];
  if (!ours || !theirs || !parseCpuList(services)) return undefined;
  return ours.some((cpu) => theirs.includes(cpu)) ? undefined : { generator, target, services };
}

/** As git names branches: no option, range or pattern (git-check-ref-format). */
const isBranch = (value: string): boolean =>
  printable(250)(value) && !/^[-/.]|[\s~^:?*[\\]|\.\.|\/\/|@\{|[/.]$/.test(value);

const isStore = (value: string): boolean =>
  value.startsWith("git:") ? isBranch(value.slice("git:".length)) : printable(500)(value) && !value.startsWith("-");

/** The configuration file: kebab-case keys in, values with units parsed (ratios, ms), defaults filled in. */
export const fileSchema = section({
  target: target.prefault({}).describe("The application: how it is prepared, started and reached."),
  scenarios: scenarios
    .optional()
    .describe("What is asked of the application. Default: path / at 1 and 20 VUs, with keep-alive and without."),
  variants: variants
    .optional()
    .describe(
      "Named sets of settings of the application, to be compared with one another or with none: " +
        "`--base variant=NAME --head variant=NAME`. Each is merged over `target` and over every scenario.",
    ),
  matrix: matrix.optional().describe("Variants in a grid, for `perf-gate matrix FILE`: what each factor does."),
  gate: section({
    "max-qps-drop": margins["max-qps-drop"]
      .prefault("5%")
      .describe(
        "Throughput a scenario may lose. Red only when the drop is surely larger, green only when it is surely smaller.",
      ),
    "max-p99-rise": margins["max-p99-rise"]
      .prefault("20%")
      .describe("Rise of the 99th latency percentile that is allowed."),
    "max-overall-qps-drop": margins["max-overall-qps-drop"]
      .prefault("2%")
      .describe("Throughput that the median over all cells may lose: finds a small slowdown everywhere."),
    "min-qps": margins["min-qps"].optional().describe("Requests per second that the head has to reach in every cell."),
    "max-p99": margins["max-p99"]
      .optional()
      .describe("99th latency percentile that the head may not exceed in any cell."),
    "on-inconclusive": oneOf(["warn", "pass", "fail"])
      .prefault("warn")
      .describe("Where the data decide nothing: `warn` (green with a warning), `pass`, or `fail` (exit status 3)."),
    "max-added": section({
      "sql-statements": number({ min: 0, max: 1_000_000, whole: false, example: "0" })
        .optional()
        .describe("SQL statements."),
      "db-connections": number({ min: 0, max: 1_000_000, whole: false, example: "0" })
        .optional()
        .describe("New database connections."),
      "redis-commands": number({ min: 0, max: 1_000_000, whole: false, example: "0" })
        .optional()
        .describe("Redis commands."),
      "response-bytes": bytes({ min: 0, max: 1e9, example: "10kB" }).optional().describe("Bytes of the response."),
    })
      .prefault({})
      .describe("How much an exact count per request may grow. What is not named is shown, not gated."),
  })
    .prefault({})
    .describe("Margins and limits that decide the verdict."),
  budget: duration({ min: 30 * SECOND, max: 6 * 60 * MINUTE, example: "10m" })
    .prefault("10m")
    .describe("Wall time of a run. A fifth of it is kept for confirming a regression."),
  measure: section({
    slot: wordOr("auto", duration({ min: SECOND, max: MINUTE, example: "2s" }))
      .prefault("auto")
      .describe(
        "How long one version is under load at a time. `auto`: from a pilot run, 1s where that holds enough requests.",
      ),
    "warm-up": duration({ min: SECOND, max: 30 * SECOND, example: "1.5s" })
      .prefault("1.5s")
      .describe("Load after every restart of PHP that is not counted, per version."),
    rounds: number({ min: 6, max: 60, example: "20" })
      .prefault(20)
      .describe("Rounds after which a cell that is still undecided is inconclusive."),
    "max-error-rate": percent({ min: 0, max: 0.5, example: "0.5%" })
      .prefault("0.5%")
      .describe("Share of failed requests above which a slot is thrown away and measured again."),
    "max-foreign-cpu": wordOr("off", percent({ min: 0, max: 1, above: true, example: "5%" }))
      .prefault("5%")
      .describe(
        "CPU time that other programs take from one version more than from the other, in percent of one core, above which a slot is measured again.",
      ),
    isolation: leaf<"auto" | "off" | CpuLists>({
      allowed:
        'auto, off, or the CPU lists {generator: "1", target: "0", services: "0"} with generator and target apart',
      read: readIsolation,
      fix: () => "Write isolation: auto.",
      json: {
        anyOf: [
          { enum: ["auto", "off"] },
          {
            type: "object",
            properties: Object.fromEntries(
              [
                ["generator", "CPUs of k6, such as 2-3."],
                ["target", "CPUs of PHP and its web server."],
                ["services", "CPUs of MySQL and Redis."],
              ].map(([name, description]) => [name, { type: ["string", "integer"], description }]),
            ),
            required: ["generator", "target", "services"],
            additionalProperties: false,
          },
        ],
      },
    })
      .prefault("auto")
      .describe("Which CPUs belong to whom. `auto` keeps k6 and the application on physical cores of their own."),
    generator: oneOf(["auto", "container"])
      .prefault("auto")
      .describe(
        "Where k6 runs: `container` (one in the network of the versions), `auto` (on this host where it reaches them, else there). Containers only.",
      ),
    trace: flag()
      .prefault(false)
      .describe(
        "Whether every request carries a W3C `traceparent` header; the report lists the trace ids of the slowest.",
      ),
    outputs: oneOrMany(oneOf(K6_OUTPUTS), "outputs of k6", "[experimental-prometheus-rw]").optional().meta({
      oneOrMany: true,
      description:
        "Where k6 sends every sample of a slot too, tagged with arm, cell and round. K6_PROMETHEUS_RW_* in the environment set it up.",
    }),
  })
    .prefault({})
    .describe("How it is measured. The defaults are good for most applications."),
  baseline: section({
    store: text({
      allowed: "git: and the name of a branch, or the path of a folder or of a file that ends in .ndjson",
      accept: isStore,
      fix: "Write for example git:perf-gate-data.",
      json: { writtenExamples: ["git:perf-gate-data", "perf/history.ndjson"] },
    })
      .prefault("git:perf-gate-data")
      .describe("Where records of runs are kept: a branch of the repository, a file or a folder."),
    branch: text({
      allowed: "the name of a branch",
      accept: isBranch,
      fix: "Write for example main.",
      json: { writtenExamples: ["main"] },
    })
      .optional()
      .describe("Branch whose records are compared with. Default: the target branch of a pull request, else its own."),
    anchor: text({
      allowed: "reference, a tag or commit of the repository, or an image by its digest (name@sha256:...)",
      accept: (value) => printable(500)(value) && /^[^-\s]\S*$/.test(value),
      fix: "Write for example v1.4.0, a version that stays as it is.",
      json: { writtenExamples: ["v1.4.0", "reference"] },
    })
      .prefault("reference")
      .describe(
        "Frozen version that every recorded run measures along: records hold ratios to it. A release, or perf-gate's own reference application.",
      ),
    "max-qps-drop": margins["max-qps-drop"]
      .prefault("10%")
      .describe("Throughput a scenario may lose against the records; wider than in `gate`, as jobs differ."),
    "max-p99-rise": margins["max-p99-rise"]
      .prefault("30%")
      .describe("Rise of the 99th latency percentile against the records that is allowed."),
    noise: percent({ min: 0.001, max: 0.5, example: "3%" })
      .prefault("3%")
      .describe("How much runs of unchanged code are expected to differ; records narrow it."),
  })
    .prefault({})
    .describe("Records of earlier runs as a base: `--base stored`."),
}).superRefine((file, context) => {
  if (!isMapping(file)) return;
  checkVariants(file, (path, message, at) => context.addIssue({ code: "custom", path, message, params: { at } }));
}, ALWAYS);

/** What fileSchema gives. */
export type FileShape = z.output<typeof fileSchema>;

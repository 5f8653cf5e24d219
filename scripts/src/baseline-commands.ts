import { type Command, Option } from "commander";
import { InputError } from "./core/errors.ts";
import type { Answer, BaselineOptions, ExportFormat } from "./phases/baseline.ts";

type Options = BaselineOptions & { json?: boolean };

const IMPORT_HELP = `
A file is one of
  - records of perf-gate (.ndjson), as "export --format ndjson" writes them
  - the data file of github-action-benchmark: data.js, or its JSON
  - a summary of k6 (--summary-export); the file's name becomes the name of the cell

Figures of other programs have no anchor: list, show, diff and the trend show them as absolute ones, and no verdict
ever rests on them. Only throughputs (unit such as req/s) and p90, p95, p99 (unit of time) are taken.`;

/** The subcommands of `perf-gate baseline`: records that are there already. `perf-gate store` makes them. */
export function addBaseline(program: Command): void {
  const baseline = program
    .command("baseline")
    .description("the records that --base stored compares with: look at them, move them, remove old ones")
    .exitOverride();
  const add = (name: string, description: string) =>
    baseline
      .command(name)
      .description(description)
      .option("--store <name>", "git:BRANCH, git:BRANCH@URL, a file (.ndjson) or a folder (default: baseline.store)")
      .exitOverride();
  const reading = (name: string, description: string) =>
    add(name, description).option("--branch <name>", "only records of this branch");
  const json = ["--json", "print the result as JSON on stdout"] as const;

  reading("list", "the newest records")
    .option("--limit <n>", "at most this many", "20")
    .option(...json)
    .action(async (options: Options & { limit: string }) => {
      const { listBaseline } = await import("./phases/baseline.ts");
      print(await listBaseline(options, wholeNumber("--limit", options.limit)), options);
    });
  reading("show [record]", "one record, by the first digits of its commit or id (default: the newest)")
    .option(...json)
    .action(async (name: string | undefined, options: Options) => {
      const { showBaseline } = await import("./phases/baseline.ts");
      print(await showBaseline(options, name), options);
    });
  reading("diff <first> <second>", "what changed between two records, with intervals")
    .option(...json)
    .action(async (first: string, second: string, options: Options) => {
      const { diffBaseline } = await import("./phases/baseline.ts");
      print(await diffBaseline(options, [first, second]), options);
    });
  add("import <file>", "add the records of a file; figures of other programs too")
    .option("--branch <name>", "branch that the figures of another program are of")
    .option("--commit <sha>", "commit that a summary of k6 is of")
    .option("--at <time>", "when a summary of k6 was made (default: when its file was written)")
    .option(...json)
    .addHelpText("after", IMPORT_HELP)
    .action(async (file: string, options: Options & { commit?: string; at?: string }) => {
      const { importBaseline } = await import("./phases/baseline.ts");
      print(await importBaseline(options, file, options), options);
    });
  reading(
    "export [record]",
    "records on stdout; those of github-action-benchmark hold one: the newest, or the named one",
  )
    .addOption(
      new Option("--format <format>", "form of the output")
        .choices(["csv", "ndjson", "customBiggerIsBetter", "customSmallerIsBetter"] satisfies ExportFormat[])
        .default("csv"),
    )
    .action(async (name: string | undefined, options: Options & { format: ExportFormat }) => {
      const { exportBaseline } = await import("./phases/baseline.ts");
      process.stdout.write(await exportBaseline(options, options.format, name));
    });
  reading("prune", "remove old records")
    .option("--keep <n>", "all but the newest n of each branch")
    .option("--before <date>", "those recorded before this date, such as 2026-01-31")
    .option("--dry-run", "only say which")
    .option(...json)
    .action(async ({ keep, ...options }: Options & { keep?: string; before?: string; dryRun?: boolean }) => {
      const { pruneBaseline } = await import("./phases/baseline.ts");
      const newest = keep === undefined ? {} : { keep: wholeNumber("--keep", keep) };
      print(await pruneBaseline(options, { ...options, ...newest }), options);
    });
  add("verify", "read every record and name every damaged line; exit status 2 where there is one")
    .option(...json)
    .action(async (options: Options) => {
      const { verifyBaseline } = await import("./phases/baseline.ts");
      const answer = await verifyBaseline(options);
      print(answer, options);
      // As for any other input that cannot be used.
      if (answer.json.problems.length > 0) process.exitCode = 2;
    });
}

function print({ text, json }: Answer<unknown>, options: Options): void {
  process.stdout.write(`${options.json ? JSON.stringify(json, null, 2) : text}\n`);
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InputError(`${name}: allowed is a whole number from 1, got ${JSON.stringify(text)}`);
}

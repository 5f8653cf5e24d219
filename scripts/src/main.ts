import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, CommanderError, Option } from "commander";
import { addBaseline } from "./baseline-commands.ts";
import { InputError, MeasureError } from "./core/errors.ts";
import type { Comparison, DriverName } from "./core/model.ts";
import type { CapacityOptions } from "./phases/capacity.ts";
import type { NightlyOptions } from "./phases/github-nightly.ts";
import type { MatrixOptions } from "./phases/matrix.ts";
import type { PlanOptions } from "./phases/plan.ts";
import { createProgress, type Progress, quietProgress } from "./phases/progress.ts";
import type { StoreOptions } from "./phases/store.ts";
import { DEFAULT_WORK_DIRECTORY, WorkDirectory } from "./phases/work-directory.ts";

/** Exit statuses; also in the help and the README. */
const EXIT = { pass: 0, regression: 1, input: 2, inconclusive: 3, measure: 4 } as const;
/** 128 + the signal's number, as shells have it. */
const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143 } as const;

const EXIT_HELP = `
Exit status:
  0  pass, or inconclusive where that is allowed
  1  regression, or a head that does not work where the base does
  2  unusable input: a wrong option, configuration or work directory
  3  inconclusive, with on-inconclusive: fail
  4  could not measure: a program is missing, a service does not start
  130, 143  interrupted by Ctrl-C or SIGTERM; what was measured is kept and reported`;

const GITHUB_HELP = `
Environment, beside what GitHub itself sets:
  INPUT_<NAME>  an input of action.yml, such as INPUT_ACCEPT_LABEL; its default where it is not set
  GITHUB_TOKEN  report and gate read the label with it (pull-requests: read), comment takes
                contents: read, pull-requests: write, and actions: read for --run-id,
                nightly contents: write and issues: write`;

const MATRIX_HELP = `
The file is a configuration with a matrix, such as those of fixtures/presets:
  matrix:
    factors:
      connection:    # the first level is the reference
        short: { query: connection=short }
        persistent: { query: connection=persistent }`;

const driverOption = (description: string): Option =>
  new Option("--driver <name>", description).choices(["auto", "compose", "process", "url"]);

/** Repository root: k6/, fixtures/ and scripts/ are below it. */
const home = process.env["PERF_GATE_HOME"] ?? resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");

interface CommonOptions {
  workDirectory: string;
  json?: boolean;
}

type RunOptions = CommonOptions & PlanOptions;

/** Names the subcommands, turns errors into exit statuses. */
export async function main(version: string): Promise<void> {
  const program = new Command("perf-gate")
    .description(
      "Did this change make the PHP service slower? Measures two versions side by side, answers with intervals.",
    )
    .version(version, "-V, --version")
    .showHelpAfterError("(perf-gate --help lists the commands)")
    .addHelpText("after", EXIT_HELP)
    .exitOverride();

  const withWork = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option("-w, --work-directory <dir>", "where the run's files are kept", DEFAULT_WORK_DIRECTORY)
      .option("--json", "print the result as JSON on stdout")
      .exitOverride();
  const withArms = (command: Command) =>
    command
      .option(
        "--base <dir>",
        "tree of the version to compare with, an image (name@sha256:...), `variant=NAME` of the configuration, or `stored`: records of earlier runs",
      )
      .option(
        "--base-ref <ref>",
        "the same as a branch, tag or commit of the head's repository; with --base stored, where no record compares",
      )
      .option("--head <dir>", "tree, image or `variant=NAME` of the version to judge (default: the current directory)")
      .option(
        "-c, --config <file>",
        "configuration; the base's copy of it judges where there is one (default: perf-gate.yml)",
      )
      .addOption(driverOption("how the service is started: in containers, as processes, or it already runs"))
      .option("--budget <duration>", "most time to spend, e.g. 10m");

  withArms(withWork("run", "plan, measure, compare and report: the whole gate")).action(runCommand);
  withArms(withWork("plan", "write plan.json, and say what would be measured and how long it takes")).action(
    planCommand,
  );
  program
    .command("matrix <file>")
    .description("measure a grid of variants of one tree, and what each factor does: tables, not a verdict")
    .addHelpText("after", MATRIX_HELP)
    .option("-w, --work-directory <dir>", "where its files are kept", join(DEFAULT_WORK_DIRECTORY, "matrix"))
    .addOption(driverOption("how the service is started: in containers or as processes"))
    .option("--rounds <n>", "clean rounds of every cell at every point (default: the file's matrix.rounds)")
    .option("--dry-run", "say what would be measured and how long it takes, and stop")
    .option("--json", "print the result as JSON on stdout")
    .exitOverride()
    .action(matrixCommand);
  withWork("build", "build the images of the plan ahead of measure (driver compose)")
    .option("--bake-file <file>", "only write what is to be built, for docker buildx bake")
    .action(buildCommand);
  withWork("measure", "measure the planned cells; continues an interrupted run").action(measureCommand);
  withWork("compare", "decide from the samples: comparison.json").action(compareCommand);
  withWork("report", "report.md, report.html, results.csv and charts from the comparison").action(reportCommand);
  withWork("store", "add the record of a finished run with --base stored to the store")
    .option("--store <store>", "git:BRANCH, a file (.ndjson) or a folder (default: the configuration's baseline.store)")
    .option("--branch <name>", "branch that the commit is recorded for (default: the one that is checked out)")
    .option("--url <url>", "where the run can be looked at (default: the job's page)")
    .action(storeCommand);
  withWork("clean", "remove what killed runs left, and images built ahead; results stay").action(cleanCommand);
  addTrend(program);
  addCapacity(program);
  await addDemo(program);
  await addSetup(program);
  addBaseline(program);
  addGithub(program);

  try {
    if (process.argv.length <= 2) program.help({ error: false });
    await program.parseAsync();
  } catch (error) {
    process.exitCode = statusOf(error);
  }
}

/** Tells the error and returns the exit status it stands for. */
function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.pass : EXIT.input;
  if (error instanceof InputError || error instanceof MeasureError) {
    tell(error.message);
    return error instanceof InputError ? EXIT.input : EXIT.measure;
  }
  tell(`this is a bug: ${error instanceof Error ? error.stack : String(error)}`);
  return EXIT.measure;
}

/** One message on stderr; on GitHub an annotation, in which a line break cannot start another log command. */
function tell(message: string): void {
  const escaped = message.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  process.stderr.write(onGitHub() ? `::error title=perf-gate::${escaped}\n` : `perf-gate: ${message}\n`);
}

function onGitHub(): boolean {
  return (process.env["GITHUB_ACTIONS"] ?? "") !== "";
}

async function runCommand(options: RunOptions): Promise<void> {
  const { runPhases } = await import("./phases/run.ts");
  const work = workDirectory(options);
  await withSignals(async (signal) => {
    const { comparison, text } = await runPhases(options, work, home, progressOf(options), terminal(), signal);
    await finish(work, comparison, options, text);
  });
}

async function planCommand(options: RunOptions): Promise<void> {
  const { describePlan, planPhase } = await import("./phases/plan.ts");
  const work = workDirectory(options);
  const plan = await planPhase({ ...options, home }, work, progressOf(options).warn);
  print(options.json ? json(plan) : describePlan(plan, work));
}

async function matrixCommand(
  file: string,
  options: CommonOptions & MatrixOptions & { dryRun?: boolean },
): Promise<void> {
  const { describeMatrix, matrixPhase, planMatrix } = await import("./phases/matrix.ts");
  const { renderMatrixText } = await import("./report/matrix.ts");
  const planned = await planMatrix(file, options);
  if (options.dryRun) {
    print(options.json ? json({ points: planned.points, rounds: planned.rounds }) : describeMatrix(planned));
    return;
  }
  const work = workDirectory(options);
  const progress = progressOf(options);
  progress.step(`${describeMatrix(planned)}\n`);
  await withSignals(async (signal) => {
    const { result, chartsNote } = await matrixPhase(planned, work, home, progress, signal);
    if (chartsNote !== null) progress.warn(chartsNote);
    print(
      options.json
        ? json(result)
        : `${renderMatrixText(result)}\n\nAlso as matrix.md, matrix.csv and matrix.json: ${work.path}`,
    );
  });
}

async function buildCommand(options: CommonOptions & { bakeFile?: string }): Promise<void> {
  const { buildPhase } = await import("./phases/build.ts");
  const file = options.bakeFile === undefined ? null : resolve(options.bakeFile);
  await withSignals(async (signal) => {
    // On GitHub the file is for docker/bake-action, which has the token of the job's cache.
    const cache = file !== null && onGitHub() ? ({ kind: "gha" } as const) : null;
    const targets = await buildPhase(workDirectory(options), home, progressOf(options), signal, file, cache);
    const text = `${file === null ? "built" : `written to ${file}`}: ${targets.join(", ")}`;
    print(options.json ? json({ targets }) : targets.length === 0 ? "there is nothing to build" : text);
  });
}

async function cleanCommand(options: CommonOptions): Promise<void> {
  const { cleanPhase, describeCleaned } = await import("./phases/clean.ts");
  await withSignals(async (signal) => {
    const removed = await cleanPhase(workDirectory(options), progressOf(options), signal);
    print(options.json ? json(removed) : describeCleaned(removed));
  });
}

async function measureCommand(options: CommonOptions): Promise<void> {
  const { measurePhase } = await import("./phases/measure.ts");
  const work = workDirectory(options);
  await withSignals(async (signal) => {
    const reason = await measurePhase(work, home, progressOf(options), signal);
    print(
      options.json ? json({ stopped: reason, samples: work.samplesFile }) : `measured (${reason}): ${work.samplesFile}`,
    );
  });
}

async function compareCommand(options: CommonOptions): Promise<void> {
  const { comparePhase } = await import("./phases/compare.ts");
  const { headlineText } = await import("./report/headline.ts");
  const work = workDirectory(options);
  const comparison = comparePhase(work);
  await finish(work, comparison, options, `${headlineText(comparison)}\n${work.file("comparison.json")}`);
}

async function reportCommand(options: CommonOptions): Promise<void> {
  const { reportPhase } = await import("./phases/report.ts");
  const work = workDirectory(options);
  const progress = progressOf(options);
  const { text, chartsNote } = reportPhase(work, home, terminal());
  if (chartsNote !== null) progress.warn(chartsNote);
  print(options.json ? json(work.readComparison()) : text);
}

async function storeCommand(options: CommonOptions & StoreOptions): Promise<void> {
  const { storePhase } = await import("./phases/store.ts");
  const { record, added, label } = await storePhase(workDirectory(options), options, process.env);
  const what = `${record.id}: ${record.commit.slice(0, 12)} of ${record.branch} against ${record.anchor.label}`;
  print(options.json ? json({ added, record }) : `${added > 0 ? "recorded" : "already recorded"} in ${label}: ${what}`);
}

function addTrend(program: Command): void {
  program
    .command("trend")
    .description("a page of the records: every cell against the anchor over time, and where it stepped")
    .option("--store <name>", "git:BRANCH, git:BRANCH@URL, a file (.ndjson) or a folder (default: baseline.store)")
    .option("--branch <name>", "records of this branch (default: the one with the most)")
    .option("--output <dir>", `where index.html and trend.json go (default: ${DEFAULT_WORK_DIRECTORY}/trend)`)
    .option("--json", "print trend.json on stdout")
    .exitOverride()
    .action(async (options: { store?: string; branch?: string; output?: string; json?: boolean }) => {
      const { trendCommand } = await import("./phases/trend.ts");
      const { file, text, chartsNote } = await trendCommand(options, home, process.env, new Date().toISOString());
      if (chartsNote !== null) createProgress(process.stderr, process.env).warn(chartsNote);
      print(options.json ? json(file) : text);
    });
}

function addCapacity(program: Command): void {
  program
    .command("capacity")
    .description("find the highest arrival rate that one tree of the service holds, with an interval")
    .option("--head <dir>", "tree of the service (default: the current directory)")
    .option("-c, --config <file>", "configuration (default: perf-gate.yml)")
    .addOption(driverOption("how the service is started: in containers, as processes, or it already runs"))
    .option("--scenario <name...>", "only these scenarios of the configuration")
    .option("--max-p95 <duration>", "a rate is held only while p95 is at most this, e.g. 300ms")
    .option("--max-cpu <share>", "and while the service uses at most this share of its CPUs, e.g. 70%")
    .option("--approaches <n>", "searches on fresh replicas; two or more give an interval", "5")
    .option("-w, --work-directory <dir>", "where the run's files are kept", join(DEFAULT_WORK_DIRECTORY, "capacity"))
    .option("--json", "print capacity.json on stdout")
    .option("--dry-run", "say what would be measured and how long it takes, and stop")
    .exitOverride()
    .action(async (options: CommonOptions & CapacityOptions & { dryRun?: boolean }) => {
      const { capacityPhase, describeCapacity, planCapacity } = await import("./phases/capacity.ts");
      const progress = progressOf(options);
      const search = await planCapacity(options, progress.warn);
      if (options.dryRun) return print(options.json ? json(search) : describeCapacity(search));
      await withSignals(async (signal) => {
        progress.step(`${describeCapacity(search)}\n`);
        const { capacity, text } = await capacityPhase(search, workDirectory(options), home, progress, signal);
        print(options.json ? json(capacity) : text);
        const found = capacity.scenarios.some(({ answer }) => answer !== null && answer.kind !== "none");
        if (!found) process.exitCode ??= EXIT.measure;
      });
    });
}

async function addDemo(program: Command): Promise<void> {
  const { PLANTS } = await import("./phases/demo.ts");
  program
    .command("demo")
    .description("see it work: install what is missing, compare the reference application with a slower copy of itself")
    .addOption(new Option("--plant <name>", "what is wrong with the copy").choices(PLANTS).default("lost-persistent"))
    .option("-w, --work-directory <dir>", "where the run's files are kept", join(DEFAULT_WORK_DIRECTORY, "demo"))
    .option("--budget <duration>", "most time to spend")
    .option("--json", "print the result as JSON on stdout")
    .option("--dry-run", "say what would be installed and measured, and stop")
    .exitOverride()
    .action(async (options: CommonOptions & { plant: string; budget?: string; dryRun?: boolean }) => {
      const { demo } = await import("./phases/demo.ts");
      const work = workDirectory(options);
      await withSignals(async (signal) => {
        const result = await demo(options, work, home, progressOf(options), terminal(), signal);
        if (result !== null) await finish(work, result.comparison, options, result.text);
      });
    });
}

async function addSetup(program: Command): Promise<void> {
  program
    .command("doctor")
    .description("say what is missing on this machine, and how to get it")
    .addOption(driverOption("for this driver").default("auto", "compose where Docker answers, else process"))
    .option("--json", "print the findings as JSON on stdout")
    .exitOverride()
    .action(async (options: { driver: DriverName | "auto"; json?: boolean }) => {
      const { doctor } = await import("./phases/doctor.ts");
      const { findings, text, healthy } = await doctor(options.driver, terminal().colour);
      print(options.json ? json(findings) : text);
      if (!healthy) process.exitCode = EXIT.measure;
    });
  program
    .command("init [directory]")
    .description("write a commented perf-gate.yml for the application found in the directory")
    .option("--force", "replace an existing file")
    .exitOverride()
    .action(async (directory: string | undefined, options: { force?: boolean }) => {
      const { writeInit } = await import("./config/init.ts");
      const file = await writeInit(resolve(directory ?? "."), { force: options.force ?? false });
      print(`written: ${file}\nnext: perf-gate plan --base-ref main`);
    });
}

/** What action.yml and the reusable workflows call; inputs come as INPUT_<NAME>, the token as GITHUB_TOKEN. */
function addGithub(program: Command): void {
  const github = program
    .command("github")
    .description("the steps of a job on GitHub: their inputs come by the environment, as action.yml sets it")
    .addHelpText("after", GITHUB_HELP)
    .exitOverride();
  const step = (name: string, description: string) => github.command(name).description(description).exitOverride();
  const workOption = ["-w, --work-directory <dir>", "where the run's files are kept", DEFAULT_WORK_DIRECTORY] as const;

  step("plan", "settle base and head from the event, write plan.json").action(async () => {
    const { githubPlanPhase } = await import("./phases/github-plan.ts");
    const { describePlan } = await import("./phases/plan.ts");
    const { plan, work } = await githubPlanPhase(process.env, home, progressOf({ workDirectory: "" }).warn);
    print(describePlan(plan, work));
  });
  step("report", "the report, the job summary, annotations at the configuration's lines, and the outputs")
    .option(...workOption)
    .action(async (options: CommonOptions) => {
      const { githubReport } = await import("./phases/github.ts");
      print(await githubReport(workDirectory(options), home, process.env));
    });
  step("gate", "end with the verdict's exit status, or with 0 where the label accepts a regression")
    .option(...workOption)
    .action(async (options: CommonOptions) => {
      const { githubGate } = await import("./phases/github.ts");
      const { status, text } = await githubGate(workDirectory(options), process.env);
      print(text);
      process.exitCode = status;
    });
  step("comment", "comment on a pull request what a job with its code has measured; decides and writes all anew")
    .option("--run-id <id>", "the workflow run that measured, whose artifact INPUT_ARTIFACT is fetched")
    .option("--artifact-directory <dir>", "the artifact of this run instead: a directory with its zip")
    .action(async ({ runId, artifactDirectory: path }: { runId?: string; artifactDirectory?: string }) => {
      const { githubComment } = await import("./phases/github-comment.ts");
      if ((runId === undefined) === (path === undefined)) {
        throw new InputError("github comment: give either --run-id or --artifact-directory");
      }
      const id = Number(runId ?? 1);
      if (!Number.isSafeInteger(id) || id <= 0) {
        throw new InputError(`--run-id: allowed is the number of a workflow run, got ${JSON.stringify(runId)}`);
      }
      print(await githubComment(path === undefined ? { kind: "run", id } : { kind: "directory", path }, process.env));
    });
  step("nightly", "add the record of what a night has measured, render and publish the trend page, keep the issues")
    .requiredOption("--artifact-directory <dir>", "the artifact: a directory with its zip; none = nothing was measured")
    .requiredOption("--output <dir>", "where the trend page is written")
    .action(async (options: NightlyOptions) => {
      const { githubNightly } = await import("./phases/github-nightly.ts");
      print(await githubNightly(options, home, process.env, new Date().toISOString()));
    });
}

/** Prints the result and sets the exit status of its verdict. */
async function finish(
  work: WorkDirectory,
  comparison: Comparison,
  options: CommonOptions,
  text: string,
): Promise<void> {
  const { exitStatus } = await import("./phases/compare.ts");
  print(options.json ? json(comparison) : text);
  process.exitCode ??= exitStatus(comparison, work.readPlan().config.gate.onInconclusive);
}

/** Runs an action that Ctrl-C and SIGTERM end early but orderly; a second one ends it at once. */
async function withSignals(action: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    const status = SIGNAL_STATUS[signal as keyof typeof SIGNAL_STATUS];
    if (controller.signal.aborted) process.exit(status);
    process.exitCode = status;
    process.stderr.write(`\nperf-gate: ${signal}: stopping; what was measured is kept (once more: stop at once)\n`);
    controller.abort(new MeasureError(`interrupted by ${signal}`));
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  try {
    await action(controller.signal);
  } catch (error) {
    // What failed only because it was told to stop has said so already.
    if (!controller.signal.aborted) throw error;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

function workDirectory({ workDirectory: path }: CommonOptions): WorkDirectory {
  return new WorkDirectory(resolve(path));
}

function progressOf({ json: quiet }: CommonOptions): Progress {
  return quiet ? quietProgress(process.stderr) : createProgress(process.stderr, process.env);
}

function terminal(): { colour: boolean; width: number } {
  const colour = process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;
  return { colour, width: process.stdout.columns ?? 100 };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

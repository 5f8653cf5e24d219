import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { DEFAULT_FILES } from "../config/load.ts";
import { scenarioLines } from "../config/locate.ts";
import { InputError } from "../core/errors.ts";
import type { Comparison, Plan } from "../core/model.ts";
import { type Annotation, annotate } from "../github/annotations.ts";
import { type Api, createApi } from "../github/api.ts";
import { GitHubError } from "../github/errors.ts";
import { readInputs } from "../github/inputs.ts";
import { type Acceptance, acceptance, type Judged } from "../github/label.ts";
import { SUMMARY_BYTES } from "../github/limits.ts";
import { writeOutputs, writeSummary } from "../github/summary.ts";
import { renderSummary } from "../report/comment.ts";
import { headlineSentence } from "../report/headline.ts";
import { remarks } from "../report/remarks.ts";
import { exitStatus } from "./compare.ts";
import { readReportInput, reportPhase } from "./report.ts";
import type { WorkDirectory } from "./work-directory.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * The report phase in a job on GitHub: besides its files the job summary, annotations at the lines of the head's
 * configuration, and the outputs `verdict`, `work-directory`, `report` and `comparison`.
 *
 * @returns the text for the log
 * @throws InputError where there is nothing to report on, or an input is wrong
 */
export async function githubReport(work: WorkDirectory, home: string, env: Env): Promise<string> {
  const { acceptLabel, config } = readInputs(env);
  const { text, chartsNote } = reportPhase(work, home, { colour: false, width: 120 });
  const input = readReportInput(work);
  const { comparison, plan } = input;
  const { accepted, notes } = await acceptedHere(env, comparison, acceptLabel);
  const placeOf = places(plan, config);
  annotate([
    ...notes.map((message): Annotation => ({ level: "warning", title: "perf-gate", message, place: null })),
    ...remarks(input).map(
      ({ level, scenario, title, message }): Annotation => ({
        level: accepted === null ? level : "notice",
        title,
        message,
        place: placeOf(scenario),
      }),
    ),
  ]);
  writeSummary(renderSummary(input, { accepted, notes }, SUMMARY_BYTES), env);
  writeOutputs({
    verdict: comparison.verdict,
    "work-directory": work.path,
    report: work.file("report.md"),
    comparison: work.file("comparison.json"),
  });
  return chartsNote === null ? text : `${text}\n${chartsNote}`;
}

/**
 * The last word of a job on GitHub: the exit status of the verdict, unless somebody accepted it by the label.
 *
 * @throws InputError where there is no comparison, or an input is wrong
 */
export async function githubGate(work: WorkDirectory, env: Env): Promise<{ status: 0 | 1 | 3; text: string }> {
  const { acceptLabel } = readInputs(env);
  const comparison = work.readComparison();
  const status = exitStatus(comparison, work.readPlan().config.gate.onInconclusive);
  const lines = [headlineSentence(comparison)];
  if (status !== 1) return { status, text: lines.join("\n") };
  const { accepted, notes } = await acceptedHere(env, comparison, acceptLabel);
  lines.push(...notes);
  if (accepted !== null) {
    lines.push(`Accepted by ${accepted.by}, who set the label ${JSON.stringify(accepted.label)} at ${accepted.at}.`);
    return { status: 0, text: lines.join("\n") };
  }
  if (acceptLabel !== null && judgedBy(env, acceptLabel) !== null) {
    lines.push(`To accept it for this commit, set the label ${JSON.stringify(acceptLabel)} and run this job again.`);
  }
  return { status, text: lines.join("\n") };
}

export function isRed({ verdict }: Comparison): boolean {
  return verdict === "regression" || verdict === "error";
}

/** Whether the label accepts a red, and what is to be said about one that does not count. */
export async function acceptedBy(
  api: Api,
  judged: Judged,
  comparison: Comparison,
  label: string | null,
): Promise<{ accepted: Acceptance | null; notes: string[] }> {
  if (label === null || !isRed(comparison)) return { accepted: null, notes: [] };
  const { accepted, why } = await acceptance(api, judged, label);
  return { accepted, notes: why === null ? [] : [`The label ${JSON.stringify(label)} does not count: ${why}.`] };
}

/** The same for the job's own pull request; where GitHub does not answer, nothing is accepted, and it is said. */
async function acceptedHere(
  env: Env,
  comparison: Comparison,
  label: string | null,
): Promise<{ accepted: Acceptance | null; notes: string[] }> {
  const judged = label === null ? null : judgedBy(env, label);
  const api = apiOf(env);
  if (judged === null || api === null) return { accepted: null, notes: [] };
  try {
    return await acceptedBy(api, judged, comparison, label);
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { accepted: null, notes: [`Whether the regression was accepted is not known: ${error.message}`] };
  }
}

const pullRequestEvent = z.object({
  action: z.string().optional(),
  label: z.object({ name: z.string() }).optional(),
  pull_request: z.object({
    number: z.int().positive(),
    updated_at: z.string(),
    head: z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) }),
  }),
});

/** The pull request that started this job, and since when its commit is the newest; null for any other event. */
export function judgedBy(env: Env, label: string | null): Judged | null {
  if (env["GITHUB_EVENT_NAME"] !== "pull_request") return null;
  const path = env["GITHUB_EVENT_PATH"] ?? "";
  const parsed = pullRequestEvent.safeParse(path === "" ? null : readJson(path));
  if (!parsed.success) {
    throw new InputError(`GITHUB_EVENT_PATH: ${path || "not set"} is not the payload of a pull_request event`);
  }
  const { action, label: set, pull_request: pull } = parsed.data;
  const byLabel = action === "labeled" && set?.name.toLowerCase() === label?.toLowerCase();
  return { pull: pull.number, commit: pull.head.sha, since: byLabel ? null : pull.updated_at };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new InputError(`GITHUB_EVENT_PATH: ${path} cannot be read as JSON: ${(error as Error).message}`);
  }
}

/** GitHub's API with the token of this step; null where it was given none. */
export function apiOf(env: Env): Api | null {
  const token = env["GITHUB_TOKEN"] ?? "";
  const repository = env["GITHUB_REPOSITORY"] ?? "";
  if (token === "" || repository === "") return null;
  return createApi({
    token,
    repository,
    baseUrl: env["GITHUB_API_URL"] || "https://api.github.com",
    log: (line) => process.stderr.write(`perf-gate: ${line}\n`),
  });
}

/** Where a scenario stands in the head's configuration, whose lines the pull request shows. */
function places({ arms }: Plan, config: string | null): (scenario: string | null) => Annotation["place"] {
  const tree = arms.head.directory;
  const file = [config ?? DEFAULT_FILES].flat().find((path) => tree !== null && existsSync(join(tree, path)));
  if (tree === null || file === undefined) return () => null;
  const lines = scenarioLines(readFileSync(join(tree, file), "utf8"));
  return (scenario) => (scenario === null ? null : { file, line: lines.get(scenario) ?? 1 });
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { InputError } from "../core/errors.ts";
import type { Comparison } from "../core/model.ts";
import type { HistoryRecord } from "../core/record.ts";
import { isBack, locatedSlowdowns, positions, RECENT, type Slowdown, slowdownOf } from "../core/slowdowns.ts";
import { annotate } from "../github/annotations.ts";
import type { Api } from "../github/api.ts";
import { readArtifact } from "../github/artifact.ts";
import { GitHubError } from "../github/errors.ts";
import { readInputs } from "../github/inputs.ts";
import {
  issuesOf,
  type Known,
  type KnownSlowdown,
  knownIssues,
  settle,
  testKey,
  textOf,
  topicOf,
  type Wish,
} from "../github/issue.ts";
import { SUMMARY_BYTES } from "../github/limits.ts";
import { writeSummary } from "../github/summary.ts";
import { openStore, type Store } from "../history/store.ts";
import {
  type Night,
  overSentence,
  type Places,
  RECORDS_AGAIN,
  renderNight,
  silenceText,
  silenceTitle,
  slowdownText,
  slowdownTitle,
} from "../report/nightly.ts";
import { apiOf, type Env } from "./github.ts";
import { configAt, readZip, repositoryUrl } from "./github-comment.ts";
import { intake, type Trusted, trustedConfig } from "./intake.ts";
import { recordRun, refOf } from "./store.ts";
import { type TrendFile, trendPhase } from "./trend.ts";

export interface NightlyOptions {
  /** Holds the zip of what the night measured, as GitHub keeps it; not there = nothing was measured. */
  artifactDirectory: string;
  /** Where the trend page is written. */
  output: string;
}

/** More nights in a row without a record are worth an issue. */
const SILENT_NIGHTS = 3;

/**
 * The half of a night that may write: adds its record to the store, renders the trend page and puts it beside the
 * records, and keeps the issues. The configuration is that of the commit that was measured, and of what was measured
 * only numbers count (see intake). Issues that cannot be written are a warning.
 *
 * @param now ISO 8601, UTC
 * @returns what was done, for the log
 * @throws InputError where an input, the configuration or the artifact cannot be used, or the store not be written
 */
export async function githubNightly(
  { artifactDirectory, output }: NightlyOptions,
  home: string,
  env: Env,
  now: string,
): Promise<string> {
  const { config: path, artifact } = readInputs(env);
  const api = apiOf(env);
  const commit = env["GITHUB_SHA"] ?? "";
  const ref = refOf(env);
  if (api === null || ref === undefined || !/^[0-9a-f]{40}$/.test(commit)) {
    throw new InputError("github nightly is for a job of a branch on GitHub, with GITHUB_TOKEN: see perf-nightly.yml");
  }
  const judge = await configAt(api, path, commit);
  const { store: name, branch: configured } = trustedConfig(judge).baseline;
  if (!name.startsWith("git:")) {
    throw new InputError(
      `baseline.store: ${JSON.stringify(name)} would end with the job; a nightly keeps its records on a branch, such as git:perf-gate-data`,
    );
  }
  const repository = repositoryUrl(env);
  const store = openStore(name, { directory: ".", env, origin: repository });
  const places: Places = {
    repository,
    run: `${repository}/actions/runs/${env["GITHUB_RUN_ID"]}`,
    dataBranch: name.slice("git:".length),
    config: path,
  };
  const taken =
    existsSync(artifactDirectory) && readdirSync(artifactDirectory).length > 0
      ? await record(
          readZip(artifactDirectory, artifact),
          store,
          { ...judge, commit, name, branch: configured ?? ref },
          env,
        )
      : "nothing was measured, or it could not be uploaded";
  const [measured, why] = typeof taken === "string" ? [null, taken] : [taken, null];
  const { file: trend, records, chartsNote } = await trendPhase({ store, branch: ref, output }, home, env, now);
  await store.publish(pageIn(output), `Trend of ${ref} up to ${now.slice(0, 10)}`);
  const { issues, warning } = await keepIssues(api, artifact, { records, trend, measured, places, now });
  if (warning !== null) annotate([{ level: "warning", title: "perf-gate: issues", message: warning, place: null }]);
  const night: Night = {
    recorded: measured?.record ?? null,
    records,
    trend,
    issues,
    notes: [why, chartsNote, warning],
  };
  const summary = `${renderNight(night, places)}\n`;
  if (Buffer.byteLength(summary) <= SUMMARY_BYTES) writeSummary(summary, env);
  return [
    measured === null ? `no record: ${why}` : `recorded ${measured.record.id} in ${store.label}`,
    ...issues.map(({ number, done, title }) => `${done} #${number}: ${title}`),
    ...(chartsNote === null ? [] : [chartsNote]),
  ].join("\n");
}

interface Measured {
  record: HistoryRecord;
  /** With the records before. */
  comparison: Comparison;
}

/**
 * Judges what was measured by the records that are there, and adds its own.
 * @returns or why a run that was sound has no record
 * @throws InputError where the artifact cannot be used, or the store not be written
 */
async function record(
  zip: Uint8Array,
  store: Store,
  { commit, name, branch, ...judge }: Pick<Trusted, "config" | "file"> & Record<"commit" | "name" | "branch", string>,
  env: Env,
): Promise<Measured | string> {
  const run = intake(await readArtifact(zip), {
    ...judge,
    arms: { base: { label: "", commit: null }, head: { label: commit.slice(0, 12), commit } },
    history: { ...(await store.read()), store: name, branch },
    isOwn: true,
  });
  const made = await recordRun(run, {}, env).catch((error: unknown) => {
    if (error instanceof InputError && run.plan.stored !== undefined) return error.message;
    throw error;
  });
  if (typeof made === "string") return made;
  await store.append([made]);
  return { record: made, comparison: run.comparison };
}

/** The files of a folder as text, by their paths in it; and one that tells GitHub Pages to take them as they are. */
function pageIn(output: string): Map<string, string> {
  const paths = readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const files = paths.map((path) => [relative(output, path), readFileSync(path, "utf8")] as const);
  return new Map([...files, [".nojekyll", ""]]);
}

// ---------------------------------------------------------------- issues

interface Tonight {
  /** Of the branch, oldest first, this night's included. */
  records: readonly HistoryRecord[];
  trend: TrendFile;
  measured: Measured | null;
  places: Places;
  now: string;
}

async function keepIssues(
  api: Api,
  key: string,
  tonight: Tonight,
): Promise<{ issues: Night["issues"]; warning: string | null }> {
  const issues: Night["issues"][number][] = [];
  try {
    const known = await knownIssues(api, key);
    for (const { wish, issue } of [...aboutSlowdowns(known, tonight), ...aboutSilence(known, tonight)]) {
      const settled = await settle(api, key, wish, issue);
      if (settled === null || (settled.done === "unchanged" && issue?.open === false)) continue;
      issues.push({ ...settled, title: wish.title });
    }
    return { issues, warning: null };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { issues, warning: error.message };
  }
}

/** What an issue should say, and the issue where it is there. */
interface Change {
  wish: Wish;
  issue: Known | null;
}

/** One issue per slowdown: of each change point for the worse, and of what this night alone has seen. */
function aboutSlowdowns(all: readonly Known[], tonight: Tonight): Change[] {
  const { records, trend, measured } = tonight;
  const order = positions(records);
  const known = all.filter((issue): issue is KnownSlowdown => issue.topic.kind === "slower");
  const located = locatedSlowdowns(trend.changePoints, records);
  const seen = measured === null ? null : slowdownOf(measured.comparison, measured.record, records, located);
  const issues = issuesOf([...located, ...(seen === null ? [] : [seen])], known, (commit) => order.get(commit));

  const changes = located.flatMap((slowdown): Change[] => {
    const issue = issues.get(slowdown) ?? null;
    const isNews = (order.get(slowdown.after) ?? 0) >= order.size - RECENT;
    return issue === null && !isNews ? [] : [{ wish: wishOf(slowdown, tonight), issue }];
  });
  if (seen !== null) changes.push(...aboutSeen(seen, issues.get(seen) ?? null, tonight));
  const settled = new Set<Known>(issues.values());
  for (const issue of known) if (!settled.has(issue)) changes.push(...aboutOver(issue, tonight));
  return changes;
}

/** Of a slowdown that was seen on earlier nights already, the first of them counts. */
function aboutSeen(seen: Slowdown, issue: KnownSlowdown | null, tonight: Tonight): Change[] {
  if (issue === null || (issue.over && !issue.topic.located)) return [{ wish: wishOf(seen, tonight), issue }];
  if (issue.topic.located) return [];
  const { before, after } = issue.topic;
  return [{ wish: wishOf({ ...seen, before, after }, tonight), issue }];
}

/** An issue that one night alone had seen, and that this one has not. */
function aboutOver(issue: KnownSlowdown, { records, measured, places }: Tonight): Change[] {
  const { topic } = issue;
  if (measured === null || topic.located || issue.over) return [];
  const tests = measured.record.cells
    .flatMap(({ id: cell }) => [{ cell, metric: "qps" } as const, { cell, metric: "latency" } as const])
    .filter((test) => topic.tests.includes(testKey(test)));
  if (tests.length < topic.tests.length || !isBack(measured.record, records, topic, tests)) return [];
  const over = overSentence(topic, measured.record.commit, places);
  return [{ wish: { topic, title: issue.title, text: textOf(issue), over }, issue }];
}

function wishOf(slowdown: Slowdown, { records, places }: Tonight): Wish {
  return {
    topic: topicOf(slowdown),
    title: slowdownTitle(slowdown, records),
    text: slowdownText(slowdown, records, places),
    over: slowdown.over ? overSentence(slowdown, records.at(-1)?.commit ?? slowdown.after, places) : null,
  };
}

/** Nights without a record, up to this one: a night that does not run cannot tell, the next one does. */
function aboutSilence(all: readonly Known[], { records, trend, places, now }: Tonight): Change[] {
  const days = records.map(({ recordedAt }) => recordedAt.slice(0, 10));
  const since = days.findLast((day) => day < now.slice(0, 10)) ?? "";
  const nights = since === "" ? [] : trend.missingNights.filter((night) => night > since);
  const isSilent = nights.length > SILENT_NIGHTS;
  const issues = all.filter(({ topic }) => topic.kind === "silent");
  const own = issues.find(({ topic }) => isSilent && topic.kind === "silent" && topic.since === since) ?? null;
  const ended = issues.filter((issue) => issue !== own && !issue.over);
  const changes = ended.map((issue) => ({
    wish: { topic: issue.topic, title: issue.title, text: textOf(issue), over: RECORDS_AGAIN },
    issue,
  }));
  if (!isSilent) return changes;
  const text = silenceText(since, nights, places);
  const wish = { topic: { kind: "silent" as const, since }, title: silenceTitle(nights), text, over: null };
  return [...changes, { wish, issue: own }];
}

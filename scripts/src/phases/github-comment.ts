import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_FILES } from "../config/load.ts";
import { InputError } from "../core/errors.ts";
import { annotate } from "../github/annotations.ts";
import type { Api, Pull } from "../github/api.ts";
import { readArtifact } from "../github/artifact.ts";
import { putComment } from "../github/comment.ts";
import { GitHubError } from "../github/errors.ts";
import { type Inputs, readInputs } from "../github/inputs.ts";
import type { Judged } from "../github/label.ts";
import { ARTIFACT_BYTES } from "../github/limits.ts";
import { openStore } from "../history/store.ts";
import { renderComment } from "../report/comment.ts";
import { branchBeside } from "./beside.ts";
import { acceptedBy, apiOf, type Env, judgedBy } from "./github.ts";
import { intake, type Trusted, trustedConfig, usesRecords } from "./intake.ts";

/** Where the measured numbers are: with a run of the repository, or in a directory, as the zip that GitHub keeps. */
export type Source = { kind: "run"; id: number } | { kind: "directory"; path: string };

/** There is nothing to comment on, and why: no failure. */
class Nothing extends Error {}

/**
 * Comments on the pull request of a run. What was measured came from a job that ran the pull request's code: only
 * numbers are taken from it; names, margins, verdict and text are made here, from the configuration of the base.
 *
 * A comment that cannot be written is a warning in the log and no error.
 * @returns what was done, for the log
 * @throws InputError where an input or option is wrong
 */
export async function githubComment(source: Source, env: Env): Promise<string> {
  const inputs = readInputs(env);
  if (inputs.comment === "never") return "no comment is wanted (comment: never)";
  const api = apiOf(env);
  if (api === null) {
    throw new InputError(
      "GITHUB_TOKEN and GITHUB_REPOSITORY are not set: write in the step\n        env:\n          GITHUB_TOKEN: $" +
        "{{ github.token }}",
    );
  }
  try {
    return await comment(api, source, inputs, env);
  } catch (error) {
    if (error instanceof Nothing) return `no comment: ${error.message}`;
    if (!(error instanceof GitHubError || error instanceof InputError)) throw error;
    annotate([{ level: "warning", title: "perf-gate: no comment", message: error.message, place: null }]);
    return "no comment: see the warning";
  }
}

async function comment(api: Api, source: Source, inputs: Inputs, env: Env): Promise<string> {
  const { judged, pull, run } = source.kind === "run" ? await ofRun(api, source.id) : await ofJob(api, env);
  const zip =
    source.kind === "run" ? await download(api, source.id, inputs.artifact) : readZip(source.path, inputs.artifact);
  const base = await api.tip(pull.baseRef);
  const files = await readArtifact(zip);
  const trusted: Trusted = {
    ...(await configAt(api, inputs.config, base)),
    arms: {
      base: { label: pull.baseRef, commit: base },
      head: { label: `#${pull.number}`, commit: judged.commit },
    },
  };
  const history = await recordsFor(usesRecords(files), trusted, pull.baseRef, env);
  const measured = intake(files, history === null ? trusted : { ...trusted, history });
  const { comparison } = measured;
  const { accepted, notes } = await acceptedBy(api, judged, comparison, inputs.acceptLabel);
  if (pull.headRepository !== env["GITHUB_REPOSITORY"]) notes.push(FOREIGN);
  const done = await putComment(api, {
    pull: pull.number,
    key: inputs.artifact,
    policy: inputs.comment,
    now: { commit: judged.commit, verdict: comparison.verdict, accepted: accepted !== null, run },
    render: (runs, bytes) =>
      renderComment(
        measured,
        {
          accepted,
          notes,
          base: pull.baseRef,
          name: inputs.artifact,
          runs: runs.map((past) => ({ ...past, url: runUrl(env, past.run) })),
        },
        bytes,
      ),
  });
  if (done === "unwanted") return `no comment is wanted for ${comparison.verdict} (comment: ${inputs.comment})`;
  return `${done} the comment on #${pull.number}: ${comparison.verdict}`;
}

const FOREIGN =
  "Measured by the code of this pull request, in a job without rights: who runs it can forge the numbers, but not this text, the verdict they lead to, or what is allowed.";

interface Subject {
  judged: Judged;
  pull: Pull;
  /** Id of the run that measured. */
  run: number;
}

/** The pull request of another run, as GitHub tells it: by head repository, branch and commit. */
async function ofRun(api: Api, id: number): Promise<Subject> {
  const run = await api.run(id);
  if (run.event !== "pull_request") throw new Nothing(`run ${id} is for ${run.event}, not for a pull request`);
  const { headRepository, headBranch, headSha, createdAt } = run;
  if (headRepository === null || headBranch === null) throw new Nothing(`the branch of run ${id} is gone`);
  const owner = headRepository.split("/")[0] ?? "";
  const open = (await api.openPulls(owner, headBranch)).filter((pull) => pull.headRepository === headRepository);
  const [pull, ...more] = open.filter((candidate) => candidate.headSha === headSha);
  const short = headSha.slice(0, 7);
  if (pull === undefined) {
    throw new Nothing(
      open.length > 0 ? `${short} is no longer the newest commit` : `no open pull request has ${short} as its head`,
    );
  }
  if (more.length > 0) {
    const numbers = [pull, ...more].map(({ number }) => `#${number}`).join(", ");
    throw new Nothing(`${short} is the head of several pull requests: ${numbers}`);
  }
  return { judged: { pull: pull.number, commit: headSha, since: createdAt }, pull, run: id };
}

/** The pull request that this job is for. */
async function ofJob(api: Api, env: Env): Promise<Subject> {
  const judged = judgedBy(env, readInputs(env).acceptLabel);
  const run = Number(env["GITHUB_RUN_ID"]);
  if (judged === null || !Number.isSafeInteger(run) || run <= 0) {
    throw new InputError("--artifact-directory is for the job of a pull_request event; elsewhere give --run-id");
  }
  const pull = await api.pull(judged.pull);
  if (pull.headSha !== judged.commit) throw new Nothing(`${judged.commit.slice(0, 7)} is no longer the newest commit`);
  return { judged, pull, run };
}

async function download(api: Api, run: number, name: string): Promise<Uint8Array> {
  const artifact = await api.artifact(run, name);
  if (artifact === null) throw new Nothing(`run ${run} has no artifact ${name}: it measured nothing`);
  if (artifact.expired) throw new Nothing(`artifact ${name} of run ${run} has expired`);
  if (artifact.bytes > ARTIFACT_BYTES) throw tooLarge(name, artifact.bytes);
  return await api.download(artifact.id, ARTIFACT_BYTES);
}

/** The zip of an artifact that was downloaded as it is. */
export function readZip(directory: string, name: string): Uint8Array {
  let files: string[];
  try {
    files = readdirSync(directory);
  } catch (error) {
    throw new InputError(`--artifact-directory: ${directory} cannot be read: ${(error as Error).message}`);
  }
  const [file] = files;
  if (file === undefined || files.length > 1) {
    throw new InputError(
      `--artifact-directory: ${directory} should hold one zip and nothing else, it has ${files.length} files ` +
        "(actions/download-artifact leaves the zip as it is with skip-decompress: true)",
    );
  }
  const path = join(directory, file);
  const { size } = statSync(path);
  if (size > ARTIFACT_BYTES) throw tooLarge(name, size);
  return readFileSync(path);
}

function tooLarge(name: string, bytes: number): InputError {
  return new InputError(`artifact ${name} has ${bytes} bytes, more than the ${ARTIFACT_BYTES} that are read`);
}

/** The configuration of the base, at its path or the first of the usual ones. */
export async function configAt(
  api: Api,
  path: string | null,
  commit: string,
): Promise<Pick<Trusted, "config" | "file">> {
  for (const file of path === null ? DEFAULT_FILES : [path]) {
    const config = await api.fileAt(file, commit);
    if (config !== null) return { config, file };
  }
  return { config: null, file: path ?? DEFAULT_FILES[0] };
}

/**
 * The records that a pull request to `branch` is compared with, or shown beside; these may be missing.
 * @throws InputError where it was compared with some that cannot be read here
 */
async function recordsFor(
  use: ReturnType<typeof usesRecords>,
  trusted: Trusted,
  branch: string,
  env: Env,
): Promise<NonNullable<Trusted["history"]> | null> {
  if (use === "judged") return await historyOf(trusted, branch, env);
  if (use === null || branchBeside(trustedConfig(trusted), branch) === null) return null;
  return await historyOf(trusted, branch, env).catch((error: Error) => {
    if (error instanceof InputError) return null;
    throw error;
  });
}

/**
 * The records of `branch`, or of the one that the configuration names, read from the repository itself.
 * @throws InputError where they are not on a branch of it
 */
async function historyOf(trusted: Trusted, branch: string, env: Env): Promise<NonNullable<Trusted["history"]>> {
  const { store: name, branch: configured } = trustedConfig(trusted).baseline;
  if (!name.startsWith("git:")) {
    throw new InputError(
      `the run was compared with records of ${name}, which this job does not have: its own job summary has the verdict. ` +
        "Records on a branch (baseline: { store: git:perf-gate-data }) can be read here",
    );
  }
  const { records, missing } = await openStore(name, { directory: ".", env, origin: repositoryUrl(env) }).read();
  return { records, missing, store: name, branch: configured ?? branch };
}

/** https://github.com/owner/name */
export function repositoryUrl(env: Env): string {
  return `${env["GITHUB_SERVER_URL"] || "https://github.com"}/${env["GITHUB_REPOSITORY"]}`;
}

function runUrl(env: Env, run: number): string {
  return `${repositoryUrl(env)}/actions/runs/${run}`;
}

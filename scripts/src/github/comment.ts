import { assertNever, type Verdict } from "../core/model.ts";
import type { Api, Comment } from "./api.ts";
import { GitHubError } from "./errors.ts";
import type { CommentPolicy } from "./inputs.ts";
import { COMMENT_BYTES, PAST_RUNS } from "./limits.ts";

/** A run of a pull request as its comment remembers it. */
export interface PastRun {
  /** Commit that was judged, 40 hex digits. */
  commit: string;
  verdict: Verdict;
  accepted: boolean;
  /** Id of the workflow run. */
  run: number;
}

export interface StickyComment {
  pull: number;
  /** Tells the comments of several configurations apart: letters, digits, `_`, `.` and `-`. */
  key: string;
  policy: CommentPolicy;
  now: PastRun;
  /** The text below the marker, at most `bytes` long; `runs` are the last ones, oldest first, with this one. */
  render(runs: readonly PastRun[], bytes: number): string;
}

export type Posted = "created" | "updated" | "unwanted";

/**
 * Writes the comment of this configuration: the one that the token's own account left on the pull request, else a new
 * one where the policy asks for it. A comment that is there is always kept up to date: an old verdict would mislead.
 *
 * @throws GitHubError where it cannot be written
 */
export async function putComment(api: Api, sticky: StickyComment): Promise<Posted> {
  if (sticky.policy === "never") return "unwanted";
  const author = await api.viewer();
  for (let tries = 3; ; tries--) {
    const old = await findComment(api, sticky.pull, sticky.key, author);
    if (old === null && !wantsNew(sticky.policy, sticky.now.verdict)) return "unwanted";
    const body = bodyOf(sticky, old);
    try {
      if (old === null) {
        await api.createComment(sticky.pull, body);
        return "created";
      }
      if ((await api.updateComment(old.id, body)) !== null) return "updated";
      if (tries === 1) throw new GitHubError(`comment ${old.id} of #${sticky.pull} comes and goes`, true);
    } catch (error) {
      // A lost answer may have left a comment: look again before another is made.
      if (!(error instanceof GitHubError && error.passing && tries > 1)) throw error;
    }
  }
}

/** Whether this verdict is worth a comment where there is none yet: a pull request counts as green until then. */
function wantsNew(policy: Exclude<CommentPolicy, "never">, verdict: Verdict): boolean {
  switch (policy) {
    case "always":
      return true;
    case "on-change":
      return verdict !== "pass";
    case "on-regression":
      return verdict === "regression" || verdict === "error";
    default:
      return assertNever(policy);
  }
}

/** The oldest comment of the author that begins with our marker; anybody can write the marker, but not as the author. */
async function findComment(api: Api, pull: number, key: string, author: string): Promise<Comment | null> {
  for await (const comment of api.comments(pull)) {
    if (comment.author === author && comment.body.startsWith(opening(key))) return comment;
  }
  return null;
}

function bodyOf({ key, now, render }: StickyComment, old: Comment | null): string {
  const past = old === null ? [] : pastRuns(old.body, key);
  const runs = [...past.filter(({ run }) => run !== now.run), now].slice(-PAST_RUNS);
  const head = marker(key, runs);
  return head + render(runs, COMMENT_BYTES - Buffer.byteLength(head));
}

// ---------------------------------------------------------------- the hidden marker

const opening = (key: string): string => `<!-- perf-gate comment=${key} `;

/** An HTML comment that tells the comment apart and remembers the runs, and a line break. */
export function marker(key: string, runs: readonly PastRun[]): string {
  const entries = runs.map(
    ({ commit, verdict, accepted, run }) => `${commit}:${verdict}${accepted ? "+accepted" : ""}:${run}`,
  );
  return `${opening(key)}runs=${entries.join(",")} -->\n`;
}

const ENTRY = /^([0-9a-f]{40}):(pass|regression|inconclusive|error)(\+accepted)?:([1-9]\d{0,14})$/;

/** The runs that a comment remembers, oldest first; what is not exactly as we write it is left out. */
export function pastRuns(body: string, key: string): PastRun[] {
  const [line = ""] = body.split(/\r?\n/, 1);
  if (!line.startsWith(opening(key)) || !line.endsWith(" -->")) return [];
  const list = line.slice(opening(key).length, -" -->".length);
  if (!list.startsWith("runs=")) return [];
  return list
    .slice("runs=".length)
    .split(",", PAST_RUNS)
    .flatMap((entry) => {
      const [, commit, verdict, accepted, run] = ENTRY.exec(entry) ?? [];
      if (commit === undefined || verdict === undefined) return [];
      return [{ commit, verdict: verdict as Verdict, accepted: accepted !== undefined, run: Number(run) }];
    });
}

import type { Api, Pull } from "./api.ts";
import { GitHubError } from "./errors.ts";

/** Somebody accepts a regression. */
export interface Acceptance {
  label: string;
  /** Login of who set the label. */
  by: string;
  /** ISO 8601. */
  at: string;
  /** The commit that was the newest of the pull request then, and is. */
  commit: string;
}

/** What GitHub said when it started the job. */
export interface Judged {
  pull: number;
  /** Head of the pull request, 40 hex digits. */
  commit: string;
  /** When it was that, ISO 8601; null where what started the job is the label itself, set on this commit. */
  since: string | null;
}

/**
 * Whether the label accepts the commit that was judged: it is on the pull request now, and was set after GitHub told of
 * the commit, which has been the newest one ever since. A commit's own dates are written by its author and not asked.
 *
 * @param label compared without regard to case, as GitHub does
 * @returns the acceptance, else why a label that is there does not count; both null where it is not there
 * @throws GitHubError
 */
export async function acceptance(
  api: Api,
  { pull, commit, since }: Judged,
  label: string,
): Promise<{ accepted: Acceptance | null; why: string | null }> {
  const refused = (why: string | null) => ({ accepted: null, why });
  const same = (name: string) => name.toLowerCase() === label.toLowerCase();
  const now = await api.pull(pull);
  if (!now.labels.some(same)) return refused(null);
  if (now.headSha !== commit) return refused(`${short(now.headSha)} is newer than ${short(commit)}`);

  const events = await api.events(pull);
  const set = events.filter((event) => event.kind === "labeled" && same(event.label)).at(-1);
  if (set?.kind !== "labeled") return refused("GitHub does not say when it was set");
  let known = since ?? set.at;
  // What started this job may be younger than the commit: another label, or a draft that is ready.
  if (since !== null && !later(set.at, since)) known = await firstSeen(api, now, since);
  // Whoever moves the branch away and back to this commit has to force one of the two.
  const moved = events.some((event) => event.kind === "force-pushed" && later(event.at, known));
  if (moved) return refused(`the branch was force-pushed since ${short(commit)} was judged; run it again`);
  if (since !== null && !later(set.at, known)) {
    return refused(`it was set before ${short(commit)} was there: remove it and set it again to accept that commit`);
  }
  return { accepted: { label: set.label, by: set.actor, at: set.at, commit }, why: null };
}

/** When the first run of the newest commit was made, ISO 8601; `since` where runs cannot be read, or none is older. */
async function firstSeen(api: Api, { headSha, headRef, headRepository }: Pull, since: string): Promise<string> {
  const runs = await api.runsOf(headSha).catch((error: unknown) => {
    if (error instanceof GitHubError) return [];
    throw error;
  });
  const own = runs.filter((run) => run.headBranch === headRef && run.headRepository === headRepository);
  return own.map(({ createdAt }) => createdAt).reduce((first, at) => (later(first, at) ? at : first), since);
}

/** Strictly: GitHub counts whole seconds, and what happened in the same one may have been before. */
const later = (one: string, other: string): boolean => Date.parse(one) > Date.parse(other);
const short = (commit: string): string => commit.slice(0, 7);

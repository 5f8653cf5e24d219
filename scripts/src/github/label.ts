import type { Api } from "./api.ts";

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
  const { labels, headSha } = await api.pull(pull);
  if (!labels.some(same)) return refused(null);
  if (headSha !== commit) return refused(`${short(headSha)} is newer than ${short(commit)}`);

  const events = await api.events(pull);
  const set = events.filter((event) => event.kind === "labeled" && same(event.label)).at(-1);
  if (set?.kind !== "labeled") return refused("GitHub does not say when it was set");
  // Whoever moves the branch away and back to this commit has to force one of the two.
  const moved = events.some((event) => event.kind === "force-pushed" && later(event.at, since ?? set.at));
  if (moved) return refused(`the branch was force-pushed since ${short(commit)} was judged; run it again`);
  if (since !== null && !later(set.at, since)) {
    return refused(`it was set before ${short(commit)} was there: remove it and set it again to accept that commit`);
  }
  return { accepted: { label: set.label, by: set.actor, at: set.at, commit }, why: null };
}

/** Strictly: GitHub counts whole seconds, and what happened in the same one may have been before. */
const later = (one: string, other: string): boolean => Date.parse(one) > Date.parse(other);
const short = (commit: string): string => commit.slice(0, 7);

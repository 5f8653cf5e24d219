/** GitHub did not do what was asked; the message says why, and what to write into the workflow. */
export class GitHubError extends Error {
  override name = "GitHubError";
  /** True where the same request may succeed later: no answer in time, or a status of 500 and above. */
  readonly passing: boolean;

  constructor(message: string, passing: boolean) {
    super(message);
    this.passing = passing;
  }
}

/** How often a request is made whose failure may pass. */
export const TRIES = 4;

/** The answer, or null where GitHub has no such thing. */
export async function unlessMissing<T>(action: () => Promise<T>): Promise<T | null> {
  try {
    return await action();
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

/**
 * An answer of GitHub's, its errors as sentences.
 *
 * @param what completes "cannot ..."
 * @param needs the permission as a workflow writes it; null = none
 * @throws GitHubError; what is not GitHub's fault stays as it is
 */
export async function asked<T>(what: string, needs: string | null, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw explained(error, what, needs);
  }
}

/** The same for a list that is read as it is asked for. */
export async function* askedEach<T>(what: string, needs: string, items: () => AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items();
  } catch (error) {
    throw explained(error, what, needs);
  }
}

function statusOf(error: unknown): number | null {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === "number" ? status : null;
}

function explained(error: unknown, what: string, needs: string | null): unknown {
  const status = statusOf(error);
  const said = messageOf(error);
  const cannot = `cannot ${what}: `;
  if (error instanceof GitHubError) return new GitHubError(cannot + said, error.passing);
  if ((error as Error).name === "GraphqlResponseError") return new GitHubError(cannot + said, false);
  if (status === null) return error;
  if (status === 401) {
    return new GitHubError(
      `${cannot}GitHub refuses the token (401, ${said}). Give the step a valid one:\n${TOKEN_LINES}`,
      false,
    );
  }
  if (status === 429 || /rate limit/i.test(said)) {
    return new GitHubError(
      `${cannot}GitHub limits the rate of requests (${status}, ${said}). Run it again later`,
      true,
    );
  }
  if ((status === 403 || status === 404) && needs !== null) {
    const why = status === 403 ? "the token may not do it" : "it is not there, or the token may not see it";
    return new GitHubError(`${cannot}${why} (${status}, ${said}). It takes, in the job:\n${permission(needs)}`, false);
  }
  if (status < 500) return new GitHubError(`${cannot}${said} (${status})`, false);
  // The library gives a request that had no answer the status 500, and no response.
  const answered = (error as { response?: unknown }).response !== undefined;
  const how = answered ? `GitHub answered ${status}` : "GitHub did not answer";
  return new GitHubError(`${cannot}${how} in ${TRIES} tries (${said})`, true);
}

const TOKEN_LINES = ["        env:", "          GITHUB_TOKEN: $" + "{{ github.token }}"].join("\n");

function permission(needs: string): string {
  const lines = ["    permissions: # beside those that are there", "      contents: read"];
  if (needs !== "contents: read") lines.push(`      ${needs}`);
  const fork =
    needs === "pull-requests: write"
      ? "\n(on pull requests from forks and of Dependabot the token can only read: there perf-report.yml comments)"
      : "";
  return lines.join("\n") + fork;
}

/** One line of at most 200 characters: what GitHub says may quote what it was sent. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/ - https:\/\/\S+$/, "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .slice(0, 200);
}

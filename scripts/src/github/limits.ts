/** GitHub's own limits, and how much of a stranger's upload is read. */

/** Longest body of a comment: 65,536 characters; counted in bytes here, which are never fewer. */
export const COMMENT_BYTES = 65_536;
/** Largest job summary of one step. */
export const SUMMARY_BYTES = 1024 * 1024;
/** GitHub shows this many annotations of a kind per step, and drops the rest without a word. */
export const ANNOTATIONS = 10;
/** Largest zip that is fetched; a run of 100 cells makes less than 2 MiB. */
export const ARTIFACT_BYTES = 32 * 1024 * 1024;
/** Largest configuration, as for a local one. */
export const CONFIG_BYTES = 1024 * 1024;
/** Runs of a pull request that its comment remembers. */
export const PAST_RUNS = 5;

import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Exit status of the scripts where jq or gnuplot is missing. */
const NO_TOOLS = 3;
const TIMEOUT_MS = 600_000;

/**
 * Runs a script of scripts/charts.
 *
 * @returns null where it drew, else why not, as a sentence
 */
export function drawWith(home: string, script: string, args: readonly string[]): string | null {
  const path = join(home, "scripts", "charts", script);
  const drawn = spawnSync(path, args, { encoding: "utf8", timeout: TIMEOUT_MS });
  if (drawn.status === 0) return null;
  const why = drawn.stderr?.trim() || drawn.error?.message || `${script} ended with ${drawn.status}`;
  return drawn.status === NO_TOOLS ? why : `charts could not be drawn: ${why}`;
}

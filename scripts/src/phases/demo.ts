import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MeasureError } from "../core/errors.ts";
import type { Progress } from "./progress.ts";
import { type RunResult, runPhases } from "./run.ts";
import type { WorkDirectory } from "./work-directory.ts";

/** What can be wrong with the copy; `none` makes an A/A run. The contract is in fixtures/app/plant.php. */
export const PLANTS = [
  "none",
  "extra-query",
  "cpu-15",
  "lost-persistent",
  "n-plus-one",
  "slow-2",
  "stall",
  "errors",
] as const;

/**
 * The demonstration: installs what is missing, copies the reference application twice, plants a regression in one copy,
 * and runs the gate on the two. A dry run returns null.
 */
export async function demo(
  options: { plant: string; budget?: string; dryRun?: boolean },
  work: WorkDirectory,
  home: string,
  progress: Progress,
  terminal: { colour: boolean; width: number },
  signal: AbortSignal,
): Promise<RunResult | null> {
  const setup = [join(home, "scripts", "setup.sh"), "--for", "run", ...(options.dryRun ? ["--dry-run"] : ["--yes"])];
  // Its output is progress, not result.
  const { status } = spawnSync("bash", setup, { stdio: ["ignore", 2, 2] });
  if (status !== 0)
    throw new MeasureError("the set-up did not succeed (see above); `perf-gate doctor` says what is missing");
  const config = join(home, "fixtures", "demo.yml");
  if (options.dryRun) {
    progress.step(
      `would copy ${join(home, "fixtures", "app")} to ${work.path}/trees twice, plant "${options.plant}" in one copy, ` +
        `and measure the two by ${config}: about 4 minutes`,
    );
    return null;
  }
  work.begin();
  const trees = work.directory("trees");
  const copy = (name: string) => {
    const directory = join(trees, name);
    rmSync(directory, { recursive: true, force: true });
    cpSync(join(home, "fixtures", "app"), directory, { recursive: true });
    return directory;
  };
  const base = copy("unchanged");
  const head = copy(options.plant === "none" ? "unchanged-copy" : options.plant);
  if (options.plant !== "none") writeFileSync(join(head, "plant.php"), `<?php\n\nreturn '${options.plant}';\n`);
  const arms = { base, head, config, driver: "process", budget: options.budget };
  return runPhases(arms, work, home, progress, terminal, signal);
}

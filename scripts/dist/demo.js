import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  runPhases
} from "./shared-run.js";
import "./shared-compare~2.js";
import "./shared-compare.js";
import "./shared-stack.js";
import "./shared-k6~2.js";
import "./shared-environment.js";
import "./shared-index~2.js";
import "./shared-ignore.js";
import "./shared-programs~2.js";
import "./shared-leftovers.js";
import "./shared-cgroup.js";
import "./shared-bake.js";
import "./shared-guard.js";
import "./shared-plan~2.js";
import "./shared-uniformInt.js";
import "./shared-stored-base.js";
import "./shared-k6.js";
import "./shared-programs.js";
import "./shared-arms~2.js";
import "./shared-engine.js";
import "./shared-work-directory.js";
import "./shared-git-store.js";
import "./shared-schemas.js";
import {
  MeasureError
} from "./shared-errors.js";
import "./shared-beside.js";
import "./shared-stored.js";
import "./shared-steps.js";
import "./shared-slowest.js";
import "./shared-plan.js";
import "./shared-markdown.js";
import "./shared-marked.esm.js";
import "./shared-charts.js";
import "./shared-index.js";
import "./shared-details.js";
import "./shared-picocolors.js";
import "./shared-headline.js";
import "./shared-variants.js";
import "./shared-nginx.js";
import "./shared-replay.js";
import "./shared-arms.js";
import "./shared-model.js";
import "./shared-runtime.js";

// scripts/src/phases/demo.ts
import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
var PLANTS = [
  "none",
  "extra-query",
  "cpu-15",
  "lost-persistent",
  "n-plus-one",
  "slow-2",
  "stall",
  "errors"
];
async function demo(options, work, home, progress, terminal, signal) {
  const setup = [join(home, "scripts", "setup.sh"), "--for", "run", ...options.dryRun ? ["--dry-run"] : ["--yes"]];
  const { status } = spawnSync("bash", setup, { stdio: ["ignore", 2, 2] });
  if (status !== 0)
    throw new MeasureError("the set-up did not succeed (see above); `perf-gate doctor` says what is missing");
  const config = join(home, "fixtures", "demo.yml");
  if (options.dryRun) {
    progress.step(
      `would copy ${join(home, "fixtures", "app")} to ${work.path}/trees twice, plant "${options.plant}" in one copy, and measure the two by ${config}: about 4 minutes`
    );
    return null;
  }
  work.begin();
  const trees = work.directory("trees");
  const copy = (name) => {
    const directory = join(trees, name);
    rmSync(directory, { recursive: true, force: true });
    cpSync(join(home, "fixtures", "app"), directory, { recursive: true });
    return directory;
  };
  const base = copy("unchanged");
  const head = copy(options.plant === "none" ? "unchanged-copy" : options.plant);
  if (options.plant !== "none") writeFileSync(join(head, "plant.php"), `<?php

return '${options.plant}';
`);
  const arms = { base, head, config, driver: "process", budget: options.budget };
  return runPhases(arms, work, home, progress, terminal, signal);
}
export {
  PLANTS,
  demo
};

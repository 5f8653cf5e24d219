import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);

// scripts/src/phases/charts.ts
import { spawnSync } from "node:child_process";
import { join } from "node:path";
var NO_TOOLS = 3;
var TIMEOUT_MS = 6e5;
function drawWith(home, script, args) {
  const path = join(home, "scripts", "charts", script);
  const drawn = spawnSync(path, args, { encoding: "utf8", timeout: TIMEOUT_MS });
  if (drawn.status === 0) return null;
  const why = drawn.stderr?.trim() || drawn.error?.message || `${script} ended with ${drawn.status}`;
  return drawn.status === NO_TOOLS ? why : `charts could not be drawn: ${why}`;
}

export {
  drawWith
};

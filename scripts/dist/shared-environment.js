import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  targetOf
} from "./shared-arms.js";
import {
  ARMS
} from "./shared-model.js";

// scripts/src/core/environment.ts
function environmentWarnings(plan, php) {
  const warnings = [];
  for (const arm of ARMS) {
    const { jit } = targetOf(plan, arm).php;
    const state = php[arm];
    if (state === null) continue;
    if (state.xdebug) warnings.push(`${arm}: Xdebug is loaded: every figure is several times too slow`);
    if (!state.opcache) warnings.push(`${arm}: OPcache is off: PHP compiles every file at every request`);
    if (jit !== "off" && state.jit === "off") {
      warnings.push(`${arm}: JIT ${jit} was asked for but is off (an extension such as Xdebug, or no buffer)`);
    }
  }
  if (!plan.layout.isolated) warnings.push(plan.layout.note);
  return warnings;
}

export {
  environmentWarnings
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);

// scripts/src/core/model.ts
var ARMS = ["base", "head"];
var K6_OUTPUTS = ["experimental-prometheus-rw"];
function assertNever(value) {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

export {
  ARMS,
  K6_OUTPUTS,
  assertNever
};

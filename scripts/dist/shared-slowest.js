import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);

// scripts/src/core/slowest.ts
var SLOWEST = 5;
function slowestOf(requests) {
  return [...requests].sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
}

export {
  SLOWEST,
  slowestOf
};

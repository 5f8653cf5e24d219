import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);

// scripts/src/core/k6.ts
var K6_VERSION = "1.8.1";
var K6_IMAGE = `grafana/k6:${K6_VERSION}`;

export {
  K6_VERSION,
  K6_IMAGE
};

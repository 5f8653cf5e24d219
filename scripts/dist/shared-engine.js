import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);

// scripts/src/core/engine.ts
var OLDEST_ENGINE = { engine: "25.0", compose: "2.24", buildx: "0.12" };
function isAtLeast(version, minimum) {
  if (version === null) return false;
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number.parseFloat);
  const [wantedMajor = 0, wantedMinor = 0] = minimum.split(".").map(Number);
  return Number.isNaN(major) || major > wantedMajor || major === wantedMajor && !(minor < wantedMinor);
}

export {
  OLDEST_ENGINE,
  isAtLeast
};

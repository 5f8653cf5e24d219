import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  trendCommand,
  trendPhase
} from "./shared-trend.js";
import "./shared-baseline.js";
import "./shared-text-table.js";
import "./shared-work-directory.js";
import "./shared-git-store.js";
import "./shared-schemas.js";
import "./shared-errors.js";
import "./shared-steps.js";
import "./shared-slowest.js";
import "./shared-plan.js";
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
export {
  trendCommand,
  trendPhase
};

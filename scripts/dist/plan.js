import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  OVERHEAD,
  describePlan,
  minutes,
  planPhase
} from "./shared-plan.js";
import "./shared-programs.js";
import "./shared-work-directory.js";
import "./shared-schemas.js";
import "./shared-replay.js";
import "./shared-arms.js";
import "./shared-engine.js";
import "./shared-errors.js";
import "./shared-model.js";
import "./shared-runtime.js";
export {
  OVERHEAD,
  describePlan,
  minutes,
  planPhase
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  OVERHEAD,
  describePlan,
  minutes,
  planPhase
} from "./shared-plan~2.js";
import "./shared-uniformInt.js";
import "./shared-stored-base.js";
import "./shared-k6.js";
import "./shared-programs.js";
import "./shared-arms~2.js";
import "./shared-engine.js";
import "./shared-work-directory.js";
import "./shared-git-store.js";
import "./shared-schemas.js";
import "./shared-errors.js";
import "./shared-beside.js";
import "./shared-stored.js";
import "./shared-steps.js";
import "./shared-slowest.js";
import "./shared-plan.js";
import "./shared-variants.js";
import "./shared-nginx.js";
import "./shared-replay.js";
import "./shared-arms.js";
import "./shared-model.js";
import "./shared-runtime.js";
export {
  OVERHEAD,
  describePlan,
  minutes,
  planPhase
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  comparePhase,
  exitStatus
} from "./shared-compare~2.js";
import "./shared-compare.js";
import "./shared-beside.js";
import "./shared-stored.js";
import "./shared-steps.js";
import "./shared-slowest.js";
import "./shared-plan.js";
import "./shared-replay.js";
import "./shared-arms.js";
import "./shared-model.js";
import "./shared-runtime.js";
export {
  comparePhase,
  exitStatus
};

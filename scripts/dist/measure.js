import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  measurePhase
} from "./shared-stack.js";
import "./shared-leftovers.js";
import "./shared-k6.js";
import "./shared-cgroup.js";
import "./shared-environment.js";
import "./shared-plan.js";
import "./shared-programs.js";
import "./shared-work-directory.js";
import "./shared-schemas.js";
import "./shared-replay.js";
import "./shared-ignore.js";
import "./shared-bake.js";
import "./shared-programs~2.js";
import "./shared-guard.js";
import "./shared-arms.js";
import "./shared-engine.js";
import "./shared-errors.js";
import "./shared-model.js";
import "./shared-runtime.js";
export {
  measurePhase
};

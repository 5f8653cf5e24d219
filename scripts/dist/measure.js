import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  measurePhase
} from "./shared-stack.js";
import "./shared-cgroup.js";
import "./shared-arms.js";
import "./shared-programs.js";
import "./shared-schemas.js";
import "./shared-errors.js";
import "./shared-replay.js";
import "./shared-model.js";
import "./shared-runtime.js";
export {
  measurePhase
};

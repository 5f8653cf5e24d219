import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  configAt,
  githubComment,
  readZip,
  repositoryUrl
} from "./shared-index~3.js";
import "./shared-endpoints.js";
import "./shared-inputs.js";
import "./shared-compare~2.js";
import "./shared-compare.js";
import "./shared-environment.js";
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
import "./shared-markdown.js";
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
  configAt,
  githubComment,
  readZip,
  repositoryUrl
};

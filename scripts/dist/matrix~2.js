import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  renderMatrixCsv,
  renderMatrixMarkdown,
  renderMatrixText
} from "./shared-matrix.js";
import "./shared-text-table.js";
import "./shared-errors.js";
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
  renderMatrixCsv,
  renderMatrixMarkdown,
  renderMatrixText
};

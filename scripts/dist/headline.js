import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  headline,
  headlineSentence,
  headlineText
} from "./shared-headline.js";
import "./shared-model.js";
import "./shared-runtime.js";
export {
  headline,
  headlineSentence,
  headlineText
};

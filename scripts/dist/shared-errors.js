import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);

// scripts/src/core/errors.ts
var InputError = class extends Error {
  name = "InputError";
};
var MeasureError = class extends Error {
  name = "MeasureError";
};

export {
  InputError,
  MeasureError
};

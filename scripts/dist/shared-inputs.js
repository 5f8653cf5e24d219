import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  InputError
} from "./shared-errors.js";

// scripts/src/github/inputs.ts
var COMMENT_POLICIES = ["always", "on-change", "on-regression", "never"];
var DRIVERS = ["auto", "compose", "process", "url"];
function readInputs(env) {
  const problems = [];
  const text = (name) => {
    const value = env[`INPUT_${name.replaceAll("-", "_").toUpperCase()}`]?.trim() ?? "";
    return value === "" ? null : value;
  };
  const matching = (name, pattern, allowed) => {
    const value = text(name);
    if (value !== null && !pattern.test(value)) problems.push(complaint(name, allowed, value));
    return value;
  };
  const oneOf = (name, values, otherwise) => {
    const value = text(name);
    if (value === null) return otherwise;
    const found = values.find((allowed) => allowed === value);
    if (found === void 0) problems.push(complaint(name, values.join(", "), value));
    return found ?? otherwise;
  };
  const inputs = {
    config: matching(
      "config",
      /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\p{Cc}]+$/u,
      "a path below the checkout, such as .github/perf-gate.yml"
    ),
    base: matching("base", /^[^-\p{Cc}\s][^\p{Cc}\s]*$/u, "a branch, tag or commit, such as main, or stored"),
    driver: oneOf("driver", DRIVERS, "auto"),
    budget: text("budget"),
    install: oneOf("install", ["true", "false"], "true") === "true",
    artifact: matching("artifact", /^[\w.-]{1,64}$/, "letters, digits, _, . and -, at most 64") ?? "perf-gate",
    acceptLabel: readLabel(text("accept-label"), problems),
    comment: oneOf("comment", COMMENT_POLICIES, "always")
  };
  if (problems.length > 0) throw new InputError(problems.join("\n"));
  return inputs;
}
var ACCEPT_LABEL = "perf-regression-accepted";
function readLabel(value, problems) {
  if (value === "none") return null;
  if (value !== null && !/^[^\p{Cc},]{1,50}$/u.test(value)) {
    problems.push(complaint("accept-label", "the name of a label, at most 50 characters, or none", value));
  }
  return value ?? ACCEPT_LABEL;
}
function complaint(name, allowed, got) {
  return `input ${name}: allowed is ${allowed}; got ${JSON.stringify(got.slice(0, 200))}`;
}

export {
  readInputs
};

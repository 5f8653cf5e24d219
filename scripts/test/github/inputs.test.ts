import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { InputError } from "../../src/core/errors.ts";
import { type Inputs, readInputs } from "../../src/github/inputs.ts";

const DEFAULTS: Inputs = {
  config: null,
  base: null,
  driver: "auto",
  budget: null,
  install: true,
  artifact: "perf-gate",
  acceptLabel: "perf-regression-accepted",
  comment: "always",
};

const yaml = (path: string) => parse(readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8"));
/** Declared inputs of the action or of a reusable workflow. */
const declared: Record<string, Record<string, { default?: unknown; type?: string }>> = {
  "action.yml": yaml("action.yml").inputs,
  "perf-gate.yml": yaml(".github/workflows/perf-gate.yml").on.workflow_call.inputs,
  "perf-report.yml": yaml(".github/workflows/perf-report.yml").on.workflow_call.inputs,
};

test("nothing said: the defaults", () => {
  expect(readInputs({})).toEqual(DEFAULTS);
  expect(readInputs({ INPUT_CONFIG: "", INPUT_DRIVER: " ", INPUT_INSTALL: "" })).toEqual(DEFAULTS);
});

test.each(Object.keys(declared))("the defaults of %s are the program's", (file) => {
  const env = Object.fromEntries(
    Object.entries(declared[file] ?? {}).map(([name, { default: value }]) => [
      `INPUT_${name.replaceAll("-", "_").toUpperCase()}`,
      value === undefined ? "" : String(value),
    ]),
  );
  expect(readInputs(env)).toEqual(DEFAULTS);
});

test("everything said", () => {
  expect(
    readInputs({
      INPUT_CONFIG: ".github/perf gate.yml",
      INPUT_BASE: "release/1.x",
      INPUT_DRIVER: "process",
      INPUT_BUDGET: "5m",
      INPUT_INSTALL: "false",
      INPUT_ARTIFACT: "perf-api",
      INPUT_ACCEPT_LABEL: "slow is fine",
      INPUT_COMMENT: "on-change",
    }),
  ).toEqual({
    config: ".github/perf gate.yml",
    base: "release/1.x",
    driver: "process",
    budget: "5m",
    install: false,
    artifact: "perf-api",
    acceptLabel: "slow is fine",
    comment: "on-change",
  });
  expect(readInputs({ INPUT_ACCEPT_LABEL: "none" }).acceptLabel).toBeNull();
});

describe("one wrong input", () => {
  test.each([
    ["INPUT_CONFIG", "/etc/passwd"],
    ["INPUT_CONFIG", "../other.yml"],
    ["INPUT_CONFIG", "a/../../b.yml"],
    ["INPUT_CONFIG", "a\nb"],
    ["INPUT_BASE", "--upload-pack=x"],
    ["INPUT_BASE", "two words"],
    ["INPUT_DRIVER", "docker"],
    ["INPUT_INSTALL", "yes"],
    ["INPUT_INSTALL", "True"],
    ["INPUT_ARTIFACT", "a/b"],
    ["INPUT_ARTIFACT", "x".repeat(65)],
    ["INPUT_ACCEPT_LABEL", "a,b"],
    ["INPUT_COMMENT", "sometimes"],
  ])("%s=%j", (name, value) => {
    expect(() => readInputs({ [name]: value })).toThrow(InputError);
    expect(() => readInputs({ [name]: value })).toThrow(/^input [a-z-]+: allowed is .*; got "/);
  });
});

test("all of them at once", () => {
  const wrong = { INPUT_DRIVER: "docker", INPUT_INSTALL: "1", INPUT_COMMENT: "no", INPUT_ARTIFACT: "a b" };
  expect(() => readInputs(wrong)).toThrow(/input driver.*\ninput install.*\ninput artifact.*\ninput comment/);
});

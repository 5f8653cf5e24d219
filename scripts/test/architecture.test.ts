import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const SOURCE = fileURLToPath(new URL("../src/", import.meta.url));

/** What each floor may import besides itself; "top" is what lies directly in scripts/src. */
const BELOW: Record<string, readonly string[]> = {
  core: [],
  config: ["core"],
  target: ["core"],
  report: ["core"],
  history: ["core"],
  github: ["core"],
  measure: ["core", "target"],
  phases: ["core", "config", "target", "report", "history", "github", "measure"],
  // It names subcommands; what starts processes is behind a phase.
  top: ["phases", "core", "config", "report"],
};

/** Same input, same output: these floors get the clock, random seeds and files handed in. */
const PURE = ["core", "report"];
const PURE_PACKAGES: Record<string, RegExp> = {
  core: /^(@stdlib\/|pure-rand(\/|$))/,
  report: /^(markdown-table|csv-stringify\/(browser\/esm\/)?sync|marked|picocolors)$/,
};
const IMPURE =
  /\b(?:Date\.now|new Date\(\s*\)|Math\.random|performance\.\w|process\.\w|globalThis\b|require\(|setTimeout\(|setInterval\(|setImmediate\(|fetch\(|crypto\.\w|console\.\w)/g;

const COMMENT_OR_STRING = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

const isComment = (token: string) => token.startsWith("/");
const withoutComments = (text: string) => text.replace(COMMENT_OR_STRING, (token) => (isComment(token) ? " " : token));
const codeOnly = (text: string) => text.replace(COMMENT_OR_STRING, (token) => (isComment(token) ? " " : '""'));

/** Everything a file imports, types included: a floor must not know the words of its neighbours either. */
function importsOf(text: string): string[] {
  const patterns = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|\brequire\s*\(\s*)["']([^"']+)["']/g;
  return [...withoutComments(text).matchAll(patterns)].map((match) => match[1] as string);
}

function floorOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "top";
}

function importViolation(path: string, floor: string, imported: string): string | null {
  if (!imported.startsWith(".")) {
    if (!PURE.includes(floor) || PURE_PACKAGES[floor]?.test(imported)) return null;
    return `${path}: ${floor} is pure, it must not import ${imported}`;
  }
  const file = normalize(join(dirname(path), imported));
  if (file === "../../package.json" && floor === "top") return null;
  if (file.startsWith("..")) return `${path}: imports ${imported}, outside scripts/src`;
  const other = floorOf(file);
  if (other === floor || BELOW[floor]?.includes(other)) return null;
  return `${path}: ${floor} must not import ${file}`;
}

/** One sentence per rule that a file breaks; `path` is relative to scripts/src. */
function violations(path: string, text: string): string[] {
  const floor = floorOf(path);
  if (BELOW[floor] === undefined) return [`${path}: no floor has the name ${floor}`];
  const found = importsOf(text).flatMap((imported) => importViolation(path, floor, imported) ?? []);
  if (PURE.includes(floor)) {
    for (const [use] of codeOnly(text).matchAll(IMPURE))
      found.push(`${path}: ${floor} is pure, it must not use ${use}`);
  }
  return found;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .toSorted();

test("there are files to look at, on every floor that exists", () => {
  expect(files.length).toBeGreaterThan(20);
  expect(files).toContain("core/model.ts");
});

test.each(files)("%s imports only what its floor may", (path) => {
  expect(violations(path, readFileSync(join(SOURCE, path), "utf8"))).toEqual([]);
});

describe("a planted violation is found", () => {
  test.each([
    ["core/a.ts", 'import { readFile } from "node:fs/promises";'],
    ["core/a.ts", 'import { z } from "zod";'],
    ["core/stats/a.ts", 'import type { Target } from "../../target/target.ts";'],
    ["core/a.ts", 'export * from "../report/view.ts";'],
    ["core/a.ts", 'const x = await import("node:os");'],
    ["core/a.ts", 'import {\n  a,\n  b,\n} from "../config/load.ts";'],
    ["core/a.ts", 'import "../config/load.ts";'],
    ["core/a.ts", "const now = Date.now();"],
    ["core/a.ts", "const now = new Date();"],
    ["core/a.ts", "const x = Math.random();"],
    ["core/a.ts", "if (process.env.CI) {}"],
    ["core/a.ts", "const t = performance.now();"],
    ["report/a.ts", 'import { writeFile } from "node:fs/promises";'],
    ["report/a.ts", 'import { load } from "../config/load.ts";'],
    ["report/a.ts", "const now = Date.now();"],
    ["config/a.ts", 'import { start } from "../target/start.ts";'],
    ["target/process/a.ts", 'import { k6 } from "../../measure/k6.ts";'],
    ["measure/a.ts", 'import { render } from "../report/markdown.ts";'],
    ["measure/a.ts", 'import { load } from "../config/load.ts";'],
    ["measure/a.ts", 'import { measure } from "../phases/measure.ts";'],
    ["phases/a.ts", 'import { main } from "../main.ts";'],
    ["main.ts", 'import { start } from "./target/start.ts";'],
    ["cli.ts", 'const k6 = await import("./measure/k6.ts");'],
    ["core/a.ts", 'import x from "../../../fixtures/x.json";'],
    ["shared/a.ts", ""],
  ])("%s: %s", (path, text) => {
    expect(violations(path, text)).toHaveLength(1);
  });
});

describe("what is allowed stays allowed", () => {
  test.each([
    ["core/stats/a.ts", 'import tCdf from "@stdlib/stats-base-dists-t-cdf";\nimport { b } from "../model.ts";'],
    ["core/a.ts", '// import "node:fs": a comment\n/* Date.now() */\nconst text = "process.env and Math.random";'],
    ["core/a.ts", "const at = new Date(startedAt);"],
    ["measure/a.ts", 'import { Target } from "../target/target.ts";\nimport fs from "node:fs";'],
    ["phases/a.ts", 'import { load } from "../config/load.ts";\nimport { x } from "../measure/k6.ts";'],
    ["main.ts", 'import { InputError } from "./core/errors.ts";\nconst p = import("./phases/run.ts");'],
    ["cli.ts", 'import { version } from "../../package.json";'],
  ])("%s: %s", (path, text) => {
    expect(violations(path, text)).toEqual([]);
  });
});

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { parseConfig } from "../../src/config/load.ts";

const PRESETS = fileURLToPath(new URL("../../../fixtures/presets", import.meta.url));
const APP = resolve(PRESETS, "../app");
const files = readdirSync(PRESETS)
  .filter((name) => name.endsWith(".yml"))
  .toSorted();

interface Matrix {
  tree: string;
  factors?: Record<string, Record<string, { query?: string }>>;
}

function read(file: string) {
  const text = readFileSync(join(PRESETS, file), "utf8");
  const { matrix, ...rest } = parse(text, { merge: true }) as { matrix: Matrix; scenarios: { path: string }[] };
  return { text, matrix, rest, factors: Object.entries(matrix.factors ?? {}) };
}

test("there are presets, each with a row in the table", () => {
  expect(files.length).toBeGreaterThan(7);
  const table = readFileSync(join(PRESETS, "README.md"), "utf8");
  const rows = [...table.matchAll(/^\| \[([a-z-]+)\]\(([a-z-]+\.yml)\) \|/gm)];
  expect(rows.map(([, , file]) => file).toSorted()).toEqual(files);
  for (const [, name, file] of rows) expect(file).toBe(`${name}.yml`);
});

describe.each(files)("%s", (file) => {
  const { text, matrix, rest, factors } = read(file);

  test("says on top what it asks, how it is run and what is known", () => {
    const comment = text.slice(0, text.search(/^[^#]/m));
    expect(comment).toMatch(/^# .*\?/s);
    expect(comment).toContain(`\n#   perf-gate matrix fixtures/presets/${file}\n`);
    expect(comment).toContain("\n# Published: ");
  });

  test("is a valid configuration of a tree that is there, and so is each of its levels", () => {
    expect(statSync(resolve(PRESETS, matrix.tree)).isDirectory()).toBe(true);
    const variants = Object.fromEntries(
      factors.flatMap(([factor, levels]) =>
        Object.entries(levels).map(([level, variant]) => [`${factor}-${level}`.replaceAll(".", "_"), variant]),
      ),
    );
    const parsed = parseConfig(stringify({ ...rest, variants }), { file, directory: PRESETS });
    expect(parsed.scenarios.length).toBe(rest.scenarios.length);
    // A mapping's whole numbers would come first, and the first level is the reference.
    for (const [, levels] of factors) {
      expect(Object.keys(levels).length).toBeGreaterThan(1);
      expect(Object.keys(levels)).not.toContainEqual(expect.stringMatching(/^\d+$/));
    }
  });

  test.skipIf(resolve(PRESETS, matrix.tree) !== APP)("asks for nothing that the application does not know", () => {
    const source = readFileSync(join(APP, "src/App.php"), "utf8");
    const routes = [...source.matchAll(/case '(\/\w+)':/g)].map(([, route]) => route);
    const parameters = [...source.matchAll(/(?:\$_GET\[|->(?:number|choice)\()'(\w+)'/g)].map(([, name]) => name);
    const levels = factors.flatMap(([, named]) => Object.values(named));
    for (const query of levels.flatMap((level) => level.query ?? [])) {
      for (const name of new URLSearchParams(query).keys()) expect(parameters).toContain(name);
    }
    for (const { path } of rest.scenarios) {
      const { pathname, searchParams } = new URL(path, "http://localhost");
      expect(routes).toContain(pathname);
      for (const name of searchParams.keys()) expect(parameters).toContain(name);
    }
  });
});

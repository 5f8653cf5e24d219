import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseConfig } from "../../src/config/load.ts";
import { pointsOf } from "../../src/core/matrix.ts";
import type { MatrixConfig } from "../../src/core/model.ts";

const PRESETS = fileURLToPath(new URL("../../../fixtures/presets", import.meta.url));
const APP = resolve(PRESETS, "../app");
const files = readdirSync(PRESETS)
  .filter((name) => name.endsWith(".yml"))
  .toSorted();

function read(file: string) {
  const text = readFileSync(join(PRESETS, file), "utf8");
  const config = parseConfig(text, { file, directory: PRESETS });
  const written = parse(text, { merge: true }) as { scenarios: { path: string }[] };
  const matrix = config.matrix as MatrixConfig;
  return { text, matrix, scenarios: written.scenarios, factors: Object.entries(matrix.factors) };
}

test("there are presets, each with a row in the table", () => {
  expect(files.length).toBeGreaterThan(7);
  const table = readFileSync(join(PRESETS, "README.md"), "utf8");
  const rows = [...table.matchAll(/^\| \[([a-z-]+)\]\(([a-z-]+\.yml)\) \|/gm)];
  expect(rows.map(([, , file]) => file).toSorted()).toEqual(files);
  for (const [, name, file] of rows) expect(file).toBe(`${name}.yml`);
});

describe.each(files)("%s", (file) => {
  const { text, matrix, scenarios, factors } = read(file);

  test("says on top what it asks, how it is run and what is known", () => {
    const comment = text.slice(0, text.search(/^[^#]/m));
    expect(comment).toMatch(/^# .*\?/s);
    expect(comment).toContain(`\n#   perf-gate matrix fixtures/presets/${file}\n`);
    expect(comment).toContain("\n# Published: ");
  });

  test("has points of a tree that is there", () => {
    expect(statSync(resolve(PRESETS, matrix.tree ?? "")).isDirectory()).toBe(true);
    expect(pointsOf(matrix).length).toBeGreaterThan(0);
    for (const [, levels] of factors) expect(Object.keys(levels).length).toBeGreaterThan(1);
  });

  test.skipIf(resolve(PRESETS, matrix.tree ?? "") !== APP)(
    "asks for nothing that the application does not know",
    () => {
      const source = readFileSync(join(APP, "src/App.php"), "utf8");
      const routes = [...source.matchAll(/case '(\/\w+)':/g)].map(([, route]) => route);
      const parameters = [...source.matchAll(/(?:\$_GET\[|->(?:number|choice)\()'(\w+)'/g)].map(([, name]) => name);
      const levels = factors.flatMap(([, named]) => Object.values(named));
      for (const query of levels.flatMap((level) => level.query ?? [])) {
        for (const name of new URLSearchParams(query).keys()) expect(parameters).toContain(name);
      }
      for (const { path } of scenarios) {
        const { pathname, searchParams } = new URL(path, "http://localhost");
        expect(routes).toContain(pathname);
        for (const name of searchParams.keys()) expect(parameters).toContain(name);
      }
    },
  );
});

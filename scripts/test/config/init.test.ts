import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { detectApplication, renderInit, writeInit } from "../../src/config/init.ts";
import { parseConfig } from "../../src/config/load.ts";
import { InputError } from "../../src/core/errors.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-init-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function plant(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

const composer = (require: Record<string, string>): string => JSON.stringify({ require });

const TREES: Record<string, Record<string, string>> = {
  laravel: {
    artisan: "",
    "public/index.php": "",
    "composer.json": composer({ php: "^8.2", "laravel/framework": "^11.0", "predis/predis": "^2.0" }),
    "bootstrap/app.php": "->withRouting(\n  health: '/up',\n)",
    ".env.example": "APP_KEY=\nDB_CONNECTION=mysql\nCACHE_STORE=redis\nREDIS_HOST=127.0.0.1\nDB_PASSWORD=hunter2\n",
  },
  "laravel-sqlite": {
    artisan: "",
    "public/index.php": "",
    "composer.json": composer({ php: "^8.2", "laravel/framework": "^11.0" }),
    ".env.example": "DB_CONNECTION=sqlite\nCACHE_STORE=database\nREDIS_HOST=127.0.0.1\n",
  },
  symfony: {
    "bin/console": "",
    "public/index.php": "",
    "composer.json": composer({
      php: ">=8.2",
      "symfony/framework-bundle": "7.1.*",
      "doctrine/doctrine-migrations-bundle": "^3.3",
      "ext-redis": "*",
    }),
    ".env": '# secrets\nDATABASE_URL="mysql://app:s3cret@127.0.0.1:3306/app?serverVersion=8.0"\n',
  },
  wordpress: { "index.php": "", "wp-load.php": "", "wp-config-sample.php": "" },
  bedrock: {
    "web/index.php": "",
    "web/wp-config.php": "",
    "composer.json": composer({ php: ">=8.1", "roots/wordpress": "6.5" }),
  },
  slim: {
    "public/index.php": "",
    "composer.json": composer({ php: "^7.4 || ^8.0", "slim/slim": "4.*", "ext-pdo_mysql": "*" }),
  },
  plain: { "index.php": "" },
  postgres: {
    "public/index.php": "",
    ".env": "DATABASE_URL=postgresql://app@localhost/app\nREDIS_URL=redis://localhost\n",
  },
  nothing: { "README.md": "" },
};

test.each(Object.entries(TREES))("the configuration written for %s", async (name, files) => {
  plant(files);
  const text = renderInit(await detectApplication(directory));
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, `golden/init-${name}.yml`));
  const config = parseConfig(text, { file: "perf-gate.yml", directory });
  expect(config.scenarios.map(({ name }) => name)).toEqual(["home", "home, no keep-alive"]);
  expect(text).not.toMatch(/hunter2|s3cret/);
});

test("what was found is in the configuration, as text that YAML does not change", async () => {
  plant(TREES["laravel"] ?? {});
  const { target } = parseConfig(renderInit(await detectApplication(directory)), { file: "perf-gate.yml", directory });
  expect(target.root).toBe("public");
  expect(target.healthPath).toBe("/up");
  expect(target.services).toEqual(["mysql", "redis"]);
  expect(target.env["APP_DEBUG"]).toBe("false");
  expect(Buffer.from((target.env["APP_KEY"] ?? "").replace("base64:", ""), "base64")).toHaveLength(32);
  expect(target.prepare.at(-1)).toBe("php artisan optimize");
});

test("files made to confuse it", async () => {
  plant({
    "index.php": "",
    "composer.json": composer({ php: "^8\nbudget: 1s\n\u2028x: y" }),
    "bootstrap/app.php": "health: '/x # y\n'",
    artisan: "",
    ".env": "\0\0=\nDB_CONNECTION",
  });
  const text = renderInit(await detectApplication(directory));
  expect(parseConfig(text, { file: "perf-gate.yml", directory }).measure.budgetSeconds).toBe(600);
  expect(text).toContain("# composer.json asks for PHP ^8 budget: 1s  x: y;");

  plant({ "composer.json": "{ not json" });
  expect((await detectApplication(directory)).phpRequirement).toBeNull();
});

test("an existing file is never replaced unless asked", async () => {
  plant({ "index.php": "" });
  expect(await writeInit(directory)).toBe(join(directory, "perf-gate.yml"));
  writeFileSync(join(directory, "perf-gate.yml"), "mine");
  await expect(writeInit(directory)).rejects.toThrow(
    new InputError(
      "perf-gate.yml: exists already and is left as it is. Edit it, or replace it with: perf-gate init --force",
    ),
  );
  expect(readFileSync(join(directory, "perf-gate.yml"), "utf8")).toBe("mine");
  await writeInit(directory, { force: true });
  expect(readFileSync(join(directory, "perf-gate.yml"), "utf8")).toMatch(/^# What perf-gate measures/);
});

test("a configuration in another of its places counts as existing", async () => {
  plant({ ".github/perf-gate.yml": "mine" });
  await expect(writeInit(directory)).rejects.toThrow(/^\.github\/perf-gate\.yml: exists already/);
  expect(await writeInit(directory, { force: true })).toBe(join(directory, ".github/perf-gate.yml"));
});

test("a directory that is none", async () => {
  const path = join(directory, "none");
  await expect(writeInit(path)).rejects.toThrow(
    new InputError(`${path}: expected the directory of the application; got none. Correct the path.`),
  );
});

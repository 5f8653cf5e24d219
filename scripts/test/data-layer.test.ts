import { execFile, execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Stack, startStack, subtract } from "./support/services.ts";

const run = promisify(execFile);
const DATA_LAYER = join(import.meta.dirname, "../../fixtures/data-layer");
const LAYERS = ["pdo", "dbal", "eloquent", "orm"];

/** "not installed: apt-get install ...", as the fixture itself says it; "" where all is there. */
const ASK_WHAT_IS_MISSING = `require 'src/settings.php';
try { require_packages(array_keys(LAYERS)); } catch (RuntimeException $error) { echo $error->getMessage(); }`;
const missing = execFileSync("php", ["-r", ASK_WHAT_IS_MISSING], { cwd: DATA_LAYER, encoding: "utf8" });

let stack: Stack;
let tree = "";

beforeAll(async () => {
  stack = await startStack();
  // nginx of the stack serves this one where no other is named.
  tree = join(stack.trees, "clean");
  cpSync(DATA_LAYER, tree, { recursive: true });
});

afterAll(() => stack?.close());

async function get(path: string) {
  const response = await fetch(stack.url + path);
  // biome-ignore lint/suspicious/noExplicitAny: the tests read what they expect
  return { status: response.status, body: (await response.json()) as any };
}

const seed = (more: object = {}) => {
  const env = { ...process.env, ...stack.env, ...more };
  return run("php", ["seed.php"], { cwd: tree, env });
};

test("every PHP file parses", async () => {
  const files = (await readdir(DATA_LAYER, { recursive: true })).filter((name) => name.endsWith(".php"));
  expect(files.length).toBeGreaterThan(8);
  await Promise.all(files.map((file) => run("php", ["-l", join(DATA_LAYER, file)])));
});

test.each(["/", "/item", "/item?layer=none", "/item?layer[]=pdo", "/settings"])("%s is 404", async (path) => {
  const error = "no such layer: ask for /pdo, /dbal, /eloquent, /orm";
  expect(await get(path)).toEqual({ status: 404, body: { error } });
});

test.skipIf(missing === "")("what is not installed is named, before anything is measured", async () => {
  await expect(seed()).rejects.toMatchObject({ code: 1, stderr: `seed.php: ${missing}\n` });
  expect(await get("/ready")).toEqual({ status: 503, body: { error: missing } });
});

describe.skipIf(missing !== "")(`layers${missing === "" ? "" : ` (${missing})`}`, () => {
  test("without a table /ready is 503; seed.php fills it, once, and reads it through every layer", async () => {
    const before = await get("/ready");
    expect(before.status).toBe(503);
    expect(before.body.error).toContain("items");
    const counters = await stack.counters();
    expect((await seed()).stdout).toBe("seeded: 100000 items, read by pdo, dbal, eloquent, orm\n");
    // Many rows at a time: it is done for each version.
    expect(subtract(await stack.counters(), counters).sqlStatements).toBeLessThan(100);
    expect(await get("/ready")).toEqual({ status: 200, body: { ready: true } });
    await seed();
    await expect(seed({ MYSQL_DATABASE: "none" })).rejects.toMatchObject({ code: 1 });
  });

  test.each(LAYERS)("/%s is a row drawn at random, over a connection that stays", async (layer) => {
    const ids = new Set<number>();
    await get(`/${layer}`);
    const before = await stack.counters();
    for (let i = 0; i < 10; i++) {
      const { status, body } = await get(i % 2 === 0 ? `/${layer}` : `/item?layer=${layer}`);
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          id: expect.any(Number),
          name: `Item ${String(body.id).padStart(6, "0")}`,
          price: expect.stringMatching(/^\d+\.\d\d$/),
          payload: expect.stringMatching(/^[0-9a-f]{100}$/),
        },
      });
      ids.add(body.id);
    }
    expect(ids.size).toBeGreaterThan(5);
    const cost = subtract(await stack.counters(), before);
    expect(cost.dbConnections).toBe(0);
    // Laravel sets up a connection by statements of its own, in every request: 1 to 4, by its version.
    if (layer !== "eloquent") expect(cost.sqlStatements).toBe(10);
    else expect([20, 30, 40, 50]).toContain(cost.sqlStatements);
  });
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { jsonSchema, keysAt, renderJsonSchema } from "../../src/config/json-schema.ts";
import { parseConfig } from "../../src/config/load.ts";

const scripts = join(import.meta.dirname, "../..");

type Json = Record<string, unknown>;

/** Every mapping and value of the schema below `properties`, by its path. */
function* described(schema: Json, path: string): Generator<[string, Json]> {
  for (const [name, below] of Object.entries((schema["properties"] ?? {}) as Record<string, Json>)) {
    yield [`${path}${name}`, below];
    yield* described(below, `${path}${name}.`);
  }
  if (schema["items"]) yield* described(schema["items"] as Json, `${path}[].`);
}

test("the committed JSON Schema is the one of the source (vitest --update writes it)", async () => {
  await expect(renderJsonSchema()).toMatchFileSnapshot(join(scripts, "perf-gate.schema.json"));
});

test("every key has a description, every mapping refuses other keys", () => {
  const keys = [...described(jsonSchema(), "")];
  expect(keys.length).toBeGreaterThan(60);
  expect(keys.filter(([, schema]) => !schema["description"]).map(([path]) => path)).toEqual([]);
  const open = keys.filter(([, schema]) => schema["properties"] && schema["additionalProperties"] !== false);
  expect(open.map(([path]) => path)).toEqual([]);
});

test("it shows defaults as they are written, not as they are parsed", () => {
  const gate = (jsonSchema() as { properties: Record<string, { properties: Record<string, Json> }> }).properties[
    "gate"
  ];
  expect(gate?.properties["max-qps-drop"]).toEqual({
    type: "string",
    pattern: "^[0-9]+(\\.[0-9]+)?%$",
    examples: ["5%"],
    default: "5%",
    description:
      "Throughput a scenario may lose. Red only when the drop is surely larger, green only when it is surely smaller.",
  });
});

test("keysAt follows lists and ends at free mappings", () => {
  expect(keysAt(jsonSchema(), ["scenarios", 0, "checks"])).toEqual(["status", "body-contains"]);
  expect(keysAt(jsonSchema(), ["target", "env"])).toEqual([]);
});

const suite = join(scripts, "../fixtures/app/perf-gate.yml");
test.skipIf(!existsSync(suite))("the configuration of the reference application is valid", () => {
  const config = parseConfig(readFileSync(suite, "utf8"), { file: suite, directory: join(suite, "..") });
  const cells = config.scenarios.map(({ load }) => (load.model === "closed" ? load.vus.length : 0));
  expect(cells.reduce((sum, n) => sum + n, 0)).toBe(8);
});

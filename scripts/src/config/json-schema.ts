import * as z from "zod";
import { fileSchema } from "./schema.ts";

export type JsonSchema = { [key: string]: unknown };

/** The JSON Schema of the configuration file, for editors: what may be written, not what it is parsed to. */
export function jsonSchema(): JsonSchema {
  const schema: JsonSchema = z.toJSONSchema(fileSchema, {
    io: "input",
    override: ({ jsonSchema: json }) => {
      const raw = json as JsonSchema;
      // An absent section has no default of its own: its keys have.
      if (isEmpty(raw["default"])) delete raw["default"];
      if (raw["oneOrMany"] === true) acceptSingle(raw);
    },
  });
  const { $schema, ...rest } = schema;
  return {
    $schema,
    title: "perf-gate configuration",
    description: "Did this change make the PHP service slower? Every key is optional.",
    ...rest,
  };
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

function acceptSingle(json: JsonSchema): void {
  const { type, items, minItems } = json;
  for (const key of ["oneOrMany", "type", "items", "minItems"]) delete json[key];
  json["anyOf"] = [items, { type, items, ...(minItems === undefined ? {} : { minItems }) }];
}

/** The keys that may be written in the mapping at a path such as ["scenarios", 0, "gate"]; none where it is free. */
export function keysAt(schema: JsonSchema, path: readonly PropertyKey[]): string[] {
  let here: JsonSchema | undefined = schema;
  for (const step of path) here = child(here, typeof step === "number" ? "items" : String(step));
  return Object.keys((here?.["properties"] as JsonSchema | undefined) ?? {});
}

function child(schema: JsonSchema | undefined, step: string): JsonSchema | undefined {
  if (step === "items") return schema?.["items"] as JsonSchema | undefined;
  return (schema?.["properties"] as Record<string, JsonSchema> | undefined)?.[step];
}

/** Paths, such as "gate.max-p99", of every key of that name. */
export function pathsOf(schema: JsonSchema, name: string, prefix = ""): string[] {
  const properties = Object.entries((schema["properties"] as Record<string, JsonSchema> | undefined) ?? {});
  const found = properties.flatMap(([key, below]) => [
    ...(key === name ? [`${prefix}${key}`] : []),
    ...pathsOf(below, name, `${prefix}${key}.`),
  ]);
  const items = schema["items"] as JsonSchema | undefined;
  return items ? [...found, ...pathsOf(items, name, `${prefix.replace(/\.$/, "[]")}.`)] : found;
}

import * as z from "zod";
import { fileSchema } from "./schema.ts";

export type JsonSchema = { [key: string]: unknown };

/** The JSON Schema of the configuration file, for editors: what may be written, not what it is parsed to. */
export function jsonSchema(): JsonSchema {
  cached ??= makeJsonSchema();
  return cached;
}

let cached: JsonSchema | undefined;

/** zod drops these of a value that is transformed, since it takes them for parsed ones; ours are as they are written. */
const WRITTEN: Record<string, string> = { writtenExamples: "examples", writtenDefault: "default" };

function makeJsonSchema(): JsonSchema {
  const { $schema, ...rest } = asWritten(z.toJSONSchema(fileSchema, { io: "input" })) as JsonSchema;
  return {
    $schema,
    title: "perf-gate configuration",
    description: "Did this change make the PHP service slower? Every key is optional.",
    ...rest,
  };
}

/** The same schema with our own keywords put into JSON Schema's. */
function asWritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asWritten);
  if (typeof value !== "object" || value === null) return value;
  const json: JsonSchema = {};
  for (const [key, inner] of Object.entries(value)) {
    // An absent section has no default of its own: its keys have.
    if (key !== "default" || !isEmpty(inner)) json[WRITTEN[key] ?? key] = asWritten(inner);
  }
  if (json["oneOrMany"] !== true) return json;
  const { oneOrMany, type, items, minItems, ...rest } = json;
  return { ...rest, anyOf: [items, { type, items, minItems }] };
}

/** Text of scripts/perf-gate.schema.json: lists of plain values on one line, as the formatter has them. */
export function renderJsonSchema(): string {
  const text = JSON.stringify(jsonSchema(), null, 2).replaceAll(/\[\s+([^[\]{}]*?)\s+\]/g, (whole, items: string) => {
    const line = `[${items.replaceAll(/\s*\n\s*/g, " ")}]`;
    return line.length <= 80 ? line : whole;
  });
  return `${text}\n`;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** The keys that may be written in the mapping at a path such as ["scenarios", 0, "gate"]; none where it is free. */
export function keysAt(schema: JsonSchema, path: readonly PropertyKey[]): string[] {
  let here: JsonSchema | undefined = schema;
  for (const step of path) here = child(here, typeof step === "number" ? "items" : String(step));
  return Object.keys((here?.["properties"] as JsonSchema | undefined) ?? {});
}

function child(schema: JsonSchema | undefined, step: string): JsonSchema | undefined {
  if (step === "items") return schema?.["items"] as JsonSchema | undefined;
  const named = (schema?.["properties"] as Record<string, JsonSchema> | undefined)?.[step];
  return named ?? ((schema?.["additionalProperties"] || undefined) as JsonSchema | undefined);
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

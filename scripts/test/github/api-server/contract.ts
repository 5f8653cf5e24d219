import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";

/** What of GitHub's OpenAPI description is used here. */
interface Description {
  paths: Record<string, Record<string, OperationObject>>;
}
interface OperationObject {
  operationId: string;
  parameters?: (ParameterObject | Reference)[];
  requestBody?: { required?: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, ResponseObject | Reference>;
}
interface ParameterObject {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  /** A path's parameter that may hold slashes. */
  "x-multi-segment"?: boolean;
  schema: object;
}
interface ResponseObject {
  content?: Record<string, { schema: object; examples?: Record<string, { value?: unknown } | Reference> }>;
}
interface Reference {
  $ref: string;
}

export interface Call {
  /** e.g. issues/list-comments */
  operation: string;
  /** Decoded values of the path's and the query's parameters, as text. */
  path: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

/** GitHub's own description of its API: which calls there are, and what their requests and answers look like. */
export class Contract {
  readonly #description: Description;
  readonly #routes: { method: string; pattern: RegExp; names: string[]; operation: OperationObject; pointer: string }[];
  readonly #ajv: Ajv;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor() {
    const require = createRequire(import.meta.url);
    this.#description = withPlainNulls(require("@octokit/openapi/generated/api.github.com.json")) as Description;
    this.#ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false, logger: false });
    formats.default(this.#ajv);
    this.#ajv.addSchema(this.#description as unknown as object, "github");
    this.#routes = Object.entries(this.#description.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        operation,
        pointer: `#/paths/${escapePointer(template)}/${method}`,
        names: [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string),
        pattern: this.#pattern(template, operation),
      })),
    );
  }

  /** The call that a request makes, and what is wrong with it; null where GitHub has none such. */
  call(method: string, url: URL, body: unknown): { call: Call; problems: string[] } | null {
    // A template without parameters wins over one that has them at the same place: issues/comments before {number}.
    const found = this.#routes
      .filter((route) => route.method === method && route.pattern.test(url.pathname))
      .sort((a, b) => a.names.length - b.names.length)[0];
    if (found === undefined) return null;
    const values = found.pattern.exec(url.pathname) ?? [];
    const path = Object.fromEntries(found.names.map((name, at) => [name, decodeURIComponent(values[at + 1] ?? "")]));
    const query = Object.fromEntries(url.searchParams);
    const call = { operation: found.operation.operationId, path, query, body };
    return { call, problems: this.#problems(found.operation, found.pointer, call) };
  }

  /** What is wrong with an answer; empty where it is as GitHub describes it. */
  answerProblems(operation: string, status: number, body: unknown): string[] {
    const { pointer, response } = this.#response(operation, status);
    // Not every refusal is listed with every call.
    if (status >= 400 && response === null) return this.#check("#/components/schemas/basic-error", body, `${status}`);
    if (response === null) return [`${operation}: GitHub does not answer ${status}`];
    const type = Object.keys(response.content ?? {})[0];
    if (type === undefined) return body === null ? [] : [`${operation}: ${status} has no body`];
    return this.#check(`${pointer}/content/${escapePointer(type)}/schema`, body, `${operation} ${status}`);
  }

  /** GitHub's own example of an answer, a copy: filled in with what is our own it passes the check. */
  example<T>(operation: string, status: number): T {
    const { response } = this.#response(operation, status);
    const [content] = Object.values(response?.content ?? {});
    const [example] = Object.values(content?.examples ?? {});
    const resolved = this.#resolve<{ value?: unknown }>(example);
    if (resolved?.value === undefined) throw new Error(`${operation} ${status} has no example`);
    return structuredClone(resolved.value) as T;
  }

  #pattern(template: string, { parameters = [] }: OperationObject): RegExp {
    const multiple = parameters
      .map((given) => this.#resolve<ParameterObject>(given))
      .filter((parameter) => parameter?.["x-multi-segment"] === true)
      .map((parameter) => parameter?.name);
    const segment = (_: string, name: string) => (multiple.includes(name) ? "(.+)" : "([^/]+)");
    return new RegExp(`^${template.replaceAll(".", "\\.").replace(/\{(\w+)\}/g, segment)}$`);
  }

  #response(operation: string, status: number): { pointer: string; response: ResponseObject | null } {
    const route = this.#routes.find((candidate) => candidate.operation.operationId === operation);
    if (route === undefined) throw new Error(`no operation ${operation}`);
    const given = route.operation.responses[String(status)];
    if (given !== undefined && "$ref" in given) {
      return { pointer: given.$ref, response: this.#resolve<ResponseObject>(given) };
    }
    return { pointer: `${route.pointer}/responses/${status}`, response: given ?? null };
  }

  #problems(operation: OperationObject, pointer: string, { path, query, body }: Call): string[] {
    const parameters = (operation.parameters ?? []).map((given, at) => ({
      ...(this.#resolve<ParameterObject>(given) as ParameterObject),
      pointer: "$ref" in given ? `${given.$ref}/schema` : `${pointer}/parameters/${at}/schema`,
    }));
    const problems: string[] = [];
    for (const [place, values] of [
      ["path", path],
      ["query", query],
    ] as const) {
      const known = parameters.filter((parameter) => parameter.in === place);
      for (const [name, value] of Object.entries(values)) {
        const parameter = known.find((candidate) => candidate.name === name);
        if (parameter === undefined) problems.push(`${operation.operationId}: no ${place} parameter ${name}`);
        else problems.push(...this.#check(parameter.pointer, typed(value, parameter.schema), `${place} ${name}`));
      }
      for (const { name, required } of known) {
        if (required === true && !(name in values)) problems.push(`${operation.operationId}: ${name} is missing`);
      }
    }
    const type = Object.keys(operation.requestBody?.content ?? {})[0];
    if (type === undefined) {
      if (body !== null) problems.push(`${operation.operationId} takes no body`);
    } else if (body !== null || operation.requestBody?.required === true) {
      problems.push(...this.#check(`${pointer}/requestBody/content/${escapePointer(type)}/schema`, body, "body"));
    }
    return problems;
  }

  #check(pointer: string, value: unknown, what: string): string[] {
    let validate = this.#validators.get(pointer);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `github${pointer}` });
      this.#validators.set(pointer, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).slice(0, 5).map((error) => `${what}${error.instancePath}: ${error.message}`);
  }

  #resolve<T>(given: T | Reference | undefined): T | null {
    if (typeof given !== "object" || given === null || !("$ref" in given)) return (given as T | undefined) ?? null;
    return given.$ref
      .slice(2)
      .split("/")
      .reduce<unknown>(
        (inner, step) => (inner as Record<string, unknown>)[step.replaceAll("~1", "/").replaceAll("~0", "~")],
        this.#description,
      ) as T;
  }
}

/** A query has text only. */
function typed(value: string, schema: object): unknown {
  const { type } = schema as { type?: string };
  if ((type === "integer" || type === "number") && /^\d+$/.test(value)) return Number(value);
  if (type === "boolean" && /^(true|false)$/.test(value)) return value === "true";
  return value;
}

/** As part of a JSON pointer inside a URI fragment. */
const escapePointer = (text: string): string =>
  text.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D");

/** OpenAPI 3.0 says `nullable` beside anything, the validator only beside `type`. */
function withPlainNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainNulls);
  if (typeof value !== "object" || value === null) return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withPlainNulls(inner)]),
  ) as Record<string, unknown>;
  return nullable === true
    ? { anyOf: [rest, { type: "null" }] }
    : typeof nullable === "object"
      ? { ...rest, nullable }
      : rest;
}

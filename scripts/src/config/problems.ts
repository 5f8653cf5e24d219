import type * as z from "zod";
import { InputError } from "../core/errors.ts";
import { jsonSchema, keysAt, pathsOf } from "./json-schema.ts";
import { show } from "./leaves.ts";
import { nearest } from "./suggest.ts";
import type { Position, Problem, YamlFile } from "./yaml.ts";

const MOST = 50;

/** A path as it is spoken of: scenarios[0].gate.max-qps-drop; names that are not plain words are quoted. */
export function keyPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    const name = String(step);
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\w.-]+$/.test(name)) text += text === "" ? name : `.${name}`;
    else text += `[${show(name)}]`;
  }
  return text;
}

const positionText = ({ line, column }: Position): string => `line ${line}, column ${column}`;

/** What zod found, with positions. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], yaml: YamlFile): Problem[] {
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(key, issue.path, yaml));
    const params = issue.code === "custom" ? (issue.params ?? {}) : {};
    const path = yaml.reach(issue.path);
    let { message } = issue;
    if (Array.isArray(params["other"]) && typeof params["text"] === "function") {
      const start = issue.path.indexOf("scenarios") + 1;
      message = params["text"](positionText(yaml.locate([...issue.path.slice(0, start), ...params["other"]])));
    }
    const key = keyPath(path);
    return {
      position: yaml.locate(path, params["at"] === "key"),
      message: key === "" ? message : `${key}: ${message}`,
    };
  });
}

function unknownKey(key: string, path: readonly PropertyKey[], yaml: YamlFile): Problem {
  const schema = jsonSchema();
  const allowed = keysAt(schema, path);
  const near = nearest(key, allowed);
  const [elsewhere] = pathsOf(schema, key).sort((a, b) => a.split(".").length - b.split(".").length);
  const where = keyPath(path);
  let fix = `Use one of ${allowed.join(", ")}, or remove it.`;
  if (elsewhere !== undefined) fix = `Did you mean ${elsewhere}?`;
  if (near !== null) fix = `Did you mean ${near}?`;
  return {
    position: yaml.locate([...path, key], true),
    message: `${where === "" ? "" : `${where}: `}unknown key ${show(key)}. ${fix}`,
  };
}

/** One error for all problems of a file, a line per problem, in the order of the file. */
export function toInputError(file: string, problems: readonly Problem[]): InputError {
  const sorted = [...problems].sort(
    (a, b) =>
      (a.position?.line ?? 0) - (b.position?.line ?? 0) || (a.position?.column ?? 0) - (b.position?.column ?? 0),
  );
  const lines = sorted.slice(0, MOST).map(({ position, message }) => {
    const place = position === null ? file : `${file}:${position.line}:${position.column}`;
    return `${place}: ${message}`;
  });
  if (lines.length === 1) return new InputError(lines[0]);
  const more = sorted.length > MOST ? [`and ${sorted.length - MOST} more`] : [];
  return new InputError([`${file}: ${sorted.length} problems`, ...lines, ...more].join("\n"));
}

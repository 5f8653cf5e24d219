import * as z from "zod";
import { complaint, leaf, show, text, UNPRINTABLE } from "./leaves.ts";

/** A mapping of known keys. A key without a value (`gate:` with everything below it commented out) is an empty one. */
export function section<S extends z.ZodRawShape>(shape: S) {
  const keys = Object.keys(shape).join(", ");
  return z.preprocess(
    (raw) => raw ?? {},
    z.strictObject(shape, {
      error: (issue) =>
        issue.code === "invalid_type"
          ? complaint(
              `a mapping with keys out of ${keys}`,
              issue.input,
              "Write its keys on lines of their own below it, indented.",
            )
          : undefined,
    }),
  );
}

export function list<T extends z.ZodType>(item: T, what: string, example: string) {
  const fix = `Write for example ${example}.`;
  return z
    .array(item, { error: (issue) => complaint(`a list of ${what}`, issue.input, fix) })
    .min(1, { error: (issue) => complaint(`a list of one or more ${what}`, issue.input, fix) });
}

/** A list, or its only item. */
export function oneOrMany<T extends z.ZodType>(item: T, what: string, example: string) {
  return z.preprocess(
    (raw) => (Array.isArray(raw) ? raw : [raw]),
    list(item, what, example).superRefine((items, context) => {
      reportTwice(items, (index) => context.addIssue(twice(items[index], [index])));
    }),
  );
}

/** Calls back with the position of every item that came before. */
export function reportTwice(items: readonly unknown[], report: (index: number, first: number) => void): void {
  const seen = new Map<unknown, number>();
  for (const [index, item] of items.entries()) {
    const first = seen.get(item);
    if (first === undefined) seen.set(item, index);
    else report(index, first);
  }
}

export const twice = (item: unknown, path: (string | number)[]) =>
  ({ code: "custom", path, message: complaint("every value once", item, "Remove the second one.") }) as const;

/** Options of a check that runs even where other values of the same mapping are wrong, so that all is told at once. */
export const ALWAYS = { when: () => true };

export type Raw = Record<string, unknown>;
export type Report = (path: (string | number)[], message: string, at?: "key") => void;
export const isMapping = (value: unknown): value is Raw =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const printable = (max: number) => (value: string) =>
  value.length > 0 && [...value].length <= max && !UNPRINTABLE.test(value);

/** A path below the application's tree. */
export const belowTree = (what: string, example: string) =>
  text({
    allowed: `${what}, a relative path without ..`,
    accept: (value) => printable(500)(value) && !value.startsWith("/") && !value.split("/").includes(".."),
    fix: `Write for example ${example}.`,
    json: { writtenExamples: [example] },
  });

export const urlPath = () =>
  text({
    allowed: "a path that starts with /, without spaces and without #",
    accept: (value) => /^\/[^\s#]*$/.test(value) && !UNPRINTABLE.test(value),
    fix: (value) => {
      const path = value
        .trim()
        .replace(/^https?:\/\/[^/]*/i, "")
        .replace(/#.*/s, "")
        .replaceAll(" ", "%20");
      return /[\p{Cc}\s]/u.test(path) || path === ""
        ? "Write for example /products?page=1."
        : `Write ${path.startsWith("/") ? path : `/${path}`}.`;
    },
    json: { pattern: "^/[^\\s#]*$", writtenExamples: ["/", "/products?page=1"] },
  });

/** YAML's numbers and booleans are taken as they were written, since the reader hands these over as text. */
const lineOfText = () =>
  leaf<string>({
    allowed: "a value on one line",
    read: (raw) => (typeof raw === "string" && !/[\0\r\n]/.test(raw) ? raw : undefined),
    fix: () => 'Write it in quotes, without line breaks; "" is the empty value.',
    json: { type: ["string", "number", "boolean"] },
  });

interface NameRule {
  allowed: string;
  pattern: RegExp;
  /** Lower-case name -> what to use in its place. */
  reserved?: Record<string, string>;
}

/** Free names, each with a value on one line. */
export function namedValues(rule: NameRule) {
  return mappingOf(lineOfText(), { ...rule, example: "NAME: value" });
}

/** Free names, each with a value of one kind. */
export function mappingOf<T extends z.ZodType>(
  item: T,
  { allowed, pattern, reserved = {}, example }: NameRule & { example: string },
) {
  return z
    .preprocess(
      (raw) => raw ?? {},
      z.record(z.string(), item, {
        error: (issue) => complaint("a mapping of names to values", issue.input, `Write ${example} on lines below it.`),
      }),
    )
    .superRefine((values, context) => {
      if (!isMapping(values)) return;
      const seen = new Set<string>();
      for (const name of Object.keys(values)) {
        const lower = name.toLowerCase();
        const instead = Object.hasOwn(reserved, lower) ? reserved[lower] : undefined;
        const at = (message: string) =>
          context.addIssue({ code: "custom", path: [name], params: { at: "key" }, message });
        if (!pattern.test(name)) at(complaint(allowed, name, "Rename or remove it."));
        else if (instead !== undefined) at(`${show(name)} is not set here. ${instead}`);
        else if (seen.has(lower)) at(complaint("every name once, in upper or lower case", name, "Remove one of them."));
        seen.add(lower);
      }
    }, ALWAYS);
}

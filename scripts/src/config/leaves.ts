import * as z from "zod";
import { nearest } from "./suggest.ts";
import { formatDuration, formatPercent, parseBytes, parseDurationMs, parsePercent } from "./units.ts";

/** A value as a message quotes it: short, on one line, control characters escaped. */
export function show(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value !== "string") return String(value);
  const letters = [...value];
  const text = letters.length > 60 ? `${letters.slice(0, 60).join("")}…` : value;
  // JSON leaves DEL, C1 controls and direction marks as they are; a terminal would not.
  return JSON.stringify(text).replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What every message says: what was allowed, what came, the fix. */
export function complaint(allowed: string, came: unknown, fix: string): string {
  return `expected ${allowed}; got ${show(came)}. ${fix}`;
}

interface LeafOptions<T> {
  /** Completes "expected ...". */
  allowed: string;
  /** The parsed value, or undefined where the raw one is not allowed. */
  read: (raw: unknown) => T | undefined;
  /** A sentence. */
  fix: (raw: unknown) => string;
  /** JSON Schema of the raw value. */
  json: Record<string, unknown>;
}

/** A value that is read in one step, with one complaint for every way of being wrong. */
export function leaf<T>(options: LeafOptions<T>) {
  return z
    .unknown()
    .transform((raw, context): T => {
      const value = options.read(raw);
      if (value !== undefined) return value;
      context.addIssue({ code: "custom", message: complaint(options.allowed, raw, options.fix(raw)) });
      return z.NEVER;
    })
    .meta(options.json);
}

interface Bounds {
  /** In the unit of the parsed value. */
  min: number;
  max: number;
  /** A typical value as it is written: the fix where none can be guessed. */
  example: string;
}

/** First number of what was written, without its sign; null where there is none. */
function firstNumber(raw: unknown): string | null {
  return /\d+(?:\.\d+)?/.exec(String(raw))?.[0] ?? null;
}

/** "Write 5%." where that is allowed, else an example. */
function fixBy(guess: string | null, read: (raw: unknown) => unknown, example: string): string {
  return guess !== null && read(guess) !== undefined ? `Write ${guess}.` : `Write for example ${example}.`;
}

/** A percentage, read as a ratio; `above` excludes the minimum, `below` the maximum. */
export function percent(bounds: Bounds & { above?: boolean; below?: boolean }) {
  const { min, max, example, above = false, below = false } = bounds;
  const read = (raw: unknown): number | undefined => {
    const ratio = typeof raw === "string" ? parsePercent(raw) : null;
    if (ratio === null || ratio < min || ratio > max) return undefined;
    return (above && ratio === min) || (below && ratio === max) ? undefined : ratio;
  };
  const low = `${above ? "above " : "from "}${formatPercent(min)}`;
  const high = `${below ? "below " : above ? "up to " : "to "}${formatPercent(max)}`;
  return leaf({
    allowed: `a percentage ${low} ${above ? "and " : ""}${high}, such as ${example}`,
    read,
    fix: (raw) => {
      const number = firstNumber(raw);
      return fixBy(number && `${typeof raw === "number" && raw < 1 ? Number(number) * 100 : number}%`, read, example);
    },
    json: { type: "string", pattern: "^[0-9]+(\\.[0-9]+)?%$", writtenExamples: [example] },
  });
}

const DURATION_PATTERN =
  "^(?=.)([0-9]+(\\.[0-9]+)?h)?([0-9]+(\\.[0-9]+)?m)?([0-9]+(\\.[0-9]+)?s)?([0-9]+(\\.[0-9]+)?ms)?$";

/** A duration, read as milliseconds; bounds in milliseconds. */
export function duration({ min, max, example }: Bounds) {
  const read = (raw: unknown): number | undefined => {
    const ms = typeof raw === "string" ? parseDurationMs(raw) : null;
    return ms === null || ms < min || ms > max ? undefined : ms;
  };
  return leaf({
    allowed: `a duration from ${formatDuration(min)} to ${formatDuration(max)}, such as ${example}`,
    read,
    fix: (raw) => {
      const number = firstNumber(raw);
      const unit = /\d\s*(ms|m|s|h)/.exec(String(raw))?.[1] ?? "s";
      return fixBy(number && `${number}${unit}`, read, example);
    },
    json: { type: "string", pattern: DURATION_PATTERN, writtenExamples: [example] },
  });
}

/** One word, and the value of another leaf otherwise: `auto | 2s`. */
export function wordOr<W extends string, T>(word: W, other: ReturnType<typeof leaf<T>>) {
  return z
    .unknown()
    .transform((raw, context): W | T => {
      if (raw === word) return word;
      const result = other.safeParse(raw);
      if (result.success) return result.data;
      const message = result.error.issues[0]?.message ?? "";
      context.addIssue({ code: "custom", message: message.replace("expected ", `expected ${word}, or `) });
      return z.NEVER;
    })
    .meta({ anyOf: [{ const: word }, other.meta() ?? {}] });
}

/** A finite number; `whole` for integers only. */
export function number({ min, max, example, whole = true }: Bounds & { whole?: boolean }) {
  const read = (raw: unknown): number | undefined =>
    typeof raw === "number" && raw >= min && raw <= max && (!whole || Number.isInteger(raw)) ? raw : undefined;
  const format = (n: number): string => n.toLocaleString("en-US");
  return leaf({
    allowed: `a ${whole ? "whole " : ""}number from ${format(min)} to ${format(max)}`,
    read,
    fix: (raw) => {
      const text = typeof raw === "string" ? firstNumber(raw) : null;
      if (text !== null && read(Number(text)) !== undefined) return `Write ${text}.`;
      if (typeof raw === "number" && raw > max) return `Write at most ${max}.`;
      return `Write for example ${example}.`;
    },
    json: { type: whole ? "integer" : "number", minimum: min, maximum: max, writtenExamples: [Number(example)] },
  });
}

/** A size in bytes: a number, or a string with a unit. */
export function bytes({ min, max, example }: Bounds) {
  return leaf({
    allowed: `a size of at most ${max.toLocaleString("en-US")} bytes, such as 1000 or ${example}`,
    read: (raw) => {
      const size = typeof raw === "number" || typeof raw === "string" ? parseBytes(String(raw)) : null;
      return size === null || size < min || size > max ? undefined : size;
    },
    fix: () => `Write for example ${example}.`,
    json: { type: ["integer", "string"], minimum: min, pattern: "^[0-9]+(\\.[0-9]+)?(B|kB|KiB|MB|MiB)?$" },
  });
}

/** One of a few words. */
export function oneOf<W extends string>(words: readonly W[]) {
  return leaf<W>({
    allowed: `one of ${words.join(", ")}`,
    read: (raw) => words.find((word) => word === raw),
    fix: (raw) => `Write ${(typeof raw === "string" && nearest(raw, words)) || words[0]}.`,
    json: { type: "string", enum: [...words] },
  });
}

export const flag = () =>
  leaf<boolean>({
    allowed: "true or false",
    read: (raw) => (typeof raw === "boolean" ? raw : undefined),
    fix: (raw) => `Write ${/^(no|off|n|0|false)$/i.test(String(raw)) ? "false" : "true"}, without quotes.`,
    json: { type: "boolean" },
  });

/** Control characters, line separators and marks that change the direction of text. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

interface TextOptions {
  allowed: string;
  accept: (text: string) => boolean;
  /** A sentence, or a function of the text that came (never called with anything else than a string). */
  fix: string | ((text: string) => string);
  json?: Record<string, unknown>;
}

/** A string with a rule of its own; nothing but whole text is accepted, and it is kept as it is. */
export function text({ allowed, accept, fix, json = {} }: TextOptions) {
  return leaf<string>({
    allowed,
    read: (raw) => (typeof raw === "string" && accept(raw) ? raw : undefined),
    fix: (raw) => {
      if (typeof raw === "number" || typeof raw === "boolean") return `Put it in quotes: "${raw}".`;
      return typeof fix === "string" ? fix : fix(typeof raw === "string" ? raw : "");
    },
    json: { type: "string", ...json },
  });
}

import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { show } from "./leaves.ts";

export interface Position {
  line: number;
  column: number;
}

export interface Problem {
  /** null where the text as a whole is meant. */
  position: Position | null;
  message: string;
}

type Path = readonly PropertyKey[];

export interface YamlFile {
  /** Plain JavaScript values. */
  data: unknown;
  /** Where a value stands, or the nearest one around it that does; with `key`, where its key does. */
  locate(path: Path, key?: boolean): Position;
  /** The path as far as it exists in the file, and the key that is missing there. */
  reach(path: Path): PropertyKey[];
}

/** Enough for a configuration that shares a few mappings; far from what a bomb needs. */
const MAX_ALIASES = 100;

const FIXES: Record<string, string> = {
  TAB_AS_INDENT: "Indent with spaces.",
  BAD_INDENT: "Line it up with its neighbours.",
  MULTIPLE_DOCS: "Remove everything from the second --- on.",
  MISSING_CHAR: "Close it.",
  TAG_RESOLVE_FAILED: "Remove the tag.",
  BLOCK_AS_IMPLICIT_KEY: "Put the text in quotes, or check the line breaks.",
};

/** Mappings whose values are text, whatever they look like: 8.10 must not become 8.1. */
function isTextMapping(path: Path): boolean {
  const keys = path.filter((step) => typeof step !== "number").join(".");
  return /^(scenarios\.(mix\.)?headers|(target|variants\.[^.]+|matrix\.factors\..+)\.(env|php\.ini))$/.test(keys);
}

/** Reads one YAML document: its values and their positions, or what is wrong with it. Never throws. */
export function readYaml(text: string): YamlFile | Problem[] {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, uniqueKeys: false });
    const wrong = [...document.errors, ...document.warnings];
    if (wrong.some((error) => /call stack/i.test(error.message))) return [TOO_DEEP];
    if (wrong.length > 0) return wrong.filter(firstOfLine(at)).map((error) => unreadable(error, at(error.pos[0])));
    const problems = [...checkAliases(document), ...repeatedKeys(document, at)];
    if (problems.length > 0) return problems;
    keepText(document);
    const entries = entriesOf();
    const data: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return {
      data,
      locate: (path, key = false) => at(find(document, entries, path, key).offset),
      reach: (path) => reached(path, find(document, entries, path, false).depth),
    };
  } catch (error) {
    if (error instanceof RangeError) return [TOO_DEEP];
    const reason = sentence(error instanceof Error ? error.message : String(error));
    return [{ position: null, message: `not readable as YAML: ${reason} Write it with fewer aliases.` }];
  }
}

const TOO_DEEP: Problem = {
  position: null,
  message: "not readable as YAML: it is nested too deep. The configuration needs no more than six levels.",
};

/** One mistake makes several errors on its line; the first names it best. */
function firstOfLine(at: (offset: number) => Position): (error: YAMLError) => boolean {
  const seen = new Set<number>();
  return (error) => {
    const { line } = at(error.pos[0]);
    return !seen.has(line) && seen.add(line) !== undefined;
  };
}

function unreadable(error: YAMLError, position: Position): Problem {
  const fix = FIXES[error.code] ?? "Check the indentation and the quotes there.";
  return { position, message: `not readable as YAML: ${sentence(error.message)} ${fix}` };
}

function sentence(message: string): string {
  const text = message.replaceAll(/\s+/g, " ").trim();
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function checkAliases(document: Document): Problem[] {
  let aliases = 0;
  visit(document, {
    Alias: () => {
      aliases++;
    },
  });
  if (aliases > MAX_ALIASES) {
    const message = `not readable as YAML: it has ${aliases} aliases (*name), at most ${MAX_ALIASES} are allowed. Write the values out.`;
    return [{ position: null, message }];
  }
  let circular = false;
  visit(document, {
    Alias: (_, alias, ancestors) => {
      circular ||= ancestors.some((ancestor) => ancestor === alias.resolve(document));
    },
  });
  if (!circular) return [];
  return [{ position: null, message: "not readable as YAML: an alias contains itself. Write the value out." }];
}

/** The library's own check compares every key of a mapping with every other. */
function repeatedKeys(document: Document, at: (offset: number) => Position): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Map: (_, map) => {
      const seen = new Map<string, Position>();
      for (const { key } of map.items) {
        if (!isScalar(key) || !key.range) continue;
        const name = String(key.value);
        const first = seen.get(name);
        const position = at(key.range[0]);
        if (first === undefined) seen.set(name, position);
        else
          problems.push({
            position,
            message: `the key ${show(name)} is already there in line ${first.line}. Remove one of them.`,
          });
      }
    },
  });
  return problems;
}

function keepText(document: Document): void {
  visit(document, {
    Pair(_, pair, ancestors) {
      const path: PropertyKey[] = [];
      for (const [index, ancestor] of ancestors.entries()) {
        if ("key" in ancestor && isScalar(ancestor.key)) path.push(String(ancestor.key.value));
        const next = ancestors[index + 1];
        if (isSeq(ancestor) && next !== undefined) path.push(ancestor.items.indexOf(next as Node));
      }
      const { value } = pair;
      if (!isScalar(value) || !isTextMapping(path)) return;
      if (typeof value.value === "number" || typeof value.value === "boolean") {
        value.value = value.source ?? String(value.value);
      }
    },
  });
}

/** A missing key is named by its own path; the only item of what may be a list (`status: 99`) by that of the list. */
function reached(path: Path, depth: number): PropertyKey[] {
  return path.slice(0, typeof path[depth] === "number" ? depth : depth + 1);
}

/** The entries of a mapping by key; made once, since a long list of problems looks many of them up. */
type Entries = (map: YAMLMap) => Map<string, Pair>;

function entriesOf(): Entries {
  const known = new WeakMap<YAMLMap, Map<string, Pair>>();
  return (map) => {
    let entries = known.get(map);
    if (entries === undefined) {
      entries = new Map(map.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value) : "", pair]));
      known.set(map, entries);
    }
    return entries;
  };
}

interface Found {
  /** Where the last step that exists starts in the text. */
  offset: number;
  /** How many steps exist. */
  depth: number;
}

/** Follows a path as far as the document goes. */
function find(document: Document, entries: Entries, path: Path, key: boolean): Found {
  const start = (node: unknown, fallback: number): number => (isNode(node) && node.range ? node.range[0] : fallback);
  let node: unknown = document.contents;
  let offset = start(node, 0);
  for (const [depth, step] of path.entries()) {
    const inside = isAlias(node) ? node.resolve(document) : node;
    if (isSeq(inside) && typeof step === "number" && step < inside.items.length) {
      node = inside.items[step];
      offset = start(node, offset);
      continue;
    }
    const pair = isMap(inside) ? entries(inside).get(String(step)) : undefined;
    if (!pair) return { offset, depth };
    const keyOffset = start(pair.key, offset);
    node = pair.value;
    // A key without a value has an empty node behind it: the key is easier to find.
    const empty = isScalar(node) && node.value === null && node.source === "";
    offset = (key && depth === path.length - 1) || empty ? keyOffset : start(node, keyOffset);
  }
  return { offset, depth: path.length };
}

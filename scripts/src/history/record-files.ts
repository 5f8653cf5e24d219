import { InputError } from "../core/errors.ts";
import type { HistoryRecord } from "../core/record.ts";
import { StoreError } from "./errors.ts";
import { type Parsed, parseRecord } from "./record-schema.ts";

/** Files of records, path -> NDJSON. What the stores share: they differ in where the files are and how they change. */
export type RecordFiles = ReadonlyMap<string, string>;

/** Every sound record, once and oldest first, and every line that is none as a sentence that begins with its place. */
export interface Contents {
  records: HistoryRecord[];
  problems: string[];
}

/** Bytes of one file. */
export const LARGEST_FILE = 64 * 1024 * 1024;

/** "records/2026-11.ndjson": the file of a folder that a record belongs to, by its month. */
export function monthFile(record: HistoryRecord): string {
  return `records/${record.recordedAt.slice(0, 7)}.ndjson`;
}

export function contentsOf(files: RecordFiles): Contents {
  const byId = new Map<string, HistoryRecord>();
  const problems: string[] = [];
  for (const [path, content] of files) {
    for (const { number, parsed } of linesOf(content)) {
      if ("problem" in parsed) problems.push(`${path}:${number}: ${parsed.problem}`);
      else byId.set(parsed.record.id, parsed.record);
    }
  }
  const dated = [...byId.values()].map((record) => ({ record, at: Date.parse(record.recordedAt) }));
  dated.sort((a, b) => a.at - b.at || (a.record.id < b.record.id ? -1 : 1));
  return { records: dated.map(({ record }) => record), problems };
}

/** @throws InputError where a line is damaged or of a newer version */
export function soundRecords(files: RecordFiles): HistoryRecord[] {
  const { records, problems } = contentsOf(files);
  if (problems.length === 0) return records;
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more: perf-gate baseline verify)`;
  throw new InputError(`${problems[0]}${more}. Nothing was changed`);
}

/**
 * The files that have to be written for `records` to be in the store, whole, and how many are new.
 *
 * @throws InputError where what is there already is damaged
 * @throws StoreError where a file would get too large
 */
export function withAdded(
  files: RecordFiles,
  records: readonly HistoryRecord[],
  fileOf: (record: HistoryRecord) => string,
): { changed: Map<string, string>; added: HistoryRecord[] } {
  const known = new Set(soundRecords(files).map(({ id }) => id));
  const added: HistoryRecord[] = [];
  const lines = new Map<string, string[]>();
  for (const record of records) {
    if (known.has(record.id)) continue;
    known.add(record.id);
    added.push(record);
    const line = JSON.stringify(record);
    const parsed = parseRecord(line);
    if ("problem" in parsed) throw new InputError(`record ${record.id} cannot be stored: ${parsed.problem}`);
    const path = fileOf(record);
    const others = lines.get(path);
    if (others === undefined) lines.set(path, [line]);
    else others.push(line);
  }
  const changed = new Map<string, string>();
  for (const [path, more] of lines) {
    const before = files.get(path) ?? "";
    const content = `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${more.join("\n")}\n`;
    if (Buffer.byteLength(content) > LARGEST_FILE) {
      throw new StoreError(`${path} would be larger than 64 MB: perf-gate baseline prune removes old records`);
    }
    changed.set(path, content);
  }
  return { changed, added };
}

/** The files that have to be written for the records of `ids` to be gone; the other lines stay as they are. */
export function withoutIds(
  files: RecordFiles,
  ids: ReadonlySet<string>,
): { changed: Map<string, string>; removed: number } {
  const present = soundRecords(files).filter(({ id }) => ids.has(id));
  const changed = new Map<string, string>();
  for (const [path, content] of files) {
    const lines = linesOf(content);
    const kept = lines.filter(({ parsed }) => "record" in parsed && !ids.has(parsed.record.id));
    const text = kept.map(({ line }) => `${line}\n`).join("");
    if (kept.length < lines.length) changed.set(path, text);
  }
  return { changed, removed: present.length };
}

const PUBLISHED = /^(?!records\/|\.lock$)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/;

/** Files beside the records have plain relative paths and leave the records alone. */
export function checkPublished(files: ReadonlyMap<string, string>): void {
  for (const path of files.keys()) {
    if (!PUBLISHED.test(path)) throw new Error(`${path} cannot be published: it is not a plain path beside records/`);
  }
}

/** The lines of a file that are not empty, numbered from 1. */
function linesOf(content: string): { number: number; line: string; parsed: Parsed }[] {
  return content
    .split("\n")
    .map((line, index) => ({ number: index + 1, line }))
    .filter(({ line }) => line.trim() !== "")
    .map((row) => ({ ...row, parsed: parseRecord(row.line) }));
}

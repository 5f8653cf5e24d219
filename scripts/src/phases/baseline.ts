import { readFileSync, statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { InputError } from "../core/errors.ts";
import type { HistoryRecord } from "../core/record.ts";
import { diffRecords, type RecordDifference } from "../core/record-diff.ts";
import { customBenchmarks, type Imported, importRecords } from "../history/interchange.ts";
import { LARGEST_FILE } from "../history/record-files.ts";
import { openStore, type Store } from "../history/store.ts";
import { plural } from "../report/format.ts";
import {
  commitsPhrase,
  renderRecord,
  renderRecordDiff,
  renderRecordList,
  renderRecordsCsv,
} from "../report/records.ts";

/** Options that every `baseline` command has. */
export interface BaselineOptions {
  /** Undefined = that of the configuration in the current directory. */
  store?: string;
  /** Only records of this branch; undefined = of any. */
  branch?: string;
}

/** What a command prints: for people, or with --json for programs. */
export interface Answer<T> {
  text: string;
  json: T;
}

export type ExportFormat = "csv" | "ndjson" | "customBiggerIsBetter" | "customSmallerIsBetter";

/** The newest records. */
export async function listBaseline(options: BaselineOptions, limit: number): Promise<Answer<HistoryRecord[]>> {
  const store = await storeOf(options);
  const records = (await ofBranch(store, options)).reverse();
  const shown = records.slice(0, limit);
  if (records.length === 0) return { text: nothingIn(store, options), json: [] };
  const older = records.length - shown.length;
  const count = `${plural(records.length, "record")} in ${store.label}${older > 0 ? `, ${plural(older, "older one")} not shown (--limit)` : ""}`;
  return { text: `${renderRecordList(shown)}\n${count}`, json: shown };
}

/** One record; the newest where `name` is undefined. */
export async function showBaseline(options: BaselineOptions, name: string | undefined): Promise<Answer<HistoryRecord>> {
  const store = await storeOf(options);
  const { record, others } = select(await ofBranch(store, options), name, store, options);
  return { text: [renderRecord(record), ...notes([{ record, others }])].join("\n\n"), json: record };
}

/** What changed from one record to another. */
export async function diffBaseline(
  options: BaselineOptions,
  [first, second]: readonly [string, string],
): Promise<Answer<RecordDifference & { from: string; to: string }>> {
  const store = await storeOf(options);
  const records = await ofBranch(store, options);
  const picked = [first, second].map((name) => select(records, name, store, options));
  const [from, to] = picked.map(({ record }) => record) as [HistoryRecord, HistoryRecord];
  return {
    text: [renderRecordDiff(from, to), ...notes(picked)].join("\n\n"),
    json: { from: from.id, to: to.id, ...diffRecords(from, to) },
  };
}

/** Adds the records of a file: perf-gate's own, or another program's, which then belong to `branch`. */
export async function importBaseline(
  options: BaselineOptions,
  file: string,
  { commit, at }: { commit?: string; at?: string },
): Promise<Answer<{ added: number; leftOut: string[] }>> {
  const store = await storeOf(options);
  const { records, leftOut } = await recordsOf(file, options.branch, { commit, at });
  const { added } = await store.append(records);
  const known = records.length - added;
  const text = [
    `${plural(added, "record")} added to ${store.label}${known > 0 ? `, ${known} were there already` : ""}`,
    ...leftOut.map((what) => `left out: ${what}`),
  ];
  return { text: text.join("\n"), json: { added, leftOut } };
}

/** Records in another form, for stdout; one record in those of github-action-benchmark. */
export async function exportBaseline(
  options: BaselineOptions,
  format: ExportFormat,
  name: string | undefined,
): Promise<string> {
  const store = await storeOf(options);
  const all = await ofBranch(store, options);
  if (format === "csv" || format === "ndjson") {
    const records = name === undefined ? all : [select(all, name, store, options).record];
    if (format === "csv") return renderRecordsCsv(records);
    return records.map((record) => `${JSON.stringify(record)}\n`).join("");
  }
  const { record } = select(all, name, store, options);
  const better = format === "customBiggerIsBetter" ? "bigger" : "smaller";
  return `${JSON.stringify(customBenchmarks(record, better), null, 2)}\n`;
}

/** Removes all but the newest `keep` of each branch, or what is older than `before`; with `dryRun` only says which. */
export async function pruneBaseline(
  options: BaselineOptions,
  { keep, before, dryRun }: { keep?: number; before?: string; dryRun?: boolean },
): Promise<Answer<{ removed: string[]; dryRun: boolean }>> {
  if ((keep === undefined) === (before === undefined)) {
    throw new InputError("baseline prune: give either --keep N (the newest of each branch) or --before DATE");
  }
  const store = await storeOf(options);
  const records = await ofBranch(store, options);
  const old = keep === undefined ? olderThan(records, before as string) : beyond(records, keep);
  const json = { removed: old.map(({ id }) => id), dryRun: dryRun ?? false };
  if (old.length === 0) return { text: `nothing to remove from ${store.label}`, json };
  if (json.dryRun) return { text: `${renderRecordList(old)}\n${plural(old.length, "record")} would be removed`, json };
  const { removed } = await store.remove(new Set(json.removed));
  return { text: `${renderRecordList(old)}\n${plural(removed, "record")} removed from ${store.label}`, json };
}

/** Reads everything; every damaged line is a problem. */
export async function verifyBaseline(
  options: BaselineOptions,
): Promise<Answer<{ records: number; problems: string[] }>> {
  const store = await storeOf(options);
  const { records, problems, missing } = await store.inspect();
  const branches = new Set(records.map(({ branch }) => branch)).size;
  const count = missing
    ? nothingIn(store, {})
    : `${plural(records.length, "sound record")} of ${plural(branches, "branch", "branches")} in ${store.label}`;
  const found = problems.length === 0 ? [] : [plural(problems.length, "problem"), ...problems];
  return { text: [count, ...found].join("\n"), json: { records: records.length, problems } };
}

// ---------------------------------------------------------------- store and records

export async function storeOf({ store }: Pick<BaselineOptions, "store">): Promise<Store> {
  const directory = process.cwd();
  const name = store ?? (await loadConfig(null, directory)).config.baseline.store;
  return openStore(name, { directory, env: process.env });
}

/** Oldest first. */
async function ofBranch(store: Store, { branch }: BaselineOptions): Promise<HistoryRecord[]> {
  const { records } = await store.read();
  return branch === undefined ? records : records.filter((record) => record.branch === branch);
}

function nothingIn(store: Store, { branch }: BaselineOptions): string {
  return `no records${branch === undefined ? "" : ` of ${branch}`} in ${store.label}: a run with --base stored makes one, perf-gate store adds it`;
}

interface Picked {
  record: HistoryRecord;
  /** Earlier records of the same commit. */
  others: HistoryRecord[];
}

/** The record of an id or commit, or of its first digits: of a commit's records the newest. */
function select(
  records: readonly HistoryRecord[],
  name: string | undefined,
  store: Store,
  options: BaselineOptions,
): Picked {
  const newest = records.at(-1);
  if (newest === undefined) throw new InputError(nothingIn(store, options));
  const digits = (name ?? newest.id).toLowerCase();
  if (!/^[0-9a-f]{4,40}$/.test(digits)) {
    throw new InputError(
      `allowed is a commit or the id of a record, or their first 4 or more digits (0-9, a-f); got ${JSON.stringify(name)}`,
    );
  }
  const matches = records.filter(({ id, commit }) => id.startsWith(digits) || commit.startsWith(digits));
  const record = matches.at(-1);
  if (record === undefined) {
    const there = commitsPhrase([...records].reverse());
    throw new InputError(`${store.label} has no record of ${digits}; it has ${there}`);
  }
  const commits = matches.filter((match, at) => matches.findIndex(({ commit }) => commit === match.commit) === at);
  if (commits.length > 1) throw new InputError(`${digits} begins several commits: ${commitsPhrase(commits)}`);
  return { record, others: matches.slice(0, -1) };
}

function notes(picked: readonly Picked[]): string[] {
  return picked.flatMap(({ record, others }) =>
    others.length === 0
      ? []
      : [
          `The newest of ${others.length + 1} records of ${record.commit.slice(0, 7)}; earlier: ${others.map(({ id }) => id).join(", ")}`,
        ],
  );
}

function olderThan(records: readonly HistoryRecord[], before: string): HistoryRecord[] {
  const limit = Date.parse(before);
  if (Number.isNaN(limit)) {
    throw new InputError(`--before: allowed is a date such as 2026-01-31, got ${JSON.stringify(before)}`);
  }
  return records.filter(({ recordedAt }) => Date.parse(recordedAt) < limit);
}

function beyond(records: readonly HistoryRecord[], keep: number): HistoryRecord[] {
  const kept = new Map<string, number>();
  return [...records]
    .reverse()
    .filter(({ branch }) => {
      const count = (kept.get(branch) ?? 0) + 1;
      kept.set(branch, count);
      return count > keep;
    })
    .reverse();
}

// ---------------------------------------------------------------- import

async function recordsOf(
  file: string,
  branch: string | undefined,
  { commit, at }: { commit: string | undefined; at: string | undefined },
): Promise<Imported> {
  if (file.endsWith(".ndjson")) {
    const { records, missing } = await openStore(file, { directory: process.cwd(), env: {} }).read();
    if (missing) throw new InputError(`${file}: no such file`);
    return {
      records: branch === undefined ? records : records.filter((record) => record.branch === branch),
      leftOut: [],
    };
  }
  if (branch === undefined) {
    throw new InputError(
      `${file} does not say of which branch its figures are: add --branch, for example --branch main`,
    );
  }
  if (commit !== undefined && !/^[0-9a-f]{40}$/.test(commit)) {
    throw new InputError(`--commit: allowed are the 40 hex digits of a commit, got ${JSON.stringify(commit)}`);
  }
  const { text, changedAt } = readForeign(file);
  const time = at === undefined ? changedAt : new Date(at);
  if (Number.isNaN(time.getTime())) {
    throw new InputError(`--at: allowed is a time such as 2026-01-31T03:00:00Z, got ${JSON.stringify(at)}`);
  }
  const cell = basename(file, extname(file));
  return importRecords(text, { file, branch, commit: commit ?? null, at: time, cell });
}

function readForeign(file: string): { text: string; changedAt: Date } {
  const path = resolve(file);
  try {
    const { size, mtime } = statSync(path);
    if (size > LARGEST_FILE) throw new InputError(`${file} is larger than 64 MB`);
    return { text: readFileSync(path, "utf8"), changedAt: mtime };
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { openStore, StoreError } from "../../src/history/store.ts";
import { history } from "../history-fixtures.ts";
import { Appenders, EIGHT_CELLS, ids, records, storeAt, temporary } from "./support.ts";

let directory = "";
beforeEach(() => {
  directory = temporary();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const list = records(40);

/** Where the store's first record is, in a file and in a folder. */
const KINDS = [
  ["history/records.ndjson", "history/records.ndjson"],
  ["history", "history/records/2026-01.ndjson"],
] as const;

describe.each(KINDS)("%s", (name, first) => {
  test("is empty before it is there, takes records once and gives them back in order", async () => {
    const store = storeAt(name, directory);
    expect(await store.read()).toEqual({ records: [], missing: true });
    expect(existsSync(join(directory, "history"))).toBe(false);
    expect(await store.append(list.slice(10))).toEqual({ added: 30 });
    expect(await store.append(list)).toEqual({ added: 10 });
    expect(await store.append(list)).toEqual({ added: 0 });
    expect(await storeAt(name, directory).read()).toEqual({ records: list, missing: false });
    expect(store.label).toBe(join(directory, name));
  });

  test("loses what is removed, and nothing else", async () => {
    const store = storeAt(name, directory);
    await store.append(list);
    expect(await store.remove(new Set(ids(list.slice(0, 35))))).toEqual({ removed: 35 });
    expect((await store.read()).records).toEqual(list.slice(35));
    expect(await store.remove(new Set(["no such id"]))).toEqual({ removed: 0 });
  });

  test.each([
    ["a line cut short", (text: string) => text.slice(0, -100)],
    ["a newer version", (text: string) => text.replace('"version":1', '"version":2')],
    ["an empty object", (text: string) => `${text}{}\n`],
  ])("with %s is not read, not written, and left as it is", async (_name, damage) => {
    const store = storeAt(name, directory);
    await store.append(list);
    const file = join(directory, first);
    const damaged = damage(readFileSync(file, "utf8"));
    writeFileSync(file, damaged);
    await expect(store.read()).rejects.toThrow(InputError);
    await expect(store.read()).rejects.toThrow(`${file}:`);
    await expect(store.append(records(1, 9))).rejects.toThrow(`${file}:`);
    await expect(store.remove(new Set(ids(list)))).rejects.toThrow(`${file}:`);
    expect(readFileSync(file, "utf8")).toBe(damaged);
    const { problems, records: sound, missing } = await store.inspect();
    expect(problems).toEqual([expect.stringContaining(`${file}:`)]);
    expect(sound.length).toBeGreaterThanOrEqual(39);
    expect(missing).toBe(false);
  });

  test("takes the records of eight processes at once, each once", async () => {
    const appenders = new Appenders(directory);
    // Every record is brought by two of them.
    const parts = Array.from({ length: 8 }, (_, part) =>
      list.filter((_record, at) => at % 8 === part || at % 8 === (part + 1) % 8),
    );
    const started = await Promise.all(parts.map((part) => appenders.start(name, directory, part)));
    const answers = await Promise.all(started.map(({ answer }) => answer));
    expect(answers.reduce((sum, answer) => sum + (answer?.added ?? Number.NaN), 0)).toBe(40);
    expect((await storeAt(name, directory).read()).records).toEqual(list);
    expect(readFileSync(join(directory, first), "utf8").trim().split("\n")).toHaveLength(name === first ? 40 : 31);
  });

  test("a process that is killed while it writes leaves it readable, and its lock does not last", async () => {
    const appenders = new Appenders(directory);
    const store = storeAt(name, directory);
    const lock = join(directory, name === first ? `${name}.lock` : `${name}/.lock`);
    // So many that writing takes a while.
    const many = history({ nights: 1000, cells: EIGHT_CELLS, seed: 3 });
    await store.append(many);
    let killed = 0;
    for (const afterMs of [0, 10, 20, 40, 60, 80, 100, 150]) {
      const { process: child, answer } = await appenders.start(name, directory, list);
      while (!existsSync(lock) && child.exitCode === null) await sleep(1);
      await sleep(afterMs);
      child.kill("SIGKILL");
      if ((await answer) === null) killed++;
      const { records: there } = await store.read();
      expect([1000, 1040]).toContain(there.length);
      rmSync(lock, { force: true });
    }
    expect(killed).toBeGreaterThan(0);
    await store.remove(new Set(ids(many)));
    // As if one had been killed while it held the lock.
    writeFileSync(lock, "");
    const longAgo = Date.now() / 1000 - 40;
    utimesSync(lock, longAgo, longAgo);
    await store.append(list);
    expect((await store.read()).records).toEqual(list);
    expect(existsSync(lock)).toBe(false);
  });

  test("says what is in its way", async () => {
    writeFileSync(join(directory, "history"), "a file\n");
    await expect(storeAt(name, directory).append(list)).rejects.toThrow(StoreError);
    await expect(storeAt(name, directory).append(list)).rejects.toThrow(
      /cannot write to the store .*history.*; it is as it was/,
    );
  });
});

test("a folder has one file a month, and a page beside them", async () => {
  const store = storeAt("history", directory);
  await store.append(list);
  await store.publish(
    new Map([
      ["index.html", "<p>"],
      ["charts/a.svg", "<svg/>"],
    ]),
    "Page",
  );
  expect(readdirSync(join(directory, "history"), { recursive: true }).toSorted()).toEqual([
    "charts",
    "charts/a.svg",
    "index.html",
    "records",
    "records/2026-01.ndjson",
    "records/2026-02.ndjson",
  ]);
  expect(readFileSync(join(directory, "history/charts/a.svg"), "utf8")).toBe("<svg/>");
});

test.each(["/etc/x", "../x", "a/../../x", "records/2026-01.ndjson", "", "a//b", "a\nb", "."])(
  "%j is not published",
  async (path) => {
    await expect(storeAt("history", directory).publish(new Map([[path, ""]]), "Page")).rejects.toThrow(
      /cannot be published/,
    );
  },
);

test("a file has no place for a page", async () => {
  await expect(storeAt("a.ndjson", directory).publish(new Map(), "Page")).rejects.toThrow(
    /name a folder or git:BRANCH/,
  );
});

test("a link to a file stays a link", async () => {
  mkdirSync(join(directory, "shared"));
  writeFileSync(join(directory, "shared/a.ndjson"), "");
  symlinkSync("shared/a.ndjson", join(directory, "a.ndjson"));
  await storeAt("a.ndjson", directory).append(list);
  expect((await storeAt("shared/a.ndjson", directory).read()).records).toHaveLength(40);
});

test("a file larger than 64 MB is no store", async () => {
  const file = join(directory, "a.ndjson");
  writeFileSync(file, "");
  execFileSync("truncate", ["-s", "65M", file]);
  await expect(storeAt("a.ndjson", directory).read()).rejects.toThrow(/a\.ndjson is larger than 64 MB/);
});

test.skipIf(process.getuid?.() === 0)("a folder that may not be looked at is not an empty one", async () => {
  await storeAt("history", directory).append(list);
  chmodSync(join(directory, "history"), 0);
  await expect(storeAt("history", directory).read()).rejects.toThrow(/cannot be read/);
  chmodSync(join(directory, "history"), 0o700);
});

test.skipIf(process.getuid?.() !== 0)("a full disk leaves what was there", async ({ skip }) => {
  const mount = mkdtempSync(join(tmpdir(), "perf-gate-full-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", mount]);
  } catch {
    rmSync(mount, { recursive: true });
    return skip("this container may not mount a small file system");
  }
  try {
    const store = storeAt("a.ndjson", mount);
    await store.append(list.slice(0, 10));
    const before = readFileSync(join(mount, "a.ndjson"), "utf8");
    appendFileSync(join(mount, "ballast"), Buffer.alloc(48 * 1024));
    await expect(store.append(list)).rejects.toThrow(/no space left for the store .*a\.ndjson: it is as it was/);
    expect(readFileSync(join(mount, "a.ndjson"), "utf8")).toBe(before);
    rmSync(join(mount, "ballast"));
    expect(readdirSync(mount)).toEqual(["a.ndjson"]);
    expect(statSync(join(mount, "a.ndjson")).size).toBe(before.length);
  } finally {
    execFileSync("umount", [mount]);
    rmSync(mount, { recursive: true });
  }
});

test.each([
  "",
  "https://example.test/x",
  "git:",
  "git:a..b",
  "git:-x",
  "git:a b",
  "git:a@",
  "git:a@-x",
  "git:a.lock",
  "git:a\nb",
])("%j is no name of a store", (name) => {
  expect(() => openStore(name, { directory, env: {} })).toThrow(InputError);
});

import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Bake } from "../../../src/target/compose/bake.ts";
import { sourceOf } from "../../../src/target/compose/source.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-source-"));
  write("public/index.php", "<?php");
  write("bin/console", "#!/bin/sh");
  symlinkSync("public", join(directory, "web"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

const bake = (more: object = {}): Bake => ({
  file: { target: { "head-app": { context: "/tree", tags: ["perf-gate/1:head-app"], labels: { a: "1" }, ...more } } },
  targets: ["head-app"],
  allow: [],
  reads: [directory],
});
const source = (more: object = {}, planId = "p1"): string => sourceOf(planId, bake(more), join(directory, "work"));

test.each<[string, () => string]>([
  ["nothing", source],
  ["other tags and labels", () => source({ tags: ["perf-gate/2:head-app"], labels: {} })],
  ["another place for layers", () => source({ "cache-from": ["type=gha"], "cache-to": ["type=gha"] })],
  [
    "other times of the same files",
    () => {
      utimesSync(join(directory, "bin/console"), 1, 1);
      return source();
    },
  ],
  [
    "what git and the run keep there",
    () => {
      write(".git/HEAD", "ref");
      write("work/plan.json", "{}");
      return source();
    },
  ],
])("%s: the same source", (_, after) => {
  const before = source();
  expect(before).toMatch(/^[0-9a-f]{16}$/);
  expect(after()).toBe(before);
});

test.each<[string, () => string]>([
  ["another plan", () => source({}, "p2")],
  ["another argument", () => source({ args: { PHP: "8.2" } })],
  [
    "another content of the same size",
    () => {
      write("public/index.php", "<?hhp");
      return source();
    },
  ],
  [
    "another name",
    () => {
      renameSync(join(directory, "public/index.php"), join(directory, "public/main.php"));
      return source();
    },
  ],
  [
    "another mode",
    () => {
      chmodSync(join(directory, "bin/console"), 0o755);
      return source();
    },
  ],
  [
    "another link",
    () => {
      rmSync(join(directory, "web"));
      symlinkSync("bin", join(directory, "web"));
      return source();
    },
  ],
  [
    "an empty directory",
    () => {
      mkdirSync(join(directory, "var"));
      return source();
    },
  ],
  [
    "no files at all",
    () => {
      rmSync(join(directory, "public"), { recursive: true });
      return source();
    },
  ],
])("%s: another source", (_, after) => {
  const before = source();
  expect(after()).not.toBe(before);
});

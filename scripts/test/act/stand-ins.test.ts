import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "./rig.ts";

interface Step {
  uses?: string;
  with?: Record<string, unknown>;
}
interface File {
  inputs?: Record<string, unknown>;
  jobs?: Record<string, { steps?: Step[] }>;
  runs?: { steps?: Step[] };
}

const read = (path: string): File => parse(readFileSync(path, "utf8")) as File;

test("what the workflows tell an action is what that documents, as far as it has a stand-in", () => {
  const workflows = join(root, ".github/workflows");
  const files = [join(root, "action.yml"), ...readdirSync(workflows).map((name) => join(workflows, name))];
  const known = new Set<string>();
  for (const { jobs = {}, runs } of files.map(read)) {
    for (const { uses = "", with: given = {} } of [runs, ...Object.values(jobs)].flatMap((job) => job?.steps ?? [])) {
      const [, name = ""] = /^[\w-]+\/([\w/-]+)@/.exec(uses) ?? [];
      const standIn = join(import.meta.dirname, "stand-ins", name, "action.yml");
      if (name === "" || !existsSync(standIn)) continue;
      known.add(name);
      expect(Object.keys(read(standIn).inputs ?? {}), uses).toEqual(expect.arrayContaining(Object.keys(given)));
    }
  }
  expect(known).toContain("bake-action");
  expect(known).toContain("setup-buildx-action");
});

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import { describePlan, planPhase } from "../../src/phases/plan.ts";
import { referenceAnchor } from "../../src/phases/reference.ts";
import { WorkDirectory } from "../../src/phases/work-directory.ts";
import { startTarget } from "../../src/target/start.ts";
import { home } from "../e2e/rig.ts";
import { makeSite } from "../target/app.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-reference-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

test("is started as its own configuration says, on the service's PHP", async () => {
  const { source, own } = await referenceAnchor(home);
  expect(source).toMatchObject({ label: "reference application", directory: join(home, "fixtures/app"), commit: null });
  const service = parseConfig(
    "target: { host: shop.test, env: { A: b }, php: { version: 8.2, workers: 3, jit: tracing, ini: { a: b } } }",
    { file: "perf-gate.yml", directory },
  );
  const { target, asked } = own(service.target);
  expect(target).toMatchObject({
    host: "localhost",
    root: "public",
    prepare: ["php seed.php"],
    services: ["mysql", "redis", "http"],
    env: {},
    php: { version: "8.2", workers: 8, jit: "off", ini: {} },
  });
  expect(asked?.work).toMatchObject({ method: "GET", path: "/queries?n=5&connection=persistent" });
});

test("is what records are relative to where the configuration names nothing else", async () => {
  const head = join(directory, "app");
  mkdirSync(head);
  const config = "target: { driver: process, host: shop.test }\nbaseline: { store: ../store.ndjson }\n";
  writeFileSync(join(head, "perf-gate.yml"), config);
  execFileSync("git", ["-C", head, "init", "--quiet", "--initial-branch", "main"]);
  const work = new WorkDirectory(join(directory, "work"));
  await planPhase({ home, base: "stored", head }, work, () => {}, {});
  const plan = work.readPlan();
  const { source, anchor } = await referenceAnchor(home);
  expect(plan).toMatchObject({ arms: { base: source }, stored: { anchor }, sameSource: false });
  expect(plan.config.target.host).toBe("shop.test");
  expect(plan.own?.base).toMatchObject({ target: { host: "localhost" }, asked: { checks: { status: [200] } } });
  expect(plan.own?.head).toBeUndefined();
  expect(describePlan(plan, work)).toContain("anchor     reference application\n");
});

test("is called by its files: one that changed is another, a work directory in it is not", async () => {
  const copy = join(directory, "fixtures/app");
  cpSync(join(home, "fixtures/app"), copy, { recursive: true });
  const { id } = (await referenceAnchor(home)).anchor;
  expect(id).toMatch(/^sha256:[0-9a-f]{64}$/);
  mkdirSync(join(copy, ".perf-gate"));
  writeFileSync(join(copy, ".perf-gate/plan.json"), "{}");
  expect((await referenceAnchor(directory)).anchor.id).toBe(id);
  writeFileSync(join(copy, "src/Token.php"), "<?php\n");
  expect((await referenceAnchor(directory)).anchor.id).not.toBe(id);
});

test("cannot be started where nothing is", async () => {
  const site = makeSite({ target: { url: { base: "http://a.test", head: "http://b.test" } } });
  const { plan } = site.options;
  Object.assign(plan, { driver: "url", own: { base: (await referenceAnchor(home)).own(plan.config.target) } });
  await expect(startTarget(site.options)).rejects.toThrow(/driver url: nothing is started.* Use compose or process/);
  site.remove();
});

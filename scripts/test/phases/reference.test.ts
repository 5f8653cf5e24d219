import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import { referenceAnchor } from "../../src/phases/reference.ts";
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

test("is called by its files: one that changed is another, a work directory in it is not", async () => {
  const copy = join(directory, "fixtures/app");
  cpSync(join(home, "fixtures/app"), copy, { recursive: true });
  const { id } = await referenceAnchor(home);
  expect(id).toMatch(/^[0-9a-f]{12}$/);
  mkdirSync(join(copy, ".perf-gate"));
  writeFileSync(join(copy, ".perf-gate/plan.json"), "{}");
  expect((await referenceAnchor(directory)).id).toBe(id);
  writeFileSync(join(copy, "src/Token.php"), "<?php\n");
  expect((await referenceAnchor(directory)).id).not.toBe(id);
});

test("cannot be started where nothing is", async () => {
  const site = makeSite({ target: { url: { base: "http://a.test", head: "http://b.test" } } });
  const { plan } = site.options;
  Object.assign(plan, { driver: "url", own: { base: (await referenceAnchor(home)).own(plan.config.target) } });
  await expect(startTarget(site.options)).rejects.toThrow(/driver url: nothing is started.* Use compose or process/);
  site.remove();
});

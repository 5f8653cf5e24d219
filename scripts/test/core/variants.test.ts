import { expect, test } from "vitest";
import { askedOf, connectionOf, isOther, targetOf } from "../../src/core/arms.ts";
import { compare } from "../../src/core/compare.ts";
import type { OwnConfig, Plan, Scenario } from "../../src/core/model.ts";
import { afterPilot, planId } from "../../src/core/plan.ts";
import { differingSettings, ownOf } from "../../src/core/variants.ts";
import { blocks, censusOf, planOf } from "./support.ts";

const plain = planOf(`target:
  services: [mysql]
  env: { A: "1", B: "2" }
  php: { binary: php-fpm8.4, workers: 4, ini: { memory_limit: 128M } }
  links: { mysql: { latency: 1ms } }
scenarios:
  - { name: a, path: /a, levels: [1] }
  - { name: b, path: "/b?x=1", connection: close, levels: [1] }
variants:
  nothing: {}
  quick:
    env: { B: "3", C: 4.0 }
    php: { version: 8.2, process-manager: ondemand, ini: { precision: 10 } }
    nginx: { tls: true, access-log: true }
    resources: 1C512M
    links: { mysql: { latency: 3ms, jitter: 1ms } }
    connection: keep-alive
    query: connection=short&y=2
  large: { resources: { cpus: 2, memory: 4G, by: cpuset } }
  server: { start: php server.php, php: { workers: 9 } }
`);
const [a, b] = plain.config.scenarios as [Scenario, Scenario];

const variant = (name: string): OwnConfig => {
  const found = plain.config.variants?.[name];
  if (found === undefined) throw new Error(name);
  return ownOf(plain.config, found);
};
const quick: Plan = { ...plain, own: { head: variant("quick") } };

test("a variant is merged over the target, name by name", () => {
  const { target } = plain.config;
  expect(targetOf(quick, "base")).toBe(target);
  expect(targetOf(quick, "head")).toEqual({
    ...target,
    env: { A: "1", B: "3", C: "4.0" },
    // The version is that of the variant, not of the binary that the target names.
    php: {
      ...target.php,
      version: "8.2",
      binary: null,
      processManager: "ondemand",
      ini: { memory_limit: "128M", precision: "10" },
    },
    nginx: { ...target.nginx, tls: true, accessLog: true },
    resources: { cpus: 1, memoryBytes: 512 * 1024 ** 2, by: "quota" },
    links: { mysql: { port: null, latencyMs: 3, jitterMs: 1 } },
  });
  expect(variant("nothing")).toEqual({ target });
});

test("a server in place of php-fpm, or of another one", () => {
  const { target } = plain.config;
  expect(variant("server").target).toEqual({ ...target, start: "php server.php", php: { ...target.php, workers: 9 } });
  const other = { target: { ...target, start: "php other.php" } };
  const named = { env: {}, php: {}, links: {} };
  expect(ownOf(other, named).target.start).toBe("php other.php");
  expect(ownOf(other, { ...named, start: "php server.php" }).target.start).toBe("php server.php");
  expect(ownOf(other, { ...named, start: null }).target.start).toBeNull();
});

test("and over every scenario: connections, and parameters behind those that are there", () => {
  const asked = (scenario: Scenario, arm: "base" | "head") => askedOf(quick, scenario, arm);
  expect(asked(a, "head")).toEqual({ work: { ...a.work, path: "/a?connection=short&y=2" }, checks: a.checks });
  expect(asked(b, "head").work).toMatchObject({ path: "/b?x=1&connection=short&y=2" });
  expect(asked(b, "base")).toEqual({ work: b.work, checks: b.checks });
  expect([a, b].map((one) => connectionOf(quick, one, "base"))).toEqual(["keep-alive", "close"]);
  expect([a, b].map((one) => connectionOf(quick, one, "head"))).toEqual(["keep-alive", "keep-alive"]);
  const flow = { ...a, work: { kind: "flow" as const, file: "/flow.js" } };
  expect(asked(flow, "head").work).toBe(flow.work);
  const { checks, work } = a;
  if (work.kind !== "request") throw new Error(work.kind);
  const entries = ["/x", "/y?z=1"].map((path) => ({ weight: 1, request: { ...work, path }, checks }));
  expect(asked({ ...a, work: { kind: "mix", entries } }, "head").work).toMatchObject({
    entries: [
      { weight: 1, request: { path: "/x?connection=short&y=2" } },
      { weight: 1, request: { path: "/y?z=1&connection=short&y=2" } },
    ],
  });
});

test("what differs is told as the file names it", () => {
  expect(differingSettings(quick)).toEqual([
    { key: "connection", base: "keep-alive, close", head: "keep-alive" },
    { key: "env.B", base: "2", head: "3" },
    { key: "env.C", base: null, head: "4.0" },
    { key: "links.mysql", base: "1ms", head: "3ms ± 1ms" },
    { key: "nginx.access-log", base: "false", head: "true" },
    { key: "nginx.tls", base: "false", head: "true" },
    { key: "php.binary", base: "php-fpm8.4", head: null },
    { key: "php.ini.precision", base: null, head: "10" },
    { key: "php.process-manager", base: "static", head: "ondemand" },
    { key: "php.version", base: null, head: "8.2" },
    { key: "query", base: null, head: "connection=short&y=2" },
    { key: "resources", base: null, head: "1C512M" },
  ]);
  expect(differingSettings({ ...plain, own: { base: variant("large") } })).toEqual([
    { key: "resources", base: "2C4G, cpuset", head: null },
  ]);
  expect(differingSettings({ ...plain, own: { head: variant("server") } })).toEqual([
    { key: "php.workers", base: "4", head: "9" },
    { key: "start", base: null, head: "php server.php" },
  ]);
  expect(differingSettings(plain)).toEqual([]);
  expect(differingSettings({ ...plain, own: { base: variant("quick"), head: variant("quick") } })).toEqual([]);
  const asked = { work: a.work, checks: a.checks };
  expect(differingSettings({ ...plain, own: { base: { ...variant("quick"), asked } } })).toEqual([]);
});

test("variants are the same application: counts are compared, and they are part of the plan's id", () => {
  expect(isOther(quick)).toBe(false);
  const census = censusOf(quick);
  const [counted] = census.scenarios;
  if (counted?.arms.head.counts.dbConnections) counted.arms.head.counts.dbConnections.perRequest = 1;
  const pilots = quick.cells.map((cell) => afterPilot(quick, cell, 2000, 10));
  const lines = [
    { kind: "pilot" as const, cells: pilots, seconds: 6 },
    ...blocks(quick, { blocks: 8, ratio: () => 1 }),
  ];
  const result = compare({ plan: quick, census, environment: null, lines, damaged: [] });
  expect(result.census.map(({ scenario, count }) => `${scenario} ${count}`)).toEqual(["a dbConnections"]);
  expect(result.verdict).toBe("pass");
  const id = (plan: Plan) => planId(plan, (text) => text);
  const close = { ...variant("quick"), connection: "close" as const };
  expect(new Set([plain, quick, { ...quick, own: { head: close } }].map(id)).size).toBe(3);
});

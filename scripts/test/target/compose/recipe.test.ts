import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Arm, ComposeConfig, OwnConfig, PhpSettings, TargetConfig } from "../../../src/core/model.ts";
import { PLAIN_NGINX } from "../../../src/core/nginx.ts";
import { armProject, sharedProject } from "../../../src/target/compose/project.ts";
import { recipesOf } from "../../../src/target/compose/recipe.ts";
import type { ComposeModel } from "../../../src/target/compose/types.ts";
import { makeSite, type Site } from "../app.ts";
import { example, OPTIONS } from "./examples.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const COMPOSE: ComposeConfig = {
  file: "compose.yml",
  service: "app",
  port: 80,
  restart: ["app"],
  shared: ["db"],
  census: { mysql: "db", redis: null },
};

/** The recipes of a site whose head is started as `target` says, and its base as `base` says; null = alike. */
function recipesWith(
  target: Partial<TargetConfig>,
  base: Partial<TargetConfig> | null,
  php: Partial<PhpSettings> = {},
) {
  const site: Site = makeSite({ target });
  cleanups.push(site.remove);
  const { plan } = site.options;
  if (base !== null) {
    const { target: plain } = plan.config;
    const own: Partial<Record<Arm, OwnConfig>> = {
      base: { target: { ...plain, ...base, php: { ...plain.php, ...php } } },
    };
    Object.assign(plan, { own });
  }
  const state = join(site.workDirectory, "state");
  mkdirSync(state, { recursive: true });
  return { recipes: recipesOf(site.options, state), site, state };
}

test("arms that are alike share what the configuration says", () => {
  const { recipes, site } = recipesWith({ compose: COMPOSE }, null);
  for (const project of ["base", "head", "shared"] as const) {
    expect(recipes[project]).toMatchObject({ service: "app", shared: ["db"], census: { mysql: "db" } });
    expect(recipes[project].variables["PERF_GATE_ARM"]).toBe(project);
  }
  expect(recipes.head.file).toBe(join(site.directory, "head/compose.yml"));
  expect(recipes.shared.file).toBe(join(site.directory, "base/compose.yml"));
});

test("both bundled: one of each service that either needs, and nobody sees one that it does not", () => {
  const { recipes, site, state } = recipesWith(
    { services: ["redis"] },
    { services: ["mysql", "redis"], root: "public", host: "other.test" },
  );
  expect(recipes.shared).toMatchObject({ shared: ["mysql", "redis"], left: ["http"] });
  expect(recipes.base).toMatchObject({ shared: ["mysql", "redis"], left: ["http"] });
  expect(recipes.head).toMatchObject({ shared: ["redis"], left: ["mysql", "http"], census: { mysql: null } });
  expect(recipes.base.variables["PERF_GATE_HOST"]).toBe("other.test");
  expect(recipes.head.variables["PERF_GATE_HOST"]).toBe(site.options.plan.config.target.host);
  const config = (arm: Arm) => readFileSync(join(state, `config-${arm}`, "nginx.conf"), "utf8");
  expect(config("base")).toContain('root "/app/public"');
  expect(config("head")).not.toContain("/app/public");
});

test("a bundled base beside a compose file of the user's: it has its own services, the head keeps its project", () => {
  const { recipes, site, state } = recipesWith({ compose: COMPOSE }, { compose: null, services: ["mysql"] });
  expect(recipes.base).toMatchObject({
    service: "web",
    shared: [],
    left: ["redis", "http"],
    census: { mysql: "mysql" },
  });
  expect(recipes.base.file).toBe(join(site.options.home, "docker/compose.yaml"));
  for (const project of ["head", "shared"] as const) {
    expect(recipes[project]).toMatchObject({ service: "app", shared: ["db"], tree: join(site.directory, "head") });
  }
  expect(existsSync(join(state, "config-head"))).toBe(false);
});

test("a delay that only one of them has keeps their services apart", () => {
  const links = { mysql: { port: null, latencyMs: 5, jitterMs: 0 } };
  const { recipes } = recipesWith({ services: ["mysql"], links }, { services: ["mysql"], links: {} });
  expect(recipes.base.shared).toEqual([]);
  expect(recipes.shared).toMatchObject({ shared: ["mysql"], target: { links } });
});

test("two variants of one tree: PHP, its settings, environment and limits of each, and one of each service", () => {
  const memoryBytes = 2 ** 30;
  const { recipes, site, state } = recipesWith(
    { services: ["mysql"], env: { MODE: "plain" } },
    { services: ["mysql"], env: { MODE: "quick" }, resources: { cpus: 1, memoryBytes, by: "quota" } },
    { version: "8.2", workers: 3, ini: { memory_limit: "1M" } },
  );
  expect(recipes.base.target).toMatchObject({ env: { MODE: "quick" }, resources: { cpus: 1, memoryBytes } });
  expect(recipes.head.target).toMatchObject({ env: { MODE: "plain" }, resources: null });
  expect(recipes.base.variables["PERF_GATE_PHP"]).toBe("8.2");
  expect(recipes.head.variables["PERF_GATE_PHP"]).toBeUndefined();
  const config = (arm: Arm, file: string) => readFileSync(join(state, `config-${arm}`, file), "utf8");
  expect(config("base", "php-fpm.conf")).toContain("pm.max_children = 3\n");
  expect(config("head", "php-fpm.conf")).toContain(
    `pm.max_children = ${site.options.plan.config.target.php.workers}\n`,
  );
  expect(config("base", "ini/perf-gate.ini")).toContain('memory_limit = "1M"');
  expect(config("head", "ini/perf-gate.ini")).not.toContain("memory_limit");
  expect(recipes.shared).toMatchObject({ shared: ["mysql"] });
  expect([recipes.base.shared, recipes.head.shared]).toEqual([["mysql"], ["mysql"]]);
});

test("a bundled arm over TLS has a certificate of its own beside nginx's configuration, and says so", () => {
  const { recipes, state } = recipesWith({}, { nginx: { ...PLAIN_NGINX, tls: true, http2: true, accessLog: true } });
  expect(recipes.base.variables["PERF_GATE_SCHEME"]).toBe("https");
  expect(recipes.head.variables["PERF_GATE_SCHEME"]).toBe("http");
  const config = (arm: Arm) => readFileSync(join(state, `config-${arm}`, "nginx.conf"), "utf8");
  expect(config("base")).toContain("listen 8080 ssl http2 backlog=4096;");
  expect(config("base")).toContain('ssl_certificate "/etc/perf-gate/certificate.pem";');
  expect(config("base")).toContain('access_log "/tmp/access.log";');
  expect(config("head")).toContain("listen 8080 backlog=4096;");
  expect(existsSync(join(state, "config-base/key.pem"))).toBe(true);
  expect(existsSync(join(state, "config-head/key.pem"))).toBe(false);
});

test("what only the head needs is on its networks alone", () => {
  const { services, networks } = sharedProject(example("laravel"), OPTIONS.laravel, ["head"]) as ComposeModel;
  expect(services["mysql"]?.networks).toEqual({ head_sail: { aliases: ["mysql"] } });
  expect(Object.keys(networks ?? {})).toEqual(["head_sail"]);
});

test("an arm that shares nothing runs its services itself", () => {
  const { services } = armProject(example("laravel"), { ...OPTIONS.laravel, shared: [], arm: "base" });
  expect(Object.keys(services)).toEqual(expect.arrayContaining(["mysql", "redis"]));
});

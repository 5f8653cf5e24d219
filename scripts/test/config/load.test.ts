// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how the configuration refers to services.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig, parseConfig, zeroConfig } from "../../src/config/load.ts";
import type { Config, Limits, Scenario } from "../../src/core/model.ts";

const parse = (text: string): Config =>
  parseConfig(text, { file: "perf-gate.yml", directory: "/app/.github", isFile: () => true });

const defaultLimits: Limits = { maxQpsDrop: 0.05, maxP99Rise: 0.2, minQps: null, maxP99Ms: null, gateLatency: true };
const home: Scenario = {
  name: "home",
  work: { kind: "request", method: "GET", path: "/", headers: {}, body: null },
  connection: "keep-alive",
  checks: { status: [200], bodyContains: null },
  load: { model: "closed", vus: [1, 20] },
  limits: defaultLimits,
};
const zero: Config = {
  target: {
    driver: "auto",
    root: ".",
    index: "index.php",
    host: "localhost",
    healthPath: "/",
    prepare: [],
    start: null,
    services: [],
    env: {},
    php: {
      version: null,
      binary: null,
      processManager: "static",
      workers: 8,
      opcache: true,
      jit: "off",
      backlog: 511,
      ini: {},
    },
    nginx: { tls: false, http2: false, accessLog: false, proxy: false, upstreamKeepAlive: false },
    compose: null,
    copy: [],
    resources: null,
    links: {},
    buildCache: null,
    url: null,
  },
  scenarios: [home, { ...home, name: "home, no keep-alive", connection: "close" }],
  gate: { maxOverallQpsDrop: 0.02, onInconclusive: "warn", maxAdded: {} },
  measure: {
    budgetSeconds: 600,
    slotSeconds: "auto",
    warmUpSeconds: 1.5,
    maxRounds: 20,
    maxErrorRate: 0.005,
    maxForeignCores: 0.05,
    isolation: "auto",
    generator: "auto",
  },
  baseline: {
    store: "git:perf-gate-data",
    branch: null,
    anchor: null,
    maxQpsDrop: 0.1,
    maxP99Rise: 0.3,
    noise: 0.03,
  },
};

test("no configuration: / at 1 and 20 VUs, with keep-alive and without", () => {
  expect(zeroConfig()).toEqual(zero);
});

test.each(["", "# nothing yet\n", "---\n", "{}", "target:\ngate:\nmeasure:\n  # slot: 2s\n", "\uFEFFbudget: 10m\n"])(
  "%j is the same as no configuration",
  (text) => {
    expect(parse(text)).toEqual(zero);
  },
);

test("every key at once", () => {
  const config = parse(`
target:
  driver: url
  root: ./public
  index: app/front.php
  host: shop.example.com:8080
  health: /up?deep=1
  prepare: ["composer install --no-dev", "php artisan migrate --force"]
  start: php artisan octane:start --port=$PORT
  services: [mysql, redis, http]
  copy: [.env, vendor/]
  resources: {cpus: 2, memory: 512M, by: cpuset}
  build-cache: gha
  links: {mysql: {latency: 1ms, jitter: 0.2ms, port: 3307}, redis: {latency: 0.5ms}}
  env: {VERSION: 8.10, DEBUG: false, EMPTY: "", OCTAL: 0777, DB: "mysql://\${MYSQL_HOST}:\${MYSQL_PORT}/x", __proto__: a}
  url: {base: "http://base.test:8080/", head: "https://HEAD.test/app/"}
  php:
    version: 8.4
    binary: php-fpm8.4
    process-manager: dynamic
    workers: 32
    opcache: true
    jit: tracing
    backlog: 1
    ini: {memory_limit: 256M, opcache.validate_timestamps: 0, display_errors: off, precision: 1e3}
  nginx: {tls: true, http2: true, access-log: true, proxy: true, upstream-keep-alive: true}
scenarios:
  - path: /api/items?id=1
    method: POST
    headers: {Accept: text/html, X-Count: 007}
    body: {a: [1, "b"], c: null}
    checks: {status: [200, 204], body-contains: "items"}
    connection: close
    levels: [1, 8, 2000]
    gate: {max-qps-drop: 8%, max-p99-rise: 30%, min-qps: 250, max-p99: 300ms, latency: false}
  - name: Ünïcode ✓
    path: /raw
    method: PUT
    headers: {content-type: text/plain}
    body: "a: 1"
    checks: {status: 201}
  - flow: flows/check-out.js
    model: open
    rate: [auto, 200]
    max-vus: 50
    gate: {latency: true}
  - path: /auto
    model: open
  - path: /ramp
    model: ramp
    stages: [{duration: 0s, target: 5}, {duration: 1m, target: 20}, {duration: 1m, target: 20}, {duration: 500ms, target: 0}]
gate:
  max-qps-drop: 7%
  max-p99-rise: 1000%
  max-overall-qps-drop: 0.5%
  min-qps: 0.5
  max-p99: 1.5s
  on-inconclusive: fail
  max-added: {sql-statements: 0, db-connections: 0.5, redis-commands: 2, response-bytes: 10kB}
budget: 1h30m
measure:
  slot: 3s
  warm-up: 2s
  rounds: 60
  max-error-rate: 0%
  max-foreign-cpu: off
  isolation: {generator: 1, target: "0,2-3", services: "0"}
  generator: container
  trace: true
  outputs: experimental-prometheus-rw
baseline:
  store: perf/history.ndjson
  branch: release/2.x
  anchor: v1.4.0
  max-qps-drop: 15%
  max-p99-rise: 50%
  noise: 2%
`);
  const limits: Limits = { maxQpsDrop: 0.07, maxP99Rise: 10, minQps: 0.5, maxP99Ms: 1500, gateLatency: true };
  expect(config).toEqual({
    target: {
      driver: "url",
      root: "./public",
      index: "app/front.php",
      host: "shop.example.com:8080",
      healthPath: "/up?deep=1",
      prepare: ["composer install --no-dev", "php artisan migrate --force"],
      start: "php artisan octane:start --port=$PORT",
      services: ["mysql", "redis", "http"],
      env: {
        VERSION: "8.10",
        DEBUG: "false",
        EMPTY: "",
        OCTAL: "0777",
        DB: "mysql://${MYSQL_HOST}:${MYSQL_PORT}/x",
      },
      nginx: { tls: true, http2: true, accessLog: true, proxy: true, upstreamKeepAlive: true },
      compose: null,
      copy: [".env", "vendor/"],
      resources: { cpus: 2, memoryBytes: 536_870_912, by: "cpuset" },
      links: {
        mysql: { port: 3307, latencyMs: 1, jitterMs: 0.2 },
        redis: { port: null, latencyMs: 0.5, jitterMs: 0 },
      },
      buildCache: { kind: "gha" },
      url: { base: "http://base.test:8080", head: "https://head.test/app" },
      php: {
        version: "8.4",
        binary: "php-fpm8.4",
        processManager: "dynamic",
        workers: 32,
        opcache: true,
        jit: "tracing",
        backlog: 1,
        ini: { memory_limit: "256M", "opcache.validate_timestamps": "0", display_errors: "off", precision: "1e3" },
      },
    },
    scenarios: [
      {
        name: "/api/items?id=1",
        work: {
          kind: "request",
          method: "POST",
          path: "/api/items?id=1",
          headers: { Accept: "text/html", "X-Count": "007", "Content-Type": "application/json" },
          body: '{"a":[1,"b"],"c":null}',
        },
        connection: "close",
        checks: { status: [200, 204], bodyContains: "items" },
        load: { model: "closed", vus: [1, 8, 2000] },
        limits: { maxQpsDrop: 0.08, maxP99Rise: 0.3, minQps: 250, maxP99Ms: 300, gateLatency: false },
      },
      {
        name: "Ünïcode ✓",
        work: {
          kind: "request",
          method: "PUT",
          path: "/raw",
          headers: { "content-type": "text/plain" },
          body: "a: 1",
        },
        connection: "keep-alive",
        checks: { status: [201], bodyContains: null },
        load: { model: "closed", vus: [1, 20] },
        limits,
      },
      {
        name: "check-out",
        work: { kind: "flow", file: "/app/.github/flows/check-out.js" },
        connection: "keep-alive",
        checks: { status: [200], bodyContains: null },
        load: { model: "open", rates: ["auto", 200], maxVus: 50 },
        limits,
      },
      {
        ...home,
        name: "/auto",
        work: { ...home.work, path: "/auto" },
        load: { model: "open", rates: ["auto"], maxVus: 200 },
        limits: { ...limits, gateLatency: false },
      },
      {
        ...home,
        name: "/ramp",
        work: { ...home.work, path: "/ramp" },
        load: {
          model: "ramp",
          stages: [
            { durationSeconds: 0, target: 5 },
            { durationSeconds: 60, target: 20 },
            { durationSeconds: 60, target: 20 },
            { durationSeconds: 0.5, target: 0 },
          ],
        },
        limits,
      },
    ],
    gate: {
      maxOverallQpsDrop: 0.005,
      onInconclusive: "fail",
      maxAdded: { sqlStatements: 0, dbConnections: 0.5, redisCommands: 2, responseBytes: 10_000 },
    },
    measure: {
      budgetSeconds: 5400,
      slotSeconds: 3,
      warmUpSeconds: 2,
      maxRounds: 60,
      maxErrorRate: 0,
      maxForeignCores: null,
      isolation: { generator: "1", target: "0,2-3", services: "0" },
      generator: "container",
      trace: true,
      outputs: ["experimental-prometheus-rw"],
    },
    baseline: {
      store: "perf/history.ndjson",
      branch: "release/2.x",
      anchor: "v1.4.0",
      maxQpsDrop: 0.15,
      maxP99Rise: 0.5,
      noise: 0.02,
    },
  });
  expect(Object.getPrototypeOf(config.target.env)).toBe(Object.prototype);
});

test("a compose file of one's own; what is not said of it has a default", () => {
  const least = "compose: compose.perf.yml\n  service: app\n  port: 8080\n";
  expect(parse(`target:\n  ${least}`)).toEqual({
    ...zero,
    target: {
      ...zero.target,
      compose: {
        file: "compose.perf.yml",
        service: "app",
        port: 8080,
        restart: ["app"],
        shared: [],
        census: { mysql: null, redis: null },
      },
    },
  });
  const { target } = parse(`target:
  ${least}  restart: [app, web]
  shared: [db]
  census: {mysql: db, redis: cache}
  resources: 1.5C2G
  links: {db: {latency: 1ms}}
  php: {workers: 4}
  prepare: [php artisan migrate --force]
`);
  expect(target.compose).toMatchObject({
    restart: ["app", "web"],
    shared: ["db"],
    census: { mysql: "db", redis: "cache" },
  });
  expect(target.resources).toEqual({ cpus: 1.5, memoryBytes: 2_147_483_648, by: "quota" });
  expect(target.links).toEqual({ db: { port: null, latencyMs: 1, jitterMs: 0 } });
});

test.each([
  ["gha", { kind: "gha" }],
  ["ghcr.io/owner/build-cache", { kind: "registry", repository: "ghcr.io/owner/build-cache" }],
  ["localhost:5000/cache", { kind: "registry", repository: "localhost:5000/cache" }],
  ["/var/cache/builds", { kind: "folder", path: "/var/cache/builds" }],
  // From where perf-gate is run.
  ["../builds", { kind: "folder", path: resolve("../builds") }],
  ["~/builds", { kind: "folder", path: join(homedir(), "builds") }],
])("build-cache: %s", (written, expected) => {
  expect(parse(`target:\n  build-cache: ${written}\n`).target.buildCache).toEqual(expected);
});

test("anchors, aliases and merge keys share values, and mistakes in them are found where they are written", () => {
  const text = `scenarios:
  - &first {path: /a, levels: [4], headers: {X: 1.0}}
  - <<: *first
    path: /b
`;
  expect(parse(text).scenarios.map(({ name, work, load }) => [name, work, load])).toEqual(
    ["/a", "/b"].map((path) => [
      path,
      { kind: "request", method: "GET", path, headers: { X: "1.0" }, body: null },
      { model: "closed", vus: [4] },
    ]),
  );
  expect(() => parse("gate: &g {max-p99: 5}\nscenarios: [{path: /, gate: *g}]")).toThrow(
    /^perf-gate.yml: 2 problems\nperf-gate.yml:1:20: scenarios\[0\].gate.max-p99: .*\nperf-gate.yml:1:20: gate.max-p99: /,
  );
});

test("a mix of requests by weight, each with what a request has", () => {
  const { scenarios } = parse(`scenarios:
  - name: shop
    mix:
      - {path: /, weight: 1}
      - {path: /items?page=2, weight: 1000, headers: {X: 1.0}, checks: {body-contains: item}}
      - {path: /cart, weight: 30, method: POST, body: {id: 7}, checks: {status: 201}}
    connection: close
    levels: [5]
`);
  const request = { method: "GET", headers: {}, body: null };
  const ok = { status: [200], bodyContains: null };
  expect(scenarios).toEqual([
    {
      ...home,
      name: "shop",
      connection: "close",
      load: { model: "closed", vus: [5] },
      work: {
        kind: "mix",
        entries: [
          { weight: 1, request: { ...request, path: "/" }, checks: ok },
          {
            weight: 1000,
            request: { ...request, path: "/items?page=2", headers: { X: "1.0" } },
            checks: { ...ok, bodyContains: "item" },
          },
          {
            weight: 30,
            request: {
              method: "POST",
              path: "/cart",
              headers: { "Content-Type": "application/json" },
              body: '{"id":7}',
            },
            checks: { ...ok, status: [201] },
          },
        ],
      },
    },
  ]);
});

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-load-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

test("files are looked for in order; a flow is relative to the file", async () => {
  expect(await loadConfig(null, directory)).toEqual({ config: zero, file: null, text: null });

  const budget = async (): Promise<[number, string | null]> => {
    const { config, file } = await loadConfig(null, directory);
    return [config.measure.budgetSeconds, file];
  };
  writeFileSync(join(directory, "perf-gate.yaml"), "budget: 1m");
  expect(await budget()).toEqual([60, join(directory, "perf-gate.yaml")]);
  mkdirSync(join(directory, ".github"));
  writeFileSync(join(directory, ".github/perf-gate.yml"), "budget: 2m");
  expect(await budget()).toEqual([120, join(directory, ".github/perf-gate.yml")]);
  writeFileSync(join(directory, "perf-gate.yml"), "budget: 3m");
  expect(await budget()).toEqual([180, join(directory, "perf-gate.yml")]);

  writeFileSync(join(directory, ".github/login.js"), "");
  writeFileSync(join(directory, ".github/other.yml"), "scenarios: [{flow: login.js}]");
  const { config, file, text } = await loadConfig(".github/other.yml", directory);
  expect(config.scenarios[0]?.work).toEqual({ kind: "flow", file: join(directory, ".github/login.js") });
  expect([file, text]).toEqual([join(directory, ".github/other.yml"), "scenarios: [{flow: login.js}]"]);
});

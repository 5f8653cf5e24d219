import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.ts";
import type { Link } from "../../../src/core/model.ts";
import { toxics, withLinks } from "../../../src/target/compose/links.ts";
import { armProject, sharedProject } from "../../../src/target/compose/project.ts";
import type { ComposeModel, ComposeService } from "../../../src/target/compose/types.ts";
import { example, LABELS, OPTIONS } from "./examples.ts";

const link: Link = { port: null, latencyMs: 2, jitterMs: 1 };
const networks = { default: null };

const content = (model: ComposeModel, name: string): unknown =>
  JSON.parse(`${model.configs?.[`${name}-toxiproxy`]?.["content"]}`);

describe("a linked service", () => {
  const links = { db: link };
  const { services, configs } = armProject(example("awkward"), { ...OPTIONS.awkward, arm: "base", links });

  test("has a proxy under its name, its aliases and on its networks", () => {
    expect(services["db"]).toEqual({
      image: "ghcr.io/shopify/toxiproxy:2.12.0",
      command: ["-host=0.0.0.0", "-config=/toxiproxy.json"],
      configs: [{ source: "db-toxiproxy", target: "/toxiproxy.json" }],
      depends_on: { "db-direct": { condition: "service_started", required: true } },
      hostname: "shop-db",
      networks: { back: { aliases: ["database", "shop_db", "mysql.internal"] } },
      cpuset: "3",
      labels: { ...LABELS, "perf-gate.arm": "base" },
      logging: { driver: "local", options: { "max-size": "10m" } },
    });
  });

  test("stands behind it, under no name that leads past it", () => {
    const { hostname, networks: own, image, configs: tuning } = services["db-direct"] ?? {};
    expect([hostname, own, image, tuning]).toEqual([
      undefined,
      { back: {} },
      "mysql:8.4",
      [{ source: "tuning", target: "/etc/mysql/conf.d/tuning.cnf" }],
    ]);
  });

  test("the proxy listens on the service's port and hands on to it", () => {
    expect(content({ services, ...(configs && { configs }) }, "db")).toEqual([
      { name: "db", listen: "0.0.0.0:3306", upstream: "db-direct:3306", enabled: true },
    ]);
    expect(configs?.["tuning"]?.["content"]).toContain("skip-name-resolve");
  });

  test("is waited for as before, and its proxy is there", () => {
    const { services: laravel } = sharedAnd("laravel", { mysql: link }).arm;
    expect(laravel["laravel.test"]?.depends_on).toEqual({});
    const app = withLinks(example("laravel"), { mysql: link }).services["laravel.test"];
    expect(app?.depends_on).toEqual({
      "mysql-direct": { condition: "service_healthy", required: true },
      mysql: { condition: "service_started", required: true },
      redis: { condition: "service_started", required: true },
    });
  });
});

const sharedAnd = (name: "laravel", links: Record<string, Link>) => ({
  arm: armProject(example(name), { ...OPTIONS[name], arm: "base", links }),
  shared: sharedProject(example(name), { ...OPTIONS[name], links }) as ComposeModel,
});

test("a link to a shared service stands in the shared project, for both arms", () => {
  const { arm, shared } = sharedAnd("laravel", { mysql: link });
  expect(Object.keys(arm.services)).toEqual(["laravel.test", "queue"]);
  expect(Object.keys(shared.services)).toEqual(["mysql", "mysql-direct", "redis"]);
  expect(shared.services["mysql"]?.networks).toEqual({
    base_sail: { aliases: ["mysql"] },
    head_sail: { aliases: ["mysql"] },
  });
  expect(shared.services["mysql-direct"]?.networks).toEqual({
    base_sail: { aliases: ["mysql-direct"] },
    head_sail: { aliases: ["mysql-direct"] },
  });
});

test("what lives in a linked service's container follows it there", () => {
  const around: ComposeService = {
    network_mode: "service:db",
    ipc: "service:db",
    pid: "service:app",
    volumes_from: ["db:ro", "app"],
    build: { context: "/x", additional_contexts: { db: "service:db", src: "/db" } },
  };
  const model = { services: { db: { image: "mysql", networks }, app: { networks }, around } };
  expect(withLinks(model, { db: link }).services["around"]).toEqual({
    network_mode: "service:db-direct",
    ipc: "service:db-direct",
    pid: "service:app",
    volumes_from: ["db-direct:ro", "app"],
    build: { context: "/x", additional_contexts: { db: "service:db-direct", src: "/db" } },
  });
});

describe("the port", () => {
  const portOf = (service: ComposeService, name: string, port: number | null = null): unknown => {
    const model = withLinks({ services: { [name]: { networks, ...service } } }, { [name]: { ...link, port } });
    return (content(model, name) as { listen: string }[])[0]?.listen;
  };

  test.each<[ComposeService, string, number | null, number]>([
    [{ image: "mariadb:11" }, "database", null, 3306],
    [{ build: { context: "/db" } }, "mysql", null, 3306],
    [{ image: "valkey/valkey:8" }, "cache", null, 6379],
    [{ image: "redis:7", ports: [{ target: 16379 }] }, "redis", 16379, 16379],
    [{ image: "nginx" }, "partner", null, 80],
    [{ image: "nginx", expose: ["8080"] }, "http", null, 8080],
    [{ image: "postgres", ports: [{ target: 5432 }], expose: ["5432"] }, "db", null, 5432],
  ])("%o, named %s, configured %s: %i", (service, name, port, expected) => {
    expect(portOf(service, name, port)).toBe(`0.0.0.0:${expected}`);
  });

  test.each<[ComposeService, string]>([
    [
      { image: "search" },
      "target.links.elastic.port: expected the port that elastic listens on; got nothing, and the compose file names none. Write for example port: 3306.",
    ],
    [
      { image: "search", expose: ["9200", "9300"] },
      "target.links.elastic.port: expected the port that elastic listens on; got nothing, the compose file names 9200, 9300. Write for example port: 9200.",
    ],
  ])("%o: nobody can know", (service, message) => {
    expect(() => portOf(service, "elastic")).toThrow(new InputError(message));
  });
});

describe("a link that cannot be", () => {
  test.each<[Record<string, Link>, Record<string, ComposeService>, string]>([
    [{ cache: link }, {}, 'target.links: no service "cache" in the compose file.'],
    [{ app: link }, {}, "target.links.app: app is under load itself"],
    [
      { db: link },
      { "db-direct": {} },
      "target.links.db: the name db-direct is needed for the service behind the delay, and the compose file has such a service. Rename it.",
    ],
    [
      { db: link },
      { db: { image: "mysql", network_mode: "none" } },
      "target.links.db: the compose file gives db no network of its own (network_mode), so nothing can stand in front of it. Remove network_mode or the link.",
    ],
    [
      { db: { ...link, jitterMs: 0.2 } },
      {},
      "target.links.db.jitter: Toxiproxy counts in whole milliseconds; got 0.2ms. Write 0ms or 1ms.",
    ],
    [
      { db: { ...link, latencyMs: 1.5 } },
      {},
      "target.links.db.latency: Toxiproxy counts in whole milliseconds; got 1.5ms. Write 1ms or 2ms.",
    ],
  ])("%o", (links, services, message) => {
    const model = { services: { app: { networks }, db: { image: "mysql", networks }, ...services } };
    expect(() => armProject(model, { ...OPTIONS.awkward, arm: "base", links })).toThrow(message);
  });
});

test("toxics are what Toxiproxy's API takes", () => {
  expect(toxics({ mysql: link })).toEqual([
    {
      service: "mysql",
      path: "/proxies/mysql/toxics",
      body: {
        name: "latency",
        type: "latency",
        stream: "downstream",
        toxicity: 1,
        attributes: { latency: 2, jitter: 1 },
      },
    },
  ]);
});

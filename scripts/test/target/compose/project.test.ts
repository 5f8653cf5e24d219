import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.ts";
import { ARMS, type Arm } from "../../../src/core/model.ts";
import { checkRestart, requireServices, restartOrder } from "../../../src/target/compose/checks.ts";
import { quietHealthcheck, quietImageHealthcheck } from "../../../src/target/compose/healthcheck.ts";
import {
  armProject,
  composeText,
  networksOf,
  type ProjectOptions,
  sharedProject,
} from "../../../src/target/compose/project.ts";
import type { ComposeModel, ComposeService } from "../../../src/target/compose/types.ts";
import { EXAMPLES, type Example, example, goldenPath, LABELS, OPTIONS } from "./examples.ts";

const arm = (name: Example, options: Partial<ProjectOptions> = {}): ComposeModel =>
  armProject(example(name), { ...OPTIONS[name], arm: "head", ...options });

/** An arm's project of a file with these services, and app in front. */
function project(services: Record<string, ComposeService>, options: Partial<ProjectOptions> = {}): ComposeModel {
  const networks = { default: null };
  const model = { services: { app: { image: "app", networks }, ...services }, networks: { default: {} } };
  return armProject(model, { ...OPTIONS.awkward, arm: "base", ...options });
}

function complaint(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).message;
  }
  return "";
}

describe("whole projects", () => {
  test.each(EXAMPLES)("%s", async (name) => {
    const projects = { head: arm(name), shared: sharedProject(example(name), OPTIONS[name]) };
    await expect(`${JSON.stringify(projects, null, 2)}\n`).toMatchFileSnapshot(goldenPath(`${name}.projects`));
  });

  test.each(EXAMPLES)("%s: the two arms have no name in common", (name) => {
    const model = example(name);
    const [base, head] = ARMS.map((it) => namesOf(armProject(model, { ...OPTIONS[name], arm: it })));
    expect(base?.length).toBeGreaterThan(2);
    expect(base?.filter((it) => head?.includes(it))).toEqual([]);
  });

  test.each(EXAMPLES)("%s: the model handed in is left as it was", (name) => {
    const model = example(name);
    armProject(model, { ...OPTIONS[name], arm: "base" });
    sharedProject(model, OPTIONS[name]);
    expect(model).toEqual(example(name));
  });

  test("builds are for bake, not for compose", () => {
    const base = arm("awkward");
    expect(base.services["app"]?.build).toBeDefined();
    expect(JSON.parse(composeText(base)).services.app.build).toBeUndefined();
    expect(JSON.parse(composeText(base)).services.db).toEqual(base.services["db"]);
  });
});

/** Whatever the engine knows by a name of its own. */
function namesOf(model: ComposeModel): string[] {
  const named = [...Object.values(model.networks ?? {}), ...Object.values(model.volumes ?? {})];
  const tags = Object.values(model.services).flatMap((it) => (it.build === undefined ? [] : [it.image]));
  return [model.name, ...named.map((it) => it?.name), ...tags].map(String);
}

describe("a service of an arm", () => {
  test.each(["ports", "container_name", "restart", "profiles", "develop", "links"])("has no %s", (key) => {
    const service: ComposeService = { container_name: "one", restart: "always", ports: [{ target: 80 }] };
    Object.assign(service, { profiles: ["dev"], develop: { watch: [] }, links: ["app"] });
    expect(service).toHaveProperty(key);
    expect(project({ db: service }).services["db"]).not.toHaveProperty(key);
  });

  test("is still found by the name of its container and by the aliases of links", () => {
    const { networks } = arm("awkward").services["db"] ?? {};
    expect(networks?.["back"]?.aliases).toEqual(["database", "shop_db", "mysql.internal"]);
  });

  test("keeps network aliases and loses fixed addresses", () => {
    const { networks } = arm("awkward").services["app"] ?? {};
    expect(networks).toEqual({
      front: { aliases: ["shop.example", "shop_app"] },
      back: { aliases: ["shop_app"] },
    });
  });

  test("runs once", () => {
    const services = project({
      two: { scale: 2 },
      three: { deploy: { replicas: 3, restart_policy: { condition: "any" } } },
      none: { deploy: { replicas: 0 } },
    }).services;
    expect(services["two"]?.scale).toBe(1);
    expect(services["three"]?.deploy).toEqual({ replicas: 1 });
    expect(services["none"]?.deploy).toEqual({ replicas: 0 });
  });

  test("is restarted by nobody else's restart", () => {
    const { depends_on } = project({ web: { depends_on: { app: { condition: "service_started", restart: true } } } })
      .services["web"] as ComposeService;
    expect(depends_on).toEqual({ app: { condition: "service_started" } });
  });

  test("has the image that is built for it, and so has a service that names the same image", () => {
    const { services } = arm("laravel");
    const image = "perf-gate/k3:head-laravel.test";
    expect(services["laravel.test"]).toMatchObject({ image, pull_policy: "never" });
    expect(services["queue"]).toMatchObject({ image, pull_policy: "never" });
  });

  test("is not pulled again where the image is there", () => {
    expect(arm("awkward").services["db"]).not.toHaveProperty("pull_policy");
  });

  test("has the image of the arm instead of a build", () => {
    const image = `shop@sha256:${"a".repeat(64)}`;
    const { services } = arm("laravel", { image });
    for (const name of ["laravel.test", "queue"]) {
      expect(services[name]?.image).toBe(image);
      expect(services[name]).not.toHaveProperty("build");
      expect(services[name]).not.toHaveProperty("pull_policy");
    }
  });

  test("an image for one service leaves services without a build alone", () => {
    const { services } = project({ other: { image: "other" } }, { image: "new" });
    expect([services["app"]?.image, services["other"]?.image]).toEqual(["new", "other"]);
  });

  test("an image for one service leaves what is built for others alone", () => {
    const build = { context: "/tree" };
    const { services } = project({ app: { build }, web: { build } }, { image: "new" });
    expect([services["app"]?.build, services["web"]?.build]).toEqual([undefined, build]);
  });

  test("writes its output where it costs the engine little, and is bounded", () => {
    const { logging } = project({ db: { logging: { driver: "syslog" } } }).services["db"] as ComposeService;
    expect(logging).toEqual({ driver: "local", options: { "max-size": "10m" } });
  });

  test("has networks with the options of the file, but no name that only one of them can have", () => {
    const driver_opts = { "com.docker.network.bridge.name": "br9", "com.docker.network.driver.mtu": "9000" };
    const networks = { back: { internal: true, driver_opts }, front: null };
    expect(networksOf({ services: {}, networks }, "k3", "head")).toEqual({
      "perf-gate-k3-head_back": ["--internal", "--opt", "com.docker.network.driver.mtu=9000"],
      "perf-gate-k3-head_front": [],
    });
  });

  test("carries labels beside those of the file", () => {
    const { labels } = project({ db: { labels: { team: "shop" } } }).services["db"] as ComposeService;
    expect(labels).toEqual({ team: "shop", ...LABELS, "perf-gate.arm": "base" });
  });

  test.each<[Arm, string[]]>([
    ["base", ["perf-gate-k3-base_front", "perf-gate-k3-base_back"]],
    ["head", ["perf-gate-k3-head_front", "perf-gate-k3-head_back"]],
  ])("%s finds its networks already there", (name, names) => {
    const { networks } = arm("awkward", { arm: name });
    expect(Object.values(networks ?? {}).map((it) => [it?.name, it?.external])).toEqual(
      names.toSorted().map((it) => [it, true]),
    );
    expect(Object.keys(networksOf(example("awkward"), "k3", name)).toSorted()).toEqual(names.toSorted());
  });

  test("has volumes of its own, without those that nobody mounts any more", () => {
    expect(Object.keys(arm("symfony").volumes ?? {})).toEqual(["socket"]);
    expect(arm("awkward").volumes?.["shop_data"]).toEqual({
      name: "perf-gate-k3-head_shop_data",
      labels: LABELS,
    });
  });
});

describe("CPUs and memory", () => {
  const { services } = project({ web: {}, db: { cpuset: "0" } }, { targetServices: ["app", "web"] });

  test("the target's services have the target's CPUs, the others those of services", () => {
    expect([services["app"]?.["cpuset"], services["web"]?.["cpuset"], services["db"]?.["cpuset"]]).toEqual([
      "1,2",
      "1,2",
      "3",
    ]);
  });

  test("without a layout the file's own word stands", () => {
    const free = project({ db: { cpuset: "0" } }, { cpus: null }).services;
    expect(free["db"]?.["cpuset"]).toBe("0");
    expect(free["app"]).not.toHaveProperty("cpuset");
  });

  const own: ComposeService = {
    cpus: 0.5,
    mem_limit: "1",
    mem_reservation: "1",
    deploy: { resources: { limits: { cpus: 2 } } },
  };
  const memory = { mem_limit: "2147483648", memswap_limit: "2147483648" };

  test.each([
    ["quota", { cpus: 1.5, cpuset: "1,2", ...memory }],
    ["cpuset", { cpuset: "1", ...memory }],
  ] as const)("a pod's limits by %s take the place of the file's", (by, limits) => {
    const resources = { cpus: by === "quota" ? 1.5 : 1, memoryBytes: 2 ** 31, by };
    const { app, db } = project({ app: own, db: own }, { resources }).services;
    expect(app).toEqual({ ...limits, deploy: { resources: {} }, labels: app?.labels, logging: app?.["logging"] });
    expect(db).toMatchObject(own);
  });

  test.each([
    [
      { cpus: 3, by: "quota" },
      {},
      "target.resources: asks for 3 CPUs; the layout has 2 for PHP (1,2), the others are for k6 and the services. Ask for at most 2, or take a larger machine.",
    ],
    [
      { cpus: 1, by: "cpuset" },
      { cpus: null },
      "target.resources: by: cpuset needs measure.isolation auto or CPU lists; got off. Write by: quota, or isolation: auto.",
    ],
  ] as const)("%o", (limits, options, message) => {
    const resources = { ...limits, memoryBytes: 2 ** 31 };
    expect(complaint(() => project({}, { resources, ...options }))).toBe(message);
  });
});

describe("health checks", () => {
  const command = ["CMD", "true"];
  test.each([
    ["nothing said: 3 retries at 30 s", { test: command }, "90s"],
    ["quick", { test: command, interval: "2s", retries: 3 }, "60s"],
    ["all the patience of the file", { test: command, start_period: "1m30s", interval: "10s", retries: 30 }, "390s"],
    ["a rhythm for the start", { test: command, interval: "1h", start_interval: "5s", start_period: "2m" }, "120s"],
    ["parts", { test: command, start_period: "1h1m1.5s", interval: "500ms", retries: 1 }, "3662s"],
  ])("%s", (_, check, patience) => {
    const quiet = { interval: "1h", start_interval: "1s", start_period: patience };
    expect(quietHealthcheck(check)).toEqual({ ...check, ...quiet });
  });

  test.each([{ disable: true }, { test: ["NONE"] }])("%o stays", (check) => {
    expect(quietHealthcheck(check)).toEqual(check);
  });

  test("one of the image is given the rhythm, one of the file keeps its own", () => {
    expect(quietImageHealthcheck({ image: "x" }).healthcheck).toEqual({
      interval: "1h",
      start_interval: "1s",
      start_period: "90s",
    });
    expect(quietImageHealthcheck({ healthcheck: { disable: true } }).healthcheck).toEqual({ disable: true });
  });
});

test("what lives in the container of a restarted service is restarted after it", () => {
  const { services } = arm("symfony");
  expect(restartOrder(services, ["php"])).toEqual(["php", "messenger"]);
  const web: ComposeService = { network_mode: "service:app" };
  const exporter: ComposeService = { pid: "service:web" };
  expect(restartOrder({ exporter, web, app: {}, db: {} }, ["app", "db"])).toEqual(["app", "web", "exporter", "db"]);
});

test("what PHP waits for is up before it and cannot be restarted with it", () => {
  const started = { condition: "service_started" };
  const waits = (...names: string[]): ComposeService => ({
    depends_on: Object.fromEntries(names.map((name) => [name, started])),
  });
  const services = { web: waits("app"), app: waits("cache"), cache: waits("db"), db: {} };
  expect(complaint(() => checkRestart(services, ["app", "db"]))).toContain("waits for db (depends_on)");
  expect(complaint(() => checkRestart(services, ["web", "app"]))).toContain("name the service that runs PHP first");
  expect(() => checkRestart(services, ["app", "web"])).not.toThrow();
});

describe("shared services", () => {
  const shared = (name: Example): ComposeModel => sharedProject(example(name), OPTIONS[name]) as ComposeModel;

  test("leave the arms, and so do dependencies on them", () => {
    const { services } = arm("laravel");
    expect(Object.keys(services)).toEqual(["laravel.test", "queue"]);
    expect(services["laravel.test"]?.depends_on).toEqual({});
    expect(services["queue"]?.depends_on).toEqual({ "laravel.test": { condition: "service_started", required: true } });
  });

  test("are on the networks of both arms under their names", () => {
    const { services, networks } = shared("laravel");
    expect(Object.keys(services)).toEqual(["mysql", "redis"]);
    expect(services["mysql"]?.networks).toEqual({
      base_sail: { aliases: ["mysql"] },
      head_sail: { aliases: ["mysql"] },
    });
    expect(networks).toEqual({
      base_sail: { external: true, name: "perf-gate-k3-base_sail" },
      head_sail: { external: true, name: "perf-gate-k3-head_sail" },
    });
  });

  test("have volumes and images of the shared project", () => {
    const { services, volumes } = sharedProject(
      {
        services: {
          app: { image: "app" },
          db: { build: { context: "/db" }, volumes: [{ type: "volume", source: "data" }] },
        },
        volumes: { data: { name: "x_data" }, other: { name: "x_other" } },
      },
      { ...OPTIONS.awkward, shared: ["db"] },
    ) as ComposeModel;
    expect(services["db"]?.image).toBe("perf-gate/k3:shared-db");
    expect(volumes).toEqual({ data: { name: "perf-gate-k3-shared_data", labels: LABELS } });
  });

  test("bring what they depend on, which the arms then do without", () => {
    const services = { db: { depends_on: { seed: { condition: "service_completed_successfully" } } }, seed: {} };
    const options = { ...OPTIONS.awkward, shared: ["db"] };
    const model = { services: { app: {}, ...services } };
    expect(Object.keys(sharedProject(model, options)?.services ?? {})).toEqual(["db", "seed"]);
    expect(Object.keys(armProject(model, { ...options, arm: "base" }).services)).toEqual(["app"]);
  });

  test("may use an external volume: there is one of them", () => {
    const volumes = [{ type: "volume", source: "data" }];
    const model = {
      services: { app: {}, db: { volumes } },
      volumes: { data: { external: true, name: "data" } },
    };
    const project = sharedProject(model, { ...OPTIONS.awkward, shared: ["db"] });
    expect(project?.volumes).toEqual({ data: { external: true, name: "data" } });
  });

  test("none: no project", () => {
    expect(sharedProject(example("awkward"), OPTIONS.awkward)).toBeNull();
  });
});

describe("what two arms cannot do side by side", () => {
  test.each<[string, Record<string, ComposeService>, Partial<ProjectOptions>, string]>([
    [
      "a name that is not there",
      { db: {} },
      { targetServices: ["ap"] },
      'target.restart: no service "ap" in the compose file. Name one of app, db; a service with profiles: is there only when COMPOSE_PROFILES names one of them.',
    ],
    [
      "another name that is not there",
      {},
      { service: "constructor" },
      'target.service: no service "constructor" in the compose file. Name one of app; a service with profiles: is there only when COMPOSE_PROFILES names one of them.',
    ],
    [
      "a shared name that is not there",
      {},
      { shared: ["db"] },
      'target.shared: no service "db" in the compose file. Name one of app; a service with profiles: is there only when COMPOSE_PROFILES names one of them.',
    ],
    [
      "the host's network",
      { db: { network_mode: "host" } },
      {},
      "compose file: services.db.network_mode: the arms run side by side and would want the same ports of this host; got host. Remove it: load goes to the container's own address, and services find each other by name.",
    ],
    [
      "a container outside",
      { db: { network_mode: "container:vpn" } },
      {},
      "compose file: services.db.network_mode: expected a network that each arm can have for itself; got container:vpn. Write service:NAME, with that container as a service of the file.",
    ],
    [
      "an external volume",
      { db: { volumes: [{ type: "volume", source: "data" }] } },
      {},
      "compose file: volumes.data is external and db uses it: the arms run side by side and would write into the same files. Name db under target.shared, or remove external: true, so that each arm gets a volume of its own.",
    ],
    [
      "a shared service under load",
      {},
      { shared: ["app"] },
      "target.shared: app is under load itself (target.service, target.restart), so each arm has its own. Take it out of target.shared.",
    ],
    [
      "a shared service that needs the arm",
      { http: { depends_on: { app: { condition: "service_started" } } } },
      { shared: ["http"] },
      "target.shared: http depends on app, which each arm has for itself. Take http out of target.shared, or remove its depends_on.",
    ],
    [
      "a service that lives in a shared one",
      { db: {}, backup: { network_mode: "service:db" } },
      { shared: ["db"] },
      "target.shared: backup lives in the container of db (network_mode: service:db), which both arms share. Name backup under target.shared too, or take db out.",
    ],
    [
      "a service with the files of a shared one",
      { db: {}, backup: { volumes_from: ["db:ro"] } },
      { shared: ["db"] },
      "target.shared: backup lives in the container of db (volumes_from: db:ro), which both arms share. Name backup under target.shared too, or take db out.",
    ],
    [
      "a socket to a shared service",
      { db: { volumes: [{ type: "volume", source: "run" }] }, app: { volumes: [{ type: "volume", source: "run" }] } },
      { shared: ["db"] },
      "target.shared: db exchanges files with app through the volume run, but runs once for both arms. Take db out of target.shared.",
    ],
  ])("%s", (_, services, options, message) => {
    const model = { services: { app: {}, ...services }, volumes: { data: { external: true, name: "data" }, run: {} } };
    const act = () => armProject(model, { ...OPTIONS.awkward, arm: "base", ...options });
    expect(complaint(act)).toBe(message);
  });

  test("a name elsewhere, such as the census", () => {
    expect(complaint(() => requireServices(example("awkward"), "target.census.redis", ["cache"]))).toContain(
      'target.census.redis: no service "cache" in the compose file. Name one of app, db, sidecar;',
    );
  });
});

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MeasureError } from "../../../src/core/errors.ts";
import { ARMS, type Arm } from "../../../src/core/model.ts";
import { takeCensus } from "../../../src/measure/census.ts";
import { referenceAnchor } from "../../../src/phases/reference.ts";
import { docker as runDocker } from "../../../src/target/compose/engine.ts";
import { get } from "../../../src/target/http.ts";
import { startTarget } from "../../../src/target/start.ts";
import { oneBlock, rigOf } from "./one-block.ts";
import { APP, body, COST, cleanups, docker, left, OURS, siteOf, start } from "./site.ts";

/** The real engine: containers are started, killed and looked for. */

describe.skipIf(process.env.PERF_GATE_TEST_ENGINE === undefined)("a compose file on the engine", () => {
  test("fixed ports, names, volumes, a mounted tree and an env_file: both arms run at once, each on its own", async () => {
    const compose = `services:
  app:
    image: php:8.4-fpm
    container_name: the-app
    hostname: the-app
    command: php -S 0.0.0.0:8080 -t /srv/app
    working_dir: /srv/app
    ports: ["8080:8080"]
    env_file: [app.env]
    volumes: ["./app:/srv/app", "data:/data"]
    networks: { front: { ipv4_address: 10.213.7.10 } }
networks: { front: { name: the-network, ipam: { config: [{ subnet: 10.213.7.0/24 }] } } }
volumes: { data: { name: the-data } }
`;
    const more = { base: { "app.env": "WHO=base\n" }, head: { "app.env": "WHO=head\n" } };
    const prepare = ["cat /data/old > /tmp/prepared 2>/dev/null; echo $WHO > /data/old; cat /data/old > /tmp/prepared"];
    const target = await start(siteOf({ compose, more }, {}, { prepare, env: { COST } }));
    for (const arm of ARMS) {
      expect(await body(target, arm, "/tree")).toBe(arm);
      expect(await body(target, arm, "/prepared")).toBe(`${arm}\n`);
      expect(JSON.parse(await body(target, arm, "/env"))).toMatchObject({ WHO: arm, COST });
    }
    expect(docker("ps", "--filter", OURS, "--format", "{{.Ports}}")).not.toContain("->");
  });

  test("the reference application beside a compose file: each has its own services, and nothing else of the other", async () => {
    const compose = `${APP}    depends_on: [cache]
  cache: { image: "redis:7" }\n`;
    const site = siteOf({ compose }, { shared: ["cache"], census: { mysql: null, redis: "cache" } });
    const { plan, home } = site.options;
    const reference = await referenceAnchor(home);
    Object.assign(plan, { own: { base: reference.own(plan.config.target) } });
    plan.arms.base = reference.source;
    const target = await start(site);
    expect(await body(target, "head", "/tree")).toBe("head");
    expect(JSON.parse(await body(target, "base", "/queries?n=5"))).toMatchObject({ n: 5 });
    expect([target.host("base"), target.host("head")]).toEqual(["localhost", "shop.example"]);

    const services = (project: string) => {
      const format = '{{.Label "com.docker.compose.service"}}';
      const filters = [OURS, `label=perf-gate.arm=${project}`].flatMap((filter) => ["--filter", filter]);
      return docker("ps", ...filters, "--format", format)
        .split("\n")
        .toSorted();
    };
    expect(services("base")).toEqual(["app", "http", "mysql", "redis", "web"]);
    expect(services("head")).toEqual(["app"]);
    expect(services("shared")).toEqual(["cache"]);
    const networks = docker("network", "ls", "--filter", OURS, "--format", "{{.Name}}").split("\n");
    expect(networks.filter((name) => name.includes("-base_"))).toHaveLength(1);
    expect(networks.filter((name) => name.includes("-head_"))).toHaveLength(1);

    const rig = await rigOf({ ...site.options, signal: site.abort.signal }, target);
    const [counted] = (await takeCensus(rig, () => {})).scenarios;
    expect(counted?.arms.base).toMatchObject({ failedShare: 0, counts: { sqlStatements: { perRequest: 5 } } });
    expect(counted?.arms.head).toMatchObject({ failedShare: 0, counts: { sqlStatements: { perRequest: 0 } } });
    for (const { arm, requests, errors } of await oneBlock(rig)) {
      expect(requests, arm).toBeGreaterThan(4);
      expect(errors, arm).toBe(0);
    }
    expect((await target.php("base"))?.version).toMatch(/^8\.4/);
    expect(await target.php("head")).toBeNull();

    // A look-up of a service's name is the engine's work for us, no neighbour's.
    const filters = [OURS, "label=perf-gate.arm=base", "label=com.docker.compose.service=app"];
    const php = docker("ps", "--quiet", ...filters.flatMap((filter) => ["--filter", filter]));
    const idle = target.servicesUsage()?.cpuSeconds ?? Number.NaN;
    docker("exec", php, "php", "-r", 'for ($i = 0; $i < 4000; $i++) gethostbyname("mysql");');
    expect((target.servicesUsage()?.cpuSeconds ?? 0) - idle).toBeGreaterThan(0.1);
    await target.restart();
    expect(await body(target, "head", "/tree")).toBe("head");
  });

  test("a restart renews the process, keeps what was prepared, and its CPU time goes on counting", async () => {
    const site = siteOf({}, {}, { prepare: ["echo $PERF_GATE_ARM done > /tmp/prepared"] });
    const startedAt = performance.now();
    const target = await start(site);
    const startMs = performance.now() - startedAt;
    const before = target.usage("head")?.cpuSeconds ?? Number.NaN;
    expect(before).toBeGreaterThan(0);
    const [process] = target.namespaces();
    const restartedAt = performance.now();
    await target.restart();
    // The engine's own patience with a process that does not hear its signal is 10 s.
    expect(performance.now() - restartedAt).toBeLessThan(Math.max(10_000, startMs));
    expect(target.namespaces()).not.toContain(process);
    expect(await body(target, "head", "/prepared")).toBe("done\n");
    expect(target.usage("head")?.cpuSeconds).toBeGreaterThan(before);
    expect(target.alive("base")).toBe(true);
  });

  test("what prepares ends before PHP starts, runs once, and is not missed", async () => {
    const compose = `${APP}    depends_on: { seed: { condition: service_completed_successfully }, db: { condition: service_healthy } }
    healthcheck: { test: [CMD, "true"], interval: 2s }
  seed:
    image: redis:7
    command: sh -c 'sleep 1; echo seeded >>/srv/seed.txt'
    volumes: ["./app:/srv"]
    depends_on: { db: { condition: service_healthy } }
  db: { image: "redis:7", healthcheck: { test: [CMD, "redis-cli", "ping"] } }
`;
    const index = { "app/index.php": "<?php echo file_get_contents('/srv/app/seed.txt');" };
    const target = await start(siteOf({ compose, more: { base: index, head: index } }));
    const states = docker("ps", "--all", "--filter", OURS, "--format", "{{.State}} {{.Status}}").split("\n");
    expect(states.filter((state) => state.startsWith("exited Exited (0)"))).toHaveLength(2);
    expect(states.filter((state) => state.includes("starting"))).toEqual([]);
    await target.restart();
    for (const arm of ARMS) expect(await body(target, arm, "/")).toBe("seeded\n");
    expect(target.servicesUsage()?.cpuSeconds).toBeGreaterThan(0);
  });

  test("services are restarted in their order, in both arms", async () => {
    const compose = `${APP}  web: { image: "redis:7", depends_on: [app] }
  front: { image: "php:8.4-fpm", network_mode: "service:web", command: "php -S 0.0.0.0:81 -t /srv/app", volumes: ["./app:/srv/app"] }\n`;
    const target = await start(siteOf({ compose }, { service: "front", port: 81, restart: ["app", "web"] }));
    // It answers from the network of one that was restarted.
    await target.restart();
    const started = (arm: Arm, service: string) => {
      const labels = [`perf-gate.arm=${arm}`, `com.docker.compose.service=${service}`];
      const id = docker("ps", "--quiet", "--filter", OURS, ...labels.flatMap((it) => ["--filter", `label=${it}`]));
      return Date.parse(docker("inspect", "--format", "{{.State.StartedAt}}", id));
    };
    for (const arm of ARMS) expect(started(arm, "web")).toBeGreaterThanOrEqual(started(arm, "app"));
  });

  test("what is relative in a compose file is relative to the file", async () => {
    const more = { "docker/perf.yml": APP.replace("./app:", "../app:") };
    const site = siteOf({ more: { base: more, head: more } }, { file: "docker/perf.yml" });
    expect(await body(await start(site), "head", "/tree")).toBe("head");
  });

  test("what containers write as somebody else into a checked-out tree goes with them", async () => {
    const prepare = ["mkdir /srv/app/cache && echo x >/srv/app/cache/x && chown -R 33 /srv/app/cache"];
    const site = siteOf({}, {}, { prepare });
    site.options.plan.arms.base.repository = site.directory;
    await (await startTarget(site.options)).close();
    expect(existsSync(join(site.directory, "base/app"))).toBe(false);
    expect(existsSync(join(site.directory, "head/app/cache/x"))).toBe(true);
  });

  test("limits as of a pod are the container's", async () => {
    const resources = { cpus: 0.5, memoryBytes: 256 * 2 ** 20, by: "quota" } as const;
    const site = siteOf({}, {}, { resources });
    const target = await start(site);
    const [id = ""] = docker("ps", "--quiet", "--filter", OURS).split("\n");
    const format = "{{.HostConfig.NanoCpus}} {{.HostConfig.Memory}} {{.HostConfig.MemorySwap}}";
    expect(docker("inspect", "--format", format, id)).toBe(`500000000 ${2 ** 28} ${2 ** 28}`);
    // More memory than that: the kernel kills who asked, and it is seen.
    const before = target.usage("head");
    await get(`${target.url("head")}/hungry`).catch(() => null);
    await expect.poll(() => target.alive("head"), { timeout: 60_000 }).toBe(false);
    await target.restart();
    expect(site.progress.at(-1)).toContain("app had ended: killed for want of memory");
    expect(target.usage("head")?.oomKills).toBeGreaterThan(before?.oomKills ?? 0);
  });

  test("a delay on the way to a shared service is there, and the census counts its commands", async () => {
    const compose = `${APP}  cache: { image: "redis:7" }\n`;
    const index =
      "<?php $r = stream_socket_client('tcp://cache:6379'); for ($i = 0; $i < 5; $i++) { fwrite($r, \"PING\\r\\n\"); fgets($r); } echo 'ok';";
    const more = { base: { "app/cached.php": index }, head: { "app/cached.php": index } };
    const links = { cache: { port: null, latencyMs: 20, jitterMs: 0 } };
    const shared = { shared: ["cache"], census: { mysql: null, redis: "cache" } };
    const target = await start(siteOf({ compose, more }, shared, { links }));
    const before = await target.counters();
    const started = performance.now();
    expect(await body(target, "base", "/cached.php")).toBe("ok");
    // Five round trips, and none for the connection: only answers are delayed.
    expect(performance.now() - started).toBeGreaterThan(95);
    const after = await target.counters();
    expect((after.redisCommands ?? 0) - (before.redisCommands ?? 0)).toBe(5);
  });
});

describe.skipIf(process.env.PERF_GATE_TEST_ENGINE === undefined)("when it goes wrong", () => {
  test.each<[string, string, RegExp]>([
    [
      "a build that fails",
      "services: { app: { build: { context: ., dockerfile_inline: 'FROM php:8.4-fpm\nRUN echo about to fail && exit 3' } } }\n",
      /the images cannot be built[\s\S]*about to fail && exit 3/,
    ],
    [
      "an image that cannot be pulled",
      "services: { app: { image: 'localhost:1/nothing:1' } }\n",
      /an image cannot be pulled: .*localhost:1[\s\S]*docker\/offline\/build\.sh/,
    ],
    [
      "a backing service that ends",
      `${APP}    depends_on: { db: { condition: service_healthy } }
  db: { image: "redis:7", command: "sh -c 'echo disk is full >&2; exit 4'", healthcheck: { test: [CMD, "true"] } }\n`,
      /base: cannot start db: [\s\S]*db is exited, exit status 4[\s\S]*disk is full/,
    ],
    [
      "a command that is not there",
      "services: { app: { image: 'php:8.4-fpm', command: nonsense } }\n",
      /^app of base is exited: exit status 127[\s\S]*nonsense/,
    ],
    [
      "a one-shot service that fails",
      `${APP}    depends_on: { seed: { condition: service_completed_successfully } }
  seed: { image: "redis:7", command: "sh -c 'echo no such schema >&2; exit 5'" }\n`,
      /^seed of base has ended: exit status 5[\s\S]*no such schema/,
    ],
    [
      "a service that ends and that nobody waits for",
      `${APP}  worker: { image: "redis:7", command: "true", depends_on: [app] }\n`,
      /^worker of base is exited: exit status 0\. .*service_completed_successfully/,
    ],
    ["a file that is no compose file", "services: [app]\n", /target\.compose: .*compose\.yml of base cannot be used/],
    ["a missing env_file", `${APP}    env_file: [.env]\n`, /\n\| env file .*\.env not found.*\nA file .*target\.copy/],
  ])("%s", async (_, compose, message) => {
    await expect(startTarget(siteOf({ compose }).options)).rejects.toThrow(message);
  });

  test("a health path that answers 500 is quoted, with the log", async () => {
    const broken = { "app/index.php": "<?php error_log('no such table'); http_response_code(500); echo 'broken';" };
    const site = siteOf({ more: { head: broken } });
    await expect(startTarget(site.options)).rejects.toThrow(
      /head is not healthy: GET .* must answer 2xx; status 500: broken[\s\S]*no such table/,
    );
  });

  test("a prepare command that fails is named, with its output", async () => {
    const site = siteOf({}, {}, { prepare: ["true", "echo no such migration >&2; exit 7"] });
    await expect(startTarget(site.options)).rejects.toThrow(
      /prepare of base failed in app: .*: exit status 7[\s\S]*no such migration/,
    );
    expect(readFileSync(join(site.workDirectory, "logs", "prepare-base.log"), "utf8")).toBe("no such migration\n");
  });

  test("a backing service that is killed ends the run at the next restart, a killed runtime is seen at once", async () => {
    const compose = `${APP}  db: { image: "redis:7" }\n`;
    const target = await start(siteOf({ compose }, { shared: ["db"] }));
    const idOf = (service: string) =>
      docker("ps", "--quiet", "--filter", OURS, "--filter", `label=com.docker.compose.service=${service}`).split(
        "\n",
      )[0] ?? "";
    docker("kill", idOf("app"));
    expect(ARMS.filter((arm) => target.alive(arm))).toHaveLength(1);
    await target.restart();
    expect(ARMS.filter((arm) => target.alive(arm))).toHaveLength(2);
    docker("kill", idOf("db"));
    await expect(target.restart()).rejects.toThrow("db of shared is exited: exit status 137");
  });

  test.each([50, 400, 1500, 3000])("interrupted after %i ms: nothing is left", async (ms) => {
    const site = siteOf({ compose: `${APP}  db: { image: "redis:7" }\n` }, { shared: ["db"] });
    setTimeout(() => site.abort.abort(new Error("interrupted")), ms);
    const target = await startTarget(site.options).catch((error: Error) => error.message);
    // It may have been up before.
    if (typeof target !== "string") await target.close();
    else expect(target).toBe("interrupted");
    expect(left()).toEqual([]);
    expect(existsSync(join(site.workDirectory, "state"))).toBe(false);
  });

  test("a service that comes back with another address, which the front does not notice, is named", async () => {
    const compose = `${APP}  web:
    image: php:8.4-fpm
    command: php -S 0.0.0.0:8080 /srv/app/front.php
    volumes: ["./app:/srv/app"]
    depends_on: [app]
`;
    const front = `<?php
if (!file_exists('/tmp/ip')) file_put_contents('/tmp/ip', gethostbyname('app'));
$answer = @file_get_contents('http://' . file_get_contents('/tmp/ip') . ':8080/');
if ($answer === false) { http_response_code(500); echo 'app is gone'; } else echo $answer;
`;
    const more = { base: { "app/front.php": front }, head: { "app/front.php": front } };
    const target = await start(siteOf({ compose, more }, { service: "web", restart: ["app"] }));
    const labels = ["perf-gate.arm=head", "com.docker.compose.service=app"];
    const app = docker("ps", "--quiet", "--filter", OURS, ...labels.flatMap((it) => ["--filter", `label=${it}`]));
    const format = "{{range $name, $it := .NetworkSettings.Networks}}{{$name}} {{$it.IPAddress}}{{end}}";
    const [network = "", address = ""] = docker("inspect", "--format", format, app).split(" ");
    docker("stop", "--time", "0", app);
    const intruder = docker("run", "--detach", "--network", network, "redis:7");
    cleanups.push(() => {
      docker("rm", "--force", intruder);
    });
    expect(docker("inspect", "--format", format, intruder)).toBe(`${network} ${address}`);
    await expect(target.restart()).rejects.toThrow(
      /head is not healthy: .*status 500: app is gone\napp has another address .*restart: \[app, web\]/,
    );
  });

  test("a full disk is a sentence", async () => {
    const { signal } = new AbortController();
    await expect(runDocker(["version"], { signal, log: "/dev/full" })).rejects.toThrow(
      /^cannot write \/dev\/full: ENOSPC.*Make room there/,
    );
    const refused = await runDocker(["no-such-command"], { signal }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MeasureError);
  });

  test("no engine: what is missing and what to do instead", async () => {
    const directory = mkdtempSync(join(tmpdir(), "perf-gate-engine-"));
    cleanups.push(() => rmSync(directory, { recursive: true }));
    const host = process.env.DOCKER_HOST;
    process.env.DOCKER_HOST = `unix://${directory}/none.sock`;
    try {
      await expect(startTarget(siteOf({}).options)).rejects.toThrow(
        /no Docker engine answers: is the Docker daemon running\? .*--driver process/,
      );
    } finally {
      if (host === undefined) delete process.env.DOCKER_HOST;
      else process.env.DOCKER_HOST = host;
    }
  });
});

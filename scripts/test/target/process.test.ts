import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Arm } from "../../src/core/model.ts";
import { get } from "../../src/target/http.ts";
import { startTarget } from "../../src/target/start.ts";
import type { Target } from "../../src/target/target.ts";
import { type Changes, makeSite, processesIn, type Site } from "./app.ts";

const masterPid = async (target: Target): Promise<number> => Number((await get(`${target.url("base")}/pid`)).body);

/** Waits until an arm is seen to be dead: the kernel, or php-fpm, takes a moment to say so. */
const ended = (target: Target, arm: Arm) => expect.poll(() => target.alive(arm), { timeout: 30_000 }).toBe(false);

async function started(changes: Changes): Promise<{ target: Target; site: Site }> {
  const site = makeSite(changes);
  const target = await startTarget(site.options);
  onTestFinished(async () => {
    await target.close();
    site.remove();
  });
  return { target, site };
}

describe("with MySQL, Redis and the HTTP stand-in", () => {
  let site: Site;
  let target: Target;
  /** What starting took, with services and preparing, ms. */
  let startMs: number;

  beforeAll(async () => {
    site = makeSite({
      target: {
        services: ["mysql", "redis", "http"],
        env: { NAME: `a "name" of $HOME` },
        prepare: ['printf %s "$MYSQL_DATABASE $REDIS_DB" >prepared.txt', "echo second"],
      },
      php: { jit: "tracing", ini: { memory_limit: "77M" } },
    });
    process.env.GITHUB_TOKEN = "secret";
    const start = performance.now();
    target = await startTarget(site.options);
    startMs = performance.now() - start;
    delete process.env.GITHUB_TOKEN;
  });

  afterAll(async () => {
    await target.close();
    site.remove();
  });

  test("says what it does", () => {
    expect(site.progress).toContain("starting MySQL");
    expect(site.progress).toContain("preparing head: echo second");
  });

  test("answers through the front controller, static files as they are", async () => {
    expect(await get(`${target.url("base")}/some/where?x=1`)).toEqual({ status: 200, body: "ok base" });
    expect(await get(`${target.url("head")}/index.php/path`)).toEqual({ status: 200, body: "ok head" });
    expect(await get(`${target.url("head")}/static.txt`)).toEqual({ status: 200, body: "static\n" });
  });

  test("the application sees the Host header and its environment, but no token of the job", async () => {
    const { body } = await get(`${target.url("head")}/env`, { host: target.host("head") });
    expect(JSON.parse(body)).toEqual({
      host: "shop.example",
      cwd: join(site.directory, "head"),
      name: `a "name" of $HOME`,
      token: false,
      db: "perf_head",
      redis: "1",
    });
  });

  test("each arm was prepared in its tree, with its own databases", () => {
    expect(readFileSync(join(site.directory, "base/prepared.txt"), "utf8")).toBe("perf_base 0");
    expect(readFileSync(join(site.directory, "head/prepared.txt"), "utf8")).toBe("perf_head 1");
    expect(readFileSync(join(site.workDirectory, "logs/prepare-head.log"), "utf8")).toBe("second\n");
  });

  test("reaches the services", async () => {
    expect((await get(`${target.url("base")}/redis`)).body).toBe("1");
    expect((await get(`${target.url("base")}/http`)).body).toBe('{"ok":true}');
  });

  test("says what PHP really runs with", async () => {
    expect(await target.php("base")).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      sapi: "fpm-fcgi",
      opcache: true,
      jit: "tracing",
      xdebug: false,
      processManager: "static",
      workers: 2,
      extensions: expect.arrayContaining(["Core", "Zend OPcache"]),
    });
    expect((await target.php("base"))?.jitBufferBytes).toBeGreaterThan(60 << 20);
  });

  test("the probe and the status are out of reach from outside", async () => {
    for (const path of ["/probe", "/probe.php", "/status", "/perf-gate-status"])
      expect(await get(target.url("base") + path)).toEqual({ status: 200, body: "ok base" });
  });

  test.each([
    ["/queries", { sqlStatements: 3, dbConnections: 1, redisCommands: 0 }],
    ["/prepared", { sqlStatements: 3, dbConnections: 1, redisCommands: 0 }],
    ["/redis", { sqlStatements: 0, dbConnections: 0, redisCommands: 2 }],
    ["/nothing", { sqlStatements: 0, dbConnections: 0, redisCommands: 0 }],
  ])("counters are exact: %s", async (path, perRequest) => {
    const requests = 20;
    const before = await target.counters();
    for (let i = 0; i < requests; i++) await get(target.url("base") + path);
    const after = await target.counters();
    expect({
      sqlStatements: ((after.sqlStatements ?? 0) - (before.sqlStatements ?? 0)) / requests,
      dbConnections: ((after.dbConnections ?? 0) - (before.dbConnections ?? 0)) / requests,
      redisCommands: ((after.redisCommands ?? 0) - (before.redisCommands ?? 0)) / requests,
    }).toEqual(perRequest);
  });

  test("versions of everything that was started", async () => {
    expect(await target.versions()).toEqual({
      php: expect.stringMatching(/^\d+\.\d+\.\d+/),
      nginx: expect.stringMatching(/^\d+\.\d+\.\d+/),
      mysql: expect.stringMatching(/^\d+\.\d+\.\d+/),
      redis: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  test("CPU is charged to the arm that spent it, and to the services", async () => {
    const before = { base: target.usage("base"), head: target.usage("head"), services: target.servicesUsage() };
    await get(`${target.url("head")}/burn`);
    for (let i = 0; i < 20; i++) await get(`${target.url("head")}/queries`);
    const spent = (name: "base" | "head" | "services"): number => {
      const now = name === "services" ? target.servicesUsage() : target.usage(name);
      return (now?.cpuSeconds ?? 0) - (before[name]?.cpuSeconds ?? 0);
    };
    // A worker spends what is left to 0.3 s since it started.
    expect(spent("head")).toBeGreaterThan(0.2);
    expect(spent("services")).toBeGreaterThan(0.0005);
    expect(spent("base")).toBeLessThan(0.05);
    expect(target.usage("head")?.memoryBytes).toBeGreaterThan(1 << 20);
  });

  test("restart() brings a new master on the same port, in far less time than the start took", async () => {
    const url = target.url("base");
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      const before = await masterPid(target);
      const start = performance.now();
      await target.restart();
      times.push(performance.now() - start);
      expect(await masterPid(target)).not.toBe(before);
    }
    console.info(`start: ${Math.round(startMs)} ms, restart: ${times.map(Math.round).join(", ")} ms`);
    expect(target.url("base")).toBe(url);
    expect(Math.min(...times)).toBeLessThan(startMs / 2);
    expect(target.alive("base") && target.alive("head")).toBe(true);
  });

  test("close() leaves the logs and nothing else, and may be called twice", async () => {
    expect(processesIn(site.directory).length).toBeGreaterThan(8);
    const sockets = existingSockets(site);
    expect(sockets.length).toBeGreaterThan(0);
    await Promise.all([target.close(), target.close()]);
    await target.close();
    expect(processesIn(site.directory)).toEqual([]);
    expect(existsSync(join(site.workDirectory, "state"))).toBe(false);
    expect(existsSync(join(site.workDirectory, "logs/mysql.log"))).toBe(true);
    expect(sockets.filter((path) => existsSync(path))).toEqual([]);
  });
});

/** Unix sockets named in the generated php-fpm configurations. */
function existingSockets(site: Site): string[] {
  return (["base", "head"] as const).flatMap((arm) => {
    const conf = readFileSync(join(site.workDirectory, `state/php-${arm}/php-fpm.conf`), "utf8");
    return /^listen = "(.*)"$/m.exec(conf)?.slice(1) ?? [];
  });
}

test("OPcache off is seen as off; dynamic workers are the configured ones", async () => {
  const { target } = await started({ php: { opcache: false, jit: "tracing", processManager: "dynamic", workers: 5 } });
  expect(await target.php("head")).toMatchObject({
    opcache: false,
    jit: "off",
    jitBufferBytes: 0,
    processManager: "dynamic",
    workers: 5,
  });
  expect(target.servicesUsage()).toBeNull();
  expect(await target.counters()).toEqual({});
});

test("a JIT that the user's settings disable is seen as off", async () => {
  const { target } = await started({
    php: { jit: "function", processManager: "ondemand", ini: { "opcache.jit_buffer_size": "0" } },
  });
  expect(await target.php("base")).toMatchObject({ opcache: true, jit: "off", processManager: "ondemand" });
});

describe("what goes wrong under load", () => {
  test("a full FPM backlog is counted, and forgotten with the replica", async () => {
    const { target } = await started({ php: { workers: 1, backlog: 1 } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => get(`${target.url("head")}/sleep`)));
    const refused = answers.filter((answer) => answer.status === 502).length;
    expect(refused).toBeGreaterThan(0);
    expect(await target.front("head")).toMatchObject({ listenOverflows: refused, portErrors: 0 });
    expect(await target.front("base")).toMatchObject({ listenOverflows: 0 });
    await target.restart();
    expect(await target.front("head")).toMatchObject({ listenOverflows: 0 });
  });

  test("max children reached is FPM's own count", async () => {
    const { target } = await started({ php: { workers: 2, processManager: "ondemand" } });
    let reached = 0;
    // FPM notices only while it is short of workers at the moment a connection arrives.
    for (let tries = 0; reached === 0 && tries < 10; tries++) {
      await Promise.all(Array.from({ length: 6 }, () => get(`${target.url("head")}/sleep`)));
      reached = (await target.front("head"))?.maxChildrenReached ?? 0;
    }
    expect(reached).toBeGreaterThan(0);
  });

  test("a dead worker, master or nginx is noticed, and restart() mends it", async () => {
    const { target, site } = await started({});
    expect(target.alive("base")).toBe(true);

    expect((await get(`${target.url("base")}/die`)).status).toBe(502);
    await ended(target, "base");
    expect(target.alive("head")).toBe(true);
    await target.restart();
    expect(target.alive("base")).toBe(true);

    process.kill(await masterPid(target), "SIGKILL");
    await ended(target, "base");
    expect(await target.front("base")).toMatchObject({ listenOverflows: 0 });
    await target.restart();
    expect(target.alive("base")).toBe(true);

    const nginx = Number(readFileSync(join(site.workDirectory, "state/nginx-base/nginx.pid"), "utf8"));
    process.kill(nginx, "SIGKILL");
    await ended(target, "base");
    await target.restart();
    expect(target.alive("base")).toBe(true);
    expect((await get(`${target.url("base")}/`)).status).toBe(200);
  });
});

test("a server of the user's own is started with PORT, renewed, and ended", async () => {
  const server = `require("http").createServer((_, r) => r.end(process.cwd() + " " + process.pid)).listen(+process.env.PORT, "127.0.0.1")`;
  const { target, site } = await started({ target: { start: `exec node -e '${server}'` } });
  const before = (await get(`${target.url("head")}/`)).body;
  expect(before.startsWith(join(site.directory, "head"))).toBe(true);
  await target.restart();
  const after = (await get(`${target.url("head")}/`)).body;
  expect(after).not.toBe(before);
  expect(await target.php("head")).toBeNull();
  expect(await target.front("head")).toBeNull();
  process.kill(Number(after.split(" ")[1]), "SIGKILL");
  await ended(target, "head");
});

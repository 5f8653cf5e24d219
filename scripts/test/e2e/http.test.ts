import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterEach, expect, test } from "vitest";
import type { Arm, SlotSample } from "../../src/core/model.ts";
import { afterPilot } from "../../src/core/plan.ts";
import { failureShare } from "../../src/core/validity.ts";
import { type Rig, runBlock, runPilot } from "../../src/measure/block.ts";
import { takeCensus } from "../../src/measure/census.ts";
import { findK6 } from "../../src/measure/k6.ts";
import { planPhase } from "../../src/phases/plan.ts";
import { WorkDirectory } from "../../src/phases/work-directory.ts";
import { get } from "../../src/target/http.ts";
import { startTarget } from "../../src/target/start.ts";
import { home } from "./rig.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Says how it was asked. */
const SERVICE = `<?php
echo json_encode([$_SERVER['SERVER_PROTOCOL'], $_SERVER['HTTPS'] ?? 'off', $_SERVER['HTTP_HOST']]);
`;
/** Says how it was asked, and how many connections it had so far. */
const SERVER = `let connections = 0;
require("node:http").createServer({ keepAliveTimeout: 0 }, ({ headers, httpVersion }, response) => {
  response.end(JSON.stringify([connections, httpVersion, headers.host, headers["x-forwarded-proto"] ?? "none"]));
}).on("connection", () => { connections++; }).listen(process.env.PORT, "127.0.0.1");
`;
const CONFIG = `target: { driver: process, host: shop.test, php: { workers: 2 } }
scenarios:
  - { name: kept, path: /, levels: [2] }
  - { name: new, path: /, connection: close, levels: [2] }
measure: { slot: 1s, warm-up: 1s }
variants:
  plain: {}
  h1: { nginx: { tls: true, access-log: true } }
  h2: { nginx: { tls: true, http2: true, access-log: true } }
  direct: { start: exec node server.cjs }
  proxied: { start: exec node server.cjs, nginx: { proxy: true } }
  proxied-kept: { start: exec node server.cjs, nginx: { proxy: true, upstream-keep-alive: true, tls: true } }
`;

/** Both variants up. */
async function start(
  base: string,
  head: string,
  driver = "process",
): Promise<{ rig: Rig; accessLog: (arm: Arm) => string }> {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-http-"));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "index.php"), SERVICE);
  writeFileSync(join(directory, "server.cjs"), SERVER);
  writeFileSync(join(directory, "perf-gate.yml"), CONFIG);
  const work = new WorkDirectory(join(directory, ".perf-gate"));
  const cwd = process.cwd();
  process.chdir(directory);
  const options = { home, driver, base: `variant=${base}`, head: `variant=${head}` };
  const plan = await planPhase(options, work, () => {}, {}).finally(() => process.chdir(cwd));
  const { signal } = new AbortController();
  const target = await startTarget({ plan, home, workDirectory: work.path, progress: () => {}, signal });
  cleanups.push(() => target.close());
  const k6 = target.generator ?? (await findK6());
  const rig = { plan, target, k6, home, stateDirectory: work.directory("k6"), signal };
  return { rig, accessLog: (arm) => join(work.path, "state", `nginx-${arm}`, "access.log") };
}

/** Census, pilot and one block; every request of it was answered as it should be. */
async function measure(rig: Rig): Promise<(arm: Arm, scenario: string) => SlotSample> {
  for (const { arms } of (await takeCensus(rig, () => {})).scenarios) {
    for (const arm of [arms.base, arms.head]) expect(arm).toMatchObject({ statuses: [200], failedShare: 0 });
  }
  const cells = (await runPilot(rig)).map(({ cell, qps, p99Ms }) => afterPilot(rig.plan, cell, qps, p99Ms));
  const { samples } = await runBlock(rig, cells, "main", 0);
  expect(samples).toHaveLength(4);
  for (const sample of samples) {
    expect(failureShare(sample), sample.cell).toBe(0);
    expect(sample.requests, sample.cell).toBeGreaterThan(20);
  }
  return (arm, scenario) => samples.find((one) => one.arm === arm && one.cell === `${scenario} @2`) as SlotSample;
}

/** What an HTTP/2 client gets: the protocol that was agreed on, and the answer; null where the server has no HTTP/2. */
async function overHttp2(url: string): Promise<{ protocol: string | false | null; body: string } | null> {
  const session = connect(url, { rejectUnauthorized: false });
  try {
    return await new Promise((resolve) => {
      session.on("error", () => resolve(null));
      const stream = session.request({ ":path": "/", ":authority": "shop.test" });
      let body = "";
      stream.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      stream.on("error", () => resolve(null));
      stream.on("end", () => resolve({ protocol: (session.socket as TLSSocket).alpnProtocol, body }));
    });
  } finally {
    session.destroy();
  }
}

/** Protocols of the lines that k6 has left in an access log. */
function protocolsIn(log: string): string[] {
  const lines = readFileSync(log, "utf8").split("\n");
  const ofK6 = lines.filter((line) => line.includes("k6/"));
  return [...new Set(ofK6.map((line) => /"GET \/ (\S+)" 200 /.exec(line)?.[1] ?? line))];
}

test("TLS with HTTP/1.1 beside HTTP/2: what was asked for is spoken, by k6 too, and written down", async () => {
  const { rig, accessLog } = await start("h1", "h2");
  const { target } = rig;
  const answer = async (arm: Arm) => (await get(target.url(arm), { host: "shop.test", selfSigned: true })).body;
  expect(target.url("base")).toMatch(/^https:/);
  expect(JSON.parse(await answer("base"))).toEqual(["HTTP/1.1", "on", "shop.test"]);
  expect(JSON.parse(await answer("head"))).toEqual(["HTTP/1.1", "on", "shop.test"]);
  expect(await overHttp2(target.url("head"))).toEqual({ protocol: "h2", body: '["HTTP\\/2.0","on","shop.test"]' });
  expect(await overHttp2(target.url("base"))).toBeNull();
  // Nobody vouches for the certificate.
  await expect(get(target.url("base"))).rejects.toThrow(/self-signed/);

  const sample = await measure(rig);
  expect([protocolsIn(accessLog("base")), protocolsIn(accessLog("head"))]).toEqual([["HTTP/1.1"], ["HTTP/2.0"]]);
  for (const arm of ["base", "head"] as const) {
    const { phasesMs: anew } = sample(arm, "new");
    const { phasesMs: kept } = sample(arm, "kept");
    // A handshake per request takes its time in each; on a connection that is kept, in the first of its VU alone.
    expect(anew.tls, arm).toBeGreaterThan(10 * kept.tls);
    expect(anew.connect, arm).toBeGreaterThan(10 * kept.connect);
    expect(kept.wait, arm).toBeGreaterThan(0);
  }
  await target.close();
  expect(existsSync(accessLog("head"))).toBe(false);
}, 120_000);

test.skipIf(process.env.PERF_GATE_TEST_ENGINE === undefined)(
  "HTTP/2 beside HTTP/1.1 without TLS, in containers",
  async () => {
    const { rig } = await start("plain", "h2", "compose");
    const { target } = rig;
    expect(await overHttp2(target.url("head"))).toEqual({ protocol: "h2", body: '["HTTP\\/2.0","on","shop.test"]' });
    expect(JSON.parse((await get(target.url("base"))).body)[1]).toBe("off");
    const sample = await measure(rig);
    expect(sample("head", "new").phasesMs.tls).toBeGreaterThan(0);
    expect(sample("base", "new").phasesMs.tls).toBe(0);
  },
);

test("where nothing is said: no TLS, no HTTP/2, no access log", async () => {
  const { rig, accessLog } = await start("plain", "direct");
  const { target } = rig;
  expect(JSON.parse((await get(target.url("base"))).body)[1]).toBe("off");
  expect(await overHttp2(target.url("base"))).toBeNull();
  expect(existsSync(accessLog("base"))).toBe(false);
  // Nothing is in front of the server.
  expect(JSON.parse((await get(target.url("head"))).body)).toEqual([
    expect.any(Number),
    "1.1",
    expect.any(String),
    "none",
  ]);
  expect(await target.front("head")).toBeNull();
}, 120_000);

test("nginx in front of another server: each request on a connection of its own to it, or on one that is kept", async () => {
  const { rig } = await start("proxied", "proxied-kept");
  const { target } = rig;
  const ask = async (arm: Arm) => {
    const { body } = await get(target.url(arm), { host: "shop.test", selfSigned: arm === "head" });
    return JSON.parse(body) as [connections: number, protocol: string, host: string, scheme: string];
  };
  const opened = async (arm: Arm) => {
    const [before] = await ask(arm);
    for (let i = 0; i < 10; i++) await ask(arm);
    return (await ask(arm))[0] - before;
  };
  expect(await opened("base")).toBe(11);
  expect(await opened("head")).toBeLessThanOrEqual(1);
  expect((await ask("base")).slice(1)).toEqual(["1.1", "shop.test", "http"]);
  expect((await ask("head")).slice(1)).toEqual(["1.1", "shop.test", "https"]);
  expect(await target.versions()).toMatchObject({ nginx: expect.stringMatching(/^\d/) });
  expect(await target.front("base")).toEqual({
    listenOverflows: 0,
    portErrors: 0,
    listenQueueMax: 0,
    maxChildrenReached: 0,
  });

  const urls = [target.url("base"), target.url("head")];
  await target.restart();
  expect([target.url("base"), target.url("head")]).toEqual(urls);
  // Those of the server that ended are not used again.
  expect((await ask("head"))[0]).toBeLessThan(5);
  await measure(rig);
}, 120_000);

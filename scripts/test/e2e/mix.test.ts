import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ARMS, type Arm, type SlotSample } from "../../src/core/model.ts";
import { afterPilot } from "../../src/core/plan.ts";
import { failureShare } from "../../src/core/validity.ts";
import { runBlock } from "../../src/measure/block.ts";
import { takeCensus } from "../../src/measure/census.ts";
import { startRig } from "./rig.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const MIX = `mix:
      - { path: /start, weight: 1 }
      - { path: /list, weight: 6 }
      - { path: /order, weight: 3, method: POST, body: { item: 1 }, checks: { status: 201 } }`;
const WEIGHTS: Record<string, number> = { "/start": 1, "/list": 6, "/order": 3 };
const BYTES: Record<string, number> = { "/start": 10, "/list": 20, "/order": 70 };

interface Seen {
  /** ms since the epoch. */
  at: number;
  path: string;
  connection: Socket;
}

/** Answers each path with bytes of its own, an order with 201, and remembers what it was asked. */
async function service(): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const { url: path = "", method, headers, socket: connection } = request;
    seen.push({ at: Date.now(), path, connection });
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const isOrder = method === "POST" && body === '{"item":1}' && headers["content-type"] === "application/json";
      response.writeHead(isOrder ? 201 : 200).end("a".repeat(BYTES[path] ?? 0));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** Two services, a rig that loads them with one scenario, and what each was asked in one block of it. */
async function loaded(scenario: string, turns: { slotSeconds: number; turnSeconds: number }) {
  const services = { base: await service(), head: await service() };
  const { base, head } = services;
  const rig = await startRig(
    `target: { driver: url, url: { base: "${base.url}", head: "${head.url}" } }\nscenarios:\n${scenario}`,
    { driver: "url" },
  );
  cleanups.push(() => rig.close());
  const cells = rig.plan.cells.map((cell) => ({ ...afterPilot(rig.plan, cell, 1000, 10), ...turns }));
  const { samples } = await runBlock(rig, cells, "main", 3);
  const asked = (arm: Arm) => {
    const sample = samples.find((one) => one.arm === arm) as SlotSample;
    // Behind the warm-up, which ends 0.3 s before the first slot.
    return { sample, requests: services[arm].seen.filter(({ at }) => at > sample.startedAt - 150) };
  };
  return { rig, asked };
}

/** How far the requests are from the shares that the weights say, at most. */
function furthest(requests: readonly Seen[]): number {
  const away = Object.entries(WEIGHTS).map(([path, weight]) => {
    const sent = requests.filter((one) => one.path === path).length;
    return Math.abs(sent - (requests.length * weight) / 10);
  });
  return Math.max(...away);
}

/** The paths that every connection asked for, in their order: a VU keeps its own. */
function byVu(requests: readonly Seen[]): string[][] {
  const paths = new Map<Socket, string[]>();
  for (const { connection, path } of requests) paths.set(connection, [...(paths.get(connection) ?? []), path]);
  return [...paths.values()];
}

test("a closed mix: every VU sends it in the same order to both versions, by weight", async () => {
  const scenario = `  - name: shop\n    ${MIX}\n    levels: [4]\n`;
  const { rig, asked } = await loaded(scenario, { slotSeconds: 1, turnSeconds: 0.1 });
  const orders = ARMS.map((arm) => {
    const { sample, requests } = asked(arm);
    expect(failureShare(sample), arm).toBe(0);
    expect(sample.requests, arm).toBeGreaterThan(100);
    expect(requests, arm).toHaveLength(sample.requests);
    // Each of the four VUs is less than one away at the beginning and at the end of what it sends.
    expect(furthest(requests), arm).toBeLessThan(8);
    const vus = byVu(requests);
    expect(vus, arm).toHaveLength(4);
    return vus.map((paths) => paths.slice(0, 20).join()).toSorted();
  });
  expect(orders[0]).toEqual(orders[1]);
  // VUs that begin at one place of it would load the service in waves.
  expect(new Set(orders[0]).size).toBeGreaterThan(2);

  const census = await takeCensus(rig, () => {});
  for (const arm of ARMS) {
    expect(census.scenarios[0]?.arms[arm]).toEqual({
      statuses: [200, 201],
      failedShare: 0,
      // (10 + 6 x 20 + 3 x 70) / 10
      counts: { responseBytes: { perRequest: 34, min: 34, max: 34, exact: true } },
    });
  }
});

test("an open mix: its iterations are counted over all stretches of a slot", async () => {
  const scenario = `  - name: shop\n    ${MIX}\n    model: open\n    rate: 25\n`;
  const { asked } = await loaded(scenario, { slotSeconds: 3, turnSeconds: 1 });
  for (const arm of ARMS) {
    const { sample, requests } = asked(arm);
    expect(failureShare(sample), arm).toBe(0);
    expect(requests, arm).toHaveLength(sample.requests);
    expect(sample.requests, arm).toBeGreaterThan(65);
    expect(furthest(requests), arm).toBeLessThan(3);
  }
});

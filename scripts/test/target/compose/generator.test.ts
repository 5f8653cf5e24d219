import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { K6_IMAGE } from "../../../src/core/k6.ts";
import { ARMS, type Scenario } from "../../../src/core/model.ts";
import type { StartOptions } from "../../../src/target/target.ts";
import { oneBlock, rigOf, type Told, tell } from "./one-block.ts";
import { APP, docker, k6Containers, left, OURS, outsider, siteOf, start } from "./site.ts";

/** k6 in a container: asked for, or where this process cannot reach the arms. */

const FLOW = `import { check } from "k6";
import http from "k6/http";
import { path } from "../lib/path.js";
const word = open("../lib/word.txt").trim();
export default function (target) {
  const { url, host, headers } = target;
  const page = http.get(url + path, { headers, responseType: "text" });
  check(page, { "by its name, from the network": ({ body }) => body.includes(host) && body.includes(word) });
}
`;
const SHOWS_HOST = "<?php echo $_SERVER['HTTP_HOST'], ' said';";
const FILES = {
  "app/index.php": SHOWS_HOST,
  "perf/flow.js": FLOW,
  "lib/path.js": "export const path = '/shown?by=flow';\n",
  "lib/word.txt": "said\n",
};
const COMPOSE = `${APP}    environment: [PHP_CLI_SERVER_WORKERS=4]
  cache: { image: "redis:7" }
`;

/** A site with a request and, where wanted, a flow that imports, at 2 VUs. */
function siteWithCells(generator: "auto" | "container", { withFlow = true } = {}) {
  const shared = { shared: ["cache"], census: { mysql: null, redis: "cache" } };
  const links = { cache: { port: null, latencyMs: 1, jitterMs: 0 } };
  const site = siteOf({ compose: COMPOSE, more: { base: FILES, head: FILES } }, shared, { links });
  const { plan } = site.options;
  plan.config.measure.generator = generator;
  const [request] = plan.config.scenarios as [Scenario];
  request.checks = { status: [200], bodyContains: "shop.example" };
  const flow: Scenario["work"] = { kind: "flow", file: join(site.directory, "head/perf/flow.js") };
  const checks = { status: [200], bodyContains: null };
  if (withFlow) plan.config.scenarios.push({ ...request, name: "flow", work: flow, checks });
  plan.cells = plan.config.scenarios.map(({ name: scenario }) => ({
    id: `${scenario} @2`,
    scenario,
    model: "closed",
    level: 2,
  }));
  return site;
}

function expectMeasured({ census, samples }: Told, scenarios: number): void {
  expect(census.scenarios).toHaveLength(scenarios);
  expect(samples).toHaveLength(2 * scenarios);
  for (const sample of samples) {
    expect(sample).toMatchObject({ errors: 0, failedChecks: 0, events: [] });
    expect(sample.requests).toBeGreaterThan(4);
  }
  for (const { arms } of census.scenarios) {
    for (const arm of ARMS) {
      expect(arms[arm].failedShare).toBe(0);
      expect(arms[arm].counts.redisCommands).toEqual({ perRequest: 0, min: 0, max: 0, exact: true });
    }
  }
}

/** Without network but its own loopback, and as the first process of its own kind. */
const ELSEWHERE = {
  network: ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"],
  processes: ["unshare", "--pid", "--fork", "--mount-proc"],
};
const [unshare = "", ...flags] = [...ELSEWHERE.processes, ...ELSEWHERE.network, "true"];
const canUnshare = process.getuid?.() === 0 && spawnSync(unshare, flags).status === 0;

async function toldBy(options: StartOptions, directory: string, through: readonly string[]): Promise<Told> {
  const child = await outsider(options, directory, through, "generator-outsider.ts");
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  }
  await new Promise((resolve) => child.once("close", resolve));
  expect(said.stdout, said.stderr).not.toBe("");
  return JSON.parse(said.stdout) as Told;
}

describe.skipIf(process.env.PERF_GATE_TEST_ENGINE === undefined)("k6 in a container", () => {
  test("asked for: flows and their imports, the Host header, census, and what k6 costs", async () => {
    const site = siteWithCells("container");
    const target = await start(site);
    const told = await tell(site.options, target);
    expectMeasured(told, 2);
    expect(told).toMatchObject({ inContainer: true, warnings: [], versions: { "k6 image": K6_IMAGE } });
    for (const { witness } of told.samples) {
      expect(witness?.generatorCpuSeconds).toBeGreaterThan(0);
      expect(witness?.generatorCores).toBe(1);
    }
    expect(k6Containers(OURS)).toEqual([]);
  });

  test("not asked for, and reached: on this host", async () => {
    const target = await start(siteWithCells("auto"));
    expect(target.generator).toBeNull();
    expect(left().filter((name) => name.includes("gateway"))).toEqual([]);
  });

  test.skipIf(!canUnshare).each([
    ["a network that this host does not reach", [...ELSEWHERE.network], true],
    ["an engine as in a virtual machine", [...ELSEWHERE.network, ...ELSEWHERE.processes], false],
    ["processes of another machine at addresses that answer here", [...ELSEWHERE.processes], false],
  ])("%s", async (_, through, isWatched) => {
    const { options, directory } = siteWithCells("auto", { withFlow: false });
    const told = await toldBy(options, directory, through);
    expectMeasured(told, 1);
    expect(told.inContainer).toBe(true);
    for (const { witness } of told.samples) expect(witness !== null).toBe(isWatched);
    if (isWatched) expect(told.warnings).toEqual([]);
    else
      expect(told.warnings).toEqual([expect.stringMatching(/^the engine runs in a virtual machine.*not be watched/)]);
  });

  test("a k6 that is killed strikes its slots and leaves nothing", async () => {
    const { options, ...site } = siteWithCells("container");
    const target = await start({ ...site, options });
    const killed = (async () => {
      let id: string | undefined;
      for (; id === undefined; await sleep(50)) [id] = k6Containers(OURS);
      const pid = Number(docker("inspect", "--format", "{{.State.Pid}}", id));
      // Known as ours once its load has begun, so that what it spends is no foreign load.
      for (let tries = 0; tries < 200 && !target.roots().includes(pid); tries++) await sleep(50);
      expect(target.roots()).toContain(pid);
      return docker("kill", id);
    })();
    const samples = await oneBlock(await rigOf(options, target));
    await killed;
    expect(samples).toHaveLength(4);
    for (const { events } of samples) expect(events).toEqual(["k6-died"]);
    expect(k6Containers(OURS)).toEqual([]);
  });

  test.each([300, 900, 3000])("interrupted %i ms after the restart: k6 ends soon and leaves nothing", async (ms) => {
    const site = siteWithCells("container");
    const target = await start(site);
    const rig = await rigOf(site.options, target);
    const restart = target.restart.bind(target);
    target.restart = async () => {
      await restart();
      setTimeout(() => site.abort.abort(new Error("interrupted")), ms);
    };
    const samples = await oneBlock(rig).catch((error: Error) => {
      expect(error.message).toMatch(/interrupted|k6 ended before it began/);
      return [];
    });
    // The four slots of the block were not waited for.
    expect(site.abort.signal.aborted).toBe(true);
    expect(samples.length).toBeLessThan(4);
    expect(k6Containers(OURS)).toEqual([]);
  });

  test("an image that holds another k6 is refused", async () => {
    const site = siteWithCells("container");
    const context = join(site.directory, "image");
    mkdirSync(context);
    writeFileSync(join(context, "Dockerfile"), `FROM ${K6_IMAGE}\nCOPY --chmod=755 k6 /usr/bin/k6\n`);
    writeFileSync(join(context, "k6"), '#!/bin/sh\necho "k6 v2.0.0 (go1.30, linux/amd64)"\n');
    const own = docker("image", "inspect", "--format", "{{.Id}}", K6_IMAGE);
    execFileSync("docker", ["build", "--quiet", "--tag", K6_IMAGE, context], { stdio: "pipe" });
    const other = docker("image", "inspect", "--format", "{{.Id}}", K6_IMAGE);
    try {
      await expect(start(site)).rejects.toThrow(/^the image grafana\/k6:.* holds k6 2\.0\.0: docker image rm/);
    } finally {
      docker("tag", own, K6_IMAGE);
      docker("image", "rm", other);
    }
  });
});

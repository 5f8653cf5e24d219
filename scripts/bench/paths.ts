/**
 * What the way to the containers costs: QPS through their address, through a published port, and with k6 inside of
 * their network, in rounds of all three in random order, on the same two web servers. Prints per scenario the median
 * QPS of each way, and its mean ratio to the address with a 95% interval (Student's t over the rounds' log ratios) and
 * the sd of these.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ARMS, type Arm } from "../src/core/model.ts";
import { afterPilot } from "../src/core/plan.ts";
import { tQuantile } from "../src/core/stats/distributions.ts";
import { median } from "../src/core/stats/robust.ts";
import { type Rig, runBlock } from "../src/measure/block.ts";
import { findK6 } from "../src/measure/k6.ts";
import { OWNER_LABEL, thisOwner } from "../src/target/compose/owner.ts";
import type { Target } from "../src/target/target.ts";
import { home, startRig } from "../test/e2e/rig.ts";

const ROUNDS = Number(process.argv[2] ?? 8);
const SECONDS = 2;
const VUS = 20;
const SCENARIOS = ["health", "one query, persistent"];
const PORT = 8080;
const OWNER = `${OWNER_LABEL}=${thisOwner()}`;

const docker = (...args: string[]): string => execFileSync("docker", args, { encoding: "utf8" }).trim();

interface Web {
  address: string;
  published: string;
}

/** Another web server of the arm, like the one it has, whose port is published. */
function publish(arm: Arm, cpus: readonly number[]): Web {
  const labels = [OWNER, `perf-gate.arm=${arm}`, "com.docker.compose.service=web"];
  const web = docker("ps", "--quiet", ...labels.flatMap((label) => ["--filter", `label=${label}`]));
  const [{ Config, HostConfig }] = JSON.parse(docker("inspect", web)) as [
    { Config: { Image: string; Cmd: string[] }; HostConfig: { NetworkMode: string } },
  ];
  const id = docker(
    ...["run", "--detach", "--label", OWNER, "--publish", `127.0.0.1::${PORT}`, "--network", HostConfig.NetworkMode],
    ...["--volumes-from", web, "--cpuset-cpus", cpus.join(","), Config.Image, ...Config.Cmd],
  );
  webs.push(id);
  const address = docker("inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", id);
  return { address: `http://${address}:${PORT}`, published: `http://${docker("port", id, `${PORT}/tcp`)}` };
}

/** The same target, loaded elsewhere. */
function at(target: Target, url: (arm: Arm) => string): Target {
  return new Proxy(target, {
    get: (own, key: keyof Target) => {
      if (key === "url") return url;
      const value: unknown = own[key];
      return typeof value === "function" ? value.bind(own) : value;
    },
  });
}

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

/** Mean ratio of two series over the rounds, with its interval. */
function ratio(of: readonly number[], to: readonly number[]): string {
  const logs = of.map((qps, round) => Math.log(qps / (to[round] ?? Number.NaN)));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const sd = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1));
  const half = (tQuantile(0.975, logs.length - 1) * sd) / Math.sqrt(logs.length);
  const [low, middle, high] = [mean - half, mean, mean + half].map((log) => Math.exp(log).toFixed(3));
  return `x ${middle} (${low} - ${high}), sd ${(100 * sd).toFixed(1)}%`;
}

const yaml = `${readFileSync(join(home, "fixtures/app/perf-gate.yml"), "utf8")}measure: { generator: container }\n`;
const webs: string[] = [];
const rig = await startRig(yaml, { driver: "compose" });
try {
  const { plan, target } = rig;
  const { base, head } = { base: publish("base", plan.layout.target), head: publish("head", plan.layout.target) };
  const web = { base, head };
  const k6 = await findK6();
  const address = at(target, (arm) => web[arm].address);
  const ways: Record<string, Rig> = {
    "container's address": { ...rig, k6, target: address },
    "published port": { ...rig, k6, target: at(target, (arm) => web[arm].published) },
    "k6 in the network": { ...rig, target: address },
  };
  const cells = plan.cells.filter(({ scenario, level }) => SCENARIOS.includes(scenario) && level === VUS);
  const pilots = cells.map((cell) => ({
    ...afterPilot(plan, cell, 1000, 10),
    slotSeconds: SECONDS,
    turnSeconds: SECONDS,
  }));
  const seen = new Map<string, number[]>();
  const starts = new Map<string, number[]>();
  process.stdout.write(`${plan.layout.note}; ${ROUNDS} rounds of ${SECONDS} s for each arm, ${VUS} VUs\n`);
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of shuffled(Object.keys(ways))) {
      const { samples, times } = await runBlock(ways[way] as Rig, pilots, "main", round);
      starts.set(way, [...(starts.get(way) ?? []), times.k6Start]);
      for (const { id } of cells) {
        const own = samples.filter(({ cell }) => cell === id);
        if (own.length !== ARMS.length || own.some(({ errors, requests }) => errors > 0 || requests === 0)) {
          throw new Error(`${id} by ${way}: ${JSON.stringify(own)}`);
        }
        const key = `${id} ${way}`;
        const qps = own.reduce((sum, sample) => sum + sample.qps, 0) / own.length;
        seen.set(key, [...(seen.get(key) ?? []), qps]);
      }
    }
  }
  for (const { id } of cells) {
    process.stdout.write(`${id}\n`);
    for (const way of Object.keys(ways)) {
      const qps = seen.get(`${id} ${way}`) ?? [];
      const figures = ratio(qps, seen.get(`${id} container's address`) ?? []);
      process.stdout.write(`  ${way.padEnd(20)} ${Math.round(median(qps))} QPS  ${figures}\n`);
    }
  }
  for (const [way, seconds] of starts) {
    process.stdout.write(`start of k6, ${way}: ${median(seconds).toFixed(2)} s\n`);
  }
} finally {
  if (webs.length > 0) docker("rm", "--force", ...webs);
  await rig.close();
}

import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { parseConfig } from "../../src/config/load.ts";
import { chooseLayout } from "../../src/core/layout.ts";
import type { Arm, Census, Environment, Plan, RunStage, SampleLine, SlotSample } from "../../src/core/model.ts";
import { buildPlan } from "../../src/core/plan.ts";

/** A plan over the scenarios of a configuration text, on two cores. */
export function planOf(yaml: string): Plan {
  const arm = { label: "a", directory: "/a", commit: null, repository: null, image: null };
  const cpus = [
    { id: 0, core: "0" },
    { id: 1, core: "1" },
  ];
  return buildPlan(
    {
      seed: 1,
      arms: { base: arm, head: { ...arm, label: "b", directory: "/b" } },
      sameSource: false,
      driver: "process",
      config: parseConfig(yaml, { file: "perf-gate.yml", directory: "/", isFile: () => true }),
      layout: chooseLayout(cpus),
    },
    (text) => String(text.length),
  );
}

/** `n` closed scenarios named s0, s1 ... at 20 VUs. */
export function scenariosYaml(n: number, rest = ""): string {
  const list = Array.from({ length: n }, (_, i) => `  - { name: s${i}, path: /${i}, levels: [20] }`);
  return `scenarios:\n${list.join("\n")}\n${rest}`;
}

/** A sound slot of 2 s. */
export function slot(cell: string, arm: Arm, block: number, over: Partial<SlotSample> = {}): SlotSample {
  const requests = over.requests ?? 4000;
  return {
    kind: "slot",
    stage: "main",
    block,
    cell,
    arm,
    order: 0,
    startedAt: 1_700_000_000_000 + block * 40_000,
    seconds: 2,
    requests,
    qps: requests / 2,
    latencyMs: { avg: 5, p50: 4, p90: 8, p95: 9, p99: 12, max: 30 },
    phasesMs: { connect: 0, tls: 0, wait: 4, receive: 0.1 },
    errors: 0,
    failedChecks: 0,
    droppedIterations: 0,
    bytesReceived: 1000,
    portErrors: 0,
    witness: {
      targetCpuSeconds: 1.8,
      servicesCpuSeconds: 0.2,
      generatorCpuSeconds: 1,
      generatorCores: 1,
      generatorIdleSeconds: 1.2,
      foreignCpuSeconds: 0.01,
      stealSeconds: 0,
      intervalSeconds: 2.2,
      targetPeakCores: 0.95,
      targetMemoryBytes: 30e6,
      throttledPeriods: 0,
      timeWait: 0,
      listenOverflows: 0,
      listenQueueMax: 0,
      maxChildrenReached: 0,
    },
    events: [],
    ...over,
  };
}

/** What a synthetic run should look like. */
export interface Synthetic {
  blocks: number;
  stage?: RunStage;
  firstBlock?: number;
  seed?: number;
  /** sd of the log ratio of one round. */
  noise?: number;
  /** head/base of QPS per cell; the p99 follows inversely. */
  ratio: (cell: string) => number;
  /** Changes one slot, e.g. to make it worthless. */
  change?: (sample: SlotSample) => Partial<SlotSample>;
  cells?: string[];
}

/** Blocks of a run as samples.ndjson would hold them. */
export function blocks(plan: Plan, options: Synthetic): SampleLine[] {
  const { stage = "main", firstBlock = 0, seed = 1, noise = 0.01, ratio, change = () => ({}) } = options;
  const random = xoroshiro128plus(seed);
  // Sum of twelve uniforms: close enough to a normal distribution, and the same on every machine.
  const normal = () => Array.from({ length: 12 }, () => uniformFloat64(random)).reduce((sum, u) => sum + u, -6);
  const lines: SampleLine[] = [];
  for (let block = firstBlock; block < firstBlock + options.blocks; block++) {
    for (const cell of options.cells ?? plan.cells.map(({ id }) => id)) {
      for (const arm of ["base", "head"] as const) {
        const factor = arm === "base" ? 1 : ratio(cell) * Math.exp(noise * normal());
        const p99 = 12 / factor;
        const sample = slot(cell, arm, block, {
          stage,
          requests: Math.round(4000 * factor),
          latencyMs: { avg: 5, p50: 4, p90: 8, p95: 9, p99, max: 30 },
        });
        lines.push({ ...sample, ...change(sample) });
      }
    }
    lines.push({
      kind: "block",
      stage,
      block,
      yardstickMs: 90,
      times: { restart: 0.2, k6Start: 0.5, warmUp: 1.5, load: 4, total: 8 },
    });
  }
  return lines;
}

/** A census in which every scenario of the plan costs the same in both arms. */
export function censusOf(plan: Plan): Census {
  const exact = (perRequest: number) => ({ perRequest, min: perRequest, max: perRequest, exact: true });
  const arm = () => ({
    statuses: [200],
    failedShare: 0,
    counts: { sqlStatements: exact(1), dbConnections: exact(0), redisCommands: exact(0), responseBytes: exact(74) },
  });
  return {
    version: 1,
    planId: plan.id,
    requestsPerRepeat: 10,
    repeats: 3,
    scenarios: plan.config.scenarios.map(({ name }) => ({ scenario: name, arms: { base: arm(), head: arm() } })),
  };
}

/** An ordinary runner. */
export function environmentOf(plan: Plan): Environment {
  const php = {
    version: "8.4.11",
    sapi: "fpm-fcgi",
    opcache: true,
    jit: "off",
    jitBufferBytes: 0,
    xdebug: false,
    processManager: "static",
    workers: 8,
    extensions: ["redis"],
  };
  return {
    version: 1,
    planId: plan.id,
    startedAt: "2026-01-02T03:04:05.678Z",
    machine: {
      cpuModel: "AMD EPYC 7763 64-Core Processor",
      logicalCpus: 4,
      physicalCores: 2,
      memoryBytes: 16e9,
      kernel: "6.11.0-1018-azure",
      os: "Ubuntu 24.04.3 LTS",
      cgroup: "v2",
    },
    tools: { node: "20.20.2", k6: "1.8.1", php: "8.4.11", mysql: "10.11.19-MariaDB-0+deb12u1", redis: "8.0.2" },
    php: { base: php, head: php },
    warnings: [],
  };
}

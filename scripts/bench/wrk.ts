/**
 * QPS as measured by a block against what wrk sees: the same pinned target, the same connections, interleaved.
 * Prints one line per scenario: the ratio k6/wrk, its range over the rounds, and the generator's share of its cores.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatCpuList } from "../src/core/layout.ts";
import { afterPilot } from "../src/core/plan.ts";
import { median } from "../src/core/stats/robust.ts";
import { runBlock } from "../src/measure/block.ts";
import { home, startRig } from "../test/e2e/rig.ts";

const ROUNDS = Number(process.argv[2] ?? 6);
const SECONDS = 2;
const VUS = 20;

function wrk(url: string, cpus: string, threads: number, close: boolean): number {
  const header = close ? ["-H", "Connection: close"] : [];
  const output = execFileSync(
    "taskset",
    ["-c", cpus, "wrk", "-t", `${threads}`, "-c", `${VUS}`, "-d", `${SECONDS}s`, ...header, url],
    { encoding: "utf8" },
  );
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
}

const rig = await startRig(readFileSync(join(home, "fixtures/app/perf-gate.yml"), "utf8"));
try {
  const { plan, target } = rig;
  const cpus = formatCpuList(plan.layout.generator);
  process.stdout.write(`${plan.layout.note}; ${ROUNDS} rounds of ${SECONDS} s, ${VUS} connections\n`);
  for (const cell of plan.cells.filter(({ level }) => level === VUS)) {
    const scenario = plan.config.scenarios.find(({ name }) => name === cell.scenario);
    if (scenario?.work.kind !== "request") continue;
    const close = scenario.connection === "close";
    const ratios: number[] = [];
    const shares: number[] = [];
    const seen: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const pilot = { ...afterPilot(plan, cell, 1000, 10), slotSeconds: SECONDS, turnSeconds: SECONDS };
      const { samples } = await runBlock(rig, [pilot], "main", round);
      for (const { arm, qps, witness } of samples) {
        const reference = wrk(target.url(arm) + scenario.work.path, cpus, plan.layout.generator.length, close);
        ratios.push(qps / reference);
        seen.push(qps);
        shares.push((witness?.generatorCpuSeconds ?? 0) / (SECONDS * (witness?.generatorCores ?? 1)));
      }
    }
    const percent = (value: number) => `${Math.round(100 * value)}%`;
    process.stdout.write(
      `${cell.scenario.padEnd(26)} k6/wrk ${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)} - ${Math.max(...ratios).toFixed(2)})` +
        `  QPS ${Math.round(median(seen))}  generator ${percent(median(shares))} of its cores\n`,
    );
  }
} finally {
  await rig.close();
}

/**
 * Records blocks for decision rules to be tried on: `record.ts CONDITION FILE BLOCKS` writes FILE.ndjson.gz in the
 * format of recording.ts. Every block holds each head once, in random order, by the program's own runBlock: beside a
 * base of its own, both freshly restarted, turn by turn. Whole blocks are in FILE.ndjson as soon as they are measured;
 * Ctrl-C ends the recording with those it has.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { afterPilot } from "../src/core/plan.ts";
import { runBlock, runPilot } from "../src/measure/block.ts";
import { machineFacts } from "../src/phases/machine.ts";
import { startRig, TARGET } from "../test/e2e/rig.ts";
import { randomFrom } from "../test/history-fixtures.ts";
import type { RecordedBlock, RecordingHeader } from "./recording.ts";

const HEADS = ["", "slow-2", "slow-5", "slow-10", "stall", "extra-query"];
const SUITE = `${TARGET}  php: { workers: 8 }
scenarios:
  - { name: health, path: /health, levels: [20] }
  - { name: "one query, short", path: "/query?connection=short", levels: [20] }
  - { name: "one query, persistent", path: "/query?connection=persistent", levels: [20] }
  - { name: "five queries, persistent", path: "/queries?n=5&connection=persistent", levels: [20] }
measure: { slot: 1s }
`;

const [condition = "", file = "", wanted = ""] = process.argv.slice(2);
const blocks = Number(wanted);
if (!(Number.isInteger(blocks) && blocks > 0)) throw new Error(`BLOCKS: a whole number from 1 on, got ${wanted}`);
const driver = process.env["BENCH_DRIVER"] === "compose" ? "compose" : "process";
const plain = `${file}.ndjson`;
for (const path of [plain, `${plain}.gz`]) if (existsSync(path)) throw new Error(`${path} is there already`);

let interrupted = false;
process.once("SIGINT", () => {
  interrupted = true;
});
const say = (text: string) => process.stderr.write(`${text}\n`);

let header: RecordingHeader | null = null;
const rigs: { head: string; rig: Awaited<ReturnType<typeof startRig>> }[] = [];
try {
  for (const plant of HEADS) {
    const rig = await startRig(SUITE, { plant, driver });
    // Each pair draws its own order of cells and arms.
    rigs.push({ head: plant, rig: { ...rig, plan: { ...rig.plan, seed: rigs.length + 1 } } });
    say(`${plant || "unchanged"}: started`);
  }
  const { rig: unchanged } = rigs[0] as (typeof rigs)[number];
  const { plan } = unchanged;
  const cells = (await runPilot(unchanged)).map(({ cell, qps, p99Ms }) => afterPilot(plan, cell, qps, p99Ms));
  const { cpuModel, logicalCpus, kernel } = machineFacts();
  header = {
    kind: "recording",
    version: 1,
    condition,
    driver: plan.driver,
    startedAt: new Date().toISOString(),
    blocks: 0,
    heads: HEADS,
    machine: { cpuModel, logicalCpus, kernel },
    note: plan.layout.note,
    cells,
    plan: withoutPaths(plan),
  };
  writeFileSync(plain, `${JSON.stringify(header)}\n`, { flag: "wx" });
  const random = randomFrom(Date.now());
  const began = performance.now();
  for (let block = 0; block < blocks && !interrupted; block++) {
    const lines: RecordedBlock[] = [];
    const left = [...rigs];
    while (left.length > 0 && !interrupted) {
      const [next] = left.splice(uniformInt(random, 0, left.length - 1), 1);
      const { head, rig } = next as (typeof rigs)[number];
      const startedAt = Date.now();
      const { samples, yardstickMs, times } = await runBlock(rig, cells, "main", block);
      lines.push({
        kind: "block",
        block,
        head,
        startedAt,
        seconds: times.total,
        restartSeconds: times.restart,
        warmUpSeconds: times.warmUp,
        k6StartSeconds: times.k6Start,
        loadSeconds: times.load,
        yardstickMs,
        slots: samples,
      });
    }
    if (interrupted) break;
    appendFileSync(plain, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    header.blocks++;
    const minutes = (performance.now() - began) / 60_000;
    say(
      `block ${block + 1} of ${blocks}, about ${Math.round((minutes / (block + 1)) * (blocks - block - 1))} min left`,
    );
  }
} finally {
  for (const { rig } of rigs) await rig.close();
  if (existsSync(plain)) {
    // The header says how many blocks there are now.
    const [, ...lines] = readFileSync(plain, "utf8").split("\n");
    writeFileSync(`${plain}.gz`, gzipSync([JSON.stringify(header), ...lines].join("\n"), { level: 9 }));
    rmSync(plain);
  }
}

/** Where the trees were is nobody's business. */
function withoutPaths(plan: RecordingHeader["plan"]): RecordingHeader["plan"] {
  const arm = (name: string) => ({ label: name, directory: "", commit: null, repository: null, image: null });
  return { ...plan, arms: { base: arm("base"), head: arm("head") } };
}

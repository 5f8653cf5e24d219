import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseConfig } from "../../src/config/load.ts";
import type { DriverName, SlotSample, StrikeReason } from "../../src/core/model.ts";
import { afterPilot, buildPlan } from "../../src/core/plan.ts";
import { strikeReason } from "../../src/core/validity.ts";
import { type Rig, runBlock } from "../../src/measure/block.ts";
import { findK6 } from "../../src/measure/k6.ts";
import { layoutFor } from "../../src/phases/machine.ts";
import { sha256 } from "../../src/phases/work-directory.ts";
import { startTarget } from "../../src/target/start.ts";

export const home = fileURLToPath(new URL("../../..", import.meta.url));

/** The part of a configuration that starts the reference application. */
export const TARGET = `target:
  driver: process
  root: public
  health: /ready
  services: [mysql, redis, http]
  prepare: [php seed.php]
`;

/** The same without the services, for what needs none of them: /health. */
export const BARE = `target:
  driver: process
  root: public
  health: /health
`;

/** A private directory with two copies of the reference application, the head with a plant ("" = none). */
export function twoTrees(plant: string): { directory: string; base: string; head: string } {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate e2e-"));
  const [base, head] = [join(directory, "base"), join(directory, "head")];
  for (const tree of [base, head]) cpSync(join(home, "fixtures/app"), tree, { recursive: true });
  if (plant !== "") writeFileSync(join(head, "plant.php"), `<?php\n\nreturn '${plant}';\n`);
  return { directory, base, head };
}

/** Both arms of the reference application up and ready for blocks. */
export async function startRig(
  yaml: string,
  { plant = "", k6 = "", driver = "process" as DriverName } = {},
): Promise<Rig & { close(): Promise<void> }> {
  const { directory, base, head } = twoTrees(plant);
  writeFileSync(join(directory, "perf-gate.yml"), yaml);
  const config = parseConfig(yaml, { file: "perf-gate.yml", directory });
  const arm = (path: string) => ({ label: path, directory: path, commit: null, repository: null, image: null });
  const plan = buildPlan(
    {
      seed: 1,
      arms: { base: arm(base), head: arm(head) },
      sameSource: false,
      driver,
      config,
      layout: layoutFor(config.measure.isolation),
    },
    sha256,
  );
  const { signal } = new AbortController();
  const workDirectory = join(directory, "work");
  const stateDirectory = join(workDirectory, "k6");
  mkdirSync(stateDirectory, { recursive: true });
  const target = await startTarget({ plan, home, workDirectory, progress: () => {}, signal });
  return {
    plan,
    target,
    k6: k6 === "" ? (target.generator ?? (await findK6())) : k6,
    home,
    stateDirectory,
    signal,
    close: async () => {
      await target.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export interface BlockOptions {
  /** Whether what others take of the machine strikes slots; a test of another cause is not about that. */
  checkForeign: boolean;
  turnSeconds?: number;
}

/** One block of every cell in slots of 1 s, cut into turns or not, and why each slot would be struck. */
export async function oneBlock(
  rig: Rig,
  { checkForeign, turnSeconds = 1 }: BlockOptions,
): Promise<{ sample: SlotSample; reason: StrikeReason | null }[]> {
  const cells = rig.plan.cells.map((cell) => ({
    ...afterPilot(rig.plan, cell, 1000, 10),
    slotSeconds: 1,
    turnSeconds,
  }));
  const { samples } = await runBlock(rig, cells, "main", 0);
  const measure = rig.plan.config.measure;
  const limits = checkForeign ? measure : { ...measure, maxForeignCores: null };
  return samples.map((sample) => {
    const other = samples.find(({ arm, cell }) => cell === sample.cell && arm !== sample.arm) ?? null;
    return { sample, reason: strikeReason(sample, other, limits, rig.plan.layout) };
  });
}

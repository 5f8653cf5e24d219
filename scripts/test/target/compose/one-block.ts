import { join } from "node:path";
import type { Census, SlotSample } from "../../../src/core/model.ts";
import { afterPilot } from "../../../src/core/plan.ts";
import { type Rig, runBlock } from "../../../src/measure/block.ts";
import { takeCensus } from "../../../src/measure/census.ts";
import { findK6 } from "../../../src/measure/k6.ts";
import type { StartOptions, Target } from "../../../src/target/target.ts";

type Options = Pick<StartOptions, "plan" | "home" | "workDirectory"> & { signal: AbortSignal };

/** What measuring needs of a started target. */
export async function rigOf({ plan, home, workDirectory, signal }: Options, target: Target): Promise<Rig> {
  const k6 = target.generator ?? (await findK6());
  return { plan, target, k6, home, stateDirectory: join(workDirectory, "state"), signal };
}

/** One block of every cell in slots of 1 s. */
export async function oneBlock(rig: Rig): Promise<SlotSample[]> {
  const cells = rig.plan.cells.map((cell) => ({
    ...afterPilot(rig.plan, cell, 1000, 10),
    slotSeconds: 1,
    turnSeconds: 0.25,
  }));
  return (await runBlock(rig, cells, "main", 0)).samples;
}

/** What an outsider tells: see generator-outsider.ts. */
export interface Told {
  inContainer: boolean;
  warnings: readonly string[];
  versions: Record<string, string>;
  census: Census;
  samples: SlotSample[];
}

export async function tell(options: Options, target: Target): Promise<Told> {
  const rig = await rigOf(options, target);
  const census = await takeCensus(rig, () => {});
  return {
    inContainer: target.generator !== null,
    warnings: target.warnings,
    versions: await target.versions(),
    census,
    samples: await oneBlock(rig),
  };
}

import { MeasureError } from "../core/errors.ts";
import type { Arm, Scenario } from "../core/model.ts";
import { type Rig, subjectsOf } from "./block.ts";
import type { SlotResult } from "./block-spec.ts";
import { startK6 } from "./k6.ts";

/** Runs a scenario `iterations` times, one after the other, in a k6 process of its own. */
export async function runIterations(rig: Rig, scenario: Scenario, arm: Arm, iterations: number): Promise<SlotResult> {
  const { name } = scenario;
  const k6 = startK6(
    rig,
    {
      ...subjectsOf(rig, [scenario], 0),
      warmUp: { seconds: 0, gracefulSeconds: 0, vus: { base: 1, head: 1 }, scenarios: [] },
      slots: [
        {
          arm,
          scenario: name,
          round: 0,
          stretches: [{ startSeconds: 0, seconds: 60 }],
          gracefulSeconds: 0,
          vus: 1,
          rate: null,
          stages: null,
          counted: null,
          iterations,
        },
      ],
    },
    null,
  );
  const onAbort = () => k6.interrupt();
  rig.signal.addEventListener("abort", onAbort);
  try {
    await k6.begun;
    const [result] = (await k6.results) ?? [];
    if (result === undefined) throw new MeasureError(`k6 died while it counted what ${name} costs`);
    return result;
  } finally {
    rig.signal.removeEventListener("abort", onAbort);
    await k6.close();
  }
}

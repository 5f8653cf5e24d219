import { describe, expect, test } from "vitest";
import { actRig } from "./rig.ts";

const { act, caller, run, source } = actRig();

// 11 minutes for what each run of ci.yml on GitHub does itself: only where it is asked for.
const wanted = process.env["PERF_GATE_TEST_CI"] !== undefined;

describe.skipIf(act === null || !wanted)(
  "this repository's own gates, with a pull request that changes no code",
  () => {
    test.each([
      ["unchanged-verdict", /Success - Main Verdict of the unchanged application/],
      ["planted", /Success - Main Verdict of the planted regression/],
    ])(
      "job %s",
      async (job, said) => {
        const made = caller({ "NOTES.md": "no code\n" }, {}, source());
        const { status, log } = await run(made, "pull_request", "ci.yml", { job });
        expect(log).toMatch(said);
        expect(status).toBe(0);
      },
      1_200_000,
    );
  },
);

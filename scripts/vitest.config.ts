import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Tests that compute, write files and wait for answers: two files at a time. */
const SIDE_BY_SIDE = "scripts/test/{architecture,core/**/*,config/**/*,report/**/*,history/**/*,github/**/*}.test.ts";
/** Slow ones, which scripts/test.sh --fast leaves out. */
const WHOLE_RUNS = "scripts/test/{e2e,act}/**/*.test.ts";

// On GitHub, what the tests ask for is not what the job that runs them is about.
for (const name of Object.keys(process.env)) if (/^(GITHUB|INPUT)_/.test(name)) delete process.env[name];

export default defineConfig({
  root: dirname(dirname(fileURLToPath(import.meta.url))),
  test: {
    // Real servers on a shared machine: a neighbour may cost one try, what fails twice is a failure.
    retry: 1,
    // Far more than any test takes on a machine of its own.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "side by side",
          include: [SIDE_BY_SIDE],
          setupFiles: ["scripts/test/github/pace.ts"],
          maxWorkers: 2,
        },
      },
      // Many of these start real servers: one file at a time, or they disturb each other on a small machine.
      {
        extends: true,
        test: {
          name: "one by one",
          include: ["scripts/test/**/*.test.ts"],
          exclude: [SIDE_BY_SIDE, WHOLE_RUNS],
          fileParallelism: false,
        },
      },
      { extends: true, test: { name: "whole runs", include: [WHOLE_RUNS], fileParallelism: false } },
    ],
  },
});

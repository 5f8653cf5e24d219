import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: dirname(dirname(fileURLToPath(import.meta.url))),
  test: {
    include: ["scripts/test/**/*.test.ts"],
    // On GitHub the program writes log commands: tests compare what it says elsewhere, those of act look at them.
    env: { GITHUB_ACTIONS: "" },
    // Many tests start real servers: one file at a time, or they disturb each other on a small machine.
    fileParallelism: false,
    // Real servers on a shared machine: a neighbour may cost one try, what fails twice is a failure.
    retry: 1,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const files = (names: string): string => `scripts/test/${names}.test.ts`;

/** Tests that compute, write files and wait for answers; they start neither services nor containers. */
const COMPUTING = [
  files("{architecture,bench/**/*,config/**/*,core/**/*,github/**/*,history/**/*,report/**/*}"),
  files("phases/{arms,beside,judge,reference,stored,trend,variants,work-directory}"),
];
/** Slow ones, which scripts/test.sh --fast leaves out. */
const WHOLE_RUNS = files("{act,e2e}/**/*");
/**
 * What judges figures that a neighbour changes, or looks at what a killed run leaves on this machine: any other run
 * would remove it as well.
 */
const ALONE = [
  files("measure/**/*"),
  files("phases/clean"),
  files("target/{exits,process,resident,usage}"),
  files("target/compose/killed"),
];
const WHOLE_RUNS_ALONE = files("e2e/validity");

/** What computes takes a core. What runs services mostly waits: for them, and for the end of a slot. */
const computing = { maxWorkers: 2, sequence: { groupOrder: 0 } };
const sideBySide = { maxWorkers: 3, sequence: { groupOrder: 1 } };
/** One by one, after all others. */
const alone = { fileParallelism: false };

/** Files that take minutes begin first, so that in the end nobody waits for one of them. */
const LONG = /\/(?:act\/(?:act|nightly)|e2e\/(?:capacity|cli|matrix|stored)|compose\/(?:engine|generator))\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (LONG.test(moduleId) ? 0 : 1);
    return (await super.sort(specifications)).sort((a, b) => rank(a) - rank(b));
  }
}

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
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "computing",
          include: COMPUTING,
          setupFiles: ["scripts/test/github/pace.ts"],
          ...computing,
        },
      },
      {
        extends: true,
        test: {
          name: "whole runs",
          include: [WHOLE_RUNS],
          exclude: [WHOLE_RUNS_ALONE],
          setupFiles: ["scripts/test/own-lock.ts"],
          testTimeout: 600_000,
          ...sideBySide,
        },
      },
      { extends: true, test: { name: "whole runs alone", include: [WHOLE_RUNS_ALONE], ...alone } },
      {
        extends: true,
        test: {
          name: "with services",
          include: [files("**/*")],
          exclude: [...COMPUTING, ...ALONE, WHOLE_RUNS],
          ...sideBySide,
        },
      },
      { extends: true, test: { name: "with services alone", include: ALONE, ...alone } },
    ],
  },
});

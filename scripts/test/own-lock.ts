import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/**
 * A directory of temporary files for each file of tests, and in it the lock of the machine: what they measure is not
 * judged by its figures, so that runs of two files need not wait for each other.
 */
const directory = mkdtempSync(join(tmpdir(), "perf-gate-file-"));
process.env["TMPDIR"] = directory;
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../../fixtures/golden");

/** Compares with fixtures/golden/<path>; UPDATE_GOLDEN=1 writes it anew. A missing file fails. */
export function expectGolden(path: string, actual: string): void {
  const file = join(ROOT, path);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, actual);
    return;
  }
  expect(existsSync(file), `${path} is missing: UPDATE_GOLDEN=1 writes it`).toBe(true);
  expect(actual).toBe(readFileSync(file, "utf8"));
}

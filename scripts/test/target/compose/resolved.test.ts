import { describe, expect, test } from "vitest";
import { composeVersion, EXAMPLES, goldenPath, resolved } from "./examples.ts";

/** The examples are resolved by the real plugin once and kept; where it is the same minor version, they are compared. */
describe.skipIf(!composeVersion()?.startsWith("2.40."))("docker compose config", () => {
  test.each(EXAMPLES)("still prints %s as the tests take it", async (name) => {
    await expect(`${JSON.stringify(resolved(name), null, 2)}\n`).toMatchFileSnapshot(goldenPath(name));
  });
});

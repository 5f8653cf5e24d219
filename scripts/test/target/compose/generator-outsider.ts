import { startTarget } from "../../../src/target/start.ts";
import type { StartOptions } from "../../../src/target/target.ts";
import { tell } from "./one-block.ts";

/** A process of its own that starts a target from the options in its argument, measures a block, and tells it as JSON. */
const options = JSON.parse(process.argv[2] ?? "") as Pick<StartOptions, "plan" | "home" | "workDirectory">;
const { signal } = new AbortController();
const target = await startTarget({ ...options, progress: () => {}, signal });
try {
  console.log(JSON.stringify(await tell({ ...options, signal }, target)));
} finally {
  await target.close();
}

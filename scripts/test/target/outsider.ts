import { get } from "../../src/target/http.ts";
import { startTarget } from "../../src/target/start.ts";
import type { StartOptions } from "../../src/target/target.ts";

/**
 * A process of its own that starts a target from the options in its argument, prints one line of JSON and then waits:
 * for SIGKILL, or for SIGTERM, after which it closes the target.
 */
const options = JSON.parse(process.argv[2] ?? "") as Pick<StartOptions, "plan" | "home" | "workDirectory">;
const target = await startTarget({ ...options, progress: () => {}, signal: new AbortController().signal });
const answer = await get(`${target.url("head")}/queries`);
const php = await target.php("base");
process.on("SIGTERM", () => void target.close().then(() => process.exit(0)));
setInterval(() => {}, 1000);
console.log(JSON.stringify({ answer, jit: php?.jit, usage: target.usage("head"), uid: process.getuid?.() }));

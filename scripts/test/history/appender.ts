import { readFileSync } from "node:fs";
import { openStore } from "../../src/history/store.ts";

/** A process of its own that appends the records in a file to a store, and prints the result as a line of JSON. */
const [, , store = "", directory = "", file = ""] = process.argv;
const records = JSON.parse(readFileSync(file, "utf8"));
try {
  console.log(JSON.stringify(await openStore(store, { directory, env: process.env }).append(records)));
} catch (error) {
  console.log(JSON.stringify({ error: String(error) }));
}

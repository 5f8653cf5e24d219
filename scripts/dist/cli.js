import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import "./shared-runtime.js";

// package.json
var version = "1.0.0";

// scripts/src/cli.ts
if (process.argv[2] === "--version" || process.argv[2] === "-V") {
  process.stdout.write(`${version}
`);
} else {
  const { main } = await import("./main.js");
  await main(version);
}

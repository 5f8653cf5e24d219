import { version } from "../../package.json";

/** The one call that must not wait for anything to load. */
if (process.argv[2] === "--version" || process.argv[2] === "-V") {
  process.stdout.write(`${version}\n`);
} else {
  const { main } = await import("./main.ts");
  await main(version);
}

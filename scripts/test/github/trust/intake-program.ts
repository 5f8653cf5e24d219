/** The intake as a program of its own, whose CPU time and memory can be seen. Arguments: an archive, what is trusted. */
import { readFileSync } from "node:fs";
import { readArtifact } from "../../../src/github/artifact.ts";
import { intake } from "../../../src/phases/intake.ts";

const [archive = "", trusted = ""] = process.argv.slice(2);
const zip = readFileSync(archive);
const started = process.cpuUsage();
let message: string | null = null;
try {
  intake(await readArtifact(zip), JSON.parse(trusted));
} catch (error) {
  message = (error as Error).message;
}
const { maxRSS: kib } = process.resourceUsage();
const { user, system } = process.cpuUsage(started);
process.stdout.write(JSON.stringify({ ms: (user + system) / 1000, kib, message }));

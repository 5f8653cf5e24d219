import { join } from "node:path";
import { build } from "esbuild";

const OUTSIDER = join(import.meta.dirname, "outsider.ts");

/** Bundles an entry point into a directory, for node to run; the script's path. */
export async function outsiderScript(directory: string, entry = OUTSIDER): Promise<string> {
  const outfile = join(directory, "outsider.mjs");
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    // CommonJS packages inside of an ES module.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  return outfile;
}

/**
 * Bundles the program into scripts/dist, which is committed: users need no node_modules.
 *
 *   node scripts/build.mjs            writes the bundle
 *   node scripts/build.mjs --check    compares it with the source; exit status 1 where they differ
 *
 * PERF_GATE_DIST names another directory than scripts/dist.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = resolve(process.env.PERF_GATE_DIST ?? join(root, "scripts/dist"));

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  charset: "utf8",
  preserveSymlinks: true,
  legalComments: "none",
  outdir: "scripts/dist",
  write: false,
  metafile: true,
  logLevel: "warning",
  // CommonJS packages inside an ES module still call require() for node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);',
  },
};

/** Two builds: parts of the program are shared between chunks, the yardstick is one file that loads nothing else. */
const builds = [
  { entryPoints: { cli: "scripts/src/cli.ts" }, splitting: true },
  { entryPoints: { yardstick: "scripts/src/measure/yardstick.ts" } },
];

/** Runs esbuild; returns its text files by name, its metafile outputs by the same names. */
async function bundle(options) {
  const result = await build({ ...common, ...options });
  const outputs = Object.fromEntries(
    Object.entries(result.metafile.outputs).map(([path, output]) => [basename(path), output]),
  );
  const files = Object.fromEntries(result.outputFiles.map((file) => [basename(file.path), file.text]));
  return { files: withStableNames(files, outputs), inputs: Object.keys(result.metafile.inputs) };
}

/**
 * Names chunks after what is in them instead of a hash of it, so that a change touches the files it concerns: an entry
 * keeps its name, a shared chunk takes that of its largest source.
 */
function withStableNames(files, outputs) {
  const taken = new Set();
  const names = new Map();
  const source = (output) =>
    output.entryPoint ??
    Object.entries(output.inputs).toSorted(
      ([a, x], [b, y]) => y.bytesInOutput - x.bytesInOutput || (a < b ? -1 : 1),
    )[0]?.[0] ??
    "runtime";
  const rank = (output) => `${output.entryPoint === undefined ? 1 : 0}${source(output)}`;
  for (const [name, output] of Object.entries(outputs).toSorted(([, a], [, b]) => (rank(a) < rank(b) ? -1 : 1))) {
    const stem = basename(source(output)).replace(/\.[a-z]+$/, "");
    let wanted = output.entryPoint === undefined ? `shared-${stem}.js` : `${stem}.js`;
    for (let n = 2; taken.has(wanted); n++) wanted = wanted.replace(/(~\d+)?\.js$/, `~${n}.js`);
    taken.add(wanted);
    names.set(name, wanted);
  }
  const rename = (text) =>
    text.replace(/(["'])\.\/([\w.-]+\.js)\1/g, (whole, quote, name) =>
      names.has(name) ? `${quote}./${names.get(name)}${quote}` : whole,
    );
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [names.get(name), rename(text)]));
}

/** The licences of the packages that went into the bundle, as their authors ask for; equal texts once. */
function licences(inputs) {
  const directories = new Set(
    inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? []),
  );
  const packagesByText = new Map();
  for (const directory of [...directories].toSorted()) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8"));
    const text = readdirSync(join(root, directory))
      .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
      .toSorted()
      .map((file) => readFileSync(join(root, directory, file), "utf8").trim())
      .join("\n\n");
    packagesByText.set(text, [...(packagesByText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...packagesByText].map(([text, packages]) => `${packages.join("\n")}\n\n${text}\n`);
  return parts.join(`\n${"-".repeat(80)}\n\n`);
}

async function bundleAll() {
  const files = {};
  const inputs = [];
  for (const options of builds) {
    if (!Object.values(options.entryPoints).every((path) => existsSync(join(root, path)))) continue;
    const result = await bundle(options);
    Object.assign(files, result.files);
    inputs.push(...result.inputs);
  }
  return { ...files, "LICENSES.txt": licences(inputs) };
}

function write(files) {
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist)) if (!(name in files)) rmSync(join(dist, name), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dist, name), text);
}

/** One sentence per file that is missing, left over or different. */
function differences(files) {
  const present = existsSync(dist) ? readdirSync(dist) : [];
  const found = present.filter((name) => !(name in files)).map((name) => `${name}: no longer part of the bundle`);
  for (const [name, text] of Object.entries(files)) {
    if (!present.includes(name)) {
      found.push(`${name}: missing`);
      continue;
    }
    const lines = text.split("\n");
    const committed = readFileSync(join(dist, name), "utf8").split("\n");
    const line = lines.findIndex((content, index) => content !== committed[index]);
    if (line >= 0 || lines.length !== committed.length) {
      found.push(`${name}: differs from line ${line < 0 ? lines.length + 1 : line + 1} on`);
    }
  }
  return found;
}

const files = await bundleAll();
if (process.argv.includes("--check")) {
  const found = differences(files);
  for (const difference of found) console.error(difference);
  if (found.length > 0) {
    console.error("The bundle does not match the source. Run: npm run build");
    process.exitCode = 1;
  } else {
    console.log(`The bundle matches the source: ${Object.keys(files).length} files.`);
  }
} else {
  write(files);
  for (const [name, text] of Object.entries(files)) console.log(`${String(text.length).padStart(8)} ${name}`);
}

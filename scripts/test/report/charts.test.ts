import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectGolden } from "./golden.ts";
import { INPUTS } from "./support.ts";
import { expectWellFormed } from "./well-formed.ts";

const CHARTS = join(dirname(fileURLToPath(import.meta.url)), "../../charts");
const NAMES = ["qps", "latency", "rounds"];

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "charts-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** comparison.json of an input on disk. */
function comparisonFile(name: string): string {
  const make = INPUTS[name];
  if (make === undefined) throw new Error(`no input ${name}`);
  const file = join(directory, `${name}.json`);
  writeFileSync(file, JSON.stringify(make().comparison));
  return file;
}

function draw(comparison: string, out: string, env: NodeJS.ProcessEnv = process.env) {
  const done = spawnSync(join(CHARTS, "charts.sh"), [comparison, out], { encoding: "utf8", env });
  return { status: done.status, stderr: done.stderr };
}

describe.each(["red", "inconclusive", "hostile", "various", "one", "nothing", "hundred"])("data of %s", (input) => {
  test.each(NAMES)("%s.tsv", (name) => {
    const done = spawnSync("jq", ["-r", "-L", CHARTS, "-f", join(CHARTS, `${name}.jq`), comparisonFile(input)], {
      encoding: "utf8",
    });
    expect(done.stderr).toBe("");
    expectGolden(`charts/${input}.${name}.tsv`, done.stdout);
  });
});

test("an unknown verdict, metric or load model is an error, not a blank", () => {
  for (const [from, to] of [
    ['"pass"', '"fine"'],
    ['"metric":"latency"', '"metric":"speed"'],
    ['"closed"', '"sideways"'],
  ] as const) {
    const file = join(directory, "odd.json");
    writeFileSync(file, readFileSync(comparisonFile("red"), "utf8").replaceAll(from, to));
    const { status, stderr } = draw(file, join(directory, "odd"));
    expect(status).toBe(2);
    expect(stderr).toMatch(/unknown (verdict|metric|load model)/);
  }
});

describe.each(Object.keys(INPUTS))("charts of %s", (input) => {
  test("are well-formed and fetch nothing", () => {
    const out = join(directory, `out of '${input}' "$(x)"`);
    expect(draw(comparisonFile(input), out)).toEqual({ status: 0, stderr: "" });
    const files = readdirSync(out).sort();
    expect(files).toEqual(input === "nothing" ? [] : ["latency.svg", "qps.svg", "rounds.svg"]);
    for (const file of files) {
      const svg = readFileSync(join(out, file), "utf8");
      expectWellFormed(svg);
      expect(svg).toContain("prefers-color-scheme:dark");
      expect(svg).not.toMatch(/<script|<image|<foreignObject|\son\w+=|href=['"](?!#)/i);
      expect(svg.length).toBeLessThan(400_000);
    }
  });
});

test("nothing in a name is run", () => {
  const out = join(directory, "owned");
  const input = INPUTS["one"]?.();
  if (input === undefined) throw new Error("no input");
  const trap = join(directory, "trap");
  for (const name of [
    `'; system('touch ${trap}'); '`,
    `"; system("touch ${trap}"); "`,
    `\`touch ${trap}\``,
    `$(touch ${trap})`,
  ]) {
    const file = join(directory, "trap.json");
    writeFileSync(
      file,
      JSON.stringify(input.comparison).replaceAll('"scenario":"/"', `"scenario":${JSON.stringify(name)}`),
    );
    expect(draw(file, out).status).toBe(0);
  }
  expect(existsSync(trap)).toBe(false);
});

describe("what is missing", () => {
  test("without gnuplot it says so and exits 3", () => {
    const bin = join(directory, "bin");
    mkdirSync(bin);
    for (const tool of ["bash", "jq", "env", "realpath", "dirname", "mktemp", "rm", "mkdir"]) {
      const found = spawnSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).stdout.trim();
      symlinkSync(found, join(bin, tool));
    }
    const { status, stderr } = draw(comparisonFile("one"), join(directory, "none"), { PATH: bin });
    expect(status).toBe(3);
    expect(stderr).toBe("charts: gnuplot is not installed: the charts are left out\n");
  });

  test("a missing or broken comparison exits 2 and names the file", () => {
    expect(draw(join(directory, "absent.json"), directory)).toEqual({
      status: 2,
      stderr: `charts: cannot read ${join(directory, "absent.json")}\n`,
    });
    const broken = join(directory, "broken.json");
    writeFileSync(broken, "{");
    const { status, stderr } = draw(broken, directory);
    expect(status).toBe(2);
    expect(stderr).toContain(broken);
  });

  test("a gnuplot that fails exits 4 with its last words", () => {
    const bin = join(directory, "failing");
    mkdirSync(bin);
    writeFileSync(join(bin, "gnuplot"), "#!/bin/sh\necho 'no such terminal' >&2\nexit 1\n");
    chmodSync(join(bin, "gnuplot"), 0o755);
    const { status, stderr } = draw(comparisonFile("one"), join(directory, "failed"), {
      ...process.env,
      PATH: `${bin}:${process.env["PATH"]}`,
    });
    expect(status).toBe(4);
    expect(stderr).toContain("no such terminal");
  });
});

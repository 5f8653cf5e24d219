import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { InputError, MeasureError } from "../../src/core/errors.ts";
import { buildPlan } from "../../src/core/plan.ts";
import { comparePhase } from "../../src/phases/compare.ts";
import { sha256, WorkDirectory } from "../../src/phases/work-directory.ts";
import { blocks, censusOf, planOf, scenariosYaml } from "../core/support.ts";

const plan = buildPlan(planOf(scenariosYaml(2)), sha256);
let directory: string;
let work: WorkDirectory;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-work-"));
  work = new WorkDirectory(directory);
  work.begin();
  work.writeJson("plan", plan);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function measured(): void {
  work.writeJson("census", censusOf(plan));
  work.appendSamples([{ kind: "begin", version: 1, planId: plan.id, startedAt: 1 }]);
  work.appendSamples(blocks(plan, { blocks: 6, ratio: () => 1 }));
}

test("what was written is read back", () => {
  measured();
  expect(work.readPlan()).toEqual(plan);
  const { lines, damaged } = work.readSamples(plan);
  expect(damaged).toEqual([]);
  expect(lines.filter((line) => line.kind === "slot")).toHaveLength(24);
  expect(comparePhase(work).verdict).toBe("pass");
});

test("compare gives the same bytes every time", () => {
  measured();
  comparePhase(work);
  const first = readFileSync(work.file("comparison.json"), "utf8");
  comparePhase(work);
  expect(readFileSync(work.file("comparison.json"), "utf8")).toBe(first);
});

test("a truncated last line is reported, the complete ones are used, and the next append starts a new line", () => {
  measured();
  const whole = readFileSync(work.samplesFile, "utf8");
  writeFileSync(work.samplesFile, whole.slice(0, -40));
  const { lines, damaged } = work.readSamples(plan);
  expect(lines).toHaveLength(30);
  expect(damaged).toEqual([expect.stringMatching(/^line 31: cut short, without its end \(\d+ characters\)$/)]);
  expect(comparePhase(work)).toMatchObject({ verdict: "pass", damaged });
  work.appendSamples([{ kind: "stop", reason: "decided", detail: null, wallSeconds: 1 }]);
  expect(work.readSamples(plan).lines.at(-1)?.kind).toBe("stop");
});

test.each([
  ["NaN, which JSON writes as null", '"qps":2000', '"qps":null', "qps"],
  ["a negative number", '"qps":2000', '"qps":-2000', "qps"],
  ["a fraction of a request", '"requests":4000', '"requests":0.5', "requests"],
  ["an unknown arm", '"arm":"base"', '"arm":"other"', "arm"],
  ["an unknown key", '"qps":2000', '"qps":2000,"extra":1', "extra"],
  ["no JSON at all", '{"kind":"slot"', "{kind:slot", "not JSON"],
])("%s costs its line and is reported", (_name, from, to, named) => {
  measured();
  const text = readFileSync(work.samplesFile, "utf8");
  expect(text).toContain(from);
  writeFileSync(work.samplesFile, text.replace(from, to));
  const { lines, damaged } = work.readSamples(plan);
  expect(lines).toHaveLength(30);
  expect(damaged).toHaveLength(1);
  expect(damaged[0]).toContain(named);
});

test("samples of another plan are refused, and left as they are", () => {
  measured();
  const other = buildPlan({ ...planOf(scenariosYaml(2)), seed: 2 }, sha256);
  work.writeJson("plan", other);
  const before = readFileSync(work.samplesFile, "utf8");
  expect(() => comparePhase(work)).toThrow(InputError);
  expect(() => work.readSamples(other)).toThrow(/belongs to another plan .*--work-directory/);
  expect(readFileSync(work.samplesFile, "utf8")).toBe(before);
});

test("a plan that was edited is refused", () => {
  writeFileSync(work.file("plan.json"), JSON.stringify({ ...plan, seed: 99 }));
  expect(() => work.readPlan()).toThrow(/does not match its id/);
});

test("a missing file names the command that makes it", () => {
  expect(() => work.readComparison()).toThrow(/comparison\.json is missing: run `perf-gate compare`/);
  rmSync(work.file("plan.json"));
  expect(() => work.readPlan()).toThrow(/run `perf-gate plan`/);
});

test("a new plan moves an earlier run aside, whole", () => {
  measured();
  const samples = readFileSync(work.samplesFile, "utf8");
  work.begin();
  expect(existsSync(work.samplesFile)).toBe(false);
  const [earlier = ""] = readdirSync(work.file("earlier"));
  expect(readFileSync(work.file("earlier", earlier, "samples.ndjson"), "utf8")).toBe(samples);
  expect(existsSync(work.file("earlier", earlier, "plan.json"))).toBe(true);
});

test("and an earlier search for capacity", () => {
  work.appendSteps([{ kind: "stop", wallSeconds: 1, reason: "interrupted", detail: null }]);
  work.begin();
  const [earlier = ""] = readdirSync(work.file("earlier"));
  expect(readFileSync(work.file("earlier", earlier, "steps.ndjson"), "utf8")).toContain("interrupted");
});

test("a work directory inside a repository does not make its tree look changed", () => {
  const repository = mkdtempSync(join(tmpdir(), "perf-gate-repository-"));
  execFileSync("git", ["init", "--quiet", repository]);
  new WorkDirectory(join(repository, ".perf-gate")).begin();
  expect(execFileSync("git", ["-C", repository, "status", "--porcelain"], { encoding: "utf8" })).toBe("");
  rmSync(repository, { recursive: true });
});

test("a file in the place of the work directory is named", () => {
  const file = join(directory, "file");
  writeFileSync(file, "");
  expect(() => new WorkDirectory(join(file, "below")).begin()).toThrow(
    /cannot write to the work directory .*--work-directory/,
  );
});

const canMount = process.getuid?.() === 0;
test.skipIf(!canMount)("a full disk stops with what is safe, and every complete line is kept", ({ skip }) => {
  const mount = mkdtempSync(join(tmpdir(), "perf-gate-full-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", mount]);
  } catch {
    rmSync(mount, { recursive: true });
    return skip("this container may not mount a small file system");
  }
  try {
    const small = new WorkDirectory(mount);
    small.begin();
    const lines = blocks(plan, { blocks: 10, ratio: () => 1 });
    const fill = () => {
      for (let i = 0; i < 100; i++) small.appendSamples(lines);
    };
    expect(fill).toThrow(MeasureError);
    expect(fill).toThrow(/no space left for .*every complete line of samples is kept/);
    const { lines: kept, damaged } = small.readSamples(plan);
    expect(kept.length).toBeGreaterThan(40);
    expect(damaged.length).toBeLessThanOrEqual(2);
  } finally {
    execFileSync("umount", [mount]);
    rmSync(mount, { recursive: true });
  }
});

test("an append after a crash in the middle of a line loses only that line", () => {
  measured();
  appendFileSync(work.samplesFile, '{"kind":"slot","st');
  work.appendSamples([{ kind: "stop", reason: "interrupted", detail: null, wallSeconds: 1 }]);
  const { lines, damaged } = work.readSamples(plan);
  expect(lines.at(-1)?.kind).toBe("stop");
  expect(damaged).toEqual(["line 32: not JSON"]);
});

test("the runs of an earlier matrix move out of the way of the next", () => {
  const matrix = new WorkDirectory(join(directory, "matrix"));
  matrix.begin();
  const point = new WorkDirectory(matrix.file("points", "1"));
  point.begin();
  point.appendSamples([{ kind: "begin", version: 1, planId: plan.id, startedAt: 1 }]);
  const text = readFileSync(point.samplesFile, "utf8");
  matrix.begin();
  expect(existsSync(matrix.file("points"))).toBe(false);
  const [stamp = ""] = readdirSync(matrix.file("earlier"));
  expect(readFileSync(matrix.file("earlier", stamp, "points", "1", "samples.ndjson"), "utf8")).toBe(text);
});

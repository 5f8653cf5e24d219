import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.ts";
import { type ArtifactFiles, readArtifact } from "../../../src/github/artifact.ts";
import { outsiderScript } from "../../target/outsider-script.ts";
import { expectHarmlessError, HOSTILE, outcome, soundRun, textOf } from "./support.ts";
import { type ZipEntry, zip64Sizes, zipOf } from "./zip.ts";

const MIB = 1024 * 1024;
const files = textOf(soundRun());
const PLAN: ZipEntry = { name: "plan.json", content: files.plan };
const SOUND: ZipEntry[] = [
  PLAN,
  { name: "census.json", content: files.census ?? "" },
  { name: "environment.json", content: files.environment ?? "" },
  { name: "samples.ndjson", content: files.samples ?? "" },
];

const directory = mkdtempSync(join(tmpdir(), "perf-gate-artifact-"));
afterAll(() => rmSync(directory, { recursive: true }));

async function read(zip: Uint8Array): Promise<ArtifactFiles | string> {
  try {
    return await readArtifact(zip);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expectHarmlessError(error.message);
    return error.message;
  }
}

/** 64 MiB of zeros are 64 KiB. */
const zeros = (mib: number) => deflateRawSync(Buffer.alloc(mib * MIB), { level: 9 });

describe("an upload of a run", () => {
  test("gives the four files; what else a work directory holds is left unread", async () => {
    const others = [
      { name: "comparison.json", content: `{"verdict":"pass","text":"${HOSTILE}"}` },
      { name: "report.html", content: `<script>${HOSTILE}</script>` },
      { name: "charts/", mode: 0o040755 },
      { name: "charts/qps.svg", content: "<svg/>" },
      { name: "earlier/2026/plan.json", content: HOSTILE },
      { name: "plan.json.new", content: HOSTILE },
      { name: "logs/\u00e4.log", content: HOSTILE, packed: Buffer.from("not deflated"), crc: 1 },
    ];
    const found = await read(zipOf([...SOUND, ...others]));
    expect(found).toEqual(files);
    expect(outcome(found as ArtifactFiles)).toMatchObject({ comparison: { verdict: "pass" } });
  });

  test("stored without compression is read as well", async () => {
    expect(await read(zipOf(SOUND.map((entry) => ({ ...entry, method: 0 }))))).toEqual(files);
  });

  test("that ended early has no samples", async () => {
    expect(await read(zipOf([PLAN]))).toEqual({ plan: files.plan, census: null, environment: null, samples: null });
  });

  const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

  test.skipIf(!has("zip", "-v"))("made by zip is read; with a link in it, it is not", async () => {
    const work = join(directory, "work");
    mkdirSync(join(work, "logs"), { recursive: true });
    writeFileSync(join(work, "logs/php.log"), "x");
    for (const { name, content } of SOUND) writeFileSync(join(work, name as string), content as string);
    const zip = (...args: string[]) => {
      rmSync(join(directory, "a.zip"), { force: true });
      execFileSync("zip", ["-q", "-r", ...args, join(directory, "a.zip"), "."], { cwd: work });
      return readFileSync(join(directory, "a.zip"));
    };
    expect(await read(zip())).toEqual(files);
    expect(await read(zip("-P", "secret"))).toMatch(/encrypted/);
    rmSync(join(work, "plan.json"));
    symlinkSync("/etc/passwd", join(work, "plan.json"));
    expect(await read(zip("-y"))).toMatch(/a link or a device/);
  });

  test.skipIf(!has("python3", "-c", "import zipfile"))(
    "made by a program that writes a stream (sizes behind the data), or in zip64, is read",
    async () => {
      const script = `
import json, sys, zipfile
class Stream:
    def __init__(self): self.data = b""
    def write(self, b): self.data += b; return len(b)
    def flush(self): pass
out, zip64 = Stream(), sys.argv[1] == "64"
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    for name, text in json.load(sys.stdin).items():
        with z.open(name, "w", force_zip64=zip64) as f: f.write(text.encode())
sys.stdout.buffer.write(out.data)`;
      const input = JSON.stringify(Object.fromEntries(SOUND.map(({ name, content }) => [name, content])));
      for (const kind of ["32", "64"]) {
        const zip = execFileSync("python3", ["-c", script, kind], { input, maxBuffer: 64 * MIB });
        expect(await read(zip)).toEqual(files);
      }
    },
  );
});

/** What a stranger may have done to the archive, and what comes out. */
const POISON: [what: string, zip: () => Buffer, comes: RegExp][] = [
  ["nothing", () => Buffer.alloc(0), /not a sound zip file/],
  ["no zip", () => Buffer.from(`${HOSTILE}\n::error::${HOSTILE}`.repeat(50)), /not a sound zip file/],
  ["an empty zip", () => zipOf([]), /no plan\.json/],
  ["a plan in upper case only", () => zipOf([{ ...PLAN, name: "PLAN.JSON" }]), /no plan\.json at its top/],
  ["a plan in a folder only", () => zipOf([{ ...PLAN, name: "a/plan.json" }]), /no plan\.json at its top/],
  ["a plan with a space behind it", () => zipOf([{ ...PLAN, name: "plan.json " }]), /no plan\.json at its top/],
  ["a plan that is a folder", () => zipOf([{ name: "plan.json/", mode: 0o040755 }]), /no plan\.json at its top/],
  ["a plan twice", () => zipOf([PLAN, { ...PLAN, content: HOSTILE }]), /plan\.json twice/],
  ["a plan in two cases", () => zipOf([PLAN, { ...PLAN, name: "Plan.json" }]), /plan\.json twice/],
  ["a thousand plans", () => zipOf(Array(1000).fill(PLAN)), /plan\.json twice/],

  ["a path out of the archive", () => zipOf([...SOUND, { name: `../../${HOSTILE}` }]), /leads out of the archive/],
  ["the same further in", () => zipOf([...SOUND, { name: "a/../../b" }]), /leads out of the archive/],
  ["an absolute path", () => zipOf([...SOUND, { name: "/etc/cron.d/x" }]), /leads out of the archive/],
  ["a path of another system", () => zipOf([...SOUND, { name: "C:\\x" }]), /leads out of the archive/],
  ["a backslash", () => zipOf([...SOUND, { name: "..\\x" }]), /leads out of the archive/],
  ["a line break in a name", () => zipOf([...SOUND, { name: `x\n::error::${HOSTILE}` }]), /or is none/],
  ["a NUL in a name", () => zipOf([{ ...PLAN, name: "plan.json\0.png" }]), /or is none/],
  ["no name", () => zipOf([...SOUND, { name: "" }]), /or is none/],
  ["another name in front of the data", () => zipOf([{ ...PLAN, localName: "../../x" }]), /^$/],
  ["bytes that are no text in a name", () => zipOf([PLAN, { name: Buffer.from([0xff, 0xfe, 0x2e]) }]), /^$/],

  ["a link", () => zipOf([{ ...PLAN, content: "/etc/passwd", mode: 0o120777 }]), /a link or a device/],
  ["a link beside ours", () => zipOf([...SOUND, { name: "x", content: "/", mode: 0o120777 }]), /a link or a device/],
  ["a device", () => zipOf([...SOUND, { name: "x", mode: 0o020666 }]), /a link or a device/],
  ["encryption", () => zipOf([{ ...PLAN, flags: 1 }]), /encrypted/],
  ["encryption of what is not read", () => zipOf([...SOUND, { name: "x", flags: 1 }]), /encrypted/],
  ["strong encryption", () => zipOf([{ ...PLAN, flags: 0x40 }]), /not a sound zip file/],
  ["another compression", () => zipOf([{ ...PLAN, method: 14 }]), /not a sound zip file .*method/],

  ["a bomb", () => zipOf([{ ...PLAN, packed: zeros(8), size: 8 * MIB }]), /a bomb/],
  ["a larger one", () => zipOf([{ ...PLAN, packed: zeros(64), size: 64 * MIB }]), /larger than 8 MiB/],
  [
    "a bomb that calls itself small",
    () => zipOf([{ ...PLAN, packed: zeros(64), size: 1000 }]),
    /not a sound zip file .*too many bytes/,
  ],
  [
    "a bomb of stored lines of nothing",
    () => zipOf([PLAN, { name: "samples.ndjson", method: 0, content: Buffer.alloc(30 * MIB, "\n") }]),
    /^$/,
  ],
  [
    "one piece of data for many entries",
    () =>
      zipOf([
        PLAN,
        ...Array.from({ length: 200 }, (_, i) => ({ name: `${i}`, packed: zeros(1), size: MIB, offset: 0 })),
      ]),
    /^$/,
  ],
  [
    "zip64: sizes without end",
    () => zipOf([{ ...PLAN, size: 0xffffffff, packedSize: 0xffffffff, extra: zip64Sizes(2n ** 52n, 2n ** 52n) }]),
    /larger than 8 MiB/,
  ],
  [
    "zip64: sizes beyond every number",
    () => zipOf([{ ...PLAN, size: 0xffffffff, packedSize: 0xffffffff, extra: zip64Sizes(2n ** 64n - 1n, 1n) }]),
    /not a sound zip file|larger than/,
  ],
  ["zip64: no sizes", () => zipOf([{ ...PLAN, size: 0xffffffff, packedSize: 0xffffffff }]), /larger than 8 MiB/],
  ["an archive beyond the limit", () => Buffer.alloc(33 * MIB), /larger than 32 MiB/],
  [
    "more entries than a run has",
    () => zipOf(Array.from({ length: 10_001 }, (_, i) => ({ name: `${i}` }))),
    /more than 10000 entries/,
  ],
  ["entries that are not there", () => zipOf(SOUND, { count: 9000 }), /not a sound zip file/],
  ["entries that are not counted", () => zipOf(SOUND, { count: 1 }), /^$/],

  ["a wrong checksum", () => zipOf([{ ...PLAN, crc: 1 }]), /plan\.json does not have the checksum/],
  ["a size too large", () => zipOf([{ ...PLAN, size: files.plan.length + 1 }]), /not a sound zip file/],
  ["a size too small", () => zipOf([{ ...PLAN, size: files.plan.length - 1 }]), /not a sound zip file/],
  [
    "data that is cut short",
    () => zipOf([{ ...PLAN, packed: deflateRawSync(files.plan).subarray(0, -20) }]),
    /not a sound/,
  ],
  ["data that is not packed", () => zipOf([{ ...PLAN, packed: Buffer.from(HOSTILE) }]), /not a sound zip file/],
  ["data beyond the archive", () => zipOf([{ ...PLAN, packedSize: 1e9 }]), /not a sound zip file/],
  ["an offset beyond the archive", () => zipOf([{ ...PLAN, offset: 1e9 }]), /not a sound zip file/],
  ["an archive that is cut short", () => zipOf(SOUND).subarray(0, -30), /not a sound zip file/],
  ["an archive without its start", () => zipOf(SOUND).subarray(100), /not a sound zip file/],
  ["something behind the archive", () => zipOf(SOUND, { after: Buffer.from(HOSTILE) }), /not a sound zip file/],
  ["something before the archive", () => Buffer.concat([Buffer.from("x"), zipOf(SOUND)]), /not a sound zip file/],
  ["a comment", () => zipOf(SOUND, { comment: HOSTILE }), /has a comment/],
  ["an archive in the comment", () => zipOf(SOUND, { comment: zipOf([PLAN]).toString("latin1") }), /./],
  [
    "bytes that are no text",
    () => zipOf([{ ...PLAN, content: Buffer.from([0x7b, 0xc3, 0x28]) }]),
    /plan\.json is not text in UTF-8/,
  ],
  ["half a letter", () => zipOf([{ ...PLAN, content: Buffer.from([0xed, 0xa0, 0x80]) }]), /is not text in UTF-8/],
];

describe("a poisoned archive", () => {
  test.each(POISON)("%s", async (_, zip, comes) => {
    const found = await read(zip());
    // An empty pattern: it is read, as what is strange about it concerns nobody.
    if (comes.source === "^$") expect(found).toMatchObject({ plan: files.plan });
    else expect(found).toMatch(comes);
  });

  test("every byte of a small archive changed in turn, and every length: an error, or the files as they were", async () => {
    const zip = zipOf([{ ...PLAN, content: '{"a":1}' }]);
    const texts = new Set<string>();
    for (let i = 0; i < zip.length; i++) {
      for (const bits of [0xff, 1, 0x80]) {
        const changed = Buffer.from(zip);
        changed.writeUInt8((zip[i] as number) ^ bits, i);
        const found = await read(changed);
        if (typeof found !== "string") texts.add(found.plan);
      }
      expect(typeof (await read(zip.subarray(0, i)))).toBe("string");
    }
    expect([...texts]).toEqual(['{"a":1}']);
  });
});

/** CPU time and memory of the whole intake in a process of its own. */
describe("time and memory", () => {
  let program = "";
  const limit = join(directory, "limit.zip");

  beforeAll(async () => {
    program = await outsiderScript(directory, fileURLToPath(new URL("intake-program.ts", import.meta.url)));
  });

  const trusted = JSON.stringify({
    config: "scenarios: [{ name: shop, path: /, levels: [20] }]",
    file: "perf-gate.yml",
    arms: { base: { label: "main", commit: null }, head: { label: "#7", commit: null } },
  });
  const run = soundRun({ config: "scenarios: [{ name: shop, path: /, levels: [20] }]", blocks: 6 });
  const text = textOf(run);

  function cost(zip: Buffer): { ms: number; kib: number; message: string | null } {
    writeFileSync(limit, zip);
    return JSON.parse(execFileSync(process.execPath, [program, limit, trusted], { encoding: "utf8" }));
  }

  const archive = (over: Partial<Record<string, string>>) =>
    zipOf(
      Object.entries({
        "plan.json": text.plan,
        "census.json": text.census,
        "environment.json": text.environment,
        "samples.ndjson": text.samples,
        ...over,
      }).map(([name, content]) => ({ name, content: content ?? "", method: 0 })),
    );

  test("a stranger's archive costs no more than a few times what the longest sound run costs", () => {
    const longest = soundRun({ config: "scenarios: [{ name: shop, path: /, levels: [20] }]", blocks: 4000 });
    const { plan, census, environment, samples } = textOf(longest);
    const sound = cost(
      archive({
        "plan.json": plan,
        "census.json": census ?? "",
        "environment.json": environment ?? "",
        "samples.ndjson": samples ?? "",
      }),
    );
    expect(sound.message).toBeNull();
    const slot = JSON.stringify(run.lines.find(({ kind }) => kind === "slot"));
    const head = text.samples?.split("\n").slice(0, 2).join("\n");
    const poison: [string, Buffer, RegExp][] = [
      ["a bomb", zipOf([{ ...PLAN, packed: zeros(8), size: 8 * MIB }]), /a bomb/],
      ["a bomb of a gigabyte", zipOf([{ ...PLAN, packed: zeros(1024), size: 1000 }]), /too many bytes/],
      ["10^7 lines", archive({ "samples.ndjson": `${head}\n${"{}\n".repeat(1e7)}` }), /more than 100000 lines/],
      ["10^7 empty lines", archive({ "samples.ndjson": `${head}\n${"\n".repeat(1e7)}` }), /more than 100000 lines/],
      ["10^4 slots of one block", archive({ "samples.ndjson": `${head}\n${`${slot}\n`.repeat(1e4)}` }), /already/],
      [
        "10^6 cells",
        archive({ "plan.json": text.plan.replace(/"cells":\[.*?\]/, `"cells":[${"0,".repeat(1e6)}0]`) }),
        /more than 50000 values/,
      ],
      ["8 * 10^6 levels", archive({ "plan.json": "[".repeat(8e6) }), /nested/],
      [
        "10^6 statuses",
        archive({ "census.json": (text.census ?? "").replace("[200]", `[${"1,".repeat(1e6)}1]`) }),
        /more than 50000 values/,
      ],
      [
        "as many wrong items as are looked at",
        archive({ "census.json": (text.census ?? "").replace("[200]", `[${"-1,".repeat(49_900)}1]`) }),
        /statuses/,
      ],
      [
        "a text of a megabyte",
        archive({ "environment.json": JSON.stringify({ a: "x".repeat(900_000) }) }),
        /environment/,
      ],
    ];
    for (const [what, zip, comes] of poison) {
      const found = cost(zip);
      expect(found.message, what).toMatch(comes);
      // A neighbour makes CPU time dearer as well, now and then.
      const ms = found.ms < 3 * sound.ms ? found.ms : Math.min(cost(zip).ms, cost(zip).ms);
      expect(ms / sound.ms, `${what}: time`).toBeLessThan(3);
      expect(found.kib / sound.kib, `${what}: memory`).toBeLessThan(3);
    }
  }, 300_000);
});

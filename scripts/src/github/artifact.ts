import { crc32 } from "node:zlib";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { InputError } from "../core/errors.ts";
import { ARTIFACT_BYTES } from "./limits.ts";

/** The files of a run that a verdict is made from, as text; null = not in the archive. */
export interface ArtifactFiles {
  plan: string;
  census: string | null;
  environment: string | null;
  samples: string | null;
}

const MIB = 1024 * 1024;
/** The files that are read, and the most bytes of each: ten times what a run of 100 cells and 60 rounds has. */
const WANTED = {
  "plan.json": 8 * MIB,
  "census.json": 4 * MIB,
  "environment.json": 1 * MIB,
  "samples.ndjson": 64 * MIB,
} as const;
type Wanted = keyof typeof WANTED;

/** A work directory has a few dozen files. */
const MOST_ENTRIES = 10_000;
/** Samples shrink to a tenth, a repetitive plan to a fiftieth; a bomb to a thousandth. */
const MOST_SHRUNK = 200;
const TOO_SMALL_FOR_A_BOMB = 64 * 1024;

/**
 * Reads the files of a run out of an artifact that a stranger may have made; nothing is written to a disk. Only the
 * central directory counts, as for every other reader. The four files that are wanted must stand at the top of the
 * archive; others, such as reports and logs, belong to a run and are left unread. What no upload of a run has is
 * refused altogether: links, encryption, paths that lead elsewhere, one of our names twice, a comment.
 *
 * @throws InputError with what is wrong, in words of our own
 */
export async function readArtifact(zip: Uint8Array): Promise<ArtifactFiles> {
  if (zip.byteLength > ARTIFACT_BYTES) throw refuse(`it is larger than ${ARTIFACT_BYTES / MIB} MiB`);
  try {
    // Names stay bytes: they are compared and never used.
    const options = { lazyEntries: true, decodeStrings: false, validateEntrySizes: true };
    const archive = await fromBufferPromise(Buffer.from(zip.buffer, zip.byteOffset, zip.byteLength), options);
    const entries = await wantedEntries(archive);
    const text = async (name: Wanted) => {
      const entry = entries.get(name);
      return entry === undefined ? null : decode(name, await contentOf(archive, name, entry));
    };
    const plan = await text("plan.json");
    if (plan === null) throw refuse("it has no plan.json at its top");
    return {
      plan,
      census: await text("census.json"),
      environment: await text("environment.json"),
      samples: await text("samples.ndjson"),
    };
  } catch (error) {
    if (error instanceof InputError) throw error;
    // yauzl's messages hold numbers and words of its own; names are not decoded, so it cannot quote one.
    const reason = (error as Error).message.replaceAll(/[^\w .,:()-]+/g, " ").slice(0, 200);
    throw refuse(`it is not a sound zip file (${reason})`);
  }
}

function refuse(what: string): InputError {
  return new InputError(`the artifact cannot be used: ${what}`);
}

/** Reads the whole directory of the archive before any content. */
async function wantedEntries(archive: ZipFile): Promise<Map<Wanted, Entry>> {
  if (archive.comment.length > 0) throw refuse("it has a comment, which no upload of a run has");
  if (archive.entryCount > MOST_ENTRIES) throw refuse(`it has more than ${MOST_ENTRIES} entries`);
  const wanted = new Map<Wanted, Entry>();
  const seen = new Set<string>();
  for await (const entry of archive.eachEntry()) {
    const name = Buffer.from(entry.fileName).toString("latin1");
    checkEntry(entry, name);
    // Some systems take upper and lower case for the same.
    const folded = name.toLowerCase();
    if (!Object.hasOwn(WANTED, folded)) continue;
    if (seen.has(folded)) throw refuse(`it has ${folded} twice`);
    seen.add(folded);
    if (name !== folded) continue;
    checkSize(name as Wanted, entry);
    wanted.set(name as Wanted, entry);
  }
  return wanted;
}

/** File types of Unix, as zip programs keep them: none said, a file, a directory. */
const TYPE_BITS = 0o170000;
const HARMLESS_TYPES = [0, 0o100000, 0o040000];

function checkEntry(entry: Entry, name: string): void {
  if ((entry.generalPurposeBitFlag & 1) !== 0) throw refuse("an entry is encrypted");
  const type = (entry.externalFileAttributes >>> 16) & TYPE_BITS;
  if (!HARMLESS_TYPES.includes(type)) throw refuse("an entry is a link or a device");
  const steps = name.split("/");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no path should have
  const strange = name === "" || /^[A-Za-z]:|[\\\u0000-\u001f]/.test(name) || name.startsWith("/");
  if (strange || steps.includes("..")) throw refuse("the path of an entry leads out of the archive, or is none");
}

function checkSize(name: Wanted, { compressedSize, uncompressedSize }: Entry): void {
  if (uncompressedSize > WANTED[name]) throw refuse(`its ${name} is larger than ${WANTED[name] / MIB} MiB`);
  if (uncompressedSize > TOO_SMALL_FOR_A_BOMB && uncompressedSize > MOST_SHRUNK * compressedSize) {
    throw refuse(`its ${name} is ${MOST_SHRUNK} times as large as it is packed: a bomb`);
  }
}

/** The bytes of an entry: as many as its directory says, with the checksum that it says. */
async function contentOf(archive: ZipFile, name: Wanted, entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // yauzl ends the stream with an error as soon as it holds more than the size that was checked above.
  for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  const content = Buffer.concat(chunks);
  if (content.length !== entry.uncompressedSize) throw refuse(`its ${name} is not as long as the archive says`);
  if (crc32(content) !== entry.crc32) throw refuse(`its ${name} does not have the checksum that the archive says`);
  return content;
}

function decode(name: Wanted, content: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw refuse(`its ${name} is not text in UTF-8`);
  }
}

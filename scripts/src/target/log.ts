import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

const CHUNK = 1 << 16;

/** Reads a growing log from where it was last read. */
export class LogReader {
  readonly #path: string;
  #offset = 0;
  /** Start of a line that was not complete when it was read. */
  #rest = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** Complete lines that are new; none where there is no such file. */
  newLines(): string[] {
    const lines = (this.#rest + this.#newText()).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines;
  }

  /** Passes over what is there. */
  skip(): void {
    this.newLines();
    this.#rest = "";
  }

  #newText(): string {
    let file: number;
    try {
      file = openSync(this.#path, "r");
    } catch {
      return "";
    }
    try {
      if (fstatSync(file).size < this.#offset) this.#offset = 0;
      const buffer = Buffer.allocUnsafe(CHUNK);
      const parts: string[] = [];
      for (;;) {
        const length = readSync(file, buffer, 0, CHUNK, this.#offset);
        if (length === 0) return parts.join("");
        this.#offset += length;
        // Byte by byte: a character may be cut in two here, and only ASCII is looked for.
        parts.push(buffer.toString("latin1", 0, length));
      }
    } finally {
      closeSync(file);
    }
  }
}

/** The last lines of a file under a title, for the end of an error message; empty where there are none. */
export function tail(title: string, path: string, lines = 15): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trimEnd();
  } catch {
    return "";
  }
  return text === "" ? "" : `\n${title} (${path}):\n${quoted(text, lines)}`;
}

/** What a terminal or a CI job takes for a command of its own, or for another line. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/**
 * The last lines of what a program printed, as part of a message. The code under test wrote them: GitHub obeys a line
 * that begins with "::error::", whatever is printed around it, and "##[" anywhere.
 */
export function quoted(text: string, lines: number): string {
  const last = text.trimEnd().split(/\r?\n/).slice(-lines);
  return last.map((line) => `| ${printable(line).slice(0, 500)}`).join("\n");
}

const printable = (line: string): string =>
  stripVTControlCharacters(line)
    .replace(CONTROL, (character) => (character === "\t" ? character : ""))
    .replaceAll("##[", "# #[");

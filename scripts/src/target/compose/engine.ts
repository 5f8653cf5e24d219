import { spawn } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { MeasureError } from "../../core/errors.ts";
import { childEnvironment } from "../environment.ts";
import { forgetGroup, guardGroup } from "../guard.ts";
import { quoted } from "../log.ts";

export interface DockerOptions {
  signal: AbortSignal;
  /** Variables on top of our own, for the interpolation of compose files. */
  env?: Record<string, string>;
  /** File that everything it prints is appended to as well. */
  log?: string;
}

/** A docker command that failed. */
export class DockerError extends MeasureError {
  /** "exit status 1", the signal that ended it, or why it could not be started. */
  readonly how: string;
  /** What it printed on stderr, trimmed. */
  readonly stderr: string;

  constructor(args: readonly string[], how: string, stderr: string) {
    super(`docker ${args.join(" ")}: ${how}${stderr === "" ? "" : `\n${quoted(stderr, 15)}`}`);
    this.how = how;
    this.stderr = stderr;
  }
}

/**
 * Runs `docker ARGS`; its standard output. Rejects with DockerError, with MeasureError where the log cannot be written,
 * and with the signal's reason when aborted.
 */
export async function docker(args: readonly string[], options: DockerOptions): Promise<string> {
  options.signal.throwIfAborted();
  const log = options.log === undefined ? null : new Log(options.log);
  // A group of its own: Ctrl-C reaches us alone, and we decide what it ends.
  const child = spawn("docker", args, {
    detached: true,
    env: childEnvironment(options.env ?? {}),
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (child.pid !== undefined) guardGroup(child.pid);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      log?.write(text);
    });
  }
  const end = () => child.kill("SIGTERM");
  options.signal.addEventListener("abort", end);
  try {
    const how = await new Promise<string | null>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("close", (code, signal) =>
        resolve(code === 0 ? null : signal === null ? `exit status ${code}` : signal),
      );
    });
    options.signal.throwIfAborted();
    if (how !== null) throw new DockerError(args, how, texts.stderr.trim());
    log?.check();
    return texts.stdout;
  } finally {
    options.signal.removeEventListener("abort", end);
    if (child.pid !== undefined) forgetGroup(child.pid);
    log?.close();
  }
}

/** Complete at any moment, for an error message quotes its end. */
class Log {
  readonly #path: string;
  readonly #file: number;
  #failure: Error | null = null;

  constructor(path: string) {
    this.#path = path;
    try {
      this.#file = openSync(path, "a");
    } catch (error) {
      throw this.#complaint(error as Error);
    }
  }

  write(text: string): void {
    try {
      writeSync(this.#file, text);
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }

  /** Throws MeasureError where something could not be written. */
  check(): void {
    if (this.#failure !== null) throw this.#complaint(this.#failure);
  }

  close(): void {
    closeSync(this.#file);
  }

  #complaint(error: Error): MeasureError {
    return new MeasureError(
      `cannot write ${this.#path}: ${error.message}. Make room there, or name another --work-directory`,
    );
  }
}

/** The end of what a command printed, in one line. */
export function lastLines(text: string, lines: number): string {
  return quoted(text.trim(), lines).slice("| ".length).replaceAll("\n| ", "; ");
}

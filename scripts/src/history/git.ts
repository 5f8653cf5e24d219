import { type ExecFileException, execFile } from "node:child_process";

/** A git command that failed; the message is what git said of it, one line, without credentials. */
export class GitError extends Error {
  override name = "GitError";
}

export interface GitOptions {
  env: NodeJS.ProcessEnv;
  input?: string;
  /** Texts that must not appear in an error. */
  secrets?: readonly string[];
  /** Most time, ms. */
  limitMs?: number | undefined;
}

/** One command over a network; a record is a few kB. */
const LIMIT_MS = 120_000;
const LARGEST_OUTPUT = 512 * 1024 * 1024;

/** Runs git and returns its stdout. Nobody is asked for a password, and messages are in English. */
export async function git(
  args: readonly string[],
  { env, input = "", secrets = [], limitMs = LIMIT_MS }: GitOptions,
): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      [...args],
      {
        env: { ...env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
        encoding: "buffer",
        maxBuffer: LARGEST_OUTPUT,
        timeout: limitMs,
        killSignal: "SIGKILL",
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new GitError(wordsOf(error, stderr.toString("utf8"), secrets, limitMs)));
      },
    );
    // It may end without having read everything; its exit status tells.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** The environment without what ties git to the repository of a hook that may have started us. */
export function unbound(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const bound =
    /^GIT_(DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|CONFIG|SHALLOW_FILE|GRAFT_FILE|QUARANTINE_PATH)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !bound.test(name)));
}

/** The environment with settings of git, which a command line would show to every user of the machine. */
export function withSettings(
  env: NodeJS.ProcessEnv,
  settings: readonly (readonly [string, string])[],
): NodeJS.ProcessEnv {
  const first = Number(env["GIT_CONFIG_COUNT"] ?? 0);
  const added = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(first + settings.length) };
}

/** A URL without user and password. */
export function withoutCredentials(text: string): string {
  return text.replace(/(:\/\/)[^/@\s]+@/g, "$1");
}

function wordsOf(error: ExecFileException, stderr: string, secrets: readonly string[], limitMs: number): string {
  if (error.code === "ENOENT") return "git is not installed";
  if (error.killed === true) return `git did not end within ${limitMs / 1000} s: the connection timed out`;
  const lines = stderr.split(/[\r\n]+/).map((line) => line.replace(/^remote:\s*/, "").trim());
  const said = lines.filter((line) => line !== "" && !/^(hint:|To |error: failed to push some refs)/.test(line));
  let words = withoutCredentials(said.join("; "));
  for (const secret of secrets) words = words.replaceAll(secret, "***");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a server's words go to a terminal
  return words.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, 600) || error.message.split("\n")[0] || "failed";
}

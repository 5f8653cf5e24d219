import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HistoryRecord } from "../../src/core/record.ts";
import { openStore, type Store } from "../../src/history/store.ts";
import { history } from "../history-fixtures.ts";
import { outsiderScript } from "../target/outsider-script.ts";

export const EIGHT_CELLS = ["home @1", "home @20", "list @1", "list @20", "cart @1", "cart @20", "pay @1", "pay @20"];

/** Records of one a night from 2026-01-01 on, so that 40 are in two files. */
export const records = (nights: number, seed = 1): HistoryRecord[] => history({ nights, seed });

export const temporary = (): string => realpathSync(mkdtempSync(join(tmpdir(), "perf-gate-history-")));

export const storeAt = (name: string, directory: string, env: NodeJS.ProcessEnv = process.env): Store =>
  openStore(name, { directory, env });

export const ids = (list: readonly HistoryRecord[]): string[] => list.map(({ id }) => id);

/** A user's environment without settings of git that this machine may have. */
export const PLAIN_GIT = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b.test",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b.test",
};

export function git(directory: string, ...args: string[]): string {
  return execFileSync("git", ["-C", directory, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...PLAIN_GIT },
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

/** A bare repository with a commit on main, and a clone of it. */
export function repositories(directory: string): { bare: string; checkout: string } {
  const [bare, checkout] = [join(directory, "origin.git"), join(directory, "checkout")];
  git(directory, "init", "--quiet", "--bare", "--initial-branch=main", bare);
  git(directory, "clone", "--quiet", bare, checkout);
  writeFileSync(join(checkout, "index.php"), "<?php\n");
  git(checkout, "add", "index.php");
  git(checkout, "commit", "--quiet", "-m", "one");
  git(checkout, "push", "--quiet", "origin", "HEAD:main");
  return { bare, checkout };
}

/** Starts processes that append to a store. */
export class Appenders {
  readonly #directory: string;
  readonly #script: Promise<string>;
  #count = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.#script = outsiderScript(directory, join(import.meta.dirname, "appender.ts"));
  }

  /** One that appends `list`, leader of a process group; `answer` is what it printed. */
  async start(
    store: string,
    directory: string,
    list: readonly HistoryRecord[],
  ): Promise<{ process: ChildProcess; answer: Promise<{ added?: number; error?: string } | null> }> {
    const file = join(this.#directory, `append-${this.#count++}.json`);
    writeFileSync(file, JSON.stringify(list));
    const child = spawn(process.execPath, [await this.#script, store, directory, file], {
      detached: true,
      env: { ...process.env, ...PLAIN_GIT },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    const answer = new Promise<{ added?: number; error?: string } | null>((resolve) => {
      child.on("close", () => resolve(printed === "" ? null : JSON.parse(printed)));
    });
    return { process: child, answer };
  }
}

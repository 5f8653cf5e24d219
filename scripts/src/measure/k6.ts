import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { MeasureError } from "../core/errors.ts";
import { Child } from "../target/child.ts";
import { quoted } from "../target/log.ts";
import { findProgram } from "../target/programs.ts";
import { UsageGroup } from "../target/usage.ts";
import type { BlockSpec, SlotResult } from "./block-spec.ts";

/** The k6 that the scripts are tested with. */
export const K6_VERSION = "1.8.1";

/** Printed by k6/block.ts at the end of its setup: the scenarios' clock starts here. */
const BEGIN = "perf-gate:begin";
/** Messages kept to explain a k6 that failed. */
const KEPT_LINES = 20;

/** A k6 process that runs one block. */
export interface K6Process {
  readonly pid: number;
  /** CPU time of the generator. */
  readonly usage: UsageGroup;
  /** Wall clock (ms since the epoch) at which the scenarios began. Rejects with MeasureError where they never did. */
  readonly begun: Promise<number>;
  /** Results in the order of the spec's slots; null where k6 died without a summary. */
  readonly results: Promise<SlotResult[] | null>;
  /** Asks k6 to stop and still write its summary. */
  interrupt(): void;
  /** Kills whatever is left of it. */
  close(): Promise<void>;
}

/** Where k6 is: $PERF_GATE_K6, the copy that setup.sh keeps, or PATH. Throws MeasureError where it is missing or another version. */
export async function findK6(): Promise<string> {
  const cache =
    process.env["PERF_GATE_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "perf-gate");
  const candidates = [process.env["PERF_GATE_K6"] ?? "", join(cache, `k6-${K6_VERSION}`, "k6"), "k6"];
  const found: string[] = [];
  for (const candidate of candidates) {
    const path = candidate === "" ? null : findProgram(candidate);
    if (path === null) continue;
    const version = await versionOf(path);
    if (version === K6_VERSION) return path;
    found.push(`${path} is k6 ${version ?? "of an unknown version"}`);
  }
  const what = found.length > 0 ? found.join("; ") : "none was found";
  throw new MeasureError(`k6 ${K6_VERSION} is needed, ${what}: ./scripts/setup.sh installs it beside any other`);
}

async function versionOf(path: string): Promise<string | null> {
  const { execFile } = await import("node:child_process");
  return new Promise((resolve) => {
    execFile(path, ["version"], { timeout: 10_000 }, (_error, stdout) => {
      resolve(/v(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? null);
    });
  });
}

/** Starts k6 with one block, pinned to `cpus` where given. Files go to `stateDirectory`. */
export function startK6(
  k6: string,
  spec: BlockSpec,
  options: { home: string; stateDirectory: string; cpus: readonly number[] | null },
): K6Process {
  const blockFile = join(options.stateDirectory, "block.json");
  const resultFile = join(options.stateDirectory, "block-result.json");
  rmSync(resultFile, { force: true });
  writeFileSync(blockFile, JSON.stringify(spec));

  const usage = UsageGroup.create("k6");
  const command = [
    ...(options.cpus === null ? [] : ["taskset", "-c", options.cpus.join(",")]),
    ...[k6, "run", "--quiet", "--no-color", "--no-usage-report", "--log-format", "raw", "--address", ""],
    ...["-e", `BLOCK=${blockFile}`, "-e", `RESULT=${resultFile}`, join(options.home, "k6", "block.ts")],
  ];
  const [program = "", ...args] = usage.wrap(command);
  const spawned = spawn(program, args, {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    // Fewer, longer garbage collections: each one is a pause in the load.
    env: { ...process.env, ...withoutProxy(Object.values(spec.urls)), GOGC: "400" },
  });
  const child = new Child(spawned);
  if (usage.kind === "tree") usage.add(child.pid);

  const messages: string[] = [];
  let begin: (at: number) => void = () => {};
  const began = new Promise<number>((resolve) => {
    begin = resolve;
  });
  const lines = createInterface({ input: spawned.stderr });
  lines.on("line", (line) => {
    if (line.includes(BEGIN)) begin(Date.now());
    else if (messages.push(line) > KEPT_LINES) messages.shift();
  });
  const drained = new Promise((resolve) => lines.once("close", resolve));
  const ended = Promise.all([child.exited, drained]).then(([status]) => status);

  return {
    pid: child.pid,
    usage,
    begun: Promise.race([
      began,
      ended.then((status) => {
        throw new MeasureError(
          `k6 ended before it began (${status}):\n${quoted(messages.join("\n"), KEPT_LINES) || "it said nothing"}`,
        );
      }),
    ]),
    results: ended.then(() => readResults(resultFile, spec.slots.length)),
    interrupt: () => void spawned.kill("SIGINT"),
    close: async () => {
      await child.stop("SIGTERM", 2000);
      await usage.remove();
    },
  };
}

/**
 * Variables that keep a proxy of the environment (HTTP_PROXY) out of the load's way to an address, such as a
 * container's. A name may be one that only the proxy can reach.
 */
export function withoutProxy(urls: readonly string[]): { NO_PROXY: string; no_proxy: string } {
  const addresses = urls.map((url) => new URL(url).hostname).filter((host) => isIP(host) !== 0);
  const spared = [process.env.NO_PROXY ?? process.env.no_proxy ?? "", ...new Set(addresses)].filter(Boolean).join(",");
  return { NO_PROXY: spared, no_proxy: spared };
}

function readResults(file: string, slots: number): SlotResult[] | null {
  try {
    const results = JSON.parse(readFileSync(file, "utf8")) as SlotResult[];
    return results.length === slots ? results : null;
  } catch {
    return null; // killed before its summary
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { constants, getPriority, homedir, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { MeasureError } from "../core/errors.ts";
import { K6_VERSION } from "../core/k6.ts";
import type { SlowRequest } from "../core/model.ts";
import { slowestOf } from "../core/slowest.ts";
import { Child } from "../target/child.ts";
import { quoted } from "../target/log.ts";
import { findProgram } from "../target/programs.ts";
import type { Generator, GeneratorOptions, Usage } from "../target/target.ts";
import { UsageGroup } from "../target/usage.ts";
import type { Rig } from "./block.ts";
import type { BlockSpec, SlotResult } from "./block-spec.ts";

/** Printed by k6/block.ts at the end of its setup: the scenarios' clock starts here. */
const BEGIN = "perf-gate:begin";
/** Begins a line of each VU at the end of a traced block; slot, ms and trace id follow, again and again. */
const SLOWEST_SAID = "perf-gate:slowest ";
const SLOWEST = / (\d{1,6}) (\d{1,9}(?:\.\d+)?) ([0-9a-f]{32})(?= |$)/g;
/** Of k6's remote write (xk6-output-prometheus-remote), whose errors end nothing. */
const OUTPUT_FAILED = /^Failed to send the time series data/;
/** Variables of this environment that set up an output. */
const OUTPUT_SETTING = /^K6_PROMETHEUS_RW_\w+$/;
/** Messages kept to explain a k6 that failed. */
const KEPT_LINES = 20;

/** A k6 process that runs one block. */
export interface K6Process {
  /** Wall clock (ms since the epoch) at which the scenarios began. Rejects with MeasureError where they never did. */
  readonly begun: Promise<number>;
  /** Results in the order of the spec's slots; null where k6 died without a summary. */
  readonly results: Promise<SlotResult[] | null>;
  /** Whether an output could not send so far: a run goes on without it. */
  outputFailed(): boolean;
  /** What it costs, once it has begun; null where that cannot be seen from here. */
  process(): Promise<Generating | null>;
  /** Asks k6 to stop and still write its summary. */
  interrupt(): void;
  /** Kills whatever is left of it. */
  close(): Promise<void>;
}

/** A running k6 as the sampler sees it. */
export interface Generating {
  readonly pid: number;
  /** Whether other processes give way to it. */
  readonly isFirst: boolean;
  usage(): Usage;
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

/** Starts k6 with one block, pinned to `cpus` where given; on this host, or where the target wants it. */
export function startK6(rig: Rig, spec: BlockSpec, cpus: readonly number[] | null): K6Process {
  const blockFile = join(rig.stateDirectory, "block.json");
  writeFileSync(blockFile, JSON.stringify(spec));
  const scripts = join(rig.home, "k6");
  const { outputs = [] } = spec;
  const args = [
    ...["run", "--quiet", "--no-color", "--no-usage-report", "--log-format", "raw", "--address", ""],
    ...outputs.flatMap((output) => ["--out", output]),
    ...["-e", `BLOCK=${blockFile}`, "-e", "RESULT=stdout", join(scripts, "block.ts")],
  ];
  // Fewer, longer garbage collections: each one is a pause in the load.
  const env = { ...withoutProxy(Object.values(spec.arms).map(({ url }) => url)), GOGC: "400" };
  const trees = Object.values(rig.plan.arms).flatMap(({ directory }) => directory ?? []);
  const reads = [scripts, blockFile, ...flowsOf(spec).map((file) => treeOf(file, trees))];
  const variables = [...Object.keys(env), ...outputSettings(outputs)];
  const place = typeof rig.k6 === "string" ? onThisHost(rig.k6, cpus) : inContainer(rig.k6, { cpus, reads, variables });

  const [program = "", ...rest] = [...place.command, ...args];
  const { started: spawned, isFirst } = first(() =>
    spawn(program, rest, { detached: true, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } }),
  );
  const child = new Child(spawned);
  place.started(child, isFirst);

  let result = "";
  spawned.stdout.setEncoding("utf8").on("data", (text: string) => {
    result += text;
  });
  const messages: string[] = [];
  let begin: (at: number) => void = () => {};
  const began = new Promise<number>((resolve) => {
    begin = resolve;
  });
  const slowest: string[] = [];
  let outputFailed = false;
  const lines = createInterface({ input: spawned.stderr });
  lines.on("line", (line) => {
    if (line.includes(BEGIN)) begin(Date.now());
    else if (spec.trace !== undefined && line.startsWith(SLOWEST_SAID)) slowest.push(line);
    else {
      outputFailed ||= OUTPUT_FAILED.test(line);
      if (messages.push(line) > KEPT_LINES) messages.shift();
    }
  });
  const said = () => (messages.length === 0 ? "it said nothing" : quoted(messages.join("\n"), KEPT_LINES));
  const drained = Promise.all([once(lines, "close"), once(spawned.stdout, "close")]);
  const ended = Promise.all([child.exited, drained]).then(([status]) => status);
  let interrupted = false;
  // A container that was not up yet did not hear of it.
  void began.then(() => interrupted && spawned.kill("SIGINT"));

  return {
    begun: Promise.race([
      began,
      ended.then((status) => {
        throw new MeasureError(`k6 ended before it began (${status}):\n${said()}`);
      }),
    ]),
    results: ended.then(() => {
      const results = readResults(result, spec.slots.length);
      if (results === null || spec.trace === undefined) return results;
      const bySlot = slowestSaid(slowest, results.length);
      return results.map((each, slot) => ({ ...each, slowest: bySlot[slot] ?? [] }));
    }),
    outputFailed: () => outputFailed,
    process: place.process,
    interrupt: () => {
      interrupted = true;
      spawned.kill("SIGINT");
    },
    close: async () => {
      await child.stop("SIGTERM", 2000);
      await place.remove();
    },
  };
}

/**
 * Starts a process before which others on its CPUs give way, where we may (root): a generator that has to wait for its
 * CPU hides what the service can do. What a process starts inherits the priority of the moment.
 */
function first<T>(start: () => T): { started: T; isFirst: boolean } {
  const usual = getPriority();
  let isFirst = true;
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
  } catch {
    isFirst = false;
  }
  try {
    return { started: start(), isFirst };
  } finally {
    if (isFirst) setPriority(usual);
  }
}

/** How k6 is started, and what is known of it then. */
interface Place {
  command: readonly string[];
  started(child: Child, isFirst: boolean): void;
  process(): Promise<Generating | null>;
  remove(): Promise<void>;
}

function onThisHost(k6: string, cpus: readonly number[] | null): Place {
  const group = UsageGroup.create("k6");
  let pid = 0;
  let isFirst = false;
  return {
    command: group.wrap([...(cpus === null ? [] : ["taskset", "-c", cpus.join(",")]), k6]),
    started: (child, wasFirst) => {
      pid = child.pid;
      isFirst = wasFirst;
      if (group.kind === "tree") group.add(pid);
    },
    process: async () => ({ pid, isFirst, usage: () => group.read() }),
    remove: () => group.remove(),
  };
}

function inContainer(generator: Generator, options: GeneratorOptions): Place {
  const container = generator.container(options);
  return {
    ...container,
    started: () => {},
    process: async () => {
      const seen = await container.process();
      return seen && { ...seen, isFirst: false };
    },
  };
}

const flowsOf = ({ scenarios }: BlockSpec): string[] =>
  Object.values(scenarios)
    .flatMap(({ asked }) => Object.values(asked))
    .flatMap(({ work }) => (work.kind === "flow" ? [work.file] : []));

/**
 * What a flow may import from: the tree of an arm that holds it, else the repository, else its own directory.
 * @param trees absolute
 */
export function treeOf(flow: string, trees: readonly string[]): string {
  const above: string[] = [];
  for (let at = dirname(flow); !above.includes(at); at = dirname(at)) above.push(at);
  return above.find((at) => trees.includes(at) || existsSync(join(at, ".git"))) ?? dirname(flow);
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

/** Names of the variables of this environment that set up outputs; none without any. */
function outputSettings(outputs: readonly string[]): string[] {
  return outputs.length === 0 ? [] : Object.keys(process.env).filter((name) => OUTPUT_SETTING.test(name));
}

/**
 * The slowest requests of each slot, from what every VU said of its own. A flow may print such lines too: what is no
 * slot's is left out, and its numbers are the run's own, like all others.
 */
export function slowestSaid(lines: readonly string[], slots: number): SlowRequest[][] {
  const bySlot = Array.from({ length: slots }, (): SlowRequest[] => []);
  for (const [, slot, ms, traceId = ""] of lines.flatMap((line) => [...line.matchAll(SLOWEST)])) {
    bySlot[Number(slot)]?.push({ ms: Number(ms), traceId });
  }
  return bySlot.map(slowestOf);
}

function readResults(text: string, slots: number): SlotResult[] | null {
  try {
    const results = JSON.parse(text) as SlotResult[];
    return results.length === slots ? results : null;
  } catch {
    return null; // killed before its summary
  }
}

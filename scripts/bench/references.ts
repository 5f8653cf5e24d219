import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { MeasureError } from "../src/core/errors.ts";

/** What a load generator saw in one slot. */
export interface Seen {
  qps: number;
  p99Ms: number;
  /** Requests that failed, or were answered with another status than 2xx or 3xx. */
  errors: number;
}

/** One slot of wrk or ab. */
export interface Asked {
  url: string;
  /** Host header. */
  host: string;
  /** A new connection for every request. */
  close: boolean;
  connections: number;
  seconds: number;
  /** CPUs that it may run on, as a kernel's list, and how many these are. */
  cpus: string;
  cores: number;
  /** Path of a file that ab may write. */
  scratch: string;
}

/** A slot of wrk or ab, and the share of the CPU time that it could have used. */
export type Reference = (asked: Asked) => Promise<Seen & { share: number }>;

/** ab ends at its time limit or after so many requests, of which it keeps a table. */
const MOST_REQUESTS = 1_000_000;

/**
 * A slot of wrk. Its latency is that of a request on an open connection. Where one took longer than twice the mean,
 * wrk adds the requests that a user at a fixed pace would have sent meanwhile (src/wrk.c, stats_correct).
 *
 * @throws MeasureError where it fails, or a figure is missing
 */
export const wrk: Reference = async ({ url, host, close, connections, seconds, cpus, cores }) => {
  const threads = Math.min(cores, connections);
  const headers = [`Host: ${host}`, ...(close ? ["Connection: close"] : [])].flatMap((header) => ["-H", header]);
  const args = ["-t", `${threads}`, "-c", `${connections}`, "-d", `${seconds}s`, "--latency", ...headers, url];
  const { stdout, cpuSeconds } = await timed(cpus, "wrk", args);
  return { ...parseWrk(stdout), share: cpuSeconds / (seconds * threads) };
};

/**
 * A slot of ab: HTTP/1.0 on one thread, where connections last only with -k and an answer that has a Content-Length.
 * Its latency begins before the connection is made, where a request makes one.
 *
 * @throws MeasureError where it fails, a figure is missing, or its connections did not last
 */
export const ab: Reference = async ({ url, host, close, connections, seconds, cpus, scratch }) => {
  // -t sets -n, so it comes first. -l: answers may differ in length. -r: an error is counted and no end. -e: in the
  // printed percentiles a millisecond is the unit.
  const limits = ["-t", `${seconds}`, "-n", `${MOST_REQUESTS}`, "-c", `${connections}`];
  const args = [...limits, "-q", "-l", "-r", "-e", scratch, "-H", `Host: ${host}`, ...(close ? [] : ["-k"]), url];
  const { stdout, cpuSeconds } = await timed(cpus, "ab", args);
  return { ...parseAb(stdout, readFileSync(scratch, "utf8")), share: cpuSeconds / seconds };
};

/** Figures of `wrk --latency`; @throws MeasureError where one is missing */
export function parseWrk(output: string): Seen {
  const p99 = /^\s*99%\s+([\d.]+)(us|ms|s)\s*$/m.exec(output);
  if (p99 === null) throw missing("wrk", "99% latency", output);
  const unitMs = p99[2] === "us" ? 0.001 : p99[2] === "ms" ? 1 : 1000;
  const sockets = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output)?.slice(1) ?? [];
  const statuses = /Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? "0";
  return {
    qps: figure("wrk", "Requests/sec", output),
    p99Ms: Number(p99[1]) * unitMs,
    errors: [...sockets, statuses].reduce((sum, count) => sum + Number(count), 0),
  };
}

/**
 * Figures of ab.
 *
 * @param percentiles the file of -e
 * @throws MeasureError where one is missing, or -k did not keep the connections
 */
export function parseAb(output: string, percentiles: string): Seen {
  const p99 = /^99,([\d.]+)$/m.exec(percentiles)?.[1];
  if (p99 === undefined) throw missing("ab", "99th percentile", percentiles);
  const complete = figure("ab", "Complete requests", output);
  const kept = /^Keep-Alive requests:\s+(\d+)/m.exec(output)?.[1];
  if (kept !== undefined && Number(kept) < 0.9 * complete) {
    throw new MeasureError(
      `ab: ${kept} of ${complete} requests kept their connection: has the answer a Content-Length?`,
    );
  }
  return {
    qps: figure("ab", "Requests per second", output),
    p99Ms: Number(p99),
    errors: figure("ab", "Failed requests", output) + Number(/^Non-2xx responses:\s+(\d+)/m.exec(output)?.[1] ?? 0),
  };
}

function figure(tool: string, name: string, output: string): number {
  const line = output.split("\n").find((candidate) => candidate.startsWith(`${name}:`));
  const value = /:\s+([\d.]+)/.exec(line ?? "")?.[1];
  if (value === undefined) throw missing(tool, name, output);
  return Number(value);
}

function missing(tool: string, name: string, output: string): MeasureError {
  return new MeasureError(`${tool} printed no "${name}":\n${output}`);
}

/** Runs a program on some CPUs; its CPU time is told by bash. */
async function timed(cpus: string, program: string, args: string[]): Promise<{ stdout: string; cpuSeconds: number }> {
  const command = ["-c", 'time "$@"', "bash", "taskset", "-c", cpus, program, ...args];
  const env = { ...process.env, LC_ALL: "C", TIMEFORMAT: "cpu %3U %3S" };
  const { stdout, stderr } = await promisify(execFile)("bash", command, { env }).catch((error: unknown) => {
    throw new MeasureError(`${program} failed: ${(error as Error).message}`);
  });
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(stderr) ?? [];
  if (user === undefined || system === undefined) throw missing("bash", "CPU time", stderr);
  return { stdout, cpuSeconds: Number(user) + Number(system) };
}

import { existsSync, readFileSync } from "node:fs";
import { release } from "node:os";
import { gunzipSync } from "node:zlib";
import { TICKS_PER_SECOND } from "../target/usage/parse.ts";

/** Cumulative times of a set of CPUs, s. */
export interface CpuTimes {
  idle: number;
  irq: number;
  steal: number;
}

/** Sums idle (with iowait), interrupt and steal time over `cpus` from the text of /proc/stat. */
export function parseProcStat(text: string, cpus: readonly number[]): CpuTimes {
  const wanted = new Set(cpus.map((cpu) => `cpu${cpu}`));
  const times: CpuTimes = { idle: 0, irq: 0, steal: 0 };
  for (const line of text.split("\n")) {
    const [name = "", , , , idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
      .split(" ")
      .map((field, index) => (index === 0 ? field : Number(field))) as [string, ...number[]];
    if (!wanted.has(name)) continue;
    times.idle += (idle + iowait) / TICKS_PER_SECOND;
    times.irq += (irq + softirq) / TICKS_PER_SECOND;
    times.steal += steal / TICKS_PER_SECOND;
  }
  return times;
}

/** One counter of /proc/net/netstat or snmp, e.g. ("TcpExt", "ListenOverflows"); 0 where the kernel lacks it. */
export function parseNetstat(text: string, table: string, counter: string): number {
  const [names, values] = text.split("\n").filter((line) => line.startsWith(`${table}:`));
  const index = names?.split(" ").indexOf(counter) ?? -1;
  return index < 0 ? 0 : Number(values?.split(" ")[index] ?? 0);
}

/** TIME_WAIT sockets from the text of /proc/net/sockstat. */
export function parseTimeWait(text: string): number {
  return Number(/^TCP:.*\btw (\d+)/m.exec(text)?.[1] ?? 0);
}

export function cpuTimes(cpus: readonly number[]): CpuTimes {
  return parseProcStat(readFileSync("/proc/stat", "latin1"), cpus);
}

/** Connections that a full accept queue turned away, in our own network namespace and those of these processes, cumulative. */
export function listenOverflows(namespaces: readonly number[]): number {
  return sumOver(namespaces, "netstat", (text) => parseNetstat(text, "TcpExt", "ListenOverflows"));
}

export function timeWaitSockets(namespaces: readonly number[]): number {
  return sumOver(namespaces, "sockstat", parseTimeWait);
}

/** Sum over our own network namespace and those of the given processes; one that has died counts 0. */
function sumOver(namespaces: readonly number[], file: string, parse: (text: string) => number): number {
  let sum = 0;
  for (const process of ["self", ...namespaces]) {
    try {
      sum += parse(readFileSync(`/proc/${process}/net/${file}`, "latin1"));
    } catch {
      // its process died
    }
  }
  return sum;
}

/**
 * Whether this kernel books interrupt time apart from the task it interrupted. Where it does, interrupts are no part
 * of any process's run time and must be taken off the busy time as well; where it does not, they are part of both.
 */
export function booksInterruptTime(): boolean {
  const packed = "/proc/config.gz";
  const plain = `/boot/config-${release()}`;
  try {
    const text = existsSync(packed)
      ? gunzipSync(readFileSync(packed)).toString("latin1")
      : readFileSync(plain, "latin1");
    return /^CONFIG_(IRQ_TIME_ACCOUNTING|VIRT_CPU_ACCOUNTING_NATIVE)=y$/m.test(text);
  } catch {
    return false; // no configuration to be read: the default of most kernels
  }
}

import type { ServiceCounters } from "./target.ts";

/** One server's counters as they stand; each reading may add to them, always the same. */
export type CounterReader = () => Promise<ServiceCounters>;

const NAMES = ["sqlStatements", "dbConnections", "redisCommands"] as const;

/** Counters of all servers together, without what reading them adds: they stand still while nobody else asks. */
export class Counters {
  readonly #readers: readonly CounterReader[];
  /** What one reading adds to the counters it reads. */
  #cost: ServiceCounters = {};
  #readings = 0;

  /** Reads twice to learn what reading costs: nobody else may ask meanwhile. */
  static async of(readers: readonly CounterReader[]): Promise<Counters> {
    const counters = new Counters(readers);
    const first = await counters.#sum();
    const second = await counters.#sum();
    for (const name of NAMES) counters.#cost[name] = (second[name] ?? 0) - (first[name] ?? 0);
    return counters;
  }

  private constructor(readers: readonly CounterReader[]) {
    this.#readers = readers;
  }

  async read(): Promise<ServiceCounters> {
    const now = await this.#sum();
    const own = this.#readings++;
    for (const name of NAMES) {
      const value = now[name];
      if (value !== undefined) now[name] = value - own * (this.#cost[name] ?? 0);
    }
    return now;
  }

  async #sum(): Promise<ServiceCounters> {
    const sum: ServiceCounters = {};
    for (const counters of await Promise.all(this.#readers.map((read) => read()))) {
      for (const name of NAMES) {
        const value = counters[name];
        if (value !== undefined) sum[name] = (sum[name] ?? 0) + value;
      }
    }
    return sum;
  }
}

import type { Arm, PhpState, Plan, ServiceName } from "../core/model.ts";

/** CPU and memory of a set of processes since they were started, read from a cgroup or a process tree. */
export interface Usage {
  /** CPU time, s, monotonic over the life of the target (dead processes included). */
  cpuSeconds: number;
  /** Anonymous memory now. */
  memoryBytes: number;
  /** CFS quota periods in which the set was throttled, cumulative. */
  throttledPeriods: number;
  /** Processes killed for want of memory, cumulative. */
  oomKills: number;
}

/** What an arm's front reports between slots, cumulative since its replica started. */
export interface FrontState {
  /** Connections turned away by a full backlog of the PHP runtime. */
  listenOverflows: number;
  /** Requests that failed for want of a source port towards a service or upstream. */
  portErrors: number;
  /** Deepest listen queue so far; 0 where the driver cannot tell. */
  listenQueueMax: number;
  maxChildrenReached: number;
}

/** Server-side counters for the census, cumulative; a service that is absent has no entry. */
export interface ServiceCounters {
  sqlStatements?: number;
  dbConnections?: number;
  redisCommands?: number;
}

/** k6 as a container, in the network of both arms. */
export interface Generator {
  /** A container of its own for one k6, which ends with it. */
  container(options: GeneratorOptions): GeneratorContainer;
}

export interface GeneratorOptions {
  /** Logical CPUs it may run on; null = all. */
  cpus: readonly number[] | null;
  /** Files and directories that it may read, absolute; they have the same paths there. */
  reads: readonly string[];
  /**
   * Names of variables that it gets; their values are those of the environment in which the command is started, and not
   * part of the command: it can be read by everybody on the machine.
   */
  variables: readonly string[];
}

export interface GeneratorContainer {
  /** The command that runs it in the foreground, to be followed by k6's arguments. */
  readonly command: readonly string[];
  /** Its k6, once that runs; null where it cannot be seen from here. */
  process(): Promise<{ pid: number; usage(): Usage } | null>;
  /** Removes what is left of it. Never rejects. */
  remove(): Promise<void>;
}

/** Two arms of a service and what they need, started by a driver. */
export interface Target {
  /** Where k6 sends the load, e.g. http://127.0.0.1:40123, without trailing slash. */
  url(arm: Arm): string;
  /** The same service as this process reaches it. */
  hostUrl(arm: Arm): Promise<string>;
  /** Runs k6 where `url` leads to the arms; null = on this host. */
  readonly generator: Generator | null;
  /** Sentences a reader of the results must see. */
  readonly warnings: readonly string[];
  /** Host header of every request. */
  host(arm: Arm): string;
  /** Fresh replicas of both arms' PHP runtime, ready to answer. Rejects with the end of the log. */
  restart(): Promise<void>;
  /** What PHP really runs with, asked of the running FPM; null where it cannot be asked. */
  php(arm: Arm): Promise<PhpState | null>;
  /** Versions of what was started, of PHP the head's or else the base's: { nginx: "1.22.1", mysql: "10.11.6-MariaDB" }. */
  versions(): Promise<Record<string, string>>;
  /** Usage of one arm's runtime and web server; null where it cannot be read. */
  usage(arm: Arm): Usage | null;
  /** Usage of the services of both arms, in containers with the engine that resolves their names; null where there are none or it cannot be read. */
  servicesUsage(): Usage | null;
  front(arm: Arm): Promise<FrontState | null>;
  counters(): Promise<ServiceCounters>;
  /**
   * Processes outside of our own tree that spend CPU time for the target, with their descendants: they are no
   * neighbours.
   */
  roots(): number[];
  /** One process in each network namespace of the target's own. */
  namespaces(): number[];
  /** True while every process of the arm's replica that restart() started is alive. */
  alive(arm: Arm): boolean;
  /** Stops and removes everything; safe to call twice and at any moment. */
  close(): Promise<void>;
}

export interface StartOptions {
  plan: Plan;
  /** Repository root: docker/ is below it. */
  home: string;
  /** Work directory; logs and state go below it. */
  workDirectory: string;
  /** Told what happens, one short line each ("starting MariaDB", "preparing base: composer install"). */
  progress: (line: string) => void;
  signal: AbortSignal;
}

/** Starts services, prepares both arms, starts both. On any failure everything is torn down before it rejects. */
export type StartTarget = (options: StartOptions) => Promise<Target>;

export const SERVICE_LABEL: Record<ServiceName, string> = { mysql: "MySQL", redis: "Redis", http: "HTTP stand-in" };

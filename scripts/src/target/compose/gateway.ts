import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { MeasureError } from "../../core/errors.ts";
import { K6_IMAGE, K6_VERSION } from "../../core/k6.ts";
import { childEnvironment } from "../environment.ts";
import type { Generator, GeneratorContainer, GeneratorOptions, Usage } from "../target.ts";
import { cgroupOf, readCgroup } from "../usage/cgroup.ts";
import { isIn } from "./container.ts";
import { DockerError, docker, lastLines } from "./engine.ts";
import type { Labels } from "./types.ts";

export interface GatewayOptions {
  /** Of its container, and the beginning of the names of k6's. */
  name: string;
  labels: Labels;
  /** Of both arms; it joins all of them. */
  networks: readonly string[];
  /** Of the generator; null = not pinned. */
  cpus: readonly number[] | null;
  /** Who k6 is: one that may read our files. */
  user: string;
  signal: AbortSignal;
}

/** Where a port of a container is for this process. */
export interface Place {
  host: string;
  port: number;
}

/**
 * A container in the networks of both arms that does nothing but hold its own: k6 runs in its network, and what this
 * process asks of the arms goes through it. For engines whose containers this host does not reach.
 */
export class Gateway implements Generator {
  readonly #options: GatewayOptions;
  readonly #doors = new Map<string, Promise<Server>>();
  readonly #clients = new Set<ChildProcess>();
  /** First process of its container and of the k6 that runs; 0 where unknown. */
  readonly #pids = { own: 0, k6: 0 };
  #containers = 0;

  private constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Throws MeasureError where its image cannot be had or holds another k6. */
  static async start(options: GatewayOptions): Promise<Gateway> {
    const gateway = new Gateway(options);
    const { name, networks, signal } = options;
    await fetchImage(signal);
    const [first = "", ...more] = networks;
    const run = ["run", "--detach", "--name", name, ...gateway.#confined(options.cpus), "--network", first];
    // Longer than any run; not every `sleep` knows infinity.
    await docker([...run, "--entrypoint", "sleep", K6_IMAGE, "1000000"], { signal });
    for (const network of more) await docker(["network", "connect", network, name], { signal });
    const said = await docker(["exec", name, "k6", "version"], { signal });
    const version = /v(\d+\.\d+\.\d+)/.exec(said)?.[1];
    if (version !== K6_VERSION) {
      throw new MeasureError(
        `the image ${K6_IMAGE} holds k6 ${version ?? "of an unknown version"}: docker image rm ${K6_IMAGE} makes room for the real one`,
      );
    }
    gateway.#pids.own = await pidOf(name, signal);
    return gateway;
  }

  /** Processes of its containers as seen from here: its own first, then k6's. */
  get pids(): number[] {
    return Object.values(this.#pids).filter((pid) => pid > 0);
  }

  /** A door of this host that leads to a port of a container. Each connection through it takes about 0.1 s to begin. */
  async to(host: string, port: number): Promise<Place> {
    const key = `${host}:${port}`;
    const door = this.#doors.get(key) ?? this.#open(host, port);
    this.#doors.set(key, door);
    return { host: "127.0.0.1", port: ((await door).address() as AddressInfo).port };
  }

  async #open(host: string, port: number): Promise<Server> {
    const server = createServer((socket) => this.#lead(socket, host, port));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }

  #lead(socket: Socket, host: string, port: number): void {
    const args = ["exec", "--interactive", this.#options.name, "nc", host, `${port}`];
    // A group of its own: Ctrl-C is not meant for it.
    const client = spawn("docker", args, {
      detached: true,
      env: childEnvironment({}),
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#clients.add(client);
    client.once("close", () => this.#clients.delete(client));
    client.on("error", () => socket.destroy());
    client.stdin.on("error", () => {});
    socket.on("error", () => {});
    socket.once("close", () => client.stdin.end());
    socket.pipe(client.stdin);
    client.stdout.pipe(socket);
  }

  container({ cpus, reads, variables }: GeneratorOptions): GeneratorContainer {
    const name = `${this.#options.name}-k6-${++this.#containers}`;
    const command = [
      ...["docker", "run", "--rm", "--name", name, ...this.#confined(cpus)],
      ...["--network", `container:${this.#options.name}`, "--log-driver", "none"],
      ...[...new Set(reads)].flatMap((path) => ["--mount", readOnly(path)]),
      ...variables.flatMap((name) => ["--env", name]),
      K6_IMAGE,
    ];
    const { signal } = this.#options;
    const process = async () => {
      const pid = await pidOf(name, signal);
      this.#pids.k6 = pid;
      const cgroup = pid === 0 ? null : cgroupOf(pid);
      if (cgroup === null) return null;
      let usage: Usage = { cpuSeconds: 0, memoryBytes: 0, throttledPeriods: 0, oomKills: 0 };
      return {
        pid,
        usage: () => {
          usage = readCgroup(cgroup, usage);
          return usage;
        },
      };
    };
    const remove = async () => {
      this.#pids.k6 = 0;
      await docker(["rm", "--force", name], { signal: AbortSignal.timeout(REMOVE_TIMEOUT_MS) }).catch(() => "");
    };
    return { command, process, remove };
  }

  /** Lets go of what leads to it; its container goes with the others of the run. */
  async close(): Promise<void> {
    for (const door of this.#doors.values()) (await door).close();
    for (const client of this.#clients) client.kill("SIGKILL");
  }

  /** Options of a container that only reads and sends. */
  #confined(cpus: readonly number[] | null): string[] {
    const { labels, user } = this.#options;
    return [
      ...Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
      ...["--user", user, "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"],
      ...(cpus === null ? [] : ["--cpuset-cpus", cpus.join(",")]),
    ];
  }
}

const REMOVE_TIMEOUT_MS = 20_000;

async function fetchImage(signal: AbortSignal): Promise<void> {
  const there = await docker(["image", "inspect", "--format", "{{.Id}}", K6_IMAGE], { signal }).catch(() => "");
  signal.throwIfAborted();
  if (there !== "") return;
  await docker(["pull", "--quiet", K6_IMAGE], { signal }).catch((error: Error) => {
    signal.throwIfAborted();
    const why = error instanceof DockerError ? lastLines(error.stderr, 1) : error.message;
    throw new MeasureError(
      `${K6_IMAGE}, in which k6 runs, cannot be pulled: ${why}. Where no registry answers, docker/offline/build.sh ${K6_IMAGE} of perf-gate makes a stand-in`,
    );
  });
}

/** First process of a container as this machine numbers it; 0 where it is not of this machine, or has ended. */
async function pidOf(name: string, signal: AbortSignal): Promise<number> {
  const format = "{{.Id}} {{.State.Pid}}";
  const text = await docker(["inspect", "--format", format, name], { signal }).catch(() => "");
  const [id = "", pid = "0"] = text.trim().split(" ");
  return isIn(Number(pid), id) ? Number(pid) : 0;
}

/** A --mount: fields as in CSV, whatever a path holds. */
function readOnly(path: string): string {
  const quoted = path.replaceAll('"', '""');
  return `type=bind,"source=${quoted}","target=${quoted}",readonly`;
}

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Arm, Plan } from "../../core/model.ts";
import { nginxConf } from "../process/nginx.ts";
import { fpmConf, iniFile } from "../process/php-fpm.ts";
import { PROBE_SCRIPT } from "../process/probe.ts";
import { nginxWorkers, siteServers } from "../process/site.ts";
import type { StartOptions } from "../target.ts";
import type { ProjectName } from "./types.ts";

/** What is started, the user's compose file or the bundled one, in the same words. */
export interface Recipe {
  /** Path of the compose file, and of the tree that its relative paths start from. */
  file: (project: ProjectName) => string;
  tree: (project: ProjectName) => string;
  /** Values for the file's own variables. */
  variables: (project: ProjectName) => Record<string, string>;
  service: string;
  port: number;
  /** Port that answers questions about FPM itself; null = nobody does. */
  adminPort: number | null;
  /** Services restarted before every block; PHP is the first. */
  restart: readonly string[];
  shared: readonly string[];
  /** Services of the file that are not started. */
  left: readonly string[];
  census: { mysql: string | null; redis: string | null };
}

/** Where the bundled file has its things, inside of the containers. */
const INSIDE = {
  tree: "/app",
  config: "/etc/perf-gate",
  socket: "/run/perf-gate/php.sock",
  port: 8080,
  adminPort: 8081,
};
const BACKING = ["mysql", "redis", "http"] as const;

/** The recipe of a plan; for the bundled file, php-fpm's and nginx's configuration is written below `state`. */
export function recipeOf({ plan, home }: StartOptions, state: string): Recipe {
  const { compose, services, healthPath, host, php } = plan.config.target;
  const tree = treesOf(plan);
  const own = (project: ProjectName): Record<string, string> => ({
    PERF_GATE_ARM: project,
    PERF_GATE_ARM_NUMBER: project === "head" ? "1" : "0",
    PERF_GATE_TREE: tree(project),
    PERF_GATE_HOME: home,
  });
  if (compose !== null) {
    const { file, ...rest } = compose;
    return {
      ...rest,
      tree,
      file: (project) => join(tree(project), file),
      variables: own,
      adminPort: null,
      left: [],
    };
  }
  const config = join(state, "config");
  writeConfig(config, plan);
  return {
    tree,
    file: () => join(home, "docker", "compose.yaml"),
    variables: (project) => ({
      ...own(project),
      PERF_GATE_CONFIG: config,
      PERF_GATE_HEALTH: healthPath,
      PERF_GATE_HOST: host,
      ...(php.version === null ? {} : { PERF_GATE_PHP: php.version }),
    }),
    service: "web",
    port: INSIDE.port,
    adminPort: INSIDE.adminPort,
    restart: ["app"],
    shared: services,
    left: BACKING.filter((name) => !services.includes(name)),
    census: {
      mysql: services.includes("mysql") ? "mysql" : null,
      redis: services.includes("redis") ? "redis" : null,
    },
  };
}

/** An image has no tree of its own: its compose file comes from the other arm's, or from where the user stands. */
function treesOf({ arms }: Plan): (project: ProjectName) => string {
  const tree = (arm: Arm): string =>
    arms[arm].directory ?? arms[arm === "base" ? "head" : "base"].directory ?? process.cwd();
  return (project) => tree(project === "head" ? "head" : "base");
}

/** What the containers of the bundled file have mounted: the same configuration as for driver `process`. */
function writeConfig(directory: string, plan: Plan): void {
  const { php, root, index } = plan.config.target;
  mkdirSync(join(directory, "ini"), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  write("php-fpm.conf", fpmConf(php, { socket: INSIDE.socket, log: "/proc/self/fd/2", root: true }));
  write("ini/perf-gate.ini", iniFile(php, "/proc/self/fd/2"));
  write("probe.php", PROBE_SCRIPT);
  const servers = siteServers({
    listen: `${INSIDE.port}`,
    adminListen: `${INSIDE.adminPort}`,
    root: join(INSIDE.tree, root),
    index,
    phpSocket: INSIDE.socket,
    probe: `${INSIDE.config}/probe.php`,
  });
  const temporary = { directory: "/tmp", pidFile: "/tmp/nginx.pid" };
  write("nginx.conf", nginxConf({ ...temporary, workers: nginxWorkers(plan.layout.target), servers, root: true }));
}

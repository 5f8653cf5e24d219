import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { servicesOf, targetOf } from "../../core/arms.ts";
import type { Arm, Plan, TargetConfig } from "../../core/model.ts";
import { makeCertificate } from "../certificate.ts";
import { schemeOf } from "../http.ts";
import { nginxConf } from "../process/nginx.ts";
import { fpmConf, iniFile } from "../process/php-fpm.ts";
import { PROBE_SCRIPT } from "../process/probe.ts";
import { nginxWorkers, siteServers } from "../process/site.ts";
import type { StartOptions } from "../target.ts";
import type { ProjectName } from "./types.ts";

/** What one project starts, of the user's compose file or the bundled one, in the same words. */
export interface Recipe {
  target: TargetConfig;
  /** Path of the compose file, and of the tree that its relative paths start from. */
  file: string;
  tree: string;
  /** Values for the file's own variables. */
  variables: Record<string, string>;
  service: string;
  port: number;
  /** Port that answers questions about FPM itself; null = nobody does. */
  adminPort: number | null;
  /** Services restarted before every block; PHP is the first. */
  restart: readonly string[];
  /** Services that the shared project has. */
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
  temporary: "/tmp",
  port: 8080,
  adminPort: 8081,
};
const BACKING = ["mysql", "redis", "http"] as const;

/**
 * The recipes of a plan; for the bundled file, php-fpm's and nginx's configuration is written below `state`. Where the
 * services of one arm would not do for the other, the base has its own, and what is shared has the head alone.
 */
export function recipesOf(options: StartOptions, state: string): Record<ProjectName, Recipe> {
  const { plan } = options;
  const [base, head] = [targetOf(plan, "base"), targetOf(plan, "head")];
  const recipe = (project: ProjectName, arm: Arm, target: TargetConfig) =>
    recipeOf(options, state, { project, arm, target });
  const own = { base: recipe("base", "base", base), head: recipe("head", "head", head) };
  if (isDeepStrictEqual([base.compose, base.links], [head.compose, head.links])) {
    return { ...own, shared: recipe("shared", "base", { ...base, services: servicesOf(plan) }) };
  }
  return { ...own, base: { ...own.base, shared: [] }, shared: recipe("shared", "head", head) };
}

/** The recipe of a project that is made from this arm's tree. */
function recipeOf(
  { plan, home }: StartOptions,
  state: string,
  { project, arm, target }: { project: ProjectName; arm: Arm; target: TargetConfig },
): Recipe {
  const { compose, services, healthPath, host, php, nginx } = target;
  const tree = treeOf(plan, arm);
  const variables = {
    PERF_GATE_ARM: project,
    PERF_GATE_ARM_NUMBER: project === "head" ? "1" : "0",
    PERF_GATE_TREE: tree,
    PERF_GATE_HOME: home,
  };
  if (compose !== null) {
    const { file, ...rest } = compose;
    return { ...rest, target, tree, file: join(tree, file), variables, adminPort: null, left: [] };
  }
  const config = join(state, `config-${arm}`);
  writeConfig(config, target, plan.layout.target);
  return {
    target,
    tree,
    file: join(home, "docker", "compose.yaml"),
    variables: {
      ...variables,
      PERF_GATE_CONFIG: config,
      PERF_GATE_SCHEME: schemeOf(nginx),
      PERF_GATE_HEALTH: healthPath,
      PERF_GATE_HOST: host,
      ...(php.version === null ? {} : { PERF_GATE_PHP: php.version }),
    },
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
function treeOf({ arms }: Plan, arm: Arm): string {
  return arms[arm].directory ?? arms[arm === "base" ? "head" : "base"].directory ?? process.cwd();
}

/** What the containers of the bundled file have mounted: the same configuration as for driver `process`. */
function writeConfig(directory: string, { php, nginx, root, index }: TargetConfig, cpus: readonly number[]): void {
  mkdirSync(join(directory, "ini"), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  write("php-fpm.conf", fpmConf(php, { socket: INSIDE.socket, log: "/proc/self/fd/2", root: true }));
  write("ini/perf-gate.ini", iniFile(php, "/proc/self/fd/2"));
  write("probe.php", PROBE_SCRIPT);
  if (nginx.tls) makeCertificate(directory);
  const servers = siteServers({
    listen: `${INSIDE.port}`,
    adminListen: `${INSIDE.adminPort}`,
    nginx,
    certificates: INSIDE.config,
    accessLog: `${INSIDE.temporary}/access.log`,
    upstream: {
      kind: "php-fpm",
      socket: INSIDE.socket,
      root: join(INSIDE.tree, root),
      index,
      probe: `${INSIDE.config}/probe.php`,
    },
  });
  const temporary = { directory: INSIDE.temporary, pidFile: `${INSIDE.temporary}/nginx.pid` };
  write("nginx.conf", nginxConf({ ...temporary, workers: nginxWorkers(cpus), servers, root: true }));
}

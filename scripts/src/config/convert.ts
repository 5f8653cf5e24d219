import {
  assertNever,
  type BaselineConfig,
  type Checks,
  type ComposeConfig,
  type Config,
  type GateConfig,
  type HttpRequest,
  type Limits,
  type Link,
  type Load,
  type MatrixConfig,
  type Scenario,
  type TargetConfig,
  type Variant,
  type Work,
} from "../core/model.ts";
import { nginxFromKeys, PLAIN_NGINX } from "../core/nginx.ts";
import { defaultName } from "./scenario-schema.ts";
import type { FileShape } from "./schema.ts";

type ScenarioShape = NonNullable<FileShape["scenarios"]>[number];
type RequestShape = Pick<NonNullable<ScenarioShape["mix"]>[number], "path" | "method" | "headers" | "body">;
type GateShape = FileShape["gate"];
type TargetShape = FileShape["target"];
type VariantShape = NonNullable<FileShape["variants"]>[string];

const HOME: Pick<ScenarioShape, "path" | "model" | "gate"> = { path: "/", model: "closed", gate: {} };
/** What is measured where nothing is said. */
const DEFAULT_SCENARIOS: ScenarioShape[] = [
  { ...HOME, name: "home", connection: "keep-alive" },
  { ...HOME, name: "home, no keep-alive", connection: "close" },
];

/** The configuration in the program's own terms; `flowPath` makes a flow's path absolute. */
export function toConfig(file: FileShape, flowPath: (flow: string) => string): Config {
  const { measure } = file;
  return {
    target: toTarget(file.target),
    scenarios: (file.scenarios ?? DEFAULT_SCENARIOS).map((scenario) => toScenario(scenario, file.gate, flowPath)),
    ...(file.variants === undefined ? {} : { variants: toVariants(file.variants) }),
    ...(file.matrix === undefined ? {} : { matrix: toMatrix(file.matrix) }),
    gate: {
      maxOverallQpsDrop: file.gate["max-overall-qps-drop"],
      onInconclusive: file.gate["on-inconclusive"],
      maxAdded: toMaxAdded(file.gate["max-added"]),
    },
    measure: {
      budgetSeconds: file.budget / 1000,
      slotSeconds: measure.slot === "auto" ? "auto" : measure.slot / 1000,
      warmUpSeconds: measure["warm-up"] / 1000,
      maxRounds: measure.rounds,
      maxErrorRate: measure["max-error-rate"],
      maxForeignCores: measure["max-foreign-cpu"] === "off" ? null : measure["max-foreign-cpu"],
      isolation: measure.isolation,
      generator: measure.generator,
      ...(measure.trace ? { trace: true } : {}),
      ...(measure.outputs === undefined ? {} : { outputs: measure.outputs }),
    },
    baseline: toBaseline(file.baseline),
  };
}

function toBaseline(baseline: FileShape["baseline"]): BaselineConfig {
  return {
    store: baseline.store,
    branch: baseline.branch ?? null,
    anchor: baseline.anchor === "reference" ? null : baseline.anchor,
    maxQpsDrop: baseline["max-qps-drop"],
    maxP99Rise: baseline["max-p99-rise"],
    noise: baseline.noise,
  };
}

function toTarget(target: TargetShape): TargetConfig {
  const { php, nginx } = target;
  return {
    driver: target.driver,
    root: target.root,
    index: target.index,
    host: target.host,
    healthPath: target.health,
    prepare: target.prepare,
    start: target.start ?? null,
    services: target.services,
    env: target.env,
    php: {
      version: php.version ?? null,
      binary: php.binary ?? null,
      processManager: php["process-manager"],
      workers: php.workers,
      opcache: php.opcache,
      jit: php.jit,
      backlog: php.backlog,
      ini: php.ini,
    },
    nginx: { ...PLAIN_NGINX, ...nginxFromKeys(nginx) },
    compose: toCompose(target),
    copy: target.copy,
    resources: target.resources ?? null,
    links: toLinks(target.links),
    buildCache: target["build-cache"] ?? null,
    url: target.url ?? null,
  };
}

/** null for the bundled compose file; the schema has seen to it that service and port are there with one's own. */
function toCompose({ compose, service, port, restart, shared, census }: TargetShape): ComposeConfig | null {
  if (compose === undefined || service === undefined || port === undefined) return null;
  return {
    file: compose,
    service,
    port,
    restart: restart ?? [service],
    shared: shared ?? [],
    census: { mysql: census?.mysql ?? null, redis: census?.redis ?? null },
  };
}

function toLinks(links: TargetShape["links"]): Record<string, Link> {
  const link = ({ latency, jitter, port }: TargetShape["links"][string]): Link => ({
    port: port ?? null,
    latencyMs: latency,
    jitterMs: jitter,
  });
  return Object.fromEntries(Object.entries(links).map(([name, settings]) => [name, link(settings)]));
}

function toVariants(variants: Record<string, VariantShape>): Record<string, Variant> {
  return Object.fromEntries(Object.entries(variants).map(([name, settings]) => [name, toVariant(settings)]));
}

function toMatrix({ tree, factors, timings, ...rest }: NonNullable<FileShape["matrix"]>): MatrixConfig {
  const levels = Object.entries(factors).map(([factor, named]) => [factor, toVariants(named)] as const);
  return {
    tree: tree ?? null,
    ...rest,
    factors: Object.fromEntries(levels),
    ...(timings ? { timings: true } : {}),
  };
}

function toVariant({ env, php, nginx, links, start, resources, connection, query }: VariantShape): Variant {
  const { "process-manager": processManager, ...rest } = php;
  return {
    env,
    php: given({ ...rest, processManager }),
    ...(nginx === undefined ? {} : { nginx: nginxFromKeys(nginx) }),
    links: toLinks(links),
    ...given({ start, resources, connection, query }),
  };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without what is not there. */
function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}

function toMaxAdded(added: GateShape["max-added"]): GateConfig["maxAdded"] {
  return given({
    sqlStatements: added["sql-statements"],
    dbConnections: added["db-connections"],
    redisCommands: added["redis-commands"],
    responseBytes: added["response-bytes"],
  });
}

function toScenario(scenario: ScenarioShape, gate: GateShape, flowPath: (flow: string) => string): Scenario {
  return {
    name: scenario.name ?? defaultName(scenario),
    work: toWork(scenario, flowPath),
    connection: scenario.connection,
    checks: toChecks(scenario.checks),
    load: toLoad(scenario),
    limits: toLimits(scenario, gate),
  };
}

function toWork(scenario: ScenarioShape, flowPath: (flow: string) => string): Work {
  const { flow, mix, path = "/" } = scenario;
  if (flow !== undefined) return { kind: "flow", file: flowPath(flow) };
  if (mix === undefined) return { kind: "request", ...toRequest({ ...scenario, path }) };
  const entries = mix.map(({ weight, checks, ...request }) => ({
    weight,
    request: toRequest(request),
    checks: toChecks(checks),
  }));
  return { kind: "mix", entries };
}

function toRequest({ method = "GET", path, headers: written, body }: RequestShape): HttpRequest {
  const headers = { ...written };
  const typed = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  if (body?.json && !typed) headers["Content-Type"] = "application/json";
  return { method, path, headers, body: body?.text ?? null };
}

function toChecks(checks: ScenarioShape["checks"]): Checks {
  return { status: checks?.status ?? [200], bodyContains: checks?.["body-contains"] ?? null };
}

function toLoad(scenario: ScenarioShape): Load {
  switch (scenario.model) {
    case "closed":
      return { model: "closed", vus: scenario.levels ?? [1, 20] };
    case "open":
      return { model: "open", rates: scenario.rate ?? ["auto"], maxVus: scenario["max-vus"] ?? 200 };
    case "ramp": {
      const stages = (scenario.stages ?? []).map((stage) => ({
        durationSeconds: stage.duration / 1000,
        target: stage.target,
      }));
      return { model: "ramp", stages };
    }
    default:
      return assertNever(scenario.model);
  }
}

function toLimits(scenario: ScenarioShape, gate: GateShape): Limits {
  const own = scenario.gate;
  return {
    maxQpsDrop: own["max-qps-drop"] ?? gate["max-qps-drop"],
    maxP99Rise: own["max-p99-rise"] ?? gate["max-p99-rise"],
    minQps: own["min-qps"] ?? gate["min-qps"] ?? null,
    maxP99Ms: own["max-p99"] ?? gate["max-p99"] ?? null,
    gateLatency: own.latency ?? scenario.model !== "open",
  };
}

import { connectionOf, isOther, perArm, targetOf } from "./arms.ts";
import { edit } from "./edits.ts";
import type { Arm, Config, ConfigEdit, Link, OwnConfig, Plan, Resources, TargetConfig, Variant } from "./model.ts";
import { nginxByKey } from "./nginx.ts";

/** How an arm of this variant is started and asked: what the variant says, and for the rest the configuration. */
export function ownOf({ target }: Pick<Config, "target">, variant: Variant): OwnConfig {
  const { env, php, nginx, start, resources, links, connection, query } = variant;
  // A named binary would win over the version.
  const binary = php.version === undefined ? target.php.binary : null;
  return {
    target: {
      ...target,
      env: { ...target.env, ...env },
      php: { ...target.php, binary, ...php, ini: { ...target.php.ini, ...php.ini } },
      nginx: { ...target.nginx, ...nginx },
      start: start === undefined ? target.start : start,
      resources: resources ?? target.resources,
      links: { ...target.links, ...links },
    },
    ...(connection === undefined ? {} : { connection }),
    ...(query === undefined ? {} : { query }),
  };
}

type Arms = Pick<Plan, "config" | "own">;

/**
 * The settings that the two arms have differently, as the configuration names them; none where both are started and
 * asked alike, or where one is another application.
 */
export function differingSettings(arms: Arms): ConfigEdit[] {
  if (arms.own === undefined || isOther(arms)) return [];
  const { base, head } = perArm((arm) => settingsOf(arms, arm));
  const keys = [...new Set([...base.keys(), ...head.keys()])].toSorted();
  return keys.flatMap((key) => edit(key, base.get(key) ?? null, head.get(key) ?? null));
}

/** What a variant can set, as an arm has it: key -> value, without what is not there. */
function settingsOf(arms: Arms, arm: Arm): Map<string, string> {
  const { env, php, nginx, start, resources, links }: TargetConfig = targetOf(arms, arm);
  const { ini, processManager, ...fpm } = php;
  const connections = new Set(arms.config.scenarios.map((scenario) => connectionOf(arms, scenario, arm)));
  const settings: [string, string | number | boolean | null][] = [
    ...below("env", env),
    ...below("php", { ...fpm, "process-manager": processManager }),
    ...below("php.ini", ini),
    ...below("nginx", nginxByKey(nginx)),
    ["start", start],
    ["resources", resources && resourcesText(resources)],
    ...Object.entries(links).map(([name, link]): [string, string] => [`links.${name}`, linkText(link)]),
    ["connection", [...connections].join(", ")],
    ["query", arms.own?.[arm]?.query ?? null],
  ];
  const there = settings.filter(([, value]) => value !== null);
  return new Map(there.map(([key, value]) => [key, String(value)]));
}

function below<T>(key: string, values: Record<string, T>): [string, T][] {
  return Object.entries(values).map(([name, value]) => [`${key}.${name}`, value]);
}

const MIB = 1024 ** 2;

/** "1C2G", "2C512M, cpuset" */
function resourcesText({ cpus, memoryBytes, by }: Resources): string {
  const mib = memoryBytes / MIB;
  const memory = mib % 1024 === 0 ? `${mib / 1024}G` : `${mib}M`;
  return `${cpus}C${memory}${by === "quota" ? "" : `, ${by}`}`;
}

/** "1ms", "2ms ± 1ms, port 3307" */
function linkText({ port, latencyMs, jitterMs }: Link): string {
  return `${latencyMs}ms${jitterMs === 0 ? "" : ` ± ${jitterMs}ms`}${port === null ? "" : `, port ${port}`}`;
}

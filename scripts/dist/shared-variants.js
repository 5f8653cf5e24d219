import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  nginxByKey
} from "./shared-nginx.js";
import {
  edit
} from "./shared-replay.js";
import {
  connectionOf,
  isOther,
  perArm,
  targetOf
} from "./shared-arms.js";

// scripts/src/core/variants.ts
function ownOf({ target }, variant) {
  const { env, php, nginx, start, resources, links, connection, query } = variant;
  const binary = php.version === void 0 ? target.php.binary : null;
  return {
    target: {
      ...target,
      env: { ...target.env, ...env },
      php: { ...target.php, binary, ...php, ini: { ...target.php.ini, ...php.ini } },
      nginx: { ...target.nginx, ...nginx },
      start: start === void 0 ? target.start : start,
      resources: resources ?? target.resources,
      links: { ...target.links, ...links }
    },
    ...connection === void 0 ? {} : { connection },
    ...query === void 0 ? {} : { query }
  };
}
function differingSettings(arms) {
  if (arms.own === void 0 || isOther(arms)) return [];
  const { base, head } = perArm((arm) => settingsOf(arms, arm));
  const keys = [.../* @__PURE__ */ new Set([...base.keys(), ...head.keys()])].toSorted();
  return keys.flatMap((key) => edit(key, base.get(key) ?? null, head.get(key) ?? null));
}
function settingsOf(arms, arm) {
  const { env, php, nginx, start, resources, links } = targetOf(arms, arm);
  const { ini, processManager, ...fpm } = php;
  const connections = new Set(arms.config.scenarios.map((scenario) => connectionOf(arms, scenario, arm)));
  const settings = [
    ...below("env", env),
    ...below("php", { ...fpm, "process-manager": processManager }),
    ...below("php.ini", ini),
    ...below("nginx", nginxByKey(nginx)),
    ["start", start],
    ["resources", resources && resourcesText(resources)],
    ...Object.entries(links).map(([name, link]) => [`links.${name}`, linkText(link)]),
    ["connection", [...connections].join(", ")],
    ["query", arms.own?.[arm]?.query ?? null]
  ];
  const there = settings.filter(([, value]) => value !== null);
  return new Map(there.map(([key, value]) => [key, String(value)]));
}
function below(key, values) {
  return Object.entries(values).map(([name, value]) => [`${key}.${name}`, value]);
}
var MIB = 1024 ** 2;
function resourcesText({ cpus, memoryBytes, by }) {
  const mib = memoryBytes / MIB;
  const memory = mib % 1024 === 0 ? `${mib / 1024}G` : `${mib}M`;
  return `${cpus}C${memory}${by === "quota" ? "" : `, ${by}`}`;
}
function linkText({ port, latencyMs, jitterMs }) {
  return `${latencyMs}ms${jitterMs === 0 ? "" : ` ± ${jitterMs}ms`}${port === null ? "" : `, port ${port}`}`;
}

export {
  ownOf,
  differingSettings
};

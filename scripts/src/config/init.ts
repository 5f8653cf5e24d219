import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import { detectApplication, type Found, type Guess } from "./detect.ts";
import { DEFAULT_FILES } from "./load.ts";
import { SERVICE_VARIABLES } from "./target-schema.ts";

export { detectApplication, type Found };

/** A commented configuration for what was found; parseConfig reads it. */
export function renderInit(found: Found): string {
  const lines = [
    "# What perf-gate measures, and how much slower a change may make it.",
    found.application === null
      ? "# No PHP application was recognised here: every value below is a default to correct."
      : `# Written for: ${found.application}. Every guess says where it comes from; correct what is wrong.`,
    "# All keys and their meaning: perf-gate.schema.json beside the program.",
    "",
    "target:",
    ...targetLines(found).map((line) => (line === "" ? "" : `  ${line}`)),
    "",
    ...SCENARIOS,
    "",
    ...GATE,
  ];
  return `${lines.join("\n")}\n`;
}

function targetLines(found: Found): string[] {
  const { root, index, health, prepare, phpRequirement, remarks } = found;
  return [
    ...remarks.map((remark) => `# ${remark}`),
    ...(prepare.some(({ value }) => value.startsWith("composer ")) ? DRIVER : []),
    `root: ${root.value} # ${root.why}`,
    ...(index === "index.php" ? [] : [`index: ${index}`]),
    `health: ${health.value} # ${health.why}`,
    "# host: shop.example.com # the Host header that production sees; localhost where it does not matter",
    "",
    ...serviceLines(found.services),
    "",
    ...commandLines(prepare),
    ...environmentLines(found),
    "",
    ...(phpRequirement === null
      ? ["# The newest php-fpm of this machine runs it. Settings of production go here."]
      : [`# composer.json asks for PHP ${phpRequirement}; the newest php-fpm of this machine runs it.`]),
    "php:",
    "  workers: 8 # as many as production has per core, times the cores here",
    "  # binary: php-fpm8.4",
    "  # ini: { memory_limit: 256M }",
  ];
}

/** The bundled container has no Composer. */
const DRIVER = [
  "# With PHP and Composer of this machine. For containers, a compose file of your own: compose, service and port.",
  "driver: process",
];

function serviceLines(services: Found["services"]): string[] {
  if (services.length === 0) {
    return [
      "# No sign of MySQL or Redis was found. Started for each version where named: mysql, redis,",
      "# and http, a stand-in for third parties that answers every path at once.",
      "services: []",
    ];
  }
  return [
    "# Started for the application; http would be a stand-in for third parties that answers every path at once.",
    "services:",
    ...services.map(({ value, why }) => `  - ${value} # ${why}`),
  ];
}

function commandLines(prepare: Guess<string>[]): string[] {
  const intro = "# Run in the tree of each version before it starts, with the services already up.";
  if (prepare.length === 0) return [intro, "# prepare:", "#   - php seed.php"];
  return [intro, "prepare:", ...prepare.flatMap(({ value, why }) => [`  # ${why}`, `  - ${quotedCommand(value)}`])];
}

function environmentLines({ env, services }: Found): string[] {
  const intro = ["", "# What the application and the commands above see in their environment."];
  if (env.length > 0) {
    const lines = env.flatMap(({ value, why }) => [
      `  # ${why}`,
      ...Object.entries(value).map(([name, text]) => `  ${name}: ${quoted(text)}`),
    ]);
    return [...intro, "env:", ...lines];
  }
  const variables = services.flatMap(({ value }) => SERVICE_VARIABLES[value]);
  if (variables.length === 0) return [];
  return [
    ...intro,
    `# They see ${variables.join(", ")};`,
    "# where the application expects other names:",
    "# env:",
    `#   ${variables[0]?.startsWith("MYSQL") ? "DB_HOST" : "CACHE_HOST"}: "\${${variables[0]}}"`,
  ];
}

/** A scalar that YAML reads back as the same text. */
function quoted(text: string): string {
  return /^[A-Za-z][\w./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);
}

/** A command stays readable without quotes where YAML takes it as it is. */
function quotedCommand(command: string): string {
  return /^[A-Za-z]/.test(command) && !/: |:$| #/.test(command) ? command : JSON.stringify(command);
}

const SCENARIOS = [
  "# What is asked of it. Every scenario at every level is judged on its own: pick the few paths that matter.",
  "scenarios:",
  "  - name: home",
  "    path: /",
  "    levels: [1, 20] # VUs: 1 shows the time a request takes, 20 how many requests fit",
  "",
  "  - name: home, no keep-alive",
  "    path: /",
  "    connection: close # a new connection per request, as from a load balancer without keep-alive",
  "    levels: [20]",
  "",
  "  # - name: search",
  "  #   path: /search",
  "  #   method: POST",
  "  #   body: { query: shoes } # a mapping is sent as JSON",
  "  #   checks: { status: 200, body-contains: results }",
  "",
  "  # - name: checkout # several requests in a row: a k6 module, relative to this file",
  "  #   flow: flows/checkout.js",
];

const GATE = [
  "# Red only when a loss is surely larger than this, green only when it is surely smaller.",
  "gate:",
  "  max-qps-drop: 5%",
  "  max-p99-rise: 20%",
  "  # max-p99: 300ms # an absolute limit, whatever the base does",
  "  on-inconclusive: warn # or fail, or pass",
  "",
  "budget: 10m # wall time of a run",
];

/**
 * Writes perf-gate.yml for the application in `directory`; with `force` the configuration that is there is replaced.
 * @returns the path written.
 * @throws InputError where a configuration exists already, or the directory does not.
 */
export async function writeInit(directory: string, { force = false }: { force?: boolean } = {}): Promise<string> {
  const found = await detectApplication(directory);
  const existing = DEFAULT_FILES.find((name) => existsSync(join(directory, name)));
  if (existing !== undefined && !force) throw alreadyThere(existing);
  const file = existing ?? DEFAULT_FILES[0];
  const path = join(directory, file);
  try {
    await writeFile(path, renderInit(found), { flag: force ? "w" : "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw alreadyThere(file);
    throw new InputError(
      `${file}: cannot be written in ${directory} (${code}). Check its permissions and the free space.`,
    );
  }
  return path;
}

function alreadyThere(file: string): InputError {
  return new InputError(
    `${file}: exists already and is left as it is. Edit it, or replace it with: perf-gate init --force`,
  );
}

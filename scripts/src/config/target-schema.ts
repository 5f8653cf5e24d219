import * as z from "zod";
import type { ServiceName } from "../core/model.ts";
import { checkCompose, composeKeys } from "./compose-schema.ts";
import { complaint, flag, leaf, number, oneOf, text, UNPRINTABLE } from "./leaves.ts";
import { checkNginx, nginx } from "./nginx-schema.ts";
import {
  ALWAYS,
  belowTree,
  isMapping,
  namedValues,
  printable,
  type Raw,
  type Report,
  reportTwice,
  section,
  twice,
  urlPath,
} from "./shapes.ts";
import { nearest } from "./suggest.ts";

const SERVICES = ["mysql", "redis", "http"] as const satisfies readonly ServiceName[];

const hostName = () =>
  text({
    allowed: "a host name, with a port if need be",
    accept: (value) => /^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252})(:\d{1,5})?$/.test(value),
    fix: (value) => {
      const host = /^[a-z]+:\/\/([A-Za-z0-9_.:-]+)/i.exec(value)?.[1];
      return `Write ${host ?? "for example shop.example.com"}.`;
    },
    json: { writtenExamples: ["shop.example.com"] },
  });

const baseUrl = (arm: string) =>
  leaf<string>({
    allowed: "an http:// or https:// address without user, query and fragment",
    read: (raw) => {
      if (typeof raw !== "string" || UNPRINTABLE.test(raw) || !URL.canParse(raw)) return undefined;
      const url = new URL(raw);
      const plain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
      return plain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/+$/, "") : undefined;
    },
    fix: () => `Write for example http://${arm}.test:8080.`,
    json: { type: "string", format: "uri", pattern: "^https?://", writtenExamples: [`http://${arm}.test:8080`] },
  });

const command = (example: string) =>
  text({
    allowed: "a shell command",
    accept: (value) => value.trim() !== "" && !value.includes("\0"),
    fix: `Write for example "${example}".`,
    json: { writtenExamples: [example] },
  });

export const startCommand = command("php artisan octane:start --port=$PORT");

const copied = () =>
  text({
    allowed: "a path below the tree, without .., and not the tree itself",
    accept: (value) =>
      printable(500)(value) &&
      !value.startsWith("/") &&
      !/(^|\/)\.\.(\/|$)/.test(value) &&
      !/^[./]*(\.git)?\/*$/.test(value),
    fix: "Write for example .env.",
    json: { writtenExamples: [".env", "vendor"] },
  });

export const env = namedValues({
  allowed: "the name of an environment variable",
  pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
  reserved: { port: "It is chosen for every start." },
});

const phpIni = namedValues({
  allowed: "the name of a php.ini setting",
  pattern: /^[A-Za-z_][A-Za-z0-9_.-]*$/,
  reserved: { "opcache.enable": "Use target.php.opcache.", "opcache.jit": "Use target.php.jit." },
});

const PHP_VERSIONS = ["7.4", "8.2", "8.4"];

const phpVersion = leaf<string>({
  allowed: PHP_VERSIONS.join(", "),
  read: (raw) => PHP_VERSIONS.find((version) => version === String(raw)),
  fix: () => "Write for example 8.4, or name a php-fpm in target.php.binary.",
  json: { enum: [...PHP_VERSIONS, ...PHP_VERSIONS.map(Number)] },
});

/** Settings of php-fpm, without their defaults. */
export const phpKeys = {
  version: phpVersion.describe(
    "PHP of the bundled containers; without them, that of the php-fpm to run. Default: 8.4, or the newest installed.",
  ),
  binary: text({
    allowed: "the name or path of a php-fpm binary",
    accept: printable(500),
    fix: "Write for example php-fpm8.4.",
    json: { writtenExamples: ["php-fpm8.4", "/usr/sbin/php-fpm8.2"] },
  }).describe("php-fpm binary, as a name in PATH or a path. Default: the newest one found on this machine."),
  "process-manager": oneOf(["static", "dynamic", "ondemand"]).describe(
    "How php-fpm manages its workers (`pm`). Static has no forks during a measurement.",
  ),
  workers: number({ min: 1, max: 1000, example: "8" }).describe(
    "Number of php-fpm workers (`pm.max_children`). Use what production has per core times the cores here.",
  ),
  opcache: flag().describe("Whether OPcache is on."),
  jit: oneOf(["off", "function", "tracing"]).describe("PHP's just-in-time compiler; needs OPcache."),
  backlog: number({ min: 1, max: 65_535, example: "511" }).describe(
    "Connections that may wait for a worker (`listen.backlog`).",
  ),
  ini: phpIni.describe("Further php.ini settings, name: value, such as memory_limit: 256M."),
};

const php = section({
  version: phpKeys.version.optional(),
  binary: phpKeys.binary.optional(),
  "process-manager": phpKeys["process-manager"].prefault("static"),
  workers: phpKeys.workers.prefault(8),
  opcache: phpKeys.opcache.prefault(true),
  jit: phpKeys.jit.prefault("off"),
  backlog: phpKeys.backlog.prefault(511),
  ini: phpKeys.ini.prefault({}),
}).superRefine((settings, context) => {
  if (!isMapping(settings)) return;
  checkJit(settings, (path, message) => context.addIssue({ code: "custom", path, message }));
}, ALWAYS);

/** Nobody asks for a compiler that cannot be on. */
export function checkJit({ jit, opcache }: Raw, report: Report): void {
  if (jit === undefined || jit === "off" || opcache !== false) return;
  report(["jit"], complaint("off where OPcache is off", jit, "Write jit: off, or opcache: true."));
}

/** What an application learns about each service that was started for it. */
export const SERVICE_VARIABLES: Record<ServiceName, readonly string[]> = {
  mysql: ["MYSQL_HOST", "MYSQL_PORT", "MYSQL_USER", "MYSQL_PASSWORD", "MYSQL_DATABASE"],
  redis: ["REDIS_HOST", "REDIS_PORT", "REDIS_DB"],
  http: ["HTTP_URL"],
};

const references = Object.values(SERVICE_VARIABLES)
  .flat()
  .map((name) => `\${${name}}`)
  .join(", ");

/** Every `${NAME}` in `env` is a variable of a service that is started. */
export function checkReferences(settings: Raw, report: Report): void {
  const { env, services, driver, compose } = settings;
  if (!isMapping(env) || !Array.isArray(services) || driver === "url") return;
  const known = SERVICES.filter((name) => services.includes(name)).flatMap((name) => SERVICE_VARIABLES[name]);
  for (const [key, value] of Object.entries(env)) {
    for (const [reference, name = ""] of String(value).matchAll(/\$\{([^}]*)\}/g)) {
      if (known.includes(name)) continue;
      const owner = SERVICES.find((service) => SERVICE_VARIABLES[service].includes(name));
      const near = nearest(name, known);
      let fix = `Write one of ${known.join(", ")}, or the value itself.`;
      if (known.length === 0) fix = "Add the service that has it to target.services, or write the value itself.";
      if (near !== null) fix = `Did you mean \${${near}}?`;
      if (owner !== undefined) fix = `Add ${owner} to target.services.`;
      if (compose !== undefined) fix = "Write the value itself: the services are those of target.compose.";
      report(["env", key], complaint("a variable of a service that is started", reference, fix));
    }
  }
}

/** Every link of the bundled target leads to a service that is started. */
export function checkLinks({ links, services, compose }: Raw, report: Report): void {
  if (!isMapping(links) || !Array.isArray(services) || compose !== undefined) return;
  for (const name of Object.keys(links)) {
    if (services.includes(name)) continue;
    const near = nearest(name, services);
    const known = SERVICES.find((service) => service === name);
    let fix = services.length > 0 ? `Write one of ${services.join(", ")}.` : "Remove it.";
    if (near !== null) fix = `Did you mean ${near}?`;
    if (known !== undefined) fix = `Add ${known} to target.services.`;
    report(["links", name], complaint("a service that is started", name, fix), "key");
  }
}

/** What is measured: how it is prepared, started and reached. */
export const target = section({
  driver: oneOf(["auto", "compose", "process", "url"])
    .prefault("auto")
    .describe(
      "What runs the two versions: `compose` builds and starts them in containers, `process` starts php-fpm, nginx and " +
        "the services as processes on this machine, `url` uses what already runs at target.url. `auto` is url where " +
        "target.url is there, else compose where target.compose is there or a Docker engine answers, else process.",
    ),
  root: belowTree("the directory that is served", "public")
    .prefault(".")
    .describe("Document root, relative to the application's tree. `.` is the tree itself."),
  index: belowTree("the front controller", "index.php")
    .prefault("index.php")
    .describe("Front controller, relative to target.root. Every request that is not for a file goes to it."),
  host: hostName().prefault("localhost").describe("Host header of every request: what production sees."),
  health: urlPath()
    .prefault("/")
    .describe("Path that answers 2xx once the application is ready. It has to go through PHP."),
  prepare: z
    .array(command("composer install --no-dev --optimize-autoloader"), {
      error: (issue) =>
        complaint("a list of shell commands", issue.input, 'Write - "composer install" on a line below it.'),
    })
    .prefault([])
    .describe(
      "Shell commands, run in the tree of each version before it starts, with the services already up: " +
        "composer install, migrations, caches.",
    ),
  start: startCommand
    .optional()
    .describe(
      "Start command of a server that is not php-fpm. It listens on 127.0.0.1:$PORT and stays in the foreground. " +
        "Default: php-fpm behind nginx.",
    ),
  services: z
    .array(oneOf(SERVICES), {
      error: (issue) => complaint("a list of services", issue.input, "Write for example [mysql, redis]."),
    })
    .superRefine((items, context) => {
      if (!Array.isArray(items)) return;
      reportTwice(items, (index) => context.addIssue(twice(items[index], [index])));
    }, ALWAYS)
    .prefault([])
    .describe(
      "Services to start for the application: `mysql` (a schema per version), `redis` (a database number per version), " +
        "`http` (a stand-in for third parties that answers every path at once).",
    ),
  env: env
    .prefault({})
    .describe(
      `Environment variables of the application and of the prepare commands. ${references} stand for what the services ` +
        "of each version have.",
    ),
  ...composeKeys,
  copy: z
    .array(copied(), {
      error: (issue) => complaint("a list of paths", issue.input, "Write for example [.env, vendor]."),
    })
    .prefault([])
    .describe(
      "Untracked files and directories that a version needs to run, such as .env and vendor: copied from the head's " +
        "tree into trees that are checked out by --base-ref.",
    ),
  url: section({
    base: baseUrl("base").describe("Where the base already runs."),
    head: baseUrl("head").describe("Where the head already runs."),
  })
    .optional()
    .describe("Addresses of the two versions; driver `url` only."),
  php: php.prefault({}).describe("Settings of php-fpm, the same for both versions."),
  nginx: nginx.prefault({}).describe("Settings of nginx in front of PHP, the same for both versions."),
}).superRefine((settings, context) => {
  if (!isMapping(settings)) return;
  const report: Report = (path, message, at) => context.addIssue({ code: "custom", path, message, params: { at } });
  checkReferences(settings, report);
  checkCompose(settings, report);
  checkLinks(settings, report);
  checkNginx(settings, report);
  if (settings.driver === "url" && settings.url === undefined) {
    context.addIssue({
      code: "custom",
      path: ["driver"],
      message: complaint(
        "target.url beside driver: url",
        settings.url,
        "Add url: {base: http://base.test:8080, head: http://head.test:8080} below target.",
      ),
    });
  }
}, ALWAYS);

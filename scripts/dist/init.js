import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  DEFAULT_FILES,
  SERVICE_VARIABLES
} from "./shared-schemas.js";
import {
  InputError
} from "./shared-errors.js";
import "./shared-nginx.js";
import "./shared-model.js";
import "./shared-runtime.js";

// scripts/src/config/init.ts
import { existsSync as existsSync2 } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join as join2 } from "node:path";

// scripts/src/config/detect.ts
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
var MAX_BYTES = 1024 * 1024;
var COMPOSER = "composer install --no-dev --no-interaction --prefer-dist --optimize-autoloader";
var ROOTS = ["public", "web", "webroot", "htdocs", "www", "."];
async function detectApplication(directory) {
  const info = await stat(directory).catch(() => null);
  if (!info?.isDirectory())
    throw new InputError(`${directory}: expected the directory of the application; got none. Correct the path.`);
  const tree = await readTree(directory);
  const root = ROOTS.find((candidate) => tree.has(join(candidate, "index.php")));
  const found = {
    application: root !== void 0 || tree.requires.size > 0 ? "PHP application" : null,
    root: root === void 0 ? { value: ".", why: "no index.php was found: correct this" } : rootGuess(root),
    index: "index.php",
    health: {
      value: "/",
      why: "answers 2xx once the application is ready; a cheap path that goes through PHP is best"
    },
    prepare: [],
    services: services(tree),
    env: [],
    phpRequirement: oneLine(tree.requires.get("php")),
    remarks: []
  };
  const composer = [...tree.requires.keys()].some((name) => name.includes("/")) || tree.has("composer.lock");
  if (composer)
    found.prepare.push({
      value: COMPOSER,
      why: "as in production: without development packages, which it removes from vendor/"
    });
  if (/^(pgsql|postgres)/.test(database(tree))) {
    found.remarks.push(
      "The environment file names PostgreSQL, which perf-gate does not start: name your own server in env."
    );
  }
  if (tree.has("artisan")) await laravel(tree, found);
  else if (tree.has("bin/console") && tree.requires.has("symfony/framework-bundle")) symfony(tree, found);
  else if (isWordPress(tree)) wordpress(tree, found);
  else if (tree.requires.has("slim/slim")) found.application = "Slim";
  return found;
}
function rootGuess(root) {
  return {
    value: root,
    why: root === "." ? "index.php is in the tree itself" : `${root}/index.php is the front controller`
  };
}
async function readTree(directory) {
  const text = async (path) => {
    const file = join(directory, path);
    const info = await stat(file).catch(() => null);
    return info?.isFile() && info.size <= MAX_BYTES ? await readFile(file, "utf8").catch(() => "") : "";
  };
  const dotenv = /* @__PURE__ */ new Map();
  for (const name of [".env.dist", ".env.example", ".env"]) {
    for (const [key, value] of parseDotenv(await text(name))) dotenv.set(key, value);
  }
  return {
    has: (path) => existsSync(join(directory, path)),
    requires: requirements(await text("composer.json")),
    dotenv,
    text
  };
}
function requirements(composerJson) {
  try {
    const { require: require2 } = JSON.parse(composerJson);
    return new Map(Object.entries(require2 ?? {}).map(([name, version]) => [name.toLowerCase(), String(version)]));
  } catch {
    return /* @__PURE__ */ new Map();
  }
}
function parseDotenv(text) {
  return text.split(/\r?\n/).flatMap((line) => {
    const match = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*["']?([^"'#]*)/.exec(line);
    return match ? [[match[1] ?? "", (match[2] ?? "").trim()]] : [];
  });
}
function oneLine(text) {
  return text === void 0 ? null : text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").slice(0, 60);
}
function database({ dotenv }) {
  const scheme = /^([a-z]+)[a-z0-9+_-]*:/.exec(dotenv.get("DATABASE_URL") ?? "")?.[1];
  return (dotenv.get("DB_CONNECTION") ?? scheme ?? "").toLowerCase();
}
function services(tree) {
  const guesses = [];
  const required = (...names) => names.find((name) => tree.requires.has(name));
  const kind = database(tree);
  const mysql = required("ext-pdo_mysql", "ext-mysqli");
  if (/^(mysql|mariadb)/.test(kind)) guesses.push({ value: "mysql", why: "the environment file names it" });
  else if (mysql !== void 0 && kind === "") guesses.push({ value: "mysql", why: `composer.json asks for ${mysql}` });
  const redis = required("ext-redis", "predis/predis", "snc/redis-bundle");
  const stores = ["CACHE_STORE", "CACHE_DRIVER", "SESSION_DRIVER", "QUEUE_CONNECTION"];
  const store = stores.find((name) => tree.dotenv.get(name) === "redis");
  const host = ["REDIS_URL", "REDIS_DSN", "REDIS_HOST"].find((name) => tree.dotenv.get(name) && !tree.has("artisan"));
  if (redis !== void 0) guesses.push({ value: "redis", why: `composer.json asks for ${redis}` });
  else if (store !== void 0) guesses.push({ value: "redis", why: `the environment file has ${store}=redis` });
  else if (host !== void 0) guesses.push({ value: "redis", why: `the environment file names ${host}` });
  return guesses;
}
var uses = (found, service) => found.services.some(({ value }) => value === service);
async function laravel(tree, found) {
  found.application = "Laravel";
  const health = /\bhealth:\s*['"](\/[\w/.-]*)['"]/.exec(await tree.text("bootstrap/app.php"))?.[1];
  if (health !== void 0) found.health = { value: health, why: "the health route of bootstrap/app.php" };
  found.env.push({
    value: { APP_ENV: "production", APP_DEBUG: "false", APP_KEY: `base64:${"A".repeat(43)}=` },
    why: "as in production; the key is not a secret: it exists for measurements only"
  });
  if (uses(found, "mysql")) {
    found.env.push({
      value: {
        DB_CONNECTION: "mysql",
        DB_HOST: "${MYSQL_HOST}",
        DB_PORT: "${MYSQL_PORT}",
        DB_DATABASE: "${MYSQL_DATABASE}",
        DB_USERNAME: "${MYSQL_USER}",
        DB_PASSWORD: "${MYSQL_PASSWORD}"
      },
      why: "the database that is started for each version"
    });
  }
  if (uses(found, "redis")) {
    found.env.push({
      value: {
        REDIS_HOST: "${REDIS_HOST}",
        REDIS_PORT: "${REDIS_PORT}",
        REDIS_DB: "${REDIS_DB}",
        REDIS_CACHE_DB: "${REDIS_DB}"
      },
      why: "the Redis that is started; each version has a database number of its own"
    });
    const store = ["CACHE_STORE", "CACHE_DRIVER", "SESSION_DRIVER", "QUEUE_CONNECTION"];
    const kept = store.filter((name) => tree.dotenv.get(name) === "redis");
    if (kept.length > 0) {
      found.env.push({
        value: Object.fromEntries(kept.map((name) => [name, "redis"])),
        why: "as in the environment file"
      });
    }
  }
  if (uses(found, "mysql")) {
    found.prepare.push({
      value: "php artisan migrate --force",
      why: "tables; add data too: an empty database is fast"
    });
  } else if (database(tree) === "sqlite") {
    found.prepare.push(
      { value: "touch database/database.sqlite", why: "the environment file names SQLite" },
      { value: "php artisan migrate --force", why: "tables; add data too: an empty database is fast" }
    );
  }
  found.prepare.push({
    value: "php artisan optimize",
    why: "caches configuration, routes and views, as in production"
  });
}
function symfony(tree, found) {
  found.application = "Symfony";
  found.env.push({
    value: { APP_ENV: "prod", APP_DEBUG: "0", APP_SECRET: "0".repeat(32) },
    why: "as in production; the secret is none: it exists for measurements only"
  });
  if (uses(found, "mysql")) {
    found.env.push({
      value: {
        DATABASE_URL: "mysql://${MYSQL_USER}:${MYSQL_PASSWORD}@${MYSQL_HOST}:${MYSQL_PORT}/${MYSQL_DATABASE}?charset=utf8mb4"
      },
      why: "the database that is started for each version"
    });
    if (tree.requires.has("doctrine/doctrine-migrations-bundle")) {
      const value = "php bin/console doctrine:migrations:migrate --no-interaction --allow-no-migration";
      found.prepare.push({ value, why: "tables; add data too: an empty database is fast" });
    }
  }
  if (uses(found, "redis")) {
    found.env.push({
      value: { REDIS_URL: "redis://${REDIS_HOST}:${REDIS_PORT}/${REDIS_DB}" },
      why: "the Redis that is started; each version has a database number of its own"
    });
  }
  found.prepare.push({
    value: "php bin/console cache:warmup",
    why: "the container and the templates, as in production"
  });
}
function isWordPress(tree) {
  return tree.has("wp-load.php") || tree.has("wp-config-sample.php") || tree.has("web/wp-config.php");
}
function wordpress(tree, found) {
  found.application = "WordPress";
  found.health = { value: "/wp-login.php", why: "goes through PHP and needs the database" };
  if (!uses(found, "mysql")) found.services.unshift({ value: "mysql", why: "WordPress needs it" });
  if (!tree.has("wp-load.php")) {
    found.remarks.push("WordPress is installed by Composer here: give env what wp-config.php reads.");
    return;
  }
  const settings = '--dbname="$MYSQL_DATABASE" --dbuser="$MYSQL_USER" --dbpass="$MYSQL_PASSWORD" --dbhost="$MYSQL_HOST:$MYSQL_PORT"';
  const admin = "--url=http://localhost --title=Site --admin_user=admin --admin_password=admin --admin_email=admin@example.com";
  found.prepare.push(
    { value: `wp config create --force ${settings}`, why: "needs WP-CLI; replaces wp-config.php" },
    { value: `wp core install --skip-email ${admin}`, why: "add content too: an empty site is fast" }
  );
}

// scripts/src/config/init.ts
function renderInit(found) {
  const lines = [
    "# What perf-gate measures, and how much slower a change may make it.",
    found.application === null ? "# No PHP application was recognised here: every value below is a default to correct." : `# Written for: ${found.application}. Every guess says where it comes from; correct what is wrong.`,
    "# All keys and their meaning: perf-gate.schema.json beside the program.",
    "",
    "target:",
    ...targetLines(found).map((line) => line === "" ? "" : `  ${line}`),
    "",
    ...SCENARIOS,
    "",
    ...GATE
  ];
  return `${lines.join("\n")}
`;
}
function targetLines(found) {
  const { root, index, health, prepare, phpRequirement, remarks } = found;
  return [
    ...remarks.map((remark) => `# ${remark}`),
    ...prepare.some(({ value }) => value.startsWith("composer ")) ? DRIVER : [],
    `root: ${root.value} # ${root.why}`,
    ...index === "index.php" ? [] : [`index: ${index}`],
    `health: ${health.value} # ${health.why}`,
    "# host: shop.example.com # the Host header that production sees; localhost where it does not matter",
    "",
    ...serviceLines(found.services),
    "",
    ...commandLines(prepare),
    ...environmentLines(found),
    "",
    ...phpRequirement === null ? ["# The newest php-fpm of this machine runs it. Settings of production go here."] : [`# composer.json asks for PHP ${phpRequirement}; the newest php-fpm of this machine runs it.`],
    "php:",
    "  workers: 8 # as many as production has per core, times the cores here",
    "  # binary: php-fpm8.4",
    "  # ini: { memory_limit: 256M }"
  ];
}
var DRIVER = [
  "# With PHP and Composer of this machine. For containers, a compose file of your own: compose, service and port.",
  "driver: process"
];
function serviceLines(services2) {
  if (services2.length === 0) {
    return [
      "# No sign of MySQL or Redis was found. Started for each version where named: mysql, redis,",
      "# and http, a stand-in for third parties that answers every path at once.",
      "services: []"
    ];
  }
  return [
    "# Started for the application; http would be a stand-in for third parties that answers every path at once.",
    "services:",
    ...services2.map(({ value, why }) => `  - ${value} # ${why}`)
  ];
}
function commandLines(prepare) {
  const intro = "# Run in the tree of each version before it starts, with the services already up.";
  if (prepare.length === 0) return [intro, "# prepare:", "#   - php seed.php"];
  return [intro, "prepare:", ...prepare.flatMap(({ value, why }) => [`  # ${why}`, `  - ${quotedCommand(value)}`])];
}
function environmentLines({ env, services: services2 }) {
  const intro = ["", "# What the application and the commands above see in their environment."];
  if (env.length > 0) {
    const lines = env.flatMap(({ value, why }) => [
      `  # ${why}`,
      ...Object.entries(value).map(([name, text]) => `  ${name}: ${quoted(text)}`)
    ]);
    return [...intro, "env:", ...lines];
  }
  const variables = services2.flatMap(({ value }) => SERVICE_VARIABLES[value]);
  if (variables.length === 0) return [];
  return [
    ...intro,
    `# They see ${variables.join(", ")};`,
    "# where the application expects other names:",
    "# env:",
    `#   ${variables[0]?.startsWith("MYSQL") ? "DB_HOST" : "CACHE_HOST"}: "\${${variables[0]}}"`
  ];
}
function quoted(text) {
  return /^[A-Za-z][\w./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text);
}
function quotedCommand(command) {
  return /^[A-Za-z]/.test(command) && !/: |:$| #/.test(command) ? command : JSON.stringify(command);
}
var SCENARIOS = [
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
  "  #   flow: flows/checkout.js"
];
var GATE = [
  "# Red only when a loss is surely larger than this, green only when it is surely smaller.",
  "gate:",
  "  max-qps-drop: 5%",
  "  max-p99-rise: 20%",
  "  # max-p99: 300ms # an absolute limit, whatever the base does",
  "  on-inconclusive: warn # or fail, or pass",
  "",
  "budget: 10m # wall time of a run"
];
async function writeInit(directory, { force = false } = {}) {
  const found = await detectApplication(directory);
  const existing = DEFAULT_FILES.find((name) => existsSync2(join2(directory, name)));
  if (existing !== void 0 && !force) throw alreadyThere(existing);
  const file = existing ?? DEFAULT_FILES[0];
  const path = join2(directory, file);
  try {
    await writeFile(path, renderInit(found), { flag: force ? "w" : "wx" });
  } catch (error) {
    const { code } = error;
    if (code === "EEXIST") throw alreadyThere(file);
    throw new InputError(
      `${file}: cannot be written in ${directory} (${code}). Check its permissions and the free space.`
    );
  }
  return path;
}
function alreadyThere(file) {
  return new InputError(
    `${file}: exists already and is left as it is. Edit it, or replace it with: perf-gate init --force`
  );
}
export {
  detectApplication,
  renderInit,
  writeInit
};

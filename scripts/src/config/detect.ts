import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import type { ServiceName } from "../core/model.ts";

/** A value with the reason for it, as the comment in the file says it. */
export interface Guess<T> {
  value: T;
  why: string;
}

/** What was recognised in a directory. */
export interface Found {
  /** "Laravel", "Symfony", "WordPress", "Slim", "PHP application"; null where there is no sign of PHP. */
  application: string | null;
  root: Guess<string>;
  index: string;
  health: Guess<string>;
  /** Commands, in order. */
  prepare: Guess<string>[];
  services: Guess<ServiceName>[];
  /** Environment variables; values may refer to services as ${MYSQL_HOST}. */
  env: Guess<Record<string, string>>[];
  /** composer.json's requirement on PHP, e.g. "^8.2". */
  phpRequirement: string | null;
  /** Sentences about what perf-gate cannot do for this application. */
  remarks: string[];
}

/** What was read of the directory. */
interface Tree {
  has: (path: string) => boolean;
  /** Requirements of composer.json, development ones left out. */
  requires: Map<string, string>;
  /** .env.example or .env.dist, overlaid by .env; values never leave this module. */
  dotenv: Map<string, string>;
  /** Text of a file, "" where there is none. */
  text: (path: string) => Promise<string>;
}

const MAX_BYTES = 1024 * 1024;
const COMPOSER = "composer install --no-dev --no-interaction --prefer-dist --optimize-autoloader";
/** Where front controllers live, most common first. */
const ROOTS = ["public", "web", "webroot", "htdocs", "www", "."];

/** Looks at the files of an application, runs nothing; @throws InputError where `directory` is none. */
export async function detectApplication(directory: string): Promise<Found> {
  const info = await stat(directory).catch(() => null);
  if (!info?.isDirectory())
    throw new InputError(`${directory}: expected the directory of the application; got none. Correct the path.`);
  const tree = await readTree(directory);
  const root = ROOTS.find((candidate) => tree.has(join(candidate, "index.php")));
  const found: Found = {
    application: root !== undefined || tree.requires.size > 0 ? "PHP application" : null,
    root: root === undefined ? { value: ".", why: "no index.php was found: correct this" } : rootGuess(root),
    index: "index.php",
    health: {
      value: "/",
      why: "answers 2xx once the application is ready; a cheap path that goes through PHP is best",
    },
    prepare: [],
    services: services(tree),
    env: [],
    phpRequirement: oneLine(tree.requires.get("php")),
    remarks: [],
  };
  const composer = [...tree.requires.keys()].some((name) => name.includes("/")) || tree.has("composer.lock");
  if (composer)
    found.prepare.push({
      value: COMPOSER,
      why: "as in production: without development packages, which it removes from vendor/",
    });
  if (/^(pgsql|postgres)/.test(database(tree))) {
    found.remarks.push(
      "The environment file names PostgreSQL, which perf-gate does not start: name your own server in env.",
    );
  }
  if (tree.has("artisan")) await laravel(tree, found);
  else if (tree.has("bin/console") && tree.requires.has("symfony/framework-bundle")) symfony(tree, found);
  else if (isWordPress(tree)) wordpress(tree, found);
  else if (tree.requires.has("slim/slim")) found.application = "Slim";
  return found;
}

function rootGuess(root: string): Guess<string> {
  return {
    value: root,
    why: root === "." ? "index.php is in the tree itself" : `${root}/index.php is the front controller`,
  };
}

async function readTree(directory: string): Promise<Tree> {
  const text = async (path: string): Promise<string> => {
    const file = join(directory, path);
    const info = await stat(file).catch(() => null);
    return info?.isFile() && info.size <= MAX_BYTES ? await readFile(file, "utf8").catch(() => "") : "";
  };
  const dotenv = new Map<string, string>();
  for (const name of [".env.dist", ".env.example", ".env"]) {
    for (const [key, value] of parseDotenv(await text(name))) dotenv.set(key, value);
  }
  return {
    has: (path) => existsSync(join(directory, path)),
    requires: requirements(await text("composer.json")),
    dotenv,
    text,
  };
}

function requirements(composerJson: string): Map<string, string> {
  try {
    const { require } = JSON.parse(composerJson) as { require?: Record<string, unknown> };
    return new Map(Object.entries(require ?? {}).map(([name, version]) => [name.toLowerCase(), String(version)]));
  } catch {
    return new Map();
  }
}

function parseDotenv(text: string): [string, string][] {
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const match = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*["']?([^"'#]*)/.exec(line);
    return match ? [[match[1] ?? "", (match[2] ?? "").trim()]] : [];
  });
}

/** One printable line, for a comment. */
function oneLine(text: string | undefined): string | null {
  return text === undefined ? null : text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").slice(0, 60);
}

/** The kind of database that the environment files name, e.g. "mysql", "sqlite"; "" where they name none. */
function database({ dotenv }: Tree): string {
  const scheme = /^([a-z]+)[a-z0-9+_-]*:/.exec(dotenv.get("DATABASE_URL") ?? "")?.[1];
  return (dotenv.get("DB_CONNECTION") ?? scheme ?? "").toLowerCase();
}

function services(tree: Tree): Guess<ServiceName>[] {
  const guesses: Guess<ServiceName>[] = [];
  const required = (...names: string[]): string | undefined => names.find((name) => tree.requires.has(name));
  const kind = database(tree);
  const mysql = required("ext-pdo_mysql", "ext-mysqli");
  if (/^(mysql|mariadb)/.test(kind)) guesses.push({ value: "mysql", why: "the environment file names it" });
  else if (mysql !== undefined && kind === "") guesses.push({ value: "mysql", why: `composer.json asks for ${mysql}` });

  const redis = required("ext-redis", "predis/predis", "snc/redis-bundle");
  const stores = ["CACHE_STORE", "CACHE_DRIVER", "SESSION_DRIVER", "QUEUE_CONNECTION"];
  const store = stores.find((name) => tree.dotenv.get(name) === "redis");
  // Laravel's own example names REDIS_HOST in every application, whether it uses Redis or not.
  const host = ["REDIS_URL", "REDIS_DSN", "REDIS_HOST"].find((name) => tree.dotenv.get(name) && !tree.has("artisan"));
  if (redis !== undefined) guesses.push({ value: "redis", why: `composer.json asks for ${redis}` });
  else if (store !== undefined) guesses.push({ value: "redis", why: `the environment file has ${store}=redis` });
  else if (host !== undefined) guesses.push({ value: "redis", why: `the environment file names ${host}` });
  return guesses;
}

const uses = (found: Found, service: ServiceName): boolean => found.services.some(({ value }) => value === service);

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: these refer to services in the configuration. */

async function laravel(tree: Tree, found: Found): Promise<void> {
  found.application = "Laravel";
  const health = /\bhealth:\s*['"](\/[\w/.-]*)['"]/.exec(await tree.text("bootstrap/app.php"))?.[1];
  if (health !== undefined) found.health = { value: health, why: "the health route of bootstrap/app.php" };
  found.env.push({
    value: { APP_ENV: "production", APP_DEBUG: "false", APP_KEY: `base64:${"A".repeat(43)}=` },
    why: "as in production; the key is not a secret: it exists for measurements only",
  });
  if (uses(found, "mysql")) {
    found.env.push({
      value: {
        DB_CONNECTION: "mysql",
        DB_HOST: "${MYSQL_HOST}",
        DB_PORT: "${MYSQL_PORT}",
        DB_DATABASE: "${MYSQL_DATABASE}",
        DB_USERNAME: "${MYSQL_USER}",
        DB_PASSWORD: "${MYSQL_PASSWORD}",
      },
      why: "the database that is started for each version",
    });
  }
  if (uses(found, "redis")) {
    found.env.push({
      value: {
        REDIS_HOST: "${REDIS_HOST}",
        REDIS_PORT: "${REDIS_PORT}",
        REDIS_DB: "${REDIS_DB}",
        REDIS_CACHE_DB: "${REDIS_DB}",
      },
      why: "the Redis that is started; each version has a database number of its own",
    });
    const store = ["CACHE_STORE", "CACHE_DRIVER", "SESSION_DRIVER", "QUEUE_CONNECTION"];
    const kept = store.filter((name) => tree.dotenv.get(name) === "redis");
    if (kept.length > 0) {
      found.env.push({
        value: Object.fromEntries(kept.map((name) => [name, "redis"])),
        why: "as in the environment file",
      });
    }
  }
  if (uses(found, "mysql")) {
    found.prepare.push({
      value: "php artisan migrate --force",
      why: "tables; add data too: an empty database is fast",
    });
  } else if (database(tree) === "sqlite") {
    found.prepare.push(
      { value: "touch database/database.sqlite", why: "the environment file names SQLite" },
      { value: "php artisan migrate --force", why: "tables; add data too: an empty database is fast" },
    );
  }
  found.prepare.push({
    value: "php artisan optimize",
    why: "caches configuration, routes and views, as in production",
  });
}

function symfony(tree: Tree, found: Found): void {
  found.application = "Symfony";
  found.env.push({
    value: { APP_ENV: "prod", APP_DEBUG: "0", APP_SECRET: "0".repeat(32) },
    why: "as in production; the secret is none: it exists for measurements only",
  });
  if (uses(found, "mysql")) {
    found.env.push({
      value: {
        DATABASE_URL:
          "mysql://${MYSQL_USER}:${MYSQL_PASSWORD}@${MYSQL_HOST}:${MYSQL_PORT}/${MYSQL_DATABASE}?charset=utf8mb4",
      },
      why: "the database that is started for each version",
    });
    if (tree.requires.has("doctrine/doctrine-migrations-bundle")) {
      const value = "php bin/console doctrine:migrations:migrate --no-interaction --allow-no-migration";
      found.prepare.push({ value, why: "tables; add data too: an empty database is fast" });
    }
  }
  if (uses(found, "redis")) {
    found.env.push({
      value: { REDIS_URL: "redis://${REDIS_HOST}:${REDIS_PORT}/${REDIS_DB}" },
      why: "the Redis that is started; each version has a database number of its own",
    });
  }
  found.prepare.push({
    value: "php bin/console cache:warmup",
    why: "the container and the templates, as in production",
  });
}

/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above. */

function isWordPress(tree: Tree): boolean {
  return tree.has("wp-load.php") || tree.has("wp-config-sample.php") || tree.has("web/wp-config.php");
}

function wordpress(tree: Tree, found: Found): void {
  found.application = "WordPress";
  found.health = { value: "/wp-login.php", why: "goes through PHP and needs the database" };
  if (!uses(found, "mysql")) found.services.unshift({ value: "mysql", why: "WordPress needs it" });
  if (!tree.has("wp-load.php")) {
    found.remarks.push("WordPress is installed by Composer here: give env what wp-config.php reads.");
    return;
  }
  const settings =
    '--dbname="$MYSQL_DATABASE" --dbuser="$MYSQL_USER" --dbpass="$MYSQL_PASSWORD" --dbhost="$MYSQL_HOST:$MYSQL_PORT"';
  const admin =
    "--url=http://localhost --title=Site --admin_user=admin --admin_password=admin --admin_email=admin@example.com";
  found.prepare.push(
    { value: `wp config create --force ${settings}`, why: "needs WP-CLI; replaces wp-config.php" },
    { value: `wp core install --skip-email ${admin}`, why: "add content too: an empty site is fast" },
  );
}

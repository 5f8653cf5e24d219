import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zeroConfig } from "../../src/config/load.ts";
import type { Arm, PhpSettings, Plan, TargetConfig } from "../../src/core/model.ts";
import { PLAIN_NGINX } from "../../src/core/nginx.ts";
import type { StartOptions } from "../../src/target/target.ts";

const HOME = join(import.meta.dirname, "../../..");

/** A service of a few lines: what it answers depends on the path. */
const INDEX = `<?php
function mysql() {
    return new mysqli(getenv('MYSQL_HOST'), getenv('MYSQL_USER'), getenv('MYSQL_PASSWORD'), getenv('MYSQL_DATABASE'), (int) getenv('MYSQL_PORT'));
}
switch (strtok($_SERVER['REQUEST_URI'], '?')) {
    case '/pid': echo posix_getppid(); break;
    case '/env': echo json_encode(['host' => $_SERVER['HTTP_HOST'], 'cwd' => getcwd(), 'name' => getenv('NAME'), 'token' => getenv('GITHUB_TOKEN'), 'db' => getenv('MYSQL_DATABASE'), 'redis' => getenv('REDIS_DB')]); break;
    case '/queries': $db = mysql(); for ($i = 0; $i < 3; $i++) { $db->query('SELECT ' . $i); } echo 'three'; break;
    case '/prepared': $db = mysql(); $q = $db->prepare('SELECT ?'); for ($i = 0; $i < 3; $i++) { $q->execute([$i]); $q->get_result(); } echo 'three'; break;
    case '/redis': $r = new Redis(); $r->connect(getenv('REDIS_HOST'), (int) getenv('REDIS_PORT')); $r->set('a', 1); echo $r->get('a'); break;
    case '/http': echo file_get_contents(getenv('HTTP_URL') . '/anything'); break;
    case '/sleep': usleep(200000); echo 'slept'; break;
    case '/burn': do { $t = getrusage(); } while ($t['ru_utime.tv_sec'] + $t['ru_stime.tv_sec'] + ($t['ru_utime.tv_usec'] + $t['ru_stime.tv_usec']) / 1e6 < 0.3); echo 'burnt'; break;
    case '/die': posix_kill(getmypid(), 9); break;
    case '/500': http_response_code(500); echo 'broken on purpose'; break;
    default: echo 'ok ' . basename(__DIR__);
}
`;

const PHP: PhpSettings = {
  version: null,
  binary: null,
  processManager: "static",
  workers: 2,
  opcache: true,
  jit: "off",
  backlog: 511,
  ini: {},
};

export interface Changes {
  target?: Partial<TargetConfig>;
  php?: Partial<PhpSettings>;
  /** Files written over the application of one arm, path below its tree -> text. */
  files?: Partial<Record<Arm, Record<string, string>>>;
}

export interface Site {
  options: StartOptions;
  directory: string;
  workDirectory: string;
  progress: string[];
  abort: AbortController;
  remove(): void;
}

/** Two copies of the application in a private directory and the options to start them with. */
export function makeSite(changes: Changes = {}): Site {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-test-"));
  for (const arm of ["base", "head"] as const) {
    const files = { "index.php": INDEX, "static.txt": "static\n", ...changes.files?.[arm] };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(directory, arm), { recursive: true });
      writeFileSync(join(directory, arm, path), text);
    }
  }
  const abort = new AbortController();
  const progress: string[] = [];
  const workDirectory = join(directory, "work");
  const options = {
    plan: plan(directory, changes),
    home: HOME,
    workDirectory,
    signal: abort.signal,
  };
  return {
    options: { ...options, progress: (line) => progress.push(line) },
    directory,
    workDirectory,
    progress,
    abort,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export const NOBODY = 65_534;
/** In front of a command: an ordinary user. */
export const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

/** Whether that works here, for a node, a repository and a directory of temporary files that others may reach. */
export function canBeNobody(): boolean {
  const script = 'test -x "$1" && exec "$2" "$3" --version';
  const words = ["sh", "-c", script, "sh", tmpdir(), process.execPath, join(HOME, "scripts/dist/cli.js")];
  const [program = "", ...args] = [...AS_NOBODY, ...words];
  return process.getuid?.() === 0 && spawnSync(program, args).status === 0;
}

/** Processes, other than our own, that have a file below `directory` open or their working directory there. */
export function processesIn(directory: string): number[] {
  return list("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => {
      const links = [`/proc/${pid}/cwd`, ...list(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`)];
      return links.some((link) => target(link).startsWith(directory));
    })
    .map(Number);
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

function plan(directory: string, changes: Changes): Plan {
  const limits = { maxQpsDrop: 0.05, maxP99Rise: 0.2, minQps: null, maxP99Ms: null, gateLatency: true };
  return {
    version: 1,
    id: "0",
    seed: 1,
    arms: {
      base: { label: "base", directory: join(directory, "base"), commit: null, repository: null, image: null },
      head: { label: "head", directory: join(directory, "head"), commit: null, repository: null, image: null },
    },
    sameSource: false,
    driver: "process",
    config: {
      target: {
        driver: "process",
        root: ".",
        index: "index.php",
        host: "shop.example",
        healthPath: "/health",
        prepare: [],
        start: null,
        services: [],
        env: {},
        nginx: PLAIN_NGINX,
        compose: null,
        copy: [],
        resources: null,
        links: {},
        buildCache: null,
        url: null,
        ...changes.target,
        php: { ...PHP, ...changes.php },
      },
      scenarios: [
        {
          name: "home",
          work: { kind: "request", method: "GET", path: "/", headers: {}, body: null },
          connection: "keep-alive",
          checks: { status: [200], bodyContains: null },
          load: { model: "closed", vus: [1] },
          limits,
        },
      ],
      gate: { maxOverallQpsDrop: 0.02, onInconclusive: "warn", maxAdded: {} },
      measure: {
        budgetSeconds: 600,
        slotSeconds: "auto",
        warmUpSeconds: 1,
        maxRounds: 20,
        maxErrorRate: 0.01,
        maxForeignCores: 0.05,
        isolation: "auto",
        generator: "auto",
      },
      baseline: zeroConfig().baseline,
    },
    cells: [],
    layout: { generator: [0], target: [1], services: [1], isolated: true, note: "test" },
  };
}

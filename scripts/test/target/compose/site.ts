import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect } from "vitest";
import { ARMS, type Arm, type ComposeConfig, type TargetConfig } from "../../../src/core/model.ts";
import { OWNER_LABEL, thisOwner } from "../../../src/target/compose/owner.ts";
import { get } from "../../../src/target/http.ts";
import { startTarget } from "../../../src/target/start.ts";
import type { StartOptions, Target } from "../../../src/target/target.ts";
import { makeSite } from "../app.ts";
import { outsiderScript } from "../outsider-script.ts";

/** Small sites on a real engine. After each test of a file that imports this, nothing of it may be left there. */

/** Run after each test, last first. */
export const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  expect(left()).toEqual([]);
});

export const docker = (...args: string[]): string =>
  execFileSync("docker", args, { encoding: "utf8", stdio: "pipe" }).trim();

/** Somebody else may use the engine at the same time. */
export const OURS = `label=${OWNER_LABEL}=${thisOwner()}`;

/** Containers, networks, volumes and images with a label. */
export function labelled(filter: string): string[] {
  const lines = (text: string) => text.split("\n").filter(Boolean);
  return [
    ...lines(docker("ps", "--all", "--filter", filter, "--format", "{{.Names}}")),
    ...lines(docker("network", "ls", "--filter", filter, "--format", "{{.Name}}")),
    ...lines(docker("volume", "ls", "--filter", filter, "--format", "{{.Name}}")),
    ...lines(docker("image", "ls", "--filter", filter, "--format", "{{.Repository}}:{{.Tag}}")),
  ];
}

export const left = (): string[] => labelled(OURS);

export const k6Containers = (filter: string): string[] =>
  docker("ps", "--quiet", "--filter", filter, "--filter", "name=-k6-").split("\n").filter(Boolean);

/** PHP's own web server: no image needs to be built, and what it answers is in one file. */
export const APP = `services:
  app:
    image: php:8.4-fpm
    command: php -S 0.0.0.0:8080 -t /srv/app
    working_dir: /srv/app
    volumes: ["./app:/srv/app"]
`;
/** No variable of compose. */
export const COST = ["$5 a $", "{piece}"].join("");
const INDEX = `<?php
switch (strtok($_SERVER['REQUEST_URI'], '?')) {
    case '/env': echo json_encode(getenv()); break;
    case '/hungry': ini_set('memory_limit', -1); echo strlen(str_repeat('x', 400 << 20)); break;
    case '/tree': echo file_get_contents('/srv/app/tree.txt'); break;
    case '/prepared': echo file_get_contents('/tmp/prepared'); break;
    default: echo 'ok';
}
`;

interface Files {
  compose?: string;
  /** Path below the arm's tree -> text. */
  more?: Partial<Record<Arm, Record<string, string>>>;
}

const COMPOSE: ComposeConfig = {
  file: "compose.yml",
  service: "app",
  port: 8080,
  restart: ["app"],
  shared: [],
  census: { mysql: null, redis: null },
};

/** Two trees with a compose file, and the options to start them with. */
export function siteOf(files: Files, compose: Partial<ComposeConfig> = {}, target: Partial<TargetConfig> = {}) {
  const site = makeSite({ target: { compose: { ...COMPOSE, ...compose }, healthPath: "/", ...target } });
  cleanups.push(site.remove);
  site.options.plan.driver = "compose";
  for (const arm of ARMS) {
    const all = {
      "compose.yml": files.compose ?? APP,
      "app/index.php": INDEX,
      "app/tree.txt": arm,
      ...files.more?.[arm],
    };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(site.directory, arm, path)), { recursive: true });
      writeFileSync(join(site.directory, arm, path), text);
    }
  }
  return site;
}

export async function start(site: ReturnType<typeof siteOf>): Promise<Target> {
  const target = await startTarget(site.options);
  cleanups.push(() => target.close());
  return target;
}

/** A process of its own that starts a target and does more with it, by way of other programs where given. */
export async function outsider(
  { plan, home, workDirectory }: StartOptions,
  directory: string,
  through: readonly string[] = [],
  entry = "../outsider.ts",
) {
  const script = await outsiderScript(directory, join(import.meta.dirname, entry));
  const argument = JSON.stringify({ plan, home, workDirectory });
  const [program = "", ...args] = [...through, process.execPath, script, argument];
  return spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
}

export const body = async (target: Target, arm: Arm, path: string): Promise<string> =>
  (await get(target.url(arm) + path)).body;

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Census } from "../../src/core/model.ts";
import { WORK_LABEL } from "../../src/target/compose/images.ts";
import { actRig, NO_ROUND, PATIENCE } from "./rig.ts";

const { act, caller, apiOf, run } = actRig();

/** Credentials of a job, each with this in it; GitHub gives steps fewer of them than the test does. */
const MARK = "must-not-arrive";
const CREDENTIALS = [
  "ACTIONS_CACHE_URL",
  "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  "ACTIONS_RESULTS_URL",
  "ACTIONS_RUNTIME_TOKEN",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "INPUT_TOKEN",
];
/** What a job tells anybody: the way by which the others are asked for is one that works. */
const PLAIN = "GITHUB_REPOSITORY";
const ASKED = [...CREDENTIALS, PLAIN];

const lines = (indent: string, line: (name: string) => string): string =>
  ASKED.map((name) => `${indent}${line(name)}\n`).join("");
/** A compose file that asks for all of them, for the build and for the service, as a hostile pull request's would. */
const COMPOSE = `services:
  app:
    build:
      context: .
      args:
${lines("        ", (name) => `${name}: \${${name}:-}`)}    environment:
${lines("      ", (name) => `BY_VALUE_${name}: \${${name}:-}`)}${lines("      ", (name) => `${name}:`)}`;
const DOCKERFILE = `FROM php:8.4-fpm
${lines("", (name) => `ARG ${name}`)}RUN env >/build-environment
COPY public /srv/public
ENV PHP_CLI_SERVER_WORKERS=4
CMD ["php", "-S", "0.0.0.0:8080", "-t", "/srv/public"]
`;
/** Works only where nothing arrived but what may. */
const INDEX = `<?php
$there = ['build' => file_get_contents('/build-environment'), 'service' => json_encode(getenv(), JSON_UNESCAPED_SLASHES)];
foreach ($there as $where => $text) {
    if (str_contains($text, '${MARK}') || !str_contains($text, 'octo/shop')) {
        http_response_code(500);
        exit("$where: $text");
    }
}
usleep(4000);
echo 'ok';
`;
const CONFIG = `target: { compose: compose.yml, service: app, port: 8080 }
scenarios: [{ name: home, path: /, levels: [4] }]
${NO_ROUND}
budget: 30s
`;
const SHOP = {
  "compose.yml": COMPOSE,
  Dockerfile: DOCKERFILE,
  "public/index.php": INDEX,
  "perf-gate.yml": CONFIG,
};

interface BakeTarget {
  args: Record<string, string>;
  "cache-from": string[];
  "cache-to": string[];
}

describe.skipIf(act === null || process.env["PERF_GATE_TEST_ENGINE"] === undefined)(
  "a compose file of the caller",
  { timeout: PATIENCE },
  () => {
    test("its images are baked with GitHub's cache, and taken; no credential of the job is in build or service", async () => {
      const made = caller({ "README.md": "a change\n" }, SHOP);
      const api = await apiOf(made);
      const env = Object.fromEntries(CREDENTIALS.map((name) => [name, `${MARK}-${name}`]));
      const { log, commands } = await run(made, "pull_request", "perf.yml", { api, env });
      expect(log).toContain("the workflow says verdict=[inconclusive] result=[success]");
      expect(commands.filter((command) => command.startsWith("::error"))).toEqual([]);

      // Baked by the step that has the token of the cache, and by nobody else.
      const baked = /written to (\/\S+)\/build\/bake\.json: base-app, head-app/.exec(log);
      expect(log).toContain("Success - Main Build the images");
      expect(log).toContain("git token: []");
      expect(log).not.toContain("building base-app");
      const text = readFileSync(join(made.artifacts, "bake.json"), "utf8");
      const { target } = JSON.parse(text) as { target: Record<string, BakeTarget> };
      expect(text).not.toContain(MARK);
      for (const [name, { args, "cache-from": from, "cache-to": to }] of Object.entries(target)) {
        expect(args[PLAIN]).toBe("octo/shop");
        expect(from).toContain(`type=gha,scope=perf-gate-${name}`);
        expect(to).toEqual([`type=gha,scope=perf-gate-${name},mode=max,ignore-error=true`]);
      }

      // The artifact holds neither the arguments of the builds nor a credential, and nothing of the run is left.
      const artifact = join(made.directory, "artifact");
      execFileSync("python3", ["-m", "zipfile", "-e", join(made.artifacts, "perf-gate.zip"), artifact]);
      const files = readdirSync(artifact, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      // Each version answered, so nothing had arrived there.
      const census = JSON.parse(readFileSync(join(artifact, "census.json"), "utf8")) as Census;
      expect(census.scenarios.map(({ arms }) => [arms.base.statuses, arms.head.statuses])).toEqual([[[200], [200]]]);
      const names = files.map(({ name }) => name);
      expect(names).toContain("plan.json");
      expect(names).not.toContain("bake.json");
      for (const { name, parentPath } of files) {
        expect(readFileSync(join(parentPath, name), "utf8"), name).not.toContain(MARK);
      }
      const filter = ["--quiet", "--filter", `label=${WORK_LABEL}=${baked?.[1] ?? ""}`];
      expect(execFileSync("docker", ["image", "ls", ...filter], { encoding: "utf8" })).toBe("");
    });
  },
);

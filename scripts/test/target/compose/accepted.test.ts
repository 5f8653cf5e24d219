import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ARMS, type BuildCache } from "../../../src/core/model.ts";
import { bakeFile } from "../../../src/target/compose/bake.ts";
import { cacheEntries } from "../../../src/target/compose/build-cache.ts";
import { armProject, composeText, sharedProject } from "../../../src/target/compose/project.ts";
import { type ComposeModel, mapValues, pick } from "../../../src/target/compose/types.ts";
import { buildxVersion, composeVersion, EXAMPLES, type Example, example, LABELS, OPTIONS } from "./examples.ts";

const directory = mkdtempSync(join(tmpdir(), "perf-gate-compose-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What the real plugin says to a text; throws with its words where it says no. */
function docker(args: (file: string) => string[], text: string): string {
  const file = join(directory, "file.json");
  writeFileSync(file, text);
  return execFileSync("docker", args(file), { encoding: "utf8", stdio: "pipe", env: { ...process.env, TOKEN: "t" } });
}

const readBack = (model: ComposeModel): ComposeModel =>
  JSON.parse(docker((file) => ["compose", "-f", file, "config", "--format", "json"], composeText(model)));

/** An example at its fullest: limits and a delay on the way to its database. */
function projectsOf(name: Example) {
  const link = { port: null, latencyMs: 1, jitterMs: 0 };
  const options = {
    ...OPTIONS[name],
    resources: { cpus: 1, memoryBytes: 2 ** 31, by: "quota" } as const,
    links: { [name === "awkward" ? "db" : name === "laravel" ? "mysql" : "database"]: link },
  };
  const [base, head] = ARMS.map((arm) => armProject(example(name), { ...options, arm })) as [
    ComposeModel,
    ComposeModel,
  ];
  return { base, head, shared: sharedProject(example(name), options) };
}

describe.skipIf(composeVersion() === null)("docker compose", () => {
  test.each(EXAMPLES)("takes the projects of %s, and says the same of them", (name) => {
    for (const project of Object.values(projectsOf(name))) {
      if (project === null) continue;
      const again = readBack(project);
      expect(Object.keys(again.services).toSorted()).toEqual(Object.keys(project.services).toSorted());
      for (const [key, { environment, healthcheck, networks, mem_limit }] of Object.entries(project.services)) {
        expect(again.services[key]?.["environment"]).toEqual(environment);
        expect(again.services[key]?.networks).toEqual(networks);
        expect(again.services[key]?.["mem_limit"]).toEqual(mem_limit);
        expect(again.services[key]?.healthcheck?.test).toEqual(healthcheck?.test);
      }
    }
  });

  test("and would have refused an unknown key", () => {
    expect(() => readBack({ services: { app: { image: "x", unknown: 1 } } })).toThrow("unknown");
  });
});

describe.skipIf(buildxVersion() === null)("docker buildx bake", () => {
  /** The targets as bake understood them; its words are escaped again where a bake file needs it. */
  function printed(name: Example) {
    mkdirSync(join(directory, "docker"), { recursive: true });
    writeFileSync(join(directory, "docker/key"), "secret");
    const bake = bakeFile(projectsOf(name), LABELS, { from: ["type=local,src=/c/{target}"], to: [] });
    const text = JSON.stringify(bake?.file).replaceAll("/tree", directory);
    const print = (file: string) => ["buildx", "bake", "-f", file, "--print", ...(bake?.targets ?? [])];
    return {
      written: JSON.parse(text).target as Record<string, Record<string, unknown>>,
      read: JSON.parse(docker(print, text)).target as Record<string, Record<string, unknown>>,
    };
  }

  test.each(EXAMPLES)("takes the builds of %s", (name) => {
    const { written, read } = printed(name);
    expect(Object.keys(read).toSorted()).toEqual(Object.keys(written).toSorted());
    for (const [target, build] of Object.entries(written)) {
      const { output, attest, secret, ["cache-from"]: from, ...plain } = build;
      expect(read[target]).toMatchObject(plain);
      expect(read[target]?.["cache-from"]).toHaveLength((from as unknown[]).length);
    }
  });

  test("takes secrets from files and from the environment", () => {
    expect(printed("awkward").read["base-app"]?.["secret"]).toEqual([
      { id: "token", env: "TOKEN" },
      { id: "deploy", src: join(directory, "docker/key") },
    ]);
  });

  test.each<BuildCache>([
    { kind: "folder", path: "/c" },
    { kind: "registry", repository: "ghcr.io/shop/cache" },
    { kind: "gha" },
  ])("has the cache of a run in the same place as by hand: $kind", (cache) => {
    const entries = cacheEntries(cache);
    const build = { context: "/x" };
    const [base, head] = ARMS.map(() => ({ services: { app: { image: "t", build }, web: { image: "t", build } } }));
    const bake = bakeFile({ base: base as ComposeModel, head: head as ComposeModel }, LABELS, entries);
    // Without these, bake takes entries of GitHub's cache for nobody's.
    const env = {
      ...process.env,
      ...{
        ACTIONS_RUNTIME_TOKEN: "t",
        ACTIONS_CACHE_URL: "https://cache.test/",
        ACTIONS_RESULTS_URL: "https://cache.test/",
      },
      ...{ CACHE_FROM: entries.from[0], CACHE_TO: entries.to[0] },
    };
    const print = (file: string) => {
      const args = ["buildx", "bake", "-f", file, "--print"];
      const { target } = JSON.parse(
        execFileSync("docker", [...args, ...(bake?.targets ?? [])], { env, stdio: "pipe" }).toString(),
      );
      return mapValues(target as Record<string, object>, (it) => pick({ ...it }, (_, key) => key.startsWith("cache-")));
    };
    const file = join(directory, "cache.json");
    writeFileSync(file, JSON.stringify(bake?.file));
    const byHand = print(join(import.meta.dirname, "../../../../docker/docker-bake.hcl"));
    expect(byHand["head-web"]).toMatchObject({ "cache-to": [{ mode: "max" }] });
    expect(print(file)).toEqual(byHand);
  });
});

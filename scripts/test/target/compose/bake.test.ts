// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how bake files and Dockerfiles name variables.
import { describe, expect, test } from "vitest";
import { bakeFile } from "../../../src/target/compose/bake.ts";
import { armProject, sharedProject } from "../../../src/target/compose/project.ts";
import type { Build, ComposeModel } from "../../../src/target/compose/types.ts";
import { type Example, example, LABELS, OPTIONS } from "./examples.ts";

const NO_CACHE = { from: [], to: [] };

const projects = (name: Example, image: string | null = null) => ({
  base: armProject(example(name), { ...OPTIONS[name], arm: "base", image }),
  head: armProject(example(name), { ...OPTIONS[name], arm: "head" }),
  shared: sharedProject(example(name), OPTIONS[name]),
});

/** The target of a build, without what every target has. */
function targetOf(build: Build, platform?: string): object {
  const service = { build, image: "tag", ...(platform === undefined ? {} : { platform }) };
  const bake = bakeFile({ base: { services: { app: service } }, head: { services: {} } }, LABELS, NO_CACHE);
  const { tags, labels, output, attest, ...rest } = (bake?.file.target["base-app"] ?? {}) as Record<string, unknown>;
  return rest;
}

test("every key of a build is in the words of bake, and what would reach beyond this run is left out", () => {
  expect(bakeFile(projects("awkward"), LABELS, NO_CACHE)?.file.target["base-app"]).toEqual({
    context: "/tree/docker",
    dockerfile: "/tree/docker/php/Dockerfile",
    args: { GREETING: "cost $5", EMPTY: "" },
    labels: { team: "shop", ...LABELS },
    tags: ["perf-gate/k3:base-app"],
    "no-cache": true,
    pull: true,
    secret: ["id=token,type=env,env=TOKEN", "id=deploy,type=file,src=/tree/docker/key"],
    "shm-size": "67108864",
    ulimits: ["nofile=1024:2048", "nproc=512"],
    "extra-hosts": { mirror: "10.0.0.1,10.0.0.2", v6: "::1" },
    output: ["type=docker"],
    attest: ["type=provenance,disabled=true"],
  });
});

test("one file for all projects; a service that only names a built image is not built", () => {
  const bake = bakeFile(projects("laravel"), LABELS, NO_CACHE);
  expect(bake?.targets).toEqual(["base-laravel_test", "head-laravel_test"]);
  expect(Object.keys(bake?.file.target ?? {})).toEqual(bake?.targets);
});

test("an arm by image is not built", () => {
  expect(bakeFile(projects("laravel", "shop:1"), LABELS, NO_CACHE)?.targets).toEqual(["head-laravel_test"]);
});

test("what is shared is built once", () => {
  const model: ComposeModel = { services: { app: { image: "x" }, db: { build: { context: "/db" } } } };
  const options = { ...OPTIONS.awkward, shared: ["db"] };
  const bake = bakeFile(
    {
      base: armProject(model, { ...options, arm: "base" }),
      head: armProject(model, { ...options, arm: "head" }),
      shared: sharedProject(model, options),
    },
    LABELS,
    NO_CACHE,
  );
  expect(bake?.file.target).toMatchObject({ "shared-db": { context: "/db", tags: ["perf-gate/k3:shared-db"] } });
  expect(bake?.targets).toEqual(["shared-db"]);
});

test("nothing to build: no file", () => {
  expect(
    bakeFile({ base: { services: { app: { image: "x" } } }, head: { services: {} } }, LABELS, NO_CACHE),
  ).toBeNull();
});

describe("single keys", () => {
  test.each<[string, Build, object]>([
    [
      "a remote context",
      { context: "https://x/y.git", dockerfile: "D" },
      { context: "https://x/y.git", dockerfile: "D" },
    ],
    ["a Dockerfile elsewhere", { context: "/a", dockerfile: "/b/D" }, { context: "/a", dockerfile: "/b/D" }],
    ["args without a value", { args: { A: null, B: "x" } }, { args: { B: "x" } }],
    [
      "templates",
      { dockerfile_inline: "RUN echo $$HOME $${A} $$$$ %{x}" },
      { "dockerfile-inline": "RUN echo $HOME $${A} $$ %%{x}" },
    ],
    ["keys of the agent", { ssh: ["default"] }, { ssh: ["default"] }],
    ["one platform", { platforms: ["linux/arm64"] }, { platforms: ["linux/arm64"] }],
    ["privileges", { privileged: true, network: "none" }, { entitlements: ["security.insecure"], network: "none" }],
    ["layers", { target: "prod", no_cache_filter: ["deps"] }, { target: "prod", "no-cache-filter": ["deps"] }],
  ])("%s", (_, build, expected) => {
    expect(targetOf(build)).toEqual(expected);
  });

  test("the service's platform is the one that is built", () => {
    expect(targetOf({ platforms: ["linux/amd64", "linux/arm64"] }, "linux/arm64")).toEqual({
      platforms: ["linux/arm64"],
    });
  });
});

describe("contexts", () => {
  test("another service's image is that target, of the same arm", () => {
    const { target } = bakeFile(projects("symfony"), LABELS, NO_CACHE)?.file ?? { target: {} };
    expect(target["head-php"]).toMatchObject({ contexts: { assets: "target:head-assets" } });
    expect(Object.keys(target)).toContain("head-assets");
  });

  test("of the shared project, where it runs there; the image itself, where nothing is built", () => {
    const build = { context: "/x", additional_contexts: { db: "service:d.b", old: "service:old", src: "/src" } };
    const base = { services: { app: { image: "t", build }, old: { image: "shop:1" } } };
    const shared = { services: { "d.b": { image: "t2", build: { context: "/db" } } } };
    const bake = bakeFile({ base, head: { services: {} }, shared }, LABELS, NO_CACHE);
    expect(bake?.file.target["base-app"]).toMatchObject({
      contexts: { db: "target:shared-d_b", old: "docker-image://shop:1", src: "/src" },
    });
  });
});

test("caches: both arms may read what either wrote, each writes its own", () => {
  const cache = { from: ["type=local,src=/c/{target}"], to: ["type=local,dest=/c/{target},mode=max"] };
  const { target } = bakeFile(projects("symfony"), LABELS, cache)?.file ?? { target: {} };
  expect(target["head-php"]).toMatchObject({
    "cache-from": ["type=gha,scope=php", "type=local,src=/c/head-php", "type=local,src=/c/base-php"],
    "cache-to": ["type=local,dest=/c/head-php,mode=max"],
  });
});

test("what a build asks for is allowed, no more", () => {
  const build = { context: "/x", network: "host", privileged: true, ssh: ["default"] };
  const base = { services: { app: { image: "t", build } } };
  expect(bakeFile({ base, head: base }, LABELS, NO_CACHE)?.allow).toEqual(["security.insecure", "network.host", "ssh"]);
  expect(bakeFile(projects("laravel"), LABELS, NO_CACHE)?.allow).toEqual([]);
});

test("local files that are built from are named, Dockerfiles elsewhere among them", () => {
  const build = { context: "/x", dockerfile: "/y/D", additional_contexts: { a: "service:b", c: "/z", d: "https://e" } };
  const secrets = [{ source: "key" }, { source: "token" }];
  const base: ComposeModel = {
    services: { app: { image: "t", build: { ...build, secrets } } },
    secrets: { key: { file: "/k" }, token: { environment: "TOKEN" } },
  };
  expect(bakeFile({ base, head: base }, LABELS, NO_CACHE)?.reads).toEqual(["/x", "/y/D", "/z", "/k"]);
});

test.each(["ACTIONS_RUNTIME_TOKEN", "GITHUB_TOKEN", "K6_PROMETHEUS_RW_PASSWORD"])("no build gets %s", (environment) => {
  const services = { app: { image: "t", build: { context: "/x", secrets: [{ source: "key" }] } } };
  const head: ComposeModel = { services, secrets: { key: { environment } } };
  expect(() => bakeFile({ base: { services: {} }, head }, LABELS, NO_CACHE)).toThrow(
    `compose file: secrets.key.environment: expected a variable of your own; got ${environment}`,
  );
});

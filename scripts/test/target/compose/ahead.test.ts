import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ARMS, type Arm, type TargetConfig } from "../../../src/core/model.ts";
import { cleanPhase } from "../../../src/phases/clean.ts";
import { quietProgress } from "../../../src/phases/progress.ts";
import { WorkDirectory } from "../../../src/phases/work-directory.ts";
import { buildAhead } from "../../../src/target/compose/ahead.ts";
import { WORK_LABEL } from "../../../src/target/compose/images.ts";
import { get } from "../../../src/target/http.ts";
import { startTarget } from "../../../src/target/start.ts";
import { makeSite } from "../app.ts";

/** The real engine. */

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const docker = (...args: string[]): string => execFileSync("docker", args, { encoding: "utf8", stdio: "pipe" }).trim();

const COMPOSE = `services:
  app:
    build: { context: ., dockerfile: app/Dockerfile }
    command: php -S 0.0.0.0:8080 -t /srv/app
`;
const FILES = {
  "compose.yml": COMPOSE,
  "app/Dockerfile": "FROM php:8.4-fpm\nCOPY app /srv/app\n",
  "app/index.php": "<?php echo file_get_contents(__DIR__ . '/tree.txt');",
};

/** Two trees whose images are built, and the options to start them with. */
function siteOf(target: Partial<TargetConfig> = {}) {
  const compose = { file: "compose.yml", service: "app", port: 8080, restart: ["app"], shared: [] };
  const site = makeSite({
    target: { compose: { ...compose, census: { mysql: null, redis: null } }, healthPath: "/", ...target },
  });
  const { options, directory, workDirectory } = site;
  options.plan.driver = "compose";
  const write = (arm: Arm, path: string, text: string) => {
    mkdirSync(dirname(join(directory, arm, path)), { recursive: true });
    writeFileSync(join(directory, arm, path), text);
  };
  for (const arm of ARMS) {
    for (const [path, text] of Object.entries({ ...FILES, "app/tree.txt": arm })) write(arm, path, text);
  }
  const images = () =>
    docker("image", "ls", "--quiet", "--no-trunc", "--filter", `label=${WORK_LABEL}=${workDirectory}`)
      .split("\n")
      .filter(Boolean);
  cleanups.push(() => {
    expect(images()).toEqual([]);
    site.remove();
  });
  const clean = () => cleanPhase(new WorkDirectory(workDirectory), quietProgress(process.stderr), options.signal);
  return { ...site, write, images, clean };
}

/** What the arms answer, once started. */
async function answers({ options }: ReturnType<typeof siteOf>): Promise<string[]> {
  const target = await startTarget(options);
  try {
    return await Promise.all(ARMS.map(async (arm) => (await get(`${await target.hostUrl(arm)}/`)).body));
  } finally {
    await target.close();
  }
}

describe.skipIf(process.env.PERF_GATE_TEST_ENGINE === undefined)("images built ahead", () => {
  test("are taken by the run, and removed with it", async () => {
    const site = siteOf();
    expect((await buildAhead(site.options, null)).targets).toEqual(["base-app", "head-app"]);
    expect(site.images()).toHaveLength(2);
    expect(existsSync(join(site.workDirectory, "state"))).toBe(false);
    expect(site.progress.filter((line) => line.startsWith("building"))).toEqual(["building base-app, head-app"]);
    expect(await answers(site)).toEqual(["base", "head"]);
    expect(site.progress.filter((line) => line.startsWith("building"))).toHaveLength(1);
  }, 120_000);

  test("are not taken once a tree has changed", async () => {
    const site = siteOf();
    await buildAhead(site.options, null);
    site.write("head", "app/tree.txt", "other");
    expect(await answers(site)).toEqual(["base", "other"]);
    expect(site.progress).toContain(
      "what was built ahead is not of this plan, or its files have changed since: building again",
    );
  }, 120_000);

  test("are not taken by another plan of the same trees", async () => {
    const site = siteOf();
    await buildAhead(site.options, null);
    site.options.plan.id = "1";
    expect(await answers(site)).toEqual(["base", "head"]);
    expect(site.progress.filter((line) => line.startsWith("building"))).toHaveLength(2);
  }, 120_000);

  test("by somebody else, who has the bake file alone", async () => {
    const site = siteOf();
    const file = join(site.directory, "out/bake.json");
    const { reads } = await buildAhead(site.options, file);
    expect(site.images()).toEqual([]);
    const allow = reads.map((path) => `--allow=fs.read=${path}`);
    docker("buildx", "bake", "--file", file, ...allow);
    expect(site.images()).toHaveLength(2);
    expect(await answers(site)).toEqual(["base", "head"]);
    expect(site.progress.filter((line) => line.startsWith("building"))).toEqual([]);
  }, 120_000);

  test("are removed by clean, and by the next build", async () => {
    const site = siteOf();
    await buildAhead(site.options, null);
    const before = site.images();
    await buildAhead({ ...site.options, plan: { ...site.options.plan, id: "1" } }, null);
    expect(site.images()).toHaveLength(2);
    expect(site.images()).not.toEqual(before);
    expect(await site.clean()).toMatchObject({ image: 2 });
    expect((await site.clean()).image).toBeUndefined();
  }, 120_000);

  test("a build that fails leaves none, and is quoted", async () => {
    const site = siteOf();
    site.write("head", "app/Dockerfile", "FROM php:8.4-fpm\nRUN echo no such extension >&2; exit 9\n");
    await expect(buildAhead(site.options, null)).rejects.toThrow(
      /^the images cannot be built \(app\/Dockerfile\)[\s\S]*no such extension/,
    );
    expect(existsSync(join(site.workDirectory, "logs/build.log"))).toBe(true);
  }, 120_000);

  test("nothing to build", async () => {
    const site = siteOf();
    for (const arm of ARMS) site.write(arm, "compose.yml", "services: { app: { image: 'php:8.4-fpm' } }\n");
    expect((await buildAhead(site.options, null)).targets).toEqual([]);
  }, 60_000);

  test("their layers are kept in a folder where the builder can export them, else it says what can", async () => {
    const site = siteOf();
    const folder = join(site.directory, "cache");
    site.options.plan.config.target.buildCache = { kind: "folder", path: folder };
    const canExport =
      docker("info", "--format", "{{.DriverStatus}}").includes("io.containerd.snapshotter") ||
      !/^Driver:\s+docker$/m.test(docker("buildx", "inspect"));
    const built = buildAhead(site.options, null);
    if (!canExport) {
      await expect(built).rejects.toThrow(
        "target.build-cache: this builder cannot export a cache. Make one that can, docker buildx create --use",
      );
      return;
    }
    await built;
    for (const arm of ARMS) expect(existsSync(join(folder, `${arm}-app`, "index.json"))).toBe(true);
    docker("buildx", "prune", "--all", "--force");
    await buildAhead({ ...site.options, plan: { ...site.options.plan, id: "1" } }, null);
    expect(readFileSync(join(site.workDirectory, "logs/build.log"), "utf8")).toMatch(/COPY app.*\n#\d+ CACHED/);
    await site.clean();
  }, 120_000);
});

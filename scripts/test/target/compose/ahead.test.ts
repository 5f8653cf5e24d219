import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ARMS, type Arm } from "../../../src/core/model.ts";
import { cleanPhase } from "../../../src/phases/clean.ts";
import { quietProgress } from "../../../src/phases/progress.ts";
import { WorkDirectory } from "../../../src/phases/work-directory.ts";
import { buildAhead } from "../../../src/target/compose/ahead.ts";
import { WORK_LABEL } from "../../../src/target/compose/images.ts";
import { body, cleanups, docker, siteOf, start } from "./site.ts";

const COMPOSE = `services:
  app:
    build: { context: ., dockerfile: app/Dockerfile }
    command: php -S 0.0.0.0:8080 -t /srv/app
`;
const MORE = { "app/Dockerfile": "FROM php:8.4-fpm\nCOPY app /srv/app\n" };

/** Two trees whose images are built. */
function builtSite() {
  const site = siteOf({ compose: COMPOSE, more: { base: MORE, head: MORE } });
  const { options, directory, workDirectory } = site;
  const images = () =>
    docker("image", "ls", "--filter", `label=${WORK_LABEL}=${workDirectory}`, "--format", "{{.Repository}}:{{.Tag}}")
      .split("\n")
      .filter(Boolean);
  cleanups.push(() => expect(images()).toEqual([]));
  return {
    ...site,
    images,
    write: (arm: Arm, path: string, text: string) => writeFileSync(join(directory, arm, path), text),
    building: () => site.progress.filter((line) => line.startsWith("building")),
    clean: () => cleanPhase(new WorkDirectory(workDirectory), quietProgress(process.stderr), options.signal),
  };
}

/** What the arms answer, once started. */
async function answers(site: ReturnType<typeof builtSite>): Promise<string[]> {
  const target = await start(site);
  const said = await Promise.all(ARMS.map((arm) => body(target, arm, "/tree")));
  await target.close();
  return said;
}

describe.skipIf(process.env.PERF_GATE_TEST_ENGINE === undefined)("images built ahead", () => {
  test("are taken by the run, and removed with it", async () => {
    const site = builtSite();
    expect(await buildAhead(site.options, null)).toEqual(["base-app", "head-app"]);
    expect(site.images()).toHaveLength(2);
    expect(existsSync(join(site.workDirectory, "state"))).toBe(false);
    expect(site.building()).toEqual(["building base-app, head-app"]);
    expect(await answers(site)).toEqual(["base", "head"]);
    expect(site.building()).toHaveLength(1);
  });

  test("are not taken once a tree has changed", async () => {
    const site = builtSite();
    await buildAhead(site.options, null);
    site.write("head", "app/tree.txt", "other");
    expect(await answers(site)).toEqual(["base", "other"]);
    expect(site.progress).toContain(
      "what was built ahead is not of this plan, or its files have changed since: building again",
    );
  });

  test("are not taken by another plan of the same trees", async () => {
    const site = builtSite();
    await buildAhead(site.options, null);
    site.options.plan.id = "1";
    expect(await answers(site)).toEqual(["base", "head"]);
    expect(site.building()).toHaveLength(2);
  });

  test("by somebody else, who has the bake file alone", async () => {
    const site = builtSite();
    const file = join(site.directory, "out/bake.json");
    await buildAhead(site.options, file);
    expect(site.images()).toEqual([]);
    docker("buildx", "bake", "--file", file, `--allow=fs.read=${site.directory}`);
    expect(site.images()).toHaveLength(2);
    expect(await answers(site)).toEqual(["base", "head"]);
    expect(site.building()).toEqual([]);
  });

  test("are removed by clean, and by the next build", async () => {
    const site = builtSite();
    await buildAhead(site.options, null);
    const before = site.images();
    await buildAhead({ ...site.options, plan: { ...site.options.plan, id: "1" } }, null);
    expect(site.images()).toHaveLength(2);
    expect(site.images()).not.toEqual(before);
    expect(await site.clean()).toMatchObject({ image: 2 });
    expect((await site.clean()).image).toBeUndefined();
  });

  test("a build that fails leaves none, and is quoted", async () => {
    const site = builtSite();
    site.write("head", "app/Dockerfile", "FROM php:8.4-fpm\nRUN echo no such extension >&2; exit 9\n");
    await expect(buildAhead(site.options, null)).rejects.toThrow(
      /^the images cannot be built \(app\/Dockerfile\)[\s\S]*no such extension/,
    );
    expect(existsSync(join(site.workDirectory, "logs/build.log"))).toBe(true);
  });

  test("nothing to build", async () => {
    const site = builtSite();
    for (const arm of ARMS) site.write(arm, "compose.yml", "services: { app: { image: 'php:8.4-fpm' } }\n");
    const file = join(site.directory, "bake.json");
    expect(await buildAhead(site.options, file)).toEqual([]);
    docker("buildx", "bake", "--file", file);
  });

  test.each([
    ["as the context", "https://example.invalid/app.git"],
    ["beside it", "{ context: ., additional_contexts: { more: 'https://example.invalid/app.git' } }"],
  ])("a repository %s is left to measure, for bake would show it a token", async (_, build) => {
    const site = builtSite();
    site.write("head", "compose.yml", `services: { app: { build: ${build} } }\n`);
    const file = join(site.directory, "bake.json");
    expect(await buildAhead(site.options, file)).toEqual([]);
    expect(site.progress).toContain("head-app: built from a repository elsewhere, left to measure");
    docker("buildx", "bake", "--file", file);
    expect(site.images()).toEqual([]);
  });

  test.each([
    ["a context elsewhere", "build: { context: .., dockerfile: head/app/Dockerfile }"],
    ["a context by a link", "build: { context: link, dockerfile_inline: 'FROM scratch' }"],
    ["a secret of the machine", "build: { context: ., secrets: [key] }"],
  ])("a bake file reads nothing but the trees: %s", async (_, line) => {
    const site = builtSite();
    symlinkSync("/proc/self", join(site.directory, "head/link"));
    symlinkSync("/proc/self/environ", join(site.directory, "head/key"));
    site.write("head", "compose.yml", `services: { app: { ${line} } }\nsecrets: { key: { file: key } }\n`);
    const file = join(site.directory, "bake.json");
    await expect(buildAhead(site.options, file)).rejects.toThrow(/^--bake-file: expected builds that read below/);
    expect(existsSync(file)).toBe(false);
  });

  test("their layers are kept in a folder where the builder can export them, else it says what can", async () => {
    const site = builtSite();
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
    expect(readFileSync(join(site.workDirectory, "logs/build.log"), "utf8")).toMatch(
      /#(\d+) \[head-app 2\/2\] COPY app[\s\S]*\n#\1 CACHED/,
    );
    await site.clean();
  });
});

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import { InputError } from "../../src/core/errors.ts";
import type { ArmSource, DriverName, Plan, TargetConfig } from "../../src/core/model.ts";
import { checkImages, checkVariant, chooseDriver, wantedDriver, whyDriver } from "../../src/phases/driver.ts";

const target = (yaml: string): TargetConfig =>
  parseConfig(`target: {${yaml}}`, { file: "perf-gate.yml", directory: "/", isFile: () => true }).target;

const COMPOSE = "compose: c.yml, service: app, port: 80";
const URLS = "url: {base: http://a, head: http://b}";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-driver-"));
  vi.stubEnv("PATH", directory);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

/** From here on a docker is in PATH whose engine, Compose and Buildx say this version. */
function installDocker(version: string): void {
  const path = join(directory, "docker");
  writeFileSync(path, `#!/bin/sh\necho ${version}\n`);
  chmodSync(path, 0o755);
}

const choose = (yaml: string, option?: string): Promise<DriverName> => {
  const settings = target(yaml);
  return chooseDriver(wantedDriver(option, settings), settings);
};

describe("auto", () => {
  test.each([
    [URLS, "url"],
    [COMPOSE, "compose"],
    ["start: php server.php", "process"],
    ["php: {binary: php-fpm8.2}", "process"],
    ["services: [mysql]", "process"],
  ])("%s: %s, without Docker", async (yaml, driver) => {
    expect(await choose(yaml)).toBe(driver);
  });

  test.each([
    ["services: [mysql]", "compose"],
    ["start: php server.php", "process"],
    ["php: {binary: php-fpm8.2}", "process"],
    [URLS, "url"],
  ])("%s: %s, with Docker", async (yaml, driver) => {
    installDocker("28.0");
    expect(await choose(yaml)).toBe(driver);
  });

  test("an engine that is too old counts for nothing", async () => {
    installDocker("20.10");
    expect(await choose("")).toBe("process");
  });

  test.skipIf(process.env["PERF_GATE_TEST_ENGINE"] === undefined)("the engine of this machine answers", async () => {
    vi.unstubAllEnvs();
    expect(await choose("")).toBe("compose");
  });

  test("an engine that does not answer is waited for 3 s", async () => {
    writeFileSync(join(directory, "docker"), "#!/bin/sh\nexec /bin/sleep 60\n", { mode: 0o755 });
    const started = performance.now();
    expect(await choose("")).toBe("process");
    // Its own answer would take a minute.
    expect(performance.now() - started).toBeLessThan(50_000);
  });
});

test("a program of this machine that one arm alone names decides as well", async () => {
  installDocker("28.0");
  const settings = target("services: [mysql]");
  const own = [{ ...settings, start: "php server.php" }];
  expect(await chooseDriver("auto", settings, own)).toBe("process");
  expect(await chooseDriver("auto", settings, [settings])).toBe("compose");
  expect(await chooseDriver("compose", settings, own)).toBe("compose");
});

test("a server of a variant is for processes alone", () => {
  const variant = { env: {}, php: {}, links: {}, start: "php server.php" };
  expect(() => checkVariant("process", "variants.v", variant)).not.toThrow();
  expect(() => checkVariant("compose", "variants.v", variant)).toThrow(
    /^driver compose: variants\.v\.start is for a program of this machine/,
  );
  expect(() => checkVariant("url", "variants.v", variant)).toThrow(InputError);
  expect(() => checkVariant("compose", "variants.v", { ...variant, start: null })).not.toThrow();
});

test("--driver comes before the configuration's", async () => {
  installDocker("28.0");
  expect(await choose("driver: url, url: {base: http://a, head: http://b}", "process")).toBe("process");
  expect(await choose("driver: process", "compose")).toBe("compose");
  expect(() => wantedDriver("k8s", target(""))).toThrow('--driver: allowed are auto, compose, process, url; got "k8s"');
});

test.each([
  ["", "url", /^driver url: target\.url\.base and target\.url\.head must say/],
  ["start: php server.php", "compose", /^driver compose: target\.start is for a program of this machine/],
  ["php: {binary: php-fpm8.2}", "compose", /^driver compose: target\.php\.binary is for a program of this machine/],
  [COMPOSE, "process", /^driver process: target\.compose needs containers\. Use driver compose/],
  ["resources: 1C2G", "auto", /^driver process: target\.resources needs containers.*doctor --driver compose/],
  [`resources: 1C2G, ${URLS}`, "auto", /^driver url: target\.resources needs containers/],
  ["services: [mysql], links: {mysql: {latency: 1ms}}", "process", /^driver process: target\.links needs containers/],
])("{%s} with --driver %s is refused", async (yaml, option, message) => {
  await expect(choose(yaml, option)).rejects.toThrow(message);
});

const tree: ArmSource = { label: "a", directory: "/a", commit: null, repository: null, image: null };
const image: ArmSource = { ...tree, directory: null, image: `shop@sha256:${"a".repeat(64)}` };

test("an image needs a compose file that starts it", () => {
  expect(() => checkImages({ base: image, head: tree }, "compose", target(COMPOSE))).not.toThrow();
  expect(() => checkImages({ base: tree, head: tree }, "process", target(""))).not.toThrow();
  expect(() => checkImages({ base: image, head: tree }, "compose", target(""))).toThrow(
    /^--base: an image .*compose\)/,
  );
  expect(() => checkImages({ base: tree, head: image }, "process", target(""))).toThrow(
    /^--head: an image .*process\)/,
  );
});

test.each<[DriverName, string, string | null]>([
  ["process", "driver: process", null],
  ["url", URLS, "target.url is there"],
  ["compose", COMPOSE, "target.compose is there"],
  ["compose", "", "a Docker engine answers"],
  ["process", "start: php server.php", "target.start is there"],
  ["process", "php: {binary: php-fpm8.2}", "target.php.binary is there"],
  ["process", "", "no Docker engine 25 or newer with Compose 2.24 and Buildx answers"],
])("why driver %s with {%s}: %s", (driver, yaml, why) => {
  expect(whyDriver({ driver, config: { target: target(yaml) } } as Plan)).toBe(why);
});

test("why driver process where one arm alone has a server of its own", () => {
  const config = { target: target("") };
  const own = { head: { target: { ...config.target, start: "php server.php" } } };
  const arms = { base: tree, head: { ...tree, label: "variant=server" } };
  const plan = { driver: "process", config, own, arms } as unknown as Plan;
  expect(whyDriver(plan)).toBe("target.start of variant=server is there");
});

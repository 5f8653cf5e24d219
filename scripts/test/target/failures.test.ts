import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { MeasureError } from "../../src/core/errors.ts";
import { FrontLogs } from "../../src/target/front.ts";
import { LogReader } from "../../src/target/log.ts";
import { startTarget } from "../../src/target/start.ts";
import { type Changes, makeSite, processesIn, type Site } from "./app.ts";

/** The message of a start that fails, with nothing left running. */
async function failure(changes: Changes): Promise<{ message: string; site: Site }> {
  const site = makeSite(changes);
  onTestFinished(site.remove);
  const error = await startTarget(site.options).then(
    () => new Error("it started"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(MeasureError);
  expect(processesIn(site.directory)).toEqual([]);
  return { message: (error as Error).message, site };
}

test("a prepare command that fails: arm, command, status, log", async () => {
  const { message, site } = await failure({
    target: { prepare: ["echo fine", "test -f only-in-base || { echo no such migration >&2; exit 7; }", "touch late"] },
    files: { base: { "only-in-base": "" } },
  });
  expect(message).toContain("prepare of head failed: test -f only-in-base");
  expect(message).toContain("exit status 7");
  expect(message).toContain("no such migration");
  expect(message).toContain(join(site.workDirectory, "logs/prepare-head.log"));
  expect(() => readFileSync(join(site.directory, "head/late"))).toThrow();
});

test("a health path that answers 500", async () => {
  const { message } = await failure({ target: { healthPath: "/500" } });
  expect(message).toMatch(/^base is not healthy: GET http:\/\/127\.0\.0\.1:\d+\/500 \(Host: shop\.example\)/);
  expect(message).toContain("status 500: broken on purpose");
});

test("a PHP syntax error in the head can be read", async () => {
  const { message } = await failure({ files: { head: { "index.php": "<?php\n\nfunction {" } } });
  expect(message).toContain("head is not healthy");
  expect(message).toContain("PHP Parse error:");
  expect(message).toContain("head/index.php on line 3");
});

test.each([
  ["document root", { target: { root: "public" } }, /target\.root: .*\/base\/public of base is not a directory/],
  ["front controller", { target: { index: "app.php" } }, /target\.index: .*\/base\/app\.php of base does not exist/],
  ["php-fpm", { php: { binary: "/nowhere/php-fpm" } }, /target\.php\.binary: \/nowhere\/php-fpm is not/],
])("%s missing", async (_, changes, expected) => {
  expect((await failure(changes)).message).toMatch(expected);
});

test("php-fpm that does not start shows its log", async () => {
  const { message } = await failure({ php: { workers: 0 } });
  expect(message).toContain("php-fpm of base did not start");
  expect(message).toContain("pm.max_children must be a positive value");
});

test("a server of the user's own that ends at once", async () => {
  const { message } = await failure({ target: { start: "echo cannot listen; exit 3" } });
  expect(message).toContain("base: target.start ended: echo cannot listen; exit 3");
  expect(message).toContain("\n| cannot listen");
});

test("a program that is not installed: the package and where to look", async () => {
  const path = process.env.PATH;
  process.env.PATH = "/nowhere";
  onTestFinished(() => {
    process.env.PATH = path;
  });
  const { message } = await failure({ target: { services: ["redis"] } });
  expect(message).toBe(
    "taskset is not installed: apt-get install util-linux; ./scripts/perf-gate doctor lists everything that is missing",
  );
});

const SLEEP_SECONDS = 60;
test.each([
  ["while it prepares", [`sleep ${SLEEP_SECONDS}`], 300],
  ["before it starts", [], 0],
])("abort %s: it rejects and nothing is left", async (_, prepare, afterMs) => {
  const site = makeSite({ target: { prepare } });
  onTestFinished(site.remove);
  const start = performance.now();
  if (afterMs === 0) site.abort.abort();
  else setTimeout(() => site.abort.abort(), afterMs);
  await expect(startTarget(site.options)).rejects.toThrow(/abort/i);
  // What it prepares takes longer.
  expect(performance.now() - start).toBeLessThan(SLEEP_SECONDS * 1000);
  expect(processesIn(site.directory)).toEqual([]);
});

test("abort while it runs takes everything down", async () => {
  const site = makeSite();
  onTestFinished(site.remove);
  const target = await startTarget(site.options);
  expect(processesIn(site.directory).length).toBeGreaterThan(4);
  site.abort.abort();
  await target.close();
  expect(processesIn(site.directory)).toEqual([]);
  await expect(target.restart()).rejects.toThrow();
});

test("driver url: what runs already is checked, and nothing else", async () => {
  const site = makeSite();
  onTestFinished(site.remove);
  const running = await startTarget(site.options);
  onTestFinished(running.close);
  const options = structuredClone({ plan: site.options.plan });
  options.plan.driver = "url";
  options.plan.config.target.url = { base: `${running.url("base")}/`, head: running.url("head") };
  const target = await startTarget({ ...site.options, ...options });
  expect(target.url("base")).toBe(running.url("base"));
  expect(target.usage("base")).toBeNull();
  expect(await target.versions()).toEqual({});
  await target.close();
  options.plan.config.target.healthPath = "/500";
  await expect(startTarget({ ...site.options, ...options })).rejects.toThrow(/base is not healthy/);
});

test("logs are read from where they were read, a line at a time", () => {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const log = join(directory, "log");
  const reader = new LogReader(log);
  expect(reader.newLines()).toEqual([]);
  writeFileSync(log, "one\ntw");
  expect(reader.newLines()).toEqual(["one"]);
  appendFileSync(log, `o\n${"x".repeat(100_000)}\n`);
  expect(reader.newLines()).toEqual(["two", "x".repeat(100_000)]);
  appendFileSync(log, "skipped\nhal");
  reader.skip();
  appendFileSync(log, "f\nnext\n");
  expect(reader.newLines()).toEqual(["f", "next"]);
});

test("overflows, ports and dead workers in the logs", () => {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const nginx = join(directory, "nginx");
  const fpm = join(directory, "fpm");
  const logs = new FrontLogs(nginx, fpm);
  const upstream = "while connecting to upstream, client: 127.0.0.1, server: _";
  writeFileSync(
    nginx,
    [
      `2026/01/02 03:04:05 [error] 7#7: *1 connect() to unix:/s.sock failed (11: Resource temporarily unavailable) ${upstream}`,
      `2026/01/02 03:04:05 [crit] 7#7: *2 connect() to 127.0.0.1:9000 failed (99: Cannot assign requested address) ${upstream}`,
      "2026/01/02 03:04:05 [error] 7#7: *3 recv() failed (104: Connection reset by peer) while reading response header",
      "",
    ].join("\n"),
  );
  writeFileSync(fpm, "WARNING: [pool www] child 8 exited on signal 9 (SIGKILL) after 1.2 seconds from start\n");
  expect(logs.update()).toMatchObject({ listenOverflows: 1, portErrors: 1, workersDied: 1 });
  appendFileSync(fpm, "PHP Warning: mysqli::__construct(): (HY000/2002): Cannot assign requested address\n");
  expect(logs.update()).toMatchObject({ listenOverflows: 1, portErrors: 2, workersDied: 1 });
  logs.reset();
  expect(logs.update()).toMatchObject({ listenOverflows: 0, portErrors: 0, workersDied: 0 });
});

test("a target that nobody closed is taken down by close() during its restart", async () => {
  const site = makeSite();
  onTestFinished(site.remove);
  const target = await startTarget(site.options);
  const restarting = target.restart().catch(() => null);
  await sleep(10);
  await target.close();
  await restarting;
  expect(processesIn(site.directory)).toEqual([]);
});

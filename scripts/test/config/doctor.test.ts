import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { diagnose, type Finding, renderDoctor } from "../../src/config/doctor.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-doctor-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A program that prints `output`, whatever it is asked. */
function program(name: string, output: string): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\ncat <<'END'\n${output}\nEND\n`);
  chmodSync(path, 0o755);
  return path;
}

const sudo = process.getuid?.() === 0 ? "" : "sudo ";
const MACHINE = ["CPUs", "cgroup", "free disk", "open files", "source ports"];

async function byName(options: Parameters<typeof diagnose>[0]): Promise<(name: string) => Finding | undefined> {
  const findings = await diagnose({ directories: [directory], ...options });
  return (name) => findings.find((finding) => finding.name === name);
}

test("a machine with nothing: what is asked for, in order, and nothing that is not", async () => {
  const findings = await diagnose({ directories: [directory], services: ["mysql", "redis", "http"] });
  const programs = findings.filter(({ name }) => !MACHINE.includes(name) && name !== "node");
  expect(programs.map(({ name, needed, found }) => [name, needed, found])).toEqual([
    ["k6", "required", null],
    ["Docker engine", "optional", null],
    ["php-fpm", "required", null],
    ["php", "optional", null],
    ["nginx", "required", null],
    ["mariadbd", "required", null],
    ["mariadb-install-db", "required", null],
    ["mariadb", "required", null],
    ["redis-server", "required", null],
    ["redis-cli", "required", null],
    ["taskset", "required", null],
    ["git", "optional", null],
    ["openssl", "optional", null],
    ["jq", "optional", null],
    ["gnuplot", "optional", null],
  ]);
  const url = await diagnose({ directories: [directory], services: ["mysql"], driver: "url" });
  expect(url.map(({ name }) => name)).toEqual(["node", "k6", "taskset", "git", "jq", "gnuplot", ...MACHINE]);
});

test("another version of k6 does not count", async () => {
  const k6 = program("k6", "k6 v1.2.0 (go1.24, linux/amd64)");
  expect((await byName({}))("k6")).toEqual({
    name: "k6",
    needed: "required",
    found: null,
    instead: `1.2.0 (${k6})`,
    wanted: "exactly 1.8.1: another one measures differently",
    fix: "./scripts/setup.sh",
  });
  expect((await byName({ k6Version: "1.2.0" }))("k6")?.found).toBe(`1.2.0 (${k6})`);
  expect((await byName({ k6, directories: [] }))("k6")?.instead).toBe(`1.2.0 (${k6})`);
  expect((await byName({ k6: join(directory, "none") }))("k6")?.instead).toBeNull();
});

test("the newest php-fpm and the extensions it loads; Debian's packages for the others", async () => {
  program("apt-get", "");
  program("php-fpm7.3", "PHP 7.3.33 (fpm-fcgi)");
  const old = await byName({});
  expect([old("php-fpm")?.found, old("php-fpm")?.instead]).toEqual([null, `7.3.33 (${join(directory, "php-fpm7.3")})`]);

  const fpm = program("php-fpm8.10", "PHP 8.10.1 (fpm-fcgi)\n[PHP Modules]\nredis\n");
  program("php-fpm8.9", "PHP 8.9.1");
  const found = await byName({ services: ["mysql", "redis"] });
  expect(found("php-fpm")?.found).toBe(`8.10.1 (${fpm})`);
  expect(found("PHP extension redis")?.found).toBe(`loaded by ${fpm}`);
  expect(found("PHP extension opcache")).toMatchObject({ found: null, fix: `${sudo}apt-get install php8.10-opcache` });
  expect(found("PHP extension pdo_mysql")).toMatchObject({ found: null, fix: `${sudo}apt-get install php8.10-mysql` });
  expect(found("nginx")?.fix).toBe(`${sudo}apt-get install nginx`);

  const named = await byName({ phpBinary: "php-fpm8.3" });
  expect(named("php-fpm")).toMatchObject({ found: null, fix: `${sudo}apt-get install php8.3-fpm` });
});

/** A docker command with an engine, Compose and Buildx of these versions; "" = the call fails. */
function docker(engine: string, compose: string, buildx: string): string {
  const answer = (text: string) => (text === "" ? "exit 1" : `echo "${text}"; echo "WARNING: No swap limit 1.0" >&2`);
  const path = program("docker", "");
  const calls = `info) ${answer(engine)};;\ncompose) ${answer(compose)};;\nbuildx) ${answer(buildx)};;`;
  writeFileSync(path, `#!/bin/sh\ncase $1 in\n${calls}\nesac\n`);
  return path;
}

test("where Docker answers, auto asks for no server programs; driver process does", async () => {
  const path = docker("28.5.2+dfsg3", "2.40.3-3", "github.com/docker/buildx 0.29.1+ds1 0.29.1+ds1-4");
  const findings = await diagnose({ directories: [directory], services: ["mysql", "redis"] });
  const programs = findings.filter(({ name }) => !MACHINE.includes(name) && name !== "node");
  expect(programs.map(({ name, needed, found }) => [name, needed, found])).toEqual([
    ["k6", "required", null],
    ["Docker engine", "required", `28.5.2+dfsg3 (${path})`],
    ["docker compose", "required", `2.40.3-3 (${path})`],
    ["docker buildx", "required", `0.29.1+ds1 (${path})`],
    ["taskset", "required", null],
    ["git", "optional", null],
    ["openssl", "optional", null],
    ["jq", "optional", null],
    ["gnuplot", "optional", null],
  ]);
  const processes = await byName({ driver: "process" });
  expect([processes("Docker engine"), processes("nginx")?.needed]).toEqual([undefined, "required"]);
});

test.each([
  ["nothing answers", ["", "2.24.0", "v0.12.1"], "Docker engine", null, /^`docker info` says why/],
  ["the engine is too old", ["20.10.24+dfsg1", "v2.24.0", "v0.12.1"], "Docker engine", "20.10.24+dfsg1", /^install it/],
  ["Compose is too old", ["25.0.0", "2.23.3", "v0.12.1"], "docker compose", "2.23.3", /^install the plugin/],
  ["Buildx is too old", ["25.0.0", "2.24.0", "v0.11.2"], "docker buildx", "0.11.2", /^install the plugin/],
  ["there is no Buildx", ["25.0.0", "2.24.0", ""], "docker buildx", null, /^install the plugin/],
])("%s: driver compose lacks it, auto takes processes", async (_, versions, name, instead, fix) => {
  const [engine = "", compose = "", buildx = ""] = versions;
  const path = docker(engine, compose, buildx);
  const there = instead === null ? null : `${instead} (${path})`;
  const lacking = { needed: "required", found: null, instead: there, fix: expect.stringMatching(fix) };
  expect((await byName({ driver: "compose" }))(name)).toMatchObject(lacking);
  const auto = await byName({});
  expect([auto(name)?.needed, auto("nginx")?.needed]).toEqual(["optional", "required"]);
});

test("a plugin that was built from source has no version that could be read, and counts", async () => {
  const path = docker("28.5.2", "2.40.3", "github.com/docker/buildx (devel)");
  expect((await byName({}))("docker buildx")).toMatchObject({
    needed: "required",
    found: `of an unknown version (${path})`,
  });
});

test("mysqld does as well as mariadbd; a client's own version is not MariaDB's", async () => {
  const server = program("mysqld", "mysqld  Ver 8.4.6 for Linux on x86_64");
  const client = program("mariadb", "mariadb  Ver 15.1 Distrib 10.11.6-MariaDB, for debian-linux-gnu");
  symlinkSync(client, join(directory, "mariadb-install-db"));
  const found = await byName({ services: ["mysql"] });
  expect(found("mariadbd")?.found).toBe(`8.4.6 (${server})`);
  expect(found("mariadb")?.found).toBe(`10.11.6 (${client})`);
  expect(found("mariadb-install-db")?.found).toBe(join(directory, "mariadb-install-db"));
});

test("a file that cannot be run is no program; one that fails has no version", async () => {
  writeFileSync(join(directory, "nginx"), "");
  const jq = join(directory, "jq");
  writeFileSync(jq, "#!/bin/sh\nexit 1\n");
  chmodSync(jq, 0o755);
  const found = await byName({});
  expect(found("nginx")?.found).toBeNull();
  expect(found("jq")?.found).toBe(jq);
});

test("this machine can be told about: a work directory that is not there yet is looked at from above", async () => {
  const found = await byName({ workDirectory: join(directory, "a/b") });
  expect(found("node")?.found).toContain(process.versions.node);
  expect(found("free disk")?.found).toMatch(new RegExp(`^[\\d,]+ MiB in ${directory}$`));
  for (const name of MACHINE) expect(found(name)?.found ?? found(name)?.fix).not.toBe("");
});

const finding = (values: Partial<Finding>): Finding => ({
  name: "k6",
  needed: "required",
  found: null,
  instead: null,
  wanted: "exactly 1.8.1",
  fix: "./scripts/setup.sh",
  ...values,
});

test("as text: aligned, each problem with its fix, one command at the end", () => {
  const findings = [
    finding({ name: "node", found: "20.20.2 (/usr/bin/node)" }),
    finding({ instead: "1.2.0 (/usr/bin/k6)" }),
    finding({ name: "gnuplot", needed: "optional", wanted: "for charts", fix: "sudo apt-get install gnuplot-nox" }),
  ];
  expect(renderDoctor(findings, { colour: false })).toBe(`\
ok       node     20.20.2 (/usr/bin/node)
missing  k6       1.2.0 (/usr/bin/k6) found; wanted: exactly 1.8.1
                  ./scripts/setup.sh
optional gnuplot  not found; wanted: for charts
                  sudo apt-get install gnuplot-nox

1 required and 1 optional missing. One command installs what can be installed: ./scripts/setup.sh
`);
  expect(renderDoctor(findings.slice(2), { colour: false })).toMatch(/\n\nReady to measure; 1 optional missing\. /);
  expect(renderDoctor(findings.slice(0, 1), { colour: false })).toMatch(
    /\n\nReady to measure: everything is there\.\n$/,
  );
  expect(renderDoctor(findings.slice(0, 1), { colour: true })).toContain("\u001b[32mok\u001b[39m");
});

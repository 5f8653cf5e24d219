import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const home = fileURLToPath(new URL("../../..", import.meta.url));
const project = `perf-gate-test-${process.pid}`;
const run = promisify(execFile);

/** Standard output of docker; rejects with its standard error. */
async function docker(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run("docker", args, { cwd: home, env: { ...process.env, ...env }, maxBuffer: 1 << 24 });
  return stdout.trim();
}

const compose = (...args: string[]) => docker(["compose", "-p", project, "-f", "docker/compose.yaml", ...args]);

/** Status and body of GET; what an arm answers without following anything. */
function ask(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    }).once("error", reject);
  });
}

async function addressOf(service: string): Promise<string> {
  const id = await compose("ps", "--quiet", service);
  return await docker(["inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", id]);
}

describe.skipIf(process.env.PERF_GATE_TEST_ENGINE === undefined)("bundled compose file", () => {
  const trees = mkdtempSync(join(tmpdir(), "perf-gate-docker-"));
  let web = "";

  beforeAll(async () => {
    for (const arm of ["base", "head"]) cpSync(join(home, "fixtures/app"), join(trees, arm), { recursive: true });
    writeFileSync(join(trees, "head", "plant.php"), "<?php return 'n-plus-one';\n");
    // What the application keeps out of its own images is part of what is measured.
    writeFileSync(join(trees, "head", ".dockerignore"), "plant.php\n");
    await docker(["buildx", "bake", "--file", "docker/docker-bake.hcl"], {
      PERF_GATE_HOME: home,
      BASE_CONTEXT: join(trees, "base"),
      HEAD_CONTEXT: join(trees, "head"),
      ID: project,
      // Both trees are outside of the directory that bake may read unasked.
      BUILDX_BAKE_ENTITLEMENTS_FS: "0",
    });
    await compose("up", "--detach", "--no-build", "--wait");
    await compose("exec", "-T", "app", "php", "seed.php");
    web = `http://${await addressOf("web")}:8080`;
  });

  afterAll(async () => {
    await compose("down", "--volumes", "--timeout", "1");
    rmSync(trees, { recursive: true, force: true });
  });

  test.each([
    "/health",
    "/ready",
    "/query?connection=persistent",
    "/query?connection=short",
    "/queries?n=5",
    "/redis",
    "/mixed?seed=1",
  ])("GET %s is answered", async (path) => {
    expect(await ask(`${web}${path}`)).toMatchObject({ status: 200 });
  });

  test("what is neither a file nor a route reaches the front controller", async () => {
    expect(await ask(`${web}/nowhere/x.css`)).toEqual({ status: 404, body: '{"error":"no route /nowhere/x.css"}\n' });
  });

  test("one bake makes the images of both arms, each of its own tree", async () => {
    const plant = (arm: string) => docker(["run", "--rm", `perf-gate/${arm}-app`, "cat", "plant.php"]);
    expect(await plant("base")).not.toContain("n-plus-one");
    expect(await plant("head")).toContain("n-plus-one");
    const label = await docker(["inspect", "--format", '{{index .Config.Labels "perf-gate"}}', "perf-gate/head-web"]);
    expect(label).toBe(project);
  });

  test("PHP's settings come from the mounted directory", async () => {
    const settings = await compose(
      "exec",
      "-T",
      "app",
      "php",
      "-r",
      "echo ini_get('opcache.enable'), ini_get('error_log');",
    );
    expect(settings).toBe("1/proc/self/fd/2");
  });

  test("a schema per arm", async () => {
    const query = "SHOW DATABASES LIKE 'perf\\_%'";
    const answer = await compose("exec", "-T", "mysql", "mysql", "-uperf", "-pperf-gate", "-N", "-e", query);
    expect(answer.split("\n")).toEqual(["perf_base", "perf_head"]);
  });

  test("the web server and its address outlive a restart of PHP", async () => {
    await compose("restart", "app");
    await expect.poll(() => ask(`${web}/query`), { timeout: 60_000 }).toMatchObject({ status: 200 });
    expect(web).toContain(await addressOf("web"));
  });

  test("without PHP the health check fails", async () => {
    await compose("stop", "app");
    const check = ["curl", "--fail", "--silent", "http://127.0.0.1:8080/health"];
    await expect(compose("exec", "-T", "web", ...check)).rejects.toMatchObject({ code: 22 });
    await compose("start", "app");
    await expect.poll(() => ask(`${web}/health`), { timeout: 60_000 }).toMatchObject({ status: 200 });
  });
});

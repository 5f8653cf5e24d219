import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const docker = async (...args: string[]): Promise<string> => (await run("docker", args)).stdout.trim();

// What official images and their stand-ins have in common: whichever is here is asked.
describe.skipIf(process.env.PERF_GATE_TEST_ENGINE === undefined)("images", () => {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-images-"));
  const containers: string[] = [];

  afterAll(async () => {
    if (containers.length > 0) await docker("rm", "--force", "--volumes", ...containers);
    rmSync(directory, { recursive: true, force: true });
  });

  async function start(...args: string[]): Promise<string> {
    const id = await docker("run", "--detach", ...args);
    containers.push(id);
    return id;
  }

  test("mysql sets up users, a database and what initdb.d says, then answers by TCP", async () => {
    // mysqld reads it as somebody else.
    chmodSync(directory, 0o755);
    writeFileSync(join(directory, "1.sql"), "CREATE TABLE a (n INT);\nINSERT INTO a VALUES (7);\n");
    writeFileSync(
      join(directory, "2.sh"),
      `mysql -uroot -p"$MYSQL_ROOT_PASSWORD" shop -e 'INSERT INTO a VALUES (8)'\n`,
    );
    writeFileSync(join(directory, "password"), `it's "quoted"`);
    const id = await start(
      ...["--env", "MYSQL_ROOT_PASSWORD=r$t", "--env", "MYSQL_DATABASE=shop", "--env", "MYSQL_USER=anna"],
      ...["--env", "MYSQL_PASSWORD_FILE=/docker-entrypoint-initdb.d/password"],
      ...["--volume", `${directory}:/docker-entrypoint-initdb.d:ro`, "mysql:8.4", "--max-connections=77"],
    );
    const ask = (user: string, password: string, sql: string) =>
      docker("exec", "--env", `MYSQL_PWD=${password}`, id, "mysql", "-h127.0.0.1", `-u${user}`, "-N", "-e", sql);
    await expect
      .poll(() => ask("anna", `it's "quoted"`, "SELECT n FROM shop.a ORDER BY n"), { timeout: 150_000 })
      .toBe("7\n8");
    expect(await ask("root", "r$t", "SELECT @@max_connections")).toBe("77");
    await expect(ask("anna", "wrong", "SELECT 1")).rejects.toThrow(/Access denied/);
    await expect(ask("anna", `it's "quoted"`, "SELECT * FROM mysql.user")).rejects.toThrow(/denied/);
  });

  test("mysql without a password for root says which variables there are", async () => {
    await expect(docker("run", "--rm", "mysql:8.4")).rejects.toThrow(/MYSQL_ALLOW_EMPTY_PASSWORD/);
  });

  test("php leaves MySQL off until its Dockerfile says otherwise", async () => {
    const script = `set -e
      php -m >before; docker-php-ext-install pdo_mysql >&2; php -m >after
      ! grep -qx pdo_mysql before || exit 1; grep -x pdo_mysql after; echo ";" >"$PHP_INI_DIR/conf.d/zz.ini"; php --ini | grep -c zz.ini`;
    expect((await docker("run", "--rm", "--workdir", "/tmp", "php:8.4-fpm", "sh", "-c", script)).split("\n")).toEqual([
      "pdo_mysql",
      "1",
    ]);
  });

  test.each([
    ["php:8.4-fpm", "ready to handle connections"],
    ["nginx:1.26", "start worker process"],
  ])("%s ends well on its own signal", async (image, ready) => {
    const id = await start(image);
    // Before that, nothing takes the signal.
    await expect.poll(async () => (await run("docker", ["logs", id])).stderr, { timeout: 120_000 }).toContain(ready);
    await docker("stop", "--time", "60", id);
    expect(await docker("inspect", "--format", "{{.State.ExitCode}}", id)).toBe("0");
  });

  test("redis answers others without a password, and takes options alone", async () => {
    const id = await start("redis:7", "--maxmemory", "42mb");
    const client = ["run", "--rm", "--network", `container:${id}`, "redis:7", "redis-cli"];
    const address = await docker("inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", id);
    await expect.poll(() => docker(...client, "-h", address, "ping"), { timeout: 120_000 }).toBe("PONG");
    expect(await docker(...client, "config", "get", "maxmemory")).toBe(`maxmemory\n${42 * 2 ** 20}`);
  });
});

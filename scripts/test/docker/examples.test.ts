import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { ARMS, type Arm, type Census } from "../../src/core/model.ts";
import { takeCensus } from "../../src/measure/census.ts";
import { findK6 } from "../../src/measure/k6.ts";
import { OWNER_LABEL, thisOwner } from "../../src/target/compose/owner.ts";
import { get } from "../../src/target/http.ts";
import { startTarget } from "../../src/target/start.ts";
import type { Target } from "../../src/target/target.ts";
import { makeSite } from "../target/app.ts";

/** The worked examples on the real engine, each by its own perf-gate.yml. The framework comes from Debian here. */

const EXAMPLES = join(import.meta.dirname, "../../../fixtures/examples");

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  expect(left()).toEqual([]);
});

const docker = (...args: string[]): string => execFileSync("docker", args, { encoding: "utf8", stdio: "pipe" }).trim();

/** What this process made, and is still there. */
function left(): string[] {
  const filter = ["--quiet", "--filter", `label=${OWNER_LABEL}=${thisOwner()}`];
  const kinds = [
    ["ps", "--all"],
    ["network", "ls"],
    ["volume", "ls"],
    ["image", "ls"],
  ];
  return kinds.flatMap((kind) => docker(...kind, ...filter).split("\n")).filter(Boolean);
}

/** Two copies of an example as its user has them; the head's /up says so. */
async function siteOf(example: string, controller: string) {
  const site = makeSite();
  cleanups.push(site.remove);
  for (const arm of ARMS) {
    const tree = join(site.directory, arm);
    cpSync(join(EXAMPLES, example), tree, { recursive: true });
    if (existsSync(join(tree, ".env.example"))) copyFileSync(join(tree, ".env.example"), join(tree, ".env"));
    appendFileSync(join(tree, ".env"), "VENDOR=debian\n");
  }
  const file = join(site.directory, "head", controller);
  const text = readFileSync(file, "utf8");
  expect(text).toContain("Response('ok')");
  writeFileSync(file, text.replace("Response('ok')", "Response('ok, head')"));
  const { config } = await loadConfig(null, join(site.directory, "base"));
  Object.assign(site.options.plan, { driver: "compose", config });
  return site;
}

const ask = (target: Target, arm: Arm, path: string, host = target.host(arm)) => get(target.url(arm) + path, { host });

/** Statements, connections and commands of each scenario, per request or iteration; one number where arms agree. */
function countsOf({ scenarios }: Census): Record<string, Record<string, unknown>> {
  const counted = scenarios.map(({ scenario, arms }) => {
    expect([arms.base.failedShare, arms.head.failedShare], scenario).toEqual([0, 0]);
    const names = ["sqlStatements", "dbConnections", "redisCommands"] as const;
    const both = names.map((name) => {
      const [base, head] = [arms.base.counts[name], arms.head.counts[name]];
      return [name, base?.exact && head?.perRequest === base.perRequest ? base.perRequest : [base, head]];
    });
    return [scenario, Object.fromEntries(both)];
  });
  return Object.fromEntries(counted);
}

describe.skipIf(process.env.PERF_GATE_TEST_ENGINE === undefined)("worked examples", () => {
  test.each([
    {
      example: "laravel",
      controller: "app/Http/Controllers/ShopController.php",
      // Of a host that is not trusted.
      refused: 404,
      counts: {
        ping: { sqlStatements: 0, dbConnections: 0, redisCommands: 0 },
        // A connection says `use` and `set names`. Whoever is logged in: SELECT, GET and SETEX of the session.
        products: { sqlStatements: 2 + 1, dbConnections: 1, redisCommands: 0 },
        account: { sqlStatements: 2 + 2, dbConnections: 1, redisCommands: 3 },
      },
    },
    {
      example: "symfony",
      controller: "src/Controller/ShopController.php",
      refused: 400,
      counts: {
        ping: { sqlStatements: 0, dbConnections: 0, redisCommands: 0 },
        products: { sqlStatements: 1, dbConnections: 1, redisCommands: 0 },
        account: { sqlStatements: 2, dbConnections: 1, redisCommands: 3 },
      },
    },
  ])(
    "$example: both versions at once, each on its own tree, by the host that production has, and somebody logs in",
    async ({ example, controller, refused, counts }) => {
      const site = await siteOf(example, controller);
      const target = await startTarget(site.options);
      cleanups.push(() => target.close());
      const mine = docker("ps", "--filter", `label=${OWNER_LABEL}=${thisOwner()}`, "--format", "{{.Names}} {{.Ports}}");
      expect(mine).toMatch(/perf-gate-.*-base-app/);
      // Neither a port nor a name of the compose file.
      expect(mine).not.toMatch(/->|shop-/);

      const up = { base: "ok", head: "ok, head" };
      for (const arm of ARMS) {
        expect(await ask(target, arm, "/up")).toEqual({ status: 200, body: up[arm] });
        expect(await ask(target, arm, "/up", "elsewhere.example.com")).toMatchObject({ status: refused });
        expect(await ask(target, arm, "/account")).toMatchObject({ status: 302 });
        const products = await ask(target, arm, "/products");
        expect(JSON.parse(products.body)).toHaveLength(20);
      }

      await target.restart();
      for (const arm of ARMS) expect(await ask(target, arm, "/up")).toEqual({ status: 200, body: up[arm] });

      const { plan, home, signal } = site.options;
      const rig = { plan, target, k6: await findK6(), home, stateDirectory: site.workDirectory, signal };
      expect(countsOf(await takeCensus(rig, () => {}))).toEqual(counts);
    },
    900_000,
  );
});

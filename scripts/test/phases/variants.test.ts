import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import type { Plan } from "../../src/core/model.ts";
import { describePlan, planPhase } from "../../src/phases/plan.ts";
import { WorkDirectory } from "../../src/phases/work-directory.ts";
import { home } from "../e2e/rig.ts";

const CONFIG = `target: { driver: process, services: [mysql], env: { A: "1" } }
scenarios: [{ name: shop, path: /shop, levels: [20] }]
gate: { max-qps-drop: 7% }
variants:
  short: { query: connection=short }
  long: { query: connection=persistent, env: { A: "2" } }
  also-short: { query: connection=short }
  close: { connection: close }
  far: { links: { mysql: { latency: 1ms } } }
  small: { resources: 1C2G }
  server: { start: php server.php, php: { workers: 20 } }
`;
const IMAGE = `shop@sha256:${"a".repeat(64)}`;

let directory = "";
let warnings: string[] = [];
const cwd = process.cwd();
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "perf-gate-variants-")));
  warnings = [];
  write(CONFIG);
  process.chdir(directory);
});
afterEach(() => {
  process.chdir(cwd);
  rmSync(directory, { recursive: true });
});

function write(config: string): void {
  writeFileSync(join(directory, "perf-gate.yml"), config);
}

const work = () => new WorkDirectory(join(directory, ".perf-gate"));

function plan(options: Partial<Parameters<typeof planPhase>[0]>): Promise<Plan> {
  return planPhase({ home, ...options }, work(), (line) => warnings.push(line), {});
}

describe("two variants", () => {
  test("are the arms of one tree, by its own configuration", async () => {
    const made = await plan({ base: "variant=short", head: "variant=long" });
    const arm = { directory, commit: null, repository: null, image: null };
    expect(made.arms).toEqual({
      base: { ...arm, label: "variant=short" },
      head: { ...arm, label: "variant=long" },
    });
    expect(made).toMatchObject({ sameSource: false, driver: "process" });
    expect(made.headConfig).toBeUndefined();
    expect(made.config.scenarios[0]?.limits.maxQpsDrop).toBe(0.07);
    expect(made.own?.base).toMatchObject({ query: "connection=short", target: { env: { A: "1" } } });
    expect(made.own?.head).toMatchObject({ query: "connection=persistent", target: { env: { A: "2" } } });
    expect(work().readPlan()).toEqual(made);
    const text = describePlan(made, work());
    expect(text).toContain("base       variant=short\nhead       variant=long\ndiffers    env.A: 1 → 2\n");
    expect(text).toContain("differs    query: connection=short → connection=persistent\ndriver     process\n");
    expect(warnings).toEqual([]);
  });

  test("that set the same are an A/A run", async () => {
    const made = await plan({ base: "variant=short", head: "variant=also-short" });
    expect(made.sameSource).toBe(true);
    expect(describePlan(made, work())).not.toContain("differs");
  });

  test("may keep their connections or not, whatever the scenario says", async () => {
    const made = await plan({ base: "variant=close", head: "variant=short" });
    expect(describePlan(made, work())).toContain("  shop @20  closed, close and keep-alive, gated: QPS and p99\n");
  });

  test("of a committed tree have its commit, and no records beside them: those are of the tree as it is", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        encoding: "utf8",
      });
    git("init", "--quiet", "--initial-branch", "main");
    write(`${CONFIG}baseline: { store: broken.ndjson }\n`);
    writeFileSync(join(directory, "broken.ndjson"), "no record\n");
    git("add", "-A");
    git("commit", "--quiet", "-m", "one");
    const { arms, beside } = await plan({ base: "variant=short", head: "variant=long" });
    expect([arms.base.commit, arms.head.commit]).toEqual(Array(2).fill(git("rev-parse", "HEAD").trim()));
    expect(beside).toBeUndefined();
    // Where the tree as it is would be shown beside records: that they cannot be read.
    expect((await plan({ base: "." })).beside?.unread).toContain("broken.ndjson");
  });

  test("may be a server of one's own beside php-fpm; then it is processes, whatever engine answers", async () => {
    write(CONFIG.replace("driver: process, ", ""));
    const made = await plan({ base: "variant=short", head: "variant=server" });
    expect(made).toMatchObject({ driver: "process", sameSource: false });
    expect(made.own?.base?.target.start).toBeNull();
    expect(made.own?.head?.target).toMatchObject({ start: "php server.php", php: { workers: 20 } });
    const text = describePlan(made, work());
    expect(text).toContain("differs    start: not set → php server.php\n");
    expect(text).toContain("driver     process (target.start of variant=server is there)\n");
    await expect(plan({ base: "variant=short", head: "variant=server", driver: "compose" })).rejects.toThrow(
      "driver compose: variants.server.start is for a program of this machine",
    );
  });

  test("that are prepared where they share a tree: what that means is said", async () => {
    write(CONFIG.replace("process,", "process, prepare: [php cache.php],"));
    await plan({ base: "variant=short", head: "variant=long" });
    expect(warnings).toEqual([expect.stringContaining("target.prepare runs for both variants in the same tree")]);
  });
});

describe("a variant", () => {
  test("is compared with the tree as it is where nothing else is said", async () => {
    const made = await plan({ base: "variant=short" });
    expect(made.arms.head).toMatchObject({ directory, label: "no variant" });
    expect(Object.keys(made.own ?? {})).toEqual(["base"]);
    expect(Object.keys((await plan({ head: "variant=short" })).own ?? {})).toEqual(["head"]);
  });

  test("or with a tree that is named: then it is one of that, by the configuration there", async () => {
    const tree = join(directory, "other");
    mkdirSync(tree);
    writeFileSync(join(tree, "perf-gate.yml"), CONFIG.replace("short: ", "brief: "));
    const { arms, own } = await plan({ base: tree, head: "variant=brief" });
    expect(arms.base).toMatchObject({ directory: tree, label: tree });
    expect(arms.head).toMatchObject({ directory: tree, label: "variant=brief" });
    expect(own?.head?.query).toBe("connection=short");
    await expect(plan({ base: "variant=short", head: tree })).rejects.toThrow("allowed after variant= is one of brief");
  });

  test("may be called as a directory is: that has ./ before it", async () => {
    mkdirSync(join(directory, "variant=none"));
    await expect(plan({ base: "variant=none" })).rejects.toThrow(InputError);
    expect((await plan({ base: "./variant=none" })).own).toBeUndefined();
  });

  test.each<[string, Parameters<typeof plan>[0], string]>([
    [
      "that is not there",
      { base: "variant=shrot" },
      '--base: allowed after variant= is one of short, long, also-short, close, far, small, server; got "shrot". Did you mean short?',
    ],
    ["without a name", { head: "variant=" }, "--head: allowed after variant= is one of short, long,"],
    ["called as what every object has", { base: "variant=constructor" }, "--base: allowed after variant= is one of"],
    ["beside records", { base: "stored", head: "variant=short" }, "--base stored: records are of commits"],
    ["beside a ref", { baseRef: "main", head: "variant=short" }, "--base-ref: a variant is compared within one tree"],
    ["beside an image", { base: "variant=short", head: IMAGE }, "--head: a variant is one of a tree, not of an image"],
    ["that needs containers", { base: "variant=small" }, "driver process: variants.small.resources needs containers"],
    [
      "that runs somewhere",
      { base: "variant=short", driver: "url" },
      "driver url: target.url.base and target.url.head",
    ],
  ])("%s is refused", async (_, options, message) => {
    const refused = plan(options);
    await expect(refused).rejects.toThrow(InputError);
    await expect(refused).rejects.toThrow(message);
  });

  test("cannot be told from others by a delay without containers, nor started where something already runs", async () => {
    await expect(plan({ base: "variant=far" })).rejects.toThrow("driver process: variants.far.links needs containers");
    write(CONFIG.replace("driver: process,", "url: { base: http://a.test, head: http://b.test },"));
    await expect(plan({ base: "variant=short" })).rejects.toThrow(
      "driver url: nothing is started here, so variants.short cannot be",
    );
  });

  test("is refused where there are none", async () => {
    write("target: { driver: process }\n");
    await expect(plan({ base: "variant=short" })).rejects.toThrow(
      "--base: the configuration has no variants. Write for example variants: { jit: { php: { jit: tracing } } }",
    );
  });
});

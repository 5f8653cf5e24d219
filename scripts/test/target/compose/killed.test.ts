import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { OWNER_LABEL, ownerOf } from "../../../src/target/compose/owner.ts";
import { cleanups, docker, k6Containers, labelled, outsider, siteOf, start } from "./site.ts";

/** What becomes of containers whose run is killed. */

/** Anything that is labelled as a process's own. */
const ownedBy = ({ pid }: ChildProcess): string => `label=${OWNER_LABEL}=${ownerOf(pid ?? 0)}`;

/** Waits until nothing of a run is left, neither now nor a moment later. */
async function isGone(workDirectory: string, theirs: string): Promise<void> {
  const gone = async (): Promise<boolean> => {
    for (let looks = 0; looks < 2; looks++, await sleep(1500)) {
      if (existsSync(join(workDirectory, "state")) || labelled(theirs).length > 0) return false;
    }
    return true;
  };
  await expect.poll(gone, { timeout: 120_000 }).toBe(true);
}

describe.skipIf(process.env.PERF_GATE_TEST_ENGINE === undefined)("a run that is killed", () => {
  test.each([700, 2500, 5000])("after %i ms: nothing is left a moment later", async (ms) => {
    const compose = `services:
  app: { build: { context: ., dockerfile_inline: "FROM php:8.4-fpm" }, command: php -S 0.0.0.0:8080 -t /srv/app, volumes: ["./app:/srv/app", "data:/data"] }
  db: { image: "redis:7", healthcheck: { test: [CMD, "redis-cli", "ping"] } }
volumes: { data: {} }
`;
    const { options, workDirectory, directory } = siteOf({ compose }, { shared: ["db"] });
    const child = await outsider(options, directory);
    const theirs = ownedBy(child);
    await sleep(ms);
    child.kill("SIGKILL");
    await isGone(workDirectory, theirs);
  });

  test("under load: takes k6 in its container with it", async () => {
    const { options, directory, workDirectory } = siteOf({});
    const { plan } = options;
    plan.config.measure.generator = "container";
    plan.cells = [{ id: "home @2", scenario: "home", model: "closed", level: 2 }];
    const child = await outsider(options, directory, [], "generator-outsider.ts");
    const theirs = ownedBy(child);
    await expect.poll(() => k6Containers(theirs), { timeout: 120_000 }).toHaveLength(1);
    await sleep(1500);
    child.kill("SIGKILL");
    await isGone(workDirectory, theirs);
  });

  test("before the next one starts what it left is removed, what others use is not", async () => {
    const make = (owner: string) => {
      const labels = ["--label", "perf-gate=left", "--label", `${OWNER_LABEL}=${owner}`];
      const name = `perf-gate-left-${labelled(`label=perf-gate=left`).length}`;
      docker("network", "create", ...labels, name);
      docker("volume", "create", ...labels, name);
      docker("run", "--detach", "--name", name, ...labels, "--network", name, "redis:7");
    };
    // Nobody has the pid 2^22: it is the kernel's limit.
    make(ownerOf(4_194_304).replace("null", "1"));
    make(`elsewhere:1:1`);
    cleanups.push(() => {
      docker("rm", "--force", "perf-gate-left-3");
      docker("network", "rm", "perf-gate-left-3");
      docker("volume", "rm", "perf-gate-left-3");
    });
    const site = siteOf({});
    await start(site);
    expect(site.progress.join("\n")).toMatch(/^removed 1 container, 1 network, 1 volume that a killed run had left$/m);
    expect(labelled("label=perf-gate=left")).toEqual(Array(3).fill("perf-gate-left-3"));
  });
});

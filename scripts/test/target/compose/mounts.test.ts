import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.ts";
import { checkMounts } from "../../../src/target/compose/mounts.ts";
import { noticesOf } from "../../../src/target/compose/notices.ts";
import { inOrder, oneShotsOf } from "../../../src/target/compose/resolve.ts";
import type { ComposeModel, ComposeService } from "../../../src/target/compose/types.ts";

const directory = mkdtempSync(join(tmpdir(), "perf-gate-mounts-"));
const trees = { base: join(directory, "base"), head: join(directory, "head") };
afterAll(() => rmSync(directory, { recursive: true, force: true }));
beforeEach(() => rmSync(directory, { recursive: true, force: true }));

function write(path: string, text = ""): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

const app = (service: ComposeService, more: Partial<ComposeModel> = {}): ComposeModel => ({
  services: { app: service },
  ...more,
});
const mounting = (source: string, read_only = false) => app({ volumes: [{ type: "bind", source, read_only }] });
const inTrees = (path: string) => ({ base: mounting(join(trees.base, path)), head: mounting(join(trees.head, path)) });

function complaint(projects: { base: ComposeModel; head: ComposeModel }, of = trees): string | null {
  try {
    checkMounts(projects, of);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as Error).message;
  }
}

describe("bind mounts", () => {
  test("what only one tree has is to be copied", () => {
    write("head/vendor/autoload.php");
    expect(complaint(inTrees("vendor"))).toBe(
      `compose file: services.app.volumes: ${trees.base}/vendor is not there, and the tree of head has it. Where it is not under version control, name it in target.copy: copy: [vendor]`,
    );
    write("base/vendor/autoload.php");
    expect(complaint(inTrees("vendor"))).toBeNull();
  });

  test("what neither has is made by the engine, as ever", () => {
    expect(complaint(inTrees("var/cache"))).toBeNull();
  });

  test("one place that both would write into is refused", () => {
    const source = join(directory, "data");
    const both = { base: mounting(source), head: mounting(source) };
    expect(complaint(both)).toContain(`both versions would write into ${source}. Mount it read-only`);
    expect(complaint({ ...both, head: mounting(source, true) })).toBeNull();
    expect(complaint({ base: mounting(source, true), head: mounting(source, true) })).toBeNull();
    expect(complaint(both, { base: directory, head: directory })).toBeNull();
    expect(complaint({ base: mounting("/etc/localtime"), head: mounting("/etc/localtime") })).toBeNull();
  });
});

describe("notices", () => {
  const notices = (base: ComposeModel, head = base, shared: string[] = [], workDirectory = "/elsewhere") =>
    noticesOf({ base, head }, new Set(shared), { trees, workDirectory });

  test("a shared service that is not the same in both", () => {
    const withDb = (tree: string): ComposeModel => ({
      services: { db: { image: "mysql", volumes: [{ type: "bind", source: join(tree, "sql") }] } },
    });
    const [old, young] = [withDb(trees.base), withDb(trees.head)];
    expect(notices(old, young, ["db"])).toEqual([]);
    young.services["db"] = { ...young.services["db"], image: "mysql:9" };
    expect(notices(old, young, ["db"])).toEqual([expect.stringMatching(/^target\.shared: db is not the same/)]);
    expect(notices(old, young, [])).toEqual([]);
  });

  test("an external network", () => {
    const model = app({}, { networks: { proxy: { external: true }, default: {} } });
    expect(notices(model)).toEqual([expect.stringMatching(/^compose file: networks\.proxy is external/)]);
  });

  test.each([
    [null, 1],
    ["vendor\n#.perf-gate\n!.perf-gate\n", 1],
    [".perf-gate\n", 0],
    ["/.perf-gate/\n", 0],
    ["**/.perf-gate/**\n", 0],
    [".*\n", 0],
    ["*\n!src\n", 0],
  ])("a work directory in a build context, .dockerignore %j", (ignored, count) => {
    write("head/Dockerfile");
    if (ignored !== null) write("head/.dockerignore", ignored);
    const model = app({ build: { context: trees.head } });
    expect(notices(model, model, [], join(trees.head, ".perf-gate"))).toHaveLength(count);
    expect(notices(model, model, [], join(directory, "work"))).toEqual([]);
  });
});

test("one-shot services are those that somebody waits for to end, in order of what they need", () => {
  const completed = { condition: "service_completed_successfully" };
  const services: ComposeModel["services"] = {
    app: { depends_on: { seed: completed, db: { condition: "service_healthy" } } },
    seed: { depends_on: { migrate: completed, db: { condition: "service_healthy" } } },
    migrate: { depends_on: { db: { condition: "service_healthy" } } },
    db: {},
  };
  const oneShots = oneShotsOf([{ services }]);
  expect([...oneShots].toSorted()).toEqual(["migrate", "seed"]);
  expect(inOrder(services, ["seed", "migrate"])).toEqual(["migrate", "seed"]);
});

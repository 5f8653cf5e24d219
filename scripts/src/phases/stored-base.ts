import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { promisify } from "node:util";
import { InputError } from "../core/errors.ts";
import { K6_VERSION } from "../core/k6.ts";
import type { Config, DriverName, History, Plan, StoredBase } from "../core/model.ts";
import { minor, suitesOf } from "../core/record.ts";
import { comparable, worthKeeping } from "../core/stored.ts";
import { openStore, type Store, StoreError } from "../history/store.ts";
import { checkCopied, checkOut, resolveAnchor, resolveHead } from "./arms.ts";
import { checkImages, chooseDriver, wantedDriver } from "./driver.ts";
import { type Judge, judgeOf } from "./judge.ts";
import { machineFacts } from "./machine.ts";
import type { PlanOptions } from "./plan.ts";
import { referenceAnchor } from "./reference.ts";
import { type Env, sha256 } from "./work-directory.ts";

/** What `--base` and the input `base` say for records in the place of a version. */
export const STORED = "stored";

export type Stored =
  | {
      kind: "stored";
      judge: Judge;
      arms: Plan["arms"];
      sameSource: false;
      driver: DriverName;
      own?: NonNullable<Plan["own"]>;
      stored: StoredBase;
      history: Pick<History, "missing" | "records">;
    }
  /** There is nothing to compare with, and a version that can be measured instead. */
  | { kind: "none"; why: string };

/**
 * What `--base stored` stands for: the anchor as the base arm, and the records that the head may be compared with. The
 * configuration is that of `baseRef` where one is given: a change does not set its own margins or anchor.
 *
 * @throws InputError where the anchor is not there, the store is damaged, or it cannot be reached and there is no
 *   `baseRef`
 */
export async function storedBase(
  options: PlanOptions,
  treesDirectory: string,
  warn: (line: string) => void,
  env: Env,
): Promise<Stored> {
  const said: string[] = [];
  const { head, judge: judgeTree } = await resolveHead(options, treesDirectory);
  const removeJudge = await checkOut({ base: judgeTree ?? head, head });
  try {
    const judge = await judgeOf({ base: judgeTree ?? head, head }, options.config ?? null, (line) => said.push(line));
    const { config } = judge;
    const { baseline } = config;
    const wantsDriver = wantedDriver(options.driver, config.target);
    if (wantsDriver === "url" || (wantsDriver === "auto" && config.target.url !== null)) {
      throw new InputError("--base stored: with driver url nothing starts the anchor; use compose or process");
    }
    const driver = await chooseDriver(wantsDriver, config.target);
    const {
      source: base,
      anchor,
      own,
    } = baseline.anchor === null
      ? await referenceAnchor(options.home)
      : { ...(await resolveAnchor(baseline.anchor, head.directory, treesDirectory)), own: null };
    const arms = { base, head };
    checkImages(arms, driver, config.target);
    checkCopied(arms, config.target.copy);
    const store = storeOf(baseline.store, head.directory, judgeTree?.directory ?? null, env);
    const read = await store.read().catch((error: Error) => {
      // Out of reach is one thing, damaged another: that stops here.
      if (judgeTree === null || !(error instanceof StoreError)) throw error;
      return error.message;
    });
    if (typeof read === "string") return { kind: "none", why: read };
    const { records, missing } = read;
    const branch = baseline.branch ?? options.branch ?? (await branchOf(head.directory));
    const { cpuModel, logicalCpus } = machineFacts();
    const wanted = { branch, anchor, must: { driver, cpuModel, logicalCpus, k6: minor(K6_VERSION) } };
    const stored = {
      anchor,
      store: store.label,
      branch,
      suites: suitesHere(config),
      ...(judgeTree === null ? {} : { judge: judgeTree }),
    };
    const kept = worthKeeping(records, wanted);
    const why = nothingFor(stored, comparable(kept, wanted));
    if (why !== null && judgeTree !== null) return { kind: "none", why: `${store.label}: ${why}` };
    for (const line of said) warn(line);
    const found = { judge, arms, sameSource: false as const, driver, stored, history: { missing, records: kept } };
    return { kind: "stored", ...found, ...(own === null ? {} : { own: { base: own(config.target) } }) };
  } finally {
    await removeJudge();
  }
}

/** Why no cell has a record, as far as it is known before measuring; null where one has. */
export function nothingFor(
  { suites }: Pick<StoredBase, "suites">,
  { records, why }: ReturnType<typeof comparable>,
): string | null {
  if (why !== null) return why;
  const isKnown = records.some(({ cells }) => cells.some(({ id, suite }) => suites[id] === suite));
  return isKnown ? null : "its records asked for something else in every cell";
}

/** Suite of every cell, flows included; throws where one cannot be read. */
export function suitesHere(config: Config): Record<string, string> {
  return suitesOf(config, (file) => readFileSync(file, "utf8"), sha256);
}

/**
 * The store of the configuration. In a job of a pull request or a merge queue, whose author could have written the records, a branch is
 * one of the repository itself, whatever was checked out, and a path one in the tree of its base.
 *
 * @throws InputError where the author could have
 */
export function storeOf(name: string, head: string, judge: string | null, env: Env, limitMs?: number): Store {
  if (!/^(pull_request|merge_group)/.test(env["GITHUB_EVENT_NAME"] ?? ""))
    return openStore(name, { directory: head, env, limitMs });
  const directory = judge ?? head;
  if (name.startsWith("git:")) {
    const { GITHUB_SERVER_URL: server = "https://github.com", GITHUB_REPOSITORY: repository } = env;
    if (judge === null && name.includes("@")) {
      throw new InputError(
        `baseline.store: the pull request itself says where its records come from (${name}): keep them on a branch of ` +
          "the repository (store: git:perf-gate-data), or give the version to compare with (--base-ref)",
      );
    }
    return openStore(name, { directory, env, origin: repository ? `${server}/${repository}` : undefined, limitMs });
  }
  const path = resolve(directory, name);
  if (isInside(head, path) && (judge === null || !isInside(judge, path))) {
    throw new InputError(
      `baseline.store: ${path} is part of the pull request itself, which could bring records of its own. ` +
        "Keep them on a branch (store: git:perf-gate-data), or give the version to compare with (--base-ref)",
    );
  }
  return openStore(name, { directory, env });
}

function isInside(tree: string, path: string): boolean {
  const below = relative(tree, path);
  return below !== ".." && !below.startsWith("../");
}

/** The branch that is checked out. */
export async function branchOf(directory: string, fix = "write baseline: { branch: main }"): Promise<string> {
  const args = ["-C", directory, "symbolic-ref", "--quiet", "--short", "HEAD"];
  const found = await promisify(execFile)("git", args).catch(() => null);
  if (found !== null) return found.stdout.trim();
  throw new InputError(`${directory} has no branch checked out, so that it is not known whose records count: ${fix}`);
}

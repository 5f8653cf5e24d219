import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { StepLine } from "../../src/core/capacity.ts";
import { InputError } from "../../src/core/errors.ts";
import { type CapacityOptions, capacityPhase, planCapacity } from "../../src/phases/capacity.ts";
import { quietProgress } from "../../src/phases/progress.ts";
import { WorkDirectory } from "../../src/phases/work-directory.ts";
import { home } from "./rig.ts";

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** Answers after as long as it is asked for: `workers` of them hold workers / that. */
const SLEEPER = `<?php
usleep((int) ($_GET['ms'] ?? 0) * 1000);
if (isset($_GET['broken'])) http_response_code(500);
echo 'slept';
`;
const WORKERS = 2;
const SLEEP_MS = 200;
// Who sleeps needs no CPU: what others take of it says nothing of this capacity.
const CONFIG = `target: { driver: process, php: { workers: ${WORKERS} } }
scenarios:
  - { name: sleeping, path: "/?ms=${SLEEP_MS}" }
  - { name: broken, path: "/?broken=1" }
measure: { warm-up: 1s, max-foreign-cpu: off }
`;

function sleeper() {
  const directory = mkdtempSync(join(tmpdir(), "perf-gate-capacity-"));
  directories.push(directory);
  writeFileSync(join(directory, "index.php"), SLEEPER);
  writeFileSync(join(directory, "perf-gate.yml"), CONFIG);
  const work = new WorkDirectory(join(directory, ".perf-gate/capacity"));
  const plan = (options: CapacityOptions) => planCapacity({ head: directory, ...options }, () => {});
  return { work, plan };
}

const linesOf = (work: WorkDirectory): StepLine[] =>
  readFileSync(work.file("steps.ndjson"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const progress = quietProgress(process.stderr);

test("finds what workers that sleep hold, within 10%, and every step is on the disk", async () => {
  const { work, plan } = sleeper();
  const search = await plan({ scenario: ["sleeping"], approaches: "2" });
  const { capacity, text } = await capacityPhase(search, work, home, progress, new AbortController().signal);
  const [{ answer, approaches } = { answer: null, approaches: [] }] = capacity.scenarios;
  if (answer?.kind !== "capacity") throw new Error(text);
  expect(Math.abs(answer.rate / ((1000 * WORKERS) / SLEEP_MS) - 1), text).toBeLessThan(0.1);
  expect(answer.n).toBe(2);
  expect(answer.interval?.low).toBeLessThanOrEqual(answer.rate);
  expect(answer.interval?.high).toBeGreaterThan(answer.rate);
  // Sleeping, it is far from its CPUs' limit.
  for (const { cpu } of approaches.flatMap(({ steps }) => steps)) expect(cpu).toBeLessThan(0.9);

  const lines = linesOf(work);
  expect(lines.map(({ kind }) => kind)).toEqual([
    "begin",
    ...approaches.flatMap(({ steps }) => steps.map(() => "step")),
    "stop",
  ]);
  expect(lines.at(-1)).toMatchObject({ kind: "stop", reason: "done" });
  expect(JSON.parse(readFileSync(work.file("capacity.json"), "utf8"))).toEqual(capacity);
  expect(readFileSync(work.file("capacity.md"), "utf8")).toContain("sleeping");
}, 400_000);

test("a service that fails holds nothing, which is an answer", async () => {
  const { work, plan } = sleeper();
  const search = await plan({ scenario: ["broken"], approaches: "1" });
  const { capacity, text } = await capacityPhase(search, work, home, progress, new AbortController().signal);
  expect(capacity.scenarios[0]?.answer).toEqual({ kind: "none", cause: "errors" });
  expect(text).toContain("does not even hold 1/s: too many failed requests");
}, 200_000);

test("interrupted: what was measured is kept and told", async () => {
  const { work, plan } = sleeper();
  const search = await plan({ scenario: ["sleeping"], approaches: "1" });
  const controller = new AbortController();
  const measured = { steps: 0 };
  const watching = {
    ...progress,
    step: (line: string) => {
      if (line.includes("approach 1") && ++measured.steps === 2) controller.abort(new Error("enough"));
    },
  };
  const { capacity } = await capacityPhase(search, work, home, watching, controller.signal);
  expect(capacity.stop.reason).toBe("interrupted");
  expect(capacity.scenarios[0]?.answer).toEqual({ kind: "at-least", rate: 4, cause: null });
  expect(linesOf(work).map(({ kind }) => kind)).toEqual(["begin", "step", "step", "stop"]);
}, 200_000);

test.each<[CapacityOptions, RegExp]>([
  [
    { scenario: ["sleepin"] },
    /--scenario: allowed is one of "sleeping", "broken"; got "sleepin". Did you mean "sleeping"\?/,
  ],
  [{ maxP95: "300" }, /--max-p95: allowed is a duration from 1ms to 1m such as 300ms, got "300"/],
  [{ maxCpu: "110%" }, /--max-cpu: allowed is a percentage above 0% up to 100%, got "110%"/],
  [{ approaches: "0" }, /--approaches: allowed is a whole number from 1 to 20, got "0"/],
])("unusable option: %j", async (options, message) => {
  const { plan } = sleeper();
  const refused = plan(options);
  await expect(refused).rejects.toThrow(InputError);
  await expect(refused).rejects.toThrow(message);
});

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  textTable
} from "./shared-text-table.js";
import {
  onMachine,
  runStep,
  startRig
} from "./shared-stack.js";
import "./shared-k6~2.js";
import "./shared-environment.js";
import "./shared-index~2.js";
import "./shared-ignore.js";
import "./shared-programs~2.js";
import "./shared-leftovers.js";
import "./shared-cgroup.js";
import "./shared-bake.js";
import "./shared-guard.js";
import {
  minutes
} from "./shared-plan~2.js";
import "./shared-uniformInt.js";
import {
  chooseDriver,
  judgeOf,
  layoutFor,
  wantedDriver,
  whyDriver
} from "./shared-stored-base.js";
import "./shared-k6.js";
import "./shared-programs.js";
import {
  checkOut,
  fromPath,
  treesOf
} from "./shared-arms~2.js";
import "./shared-engine.js";
import {
  sha256
} from "./shared-work-directory.js";
import "./shared-git-store.js";
import {
  nearest,
  parseDurationMs,
  parsePercent,
  show
} from "./shared-schemas.js";
import {
  InputError
} from "./shared-errors.js";
import "./shared-beside.js";
import "./shared-stored.js";
import "./shared-steps.js";
import "./shared-slowest.js";
import {
  buildPlan
} from "./shared-plan.js";
import {
  fold,
  markdownTable
} from "./shared-details.js";
import "./shared-picocolors.js";
import {
  ABSENT,
  MARKDOWN,
  PLAIN,
  STRIKE_LABEL,
  duration,
  escapeMarkdown,
  escapeNote,
  list,
  ms,
  oneLine,
  percent,
  plural,
  qps,
  sentence
} from "./shared-headline.js";
import "./shared-variants.js";
import "./shared-nginx.js";
import {
  isEnvironment,
  strikeReason,
  tQuantile
} from "./shared-replay.js";
import {
  targetOf
} from "./shared-arms.js";
import {
  assertNever
} from "./shared-model.js";
import "./shared-runtime.js";

// scripts/src/core/capacity.ts
var START = 2;
var LOWEST = 1;
var HIGHEST = 1e5;
var GROWTH = 2;
var RETREAT = 4;
var PRECISION = 1.03;
var LATER_START = 1 / 3;
var REPEATS = 3;
var LEEWAY = { ms: 100, share: 0.5 };
var SECONDS_PER_LEEWAY_MS = 3 / LEEWAY.ms;
var LONGEST_STEP = 15;
var GAP = { least: 1, most: 5 };
var MAX_UNANSWERED = 0.05;
function begin(before) {
  const start = before === null ? START : Math.max(LOWEST, before * LATER_START);
  return { start: round(start), held: null, failed: null, calmP95Ms: null, repeats: 0 };
}
function next({ start, held, failed }) {
  if (failed === null) {
    if (held === null) return start;
    return held >= HIGHEST ? null : round(held * GROWTH);
  }
  if (held === null) return failed.rate <= LOWEST ? null : Math.max(LOWEST, round(failed.rate / RETREAT));
  if (failed.rate / held <= PRECISION) return null;
  const middle = round(Math.sqrt(held * failed.rate));
  return middle > held && middle < failed.rate ? middle : null;
}
function take(approach, { rate, p95Ms, cause }) {
  if (cause === null) {
    approach.held = rate;
    approach.repeats = 0;
    if (p95Ms !== null) approach.calmP95Ms = Math.min(approach.calmP95Ms ?? p95Ms, p95Ms);
    return;
  }
  const again = isByOthers(cause) ? REPEATS : approach.failed === null ? 1 : 0;
  if (approach.repeats < again) {
    approach.repeats++;
    return;
  }
  approach.failed = { rate, cause };
  approach.repeats = 0;
}
var round = (rate) => Math.round(rate * 10) / 10;
function stepTimes({ calmP95Ms }, limits) {
  const seconds = Math.min(LONGEST_STEP, leewayMs(calmP95Ms ?? 0) * SECONDS_PER_LEEWAY_MS);
  const gap = 2 * allowedP95Ms(calmP95Ms, limits) / 1e3;
  return { seconds, gapSeconds: Math.min(GAP.most, Math.max(GAP.least, gap)) };
}
var leewayMs = (calmMs) => Math.max(LEEWAY.ms, calmMs * LEEWAY.share);
function allowedP95Ms(calmMs, { maxP95Ms }) {
  const risen = calmMs === null ? Number.POSITIVE_INFINITY : calmMs + leewayMs(calmMs);
  return Math.min(risen, maxP95Ms ?? Number.POSITIVE_INFINITY);
}
function causeOf(plan, sample, due, calmP95Ms, limits) {
  const { measure } = plan.config;
  const apart = { ...measure, maxForeignCores: null };
  const own = strikeReason(sample, null, apart, { ...plan.layout, isolated: false }) ?? exceeded(sample.latencyMs, cpuShare(plan, sample), calmP95Ms, limits) ?? (due !== null && isUnanswered(sample.requests, due) ? "unanswered" : null);
  if (own === null) return null;
  const machine = strikeReason(sample, null, measure, plan.layout);
  return machine !== null && !isOfService(machine) ? machine : own;
}
function exceeded(latency, cpu, calmP95Ms, limits) {
  if (latency !== null && latency.p95 > allowedP95Ms(calmP95Ms, limits)) return "latency";
  return limits.maxCpu !== null && cpu !== null && cpu > limits.maxCpu ? "cpu" : null;
}
function isUnanswered(requests, due) {
  const expected = Math.floor(due) - 1;
  return requests < expected * (1 - MAX_UNANSWERED);
}
function isOfService(cause) {
  return !isByOthers(cause) && cause !== "generator-saturated" && cause !== "ports-exhausted";
}
function isByOthers(cause) {
  return cause !== "latency" && cause !== "cpu" && cause !== "unanswered" && isEnvironment(cause);
}
function cpuShare(plan, { arm, witness }) {
  if (witness === null || witness.intervalSeconds === 0) return null;
  const { target, services } = plan.layout;
  const { resources } = targetOf(plan, arm);
  const together = resources === null && services.every((cpu) => target.includes(cpu));
  const used = witness.targetCpuSeconds + (together ? witness.servicesCpuSeconds : 0);
  return Math.min(1, used / (witness.intervalSeconds * (resources?.cpus ?? target.length)));
}
function resultOf(approach) {
  const { held, failed } = approach;
  return { held, failed: failed?.rate ?? null, cause: failed?.cause ?? null, complete: next(approach) === null };
}
function answerOf(approaches) {
  const sound = approaches.filter(({ complete, cause }) => complete && (cause === null || !isByOthers(cause)));
  const holding = sound.flatMap(({ held, failed, cause }) => held === null ? [] : [{ held, failed, cause }]);
  const unlimited = holding.find(({ cause }) => cause === null || !isOfService(cause));
  if (unlimited !== void 0) {
    return { kind: "at-least", rate: Math.min(...holding.map(({ held }) => held)), cause: unlimited.cause };
  }
  if (holding.length > 0) {
    const held = holding.map(({ held: rate }) => Math.log(rate));
    const failed = holding.map((result) => Math.log(result.failed ?? result.held));
    const n = holding.length;
    const interval = n < 2 ? null : { low: Math.exp(meanLimit(held, -1)), high: Math.exp(meanLimit(failed, 1)) };
    return { kind: "capacity", rate: Math.exp(mean(held)), interval, n };
  }
  const [nothing] = sound;
  if (nothing?.cause != null) return { kind: "none", cause: nothing.cause };
  const cut = approaches.flatMap(
    ({ held, cause, complete }) => held === null ? [] : [{ rate: held, cause: complete ? cause : null }]
  );
  const [best] = cut.sort((a, b) => b.rate - a.rate);
  return best === void 0 ? null : { kind: "at-least", ...best };
}
var mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
function meanLimit(values, side) {
  const n = values.length;
  const centre = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (n - 1);
  return centre + side * tQuantile(0.975, n - 1) * Math.sqrt(variance / n);
}
function capacityOf(plan, limits, steps2, { reason, detail }, wallSeconds) {
  const { label, commit } = plan.arms.head;
  const scenarios = plan.config.scenarios.map(({ name, work }) => {
    const own = steps2.filter(({ scenario }) => scenario === name);
    const numbers = [...new Set(own.map(({ approach }) => approach))];
    let before = null;
    const approaches = numbers.map((number) => {
      const of = own.filter(({ approach: approach2 }) => approach2 === number);
      const approach = begin(before);
      for (const step of of) take(approach, outcomeOf(step));
      before = approach.held ?? before;
      return { ...resultOf(approach), steps: of.map((step) => shown(plan, step)) };
    });
    return { scenario: name, isFlow: work.kind === "flow", answer: answerOf(approaches), approaches };
  });
  return {
    version: 1,
    planId: plan.id,
    head: { label, commit },
    layout: plan.layout.note,
    limits,
    maxErrorRate: plan.config.measure.maxErrorRate,
    scenarios,
    stop: { reason, detail },
    wallSeconds
  };
}
function outcomeOf({ rate, cause, sample }) {
  return { rate, cause, p95Ms: sample.latencyMs?.p95 ?? null };
}
function shown(plan, { rate, cause, sample }) {
  const { qps: qps2, seconds, latencyMs } = sample;
  return { rate, qps: qps2, seconds, p95Ms: latencyMs?.p95 ?? null, cpu: cpuShare(plan, sample), cause };
}

// scripts/src/report/capacity.ts
var CAUSE_LABEL = {
  ...STRIKE_LABEL,
  "dropped-iterations": "requests had to wait for a free VU",
  latency: "p95 was too high",
  cpu: "the service used more CPU than allowed",
  unanswered: "requests stayed without an answer"
};
function renderCapacity({ capacity, environment }) {
  const titles = ["scenario", ">holds, 1/s", ">between", "then", ">approaches"];
  const table = textTable(
    titles,
    capacity.scenarios.map((scenario) => row(scenario, PLAIN))
  );
  const warnings = environment?.warnings ?? [];
  return [
    table,
    "",
    `A rate is held while ${heldWhile(capacity.limits, capacity.maxErrorRate)}.`,
    ...capacity.scenarios.flatMap((scenario) => remark(scenario, PLAIN)),
    ...stopSentences(capacity, PLAIN),
    ...warnings.map((warning) => `note: ${sentence(oneLine(warning))}`),
    "Every step: capacity.md, capacity.json and steps.ndjson in the work directory.",
    ""
  ].join("\n");
}
function renderCapacityMarkdown({ capacity, environment }) {
  const { head, layout, limits, maxErrorRate, scenarios, wallSeconds } = capacity;
  const commit = head.commit === null ? "" : ` (${escapeMarkdown(head.commit.slice(0, 12))})`;
  const answers = markdownTable(
    [
      ["scenario", "holds, 1/s", "between", "then", "approaches"],
      ...scenarios.map((scenario) => row(scenario, MARKDOWN))
    ],
    { align: ["l", "r", "r", "l", "r"] }
  );
  const remarks = [
    ...scenarios.flatMap((scenario) => remark(scenario, MARKDOWN)),
    ...stopSentences(capacity, MARKDOWN)
  ];
  const parts = [
    "## How much it can take",
    answers,
    `A rate is held while ${heldWhile(limits, maxErrorRate)}.`,
    remarks.map((text) => `- ${text}`).join("\n"),
    ...(environment?.warnings ?? []).map((warning) => `> ${sentence(escapeNote(warning))}`),
    `${escapeMarkdown(head.label)}${commit}: ${escapeNote(layout)}; ${duration(wallSeconds)} in all.`,
    ...scenarios.map(
      (scenario) => fold(
        `Every step: ${escapeMarkdown(scenario.scenario)}`,
        scenario.approaches.length === 0 ? [] : [steps(scenario)]
      )
    )
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}
`;
}
function heldWhile({ maxP95Ms, maxCpu }, maxErrorRate) {
  return list([
    ...maxP95Ms === null ? [] : [`p95 is at most ${ms(maxP95Ms)} ms`],
    `p95 is at most ${ms(LEEWAY.ms)} ms, or ${percent(LEEWAY.share)}, above its lowest`,
    ...maxCpu === null ? [] : [`the service uses at most ${percent(maxCpu)} of its CPUs`],
    `at most ${percent(maxErrorRate)} of requests fail`,
    "every request starts on time"
  ]);
}
function stepSentence({ scenario, approach, rate, cause, sample }) {
  const p95 = sample.latencyMs === null ? "no answer" : `p95 ${ms(sample.latencyMs.p95)} ms`;
  const outcome = cause === null ? "held" : `not held: ${CAUSE_LABEL[cause]}`;
  return `${oneLine(scenario)}, approach ${approach + 1}: ${qps(rate)}/s ${outcome} (${p95})`;
}
function row({ scenario, isFlow, answer, approaches }, ink) {
  const name = `${ink.text(scenario)}${isFlow ? " (runs of the flow)" : ""}`;
  const complete = approaches.filter((approach) => approach.complete).length;
  return [name, ...figures(answer, ink), ended(approaches), String(complete)];
}
function figures(answer, ink) {
  if (answer === null) return [ABSENT, ABSENT];
  switch (answer.kind) {
    case "capacity": {
      const { rate, interval } = answer;
      return [ink.strong(qps(rate)), interval === null ? ABSENT : `${qps(interval.low)} … ${qps(interval.high)}`];
    }
    case "at-least":
      return [`≥ ${qps(answer.rate)}`, ABSENT];
    case "none":
      return ["0", ABSENT];
    default:
      return assertNever(answer);
  }
}
function ended(approaches) {
  const counts = /* @__PURE__ */ new Map();
  for (const { complete, cause } of approaches) {
    if (complete && cause !== null) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  if (sorted.length === 0) return ABSENT;
  return sorted.map(([cause, n]) => `${CAUSE_LABEL[cause]}${sorted.length === 1 ? "" : ` (${n})`}`).join(", ");
}
function remark({ scenario, answer, approaches }, ink) {
  const name = `“${ink.text(scenario)}”`;
  if (answer === null) return [`${name}: nothing was found out.`];
  switch (answer.kind) {
    case "capacity": {
      const left = approaches.length - answer.n;
      if (left > 0) return [`${name}: ${plural(left, "approach", "approaches")} of ${approaches.length} told nothing.`];
      return answer.n === 1 ? [`${name}: one approach has no interval; give --approaches 2 or more.`] : [];
    }
    case "at-least":
      return [`${name} holds at least ${qps(answer.rate)}/s; ${limitOutside(answer.cause)}.`];
    case "none":
      return [`${name} does not even hold 1/s: ${CAUSE_LABEL[answer.cause]}.`];
    default:
      return assertNever(answer);
  }
}
function limitOutside(cause) {
  if (cause === null) return "the search ended before the service did";
  return cause === "generator-saturated" ? "k6 was the limit" : `then the search could not go on: ${CAUSE_LABEL[cause]}`;
}
function stopSentences({ stop }, ink) {
  switch (stop.reason) {
    case "done":
      return [];
    case "interrupted":
      return ["It was interrupted: approaches that had not ended count for nothing."];
    case "failed":
      return [sentence(`It failed${stop.detail === null ? "" : `: ${ink.text(stop.detail)}`}`)];
    default:
      return assertNever(stop.reason);
  }
}
function steps({ approaches }) {
  const cells = (step, number) => [
    String(number + 1),
    qps(step.rate),
    qps(step.qps),
    ms(step.p95Ms),
    step.cpu === null ? ABSENT : percent(step.cpu),
    step.cause === null ? "held" : CAUSE_LABEL[step.cause]
  ];
  const rows = approaches.flatMap((approach, number) => approach.steps.map((step) => cells(step, number)));
  return markdownTable([["approach", "asked, 1/s", "answered, 1/s", "p95 ms", "CPU", ""], ...rows], {
    align: ["r", "r", "r", "r", "r", "l"]
  });
}

// scripts/src/phases/capacity.ts
var MAX_VUS = 200;
var EXPECTED = { first: 16, later: 10, step: 7, start: 25 };
async function planCapacity(options, warn) {
  const limits = {
    maxP95Ms: options.maxP95 === void 0 ? null : parseP95(options.maxP95),
    maxCpu: options.maxCpu === void 0 ? null : parseShare(options.maxCpu)
  };
  const approaches = parseApproaches(options.approaches ?? "5");
  const tree = await fromPath("--head", options.head ?? ".");
  if (tree.directory === null) {
    throw new InputError("--head: capacity is that of a tree. Give a directory whose compose file starts the image");
  }
  const { config } = await judgeOf({ base: tree, head: tree }, options.config ?? null, warn);
  const driver = await chooseDriver(wantedDriver(options.driver, config.target), config.target);
  const source = driver === "url" ? { ...tree, label: config.target.url?.head ?? tree.label, commit: null } : tree;
  const plan = buildPlan(
    {
      // Nothing is drawn.
      seed: 0,
      arms: { base: source, head: source },
      sameSource: true,
      driver,
      config: { ...config, scenarios: chosen(config, options.scenario).map(opened) },
      layout: layoutFor(config.measure.isolation)
    },
    sha256
  );
  return { plan, limits, approaches };
}
function chosen({ scenarios }, names) {
  if (names === void 0) return scenarios;
  const known = scenarios.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    throw new InputError(
      `--scenario: allowed is one of ${known.map(show).join(", ")}; got ${show(name)}${near === null ? "" : `. Did you mean ${show(near)}?`}`
    );
  }
  return scenarios.filter(({ name }) => names.includes(name));
}
function opened(scenario) {
  const maxVus = scenario.load.model === "open" ? scenario.load.maxVus : MAX_VUS;
  return { ...scenario, load: { model: "open", rates: ["auto"], maxVus } };
}
function parseP95(text) {
  const ms2 = parseDurationMs(text);
  if (ms2 !== null && ms2 >= 1 && ms2 <= 6e4) return ms2;
  throw new InputError(`--max-p95: allowed is a duration from 1ms to 1m such as 300ms, got ${JSON.stringify(text)}`);
}
function parseShare(text) {
  const share = parsePercent(text);
  if (share !== null && share > 0 && share <= 1) return share;
  throw new InputError(`--max-cpu: allowed is a percentage above 0% up to 100%, got ${JSON.stringify(text)}`);
}
function parseApproaches(text) {
  if (/^([1-9]|1\d|20)$/.test(text)) return Number(text);
  throw new InputError(`--approaches: allowed is a whole number from 1 to 20, got ${JSON.stringify(text)}`);
}
function describeCapacity({ plan, limits, approaches }) {
  const { scenarios, measure } = plan.config;
  const { label, commit } = plan.arms.head;
  const why = whyDriver(plan);
  const steps2 = EXPECTED.first + (approaches - 1) * EXPECTED.later;
  const expected = EXPECTED.start + scenarios.length * steps2 * EXPECTED.step;
  const perScenario = `${approaches} ${approaches === 1 ? "approach" : "approaches"} of each`;
  return [
    `head       ${label}${commit === null ? "" : ` (${commit.slice(0, 12)})`}`,
    `driver     ${plan.driver}${why === null ? "" : ` (${why})`}`,
    `isolation  ${plan.layout.note}`,
    `held while ${heldWhile(limits, measure.maxErrorRate)}`,
    "",
    `${scenarios.length} ${scenarios.length === 1 ? "scenario" : "scenarios"}, ${perScenario}:`,
    ...scenarios.map(({ name, connection }) => `  ${oneLine(name)}  ${connection}`),
    "",
    `expected   ${minutes(expected)} where each holds about 1,000/s; spoilt steps are measured again`
  ].join("\n");
}
async function capacityPhase(search, work, home, progress, signal) {
  return await onMachine(search.plan.driver, work, { home, progress, signal }, (context) => {
    work.begin();
    work.writeJson("plan", search.plan);
    return capacityLocked(search, work, context);
  });
}
async function capacityLocked(search, work, context) {
  const { plan, limits } = search;
  const { progress, signal } = context;
  const started = performance.now();
  let rig = null;
  const steps2 = [];
  const add = (line) => {
    work.appendSteps([line]);
    if (line.kind === "step") steps2.push(line);
  };
  const finish = (stop) => {
    const wallSeconds = (performance.now() - started) / 1e3;
    add({ kind: "stop", wallSeconds, ...stop });
    const capacity = capacityOf(plan, limits, steps2, stop, wallSeconds);
    const report = { capacity, environment: rig && work.readEnvironment(plan) };
    work.writeJson("capacity", capacity);
    work.write("capacity.md", renderCapacityMarkdown(report));
    return { capacity, text: renderCapacity(report) };
  };
  const removeTrees = await checkOut(treesOf(plan), plan.config.target.copy, progress.warn);
  try {
    rig = await startRig(plan, work, context);
    add({ kind: "begin", version: 1, planId: plan.id, startedAt: Date.now(), limits, approaches: search.approaches });
    await approachAll(rig, search, add, progress);
    return finish({ reason: signal.aborted ? "interrupted" : "done", detail: null });
  } catch (error) {
    if (signal.aborted) return finish({ reason: "interrupted", detail: null });
    const detail = error.message.slice(0, 5e3);
    if (steps2.length > 0) tryQuietly(() => finish({ reason: "failed", detail }));
    throw error;
  } finally {
    progress.done();
    await rig?.target.close();
    await removeTrees();
  }
}
async function approachAll(rig, { limits, approaches }, add, progress) {
  const found = /* @__PURE__ */ new Map();
  for (let number = 0; number < approaches; number++) {
    for (const scenario of rig.plan.config.scenarios) {
      const held = await approachOne(rig, scenario, number, found.get(scenario.name) ?? null, limits, add, progress);
      if (rig.signal.aborted) return;
      if (held !== null) found.set(scenario.name, held);
    }
  }
}
async function approachOne(rig, scenario, number, before, limits, add, progress) {
  const { plan, target, signal } = rig;
  const { name, work } = scenario;
  const cell = plan.cells.find((candidate) => candidate.scenario === name)?.id;
  if (cell === void 0) throw new Error(`plan: no cell of ${name}`);
  const approach = begin(before);
  let fresh = true;
  for (let rate = next(approach); rate !== null && !signal.aborted; rate = next(approach)) {
    if (fresh) await target.restart();
    const times = stepTimes(approach, limits);
    const warmUpSeconds = fresh ? plan.config.measure.warmUpSeconds : 0;
    const sample = await runStep(rig, { cell, arm: "head", rate, ...times, warmUpSeconds }, number);
    if (sample === null || signal.aborted) break;
    const due = work.kind === "flow" ? null : rate * times.seconds;
    const cause = causeOf(plan, sample, due, approach.calmP95Ms, limits);
    const step = { kind: "step", scenario: name, approach: number, rate, fresh, cause, sample };
    add(step);
    take(approach, outcomeOf(step));
    progress.step(stepSentence(step));
    fresh = cause !== null;
  }
  return approach.held;
}
function tryQuietly(action) {
  try {
    action();
  } catch {
  }
}
export {
  capacityPhase,
  describeCapacity,
  planCapacity
};

import * as z from "zod";
import { complaint, duration, flag, leaf, number, oneOf, percent, show, text, wordOr } from "./leaves.ts";
import {
  ALWAYS,
  isMapping,
  list,
  namedValues,
  oneOrMany,
  printable,
  type Raw,
  type Report,
  reportTwice,
  section,
  twice,
  urlPath,
} from "./shapes.ts";
import { formatDuration } from "./units.ts";

/** k6 needs memory for every VU; beyond this the generator is what is measured. */
export const MAX_VUS = 2000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** A plateau is one slot: long enough for a p99, short enough for twenty rounds. */
export const PLATEAU_MS = { min: 1 * SECOND, max: MINUTE };
const RAMP_MAX_MS = 10 * MINUTE;

export const margins = {
  "max-qps-drop": percent({ min: 0, max: 1, above: true, below: true, example: "5%" }),
  "max-p99-rise": percent({ min: 0, max: 10, above: true, example: "20%" }),
  "max-overall-qps-drop": percent({ min: 0, max: 1, above: true, below: true, example: "2%" }),
  "min-qps": number({ min: 0.001, max: 1_000_000, whole: false, example: "250" }),
  "max-p99": duration({ min: 1, max: MINUTE, example: "300ms" }),
};

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
const vus = () => number({ min: 1, max: MAX_VUS, example: "20" });

/** Whether a text can be the path of a k6 module; it need not exist. */
export function isFlowPath(value: string): boolean {
  return printable(500)(value) && /\.(js|mjs|ts)$/.test(value);
}

export const connection = oneOf(["keep-alive", "close"]);

const checks = section({
  status: oneOrMany(number({ min: 100, max: 599, example: "200" }), "status codes", "[200, 204]")
    .prefault(200)
    .meta({ oneOrMany: true, description: "Accepted status code, or a list of them." }),
  "body-contains": text({
    allowed: "a text",
    accept: (value) => value.length > 0,
    fix: "Write a text that every good answer contains.",
  })
    .optional()
    .describe("Text that every good answer contains."),
});

const scenarioGate = section({
  "max-qps-drop": margins["max-qps-drop"].optional().describe("As gate.max-qps-drop, for this scenario."),
  "max-p99-rise": margins["max-p99-rise"].optional().describe("As gate.max-p99-rise, for this scenario."),
  "min-qps": margins["min-qps"].optional().describe("As gate.min-qps, for this scenario."),
  "max-p99": margins["max-p99"].optional().describe("As gate.max-p99, for this scenario."),
  latency: flag()
    .optional()
    .describe("Whether latency is gated. Default: true for model closed and ramp, false for open."),
});

const stage = section({
  duration: duration({ min: 0, max: RAMP_MAX_MS, example: "10s" }).describe("Length of the stage; 0s jumps."),
  target: number({ min: 0, max: MAX_VUS, example: "20" }).describe("VUs at its end."),
});

/** What a single request is made of, beside its path. */
const requestKeys = {
  method: oneOf(METHODS).optional().meta({ description: "HTTP method; with `path` only.", writtenDefault: "GET" }),
  headers: namedValues({
    allowed: "the name of a header: letters, digits and !#$%&'*+-.^_`|~",
    pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
    reserved: {
      host: "Use target.host.",
      connection: "Use connection: keep-alive or connection: close.",
      "content-length": "It follows from the body.",
      "transfer-encoding": "It follows from the body.",
    },
  })
    .optional()
    .describe("Request headers; with `path` only."),
  body: leaf<{ json: boolean; text: string }>({
    allowed: "a text, or a mapping or list that is sent as JSON",
    read: (raw) => {
      if (typeof raw === "string") return { json: false, text: raw };
      return typeof raw === "object" && raw !== null ? { json: true, text: JSON.stringify(raw) } : undefined;
    },
    fix: () => "Put it in quotes, or write keys on lines below it.",
    json: { type: ["string", "object", "array"] },
  })
    .optional()
    .describe(
      "Request body; with `path` only. A mapping or list is sent as JSON, with content-type: application/json unless " +
        "headers say otherwise.",
    ),
  checks: checks
    .optional()
    .describe("What a good answer is; anything else counts as an error. With `path` only: a flow checks by itself."),
};

/** Every VU has the order of the whole mix in its memory: as long as all weights together. */
const MIX = { entries: 20, weight: 1000 };
const MIX_EXAMPLE = "[{path: /, weight: 1}, {path: /products, weight: 6}]";

const mixed = section({
  path: urlPath().describe("Path and query of the request."),
  weight: number({ min: 1, max: MIX.weight, example: "1" }).describe("How often it is sent, beside the others."),
  ...requestKeys,
});

const scenarioShape = {
  name: text({
    allowed: "a name of 1 to 80 printable characters",
    accept: printable(80),
    fix: "Shorten it, or remove what cannot be seen.",
    json: { minLength: 1, maxLength: 80 },
  })
    .optional()
    .describe("Name in reports. Default: the path, or the name of the flow file without its ending; a mix needs one."),
  path: urlPath().optional().describe("Path and query of the request. Either this, `mix` or `flow`."),
  flow: text({
    allowed: "the path of a k6 module",
    accept: isFlowPath,
    fix: "Write for example flows/login.js.",
    json: { writtenExamples: ["flows/login.js"] },
  })
    .optional()
    .describe("k6 module that makes the requests, relative to this file. Either this, `path` or `mix`."),
  mix: z
    .array(mixed, {
      error: (issue) => complaint("a list of requests with weights", issue.input, `Write for example ${MIX_EXAMPLE}.`),
    })
    .superRefine((requests, context) => {
      if (!Array.isArray(requests)) return;
      const report = (message: string) => context.addIssue({ code: "custom", message });
      const got = `got ${requests.length}`;
      if (requests.length < 2)
        report(`expected two or more requests; ${got}. Add another, or write path in place of mix.`);
      if (requests.length <= MIX.entries) return;
      report(`expected at most ${MIX.entries} requests; ${got}. Make several scenarios of them.`);
    }, ALWAYS)
    .meta({ minItems: 2, maxItems: MIX.entries })
    .optional()
    .describe(
      "Requests of one load, each sent as often as its weight says, in the same order to both versions. Either this, " +
        "`path` or `flow`.",
    ),
  ...requestKeys,
  connection: connection
    .prefault("keep-alive")
    .describe("Whether connections are kept (`keep-alive`), or opened anew for every request (`close`)."),
  model: oneOf(["closed", "open", "ramp"])
    .prefault("closed")
    .describe(
      "`closed`: so many VUs, each sends its next request when the last is answered. `open`: so many requests per " +
        "second, answered or not. `ramp`: VUs in stages, judged on the plateau.",
    ),
  levels: list(vus(), "numbers of VUs", "[1, 20]")
    .optional()
    .meta({ description: "Numbers of VUs; each is a cell of its own. Model `closed` only.", writtenDefault: [1, 20] }),
  rate: oneOrMany(
    wordOr("auto", number({ min: 1, max: 100_000, example: "200" })),
    "arrival rates (requests/s, or auto)",
    "[100, 200]",
  )
    .optional()
    .meta({
      oneOrMany: true,
      description:
        "Requests per second, or a list of them, each a cell of its own; `auto` is 70% of what the pilot reached. " +
        "Model `open` only.",
      writtenDefault: "auto",
    }),
  "max-vus": vus()
    .optional()
    .meta({ description: "VUs that may be busy at once. Model `open` only.", writtenDefault: 200 }),
  stages: list(stage, "stages", "[{duration: 10s, target: 20}, {duration: 20s, target: 20}]")
    .optional()
    .describe(
      "Stages of model `ramp`, from 0 VUs on. The longest one that keeps the VUs of the stage before is the plateau, " +
        "1 to 60 s long; all together take at most 10 minutes.",
    ),
  gate: scenarioGate.prefault({}).describe("Margins and limits of this scenario, in place of those of `gate`."),
};

/** Which key belongs to which choice; checked on what was written, since a key that does nothing misleads. */
const BELONGS: Record<string, { to: "path" | "closed" | "open" | "ramp" }> = {
  method: { to: "path" },
  headers: { to: "path" },
  body: { to: "path" },
  checks: { to: "path" },
  levels: { to: "closed" },
  rate: { to: "open" },
  "max-vus": { to: "open" },
  stages: { to: "ramp" },
};

/** What a scenario is: exactly one of these. */
const KINDS = ["path", "mix", "flow"] as const;
const INSTEAD = {
  flow: (key: string) => `this one has a flow, which sets it itself. Remove ${key}.`,
  mix: (key: string) => `this one has a mix, whose requests have their own. Write ${key} there, or remove it.`,
};

function checkKind(scenario: Raw, report: Report): void {
  const has = (key: string): boolean => scenario[key] !== undefined;
  const kinds = KINDS.filter(has);
  const [, second] = kinds;
  if (second !== undefined) {
    const message = `expected one of path, mix and flow; got ${kinds.join(" and ")}. Keep one of them, or make several scenarios.`;
    report([second], message, "key");
  }
  if (kinds.length === 0) {
    report([], complaint("path, mix or flow in every scenario", undefined, "Add for example path: /."));
  }
  if (has("mix") && !has("path") && !has("flow") && !has("name")) {
    report(["mix"], complaint("a name beside mix", undefined, "Add for example name: shop."), "key");
  }
  for (const [key, { to }] of Object.entries(BELONGS)) {
    if (!has(key)) continue;
    if (to === "path") {
      const other = has("path") ? undefined : (["mix", "flow"] as const).find(has);
      if (other !== undefined) report([key], `belongs to a scenario with path; ${INSTEAD[other](key)}`, "key");
    } else if (typeof scenario["model"] === "string" && scenario["model"] !== to) {
      const fix = `Write model: ${to}, or remove ${key}.`;
      report([key], `belongs to model ${to}; this scenario has model ${scenario["model"]}. ${fix}`, "key");
    }
  }
  if (has("path")) checkBody(scenario, [], report);
  const { mix } = scenario;
  for (const [index, request] of (Array.isArray(mix) ? mix : []).entries()) {
    if (isMapping(request)) checkBody(request, ["mix", index], report);
  }
}

function checkBody({ method = "GET", body }: Raw, place: (string | number)[], report: Report): void {
  if (body === undefined || (method !== "GET" && method !== "HEAD")) return;
  report([...place, "body"], `a ${method} request has no body. Add for example method: POST, or remove body.`, "key");
}

function checkLoad(scenario: Raw, report: Report): void {
  const { levels, stages, model } = scenario;
  if (Array.isArray(levels)) {
    reportTwice(levels, (index) => {
      if (typeof levels[index] === "number") report(["levels", index], twice(levels[index], []).message);
    });
  }
  if (model !== "ramp") return;
  const example = "Write for example stages: [{duration: 10s, target: 20}, {duration: 20s, target: 20}].";
  if (stages === undefined) report(["model"], complaint("stages beside model: ramp", undefined, example));
  if (!Array.isArray(stages)) return;
  const read: { ms: number; target: number }[] = [];
  for (const stage of stages) {
    if (!isMapping(stage) || typeof stage["duration"] !== "number" || typeof stage["target"] !== "number") return;
    read.push({ ms: stage["duration"], target: stage["target"] });
  }
  const plateau = plateauOf(read);
  if (plateau === null) {
    report(
      ["stages"],
      `none of the stages is a plateau: one that keeps the VUs (above 0) of the stage before. ${example}`,
    );
  } else if (plateau.ms < PLATEAU_MS.min || plateau.ms > PLATEAU_MS.max) {
    const allowed = `a plateau (the longest stage that keeps its VUs) from ${formatDuration(PLATEAU_MS.min)} to ${formatDuration(PLATEAU_MS.max)}`;
    const path = ["stages", read.indexOf(plateau), "duration"];
    report(path, `expected ${allowed}; got ${formatDuration(plateau.ms)}. Write for example 20s.`);
  }
  const total = read.reduce((sum, { ms }) => sum + ms, 0);
  if (total > RAMP_MAX_MS) {
    const allowed = `stages of at most ${formatDuration(RAMP_MAX_MS)} together`;
    report(
      ["stages"],
      `expected ${allowed}; got ${formatDuration(total)}. Shorten them: every round repeats them all.`,
    );
  }
}

/** The longest stage that keeps the VUs of the stage before; the first of several. */
function plateauOf<S extends { ms: number; target: number }>(stages: readonly S[]): S | null {
  let best: S | null = null;
  for (const [index, stage] of stages.entries()) {
    const before = stages[index - 1];
    if (before === undefined || stage.target === 0 || stage.target !== before.target) continue;
    if (best === null || stage.ms > best.ms) best = stage;
  }
  return best;
}

/** Default name of a scenario: its path, or the stem of its flow file; "" where it has neither. */
export function defaultName(scenario: { path?: unknown; flow?: unknown }): string {
  const { path, flow } = scenario;
  if (typeof path === "string") return [...path].slice(0, 80).join("");
  if (typeof flow !== "string") return "";
  return (flow.split("/").at(-1) ?? flow).replace(/\.[a-z]+$/, "");
}

const scenario = section(scenarioShape)
  .superRefine((written, context) => {
    if (!isMapping(written)) return;
    const report: Report = (path, message, at) =>
      context.addIssue({ code: "custom", path, message, ...(at ? { params: { at } } : {}) });
    checkKind(written, report);
    checkLoad(written, report);
  }, ALWAYS)
  .meta({ oneOf: [{ required: ["path"] }, { required: ["mix", "name"] }, { required: ["flow"] }] });

export const scenarios = z
  .array(scenario, {
    error: (issue) => complaint("a list of scenarios", issue.input, 'Write "- path: /" on a line below it.'),
  })
  .min(1, {
    error: (issue) =>
      complaint("a list of one or more scenarios", issue.input, 'Write "- path: /" on a line below it.'),
  })
  .max(200, { error: () => "expected at most 200 scenarios; got more. Split the configuration into several files." })
  .superRefine((items, context) => {
    if (!Array.isArray(items)) return;
    const named = (item: unknown): unknown => (isMapping(item) ? (item["name"] ?? defaultName(item)) : "");
    const names = items.map(named);
    reportTwice(names, (index, first) => {
      const name = names[index];
      if (typeof name !== "string" || name === "") return;
      const given = isMapping(items[index]) && typeof items[index]["name"] === "string";
      const fix = given
        ? "Rename one of them."
        : "Add a name of its own: every scenario without one is called after its path or flow.";
      const path = given ? [index, "name"] : [index];
      context.addIssue({
        code: "custom",
        path,
        // The reader of the file puts the position of the first one here.
        params: {
          other: [first],
          text: (position: string) => `the name ${show(name)} is taken by the scenario at ${position}. ${fix}`,
        },
        message: `the name ${show(name)} is taken by another scenario. ${fix}`,
      });
    });
  }, ALWAYS);

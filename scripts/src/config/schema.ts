import * as z from "zod";
import {
  bytes,
  complaint,
  duration,
  flag,
  leaf,
  number,
  oneOf,
  percent,
  show,
  text,
  UNPRINTABLE,
  wordOr,
} from "./leaves.ts";
import { formatDuration } from "./units.ts";

/** k6 needs memory for every VU; beyond this the generator is what is measured. */
export const MAX_VUS = 2000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** A plateau is one slot: long enough for a p99, short enough for twenty rounds. */
export const PLATEAU_MS = { min: 1 * SECOND, max: MINUTE };
const RAMP_MAX_MS = 10 * MINUTE;

/** A mapping of known keys. A key without a value (`gate:` with everything below it commented out) is an empty one. */
function section<S extends z.ZodRawShape>(shape: S) {
  const keys = Object.keys(shape).join(", ");
  return z.preprocess(
    (raw) => raw ?? {},
    z.strictObject(shape, {
      error: (issue) =>
        issue.code === "invalid_type"
          ? complaint(
              `a mapping with keys out of ${keys}`,
              issue.input,
              "Write its keys on lines of their own below it, indented.",
            )
          : undefined,
    }),
  );
}

function list<T extends z.ZodType>(item: T, what: string, example: string) {
  const fix = `Write for example ${example}.`;
  return z
    .array(item, { error: (issue) => complaint(`a list of ${what}`, issue.input, fix) })
    .min(1, { error: (issue) => complaint(`a list of one or more ${what}`, issue.input, fix) });
}

/** A list, or its only item. */
function oneOrMany<T extends z.ZodType>(item: T, what: string, example: string) {
  return z.preprocess(
    (raw) => (Array.isArray(raw) ? raw : [raw]),
    list(item, what, example).superRefine((items, context) => {
      reportTwice(items, (index) => context.addIssue(twice(items[index], [index])));
    }),
  );
}

/** Calls back with the position of every item that came before. */
function reportTwice(items: readonly unknown[], report: (index: number, first: number) => void): void {
  const seen = new Map<unknown, number>();
  for (const [index, item] of items.entries()) {
    const first = seen.get(item);
    if (first === undefined) seen.set(item, index);
    else report(index, first);
  }
}

const twice = (item: unknown, path: (string | number)[]) =>
  ({ code: "custom", path, message: complaint("every value once", item, "Remove the second one.") }) as const;

/** Options of a check that runs even where other values of the same mapping are wrong, so that all is told at once. */
const ALWAYS = { when: () => true };

type Raw = Record<string, unknown>;
const isMapping = (value: unknown): value is Raw =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// ---------------------------------------------------------------- text with rules

const printable = (max: number) => (value: string) =>
  value.length > 0 && [...value].length <= max && !UNPRINTABLE.test(value);

const urlPath = () =>
  text({
    allowed: "a path that starts with /, without spaces and without #",
    accept: (value) => /^\/[^\s#]*$/.test(value) && !UNPRINTABLE.test(value),
    fix: (value) => {
      const path = value
        .trim()
        .replace(/^https?:\/\/[^/]*/i, "")
        .replace(/#.*/s, "")
        .replaceAll(" ", "%20");
      return /[\p{Cc}\s]/u.test(path) || path === ""
        ? "Write for example /products?page=1."
        : `Write ${path.startsWith("/") ? path : `/${path}`}.`;
    },
    json: { pattern: "^/[^\\s#]*$", examples: ["/", "/products?page=1"] },
  });

const belowTree = (what: string, example: string) =>
  text({
    allowed: `${what}, a relative path without ..`,
    accept: (value) => printable(500)(value) && !value.startsWith("/") && !value.split("/").includes(".."),
    fix: `Write for example ${example}.`,
    json: { examples: [example] },
  });

const hostName = () =>
  text({
    allowed: "a host name, with a port if need be",
    accept: (value) => /^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252})(:\d{1,5})?$/.test(value),
    fix: (value) => {
      const host = /^[a-z]+:\/\/([A-Za-z0-9_.:-]+)/i.exec(value)?.[1];
      return `Write ${host ?? "for example shop.example.com"}.`;
    },
    json: { examples: ["shop.example.com"] },
  });

const baseUrl = (arm: string) =>
  leaf<string>({
    allowed: "an http:// or https:// address without user, query and fragment",
    read: (raw) => {
      if (typeof raw !== "string" || UNPRINTABLE.test(raw) || !URL.canParse(raw)) return undefined;
      const url = new URL(raw);
      const plain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
      return plain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/+$/, "") : undefined;
    },
    fix: () => `Write for example http://${arm}.test:8080.`,
    json: { type: "string", format: "uri", pattern: "^https?://", examples: [`http://${arm}.test:8080`] },
  });

const command = (example: string) =>
  text({
    allowed: "a shell command",
    accept: (value) => value.trim() !== "" && !value.includes("\0"),
    fix: `Write for example "${example}".`,
    json: { examples: [example] },
  });

/** YAML's numbers and booleans are taken as they were written, since the reader hands these over as text. */
const lineOfText = () =>
  leaf<string>({
    allowed: "a value on one line",
    read: (raw) => (typeof raw === "string" && !/[\0\r\n]/.test(raw) ? raw : undefined),
    fix: () => 'Write it in quotes, without line breaks; "" is the empty value.',
    json: { type: ["string", "number", "boolean"] },
  });

interface NameRule {
  allowed: string;
  pattern: RegExp;
  /** Lower-case name -> what to use in its place. */
  reserved?: Record<string, string>;
}

/** Free names, each with a value on one line. */
function namedValues({ allowed, pattern, reserved = {} }: NameRule) {
  return z
    .preprocess(
      (raw) => raw ?? {},
      z.record(z.string(), lineOfText(), {
        error: (issue) =>
          complaint("a mapping of names to values", issue.input, "Write NAME: value on lines below it."),
      }),
    )
    .superRefine((values, context) => {
      if (!isMapping(values)) return;
      const seen = new Set<string>();
      for (const name of Object.keys(values)) {
        const lower = name.toLowerCase();
        const instead = Object.hasOwn(reserved, lower) ? reserved[lower] : undefined;
        const at = (message: string) =>
          context.addIssue({ code: "custom", path: [name], params: { at: "key" }, message });
        if (!pattern.test(name)) at(complaint(allowed, name, "Rename or remove it."));
        else if (instead !== undefined) at(`${show(name)} is not set here. ${instead}`);
        else if (seen.has(lower)) at(complaint("every name once, in upper or lower case", name, "Remove one of them."));
        seen.add(lower);
      }
    }, ALWAYS);
}

/** CPUs of a list such as "0,2-3", ascending; null where it is none. */
export function parseCpuList(list: string): number[] | null {
  const cpus = new Set<number>();
  for (const part of list.split(",")) {
    const match = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part.trim());
    if (!match) return null;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first || last > 4095) return null;
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}

interface CpuLists {
  generator: string;
  target: string;
  services: string;
}

function readIsolation(raw: unknown): "auto" | "off" | CpuLists | undefined {
  if (raw === "auto" || raw === "off") return raw;
  if (!isMapping(raw) || Object.keys(raw).length !== 3) return undefined;
  const [generator, target, services] = [raw["generator"], raw["target"], raw["services"]].map((value) =>
    typeof value === "number" ? String(value) : value,
  );
  if (typeof generator !== "string" || typeof target !== "string" || typeof services !== "string") return undefined;
  const [ours, theirs] = [parseCpuList(generator), parseCpuList(target)];
  if (!ours || !theirs || !parseCpuList(services)) return undefined;
  return ours.some((cpu) => theirs.includes(cpu)) ? undefined : { generator, target, services };
}

// ---------------------------------------------------------------- target

const phpIni = namedValues({
  allowed: "the name of a php.ini setting",
  pattern: /^[A-Za-z_][A-Za-z0-9_.-]*$/,
  reserved: { "opcache.enable": "Use target.php.opcache.", "opcache.jit": "Use target.php.jit." },
});

const php = section({
  binary: text({
    allowed: "the name or path of a php-fpm binary",
    accept: printable(500),
    fix: "Write for example php-fpm8.4.",
    json: { examples: ["php-fpm8.4", "/usr/sbin/php-fpm8.2"] },
  })
    .optional()
    .describe("php-fpm binary, as a name in PATH or a path. Default: the newest one found on this machine."),
  "process-manager": oneOf(["static", "dynamic", "ondemand"])
    .prefault("static")
    .describe("How php-fpm manages its workers (`pm`). Static has no forks during a measurement."),
  workers: number({ min: 1, max: 1000, example: "8" })
    .prefault(8)
    .describe("Number of php-fpm workers (`pm.max_children`). Use what production has per core times the cores here."),
  opcache: flag().prefault(true).describe("Whether OPcache is on."),
  jit: oneOf(["off", "function", "tracing"]).prefault("off").describe("PHP's just-in-time compiler; needs OPcache."),
  backlog: number({ min: 1, max: 65_535, example: "511" })
    .prefault(511)
    .describe("Connections that may wait for a worker (`listen.backlog`)."),
  ini: phpIni.prefault({}).describe("Further php.ini settings, name: value, such as memory_limit: 256M."),
}).superRefine((settings, context) => {
  if (settings.jit !== undefined && settings.jit !== "off" && settings.opcache === false) {
    context.addIssue({
      code: "custom",
      path: ["jit"],
      message: complaint("off where OPcache is off", settings.jit, "Write jit: off, or opcache: true."),
    });
  }
}, ALWAYS);

const target = section({
  driver: oneOf(["auto", "process", "url"])
    .prefault("auto")
    .describe(
      "What runs the two versions: `process` starts php-fpm, nginx and the services as processes on this machine, " +
        "`url` uses what already runs at target.url, `auto` chooses.",
    ),
  root: belowTree("the directory that is served", "public")
    .prefault(".")
    .describe("Document root, relative to the application's tree. `.` is the tree itself."),
  index: belowTree("the front controller", "index.php")
    .prefault("index.php")
    .describe("Front controller, relative to target.root. Every request that is not for a file goes to it."),
  host: hostName().prefault("localhost").describe("Host header of every request: what production sees."),
  health: urlPath()
    .prefault("/")
    .describe("Path that answers 2xx once the application is ready. It has to go through PHP."),
  prepare: z
    .array(command("composer install --no-dev --optimize-autoloader"), {
      error: (issue) =>
        complaint("a list of shell commands", issue.input, 'Write - "composer install" on a line below it.'),
    })
    .prefault([])
    .describe(
      "Shell commands, run in the tree of each version before it starts, with the services already up: " +
        "composer install, migrations, caches.",
    ),
  start: command("php artisan octane:start --port=$PORT")
    .optional()
    .describe(
      "Start command of a server that is not php-fpm. It listens on 127.0.0.1:$PORT and stays in the foreground. " +
        "Default: php-fpm behind nginx.",
    ),
  services: z
    .array(oneOf(["mysql", "redis", "http"]), {
      error: (issue) => complaint("a list of services", issue.input, "Write for example [mysql, redis]."),
    })
    .superRefine((items, context) => {
      if (!Array.isArray(items)) return;
      reportTwice(items, (index) => context.addIssue(twice(items[index], [index])));
    }, ALWAYS)
    .prefault([])
    .describe(
      "Services to start for the application: `mysql` (a schema per version), `redis` (a database number per version), " +
        "`http` (a stand-in for third parties that answers every path at once).",
    ),
  env: namedValues({
    allowed: "the name of an environment variable",
    pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
    reserved: { port: "It is chosen for every start." },
  })
    .prefault({})
    .describe("Environment variables of the application and of the prepare commands."),
  url: section({
    base: baseUrl("base").describe("Where the base already runs."),
    head: baseUrl("head").describe("Where the head already runs."),
  })
    .optional()
    .describe("Addresses of the two versions; driver `url` only."),
  php: php.prefault({}).describe("Settings of php-fpm, the same for both versions."),
}).superRefine((settings, context) => {
  if (settings.driver === "url" && settings.url === undefined) {
    context.addIssue({
      code: "custom",
      path: ["driver"],
      message: complaint(
        "target.url beside driver: url",
        settings.url,
        "Add url: {base: http://base.test:8080, head: http://head.test:8080} below target.",
      ),
    });
  }
}, ALWAYS);

// ---------------------------------------------------------------- scenarios

const margins = {
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

const scenarioShape = {
  name: text({
    allowed: "a name of 1 to 80 printable characters",
    accept: printable(80),
    fix: "Shorten it, or remove what cannot be seen.",
    json: { minLength: 1, maxLength: 80 },
  })
    .optional()
    .describe("Name in reports. Default: the path, or the name of the flow file without its ending."),
  path: urlPath().optional().describe("Path and query of the request. Either this or `flow`."),
  flow: text({
    allowed: "the path of a k6 module",
    accept: isFlowPath,
    fix: "Write for example flows/login.js.",
    json: { examples: ["flows/login.js"] },
  })
    .optional()
    .describe("k6 module that makes the requests, relative to this file. Either this or `path`."),
  method: oneOf(METHODS).optional().meta({ description: "HTTP method; with `path` only.", default: "GET" }),
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
  connection: oneOf(["keep-alive", "close"])
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
    .meta({ description: "Numbers of VUs; each is a cell of its own. Model `closed` only.", default: [1, 20] }),
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
      default: "auto",
    }),
  "max-vus": vus().optional().meta({ description: "VUs that may be busy at once. Model `open` only.", default: 200 }),
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

type Report = (path: (string | number)[], message: string, at?: "key") => void;

function checkKind(scenario: Raw, report: Report): void {
  const has = (key: string): boolean => scenario[key] !== undefined;
  if (has("path") && has("flow")) {
    report(["flow"], "expected either path or flow; got both. Remove one of them, or make two scenarios.", "key");
  }
  if (!has("path") && !has("flow")) {
    report([], complaint("path or flow in every scenario", undefined, "Add for example path: /."));
  }
  for (const [key, { to }] of Object.entries(BELONGS)) {
    if (!has(key)) continue;
    if (to === "path") {
      if (!has("path") && has("flow")) {
        report(
          [key],
          `belongs to a scenario with path; this one has a flow, which sets it itself. Remove ${key}.`,
          "key",
        );
      }
    } else if (typeof scenario["model"] === "string" && scenario["model"] !== to) {
      const fix = `Write model: ${to}, or remove ${key}.`;
      report([key], `belongs to model ${to}; this scenario has model ${scenario["model"]}. ${fix}`, "key");
    }
  }
  const method = scenario["method"] ?? "GET";
  if (has("body") && has("path") && (method === "GET" || method === "HEAD")) {
    report(["body"], `a ${method} request has no body. Add for example method: POST, or remove body.`, "key");
  }
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

/** Default name of a scenario: its path, or the stem of its flow file. */
export function defaultName(scenario: { path?: unknown; flow?: unknown }): string {
  const { path, flow } = scenario;
  if (typeof path === "string") return [...path].slice(0, 80).join("");
  if (typeof flow !== "string") return "";
  return (flow.split("/").at(-1) ?? flow).replace(/\.[a-z]+$/, "");
}

const scenario = section(scenarioShape).superRefine((written, context) => {
  if (!isMapping(written)) return;
  const report: Report = (path, message, at) =>
    context.addIssue({ code: "custom", path, message, ...(at ? { params: { at } } : {}) });
  checkKind(written, report);
  checkLoad(written, report);
}, ALWAYS);

const scenarios = z
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

// ---------------------------------------------------------------- the file

/** The configuration file: kebab-case keys in, values with units parsed (ratios, ms), defaults filled in. */
export const fileSchema = section({
  target: target.prefault({}).describe("The application: how it is prepared, started and reached."),
  scenarios: scenarios
    .optional()
    .describe("What is asked of the application. Default: path / at 1 and 20 VUs, with keep-alive and without."),
  gate: section({
    "max-qps-drop": margins["max-qps-drop"]
      .prefault("5%")
      .describe(
        "Throughput a scenario may lose. Red only when the drop is surely larger, green only when it is surely smaller.",
      ),
    "max-p99-rise": margins["max-p99-rise"]
      .prefault("20%")
      .describe("Rise of the 99th latency percentile that is allowed."),
    "max-overall-qps-drop": margins["max-overall-qps-drop"]
      .prefault("2%")
      .describe("Throughput that the median over all cells may lose: finds a small slowdown everywhere."),
    "min-qps": margins["min-qps"].optional().describe("Requests per second that the head has to reach in every cell."),
    "max-p99": margins["max-p99"]
      .optional()
      .describe("99th latency percentile that the head may not exceed in any cell."),
    "on-inconclusive": oneOf(["warn", "pass", "fail"])
      .prefault("warn")
      .describe("Where the data decide nothing: `warn` (green with a warning), `pass`, or `fail` (exit status 3)."),
    "max-added": section({
      "sql-statements": number({ min: 0, max: 1_000_000, whole: false, example: "0" })
        .optional()
        .describe("SQL statements."),
      "db-connections": number({ min: 0, max: 1_000_000, whole: false, example: "0" })
        .optional()
        .describe("New database connections."),
      "redis-commands": number({ min: 0, max: 1_000_000, whole: false, example: "0" })
        .optional()
        .describe("Redis commands."),
      "response-bytes": bytes({ min: 0, max: 1e9, example: "10kB" }).optional().describe("Bytes of the response."),
    })
      .prefault({})
      .describe("How much an exact count per request may grow. What is not named is shown, not gated."),
  })
    .prefault({})
    .describe("Margins and limits that decide the verdict."),
  budget: duration({ min: 30 * SECOND, max: 6 * 60 * MINUTE, example: "10m" })
    .prefault("10m")
    .describe("Wall time of a run. A fifth of it is kept for confirming a regression."),
  measure: section({
    slot: wordOr("auto", duration({ min: SECOND, max: MINUTE, example: "2s" }))
      .prefault("auto")
      .describe("How long one version is under load at a time. `auto`: from a pilot run, mostly 2s."),
    "warm-up": duration({ min: SECOND, max: 30 * SECOND, example: "1.5s" })
      .prefault("1.5s")
      .describe("Load after every restart of PHP that is not counted, per version."),
    rounds: number({ min: 6, max: 60, example: "20" })
      .prefault(20)
      .describe("Rounds after which a cell that is still undecided is inconclusive."),
    "max-error-rate": percent({ min: 0, max: 0.5, example: "0.5%" })
      .prefault("0.5%")
      .describe("Share of failed requests above which a slot is thrown away and measured again."),
    "max-foreign-cpu": wordOr("off", percent({ min: 0, max: 1, above: true, example: "5%" }))
      .prefault("5%")
      .describe(
        "CPU time of other programs on our cores, in percent of one core, above which a slot is measured again.",
      ),
    isolation: leaf<"auto" | "off" | CpuLists>({
      allowed:
        'auto, off, or the CPU lists {generator: "1", target: "0", services: "0"} with generator and target apart',
      read: readIsolation,
      fix: () => "Write isolation: auto.",
      json: {
        anyOf: [
          { enum: ["auto", "off"] },
          {
            type: "object",
            properties: Object.fromEntries(
              [
                ["generator", "CPUs of k6, such as 2-3."],
                ["target", "CPUs of PHP and its web server."],
                ["services", "CPUs of MySQL and Redis."],
              ].map(([name, description]) => [name, { type: ["string", "integer"], description }]),
            ),
            required: ["generator", "target", "services"],
            additionalProperties: false,
          },
        ],
      },
    })
      .prefault("auto")
      .describe("Which CPUs belong to whom. `auto` keeps k6 and the application on physical cores of their own."),
  })
    .prefault({})
    .describe("How it is measured. The defaults are good for most applications."),
});

/** What fileSchema gives. */
export type FileShape = z.output<typeof fileSchema>;

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how the configuration refers to services.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadConfig, parseConfig } from "../../src/config/load.ts";
import { InputError } from "../../src/core/errors.ts";

/** The message of the InputError for a text; flows/login.js is the only flow file there is. */
function complaintAbout(text: string): string {
  try {
    parseConfig(text, { file: "perf-gate.yml", directory: "/app", isFile: (path) => path === "/app/flows/login.js" });
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).message;
  }
  return "";
}

const gate = (line: string): string => `gate:\n  ${line}\n`;
const target = (line: string): string => `target:\n  ${line}\n`;
const composed = (line: string): string => target(`compose: c.yml\n  service: app\n  port: 8080\n  ${line}`);
const measure = (line: string): string => `measure:\n  ${line}\n`;
const baseline = (line: string): string => `baseline:\n  ${line}\n`;
const scenario = (line: string): string => `scenarios:\n  - path: /\n    ${line}\n`;
const mix = (entries: string, rest = ""): string => `scenarios: [{name: shop, mix: [${entries}]${rest}}]`;
const percentOfDrop = "expected a percentage above 0% and below 100%, such as 5%";
const scenarioKeys =
  "name, path, flow, mix, method, headers, body, checks, connection, model, levels, rate, max-vus, stages, gate";
const twoStages = "Write for example stages: [{duration: 10s, target: 20}, {duration: 20s, target: 20}].";

test.each<[string, string]>([
  // Keys
  ["mesure: {}", '1:1: unknown key "mesure". Did you mean measure?'],
  [gate("maxQpsDrop: 5%"), '2:3: gate: unknown key "maxQpsDrop". Did you mean max-qps-drop?'],
  ["max-p99-rise: 5%", '1:1: unknown key "max-p99-rise". Did you mean gate.max-p99-rise?'],
  ["levels: [1]", '1:1: unknown key "levels". Did you mean scenarios[].levels?'],
  [
    "memory_limit: 256M",
    '1:1: unknown key "memory_limit". Use one of target, scenarios, variants, matrix, gate, budget, measure, baseline, or remove it.',
  ],
  [scenario("vus: 3"), `3:5: scenarios[0]: unknown key "vus". Use one of ${scenarioKeys}, or remove it.`],
  [scenario("chekcs: {}"), '3:5: scenarios[0]: unknown key "chekcs". Did you mean checks?'],
  [baseline("max-qps-dorp: 5%"), '2:3: baseline: unknown key "max-qps-dorp". Did you mean max-qps-drop?'],
  // Wrong types
  [
    "- 1",
    "1:1: expected a mapping with keys out of target, scenarios, variants, matrix, gate, budget, measure, baseline; got a list. Write its keys on lines of their own below it, indented.",
  ],
  [
    "gate: 5%",
    '1:7: gate: expected a mapping with keys out of max-qps-drop, max-p99-rise, max-overall-qps-drop, min-qps, max-p99, on-inconclusive, max-added; got "5%". Write its keys on lines of their own below it, indented.',
  ],
  [
    "scenarios: home",
    '1:12: scenarios: expected a list of scenarios; got "home". Write "- path: /" on a line below it.',
  ],
  [
    "scenarios: []",
    '1:12: scenarios: expected a list of one or more scenarios; got an empty list. Write "- path: /" on a line below it.',
  ],
  ["scenarios:", '1:1: scenarios: expected a list of scenarios; got nothing. Write "- path: /" on a line below it.'],
  [
    target("prepare: composer install"),
    '2:12: target.prepare: expected a list of shell commands; got "composer install". Write - "composer install" on a line below it.',
  ],
  [target("prepare: [5]"), '2:13: target.prepare[0]: expected a shell command; got 5. Put it in quotes: "5".'],
  [
    target("php: {opcache: off}"),
    '2:18: target.php.opcache: expected true or false; got "off". Write false, without quotes.',
  ],
  [
    target("php: {workers: '8'}"),
    '2:18: target.php.workers: expected a whole number from 1 to 1,000; got "8". Write 8.',
  ],
  [
    target("php: {workers: 1.5}"),
    "2:18: target.php.workers: expected a whole number from 1 to 1,000; got 1.5. Write for example 8.",
  ],
  [
    target("nginx: {access-log: off}"),
    '2:23: target.nginx.access-log: expected true or false; got "off". Write false, without quotes.',
  ],
  [
    target("nginx: {ssl: true}"),
    '2:11: target.nginx: unknown key "ssl". Use one of tls, http2, access-log, proxy, upstream-keep-alive, or remove it.',
  ],
  [
    target("env: [A=1]"),
    "2:8: target.env: expected a mapping of names to values; got a list. Write NAME: value on lines below it.",
  ],
  [
    target("env: {A: [1]}"),
    '2:12: target.env.A: expected a value on one line; got a list. Write it in quotes, without line breaks; "" is the empty value.',
  ],
  // Units
  [gate("max-qps-drop: 5 percent"), `2:17: gate.max-qps-drop: ${percentOfDrop}; got "5 percent". Write 5%.`],
  [gate("max-qps-drop: -5%"), `2:17: gate.max-qps-drop: ${percentOfDrop}; got "-5%". Write 5%.`],
  [gate("max-qps-drop: 500%"), `2:17: gate.max-qps-drop: ${percentOfDrop}; got "500%". Write for example 5%.`],
  [gate("max-qps-drop: 5"), `2:17: gate.max-qps-drop: ${percentOfDrop}; got 5. Write 5%.`],
  [gate("max-qps-drop: 0.05"), `2:17: gate.max-qps-drop: ${percentOfDrop}; got 0.05. Write 5%.`],
  [gate("max-qps-drop: 0%"), `2:17: gate.max-qps-drop: ${percentOfDrop}; got "0%". Write for example 5%.`],
  [gate("max-qps-drop: 100%"), `2:17: gate.max-qps-drop: ${percentOfDrop}; got "100%". Write for example 5%.`],
  [gate("max-qps-drop: .nan"), `2:17: gate.max-qps-drop: ${percentOfDrop}; got NaN. Write for example 5%.`],
  [gate("max-qps-drop:"), `2:3: gate.max-qps-drop: ${percentOfDrop}; got nothing. Write for example 5%.`],
  [
    gate("max-p99-rise: 1001%"),
    '2:17: gate.max-p99-rise: expected a percentage above 0% and up to 1000%, such as 20%; got "1001%". Write for example 20%.',
  ],
  [
    gate("min-qps: .nan"),
    "2:12: gate.min-qps: expected a number from 0.001 to 1,000,000; got NaN. Write for example 250.",
  ],
  [
    gate("min-qps: -250"),
    "2:12: gate.min-qps: expected a number from 0.001 to 1,000,000; got -250. Write for example 250.",
  ],
  [
    gate("min-qps: .inf"),
    "2:12: gate.min-qps: expected a number from 0.001 to 1,000,000; got Infinity. Write at most 1000000.",
  ],
  [
    gate("max-p99: 300"),
    "2:12: gate.max-p99: expected a duration from 1ms to 1m, such as 300ms; got 300. Write for example 300ms.",
  ],
  [
    gate("max-p99: 300 ms"),
    '2:12: gate.max-p99: expected a duration from 1ms to 1m, such as 300ms; got "300 ms". Write 300ms.',
  ],
  ["budget: 600", "1:9: budget: expected a duration from 30s to 6h, such as 10m; got 600. Write 600s."],
  ["budget: 10 minutes", '1:9: budget: expected a duration from 30s to 6h, such as 10m; got "10 minutes". Write 10m.'],
  ["budget: 5s", '1:9: budget: expected a duration from 30s to 6h, such as 10m; got "5s". Write for example 10m.'],
  [measure("slot: 3"), "2:9: measure.slot: expected auto, or a duration from 1s to 1m, such as 2s; got 3. Write 3s."],
  [
    measure("warm-up: 0s"),
    '2:12: measure.warm-up: expected a duration from 1s to 30s, such as 1.5s; got "0s". Write for example 1.5s.',
  ],
  [measure("trace: yes"), '2:10: measure.trace: expected true or false; got "yes". Write true, without quotes.'],
  [
    measure("outputs: [json=x]"),
    '2:13: measure.outputs[0]: expected one of experimental-prometheus-rw; got "json=x". Write experimental-prometheus-rw.',
  ],
  [measure("rounds: 5"), "2:11: measure.rounds: expected a whole number from 6 to 60; got 5. Write for example 20."],
  [
    measure("max-error-rate: 60%"),
    '2:19: measure.max-error-rate: expected a percentage from 0% to 50%, such as 0.5%; got "60%". Write for example 0.5%.',
  ],
  [
    measure("max-foreign-cpu: none"),
    '2:20: measure.max-foreign-cpu: expected off, or a percentage above 0% and up to 100%, such as 5%; got "none". Write for example 5%.',
  ],
  ...[
    "on",
    '{generator: "0", target: "0-1", services: "0"}',
    '{generator: "1", target: "a", services: "0"}',
    '{generator: "1"}',
  ].map((value): [string, string] => [
    measure(`isolation: ${value}`),
    `2:14: measure.isolation: expected auto, off, or the CPU lists {generator: "1", target: "0", services: "0"} with generator and target apart; got ${value === "on" ? '"on"' : "a mapping"}. Write isolation: auto.`,
  ]),
  [
    gate("max-added: {response-bytes: 1 GB}"),
    '2:31: gate.max-added.response-bytes: expected a size of at most 1,000,000,000 bytes, such as 1000 or 10kB; got "1 GB". Write for example 10kB.',
  ],
  // Words
  [
    gate("on-inconclusive: waring"),
    '2:20: gate.on-inconclusive: expected one of warn, pass, fail; got "waring". Write warn.',
  ],
  [
    target("driver: docker"),
    '2:11: target.driver: expected one of auto, compose, process, url; got "docker". Write auto.',
  ],
  [
    target("services: [postgres]"),
    '2:14: target.services[0]: expected one of mysql, redis, http; got "postgres". Write mysql.',
  ],
  [
    target("services: [mysql, mysql]"),
    '2:21: target.services[1]: expected every value once; got "mysql". Remove the second one.',
  ],
  [
    scenario("method: get"),
    '3:13: scenarios[0].method: expected one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS; got "get". Write GET.',
  ],
  [
    scenario("connection: closed"),
    '3:17: scenarios[0].connection: expected one of keep-alive, close; got "closed". Write close.',
  ],
  // Target
  [
    target("root: /var/www"),
    '2:9: target.root: expected the directory that is served, a relative path without ..; got "/var/www". Write for example public.',
  ],
  [
    target("root: ../other"),
    '2:9: target.root: expected the directory that is served, a relative path without ..; got "../other". Write for example public.',
  ],
  [
    target("host: https://shop.test/a"),
    '2:9: target.host: expected a host name, with a port if need be; got "https://shop.test/a". Write shop.test.',
  ],
  [
    target('host: "a\\r\\nX-Evil: 1"'),
    '2:9: target.host: expected a host name, with a port if need be; got "a\\r\\nX-Evil: 1". Write for example shop.example.com.',
  ],
  [target("env: {PORT: 80}"), '2:9: target.env.PORT: "PORT" is not set here. It is chosen for every start.'],
  [
    target("env: {A-B: 80}"),
    '2:9: target.env.A-B: expected the name of an environment variable; got "A-B". Rename or remove it.',
  ],
  [
    target('env: {A: "${MYSQL_HOST}"}'),
    '2:12: target.env.A: expected a variable of a service that is started; got "${MYSQL_HOST}". Add mysql to target.services.',
  ],
  [
    target('env: {A: "${REDIS_PROT}"}\n  services: [redis]'),
    '2:12: target.env.A: expected a variable of a service that is started; got "${REDIS_PROT}". Did you mean ${REDIS_PORT}?',
  ],
  [
    target("php: {ini: {opcache.enable: 0}}"),
    '2:15: target.php.ini.opcache.enable: "opcache.enable" is not set here. Use target.php.opcache.',
  ],
  [
    target("php: {jit: tracing, opcache: false}"),
    '2:14: target.php.jit: expected off where OPcache is off; got "tracing". Write jit: off, or opcache: true.',
  ],
  [
    target("driver: url"),
    "2:11: target.driver: expected target.url beside driver: url; got nothing. Add url: {base: http://base.test:8080, head: http://head.test:8080} below target.",
  ],
  [
    target("url: {base: 'http://u:p@a/', head: http://b}"),
    '2:15: target.url.base: expected an http:// or https:// address without user, query and fragment; got "http://u:p@a/". Write for example http://base.test:8080.',
  ],
  // Containers
  [
    target("compose: /srv/compose.yml\n  service: app\n  port: 80"),
    '2:12: target.compose: expected a compose file, a relative path without ..; got "/srv/compose.yml". Write for example compose.perf.yml.',
  ],
  [
    target("compose: c.yml\n  port: 80"),
    "2:12: target.compose: expected target.service beside it, the service of the compose file that answers HTTP; got nothing. Add for example service: app below target.",
  ],
  [
    target("compose: c.yml\n  service: app"),
    "2:12: target.compose: expected target.port beside it, the port of that service inside its container; got nothing. Add for example port: 8080 below target.",
  ],
  [
    target("service: app"),
    "2:3: target.service: belongs to a compose file of your own; there is no target.compose. Add for example compose: compose.perf.yml, or remove service.",
  ],
  [
    target("census: {mysql: db}"),
    "2:3: target.census: belongs to a compose file of your own; there is no target.compose. Add for example compose: compose.perf.yml, or remove census.",
  ],
  [
    target("restart: [app]"),
    "2:3: target.restart: belongs to a compose file of your own; there is no target.compose. Add for example compose: compose.perf.yml, or remove restart.",
  ],
  [composed("restart: app"), '5:12: target.restart: expected a list of services; got "app". Write for example [app].'],
  [
    composed("restart: []"),
    "5:12: target.restart: expected a list of one or more services; got an empty list. Write for example [app].",
  ],
  [
    composed("restart: [my app]"),
    '5:13: target.restart[0]: expected the name of a service of the compose file; got "my app". Write for example app.',
  ],
  [composed("shared: [db, db]"), '5:16: target.shared[1]: expected every value once; got "db". Remove the second one.'],
  [
    composed("shared: [app]"),
    '5:12: target.shared[0]: expected services that are not target.service too: each version has its own of that; got "app". Remove it here.',
  ],
  [
    composed("restart: [app, queue]\n  shared: [db, queue]"),
    '6:16: target.shared[1]: expected services that are not target.restart too: each version has its own of that; got "queue". Remove it here.',
  ],
  [composed("census: {mysqll: db}"), '5:12: target.census: unknown key "mysqll". Did you mean mysql?'],
  [
    composed("services: [mysql]"),
    '5:3: target.services: belongs to the bundled target; "c.yml" brings its own. Its services are started with it, and remove services.',
  ],
  [
    composed("root: ."),
    '5:3: target.root: belongs to the bundled target; "c.yml" brings its own. Say it in the configuration of the web server there, and remove root.',
  ],
  [
    composed("start: php server.php"),
    '5:3: target.start: belongs to the bundled target; "c.yml" brings its own. Write it as the command of the service in "c.yml", and remove start.',
  ],
  [
    composed("php: {workers: 4, jit: off}"),
    '5:21: target.php.jit: belongs to the bundled target; "c.yml" brings its own. Say it in the image or the configuration of PHP there, and remove jit.',
  ],
  [
    composed("url: {base: http://a, head: http://b}"),
    "5:3: target.url: expected either compose or url; got both. Remove one of them.",
  ],
  [
    composed('env: {A: "${MYSQL_HOST}"}'),
    '5:12: target.env.A: expected a variable of a service that is started; got "${MYSQL_HOST}". Write the value itself: the services are those of target.compose.',
  ],
  ...["../.env", "/etc/passwd", ".", "./", ".git"].map((path): [string, string] => [
    target(`copy: [${path}]`),
    `2:10: target.copy[0]: expected a path below the tree, without .., and not the tree itself; got ${JSON.stringify(path)}. Write for example .env.`,
  ]),
  [target("copy: .env"), '2:9: target.copy: expected a list of paths; got ".env". Write for example [.env, vendor].'],
  ...(
    [
      ["1c2g", '"1c2g". Write 1C2G.'],
      ["1 C / 2 GiB", '"1 C / 2 GiB". Write 1C2G.'],
      ["1C", '"1C". Write for example 1C2G.'],
      ["0C2G", '"0C2G". Write for example 1C2G.'],
      ["1C1M", '"1C1M". Write for example 1C2G.'],
      ["{cpus: 0.5, memory: 2G, by: cpuset}", "a mapping. Write for example 1C2G."],
      ["{cpus: 1, memory: 2G, as: cpuset}", "a mapping. Write for example 1C2G."],
      ["{cpus: 1}", "a mapping. Write for example 1C2G."],
    ] as const
  ).map(([value, rest]): [string, string] => [
    target(`resources: ${value}`),
    `2:14: target.resources: expected cpus and memory such as 1C2G, or {cpus: 1, memory: 2G, by: cpuset} with by quota or cpuset, whole cpus for cpuset; got ${rest}`,
  ]),
  [
    composed("links: {db: {latency: 1}}"),
    "5:25: target.links.db.latency: expected a duration from 0.1ms to 500ms, such as 1ms; got 1. Write for example 1ms.",
  ],
  [
    composed("links: {db: {}}"),
    "5:15: target.links.db.latency: expected a duration from 0.1ms to 500ms, such as 1ms; got nothing. Write for example 1ms.",
  ],
  [
    composed("links: {db: {latency: 1ms, jitter: 2ms}}"),
    '5:38: target.links.db.jitter: expected at most the latency; got "2ms". Write 1ms or less.',
  ],
  [
    composed("links: {db: {latency: 1ms, jiter: 0ms}}"),
    '5:30: target.links.db: unknown key "jiter". Did you mean jitter?',
  ],
  [
    composed("links: [db]"),
    "5:10: target.links: expected a mapping of names to values; got a list. Write mysql: {latency: 1ms} on lines below it.",
  ],
  [
    composed('links: {"a b": {latency: 1ms}}'),
    '5:11: target.links["a b"]: expected the name of a service; got "a b". Rename or remove it.',
  ],
  [
    target("links: {mysql: {latency: 1ms}}"),
    '2:11: target.links.mysql: expected a service that is started; got "mysql". Add mysql to target.services.',
  ],
  [
    target("services: [redis]\n  links: {reddis: {latency: 1ms}}"),
    '3:11: target.links.reddis: expected a service that is started; got "reddis". Did you mean redis?',
  ],
  ...(
    [
      ["GHA", '"GHA". Write gha.'],
      ["true", "true. Write for example ghcr.io/owner/build-cache."],
      ["cache", '"cache". Write for example ghcr.io/owner/build-cache.'],
      ["/var/a,dest=/etc", '"/var/a,dest=/etc". Write for example ghcr.io/owner/build-cache.'],
      ["ghcr.io/owner/cache:latest", '"ghcr.io/owner/cache:latest". Write ghcr.io/owner/cache.'],
      ["ghcr.io/Owner/cache", '"ghcr.io/Owner/cache". Write ghcr.io/owner/cache.'],
      ["type=gha", '"type=gha". Write for example ghcr.io/owner/build-cache.'],
    ] as const
  ).map(([value, rest]): [string, string] => [
    target(`build-cache: ${value}`),
    `2:16: target.build-cache: expected gha, a folder such as ../build-cache or ~/build-cache, or a registry's repository without a tag; got ${rest}`,
  ]),
  // Scenarios
  [
    "scenarios: [{path: foo}]",
    '1:20: scenarios[0].path: expected a path that starts with /, without spaces and without #; got "foo". Write /foo.',
  ],
  [
    "scenarios: [{path: 'http://a.test/b c'}]",
    '1:20: scenarios[0].path: expected a path that starts with /, without spaces and without #; got "http://a.test/b c". Write /b%20c.',
  ],
  [
    "scenarios: [{name: a}]",
    "1:13: scenarios[0]: expected path, mix or flow in every scenario; got nothing. Add for example path: /.",
  ],
  [
    scenario("flow: flows/login.js"),
    "3:5: scenarios[0].flow: expected one of path, mix and flow; got path and flow. Keep one of them, or make several scenarios.",
  ],
  [
    scenario("mix: [{path: /, weight: 1}, {path: /a, weight: 1}]"),
    "3:5: scenarios[0].mix: expected one of path, mix and flow; got path and mix. Keep one of them, or make several scenarios.",
  ],
  [
    mix("{path: /, weight: 1}"),
    "1:31: scenarios[0].mix: expected two or more requests; got 1. Add another, or write path in place of mix.",
  ],
  [
    mix(Array.from({ length: 21 }, (_, i) => `{path: /${i}, weight: 1}`).join()),
    "1:31: scenarios[0].mix: expected at most 20 requests; got 21. Make several scenarios of them.",
  ],
  [
    "scenarios: [{name: shop, mix: /}]",
    '1:31: scenarios[0].mix: expected a list of requests with weights; got "/". Write for example [{path: /, weight: 1}, {path: /products, weight: 6}].',
  ],
  [
    "scenarios: [{mix: [{path: /, weight: 1}, {path: /a, weight: 1}]}]",
    "1:14: scenarios[0].mix: expected a name beside mix; got nothing. Add for example name: shop.",
  ],
  ...["0", "-1", "1.5", "1001", ".nan", '"6"'].map((weight): [string, string] => [
    mix(`{path: /, weight: 1}, {path: /a, weight: ${weight}}`),
    `1:73: scenarios[0].mix[1].weight: expected a whole number from 1 to 1,000; got ${weight === ".nan" ? "NaN" : weight}. Write ${
      weight === '"6"' ? "6" : weight === "1001" ? "at most 1000" : "for example 1"
    }.`,
  ]),
  [
    mix("{path: /, weight: 1}, {path: /a}"),
    "1:54: scenarios[0].mix[1].weight: expected a whole number from 1 to 1,000; got nothing. Write for example 1.",
  ],
  [
    mix("{path: /, weight: 1}, {weight: 1}"),
    "1:54: scenarios[0].mix[1].path: expected a path that starts with /, without spaces and without #; got nothing. Write for example /products?page=1.",
  ],
  [
    mix("{path: /, weight: 1}, {path: /a, wieght: 1, weight: 1}"),
    '1:65: scenarios[0].mix[1]: unknown key "wieght". Did you mean weight?',
  ],
  [
    mix("{path: /, weight: 1}, {path: /a, weight: 1, body: a}"),
    "1:76: scenarios[0].mix[1].body: a GET request has no body. Add for example method: POST, or remove body.",
  ],
  [
    mix("{path: /, weight: 1}, {path: /a, weight: 1}", ", headers: {A: b}"),
    "1:78: scenarios[0].headers: belongs to a scenario with path; this one has a mix, whose requests have their own. Write headers there, or remove it.",
  ],
  [
    "scenarios: [{flow: flows/none.js}]",
    '1:20: scenarios[0].flow: expected a file that exists; got "flows/none.js". Create it at /app/flows/none.js, or correct the path: it is relative to the directory of this file.',
  ],
  [
    "scenarios: [{flow: flows/login.php}]",
    '1:20: scenarios[0].flow: expected the path of a k6 module; got "flows/login.php". Write for example flows/login.js.',
  ],
  [
    "scenarios: [{flow: flows/login.js, method: POST}]",
    "1:36: scenarios[0].method: belongs to a scenario with path; this one has a flow, which sets it itself. Remove method.",
  ],
  [
    scenario(`name: ${"x".repeat(81)}`),
    `3:11: scenarios[0].name: expected a name of 1 to 80 printable characters; got "${"x".repeat(60)}…". Shorten it, or remove what cannot be seen.`,
  ],
  [
    scenario('name: "a\\e[31m"'),
    '3:11: scenarios[0].name: expected a name of 1 to 80 printable characters; got "a\\u001b[31m". Shorten it, or remove what cannot be seen.',
  ],
  [
    scenario("name: 5"),
    '3:11: scenarios[0].name: expected a name of 1 to 80 printable characters; got 5. Put it in quotes: "5".',
  ],
  [
    "scenarios:\n  - name: home\n    path: /\n  - path: /a\n  - path: /b\n    name: home\n",
    '6:11: scenarios[2].name: the name "home" is taken by the scenario at line 2, column 5. Rename one of them.',
  ],
  [
    "scenarios:\n  - path: /\n  - path: /\n    connection: close\n",
    '3:5: scenarios[1]: the name "/" is taken by the scenario at line 2, column 5. Add a name of its own: every scenario without one is called after its path or flow.',
  ],
  [
    scenario("levels: [0]"),
    "3:14: scenarios[0].levels[0]: expected a whole number from 1 to 2,000; got 0. Write for example 20.",
  ],
  [
    scenario("levels: [10000]"),
    "3:14: scenarios[0].levels[0]: expected a whole number from 1 to 2,000; got 10000. Write at most 2000.",
  ],
  [
    scenario("levels: [.nan]"),
    "3:14: scenarios[0].levels[0]: expected a whole number from 1 to 2,000; got NaN. Write for example 20.",
  ],
  [
    scenario("levels: [1, 20, 1]"),
    "3:21: scenarios[0].levels[2]: expected every value once; got 1. Remove the second one.",
  ],
  [
    scenario("levels: 20"),
    "3:13: scenarios[0].levels: expected a list of numbers of VUs; got 20. Write for example [1, 20].",
  ],
  [
    scenario("levels: []"),
    "3:13: scenarios[0].levels: expected a list of one or more numbers of VUs; got an empty list. Write for example [1, 20].",
  ],
  [
    scenario('headers: {X-A: "b\\r\\nc"}'),
    '3:20: scenarios[0].headers.X-A: expected a value on one line; got "b\\r\\nc". Write it in quotes, without line breaks; "" is the empty value.',
  ],
  [
    scenario('headers: {"X\\nA": b}'),
    `3:15: scenarios[0].headers["X\\nA"]: expected the name of a header: letters, digits and !#$%&'*+-.^_\`|~; got "X\\nA". Rename or remove it.`,
  ],
  [scenario("headers: {host: b}"), '3:15: scenarios[0].headers.host: "host" is not set here. Use target.host.'],
  [
    scenario("headers: {Accept: a, accept: b}"),
    '3:26: scenarios[0].headers.accept: expected every name once, in upper or lower case; got "accept". Remove one of them.',
  ],
  [
    scenario("body: a=1"),
    "3:5: scenarios[0].body: a GET request has no body. Add for example method: POST, or remove body.",
  ],
  [
    scenario("checks: {status: 99}"),
    "3:22: scenarios[0].checks.status: expected a whole number from 100 to 599; got 99. Write for example 200.",
  ],
  [
    scenario("checks: {status: [200, 700]}"),
    "3:28: scenarios[0].checks.status[1]: expected a whole number from 100 to 599; got 700. Write at most 599.",
  ],
  [
    scenario("rate: 200"),
    "3:5: scenarios[0].rate: belongs to model open; this scenario has model closed. Write model: open, or remove rate.",
  ],
  [
    scenario("model: open\n    levels: [1]"),
    "4:5: scenarios[0].levels: belongs to model closed; this scenario has model open. Write model: closed, or remove levels.",
  ],
  [
    scenario("model: open\n    rate: 0"),
    "4:11: scenarios[0].rate: expected auto, or a whole number from 1 to 100,000; got 0. Write for example 200.",
  ],
  [
    scenario("model: open\n    rate: fast"),
    '4:11: scenarios[0].rate: expected auto, or a whole number from 1 to 100,000; got "fast". Write for example 200.',
  ],
  [scenario("model: ramp"), `3:12: scenarios[0].model: expected stages beside model: ramp; got nothing. ${twoStages}`],
  [
    scenario("model: ramp\n    stages: [{duration: 10s, target: 20}]"),
    `4:13: scenarios[0].stages: none of the stages is a plateau: one that keeps the VUs (above 0) of the stage before. ${twoStages}`,
  ],
  [
    scenario("model: ramp\n    stages: [{duration: 10s, target: 20}, {duration: 500ms, target: 20}]"),
    "4:54: scenarios[0].stages[1].duration: expected a plateau (the longest stage that keeps its VUs) from 1s to 1m; got 500ms. Write for example 20s.",
  ],
  [
    scenario(
      "model: ramp\n    stages: [{duration: 10s, target: 20}, {duration: 30s, target: 20}, {duration: 10m, target: 0}]",
    ),
    "4:13: scenarios[0].stages: expected stages of at most 10m together; got 10m40s. Shorten them: every round repeats them all.",
  ],
  [scenario("gate: {max-qps-drop: 8}"), `3:26: scenarios[0].gate.max-qps-drop: ${percentOfDrop}; got 8. Write 8%.`],
  // Unreadable YAML
  [
    "a: [1\nb: 2",
    "2:1: not readable as YAML: Flow sequence in block collection must be sufficiently indented and end with a ]. Line it up with its neighbours.",
  ],
  ["gate:\n\tmax-qps-drop: 5%", "2:1: not readable as YAML: Tabs are not allowed as indentation. Indent with spaces."],
  ["a: 1\nb: 2\na: 3", '3:1: the key "a" is already there in line 1. Remove one of them.'],
  [
    "a: 1\n---\nb: 2",
    "2:1: not readable as YAML: Source contains multiple documents; please use YAML.parseAllDocuments(). Remove everything from the second --- on.",
  ],
  ["a: !!js/function x", "1:4: not readable as YAML: Unresolved tag: tag:yaml.org,2002:js/function. Remove the tag."],
])("%j", (text, message) => {
  expect(complaintAbout(text)).toBe(`perf-gate.yml:${message}`);
});

test("all problems of a file are told at once, in the order of the file", () => {
  const text = `budget: 600
scenarios:
  - path: foo
    levels: [0, 1, 1]
    rate: 5
  - {path: /a, name: twice}
  - {path: /b, name: twice, method: get}
gate: {max-qps-drop: 500%, speed: 3}
`;
  expect(complaintAbout(text)).toBe(
    [
      "perf-gate.yml: 9 problems",
      "perf-gate.yml:1:9: budget: expected a duration from 30s to 6h, such as 10m; got 600. Write 600s.",
      'perf-gate.yml:3:11: scenarios[0].path: expected a path that starts with /, without spaces and without #; got "foo". Write /foo.',
      "perf-gate.yml:4:14: scenarios[0].levels[0]: expected a whole number from 1 to 2,000; got 0. Write for example 20.",
      "perf-gate.yml:4:20: scenarios[0].levels[2]: expected every value once; got 1. Remove the second one.",
      "perf-gate.yml:5:5: scenarios[0].rate: belongs to model open; this scenario has model closed. Write model: open, or remove rate.",
      'perf-gate.yml:7:22: scenarios[2].name: the name "twice" is taken by the scenario at line 6, column 5. Rename one of them.',
      'perf-gate.yml:7:37: scenarios[2].method: expected one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS; got "get". Write GET.',
      `perf-gate.yml:8:22: gate.max-qps-drop: ${percentOfDrop}; got "500%". Write for example 5%.`,
      'perf-gate.yml:8:28: gate: unknown key "speed". Use one of max-qps-drop, max-p99-rise, max-overall-qps-drop, min-qps, max-p99, on-inconclusive, max-added, or remove it.',
    ].join("\n"),
  );
});

test.each([
  ["store: 'git:'", "store"],
  ["store: git:a..b", "store"],
  ["store: -x", "store"],
  ["branch: 'a b'", "branch"],
  ["branch: -D", "branch"],
  ["branch: a:b", "branch"],
  ["anchor: --all", "anchor"],
  ["anchor: 'v1 v2'", "anchor"],
  ["noise: 0%", "noise"],
  ["max-qps-drop: 0%", "max-qps-drop"],
])("baseline: %s", (line, key) => {
  expect(complaintAbout(baseline(line))).toMatch(
    new RegExp(`^perf-gate.yml:2:\\d+: baseline.${key}: expected .*; got .*`),
  );
});

test.each([
  [
    "brackets nested too deep",
    "[".repeat(200_000),
    "it is nested too deep. The configuration needs no more than six levels.",
  ],
  [
    "aliases that multiply",
    `a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [${"*a,".repeat(10)}]\nc: &c [${"*b,".repeat(10)}]\nd: [${"*c,".repeat(10)}]\n`,
    "Excessive alias count indicates a resource exhaustion attack. Write it with fewer aliases.",
  ],
  [
    "300,000 aliases",
    `a: &a 1\nb: [${"*a,".repeat(300_000)}]`,
    "it has 300000 aliases (*name), at most 100 are allowed. Write the values out.",
  ],
  ["an alias in itself", "a: &a [*a]", "an alias contains itself. Write the value out."],
])("%s", (_, text, message) => {
  expect(complaintAbout(text)).toBe(`perf-gate.yml: not readable as YAML: ${message}`);
});

test("ten thousand unknown keys are told, shortened", () => {
  const text = Array.from({ length: 10_000 }, (_, i) => `key-number-${i}: 1`).join("\n");
  const lines = complaintAbout(text).split("\n");
  expect(lines[0]).toBe("perf-gate.yml: 10000 problems");
  expect(lines.at(-1)).toBe("and 9950 more");
  expect(lines).toHaveLength(52);
});

const directory = mkdtempSync(join(tmpdir(), "perf-gate-config-"));
afterAll(() => rmSync(directory, { recursive: true }));

const rejection = async (path: string | null): Promise<string> =>
  loadConfig(path, directory).then(
    () => "",
    (error: unknown) => (error instanceof InputError ? error.message : String(error)),
  );

test("a file that is missing, too large, no text, or a directory", async () => {
  writeFileSync(join(directory, "large.yml"), "#".repeat(1024 * 1024 + 1));
  writeFileSync(join(directory, "latin1.yml"), Buffer.from("# caf\xe9", "latin1"));
  mkdirSync(join(directory, "folder.yml"));
  expect(await rejection("none.yml")).toBe(
    "none.yml: no such file. Give --config the path of one, or write one with: perf-gate init",
  );
  expect(await rejection("large.yml")).toBe(
    "large.yml: expected at most 1 MiB; got 1048577 bytes. Is this the configuration?",
  );
  expect(await rejection("latin1.yml")).toBe("latin1.yml: expected text in UTF-8; got other bytes. Save it as UTF-8.");
  expect(await rejection("folder.yml")).toBe(
    "folder.yml: expected a file that can be read; it is a directory. Give --config the path of a file.",
  );
});

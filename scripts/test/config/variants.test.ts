// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how the configuration refers to services.
import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/load.ts";

const parse = (text: string) => parseConfig(text, { file: "perf-gate.yml", directory: "/app", isFile: () => true });

/** The message about a variant `v` of one line, beside further lines of the file. */
function complaintAbout(variant: string, rest = ""): string {
  try {
    parse(`variants:\n  v: {${variant}}\n${rest}`);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

test("a variant holds what it says and no defaults; text stays as it was written", () => {
  const { variants } = parse(`target: { services: [mysql] }
variants:
  nothing: {}
  all:
    env: { ZERO: 0, VERSION: 8.10, YES: true, DB: "\${MYSQL_HOST}" }
    php:
      version: 8.2
      binary: php-fpm8.2
      process-manager: dynamic
      workers: 3
      opcache: false
      jit: off
      backlog: 7
      ini: { precision: 014 }
    nginx: { tls: true, access-log: false }
    resources: 1C2G
    links: { mysql: { latency: 2ms } }
    connection: close
    query: a=1&b
  server: { start: php server.php, php: { workers: 3 } }
  fpm: { start: null, php: { jit: tracing } }
`);
  expect(variants).toEqual({
    nothing: { env: {}, php: {}, links: {} },
    all: {
      env: { ZERO: "0", VERSION: "8.10", YES: "true", DB: "${MYSQL_HOST}" },
      php: {
        version: "8.2",
        binary: "php-fpm8.2",
        processManager: "dynamic",
        workers: 3,
        opcache: false,
        jit: "off",
        backlog: 7,
        ini: { precision: "014" },
      },
      nginx: { tls: true, accessLog: false },
      resources: { cpus: 1, memoryBytes: 2 * 1024 ** 3, by: "quota" },
      links: { mysql: { port: null, latencyMs: 2, jitterMs: 0 } },
      connection: "close",
      query: "a=1&b",
    },
    server: { env: {}, php: { workers: 3 }, links: {}, start: "php server.php" },
    fpm: { env: {}, php: { jit: "tracing" }, links: {}, start: null },
  });
  expect(parse("")).not.toHaveProperty("variants");
});

test.each([
  ["conection: close", "", '2:7: variants.v: unknown key "conection". Did you mean connection?'],
  [
    "connection: closed",
    "",
    '2:19: variants.v.connection: expected one of keep-alive, close; got "closed". Write close.',
  ],
  ["php: {wrokers: 3}", "", '2:13: variants.v.php: unknown key "wrokers". Did you mean workers?'],
  ["query: '?a=1'", "", "variants.v.query: expected parameters such as a=1&b=2, without ? and without spaces"],
  ["query: a b", "", "variants.v.query: expected parameters"],
  ["env: {PORT: 1}", "", "variants.v.env.PORT: "],
  [
    "env: {A: '${MYSQL_HOST}'}",
    "target: {services: [redis]}",
    "variants.v.env.A: expected a variable of a service that is started",
  ],
  [
    "links: {mysql: {latency: 1ms}}",
    "target: {services: [redis]}",
    "variants.v.links.mysql: expected a service that is started",
  ],
  [
    "php: {jit: tracing}",
    "target: {php: {opcache: false}}",
    'variants.v.php.jit: expected off where OPcache is off; got "tracing"',
  ],
  [
    "php: {opcache: false}",
    "target: {php: {jit: tracing}}",
    'variants.v.php.jit: expected off where OPcache is off; got "tracing"',
  ],
  [
    "php: {jit: tracing}",
    "target: {start: php s.php}",
    "2:13: variants.v.php.jit: belongs to php-fpm; target.start is another server",
  ],
  [
    "start: php s.php, php: {workers: 3, opcache: false}",
    "",
    "2:43: variants.v.php.opcache: belongs to php-fpm; start is another server. Say it in that command or in env",
  ],
  ["start: ''", "", 'variants.v.start: expected a shell command; got ""'],
  [
    "start: php s.php",
    "target: {compose: c.yml, service: app, port: 80}",
    '2:7: variants.v.start: belongs to the bundled target; "c.yml" brings its own',
  ],
  [
    "start: null",
    "target: {compose: c.yml, service: app, port: 80}",
    '2:7: variants.v.start: belongs to the bundled target; "c.yml" brings its own',
  ],
  [
    "php: {jit: tracing}",
    "target: {compose: c.yml, service: app, port: 80}",
    "2:13: variants.v.php.jit: belongs to the bundled target",
  ],
  ["nginx: {tls: 1}", "", "2:20: variants.v.nginx.tls: expected true or false; got 1. Write true, without quotes."],
  [
    "nginx: {http2: true}",
    "",
    "2:22: variants.v.nginx.http2: expected false without TLS: k6 speaks HTTP/2 over TLS alone",
  ],
  [
    "nginx: {tls: false}",
    "target: {nginx: {tls: true, http2: true}}",
    "variants.v.nginx.http2: expected false without TLS",
  ],
  [
    "start: php s.php",
    "target: {nginx: {access-log: true}}",
    "variants.v.nginx: expected false where nothing is in front of the server of start; got true. Write access-log: false",
  ],
  [
    "nginx: {tls: true}",
    "target: {compose: c.yml, service: app, port: 80}",
    '2:7: variants.v.nginx: belongs to the bundled target; "c.yml" brings its own',
  ],
  [
    "query: a=1",
    "scenarios: [{flow: f.js}]",
    "2:7: variants.v.query: a flow of the scenarios makes its requests itself",
  ],
])("{%s} beside {%s}", (variant, rest, message) => {
  const complaint = complaintAbout(variant, rest);
  expect(complaint).toContain(message);
  expect(complaint.split("\n")).toHaveLength(1);
});

test("what is right beside the rest of the file is no problem", () => {
  expect(complaintAbout("php: {workers: 3}", "target: {compose: c.yml, service: app, port: 80}")).toBe("");
  expect(complaintAbout("php: {ini: {a: 1}}", "target: {php: {opcache: false}}")).toBe("");
  expect(complaintAbout("env: {A: b}", "target: {start: php s.php}")).toBe("");
  expect(complaintAbout("php: {workers: 3}", "target: {start: php s.php}")).toBe("");
  expect(complaintAbout("start: php s.php, php: {workers: 3}", "target: {php: {jit: tracing}}")).toBe("");
  expect(complaintAbout("start: php s.php", "target: {start: php other.php}")).toBe("");
  expect(complaintAbout("start: null, php: {jit: tracing}", "target: {start: php s.php}")).toBe("");
});

test.each([
  ["nginx: {http2: true}", "target: {nginx: {tls: true}}"],
  ["start: php s.php, nginx: {proxy: true, upstream-keep-alive: true}", "target: {nginx: {tls: true}}"],
  ["nginx: {proxy: false}", "target: {start: php s.php, nginx: {proxy: true}}"],
])("{%s} goes together with {%s}", (variant, rest) => expect(complaintAbout(variant, rest)).toBe(""));

test.each(["a b", "a.b", "-a", "x".repeat(51)])("a variant is not called %j", (name) => {
  expect(() => parse(`variants: { ${JSON.stringify(name)}: {} }`)).toThrow("expected the name of a variant");
});

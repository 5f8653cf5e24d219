import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import getPort from "get-port";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Stack, startStack, subtract } from "../support/services.ts";

/** The resident server of the reference application answers what php-fpm answers, and behaves as a server does. */

const FIXTURES = join(import.meta.dirname, "../../../fixtures");
const SERVER = join(FIXTURES, "resident/server.php");

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
  cpSync(join(FIXTURES, "app"), join(stack.trees, "clean"), { recursive: true });
  await promisify(execFile)("php", ["seed.php"], {
    cwd: join(FIXTURES, "app"),
    env: { ...process.env, ...stack.env },
  });
});

afterAll(() => stack?.close());

interface Resident {
  url: string;
  port: number;
  process: ChildProcess;
  pid: number;
  /** Resolves when master and workers are gone. */
  kill(): Promise<void>;
}

/** A server that answers; rejects with what it said. */
async function launch(workers: number): Promise<Resident> {
  const port = await getPort();
  const child = spawn("php", [SERVER], {
    env: { ...process.env, ...stack.env, PORT: `${port}`, WORKERS: `${workers}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      log += text;
    });
  }
  const pid = child.pid as number;
  const url = `http://127.0.0.1:${port}`;
  const answers = async () => {
    expect(child.exitCode, log).toBeNull();
    expect((await fetch(`${url}/health`)).status).toBe(200);
  };
  const kill = async () => {
    const left = childrenOf(pid);
    child.kill("SIGKILL");
    await ended(pid, ...left);
  };
  try {
    await vi.waitFor(answers, { timeout: 30_000 });
  } catch (error) {
    await kill();
    throw error;
  }
  return { url, port, process: child, pid, kill };
}

/** The same for one test. */
async function start(workers: number): Promise<Resident> {
  const server = await launch(workers);
  onTestFinished(() => server.kill());
  return server;
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").map(Number).filter(Boolean);
  } catch {
    return [];
  }
}

/** Whether a process runs no more; somebody else may have to collect its status. */
function isGone(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return /^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
  } catch {
    return true;
  }
}

const ended = (...pids: number[]) =>
  vi.waitFor(() => expect(pids.filter((pid) => !isGone(pid))).toEqual([]), { timeout: 10_000 });

/** A connection on which bytes are sent as they are. */
class Wire {
  received = "";
  closed = false;
  readonly #socket: Socket;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (text) => {
      this.received += text;
    });
    this.#socket.on("error", (error) => {
      this.received += `[${error.message}]`;
    });
    this.#socket.on("close", () => {
      this.closed = true;
    });
    onTestFinished(() => {
      this.#socket.destroy();
    });
  }

  send(text: string): void {
    this.#socket.write(text, "latin1");
  }

  /** Status lines so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  answered(...statuses: number[]) {
    return expect.poll(() => this.statuses, { timeout: 10_000 }).toEqual(statuses);
  }

  isClosed() {
    return expect.poll(() => this.closed, { timeout: 10_000 }).toBe(true);
  }
}

const GET = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, "Host: localhost", ...headers].join("\r\n")}\r\n\r\n`;

/** What kind of answer it is: rows are drawn at random, tokens are of their second; errors are told as they are. */
function kindOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kindOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, key === "error" ? one : kindOf(one)]));
}

interface Init {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}

async function ask(url: string, path: string, init: Init = {}) {
  const response = await fetch(url + path, init);
  const { status, headers } = response;
  return {
    status,
    type: headers.get("content-type"),
    allow: headers.get("allow"),
    cookie: headers.get("set-cookie")?.replace(/=[^;]*;/, "=…;") ?? null,
    body: kindOf(await response.json()),
  };
}

const form = (body: string, type = "application/x-www-form-urlencoded"): Init => ({
  method: "POST",
  body,
  headers: { "Content-Type": type },
});
const GOOD = "user=demo&password=demo";
const JSON_TYPE = "application/json; charset=utf-8";

describe("the same answers as under php-fpm", () => {
  let server: Resident;
  let token = "";

  beforeAll(async () => {
    server = await launch(2);
    const login = await fetch(`${stack.url}/login`, form(GOOD));
    ({ token } = (await login.json()) as { token: string });
  });

  afterAll(() => server?.kill());

  test.each<[string, Init?]>([
    ["/health"],
    ["/health?connection=persistent"],
    ["/health", { method: "PUT", body: "anything" }],
    ["/ready"],
    ["/query"],
    ["/query?connection=persistent"],
    ["/queries?n=3"],
    ["/queries?n=3&sleep=1&connection=persistent"],
    ["/redis?connection=persistent"],
    ["/mixed?seed=3"],
    ["/mixed?seed=3&connection=persistent"],
    ["/login", form(GOOD)],
    ["/login", form(GOOD, "text/plain")],
    ["/login", form('{"user":"demo","password":"demo"}', JSON_TYPE)],
    ["/login", form("not json", JSON_TYPE)],
    ["/login"],
    ["/account"],
    ["/account", { headers: { Cookie: "a=b; session=TOKEN" } }],
    ["/account", { headers: { Authorization: "Bearer TOKEN" } }],
    ["/nothing"],
    ["/"],
    ["/nothing?a=1&b=2"],
    ["/health?connection=pooled"],
    ["/queries?n=0"],
    ["/queries?n[]=1"],
  ])("%s %j", async (path, init = {}) => {
    const headers = Object.entries(init.headers ?? {}).map(([name, text]) => [name, text.replace("TOKEN", token)]);
    const asked = { ...init, headers: Object.fromEntries(headers) };
    const answer = await ask(server.url, path, asked);
    expect(answer).toEqual(await ask(stack.url, path, asked));
    expect(answer.type).toBe("application/json");
  });

  test("HEAD has no body, and leaves the connection as it was", async () => {
    const wire = new Wire(server.port);
    wire.send(GET("/health").replace("GET", "HEAD"));
    await wire.answered(200);
    expect(wire.received).toMatch(/Content-Length: 12\r\n[^{]*\r\n\r\n$/);
    wire.send(GET("/health"));
    await wire.answered(200, 200);
  });

  test("persistent connections outlive the request, and cost the services what they cost under php-fpm", async () => {
    const cost = async (path: string) => {
      const before = await stack.counters();
      for (let i = 0; i < 10; i++) expect((await fetch(server.url + path)).status).toBe(200);
      return subtract(await stack.counters(), before);
    };
    // One in each worker.
    await Promise.all(Array.from({ length: 20 }, () => fetch(`${server.url}/mixed?connection=persistent`)));
    const kept = await cost("/query?connection=persistent");
    expect(kept).toMatchObject({ sqlStatements: 10, redisCommands: 0 });
    expect(kept.dbConnections).toBeLessThanOrEqual(1);
    expect(await cost("/query")).toMatchObject({ sqlStatements: 10, dbConnections: 10 });
    const redis = await cost("/redis?connection=persistent");
    expect(redis.redisCommands).toBe(20);
    expect(redis.redisConnections).toBeLessThanOrEqual(1);
  });
});

describe("nothing of a request is there for the next one", () => {
  /** Answers of a server with one worker, over one connection. */
  async function inTurn(...requests: string[]): Promise<string[]> {
    const { port } = await start(1);
    const wire = new Wire(port);
    const expected: number[] = [];
    for (const request of requests) {
      wire.send(request);
      expected.push(expect.any(Number));
      await wire.answered(...expected);
    }
    return wire.received.split(/(?=HTTP\/1\.1 )/);
  }

  test("parameters, form, headers and cookies", async () => {
    const body = "user=demo&password=demo";
    const headers = ["Content-Type: application/x-www-form-urlencoded", `Content-Length: ${body.length}`];
    const login = GET("/login", ...headers).replace("GET", "POST");
    const { token } = (await (await fetch(`${stack.url}/login`, form(GOOD))).json()) as { token: string };
    const answers = await inTurn(
      GET("/queries?n=2"),
      GET("/queries"),
      login + body,
      login.replace(`: ${body.length}`, ": 0"),
      GET("/account", `Cookie: session=${token}`),
      GET("/account"),
      GET("/account", `Authorization: Bearer ${token}`),
      GET("/account"),
    );
    expect(answers[0]).toContain('{"n":2,');
    expect(answers[1]).toContain('{"n":5,');
    expect(answers.slice(2).map((answer) => Number(answer.slice(9, 12)))).toEqual([200, 401, 200, 401, 200, 401]);
    expect(answers[2]).toContain("\r\nSet-Cookie: session=");
    expect(answers[3]).not.toContain("Set-Cookie");
  });

  test("what a seed fixed", async () => {
    const pair = [GET("/mixed?seed=1"), GET("/mixed")];
    const answers = await inTurn(...Array.from({ length: 8 }, () => pair).flat());
    const bodies = answers.map((text) => text.split("\r\n\r\n")[1]);
    const seeded = bodies.filter((_, index) => index % 2 === 0);
    const unseeded = bodies.filter((_, index) => index % 2 === 1);
    expect(new Set(seeded).size).toBe(1);
    expect(new Set(unseeded).size).toBeGreaterThan(1);
  });
});

describe("connections", () => {
  test("two requests on one connection, which stays; and one that is to be closed", async () => {
    const wire = new Wire((await start(2)).port);
    wire.send(GET("/health"));
    await wire.answered(200);
    wire.send(GET("/queries?n=3"));
    await wire.answered(200, 200);
    expect(wire.closed).toBe(false);
    wire.send(GET("/health", "Connection: close"));
    await wire.isClosed();
    expect(wire.statuses).toEqual([200, 200, 200]);
    expect(wire.received.split("\r\nConnection: close\r\n")).toHaveLength(2);

    const old = new Wire((await start(2)).port);
    old.send("GET /health HTTP/1.0\r\n\r\n");
    await old.isClosed();
    expect(old.received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"ok":true\}\n$/);
  });

  test("requests that are sent at once are answered in order, one that comes in parts when it is whole", async () => {
    const wire = new Wire((await start(2)).port);
    wire.send(GET("/health") + GET("/nothing") + GET("/queries?n=1"));
    await wire.answered(200, 404, 200);
    expect(wire.received.indexOf("no route")).toBeLessThan(wire.received.indexOf('"n":1'));
    const parts = ["GET /hea", "lth HTTP/1.1\r", "\nHost: x\r\n", "Content-Length: 3\r\n\r\na", "bc", GET("/health")];
    for (const part of parts) {
      wire.send(part);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await wire.answered(200, 404, 200, 200, 200);
    expect(wire.closed).toBe(false);
  });

  test.each([
    ["a request line without end", `GET /${"a".repeat(20_000)}`, 414],
    ["headers without end", `GET / HTTP/1.1\r\n${"a: b\r\n".repeat(2000)}`, 414],
    ["a long request line", GET(`/${"a".repeat(9000)}`), 414],
    ["no request line", "HELLO\r\n\r\n", 400],
    ["another protocol", "GET / HTTP/2.0\r\n\r\n", 400],
    ["no header", "GET / HTTP/1.1\r\nHost localhost\r\n\r\n", 400],
    ["a folded header", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400],
    ["two lengths", GET("/", "Content-Length: 1", "Content-Length: 2"), 400],
    ["a negative length", GET("/", "Content-Length: -1"), 400],
    ["a length beyond all bounds", GET("/", "Content-Length: 999999999"), 400],
    ["chunks", `${GET("/", "Transfer-Encoding: chunked")}0\r\n\r\n`, 501],
  ])("%s is refused, and what follows is not taken for a request", async (_, text, status) => {
    const server = await start(1);
    const wire = new Wire(server.port);
    wire.send(text);
    await wire.answered(status);
    wire.send(GET("/health"));
    await wire.isClosed();
    expect(wire.statuses).toEqual([status]);
    expect(wire.received).toContain('{"error":"');
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test("more connections than workers, all kept: everybody is answered, time and again", async () => {
    const { port } = await start(2);
    const wires = Array.from({ length: 60 }, () => new Wire(port));
    for (let round = 1; round <= 3; round++) {
      for (const wire of wires) wire.send(GET("/queries?n=1&sleep=5&connection=persistent"));
      for (const wire of wires) await wire.answered(...Array<number>(round).fill(200));
    }
  });

  test("idle workers share what comes: eight requests that take their time do not wait for one another", async () => {
    const { pid, port } = await start(8);
    const held = () => childrenOf(pid).map((worker) => readdirSync(`/proc/${worker}/fd`).length);
    const before = held();
    const wires = Array.from({ length: 8 }, () => new Wire(port));
    for (const wire of wires) wire.send(GET("/queries?n=1&sleep=1000"));
    for (const wire of wires) await wire.answered(200);
    // One may have been slow to send what the worker that took it waited for.
    expect(held().filter((count, worker) => count > (before[worker] ?? 0)).length).toBeGreaterThanOrEqual(7);
  });
});

describe("processes", () => {
  test("as many as there are to be; one that dies is replaced", async () => {
    const server = await start(3);
    const before = childrenOf(server.pid);
    expect(before).toHaveLength(3);
    process.kill(before[1] as number, "SIGKILL");
    const isRenewed = () => {
      const now = childrenOf(server.pid);
      return now.length === 3 && !now.includes(before[1] as number);
    };
    await expect.poll(isRenewed, { timeout: 10_000 }).toBe(true);
    for (let i = 0; i < 10; i++) expect((await fetch(`${server.url}/query`)).status).toBe(200);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("%s ends all, after the answers that are due", async (signal) => {
    const server = await start(3);
    const workers = childrenOf(server.pid);
    const [idle, busy] = [new Wire(server.port), new Wire(server.port)];
    idle.send(GET("/health"));
    await idle.answered(200);
    busy.send(GET("/queries?n=1&sleep=500"));
    // It is in MySQL by then, or at least in the socket.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const exited = new Promise((resolve) => server.process.once("exit", (code) => resolve(code)));
    server.process.kill(signal);
    expect(await exited).toBe(0);
    await busy.isClosed();
    expect(busy.statuses).toEqual([200]);
    await idle.isClosed();
    await ended(...workers);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
  });

  test("none stays when the master is killed", async () => {
    const server = await start(3);
    const wire = new Wire(server.port);
    wire.send(GET("/health"));
    await wire.answered(200);
    const workers = childrenOf(server.pid);
    expect(workers).toHaveLength(3);
    process.kill(server.pid, "SIGKILL");
    await ended(server.pid, ...workers);
    await wire.isClosed();
  });

  test.each([
    ["no port", {}, [], "PORT and WORKERS whole numbers above 0"],
    ["a port that is none", { PORT: "http" }, [], "PORT and WORKERS whole numbers above 0"],
    ["no worker", { PORT: "1", WORKERS: "-3" }, [], "PORT and WORKERS whole numbers above 0"],
    ["another tree", { PORT: "1" }, [import.meta.dirname], "[TREE] must be a copy of fixtures/app"],
    ["an address of another machine", { PORT: "65000", HOST: "192.0.2.1" }, [], "tcp://192.0.2.1:65000: "],
  ])("%s is status 1 and a sentence", async (_, env, args, message) => {
    const unset = { PORT: undefined, WORKERS: undefined, HOST: undefined };
    const started = promisify(execFile)("php", [SERVER, ...args], { env: { ...process.env, ...unset, ...env } });
    await expect(started).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  });
});

import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RedisClient } from "../../src/target/redis-client.ts";

/** The port of a server that answers everything with `text`; "" = never. */
async function serverThatSays(text: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => void (text !== "" && socket.write(text)));
    onTestFinished(() => void socket.destroy());
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

test.each([
  [
    "a password is wanted",
    "-NOAUTH Authentication required.\r\n",
    60_000,
    "Redis answers NOAUTH Authentication required.",
  ],
  ["it is no Redis", "HTTP/1.1 400 Bad Request\r\n\r\n", 60_000, "Redis answers HTTP/1.1 400 Bad Request"],
  ["it says nothing", "", 200, "the connection to Redis was lost: no answer within 0.2 s"],
])("%s: said, not waited for", async (_, text, patienceMs, message) => {
  const port = await serverThatSays(text);
  await expect(RedisClient.connect("127.0.0.1", port, patienceMs)).rejects.toThrow(message);
});

test("nobody listens", async () => {
  await expect(RedisClient.connect("127.0.0.1", 1)).rejects.toThrow("connect ECONNREFUSED 127.0.0.1:1");
});

test("an answer is read to its end", async () => {
  const body = "# Server\r\nredis_version:7.2.4\r\n";
  const port = await serverThatSays(`$${body.length}\r\n${body}\r\n`);
  const client = await RedisClient.connect("127.0.0.1", port);
  onTestFinished(() => client.close());
  expect(client.version).toBe("7.2.4");
});

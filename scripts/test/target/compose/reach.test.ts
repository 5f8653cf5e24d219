import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { whyUnreached } from "../../../src/target/compose/reach.ts";

const OURS = { rootless: false, local: true };
const { signal } = new AbortController();

test("a port that listens is reached, one where nobody does yet as well", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const place = { host: "127.0.0.1", port };
  expect(await whyUnreached(place, OURS, signal)).toBeNull();
  // Whoever answers there: it is not the container.
  expect(await whyUnreached(place, { ...OURS, rootless: true }, signal)).toMatch(/rootless/);
  expect(await whyUnreached(place, { ...OURS, local: false }, signal)).toMatch(/virtual machine/);
  server.close();
  await once(server, "close");
  expect(await whyUnreached(place, OURS, signal)).toBeNull();
});

test("no way there is a reason, with what the kernel says", async () => {
  // Class E: no kernel sends anything there.
  const why = await whyUnreached({ host: "255.255.255.255", port: 80 }, OURS, signal);
  expect(why).toMatch(/^this host does not reach 255\.255\.255\.255:80 \(.*E[A-Z]+/);
});

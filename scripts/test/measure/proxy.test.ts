import { afterEach, expect, test, vi } from "vitest";
import { withoutProxy } from "../../src/measure/k6.ts";

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["addresses of containers", "", ["http://172.18.0.3:8080", "http://172.19.0.3:8080"], "172.18.0.3,172.19.0.3"],
  [
    "beside what the environment spares",
    "10.0.0.0/8",
    ["http://127.0.0.1:80", "http://127.0.0.1:80"],
    "10.0.0.0/8,127.0.0.1",
  ],
  ["a name is left to the proxy", "", ["https://shop.example", "http://172.18.0.3"], "172.18.0.3"],
])("%s", (_, spared, urls, expected) => {
  vi.stubEnv("NO_PROXY", spared);
  expect(withoutProxy(urls)).toEqual({ NO_PROXY: expected, no_proxy: expected });
});

import { expect, test } from "vitest";
import type { NginxSettings } from "../../src/core/model.ts";
import { nginxByKey, nginxMisfit } from "../../src/core/nginx.ts";

const OFF: NginxSettings = { tls: false, http2: false, accessLog: false, proxy: false, upstreamKeepAlive: false };
const misfit = (start: string | null, on: Partial<NginxSettings>) => nginxMisfit({ start, nginx: { ...OFF, ...on } });

test.each<[string | null, Partial<NginxSettings>]>([
  [null, {}],
  [null, { tls: true, http2: true, accessLog: true }],
  ["php s.php", {}],
  ["php s.php", { proxy: true }],
  ["php s.php", { tls: true, http2: true, accessLog: true, proxy: true, upstreamKeepAlive: true }],
])("start %j goes with %j", (start, on) => expect(misfit(start, on)).toBeNull());

test.each<[string | null, Partial<NginxSettings>, string, string]>([
  [
    null,
    { http2: true },
    "http2",
    "expected false without TLS: k6 speaks HTTP/2 over TLS alone; got true. Write http2",
  ],
  ["php s.php", { http2: true, proxy: true }, "http2", "Write http2: false, or tls: true."],
  [null, { proxy: true }, "proxy", "expected false with php-fpm, which is behind nginx anyway; got true."],
  [null, { upstreamKeepAlive: true }, "upstream-keep-alive", "a worker with a kept connection serves nobody else"],
  ["php s.php", { tls: true }, "tls", "Write tls: false, or proxy: true."],
  ["php s.php", { accessLog: true }, "access-log", "expected false where nothing is in front of the server of start"],
  [
    "php s.php",
    { upstreamKeepAlive: true },
    "upstream-keep-alive",
    "Write upstream-keep-alive: false, or proxy: true.",
  ],
])("start %j does not go with %j", (start, on, key, message) => {
  expect(misfit(start, on)).toEqual({ key, message: expect.stringContaining(message) });
});

test("settings are told as the file names them", () => {
  expect(nginxByKey({ accessLog: true, upstreamKeepAlive: false, http2: true })).toEqual({
    "access-log": true,
    "upstream-keep-alive": false,
    http2: true,
  });
});

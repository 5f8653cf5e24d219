import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { NginxSettings } from "../../src/core/model.ts";
import { PLAIN_NGINX } from "../../src/core/nginx.ts";
import { makeCertificate } from "../../src/target/certificate.ts";
import { findNginx, nginxConf } from "../../src/target/process/nginx.ts";
import { siteServers, type Upstream } from "../../src/target/process/site.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "perf-gate-site-"));
  makeCertificate(directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FPM: Upstream = {
  kind: "php-fpm",
  socket: "/s/php.sock",
  root: "/srv/app",
  index: "i.php",
  probe: "/s/probe.php",
};
const SERVER: Upstream = { kind: "server", port: 25_001 };

/** The server blocks, which nginx itself has found to be right. */
function servers(upstream: Upstream, on: Partial<NginxSettings>): string {
  const text = siteServers({
    listen: "127.0.0.1:25000",
    adminListen: `unix:${join(directory, "admin.sock")}`,
    nginx: { ...PLAIN_NGINX, ...on },
    certificates: directory,
    accessLog: join(directory, "access.log"),
    upstream,
  });
  const file = join(directory, "nginx.conf");
  const root = process.getuid?.() === 0;
  const conf = nginxConf({ directory, pidFile: join(directory, "nginx.pid"), workers: 1, servers: text, root });
  writeFileSync(file, conf);
  execFileSync(findNginx(), ["-t", "-q", "-p", directory, "-c", file], { stdio: "pipe" });
  return text;
}

/** Lines of the public server that are about how it is spoken to. */
const front = (text: string): string[] =>
  text.split("\n").flatMap((line) => (/^ {4}(listen 127|ssl_|access_log)/.test(line) ? [line.trim()] : []));

test("where nothing is said: HTTP/1.1 without TLS, and no line for a request", () => {
  const text = servers(FPM, {});
  expect(front(text)).toEqual(["listen 127.0.0.1:25000 backlog=4096;"]);
  expect(text).toContain('fastcgi_pass "unix:/s/php.sock";');
  expect(text).toContain('root "/srv/app";');
  expect(text).not.toContain("proxy_pass");
});

test("TLS, HTTP/2 and the access log", () => {
  expect(front(servers(FPM, { tls: true, http2: true, accessLog: true }))).toEqual([
    "listen 127.0.0.1:25000 ssl http2 backlog=4096;",
    `ssl_certificate "${directory}/certificate.pem";`,
    `ssl_certificate_key "${directory}/key.pem";`,
    "ssl_protocols TLSv1.2 TLSv1.3;",
    `access_log "${directory}/access.log";`,
  ]);
  expect(front(servers(FPM, { tls: true }))[0]).toBe("listen 127.0.0.1:25000 ssl backlog=4096;");
});

test("in front of another server, with connections that are kept or not", () => {
  const anew = servers(SERVER, {});
  expect(anew).toContain("server 127.0.0.1:25001;");
  expect(anew).toContain("proxy_set_header Connection close;");
  expect(anew).not.toMatch(/keepalive|fastcgi|location = \/(status|probe)/);
  const kept = servers(SERVER, { upstreamKeepAlive: true, tls: true });
  expect(kept).toMatch(/keepalive 2048;\n/);
  expect(kept).toContain('proxy_set_header Connection "";');
  expect(front(kept)).toHaveLength(4);
});

test("a certificate is self-signed, made anew each time, and its key is the owner's alone", () => {
  const read = () => new X509Certificate(readFileSync(join(directory, "certificate.pem")));
  const first = read();
  expect(first.verify(first.publicKey)).toBe(true);
  expect(first.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  expect(Date.parse(first.validTo)).toBeGreaterThan(Date.now() + 24 * 3600 * 1000);
  makeCertificate(directory);
  expect(read().serialNumber).not.toBe(first.serialNumber);
  expect(statSync(join(directory, "key.pem")).mode & 0o077).toBe(0);
});

test("a certificate that cannot be made is an error with what openssl said", () => {
  expect(() => makeCertificate(join(directory, "nowhere"))).toThrow(/openssl could not make a certificate:\n\| /);
});

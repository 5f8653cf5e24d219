import { nginxFromKeys, nginxMisfit, PLAIN_NGINX } from "../core/nginx.ts";
import { flag } from "./leaves.ts";
import { isMapping, type Raw, type Report, section } from "./shapes.ts";

/** Settings of nginx, without their defaults. */
export const nginxKeys = {
  tls: flag().describe("HTTPS (TLS 1.3), with a self-signed RSA certificate that is made for the run."),
  http2: flag().describe("HTTP/2 in place of HTTP/1.1; with `tls`, as k6 speaks it over TLS alone."),
  "access-log": flag().describe(
    "Whether nginx writes a line for each request (format `combined`, no buffer), to a file that goes with the run.",
  ),
  proxy: flag().describe(
    "nginx in front of the server of `start` (`proxy_pass`, HTTP/1.1); without it, k6 asks that server directly.",
  ),
  "upstream-keep-alive": flag().describe("Whether nginx keeps its connections to the server of `start`; with `proxy`."),
};

export const nginx = section({
  tls: nginxKeys.tls.prefault(false),
  http2: nginxKeys.http2.prefault(false),
  "access-log": nginxKeys["access-log"].prefault(false),
  proxy: nginxKeys.proxy.prefault(false),
  "upstream-keep-alive": nginxKeys["upstream-keep-alive"].prefault(false),
});

/** What is asked of nginx can be had together, and with the server that is started. */
export function checkNginx({ nginx, start }: Raw, report: Report): void {
  if (!isMapping(nginx)) return;
  const settings = { ...PLAIN_NGINX, ...nginxFromKeys(nginx) };
  const misfit = nginxMisfit({ nginx: settings, start: start === undefined ? null : String(start) });
  if (misfit !== null) report(["nginx", misfit.key], misfit.message);
}

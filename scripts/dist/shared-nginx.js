import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);

// scripts/src/core/nginx.ts
var NGINX_KEYS = {
  tls: "tls",
  http2: "http2",
  accessLog: "access-log",
  proxy: "proxy",
  upstreamKeepAlive: "upstream-keep-alive"
};
var PLAIN_NGINX = {
  tls: false,
  http2: false,
  accessLog: false,
  proxy: false,
  upstreamKeepAlive: false
};
function nginxFromKeys(written) {
  return Object.fromEntries(
    Object.entries(NGINX_KEYS).flatMap(([name, key]) => {
      const value = written[key];
      return typeof value === "boolean" ? [[name, value]] : [];
    })
  );
}
function nginxByKey(settings) {
  const names = Object.keys(NGINX_KEYS);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = settings[name];
      return value === void 0 ? [] : [[NGINX_KEYS[name], value]];
    })
  );
}
function nginxMisfit({ nginx, start }) {
  const { tls, http2, proxy, upstreamKeepAlive } = nginx;
  const misfit = (name, allowed, instead) => {
    const key = NGINX_KEYS[name];
    return { key, message: `expected ${allowed}; got true. Write ${key}: false, or ${instead}.` };
  };
  if (http2 && !tls) return misfit("http2", "false without TLS: k6 speaks HTTP/2 over TLS alone", "tls: true");
  if (start === null) {
    const serverOfYourOwn = "name a server of your own in start";
    if (proxy) return misfit("proxy", "false with php-fpm, which is behind nginx anyway", serverOfYourOwn);
    const why = "false with php-fpm, where a worker with a kept connection serves nobody else";
    return upstreamKeepAlive ? misfit("upstreamKeepAlive", why, `${serverOfYourOwn}, with proxy: true`) : null;
  }
  if (proxy) return null;
  const [on] = ["tls", "accessLog", "upstreamKeepAlive"].filter((name) => nginx[name]);
  return on === void 0 ? null : misfit(on, "false where nothing is in front of the server of start", "proxy: true");
}

export {
  PLAIN_NGINX,
  nginxFromKeys,
  nginxByKey,
  nginxMisfit
};

import type { NginxSettings, TargetConfig } from "./model.ts";

/** The settings as the file names them. */
export const NGINX_KEYS = {
  tls: "tls",
  http2: "http2",
  accessLog: "access-log",
  proxy: "proxy",
  upstreamKeepAlive: "upstream-keep-alive",
} as const satisfies Record<keyof NginxSettings, string>;

/** Settings where nothing is said. */
export const PLAIN_NGINX: NginxSettings = {
  tls: false,
  http2: false,
  accessLog: false,
  proxy: false,
  upstreamKeepAlive: false,
};

/** Settings from their names in the file; what is not there, or no setting, stays away. */
export function nginxFromKeys(written: Readonly<Record<string, unknown>>): Partial<NginxSettings> {
  return Object.fromEntries(
    Object.entries(NGINX_KEYS).flatMap(([name, key]) => {
      const value = written[key];
      return typeof value === "boolean" ? [[name, value]] : [];
    }),
  );
}

/** Settings by their names in the file; what is not there stays away. */
export function nginxByKey(settings: Partial<NginxSettings>): Record<string, boolean> {
  const names = Object.keys(NGINX_KEYS) as (keyof NginxSettings)[];
  return Object.fromEntries(
    names.flatMap((name): [string, boolean][] => {
      const value = settings[name];
      return value === undefined ? [] : [[NGINX_KEYS[name], value]];
    }),
  );
}

/** A setting that is on and must not be, and why. */
export interface NginxMisfit {
  key: string;
  message: string;
}

/** What is asked of nginx and cannot be had together, or with this server; null where all can. */
export function nginxMisfit({ nginx, start }: Pick<TargetConfig, "nginx" | "start">): NginxMisfit | null {
  const { tls, http2, proxy, upstreamKeepAlive } = nginx;
  const misfit = (name: keyof NginxSettings, allowed: string, instead: string): NginxMisfit => {
    const key = NGINX_KEYS[name];
    return { key, message: `expected ${allowed}; got true. Write ${key}: false, or ${instead}.` };
  };
  if (http2 && !tls) return misfit("http2", "false without TLS: k6 speaks HTTP/2 over TLS alone", "tls: true");
  if (start === null) {
    const serverOfYourOwn = "name a server of your own in start";
    if (proxy) return misfit("proxy", "false with php-fpm, which is behind nginx anyway", serverOfYourOwn);
    // Any other request would wait until nginx lets go of the connection.
    const why = "false with php-fpm, where a worker with a kept connection serves nobody else";
    return upstreamKeepAlive ? misfit("upstreamKeepAlive", why, `${serverOfYourOwn}, with proxy: true`) : null;
  }
  if (proxy) return null;
  const [on] = (["tls", "accessLog", "upstreamKeepAlive"] as const).filter((name) => nginx[name]);
  return on === undefined ? null : misfit(on, "false where nothing is in front of the server of start", "proxy: true");
}

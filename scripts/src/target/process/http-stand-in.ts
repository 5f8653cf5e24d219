import { get } from "../http.ts";
import { startNginx } from "./nginx.ts";
import type { Premises } from "./premises.ts";

/** Starts the stand-in for third parties: every path answers 200 and {"ok":true} at once. Returns its URL. */
export async function startHttpStandIn(premises: Premises, cpus: readonly number[]): Promise<string> {
  const port = await premises.port();
  const url = `http://127.0.0.1:${port}`;
  await startNginx(premises, {
    name: "http",
    group: "services",
    cpus,
    workers: 1,
    servers: `  server {
    listen 127.0.0.1:${port} backlog=4096;
    default_type application/json;
    location / {
      return 200 '{"ok":true}';
    }
  }`,
    isUp: () => get(url),
  });
  return url;
}

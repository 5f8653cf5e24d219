import { type Agent, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { NginxSettings } from "../core/model.ts";

export interface Answer {
  status: number;
  body: string;
}

/** How nginx is spoken to. */
export const schemeOf = ({ tls }: NginxSettings): "http" | "https" => (tls ? "https" : "http");

/** Our own requests (readiness, status, probe) must not wait longer than a person would. */
const TIMEOUT_MS = 10_000;

/**
 * GET on a connection of its own, or the agent's, with this Host header; over a unix socket where one is given. A
 * certificate that was made for the run (`selfSigned`) is not verified. Rejects where there was no answer.
 */
export function get(
  url: string,
  options: { host?: string; socketPath?: string; agent?: Agent; selfSigned?: boolean } = {},
): Promise<Answer> {
  const { agent = false, selfSigned = false } = options;
  const request = url.startsWith("https:") ? requestHttps : requestHttp;
  const headers = options.host === undefined ? {} : { host: options.host };
  const socket = options.socketPath === undefined ? {} : { socketPath: options.socketPath };
  return new Promise((resolve, reject) => {
    const tls = { rejectUnauthorized: !selfSigned };
    const outgoing = request(url, { ...socket, ...tls, headers, agent, timeout: TIMEOUT_MS }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
      });
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    outgoing.on("error", reject);
    outgoing.end();
  });
}

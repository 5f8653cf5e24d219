import { check } from "k6";
import http from "k6/http";

/** @typedef {import("./flow.d.ts").Target} Target */

/**
 * Logs in, once per arm; what it returns is handed to every iteration.
 *
 * @param {Target} target
 * @returns {{ token: string }}
 */
export function setup(target) {
  const form = { user: "demo", password: "demo" };
  const answer = http.post(`${target.url}/login`, form, { headers: target.headers, responseType: "text" });
  if (answer.status !== 200) {
    throw new Error(`POST /login answered ${answer.status}: ${answer.body || answer.error}`);
  }
  return { token: String(answer.json("token")) };
}

/**
 * Reads the account of the user who is logged in.
 *
 * @param {Target} target
 * @param {{ token: string }} data
 */
export default function (target, data) {
  const headers = { ...target.headers, Authorization: `Bearer ${data.token}` };
  const account = http.get(`${target.url}/account?connection=persistent`, { headers });
  check(account, { "account is shown": ({ status }) => status === 200 });
}

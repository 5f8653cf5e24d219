import { check } from "k6";
import http from "k6/http";

/** @typedef {import("./flow.d.ts").Target} Target */

/**
 * A visitor: a page that costs next to nothing, one item, then a page put together from several services.
 *
 * @param {Target} target
 */
export default function (target) {
  const { url, headers } = target;
  const start = http.get(`${url}/health`, { headers });
  // Bodies are thrown away unless a request asks for its own.
  const item = http.get(`${url}/query?connection=persistent`, { headers, responseType: "text" });
  const page = http.get(`${url}/mixed?connection=persistent`, { headers });

  check(start, { "start page is there": ({ status }) => status === 200 });
  check(item, { "item has a name": ({ status, body }) => status === 200 && String(body).includes('"name":"Item ') });
  check(page, { "page is there": ({ status }) => status === 200 });
}

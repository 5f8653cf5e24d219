import { describe, expect, test } from "vitest";
import { parseAb, parseWrk } from "../../bench/references.ts";

/** wrk 4.1.0, with both lines that are there only after errors. */
const WRK = `Running 2s test @ http://127.0.0.1:8080/health
  1 threads and 20 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.58ms  434.20us  12.02ms   91.35%
    Req/Sec    12.70k     0.91k   13.82k    85.00%
  Latency Distribution
     50%    1.50ms
     75%    1.66ms
     90%    1.90ms
     99%    3.02ms
  25310 requests in 2.00s, 5.33MB read
  Socket errors: connect 0, read 3, write 1, timeout 2
  Non-2xx or 3xx responses: 7
Requests/sec:  12634.56
Transfer/sec:      2.66MB
`;

/** ApacheBench 2.3 with -k -q -l. */
const AB = `
Concurrency Level:      20
Time taken for tests:   2.000 seconds
Complete requests:      20406
Failed requests:        2
   (Connect: 0, Receive: 2, Length: 0, Exceptions: 0)
Non-2xx responses:      5
Keep-Alive requests:    20400
Total transferred:      4040388 bytes
HTML transferred:       1510044 bytes
Requests per second:    10202.93 [#/sec] (mean)
Time per request:       1.960 [ms] (mean)
`;
const PERCENTILES = "Percentage served,Time in ms\n0,0.310\n1,0.812\n98,3.100\n99,4.215\n";

describe("wrk", () => {
  test("QPS, p99 and every kind of error", () => {
    expect(parseWrk(WRK)).toEqual({ qps: 12634.56, p99Ms: 3.02, errors: 13 });
  });

  test.each([
    ["940.00us", 0.94],
    ["1.25s ", 1250],
  ])("p99 of %s", (text, ms) => {
    expect(parseWrk(WRK.replace("3.02ms", text)).p99Ms).toBeCloseTo(ms, 9);
  });

  test("no lines about errors: none", () => {
    expect(parseWrk(WRK.replace(/.*(Socket|Non-2xx).*\n/g, "")).errors).toBe(0);
  });

  test.each([
    ["99% latency", /.*99%.*\n/],
    ["Requests/sec", /Requests\/sec.*\n/],
  ])("without %s it says so", (name, line) => {
    expect(() => parseWrk(WRK.replace(line, ""))).toThrow(`wrk printed no "${name}"`);
  });
});

describe("ab", () => {
  test("QPS, the p99 of its file, failed requests and other statuses", () => {
    expect(parseAb(AB, PERCENTILES)).toEqual({ qps: 10202.93, p99Ms: 4.215, errors: 7 });
  });

  test("connections that did not last are no keep-alive", () => {
    const closed = AB.replace("requests:    20400", "requests:    0");
    expect(() => parseAb(closed, PERCENTILES)).toThrow("0 of 20406 requests kept their connection");
    expect(parseAb(AB.replace(/Keep-Alive.*\n/, ""), PERCENTILES).qps).toBe(10202.93);
  });

  test.each([
    ["Requests per second", AB.replace(/Requests per.*\n/, ""), PERCENTILES],
    ["Failed requests", AB.replace(/Failed.*\n/, ""), PERCENTILES],
    ["99th percentile", AB, PERCENTILES.replace(/^99.*\n/m, "")],
  ])("without %s it says so", (name, output, percentiles) => {
    expect(() => parseAb(output, percentiles)).toThrow(`ab printed no "${name}"`);
  });
});

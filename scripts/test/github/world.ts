import { afterEach, beforeEach, expect } from "vitest";
import { type Api, createApi } from "../../src/github/api.ts";
import { ApiServer, type PullState, type State } from "./api-server/server.ts";

export const BASE = "b".repeat(40);
export const HEAD = "a".repeat(40);
export const OLDER = "0".repeat(40);
export const BOT = "github-actions[bot]";
/** When GitHub told of HEAD. */
export const PUSHED = "2026-03-04T10:00:00Z";

export const pull = (over: Partial<PullState> = {}): PullState => ({
  number: 12,
  state: "open",
  headSha: HEAD,
  headRef: "faster-orders",
  headRepository: "octo/shop",
  baseRef: "main",
  labels: [],
  ...over,
});

/** A repository octo/shop with pull request 12. */
export async function startServer(state: Partial<State> = {}): Promise<ApiServer> {
  return await new ApiServer({ pulls: [pull()], branches: new Map([["main", BASE]]), ...state }).start();
}

/** Such a server for each test of a file; at its end nothing that was asked or answered broke GitHub's description. */
export function serverForEach(use: (server: ApiServer) => void): void {
  let server: ApiServer;
  beforeEach(async () => {
    server = await startServer();
    use(server);
  });
  afterEach(async () => {
    await server.stop();
    expect(server.violations).toEqual([]);
  });
}

/** The API as perf-gate sees it, with waits of milliseconds; what it tells of them is collected. */
export function apiTo(
  server: { url: string },
  over: { token?: string; timeoutMs?: number } = {},
): Api & { said: string[] } {
  const said: string[] = [];
  const api = createApi({
    token: "test-token",
    repository: "octo/shop",
    baseUrl: server.url,
    log: (line) => said.push(line),
    secondMs: 2,
    ...over,
  });
  return { ...api, said };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

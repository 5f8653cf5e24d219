import { expect, test } from "vitest";
import { cacheEntries, checkBuildCache } from "../../../src/target/compose/build-cache.ts";

test("no cache", () => {
  expect(cacheEntries(null)).toEqual({ from: [], to: [] });
});

test.each([
  [
    { kind: "folder", path: "/c" } as const,
    "type=local,src=/c/{target}",
    "type=local,dest=/c/{target},mode=max,ignore-error=true",
  ],
  [
    { kind: "registry", repository: "ghcr.io/shop/cache" } as const,
    "type=registry,ref=ghcr.io/shop/cache:{target}",
    "type=registry,ref=ghcr.io/shop/cache:{target},mode=max,ignore-error=true",
  ],
  [
    { kind: "gha" } as const,
    "type=gha,scope=perf-gate-{target}",
    "type=gha,scope=perf-gate-{target},mode=max,ignore-error=true",
  ],
])("%j", (cache, from, to) => {
  expect(cacheEntries(cache)).toEqual({ from: [from], to: [to] });
});

test("a folder in a tree is refused, one beside it is not", () => {
  const trees = ["/base", "/head"];
  for (const path of ["/head", "/head/var/cache"]) {
    expect(() => checkBuildCache({ kind: "folder", path }, trees)).toThrow(/^target\.build-cache: .*is in \/head/);
  }
  for (const path of ["/cache", "/head-cache", "/"]) checkBuildCache({ kind: "folder", path }, trees);
  checkBuildCache(null, trees);
});

import type { ThrottlingOptions } from "@octokit/plugin-throttling";
import { vi } from "vitest";

/**
 * GitHub wants a second between what writes, and three between what notifies; a program that keeps to it is mostly
 * asleep. The server of the tests wants nothing of the kind.
 */
vi.mock("@octokit/plugin-throttling", async (original) => {
  const plugin = await original<typeof import("@octokit/plugin-throttling")>();
  const atOnce = { key: () => ({ schedule: (_: object, action: () => unknown) => action() }) };
  const throttling = (...[octokit, options]: Parameters<typeof plugin.throttling>) => {
    const throttle = { ...options.throttle, write: atOnce, notifications: atOnce } as unknown as ThrottlingOptions;
    return plugin.throttling(octokit, { ...options, throttle });
  };
  return { ...plugin, throttling: Object.assign(throttling, plugin.throttling) };
});

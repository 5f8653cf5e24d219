import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks `check` every `everyMs` until it gives something other than null; null when `timeoutMs` have passed.
 * Rejects with the signal's reason when aborted, and with whatever `check` throws.
 */
export async function waitFor<T>(
  check: () => T | null | Promise<T | null>,
  options: { everyMs: number; timeoutMs: number; signal: AbortSignal },
): Promise<T | null> {
  const end = performance.now() + options.timeoutMs;
  for (;;) {
    options.signal.throwIfAborted();
    const result = await check();
    if (result !== null) return result;
    if (performance.now() >= end) return null;
    await sleep(options.everyMs);
  }
}

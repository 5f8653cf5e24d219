import type { ComposeService, Healthcheck } from "./types.ts";

const SECONDS: Record<string, number> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** Seconds of a duration as Go prints it: "1h0m0s", "1.5s". */
function seconds(duration: string): number {
  const parts = duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g);
  return [...parts].reduce((sum, [, number, unit]) => sum + Number(number) * (SECONDS[unit as string] as number), 0);
}

/** What Docker takes where a health check says nothing. */
const DEFAULT = { interval: "30s", retries: 3 };
const LEAST_PATIENCE_SECONDS = 60;

/**
 * Asks every second until the service is healthy and then leaves it in peace: a check that ran beside a slot would be
 * load of our own. A check that fails after the start period waits an hour for the next, so the start period is as
 * long as the user was ready to wait: what the file calls so and, unless it has a rhythm for it, all retries.
 */
export function quietHealthcheck(check: Healthcheck): Healthcheck {
  if (check.disable === true || check.test?.[0] === "NONE") return check;
  const { interval = DEFAULT.interval, retries = DEFAULT.retries, start_period = "0s", start_interval } = check;
  const afterwards = start_interval === undefined ? seconds(interval) * retries : 0;
  const patience = Math.ceil(seconds(start_period) + afterwards);
  return {
    ...check,
    interval: "1h",
    start_interval: "1s",
    start_period: `${Math.max(LEAST_PATIENCE_SECONDS, patience)}s`,
  };
}

/**
 * For a service whose image brings a health check of its own, which the compose file does not show: the same rhythm.
 * Do not call it for an image without one: compose would wait for an answer that never comes.
 */
export function quietImageHealthcheck(service: ComposeService): ComposeService {
  return service.healthcheck === undefined ? { ...service, healthcheck: quietHealthcheck({}) } : service;
}

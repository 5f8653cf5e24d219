import { MeasureError } from "../core/errors.ts";
import type { Arm } from "../core/model.ts";
import { get } from "./http.ts";
import { quoted } from "./log.ts";
import { waitFor } from "./wait.ts";

export interface HealthCheck {
  arm: Arm;
  /** Health path and all. */
  url: string;
  host: string;
  /** Its certificate was made for the run. */
  selfSigned: boolean;
  /** Throws where waiting is pointless, such as after the server has died. */
  stillAlive: () => void;
  /** What to print below the error: ends of logs. */
  evidence: () => string;
  signal: AbortSignal;
}

const EVERY_MS = 20;
const TIMEOUT_MS = 30_000;
/** A web server whose runtime is not up yet answers these; anything else comes from the application. */
const NOT_UP_YET = [502, 503, 504];
/** The application may be short of being ready, but a wrong answer that stays is its answer. */
const PATIENCE_MS = 1_000;

/** The start of what the application answered: no line of it begins a line of ours. */
const oneLine = (text: string): string =>
  quoted(text.trim().slice(0, 500).replaceAll(/\s+/g, " "), 1).slice("| ".length);

/** Waits until the health path answers 2xx; else throws MeasureError with what was answered and the ends of the logs. */
export async function waitUntilHealthy(check: HealthCheck): Promise<void> {
  let last = "no answer";
  let wrongSince: number | null = null;
  const healthy = await waitFor(
    async () => {
      check.stillAlive();
      try {
        const answer = await get(check.url, { host: check.host, selfSigned: check.selfSigned });
        if (answer.status >= 200 && answer.status < 300) return true;
        last = `status ${answer.status}: ${oneLine(answer.body) || "empty body"}`;
        if (NOT_UP_YET.includes(answer.status)) wrongSince = null;
        else wrongSince ??= performance.now();
      } catch (error) {
        last = error instanceof Error ? error.message : String(error);
        wrongSince = null;
      }
      return wrongSince !== null && performance.now() - wrongSince > PATIENCE_MS ? false : null;
    },
    { everyMs: EVERY_MS, timeoutMs: TIMEOUT_MS, signal: check.signal },
  );
  if (healthy === true) return;
  throw new MeasureError(
    `${check.arm} is not healthy: GET ${check.url} (Host: ${check.host}) must answer 2xx; ${last}${check.evidence()}`,
  );
}

import { MeasureError } from "../../core/errors.ts";
import { waitFor } from "../wait.ts";
import type { Place } from "./gateway.ts";
import type { Toxic } from "./links.ts";

const TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 2_000;

/**
 * Posts a delay to the Toxiproxy at a place, as soon as it listens: its container runs a moment before. Toxiproxy
 * forgets its delays with every start; it is never restarted within a run.
 */
export async function setDelay(
  { service, path, body }: Toxic,
  { host, port }: Place,
  signal: AbortSignal,
): Promise<void> {
  const url = `http://${host}:${port}${path}`;
  let why = "";
  const post = async (): Promise<Response | null> => {
    const either = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    return await fetch(url, { method: "POST", body: JSON.stringify(body), signal: either }).catch((error: Error) => {
      why = error.cause instanceof Error ? error.cause.message : error.message;
      return null;
    });
  };
  const answer = await waitFor(post, { everyMs: 50, timeoutMs: TIMEOUT_MS, signal });
  if (answer === null) throw new MeasureError(`target.links.${service}: Toxiproxy does not answer: ${why}`);
  if (!answer.ok) throw new MeasureError(`target.links.${service}: Toxiproxy refuses: ${await answer.text()}`);
}

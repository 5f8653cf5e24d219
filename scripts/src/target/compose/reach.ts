import { connect } from "node:net";
import type { Place } from "./gateway.ts";

/** A full backlog drops the first try, and the second comes after 1 s. */
const TIMEOUT_MS = 3_000;

/**
 * Why this host does not reach a container's port; null where it does.
 *
 * @param engine `local` = the container's process is one of this machine; `rootless` = of a rootless engine
 */
export async function whyUnreached(
  { host, port }: Place,
  { rootless, local }: { rootless: boolean; local: boolean },
  signal: AbortSignal,
): Promise<string | null> {
  // Whoever has that address here is somebody else.
  if (!local) return "the engine runs in a virtual machine, or on another one";
  if (rootless) return "the networks of a rootless engine are its own";
  const why = await tryTo(host, port, signal);
  return why === null ? null : `this host does not reach ${host}:${port} (${why})`;
}

/** Why no connection could be made; null where one was, or nobody listens there yet. */
function tryTo(host: string, port: number, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal, timeout: TIMEOUT_MS });
    const end = (why: string | null): void => {
      socket.destroy();
      resolve(why);
    };
    socket.once("connect", () => end(null));
    socket.once("timeout", () => end("no answer"));
    socket.once("error", (error: NodeJS.ErrnoException) => end(error.code === "ECONNREFUSED" ? null : error.message));
  });
}

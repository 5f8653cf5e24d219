import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { MeasureError } from "../core/errors.ts";
import { quoted } from "./log.ts";
import { requireProgram } from "./programs.ts";

/** Names of the files of a certificate, in a directory of their own. */
export const CERTIFICATE_FILE = "certificate.pem";
export const KEY_FILE = "key.pem";

const TIMEOUT_MS = 30_000;

export const findOpenssl = (): string => requireProgram("openssl", "openssl");

/**
 * Makes a self-signed certificate and its key in a directory. RSA with 2,048 bits: signing costs the service several
 * times what verifying costs k6, which is the limit of new connections otherwise. Throws MeasureError.
 */
export function makeCertificate(directory: string): void {
  const files = ["-keyout", join(directory, KEY_FILE), "-out", join(directory, CERTIFICATE_FILE)];
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "7", "-subj", "/CN=perf-gate", ...files];
  try {
    execFileSync(findOpenssl(), args, { stdio: ["ignore", "ignore", "pipe"], timeout: TIMEOUT_MS });
  } catch (error) {
    if (error instanceof MeasureError) throw error;
    const { stderr, message } = error as Error & { stderr?: Buffer };
    throw new MeasureError(`openssl could not make a certificate:\n${quoted(String(stderr ?? message), 15)}`);
  }
}

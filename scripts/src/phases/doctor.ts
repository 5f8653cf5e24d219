import { diagnose, type Finding, renderDoctor } from "../config/doctor.ts";
import { K6_VERSION } from "../core/k6.ts";
import type { DriverName } from "../core/model.ts";
import { findK6 } from "../measure/k6.ts";

/** What this machine has and lacks for measuring, as data and as text. */
export async function doctor(
  driver: DriverName | "auto",
  colour: boolean,
): Promise<{ findings: Finding[]; text: string; healthy: boolean }> {
  const k6 = await findK6().catch(() => null);
  const findings = await diagnose({ k6, k6Version: K6_VERSION, driver, services: ["mysql", "redis", "http"] });
  const healthy = findings.every((finding) => finding.needed === "optional" || finding.found !== null);
  return { findings, text: renderDoctor(findings, { colour }), healthy };
}

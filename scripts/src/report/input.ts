import type { Census, Comparison, Environment, Plan } from "../core/model.ts";

/** All a report is made of; environment and census are null where a run ended before it had them. */
export interface ReportInput {
  comparison: Comparison;
  plan: Plan;
  environment: Environment | null;
  census: Census | null;
}

import { appendFileSync } from "node:fs";
import { setOutput } from "@actions/core";

/** Outputs of the action, by name. */
export interface Outputs {
  verdict: string;
  "work-directory": string;
  report: string;
  comparison: string;
}

/** Sets the outputs of this step; outside of GitHub they go to the log. */
export function writeOutputs(outputs: Outputs): void {
  for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
}

/** Adds Markdown to the page of the job; does nothing where GitHub gave no file for it. */
export function writeSummary(markdown: string, env: Readonly<Record<string, string | undefined>>): void {
  const file = env["GITHUB_STEP_SUMMARY"] ?? "";
  if (file !== "") appendFileSync(file, markdown);
}

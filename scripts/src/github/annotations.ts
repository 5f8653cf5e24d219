import { type AnnotationProperties, error, notice, warning } from "@actions/core";
import { ANNOTATIONS } from "./limits.ts";

/** A remark on the page of the run, and at a line of the pull request where it has one. */
export interface Annotation {
  level: "error" | "warning" | "notice";
  title: string;
  message: string;
  /** File relative to the repository's top, line from 1; null = the run as a whole. */
  place: { file: string; line: number } | null;
}

const COMMANDS = { error, warning, notice } as const;

/** Writes annotations as log commands, escaped; of each level as many as GitHub shows, the last of them counts the rest. */
export function annotate(annotations: readonly Annotation[]): void {
  for (const level of ["error", "warning", "notice"] as const) {
    const all = annotations.filter((annotation) => annotation.level === level);
    const shown = all.length > ANNOTATIONS ? all.slice(0, ANNOTATIONS - 1) : all;
    for (const { title, message, place } of shown) COMMANDS[level](message, properties(title, place));
    const more = all.length - shown.length;
    if (more > 0) COMMANDS[level](`${more} more: see the job summary`, { title: "perf-gate" });
  }
}

function properties(title: string, place: Annotation["place"]): AnnotationProperties {
  return place === null ? { title } : { title, file: place.file, startLine: place.line };
}

import type { Plan, SampleLine } from "../core/model.ts";
import type { WorkDirectory } from "./work-directory.ts";

/** The lines of a run so far, in memory and on the disk. */
export class SampleLog {
  readonly #work: WorkDirectory;
  readonly #plan: Plan;
  lines: SampleLine[];

  constructor(work: WorkDirectory, plan: Plan, earlier: readonly SampleLine[]) {
    this.#work = work;
    this.#plan = plan;
    this.lines = [...earlier];
  }

  get begun(): boolean {
    return this.lines.length > 0;
  }

  add(lines: readonly SampleLine[]): void {
    const begin: SampleLine[] = this.begun
      ? []
      : [{ kind: "begin", version: 1, planId: this.#plan.id, startedAt: Date.now() }];
    this.#work.appendSamples([...begin, ...lines]);
    this.lines.push(...begin, ...lines);
  }
}

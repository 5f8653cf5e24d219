import { LogReader } from "./log.ts";

/** nginx: the unix socket's backlog was full. */
const OVERFLOW = "(11: Resource temporarily unavailable) while connecting to upstream";
/** nginx and PHP alike, whatever they were connecting to. */
const NO_PORT = "Cannot assign requested address";
const DIED = /child \d+ exited on signal/g;

/** What the logs of an arm's replica tell, cumulative since the last reset. */
export class FrontCounts {
  listenOverflows = 0;
  portErrors = 0;
  workersDied = 0;

  /** @param text whole lines */
  add(text: string): void {
    this.listenOverflows += occurrences(text, OVERFLOW);
    this.portErrors += occurrences(text, NO_PORT);
    this.workersDied += text.match(DIED)?.length ?? 0;
  }

  /** Forgets everything so far: a new replica starts. */
  reset(): void {
    this.listenOverflows = 0;
    this.portErrors = 0;
    this.workersDied = 0;
  }
}

/** The same, from files; reads only what is new. */
export class FrontLogs {
  readonly counts = new FrontCounts();
  readonly #logs: LogReader[];

  constructor(...logs: string[]) {
    this.#logs = logs.map((log) => new LogReader(log));
  }

  reset(): void {
    for (const log of this.#logs) log.skip();
    this.counts.reset();
  }

  update(): FrontCounts {
    for (const log of this.#logs) this.counts.add(log.newLines().join("\n"));
    return this.counts;
  }
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

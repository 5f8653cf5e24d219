import { LogReader } from "../log.ts";

/** nginx: the unix socket's backlog was full. */
const OVERFLOW = "(11: Resource temporarily unavailable) while connecting to upstream";
/** nginx and PHP alike, whatever they were connecting to. */
const NO_PORT = "Cannot assign requested address";
const DIED = /child \d+ exited on signal/;

/** What the logs of an arm's replica tell, cumulative since reset(); reads only what is new. */
export class FrontLogs {
  listenOverflows = 0;
  portErrors = 0;
  workersDied = 0;
  readonly #nginx: LogReader;
  readonly #others: LogReader[];

  constructor(nginxLog: string, ...otherLogs: string[]) {
    this.#nginx = new LogReader(nginxLog);
    this.#others = otherLogs.map((log) => new LogReader(log));
  }

  /** Forgets everything so far: a new replica starts. */
  reset(): void {
    for (const log of [this.#nginx, ...this.#others]) log.skip();
    this.listenOverflows = 0;
    this.portErrors = 0;
    this.workersDied = 0;
  }

  update(): void {
    for (const line of this.#nginx.newLines()) {
      if (line.includes(OVERFLOW)) this.listenOverflows++;
      if (line.includes(NO_PORT)) this.portErrors++;
    }
    for (const line of this.#others.flatMap((log) => log.newLines())) {
      if (line.includes(NO_PORT)) this.portErrors++;
      if (DIED.test(line)) this.workersDied++;
    }
  }
}

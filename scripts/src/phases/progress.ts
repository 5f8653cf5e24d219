import { SingleBar } from "cli-progress";
import { minutes } from "./plan.ts";

/** What a block left behind, for the line that tells it. */
export interface BlockProgress {
  stage: "main" | "confirm";
  block: number;
  /** Tests that wait for rounds; cells, where all are decided at the end. */
  open: number;
  tests: number;
  /** null = nothing is decided before the end. */
  green: number | null;
  red: number;
  struck: number;
  /** Most frequent cause of struck slots, or null. */
  cause: string | null;
  elapsedSeconds: number;
  leftSeconds: number;
}

/** Tells a person, or the log of a job, how far a run is. Everything goes to stderr: stdout is for results. */
export interface Progress {
  /** A step before or after the blocks. */
  step(line: string): void;
  block(progress: BlockProgress): void;
  /** Something a reader must see, wherever the run stands. */
  warn(line: string): void;
  /** Takes a bar off the screen. */
  done(): void;
}

/** A bar on a terminal; elsewhere a line per block, in a log group where the job's log knows groups. */
export function createProgress(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Progress {
  if (stream.isTTY === true && env["CI"] === undefined) return terminalProgress(stream);
  return lineProgress((line) => stream.write(`${line}\n`), env["GITHUB_ACTIONS"] === "true");
}

/** Says nothing but warnings: for --json. */
export function quietProgress(stream: NodeJS.WriteStream): Progress {
  return { step: () => {}, block: () => {}, warn: (line) => stream.write(`warning: ${line}\n`), done: () => {} };
}

/** Tells each warning once: arms, and the runs of a matrix, say the same of the machine. */
export function warningOnce(progress: Progress): Progress {
  const told = new Set<string>();
  return {
    ...progress,
    warn: (line) => {
      if (!told.has(line)) progress.warn(line);
      told.add(line);
    },
  };
}

function lineProgress(print: (line: string) => void, groups: boolean): Progress {
  let open = false;
  const close = () => {
    if (open) print("::endgroup::");
    open = false;
  };
  return {
    step: (line) => print(line),
    block: (progress) => {
      if (groups && !open) {
        print("::group::blocks");
        open = true;
      }
      print(describe(progress));
    },
    warn: (line) => {
      close();
      print(`warning: ${line}`);
    },
    done: close,
  };
}

function terminalProgress(stream: NodeJS.WriteStream): Progress {
  let bar: SingleBar | null = null;
  const clear = () => {
    bar?.stop();
    bar = null;
  };
  return {
    step: (line) => {
      clear();
      stream.write(`${line}\n`);
    },
    block: (progress) => {
      const total = Math.max(1, Math.round(progress.elapsedSeconds + progress.leftSeconds));
      const value = Math.round(progress.elapsedSeconds);
      if (bar === null) {
        bar = new SingleBar({
          stream,
          format: "{bar} {text}",
          barsize: 20,
          barCompleteChar: "█",
          barIncompleteChar: "░",
          hideCursor: true,
          clearOnComplete: true,
          linewrap: false,
        });
        bar.start(total, value, { text: describe(progress) });
        return;
      }
      bar.setTotal(total);
      bar.update(value, { text: describe(progress) });
    },
    warn: (line) => {
      clear();
      stream.write(`warning: ${line}\n`);
    },
    done: clear,
  };
}

function describe(progress: BlockProgress): string {
  const { stage, block, open, tests, green, red, struck, cause, leftSeconds } = progress;
  const parts = [
    `${stage === "confirm" ? "confirming, " : ""}block ${block + 1}`,
    `open ${open} of ${tests}`,
    green === null ? "" : `decided ${green} green${red > 0 ? `, ${red} red` : ""}`,
    struck > 0 ? `slots struck ${struck}${cause === null ? "" : ` (${cause})`}` : "",
    open > 0 ? `about ${minutes(leftSeconds)} left` : "",
  ];
  return parts.filter((part) => part !== "").join("   ");
}

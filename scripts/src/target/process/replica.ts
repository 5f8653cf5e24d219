import type { Arm, PhpState } from "../../core/model.ts";
import type { FrontState } from "../target.ts";

/** The running service of one arm; restart() renews what a block renews. */
export interface Replica {
  readonly arm: Arm;
  readonly url: string;
  readonly alive: boolean;
  /** A fresh runtime on the same port, answering its health path; throws MeasureError with the ends of the logs. */
  restart(): Promise<void>;
  /** null where it cannot be asked. */
  php(): Promise<PhpState | null>;
  front(): Promise<FrontState | null>;
}

/** What both kinds of replica need to know. */
export interface ReplicaOptions {
  arm: Arm;
  /** The arm's tree, absolute. */
  directory: string;
  cpus: readonly number[];
  env: NodeJS.ProcessEnv;
  port: number;
}

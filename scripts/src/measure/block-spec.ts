import type { Arm, Asked, ConnectionPolicy, K6Output, LatencyMs, PhasesMs, SlowRequest, Stage } from "../core/model.ts";
import type { Stretch } from "../core/schedule.ts";

/** One slot as k6 runs it. */
export interface SlotSpec {
  arm: Arm;
  scenario: string;
  /** Closed slots of one round take turns; the others run one after the other. */
  round: number;
  /** Ramps included. */
  stretches: Stretch[];
  gracefulSeconds: number;
  /** VUs of a closed slot, most VUs of an open one. */
  vus: number;
  /** Requests/s of an open slot, else null. */
  rate: number | null;
  /** Stages of a ramp, else null. */
  stages: Stage[] | null;
  /** Requests that begin in this part of the slot count, s from its start; null = all of them. */
  counted: { fromSeconds: number; toSeconds: number } | null;
  /** One VU that runs this often and ends; null = as long as the slot. */
  iterations: number | null;
  /** What every sample of the slot is tagged with for the outputs; absent = nothing. */
  tags?: { arm: Arm; cell: string; round: string };
}

/** What k6/block.ts reads from the file in BLOCK. */
export interface BlockSpec {
  arms: Record<Arm, { url: string; host: string }>;
  /** An arm has a certificate that was made for the run, which nobody can verify; absent = none has. */
  selfSigned?: true;
  scenarios: Record<
    string,
    {
      connection: Record<Arm, ConnectionPolicy>;
      asked: Record<Arm, Asked>;
      /** Of a mix: places among its requests, in the order in which they are sent again and again. */
      order?: number[];
    }
  >;
  /**
   * Every listed scenario in turn, and every request of a mix, on both arms at once; results are discarded. 0 s =
   * none.
   */
  warmUp: { seconds: number; gracefulSeconds: number; vus: Record<Arm, number>; scenarios: string[] };
  slots: SlotSpec[];
  /** Every request carries a trace context, and this many of the slowest are kept of each slot; absent = none does. */
  trace?: { slowest: number };
  /** Of k6 itself, beside the result: `--out`. */
  outputs?: K6Output[];
}

/** What k6/block.ts writes to the file in RESULT, one per slot, in the order of the spec. */
export interface SlotResult {
  requests: number;
  /** Time that the VUs of a closed slot spent in its turns, to the end of their last request each; sum, s. Else 0. */
  vuSeconds: number;
  latencyMs: LatencyMs | null;
  phasesMs: PhasesMs;
  errors: number;
  failedChecks: number;
  droppedIterations: number;
  bytesReceived: number;
  portErrors: number;
  /** From what the VUs said, slowest first; absent where the block is not traced. */
  slowest?: SlowRequest[];
}

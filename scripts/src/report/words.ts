import { assertNever, type CellResult, type Confirmation, type CountName, type StrikeReason } from "../core/model.ts";
import type { Ink } from "./escape.ts";
import { qps } from "./format.ts";
import type { State } from "./view.ts";

/** One mark per row; the shapes differ as well as the colours where the output allows. */
export const MARK: Record<State, string> = { error: "❌", regression: "🔴", inconclusive: "⚪", pass: "🟢", note: "▫️" };

/** The load of a cell: "20 VUs", "150 req/s". */
export function loadLabel(result: CellResult): string {
  const { model, level } = result.cell;
  switch (model) {
    case "closed":
      return level === null ? "VUs unknown" : `${level} VU${level === 1 ? "" : "s"}`;
    case "open": {
      const rate = level ?? result.rate;
      return rate === null ? "rate not set" : `${qps(rate)} req/s`;
    }
    case "ramp":
      return level === null ? "ramp" : `ramp to ${level}`;
    default:
      return assertNever(model);
  }
}

/** A cell in a sentence: “health” at 20 VUs. */
export function cellName(result: CellResult, ink: Ink): string {
  return `“${ink.text(result.cell.scenario)}” at ${loadLabel(result)}`;
}

export const COUNT_LABEL: Record<CountName, string> = {
  sqlStatements: "SQL statements",
  dbConnections: "new MySQL connections",
  redisCommands: "Redis commands",
  responseBytes: "bytes",
};

/** What a strike means, and what to do about it. */
export const STRIKE_LABEL: Record<StrikeReason, string> = {
  "foreign-load": "something else used our cores",
  steal: "the hypervisor gave our CPU time to others",
  "generator-saturated": "k6 itself was at its limit",
  errors: "too many failed requests",
  "dropped-iterations": "k6 could not start requests on time",
  "listen-overflow": "the service turned connections away (backlog full)",
  "ports-exhausted": "no source ports left",
  "target-restarted": "the service restarted",
  "oom-killed": "the service was killed for want of memory",
  "k6-died": "k6 ended early",
  "no-requests": "no request completed",
};

export function confirmationPhrase(confirmation: Confirmation | null): string {
  switch (confirmation) {
    case null:
      return "";
    case "confirmed":
      return "confirmed on fresh replicas";
    case "not-confirmed":
      return "not confirmed on fresh replicas";
    case "no-time":
      return "no time was left to confirm it";
    default:
      return assertNever(confirmation);
  }
}

import { assertNever, type CensusDifference, type Count, type CountName } from "../core/model.ts";
import type { Ink } from "./escape.ts";
import { decimal, list, significant } from "./format.ts";

/** A count as a fact or as a range: "1", "0.33 (0–1)". */
export function countText(count: Count | undefined): string {
  if (count === undefined) return "";
  if (count.exact) return number(count.perRequest);
  return `${number(count.perRequest)} (${number(count.min)}–${number(count.max)})`;
}

function number(value: number): string {
  return Number.isInteger(value) ? decimal(value) : significant(value);
}

/** True where a difference is more than two inexact counts brushing past each other. */
export function isClear({ base, head }: CensusDifference): boolean {
  return (base.exact && head.exact) || head.min > base.max || head.max < base.min;
}

/** What a scenario does more or less of, as a sentence that begins with "It"; "" where nothing is clear. */
export function explainCensus(differences: readonly CensusDifference[], ink: Ink): string {
  const clear = differences.filter(isClear);
  if (clear.length === 0) return "";
  const clauses = clear.map((difference) => clause(difference, ink));
  const causes = clear.map(cause).filter((text) => text !== "");
  return `It now ${list(clauses)}${causes.length === 0 ? "" : `: ${list(causes)}`}.`;
}

function clause({ count, base, head }: CensusDifference, ink: Ink): string {
  const was = `(was ${number(base.perRequest)})`;
  const amount = number(head.perRequest);
  const some = (one: string) =>
    `${ink.strong(`${amount} ${one}${head.perRequest === 1 ? "" : "s"} per request`)} ${was}`;
  switch (count) {
    case "sqlStatements":
      return `runs ${some("SQL statement")}`;
    case "dbConnections": {
      const rate = `${decimal(head.perRequest, 2)} new MySQL connection${head.perRequest > 1 ? "s" : ""} per request`;
      return `opens ${ink.strong(rate)} (was ${decimal(base.perRequest, 2)})`;
    }
    case "redisCommands":
      return `sends ${some("Redis command")}`;
    case "responseBytes":
      return `answers with ${ink.strong(`${decimal(head.perRequest)} bytes`)} (was ${decimal(base.perRequest)})`;
    default:
      return assertNever(count);
  }
}

/** A likely cause, always worded as likely: a count does not prove one. */
function cause({ count, base, head }: CensusDifference): string {
  const added = head.perRequest - base.perRequest;
  if (count === "dbConnections" && base.perRequest < 0.5 && head.perRequest >= 0.5) {
    return "a persistent connection was probably lost";
  }
  if (count === "sqlStatements" && added >= 3 && head.perRequest >= 2 * base.perRequest) {
    return "probably a query inside a loop (N+1)";
  }
  return "";
}

/** Order in which counts are shown. */
export const COUNTS: readonly CountName[] = ["sqlStatements", "dbConnections", "redisCommands", "responseBytes"];

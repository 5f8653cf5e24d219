import { median } from "./stats/robust.ts";

const DAY = 86_400_000;
/** Nights further back are not asked after. */
const LONGEST = 366;

export interface Nights {
  /** UTC dates (YYYY-MM-DD), ascending: a record was to be expected and there is none. Today is not over yet. */
  missing: string[];
  /** Dates at which a record was to be expected among the last 30 days, and how many of these are missing. */
  recent: { expected: number; missing: number };
  /** Whole days since the newest record; null without records. */
  daysSinceLast: number | null;
}

/**
 * Which nights have no record, since the first one and at most a year back. A record is expected as many days after
 * the one before as in the median, so that a weekly run misses no Tuesday.
 *
 * @param recordedAt ISO 8601, UTC, in any order
 * @param today ISO 8601, UTC
 */
export function nightsOf(recordedAt: readonly string[], today: string): Nights {
  const now = dayOf(today);
  const days = [...new Set(recordedAt.map(dayOf))].sort((a, b) => a - b);
  const last = days.at(-1);
  if (last === undefined) return { missing: [], recent: { expected: 0, missing: 0 }, daysSinceLast: null };
  const gaps = days.slice(1).map((day, i) => day - (days[i] ?? day));
  const interval = Math.max(1, Math.round(median(gaps)) || 1);
  const missing: number[] = [];
  for (const [i, day] of days.entries()) {
    const next = days[i + 1] ?? now;
    const oldest = Math.max(day, now - LONGEST - 1 - ((now - LONGEST - 1 - day) % interval));
    for (let expected = oldest + interval; expected < next; expected += interval) missing.push(expected);
  }
  const recently = (day: number) => day >= now - 30 && day < now;
  const late = missing.filter(recently).length;
  return {
    missing: missing.map((day) => new Date(day * DAY).toISOString().slice(0, 10)),
    recent: { expected: days.filter(recently).length + late, missing: late },
    daysSinceLast: Math.max(0, now - last),
  };
}

/** Days since the epoch, UTC. */
function dayOf(iso: string): number {
  return Math.floor(Date.parse(iso) / DAY);
}

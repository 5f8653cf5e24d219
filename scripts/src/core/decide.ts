import { normalQuantile, tCdf, tQuantile } from "./stats/distributions.ts";
import { FLOOR, median, scaledMad, winsorised } from "./stats/robust.ts";

/** Prior degrees of freedom of the moderated variance, where a pool is large enough to have a prior. */
const PRIOR_DF = 2;
/** Cells a pool needs before its median spread is used as a prior. */
const POOL_CELLS = 6;
/** Rounds a cell needs before its spread enters the pool. */
const POOL_ROUNDS = 4;
/** Rounds after which a cell that sits on its line is given up. */
const FUTILE_ROUNDS = 12;

/** What the error rates are shared by, and where the test is truncated. */
export interface Rule {
  /** K: every test of the run. */
  tests: number;
  /** N: rounds after which a test ends. */
  cap: number;
  /** Chance of any false red in the run. */
  alpha: number;
  /** Chance of a false green, per test. */
  beta: number;
  /** Rounds before which nothing is decided. */
  firstLook: number;
}

/** The spread that tests of one metric share. */
export interface Pool {
  /** s0: median robust sd over the pool; null = too few cells, each stands alone. */
  spread: number | null;
}

/** One look at one test. x is a signed log ratio minus the margin: 0 is the line, negative is worse. */
export type Look =
  | { verdict: "open"; n: number }
  | {
      verdict: "pass" | "regression" | "inconclusive" | "open";
      n: number;
      /** One-sided p of "worse than the line". */
      p: number;
      /** Winsorised mean of x and its standard error. */
      mean: number;
      se: number;
      df: number;
      /** Interval of the mean, in the units of x; wholly on one side of 0 exactly where the verdict is red or green. */
      low: number;
      high: number;
    };

/** Spread shared by the tests of one metric; `members` are their rounds so far, decided tests included. */
export function poolOf(members: readonly (readonly number[])[]): Pool {
  const grown = members.filter((rounds) => rounds.length >= POOL_ROUNDS);
  return { spread: grown.length >= POOL_CELLS ? median(grown.map(scaledMad)) : null };
}

/**
 * Nominal levels of one look for red and for green. The divisors stand for the many looks; they were calibrated by
 * simulation for caps of 12 to 30 rounds and 1 to 96 tests, with looks from round 4 on.
 */
function levels(rule: Rule, pooled: boolean): { fail: number; pass: number } {
  const stretch = Math.sqrt(rule.cap / 20);
  return {
    fail: rule.alpha / (rule.tests * (pooled ? 5.5 : 10) * stretch),
    pass: rule.beta / ((pooled ? 5.5 : 6.2) * stretch),
  };
}

/**
 * One look at one test: winsorised mean, variance moderated towards the pool's (Smyth 2004, limma's squeezeVar),
 * Student's t against the line, at levels of a truncated group-sequential test.
 *
 * @param x signed log ratios minus the margin, one per clean round
 */
export function look(x: readonly number[], pool: Pool, rule: Rule): Look {
  const n = x.length;
  if (n < rule.firstLook) return { verdict: "open", n };

  const pooled = pool.spread !== null;
  const priorDf = pooled ? PRIOR_DF : 0;
  const own = scaledMad(x);
  const prior = Math.max(FLOOR, pool.spread ?? own);
  const values = winsorised(x, Math.max(own, prior));
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const df = n - 1 + priorDf;
  const variance = Math.max((priorDf * prior ** 2 + squares) / df, (FLOOR / 2) ** 2);
  const se = Math.sqrt(variance / n);
  const p = tCdf(mean / se, df);
  const level = levels(rule, pooled);

  return {
    verdict: verdictAt(n, p, level, rule.cap),
    n,
    p,
    mean,
    se,
    df,
    low: mean - tQuantile(1 - level.pass, df) * se,
    high: mean + tQuantile(1 - level.fail, df) * se,
  };
}

function verdictAt(
  n: number,
  p: number,
  level: { fail: number; pass: number },
  cap: number,
): "pass" | "regression" | "inconclusive" | "open" {
  if (p <= level.fail) return "regression";
  if (1 - p <= level.pass) return "pass";
  if (n >= cap) return "inconclusive";
  const z = normalQuantile(Math.min(Math.max(p, 1e-12), 1 - 1e-12));
  return n >= FUTILE_ROUNDS && Math.abs(z) * Math.sqrt(cap / n) < 1 ? "inconclusive" : "open";
}

import { InputError } from "../core/errors.ts";

/**
 * For which verdicts a pull request gets a comment: any, all but a pass, a red one, or none. One that it has is always
 * kept up to date, as an old verdict would mislead.
 */
export const COMMENT_POLICIES = ["always", "on-change", "on-regression", "never"] as const;
export type CommentPolicy = (typeof COMMENT_POLICIES)[number];

export const DRIVERS = ["auto", "compose", "process", "url"] as const;

/** What a workflow says, as action.yml and the reusable workflows hand it over: `INPUT_<NAME>` in the environment. */
export interface Inputs {
  /** Path of the configuration below the checkout; null = the usual places. */
  config: string | null;
  /** Branch, tag or commit to compare with, or `stored`; null = what the event says. */
  base: string | null;
  driver: (typeof DRIVERS)[number];
  /** A duration such as 10m; null = the configuration's. */
  budget: string | null;
  /** Whether missing programs are installed. */
  install: boolean;
  /** Name of the artifact, of the work directory and of the comment: one per configuration. */
  artifact: string;
  /** Label that accepts a regression; null = none does. */
  acceptLabel: string | null;
  comment: CommentPolicy;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads every input; an absent or empty one has its default, which action.yml repeats.
 * @throws InputError with every problem, a line for each: the input, what is allowed, what came.
 */
export function readInputs(env: Env): Inputs {
  const problems: string[] = [];
  const text = (name: string): string | null => {
    const value = env[`INPUT_${name.replaceAll("-", "_").toUpperCase()}`]?.trim() ?? "";
    return value === "" ? null : value;
  };
  const matching = (name: string, pattern: RegExp, allowed: string): string | null => {
    const value = text(name);
    if (value !== null && !pattern.test(value)) problems.push(complaint(name, allowed, value));
    return value;
  };
  const oneOf = <T extends string>(name: string, values: readonly T[], otherwise: T): T => {
    const value = text(name);
    if (value === null) return otherwise;
    const found = values.find((allowed) => allowed === value);
    if (found === undefined) problems.push(complaint(name, values.join(", "), value));
    return found ?? otherwise;
  };

  const inputs: Inputs = {
    config: matching(
      "config",
      /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\p{Cc}]+$/u,
      "a path below the checkout, such as .github/perf-gate.yml",
    ),
    base: matching("base", /^[^-\p{Cc}\s][^\p{Cc}\s]*$/u, "a branch, tag or commit, such as main, or stored"),
    driver: oneOf("driver", DRIVERS, "auto"),
    budget: text("budget"),
    install: oneOf("install", ["true", "false"], "true") === "true",
    artifact: matching("artifact", /^[\w.-]{1,64}$/, "letters, digits, _, . and -, at most 64") ?? "perf-gate",
    acceptLabel: readLabel(text("accept-label"), problems),
    comment: oneOf("comment", COMMENT_POLICIES, "always"),
  };
  if (problems.length > 0) throw new InputError(problems.join("\n"));
  return inputs;
}

/** Name of the label that accepts a regression where nothing else is said. */
export const ACCEPT_LABEL = "perf-regression-accepted";

function readLabel(value: string | null, problems: string[]): string | null {
  if (value === "none") return null;
  if (value !== null && !/^[^\p{Cc},]{1,50}$/u.test(value)) {
    problems.push(complaint("accept-label", "the name of a label, at most 50 characters, or none", value));
  }
  return value ?? ACCEPT_LABEL;
}

function complaint(name: string, allowed: string, got: string): string {
  return `input ${name}: allowed is ${allowed}; got ${JSON.stringify(got.slice(0, 200))}`;
}

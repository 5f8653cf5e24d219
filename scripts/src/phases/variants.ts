import { show } from "../config/leaves.ts";
import { nearest } from "../config/suggest.ts";
import { perArm } from "../core/arms.ts";
import { InputError } from "../core/errors.ts";
import { ARMS, type Arm, type Config, type DriverName, type Plan, type Variant } from "../core/model.ts";
import { differingSettings, ownOf } from "../core/variants.ts";
import { type ArmOptions, fromPath } from "./arms.ts";
import { checkVariant, chooseDriver, wantedDriver } from "./driver.ts";
import { type Judge, judgeOf } from "./judge.ts";
import type { PlanOptions } from "./plan.ts";
import { STORED } from "./stored-base.ts";

const PREFIX = "variant=";

/** Name of the variant that is an arm; null for an arm that is something else. */
type Names = Record<Arm, string | null>;

/** The variants that `--base` and `--head` ask for; null where neither does. */
export function namedVariants({ base, head }: ArmOptions): Names | null {
  const name = (option = "") => (option.startsWith(PREFIX) ? option.slice(PREFIX.length) : null);
  const names = { base: name(base), head: name(head) };
  return names.base === null && names.head === null ? null : names;
}

/**
 * Two variants of one tree as arms, or one and the tree as it is: the directory that the other option names, else the
 * current one. Its configuration has the variants, and judges.
 *
 * @param warn told what a reader must know about arms that share a tree
 * @throws InputError where there is no such variant, the driver cannot start it, or the other option is no tree
 */
export async function variantArms(
  options: PlanOptions,
  names: Names,
  warn: (line: string) => void,
): Promise<{
  judge: Judge;
  arms: Plan["arms"];
  sameSource: boolean;
  driver: DriverName;
  own: NonNullable<Plan["own"]>;
}> {
  const { base, baseRef, head } = options;
  const instead = "give --base variant=NAME, or --base DIR for the tree as it is";
  if (base === STORED) throw new InputError(`--base stored: records are of commits, not of variants: ${instead}`);
  if (baseRef !== undefined) throw new InputError(`--base-ref: a variant is compared within one tree: ${instead}`);
  const flag = names.base === null ? "--base" : "--head";
  const other = names.base === null ? base : names.head === null ? head : undefined;
  const tree = await fromPath(flag, other ?? ".");
  if (tree.directory === null) throw new InputError(`${flag}: a variant is one of a tree, not of an image`);
  const judge = await judgeOf({ base: tree, head: tree }, options.config ?? null, warn);
  const { config } = judge;
  const wanted = perArm((arm) => {
    const name = names[arm];
    return name === null ? null : { name, variant: variantOf(config, name, `--${arm}`) };
  });
  const own: NonNullable<Plan["own"]> = {};
  for (const arm of ARMS) if (wanted[arm] !== null) own[arm] = ownOf(config, wanted[arm].variant);
  const targets = Object.values(own).map(({ target }) => target);
  const driver = await chooseDriver(wantedDriver(options.driver, config.target), config.target, targets);
  const arms = perArm((arm) => {
    const asked = wanted[arm];
    if (asked === null) return { ...tree, label: other ?? "no variant" };
    checkVariant(driver, `variants.${asked.name}`, asked.variant);
    return { ...tree, label: PREFIX + asked.name };
  });
  const sameSource = differingSettings({ config, own }).length === 0;
  if (driver === "process" && config.target.prepare.length > 0 && !sameSource) {
    warn(
      "target.prepare runs for both variants in the same tree: what it writes there, such as a cache of the " +
        "configuration, is the head's for both",
    );
  }
  return { judge, arms, sameSource, driver, own };
}

function variantOf({ variants = {} }: Config, name: string, flag: string): Variant {
  const found = Object.hasOwn(variants, name) ? variants[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(variants);
  if (known.length === 0) {
    throw new InputError(
      `${flag}: the configuration has no variants. Write for example variants: { jit: { php: { jit: tracing } } }`,
    );
  }
  const near = nearest(name, known);
  throw new InputError(
    `${flag}: allowed after variant= is one of ${known.join(", ")}; got ${show(name)}${near === null ? "" : `. Did you mean ${near}?`}`,
  );
}

import { findEngine, isUsable } from "../config/engine.ts";
import { targetOf } from "../core/arms.ts";
import { InputError } from "../core/errors.ts";
import { ARMS, assertNever, type DriverName, type Plan, type TargetConfig, type Variant } from "../core/model.ts";

type Wanted = DriverName | "auto";
const NAMES: readonly Wanted[] = ["auto", "compose", "process", "url"];

/** The driver that the command line or else the configuration asks for. @throws InputError for any other word. */
export function wantedDriver(option: string | undefined, target: TargetConfig): Wanted {
  const wanted = NAMES.find((name) => name === (option ?? target.driver));
  if (wanted !== undefined) return wanted;
  throw new InputError(`--driver: allowed are ${NAMES.join(", ")}; got ${JSON.stringify(option)}`);
}

/**
 * The driver of a run; Docker is asked only where that decides.
 * @param own how single arms are started instead
 * @throws InputError where the target needs something that this driver does not have.
 */
export async function chooseDriver(
  wanted: Wanted,
  target: TargetConfig,
  own: readonly TargetConfig[] = [],
): Promise<DriverName> {
  const settled = settledDriver(wanted, target, own);
  const driver = settled ?? (isUsable(await findEngine()) ? "compose" : "process");
  checkDriver(driver, target);
  return driver;
}

/** The driver where the configuration alone decides, else null: a Docker engine does. */
function settledDriver(wanted: Wanted, target: TargetConfig, own: readonly TargetConfig[]): DriverName | null {
  if (wanted !== "auto") return wanted;
  if (target.url !== null) return "url";
  if (target.compose !== null) return "compose";
  return [target, ...own].some((one) => programOfThisMachine(one) !== null) ? "process" : null;
}

/** The key that names a program of this machine, which no container has. */
function programOfThisMachine({ start, php }: TargetConfig): string | null {
  if (start !== null) return "target.start";
  return php.binary === null ? null : "target.php.binary";
}

function checkDriver(driver: DriverName, target: TargetConfig): void {
  const { compose, resources, links, url } = target;
  switch (driver) {
    case "compose": {
      const program = programOfThisMachine(target);
      if (compose !== null || program === null) return;
      throw needsThisMachine(program);
    }
    case "url":
      if (url === null) {
        throw new InputError("driver url: target.url.base and target.url.head must say where the two arms already run");
      }
      break;
    case "process":
      break;
    default:
      assertNever(driver);
  }
  const containers = Object.entries({
    "target.compose": compose !== null,
    "target.resources": resources !== null,
    "target.links": Object.keys(links).length > 0,
  }).find(([, there]) => there)?.[0];
  if (containers !== undefined) throw needsContainers(driver, containers);
}

/**
 * @param key where the variant stands in the file, such as "variants.jit"
 * @throws InputError where it sets what this driver does not have
 */
export function checkVariant(driver: DriverName, key: string, { php, start, resources, links }: Variant): void {
  switch (driver) {
    case "compose":
      if (start !== undefined && start !== null) throw needsThisMachine(`${key}.start`);
      if (php.binary !== undefined) throw needsThisMachine(`${key}.php.binary`);
      return;
    case "process":
      if (resources !== undefined) throw needsContainers(driver, `${key}.resources`);
      if (Object.keys(links).length > 0) throw needsContainers(driver, `${key}.links`);
      return;
    case "url":
      throw new InputError(
        `driver url: nothing is started here, so ${key} cannot be. Use driver compose or process, without target.url`,
      );
    default:
      assertNever(driver);
  }
}

function needsContainers(driver: DriverName, key: string): InputError {
  return new InputError(
    `driver ${driver}: ${key} needs containers. Use driver compose (\`perf-gate doctor --driver compose\` says ` +
      `what is missing for it), or remove ${key}`,
  );
}

function needsThisMachine(key: string): InputError {
  return new InputError(
    `driver compose: ${key} is for a program of this machine. Remove it, or write a compose file of your own ` +
      "and name it in target.compose",
  );
}

/** @throws InputError where an arm is an image and nothing says how it is started. */
export function checkImages(arms: Plan["arms"], driver: DriverName, { compose }: TargetConfig): void {
  const arm = ARMS.find((name) => arms[name].image !== null);
  if (arm === undefined || (driver === "compose" && compose !== null)) return;
  throw new InputError(
    `--${arm}: an image is started by a compose file of your own, with driver compose (here: ${driver}). ` +
      "Name the file in target.compose, with target.service and target.port; or give a directory",
  );
}

/** Why it is this driver; null where it was asked for by name. */
export function whyDriver(plan: Plan): string | null {
  const { driver } = plan;
  const { target } = plan.config;
  if (target.driver !== "auto") return null;
  if (target.url !== null) return "target.url is there";
  if (target.compose !== null) return "target.compose is there";
  if (driver === "compose") return "a Docker engine answers";
  const program = programOfThisMachine(target);
  if (program !== null) return `${program} is there`;
  for (const arm of ARMS) {
    const ofArm = programOfThisMachine(targetOf(plan, arm));
    if (ofArm !== null) return `${ofArm} of ${plan.arms[arm].label} is there`;
  }
  return "no Docker engine 25 or newer with Compose 2.24 and Buildx answers";
}

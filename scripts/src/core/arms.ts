import { ARMS, type Arm, type Asked, type Plan, type Scenario, type ServiceName, type TargetConfig } from "./model.ts";

type Arms = Pick<Plan, "config" | "own">;

/** Something of each arm. */
export function perArm<T>(make: (arm: Arm) => T): Record<Arm, T> {
  return { base: make("base"), head: make("head") };
}

/** How an arm is started: as it says itself, else as the configuration says. */
export function targetOf({ config, own }: Arms, arm: Arm): TargetConfig {
  return own?.[arm]?.target ?? config.target;
}

/** What an arm is asked in the cells of a scenario. */
export function askedOf({ own }: Pick<Plan, "own">, { work, checks }: Scenario, arm: Arm): Asked {
  return own?.[arm]?.asked ?? { work, checks };
}

/** Whether an arm is another application: then rates and counts of one tell nothing of the other. */
export function isOther({ own }: Pick<Plan, "own">): boolean {
  return ARMS.some((arm) => own?.[arm]?.asked !== undefined);
}

/** The services that one arm or the other needs. */
export function servicesOf(arms: Arms): ServiceName[] {
  return [...new Set(ARMS.flatMap((arm) => targetOf(arms, arm).services))];
}

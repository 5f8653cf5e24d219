import {
  ARMS,
  type Arm,
  type Asked,
  assertNever,
  type ConnectionPolicy,
  type Plan,
  type Scenario,
  type ServiceName,
  type TargetConfig,
  type Work,
} from "./model.ts";

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
  const { asked, query } = own?.[arm] ?? {};
  return asked ?? { work: query === undefined ? work : withQuery(work, query), checks };
}

/** A flow asks by itself. */
function withQuery(work: Work, query: string): Work {
  switch (work.kind) {
    case "request":
      return { ...work, path: extended(work.path, query) };
    case "mix":
      return {
        ...work,
        entries: work.entries.map((entry) => ({
          ...entry,
          request: { ...entry.request, path: extended(entry.request.path, query) },
        })),
      };
    case "flow":
      return work;
    default:
      return assertNever(work);
  }
}

/** PHP takes the last of two parameters of the same name. */
function extended(path: string, query: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

/** Whether an arm keeps its connections in the cells of a scenario. */
export function connectionOf(
  { own }: Pick<Plan, "own">,
  { connection }: Pick<Scenario, "connection">,
  arm: Arm,
): ConnectionPolicy {
  return own?.[arm]?.connection ?? connection;
}

/** Whether an arm is another application: then rates and counts of one tell nothing of the other. */
export function isOther({ own }: Pick<Plan, "own">): boolean {
  return ARMS.some((arm) => own?.[arm]?.asked !== undefined);
}

/** The services that one arm or the other needs. */
export function servicesOf(arms: Arms): ServiceName[] {
  return [...new Set(ARMS.flatMap((arm) => targetOf(arms, arm).services))];
}

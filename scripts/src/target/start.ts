import { assertNever } from "../core/model.ts";
import { startCompose } from "./compose/index.ts";
import { startProcesses } from "./process/index.ts";
import type { StartTarget } from "./target.ts";
import { startUrl } from "./url.ts";

/** Starts the target with the plan's driver. */
export const startTarget: StartTarget = (options) => {
  switch (options.plan.driver) {
    case "compose":
      return startCompose(options);
    case "process":
      return startProcesses(options);
    case "url":
      return startUrl(options);
    default:
      return assertNever(options.plan.driver);
  }
};

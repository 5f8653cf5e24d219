import { InputError } from "../core/errors.ts";
import { assertNever } from "../core/model.ts";
import { startCompose } from "./compose/index.ts";
import { startProcesses } from "./process/index.ts";
import type { StartTarget } from "./target.ts";
import { startUrl } from "./url.ts";

/** Starts the target with the plan's driver. */
export const startTarget: StartTarget = async (options) => {
  const { driver, config } = options.plan;
  if (config.measure.generator === "container" && driver !== "compose") {
    throw new InputError(
      `measure.generator: container is for driver compose, here the driver is ${driver}. Write generator: auto.`,
    );
  }
  switch (driver) {
    case "compose":
      return startCompose(options);
    case "process":
      return startProcesses(options);
    case "url":
      return startUrl(options);
    default:
      return assertNever(driver);
  }
};

import { InputError, MeasureError } from "../core/errors.ts";
import { ARMS, type Arm } from "../core/model.ts";
import { waitUntilHealthy } from "./health.ts";
import type { StartTarget } from "./target.ts";

/** Driver `url`: both arms already run somewhere; nothing is started, restarted, counted or stopped. */
export const startUrl: StartTarget = async ({ plan, progress, signal }) => {
  if (plan.own !== undefined) {
    throw new InputError(
      "driver url: nothing is started, so one version cannot be started in another way. Use compose or process",
    );
  }
  const { host, healthPath, url: urls } = plan.config.target;
  if (urls === null) throw new MeasureError("driver url needs target.url.base and target.url.head");
  const url = (arm: Arm): string => urls[arm].replace(/\/+$/, "");
  const target = {
    url,
    hostUrl: async (arm: Arm) => url(arm),
    generator: null,
    warnings: [],
    host: () => host,
    async restart() {
      for (const arm of ARMS) {
        await waitUntilHealthy({
          arm,
          url: url(arm) + healthPath,
          host,
          selfSigned: false,
          signal,
          stillAlive: () => {},
          evidence: () => "",
        });
      }
    },
    php: async () => null,
    versions: async () => ({}),
    usage: () => null,
    servicesUsage: () => null,
    front: async () => null,
    counters: async () => ({}),
    roots: () => [],
    namespaces: () => [],
    alive: () => true,
    close: async () => {},
  };
  progress("checking that both URLs answer");
  await target.restart();
  return target;
};

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  ARMS,
  assertNever
} from "./shared-model.js";

// scripts/src/core/arms.ts
function perArm(make) {
  return { base: make("base"), head: make("head") };
}
function targetOf({ config, own }, arm) {
  return own?.[arm]?.target ?? config.target;
}
function askedOf({ own }, { work, checks }, arm) {
  const { asked, query } = own?.[arm] ?? {};
  return asked ?? { work: query === void 0 ? work : withQuery(work, query), checks };
}
function withQuery(work, query) {
  switch (work.kind) {
    case "request":
      return { ...work, path: extended(work.path, query) };
    case "mix":
      return {
        ...work,
        entries: work.entries.map((entry) => ({
          ...entry,
          request: { ...entry.request, path: extended(entry.request.path, query) }
        }))
      };
    case "flow":
      return work;
    default:
      return assertNever(work);
  }
}
function extended(path, query) {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}
function connectionOf({ own }, { connection }, arm) {
  return own?.[arm]?.connection ?? connection;
}
function isOther({ own }) {
  return ARMS.some((arm) => own?.[arm]?.asked !== void 0);
}
function servicesOf(arms) {
  return [...new Set(ARMS.flatMap((arm) => targetOf(arms, arm).services))];
}

export {
  perArm,
  targetOf,
  askedOf,
  connectionOf,
  isOther,
  servicesOf
};

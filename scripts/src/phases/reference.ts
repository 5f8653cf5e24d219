import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../config/load.ts";
import type { ArmSource, Asked, OwnConfig, TargetConfig } from "../core/model.ts";
import { type Anchor, REFERENCE } from "../core/record.ts";

/** Five queries by primary key over a connection that stays: PHP, MySQL and the way between them, as most services are. */
const ASKED: Asked = {
  work: { kind: "request", method: "GET", path: "/queries?n=5&connection=persistent", headers: {}, body: null },
  checks: { status: [200], bodyContains: null },
};
/** As many connections as the kernel lets wait: a level that suits a larger service must not turn requests away here. */
const BACKLOG = 4096;

/** The bundled reference application as what a service is compared with: it is the same at every commit of the service. */
export interface ReferenceAnchor {
  source: ArmSource;
  /** Its id is a SHA-256 over its files and what it is asked. */
  anchor: Anchor;
  /** How it is started and asked beside this service: on the same PHP, for the rest as its own configuration says. */
  own(service: TargetConfig): OwnConfig;
}

/** @param home repository root of perf-gate */
export async function referenceAnchor(home: string): Promise<ReferenceAnchor> {
  const directory = join(home, "fixtures", "app");
  const { config } = await loadConfig(null, directory);
  const { target } = config;
  return {
    source: { label: REFERENCE, directory, commit: null, repository: null, image: null },
    anchor: { label: REFERENCE, id: `sha256:${digestOf(directory)}` },
    own: ({ php: { version, binary } }) => ({
      target: { ...target, php: { ...target.php, version, binary, backlog: BACKLOG } },
      asked: ASKED,
    }),
  };
}

function digestOf(directory: string): string {
  const hash = createHash("sha256").update(JSON.stringify(ASKED));
  // A work directory is no part of it.
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) => !path.startsWith("."));
  for (const path of paths.toSorted()) {
    const file = join(directory, path);
    if (statSync(file).isFile()) hash.update(`\0${path}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

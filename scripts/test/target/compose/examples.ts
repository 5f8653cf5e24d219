import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ProjectOptions } from "../../../src/target/compose/project.ts";
import type { ComposeModel } from "../../../src/target/compose/types.ts";

export const EXAMPLES = ["awkward", "laravel", "symfony"] as const;
export type Example = (typeof EXAMPLES)[number];

const HERE = fileURLToPath(new URL(".", import.meta.url));
export const goldenPath = (name: string): string => `${HERE}golden/${name}.json`;

/** The file as compose 2.40 resolved it in the tree /tree. */
export const example = (name: Example): ComposeModel => JSON.parse(readFileSync(goldenPath(name), "utf8"));

function versionOf(...args: string[]): string | null {
  try {
    return execFileSync("docker", args, { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return null;
  }
}

/** "2.40.3", or null where there is no compose plugin. No engine is asked. */
export const composeVersion = (): string | null => versionOf("compose", "version", "--short");
export const buildxVersion = (): string | null => versionOf("buildx", "version");

/** What the compose plugin says of a file now, its tree called /tree. */
export function resolved(name: Example): ComposeModel {
  const tree = `${HERE}files/${name}`;
  const args = ["compose", "--project-directory", tree, "-f", `${tree}/compose.yaml`, "config", "--format", "json"];
  return JSON.parse(execFileSync("docker", args, { encoding: "utf8", stdio: "pipe" }).replaceAll(tree, "/tree"));
}

export const LABELS = { "perf-gate": "k3", "perf-gate.owner": "ci:7:99" };

const COMMON = {
  id: "k3",
  labels: LABELS,
  cpus: { target: [1, 2], services: [3] },
  resources: null,
  links: {},
  image: null,
};

/** How each example would be configured. */
export const OPTIONS: Record<Example, Omit<ProjectOptions, "arm">> = {
  awkward: { ...COMMON, service: "app", targetServices: ["app"], shared: [] },
  laravel: { ...COMMON, service: "laravel.test", targetServices: ["laravel.test"], shared: ["mysql", "redis"] },
  symfony: { ...COMMON, service: "nginx", targetServices: ["php"], shared: ["database"] },
};

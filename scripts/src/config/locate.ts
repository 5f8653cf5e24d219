import { defaultName } from "./scenario-schema.ts";
import { isMapping } from "./shapes.ts";
import { readYaml } from "./yaml.ts";

/** Line (from 1) of each scenario in the text of a configuration, by name; empty where it cannot be read. */
export function scenarioLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const yaml = readYaml(text);
  if (Array.isArray(yaml)) return lines;
  const scenarios = isMapping(yaml.data) ? yaml.data["scenarios"] : null;
  if (!Array.isArray(scenarios)) return lines;
  for (const [index, scenario] of scenarios.entries()) {
    if (!isMapping(scenario)) continue;
    const name = scenario["name"] ?? defaultName(scenario);
    if (typeof name === "string") lines.set(name, yaml.locate(["scenarios", index]).line);
  }
  return lines;
}

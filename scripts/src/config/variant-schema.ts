import * as z from "zod";
import { composeKeys } from "./compose-schema.ts";
import { text, UNPRINTABLE } from "./leaves.ts";
import { checkNginx, nginxKeys } from "./nginx-schema.ts";
import { connection } from "./scenario-schema.ts";
import { isMapping, mappingOf, type Raw, type Report, section } from "./shapes.ts";
import { checkJit, checkLinks, checkReferences, env, phpKeys, startCommand } from "./target-schema.ts";

/** Settings in place of those of `target` and of every scenario. */
export const variant = section({
  env: env.prefault({}).describe("Environment variables, in addition to those of target.env or in their place."),
  php: section(z.object(phpKeys).partial().shape)
    .prefault({})
    .describe("Settings of php-fpm in place of those of target.php; `ini` in addition to its own."),
  nginx: section(z.object(nginxKeys).partial().shape)
    .optional()
    .describe("Settings of nginx in place of those of target.nginx."),
  start: startCommand
    .nullable()
    .optional()
    .describe(
      "Command of a server in place of php-fpm and nginx, or of target.start. Of `php` only `workers` goes with it: " +
        "how many requests it handles at once; so many warm it up. `null` is php-fpm where target.start is another " +
        "server. Driver `process` only.",
    ),
  resources: composeKeys.resources,
  links: composeKeys.links,
  connection: connection.optional().describe("In place of `connection` of every scenario."),
  query: text({
    allowed: "parameters such as a=1&b=2, without ? and without spaces",
    accept: (value) => /^[^\s?#&]+(&[^\s?#&]+)*$/.test(value) && !UNPRINTABLE.test(value),
    fix: "Write for example connection=short.",
    json: { writtenExamples: ["connection=short"] },
  })
    .optional()
    .describe("Parameters that every request has in addition; PHP takes the last of two of the same name."),
});

/** Named sets of settings, two of which can be compared. */
export const variants = mappingOf(variant, {
  allowed: "the name of a variant: letters, digits, - and _",
  pattern: /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/,
  example: "jit: {php: {jit: tracing}}",
});

/** The variants of a file as they are written, and where: those with a name, and the levels of a matrix. */
export function variantsIn(data: Raw): { path: string[]; settings: Raw }[] {
  const { variants: named, matrix } = data;
  const factors = isMapping(matrix) ? matrix["factors"] : undefined;
  return [
    ...below(["variants"], named),
    ...Object.entries(isMapping(factors) ? factors : {}).flatMap(([factor, levels]) =>
      below(["matrix", "factors", factor], levels),
    ),
  ];
}

function below(path: string[], mapping: unknown): { path: string[]; settings: Raw }[] {
  return Object.entries(isMapping(mapping) ? mapping : {}).flatMap(([name, settings]) =>
    isMapping(settings) ? [{ path: [...path, name], settings }] : [],
  );
}

/** Of a variant that says something of nginx or of what is behind it, over what the target says. */
function checkNginxOf({ nginx, start }: Raw, target: Raw, report: Report): void {
  if (!isMapping(target["nginx"]) || (nginx ?? start) === undefined) return;
  const merged = { ...target["nginx"], ...(isMapping(nginx) ? nginx : {}) };
  checkNginx({ nginx: merged, start: start === undefined ? target["start"] : (start ?? undefined) }, report);
}

/** What in a variant does not go together with the rest of the file, which is as zod hands it on. */
export function checkVariants(file: Raw, report: Report): void {
  const { target: rest, scenarios } = file;
  if (!isMapping(rest)) return;
  const flows = Array.isArray(scenarios) && scenarios.some((one) => isMapping(one) && one["flow"] !== undefined);
  for (const { path: place, settings } of variantsIn(file)) {
    const inside: Report = (path, message, at) => report([...place, ...path], message, at);
    checkReferences({ ...rest, env: settings["env"] }, inside);
    checkLinks({ ...rest, links: settings["links"] }, inside);
    const own = isMapping(settings["php"]) ? settings["php"] : {};
    if (isMapping(rest["php"]) && (own["jit"] ?? own["opcache"]) !== undefined) {
      checkJit({ ...rest["php"], ...own }, (path, message) => inside(["php", ...path], message));
    }
    checkNginxOf(settings, rest, inside);
    const server = serverOf(settings, rest);
    for (const key of server === null ? [] : Object.keys(own).filter((name) => name !== "workers")) {
      const fix = `Say it in that command or in env, and remove ${key}.`;
      inside(["php", key], `belongs to php-fpm; ${server} is another server. ${fix}`, "key");
    }
    if (settings["query"] !== undefined && flows) {
      inside(["query"], "a flow of the scenarios makes its requests itself. Say it in env, and remove query.", "key");
    }
  }
}

/** The key that names a server in place of php-fpm, or null. */
function serverOf({ start }: Raw, target: Raw): string | null {
  if (start !== undefined) return start === null ? null : "start";
  return target["start"] === undefined ? null : "target.start";
}

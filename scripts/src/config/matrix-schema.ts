import { flag, number, oneOf, text } from "./leaves.ts";
import { ALWAYS, isMapping, mappingOf, printable, section } from "./shapes.ts";
import { variant } from "./variant-schema.ts";

/** A mapping's whole numbers would come before its other keys, and the first level is the reference. */
const levels = mappingOf(variant, {
  allowed: "the name of a level: letters, digits, ., - and _, and not digits alone",
  pattern: /^(?!\d+$)[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/,
  example: "short: {query: connection=short}",
});

/** A grid of variants; see core/matrix.ts. */
export const matrix = section({
  tree: text({
    allowed: "a directory, relative to this file",
    accept: printable(500),
    fix: "Write for example tree: ../app.",
    json: { writtenExamples: ["../app"] },
  })
    .optional()
    .describe("The application, relative to this file. Default: the current directory."),
  design: oneOf(["full", "one-at-a-time", "stages"])
    .prefault("full")
    .describe(
      "Which levels are combined: `full` (each with each), `one-at-a-time` (each with the first of the others). " +
        "`stages`: the levels of one factor, each of which adds to the one before; what each adds is told as well.",
    ),
  rounds: number({ min: 3, max: 60, example: "8" }).prefault(8).describe("Clean rounds of every cell at every point."),
  timings: flag()
    .prefault(false)
    .describe(
      "Whether a table says where the time of a request goes: to connect, for the TLS handshake, to wait, to receive.",
    ),
  factors: mappingOf(levels, {
    allowed: "the name of a factor: letters, digits, - and _, beginning with a letter",
    pattern: /^[A-Za-z][A-Za-z0-9_-]{0,49}$/,
    example: "connection: {short: {query: connection=short}, persistent: {query: connection=persistent}}",
  })
    .prefault({})
    .describe("What is varied: for each factor its levels, the first of which is the reference. A level is a variant."),
}).superRefine((written, context) => {
  if (!isMapping(written) || written["design"] !== "stages" || !isMapping(written["factors"])) return;
  const factors = Object.values(written["factors"]);
  const [only] = factors;
  const count = isMapping(only) ? Object.keys(only).length : 0;
  if (factors.length === 1 && count > 1) return;
  const got = factors.length === 1 ? `one with ${count}` : `${factors.length} factors`;
  const message =
    `expected one factor with two or more levels beside design: stages; got ${got}. ` +
    "Make one factor of all stages, or write design: full.";
  context.addIssue({ code: "custom", path: ["design"], message });
}, ALWAYS);

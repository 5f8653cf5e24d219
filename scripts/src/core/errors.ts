/** Bad input: nothing was started or lost. Exit status 2. The message names the key, what was allowed, what came, the fix. */
export class InputError extends Error {
  override name = "InputError";
}

/** The measurement could not be made: a dead service, a failing prepare command, no space. Exit status 4. */
export class MeasureError extends Error {
  override name = "MeasureError";
}

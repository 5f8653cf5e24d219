import { InputError } from "../core/errors.ts";

/** A store that cannot be reached or written. What is in it stays as it is; the message says what is missing. */
export class StoreError extends InputError {
  override name = "StoreError";
}

import { InputError } from "../core/errors.ts";

/** A store that cannot be reached or written. What is in it stays as it is; the message says what is missing. */
export class StoreError extends InputError {
  override name = "StoreError";
}

/** A branch of records is one of the origin of a repository, and there is none. */
export class NoOriginError extends InputError {
  override name = "NoOriginError";
}

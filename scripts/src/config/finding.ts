/** One thing that measuring needs or is better with. */
export interface Finding {
  name: string;
  /** `optional`: measuring works without it, with less in the report or wider intervals. */
  needed: "required" | "optional";
  /** Version and path, or amount; null where it is missing or not enough. */
  found: string | null;
  /** What there is in its place; null where it is there, or nothing is. */
  instead: string | null;
  wanted: string;
  /** A command line or a sentence. */
  fix: string;
}

/** A finding; `instead` is null where it is not given. */
export function finding(values: Omit<Finding, "instead"> & { instead?: string | null }): Finding {
  return { instead: null, ...values };
}

/** A finding from what is there and whether that is enough. */
export function judged(
  there: string | null,
  enough: boolean,
  rest: Pick<Finding, "name" | "needed" | "wanted" | "fix">,
): Finding {
  return finding({ ...rest, found: enough ? there : null, instead: enough ? null : there });
}

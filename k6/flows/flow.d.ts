/** Where a flow sends its requests: one arm of the comparison. */
export interface Target {
  /** e.g. http://127.0.0.1:40123, without trailing slash. */
  url: string;
  /** What the Host header says. */
  host: string;
  /** Host, the scenario's connection policy, the trace where there is one: they go with every request. */
  headers: Record<string, string>;
}

/** "5%" as a ratio (0.05); null where the text is no non-negative percentage. */
export function parsePercent(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,6})?)%$/.exec(text);
  return match ? Number(match[1]) / 100 : null;
}

/** "1h", "10m", "1m30s", "1.5s", "300ms" in milliseconds; null where the text is no duration. */
export function parseDurationMs(text: string): number | null {
  const number = "(\\d{1,6}(?:\\.\\d{1,6})?)";
  const match = new RegExp(`^(?:${number}h)?(?:${number}m)?(?:${number}s)?(?:${number}ms)?$`).exec(text);
  if (!match || text === "") return null;
  const [, h = "0", m = "0", s = "0", ms = "0"] = match;
  // Whole microseconds: 0.1 s + 0.2 s must not become 300.00000000000006 ms.
  return Math.round((Number(h) * 3_600_000 + Number(m) * 60_000 + Number(s) * 1000 + Number(ms)) * 1000) / 1000;
}

const BYTE_UNITS: Record<string, number> = { "": 1, B: 1, kB: 1e3, KiB: 1024, MB: 1e6, MiB: 1024 ** 2 };

/** "1000", "10kB", "64KiB", "2MiB" in bytes; null where the text is no whole number of bytes. */
export function parseBytes(text: string): number | null {
  const match = /^(\d{1,12}(?:\.\d{1,3})?)(B|kB|KiB|MB|MiB)?$/.exec(text);
  if (!match) return null;
  const bytes = Number(match[1]) * (BYTE_UNITS[match[2] ?? ""] ?? Number.NaN);
  return Number.isInteger(bytes) ? bytes : null;
}

const MEMORY_UNITS: Record<string, number> = { M: 1024 ** 2, G: 1024 ** 3 };

/** "512M", "2G", "1.5G" in bytes, as Docker counts them (1024); null where the text is no whole number of bytes. */
export function parseMemory(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)([MG])$/.exec(text);
  if (!match) return null;
  const bytes = Number(match[1]) * (MEMORY_UNITS[match[2] ?? ""] ?? Number.NaN);
  return Number.isInteger(bytes) ? bytes : null;
}

/** A ratio as a percentage: 0.05 -> "5%". */
export function formatPercent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(6))}%`;
}

/** Milliseconds as parseDurationMs reads them: 90000 -> "1m30s", 300 -> "300ms", 1500 -> "1.5s". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = Number(((ms % 60_000) / 1000).toFixed(3));
  return `${hours > 0 ? `${hours}h` : ""}${minutes > 0 ? `${minutes}m` : ""}${seconds > 0 ? `${seconds}s` : ""}`;
}

/**
 * Oldest versions that driver compose works with: `start_interval` of health checks came with engine 25,
 * `docker compose config` is as we need it from 2.24 on. scripts/engine.sh says the same.
 */
export const OLDEST_ENGINE = { engine: "25.0", compose: "2.24", buildx: "0.12" } as const;

/**
 * Whether a version as Docker or Debian write it, "v2.40.3" or "28.5.2+dfsg4", is new enough. null: there is none. One
 * that cannot be read is of a build from source, and counts as new.
 */
export function isAtLeast(version: string | null, minimum: string): boolean {
  if (version === null) return false;
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number.parseFloat);
  const [wantedMajor = 0, wantedMinor = 0] = minimum.split(".").map(Number);
  return Number.isNaN(major) || major > wantedMajor || (major === wantedMajor && !(minor < wantedMinor));
}

/**
 * Oldest versions that driver compose works with: `start_interval` of health checks came with engine 25,
 * `docker compose config` is as we need it from 2.24 on. scripts/engine.sh says the same.
 */
export const OLDEST_ENGINE = { engine: "25.0", compose: "2.24", buildx: "0.12" } as const;

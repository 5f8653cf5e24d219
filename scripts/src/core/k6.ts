/** The k6 that perf-gate is tested with, as a program and as an image. scripts/setup.sh and docker/offline say the same. */
export const K6_VERSION = "1.8.1";
export const K6_IMAGE = `grafana/k6:${K6_VERSION}`;

import { createHash } from "node:crypto";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { type HistoryRecord, type RecordFigure, recordId } from "../src/core/record.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const DAY = 86_400_000;

/** A generator from a seed; its first numbers, which hardly depend on a small seed, are thrown away. */
export function randomFrom(seed: number): ReturnType<typeof xoroshiro128plus> {
  const random = xoroshiro128plus(seed);
  for (let i = 0; i < 64; i++) random.next();
  return random;
}

/** Normal deviates from a seed, the same on every machine (Box and Muller). */
export function normals(seed: number): () => number {
  const random = randomFrom(seed);
  return () => {
    const radius = Math.sqrt(-2 * Math.log(1 - uniformFloat64(random)));
    return radius * Math.cos(2 * Math.PI * uniformFloat64(random));
  };
}

export interface Synthetic {
  /** Records, one a night from 2026-01-01 on. */
  nights: number;
  cells?: readonly string[];
  seed?: number;
  /** sd of ln(head/anchor) from night to night. */
  noise?: number;
  /** Log of QPS head/anchor in a night of a cell; the p99 is its inverse. */
  level?: (night: number, cell: string) => number;
  /** Changes one record before its id is made; null leaves the night out. */
  change?: (record: HistoryRecord, night: number) => HistoryRecord | null;
}

/** A history of one branch with one commit a night, oldest first. */
export function history(options: Synthetic): HistoryRecord[] {
  const {
    nights,
    cells = ["home @20"],
    seed = 1,
    noise = 0.02,
    level = () => 0,
    change = (record) => record,
  } = options;
  const normal = normals(seed);
  const start = Date.parse("2026-01-01T02:00:00Z");
  const records: HistoryRecord[] = [];
  for (let night = 0; night < nights; night++) {
    const changed = change(
      {
        version: 1,
        id: "",
        recordedAt: new Date(start + night * DAY).toISOString(),
        commit: createHash("sha1").update(`commit ${night}`).digest("hex"),
        committedAt: new Date(start + night * DAY - 36_000_000).toISOString(),
        branch: "main",
        url: `https://github.com/o/r/actions/runs/${1000 + night}`,
        anchor: { label: "v1.4.0", id: sha256("v1.4.0").slice(0, 40) },
        conditions: {
          must: { driver: "compose", cpuModel: "EPYC 7763", logicalCpus: 4, php: "8.4", k6: "1.8" },
          also: { kernel: "6.11.0", os: "Ubuntu 24.04", k6: "1.8.0", php: "8.4.11" },
        },
        cells: cells.map((id) => {
          const z = level(night, id);
          return {
            id,
            connection: "keep-alive" as const,
            suite: sha256(id).slice(0, 12),
            qps: figure(400, z + noise * normal()),
            latency: { ...figure(25, -z + noise * normal()), statistic: "p99" as const },
          };
        }),
        census: [],
      },
      night,
    );
    if (changed !== null) records.push({ ...changed, id: recordId(changed, sha256) });
  }
  return records;
}

function figure(anchor: number, logRatio: number): RecordFigure {
  return { head: anchor * Math.exp(logRatio), anchor, logRatio, sd: 0.02, rounds: 8 };
}

/** Edit distance with neighbouring letters swapped as one edit (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const substitution = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(at(i - 1, j) + 1, (row[j - 1] ?? 0) + 1, substitution, swapped ? at(i - 2, j - 2) + 1 : 99));
    }
  }
  return at(a.length, b.length);
}

/** maxQpsDrop, max_qps_drop and Max-QPS-Drop are all max-qps-drop. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** The word somebody who wrote `written` probably meant, or null where none is near. */
export function nearest(written: string, words: readonly string[]): string | null {
  const short = plain(written).slice(0, 60);
  let best: string | null = null;
  let least = Math.max(1, Math.floor(short.length / 3)) + 1;
  for (const word of words) {
    const d = distance(short, plain(word));
    if (d < least) {
      least = d;
      best = word;
    }
  }
  return best;
}

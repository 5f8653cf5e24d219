/**
 * Interval of the median that holds for any distribution, from the order of the values: the k-th from below and above,
 * with the largest k for which 2 P(Bin(n, 1/2) < k) <= 5% (David and Nagaraja, Order Statistics, 7.1). null with fewer
 * than six values, which do not reach 95%.
 */
export function medianInterval(values: readonly number[]): { low: number; high: number } | null {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  let [k, below, term] = [0, 0, 0.5 ** n];
  while (2 * (below + term) <= 0.05) {
    below += term;
    term *= (n - k) / (k + 1);
    k++;
  }
  const [low, high] = [sorted[k - 1], sorted[n - k]];
  return low === undefined || high === undefined ? null : { low, high };
}

/** The exponent e of value = c size^e: slope of the least-squares line through the logarithms. 1 = grows as the size. */
export function growthExponent(sizes: readonly number[], values: readonly number[]): number {
  const mean = (logs: readonly number[]) => logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const [x, y] = [sizes.map(Math.log), values.map(Math.log)];
  const [meanX, meanY] = [mean(x), mean(y)];
  const products = x.map((log, i) => (log - meanX) * ((y[i] ?? Number.NaN) - meanY));
  const squares = x.map((log) => (log - meanX) ** 2);
  return mean(products) / mean(squares);
}

import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  NO_ANCHOR,
  REFERENCE
} from "./shared-plan.js";
import {
  FLOOR,
  median,
  tCdf,
  tQuantile
} from "./shared-replay.js";

// scripts/src/core/series.ts
function seriesOf(records) {
  const commits = commitsOf(records);
  const series = /* @__PURE__ */ new Map();
  for (const { place, records: own } of commits) {
    const byKey = /* @__PURE__ */ new Map();
    for (const record of own) {
      for (const entry of entriesOf(record)) {
        const entries = byKey.get(entry.key);
        if (entries === void 0) byKey.set(entry.key, [entry]);
        else entries.push(entry);
      }
    }
    for (const [key, entries] of byKey) {
      const [{ cell, metric, likeness }] = entries;
      const known = series.get(key);
      const one = known ?? { cell, metric, likeness, absolute: likeness.anchor.id === NO_ANCHOR, points: [] };
      if (known === void 0) series.set(key, one);
      one.points.push(pointOf(place, entries));
    }
  }
  return { commits, series: [...series.values()] };
}
function commitsOf(records) {
  const dated = records.map((record) => ({ record, at: Date.parse(record.recordedAt) }));
  dated.sort((a, b) => a.at - b.at || (a.record.id < b.record.id ? -1 : 1));
  const commits = /* @__PURE__ */ new Map();
  for (const { record } of dated) {
    const known = commits.get(record.commit);
    if (known !== void 0) known.records.push(record);
    else commits.set(record.commit, { place: commits.size, commit: record.commit, records: [record] });
  }
  return [...commits.values()];
}
function entriesOf(record) {
  const { anchor, conditions } = record;
  const { driver, cpuModel, logicalCpus, php, k6 } = conditions.must;
  const shared = JSON.stringify([anchor.id, driver, cpuModel, logicalCpus, php, k6]);
  const at2 = Date.parse(record.recordedAt);
  const figures = record.cells.flatMap(({ id, suite, qps, latency }) => [
    { id, suite, metric: "qps", figure: qps, statistic: "qps" },
    { id, suite, metric: "latency", figure: latency, statistic: latency?.statistic ?? "p99" }
  ]);
  return figures.flatMap(({ id, suite, metric, figure, statistic }) => {
    if (figure === null) return [];
    const key = JSON.stringify([id, metric, suite, statistic, shared]);
    return [{ key, at: at2, cell: id, metric, likeness: { anchor, must: conditions.must, suite, statistic }, figure }];
  });
}
function pointOf(place, entries) {
  const n = entries.length;
  const known = entries.every(({ figure }) => figure.rounds >= 2);
  let z = 0;
  let variance = 0;
  let df = 0;
  for (const { figure } of entries) {
    z += figure.logRatio;
    if (!known) continue;
    variance += Math.max(figure.sd, FLOOR) ** 2 / figure.rounds;
    df += figure.rounds - 1;
  }
  const newest = entries.at(-1)?.figure;
  return {
    place,
    at: entries[0]?.at ?? Number.NaN,
    z: z / n,
    se: Math.sqrt(variance) / n,
    df,
    head: newest?.head ?? Number.NaN,
    anchor: newest?.anchor ?? Number.NaN
  };
}

// scripts/src/core/stats/steps.ts
var WINDOW = 50;
var FEWEST = 3;
var LENIENCE = 10;
var AROUND = 5;
var REACH = 2.5;
function settled(values) {
  const differences = values.slice(1).map((value, i) => Math.abs(value - (values[i] ?? value)));
  const reach = REACH * Math.max(FLOOR, 1.4826 * median(differences) / Math.SQRT2 || 0);
  return values.map((value, i) => {
    const from = Math.max(0, Math.min(i - (AROUND >> 1), values.length - AROUND));
    const usual = median(values.slice(from, from + AROUND));
    return Math.min(Math.max(value, usual - reach), usual + reach);
  });
}
var Stretches = class {
  length;
  /** The values with those that stand alone pulled in: what means and tests are made of. */
  calm;
  #raw;
  #rawSums;
  #sums;
  #squares;
  /** Taken off first, so that squares do not cancel. */
  #offset;
  constructor(values) {
    this.length = values.length;
    this.calm = settled(values);
    this.#raw = values;
    this.#offset = this.calm[0] ?? 0;
    this.#rawSums = runningSums(values);
    const centred = this.calm.map((value) => value - this.#offset);
    this.#sums = runningSums(centred);
    this.#squares = runningSums(centred.map((value) => value * value));
  }
  /** Mean of [from, to) and the sum of squares around it. */
  of(from, to) {
    const n = to - from;
    const sum = at(this.#sums, to) - at(this.#sums, from);
    const squares = at(this.#squares, to) - at(this.#squares, from) - sum * sum / n;
    return { n, mean: this.#offset + sum / n, squares: Math.max(0, squares) };
  }
  /** [from, index) against [index, to): Student's t with the variance of both sides; p = 1 where one is no level. */
  step(from, index, to) {
    const before = this.of(from, index);
    const after = this.of(index, to);
    const df = before.n + after.n - 2;
    const change = after.mean - before.mean;
    if (!this.#isLevel([from, index], [index, to]) || !this.#isLevel([index, to], [from, index])) {
      return { index, change, se: Number.POSITIVE_INFINITY, df, p: 1 };
    }
    const variance = Math.max((before.squares + after.squares) / df, (FLOOR / 2) ** 2);
    const se = Math.sqrt(variance * (1 / before.n + 1 / after.n));
    return { index, change, se, df, p: 2 * tCdf(-Math.abs(change) / se, df) };
  }
  /** Whether enough values, as they came, are nearer to the mean of their own stretch than to that of the other. */
  #isLevel(own, other) {
    const [near, far] = [this.#rawMean(own), this.#rawMean(other)];
    let supporters = 0;
    for (let i = own[0]; i < own[1] && supporters < FEWEST; i++) {
      const value = this.#raw[i];
      if (Math.abs(value - near) <= Math.abs(value - far)) supporters++;
    }
    return supporters >= FEWEST;
  }
  #rawMean([from, to]) {
    return (at(this.#rawSums, to) - at(this.#rawSums, from)) / (to - from);
  }
};
function runningSums(values) {
  const sums = new Float64Array(values.length + 1);
  for (const [i, value] of values.entries()) sums[i + 1] = at(sums, i) + value;
  return sums;
}
var at = (array, i) => array[i];
function stepsOf(stretches, level, smallest) {
  const indexes = candidates(stretches, level * LENIENCE);
  const between2 = (i) => stretches.step(indexes[i - 1] ?? 0, indexes[i], indexes[i + 1] ?? stretches.length);
  const steps = indexes.map((_, i) => between2(i));
  for (; ; ) {
    const weakest = weakestOf(steps, level, smallest);
    if (weakest === -1) return steps;
    indexes.splice(weakest, 1);
    steps.splice(weakest, 1);
    for (const i of [weakest - 1, weakest]) if (indexes[i] !== void 0) steps[i] = between2(i);
  }
}
function weakestOf(steps, level, smallest) {
  let weakest = -1;
  for (const [i, { p }] of steps.entries()) if (p > (steps[weakest]?.p ?? level)) weakest = i;
  if (weakest !== -1) return weakest;
  for (const [i, { change }] of steps.entries()) {
    if (Math.abs(change) < Math.abs(steps[weakest]?.change ?? smallest)) weakest = i;
  }
  return weakest;
}
function candidates(stretches, level) {
  const found = [];
  let start = 0;
  for (; ; ) {
    const end = Math.min(start + WINDOW, stretches.length);
    found.push(...divide(start, end, stretches, level));
    if (end === stretches.length) return found;
    start = Math.max(start + WINDOW / 2, found.at(-1) ?? 0);
  }
}
function divide(start, end, stretches, level) {
  const distances = distanceSums(stretches.calm.slice(start, end));
  const parts = [[0, end - start]];
  const found = [];
  for (let part = parts.pop(); part !== void 0; part = parts.pop()) {
    const [from, to] = part;
    const best = mostDivergent(distances, end - start + 1, from, to);
    if (best === null) continue;
    if (stretches.step(start + from, start + best.index, start + best.until).p > level) continue;
    found.push(start + best.index);
    parts.push([from, best.index], [best.index, to]);
  }
  return found.sort((a, b) => a - b);
}
function distanceSums(values) {
  const width = values.length + 1;
  const sums = new Float64Array(width * width);
  values.forEach((x, i) => {
    let row = 0;
    values.forEach((y, j) => {
      row += Math.abs(x - y);
      sums[(i + 1) * width + j + 1] = at(sums, i * width + j + 1) + row;
    });
  });
  return sums;
}
function mostDivergent(sums, width, from, to) {
  const corner = (i, j) => at(sums, i * width + j);
  const within = (a, b) => corner(b, b) - 2 * corner(a, b) + corner(a, a);
  let best = null;
  for (let index = from + FEWEST; index <= to - FEWEST; index++) {
    const m = index - from;
    const left = within(from, index) / (m * (m - 1));
    for (let until = index + FEWEST; until <= to; until++) {
      const n = until - index;
      const across = corner(index, until) - corner(from, until) - corner(index, index) + corner(from, index);
      const right = within(index, until) / (n * (n - 1));
      const divergence = m * n / (m + n) * (2 * across / (m * n) - left - right);
      if (divergence > (best?.divergence ?? 0)) best = { index, until, divergence };
    }
  }
  return best;
}

// scripts/src/core/change-points.ts
var ALPHA = 0.05;
var SMALLEST = Math.log(1.01);
var NEAR = 5;
var DOUBT = 1e4;
function levelOf(tests) {
  return ALPHA / (tests * (WINDOW ** 2 / 2));
}
function changePoints(records) {
  return trendOf(records).changePoints;
}
function trendOf(records) {
  const { commits, series } = seriesOf(records);
  const tests = new Set(series.map(({ cell, metric }) => JSON.stringify([cell, metric])));
  const level = levelOf(tests.size);
  const tracks = series.map((one) => trackOf(one, level));
  const groups = gather(
    tracks.flatMap((track) => track.steps.map((step) => ({ track, step }))),
    level
  );
  const found = groups.flatMap((group) => describe(group, commits));
  return {
    commits,
    series: tracks.map(({ series: one, stretches, steps }) => {
      const levels = levelsOf(stretches, steps);
      const zero = one.likeness.anchor.label === REFERENCE ? levels[0]?.mean ?? 0 : 0;
      return { ...one, levels, zero };
    }),
    changePoints: found
  };
}
function trackOf(series, level) {
  const stretches = new Stretches(series.points.map(({ z }) => z));
  return { series, stretches, steps: series.absolute ? [] : stepsOf(stretches, level, SMALLEST) };
}
function between({ steps, stretches }, step, index = step.index) {
  const at2 = steps.indexOf(step);
  return stretches.step(steps[at2 - 1]?.index ?? 0, index, steps[at2 + 1]?.index ?? stretches.length);
}
var placeAfter = ({ track, step }) => track.series.points[step.index]?.place ?? 0;
var placeBefore = ({ track, step }) => track.series.points[step.index - 1]?.place ?? 0;
function gather(found, level) {
  const open = new Set([...found].sort((a, b) => a.step.p - b.step.p || placeAfter(a) - placeAfter(b)));
  const groups = [];
  for (let [surest] = open; surest !== void 0; [surest] = open) {
    const near = nearest([...open], placeAfter(surest));
    const place = likeliest(near, level);
    const fitting = near.filter((one) => doubt(one, place, level) <= DOUBT);
    const group = fitting.length > 0 ? fitting : [surest];
    for (const one of group) {
      if (fitting.length > 0) one.step.index = indexAt(one, place);
      open.delete(one);
    }
    groups.push(group);
  }
  return groups.sort(([a], [b]) => a === void 0 || b === void 0 ? 0 : placeAfter(a) - placeAfter(b));
}
function nearest(found, place) {
  const near = found.filter((one) => placeBefore(one) < place + NEAR && placeAfter(one) >= place - NEAR);
  return near.filter((one, i) => near.findIndex(({ track }) => track === one.track) === i);
}
function likeliest(near, level) {
  const doubtOf = (place) => near.reduce((sum, one) => sum + Math.log(Math.min(DOUBT * DOUBT, doubt(one, place, level))), 0);
  const places = [...new Set(near.map(placeAfter))].map((place) => ({ place, doubt: doubtOf(place) }));
  return places.reduce((best, one) => one.doubt < best.doubt ? one : best).place;
}
function doubt({ track, step }, place, level) {
  const there = between(track, step, indexAt({ track }, place));
  return there.p > level ? Number.POSITIVE_INFINITY : Math.max(there.p, 1e-300) / Math.max(step.p, 1e-300);
}
function indexAt({ track }, place) {
  const { points } = track.series;
  const index = points.findIndex((point) => point.place >= place);
  return index === -1 ? points.length : index;
}
function describe(group, commits) {
  const before = commits[Math.max(...group.map(placeBefore))]?.records.at(-1);
  const after = commits[Math.min(...group.map(placeAfter))]?.records[0];
  if (before === void 0 || after === void 0) return [];
  const byTest = /* @__PURE__ */ new Map();
  for (const { track, step } of group) {
    const { cell, metric } = track.series;
    const { change, se, df, p } = between(track, step);
    const key = JSON.stringify([cell, metric]);
    if (p >= (byTest.get(key)?.p ?? Number.POSITIVE_INFINITY)) continue;
    const half = tQuantile(0.975, df) * se;
    byTest.set(key, {
      cell,
      metric,
      before: before.id,
      after: after.id,
      ratio: Math.exp(change),
      low: Math.exp(change - half),
      high: Math.exp(change + half),
      p,
      worse: metric === "qps" ? change < 0 : change > 0
    });
  }
  return [...byTest.values()];
}
function levelsOf(stretches, steps) {
  const ends = [...steps.map(({ index }) => index), stretches.length];
  return ends.map((to, i) => {
    const from = ends[i - 1] ?? 0;
    const { n, mean, squares } = stretches.of(from, to);
    const half = n < 2 ? null : tQuantile(0.975, n - 1) * Math.sqrt(squares / (n - 1) / n);
    return { from, to, mean, half };
  });
}

export {
  changePoints,
  trendOf
};

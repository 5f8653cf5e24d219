import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  branchOf,
  committedAt,
  machineFacts,
  nothingFor,
  storeOf,
  suitesHere
} from "./shared-stored-base.js";
import {
  K6_VERSION
} from "./shared-k6.js";
import {
  NoOriginError
} from "./shared-git-store.js";
import {
  InputError
} from "./shared-errors.js";
import {
  anchorOf
} from "./shared-beside.js";
import {
  comparable,
  worthKeeping
} from "./shared-stored.js";
import {
  minor
} from "./shared-plan.js";

// scripts/src/phases/beside.ts
var PATIENCE_MS = 5e3;
var UNATTENDED = { SSH_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "force", GCM_INTERACTIVE: "never" };
async function recordsBeside(options, { base, head }, config, driver, env) {
  const tree = base.repository ?? base.directory;
  if (base.commit === null || tree === null || head.directory === null) return null;
  const branch = branchBeside(config, await branchOfBase(options, tree));
  if (branch === null) return null;
  const { store: name } = config.baseline;
  try {
    const store = storeOf(name, head.directory, base.directory, { ...env, ...UNATTENDED }, PATIENCE_MS);
    const { records: all, missing } = await store.read();
    const until = await committedAt(tree, base.commit);
    const records = all.filter(({ committedAt: at }) => until === null || at === null || at <= until);
    const anchor = anchorOf(records, branch);
    if (anchor === null) return null;
    const { cpuModel, logicalCpus } = machineFacts();
    const wanted = { branch, anchor, must: { driver, cpuModel, logicalCpus, k6: minor(K6_VERSION) } };
    const beside = { store: store.label, branch, suites: suitesHere(config) };
    if (nothingFor(beside, comparable(records, wanted)) !== null) return null;
    return { beside, history: { missing, records: worthKeeping(records, wanted) } };
  } catch (error) {
    if (error instanceof NoOriginError) return null;
    if (!(error instanceof InputError)) throw error;
    const beside = { store: name, branch, suites: {}, unread: error.message };
    return { beside, history: { missing: true, records: [] } };
  }
}
function branchBeside({ baseline: { branch } }, own) {
  if (branch === null || own === null) return own ?? branch;
  return branch === own ? branch : null;
}
async function branchOfBase({ branch, baseRef }, directory) {
  const named = branch ?? baseRef;
  return named === void 0 ? await branchOf(directory).catch(() => null) : named.replace(/^origin\//, "");
}

// node_modules/pure-rand/lib/esm/distribution/uniformInt.js
function uniformIntInternal(rng, rangeSize) {
  const MaxAllowed = rangeSize > 2 ? ~~(4294967296 / rangeSize) * rangeSize : 4294967296;
  let deltaV = rng.next() + 2147483648;
  while (deltaV >= MaxAllowed) deltaV = rng.next() + 2147483648;
  return deltaV % rangeSize;
}
function fromNumberToArrayInt64(out, n) {
  if (n < 0) {
    const posN = -n;
    out.sign = -1;
    out.data[0] = ~~(posN / 4294967296);
    out.data[1] = posN >>> 0;
  } else {
    out.sign = 1;
    out.data[0] = ~~(n / 4294967296);
    out.data[1] = n >>> 0;
  }
  return out;
}
function substractArrayInt64(out, arrayIntA, arrayIntB) {
  const lowA = arrayIntA.data[1];
  const highA = arrayIntA.data[0];
  const signA = arrayIntA.sign;
  const lowB = arrayIntB.data[1];
  const highB = arrayIntB.data[0];
  const signB = arrayIntB.sign;
  out.sign = 1;
  if (signA === 1 && signB === -1) {
    const low2 = lowA + lowB;
    const high = highA + highB + (low2 > 4294967295 ? 1 : 0);
    out.data[0] = high >>> 0;
    out.data[1] = low2 >>> 0;
    return out;
  }
  let lowFirst = lowA;
  let highFirst = highA;
  let lowSecond = lowB;
  let highSecond = highB;
  if (signA === -1) {
    lowFirst = lowB;
    highFirst = highB;
    lowSecond = lowA;
    highSecond = highA;
  }
  let reminderLow = 0;
  let low = lowFirst - lowSecond;
  if (low < 0) {
    reminderLow = 1;
    low = low >>> 0;
  }
  out.data[0] = highFirst - highSecond - reminderLow;
  out.data[1] = low;
  return out;
}
function uniformArrayIntInternal(rng, out, rangeSize) {
  const maxIndex0 = rangeSize[0] + 1;
  out[0] = uniformIntInternal(rng, maxIndex0);
  out[1] = uniformIntInternal(rng, 4294967296);
  while (out[0] >= rangeSize[0] && (out[0] !== rangeSize[0] || out[1] >= rangeSize[1])) {
    out[0] = uniformIntInternal(rng, maxIndex0);
    out[1] = uniformIntInternal(rng, 4294967296);
  }
  return out;
}
var safeNumberMaxSafeInteger = Number.MAX_SAFE_INTEGER;
var sharedA = {
  sign: 1,
  data: [0, 0]
};
var sharedB = {
  sign: 1,
  data: [0, 0]
};
var sharedC = {
  sign: 1,
  data: [0, 0]
};
var sharedData = [0, 0];
function uniformLargeIntInternal(rng, from, to, rangeSize) {
  const rangeSizeArrayIntValue = rangeSize <= safeNumberMaxSafeInteger ? fromNumberToArrayInt64(sharedC, rangeSize) : substractArrayInt64(sharedC, fromNumberToArrayInt64(sharedA, to), fromNumberToArrayInt64(sharedB, from));
  if (rangeSizeArrayIntValue.data[1] === 4294967295) {
    rangeSizeArrayIntValue.data[0] += 1;
    rangeSizeArrayIntValue.data[1] = 0;
  } else rangeSizeArrayIntValue.data[1] += 1;
  uniformArrayIntInternal(rng, sharedData, rangeSizeArrayIntValue.data);
  return sharedData[0] * 4294967296 + sharedData[1] + from;
}
function uniformInt(rng, from, to) {
  const rangeSize = to - from;
  if (rangeSize <= 4294967295) return uniformIntInternal(rng, rangeSize + 1) + from;
  return uniformLargeIntInternal(rng, from, to, rangeSize);
}

// node_modules/pure-rand/lib/esm/generator/xoroshiro128plus.js
var jumps = [
  3639956645,
  3750757012,
  1261568508,
  386426335
];
var XoroShiro128Plus = class XoroShiro128Plus2 {
  constructor(s01, s00, s11, s10) {
    this.s01 = s01;
    this.s00 = s00;
    this.s11 = s11;
    this.s10 = s10;
  }
  clone() {
    return new XoroShiro128Plus2(this.s01, this.s00, this.s11, this.s10);
  }
  next() {
    const out = this.s00 + this.s10 | 0;
    const a0 = this.s10 ^ this.s00;
    const a1 = this.s11 ^ this.s01;
    const s00 = this.s00;
    const s01 = this.s01;
    this.s00 = s00 << 24 ^ s01 >>> 8 ^ a0 ^ a0 << 16;
    this.s01 = s01 << 24 ^ s00 >>> 8 ^ a1 ^ (a1 << 16 | a0 >>> 16);
    this.s10 = a1 << 5 ^ a0 >>> 27;
    this.s11 = a0 << 5 ^ a1 >>> 27;
    return out;
  }
  jump() {
    let ns01 = 0;
    let ns00 = 0;
    let ns11 = 0;
    let ns10 = 0;
    let s01 = this.s01;
    let s00 = this.s00;
    let s11 = this.s11;
    let s10 = this.s10;
    for (let i = 0; i !== 4; ++i) {
      const ji = jumps[i];
      for (let mask = 1; mask; mask <<= 1) {
        if (ji & mask) {
          ns01 ^= s01;
          ns00 ^= s00;
          ns11 ^= s11;
          ns10 ^= s10;
        }
        const a0 = s10 ^ s00;
        const a1 = s11 ^ s01;
        const s00_ = s00;
        const s01_ = s01;
        s00 = s00_ << 24 ^ s01_ >>> 8 ^ a0 ^ a0 << 16;
        s01 = s01_ << 24 ^ s00_ >>> 8 ^ a1 ^ (a1 << 16 | a0 >>> 16);
        s10 = a1 << 5 ^ a0 >>> 27;
        s11 = a0 << 5 ^ a1 >>> 27;
      }
    }
    this.s01 = ns01;
    this.s00 = ns00;
    this.s11 = ns11;
    this.s10 = ns10;
  }
  getState() {
    return [
      this.s01,
      this.s00,
      this.s11,
      this.s10
    ];
  }
};
function xoroshiro128plus(seed) {
  return new XoroShiro128Plus(-1, ~seed, seed | 0, 0);
}

// scripts/src/core/schedule.ts
var ROUND_GAP = 0.25;
function scheduleBlock(seed, block, cells, firstStart) {
  const random = xoroshiro128plus(seed ^ Math.imul(block + 1, 2654435761) | 0);
  const shuffled = [...cells];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = uniformInt(random, 0, i);
    [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
  }
  const slots = [];
  let roundStart = firstStart;
  for (const pilot of shuffled) {
    const { cell, slotSeconds, gapSeconds, rate } = pilot;
    const arms = uniformInt(random, 0, 1) === 0 ? ["base", "head"] : ["head", "base"];
    const common = { cell, gapSeconds: roundGap(pilot), rate };
    const round = arms.map((arm, order) => ({ ...common, arm, order, stretches: [] }));
    const turns = turnsOf(pilot);
    let startSeconds = roundStart;
    for (const { order, count } of alternating(turns)) {
      const seconds = slotSeconds * count / turns;
      round[order]?.stretches.push({ startSeconds, seconds });
      startSeconds += seconds + gapSeconds;
    }
    slots.push(...round);
    roundStart += roundSeconds(pilot);
  }
  return slots;
}
function roundSeconds(pilot) {
  return 2 * pilot.slotSeconds + turnsOf(pilot) * pilot.gapSeconds + roundGap(pilot);
}
function roundGap({ turnSeconds, gapSeconds }) {
  return Math.max(ROUND_GAP, turnSeconds > gapSeconds ? gapSeconds : 2 * gapSeconds);
}
function turnsOf({ slotSeconds, turnSeconds }) {
  return Math.max(1, Math.floor(slotSeconds / turnSeconds + 1e-9));
}
function alternating(turns) {
  const first = { order: 0, count: 1 };
  const between = Array.from({ length: turns - 1 }, (_, pair) => ({ order: (pair + 1) % 2, count: 2 }));
  return [first, ...between, { order: turns % 2, count: 1 }];
}

export {
  scheduleBlock,
  roundSeconds,
  recordsBeside,
  branchBeside
};

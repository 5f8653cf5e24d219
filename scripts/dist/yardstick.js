import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);

// scripts/src/measure/yardstick.ts
var ROUNDS = 48e6;
function work(rounds) {
  let state = 625341585;
  for (let i = 0; i < rounds; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  return state;
}
work(ROUNDS / 10);
var before = process.cpuUsage();
var result = work(ROUNDS);
var { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ cpuMs: (user + system) / 1e3, result })}
`);

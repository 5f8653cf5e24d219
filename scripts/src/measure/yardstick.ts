/**
 * A fixed piece of CPU work, run as a process of its own on the target's cores at every block: its CPU time tells what
 * the machine itself did meanwhile (frequency, a busy sibling thread, a slower host). Prints ms of CPU time.
 */
const ROUNDS = 48_000_000;

function work(rounds: number): number {
  let state = 0x2545f491;
  for (let i = 0; i < rounds; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  return state;
}

work(ROUNDS / 10); // compiled before it is timed
const before = process.cpuUsage();
const result = work(ROUNDS);
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ cpuMs: (user + system) / 1000, result })}\n`);

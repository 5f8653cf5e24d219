import type { Rule } from "./decide.ts";
import type {
  Arm,
  Cell,
  Census,
  PilotCell,
  Plan,
  Reason,
  SampleLine,
  Scenario,
  SlotSample,
  StrikeReason,
} from "./model.ts";
import { median } from "./stats/robust.ts";
import { addLogRatio, addRound, blank, lookAtAll, overallTest, type TestState, testsOf } from "./test-state.ts";
import { isDisturbed, isEnvironment, isFunctional, strikeReason } from "./validity.ts";

/** Rounds before anything is decided. */
export const FIRST_LOOK = 6;
/** Rounds of every cell in a run that is compared with records; what it records is no better known with more. */
export const RECORD_ROUNDS = 8;
const ALPHA = 0.05;
const BETA = 0.05;
/** Rounds after which the overall test ends undecided. */
const OVERALL_CAP = 12;
/** Fewest cells over which a median says something about "all"; our choice. */
const OVERALL_CELLS = 3;
/** Rounds a cell may lose by its own fault, and no fewer than it won, before it is given up; our choice. */
const GIVE_UP_ROUNDS = 4;

/** One cell while its rounds come in. */
export interface CellState {
  cell: Cell;
  scenario: Scenario;
  pilot: PilotCell | null;
  /** `judged` takes part; the others are settled without (further) rounds. */
  status: "judged" | "new" | "error" | "inconclusive";
  reasons: Reason[];
  tests: TestState[];
  /** Clean rounds of the main stage. */
  rounds: Record<Arm, SlotSample>[];
  struck: Map<StrikeReason, number>;
  slots: number;
  strikes: OwnStrikes;
  /** Clean rounds and own strikes of the confirmation. */
  confirm: { rounds: Record<Arm, SlotSample>[]; strikes: OwnStrikes; givenUp: boolean };
}

/** Rounds lost by a cell's own fault, by who failed. */
interface OwnStrikes {
  head: number;
  base: number;
  other: number;
  reasons: Map<StrikeReason, number>;
}

/** Everything a run has come to after its lines so far. */
export interface Run {
  plan: Plan;
  cells: CellState[];
  overall: TestState | null;
  rule: Rule;
  /** null until confirmation began; then the tests listed for it, with their own rounds. */
  confirmation: { tests: TestState[]; rule: Rule } | null;
  /** Complete blocks. */
  blocks: number;
  /** Slots of a block that has not ended yet. */
  pending: SlotSample[];
}

/** What a run needs next. */
export type Next =
  | { kind: "measure"; cells: string[] }
  /** Something looks red: to be confirmed. */
  | { kind: "confirm" }
  | { kind: "done"; capped: boolean };

/**
 * Replays a run: adds its rounds block by block, looks after every block, keeps every verdict once reached.
 * Pure: the same plan, census and lines give the same run.
 */
export function replay(plan: Plan, census: Census | null, lines: readonly SampleLine[]): Run {
  const pilots = lines.flatMap((line) => (line.kind === "pilot" ? line.cells : []));
  const run = begin(plan, census, pilots);
  for (const line of lines) take(run, line);
  endBlock(run); // a block cut short still holds complete rounds
  return run;
}

/**
 * A run before its first block. Lines are added to it by `take`, in their order.
 *
 * @param pilots what the pilot settled; empty before it
 */
export function begin(plan: Plan, census: Census | null, pilots: readonly PilotCell[]): Run {
  const scenarios = new Map(plan.config.scenarios.map((scenario) => [scenario.name, scenario]));
  const pilotOf = new Map(pilots.map((pilot) => [pilot.cell, pilot]));
  const cells = plan.cells.map((cell): CellState => {
    const scenario = scenarios.get(cell.scenario);
    if (scenario === undefined) throw new Error(`plan: cell ${cell.id} names no scenario of the plan`);
    const pilot = pilotOf.get(cell.id) ?? null;
    const settled = scenario.addedByHead
      ? addedByHead(scenario.name, census)
      : settledByCensus(plan, scenario.name, census);
    return {
      cell,
      scenario,
      pilot,
      status: settled?.status ?? "judged",
      reasons: settled ? [settled.reason] : [],
      tests: settled ? [] : testsOf(cell, pilot?.statistic ?? "p99", scenario.limits),
      rounds: [],
      struck: new Map(),
      slots: 0,
      strikes: noStrikes(),
      confirm: { rounds: [], strikes: noStrikes(), givenUp: false },
    };
  });
  const rest = { plan, cells, confirmation: null, blocks: 0, pending: [] };
  if (plan.stored !== undefined) return { ...rest, overall: null, rule: storedRule(cells) };
  const inOverall = cells.filter((state) => takesPartInOverall(state));
  const overall = inOverall.length >= OVERALL_CELLS ? overallTest(plan.config.gate.maxOverallQpsDrop) : null;
  const tests = cells.reduce((sum, state) => sum + state.tests.length, overall === null ? 0 : 1);
  const rule = { tests, cap: plan.config.measure.maxRounds, alpha: ALPHA, beta: BETA, firstLook: FIRST_LOOK };
  return { ...rest, overall, rule };
}

/** Adds the next line to a run; looks at its tests where a block ends. */
export function take(run: Run, line: SampleLine): void {
  if (line.kind === "slot") {
    if (run.pending[0] !== undefined && run.pending[0].block !== line.block) endBlock(run);
    run.pending.push(line);
  } else if (line.kind === "block") {
    endBlock(run);
    run.blocks++;
  } else if (line.kind === "confirm") {
    endBlock(run);
    beginConfirmation(run, line.tests);
  }
}

function endBlock(run: Run): void {
  if (run.pending.length > 0) settleBlock(run, run.pending);
  run.pending = [];
}

/** Which cells the next block must hold, or that the run is over. */
export function next(run: Run): Next {
  if (run.confirmation !== null) {
    const cells = cellsToConfirm(run);
    return cells.length > 0 ? { kind: "measure", cells } : { kind: "done", capped: false };
  }
  const cells = cellsToMeasure(run);
  if (run.plan.stored === undefined && flaggedTests(run).length > 0) {
    // One red decides the run, whatever the others would say; each of them is looked at once.
    const unseen = run.cells.filter(({ cell, rounds }) => cells.includes(cell.id) && rounds.length < FIRST_LOOK);
    return unseen.length > 0 ? { kind: "measure", cells: unseen.map(({ cell }) => cell.id) } : { kind: "confirm" };
  }
  if (cells.length > 0) return { kind: "measure", cells };
  if (run.plan.stored !== undefined) return { kind: "done", capped: true };
  return { kind: "done", capped: allTests(run).some((test) => test.verdict === "inconclusive") };
}

/** All tests of the main stage. */
export function allTests(run: Run): TestState[] {
  const tests = run.cells.flatMap((state) => state.tests);
  return run.overall === null ? tests : [...tests, run.overall];
}

/** The tests of the main stage that still count: those of cells that were given up do not. */
export function liveTests(run: Run): TestState[] {
  return allTests(run).filter((test) => test.cell === null || statusOf(run, test.cell) === "judged");
}

/** Whether another test of the same cell made it red, so that this one needed no end of its own. */
export function cellIsRed(test: TestState, tests: readonly TestState[]): boolean {
  return test.cell !== null && tests.some((other) => other.cell === test.cell && other.verdict === "regression");
}

/**
 * The comparison with the base arm, which is the anchor, is no test: the records are compared with (stored.ts). Absolute
 * limits are, after all rounds at once.
 */
function storedRule(cells: readonly CellState[]): Rule {
  const tests = cells.reduce((sum, state) => sum + state.tests.length, 0);
  for (const state of cells) state.tests = state.tests.filter(({ limit }) => limit !== null);
  return { tests, cap: RECORD_ROUNDS, alpha: ALPHA, beta: BETA, firstLook: RECORD_ROUNDS };
}

/** Judged by the base's configuration, which does not have it: what a change brings along must not outvote the rest. */
function addedByHead(scenario: string, census: Census | null): { status: "new"; reason: Reason } {
  const head = census?.scenarios.find((entry) => entry.scenario === scenario)?.arms.head;
  const fails =
    head?.failedShare === 1
      ? `, and the head does not pass its checks (it answered ${head.statuses.join(", ") || "nothing"})`
      : "";
  const text = `the base's configuration does not have it: shown, not judged${fails}`;
  return { status: "new", reason: { code: "new", text } };
}

/** What the census alone settles: a new endpoint, a broken head, a broken base. */
function settledByCensus(
  { stored }: Plan,
  scenario: string,
  census: Census | null,
): { status: "new" | "error" | "inconclusive"; reason: Reason } | null {
  const arms = census?.scenarios.find((entry) => entry.scenario === scenario)?.arms;
  if (arms === undefined) return null;
  const who = stored === undefined ? "the base" : `the anchor ${stored.anchor.label}`;
  const fails = (arm: Arm) => arms[arm].failedShare === 1;
  const answers = (arm: Arm) => arms[arm].statuses.join(", ") || "nothing";
  if (fails("head") && !fails("base")) {
    const text = `the head does not pass the scenario's checks (it answered ${answers("head")}), ${who} does`;
    return { status: "error", reason: { code: "head-fails", text } };
  }
  if (!fails("base")) return null;
  if (!fails("head") && arms.base.statuses.join() === "404") {
    return { status: "new", reason: { code: "new", text: `${who} does not have it: shown, not judged` } };
  }
  const text = `${who} does not pass the scenario's checks (it answered ${answers("base")}): there is nothing to compare with`;
  return { status: "inconclusive", reason: { code: "base-fails", text } };
}

function takesPartInOverall(state: CellState): boolean {
  return state.status === "judged" && state.cell.model !== "open" && !state.confirm.givenUp;
}

function noStrikes(): OwnStrikes {
  return { head: 0, base: 0, other: 0, reasons: new Map() };
}

function settleBlock(run: Run, slots: readonly SlotSample[]): void {
  const { confirmation } = run;
  const byCell = new Map<string, SlotSample[]>();
  for (const slot of slots) byCell.set(slot.cell, [...(byCell.get(slot.cell) ?? []), slot]);
  for (const state of run.cells) {
    const own = byCell.get(state.cell.id);
    if (own !== undefined) settleRound(run, state, own);
  }
  const roundsOf = (state: CellState) => (confirmation === null ? state.rounds : state.confirm.rounds);
  const tests = confirmation === null ? allTests(run) : confirmation.tests;
  const rule = confirmation === null ? run.rule : confirmation.rule;
  lookAtAll(
    tests.filter((test) => test.cell !== null),
    rule,
  );
  const overall = tests.find((test) => test.cell === null);
  if (overall === undefined) return;
  updateOverall(run, overall, roundsOf);
  lookAtAll([overall], { ...rule, cap: Math.min(rule.cap, OVERALL_CAP) });
}

/** Counts a cell's slots of one block, and its round where neither slot is worthless. */
function settleRound(run: Run, state: CellState, slots: readonly SlotSample[]): void {
  const { measure } = run.plan.config;
  const { confirmation } = run;
  const judged = slots.map((slot) => {
    const other = slots.find((candidate) => candidate.arm !== slot.arm) ?? null;
    return { slot, reason: strikeReason(slot, other, measure, run.plan.layout) };
  });
  state.slots += slots.length;
  for (const { reason } of judged) if (reason) state.struck.set(reason, (state.struck.get(reason) ?? 0) + 1);

  const base = judged.find(({ slot }) => slot.arm === "base");
  const head = judged.find(({ slot }) => slot.arm === "head");
  if (base === undefined || head === undefined) return;
  if (base.reason !== null || head.reason !== null) {
    countStrike(confirmation === null ? state.strikes : state.confirm.strikes, base.reason, head.reason);
    giveUpIfHopeless(state, confirmation !== null);
    return;
  }
  (confirmation === null ? state.rounds : state.confirm.rounds).push({ base: base.slot, head: head.slot });
  for (const test of confirmation?.tests ?? state.tests) {
    if (test.cell !== state.cell.id) continue;
    // An absolute limit has no other arm that was disturbed alike.
    if (test.limit !== null && isDisturbed(head.slot, measure)) continue;
    addRound(test, base.slot, head.slot);
  }
}

function countStrike(strikes: OwnStrikes, base: StrikeReason | null, head: StrikeReason | null): void {
  const found = [base, head].filter((reason) => reason !== null);
  if (found.some(isEnvironment)) return;
  const failed = (reason: StrikeReason | null) => reason !== null && isFunctional(reason);
  if (failed(head) && !failed(base)) strikes.head++;
  else if (failed(base) && !failed(head)) strikes.base++;
  else strikes.other++;
  for (const reason of found) strikes.reasons.set(reason, (strikes.reasons.get(reason) ?? 0) + 1);
}

/** Closes a cell that keeps losing rounds by its own fault: more load would only repeat it. */
function giveUpIfHopeless(state: CellState, confirming: boolean): void {
  const { head, base, other, reasons } = confirming ? state.confirm.strikes : state.strikes;
  const lost = head + base + other;
  const won = confirming ? state.confirm.rounds.length : state.rounds.length;
  if (lost < GIVE_UP_ROUNDS || lost <= won) return;
  if (confirming) {
    state.confirm.givenUp = true;
    return;
  }
  if (state.status !== "judged") return;
  const main = [...reasons].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "errors";
  if (head * 2 > lost) {
    state.status = "error";
    state.reasons.push({
      code: "head-fails",
      text: `the head failed in ${head} of ${lost} lost rounds, the base did not`,
    });
  } else {
    state.status = "inconclusive";
    const who = base * 2 > lost ? "the base failed" : "lost to the same cause";
    state.reasons.push({ code: main, text: `given up after ${lost} lost rounds: ${who} (${main})` });
  }
}

/** The overall test's rounds: the median over cells of the i-th clean round, as far as every cell has one. */
function updateOverall(run: Run, overall: TestState, roundsOf: (state: CellState) => Record<Arm, SlotSample>[]): void {
  if (overall.verdict !== "open") return;
  const members = run.cells.filter(takesPartInOverall);
  if (members.length < OVERALL_CELLS) return;
  const complete = Math.min(...members.map((state) => roundsOf(state).length), OVERALL_CAP);
  for (let i = overall.x.length; i < complete; i++) {
    const logs = members.map((state) => {
      const round = roundsOf(state)[i];
      return round === undefined ? Number.NaN : Math.log(round.head.qps / round.base.qps);
    });
    addLogRatio(overall, median(logs));
  }
}

function isOpen(test: TestState): boolean {
  return test.verdict === "open";
}

/** Tests of one cell: one red decides the cell, whatever the others would say. */
function needsRounds(tests: readonly TestState[]): boolean {
  return tests.some(isOpen) && tests.every((test) => test.verdict !== "regression");
}

function cellsToMeasure(run: Run): string[] {
  if (run.plan.stored !== undefined) {
    return run.cells
      .filter((state) => state.status === "judged" && state.rounds.length < RECORD_ROUNDS)
      .map((state) => state.cell.id);
  }
  const members = run.cells.filter(takesPartInOverall);
  const fewest = Math.min(...members.map((state) => state.rounds.length));
  const overallOpen = run.overall !== null && isOpen(run.overall) && members.length >= OVERALL_CELLS;
  return run.cells
    .filter((state) => {
      if (state.status !== "judged") return false;
      if (needsRounds(state.tests)) return true;
      if (state.tests.length === 0) return state.rounds.length < FIRST_LOOK;
      return overallOpen && takesPartInOverall(state) && state.rounds.length <= fewest;
    })
    .map((state) => state.cell.id);
}

/** A test that looks red in the main stage, and the cells whose rounds it needs. */
export interface Flagged {
  test: string;
  cells: string[];
}

/** The tests that look red in the main stage, most certain first. */
export function flaggedTests(run: Run): Flagged[] {
  const members = run.cells.filter(takesPartInOverall).map((state) => state.cell.id);
  return liveTests(run)
    .filter((test) => test.verdict === "regression")
    .sort((a, b) => pOf(a) - pOf(b))
    .map((test) => ({ test: test.id, cells: test.cell === null ? members : [test.cell] }));
}

function statusOf(run: Run, cell: string): CellState["status"] | undefined {
  return run.cells.find((state) => state.cell.id === cell)?.status;
}

function pOf(test: TestState): number {
  return test.last !== null && "p" in test.last ? test.last.p : 1;
}

function beginConfirmation(run: Run, listed: readonly string[]): void {
  const tests = allTests(run)
    .filter((test) => listed.includes(test.id))
    .map(blank);
  run.confirmation = { tests, rule: { ...run.rule, tests: Math.max(1, tests.length) } };
}

function cellsToConfirm(run: Run): string[] {
  const tests = run.confirmation?.tests ?? [];
  const overallOpen = tests.some((test) => test.cell === null && isOpen(test));
  return run.cells
    .filter(
      (state) =>
        !state.confirm.givenUp &&
        (needsRounds(tests.filter((test) => test.cell === state.cell.id)) ||
          (overallOpen && takesPartInOverall(state))),
    )
    .map((state) => state.cell.id);
}

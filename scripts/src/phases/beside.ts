import { anchorOf } from "../core/beside.ts";
import { InputError } from "../core/errors.ts";
import { K6_VERSION } from "../core/k6.ts";
import type { Beside, Config, DriverName, History, Plan } from "../core/model.ts";
import { minor } from "../core/record.ts";
import { comparable, worthKeeping } from "../core/stored.ts";
import { NoOriginError } from "../history/store.ts";
import { machineFacts } from "./machine.ts";
import type { PlanOptions } from "./plan.ts";
import { committedAt } from "./store.ts";
import { branchOf, nothingFor, storeOf, suitesHere } from "./stored-base.ts";
import type { Env } from "./work-directory.ts";

/** How long a run that does without records waits for them, ms. */
const PATIENCE_MS = 5000;
/** Who is not there to be asked for a passphrase is not asked: for ssh and for what helps git with credentials. */
const UNATTENDED = { SSH_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "force", GCM_INTERACTIVE: "never" };

/**
 * The records that a base which is measured can be shown beside: those of the branch it is a commit of, up to that. They
 * are not needed: where they cannot be read, `unread` says why; null = there are none, or the base is of no branch.
 */
export async function recordsBeside(
  options: PlanOptions,
  { base, head }: Plan["arms"],
  config: Config,
  driver: DriverName,
  env: Env,
): Promise<{ beside: Beside; history: Pick<History, "missing" | "records"> } | null> {
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

/** The branch whose records say where a base of branch `own` stands; null = none do. */
export function branchBeside({ baseline: { branch } }: Config, own: string | null): string | null {
  if (branch === null || own === null) return own ?? branch;
  return branch === own ? branch : null;
}

/** A tag or commit comes out as it is: there are no records of a branch of that name. */
async function branchOfBase({ branch, baseRef }: PlanOptions, directory: string): Promise<string | null> {
  const named = branch ?? baseRef;
  return named === undefined ? await branchOf(directory).catch(() => null) : named.replace(/^origin\//, "");
}

import { writeFileSync } from "node:fs";
import { MeasureError } from "../../core/errors.ts";
import type { Arm } from "../../core/model.ts";
import { tail } from "../log.ts";
import type { Premises } from "./premises.ts";

/**
 * Runs the `prepare:` commands of one arm one after the other, in its tree and on all CPUs.
 * Throws MeasureError naming arm, command, exit status and the end of the log.
 */
export async function prepareArm(
  premises: Premises,
  options: {
    arm: Arm;
    directory: string;
    commands: readonly string[];
    env: NodeJS.ProcessEnv;
    progress: (line: string) => void;
  },
): Promise<void> {
  const name = `prepare-${options.arm}`;
  writeFileSync(premises.log(name), "");
  for (const command of options.commands) {
    options.progress(`preparing ${options.arm}: ${command.trim().split("\n")[0]}`);
    const child = premises.launch(["bash", "-c", command], {
      group: options.arm,
      cpus: null,
      log: name,
      cwd: options.directory,
      env: options.env,
    });
    const result = await child.exited;
    premises.signal.throwIfAborted();
    if (result === 0) continue;
    const how = typeof result === "number" ? `exit status ${result}` : `ended by ${result}`;
    throw new MeasureError(
      `prepare of ${options.arm} failed: ${command}: ${how}${tail("its log", premises.log(name))}`,
    );
  }
}

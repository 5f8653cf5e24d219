import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OLDEST_ENGINE } from "../../../src/core/engine.ts";
import type { Config, Plan, Resources } from "../../../src/core/model.ts";
import { type EngineInfo, lackOf } from "../../../src/target/compose/engine-check.ts";
import { makeSite } from "../app.ts";

const INFO: EngineInfo = {
  ServerVersion: "28.5.2",
  OSType: "linux",
  OperatingSystem: "Debian GNU/Linux 12 (bookworm)",
  NCPU: 2,
  CPUSet: true,
  CpuCfsQuota: true,
  MemoryLimit: true,
  SecurityOptions: ["name=seccomp,profile=builtin"],
};
const ROOTLESS = { SecurityOptions: ["name=seccomp,profile=builtin", "name=rootless", "name=cgroupns"] };

/** A layout on CPUs 0 and 1. */
function planOf(isolation: Config["measure"]["isolation"], resources: Resources | null): Plan {
  const site = makeSite({ target: { resources } });
  site.remove();
  const { plan } = site.options;
  return { ...plan, config: { ...plan.config, measure: { ...plan.config.measure, isolation } } };
}

const pod = { cpus: 1, memoryBytes: 2 ** 31, by: "quota" } as const;

test.each<[string, Partial<EngineInfo>, Config["measure"]["isolation"], Resources | null, RegExp | null]>([
  ["an engine of this machine", {}, "auto", pod, null],
  ["a rootless one that may do everything", ROOTLESS, "auto", pod, null],
  ["Windows containers", { OSType: "windows" }, "off", null, /^the engine runs windows containers/],
  ["Docker Desktop", { OperatingSystem: "Docker Desktop" }, "auto", null, null],
  [
    "Docker Desktop with too few CPUs",
    { OperatingSystem: "Docker Desktop", NCPU: 1 },
    "auto",
    null,
    /^measure\.isolation: Docker Desktop has 1 .* CPU 1 is not among them.* from 0 to 0$/,
  ],
  ["the same without pinning", { OperatingSystem: "Docker Desktop", NCPU: 1 }, "off", null, null],
  ["an engine on part of the CPUs of this machine", { NCPU: 1 }, "auto", null, null],
  [
    "rootless without cpuset",
    { ...ROOTLESS, CPUSet: false },
    "auto",
    null,
    /^this rootless engine .*delegate.*isolation: off$/,
  ],
  ["the same without pinning", { ...ROOTLESS, CPUSet: false }, "off", null, null],
  ["no memory limits", { MemoryLimit: false }, "off", pod, /^target\.resources: .* limit memory/],
  ["no quota", { CpuCfsQuota: false }, "off", pod, /limit CPU time: .* write by: cpuset$/],
  ["no quota, and none is wanted", { CpuCfsQuota: false }, "auto", { ...pod, by: "cpuset" }, null],
])("%s", (_, info, isolation, resources, lack) => {
  const found = lackOf({ ...INFO, ...info }, planOf(isolation, resources));
  if (lack === null) expect(found).toBeNull();
  else expect(found).toMatch(lack);
});

test("the doctor and the script that starts an engine ask for the same versions", () => {
  const text = (path: string) => readFileSync(join(import.meta.dirname, "../../../..", path), "utf8");
  const { engine, compose, buildx } = OLDEST_ENGINE;
  expect(text("scripts/src/core/engine.ts")).toContain(
    `{ engine: "${engine}", compose: "${compose}", buildx: "${buildx}" }`,
  );
  expect(text("scripts/engine.sh")).toContain(`AT_LEAST=([engine]=${engine} [compose]=${compose} [buildx]=${buildx})`);
});

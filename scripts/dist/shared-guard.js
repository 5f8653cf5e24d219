import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);

// scripts/src/target/guard.ts
import { spawn } from "node:child_process";
var SCRIPT = `
trap '' HUP INT TERM
declare -A group=() cgroup=() directory=() label=()
while read -r verb kind what; do
  case $verb:$kind in
    guard:group) group[$what]=1 ;;
    guard:cgroup) cgroup[$what]=1 ;;
    guard:directory) directory[$what]=1 ;;
    guard:label) label[$what]=1 ;;
    forget:group) unset "group[$what]" ;;
    forget:cgroup) unset "cgroup[$what]" ;;
    forget:directory) unset "directory[$what]" ;;
    forget:label) unset "label[$what]" ;;
  esac
done
for leader in "\${!group[@]}"; do kill -KILL -- "-$leader"; done
for try in {1..200}; do
  left=
  for path in "\${!cgroup[@]}"; do
    [[ -d $path ]] || continue
    while read -r pid; do kill -KILL "$pid"; done <"$path/cgroup.procs"
    rmdir -- "$path" || left=1
  done
  [[ $left ]] || break
  sleep 0.01
done
for path in "\${!directory[@]}"; do rm -rf -- "$path"; done
# What the engine was still making when its client was killed appears a moment later.
list() {
  case $1 in
    container) docker ps --all --quiet --no-trunc --filter "label=$2" ;;
    *) docker "$1" ls --quiet --filter "label=$2" ;;
  esac
}
for what in "\${!label[@]}"; do
  empty=0
  for try in {1..60}; do
    ((++empty))
    for kind in container network volume image; do
      mapfile -t found < <(list "$kind" "$what" | sort -u)
      ((\${#found[@]})) || continue
      empty=0
      case $kind in
        container) docker rm --force --volumes "\${found[@]}" ;;
        image) docker image rm --force "\${found[@]}" ;;
        *) docker "$kind" rm "\${found[@]}" ;;
      esac
    done
    ((empty < 2)) || break
    sleep 0.5
  done
done
`;
var shell = null;
var guarded = /* @__PURE__ */ new Set();
function guard(kind, what) {
  if (shell === null) {
    shell = spawn("bash", ["-c", SCRIPT], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    shell.unref();
    shell.stdin.unref();
    shell.stdin?.on("error", () => {
    });
  }
  guarded.add(`${kind} ${what}`);
  shell.stdin?.write(`guard ${kind} ${what}
`);
}
function forget(kind, what) {
  if (!guarded.delete(`${kind} ${what}`)) return;
  shell?.stdin?.write(`forget ${kind} ${what}
`);
  if (guarded.size > 0) return;
  shell?.stdin?.end();
  shell = null;
}
var guardGroup = (pid) => guard("group", pid);
var forgetGroup = (pid) => forget("group", pid);
var guardCgroup = (path) => guard("cgroup", path);
var forgetCgroup = (path) => forget("cgroup", path);
var guardDirectory = (path) => guard("directory", path);
var forgetDirectory = (path) => forget("directory", path);
var guardLabel = (label) => guard("label", label);
var forgetLabel = (label) => forget("label", label);

// scripts/src/target/log.ts
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
var CHUNK = 1 << 16;
var LogReader = class {
  #path;
  #offset = 0;
  /** Start of a line that was not complete when it was read. */
  #rest = "";
  constructor(path) {
    this.#path = path;
  }
  /** Complete lines that are new; none where there is no such file. */
  newLines() {
    const lines = (this.#rest + this.#newText()).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines;
  }
  /** Passes over what is there. */
  skip() {
    this.newLines();
    this.#rest = "";
  }
  #newText() {
    let file;
    try {
      file = openSync(this.#path, "r");
    } catch {
      return "";
    }
    try {
      if (fstatSync(file).size < this.#offset) this.#offset = 0;
      const buffer = Buffer.allocUnsafe(CHUNK);
      const parts = [];
      for (; ; ) {
        const length = readSync(file, buffer, 0, CHUNK, this.#offset);
        if (length === 0) return parts.join("");
        this.#offset += length;
        parts.push(buffer.toString("latin1", 0, length));
      }
    } finally {
      closeSync(file);
    }
  }
};
function tail(title, path, lines = 15) {
  let text;
  try {
    text = readFileSync(path, "utf8").trimEnd();
  } catch {
    return "";
  }
  return text === "" ? "" : `
${title} (${path}):
${quoted(text, lines)}`;
}
var CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;
function quoted(text, lines) {
  const last = text.trimEnd().split(/\r?\n/).slice(-lines);
  return last.map((line) => `| ${printable(line).slice(0, 500)}`).join("\n");
}
var printable = (line) => stripVTControlCharacters(line).replace(CONTROL, (character) => character === "	" ? character : "").replaceAll("##[", "# #[");

// scripts/src/target/usage/parse.ts
var TICKS_PER_SECOND = 100;
function parseCpuacct(text) {
  return Number(text) / 1e9;
}
function parseFlatKeyed(text) {
  const values = /* @__PURE__ */ new Map();
  for (const line of text.split("\n")) {
    const [key, value] = line.split(" ");
    if (key !== void 0 && value !== void 0) values.set(key, Number(value));
  }
  return values;
}
function figure(text, key) {
  return parseFlatKeyed(text).get(key) ?? 0;
}
function parseCpuStatV2(text) {
  const values = parseFlatKeyed(text);
  return { cpuSeconds: (values.get("usage_usec") ?? 0) / 1e6, throttledPeriods: values.get("nr_throttled") ?? 0 };
}
function parseThrottled(text) {
  return figure(text, "nr_throttled");
}
function parseMemoryStatV1(text) {
  return figure(text, "total_rss");
}
function parseMemoryStatV2(text) {
  return figure(text, "anon");
}
function parseOomKills(text) {
  return figure(text, "oom_kill");
}
function hasQuota(text) {
  const quota = text.trim().split(" ")[0] ?? "";
  return quota !== "max" && Number(quota) > 0;
}
function parseCgroupMounts(mountinfo) {
  const mounts = [];
  for (const line of mountinfo.split("\n")) {
    const [before, after] = line.split(" - ");
    if (before === void 0 || after === void 0) continue;
    const [, , , root, mountPoint] = before.split(" ");
    const [type, , superOptions] = after.split(" ");
    if (root === void 0 || mountPoint === void 0) continue;
    if (type === "cgroup2") mounts.push({ root, mountPoint, version: 2, controllers: [] });
    if (type === "cgroup")
      mounts.push({ root, mountPoint, version: 1, controllers: (superOptions ?? "").split(",").slice(1) });
  }
  return mounts;
}
function parseCgroupPath(text, mount) {
  for (const line of text.split("\n")) {
    const [id, controllers, ...path] = line.split(":");
    if (id === void 0 || controllers === void 0) continue;
    const matches = mount.version === 2 ? id === "0" : mount.controllers.includes(controllers.split(",")[0] ?? "");
    if (matches && (mount.version === 2 || controllers !== "")) return path.join(":");
  }
  return null;
}
var PF_KTHREAD = 2097152;
function parseProcessStat(text) {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number) => Number(fields[number - 3]);
  return {
    ppid: field(4),
    ownTicks: field(14) + field(15),
    waitedTicks: field(16) + field(17),
    threads: field(20),
    startTicks: field(22),
    isKernel: (field(9) & PF_KTHREAD) !== 0,
    cpu: field(39)
  };
}
function parseSchedstat(text) {
  return Number(text.split(" ")[0]) / 1e9;
}
function parseRssAnon(status) {
  return Number(/^RssAnon:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

export {
  guardGroup,
  forgetGroup,
  guardCgroup,
  forgetCgroup,
  guardDirectory,
  forgetDirectory,
  guardLabel,
  forgetLabel,
  LogReader,
  tail,
  quoted,
  TICKS_PER_SECOND,
  parseCpuacct,
  parseCpuStatV2,
  parseThrottled,
  parseMemoryStatV1,
  parseMemoryStatV2,
  parseOomKills,
  hasQuota,
  parseCgroupMounts,
  parseCgroupPath,
  parseProcessStat,
  parseSchedstat,
  parseRssAnon
};

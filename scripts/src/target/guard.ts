import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Keeps our children from outliving us, whatever ends this process, SIGKILL included: a small shell reads from a pipe
 * what there is to clean up, and when the pipe breaks it does so. It holds no CPU meanwhile, and goes when nothing
 * is left to guard.
 */
const SCRIPT = `
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

type Kind = "group" | "cgroup" | "directory" | "label";

let shell: ChildProcess | null = null;
const guarded = new Set<string>();

function guard(kind: Kind, what: string | number): void {
  if (shell === null) {
    shell = spawn("bash", ["-c", SCRIPT], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    shell.unref();
    (shell.stdin as Socket).unref();
    // A guard that cannot be told (killed by hand) leaves close() to do the work.
    shell.stdin?.on("error", () => {});
  }
  guarded.add(`${kind} ${what}`);
  shell.stdin?.write(`guard ${kind} ${what}\n`);
}

function forget(kind: Kind, what: string | number): void {
  if (!guarded.delete(`${kind} ${what}`)) return;
  shell?.stdin?.write(`forget ${kind} ${what}\n`);
  if (guarded.size > 0) return;
  shell?.stdin?.end();
  shell = null;
}

/** Kills the process group `pid` leads when this process ends; forget it when it is gone, pids are used again. */
export const guardGroup = (pid: number): void => guard("group", pid);
export const forgetGroup = (pid: number): void => forget("group", pid);

/** Kills the members of a cgroup and removes it when this process ends. */
export const guardCgroup = (path: string): void => guard("cgroup", path);
export const forgetCgroup = (path: string): void => forget("cgroup", path);

/** Removes a directory with everything in it when this process ends. */
export const guardDirectory = (path: string): void => guard("directory", path);
export const forgetDirectory = (path: string): void => forget("directory", path);

/** Removes containers, networks, volumes and images with this Docker label when this process ends. */
export const guardLabel = (label: string): void => guard("label", label);
export const forgetLabel = (label: string): void => forget("label", label);

#!/usr/bin/env bash
# Makes a Docker engine with compose and buildx answer: the machine's own where one does, else a private one that needs
# no service and leaves the machine's own alone. See usage().
set -CeEuo pipefail

SCRIPTS=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly SCRIPTS
# shellcheck source=lib.sh
source "${SCRIPTS}/lib.sh"
# shellcheck source=packages.sh
source "${SCRIPTS}/packages.sh"

# Health checks have a start_interval since engine 25; compose reads start_interval and !override since 2.24.
declare -rA AT_LEAST=([engine]=25.0 [compose]=2.24 [buildx]=0.12)
# Where Debian's own release is older than that, these come from its development branch: they need little of it.
readonly DEVELOPMENT=sid

readonly STATE=${CACHE}/engine
readonly LOG=${STATE}/dockerd.log
# Sockets live here: their path may have no more than 107 bytes.
RUNTIME=/run/perf-gate/engine-$(printf '%s' "${CACHE}" | cksum | cut -d ' ' -f 1)
readonly RUNTIME
readonly SOCKET=${RUNTIME}/docker.sock
readonly START_SECONDS=90
readonly STOP_SECONDS=30

usage() {
  cat <<EOF
Usage: scripts/engine.sh start [--dry-run]
       scripts/engine.sh status
       scripts/engine.sh stop

  start      make a Docker engine >= ${AT_LEAST[engine]}, compose >= ${AT_LEAST[compose]} and buildx answer. What answers already is used;
             else, as root on Debian and Ubuntu, missing packages are installed (no service is started or enabled) and
             a private engine is started. Prints DOCKER_HOST=... to be exported.
  --dry-run  say what would be done, and stop
  status     print DOCKER_HOST=... of the engine that answers; status 4 where start is needed
  stop       end the private engine; its images stay in ${STATE}

PERF_GATE_CACHE names another directory than ${CACHE}.
Exit status: 0 it answers, 2 wrong usage, 4 no engine can be had.
EOF
}

# ---------------------------------------------------------------- what is here

# at_least WANTED VERSION
at_least() {
  printf '%s\n' "$1" "${2#v}" | sort -V -C
}

# Prints the version of the engine at the given address; "" is the one that docker takes by itself.
engine_version() {
  DOCKER_HOST=$1 timeout 10 docker version --format '{{.Server.Version}}' 2>/dev/null
}

# Prints the address of the first engine that answers. A private one of somebody else is as good as ours: two on one
# machine would take each other's network rules.
find_engine() {
  local socket
  has docker || return 1
  if engine_version "${DOCKER_HOST:-}" >/dev/null; then
    printf '%s\n' "${DOCKER_HOST:-$(docker context inspect --format '{{.Endpoints.docker.Host}}')}"
    return
  fi
  for socket in "${SOCKET}" "${RUNTIME%/*}"/engine-*/docker.sock; do
    if [[ -S ${socket} ]] && engine_version "unix://${socket}" >/dev/null; then
      printf 'unix://%s\n' "${socket}"
      return
    fi
  done
  return 1
}

# Prints the version of compose or buildx; status 1 where it is absent.
plugin_version() {
  has docker || return 1
  case "$1" in
    compose) docker compose version --short 2>/dev/null ;;
    buildx) docker buildx version 2>/dev/null | cut -d ' ' -f 2 ;;
    *) bail_choice plugin "$1" 'compose, buildx' ;;
  esac
}

# Prints what has to be installed, one per line: cli, engine, compose, buildx. $1: address of the engine, may be empty.
absent() {
  local plugin
  has docker || printf 'cli\n'
  [[ -n $1 ]] || has dockerd || printf 'engine\n'
  for plugin in compose buildx; do
    at_least "${AT_LEAST[${plugin}]}" "$(plugin_version "${plugin}" || printf 0)" || printf '%s\n' "${plugin}"
  done
}

# ---------------------------------------------------------------- packages

distribution() {
  sed -n 's/^ID=//p' /etc/os-release 2>/dev/null || true
}

# Prints the package of a need.
package_for() {
  case "$1:$(distribution)" in
    cli:debian) printf 'docker-cli\n' ;;
    compose:debian) printf 'docker-compose\n' ;;
    cli:* | engine:*) printf 'docker.io\n' ;;
    compose:*) printf 'docker-compose-v2\n' ;;
    buildx:*) printf 'docker-buildx\n' ;;
    *) bail_choice need "$1" 'cli, engine, compose, buildx' ;;
  esac
}

# True where the release's own package of a need is new enough.
release_suffices() {
  local need=$1
  [[ ${need} != cli ]] || need=engine
  at_least "${AT_LEAST[${need}]}" "$(candidate "$(package_for "$1")" || printf 0)"
}

# check_possible MISSING...: bails out where this machine cannot be helped.
check_possible() {
  if ((EUID != 0)); then
    bail "${EXIT_UNABLE}" "no Docker engine with compose and buildx answers (missing: $*), and starting one needs root: \
start Docker, or run as root: scripts/engine.sh start"
  fi
  if ! has apt-get; then
    bail "${EXIT_UNABLE}" "no Docker engine with compose and buildx answers (missing: $*), and this machine has no \
apt-get: install Docker Engine >= ${AT_LEAST[engine]} with compose and buildx (https://docs.docker.com/engine/install)"
  fi
}

# install NEED...
install() (
  local need downloads
  local -a packages=() newer=()
  lists_are_fresh || retry 3 apt_get update
  for need in "$@"; do
    if release_suffices "${need}"; then
      packages+=("$(package_for "${need}")")
    elif [[ $(distribution) == debian ]]; then
      newer+=("$(package_for "${need}")")
    else
      bail "${EXIT_UNABLE}" "this release has no ${need} as new as ${AT_LEAST[${need}]}: install Docker from \
https://docs.docker.com/engine/install"
    fi
  done
  if ((${#newer[@]} > 0)); then
    downloads=$(mktemp -d)
    # shellcheck disable=SC2064 # now, not then
    trap "rm -rf -- '${downloads}'" EXIT
    download_newer "${downloads}" "${newer[@]}"
    packages+=("${downloads}"/*.deb)
  fi
  without_services apt_install "${packages[@]}"
)

# download_newer DIRECTORY PACKAGE...: from Debian's development branch, its lists kept apart from the machine's.
download_newer() {
  local directory=$1 mirror
  local -a options packages
  shift
  packages=("$@")
  mirror=$(debian_mirror) || bail "${EXIT_UNABLE}" 'this machine gets no packages from Debian: its apt sources name none'
  mkdir -- "${directory}/lists"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "${mirror}" "${DEVELOPMENT}" \
    >"${directory}/sources.list"
  options=(
    -o "Dir::Etc::sourcelist=${directory}/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=${directory}/lists" -o Acquire::Languages=none
    # A mirror may be a while behind.
    -o Acquire::Check-Valid-Until=false
    # The directory is root's.
    -o APT::Sandbox::User=root
  )
  retry 3 apt_get "${options[@]}" update
  # A dependency that older releases do not have.
  if [[ " ${packages[*]} " == *' docker.io '* ]] && ! installable tini-static; then
    packages+=(tini-static)
  fi
  (cd -- "${directory}" && retry 3 apt_get "${options[@]}" download "${packages[@]}")
}

# ---------------------------------------------------------------- the private engine

# Prints the process ids of what runs for the private engine: dockerd itself, its containerd and shims.
own_processes() {
  local file
  for file in /proc/[0-9]*/cmdline; do
    if grep -Fqs -- "${RUNTIME}/" "${file}"; then
      file=${file%/cmdline}
      printf '%s\n' "${file##*/}"
    fi
  done
}

# launch OPTION...: starts dockerd and waits until it answers; status 1 where it does not.
launch() {
  local deadline=$((SECONDS + START_SECONDS)) pid
  info "starting a private Docker engine${*:+ with $*}"
  # In a session of its own, so that Ctrl-C in this terminal is not meant for it.
  setsid -- dockerd --config-file "${STATE}/daemon.json" --host "unix://${SOCKET}" --data-root "${STATE}/data" \
    --exec-root "${RUNTIME}/exec" --pidfile "${RUNTIME}/docker.pid" "$@" >|"${LOG}" 2>&1 </dev/null &
  pid=$!
  while ((SECONDS < deadline)) && kill -0 "${pid}" 2>/dev/null; do
    if [[ -S ${SOCKET} ]] && engine_version "unix://${SOCKET}" >/dev/null; then
      disown "${pid}"
      return
    fi
    sleep 0.1
  done
  return 1
}

start_private() {
  mkdir -p -- "${RUNTIME}"
  # The settings of the machine's own engine are not meant for this one.
  printf '{}\n' >|"${STATE}/daemon.json"
  if ! launch; then
    stop_private
    mkdir -p -- "${RUNTIME}"
    # Containers still reach each other and this machine.
    launch --iptables=false --ip6tables=false || return 1
    warn 'the engine runs without iptables: containers do not reach the network beyond this machine'
  fi
}

# Ends it and all that it runs, and leaves nothing in the way of the next start.
stop_private() {
  local pid child deadline=$((SECONDS + STOP_SECONDS))
  if [[ -S ${SOCKET} ]] && engine_version "unix://${SOCKET}" >/dev/null; then
    # It would give each container ten seconds.
    DOCKER_HOST=unix://${SOCKET} docker ps --quiet | DOCKER_HOST=unix://${SOCKET} xargs -r docker kill >/dev/null 2>&1 || true
  fi
  if pid=$(cat -- "${RUNTIME}/docker.pid" 2>/dev/null) && grep -Fqs -- "${RUNTIME}/" "/proc/${pid}/cmdline"; then
    kill -TERM "${pid}" 2>/dev/null || true
    while kill -0 "${pid}" 2>/dev/null && ((SECONDS < deadline)); do
      sleep 0.1
    done
  fi
  # What an engine that was killed left behind: its containerd, and shims with their containers.
  for pid in $(own_processes); do
    for child in $(cat -- /proc/"${pid}"/task/*/children 2>/dev/null || true); do
      kill -KILL "${child}" 2>/dev/null || true
    done
    kill -KILL "${pid}" 2>/dev/null || true
  done
  awk -v a="${RUNTIME}/" -v b="${STATE}/data/" 'index($2 "/", a) == 1 || index($2 "/", b) == 1 { print $2 }' /proc/mounts |
    sort -r | xargs -r -d '\n' umount --lazy -- 2>/dev/null || true
  rm -rf -- "${RUNTIME}"
}

# ---------------------------------------------------------------- the commands

# Bails out where the engine that answers is too old for us: the machine's own is not replaced.
check_version() {
  local version
  version=$(engine_version "$1")
  if ! at_least "${AT_LEAST[engine]}" "${version}"; then
    bail "${EXIT_UNABLE}" "the Docker engine at $1 is ${version}, ${AT_LEAST[engine]} or newer is needed: update it, or stop it"
  fi
}

start() {
  local dry_run=$1 host
  local -a needs
  host=$(find_engine) || host=''
  mapfile -t needs < <(absent "${host}")
  [[ -z ${host} ]] || check_version "${host}"
  if [[ -n ${host} ]] && ((${#needs[@]} == 0)); then
    info "Docker engine $(engine_version "${host}"), compose $(plugin_version compose) and buildx $(plugin_version buildx) are here already"
    printf 'DOCKER_HOST=%s\n' "${host}"
    return
  fi
  check_possible "${needs[@]:-a running engine}"
  if [[ -n ${dry_run} ]]; then
    ((${#needs[@]} == 0)) || info "would install packages for: ${needs[*]}"
    [[ -n ${host} ]] || info "would start a private Docker engine with its images in ${STATE}"
    return
  fi
  mkdir -p -- "${STATE}"
  # Two at once end up with one engine.
  exec 8>>"${STATE}/lock"
  flock 8
  if ((${#needs[@]} > 0)); then
    group "Install packages for: ${needs[*]}"
    install "${needs[@]}" || bail "${EXIT_UNABLE}" "packages could not be installed, see above: ${needs[*]}"
    hash -r
    group_end
  fi
  if ! host=$(find_engine); then
    trap stop_private EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    # Whoever calls waits until its pipes are closed by all.
    start_private 8>&- 3>&- || bail "${EXIT_UNABLE}" "dockerd does not start; the last line of ${LOG}: $(tail -n 1 -- "${LOG}" || true)"
    host=unix://${SOCKET}
    check_version "${host}"
    trap - EXIT
  fi
  mapfile -t needs < <(absent "${host}")
  if ((${#needs[@]} > 0)); then
    bail "${EXIT_UNABLE}" "installed, but docker finds none new enough: ${needs[*]}; is an older one in ~/.docker/cli-plugins?"
  fi
  printf 'DOCKER_HOST=%s\n' "${host}"
}

status() {
  local host
  if ! host=$(find_engine) || [[ -n $(absent "${host}") ]]; then
    return "${EXIT_UNABLE}"
  fi
  printf 'DOCKER_HOST=%s\n' "${host}"
}

stop() {
  if [[ ! -e ${RUNTIME} ]]; then
    info 'no private Docker engine runs'
    return
  fi
  if ((EUID != 0)); then
    bail "${EXIT_UNABLE}" 'ending the private Docker engine needs root'
  fi
  mkdir -p -- "${STATE}"
  exec 8>>"${STATE}/lock"
  flock 8
  stop_private
}

main() {
  case "${1:-}" in
    start)
      case "${2:-}" in
        '' | --dry-run) start "${2:-}" ;;
        *) bail_choice start "$2" '--dry-run' ;;
      esac
      ;;
    status) status ;;
    stop) stop ;;
    --help | -h) usage ;;
    *) bail_choice command "${1:-}" 'start, status, stop, --help' ;;
  esac
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  main "$@"
fi

#!/usr/bin/env bats
# scripts/engine.sh: what it says where it cannot help, and a real private engine from start to stop.

bats_require_minimum_version 1.5.0

setup() {
  SCRIPTS=$(cd "${BATS_TEST_DIRNAME}/../.." && pwd -P)
  unset GITHUB_ACTIONS DOCKER_HOST DOCKER_CONTEXT
  export PERF_GATE_CACHE=${BATS_TEST_TMPDIR}/cache RETRY_SECONDS=0
  BIN=${BATS_TEST_TMPDIR}/bin
  mkdir -p "${BIN}"
}

teardown() {
  "${SCRIPTS}/engine.sh" stop
}

# A docker whose engine, compose and buildx have the given versions; "" is absent.
plant_docker() {
  printf '#!/usr/bin/env bash
case "$1 ${2:-}" in
  "version --format") [[ -n "%s" ]] && echo "%s" ;;
  "context inspect") echo unix:///planted.sock ;;
  "compose version") [[ -n "%s" ]] && echo "%s" ;;
  "buildx version") [[ -n "%s" ]] && echo "github.com/docker/buildx %s abc" ;;
  *) exit 1 ;;
esac\n' "$1" "$1" "$2" "$2" "$3" "$3" >"${BIN}/docker"
  chmod +x "${BIN}/docker"
  PATH=${BIN}:${PATH}
}

# Runs functions of engine.sh.
inside() {
  run bash -c "source '${SCRIPTS}/engine.sh'; $1"
}

@test "an engine that answers is used, and nothing is touched" {
  plant_docker 28.0.4 v2.38.2 v0.25.0
  run --separate-stderr "${SCRIPTS}/engine.sh" start
  [[ ${status} -eq 0 ]]
  [[ ${output} == 'DOCKER_HOST=unix:///planted.sock' ]]
  [[ ${stderr} == 'Docker engine 28.0.4, compose v2.38.2 and buildx v0.25.0 are here already' ]]
  [[ ! -e ${PERF_GATE_CACHE} ]]
  run --separate-stderr "${SCRIPTS}/engine.sh" status
  [[ ${output} == 'DOCKER_HOST=unix:///planted.sock' ]]
}

@test "an engine that is too old is named with the fix, and not replaced" {
  plant_docker 24.0.7 2.40.3 0.29.1
  run "${SCRIPTS}/engine.sh" start
  [[ ${status} -eq 4 ]]
  [[ ${output} == 'error: the Docker engine at unix:///planted.sock is 24.0.7, 25.0 or newer is needed: update it, or stop it' ]]
  [[ ! -e ${PERF_GATE_CACHE} ]]
}

@test "compose that is absent or too old is what is missing; newer is not" {
  plant_docker 28.0.4 '' 0.29.1
  inside 'absent unix:///planted.sock'
  [[ ${output} == compose ]]
  plant_docker 28.0.4 2.23.3 0.29.1
  inside 'absent unix:///planted.sock'
  [[ ${output} == compose ]]
  plant_docker 28.0.4 v2.100.0-desktop.1 v0.11.2
  inside 'absent unix:///planted.sock'
  [[ ${output} == buildx ]]
  run "${SCRIPTS}/engine.sh" status
  [[ ${status} -eq 4 ]]
}

@test "--dry-run says what would be done and touches nothing" {
  [[ ${EUID} -eq 0 ]] || skip 'needs root'
  plant_docker '' '' ''
  run "${SCRIPTS}/engine.sh" start --dry-run
  [[ ${status} -eq 0 ]]
  [[ ${output} == *'would install packages for:'*'compose buildx'* ]]
  [[ ${output} == *"would start a private Docker engine with its images in ${PERF_GATE_CACHE}/engine" ]]
  [[ ! -e ${PERF_GATE_CACHE} ]]
}

@test "without root: status 4, what is missing and the command" {
  [[ ${EUID} -eq 0 ]] || skip 'needs root, to become somebody else'
  plant_docker '' '' ''
  chmod 755 "${BATS_TEST_TMPDIR}" "${BIN}"
  run setpriv --reuid 65534 --regid 65534 --clear-groups bash -c "cat '${SCRIPTS}/engine.sh' >/dev/null"
  [[ ${status} -eq 0 ]] || skip 'others may not read this directory'
  run setpriv --reuid 65534 --regid 65534 --clear-groups "${SCRIPTS}/engine.sh" start
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'missing: '*'compose buildx'*'run as root: scripts/engine.sh start' ]]
}

@test "packages are named as the distribution names them" {
  inside 'distribution() { echo debian; }; for need in cli engine compose buildx; do package_for "${need}"; done'
  [[ ${output} == $'docker-cli\ndocker.io\ndocker-compose\ndocker-buildx' ]]
  inside 'distribution() { echo ubuntu; }; for need in cli engine compose buildx; do package_for "${need}"; done'
  [[ ${output} == $'docker.io\ndocker.io\ndocker-compose-v2\ndocker-buildx' ]]
}

@test "a release that is too old is no use where there is no newer one to take from" {
  inside 'lists_are_fresh() { true; }; distribution() { echo ubuntu; }; candidate() { echo 24.0.5-0ubuntu1; }; install engine'
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'no engine as new as 25.0'* ]]
}

@test "wrong usage is status 2 and names what is allowed" {
  run "${SCRIPTS}/engine.sh"
  [[ ${status} -eq 2 ]]
  [[ ${output} == "error: command: '' is not known; allowed: start, status, stop, --help" ]]
  run "${SCRIPTS}/engine.sh" start --force
  [[ ${status} -eq 2 ]]
}

# ---------------------------------------------------------------- for real

# Two engines on one machine would take each other's network rules.
needs_a_private_engine() {
  [[ ${EUID} -eq 0 ]] || skip 'a private engine needs root'
  ! docker version >/dev/null 2>&1 || skip 'this machine has an engine'
  ! grep -Flsq dockerd /proc/[0-9]*/comm || skip 'another engine runs'
  [[ -n $(type -P apt-get) ]] || skip 'a private engine needs apt'
}

left() {
  local runtime
  runtime=$(bash -c "source '${SCRIPTS}/engine.sh'; echo \"\${RUNTIME}\"")
  bash -c "source '${SCRIPTS}/engine.sh'; own_processes"
  ls -d "${runtime}" 2>/dev/null || true
  grep -F "${PERF_GATE_CACHE}/" /proc/mounts || true
}

@test "a private engine: started, found again, killed, started again, stopped, nothing left" {
  needs_a_private_engine
  local first pid
  run --separate-stderr "${SCRIPTS}/engine.sh" start
  [[ ${status} -eq 0 ]]
  [[ ${output} == DOCKER_HOST=unix:///run/perf-gate/engine-*/docker.sock ]]
  first=${output}
  env "${first}" docker info >/dev/null
  env "${first}" docker compose version
  env "${first}" docker buildx version

  run --separate-stderr "${SCRIPTS}/engine.sh" start
  [[ ${output} == "${first}" ]]
  [[ ${stderr} == *'are here already' ]]

  pid=$(cat "$(dirname "${first#DOCKER_HOST=unix://}")/docker.pid")
  kill -KILL "${pid}"
  run "${SCRIPTS}/engine.sh" status
  [[ ${status} -eq 4 ]]
  run --separate-stderr "${SCRIPTS}/engine.sh" start
  [[ ${output} == "${first}" ]]

  run "${SCRIPTS}/engine.sh" stop
  [[ ${status} -eq 0 ]]
  [[ -z $(left) ]]
  run "${SCRIPTS}/engine.sh" stop
  [[ ${output} == 'no private Docker engine runs' ]]
}

@test "interrupted while it starts, it leaves nothing" {
  needs_a_private_engine
  "${SCRIPTS}/engine.sh" start >/dev/null 2>&1 3>&- &
  local pid=$! tries result=0
  for ((tries = 0; tries < 2400; tries++)); do
    [[ -z $(ls /run/perf-gate/*/docker.pid 2>/dev/null) ]] || break
    sleep 0.05
  done
  kill -TERM "${pid}"
  wait "${pid}" || result=$?
  [[ ${result} -eq 143 ]]
  [[ -z $(left) ]]
}

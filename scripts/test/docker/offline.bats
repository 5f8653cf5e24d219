#!/usr/bin/env bats
# docker/offline/build.sh: what it takes, what it leaves alone, what it says where it cannot help. The stand-ins
# themselves are tested by images.test.ts.
bats_require_minimum_version 1.5.0

setup() {
  BUILD=$(cd "${BATS_TEST_DIRNAME}/../../.." && pwd -P)/docker/offline/build.sh
  unset GITHUB_ACTIONS DOCKER_HOST
  export RETRY_SECONDS=0 CALLS=${BATS_TEST_TMPDIR}/calls
  BIN=${BATS_TEST_TMPDIR}/bin
  mkdir -p "${BIN}"
  : >"${CALLS}"
  PATH=${BIN}:${PATH}
}

# A docker that writes down what it is asked; it has the images that match the pattern $1, registries those of $2.
plant_docker() {
  printf '#!/usr/bin/env bash
printf "%%s\\n" "$*" >>"${CALLS}"
case "$1 ${2:-}" in
  "info "*) ;;
  "image inspect") [[ "${*: -1}" == %s ]] ;;
  "pull "*) [[ "${*: -1}" == %s ]] ;;
  *) exit 1 ;;
esac\n' "$1" "$2" >"${BIN}/docker"
  chmod +x "${BIN}/docker"
}

# Runs functions of build.sh.
inside() {
  run bash -c "source '${BUILD}'; $1"
}

@test "an unknown image is status 2 and names what is known" {
  plant_docker '*' '*'
  run "${BUILD}" redis:7 postgres:17
  [[ ${status} -eq 2 ]]
  [[ ${output} == "error: image: 'postgres:17' is not known; allowed: php:7.4-fpm, "* ]]
  [[ ! -s ${CALLS} ]]
}

@test "no engine: status 4 and the fix" {
  printf '#!/bin/sh\nexit 1\n' >"${BIN}/docker"
  chmod +x "${BIN}/docker"
  run "${BUILD}"
  [[ ${status} -eq 4 ]]
  [[ ${output} == 'error: no Docker engine answers: scripts/engine.sh start' ]]
}

@test "images that are there are left alone" {
  plant_docker '*' none
  run "${BUILD}"
  [[ ${status} -eq 0 ]]
  [[ -z ${output} ]]
  ! grep -Evq '^(info|image inspect)' "${CALLS}" || false
}

@test "--pull takes what a registry gives; without it none is asked" {
  plant_docker none redis:7
  run "${BUILD}" --pull redis:7
  [[ ${status} -eq 0 ]]
  grep -Fqx 'pull --quiet -- redis:7' "${CALLS}"
  : >|"${CALLS}"
  inside 'check_possible() { echo "would make $*"; exit 7; }; main redis:7'
  [[ ${output} == 'would make redis:7' ]]
  ! grep -q '^pull' "${CALLS}" || false
}

@test "where it cannot make them it says what would help" {
  plant_docker none none
  inside 'has() { [[ $1 != apt-get ]]; }; main redis:7'
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'docker pull redis:7' || ${output} == *'run as root: docker/offline/build.sh redis:7' ]]
  inside 'lists_are_fresh() { true; }; debian_mirror() { false; }; main redis:7'
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'name no Debian archive: docker pull redis:7' || ${output} == *'run as root: docker/offline/build.sh redis:7' ]]
}

@test "each image has its target and the Debian release that it comes from" {
  inside 'for image in php:7.4-fpm php:8.2-fpm-bookworm php:8.4-cli nginx:1.26 redis:7-alpine mysql:8.0 debian:bullseye-slim ghcr.io/shopify/toxiproxy:2.12.0 grafana/k6:1.8.1; do
    echo "$(target_of "${image}") $(suite_of "${image}")"
  done'
  [[ ${output} == 'php-7-4 bullseye
php-8-2 bookworm
php-8-4 trixie
nginx trixie
redis trixie
mysql trixie
base bullseye
toxiproxy 
k6 trixie' ]]
}

@test "k6's image is made from this machine's k6 or not at all" {
  plant_docker none none
  printf '#!/bin/sh\necho "k6 v1.8.1 (go1.26.0, linux/amd64)"\n' >"${BIN}/k6"
  chmod +x "${BIN}/k6"
  export PERF_GATE_CACHE=${BATS_TEST_TMPDIR}/cache
  inside 'make_k6 grafana/k6:1.9.0'
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'grafana/k6:1.9.0 is made from the k6 of this machine, which is: k6 v1.8.1 '* ]]
  rm "${BIN}/k6"
  inside 'PATH=/usr/bin:/bin; make_k6 grafana/k6:1.8.1'
  [[ ${status} -eq 4 ]]
  [[ ${output} == *'k6 1.8.1 is not here'*'grafana/k6:1.8.1 is made from the k6 of this machine, see above'* ]]
}

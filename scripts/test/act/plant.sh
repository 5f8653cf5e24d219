#!/usr/bin/env bash
# Makes a git repository of the reference application in two commits: as it is, and with a plant.
#
#   scripts/test/act/plant.sh DIRECTORY PLANT CONFIGURATION
set -CeEuo pipefail

ROOT=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd -P)
readonly ROOT

main() {
  local directory=$1 plant=$2 configuration=$3
  git init --quiet --initial-branch main -- "${directory}"
  cp -R -- "${ROOT}/fixtures/app/." "${directory}/"
  cp -- "${configuration}" "${directory}/perf-gate.yml"
  commit "${directory}" 'the service'
  printf "<?php\n\nreturn '%s';\n" "${plant}" >|"${directory}/plant.php"
  commit "${directory}" "a change: ${plant}"
}

commit() {
  git -C "$1" add --all
  git -C "$1" -c user.name=perf-gate -c user.email=perf-gate@example.invalid commit --quiet --message "$2"
}

main "$@"

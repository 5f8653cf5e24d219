#!/usr/bin/env bash
# Draws the charts of a trend: trend.sh IN_DIR OUT_DIR
# Draws every IN_DIR/NAME.json, as perf-gate trend writes them, as OUT_DIR/NAME.svg.
# Exit status: see draw.sh.
set -CeEuo pipefail

# shellcheck source=draw.sh
source "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")/draw.sh"

main() {
  (($# == 2)) || bail 2 "usage: trend.sh IN_DIR OUT_DIR"
  need_tools
  [[ -d $1 ]] || bail 2 "cannot read $1"
  mkdir -p -- "$2"
  local from to json
  from="$(realpath -- "$1")"
  to="$(realpath -- "$2")"
  scratch="$(mktemp -d)"
  trap 'rm -rf -- "${scratch}"' EXIT
  cd -- "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")"
  for json in "${from}"/*.json; do
    [[ -e ${json} ]] || continue
    draw trend "${json}" "${to}/$(basename -- "${json}" .json).svg" "${scratch}"
  done
}

main "$@"

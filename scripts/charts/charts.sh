#!/usr/bin/env bash
# Draws the charts of a comparison: charts.sh COMPARISON_JSON OUT_DIR
# Writes qps.svg, latency.svg and rounds.svg into OUT_DIR, leaving out those with nothing to draw.
# Exit status: see draw.sh.
set -CeEuo pipefail

# shellcheck source=draw.sh
source "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")/draw.sh"

main() {
  (($# >= 2)) || bail 2 "usage: charts.sh JSON OUT_DIR [KIND...]"
  need_tools
  [[ -r $1 ]] || bail 2 "cannot read $1"
  mkdir -p -- "$2"
  local json directory
  json="$(realpath -- "$1")"
  directory="$(realpath -- "$2")"
  scratch="$(mktemp -d)"
  trap 'rm -rf -- "${scratch}"' EXIT
  cd -- "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")"
  shift 2
  (($# > 0)) || set -- qps latency rounds
  local name
  for name; do
    draw "${name}" "${json}" "${directory}/${name}.svg" "${scratch}"
  done
}

main "$@"

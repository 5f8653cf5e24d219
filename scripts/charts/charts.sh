#!/usr/bin/env bash
# Draws the charts of a comparison: charts.sh COMPARISON_JSON OUT_DIR
# Writes qps.svg, latency.svg and rounds.svg into OUT_DIR, leaving out those with nothing to draw.
# Exit status: 0 drawn, 2 wrong usage or unreadable input, 3 jq or gnuplot is not there, 4 a chart could not be drawn.
set -CeEuo pipefail

bail() {
  local status=$1
  shift
  printf 'charts: %s\n' "$*" >&2
  exit "${status}"
}

# Makes the greys of text and frame follow the page: gnuplot writes them as attributes, which a style overrides.
finish() {
  local svg=$1
  local ink='[fill="rgb(128,129,130)"]' faint='[stroke="rgb(128, 129, 131)"]'
  local style="svg{color-scheme:light dark}${ink}{fill:#4a525b}${faint}{stroke:#a3abb5}"
  style+="@media (prefers-color-scheme:dark){${ink}{fill:#b9c2cc}${faint}{stroke:#59636e}}"
  sed -e "s|<title>[^<]*</title>|<style>${style}</style>|" -- "${svg}"
}

draw() {
  local comparison=$1 directory=$2 scratch=$3 name=$4
  local data="${scratch}/${name}.tsv" raw="${scratch}/${name}.svg" log="${scratch}/${name}.log"
  jq -r -L . -f "${name}.jq" -- "${comparison}" >"${data}" || bail 2 "${comparison} is not a comparison that can be drawn"
  case "$(head -n 1 -- "${data}" | cut -f 1)" in
    0) return 0 ;;
    *) ;;
  esac
  gnuplot -c "${name}.gp" "${data}" "${raw}" >"${log}" 2>&1 ||
    bail 4 "gnuplot could not draw ${name}: $(tail -n 3 -- "${log}" | tr '\n' ' ')"
  finish "${raw}" >"${raw}.finished"
  mv -f -- "${raw}.finished" "${directory}/${name}.svg"
}

main() {
  (($# == 2)) || bail 2 "usage: charts.sh COMPARISON_JSON OUT_DIR"
  local tool
  for tool in jq gnuplot; do
    command -v "${tool}" >/dev/null || bail 3 "${tool} is not installed: the charts are left out"
  done
  [[ -r $1 ]] || bail 2 "cannot read $1"
  mkdir -p -- "$2"
  local comparison directory
  comparison="$(realpath -- "$1")"
  directory="$(realpath -- "$2")"
  scratch="$(mktemp -d)"
  trap 'rm -rf -- "${scratch}"' EXIT
  cd -- "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")"
  local name
  for name in qps latency rounds; do
    draw "${comparison}" "${directory}" "${scratch}" "${name}"
  done
}

main "$@"

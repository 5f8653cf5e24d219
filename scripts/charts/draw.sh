# shellcheck shell=bash
# What draws charts: sourced by charts.sh and trend.sh, from the directory they are in.
# Exit status of both: 0 drawn, 2 wrong usage or unreadable input, 3 jq or gnuplot is not there, 4 a chart could not
# be drawn.

bail() {
  local status=$1
  shift
  printf 'charts: %s\n' "$*" >&2
  exit "${status}"
}

need_tools() {
  local tool
  for tool in jq gnuplot; do
    command -v "${tool}" >/dev/null || bail 3 "${tool} is not installed: the charts are left out"
  done
}

# Makes the greys of text and frame follow the page: gnuplot writes them as attributes, which a style overrides.
finish() {
  local svg=$1
  local ink='[fill="rgb(128,129,130)"]' faint='[stroke="rgb(128, 129, 131)"]'
  local style="svg{color-scheme:light dark}${ink}{fill:#4a525b}${faint}{stroke:#a3abb5}"
  style+="@media (prefers-color-scheme:dark){${ink}{fill:#b9c2cc}${faint}{stroke:#59636e}}"
  sed -e "s|<title>[^<]*</title>|<style>${style}</style>|" -- "${svg}"
}

# draw KIND JSON SVG SCRATCH: what KIND.jq makes of the JSON, drawn by KIND.gp; no file where there is nothing to draw.
draw() {
  local kind=$1 json=$2 svg=$3 scratch=$4
  local data="${scratch}/data.tsv" raw="${scratch}/raw.svg" log="${scratch}/log"
  jq -r -L . -f "${kind}.jq" -- "${json}" >|"${data}" || bail 2 "${json} holds nothing that can be drawn"
  case "$(head -n 1 -- "${data}" | cut -f 1)" in
    0) return 0 ;;
    *) ;;
  esac
  gnuplot -c "${kind}.gp" "${data}" "${raw}" >|"${log}" 2>&1 ||
    bail 4 "gnuplot could not draw ${svg##*/}: $(tail -n 3 -- "${log}" | tr '\n' ' ')"
  finish "${raw}" >|"${raw}.finished"
  mv -f -- "${raw}.finished" "${svg}"
}

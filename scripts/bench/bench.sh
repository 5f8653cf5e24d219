#!/usr/bin/env bash
# Benchmarks of perf-gate itself: what its promises are worth on this machine. Run without arguments for the list.
set -CeEuo pipefail

HOME_DIRECTORY=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
readonly HOME_DIRECTORY
readonly LAUNCHER=${HOME_DIRECTORY}/scripts/perf-gate
readonly APP=${HOME_DIRECTORY}/fixtures/app

usage() {
  cat <<'TEXT'
usage: bench.sh COMMAND

  aa [N]              N runs (5) of the default suite on an unchanged tree: verdicts, green cells, where the time went
  plant NAME [N]      N runs (3) of the cells that a plant of the reference application concerns
  suite NAME          one run of the default suite with a plant
  neighbour [on|off]  one unchanged run beside a neighbour that burns a core in bursts of 1-20 s half of the time,
                      with the check for foreign load on (default) or off
  wrk [ROUNDS]        QPS as measured against wrk's
  compare             time of compare and report on 100 and 1,000 cells

Work directories are kept below $BENCH_DIRECTORY (default: a new temporary directory).
TEXT
}

bail() {
  printf 'bench: %s\n' "$*" >&2
  exit 2
}

# Copies the reference application, with a plant or none.
tree() {
  local directory=$1 plant=$2
  mkdir -p -- "$(dirname -- "${directory}")"
  cp -R -- "${APP}" "${directory}"
  [[ -z ${plant} ]] || printf "<?php\n\nreturn '%s';\n" "${plant}" >|"${directory}/plant.php"
}

# One line about a finished run.
summary() {
  local name=$1 work=$2
  jq -r --arg name "${name}" '
    def percent: . * 1000 | round / 10;
    def change($metric): [.cells[].tests[], (.overall // empty)] | map(select(.metric == $metric and .estimate != null))
      | min_by(if $metric == "latency" then -.estimate.ratio else .estimate.ratio end)
      | if . == null then "-" else "\(.id) \((.estimate.ratio - 1) | percent)% [\((.estimate.low - 1) | percent) .. \((.estimate.high - 1) | percent)] \(.verdict)" end;
    .times as $t | ($t.wall - $t.pilot - $t.total) as $rest
    | "\($name): \(.verdict)  green \([.cells[] | select(.verdict == "pass")] | length) of \(.cells | length)"
    + "  blocks \(.blocks)  slots \(.slots) struck \(.struck | tojson)  disturbed rounds \(.disturbed)"
    + "  wall \($t.wall | round) s (load \($t.load / $t.wall | percent)%, restarts \($t.restart / $t.wall | percent)%,"
    + " warm-up \($t.warmUp / $t.wall | percent)%, k6 start \($t.k6Start / $t.wall | percent)%, pilot \($t.pilot / $t.wall | percent)%,"
    + " start, census and end \($rest / $t.wall | percent)%)"
    + "\n    QPS: \(change("qps"))\n    p99: \(change("latency"))\n    overall: \(change("overall-qps"))"
    + (if (.census | length) > 0 then "\n    census: " + ([.census[] | "\(.scenario): \(.count) \(.base.perRequest) -> \(.head.perRequest)"] | join("; ")) else "" end)
  ' "${work}/comparison.json"
}

# run NAME PLANT CONFIG: one run, its summary.
run() {
  local name=$1 plant=$2 config=$3
  local directory=${BENCH_DIRECTORY}/${name}
  rm -rf -- "${directory}"
  tree "${directory}/base" ''
  tree "${directory}/head" "${plant}"
  "${LAUNCHER}" run --base "${directory}/base" --head "${directory}/head" --config "${config}" --driver process \
    --work-directory "${directory}/work" >|"${directory}.out" 2>|"${directory}.err" || true
  [[ -f ${directory}/work/comparison.json ]] || bail "${name} did not finish: $(tail -n 5 -- "${directory}.err")"
  summary "${name}" "${directory}/work"
}

# The cells that a plant concerns, as a configuration of their own.
plant_config() {
  local plant=$1 file=${BENCH_DIRECTORY}/$1.yml
  local -a scenarios=('one query, persistent:/query?connection=persistent' 'five queries, persistent:/queries?n=5&connection=persistent')
  case "${plant}" in
    cpu-15) scenarios+=('health:/health') ;;
    stall) scenarios=('health:/health' 'one query, persistent:/query?connection=persistent') ;;
    n-plus-one | extra-query | lost-persistent | errors | slow-2) ;;
    *) bail "plant: unknown ${plant@Q}; allowed: extra-query, cpu-15, lost-persistent, n-plus-one, stall, errors, slow-2" ;;
  esac
  {
    sed -n '1,/^scenarios:/p' -- "${APP}/perf-gate.yml"
    local scenario
    for scenario in "${scenarios[@]}"; do
      printf '  - { name: "%s", path: "%s", levels: [20] }\n' "${scenario%%:*}" "${scenario#*:}"
    done
    printf 'measure: { slot: 1s }\n'
  } >|"${file}"
  printf '%s\n' "${file}"
}

# Burns one core of the two in bursts of 1-20 s, half of the time.
neighbour() {
  local cpu
  while :; do
    cpu=$((RANDOM % $(nproc)))
    timeout $((1 + RANDOM % 20)) taskset -c "${cpu}" bash -c 'while :; do :; done' || true
    sleep $((1 + RANDOM % 20))
  done
}

beside_neighbour() {
  local check=$1 config=${BENCH_DIRECTORY}/neighbour-$1.yml pid
  cp -- "${APP}/perf-gate.yml" "${config}"
  [[ ${check} == on ]] || printf 'measure: { max-foreign-cpu: off }\n' >>"${config}"
  neighbour &
  pid=$!
  # shellcheck disable=SC2064 # the process of now is meant
  trap "pkill -P ${pid}; kill ${pid}" EXIT
  run "neighbour-${check}" '' "${config}"
}

# Runs a TypeScript file of this directory.
typescript() {
  local name=$1 bundle=${HOME_DIRECTORY}/node_modules/.cache/perf-gate-bench-$1.mjs
  shift
  "${HOME_DIRECTORY}/node_modules/.bin/esbuild" "${HOME_DIRECTORY}/scripts/bench/${name}.ts" --bundle --platform=node \
    --format=esm --log-level=warning "--outfile=${bundle}" \
    "--banner:js=import{createRequire as c}from'node:module';const require=c(import.meta.url);" \
    "--define:import.meta.url=\"file://${HOME_DIRECTORY}/scripts/test/e2e/rig.ts\""
  node "${bundle}" "$@"
}

main() {
  local command=${1:-help} i
  BENCH_DIRECTORY=${BENCH_DIRECTORY:-$(mktemp -d -t perf-gate-bench.XXXXXX)}
  mkdir -p -- "${BENCH_DIRECTORY}"
  case "${command}" in
    aa) for ((i = 1; i <= ${2:-5}; i++)); do run "aa-${i}" '' "${APP}/perf-gate.yml"; done ;;
    plant)
      (($# >= 2)) || bail 'plant: which one? extra-query, cpu-15, lost-persistent, n-plus-one, stall, errors'
      local config
      config=$(plant_config "$2")
      for ((i = 1; i <= ${3:-3}; i++)); do run "$2-${i}" "$2" "${config}"; done
      ;;
    suite)
      (($# == 2)) || bail 'suite: which plant?'
      run "suite-$2" "$2" "${APP}/perf-gate.yml"
      ;;
    neighbour)
      case "${2:-on}" in
        on | off) beside_neighbour "${2:-on}" ;;
        *) bail "neighbour: allowed are on and off, got ${2@Q}" ;;
      esac
      ;;
    wrk) typescript wrk "${2:-6}" ;;
    compare) typescript compare ;;
    help | --help | -h) usage ;;
    *) bail "unknown command ${command@Q}; run it without arguments for the list" ;;
  esac
}

main "$@"

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
  distortion [ROUNDS] QPS and p99 as measured against wrk's and ab's, in the suite at 1 to 100 connections
  paths [ROUNDS]      QPS of the bundled containers by three ways: their address, a published port, k6 in their network
  open [BLOCKS]       how repeatable latency is at a fixed arrival rate: BLOCKS blocks (12) of an unchanged head at three
                      rates, in slots of three lengths
  turns [ROUNDS]      what the length of turns and gaps is worth: ROUNDS rounds (13) of an unchanged head and of one that is
                      10% slower, cut in three ways
  cost                time and memory of compare, report, store and trend page, without charts, over the number of cells,
                      rounds and records
  drift               how well steps in a history are found, and how often there is none; beside apache-otava where
                      $OTAVA is a Python that has it
  stored [N]          N records (20) of an unchanged tree, every second beside that neighbour, then each plant judged
                      by the newest 1, 5 and 20 of them; false reds and green cells over resampled histories;
                      relative to the anchor and absolute
  record CONDITION FILE [BLOCKS]
                      BLOCKS blocks (40) of six heads, each beside a base of its own, into FILE.ndjson.gz: what decision
                      rules are tried on; CONDITION is quiet, or neighbour: one that burns a core in bursts of 1-30 s
  replay [RECORDING...]
                      decision rules over recorded blocks (default: all of fixtures/recorded), ours and other tools':
                      tables, and a chart in $BENCH_DIRECTORY/rules.svg
  start [N]           N times (3) from the start of a run in containers to its first measured request, with the images'
                      layers in the build cache and with an empty one: `docker buildx prune --all` is run
  runtimes            PHP 7.4 -> 8.2 -> 8.4, and JIT off -> tracing, in containers: a run each, one table
  capacity [N [WORKERSxMS...]]
                      what `perf-gate capacity` finds in N approaches (3) of workers that sleep so long, and its error in
                      percent of what is known: workers / sleep
  draw [N]            what the draw of a MySQL server matters: N runs (5) of an unchanged tree with one server for both
                      arms, and as many with one each

aa, plant, suite, neighbour, stored and record measure with the driver $BENCH_DRIVER (default: process).
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
    def sd: (add / length) as $m | (map(. - $m | . * .) | add) / (length - 1) | sqrt;
    def spread($metric): [.cells[].tests[] | select(.metric == $metric and (.logRatios | length) > 1).logRatios | sd] | sort
      | if length == 0 then "-" else "\(.[0] | percent)-\(.[-1] | percent)%, median \(.[length / 2 | floor] | percent)%" end;
    def change($metric): [.cells[].tests[], (.overall // empty)] | map(select(.metric == $metric and .estimate != null))
      | min_by(if $metric == "latency" then -.estimate.ratio else .estimate.ratio end)
      | if . == null then "-" else "\(.id) \((.estimate.ratio - 1) | percent)% [\((.estimate.low - 1) | percent) .. \((.estimate.high - 1) | percent)] \(.verdict)" end;
    .times as $t | ($t.wall - $t.pilot - $t.total) as $rest
    | "\($name): \(.verdict)  green \([.cells[] | select(.verdict == "pass")] | length) of \(.cells | length)"
    + "  blocks \(.blocks)  slots \(.slots) struck \(.struck | tojson)  disturbed rounds \(.disturbed)"
    + "  wall \($t.wall | round) s (load \($t.load / $t.wall | percent)%, restarts \($t.restart / $t.wall | percent)%,"
    + " warm-up \($t.warmUp / $t.wall | percent)%, k6 start \($t.k6Start / $t.wall | percent)%, pilot \($t.pilot / $t.wall | percent)%,"
    + " start, census and end \($rest / $t.wall | percent)%)"
    + "\n    sd of log ratios: QPS \(spread("qps")); p99 \(spread("latency"))"
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
  "${LAUNCHER}" run --base "${directory}/base" --head "${directory}/head" --config "${config}" --driver "${BENCH_DRIVER}" \
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
    n-plus-one | extra-query | lost-persistent | errors | slow-2 | slow-5 | slow-10) ;;
    *) bail "plant: unknown ${plant@Q}; allowed: extra-query, cpu-15, lost-persistent, n-plus-one, stall, errors, slow-2, slow-5, slow-10" ;;
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

# neighbour LONGEST: burns one core in bursts of 1 to LONGEST s, half of the time.
neighbour() {
  local longest=$1 cpu
  while :; do
    cpu=$((RANDOM % $(nproc)))
    timeout --foreground $((1 + RANDOM % longest)) taskset -c "${cpu}" bash -c 'while :; do :; done' || true
    sleep $((1 + RANDOM % longest))
  done
}

# beside_neighbour LONGEST COMMAND...: runs the command beside a neighbour that ends with it.
beside_neighbour() {
  local longest=$1 pid status=0
  shift
  # A process group of its own, to end whole.
  set -m
  neighbour "${longest}" 2>/dev/null &
  pid=$!
  set +m
  # shellcheck disable=SC2064 # the process of now is meant
  trap "kill -- -${pid}" EXIT
  "$@" || status=$?
  trap - EXIT
  kill -- "-${pid}"
  wait "${pid}" 2>/dev/null || true
  return "${status}"
}

neighbour_run() {
  local check=$1 config=${BENCH_DIRECTORY}/neighbour-$1.yml
  cp -- "${APP}/perf-gate.yml" "${config}"
  [[ ${check} == on ]] || printf 'measure: { max-foreign-cpu: off }\n' >>"${config}"
  beside_neighbour 20 run "neighbour-${check}" '' "${config}"
}

# seconds_of NAME: one run in containers up to its first measured request, then interrupted; when things began, in
# seconds since the start: the pilot and the first slot that counts.
seconds_of() {
  local name=$1 directory=${BENCH_DIRECTORY}/$1 started pid line
  rm -rf -- "${directory}"
  tree "${directory}/base" ''
  tree "${directory}/head" ''
  started=${EPOCHREALTIME}
  # Each line with the time at which it came.
  "${LAUNCHER}" run --base "${directory}/base" --head "${directory}/head" --config "${APP}/perf-gate.yml" \
    --driver compose --work-directory "${directory}/work" >|"${directory}.out" 2> >(
      while IFS= read -r line; do printf '%s %s\n' "${EPOCHREALTIME}" "${line}"; done >|"${directory}.err"
    ) &
  pid=$!
  until grep -qs '"kind":"slot"' "${directory}/work/samples.ndjson"; do
    kill -0 "${pid}" 2>/dev/null || bail "${name} did not come to its first slot: $(tail -n 5 -- "${directory}.err")"
    sleep 0.2
  done
  kill -INT "${pid}"
  wait "${pid}" || true
  jq -rn --arg name "${name}" --argjson started "${started}" \
    --argjson pilot "$(awk '$2 == "pilot:" { print $1; exit }' "${directory}.err")" \
    --argjson slot "$(jq -n '[inputs | select(.kind == "slot").startedAt] | min / 1000' "${directory}/work/samples.ndjson")" '
    def since: . - $started | . * 10 | round / 10;
    "\($name): pilot after \($pilot | since) s, first slot after \($slot | since) s"'
}

start_times() {
  local repeats=$1 i
  # What comes from elsewhere is pulled, or built by docker/offline, before any clock runs.
  seconds_of warm-up >/dev/null
  for ((i = 1; i <= repeats; i++)); do seconds_of "cached-${i}"; done
  for ((i = 1; i <= repeats; i++)); do
    docker buildx prune --all --force >/dev/null
    seconds_of "empty-cache-${i}"
  done
}

# own_compose SHARED: the bundled containers as a compose file of the tree's own, perf/compose.yaml.
own_compose() {
  printf '%s\n' 'target:' '  compose: perf/compose.yaml' '  service: web' '  port: 8080' "  shared: $1" '  restart: [app]' \
    '  census: { mysql: mysql, redis: redis }' '  health: /ready' '  prepare: [php seed.php]'
}

# runtime_tree DIRECTORY PHP JIT: the reference application with a compose file and php.ini of its own, and a page that
# says what FPM runs with.
runtime_tree() {
  local directory=$1 php=$2 jit=$3 place=$1/perf
  tree "${directory}" ''
  mkdir -- "${place}"
  cp -R -- "${HOME_DIRECTORY}/docker/compose.yaml" "${HOME_DIRECTORY}/docker/default" "${place}"
  sed -i "s/{PERF_GATE_PHP:-[0-9.]*}/{PERF_GATE_PHP:-${php}}/" "${place}/compose.yaml"
  if [[ ${jit} != off ]]; then
    sed -i "s/^opcache.jit = .*/opcache.jit = ${jit}/; s/^opcache.jit_buffer_size = .*/opcache.jit_buffer_size = 64M/" \
      "${place}/default/ini/perf-gate.ini"
  fi
  cat >|"${directory}/public/runtime.php" <<'PHP'
<?php
$status = function_exists('opcache_get_status') ? opcache_get_status(false) : false;
$opcache = is_array($status) && $status['opcache_enabled'];
$jit = $opcache && isset($status['jit']) && $status['jit']['on'] ? ($status['jit']['kind'] === 5 ? 'tracing' : 'function') : 'off';
echo PHP_SAPI, ' ', PHP_VERSION, ', OPcache ', $opcache ? 'on' : 'off', ', JIT ', $jit;
PHP
}

# What an arm that runs now says of itself; nothing before it answers.
runtime_of() {
  local arm=$1 id address
  id=$(docker ps --quiet --latest --filter "label=perf-gate.arm=${arm}" --filter label=com.docker.compose.service=web)
  [[ -n ${id} ]] || return 0
  address=$(docker inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}' "${id}") || return 0
  curl --fail --silent --max-time 2 "http://${address%% *}:8080/runtime.php" || true
}

# runtime_run NAME BASE_PHP BASE_JIT HEAD_PHP HEAD_JIT: one run of two trees that differ in the runtime alone; table rows.
runtime_run() {
  local name=$1 directory=${BENCH_DIRECTORY}/${1// /-} base='' head='' pid
  rm -rf -- "${directory}"
  runtime_tree "${directory}/base" "$2" "$3"
  runtime_tree "${directory}/head" "$4" "$5"
  own_compose '[mysql, redis, http]' >|"${directory}/perf-gate.yml"
  cat >>"${directory}/perf-gate.yml" <<'YAML'
scenarios:
  - { name: health, path: /health, levels: [20] }
  - { name: "five queries, persistent", path: "/queries?n=5&connection=persistent", levels: [20] }
YAML
  "${LAUNCHER}" run --base "${directory}/base" --head "${directory}/head" --config "${directory}/perf-gate.yml" \
    --driver compose --work-directory "${directory}/work" >|"${directory}.out" 2>|"${directory}.err" &
  pid=$!
  while kill -0 "${pid}" 2>/dev/null && [[ -z ${base} || -z ${head} ]]; do
    sleep 0.5
    base=$(runtime_of base)
    head=$(runtime_of head)
  done
  wait "${pid}" || true
  [[ -f ${directory}/work/comparison.json ]] || bail "${name} did not finish: $(tail -n 5 -- "${directory}.err")"
  jq -r --arg name "${name}" --arg base "${base}" --arg head "${head}" '
    def percent: . * 1000 | round / 10 | if . > 0 then "+\(.)%" else "\(.)%" end;
    def figure: if . == null then "-" elif . >= 100 then round else . * 100 | round / 100 end;
    .cells[] | .cell.id as $cell | .tests[] | select(.metric == "qps" or .metric == "latency")
    | "| \($name) | \($cell) | \(.statistic) | \(.base | figure) -> \(.head | figure) | "
      + (.estimate | if . == null then "-" else "\(.ratio - 1 | percent) [\(.low - 1 | percent) .. \(.high - 1 | percent)]" end)
      + " | \(.verdict) | \($base) -> \($head) |"
  ' "${directory}/work/comparison.json"
}

runtimes() {
  printf '| runtime | cell | | base -> head | change | verdict | as read from FPM |\n| --- | --- | --- | --- | --- | --- | --- |\n'
  runtime_run 'PHP 7.4 to 8.2' 7.4 off 8.2 off
  runtime_run 'PHP 8.2 to 8.4' 8.2 off 8.4 off
  runtime_run 'JIT off to tracing' 8.4 off 8.4 tracing
}

# draw_run NAME SHARED: one run of an unchanged tree, eight rounds; per cell the mean and variance of its log ratios.
draw_run() {
  local directory=${BENCH_DIRECTORY}/$1 arm
  rm -rf -- "${directory}"
  for arm in base head; do
    tree "${directory}/${arm}" ''
    mkdir -- "${directory}/${arm}/perf"
    cp -R -- "${HOME_DIRECTORY}/docker/compose.yaml" "${HOME_DIRECTORY}/docker/default" "${directory}/${arm}/perf"
  done
  own_compose "$2" >|"${directory}/perf-gate.yml"
  cat >>"${directory}/perf-gate.yml" <<'YAML'
scenarios:
  - { name: "one query, persistent", path: "/query?connection=persistent", levels: [20] }
  - { name: "five queries, persistent", path: "/queries?n=5&connection=persistent", levels: [20] }
# A margin within which nothing proves itself: all rounds are measured.
gate: { max-qps-drop: 0.1% }
measure: { rounds: 8, slot: 1s }
YAML
  "${LAUNCHER}" run --base "${directory}/base" --head "${directory}/head" --config "${directory}/perf-gate.yml" \
    --driver compose --work-directory "${directory}/work" >|"${directory}.out" 2>|"${directory}.err" || true
  [[ -f ${directory}/work/comparison.json ]] || bail "$1 did not finish: $(tail -n 5 -- "${directory}.err")"
  jq -c --arg name "${1%-*}" '.cells[] | .cell.scenario as $cell | .tests[] | select(.metric == "qps") | .logRatios
    | (add / length) as $mean | { name: $name, cell: $cell, n: length, mean: $mean,
      variance: ((map(. - $mean | . * .) | add) / (length - 1)) }' "${directory}/work/comparison.json"
}

# Is there more between runs than the spread within them explains? F = n var(means) / mean(variances), 1 where not.
draw() {
  local repeats=$1 i
  ((repeats >= 2)) || bail "draw: at least 2 runs show a spread, got ${repeats}"
  for ((i = 1; i <= repeats; i++)); do
    draw_run "one for both-${i}" '[mysql, redis, http]'
    draw_run "one each-${i}" '[redis, http]'
  done | tee -- "${BENCH_DIRECTORY}/draw.ndjson" | jq -rs '
    def percent: . * 1000 | round / 10;
    def variance: (add / length) as $m | (map(. - $m | . * .) | add) / (length - 1);
    "| MySQL | cell | runs: mean change | sd within | sd between | F |", "| --- | --- | --- | --- | --- | --- |",
    (group_by([.name, .cell])[] | (map(.variance) | add / length) as $within | (map(.mean) | variance) as $between
      | "| \(.[0].name) | \(.[0].cell) | \(map(.mean | percent | tostring + "%") | join(", ")) | \($within | sqrt | percent)%"
        + " | \($between | sqrt | percent)% | \(.[0].n * $between / $within * 10 | round / 10) |")'
}

# stored_run WORK: one run of the repository's checkout against the records so far.
stored_run() {
  "${LAUNCHER}" run --base stored --head "${BENCH_DIRECTORY}/stored/app" --driver "${BENCH_DRIVER}" \
    --work-directory "$1" >|"$1.out" 2>|"$1.err" || true
  [[ -f $1/comparison.json ]] || bail "$1 did not finish: $(tail -n 5 -- "$1.err")"
}

stored() {
  local repeats=$1 directory=${BENCH_DIRECTORY}/stored i plant length
  local app=${directory}/app
  rm -rf -- "${directory}"
  mkdir -p -- "${directory}"
  tree "${app}" ''
  sed -n '1,/^scenarios:/p' -- "${APP}/perf-gate.yml" >|"${app}/perf-gate.yml"
  cat >>"${app}/perf-gate.yml" <<'YAML'
  - { name: health, path: /health, levels: [20] }
  - { name: "one query, persistent", path: "/query?connection=persistent", levels: [20] }
  - { name: "five queries, persistent", path: "/queries?n=5&connection=persistent", levels: [20] }
measure: { slot: 1s }
baseline: { store: ../records.ndjson, anchor: v1 }
YAML
  local -a git=(git -C "${app}" -c user.name=bench -c user.email=bench@example.invalid)
  "${git[@]}" init --quiet --initial-branch main
  "${git[@]}" add --all
  "${git[@]}" commit --quiet --message v1
  "${git[@]}" tag v1
  "${git[@]}" commit --quiet --allow-empty --message 'Nothing that is served'
  for ((i = 1; i <= repeats; i++)); do
    # Jobs have different neighbours: every second record is made beside one.
    if ((i % 2 == 1)); then
      stored_run "${directory}/unchanged-${i}"
    else
      beside_neighbour 20 stored_run "${directory}/unchanged-${i}"
    fi
    "${LAUNCHER}" store --work-directory "${directory}/unchanged-${i}" >>"${directory}/store.log" 2>&1
    printf 'record %s: %s\n' "${i}" "$(jq -r '"\(.verdict), \(.times.wall | round) s"' "${directory}/unchanged-${i}/comparison.json")"
  done
  typescript stored "${directory}/records.ndjson"
  printf '\n| plant | records | verdict | QPS, worst cell |\n| --- | --- | --- | --- |\n'
  for plant in lost-persistent extra-query n-plus-one cpu-15 stall; do
    printf "<?php\n\nreturn '%s';\n" "${plant}" >|"${app}/plant.php"
    stored_run "${directory}/${plant}"
    for length in 1 5 20; do
      local work=${directory}/${plant}-${length}
      cp -R -- "${directory}/${plant}" "${work}"
      jq --argjson length "${length}" '.records |= .[-$length:]' "${directory}/${plant}/history.json" >|"${work}/history.json"
      "${LAUNCHER}" compare --work-directory "${work}" >/dev/null 2>&1 || true
      jq -r --arg plant "${plant}" '
        def percent: (. - 1) * 1000 | round / 10;
        ([.cells[].tests[] | select(.metric == "qps" and .estimate != null)] | min_by(.estimate.ratio)) as $worst
        | "| \($plant) | \(.stored.records | length) | \(.verdict) | \($worst.estimate | "\(.ratio | percent)% [\(.low | percent) .. \(.high | percent)]") |"
      ' "${work}/comparison.json"
    done
  done
}

# record CONDITION FILE BLOCKS
record() {
  export BENCH_DRIVER
  case "$1" in
    quiet) typescript record "$@" ;;
    neighbour) beside_neighbour 30 typescript record "$@" ;;
    *) bail "record: allowed are quiet and neighbour, got ${1@Q}" ;;
  esac
}

# replay RECORDING...: tables, and their chart in rules.svg.
replay() {
  local data=${BENCH_DIRECTORY}/rules.tsv raw=${BENCH_DIRECTORY}/raw.svg
  typescript replay "${data}" "$@"
  gnuplot -c "${HOME_DIRECTORY}/scripts/bench/replay.gp" "${data}" "${raw}"
  # In a shell of its own: it names things as we do.
  bash -c 'source "$1" && finish "$2"' finish "${HOME_DIRECTORY}/scripts/charts/draw.sh" "${raw}" |
    sed 's|^<style>|<title>What each rule finds, and what it cries wolf about</title>\n&|' >|"${BENCH_DIRECTORY}/rules.svg"
  printf 'chart: %s\n' "${BENCH_DIRECTORY}/rules.svg" >&2
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
  BENCH_DRIVER=${BENCH_DRIVER:-process}
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
        on | off) neighbour_run "${2:-on}" ;;
        *) bail "neighbour: allowed are on and off, got ${2@Q}" ;;
      esac
      ;;
    distortion)
      { command -v wrk && command -v ab; } >/dev/null || bail 'distortion: needs wrk and ab: apt-get install wrk apache2-utils'
      typescript distortion "${2:-6}"
      ;;
    paths) typescript paths "${2:-8}" ;;
    open) typescript open "${BENCH_DIRECTORY}" "${2:-12}" ;;
    turns) typescript turns "${2:-13}" ;;
    cost | drift) typescript "${command}" ;;
    record)
      (($# >= 3)) || bail 'record: which condition, and into which file?'
      record "$2" "$3" "${4:-40}"
      ;;
    replay)
      shift
      (($# > 0)) || set -- "${HOME_DIRECTORY}"/fixtures/recorded/*.ndjson.gz
      replay "$@"
      ;;
    stored) stored "${2:-20}" ;;
    start) start_times "${2:-3}" ;;
    runtimes) runtimes ;;
    capacity) typescript "$@" ;;
    draw) draw "${2:-5}" ;;
    help | --help | -h) usage ;;
    *) bail "unknown command ${command@Q}; run it without arguments for the list" ;;
  esac
}

main "$@"

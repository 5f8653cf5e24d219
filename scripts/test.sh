#!/usr/bin/env bash
# Installs what the tests need and runs every check and test. The last line is "N passed, N failed", with
# ", N skipped" where some were; status 1 on any failure.
#
#   scripts/test.sh          everything
#   scripts/test.sh --fast   without the slow tests in scripts/test/e2e and scripts/test/act and those that need Docker
set -CeEuo pipefail

SCRIPTS=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly SCRIPTS
readonly ROOT=${SCRIPTS%/*}
# shellcheck source=lib.sh
source "${SCRIPTS}/lib.sh"
# shellcheck source=tools.sh
source "${SCRIPTS}/tools.sh"

PASSED=0
FAILED=0
SKIPPED=0
ENGINE_IS_OURS=''
# Process ids of what runs beside the other parts, by name.
declare -A BESIDE=()
# What failed, one line each, repeated at the end.
FAILURES=()

# count PASSED FAILED SKIPPED: adds to the totals.
count() {
  PASSED=$((PASSED + $1))
  FAILED=$((FAILED + $2))
  SKIPPED=$((SKIPPED + $3))
}

fail() {
  count 0 1 0
  FAILURES+=("$*")
  say error "$*"
}

summary() {
  if ((SKIPPED > 0)); then
    printf '%d passed, %d failed, %d skipped\n' "${PASSED}" "${FAILED}" "${SKIPPED}"
  else
    printf '%d passed, %d failed\n' "${PASSED}" "${FAILED}"
  fi
}

# part NAME COMMAND...: a heading, the command, its seconds.
part() {
  local name=$1 started=${SECONDS}
  shift
  group "${name}"
  "$@"
  group_end
  info "${name}: $((SECONDS - started)) s"
}

# begin NAME COMMAND...: starts a command beside what comes next.
begin() {
  local name=$1
  shift
  "$@" >|"${SCRATCH}/${name}.log" 2>&1 &
  BESIDE[${name}]=$!
}

# end NAME: waits for it and prints what it said; the status is its own.
end() {
  local status=0
  wait "${BESIDE[$1]}" || status=$?
  cat -- "${SCRATCH}/$1.log" >&2
  return "${status}"
}

# check NAME COMMAND...: one static check is one test.
check() {
  local name=$1 status=0
  shift
  "$@" >&2 || status=$?
  if ((status == 0)); then
    count 1 0 0
  else
    fail "${name}: status ${status} from: $*"
  fi
}

# Prints "passed failed skipped" of a vitest JSON report; status 1 where it is no such report. A file that could not
# be loaded has no tests: it counts as one failure.
vitest_counts() {
  node - "$1" <<'EOF'
const report = JSON.parse(require("node:fs").readFileSync(process.argv[2], "utf8"));
const tests = report.testResults.flatMap((file) => file.assertionResults);
const number = (...states) => tests.filter((test) => states.includes(test.status)).length;
const unloaded = report.testResults.filter(
  (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
).length;
const passed = number("passed");
const failed = number("failed");
console.log(passed, failed + unloaded, tests.length - passed - failed);
EOF
}

# Prints "passed failed skipped" of TAP; status 1 where the plan is missing or not fulfilled.
tap_counts() {
  awk '
    /^1\.\.[0-9]+$/ { planned = substr($0, 4) + 0; plan = 1 }
    /^ok / { if (tolower($0) ~ / # skip/) skipped++; else passed++ }
    /^not ok / { failed++ }
    END {
      print passed + 0, failed + 0, skipped + 0
      exit !(plan && planned == passed + failed + skipped)
    }
  ' "$1"
}

# run_suite NAME COUNTER REPORT COMMAND...: runs the command, then counts what the report says. A runner that crashed,
# left no report or ran no test is a failure, whatever it printed.
run_suite() {
  local name=$1 counter=$2 report=$3 status=0 counts passed failed skipped
  shift 3
  "$@" >&2 || status=$?
  if ! counts=$("${counter}" "${report}" 2>/dev/null); then
    fail "${name}: no complete report, status ${status}"
    return
  fi
  read -r passed failed skipped <<<"${counts}"
  count "${passed}" "${failed}" "${skipped}"
  if ((failed > 0)); then
    FAILURES+=("${name}: ${failed} failed, see above")
  elif ((status != 0)); then
    fail "${name}: status ${status} though no test failed"
  elif ((passed == 0)); then
    fail "${name}: no test passed"
  fi
}

# run_vitest PROJECT...: the files of these projects of vitest.config.ts.
run_vitest() {
  local report=${SCRATCH}/vitest.json
  rm -f -- "${report}"
  run_suite vitest vitest_counts "${report}" \
    node_modules/.bin/vitest run --config scripts/vitest.config.ts \
    --reporter=default --reporter=json --outputFile.json="${report}" "${@/#/--project=}"
}

run_bats() {
  # shellcheck disable=SC2016 # the inner shell expands them
  bash -c 'set -o pipefail; bats --formatter tap "${@:2}" 3>&- | tee -- "$1"' bats "${SCRATCH}/bats.tap" "$@"
}

# What run_bats, which has begun as bats, came to.
count_bats() {
  run_suite bats tap_counts "${SCRATCH}/bats.tap" end bats
}

# Prints every shell script git knows: by name, or by its first line.
shell_files() {
  local file first
  while IFS= read -r file; do
    case "${file}" in
      *.sh | *.bash) printf '%s\n' "${file}" ;;
      *.*) ;;
      *)
        first=''
        IFS= read -r first <"${file}" || true
        [[ ${first} != '#!'*sh ]] || printf '%s\n' "${file}"
        ;;
    esac
  done < <(git ls-files --cached --others --exclude-standard | while IFS= read -r file; do
    [[ ! -f ${file} ]] || printf '%s\n' "${file}"
  done)
}

# Being set up is no test; not being so is a failure, and what can still be tested is.
set_up() {
  # Building takes the cores, packages the network and the disk.
  begin k6 "${SCRIPTS}/setup.sh" --for k6 --yes
  "${SCRIPTS}/setup.sh" --for test --yes >&2 || fail "set-up: status $?"
  end k6 || fail "set-up of k6: status $?"
}

# lint TOOL ARGUMENT...: a check by a program of tools.sh, skipped where that is not here.
lint() {
  local tool=$1 path
  shift
  if path=$(find_tool "${tool}"); then
    check "${tool}" "${path}" "$@"
  else
    warn "${tool} is not here: its check is skipped"
    count 0 0 1
  fi
}

check_statically() {
  local -a shell bats colours=()
  [[ -t 2 ]] || colours=(--colors=off)
  mapfile -t shell < <(shell_files)
  mapfile -t bats < <(git ls-files --cached --others --exclude-standard -- '*.bats')
  check 'TypeScript types' node_modules/.bin/tsc --noEmit
  check 'Biome' node_modules/.bin/biome ci --error-on-warnings "${colours[@]}" .
  check 'shellcheck' shellcheck -- "${shell[@]}"
  # bats sets variables, changes directory and runs each test in a subshell; quoted scripts are for others to expand.
  check 'shellcheck of the tests' shellcheck --shell=bats --exclude=SC2016,SC2030,SC2031,SC2154,SC2164 -- "${bats[@]}"
  lint hadolint --failure-threshold info -- docker/php/Dockerfile docker/offline/*/Dockerfile fixtures/examples/*/Dockerfile
  lint actionlint -no-color
  lint zizmor --pedantic --offline --no-progress -- .github action.yml
  check 'tables of the README' "${SCRIPTS}/readme-tables" --check
  check 'bundle matches source' npm run --silent check:bundle
}

# What those tests start.
readonly ENGINE_IMAGES=(php:8.4-fpm nginx:1.26 redis:7 mysql:8.4 ghcr.io/shopify/toxiproxy:2.12.0 grafana/k6:1.8.1)

# Starts an engine, and begins to make its images.
start_engine() {
  local address ours=''
  "${SCRIPTS}/engine.sh" status >/dev/null || ours=1
  if ! address=$("${SCRIPTS}/engine.sh" start); then
    warn 'no Docker engine: tests that need one are skipped'
    return
  fi
  ENGINE_IS_OURS=${ours}
  export "${address?}"
  begin images "${ROOT}/docker/offline/build.sh" --pull "${ENGINE_IMAGES[@]}"
}

# Tests that need a Docker engine look at PERF_GATE_TEST_ENGINE, and are skipped without it.
await_images() {
  if [[ -z ${BESIDE[images]:-} ]]; then
    return
  elif end images; then
    export PERF_GATE_TEST_ENGINE=1
  else
    warn 'no images for Docker: tests that need them are skipped'
  fi
}

# Runs name what they make by this label.
check_engine_is_clean() {
  local left
  left=$(
    docker ps --all --filter label=perf-gate --format 'container {{.Names}}'
    docker network ls --filter label=perf-gate --format 'network {{.Name}}'
    docker volume ls --filter label=perf-gate --format 'volume {{.Name}}'
  )
  if [[ -n ${left} ]]; then
    printf '%s\n' "${left}" >&2
    return 1
  fi
}

stop_engine() {
  if [[ -n ${ENGINE_IS_OURS} ]]; then
    "${SCRIPTS}/engine.sh" stop >&2
    ENGINE_IS_OURS=''
  fi
}

# Programs that this run started carry its mark in their environment: prints those still alive, one per line.
left_running() {
  local directory
  for directory in /proc/[0-9]*; do
    if grep -zFqx -- "PERF_GATE_TEST_RUN=${PERF_GATE_TEST_RUN}" "${directory}/environ" 2>/dev/null; then
      printf '%s %s\n' "${directory#/proc/}" "$(tr '\0' ' ' <"${directory}/cmdline" 2>/dev/null || true)"
    fi
  done
}

check_nothing_left() {
  local left
  left=$(left_running)
  if [[ -n ${left} ]]; then
    printf '%s\n' "${left}" >&2
    return 1
  fi
}

finish() {
  local pid _
  stop_engine || true
  while read -r pid _; do
    kill -KILL "${pid}" 2>/dev/null || true
  done < <(left_running || true)
  rm -rf -- "${SCRATCH}"
}

main() {
  local fast='' failure
  local -a projects=('with services*' 'whole runs*')
  while (($# > 0)); do
    case "$1" in
      --fast) fast=1 ;;
      *) bail_choice 'argument' "$1" '--fast' ;;
    esac
    shift
  done
  exec </dev/null
  cd -- "${ROOT}"
  # What other programs say is compared; a locale that is not installed makes bash complain.
  export LC_ALL=C.UTF-8
  # Servers that run as somebody else read files of the tests.
  umask 022
  # Colours only where somebody looks.
  [[ -t 2 ]] || export NO_COLOR=1
  SCRATCH=$(mktemp -d)
  export PERF_GATE_TEST_RUN=$$.${RANDOM}${RANDOM}
  # One for all that is built with Go.
  export PERF_GATE_GO_CACHE=${SCRATCH}/go
  trap finish EXIT

  part 'Set-up' set_up
  # Before there is an engine: tests start one of their own.
  begin bats run_bats --recursive scripts/test
  part 'Static checks' check_statically
  part 'bats' count_bats
  [[ -n ${fast} ]] || part 'Docker engine' start_engine
  part 'vitest, computing' run_vitest computing
  part 'Docker images' await_images
  [[ -z ${fast} ]] || projects=('with services*')
  part 'vitest' run_vitest "${projects[@]}"
  # In somebody else's engine others may be at work.
  [[ -z ${ENGINE_IS_OURS} ]] || check 'nothing is left in the Docker engine' check_engine_is_clean
  stop_engine || fail 'the Docker engine does not end'
  part 'Processes left' check 'nothing is left running' check_nothing_left

  for failure in "${FAILURES[@]}"; do
    info "failed: ${failure}"
  done
  summary
  ((FAILED == 0))
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  main "$@"
fi

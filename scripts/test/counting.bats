#!/usr/bin/env bats
# scripts/test.sh counts what the runners report, and does not trust a runner that reports nothing.

setup() {
  SCRIPTS=$(cd "${BATS_TEST_DIRNAME}/.." && pwd -P)
  unset GITHUB_ACTIONS
  export NO_COLOR=1
  cd "${BATS_TEST_TMPDIR}"
}

# Runs functions of test.sh; standard output alone is compared.
inside() {
  run bash -c "exec 2>|err; source '${SCRIPTS}/test.sh'; SCRATCH='${BATS_TEST_TMPDIR}'; $1"
}

@test "summary: skipped only where some were" {
  inside 'count 3 0 0; summary'
  [[ ${output} == '3 passed, 0 failed' ]]
  inside 'count 3 1 2; summary'
  [[ ${output} == '3 passed, 1 failed, 2 skipped' ]]
}

@test "a static check counts as one test" {
  inside 'check good true; check bad false; summary'
  [[ ${output} == '1 passed, 1 failed' ]]
  [[ $(cat err) == *'bad: status 1 from: false'* ]]
}

@test "TAP: passed, failed, skipped" {
  printf '1..4\nok 1 a\nnot ok 2 b\n# (in test file x)\nok 3 c # skip no chromium\nok 4 d in 3ms # SKIP\n' >report
  inside 'tap_counts report'
  [[ ${status} -eq 0 ]]
  [[ ${output} == '1 1 2' ]]
}

@test "TAP: no plan, or fewer tests than planned, is no complete report" {
  printf 'ok 1 a\n' >no-plan
  printf '1..3\nok 1 a\nok 2 b\n' >crashed
  : >empty
  local report
  for report in no-plan crashed empty missing; do
    inside "tap_counts ${report}"
    [[ ${status} -ne 0 ]]
    inside "run_suite planted tap_counts ${report} true; summary"
    [[ ${output} == '0 passed, 1 failed' ]]
  done
}

@test "a runner that succeeds without running a test is a failure" {
  printf '1..0\n' >report
  inside 'run_suite planted tap_counts report true; summary'
  [[ ${output} == '0 passed, 1 failed' ]]
  printf '1..1\nok 1 a # skip\n' >|report
  inside 'run_suite planted tap_counts report true; summary'
  [[ ${output} == '0 passed, 1 failed, 1 skipped' ]]
}

@test "a runner that fails though every test passed is a failure" {
  printf '1..1\nok 1 a\n' >report
  inside 'run_suite planted tap_counts report false; summary'
  [[ ${output} == '1 passed, 1 failed' ]]
}

@test "a runner that is not there is a failure" {
  inside 'run_suite planted tap_counts report no-such-runner; summary'
  [[ ${output} == '0 passed, 1 failed' ]]
}

@test "real bats: a passing, a failing and a skipped test" {
  printf '@test "a" { true; }\n@test "b" { false; }\n@test "c" { skip "not here"; }\n' >planted.bats
  # bats puts its inner programs first on PATH, and its state into the environment.
  run env -i PATH="${PATH/"${BATS_LIBEXEC}:"/}" NO_COLOR=1 bash -c \
    "exec 2>err; source '${SCRIPTS}/test.sh'; SCRATCH='${BATS_TEST_TMPDIR}'; begin bats run_bats planted.bats; count_bats; summary"
  [[ ${output} == '1 passed, 1 failed, 1 skipped' ]]
  [[ $(cat err) == *'not ok 2 b'* ]]
}

@test "real vitest: passing, failing, skipped, and a file that does not load" {
  # vitest is resolved from the file's own place, so the planted files live in the checkout while they run.
  local directory
  directory=$(mktemp -d "${SCRIPTS}/../node_modules/.planted.XXXXXX")
  cp "${BATS_TEST_DIRNAME}/planted/"*.ts "${directory}"
  run bash -c "exec 2>err; source '${SCRIPTS}/test.sh'; cd '${SCRIPTS}/..'; run_suite planted vitest_counts '${BATS_TEST_TMPDIR}/report' \
    node_modules/.bin/vitest run --root '${directory}' --config '${directory}/vitest.config.ts' \
    --reporter=json --outputFile.json='${BATS_TEST_TMPDIR}/report'; summary"
  rm -rf "${directory}"
  [[ ${output} == '1 passed, 2 failed, 1 skipped' ]]
}

@test "a process of this run that is still alive is found, others are not" {
  env PERF_GATE_TEST_RUN=planted-1 sleep 60 &
  local mine=$!
  env PERF_GATE_TEST_RUN=planted-12 sleep 60 &
  local other=$!
  # Each becomes sleep a moment later.
  inside 'for PERF_GATE_TEST_RUN in planted-12 planted-1; do
    for ((tries = 0; tries < 300; tries++)); do
      left=$(left_running)
      [[ ${left} != *" sleep 60 " ]] || break
      sleep 0.1
    done
  done
  printf "%s\n" "${left}"'
  kill "${mine}" "${other}"
  [[ ${output} == "${mine} sleep 60 " ]]
}

@test "what runs beside the other parts: its status, and what it said where it is waited for" {
  inside 'begin one bash -c "echo said; echo more >&2; exit 7"; echo next; status=0; end one || status=$?; echo "${status}"'
  [[ ${output} == $'next\n7' ]]
  [[ $(cat err) == $'said\nmore' ]]
}

@test "shell files are found by name and by first line" {
  git init -q .
  printf 'echo\n' >a.sh
  printf '#!/usr/bin/env bash\n' >launcher
  printf '#!/usr/bin/env node\n' >tool
  printf 'text\n' >README
  mkdir ignored && touch ignored/b.sh && echo ignored >.gitignore
  inside shell_files
  [[ ${output} == $'a.sh\nlauncher' ]]
}

@test "an unknown argument is status 2" {
  run "${SCRIPTS}/test.sh" --quick
  [[ ${status} -eq 2 ]]
  [[ ${output} == *"argument: '--quick' is not known; allowed: --fast"* ]]
}

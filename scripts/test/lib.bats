#!/usr/bin/env bats
# Helpers of the shell scripts.

setup() {
  LIB=$(cd "${BATS_TEST_DIRNAME}/.." && pwd -P)/lib.sh
  unset GITHUB_ACTIONS
  cd "${BATS_TEST_TMPDIR}"
}

# Runs a piece of script with the helpers loaded; standard output and error apart.
with_lib() {
  run bash -c "exec 2>err; set -CeEuo pipefail; source '${LIB}'; $1"
  err=$(cat err)
}

@test "bail: the status asked for, the text on standard error" {
  with_lib 'bail 4 "no gnuplot: apt-get install gnuplot-nox"; echo never'
  [[ ${status} -eq 4 ]]
  [[ -z ${output} ]]
  [[ ${err} == 'error: no gnuplot: apt-get install gnuplot-nox' ]]
}

@test "warn: an annotation on GitHub, in which a line break starts no new command" {
  export GITHUB_ACTIONS=true
  with_lib "warn \$'50%\\n::error::forged\\r'"
  [[ ${status} -eq 0 ]]
  [[ ${err} == '::warning::50%25%0A::error::forged%0D' ]]
}

@test "group: folded on GitHub, a heading elsewhere" {
  with_lib 'group Tests; group_end'
  [[ ${err} == '--- Tests' ]]
  export GITHUB_ACTIONS=true
  rm err
  with_lib 'group Tests; group_end'
  [[ ${err} == $'::group::Tests\n::endgroup::' ]]
}

@test "retry: stops at the first success" {
  with_lib 'attempt() { echo x >>tries; [[ $(wc -l <tries) -eq 2 ]]; }; RETRY_SECONDS=0 retry 5 attempt'
  [[ ${status} -eq 0 ]]
  [[ $(wc -l <tries) -eq 2 ]]
}

@test "retry: gives up with the last status, after as many attempts as asked" {
  with_lib 'attempt() { echo x >>tries; return 42; }; RETRY_SECONDS=0 retry 3 attempt'
  [[ ${status} -eq 42 ]]
  [[ $(wc -l <tries) -eq 3 ]]
  [[ ${err} == *'attempt 2 of 3 failed with status 42: attempt'* ]]
}

@test "quietly: output only on failure, the status kept" {
  with_lib 'quietly echo fine; quietly bash -c "echo out; echo err >&2; exit 5"'
  [[ ${status} -eq 5 ]]
  [[ -z ${output} ]]
  [[ ${err} == $'out\nerr' ]]
}

@test "has: programs, not builtins or functions" {
  with_lib 'nothing_of_this_name() { :; }; has bash && ! has nothing_of_this_name && ! has declare'
  [[ ${status} -eq 0 ]]
}

@test "bail_choice: what it is about, what came, what is allowed" {
  with_lib 'bail_choice --for chaos "run, test"'
  [[ ${status} -eq 2 ]]
  [[ ${err} == "error: --for: 'chaos' is not known; allowed: run, test" ]]
}

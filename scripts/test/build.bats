#!/usr/bin/env bats
# The committed bundle is compared with its source.

setup() {
  ROOT=$(cd "${BATS_TEST_DIRNAME}/../.." && pwd -P)
  export PERF_GATE_DIST=${BATS_TEST_TMPDIR}/dist
  node "${ROOT}/scripts/build.mjs" >/dev/null
}

@test "what was just built matches; twice the same bytes; no path of this machine in it" {
  run node "${ROOT}/scripts/build.mjs" --check
  [[ ${status} -eq 0 ]]
  cp -r "${PERF_GATE_DIST}" "${BATS_TEST_TMPDIR}/first"
  node "${ROOT}/scripts/build.mjs" >/dev/null
  diff -r "${BATS_TEST_TMPDIR}/first" "${PERF_GATE_DIST}"
  ! grep -rlF -- "${ROOT}" "${PERF_GATE_DIST}" || false
}

@test "a changed, a missing and a left-over file are each named" {
  echo '// edited by hand' >>"${PERF_GATE_DIST}/cli.js"
  rm "${PERF_GATE_DIST}/LICENSES.txt"
  touch "${PERF_GATE_DIST}/old.js"
  run node "${ROOT}/scripts/build.mjs" --check
  [[ ${status} -eq 1 ]]
  [[ ${output} == *'cli.js: differs from line'* ]]
  [[ ${output} == *'LICENSES.txt: missing'* ]]
  [[ ${output} == *'old.js: no longer part of the bundle'* ]]
  [[ ${output} == *'Run: npm run build'* ]]
}

@test "the bundle runs without node_modules, and names the licences of what is in it" {
  mkdir -p "${BATS_TEST_TMPDIR}/elsewhere/scripts"
  cp -r "${PERF_GATE_DIST}" "${BATS_TEST_TMPDIR}/elsewhere/scripts/dist"
  printf '{"type": "module"}' >"${BATS_TEST_TMPDIR}/elsewhere/package.json"
  run node "${BATS_TEST_TMPDIR}/elsewhere/scripts/dist/cli.js" --help
  [[ ${status} -eq 0 ]]
  [[ ${output} == *'Usage: perf-gate'* ]]
  grep -q '^zod ' "${PERF_GATE_DIST}/LICENSES.txt"
}

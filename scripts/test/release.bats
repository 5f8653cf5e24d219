#!/usr/bin/env bats
# .github/release.sh: what stops a release, and what is in one.

setup() {
  ROOT=$(cd "${BATS_TEST_DIRNAME}/../.." && pwd -P)
  REPOSITORY=${BATS_TEST_TMPDIR}/repository
  git init --quiet --initial-branch main "${REPOSITORY}"
  cd "${REPOSITORY}"
  printf '{"version": "1.2.3"}' >package.json
  printf '# Changelog\n\n## Unreleased\n\n- Later.\n\n## 1.2.3 - 2026-01-02\n\n- Faster.\n\n## 1.2.2\n\n- Older.\n' >CHANGELOG.md
  git add --all
  git -c user.name=a -c user.email=a@example.invalid commit --quiet --message one
  git update-ref refs/remotes/origin/main HEAD
  git tag v1.2.3
  git tag v2.0.0
  GITHUB_SHA=$(git rev-parse HEAD)
  export GITHUB_SHA GITHUB_REF_NAME=v1.2.3 GITHUB_REPOSITORY=octo/perf-gate
  unset GITHUB_ACTIONS
}

@test "tag, version, changelog and main agree: nothing to say" {
  run "${ROOT}/.github/release.sh" check
  [[ ${status} -eq 0 ]]
  [[ -z ${output} ]]
}

@test "another version than package.json's" {
  GITHUB_REF_NAME=v1.2.4 run "${ROOT}/.github/release.sh" check
  [[ ${status} -eq 2 ]]
  [[ ${output} == *'the tag is v1.2.4, package.json says 1.2.3'* ]]
}

@test "a version that the changelog does not know, though it knows a longer one" {
  printf '{"version": "1.2"}' >|package.json
  GITHUB_REF_NAME=v1.2 run "${ROOT}/.github/release.sh" check
  [[ ${status} -eq 2 ]]
  [[ ${output} == *"nothing below '## 1.2'"* ]]
}

@test "a commit that is not on main" {
  git -c user.name=a -c user.email=a@example.invalid commit --quiet --allow-empty --message two
  GITHUB_SHA=$(git rev-parse HEAD) run "${ROOT}/.github/release.sh" check
  [[ ${status} -eq 2 ]]
  [[ ${output} == *'v1.2.3 is not on main'* ]]
}

@test "a version before the one that v1 is" {
  git tag v1.10.0
  run "${ROOT}/.github/release.sh" check
  [[ ${status} -eq 2 ]]
  [[ ${output} == *'v1 would move back from v1.10.0 to v1.2.3'* ]]
}

@test "the notes are the version's own, the archive is the tag's tree" {
  run bash -c "set -- check; source '${ROOT}/.github/release.sh' >/dev/null; notes"
  [[ ${output} == '- Faster.' ]]
  printf 'not committed' >other
  "${ROOT}/.github/release.sh" archive
  run tar --list --file perf-gate-1.2.3.tar.gz
  [[ ${output} == $'perf-gate-1.2.3/\nperf-gate-1.2.3/CHANGELOG.md\nperf-gate-1.2.3/package.json' ]]
}

#!/usr/bin/env bash
# What release.yml does for a tag vX.Y.Z.
#
#   .github/release.sh check     the tag is package.json's version, its commit is on main, CHANGELOG.md knows it, and
#                                no later version of vX would lose that name to it
#   .github/release.sh archive   perf-gate-X.Y.Z.tar.gz of the tag's tree
#   .github/release.sh publish   the release with that file, and vX moved to it
#
# Reads GITHUB_REF_NAME, GITHUB_REPOSITORY, GITHUB_SHA; publish: GH_TOKEN.
set -CeEuo pipefail

SCRIPTS=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../scripts" && pwd -P)
readonly SCRIPTS
# shellcheck source=../scripts/lib.sh
source "${SCRIPTS}/lib.sh"

readonly TAG=${GITHUB_REF_NAME:?} REPOSITORY=${GITHUB_REPOSITORY:?} COMMIT=${GITHUB_SHA:?}
readonly VERSION=${TAG#v}
readonly ARCHIVE=perf-gate-${VERSION}.tar.gz

check() {
  local packaged newest
  packaged=$(jq --raw-output .version package.json)
  if [[ ${packaged} != "${VERSION}" ]]; then
    bail "${EXIT_USAGE}" "the tag is ${TAG}, package.json says ${packaged}"
  fi
  if ! git merge-base --is-ancestor "${COMMIT}" origin/main; then
    bail "${EXIT_USAGE}" "${TAG} is not on main"
  fi
  if [[ -z $(notes) ]]; then
    bail "${EXIT_USAGE}" "CHANGELOG.md has nothing below '## ${VERSION}'"
  fi
  newest=$(git tag --list "${TAG%%.*}.*" | sort --version-sort | tail --lines 1)
  if [[ ${newest} != "${TAG}" ]]; then
    bail "${EXIT_USAGE}" "${TAG%%.*} would move back from ${newest:-nothing} to ${TAG}: release a version after it"
  fi
}

# Prints what CHANGELOG.md says of this version.
notes() {
  awk -v heading="## ${VERSION}" '
    index($0, "## ") == 1 { ours = ($0 == heading || index($0, heading " ") == 1); next }
    ours
  ' CHANGELOG.md | sed -e '/./,$!d'
}

archive() {
  git archive --format tar.gz --prefix "perf-gate-${VERSION}/" --output "${ARCHIVE}" "${COMMIT}"
}

publish() {
  gh release create "${TAG}" --repo "${REPOSITORY}" --verify-tag --draft \
    --title "${TAG}" --notes "$(notes)" "${ARCHIVE}"
  gh release edit "${TAG}" --repo "${REPOSITORY}" --draft=false
  move_major "${TAG%%.*}"
}

# move_major TAG
move_major() {
  local refs=repos/${REPOSITORY}/git/refs
  if gh api "${refs%refs}ref/tags/$1" --silent 2>/dev/null; then
    gh api --method PATCH "${refs}/tags/$1" --field sha="${COMMIT}" --field force=true --silent
  else
    gh api --method POST "${refs}" --field ref="refs/tags/$1" --field sha="${COMMIT}" --silent
  fi
}

main() {
  case "${1:-}" in
    check | archive | publish) "$1" ;;
    *) bail_choice 'argument' "${1:-}" 'check, archive, publish' ;;
  esac
}

main "$@"

#!/usr/bin/env bash
# Bakes a file, of which a copy is kept; GitHub's cache is left out, whose entries only its own service can serve.
set -CeEuo pipefail

main() {
  local kept=${STAND_IN_ARTIFACTS:?}/bake.json
  # Without it the real one bakes the repository at GitHub.
  [[ ${SOURCE:?} == . && ${LOAD:?} == true ]]
  printf 'git token: [%s]\n' "${BUILDX_BAKE_GIT_AUTH_TOKEN:-}"
  cp -- "${FILES:?}" "${kept}"
  jq 'del(.target[]["cache-from", "cache-to"])' "${kept}" >|"${kept}.uncached"
  docker buildx bake --builder "${BUILDER:?}" --file "${kept}.uncached" --load --provenance "${PROVENANCE:?}"
}

main

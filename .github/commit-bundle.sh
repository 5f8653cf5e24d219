#!/usr/bin/env bash
# Puts the files of a directory in the place of scripts/dist, by one commit on the branch of this job, and starts the
# tests on it. Through the API, so that no credentials are left in the checkout; GitHub signs such a commit. Its message
# lets Dependabot rebase the branch all the same: that starts it all again.
#
#   .github/commit-bundle.sh DIRECTORY
#
# Reads GITHUB_REPOSITORY, GITHUB_REF_NAME, GITHUB_SHA, GH_TOKEN.
set -CeEuo pipefail

readonly REPOSITORY=${GITHUB_REPOSITORY:?} BRANCH=${GITHUB_REF_NAME:?} COMMIT=${GITHUB_SHA:?}

# Prints [{path, contents}] for every file of the bundle, as createCommitOnBranch takes them.
additions() {
  local file
  for file in scripts/dist/*; do
    jq --null-input --arg path "${file}" --rawfile contents <(base64 --wrap=0 -- "${file}" || true) \
      '{path: $path, contents: $contents}'
  done | jq --slurp .
}

main() {
  local directory=$1 added removed
  rm -rf -- scripts/dist
  mv -- "${directory}" scripts/dist
  if [[ -z $(git status --porcelain -- scripts/dist) ]]; then
    printf 'the bundle is as it was\n'
    return
  fi
  removed=$(git ls-files --deleted -- scripts/dist | jq --raw-input '{path: .}' | jq --slurp .)
  added=$(additions)
  jq --null-input \
    --arg branch "${BRANCH}" --arg repository "${REPOSITORY}" --arg head "${COMMIT}" \
    --slurpfile added <(printf '%s' "${added}") --slurpfile removed <(printf '%s' "${removed}") '{
      query: "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }",
      variables: { input: {
        branch: { repositoryNameWithOwner: $repository, branchName: $branch },
        message: { headline: "Bundle rebuilt [dependabot skip]" },
        expectedHeadOid: $head,
        fileChanges: { additions: $added[0], deletions: $removed[0] }
      } }
    }' | gh api graphql --input - --jq '.data.createCommitOnBranch.commit.oid'
  gh workflow run ci.yml --repo "${REPOSITORY}" --ref "${BRANCH}"
}

main "$@"
